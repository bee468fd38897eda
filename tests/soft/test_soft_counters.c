/* test_soft_counters.c - counter-based events that count in memory of the program, or are shared with other processes.
 * The functions are asked for by their older names, as programs with older headers do; with newer ones the loader's are
 * used, too. Each child is this program, which gets a handle as text and talks through pipes.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <level_zero/ze_api.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "test.h"

#define OK(call) CHECK_INT((call), ZE_RESULT_SUCCESS)
#define FOR_EVER UINT64_MAX
enum {
    MILLISECOND = 1000000,
    IMMEDIATE = 1,
    REGULAR = 2,
    IPC = 8,
    DEVICE_CLOCK = 16,
    HOST_CLOCK = 32,
    EXTERNAL = 64, /* to graphs */
    ALLOCATION = 0x3001d,
    STORAGE = 0x30027,
    SYNC_MODE = 0x30016,
    SECONDS = 120 /* that a child may take */
};
typedef _Atomic uint64_t counter;

/* The structures of newer headers. */
struct desc {
    uint32_t stype;
    const void *next;
    uint32_t flags, signal, wait;
};
struct allocation {
    uint32_t stype;
    const void *next;
    counter *device, *host;
    uint64_t value;
};
struct storage {
    uint32_t stype;
    const void *next;
    counter *device;
    uint64_t increment, value;
};
struct handle {
    char data[ZE_MAX_IPC_HANDLE_SIZE];
};

static struct {
    ze_result_t (*create)(ze_context_handle_t, ze_device_handle_t, const struct desc *, ze_event_handle_t *);
    ze_result_t (*create_first)(ze_context_handle_t, ze_device_handle_t, counter *, counter *, uint64_t,
                                const ze_event_desc_t *, ze_event_handle_t *);
    ze_result_t (*flags)(ze_event_handle_t, uint32_t *);
    ze_result_t (*address)(ze_event_handle_t, uint64_t *, uint64_t *);
    ze_result_t (*get)(ze_event_handle_t, struct handle *);
    ze_result_t (*open)(ze_context_handle_t, struct handle, ze_event_handle_t *);
    ze_result_t (*close)(ze_event_handle_t);
    ze_result_t (*step)(ze_device_handle_t, uint32_t *);
} f;

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static const char *program;

static void find(const char *name, void *to)
{
    CHECK_MSG(zeDriverGetExtensionFunctionAddress(driver, name, to) == ZE_RESULT_SUCCESS, "no function %s", name);
}

static void find_functions(void)
{
    find("zexCounterBasedEventCreate2", &f.create);
    find("zexCounterBasedEventCreate", &f.create_first);
    find("zeEventGetCounterBasedFlags", &f.flags);
    find("zexEventGetDeviceAddress", &f.address);
    find("zexCounterBasedEventGetIpcHandle", &f.get);
    find("zexCounterBasedEventOpenIpcHandle", &f.open);
    find("zexCounterBasedEventCloseIpcHandle", &f.close);
    find("zexDeviceGetAggregatedCopyOffloadIncrementValue", &f.step);
}

/* ---- objects */

static ze_command_list_handle_t new_list(void)
{
    const uint32_t in_order = 2; /* since 1.9 */
    ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .flags = in_order,
                                 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t l = NULL;
    OK(zeCommandListCreateImmediate(context, device, &d, &l));
    return l;
}

static ze_command_list_handle_t new_regular(void)
{
    const uint32_t in_order = 8;
    ze_command_list_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .flags = in_order};
    ze_command_list_handle_t l = NULL;
    OK(zeCommandListCreate(context, device, &d, &l));
    return l;
}

static void *new_memory(size_t size)
{
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *p = NULL;
    OK(zeMemAllocShared(context, &d, &h, size, 64, device, &p));
    if (p) memset(p, 0, size);
    return p;
}

static ze_result_t try_event(uint32_t flags, const void *next, ze_event_handle_t *e)
{
    struct desc d = {.next = next, .flags = flags, .signal = ZE_EVENT_SCOPE_FLAG_HOST};
    *e = NULL;
    return f.create(context, device, &d, e);
}

