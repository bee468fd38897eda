/* test_coopmatrix_random.c - operations chosen at random, with random types, uses, shapes and memory layouts, for
 * random targets, lowerings and subgroup sizes (8, 16 and 32), a dozen to a kernel; see coopmatrix_cases.h.
 *
 *     RANDOM_PROGRAMS=1000 RANDOM_SEED=7 build/test_coopmatrix_random     more of them (one is a kernel)
 */
#include "coopmatrix_cases.h"

#include "random_choices.h"

static const cm_type real_types[] = {CM_F32, CM_F16, CM_BF16, CM_F64, CM_TF32, CM_E4M3, CM_E5M2, CM_I8,
                                     CM_U8,  CM_I16, CM_U16,  CM_I32, CM_U32,  CM_I64,  CM_U64};

static bool is_int(cm_type type) { return cm_type_info(type)->kind == CM_KIND_INT; }

static int random_rows(void) { return 1 << below(7); }

/* Do rows x cols elements of 2 times the stride they need fit into a slot? */
static bool fits(int rows, int cols, cm_type type)
{
    int most = rows > cols ? rows : cols;
    return (2 * rows * cols + 4 * most) * cm_type_info(type)->bytes <= SLOT;
}

static mode random_mode(int rows, int cols)
{
    mode m;
    memset(&m, 0, sizeof m);
    m.transposed = chance(40);
    m.cut = chance(50) ? 0 : below(4);
    if (chance(60)) return m;
    m.stride_row = 1 + below(2);
    m.stride_col = m.stride_row * (m.transposed ? cols : rows) + below(3);
    return m;
}

/* ---- operations: each sets what its case needs beyond a type, a shape and a use, or returns false */

static bool choose_binary(op_case *t)
{
    t->op = below(CM_SHR + 1);
    if (cm_is_complex(t->a)) return t->op <= CM_DIV;
    if (t->op == CM_REM && is_f8(t->a)) return false; /* many divisors are 0 */
    return t->op < CM_AND || is_int(t->a);
}

static bool choose_unary(op_case *t)
{
    static const int complex_ops[] = {CM_NEG, CM_CONJ, CM_ABS, CM_EXP, CM_EXP2}, int_ops[] = {CM_NEG, CM_NOT, CM_ABS};
    if (cm_is_complex(t->a)) {
        t->op = ONE_OF(complex_ops);
        if (t->op == CM_ABS) t->d = t->a == CM_C32 ? CM_F32 : CM_F64;
        return true;
    }
    t->op = is_int(t->a) ? ONE_OF(int_ops) : below(CM_UNARY_COUNT_);
    if (t->a != CM_F32 && t->a != CM_F16 && t->a != CM_BF16 && !is_int(t->a)) t->op = chance(50) ? CM_NEG : CM_SQRT;
    t->numbers = t->op == CM_ABS ? POSITIVE : domain_of(t->op);
    return is_int(t->a) || (t->op != CM_NOT && t->op != CM_CONJ);
}

static bool choose_conversion(op_case *t)
{
    if (cm_is_complex(t->a)) {
        t->d = chance(50) ? CM_C32 : CM_C64;
        return true;
    }
    t->d = ONE_OF(real_types);
    if (is_int(t->d)) t->saturate = chance(50);
    if (is_int(t->d) && !is_int(t->a)) {
        t->rounding = (cm_rounding)below(CM_ROUND_DOWN + 1);
        if (!t->saturate && !cm_type_info(t->d)->is_signed) t->numbers = POSITIVE;
        if (t->saturate && chance(50)) t->numbers = LARGE;
    }
    return true;
}

static bool choose_product(op_case *t)
{
    const cm_product *row;
    t->a = ONE_OF(real_types);
    t->b = chance(70) ? t->a : ONE_OF(real_types);
    t->c = chance(50) ? CM_F32 : ONE_OF(real_types);
    if (is_int(t->a) && chance(50)) t->c = CM_I32;
    row = cm_product_row(t->a, t->b);
    if (!row || !cm_product_takes(row, t->c)) return false;
    if (t->c == CM_F16 || t->c == CM_BF16) return false; /* the matrix instruction may round between products */
    if (is_int(t->a) != is_int(t->c)) return false;      /* sums wrap before they become floats */
    t->d = t->c;
    t->N = 1 + below(10);
    t->K = 1 << below(6);
    t->rows = t->M, t->cols = t->N;
    t->use = t->use_d = CM_ACC;
    t->without_c = chance(30);
    if (row->acc == CM_I32 && cm_type_info(t->c)->bytes == 8) t->without_c = false; /* sums wrap without a wider C */
    return t->M * t->K <= 1024;
}

static bool choose_saturating(op_case *t)
{
    static const cm_type narrow[] = {CM_I8, CM_U8, CM_I16, CM_U16};
    if (!choose_product(t)) return false;
    t->a = ONE_OF(narrow);
    t->b = chance(50) ? t->a : ONE_OF(narrow);
    t->c = CM_I32;
    t->d = chance(50) ? CM_I32 : ONE_OF(narrow);
    return cm_product_row(t->a, t->b) && cm_product_takes(cm_product_row(t->a, t->b), t->c);
}

