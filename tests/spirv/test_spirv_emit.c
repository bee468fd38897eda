/* test_spirv_emit.c - the module as a whole: its layout, versions, entry points, prologue, memory, determinism, names,
 * calls, and the errors of functions and kernels. */
#undef XETILE_DECLARATIONS /* the bodies with the chunks of this file */
#include <stddef.h>

static size_t chunk = 196608;
#define SPE_CHUNK chunk
#include "spirv_emit.h"
#include "test.h"

/* ---- reading words back ---------------------------------------------------------------------------------------- */

static int count_op(const spe_words *s, uint32_t op)
{
    size_t i;
    int n = 0;
    for (i = 5; i < s->count; i += s->data[i] >> 16) n += (s->data[i] & 0xffff) == op;
    return n;
}

/* The k-th instruction with an opcode, NULL if there are fewer. */
static const uint32_t *find_op(const spe_words *s, uint32_t op, int k)
{
    size_t i;
    for (i = 5; i < s->count; i += s->data[i] >> 16) {
        if ((s->data[i] & 0xffff) == op && k-- == 0) return s->data + i;
    }
    return NULL;
}

static bool has_capability(const spe_words *s, uint32_t capability)
{
    size_t i;
    for (i = 5; i < s->count; i += s->data[i] >> 16) {
        if ((s->data[i] & 0xffff) == SPE_OpCapability && s->data[i + 1] == capability) return true;
    }
    return false;
}

static bool has_extension(const spe_words *s, const char *name)
{
    size_t i;
    for (i = 5; i < s->count; i += s->data[i] >> 16) {
        if ((s->data[i] & 0xffff) == SPE_OpExtension && !strcmp((const char *)(s->data + i + 1), name)) return true;
    }
    return false;
}

/* An opcode's section in a module. */
static int section_of(uint32_t op)
{
    switch (op) {
    case SPE_OpCapability: return 0;
    case SPE_OpExtension: return 1;
    case SPE_OpExtInstImport: return 2;
    case SPE_OpMemoryModel: return 3;
    case SPE_OpEntryPoint: return 4;
    case SPE_OpExecutionMode:
    case SPE_OpExecutionModeId: return 5;
    case SPE_OpString:
    case SPE_OpSource: return 6;
    case SPE_OpName: return 7;
    case SPE_OpDecorate:
    case SPE_OpMemberDecorate: return 8;
    case SPE_OpFunction: return 10;
    default: return 9;
    }
}

/* Which word of an instruction is its result id, 0: none. */
static uint32_t result_word(uint32_t op)
{
    switch (op) {
    case SPE_OpString:
    case SPE_OpExtInstImport:
    case SPE_OpLabel: return 1;
    case SPE_OpStore:
    case SPE_OpBranch:
    case SPE_OpBranchConditional:
    case SPE_OpSwitch:
    case SPE_OpReturn:
    case SPE_OpReturnValue:
    case SPE_OpUnreachable:
    case SPE_OpSelectionMerge:
    case SPE_OpLoopMerge:
    case SPE_OpControlBarrier:
    case SPE_OpMemoryBarrier:
    case SPE_OpFunctionEnd:
    case SPE_OpLine: return 0;
    default:
        if (op >= SPE_OpTypeVoid && op <= SPE_OpTypeFunction) return 1;
        return section_of(op) < 9 ? 0 : 2;
    }
}

/* Sections in order, word counts that add up, every id below the bound made exactly once. */
static void check_layout(const spe_words *s)
{
    static unsigned char made[100000];
    uint32_t bound = s->data[3], id;
    int section = 0;
    size_t i;
    CHECK(s->data[0] == 0x07230203 && s->data[4] == 0 && bound < sizeof made);
    memset(made, 0, sizeof made);
    for (i = 5; i < s->count && s->data[i] >> 16; i += s->data[i] >> 16) {
        uint32_t op = s->data[i] & 0xffff, at = result_word(op);
        int here = section == 10 ? 10 : section_of(op);
        CHECK_MSG(here >= section, "opcode %u stands in section %d, after %d", op, here, section);
        section = here;
        if (!at) continue;
        id = s->data[i + at];
        CHECK_MSG(id > 0 && id < bound, "opcode %u makes id %u of %u", op, id, bound);
        if (id < bound) made[id]++;
    }
    CHECK_INT(i, s->count);
    for (id = 1; id < bound; id++) CHECK_MSG(made[id] == 1, "id %u is made %d times", id, made[id]);
}

