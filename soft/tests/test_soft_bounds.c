/* test_soft_bounds.c - memory used by the reader and the code generator is proportional to the module: bytes allocated
 * per word, for modules that are each adverse in one way. If any of their allocations fails, they report it and leak
 * nothing. What exceeds the device's limits is refused by name.
 */
#define _GNU_SOURCE
#include "c/generate.h"
#include "spirv/reader.h"
#include "large_kernels.h"

#if defined(__GLIBC__) && !TEST_SANITIZED
#define CAN_COUNT 1
#endif

#ifdef CAN_COUNT
static long countdown = -1; /* this many more allocations succeed, then one fails; negative: all succeed */
static long live;
static size_t asked;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

static bool fails_now(size_t size)
{
    asked += size;
    return countdown >= 0 && countdown-- == 0;
}

static void *counted(void *p)
{
    live += p != NULL;
    return p;
}

void *malloc(size_t size) { return fails_now(size) ? NULL : counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return fails_now(count * size) ? NULL : counted(__libc_calloc(count, size)); }

void *realloc(void *p, size_t size)
{
    void *q = fails_now(size) ? NULL : __libc_realloc(p, size);
    live += !p && q;
    return q;
}

void free(void *p)
{
    live -= p != NULL;
    __libc_free(p);
}
#endif

/* ---- ids with gaps */

struct spread {
    const struct sp_inst *inst;
    const uint32_t *from;
    uint32_t *to, factor;
};

static bool spread_operand(void *user, uint32_t index, char letter)
{
    struct spread *s = user;
    (void)letter;
    s->to[s->inst->operand + index - s->from] *= s->factor;
    return true;
}

/* The module with every id multiplied. */
static uint32_t *spread_ids(spe_words w, uint32_t factor)
{
    struct sp_text log = {0};
    struct sp_module *m = sp_parse(w.data, w.count, NULL, 0, true, &log);
    uint32_t *to = malloc(w.count * sizeof *to);
    CHECK_MSG(m && to, "%s", log.data ? log.data : "");
    struct sp_reader r = {.m = m, .log = &log};
    r.early_type = sp_alloc(&r, m->bound, sizeof *r.early_type);
    sp_note_types(&r);
    memcpy(to, w.data, w.count * sizeof *to);
    to[3] = (to[3] - 1) * factor + 1;
    for (uint32_t at = SP_HEADER_WORDS; at < w.count; at += w.data[at] >> 16) {
        struct sp_inst i;
        struct spread s = {&i, m->words, to, factor};
        CHECK(sp_decode_one(&r, at, &i) && sp_each_id(&r, &i, spread_operand, &s));
        for (uint32_t k = at + 1; k < at + (uint32_t)(i.operand - m->words - at); k++) to[k] *= factor;
    }
    sp_free(m);
    sp_text_free(&log);
    return to;
}

static struct sp_text text_of(const uint32_t *words, size_t count, struct sp_text *log)
{
    static const struct cg_options options = {.default_subgroup_size = 16};
    struct sp_text text = {0};
    struct sp_module *m = sp_parse(words, count, NULL, 0, true, log);
    if (m) cg_generate(m, &options, &text, log);
    sp_free(m);
    return text;
}

/* ---- kernels */

/* Instructions with ids in unusual positions: a switch on 64 bits, phis, calls, constants, functions of sets. */
static spe_words mixed(struct kernel *k)
{
    static const int64_t literals[] = {3, -1, (int64_t)1 << 40};
    begin_module(k);
    spe_id callee = spe_function_begin(&k->m, "called", k->type, 1, &k->type), from;
    spe_return_value(&k->m, spe_iadd(&k->m, spe_param_id(&k->m, 0), number(k, 7)));
    spe_function_end(&k->m);
    begin_kernel(k, "mixed");
    from = k->v;
    spe_switch(&k->m, spe_uconvert(&k->m, spe_int(&k->m, 64), k->v), 3, literals);
    spe_default(&k->m);
    spe_endcase(&k->m, 1, &from);
    for (uint32_t i = 0; i < 3; i++) {
        spe_case(&k->m, i);
        spe_id to = spe_call(&k->m, callee, 1, &from);
        spe_endcase(&k->m, 1, &to);
    }
    spe_endswitch(&k->m, 1, &k->v);
    spe_id index = spe_for(&k->m, number(k, 0), k->n, number(k, 1), 1, &k->v);
    k->v = spe_math(&k->m, SPE_UMAX, 2, (spe_id[]){k->v, index});
    spe_endfor(&k->m, 1, &k->v);
    return finish(k);
}

