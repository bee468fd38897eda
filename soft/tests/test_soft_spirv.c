/* test_soft_spirv.c - the SPIR-V reader: what it reads, what it refuses and with which message; no input crashes it.
 *
 * Most tests modify a few instructions of one small module, and check what the reader makes of it.
 */
#include "floating_modes.h"
#include "test.h"

#include "c/generate.h"
#include "spirv/spirv.h"
#include "reader_kernels.h"

#include <time.h>

/* ---- writing modules: four sections that grow separately */

enum { HEAD, NOTES, TYPES, CODE, SECTIONS, SECTION_WORDS = 4096 };
struct draft {
    uint32_t word[SECTIONS][SECTION_WORDS], count[SECTIONS], bound;
};

enum {
    VOID = 1,
    BOOL,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    V3F,
    V4F,
    V2I,
    V4I,
    V3L,
    PF,
    PI,
    LF,
    LI,
    FN_T,
    FN_V,
    C0,
    C1,
    C2,
    C16,
    L0,
    F1,
    YES,
    ARRAY,
    LA,
    EXT,
    MAIN,
    P0,
    P1,
    START,
    GF,
    PGF,
    LV2I,
    NODE,
    FREE
};

static void put_words(struct draft *d, int section, uint32_t op, const uint32_t *words, uint32_t count)
{
    uint32_t *to = d->word[section] + d->count[section], i;
    if (d->count[section] + count + 1 > SECTION_WORDS) return;
    to[0] = (count + 1) << 16 | op;
    for (i = 0; i < count; i++) to[i + 1] = words[i];
    d->count[section] += count + 1;
}
#define OP(section, op, ...)                                                                                           \
    put_words(d, section, SP_OP_##op, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)
#define OP0(section, op) put_words(d, section, SP_OP_##op, NULL, 0)

/* An instruction with `count` words, then a string, then `more` words. */
static void put_string(struct draft *d, int section, uint32_t op, const uint32_t *words, uint32_t count,
                       const char *text, const uint32_t *after, uint32_t after_count)
{
    uint32_t all[256] = {0}, n = count, length = (uint32_t)strlen(text), i;
    for (i = 0; i < count; i++) all[i] = words[i];
    for (i = 0; i < length; i++) all[n + i / 4] |= (uint32_t)(unsigned char)text[i] << (i % 4 * 8);
    n += length / 4 + 1;
    for (i = 0; i < after_count; i++) all[n++] = after[i];
    put_words(d, section, op, all, n);
}

static void put_types(struct draft *d)
{
    OP(TYPES, TypeVoid, VOID);
    OP(TYPES, TypeBool, BOOL);
    OP(TYPES, TypeInt, I8, 8, 0);
    OP(TYPES, TypeInt, I16, 16, 0);
    OP(TYPES, TypeInt, I32, 32, 0);
    OP(TYPES, TypeInt, I64, 64, 0);
    OP(TYPES, TypeFloat, F16, 16);
    OP(TYPES, TypeFloat, F32, 32);
    OP(TYPES, TypeFloat, F64, 64);
    OP(TYPES, TypeVector, V3F, F32, 3);
    OP(TYPES, TypeVector, V4F, F32, 4);
    OP(TYPES, TypeVector, V2I, I32, 2);
    OP(TYPES, TypeVector, V4I, I32, 4);
    OP(TYPES, TypeVector, V3L, I64, 3);
    OP(TYPES, TypePointer, PF, SP_STORAGE_CrossWorkgroup, F32);
    OP(TYPES, TypePointer, PI, SP_STORAGE_CrossWorkgroup, I32);
    OP(TYPES, TypePointer, LF, SP_STORAGE_Function, F32);
    OP(TYPES, TypePointer, LI, SP_STORAGE_Function, I32);
    OP(TYPES, TypePointer, LV2I, SP_STORAGE_Function, V2I);
    OP(TYPES, TypeFunction, FN_T, VOID, PF, I32);
    OP(TYPES, TypeFunction, FN_V, VOID);
    OP(TYPES, Constant, I32, C0, 0);
    OP(TYPES, Constant, I32, C1, 1);
    OP(TYPES, Constant, I32, C2, 2);
    OP(TYPES, Constant, I32, C16, 16);
    OP(TYPES, Constant, I64, L0, 0, 0);
    OP(TYPES, Constant, F32, F1, 0x3f800000);
    OP(TYPES, ConstantTrue, BOOL, YES);
    OP(TYPES, TypeArray, ARRAY, F32, C16);
    OP(TYPES, TypePointer, LA, SP_STORAGE_Function, ARRAY);
    OP(TYPES, TypePointer, PGF, SP_STORAGE_CrossWorkgroup, ARRAY);
    OP(TYPES, Variable, PGF, GF, SP_STORAGE_CrossWorkgroup);
    OP(TYPES, TypeStruct, NODE, I8, V3F, I16);
}

/* kernel "k"(global float *, int), the first block open. */
static void draft_kernel(struct draft *d)
{
    memset(d, 0, sizeof *d);
    d->bound = FREE + 400;
    OP(HEAD, Capability, SP_CAP_Addresses);
    OP(HEAD, Capability, SP_CAP_Kernel);
    put_string(d, HEAD, SP_OP_ExtInstImport, (const uint32_t[]){EXT}, 1, "OpenCL.std", NULL, 0);
    OP(HEAD, MemoryModel, SP_ADDRESSING_Physical64, SP_MEMORY_MODEL_OpenCL);
    put_string(d, HEAD, SP_OP_EntryPoint, (const uint32_t[]){SP_MODEL_Kernel, MAIN}, 2, "k", NULL, 0);
    put_types(d);
    OP(CODE, Function, VOID, MAIN, 0, FN_T);
    OP(CODE, FunctionParameter, PF, P0);
    OP(CODE, FunctionParameter, I32, P1);
    OP(CODE, Label, START);
}

static uint32_t assemble(const struct draft *d, uint32_t *to)
{
    uint32_t n = 5, s;
    to[0] = 0x07230203;
    to[1] = 0x00010400;
    to[2] = 0;
    to[3] = d->bound;
    to[4] = 0;
    for (s = 0; s < SECTIONS; s++) {
        memcpy(to + n, d->word[s], d->count[s] * sizeof *to);
        n += d->count[s];
    }
    return n;
}

static struct draft draft_;
static uint32_t words_[SECTIONS * SECTION_WORDS + 8];

static struct sp_module *parse(const struct draft *d, struct sp_text *log)
{
    return sp_parse(words_, assemble(d, words_), NULL, 0, true, log);
}

static void finish(struct draft *d)
{
    OP0(CODE, Return);
    OP0(CODE, FunctionEnd);
}

/* ---- what is refused: each case adds one thing to the module, and names a part of what the log must say */

static void expect_refusal(void (*build)(struct draft *), const char *part)
{
    struct draft *d = &draft_;
    struct sp_text log = {0};
    struct sp_module *m;
    draft_kernel(d);
    build(d);
    finish(d);
    m = parse(d, &log);
    CHECK(m == NULL);
    CHECK_HAS(log.data, part);
    sp_free(m);
    sp_text_free(&log);
}

/* A non-strict reader accepts or refuses it as expected; it warns of what it accepts, and code is generated. */
static void try_tolerance(const char *part, bool taken)
{
    struct sp_text log = {0}, c = {0};
    struct cg_options options = {.default_subgroup_size = 16};
    struct sp_module *m = sp_parse(words_, assemble(&draft_, words_), NULL, 0, false, &log);
    CHECK_MSG((m != NULL) == taken, "%s", m ? "taken" : log.data);
    if (m) {
        CHECK_HAS(m->warnings.data, part);
        CHECK_HAS(m->warnings.data, "XETILE_SOFT_STRICT");
        for (int check = 0; check < 2; check++) {
            options.check = check;
            CHECK_MSG(cg_generate(m, &options, &c, &log), "%s", log.data);
            sp_text_free(&c);
        }
    }
    sp_free(m);
    sp_text_free(&log);
}

#define REFUSED(name, part)                                                                                            \
    static void build_##name(struct draft *d);                                                                         \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        expect_refusal(build_##name, part);                                                                            \
        try_tolerance(part, false);                                                                                    \
    }                                                                                                                  \
    static void build_##name(struct draft *d)
/* Puts an extension behind the capabilities, where it belongs. */
static void name_extension(struct draft *d, const char *name)
{
    uint32_t rest[SECTION_WORDS], count = d->count[HEAD] - 4; /* words of two capabilities */
    memcpy(rest, d->word[HEAD] + 4, count * sizeof *rest);
    d->count[HEAD] = 4;
    put_string(d, HEAD, SP_OP_Extension, NULL, 0, name, NULL, 0);
    memcpy(d->word[HEAD] + d->count[HEAD], rest, count * sizeof *rest);
    d->count[HEAD] += count;
}

/* Invalid, but accepted by a non-strict reader. */
#define TAKEN(name, part)                                                                                              \
    static void build_##name(struct draft *d);                                                                         \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        expect_refusal(build_##name, part);                                                                            \
        try_tolerance(part, true);                                                                                     \
    }                                                                                                                  \
    static void build_##name(struct draft *d)

enum { A = FREE, B, C, D, E };

