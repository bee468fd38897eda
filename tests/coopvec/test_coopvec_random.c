/* test_coopvec_random.c - random programs: steps chosen at random (loads, elementwise operations, conversions, products
 * in all interpretations, accumulations, loops and conditions, uniform or not) with random types, lengths and shapes.
 * Each program is run, and every element of every value of every work-item, and each accumulated sum, is compared with
 * what an interpreter on the host computes (random_values.h).
 *
 *     RANDOM_PROGRAMS=1000 RANDOM_SEED=7 build/test_coopvec_random     more of them; RANDOM_PRINT=1 prints each one
 */
#include "coopvec_model.h"

#include "random_values.h"

enum { STEPS_MAX = 24, LENGTH_MAX = 96, WORK_ITEMS = 32, GROUPS = 2, ALL = WORK_ITEMS * GROUPS, MEMORY = 16 << 20 };

#define KINDS_(X)                                                                                                      \
    X(LOAD) X(SPLAT) X(BINARY) X(BY_NUMBER) X(BY_ELEMENT) X(FMA) X(CHOOSE) X(FUNCTION) X(LEAKY) X(CAST) X(CONCAT)      \
    X(SLICE) X(SET_ELEMENT) X(PRODUCT) X(SUM) X(OUTER) X(LOOP) X(CONDITION)
#define KIND_(name) name,
#define KIND_NAME_(name) #name,
typedef enum { KINDS_(KIND_) KINDS } kind;
static const char *const kind_names[] = {KINDS_(KIND_NAME_)};

typedef struct {
    int type;
} chosen;

/* A step makes one vector of `length` elements for each work-item. LOOP: value a, then so many times value b, of the
 * `body` steps that follow it; there the loop itself is the carried value. CONDITION: the same, once or not at all.
 * SUM and OUTER make no vector: they accumulate into memory. */
typedef struct {
    kind kind;
    chosen type; /* a cv_type */
    int length;
    int a, b, c, d, op; /* earlier steps; an spe_arith_op or an entry of functions[] */
    int scope;          /* the step of the innermost loop or condition around it; -1: none */
    int body, count;    /* count: iterations, or a condition's remainder */
    bool divergent, dynamic;
    double number;
    int first, pitch, stride, moves; /* of a load, in elements; first: also of a slice, or an element's index */
    model_product p;
    bool own, by_lanes;          /* a separate matrix for odd work-items; no promise of uniformity */
    size_t in, out;              /* byte offsets in the memory */
    size_t matrix, size, row, bias; /* of matrices: of odd work-items' `size` later; row: bytes */
    value *sums;                 /* SUM and OUTER: what is accumulated, by elements of both matrices */
    double *magnitude;
} step;

static struct {
    step steps[STEPS_MAX];
    int count;
    uint64_t seed;
} program;

static cv_vec vecs[STEPS_MAX];

/* ---- types ------------------------------------------------------------------------------------------------------- */

static const int vector_types[] = {CV_F16, CV_F32, CV_F32, CV_I16, CV_U16, CV_I32, CV_U32};
static const int memory_types[] = {CV_F16, CV_F32, CV_I16, CV_U16, CV_I32, CV_U32, CV_I8, CV_U8, CV_E4M3, CV_E5M2};

/* The same type for the arithmetic of random_values.h. */
static int cm_of(int type)
{
    static const int rows[][2] = {{CV_F16, CM_F16}, {CV_F32, CM_F32}, {CV_I16, CM_I16},
                                  {CV_U16, CM_U16}, {CV_I32, CM_I32}, {CV_U32, CM_U32}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) if (rows[i][0] == type) return rows[i][1];
    return CM_F64;
}

static bool is_packed(int type) { return type == CV_PACKED_S8X32 || type == CV_PACKED_U8X32; }

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static bool is_value(const step *s) { return s->kind != SUM && s->kind != OUTER; }

static step *new_step(kind k, int scope, int type, int length)
{
    step *s = &program.steps[program.count++];
    memset(s, 0, sizeof *s);
    s->kind = k;
    s->scope = scope;
    s->type.type = type;
    s->length = length;
    s->a = s->b = s->c = s->d = -1;
    return s;
}

static int number_of(const step *s) { return (int)(s - program.steps); }

/* Can a step in `scope` use the value of step i? */
static bool is_visible(int i, int scope)
{
    for (int s = scope;; s = program.steps[s].scope) {
        if (program.steps[i].scope == s || s == i) return is_value(&program.steps[i]);
        if (s < 0) return false;
    }
}

static int random_length(void)
{
    static const int lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 16, 17, 24, 31, 32, 32, 33, 40, 64, 65};
    return ONE_OF(lengths);
}

static int new_load(int scope, int type, int length)
{
    step *s = new_step(LOAD, scope, type, length);
    s->stride = chance(75) ? 1 : 1 + below(3);
    s->moves = scope < 0 ? 0 : below(3);
    s->dynamic = chance(30);
    s->pitch = chance(80) ? length * s->stride + below(4) : below(4);
    s->first = below(5);
    return number_of(s);
}

static int any_value(int scope)
{
    int found[STEPS_MAX], count = 0;
    for (int i = 0; i < program.count; i++) if (is_visible(i, scope)) found[count++] = i;
    return count ? found[below(count)] : -1;
}