static ze_event_handle_t new_event(uint32_t flags, const void *next)
{
    ze_event_handle_t e;
    OK(try_event(flags, next, &e));
    return e;
}

/* An event of a pool, set by the host. */
struct gate {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
};

static struct gate new_gate(void)
{
    ze_event_pool_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    ze_event_desc_t ed = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    struct gate g = {NULL, NULL};
    OK(zeEventPoolCreate(context, &d, 1, &device, &g.pool));
    OK(zeEventCreate(g.pool, &ed, &g.event));
    return g;
}

static void free_gate(struct gate *g)
{
    OK(zeEventDestroy(g->event));
    OK(zeEventPoolDestroy(g->pool));
}

static void execute(ze_command_list_handle_t l)
{
    ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_queue_handle_t q = NULL;
    OK(zeCommandQueueCreate(context, device, &d, &q));
    OK(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL));
    OK(zeCommandQueueDestroy(q));
}

static bool is_set(ze_event_handle_t e) { return zeEventQueryStatus(e) == ZE_RESULT_SUCCESS; }

/* ---- counters that the program writes */

struct writer {
    counter *device, *host;
    uint64_t value;
};

static void *write_later(void *pointer)
{
    struct writer *w = pointer;
    for (uint64_t v = 1; v <= w->value; v++) {
        usleep(300);
        *w->device = v;
        if (w->host) *w->host = v;
    }
    return NULL;
}

TEST(allocations_of_the_program)
{
    counter *c = new_memory(4 * sizeof *c), *words = c + 2;
    struct allocation a = {.stype = ALLOCATION, .device = &c[0], .host = &c[1], .value = 9};
    ze_event_handle_t e = new_event(0, &a), out = new_event(0, NULL);
    ze_command_list_handle_t l = new_list();
    uint64_t value = 0, address = 0, x = 5;
    OK(f.address(e, &value, &address));
    CHECK(value == 9 && address == (uint64_t)(uintptr_t)&c[0]);
    CHECK_INT(zeEventQueryStatus(e), ZE_RESULT_NOT_READY);
    CHECK_INT(zeEventHostSynchronize(e, 2 * MILLISECOND), ZE_RESULT_NOT_READY);
    OK(zeCommandListAppendMemoryFill(l, words, &x, 8, 16, out, 1, &e));
    c[0] = 8;
    c[1] = 9; /* the host's side: commands look at the other */
    CHECK(is_set(e));
    usleep(5000);
    CHECK(!is_set(out));
    c[1] = 8;
    c[0] = 10;
    OK(zeEventHostSynchronize(out, FOR_EVER));
    CHECK(words[0] == 5 && words[1] == 5 && !is_set(e));
    for (uint64_t want = 1; want < 20; want++) { /* written while it is waited for, by the host and by commands */
        struct writer w = {&c[0], &c[1], want};
        pthread_t t;
        a.value = want;
        OK(zeEventDestroy(e));
        c[0] = c[1] = 0;
        e = new_event(0, &a);
        x = want;
        OK(zeCommandListAppendMemoryFill(l, words, &x, 8, 16, out, 1, &e));
        CHECK(pthread_create(&t, NULL, write_later, &w) == 0);
        OK(zeEventHostSynchronize(want % 2 ? e : out, FOR_EVER));
        CHECK(c[1] >= want || want % 2 == 0);
        pthread_join(t, NULL);
        OK(zeEventHostSynchronize(out, FOR_EVER));
        CHECK(words[0] == want && words[1] == want);
    }
    c[0] = c[1] = 0;
    CHECK(!is_set(e));
    OK(zeCommandListAppendMemoryFill(l, words, &x, 8, 16, e, 0, NULL)); /* from here on it is of that command */
    OK(zeEventHostSynchronize(e, FOR_EVER));
    CHECK(c[0] == 0);
    OK(zeEventDestroy(e));
    OK(zeEventDestroy(out));
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, c));
}

