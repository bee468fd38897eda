/* test_intel_halves.c - arithmetic on halves between conversions from and to f32 rounds to f16, in kernels of xetile.h,
 * coopvec.h and coopmatrix.h: Intel's compiler would do it in f32. scripts/check_machine.sh executes the machine code.
 *
 * Each kernel has the inputs X, Y, W of f32, which it rounds to f16, and writes the f32 result of each expression. */
#include "coopvec.h"
#include "numbers.h"
#include "xetile.h"
#include "ze_dispatch.h"

enum { ROWS = 16, COLS = 8, COUNT = ROWS * COLS, INPUTS = 3 };

static zed_device device;

/* What is computed of x, y and w in f16. */
enum { SUM, DIFFERENCE, PRODUCT, QUOTIENT, PRODUCT_SUM, SCALED, SUM_OF_SUMS, OF_A_ROOT, ROOTS, NEAREST, FORMS };
static const char *const form_names[] = {"x + y", "x - y", "x * y", "x / y", "x * y + w", "(x * 1) * y", "(x + y) + w",
                                         "sqrt(|x + y|)", "sqrt(|x|) + sqrt(|y|)", "floor(x + y)"};

static double half(double v) { return round_to(CM_F16, v); }

/* The result in f16: products may be contracted, and division and roots be off by one place, but not infinite. */
static bool is_right(int form, float x_, float y_, float w_, float got)
{
    double x = half((double)x_), y = half((double)y_), w = half((double)w_), want = 0, other, near = 0;
    switch (form) {
    case SUM: want = half(x + y); break;
    case DIFFERENCE: want = half(x - y); break;
    case PRODUCT: case SCALED: want = half(x * y); break;
    case QUOTIENT: want = half(x / y), near = 1; break;
    case PRODUCT_SUM: want = half(half(x * y) + w); break;
    case SUM_OF_SUMS: want = half(half(x + y) + w); break;
    case OF_A_ROOT: want = half(sqrt(fabs(half(x + y)))), near = 1; break;
    case ROOTS: want = half(half(sqrt(fabs(x))) + half(sqrt(fabs(y)))), near = 3; break;
    default: want = floor(half(x + y)); break;
    }
    other = form == PRODUCT_SUM ? half(x * y + w) : want;
    if ((double)got == want || (double)got == other || (isnan(got) && (isnan(want) || isnan(other)))) return true;
    if (form == OF_A_ROOT && isinf(want)) return false;
    return near > 0 && half((double)got) == (double)got &&
           fabs((double)got - want) <= near * fabs(want) * 0x1p-10 + 0x1p-24;
}

/* Of all magnitudes of f16 and some beyond; every eighth pair is of two equal numbers near the largest. */
static void fill(float *in)
{
    for (int i = 0; i < COUNT; i++) {
        for (int n = 0; n < INPUTS; n++) in[n * COUNT + i] = (float)ldexp(test_normal(), (int)(test_random() % 20) - 4);
        if (i % 8 == 0) in[i] = in[COUNT + i] = 40000 + (float)(test_random() % 25000);
        if (i % 8 == 1) in[COUNT + i] = in[i] * 0x1p-11f;
    }
}

static float *memory(size_t count)
{
    float *p = (float *)zed_alloc(&device, ZED_SHARED, count * sizeof *p, 0);
    CHECK(p != NULL);
    if (p) memset(p, 0xdb, count * sizeof *p);
    return p;
}

static void compare(const char *name, const float *in, const float *out)
{
    for (int form = 0, wrong = 0; form < FORMS; form++, wrong = 0)
        for (int i = 0; i < COUNT && wrong < 3; i++) {
            float x = in[i], y = in[COUNT + i], w = in[2 * COUNT + i], got = out[form * COUNT + i];
            if (is_right(form, x, y, w, got)) continue;
            test_fail(__FILE__, __LINE__, "%s: %s of %.9g, %.9g, %.9g is %.9g", name, form_names[form], (double)x,
                      (double)y, (double)w, (double)got);
            wrong++;
        }
}

/* Loads a module, launches it on inputs and compares. */
static void run(const char *name, zed_groups groups, bool (*load)(zed_kernel *k))
{
    float *in = memory(INPUTS * COUNT), *out = memory(FORMS * COUNT);
    zed_kernel k;
    if (in && out) fill(in);
    if (in && out && load(&k) && zed_launch(&k, groups, in, out)) compare(name, in, out);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s: %s", name, zed_get_error(&device)->text);
    zed_clear_error(&device);
    zed_free(&device, in), zed_free(&device, out);
}

