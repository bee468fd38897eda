/* test_xetile_random.c - random programs: steps chosen at random (loads, elementwise operations, products, reductions,
 * changes of layout, loops, conditions) with random types, shapes and maps. Each is recorded as a kernel, run, and
 * every element of every value is compared with what an interpreter on the host computes (random_values.h).
 *
 *     RANDOM_PROGRAMS=1000 RANDOM_SEED=7 build/test_xetile_random     more of them; RANDOM_PRINT=1 prints each one
 */
#include "xetile_case.h"

#include "random_values.h"

enum { STEPS_MAX = 24, SIDE_MAX = 64, AREA_MAX = 1024 };
#define REAL ((double)1.7f) /* the kernel's floating parameter */

#define KINDS_(X)                                                                                                      \
    X(LOAD) X(SPLAT) X(IOTA) X(GATHER) X(BINARY) X(BY_NUMBER) X(BY_ELEMENT) X(FMA) X(ABS) X(CAST) X(SELECT)            \
    X(REDUCTION) X(SCAN) X(ARGMAX) X(BROADCAST) X(TRANSPOSE) X(CONVERT) X(SLICE) X(SHAPE_CAST) X(PRODUCT) X(LOOP)      \
    X(CONDITION)
#define KIND_(name) name,
#define KIND_NAME_(name) #name,
typedef enum { KINDS_(KIND_) KINDS } kind;
static const char *const kind_names[] = {KINDS_(KIND_NAME_)};

/* A step makes one value. LOOP: value a, then `count` times value b, of the `body` steps that follow it; there the loop
 * itself is the carried value. CONDITION: the same, once or not at all. */
typedef struct {
    kind kind;
    chosen type;
    int rows, cols;
    xt_map map;
    int a, b, c, op;    /* earlier steps, an spe_arith_op or a kind of reduction */
    int dim, size;      /* of a reduction or broadcast; a slice's row and column */
    int count, body;
    int scope;          /* the step of the innermost loop or condition around it; -1: none */
    double number;
    /* of a load: a matrix of height x width in memory, and the tile's place there */
    int height, width, pitch, i, j;
    int moves, across; /* by so many rows and columns in each iteration */
    bool by_columns, dynamic;
    xt_border border;
    size_t at, out; /* byte offsets of a load's matrix in the inputs, of the result in the outputs */
    value *result;
} step;

static struct {
    step steps[STEPS_MAX];
    int count, subgroups; /* subgroups: 0, a kernel without maps */
    unsigned char *inputs;
    size_t input_bytes, output_bytes;
    uint64_t seed;
} program;

static xt_vec vecs[STEPS_MAX];

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static const int types[] = {CM_F32, CM_F32, CM_F16, CM_BF16, CM_F64, CM_I32,
                            CM_I32, CM_U32, CM_I16, CM_U16,  CM_I8,  CM_U8};

static int random_type(void)
{
    int type = ONE_OF(types);
    return has_type(type) ? type : CM_F32;
}

static int random_side(void)
{
    static const int sides[] = {1, 2, 3, 4, 5, 8, 8, 12, 16, 16, 16, 24, 32, 32, 48, 64};
    return ONE_OF(sides);
}

/* Elements of a subgroup's piece along a side of n elements shared by `layout` subgroups. */
static int random_data(int n, int layout)
{
    int fits[SIDE_MAX * SIDE_MAX + 1], count = 0;
    for (int d = 1; d <= n; d++)
        if (n % d == 0 && (layout * d % n == 0 || n % (layout * d) == 0)) fits[count++] = d;
    return fits[below(count)];
}

static xt_map random_map(int rows, int cols)
{
    xt_map m;
    int high[8], count = 0;
    memset(&m, 0, sizeof m);
    if (!program.subgroups) return m;
    for (int h = 1; h <= program.subgroups; h++) if (program.subgroups % h == 0) high[count++] = h;
    m.sg_layout[0] = high[below(count)];
    m.sg_layout[1] = program.subgroups / m.sg_layout[0];
    m.sg_data[0] = random_data(rows, m.sg_layout[0]);
    m.sg_data[1] = random_data(cols, m.sg_layout[1]);
    return m;
}

static bool same_map(const xt_map *a, const xt_map *b) { return memcmp(a, b, sizeof *a) == 0; }

/* A new step inside the loop or condition `scope`. */
static int new_step(kind k, int scope, int type, int rows, int cols, xt_map map)
{
    step *s = &program.steps[program.count];
    memset(s, 0, sizeof *s);
    s->kind = k;
    s->scope = scope;
    s->type.type = type;
    s->rows = rows;
    s->cols = cols;
    s->map = map;
    return program.count++;
}

/* Can step `at` use the value of step i? */
static bool is_visible(int i, int scope)
{
    for (int s = scope; s >= -1; s = program.steps[s].scope) {
        if (program.steps[i].scope == s) return true;
        if (s == i) return true;
        if (s < 0) break;
    }
    return false;
}

