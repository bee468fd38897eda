/* test_spirv_flow.c - structured control flow: random programs of ifs, loops, switches and early returns are emitted as
 * SPIR-V, run by a small interpreter of the words, and compared with direct evaluation of the program's tree. Also
 * misuse. */
#include "spirv_emit.h"
#include "test.h"

/* ---- a program as a tree --------------------------------------------------------------------------------------- */

enum { VARS = 4, MAX_NODES = 4000, MAX_STEPS = 20000 };
enum kind { ASSIGN, IF, IF_ELSE, FOR, WHILE, SWITCH, RANGE, RETURN, BREAK, CONTINUE };
enum outcome { ON, RETURNED, BROKE, CONTINUED };

typedef struct {
    enum kind kind;
    int a, b, c, op; /* variables, or other operands, depending on the kind */
    int32_t k;
    int side[4]; /* first statement of each side, -1: empty */
    int next;    /* following statement, -1: none */
} node;

static node nodes[MAX_NODES];
static int node_count, budget;

static int pick(int n) { return (int)(test_random() % (uint64_t)n); }

static int random_block(int depth);

static int random_statement(int depth)
{
    int i, at = node_count++, sides;
    node n;
    memset(&n, 0, sizeof n);
    n.kind = depth <= 0 || budget-- < 0 ? ASSIGN : (enum kind)(pick(11) % 7);
    if (!pick(10)) n.kind = RETURN + (enum kind)pick(3);
    n.a = pick(VARS);
    n.b = pick(VARS);
    n.c = pick(VARS);
    n.op = pick(6);
    n.k = pick(7) - 3;
    n.next = -1;
    for (i = 0; i < 4; i++) n.side[i] = -1;
    sides = n.kind == IF_ELSE ? 2 : n.kind == SWITCH ? 4 : n.kind >= RETURN || n.kind == ASSIGN ? 0 : 1;
    for (i = 0; i < sides; i++) n.side[i] = pick(6) ? random_block(depth - 1) : -1;
    nodes[at] = n;
    return at;
}

static int random_block(int depth)
{
    int first = -1, last = -1, count = 1 + pick(3);
    while (count-- && node_count < MAX_NODES - 8) {
        int s = random_statement(depth);
        if (last < 0)
            first = s;
        else
            nodes[last].next = s;
        last = s;
    }
    return first;
}

/* ---- run as a tree --------------------------------------------------------------------------------------------- */

static int32_t wrap(int64_t v) { return (int32_t)(uint32_t)(uint64_t)v; }

static int32_t compute(int op, int32_t a, int32_t b)
{
    switch (op) {
    case 0: return wrap((int64_t)a + b);
    case 1: return wrap((int64_t)a - b);
    case 2: return wrap((int64_t)a * b);
    case 3: return a ^ b;
    case 4: return a < b ? a : b;
    default: return (int32_t)((uint32_t)a >> (b & 7));
    }
}

/* Ranges at the ends of i32, where a counter that went on would wrap around: the first number, the step. */
static const struct {
    bool is_signed;
    int32_t lo, step, length;
} ranges[] = {{true, 0x7ffffff0, 4, 12}, {false, -16, 5, 12}, {true, INT32_MIN + 15, -4, -15}, {false, 7, 1, 0},
              {true, -3, 1, 2}};

static enum outcome run_tree(int at, int32_t *v, int32_t *result);

/* One iteration: does the loop end? */
static bool ends(int at, int32_t *v, int32_t *result, enum outcome *how)
{
    *how = run_tree(at, v, result);
    return *how == RETURNED || *how == BROKE;
}

static enum outcome run_loop(const node *n, int32_t *v, int32_t *result)
{
    int32_t hi = v[n->b] & 3, fuel = 4, step = n->k < 0 ? -2 : 1;
    int64_t i = n->k < 0 ? hi : -1, last = n->k < 0 ? -2 : hi;
    enum outcome how = ON;
    if (n->kind == WHILE) {
        while (fuel > 0 && (v[n->a] & 7) != 3) {
            fuel--;
            v[n->a] = wrap((int64_t)v[n->a] + 1);
            if (ends(n->side[0], v, result, &how)) break;
        }
        return how == RETURNED ? RETURNED : ON;
    }
    if (n->kind == RANGE) {
        int r = n->op % 5;
        i = ranges[r].is_signed ? (int64_t)ranges[r].lo : (int64_t)(uint32_t)ranges[r].lo;
        step = ranges[r].step;
        last = i + ranges[r].length + hi;
    }
    for (; step > 0 ? i < last : i > last; i += step) {
        v[n->a] = wrap((int64_t)v[n->a] + (int32_t)(uint32_t)(uint64_t)i);
        if (ends(n->side[0], v, result, &how)) break;
    }
    return how == RETURNED ? RETURNED : ON;
}

