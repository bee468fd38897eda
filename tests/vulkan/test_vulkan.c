/* test_vulkan.c - modules for Vulkan, and kernels on a Vulkan device, if there is one (lavapipe will do). spirv_val.sh
 * checks the modules that are saved here, whose names begin with vulkan_, as Vulkan 1.3 does. */
#if !defined(__has_include)
#undef XETILE_DECLARATIONS
#elif !__has_include(<vulkan/vulkan_core.h>)
#undef XETILE_DECLARATIONS /* the library lacks Vulkan: this file has the bodies */
#endif
#include "test.h"

#if !defined(__has_include)
#define NO_VULKAN
#elif !__has_include(<vulkan/vulkan_core.h>)
#define NO_VULKAN
#endif

#include "xetile.h"
#include "vulkan_module.h"

#if !defined(NO_VULKAN)
#include "vk_dispatch.h"

static vkd_device device;
#endif

static const spe_options vulkan = {.env = SPE_ENV_VULKAN, .names = true};

/* Begins a module and a kernel whose parameters are in a text like "ptr<f32> x, u32 n". */
static void begin(spe_module *m, const char *name, const char *text, uint32_t local_size, spe_contract contract)
{
    spe_param params[40];
    spe_kernel k;
    uint32_t n = 0;
    spe_begin(m, &vulkan);
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    for (const char *at = text; *at; n++) {
        uint32_t storage = strncmp(at, "ptr<", 4) == 0 ? SPE_StorageClassCrossWorkgroup
                           : strncmp(at, "local<", 6) == 0 ? SPE_StorageClassWorkgroup : 0;
        const char *type = storage ? strchr(at, '<') + 1 : at;
        uint32_t bits = (uint32_t)strtoul(type + 1, NULL, 10);
        params[n].type = *type == 'f' ? spe_float(m, bits) : spe_int(m, bits);
        if (storage) params[n].type = spe_ptr(m, storage, params[n].type);
        at += strcspn(at, ",");
        at += strspn(at, ", ");
    }
    k.name = name;
    k.params = params;
    k.param_count = n;
    k.local_size[0] = local_size;
    k.contract = contract;
    spe_kernel_begin(m, &k);
}

static spe_id at(spe_module *m, uint32_t param, spe_id i) { return spe_index(m, spe_param_id(m, param), i); }

/* -- mathematics, of which test_vulkan_math.c has more */

static const spe_math_op functions[] = {SPE_EXP, SPE_EXP2, SPE_EXPM1, SPE_LOG, SPE_LOG2, SPE_TANH, SPE_ERF, SPE_ROUND,
                                        SPE_RINT, SPE_FLOOR, SPE_CEIL, SPE_TRUNC, SPE_FABS, SPE_SQRT, SPE_RSQRT};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static spe_words functions_module(spe_module *m)
{
    begin(m, "functions", "ptr<f32> x, ptr<f32> y, u32 n", 64, SPE_CONTRACT_OFF);
    spe_id i = spe_builtin(m, SPE_GLOBAL_ID, 0), x;
    spe_if(m, spe_ult(m, i, spe_param_id(m, 2)));
    x = spe_load(m, at(m, 0, i), 0);
    for (uint32_t f = 0; f < FUNCTIONS; f++)
        spe_store(m, at(m, 1, spe_iadd(m, spe_imul(m, i, spe_u32(m, FUNCTIONS)), spe_u32(m, f))),
                  spe_math1(m, functions[f], x), 0);
    spe_endif(m, 0, NULL, NULL);
    return finish(m, "functions");
}

/* -- vectors of 8 and 16 components: y[i] and z[i] are each component's, computed one by one by the reference */

static spe_words vectors_module(spe_module *m)
{
    begin(m, "vectors", "ptr<f32> x, ptr<f32> y, ptr<i32> z", 8, SPE_CONTRACT_OFF);
    spe_id f32 = spe_float(m, 32), i32 = spe_int(m, 32), v16 = spe_vec(m, f32, 16), v8 = spe_vec(m, f32, 8);
    spe_id i = spe_builtin(m, SPE_GLOBAL_ID, 0), x, y, half, bits, var, carried[1];
    uint32_t order[16];
    x = spe_load(m, spe_index(m, spe_ptr_cast(m, spe_param_id(m, 0), v16), i), 0);
    for (uint32_t k = 0; k < 16; k++) order[k] = (k * 5 + 3) % 16;
    y = spe_shuffle(m, x, x, 16, order);
    y = spe_select(m, spe_flt(m, x, y), spe_fadd(m, x, y), spe_fmul(m, x, y));
    y = spe_insert(m, y, spe_f32(m, 7.5f), 9);
    half = spe_shuffle(m, y, x, 8, order);                        /* of both */
    bits = spe_bitcast(m, spe_vec(m, spe_int(m, 64), 4), half);   /* 8 x 32 bits as 4 x 64, and back */
    half = spe_bitcast(m, v8, spe_iadd(m, bits, spe_splat(m, spe_vec(m, spe_int(m, 64), 4), spe_u64(m, 1))));
    var = spe_local_var(m, v16);
    spe_store(m, var, y, 0);
    spe_id index = spe_and(m, i, spe_u32(m, 15));
    spe_store(m, spe_element(m, var, 1, &index), spe_extract_dyn(m, half, spe_and(m, i, spe_u32(m, 7))), 0);
    carried[0] = spe_load(m, var, 0);
    spe_for(m, spe_u32(m, 0), spe_u32(m, 3), spe_u32(m, 1), 1, carried);
    carried[0] = spe_fadd(m, carried[0], x);
    spe_endfor(m, 1, carried);
    spe_store(m, spe_index(m, spe_ptr_cast(m, spe_param_id(m, 1), v16), i), carried[0], 4);
    spe_store(m, spe_index(m, spe_ptr_cast(m, spe_param_id(m, 2), spe_vec(m, i32, 16)), i),
              spe_f_to_s(m, spe_vec(m, i32, 16), carried[0]), 0);
    return finish(m, "vectors");
}

/* -- local memory: a reversal of numbers of 8, 16 and 32 bits, by a variable and by a parameter; counts by atomics */

static void reverse(spe_module *m, uint32_t from, uint32_t to, spe_id array, spe_id last)
{
    spe_id i = spe_builtin(m, SPE_LOCAL_ID, 0), other = spe_isub(m, last, i);
    spe_store(m, spe_index(m, array, i), spe_load(m, at(m, from, i), 0), 0);
    spe_barrier(m);
    spe_store(m, at(m, to, i), spe_load(m, spe_index(m, array, other), 0), 0);
    spe_barrier(m);
}

static spe_id first_of(spe_module *m, spe_id array)
{
    spe_id zero = spe_u32(m, 0);
    return spe_element(m, array, 1, &zero);
}

