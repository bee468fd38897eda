/* atomic.c - complex matrices in memory. */
#include "internal.h"

/* The memory of the real (0) or imaginary (1) halves of complex components: every second element. */
cm_mem cm_half_mem_(cm_ctx *c, cm_type type, const cm_mem *mem, int which)
{
    cm_mem half = *mem;
    spe_id right = mem->stride_col ? mem->stride_col : mem->rows;
    half.block2d = CM_BLOCK2D_NO;
    if (!spe_ok(c->m)) return half;
    if (!cm_check_i32_(c, "stride_row", mem->stride_row) || !cm_check_i32_(c, "stride_col", right)) return half;
    if (which && spe_info(c->m, spe_type_of(c->m, mem->ptr)).elem != cm_storage_type(c, type))
        cm_fail_(c, CM_ERROR_POINTER, "cm_mem.ptr is not a pointer to the storage type of %s",
                 cm_type_info(type)->name);
    if (which && spe_ok(c->m)) half.ptr = spe_index(c->m, mem->ptr, spe_u64(c->m, 1));
    half.stride_row = mem->stride_row ? cm_times_(c, mem->stride_row, 2) : cm_i32_(c, 2);
    half.stride_col = right ? cm_times_(c, right, 2) : 0;
    if (which) half.padding = 0;
    return half;
}

/* ---- KHR matrices in memory -------------------------------------------------------------------------------------- */

/* Pointer to a part's first element and its layout: a KHR matrix is the transpose of ours, so rows that are contiguous
 * here are KHR's row-major. False (an error) for what KHR matrices cannot do. */
static bool cm_khr_place_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, int k2, int col, spe_id *ptr,
                                 uint32_t *layout, spe_id *stride)
{
    bool along = cm_is_constant_(c, s->down, 1), across = cm_is_constant_(c, s->right, 1);
    spe_id at;
    if (s->rows || s->cols || !(along || across) || l->I != l->S ||
        (l->use == CM_A && l->omega * cm_type_info(l->type)->bytes < 4)) {
        cm_fail_(c, CM_ERROR_LOWERING,
                 "CM_KHR loads and stores matrices of at least S rows (CM_A: columns in multiples "
                 "of 32 bits), unchecked, with a stride that is the constant 1");
        return false;
    }
    at = cm_distance_(c, cm_plus_(c, s->row, k2 * l->I * l->K1), s->down);
    at = spe_iadd(c->m, at, cm_distance_(c, cm_plus_(c, s->col, col), s->right));
    *ptr = spe_index(c->m, s->ptr, at);
    *layout = along ? SPE_CooperativeMatrixLayoutRowMajorKHR : SPE_CooperativeMatrixLayoutColumnMajorKHR;
    *stride = along ? s->right : s->down;
    return true;
}

/* Methods of CM_KHR: an instruction a part. With `in` a load, else a store of `a`. */
static bool cm_move_khr_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, spe_id *parts, bool load)
{
    int runs = spe_runs(cm_block_words_(l)), part, col = 0;
    for (part = 0; part < l->K2 * runs; part++) {
        spe_id ptr, stride;
        uint32_t layout;
        if (part % runs == 0) col = 0;
        if (!cm_khr_place_(c, l, s, part / runs, col, &ptr, &layout, &stride)) return true;
        if (load)
            parts[part] = spe_coop_load(c->m, cm_part_type(c, l, part), ptr, layout, stride);
        else
            spe_coop_store(c->m, ptr, parts[part], layout, stride);
        col += cm_part_words(l, part) * l->omega;
    }
    return true;
}

bool cm_load_khr_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, const cm_surface_ *s, cm_matrix *out)
{
    (void)mem;
    *out = cm_new_(c, l);
    return !out->parts || cm_move_khr_(c, l, s, out->part, true);
}

bool cm_store_khr_(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, const cm_surface_ *s)
{
    (void)mem;
    return cm_move_khr_(c, &a->l, s, a->part, false);
}

/* ---- atomic operations ------------------------------------------------------------------------------------------- */

typedef enum { CM_ATOMIC_LOAD_, CM_ATOMIC_STORE_, CM_ATOMIC_ADD_, CM_ATOMIC_MIN_, CM_ATOMIC_MAX_ } cm_atomic_;

typedef struct {
    cm_atomic_ what;
    uint32_t scope, semantics;
} cm_atomic_how_;

/* 32 and 64 bits; f16 may be added and compared. */
static bool cm_check_atomic_(cm_ctx *c, cm_type type, cm_atomic_how_ how)
{
    const cm_type_row *t = cm_type_info(type);
    if (!t || cm_opaque_(c, "atomics")) return false;
    if (t->bytes >= 4 && type != CM_TF32) return true;
    if (type == CM_F16 && how.what >= CM_ATOMIC_ADD_) return true;
    cm_fail_(c, CM_ERROR_ATOMIC, "there are no such atomic operations on %s", t->name);
    return false;
}

