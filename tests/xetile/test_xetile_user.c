/* test_xetile_user.c - a kernel's body reads what a program chose through the user pointer of XT_BUILD and CV_BUILD:
 * the same body makes several kernels, in several threads at once, without a global variable. */
#include "coopvec.h"
#include "test.h"
#include "xetile.h"
#include "ze_dispatch.h"

#include <pthread.h>

/* A polynomial, whose coefficients the kernel has as constants. */
typedef struct {
    int degree;
    double factor[4];
} polynomial;

static double value_of(const polynomial *p, double x)
{
    double sum = 0;
    for (int i = p->degree; i >= 0; i--) sum = sum * x + p->factor[i];
    return sum;
}

static xt_vec evaluated(XT_CONTEXT, xt_vec x)
{
    const polynomial *p = (const polynomial *)XT_USER();
    xt_vec sum = XT_SPLAT(f32, 1, 64, p->factor[p->degree]);
    for (int i = p->degree - 1; i >= 0; i--) sum = XT_FMA(sum, x, p->factor[i]);
    return sum;
}

XT_KERNEL(tiles, ptr(f32, X), ptr(f32, Y))
{
    xt_index at = XT_AT(0, XT_MUL(XT_GROUP_ID(0), 64)), all = XT_AT(1, 1024);
    xt_vec x = XT_LOAD_TILE(XT_INIT_TILE(X, f32, 1, 64, .offset = at, .shape = all));
    XT_STORE_TILE(evaluated(XT_SELF, x), XT_INIT_TILE(Y, f32, 1, 64, .offset = at, .shape = all));
}

/* Four elements an item. */
CV_KERNEL(items, ptr(f32, X), ptr(f32, Y))
{
    const polynomial *p = (const polynomial *)CV_USER();
    cv_val at = CV_MUL(CV_GLOBAL_ID(), 4);
    cv_vec x = CV_LOAD(X, 4, at), sum = CV_FMA(0.0, x, p->factor[p->degree]);
    for (int i = p->degree - 1; i >= 0; i--) sum = CV_FMA(sum, x, p->factor[i]);
    CV_STORE(sum, Y, at);
}

static const polynomial polynomials[] = {{1, {0.5, -2, 0, 0}}, {3, {1, 0.25, -0.75, 2}}, {0, {7, 0, 0, 0}}};
enum { POLYNOMIALS = sizeof polynomials / sizeof polynomials[0], MODULES = 2 * POLYNOMIALS, COUNT = 1024, LOCAL = 64 };

static zed_device device;
static spe_built built[MODULES]; /* of tiles, of items, of tiles ... */

static void *build(void *at)
{
    int n = (int)((spe_built *)at - built);
    const xt_target target = {ZED_TARGET(&device)};
    const polynomial *p = &polynomials[n / 2];
    built[n] = n % 2 ? CV_BUILD(items, &target, .local_size = LOCAL, .user = p) : XT_BUILD(tiles, &target, .user = p);
    return NULL;
}

TEST(each_module_has_its_own)
{
    pthread_t thread[MODULES];
    float *x = (float *)zed_alloc(&device, ZED_SHARED, COUNT * 4, 0),
          *y = (float *)zed_alloc(&device, ZED_SHARED, COUNT * 4, 0);
    for (int i = 0; i < COUNT; i++) x[i] = (float)test_normal();
    for (int n = 0; n < MODULES; n++) CHECK(pthread_create(&thread[n], NULL, build, &built[n]) == 0);
    for (int n = 0; n < MODULES; n++) pthread_join(thread[n], NULL);
    for (int n = 0; n < MODULES; n++) {
        zed_kernel k;
        char name[16];
        int wrong = 0;
        CHECK_MSG(built[n].words != NULL, "%s", built[n].error->text);
        if (!built[n].words || !ZED_LOAD(&k, &device, built[n])) continue;
        snprintf(name, sizeof name, "user_%d", n);
        test_save_spv(name, built[n].words, built[n].size);
        memset(y, 0xdb, COUNT * 4);
        zed_launch(&k, (zed_groups){n % 2 ? COUNT / 4 / LOCAL : COUNT / 64, 1, 1}, x, y);
        for (int i = 0; i < COUNT; i++) { /* at most four roundings of f32, of terms up to |x|^3 * 2 */
            double want = value_of(&polynomials[n / 2], (double)x[i]), size = 4 + 4 * pow(fabs((double)x[i]), 3);
            wrong += !(fabs((double)y[i] - want) <= size * 0x1p-22);
        }
        CHECK_MSG(wrong == 0, "module %d: %d wrong", n, wrong);
    }
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s", zed_get_error(&device)->text);
    for (int n = 0; n < MODULES; n++) n % 2 ? cv_free(&built[n]) : xt_free(&built[n]);
}

static const void *seen = "not run";
XT_KERNEL(asks, ptr(f32, X))
{
    (void)X;
    seen = XT_USER();
    XT_STORE(1.0, X, 0);
}

TEST(without_one_it_is_null)
{
    xt_module m = XT_BUILD(asks, &(xt_target){.name = "bmg"});
    CHECK(m.words != NULL);
    CHECK(seen == NULL);
    xt_free(&m);
}

int main(void)
{
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(each_module_has_its_own);
    RUN(without_one_it_is_null);
    zed_close(&device);
    return test_report();
}
