/* lower/random.c - random numbers: Philox2x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1,
 * 2, 3). */
#include "../internal.h"

enum { XT_PHILOX_ROUNDS_ = 10 };
#define XT_PHILOX_TIMES_ 0xd256d193u
#define XT_PHILOX_STEP_ 0x9e3779b9u

uint32_t xt_random(uint32_t seed, uint32_t index)
{
    uint32_t low = index, high = 0;
    for (int i = 0; i < XT_PHILOX_ROUNDS_; i++, seed += XT_PHILOX_STEP_) {
        uint64_t product = (uint64_t)low * XT_PHILOX_TIMES_;
        low = (uint32_t)(product >> 32) ^ seed ^ high;
        high = (uint32_t)product;
    }
    return low;
}

static spe_id xt_random_one_(cm_ctx *c, cm_type type, spe_id index, spe_id seed, void *user)
{
    spe_module *m = c->module;
    spe_id u32 = spe_type_of(m, index), u64 = spe_vec(m, spe_int(m, 64), spe_count(m, u32)), low = index,
           high = spe_null(m, u32);
    (void)type, (void)user;
    for (int i = 0; i < XT_PHILOX_ROUNDS_; i++) {
        spe_id times = spe_const_u(m, u64, XT_PHILOX_TIMES_), product = spe_imul(m, spe_uconvert(m, u64, low), times);
        low = spe_uconvert(m, u32, spe_shr(m, product, spe_const_u(m, u64, 32)));
        low = spe_xor(m, spe_xor(m, low, seed), high);
        high = spe_uconvert(m, u32, product);
        seed = spe_iadd(m, seed, spe_const_u(m, u32, XT_PHILOX_STEP_));
    }
    return low;
}

XE_FN_ spe_id xt_random_id_(cm_ctx *c, const spe_id *v, void *user)
{
    return xt_random_one_(c, CM_U32, v[1], v[0], user);
}

XE_FN_ cm_matrix xt_random_block_(cm_ctx *c, const cm_matrix *const *v, void *user)
{
    return cm_map2(c, v[1], v[0], xt_random_one_, user);
}
