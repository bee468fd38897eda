/* test_soft_graphs.c - graphs: commands recorded from immediate lists, and run again and again. The functions are asked
 * for by name, as programs with older headers do; with newer ones the loader's are used, too.
 */
#define _GNU_SOURCE
#include <level_zero/ze_api.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "driver_kernels.h"
#include "test.h"

#define OK(call) CHECK_INT((call), ZE_RESULT_SUCCESS)
#define FOR_EVER UINT64_MAX

typedef struct _ze_graph_handle_t *graph_t;
typedef struct _ze_executable_graph_handle_t *executable_t;

enum {
    QUERY_TRUE = 0x78000022,
    QUERY_FALSE,
    INVALID_GRAPH,
    CAPTURE_UNSUPPORTED,
    MERGE_ATTEMPT = 0x78000027,
    NOT_CAPTURING,
    UNJOINED_FORKS,
    INTERNAL_EVENT,
    N = 1000, /* floats in a buffer */
    ROUNDS = 10
};

static struct {
    ze_result_t (*create)(ze_context_handle_t, const void *, graph_t *);
    ze_result_t (*begin)(ze_command_list_handle_t, const void *);
    ze_result_t (*begin_into)(ze_command_list_handle_t, graph_t, const void *);
    ze_result_t (*is_captured)(ze_command_list_handle_t);
    ze_result_t (*end)(ze_command_list_handle_t, const void *, graph_t *);
    ze_result_t (*graph_of)(ze_command_list_handle_t, graph_t *);
    ze_result_t (*primary)(graph_t, ze_command_list_handle_t *);
    ze_result_t (*on_destruction)(graph_t, void (*)(void *), void *, const void *);
    ze_result_t (*instantiate)(graph_t, const void *, executable_t *);
    ze_result_t (*append)(ze_command_list_handle_t, executable_t, const void *, ze_event_handle_t, uint32_t,
                          ze_event_handle_t *);
    ze_result_t (*source)(executable_t, graph_t *);
    ze_result_t (*is_empty)(graph_t);
    ze_result_t (*pause)(graph_t);
    ze_result_t (*resume)(graph_t);
    ze_result_t (*id_of)(graph_t, uint64_t *);
    ze_result_t (*dump)(graph_t, const char *, const void *);
    ze_result_t (*destroy_executable)(executable_t);
    ze_result_t (*destroy)(graph_t);
} g;

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_module_handle_t module;

static void find(const char *name, void *to)
{
    CHECK_MSG(zeDriverGetExtensionFunctionAddress(driver, name, to) == ZE_RESULT_SUCCESS, "no function %s", name);
}

static void find_functions(void)
{
    find("zeGraphCreateExt", &g.create);
    find("zeCommandListBeginGraphCaptureExt", &g.begin);
    find("zeCommandListBeginCaptureIntoGraphExt", &g.begin_into);
    find("zeCommandListIsGraphCaptureEnabledExt", &g.is_captured);
    find("zeCommandListEndGraphCaptureExt", &g.end);
    find("zeCommandListGetGraphExt", &g.graph_of);
    find("zeGraphGetPrimaryCommandListExt", &g.primary);
    find("zeGraphSetDestructionCallbackExt", &g.on_destruction);
    find("zeGraphInstantiateExt", &g.instantiate);
    find("zeCommandListAppendGraphExt", &g.append);
    find("zeExecutableGraphGetSourceGraphExt", &g.source);
    find("zeGraphIsEmptyExt", &g.is_empty);
    find("zeGraphPauseCaptureExt", &g.pause);
    find("zeGraphResumeCaptureExt", &g.resume);
    find("zeGraphGetIdExt", &g.id_of);
    find("zeGraphDumpContentsExt", &g.dump);
    find("zeExecutableGraphDestroyExt", &g.destroy_executable);
    find("zeGraphDestroyExt", &g.destroy);
}

/* ---- objects */

static ze_command_list_handle_t new_immediate(ze_command_queue_mode_t mode)
{
    const uint32_t in_order = 2; /* ZE_COMMAND_QUEUE_FLAG_IN_ORDER, since 1.9 */
    ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .flags = in_order, .mode = mode};
    ze_command_list_handle_t l = NULL;
    OK(zeCommandListCreateImmediate(context, device, &d, &l));
    return l;
}
static ze_command_list_handle_t new_list(void) { return new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS); }

/* Immediate lists can be waited for since 1.6. */
static void drain(ze_command_list_handle_t l)
{
    ze_event_pool_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    ze_event_desc_t ed = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool = NULL;
    ze_event_handle_t e = NULL;
    OK(zeEventPoolCreate(context, &d, 1, &device, &pool));
    OK(zeEventCreate(pool, &ed, &e));
    OK(zeCommandListAppendSignalEvent(l, e));
    OK(zeEventHostSynchronize(e, FOR_EVER));
    OK(zeEventDestroy(e));
    OK(zeEventPoolDestroy(pool));
}

enum { EVENTS = 256 };
static struct {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event[EVENTS];
} plain, counting;

static void new_events(void)
{
    struct {
        uint32_t stype;
        const void *next;
        uint32_t flags;
    } counts = {0x20014, NULL, 1 /* of immediate lists */};
    ze_event_pool_desc_t d = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, .count = EVENTS};
    OK(zeEventPoolCreate(context, &d, 1, &device, &plain.pool));
    d.pNext = &counts;
    OK(zeEventPoolCreate(context, &d, 1, &device, &counting.pool));
    for (uint32_t i = 0; i < EVENTS; i++) {
        ze_event_desc_t e = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i, .signal = ZE_EVENT_SCOPE_FLAG_HOST};
        OK(zeEventCreate(plain.pool, &e, &plain.event[i]));
        OK(zeEventCreate(counting.pool, &e, &counting.event[i]));
    }
}

static void free_events(void)
{
    for (uint32_t i = 0; i < EVENTS; i++) {
        OK(zeEventDestroy(plain.event[i]));
        OK(zeEventDestroy(counting.event[i]));
    }
    OK(zeEventPoolDestroy(plain.pool));
    OK(zeEventPoolDestroy(counting.pool));
}

static float *new_floats(void)
{
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *p = NULL;
    OK(zeMemAllocShared(context, &d, &h, N * sizeof(float), 64, device, &p));
    for (int i = 0; p && i < N; i++) ((float *)p)[i] = -1e30f;
    return p;
}

static void fill_random(float *x)
{
    for (int i = 0; i < N; i++) x[i] = (float)test_normal();
}

static ze_kernel_handle_t new_kernel(const char *name)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t k = NULL;
    OK(zeKernelCreate(module, &d, &k));
    return k;
}

/* to = a + b */
static void set_add(ze_kernel_handle_t k, const float *a, const float *b, const float *to)
{
    uint32_t n = N;
    OK(zeKernelSetGroupSize(k, 64, 1, 1));
    OK(zeKernelSetArgumentValue(k, 0, sizeof a, &a));
    OK(zeKernelSetArgumentValue(k, 1, sizeof b, &b));
    OK(zeKernelSetArgumentValue(k, 2, sizeof to, &to));
    OK(zeKernelSetArgumentValue(k, 3, sizeof n, &n));
}

