/* tiny_compiler.c - a compiler from a text to a kernel, as an example of spirv_emit.h: one pass over the text, without
 * a tree. The same parser also runs the text on the host, as the reference for what the device computes.
 *
 *     tiny_compiler [FILE] [--list] [--device NAME] [--emit FILE.spv [--target NAME]]    (examples/mandelbrot.tiny)
 *
 *     kernel NAME(in x, out y, ...) { statements }     one element of each array in every work-item
 *     name = sum                                       all numbers are f32; y is stored at the end
 *     if sum < sum { ... } else { ... }                < or >
 *     while sum < sum { ... break ... }
 *     sums of products of numbers, names, (sums), abs(sum), min(sum, sum), max(sum, sum)
 *
 * A variable is the id of its current value. Regions carry all variables that exist where they open: that is all it
 * takes to write SSA form. The kernel is built with SPE_CONTRACT_OFF, so that + - * round on the device as here, and
 * every element must be equal. The host runs the text first: one whose loops do not end is not launched.
 */
#define SPE_VULKAN /* --target vulkan */
#include "spirv_emit.h"
#include "ze_dispatch.h"

#define EXAMPLE "tiny_compiler"
#include "example.h"

#include <ctype.h>

enum { VARIABLES = 32, ELEMENTS = 10007, GROUP = 64, DEPTH = 200, TURNS = 10000000 /* of all loops, on the host */ };

typedef enum { EMIT, RUN, SKIP } doing; /* write SPIR-V; compute; only read over the text */

/* A number: the id of its value when compiling, its value when running. */
typedef struct {
    spe_id id;
    float x;
} number;

typedef struct {
    char name[32];
    number now;
    bool in, out;
} variable;

typedef struct {
    const char *path, *start, *at;
    doing mode;
    spe_module m;
    spe_id f32;
    variable vars[VARIABLES];
    int count, params;
    int loop_count;   /* variables that the innermost loop carries; -1: no loop is open */
    bool broke;       /* running: a break was met */
    int depth, turns; /* of open blocks and parentheses; of loops so far */
    char kernel[32], error[160];
} compiler;

/* ---- reading the text */

static int line_of(const compiler *c)
{
    int line = 1;
    for (const char *s = c->start; s < c->at; s++) line += *s == '\n';
    return line;
}

/* The first error counts; the text then ends for the parser. */
static void complain(compiler *c, const char *what, const char *name)
{
    if (!*c->error) snprintf(c->error, sizeof c->error, "%s:%d: %s%s", c->path, line_of(c), what, name);
    c->at += strlen(c->at);
}

static void skip_space(compiler *c)
{
    while (isspace((unsigned char)*c->at) || *c->at == '#') {
        if (*c->at == '#') c->at += strcspn(c->at, "\n");
        else c->at++;
    }
}

static bool next_is(compiler *c, const char *word)
{
    size_t n = strlen(word);
    skip_space(c);
    if (strncmp(c->at, word, n) || (isalpha((unsigned char)*word) && isalnum((unsigned char)c->at[n]))) return false;
    c->at += n;
    return true;
}

static void expect(compiler *c, const char *word)
{
    if (!next_is(c, word)) complain(c, "expected ", word);
}

static void read_name(compiler *c, char name[32])
{
    size_t n = 0;
    skip_space(c);
    while (isalnum((unsigned char)c->at[n])) n++;
    if (n > 31 || !isalpha((unsigned char)*c->at)) n = 0;
    if (!n) complain(c, "expected a name", "");
    memcpy(name, c->at, n);
    name[n] = 0;
    c->at += n;
}

static variable *find(compiler *c, const char *name)
{
    for (int i = 0; i < c->count; i++)
        if (!strcmp(c->vars[i].name, name)) return &c->vars[i];
    return NULL;
}

static variable *declare(compiler *c, const char *name)
{
    if (c->count == VARIABLES) return complain(c, "too many variables: ", name), &c->vars[0];
    variable *v = &c->vars[c->count++];
    memset(v, 0, sizeof *v);
    strcpy(v->name, name);
    return v;
}

/* The module, at this line: errors of spirv_emit.h and OpLine name it. */
static spe_module *here(compiler *c) { return spe_at_column(&c->m, c->path, line_of(c), 0); }

/* ---- expressions */

static number sum(compiler *c);

static number constant(compiler *c, float x)
{
    number n = {c->mode == EMIT ? spe_const_f(here(c), c->f32, (double)x) : 0, x};
    return n;
}