/* ---- xetile.h ---------------------------------------------------------------------------------------------------- */

static xt_tile at(XT_CONTEXT, xt_val base, int number)
{
    return XT_INIT_TILE(base, f32, 1, COUNT, .offset = XT_AT(number, 0), .shape = XT_AT(FORMS, COUNT));
}

static xt_vec tile_form(XT_CONTEXT, int form, const xt_vec v[INPUTS])
{
    switch (form) {
    case SUM: return XT_ADD(v[0], v[1]);
    case DIFFERENCE: return XT_SUB(v[0], v[1]);
    case PRODUCT: return XT_MUL(v[0], v[1]);
    case QUOTIENT: return XT_DIV(v[0], v[1]);
    case PRODUCT_SUM: return XT_ADD(XT_MUL(v[0], v[1]), v[2]);
    case SCALED: return XT_MUL(XT_MUL(v[0], 1), v[1]);
    case SUM_OF_SUMS: return XT_ADD(XT_ADD(v[0], v[1]), v[2]);
    case OF_A_ROOT: return XT_SQRT(XT_ABS(XT_ADD(v[0], v[1])));
    case ROOTS: return XT_ADD(XT_SQRT(XT_ABS(v[0])), XT_SQRT(XT_ABS(v[1])));
    default: return XT_FLOOR(XT_ADD(v[0], v[1]));
    }
}

/* Each form loads its inputs again, so that nothing else uses what it computes. */
XT_KERNEL (tiles, ptr(f32, IN), ptr(f32, OUT))
{
    for (int form = 0; form < FORMS; form++) {
        xt_vec v[INPUTS];
        for (int n = 0; n < INPUTS; n++) v[n] = XT_CAST(f16, XT_LOAD_TILE(at(XT_SELF, IN, n)));
        XT_STORE_TILE(XT_CAST(f32, tile_form(XT_SELF, form, v)), at(XT_SELF, OUT, form));
    }
}

static bool load_tiles(zed_kernel *k)
{
    xt_module mod = XT_BUILD(tiles, &(xt_target){ZED_TARGET(&device)});
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    bool loaded = mod.words && ZED_LOAD(k, &device, mod);
    if (mod.words) test_save_spv("halves_tiles", mod.words, mod.size);
    xt_free(&mod);
    return loaded;
}

TEST(tiles_of_halves) { run("xetile.h", (zed_groups){1, 1, 1}, load_tiles); }

/* What a loop carries, leaves an if, is moved, is one number, or follows a product. */
enum { CARRIED, CHOSEN, TRANSPOSED, REPEATED, ELEMENT, EPILOGUE, PLACES, SIDE = 16 };

XT_KERNEL (places, ptr(f32, X), ptr(f32, Y), ptr(f32, Z), i32(n))
{
    const xt_index shape = XT_AT(PLACES * SIDE, SIDE);
    xt_vec r[PLACES], x = XT_CAST(f16, XT_LOAD_TILE(XT_INIT_TILE(X, f32, SIDE, SIDE, .shape = shape)));
    xt_vec y = XT_CAST(f16, XT_LOAD_TILE(XT_INIT_TILE(Y, f32, SIDE, SIDE, .shape = shape))), v = x, u = x;
    xt_vec one = XT_CAST(f16, XT_IOTA(i32, SIDE, SIDE, 0));
    XT_FOR (i, 0, 1, 1, &v) v = XT_ADD(v, y);
    XT_IF (XT_GT(n, 1), &u) u = XT_ADD(x, y);
    XT_ELSE u = XT_SUB(x, y);
    r[CARRIED] = v, r[CHOSEN] = u;
    r[TRANSPOSED] = XT_ADD(XT_TRANSPOSE(x), XT_TRANSPOSE(y));
    r[REPEATED] = XT_ADD(XT_BROADCAST(XT_SLICE(x, 3, 0, 1, SIDE), 0, SIDE), y);
    r[ELEMENT] = XT_ADD(XT_ELEMENT(x, 2, 5), y);
    xt_vec product = XT_TILE_MMA(XT_MUL(one, 0.0625), XT_CAST(f16, XT_MUL(XT_CAST(f32, y), 0x1p-12)));
    r[EPILOGUE] = XT_ADD(XT_CAST(f16, product), x);
    for (int p = 0; p < PLACES; p++)
        XT_STORE_TILE(XT_CAST(f32, r[p]),
                      XT_INIT_TILE(Z, f32, SIDE, SIDE, .offset = XT_AT(p * SIDE, 0), .shape = shape));
}