static int new_load(int scope, int type, int rows, int cols, xt_map map)
{
    int n = new_step(LOAD, scope, type, rows, cols, map);
    step *s = &program.steps[n];
    s->by_columns = chance(20);
    s->dynamic = chance(50);
    s->height = 1 + below(2 * rows + 4);
    s->width = 1 + below(2 * cols + 4);
    if (chance(50)) s->height = rows + below(9), s->width = cols + below(9);
    s->i = chance(60) ? 0 : below(s->height) - (chance(30) ? 3 : 0);
    s->j = chance(60) ? 0 : below(s->width) - (chance(30) ? 3 : 0);
    if (scope >= 0) s->moves = below(3);
    s->pitch = (s->by_columns ? s->height : s->width) + (chance(50) ? 0 : below(20));
    if (chance(40)) s->pitch = (s->pitch + 63) / 64 * 64;
    s->border = chance(75) ? XT_BORDER_PADDING : chance(50) ? XT_BORDER_CLAMP : XT_BORDER_MIRROR;
    if (s->border == XT_BORDER_PADDING && chance(30)) s->number = is_float(type) ? 0.5 : 7;
    s->at = program.input_bytes = (program.input_bytes + 63) / 64 * 64 + (chance(20) ? size_of(type) : 0);
    s->at = program.input_bytes = (program.input_bytes + size_of(type) - 1) / size_of(type) * size_of(type);
    program.input_bytes += size_of(type) * (size_t)s->pitch * (size_t)(s->by_columns ? s->width : s->height);
    return n;
}

/* A value of this type, shape and map: an earlier one, or a new load. */
static int operand(int scope, int type, int rows, int cols, xt_map map)
{
    int found[STEPS_MAX], count = 0;
    for (int i = 0; i < program.count; i++) {
        const step *s = &program.steps[i];
        if (s->type.type == type && s->rows == rows && s->cols == cols && same_map(&s->map, &map) &&
            is_visible(i, scope))
            found[count++] = i;
    }
    if (count && (chance(70) || program.count > STEPS_MAX - 6)) return found[below(count)];
    return new_load(scope, type, rows, cols, map);
}

/* Any value, or -1 if there is none yet. */
static int any_value(int scope)
{
    int found[STEPS_MAX], count = 0;
    for (int i = 0; i < program.count; i++) if (is_visible(i, scope)) found[count++] = i;
    return count ? found[below(count)] : -1;
}

static int divisor_of(int n)
{
    int fits[SIDE_MAX * SIDE_MAX + 1], count = 0;
    for (int d = 1; d <= n; d++) if (n % d == 0) fits[count++] = d;
    return fits[below(count)];
}

static int binary_op(int type)
{
    static const int any[] = {SPE_ARITH_ADD, SPE_ARITH_SUB, SPE_ARITH_MUL, SPE_ARITH_MIN, SPE_ARITH_MAX};
    static const int bits[] = {SPE_ARITH_AND, SPE_ARITH_OR, SPE_ARITH_XOR};
    return is_float(type) || chance(70) ? ONE_OF(any) : ONE_OF(bits);
}

enum { RED_ADD, RED_MIN, RED_MAX, RED_KINDS };

static void add_step(int scope);

/* A loop or condition around a few steps, whose value is changed by the last one. */
static void add_region(kind k, int scope)
{
    int init = any_value(scope), n, other, next;
    step *s = &program.steps[init < 0 ? 0 : init];
    if (init < 0 || program.count > STEPS_MAX - 12) return;
    n = new_step(k, scope, s->type.type, s->rows, s->cols, s->map);
    program.steps[n].a = init;
    program.steps[n].count = k == LOOP ? below(4) : below(2);
    program.steps[n].number = below(3);
    program.steps[n].dim = below(2);
    for (int i = below(3); i > 0; i--) add_step(n);
    other = operand(n, s->type.type, s->rows, s->cols, s->map);
    next = new_step(BINARY, n, s->type.type, s->rows, s->cols, s->map);
    program.steps[next].a = n;
    program.steps[next].b = other;
    program.steps[next].op = is_float(s->type.type) ? SPE_ARITH_ADD : binary_op(s->type.type);
    program.steps[n].b = next;
    program.steps[n].body = next - n;
}

/* Operand types of products and their sums. */
static const int products[][2] = {{CM_F16, CM_F32}, {CM_F16, CM_F16}, {CM_BF16, CM_F32}, {CM_BF16, CM_BF16},
                                  {CM_I8, CM_I32}, {CM_U8, CM_I32}, {CM_F32, CM_F32}, {CM_F64, CM_F64}};

static const int *random_product(void)
{
    const int *types_of = ONE_OF(products);
    return has_type(types_of[1]) ? types_of : products[0];
}

/* Half of the products suit matrix instructions. */
static void choose_sides(int *m, int *n, int *k)
{
    bool suits = chance(50);
    *m = suits ? 8 << below(3) : random_side();
    *n = suits ? 16 << below(3) : random_side();
    *k = suits ? 16 << below(3) : random_side();
}

static void add_product(int scope)
{
    const int *t = random_product();
    int m, n, k, a, b, c, p;
    xt_map map, none;
    choose_sides(&m, &n, &k);
    map = random_map(m, n);
    memset(&none, 0, sizeof none);
    if (m * n > AREA_MAX || m * k > AREA_MAX || k * n > AREA_MAX) return;
    a = operand(scope, t[0], m, k, program.subgroups ? xt_map_mma_a(&map, k) : none);
    b = operand(scope, t[0], k, n, program.subgroups ? xt_map_mma_b(&map, k) : none);
    c = chance(50) ? operand(scope, t[1], m, n, map) : -1;
    p = new_step(PRODUCT, scope, t[1], m, n, map);
    program.steps[p].a = a;
    program.steps[p].b = b;
    program.steps[p].c = c;
}