static number apply(compiler *c, char op, number a, number b)
{
    number r = {0, op == '+' ? a.x + b.x : op == '-' ? a.x - b.x : op == '*' ? a.x * b.x : 0};
    if (op == 'm') r.x = fminf(a.x, b.x);
    if (op == 'M') r.x = fmaxf(a.x, b.x);
    if (op == 'a') r.x = fabsf(a.x);
    if (c->mode != EMIT) return r;
    switch (op) {
    case '+': r.id = spe_fadd(here(c), a.id, b.id); break;
    case '-': r.id = spe_fsub(here(c), a.id, b.id); break;
    case '*': r.id = spe_fmul(here(c), a.id, b.id); break;
    case 'm': r.id = spe_math2(here(c), SPE_FMIN, a.id, b.id); break;
    case 'M': r.id = spe_math2(here(c), SPE_FMAX, a.id, b.id); break;
    default: r.id = spe_math1(here(c), SPE_FABS, a.id); break;
    }
    return r;
}

static number call(compiler *c, char op)
{
    expect(c, "(");
    number a = sum(c), b = a;
    if (op != 'a') {
        expect(c, ",");
        b = sum(c);
    }
    expect(c, ")");
    return apply(c, op, a, b);
}

static number factor(compiler *c)
{
    char name[32], *end;
    number n;
    skip_space(c);
    if (isdigit((unsigned char)*c->at)) {
        n = constant(c, strtof(c->at, &end));
        c->at = end;
        return n;
    }
    if (next_is(c, "(")) {
        n = sum(c);
        expect(c, ")");
        return n;
    }
    if (next_is(c, "abs")) return call(c, 'a');
    if (next_is(c, "min")) return call(c, 'm');
    if (next_is(c, "max")) return call(c, 'M');
    read_name(c, name);
    variable *v = find(c, name);
    if (v) return v->now;
    complain(c, "unknown variable ", name);
    return constant(c, 0);
}

static number product(compiler *c)
{
    number a = factor(c);
    while (next_is(c, "*")) a = apply(c, '*', a, factor(c));
    return a;
}

static number sum(compiler *c)
{
    if (++c->depth > DEPTH) complain(c, "too many open parentheses and blocks", "");
    number a = product(c);
    for (;;) {
        if (next_is(c, "+")) a = apply(c, '+', a, product(c));
        else if (next_is(c, "-")) a = apply(c, '-', a, product(c));
        else break;
    }
    c->depth--;
    return a;
}

/* As a bool's id, or whether x is not 0. */
static number condition(compiler *c)
{
    number a = sum(c), r = {0, 0};
    bool less = next_is(c, "<");
    if (!less) expect(c, ">");
    number b = sum(c);
    r.x = less ? a.x < b.x : a.x > b.x;
    if (c->mode == EMIT) r.id = less ? spe_flt(here(c), a.id, b.id) : spe_fgt(here(c), a.id, b.id);
    return r;
}

/* ---- statements */

static void block(compiler *c);

/* The ids of the first n variables, as regions take them, and back. */
static void get(const compiler *c, int n, spe_id *ids)
{
    for (int i = 0; i < n; i++) ids[i] = c->vars[i].now.id;
}
static void set(compiler *c, int n, const spe_id *ids)
{
    for (int i = 0; i < n; i++) c->vars[i].now.id = ids[i];
}

/* A block that is run only if `taken`. */
static void block_if(compiler *c, bool taken)
{
    doing before = c->mode;
    if (c->mode == RUN && !taken) c->mode = SKIP;
    block(c);
    if (c->mode == SKIP && !c->broke) c->mode = before;
}

static void if_statement(compiler *c)
{
    spe_id before[VARIABLES], then[VARIABLES], after[VARIABLES];
    int n = c->count;
    number yes = condition(c);
    if (c->mode == EMIT) spe_if(here(c), yes.id);
    get(c, n, before);
    block_if(c, yes.x != 0);
    get(c, n, then);
    set(c, n, before);
    if (next_is(c, "else")) {
        if (c->mode == EMIT) spe_else(here(c), (uint32_t)n, then);
        block_if(c, yes.x == 0);
        get(c, n, after);
        if (c->mode == EMIT) spe_endif(here(c), (uint32_t)n, after, after);
    } else if (c->mode == EMIT) {
        spe_endif_from(here(c), (uint32_t)n, then, before, after);
    }
    if (c->mode == EMIT) set(c, n, after);
}

static void emit_while(compiler *c)
{
    spe_id ids[VARIABLES];
    int n = c->loop_count = c->count;
    get(c, n, ids);
    spe_while(here(c), (uint32_t)n, ids);
    set(c, n, ids);
    spe_while_test(here(c), condition(c).id);
    block(c);
    get(c, n, ids);
    spe_endwhile(here(c), (uint32_t)n, ids);
    set(c, n, ids);
}