static spe_words local_module(spe_module *m)
{
    begin(m, "reversal", "ptr<i8> a, ptr<i8> b, ptr<f16> c, ptr<f16> d, ptr<f32> e, ptr<f32> f, "
          "local<f32> l, ptr<i32> n", 64, SPE_CONTRACT_ALLOWED);
    spe_id last = spe_isub(m, spe_builtin(m, SPE_LOCAL_SIZE, 0), spe_u32(m, 1)), count;
    reverse(m, 0, 1, first_of(m, spe_shared_var(m, spe_array(m, spe_int(m, 8), 64))), last);
    reverse(m, 2, 3, first_of(m, spe_shared_var(m, spe_array(m, spe_float(m, 16), 64))), last);
    reverse(m, 4, 5, spe_param_id(m, 6), last);
    count = spe_shared_var(m, spe_int(m, 32));
    spe_if(m, spe_ieq(m, spe_builtin(m, SPE_LOCAL_ID, 0), spe_u32(m, 0)));
    spe_store(m, count, spe_u32(m, 0), 0);
    spe_endif(m, 0, NULL, NULL);
    spe_barrier(m);
    spe_atomic(m, SPE_ATOMIC_IADD, count, spe_u32(m, 3), SPE_ScopeWorkgroup, 0);
    spe_atomic(m, SPE_ATOMIC_IADD, spe_param_id(m, 7), spe_u32(m, 1), SPE_ScopeDevice, 0);
    spe_barrier(m);
    spe_if(m, spe_ieq(m, spe_builtin(m, SPE_LOCAL_ID, 0), spe_u32(m, 0)));
    spe_store(m, at(m, 7, spe_u32(m, 1)), spe_load(m, count, 0), 0);
    spe_endif(m, 0, NULL, NULL);
    return finish(m, "reversal");
}

/* -- atomics of floats of 16 or 32 bits: the least, the largest, in memory and in local memory; sums in local memory */

enum { GROUP = 64 };

static const char *atomics_params(uint32_t bits)
{
    return bits == 16 ? "ptr<f16> x, ptr<f16> out, ptr<f16> old, ptr<f16> local_out"
                      : "ptr<f32> x, ptr<f32> out, ptr<f32> old, ptr<f32> local_out";
}

static spe_words float_atomics_module(spe_module *m, uint32_t bits)
{
    static const spe_atomic_op ops[] = {SPE_ATOMIC_FMIN, SPE_ATOMIC_FMAX, SPE_ATOMIC_FADD};
    begin(m, "float_atomics", atomics_params(bits), GROUP, SPE_CONTRACT_ALLOWED);
    spe_id i = spe_builtin(m, SPE_GLOBAL_ID, 0), x = spe_load(m, at(m, 0, i), 0);
    spe_id locals = first_of(m, spe_shared_var(m, spe_array(m, spe_float(m, bits), 3)));
    spe_if(m, spe_ult(m, spe_builtin(m, SPE_LOCAL_ID, 0), spe_u32(m, 3)));
    spe_id k = spe_builtin(m, SPE_LOCAL_ID, 0);
    spe_store(m, spe_index(m, locals, k), spe_load(m, at(m, 1, k), 0), 0);
    spe_endif(m, 0, NULL, NULL);
    spe_barrier(m);
    for (uint32_t op = 0; op < 3; op++)
        spe_atomic(m, ops[op], spe_index(m, locals, spe_u32(m, op)), x, SPE_ScopeWorkgroup, 0);
    spe_id before = spe_atomic(m, SPE_ATOMIC_FMIN, at(m, 1, spe_u32(m, 3)), x, SPE_ScopeDevice, 0);
    spe_atomic(m, SPE_ATOMIC_FMAX, at(m, 1, spe_u32(m, 4)), x, SPE_ScopeDevice, 0);
    spe_store(m, at(m, 2, i), before, 0);
    spe_barrier(m);
    spe_if(m, spe_ult(m, spe_builtin(m, SPE_LOCAL_ID, 0), spe_u32(m, 3)));
    k = spe_iadd(m, spe_imul(m, spe_builtin(m, SPE_GROUP_ID, 0), spe_u32(m, 3)), spe_builtin(m, SPE_LOCAL_ID, 0));
    spe_id place = spe_index(m, locals, spe_builtin(m, SPE_LOCAL_ID, 0));
    spe_id mine = bits == 16 ? spe_load(m, place, 0) : spe_atomic_load(m, place, SPE_ScopeWorkgroup, 0);
    spe_store(m, at(m, 3, k), mine, 0);
    spe_endif(m, 0, NULL, NULL);
    return finish(m, bits == 16 ? "half_atomics" : "float_atomics");
}

/* -- constants in memory, which each work-item has; barriers in two halves */

enum { CONSTANTS = 50 };
static int32_t constant(int i) { return i * i * 7 - 900; }
static double fraction(int i) { return constant(i) * 0.125; }

/* y[i] is one of the integers and z[i] one of the fractions: that which x of item i ^ 63 names, by local memory. */
static spe_words constants_module(spe_module *m)
{
    spe_id numbers[CONSTANTS], table[2];
    begin(m, "constants", "ptr<u32> x, ptr<i16> y, ptr<f64> z", 64, SPE_CONTRACT_ALLOWED);
    for (int k = 0; k < 2; k++) {
        spe_id type = k ? spe_float(m, 64) : spe_int(m, 16), array = spe_array(m, type, CONSTANTS);
        for (int i = 0; i < CONSTANTS; i++)
            numbers[i] = k ? spe_const_f(m, type, fraction(i)) : spe_const_i(m, type, constant(i));
        table[k] = spe_global_var(m, SPE_StorageClassUniformConstant, array,
                                  spe_composite_const(m, array, CONSTANTS, numbers));
    }
    spe_id local = spe_shared_var(m, spe_array(m, spe_int(m, 32), 64)), i = spe_builtin(m, SPE_LOCAL_ID, 0), other;
    spe_store(m, spe_element(m, local, 1, &i), spe_load(m, at(m, 0, i), 0), 0);
    spe_barrier_arrive(m);
    other = spe_xor(m, i, spe_u32(m, 63));
    spe_barrier_wait(m);
    other = spe_load(m, spe_element(m, local, 1, &other), 0);
    spe_store(m, at(m, 1, i), spe_load(m, spe_element(m, table[0], 1, &other), 0), 0);
    spe_store(m, at(m, 2, i), spe_load(m, spe_element(m, table[1], 1, &other), 0), 0);
    return finish(m, "constants");
}

/* -- more parameters than are pushed; numbers of all sizes */

static spe_words many_module(spe_module *m)
{
    char text[512] = "ptr<f64> out, i8 a, i16 b, f16 c, i64 d, f32 e";
    for (int i = 0; i < 16; i++) strcat(text, ", f64 x");
    begin(m, "many", text, 1, SPE_CONTRACT_ALLOWED);
    spe_id f64 = spe_float(m, 64), sum = spe_s_to_f(m, f64, spe_param_id(m, 1));
    sum = spe_fadd(m, sum, spe_s_to_f(m, f64, spe_param_id(m, 2)));
    sum = spe_fadd(m, sum, spe_fconvert(m, f64, spe_param_id(m, 3)));
    sum = spe_fadd(m, sum, spe_s_to_f(m, f64, spe_param_id(m, 4)));
    sum = spe_fadd(m, sum, spe_fconvert(m, f64, spe_param_id(m, 5)));
    for (uint32_t i = 0; i < 16; i++) sum = spe_fadd(m, sum, spe_param_id(m, 6 + i));
    spe_store(m, spe_param_id(m, 0), sum, 0);
    return finish(m, "many");
}

