/* test_soft_growth.c - the C generated for a kernel grows linearly with it, in the number of functions and not in their
 * size, so that the C compiler's time stays proportional. Measured in bytes, which do not depend on the machine's load.
 * (Only the jump table of a uniform switch cannot be split.) Kernels so large that passes of quadratic time would not
 * end in a test's time are written, too.
 */
#include "abi.h"
#include "build/build.h"
#include "build/jit.h"
#include "c/generate.h"
#include "spirv/spirv.h"
#include "large_kernels.h"
#include "passes/versions.h"

#include <sys/resource.h>

enum { FEW = 2000, TIMES = 3, LONGEST = 256 << 10 /* bytes of a function */ };

/* v * odd + i */
static spe_id step(struct kernel *k, spe_id v, uint32_t i)
{
    return spe_iadd(&k->m, spe_imul(&k->m, v, number(k, 2 * (i % 64) + 3)), number(k, i % 128));
}

static void begin(struct kernel *k)
{
    begin_module(k);
    k->called = spe_function_begin(&k->m, "called", k->type, 1, &k->type);
    spe_return_value(&k->m, step(k, spe_param_id(&k->m, 0), 7));
    spe_function_end(&k->m);
    begin_kernel(k, "kernel");
}

/* ---- contents of large kernels */

static void dependent_steps(struct kernel *k, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) k->v = step(k, k->v, i);
}

static void independent_steps(struct kernel *k, uint32_t count)
{
    spe_id *each = (spe_id *)malloc(count * sizeof *each), from = k->v;
    for (uint32_t i = 0; i < count; i++) each[i] = step(k, from, i);
    for (uint32_t i = 0; i < count; i++) k->v = spe_xor(&k->m, k->v, each[i]);
    free(each);
}

static void branches(struct kernel *k, uint32_t count, spe_id (*what)(struct kernel *))
{
    for (uint32_t i = 0; i < count; i++) {
        spe_id old = k->v, new;
        spe_if(&k->m, spe_ugt(&k->m, what(k), number(k, i)));
        new = step(k, old, i);
        spe_endif_from(&k->m, 1, &new, &old, &k->v);
    }
}
static spe_id parameter(struct kernel *k) { return k->n; }
static spe_id value(struct kernel *k) { return k->v; }
static void uniform_branches(struct kernel *k, uint32_t count) { branches(k, count, parameter); }
static void divergent_branches(struct kernel *k, uint32_t count) { branches(k, count, value); }

static void nested_branches(struct kernel *k, uint32_t count)
{
    spe_id result = number(k, 0), zero = result;
    for (uint32_t i = 0; i < count; i++) spe_if(&k->m, spe_ugt(&k->m, k->v, number(k, i)));
    for (uint32_t i = 0; i < count; i++) {
        spe_id more = step(k, result, i);
        spe_endif_from(&k->m, 1, &more, &zero, &result);
    }
    k->v = result;
}

static void loops(struct kernel *k, uint32_t count, spe_id (*what)(struct kernel *))
{
    for (uint32_t i = 0; i < count; i++) {
        spe_id most = spe_and(&k->m, what(k), number(k, 7));
        spe_id index = spe_for(&k->m, number(k, 0), most, number(k, 1), 1, &k->v);
        k->v = spe_iadd(&k->m, step(k, k->v, i), index);
        spe_endfor(&k->m, 1, &k->v);
    }
}
static void uniform_loops(struct kernel *k, uint32_t count) { loops(k, count, parameter); }
static void divergent_loops(struct kernel *k, uint32_t count) { loops(k, count, value); }

static void loads_and_stores(struct kernel *k, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        spe_id at = spe_index(&k->m, k->x, spe_and(&k->m, i % 2 ? k->v : k->item, number(k, 1023)));
        k->v = spe_iadd(&k->m, k->v, spe_load(&k->m, at, 0));
        spe_store(&k->m, at, k->v, 0);
    }
}

static void switch_of(struct kernel *k, uint32_t count, spe_id selector)
{
    int64_t *literals = (int64_t *)calloc(count, sizeof *literals);
    spe_id from = k->v, to;
    for (uint32_t i = 0; i < count; i++) literals[i] = 3 * (int64_t)i;
    spe_switch(&k->m, selector, count, literals);
    spe_default(&k->m);
    spe_endcase(&k->m, 1, &from);
    for (uint32_t i = 0; i < count; i++) {
        spe_case(&k->m, i);
        to = step(k, from, i);
        spe_endcase(&k->m, 1, &to);
    }
    spe_endswitch(&k->m, 1, &k->v);
    free(literals);
}
static void uniform_cases(struct kernel *k, uint32_t count) { switch_of(k, count, k->n); }
static void divergent_cases(struct kernel *k, uint32_t count) { switch_of(k, count, k->v); }