TEST(ids_may_leave_gaps)
{
    static const uint32_t factors[] = {1, 2000, 30000};
    struct kernel k;
    spe_words w = mixed(&k);
    char *first = NULL;
    for (int f = 0; f < 3; f++) {
        uint32_t *words = spread_ids(w, factors[f]);
        struct sp_text log = {0}, text = text_of(words, w.count, &log);
        CHECK_MSG(text.data && !log.data, "times %u: %s", factors[f], log.data ? log.data : "no text");
        if (f == 0) first = strdup(text.data ? text.data : "");
        else CHECK_MSG(text.data && !strcmp(first, text.data), "times %u: other text", factors[f]);
        sp_text_free(&text);
        sp_text_free(&log);
        free(words);
    }
    free(first);
    spe_free(&k.m);
}

/* Messages use the module's own ids, even undefined ones. */
TEST(messages_have_the_modules_own_numbers)
{
    static const uint32_t start[] = {0x07230203,
                                     0x10000,
                                     0,
                                     4000000,
                                     0,
                                     2 << 16 | SP_OP_Capability,
                                     SP_CAP_Kernel,
                                     2 << 16 | SP_OP_Capability,
                                     SP_CAP_Addresses,
                                     3 << 16 | SP_OP_MemoryModel,
                                     SP_ADDRESSING_Physical64,
                                     SP_MEMORY_MODEL_OpenCL,
                                     4 << 16 | SP_OP_TypeInt,
                                     2000000,
                                     32,
                                     0,
                                     4 << 16 | SP_OP_TypeVector,
                                     3999999,
                                     0,
                                     4};
    static const struct {
        uint32_t elem;
        const char *says;
    } rows[] = {{2000000, NULL},
                {1234567, "OpTypeVector %3999999: operand 0, %1234567, is not a type defined before"},
                {4000000, "an id is not below the bound"},
                {0, "an id is not below the bound"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sp_text log = {0};
        uint32_t words[sizeof start / 4];
        memcpy(words, start, sizeof start);
        words[sizeof start / 4 - 2] = rows[i].elem;
        struct sp_module *m = sp_parse(words, sizeof start / 4, NULL, 0, true, &log);
        CHECK((m != NULL) == !rows[i].says);
        if (rows[i].says) CHECK_HAS(log.data ? log.data : "", rows[i].says);
        sp_free(m);
        sp_text_free(&log);
    }
}

/* ---- memory per word */

/* Modules with about `n` of something. */
static spe_words plain(struct kernel *k, uint32_t n)
{
    begin_module(k);
    begin_kernel(k, "plain");
    for (uint32_t i = 0; i < n; i++) k->v = spe_iadd(&k->m, spe_imul(&k->m, k->v, number(k, 2 * (i % 64) + 3)), k->n);
    return finish(k);
}

static spe_words functions(struct kernel *k, uint32_t n)
{
    spe_id *callee = malloc((n + 1) * sizeof *callee), v;
    begin_module(k);
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "function_%u", i);
        callee[i] = spe_function_begin(&k->m, name, k->type, 1, &k->type);
        v = spe_iadd(&k->m, spe_param_id(&k->m, 0), number(k, i % 64));
        spe_return_value(&k->m, i % 100 ? spe_call(&k->m, callee[i - 1], 1, &v) : v);
        spe_function_end(&k->m);
    }
    begin_kernel(k, "functions");
    for (uint32_t i = 0; i < n; i++) k->v = spe_call(&k->m, callee[i], 1, &k->v);
    free(callee);
    return finish(k);
}

