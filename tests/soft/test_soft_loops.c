/* test_soft_loops.c - matrix products in loops of every shape. The software device may defer a loop's products until
 * there are many, and share loaded operands between subgroups. This must not be observable: not when the loop is left
 * early or never entered; when sums are used, scaled or stored in it; when it is nested or follows another; when
 * operands are loaded outside it or a step ahead; when their memory is overwritten in the meantime; at barriers; or
 * from launch to launch.
 *
 * A work-group is four subgroups, two by two, of 16 rows and 32 columns each; a step is 32 values of k (for 8 bits,
 * half a CPU tile). Every element is compared with a reference that does the steps in the same order in f64.
 */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

enum { STEP = 32, ROWS = 32, COLUMNS = 128, MOST_STEPS = 20, MOST_K = MOST_STEPS * STEP, TILES = 4 };
enum type { F16, BF16, I8, TYPES };
static const char *const type_names[] = {"f16", "bf16", "i8"};
static const char *const params_text = "ptr<u8> a, ptr<u8> b, ptr<u32> c, ptr<u32> control, u32 k";

enum loop {
    PLAIN,
    SCALED,         /* the sums, in every step */
    WHILE,          /* control[step] is 0: the loop is left at its head */
    LEFT_BEFORE,    /* the products, where control[step] is not 0 */
    LEFT_AFTER,     /* them */
    LONG,           /* the same, with so much else in the loop that the function is compiled in pieces */
    SKIPPED,        /* the products, there */
    IN_ANOTHER,     /* loop, twice */
    SCALED_BETWEEN, /* the rounds of that */
    TWO,            /* one loop after the other */
    STORED,         /* the sums, in every step */
    FIXED_A,        /* loaded before the loop */
    AHEAD,          /* operands are loaded for the next step */
    BARRIER,        /* in the loop */
    WRITTEN,        /* where B came from, right after its products; two rounds; each row of subgroups has a B */
    REORDERED,      /* each row of subgroups does the steps in its own order */
    FROM_C,         /* the sums begin; they end as 2 * sum + 1 */
    LOOPS
};
static const char *const loop_names[LOOPS] = {
    "plain", "scaled", "while",   "left_before", "left_after", "long",    "skipped",   "in_another", "scaled_between",
    "two",   "stored", "fixed_a", "ahead",       "barrier",    "written", "reordered", "from_c"};

static zed_device device;

static int bytes_of(enum type t) { return t == I8 ? 1 : 2; }

/* 8 bits: each loop has its own of the four that there are. */
static bool signed_a(enum loop loop) { return loop % 4 < 2; }
static bool signed_b(enum loop loop) { return loop % 2 == 0; }

/* ---- the kernels */

struct emitter {
    spe_module *m;
    enum type t;
    enum loop loop;
    spe_id a, b, row, column, sg_row, k, sum[TILES]; /* a, b: variables; sum i * 2 + j */
};

static spe_id constant(struct emitter *e, int v) { return spe_i32(e->m, v); }

static spe_id sum_type(struct emitter *e)
{
    return spe_vec(e->m, e->t == I8 ? spe_int(e->m, 32) : spe_float(e->m, 32), 8);
}

static void load_a(struct emitter *e, spe_id k)
{
    int bytes = bytes_of(e->t);
    spe_block2d block;
    memset(&block, 0, sizeof block);
    block.elem_bytes = (uint32_t)bytes;
    block.width = 32 / (uint32_t)bytes;
    block.height = 16;
    block.count = (uint32_t)bytes;
    block.ptr = spe_param_id(e->m, 0);
    block.mem_width = spe_imul(e->m, e->k, constant(e, bytes));
    block.mem_height = constant(e, ROWS);
    block.pitch = constant(e, MOST_K * bytes);
    block.pos_x = k;
    block.pos_y = e->row;
    spe_block2d_load(e->m, &block, e->a);
}