static bool choose_reduction(op_case *t)
{
    static const cm_op ops[] = {CM_ADD, CM_MIN, CM_MAX};
    t->op = ONE_OF(ops);
    t->by = (cm_direction)below(2);
    *(t->by == CM_BY_ROW ? &t->cols : &t->rows) = 1;
    return t->op == CM_ADD || !cm_is_complex(t->a);
}

static bool choose_repetition(op_case *t)
{
    t->rows = random_rows();
    t->cols = 1 + below(16);
    return true;
}

/* TRANSPOSE and LOCAL, whose result's rows are A's columns. */
static bool choose_turn(op_case *t)
{
    t->cols = t->M;
    t->rows = t->N = 1 << below(5);
    t->use_d = (cm_use)below(3);
    return true;
}

static bool choose_use(op_case *t)
{
    t->use_d = (cm_use)below(3);
    return true;
}

static bool choose_copy(op_case *t)
{
    t->op = below(5);
    return true;
}

static bool choose_real(op_case *t) { return !cm_is_complex(t->a); }
static bool choose_any(op_case *t) { return t != NULL; }

static bool choose_atomic(op_case *t)
{
    if (cm_is_complex(t->a)) return t->what <= ATOMIC_ADD;
    return cm_type_info(t->a)->bytes >= 4 && t->a != CM_TF32;
}

static bool (*const choose[])(op_case *) = {
    choose_binary,    choose_unary,   choose_conversion, choose_real,   choose_real,   choose_turn,  choose_repetition,
    choose_reduction, choose_product, choose_saturating, choose_any,    choose_use,    choose_any,   choose_turn,
    choose_copy,      choose_atomic,  choose_atomic,     choose_atomic, choose_atomic, choose_atomic};

/* Tries to add a case. */
static void add_random(void)
{
    op_case *t = add(&cases, (kind)below(ATOMIC_MAX + 1), 0, random_rows(), 1 + below(24),
                     chance(10) ? chance(50) ? CM_C32 : CM_C64 : ONE_OF(real_types), (cm_use)below(3));
    bool good = choose[t->what](t);
    if (chance(50)) t->in = random_mode(t->M, t->what == PRODUCT || t->what == SATURATING ? t->K : t->N);
    if (chance(50)) t->out = random_mode(t->rows, t->cols);
    if (t->what >= ATOMIC_LOAD) t->in.stride_row = t->in.stride_col = 0; /* like those of C */
    if (t->what == SPLAT) t->in.cut = 0;
    t->dealt = t->what < SPLAT && t->what != LOCAL && chance(20) && !t->in.stride_row && !t->out.stride_row &&
               !t->in.transposed && !t->out.transposed && !t->in.cut && !t->out.cut;
    if (!good || !fits(t->M, t->K > t->N ? t->K : t->N, t->a) || !fits(t->rows, t->cols, t->d) ||
        !fits(t->K, t->N, t->b) || !fits(t->M, t->N, t->c))
        cases.count--;
}

static void make_program(void)
{
    cases.count = 0;
    while (cases.count < KERNEL_CASES) add_random();
    for (int i = 0; i < cases.count; i++) cases.list[i].opens = i == 0;
}

static void run_program(uint64_t seed)
{
    static const char *const targets[] = {"soft", "bmg", "pvc", "dg2", "generic"};
    static const int sizes[] = {8, 16, 32};
    char name[64];
    const char *target;
    cm_lowering lowering;
    int S;
    test_.random = seed;
    do target = ONE_OF(targets), S = ONE_OF(sizes);
    while (!(cm_target_row(target)->subgroup_sizes & (uint32_t)S));
    lowering = chance(30) ? CM_PLAIN : CM_AUTO;
    make_program();
    snprintf(name, sizeof name, "%llu_%s_%d%s", (unsigned long long)seed, target, S,
             lowering == CM_PLAIN ? "_plain" : "");
    if (getenv("RANDOM_PRINT")) printf("%s\n", name), fflush(stdout);
    run_group(name, target, S, lowering, &cases);
}

TEST(random_operations)
{
    uint64_t seed = setting("RANDOM_SEED", 9000), count = setting("RANDOM_PROGRAMS", test_thorough() ? 10 : 3);
    for (uint64_t i = 0; i < count; i++) {
        int before = test_.failures_here;
        run_program(seed + i);
        if (test_.failures_here > before) printf("    these were of seed %llu\n", (unsigned long long)(seed + i));
        if (getenv("RANDOM_PRINT")) test_.failures_here = 0;
    }
}

/* For subgroups of 64, which AMD's GPUs have and no device here: modules for spirv-val, not executed. */
TEST(modules_for_64_lanes)
{
    uint64_t seed = setting("RANDOM_SEED", 9100), count = setting("RANDOM_PROGRAMS", test_thorough() ? 30 : 2);
    for (uint64_t i = 0; i < count; i++) {
        char name[64];
        test_.random = seed + i;
        make_program();
        snprintf(name, sizeof name, "%llu_64_lanes", (unsigned long long)(seed + i));
        run_group(name, "vulkan", 64, CM_AUTO, &cases);
    }
}

int main(void)
{
    cases_test = "test_coopmatrix_random";
    have_device = zed_open(&device, NULL);
    if (!have_device) printf("no device: %s\n", zed_get_error(&device)->text);
    RUN(random_operations);
    RUN(modules_for_64_lanes);
    zed_close(&device);
    return test_report();
}
