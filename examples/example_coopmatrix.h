/* example_coopmatrix.h - the host side of the examples whose kernels are written with coopmatrix.h: building, loading
 * and emitting them; products of column-major f32 matrices, and their check.
 */
#ifndef EXAMPLE_COOPMATRIX_H
#define EXAMPLE_COOPMATRIX_H

#include "example.h"
#include "example_registers.h"

/* ---- kernels */

/* `write` adds the body, for a problem of the program's own type whose sizes are constants in the module. */
typedef struct {
    const char *name, *params; /* as ze_dispatch.h reads them: "ptr<f32> A, i32 count"; numbers are f32 or i32 */
    int subgroups;             /* per work-group */
    bool narrow;               /* of 8 lanes where the target has few registers, as matrices have rows over the lanes */
    void (*write)(cm_ctx *c, const void *problem);
} example_kernel;

enum { MOST_PARAMS = 8 };

/* Reads the parameters' text; returns their number. */
static inline uint32_t parameters_of(spe_module *m, const char *text, spe_param *params)
{
    uint32_t count = 0;
    for (const char *at = text; at && count < MOST_PARAMS; at = strchr(at, ',')) {
        char pointer[5] = "", type[4] = "";
        at += strspn(at, ", ");
        if (sscanf(at, "%4[ptr<]%3[a-z0-9]", pointer, type) < 2) sscanf(at, "%3[a-z0-9]", type);
        memset(&params[count], 0, sizeof params[count]);
        params[count].type = !strcmp(type, "i32") ? spe_int(m, 32) : spe_float(m, !strcmp(type, "f16") ? 16 : 32);
        if (*pointer) params[count].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, params[count].type);
        count++;
    }
    return count;
}

/* The target's row, with a subgroup size that the device has (a mask; 0: unknown): the row's, else the least. */
static inline bool choose_row(const char *target, uint32_t sizes, bool narrow, cm_target *row)
{
    if (!cm_target_row(target)) return false;
    *row = *cm_target_row(target);
    if (narrow && has_few_registers(row)) row->subgroup_size = 8;
    if (sizes) row->subgroup_sizes = sizes;
    if (sizes & (uint32_t)row->subgroup_size) sizes = 0;
    for (int size = 8; sizes && size <= 32; size *= 2) {
        if (!(sizes & (uint32_t)size)) continue;
        row->subgroup_size = size;
        sizes = 0;
    }
    return true;
}

/* Builds the module for a target; its words live until spe_free. */
static inline spe_words build_kernel(spe_module *m, const example_kernel *e, const char *target, uint32_t sizes,
                                     const void *problem)
{
    cm_target row;
    bool known = choose_row(target, sizes, e->narrow, &row);
    spe_param params[MOST_PARAMS];
    spe_kernel k;
    cm_ctx c;
    spe_device device = {.name = target};
    spe_options options = {.env = cm_environment(&device)};
    spe_begin(m, &options);
    memset(&k, 0, sizeof k);
    k.name = e->name;
    k.params = params;
    k.param_count = parameters_of(m, e->params, params);
    k.subgroup_size = known ? (uint32_t)row.subgroup_size : 16;
    k.local_size[0] = k.subgroup_size * (uint32_t)e->subgroups;
    k.local_size[1] = k.local_size[2] = 1;
    spe_kernel_begin(m, &k);
    if (cm_begin(&c, m, known ? &row : NULL, CM_AUTO)) e->write(&c, problem);
    spe_kernel_end(m);
    return spe_finish(m);
}

static inline bool load_kernel(const example_kernel *e, zed_device *dev, zed_kernel *kernel, const void *problem)
{
    zed_module module;
    spe_module m;
    spe_words words = build_kernel(&m, e, dev->target.name, dev->target.subgroup_sizes, problem);
    bool ok = words.data || fail("%s", spe_get_error(&m)->text);
    if (ok &&
        (!zed_module_load(&module, dev, words.data, words.count * 4, cm_target_row(dev->target.name)->build_flags) ||
         !zed_kernel_get(kernel, &module, e->name, e->params)))
        ok = fail_device(dev);
    spe_free(&m);
    return ok;
}

static inline bool emit_kernel(const example_kernel *e, const char *path, const char *target, const void *problem)
{
    spe_module m;
    spe_words words = build_kernel(&m, e, target, 0, problem);
    bool ok = words.data
                  ? emit_words(path, NULL, e->params, cm_target_row(target)->build_flags, words.data, words.count * 4)
                  : fail("%s", spe_get_error(&m)->text);
    spe_free(&m);
    return ok;
}

/* ---- products of column-major f32 matrices: `count` pairs, one after the other */

typedef struct {
    int m, n, k, count;
    float *a, *b, *c;
} products;

static inline float *random_floats(zed_device *dev, size_t n, uint64_t seed)
{
    float *x = (float *)new_array(dev, n * sizeof *x);
    for (size_t i = 0; x && i < n; i++) x[i] = random_normal(&seed);
    return x;
}

static inline bool new_products(zed_device *dev, products *p)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k, count = (size_t)p->count;
    p->a = random_floats(dev, count * m * k, 1);
    p->b = random_floats(dev, count * k * n, 2);
    p->c = (float *)new_array(dev, count * m * n * sizeof(float));
    if (p->c) memset(p->c, 0xff, count * m * n * sizeof(float)); /* not a number */
    return (p->a && p->b && p->c && copy_to_device(dev)) || fail_device(dev);
}

static inline void free_products(zed_device *dev, products *p)
{
    free_array(dev, p->a), free_array(dev, p->b), free_array(dev, p->c);
}

static inline double flops_of(const products *p) { return 2.0 * p->m * p->n * p->k * p->count; }

/* k products and sums in f32, in any order, are off by at most k + 2 roundings of the sum of magnitudes. */
static inline bool check_products(zed_device *dev, const products *p)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k, wrong = 0;
    double worst = 0;
    if (!copy_from_device(dev, p->c)) return fail_device(dev);
    for (size_t e = 0; e < (size_t)p->count * m * n; e++) {
        const float *a = p->a + e / (m * n) * m * k + e % m, *b = p->b + e / (m * n) * k * n + e / m % n * k;
        double want = 0, size = 0, bound, got = (double)p->c[e];
        for (size_t i = 0; i < k; i++) {
            want += (double)a[i * m] * (double)b[i];
            size += fabs((double)a[i * m] * (double)b[i]);
        }
        bound = (p->k + 2) * 0x1p-24 * size;
        if (!(fabs(got - want) <= bound) && wrong++ == 0)
            printf("matrix %zu, element (%zu, %zu) is %.9g, want %.9g within %.2g\n", e / (m * n), e % m, e / m % n,
                   got, want, bound);
        if (bound > 0) worst = fmax(worst, fabs(got - want) / bound);
    }
    print_error(worst);
    return wrong == 0 || fail("%d of %d x %d x %d: %zu elements are wrong", p->count, p->m, p->n, p->k, wrong);
}

/* What xt_tiles_for proposes for a product in f32 of column-major matrices, C having so many columns (0: many), as
 * C' = B' A', which is row-major: the proposal's rows are columns here. */
static inline xt_tiles tiles_by_columns(const char *target, int columns, int max_subgroups)
{
    xt_product product = {.a = XT_TYPE(f32), .b = XT_TYPE(f32), .c = XT_TYPE(f32), .m = columns,
                          .max_subgroups = max_subgroups};
    const xt_target device = {.name = target};
    return xt_tiles_for(&device, &product);
}

#endif
