/* test_soft_widths.c - instructions that OpenCL C compilers do not generate, for every width and length: bit
 * instructions, sums with carries, products of double width and expectations for 8 to 64 bits and 1, 2, 3, 4, 8 and 16
 * components, with varying and uniform operands; products, bits and logic over a work-group and its subgroups, for
 * every type, as reductions and scans; all codes of 8-bit floats, to and from halves, floats and doubles; integer
 * atomics. Exact. */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

enum { S = 16, ITEMS = 3 * S, LONGEST = 16 };
static zed_device device;

static void begin_kernel(spe_module *m, const char *name, const spe_id *types)
{
    spe_param params[4];
    spe_kernel k;
    memset(&k, 0, sizeof k);
    memset(params, 0, sizeof params);
    for (uint32_t i = 0; i < 4; i++) params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, types[i]);
    k.name = name;
    k.params = params;
    k.param_count = 4;
    k.subgroup_size = S;
    spe_kernel_begin(m, &k);
}

static spe_id element(spe_module *m, uint32_t param, spe_id at) { return spe_index(m, spe_param_id(m, param), at); }

static bool load(zed_module *module, spe_module *m, const char *name)
{
    spe_words w = spe_finish(m);
    bool good;
    CHECK_MSG(w.data, "%s", spe_get_error(m)->text);
    if (w.data && name) test_save_spv(name, w.data, w.count * 4);
    good = w.data && zed_module_load(module, &device, w.data, w.count * 4, NULL);
    CHECK_MSG(good, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
    zed_clear_error(&device);
    spe_free(m);
    return good;
}

static bool run(zed_module *module, const char *kernel, uint32_t items, uint32_t local, void *a, void *b, void *c,
                void *r)
{
    zed_kernel k;
    bool good = zed_kernel_get(&k, module, kernel, "ptr<u8> a, ptr<u8> b, ptr<u8> c, ptr<u8> r") &&
                zed_local_size(&k, local, 1, 1) && zed_launch(&k, (zed_groups){items / local, 1, 1}, a, b, c, r);
    CHECK_MSG(good, "%s: %s", kernel, zed_get_error(&device)->text);
    zed_clear_error(&device);
    return good;
}

static void *buffer(size_t bytes)
{
    void *p = zed_alloc(&device, ZED_SHARED, bytes, 0);
    CHECK(p != NULL);
    if (p) memset(p, 0xa5, bytes);
    return p;
}

/* ---- integers */

typedef enum {
    REVERSE,
    COUNT,
    INSERT,
    SIGNED_FIELD,
    FIELD,
    EXPECT,
    SUM,
    CARRY,
    DIFFERENCE,
    BORROW,
    LOW,
    HIGH,
    SIGNED_LOW,
    SIGNED_HIGH,
    PLANES
} plane;
static const char *const plane_names[] = {"reversed", "bits", "inserted",   "signed field", "field",
                                          "expected", "sum",  "carry",      "difference",   "borrow",
                                          "product",  "high", "signed low", "signed high"};

/* a, b: a vector an item. c: where a field starts and how long it is, two words an item. */
static void emit_integers(spe_module *m, const char *name, spe_id type, bool uniform)
{
    enum {
        CARRY_SUM = 149,
        FIELD_INSERT = 201,
        SIGNED_EXTRACT = 202,
        EXTRACT = 203,
        REVERSED = 204,
        COUNTED = 205,
        EXPECTED = 5631,
        ASSUMED = 5630
    };
    const spe_id types[] = {type, type, spe_int(m, 32), type}, members[] = {type, type};
    spe_id pair = spe_struct(m, 2, members), r[PLANES];
    begin_kernel(m, name, types);
    spe_id item = spe_builtin(m, SPE_GLOBAL_ID, 0), from = uniform ? spe_i32(m, 1) : item;
    spe_id a = spe_load(m, element(m, 0, from), 0), b = spe_load(m, element(m, 1, from), 0);
    spe_id at = spe_imul(m, from, spe_i32(m, 2));
    spe_id start = spe_load(m, element(m, 2, at), 0),
           length = spe_load(m, element(m, 2, spe_iadd(m, at, spe_i32(m, 1))), 0);
    const uint32_t words[] = {a, start, length}, insert[] = {a, b, start, length}, both[] = {a, b};
    spe_id assumed = spe_const_bool(m, true);
    spe_op_void(m, ASSUMED, 1, &assumed);
    r[REVERSE] = spe_op(m, REVERSED, type, 1, &a);
    r[COUNT] = spe_op(m, COUNTED, type, 1, &a);
    r[INSERT] = spe_op(m, FIELD_INSERT, type, 4, insert);
    r[SIGNED_FIELD] = spe_op(m, SIGNED_EXTRACT, type, 3, words);
    r[FIELD] = spe_op(m, EXTRACT, type, 3, words);
    r[EXPECT] = spe_op(m, EXPECTED, type, 2, both);
    for (int k = 0; k < 4; k++) {
        spe_id two = spe_op(m, CARRY_SUM + (uint32_t)k, pair, 2, both);
        r[SUM + 2 * k] = spe_extract(m, two, 0);
        r[SUM + 2 * k + 1] = spe_extract(m, two, 1);
    }
    for (int p = 0; p < PLANES; p++) spe_store(m, element(m, 3, spe_iadd(m, item, spe_i32(m, p * ITEMS))), r[p], 0);
    spe_kernel_end(m);
}

static uint64_t low(wide v, int bits) { return bits == 64 ? (uint64_t)v : (uint64_t)v & (((uint64_t)1 << bits) - 1); }
static signed_wide with_sign(uint64_t v, int bits)
{
    return bits && v >> (bits - 1) & 1 ? (signed_wide)v - ((signed_wide)1 << bits) : (signed_wide)v;
}

static uint64_t want(plane p, uint64_t a, uint64_t b, int start, int length, int bits)
{
    uint64_t field = length ? low(a >> (start & 63), length) : 0, r = 0;
    wide mask = (((wide)1 << length) - 1) << start;
    switch (p) {
    case REVERSE:
        for (int k = 0; k < bits; k++) r |= (a >> k & 1) << (bits - 1 - k);
        return r;
    case COUNT:
        for (int k = 0; k < bits; k++) r += a >> k & 1;
        return r;
    case INSERT: return (uint64_t)((a & ~mask) | ((wide)b << start & mask));
    case SIGNED_FIELD: return low((wide)with_sign(field, length), bits);
    case FIELD: return field;
    case EXPECT: return a;
    case SUM: return low((wide)a + b, bits);
    case CARRY: return (uint64_t)(((wide)a + b) >> bits);
    case DIFFERENCE: return low((wide)a - b, bits);
    case BORROW: return a < b;
    case LOW:
    case SIGNED_LOW: return low((wide)a * b, bits);
    case HIGH: return (uint64_t)((wide)a * b >> bits);
    default: return low((wide)(with_sign(a, bits) * with_sign(b, bits)) >> bits, bits);
    }
}

static uint64_t number(const void *p, size_t at, int bits)
{
    uint64_t v = 0;
    memcpy(&v, (const char *)p + at * (size_t)(bits / 8), (size_t)bits / 8);
    return v;
}

/* Of each length a kernel, of some one more whose operands are the same in all items. */
static const struct {
    int n;
    bool uniform;
} forms[] = {{1, false}, {1, true}, {2, false}, {3, false}, {3, true}, {4, false}, {8, false}, {8, true}, {16, false}};
enum { FORMS = sizeof forms / sizeof *forms };

static void kernel_name(char *name, int bits, int n, bool uniform)
{
    snprintf(name, 32, "%s_%d_%d", uniform ? "same" : "own", bits, n);
}

static void check_integers(zed_module *module, int bits, int n, bool uniform, void *a, void *b, uint32_t *c, void *r)
{
    int room = n == 3 ? 4 : n;
    char name[32];
    kernel_name(name, bits, n, uniform);
    memset(r, 0xa5, PLANES * ITEMS * LONGEST * 8);
    for (int i = 0; i < ITEMS; i++) { /* fields of no bits and of all among them */
        c[2 * i] = i % 8 == 0 ? 0 : (uint32_t)(test_random() % (uint64_t)(bits + 1));
        c[2 * i + 1] = i % 8 == 0 ? (uint32_t)bits : (uint32_t)(test_random() % ((uint64_t)bits - c[2 * i] + 1));
    }
    if (!run(module, name, ITEMS, ITEMS, a, b, c, r)) return;
    for (int p = 0; p < PLANES; p++)
        for (int i = 0; i < ITEMS; i++)
            for (int k = 0; k < n; k++) {
                int from = uniform ? 1 : i;
                uint64_t x = number(a, (size_t)(from * room + k), bits), y = number(b, (size_t)(from * room + k), bits);
                uint64_t got = number(r, (size_t)((p * ITEMS + i) * room + k), bits),
                         wanted = want((plane)p, x, y, (int)c[2 * from], (int)c[2 * from + 1], bits);
                CHECK_MSG(got == wanted, "%s, item %d, %d: %s of %llx and %llx (field %u, %u) is %llx, want %llx", name,
                          i, k, plane_names[p], (unsigned long long)x, (unsigned long long)y, (unsigned)c[2 * from],
                          (unsigned)c[2 * from + 1], (unsigned long long)got, (unsigned long long)wanted);
            }
}

/* In the sample each form occurs in one of the four widths. */
static bool takes(int form, int bits)
{
    return test_takes(form + (bits >= 16) + (bits >= 32) + (bits >= 64), 4);
}

static void integers(int bits)
{
    enum { CAP_EXPECT = 5629, CAP_BITS = 6025 };
    spe_module m;
    zed_module module;
    char name[32];
    uint8_t *a = (uint8_t *)buffer(ITEMS * LONGEST * 8), *b = (uint8_t *)buffer(ITEMS * LONGEST * 8);
    uint32_t *c = (uint32_t *)buffer(ITEMS * 8);
    void *r = buffer(PLANES * ITEMS * LONGEST * 8);
    for (int i = 0; i < ITEMS * LONGEST * 8; i++) {
        a[i] = (uint8_t)test_random();
        b[i] = (uint8_t)test_random();
    }
    memset(a + 64, 0xff, 32); /* -1 with -1, with 0 and with others; equal ones */
    memset(b + 72, 0xff, 8);
    memset(b + 80, 0, 8);
    memcpy(a + 128, b + 128, 16);
    spe_begin(&m, NULL);
    spe_capability(&m, CAP_EXPECT);
    spe_capability(&m, CAP_BITS);
    for (int k = 0; k < FORMS; k++) {
        if (!takes(k, bits)) continue;
        kernel_name(name, bits, forms[k].n, forms[k].uniform);
        emit_integers(&m, name, spe_vec(&m, spe_int(&m, (uint32_t)bits), (uint32_t)forms[k].n), forms[k].uniform);
    }
    snprintf(name, sizeof name, "test_soft_widths_%d", bits);
    if (load(&module, &m, name)) {
        for (int k = 0; k < FORMS; k++)
            if (takes(k, bits)) check_integers(&module, bits, forms[k].n, forms[k].uniform, a, b, c, r);
        zed_module_free(&module);
    }
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, c);
    zed_free(&device, r);
}