static int loops_around;

static enum outcome run_tree(int at, int32_t *v, int32_t *result)
{
    enum outcome how = ON;
    for (; at >= 0 && how == ON; at = nodes[at].next) {
        const node *n = &nodes[at];
        switch (n->kind) {
        case ASSIGN: v[n->a] = compute(n->op, v[n->b], n->k > 1 ? n->k : v[n->c]); break;
        case IF:
        case IF_ELSE:
            if (v[n->a] < v[n->b])
                how = run_tree(n->side[0], v, result);
            else if (n->kind == IF_ELSE)
                how = run_tree(n->side[1], v, result);
            break;
        case FOR:
        case RANGE:
        case WHILE:
            loops_around++;
            how = run_loop(n, v, result);
            loops_around--;
            break;
        case SWITCH: {
            int32_t s = v[n->a] & 7;
            how = run_tree(n->side[s == 5 ? 0 : s == 1 ? 1 : s == 2 ? 2 : 3], v, result);
            break;
        }
        case RETURN: *result = v[n->a]; return RETURNED;
        case BREAK: how = loops_around ? BROKE : ON; break;
        case CONTINUE: how = loops_around ? CONTINUED : ON; break;
        }
    }
    return how;
}

/* ---- written as SPIR-V ----------------------------------------------------------------------------------------- */

static spe_id emit_compute(spe_module *m, int op, spe_id a, spe_id b)
{
    switch (op) {
    case 0: return spe_iadd(m, a, b);
    case 1: return spe_isub(m, a, b);
    case 2: return spe_imul(m, a, b);
    case 3: return spe_xor(m, a, b);
    case 4: return spe_select(m, spe_slt(m, a, b), a, b);
    default: return spe_shr(m, a, spe_and(m, b, spe_i32(m, 7)));
    }
}

static void emit_tree(spe_module *m, int at, spe_id *v);

static spe_id *fuel_of_loop; /* a while's number of iterations left, carried besides the variables */

static void emit_range(spe_module *m, const node *n, spe_id *carried)
{
    int r = n->op % 5;
    spe_id lo = spe_i32(m, ranges[r].lo), hi = spe_and(m, carried[n->b], spe_i32(m, 3)), i;
    hi = spe_iadd(m, hi, spe_i32(m, wrap((int64_t)ranges[r].lo + ranges[r].length)));
    i = spe_for_range(m, lo, hi, spe_i32(m, ranges[r].step), ranges[r].is_signed, VARS, carried);
    carried[n->a] = spe_iadd(m, carried[n->a], i);
    emit_tree(m, n->side[0], carried);
    spe_endfor(m, VARS, carried);
}

static void emit_exit(spe_module *m, enum kind kind, const spe_id *v)
{
    spe_id values[VARS + 1];
    memcpy(values, v, VARS * sizeof *v);
    if (fuel_of_loop) values[VARS] = *fuel_of_loop;
    if (kind == BREAK)
        spe_break(m, VARS + (fuel_of_loop != NULL), values);
    else
        spe_continue(m, VARS + (fuel_of_loop != NULL), values);
}

