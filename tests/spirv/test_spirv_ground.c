/* test_spirv_ground.c - what compilers built on spirv_emit.h rely on: layouts of structs, decorations of shared ids,
 * modes and capabilities that do not exist, contraction, messages that say where a value belongs. */
#include "spirv_emit.h"
#include "test.h"

static spe_module m;

/* Begins a module with a kernel k(ptr<i8>, i32); returns the number. */
static spe_id open_kernel(void)
{
    static spe_param params[2];
    spe_kernel k;
    memset(&k, 0, sizeof k);
    spe_free(&m);
    spe_begin(&m, NULL);
    params[0].type = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, spe_int(&m, 8));
    params[1].type = spe_int(&m, 32);
    k.name = "k", k.params = params, k.param_count = 2;
    spe_kernel_begin(&m, &k);
    return spe_param_id(&m, 1);
}

static void fails(int id, const char *text)
{
    CHECK_INT(spe_get_error(&m)->id, id);
    CHECK_HAS(spe_get_error(&m)->text, text);
}

static void passes(const char *name)
{
    spe_kernel_end(&m);
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    test_save_spv(name, words.data, 4 * words.count);
}

/* The n-th instruction with this opcode, from 0; NULL: there are fewer. */
static const uint32_t *find(uint32_t opcode, int n)
{
    spe_words words = spe_finish(&m);
    for (size_t i = 5; i < words.count; i += words.data[i] >> 16)
        if ((words.data[i] & 0xffff) == opcode && n-- == 0) return words.data + i;
    return NULL;
}

static spe_id members[3];
static void use_members(void)
{
    members[0] = spe_int(&m, 8), members[1] = spe_float(&m, 64), members[2] = spe_int(&m, 16);
}

TEST(members_of_packed_structs_are_at_any_byte)
{
    open_kernel();
    use_members();
    spe_id packed = spe_struct_new(&m, 3, members), one = spe_i32(&m, 1);
    spe_id plain = spe_struct(&m, 3, members);
    spe_decorate(&m, packed, SPE_DecorationCPacked, 0, NULL);
    CHECK(packed != plain);
    CHECK_INT(spe_size(&m, packed), 11);
    CHECK_INT(spe_size(&m, plain), 24);
    CHECK_INT(spe_offset(&m, packed, 1), 1);
    CHECK_INT(spe_offset(&m, packed, 2), 9);
    CHECK_INT(spe_offset(&m, plain, 1), 8);
    CHECK_INT(spe_offset(&m, plain, 2), 16);
    CHECK_INT(spe_size(&m, spe_array(&m, packed, 5)), 55);
    CHECK_INT(spe_size(&m, spe_vec(&m, members[1], 3)), 32);
    CHECK_INT(spe_size(&m, spe_void(&m)), 0);
    CHECK_INT(spe_alignment(&m, packed), 1);
    spe_id at = spe_element(&m, spe_local_var(&m, packed), 1, &one), x = spe_load(&m, at, 0);
    spe_store(&m, spe_copy(&m, at), x, 0);
    spe_store(&m, spe_index(&m, at, one), x, 0);
    spe_store(&m, at, x, 4); /* said by the caller */
    spe_store(&m, spe_element(&m, spe_local_var(&m, plain), 1, &one), x, 0);
    passes("spirv_ground_packed");
    static const uint32_t want[] = {1, 1, 4, 8};
    for (int i = 0; i < 4; i++) {
        const uint32_t *store = find(SPE_OpStore, i);
        CHECK(store != NULL);
        if (store) CHECK_INT(store[4], want[i]);
    }
    const uint32_t *load = find(SPE_OpLoad, 0);
    CHECK(load && load[5] == 1);
}

