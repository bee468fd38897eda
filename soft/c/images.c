/* images.c - images: an instruction is a call to the driver (run/image.c) for all lanes, or for one if nothing varies.
 * Coordinates and channels are passed as rows of lanes (struct xs_image_access, abi.h).
 */
#include "codegen.h"

/* The instruction's operands; 0: none. The second leaf of a sampled image is its sampler. */
struct access {
    const char *function;
    uint32_t image, at, texel;
    bool varying;
};

static uint32_t coordinates(const struct sp_type *t)
{
    return (t->dim == SP_DIM_3D ? 3 : t->dim == SP_DIM_2D ? 2 : 1) + t->arrayed;
}

/* Declares up to `most` leaves of a value as rows of bits; f16 as f32. */
static void write_rows(struct cg *g, const struct access *a, const char *name, uint32_t id, uint32_t most)
{
    const struct cg_leaves *l = cg_value_leaves(g, id);
    const char *rows = "";
    for (uint32_t i = 0; i < l->count && i < most; i++) {
        enum cg_kind kind = l->leaf[i].kind;
        const char *e = cg_widen(g, kind, a->varying, cg_leaf_use(g, id, i, a->varying));
        rows = cg_str(g, "%s%s%s", rows, i ? ", " : "", cg_to_bits(g, kind == CG_F16 ? CG_F32 : kind, a->varying, e));
    }
    cg_put(g, "    %s %s[4] = {%s};\n", cg_kind_type(g, CG_U32, a->varying), name, rows);
}

/* Leaf i of the result, from row `row` of the texel. */
static void set_channel(struct cg *g, const struct access *a, uint32_t i, uint32_t row)
{
    enum cg_kind kind = cg_leaves_of(g, g->w->inst->type)->leaf[i].kind;
    const char *e = cg_str(g, "texel_[%u]", row);
    if (kind == CG_U64)
        e = a->varying ? cg_convert(g, e, CG_U32, CG_U64, false) : cg_str(g, "(u64)%s", e);
    else if (kind != CG_U32)
        e = cg_narrow(g, kind, a->varying, cg_from_bits(g, CG_F32, a->varying, e));
    cg_set_leaf(g, i, cg_is_varying(g, g->w->inst->id) && !a->varying ? cg_splat(g, kind, e) : e);
}

/* first: the row of the texel at which the result begins. */
static void write_access(struct cg *g, struct access a, uint32_t first)
{
    const struct sp_type *image = cg_type_of(g, a.image);
    bool sampled = image->kind == SP_SAMPLED_IMAGE;
    a.varying = cg_is_varying(g, a.image) || (a.at && cg_is_varying(g, a.at)) || (a.texel && cg_is_varying(g, a.texel));
    const char *address = cg_kind_type(g, CG_U64, a.varying);
    cg_put(g, "    {\n    const %s image_ = %s;\n", address, cg_leaf_use(g, a.image, 0, a.varying));
    if (sampled) cg_put(g, "    const %s sampler_ = %s;\n", address, cg_leaf_use(g, a.image, 1, a.varying));
    if (a.at) write_rows(g, &a, "at_", a.at, coordinates(sampled ? sp_type(g->m, image->elem) : image));
    if (a.texel)
        write_rows(g, &a, "texel_", a.texel, 4);
    else
        cg_put(g, "    %s texel_[4];\n", cg_kind_type(g, CG_U32, a.varying));
    cg_put(g,
           "    self->images->%s(&(const struct xs_image_access){%s, %s, (const u64 *)&image_, %s, %s, "
           "(u32 *)texel_});\n",
           a.function, a.varying ? g->w->bits : "1", a.varying ? "S" : "1", sampled ? "(const u64 *)&sampler_" : "0",
           a.at ? "(const u32 *)at_" : "0");
    for (uint32_t i = 0; g->w->inst->id && i < cg_leaves_of(g, g->w->inst->type)->count; i++)
        set_channel(g, &a, i, first + i);
    cg_put(g, "    }\n");
}

static void set_number(struct cg *g, uint32_t number) { cg_set_uniform(g, 0, cg_literal(g, CG_U32, number)); }

/* Converts a bindless image's handle, the address of an xs_image followed by its sampler. */
static void write_handle(struct cg *g, bool sampled)
{
    const char *e = cg_use(g, cg_operand(g, 0), cg_is_varying(g, g->w->inst->id));
    cg_set_leaf(g, 0, e);
    if (sampled) cg_set_leaf(g, 1, cg_str(g, "(%s + sizeof(struct xs_image))", e));
}

bool cg_write_image(struct cg *g)
{
    uint32_t image = cg_operand(g, 0), second = cg_operand(g, 1), third = cg_operand(g, 2);
    switch (g->w->inst->op) {
    case SP_OP_ImageRead: write_access(g, (struct access){.function = "fetch", .image = image, .at = second}, 0); break;
    case SP_OP_ImageWrite:
        write_access(g, (struct access){.function = "write", .image = image, .at = second, .texel = third}, 0);
        break;
    case SP_OP_ImageSampleExplicitLod: {
        bool floats = cg_kind_of(g, second) == CG_F32;
        write_access(g, (struct access){.function = floats ? "sample" : "fetch", .image = image, .at = second}, 0);
        break;
    }
    case SP_OP_ImageQuerySize:
    case SP_OP_ImageQuerySizeLod: write_access(g, (struct access){.function = "size", .image = image}, 0); break;
    case SP_OP_ImageQueryFormat: write_access(g, (struct access){.function = "format", .image = image}, 0); break;
    case SP_OP_ImageQueryOrder:
        if (cg_type_of(g, image)->depth_image == 1)
            set_number(g, SP_ORDER_Depth);
        else
            write_access(g, (struct access){.function = "format", .image = image}, 1);
        break;
    case SP_OP_ConvertHandleToImageINTEL: write_handle(g, false); break;
    case SP_OP_ConvertHandleToSampledImageINTEL: write_handle(g, true); break;
    case SP_OP_ImageQueryLevels: set_number(g, 1); break;
    default: return false;
    }
    return true;
}
