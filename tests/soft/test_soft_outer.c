/* test_soft_outer.c - matrix products written as multiplications, additions and broadcasts: every type, many shapes,
 * vectors of 1 to 8 components, operands in either order. Also code that cannot be converted to one product, or not
 * completely: intermediate sums that are stored, lanes in irregular order, operands with other uses, chains that form
 * no grid, masked lanes. And operands that lie one after the other in memory, where the product may read them, unless
 * they are overwritten first. All sums are checked. The operands are small integers, so every type is exact. */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

enum { MAX_ROWS = 4, MAX_COLUMNS = 4, MAX_STEPS = 32, MAX_WIDTH = 8, MAX_SUMS = MAX_ROWS * MAX_COLUMNS };
static zed_device device;

enum type { F32, F64, U16, U32, U64, TYPES };
static const char *const type_names[TYPES] = {"f32", "f64", "u16", "u32", "u64"};
static const int type_bytes[TYPES] = {4, 8, 2, 4, 8};

/* Variants of the kernel. */
enum more {
    NOTHING,
    LOOKS = 1,      /* at the sums of the first row, half-way */
    SCRAMBLES = 2,  /* the lanes that B's elements are in */
    KEEPS = 4,      /* a product, which it stores */
    LEAVES_OUT = 8, /* the first sum */
    MASKS = 16,     /* every fourth lane */
    FROM_ZERO = 32,
    TRANSPOSES = 64, /* the operands of all additions and multiplications */
    TWICE = 128,
    FROM_CONSTANTS = 256, /* n in all components of sum n */
    OLD = 512,            /* SPIR-V 1.2, whose broadcasts in subgroups are OpGroupBroadcast */
    FOLLOWS = 1024,       /* addresses are a constant number of elements after the first, so operands need no copies */
    OVERWRITES = 2048,    /* with zeros, all operands between their loads and the products */
    BACKWARDS = 4096      /* A and B: the last vectors first */
};

struct shape {
    int S, rows, columns, steps, width;
    unsigned more;
};

/* The lane and source of B's element for component e in step k. Masks exclude every fourth lane. */
static int element_lane(const struct shape *s, int k, int e)
{
    int lane = s->more & SCRAMBLES ? (5 * k + 3 * e * e) % s->S : k % s->S;
    return s->more & MASKS && lane % 4 == 3 ? lane - 1 : lane;
}
static int sources(const struct shape *s) { return (s->steps + s->S - 1) / s->S * s->width; }
static int element_source(const struct shape *s, int k, int e) { return k / s->S * s->width + e; }
static bool has(const struct shape *s, int i, int j) { return !(s->more & LEAVES_OUT) || i || j; }

/* ---- the kernel: parameters a, b, c; one subgroup. Vector n of a parameter is elements n S ... of it. */

struct kernel {
    spe_module *m;
    const struct shape *s;
    enum type type;
    spe_id scalar, vector, lane, first[3];
    spe_id x[MAX_ROWS][MAX_STEPS], y[MAX_COLUMNS][MAX_STEPS], sum[MAX_ROWS][MAX_COLUMNS];
};

/* Where vector n of A or B is. */
static int position(const struct shape *s, int n, int count) { return s->more & BACKWARDS ? count - 1 - n : n; }
static int position_in_a(const struct shape *s, int i, int step)
{
    return position(s, i * s->steps + step, s->rows * s->steps);
}
static int position_in_b(const struct shape *s, int j, int source)
{
    return position(s, j * sources(s) + source, s->columns * sources(s));
}

static spe_id place(struct kernel *k, uint32_t param, int n)
{
    if (k->s->more & FOLLOWS) return spe_index(k->m, k->first[param], spe_i32(k->m, n * k->s->S));
    spe_id at = spe_iadd(k->m, k->lane, spe_const_u(k->m, spe_type_of(k->m, k->lane), (uint64_t)(n * k->s->S)));
    return spe_index(k->m, spe_param_id(k->m, param), at);
}