REFUSED(unknown_opcode, "opcode 60000") { put_words(d, CODE, 60000, NULL, 0); }
REFUSED(instruction_of_shaders, "OpImageWrite") { OP(CODE, ImageWrite, P0, C0, F1); }
REFUSED(too_few_operands, "too few operands") { OP(CODE, IAdd, I32, A, C1); }
REFUSED(too_many_operands, "too many") { OP(CODE, IAdd, I32, A, C1, C1, C1); }
REFUSED(id_above_bound, "bound") { OP(CODE, IAdd, I32, A, C1, d->bound); }
REFUSED(result_above_bound, "bound") { OP(CODE, IAdd, I32, d->bound + 7, C1, C1); }
REFUSED(id_zero, "bound") { OP(CODE, IAdd, I32, A, C1, 0); }
REFUSED(result_type_is_no_type, "not a type") { OP(CODE, IAdd, C1, A, C1, C1); }
REFUSED(defined_twice, "twice") { OP(CODE, IAdd, I32, P1, C1, C1); }
REFUSED(undefined_operand, "not defined") { OP(CODE, IAdd, I32, A, C1, B); }
TAKEN(used_before_defined, "every way")
{
    OP(CODE, IAdd, I32, A, C1, B);
    OP(CODE, IAdd, I32, B, C1, C1);
}
REFUSED(operand_is_a_type, "not a value") { OP(CODE, IAdd, I32, A, C1, I32); }
REFUSED(operand_is_a_label, "not a value") { OP(CODE, IAdd, I32, A, C1, START); }
REFUSED(operand_is_a_function, "not a value") { OP(CODE, IAdd, I32, A, C1, MAIN); }
REFUSED(add_of_floats_as_integers, "OpIAdd") { OP(CODE, IAdd, F32, A, F1, F1); }
REFUSED(add_of_mixed_widths, "does not fit") { OP(CODE, IAdd, I32, A, C1, L0); }
REFUSED(add_of_mixed_kinds, "does not fit") { OP(CODE, FAdd, F32, A, F1, C1); }
REFUSED(compare_to_integer, "not bools") { OP(CODE, SLessThan, I32, A, C1, C1); }
REFUSED(convert_changes_count, "does not fit") { OP(CODE, ConvertSToF, V4F, A, C1); }
REFUSED(bitcast_changes_size, "32 bits cannot become 64 bits") { OP(CODE, Bitcast, I64, A, F1); }
REFUSED(load_of_another_type, "does not fit") { OP(CODE, Load, I32, A, P0); }
REFUSED(load_through_a_number, "OpLoad") { OP(CODE, Load, I32, A, P1); }
REFUSED(store_of_another_type, "does not fit") { OP(CODE, Store, P0, C1); }
REFUSED(odd_alignment, "alignment of 3") { OP(CODE, Store, P0, F1, SP_ACCESS_Aligned, 3); }
REFUSED(alignment_missing, "too few operands") { OP(CODE, Store, P0, F1, SP_ACCESS_Aligned); }
REFUSED(chain_into_a_number, "no parts") { OP(CODE, AccessChain, PF, A, P0, C1); }
TAKEN(chain_to_another_type, "does not point to") { OP(CODE, PtrAccessChain, PI, A, P0, C1); }
TAKEN(values_that_define_each_other, "every way")
{
    OP(CODE, IAdd, I32, A, B, C1);
    OP(CODE, IAdd, I32, B, A, C1);
    OP(CODE, PtrAccessChain, PF, C, P0, B);
    OP(CODE, Store, C, F1);
}
TAKEN(value_of_a_block_that_goes, "every way")
{
    OP(CODE, Branch, B);
    OP(CODE, Label, A);
    OP(CODE, IAdd, I32, C, C1, C1);
    OP(CODE, Branch, B);
    OP(CODE, Label, B);
    OP(CODE, PtrAccessChain, PF, D, P0, C);
    OP(CODE, Store, D, F1);
}
REFUSED(chain_of_another_storage, "storage class") { OP(CODE, PtrAccessChain, LF, A, P0, C1); }
REFUSED(chain_with_float_index, "not an integer") { OP(CODE, PtrAccessChain, PF, A, P0, F1); }
REFUSED(extract_out_of_range, "index 9")
{
    OP(CODE, CompositeConstruct, V4F, A, F1, F1, F1, F1);
    OP(CODE, CompositeExtract, F32, B, A, 9);
}
REFUSED(construct_too_short, "3 components") { OP(CODE, CompositeConstruct, V4F, A, F1, F1, F1); }
REFUSED(shuffle_out_of_range, "index 8")
{
    OP(CODE, CompositeConstruct, V4F, A, F1, F1, F1, F1);
    OP(CODE, VectorShuffle, V3F, B, A, A, 0, 7, 8);
}
REFUSED(variable_of_module_in_function, "Function storage") { OP(CODE, Variable, PF, A, SP_STORAGE_CrossWorkgroup); }
REFUSED(huge_private_variable, "private memory")
{
    OP(TYPES, Constant, I32, A, 1 << 24);
    OP(TYPES, TypeArray, B, I64, A);
    OP(TYPES, TypePointer, C, SP_STORAGE_Function, B);
    OP(CODE, Variable, C, D, SP_STORAGE_Function);
}
REFUSED(condition_is_no_bool, "not a bool")
{
    OP(CODE, BranchConditional, C1, A, A);
    OP(CODE, Label, A);
}
REFUSED(jump_to_a_value, "not a label")
{
    OP(CODE, Branch, C1);
    OP(CODE, Label, A);
}
REFUSED(jump_to_the_entry_block, "entry block")
{
    OP(CODE, Branch, START);
    OP(CODE, Label, A);
}
REFUSED(jump_into_another_function, "not a label of this function")
{
    OP(CODE, Branch, B);
    OP(CODE, Label, A);
    OP0(CODE, Return);
    OP0(CODE, FunctionEnd);
    OP(CODE, Function, VOID, C, 0, FN_V);
    OP(CODE, Label, B);
}
REFUSED(block_without_terminator, "no terminator") { OP(CODE, Label, A); }
REFUSED(code_behind_terminator, "outside a block")
{
    OP0(CODE, Return);
    OP(CODE, IAdd, I32, A, C1, C1);
}
REFUSED(switch_on_a_type, "not a value")
{
    OP(CODE, Switch, VOID, A);
    OP(CODE, Label, A);
}
REFUSED(switch_on_a_label, "not a value")
{
    OP(CODE, Switch, START, A);
    OP(CODE, Label, A);
}
REFUSED(switch_on_nothing, "not defined")
{
    OP(CODE, Switch, B, A);
    OP(CODE, Label, A);
}
REFUSED(switch_on_a_float, "not an integer")
{
    OP(CODE, Switch, F1, A);
    OP(CODE, Label, A);
}
REFUSED(switch_on_a_type_in_an_unreachable_block, "not a value")
{
    OP0(CODE, Return);
    OP(CODE, Label, A);
    OP(CODE, Switch, VOID, B);
    OP(CODE, Label, B);
}
REFUSED(switch_case_cut_short, "OpSwitch")
{
    OP(CODE, Switch, P1, A, 1);
    OP(CODE, Label, A);
}
TAKEN(value_from_one_side, "every way")
{
    OP(CODE, BranchConditional, YES, A, B);
    OP(CODE, Label, A);
    OP(CODE, IAdd, I32, C, C1, C1);
    OP(CODE, Branch, B);
    OP(CODE, Label, B);
    OP(CODE, IAdd, I32, D, C, C1);
}
REFUSED(phi_lacks_a_predecessor, "1 of 2 predecessors")
{
    OP(CODE, BranchConditional, YES, A, B);
    OP(CODE, Label, A);
    OP(CODE, Branch, B);
    OP(CODE, Label, B);
    OP(CODE, Phi, I32, C, C1, A);
}
REFUSED(phi_of_a_stranger, "not a predecessor")
{
    OP(CODE, BranchConditional, YES, A, B);
    OP(CODE, Label, A);
    OP(CODE, Branch, B);
    OP(CODE, Label, B);
    OP(CODE, Phi, I32, C, C1, A, C1, START, C1, B);
}
REFUSED(phi_names_one_twice_with_two_values, "two values for the predecessor %")
{
    OP(CODE, Branch, A);
    OP(CODE, Label, A);
    OP(CODE, Phi, I32, C, C1, START, C2, START);
}
REFUSED(phi_of_another_type, "not of its type")
{
    OP(CODE, Branch, A);
    OP(CODE, Label, A);
    OP(CODE, Phi, I32, C, F1, START);
}
REFUSED(phi_behind_other_instructions, "start of its block")
{
    OP(CODE, Branch, A);
    OP(CODE, Label, A);
    OP(CODE, IAdd, I32, B, C1, C1);
    OP(CODE, Phi, I32, C, C1, START);
}
TAKEN(phi_of_a_value_that_comes_later, "every way")
{
    OP(CODE, Branch, A);
    OP(CODE, Label, A);
    OP(CODE, Phi, I32, B, C, START);
    OP(CODE, IAdd, I32, C, C1, C1);
}
REFUSED(return_value_in_void, "type its function returns")
{
    OP(CODE, ReturnValue, C1);
    OP(CODE, Label, A);
}
REFUSED(call_with_too_few_arguments, "0 arguments for 2")
{
    OP(CODE, FunctionCall, VOID, A, B);
    OP0(CODE, Return);
    OP0(CODE, FunctionEnd);
    OP(CODE, Function, VOID, B, 0, FN_T);
    OP(CODE, FunctionParameter, PF, C);
    OP(CODE, FunctionParameter, I32, D);
    OP(CODE, Label, E);
}
REFUSED(call_of_a_value, "not a function") { OP(CODE, FunctionCall, VOID, A, P1); }
REFUSED(pointer_call_of_a_number, "OpFunctionPointerCallINTEL") { OP(CODE, FunctionPointerCallINTEL, VOID, A, P1); }
REFUSED(pointer_call_of_nothing, "too few operands") { OP(CODE, FunctionPointerCallINTEL, VOID, A); }
REFUSED(function_pointer_to_a_number, "not a pointer to a function")
{
    OP(TYPES, ConstantFunctionPointerINTEL, I32, A, C1);
}
REFUSED(function_pointer_of_a_constant, "is not a function")
{
    OP(TYPES, TypePointer, A, SP_STORAGE_CodeSectionINTEL, FN_V);
    OP(TYPES, ConstantFunctionPointerINTEL, A, B, C1);
}
REFUSED(call_of_the_kernel, "called like a function")
{
    OP0(CODE, Return);
    OP0(CODE, FunctionEnd);
    OP(CODE, Function, VOID, B, 0, FN_V);
    OP(CODE, Label, E);
    OP0(CODE, Return);
    OP0(CODE, FunctionEnd);
    OP(CODE, Function, VOID, D, 0, FN_T);
    OP(CODE, FunctionParameter, PF, C);
    OP(CODE, FunctionParameter, I32, A + 10);
    OP(CODE, Label, A + 11);
    OP(CODE, FunctionCall, VOID, A + 12, MAIN, C, C1);
}
REFUSED(parameter_missing, "parameters")
{
    OP0(CODE, Return);
    OP0(CODE, FunctionEnd);
    OP(CODE, Function, VOID, B, 0, FN_T);
    OP(CODE, FunctionParameter, PF, C);
    OP(CODE, Label, E);
}
REFUSED(recursion, "recursion is not supported: ping")
{
    OP(CODE, FunctionCall, VOID, A, B);
    OP0(CODE, Return);
    OP0(CODE, FunctionEnd);
    put_string(d, NOTES, SP_OP_Name, (const uint32_t[]){B}, 1, "ping", NULL, 0);
    put_string(d, NOTES, SP_OP_Name, (const uint32_t[]){D}, 1, "pong", NULL, 0);
    OP(CODE, Function, VOID, B, 0, FN_V);
    OP(CODE, Label, C);
    OP(CODE, FunctionCall, VOID, A + 10, D);
    OP0(CODE, Return);
    OP0(CODE, FunctionEnd);
    OP(CODE, Function, VOID, D, 0, FN_V);
    OP(CODE, Label, E);
    OP(CODE, FunctionCall, VOID, A + 11, B);
}
REFUSED(calls_too_deep, "nest 301 deep")
{
    uint32_t i;
    OP(CODE, FunctionCall, VOID, A, A + 1);
    for (i = 0; i < 300; i++) {
        OP0(CODE, Return);
        OP0(CODE, FunctionEnd);
        OP(CODE, Function, VOID, A + 1 + i, 0, FN_V);
        OP(CODE, Label, A + 1000 + i);
        if (i < 299) OP(CODE, FunctionCall, VOID, A + 2000 + i, A + 2 + i);
    }
    d->bound = A + 3000;
}
REFUSED(array_as_long_as_a_float, "not an integer constant") { OP(TYPES, TypeArray, A, F32, F1); }
REFUSED(array_of_none, "length of 0") { OP(TYPES, TypeArray, A, F32, C0); }
REFUSED(array_too_large, "larger than")
{
    OP(TYPES, Constant, I32, A, 0xffffffff);
    OP(TYPES, TypeArray, B, F32, A);
    OP(TYPES, TypeArray, C, B, A);
}
REFUSED(types_too_deep, "deeper than 64")
{
    uint32_t i;
    OP(TYPES, TypeStruct, A, F32);
    for (i = 0; i < 100; i++) OP(TYPES, TypeStruct, A + 1 + i, A + i);
}
REFUSED(struct_of_itself, "not a type") { OP(TYPES, TypeStruct, A, A); }
TAKEN(vector_of_five, "5 components") { OP(TYPES, TypeVector, A, F32, 5); }
TAKEN(vector_of_five_by_id, "5 components")
{
    OP(TYPES, Constant, I32, A, 5);
    OP(TYPES, TypeVectorIdEXT, B, F32, A);
}

