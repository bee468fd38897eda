/* test_soft_schedule.c - random programs of copies, fills and kernels on several command lists at once: immediate ones
 * (asynchronous, in order, synchronous, of the copy engine) and regular ones, ordered by events and barriers only where
 * they touch the same buffer. Every buffer is compared with what the same commands do one after another.
 *
 *     RANDOM_PROGRAMS=10000 RANDOM_SEED=7 build/test_soft_schedule   more of them; the seed of a failure is printed
 */
#define _GNU_SOURCE
#include <level_zero/ze_api.h>
#include <pthread.h>

#include "driver_kernels.h"
#include "random_choices.h"

#define OK(call) CHECK_INT((call), ZE_RESULT_SUCCESS)
#define FOR_EVER UINT64_MAX

enum { N = 300, BYTES = N * 4, BUFFERS = 5, COMMANDS = 60, EVENTS = COMMANDS + 1, GATE = COMMANDS, LISTS = 7 };

typedef enum { COPY, FILL, ADD } kind;
typedef enum { PLAIN, IN_ORDER, SYNCHRONOUS, COPIES, REGULAR } list_kind; /* immediate, except REGULAR */

typedef struct {
    kind kind;
    int list;
    int to, from, and_from; /* buffers */
    size_t to_at, from_at, bytes;
    uint32_t pattern;
    bool signals; /* its event, the one of its number */
} command;

static struct {
    list_kind kind;
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue; /* REGULAR; also the next two */
    bool open;                       /* it has commands that the queue has not */
    ze_command_list_handle_t submitted[2 * COMMANDS];
    int submissions;
    int settled; /* commands of it before this number precede any further one */
} lists[LISTS];

static struct {
    command at[COMMANDS];
    bool done[COMMANDS]; /* the host has waited for it */
    int count;
    bool gated; /* the first commands of lists wait for an event that the host has not signalled yet */
} program;

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_kernel_handle_t add;
static ze_event_pool_handle_t pool;
static ze_event_handle_t events[EVENTS];
static uint8_t *buffers[BUFFERS], model[BUFFERS][BYTES];

/* ---- objects */

static ze_command_list_handle_t new_regular(void)
{
    ze_command_list_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t list = NULL;
    OK(zeCommandListCreate(context, device, &d, &list));
    return list;
}

static void new_list(int i, list_kind kind)
{
    const uint32_t in_order = 2; /* ZE_COMMAND_QUEUE_FLAG_IN_ORDER, since 1.9 */
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .ordinal = kind == COPIES,
                                 .flags = kind == IN_ORDER ? in_order : 0,
                                 .mode = kind == SYNCHRONOUS ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
                                                             : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    memset(&lists[i], 0, sizeof lists[i]);
    lists[i].kind = kind;
    if (kind == REGULAR) {
        OK(zeCommandQueueCreate(context, device, &q, &lists[i].queue));
        lists[i].list = new_regular();
    } else {
        OK(zeCommandListCreateImmediate(context, device, &q, &lists[i].list));
    }
}

static void new_objects(void)
{
    ze_event_pool_desc_t d = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = EVENTS};
    if (chance(20)) d.flags |= ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
    OK(zeEventPoolCreate(context, &d, 1, &device, &pool));
    for (uint32_t i = 0; i < EVENTS; i++) {
        ze_event_desc_t e = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        OK(zeEventCreate(pool, &e, &events[i]));
    }
    for (int i = 0; i < LISTS; i++) new_list(i, i <= REGULAR ? (list_kind)i : chance(50) ? PLAIN : REGULAR);
}

static void free_objects(void)
{
    for (int i = 0; i < LISTS; i++) {
        OK(zeCommandListDestroy(lists[i].list));
        for (int k = 0; k < lists[i].submissions; k++) OK(zeCommandListDestroy(lists[i].submitted[k]));
        if (lists[i].queue) OK(zeCommandQueueDestroy(lists[i].queue));
    }
    for (int i = 0; i < EVENTS; i++) OK(zeEventDestroy(events[i]));
    OK(zeEventPoolDestroy(pool));
}

/* ---- what the host does meanwhile */

static void open_gate(void)
{
    if (program.gated) OK(zeEventHostSignal(events[GATE]));
    program.gated = false;
}