TEST(what_vulkan_lacks_is_an_error_that_names_it)
{
    spe_module m;
#define LACKS(part, ...)                                                                                               \
    begin(&m, "k", "ptr<f32> x, f64 d", 8, SPE_CONTRACT_ALLOWED);                                                      \
    __VA_ARGS__;                                                                                                       \
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_ENVIRONMENT);                                                             \
    CHECK_HAS(spe_get_error(&m)->text, part);                                                                          \
    spe_free(&m)
    LACKS("GenericPointer", spe_ptr_to_generic(&m, spe_param_id(&m, 0)));
    LACKS("no capability Subgroup2DBlockIOINTEL", spe_capability(&m, SPE_CapabilitySubgroup2DBlockIOINTEL));
    LACKS("Groups", spe_wg_reduce(&m, SPE_RED_ADD, spe_u32(&m, 1)));
    LACKS("decoration 41", spe_kernel_end(&m); spe_function_begin(&m, "f", spe_void(&m), 0, NULL);
          spe_export(&m, (spe_id)m.fn.id, "f"));
    LACKS("SPE_LGAMMA", spe_math1(&m, SPE_LGAMMA, spe_f32(&m, 1)));
    LACKS("no instruction 158, which needs the capability Kernel",
          spe_op(&m, 158 /* OpIsFinite */, spe_bool(&m), 1, (spe_id[]){spe_f32(&m, 1)}));
    LACKS("work_dim", spe_builtin(&m, SPE_WORK_DIM, 0));
    LACKS("CrossDevice", spe_atomic(&m, SPE_ATOMIC_IADD, spe_ptr_cast(&m, spe_param_id(&m, 0), spe_int(&m, 32)),
                                    spe_u32(&m, 1), SPE_ScopeCrossDevice, 0));
    LACKS("OpenCL.std is not Vulkan's", spe_ext(&m, spe_float(&m, 32), 1, 0, NULL));
    LACKS("of 64 bits to nearest floats only",
          spe_cast_as(&m, spe_float(&m, 32), spe_u64(&m, 3), &(spe_conversion){.rounded = true, .rounding = 1}));
    LACKS("is not initialized", spe_global_var(&m, SPE_StorageClassWorkgroup, spe_int(&m, 32), spe_u32(&m, 1)));
    LACKS("no variables in global memory",
          spe_global_var(&m, SPE_StorageClassCrossWorkgroup, spe_int(&m, 32), spe_u32(&m, 1)));
    LACKS("constant ones without a value", spe_global_var(&m, SPE_StorageClassUniformConstant, spe_int(&m, 32), 0));
    LACKS("atomics of i64 in local memory",
          spe_atomic(&m, SPE_ATOMIC_IADD, spe_shared_var(&m, spe_int(&m, 64)), spe_u64(&m, 1), SPE_ScopeWorkgroup, 0));
    LACKS("takes integers of 32 bits", spe_bit_count(&m, spe_const_u(&m, spe_int(&m, 16), 3)));
    LACKS("private memory cannot be moved", spe_index(&m, spe_local_var(&m, spe_int(&m, 32)), spe_u64(&m, 1)));
    LACKS("private memory keep their type", spe_ptr_cast(&m, spe_local_var(&m, spe_int(&m, 32)), spe_float(&m, 32)));
    LACKS("with pointers to themselves", spe_ptr_forward(&m, SPE_StorageClassCrossWorkgroup));
#undef LACKS
    begin(&m, "k", "u32 n", 0, SPE_CONTRACT_ALLOWED);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_ENVIRONMENT);
    CHECK_HAS(spe_get_error(&m)->text, "local size");
    spe_free(&m);
    spe_options old = vulkan;
    old.version = SPE_VERSION(1, 4);
    CHECK(!spe_begin(&m, &old));
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_VERSION);
    spe_free(&m);
}

XT_KERNEL (add, ptr(f32, X), ptr(f32, Y), ptr(f32, Z), u32(N))
{
    const xt_map map = XT_MAP(.sg_layout = {1, 4}, .sg_data = {1, 128});
    xt_val first = XT_MUL(XT_GROUP_ID(0), 512);
    xt_tile x = XT_INIT_TILE(X, f32, 1, 512, .offset = XT_AT(0, first), .shape = XT_AT(1, N), .map = map);
    xt_tile y = XT_INIT_TILE(Y, f32, 1, 512, .offset = XT_AT(0, first), .shape = XT_AT(1, N), .map = map);
    xt_tile z = XT_INIT_TILE(Z, f32, 1, 512, .offset = XT_AT(0, first), .shape = XT_AT(1, N), .map = map);
    XT_STORE_TILE(XT_ADD(XT_LOAD_TILE(x), XT_LOAD_TILE(y)), z);
}

/* exp(A B), ragged, by four subgroups. */
XT_KERNEL (product, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    xt_val m = XT_MUL(XT_GROUP_ID(1), 32), n = XT_MUL(XT_GROUP_ID(0), 32);
    xt_tile a = XT_INIT_TILE(A, f16, 32, 32, .offset = XT_AT(m, 0), .shape = XT_AT(M, K),
                             .map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 32}));
    xt_tile b = XT_INIT_TILE(B, f16, 32, 32, .offset = XT_AT(0, n), .shape = XT_AT(K, N),
                             .map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {32, 16}));
    xt_vec c = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b));
    xt_tile t = XT_INIT_TILE(C, f32, 32, 32, .offset = XT_AT(m, n), .shape = XT_AT(M, N),
                             .map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 16}));
    XT_STORE_TILE(XT_EXP(c), t);
}

/* D = A B + C of few rows by one subgroup: dot products over its lanes. */
static void few(XT_CONTEXT, int rows, int depth, int cols, xt_val A, xt_val B, xt_val C, xt_val D)
{
    const xt_map map = XT_MAP(.sg_layout = {1, 1}, .sg_data = {rows, cols});
    const xt_map map_a = xt_map_mma_a(&map, depth), map_b = xt_map_mma_b(&map, depth);
    xt_vec a = XT_LOAD_TILE(XT_INIT_TILE(A, of(A), rows, depth, .shape = XT_AT(rows, depth), .map = map_a));
    xt_vec b = XT_LOAD_TILE(XT_INIT_TILE(B, of(B), depth, cols, .shape = XT_AT(depth, cols), .map = map_b));
    xt_vec c = XT_LOAD_TILE(XT_INIT_TILE(C, of(C), rows, cols, .shape = XT_AT(rows, cols), .map = map));
    XT_STORE_TILE(XT_TILE_MMA(a, b, c), XT_INIT_TILE(D, of(D), rows, cols, .shape = XT_AT(rows, cols), .map = map));
}
#define FEW(name, T, S, rows, depth, cols)                                                                             \
    XT_KERNEL (name, ptr(T, A), ptr(T, B), ptr(S, C), ptr(S, D)) { few(XT_SELF, rows, depth, cols, A, B, C, D); }