/* A value of this type and length: an earlier one, or a new load. */
static int operand(int scope, int type, int length)
{
    int found[STEPS_MAX], count = 0;
    for (int i = 0; i < program.count; i++) {
        const step *s = &program.steps[i];
        if (is_visible(i, scope) && s->type.type == type && s->length == length) found[count++] = i;
    }
    if (count && (chance(70) || program.count > STEPS_MAX - 6)) return found[below(count)];
    return new_load(scope, type, length);
}

static int operand_like(int scope, int a)
{
    return operand(scope, program.steps[a].type.type, program.steps[a].length);
}

/* A step whose result is like the value a. */
static step *new_like(kind k, int scope, int a)
{
    step *s = new_step(k, scope, program.steps[a].type.type, program.steps[a].length);
    s->a = a;
    return s;
}

static int binary_op(int type)
{
    static const int any[] = {SPE_ARITH_ADD, SPE_ARITH_SUB, SPE_ARITH_MUL, SPE_ARITH_MIN, SPE_ARITH_MAX};
    static const int bits[] = {SPE_ARITH_AND, SPE_ARITH_OR, SPE_ARITH_XOR};
    return model_float(type) || chance(70) ? ONE_OF(any) : ONE_OF(bits);
}

static void add_elementwise(kind k, int scope, int a)
{
    int type = program.steps[a].type.type, b = operand_like(scope, a), c = a, d = a;
    step *s;
    if (k == FMA && !model_float(type)) k = BINARY;
    if (k == FMA || k == CHOOSE) c = operand_like(scope, a);
    if (k == CHOOSE) d = operand_like(scope, a);
    s = new_like(k, scope, a);
    s->b = b, s->c = c, s->d = d;
    s->op = binary_op(type);
}

/* With a constant, or with a number that the kernel computes. */
static void add_by_number(int scope, int a)
{
    static const int more[] = {SPE_ARITH_DIV, SPE_ARITH_REM, SPE_ARITH_SHL, SPE_ARITH_SHR};
    step *s = new_like(BY_NUMBER, scope, a);
    bool real = model_float(s->type.type);
    s->op = binary_op(s->type.type);
    s->number = real ? (below(2000) - 1000) / 512.0 : 1 + below(7);
    s->dynamic = !real && chance(50);
    if (!real && chance(50)) s->op = ONE_OF(more);
}

/* With an element of any value of the type, whose index may depend on the work-item. */
static void add_by_element(kind k, int scope, int a)
{
    int from = a;
    step *s;
    for (int i = 0; i < program.count; i++)
        if (is_visible(i, scope) && program.steps[i].type.type == program.steps[a].type.type && chance(50)) from = i;
    s = new_like(k, scope, a);
    s->b = from;
    s->op = binary_op(s->type.type);
    s->first = below(program.steps[from].length);
    s->count = below(s->length);
    s->dynamic = chance(40);
}

enum { FLOOR, ABS, SQRT, EXP, LOG, SIN, COS, TANH, SIGMOID, FUNCTIONS };

static void add_function(kind k, int scope, int a)
{
    step *s;
    if (!model_float(program.steps[a].type.type)) return;
    s = new_like(k, scope, a);
    s->op = below(FUNCTIONS);
    s->number = 0.125;
}

static void add_part(kind k, int scope, int a)
{
    int type = program.steps[a].type.type, length = program.steps[a].length, b = a;
    step *s;
    if (k == CONCAT) {
        b = operand(scope, type, random_length());
        if (length + program.steps[b].length > LENGTH_MAX) return;
        s = new_step(k, scope, type, length + program.steps[b].length);
    } else {
        s = new_step(k, scope, type, 1 + below(length));
        s->first = below(length - s->length + 1);
    }
    s->a = a;
    s->b = b;
}

/* How an input of this type may be read. */
static int interpretation_of(int type)
{
    static const int packed[] = {CV_PACKED_S8X32, CV_PACKED_U8X32};
    if (type == CV_U32 && chance(50)) return ONE_OF(packed);
    return chance(40) ? type : ONE_OF(memory_types);
}

/* Types that have matrix instructions, half of the time. */
static void choose_types(model_product *p)
{
    static const int suited[][3] = {{CV_F16, CV_F16, CV_F16}, {CV_F16, CV_E4M3, CV_E4M3}, {CV_F32, CV_F16, CV_F16},
                                    {CV_U32, CV_PACKED_S8X32, CV_I8}, {CV_F32, CV_I8, CV_I8},
                                    {CV_F16, CV_E5M2, CV_E5M2}, {CV_U32, CV_PACKED_U8X32, CV_U8}};
    const int *t = ONE_OF(suited);
    p->input = t[0], p->as = t[1], p->matrix = t[2];
    if (chance(50)) {
        p->input = ONE_OF(vector_types);
        p->as = interpretation_of(p->input);
        p->matrix = ONE_OF(memory_types);
    }
    p->bias = chance(50) ? 0 : ONE_OF(memory_types);
    p->output = ONE_OF(vector_types);
}

static void choose_layout(model_product *p)
{
    bool fp8 = p->matrix == CV_E4M3 || p->matrix == CV_E5M2;
    p->layout = fp8 || chance(60) ? CV_MUL_OPTIMAL + below(2) : below(2);
    p->transpose = p->layout >= CV_MUL_OPTIMAL && chance(30);
}