TEST(integers_of_8_bits) { integers(8); }
TEST(integers_of_16_bits) { integers(16); }
TEST(integers_of_32_bits) { integers(32); }
TEST(integers_of_64_bits) { integers(64); }

/* ---- groups: two work-groups of 40, the last subgroup of each of 8 */

enum { LOCAL = 40, MEMBERS = 2 * LOCAL, TOTAL = 0, INCLUSIVE = 1, EXCLUSIVE = 2 };
enum { PRODUCT = 0, REAL_PRODUCT, AND, OR, XOR, ALL, ANY, ODD }; /* in the order of the instructions */

/* Planes: by work-group and subgroup, operations from `first` to `last`, total and scans. a, b, c: the operand of AND
 * and ALL, of OR and ANY, and of the others. */
static void emit_groups(spe_module *m, const char *name, spe_id type, int first, int last)
{
    enum { FIRST_INSTRUCTION = 6401 };
    const spe_id types[] = {type, type, type, type};
    begin_kernel(m, name, types);
    spe_id item = spe_builtin(m, SPE_GLOBAL_ID, 0), boolean = spe_bool(m);
    spe_id v[3], truth[3], yes = spe_const_u(m, type, 1), no = spe_const_u(m, type, 0);
    int p = 0;
    for (uint32_t k = 0; k < 3; k++) v[k] = spe_load(m, element(m, k, item), 0);
    for (int k = 0; k < 3 && first == ALL; k++) truth[k] = spe_ine(m, v[k], no);
    for (int scope = 2; scope <= 3; scope++)
        for (int op = first; op <= last; op++)
            for (int mode = TOTAL; mode <= EXCLUSIVE; mode++, p++) {
                int of = op == AND || op == ALL ? 0 : op == OR || op == ANY ? 1 : 2;
                const uint32_t words[] = {spe_i32(m, scope), (uint32_t)mode, first == ALL ? truth[of] : v[of]};
                spe_id x = spe_op(m, FIRST_INSTRUCTION + (uint32_t)op, first == ALL ? boolean : type, 3, words);
                if (first == ALL) x = spe_select(m, x, yes, no);
                spe_store(m, element(m, 3, spe_iadd(m, item, spe_i32(m, p * MEMBERS))), x, 0);
            }
    spe_kernel_end(m);
}