static spe_id load(struct kernel *k, uint32_t param, int n) { return spe_load(k->m, place(k, param, n), 0); }

static void read_operands(struct kernel *k)
{
    spe_id b[MAX_COLUMNS][MAX_STEPS * MAX_WIDTH];
    for (int i = 0; i < k->s->rows; i++)
        for (int step = 0; step < k->s->steps; step++) k->x[i][step] = load(k, 0, position_in_a(k->s, i, step));
    for (int j = 0; j < k->s->columns; j++)
        for (int n = 0; n < sources(k->s); n++) b[j][n] = load(k, 1, position_in_b(k->s, j, n));
    for (int j = 0; j < k->s->columns; j++)
        for (int step = 0; step < k->s->steps; step++) {
            spe_id one[MAX_WIDTH];
            for (int e = 0; e < k->s->width; e++)
                one[e] = spe_sg_broadcast(k->m, b[j][element_source(k->s, step, e)],
                                          spe_i32(k->m, element_lane(k->s, step, e)));
            k->y[j][step] = k->s->width == 1 ? one[0] : spe_construct(k->m, k->vector, (uint32_t)k->s->width, one);
        }
}

static void overwrite(struct kernel *k, uint32_t param, int count)
{
    for (int n = 0; n < count; n++) spe_store(k->m, place(k, param, n), spe_null(k->m, k->scalar), 0);
}

static spe_id copies(struct kernel *k, spe_id x)
{
    spe_id all[MAX_WIDTH];
    for (int e = 0; e < k->s->width; e++) all[e] = x;
    return k->s->width == 1 ? x : spe_construct(k->m, k->vector, (uint32_t)k->s->width, all);
}

static void store_sum(struct kernel *k, int n, spe_id sum)
{
    for (int e = 0; e < k->s->width; e++)
        spe_store(k->m, place(k, 2, n * k->s->width + e),
                  k->s->width == 1 ? sum : spe_extract(k->m, sum, (uint32_t)e), 0);
}

static void add(struct kernel *k, int i, int j, int step)
{
    bool turned = k->s->more & TRANSPOSES;
    spe_id x = copies(k, k->x[i][step]), y = k->y[j][step], *sum = &k->sum[i][j];
    if (!has(k->s, i, j)) return;
    spe_id product = turned ? spe_mul(k->m, y, x) : spe_mul(k->m, x, y);
    *sum = turned ? spe_add(k->m, *sum, product) : spe_add(k->m, product, *sum);
    if (k->s->more & LOOKS && i == 0 && step == k->s->steps / 2) store_sum(k, k->s->rows * k->s->columns + j, *sum);
    if (k->s->more & KEEPS && step == 1 && !i && !j) store_sum(k, k->s->rows * k->s->columns, product);
}

static spe_id constant_sum(struct kernel *k, uint32_t n)
{
    return copies(k, k->type <= F64 ? spe_const_f(k->m, k->scalar, n) : spe_const_u(k->m, k->scalar, n));
}

static void write_sums(struct kernel *k)
{
    for (int i = 0; i < k->s->rows; i++)
        for (int j = 0; j < k->s->columns; j++) {
            spe_id one[MAX_WIDTH];
            for (int e = 0; e < k->s->width; e++) one[e] = load(k, 2, (i * k->s->columns + j) * k->s->width + e);
            k->sum[i][j] = k->s->more & FROM_ZERO        ? spe_null(k->m, k->vector)
                           : k->s->more & FROM_CONSTANTS ? constant_sum(k, (uint32_t)(i * k->s->columns + j))
                           : k->s->width == 1            ? one[0]
                                                         : spe_construct(k->m, k->vector, (uint32_t)k->s->width, one);
        }
    read_operands(k);
    if (k->s->more & OVERWRITES) {
        overwrite(k, 0, k->s->rows * k->s->steps);
        overwrite(k, 1, k->s->columns * sources(k->s));
    }
    for (int again = 0; again <= (k->s->more & TWICE ? 1 : 0); again++)
        for (int step = 0; step < k->s->steps; step++)
            for (int j = 0; j < k->s->columns; j++)
                for (int i = 0; i < k->s->rows; i++) add(k, i, j, step);
    for (int i = 0; i < k->s->rows; i++)
        for (int j = 0; j < k->s->columns; j++)
            if (has(k->s, i, j)) store_sum(k, i * k->s->columns + j, k->sum[i][j]);
}