static void run_while(compiler *c)
{
    const char *test = c->at;
    doing before = c->mode;
    do {
        c->at = test;
        if (c->mode == RUN && c->turns++ == TURNS) complain(c, "this loop does not end, or takes too many turns", "");
        if (condition(c).x == 0) c->mode = SKIP;
        block(c);
    } while (c->mode == RUN && !*c->error);
    c->mode = before;
    c->broke = false;
}

static void statement(compiler *c)
{
    char name[32];
    int outer = c->loop_count;
    if (next_is(c, "if")) {
        if_statement(c);
    } else if (next_is(c, "while")) {
        c->loop_count = c->count;
        if (c->mode == EMIT) emit_while(c);
        else run_while(c);
        c->loop_count = outer;
    } else if (next_is(c, "break")) {
        spe_id ids[VARIABLES];
        if (outer < 0) complain(c, "break outside of a loop", "");
        get(c, outer, ids);
        if (c->mode == EMIT && outer >= 0) spe_break(here(c), (uint32_t)outer, ids);
        if (c->mode == RUN) c->broke = true, c->mode = SKIP;
    } else {
        read_name(c, name);
        expect(c, "=");
        number value = sum(c);
        variable *v = find(c, name);
        if (!v) v = declare(c, name);
        if (c->mode != SKIP) v->now = value;
    }
}

/* Variables of a block end with it. */
static void block(compiler *c)
{
    int n = c->count;
    if (++c->depth > DEPTH) complain(c, "too many open parentheses and blocks", "");
    expect(c, "{");
    while (!next_is(c, "}") && !*c->error) {
        if (!*c->at) complain(c, "expected }", "");
        else statement(c);
    }
    c->count = n;
    c->depth--;
}

/* ---- kernels */

static void parameters(compiler *c)
{
    char name[32];
    expect(c, "kernel");
    read_name(c, c->kernel);
    expect(c, "(");
    do {
        bool out = next_is(c, "out");
        if (!out) expect(c, "in");
        read_name(c, name);
        if (find(c, name)) complain(c, "two parameters are called ", name);
        declare(c, name)->out = out;
    } while (next_is(c, ",") && !*c->error);
    c->params = c->count;
    expect(c, ")");
}

static void start(compiler *c, doing what)
{
    c->at = c->start;
    c->mode = what;
    c->count = 0;
    c->loop_count = -1;
    c->broke = false;
    c->depth = 0;
    parameters(c);
}

/* The kernel's words; NULL and an error if the text has one. */
static spe_words compile(compiler *c, spe_env env)
{
    spe_param params[VARIABLES + 1] = {{.name = NULL}};
    spe_kernel k = {.name = c->kernel, .local_size = {GROUP}, .params = params, .contract = SPE_CONTRACT_OFF};
    spe_id at[VARIABLES];
    spe_options options = {.env = env, .names = true, .lines = true};
    spe_begin(&c->m, &options);
    start(c, EMIT);
    c->f32 = spe_float(&c->m, 32);
    int n = c->params < VARIABLES ? c->params : VARIABLES - 1;
    for (int i = 0; i <= n; i++) {
        params[i].type = i < n ? spe_ptr(&c->m, SPE_StorageClassCrossWorkgroup, c->f32) : spe_int(&c->m, 32);
        params[i].name = i < n ? c->vars[i].name : "elements";
    }
    k.param_count = (uint32_t)n + 1;
    spe_kernel_begin(here(c), &k);
    spe_id element = spe_builtin(here(c), SPE_GLOBAL_ID, 0);
    spe_if(here(c), spe_ult(here(c), element, spe_param_id(here(c), (uint32_t)n)));
    for (int i = 0; i < n; i++) {
        at[i] = spe_index(here(c), spe_param_id(here(c), (uint32_t)i), element);
        c->vars[i].now = constant(c, 0);
        if (!c->vars[i].out) c->vars[i].now.id = spe_load(here(c), at[i], 0);
    }
    block(c);
    for (int i = 0; i < n && !*c->error; i++)
        if (c->vars[i].out) spe_store(here(c), at[i], c->vars[i].now.id, 0);
    spe_endif(here(c), 0, NULL, NULL);
    spe_kernel_end(here(c));
    spe_words words = spe_finish(&c->m);
    const spe_error *e = spe_get_error(&c->m);
    if (e->id && !*c->error) snprintf(c->error, sizeof c->error, "%s:%d: %.100s", e->file, e->line, e->text);
    if (*c->error) words.data = NULL;
    return words;
}

