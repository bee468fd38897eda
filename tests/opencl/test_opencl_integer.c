/* test_opencl_integer.c - integer operators and functions of OpenCL C: every width, signed and unsigned, every vector
 * size, exact, against C on 128-bit integers (64-bit ones with care if there are none).
 */
#include "opencl.h"

__extension__ typedef __int128 wide; /* gcc and clang support it on every 64-bit CPU */

static zed_module varying_modules[2], uniform_modules[2], *operators = &varying_modules[0],
                                                          *functions = &varying_modules[1];
static bool uniform; /* work-groups of one item, in modules where all values are uniform */

enum { ITEMS = 37, MOST = ITEMS * 16, PLANES = 15 };

/* A type by its width and sign. */
typedef struct {
    const char *name;
    int bits;
    bool is_signed;
} int_type;

typedef wide reference_fn(int, wide, wide, wide, int_type);

static wide wrap(wide v, int_type t)
{
    uint64_t u = (uint64_t)v & (~(uint64_t)0 >> (64 - t.bits));
    if (t.is_signed && u >> (t.bits - 1)) return (wide)u - ((wide)1 << t.bits);
    return (wide)u;
}

static wide get(const void *p, size_t i, int_type t)
{
    switch (t.bits) {
    case 8: return wrap(((const uint8_t *)p)[i], t);
    case 16: return wrap(((const uint16_t *)p)[i], t);
    case 32: return wrap(((const uint32_t *)p)[i], t);
    default: return wrap((wide)((const uint64_t *)p)[i], t);
    }
}

static wide saturate(wide v, int_type t)
{
    wide least = t.is_signed ? -((wide)1 << (t.bits - 1)) : 0, most = ((wide)1 << (t.bits - t.is_signed)) - 1;
    return v < least ? least : v > most ? most : v;
}

static wide absolute(wide v) { return v < 0 ? -v : v; }

static wide operator_result(int op, wide x, wide y, wide z, int_type t)
{
    wide odd = wrap(y | 1, t), shift = y & (t.bits - 1);
    switch (op) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return (wide)((uint64_t)x * (uint64_t)y);
    case 3: return x / odd;
    case 4: return x % odd;
    case 5: return (x & y) | (~x & z);
    case 6: return x ^ y;
    case 7: return -x;
    case 8: return (wide)((uint64_t)x << shift);
    case 9: return x >> shift;
    case 10: return x < y ? y : z;
    case 11: return (x & 3) == (y & 3) ? x : z;
    case 12: return x >= y || !(z & 1) ? x : y;
    default: return (x + y) * 2 - z + 1;
    }
}

static int count_bits(uint64_t v)
{
    int n = 0;
    for (; v; v &= v - 1) n++;
    return n;
}

static wide rotated(uint64_t x, int by, int bits)
{
    uint64_t all = ~(uint64_t)0 >> (64 - bits);
    x &= all;
    return by ? (wide)((x << by | x >> (bits - by)) & all) : (wide)x;
}

/* Products of 64-bit unsigned values need all 128 bits. */
static wide high_half(wide x, wide y, int_type t)
{
    __extension__ unsigned __int128 product = (unsigned __int128)x * (unsigned __int128)y;
    return t.is_signed ? (x * y) >> t.bits : (wide)(product >> t.bits);
}

static wide function_result(int op, wide x, wide y, wide z, int_type t)
{
    uint64_t bits = (uint64_t)x & (~(uint64_t)0 >> (64 - t.bits));
    wide low = y < z ? y : z, high = y < z ? z : y;
    int n = 0;
    switch (op) {
    case 0: return absolute(x);
    case 1: return absolute(x - y);
    case 2: return saturate(x + y, t);
    case 3: return saturate(x - y, t);
    case 4: return (x + y) >> 1;
    case 5: return (x + y + 1) >> 1;
    case 6: return x < low ? low : x > high ? high : x;
    case 7:
        while (n < t.bits && !(bits >> (t.bits - 1 - n) & 1)) n++;
        return n;
    case 8:
        while (n < t.bits && !(bits >> n & 1)) n++;
        return n;
    case 9: return high_half(x, y, t) + z;
    case 10: return x > 0 && y > ((wide)1 << 100) / x ? saturate((wide)1 << 65, t) : saturate(x * y + z, t);
    case 11: return high_half(x, y, t);
    case 12: return rotated(bits, (int)(y & (t.bits - 1)), t.bits);
    case 13: return count_bits(bits);
    default: return saturate((x & 7) * (y >> 4) + z, t);
    }
}

