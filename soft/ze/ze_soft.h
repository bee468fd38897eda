/* ze_soft.h - what the files of the Level Zero driver share: the objects behind the handles, and checks.
 *
 * The functions of the API have their own names here (zeContextCreate is zeContextCreate), but hidden: the loader
 * finds them through the tables of tables.c only. A handle is a pointer to the structure the API's header leaves
 * open; each begins with a tag that is checked on entry.
 *
 * Locks, in the order they may be taken: memory to be freed later, list of queues, queue, event/fence. Nobody calls out
 * with one held.
 */
#ifndef XETILE_SOFT_ZE_SOFT_H
#define XETILE_SOFT_ZE_SOFT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || UINTPTR_MAX != UINT64_MAX
#error "the software device is for CPUs with 64-bit addresses that store the low byte first, as kernels do"
#endif

#define ZE_APIEXPORT __attribute__((visibility("hidden")))
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_ddi.h>

#include "abi.h"
#include "build/build.h"
#include "run/scheduler.h"
#include "spirv/spirv.h"

/* Whether the installed header has what version 1.`minor` of the API added. Headers before 1.5 say no version here. */
#ifdef ZE_API_VERSION_CURRENT_M
#define SOFT_API(minor) (ZE_API_VERSION_CURRENT_M >= ZE_MAKE_VERSION(1, minor))
#else
#define SOFT_API(minor) ((minor) <= 4)
#endif

/* Hints that newer headers added; accepted whatever header the driver was built with. */
#define SOFT_MAPPED_TIMESTAMP 8u /* ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP */
#define SOFT_QUEUE_FLAGS 7u      /* explicit only, in order, copy offload */
#define SOFT_QUEUE_IN_ORDER 2u
#define SOFT_LIST_IN_ORDER 8u
#define SOFT_LIST_FLAGS                                                                                                \
    0x3fu /* relaxed ordering, maximise throughput, explicit only, in order, clonable, copy offload */
#define SOFT_LAST_ADVICE 9u

#define SOFT_VENDOR_ID 0x58455449u /* "XETI": past 16 bits, so no PCI vendor's; Intel's is 0x8086 */
#define SOFT_DEVICE_ID 0x50f7u
#define SOFT_DRIVER_VERSION 1u
#define SOFT_LOCAL_MEMORY (128u << 10)
#define SOFT_MAX_GROUP_SIZE 1024u
#define SOFT_MAX_ARGUMENTS 4096u
#define SOFT_MAX_INPUTS 1024u /* modules in one program */
#define SOFT_QUEUES 8u
enum { SOFT_COMPUTE_GROUP, SOFT_COPY_GROUP, SOFT_GROUPS }; /* ordinals of queues */

enum soft_tag {
    SOFT_DEAD = 0xdeadu,
    SOFT_DRIVER = 0x58650001u,
    SOFT_DEVICE,
    SOFT_CONTEXT,
    SOFT_QUEUE,
    SOFT_LIST,
    SOFT_POOL,
    SOFT_EVENT,
    SOFT_FENCE,
    SOFT_MODULE,
    SOFT_KERNEL,
    SOFT_LOG,
    SOFT_PHYSICAL,
    SOFT_IMAGE,
    SOFT_SAMPLER,
    SOFT_VERTEX
};

struct _ze_driver_handle_t {
    uint32_t tag;
};
struct _ze_fabric_vertex_handle_t {
    uint32_t tag;
    ze_device_handle_t device;
};
struct _ze_device_handle_t {
    uint32_t tag;
    uint32_t part;    /* of a sub-device: its number, from 1; 0: the device itself */
    uint32_t threads; /* at most so many run its kernels; 0: all */
    bool alone;       /* zeDeviceGet gives it */
    struct _ze_fabric_vertex_handle_t vertex;
};
struct _ze_context_handle_t {
    uint32_t tag;
};

extern struct _ze_driver_handle_t soft_driver;
extern struct _ze_device_handle_t soft_device; /* hierarchy.c */
extern struct _ze_context_handle_t soft_default_context;

/* ---- checks: each returns from the calling function */

static inline ze_result_t soft_check(const void *handle, uint32_t tag)
{
    if (!handle) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return *(const uint32_t *)handle == tag ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}