/* In the place of a capability that the draft does not use. */
static void allow_any_vector(struct draft *d, uint32_t capability) { d->word[HEAD][1] = capability; }
REFUSED(vector_of_none, "0 components: 1 to 64")
{
    allow_any_vector(d, SP_CAP_LongVectorEXT);
    OP(TYPES, TypeVectorIdEXT, A, F32, C0);
}
REFUSED(vector_of_65, "65 components: 1 to 64")
{
    allow_any_vector(d, SP_CAP_VectorAnyINTEL);
    OP(TYPES, TypeVector, A, F32, 65);
}
REFUSED(vector_as_long_as_a_float, "not an integer constant")
{
    allow_any_vector(d, SP_CAP_LongVectorEXT);
    OP(TYPES, TypeVectorIdEXT, A, F32, F1);
}
REFUSED(vector_of_pointers, "do not exist") { OP(TYPES, TypeVector, A, PF, 4); }
REFUSED(integer_of_no_bits, "0 bits") { OP(TYPES, TypeInt, A, 0, 0); }
REFUSED(integer_of_65_bits, "65 bits") { OP(TYPES, TypeInt, A, 65, 0); }
REFUSED(vector_of_24_bit_integers, "vectors of integers of 24 bits")
{
    OP(TYPES, TypeInt, A, 24, 0);
    OP(TYPES, TypeVector, B, A, 4);
}
REFUSED(float_of_80_bits, "80 bits") { OP(TYPES, TypeFloat, A, 80); }
/* ---- images: their types, and one of each as undefined values: P is read, Q written, S a sampler */

enum { IMAGE = FREE + 300, WRITTEN, SAMPLER, SAMPLED, P, Q, S, BOTH };
static void put_image_type(struct draft *d, uint32_t id, uint32_t dim, uint32_t arrayed, uint32_t samples,
                           uint32_t format, uint32_t access)
{
    OP(TYPES, TypeImage, id, VOID, dim, 0, arrayed, samples, 0, format, access);
}
static void put_images(struct draft *d)
{
    put_image_type(d, IMAGE, SP_DIM_2D, 0, 0, SP_FORMAT_Unknown, SP_QUALIFIER_ReadOnly);
    put_image_type(d, WRITTEN, SP_DIM_2D, 0, 0, SP_FORMAT_Unknown, SP_QUALIFIER_WriteOnly);
    OP(TYPES, TypeSampler, SAMPLER);
    OP(TYPES, TypeSampledImage, SAMPLED, IMAGE);
    OP(TYPES, Undef, IMAGE, P);
    OP(TYPES, Undef, WRITTEN, Q);
    OP(TYPES, Undef, SAMPLER, S);
    OP(TYPES, Undef, V2I, A);
    OP(TYPES, Undef, V4F, B);
}

REFUSED(image_of_cubes, "dimensionality 3") { put_image_type(d, A, SP_DIM_Cube, 0, 0, 0, 0); }
REFUSED(image_of_samples, "several samples") { put_image_type(d, A, SP_DIM_2D, 0, 1, 0, 0); }
REFUSED(image_array_of_volumes, "arrays of images of 1 and 2") { put_image_type(d, A, SP_DIM_3D, 1, 0, 0, 0); }
REFUSED(image_with_format, "no format") { put_image_type(d, A, SP_DIM_2D, 0, 0, SP_FORMAT_Rgba8, 0); }
REFUSED(image_of_unknown_access, "access 3") { put_image_type(d, A, SP_DIM_2D, 0, 0, 0, 3); }
REFUSED(image_of_pointers, "not a number") { OP(TYPES, TypeImage, A, PF, SP_DIM_2D, 0, 0, 0, 0, 0); }
REFUSED(sampled_integer, "can be sampled") { OP(TYPES, TypeSampledImage, A, I32); }
REFUSED(sampled_buffer, "can be sampled")
{
    put_image_type(d, A, SP_DIM_Buffer, 0, 0, 0, 0);
    OP(TYPES, TypeSampledImage, B, A);
}
REFUSED(sampler_of_no_mode, "address mode 5")
{
    put_images(d);
    OP(TYPES, ConstantSampler, SAMPLER, A + 9, 5, 0, 0);
}
REFUSED(sampler_that_is_a_number, "not a sampler") { OP(TYPES, ConstantSampler, I32, A, 0, 0, 0); }
REFUSED(sampler_in_memory, "initialiser is a sampler")
{
    put_images(d);
    OP(TYPES, ConstantSampler, SAMPLER, C, 0, 0, 0);
    OP(TYPES, TypePointer, D, SP_STORAGE_UniformConstant, SAMPLER);
    OP(TYPES, Variable, D, E, SP_STORAGE_UniformConstant, C);
}
REFUSED(samplers_in_an_array, "constituent 0 is a sampler")
{
    put_images(d);
    OP(TYPES, ConstantSampler, SAMPLER, C, 0, 0, 0);
    OP(TYPES, TypeArray, D, SAMPLER, C1);
    OP(TYPES, ConstantComposite, D, E, C);
}
REFUSED(sampled_image_in_memory, "do not exist")
{
    put_images(d);
    OP(TYPES, TypePointer, C, SP_STORAGE_Function, SAMPLED);
    OP(CODE, Variable, C, D, SP_STORAGE_Function);
}
REFUSED(sampled_image_of_another_type, "its result is made of")
{
    put_images(d);
    OP(CODE, SampledImage, SAMPLED, BOTH, Q, S);
}
REFUSED(sample_of_an_image, "not a sampled image")
{
    put_images(d);
    OP(CODE, ImageSampleExplicitLod, V4F, C, P, B, SP_IMAGE_Lod, F1);
}
REFUSED(sample_by_few_coordinates, "1 coordinates, not 2")
{
    put_images(d);
    OP(CODE, SampledImage, SAMPLED, BOTH, P, S);
    OP(CODE, ImageSampleExplicitLod, V4F, C, BOTH, F1, SP_IMAGE_Lod, F1);
}
REFUSED(sample_with_offset, "image operands 0x10")
{
    put_images(d);
    OP(CODE, SampledImage, SAMPLED, BOTH, P, S);
    OP(CODE, ImageSampleExplicitLod, V4F, C, BOTH, B, SP_IMAGE_Lod | SP_IMAGE_Offset, F1, A);
}
REFUSED(sample_at_a_type, "not a value")
{
    put_images(d);
    OP(CODE, SampledImage, SAMPLED, BOTH, P, S);
    OP(CODE, ImageSampleExplicitLod, V4F, C, BOTH, B, SP_IMAGE_Lod, I32);
}
REFUSED(read_of_what_is_written, "only written")
{
    put_images(d);
    OP(CODE, ImageRead, V4F, C, Q, A);
}
REFUSED(read_by_floats, "not integers")
{
    put_images(d);
    OP(CODE, ImageRead, V4F, C, P, B);
}
REFUSED(read_of_three_channels, "four numbers or one")
{
    put_images(d);
    OP(CODE, ImageRead, V3F, C, P, A);
}
REFUSED(read_of_f64, "four numbers or one")
{
    put_images(d);
    OP(CODE, ImageRead, F64, C, P, A);
}
REFUSED(write_of_what_is_read, "only read")
{
    put_images(d);
    OP(CODE, ImageWrite, P, A, B);
}
REFUSED(write_of_bools, "four numbers or one")
{
    put_images(d);
    OP(CODE, ImageWrite, Q, A, YES);
}
REFUSED(write_to_a_pointer, "is not an image")
{
    put_images(d);
    OP(CODE, ImageWrite, P0, A, B);
}
REFUSED(size_of_three_dimensions, "is 2 integers")
{
    put_images(d);
    OP(CODE, ImageQuerySizeLod, I32, C, P, C0);
}