/* ---- modules to look at ---------------------------------------------------------------------------------------- */

static spe_id f32_pointer(spe_module *m) { return spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_float(m, 32)); }

/* A kernel of one f32 pointer. */
static void begin_kernel(spe_module *m, const char *name)
{
    spe_param p;
    spe_kernel k;
    memset(&p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    p.type = f32_pointer(m);
    p.name = "data";
    k.name = name;
    k.params = &p;
    k.param_count = 1;
    spe_kernel_begin(m, &k);
}

/* A kernel with something of everything, `count` additions long. */
static void write_kernel(spe_module *m, const char *name, int count)
{
    spe_id i, li, shared, x, c[2];
    begin_kernel(m, name);
    i = spe_builtin(m, SPE_GLOBAL_ID, 0);
    li = spe_builtin(m, SPE_LOCAL_ID, 0);
    shared = spe_shared_var(m, spe_array(m, spe_float(m, 32), 64));
    x = spe_load(m, spe_index(m, spe_param_id(m, 0), i), 0);
    spe_store(m, spe_element(m, shared, 1, &li), x, 0);
    spe_barrier(m);
    c[0] = x;
    c[1] = spe_i32(m, 0);
    spe_for(m, spe_i32(m, 0), li, spe_i32(m, 1), 2, c);
    while (count-- > 0) c[0] = spe_fadd(m, c[0], spe_f32(m, (float)(count % 100)));
    spe_if(m, spe_flt(m, c[0], x));
    c[0] = spe_math1(m, SPE_EXP, c[0]);
    spe_endif_from(m, 1, c, &x, c);
    spe_endfor(m, 2, c);
    spe_store(m, spe_index(m, spe_param_id(m, 0), i), c[0], 0);
    spe_kernel_end(m);
}

static spe_words finish(spe_module *m)
{
    spe_words w = spe_finish(m);
    CHECK_MSG(w.data != NULL, "%s: %s", spe_get_error(m)->name, spe_get_error(m)->text);
    return w;
}

static void save(const char *name, const spe_words *w)
{
    if (w->data) test_save_spv(name, w->data, w->count * sizeof *w->data);
}

TEST(layout)
{
    spe_options o;
    spe_module m;
    spe_words w;
    memset(&o, 0, sizeof o);
    o.names = o.lines = true;
    o.source = "layout.c";
    spe_begin(&m, &o);
    spe_at(&m, "layout.c", 10);
    write_kernel(&m, "first", 4);
    spe_at(&m, "layout.c", 20);
    write_kernel(&m, "second", 4);
    w = finish(&m);
    if (!w.data) return;
    check_layout(&w);
    CHECK_INT(w.data[1], 0x10400);
    CHECK_INT(count_op(&w, SPE_OpEntryPoint), 2);
    CHECK_INT(count_op(&w, SPE_OpTypeFloat), 1);
    CHECK_INT(count_op(&w, SPE_OpExtInstImport), 1);
    CHECK_INT(count_op(&w, SPE_OpString), 1); /* source and place are the same file */
    CHECK_INT(count_op(&w, SPE_OpSource), 1);
    CHECK(count_op(&w, SPE_OpLine) > 4);
    CHECK(count_op(&w, SPE_OpName) >= 4);
    CHECK(spe_finish(&m).data == w.data && spe_finish(&m).count == w.count);
    save("spirv_emit_layout", &w);
    spe_free(&m);
    spe_free(&m);
}

TEST(without_options_no_debug_words)
{
    spe_module m;
    spe_words w;
    spe_begin(&m, NULL);
    spe_at(&m, __FILE__, __LINE__);
    write_kernel(&m, "k", 1);
    w = finish(&m);
    CHECK_INT(count_op(&w, SPE_OpName) + count_op(&w, SPE_OpLine) + count_op(&w, SPE_OpString) +
                  count_op(&w, SPE_OpSource),
              0);
    spe_free(&m);
}

TEST(a_file_is_named_once)
{
    spe_options o;
    spe_module m;
    spe_words w;
    spe_id x;
    uint32_t fast = 16;
    int i;
    memset(&o, 0, sizeof o);
    o.lines = true;
    o.source = "b.c";
    spe_begin(&m, &o);
    begin_kernel(&m, "k");
    x = spe_load(&m, spe_param_id(&m, 0), 0);
    for (i = 0; i < 10; i++) x = spe_fadd(spe_at(&m, i & 1 ? "a.c" : "b.c", i / 4), x, x);
    spe_kernel_end(&m);
    w = finish(&m);
    if (!w.data) return;
    CHECK_INT(count_op(&w, SPE_OpString), 2);
    CHECK_INT(count_op(&w, SPE_OpLine), 10);
    save("spirv_emit_lines", &w);
    spe_decorate(&m, x, SPE_DecorationFPFastMathMode, 1, &fast);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_FINISHED);
    spe_free(&m);
}

