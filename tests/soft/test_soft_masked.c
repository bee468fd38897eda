/* test_soft_masked.c - matrix products and 2D blocks in code that only some subgroups reach, depending on a flag per
 * lane that is equal in all lanes of a subgroup, which the compiler cannot know: such blocks run under masks. Exact:
 * all numbers are small integers.
 *
 *     if (flag[item]) d = a * b + c in the lanes' registers (half, 8 x 16 times 16 x 16), in a loop whose length
 *         each subgroup reads; else d = -1
 *     if (flag[item]) a block of 8 rows is read, incremented and written elsewhere
 */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

enum { S = 16, SUBGROUPS = 8, GROUP = 64, LANES = S * SUBGROUPS, ROWS = 8, DEPTH = 16 };
static const char *const params_text = "ptr<u32> flag, ptr<f16> a, ptr<u32> b, ptr<f32> d, ptr<u16> from, ptr<u16> to";

static zed_device device;

static spe_id element(spe_module *m, int param, spe_id item)
{
    return spe_index(m, spe_param_id(m, (uint32_t)param), item);
}

static spe_id lane_vector(spe_module *m, int param, spe_id item, spe_id type, uint32_t align)
{
    spe_id p = spe_ptr_cast(m, spe_param_id(m, (uint32_t)param), type);
    return spe_load(m, spe_index(m, p, item), align);
}

static void write_vector(spe_module *m, spe_id item, spe_id type, spe_id value)
{
    spe_id p = spe_ptr_cast(m, spe_param_id(m, 3), type);
    spe_store(m, spe_index(m, p, item), value, 32);
}

static void product(spe_module *m, spe_id item, spe_id count)
{
    spe_id f32x8 = spe_vec(m, spe_float(m, 32), 8), i16x8 = spe_vec(m, spe_int(m, 16), 8),
           i32x8 = spe_vec(m, spe_int(m, 32), 8);
    spe_id a = lane_vector(m, 1, item, i16x8, 16), b = lane_vector(m, 2, item, i32x8, 32);
    spe_id sum = spe_const_f(m, f32x8, 0.5);
    spe_for(m, spe_i32(m, 0), count, spe_i32(m, 1), 1, &sum);
    sum = spe_dpas(m, f32x8, DEPTH, a, b, sum,
                   SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedFloat16INTEL |
                       SPE_MatrixMultiplyAccumulateOperandsMatrixBPackedFloat16INTEL);
    spe_endfor(m, 1, &sum);
    write_vector(m, item, f32x8, sum);
}

static void move_block(spe_module *m, spe_id item)
{
    spe_id i16 = spe_int(m, 16), array = spe_array(m, i16, ROWS), mine = spe_local_var(m, array);
    spe_id y = spe_imul(m, spe_udiv(m, item, spe_i32(m, S)), spe_i32(m, ROWS));
    spe_block2d block = {.elem_bytes = 2, .width = S, .height = ROWS, .count = 1, .ptr = spe_param_id(m, 4),
                         .mem_width = spe_i32(m, S * 2), .mem_height = spe_i32(m, ROWS * SUBGROUPS),
                         .pitch = spe_i32(m, 64), .pos_x = spe_i32(m, 0), .pos_y = y};
    spe_block2d_load(m, &block, mine);
    for (uint32_t r = 0; r < ROWS; r++) {
        spe_id at = spe_i32(m, (int32_t)r), p = spe_element(m, mine, 1, &at);
        spe_store(m, p, spe_iadd(m, spe_load(m, p, 2), spe_const_i(m, i16, 1)), 2);
    }
    block.ptr = spe_param_id(m, 5);
    spe_block2d_store(m, &block, mine);
}

static bool emit(spe_module *m)
{
    static const struct {
        uint32_t bits;
        bool is_float;
    } pointee[] = {{32, false}, {16, true}, {32, false}, {32, true}, {16, false}, {16, false}};
    spe_param params[6];
    spe_kernel k;
    spe_id item, flag, none;
    memset(&k, 0, sizeof k);
    memset(params, 0, sizeof params);
    spe_begin(m, NULL);
    for (int i = 0; i < 6; i++) {
        spe_id t = pointee[i].is_float && pointee[i].bits == 32 ? spe_float(m, 32) : spe_int(m, pointee[i].bits);
        params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, t);
    }
    k.name = "masked";
    k.params = params;
    k.param_count = 6;
    k.subgroup_size = S;
    spe_kernel_begin(m, &k);
    item = spe_builtin(m, SPE_GLOBAL_ID, 0);
    flag = spe_load(m, element(m, 0, item), 4);
    none = spe_const_f(m, spe_vec(m, spe_float(m, 32), 8), -1);
    spe_if(m, spe_ine(m, flag, spe_i32(m, 0)));
    product(m, item, flag);
    move_block(m, item);
    spe_else(m, 0, NULL);
    write_vector(m, item, spe_vec(m, spe_float(m, 32), 8), none);
    spe_endif(m, 0, NULL, NULL);
    spe_kernel_end(m);
    return spe_ok(m);
}

