/* test_intel_bugs.c - minimal kernels for bugs of Intel's compiler (IGC 2.40), a test for each. They pass on any
 * device, but fail as machine code of this compiler until it is fixed; except where spirv_emit.h avoids the bug, which
 * `avoided` tests. docs/machine-code.md describes the bugs,
 * scripts/check_machine.sh executes the machine code. */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

enum { LANES = 16 };

static zed_device device;
static const char *source;   /* the module's file, or NULL */
static bool verbatim = true; /* or written otherwise, where spirv_emit.h recognises a bug's pattern */

/* Launches kernel `name`, which `emit` writes, for one subgroup of `lanes`; `type` tells what its two parameters point
 * to. */
static bool run(const char *name, uint32_t lanes, void (*emit)(spe_module *m), spe_id (*type)(spe_module *m, int param),
                void *to, void *from)
{
    bool good;
    spe_module m;
    zed_module loaded;
    zed_kernel launched;
    spe_options as_written = {0};
    as_written.verbatim = verbatim;
    as_written.source = source;
    spe_begin(&m, &as_written);
    spe_param params[2] = {{spe_ptr(&m, SPE_StorageClassCrossWorkgroup, type(&m, 0)), "to", false, false, 0},
                           {spe_ptr(&m, SPE_StorageClassCrossWorkgroup, type(&m, 1)), "from", false, false, 0}};
    spe_kernel k = {.name = name, .subgroup_size = lanes, .local_size = {lanes, 1, 1}, .params = params,
                    .param_count = 2};
    spe_kernel_begin(&m, &k);
    emit(&m);
    spe_kernel_end(&m);
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    char file[64];
    snprintf(file, sizeof file, "%s%s", name, verbatim ? "" : "_avoided");
    test_save_spv(file, words.data, words.count * 4);
    good = zed_module_load(&loaded, &device, words.data, words.count * 4, NULL) &&
           zed_kernel_get(&launched, &loaded, name, "u64 to, u64 from") &&
           zed_launch(&launched, (zed_groups){1, 1, 1}, (uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from);
    CHECK_MSG(good, "%s", zed_get_error(&device)->text);
    zed_clear_error(&device);
    zed_module_free(&loaded);
    spe_free(&m);
    return good;
}

static void *memory(size_t bytes)
{
    void *p = zed_alloc(&device, ZED_SHARED, bytes, 0);
    if (p) memset(p, 0xa5, bytes);
    CHECK(p != NULL);
    return p;
}

/* ---- to[i] = (float2)from[i]: a register for each component is read, where sixteen doubles have two */

static spe_id pair(spe_module *m, int param) { return spe_vec(m, spe_float(m, param ? 64 : 32), 2); }

static void emit_shorten(spe_module *m)
{
    spe_id i = spe_builtin(m, SPE_LOCAL_ID, 0), v = spe_load(m, spe_index(m, spe_param_id(m, 1), i), 0);
    spe_store(m, spe_index(m, spe_param_id(m, 0), i), spe_fconvert(m, pair(m, 0), v), 0);
}

TEST(vectors_of_doubles_become_f32)
{
    double *from = (double *)memory(2 * LANES * sizeof *from);
    float *to = (float *)memory(2 * LANES * sizeof *to);
    for (int i = 0; i < 2 * LANES; i++) from[i] = i + 0.25;
    bool ran = run("shorten", LANES, emit_shorten, pair, to, from);
    for (int i = 0; ran && i < 2 * LANES; i++)
        CHECK_MSG(to[i] == (float)from[i], "element %d is %g, want %g", i, (double)to[i], from[i]);
    zed_free(&device, from);
    zed_free(&device, to);
}

/* ---- a matrix whose columns are 32 bytes long: loaded by 2D blocks, for which 64 is the least */

static spe_id byte(spe_module *m, int param)
{
    (void)param;
    return spe_int(m, 8);
}

static void emit_narrow(spe_module *m)
{
    enum { ROWS = 8, COLUMNS = 32 };
    spe_id type = spe_coopmat(m, spe_int(m, 8), SPE_ScopeSubgroup, ROWS, COLUMNS, SPE_CooperativeMatrixUseMatrixAKHR);
    spe_id v = spe_coop_load(m, type, spe_param_id(m, 1), SPE_CooperativeMatrixLayoutRowMajorKHR, spe_u32(m, COLUMNS));
    spe_coop_store(m, spe_param_id(m, 0), v, SPE_CooperativeMatrixLayoutRowMajorKHR, spe_u32(m, COLUMNS));
}

TEST(matrices_of_narrow_rows_are_loaded)
{
    if (!device.target.dpas && strcmp(device.target.name, "soft"))
        SKIP("Intel's compiler has no matrices for %s", device.target.name);
    uint8_t *from = (uint8_t *)memory(256), *to = (uint8_t *)memory(256);
    for (int i = 0; i < 256; i++) from[i] = (uint8_t)i;
    if (run("narrow", LANES, emit_narrow, byte, to, from)) CHECK(memcmp(to, from, 256) == 0);
    zed_free(&device, from);
    zed_free(&device, to);
}

/* ---- f16 atomics: refused */

static spe_id half(spe_module *m, int param)
{
    (void)param;
    return spe_float(m, 16);
}

static void emit_add(spe_module *m)
{
    spe_id i = spe_builtin(m, SPE_LOCAL_ID, 0), v = spe_load(m, spe_index(m, spe_param_id(m, 1), i), 0);
    spe_atomic(m, SPE_ATOMIC_FADD, spe_param_id(m, 0), v, SPE_ScopeDevice, SPE_MemorySemanticsRelaxed);
}

TEST(halves_are_added_atomically)
{
    uint16_t *from = (uint16_t *)memory(2 * LANES), *to = (uint16_t *)memory(2);
    for (int i = 0; i < LANES; i++) from[i] = 0x3c00; /* 1 */
    to[0] = 0;
    if (run("add_halves", LANES, emit_add, half, to, from)) CHECK_INT(to[0], 0x4c00); /* 16 */
    zed_free(&device, from);
    zed_free(&device, to);
}

/* ---- a sum of twelve products of bytes: in the first dp4a, factors 0 and 1 of one side are exchanged. It takes bytes
 * of two adjoining loads, and an addition whose first operand is the product. */

enum { WORDS = 4, PRODUCTS = 12 };

static spe_id word(spe_module *m, int param)
{
    (void)param;
    return spe_int(m, 32);
}

/* n elements of `bits` bits, from word `at` on. */
static spe_id load_vector(spe_module *m, spe_id at, int bits, int n)
{
    spe_id p = spe_index(m, spe_param_id(m, 1), at);
    return spe_load(m, spe_ptr_cast(m, p, spe_vec(m, spe_int(m, bits), (uint32_t)n)), (uint32_t)bits / 8);
}

static void emit_dot(spe_module *m)
{
    spe_id i = spe_builtin(m, SPE_LOCAL_ID, 0), sum = 0, first, second, x;
    first = load_vector(m, spe_i32(m, 0), 8, 8);
    second = load_vector(m, spe_i32(m, 2), 8, 4);
    x = load_vector(m, spe_iadd(m, spe_imul(m, i, spe_i32(m, WORDS)), spe_i32(m, WORDS)), 32, WORDS);
    for (int k = 0; k < PRODUCTS; k++) {
        spe_id a = spe_sconvert(m, spe_int(m, 32), spe_extract(m, k < 8 ? first : second, (uint32_t)k % 8));
        spe_id b = spe_shl(m, spe_extract(m, x, (uint32_t)k / 4), spe_i32(m, 24 - 8 * (k % 4)));
        spe_id product = spe_imul(m, a, spe_sar(m, b, spe_i32(m, 24)));
        sum = k ? spe_iadd(m, product, sum) : product;
    }
    spe_store(m, spe_index(m, spe_param_id(m, 0), i), sum, 0);
}

TEST(products_of_bytes_are_summed)
{
    int8_t *from = (int8_t *)memory(4 * WORDS * (LANES + 1));
    int32_t *to = (int32_t *)memory(4 * LANES);
    for (int i = 0; i < 4 * WORDS * (LANES + 1); i++) from[i] = (int8_t)(37 * i + 11 + i * i / 16);
    bool ran = run("dot", LANES, emit_dot, word, to, from);
    for (int i = 0; ran && i < LANES; i++) {
        int want = 0;
        for (int k = 0; k < PRODUCTS; k++) want += from[k] * from[4 * WORDS * (i + 1) + k];
        CHECK_MSG(to[i] == want, "sum %d is %d, want %d", i, (int)to[i], want);
    }
    zed_free(&device, from);
    zed_free(&device, to);
}

/* ---- a private array of 17 16-bit numbers, beside registers that are spilled: both are in the same memory, where the
 * array has 34 bytes a lane but takes nine dwords */

enum { WIDE = 32, ELEMENTS = 17, LIVE = 150 };

static spe_id number_at(spe_module *m, spe_id i, int at)
{
    spe_id p = spe_index(m, spe_param_id(m, 1), spe_iadd(m, i, spe_i32(m, at * WIDE)));
    return spe_load(m, p, 0);
}

static void emit_array(spe_module *m)
{
    spe_id i = spe_builtin(m, SPE_LOCAL_ID, 0), half_ = spe_int(m, 16), many = spe_i32(m, ELEMENTS), live[LIVE], at;
    spe_id array = spe_local_var(m, spe_array(m, half_, ELEMENTS));
    for (int k = 0; k < LIVE; k++) live[k] = number_at(m, i, k);
    for (int k = 0; k < ELEMENTS; k++) {
        at = spe_umod(m, spe_iadd(m, live[0], spe_i32(m, k)), many);
        spe_store(m, spe_element(m, array, 1, &at), spe_uconvert(m, half_, spe_iadd(m, at, live[1])), 0);
    }
    for (int k = 0; k < LIVE; k++) {
        at = spe_umod(m, live[k], many);
        at = spe_uconvert(m, spe_int(m, 32), spe_load(m, spe_element(m, array, 1, &at), 0));
        spe_store(m, spe_index(m, spe_param_id(m, 0), spe_iadd(m, i, spe_i32(m, k * WIDE))), spe_iadd(m, live[k], at),
                  0);
    }
}

TEST(registers_are_spilled_beside_arrays)
{
    uint32_t *from = (uint32_t *)memory(4 * LIVE * WIDE), *to = (uint32_t *)memory(4 * LIVE * WIDE);
    for (int i = 0; i < LIVE * WIDE; i++) from[i] = (uint32_t)test_random();
    bool ran = run("array", WIDE, emit_array, word, to, from);
    for (int i = 0; ran && i < LIVE * WIDE; i++) {
        uint32_t want = from[i] + (uint16_t)(from[i] % ELEMENTS + from[WIDE + i % WIDE]);
        CHECK_MSG(to[i] == want, "element %d is %u, want %u", i, (unsigned)to[i], (unsigned)want);
    }
    zed_free(&device, from);
    zed_free(&device, to);
}

/* ---- to[i] = from[i] * from[NUMBER] + 1 of 64 bits: in 32 lanes, the second sixteen multiply the low half of another
 * element; where wide products are multiplied in halves, all lanes copy the product from lane NUMBER on */

enum { NUMBER = 3 };

static bool shuffled, first; /* by a shuffle from that lane; that element is the first factor */

static spe_id long_word(spe_module *m, int param)
{
    (void)param;
    return spe_int(m, 64);
}

static void emit_broadcast(spe_module *m)
{
    spe_id i = spe_builtin(m, SPE_LOCAL_ID, 0), v = spe_load(m, spe_index(m, spe_param_id(m, 1), i), 0);
    spe_id number = spe_u32(m, NUMBER), one = spe_u64(m, 1);
    spe_id other = shuffled ? spe_sg_shuffle(m, v, number) : spe_sg_broadcast(m, v, number);
    spe_id product = first ? spe_imul(m, other, v) : spe_imul(m, v, other);
    spe_store(m, spe_index(m, spe_param_id(m, 0), i), spe_iadd(m, product, one), 0);
}

static void multiply_longs(const char *name, int lanes)
{
    uint64_t *from = (uint64_t *)memory(8 * WIDE), *to = (uint64_t *)memory(8 * WIDE);
    for (int i = 0; i < WIDE; i++) from[i] = test_random();
    bool ran = run(name, (uint32_t)lanes, emit_broadcast, long_word, to, from);
    for (int i = 0; ran && i < lanes; i++)
        CHECK_MSG(to[i] == from[i] * from[NUMBER] + 1, "element %d is %llu, want %llu", i, (unsigned long long)to[i],
                  (unsigned long long)(from[i] * from[NUMBER] + 1));
    zed_free(&device, from);
    zed_free(&device, to);
}

TEST(longs_are_multiplied_by_a_broadcast)
{
    char name[32];
    for (int form = 0; form < 4; form++)
        for (int lanes = 8; lanes <= WIDE; lanes *= 2) {
            if (!(device.target.subgroup_sizes & (uint32_t)lanes)) continue;
            shuffled = form & 1;
            first = form & 2;
            snprintf(name, sizeof name, "longs_%d_%d", form, lanes);
            multiply_longs(name, lanes);
        }
}

/* ---- each lane combines 64-bit integers of four, in two exchanges: the compiler makes one operation of them, and
 * reads its result before it is computed */

static void emit_combined(spe_module *m)
{
    spe_id i = spe_builtin(m, SPE_SUBGROUP_LANE, 0), v = spe_load(m, spe_index(m, spe_param_id(m, 1), i), 0);
    for (uint32_t by = 2; by; by /= 2) v = spe_or(m, v, spe_sg_shuffle_xor(m, v, spe_u32(m, by)));
    spe_id four = spe_sg_shuffle(m, v, spe_and(m, i, spe_u32(m, 12)));
    spe_store(m, spe_index(m, spe_param_id(m, 0), i), four, 0);
}

TEST(longs_are_combined)
{
    uint64_t *from = (uint64_t *)memory(8 * LANES), *to = (uint64_t *)memory(8 * LANES);
    for (int i = 0; i < LANES; i++) from[i] = test_random() & test_random() & test_random();
    bool ran = run("combined", LANES, emit_combined, long_word, to, from);
    for (int i = 0; ran && i < LANES; i++) {
        const uint64_t *four = from + i / 4 * 4;
        uint64_t want = four[0] | four[1] | four[2] | four[3];
        CHECK_MSG(to[i] == want, "element %d is %llu, want %llu", i, (unsigned long long)to[i],
                  (unsigned long long)want);
    }
    zed_free(&device, from);
    zed_free(&device, to);
}

/* ---- a block is stored, and one loaded, between two stores by lanes 0 .. 11: the messages are copied into both sides
 * of a branch, where registers of the other side's lanes are undefined, and lane 0 decides if there is a message */

enum { SOME = 12, ROW = LANES }; /* rows of LANES words: by some lanes, a block, by some lanes, the block loaded */

static void store_row(spe_module *m, int row, spe_id condition, spe_id v)
{
    spe_id i = spe_iadd(m, spe_builtin(m, SPE_SUBGROUP_LANE, 0), spe_i32(m, row * ROW));
    if (condition) spe_if(m, condition);
    spe_store(m, spe_index(m, spe_param_id(m, 0), i), v, 0);
    if (condition) spe_endif(m, 0, NULL, NULL);
}

/* A row of `from` or of `to` as a block, and a variable for it. */
static spe_block2d block_of(spe_module *m, int param, int row, spe_id *variable)
{
    spe_id zero = spe_i32(m, 0), bytes = spe_i32(m, 4 * LANES);
    spe_block2d b = {4, LANES, 1, 1, spe_index(m, spe_param_id(m, param), spe_i32(m, row * ROW)), bytes, spe_i32(m, 1),
                     bytes, zero, zero};
    *variable = spe_element(m, spe_local_var(m, spe_array(m, spe_int(m, 32), 1)), 1, &zero);
    return b;
}

static void emit_blocks(spe_module *m)
{
    spe_id i = spe_builtin(m, SPE_SUBGROUP_LANE, 0), v = spe_load(m, spe_index(m, spe_param_id(m, 1), i), 0), ptr[2];
    spe_id some = spe_slt(m, i, spe_i32(m, SOME));
    spe_block2d to = block_of(m, 0, 1, &ptr[0]), from = block_of(m, 1, 0, &ptr[1]);
    store_row(m, 0, some, v);
    spe_store(m, ptr[0], spe_iadd(m, v, spe_i32(m, 1)), 0);
    spe_block2d_store(m, &to, ptr[0]);
    spe_block2d_load(m, &from, ptr[1]);
    store_row(m, 2, some, v);
    store_row(m, 3, 0, spe_load(m, ptr[1], 0));
}

TEST(blocks_are_moved_between_branches)
{
    if (!device.target.block2d) SKIP("%s has no 2D block messages", device.target.name);
    uint32_t *from = (uint32_t *)memory(4 * ROW), *to = (uint32_t *)memory(4 * 4 * ROW);
    for (int i = 0; i < ROW; i++) from[i] = (uint32_t)test_random();
    bool ran = run("blocks", LANES, emit_blocks, word, to, from);
    for (int i = 0; ran && i < 4 * ROW; i++) {
        uint32_t want = from[i % ROW] + (i / ROW == 1);
        if (i / ROW % 2 == 0 && i % ROW >= SOME) want = 0xa5a5a5a5;
        CHECK_MSG(to[i] == want, "element %d is %#x, want %#x", i, (unsigned)to[i], (unsigned)want);
    }
    zed_free(&device, from);
    zed_free(&device, to);
}

/* ---- v + v, then v[3] - v, for vectors of eight: instead of eight times v[3], the vector v is taken, which was an
 * operand before */

enum { PARTS = 8, PART = 3 };

static spe_id vector(spe_module *m, int param)
{
    (void)param;
    return spe_vec(m, spe_float(m, 32), PARTS);
}

static void emit_differences(spe_module *m)
{
    spe_id i = spe_builtin(m, SPE_LOCAL_ID, 0), v = spe_load(m, spe_index(m, spe_param_id(m, 1), i), 0);
    spe_id x = spe_splat(m, vector(m, 0), spe_extract(m, v, PART));
    spe_store(m, spe_index(m, spe_param_id(m, 0), i), spe_fadd(m, v, v), 0);
    spe_store(m, spe_index(m, spe_param_id(m, 0), spe_iadd(m, i, spe_i32(m, LANES))), spe_fsub(m, x, v), 0);
}

TEST(one_element_is_taken_for_the_vector)
{
    float *from = (float *)memory(4 * PARTS * LANES), *to = (float *)memory(2 * 4 * PARTS * LANES);
    for (int i = 0; i < PARTS * LANES; i++) from[i] = (float)(test_random() % 16);
    bool ran = run("differences", LANES, emit_differences, vector, to, from);
    for (int i = 0; ran && i < PARTS * LANES; i++) {
        float sum = 2 * from[i], difference = from[i / PARTS * PARTS + PART] - from[i];
        CHECK_MSG(to[i] == sum, "sum %d is %g, want %g", i, (double)to[i], (double)sum);
        CHECK_MSG(to[PARTS * LANES + i] == difference, "difference %d is %g, want %g", i,
                  (double)to[PARTS * LANES + i], (double)difference);
    }
    zed_free(&device, from);
    zed_free(&device, to);
}

/* ---- f32(f16(a) + f16(b)): becomes a + b */

static spe_id single(spe_module *m, int param)
{
    (void)param;
    return spe_float(m, 32);
}

static void emit_halves(spe_module *m)
{
    spe_id i = spe_builtin(m, SPE_LOCAL_ID, 0), f16 = spe_float(m, 16), from = spe_param_id(m, 1), part[2];
    for (int n = 0; n < 2; n++) {
        spe_id v = spe_load(m, spe_index(m, from, spe_iadd(m, i, spe_i32(m, n * LANES))), 0);
        part[n] = spe_fconvert(m, f16, v);
    }
    spe_id sum = spe_fconvert(m, spe_float(m, 32), spe_fadd(m, part[0], part[1]));
    spe_store(m, spe_index(m, spe_param_id(m, 0), i), sum, 0);
}

TEST(halves_are_added_as_floats)
{
    float *from = (float *)memory(2 * LANES * sizeof *from), *to = (float *)memory(LANES * sizeof *to);
    for (int i = 0; i < 2 * LANES; i++) from[i] = i % LANES ? (float)test_normal() : 60000;
    bool ran = run("halves", LANES, emit_halves, single, to, from);
    for (int i = 0; ran && i < LANES; i++) {
        float a = spe_f16_bits_to_f32(spe_f32_to_f16_bits(from[i]));
        float b = spe_f16_bits_to_f32(spe_f32_to_f16_bits(from[i + LANES]));
        float want = spe_f16_bits_to_f32(spe_f32_to_f16_bits(a + b)); /* a + b is exact enough to be rounded again */
        CHECK_MSG(to[i] == want, "element %d is %g, want %g", i, (double)to[i], (double)want);
    }
    zed_free(&device, from);
    zed_free(&device, to);
}

/* ---- element i becomes 3 i: what is stored is computed for the first lane only, like the address (pvc) */

static spe_builtin_name stored_id;

static void emit_stored_id(spe_module *m)
{
    spe_id i = spe_builtin(m, stored_id, 0), three = spe_u32(m, 3);
    spe_store(m, spe_index(m, spe_param_id(m, 0), i), spe_imul(m, i, three), 0);
}

TEST(ids_are_stored_in_blocks)
{
    uint32_t *from = (uint32_t *)memory(4), *to = (uint32_t *)memory(4 * LANES);
    static const spe_builtin_name ids[] = {SPE_GLOBAL_ID, SPE_LOCAL_ID, SPE_LOCAL_LINEAR_ID};
    for (int k = 0; k < 3; k++) {
        stored_id = ids[k];
        memset(to, 0xa5, 4 * LANES);
        bool ran = run("stored_id", LANES, emit_stored_id, word, to, from);
        for (uint32_t i = 0; ran && i < LANES; i++)
            CHECK_MSG(to[i] == 3 * i, "element %u is %u, want %u", (unsigned)i, (unsigned)to[i], (unsigned)(3 * i));
    }
    zed_free(&device, from);
    zed_free(&device, to);
}

/* ---- a module with more than 65,536 ids, whose file's name has a later one: the compiler dies */

static void emit_numbers(spe_module *m)
{
    spe_id i = spe_builtin(m, SPE_LOCAL_ID, 0), v = 0;
    for (uint32_t k = 0; k < 70000; k++) v = spe_u32(m, k);
    spe_store(m, spe_index(m, spe_param_id(m, 0), i), v, 0);
}

TEST(names_of_files_come_late)
{
    uint32_t *from = (uint32_t *)memory(4), *to = (uint32_t *)memory(4 * LANES);
    source = __FILE__;
    bool ran = run("numbers", LANES, emit_numbers, word, to, from);
    source = NULL;
    for (uint32_t i = 0; ran && i < LANES; i++)
        CHECK_MSG(to[i] == 69999, "element %u is %u, want 69999", (unsigned)i, (unsigned)to[i]);
    zed_free(&device, from);
    zed_free(&device, to);
}

/* ---- those that spirv_emit.h recognises */

/* ---- to[i] = from[i], all read before the first is written: more registers are spilled than the 128 KB that an offset
 * of twelve bits reaches, whose upper bits are lost */

static spe_id quad(spe_module *m, int param)
{
    (void)param;
    return spe_vec(m, spe_int(m, 32), 4);
}

enum { MANY = 270, MOST_LANES = 32 };

static spe_id quad_at(spe_module *m, int param, int n)
{
    spe_id lane = spe_builtin(m, SPE_LOCAL_ID, 0);
    return spe_index(m, spe_param_id(m, param), spe_add(m, lane, spe_u32(m, (uint32_t)n * MOST_LANES)));
}

static void emit_many(spe_module *m)
{
    spe_id v[MANY];
    for (int n = 0; n < MANY; n++) v[n] = spe_load(m, quad_at(m, 1, n), 0);
    for (int n = 0; n < MANY; n++) spe_store(m, quad_at(m, 0, n), v[n], 0);
}

TEST(registers_are_spilled_far)
{
    const size_t count = (size_t)MANY * MOST_LANES * 4;
    uint32_t *from = (uint32_t *)memory(count * sizeof *from), *to = (uint32_t *)memory(count * sizeof *to);
    for (size_t i = 0; i < count; i++) from[i] = (uint32_t)i * 2654435761u;
    bool ran = run("many", MOST_LANES, emit_many, quad, to, from);
    size_t wrong = 0;
    while (ran && wrong < count && to[wrong] == from[wrong]) wrong++;
    CHECK_MSG(!ran || wrong == count, "element %zu is %" PRIu32 ", want %" PRIu32, wrong, to[wrong % count],
              from[wrong % count]);
    zed_free(&device, from);
    zed_free(&device, to);
}

/* ---- a dot product of four bytes, added to two sums: the first addition becomes a part of dp4a, whose result the
 * second one takes for the product */

static spe_id word_at(spe_module *m, int param, int row)
{
    spe_id lane = spe_builtin(m, SPE_LOCAL_ID, 0);
    return spe_index(m, spe_param_id(m, param), spe_add(m, lane, spe_i32(m, row * LANES)));
}

static spe_id dot(spe_module *m, spe_id a, spe_id b)
{
    enum { PACKED_4X8_BIT = 0 };
    const uint32_t words_[] = {a, b, PACKED_4X8_BIT};
    spe_capability(m, SPE_CapabilityDotProductInput4x8BitPacked);
    return spe_op(m, SPE_OpSDot, spe_int(m, 32), 3, words_);
}

static void emit_dots(spe_module *m)
{
    spe_id a = spe_load(m, word_at(m, 1, 0), 0), eights = spe_i32(m, 0x08080808);
    for (int row = 0; row < 2; row++) {
        spe_id sum = spe_load(m, word_at(m, 1, 1 + row), 0);
        spe_store(m, word_at(m, 0, row), spe_iadd(m, sum, dot(m, a, eights)), 0);
    }
}

TEST(one_dot_product_is_added_twice)
{
    int32_t *from = (int32_t *)memory(4 * 3 * LANES), *to = (int32_t *)memory(4 * 2 * LANES);
    for (int i = 0; i < 4 * 3 * LANES; i++) ((int8_t *)from)[i] = (int8_t)(37 * i + 11 + i * i / 16);
    bool ran = run("dots", LANES, emit_dots, word, to, from);
    for (int i = 0; ran && i < 2 * LANES; i++) {
        int32_t want = from[LANES + i];
        for (int k = 0; k < 4; k++) want += 8 * ((int8_t *)from)[4 * (i % LANES) + k];
        CHECK_MSG(to[i] == want, "sum %d is %d, want %d", i, (int)to[i], (int)want);
    }
    zed_free(&device, from);
    zed_free(&device, to);
}

TEST(avoided)
{
    verbatim = false;
    test_case_vectors_of_doubles_become_f32();
    test_case_products_of_bytes_are_summed();
    test_case_longs_are_multiplied_by_a_broadcast();
    test_case_longs_are_combined();
    test_case_halves_are_added_as_floats();
    test_case_ids_are_stored_in_blocks();
    test_case_names_of_files_come_late();
    test_case_one_dot_product_is_added_twice();
    verbatim = true;
}

int main(void)
{
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(vectors_of_doubles_become_f32);
    RUN(matrices_of_narrow_rows_are_loaded);
    RUN(halves_are_added_atomically);
    RUN(products_of_bytes_are_summed);
    RUN(registers_are_spilled_beside_arrays);
    RUN(longs_are_multiplied_by_a_broadcast);
    RUN(longs_are_combined);
    RUN(blocks_are_moved_between_branches);
    RUN(one_element_is_taken_for_the_vector);
    RUN(halves_are_added_as_floats);
    RUN(ids_are_stored_in_blocks);
    RUN(registers_are_spilled_far);
    RUN(names_of_files_come_late);
    RUN(one_dot_product_is_added_twice);
    RUN(avoided);
    zed_close(&device);
    return test_report();
}