REFUSED(forward_pointer_left_open, "never defined") { OP(TYPES, TypeForwardPointer, A, SP_STORAGE_CrossWorkgroup); }
REFUSED(forward_pointer_of_another_class, "another storage class")
{
    OP(TYPES, TypeForwardPointer, A, SP_STORAGE_CrossWorkgroup);
    OP(TYPES, TypeStruct, B, A);
    OP(TYPES, TypePointer, A, SP_STORAGE_Function, B);
}
REFUSED(composite_of_wrong_members, "constituent 1") { OP(TYPES, ConstantComposite, V2I, A, C1, F1); }
REFUSED(composite_too_short, "1 constituents") { OP(TYPES, ConstantComposite, V2I, A, C1); }
REFUSED(bool_constant_as_integer, "not bool") { OP(TYPES, ConstantTrue, I32, A); }
REFUSED(constant_of_a_pointer_type, "not a number") { OP(TYPES, Constant, PF, A, 1); }
REFUSED(constant_cut_short, "too few") { OP(TYPES, Constant, I64, A, 1); }
REFUSED(spec_chain_through_a_forward_pointer, "not defined yet")
{
    OP(TYPES, TypeForwardPointer, A, SP_STORAGE_CrossWorkgroup);
    OP(TYPES, TypeStruct, B, A);
    OP(TYPES, TypePointer, C, SP_STORAGE_CrossWorkgroup, B);
    OP(TYPES, Variable, C, D, SP_STORAGE_CrossWorkgroup);
    OP(TYPES, SpecConstantOp, PF, E, SP_OP_AccessChain, D, C0, C0);
    OP(TYPES, TypePointer, A, SP_STORAGE_CrossWorkgroup, F32);
}
REFUSED(spec_op_of_a_variable, "not constants") { OP(TYPES, SpecConstantOp, I32, A, SP_OP_IAdd, C1, GF); }
REFUSED(spec_op_unknown, "unknown operation") { OP(TYPES, SpecConstantOp, I32, A, 60000, C1, C1); }
REFUSED(spec_op_in_itself, "unknown operation") { OP(TYPES, SpecConstantOp, I32, A, SP_OP_SpecConstantOp, C1, C1); }
REFUSED(spec_op_widths_differ, "not supported in a constant") { OP(TYPES, SpecConstantOp, I64, A, SP_OP_IAdd, C1, C1); }
REFUSED(global_with_wrong_initialiser, "not of its type") { OP(TYPES, Variable, PI, A, SP_STORAGE_CrossWorkgroup, F1); }
REFUSED(local_memory_with_initialiser, "only be initialised with zeros")
{
    OP(TYPES, TypePointer, A, SP_STORAGE_Workgroup, I32);
    OP(TYPES, Variable, A, B, SP_STORAGE_Workgroup, C1);
}
/* An undefined value of arrays in arrays, each with the one before it twice: 2^36 parts in 36 constants. */
REFUSED(local_memory_with_many_parts, "4294967295 parts of initialisers, at most 134217728 are supported")
{
    enum { LEVELS = 36, TYPE = FREE, VALUE = TYPE + LEVELS + 1, POINTER = VALUE + LEVELS + 1, VAR };
    OP(TYPES, TypeArray, TYPE, I8, C2);
    OP(TYPES, Undef, TYPE, VALUE);
    for (uint32_t k = 1; k <= LEVELS; k++) {
        OP(TYPES, TypeArray, TYPE + k, TYPE + k - 1, C2);
        OP(TYPES, ConstantComposite, TYPE + k, VALUE + k, VALUE + k - 1, VALUE + k - 1);
    }
    OP(TYPES, TypePointer, POINTER, SP_STORAGE_Workgroup, TYPE + LEVELS);
    OP(TYPES, Variable, POINTER, VAR, SP_STORAGE_Workgroup, VALUE + LEVELS);
}
/* Structures without bytes, each with the one before it four times: whatever walks over one would take 4^30 steps. */
REFUSED(struct_of_many_parts, "87381 parts with those of members, at most 65536 are supported")
{
    put_words(d, TYPES, SP_OP_TypeStruct, (const uint32_t[]){FREE}, 1);
    for (uint32_t k = 1; k <= 30; k++)
        OP(TYPES, TypeStruct, FREE + k, FREE + k - 1, FREE + k - 1, FREE + k - 1, FREE + k - 1);
}
REFUSED(extract_of_no_part, "no index")
{
    OP(CODE, CompositeConstruct, V4F, A, F1, F1, F1, F1);
    OP(CODE, CompositeExtract, V4F, B, A);
}
REFUSED(insert_of_no_part, "no index")
{
    OP(CODE, CompositeConstruct, V4F, A, F1, F1, F1, F1);
    OP(CODE, CompositeInsert, V4F, B, A, A);
}
REFUSED(built_in_that_is_missing, "built-in")
{
    OP(NOTES, Decorate, B, SP_DECORATION_BuiltIn, SP_BUILTIN_FragCoord);
    OP(TYPES, TypePointer, A, SP_STORAGE_Input, V3L);
    OP(TYPES, Variable, A, B, SP_STORAGE_Input);
}
REFUSED(built_in_of_wrong_type, "built-in")
{
    OP(NOTES, Decorate, B, SP_DECORATION_BuiltIn, SP_BUILTIN_GlobalInvocationId);
    OP(TYPES, TypePointer, A, SP_STORAGE_Input, F32);
    OP(TYPES, Variable, A, B, SP_STORAGE_Input);
}
REFUSED(type_behind_functions, "out of order")
{
    OP0(CODE, Return);
    OP0(CODE, FunctionEnd);
    OP(CODE, TypeInt, A, 32, 0);
}
REFUSED(type_inside_a_function, "out of order") { OP(CODE, TypeInt, A, 32, 0); }
REFUSED(capability_missing, "Tessellation")
{
    OP(HEAD, Capability, SP_CAP_Tessellation);
    d->word[HEAD][1] = SP_CAP_Tessellation;
}
REFUSED(inline_assembly, "AsmINTEL")
{
    OP(HEAD, Capability, SP_CAP_AsmINTEL);
    d->word[HEAD][1] = SP_CAP_AsmINTEL;
}
REFUSED(capability_late, "out of order") { OP(HEAD, Capability, SP_CAP_Kernel); }
REFUSED(extension_missing, "SPV_ABC_d")
{
    d->count[HEAD] = 4;
    put_string(d, HEAD, SP_OP_Extension, NULL, 0, "SPV_ABC_d", NULL, 0);
}
REFUSED(instruction_set_missing, "GLSL.std.450")
{
    d->count[HEAD] = 4;
    put_string(d, HEAD, SP_OP_ExtInstImport, (const uint32_t[]){EXT}, 1, "GLSL.std.450", NULL, 0);
}
REFUSED(string_without_end, "without an end") { OP(NOTES, Name, A, 0x41414141, 0x41414141); }
REFUSED(addressing_of_32_bits, "addressing model")
{
    d->count[HEAD] = 4;
    OP(HEAD, MemoryModel, SP_ADDRESSING_Physical32, SP_MEMORY_MODEL_OpenCL);
}
REFUSED(no_memory_model, "no OpMemoryModel") { d->count[HEAD] = 4; }
REFUSED(entry_of_a_value, "not a function")
{
    put_string(d, HEAD, SP_OP_EntryPoint, (const uint32_t[]){SP_MODEL_Kernel, C1}, 2, "x", NULL, 0);
}
REFUSED(entry_for_graphics, "execution model")
{
    put_string(d, HEAD, SP_OP_EntryPoint, (const uint32_t[]){0, MAIN}, 2, "x", NULL, 0);
}
REFUSED(two_kernels_of_one_name, "second kernel")
{
    put_string(d, HEAD, SP_OP_EntryPoint, (const uint32_t[]){SP_MODEL_Kernel, MAIN}, 2, "k", NULL, 0);
}
REFUSED(mode_missing, "OriginUpperLeft") { OP(HEAD, ExecutionMode, MAIN, SP_MODE_OriginUpperLeft); }
REFUSED(mode_of_no_entry, "not an entry point") { OP(HEAD, ExecutionMode, C1, SP_MODE_ContractionOff); }
REFUSED(mode_of_zero, "LocalSize of 0") { OP(HEAD, ExecutionMode, MAIN, SP_MODE_LocalSize, 0, 1, 1); }
REFUSED(group_that_is_none, "not a decoration group") { OP(NOTES, GroupDecorate, C1, C2); }
REFUSED(ext_unknown, "no instruction 999") { OP(CODE, ExtInst, F32, A, EXT, 999, F1); }
REFUSED(ext_of_wrong_type, "not floats") { OP(CODE, ExtInst, I32, A, EXT, 14, C1); }
REFUSED(ext_with_too_many, "too many") { OP(CODE, ExtInst, F32, A, EXT, 14, F1, F1); }
REFUSED(ext_frexp_to_floats, "32-bit integers") { OP(CODE, ExtInst, F32, A, EXT, 31, F1, P0); }
REFUSED(ext_vload_count, "number of components") { OP(CODE, ExtInst, V4F, A, EXT, 171, L0, P0, 3); }
REFUSED(atomic_on_vectors, "OpAtomicIAdd")
{
    OP(CODE, Variable, LV2I, A, SP_STORAGE_Function);
    OP(CODE, AtomicIAdd, V2I, B, A, C1, C0, C1);
}
REFUSED(block_of_three_bytes, "3 bytes")
{
    OP(TYPES, Constant, I32, A, 3);
    OP(TYPES, ConstantComposite, V2I, B, C0, C0);
    OP(CODE, Subgroup2DBlockPrefetchINTEL, A, C16, C1, C1, P0, C16, C16, C16, B);
}
REFUSED(block_size_from_a_parameter, "not a constant")
{
    OP(TYPES, ConstantComposite, V2I, B, C0, C0);
    OP(CODE, Subgroup2DBlockPrefetchINTEL, C2, P1, C1, C1, P0, C16, C16, C16, B);
}
REFUSED(block_too_large, "at most 64 bytes x 32 rows")
{
    OP(TYPES, Constant, I32, A, 1 << 20);
    OP(TYPES, ConstantComposite, V2I, B, C0, C0);
    OP(CODE, Subgroup2DBlockPrefetchINTEL, C2, A, C1, C1, P0, C16, C16, C16, B);
}
REFUSED(dpas_rows_differ, "equal rows")
{
    OP(TYPES, ConstantNull, V4F, A);
    OP(TYPES, ConstantNull, V3F, B);
    OP(CODE, SubgroupMatrixMultiplyAccumulateINTEL, V4F, C, C16, A, A, B, 0);
}
REFUSED(dpas_bits_without_extension, "operands 0x4000: by the extensions of this module, the bits of 0x3fff exist")
{
    OP(TYPES, ConstantNull, V4F, A);
    OP(CODE, SubgroupMatrixMultiplyAccumulateINTEL, V4F, C, C16, A, A, A, 0x4000);
}
REFUSED(dpas_bits_of_scales, "operands 0x100000: by the extensions of this module, the bits of 0x3fff exist")
{
    name_extension(d, "SPV_INTEL_subgroup_scaled_matrix_multiply_accumulate");
    OP(TYPES, ConstantNull, V4F, A);
    OP(CODE, SubgroupMatrixMultiplyAccumulateINTEL, V4F, C, C16, A, A, A, 0x100000);
}
REFUSED(scaled_dpas_of_one_scale, "operands 0x100000: scales are of E8M0, 0x300000")
{
    name_extension(d, "SPV_INTEL_subgroup_scaled_matrix_multiply_accumulate");
    OP(TYPES, ConstantNull, V4F, A);
    OP(CODE, SubgroupScaledMatrixMultiplyAccumulateINTEL, V4F, C, C16, A, A, A, C0, C0, 0x100000);
}
REFUSED(scaled_dpas_of_float_scales, "OpSubgroupScaledMatrixMultiplyAccumulateINTEL")
{
    OP(TYPES, ConstantNull, V4F, A);
    OP(CODE, SubgroupScaledMatrixMultiplyAccumulateINTEL, V4F, C, C16, A, A, A, F1, C0, 0x300000);
}

TEST(header_is_checked)
{
    struct draft *d = &draft_;
    static const struct {
        int word;
        uint32_t value;
        const char *part;
    } cases[] = {{0, 0x12345678, "magic"}, {1, 0x00020000, "version"}, {1, 0x00010900, "version"},
                 {3, 0, "bound"},          {3, 0x7fffffff, "bound"},   {4, 1, "schema"}};
    size_t i;
    uint32_t n;
    draft_kernel(d);
    finish(d);
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sp_text log = {0};
        n = assemble(d, words_);
        words_[cases[i].word] = cases[i].value;
        CHECK(sp_parse(words_, n, NULL, 0, true, &log) == NULL);
        CHECK_HAS(log.data, cases[i].part);
        sp_text_free(&log);
    }
    for (i = 0; i < 5; i++) CHECK(sp_parse(words_, i, NULL, 0, true, NULL) == NULL);
    CHECK(sp_parse(NULL, 100, NULL, 0, true, NULL) == NULL);
}

TEST(every_cut_is_refused)
{
    struct draft *d = &draft_;
    uint32_t n, i, taken = 0;
    draft_kernel(d);
    finish(d);
    n = assemble(d, words_);
    for (i = 0; i < n; i++) {
        struct sp_module *m = sp_parse(words_, i, NULL, 0, true, NULL);
        taken += m != NULL;
        sp_free(m);
    }
    CHECK_INT(taken, 1); /* the one that ends after OpMemoryModel: an empty module */
}

/* ---- accepted modules */

static struct sp_module *read_draft(struct draft *d)
{
    struct sp_text log = {0};
    struct sp_module *m;
    finish(d);
    m = parse(d, &log);
    CHECK_MSG(m != NULL, "%s", log.data ? log.data : "");
    sp_text_free(&log);
    return m;
}

TEST(kernel_is_read)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    draft_kernel(d);
    OP(HEAD, ExecutionMode, MAIN, SP_MODE_LocalSize, 8, 4, 2);
    OP(HEAD, ExecutionMode, MAIN, SP_MODE_SubgroupSize, 16);
    OP(HEAD, ExecutionMode, MAIN, SP_MODE_ContractionOff);
    OP(CODE, IAdd, I32, A, P1, C1);
    m = read_draft(d);
    if (!m) return;
    CHECK_INT(m->entry_count, 1);
    CHECK_STR(m->entries[0].name, "k");
    CHECK_INT(m->entries[0].local_size[0], 8);
    CHECK_INT(m->entries[0].local_size[2], 2);
    CHECK_INT(m->entries[0].subgroup_size, 16);
    CHECK(m->entries[0].contract_off);
    CHECK_INT(m->function_count, 1);
    CHECK(m->functions[0].is_kernel);
    CHECK_INT(m->functions[0].param_count, 2);
    CHECK_INT(m->functions[0].params[1], P1);
    CHECK_INT(m->functions[0].block_count, 1);
    CHECK_INT(m->functions[0].blocks[0].count, 2);
    CHECK_INT(m->functions[0].blocks[0].inst[0].op, SP_OP_IAdd);
    CHECK_INT(m->ids[A].what, SP_IS_VALUE);
    CHECK_INT(m->ids[A].type, I32);
    CHECK_INT(m->ids[P1].what, SP_IS_PARAMETER);
    CHECK_INT(m->ids[A].function, 1);
    CHECK_INT(m->global_count, 1);
    sp_free(m);
}