/* The loop of a matrix product: a sum of the products of two tiles that move along k. */
static void add_product_loop(int scope)
{
    const int *t = random_product();
    int m, n, k, loop, init, a, b, next;
    xt_map map, none;
    choose_sides(&m, &n, &k);
    map = random_map(m, n);
    memset(&none, 0, sizeof none);
    if (m * n > AREA_MAX || m * k > AREA_MAX || k * n > AREA_MAX || program.count > STEPS_MAX - 12) return;
    init = operand(scope, t[1], m, n, map);
    loop = new_step(LOOP, scope, t[1], m, n, map);
    a = new_load(loop, t[0], m, k, program.subgroups ? xt_map_mma_a(&map, k) : none);
    program.steps[a].moves = 0, program.steps[a].across = k;
    b = new_load(loop, t[0], k, n, program.subgroups ? xt_map_mma_b(&map, k) : none);
    program.steps[b].moves = k, program.steps[b].across = 0;
    next = new_step(PRODUCT, loop, t[1], m, n, map);
    program.steps[next].a = a, program.steps[next].b = b, program.steps[next].c = loop;
    program.steps[loop].a = init, program.steps[loop].b = next;
    program.steps[loop].count = below(5);
    program.steps[loop].body = next - loop;
}

static void add_broadcast(int scope)
{
    int type = random_type(), rows = random_side(), cols = random_side(), dim = below(2), a, n;
    int size = dim ? cols : rows, copies = divisor_of(size);
    xt_map map = random_map(rows, cols);
    if (rows * cols > AREA_MAX || (program.subgroups && copies < size && map.sg_data[dim] % copies)) return;
    a = operand(scope, type, dim ? rows : rows / copies, dim ? cols / copies : cols,
                program.subgroups ? xt_map_broadcast(&map, dim, copies) : map);
    n = new_step(BROADCAST, scope, type, rows, cols, map);
    program.steps[n].a = a;
    program.steps[n].dim = dim;
    program.steps[n].size = copies;
}

/* A step whose result is like the value a, with operands b and c of the same shape and map. */
static step *new_like(kind k, int scope, int a, int b, int c)
{
    const step *from = &program.steps[a];
    step *s = &program.steps[new_step(k, scope, from->type.type, from->rows, from->cols, from->map)];
    s->a = a;
    s->b = b;
    s->c = c;
    return s;
}

static int operand_like(int scope, int a)
{
    const step *s = &program.steps[a];
    return operand(scope, s->type.type, s->rows, s->cols, s->map);
}

static void add_select(int scope, int a)
{
    static const int whole[] = {CM_I32, CM_U32, CM_I16, CM_U8};
    const step *from = &program.steps[a];
    int tested = operand(scope, ONE_OF(whole), from->rows, from->cols, from->map), other = operand_like(scope, a);
    step *s = new_like(SELECT, scope, a, tested, other);
    s->op = SPE_ARITH_EQ + below(6);
    s->number = below(20);
}

static void add_binary(kind k, int scope, int a)
{
    int b = operand_like(scope, a), c = k == FMA ? operand_like(scope, a) : -1;
    new_like(k, scope, a, b, c)->op = binary_op(program.steps[a].type.type);
}

/* By an element of any value of the type. */
static void add_by_element(int scope, int a)
{
    int type = program.steps[a].type.type, b = a;
    for (int i = 0; i < program.count; i++)
        if (program.steps[i].type.type == type && is_visible(i, scope) && chance(50)) b = i;
    step *s = new_like(BY_ELEMENT, scope, a, b, -1);
    s->op = binary_op(type);
    s->i = below(program.steps[b].rows);
    s->j = below(program.steps[b].cols);
}

/* By a constant, or for f32 and bf16 by the parameter REAL. */
static void add_by_number(int scope, int a)
{
    int type = program.steps[a].type.type;
    step *s = new_like(BY_NUMBER, scope, a, -1, -1);
    s->op = binary_op(type);
    s->number = is_float(type) ? (below(2000) - 1000) / 512.0 : 1 + below(7);
    s->dynamic = (type == CM_F32 || type == CM_BF16) && chance(50);
    if (s->dynamic) s->number = REAL;
    if (is_float(type) || chance(50)) return;
    static const int more[] = {SPE_ARITH_DIV, SPE_ARITH_REM, SPE_ARITH_SHL, SPE_ARITH_SHR};
    s->op = ONE_OF(more);
}

/* From a table, at offsets some of which are outside it. */
static void add_gather(int scope, int a)
{
    step *s;
    if (program.steps[a].type.type != CM_I32 && program.steps[a].type.type != CM_U32) return;
    s = new_like(GATHER, scope, a, -1, -1);
    s->type.type = random_type();
    s->width = 1 + below(200);
    s->number = 3;
    s->at = program.input_bytes = (program.input_bytes + 63) / 64 * 64;
    program.input_bytes += (size_t)s->width * size_of(s->type.type);
}

static void add_reduction(kind k, int scope, int a)
{
    const step *from = &program.steps[a];
    int dim = below(2), side = dim ? from->cols : from->rows;
    int size = k == ARGMAX || chance(60) ? side : divisor_of(side);
    xt_map map = program.subgroups ? xt_map_reduction(&from->map, dim, size) : from->map;
    xt_dist dist;
    if (xt_dist_init(&dist, dim ? from->rows : from->rows / size, dim ? from->cols / size : from->cols, &map)) return;
    step *s = new_like(k, scope, a, -1, -1);
    s->dim = dim;
    s->size = size;
    s->op = below(k == ARGMAX ? 2 : RED_KINDS);
    s->map = map;
    *(dim ? &s->cols : &s->rows) /= size;
    if (k == ARGMAX) s->type.type = CM_I32;
}

