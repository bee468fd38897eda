/* coop.c - cooperative matrices of SPV_KHR_cooperative_matrix.
 *
 * A matrix is a composite with a component for each S of its elements, in row-major order (prelude_coop.h). Arithmetic
 * on elements, conversions and access to components are those of composites (ops.c). Loads, stores and products call
 * helpers that treat it as a plain array.
 */
#include "codegen.h"

static enum cg_kind kind_of(struct cg *g, const struct sp_type *t) { return cg_leaves_of(g, t->elem)->leaf[0].kind; }

/* Loads and stores differ in the operands for pointer, layout and stride. */
static const char *place(struct cg *g, const struct sp_type *t, uint32_t pointer, uint32_t layout, uint32_t stride)
{
    uint64_t by_columns = 0;
    const struct sp_type *p = cg_pointee(g, pointer);
    enum cg_kind kind = cg_kind_of(g, stride);
    sp_constant(g->m, layout, &by_columns);
    return cg_str(g, "%s, (u64)(i64)(%s)(%s) * %lluu, %d, %u, %u", cg_use(g, pointer, false),
                  cg_kind_signed(g, kind, false), cg_use(g, stride, false), (unsigned long long)p->size,
                  by_columns == SP_LAYOUT_ColumnMajorKHR, t->rows, t->cols);
}

static void write_load(struct cg *g)
{
    const struct sp_type *t = sp_type(g->m, g->w->inst->type);
    const char *bits = cg_kind_name(cg_bits_kind(cg_kind_bytes(kind_of(g, t))));
    const char *whole = cg_temporary(g, cg_type_name(g, t->id, true));
    if (g->private[cg_operand(g, 0)].variable) {
        cg_fail(g, "a matrix is loaded from a private variable");
        return;
    }
    cg_put(g, "    __builtin_memset(&%s, 0, sizeof %s);\n    coop_load_%s((%s *)&%s, %s);\n", whole, whole, bits, bits,
           whole, place(g, t, cg_operand(g, 0), cg_operand(g, 1), cg_operand(g, 2)));
    cg_set_whole(g, whole, true);
}

static void write_store(struct cg *g)
{
    const struct sp_type *t = cg_type_of(g, cg_operand(g, 1));
    const char *bits = cg_kind_name(cg_bits_kind(cg_kind_bytes(kind_of(g, t))));
    if (g->private[cg_operand(g, 0)].variable) {
        cg_fail(g, "a matrix is stored to a private variable");
        return;
    }
    cg_put(g, "    coop_store_%s((const %s *)&%s, %s);\n", bits, bits, cg_use_whole(g, cg_operand(g, 1), true),
           place(g, t, cg_operand(g, 0), cg_operand(g, 2), cg_operand(g, 3)));
}

/* The text that converts an element to the type of sums. */
static const char *widening(struct cg *g, enum cg_kind kind, bool is_signed)
{
    if (cg_kind_is_small_float(kind)) return cg_str(g, "%s_to_f32", cg_kind_name(kind));
    if (cg_kind_is_float(kind) || !is_signed) return "";
    return cg_str(g, "(%s)", cg_kind_signed(g, kind, false));
}

static void write_multiply(struct cg *g)
{
    const struct sp_type *t[4] = {cg_type_of(g, cg_operand(g, 0)), cg_type_of(g, cg_operand(g, 1)),
                                  cg_type_of(g, cg_operand(g, 2)), sp_type(g->m, g->w->inst->type)};
    uint32_t how = g->w->inst->count > 3 ? cg_operand(g, 3) : 0;
    enum cg_kind kind[4];
    const char *names = "", *from[3], *types[4], *to, *wide, *whole[3];
    bool real = false, saturates = how & 16;
    for (uint32_t i = 0; i < 4; i++) {
        kind[i] = kind_of(g, t[i]);
        types[i] = cg_kind_type(g, kind[i], false);
        names = cg_str(g, "%s_%s", names, cg_kind_name(kind[i]));
        real = real || cg_kind_is_float(kind[i]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (real && !cg_kind_is_float(kind[i])) cg_fail(g, "a product of numbers and integers");
        from[i] = widening(g, kind[i], how >> i & 1);
        whole[i] = cg_use_whole(g, cg_operand(g, i), true);
    }
    if (real && !cg_kind_is_float(kind[3])) cg_fail(g, "a product of numbers that is an integer");
    wide = real ? (kind[0] == CG_F64 || kind[2] == CG_F64 ? "f64" : "f32") : "u64";
    to = cg_kind_is_small_float(kind[3])
             ? cg_str(g, "f32_to_%s%s", cg_kind_name(kind[3]), kind[3] == CG_E4M3 || kind[3] == CG_E5M2 ? "_rne" : "")
         : real || !saturates ? ""
                              : cg_str(g, "sat_%s_u64_%s", how & 8 ? "s_to_s" : "u_to_u", cg_kind_name(kind[3]));
    const char *name = cg_str(g, "coop_multiply%s_%u_%u_%u_%u", names, how & 31, t[0]->rows, t[1]->cols, t[0]->cols);
    CG_HELPER (name)
        cg_put(g,
               "#ifndef XS_%s\n#define XS_%s\nXS_COOP_MULTIPLY(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %u, %u, "
               "%u)\n#endif\n",
               name, name, name, wide, types[0], from[0], types[1], from[1], types[2], from[2], types[3], to,
               t[0]->rows, t[1]->cols, t[0]->cols);
    cg_add_frame(g, 8ull * (t[0]->rows * t[0]->cols + t[1]->rows * t[1]->cols + 2 * t[3]->rows * t[3]->cols));
    const char *result = cg_temporary(g, cg_type_name(g, t[3]->id, true));
    cg_put(g,
           "    __builtin_memset(&%s, 0, sizeof %s);\n    %s((%s *)&%s, (const %s *)&%s, (const %s *)&%s, (const %s "
           "*)&%s);\n",
           result, result, name, types[3], result, types[0], whole[0], types[1], whole[1], types[2], whole[2]);
    cg_set_whole(g, result, true);
}

bool cg_write_coop(struct cg *g)
{
    switch (g->w->inst->op) {
    case SP_OP_CooperativeMatrixLoadKHR: write_load(g); return true;
    case SP_OP_CooperativeMatrixStoreKHR: write_store(g); return true;
    case SP_OP_CooperativeMatrixMulAddKHR: write_multiply(g); return true;
    case SP_OP_CooperativeMatrixLengthKHR:
        cg_set_leaf(g, 0, cg_str(g, "%uu", cg_leaves_of(g, cg_operand(g, 0))->count));
        return true;
    default: return false;
    }
}
