/* tables.c - the tables that end the text: kernels and their parameters, program variables with their initial values,
 * and the addresses in those, which are known only when the module is loaded.
 */
#include "codegen.h"

#include "abi.h"

#include <stdlib.h>

enum { MAX_FRAME = 1 << 30 };

/* ---- kernels */

/* The needs of functions called by pointer, from wherever they are called. */
static void sum_addressed(struct cg *g, uint32_t *local)
{
    for (uint32_t i = 0; i < g->m->function_count; i++) {
        uint64_t frame = 0, private_bytes = 0;
        bool barrier = false;
        if (!g->function[i].row) continue;
        cg_sum_frames(g, &g->function[i], &frame, &private_bytes, local, &barrier);
        if (frame > XS_POINTER_STACK / 2)
            cg_fail(g, "a function that is called by pointer needs %llu bytes of stack, at most %llu are supported",
                    (unsigned long long)frame, (unsigned long long)XS_POINTER_STACK / 2);
    }
    if (*local && g->o->function)
        cg_fail(g, "a function that uses local memory can be called by pointer in its own module only");
}

/* The kernel's attributes in OpenCL C, as zeKernelGetSourceAttributes returns them: separated by spaces. */
static void write_attributes(struct cg *g, const struct sp_entry *e)
{
    static const char *const scalars[] = {"char", "short", "int", "long", "half", "float", "double"};
    const uint32_t *size = e->local_size, *hint = e->local_size_hint, type = (e->vector_hint - 1) & 0xffffu,
                   count = (e->vector_hint - 1) >> 16;
    const char *space = "";
    if (size[0]) {
        cg_put(g, "reqd_work_group_size(%u,%u,%u)", size[0], size[1], size[2]);
        space = " ";
    }
    if (hint[0]) {
        cg_put(g, "%swork_group_size_hint(%u,%u,%u)", space, hint[0], hint[1], hint[2]);
        space = " ";
    }
    if (e->vector_hint && type < sizeof scalars / sizeof scalars[0]) {
        cg_put(g, "%svec_type_hint(%s", space, scalars[type]);
        if (count > 1) cg_put(g, "%u", count);
        cg_put(g, ")");
        space = " ";
    }
    if (e->subgroup_size) cg_put(g, "%sintel_reqd_sub_group_size(%u)", space, e->subgroup_size);
}

static void write_kernel_row(struct cg *g, uint32_t index, uint32_t S, uint32_t args_bytes)
{
    const struct sp_entry *e = &g->m->entries[index];
    struct cg_function *fn = &g->function[g->body[index]];
    uint64_t frame = 0, private_bytes = 0;
    uint32_t local = 0;
    bool barrier = false;
    g->S = S;
    cg_sum_frames(g, fn, &frame, &private_bytes, &local, &barrier);
    /* a kernel may contain two versions, for full subgroups and for others */
    frame = 2 * frame + frame / 2 + (64u << 10);
    if (g->pointer_calls) {
        sum_addressed(g, &local);
        if (frame > XS_POINTER_STACK)
            cg_fail(g, "a kernel that calls by pointer needs %llu bytes of stack, at most %llu are supported",
                    (unsigned long long)frame, (unsigned long long)XS_POINTER_STACK);
        frame = 3 * XS_POINTER_STACK;
    }
    if (frame > MAX_FRAME)
        cg_fail(g, "the kernel needs %llu bytes of stack for a subgroup, at most %u are supported",
                (unsigned long long)frame, MAX_FRAME);
    cg_put(g, "    {");
    cg_put_string(g, e->name);
    cg_put(g, ", kernel%u, params%u, %u, %u, %u, %u, {%u, %u, %u}, %u, %u, %u, %u, %u, \"", index, index,
           fn->f->param_count, args_bytes, S, e->subgroup_size != 0, e->local_size[0], e->local_size[1],
           e->local_size[2], local, (unsigned)private_bytes, (unsigned)frame, barrier,
           e->max_work_dim ? e->max_work_dim : 3);
    write_attributes(g, e);
    if (g->o->check) /* the scheduler says what runs where */
        cg_put(g, "\", 0, ");
    else
        cg_put(g, "\", groups%u, ", index);
    const char *kept = fn->continuation ? cg_str(g, "frame%u", fn->f->id) : "0";
    cg_put(g, "%s, %d, %u, ", kept, fn->shares_blocks, cg_version_of(g, index));
    cg_put(g, cg_has_choice(g, index) ? "choose%u" : "0", index);
    cg_put(g, ", 0, %u, 0, %s},\n", fn->f->id, kept);
}

/* ---- program variables */

/* Is the variable's initial value other than zeros? */
static bool has_initial(struct cg *g, const struct sp_inst *v)
{
    const struct sp_inst *from = v->count >= 2 ? g->m->ids[v->operand[1]].def : NULL;
    return from && from->op != SP_OP_ConstantNull && from->op != SP_OP_Undef;
}

/* The bytes of a constant. Addresses are written when the module is loaded; trailing zeros may be omitted. */
static void write_initial(struct cg *g, uint32_t id, size_t size)
{
    bool address = g->m->ids[id].what == SP_IS_VARIABLE;
    unsigned char *bytes = address ? calloc(1, 1) : cg_constant_bytes(g, id, size, SP_MAX_CONSTANT_BYTES);
    if (address) size = 0;
    while (size && bytes && !bytes[size - 1]) size--;
    if (bytes) cg_put_bytes(g, bytes, size);
    free(bytes);
}