TEST(structs_that_differ_are_different_types)
{
    open_kernel();
    use_members();
    spe_id a = spe_struct(&m, 3, members), b;
    CHECK(spe_struct(&m, 2, members) == spe_struct(&m, 2, members));
    spe_name(&m, a, "named");
    b = spe_struct(&m, 3, members);
    CHECK(a != b);
    spe_decorate(&m, b, SPE_DecorationCPacked, 0, NULL);
    CHECK(spe_struct(&m, 3, members) != b && spe_struct(&m, 3, members) != a);
    CHECK(spe_struct_new(&m, 3, members) != spe_struct_new(&m, 3, members));
    for (int i = 0; i < 400; i++) { /* the table grows meanwhile */
        spe_id one = spe_struct(&m, 3, members);
        if (i == 399) CHECK(one == spe_struct(&m, 3, members) && one != a && one != b);
        spe_vec(&m, spe_int(&m, 32), 2);
        spe_i32(&m, i);
    }
    passes("spirv_ground_structs");
    open_kernel();
    use_members();
    spe_struct(&m, 3, members);
    spe_decorate(&m, spe_struct(&m, 3, members), SPE_DecorationCPacked, 0, NULL);
    fails(SPE_ERR_TYPE, "spe_struct_new makes one of its own");
    open_kernel();
    spe_decorate(&m, spe_int(&m, 32), SPE_DecorationCPacked, 0, NULL);
    fails(SPE_ERR_TYPE, "i32 is not a struct");
}

TEST(what_is_shared_is_not_decorated)
{
    spe_id n = open_kernel(), sum;
    spe_decorate(&m, spe_iadd(&m, spe_i32(&m, 1), spe_i32(&m, 2)), SPE_DecorationNoSignedWrap, 0, NULL);
    fails(SPE_ERR_TYPE, "is a constant, perhaps a folded one");
    n = open_kernel();
    spe_decorate(&m, spe_iadd(&m, n, spe_i32(&m, 0)), SPE_DecorationNoSignedWrap, 0, NULL);
    fails(SPE_ERR_TYPE, "an operation returned value");
    n = open_kernel();
    spe_id both[2] = {n, spe_i32(&m, 0)};
    sum = spe_op(&m, SPE_OpIAdd, spe_int(&m, 32), 2, both); /* not folded */
    spe_decorate(&m, sum, SPE_DecorationNoSignedWrap, 0, NULL);
    passes("spirv_ground_decorated");
}

TEST(what_does_not_exist_is_refused)
{
    uint32_t words[3] = {16, 1, 1};
    open_kernel();
    spe_decorate(&m, spe_local_var(&m, spe_int(&m, 32)), 99999, 0, NULL);
    fails(SPE_ERR_RANGE, "spe_decorate: kernels have no decoration 99999");
    open_kernel();
    spe_decorate(&m, spe_local_var(&m, spe_int(&m, 32)), SPE_DecorationAlignment, 0, NULL);
    fails(SPE_ERR_RANGE, "has 1 literals, not 0");
    open_kernel();
    spe_capability(&m, 12345);
    fails(SPE_ERR_RANGE, "there is no capability 12345");
    open_kernel();
    spe_execution_mode(&m, 0, SPE_ExecutionModeLocalSize, 1, words);
    fails(SPE_ERR_RANGE, "mode 17 has 3 operands, not 1");
    open_kernel();
    spe_execution_mode(&m, 0, 4242, 0, NULL);
    fails(SPE_ERR_RANGE, "4242 is not one of SPE_ExecutionMode");
    open_kernel();
    words[0] = 5;
    spe_execution_mode(&m, 0, SPE_ExecutionModeSubgroupsPerWorkgroupId, 1, words);
    fails(SPE_ERR_NO_VALUE, "operand 1 of mode 37 is not a constant");
}