/* The first way of creating such events: both addresses, or neither. */
TEST(allocations_as_arguments)
{
    counter *c = new_memory(2 * sizeof *c);
    ze_event_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .signal = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t e = NULL, usual = NULL;
    uint32_t flags = 0;
    OK(f.create_first(context, device, &c[0], &c[1], 2, &d, &e));
    CHECK(!is_set(e));
    c[1] = 2;
    CHECK(is_set(e));
    OK(f.flags(e, &flags));
    CHECK_INT(flags, IMMEDIATE | REGULAR);
    OK(zeEventDestroy(e));
    OK(f.create_first(context, device, NULL, NULL, 0, &d, &e));
    CHECK(is_set(e));
    OK(f.create(context, device, NULL, &usual));
    OK(f.flags(usual, &flags));
    CHECK_INT(flags, IMMEDIATE | REGULAR | 4);
    OK(zeEventDestroy(usual));
    OK(zeEventDestroy(e));
    OK(zeMemFree(context, c));
}

/* ---- counters that commands add to */

enum { LISTS = 3, COMMANDS = 40 };

TEST(aggregates_of_several_lists)
{
    counter *c = new_memory(16 * sizeof *c);
    ze_command_list_handle_t l[LISTS], waiting = new_list();
    ze_event_handle_t out = new_event(0, NULL);
    uint32_t step = 0;
    for (int i = 0; i < LISTS; i++) l[i] = new_list();
    OK(f.step(device, &step));
    CHECK(step >= 1);
    for (int round = 0; round < 10; round++) {
        uint64_t zero = 0, x = 77 + (uint64_t)round, value = 0, address = 0;
        uint32_t more = 1 + test_random() % COMMANDS, count[LISTS] = {0, 0, 0};
        struct storage s = {.stype = STORAGE, .device = &c[0], .increment = step * (1 + test_random() % 5)};
        struct gate go = new_gate();
        s.value = s.increment * more;
        c[0] = 3; /* what is there counts: one command fewer would do only if this were as large as a step */
        s.value += 3;
        ze_event_handle_t e = new_event(0, &s);
        OK(f.address(e, &value, &address));
        CHECK(value == s.value && address == (uint64_t)(uintptr_t)&c[0]);
        for (uint32_t i = 0; i < more; i++) {
            uint32_t to = test_random() % LISTS;
            OK(zeCommandListAppendMemoryFill(l[to], &c[4 + to], &x, 8, 8, e, 1, &go.event));
            count[to]++;
        }
        c[8] = 0;
        OK(zeCommandListAppendMemoryFill(waiting, &c[8], &x, 8, 8, out, 1, &e));
        CHECK(!is_set(e) && !is_set(out));
        OK(zeEventHostSignal(go.event));
        OK(zeEventHostSynchronize(round % 2 ? e : out, FOR_EVER));
        OK(zeEventHostSynchronize(out, FOR_EVER));
        CHECK(c[0] == s.value && c[8] == x);
        for (int i = 0; i < LISTS; i++) CHECK(!count[i] || c[4 + i] == x);
        OK(zeCommandListAppendMemoryFill(waiting, &c[0], &zero, 8, 8, out, 0, NULL)); /* the program starts again */
        OK(zeEventHostSynchronize(out, FOR_EVER));
        CHECK(!is_set(e));
        OK(zeEventDestroy(e));
        free_gate(&go);
    }
    for (int i = 0; i < LISTS; i++) OK(zeCommandListDestroy(l[i]));
    OK(zeCommandListDestroy(waiting));
    OK(zeEventDestroy(out));
    OK(zeMemFree(context, c));
}

/* Each execution adds again. */
TEST(aggregates_of_regular_lists)
{
    counter *c = new_memory(4 * sizeof *c);
    struct storage s = {.stype = STORAGE, .device = &c[0], .increment = 10, .value = 60};
    ze_event_handle_t e = new_event(REGULAR, &s);
    ze_command_list_handle_t l = new_regular();
    uint64_t x = 1;
    OK(zeCommandListAppendMemoryFill(l, &c[1], &x, 8, 8, e, 0, NULL));
    OK(zeCommandListAppendMemoryFill(l, &c[2], &x, 8, 8, e, 0, NULL));
    OK(zeCommandListClose(l));
    for (uint64_t round = 1; round <= 4; round++) {
        execute(l);
        CHECK_INT(c[0], 20 * round);
        CHECK_INT(is_set(e), round >= 3);
    }
    OK(zeEventDestroy(e));
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, c));
}