static spe_words kernels(struct kernel *k, uint32_t n)
{
    begin_module(k);
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "kernel_%u", i);
        begin_kernel(k, name);
        spe_store(&k->m, k->at, spe_iadd(&k->m, k->v, number(k, i % 64)), 0);
        spe_kernel_end(&k->m);
    }
    begin_kernel(k, "last");
    return finish(k);
}

static spe_words nested(struct kernel *k, uint32_t n)
{
    begin_module(k);
    begin_kernel(k, "nested");
    spe_id result = number(k, 0), zero = result;
    for (uint32_t i = 0; i < n; i++) spe_if(&k->m, spe_ugt(&k->m, k->v, number(k, i)));
    for (uint32_t i = 0; i < n; i++) {
        spe_id more = spe_iadd(&k->m, result, number(k, i % 64));
        spe_endif_from(&k->m, 1, &more, &zero, &result);
    }
    k->v = result;
    return finish(k);
}

static spe_words cases(struct kernel *k, uint32_t n)
{
    int64_t *literals = malloc(n * sizeof *literals);
    begin_module(k);
    begin_kernel(k, "cases");
    spe_id from = k->v;
    for (uint32_t i = 0; i < n; i++) literals[i] = 3 * (int64_t)i;
    spe_switch(&k->m, k->v, n, literals);
    spe_default(&k->m);
    spe_endcase(&k->m, 1, &from);
    for (uint32_t i = 0; i < n; i++) {
        spe_case(&k->m, i);
        spe_id to = spe_iadd(&k->m, from, number(k, i % 64));
        spe_endcase(&k->m, 1, &to);
    }
    spe_endswitch(&k->m, 1, &k->v);
    free(literals);
    return finish(k);
}

/* Loads and stores of private variables at constant offsets, which become C variables. */
static spe_words variables(struct kernel *k, uint32_t n)
{
    begin_module(k);
    begin_kernel(k, "variables");
    for (uint32_t i = 0; i < n; i++) {
        spe_id p = spe_local_var(&k->m, k->type);
        spe_store(&k->m, p, k->v, 0);
        k->v = spe_load(&k->m, p, 0);
    }
    return finish(k);
}

static spe_words barriers(struct kernel *k, uint32_t n)
{
    begin_module(k);
    begin_kernel(k, "barriers");
    for (uint32_t i = 0; i < n; i++) {
        k->v = spe_iadd(&k->m, k->v, number(k, i % 64));
        spe_barrier(&k->m);
    }
    return finish(k);
}

static spe_words structures(struct kernel *k, uint32_t n)
{
    begin_module(k);
    spe_id type = k->type, *deepest = malloc((n / 60 + 1) * sizeof *deepest);
    for (uint32_t i = 0; i < n; i++) {
        spe_id members[2] = {i % 60 ? k->type : spe_array(&k->m, k->type, i + 2), type};
        type = spe_struct(&k->m, i % 60 ? 2 : 1, members);
        deepest[i / 60] = type;
    }
    begin_kernel(k, "structures");
    for (uint32_t i = 0; i < n; i += 60)
        spe_store(&k->m, spe_local_var(&k->m, deepest[i / 60]), spe_null(&k->m, deepest[i / 60]), 0);
    free(deepest);
    return finish(k);
}