static spe_id own_b(struct emitter *e)
{
    spe_id b = spe_param_id(e->m, 1);
    if (e->loop != WRITTEN) return b;
    return spe_index(e->m, b, spe_imul(e->m, e->sg_row, constant(e, MOST_K * COLUMNS * bytes_of(e->t))));
}

static void load_b(struct emitter *e, spe_id k)
{
    int bytes = bytes_of(e->t);
    spe_block2d block;
    memset(&block, 0, sizeof block);
    block.elem_bytes = (uint32_t)bytes;
    block.width = 16;
    block.height = STEP;
    block.count = 2;
    block.ptr = own_b(e);
    block.mem_width = block.pitch = constant(e, COLUMNS * bytes);
    block.mem_height = e->k;
    block.pos_x = e->column;
    block.pos_y = k;
    spe_block2d_load_transform(e->m, &block, e->b);
}

static spe_id fragment(struct emitter *e, spe_id variable, spe_id type, int at)
{
    spe_id index = constant(e, at);
    return spe_load(e->m, spe_ptr_cast(e->m, spe_element(e->m, variable, 1, &index), type), 0);
}

static void multiply(struct emitter *e)
{
    spe_module *m = e->m;
    spe_id of_a = spe_vec(m, spe_int(m, 16), 8), of_b = spe_vec(m, spe_int(m, 32), 8);
    uint32_t flag = e->t == F16    ? SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedFloat16INTEL
                    : e->t == BF16 ? SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedBFloat16INTEL
                                   : SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedInt8INTEL;
    uint32_t sign_a = SPE_MatrixMultiplyAccumulateOperandsMatrixASignedComponentsINTEL;
    uint32_t sign_b = SPE_MatrixMultiplyAccumulateOperandsMatrixBSignedComponentsINTEL;
    uint32_t sign = (signed_a(e->loop) ? sign_a : 0) | (signed_b(e->loop) ? sign_b : 0);
    int deep = bytes_of(e->t);
    for (int t = 0; t < TILES; t++) {
        for (int f = 0; f < deep; f++) {
            spe_id a = fragment(e, e->a, of_a, f * 16 + t / 2 * 8), b = fragment(e, e->b, of_b, (t % 2 * deep + f) * 8);
            e->sum[t] = spe_dpas(m, sum_type(e), (uint32_t)(STEP / deep), a, b, e->sum[t],
                                 flag | flag << 1 | (e->t == I8 ? sign : 0));
        }
    }
}

static void step(struct emitter *e, spe_id k)
{
    if (e->loop != FIXED_A) load_a(e, k);
    load_b(e, k);
    multiply(e);
}

/* sum * factor + term */
static void change_sums(struct emitter *e, int factor, int term)
{
    spe_id type = sum_type(e);
    for (int t = 0; t < TILES; t++)
        e->sum[t] = e->t == I8 ? spe_iadd(e->m, spe_imul(e->m, e->sum[t], spe_const_i(e->m, type, factor)),
                                          spe_const_i(e->m, type, term))
                               : spe_fadd(e->m, spe_fmul(e->m, e->sum[t], spe_const_f(e->m, type, factor / 2.)),
                                          spe_const_f(e->m, type, term));
}

static spe_id place_of_sum(struct emitter *e, int t, int row)
{
    spe_id lane = spe_builtin(e->m, SPE_SUBGROUP_LANE, 0);
    spe_id at = spe_imul(e->m, spe_iadd(e->m, e->row, constant(e, t / 2 * 8 + row)), constant(e, COLUMNS));
    at = spe_iadd(e->m, at, spe_iadd(e->m, spe_iadd(e->m, e->column, constant(e, t % 2 * 16)), lane));
    return spe_ptr_cast(e->m, spe_index(e->m, spe_param_id(e->m, 2), at),
                        e->t == I8 ? spe_int(e->m, 32) : spe_float(e->m, 32));
}