static void append_add(ze_command_list_handle_t l, const float *a, const float *b, const float *to,
                       ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits)
{
    ze_group_count_t groups = {(N + 63) / 64, 1, 1};
    ze_kernel_handle_t k = new_kernel("add");
    set_add(k, a, b, to);
    OK(zeCommandListAppendLaunchKernel(l, k, &groups, signal, count, waits));
    set_add(k, to, to, to); /* of no consequence */
    OK(zeKernelDestroy(k));
}

static void check_sums(const float *a, const float *b, const float *sum, int round)
{
    for (int i = 0; i < N; i++)
        CHECK_MSG(sum[i] == a[i] + b[i], "round %d, %d: %g + %g is %g", round, i, (double)a[i], (double)b[i],
                  (double)sum[i]);
}

/* Ends the capture, which must be valid, and makes the graph executable. */
static executable_t finish(ze_command_list_handle_t l, graph_t *graph)
{
    executable_t e = NULL;
    *graph = NULL;
    OK(g.end(l, NULL, graph));
    CHECK_INT(g.is_captured(l), QUERY_FALSE);
    OK(g.instantiate(*graph, NULL, &e));
    return e;
}

static void free_all(executable_t e, graph_t graph)
{
    OK(g.destroy_executable(e));
    OK(g.destroy(graph));
}

/* ---- recording and running */