TEST(same_calls_same_bytes)
{
    spe_module a, b;
    spe_words x, y;
    spe_begin(&a, NULL);
    spe_begin(&b, NULL);
    write_kernel(&a, "k", 50);
    free(malloc(1234)); /* other addresses for the second */
    write_kernel(&b, "k", 50);
    x = finish(&a);
    y = finish(&b);
    CHECK(x.count == y.count && x.data && y.data && !memcmp(x.data, y.data, x.count * sizeof *x.data));
    spe_free(&a);
    spe_free(&b);
}

/* The interface of an entry point: what it reaches, through calls too; Input variables only before 1.4. */
TEST(entry_point_interfaces)
{
    uint32_t minor;
    for (minor = 0; minor <= 6; minor++) {
        spe_options o;
        spe_module m;
        spe_words w;
        spe_id fn, shared;
        const uint32_t *entry;
        char name[64];
        memset(&o, 0, sizeof o);
        o.version = SPE_VERSION(1, minor);
        spe_begin(&m, &o);
        shared = spe_shared_var(&m, spe_float(&m, 32));
        fn = spe_function_begin(&m, "helper", spe_void(&m), 0, NULL);
        spe_store(&m, shared, spe_s_to_f(&m, spe_float(&m, 32), spe_builtin(&m, SPE_LOCAL_ID, 1)), 0);
        spe_function_end(&m);
        begin_kernel(&m, "caller");
        spe_builtin(&m, SPE_GROUP_ID, 2);
        spe_call(&m, fn, 0, NULL);
        spe_call(&m, fn, 0, NULL);
        spe_kernel_end(&m);
        begin_kernel(&m, "alone");
        spe_builtin(&m, SPE_GROUP_ID, 0);
        spe_kernel_end(&m);
        w = finish(&m);
        if (!w.data) return;
        CHECK_INT(w.data[1], SPE_VERSION(1, minor));
        check_layout(&w);
        entry = find_op(&w, SPE_OpEntryPoint, 0);
        CHECK_INT((entry[0] >> 16) - 5, minor < 4 ? 2 : 3); /* group id, local id, from 1.4 the shared variable */
        entry = find_op(&w, SPE_OpEntryPoint, 1);
        CHECK_INT((entry[0] >> 16) - 5, 1);
        snprintf(name, sizeof name, "spirv_emit_version_1_%u", minor);
        save(name, &w);
        spe_free(&m);
    }
}

TEST(version_limits)
{
    spe_options o;
    spe_module m;
    spe_kernel k;
    memset(&o, 0, sizeof o);
    o.version = SPE_VERSION(1, 0);
    spe_begin(&m, &o);
    memset(&k, 0, sizeof k);
    k.name = "k";
    k.subgroup_size = 16;
    CHECK(!spe_kernel_begin(&m, &k));
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_VERSION);
    CHECK_HAS(spe_get_error(&m)->text, "needs SPIR-V 1.1, the module is 1.0");
    spe_free(&m);
    o.version = SPE_VERSION(1, 7);
    CHECK(!spe_begin(&m, &o));
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_OPTION);
    spe_free(&m);
    memset(&o, 0, sizeof o);
    o.env = (spe_env)7;
    CHECK(!spe_begin(&m, &o));
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_OPTION);
    spe_free(&m);
}

