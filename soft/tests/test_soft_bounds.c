/* test_soft_bounds.c - what the reader and the code generator take of memory is in proportion to the module: bytes asked
 * of the allocator a word, for modules that are nasty in one way each. And when any one of their allocations fails, they
 * say so and leave nothing behind.
 */
#define _GNU_SOURCE
#include "spirv_reader.h"
#include "spirv_emit.h"
#include "test.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAN_COUNT 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef CAN_COUNT
#endif
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

/* The module with every id so many times as large. */
static uint32_t *spread_ids(spe_words w, uint32_t factor)
{
    struct sp_text log = {0};
    struct sp_module *m = sp_parse(w.data, w.count, NULL, 0, &log);
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
    struct sp_module *m = sp_parse(words, count, NULL, 0, log);
    if (m) cg_generate(m, &options, &text, log);
    sp_free(m);
    return text;
}

/* ---- kernels */

struct kernel {
    spe_module m;
    spe_id x, n, item, at, v, type; /* two parameters, the work-item, &x[item], its value */
};

static spe_id number(struct kernel *k, uint32_t n) { return spe_u32(&k->m, n); }

static void begin_module(struct kernel *k)
{
    memset(k, 0, sizeof *k);
    spe_begin(&k->m, &(spe_options){.names = true});
    k->type = spe_int(&k->m, 32);
}

static void begin_kernel(struct kernel *k, const char *name)
{
    spe_param p[2];
    spe_kernel what;
    memset(p, 0, sizeof p);
    memset(&what, 0, sizeof what);
    p[0].type = spe_ptr(&k->m, SPE_StorageClassCrossWorkgroup, k->type);
    p[0].name = "x";
    p[1].type = k->type;
    p[1].name = "n";
    what.name = name;
    what.params = p;
    what.param_count = 2;
    spe_kernel_begin(&k->m, &what);
    k->x = spe_param_id(&k->m, 0);
    k->n = spe_param_id(&k->m, 1);
    k->item = spe_builtin(&k->m, SPE_GLOBAL_ID, 0);
    k->at = spe_index(&k->m, k->x, k->item);
    k->v = spe_load(&k->m, k->at, 0);
}

static spe_words finish(struct kernel *k)
{
    spe_store(&k->m, k->at, k->v, 0);
    spe_kernel_end(&k->m);
    spe_words w = spe_finish(&k->m);
    CHECK_MSG(w.count, "%s", spe_get_error(&k->m)->text);
    return w;
}

/* A bit of everything that has ids in odd places: a switch on 64 bits, phis, calls, constants, extended instructions. */
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

/* Messages have the module's own numbers, also of ids that nothing defines. */
TEST(messages_have_the_modules_own_numbers)
{
    static const uint32_t start[] = {0x07230203, 0x10000, 0, 4000000, 0, 2 << 16 | SP_OP_Capability, SP_CAP_Kernel,
                                     2 << 16 | SP_OP_Capability, SP_CAP_Addresses, 3 << 16 | SP_OP_MemoryModel,
                                     SP_ADDRESSING_Physical64, SP_MEMORY_MODEL_OpenCL,
                                     4 << 16 | SP_OP_TypeInt, 2000000, 32, 0, 4 << 16 | SP_OP_TypeVector, 3999999, 0, 4};
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
        struct sp_module *m = sp_parse(words, sizeof start / 4, NULL, 0, &log);
        CHECK((m != NULL) == !rows[i].says);
        if (rows[i].says) CHECK_HAS(log.data ? log.data : "", rows[i].says);
        sp_free(m);
        sp_text_free(&log);
    }
}

int main(void)
{
    RUN(ids_may_leave_gaps);
    RUN(messages_have_the_modules_own_numbers);
    return test_report();
}