/* The recording keeps the arguments, and none of the objects. Contents of buffers are those of the execution. */
TEST(replays_follow_their_data)
{
    ze_command_list_handle_t l = new_list(), other = new_list();
    float *a = new_floats(), *b = new_floats(), *c = new_floats(), *d = new_floats();
    float third = 0.25f;
    graph_t graph;
    executable_t e;
    OK(g.begin(l, NULL));
    CHECK_INT(g.is_captured(l), QUERY_TRUE);
    append_add(l, a, b, c, NULL, 0, NULL);
    OK(zeCommandListAppendMemoryCopy(l, d, c, N * 4, NULL, 0, NULL));
    OK(zeCommandListAppendBarrier(l, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryFill(l, c, &third, 4, N * 2, NULL, 0, NULL));
    third = 7;
    e = finish(l, &graph);
    CHECK_INT(g.is_empty(graph), QUERY_FALSE);
    drain(l);
    OK(zeCommandListDestroy(l));
    for (int i = 0; i < N; i++) CHECK(c[i] == -1e30f && d[i] == -1e30f); /* nothing ran */
    for (int round = 0; round < ROUNDS; round++) {
        fill_random(a);
        fill_random(b);
        for (int i = 0; i < N; i++) c[i] = d[i] = -1e30f;
        OK(g.append(other, e, NULL, plain.event[0], 0, NULL));
        OK(zeEventHostSynchronize(plain.event[0], FOR_EVER));
        OK(zeEventHostReset(plain.event[0]));
        check_sums(a, b, d, round);
        for (int i = 0; i < N; i++) CHECK(c[i] == (i < N / 2 ? 0.25f : d[i]));
    }
    free_all(e, graph);
    OK(zeCommandListDestroy(other));
    float *all[] = {a, b, c, d};
    for (int i = 0; i < 4; i++) OK(zeMemFree(context, all[i]));
}

/* list 0: r0 = x + y -> list 1: r1 = r0 + x -> list 2: r2 = r0 + r1 -> back to 1, back to 0: r3 = r1 + r2. */
static void check_forks(ze_event_handle_t *events, bool reset)
{
    ze_command_list_handle_t l[3] = {new_list(), new_list(), new_list()}, runner = new_list();
    float *x = new_floats(), *y = new_floats(), *r[4];
    graph_t graph, same = NULL;
    ze_command_list_handle_t first = NULL;
    executable_t e;
    for (int i = 0; i < 4; i++) r[i] = new_floats();
    OK(g.begin(l[0], NULL));
    append_add(l[0], x, y, r[0], events[0], 0, NULL);
    append_add(l[1], r[0], x, r[1], events[1], 1, &events[0]);
    CHECK_INT(g.is_captured(l[1]), QUERY_TRUE);
    OK(g.graph_of(l[1], &graph));
    OK(g.graph_of(l[0], &same));
    CHECK(graph == same);
    OK(zeCommandListAppendWaitOnEvents(l[2], 1, &events[1]));
    append_add(l[2], r[0], r[1], r[2], events[2], 0, NULL);
    OK(zeCommandListAppendBarrier(l[1], events[3], 1, &events[2]));
    append_add(l[0], r[1], r[2], r[3], NULL, 1, &events[3]);
    for (int i = 0; reset && i < 4; i++) OK(zeCommandListAppendEventReset(l[0], events[i]));
    e = finish(l[0], &same);
    CHECK(graph == same);
    OK(g.primary(graph, &first));
    CHECK(first == l[0]);
    for (int i = 0; i < 3; i++) CHECK_INT(g.is_captured(l[i]), QUERY_FALSE);
    for (int round = 0; round < ROUNDS; round++) {
        fill_random(x);
        fill_random(y);
        OK(g.append(round % 2 ? runner : l[round % 3], e, NULL, plain.event[100], 0, NULL));
        OK(zeEventHostSynchronize(plain.event[100], FOR_EVER));
        OK(zeEventHostReset(plain.event[100]));
        check_sums(x, y, r[0], round);
        check_sums(r[0], x, r[1], round);
        check_sums(r[0], r[1], r[2], round);
        check_sums(r[1], r[2], r[3], round);
        if (reset) CHECK_INT(zeEventQueryStatus(events[1]), ZE_RESULT_NOT_READY);
    }
    free_all(e, graph);
    for (int i = 0; i < 3; i++) OK(zeCommandListDestroy(l[i]));
    OK(zeCommandListDestroy(runner));
    for (int i = 0; i < 4; i++) OK(zeMemFree(context, r[i]));
    OK(zeMemFree(context, x));
    OK(zeMemFree(context, y));
}

TEST(forks_and_joins)
{
    check_forks(plain.event, true);
    check_forks(counting.event, false);
    check_forks(counting.event, false);                                  /* they can be used again */
    CHECK_INT(zeEventQueryStatus(counting.event[1]), ZE_RESULT_SUCCESS); /* nothing outside a graph has set it */
}

/* Random commands on random lists, which wait for each other in turn; the host does the same. */
enum { LISTS = 5, BUFFERS = 6, STEPS = 60 };
struct program {
    ze_command_list_handle_t list[LISTS];
    ze_event_handle_t *event;
    int parent[LISTS], used, at; /* parents: -1 while not forked */
    float *buffer[BUFFERS], want[BUFFERS][N];
};

static void move_to(struct program *p, int list)
{
    ze_event_handle_t e = p->event[p->used++];
    if (list == p->at) return;
    OK(zeCommandListAppendSignalEvent(p->list[p->at], e));
    OK(zeCommandListAppendWaitOnEvents(p->list[list], 1, &e));
    if (p->parent[list] < 0) p->parent[list] = p->at;
    p->at = list;
}

struct step {
    int op, a, b, to;
    float value;
};

static void record(struct program *p, const struct step *s)
{
    ze_command_list_handle_t l = p->list[p->at];
    float *a = p->buffer[s->a], *to = p->buffer[s->to];
    if (s->op == 0)
        OK(zeCommandListAppendMemoryFill(l, to, &s->value, 4, N * 4, NULL, 0, NULL));
    else if (s->op == 1)
        OK(zeCommandListAppendMemoryCopy(l, to, a, N * 4, NULL, 0, NULL));
    else
        append_add(l, a, p->buffer[s->b], to, NULL, 0, NULL);
}

static void imitate(struct program *p, const struct step *s)
{
    for (int i = 0; i < N; i++)
        p->want[s->to][i] = s->op == 0 ? s->value : s->op == 1 ? p->want[s->a][i] : p->want[s->a][i] + p->want[s->b][i];
}

static int draw(int below) { return (int)(test_random() % (uint32_t)below); }

static void join_all(struct program *p)
{
    bool left = true;
    while (left) { /* a list is joined when none is left that it is the parent of */
        left = false;
        for (int i = 1; i < LISTS; i++) {
            bool leaf = p->parent[i] >= 0;
            left = left || p->parent[i] >= 0;
            for (int k = 1; k < LISTS; k++) leaf = leaf && p->parent[k] != i;
            if (!leaf) continue;
            OK(zeCommandListAppendSignalEvent(p->list[i], p->event[p->used]));
            OK(zeCommandListAppendWaitOnEvents(p->list[p->parent[i]], 1, &p->event[p->used++]));
            p->parent[i] = -1;
        }
    }
}

TEST(random_graphs)
{
    static struct program p;
    struct step steps[STEPS];
    for (int b = 0; b < BUFFERS; b++) p.buffer[b] = new_floats();
    for (int i = 0; i < LISTS; i++) p.list[i] = new_list();
    for (int seed = 0; seed < 12; seed++) {
        graph_t graph;
        executable_t e;
        p.event = seed % 2 ? counting.event : plain.event;
        p.used = p.at = 0;
        for (int i = 0; i < LISTS; i++) p.parent[i] = i ? -1 : LISTS;
        OK(g.begin(p.list[0], NULL));
        for (int i = 0; i < STEPS; i++) {
            steps[i] = (struct step){draw(4), draw(BUFFERS), draw(BUFFERS), draw(BUFFERS), (float)test_normal()};
            if (steps[i].op == 1 && steps[i].a == steps[i].to) steps[i].op = 0;
            move_to(&p, draw(LISTS));
            record(&p, &steps[i]);
        }
        join_all(&p);
        e = finish(p.list[0], &graph);
        for (int round = 0; round < 3; round++) {
            for (int b = 0; b < BUFFERS; b++) {
                fill_random(p.buffer[b]);
                memcpy(p.want[b], p.buffer[b], N * 4);
            }
            for (int i = 0; i < STEPS; i++) imitate(&p, &steps[i]);
            OK(g.append(p.list[draw(LISTS)], e, NULL, plain.event[EVENTS - 1], 0, NULL));
            OK(zeEventHostSynchronize(plain.event[EVENTS - 1], FOR_EVER));
            OK(zeEventHostReset(plain.event[EVENTS - 1]));
            for (int b = 0; b < BUFFERS; b++)
                CHECK_MSG(memcmp(p.want[b], p.buffer[b], N * 4) == 0, "graph %d, round %d, buffer %d", seed, round, b);
        }
        free_all(e, graph);
        for (int i = 0; i < EVENTS; i++) OK(zeEventHostReset(plain.event[i]));
    }
    for (int i = 0; i < LISTS; i++) OK(zeCommandListDestroy(p.list[i]));
    for (int b = 0; b < BUFFERS; b++) OK(zeMemFree(context, p.buffer[b]));
}

/* Executions of one executable graph exclude each other, on whatever lists; they wait and signal as they are told. */
TEST(executions_wait_for_each_other)
{
    ze_command_list_handle_t l = new_list(), a = new_list(), b = new_list(),
                             now = new_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_event_handle_t gate = plain.event[0], done = plain.event[1];
    float *sum = new_floats(), *one = new_floats();
    graph_t graph, source = NULL;
    executable_t e, second = NULL;
    for (int i = 0; i < N; i++) sum[i] = 0, one[i] = (float)(i + 1);
    OK(g.create(context, NULL, &graph));
    OK(g.begin_into(l, graph, NULL));
    append_add(l, sum, one, sum, NULL, 0, NULL);
    OK(g.end(l, NULL, NULL)); /* the program has it already */
    OK(g.instantiate(graph, NULL, &e));
    OK(g.instantiate(graph, NULL, &second));
    OK(g.source(second, &source));
    CHECK(source == graph && second != e);
    OK(g.append(a, e, NULL, NULL, 1, &gate));
    for (int i = 0; i < 50; i++) OK(g.append(i % 2 ? a : b, e, NULL, NULL, 0, NULL));
    OK(g.append(b, e, NULL, done, 0, NULL));
    usleep(2000);
    CHECK(sum[N - 1] == 0);
    CHECK_INT(zeEventQueryStatus(done), ZE_RESULT_NOT_READY);
    OK(g.append(now, second, NULL, NULL, 0, NULL)); /* has been executed on return */
    for (int i = 0; i < N; i++) CHECK(sum[i] == one[i]);
    OK(zeEventHostSignal(gate));
    OK(zeEventHostSynchronize(done, FOR_EVER));
    for (int i = 0; i < N; i++) CHECK_MSG(sum[i] == 53 * one[i], "%d: %g", i, (double)sum[i]);
    drain(a);
    OK(zeEventHostReset(gate));
    OK(zeEventHostReset(done));
    OK(g.destroy_executable(second));
    free_all(e, graph);
    ze_command_list_handle_t all[] = {l, a, b, now};
    for (int i = 0; i < 4; i++) OK(zeCommandListDestroy(all[i]));
    OK(zeMemFree(context, sum));
    OK(zeMemFree(context, one));
}

/* What has been appended is executed, whatever is destroyed meanwhile. */
static void count_call(void *user) { ++*(int *)user; }

TEST(lifetimes)
{
    ze_command_list_handle_t l = new_list(), runner = new_list(), lost = new_list(), none = NULL;
    float *a = new_floats(), *b = new_floats(), *c = new_floats();
    ze_event_handle_t gate = plain.event[0], fork = plain.event[1], done = plain.event[2];
    int calls = 0;
    graph_t graph = NULL, source = NULL;
    executable_t e = NULL;
    fill_random(a);
    fill_random(b);
    OK(g.begin(l, NULL));
    OK(g.graph_of(l, &graph));
    OK(g.on_destruction(graph, count_call, &calls, NULL));
    append_add(l, a, b, c, counting.event[0], 0, NULL);
    e = finish(l, &graph);
    OK(g.on_destruction(graph, count_call, &calls, NULL));
    CHECK_INT(g.on_destruction(graph, NULL, NULL, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(g.append(runner, e, NULL, NULL, 1, &gate));
    OK(g.destroy(graph));
    CHECK_INT(calls, 2);
    CHECK_INT(g.source(e, &source), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(g.append(runner, e, NULL, done, 0, NULL));
    OK(g.destroy_executable(e));
    OK(zeEventHostSignal(gate));
    OK(zeEventHostSynchronize(done, FOR_EVER));
    check_sums(a, b, c, 0);
    OK(zeEventHostReset(gate));
    OK(zeEventHostReset(done));
    /* A list that is destroyed takes its capture with it, but not a prepared graph. */
    OK(g.begin(lost, NULL));
    OK(g.graph_of(lost, &graph));
    OK(g.on_destruction(graph, count_call, &calls, NULL));
    OK(zeCommandListAppendSignalEvent(lost, fork));
    OK(zeCommandListAppendWaitOnEvents(l, 1, &fork));
    CHECK_INT(g.is_captured(l), QUERY_TRUE);
    OK(zeCommandListDestroy(lost));
    CHECK_INT(calls, 3);
    CHECK_INT(g.is_captured(l), QUERY_FALSE);
    OK(zeEventQueryStatus(fork) == ZE_RESULT_NOT_READY ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNKNOWN);
    lost = new_list();
    OK(g.create(context, NULL, &graph));
    CHECK_INT(g.is_empty(graph), QUERY_TRUE);
    CHECK_INT(g.primary(graph, &none), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(g.begin_into(lost, graph, NULL));
    OK(zeCommandListDestroy(lost));
    OK(g.instantiate(graph, NULL, &e)); /* of nothing */
    OK(g.append(l, e, NULL, done, 0, NULL));
    OK(zeEventHostSynchronize(done, FOR_EVER));
    OK(zeEventHostReset(done));
    free_all(e, graph);
    /* So does a graph, and a forked list leaves the others alone. */
    OK(g.create(context, NULL, &graph));
    OK(g.begin_into(l, graph, NULL));
    OK(g.destroy(graph));
    CHECK_INT(g.is_captured(l), QUERY_FALSE);
    lost = new_list();
    OK(g.begin(l, NULL));
    OK(zeCommandListAppendSignalEvent(l, fork));
    append_add(lost, b, b, c, done, 1, &fork);
    OK(zeCommandListDestroy(lost));
    OK(zeCommandListAppendWaitOnEvents(l, 1, &done));
    OK(zeCommandListAppendEventReset(l, fork));
    e = finish(l, &graph);
    OK(g.append(runner, e, NULL, gate, 0, NULL));
    OK(zeEventHostSynchronize(gate, FOR_EVER));
    check_sums(b, b, c, 1);
    OK(zeEventHostReset(gate));
    OK(zeEventHostReset(done));
    free_all(e, graph);
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(runner));
    float *all[] = {a, b, c};
    for (int i = 0; i < 3; i++) OK(zeMemFree(context, all[i]));
}

/* ---- pauses, numbers */

/* Neither list is recorded meanwhile, and the graph's events can be used outside. */
TEST(captures_that_pause)
{
    ze_command_list_handle_t l = new_list(), child = new_list(), other = new_list();
    float *a = new_floats(), *b = new_floats(), *c = new_floats(), *d = new_floats(), *x = new_floats();
    ze_event_handle_t fork = plain.event[0], join = plain.event[1], done = plain.event[2];
    ze_event_handle_t inside = counting.event[0];
    const float one = 1, two = 2;
    graph_t graph = NULL, none = NULL;
    executable_t e;
    fill_random(a);
    fill_random(b);
    OK(g.begin(l, NULL));
    OK(g.graph_of(l, &graph));
    append_add(l, a, b, c, fork, 0, NULL);
    OK(zeCommandListAppendSignalEvent(l, inside));
    OK(zeCommandListAppendMemoryCopy(child, d, c, N * 4, NULL, 1, &fork));
    CHECK_INT(g.resume(graph), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(g.pause(graph));
    CHECK_INT(g.pause(graph), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 2; i++) CHECK_INT(g.is_captured(i ? child : l), QUERY_FALSE);
    CHECK_INT(g.graph_of(l, &none), NOT_CAPTURING);
    CHECK_INT(g.end(l, NULL, &none), NOT_CAPTURING);
    CHECK_INT(g.instantiate(graph, NULL, &e), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeCommandListAppendMemoryFill(l, x, &one, 4, N * 2, fork, 0, NULL));
    OK(zeCommandListAppendMemoryFill(child, x + N / 2, &two, 4, N * 2, inside, 1, &fork));
    OK(zeCommandListAppendWaitOnEvents(other, 1, &inside));
    OK(zeCommandListAppendSignalEvent(other, done));
    CHECK_INT(g.is_captured(other), QUERY_FALSE);
    OK(zeEventHostSynchronize(done, FOR_EVER));
    OK(zeEventHostSynchronize(fork, FOR_EVER));
    for (int i = 0; i < N; i++) CHECK(x[i] == (i < N / 2 ? 1 : 2) && c[i] == -1e30f && d[i] == -1e30f);
    OK(zeEventHostReset(fork));
    OK(zeEventHostReset(done));
    OK(g.resume(graph));
    for (int i = 0; i < 2; i++) CHECK_INT(g.is_captured(i ? child : l), QUERY_TRUE);
    CHECK_INT(zeEventHostSynchronize(fork, 1), CAPTURE_UNSUPPORTED);
    CHECK_INT(zeCommandListAppendSignalEvent(other, inside), INTERNAL_EVENT);
    append_add(child, d, a, d, join, 0, NULL);
    OK(zeCommandListAppendWaitOnEvents(l, 1, &join));
    OK(zeCommandListAppendEventReset(l, fork));
    e = finish(l, &graph);
    CHECK_INT(g.pause(graph), NOT_CAPTURING);
    for (int i = 0; i < N; i++) x[i] = -1e30f;
    OK(g.append(other, e, NULL, done, 0, NULL));
    OK(zeEventHostSynchronize(done, FOR_EVER));
    check_sums(a, b, c, 0);
    check_sums(c, a, d, 0);
    for (int i = 0; i < N; i++) CHECK(x[i] == -1e30f); /* was not recorded */
    OK(zeEventHostReset(join));
    OK(zeEventHostReset(done));
    free_all(e, graph);
    /* One that is destroyed in a pause lets its lists and events go. */
    OK(g.begin(l, NULL));
    OK(g.graph_of(l, &graph));
    OK(zeCommandListAppendSignalEvent(l, fork));
    OK(g.pause(graph));
    OK(g.destroy(graph));
    OK(zeCommandListAppendSignalEvent(l, fork));
    OK(zeEventHostSynchronize(fork, FOR_EVER));
    OK(zeEventHostReset(fork));
    CHECK_INT(g.pause(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(g.resume(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    ze_command_list_handle_t lists[] = {l, child, other};
    for (int i = 0; i < 3; i++) OK(zeCommandListDestroy(lists[i]));
    float *all[] = {a, b, c, d, x};
    for (int i = 0; i < 5; i++) OK(zeMemFree(context, all[i]));
}

TEST(numbers_of_graphs)
{
    enum { GRAPHS = 20 };
    graph_t graph[GRAPHS];
    uint64_t id[GRAPHS], again = 0;
    for (int i = 0; i < GRAPHS; i++) {
        OK(g.create(context, NULL, &graph[i]));
        OK(g.id_of(graph[i], &id[i]));
        OK(g.id_of(graph[i], &again));
        CHECK_INT(again, id[i]);
        for (int k = 0; k < i; k++) CHECK(id[k] != id[i]);
        if (i % 2) OK(g.destroy(graph[i])); /* whose memory the next may get */
    }
    CHECK_INT(g.id_of(graph[0], NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    for (int i = 0; i < GRAPHS; i += 2) OK(g.destroy(graph[i]));
}

/* ---- other commands */

TEST(every_command)
{
    ze_command_list_handle_t l = new_list(), runner = new_list();
    ze_kernel_handle_t where = new_kernel("where"), add = new_kernel("add"), several[2];
    float *a = new_floats(), *b = new_floats(), *c = new_floats(), *d = new_floats();
    uint64_t *stamp = (uint64_t *)(void *)new_floats(), base = 7;
    ze_kernel_timestamp_result_t *times = (ze_kernel_timestamp_result_t *)(void *)new_floats();
    uint32_t *out = (uint32_t *)(void *)new_floats();
    ze_group_count_t *groups = (ze_group_count_t *)(void *)new_floats(), one = {1, 1, 1};
    uint32_t *count = (uint32_t *)(void *)(groups + 2);
    size_t size = 16, offset = 64;
    const void *range = a;
    ze_copy_region_t to = {4, 2, 0, 8, 3, 0}, from = {0, 1, 0, 8, 3, 0};
    graph_t graph;
    executable_t e;
    uint64_t before = 0;
    fill_random(a);
    OK(zeKernelSetGroupSize(where, 10, 1, 1));
    OK(zeKernelSetArgumentValue(where, 0, sizeof out, &out));
    OK(zeKernelSetArgumentValue(where, 1, sizeof base, &base));
    set_add(add, a, a, d);
    several[0] = where;
    several[1] = add;
    OK(g.begin(l, NULL));
    OK(zeCommandListAppendWriteGlobalTimestamp(l, stamp, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryRangesBarrier(l, 1, &size, &range, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryPrefetch(l, a, N * 4));
    OK(zeCommandListAppendMemAdvise(l, device, a, N * 4, ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
    OK(zeCommandListAppendMemoryCopyRegion(l, b, &to, 40, 0, a, &from, 20, 0, counting.event[0], 0, NULL));
    OK(zeCommandListAppendLaunchCooperativeKernel(l, add, &one, counting.event[1], 0, NULL));
    OK(zeCommandListAppendQueryKernelTimestamps(l, 2, counting.event, times, NULL, NULL, 0, NULL));
    OK(zeCommandListAppendQueryKernelTimestamps(l, 1, &counting.event[1], times, &offset, NULL, 0, NULL));
    OK(zeCommandListAppendLaunchMultipleKernelsIndirect(l, 2, several, count, groups, NULL, 0, NULL));
    OK(zeCommandListAppendLaunchKernelIndirect(l, where, groups, NULL, 0, NULL));
    base = 1000;
    OK(zeKernelSetArgumentValue(where, 1, sizeof base, &base));
    set_add(add, a, a, c);
    e = finish(l, &graph);
    OK(zeKernelDestroy(where));
    OK(zeKernelDestroy(add));
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < N; i++) b[i] = c[i] = d[i] = -1e30f, out[i] = 77;
        groups[0] = (ze_group_count_t){3 + (uint32_t)round, 1, 1};
        groups[1] = (ze_group_count_t){N / 64, 1, 1};
        *count = 2;
        OK(g.append(runner, e, NULL, NULL, 0, NULL));
        OK(g.append(runner, e, NULL, plain.event[0], 0, NULL)); /* with moments of its own */
        OK(zeEventHostSynchronize(plain.event[0], FOR_EVER));
        OK(zeEventHostReset(plain.event[0]));
        CHECK(*stamp > before && times[0].global.kernelStart >= *stamp && times[2].global.kernelEnd != 0);
        for (int i = 0; i < 2; i++) CHECK(times[i].global.kernelEnd > times[i].global.kernelStart);
        CHECK(memcmp(&times[1], (char *)times + 64, sizeof times[1]) == 0);
        CHECK(times[1].global.kernelStart >= times[0].global.kernelEnd);
        before = times[1].global.kernelEnd;
        for (int y = 0; y < 3; y++) CHECK(memcmp((char *)b + (y + 2) * 40 + 4, (char *)a + (y + 1) * 20, 8) == 0);
        CHECK(b[20] == -1e30f + 0 || memcmp(&b[20], (char *)a + 20, 4) == 0);
        for (int i = 0; i < N; i++) {
            CHECK(d[i] == (i < N / 64 * 64 ? a[i] + a[i] : -1e30f) && c[i] == -1e30f);
            CHECK(out[i] == (i < 10 * (3 + round) ? (uint32_t)i + 7 + 10 * ((uint32_t)i % 10 % 4 + 1) : 77));
        }
    }
    free_all(e, graph);
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(runner));
    void *all[] = {a, b, c, d, stamp, times, out, groups};
    for (int i = 0; i < 8; i++) OK(zeMemFree(context, all[i]));
}

/* ---- refusals */

TEST(captures_that_are_refused)
{
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_base_desc_t chain = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t l = new_list(), other = new_list(), regular = NULL,
                             synchronous = new_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_event_handle_t fork = plain.event[0], join = plain.event[1], inside = counting.event[0];
    graph_t graph = NULL, second = NULL;
    executable_t e = NULL;
    OK(zeCommandListCreate(context, device, &ld, &regular));
    CHECK_INT(g.create(NULL, NULL, &graph), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(g.create(context, &chain, &graph), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(g.create(context, NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(g.begin(NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(g.begin(regular, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(g.begin(synchronous, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(g.begin(l, &chain), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(g.end(l, NULL, &graph), NOT_CAPTURING);
    graph = (graph_t)(void *)&chain;
    CHECK_INT(g.graph_of(l, &graph), NOT_CAPTURING);
    CHECK(graph == NULL);
    OK(g.create(context, NULL, &second));
    CHECK_INT(g.instantiate(second, NULL, &e), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(g.begin_into(regular, second, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(g.begin(l, NULL));
    CHECK_INT(g.begin(l, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(g.end(l, NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    OK(g.graph_of(l, &graph));
    CHECK_INT(g.instantiate(graph, NULL, &e), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    /* Nobody outside may use what the graph sets; a list that cannot be captured not even wait for it. */
    OK(zeCommandListAppendSignalEvent(l, fork));
    OK(zeCommandListAppendSignalEvent(l, inside));
    CHECK_INT(zeEventHostSynchronize(fork, 1), CAPTURE_UNSUPPORTED);
    CHECK_INT(zeCommandListAppendWaitOnEvents(regular, 1, &fork), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    CHECK_INT(zeCommandListAppendWaitOnEvents(synchronous, 1, &fork), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    CHECK_INT(zeCommandListAppendSignalEvent(other, inside), INTERNAL_EVENT);
    OK(g.begin_into(other, second, NULL));
    CHECK_INT(g.begin_into(l, second, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeCommandListAppendWaitOnEvents(other, 1, &fork), MERGE_ATTEMPT);
    OK(g.end(other, NULL, &second));
    OK(g.instantiate(second, NULL, &e));
    CHECK_INT(g.append(l, e, NULL, NULL, 0, NULL), CAPTURE_UNSUPPORTED);
    CHECK_INT(g.append(other, e, NULL, NULL, 1, &fork), CAPTURE_UNSUPPORTED);
    CHECK_INT(g.append(regular, e, NULL, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    CHECK_INT(g.append(other, e, &chain, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(g.append(other, NULL, NULL, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(g.append(other, e, NULL, NULL, 1, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    free_all(e, second);
    /* A fork without a join makes the graph unusable. */
    OK(zeCommandListAppendWaitOnEvents(other, 1, &fork));
    CHECK_INT(g.end(other, NULL, &second), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* it began elsewhere */
    CHECK_INT(g.end(l, NULL, &graph), UNJOINED_FORKS);
    CHECK_INT(g.is_captured(other), QUERY_FALSE);
    CHECK_INT(g.is_empty(graph), INVALID_GRAPH);
    CHECK_INT(g.instantiate(graph, NULL, &e), INVALID_GRAPH);
    CHECK_INT(g.begin_into(l, graph, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* not empty */
    OK(g.destroy(graph));
    CHECK_INT(zeEventHostSynchronize(fork, 1), ZE_RESULT_NOT_READY);
    /* After its join a list may still synchronise, but not work. */
    for (int work = 0; work < 2; work++) {
        float *x = new_floats();
        OK(g.begin(l, NULL));
        OK(zeCommandListAppendSignalEvent(l, fork));
        OK(zeCommandListAppendMemoryFill(other, x, "x", 1, 4, join, 1, &fork));
        OK(zeCommandListAppendWaitOnEvents(l, 1, &join));
        OK(zeCommandListAppendBarrier(other, NULL, 0, NULL));
        if (work) OK(zeCommandListAppendMemoryFill(other, x, "y", 1, 4, NULL, 0, NULL));
        CHECK_INT(g.end(l, NULL, &graph), work ? UNJOINED_FORKS : ZE_RESULT_SUCCESS);
        CHECK_INT(g.instantiate(graph, NULL, &e), work ? INVALID_GRAPH : ZE_RESULT_SUCCESS);
        if (!work) OK(g.destroy_executable(e));
        OK(g.destroy(graph));
        OK(zeMemFree(context, x));
    }
    ze_command_list_handle_t all[] = {l, other, regular, synchronous};
    for (int i = 0; i < 4; i++) OK(zeCommandListDestroy(all[i]));
}

/* ---- threads */

static void *capture_and_run(void *unused)
{
    ze_command_list_handle_t l = new_list(), child = new_list();
    ze_event_pool_desc_t pd = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 3};
    ze_event_pool_handle_t pool = NULL;
    ze_event_handle_t e[3];
    float *sum = new_floats(), *one = new_floats(), *copy = new_floats();
    OK(zeEventPoolCreate(context, &pd, 1, &device, &pool));
    for (uint32_t i = 0; i < 3; i++) {
        ze_event_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        OK(zeEventCreate(pool, &d, &e[i]));
    }
    for (int i = 0; i < N; i++) sum[i] = 0, one[i] = (float)i;
    for (int round = 1; round <= 20; round++) {
        graph_t graph;
        executable_t x;
        OK(g.begin(l, NULL));
        append_add(l, sum, one, sum, e[0], 0, NULL);
        OK(zeCommandListAppendMemoryCopy(child, copy, sum, N * 4, e[1], 1, &e[0]));
        OK(zeCommandListAppendWaitOnEvents(l, 1, &e[1]));
        x = finish(l, &graph);
        for (int i = 0; i < 3; i++) OK(g.append(i % 2 ? l : child, x, NULL, i == 2 ? e[2] : NULL, 0, NULL));
        OK(zeEventHostSynchronize(e[2], FOR_EVER));
        for (int i = 0; i < N; i++) CHECK(copy[i] == (float)(3 * round * i) && sum[i] == copy[i]);
        for (int i = 0; i < 3; i++) OK(zeEventHostReset(e[i]));
        free_all(x, graph);
    }
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(child));
    for (int i = 0; i < 3; i++) OK(zeEventDestroy(e[i]));
    OK(zeEventPoolDestroy(pool));
    float *all[] = {sum, one, copy};
    for (int i = 0; i < 3; i++) OK(zeMemFree(context, all[i]));
    return unused;
}

TEST(several_threads)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, capture_and_run, NULL) == 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

/* ---- drawings */

static int count_of(const char *text, const char *part)
{
    int n = 0;
    while ((text = strstr(text, part)) != NULL) n++, text += strlen(part);
    return n;
}

static void read_dump(graph_t graph, uint32_t stype, uint32_t mode, char *text, size_t size)
{
    struct {
        uint32_t stype;
        const void *next;
        uint32_t mode;
    } d = {stype, NULL, mode};
    char path[] = "/tmp/test_soft_graphs.XXXXXX";
    int file = mkstemp(path);
    ssize_t got;
    OK(g.dump(graph, path, stype ? &d : NULL));
    got = pread(file, text, size - 1, 0);
    text[got > 0 ? got : 0] = 0;
    close(file);
    unlink(path);
}

TEST(dumps)
{
    ze_command_list_handle_t l = new_list(), other = new_list();
    float *a = new_floats(), *b = new_floats();
    ze_base_desc_t chain = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    static char text[20000];
    char want[64];
    graph_t graph;
    OK(g.begin(l, NULL));
    append_add(l, a, a, b, NULL, 0, NULL);
    OK(zeCommandListAppendSignalEvent(l, plain.event[0]));
    OK(zeCommandListAppendWaitOnEvents(other, 1, &plain.event[0]));
    OK(zeCommandListAppendMemoryFill(other, a, "abcd", 4, 400, NULL, 0, NULL));
    OK(zeCommandListAppendSignalEvent(other, plain.event[1]));
    OK(zeCommandListAppendWaitOnEvents(l, 1, &plain.event[1]));
    OK(zeCommandListAppendMemoryCopy(l, a, b, 123, NULL, 0, NULL));
    OK(g.end(l, NULL, &graph));
    read_dump(graph, 0, 0, text, sizeof text);
    CHECK_HAS(text, "digraph");
    CHECK_INT(count_of(text, " [label=\""), 3 + 2); /* nodes, and the fork and the join */
    CHECK_INT(count_of(text, " -> "), 3);
    CHECK_INT(count_of(text, "subgraph"), 2);
    CHECK_HAS(text, "kernel add\\ngroups: 16 x 1 x 1 of 64 x 1 x 1\\nglobal");
    snprintf(want, sizeof want, "= 0x%016llx", (unsigned long long)(uintptr_t)b);
    CHECK_HAS(text, want);
    CHECK_HAS(text, "= 0x000003e8"); /* n */
    CHECK_HAS(text, "400 bytes at");
    CHECK_HAS(text, "with 0x64636261");
    CHECK_HAS(text, "123 bytes");
    CHECK_HAS(text, "c1 -> c7;");
    CHECK_HAS(text, "c1 -> c4 [label=\"fork\"];");
    CHECK_HAS(text, "c4 -> c7 [label=\"join\"];");
    read_dump(graph, 0x20048, 1, text, sizeof text);
    CHECK_HAS(text, "c1 [label=\"kernel add\"];");
    CHECK_HAS(text, "c7 [label=\"copy\"];");
    read_dump(graph, 0x30031, 3, text, sizeof text);
    CHECK_INT(count_of(text, "[label=\"synchronisation\"]"), 4);
    CHECK_HAS(text, "c2 -> c3 [label=\"fork\"];");
    CHECK_HAS(text, "c5 -> c6 [label=\"join\"];");
    CHECK_INT(g.dump(graph, "/nonexistent/file", NULL), ZE_RESULT_ERROR_UNKNOWN);
    CHECK_INT(g.dump(graph, "/dev/full", NULL), ZE_RESULT_ERROR_UNKNOWN);
    CHECK_INT(g.dump(graph, NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(g.dump(graph, "/dev/null", &chain), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    OK(g.destroy(graph));
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(other));
    OK(zeMemFree(context, a));
    OK(zeMemFree(context, b));
}

/* ---- the names that Intel's driver had before */

TEST(older_names)
{
    ze_result_t (*create)(ze_context_handle_t, graph_t *, void *), (*begin)(ze_command_list_handle_t, void *),
        (*begin_into)(ze_command_list_handle_t, graph_t, void *), (*end)(ze_command_list_handle_t, graph_t *, void *),
        (*instantiate)(graph_t, executable_t *, void *),
        (*append)(ze_command_list_handle_t, executable_t, void *, ze_event_handle_t, uint32_t, ze_event_handle_t *),
        (*destroy)(graph_t), (*destroy_executable)(executable_t), (*is_captured)(ze_command_list_handle_t),
        (*is_empty)(graph_t), (*dump)(graph_t, const char *, void *), (*graph_of)(ze_command_list_handle_t, graph_t *),
        (*on_destruction)(graph_t, void (*)(void *), void *, void *);
    ze_command_list_handle_t l = new_list();
    float *a = new_floats(), *b = new_floats();
    graph_t graph = NULL, again = NULL;
    executable_t e = NULL;
    int calls = 0;
    find("zeGraphCreateExp", &create);
    find("zeCommandListBeginGraphCaptureExp", &begin);
    find("zeCommandListBeginCaptureIntoGraphExp", &begin_into);
    find("zeCommandListEndGraphCaptureExp", &end);
    find("zeCommandListInstantiateGraphExp", &instantiate);
    find("zeCommandListAppendGraphExp", &append);
    find("zeGraphDestroyExp", &destroy);
    find("zeExecutableGraphDestroyExp", &destroy_executable);
    find("zeCommandListIsGraphCaptureEnabledExp", &is_captured);
    find("zeGraphIsEmptyExp", &is_empty);
    find("zeGraphDumpContentsExp", &dump);
    find("zeCommandListGetGraphExp", &graph_of);
    find("zeGraphSetDestructionCallbackExp", &on_destruction);
    for (int prepared = 0; prepared < 2; prepared++) {
        fill_random(a);
        CHECK_INT(is_captured(l), 0x7fff0001);
        if (prepared) {
            OK(create(context, &graph, NULL));
            CHECK_INT(is_empty(graph), 0x7fff0000);
            OK(begin_into(l, graph, NULL));
        } else {
            OK(begin(l, NULL));
        }
        CHECK_INT(is_captured(l), 0x7fff0000);
        append_add(l, a, a, b, NULL, 0, NULL);
        OK(graph_of(l, &again));
        OK(end(l, &graph, NULL));
        CHECK(again == graph);
        CHECK_INT(is_empty(graph), 0x7fff0001);
        OK(instantiate(graph, &e, NULL));
        OK(append(l, e, NULL, NULL, 0, NULL));
        drain(l);
        check_sums(a, a, b, prepared);
        OK(dump(graph, "/dev/null", NULL));
        OK(on_destruction(graph, count_call, &calls, NULL));
        OK(destroy_executable(e));
        OK(destroy(graph));
        CHECK_INT(calls, prepared + 1);
    }
    OK(begin(l, NULL));
    OK(zeCommandListAppendSignalEvent(l, plain.event[0]));
    ze_command_list_handle_t other = new_list();
    OK(zeCommandListAppendWaitOnEvents(other, 1, &plain.event[0]));
    CHECK_INT(end(l, &graph, NULL), UNJOINED_FORKS);
    CHECK_INT(is_empty(graph), 0x7fff0002);
    OK(destroy(graph));
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(other));
    OK(zeMemFree(context, a));
    OK(zeMemFree(context, b));
}

/* ---- with headers of 1.17 */

#ifdef ZE_RECORD_REPLAY_GRAPH_EXT_NAME
/* Events that are also used outside the graph refer to the last execution that was appended. */
TEST(external_events)
{
    ze_event_counter_based_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                       .flags = ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE |
                                                ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL};
    ze_command_list_handle_t l = new_list(), runner = new_list(), outside = new_list();
    float *a = new_floats(), *b = new_floats(), *c = new_floats(), *copy = new_floats();
    ze_event_handle_t in = NULL, out = NULL, gate = plain.event[0];
    graph_t graph;
    executable_t e;
    OK(zeEventCounterBasedCreate(context, device, &d, &in));
    OK(zeEventCounterBasedCreate(context, device, &d, &out));
    OK(g.begin(l, NULL));
    append_add(l, a, b, c, out, 1, &in);
    OK(zeCommandListAppendWaitOnEvents(l, 1, &gate)); /* `out` does not wait for the end of the graph */
    CHECK_INT(zeCommandListHostSynchronize(l, 1), CAPTURE_UNSUPPORTED);
    CHECK_INT(zeEventHostSynchronize(out, 1), CAPTURE_UNSUPPORTED);
    e = finish(l, &graph);
    OK(zeEventHostSynchronize(out, FOR_EVER)); /* no execution sets it */
    for (int round = 0; round < ROUNDS; round++) {
        float *x = new_floats();
        fill_random(x);
        fill_random(b);
        OK(zeCommandListAppendMemoryCopy(outside, a, x, N * 4, in, 0, NULL));
        OK(g.append(runner, e, NULL, NULL, 0, NULL));
        OK(zeCommandListAppendMemoryCopy(outside, copy, c, N * 4, NULL, 1, &out));
        OK(zeEventHostSynchronize(out, FOR_EVER));
        check_sums(x, b, c, round);
        OK(zeCommandListHostSynchronize(outside, FOR_EVER));
        CHECK(memcmp(copy, c, N * 4) == 0);
        OK(zeEventHostSignal(gate));
        OK(zeCommandListHostSynchronize(runner, FOR_EVER));
        OK(zeEventHostReset(gate));
        OK(zeMemFree(context, x));
    }
    free_all(e, graph);
    OK(zeEventDestroy(in));
    OK(zeEventDestroy(out));
    ze_command_list_handle_t lists[] = {l, runner, outside};
    for (int i = 0; i < 3; i++) OK(zeCommandListDestroy(lists[i]));
    float *all[] = {a, b, c, copy};
    for (int i = 0; i < 4; i++) OK(zeMemFree(context, all[i]));
}

/* They are those of the recording, and those of each execution are awaited and signalled. */
TEST(external_semaphores)
{
    ze_external_semaphore_fd_ext_desc_t f = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC};
    ze_external_semaphore_ext_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC,
                                          .pNext = &f,
                                          .flags = ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD};
    ze_external_semaphore_signal_params_ext_t sp = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT};
    ze_external_semaphore_wait_params_ext_t wp = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT};
    ze_command_list_handle_t l = new_list(), runner = new_list();
    ze_external_semaphore_ext_handle_t s[2] = {NULL, NULL};
    float *a = new_floats(), *b = new_floats();
    int fd[2] = {eventfd(0, 0), eventfd(0, 0)};
    uint64_t value = 1;
    graph_t graph;
    executable_t e;
    for (int i = 0; i < 2; i++) {
        f.fd = dup(fd[i]);
        OK(zeDeviceImportExternalSemaphoreExt(device, &d, &s[i]));
    }
    OK(g.begin(l, NULL));
    OK(zeCommandListAppendWaitExternalSemaphoreExt(l, 1, &s[0], &wp, NULL, 0, NULL));
    append_add(l, a, a, b, NULL, 0, NULL);
    OK(zeCommandListAppendSignalExternalSemaphoreExt(l, 1, &s[1], &sp, NULL, 0, NULL));
    e = finish(l, &graph);
    OK(zeCommandListDestroy(l));
    for (int round = 0; round < 3; round++) {
        fill_random(a);
        b[0] = -1e30f;
        OK(g.append(runner, e, NULL, NULL, 0, NULL));
        if (round == 2) free_all(e, graph);
        usleep(1000);
        CHECK(b[0] == -1e30f);
        value = 1;
        CHECK(write(fd[0], &value, 8) == 8);
        CHECK(read(fd[1], &value, 8) == 8 && value == 1);
        check_sums(a, a, b, round);
    }
    OK(zeCommandListDestroy(runner));
    for (int i = 0; i < 2; i++) {
        OK(zeDeviceReleaseExternalSemaphoreExt(s[i]));
        close(fd[i]);
    }
    OK(zeMemFree(context, a));
    OK(zeMemFree(context, b));
}

TEST(through_the_loader)
{
    ze_command_list_handle_t l = new_list(), first = NULL, regular = NULL;
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_record_replay_graph_ext_dump_desc_t d = {.stype = ZE_STRUCTURE_TYPE_RECORD_REPLAY_GRAPH_EXT_DUMP_DESC,
                                                .mode = ZE_RECORD_REPLAY_GRAPH_EXT_DUMP_MODE_SIMPLE};
    float *a = new_floats(), *b = new_floats();
    ze_graph_handle_t graph = NULL, same = NULL;
    ze_executable_graph_handle_t e = NULL;
    int calls = 0;
    fill_random(a);
    OK(zeGraphCreateExt(context, NULL, &graph));
    CHECK_INT(zeGraphIsEmptyExt(graph), ZE_RESULT_QUERY_TRUE);
    OK(zeCommandListBeginCaptureIntoGraphExt(l, graph, NULL));
    CHECK_INT(zeCommandListIsGraphCaptureEnabledExt(l), ZE_RESULT_QUERY_TRUE);
    append_add(l, a, a, b, NULL, 0, NULL);
    OK(zeCommandListAppendHostFunction(l, count_call, &calls, NULL, NULL, 0, NULL));
    OK(zeCommandListCreate(context, device, &ld, &regular));
    OK(zeCommandListClose(regular));
    CHECK_INT(zeCommandListImmediateAppendCommandListsExp(l, 1, &regular, NULL, 0, NULL), CAPTURE_UNSUPPORTED);
    OK(zeCommandListGetGraphExt(l, &same));
    CHECK(same == graph);
    OK(zeCommandListEndGraphCaptureExt(l, NULL, &same));
    OK(zeGraphGetPrimaryCommandListExt(graph, &first));
    CHECK(first == l);
    OK(zeGraphSetDestructionCallbackExt(graph, count_call, &calls, NULL));
    OK(zeGraphInstantiateExt(graph, NULL, &e));
    OK(zeExecutableGraphGetSourceGraphExt(e, &same));
    CHECK(same == graph);
    for (int i = 0; i < 3; i++) OK(zeCommandListAppendGraphExt(l, e, NULL, NULL, 0, NULL));
    OK(zeCommandListHostSynchronize(l, FOR_EVER));
    CHECK_INT(calls, 3);
    check_sums(a, a, b, 0);
    OK(zeGraphDumpContentsExt(graph, "/dev/null", &d));
    OK(zeExecutableGraphDestroyExt(e));
    OK(zeGraphDestroyExt(graph));
    CHECK_INT(calls, 4);
    OK(zeCommandListBeginGraphCaptureExt(l, NULL));
    OK(zeCommandListEndGraphCaptureExt(l, NULL, &graph));
    OK(zeGraphDestroyExt(graph));
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(regular));
    OK(zeMemFree(context, a));
    OK(zeMemFree(context, b));
}
#endif

static bool open_device(void)
{
    ze_context_desc_t cd = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_module_desc_t md = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                           .format = ZE_MODULE_FORMAT_IL_SPIRV,
                           .inputSize = sizeof driver_kernels,
                           .pInputModule = (const uint8_t *)driver_kernels};
    const char *soft = getenv("XETILE_SOFT");
    uint32_t one = 1;
    setenv("ZE_ENABLE_ALT_DRIVERS", soft ? soft : "build/libze_soft.so", 1);
    setenv("XETILE_SOFT_THREADS", "4", 1);
#ifndef ZE_RECORD_REPLAY_GRAPH_EXT_NAME
    unsetenv("ZE_ENABLE_PARAMETER_VALIDATION"); /* old loaders know no queues in order */
#endif
    return zeInit(0) == ZE_RESULT_SUCCESS && zeDriverGet(&one, &driver) == ZE_RESULT_SUCCESS &&
           zeDeviceGet(driver, &one, &device) == ZE_RESULT_SUCCESS &&
           zeContextCreate(driver, &cd, &context) == ZE_RESULT_SUCCESS &&
           zeModuleCreate(context, device, &md, &module, NULL) == ZE_RESULT_SUCCESS;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!open_device()) return printf("the device does not open\n"), 1;
    find_functions();
    new_events();
    RUN(replays_follow_their_data);
    RUN(forks_and_joins);
    RUN(random_graphs);
    RUN(executions_wait_for_each_other);
    RUN(lifetimes);
    RUN(captures_that_pause);
    RUN(numbers_of_graphs);
    RUN(every_command);
    RUN(captures_that_are_refused);
    RUN(several_threads);
    RUN(dumps);
    RUN(older_names);
#ifdef ZE_RECORD_REPLAY_GRAPH_EXT_NAME
    RUN(external_events);
    RUN(external_semaphores);
    RUN(through_the_loader);
#endif
    free_events();
    zeModuleDestroy(module);
    zeContextDestroy(context);
    return test_report();
}