TEST(modes_reach_every_kernel_of_a_function)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    draft_kernel(d);
    put_string(d, HEAD, SP_OP_EntryPoint, (const uint32_t[]){SP_MODEL_Kernel, MAIN}, 2, "second", NULL, 0);
    OP(HEAD, ExecutionModeId, MAIN, SP_MODE_LocalSizeId, C16, C2, C1);
    m = read_draft(d);
    if (!m) return;
    CHECK_INT(m->entry_count, 2);
    CHECK_STR(m->entries[1].name, "second");
    CHECK_INT(m->entries[0].local_size[0], 16);
    CHECK_INT(m->entries[1].local_size[0], 16);
    CHECK_INT(m->entries[1].local_size[1], 2);
    sp_free(m);
}

TEST(either_byte_order)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    uint32_t n, i;
    draft_kernel(d);
    finish(d);
    n = assemble(d, words_);
    for (i = 0; i < n; i++) words_[i] = __builtin_bswap32(words_[i]);
    m = sp_parse(words_, n, NULL, 0, true, NULL);
    CHECK(m && strcmp(m->entries[0].name, "k") == 0);
    sp_free(m);
}

TEST(sizes_are_those_of_opencl)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    const struct sp_type *t;
    enum { S2 = FREE + 20, S3, AR, PACKED, PTR, LIST, PLIST };
    draft_kernel(d);
    OP(NOTES, Decorate, PACKED, SP_DECORATION_CPacked);
    OP(TYPES, TypeStruct, S2, NODE, I64);
    OP(TYPES, TypeArray, AR, V3F, C2);
    OP(TYPES, TypeStruct, S3, I8, AR, I8, PF);
    OP(TYPES, TypeStruct, PACKED, I8, V3F, I16, F64);
    OP(TYPES, TypeForwardPointer, PLIST, SP_STORAGE_CrossWorkgroup);
    OP(TYPES, TypeStruct, LIST, I8, PLIST);
    OP(TYPES, TypePointer, PLIST, SP_STORAGE_CrossWorkgroup, LIST);
    m = read_draft(d);
    if (!m) return;
    CHECK_INT(sp_type(m, V3F)->size, 16);
    CHECK_INT(sp_type(m, V3F)->align, 16);
    CHECK_INT(sp_type(m, V3L)->size, 32);
    t = sp_type(m, NODE); /* char, float3, short */
    CHECK_INT(t->offsets[1], 16);
    CHECK_INT(t->offsets[2], 32);
    CHECK_INT(t->size, 48);
    CHECK_INT(t->align, 16);
    t = sp_type(m, S2);
    CHECK_INT(t->offsets[1], 48);
    CHECK_INT(t->size, 64);
    t = sp_type(m, S3); /* char, float3[2], char, pointer */
    CHECK_INT(t->offsets[1], 16);
    CHECK_INT(t->offsets[2], 48);
    CHECK_INT(t->offsets[3], 56);
    CHECK_INT(t->size, 64);
    t = sp_type(m, PACKED);
    CHECK_INT(t->offsets[1], 1);
    CHECK_INT(t->offsets[2], 17);
    CHECK_INT(t->offsets[3], 19);
    CHECK_INT(t->size, 27);
    CHECK_INT(t->align, 1);
    t = sp_type(m, LIST);
    CHECK_INT(t->offsets[1], 8);
    CHECK_INT(t->size, 16);
    CHECK_INT(sp_type(m, t->members[1])->elem, LIST);
    sp_free(m);
}

TEST(vectors_of_any_length)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    enum { SPEC = FREE + 20, V1, V7, V64, VS, Z, PAIR, ALL };
    uint8_t bytes[32];
    draft_kernel(d);
    allow_any_vector(d, SP_CAP_LongVectorEXT);
    OP(NOTES, Decorate, SPEC, SP_DECORATION_SpecId, 1);
    OP(TYPES, SpecConstant, I32, SPEC, 5);
    OP(TYPES, TypeVectorIdEXT, V1, F32, C1);
    OP(TYPES, TypeVector, V7, I16, 7);
    OP(TYPES, TypeVector, V64, F64, 64);
    OP(TYPES, TypeVectorIdEXT, VS, I32, SPEC);
    OP(TYPES, ConstantNull, V64, Z);
    OP(TYPES, TypeStruct, PAIR, I8, VS);
    OP(TYPES, ConstantComposite, VS, ALL, C0, C1, C2, C16, C1);
    m = read_draft(d);
    if (!m) return;
    CHECK_INT(sp_type(m, V1)->count, 1);
    CHECK_INT(sp_type(m, V1)->size, 4);
    CHECK_INT(sp_type(m, V7)->size, 16);
    CHECK_INT(sp_type(m, V7)->align, 16);
    CHECK_INT(sp_type(m, V64)->size, 512);
    CHECK_INT(sp_type(m, VS)->count, 5);
    CHECK_INT(sp_type(m, PAIR)->offsets[1], 32);
    memset(bytes, 0xa5, sizeof bytes);
    CHECK(sp_constant_bytes(m, ALL, bytes));
    CHECK_INT(bytes[12], 16);
    CHECK_INT(bytes[16], 1);
    CHECK_INT(bytes[20], 0); /* the padding after the fifth */
    sp_free(m);
}

TEST(constants_have_bytes)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    enum { K8 = FREE + 20, K16, KV, KS, KN, KA };
    uint8_t bytes[64];
    uint64_t v;
    float f[4];
    draft_kernel(d);
    OP(TYPES, Constant, I8, K8, 0xffffff85); /* sign-extended, as modules have it */
    OP(TYPES, Constant, I16, K16, 0x1234);
    OP(TYPES, ConstantComposite, V3F, KV, F1, F1, F1);
    OP(TYPES, ConstantComposite, NODE, KS, K8, KV, K16);
    OP(TYPES, ConstantNull, NODE, KN);
    OP(TYPES, Undef, V4F, KA);
    m = read_draft(d);
    if (!m) return;
    memset(bytes, 0xee, sizeof bytes);
    CHECK(sp_constant_bytes(m, KS, bytes));
    CHECK_INT(bytes[0], 0x85);
    CHECK_INT(bytes[1], 0);
    memcpy(f, bytes + 16, 16);
    CHECK(f[0] == 1 && f[1] == 1 && f[2] == 1 && f[3] == 0);
    CHECK_INT(bytes[32] | bytes[33] << 8, 0x1234);
    CHECK_INT(bytes[47], 0);
    CHECK_INT(bytes[48], 0xee);
    CHECK(sp_constant_bytes(m, KN, bytes));
    CHECK_INT(bytes[0] | bytes[16] | bytes[32], 0);
    CHECK(sp_constant(m, K8, &v) && v == 0x85);
    CHECK(sp_constant(m, YES, &v) && v == 1);
    CHECK(sp_constant(m, F1, &v) && v == 0x3f800000);
    CHECK(!sp_constant(m, KS, &v) && !sp_constant(m, P1, &v) && !sp_constant(m, I32, &v) &&
          !sp_constant(m, 0xfffffff, &v));
    CHECK(sp_constant_bytes(m, KA, bytes) && bytes[0] == 0);
    CHECK(!sp_constant_bytes(m, GF, bytes));
    sp_free(m);
}

/* Each operation of OpSpecConstantOp against C, of -7 and 3. */
static const struct {
    uint32_t op;
    int32_t want;
    int operands;
} spec_cases[] = {
    {SP_OP_IAdd, -7 + 3, 2},
    {SP_OP_ISub, -10, 2},
    {SP_OP_IMul, -21, 2},
    {SP_OP_SDiv, -2, 2},
    {SP_OP_SRem, -1, 2},
    {SP_OP_SMod, 2, 2},
    {SP_OP_UDiv, (int32_t)(0xfffffff9u / 3), 2},
    {SP_OP_UMod, (int32_t)(0xfffffff9u % 3), 2},
    {SP_OP_ShiftLeftLogical, -56, 2},
    {SP_OP_ShiftRightLogical, 0x1fffffff, 2},
    {SP_OP_ShiftRightArithmetic, -1, 2},
    {SP_OP_BitwiseAnd, 1, 2},
    {SP_OP_BitwiseOr, -5, 2},
    {SP_OP_BitwiseXor, -6, 2},
    {SP_OP_SNegate, 7, 1},
    {SP_OP_Not, 6, 1},
};

/* Floats are folded to nearest, with subnormals, whatever the state of the thread that loads the module. */
TEST(spec_operations_in_every_state)
{
    static const struct {
        uint32_t op, a, b, want;
    } rows[] = {{SP_OP_FAdd, 0x3f800000, 0x33c00000, 0x3f800001}, /* 1 + 0.75 units */
                {SP_OP_FAdd, 0x3f800000, 0x33400000, 0x3f800000}, /* 1 + 0.375 units */
                {SP_OP_FSub, 0x00800001, 0x00800000, 0x00000001}, /* subnormal */
                {SP_OP_FMul, 0x00000003, 0x40000000, 0x00000006},
                {SP_OP_FDiv, 0x3f800000, 0x40400000, 0x3eaaaaab},
                {SP_OP_FDiv, 0x40000000, 0x40400000, 0x3f2aaaab}};
    enum { A = FREE + 20, N = sizeof rows / sizeof *rows };
    struct draft *d = &draft_;
    for (int mode = 0; mode < MODES; mode++) {
        uint64_t v;
        draft_kernel(d);
        for (uint32_t i = 0; i < N; i++) {
            OP(TYPES, Constant, F32, A + 3 * i, rows[i].a);
            OP(TYPES, Constant, F32, A + 3 * i + 1, rows[i].b);
            OP(TYPES, SpecConstantOp, F32, A + 3 * i + 2, rows[i].op, A + 3 * i, A + 3 * i + 1);
        }
        OP(TYPES, Constant, I32, A + 3 * N, 0x1000003);
        OP(TYPES, SpecConstantOp, F32, A + 3 * N + 1, SP_OP_ConvertSToF, A + 3 * N);
        OP(TYPES, Constant, F32, A + 3 * N + 2, 0x33800001); /* just above half of f16's smallest number */
        OP(TYPES, SpecConstantOp, F16, A + 3 * N + 3, SP_OP_FConvert, A + 3 * N + 2);
        OP(TYPES, Constant, I64, A + 3 * N + 4, 0x00000001, 0x01000001); /* 2^56 + 2^32 + 1: above halfway in f32 */
        OP(TYPES, SpecConstantOp, F32, A + 3 * N + 5, SP_OP_ConvertSToF, A + 3 * N + 4);
        mode_set(mode);
        struct sp_module *m = read_draft(d);
        mode_set(MODE_DEFAULT);
        if (!m) return;
        for (uint32_t i = 0; i < N; i++)
            CHECK_MSG(sp_constant(m, A + 3 * i + 2, &v) && v == rows[i].want, "%s: row %u is %08x, want %08x",
                      mode_name(mode), i, (unsigned)v, (unsigned)rows[i].want);
        CHECK_MSG(sp_constant(m, A + 3 * N + 1, &v) && v == 0x4b800002, "%s: 2^24 + 3 is %08x", mode_name(mode),
                  (unsigned)v);
        CHECK_MSG(sp_constant(m, A + 3 * N + 5, &v) && v == 0x5b800001, "%s: 2^56 + 2^32 + 1 is %08x", mode_name(mode),
                  (unsigned)v);
        CHECK_MSG(sp_constant(m, A + 3 * N + 3, &v) && v == 1, "%s: as f16 it is %04x", mode_name(mode), (unsigned)v);
        sp_free(m);
    }
}