static void calls(struct kernel *k, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) k->v = spe_xor(&k->m, spe_call(&k->m, k->called, 1, &k->v), number(k, i));
}

/* ---- measuring */

struct size {
    size_t all, longest, functions; /* bytes, and how many */
    size_t forms;                   /* of statements, see forms.c: how many of the functions */
    bool once;                      /* its values' helpers are called, not inlined */
};

static bool quick; /* the tier */

static struct size measure(void (*body)(struct kernel *, uint32_t), uint32_t count)
{
    const struct cg_options options = {.default_subgroup_size = 16, .quick = quick};
    struct sp_text log = {0}, text = {0};
    struct size size = {0};
    struct kernel k;
    begin(&k);
    body(&k, count);
    spe_words w = finish(&k);
    struct sp_module *m = w.count ? sp_parse(w.data, w.count, NULL, 0, true, &log) : NULL;
    bool good = m && cg_generate(m, &options, &text, &log);
    CHECK_MSG(good, "%s%s", spe_get_error(&k.m)->text, log.data ? log.data : "");
    size.all = good ? text.size : 0;
    size.once = good && strstr(text.data, "#define XS_ONCE");
    for (const char *at = text.data; good && (at = strstr(at, "static XS_CUT void XS(form")) != NULL; at++)
        size.forms++;
    for (const char *at = text.data, *open = NULL; good && (at = strchr(at, '\n')); at++) {
        if (at[1] == '{') open = at;
        if (at[1] != '}' || !open) continue;
        size.functions++;
        if ((size_t)(at - open) > size.longest) size.longest = (size_t)(at - open);
        open = NULL;
    }
    sp_free(m);
    sp_text_free(&log);
    sp_text_free(&text);
    spe_free(&k.m);
    return size;
}

/* Names grow by a digit now and then, and by a prefix in pieces: a quarter more. */
static void grows(const char *what, void (*body)(struct kernel *, uint32_t))
{
    size_t none = measure(body, 1).all;
    struct size few = measure(body, FEW), many = measure(body, TIMES * FEW);
    CHECK_MSG(few.all > none + 20 * FEW, "%s: %zu bytes for %d", what, few.all - none, FEW);
    CHECK_MSG((double)(many.all - none) < 1.25 * TIMES * (double)(few.all - none), "%s: %zu bytes for %d, %zu for %d",
              what, few.all - none, FEW, many.all - none, TIMES * FEW);
    CHECK_MSG(many.longest <= LONGEST + LONGEST / 8, "%s: a function of %zu bytes", what, many.longest);
    CHECK_MSG(many.functions > few.functions + 4, "%s: %zu functions for %d, %zu for %d", what, few.functions, FEW,
              many.functions, TIMES * FEW);
}

/* Three times as many statements have hardly more forms, which are functions in the quick tier only. */
static void keeps_its_forms(const char *what, void (*body)(struct kernel *, uint32_t))
{
    size_t full = measure(body, FEW).forms;
    quick = true;
    size_t few = measure(body, FEW).forms, many = measure(body, TIMES * FEW).forms;
    quick = false;
    CHECK_MSG(!full && few && many < few + 4, "%s: %zu forms for %d, %zu for %d; %zu in the full tier", what, few, FEW,
              many, TIMES * FEW, full);
}

TEST(forms_do_not_grow)
{
    keeps_its_forms("independent steps", independent_steps);
    keeps_its_forms("divergent branches", divergent_branches);
    keeps_its_forms("loads and stores", loads_and_stores);
}

TEST(c_grows_as_the_kernel_does)
{
    grows("dependent steps", dependent_steps);
    grows("independent steps", independent_steps);
    grows("uniform branches", uniform_branches);
    grows("divergent branches", divergent_branches);
    grows("nested branches", nested_branches);
    grows("uniform loops", uniform_loops);
    grows("divergent loops", divergent_loops);
    grows("loads and stores", loads_and_stores);
    grows("uniform cases", uniform_cases);
    grows("divergent cases", divergent_cases);
    grows("calls", calls);
}

/* ---- time: of the passes and of writing C, which must not grow much faster than the kernel */

/* A chain of pointers, each some bytes after the last. */
static void pointers(struct kernel *k, uint32_t count)
{
    spe_id at = k->at;
    for (uint32_t i = 0; i < count; i++) at = spe_index(&k->m, at, number(k, 1));
    spe_store(&k->m, at, k->v, 0);
}