static double of_place(int place, const float *x, const float *y, int i)
{
    int row = i / SIDE, col = i % SIDE, turned = col * SIDE + row;
    switch (place) {
    case TRANSPOSED: return half((double)x[turned]) + half((double)y[turned]);
    case REPEATED: return half((double)x[3 * SIDE + col]) + half((double)y[i]);
    case ELEMENT: return half((double)x[2 * SIDE + 5]) + half((double)y[i]);
    default: return half((double)x[i]) + half((double)y[i]);
    }
}

TEST(halves_in_other_places)
{
    float *x = memory(SIDE * SIDE), *y = memory(SIDE * SIDE), *z = memory(PLACES * SIDE * SIDE);
    zed_kernel k;
    for (int i = 0; x && y && i < SIDE * SIDE; i++) {
        x[i] = (float)ldexp(test_normal(), (int)(test_random() % 8) + 6);
        y[i] = i % 4 ? (float)ldexp(test_normal(), (int)(test_random() % 12)) : 40000 + (float)(test_random() % 25000);
    }
    if (x) x[2 * SIDE + 5] = 60000;
    xt_module mod = XT_BUILD(places, &(xt_target){ZED_TARGET(&device)});
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    if (mod.words) test_save_spv("halves_places", mod.words, mod.size);
    bool ran = z && mod.words && ZED_LOAD(&k, &device, mod) && zed_launch(&k, (zed_groups){1, 1, 1}, x, y, z, 2);
    for (int i = 0; ran && i < EPILOGUE * SIDE * SIDE; i++) {
        double want = half(of_place(i / (SIDE * SIDE), x, y, i % (SIDE * SIDE)));
        CHECK_MSG((double)z[i] == want, "place %d, element %d is %.9g, want %.9g", i / (SIDE * SIDE), i % (SIDE * SIDE),
                  (double)z[i], want);
    }
    for (int i = EPILOGUE * SIDE * SIDE; ran && i < PLACES * SIDE * SIDE; i++)
        CHECK_MSG(half((double)z[i]) == (double)z[i], "after a product, element %d is %.9g, no half",
                  i - EPILOGUE * SIDE * SIDE, (double)z[i]);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s", zed_get_error(&device)->text);
    zed_clear_error(&device);
    xt_free(&mod);
    zed_free(&device, x), zed_free(&device, y), zed_free(&device, z);
}

/* ---- coopvec.h: a work-item has a row ---------------------------------------------------------------------------- */

static cv_vec vector_form(CV_CONTEXT, int form, const cv_vec v[INPUTS])
{
    switch (form) {
    case SUM: return CV_ADD(v[0], v[1]);
    case DIFFERENCE: return CV_SUB(v[0], v[1]);
    case PRODUCT: return CV_MUL(v[0], v[1]);
    case QUOTIENT: return CV_DIV(v[0], v[1]);
    case PRODUCT_SUM: return CV_ADD(CV_MUL(v[0], v[1]), v[2]);
    case SCALED: return CV_MUL(CV_MUL(v[0], 1), v[1]);
    case SUM_OF_SUMS: return CV_ADD(CV_ADD(v[0], v[1]), v[2]);
    case OF_A_ROOT: return CV_SQRT(CV_ABS(CV_ADD(v[0], v[1])));
    case ROOTS: return CV_ADD(CV_SQRT(CV_ABS(v[0])), CV_SQRT(CV_ABS(v[1])));
    default: return CV_FLOOR(CV_ADD(v[0], v[1]));
    }
}

CV_KERNEL (vectors, ptr(f32, IN), ptr(f32, OUT))
{
    cv_val i = CV_MUL(CV_GLOBAL_ID(), COLS);
    for (int form = 0; form < FORMS; form++) {
        cv_vec v[INPUTS];
        for (int n = 0; n < INPUTS; n++) v[n] = CV_CAST(f16, CV_LOAD(IN, COLS, CV_ADD(i, n * COUNT)));
        CV_STORE(CV_CAST(f32, vector_form(CV_SELF, form, v)), OUT, CV_ADD(i, form * COUNT));
    }
}

static bool load_vectors(zed_kernel *k)
{
    cv_module mod = CV_BUILD(vectors, &(cv_target){ZED_TARGET(&device)}, .local_size = ROWS);
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    bool loaded = mod.words && ZED_LOAD(k, &device, mod);
    if (mod.words) test_save_spv("halves_vectors", mod.words, mod.size);
    cv_free(&mod);
    return loaded;
}