TEST(spec_operations)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    enum { M7 = FREE + 20, P3, FIRST };
    uint64_t v;
    uint32_t i, n = sizeof spec_cases / sizeof spec_cases[0];
    draft_kernel(d);
    OP(TYPES, Constant, I32, M7, (uint32_t)-7);
    OP(TYPES, Constant, I32, P3, 3);
    for (i = 0; i < n; i++) {
        if (spec_cases[i].operands == 2)
            OP(TYPES, SpecConstantOp, I32, FIRST + i, spec_cases[i].op, M7, P3);
        else
            OP(TYPES, SpecConstantOp, I32, FIRST + i, spec_cases[i].op, M7);
    }
    OP(TYPES, SpecConstantOp, I64, FIRST + n, SP_OP_SConvert, M7);
    OP(TYPES, SpecConstantOp, I64, FIRST + n + 1, SP_OP_UConvert, M7);
    OP(TYPES, SpecConstantOp, BOOL, FIRST + n + 2, SP_OP_SLessThan, M7, P3);
    OP(TYPES, SpecConstantOp, BOOL, FIRST + n + 3, SP_OP_ULessThan, M7, P3);
    OP(TYPES, SpecConstantOp, I32, FIRST + n + 4, SP_OP_Select, FIRST + n + 3, M7, P3);
    OP(TYPES, SpecConstantOp, F32, FIRST + n + 5, SP_OP_ConvertSToF, M7);
    OP(TYPES, SpecConstantOp, F16, FIRST + n + 6, SP_OP_FConvert, FIRST + n + 5);
    OP(TYPES, SpecConstantOp, I32, FIRST + n + 7, SP_OP_SDiv, M7, C0);
    OP(TYPES, ConstantComposite, V2I, FIRST + n + 8, M7, P3);
    OP(TYPES, SpecConstantOp, V4I, FIRST + n + 9, SP_OP_VectorShuffle, FIRST + n + 8, FIRST + n + 8, 1, 0, 3, 2);
    OP(TYPES, SpecConstantOp, I32, FIRST + n + 10, SP_OP_CompositeExtract, FIRST + n + 9, 2);
    OP(TYPES, Constant, I64, FIRST + n + 11, 5, 0x60000000); /* their sum does not fit */
    OP(TYPES, Constant, I64, FIRST + n + 12, 0, 0x70000000);
    OP(TYPES, SpecConstantOp, I64, FIRST + n + 13, SP_OP_SMod, FIRST + n + 11, FIRST + n + 12);
    m = read_draft(d);
    if (!m) return;
    for (i = 0; i < n; i++) {
        CHECK(sp_constant(m, FIRST + i, &v));
        CHECK_MSG((int32_t)v == spec_cases[i].want && v >> 32 == 0, "%s gave %d, want %d", sp_op_name(spec_cases[i].op),
                  (int32_t)v, spec_cases[i].want);
    }
    CHECK(sp_constant(m, FIRST + n, &v) && (int64_t)v == -7);
    CHECK(sp_constant(m, FIRST + n + 1, &v) && v == 0xfffffff9u);
    CHECK(sp_constant(m, FIRST + n + 2, &v) && v == 1);
    CHECK(sp_constant(m, FIRST + n + 3, &v) && v == 0);
    CHECK(sp_constant(m, FIRST + n + 4, &v) && v == 3);
    CHECK(sp_constant(m, FIRST + n + 5, &v) && v == 0xc0e00000);
    CHECK(sp_constant(m, FIRST + n + 6, &v) && v == 0xc700);
    CHECK(sp_constant(m, FIRST + n + 7, &v) && v == 0);
    CHECK(sp_constant(m, FIRST + n + 10, &v) && v == 3);
    CHECK(sp_constant(m, FIRST + n + 13, &v) && v == 0x6000000000000005);
    CHECK_INT((int32_t)m->ids[FIRST + n + 9].bits[3], -7);
    sp_free(m);
}

TEST(specialisation)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    struct sp_spec spec[2] = {{7, 40}, {8, 0}};
    enum { S = FREE + 20, T, U, W };
    uint64_t v;
    draft_kernel(d);
    OP(NOTES, Decorate, S, SP_DECORATION_SpecId, 7);
    OP(NOTES, Decorate, T, SP_DECORATION_SpecId, 8);
    OP(TYPES, SpecConstant, I32, S, 3);
    OP(TYPES, SpecConstantTrue, BOOL, T);
    OP(TYPES, SpecConstantOp, I32, U, SP_OP_IAdd, S, C2);
    OP(TYPES, TypeArray, W, F32, U);
    finish(d);
    m = sp_parse(words_, assemble(d, words_), NULL, 0, true, NULL);
    CHECK(m && sp_constant(m, U, &v) && v == 5);
    CHECK(m && sp_type(m, W)->size == 20 && sp_constant(m, T, &v) && v == 1);
    sp_free(m);
    m = sp_parse(words_, assemble(d, words_), spec, 2, true, NULL);
    CHECK(m && sp_constant(m, U, &v) && v == 42);
    CHECK(m && sp_type(m, W)->size == 168 && sp_constant(m, T, &v) && v == 0);
    sp_free(m);
}

struct found {
    uint64_t at;
    uint32_t variable, count;
    int64_t offset;
};
static void note_address(void *user, uint64_t at, uint32_t variable, int64_t offset)
{
    struct found *f = user;
    f->at = at;
    f->variable = variable;
    f->offset = offset;
    f->count++;
}

TEST(addresses_in_constants)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    struct found f = {0, 0, 0, 0};
    enum { E5 = FREE + 20, NEXT, ST, KC, CAST, PI8 };
    uint32_t variable;
    uint8_t bytes[16];
    int64_t offset;
    uint64_t v;
    draft_kernel(d);
    OP(TYPES, Constant, I32, E5, 5);
    OP(TYPES, SpecConstantOp, PF, NEXT, SP_OP_InBoundsPtrAccessChain, GF, C2, E5); /* &gf[2][5] */
    OP(TYPES, TypePointer, PI8, SP_STORAGE_CrossWorkgroup, I8);
    OP(TYPES, SpecConstantOp, PI8, CAST, SP_OP_Bitcast, NEXT);
    OP(TYPES, TypeStruct, ST, I32, PI8);
    OP(TYPES, ConstantComposite, ST, KC, C1, CAST);
    m = read_draft(d);
    if (!m) return;
    CHECK(sp_constant_address(m, CAST, &variable, &offset) && variable == GF && offset == 2 * 64 + 20);
    CHECK(sp_constant_address(m, GF, &variable, &offset) && variable == GF && offset == 0);
    CHECK(!sp_constant(m, CAST, &v) && !sp_constant_address(m, C1, &variable, &offset));
    sp_constant_addresses(m, KC, note_address, &f);
    CHECK_INT(f.count, 1);
    CHECK_INT(f.at, 8);
    CHECK_INT(f.variable, GF);
    CHECK_INT(f.offset, 148);
    CHECK(sp_constant_bytes(m, KC, bytes) && bytes[0] == 1 && bytes[8] == 0);
    sp_free(m);
}

/* Offsets that a module says have any size: they wrap around, as addresses do (the sanitizer sees it if not). */
TEST(offsets_wrap_around)
{
    enum { HUGE = FREE + 20, ONCE, TWICE, Q0, Q1, CHAIN, MORE, AT, LARGE };
    static const uint64_t element = 0x7fffffffffffffff / 64; /* the array pointed to has 64 bytes */
    struct draft *d = &draft_;
    struct sp_text c = {0}, log = {0};
    struct cg_options options = {.default_subgroup_size = 16};
    uint32_t variable;
    int64_t offset = 0;
    draft_kernel(d);
    OP(TYPES, Constant, I64, HUGE, (uint32_t)element, (uint32_t)(element >> 32));
    OP(TYPES, SpecConstantOp, PGF, ONCE, SP_OP_PtrAccessChain, GF, HUGE);
    OP(TYPES, SpecConstantOp, PF, TWICE, SP_OP_InBoundsPtrAccessChain, ONCE, HUGE, C16);
    OP(TYPES, Constant, I64, LARGE, 0xffffffff, 0x7fffffff);
    OP(CODE, Variable, LA, AT, SP_STORAGE_Function);
    OP(CODE, InBoundsPtrAccessChain, PGF, Q0, GF, HUGE);
    OP(CODE, InBoundsPtrAccessChain, PF, Q1, Q0, HUGE, LARGE);
    OP(CODE, PtrAccessChain, LA, CHAIN, AT, HUGE);
    OP(CODE, PtrAccessChain, LF, MORE, CHAIN, HUGE, LARGE);
    OP(CODE, Store, Q1, F1);
    OP(CODE, Store, MORE, F1);
    struct sp_module *m = read_draft(d);
    if (!m) return;
    CHECK(sp_constant_address(m, TWICE, &variable, &offset) && variable == GF);
    CHECK(offset == (int64_t)(2 * 64 * element + 16 * sizeof(float)));
    for (int check = 0; check < 2; check++) {
        options.check = check;
        CHECK_MSG(cg_generate(m, &options, &c, &log), "%s", log.data ? log.data : "");
        sp_text_free(&c);
    }
    sp_free(m);
    sp_text_free(&log);
}

TEST(decoration_groups_are_expanded)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    const struct sp_decoration *all;
    enum { G = FREE + 20 };
    draft_kernel(d);
    OP(NOTES, Decorate, G, SP_DECORATION_Restrict);
    OP(NOTES, Decorate, G, SP_DECORATION_Alignment, 64);
    OP(NOTES, Decorate, P1, SP_DECORATION_Volatile);
    OP(NOTES, DecorationGroup, G);
    OP(NOTES, GroupDecorate, G, P0, P1);
    OP(NOTES, GroupMemberDecorate, G, NODE, 2);
    m = read_draft(d);
    if (!m) return;
    CHECK(sp_decorated(m, P0, SP_DECORATION_Restrict) && !sp_decorated(m, P0, SP_DECORATION_Volatile));
    CHECK(sp_decorated(m, P1, SP_DECORATION_Alignment) &&
          sp_decorated(m, P1, SP_DECORATION_Alignment)->operand[0] == 64);
    CHECK_INT(sp_decorations_of(m, P1, &all), 3);
    CHECK_INT(sp_decorations_of(m, NODE, &all), 2);
    CHECK(all[0].member == 2 && !sp_decorated(m, NODE, SP_DECORATION_Restrict));
    CHECK_INT(sp_decorations_of(m, MAIN, &all), 0);
    sp_free(m);
}

