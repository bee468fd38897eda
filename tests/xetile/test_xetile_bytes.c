/* test_xetile_bytes.c - what modules for Intel's devices do with bytes several at a time: bit operations, shifts by
 * constants, casts to f16, and sums of these with constants. Modules for bmg with 2D block messages, whose bytes come
 * in whole words, and without; all must be exact. The inputs hold every byte. */
#include "xetile_case.h"

typedef enum { LEFT, RIGHT, AND_, XOR_, PLUS, CAST_KINDS } what;

/* Read by the kernel's body, which runs on the host. */
static struct {
    chosen type;
    what op;
    double by;
    int rows, cols, groups;
} now;

/* XT_OR of a second operand from memory comes last, so that words meet words. */
static xt_vec operate(XT_CONTEXT, xt_vec v, xt_vec other)
{
    switch (now.op) {
    case LEFT: return XT_OR(XT_SHL(v, (int)now.by), other);
    case RIGHT: return XT_OR(XT_SHR(v, (int)now.by), other);
    case AND_: return XT_OR(XT_AND(v, (int)now.by), other);
    case XOR_: return XT_XOR(v, (int)now.by);
    default: return v;
    }
}

static xt_tile tile_of(XT_CONTEXT, chosen type, xt_val base)
{
    return XT_INIT_TILE(base, of(type), now.rows, now.cols, .offset = XT_AT(XT_MUL(XT_GROUP_ID(0), now.rows), 0),
                        .shape = XT_AT(now.rows * now.groups, now.cols));
}

/* C receives bytes, D f16, and E the f16 that a product with the unit matrix makes of an operand of bytes. */
XT_KERNEL(bytes, u64(A), u64(B), u64(C), u64(D))
{
    const chosen half = {CM_F16};
    xt_vec v = XT_LOAD_TILE(tile_of(XT_SELF, now.type, A)), other = XT_LOAD_TILE(tile_of(XT_SELF, now.type, B));
    v = operate(XT_SELF, v, other);
    XT_STORE_TILE(v, tile_of(XT_SELF, now.type, C));
    v = XT_CAST(f16, v);
    if (now.op == PLUS) v = now.by < 0 ? XT_SUB(v, -now.by) : XT_ADD(v, now.by);
    XT_STORE_TILE(v, tile_of(XT_SELF, half, D));
}

/* D = I (the bytes as f16, plus a constant). */
XT_KERNEL(operand, u64(A), u64(B), u64(I), u64(D))
{
    const chosen unit = {CM_F16}, single = {CM_F32};
    xt_vec v = XT_LOAD_TILE(tile_of(XT_SELF, now.type, A)), other = XT_LOAD_TILE(tile_of(XT_SELF, now.type, B));
    v = operate(XT_SELF, v, other);
    xt_vec one = XT_LOAD_TILE(XT_INIT_TILE(I, of(unit), now.rows, now.rows, .shape = XT_AT(now.rows, now.rows)));
    v = XT_CAST(f16, v);
    if (now.op == PLUS) v = XT_ADD(v, now.by);
    XT_STORE_TILE(XT_TILE_MMA(one, v), tile_of(XT_SELF, single, D));
}

static int wanted(int a, int b)
{
    int by = (int)now.by, r = now.op == LEFT ? a * (1 << by) | b : now.op == RIGHT ? a >> by | b
                            : now.op == AND_ ? (a & by) | b : now.op == XOR_ ? a ^ by : a;
    return now.type.type == CM_I8 ? (int8_t)r : (uint8_t)r;
}

/* Of f16, rounded once: a byte plus an f16 is exact in f32. */
static float wanted_sum(int byte)
{
    float plus = now.op == PLUS ? spe_f16_bits_to_f32(spe_f32_to_f16_bits((float)now.by)) : 0;
    return spe_f16_bits_to_f32(spe_f32_to_f16_bits((float)byte + plus));
}

static bool launch(const xt_kernel *kernel, xt_pitch pitch, const zed_arg args[4])
{
    static int saved;
    char name[64];
    zed_kernel k;
    xt_target target = {ZED_TARGET(&device)};
    if (!strcmp(device.target.name, "soft")) target = (xt_target){.name = "bmg"};
    xt_module mod = XT_BUILD(*kernel, &target, .pitch = pitch);
    CHECK_MSG(mod.words != NULL, "%s: %s", kernel->name, mod.error->text);
    snprintf(name, sizeof name, "%s_%d", kernel->name, saved++);
    if (mod.words) test_save_spv(name, mod.words, mod.size);
    zed_groups groups = {(uint32_t)now.groups, 1, 1};
    bool done = mod.words && ZED_LOAD(&k, &device, mod) && zed_launch_n(&k, groups, args, 4);
    CHECK_MSG(done, "%s: %s", kernel->name, zed_get_error(&device)->text);
    zed_clear_error(&device);
    xt_free(&mod);
    return done;
}

