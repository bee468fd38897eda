/* test_soft_random.c - random kernels on the software device: integers of all widths, floats, private, local and global
 * memory, divergent ifs, loops, switches and returns, barriers, subgroup operations, atomics. Each kernel is written
 * with spirv_emit.h, launched, and compared with an interpreter that executes each statement for all work-items.
 *
 * All results are exact: floats hold integers below 2^24.
 *
 *     RANDOM_PROGRAMS=1000 RANDOM_SEED=7 build/test_soft_random      more of them; the seed of a failure is printed
 */
#include "spirv_emit.h"
#include "ze_dispatch.h"

#include "random_choices.h"

enum { VARS = 10, STATEMENTS = 60, ITEMS_MAX = 512, CELLS = 8, SLOTS = 4, COUNTERS = 8 };

/* The variables of a work-item; floats come last. */
static const int widths[VARS] = {32, 32, 32, 32, 64, 64, 16, 8, 0, 0};
static bool is_float(int v) { return widths[v] == 0; }

typedef enum {
    COMPUTE, CHOOSE, CONVERT, TO_FLOAT, FROM_FLOAT, LOAD, STORE, PUT, GET, COUNT, RETURN, EXCHANGE, SUBGROUP,
    IF, IF_UNIFORM, FOR, FOR_VARIABLE, WHILE, SWITCH, KINDS
} kind;

typedef struct {
    kind kind;
    int a, b, c, op; /* a: the variable that it sets */
    int k, scale;    /* constants */
    int side[3];     /* the first statements of its blocks, -1: empty */
    int next;
} statement;

static struct {
    statement at[STATEMENTS];
    int count, root;
    bool together; /* it may have barriers and subgroup operations, and then no returns */
    int local_size, groups, items, subgroup_size;
    uint32_t flags; /* a parameter */
    uint64_t seed;
} program;

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static int variable(bool of_floats) { return of_floats ? VARS - 2 + below(2) : below(VARS - 2); }
static int of_width(int v)
{
    int w;
    do w = below(VARS);
    while (widths[w] != widths[v]);
    return w;
}

static int random_block(int depth, bool together);

static int random_statement(int depth, bool together)
{
    int at = program.count++;
    statement s;
    memset(&s, 0, sizeof s);
    s.side[0] = s.side[1] = s.side[2] = s.next = -1;
    do s.kind = (kind)below(KINDS);
    while ((s.kind >= IF && depth >= 4) || (s.kind == RETURN && (program.together || below(4))) ||
           ((s.kind == EXCHANGE || s.kind == SUBGROUP || s.kind == IF_UNIFORM) && !together));
    s.a = variable(s.kind == TO_FLOAT || (s.kind == CHOOSE && below(3) == 0));
    bool alike = s.kind == COMPUTE || s.kind == CHOOSE;
    s.b = alike ? of_width(s.a) : variable(s.kind == FROM_FLOAT);
    s.c = alike ? of_width(s.a) : variable(false);
    if (s.kind == FOR || s.kind == FOR_VARIABLE || s.kind == WHILE || s.kind == SUBGROUP || s.kind == EXCHANGE)
        s.a = below(4);
    s.op = below(12);
    s.k = below(7);
    s.scale = below(5);
    program.at[at] = s;
    bool stay = together && (s.kind == IF_UNIFORM || s.kind == FOR);
    if (s.kind >= IF) program.at[at].side[0] = random_block(depth + 1, stay);
    bool two_sides = s.kind == IF || s.kind == IF_UNIFORM || s.kind == SWITCH;
    if (two_sides) program.at[at].side[1] = random_block(depth + 1, stay);
    if (s.kind == SWITCH) program.at[at].side[2] = random_block(depth + 1, false);
    return at;
}

static int random_block(int depth, bool together)
{
    int first = -1, last = -1, n = below(depth ? 4 : 9) + (depth == 0 ? 3 : 0);
    for (int i = 0; i < n && program.count < STATEMENTS - 1; i++) {
        int s = random_statement(depth, together);
        if (last >= 0) program.at[last].next = s;
        if (first < 0) first = s;
        last = s;
    }
    return first;
}

static zed_device device;