/* Instructions that copy a value of a thousand parts. */
static spe_words wide_values(struct kernel *k, uint32_t n)
{
    begin_module(k);
    spe_id type = spe_array(&k->m, k->type, 1000), old;
    spe_id callee = spe_function_begin(&k->m, "called", type, 1, &type);
    spe_return_value(&k->m, spe_param_id(&k->m, 0));
    spe_function_end(&k->m);
    begin_kernel(k, "wide_values");
    spe_id to = spe_local_var(&k->m, type), v = spe_null(&k->m, type), item = k->v;
    for (uint32_t i = 0; i < n; i++) {
        v = spe_insert(&k->m, v, k->v, i % 1000);
        if (i % 4 == 0) v = spe_call(&k->m, callee, 1, &v);
        if (i % 4 == 1) spe_store(&k->m, to, v, 0), v = spe_load(&k->m, to, 0);
        k->v = spe_iadd(&k->m, k->v, spe_extract(&k->m, v, i % 999));
        if (i % 4 != 2) continue;
        old = v;
        spe_if(&k->m, spe_ugt(&k->m, item, number(k, i)));
        v = spe_insert(&k->m, v, item, 3);
        spe_endif_from(&k->m, 1, &v, &old, &v);
    }
    return finish(k);
}

static spe_words names(struct kernel *k, uint32_t n)
{
    char *name = malloc(n + 1);
    memset(name, '\1', n);
    name[n] = 0;
    begin_module(k);
    begin_kernel(k, name);
    free(name);
    return finish(k);
}

/* All of one value, and different: what repeats another is not written. */
static spe_words decorations(struct kernel *k, uint32_t n)
{
    begin_module(k);
    begin_kernel(k, "decorations");
    for (uint32_t i = 0; i < n; i++) spe_cache_load(&k->m, k->at, i, 0);
    return finish(k);
}

static spe_words large_arrays(struct kernel *k, uint32_t n)
{
    begin_module(k);
    begin_kernel(k, "large_arrays");
    for (uint32_t i = 0; i < n; i++) {
        spe_id array = spe_array(&k->m, k->type, 1 << 12 | i), p = spe_local_var(&k->m, array), index = k->v;
        spe_store(&k->m, spe_element(&k->m, p, 1, &index), k->v, 0);
    }
    return finish(k);
}

#ifdef CAN_COUNT
enum { BYTES_A_WORD = 1000 };

/* Bytes allocated for reading the module and generating its C. */
static size_t cost(const char *what, spe_words (*make)(struct kernel *, uint32_t), uint32_t n, size_t *words)
{
    struct kernel k;
    struct sp_text log = {0}, text;
    spe_words w = make(&k, n);
    uint32_t *copy = malloc(w.count * sizeof *copy);
    size_t before = asked, all;
    memcpy(copy, w.data, w.count * sizeof *copy);
    copy[3] = SP_MAX_BOUND; /* an arbitrary bound in the header */
    text = text_of(copy, w.count, &log);
    all = asked - before;
    CHECK_MSG(text.data && !log.data, "%s: %s", what, log.data ? log.data : "no text");
    *words = w.count;
    sp_text_free(&text);
    sp_text_free(&log);
    free(copy);
    spe_free(&k.m);
    return all;
}
#endif

static void in_proportion(const char *what, spe_words (*make)(struct kernel *, uint32_t), uint32_t n)
{
#ifdef CAN_COUNT
    size_t words, least = cost(what, make, 1, &words);
    CHECK_MSG(least < 2 << 20, "%s: %zu bytes at least", what, least);
    for (uint32_t times = 1; times <= 4; times *= 4) {
        size_t more = cost(what, make, times * n, &words) - least;
        CHECK_MSG(words > n / 8 && more / words < BYTES_A_WORD, "%s: %zu bytes for %zu words", what, more, words);
    }
#else
    (void)what, (void)make, (void)n;
#endif
}

TEST(memory_is_in_proportion)
{
    in_proportion("plain", plain, 2000);
    in_proportion("functions", functions, 1000);
    in_proportion("kernels", kernels, 200);
    in_proportion("nested", nested, 1000);
    in_proportion("cases", cases, 1000);
    in_proportion("variables", variables, 1000);
    in_proportion("barriers", barriers, 300);
    in_proportion("structures", structures, 1000);
    in_proportion("wide values", wide_values, 300);
    in_proportion("names", names, 10000);
    in_proportion("decorations", decorations, 2000);
    in_proportion("large arrays", large_arrays, 300);
}