static void emit_loop(spe_module *m, const node *n, spe_id *v)
{
    spe_id carried[VARS + 1], i, *fuel_before = fuel_of_loop;
    fuel_of_loop = n->kind == WHILE ? &carried[VARS] : NULL;
    loops_around++;
    if (pick(3) == 0) spe_loop_hint(m, pick(2) ? SPE_LoopControlUnroll : SPE_LoopControlDontUnroll, 0);
    if (pick(3) == 0) spe_loop_hint(m, SPE_LoopControlDependencyLength, 3);
    if (pick(3) == 0) spe_loop_hint(m, SPE_LoopControlMaxIterations, 100);
    memcpy(carried, v, VARS * sizeof *v);
    if (n->kind == RANGE)
        emit_range(m, n, carried);
    else if (n->kind == FOR) {
        spe_id hi = spe_and(m, v[n->b], spe_i32(m, 3));
        if (n->k < 0)
            i = spe_for(m, hi, spe_i32(m, -2), spe_i32(m, -2), VARS, carried);
        else
            i = spe_for(m, spe_i32(m, -1), hi, spe_i32(m, 1), VARS, carried);
        carried[n->a] = spe_iadd(m, carried[n->a], i);
        emit_tree(m, n->side[0], carried);
        spe_endfor(m, VARS, carried);
    } else {
        spe_id fuelled, test;
        carried[VARS] = spe_i32(m, 4);
        spe_while(m, VARS + 1, carried);
        fuelled = spe_sgt(m, carried[VARS], spe_i32(m, 0));
        spe_if(m, fuelled); /* a short circuit, so that the test has blocks of its own */
        test = spe_ine(m, spe_and(m, carried[n->a], spe_i32(m, 7)), spe_i32(m, 3));
        spe_endif_from(m, 1, &test, &fuelled, &test);
        spe_while_test(m, test);
        carried[VARS] = spe_isub(m, carried[VARS], spe_i32(m, 1));
        carried[n->a] = spe_iadd(m, carried[n->a], spe_i32(m, 1));
        emit_tree(m, n->side[0], carried);
        spe_endwhile(m, VARS + 1, carried);
    }
    loops_around--;
    fuel_of_loop = fuel_before;
    memcpy(v, carried, VARS * sizeof *v);
}

static void emit_switch(spe_module *m, const node *n, spe_id *v)
{
    static const int64_t literals[3] = {5, 1, 2};
    spe_id side[VARS];
    int i;
    spe_switch(m, spe_and(m, v[n->a], spe_i32(m, 7)), 3, literals);
    for (i = 3; i >= 0; i--) {
        memcpy(side, v, sizeof side);
        if (i == 3)
            spe_default(m);
        else
            spe_case(m, (uint32_t)i);
        emit_tree(m, n->side[i], side);
        spe_endcase(m, VARS, side);
    }
    spe_endswitch(m, VARS, v);
}

static void emit_tree(spe_module *m, int at, spe_id *v)
{
    for (; at >= 0; at = nodes[at].next) {
        const node *n = &nodes[at];
        spe_id then[VARS];
        memcpy(then, v, sizeof then);
        switch (n->kind) {
        case ASSIGN: v[n->a] = emit_compute(m, n->op, v[n->b], n->k > 1 ? spe_i32(m, n->k) : v[n->c]); break;
        case IF:
            spe_if(m, spe_slt(m, v[n->a], v[n->b]));
            emit_tree(m, n->side[0], then);
            spe_endif_from(m, VARS, then, v, v);
            break;
        case IF_ELSE:
            spe_if(m, spe_slt(m, v[n->a], v[n->b]));
            emit_tree(m, n->side[0], then);
            spe_else(m, VARS, then);
            emit_tree(m, n->side[1], v);
            spe_endif(m, VARS, v, v);
            break;
        case FOR:
        case RANGE:
        case WHILE: emit_loop(m, n, v); break;
        case BREAK:
        case CONTINUE:
            if (loops_around) emit_exit(m, n->kind, v);
            break;
        case SWITCH: emit_switch(m, n, v); break;
        case RETURN: spe_return_value(m, v[n->a]); break;
        }
    }
}

static spe_id emit_function(spe_module *m, int root)
{
    spe_id i32 = spe_int(m, 32), params[VARS], v[VARS], fn;
    uint32_t i;
    for (i = 0; i < VARS; i++) params[i] = i32;
    fn = spe_function_begin(m, "program", i32, VARS, params);
    for (i = 0; i < VARS; i++) v[i] = spe_param_id(m, i);
    emit_tree(m, root, v);
    spe_return_value(m, spe_xor(m, spe_iadd(m, v[0], v[1]), spe_imul(m, v[2], v[3])));
    spe_function_end(m);
    return fn;
}

/* A kernel that calls the function, so that the module is a whole one. */
static void emit_caller(spe_module *m, spe_id fn)
{
    spe_id i32 = spe_int(m, 32), args[VARS];
    spe_param p;
    spe_kernel k;
    uint32_t i;
    memset(&p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    p.type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, i32);
    k.name = "run";
    k.params = &p;
    k.param_count = 1;
    spe_kernel_begin(m, &k);
    for (i = 0; i < VARS; i++) args[i] = spe_load(m, spe_index(m, spe_param_id(m, 0), spe_u32(m, i)), 0);
    spe_store(m, spe_param_id(m, 0), spe_call(m, fn, VARS, args), 0);
    spe_kernel_end(m);
}

/* ---- an interpreter of the words: i32 and bool ----------------------------------------------------------------- */

enum { MAX_IDS = 60000 };
static int32_t value[MAX_IDS];
static size_t label_at[MAX_IDS];