static void store_sums(struct emitter *e)
{
    for (int t = 0; t < TILES; t++)
        for (int r = 0; r < 8; r++)
            spe_store(e->m, place_of_sum(e, t, r), spe_extract(e->m, e->sum[t], (uint32_t)r), 4);
}

static void begin_sums(struct emitter *e)
{
    for (int t = 0; t < TILES; t++) {
        spe_id rows[8];
        for (int r = 0; r < 8 && e->loop == FROM_C; r++) rows[r] = spe_load(e->m, place_of_sum(e, t, r), 4);
        e->sum[t] = e->loop == FROM_C ? spe_construct(e->m, sum_type(e), 8, rows)
                    : e->t == I8      ? spe_const_i(e->m, sum_type(e), t)
                                      : spe_const_f(e->m, sum_type(e), t);
    }
}

static spe_id control(struct emitter *e, spe_id k)
{
    spe_id at = spe_udiv(e->m, k, constant(e, STEP));
    return spe_ine(e->m, spe_load(e->m, spe_index(e->m, spe_param_id(e->m, 3), at), 4), constant(e, 0));
}

static void leave_where_told(struct emitter *e, spe_id k)
{
    spe_if(e->m, control(e, k));
    store_sums(e);
    spe_return(e->m);
    spe_endif(e->m, 0, NULL, NULL);
}

static void skip_where_told(struct emitter *e, spe_id k)
{
    spe_id before[TILES];
    memcpy(before, e->sum, sizeof before);
    spe_if(e->m, spe_lnot(e->m, control(e, k)));
    step(e, k);
    spe_endif_from(e->m, TILES, e->sum, before, e->sum);
}

/* The first column of the step's rows of B becomes 1, or 2 where numbers are integers. */
static void write_b(struct emitter *e, spe_id k)
{
    spe_module *m = e->m;
    int bytes = bytes_of(e->t);
    uint64_t one = e->t == F16 ? 0x3c00 : e->t == BF16 ? 0x3f80 : 2;
    for (int half = 0; half < 2; half++) {
        spe_id row = spe_iadd(m, spe_iadd(m, k, constant(e, half * 16)), spe_builtin(m, SPE_SUBGROUP_LANE, 0));
        spe_id at = spe_imul(m, spe_iadd(m, spe_imul(m, row, constant(e, COLUMNS)), e->column), constant(e, bytes));
        spe_id type = spe_int(m, 8 * (uint32_t)bytes);
        spe_store(m, spe_ptr_cast(m, spe_index(m, own_b(e), at), type), spe_const_u(m, type, one), (uint32_t)bytes);
    }
}

/* Steps 1 and 2 of each four are swapped in the second row of subgroups. */
static spe_id reorder(struct emitter *e, spe_id k)
{
    spe_module *m = e->m;
    spe_id at = spe_and(m, spe_udiv(m, k, constant(e, STEP)), constant(e, 3)),
           other = spe_imul(m, e->sg_row, constant(e, STEP));
    spe_id up = spe_select(m, spe_ieq(m, at, constant(e, 1)), other, constant(e, 0));
    return spe_isub(m, spe_iadd(m, k, up), spe_select(m, spe_ieq(m, at, constant(e, 2)), other, constant(e, 0)));
}

static void write_much(struct emitter *e, spe_id x)
{
    for (int i = 0; i < 4000; i++) x = spe_iadd(e->m, spe_imul(e->m, x, constant(e, 5)), constant(e, i));
}

static void body(struct emitter *e, spe_id k)
{
    if (e->loop == LONG) write_much(e, k);
    if (e->loop == LEFT_BEFORE) leave_where_told(e, k);
    if (e->loop == BARRIER) spe_barrier(e->m);
    if (e->loop == SKIPPED)
        skip_where_told(e, k);
    else if (e->loop == AHEAD)
        multiply(e);
    else
        step(e, e->loop == REORDERED ? reorder(e, k) : k);
    if (e->loop == WRITTEN) write_b(e, k);
    if (e->loop == SCALED) change_sums(e, e->t == I8 ? 3 : 1, 0);
    if (e->loop == STORED) store_sums(e);
    if (e->loop == LONG) write_much(e, k);
    if (e->loop == LEFT_AFTER || e->loop == LONG) leave_where_told(e, k);
    if (e->loop == AHEAD) {
        spe_id next = spe_iadd(e->m, k, constant(e, STEP));
        load_a(e, next);
        load_b(e, next);
    }
}