TEST(kernel_modes_and_attributes)
{
    spe_module m;
    spe_id registers;
    spe_param p[2];
    spe_kernel k;
    spe_words w;
    const uint32_t *at;
    spe_begin(&m, NULL);
    memset(p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    p[0].type = p[1].type = f32_pointer(&m);
    p[0].restrict_ = p[0].readonly = true;
    p[1].align = 64;
    k.name = "k";
    k.params = p;
    k.param_count = 2;
    k.subgroup_size = 16;
    k.local_size[0] = 64;
    k.local_size[1] = 2;
    k.max_registers = 256;
    CHECK(spe_kernel_begin(&m, &k));
    registers = spe_i32(&m, 128);
    spe_execution_mode(&m, 0, SPE_ExecutionModeMaximumRegistersIdINTEL, 1, &registers);
    spe_kernel_end(&m);
    w = finish(&m);
    if (!w.data) return;
    CHECK_INT(count_op(&w, SPE_OpExecutionModeId), 1);
    CHECK_INT(count_op(&w, SPE_OpExecutionMode), 3);
    at = find_op(&w, SPE_OpExecutionMode, 0);
    CHECK(at[2] == SPE_ExecutionModeLocalSize && at[3] == 64 && at[4] == 2 && at[5] == 1);
    at = find_op(&w, SPE_OpExecutionMode, 1);
    CHECK(at[2] == SPE_ExecutionModeSubgroupSize && at[3] == 16);
    at = find_op(&w, SPE_OpExecutionMode, 2);
    CHECK(at[2] == SPE_ExecutionModeMaximumRegistersINTEL && at[3] == 256);
    CHECK_INT(count_op(&w, SPE_OpDecorate), 3);
    CHECK(has_capability(&w, SPE_CapabilitySubgroupDispatch) && has_capability(&w, SPE_CapabilityRegisterLimitsINTEL));
    CHECK(has_extension(&w, "SPV_INTEL_maximum_registers"));
    CHECK(!has_capability(&w, SPE_CapabilityLinkage) && !has_capability(&w, SPE_CapabilityInt8));
    save("spirv_emit_modes", &w);
    spe_free(&m);
}

TEST(prologue_comes_first)
{
    spe_module m;
    spe_words w;
    spe_id i, sum, v, c;
    size_t at;
    int place = 0, variables = 0;
    spe_begin(&m, NULL);
    begin_kernel(&m, "k");
    i = spe_builtin(&m, SPE_GLOBAL_ID, 0);
    c = i;
    spe_for(&m, spe_i32(&m, 0), i, spe_i32(&m, 1), 1, &c);
    v = spe_local_var(&m, spe_float(&m, 32)); /* created deep in the body */
    spe_prologue_begin(&m);
    sum = spe_iadd(&m, i, spe_builtin(&m, SPE_LOCAL_ID, 0));
    spe_prologue_end(&m);
    spe_store(&m, v, spe_f32(&m, 1.0f), 0);
    c = spe_iadd(&m, c, sum);
    spe_endfor(&m, 1, &c);
    sum = spe_imul(&m, sum, c); /* prologue values are available everywhere */
    CHECK(spe_builtin(&m, SPE_GLOBAL_ID, 0) == i);
    spe_kernel_end(&m);
    w = finish(&m);
    if (!w.data) return;
    check_layout(&w);
    for (at = 5; at < w.count; at += w.data[at] >> 16) {
        uint32_t op = w.data[at] & 0xffff;
        if (op == SPE_OpLabel) place++;
        if (op == SPE_OpVariable && w.data[at + 3] == SPE_StorageClassFunction) {
            CHECK_INT(w.data[at - 2] & 0xffff, SPE_OpLabel);
            CHECK_INT(place, 1);
            variables++;
        }
        if (op == SPE_OpUConvert) CHECK_INT(place, 1);
    }
    CHECK_INT(variables, 1);
    CHECK_INT(count_op(&w, SPE_OpUConvert), 2);
    save("spirv_emit_prologue", &w);
    spe_free(&m);
}

/* What depends only on the lane is computed once in each function that needs it. */
TEST(values_by_lane)
{
    static const unsigned char table[] = {3, 2, 1, 0};
    spe_module m;
    spe_words w;
    spe_begin(&m, NULL);
    spe_lane_bit(&m, 1, 16);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_NO_FUNCTION);
    spe_free(&m);
    spe_begin(&m, NULL);
    for (int i = 0; i < 2; i++) {
        spe_id got[3];
        begin_kernel(&m, i ? "second" : "first");
        spe_if(&m, spe_lane_bit(&m, 5, 4));
        got[0] = spe_lane_number(&m, table, 4);
        got[1] = spe_lane_bit(&m, 5, 4);
        spe_endif(&m, 0, NULL, NULL);
        got[2] = spe_lane_number(&m, table, 4); /* of the region's, and usable here */
        CHECK(got[0] == got[2] && got[1] == spe_lane_bit(&m, 5, 4) && got[1] != spe_lane_bit(&m, 4, 4));
        spe_iadd(&m, got[2], got[0]);
        spe_kernel_end(&m);
    }
    w = finish(&m);
    if (!w.data) return;
    CHECK_INT(count_op(&w, SPE_OpINotEqual), 4);
    CHECK_INT(count_op(&w, SPE_OpBitwiseOr), 2); /* two bits of each of the numbers */
    save("spirv_emit_lanes", &w);
    spe_free(&m);
    spe_begin(&m, NULL);
    begin_kernel(&m, "k");
    spe_lane_number(&m, table, 65);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_RANGE);
    spe_free(&m);
}