TEST(operands_by_number_are_counted)
{
    spe_id n = open_kernel(), i32 = spe_int(&m, 32), three[3] = {n, n, n};
    enum { FABS = 23, FMA = 26, PRINTF = 184, NONE = 120 };
    spe_ext(&m, spe_float(&m, 32), FABS, 0, NULL);
    fails(SPE_ERR_RANGE, "spe_ext: function 23 of OpenCL.std takes 1 operands, not 0");
    open_kernel();
    spe_ext(&m, spe_float(&m, 32), FMA, 2, three);
    fails(SPE_ERR_RANGE, "takes 3 operands, not 2");
    open_kernel();
    spe_ext(&m, i32, PRINTF, 0, NULL);
    fails(SPE_ERR_RANGE, "function 184");
    open_kernel();
    spe_ext(&m, spe_float(&m, 32), NONE, 1, three);
    fails(SPE_ERR_RANGE, "OpenCL.std has no function 120");
    open_kernel();
    spe_op(&m, SPE_OpIAdd, i32, 1, three);
    fails(SPE_ERR_RANGE, "spe_op: opcode 128 with 1 words of operands; it has 2");
    open_kernel();
    spe_op(&m, SPE_OpLoad, i32, 0, NULL);
    fails(SPE_ERR_RANGE, "it has 1 or more");
    open_kernel();
    spe_op_void(&m, SPE_OpIAdd, 2, three);
    fails(SPE_ERR_TYPE, "opcode 128 has a result; use spe_op");
    open_kernel();
    spe_op(&m, SPE_OpStore, i32, 2, three);
    fails(SPE_ERR_TYPE, "opcode 62 has no result; use spe_op_void");
    open_kernel();
    spe_op(&m, SPE_OpPhi, i32, 2, three);
    fails(SPE_ERR_RANGE, "opcode 245 is not of a function's body");
    open_kernel();
    spe_op_void(&m, SPE_OpDecorate, 2, three);
    fails(SPE_ERR_RANGE, "opcode 71 is not of a function's body");
    spe_options o;
    memset(&o, 0, sizeof o);
    o.version = SPE_VERSION(1, 3);
    spe_free(&m);
    spe_begin(&m, &o);
    i32 = spe_int(&m, 32);
    spe_function_begin(&m, "f", i32, 1, &i32);
    three[0] = three[1] = spe_local_var(&m, i32);
    spe_op(&m, SPE_OpPtrEqual, spe_bool(&m), 2, three);
    fails(SPE_ERR_VERSION, "opcode 401 needs SPIR-V 1.4, the module is 1.3");
}

TEST(bits_that_do_not_exist_are_refused)
{
    open_kernel();
    spe_id half = spe_float(&m, 16), f32 = spe_float(&m, 32), shorts = spe_undef(&m, spe_vec(&m, spe_int(&m, 16), 8));
    spe_id ints = spe_undef(&m, spe_vec(&m, spe_int(&m, 32), 8)), sum = spe_undef(&m, spe_vec(&m, f32, 8));
    spe_dpas(&m, spe_vec(&m, f32, 8), 16, shorts, ints, sum, 0x80000000u);
    fails(SPE_ERR_RANGE, "spe_dpas: operands 0x80000000; the bits of 0xfffff exist");
    open_kernel();
    half = spe_float(&m, 16), f32 = spe_float(&m, 32);
    spe_id a = spe_undef(&m, spe_coopmat(&m, half, SPE_ScopeSubgroup, 8, 16, 0));
    spe_id b = spe_undef(&m, spe_coopmat(&m, half, SPE_ScopeSubgroup, 16, 16, 1));
    spe_id c = spe_undef(&m, spe_coopmat(&m, f32, SPE_ScopeSubgroup, 8, 16, 2));
    CHECK(spe_coop_mma(&m, a, b, c, 0) != 0);
    spe_coop_mma(&m, a, b, c, 0x20);
    fails(SPE_ERR_RANGE, "spe_coop_mma: operands 0x20; the bits of 0x1f exist");
}