static void emit(spe_module *m, enum type type, const struct shape *s)
{
    struct kernel k = {.m = m, .s = s, .type = type};
    spe_param params[3];
    spe_kernel d;
    uint32_t bits = 8 * (uint32_t)type_bytes[type];
    memset(params, 0, sizeof params);
    memset(&d, 0, sizeof d);
    k.scalar = type <= F64 ? spe_float(m, bits) : spe_int(m, bits);
    k.vector = s->width == 1 ? k.scalar : spe_vec(m, k.scalar, (uint32_t)s->width);
    for (int i = 0; i < 3; i++) params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, k.scalar);
    d.name = "product";
    d.params = params;
    d.param_count = 3;
    d.subgroup_size = (uint32_t)s->S;
    spe_kernel_begin(m, &d);
    k.lane = spe_builtin(m, SPE_LOCAL_ID, 0);
    for (uint32_t n = 0; n < 3; n++) k.first[n] = spe_index(m, spe_param_id(m, n), k.lane);
    if (s->more & MASKS) spe_if(m, spe_ine(m, spe_and(m, k.lane, spe_const_u(m, spe_type_of(m, k.lane), 3)),
                                           spe_const_u(m, spe_type_of(m, k.lane), 3)));
    write_sums(&k);
    if (s->more & MASKS) spe_endif(m, 0, NULL, NULL);
    spe_kernel_end(m);
}

/* ---- numbers */

static int64_t get(enum type t, const void *p, int n)
{
    switch (t) {
    case F32: return (int64_t)((const float *)p)[n];
    case F64: return (int64_t)((const double *)p)[n];
    case U16: return (int16_t)((const uint16_t *)p)[n];
    case U32: return (int32_t)((const uint32_t *)p)[n];
    default: return ((const int64_t *)p)[n];
    }
}

static void set(enum type t, void *p, int n, int v)
{
    switch (t) {
    case F32: ((float *)p)[n] = (float)v; break;
    case F64: ((double *)p)[n] = v; break;
    case U16: ((uint16_t *)p)[n] = (uint16_t)v; break;
    case U32: ((uint32_t *)p)[n] = (uint32_t)v; break;
    default: ((int64_t *)p)[n] = v;
    }
}

/* n numbers, aligned no better than their type. */
static void *numbers(enum type t, int n)
{
    char *p = zed_alloc(&device, ZED_SHARED, (uint64_t)((n + 1) * type_bytes[t]), 0);
    CHECK(p != NULL);
    p += type_bytes[t];
    for (int i = 0; i < n; i++) set(t, p, i, (int)(test_random() % 17) - 8);
    return p;
}

static void free_numbers(enum type t, void *p) { zed_free(&device, (char *)p - type_bytes[t]); }

static void *copy(const void *p, int bytes)
{
    void *to = malloc((size_t)bytes);
    CHECK(to != NULL);
    return memcpy(to, p, (size_t)bytes);
}

struct data {
    void *a, *b, *c, *before; /* a and b as they are before the launch */
};

/* The sum after this many steps, in all lanes that the mask does not exclude. */
static int64_t expected(const struct shape *s, enum type t, const struct data *d, int sum, int e, int lane, int steps)
{
    int i = sum / s->columns, j = sum % s->columns;
    int64_t total = s->more & FROM_ZERO        ? 0
                    : s->more & FROM_CONSTANTS ? sum
                                               : get(t, d->before, (sum * s->width + e) * s->S + lane);
    for (int n = 0; n < steps; n++) {
        int k = n % s->steps, source = position_in_b(s, j, element_source(s, k, e));
        total += get(t, d->a, position_in_a(s, i, k) * s->S + lane) *
                 get(t, d->b, source * s->S + element_lane(s, k, e));
    }
    return total;
}