/* ---- allocations that fail */

static void fails_well(const char *what, const uint32_t *words, size_t count)
{
#ifdef CAN_COUNT
    bool done = false;
    long n;
    for (n = 0; !done; n++) {
        struct sp_text log = {0}, text;
        long before = live;
        countdown = n;
        text = text_of(words, count, &log);
        done = countdown >= 0; /* none has failed */
        countdown = -1;
        bool whole = text.size && !log.size, said = log.failed || (log.data && strstr(log.data, "memory"));
        CHECK_MSG(done ? whole : whole || said, "%s: allocation %ld: %s", what, n,
                  log.data ? log.data : "nothing is said");
        sp_text_free(&text);
        sp_text_free(&log);
        CHECK_MSG(live == before, "%s: allocation %ld: %ld blocks left behind", what, n, live - before);
    }
    CHECK_MSG(n > 10, "%s: %ld allocations", what, n);
#else
    (void)what, (void)words, (void)count;
#endif
}

static void make_fail(const char *what, spe_words (*make)(struct kernel *, uint32_t))
{
    struct kernel k;
    spe_words w = make(&k, 40);
    fails_well(what, w.data, w.count);
    spe_free(&k.m);
}

static void file_fails(const char *name)
{
    static uint32_t words[1 << 16];
    char path[200];
    snprintf(path, sizeof path, "tests/opencl/%s.spv", name);
    FILE *f = fopen(path, "rb");
    CHECK_MSG(f != NULL, "%s is not there", path);
    size_t count = f ? fread(words, 4, sizeof words / 4, f) : 0;
    if (f) fclose(f);
    fails_well(name, words, count);
}

TEST(every_allocation_may_fail)
{
    make_fail("plain", plain);
    make_fail("functions", functions);
    make_fail("kernels", kernels);
    make_fail("nested", nested);
    make_fail("cases", cases);
    make_fail("variables", variables);
    make_fail("barriers", barriers);
    make_fail("structures", structures);
    make_fail("wide values", wide_values);
    make_fail("large arrays", large_arrays);
    static const char *const files[] = {"groups",   "program", "blocks",   "pointers",
                                        "printing", "copies",  "extended", "casts"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) file_fails(files[i]);
}

/* ---- modules beyond the limits are refused by name, before much memory is allocated */

static spe_words too_many_parts(struct kernel *k)
{
    begin_module(k);
    begin_kernel(k, "parts");
    spe_id v = spe_load(&k->m, spe_ptr_cast(&k->m, k->x, spe_array(&k->m, k->type, 4097)), 0);
    k->v = spe_extract(&k->m, v, 3);
    return finish(k);
}

static spe_words deep_types(struct kernel *k)
{
    begin_module(k);
    spe_id type = k->type;
    for (uint32_t i = 0; i < 70; i++) type = spe_struct(&k->m, 1, &type);
    begin_kernel(k, "deep");
    return finish(k);
}

static spe_words deep_calls(struct kernel *k)
{
    spe_id callee = 0, v;
    begin_module(k);
    for (uint32_t i = 0; i < 300; i++) {
        spe_id last = callee;
        callee = spe_function_begin(&k->m, "called", k->type, 1, &k->type);
        v = spe_param_id(&k->m, 0);
        spe_return_value(&k->m, i ? spe_call(&k->m, last, 1, &v) : v);
        spe_function_end(&k->m);
    }
    begin_kernel(k, "calls");
    k->v = spe_call(&k->m, callee, 1, &k->v);
    return finish(k);
}

static void with_variables(struct kernel *k, uint32_t count, uint32_t elements)
{
    begin_module(k);
    begin_kernel(k, "variables");
    for (uint32_t i = 0; i < count; i++) {
        spe_id array = spe_array(&k->m, k->type, elements), index = k->v;
        spe_store(&k->m, spe_element(&k->m, spe_local_var(&k->m, array), 1, &index), k->v, 0);
    }
}
static spe_words large_variable(struct kernel *k) { return with_variables(k, 1, (4 << 20) + 1), finish(k); }
static spe_words large_variables(struct kernel *k) { return with_variables(k, 5, 4 << 20), finish(k); }