/* A kernel `name` that uses local memory of this many bytes, directly or in a function. */
static void use_local(const char *name, uint32_t bytes, bool in_function)
{
    spe_kernel k;
    spe_id i8 = spe_int(&m, 8), local = spe_shared_var(&m, spe_array(&m, i8, bytes)), f = 0;
    memset(&k, 0, sizeof k);
    k.name = name;
    if (in_function) {
        f = spe_function_begin(&m, "f", spe_void(&m), 0, NULL);
        spe_store(&m, spe_ptr_cast(&m, local, i8), spe_const_u(&m, i8, 1), 0);
        spe_function_end(&m);
    }
    spe_kernel_begin(&m, &k);
    if (f) spe_call(&m, f, 0, NULL);
    else spe_store(&m, spe_ptr_cast(&m, local, i8), spe_const_u(&m, i8, 1), 0);
    spe_kernel_end(&m);
}

TEST(literals_that_do_not_exist_are_refused)
{
    uint32_t words[2] = {0, 4}, mode = 4;
    spe_id n = open_kernel();
    spe_cache_store(&m, spe_copy(&m, spe_param_id(&m, 0)), 0, 4);
    fails(SPE_ERR_RANGE, "spe_cache_store: the literal 4 of decoration 6443; the largest is 3");
    n = open_kernel();
    spe_cache_load(&m, spe_copy(&m, spe_param_id(&m, 0)), 0, 4);
    spe_decorate(&m, spe_copy(&m, spe_param_id(&m, 0)), SPE_DecorationCacheControlStoreINTEL, 2, words);
    fails(SPE_ERR_RANGE, "spe_decorate: the literal 4 of decoration 6443");
    n = open_kernel();
    spe_decorate(&m, spe_s_to_f(&m, spe_float(&m, 32), n), SPE_DecorationFPRoundingMode, 1, &mode);
    fails(SPE_ERR_RANGE, "the literal 4 of decoration 39; the largest is 3");
}

TEST(decorations_are_written_once)
{
    uint32_t small = 4, large = 8, attributes[2] = {SPE_FunctionParameterAttributeNoCapture,
                                                    SPE_FunctionParameterAttributeNoWrite};
    size_t restricted = 0;
    (void)open_kernel();
    spe_id pointer = spe_param_id(&m, 0);
    for (int i = 0; i < 4; i++) {
        spe_decorate(&m, pointer, SPE_DecorationRestrict, 0, NULL);
        spe_decorate(&m, pointer, SPE_DecorationFuncParamAttr, 1, &attributes[i & 1]);
        spe_decorate(&m, pointer, SPE_DecorationAlignment, 1, &small);
    }
    passes("spirv_ground_decorated_once");
    spe_words words = spe_finish(&m);
    for (size_t at = 5; at < words.count; at += words.data[at] >> 16)
        restricted += words.data[at] == (3u << 16 | SPE_OpDecorate) && words.data[at + 2] == SPE_DecorationRestrict;
    CHECK_INT(restricted, 1);
    (void)open_kernel();
    pointer = spe_param_id(&m, 0);
    spe_decorate(&m, pointer, SPE_DecorationAlignment, 1, &small);
    spe_decorate(&m, pointer, SPE_DecorationAlignment, 1, &large);
    spe_kernel_end(&m);
    CHECK(!spe_finish(&m).data);
    fails(SPE_ERR_RANGE, "has decoration 44 twice, with 4 and 8");
}