/* One kernel; `planes` is the set of those it writes. The items fill no subgroup, for which the software device
 * compiles each kernel once more; in the sample that is so for one kernel of three. */
static void run_kernel(zed_module *m, const char *prefix, int_type t, int size, uint32_t planes,
                       reference_fn *reference)
{
    static int turn;
    const uint32_t items = test_takes(turn++, 3) ? ITEMS : 32;
    size_t bytes = (size_t)t.bits / 8, all = MOST * bytes * PLANES;
    char name[40], *text = name + snprintf(name, sizeof name, "%s_%s", prefix, t.name);
    uint32_t count = items * (uint32_t)size;
    void *a = ocl_buffer(MOST * bytes), *b = ocl_buffer(MOST * bytes), *c = ocl_buffer(MOST * bytes),
         *r = ocl_buffer(all);
    if (size != 1) snprintf(text, 4, "%d", size);
    ocl_fill_bits(a, t.bits, MOST);
    ocl_fill_bits(b, t.bits, MOST);
    ocl_fill_bits(c, t.bits, MOST);
    OCL_RUN(m, name, "ptr<u8> a, ptr<u8> b, ptr<u8> c, ptr<u8> r, u32 count", uniform ? items : 1, uniform ? 1 : items,
            a, b, c, r, count);
    for (int p = 0; p < PLANES; p++) {
        for (size_t e = 0; planes >> p & 1 && e < count; e++) {
            wide x = get(a, e, t), y = get(b, e, t), z = get(c, e, t), got = get(r, (size_t)p * count + e, t);
            wide want = wrap(reference(p, x, y, z, t), t);
            CHECK_MSG(got == want, "%s plane %d: (%lld, %lld, %lld) gives %lld, want %lld", name, p, (long long)x,
                      (long long)y, (long long)z, (long long)got, (long long)want);
        }
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(c);
    ocl_free(r);
}

static void run_operators(int_type t, int size)
{
    run_kernel(operators, "ops", t, 1, 0x3fff, operator_result);
    run_kernel(operators, "ops", t, size, 1u << 0 | 1u << 2 | 1u << 9 | 1u << 12, operator_result);
}

static void run_functions(int_type t, int size)
{
    run_kernel(functions, "fun", t, 1, 0x7fff, function_result);
    run_kernel(functions, "fun", t, size, 1u << 2 | 1u << 6 | 1u << 12, function_result);
}

/* Type, width, signed; the vector sizes that the two modules have. */
#define TYPES(X)                                                                                                       \
    X(char, 8, true, 16, 2) X(uchar, 8, false, 3, 4) X(short, 16, true, 2, 16) X(ushort, 16, false, 8, 3)              \
    X(int, 32, true, 3, 8) X(uint, 32, false, 4, 2) X(long, 64, true, 2, 4) X(ulong, 64, false, 8, 3)
#define MAKE_TESTS(T, bits, is_signed, n, m)                                                                           \
    TEST(operators_##T) { run_operators((int_type){#T, bits, is_signed}, n); }                                         \
    TEST(functions_##T) { run_functions((int_type){#T, bits, is_signed}, m); }
TYPES(MAKE_TESTS)

/* Half of the elements by scalars, then all of them by vectors of four. */
static void upsample(int_type t, int_type low)
{
    int_type to = {"", t.bits * 2, t.is_signed};
    char name[40];
    uint32_t items = 21;
    void *a = ocl_buffer(4 * 21 * 4), *b = ocl_buffer(4 * 21 * 4), *r = ocl_buffer(5 * 21 * 8);
    ocl_fill_bits(a, t.bits, 4 * items);
    ocl_fill_bits(b, t.bits, 4 * items);
    snprintf(name, sizeof name, "upsample_%s", t.name);
    OCL_RUN(functions, name, "ptr<u8> a, ptr<u8> b, ptr<u8> r, u32 count", uniform ? items : 1, uniform ? 1 : items, a,
            b, r, items);
    for (size_t i = 0; i < 5 * items; i++) {
        size_t e = i < items ? i : i - items;
        wide want = wrap((wide)((uint64_t)get(a, e, t) << t.bits | (uint64_t)get(b, e, low)), to), got = get(r, i, to);
        CHECK_MSG(got == want, "%s element %zu: %lld, want %lld", name, i, (long long)got, (long long)want);
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(r);
}

TEST(upsampling)
{
    static const int_type types[] = {{"char", 8, true}, {"uchar", 8, false}, {"short", 16, true}, {"ushort", 16, false},
                                     {"int", 32, true}, {"uint", 32, false}};
    for (int i = 0; i < 6; i++) upsample(types[i], types[i | 1]);
}

/* Operands of 24 bits: others are implementation-defined. */
TEST(fast_24_bit_products)
{
    enum { COUNT = 64 };
    int32_t *a = (int32_t *)ocl_buffer(COUNT * 4), *b = (int32_t *)ocl_buffer(COUNT * 4),
            *c = (int32_t *)ocl_buffer(COUNT * 4);
    int32_t *r = (int32_t *)ocl_buffer(COUNT * 8);
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        for (int i = 0; i < COUNT; i++) {
            int32_t shift = is_signed ? 1 << 23 : 0;
            a[i] = (int32_t)(test_random() & 0xffffff) - shift;
            b[i] = (int32_t)(test_random() & 0xffffff) - shift;
            c[i] = (int32_t)test_random();
        }
        OCL_RUN(functions, is_signed ? "fast24_int" : "fast24_uint",
                "ptr<i32> a, ptr<i32> b, ptr<i32> c, ptr<i32> r, u32 count", uniform ? COUNT : 2,
                uniform ? 1 : COUNT / 2, a, b, c, r, COUNT);
        for (int i = 0; i < COUNT; i++) {
            CHECK_INT(r[i], (int32_t)((uint32_t)a[i] * (uint32_t)b[i]));
            CHECK_INT(r[COUNT + i], (int32_t)((uint32_t)a[i] * (uint32_t)b[i] + (uint32_t)c[i]));
        }
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(c);
    ocl_free(r);
}

#define RUN_OPERATORS(T, bits, is_signed, n, m) RUN(operators_##T);
#define RUN_FUNCTIONS(T, bits, is_signed, n, m) RUN(functions_##T);
#define CALL_BOTH(T, bits, is_signed, n, m) test_case_operators_##T(), test_case_functions_##T();

TEST(uniform_values)
{
    operators = &uniform_modules[0];
    functions = &uniform_modules[1];
    uniform = true;
    TYPES(CALL_BOTH)
    test_case_upsampling();
    test_case_fast_24_bit_products();
}

TEST(modules_load)
{
    ocl_load(&varying_modules[0], "integer");
    ocl_load(&varying_modules[1], "integer_functions");
    ocl_load(&uniform_modules[0], "integer_uniform");
    ocl_load(&uniform_modules[1], "integer_functions_uniform");
}

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(modules_load);
    TYPES(RUN_OPERATORS)
    TYPES(RUN_FUNCTIONS)
    RUN(upsampling);
    RUN(fast_24_bit_products);
    RUN(uniform_values);
    zed_close(&ocl_device);
    return test_report();
}