static void write_loop(struct emitter *e)
{
    spe_module *m = e->m;
    if (e->loop == WHILE) {
        spe_id carried[TILES + 1];
        memcpy(carried, e->sum, sizeof e->sum);
        carried[TILES] = constant(e, 0);
        spe_while(m, TILES + 1, carried);
        spe_while_test(m, spe_land(m, spe_slt(m, carried[TILES], e->k), spe_lnot(m, control(e, carried[TILES]))));
        memcpy(e->sum, carried, sizeof e->sum);
        step(e, carried[TILES]);
        memcpy(carried, e->sum, sizeof e->sum);
        carried[TILES] = spe_iadd(m, carried[TILES], constant(e, STEP));
        spe_endwhile(m, TILES + 1, carried);
        memcpy(e->sum, carried, sizeof e->sum);
        return;
    }
    spe_id k = spe_for(m, constant(e, 0), e->k, constant(e, STEP), TILES, e->sum);
    body(e, k);
    spe_endfor(m, TILES, e->sum);
}

static void write_kernel(struct emitter *e)
{
    spe_module *m = e->m;
    spe_id sg = spe_builtin(m, SPE_SUBGROUP_ID, 0);
    int deep = bytes_of(e->t);
    e->sg_row = spe_udiv(m, sg, constant(e, 2));
    e->row = spe_imul(m, e->sg_row, constant(e, 16));
    e->column = spe_iadd(m, spe_imul(m, spe_builtin(m, SPE_GROUP_ID, 0), constant(e, 64)),
                         spe_imul(m, spe_umod(m, sg, constant(e, 2)), constant(e, 32)));
    e->k = spe_param_id(m, 4);
    e->a = spe_local_var(m, spe_array(m, spe_int(m, 16), (uint32_t)(16 * deep)));
    e->b = spe_local_var(m, spe_array(m, spe_int(m, 32), (uint32_t)(16 * deep)));
    begin_sums(e);
    if (e->loop == FIXED_A || e->loop == AHEAD) load_a(e, constant(e, 0));
    if (e->loop == AHEAD) load_b(e, constant(e, 0));
    bool rounds = e->loop == IN_ANOTHER || e->loop == SCALED_BETWEEN || e->loop == WRITTEN;
    if (rounds) spe_for(m, constant(e, 0), constant(e, 2), constant(e, 1), TILES, e->sum);
    write_loop(e);
    if (e->loop == SCALED_BETWEEN) change_sums(e, e->t == I8 ? 3 : 1, 0);
    if (rounds) spe_endfor(m, TILES, e->sum);
    if (e->loop == TWO) write_loop(e);
    if (e->loop == FROM_C) change_sums(e, e->t == I8 ? 2 : 4, 1);
    store_sums(e);
}

/* In the sample each loop has one of the types of 16 bits, and half of them, of all signs, have 8 bits. */
static bool takes(enum type t, int loop)
{
    return t == I8 ? test_takes(loop + loop / 4 + 1, 2) : test_takes((int)t + loop, 2);
}

static void emit(spe_module *m, enum type t)
{
    spe_begin(m, NULL);
    for (int loop = 0; loop < LOOPS; loop++) {
        if (!takes(t, loop)) continue;
        static const uint32_t bits[] = {8, 8, 32, 32, 0};
        struct emitter e;
        spe_param params[5];
        spe_kernel kernel;
        memset(&e, 0, sizeof e);
        memset(&kernel, 0, sizeof kernel);
        memset(params, 0, sizeof params);
        for (int i = 0; i < 5; i++)
            params[i].type = bits[i] ? spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, bits[i])) : spe_int(m, 32);
        e.m = m;
        e.t = t;
        e.loop = (enum loop)loop;
        kernel.name = loop_names[loop];
        kernel.params = params;
        kernel.param_count = 5;
        kernel.subgroup_size = 16;
        kernel.local_size[0] = 64;
        kernel.local_size[1] = kernel.local_size[2] = 1;
        spe_kernel_begin(m, &kernel);
        write_kernel(&e);
        spe_kernel_end(m);
    }
}