TEST(decorations_apply_to_what_they_decorate)
{
    spe_id n = open_kernel(), pointer = spe_param_id(&m, 0);
    spe_id sum = spe_iadd(&m, n, n), real = spe_s_to_f(&m, spe_float(&m, 32), n);
    spe_id local = spe_local_var(&m, spe_int(&m, 32));
    uint32_t one = 1, rounds[1] = {SPE_FPRoundingModeRTP};
    spe_decorate(&m, sum, SPE_DecorationNoSignedWrap, 0, NULL);
    spe_decorate(&m, spe_ineg(&m, n), SPE_DecorationNoSignedWrap, 0, NULL);
    spe_decorate(&m, real, SPE_DecorationFPRoundingMode, 1, rounds);
    spe_decorate(&m, spe_fadd(&m, real, real), SPE_DecorationFPFastMathMode, 1, &one);
    spe_decorate(&m, pointer, SPE_DecorationRestrict, 0, NULL);
    spe_decorate(&m, local, SPE_DecorationVolatile, 0, NULL);
    spe_decorate(&m, local, SPE_DecorationNonWritable, 0, NULL);
    spe_decorate(&m, spe_f_to_u(&m, spe_int(&m, 8), real), SPE_DecorationSaturatedConversion, 0, NULL);
    passes("spirv_ground_decorations");
    const struct {
        int what; /* 0: a number of the kernel, 1: a sum, 2: a pointer, 3: a type */
        uint32_t decoration, n, word;
        const char *text;
    } wrong[] = {
        {0, SPE_DecorationNoSignedWrap, 0, 0, "decoration 4469 does not apply to"},
        {0, SPE_DecorationRestrict, 0, 0, "decoration 19 does not apply to"},
        {1, SPE_DecorationVolatile, 0, 0, "decoration 21 does not apply to"},
        {1, SPE_DecorationFPRoundingMode, 1, 0, "decoration 39 does not apply to"},
        {1, SPE_DecorationSpecId, 1, 0, "spe_spec_const writes it"},
        {1, SPE_DecorationFPFastMathMode, 1, 0x80000000u, "decoration 40 has no value 2147483648"},
        {2, SPE_DecorationNonWritable, 0, 0, "decoration 24 does not apply to"},
        {2, SPE_DecorationBuiltIn, 1, 28, "decoration 11 does not apply to"},
        {3, SPE_DecorationConstant, 0, 0, "decoration 22 does not apply to"},
        {1, 30 /* Location */, 1, 0, "kernels have no decoration 30"},
        {1, 5822 /* FunctionRoundingModeINTEL */, 2, 0, "decoration 5822 needs spe_capability(5821)"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint32_t words[2] = {wrong[i].word, 0};
        n = open_kernel();
        spe_id ids[4] = {n, spe_iadd(&m, n, n), spe_param_id(&m, 0), spe_int(&m, 32)};
        spe_decorate(&m, ids[wrong[i].what], wrong[i].decoration, wrong[i].n, words);
        CHECK(!spe_ok(&m));
        CHECK_HAS(spe_get_error(&m)->text, wrong[i].text);
    }
}

TEST(ids_by_number_exist)
{
    spe_id n = open_kernel(), both[2] = {n, 4000};
    spe_op(&m, SPE_OpIAdd, spe_int(&m, 32), 2, both);
    fails(SPE_ERR_NO_VALUE, "spe_op: operand 2 is 4000, which is not an id");
    n = open_kernel();
    enum { FABS = 23 };
    spe_ext(&m, spe_float(&m, 32), FABS, 1, both + 1);
    fails(SPE_ERR_NO_VALUE, "spe_ext: the operand with id 4000 is not a value");
    n = open_kernel();
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    both[0] = both[1] = spe_iadd(&m, n, spe_i32(&m, 1));
    spe_endif(&m, 0, NULL, NULL);
    spe_op(&m, SPE_OpIAdd, spe_int(&m, 32), 2, both);
    fails(SPE_ERR_SCOPE, "spe_op: value");
}

TEST(functions_take_no_matrices)
{
    spe_id n = open_kernel(), pointer = spe_param_id(&m, 0);
    spe_id a = spe_undef(&m, spe_coopvec(&m, spe_float(&m, 16), 8));
    spe_id b = spe_undef(&m, spe_coopvec(&m, spe_float(&m, 32), 8));
    spe_coopvec_outer_accumulate(&m, pointer, n, a, b, 0, 0, 0);
    fails(SPE_ERR_TYPE, "spe_coopvec_outer_accumulate: operand types disagree: coopvec<f16, 8> and coopvec<f32, 8>");
    open_kernel();
    spe_math1(&m, SPE_EXP, spe_undef(&m, spe_coopmat(&m, spe_float(&m, 32), SPE_ScopeSubgroup, 8, 16, 2)));
    fails(SPE_ERR_TYPE, "spe_math(SPE_EXP): takes scalars and vectors, not coopmat<f32, 8x16, use 2>");
}

TEST(what_the_target_lacks_is_refused)
{
    spe_options o;
    spe_kernel k;
    for (int round = 0; round < 2; round++) { /* 1.3 has no variables in interfaces */
        memset(&o, 0, sizeof o);
        o.version = SPE_VERSION(1, round ? 3 : 4);
        o.subgroup_sizes = 16 | 32, o.local_memory = 4096, o.max_group_size = 1024;
        for (int over = 0; over < 4; over++) { /* 4096 bytes fit, also in each of two kernels */
            spe_free(&m);
            spe_begin(&m, &o);
            use_local("first", 4096, false);
            use_local("second", 4096 + (over & 1), over >> 1);
            CHECK_MSG((spe_finish(&m).data != NULL) == !(over & 1), "%s", spe_get_error(&m)->text);
            if (over & 1) fails(SPE_ERR_TARGET, "kernel second has 4097 bytes of variables in local memory");
        }
    }
    static const uint32_t sizes[][4] = {
        {8, 16, 1, 1}, {16, 1024, 1, 1}, {16, 1025, 1, 1}, {32, 64, 4, 4}, {0, 64, 4, 8}};
    static const char *const texts[] = {"subgroup size 8; the target", "", "1025 x 1 x 1; the target has at most 1024",
                                        "", "64 x 4 x 8"};
    for (int i = 0; i < 5; i++) {
        spe_free(&m);
        spe_begin(&m, &o);
        memset(&k, 0, sizeof k);
        k.name = "k", k.subgroup_size = sizes[i][0];
        memcpy(k.local_size, sizes[i] + 1, sizeof k.local_size);
        CHECK_INT(spe_kernel_begin(&m, &k), !*texts[i]);
        if (*texts[i]) fails(SPE_ERR_TARGET, texts[i]);
    }
    spe_free(&m);
}

TEST(messages_name_places_of_regions)
{
    spe_id n = open_kernel(), less = spe_slt(&m, n, spe_i32(&m, 3));
    spe_if(&m, less);
    spe_kernel_end(&m);
    fails(SPE_ERR_REGION_OPEN, "the spe_if opened without SPE or spe_at is not closed");
    n = open_kernel(), less = spe_slt(&m, n, spe_i32(&m, 3));
    spe_if(&m, less);
    spe_kernel_end(spe_at(&m, "later.c", 9));
    fails(SPE_ERR_REGION_OPEN, "the spe_if opened without SPE or spe_at, before later.c:9 is not closed");
    n = open_kernel(), less = spe_slt(spe_at(&m, "earlier.c", 5), n, spe_i32(&m, 3));
    spe_if(&m, less); /* without, but the last spe_at is near */
    spe_kernel_end(spe_at(&m, "later.c", 9));
    fails(SPE_ERR_REGION_OPEN, "the spe_if opened at earlier.c:5 is not closed");
}

TEST(messages_name_the_call_that_was_made)
{
    spe_id n = open_kernel(), f;
    spe_cast(&m, spe_vec(&m, spe_float(&m, 32), 2), n, true);
    fails(SPE_ERR_TYPE, "spe_cast: operand types disagree");
    open_kernel();
    spe_add(&m, spe_f32(&m, 1), spe_i32(&m, 1));
    fails(SPE_ERR_TYPE, "spe_add: operand types disagree");
    open_kernel();
    spe_shared_var(&m, 4000);
    fails(SPE_ERR_NO_TYPE, "spe_shared_var: 4000 is not the id of a type");
    open_kernel();
    spe_reload(&m, spe_null(&m, spe_bool(&m)));
    fails(SPE_ERR_RANGE, "spe_reload: 1 bits");
    n = open_kernel();
    f = spe_cast(&m, spe_int(&m, 64), n, true); /* and the next call is named by itself */
    spe_iadd(&m, f, n);
    fails(SPE_ERR_TYPE, "spe_iadd: operand types disagree");
}

TEST(contraction_is_switched_off_by_the_kernel)
{
    spe_kernel k;
    for (int off = 0; off < 2; off++) {
        spe_free(&m);
        spe_begin(&m, NULL);
        memset(&k, 0, sizeof k);
        k.name = "k";
        k.contract = off ? SPE_CONTRACT_OFF : SPE_CONTRACT_ALLOWED;
        spe_kernel_begin(&m, &k);
        passes("spirv_ground_contract");
        const uint32_t *mode = find(SPE_OpExecutionMode, 0);
        CHECK((mode != NULL) == off);
        if (mode) CHECK_INT(mode[2], SPE_ExecutionModeContractionOff);
    }
    spe_free(&m);
    spe_begin(&m, NULL);
    k.contract = (spe_contract)7;
    spe_kernel_begin(&m, &k);
    fails(SPE_ERR_RANGE, "contract is 7");
}

TEST(messages_say_where_a_value_belongs)
{
    spe_id n = open_kernel(), x, f;
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    x = spe_iadd(&m, n, spe_i32(&m, 1));
    spe_name(&m, x, "next");
    spe_else(&m, 0, NULL);
    spe_iadd(&m, x, x);
    fails(SPE_ERR_SCOPE, "next was made in another side of the spe_if opened without SPE or spe_at: make it before");
    n = open_kernel();
    spe_if(&m, spe_slt(&m, n, spe_i32(&m, 3)));
    x = spe_iadd(&m, n, spe_i32(&m, 1));
    spe_endif(&m, 0, NULL, NULL);
    spe_iadd(&m, x, x);
    fails(SPE_ERR_SCOPE, "region that is closed; carry it out");
    spe_free(&m);
    spe_begin(&m, NULL);
    spe_id i32 = spe_int(&m, 32);
    f = spe_function_begin(&m, "f", i32, 1, &i32);
    x = spe_param_id(&m, 0);
    spe_return_value(&m, x);
    spe_function_end(&m);
    spe_function_begin(&m, "g", i32, 1, &i32);
    CHECK(f != 0);
    spe_iadd(&m, x, x);
    fails(SPE_ERR_SCOPE, "was made in another function: pass it as an argument");
    open_kernel();
    spe_fadd(&m, 0, 0);
    fails(SPE_ERR_NO_VALUE, "spe_fadd: an operand is the id 0");
    open_kernel();
    spe_global_var(&m, SPE_StorageClassGeneric, spe_int(&m, 32), 0);
    fails(SPE_ERR_RANGE, "no variables in storage class Generic");
    spe_free(&m);
}

TEST(constants_of_spec_constants_size_arrays)
{
    spe_id n = open_kernel(), i32 = spe_int(&m, 32), spec = spe_spec_const(&m, i32, 16, 3);
    spe_id two[2] = {spec, spe_i32(&m, 3)};
    spe_id product = spe_spec_op(&m, SPE_OpIMul, 0, 2, two), flags[2] = {product, spec};
    spe_id wide = spe_spec_op(&m, SPE_OpUConvert, spe_int(&m, 64), 1, &product);
    CHECK(spe_type_of(&m, wide) == spe_int(&m, 64) && spe_is_const(&m, wide));
    CHECK(spe_type_of(&m, spe_spec_op(&m, SPE_OpSLessThan, 0, 2, flags)) == spe_bool(&m));
    CHECK(spe_array_sized(&m, i32, spe_i32(&m, 7)) == spe_array(&m, i32, 7));
    spe_id array = spe_array_sized(&m, i32, product);
    CHECK_INT(spe_size(&m, array), 0);
    spe_id at = spe_element(&m, spe_shared_var(&m, array), 1, &n);
    spe_store(&m, at, spe_iadd(&m, n, product), 0);
    CHECK_INT(spe_info(&m, spe_type_of(&m, at)).elem, i32);
    passes("spirv_ground_spec");
    const uint32_t *op = find(SPE_OpSpecConstantOp, 0);
    CHECK(op && op[3] == SPE_OpIMul && op[4] == spec);
    n = open_kernel();
    spe_spec_op(&m, SPE_OpIAdd, 0, 1, &n);
    fails(SPE_ERR_TYPE, "has 2 operands, not 1");
    two[0] = two[1] = n = open_kernel();
    spe_spec_op(&m, SPE_OpIAdd, 0, 2, two);
    fails(SPE_ERR_NO_VALUE, "operand 1 is not a constant");
    open_kernel();
    spe_spec_op(&m, SPE_OpFOrdLessThan, 0, 2, two);
    fails(SPE_ERR_RANGE, "does not make constants");
    n = open_kernel();
    spe_array_sized(&m, spe_int(&m, 32), n);
    fails(SPE_ERR_NO_VALUE, "is not an integer constant");
}

TEST(lines_have_columns_and_functions_hints)
{
    spe_options o;
    memset(&o, 0, sizeof o);
    o.lines = true;
    spe_free(&m);
    spe_begin(&m, &o);
    spe_id i32 = spe_int(&m, 32);
    spe_function_begin(&m, "f", i32, 1, &i32);
    spe_function_control(&m, SPE_FunctionControlDontInline);
    spe_id x = spe_param_id(&m, 0);
    x = spe_iadd(spe_at_column(&m, "a.c", 7, 12), x, x);
    x = spe_imul(spe_at_column(&m, "a.c", 7, 20), x, x);
    x = spe_isub(spe_at(&m, "a.c", 7), spe_ineg(&m, x), x);
    spe_return_value(&m, x);
    spe_function_end(&m);
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    test_save_spv("spirv_ground_lines", words.data, 4 * words.count);
    static const uint32_t columns[] = {12, 20, 0};
    for (int i = 0; i < 3; i++) {
        const uint32_t *line = find(SPE_OpLine, i);
        CHECK(line && line[2] == 7 && line[3] == columns[i]);
    }
    const uint32_t *f = find(SPE_OpFunction, 0);
    CHECK(f && f[3] == SPE_FunctionControlDontInline);
    open_kernel();
    spe_function_control(&m, 3);
    fails(SPE_ERR_RANGE, "control 0x3");
    spe_free(&m);
}

int main(void)
{
    RUN(members_of_packed_structs_are_at_any_byte);
    RUN(structs_that_differ_are_different_types);
    RUN(what_is_shared_is_not_decorated);
    RUN(what_does_not_exist_is_refused);
    RUN(operands_by_number_are_counted);
    RUN(bits_that_do_not_exist_are_refused);
    RUN(literals_that_do_not_exist_are_refused);
    RUN(decorations_are_written_once);
    RUN(decorations_apply_to_what_they_decorate);
    RUN(ids_by_number_exist);
    RUN(functions_take_no_matrices);
    RUN(what_the_target_lacks_is_refused);
    RUN(messages_name_places_of_regions);
    RUN(messages_name_the_call_that_was_made);
    RUN(contraction_is_switched_off_by_the_kernel);
    RUN(messages_say_where_a_value_belongs);
    RUN(constants_of_spec_constants_size_arrays);
    RUN(lines_have_columns_and_functions_hints);
    return test_report();
}