/* ---- running it */

static compiler tiny = {.path = "examples/mandelbrot.tiny"};
static float want[VARIABLES][ELEMENTS]; /* the outputs, as the host computes them */

/* Inputs are random, outputs something that no kernel gives. */
static bool fill(zed_device *dev, float **data)
{
    uint64_t state = 1;
    for (int p = 0; p < tiny.params; p++) {
        if (!(data[p] = (float *)new_array(dev, ELEMENTS * sizeof **data))) return fail_device(dev);
        for (int i = 0; i < ELEMENTS; i++) data[p][i] = tiny.vars[p].out ? NAN : 4 * (float)random_uniform(&state) - 2;
    }
    return true;
}

/* Runs the text for every element. */
static bool run_here(float *const *data)
{
    for (int i = 0; i < ELEMENTS && !*tiny.error; i++) {
        start(&tiny, RUN);
        for (int p = 0; p < tiny.params; p++) tiny.vars[p].now.x = tiny.vars[p].out ? 0 : data[p][i];
        block(&tiny);
        for (int p = 0; p < tiny.params; p++) want[p][i] = tiny.vars[p].now.x;
    }
    return !*tiny.error || fail("%s", tiny.error);
}

static bool run_there(zed_device *dev, spe_words words, float *const *data)
{
    char text[VARIABLES * 48] = "";
    zed_arg args[VARIABLES + 1];
    zed_module module;
    zed_kernel kernel;
    for (int p = 0; p < tiny.params; p++) {
        sprintf(text + strlen(text), "ptr<f32> %s, ", tiny.vars[p].name);
        args[p] = ZED_ARG(on_device(data[p]));
    }
    strcat(text, "u32 elements");
    args[tiny.params] = ZED_ARG(ELEMENTS);
    if (copy_to_device(dev) && zed_module_load(&module, dev, words.data, words.count * 4, NULL) &&
        zed_kernel_get(&kernel, &module, tiny.kernel, text))
        zed_launch_n(&kernel, (zed_groups){(ELEMENTS + GROUP - 1) / GROUP, 1, 1}, args, tiny.params + 1);
    for (int p = 0; p < tiny.params; p++) copy_from_device(dev, data[p]);
    return !zed_get_error(dev)->id || fail_device(dev);
}

static bool compare(float *const *data)
{
    int wrong = 0;
    for (int p = 0; p < tiny.params; p++)
        for (int i = 0; tiny.vars[p].out && i < ELEMENTS; i++) wrong += !(data[p][i] == want[p][i]);
    if (wrong) return fail("%d elements are wrong", wrong);
    printf("ok " EXAMPLE " %s %d elements\n", tiny.kernel, (int)ELEMENTS);
    return true;
}

/* Reads and compiles the file; false after a message. */
static bool build(spe_words *words, const char *target)
{
    static char text[65536];
    FILE *f = fopen(tiny.path, "rb");
    size_t size = f ? fread(text, 1, sizeof text, f) : 0;
    if (f) fclose(f);
    if (!f || size == sizeof text) return fail("%s: %s", tiny.path, f ? "the text is too long" : "cannot read it");
    tiny.start = text;
    *words = compile(&tiny, strcmp(target, "vulkan") && strcmp(target, "hopper") ? SPE_ENV_OPENCL : SPE_ENV_VULKAN);
    return words->data || fail("%s", tiny.error);
}

static bool run(zed_device *dev)
{
    float *data[VARIABLES];
    spe_words words;
    bool ok = build(&words, dev->target.name) && fill(dev, data) && run_here(data) && run_there(dev, words, data) &&
              compare(data);
    spe_free(&tiny.m);
    return ok;
}

/* The module is the same for all targets but Vulkan. */
static bool emit(const char *path, const char *target)
{
    static const char targets[] = " tgl dg1 mtl arl-h dg2 pvc bmg lnl ptl wcl nvl nvl-p cri generic soft vulkan ";
    char word[16];
    spe_words words;
    snprintf(word, sizeof word, " %s ", target);
    if (!strstr(targets, word)) return fail("--target %s: one of%s", target, targets);
    bool ok = build(&words, target) &&
              emit_words(path, NULL, "as in the text, u32 elements", "", words.data, words.count * 4);
    spe_free(&tiny.m);
    return ok;
}

int main(int argc, char **argv)
{
    static const example_option none[] = {OPTIONS_END};
    const example e = {.about = "compiles a text and runs it", .options = none, .files_help = "[FILE]",
                       .files = &tiny.path, .most_files = 1, .run = run, .emit = emit};
    return example_main(argc, argv, &e);
}
