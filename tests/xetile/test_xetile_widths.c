/* test_xetile_widths.c - XT_BITCAST between elements of different sizes, of random bits: since rows lie contiguously,
 * the stored matrix must have the very bytes of the loaded one. Shapes, maps, lowerings, subgroup sizes. */
#include "xetile_case.h"

/* Read by the kernel's body, which runs on the host. */
static struct {
    chosen from, to;
    int rows, cols; /* of what is loaded */
    xt_map map;
} now;

static const xt_map no_map = {{0, 0}, {0, 0}};

/* C receives the result, D what it becomes when cast back. */
XT_KERNEL(recast, u64(A), u64(C), u64(D))
{
    int bytes = now.cols * (int)size_of(now.from.type), cols = bytes / (int)size_of(now.to.type);
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, of(now.from), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols),
                                         .map = now.map));
    xt_vec r = XT_BITCAST(of(now.to), v), back = XT_BITCAST(of(now.from), r);
    XT_STORE_TILE(r, XT_INIT_TILE(C, of(now.to), now.rows, cols, .shape = XT_AT(now.rows, cols), .map = r.map));
    XT_STORE_TILE(back, XT_INIT_TILE(D, of(now.from), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols),
                                     .map = back.map));
}

static void check_recast(const variant *v, int from, int to, int rows, int cols, xt_map map)
{
    size_t bytes = (size_t)(rows * cols) * size_of(from);
    unsigned char *a = (unsigned char *)new_poison(CM_U8, bytes), *c = (unsigned char *)new_poison(CM_U8, bytes + 64),
                  *d = (unsigned char *)new_poison(CM_U8, bytes + 64);
    for (size_t i = 0; i < bytes; i++) a[i] = (unsigned char)test_random();
    now.from.type = from, now.to.type = to, now.rows = rows, now.cols = cols, now.map = map;
    if (RUN_KERNEL(recast, v, ONE_GROUP, ADDRESS(a), ADDRESS(c), ADDRESS(d))) {
        size_t wrong = 0;
        for (size_t i = 0; i < bytes; i++) wrong += c[i] != a[i], wrong += d[i] != a[i];
        for (size_t i = bytes; i < bytes + 64; i++) wrong += c[i] != 0xdb || d[i] != 0xdb;
        CHECK_MSG(wrong == 0, "%s %s to %s, %d x %d, sg_data {%d, %d}: %zu bytes wrong", v->name, type_name(from),
                  type_name(to), rows, cols, map.sg_data[0], map.sg_data[1], wrong);
    }
    zed_free(&device, a);
    zed_free(&device, c);
    zed_free(&device, d);
}

TEST(neighbours_become_one_element)
{
    const struct {
        int from, to, rows, cols;
        xt_map map;
    } cases[] = {
        {CM_I8, CM_U16, 8, 32, no_map},   {CM_U8, CM_I32, 5, 64, no_map},
        {CM_I8, CM_U64, 3, 40, no_map},   {CM_BF16, CM_F32, 4, 34, no_map},
        {CM_F16, CM_I64, 1, 128, no_map}, {CM_E4M3, CM_F16, 16, 2, no_map},
        {CM_I16, CM_U32, 16, 64, XT_MAP(.sg_layout = {2, 2}, .sg_data = {8, 32})},
        {CM_U8, CM_U16, 8, 128, XT_MAP(.sg_layout = {1, 4}, .sg_data = {8, 16})},
        {CM_I32, CM_F64, 8, 32, XT_MAP(.sg_layout = {4, 1}, .sg_data = {1, 32})},
    };
    for (const variant *v = variants; v < variants + sizeof variants / sizeof variants[0]; v++)
        for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
            int joined = (int)(size_of(cases[i].to) / size_of(cases[i].from));
            xt_map split = cases[i].map;
            split.sg_data[1] /= joined;
            if (!target_has(v) || !has_type(cases[i].to) || !test_takes((int)(v - variants) + i, 5)) continue;
            check_recast(v, cases[i].from, cases[i].to, cases[i].rows, cases[i].cols, cases[i].map);
            check_recast(v, cases[i].to, cases[i].from, cases[i].rows, cases[i].cols / joined, split);
        }
}

int main(void)
{
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(neighbours_become_one_element);
    zed_close(&device);
    return test_report();
}