#define SOFT_HANDLE(handle, tag)                                                                                       \
    do {                                                                                                               \
        ze_result_t check_ = soft_check((handle), (tag));                                                              \
        if (check_ != ZE_RESULT_SUCCESS) return check_;                                                                \
    } while (0)
#define SOFT_POINTER(pointer)                                                                                          \
    do {                                                                                                               \
        if (!(pointer)) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;                                                   \
    } while (0)
/* An entry point that tells one thing of a handle. */
#define SOFT_GETTER(function, handle_type, tag, value_type, what)                                                      \
    ze_result_t function(handle_type handle, value_type *value)                                                        \
    {                                                                                                                  \
        SOFT_HANDLE(handle, tag);                                                                                      \
        SOFT_POINTER(value);                                                                                           \
        *value = what;                                                                                                 \
        return ZE_RESULT_SUCCESS;                                                                                      \
    }
#define SOFT_FLAGS(flags, known)                                                                                       \
    do {                                                                                                               \
        if ((flags) & ~(uint32_t)(known)) return ZE_RESULT_ERROR_INVALID_ENUMERATION;                                  \
    } while (0)
#define SOFT_TRY(call)                                                                                                 \
    do {                                                                                                               \
        ze_result_t try_ = (call);                                                                                     \
        if (try_ != ZE_RESULT_SUCCESS) return try_;                                                                    \
    } while (0)