/* Memory that the program has freed loses the command's event, not the process. */
TEST(freed_counters)
{
    counter *c = new_memory(sizeof *c), *kept = new_memory(sizeof *kept);
    struct storage s = {.stype = STORAGE, .device = c, .increment = 1, .value = 1};
    struct allocation a = {.stype = ALLOCATION, .device = c, .host = kept, .value = 1};
    ze_command_list_handle_t l = new_list();
    ze_event_handle_t e[2] = {new_event(0, &s), new_event(0, &a)}, out = new_event(0, NULL);
    if (TEST_SANITIZED) SKIP("the sanitizer reports the access");
    OK(zeMemFree(context, c));
    OK(zeCommandListAppendBarrier(l, e[0], 0, NULL));
    OK(zeCommandListAppendBarrier(l, out, 1, &e[1]));
    OK(zeEventHostSynchronize(out, FOR_EVER));
    for (int i = 0; i < 2; i++) OK(zeEventDestroy(e[i]));
    OK(zeEventDestroy(out));
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, kept));
}

/* ---- graphs */

typedef struct _ze_graph_handle_t *graph_t;
typedef struct _ze_executable_graph_handle_t *executable_t;

static struct {
    ze_result_t (*begin)(ze_command_list_handle_t, const void *);
    ze_result_t (*end)(ze_command_list_handle_t, const void *, graph_t *);
    ze_result_t (*instantiate)(graph_t, const void *, executable_t *);
    ze_result_t (*append)(ze_command_list_handle_t, executable_t, const void *, ze_event_handle_t, uint32_t,
                          ze_event_handle_t *);
    ze_result_t (*destroy_executable)(executable_t);
    ze_result_t (*destroy)(graph_t);
} g;

static executable_t finish(ze_command_list_handle_t l, graph_t *graph)
{
    executable_t e = NULL;
    OK(g.end(l, NULL, graph));
    OK(g.instantiate(*graph, NULL, &e));
    return e;
}

static void find_graphs(void)
{
    find("zeCommandListBeginGraphCaptureExt", &g.begin);
    find("zeCommandListEndGraphCaptureExt", &g.end);
    find("zeGraphInstantiateExt", &g.instantiate);
    find("zeCommandListAppendGraphExt", &g.append);
    find("zeExecutableGraphDestroyExt", &g.destroy_executable);
    find("zeGraphDestroyExt", &g.destroy);
}

TEST(aggregates_in_graphs)
{
    counter *c = new_memory(4 * sizeof *c);
    struct storage s = {.stype = STORAGE, .device = &c[0], .increment = 1, .value = 6};
    ze_event_handle_t e = new_event(0, &s), out = new_event(0, NULL);
    ze_command_list_handle_t l = new_list();
    graph_t graph = NULL;
    uint64_t x = 1;
    find_graphs();
    OK(g.begin(l, NULL));
    OK(zeCommandListAppendMemoryFill(l, &c[1], &x, 8, 8, e, 0, NULL));
    OK(zeCommandListAppendMemoryFill(l, &c[2], &x, 8, 8, e, 0, NULL));
    executable_t run = finish(l, &graph);
    CHECK_INT(c[0], 0);
    for (uint64_t round = 1; round <= 4; round++) {
        OK(g.append(l, run, NULL, out, 0, NULL));
        OK(zeEventHostSynchronize(out, FOR_EVER));
        CHECK_INT(c[0], 2 * round);
        CHECK_INT(is_set(e), round >= 3);
    }
    OK(g.destroy_executable(run));
    OK(g.destroy(graph));
    OK(zeEventDestroy(e));
    OK(zeEventDestroy(out));
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, c));
}