static void write_globals(struct cg *g)
{
    for (uint32_t i = 0, n = 0; i < g->m->global_count; i++) {
        const struct sp_inst *v = g->m->globals[i];
        const struct sp_type *t = sp_type(g->m, sp_type(g->m, v->type)->elem);
        if (g->global_index[v->id] != n || !sp_is_global(g->m, v)) continue;
        n++;
        if (!has_initial(g, v)) continue;
        cg_set_inst(g, v);
        cg_put(g, "static const u8 initial%u[%llu] XS_ALIGNED(16) = ", n - 1, (unsigned long long)t->size + 1);
        write_initial(g, v->operand[1], (size_t)t->size);
        cg_put(g, ";\n");
        cg_set_inst(g, NULL);
    }
}

struct pointer_rows {
    struct cg *g;
    uint32_t in, count, globals;
};

static void write_pointer_row(void *user, uint64_t at, uint32_t variable, int64_t offset)
{
    struct pointer_rows *r = user;
    if (r->g->m->ids[variable].what == SP_IS_FUNCTION) {
        cg_put(r->g, "    {%u, %u, %lluu, 0},\n", r->in,
               r->globals + r->g->function[r->g->m->ids[variable].block].row - 1, (unsigned long long)at);
        r->count++;
        return;
    }
    if (!sp_is_global(r->g->m, r->g->m->ids[variable].def)) {
        cg_fail(r->g, "an initial value is the address of a variable that is not in global memory");
        return;
    }
    cg_put(r->g, "    {%u, %u, %lluu, %lld},\n", r->in, r->g->global_index[variable], (unsigned long long)at,
           (long long)offset);
    r->count++;
}

/* Addresses in initial values: known only when the module is loaded. */
static uint32_t write_pointers(struct cg *g, uint32_t globals)
{
    struct pointer_rows r = {g, 0, 0, globals};
    cg_put(g, "static const struct xs_pointer pointers[] = {\n");
    for (uint32_t i = 0; i < g->m->global_count; i++) {
        const struct sp_inst *v = g->m->globals[i];
        if (!sp_is_global(g->m, v)) continue;
        r.in = g->global_index[v->id];
        if (v->count >= 2) sp_constant_addresses(g->m, v->operand[1], write_pointer_row, &r);
    }
    cg_put(g, "    {0, 0, 0, 0}\n};\n");
    return r.count;
}

/* A variable's external name: that of its linkage, else its own. */
static const char *global_name(struct cg *g, uint32_t id)
{
    const struct sp_decoration *d = sp_decorated(g->m, id, SP_DECORATION_LinkageAttributes);
    if (d && d->count) return (const char *)d->operand; /* a string, as kernels' CPUs are little-endian */
    return g->m->names[id] ? g->m->names[id] : "";
}

static uint32_t write_global_rows(struct cg *g)
{
    uint32_t n = 0;
    cg_put(g, "static const struct xs_global globals[] = {\n");
    for (uint32_t i = 0; i < g->m->global_count; i++) {
        const struct sp_inst *v = g->m->globals[i];
        const struct sp_type *t = sp_type(g->m, sp_type(g->m, v->type)->elem);
        if (!sp_is_global(g->m, v)) continue;
        cg_put(g, "    {");
        cg_put_string(g, global_name(g, v->id));
        cg_put(g, ", %lluu, %u, ", (unsigned long long)t->size, t->align ? t->align : 1);
        cg_put(g, has_initial(g, v) ? "initial%u},\n" : "0},\n", n);
        n++;
    }
    cg_put(g, "    {\"\", 0, 1, 0}\n};\n");
    return n;
}

/* ---- all of them */

void cg_write_tables(struct cg *g, struct cg_param *const *params, const uint32_t *args_bytes)
{
    const struct sp_module *m = g->m;
    uint32_t local = 0;
    if (g->o->function) sum_addressed(g, &local);
    write_globals(g);
    uint32_t globals = write_global_rows(g), pointers = write_pointers(g, globals);
    cg_write_rows(g);
    for (uint32_t i = 0; i < m->entry_count; i++) {
        const struct sp_function *f = g->function[g->body[i]].f;
        cg_put(g, "static const struct xs_param params%u[] = {\n", i);
        for (uint32_t k = 0; k < f->param_count; k++) {
            const struct cg_param *p = &params[i][k];
            cg_put(g, "    {");
            cg_put_string(g, p->name);
            cg_put(g, ", %u, %u, %u, %u},\n", p->kind, p->size, p->offset, p->align);
        }
        cg_put(g, "    {\"\", 0, 0, 0, 1}\n};\n");
    }
    cg_put(g, "static struct xs_kernel kernels[] = {\n");
    for (uint32_t i = 0; i < m->entry_count; i++)
        write_kernel_row(g, i, cg_size_of_entry(g, &m->entries[i]), args_bytes[i]);
    cg_put(g,
           "    {\"\", 0, 0, 0, 0, 0, 0, {0, 0, 0}, 0, 0, 0, 0, 0, \"\"}\n};\n"
           "__attribute__((visibility(\"default\"))) extern const struct xs_module xs_module;\n"
           "const struct xs_module xs_module = {XS_ABI_VERSION, %u, %u, kernels, globals, %u, pointers, %u, %s, ",
           m->entry_count, globals, pointers, g->row_count, g->row_count ? "functions" : "0");
    cg_put_string(g, m->warnings.data ? m->warnings.data : "");
    cg_put(g, ", %s};\n", g->row_count ? "&own_globals" : "0");
}