static bool run_op(uint32_t op, const uint32_t *w, uint32_t n)
{
    int32_t a = n > 3 && w[3] < MAX_IDS ? value[w[3]] : 0, b = n > 4 && w[4] < MAX_IDS ? value[w[4]] : 0, r;
    switch (op) {
    case SPE_OpIAdd: r = wrap((int64_t)a + b); break;
    case SPE_OpISub: r = wrap((int64_t)a - b); break;
    case SPE_OpIMul: r = wrap((int64_t)a * b); break;
    case SPE_OpBitwiseXor: r = a ^ b; break;
    case SPE_OpBitwiseAnd: r = a & b; break;
    case SPE_OpShiftRightLogical: r = (int32_t)((uint32_t)a >> b); break;
    case SPE_OpSLessThan: r = a < b; break;
    case SPE_OpSGreaterThan: r = a > b; break;
    case SPE_OpULessThan: r = (uint32_t)a < (uint32_t)b; break;
    case SPE_OpUGreaterThan: r = (uint32_t)a > (uint32_t)b; break;
    case SPE_OpINotEqual: r = a != b; break;
    case SPE_OpSelect: r = a ? b : value[w[5]]; break;
    default: return false;
    }
    value[w[2]] = r;
    return true;
}

/* Goes to a label. Its phis read their operands before any of them is written: two may swap. */
static size_t jump(const spe_words *s, uint32_t label, uint32_t *from, uint32_t *block, bool *ok)
{
    int32_t old[64];
    size_t at = label_at[label] + 2, i, k = 0;
    *from = *block;
    *block = label;
    for (i = at; (s->data[i] & 0xffff) == SPE_OpPhi && k < 64; i += s->data[i] >> 16) {
        const uint32_t *w = s->data + i;
        uint32_t j;
        for (j = 3; j < w[0] >> 16 && w[j + 1] != *from; j += 2) {
        }
        if (j >= w[0] >> 16)
            *ok = false;
        else
            old[k++] = value[w[j]];
    }
    if (!*ok) return at;
    for (i = at, k = 0; (s->data[i] & 0xffff) == SPE_OpPhi && k < 64; i += s->data[i] >> 16)
        value[s->data[i + 2]] = old[k++];
    return i;
}

/* Runs the function `fn` on args; false if the words are invalid. */
static bool run_words(const spe_words *s, spe_id fn, const int32_t *args, int32_t *result)
{
    size_t i, at = 0;
    uint32_t from = 0, block = 0, params = 0, steps = 0, j;
    bool inside = false, ok = true;
    for (i = 5; i < s->count; i += s->data[i] >> 16) {
        const uint32_t *w = s->data + i;
        uint32_t op = w[0] & 0xffff;
        if (op == SPE_OpConstant)
            value[w[2]] = (int32_t)w[3];
        else if (op == SPE_OpConstantTrue || op == SPE_OpConstantFalse)
            value[w[2]] = op == SPE_OpConstantTrue;
        else if (op == SPE_OpFunction)
            inside = w[2] == fn;
        else if (op == SPE_OpFunctionParameter && inside)
            value[w[2]] = args[params++];
        else if (op == SPE_OpLabel) {
            label_at[w[1]] = i;
            if (inside && !at) at = i + 2, block = w[1];
        }
    }
    while (ok && at < s->count && steps++ < MAX_STEPS) {
        const uint32_t *w = s->data + at;
        uint32_t n = w[0] >> 16, target;
        at += n;
        switch (w[0] & 0xffff) {
        case SPE_OpLoopMerge:
        case SPE_OpSelectionMerge: break;
        case SPE_OpBranch: at = jump(s, w[1], &from, &block, &ok); break;
        case SPE_OpBranchConditional: at = jump(s, value[w[1]] ? w[2] : w[3], &from, &block, &ok); break;
        case SPE_OpSwitch:
            target = w[2];
            for (j = 3; j < n; j += 2) {
                if ((int32_t)w[j] == value[w[1]]) target = w[j + 1];
            }
            at = jump(s, target, &from, &block, &ok);
            break;
        case SPE_OpReturnValue: *result = value[w[1]]; return true;
        default: ok = run_op(w[0] & 0xffff, w, n);
        }
    }
    return false;
}