TEST(unreachable_blocks_go)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    const struct sp_function *f;
    draft_kernel(d);
    OP(CODE, BranchConditional, YES, A, A); /* two edges, one predecessor */
    OP(CODE, Label, B);
    OP(CODE, IAdd, I32, C, C, C1); /* meaningless, but never executed */
    OP(CODE, Branch, A);
    OP(CODE, Label, A);
    OP(CODE, Phi, I32, D, C1, START, C, B);
    m = read_draft(d);
    if (!m) return;
    f = &m->functions[0];
    CHECK_INT(f->block_count, 2);
    CHECK_INT(f->blocks[0].succ_count, 1);
    CHECK_INT(f->blocks[1].pred_count, 1);
    CHECK_INT(f->blocks[1].inst[0].count, 2);
    CHECK_INT(f->blocks[1].inst[0].operand[1], START);
    CHECK_INT(m->ids[C].what, SP_NOTHING);
    CHECK_INT(m->ids[B].what, SP_NOTHING);
    CHECK_INT(f->blocks[1].idom, 0);
    sp_free(m);
}

TEST(phi_names_one_twice_with_one_value)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    draft_kernel(d);
    OP(CODE, Switch, P1, A, 1, A); /* LLVM repeats a phi's pair for each case */
    OP(CODE, Label, A);
    OP(CODE, Phi, I32, C, C1, START, C1, START);
    m = read_draft(d);
    if (!m) return;
    CHECK_INT(m->functions[0].blocks[1].pred_count, 1);
    CHECK_INT(m->functions[0].blocks[1].inst[0].count, 2);
    sp_free(m);
}

/* Any graph of up to 24 blocks: immediate dominators against their definition, by removing each block in turn. */
static uint32_t reached(const struct sp_function *f, uint32_t without)
{
    uint32_t seen = without == 0 ? 0 : 1, old = 0, b, k;
    while (seen != old) {
        old = seen;
        for (b = 0; b < f->block_count; b++)
            if (seen >> b & 1)
                for (k = 0; k < f->blocks[b].succ_count; k++)
                    if (f->blocks[b].succ[k] != without) seen |= 1u << f->blocks[b].succ[k];
    }
    return seen;
}

static void check_dominators(const struct sp_function *f)
{
    uint32_t dominated[24], b, a, all = (1u << f->block_count) - 1;
    for (a = 0; a < f->block_count; a++) dominated[a] = all & ~reached(f, a);
    for (b = 1; b < f->block_count; b++) {
        uint32_t want = 0;
        for (a = 0; a < f->block_count; a++) /* of b's strict dominators the one that all others dominate */
            if (a != b && dominated[a] >> b & 1 && dominated[want] >> a & 1) want = a;
        if (f->blocks[b].idom != want) {
            test_fail(__FILE__, __LINE__, "block %u: idom %u, want %u", b, f->blocks[b].idom, want);
            return;
        }
    }
}

TEST(dominators_of_random_graphs)
{
    struct draft *d = &draft_;
    uint32_t round, blocks = 0;
    for (round = 0; round < 400; round++) {
        uint32_t n = 2 + (uint32_t)(test_random() % 23), b, k;
        struct sp_module *m;
        draft_kernel(d);
        for (b = 0; b < n; b++) {
            uint32_t targets = (uint32_t)(test_random() % 4), to[3];
            for (k = 0; k < 3; k++) to[k] = FREE + 1 + (uint32_t)(test_random() % (n - 1));
            if (targets == 1 || b == 0)
                OP(CODE, Branch, to[0]);
            else if (targets == 2)
                OP(CODE, BranchConditional, YES, to[0], to[1]);
            else if (targets == 3)
                OP(CODE, Switch, P1, to[0], 1, to[1], 2, to[2]);
            else
                OP0(CODE, Return);
            if (b + 1 < n) OP(CODE, Label, FREE + 1 + b);
        }
        OP(CODE, Label, FREE + n);
        m = read_draft(d);
        if (!m) return;
        blocks += m->functions[0].block_count;
        check_dominators(&m->functions[0]);
        sp_free(m);
    }
    CHECK(blocks > 2000);
}

TEST(a_long_function_is_read_in_time)
{
    enum { BLOCKS = 60000 };
    uint32_t *w = malloc(sizeof words_ + BLOCKS * 8 * sizeof *w), n, b, label = FREE + 10;
    struct draft *d = &draft_;
    struct timespec from, to;
    struct sp_module *m;
    struct sp_text log = {0};
    double seconds;
    draft_kernel(d);
    d->bound = label + BLOCKS + 10;
    n = assemble(d, w);
    for (b = 0; b < BLOCKS; b++) { /* irreducible jumps back and forth */
        w[n++] = 4 << 16 | SP_OP_BranchConditional;
        w[n++] = YES;
        w[n++] = label + b;
        w[n++] = label + (b * 7919u) % BLOCKS;
        w[n++] = 2 << 16 | SP_OP_Label;
        w[n++] = label + b;
    }
    w[n++] = 1 << 16 | SP_OP_Return;
    w[n++] = 1 << 16 | SP_OP_FunctionEnd;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    m = sp_parse(w, n, NULL, 0, true, &log);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
    CHECK_MSG(m != NULL, "%s", log.data ? log.data : "");
    CHECK_MSG(seconds < 5, "%.2f s", seconds); /* a quadratic algorithm would take minutes */
    if (m) CHECK_INT(m->functions[0].block_count, BLOCKS + 1);
    sp_free(m);
    sp_text_free(&log);
    free(w);
}

TEST(compiled_opencl_c_is_read)
{
    struct sp_text log = {0};
    struct sp_module *m = sp_parse(reader_kernels, sizeof reader_kernels / 4, NULL, 0, true, &log);
    CHECK_MSG(m != NULL, "%s", log.data ? log.data : "");
    sp_text_free(&log);
    if (!m) return;
    CHECK_INT(m->entry_count, 3);
    CHECK_STR(m->entries[1].name, "list");
    CHECK(m->opencl_std != 0);
    sp_free(m);
}

TEST(names_of_instructions)
{
    CHECK_STR(sp_op_name(SP_OP_IAdd), "OpIAdd");
    CHECK_STR(sp_op_name(65535), "unknown instruction");
    CHECK_STR(sp_ext_name(26), "fma");
    CHECK_STR(sp_ext_name(204), "u_mad_hi");
    CHECK(sp_ext_name(120) == NULL && sp_ext_name(9999) == NULL);
}

TEST(text_grows)
{
    struct sp_text t = {0};
    int i;
    for (i = 0; i < 3000; i++) sp_text_add(&t, "%d,", i % 10);
    CHECK_INT(t.size, 6000);
    CHECK(!t.failed && t.data && strncmp(t.data, "0,1,2,", 6) == 0 && strlen(t.data) == 6000);
    sp_text_free(&t);
    CHECK(t.data == NULL && t.size == 0);
}

/* ---- mutants: whatever the words, no crash, no hang; and what is taken can be walked as the header promises */

static uint64_t walk_block(const struct sp_module *m, const struct sp_function *f, const struct sp_block *b)
{
    uint64_t sum = 0;
    uint32_t k, j;
    for (k = 0; k < b->succ_count; k++) sum += f->blocks[b->succ[k]].label;
    for (k = 0; k < b->pred_count; k++) sum += f->blocks[b->pred[k]].label;
    for (k = 0; k < b->count; k++) {
        const struct sp_inst *i = &b->inst[k];
        if (i->type) sum += (uint64_t)sp_type(m, i->type)->size;
        for (j = 0; j < i->count; j++) sum += i->operand[j];
        if (i->op == SP_OP_Phi)
            for (j = 0; j < i->count; j += 2)
                sum += (uint64_t)sp_type(m, m->ids[i->operand[j]].type)->kind +
                       f->blocks[m->ids[i->operand[j + 1]].block].label;
    }
    return sum;
}

static uint64_t walk_module(const struct sp_module *m)
{
    static uint8_t bytes[1 << 16];
    uint64_t sum = 0, v;
    uint32_t i, k;
    struct found found = {0, 0, 0, 0};
    for (i = 0; i < m->function_count; i++)
        for (k = 0; k < m->functions[i].block_count; k++)
            sum += walk_block(m, &m->functions[i], &m->functions[i].blocks[k]);
    for (i = 0; i < m->bound; i++) {
        const struct sp_type *t = m->ids[i].type ? sp_type(m, m->ids[i].type) : NULL;
        if (m->ids[i].what != SP_IS_CONSTANT) continue;
        if (t->size <= sizeof bytes && sp_constant_bytes(m, i, bytes)) sum += bytes[0];
        if (t->size <= sizeof bytes) sp_constant_addresses(m, i, note_address, &found);
        if (sp_constant(m, i, &v)) sum += v;
    }
    for (i = 0; i < m->entry_count; i++)
        sum += strlen(m->entries[i].name) + m->functions[m->entries[i].function].block_count;
    return sum + found.count;
}

/* Changes a word here and there; most changes keep the instructions' lengths so that they get past the decoder. */
static uint32_t mutate(const uint32_t *from, uint32_t n, uint32_t *to)
{
    uint32_t changes = 1 + (uint32_t)(test_random() % 3), i;
    memcpy(to, from, n * sizeof *to);
    while (changes--) {
        uint32_t at = 5 + (uint32_t)(test_random() % (n - 5));
        switch (test_random() % 9) {
        case 0: to[at] ^= 1u << (test_random() % 32); break;
        case 1: to[at] = (uint32_t)test_random(); break;
        case 2: to[at] = to[5 + test_random() % (n - 5)]; break; /* another word of the module */
        case 3:
        case 4: to[at] = 1 + (uint32_t)(test_random() % to[3]); break;                    /* another id */
        case 5: to[at] = (to[at] & 0xffff0000u) | (uint32_t)(test_random() % 450); break; /* another opcode */
        case 6: to[at] += (uint32_t)(test_random() % 3) - 1; break;
        case 7: /* remove a word */
            for (i = at; i + 1 < n; i++) to[i] = to[i + 1];
            n--;
            break;
        default: /* insert a word */
            for (i = n; i > at; i--) to[i] = to[i - 1];
            n++;
        }
    }
    if (test_random() % 50 == 0) to[test_random() % 5] = (uint32_t)test_random();
    return n;
}

static void run_mutants(const uint32_t *from, uint32_t n, int rounds, bool strict)
{
    uint32_t *to = malloc((n + 16) * sizeof *to);
    uint64_t sum = 0;
    int taken = 0, silent = 0, i;
    for (i = 0; i < rounds; i++) {
        struct sp_text log = {0};
        struct sp_module *m = sp_parse(to, mutate(from, n, to), NULL, 0, strict, &log);
        if (m) {
            sum += walk_module(m);
            taken++;
        } else if (!log.size) {
            silent++;
        }
        sp_free(m);
        sp_text_free(&log);
    }
    CHECK_INT(silent, 0); /* every refusal says why */
    CHECK_MSG(taken > rounds / 100, "only %d of %d mutants were taken: too few to mean much", taken, rounds);
    CHECK_MSG(taken < rounds, "all %d mutants were taken (%llu)", rounds, (unsigned long long)sum);
    printf("%d mutants, %d of them taken\n", rounds, taken);
    free(to);
}

/* Reports some of a kind, and how many more there are. */
TEST(warnings_are_few)
{
    struct draft *d = &draft_;
    struct sp_text log = {0};
    uint32_t lines = 0;
    draft_kernel(d);
    for (uint32_t k = 0; k < 20; k++) OP(CODE, IAdd, I32, FREE + k, FREE + 100, C1);
    OP(CODE, IAdd, I32, FREE + 100, C1, C1);
    finish(d);
    struct sp_module *m = sp_parse(words_, assemble(d, words_), NULL, 0, false, &log);
    CHECK_MSG(m != NULL, "%s", log.data);
    for (const char *c = m ? m->warnings.data : ""; *c; c++) lines += *c == '\n';
    CHECK_INT(lines, 5);
    if (m) CHECK_HAS(m->warnings.data, "17 more");
    sp_free(m);
    sp_text_free(&log);
}