/* Keeps a text for zeDriverGetLastErrorDescription, prints it when XETILE_SOFT_DEBUG is set, returns `result`. */
ze_result_t soft_fail(ze_result_t result, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for what happens on a queue's thread, where nobody may be asking: always printed. */
ze_result_t soft_fail_loudly(ze_result_t result, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *soft_last_error(void);
/* Refuses what is chained to a descriptor and makes another thing of it that we do not have; hints pass. */
ze_result_t soft_check_chain(const void *next);
ze_result_t soft_check_link(const ze_base_desc_t *d); /* of the first of a chain alone */

/* ---- models.c: which device this one passes for */

#define SOFT_IP(architecture, release, revision) ((architecture) << 22 | (release) << 14 | (revision))
struct soft_model {
    const char *name, *title;
    uint32_t device_id, ip;
    uint32_t threads, simd, eus, subslices, slices; /* an EU's threads, ... a subslice's EUs, a slice's subslices */
    uint32_t least_lanes;                           /* of its subgroups, which go up to 32 */
    bool integrated, has_double, has_blocks, has_images;
};
uint32_t soft_subgroup_size(void); /* of kernels that state none */
/* NULL: none, it is itself. */
const struct soft_model *soft_model(void);
bool soft_has_images(void);
/* False, with the reason in `log`, where the module has what the model lacks. */
bool soft_model_allows(const struct soft_model *model, const struct sp_module *m, struct sp_text *log);

uint32_t soft_parts_of(ze_device_handle_t device); /* how many sub-devices it has */
bool soft_is_subdevice(ze_device_handle_t device);
void soft_device_uuid(ze_device_handle_t device, uint8_t to[ZE_MAX_DEVICE_UUID_SIZE]);
bool soft_has_system_memory(void); /* kernels may be given what malloc returns */
bool soft_is_strict(void); /* SPIR-V that is not valid is refused, also where drivers take it */
bool soft_is_quick(void);  /* kernels compile in half of the time and run slower */
void soft_look_at_settings(void); /* tells, once a process, of environment variables that are misspelt */
bool soft_is_cpu(void); /* XETILE_SOFT_TYPE=cpu: programs that ask for GPUs only should not get this device */

/* ---- time: a tick is a nanosecond of CLOCK_MONOTONIC */

static inline uint64_t soft_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A condition that is waited for with a timeout. */
struct soft_signal {
    pthread_mutex_t lock;
    pthread_cond_t changed;
};
bool soft_condition_init(pthread_cond_t *condition);
bool soft_signal_init(struct soft_signal *s);
void soft_signal_free(struct soft_signal *s);
bool soft_signal_is(struct soft_signal *s, const bool *set); /* *set, read under s->lock */
static inline size_t soft_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* Waits, with the lock held, until woken or `deadline` (soft_now's clock, UINT64_MAX: for ever); false when it passed.
 */
bool soft_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t deadline);
static inline bool soft_signal_wait(struct soft_signal *s, uint64_t deadline)
{
    return soft_condition_wait(&s->changed, &s->lock, deadline);
}
static inline uint64_t soft_deadline(uint64_t timeout)
{
    uint64_t now;
    if (timeout == UINT64_MAX) return UINT64_MAX;
    now = soft_now();
    return timeout < UINT64_MAX - now ? now + timeout : UINT64_MAX;
}

/* ---- events and fences */

struct _ze_event_pool_handle_t {
    uint32_t tag;
    ze_context_handle_t context;
    ze_event_pool_flags_t flags;
    uint32_t counts; /* its events count: SOFT_COUNTS_... */
    uint32_t count;
    _Atomic uint32_t events;
    struct soft_shared *shared; /* NULL: with no other process */
    bool imported;              /* another process has made it */
};

/* A counter-based event says of the last command which it was given to whether that is done: it stands for the `moment`
 * of that command, an event without a handle. Commands that wait keep the moment they were to wait for. */
struct _ze_event_handle_t {
    uint32_t tag;
    ze_event_pool_handle_t pool; /* NULL: it was made without, or is a moment */
    ze_event_desc_t desc;
    uint32_t counts;             /* SOFT_COUNTS_...; 0: it is no counter-based event */
    ze_event_handle_t moment;    /* NULL: it was given to none yet */
    _Atomic uint32_t references; /* of a moment: the event's and those of commands */
    _Atomic uint64_t counter;    /* of a moment: 1 when it is set */
    bool timed;
    struct soft_signal signal;
    bool set;
    _Atomic uint64_t queue; /* number of the one that has a command to set it; 0: none */
    ze_result_t result;     /* of the command that set it */
    uint64_t start, end; /* ticks */
    ze_event_handle_t shared_next; /* of those of a pool that other processes have */
    ze_event_handle_t next_gone;   /* of those that are destroyed while something runs ... */
    uint64_t until;                /* ... which is this submission or an older one */
    uint32_t change;               /* the last that is known of what they share */
};

struct _ze_fence_handle_t {
    uint32_t tag;
    ze_command_queue_handle_t queue;
    uint64_t number; /* of that queue, which may go before the fence does */
    struct soft_signal signal;
    bool set;
    ze_result_t result;
};

/* Flags of counter-based events, by number for headers that do not know them. */
enum {
    SOFT_COUNTS_IMMEDIATE = 1,
    SOFT_COUNTS_REGULAR = 2,
    SOFT_COUNTS_IPC = 8,
    SOFT_COUNTS_TIMED = 0x10,
    SOFT_COUNTS_HOST_TIMED = 0x20,
    SOFT_COUNTS_GRAPH = 0x40,
    SOFT_COUNTS_ALL = 0x7f
};

/* What is to be waited for: the event, or the moment that it stands for. Kept until it is released; NULL: nothing. */
ze_event_handle_t soft_event_now(ze_event_handle_t event);
/* A new moment for a command, which the event stands for from now on; NULL: no memory. */
ze_event_handle_t soft_event_next(ze_event_handle_t event);
void soft_event_release(ze_event_handle_t event); /* of a moment; other events stay */
void soft_event_forget(ze_event_handle_t event);  /* it is destroyed; soft_event_free follows */
void soft_event_free(ze_event_handle_t event);
ze_result_t soft_event_check_plain(ze_event_handle_t event, const char *what); /* not for counter-based ones */
void soft_event_set(ze_event_handle_t event, ze_result_t result, uint64_t start, uint64_t end);
void soft_event_clear(ze_event_handle_t event);
/* Waits until the event is set, or `stop` is true and soft_event_wake was called: then false is returned. */
bool soft_event_await(ze_event_handle_t event, const atomic_bool *stop);
void soft_event_wake(ze_event_handle_t event); /* those that wait for it look at their `stop` */
void soft_event_follow(ze_event_handle_t event); /* takes over what another process has made of it */
void soft_event_timestamp(ze_event_handle_t event, ze_kernel_timestamp_result_t *to);
void soft_fence_set(ze_fence_handle_t fence, ze_result_t result);

/* ---- modules and kernels */

/* SPIR-V in words of its own. */
struct soft_source {
    uint32_t *words;
    size_t count;
    struct sp_spec *spec;
    size_t spec_count;
    char *options; /* the program's, for Intel's compiler; may be NULL */
};

/* The variables of a module, by their number in it; made when code that refers to them is loaded. */
struct soft_storage {
    _Atomic uint32_t references;
    uint32_t count;
    uint8_t **slot;
};

struct soft_function; /* one that a pointer was asked for */

struct _ze_module_handle_t {
    uint32_t tag;
    _Atomic uint32_t references; /* the handle, each kernel, each recorded launch */
    ze_context_handle_t context;
    bool unlinked;            /* it has imports and no object yet */
    struct jit_object object;
    uint8_t **globals;        /* by the object's rows: slots of its own storage and of shared ones */
    struct soft_storage *storage, **shared;
    uint32_t shared_count;
    struct soft_source source; /* kept when it imports or exports anything */
    struct soft_source linked; /* the source together with those of the modules it was linked with */
    struct sp_module *parsed;  /* of a module with imports: its kernels' names */
    struct soft_function *functions;
};

/* When it has several drivers, the loader wraps our handles in objects of its own, and forgets to do so with the log of
 * a build that failed. It then takes our log for such an object: a handle and tables (seen in 1.8), or tables of
 * another form (1.32). Reading that log is what people do, so a log begins with what either of them looks for.
 */
struct soft_log_face {
#if SOFT_API(17)
    ze_dditable_driver_t tables;
#else
    uint32_t version; /* and a zero where newer loaders look whether the tables are valid */
    uint8_t zero[508];
#endif
    ze_module_build_log_handle_t log;
};

struct _ze_module_build_log_handle_t {
    struct soft_log_face *face;  /* 1.8: the handle we get back; 1.32: the tables */
    const ze_dditable_t *tables; /* 1.8 */
    struct soft_log_face own;
    uint32_t tag;
    struct sp_text text;
};

struct _ze_kernel_handle_t {
    uint32_t tag;
    ze_module_handle_t module;
    const struct xs_kernel *code;
    uint8_t *args; /* where a parameter is local memory: its size */
    bool *given;   /* which arguments have been set */
    uint32_t group_size[3], offset[3];
    ze_kernel_indirect_access_flags_t indirect;
};

ze_module_build_log_handle_t soft_log_new(void);
ze_result_t soft_log_deliver(ze_result_t result, const char *what, ze_module_build_log_handle_t log,
                             ze_module_build_log_handle_t *wanted);
void soft_module_retain(ze_module_handle_t module);
void soft_module_release(ze_module_handle_t module);
/* Once the object is there: its variables. `origins`: which storage each is in (0: the module's own), NULL: its own. */
bool soft_module_place_globals(ze_module_handle_t module, const struct sp_link_origin *origins);
/* ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED while imports are open; `what` is what was asked for. */
ze_result_t soft_module_check_linked(ze_module_handle_t module, const char *what);
void soft_module_unlink(ze_module_handle_t module); /* as it was before it had an object */
/* A function whose address a program has asked for. */
struct soft_function {
    struct soft_function *next;
    struct jit_object object;
    char name[];
};
extern pthread_mutex_t soft_link_lock; /* storages are filled and shared under it, and functions compiled */

/* build.c. A source is zero or filled; both may be freed. */
ze_result_t soft_source_read(const ze_module_desc_t *desc, struct soft_source *source, struct sp_text *log);
void soft_source_free(struct soft_source *source);
bool soft_source_has_linkage(const struct soft_source *source); /* exports or imports */
bool soft_source_has_imports(const struct soft_source *source);
/* The object of the module's kernels or, when `function` is given, of that exported function alone. */
ze_result_t soft_build(const struct soft_source *source, const char *function, struct jit_object *object,
                       struct sp_text *log);

/* ---- memory */

/* The allocation that an address is in. */
struct soft_allocation {
    void *base;
    size_t size, page;
    ze_memory_type_t type;
    uint64_t id;
};
bool soft_memory_find(const void *pointer, struct soft_allocation *to); /* false: it is in none */
/* Whether [pointer, pointer + size) lies inside allocations of ours or touches none of them. */
bool soft_range_fits(const void *pointer, size_t size);
/* Frees the allocation when the submissions up to that number are done: soft_memory_collect does it, which asks for the
 * first that is not. */
ze_result_t soft_memory_free_later(ze_context_handle_t context, void *pointer, uint64_t submission);
void soft_memory_collect(uint64_t (*first_submission)(void));

/* ---- pages.c: whole pages between guards */

struct soft_pages {
    uint8_t *base;
    size_t size, guard;
    int file; /* that other processes can map; -1: none */
};
bool soft_pages_new(struct soft_pages *p, size_t size, size_t alignment);
bool soft_pages_open(struct soft_pages *p, int file, size_t size); /* takes the file, unless false */
bool soft_pages_share(struct soft_pages *p);                       /* gives them a file; what they hold stays */
void soft_pages_free(struct soft_pages *p);

/* ---- ipc.c: what a handle for other processes means */

enum { SOFT_IPC_MEMORY = 1, SOFT_IPC_EVENTS };
struct soft_ipc {
    int32_t file; /* first, as programs put the descriptor here that they received */
    uint32_t magic, kind;
    int32_t process;
    uint64_t device, inode, size; /* of the file, so that a number used again is noticed; what it holds */
    uint32_t type;
};
bool soft_ipc_describe(struct soft_ipc *to, int file, uint32_t kind);
ze_result_t soft_ipc_open(const struct soft_ipc *ipc, uint32_t kind, int *file);

/* event_ipc.c: what processes share of a pool of events */
struct soft_shared;
struct soft_change {
    uint32_t number;
    bool set;
    ze_result_t result;
    uint64_t start, end;
};
typedef void soft_follow_fn(ze_event_handle_t event); /* the event takes what all processes have of it */
struct soft_shared *soft_shared_new(uint32_t count, uint32_t flags, soft_follow_fn *fn);
struct soft_shared *soft_shared_open(const struct soft_ipc *from, int file, soft_follow_fn *fn, uint32_t *count,
                                     uint32_t *flags); /* takes the file */
bool soft_shared_describe(const struct soft_shared *s, struct soft_ipc *to);
void soft_shared_free(struct soft_shared *s);
void soft_shared_attach(struct soft_shared *s, ze_event_handle_t e);
void soft_shared_detach(struct soft_shared *s, ze_event_handle_t e);
struct soft_change soft_shared_look(const struct soft_shared *s, uint32_t index); /* with the event's lock held */
/* Tells the others; the number of the change. Called with the event's lock held. */
uint32_t soft_shared_change(struct soft_shared *s, uint32_t index, bool set, ze_result_t result, uint64_t start,
                            uint64_t end);
/* Of physical memory: its handle, or where its beginning is mapped; false: it is none. */
bool soft_virtual_share(const void *pointer, struct soft_ipc *to);
ze_result_t soft_memory_share(const void *pointer, struct soft_ipc *to);
uint64_t soft_virtual_id(const void *pointer); /* of the physical memory that is mapped there; 0: none */
/* Of the memory that the file is. */
bool soft_virtual_share_file(int file, struct soft_ipc *to);
bool soft_memory_share_file(int file, struct soft_ipc *to);
bool soft_is_same_file(int a, int b);
/* What may be chained to the descriptor of memory; `file` is that of a file to import, -1: none. */
ze_result_t soft_check_memory_chain(const void *next, int *file);
/* Who asks for a file descriptor in what is chained to properties; NULL: nobody. */
ze_external_memory_export_fd_t *soft_wanted_file(void *next);
ze_result_t soft_give_file(ze_external_memory_export_fd_t *to, int file); /* a new one, which is the program's */
ze_result_t soft_share(const void *pointer, struct soft_ipc *to);         /* memory of either kind */
ze_result_t soft_memory_open(ze_context_handle_t context, const struct soft_ipc *from, int file, void **pointer);
ze_result_t soft_memory_close(ze_context_handle_t context, const void *pointer);
bool soft_memory_waits(void); /* whether anything is to be freed later */
/* A number that no other allocation has, images included. */
uint64_t soft_memory_id(void);

/* ---- images and samplers */

struct _ze_image_handle_t {
    uint32_t tag;
    struct xs_image image;     /* what kernels are given ... */
    struct xs_sampler sampler; /* ... with that, when it is bindless and sampled */
    bool bindless;
    uint32_t texel; /* bytes of one */
    uint64_t id;
    struct soft_pages pages; /* no base: it lies in memory of the program's or of another image */
};

struct _ze_sampler_handle_t {
    uint32_t tag;
    struct xs_sampler sampler; /* what kernels are given */
};

/* Extensions that programs find by name, whatever header the driver was built with. */
#if !SOFT_API(5)
ZE_APIEXPORT ze_result_t zeImageViewCreateExt(ze_context_handle_t context, ze_device_handle_t device,
                                              const ze_image_desc_t *desc, ze_image_handle_t image,
                                              ze_image_handle_t *view);
#endif
#if !SOFT_API(9)
ZE_APIEXPORT ze_result_t zeMemGetPitchFor2dImage(ze_context_handle_t context, ze_device_handle_t device, size_t width,
                                                 size_t height, unsigned texel, size_t *pitch);
ZE_APIEXPORT ze_result_t zeImageGetDeviceOffsetExp(ze_image_handle_t image, uint64_t *offset);
#endif

/* ---- commands */

/* A box of bytes in a surface. */
struct soft_box {
    ze_copy_region_t region;
    size_t pitch, slice; /* bytes from a row, or slice, to the next */
};

enum soft_command_kind {
    SOFT_CMD_NOTHING, /* barriers, signals, waits, advice: the events are all there is to it */
    SOFT_CMD_TIMESTAMP,
    SOFT_CMD_COPY,
    SOFT_CMD_FILL,
    SOFT_CMD_COPY_REGION,
    SOFT_CMD_RESET_EVENT,
    SOFT_CMD_QUERY_TIMESTAMPS,
    SOFT_CMD_LAUNCH,
    SOFT_CMD_HOST_FUNCTION
};

struct soft_launch {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel; /* of a command that may be changed: its own copy of what it was made from; or NULL */
    struct sched_launch launch;       /* args point into the command's payload */
    const ze_group_count_t *indirect; /* counts read when it runs */
    const uint32_t *count;            /* multiple kernels: run only when index < *count */
    uint32_t index;
};

/* One block of memory: the command, its wait events, its payload (arguments, pattern, offsets). */
struct soft_command {
    struct soft_command *next;
    enum soft_command_kind kind;
    uint64_t id; /* by which the program changes it; 0: it may not */
    ze_event_handle_t signal;
    bool signals_moment; /* which is the command's to release */
    uint32_t wait_count, moments, wait_room;
    ze_event_handle_t *waits; /* moments first, which are the command's, too */
    uint8_t *payload;
    union {
        struct {
            void *to;
            const void *from;
            size_t size;
        } copy;
        struct {
            void *to;
            size_t size, pattern_size;
        } fill;
        struct {
            void *to;
            const void *from;
            struct soft_box to_box, from_box;
        } region;
        struct {
            uint64_t *to;
        } timestamp;
        struct {
            ze_event_handle_t event;
        } reset;
        struct {
            void *to;
            uint32_t count;
            bool offsets;
        } query;
        struct {
            void (*call)(void *);
            void *user;
        } host;
        struct soft_launch launch;
    } u;
};

void soft_command_free(struct soft_command *command);
ze_result_t soft_check_events(ze_command_list_handle_t list, ze_event_handle_t signal, uint32_t wait_count,
                              ze_event_handle_t *waits);
bool soft_command_signals(struct soft_command *c, ze_event_handle_t event); /* false: no memory */
/* At most as many as there were at first; those that are NULL are left out. */
void soft_command_awaits(struct soft_command *c, uint32_t count, ze_event_handle_t *events);
/* Records the kernel as it is now, arguments at `args`. */
void soft_launch_take(struct soft_launch *to, ze_kernel_handle_t kernel, const uint8_t *args);
void soft_launch_count(struct soft_launch *to, const ze_group_count_t *count);
ze_result_t soft_kernel_copy(ze_kernel_handle_t kernel, ze_kernel_handle_t *copy); /* and what it has been given */
/* Runs it, with the urgency of its queue, and sets its event. */
ze_result_t soft_command_run(struct soft_command *command, int urgency);

/* ---- queues: what a command queue and an immediate command list have in common */

struct soft_work; /* one submission */

struct soft_queue {
    uint64_t number; /* from 1, never the same again */
    struct soft_signal signal;
    pthread_cond_t work; /* its thread waits for that, everybody else for the signal */
    struct soft_work *first, **last;
    uint64_t submitted, completed;
    bool busy, started;
    bool napping;  /* its thread looks for work soon, without being woken */
    unsigned naps; /* so many more before it sleeps */
    atomic_bool stop;
    ze_event_handle_t awaited; /* by what runs now; NULL: it waits for none */
    ze_result_t failed; /* reported once, by the next synchronisation */
    pthread_t thread;
    struct soft_queue *next, **link; /* in the list of all queues */
    unsigned held;                   /* it is not freed: by so many that found it there; under that list's lock */
    ze_command_queue_desc_t desc;
};

struct _ze_command_queue_handle_t {
    uint32_t tag;
    ze_context_handle_t context;
    struct soft_queue queue;
};

struct _ze_command_list_handle_t {
    uint32_t tag;
    ze_context_handle_t context;
    ze_device_handle_t device;
    ze_command_list_desc_t desc;
    bool immediate, closed, signals; /* some command of it sets an event */
    bool can_change;                 /* its commands can, those that are given numbers */
    uint64_t last_id, next_id;       /* the next command's; 0: it gets none */
    struct soft_command *first, **last;
    struct soft_queue queue; /* immediate lists only */
};

ze_result_t soft_queue_check_desc(const ze_command_queue_desc_t *desc);
ze_result_t soft_queue_init(struct soft_queue *q, const ze_command_queue_desc_t *desc);
void soft_queue_free(struct soft_queue *q);
int soft_queue_urgency(const struct soft_queue *q); /* by its priority: -1, 0 or 1 */
/* Takes over `command` (an immediate list's, may be NULL); lists are referred to. Runs or queues it as the mode says.
 */
ze_result_t soft_queue_submit(struct soft_queue *q, struct soft_command *command, uint32_t list_count,
                              ze_command_list_handle_t *lists, ze_fence_handle_t fence);
ze_result_t soft_queue_synchronize(struct soft_queue *q, uint64_t timeout);
/* For one who waits for `set` (under `signal`'s lock), which the queue of that number sets: runs what is before that on
 * this thread, as far as that goes without waiting. What is left is for the queue's thread, which is told. */
void soft_queue_help(uint64_t number, struct soft_signal *signal, const bool *set);
/* For one who only asks: the queue's thread begins now. */
void soft_queue_hurry(uint64_t number);
/* Waits until everything submitted so far, to any queue, is done. */
void soft_queues_drain(void);
/* Submissions to all queues have numbers: the last one's, and that of the first that is not done (UINT64_MAX: none). */
uint64_t soft_queues_last(void);
uint64_t soft_queues_first(void);

/* Appends the copy of a box to another of the same size; both pointers are their surfaces' beginnings. */
ze_result_t soft_append_box_copy(ze_command_list_handle_t list, void *to, const struct soft_box *to_box,
                                 const void *from, const struct soft_box *from_box, ze_event_handle_t signal,
                                 uint32_t wait_count, ze_event_handle_t *waits);

/* Makes a command for `list`; NULL: *result says why (closed list, bad event, no memory). */
struct soft_command *soft_command_new(ze_command_list_handle_t list, enum soft_command_kind kind, size_t payload,
                                      ze_event_handle_t signal, uint32_t wait_count, ze_event_handle_t *waits,
                                      ze_result_t *result);
/* Records it, or submits it when the list is immediate. Takes it over. */
ze_result_t soft_command_add(ze_command_list_handle_t list, struct soft_command *command);

#endif