static spe_words local_memory(struct kernel *k)
{
    begin_module(k);
    begin_kernel(k, "local");
    spe_id p = spe_shared_var(&k->m, spe_array(&k->m, k->type, 1 << 29)), index = k->v;
    spe_store(&k->m, spe_element(&k->m, p, 1, &index), k->v, 0);
    return finish(k);
}

/* Variables of the program: some words ask for any number of bytes. */
static void with_globals(struct kernel *k, uint32_t count, uint32_t elements)
{
    begin_module(k);
    begin_kernel(k, "globals");
    spe_id array = spe_array(&k->m, k->type, elements);
    for (uint32_t i = 0; i < count; i++) spe_global_var(&k->m, SPE_StorageClassCrossWorkgroup, array, 0);
}
static spe_words large_globals(struct kernel *k) { return with_globals(k, 2, (1 << 29) + 1), finish(k); }
static spe_words many_globals(struct kernel *k) { return with_globals(k, 17, 1 << 26), finish(k); }

/* `outer` times `inner` bytes of 255 in two constants' words, as a variable's initial value. */
static spe_words initialised(struct kernel *k, uint32_t outer)
{
    enum { INNER = 4096 };
    static spe_id parts[1 << 15];
    begin_module(k);
    begin_kernel(k, "initialised");
    spe_id byte = spe_int(&k->m, 8), row = spe_array(&k->m, byte, INNER), all = spe_array(&k->m, row, outer);
    for (uint32_t i = 0; i < INNER; i++) parts[i] = spe_const_u(&k->m, byte, 255);
    spe_id one = spe_composite_const(&k->m, row, INNER, parts);
    for (uint32_t i = 0; i < outer; i++) parts[i] = one;
    spe_global_var(&k->m, SPE_StorageClassCrossWorkgroup, all, spe_composite_const(&k->m, all, outer, parts));
    return finish(k);
}
static spe_words large_text(struct kernel *k) { return initialised(k, 10000); }
static spe_words large_initial(struct kernel *k) { return initialised(k, 17000); }