FEW(few_1_32_1, f32, f32, 1, 32, 1)
FEW(few_2_64_3, i32, i32, 2, 64, 3)
FEW(few_3_72_5, f32, f32, 3, 72, 5)
FEW(few_4_40_2, i32, i32, 4, 40, 2)

/* Sums of rows that four subgroups share: through local memory. */
XT_KERNEL (sums, ptr(f32, X), ptr(f32, Y), u32(M), u32(N))
{
    xt_val m = XT_MUL(XT_GROUP_ID(0), 16);
    xt_map rows = XT_MAP(.sg_layout = {1, 4}, .sg_data = {16, 16});
    xt_tile x = XT_INIT_TILE(X, f32, 16, 64, .offset = XT_AT(m, 0), .shape = XT_AT(M, N), .map = rows);
    xt_tile y = XT_INIT_TILE(Y, f32, 16, 64, .offset = XT_AT(m, 0), .shape = XT_AT(M, N), .map = rows);
    xt_vec s = XT_REDUCTION(add, XT_LOAD_TILE(x), 1);
    XT_STORE_TILE(XT_BROADCAST(s, 1, 64, .map = rows, .source = s.map), y);
}

/* Each element times one of a table, whose rows two subgroups share. */
enum { TABLE_ROWS = 6, TABLE_COLS = 32 };
static double weights[TABLE_ROWS * TABLE_COLS];

XT_KERNEL (weighted, ptr(f32, X), ptr(f32, Y))
{
    xt_map halves = XT_MAP(.sg_layout = {1, 2}, .sg_data = {TABLE_ROWS, TABLE_COLS / 2});
    xt_index all = XT_AT(TABLE_ROWS, TABLE_COLS);
    xt_vec table = XT_CAST(f32, XT_TABLE(f16, TABLE_ROWS, TABLE_COLS, weights, .map = halves));
    xt_vec x = XT_LOAD_TILE(XT_INIT_TILE(X, f32, TABLE_ROWS, TABLE_COLS, .shape = all, .map = halves));
    XT_STORE_TILE(XT_MUL(x, table), XT_INIT_TILE(Y, f32, TABLE_ROWS, TABLE_COLS, .shape = all, .map = halves));
}

#if defined(NO_VULKAN)

TEST(modules_are_valid)
{
    spe_module m;
    spe_words (*const modules[])(spe_module *) = {functions_module, vectors_module, local_module,
                                                    constants_module, many_module};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        modules[i](&m);
        spe_free(&m);
    }
    for (uint32_t bits = 16; bits <= 32; bits *= 2) {
        float_atomics_module(&m, bits);
        spe_free(&m);
    }
}

int main(void)
{
    RUN(what_vulkan_lacks_is_an_error_that_names_it);
    RUN(modules_are_valid);
    printf("skipped: Vulkan's headers are missing\n");
    test_.skipped++;
    return test_report();
}

#else

static double between(double low, double high) { return low + (high - low) * test_uniform(); }

static bool get_kernel(vkd_kernel *k, vkd_module *module, spe_words w, const char *name, const char *params)
{
    return vkd_module_load(module, &device, w.data, w.count * 4) && vkd_kernel_get(k, module, name, params);
}

static void check_device(void)
{
    if (vkd_get_error(&device)->id) test_fail(__FILE__, __LINE__, "%s", vkd_get_error(&device)->text);
    vkd_clear_error(&device);
}

TEST(vectors_of_8_and_16_components)
{
    enum { N = 64 };
    spe_module m;
    vkd_kernel k;
    vkd_module module;
    spe_words w = vectors_module(&m);
    float *x = (float *)vkd_alloc(&device, VKD_SHARED, N * 64, 0);
    float *y = (float *)vkd_alloc(&device, VKD_SHARED, N * 64, 0);
    int32_t *z = (int32_t *)vkd_alloc(&device, VKD_SHARED, N * 64, 0);
    for (int i = 0; x && i < N * 16; i++) x[i] = (float)between(-9, 9);
    vkd_fill(&device, y, 0xff, N * 64), vkd_fill(&device, z, 0xff, N * 64);
    if (get_kernel(&k, &module, w, "vectors", "ptr<f32> x, ptr<f32> y, ptr<i32> z"))
        vkd_launch(&k, (vkd_groups){N / 8, 1, 1}, x, y, z);
    check_device();
    for (int i = 0; x && i < N; i++) {
        float v[16], half[8];
        for (int c = 0; c < 16; c++) {
            float a = x[i * 16 + c], b = x[i * 16 + (c * 5 + 3) % 16];
            v[c] = a < b ? a + b : a * b;
        }
        v[9] = 7.5f;
        for (int c = 0; c < 8; c++) half[c] = v[(c * 5 + 3) % 16];
        for (int c = 0; c < 8; c += 2) { /* 1 is added to the lower of two words: no carry but from all ones */
            uint32_t bits;
            memcpy(&bits, &half[c], 4);
            bits++;
            memcpy(&half[c], &bits, 4);
        }
        v[i % 16] = half[i % 8];
        for (int c = 0; c < 16; c++) {
            for (int turn = 0; turn < 3; turn++) v[c] += x[i * 16 + c];
            CHECK_MSG(y[i * 16 + c] == v[c] && z[i * 16 + c] == (int32_t)v[c],
                      "vector %d, component %d: %.9g and %d, not %.9g", i, c, (double)y[i * 16 + c],
                      z[i * 16 + c], (double)v[c]);
        }
    }
    vkd_free(&device, x), vkd_free(&device, y), vkd_free(&device, z);
    vkd_module_free(&module);
    spe_free(&m);
}

TEST(local_memory_by_bytes_halves_words_and_atomics)
{
    spe_module m;
    vkd_kernel k;
    vkd_module module;
    spe_words w = local_module(&m);
    uint8_t *p[6];
    static const size_t size[3] = {1, 2, 4};
    int32_t *n = (int32_t *)vkd_alloc(&device, VKD_SHARED, 8, 0);
    for (int i = 0; i < 6; i++) {
        p[i] = (uint8_t *)vkd_alloc(&device, VKD_SHARED, 64 * 4, 0);
        for (size_t b = 0; p[i] && b < 64 * 4; b++) p[i][b] = i % 2 ? 0xaa : (uint8_t)(b * 37 + 11 + (b >> 3));
    }
    n[0] = 5, n[1] = -1;
    if (get_kernel(&k, &module, w, "reversal", "ptr<i8> a, ptr<i8> b, ptr<f16> c, ptr<f16> d, ptr<f32> e, ptr<f32> f, "
                   "local<f32> l, ptr<i32> n"))
        vkd_launch(&k, (vkd_groups){1, 1, 1}, (void *)p[0], (void *)p[1], (void *)p[2], (void *)p[3], (void *)p[4],
                   (void *)p[5], (vkd_local){64 * 4}, n);
    check_device();
    for (int t = 0; t < 3; t++) {
        for (size_t i = 0; i < 64; i++)
            CHECK_MSG(!memcmp(p[2 * t] + i * size[t], p[2 * t + 1] + (63 - i) * size[t], size[t]),
                      "%zu bytes, number %zu", size[t], i);
    }
    CHECK_INT(n[0], 5 + 64);
    CHECK_INT(n[1], 3 * 64);
    for (int i = 0; i < 6; i++) vkd_free(&device, p[i]);
    vkd_free(&device, n);
    vkd_module_free(&module);
    spe_free(&m);
}