/* Does block `from` (its label's place) end in a jump to `to`? */
static bool leads_to(const spe_words *s, size_t from, uint32_t to)
{
    size_t i = from;
    for (;; i += s->data[i] >> 16) {
        const uint32_t *w = s->data + i;
        uint32_t n = w[0] >> 16, j;
        switch (w[0] & 0xffff) {
        case SPE_OpBranch: return w[1] == to;
        case SPE_OpBranchConditional: return w[2] == to || w[3] == to;
        case SPE_OpSwitch:
            for (j = 4; j < n; j += 2) {
                if (w[j] == to) return true;
            }
            return w[2] == to;
        case SPE_OpReturn:
        case SPE_OpReturnValue:
        case SPE_OpUnreachable: return false;
        default: break;
        }
    }
}

/* Every phi names each predecessor of its block, once, and no other. */
static void check_phis(const spe_words *s)
{
    size_t i, k, block = 0;
    uint32_t j, pairs;
    for (i = 5; i < s->count; i += s->data[i] >> 16) {
        const uint32_t *w = s->data + i;
        if ((w[0] & 0xffff) == SPE_OpLabel) block = i;
        if ((w[0] & 0xffff) != SPE_OpPhi) continue;
        for (j = 3, pairs = 0; j < w[0] >> 16; j += 2, pairs++)
            CHECK_MSG(w[j + 1] && leads_to(s, label_at[w[j + 1]], s->data[block + 1]), "phi %u: %u leads not to it",
                      w[2], w[j + 1]);
        for (k = 5; k < s->count; k += s->data[k] >> 16) {
            if ((s->data[k] & 0xffff) == SPE_OpLabel && leads_to(s, k, s->data[block + 1])) pairs--;
        }
        CHECK_MSG(pairs == 0, "phi %u: %d pairs more than blocks lead to it", w[2], (int)pairs);
    }
}

TEST(random_programs)
{
    int round, i, k;
    for (round = 0; round < 400; round++) {
        spe_module m;
        spe_words words;
        spe_id fn;
        int root;
        char name[64];
        node_count = 0;
        budget = 40;
        root = random_block(4);
        spe_begin(&m, NULL);
        fn = emit_function(&m, root);
        emit_caller(&m, fn);
        words = spe_finish(&m);
        CHECK_MSG(words.data != NULL, "program %d: %s", round, spe_get_error(&m)->text);
        for (i = 0; i < 8 && words.data && m.id_count < MAX_IDS; i++) {
            int32_t args[VARS], v[VARS], want = 0, got = 0;
            for (k = 0; k < VARS; k++) args[k] = v[k] = i < 4 ? pick(9) - 4 : (int32_t)test_random();
            if (!run_tree(root, v, &want)) want = wrap((int64_t)v[0] + v[1]) ^ wrap((int64_t)v[2] * v[3]);
            CHECK_MSG(run_words(&words, fn, args, &got), "program %d: the words do not run", round);
            CHECK_MSG(got == want, "program %d gives %d, want %d", round, got, want);
        }
        if (words.data) check_phis(&words);
        snprintf(name, sizeof name, "spirv_flow_%d", round);
        if (words.data && round % 10 == 0) test_save_spv(name, words.data, words.count * 4);
        spe_free(&m);
    }
}

/* ---- misuse ---------------------------------------------------------------------------------------------------- */