TEST(too_much_is_refused_by_name)
{
    static const struct {
        spe_words (*make)(struct kernel *);
        const char *says;
    } rows[] = {
        {too_many_parts, "a value of this type has more than 4096 parts"},
        {deep_types, "types nest deeper than 64"},
        {deep_calls, "calls nest 257 deep, at most 256 are supported"},
        {large_variable, "bytes of private memory, at most 16777216 are supported"},
        {large_variables, " bytes of stack for a subgroup, at most 1073741824 are supported"},
        {local_memory, "2147483648 bytes of the module's local variables, at most 1073741824 are supported"},
        {large_globals, "4294967304 bytes of variables of the program, at most 4294967296 are supported"},
        {many_globals, "4563402752 bytes of variables of the program, at most 4294967296 are supported"},
        {large_text, "the generated text has more than 134217728 bytes"},
        {large_initial, "69632000 bytes of initialisers, at most 67108864 are supported"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kernel k;
        spe_words w = rows[i].make(&k);
        struct sp_text log = {0}, text = text_of(w.data, w.count, &log);
        CHECK_HAS(log.data ? log.data : "(nothing)", rows[i].says);
        sp_text_free(&text);
        sp_text_free(&log);
        spe_free(&k.m);
    }
}

static const uint32_t module_start[] = {0x07230203, 0x10000, 0, 0, 0, 2 << 16 | SP_OP_Capability, SP_CAP_Kernel,
                                        2 << 16 | SP_OP_Capability, SP_CAP_Addresses, 3 << 16 | SP_OP_MemoryModel,
                                        SP_ADDRESSING_Physical64, SP_MEMORY_MODEL_OpenCL};

/* That, and one instruction many times. */
static struct sp_text log_of(uint32_t bound, const uint32_t *instruction, uint32_t length, uint32_t times)
{
    size_t n = sizeof module_start / 4;
    uint32_t *words = malloc(sizeof module_start + (size_t)length * times * 4);
    struct sp_text log = {0};
    memcpy(words, module_start, sizeof module_start);
    words[3] = bound;
    for (uint32_t i = 0; i < times; i++, n += length) memcpy(words + n, instruction, length * 4);
    sp_free(sp_parse(words, n, NULL, 0, true, &log));
    free(words);
    return log;
}

TEST(counts_have_limits)
{
    static const uint32_t entry[] = {4 << 16 | SP_OP_EntryPoint, 6, 1, 'k'};
    static const uint32_t mode[] = {3 << 16 | SP_OP_ExecutionMode, 1, SP_MODE_ContractionOff};
    static uint32_t structure[SP_MAX_MEMBERS + 3];
    const struct {
        uint32_t bound;
        const uint32_t *instruction;
        uint32_t length, times;
        const char *says;
    } rows[] = {{0, entry, 0, 0, "the id bound 0 is not within 1 to 4194304"},
                {SP_MAX_BOUND + 1, entry, 0, 0, "the id bound 4194305 is not within 1 to 4194304"},
                {9, entry, 4, SP_MAX_ENTRIES + 1, "more than 4096 entry points"},
                {9, mode, 3, SP_MAX_MODES + 1, "more than 65536 execution modes"},
                {9, structure, SP_MAX_MEMBERS + 3, 1, "more than 16384 members"}};
    structure[0] = (SP_MAX_MEMBERS + 3) << 16 | SP_OP_TypeStruct;
    for (uint32_t i = 1; i < SP_MAX_MEMBERS + 3; i++) structure[i] = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sp_text log = log_of(rows[i].bound, rows[i].instruction, rows[i].length, rows[i].times);
        CHECK_HAS(log.data ? log.data : "(nothing)", rows[i].says);
        sp_text_free(&log);
    }
    struct sp_text log = {0};
    CHECK(!sp_parse(entry, SP_MAX_WORDS + 1, NULL, 0, true, &log)); /* it looks at none of them */
    CHECK_HAS(log.data, "16777217 words are more than the limit of 16777216");
    sp_text_free(&log);
}

/* k decorations for t targets in k + t instructions: their product is bounded by the module's size. */
TEST(groups_of_decorations_have_a_limit)
{
    enum { MANY = 400 };
    uint32_t *words = malloc(sizeof *words * (32 + 8 * MANY)), n = sizeof module_start / 4;
    struct sp_text log = {0};
    memcpy(words, module_start, sizeof module_start);
    words[3] = 4000;
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t one[] = {4 << 16 | SP_OP_Decorate, 1, SP_DECORATION_Alignment, 4};
        memcpy(words + n, one, sizeof one);
        n += 4;
    }
    words[n++] = 2 << 16 | SP_OP_DecorationGroup, words[n++] = 1;
    words[n++] = (2 + MANY) << 16 | SP_OP_GroupDecorate, words[n++] = 1;
    for (uint32_t i = 0; i < MANY; i++) words[n++] = 2 + i;
    words[n++] = 2 << 16 | SP_OP_TypeVoid, words[n++] = 2;
    char says[64];
    snprintf(says, sizeof says, "more than %u decorations", SP_FEW_DECORATIONS + SP_DECORATIONS_A_WORD * n);
    CHECK(!sp_parse(words, n, NULL, 0, true, &log));
    CHECK_HAS(log.data ? log.data : "(nothing)", says);
    sp_text_free(&log);
    free(words);
}

int main(void)
{
    RUN(ids_may_leave_gaps);
    RUN(messages_have_the_modules_own_numbers);
    RUN(memory_is_in_proportion);
    RUN(every_allocation_may_fail);
    RUN(too_much_is_refused_by_name);
    RUN(counts_have_limits);
    RUN(groups_of_decorations_have_a_limit);
    return test_report();
}