static void make_program(uint64_t seed)
{
    static const int sizes[] = {1, 7, 16, 33, 48, 64, 100};
    memset(&program, 0, sizeof program);
    test_.random = program.seed = seed;
    program.subgroup_size = 8 << below(3);
    if (!(device.target.subgroup_sizes & (uint32_t)program.subgroup_size)) program.subgroup_size = 16;
    program.together = below(2);
    program.local_size = program.together ? program.subgroup_size * (1 + below(3)) : sizes[below(7)];
    program.groups = 1 + below(3);
    program.items = program.local_size * program.groups;
    program.flags = (uint32_t)test_random();
    program.root = random_block(0, program.together);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

enum { IN8, IN16, IN32, IN64, OUT, MIDDLE, TOTALS, FLAGS, ITEMS, PARAMETERS };

typedef struct {
    spe_module *m;
    spe_id var[VARS], cells, shared, gid, lid;
} writer;

static spe_id type_of(spe_module *m, int v) { return is_float(v) ? spe_float(m, 32) : spe_int(m, (uint32_t)widths[v]); }
static spe_id read_var(writer *w, int v) { return spe_load(w->m, w->var[v], 0); }
static void set_var(writer *w, int v, spe_id id) { spe_store(w->m, w->var[v], id, 0); }

/* An integer variable in another width: sign-extended. */
static spe_id as_width(writer *w, int v, int bits)
{
    spe_id id = read_var(w, v);
    return widths[v] == bits ? id : spe_sconvert(w->m, spe_int(w->m, (uint32_t)bits), id);
}
static spe_id constant(writer *w, int bits, int64_t v) { return spe_const_i(w->m, spe_int(w->m, (uint32_t)bits), v); }

static spe_id write_operation(writer *w, int op, int bits, spe_id a, spe_id b)
{
    spe_module *m = w->m;
    spe_id amount = spe_and(m, b, constant(w, bits, bits - 1));
    switch (op) {
    case 0: return spe_iadd(m, a, b);
    case 1: return spe_isub(m, a, b);
    case 2: return spe_imul(m, a, b);
    case 3: return spe_and(m, a, b);
    case 4: return spe_or(m, a, b);
    case 5: return spe_xor(m, a, b);
    case 6: return spe_shl(m, a, amount);
    case 7: return spe_shr(m, a, amount);
    case 8: return spe_sar(m, a, amount);
    case 9: return spe_udiv(m, a, spe_or(m, b, constant(w, bits, 1)));
    case 10: return spe_umod(m, a, spe_or(m, b, constant(w, bits, 1)));
    default: return spe_iadd(m, spe_imul(m, a, constant(w, bits, 3)), b);
    }
}

static spe_id write_test(writer *w, int op, spe_id a, spe_id b, bool floats)
{
    spe_module *m = w->m;
    if (floats) return op % 2 ? spe_flt(m, a, b) : spe_fle(m, a, b);
    switch (op % 5) {
    case 0: return spe_slt(m, a, b);
    case 1: return spe_ult(m, a, b);
    case 2: return spe_ieq(m, spe_and(m, a, spe_null(m, spe_type_of(m, a))), b);
    case 3: return spe_sle(m, a, b);
    default: return spe_uge(m, a, b);
    }
}

/* A float below 2^12 from an integer variable. */
static spe_id small_float(writer *w, int v)
{
    spe_id id = spe_and(w->m, as_width(w, v, 32), constant(w, 32, 4095));
    return spe_s_to_f(w->m, spe_float(w->m, 32), id);
}

/* The index of a load: affine in the global id, or a variable made to fit. */
static spe_id write_index(writer *w, const statement *s)
{
    spe_module *m = w->m;
    if (s->op % 2)
        return spe_iadd(m, spe_imul(m, w->gid, constant(w, 64, s->scale)), constant(w, 64, s->k));
    return spe_uconvert(m, spe_int(m, 64), spe_and(m, as_width(w, s->b, 32), constant(w, 32, 127)));
}

static void write_block(writer *w, int at);

static void write_memory(writer *w, const statement *s)
{
    spe_module *m = w->m;
    if (s->kind == LOAD) {
        static const int from[] = {IN32, IN32, IN32, IN32, IN64, IN64, IN16, IN8};
        set_var(w, s->a, spe_load(m, spe_index(m, spe_param_id(m, (uint32_t)from[s->a]), write_index(w, s)), 0));
    } else if (s->kind == STORE) {
        spe_id slot = constant(w, 64, s->k % SLOTS), n = spe_param_id(m, ITEMS);
        spe_id at = spe_iadd(m, spe_imul(m, slot, n), w->gid);
        spe_store(m, spe_index(m, spe_param_id(m, MIDDLE), at), as_width(w, s->a, 32), 0);
    } else if (s->kind == COUNT) {
        spe_id at = spe_uconvert(m, spe_int(m, 64), spe_and(m, as_width(w, s->b, 32), constant(w, 32, COUNTERS - 1)));
        spe_id counter = spe_index(m, spe_param_id(m, TOTALS), at);
        spe_atomic(m, SPE_ATOMIC_IADD, counter, as_width(w, s->a, 32), SPE_ScopeDevice, 0);
    } else {
        spe_id cell = spe_and(m, as_width(w, s->b, 32), constant(w, 32, CELLS - 1));
        spe_id at = spe_element(m, w->cells, 1, &cell);
        if (s->kind == PUT)
            spe_store(m, at, as_width(w, s->a, 32), 0);
        else
            set_var(w, s->c < 4 ? s->c : 0, spe_load(m, at, 0));
    }
}

/* What all items of a group or subgroup do together. */
static void write_together(writer *w, const statement *s)
{
    spe_module *m = w->m;
    if (s->kind == EXCHANGE) {
        spe_id size = constant(w, 32, program.local_size);
        spe_id scaled = spe_imul(m, w->lid, constant(w, 32, s->scale + 1));
        spe_id at = spe_umod(m, spe_iadd(m, scaled, constant(w, 32, s->k)), size);
        spe_barrier(m);
        spe_store(m, spe_element(m, w->shared, 1, &w->lid), as_width(w, s->b, 32), 0);
        spe_barrier(m);
        set_var(w, s->a, spe_load(m, spe_element(m, w->shared, 1, &at), 0));
    } else if (s->op % 3 == 0) {
        set_var(w, s->a, spe_sg_reduce(m, SPE_RED_ADD, as_width(w, s->b, 32)));
    } else if (s->op % 3 == 1) {
        set_var(w, s->a, spe_sg_shuffle_xor(m, as_width(w, s->b, 32), spe_u32(m, (uint32_t)s->k % 8)));
    } else {
        set_var(w, s->a, spe_sg_broadcast(m, as_width(w, s->b, 32), spe_u32(m, (uint32_t)s->k % 8)));
    }
}

static void write_region(writer *w, const statement *s)
{
    spe_module *m = w->m;
    spe_id b = as_width(w, s->b, 32), one = constant(w, 32, 1), zero = constant(w, 32, 0);
    if (s->kind == IF || s->kind == IF_UNIFORM) {
        spe_id bit = spe_and(m, spe_param_id(m, FLAGS), constant(w, 32, (int64_t)1 << s->k));
        spe_if(m, s->kind == IF ? write_test(w, s->op, b, as_width(w, s->c, 32), false) : spe_ine(m, bit, zero));
        write_block(w, s->side[0]);
        spe_else(m, 0, NULL);
        write_block(w, s->side[1]);
        spe_endif(m, 0, NULL, NULL);
    } else if (s->kind == FOR || s->kind == FOR_VARIABLE) {
        spe_id count = s->kind == FOR ? constant(w, 32, s->k) : spe_and(m, b, constant(w, 32, 7));
        set_var(w, s->a, spe_for(m, zero, count, one, 0, NULL));
        write_block(w, s->side[0]);
        spe_endfor(m, 0, NULL);
    } else if (s->kind == WHILE) {
        spe_id fuel = constant(w, 32, s->k);
        spe_while(m, 1, &fuel);
        spe_while_test(m, spe_land(m, spe_sgt(m, fuel, zero), spe_slt(m, read_var(w, s->a), as_width(w, s->c, 32))));
        write_block(w, s->side[0]);
        fuel = spe_isub(m, fuel, one);
        spe_endwhile(m, 1, &fuel);
    } else {
        static const int64_t literals[] = {1, 3};
        spe_switch(m, spe_and(m, b, constant(w, 32, 3)), 2, literals);
        for (uint32_t i = 0; i < 3; i++) {
            i < 2 ? spe_case(m, i) : spe_default(m);
            write_block(w, s->side[i]);
            spe_endcase(m, 0, NULL);
        }
        spe_endswitch(m, 0, NULL);
    }
}

static void write_statement(writer *w, const statement *s)
{
    spe_module *m = w->m;
    switch (s->kind) {
    case COMPUTE:
        set_var(w, s->a, write_operation(w, s->op, widths[s->a], read_var(w, s->b), read_var(w, s->c)));
        break;
    case CHOOSE: {
        spe_id b = read_var(w, s->b), c = read_var(w, s->c);
        set_var(w, s->a, spe_select(m, write_test(w, s->op, b, c, is_float(s->a)), b, c));
        break;
    }
    case CONVERT: set_var(w, s->a, as_width(w, s->b, widths[s->a])); break;
    case TO_FLOAT: {
        spe_id b = small_float(w, s->b), c = small_float(w, s->c);
        set_var(w, s->a, s->op % 3 == 0 ? spe_fadd(m, b, c) : s->op % 3 == 1 ? spe_fsub(m, b, c) : spe_fmul(m, b, c));
        break;
    }
    case FROM_FLOAT: {
        spe_id v = spe_f_to_s(m, spe_int(m, 32), read_var(w, s->b));
        set_var(w, s->a, widths[s->a] == 32 ? v : spe_sconvert(m, type_of(m, s->a), v));
        break;
    }
    case LOAD:
    case STORE:
    case PUT:
    case GET:
    case COUNT: write_memory(w, s); break;
    case RETURN:
        spe_if(m, write_test(w, s->op, read_var(w, 0), read_var(w, 3), false));
        spe_return(m);
        spe_else(m, 0, NULL);
        spe_endif(m, 0, NULL, NULL);
        break;
    case EXCHANGE:
    case SUBGROUP: write_together(w, s); break;
    default: write_region(w, s);
    }
}

static void write_block(writer *w, int at)
{
    for (; at >= 0; at = program.at[at].next) write_statement(w, &program.at[at]);
}

static void write_parameters(spe_module *m, spe_param *p)
{
    static const uint32_t targets[] = {8, 16, 32, 64, 64, 32, 32};
    memset(p, 0, PARAMETERS * sizeof *p);
    for (int i = 0; i < PARAMETERS; i++)
        p[i].type = i < FLAGS ? spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, targets[i]))
                              : spe_int(m, i == FLAGS ? 32 : 64);
}