static void take_matrix(step *s, int type, int rows, int cols, int layout)
{
    size_t line = model_line_bytes(layout, type, (size_t)rows, (size_t)cols);
    s->row = line ? (line + 15) / 16 * 16 + (size_t)(16 * below(2)) : 0;
    s->size = (model_matrix_bytes(layout, type, (size_t)rows, (size_t)cols, s->row) + 127) / 128 * 128;
    s->matrix = take(s->size * 2);
}

static void add_product(int scope)
{
    model_product p;
    step *s;
    int a;
    memset(&p, 0, sizeof p);
    choose_types(&p);
    choose_layout(&p);
    p.m = random_length();
    p.k = random_length();
    a = operand(scope, p.input, is_packed(p.as) ? (p.k + 3) / 4 : p.k);
    s = new_step(PRODUCT, scope, p.output, p.m);
    s->a = a;
    s->p = p;
    s->own = chance(25);
    s->by_lanes = chance(20);
    take_matrix(s, p.matrix, p.transpose ? p.k : p.m, p.transpose ? p.m : p.k, p.layout);
    s->bias = take((size_t)p.m * 4);
}

/* Types of vectors and of their sums; the first OUTER_TYPES also in matrices. */
enum { OUTER_TYPES = 3 };
static const int sums[][2] = {{CV_F16, CV_F16}, {CV_F16, CV_F32}, {CV_F32, CV_F32}, {CV_I32, CV_I32}, {CV_U32, CV_U32}};

static void add_accumulation(kind k, int scope)
{
    const int *t = k == OUTER ? sums[below(OUTER_TYPES)] : ONE_OF(sums);
    int n = random_length(), m = k == OUTER ? random_length() : 1, a = operand(scope, t[0], n);
    int b = k == OUTER ? operand(scope, t[0], m) : a;
    step *s = new_step(k, scope, t[1], n);
    s->a = a;
    s->b = b;
    s->p.m = m, s->p.k = n, s->p.layout = k == OUTER ? CV_OUTER_PRODUCT_OPTIMAL : CV_ROW_MAJOR;
    s->own = chance(25);
    s->by_lanes = chance(20);
    take_matrix(s, t[1], m, n, s->p.layout);
}

static void add_step(int scope);

/* How a loop is written. */
enum { COUNT_UP, COUNT_DOWN, STEP_UP, STEP_DOWN, AS_LONG_AS, LOOP_WAYS };

/* A loop or condition around a few steps, whose value is changed by the last one. */
static void add_region(kind k, int scope)
{
    int init = any_value(scope), n, other;
    step *s;
    if (init < 0 || program.count > STEPS_MAX - 12) return;
    s = new_like(k, scope, init);
    n = number_of(s);
    s->count = k == LOOP ? below(4) : below(2);
    s->op = k == LOOP ? below(LOOP_WAYS) : 0;
    s->divergent = chance(50);
    for (int i = below(3); i > 0; i--) add_step(n);
    other = operand_like(n, n);
    s = new_like(BINARY, n, n);
    s->b = other, s->c = s->d = n;
    s->op = model_float(s->type.type) ? SPE_ARITH_ADD : binary_op(s->type.type);
    program.steps[n].b = number_of(s);
    program.steps[n].body = number_of(s) - n;
}

static void add_step(int scope)
{
    kind k = chance(15) ? PRODUCT : (kind)below(KINDS);
    int a = any_value(scope);
    if (program.count > STEPS_MAX - 6) return;
    if (a < 0) k = LOAD;
    switch (k) {
    case LOAD: new_load(scope, ONE_OF(vector_types), random_length()); break;
    case SPLAT: new_step(k, scope, ONE_OF(vector_types), random_length())->number = below(100); break;
    case BINARY:
    case FMA:
    case CHOOSE: add_elementwise(k, scope, a); break;
    case BY_NUMBER: add_by_number(scope, a); break;
    case BY_ELEMENT:
    case SET_ELEMENT: add_by_element(k, scope, a); break;
    case FUNCTION:
    case LEAKY: add_function(k, scope, a); break;
    case CAST: new_like(k, scope, a)->type.type = ONE_OF(vector_types); break;
    case CONCAT:
    case SLICE: add_part(k, scope, a); break;
    case PRODUCT: add_product(scope); break;
    case SUM:
    case OUTER: add_accumulation(k, scope); break;
    default: add_region(k, scope);
    }
}

static void make_program(uint64_t seed)
{
    int steps;
    memset(&program, 0, sizeof program);
    test_.random = program.seed = seed;
    used = 0;
    steps = 3 + below(8);
    for (int i = 0; i < steps; i++) add_step(-1);
}