static void check(const xt_kernel *kernel, xt_pitch pitch)
{
    bool product = kernel == &operand;
    size_t count = (size_t)(now.rows * now.cols * now.groups), wrong = 0;
    unsigned char *a = (unsigned char *)new_poison(CM_U8, count), *b = (unsigned char *)new_poison(CM_U8, count);
    void *c = new_poison(product ? CM_F16 : CM_U8, product ? (size_t)(now.rows * now.rows) : count);
    void *d = new_poison(CM_F32, count);
    for (size_t i = 0; i < count; i++) {
        a[i] = (unsigned char)(i + i / 256 * 7);
        b[i] = (unsigned char)(test_random() & test_random());
    }
    for (int i = 0; product && i < now.rows * now.rows; i++) put(CM_F16, c, (size_t)i, i % (now.rows + 1) == 0);
    if (launch(kernel, pitch, (const zed_arg[]){ADDRESS(a), ADDRESS(b), ADDRESS(c), ADDRESS(d)}))
        for (size_t i = 0; i < count; i++) {
            int type = now.type.type, want = wanted((int)get(type, a, i), (int)get(type, b, i));
            double got = get(product ? CM_F32 : CM_F16, d, i), sum = (double)wanted_sum(want);
            bool good = got == sum && (product || get(type, c, i) == want);
            if (!good && wrong++ == 0)
                printf("element %zu, byte %d: %g, want %d, %g\n", i, a[i], got, want, sum);
        }
    CHECK_MSG(wrong == 0, "%s of %s, operation %d by %g, %d x %d, pitch %d: %zu wrong", kernel->name,
              type_name(now.type.type), (int)now.op, now.by, now.rows, now.cols, (int)pitch, wrong);
    zed_free(&device, a), zed_free(&device, b), zed_free(&device, c), zed_free(&device, d);
}

/* Each operation in each shape of the sample; rows that do not fill a word (three) and one that ends within one. */
TEST(bytes_in_words)
{
    static const int shapes[][2] = {{32, 64}, {16, 128}, {3, 64}, {1, 64}, {22, 64}};
    static const double sums[] = {8, -8, -128, 3072, -896, 3073, -1024, 0.3, -0.0625, 60000};
    int n = 0;
    for (int type = 0; type < 2; type++)
        for (int op = 0; op < CAST_KINDS; op++)
            for (int i = 0; i < (op == PLUS ? 10 : 8); i++, n++) {
                const int *shape = shapes[n % 5];
                bool is_signed = type == 0;
                int mask = is_signed ? i * 37 - 128 : i * 36;
                now.type.type = is_signed ? CM_I8 : CM_U8;
                now.op = (what)op;
                now.by = op == PLUS ? sums[i] : op <= RIGHT ? i : mask;
                now.rows = shape[0], now.cols = shape[1];
                now.groups = (1023 + now.rows * now.cols) / (now.rows * now.cols);
                if (!test_takes(n, 7)) continue; /* of operations, shapes and pitches nearly any two meet */
                check(&bytes, n % 4 ? XT_PITCH_ALIGNED : XT_PITCH_ANY);
            }
}

TEST(operands_of_products)
{
    static const double sums[] = {-8, 3072, 0.5, -2048};
    for (int i = 0; i < 12; i++) {
        if (!test_takes(i + i / 2, 2)) continue; /* each operation on both types */
        now.type.type = i % 2 ? CM_I8 : CM_U8;
        now.op = i < 4 ? RIGHT : i < 8 ? AND_ : PLUS;
        now.by = i < 4 ? i + 1 : i < 8 ? 15 : sums[i - 8];
        now.rows = 32, now.cols = 64, now.groups = 1;
        check(&operand, i % 4 == 3 ? XT_PITCH_ANY : XT_PITCH_ALIGNED);
    }
}

int main(void)
{
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(bytes_in_words);
    RUN(operands_of_products);
    zed_close(&device);
    return test_report();
}