static uint64_t combined(int op, uint64_t x, uint64_t y)
{
    return op == PRODUCT ? x * y : op == AND || op == ALL ? x & y : op == OR || op == ANY ? x | y : x ^ y;
}

static void want_group(const uint64_t *v, int op, int mode, int from, int to, uint64_t *r)
{
    uint64_t sum = op == PRODUCT ? 1 : op == AND ? ~(uint64_t)0 : op == ALL;
    for (int i = from; i < to; i++) {
        if (mode == EXCLUSIVE) r[i] = sum;
        sum = combined(op, sum, v[i]);
        if (mode == INCLUSIVE) r[i] = sum;
    }
    for (int i = from; i < to && mode == TOTAL; i++) r[i] = sum;
}

static void want_plane(const uint64_t *v, int op, int mode, bool subgroups, uint64_t *r)
{
    for (int g = 0; g < MEMBERS; g += LOCAL)
        for (int from = 0, n = subgroups ? S : LOCAL; from < LOCAL; from += n)
            want_group(v, op, mode, g + from, g + (from + n < LOCAL ? from + n : LOCAL), r);
}

static void check_groups(zed_module *module, const char *name, int bits, int first, int last)
{
    uint64_t v[3][MEMBERS], r[MEMBERS];
    char *memory = (char *)buffer(3 * MEMBERS * 8), *got = (char *)buffer(24 * MEMBERS * 8);
    int p = 0;
    for (int i = 0; i < 3 * MEMBERS; i++) {
        int of = i / MEMBERS, at = i % MEMBERS;
        uint64_t one = test_random() % 3 ? 0 : (uint64_t)1 << (test_random() % (uint64_t)bits);
        v[of][at] = low(of == 0 ? ~one : of == 1 ? one : test_random() | 1, bits);
        if (first == ALL) v[of][at] = of == 0 ? at % LOCAL != 21 : of == 1 ? at % LOCAL == 18 : test_random() & 1;
        memcpy(memory + i * (bits / 8), &v[of][at], (size_t)bits / 8);
    }
    int plane_bytes = MEMBERS * (bits / 8);
    bool good = run(module, name, MEMBERS, LOCAL, memory, memory + plane_bytes, memory + 2 * plane_bytes, got);
    for (int scope = 0; good && scope < 2; scope++)
        for (int op = first; op <= last; op++)
            for (int mode = TOTAL; mode <= EXCLUSIVE && op != REAL_PRODUCT; mode++, p++) {
                want_plane(v[op == AND || op == ALL ? 0 : op == OR || op == ANY ? 1 : 2], op, mode, scope == 1, r);
                for (int i = 0; i < MEMBERS; i++) {
                    uint64_t x = number(got, (size_t)(p * MEMBERS + i), bits);
                    CHECK_MSG(x == low(r[i], bits), "%s, scope %d, operation %d, mode %d, item %d: %llx, want %llx",
                              name, scope, op, mode, i, (unsigned long long)x, (unsigned long long)low(r[i], bits));
                }
            }
    zed_free(&device, memory);
    zed_free(&device, got);
}