/* A module with an open kernel k(i32 n), and n. */
static spe_id open_kernel(spe_module *m)
{
    spe_param p;
    spe_kernel k;
    spe_begin(m, NULL);
    memset(&p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    p.type = spe_int(m, 32);
    p.name = "n";
    k.name = "k";
    k.params = &p;
    k.param_count = 1;
    spe_kernel_begin(m, &k);
    return spe_param_id(m, 0);
}

static void expect(spe_module *m, int id, const char *part)
{
    spe_kernel_end(m);
    CHECK_INT(spe_finish(m).count, 0);
    CHECK_INT(spe_get_error(m)->id, id);
    CHECK_HAS(spe_get_error(m)->text, part);
    spe_free(m);
}

TEST(an_open_loop_is_named_by_its_place)
{
    spe_module m;
    spe_id n = open_kernel(&m), c = n;
    int line = __LINE__ + 1;
    SPE(&m, for, spe_i32(&m, 0), n, spe_i32(&m, 1), 1, &c);
    SPE0(&m, kernel_end);
    {
        char place[64];
        snprintf(place, sizeof place, "%s:%d", __FILE__, line);
        CHECK_HAS(spe_get_error(&m)->text, place);
        CHECK_INT(spe_get_error(&m)->line, line + 1);
    }
    expect(&m, SPE_ERR_REGION_OPEN, "spe_for");
}

TEST(crossed_regions)
{
    spe_module m;
    spe_id n = open_kernel(&m);
    spe_for(&m, spe_i32(&m, 0), n, spe_i32(&m, 1), 0, NULL);
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    spe_endfor(&m, 0, NULL);
    expect(&m, SPE_ERR_REGION_CROSSED, "spe_endfor does not fit here: the innermost open region is the spe_if");

    open_kernel(&m);
    spe_else(&m, 0, NULL);
    expect(&m, SPE_ERR_REGION_CROSSED, "no region is open");

    n = open_kernel(&m);
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    spe_else(&m, 0, NULL);
    spe_else(&m, 0, NULL);
    expect(&m, SPE_ERR_REGION_CROSSED, "spe_else");

    n = open_kernel(&m);
    spe_while(&m, 0, NULL);
    spe_endwhile(&m, 0, NULL);
    expect(&m, SPE_ERR_REGION_CROSSED, "spe_endwhile");
}

TEST(carried_values_keep_number_and_type)
{
    spe_module m;
    spe_id n = open_kernel(&m), c = n, pair[2];
    spe_for(&m, spe_i32(&m, 0), n, spe_i32(&m, 1), 1, &c);
    c = spe_f32(&m, 1.0f);
    spe_endfor(&m, 1, &c);
    expect(&m, SPE_ERR_CARRIED, "carried value 0 changes its type from i32 to f32");

    c = n = open_kernel(&m);
    spe_for(&m, spe_i32(&m, 0), n, spe_i32(&m, 1), 1, &c);
    spe_endfor(&m, 0, NULL);
    expect(&m, SPE_ERR_CARRIED, "carries 1");

    n = open_kernel(&m);
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    spe_else(&m, 1, &n);
    c = spe_f32(&m, 2.0f);
    spe_endif(&m, 1, &c, &c);
    expect(&m, SPE_ERR_CARRIED, "carried value 0 changes its type from i32 to f32");

    n = open_kernel(&m);
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    spe_else(&m, 1, &n);
    pair[0] = pair[1] = n;
    spe_endif(&m, 2, pair, pair);
    expect(&m, SPE_ERR_CARRIED, "2 values, but the spe_if");

    n = open_kernel(&m);
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    spe_endif(&m, 1, &n, &n);
    expect(&m, SPE_ERR_CARRIED, "use spe_endif_from");
}

TEST(values_stay_in_their_region)
{
    spe_module m;
    spe_id n = open_kernel(&m), inner;
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    inner = spe_iadd(&m, n, n);
    spe_endif(&m, 0, NULL, NULL);
    spe_iadd(&m, inner, n);
    expect(&m, SPE_ERR_SCOPE, "was made in a region that is closed");

    n = open_kernel(&m);
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    inner = spe_iadd(&m, n, n);
    spe_else(&m, 0, NULL);
    spe_iadd(&m, inner, n); /* made on the other side */
    spe_endif(&m, 0, NULL, NULL);
    expect(&m, SPE_ERR_SCOPE, "spe_iadd");

    n = open_kernel(&m);
    inner = spe_iadd(&m, n, n);
    spe_kernel_end(&m);
    spe_function_begin(&m, "f", spe_void(&m), 0, NULL);
    spe_iadd(&m, inner, inner); /* made in another function */
    spe_function_end(&m);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_SCOPE);
    spe_free(&m);
}

TEST(conditions_and_bounds_are_checked)
{
    spe_module m;
    spe_id n = open_kernel(&m);
    spe_if(&m, n);
    expect(&m, SPE_ERR_TYPE, "spe_if: operand types disagree: i32 and bool");

    n = open_kernel(&m);
    spe_for(&m, spe_i32(&m, 0), n, spe_i32(&m, 0), 0, NULL);
    expect(&m, SPE_ERR_RANGE, "the step is 0");

    n = open_kernel(&m);
    spe_for(&m, spe_f32(&m, 0), spe_f32(&m, 4), spe_f32(&m, 1), 0, NULL);
    expect(&m, SPE_ERR_TYPE, "spe_for");

    n = open_kernel(&m);
    spe_while(&m, 0, NULL);
    spe_while_test(&m, n);
    expect(&m, SPE_ERR_TYPE, "spe_while_test");

    n = open_kernel(&m);
    spe_prologue_begin(&m);
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    expect(&m, SPE_ERR_PROLOGUE, "spe_if");
}