/* Hands a regular list's commands to its queue; further ones go into another list. */
static void submit(int list)
{
    if (!lists[list].open) return;
    OK(zeCommandListClose(lists[list].list));
    OK(zeCommandQueueExecuteCommandLists(lists[list].queue, 1, &lists[list].list, NULL));
    lists[list].submitted[lists[list].submissions++] = lists[list].list;
    lists[list].list = new_regular();
    lists[list].open = false;
}

/* Waits for all commands of a list. The event of a command that does not exist yet is free for this. */
static void wait_for_list(int list)
{
    open_gate();
    if (lists[list].kind == REGULAR) {
        submit(list);
        OK(zeCommandQueueSynchronize(lists[list].queue, FOR_EVER));
    } else {
        ze_event_handle_t e = events[program.count];
        OK(zeCommandListAppendBarrier(lists[list].list, e, 0, NULL));
        OK(zeEventHostSynchronize(e, FOR_EVER));
        OK(zeEventHostReset(e));
    }
    for (int i = 0; i < program.count; i++)
        if (program.at[i].list == list) program.done[i] = true;
}

static void *wait_for_event(void *event)
{
    return zeEventHostSynchronize((ze_event_handle_t)event, FOR_EVER) == ZE_RESULT_SUCCESS ? NULL : event;
}

/* ---- ordering */

static bool touches(const command *c, int buffer)
{
    return c->to == buffer || (c->kind != FILL && c->from == buffer) || (c->kind == ADD && c->and_from == buffer);
}

static bool must_be_ordered(const command *a, const command *b) { return touches(a, b->to) || touches(b, a->to); }

static bool is_ordered(int earlier, const command *c)
{
    const int list = program.at[earlier].list;
    return program.done[earlier] || !must_be_ordered(&program.at[earlier], c) ||
           (list == c->list && (earlier < lists[list].settled || lists[list].kind == IN_ORDER));
}

/* The events that command `c` must wait for. Waits right here for commands that have none. */
static uint32_t find_waits(const command *c, ze_event_handle_t *waits)
{
    uint32_t n = 0;
    for (int i = 0; i < program.count; i++)
        if (!is_ordered(i, c) && !program.at[i].signals) wait_for_list(program.at[i].list);
    for (int i = 0; i < program.count; i++) {
        if (is_ordered(i, c)) continue;
        if (program.at[i].list != c->list) submit(program.at[i].list);
        waits[n++] = events[i];
    }
    if (program.gated && (n == 0 || chance(20))) waits[n++] = events[GATE];
    return n;
}

/* ---- commands */

static void simulate(const command *c)
{
    uint8_t *to = model[c->to];
    if (c->kind == COPY) memmove(to + c->to_at, model[c->from] + c->from_at, c->bytes);
    if (c->kind == FILL)
        for (size_t i = 0; i < c->bytes; i += 4) memcpy(to + c->to_at + i, &c->pattern, 4);
    for (int i = 0; i < N && c->kind == ADD; i++) {
        float a, b;
        memcpy(&a, model[c->from] + 4 * i, 4);
        memcpy(&b, model[c->and_from] + 4 * i, 4);
        a += b;
        memcpy(to + 4 * i, &a, 4);
    }
}

/* Patterns are floats from 1 to 2, so that sums stay finite and exact enough to tell orders apart. */
static command choose(void)
{
    command c = {.kind = (kind)below(3), .list = below(LISTS), .signals = chance(70)};
    if (lists[c.list].kind == COPIES && c.kind == ADD) c.kind = COPY;
    c.to = below(BUFFERS);
    do c.from = below(BUFFERS);
    while (c.from == c.to && c.kind == COPY);
    c.and_from = below(BUFFERS);
    c.bytes = 4 * (size_t)(1 + below(N));
    c.to_at = 4 * (size_t)below(N - (int)(c.bytes / 4) + 1);
    c.from_at = 4 * (size_t)below(N - (int)(c.bytes / 4) + 1);
    c.pattern = 0x3f800000u | (uint32_t)(test_random() & 0x7fffff);
    return c;
}