TEST(constants_in_memory_and_barriers_in_two_halves)
{
    spe_module m;
    vkd_kernel k;
    vkd_module module;
    spe_words w = constants_module(&m);
    uint32_t *x = (uint32_t *)vkd_alloc(&device, VKD_SHARED, 64 * 4, 0);
    int16_t *y = (int16_t *)vkd_alloc(&device, VKD_SHARED, 64 * 2, 0);
    double *z = (double *)vkd_alloc(&device, VKD_SHARED, 64 * 8, 0);
    for (int i = 0; i < 64; i++) x[i] = (uint32_t)(test_random() % CONSTANTS), y[i] = 1, z[i] = 1;
    if (get_kernel(&k, &module, w, "constants", "ptr<u32> x, ptr<i16> y, ptr<f64> z"))
        vkd_launch(&k, (vkd_groups){1, 1, 1}, x, y, z);
    check_device();
    for (int i = 0; i < 64; i++) {
        int n = (int)x[i ^ 63];
        CHECK_MSG(y[i] == constant(n) && z[i] == fraction(n), "%d: %d and %g of %d", i, y[i], z[i], n);
    }
    vkd_free(&device, x), vkd_free(&device, y), vkd_free(&device, z);
    vkd_module_free(&module);
    spe_free(&m);
}

TEST(parameters_beyond_what_is_pushed)
{
    char params[512] = "ptr<f64> out, i8 a, i16 b, f16 c, i64 d, f32 e";
    spe_module m;
    vkd_kernel k;
    vkd_module module;
    vkd_arg args[22];
    spe_words w = many_module(&m);
    double *out = (double *)vkd_alloc(&device, VKD_SHARED, sizeof *out, 0), want = -5 - 300 + 1.5 + 1e10 + 0.25;
    *out = NAN;
    args[0] = vkd_arg_ptr(out), args[1] = vkd_arg_i(-5), args[2] = vkd_arg_i(-300), args[3] = vkd_arg_f(1.5);
    args[4] = vkd_arg_i(10000000000), args[5] = vkd_arg_f(0.25);
    for (int i = 0; i < 16; i++) {
        size_t used = strlen(params);
        snprintf(params + used, sizeof params - used, ", f64 x%d", i);
        args[6 + i] = vkd_arg_f(i * 1.25);
        want += i * 1.25;
    }
    if (get_kernel(&k, &module, w, "many", params)) {
        CHECK(k.in_memory_);
        vkd_launch_n(&k, (vkd_groups){1, 1, 1}, args, 22);
    }
    check_device();
    CHECK_MSG(*out == want, "%.17g, not %.17g", *out, want); /* exact: few bits */
    vkd_free(&device, out);
    vkd_module_free(&module);
    spe_free(&m);
}

/* Positive, negative and mixed numbers, with zeros of both signs, infinities and NaN, which count as none. */
/* Elements of such a kernel's memory. */
static double float_at(uint32_t bits, const void *memory, int i)
{
    return bits == 16 ? (double)spe_f16_bits_to_f32(((const uint16_t *)memory)[i]) : (double)((const float *)memory)[i];
}
static void put_float(uint32_t bits, void *memory, int i, double v)
{
    if (bits == 16) ((uint16_t *)memory)[i] = spe_f32_to_f16_bits((float)v);
    else ((float *)memory)[i] = (float)v;
}

/* What a work-group's 64 numbers x have given: the least and the largest with 4 and -4, and the sum. */
static void check_group_atomics(uint32_t bits, int turn, const void *x, int group, const void *locals)
{
    double least = 4, most = -4, sum = 0, size = 0, got[3];
    for (int i = group * GROUP; i < (group + 1) * GROUP; i++) {
        double v = float_at(bits, x, i);
        least = fmin(least, v), most = fmax(most, v), sum += v, size += fabs(v);
    }
    for (int i = 0; i < 3; i++) got[i] = float_at(bits, locals, group * 3 + i);
    CHECK_MSG(got[0] == least && got[1] == most, "f%d, turn %d, group %d: %g to %g, not %g to %g", (int)bits, turn,
              group, got[0], got[1], least, most);
    bool same = isnan(sum) || isinf(sum) ? isnan(sum) == !!isnan(got[2]) && isinf(sum) == !!isinf(got[2])
                                         : fabs(got[2] - sum) <= GROUP * (bits == 16 ? 0x1p-11 : 0x1p-24) * size;
    CHECK_MSG(same, "f%d, turn %d, group %d: sum %g, not %g", (int)bits, turn, group, got[2], sum);
}

/* Numbers without a sign, with it, both; NaNs; zeros of both signs; infinities. */
static void atomics_of(uint32_t bits)
{
    enum { GROUPS = 5, N = GROUPS * GROUP };
    static const double before[] = {4, -4, 0, 4, -4};
    spe_module m;
    vkd_kernel k;
    vkd_module module;
    spe_words w = float_atomics_module(&m, bits);
    void *x = vkd_alloc(&device, VKD_SHARED, N * 4, 0), *out = vkd_alloc(&device, VKD_SHARED, 64, 0);
    void *old = vkd_alloc(&device, VKD_SHARED, N * 4, 0), *locals = vkd_alloc(&device, VKD_SHARED, GROUPS * 12, 0);
    bool ok = get_kernel(&k, &module, w, "float_atomics", atomics_params(bits));
    for (int turn = 0; ok && turn < 6; turn++) {
        double low = turn % 3 == 1 ? 0 : -9, high = turn % 3 == 2 ? 0 : 9, least = 4, most = -4;
        for (int i = 0; i < N; i++) put_float(bits, x, i, turn > 2 && i % 7 == 3 ? NAN : between(low, high));
        if (turn > 3) {
            put_float(bits, x, 11, -0.0), put_float(bits, x, 12, 0);
            put_float(bits, x, 13, turn == 4 ? INFINITY : -INFINITY);
        }
        for (int i = 0; i < 5; i++) put_float(bits, out, i, before[i]);
        vkd_fill(&device, old, 0xff, N * 4), vkd_fill(&device, locals, 0xff, GROUPS * 12);
        vkd_launch(&k, (vkd_groups){GROUPS, 1, 1}, x, out, old, locals);
        check_device();
        for (int g = 0; g < GROUPS; g++) check_group_atomics(bits, turn, x, g, locals);
        for (int i = 0; i < N; i++) least = fmin(least, float_at(bits, x, i)), most = fmax(most, float_at(bits, x, i));
        double got[2] = {float_at(bits, out, 3), float_at(bits, out, 4)};
        CHECK_MSG(got[0] == least && got[1] == most, "f%d, turn %d: %g to %g, not %g to %g", (int)bits, turn, got[0],
                  got[1], least, most);
        for (int i = 0; i < N; i++) {
            double was = float_at(bits, old, i);
            CHECK_MSG(was >= least && was <= 4, "f%d, turn %d: before %d it was %g", (int)bits, turn, i, was);
        }
    }
    check_device();
    vkd_free(&device, x), vkd_free(&device, out), vkd_free(&device, old), vkd_free(&device, locals);
    vkd_module_free(&module);
    spe_free(&m);
}