static void print_program(void)
{
    printf("seed %llu\n", (unsigned long long)program.seed);
    for (int i = 0; i < program.count; i++) {
        const step *s = &program.steps[i];
        printf("%*s%%%d = %s %d %s of %d %d %d %d: op %d count %d body %d number %g first %d pitch %d stride %d "
               "moves %d%s%s%s%s", s->scope < 0 ? 2 : 6, "", i, kind_names[s->kind], s->length,
               cv_type_name(s->type.type), s->a, s->b, s->c, s->d, s->op, s->count, s->body, s->number, s->first,
               s->pitch, s->stride, s->moves, s->divergent ? " divergent" : "", s->dynamic ? " dynamic" : "",
               s->own ? " own" : "", s->by_lanes ? " by lanes" : "");
        if (s->kind == PRODUCT)
            printf(" as %s, matrix %s %d x %d %s%s, bias %s", cv_type_name(s->p.as), cv_type_name(s->p.matrix), s->p.m,
                   s->p.k, cv_layout_name(s->p.layout), s->p.transpose ? " transposed" : "", cv_type_name(s->p.bias));
        if (s->kind == OUTER) printf(" %d x %d", s->p.m, s->p.k);
        printf("\n");
    }
    fflush(stdout);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static uint8_t *matrix_element(const step *s, int odd, int type, int rows, int r, int c)
{
    return memory + s->matrix + (size_t)odd * s->size +
           cv_element_offset((cv_layout)s->p.layout, (cv_type)type, (uint32_t)rows, (uint32_t)s->row, (uint32_t)r,
                             (uint32_t)c);
}

/* Element (r, c) of a product's matrix as it is multiplied. */
static uint8_t *factor(const step *s, int odd, int r, int c)
{
    const model_product *p = &s->p;
    return p->transpose ? matrix_element(s, odd, p->matrix, p->k, c, r) : matrix_element(s, odd, p->matrix, p->m, r, c);
}

static void fill_matrix(const step *s)
{
    const model_product *p = &s->p;
    memset(memory + s->matrix, p->layout < CV_MUL_OPTIMAL ? 0xff : 0, 2 * s->size); /* gaps are NaN, padding is zero */
    for (int odd = 0; odd < 2; odd++)
        for (int r = 0; r < p->m; r++)
            for (int c = 0; c < p->k; c++) model_put(p->matrix, factor(s, odd, r, c), model_random(p->matrix));
    for (int r = 0; p->bias && r < p->m; r++)
        model_put(p->bias, memory + s->bias + r * model_bytes(p->bias), model_random(p->bias));
}

static int load_index(const step *s, int g, int k, int i)
{
    return s->first + g * s->pitch + k * s->moves + i * s->stride;
}

static void fill(step *s)
{
    int bytes = model_bytes(s->type.type), last = load_index(s, ALL, 4, s->length);
    if (s->kind == LOAD) {
        s->in = take((size_t)(last * bytes));
        for (int i = 0; i < last; i++) model_put(s->type.type, memory + s->in + i * bytes, model_random(s->type.type));
    }
    if (s->kind == PRODUCT) fill_matrix(s);
    if (is_value(s)) {
        s->out = take((size_t)(s->length * ALL * bytes));
        memset(memory + s->out, 0xb7, (size_t)(s->length * ALL * bytes));
        return;
    }
    memset(memory + s->matrix, 0, 2 * s->size);
    s->sums = (value *)calloc((size_t)(2 * s->p.m * s->p.k), sizeof *s->sums);
    s->magnitude = (double *)calloc((size_t)(2 * s->p.m * s->p.k), sizeof *s->magnitude);
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

static cv_val pointer(CV_CONTEXT, int type) { return CV_SELF->args[model_pointer(type)]; }

/* A number that the kernel computes from its parameter, which is 1. */
static cv_val at_launch(CV_CONTEXT, int n) { return CV_MUL(CV_CAST(i32, CV_SELF->args[10]), n); }

static cv_vec binary(CV_CONTEXT, int op, cv_vec a, cv_vec b)
{
    switch (op) {
    case SPE_ARITH_ADD: return CV_ADD(a, b);
    case SPE_ARITH_SUB: return CV_SUB(a, b);
    case SPE_ARITH_MUL: return CV_MUL(a, b);
    case SPE_ARITH_MIN: return CV_MIN(a, b);
    case SPE_ARITH_MAX: return CV_MAX(a, b);
    case SPE_ARITH_AND: return CV_AND(a, b);
    case SPE_ARITH_OR: return CV_OR(a, b);
    default: return CV_XOR(a, b);
    }
}

static cv_vec by_number(CV_CONTEXT, int op, cv_vec a, cv_val b)
{
    switch (op) {
    case SPE_ARITH_ADD: return CV_ADD(a, b);
    case SPE_ARITH_SUB: return CV_SUB(b, a);
    case SPE_ARITH_MUL: return CV_MUL(b, a);
    case SPE_ARITH_DIV: return CV_DIV(a, b);
    case SPE_ARITH_REM: return CV_MOD(a, b);
    case SPE_ARITH_MIN: return CV_MIN(a, b);
    case SPE_ARITH_MAX: return CV_MAX(b, a);
    case SPE_ARITH_AND: return CV_AND(a, b);
    case SPE_ARITH_OR: return CV_OR(a, b);
    case SPE_ARITH_SHL: return CV_SHL(a, b);
    case SPE_ARITH_SHR: return CV_SHR(a, b);
    default: return CV_XOR(a, b);
    }
}

static cv_vec function(CV_CONTEXT, int op, cv_vec a)
{
    switch (op) {
    case FLOOR: return CV_FLOOR(a);
    case ABS: return CV_ABS(a);
    case SQRT: return CV_SQRT(a);
    case EXP: return CV_EXP(a);
    case LOG: return CV_LOG(a);
    case SIN: return CV_SIN(a);
    case COS: return CV_COS(a);
    case TANH: return CV_TANH(a);
    default: return CV_SIGMOID(a);
    }
}

static cv_val element_index(CV_CONTEXT, const step *s)
{
    return s->dynamic ? CV_MOD(CV_ADD(CV_GLOBAL_ID(), s->first), program.steps[s->b].length) : CV_AT(s->first);
}

static cv_val matrix_offset(CV_CONTEXT, const step *s)
{
    if (!s->own) return CV_AT((int)s->matrix);
    return CV_ADD(CV_MUL(CV_AND(CV_GLOBAL_ID(), 1), (int)s->size), (int)s->matrix);
}

static cv_matrix_ref matrix_of(CV_CONTEXT, const step *s, int type)
{
    cv_matrix_ref r;
    memset(&r, 0, sizeof r);
    r.base = pointer(CV_SELF, CV_U8), r.interpretation = (cv_type)type;
    r.rows = s->p.m, r.cols = s->p.k, r.layout = (cv_layout)s->p.layout, r.transpose = s->p.transpose;
    r.offset = matrix_offset(CV_SELF, s);
    r.uniform = s->by_lanes ? CV_UNIFORM_NO : CV_UNIFORM_AUTO;
    if (s->row) r.stride = CV_AT((int)s->row);
    return cv_matrix_ref_(CV_HERE_, r);
}

static cv_vec product(CV_CONTEXT, const step *s, cv_vec x)
{
    cv_matrix_ref w = matrix_of(CV_SELF, s, s->p.matrix);
    cv_interpreted_vector v = {x, s->p.as};
    cv_vector_ref b;
    if (!s->p.bias) return cv_mul(CV_HERE_, s->p.output, &w, &v);
    memset(&b, 0, sizeof b);
    b.base = pointer(CV_SELF, CV_U8), b.interpretation = (cv_type)s->p.bias, b.offset = CV_AT((int)s->bias);
    b = cv_vector_ref_(CV_HERE_, b);
    return cv_mul_add(CV_HERE_, s->p.output, &w, &v, &b);
}

static void accumulate(CV_CONTEXT, const step *s, cv_vec a, cv_vec b)
{
    if (s->kind == OUTER) {
        CV_OUTER_PRODUCT_ACCUMULATE(b, a, matrix_of(CV_SELF, s, s->type.type));
    } else {
        cv_vector_ref r;
        memset(&r, 0, sizeof r);
        r.base = pointer(CV_SELF, CV_U8), r.interpretation = (cv_type)s->type.type;
        r.offset = matrix_offset(CV_SELF, s);
        r.uniform = s->by_lanes ? CV_UNIFORM_NO : CV_UNIFORM_AUTO;
        CV_VECTOR_ACCUMULATE(a, r);
    }
}

static void record(CV_CONTEXT, int from, int to, cv_val k);

static cv_vec iteration(CV_CONTEXT, int n, cv_vec v, cv_val i)
{
    const step *s = &program.steps[n];
    vecs[n] = v;
    record(CV_SELF, n + 1, n + 1 + s->body, i);
    return vecs[s->b];
}

/* In iteration i, from 0 to times - 1. */
static cv_vec loop(CV_CONTEXT, int n, cv_val times)
{
    const step *s = &program.steps[n];
    cv_vec v = vecs[s->a];
    cv_val last = CV_SUB(times, 1), i = CV_NUMBER(0), one = at_launch(CV_SELF, s->op == STEP_DOWN ? -1 : 1);
    switch (s->op) {
    case COUNT_UP:
        CV_FOR (k, 0, times, 1, &v) v = iteration(CV_SELF, n, v, k);
        break;
    case COUNT_DOWN:
        CV_FOR (k, CV_MUL(last, 2), -1, -2, &v) v = iteration(CV_SELF, n, v, CV_SUB(last, CV_DIV(k, 2)));
        break;
    case STEP_UP:
        CV_FOR (k, 7, CV_ADD(times, 7), one, &v) v = iteration(CV_SELF, n, v, CV_SUB(k, 7));
        break;
    case STEP_DOWN:
        CV_FOR (k, last, -1, one, &v) v = iteration(CV_SELF, n, v, CV_SUB(last, k));
        break;
    default:
        CV_WHILE (CV_LT(s->divergent ? i : CV_UNIFORM(i), times), &i, &v) {
            v = iteration(CV_SELF, n, v, i);
            i = CV_ADD(i, 1);
        }
    }
    return v;
}

static cv_vec region(CV_CONTEXT, int n)
{
    const step *s = &program.steps[n];
    cv_vec v = vecs[s->a];
    cv_val gid = CV_GLOBAL_ID();
    if (s->kind == LOOP)
        return loop(CV_SELF, n, s->divergent ? CV_ADD(CV_MOD(gid, 3), s->count) : at_launch(CV_SELF, s->count));
    CV_IF (CV_EQ(s->divergent ? CV_MOD(gid, 3) : at_launch(CV_SELF, 1), s->count), &v) {
        vecs[n] = v;
        record(CV_SELF, n + 1, n + 1 + s->body, CV_AT(1));
        v = vecs[s->b];
    }
    return v;
}

static cv_vec load(CV_CONTEXT, const step *s, cv_val k)
{
    int at = s->first + (int)(s->in / (size_t)model_bytes(s->type.type));
    cv_val first = s->dynamic ? at_launch(CV_SELF, at) : CV_AT(at);
    cv_val index = CV_ADD(CV_ADD(CV_MUL(CV_GLOBAL_ID(), s->pitch), first), CV_MUL(k, s->moves));
    if (s->stride == 1) return CV_LOAD(pointer(CV_SELF, s->type.type), s->length, index);
    return CV_LOAD(pointer(CV_SELF, s->type.type), s->length, index, .stride = CV_AT(s->stride));
}

static cv_vec recorded(CV_CONTEXT, int n, cv_val k)
{
    const step *s = &program.steps[n];
    cv_vec a = vecs[s->a < 0 ? 0 : s->a], b = vecs[s->b < 0 ? 0 : s->b];
    bool real = model_float(s->type.type);
    switch (s->kind) {
    case LOAD: return load(CV_SELF, s, k);
    case SPLAT: return CV_SPLAT(of(s->type), s->length, (int)s->number);
    case BINARY: return binary(CV_SELF, s->op, a, b);
    case BY_NUMBER:
        if (real) return by_number(CV_SELF, s->op, a, CV_AT(s->number));
        return by_number(CV_SELF, s->op, a,
                         s->dynamic ? CV_CAST(of(s->type), at_launch(CV_SELF, (int)s->number)) : CV_AT((int)s->number));
    case BY_ELEMENT: return by_number(CV_SELF, s->op, a, CV_ELEMENT(b, element_index(CV_SELF, s)));
    case FMA: return CV_FMA(a, b, vecs[s->c]);
    case CHOOSE: return CV_SELECT(CV_GT(a, b), vecs[s->c], vecs[s->d]);
    case FUNCTION: return function(CV_SELF, s->op, a);
    case LEAKY: return CV_LEAKY_RELU(a, s->number);
    case CAST: return CV_CAST(of(s->type), a);
    case CONCAT: return CV_CONCAT(a, b);
    case SLICE: return CV_SLICE(a, s->first, s->length);
    case SET_ELEMENT: return CV_SET_ELEMENT(a, s->count, CV_ELEMENT(b, element_index(CV_SELF, s)));
    case PRODUCT: return product(CV_SELF, s, a);
    case SUM:
    case OUTER: accumulate(CV_SELF, s, a, b); return a;
    default: return region(CV_SELF, n);
    }
}

static void record(CV_CONTEXT, int from, int to, cv_val k)
{
    for (int n = from; n < to; n++) {
        vecs[n] = recorded(CV_SELF, n, k);
        n += program.steps[n].body;
    }
}

static void all_steps(CV_CONTEXT)
{
    record(CV_SELF, 0, program.count, CV_AT(0));
    for (int i = 0; i < program.count; i++) {
        const step *s = &program.steps[i];
        if (s->scope >= 0 || !is_value(s)) continue;
        CV_STORE(vecs[i], pointer(CV_SELF, s->type.type),
                 CV_ADD(CV_MUL(CV_GLOBAL_ID(), s->length), (int)(s->out / (size_t)model_bytes(s->type.type))));
    }
}

/* ---- interpreting, one work-item after the other ----------------------------------------------------------------- */

static value results[STEPS_MAX][LENGTH_MAX]; /* of the current work-item */
static const value unknown = {0, INFINITY};

/* By the conversion rules; a float that may be on either side of a boundary is not known as an integer. */
static value converted(int type, value x)
{
    double low = model_convert(x.v - x.error, type), high = model_convert(x.v + x.error, type);
    if (!(x.error < INFINITY)) return unknown;
    if (type == CV_F16 || type == CV_F32) return rounded(cm_of(type), x.v, x.error, 1);
    return low == high ? (value){low, 0} : unknown;
}

/* Most functions are within 5 units in the last place of f32; in f16 one more rounding follows. */
static value applied(int op, int type, value x)
{
    double units = type == CV_F32 ? 10 : 2, e = x.error;
    int t = cm_of(type);
    switch (op) {
    case FLOOR: return floor(x.v - e) == floor(x.v + e) ? (value){floor(x.v), 0} : unknown;
    case ABS: return (value){fabs(x.v), e};
    case SQRT: return x.v - e > 1e-3 ? rounded(t, sqrt(x.v), e / sqrt(x.v - e), units) : unknown;
    case EXP: return fabs(x.v) + e < 8 ? rounded(t, exp(x.v), exp(x.v + e) * e, units) : unknown;
    case LOG:
        return x.v - e > 0.01 ? rounded(t, log(x.v), e / (x.v - e) + 0x1p-22, units) : unknown;
    case SIN: return fabs(x.v) + e < 100 ? rounded(t, sin(x.v), e + 0x1p-22, units) : unknown;
    case COS: return fabs(x.v) + e < 100 ? rounded(t, cos(x.v), e + 0x1p-22, units) : unknown;
    case TANH: return rounded(t, tanh(x.v), e + 0x1p-22, units);
    default: return fabs(x.v) + e < 60 ? rounded(t, 1 / (1 + exp(-x.v)), e + 0x1p-22, units) : unknown;
    }
}

static value by_number_of(const step *s, value x, value y)
{
    int type = cm_of(s->type.type);
    if (s->op == SPE_ARITH_SUB) return combined(s->op, type, y, x);
    return combined(s->op, type, x, y);
}

static value chosen_of(value a, value b, value c, value d)
{
    if (!(fabs(a.v - b.v) > a.error + b.error) && a.error + b.error > 0) return unknown;
    return a.v > b.v ? c : d;
}

/* Element i of a product's input as it is read. */
static value input_of(const step *s, int i)
{
    const value *x = results[s->a];
    uint32_t word;
    if (!is_packed(s->p.as)) return converted(s->p.as, x[i]);
    if (x[i / 4].error > 0) return unknown;
    word = (uint32_t)x[i / 4].v >> 8 * (i % 4) & 255;
    return (value){s->p.as == CV_PACKED_S8X32 ? (double)(int8_t)word : word, 0};
}

static value whole_product(const step *s, int odd, int r)
{
    const model_product *p = &s->p;
    double bias = p->bias ? model_get(p->bias, memory + s->bias + r * model_bytes(p->bias)) : 0, exact;
    uint32_t sum = p->bias && !model_float(p->bias) ? (uint32_t)(int64_t)bias : 0;
    bool sign = model_signed(p->as) || model_signed(p->matrix) || (p->bias && model_signed(p->bias));
    for (int i = 0; i < p->k; i++) {
        value x = input_of(s, i);
        if (x.error > 0) return unknown;
        sum += (uint32_t)(int64_t)x.v * (uint32_t)(int64_t)model_get(p->matrix, factor(s, odd, r, i));
    }
    exact = sign ? (double)(int32_t)sum : (double)sum;
    if (p->bias && model_float(p->bias)) exact = (double)((float)exact + (float)bias);
    return converted(p->output, (value){exact, 0});
}

static value product_of(const step *s, int odd, int r)
{
    const model_product *p = &s->p;
    double sum, size, error = 0;
    if (!model_float(p->as) && !model_float(p->matrix)) return whole_product(s, odd, r);
    sum = p->bias ? model_get(p->bias, memory + s->bias + r * model_bytes(p->bias)) : 0;
    size = fabs(sum);
    for (int i = 0; i < p->k; i++) {
        value x = input_of(s, i);
        double w = model_get(p->matrix, factor(s, odd, r, i));
        if (!(x.error < INFINITY)) return unknown;
        sum += x.v * w, size += fabs(x.v * w) + x.error * fabs(w), error += x.error * fabs(w);
    }
    /* as in coopvec_model.h */
    error += size * (p->k + 4) * 0x1p-24 * 1.01 + 1e-37;
    if (!(size < 1e30)) return unknown;
    return converted(p->output, (value){sum, error});
}

static value computed(const step *s, int g, int k, int i)
{
    int type = cm_of(s->type.type), index = s->first;
    const value *a = s->a < 0 ? NULL : results[s->a], *b = s->b < 0 ? NULL : results[s->b], x = a ? a[i] : unknown;
    value number = {model_convert(s->number, s->type.type), 0};
    if (s->dynamic && s->b >= 0) index = (g + s->first) % program.steps[s->b].length;
    switch (s->kind) {
    case LOAD: return (value){model_get(s->type.type, memory + s->in + load_index(s, g, k, i) *
                                                                           model_bytes(s->type.type)), 0};
    case SPLAT: return number;
    case BINARY: return combined(s->op, type, x, b[i]);
    case BY_NUMBER: return by_number_of(s, x, number);
    case BY_ELEMENT: return by_number_of(s, x, b[index]);
    case FMA: return fma_of(type, x, b[i], results[s->c][i]);
    case CHOOSE: return chosen_of(x, b[i], results[s->c][i], results[s->d][i]);
    case FUNCTION: return applied(s->op, s->type.type, x);
    case LEAKY:
        if (fabs(x.v) <= x.error && x.error > 0) return unknown;
        return x.v > 0 ? x : combined(SPE_ARITH_MUL, type, x, number);
    case CAST: return converted(s->type.type, x);
    case CONCAT: return i < program.steps[s->a].length ? x : b[i - program.steps[s->a].length];
    case SLICE: return a[s->first + i];
    case SET_ELEMENT: return i == s->count ? b[index] : x;
    case PRODUCT: return product_of(s, s->own && g % 2, i);
    default: return unknown;
    }
}

/* Each addition rounds, in any order, and in f16 what is added is rounded first: the error is bounded at the end. */
static void accumulated(step *s, int g)
{
    for (int r = 0; r < s->p.m; r++)
        for (int c = 0; c < s->p.k; c++) {
            int at = ((s->own && g % 2 ? s->p.m : 0) + r) * s->p.k + c;
            value x = results[s->a][c], y = s->kind == OUTER ? results[s->b][r] : (value){1, 0};
            double error = fabs(x.v) * y.error + fabs(y.v) * x.error + x.error * y.error;
            s->sums[at].v += x.v * y.v;
            s->sums[at].error += error > 0 ? error : 0;
            if (!(x.error < INFINITY && y.error < INFINITY)) s->sums[at].error = INFINITY;
            s->magnitude[at] += fabs(x.v * y.v) + error;
        }
    s->count++;
}

static void interpret(int from, int to, int g, int k)
{
    for (int n = from; n < to; n++) {
        step *s = &program.steps[n];
        int times = 1;
        if (!is_value(s)) {
            accumulated(s, g);
        } else if (s->kind < LOOP) {
            for (int i = 0; i < s->length; i++) results[n][i] = computed(s, g, k, i);
        } else {
            times = s->kind == CONDITION ? (s->divergent ? g % 3 : 1) == s->count : s->count + s->divergent * (g % 3);
            memcpy(results[n], results[s->a], sizeof results[n]);
            for (int t = 0; t < times; t++) {
                interpret(n + 1, n + 1 + s->body, g, s->kind == LOOP ? t : 1);
                memcpy(results[n], results[s->b], sizeof results[n]);
            }
            n += s->body;
        }
    }
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static long compared_values, skipped_values;
static int wrong_values;

static void compare(const step *s, const char *what, int g, int i, const uint8_t *at, value want)
{
    double got = model_get(s->type.type, at);
    if (!(want.error < INFINITY)) {
        skipped_values++;
        return;
    }
    compared_values++;
    if (fabs(got - want.v) <= want.error || wrong_values++ > 3) return;
    printf("    %%%d, %s %d, element %d: got %.9g, want %.9g +- %.3g\n", number_of(s), what, g, i, got, want.v,
           want.error);
}

static void compare_vectors(int g)
{
    for (int n = 0; n < program.count; n++) {
        const step *s = &program.steps[n];
        for (int i = 0; s->scope < 0 && is_value(s) && i < s->length; i++)
            compare(s, "work-item", g, i, memory + s->out + (g * s->length + i) * model_bytes(s->type.type),
                    results[n][i]);
    }
}

static void compare_sums(const step *s)
{
    int type = cm_of(s->type.type);
    for (int odd = 0; odd < (s->own ? 2 : 1); odd++)
        for (int i = 0; i < s->p.m * s->p.k; i++) {
            int at = odd * s->p.m * s->p.k + i, r = i / s->p.k, c = i % s->p.k;
            value sum = s->sums[at];
            if (is_float(type))
                sum = rounded(type, sum.v, sum.error + s->magnitude[at] * (s->count + 4) * 2 * half_ulp(type), 1);
            else sum = sum.error < INFINITY ? rounded(type, sum.v, sum.error, 0) : sum;
            compare(s, "matrix", odd, i,
                    s->kind == SUM ? memory + s->matrix + (size_t)odd * s->size + c * model_bytes(s->type.type)
                                   : matrix_element(s, odd, s->type.type, s->p.m, r, c), sum);
        }
}

static void run_program(uint64_t seed)
{
    static const int sizes[] = {16, 16, 16, 32, 8};
    char name[48];
    model_kernel k = {name, all_steps, WORK_ITEMS, 0, CM_AUTO};
    bool ran;
    make_program(seed);
    k.subgroup_size = ONE_OF(sizes);
    if (!has_subgroups_of(k.subgroup_size)) k.subgroup_size = 16;
    if (chance(20)) k.lowering = CM_PLAIN;
    snprintf(name, sizeof name, "random_%llu", (unsigned long long)seed);
    for (int n = 0; n < program.count; n++) fill(&program.steps[n]);
    if (getenv("RANDOM_PRINT")) print_program();
    ran = model_run(&k, GROUPS, 1);
    wrong_values = 0;
    for (int n = 0; n < program.count; n++) if (!is_value(&program.steps[n])) program.steps[n].count = 0;
    for (int g = 0; ran && g < ALL; g++) {
        interpret(0, program.count, g, 0);
        compare_vectors(g);
    }
    for (int n = 0; n < program.count; n++) {
        step *s = &program.steps[n];
        if (ran && !is_value(s)) compare_sums(s);
        free(s->sums);
        free(s->magnitude);
    }
    if (!ran || wrong_values) {
        test_fail(__FILE__, __LINE__, "subgroups of %d%s: %d values are wrong in", k.subgroup_size,
                  k.lowering == CM_PLAIN ? ", plain" : "", wrong_values);
        print_program();
    }
}

TEST(random_programs)
{
    uint64_t seed = setting("RANDOM_SEED", 5000), count = setting("RANDOM_PROGRAMS", test_thorough() ? 12 : 3);
    for (uint64_t i = 0; i < count; i++) {
        run_program(seed + i);
        if (getenv("RANDOM_PRINT")) test_.failures_here = 0;
    }
    if (getenv("RANDOM_PRINT")) printf("%ld values compared, %ld not\n", compared_values, skipped_values);
    CHECK_MSG(compared_values > 3 * skipped_values, "%ld values compared, %ld not", compared_values, skipped_values);
}

/* For subgroups of 64, which AMD's GPUs have and no device here: modules for spirv-val, not executed. */
TEST(modules_for_64_lanes)
{
    uint64_t seed = setting("RANDOM_SEED", 5100), count = setting("RANDOM_PROGRAMS", test_thorough() ? 30 : 2);
    const cv_target target = {.name = "vulkan", .subgroup_sizes = 64, .local_memory = 65536, .max_group_size = 1024};
    for (uint64_t i = 0; i < count; i++) {
        char name[64];
        cv_kernel kernel = {"random", model_params, __FILE__, __LINE__, all_steps};
        make_program(seed + i);
        for (int n = 0; n < program.count; n++) fill(&program.steps[n]);
        cv_module mod = cv_build(&(cv_build_desc){.kernel = &kernel, .file = __FILE__, .line = __LINE__,
                                                  .local_size = 2 * 64, .target = &target});
        CHECK_MSG(mod.words != NULL, "seed %llu: %s", (unsigned long long)(seed + i), mod.error->text);
        CHECK_INT(mod.subgroup_size, 64);
        snprintf(name, sizeof name, "vulkan_coopvec_random_64_lanes_%llu", (unsigned long long)(seed + i));
        test_save_spv(name, mod.words, mod.size);
        cv_free(&mod);
        for (int n = 0; n < program.count; n++) free(program.steps[n].sums), free(program.steps[n].magnitude);
    }
}

static void tests(void)
{
    RUN(random_programs);
    RUN(modules_for_64_lanes);
}

int main(void) { return model_main(MEMORY, tests); }