TEST(mutants_of_compiled_kernels) { run_mutants(reader_kernels, sizeof reader_kernels / 4, 20000, true); }
TEST(mutants_taken_with_warnings) { run_mutants(reader_kernels, sizeof reader_kernels / 4, 20000, false); }

/* A module with a little of everything that compiled kernels lack. */
static void draft_everything(struct draft *d)
{
    enum { BD = FREE, ZERO2, N8, U8V, M0, M1, MA, MB, MC, VAR, G };
    enum { ONE = G + 1, TWO, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, L1, L2, L3, T8, PS };
    draft_kernel(d);
    OP(HEAD, ExecutionMode, MAIN, SP_MODE_SubgroupSize, 16);
    OP(NOTES, Decorate, G, SP_DECORATION_Aliased);
    OP(NOTES, Decorate, ONE, SP_DECORATION_SpecId, 3);
    OP(NOTES, DecorationGroup, G);
    OP(NOTES, GroupDecorate, G, P0, P1);
    OP(TYPES, TypeVector, BD, F32, 8);
    OP(TYPES, TypeVector, U8V, I32, 8);
    OP(TYPES, TypeVector, T8, I16, 8);
    OP(TYPES, ConstantNull, BD, M0);
    OP(TYPES, ConstantNull, U8V, MB);
    OP(TYPES, ConstantNull, T8, MA);
    OP(TYPES, ConstantComposite, V2I, ZERO2, C0, C0);
    OP(TYPES, SpecConstant, I32, ONE, 1);
    OP(TYPES, SpecConstantOp, I32, TWO, SP_OP_IAdd, ONE, C1);
    OP(TYPES, SpecConstantOp, PF, PS, SP_OP_InBoundsPtrAccessChain, GF, C0, C1);
    OP(CODE, Variable, LA, VAR, SP_STORAGE_Function);
    OP(CODE, Subgroup2DBlockLoadINTEL, C2, C16, C1, C1, P0, P1, P1, P1, ZERO2, VAR);
    OP(CODE, SubgroupMatrixMultiplyAccumulateINTEL, BD, MC, C16, MA, MB, M0, 0xc00);
    OP(CODE, CompositeExtract, F32, X1, MC, 3);
    OP(CODE, Store, P0, X1, SP_ACCESS_Aligned, 4);
    OP(CODE, Branch, L1);
    OP(CODE, Label, L1);
    OP(CODE, Phi, I32, X2, C0, START, X3, L2);
    OP(CODE, SLessThan, BOOL, X4, X2, P1);
    OP(CODE, BranchConditional, X4, L2, L3);
    OP(CODE, Label, L2);
    OP(CODE, IAdd, I32, X3, X2, TWO);
    OP(CODE, GroupNonUniformIAdd, I32, X5, C2, SP_GROUP_Reduce, X3);
    OP(CODE, ExtInst, F32, X6, EXT, 26, X1, X1, F1);
    OP(CODE, ExtInst, V4F, X7, EXT, 171, L0, P0, 4);
    OP(CODE, VectorShuffle, V3F, X8, X7, X7, 0, 5, 2);
    OP(CODE, InBoundsAccessChain, LF, X9, VAR, X2);
    OP(CODE, Store, X9, X6);
    OP(CODE, Store, PS, X6);
    OP(CODE, AtomicFAddEXT, F32, X10, P0, C1, C0, X6);
    OP(CODE, ControlBarrier, C2, C2, C16);
    OP(CODE, Switch, X5, L1, 1, L3);
    OP(CODE, Label, L3);
}

TEST(mutants_of_a_bit_of_everything)
{
    struct draft *d = &draft_;
    struct sp_module *m;
    uint32_t n;
    draft_everything(d);
    m = read_draft(d);
    sp_free(m);
    n = assemble(d, words_);
    run_mutants(words_, n, 40000, true);
    run_mutants(words_, n, 40000, false);
}

static void run_instructions(void)
{
    RUN(unknown_opcode);
    RUN(instruction_of_shaders);
    RUN(too_few_operands);
    RUN(too_many_operands);
    RUN(id_above_bound);
    RUN(result_above_bound);
    RUN(id_zero);
    RUN(result_type_is_no_type);
    RUN(defined_twice);
    RUN(undefined_operand);
    RUN(used_before_defined);
    RUN(operand_is_a_type);
    RUN(operand_is_a_label);
    RUN(operand_is_a_function);
    RUN(add_of_floats_as_integers);
    RUN(add_of_mixed_widths);
    RUN(add_of_mixed_kinds);
    RUN(compare_to_integer);
    RUN(convert_changes_count);
    RUN(bitcast_changes_size);
    RUN(load_of_another_type);
    RUN(load_through_a_number);
    RUN(store_of_another_type);
    RUN(odd_alignment);
    RUN(alignment_missing);
    RUN(chain_into_a_number);
    RUN(chain_to_another_type);
    RUN(chain_of_another_storage);
    RUN(chain_with_float_index);
    RUN(extract_out_of_range);
    RUN(construct_too_short);
    RUN(shuffle_out_of_range);
}

static void run_functions(void)
{
    RUN(variable_of_module_in_function);
    RUN(huge_private_variable);
    RUN(condition_is_no_bool);
    RUN(jump_to_a_value);
    RUN(jump_to_the_entry_block);
    RUN(jump_into_another_function);
    RUN(block_without_terminator);
    RUN(code_behind_terminator);
    RUN(switch_case_cut_short);
    RUN(switch_on_a_type);
    RUN(switch_on_a_label);
    RUN(switch_on_nothing);
    RUN(switch_on_a_float);
    RUN(switch_on_a_type_in_an_unreachable_block);
    RUN(value_from_one_side);
    RUN(phi_lacks_a_predecessor);
    RUN(phi_of_a_stranger);
    RUN(phi_names_one_twice_with_two_values);
    RUN(phi_of_another_type);
    RUN(phi_behind_other_instructions);
    RUN(phi_of_a_value_that_comes_later);
    RUN(return_value_in_void);
    RUN(call_with_too_few_arguments);
    RUN(call_of_a_value);
    RUN(pointer_call_of_a_number);
    RUN(pointer_call_of_nothing);
    RUN(function_pointer_to_a_number);
    RUN(function_pointer_of_a_constant);
    RUN(call_of_the_kernel);
    RUN(parameter_missing);
    RUN(recursion);
    RUN(calls_too_deep);
}

static void run_types(void)
{
    RUN(array_as_long_as_a_float);
    RUN(array_of_none);
    RUN(array_too_large);
    RUN(types_too_deep);
    RUN(struct_of_itself);
    RUN(vector_of_five);
    RUN(vector_of_five_by_id);
    RUN(vector_of_none);
    RUN(vector_of_65);
    RUN(vector_as_long_as_a_float);
    RUN(vectors_of_any_length);
    RUN(vector_of_pointers);
    RUN(integer_of_no_bits);
    RUN(integer_of_65_bits);
    RUN(vector_of_24_bit_integers);
    RUN(float_of_80_bits);
    RUN(image_of_cubes);
    RUN(image_of_samples);
    RUN(image_array_of_volumes);
    RUN(image_with_format);
    RUN(image_of_unknown_access);
    RUN(image_of_pointers);
    RUN(sampled_integer);
    RUN(sampled_buffer);
    RUN(sampler_of_no_mode);
    RUN(sampler_that_is_a_number);
    RUN(sampler_in_memory);
    RUN(samplers_in_an_array);
    RUN(sampled_image_in_memory);
    RUN(sampled_image_of_another_type);
    RUN(sample_of_an_image);
    RUN(sample_by_few_coordinates);
    RUN(sample_with_offset);
    RUN(sample_at_a_type);
    RUN(read_of_what_is_written);
    RUN(read_by_floats);
    RUN(read_of_three_channels);
    RUN(read_of_f64);
    RUN(write_of_what_is_read);
    RUN(write_of_bools);
    RUN(write_to_a_pointer);
    RUN(size_of_three_dimensions);
    RUN(forward_pointer_left_open);
    RUN(forward_pointer_of_another_class);
}

static void run_constants(void)
{
    RUN(composite_of_wrong_members);
    RUN(composite_too_short);
    RUN(bool_constant_as_integer);
    RUN(constant_of_a_pointer_type);
    RUN(constant_cut_short);
    RUN(spec_chain_through_a_forward_pointer);
    RUN(spec_op_of_a_variable);
    RUN(spec_op_unknown);
    RUN(spec_op_in_itself);
    RUN(spec_op_widths_differ);
    RUN(global_with_wrong_initialiser);
    RUN(local_memory_with_initialiser);
    RUN(local_memory_with_many_parts);
    RUN(struct_of_many_parts);
    RUN(extract_of_no_part);
    RUN(insert_of_no_part);
    RUN(built_in_that_is_missing);
    RUN(built_in_of_wrong_type);
}

static void run_modules(void)
{
    RUN(type_behind_functions);
    RUN(type_inside_a_function);
    RUN(capability_missing);
    RUN(inline_assembly);
    RUN(capability_late);
    RUN(extension_missing);
    RUN(instruction_set_missing);
    RUN(string_without_end);
    RUN(addressing_of_32_bits);
    RUN(no_memory_model);
    RUN(entry_of_a_value);
    RUN(entry_for_graphics);
    RUN(two_kernels_of_one_name);
    RUN(mode_missing);
    RUN(mode_of_no_entry);
    RUN(mode_of_zero);
    RUN(group_that_is_none);
}

static void run_extensions(void)
{
    RUN(ext_unknown);
    RUN(ext_of_wrong_type);
    RUN(ext_with_too_many);
    RUN(ext_frexp_to_floats);
    RUN(ext_vload_count);
    RUN(atomic_on_vectors);
    RUN(block_of_three_bytes);
    RUN(block_size_from_a_parameter);
    RUN(block_too_large);
    RUN(dpas_rows_differ);
    RUN(dpas_bits_without_extension);
    RUN(dpas_bits_of_scales);
    RUN(scaled_dpas_of_one_scale);
    RUN(scaled_dpas_of_float_scales);
}

static void run_refusals(void)
{
    run_instructions();
    run_functions();
    run_types();
    run_constants();
    run_modules();
    run_extensions();
}

int main(void)
{
    run_refusals();
    RUN(header_is_checked);
    RUN(every_cut_is_refused);
    RUN(kernel_is_read);
    RUN(modes_reach_every_kernel_of_a_function);
    RUN(either_byte_order);
    RUN(sizes_are_those_of_opencl);
    RUN(constants_have_bytes);
    RUN(spec_operations);
    RUN(spec_operations_in_every_state);
    RUN(specialisation);
    RUN(addresses_in_constants);
    RUN(offsets_wrap_around);
    RUN(decoration_groups_are_expanded);
    RUN(unreachable_blocks_go);
    RUN(phi_names_one_twice_with_one_value);
    RUN(dominators_of_random_graphs);
    RUN(a_long_function_is_read_in_time);
    RUN(compiled_opencl_c_is_read);
    RUN(names_of_instructions);
    RUN(text_grows);
    RUN(mutants_of_compiled_kernels);
    RUN(mutants_taken_with_warnings);
    RUN(mutants_of_a_bit_of_everything);
    RUN(values_that_define_each_other);
    RUN(value_of_a_block_that_goes);
    RUN(warnings_are_few);
    return test_report();
}
