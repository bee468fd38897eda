/* function.c - one function as text: its signature, what it declares, its built-in values and its blocks; and
 * what a call of it needs of stack, private and local memory.
 */
#include "codegen.h"

enum { CG_LONG_FUNCTION = 150, CG_LARGE_FUNCTION = 600 }; /* instructions */
enum { MUCH_MEMORY = 8192 };                               /* bytes of a subgroup */

static void add_frame(struct cg *g, uint32_t type, bool varying)
{
    const struct cg_leaves *l = cg_leaves_of(g, type);
    g->fn->frame_bytes += 8ull * l->scalars * (varying ? g->S : 1);
}

/* May the variable be looked at before all of it is written? Where lanes are assigned under masks; and undefined values
 * are written nowhere. The rest is not cleared first: of large kernels a tenth of what compilers have to do. */
static bool begins_clear(struct cg *g, const struct sp_inst *i)
{
    if (i->op != SP_OP_Phi || g->value[i->id].blend) return g->value[i->id].blend;
    bool clear = g->fn->block[g->m->ids[i->id].block].masked;
    for (uint32_t k = 0; k + 1 < i->count; k += 2) {
        const struct sp_id *from = &g->m->ids[i->operand[k]];
        clear = clear || g->fn->block[g->m->ids[i->operand[k + 1]].block].masked;
        clear = clear || (from->what == SP_IS_VALUE && from->def->op == SP_OP_Undef);
    }
    return clear;
}

static void declare_value(struct cg *g, const struct sp_inst *i)
{
    const struct cg_value *v = &g->value[i->id];
    const struct sp_type *t = sp_type(g->m, i->type);
    if (!i->id || !t || t->kind == SP_VOID || i->op == SP_OP_Variable || i->op == SP_OP_Undef || v->variable ||
        v->home || v->borrowed)
        return;
    bool zero = begins_clear(g, i);
    if (v->root) {
        cg_declare(g, CG_PLAIN, "u64", cg_str(g, "o%u", i->id), "");
        return;
    }
    if (v->group) {
        if (v->group == i->id)
            cg_declare(g, CG_ZERO, cg_type_name(g, i->type, true), cg_str(g, "c%u", i->id), cg_str(g, "[%u]", v->rows));
        add_frame(g, i->type, true);
        return;
    }
    if (v->accessed) cg_declare(g, CG_PLAIN, "u64", cg_str(g, "s%u", i->id), "");
    if (v->checked) cg_declare(g, CG_PLAIN, "i32", cg_str(g, "ok%u", i->id), "");
    if (v->checked) cg_declare(g, CG_PLAIN, cg_type_name(g, i->type, true), cg_str(g, "w%u", i->id), "");
    cg_declare(g, zero ? CG_ZERO : CG_PLAIN, cg_type_name(g, i->type, v->varying && !v->line), cg_str(g, "v%u", i->id),
               "");
    add_frame(g, i->type, v->varying);
}

bool cg_is_kernel(const struct cg_function *fn) { return fn && fn->entry && !fn->forwards; }

static uint32_t instructions(const struct sp_function *f)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < f->block_count; b++) n += f->blocks[b].count;
    return n;
}

bool cg_is_long(const struct sp_function *f) { return instructions(f) > CG_LONG_FUNCTION; }
bool cg_is_large(const struct sp_function *f) { return instructions(f) > CG_LARGE_FUNCTION; }

/* Compilers that inline two functions into a third may keep room for the variables of both at once. Those of much
 * memory are not inlined, so that the stack a kernel asks for is what it takes. */
static bool takes_much(struct cg *g, const struct sp_function *f)
{
    uint64_t bytes = 0;
    for (uint32_t b = 0; b < f->block_count; b++) {
        for (uint32_t k = 0; k < f->blocks[b].count; k++) {
            const struct sp_inst *i = &f->blocks[b].inst[k];
            if (i->op == SP_OP_Variable && !g->value[i->id].fixed)
                bytes += cg_memory_size(g, sp_type(g->m, i->type)->elem);
        }
    }
    return bytes * g->S > MUCH_MEMORY;
}

void cg_write_signature(struct cg *g, const char *end)
{
    const struct sp_function *f = g->fn->f;
    uint32_t result = sp_type(g->m, f->type)->elem;
    bool large = cg_is_large(f), loops = cg_is_kernel(g->fn) && g->fn->dense, much = takes_much(g, f);
    cg_put(g, "%s %s %s(struct xs_subgroup *self",
           large   ? much ? "static XS_CUT" : "static XS_LARGE"
           : much  ? "XS_FUNCTION"
           : loops ? "XS_INLINE"
                   : "static",
           g->fn->frame ? "u32" : cg_type_name(g, result, g->fn->result_varying), cg_version(g, g->fn));
    if (g->fn->frame) cg_put(g, ", struct frame_%s *frame", cg_version(g, g->fn));
    if (cg_is_kernel(g->fn)) cg_put(g, ", struct place at");
    if (!g->fn->dense) cg_put(g, ", i32x m0, u64 b0");
    for (uint32_t i = 0; i < f->param_count; i++) {
        uint32_t id = f->params[i];
        cg_put(g, ", %s v%u", cg_type_name(g, g->m->ids[id].type, g->value[id].varying), id);
    }
    cg_put(g, ")%s", end);
}

