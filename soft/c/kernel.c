/* kernel.c - kernels: offsets of their parameters, and the functions called by the scheduler, which run the subgroups
 * of work-groups one after the other.
 */
#include "codegen.h"

#include "abi.h"

uint32_t cg_place_params(struct cg *g, const struct sp_function *f, const struct sp_function *names, struct cg_param *p)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->param_count; i++) {
        const struct sp_type *t = cg_type_of(g, f->params[i]);
        p[i].kind = XS_PARAM_VALUE;
        p[i].size = (uint32_t)t->size;
        p[i].align = t->align;
        if (t->kind == SP_POINTER) {
            const struct sp_type *to = sp_type(g->m, t->elem);
            switch (t->storage) {
            case SP_STORAGE_CrossWorkgroup: p[i].kind = XS_PARAM_GLOBAL; break;
            case SP_STORAGE_UniformConstant: p[i].kind = XS_PARAM_CONSTANT; break;
            case SP_STORAGE_Workgroup: p[i].kind = XS_PARAM_LOCAL; break;
            case SP_STORAGE_Function: /* a structure by value */
                p[i].size = (uint32_t)to->size;
                p[i].align = to->align;
                break;
            default: cg_fail(g, "a kernel parameter in this storage class is not supported");
            }
        }
        if (t->kind == SP_IMAGE) p[i].kind = XS_PARAM_IMAGE;
        if (t->kind == SP_SAMPLER) p[i].kind = XS_PARAM_SAMPLER;
        if (p[i].size == 0) cg_fail(g, "a kernel parameter of this type is not supported");
        if (p[i].align == 0) p[i].align = 1;
        at = (at + p[i].align - 1) / p[i].align * p[i].align;
        p[i].offset = at;
        at += p[i].size;
        p[i].name = g->m->names[names->params[i]] ? g->m->names[names->params[i]] : "";
    }
    return at;
}

void cg_write_params(struct cg *g, const struct cg_param *p, bool own)
{
    struct cg_function *fn = g->fn;
    for (uint32_t i = 0; i < fn->f->param_count; i++) {
        uint32_t id = fn->f->params[i], type = g->m->ids[id].type;
        const struct cg_leaves *l = cg_leaves_of(g, type);
        bool structure = sp_type(g->m, type)->kind == SP_POINTER && p[i].kind == XS_PARAM_VALUE;
        if (g->value[id].varying && !structure) cg_fail(g, "a kernel is called as a function");
        if (g->value[id].varying != own) continue;
        if (own) {
            uint32_t bytes = (p[i].size + 15) & ~15u;
            cg_put(g,
                   "    u8 p%u[%u * S] XS_ALIGNED(64);\n    u64x v%u;\n    for (int l = 0; l < S; l++) {\n"
                   "        __builtin_memcpy(p%u + l * %u, args + %u, %u);\n        v%u[l] = (u64)(uintptr_t)(p%u + l "
                   "* %u);\n"
                   "    }\n",
                   id, bytes, id, id, bytes, p[i].offset, p[i].size, id, id, bytes);
            cg_add_frame(g, (uint64_t)bytes * g->S);
            continue;
        }
        cg_put(g, "    %s v%u;\n", cg_type_name(g, type, false), id);
        if (structure) {
            cg_put(g, "    v%u = (u64)(uintptr_t)(args + %u);\n", id, p[i].offset);
            continue;
        }
        CG_EACH_LEAF (k, l) {
            enum cg_kind kind = l->leaf[k].kind, bits = cg_bits_kind(cg_kind_bytes(kind));
            const char *at =
                cg_str(g, "XS_AT(%s, args + %u + %s)", cg_kind_name(bits), p[i].offset, cg_leaf_offset(g, &l->leaf[k]));
            cg_put(g, "    v%u%s = %s;\n", id, l->leaf[k].path, cg_from_bits(g, kind, false, at));
        }
    }
}

/* Does anything in the kernel use positions in `self`? */
static bool looks_at_self(const struct cg_function *fn)
{
    CG_EACH (i, b, fn->f)
        if (i->op == SP_OP_FunctionCall) return true;
    return fn->has_barrier && !fn->continuation;
}

/* A call of one version, whose results count the subgroups waiting at a barrier. */
static void write_version_call(struct cg *g, bool full)
{
    struct cg_function *fn = g->fn;
    bool current = fn->full;
    fn->full = full;
    const char *name = cg_version(g, fn);
    if (full) {
        cg_put(g, "    at.lanes = S;\n");
    } else {
        cg_put(g, "    const u64 b0 = at.lanes >= S ? XS_FULL : ((u64)1 << at.lanes) - 1;\n"
                  "    const i32x m0 = XS(mask)(b0);\n");
    }
    if (looks_at_self(fn)) cg_put(g, "    note_place(self, &at);\n");
    cg_put(g, "    %s%s(self", fn->continuation ? "waiting += " : "", name);
    if (fn->continuation) cg_put(g, ", (struct frame_%s *)(frames + at.id * (u64)frame%u)", name, fn->f->id);
    cg_put(g, full ? ", at" : ", at, m0, b0");
    for (uint32_t i = 0; i < fn->f->param_count; i++) cg_put(g, ", v%u", fn->f->params[i]);
    cg_put(g, ");\n    if (!groups) return 0;\n");
    fn->full = current;
}