/* Variables begin as the ids and what is loaded with them; at the end all are stored. */
static void write_kernel(spe_module *m)
{
    writer w;
    spe_param params[PARAMETERS];
    spe_kernel k;
    spe_id n;
    memset(&w, 0, sizeof w);
    memset(&k, 0, sizeof k);
    write_parameters(m, params);
    k.name = "random_kernel";
    k.params = params;
    k.param_count = PARAMETERS;
    k.local_size[0] = (uint32_t)program.local_size;
    k.subgroup_size = (uint32_t)program.subgroup_size;
    w.m = m;
    w.shared = spe_shared_var(m, spe_array(m, spe_int(m, 32), (uint32_t)program.local_size));
    spe_kernel_begin(m, &k);
    w.gid = spe_uconvert(m, spe_int(m, 64), spe_builtin(m, SPE_GLOBAL_ID, 0));
    w.lid = spe_builtin(m, SPE_LOCAL_ID, 0);
    w.cells = spe_local_var(m, spe_array(m, spe_int(m, 32), CELLS));
    for (uint32_t i = 0; i < CELLS; i++) {
        spe_id at = spe_u32(m, i);
        spe_store(m, spe_element(m, w.cells, 1, &at), spe_u32(m, i * 77), 0);
    }
    for (int v = 0; v < VARS; v++) w.var[v] = spe_local_var(m, type_of(m, v));
    for (int v = 0; v < VARS; v++) {
        spe_id from = spe_iadd(m, w.gid, constant(&w, 64, v));
        spe_id in = spe_load(m, spe_index(m, spe_param_id(m, IN32), from), 0);
        set_var(&w, v, is_float(v) ? spe_s_to_f(m, type_of(m, v), spe_and(m, in, spe_u32(m, 1023)))
                                   : v == 0 ? spe_uconvert(m, spe_int(m, 32), w.gid)
                                   : widths[v] == 32 ? in : spe_sconvert(m, type_of(m, v), in));
    }
    write_block(&w, program.root);
    n = spe_param_id(m, ITEMS);
    for (int v = 0; v < VARS; v++) {
        spe_id at = spe_iadd(m, spe_imul(m, constant(&w, 64, v), n), w.gid);
        spe_id id = is_float(v) ? spe_f_to_s(m, spe_int(m, 64), read_var(&w, v)) : as_width(&w, v, 64);
        spe_store(m, spe_index(m, spe_param_id(m, OUT), at), id, 0);
    }
    spe_kernel_end(m);
}