/* What built-in variables are made of. The compiler drops what is not used. */
void cg_write_builtins(struct cg *g)
{
    const struct sp_entry *e = g->fn->entry;
    const char *from = cg_is_kernel(g->fn) ? "at" : "here";
    if (!cg_is_kernel(g->fn)) cg_put(g, "    const struct place here = place_of(self);\n");
    for (uint32_t i = 0; i < 3; i++) {
        if (e && e->local_size[0])
            cg_put(g, "    const u32 local_size%u = %uu;\n", i, e->local_size[i]);
        else
            cg_put(g, "    const u32 local_size%u = %s.size[%u];\n", i, from, i);
        cg_put(g, "    const u32 group_id%u = %s.group[%u], group_count%u = %s.count[%u], offset%u = %s.offset[%u];\n",
               i, from, i, i, from, i, i, from, i);
    }
    cg_put(g, "    const u32 subgroup_id = %s.id, lanes = %s.lanes;\n", from, from);
    if (g->fn->dense) {
        for (uint32_t i = 0; i < 3; i++) cg_put(g, "    const u32 first%u = %s.first[%u];\n", i, from, i);
        return;
    }
    cg_put(g,
           "    u32x local_id0, local_id1, local_id2;\n"
           "    XS(local_ids)(%s.first, local_size0, local_size1, local_size2, &local_id0, &local_id1, &local_id2);\n",
           from);
}

static void write_body(struct cg *g)
{
    const struct sp_function *f = g->fn->f;
    uint8_t *done = cg_alloc(g, f->block_count + 1); /* by component */
    cg_plan_whole(g, g->fn);
    for (uint32_t b = 0; b < f->block_count && !g->failed; b++) {
        for (uint32_t i = 0; i < f->blocks[b].count; i++) declare_value(g, &f->blocks[b].inst[i]);
        if (g->fn->block[b].masked) cg_declare(g, CG_ZERO, "i32x", cg_str(g, "m%u", f->blocks[b].label), "");
        if (cg_joins_whole(g, b)) cg_declare(g, CG_ZERO, "i32", cg_str(g, "x%u", f->blocks[b].label), "");
        cg_free_words(g);
    }
    cg_declare_variables(g);
    cg_declare_queues(g);
    cg_write_resume(g);
    for (uint32_t i = 0; i < f->block_count && !g->failed; i++) {
        const struct cg_block *b = &g->fn->block[g->fn->rpo[i]];
        if (!b->masked) {
            cg_write_block(g, g->fn->rpo[i]);
        } else if (!done[b->component]) {
            done[b->component] = 1;
            cg_write_component(g, b->component);
        }
    }
}

void cg_write_function(struct cg *g, struct cg_function *fn)
{
    uint64_t frame = fn->frame_bytes, private_bytes = fn->private_bytes; /* of the other version */
    g->fn = fn;
    fn->frame_bytes = fn->private_bytes = 0;
    g->temporaries = 0;
    if (fn->frame) cg_write_frame_type(g);
    cg_write_body(g, write_body);
    cg_put(g, "}\n\n");
    if (frame > fn->frame_bytes) fn->frame_bytes = frame;
    if (private_bytes > fn->private_bytes) fn->private_bytes = private_bytes;
}

/* ---- what calls need */

/* What a call of the function needs at most, of itself and of what it calls. */
static void sum_function(struct cg *g, struct cg_function *fn, uint32_t depth)
{
    uint64_t deepest = 0, most_private = 0;
    if (fn->summed) return;
    fn->any_barrier = fn->has_barrier;
    fn->all_local = fn->local_bytes;
    for (uint32_t b = 0; b < fn->f->block_count && depth < SP_MAX_CALL_DEPTH; b++) {
        for (uint32_t i = 0; i < fn->f->blocks[b].count; i++) {
            const struct sp_inst *in = &fn->f->blocks[b].inst[i];
            if (in->op != SP_OP_FunctionCall) continue;
            struct cg_function *callee = &g->function[g->m->ids[in->operand[0]].block];
            sum_function(g, callee, depth + 1);
            if (callee->all_frames > deepest) deepest = callee->all_frames;
            if (callee->all_private > most_private) most_private = callee->all_private;
            if (callee->all_local > fn->all_local) fn->all_local = callee->all_local;
            fn->any_barrier = fn->any_barrier || callee->any_barrier;
        }
    }
    fn->all_frames = fn->frame_bytes + deepest + 4096;
    fn->all_private = fn->private_bytes + most_private;
    fn->summed = true;
}

void cg_sum_frames(struct cg *g, struct cg_function *fn, uint64_t *frame, uint64_t *private_bytes, uint32_t *local,
                       bool *barrier)
{
    sum_function(g, fn, 0);
    *frame = fn->all_frames;
    *private_bytes = fn->all_private;
    *barrier = *barrier || fn->any_barrier;
    if (fn->all_local > *local) *local = fn->all_local;
}