TEST(switches_are_checked)
{
    static const int64_t twice[] = {1, 1}, signs[] = {-1, 0xffffffff}, two[] = {1, 2}, large[] = {(int64_t)1 << 40};
    spe_module m;
    spe_id n = open_kernel(&m);
    spe_switch(&m, n, 2, twice);
    expect(&m, SPE_ERR_RANGE, "literals 1 and 1 are the same 32 bits");

    n = open_kernel(&m);
    spe_switch(&m, n, 2, signs);
    expect(&m, SPE_ERR_RANGE, "literals -1 and 4294967295 are the same 32 bits");

    n = open_kernel(&m);
    spe_switch(&m, n, 1, large);
    expect(&m, SPE_ERR_RANGE, "does not fit in 32 bits");

    n = open_kernel(&m);
    spe_switch(&m, n, 2, two);
    spe_case(&m, 1);
    spe_endcase(&m, 0, NULL);
    spe_endswitch(&m, 0, NULL);
    expect(&m, SPE_ERR_REGION_OPEN, "side 0");

    n = open_kernel(&m);
    spe_switch(&m, n, 2, two);
    spe_case(&m, 1);
    spe_endcase(&m, 0, NULL);
    spe_case(&m, 1);
    expect(&m, SPE_ERR_RANGE, "was written before");

    n = open_kernel(&m);
    spe_switch(&m, n, 1, two);
    spe_case(&m, 0);
    spe_endcase(&m, 1, &n);
    spe_endswitch(&m, 1, &n);
    expect(&m, SPE_ERR_CARRIED, "no spe_default");

    n = open_kernel(&m);
    spe_switch(&m, n, 1, two);
    spe_if(&m, spe_const_bool(&m, true)); /* in no side */
    expect(&m, SPE_ERR_REGION_CROSSED, "not between the sides of the spe_switch");
}

/* The first region of a module, with nothing carried: no array of the module has been used yet. */
TEST(regions_without_values)
{
    spe_module m;
    spe_id n;
    int which;
    for (which = 0; which < 4; which++) {
        spe_words words;
        n = open_kernel(&m);
        if (which == 0) {
            spe_for(&m, spe_i32(&m, 0), n, spe_i32(&m, 1), 0, NULL);
            spe_endfor(&m, 0, NULL);
        } else if (which == 1) {
            spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
            spe_endif(&m, 0, NULL, NULL);
        } else if (which == 2) {
            spe_while(&m, 0, NULL);
            spe_while_test(&m, spe_slt(&m, n, spe_i32(&m, 3)));
            spe_endwhile(&m, 0, NULL);
        } else {
            spe_switch(&m, n, 0, NULL);
            spe_endswitch(&m, 0, NULL);
        }
        spe_kernel_end(&m);
        words = spe_finish(&m);
        CHECK_MSG(words.data != NULL, "region %d: %s %s", which, spe_get_error(&m)->name, spe_get_error(&m)->text);
        if (words.data) test_save_spv(which == 0   ? "spirv_flow_empty_for"
                                      : which == 1 ? "spirv_flow_empty_if"
                                      : which == 2 ? "spirv_flow_empty_while"
                                                   : "spirv_flow_empty_switch",
                                      words.data, words.count * 4);
        spe_free(&m);
    }
}

TEST(wide_selectors_and_returns)
{
    static const int64_t wide[] = {-1, (int64_t)1 << 40};
    spe_module m;
    spe_id n = open_kernel(&m), c;
    spe_words words;
    spe_switch(&m, spe_sconvert(&m, spe_int(&m, 64), n), 2, wide);
    spe_case(&m, 0);
    spe_return(&m);
    spe_iadd(&m, n, n); /* unreachable, harmless */
    spe_endcase(&m, 0, NULL);
    spe_case(&m, 1);
    spe_return(&m);
    spe_endcase(&m, 0, NULL);
    spe_endswitch(&m, 0, NULL);
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    spe_return(&m);
    spe_else(&m, 1, &n);
    spe_return(&m);
    c = n;
    spe_endif(&m, 1, &c, &c); /* nothing arrives here */
    CHECK(spe_type_of(&m, c) == spe_int(&m, 32));
    c = spe_iadd(&m, c, n);
    spe_for(&m, spe_i32(&m, 0), c, spe_i32(&m, 1), 1, &c);
    spe_return(&m);
    spe_endfor(&m, 1, &c);
    spe_kernel_end(&m);
    words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    test_save_spv("spirv_flow_returns", words.data, words.count * 4);
    spe_free(&m);
}