TEST(prologue_takes_no_body_values)
{
    spe_module m;
    spe_id x;
    spe_begin(&m, NULL);
    begin_kernel(&m, "k");
    x = spe_load(&m, spe_param_id(&m, 0), 0);
    spe_prologue_begin(&m);
    spe_fadd(&m, x, x);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_PROLOGUE);
    CHECK_HAS(spe_get_error(&m)->text, "spe_fadd");
    spe_free(&m);

    spe_begin(&m, NULL);
    begin_kernel(&m, "k");
    spe_prologue_end(&m);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_PROLOGUE);
    spe_free(&m);

    spe_begin(&m, NULL);
    begin_kernel(&m, "k");
    spe_prologue_begin(&m);
    spe_kernel_end(&m);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_PROLOGUE);
    spe_free(&m);
}

TEST(every_builtin)
{
    int b;
    uint32_t dim;
    spe_module m;
    spe_words w;
    spe_begin(&m, NULL);
    begin_kernel(&m, "k");
    for (b = 0; b < SPE_BUILTIN_COUNT_; b++) {
        for (dim = 0; dim < (b <= SPE_ENQUEUED_LOCAL_SIZE ? 3u : 1u); dim++) {
            spe_id v = spe_builtin(&m, (spe_builtin_name)b, dim);
            CHECK(v && spe_type_of(&m, v) == spe_int(&m, 32));
            CHECK(spe_builtin(&m, (spe_builtin_name)b, dim) == v);
        }
    }
    spe_kernel_end(&m);
    w = finish(&m);
    if (!w.data) return;
    check_layout(&w);
    CHECK_INT(count_op(&w, SPE_OpVariable), SPE_BUILTIN_COUNT_);
    CHECK_INT(count_op(&w, SPE_OpLoad), SPE_BUILTIN_COUNT_);
    save("spirv_emit_builtins", &w);
    spe_free(&m);

    spe_begin(&m, NULL);
    begin_kernel(&m, "k");
    CHECK_INT(spe_builtin(&m, SPE_SUBGROUP_ID, 1), 0);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_RANGE);
    spe_free(&m);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

typedef struct {
    long calls, live, fail_at; /* fail_at < 0: never */
} counter;

static void *count_realloc(void *user, void *p, size_t size)
{
    counter *c = (counter *)user;
    if (!size) {
        if (p) c->live--;
        free(p);
        return NULL;
    }
    if (c->calls++ == c->fail_at) return NULL;
    if (!p) c->live++;
    return realloc(p, size);
}

static spe_options counted(counter *c, long fail_at)
{
    spe_options o;
    memset(&o, 0, sizeof o);
    memset(c, 0, sizeof *c);
    c->fail_at = fail_at;
    o.realloc = count_realloc;
    o.user = c;
    return o;
}

static long allocations(int count)
{
    counter c;
    spe_options o = counted(&c, -1);
    spe_module m;
    spe_begin(&m, &o);
    write_kernel(&m, "k", count);
    CHECK(spe_finish(&m).data != NULL);
    spe_free(&m);
    CHECK_INT(c.live, 0);
    return c.calls;
}

TEST(allocations_do_not_grow_with_instructions)
{
    long small = allocations(1000), large = allocations(256000);
    /* body, ids, function section and output double: 8 times more each for 256 times the words, and no more */
    CHECK_MSG(large - small <= 4 * 8, "%ld allocations for 1000 additions, %ld for 256000", small, large);
    CHECK_MSG(small < 60, "%ld allocations for 1000 additions", small);
}