struct data {
    uint32_t *flag, *b;
    uint16_t *a, *from, *to;
    float *d;
};

static uint16_t half(int v) { return spe_f32_to_f16_bits((float)v); }
static int from_half(uint16_t v) { return (int)spe_f16_bits_to_f32(v); }

static void fill(struct data *x)
{
    for (int i = 0; i < LANES; i++) x->flag[i] = (uint32_t)(i / S * 5 % 4); /* 0 1 2 3 0 ... by subgroup */
    for (int i = 0; i < LANES * ROWS; i++) {
        x->a[i] = half((int)(test_random() % 9) - 4);
        x->b[i] = (uint32_t)half((int)(test_random() % 9) - 4) << 16 | half((int)(test_random() % 9) - 4);
        x->d[i] = -12345;
    }
    for (int i = 0; i < 32 * ROWS * SUBGROUPS; i++) {
        x->from[i] = (uint16_t)test_random();
        x->to[i] = 0xa5a5;
    }
}

/* Lane k holds column k of A, a row a component; lane n holds column n of B, two rows a component. */
static float want_product(const struct data *x, int subgroup, int row, int n)
{
    int first = subgroup * S, sum = 0;
    if (!x->flag[first]) return -1;
    for (int k = 0; k < DEPTH; k++)
        sum += from_half(x->a[(first + k) * ROWS + row]) *
               from_half((uint16_t)(x->b[(first + n) * ROWS + k / 2] >> (k % 2 * 16)));
    return (float)sum * (float)x->flag[first] + 0.5f;
}

static void check(const struct data *x)
{
    for (int g = 0; g < SUBGROUPS; g++) {
        for (int n = 0; n < S; n++) {
            for (int r = 0; r < ROWS; r++) {
                float got = x->d[(g * S + n) * ROWS + r], want = want_product(x, g, r, n);
                int at = (g * ROWS + r) * 32 + n;
                uint16_t copied = x->flag[g * S] ? (uint16_t)(x->from[at] + 1) : 0xa5a5;
                CHECK_MSG(got == want, "subgroup %d, row %d, column %d: %g, want %g", g, r, n, (double)got,
                          (double)want);
                CHECK_MSG(x->to[at] == copied, "subgroup %d, block row %d, column %d: %x, want %x", g, r, n, x->to[at],
                          copied);
                CHECK_INT(x->to[at + S], 0xa5a5); /* right of the block */
            }
        }
    }
}

TEST(products_and_blocks_under_masks)
{
    spe_module m;
    spe_words w;
    zed_module module;
    zed_kernel kernel;
    struct data x;
    CHECK_MSG(emit(&m), "%s", spe_get_error(&m)->text);
    w = spe_finish(&m);
    if (!w.data) return;
    test_save_spv("test_soft_masked", w.data, w.count * 4);
    x.flag = (uint32_t *)zed_alloc(&device, ZED_SHARED, LANES * 4, 64);
    x.a = (uint16_t *)zed_alloc(&device, ZED_SHARED, LANES * ROWS * 2, 64);
    x.b = (uint32_t *)zed_alloc(&device, ZED_SHARED, LANES * ROWS * 4, 64);
    x.d = (float *)zed_alloc(&device, ZED_SHARED, LANES * ROWS * 4, 64);
    x.from = (uint16_t *)zed_alloc(&device, ZED_SHARED, 64 * ROWS * SUBGROUPS, 64);
    x.to = (uint16_t *)zed_alloc(&device, ZED_SHARED, 64 * ROWS * SUBGROUPS, 64);
    if (zed_get_error(&device)->id == 0) fill(&x);
    if (zed_module_load(&module, &device, w.data, w.count * 4, NULL) &&
        zed_kernel_get(&kernel, &module, "masked", params_text) && zed_local_size(&kernel, GROUP, 1, 1))
        zed_launch(&kernel, (zed_groups){LANES / GROUP, 1, 1}, x.flag, x.a, x.b, x.d, x.from, x.to);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
    if (zed_get_error(&device)->id == 0) check(&x);
    spe_free(&m);
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(products_and_blocks_under_masks);
    zed_close(&device);
    return test_report();
}