/* ---- what is refused */

TEST(events_that_are_refused)
{
    counter *c = new_memory(sizeof *c), local = 0;
    struct storage s = {.stype = STORAGE, .device = c, .increment = 0, .value = 1};
    struct allocation a = {.stype = ALLOCATION, .device = NULL, .host = c, .value = 1};
    struct {
        uint32_t stype;
        const void *next;
        uint32_t flags, number;
    } mode = {SYNC_MODE, NULL, 4, 1};
    ze_event_handle_t e = NULL;
    struct handle h;
    uint64_t value, address;
    CHECK_INT(try_event(0, &s, &e), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* no step */
    s.increment = 1;
    s.device = &local;
    CHECK_INT(try_event(0, &s, &e), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* no memory of the device */
    CHECK_INT(try_event(0, &a, &e), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* no address */
    a.device = c;
    s.device = c;
    s.next = &a;
    CHECK_INT(try_event(0, &s, &e), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* two places */
    CHECK_INT(try_event(0, &mode, &e), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    mode.flags = 3; /* hints */
    OK(try_event(0, &mode, &e));
    CHECK_INT(f.get(e, &h), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* not for other processes */
    CHECK_INT(f.close(e), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(f.address(e, &value, &address), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeEventDestroy(e));
    CHECK_INT(try_event(IPC | DEVICE_CLOCK, NULL, &e), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(try_event(IPC | HOST_CLOCK, NULL, &e), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(try_event(0x80, NULL, &e), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    OK(try_event(IPC, &a, &e));
    CHECK_INT(f.get(e, &h), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* it counts in the program's memory */
    OK(zeEventDestroy(e));
    memset(&h, 0, sizeof h);
    CHECK_INT(f.open(context, h, &e), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeMemFree(context, c));
}

/* ---- other processes */

struct child {
    pid_t process;
    int to, from;
};

static struct child start_child(const char *what, const struct handle *handle)
{
    char text[2 * ZE_MAX_IPC_HANDLE_SIZE + 1];
    int to[2], from[2];
    struct child c = {-1, -1, -1};
    for (int i = 0; i < ZE_MAX_IPC_HANDLE_SIZE; i++) snprintf(text + 2 * i, 3, "%02x", (unsigned char)handle->data[i]);
    CHECK(pipe(to) == 0 && pipe(from) == 0);
    fflush(NULL);
    c.process = fork();
    if (c.process == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        execl(program, program, what, text, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    c.to = to[1];
    c.from = from[0];
    return c;
}

static bool ends_well(struct child *c)
{
    int status = -1;
    close(c->to);
    close(c->from);
    return c->process > 0 && waitpid(c->process, &status, 0) == c->process && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static bool tell(int to) { return write(to, "x", 1) == 1; }
static bool hear(int from)
{
    char x;
    return read(from, &x, 1) == 1;
}

static struct handle handle_of(const char *text)
{
    struct handle h;
    for (int i = 0; i < ZE_MAX_IPC_HANDLE_SIZE; i++) {
        unsigned byte = 0;
        NEED(sscanf(text + 2 * i, "%2x", &byte) == 1);
        h.data[i] = (char)byte;
    }
    return h;
}

enum { ROUNDS = 20, PENDING = 300 };

/* In each round the parent's command is pending, then done; then one of its own. */
static void child_takes_turns(const char *text)
{
    struct handle h = handle_of(text);
    ze_event_handle_t e = NULL, again = NULL, own = new_event(0, NULL);
    ze_command_list_handle_t l = new_list();
    NEED(f.open(context, h, &e) == ZE_RESULT_SUCCESS && f.open(context, h, &again) == ZE_RESULT_SUCCESS);
    NEED(f.close(again) == ZE_RESULT_SUCCESS);
    NEED(is_set(e)); /* nobody has set it yet */
    NEED(tell(1));
    for (int round = 0; round < ROUNDS; round++) {
        struct gate go = new_gate();
        NEED(hear(0));
        NEED(zeEventQueryStatus(e) == ZE_RESULT_NOT_READY);
        NEED(zeEventHostSynchronize(e, MILLISECOND) == ZE_RESULT_NOT_READY);
        NEED(zeCommandListAppendBarrier(l, own, 1, &e) == ZE_RESULT_SUCCESS);
        NEED(tell(1));
        NEED(zeEventHostSynchronize(round % 2 ? e : own, FOR_EVER) == ZE_RESULT_SUCCESS);
        NEED(zeEventHostSynchronize(own, FOR_EVER) == ZE_RESULT_SUCCESS && is_set(e));
        NEED(zeCommandListAppendBarrier(l, e, 1, &go.event) == ZE_RESULT_SUCCESS);
        NEED(zeEventQueryStatus(e) == ZE_RESULT_NOT_READY);
        NEED(tell(1) && hear(0));
        NEED(zeCommandListAppendBarrier(l, own, 0, NULL) == ZE_RESULT_SUCCESS);
        NEED(zeEventHostSignal(go.event) == ZE_RESULT_SUCCESS);
        NEED(zeEventHostSynchronize(own, FOR_EVER) == ZE_RESULT_SUCCESS); /* `e` may be the parent's next command's */
        free_gate(&go);
    }
    NEED(f.close(e) == ZE_RESULT_SUCCESS && zeEventDestroy(own) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListDestroy(l) == ZE_RESULT_SUCCESS);
    _exit(0);
}

TEST(both_processes_set_an_event)
{
    ze_event_handle_t e = new_event(IPC, NULL), own = new_event(0, NULL);
    ze_command_list_handle_t l = new_list();
    struct handle h, same;
    OK(f.get(e, &h));
    OK(f.get(e, &same));
    CHECK(memcmp(&h, &same, sizeof h) == 0);
    struct child c = start_child("takes_turns", &h);
    CHECK(hear(c.from));
    for (int round = 0; round < ROUNDS; round++) {
        struct gate go = new_gate();
        for (int i = 0; i < (round % 3 ? 1 : PENDING); i++) OK(zeCommandListAppendBarrier(l, e, 1, &go.event));
        CHECK(tell(c.to) && hear(c.from));
        CHECK(!is_set(e));
        OK(zeEventHostSignal(go.event));
        CHECK(hear(c.from));
        CHECK(!is_set(e)); /* the child's command */
        OK(zeCommandListAppendBarrier(l, own, 1, &e));
        CHECK(!is_set(own) && tell(c.to));
        OK(zeEventHostSynchronize(own, FOR_EVER));
        CHECK(is_set(e)); /* the child sets it no more before it is told to go on */
        free_gate(&go);
    }
    CHECK(ends_well(&c));
    OK(zeEventDestroy(e));
    OK(zeEventDestroy(own));
    OK(zeCommandListDestroy(l));
}

/* The command is pending when the child asks for the first time. */
static void child_follows(const char *text)
{
    ze_event_handle_t e = NULL;
    NEED(f.open(context, handle_of(text), &e) == ZE_RESULT_SUCCESS);
    for (int round = 0; round < ROUNDS; round++) {
        NEED(zeEventQueryStatus(e) == ZE_RESULT_NOT_READY);
        NEED(tell(1));
        NEED(zeEventHostSynchronize(e, FOR_EVER) == ZE_RESULT_SUCCESS);
        NEED(tell(1) && hear(0));
    }
    _exit(0); /* with a live event */
}

/* `run` submits a command that waits for the gate and sets the event. */
static void let_a_child_follow(ze_event_handle_t e, struct gate *go, void (*run)(void *), void *user)
{
    struct handle h;
    struct child c = {0};
    for (int round = 0; round < ROUNDS; round++) {
        run(user);
        if (round == 0) {
            OK(f.get(e, &h));
            c = start_child("follows", &h);
        } else {
            CHECK(tell(c.to));
        }
        CHECK(hear(c.from) && !is_set(e));
        OK(zeEventHostSignal(go->event));
        CHECK(hear(c.from) && is_set(e));
        OK(zeEventHostReset(go->event));
    }
    CHECK(tell(c.to));
    CHECK(ends_well(&c));
}

struct submission {
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    executable_t graph;
};

static void run_list(void *user)
{
    const struct submission *s = user;
    OK(zeCommandQueueSynchronize(s->queue, FOR_EVER));
    OK(zeCommandQueueExecuteCommandLists(s->queue, 1, (ze_command_list_handle_t *)&s->list, NULL));
}

TEST(a_list_runs_again_for_another_process)
{
    ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_event_handle_t e = new_event(IPC | REGULAR, NULL);
    struct submission s = {NULL, new_regular(), NULL};
    struct gate go = new_gate();
    OK(zeCommandQueueCreate(context, device, &d, &s.queue));
    OK(zeCommandListAppendBarrier(s.list, e, 1, &go.event));
    OK(zeCommandListClose(s.list));
    let_a_child_follow(e, &go, run_list, &s);
    OK(zeCommandQueueSynchronize(s.queue, FOR_EVER));
    OK(zeEventDestroy(e));
    OK(zeCommandListDestroy(s.list));
    OK(zeCommandQueueDestroy(s.queue));
    free_gate(&go);
}

static void run_graph(void *user)
{
    const struct submission *s = user;
    OK(g.append(s->list, s->graph, NULL, NULL, 0, NULL));
}

TEST(a_graph_runs_again_for_another_process)
{
    ze_event_handle_t e = new_event(IPC | EXTERNAL, NULL);
    struct submission s = {NULL, new_list(), NULL};
    struct gate go = new_gate();
    graph_t graph = NULL;
    find_graphs();
    OK(g.begin(s.list, NULL));
    OK(zeCommandListAppendBarrier(s.list, e, 1, &go.event));
    s.graph = finish(s.list, &graph);
    let_a_child_follow(e, &go, run_graph, &s);
    OK(g.destroy_executable(s.graph));
    OK(g.destroy(graph));
    OK(zeEventDestroy(e));
    OK(zeCommandListDestroy(s.list));
    free_gate(&go);
}

static void child_waits_to_die(const char *text)
{
    ze_event_handle_t e = NULL;
    struct gate go = new_gate();
    NEED(f.open(context, handle_of(text), &e) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListAppendBarrier(new_list(), e, 1, &go.event) == ZE_RESULT_SUCCESS);
    NEED(tell(1));
    for (;;) pause();
}

static int count_entries(const char *folder)
{
    DIR *d = opendir(folder);
    int n = 0;
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

/* What it was to set is never set, and can be replaced. */
static void lose_a_child(void)
{
    ze_event_handle_t e = new_event(IPC, NULL);
    ze_command_list_handle_t l = new_list();
    struct handle h;
    OK(f.get(e, &h));
    struct child c = start_child("waits_to_die", &h);
    CHECK(hear(c.from));
    kill(c.process, SIGKILL);
    CHECK(waitpid(c.process, NULL, 0) == c.process);
    close(c.to);
    close(c.from);
    CHECK_INT(zeEventHostSynchronize(e, 2 * MILLISECOND), ZE_RESULT_NOT_READY);
    OK(zeCommandListAppendBarrier(l, e, 0, NULL));
    OK(zeEventHostSynchronize(e, FOR_EVER));
    OK(zeEventDestroy(e));
    OK(zeCommandListDestroy(l));
}

TEST(processes_that_die)
{
    lose_a_child(); /* what happens once only */
    int descriptors = count_entries("/proc/self/fd"), names = count_entries("/dev/shm");
    for (int round = 0; round < 3; round++) lose_a_child();
    CHECK_INT(count_entries("/proc/self/fd"), descriptors);
    CHECK(count_entries("/dev/shm") <= names);
}

#ifdef ZE_RECORD_REPLAY_GRAPH_EXT_NAME
TEST(through_the_loader)
{
    counter *c = new_memory(sizeof *c);
    ze_event_counter_based_external_aggregate_storage_desc_t s = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_AGGREGATE_STORAGE_DESC,
        .deviceAddress = (uint64_t *)c,
        .incrementValue = 2,
        .completionValue = 4};
    ze_event_counter_based_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC, .pNext = &s};
    ze_command_list_handle_t l = new_list();
    ze_ipc_event_counter_based_handle_t h;
    ze_event_handle_t e = NULL, opened = NULL;
    uint64_t most = 0, value = 0, address = 0;
    uint32_t step = 0;
    OK(zeDeviceGetCounterBasedEventMaxValue(device, &most));
    CHECK(most >= UINT32_MAX);
    OK(zeDeviceGetAggregatedCopyOffloadIncrementValue(device, &step));
    CHECK(step >= 1);
    OK(zeEventCounterBasedCreate(context, device, &d, &e));
    OK(zeEventCounterBasedGetDeviceAddress(e, &value, &address));
    CHECK(value == 4 && address == (uint64_t)(uintptr_t)c);
    for (int i = 0; i < 2; i++) {
        CHECK(!is_set(e));
        OK(zeCommandListAppendBarrier(l, e, 0, NULL));
        OK(zeCommandListHostSynchronize(l, FOR_EVER));
    }
    CHECK(is_set(e) && *c == 4);
    OK(zeEventDestroy(e));
    d.pNext = NULL;
    d.flags = ZE_EVENT_COUNTER_BASED_FLAG_IPC;
    OK(zeEventCounterBasedCreate(context, device, &d, &e));
    OK(zeEventCounterBasedGetIpcHandle(e, &h));
    OK(zeEventCounterBasedOpenIpcHandle(context, h, &opened));
    OK(zeCommandListAppendBarrier(l, opened, 0, NULL));
    OK(zeEventHostSynchronize(e, FOR_EVER));
    OK(zeEventCounterBasedGetDeviceAddress(e, &value, &address));
    CHECK(value > 0 && *(counter *)(uintptr_t)address >= value);
    OK(zeEventCounterBasedCloseIpcHandle(opened));
    OK(zeEventDestroy(e));
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, c));
}
#endif

static bool open_device(void)
{
    ze_context_desc_t cd = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const char *soft = getenv("XETILE_SOFT");
    uint32_t one = 1;
    setenv("ZE_ENABLE_ALT_DRIVERS", soft ? soft : "build/libze_soft.so", 1);
    setenv("XETILE_SOFT_THREADS", "2", 1);
#ifndef ZE_RECORD_REPLAY_GRAPH_EXT_NAME
    unsetenv("ZE_ENABLE_PARAMETER_VALIDATION"); /* old loaders know no queues in order */
#endif
    return zeInit(0) == ZE_RESULT_SUCCESS && zeDriverGet(&one, &driver) == ZE_RESULT_SUCCESS &&
           zeDeviceGet(driver, &one, &device) == ZE_RESULT_SUCCESS &&
           zeContextCreate(driver, &cd, &context) == ZE_RESULT_SUCCESS;
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (!open_device()) return printf("the device does not open\n"), 1;
    find_functions();
    if (argc == 3) {
        alarm(SECONDS);
        if (!strcmp(argv[1], "takes_turns")) child_takes_turns(argv[2]);
        if (!strcmp(argv[1], "follows")) child_follows(argv[2]);
        if (!strcmp(argv[1], "waits_to_die")) child_waits_to_die(argv[2]);
        return 1;
    }
    RUN(allocations_of_the_program);
    RUN(allocations_as_arguments);
    RUN(aggregates_of_several_lists);
    RUN(aggregates_of_regular_lists);
    RUN(freed_counters);
    RUN(aggregates_in_graphs);
    RUN(events_that_are_refused);
    RUN(both_processes_set_an_event);
    RUN(a_list_runs_again_for_another_process);
    RUN(a_graph_runs_again_for_another_process);
    RUN(processes_that_die);
#ifdef ZE_RECORD_REPLAY_GRAPH_EXT_NAME
    RUN(through_the_loader);
#endif
    zeContextDestroy(context);
    return test_report();
}