/* ---- numbers */

static uint8_t *memory_a, *memory_b;
static uint32_t *memory_c, *memory_control;
static double value_a[ROWS][MOST_K], value_b[MOST_K][COLUMNS], start_c[ROWS][COLUMNS];

static double random_value(enum type t, bool is_signed, void *to)
{
    float x = (float)test_normal();
    uint16_t bits = t == F16 ? spe_f32_to_f16_bits(x) : spe_f32_to_bf16_bits(x);
    uint8_t byte = (uint8_t)test_random();
    memcpy(to, t == I8 ? (void *)&byte : (void *)&bits, (size_t)bytes_of(t));
    return t == I8    ? is_signed ? (double)(int8_t)byte : (double)byte
           : t == F16 ? (double)spe_f16_bits_to_f32(bits)
                      : (double)spe_bf16_bits_to_f32(bits);
}

static void fill(enum type t, enum loop loop)
{
    size_t bytes = (size_t)bytes_of(t), all = (size_t)MOST_K * COLUMNS * bytes;
    uint8_t *a = memory_a, *b = memory_b;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < MOST_K; k++, a += bytes) value_a[i][k] = random_value(t, signed_a(loop), a);
    for (int k = 0; k < MOST_K; k++)
        for (int j = 0; j < COLUMNS; j++, b += bytes) value_b[k][j] = random_value(t, signed_b(loop), b);
    memcpy(memory_b + all, memory_b, all);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        float x = (float)test_normal();
        memory_c[i] = (uint32_t)test_random();
        if (t != I8) memcpy(&memory_c[i], &x, sizeof x);
        start_c[i / COLUMNS][i % COLUMNS] = t == I8 ? (double)memory_c[i] : (double)x;
    }
}

/* The reference: a sum, and the bound of its terms. */
struct sum {
    double value, size;
};

static void add_step(struct sum *s, enum loop loop, int i, int j, int k, int limit, double one)
{
    for (int x = k; x < k + STEP && x < limit; x++) {
        double b = one != 0 ? one : value_b[x][j], p = value_a[i][loop == FIXED_A ? x - k : x] * b;
        s->value += p;
        s->size += fabs(p);
    }
}

static void change(enum type t, struct sum *s, double factor, double term)
{
    s->value = s->value * factor + term;
    s->size = s->size * factor + fabs(term);
    if (t == I8) s->value = (double)(uint32_t)(int64_t)fmod(s->value, 4294967296.);
}

static void reference_round(struct sum *s, enum type t, enum loop loop, int i, int j, int limit, int round)
{
    double one = loop == WRITTEN && round == 1 && j % 32 == 0 ? (t == I8 ? 2 : 1) : 0;
    for (int k = 0; k < limit; k += STEP) {
        bool told = memory_control[k / STEP] != 0;
        if (told && (loop == WHILE || loop == LEFT_BEFORE)) return;
        if (!told || loop != SKIPPED) add_step(s, loop, i, j, k, limit, one);
        if (loop == SCALED) change(t, s, t == I8 ? 3 : 0.5, 0);
        if (told && (loop == LEFT_AFTER || loop == LONG)) return;
    }
    if (loop == SCALED_BETWEEN) change(t, s, t == I8 ? 3 : 0.5, 0);
}