TEST(every_allocation_may_fail)
{
    long k;
    chunk = 0; /* each piece by itself */
    for (k = 0; k < 500; k++) {
        counter c;
        spe_options o = counted(&c, k);
        spe_module m;
        spe_words w;
        o.names = o.lines = true;
        o.source = "s.c";
        spe_begin(&m, &o);
        spe_at(&m, "s.c", 1);
        write_kernel(&m, "k", 300);
        spe_alloc(&m, 100000);
        w = spe_finish(&m);
        if (c.calls <= k) { /* there are no more allocations: success */
            CHECK(w.data != NULL);
            spe_free(&m);
            break;
        }
        CHECK_MSG(w.data == NULL && w.count == 0, "allocation %ld failed, words all the same", k);
        CHECK_MSG(spe_get_error(&m)->id == SPE_ERR_MEMORY, "allocation %ld failed: error %d", k, spe_get_error(&m)->id);
        CHECK_STR(spe_get_error(&m)->name, "SPE_ERR_MEMORY");
        spe_free(&m);
        CHECK_MSG(c.live == 0, "allocation %ld failed: %ld blocks leaked", k, c.live);
    }
    CHECK(k > 10 && k < 500);
    chunk = 196608;
}

static void check_arena(size_t chunk_bytes)
{
    spe_module m;
    unsigned char *first, *p;
    size_t i, k;
    chunk = chunk_bytes;
    spe_begin(&m, NULL);
    first = (unsigned char *)spe_alloc(&m, 100);
    memset(first, 0xab, 100);
    for (i = 0; i < 200; i++) {
        p = (unsigned char *)spe_alloc(&m, i * 37);
        CHECK(p && (uintptr_t)p % 8 == 0);
        for (k = 0; p && k < i * 37; k++) CHECK(p[k] == 0);
        if (p) memset(p, 0xcd, i * 37);
    }
    for (i = 0; i < 100; i++) CHECK(first[i] == 0xab);
    CHECK(spe_alloc(&m, SIZE_MAX / 2) == NULL);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_MEMORY);
    spe_free(&m);
}

TEST(arena_memory_is_zeroed_and_stays)
{
    check_arena(0);
    check_arena(4096);
    check_arena(196608);
}

TEST(free_is_always_right)
{
    spe_module m;
    memset(&m, 0, sizeof m);
    spe_free(&m);
    spe_free(&m);
    spe_begin(&m, NULL);
    spe_free(&m);
    CHECK(spe_ok(&m));
    CHECK(spe_finish(&m).data == NULL);
    CHECK_INT(spe_int(&m, 32), 0); /* a module that was not begun reports it */
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_OPTION);
    CHECK(spe_finish(&m).data == NULL);
    memset(&m, 0, sizeof m);
    begin_kernel(&m, "k");
    CHECK(!spe_ok(&m));
    spe_free(&m);
}

/* ---- errors ---------------------------------------------------------------------------------------------------- */

TEST(the_first_error_stays)
{
    spe_module m;
    spe_id x;
    int line;
    spe_begin(&m, NULL);
    begin_kernel(&m, "k");
    x = spe_load(&m, spe_param_id(&m, 0), 0);
    line = __LINE__ + 1;
    CHECK_INT(SPE(&m, iadd, x, spe_i32(&m, 1)), 0);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_TYPE);
    CHECK_STR(spe_get_error(&m)->name, "SPE_ERR_TYPE");
    CHECK_STR(spe_get_error(&m)->text, "spe_iadd: operand types disagree: f32 and i32");
    CHECK_STR(spe_get_error(&m)->file, __FILE__);
    CHECK_INT(spe_get_error(&m)->line, line);
    CHECK(*spe_error_meaning(SPE_ERR_TYPE) && !*spe_error_meaning(12345));
    CHECK_INT(SPE(&m, fadd, 0, x), 0); /* poison: nothing happens */
    spe_store(&m, 0, 0, 0);
    CHECK_INT(spe_get_error(&m)->line, line);
    spe_fail(&m, 2001, "XT_ERR_X", "later %d", 3);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_TYPE);
    CHECK(!spe_ok(&m) && spe_finish(&m).data == NULL);
    spe_free(&m);
    spe_begin(&m, NULL);
    spe_at(&m, "user.c", 7);
    spe_fail(&m, 2001, "XT_ERR_X", "later %d", 3);
    CHECK_INT(spe_get_error(&m)->id, 2001);
    CHECK_STR(spe_get_error(&m)->text, "later 3");
    CHECK_STR(spe_get_error(&m)->file, "user.c");
    spe_free(&m);
}