TEST(groups_of_integers)
{
    enum { CAP_GROUPS = 6400 };
    spe_module m;
    zed_module module;
    char name[32];
    spe_begin(&m, NULL);
    spe_capability(&m, CAP_GROUPS);
    for (int bits = 8; bits <= 64; bits *= 2) {
        spe_id type = spe_int(&m, (uint32_t)bits);
        snprintf(name, sizeof name, "product_%d", bits);
        emit_groups(&m, name, type, PRODUCT, PRODUCT);
        snprintf(name, sizeof name, "bits_%d", bits);
        emit_groups(&m, name, type, AND, XOR);
    }
    emit_groups(&m, "truth", spe_int(&m, 32), ALL, ODD);
    if (!load(&module, &m, "test_soft_widths_groups")) return;
    for (int bits = 8; bits <= 64; bits *= 2) {
        snprintf(name, sizeof name, "product_%d", bits);
        check_groups(&module, name, bits, PRODUCT, PRODUCT);
        snprintf(name, sizeof name, "bits_%d", bits);
        check_groups(&module, name, bits, AND, XOR);
    }
    check_groups(&module, "truth", 32, ALL, ODD);
    zed_module_free(&module);
}

static const char *const real_names[] = {"half", "float", "double"};

/* Six planes: the product by work-group and subgroup, total and scans. */
static void emit_products(spe_module *m, uint32_t t)
{
    enum { PRODUCT_OF_FLOATS = 6402 };
    spe_id type = spe_float(m, 16u << t), types[] = {type, type, type, type};
    begin_kernel(m, real_names[t], types);
    spe_id item = spe_builtin(m, SPE_GLOBAL_ID, 0), v = spe_load(m, element(m, 2, item), 0);
    for (int p = 0; p < 6; p++) {
        const uint32_t words[] = {spe_i32(m, 2 + p / 3), (uint32_t)p % 3, v};
        spe_id at = spe_iadd(m, item, spe_i32(m, p * MEMBERS));
        spe_store(m, element(m, 3, at), spe_op(m, PRODUCT_OF_FLOATS, type, 3, words), 0);
    }
    spe_kernel_end(m);
}

