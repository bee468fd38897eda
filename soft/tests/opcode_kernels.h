/* opcode_kernels.h - kernels of one instruction each, with operands as its row in the reader's table of rules requires,
 * of several widths and lengths, uniform or not.
 */
#ifndef XETILE_SOFT_OPCODE_KERNELS_H
#define XETILE_SOFT_OPCODE_KERNELS_H

#include "spirv/reader.h"
#include "spirv_emit.h"

#include <string.h>

enum { LAST_OPCODE = SP_RULE_OPS };

/* Sources of operands. */
struct variant {
    uint32_t int_bits, float_bits, count;
    bool varying;
};
static const struct variant variants[] = {
    {32, 32, 1, true},  {32, 32, 4, true}, {8, 16, 4, true},  {16, 32, 1, true},  {64, 64, 1, true},
    {32, 32, 1, false}, {8, 32, 1, true},  {16, 64, 2, true}, {64, 16, 8, false}, {32, 64, 3, false},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

struct writer {
    spe_module *m;
    const struct variant *v;
    spe_id item, operand_type[16], result;
};

static spe_id any_int(struct writer *w) { return spe_int(w->m, w->v->int_bits); }
static spe_id any_float(struct writer *w) { return spe_float(w->m, w->v->float_bits); }
static spe_id of_count(struct writer *w, spe_id t) { return w->v->count > 1 ? spe_vec(w->m, t, w->v->count) : t; }
static spe_id vector_of(struct writer *w, spe_id t) { return spe_vec(w->m, t, w->v->count > 1 ? w->v->count : 4); }

/* A value of any type, from the work-item's number. */
static spe_id value_of(struct writer *w, spe_id type)
{
    spe_module *m = w->m;
    spe_id scalar = spe_scalar_of(m, type), item = w->item;
    spe_kind kind = spe_info(m, scalar).kind;
    if (kind == SPE_KIND_BOOL)
        item = spe_ult(m, item, spe_u32(m, 3));
    else
        item = spe_cast(m, scalar, item, false);
    return scalar == type ? item : spe_splat(m, type, item);
}

static spe_id pointer_to(struct writer *w, spe_id elem) { return spe_ptr_cast(w->m, spe_param_id(w->m, 0), elem); }

/* ---- operands by the words of a rule */

static bool is_any_of(char c, const char *letters) { return c && strchr(letters, c); }

/* The type that a word asks for; 0: a literal. */
static spe_id type_of_word(struct writer *w, const char *word)
{
    spe_module *m = w->m;
    const char *relation = is_any_of(*word, "=#_^>@?0123456789") ? word : word + 1;
    spe_type_info result = spe_info(m, w->result);
    switch (*relation) {
    case '=': return w->result;
    case '_': return spe_scalar_of(m, w->result);
    case '^': return vector_of(w, w->result);
    case '?': return spe_bool(m);
    case '@': return spe_info(m, w->operand_type[relation[1] - '0']).elem;
    case '#': {
        spe_id scalar = *word == 'f' ? any_float(w) : *word == 'b' ? spe_bool(m) : any_int(w);
        return result.kind == SPE_KIND_VECTOR ? spe_vec(m, scalar, result.count) : scalar;
    }
    default: break;
    }
    if (is_any_of(*relation, "0123456789")) return w->operand_type[*relation - '0'];
    switch (*word) {
    case 'i': return of_count(w, any_int(w));
    case 'f':
    case 'n':
    case 'v': return of_count(w, any_float(w));
    case 'b': return of_count(w, spe_bool(m));
    case 'I':
    case 'K': return any_int(w);
    case 'F':
    case 'N': return any_float(w);
    case 'B': return spe_bool(m);
    case 's': return spe_int(m, 32);
    case 'V': return vector_of(w, any_float(w));
    case 'U': return spe_vec(m, spe_int(m, 32), 4);
    case 'a': return of_count(w, any_int(w));
    default: return 0;
    }
}

static const char *next_word(const char *w)
{
    while (*w && *w != ' ') w++;
    while (*w == ' ') w++;
    return w;
}

/* One operand; its type is noted. `pointee`: of pointers whose rule does not say what they point to. */
static spe_id operand_of_word(struct writer *w, const char *word, uint32_t k, spe_id pointee)
{
    spe_id v;
    if (*word == '.') return 0;
    if (*word == 'p')
        v = is_any_of(word[1], "0123456789") ? pointer_to(w, spe_info(w->m, w->operand_type[word[1] - '0']).elem)
                                             : pointer_to(w, word[1] == '>' ? w->result : pointee);
    else if (*word == 's') /* a subgroup; as semantics: acquire and release */
        v = spe_u32(w->m, k == 0 || (word[1] == ' ' && word[2] == 's') ? 3 : 8);
    else if (*word == 'K')
        v = spe_const_u(w->m, any_int(w), 4);
    else
        v = value_of(w, type_of_word(w, word));
    w->operand_type[k] = spe_type_of(w->m, v);
    return v;
}

/* The instruction, with the operands its rule must have. */
static void write_by_words(struct writer *w, uint32_t op, const char *words, spe_id pointee)
{
    uint32_t operand[16] = {0}, count = 0;
    const char *word = words;
    w->result = 0;
    if (*word == 'p')
        w->result = spe_ptr(w->m, SPE_StorageClassCrossWorkgroup, pointee);
    else if (*word != '-')
        w->result = type_of_word(w, word);
    for (word = next_word(word); *word && *word != '*' && *word != '|'; word = next_word(word)) {
        operand[count] = operand_of_word(w, word, count, pointee);
        count++;
    }
    if (w->result)
        spe_op(w->m, op, w->result, count, operand);
    else
        spe_op_void(w->m, op, count, operand);
}

/* ---- not expressed by words: blocks and matrices */

static void write_block(struct writer *w, uint32_t op)
{
    spe_module *m = w->m;
    spe_id mine = spe_local_var(m, spe_array(m, spe_int(m, 32), 8)), zero = spe_builtin(m, SPE_GROUP_ID, 0);
    spe_block2d b = {4, 8, 8, 1, pointer_to(w, spe_int(m, 32)), spe_i32(m, 64), spe_i32(m, 8), spe_i32(m, 64), 0, 0};
    b.pos_x = b.pos_y = zero;
    switch (op) {
    case SP_OP_Subgroup2DBlockLoadINTEL: spe_block2d_load(m, &b, mine); return;
    case SP_OP_Subgroup2DBlockLoadTransposeINTEL: spe_block2d_load_transpose(m, &b, mine); return;
    case SP_OP_Subgroup2DBlockStoreINTEL: spe_block2d_store(m, &b, mine); return;
    case SP_OP_Subgroup2DBlockPrefetchINTEL: spe_block2d_prefetch(m, &b); return;
    default:
        b.elem_bytes = 2;
        b.width = 16;
        spe_block2d_load_transform(m, &b, mine);
    }
}

static void write_product(struct writer *w)
{
    spe_module *m = w->m;
    spe_id sum = value_of(w, spe_vec(m, spe_float(m, 32), 8));
    spe_dpas(m, spe_type_of(m, sum), 16, value_of(w, spe_vec(m, spe_int(m, 16), 8)),
             value_of(w, spe_vec(m, spe_int(m, 32), 8)), sum,
             SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedFloat16INTEL |
                 SPE_MatrixMultiplyAccumulateOperandsMatrixBPackedFloat16INTEL);
}

static void write_scaled_product(struct writer *w)
{
    spe_module *m = w->m;
    spe_id sum = value_of(w, spe_vec(m, spe_float(m, 32), 8)), scale = value_of(w, spe_int(m, 8));
    spe_dpas_scaled(m, spe_type_of(m, sum), 32, value_of(w, spe_vec(m, spe_int(m, 16), 8)),
                    value_of(w, spe_vec(m, spe_int(m, 32), 8)), sum, scale, scale,
                    SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedFloat8E4M3INTEL |
                        SPE_MatrixMultiplyAccumulateOperandsMatrixBPackedFloat8E5M2INTEL |
                        SPE_MatrixMultiplyAccumulateOperandsScaleAFloat8E8M0INTEL |
                        SPE_MatrixMultiplyAccumulateOperandsScaleBFloat8E8M0INTEL);
}

static void write_matrix(struct writer *w, uint32_t op)
{
    spe_module *m = w->m;
    spe_id half = spe_float(m, 16), f32 = spe_float(m, 32), stride = spe_u32(m, 16);
    spe_id a = spe_coopmat(m, half, SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixAKHR);
    spe_id b = spe_coopmat(m, half, SPE_ScopeSubgroup, 16, 16, SPE_CooperativeMatrixUseMatrixBKHR);
    spe_id c = spe_coopmat(m, f32, SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixAccumulatorKHR);
    spe_id sum = spe_coop_load(m, c, pointer_to(w, f32), 0, stride), scale = value_of(w, f32);
    if (op == SP_OP_CooperativeMatrixStoreKHR) spe_coop_store(m, pointer_to(w, f32), sum, 1, stride);
    if (op == SP_OP_CooperativeMatrixLengthKHR) spe_coop_length(m, c);
    if (op == SP_OP_MatrixTimesScalar) spe_op(m, op, c, 2, (const uint32_t[]){sum, scale});
    if (op == SP_OP_CooperativeMatrixMulAddKHR)
        spe_coop_mma(m, spe_coop_load(m, a, pointer_to(w, half), 0, stride),
                     spe_coop_load(m, b, pointer_to(w, half), 0, stride), sum, 0);
}

static void write_control(struct writer *w, uint32_t op)
{
    spe_module *m = w->m;
    spe_id condition = value_of(w, spe_bool(m));
    static const int64_t literals[] = {1, 2};
    if (op == SP_OP_Switch) {
        spe_switch(m, value_of(w, spe_int(m, 32)), 2, literals);
        for (uint32_t i = 0; i < 2; i++) {
            spe_case(m, i);
            spe_endcase(m, 0, NULL);
        }
        spe_endswitch(m, 0, NULL);
        return;
    }
    spe_if(m, condition);
    if (op == SP_OP_Return) spe_return(m);
    spe_endif(m, 0, NULL, NULL);
}

/* False: it needs no special form. */
static bool write_apart(struct writer *w, uint32_t op)
{
    switch (op) {
    case SP_OP_Subgroup2DBlockLoadINTEL:
    case SP_OP_Subgroup2DBlockLoadTransformINTEL:
    case SP_OP_Subgroup2DBlockLoadTransposeINTEL:
    case SP_OP_Subgroup2DBlockPrefetchINTEL:
    case SP_OP_Subgroup2DBlockStoreINTEL: write_block(w, op); return true;
    case SP_OP_SubgroupMatrixMultiplyAccumulateINTEL: write_product(w); return true;
    case SP_OP_SubgroupScaledMatrixMultiplyAccumulateINTEL: write_scaled_product(w); return true;
    case SP_OP_MatrixTimesScalar:
    case SP_OP_CooperativeMatrixLoadKHR:
    case SP_OP_CooperativeMatrixStoreKHR:
    case SP_OP_CooperativeMatrixMulAddKHR:
    case SP_OP_CooperativeMatrixLengthKHR: write_matrix(w, op); return true;
    case SP_OP_Branch:
    case SP_OP_BranchConditional:
    case SP_OP_Switch:
    case SP_OP_Return: write_control(w, op); return true;
    case SP_OP_Variable: spe_local_var(w->m, any_int(w)); return true;
    case SP_OP_SampledImage:
    case SP_OP_ImageSampleExplicitLod:
    case SP_OP_ImageRead:
    case SP_OP_ImageWrite:
    case SP_OP_ImageQuerySizeLod:
    case SP_OP_ImageQuerySize:
    case SP_OP_ImageQueryFormat:
    case SP_OP_ImageQueryOrder:
    case SP_OP_ImageQueryLevels:
    case SP_OP_ConvertHandleToImageINTEL:
    case SP_OP_ConvertHandleToSampledImageINTEL: return true; /* in tests/opencl/images.cl, tests/soft/bindless.h */
    case SP_OP_CompositeConstruct:
        spe_splat(w->m, spe_vec(w->m, any_float(w), 4), value_of(w, any_float(w)));
        return true;
    case SP_OP_IAddCarry:
    case SP_OP_ISubBorrow:
    case SP_OP_UMulExtended:
    case SP_OP_SMulExtended: {
        spe_id t = of_count(w, any_int(w)), v = value_of(w, t), two[] = {t, t};
        spe_op(w->m, op, spe_struct(w->m, 2, two), 2, (const uint32_t[]){v, v});
        return true;
    }
    default: return false;
    }
}

/* ---- kernels and modules */

enum { POINTEES = 3 }; /* types to try for a pointer whose type the rule leaves open */

static void write_kernel(struct writer *w, uint32_t op, const char *name, uint32_t pointee)
{
    spe_module *m = w->m;
    spe_param param;
    spe_kernel kernel;
    memset(&param, 0, sizeof param);
    memset(&kernel, 0, sizeof kernel);
    param.type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 32));
    kernel.name = name;
    kernel.params = &param;
    kernel.param_count = 1;
    kernel.subgroup_size = 16;
    spe_kernel_begin(m, &kernel);
    w->item = spe_builtin(m, w->v->varying ? SPE_GLOBAL_ID : SPE_GROUP_ID, 0);
    spe_id elems[POINTEES] = {of_count(w, any_int(w)), of_count(w, any_float(w)), of_count(w, spe_int(m, 32))};
    if (!write_apart(w, op)) write_by_words(w, op, sp_rule_words(op), elems[pointee]);
    spe_kernel_end(m);
}

enum { WAYS = VARIANTS * POINTEES };

/* Kernel `name` of the instruction, in one of the WAYS. Not all of them are what the reader takes. */
static void write_way(spe_module *m, uint32_t op, const char *name, uint32_t way)
{
    struct writer w = {.m = m, .v = &variants[way % VARIANTS]};
    write_kernel(&w, op, name, way / VARIANTS);
}

#endif