/* Prints a module's error and compares the line. */
static void check_printed(const spe_module *m, const char *want)
{
    char line[200] = "";
    FILE *f = tmpfile();
    if (!f) SKIP("no temporary file");
    spe_print_error(spe_get_error(m), f);
    rewind(f);
    CHECK(fgets(line, sizeof line, f) != NULL);
    CHECK_STR(line, want);
    CHECK(fgetc(f) == EOF);
    fclose(f);
}

TEST(errors_are_printed_with_their_place_if_it_is_known)
{
    spe_module m;
    spe_begin(&m, NULL);
    spe_fail(&m, 2001, "XT_ERR_X", "no place");
    check_printed(&m, "XT_ERR_X: no place\n");
    spe_free(&m);
    spe_begin(&m, NULL);
    spe_at(&m, "user.c", 7);
    spe_fail(&m, 2001, "XT_ERR_X", "a place");
    check_printed(&m, "user.c:7: XT_ERR_X: a place\n");
    spe_free(&m);
}

#define EXPECT(id_, part)                                                                                              \
    do {                                                                                                               \
        CHECK_INT(spe_get_error(&m)->id, id_);                                                                         \
        CHECK_HAS(spe_get_error(&m)->text, part);                                                                      \
        spe_free(&m);                                                                                                  \
        spe_begin(&m, NULL);                                                                                           \
    } while (0)

TEST(kernels_are_checked)
{
    spe_module m;
    spe_kernel k;
    spe_param p;
    spe_begin(&m, NULL);
    memset(&k, 0, sizeof k);
    memset(&p, 0, sizeof p);
    spe_kernel_begin(&m, &k);
    EXPECT(SPE_ERR_NAME, "no name");

    k.name = "k";
    begin_kernel(&m, "k");
    spe_kernel_end(&m);
    spe_kernel_begin(&m, &k);
    EXPECT(SPE_ERR_NAME, "a kernel k already");

    begin_kernel(&m, "k");
    begin_kernel(&m, "other");
    EXPECT(SPE_ERR_FUNCTION_OPEN, "another function is still open");

    begin_kernel(&m, "k");
    spe_finish(&m);
    EXPECT(SPE_ERR_FUNCTION_OPEN, "a kernel is still open");

    begin_kernel(&m, "k");
    spe_param_id(&m, 1);
    EXPECT(SPE_ERR_PARAMETER, "there is no parameter 1; the function has 1");

    spe_free(&m);
}

TEST(parameters_are_checked)
{
    spe_module m;
    spe_kernel k;
    spe_param p;
    spe_begin(&m, NULL);
    memset(&k, 0, sizeof k);
    memset(&p, 0, sizeof p);
    k.name = "k";
    k.params = &p;
    k.param_count = 1;
    p.type = spe_ptr(&m, SPE_StorageClassFunction, spe_int(&m, 32));
    p.name = "x";
    spe_kernel_begin(&m, &k);
    EXPECT(SPE_ERR_PARAMETER, "parameter 0 (x) of kernel k is ptr<i32>");

    p.type = spe_bool(&m);
    spe_kernel_begin(&m, &k);
    EXPECT(SPE_ERR_PARAMETER, "is bool");

    p.type = spe_int(&m, 32);
    p.readonly = true;
    spe_kernel_begin(&m, &k);
    EXPECT(SPE_ERR_PARAMETER, "is not a pointer");

    p.type = f32_pointer(&m);
    p.align = 24;
    spe_kernel_begin(&m, &k);
    EXPECT(SPE_ERR_RANGE, "alignment 24");

    spe_iadd(&m, spe_spec_const(&m, spe_int(&m, 32), 1, 0), spe_i32(&m, 2));
    EXPECT(SPE_ERR_NO_FUNCTION, "outside of a function");

    spe_kernel_end(&m);
    EXPECT(SPE_ERR_NO_FUNCTION, "spe_kernel_end");

    spe_execution_mode(&m, 0, SPE_ExecutionModeContractionOff, 0, NULL);
    EXPECT(SPE_ERR_NO_FUNCTION, "0 is not a kernel");
    spe_execution_mode(&m, spe_i32(&m, 1), SPE_ExecutionModeContractionOff, 0, NULL);
    EXPECT(SPE_ERR_NO_FUNCTION, "is not a kernel");

    begin_kernel(&m, "k");
    spe_function_end(&m);
    EXPECT(SPE_ERR_FUNCTION_OPEN, "is a kernel");

    begin_kernel(&m, "k");
    spe_kernel_end(&m);
    CHECK(spe_finish(&m).data != NULL);
    spe_int(&m, 64);
    EXPECT(SPE_ERR_FINISHED, "finished");
    spe_free(&m);
}

