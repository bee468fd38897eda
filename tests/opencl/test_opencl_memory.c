/* test_opencl_memory.c - structures, arrays, unions, pointers and byte copies in OpenCL C, against the same functions
 * compiled by the host's compiler (opencl/memory_functions.h), in three builds as in test_opencl_flow.c. Exact: the few
 * floats are small multiples of powers of two. Also longer algorithms (opencl/algorithms_functions.h), compiled by
 * clang at three levels. */
#include "opencl.h"

#define MEMORY
#define TABLE static const
#include "memory_functions.h"

#include "algorithms_functions.h" /* with its macros */

typedef struct {
    const char *kernel;
    int (*call)(int x, int n, int *m);
} memory_case;

#define CASE(name) {"run_" #name, name},
static const memory_case cases[] = {ITEM_FUNCTIONS(CASE)}, algorithms[] = {ALGORITHMS(CASE)};
enum { GROUPS = 3, ITEMS = GROUPS * 32 }; /* at most */

/* Items in a group: subgroups of 8, 16 and 32 are all partly filled, for which the software device compiles a kernel
 * once more; in the sample, of one kernel of three. */
static int group_of(size_t kernel) { return test_takes((int)kernel, 3) ? 25 : 32; }
static zed_module plain, unoptimised, optimised;

static void run_case(zed_module *m, const memory_case *c, int n, int group)
{
    const int items = GROUPS * group;
    int32_t *x = (int32_t *)ocl_buffer(ITEMS * 4), *memory = (int32_t *)ocl_buffer(ITEMS * 16),
            *r = (int32_t *)ocl_buffer(ITEMS * 4);
    int own[4 * ITEMS];
    for (int i = 0; i < items; i++) x[i] = (int32_t)(test_random() % 64);
    for (int i = 0; i < 4 * items; i++) own[i] = memory[i] = i * 71 % 1300;
    OCL_RUN(m, c->kernel, "ptr<i32> x, i32 n, ptr<i32> memory, ptr<i32> r", GROUPS, group, x, n, memory, r);
    for (int i = 0; i < items; i++) {
        int want = c->call(x[i], n, own + 4 * i);
        CHECK_MSG(r[i] == want, "%s(%d, %d) is %d, want %d", c->kernel, x[i], n, r[i], want);
    }
    for (int i = 0; i < 4 * items; i++)
        CHECK_MSG(memory[i] == own[i], "%s(%d, %d) leaves %d in m[%d], want %d", c->kernel, x[i / 4], n, memory[i],
                  i % 4, own[i]);
    ocl_free(x);
    ocl_free(memory);
    ocl_free(r);
}

static void run_cases(zed_module *m, const char *name, const memory_case *list, size_t count)
{
    if (!ocl_load(m, name)) return;
    for (int n = 0; n < 6; n++)
        for (size_t k = 0; k < count; k++) run_case(m, &list[k], n, group_of(k));
}

static void run_module(zed_module *m, const char *name) { run_cases(m, name, cases, sizeof cases / sizeof *cases); }

TEST(as_written) { run_module(&plain, "memory"); }
TEST(variables_in_memory) { run_module(&unoptimised, "memory_unoptimised"); }
TEST(after_all_passes) { run_module(&optimised, "memory_optimised"); }

TEST(algorithms_at_three_levels)
{
    static const char *const names[] = {"algorithms", "algorithms_O2", "algorithms_Os"};
    for (int i = 0; i < 3; i++) {
        zed_module m;
        run_cases(&m, names[i], algorithms, sizeof algorithms / sizeof *algorithms);
    }
}

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(as_written);
    RUN(variables_in_memory);
    RUN(after_all_passes);
    RUN(algorithms_at_three_levels);
    zed_close(&ocl_device);
    return test_report();
}