/* A step that moves elements. */
static void add_move(kind k, int scope, int a)
{
    step *s = new_like(k, scope, a, -1, -1);
    int rows = s->rows, cols = s->cols;
    if (k == TRANSPOSE) {
        s->rows = cols, s->cols = rows;
        s->map = chance(50) ? random_map(cols, rows) : xt_map_transpose(&program.steps[a].map);
        return;
    }
    if (k == SLICE) {
        s->rows = 1 + below(rows), s->cols = 1 + below(cols);
        s->i = below(rows - s->rows + 1), s->j = below(cols - s->cols + 1);
    } else if (k == SHAPE_CAST) {
        int high = divisor_of(rows * cols);
        if (high <= 2 * SIDE_MAX && rows * cols / high <= 2 * SIDE_MAX) s->rows = high, s->cols = rows * cols / high;
    }
    s->map = random_map(s->rows, s->cols);
}

/* Makes a random rows x cols value without operands. */
static void add_source(kind k, int scope)
{
    int rows, cols, n;
    do rows = random_side(), cols = random_side();
    while (rows * cols > AREA_MAX);
    if (k != SPLAT && k != IOTA) {
        new_load(scope, random_type(), rows, cols, random_map(rows, cols));
        return;
    }
    n = new_step(k, scope, k == IOTA ? CM_I32 : random_type(), rows, cols, random_map(rows, cols));
    program.steps[n].number = below(100);
    program.steps[n].dim = below(2);
}

static void add_step(int scope)
{
    kind k = chance(15) ? PRODUCT : (kind)below(KINDS);
    int a = any_value(scope);
    if (program.count > STEPS_MAX - 6) return;
    if (a < 0) k = LOAD;
    switch (k) {
    case LOAD:
    case SPLAT:
    case IOTA: add_source(k, scope); break;
    case GATHER: add_gather(scope, a); break;
    case BINARY:
    case FMA: add_binary(k, scope, a); break;
    case BY_NUMBER: add_by_number(scope, a); break;
    case BY_ELEMENT: add_by_element(scope, a); break;
    case ABS: new_like(k, scope, a, -1, -1); break;
    case CAST: new_like(k, scope, a, -1, -1)->type.type = random_type(); break;
    case SELECT: add_select(scope, a); break;
    case REDUCTION:
    case ARGMAX: add_reduction(k, scope, a); break;
    case SCAN: {
        step *s = new_like(k, scope, a, -1, -1);
        s->dim = below(2);
        s->op = below(RED_KINDS);
        s->size = below(2);
        break;
    }
    case BROADCAST: add_broadcast(scope); break;
    case CONVERT:
        if (!program.subgroups) break; /* fall through */
    case TRANSPOSE:
    case SLICE:
    case SHAPE_CAST: add_move(k, scope, a); break;
    case PRODUCT: chance(50) ? add_product_loop(scope) : add_product(scope); break;
    default: add_region(k, scope);
    }
}

static void make_program(uint64_t seed)
{
    static const int subgroups[] = {0, 0, 1, 2, 4, 4, 8};
    int steps;
    memset(&program, 0, sizeof program);
    test_.random = program.seed = seed;
    program.subgroups = ONE_OF(subgroups);
    steps = 3 + below(8);
    for (int i = 0; i < steps; i++) add_step(-1);
    for (int i = 0; i < program.count; i++) {
        step *s = &program.steps[i];
        s->out = program.output_bytes;
        program.output_bytes += (size_t)(s->rows * s->cols) * size_of(s->type.type) + 64;
        program.output_bytes = (program.output_bytes + 63) / 64 * 64;
    }
}