/* ---- interpreting ------------------------------------------------------------------------------------------------ */

/* Values are sign-extended to 64 bits. */
typedef struct {
    int64_t var[VARS], cells[CELLS], shared;
    int gid;
    bool left;
} item;

static item items[ITEMS_MAX];
static struct {
    unsigned char *in;
    int64_t *out;
    int32_t *middle;
    uint32_t *totals;
} want;

static int64_t narrowed(int bits, uint64_t v)
{
    return bits == 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static int64_t operation(int op, int bits, int64_t x, int64_t y)
{
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, a = (uint64_t)x & mask, b = (uint64_t)y & mask;
    int amount = (int)(b & (uint64_t)(bits - 1));
    switch (op) {
    case 0: return narrowed(bits, a + b);
    case 1: return narrowed(bits, a - b);
    case 2: return narrowed(bits, a * b);
    case 3: return narrowed(bits, a & b);
    case 4: return narrowed(bits, a | b);
    case 5: return narrowed(bits, a ^ b);
    case 6: return narrowed(bits, a << amount);
    case 7: return narrowed(bits, a >> amount);
    case 8: return narrowed(bits, (uint64_t)(x >> amount));
    case 9: return narrowed(bits, a / (b | 1));
    case 10: return narrowed(bits, a % (b | 1));
    default: return narrowed(bits, 3 * a + b);
    }
}

static bool test_of(int op, int bits, int64_t x, int64_t y)
{
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, a = (uint64_t)x & mask, b = (uint64_t)y & mask;
    if (!bits) return op % 2 ? x < y : x <= y;
    switch (op % 5) {
    case 0: return x < y;
    case 1: return a < b;
    case 2: return b == 0;
    case 3: return x <= y;
    default: return a >= b;
    }
}

static int32_t low(const item *t, int v) { return (int32_t)narrowed(32, (uint64_t)t->var[v]); }

/* The inputs are one array of random bytes, read in each width. */
static int64_t input(int bits, int64_t at)
{
    uint64_t v = 0;
    memcpy(&v, want.in + at * (bits / 8), (size_t)bits / 8);
    return narrowed(bits, v);
}

static int64_t as_float(const statement *s, const item *t)
{
    int64_t b = low(t, s->b) & 4095, c = low(t, s->c) & 4095;
    return s->op % 3 == 0 ? b + c : s->op % 3 == 1 ? b - c : b * c;
}

static void step_item(const statement *s, item *t)
{
    int cell = low(t, s->b) & (CELLS - 1), bits = widths[s->a];
    int64_t b = t->var[s->b], c = t->var[s->c];
    switch (s->kind) {
    case COMPUTE: t->var[s->a] = operation(s->op, bits, b, c); break;
    case CHOOSE: t->var[s->a] = test_of(s->op, bits, b, c) ? b : c; break;
    case CONVERT:
    case FROM_FLOAT: t->var[s->a] = narrowed(bits, (uint64_t)b); break;
    case TO_FLOAT: t->var[s->a] = as_float(s, t); break;
    case LOAD: t->var[s->a] = input(bits, s->op % 2 ? (int64_t)t->gid * s->scale + s->k : low(t, s->b) & 127); break;
    case STORE: want.middle[s->k % SLOTS * program.items + t->gid] = low(t, s->a); break;
    case COUNT: want.totals[low(t, s->b) & (COUNTERS - 1)] += (uint32_t)low(t, s->a); break;
    case PUT: t->cells[cell] = low(t, s->a); break;
    case GET: t->var[s->c < 4 ? s->c : 0] = t->cells[cell]; break;
    case RETURN: t->left = test_of(s->op, 32, t->var[0], t->var[3]); break;
    default: break;
    }
}

/* All items, before any of them goes on. */
static void step_together(const statement *s)
{
    int n = program.local_size, size = program.subgroup_size;
    for (int i = 0; i < program.items; i++) items[i].shared = low(&items[i], s->b);
    for (int i = 0; i < program.items; i++) {
        int group = i / n * n, first = i / size * size;
        int64_t v = 0;
        if (s->kind == EXCHANGE)
            v = items[group + ((i - group) * (s->scale + 1) + s->k) % n].shared;
        else if (s->op % 3 == 1)
            v = items[first + ((i - first) ^ (s->k % 8))].shared;
        else if (s->op % 3 == 2)
            v = items[first + s->k % 8].shared;
        for (int j = first; s->kind == SUBGROUP && s->op % 3 == 0 && j < first + size; j++)
            v = narrowed(32, (uint64_t)(v + items[j].shared));
        items[i].var[s->a] = v;
    }
}

static void run_block(int at, const bool *active);

/* Runs a block for the items that satisfy the mask. */
static bool run_side(const statement *s, int side, const bool *mask)
{
    bool any = false;
    for (int i = 0; i < program.items; i++) any |= mask[i];
    if (any) run_block(s->side[side], mask);
    return any;
}

static void run_if(const statement *s, const bool *active)
{
    bool mask[ITEMS_MAX], other[ITEMS_MAX];
    for (int i = 0; i < program.items; i++) {
        bool taken = s->kind == IF ? test_of(s->op, 32, low(&items[i], s->b), low(&items[i], s->c))
                                   : (program.flags >> s->k) & 1;
        mask[i] = active[i] && taken;
        other[i] = active[i] && !taken;
    }
    run_side(s, 0, mask);
    run_side(s, 1, other);
}

static void run_switch(const statement *s, const bool *active)
{
    static const int sides[] = {2, 0, 2, 1};
    bool mask[3][ITEMS_MAX];
    for (int i = 0; i < program.items; i++)
        for (int side = 0; side < 3; side++) mask[side][i] = active[i] && sides[low(&items[i], s->b) & 3] == side;
    for (int side = 0; side < 3; side++) run_side(s, side, mask[side]);
}

static void run_loop(const statement *s, const bool *active)
{
    bool mask[ITEMS_MAX];
    int counts[ITEMS_MAX];
    for (int i = 0; i < program.items; i++) {
        counts[i] = s->kind == FOR_VARIABLE ? low(&items[i], s->b) & 7 : s->k;
        mask[i] = active[i];
    }
    for (int turn = 0;; turn++) {
        for (int i = 0; i < program.items; i++) {
            mask[i] = mask[i] && !items[i].left && turn < counts[i];
            if (s->kind == WHILE) mask[i] = mask[i] && items[i].var[s->a] < low(&items[i], s->c);
            if (mask[i] && s->kind != WHILE) items[i].var[s->a] = turn;
        }
        if (!run_side(s, 0, mask)) return;
    }
}

static void run_block(int at, const bool *active)
{
    for (; at >= 0; at = program.at[at].next) {
        const statement *s = &program.at[at];
        bool mask[ITEMS_MAX];
        for (int i = 0; i < program.items; i++) mask[i] = active[i] && !items[i].left;
        if (s->kind == IF || s->kind == IF_UNIFORM)
            run_if(s, mask);
        else if (s->kind == SWITCH)
            run_switch(s, mask);
        else if (s->kind >= IF)
            run_loop(s, mask);
        else if (s->kind == EXCHANGE || s->kind == SUBGROUP)
            step_together(s);
        else
            for (int i = 0; i < program.items; i++) if (mask[i]) step_item(s, &items[i]);
    }
}

static void interpret(void)
{
    bool all[ITEMS_MAX];
    memset(items, 0, sizeof items);
    for (int i = 0; i < program.items; i++) {
        items[i].gid = i;
        all[i] = true;
        for (int c = 0; c < CELLS; c++) items[i].cells[c] = c * 77;
        for (int v = 0; v < VARS; v++) {
            int64_t in = input(32, i + v);
            items[i].var[v] = v == 0 ? i : is_float(v) ? in & 1023 : narrowed(widths[v], (uint64_t)in);
        }
    }
    run_block(program.root, all);
    for (int i = 0; i < program.items; i++)
        for (int v = 0; v < VARS && !items[i].left; v++) want.out[v * program.items + i] = items[i].var[v];
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

enum { IN_BYTES = 8 * (ITEMS_MAX * 5 + 128) };

static bool launch(const spe_words *words, unsigned char *in, int64_t *out, int32_t *middle, uint32_t *totals)
{
    zed_module module = {0};
    zed_kernel k = {0};
    static const char params[] = "ptr<u8> a, ptr<u16> b, ptr<u32> c, ptr<u64> d, ptr<u64> out, ptr<u32> middle, "
                                 "ptr<u32> totals, u32 flags, u64 items";
    zed_groups groups = {(uint32_t)program.groups, 1, 1};
    bool ok = zed_module_load(&module, &device, words->data, 4 * words->count, NULL) &&
              zed_kernel_get(&k, &module, "random_kernel", params) &&
              zed_launch(&k, groups, (void *)in, (void *)in, (void *)in, (void *)in, (void *)out, (void *)middle,
                         totals, program.flags, program.items);
    if (!ok) {
        test_fail(__FILE__, __LINE__, "seed %llu: %s", (unsigned long long)program.seed, zed_get_error(&device)->text);
        zed_clear_error(&device);
    }
    zed_kernel_free(&k);
    zed_module_free(&module);
    return ok;
}

static void compare(const int64_t *out, const int32_t *middle, const uint32_t *totals)
{
    int wrong = 0;
    for (int i = 0; i < VARS * program.items; i++)
        if (out[i] != want.out[i] && wrong++ == 0)
            printf("variable %d of item %d: got %lld, want %lld\n", i / program.items, i % program.items,
                   (long long)out[i], (long long)want.out[i]);
    for (int i = 0; i < SLOTS * program.items; i++)
        if (middle[i] != want.middle[i] && wrong++ == 0)
            printf("store %d of item %d: got %d, want %d\n", i / program.items, i % program.items, middle[i],
                   want.middle[i]);
    for (int i = 0; i < COUNTERS; i++)
        if (totals[i] != want.totals[i] && wrong++ == 0)
            printf("counter %d: got %u, want %u\n", i, totals[i], want.totals[i]);
    CHECK_MSG(!wrong, "seed %llu: %d values are wrong: %d statements, %d groups of %d, subgroups of %d",
              (unsigned long long)program.seed, wrong, program.count, program.groups, program.local_size,
              program.subgroup_size);
}

static void run_program(uint64_t seed)
{
    spe_module m;
    spe_words words;
    char name[64];
    make_program(seed);
    size_t out_bytes = VARS * (size_t)program.items * 8, middle_bytes = SLOTS * (size_t)program.items * 4;
    unsigned char *in = (unsigned char *)zed_alloc(&device, ZED_SHARED, IN_BYTES, 0);
    int64_t *out = (int64_t *)zed_alloc(&device, ZED_SHARED, out_bytes, 0);
    int32_t *middle = (int32_t *)zed_alloc(&device, ZED_SHARED, middle_bytes, 0);
    uint32_t *totals = (uint32_t *)zed_alloc(&device, ZED_SHARED, COUNTERS * 4, 0);
    for (int i = 0; i < IN_BYTES; i++) in[i] = (unsigned char)test_random();
    want.in = in;
    want.out = (int64_t *)malloc(out_bytes);
    want.middle = (int32_t *)malloc(middle_bytes);
    want.totals = (uint32_t *)calloc(COUNTERS, 4);
    memset(out, 0xdb, out_bytes), memset(want.out, 0xdb, out_bytes);
    memset(middle, 0xdb, middle_bytes), memset(want.middle, 0xdb, middle_bytes);
    memset(totals, 0, COUNTERS * 4);
    spe_begin(&m, NULL);
    write_kernel(&m);
    words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "seed %llu: %s", (unsigned long long)seed, spe_get_error(&m)->text);
    snprintf(name, sizeof name, "soft_random_%llu", (unsigned long long)seed);
    if (words.data) test_save_spv(name, words.data, 4 * words.count);
    if (words.data && launch(&words, in, out, middle, totals)) interpret(), compare(out, middle, totals);
    spe_free(&m);
    free(want.out), free(want.middle), free(want.totals);
    zed_free(&device, in), zed_free(&device, out), zed_free(&device, middle), zed_free(&device, totals);
}

TEST(random_kernels)
{
    uint64_t seed = setting("RANDOM_SEED", 1), count = setting("RANDOM_PROGRAMS", test_thorough() ? 12 : 3);
    for (uint64_t i = 0; i < count; i++) run_program(seed + i);
}

int main(void)
{
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(random_kernels);
    zed_close(&device);
    return test_report();
}