static struct sum reference(enum type t, enum loop loop, int i, int j, int limit)
{
    double start = loop == FROM_C ? start_c[i][j] : i % 16 / 8 * 2 + j % 32 / 16;
    struct sum s = {start, fabs(start)};
    bool twice = loop == IN_ANOTHER || loop == SCALED_BETWEEN || loop == WRITTEN || loop == TWO;
    for (int round = 0; round < 1 + twice; round++) reference_round(&s, t, loop, i, j, limit, round);
    if (loop == FROM_C) change(t, &s, 2, 1);
    return s;
}

static void check(enum type t, enum loop loop, int limit)
{
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            struct sum s = reference(t, loop, i, j, limit);
            uint32_t bits = memory_c[i * COLUMNS + j];
            float got;
            memcpy(&got, &bits, sizeof got);
            /* each product, and each step's sum, is rounded once or twice; denormals may be lost */
            double most = (2. * limit * 1.1 + 8) * 0x1p-24 * s.size + 0x1p-100;
            bool good = t == I8 ? bits == (uint32_t)(int64_t)s.value : fabs((double)got - s.value) <= most;
            CHECK_MSG(good, "%s, %s, k %d: (%d, %d) is %.9g, want %.17g", type_names[t], loop_names[loop], limit, i, j,
                      t == I8 ? (double)bits : (double)got, s.value);
        }
    }
}

static void run_loop(zed_module *module, enum type t, enum loop loop, int limit)
{
    zed_kernel kernel;
    fill(t, loop);
    if (loop != FROM_C) memset(memory_c, 0xa5, ROWS * COLUMNS * sizeof *memory_c);
    if (zed_kernel_get(&kernel, module, loop_names[loop], params_text))
        zed_launch(&kernel, (zed_groups){COLUMNS / 64, 1, 1}, memory_a, memory_b, memory_c, memory_control,
                   (uint32_t)limit);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
    if (zed_get_error(&device)->id == 0) check(t, loop, limit);
}

static void run_type(enum type t)
{
    /* no step; one; three and a half; as many as are deferred together, one more, some more */
    static const int limits[] = {0, STEP, 3 * STEP + STEP / 2, 8 * STEP, 9 * STEP, 19 * STEP};
    static char name[32];
    spe_module m;
    zed_module module;
    emit(&m, t);
    spe_words w = spe_finish(&m);
    CHECK_MSG(w.data, "%s", spe_get_error(&m)->text);
    if (!w.data) return;
    snprintf(name, sizeof name, "test_soft_loops_%s", type_names[t]);
    test_save_spv(name, w.data, w.count * 4);
    bool loaded = zed_module_load(&module, &device, w.data, w.count * 4, NULL);
    CHECK_MSG(loaded, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
    for (int loop = 0; loop < LOOPS && loaded; loop++) {
        for (size_t l = 0; takes(t, loop) && l < sizeof limits / sizeof *limits; l++) {
            memset(memory_control, 0, MOST_STEPS * sizeof *memory_control);
            memory_control[test_random() % 4] = 1;
            memory_control[4 + test_random() % 16] = 1;
            run_loop(&module, t, (enum loop)loop, limits[l]);
        }
    }
    spe_free(&m);
}

TEST(loops_of_f16) { run_type(F16); }
TEST(loops_of_bf16) { run_type(BF16); }
TEST(loops_of_i8) { run_type(I8); }

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    memory_a = (uint8_t *)zed_alloc(&device, ZED_SHARED, ROWS * MOST_K * 2, 64);
    memory_b = (uint8_t *)zed_alloc(&device, ZED_SHARED, 2 * MOST_K * COLUMNS * 2, 64);
    memory_c = (uint32_t *)zed_alloc(&device, ZED_SHARED, ROWS * COLUMNS * 4, 64);
    memory_control = (uint32_t *)zed_alloc(&device, ZED_SHARED, MOST_STEPS * 4, 64);
    if (memory_a && memory_b && memory_c && memory_control) {
        RUN(loops_of_f16);
        RUN(loops_of_bf16);
        RUN(loops_of_i8);
    }
    zed_close(&device);
    return test_report();
}