/* What a side that returned gives is ignored: 0, another type, another number. */
TEST(sides_that_return_give_nothing)
{
    static const int64_t literals[] = {1, 2};
    spe_module m;
    spe_id n = open_kernel(&m), f = spe_f32(&m, 1), none[3] = {0, 0, 0}, out[3] = {0, 0, 0};
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    spe_return(&m);
    spe_else(&m, 3, none);
    spe_endif(&m, 1, &n, out);
    CHECK(out[0] == n);
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 4)));
    spe_else(&m, 1, &f);
    spe_return(&m);
    spe_endif(&m, 2, none, out);
    CHECK(out[0] == f && spe_type_of(&m, out[1]));
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 5)));
    spe_return(&m);
    spe_endif_from(&m, 1, none, &n, out);
    spe_switch(&m, n, 2, literals);
    spe_case(&m, 0);
    spe_return(&m);
    spe_endcase(&m, 2, none);
    spe_case(&m, 1);
    spe_endcase(&m, 1, &f);
    spe_default(&m);
    spe_return(&m);
    spe_endcase(&m, 1, &n);
    spe_endswitch(&m, 1, out);
    CHECK(out[0] == f);
    out[0] = n;
    spe_for(&m, spe_i32(&m, 0), n, spe_i32(&m, 1), 1, out);
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 6)));
    spe_break(&m, 1, &n);
    spe_else(&m, 1, none);
    spe_continue(&m, 1, out);
    spe_endif(&m, 0, NULL, NULL);
    spe_return(&m);
    out[0] = 0;
    spe_endfor(&m, 1, out);
    CHECK(spe_type_of(&m, out[0]) == spe_int(&m, 32));
    spe_kernel_end(&m);
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    test_save_spv("spirv_flow_ignored", words.data, words.count * 4);
    spe_free(&m);
}

TEST(exits_and_hints_are_checked)
{
    spe_module m;
    spe_id n = open_kernel(&m);
    spe_break(&m, 0, NULL);
    expect(&m, SPE_ERR_REGION_CROSSED, "spe_break: no loop is open");
    n = open_kernel(&m);
    spe_for(&m, spe_i32(&m, 0), n, spe_i32(&m, 1), 0, NULL);
    spe_continue(&m, 1, &n);
    expect(&m, SPE_ERR_CARRIED, "spe_continue: 1 values, but the spe_for");
    open_kernel(&m);
    spe_loop_hint(&m, SPE_LoopControlUnroll, 0);
    spe_loop_hint(&m, SPE_LoopControlDontUnroll, 0);
    expect(&m, SPE_ERR_RANGE, "not unrolled (0x2) has other hints of unrolling (0x1)");
    open_kernel(&m);
    spe_loop_hint(&m, SPE_LoopControlUnroll, 4);
    expect(&m, SPE_ERR_RANGE, "hint 0x1 does not take the value 4");
    open_kernel(&m);
    spe_loop_hint(&m, 0x10000, 0);
    expect(&m, SPE_ERR_RANGE, "0x10000 is not one of SPE_LoopControl");
    open_kernel(&m);
    spe_loop_hint(&m, SPE_LoopControlUnroll, 0);
    spe_kernel_end(&m);
    expect(&m, SPE_ERR_REGION_CROSSED, "no loop follows spe_loop_hint 0x1");
}

TEST(returns_match_the_function)
{
    spe_module m;
    open_kernel(&m);
    spe_return_value(&m, spe_i32(&m, 1));
    expect(&m, SPE_ERR_RETURN, "spe_return_value: i32 from a function of void");

    spe_begin(&m, NULL);
    spe_function_begin(&m, "f", spe_int(&m, 32), 0, NULL);
    spe_return(&m);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_RETURN);
    spe_free(&m);

    spe_begin(&m, NULL);
    spe_function_begin(&m, "f", spe_int(&m, 32), 0, NULL);
    spe_function_end(&m);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_RETURN);
    CHECK_HAS(spe_get_error(&m)->text, "ends without spe_return_value");
    spe_free(&m);
}

int main(void)
{
    RUN(random_programs);
    RUN(an_open_loop_is_named_by_its_place);
    RUN(crossed_regions);
    RUN(carried_values_keep_number_and_type);
    RUN(values_stay_in_their_region);
    RUN(conditions_and_bounds_are_checked);
    RUN(switches_are_checked);
    RUN(regions_without_values);
    RUN(wide_selectors_and_returns);
    RUN(sides_that_return_give_nothing);
    RUN(exits_and_hints_are_checked);
    RUN(returns_match_the_function);
    return test_report();
}