TEST(atomics_of_floats)
{
    atomics_of(32);
    atomics_of(16);
}

/* Kernels of xetile.h, from the same source as on Level Zero. */
TEST(kernels_of_xetile)
{
    enum { N = 5003, ROWS = 45, COLS = 61, DEPTH = 32 };
    vkd_kernel k;
    xt_module mod = XT_BUILD(add, &(xt_target){VKD_TARGET(&device)});
    float *x = (float *)vkd_alloc(&device, VKD_SHARED, N * 4, 0);
    float *y = (float *)vkd_alloc(&device, VKD_SHARED, N * 4, 0);
    float *z = (float *)vkd_alloc(&device, VKD_SHARED, N * 4, 0);
    uint16_t *a = (uint16_t *)vkd_alloc(&device, VKD_SHARED, ROWS * DEPTH * 2, 0);
    uint16_t *b = (uint16_t *)vkd_alloc(&device, VKD_SHARED, DEPTH * COLS * 2, 0);
    CHECK_MSG(mod.words, "%s", mod.error->text);
    check_device();
    for (int i = 0; i < N; i++) x[i] = (float)between(-1, 1), y[i] = (float)between(-1, 1);
    vkd_fill(&device, z, 0xff, N * 4);
    test_save_spv("vulkan_add", mod.words, mod.size);
    if (VKD_LOAD(&k, &device, mod)) vkd_launch(&k, (vkd_groups){(N + 511) / 512, 1, 1}, x, y, z, (int)N);
    check_device();
    for (int i = 0; i < N; i++) CHECK_MSG(z[i] == x[i] + y[i], "sum %d: %.9g", i, (double)z[i]);
    xt_free(&mod);

    mod = XT_BUILD(product, &(xt_target){VKD_TARGET(&device)});
    CHECK_MSG(mod.words, "%s", mod.error->text);
    test_save_spv("vulkan_product", mod.words, mod.size);
    for (int i = 0; i < ROWS * DEPTH; i++) a[i] = spe_f32_to_f16_bits((float)between(-1, 1));
    for (int i = 0; i < DEPTH * COLS; i++) b[i] = spe_f32_to_f16_bits((float)between(-1, 1));
    vkd_fill(&device, z, 0xff, N * 4);
    if (VKD_LOAD(&k, &device, mod)) vkd_launch(&k, (vkd_groups){2, 2, 1}, a, b, z, (int)ROWS, (int)COLS, (int)DEPTH);
    check_device();
    for (int i = 0; i < ROWS * COLS; i++) {
        double sum = 0;
        for (int d = 0; d < DEPTH; d++)
            sum += (double)spe_f16_bits_to_f32(a[i / COLS * DEPTH + d]) * spe_f16_bits_to_f32(b[d * COLS + i % COLS]);
        /* 32 products of magnitude 1 at most, rounded to f32: 32 * 2^-24 in the exponent, and 3 units of exp */
        CHECK_MSG(fabs(z[i] - exp(sum)) <= exp(sum) * 4e-6, "element %d: %.9g, not %.9g", i, (double)z[i], exp(sum));
    }
    xt_free(&mod);

    mod = XT_BUILD(sums, &(xt_target){VKD_TARGET(&device)});
    CHECK_MSG(mod.words, "%s", mod.error->text);
    test_save_spv("vulkan_sums", mod.words, mod.size);
    vkd_fill(&device, z, 0xff, N * 4);
    if (VKD_LOAD(&k, &device, mod)) vkd_launch(&k, (vkd_groups){3, 1, 1}, x, z, 48, 64);
    check_device();
    for (int i = 0; i < 48 * 64; i++) {
        double sum = 0;
        for (int c = 0; c < 64; c++) sum += x[i / 64 * 64 + c];
        CHECK_MSG(fabs(z[i] - sum) <= 64 * 0x1p-24 * 8, "sum of row %d: %.9g, not %.9g", i / 64, (double)z[i], sum);
    }
    xt_free(&mod);

    for (int i = 0; i < TABLE_ROWS * TABLE_COLS; i++) weights[i] = i * 0.25 - 20; /* exact in f16 */
    mod = XT_BUILD(weighted, &(xt_target){VKD_TARGET(&device)});
    CHECK_MSG(mod.words, "%s", mod.error->text);
    test_save_spv("vulkan_weighted", mod.words, mod.size);
    vkd_fill(&device, z, 0xff, N * 4);
    if (VKD_LOAD(&k, &device, mod)) vkd_launch(&k, (vkd_groups){1, 1, 1}, x, z);
    check_device();
    for (int i = 0; i < TABLE_ROWS * TABLE_COLS; i++)
        CHECK_MSG(z[i] == x[i] * (float)weights[i], "weighted %d: %.9g", i, (double)z[i]);
    xt_free(&mod);
    vkd_free(&device, x), vkd_free(&device, y), vkd_free(&device, z), vkd_free(&device, a), vkd_free(&device, b);
}

TEST(batches_and_copies)
{
    enum { N = 3001 };
    vkd_kernel k;
    vkd_batch batch;
    xt_module mod = XT_BUILD(add, &(xt_target){VKD_TARGET(&device)});
    float *x = (float *)vkd_alloc(&device, VKD_DEVICE, N * 4, 0);
    float *y = (float *)vkd_alloc(&device, VKD_DEVICE, N * 4, 0);
    float *host = (float *)malloc(N * 4), *back = (float *)malloc(N * 4);
    for (int i = 0; i < N; i++) host[i] = (float)(i % 97) - 48;
    vkd_copy(&device, x, host, N * 4);
    vkd_fill_pattern(&device, y, &host[7], 4, N * 4);
    VKD_LOAD(&k, &device, mod);
    vkd_batch_begin_timed(&batch, &device);
    vkd_batch_launch(&batch, &k, (vkd_groups){(N + 511) / 512, 1, 1}, x, y, y, (int)N); /* y = host[7] + x */
    vkd_batch_launch(&batch, &k, (vkd_groups){(N + 511) / 512, 1, 1}, y, y, y, (int)N); /* twice that */
    vkd_batch_copy(&batch, x, y + 1, (N - 1) * 4);
    vkd_batch_end(&batch);
    vkd_copy(&device, back, x, N * 4);
    check_device();
    for (int i = 0; i + 1 < N; i++)
        CHECK_MSG(back[i] == 2 * (host[7] + host[i + 1]), "element %d: %g", i, (double)back[i]);
    CHECK(vkd_batch_ns(&batch, 0) >= 0);
    CHECK(vkd_batch_ns(&batch, 1) >= 0);
    vkd_copy(&device, x, host, N * 4);
    vkd_fill_pattern(&device, y, &host[7], 4, N * 4);
    for (int run = 0; run < 2; run++) vkd_batch_run(&batch);
    vkd_copy(&device, back, y, N * 4);
    check_device();
    for (int i = 0; i + 1 < N; i++) { /* the second run begins with x and y of the first, moved by one */
        float first = 2 * (host[7] + host[i]), moved = 2 * (host[7] + host[i + 1]);
        CHECK_MSG(back[i] == 2 * (first + moved), "element %d after two runs: %g", i, (double)back[i]);
    }
    vkd_batch_free(&batch);
    xt_free(&mod);
    free(host), free(back);
    vkd_free(&device, x), vkd_free(&device, y);
}