/* Runs all subgroups of a work-group: by the full version until a row has lanes left, then by the general one. */
static void write_subgroups(struct cg *g, const struct cg_param *p)
{
    const struct cg_function *fn = g->fn;
    if (fn->full_apart)
        cg_put(g,
               "    if (rows && at.size[0] - at.first[0] >= S) {\n    %srun_full(self, &at, args, S, groups);\n"
               "    if (!groups) return 0;\n    }\n",
               fn->continuation ? "waiting += " : "");
    if (fn->has_full && fn->has_general) cg_put(g, "    if (rows) {\n");
    if (fn->has_full) {
        cg_put(g, "    for (; at.first[2] < at.size[2]; at.first[2]++, at.first[1] = 0) {\n"
                  "    for (; at.first[1] < at.size[1]; at.first[1]++, at.first[0] = 0) {\n"
                  "    for (; at.size[0] - at.first[0] >= S; at.first[0] += S, at.id++) {\n");
        cg_write_params(g, p, true);
        write_version_call(g, true);
        cg_put(g, "    }\n    if (at.first[0] < at.size[0]) break;\n    }\n    if (at.first[1] < at.size[1]) break;\n  "
                  "  }\n");
    }
    if (fn->has_full && fn->has_general) cg_put(g, "    }\n");
    if (fn->has_general) {
        cg_put(g, "    if (set_lanes(&at, S)) do {\n");
        cg_write_params(g, p, true);
        write_version_call(g, false);
        cg_put(g, "    } while (next_subgroup(&at, S));\n");
    }
}

static void write_frame_bytes(struct cg *g)
{
    struct cg_function *fn = g->fn;
    bool current = fn->full;
    if (!fn->continuation || cg_written(g, fn)->framed == g->S)
        return; /* already written, for another name of the kernel */
    cg_written(g, fn)->framed = g->S;
    const char *size[2];
    for (int full = 0; full < 2; full++) {
        fn->full = full;
        size[full] =
            (full ? fn->has_full : fn->has_general) ? cg_str(g, "sizeof(struct frame_%s)", cg_version(g, fn)) : "0";
    }
    fn->full = current;
    cg_put(g, "enum { frame%u = %s > %s ? %s : %s };\n", fn->f->id, size[0], size[1], size[0], size[1]);
}

/* Zeroes local variables that begin as zeros, in the first subgroup, which starts first. Those beyond the available
 * local memory belong to other kernels. */
static void write_cleared(struct cg *g)
{
    for (uint32_t i = 0; i < g->m->global_count; i++) {
        const struct sp_inst *v = g->m->globals[i];
        unsigned long long size = sp_type(g->m, sp_type(g->m, v->type)->elem)->size;
        uint32_t at = g->local_offset[v->id];
        if (v->operand[0] != SP_STORAGE_Workgroup || v->count < 2) continue;
        if (g->m->ids[v->operand[1]].def->op != SP_OP_ConstantNull) continue;
        cg_put(g, "    if ((groups %s) && self->local_bytes >= %lluu) {\n",
               g->fn->continuation ? "!= XS_EACH_FULL" : "|| !at.id", at + size);
        cg_put(g, "        __builtin_memset((void *)(uintptr_t)(at.local + %uu), 0, %lluu);\n", at, size);
        if (g->o->check) cg_put(g, "        check_call(self, cleared, at.local + %uu, %lluu);\n", at, size);
        cg_put(g, "    }\n");
    }
}

/* The function that runs `groups` work-groups in sequence; 0: only this subgroup. */
void cg_write_kernel(struct cg *g, uint32_t index, const struct cg_param *p)
{
    const struct sp_entry *e = &g->m->entries[index];
    struct cg_function *fn = &g->function[g->body[index]];
    g->fn = fn;
    write_frame_bytes(g);
    cg_put(g,
           "XS_CALLER int groups%u(struct xs_subgroup *self, const uint8_t *args, uint64_t groups)\n{\n"
           "    self->stack_top = (u64)(uintptr_t)__builtin_frame_address(0);\n",
           index);
    cg_put(g, "    struct place at = place_of(self);\n");
    for (uint32_t i = 0; i < 3 && e->local_size[0]; i++) cg_put(g, "    at.size[%u] = %uu;\n", i, e->local_size[i]);
    if (fn->has_general && (fn->has_full || fn->full_apart))
        cg_put(g, "    const int rows = %s(at.size[0] %% S == 0 || (at.size[1] == 1 && at.size[2] == 1));\n",
               fn->full_apart ? "self->kernel->full && " : "");
    cg_write_params(g, p, false);
    if (g->o->check) cg_check_locals(g);
    cg_put(g, "    do {\n");
    write_cleared(g);
    if (fn->continuation) {
        cg_put(g, fn->full_apart ? "    u8 *const frames = frames_beside_full(self);\n"
                                 : "    u8 *const frames = self->frames;\n");
        cg_put(g,
               "    u32 waiting;\n    if (groups != XS_EACH_FULL)\n"
               "        begin_frames(frames, frame%u, self->subgroup_count);\n"
               "    do {\n    waiting = at.id = at.first[0] = at.first[1] = at.first[2] = 0;\n",
               fn->f->id);
    }
    write_subgroups(g, p);
    if (fn->continuation)
        cg_put(g,
               "    if (waiting && waiting != self->subgroup_count) return (int)waiting;\n    } while (waiting);\n");
    cg_put(g, "    } while (next_group(self, &at, &groups));\n    return 0;\n}\n");
    cg_put(g,
           "XS_CALLER void kernel%u(struct xs_subgroup *self, const uint8_t *args)\n{\n"
           "    groups%u(self, args, 0);\n}\n\n",
           index, index);
}
