/* checked_ids.c - a kernel that uses much of spirv_emit.h, for test_spirv_ids.sh: with SPE_CHECK_IDS it compiles
 * without a warning, but with one of these mistakes it does not; without either, it is a module that spirv-val
 * accepts. */
#include "spirv_emit.h"
#include "test.h"

static spe_module m;

#if !defined(MISTAKE)
#define MISTAKE 0
#endif

/* What each mistake is: a number that is given an id, or an id that is given a number. */
static void mistakes(spe_id spec, spe_id i32, spe_id v, spe_id ptr)
{
    (void)spec, (void)i32, (void)v, (void)ptr;
#if MISTAKE == 1
    spe_array(&m, i32, spec);
#elif MISTAKE == 2
    spe_vec(&m, i32, spec);
#elif MISTAKE == 3
    spe_load(&m, ptr, v); /* an alignment */
#elif MISTAKE == 4
    spe_iadd(&m, v, 1);
#elif MISTAKE == 5
    spe_u32(&m, v);
#elif MISTAKE == 6
    spe_extract(&m, v, v);
#elif MISTAKE == 7
    spe_store(&m, ptr, 7, 0);
#elif MISTAKE == 8
    spe_control_barrier(&m, spe_u32(&m, SPE_ScopeWorkgroup), SPE_ScopeWorkgroup, 0);
#elif MISTAKE == 9
    spe_dpas(&m, i32, spe_u32(&m, 16), v, v, v, 0);
#elif MISTAKE == 10
    spe_coop_load(&m, i32, ptr, 0, 64); /* a stride */
#elif MISTAKE == 11
    spe_builtin(&m, SPE_GLOBAL_ID, v);
#elif MISTAKE == 12
    spe_atomic(&m, SPE_ATOMIC_IADD, ptr, 1, SPE_ScopeDevice, 0);
#elif MISTAKE == 13
    uint32_t n = spec;
    (void)n;
#elif MISTAKE == 14
    spe_bits_insert(&m, v, v, 3, v);
#endif
}

static spe_id sum(spe_id i32, spe_id n)
{
    spe_id carried[1], more;
    carried[0] = spe_i32(&m, 0);
    spe_id i = spe_for(&m, spe_i32(&m, 0), n, spe_i32(&m, 1), 1, carried);
    spe_if(&m, spe_slt(&m, i, spe_i32(&m, 5)));
    more = spe_imul(&m, i, i);
    spe_else(&m, 1, &more);
    more = spe_select(&m, spe_ieq(&m, i, n), n, i);
    spe_endif(&m, 1, &more, &more);
    carried[0] = spe_iadd(&m, carried[0], more);
    spe_endfor(&m, 1, carried);
    uint32_t words[2];
    words[0] = SPE_WORD(carried[0]), words[1] = SPE_WORD(n);
    return spe_op(&m, SPE_OpIAdd, i32, 2, words);
}

TEST(kernel_with_checked_ids)
{
    spe_param params[2];
    spe_kernel k;
    spe_begin(&m, NULL);
    spe_id i32 = spe_int(&m, 32), f32 = spe_float(&m, 32), spec = spe_spec_const(&m, i32, 16, 0), none = 0;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    params[0].type = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, f32);
    params[1].type = i32;
    k.name = "k", k.params = params, k.param_count = 2;
    spe_kernel_begin(&m, &k);
    spe_id n = spe_param_id(&m, 1), at = spe_index(&m, spe_param_id(&m, 0), spe_builtin(&m, SPE_GLOBAL_ID, 0));
    spe_id shared = spe_element(&m, spe_shared_var(&m, spe_array_sized(&m, i32, spec)), 1, &n);
    mistakes(spec, i32, n, at);
    spe_store(&m, shared, spe_bits_insert(&m, n, sum(i32, n), spe_u32(&m, 3), spe_u32(&m, 5)), 0);
    spe_barrier(&m);
    spe_id x = spe_fadd(&m, spe_load(&m, at, 4), spe_s_to_f(&m, f32, spe_load_volatile(&m, shared, 0)));
    x = spe_math2(&m, SPE_FMAX, x, spe_sg_reduce(&m, SPE_RED_ADD, x));
    x = spe_extract(&m, spe_splat(&m, spe_vec(&m, f32, 4), x), 3);
    spe_memory_barrier(&m, SPE_ScopeWorkgroup, SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsWorkgroupMemory);
    if (x == none || !x) x = spe_f32(&m, 0);
    spe_store(&m, at, x, 0);
    spe_kernel_end(&m);
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    test_save_spv("spirv_checked_ids", words.data, 4 * words.count);
    spe_free(&m);
}

int main(void)
{
    RUN(kernel_with_checked_ids);
    return test_report();
}