static void append(const command *c)
{
    ze_event_handle_t waits[EVENTS], signal = c->signals ? events[program.count] : NULL;
    uint8_t *to = buffers[c->to], *from = buffers[c->from];
    ze_group_count_t groups = {(N + 31) / 32, 1, 1};
    if (lists[c->list].kind == SYNCHRONOUS) open_gate();
    uint32_t n = find_waits(c, waits), count = N;
    ze_command_list_handle_t list = lists[c->list].list;
    if (c->kind == COPY)
        OK(zeCommandListAppendMemoryCopy(list, to + c->to_at, from + c->from_at, c->bytes, signal, n, waits));
    if (c->kind == FILL)
        OK(zeCommandListAppendMemoryFill(list, to + c->to_at, &c->pattern, 4, c->bytes, signal, n, waits));
    if (c->kind == ADD) {
        OK(zeKernelSetArgumentValue(add, 0, sizeof(void *), &buffers[c->from]));
        OK(zeKernelSetArgumentValue(add, 1, sizeof(void *), &buffers[c->and_from]));
        OK(zeKernelSetArgumentValue(add, 2, sizeof(void *), &to));
        OK(zeKernelSetArgumentValue(add, 3, 4, &count));
        OK(zeCommandListAppendLaunchKernel(list, add, &groups, signal, n, waits));
    }
    if (lists[c->list].kind == REGULAR) lists[c->list].open = true;
    program.at[program.count++] = *c;
}

/* Something besides a command. */
static void interfere(void)
{
    const int list = below(LISTS);
    if (chance(40)) {
        OK(zeCommandListAppendBarrier(lists[list].list, NULL, 0, NULL));
        lists[list].settled = program.count;
        if (lists[list].kind == REGULAR) lists[list].open = true;
    } else if (chance(50)) {
        submit(list);
    } else if (chance(30)) {
        wait_for_list(list);
    } else {
        open_gate();
    }
}

static void run_program(uint64_t seed)
{
    pthread_t waiter;
    bool waits = false;
    void *failed = NULL;
    test_.random = seed * 0x9e3779b97f4a7c15u | 1;
    memset(&program, 0, sizeof program);
    program.gated = chance(70);
    new_objects();
    for (int b = 0; b < BUFFERS; b++)
        for (int i = 0; i < N; i++) {
            float x = (float)(1 + test_uniform());
            memcpy(buffers[b] + 4 * i, &x, 4);
            memcpy(model[b] + 4 * i, &x, 4);
        }
    while (program.count < COMMANDS - 1) {
        command c = choose();
        append(&c);
        simulate(&c);
        if (chance(25)) interfere();
        if (!waits && c.signals && chance(5))
            waits = pthread_create(&waiter, NULL, wait_for_event, events[program.count - 1]) == 0;
    }
    for (int i = 0; i < LISTS; i++) wait_for_list(i);
    if (waits) pthread_join(waiter, &failed);
    CHECK(!failed);
    for (int b = 0; b < BUFFERS; b++)
        CHECK_MSG(!memcmp(buffers[b], model[b], BYTES), "buffer %d differs: RANDOM_PROGRAMS=1 RANDOM_SEED=%llu", b,
                  (unsigned long long)seed);
    free_objects();
}

TEST(random_schedules)
{
    const uint64_t count = setting("RANDOM_PROGRAMS", 100), first = setting("RANDOM_SEED", 1);
    for (uint64_t i = 0; i < count && !test_.failures_here; i++) run_program(first + i);
}

/* ---- */

static bool open_device(void)
{
    uint32_t one = 1;
    ze_context_desc_t c = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_module_desc_t m = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                          .format = ZE_MODULE_FORMAT_IL_SPIRV,
                          .inputSize = sizeof driver_kernels,
                          .pInputModule = (const uint8_t *)driver_kernels};
    ze_kernel_desc_t k = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "add"};
    ze_module_handle_t module;
    const char *soft = getenv("XETILE_SOFT");
    setenv("ZE_ENABLE_ALT_DRIVERS", soft ? soft : "build/libze_soft.so", 1);
    unsetenv("ZE_ENABLE_PARAMETER_VALIDATION"); /* old loaders know no queues in order */
    if (zeInit(0) || zeDriverGet(&one, &driver) || zeDeviceGet(driver, &one, &device) ||
        zeContextCreate(driver, &c, &context) || zeModuleCreate(context, device, &m, &module, NULL) ||
        zeKernelCreate(module, &k, &add) || zeKernelSetGroupSize(add, 32, 1, 1))
        return false;
    for (int b = 0; b < BUFFERS; b++)
        if (zeMemAllocShared(context, &on_device, &on_host, BYTES, 64, device, (void **)&buffers[b])) return false;
    return true;
}

TEST(a_device_opens) { CHECK(open_device()); }

int main(void)
{
    RUN(a_device_opens);
    if (!test_.failed) RUN(random_schedules);
    return test_report();
}
