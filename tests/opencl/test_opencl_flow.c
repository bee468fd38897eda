/* test_opencl_flow.c - control flow of OpenCL C: the kernels of flow.cl run for whole subgroups, and the same
 * functions, compiled by the host's compiler, for one item at a time. Results and memory must be equal.
 *
 * Three builds of the same kernels: close to the source, every variable in memory, and after loop passes.
 */
#include "opencl.h"

#define MEMORY
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wswitch-unreachable"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wparentheses-equality"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wconstant-logical-operand"
#endif
#include "flow_functions.h"
#include "flow_random.h"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

typedef int flow(int x, int n, int *m, int fuel);
typedef struct {
    const char *kernel;
    flow *call;
} flow_case;

#define CASE(name) {"run_" #name, name},
static const flow_case written[] = {WRITTEN_FLOWS(CASE)}, random_flows[] = {RANDOM_FLOWS(CASE)};

enum { GROUPS = 3, ITEMS = GROUPS * 32 }; /* at most */

/* Items in a group: subgroups of 8, 16 and 32 are all partly filled, for which the software device compiles a kernel
 * once more; in the sample, of one kernel of three. */
static int group_of(size_t kernel) { return test_takes((int)kernel, 3) ? 25 : 32; }

static zed_module plain, unoptimised, optimised;

static void run_case(zed_module *m, const flow_case *c, int n, int group)
{
    const int items = GROUPS * group;
    int32_t *x = (int32_t *)ocl_buffer(ITEMS * 4), *memory = (int32_t *)ocl_buffer(ITEMS * 16),
            *r = (int32_t *)ocl_buffer(ITEMS * 4);
    int own[4 * ITEMS];
    for (int i = 0; i < items; i++) x[i] = (int32_t)(test_random() % 64) - 8;
    for (int i = 0; i < 4 * items; i++) own[i] = memory[i] = i * 7 % 13;
    OCL_RUN(m, c->kernel, "ptr<i32> x, i32 n, ptr<i32> memory, ptr<i32> r", GROUPS, group, x, n, memory, r);
    for (int i = 0; i < items; i++) {
        int want = c->call(x[i], n, own + 4 * i, 60);
        CHECK_MSG(r[i] == want, "%s(%d, %d) is %d, want %d", c->kernel, x[i], n, r[i], want);
    }
    for (int i = 0; i < 4 * items; i++)
        CHECK_MSG(memory[i] == own[i], "%s(%d, %d) leaves %d in m[%d], want %d", c->kernel, x[i / 4], n, memory[i],
                  i % 4, own[i]);
    ocl_free(x);
    ocl_free(memory);
    ocl_free(r);
}

static void run_module(zed_module *m, const char *name)
{
    if (!ocl_load(m, name)) return;
    for (int n = 0; n < 10; n++) {
        for (size_t k = 0; k < sizeof written / sizeof *written; k++) run_case(m, &written[k], n, group_of(k));
        for (size_t k = 0; k < sizeof random_flows / sizeof *random_flows; k++)
            run_case(m, &random_flows[k], n, group_of(k));
    }
}

TEST(as_written) { run_module(&plain, "flow"); }
TEST(variables_in_memory) { run_module(&unoptimised, "flow_unoptimised"); }
TEST(after_loop_passes) { run_module(&optimised, "flow_optimised"); }

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(as_written);
    RUN(variables_in_memory);
    RUN(after_loop_passes);
    zed_close(&ocl_device);
    return test_report();
}