/* Branches on a condition that is computed from arguments alone. */
static void decided_branches(struct kernel *k, uint32_t count)
{
    spe_id condition = spe_ugt(&k->m, k->n, number(k, 3));
    for (uint32_t i = 0; i < count; i++) {
        spe_if(&k->m, condition);
        spe_store(&k->m, k->at, number(k, i), 0);
        spe_endif(&k->m, 0, NULL, NULL);
    }
}

/* Finds the versions of a large kernel and writes its C. Nothing is measured, since machines are noisy: passes whose
 * time grew with the square or cube of a kernel's size took minutes for these, longer than a test may. */
static void is_written(const char *what, void (*body)(struct kernel *, uint32_t), uint32_t count, bool check,
                       bool remarks)
{
    struct sp_text log = {0}, text = {0}, said = {0};
    struct cg_versions versions = {0};
    struct cg_options options = {.default_subgroup_size = 16, .check = check, .versions = &versions};
    struct kernel k;
    if (remarks) options.remarks = &said;
    begin(&k);
    body(&k, count);
    spe_words w = finish(&k);
    struct sp_module *m = w.count ? sp_parse(w.data, w.count, NULL, 0, true, &log) : NULL;
    CHECK_MSG(m && cg_find_versions(m, &versions) && cg_generate(m, &options, &text, &log), "%s: %s%s", what,
              spe_get_error(&k.m)->text, log.data ? log.data : "");
    cg_versions_free(&versions);
    sp_free(m);
    sp_text_free(&log);
    sp_text_free(&text);
    sp_text_free(&said);
    spe_free(&k.m);
}

/* Each function calls the one before twice: inlined, 2^60 instructions. */
TEST(calls_of_calls_compile)
{
    enum { FUNCTIONS = 60 };
    struct kernel k;
    struct sp_text log = {0}, text = {0};
    struct jit_object object = {0};
    begin_module(&k);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        spe_id callee = spe_function_begin(&k.m, "called", k.type, 1, &k.type), v = spe_param_id(&k.m, 0), once, twice;
        once = i ? spe_call(&k.m, k.called, 1, &v) : step(&k, v, 7);
        twice = i ? spe_call(&k.m, k.called, 1, &once) : step(&k, once, 9);
        spe_return_value(&k.m, spe_iadd(&k.m, once, twice));
        spe_function_end(&k.m);
        k.called = callee;
    }
    begin_kernel(&k, "calls");
    k.v = spe_call(&k.m, k.called, 1, &k.v);
    spe_words w = finish(&k);
    struct sp_module *m = sp_parse(w.data, w.count, NULL, 0, true, &log);
    CHECK_MSG(m && cg_generate(m, &(struct cg_options){.default_subgroup_size = 16}, &text, &log), "%s", log.data);
    struct rusage before, after;
    getrusage(RUSAGE_CHILDREN, &before);
    CHECK_MSG(text.data && jit_compile(text.data, text.size, NULL, NULL, &object, &log), "%s", log.data);
    getrusage(RUSAGE_CHILDREN, &after);
    CHECK_MSG(after.ru_utime.tv_sec - before.ru_utime.tv_sec < 20, "%ld s",
              (long)(after.ru_utime.tv_sec - before.ru_utime.tv_sec)); /* 12 s with 18 functions inlined */
    jit_unload(&object);
    sp_free(m);
    sp_text_free(&text);
    sp_text_free(&log);
    spe_free(&k.m);
}

TEST(large_kernels_are_written)
{
    is_written("pointers", pointers, 30 * FEW, false, false);
    is_written("decided branches", decided_branches, 3 * FEW, false, false);
    is_written("divergent branches", divergent_branches, 12 * FEW, false, false);
    is_written("divergent cases", divergent_cases, 6 * FEW, false, false);
    is_written("uniform loops", uniform_loops, 3 * FEW, false, false);
    is_written("accesses in the checked mode", loads_and_stores, 18 * FEW, true, false);
    is_written("accesses with remarks", loads_and_stores, 18 * FEW, false, true);
}

TEST(long_code_without_loops_calls_its_helpers)
{
    CHECK(measure(independent_steps, TIMES * FEW).once);
    CHECK(measure(divergent_branches, TIMES * FEW).once);
    CHECK(measure(calls, TIMES * FEW).once);
    CHECK(!measure(independent_steps, 100).once);
    CHECK(!measure(uniform_loops, TIMES * FEW).once);
    CHECK(!measure(divergent_loops, TIMES * FEW).once);
}

int main(void)
{
    RUN(long_code_without_loops_calls_its_helpers);
    RUN(c_grows_as_the_kernel_does);
    RUN(forms_do_not_grow);
    RUN(large_kernels_are_written);
    RUN(calls_of_calls_compile);
    return test_report();
}