/* One component; returns what memory held (nothing, 0, for a store). */
static spe_id cm_atomic_one_(cm_ctx *c, cm_type type, cm_atomic_how_ how, spe_id ptr, spe_id v)
{
    static const spe_atomic_op ops[3][3] = {{SPE_ATOMIC_FADD, SPE_ATOMIC_IADD, SPE_ATOMIC_IADD},
                                            {SPE_ATOMIC_FMIN, SPE_ATOMIC_SMIN, SPE_ATOMIC_UMIN},
                                            {SPE_ATOMIC_FMAX, SPE_ATOMIC_SMAX, SPE_ATOMIC_UMAX}};
    if (how.what == CM_ATOMIC_LOAD_) return spe_atomic_load(c->m, ptr, how.scope, how.semantics);
    if (how.what != CM_ATOMIC_STORE_)
        return spe_atomic(c->m, ops[how.what - CM_ATOMIC_ADD_][cm_kind_column_(type)], ptr, v, how.scope,
                          how.semantics);
    spe_atomic_store(c->m, ptr, v, how.scope, how.semantics);
    return 0;
}

/* Every component that is inside: v[i] goes to memory, what was there comes back in v[i] (the padding where nothing
 * is). */
static bool cm_atomic_walk_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, cm_atomic_how_ how, spe_id *v)
{
    cm_surface_ s;
    cm_axes_ axes;
    int i, row, col;
    if (!v || !cm_surface_init_(c, &s, l->type, mem) || !cm_axes_init_(c, l, &s, &axes)) return false;
    for (i = 0; i < l->V; i++) {
        spe_id test, old;
        cm_axes_of_(l, i, &row, &col);
        test = cm_and_(c, axes.row[row].inside, axes.col[col].inside);
        if (test) spe_if(c->m, test);
        old = cm_atomic_one_(c, l->type, how, spe_index(c->m, axes.row[row].at, axes.col[col].at), v[i]);
        if (test && old)
            spe_endif_from(c->m, 1, &old, &s.padding, &v[i]);
        else if (test)
            spe_endif(c->m, 0, NULL, NULL);
        if (!test) v[i] = old;
    }
    return spe_ok(c->m);
}

/* Stores and updates; returns the old values, for a store poison. */
static cm_matrix cm_atomic_put_(cm_ctx *c, const cm_matrix *a, const cm_mem *to, cm_atomic_how_ how)
{
    cm_matrix half[2];
    spe_id *v;
    int i;
    if (cm_is_poison_(c, a) || !cm_check_atomic_(c, a->l.type, how)) return cm_poison();
    if (cm_is_complex(a->l.type)) {
        if (how.what > CM_ATOMIC_ADD_) {
            cm_fail_(c, CM_ERROR_ATOMIC, "complex numbers have no order");
            return cm_poison();
        }
        for (i = 0; i < 2; i++) {
            cm_mem mem = cm_half_mem_(c, a->l.type, to, i);
            half[i] = cm_half_(c, a, i);
            half[i] = cm_atomic_put_(c, &half[i], &mem, how);
        }
        return how.what == CM_ATOMIC_STORE_ ? cm_poison() : cm_complex(c, &half[0], &half[1]);
    }
    v = cm_component_ids(c, a, a->l.type);
    if (!cm_atomic_walk_(c, &a->l, to, how, v) || how.what == CM_ATOMIC_STORE_) return cm_poison();
    return cm_from_components(c, &a->l, v);
}

static cm_atomic_how_ cm_atomic_how_make_(cm_atomic_ what, uint32_t scope, uint32_t semantics)
{
    cm_atomic_how_ how;
    how.what = what;
    how.scope = scope;
    how.semantics = semantics;
    return how;
}

cm_matrix cm_atomic_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from, uint32_t scope,
                         uint32_t semantics)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_atomic_how_ how = cm_atomic_how_make_(CM_ATOMIC_LOAD_, scope, semantics);
    spe_id *v;
    if (!l.rows || !cm_check_atomic_(c, type, how)) return cm_poison();
    if (cm_is_complex(type)) {
        cm_mem re = cm_half_mem_(c, type, from, 0), im = cm_half_mem_(c, type, from, 1);
        cm_type half = type == CM_C32 ? CM_F32 : CM_F64;
        cm_matrix x = cm_atomic_load(c, rows, cols, half, use, &re, scope, semantics);
        cm_matrix y = cm_atomic_load(c, rows, cols, half, use, &im, scope, semantics);
        return cm_complex(c, &x, &y);
    }
    v = (spe_id *)spe_alloc(c->m, (size_t)l.V * sizeof(spe_id));
    return cm_atomic_walk_(c, &l, from, how, v) ? cm_from_components(c, &l, v) : cm_poison();
}
void cm_atomic_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics)
{
    cm_atomic_put_(c, a, to, cm_atomic_how_make_(CM_ATOMIC_STORE_, scope, semantics));
}
cm_matrix cm_atomic_add(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics)
{
    return cm_atomic_put_(c, a, to, cm_atomic_how_make_(CM_ATOMIC_ADD_, scope, semantics));
}
cm_matrix cm_atomic_min(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics)
{
    return cm_atomic_put_(c, a, to, cm_atomic_how_make_(CM_ATOMIC_MIN_, scope, semantics));
}
cm_matrix cm_atomic_max(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics)
{
    return cm_atomic_put_(c, a, to, cm_atomic_how_make_(CM_ATOMIC_MAX_, scope, semantics));
}