/* Expects an error with this id and part of its text, and clears it. */
static void expect(int line, int id, const char *part)
{
    const vkd_error *e = vkd_get_error(&device);
    if (e->id != id || !strstr(e->text, part))
        test_fail(__FILE__, line, "%s: %s", e->name ? e->name : "no error", e->text);
    vkd_clear_error(&device);
}

/* A kernel with a variable of so many bytes in local memory. */
static spe_words local_bytes_module(spe_module *m, uint32_t bytes)
{
    begin(m, "fill", "ptr<i32> x", 8, SPE_CONTRACT_ALLOWED);
    spe_id i = spe_builtin(m, SPE_LOCAL_ID, 0), array = spe_shared_var(m, spe_array(m, spe_int(m, 32), bytes / 4));
    spe_store(m, spe_element(m, array, 1, &i), i, 0);
    spe_store(m, at(m, 0, i), spe_load(m, spe_element(m, array, 1, &i), 0), 0);
    return finish(m, "local_bytes");
}

static double number_at(bool is_float, const void *x, int i)
{
    return is_float ? (double)((const float *)x)[i] : ((const int32_t *)x)[i];
}

/* Integers are exact; floats within the roundings of a sum of so many. */
static void check_few(const xt_kernel *kernel, bool floats, int rows, int depth, int cols)
{
    enum { MOST = 512 };
    void *x[4];
    vkd_kernel k;
    xt_module mod = XT_BUILD(*kernel, &(xt_target){VKD_TARGET(&device)});
    CHECK_MSG(mod.words, "%s", mod.error->text);
    for (int i = 0; i < 4; i++) {
        x[i] = vkd_alloc(&device, VKD_SHARED, MOST * 4, 0);
        for (int n = 0; n < MOST; n++) {
            float value = (float)between(-99, 99);
            int32_t whole = (int32_t)value;
            memcpy((char *)x[i] + n * 4, floats ? (void *)&value : (void *)&whole, 4);
        }
    }
    vkd_fill(&device, x[3], 0xff, MOST * 4);
    if (VKD_LOAD(&k, &device, mod)) vkd_launch(&k, (vkd_groups){1, 1, 1}, x[0], x[1], x[2], x[3]);
    check_device();
    for (int i = 0; i < rows * cols; i++) {
        double sum = number_at(floats, x[2], i), size = fabs(sum);
        for (int d = 0; d < depth; d++) {
            double one = number_at(floats, x[0], i / cols * depth + d) * number_at(floats, x[1], d * cols + i % cols);
            sum += one, size += fabs(one);
        }
        double got = number_at(floats, x[3], i), error = floats ? (depth + 1) * 0x1p-24 * size : 0;
        CHECK_MSG(fabs(got - sum) <= error, "%s, element %d: %.9g, not %.9g", kernel->name, i, got, sum);
    }
    for (int i = 0; i < 4; i++) vkd_free(&device, x[i]);
    xt_free(&mod);
}

TEST(products_of_few_rows)
{
    check_few(&few_1_32_1, true, 1, 32, 1);
    check_few(&few_2_64_3, false, 2, 64, 3);
    check_few(&few_3_72_5, true, 3, 72, 5);
    check_few(&few_4_40_2, false, 4, 40, 2);
}

TEST(all_local_memory_may_be_taken_and_no_more)
{
    uint32_t most = (uint32_t)device.target.local_memory;
    for (uint32_t more = 0; more <= 4; more += 4) {
        spe_module m;
        vkd_module module;
        vkd_kernel k;
        spe_words w = local_bytes_module(&m, most + more);
        CHECK(vkd_module_load(&module, &device, w.data, w.count * 4));
        CHECK_INT(vkd_kernel_get(&k, &module, "fill", "ptr<i32> x"), more == 0);
        if (more) expect(__LINE__, VKD_LOCAL_MEMORY, "bytes of local memory");
        vkd_module_free(&module);
        spe_free(&m);
    }
}

/* Y = X' by way of the end of 24,000 bytes of local memory. */
static void turn(XT_CONTEXT, int bytes, xt_val X, xt_val Y)
{
    enum { SIDE = 16 };
    const int lines = 24000 / bytes / SIDE, last = lines - SIDE;
    xt_val array = XT_LOCAL(of(X), lines * SIDE);
    xt_tile to = XT_INIT_TILE(array, of(X), SIDE, SIDE, .offset = XT_AT(last, 0), .shape = XT_AT(lines, SIDE));
    xt_tile from = XT_INIT_TILE(array, of(X), SIDE, SIDE, .offset = XT_AT(0, last), .shape = XT_AT(SIDE, lines),
                                .strides = XT_AT(1, SIDE), .order = {0, 1});
    XT_STORE_TILE(XT_LOAD_TILE(XT_INIT_TILE(X, of(X), SIDE, SIDE, .shape = XT_AT(SIDE, SIDE))), to);
    XT_BARRIER();
    XT_STORE_TILE(XT_LOAD_TILE(from), XT_INIT_TILE(Y, of(X), SIDE, SIDE, .shape = XT_AT(SIDE, SIDE)));
}
XT_KERNEL (turn_words, ptr(f32, X), ptr(f32, Y)) { turn(XT_SELF, 4, X, Y); }
XT_KERNEL (turn_halves, ptr(f16, X), ptr(f16, Y)) { turn(XT_SELF, 2, X, Y); }

/* Each kernel of a module has local memory of its own; here there is not room for that of both. */
TEST(kernels_of_one_module_each_have_local_memory)
{
    enum { SIDE = 16, BYTES = SIDE * SIDE * 4 };
    const xt_target target = {VKD_TARGET(&device)};
    const xt_build_desc list[2] = {XT_DESC(turn_words, &target), XT_DESC(turn_halves, &target)};
    xt_module mods[2];
    unsigned char *x = (unsigned char *)vkd_alloc(&device, VKD_SHARED, BYTES, 0);
    unsigned char *y = (unsigned char *)vkd_alloc(&device, VKD_SHARED, BYTES, 0);
    CHECK_MSG(xt_build_all(mods, list, 2), "%s", mods[0].error->text);
    test_save_spv("vulkan_two_kernels", mods[0].words, mods[0].size);
    for (int i = 0; i < BYTES; i++) x[i] = (unsigned char)(i * 7 + i / 256);
    for (int i = 0; i < 2; i++) {
        vkd_kernel k;
        size_t size = i ? 2 : 4;
        vkd_fill(&device, y, 0xff, BYTES);
        if (VKD_LOAD(&k, &device, mods[i])) vkd_launch(&k, (vkd_groups){1, 1, 1}, (void *)x, (void *)y);
        check_device();
        CHECK_INT(k.local_bytes, 24000);
        for (size_t e = 0; e < SIDE * SIDE; e++)
            CHECK_MSG(!memcmp(y + e * size, x + (e % SIDE * SIDE + e / SIDE) * size, size), "element %d", (int)e);
    }
    xt_free(&mods[0]), xt_free(&mods[1]);
    vkd_free(&device, x), vkd_free(&device, y);
}