/* Powers of two, up and down in turn, whose products are exact in any order. */
static void check_products(zed_module *module, int t)
{
    static const int biases[] = {15, 127, 1023}, fractions[] = {10, 23, 52};
    int bits = 16 << t, e[MEMBERS];
    char *c = (char *)buffer(MEMBERS * 8), *got = (char *)buffer(6 * MEMBERS * 8);
    for (int i = 0; i < MEMBERS; i++) {
        e[i] = i % 2 ? -e[i - 1] : (int)(test_random() % 9) - 4;
        uint64_t code = (uint64_t)(e[i] + biases[t]) << fractions[t];
        memcpy(c + i * (bits / 8), &code, (size_t)bits / 8);
    }
    bool good = run(module, real_names[t], MEMBERS, LOCAL, c, c, c, got);
    for (int at = 0; good && at < 6 * MEMBERS; at++) {
        int p = at / MEMBERS, i = at % MEMBERS, group_end = (i / LOCAL + 1) * LOCAL, n = p / 3 ? S : LOCAL,
            first = group_end - LOCAL + i % LOCAL / n * n, end = first + n < group_end ? first + n : group_end, sum = 0;
        for (int k = first; k < (p % 3 == TOTAL ? end : p % 3 == INCLUSIVE ? i + 1 : i); k++) sum += e[k];
        uint64_t x = number(got, (size_t)at, bits);
        CHECK_MSG(x == (uint64_t)(sum + biases[t]) << fractions[t], "%s, plane %d, item %d: %llx, want 2^%d",
                  real_names[t], p, i, (unsigned long long)x, sum);
    }
    zed_free(&device, c);
    zed_free(&device, got);
}

TEST(groups_of_floats)
{
    enum { CAP_GROUPS = 6400 };
    spe_module m;
    zed_module module;
    spe_begin(&m, NULL);
    spe_capability(&m, CAP_GROUPS);
    for (uint32_t t = 0; t < 3; t++) emit_products(&m, t);
    if (!load(&module, &m, "test_soft_widths_products")) return;
    for (int t = 0; t < 3; t++) check_products(&module, t);
    zed_module_free(&module);
}

/* ---- 8-bit floats: codes of 4 exponent bits (E4M3) and of 5 (E5M2) */

enum { NUMBERS = 65536, CODES = 256 };

/* The value of a code; also of the first one beyond the largest number, as if it were finite. */
static double code_value(uint32_t code, int exponent)
{
    int fraction = 7 - exponent, e = (int)(code & 127) >> fraction, f = (int)code & ((1 << fraction) - 1),
        bias = (1 << (exponent - 1)) - 1;
    double v = e ? ldexp((1 << fraction) + f, e - bias - fraction) : ldexp(f, 1 - bias - fraction);
    return code & 128 ? -v : v;
}
static uint32_t past_largest(int exponent) { return exponent == 4 ? 0x7f : 0x7c; }