static int count_wrong(const struct shape *s, enum type t, const struct data *d)
{
    int wrong = 0, sums = s->rows * s->columns;
    for (int n = 0; n < 2 * sums; n++)
        for (int e = 0; e < s->width; e++)
            for (int lane = 0; lane < s->S; lane++) {
                int at = (n * s->width + e) * s->S + lane;
                bool runs = !(s->more & MASKS) || lane % 4 != 3;
                int64_t want = get(t, d->before, at);
                if (n < sums && runs && has(s, n / s->columns, n % s->columns))
                    want = expected(s, t, d, n, e, lane, s->more & TWICE ? 2 * s->steps : s->steps);
                bool looks = s->more & LOOKS && n >= sums && n < sums + s->columns && has(s, 0, n - sums);
                if (looks && runs)
                    want = expected(s, t, d, n - sums, e, lane, s->steps / 2 + 1);
                if (n == sums && s->more & KEEPS && runs)
                    want = get(t, d->a, position_in_a(s, 0, 1) * s->S + lane) *
                           get(t, d->b, position_in_b(s, 0, element_source(s, 1, e)) * s->S + element_lane(s, 1, e));
                wrong += get(t, d->c, at) != want;
            }
    return wrong;
}

static void run(enum type t, const struct shape *s)
{
    spe_module m;
    zed_module module;
    zed_kernel kernel;
    struct data d;
    char name[64];
    int n = 2 * s->rows * s->columns * s->width * s->S;
    int in_a = s->rows * s->steps * s->S, in_b = s->columns * sources(s) * s->S;
    snprintf(name, sizeof name, "outer_%s_%d_%dx%dx%dx%d_%u", type_names[t], s->S, s->rows, s->columns, s->steps,
             s->width, s->more);
    spe_begin(&m, s->more & OLD ? &(spe_options){.version = SPE_VERSION(1, 2)} : NULL);
    emit(&m, t, s);
    spe_words w = spe_finish(&m);
    CHECK_MSG(w.data, "%s: %s", name, spe_get_error(&m)->text);
    if (w.data) test_save_spv(name, w.data, w.count * 4);
    void *a = numbers(t, in_a), *b = numbers(t, in_b), *c = numbers(t, n);
    d = (struct data){copy(a, in_a * type_bytes[t]), copy(b, in_b * type_bytes[t]), c, copy(c, n * type_bytes[t])};
    bool good = w.data && zed_module_load(&module, &device, w.data, w.count * 4, NULL);
    CHECK_MSG(good, "%s: %s %s", name, zed_get_error(&device)->text, zed_build_log(&device));
    if (good) {
        good = zed_kernel_get(&kernel, &module, "product", "ptr<u8> a, ptr<u8> b, ptr<u8> c") &&
               zed_local_size(&kernel, (uint32_t)s->S, 1, 1) &&
               zed_launch(&kernel, (zed_groups){1, 1, 1}, a, b, c);
        CHECK_MSG(good, "%s: %s", name, zed_get_error(&device)->text);
        int wrong = count_wrong(s, t, &d);
        CHECK_MSG(!wrong, "%s: %d of %d are wrong", name, wrong, n);
    }
    zed_clear_error(&device);
    zed_module_free(&module);
    spe_free(&m);
    free_numbers(t, a);
    free_numbers(t, b);
    free_numbers(t, c);
    free(d.a);
    free(d.b);
    free(d.before);
}

TEST(every_type)
{
    for (int t = 0; t < TYPES; t++) run((enum type)t, &(struct shape){16, 2, 2, 8, 8, NOTHING});
}