static void print_program(void)
{
    printf("seed %llu, %d subgroups\n", (unsigned long long)program.seed, program.subgroups);
    for (int i = 0; i < program.count; i++) {
        const step *s = &program.steps[i];
        const int *l = s->map.sg_layout, *d = s->map.sg_data;
        printf("%*s%%%d = %s %d x %d %s {%d, %d}{%d, %d}", s->scope < 0 ? 2 : 6, "", i, kind_names[s->kind], s->rows,
               s->cols, type_name(s->type.type), l[0], l[1], d[0], d[1]);
        if (s->kind > IOTA) printf(" of %d %d %d", s->a, s->b, s->c);
        printf(": op %d dim %d size %d count %d body %d number %g at (%d, %d)", s->op, s->dim, s->size, s->count,
               s->body, s->number, s->i, s->j);
        if (s->kind == LOAD)
            printf(" in %d x %d pitch %d border %d moves (%d, %d)%s%s", s->height, s->width, s->pitch, (int)s->border,
                   s->moves, s->across, s->by_columns ? " by columns" : "", s->dynamic ? " dynamic" : "");
        printf("\n");
    }
    fflush(stdout);
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

static xt_vec binary(XT_CONTEXT, int op, xt_vec a, xt_vec b)
{
    switch (op) {
    case SPE_ARITH_ADD: return XT_ADD(a, b);
    case SPE_ARITH_SUB: return XT_SUB(a, b);
    case SPE_ARITH_MUL: return XT_MUL(a, b);
    case SPE_ARITH_MIN: return XT_MIN(a, b);
    case SPE_ARITH_MAX: return XT_MAX(a, b);
    case SPE_ARITH_AND: return XT_AND(a, b);
    case SPE_ARITH_OR: return XT_OR(a, b);
    default: return XT_XOR(a, b);
    }
}

static xt_vec by_number(XT_CONTEXT, int op, xt_vec a, xt_val b)
{
    switch (op) {
    case SPE_ARITH_ADD: return XT_ADD(a, b);
    case SPE_ARITH_SUB: return XT_SUB(b, a);
    case SPE_ARITH_MUL: return XT_MUL(b, a);
    case SPE_ARITH_DIV: return XT_DIV(a, b);
    case SPE_ARITH_REM: return XT_MOD(a, b);
    case SPE_ARITH_MIN: return XT_MIN(a, b);
    case SPE_ARITH_MAX: return XT_MAX(b, a);
    case SPE_ARITH_AND: return XT_AND(a, b);
    case SPE_ARITH_OR: return XT_OR(a, b);
    case SPE_ARITH_SHL: return XT_SHL(a, b);
    case SPE_ARITH_SHR: return XT_SHR(a, b);
    default: return XT_XOR(a, b);
    }
}

static xt_vec compared(XT_CONTEXT, int op, xt_vec a, int number)
{
    switch (op) {
    case SPE_ARITH_EQ: return XT_EQ(a, number);
    case SPE_ARITH_NE: return XT_NE(a, number);
    case SPE_ARITH_LT: return XT_LT(a, number);
    case SPE_ARITH_LE: return XT_LE(a, number);
    case SPE_ARITH_GT: return XT_GT(a, number);
    default: return XT_GE(a, number);
    }
}

static xt_vec reduction(XT_CONTEXT, const step *s, xt_vec v)
{
    int type = v.type;
    if (s->op == RED_ADD) return XT_REDUCTION(add, v, s->dim, .reduction_size = s->size);
    if (is_float(type))
        return s->op == RED_MIN ? XT_REDUCTION(minnumf, v, s->dim, .reduction_size = s->size)
                                : XT_REDUCTION(maximumf, v, s->dim, .reduction_size = s->size);
    if (is_signed(type))
        return s->op == RED_MIN ? XT_REDUCTION(minsi, v, s->dim, .reduction_size = s->size)
                                : XT_REDUCTION(maxsi, v, s->dim, .reduction_size = s->size);
    return s->op == RED_MIN ? XT_REDUCTION(minui, v, s->dim, .reduction_size = s->size)
                            : XT_REDUCTION(maxui, v, s->dim, .reduction_size = s->size);
}

static xt_vec scan(XT_CONTEXT, const step *s, xt_vec v)
{
    int type = v.type;
    if (s->op == RED_ADD) return XT_SCAN(add, v, s->dim, .exclusive = s->size == 1);
    if (is_float(type)) return s->op == RED_MIN ? XT_SCAN(minnumf, v, s->dim) : XT_SCAN(maximumf, v, s->dim);
    if (is_signed(type)) return s->op == RED_MIN ? XT_SCAN(minsi, v, s->dim) : XT_SCAN(maxsi, v, s->dim);
    return s->op == RED_MIN ? XT_SCAN(minui, v, s->dim) : XT_SCAN(maxui, v, s->dim);
}

/* k: the loop's index. The parameter ONE is 1, so that what is multiplied by it is known only at launch. */
static xt_vec load(XT_CONTEXT, const step *s, xt_val k)
{
    xt_val base = XT_ADD(XT_PARAM("IN"), (int)s->at), one = XT_PARAM("ONE");
    xt_val pitch = s->dynamic ? XT_MUL(one, s->pitch) : XT_ADD(0, s->pitch);
    xt_val height = s->dynamic ? XT_MUL(one, s->height) : XT_ADD(0, s->height);
    xt_val row = XT_ADD(XT_MUL(k, s->moves), s->i), col = XT_ADD(XT_MUL(k, s->across), s->j);
    xt_tile t = s->by_columns
                    ? XT_INIT_TILE(base, of(s->type), s->rows, s->cols, .offset = XT_AT(row, col),
                                   .shape = XT_AT(height, s->width), .strides = XT_AT(1, pitch), .order = {0, 1},
                                   .map = s->map)
                    : XT_INIT_TILE(base, of(s->type), s->rows, s->cols, .offset = XT_AT(row, col),
                                   .shape = XT_AT(height, s->width), .strides = XT_AT(pitch, 1), .map = s->map);
    if (s->border != XT_BORDER_PADDING) return XT_LOAD_TILE(t, .border = s->border);
    return XT_LOAD_TILE(t, .padding = s->number);
}

static void record(XT_CONTEXT, int from, int to, xt_val k);

static xt_vec region(XT_CONTEXT, int n)
{
    const step *s = &program.steps[n];
    xt_vec v = vecs[s->a];
    if (s->kind == LOOP) {
        XT_FOR (i, 0, XT_MUL(XT_PARAM("ONE"), s->count), 1, &v) {
            vecs[n] = v;
            record(XT_SELF, n + 1, n + 1 + s->body, i);
            v = vecs[s->b];
        }
        return v;
    }
    XT_IF (XT_EQ(XT_PARAM("ONE"), s->count), &v) {
        vecs[n] = v;
        record(XT_SELF, n + 1, n + 1 + s->body, XT_ADD(0, 1));
        v = vecs[s->b];
    }
    return v;
}

static xt_vec gather(XT_CONTEXT, const step *s, xt_vec offsets)
{
    xt_tile t = XT_INIT_TILE(XT_ADD(XT_PARAM("IN"), (int)s->at), of(s->type), s->rows, s->cols, .scatter = offsets,
                             .shape = XT_AT(s->width));
    return XT_LOAD_GATHER(t, .padding = s->number);
}

static xt_val number_of(XT_CONTEXT, const step *s)
{
    if (s->dynamic) return XT_PARAM("SCALE");
    return is_float(s->type.type) ? XT_ADD(s->number, 0.0) : XT_ADD((int)s->number, 0);
}

static xt_vec recorded(XT_CONTEXT, int n, xt_val k)
{
    const step *s = &program.steps[n];
    const xt_vec none = {0};
    xt_vec a = s->kind > IOTA ? vecs[s->a] : none;
    switch (s->kind) {
    case LOAD: return load(XT_SELF, s, k);
    case GATHER: return gather(XT_SELF, s, a);
    case SPLAT:
        return is_float(s->type.type) ? XT_SPLAT(of(s->type), s->rows, s->cols, s->number, .map = s->map)
                                      : XT_SPLAT(of(s->type), s->rows, s->cols, (int)s->number, .map = s->map);
    case IOTA: return XT_IOTA(of(s->type), s->rows, s->cols, s->dim, .map = s->map);
    case BINARY: return binary(XT_SELF, s->op, a, vecs[s->b]);
    case BY_NUMBER: return by_number(XT_SELF, s->op, a, number_of(XT_SELF, s));
    case BY_ELEMENT: return by_number(XT_SELF, s->op, a, XT_ELEMENT(vecs[s->b], s->i, s->j));
    case FMA:
        return is_float(s->type.type) ? XT_FMA(a, vecs[s->b], vecs[s->c])
                                      : XT_ADD(XT_MUL(a, vecs[s->b]), vecs[s->c]);
    case ABS: return XT_ABS(a);
    case CAST: return XT_CAST(of(s->type), a);
    case SELECT: return XT_SELECT(compared(XT_SELF, s->op, vecs[s->b], (int)s->number), a, vecs[s->c]);
    case REDUCTION: return reduction(XT_SELF, s, a);
    case SCAN: return scan(XT_SELF, s, a);
    case ARGMAX: return s->op ? XT_ARGMAX(a, s->dim) : XT_ARGMIN(a, s->dim);
    case BROADCAST:
        return XT_BROADCAST(a, s->dim, s->dim ? s->cols : s->rows, .broadcast_size = s->size, .map = s->map);
    case TRANSPOSE: return XT_TRANSPOSE(a, .map = s->map);
    case CONVERT: return XT_CONVERT_LAYOUT(a, .map = s->map);
    case SLICE: return XT_SLICE(a, s->i, s->j, s->rows, s->cols, .map = s->map);
    case SHAPE_CAST: return XT_SHAPE_CAST(a, s->rows, s->cols, .map = s->map);
    case PRODUCT:
        return s->c < 0 ? XT_TILE_MMA(a, vecs[s->b], .type = XT_TYPE(of(s->type)))
                        : XT_TILE_MMA(a, vecs[s->b], vecs[s->c]);
    default: return region(XT_SELF, n);
    }
}

static void record(XT_CONTEXT, int from, int to, xt_val k)
{
    for (int n = from; n < to; n++) {
        vecs[n] = recorded(XT_SELF, n, k);
        if (program.steps[n].kind >= LOOP) n += program.steps[n].body;
    }
}

XT_KERNEL (random_steps, u64(IN), u64(OUT), u32(ONE), f32(SCALE))
{
    (void)IN, (void)ONE, (void)SCALE; /* used by name, in functions */
    record(XT_SELF, 0, program.count, XT_ADD(0, 0));
    for (int i = 0; i < program.count; i++) {
        const step *s = &program.steps[i];
        if (s->scope >= 0) continue;
        XT_STORE_TILE(vecs[i], XT_INIT_TILE(XT_ADD(OUT, (int)s->out), of(s->type), s->rows, s->cols,
                                            .shape = XT_AT(s->rows, s->cols), .map = s->map));
    }
}

/* ---- interpreting ------------------------------------------------------------------------------------------------ */

static value *cell(int n, int i, int j) { return &program.steps[n].result[i * program.steps[n].cols + j]; }

/* Index i of n under a border; -1: outside. */
static int bordered(xt_border border, int i, int n)
{
    if (border == XT_BORDER_CLAMP) return i < 0 ? 0 : i >= n ? n - 1 : i;
    if (border == XT_BORDER_MIRROR) {
        while (n > 1 && (i < 0 || i >= n)) i = i < 0 ? -i : 2 * (n - 1) - i;
        return n > 1 ? i : 0;
    }
    return i < 0 || i >= n ? -1 : i;
}

static value loaded(const step *s, int i, int j, int k)
{
    int y = bordered(s->border, s->i + k * s->moves + i, s->height);
    int x = bordered(s->border, s->j + k * s->across + j, s->width);
    int at = s->by_columns ? x * s->pitch + y : y * s->pitch + x;
    return y < 0 || x < 0 ? (value){s->number, 0} : (value){get(s->type.type, program.inputs + s->at, (size_t)at), 0};
}

/* What a sum of n terms may be off by: f16 and bf16 are summed in f32 and rounded once. */
static value summed(int type, double v, double error, double magnitude, int n)
{
    double unit = type == CM_F64 ? 0x1p-52 : is_float(type) ? 0x1p-24 : 0;
    return rounded(type, v, error + 1.001 * n * unit * magnitude, 1);
}

/* Elements [from, to) along the line of element (i, j) of a's value, combined as `op`. */
static value folded(const step *s, int i, int j, int from, int to)
{
    int type = program.steps[s->a].type.type;
    double sum = 0, error = 0, magnitude = 0;
    value best = {0, 0};
    for (int e = from; e < to; e++) {
        value x = *(s->dim ? cell(s->a, i, e) : cell(s->a, e, j));
        sum += x.v, error += x.error, magnitude += fabs(x.v) + x.error;
        if (s->op == RED_ADD) continue;
        best = e == from ? x : combined(s->op == RED_MIN ? SPE_ARITH_MIN : SPE_ARITH_MAX, type, best, x);
    }
    return s->op == RED_ADD ? summed(type, sum, error, magnitude, to - from) : best;
}

static value argument(const step *s, int i, int j)
{
    int n = s->dim ? program.steps[s->a].cols : program.steps[s->a].rows, best = 0;
    for (int e = 0; e < n; e++) {
        const value *x = s->dim ? cell(s->a, i, e) : cell(s->a, e, j);
        const value *b = s->dim ? cell(s->a, i, best) : cell(s->a, best, j);
        if (x->error > 0) return (value){0, INFINITY};
        if (s->op ? x->v > b->v : x->v < b->v) best = e;
    }
    return (value){best, 0};
}

static value product(const step *s, int i, int j)
{
    double sum = 0, error = 0, magnitude = 0, unit = s->type.type == CM_F64 ? 0x1p-52 : 0x1p-24;
    int n = program.steps[s->a].cols;
    for (int k = 0; k < n; k++) {
        value a = *cell(s->a, i, k), b = *cell(s->b, k, j);
        sum += a.v * b.v;
        error += fabs(a.v) * b.error + fabs(b.v) * a.error + a.error * b.error;
        magnitude += fabs(a.v * b.v);
    }
    if (s->c >= 0) {
        value c = *cell(s->c, i, j);
        sum += c.v, error += c.error, magnitude += fabs(c.v);
    }
    if (!is_float(s->type.type)) return rounded(s->type.type, sum, error, 0);
    if (s->type.type == CM_F16 || s->type.type == CM_BF16) unit = half_ulp(s->type.type);
    return rounded(s->type.type, sum, error + 1.01 * (n + 2) * unit * (magnitude + error), 1);
}

static value cast(int type, int from, value x)
{
    if (is_float(type)) return rounded(type, x.v, x.error, 1);
    if (!is_float(from)) return rounded(type, x.v, x.error, 0);
    x.v = trunc(x.v);
    if (x.error > 0 || rounded(type, x.v, 0, 0).v != x.v) return (value){0, INFINITY};
    return x;
}

static value by_number_of(const step *s, value x, value y)
{
    bool swapped = s->op == SPE_ARITH_SUB;
    return swapped ? combined(s->op, s->type.type, y, x) : combined(s->op, s->type.type, x, y);
}

static value computed(const step *s, int i, int j, int k)
{
    const step *from = &program.steps[s->a];
    int type = s->type.type;
    value none = {0, INFINITY}, number = {s->number, 0}, x = none;
    if (s->kind > IOTA && i < from->rows && j < from->cols) x = *cell(s->a, i, j);
    switch (s->kind) {
    case LOAD: return loaded(s, i, j, k);
    case GATHER:
        if (x.error > 0) return none;
        if (x.v < 0 || x.v >= s->width) return number;
        return (value){get(type, program.inputs + s->at, (size_t)x.v), 0};
    case SPLAT: return number;
    case IOTA: return (value){s->dim ? j : i, 0};
    case BINARY: return combined(s->op, type, x, *cell(s->b, i, j));
    case BY_NUMBER: return by_number_of(s, x, is_float(type) ? (value){round_to(type, s->number), 0} : number);
    case BY_ELEMENT: return by_number_of(s, x, *cell(s->b, s->i, s->j));
    case FMA: return fma_of(type, x, *cell(s->b, i, j), *cell(s->c, i, j));
    case ABS: return is_float(type) ? (value){fabs(x.v), x.error} : rounded(type, fabs(x.v), x.error, 0);
    case CAST: return cast(type, from->type.type, x);
    case SELECT:
        if (cell(s->b, i, j)->error > 0) return none;
        return holds(s->op, cell(s->b, i, j)->v, s->number) ? x : *cell(s->c, i, j);
    case REDUCTION: return folded(s, i, j, (s->dim ? j : i) * s->size, ((s->dim ? j : i) + 1) * s->size);
    case SCAN: return folded(s, i, j, 0, (s->dim ? j : i) + (s->op == RED_ADD && s->size == 1 ? 0 : 1));
    case ARGMAX: return argument(s, i, j);
    case BROADCAST: return *(s->dim ? cell(s->a, i, j / s->size) : cell(s->a, i / s->size, j));
    case TRANSPOSE: return *cell(s->a, j, i);
    case CONVERT: return x;
    case SLICE: return *cell(s->a, s->i + i, s->j + j);
    case SHAPE_CAST: return from->result[i * s->cols + j];
    case PRODUCT: return product(s, i, j);
    default: return none;
    }
}

static void interpret(int from, int to, int k)
{
    for (int n = from; n < to; n++) {
        step *s = &program.steps[n];
        size_t bytes = (size_t)(s->rows * s->cols) * sizeof(value);
        if (s->kind >= LOOP) {
            int times = s->kind == LOOP ? s->count : s->count == 1;
            memcpy(s->result, program.steps[s->a].result, bytes);
            for (int t = 0; t < times; t++) {
                interpret(n + 1, n + 1 + s->body, s->kind == LOOP ? t : 1);
                memcpy(s->result, program.steps[s->b].result, bytes);
            }
            n += s->body;
            continue;
        }
        for (int i = 0; i < s->rows; i++)
            for (int j = 0; j < s->cols; j++) s->result[i * s->cols + j] = computed(s, i, j, k);
    }
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static long compared_values, skipped_values;

static int wrong_in(const step *s, const unsigned char *out)
{
    int wrong = 0;
    for (int i = 0; i < s->rows * s->cols; i++) {
        double got = get(s->type.type, out + s->out, (size_t)i), want = s->result[i].v;
        if (!(s->result[i].error < INFINITY)) {
            skipped_values++;
            continue;
        }
        compared_values++;
        if (fabs(got - want) <= s->result[i].error) continue;
        if (wrong++ == 0)
            printf("    %%%d (%d, %d): got %.9g, want %.9g +- %.3g\n", (int)(s - program.steps), i / s->cols,
                   i % s->cols, got, want, s->result[i].error);
    }
    return wrong;
}

static bool run_program(uint64_t seed, const variant *v)
{
    unsigned char *out;
    int wrong = 0;
    make_program(seed);
    program.inputs = (unsigned char *)zed_alloc(&device, ZED_SHARED, program.input_bytes + 64, 0);
    out = (unsigned char *)zed_alloc(&device, ZED_SHARED, program.output_bytes, 0);
    memset(out, 0xdb, program.output_bytes);
    for (int n = 0; n < program.count; n++) {
        step *s = &program.steps[n];
        size_t count = s->kind == LOAD ? (size_t)s->pitch * (size_t)(s->by_columns ? s->width : s->height)
                                       : s->kind == GATHER ? (size_t)s->width : 0;
        for (size_t i = 0; i < count; i++) put(s->type.type, program.inputs + s->at, i, sample(s->type.type));
        s->result = (value *)calloc((size_t)(s->rows * s->cols), sizeof(value));
    }
    if (getenv("RANDOM_PRINT")) print_program();
    bool ran = RUN_KERNEL(random_steps, v, ONE_GROUP, ADDRESS(program.inputs), ADDRESS(out), ZED_ARG(1),
                          ZED_ARG(REAL));
    if (ran) interpret(0, program.count, 0);
    for (int n = 0; ran && n < program.count; n++)
        if (program.steps[n].scope < 0) wrong += wrong_in(&program.steps[n], out);
    if (wrong || !ran) {
        test_fail(__FILE__, __LINE__, "%s: %d values are wrong in", v->name, wrong);
        print_program();
    }
    for (int n = 0; n < program.count; n++) free(program.steps[n].result);
    zed_free(&device, program.inputs);
    zed_free(&device, out);
    return ran && !wrong;
}

TEST(random_programs)
{
    uint64_t seed = setting("RANDOM_SEED", 3090), count = setting("RANDOM_PROGRAMS", test_thorough() ? 10 : 3);
    for (uint64_t i = 0; i < count; i++) {
        const variant *v = &variants[i % (sizeof variants / sizeof *variants)];
        if (target_has(v)) run_program(seed + i, v);
        if (getenv("RANDOM_PRINT")) test_.failures_here = 0;
    }
    CHECK_MSG(compared_values > 9 * skipped_values, "%ld values compared, %ld not", compared_values, skipped_values);
}

/* For subgroups of 64, which AMD's GPUs have and no device here: modules for spirv-val, not executed. */
TEST(modules_for_64_lanes)
{
    uint64_t seed = setting("RANDOM_SEED", 3190), count = setting("RANDOM_PROGRAMS", test_thorough() ? 30 : 2);
    for (uint64_t i = 0; i < count; i++) {
        const variant *v = &variants[i % 3]; /* those that are not about a size */
        const xt_target target = {
            .name = "vulkan", .subgroup_sizes = 64, .local_memory = 65536, .max_group_size = 1024};
        char name[64];
        make_program(seed + i);
        xt_module mod = XT_BUILD(random_steps, &target, .lowering = v->lowering, .pitch = v->pitch);
        CHECK_MSG(mod.words != NULL, "seed %llu: %s", (unsigned long long)(seed + i), mod.error->text);
        CHECK_INT(mod.subgroup_size, 64);
        snprintf(name, sizeof name, "vulkan_random_64_lanes_%llu", (unsigned long long)(seed + i));
        test_save_spv(name, mod.words, mod.size);
        xt_free(&mod);
    }
}

int main(void)
{
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(random_programs);
    RUN(modules_for_64_lanes);
    zed_close(&device);
    return test_report();
}