/* The code nearest to v, the even one of two; -1 where any NaN will do. */
static int nearest_code(double v, int exponent, bool saturate)
{
    uint32_t below = 0, above = past_largest(exponent), code;
    double a = fabs(v);
    if (v != v) return -1;
    while (above - below > 1) {
        uint32_t middle = (below + above) / 2;
        if (code_value(middle, exponent) <= a)
            below = middle;
        else
            above = middle;
    }
    double down = a - code_value(below, exponent), up = code_value(above, exponent) - a;
    code = down < up || (down == up && below % 2 == 0) ? below : above;
    if (code == past_largest(exponent)) {
        if (saturate)
            code--;
        else if (exponent == 4)
            return -1;
    }
    return (int)(code | (signbit(v) ? 128u : 0));
}

static bool is_nan_code(uint32_t code, int exponent) { return (code & 127) > (exponent == 4 ? 0x7eu : 0x7cu); }

/* Vectors of n numbers an item: `to` from a number to both kinds of code, saturated or not; `from` codes to numbers. */
static void emit_small_floats(spe_module *m, uint32_t bits, uint32_t n)
{
    char name[32];
    spe_id number_type = spe_vec(m, spe_float(m, bits), n), code_type = spe_vec(m, spe_int(m, 8), n);
    const spe_id small[] = {spe_vec(m, spe_e4m3(m), n), spe_vec(m, spe_e5m2(m), n)};
    spe_id types[] = {number_type, number_type, number_type, code_type}, item, v;
    snprintf(name, sizeof name, "to_%u_%u", bits, n);
    begin_kernel(m, name, types);
    item = spe_builtin(m, SPE_GLOBAL_ID, 0);
    v = spe_load(m, element(m, 0, item), 0);
    for (int p = 0; p < 4; p++) {
        spe_id x = p < 2 ? spe_fconvert(m, small[p], v) : spe_fconvert_saturating(m, small[p - 2], v);
        spe_id at = spe_iadd(m, item, spe_i32(m, p * NUMBERS / (int)n));
        spe_store(m, element(m, 3, at), spe_bitcast(m, code_type, x), 0);
    }
    spe_kernel_end(m);
    for (int k = 0; k < 3; k++) types[k] = code_type;
    types[3] = number_type;
    snprintf(name, sizeof name, "from_%u_%u", bits, n);
    begin_kernel(m, name, types);
    item = spe_builtin(m, SPE_GLOBAL_ID, 0);
    v = spe_load(m, element(m, 0, item), 0);
    for (int p = 0; p < 2; p++)
        spe_store(m, element(m, 3, spe_iadd(m, item, spe_i32(m, p * CODES / (int)n))),
                  spe_fconvert(m, number_type, spe_bitcast(m, small[p], v)), 0);
    spe_kernel_end(m);
}

static double half_value(uint32_t h)
{
    int e = (int)(h >> 10 & 31), f = (int)(h & 1023);
    double v = e == 31 ? (f ? (double)NAN : (double)INFINITY) : e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
    return h & 0x8000 ? -v : v;
}

/* Every half; as floats and doubles also the numbers beside, which no rounding to less on the way may lose. */
static double put_number(void *p, uint32_t i, int bits)
{
    double v = half_value(i);
    float f = (float)v;
    if (bits == 16) {
        ((uint16_t *)p)[i] = (uint16_t)i;
    } else if (bits == 32) {
        if (i % 3) f = nextafterf(f, i % 3 == 1 ? INFINITY : -INFINITY);
        ((float *)p)[i] = f;
        v = (double)f;
    } else {
        if (i % 3) v = nextafter(v, i % 3 == 1 ? (double)INFINITY : (double)-INFINITY);
        ((double *)p)[i] = v;
    }
    return v;
}