TEST(every_shape)
{
    static const struct shape shapes[] = {
        {16, 1, 1, 16, 8, NOTHING}, {16, 3, 1, 32, 4, NOTHING}, {16, 4, 4, 3, 2, NOTHING}, {16, 1, 4, 5, 3, NOTHING},
        {8, 2, 3, 9, 8, NOTHING},   {8, 3, 2, 4, 3, NOTHING},   {32, 2, 1, 32, 8, NOTHING}, {32, 1, 2, 20, 4, NOTHING},
        {16, 4, 4, 2, 1, NOTHING},  {16, 2, 4, 17, 3, NOTHING},
    };
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) /* in the sample, of each two one */
        if (test_takes((int)(n + n / 2), 2)) run(n % 2 ? F64 : F32, &shapes[n]);
}

TEST(other_orders)
{
    run(F32, &(struct shape){16, 2, 2, 8, 8, TRANSPOSES});
    run(F32, &(struct shape){16, 2, 2, 8, 4, FROM_ZERO});
    run(F64, &(struct shape){16, 1, 2, 16, 4, TWICE});
    run(U32, &(struct shape){16, 3, 2, 8, 4, TWICE | TRANSPOSES});
    run(F32, &(struct shape){16, 1, 1, 16, 8, FROM_CONSTANTS});
    run(U32, &(struct shape){16, 2, 2, 8, 4, FROM_CONSTANTS});
    run(F32, &(struct shape){16, 2, 2, 8, 8, OLD});
}

/* In the sample floats and integers take turns. */
TEST(what_is_no_single_product)
{
    static const struct shape shapes[] = {{16, 2, 2, 8, 8, LOOKS},
                                          {16, 2, 2, 8, 8, SCRAMBLES},
                                          {16, 2, 2, 8, 8, KEEPS},
                                          {16, 2, 2, 8, 4, LEAVES_OUT},
                                          {16, 2, 2, 8, 8, LEAVES_OUT | LOOKS}};
    for (int n = 0; n < 5; n++) {
        if (test_takes(n, 2)) run(F32, &shapes[n]);
        if (test_takes(n + 1, 2)) run(U32, &shapes[n]);
    }
}

TEST(under_a_mask)
{
    run(F32, &(struct shape){16, 2, 2, 8, 8, MASKS});
    run(F64, &(struct shape){16, 1, 2, 8, 4, MASKS | FROM_ZERO});
    run(F32, &(struct shape){16, 2, 2, 8, 8, MASKS | OLD});
    run(U64, &(struct shape){8, 2, 1, 8, 8, MASKS | LOOKS});
}

TEST(operands_in_memory)
{
    for (int t = 0; t < TYPES; t++) /* in the sample every other type, as every_type has all */
        if (test_takes(t, 2)) run((enum type)t, &(struct shape){16, 2, 2, 8, 8, FOLLOWS});
    run(F32, &(struct shape){16, 1, 2, 16, 8, FOLLOWS | FROM_ZERO});
    run(F32, &(struct shape){32, 2, 1, 32, 8, FOLLOWS});
    run(F64, &(struct shape){8, 3, 2, 9, 3, FOLLOWS | TWICE});
    run(F32, &(struct shape){16, 2, 2, 8, 8, FOLLOWS | BACKWARDS});
    run(F32, &(struct shape){16, 2, 2, 8, 8, FOLLOWS | OVERWRITES});
    run(U32, &(struct shape){16, 1, 2, 16, 8, FOLLOWS | OVERWRITES | FROM_ZERO});
    run(F32, &(struct shape){16, 2, 2, 8, 8, FOLLOWS | LOOKS});
    run(F32, &(struct shape){16, 2, 2, 8, 8, FOLLOWS | MASKS});
    run(F32, &(struct shape){16, 2, 2, 8, 8, FOLLOWS | SCRAMBLES});
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(every_type);
    RUN(every_shape);
    RUN(other_orders);
    RUN(what_is_no_single_product);
    RUN(under_a_mask);
    RUN(operands_in_memory);
    zed_close(&device);
    return test_report();
}