TEST(calls_are_checked)
{
    spe_module m;
    spe_id fn, i32, f, args[2];
    spe_words w;
    spe_begin(&m, NULL);
    i32 = spe_int(&m, 32);
    f = spe_float(&m, 32);
    fn = spe_function_begin(&m, "f", i32, 1, &f);
    spe_return_value(&m, spe_f_to_s(&m, i32, spe_param_id(&m, 0)));
    spe_function_end(&m);
    begin_kernel(&m, "k");
    args[0] = spe_f32(&m, 1.0f);
    CHECK(spe_type_of(&m, spe_call(&m, fn, 1, args)) == i32);
    spe_kernel_end(&m);
    spe_export(&m, fn, "f");
    w = finish(&m);
    CHECK(has_capability(&w, SPE_CapabilityLinkage));
    save("spirv_emit_calls", &w);
    spe_free(&m);

    spe_begin(&m, NULL);
    f = spe_float(&m, 32);
    fn = spe_function_begin(&m, "f", spe_void(&m), 1, &f);
    spe_function_end(&m);
    begin_kernel(&m, "k");
    args[0] = spe_i32(&m, 1);
    spe_call(&m, fn, 1, args);
    EXPECT(SPE_ERR_TYPE, "argument 0 is i32, the parameter f32");

    f = spe_float(&m, 32);
    fn = spe_function_begin(&m, "f", spe_void(&m), 1, &f);
    spe_function_end(&m);
    begin_kernel(&m, "k");
    spe_call(&m, fn, 0, NULL);
    EXPECT(SPE_ERR_TYPE, "0 arguments for 1 parameters");

    begin_kernel(&m, "k");
    spe_call(&m, spe_int(&m, 32), 0, NULL);
    EXPECT(SPE_ERR_NO_FUNCTION, "is not a function");

    begin_kernel(&m, "k");
    fn = m.fn.id;
    spe_kernel_end(&m);
    begin_kernel(&m, "l");
    spe_call(&m, fn, 0, NULL);
    EXPECT(SPE_ERR_NO_FUNCTION, "only the host calls kernels");

    fn = spe_function_begin(&m, "f", spe_void(&m), 0, NULL);
    spe_call(&m, fn, 0, NULL);
    EXPECT(SPE_ERR_FUNCTION_OPEN, "no recursion");
    spe_free(&m);
}

TEST(a_module_without_kernels_is_a_library)
{
    spe_module m;
    spe_words w;
    spe_begin(&m, NULL);
    w = finish(&m);
    if (!w.data) return;
    CHECK(has_capability(&w, SPE_CapabilityLinkage));
    check_layout(&w);
    save("spirv_emit_library", &w);
    spe_free(&m);
}

int main(void)
{
    RUN(layout);
    RUN(without_options_no_debug_words);
    RUN(a_file_is_named_once);
    RUN(same_calls_same_bytes);
    RUN(entry_point_interfaces);
    RUN(version_limits);
    RUN(kernel_modes_and_attributes);
    RUN(prologue_comes_first);
    RUN(values_by_lane);
    RUN(prologue_takes_no_body_values);
    RUN(every_builtin);
    RUN(allocations_do_not_grow_with_instructions);
    RUN(every_allocation_may_fail);
    RUN(arena_memory_is_zeroed_and_stays);
    RUN(free_is_always_right);
    RUN(the_first_error_stays);
    RUN(errors_are_printed_with_their_place_if_it_is_known);
    RUN(kernels_are_checked);
    RUN(parameters_are_checked);
    RUN(calls_are_checked);
    RUN(a_module_without_kernels_is_a_library);
    return test_report();
}