static double get_number(const void *p, size_t i, int bits)
{
    if (bits == 16) return half_value(((const uint16_t *)p)[i]);
    return bits == 32 ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

static void check_codes(const double *v, const uint8_t *codes, const char *name)
{
    for (uint32_t i = 0; i < 4 * NUMBERS; i++) {
        uint32_t p = i / NUMBERS;
        int exponent = 4 + (int)(p % 2), code = nearest_code(v[i % NUMBERS], exponent, p >= 2);
        CHECK_MSG(code < 0 ? is_nan_code(codes[i], exponent) : codes[i] == code,
                  "%s of %.17g, plane %u: %02x, want %02x", name, v[i % NUMBERS], (unsigned)p, codes[i],
                  (unsigned)code);
    }
}

static void small_floats(zed_module *module, int bits, int n)
{
    char name[32];
    double *v = (double *)malloc(NUMBERS * sizeof *v);
    void *a = buffer(NUMBERS * 8);
    uint8_t *codes = (uint8_t *)buffer(4 * NUMBERS);
    for (uint32_t i = 0; v && i < NUMBERS; i++) v[i] = put_number(a, i, bits);
    snprintf(name, sizeof name, "to_%d_%d", bits, n);
    if (v && run(module, name, NUMBERS / (uint32_t)n, 64, a, a, a, codes)) check_codes(v, codes, name);
    for (int i = 0; i < CODES; i++) codes[i] = (uint8_t)i;
    snprintf(name, sizeof name, "from_%d_%d", bits, n);
    memset(a, 0xa5, NUMBERS);
    if (run(module, name, CODES / (uint32_t)n, 32, codes, codes, codes, a))
        for (uint32_t i = 0; i < 2 * CODES; i++) {
            int exponent = 4 + (int)(i / CODES);
            uint32_t code = i % CODES;
            double got = get_number(a, i, bits), wanted = code_value(code, exponent);
            if (exponent == 5 && (code & 127) == 0x7c) wanted = code & 128 ? -(double)INFINITY : (double)INFINITY;
            CHECK_MSG(is_nan_code(code, exponent) ? got != got : got == wanted && !signbit(got) == !signbit(wanted),
                      "%s of %02x: %g, want %g", name, (unsigned)code, got, wanted);
        }
    free(v);
    zed_free(&device, a);
    zed_free(&device, codes);
}

TEST(floats_of_8_bits)
{
    spe_module m;
    zed_module module;
    spe_begin(&m, NULL);
    for (uint32_t bits = 16; bits <= 64; bits *= 2)
        for (uint32_t n = 1; n <= 4; n *= 4) emit_small_floats(&m, bits, n);
    if (!load(&module, &m, "test_soft_widths_floats")) return;
    for (int bits = 16; bits <= 64; bits *= 2)
        for (int n = 1; n <= 4; n *= 4) small_floats(&module, bits, n);
    zed_module_free(&module);
}

/* ---- atomics: of all items on the same few numbers, which are neighbours, so that a wider access than the number's
 * would undo what others do. Old values are known where only one order or any order will do.
 */

enum { ATOMICS = SPE_ATOMIC_XOR + 1, SWAPPED = ATOMICS, TAKEN, STORED, SLOTS, WORKERS = 512 * ITEMS };

static void emit_atomics(spe_module *m, const char *name, spe_id type)
{
    const spe_id types[] = {type, type, type, type};
    const uint32_t scope = SPE_ScopeDevice, order = 0; /* relaxed */
    spe_id item, v, old[3];
    begin_kernel(m, name, types);
    item = spe_builtin(m, SPE_GLOBAL_ID, 0);
    v = spe_load(m, element(m, 0, item), 0);
    for (int op = 0; op < ATOMICS; op++)
        spe_atomic(m, (spe_atomic_op)op, element(m, 1, spe_i32(m, op)), v, scope, order);
    old[0] = spe_atomic(m, SPE_ATOMIC_EXCHANGE, element(m, 1, spe_i32(m, SWAPPED)), v, scope, order);
    old[1] = spe_atomic_cas(m, element(m, 1, spe_i32(m, TAKEN)), spe_load(m, element(m, 2, spe_i32(m, 0)), 0), v, scope,
                            order);
    spe_atomic_store(m, element(m, 1, spe_i32(m, STORED)), v, scope, order);
    old[2] = spe_atomic_load(m, element(m, 1, spe_i32(m, STORED)), scope, order);
    for (int k = 0; k < 3; k++) spe_store(m, element(m, 3, spe_iadd(m, item, spe_i32(m, k * WORKERS))), old[k], 0);
    spe_kernel_end(m);
}

static uint64_t after_atomic(int op, uint64_t x, uint64_t v, int bits)
{
    signed_wide sx = with_sign(x, bits), sv = with_sign(v, bits);
    switch (op) {
    case SPE_ATOMIC_IADD: return low((wide)x + v, bits);
    case SPE_ATOMIC_ISUB: return low((wide)x - v, bits);
    case SPE_ATOMIC_SMIN: return sx < sv ? x : v;
    case SPE_ATOMIC_UMIN: return x < v ? x : v;
    case SPE_ATOMIC_SMAX: return sx > sv ? x : v;
    case SPE_ATOMIC_UMAX: return x > v ? x : v;
    case SPE_ATOMIC_AND: return x & v;
    case SPE_ATOMIC_OR: return x | v;
    default: return x ^ v;
    }
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;
    return *x < *y ? -1 : *x > *y;
}

/* Each swap returns the value of another item or the host, and the last one's remains. */
static void check_swaps(int bits, const void *a, const void *r, uint64_t first, uint64_t last)
{
    static uint64_t came[WORKERS + 1], went[WORKERS + 1];
    for (int i = 0; i < WORKERS; i++) {
        came[i] = number(a, (size_t)i, bits);
        went[i] = number(r, (size_t)i, bits);
    }
    came[WORKERS] = first;
    went[WORKERS] = last;
    qsort(came, WORKERS + 1, sizeof *came, by_size);
    qsort(went, WORKERS + 1, sizeof *went, by_size);
    CHECK_MSG(memcmp(came, went, sizeof came) == 0, "exchanges of %d bits lost or made a number", bits);
}

static void check_atomics(zed_module *module, const char *name, int bits, void *a, void *b, void *c, void *r)
{
    uint64_t first[SLOTS], last[SLOTS];
    int winners = 0;
    for (int k = 0; k < WORKERS * 8; k++) ((uint8_t *)a)[k] = (uint8_t)test_random() | 1;
    for (int k = 0; k < SLOTS * 8; k++) ((uint8_t *)b)[k] = (uint8_t)test_random() & 0xfe; /* unlike the items' */
    memset(r, 0xa5, WORKERS * 3 * 8);
    memcpy(c, (char *)b + TAKEN * bits / 8, (size_t)bits / 8);
    for (int k = 0; k < SLOTS; k++) first[k] = number(b, (size_t)k, bits);
    if (!run(module, name, WORKERS, ITEMS, a, b, c, r)) return;
    for (int k = 0; k < SLOTS; k++) last[k] = number(b, (size_t)k, bits);
    for (int op = 0; op < ATOMICS; op++) {
        uint64_t wanted = first[op];
        for (int i = 0; i < WORKERS; i++) wanted = after_atomic(op, wanted, number(a, (size_t)i, bits), bits);
        CHECK_MSG(last[op] == wanted, "%s, operation %d: %llx, want %llx", name, op, (unsigned long long)last[op],
                  (unsigned long long)wanted);
    }
    check_swaps(bits, a, r, first[SWAPPED], last[SWAPPED]);
    for (int i = 0; i < WORKERS; i++) {
        uint64_t old = number(r, (size_t)(WORKERS + i), bits), seen = number(r, (size_t)(2 * WORKERS + i), bits);
        bool won = old == first[TAKEN];
        uint64_t left = won ? number(a, (size_t)i, bits) : old;
        winners += won;
        CHECK_MSG(last[TAKEN] == left, "%s, item %d: took %llx, there is %llx", name, i, (unsigned long long)old,
                  (unsigned long long)last[TAKEN]);
        CHECK_MSG(seen & 1, "%s, item %d read %llx, which nobody stored", name, i, (unsigned long long)seen);
    }
    CHECK_INT(winners, 1);
    CHECK_MSG(last[STORED] & 1, "%s: %llx is left, which nobody stored", name, (unsigned long long)last[STORED]);
}

TEST(atomics_of_integers)
{
    spe_module m;
    zed_module module;
    char name[32];
    void *a = buffer(WORKERS * 8), *b = buffer(SLOTS * 8), *c = buffer(8), *r = buffer(WORKERS * 3 * 8);
    spe_begin(&m, NULL);
    for (int bits = 8; bits <= 64; bits *= 2) {
        snprintf(name, sizeof name, "atomics_%d", bits);
        emit_atomics(&m, name, spe_int(&m, (uint32_t)bits));
    }
    if (!load(&module, &m, "test_soft_widths_atomics")) return;
    for (int bits = 8; bits <= 64; bits *= 2) {
        snprintf(name, sizeof name, "atomics_%d", bits);
        check_atomics(&module, name, bits, a, b, c, r);
    }
    zed_module_free(&module);
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, c);
    zed_free(&device, r);
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(integers_of_8_bits);
    RUN(integers_of_16_bits);
    RUN(integers_of_32_bits);
    RUN(integers_of_64_bits);
    RUN(groups_of_integers);
    RUN(groups_of_floats);
    RUN(floats_of_8_bits);
    RUN(atomics_of_integers);
    zed_close(&device);
    return test_report();
}