TEST(vectors_of_halves) { run("coopvec.h", (zed_groups){1, 1, 1}, load_vectors); }

/* ---- coopmatrix.h ------------------------------------------------------------------------------------------------ */

static cm_matrix moved(cm_ctx *c, spe_id base, int number, const cm_matrix *v)
{
    spe_module *m = c->module;
    cm_mem mem = {.ptr = spe_index(m, base, spe_i32(m, number * COUNT)), .stride_row = spe_i32(m, COLS),
                  .stride_col = spe_i32(m, 1)};
    if (!v) return cm_load(c, ROWS, COLS, CM_F32, CM_ACC, &mem);
    cm_store(c, v, &mem);
    return *v;
}

static cm_matrix magnitude_root(cm_ctx *c, cm_matrix v)
{
    v = cm_unary(c, CM_ABS, &v);
    return cm_unary(c, CM_SQRT, &v);
}

static cm_matrix matrix_form(cm_ctx *c, int form, const cm_matrix v[INPUTS])
{
    cm_matrix a, b;
    switch (form) {
    case SUM: return cm_add(c, &v[0], &v[1]);
    case DIFFERENCE: return cm_sub(c, &v[0], &v[1]);
    case PRODUCT: return cm_mul(c, &v[0], &v[1]);
    case QUOTIENT: return cm_binary(c, CM_DIV, &v[0], &v[1]);
    case PRODUCT_SUM: return a = cm_mul(c, &v[0], &v[1]), cm_add(c, &a, &v[2]);
    case SCALED:
        a = cm_scale(c, &v[0], spe_const_f(c->module, spe_float(c->module, 16), 1));
        return cm_mul(c, &a, &v[1]);
    case SUM_OF_SUMS: return a = cm_add(c, &v[0], &v[1]), cm_add(c, &a, &v[2]);
    case OF_A_ROOT: return magnitude_root(c, cm_add(c, &v[0], &v[1]));
    case ROOTS:
        a = magnitude_root(c, v[0]), b = magnitude_root(c, v[1]);
        return cm_add(c, &a, &b);
    default: return a = cm_add(c, &v[0], &v[1]), cm_unary(c, CM_FLOOR, &a);
    }
}

static void emit_matrices(cm_ctx *c)
{
    for (int form = 0; form < FORMS; form++) {
        cm_matrix v[INPUTS], result;
        for (int n = 0; n < INPUTS; n++) {
            v[n] = moved(c, spe_param_id(c->module, 0), n, NULL);
            v[n] = cm_convert(c, &v[n], CM_F16);
        }
        result = matrix_form(c, form, v);
        result = cm_convert(c, &result, CM_F32);
        moved(c, spe_param_id(c->module, 1), form, &result);
    }
}

static bool load_matrices(zed_kernel *k)
{
    static zed_module loaded;
    cm_target target;
    cm_ctx c;
    spe_module m;
    spe_begin(&m, NULL);
    const cm_target *row = cm_target_row(device.target.name);
    CHECK_MSG(row != NULL, "no target %s", device.target.name);
    target = row ? *row : *cm_target_row("soft");
    spe_id ptr = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, spe_float(&m, 32));
    spe_param params[2] = {{ptr, "in", false, false, 0}, {ptr, "out", false, false, 0}};
    uint32_t size = (uint32_t)target.subgroup_size;
    spe_kernel kernel = {.name = "matrices", .subgroup_size = size, .local_size = {size, 1, 1}, .params = params,
                         .param_count = 2};
    spe_kernel_begin(&m, &kernel);
    cm_begin(&c, &m, &target, CM_AUTO);
    emit_matrices(&c);
    spe_kernel_end(&m);
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    if (words.data) test_save_spv("halves_matrices", words.data, words.count * 4);
    bool good = words.data && zed_module_load(&loaded, &device, words.data, words.count * 4, NULL) &&
                zed_kernel_get(k, &loaded, "matrices", "ptr<f32> in, ptr<f32> out");
    spe_free(&m);
    return good;
}

TEST(matrices_of_halves) { run("coopmatrix.h", (zed_groups){1, 1, 1}, load_matrices); }

int main(void)
{
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(tiles_of_halves);
    RUN(halves_in_other_places);
    RUN(vectors_of_halves);
    RUN(matrices_of_halves);
    zed_close(&device);
    return test_report();
}