/* A module that asks for a capability loads where the device has it; elsewhere the error names it. */
TEST(capabilities_that_the_device_lacks_are_named)
{
    static const struct {
        uint32_t capability;
        const char *name;
    } rows[] = {{5116, "BFloat16TypeKHR"}, {5616, "AtomicFloat16MinMaxEXT"}, {5613, "AtomicFloat64MinMaxEXT"},
                {6022, "CooperativeMatrixKHR"}, {39, "Int8"}};
    spe_module m;
    spe_words w = functions_module(&m);
    uint32_t *words = (uint32_t *)malloc((w.count + 2) * 4);
    if (!words) abort();
    memcpy(words, w.data, 5 * 4);
    memcpy(words + 7, w.data + 5, (w.count - 5) * 4);
    words[5] = 2 << 16 | SPE_OpCapability;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vkd_module module;
        words[6] = rows[i].capability;
        bool loaded = vkd_module_load(&module, &device, words, (w.count + 2) * 4);
        if (!loaded) expect(__LINE__, VKD_CAPABILITY, rows[i].name);
        vkd_module_free(&module);
    }
    free(words);
    spe_free(&m);
}

/* Of many allocations of all kinds, freed in another order than that in which they were made, each pointer into one has
 * the device's address of its beginning and the same offset, and none into what is freed has one. */
TEST(pointers_are_found_among_many_allocations)
{
    enum { MANY = 600 };
    struct {
        char *p;
        size_t bytes;
        uint64_t address;
    } a[MANY], other;
    int wrong = 0;
    for (int i = 0; i < MANY; i++) {
        a[i].bytes = 1 + (size_t)(test_uniform() * 9000);
        a[i].p = (char *)(i % 3 == 0   ? vkd_alloc(&device, VKD_SHARED, a[i].bytes, 0)
                          : i % 3 == 1 ? vkd_alloc(&device, VKD_DEVICE, a[i].bytes, 0)
                                       : vkd_alloc(&device, VKD_HOST, a[i].bytes, 256));
        a[i].address = vkd_address(&device, a[i].p);
    }
    for (int i = MANY; i-- > 0;) {
        int k = (int)(test_uniform() * (i + 1));
        other = a[k], a[k] = a[i], a[i] = other;
    }
    for (int left = MANY; left >= 0; left -= 50) {
        for (int i = 0; i < left; i++) {
            size_t at = i % 2 ? a[i].bytes - 1 : (size_t)(test_uniform() * (double)a[i].bytes);
            wrong += !a[i].address || vkd_address(&device, a[i].p + at) != a[i].address + at;
        }
        CHECK(!vkd_get_error(&device)->id);
        for (int i = left; i < MANY; i += 7) {
            wrong += vkd_address(&device, a[i].p) != 0 || vkd_get_error(&device)->id != VKD_NOT_ALLOCATED;
            vkd_clear_error(&device);
        }
        for (int i = left - 50; i >= 0 && i < left; i++) vkd_free(&device, a[i].p);
    }
    CHECK_INT(wrong, 0);
    CHECK(!vkd_get_error(&device)->id);
}

TEST(mistakes_are_errors)
{
    vkd_kernel k;
    vkd_module module;
    spe_module m;
    spe_words w = functions_module(&m);
    float outside[4];
    float *x = (float *)vkd_alloc(&device, VKD_SHARED, 64, 0);
    vkd_alloc(&device, 9, 64, 0), expect(__LINE__, VKD_ALLOC_KIND, "9");
    vkd_alloc(&device, VKD_DEVICE, 0, 0), expect(__LINE__, VKD_ALLOC_SIZE, "0 bytes");
    vkd_alloc(&device, VKD_DEVICE, 64, 48), expect(__LINE__, VKD_ALLOC_ALIGN, "48");
    vkd_free(&device, outside), expect(__LINE__, VKD_NOT_ALLOCATED, "not an allocation");
    vkd_copy(&device, x, outside, 65), expect(__LINE__, VKD_MEMORY_RANGE, "65 bytes");
    vkd_fill_pattern(&device, x, outside, 3, 9), expect(__LINE__, VKD_FILL_PATTERN, "3 bytes");
    vkd_module_load(&module, &device, "no module", 9), expect(__LINE__, VKD_MODULE, "not SPIR-V");
    CHECK(vkd_module_load(&module, &device, w.data, w.count * 4));
    vkd_kernel_get(&k, &module, "fun", ""), expect(__LINE__, VKD_KERNEL_NAME, "functions");
    vkd_kernel_get(&k, &module, "functions", "ptr<f31> x"), expect(__LINE__, VKD_PARAM_TEXT, "no such type");
    CHECK(vkd_kernel_get(&k, &module, "functions", "ptr<f32> x, ptr<f32> y, u32 n"));
    vkd_launch(&k, (vkd_groups){1, 1, 1}, x, x), expect(__LINE__, VKD_ARG_COUNT, "3 arguments, got 2");
    vkd_launch(&k, (vkd_groups){1, 1, 1}, x, outside, 1), expect(__LINE__, VKD_ARG_MEMORY, "ptr<f32> y");
    vkd_launch(&k, (vkd_groups){1, 1, 1}, x, x, -1), expect(__LINE__, VKD_ARG_RANGE, "-1");
    vkd_launch(&k, (vkd_groups){1, 1, 1}, x, x, 1.5), expect(__LINE__, VKD_ARG_TYPE, "f64 1.5");
    vkd_launch(&k, (vkd_groups){1, 0, 1}, x, x, 1), expect(__LINE__, VKD_GROUPS, "1 x 0 x 1");
    vkd_subgroup_size(&k, 3), expect(__LINE__, VKD_SUBGROUP_SIZE, "3");
    vkd_free(&device, x);
    vkd_module_free(&module);
    spe_free(&m);
    spe_begin(&m, NULL); /* for OpenCL */
    w = spe_finish(&m);
    vkd_module_load(&module, &device, w.data, w.count * 4), expect(__LINE__, VKD_MODULE, "another environment");
    spe_free(&m);
}

int main(void)
{
    RUN(what_vulkan_lacks_is_an_error_that_names_it);
    if (!vkd_open(&device, NULL)) {
        printf("skipped: %s\n", vkd_get_error(&device)->text);
        test_.skipped++;
        return test_report();
    }
    RUN(vectors_of_8_and_16_components);
    RUN(local_memory_by_bytes_halves_words_and_atomics);
    RUN(atomics_of_floats);
    RUN(constants_in_memory_and_barriers_in_two_halves);
    RUN(parameters_beyond_what_is_pushed);
    RUN(kernels_of_xetile);
    RUN(products_of_few_rows);
    RUN(batches_and_copies);
    RUN(all_local_memory_may_be_taken_and_no_more);
    RUN(kernels_of_one_module_each_have_local_memory);
    RUN(capabilities_that_the_device_lacks_are_named);
    RUN(pointers_are_found_among_many_allocations);
    RUN(mistakes_are_errors);
    vkd_close(&device);
    return test_report();
}
#endif
