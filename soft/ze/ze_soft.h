/* ze_soft.h - shared by the files of the Level Zero driver: the objects behind the handles, and checks.
 *
 * API functions have their own names here (zeContextCreate is zeContextCreate), but are hidden: the loader finds them
 * only through the tables of tables.c. A handle is a pointer to the structure that the API's header leaves incomplete;
 * each begins with a tag that is checked on entry.
 *
 * Locks, in the order in which they may be taken: what is gone (gone.c), list of queues, queue, event/fence. None is
 * held during callbacks.
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

#if defined(SOFT_IN_PROGRAM) /* in place of the loader, see test_other_cpus.sh */
#define ZE_APIEXPORT __attribute__((visibility("default")))
#else
#define ZE_APIEXPORT __attribute__((visibility("hidden")))
#endif
#include <level_zero/ze_api.h>

#include "abi.h"
#include "build/build.h"
#include "newer.h"
#include "run/scheduler.h"
#include "spirv/spirv.h"

/* What is accepted of flags and advice. */
#define SOFT_QUEUE_FLAGS                                                                                               \
    (ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY | ZE_COMMAND_QUEUE_FLAG_IN_ORDER | ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT)
#define SOFT_LIST_FLAGS                                                                                                \
    (ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING | ZE_COMMAND_LIST_FLAG_MAXIMIZE_THROUGHPUT |                                \
     ZE_COMMAND_LIST_FLAG_EXPLICIT_ONLY | ZE_COMMAND_LIST_FLAG_IN_ORDER | ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE |         \
     ZE_COMMAND_LIST_FLAG_COPY_OFFLOAD_HINT)
#define SOFT_LAST_ADVICE ZE_MEMORY_ADVICE_CLEAR_SYSTEM_MEMORY_PREFERRED_LOCATION

#define SOFT_VENDOR_ID 0x58455449u /* "XETI": more than 16 bits, so not a PCI vendor id; Intel's is 0x8086 */
#define SOFT_DEVICE_ID 0x50f7u
#define SOFT_DRIVER_VERSION 1u
#define SOFT_LOCAL_MEMORY (128u << 10)
#define SOFT_MAX_GROUP_SIZE 1024u
#define SOFT_MAX_ARGUMENTS 4096u
#define SOFT_MAX_INPUTS 1024u /* modules in one program */
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
    SOFT_VERTEX,
    SOFT_SEMAPHORE,
    SOFT_GRAPH,
    SOFT_EXECUTABLE
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
    uint32_t part;    /* number of a sub-device, from 1; 0: the device itself */
    uint32_t threads; /* maximum threads for its kernels; 0: all */
    bool alone;       /* returned by zeDeviceGet */
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
/* An entry point that returns a property of a handle. */
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

/* Stores a text for zeDriverGetLastErrorDescription, prints it if XETILE_SOFT_DEBUG is set, returns `result`. */
ze_result_t soft_fail(ze_result_t result, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same on a queue's thread, where no one may query the error: always printed. */
ze_result_t soft_fail_loudly(ze_result_t result, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *soft_last_error(void);
/* Refuses unsupported extensions chained to a descriptor; hints are accepted. */
ze_result_t soft_check_chain(const void *next);
ze_result_t soft_check_link(const ze_base_desc_t *d); /* checks only the first of a chain */

/* deep.c: calls `body` on a stack that is large enough for work on modules. */
ze_result_t soft_deeply(ze_result_t (*body)(void *user), void *user);

/* ---- models.c: the device that this one imitates */

#define SOFT_IP(architecture, release, revision) ((architecture) << 22 | (release) << 14 | (revision))
struct soft_model {
    const char *name, *title;
    uint32_t device_id, ip;
    uint32_t threads, simd, eus, subslices, slices; /* threads per EU ..., EUs per subslice, subslices per slice */
    uint32_t least_lanes;                           /* minimum subgroup size; the maximum is 32 */
    uint32_t local_kib;                             /* of local memory; 0: as the software device */
    bool integrated, has_double, has_products, has_mx, has_blocks, has_images;
};
uint32_t soft_subgroup_size(void); /* of kernels that state none */
uint32_t soft_queue_count(void);   /* of each group */
uint32_t soft_max_group_size(void); /* work-items of a work-group */
uint32_t soft_local_memory(void);   /* bytes of a work-group */
const struct soft_model *soft_model_named(const char *name); /* NULL: there is none */
const char *soft_model_name(size_t i);                       /* of the i-th model; NULL after the last one */
/* The imitated model; NULL: none. */
const struct soft_model *soft_model(void);
bool soft_has_images(void);
/* False, with the reason in `log`, if the module needs features the model lacks. */
bool soft_model_allows(const struct soft_model *model, const struct sp_module *m, struct sp_text *log);

enum { SOFT_MAX_PARTS = 16 }; /* most sub-devices of a device, and devices of the driver */
uint32_t soft_parts_of(ze_device_handle_t device); /* the number of its sub-devices */
bool soft_is_subdevice(ze_device_handle_t device);
void soft_device_uuid(ze_device_handle_t device, uint8_t to[ZE_MAX_DEVICE_UUID_SIZE]);
bool soft_has_system_memory(void); /* may kernels use memory from malloc? */
bool soft_confines_pointers(void); /* if not, are they refused pointers to it? The checked mode reports accesses */
bool soft_is_strict(void); /* refuse what is invalid even if drivers accept it? */
bool soft_is_quick(void);  /* compile kernels in half the time, to run slower? */
void soft_look_at_settings(void); /* reports unknown settings, once per process */
bool soft_is_cpu(void); /* XETILE_SOFT_TYPE=cpu: programs that want only GPUs should skip the device */

/* ---- time: a tick is a nanosecond of CLOCK_MONOTONIC */

static inline uint64_t soft_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A condition variable with timeouts. */
struct soft_signal {
    pthread_mutex_t lock;
    pthread_cond_t changed;
};
bool soft_condition_init(pthread_cond_t *condition);
bool soft_signal_init(struct soft_signal *s);
void soft_signal_free(struct soft_signal *s);
bool soft_signal_is(struct soft_signal *s, const bool *set); /* *set, read under s->lock */
static inline size_t soft_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* Waits, with the lock held, until woken or `deadline` (soft_now's clock, UINT64_MAX: forever); false on timeout. */
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

/* ---- gone.c: what submitted work may still use */

/* In an object that the program has destroyed; `end` frees that when everything submitted before is done.
 * soft_queues_keep adds it. */
struct soft_gone {
    struct soft_gone *next;
    uint64_t until; /* this submission */
    void (*end)(struct soft_gone *g);
};
typedef void soft_keep_fn(struct soft_gone *g, void (*end)(struct soft_gone *g));
void soft_gone_add(struct soft_gone *g, void (*end)(struct soft_gone *g), uint64_t (*last)(void));
bool soft_gone_waits(void); /* is there any? */
void soft_gone_collect(uint64_t (*first)(void)); /* first, last: of all submissions that are not done */
/* The object that contains it. */
#define SOFT_OF_GONE(type, g) ((struct type *)(void *)((char *)(g) - offsetof(struct type, gone)))

/* ---- events and fences */

struct _ze_event_pool_handle_t {
    uint32_t tag;
    ze_context_handle_t context;
    ze_event_pool_flags_t flags;
    uint32_t counts; /* for counter-based events: SOFT_COUNTS_... */
    uint32_t count;
    _Atomic uint32_t references; /* the handle, and each event */
    struct soft_shared *shared; /* NULL: not shared */
    bool imported;              /* created by another process */
};

/* A counter-based event refers to the completion of the last command it was passed to: to that command's `moment`, an
 * event without a handle. Waiting commands keep the moment they were to wait for. */
struct _ze_event_handle_t {
    uint32_t tag;
    ze_event_pool_handle_t pool; /* NULL: created without one, or a moment */
    ze_event_desc_t desc;
    uint32_t counts;             /* SOFT_COUNTS_...; 0: not counter-based */
    ze_event_handle_t moment;    /* NULL: not passed to a command yet */
    struct soft_counter *outside; /* of a moment: its counter in memory that others see (counter.h); NULL: none */
    struct soft_board *board;     /* shared with other processes; NULL: not */
    bool opened;                  /* created by another process */
    _Atomic uint32_t references; /* to a moment: by the event and by commands */
    _Atomic uint64_t counter;    /* of a moment: 1 if set */
    bool timed;
    struct soft_signal signal;
    bool set;
    _Atomic uint64_t queue; /* number of the queue with a command that sets it; 0: none */
    ze_result_t result;     /* of the command that set it */
    uint64_t start, end; /* ticks */
    ze_event_handle_t shared_next; /* list of a shared pool's events */
    struct soft_gone gone;
    uint32_t change;               /* the last known change of the shared state */
    _Atomic(struct soft_branch *) branch; /* of a graph that is being captured and sets it; NULL: none */
    uint32_t recorded_at;                 /* by which of the graph's commands */
    ze_event_handle_t stand_in;           /* in that graph; of a stand-in: the event */
    ze_event_handle_t next_recorded;      /* list of a graph's events, or stand-ins */
};

struct _ze_fence_handle_t {
    uint32_t tag;
    ze_command_queue_handle_t queue;
    uint64_t number; /* of its queue, which may be destroyed before the fence */
    struct soft_signal signal;
    bool set;
    ze_result_t result;
    struct soft_gone gone;
};

/* Flags of counter-based events: those of the API, and ours. */
enum {
    SOFT_COUNTS_IMMEDIATE = 1,
    SOFT_COUNTS_REGULAR = 2,
    SOFT_COUNTS_HOST = 4,
    SOFT_COUNTS_IPC = 8,
    SOFT_COUNTS_TIMED = 0x10,
    SOFT_COUNTS_HOST_TIMED = 0x20,
    SOFT_COUNTS_GRAPH = 0x40,
    SOFT_COUNTS_ALL = 0x7f,
    SOFT_COUNTS_STAND_IN = 0x80, /* of a graph, for an event that only its commands use */
    SOFT_COUNTS_TOTAL = 0x100    /* has one moment, which several commands set together */
};

ze_event_handle_t soft_event_new(void); /* of no pool; NULL: out of memory */

/* What to wait for: the event, or the moment it refers to, kept until released; NULL: nothing. */
ze_event_handle_t soft_event_now(ze_event_handle_t event);
/* A new moment for a command, to which the event refers from now on; NULL: out of memory. */
ze_event_handle_t soft_event_next(ze_event_handle_t event);
void soft_event_release(ze_event_handle_t event); /* releases a moment; no effect on other events */
static inline void soft_event_retain(ze_event_handle_t moment) { atomic_fetch_add(&moment->references, 1); }
void soft_event_forget(ze_event_handle_t event);  /* before destroying it; soft_event_free follows */
void soft_event_free(ze_event_handle_t event);
ze_result_t soft_event_check_plain(ze_event_handle_t event, const char *what); /* refuses counter-based ones */
void soft_event_set(ze_event_handle_t event, ze_result_t result, uint64_t start, uint64_t end);
void soft_event_clear(ze_event_handle_t event);
bool soft_event_is_set(ze_event_handle_t event);
/* On the host: waits until the event is set and returns its command's result, or ZE_RESULT_NOT_READY. */
ze_result_t soft_event_result(ze_event_handle_t event, uint64_t deadline);
uint64_t soft_next_look(uint64_t since, uint64_t now); /* when to look again at memory that others write */
/* Waits until the event is set; false if `stop` is true and soft_event_wake was called. */
bool soft_event_await(ze_event_handle_t event, const atomic_bool *stop);
void soft_event_wake(ze_event_handle_t event); /* makes waiters check their `stop` */
void soft_event_follow(ze_event_handle_t event); /* adopts the state set by another process */
void soft_event_timestamp(ze_event_handle_t event, ze_kernel_timestamp_result_t *to);
void soft_fence_set(ze_fence_handle_t fence, ze_result_t result);

/* ---- callbacks.c */

struct soft_callback;
ze_result_t soft_callback_add(struct soft_callback **list, void (*call)(void *user), void *user);
void soft_callbacks_run(struct soft_callback *list); /* and frees it */

/* ---- modules and kernels */

/* SPIR-V in its own memory. */
struct soft_source {
    uint32_t *words;
    size_t count;
    struct sp_spec *spec;
    size_t spec_count;
    char *options; /* the program's options for Intel's compiler; may be NULL */
};

/* The variables of a module, by index; created when code that refers to them is loaded. */
struct soft_storage {
    _Atomic uint32_t references;
    uint32_t count;
    struct soft_variable *slot; /* module.c's own */
};

struct soft_function; /* a function whose pointer was requested */

struct _ze_module_handle_t {
    uint32_t tag;
    _Atomic uint32_t references; /* the handle, each kernel, each recorded launch */
    ze_context_handle_t context;
    ze_device_handle_t device;
    bool unlinked;            /* has imports and no object yet */
    struct jit_object object;
    uint8_t **globals;        /* by the object's rows: slots in its own and in shared storages */
    struct soft_storage *storage, **shared;
    uint32_t shared_count;
    struct jit_settings *settings; /* of when it was created */
    struct soft_source source; /* no words if it was loaded as a native binary */
    bool linkable;             /* imports or exports something */
    struct soft_source linked; /* the source together with those of the modules it was linked with */
    struct sp_module *parsed;  /* for modules with imports: the kernels' names */
    struct soft_function *functions;
    pthread_mutex_t versions_lock; /* for the next two */
    struct soft_version *versions; /* of its kernels, besides the usual ones in `object` */
    struct jit_object whole;       /* for native binaries: kernels in one version each */
};

/* With several drivers, the loader wraps our handles in its own objects, but forgets to do so for the log of a failed
 * build. It then interprets our log as such an object: a handle and tables (seen in 1.8), or tables of another form
 * (1.32). Programs read that log, so logs begin with what both versions expect.
 */
enum { SOFT_CORE_TABLES = 34 };
struct soft_log_face { /* as 1.32 begins its objects */
    uint32_t version;
    uint8_t is_valid;
    const void *tables[SOFT_CORE_TABLES];
    ze_module_build_log_handle_t log;
};

struct _ze_module_build_log_handle_t {
    struct soft_log_face *face; /* 1.8: the handle passed back to us; 1.32: the tables */
    const void *tables;         /* 1.8 */
    struct soft_log_face own;
    uint32_t tag;
    struct sp_text text;
};

struct _ze_kernel_handle_t {
    uint32_t tag;
    ze_module_handle_t module;
    const struct xs_kernel *code;
    uint8_t *args; /* for local memory parameters: the size */
    bool *given;   /* whether each argument has been set */
    uint32_t group_size[3], offset[3];
    ze_kernel_indirect_access_flags_t indirect;
    ze_kernel_handle_t next; /* of soft_recorded's `replaced` */
};

void soft_log_serve(unsigned minor); /* the version of the API, 1.minor, that the loader knows */
ze_module_build_log_handle_t soft_log_new(void);
ze_result_t soft_log_deliver(ze_result_t result, const char *what, ze_module_build_log_handle_t log,
                             ze_module_build_log_handle_t *wanted);
void soft_module_retain(ze_module_handle_t module);
void soft_module_release(ze_module_handle_t module);
/* Places the variables of a loaded object. origins: the storage of each (0: the module's own); NULL: all its own. */
bool soft_module_place_globals(ze_module_handle_t module, const struct sp_link_origin *origins);
/* ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED while imports are unresolved; `what` names the request. */
ze_result_t soft_module_check_linked(ze_module_handle_t module, const char *what);
void soft_module_unlink(ze_module_handle_t module); /* reverts it to the state without an object */
/* A function whose address a program has asked for. */
struct soft_function {
    struct soft_function *next;
    struct jit_object object;
    char name[];
};
/* The SPIR-V that its object is built from. */
static inline const struct soft_source *soft_module_source(ze_module_handle_t m)
{
    return m->linked.words ? &m->linked : &m->source;
}
extern pthread_mutex_t soft_link_lock; /* held while filling and sharing storages, and compiling functions */

/* build.c. Sources may be freed whether zeroed or filled. */
ze_result_t soft_source_read(const ze_module_desc_t *desc, struct soft_source *source, struct sp_text *log);
void soft_source_free(struct soft_source *source);
bool soft_source_has_linkage(const struct soft_source *source); /* exports or imports */
bool soft_source_has_imports(const struct soft_source *source);
/* What to build of a module. Zeroed: all kernels, in their usual versions. */
struct soft_part {
    const char *function; /* only this exported function */
    bool whole;           /* all kernels, in one version each that runs all launches */
    uint32_t kernel;      /* index + 1: only this kernel ... */
    uint32_t version;     /* ... in this version (passes/versions.h) */
};
/* Builds a part of a module, with its settings. */
ze_result_t soft_module_build(ze_module_handle_t m, const struct soft_part *part, struct jit_object *object,
                              struct sp_text *log);

/* versions.c */
/* The version of a kernel that a launch needs; built if it is the first to need it. `usual` is the module's. Errors: as
 * those of building a module. */
ze_result_t soft_version_for(ze_module_handle_t m, const struct xs_kernel *usual, const uint8_t *args,
                             const uint32_t *local_size, const struct xs_kernel **to);
void soft_versions_free(ze_module_handle_t m);
/* The object for native binaries. */
ze_result_t soft_module_whole(ze_module_handle_t m, const struct jit_object **object);

/* ---- memory */

/* The allocation that contains an address. */
struct soft_allocation {
    void *base;
    size_t size, page;
    ze_memory_type_t type;
    uint64_t id;
};
bool soft_memory_find(const void *pointer, struct soft_allocation *to); /* false: none */
bool soft_memory_reveal(const void *pointer); /* to the host: see hidden.c */
/* A module's variable, which is device memory but not the program's to free or share. False: out of memory. */
bool soft_memory_add_variable(void *base, size_t size);
void soft_memory_remove_variable(const void *base); /* safe if it was not added */
/* What the program wants to be called with when an allocation is freed. */
struct soft_on_free {
    void (*call)(void *user);
    void *user;
};
bool soft_memory_on_free(const void *pointer, struct soft_on_free callback); /* false: not in an allocation */
/* Is [pointer, pointer + size) inside our allocations, or disjoint from all of them? */
bool soft_range_fits(const void *pointer, size_t size);
/* Frees the allocation when everything submitted so far is done: `keep` is soft_queues_keep. */
ze_result_t soft_memory_free_later(void *pointer, soft_keep_fn *keep);

/* ---- hidden.c: device memory that the host cannot access; these do nothing elsewhere than in the modes for it */

struct soft_hidden;
struct soft_hidden *soft_hide(void *base, size_t size, size_t pages); /* NULL: it stays accessible */
void soft_hidden_free(struct soft_hidden *h); /* before its pages; it may be NULL here, too */
void soft_hidden_reveal(struct soft_hidden *h); /* for good */
void soft_hidden_open(void);  /* around what the device does with memory */
void soft_hidden_close(void);

/* ---- pages.c: whole pages between guards */

struct soft_pages {
    uint8_t *base;
    size_t size, guard;
    int file;      /* for mapping by other processes; -1: none */
    bool borrowed; /* the program's, which it keeps */
};
uint64_t soft_memory_bytes(void);       /* of the machine */
uint64_t soft_largest_allocation(void); /* unless the program relaxes the limit */
size_t soft_whole_granules(size_t size); /* of an allocation: its accessible bytes */
bool soft_pages_new(struct soft_pages *p, size_t size, size_t alignment);
/* The accessible bytes are the same as for the process that shares the file. Takes ownership of it, unless false. */
bool soft_pages_open(struct soft_pages *p, int file, size_t size);
bool soft_pages_share(struct soft_pages *p);                       /* moves them to a file, keeping their contents */
void soft_pages_free(struct soft_pages *p);

/* ---- ipc.c: contents of IPC handles */

enum { SOFT_IPC_MEMORY = 1, SOFT_IPC_EVENTS, SOFT_IPC_COUNTER };
struct soft_ipc {
    int32_t file; /* first, because programs store a received descriptor here */
    uint32_t magic, kind;
    int32_t process;
    uint64_t device, inode, size; /* of the file, to detect a reused descriptor number; the size */
    uint32_t type;
};
bool soft_ipc_describe(struct soft_ipc *to, int file, uint32_t kind);
ze_result_t soft_ipc_open(const struct soft_ipc *ipc, uint32_t kind, int *file);

/* event_ipc.c: event pools shared between processes */
struct soft_shared;
struct soft_change {
    uint32_t number;
    bool set;
    ze_result_t result;
    uint64_t start, end;
};
typedef void soft_follow_fn(ze_event_handle_t event); /* makes the event follow its shared state */
struct soft_shared *soft_shared_new(uint32_t count, uint32_t flags, soft_follow_fn *fn);
struct soft_shared *soft_shared_open(const struct soft_ipc *from, int file, soft_follow_fn *fn, uint32_t *count,
                                     uint32_t *flags); /* takes ownership of the file */
bool soft_shared_describe(const struct soft_shared *s, struct soft_ipc *to);
void soft_shared_free(struct soft_shared *s);
void soft_shared_attach(struct soft_shared *s, ze_event_handle_t e);
void soft_shared_detach(struct soft_shared *s, ze_event_handle_t e);
struct soft_change soft_shared_look(const struct soft_shared *s, uint32_t index); /* with the event's lock held */
/* Notifies other processes; returns the number of the change. Called with the event's lock held. */
uint32_t soft_shared_change(struct soft_shared *s, uint32_t index, bool set, ze_result_t result, uint64_t start,
                            uint64_t end);
/* For physical memory, given by its handle or a mapping of its beginning; false: not physical memory. */
bool soft_virtual_share(const void *pointer, struct soft_ipc *to);
ze_result_t soft_memory_share(const void *pointer, struct soft_ipc *to);
uint64_t soft_virtual_id(const void *pointer); /* of the physical memory mapped there; 0: none */
bool soft_virtual_accessible(const void *pointer); /* is it mapped, with access? */
/* For the memory that a file represents. */
bool soft_virtual_share_file(int file, struct soft_ipc *to);
bool soft_memory_share_file(int file, struct soft_ipc *to);
bool soft_is_same_file(int a, int b);
/* The extensions of a memory descriptor. */
struct soft_memory_chain {
    int file;                                          /* to import; -1: none */
    const ze_external_memmap_sysmem_ext_desc_t *system; /* the program's memory; NULL: none */
    bool relaxed;                                      /* may be larger than the device's maxMemAllocSize */
};
ze_result_t soft_read_memory_chain(const void *next, struct soft_memory_chain *to);
/* The chained structure that requests a file descriptor; NULL: none. */
ze_external_memory_export_fd_t *soft_wanted_file(void *next);
ze_result_t soft_give_file(ze_external_memory_export_fd_t *to, int file); /* a new one, owned by the program */
ze_result_t soft_share(const void *pointer, struct soft_ipc *to);         /* memory of either kind */
ze_result_t soft_memory_open(const struct soft_ipc *from, int file, void **pointer);
ze_result_t soft_memory_close(const void *pointer);
/* A unique number among allocations and images. */
uint64_t soft_memory_id(void);

/* ---- images and samplers */

struct _ze_image_handle_t {
    uint32_t tag;
    struct xs_image image;     /* what kernels receive ... */
    struct xs_sampler sampler; /* ... followed by this for bindless sampled images */
    bool bindless;
    uint32_t texel; /* bytes per texel */
    uint64_t id;
    struct soft_pages pages; /* no base: the image is in the program's memory or another image's */
    struct soft_gone gone;
};

struct _ze_sampler_handle_t {
    uint32_t tag;
    struct soft_gone gone;
    struct xs_sampler sampler; /* what kernels receive */
};

/* intel.c: functions of Intel's driver that are in no header of Level Zero. */
ze_result_t zeIntelGetDriverVersionString(ze_driver_handle_t driver, char *text, size_t *size);
ze_result_t zeDeviceGetPriorityLevels(ze_device_handle_t device, int32_t *lowest, int32_t *highest);
ze_result_t zeKernelGetModuleHandleExt(ze_kernel_handle_t kernel, ze_module_handle_t *module);
ze_result_t zeModuleGetDeviceHandleExt(ze_module_handle_t module, ze_device_handle_t *device);
ze_result_t zexKernelGetBaseAddress(ze_kernel_handle_t kernel, uint64_t *address);
ze_result_t zexKernelGetArgumentSize(ze_kernel_handle_t kernel, uint32_t index, uint32_t *size);
ze_result_t zexKernelGetArgumentType(ze_kernel_handle_t kernel, uint32_t index, uint32_t *size, char *to);
ze_result_t zexCommandListSetCleanupCallback(ze_command_list_handle_t list, void (*call)(void *user), void *user,
                                             const void *chain);
ze_result_t zexMemGetIpcHandles(ze_context_handle_t context, const void *pointer, uint32_t *count,
                                ze_ipc_mem_handle_t *handles);
ze_result_t zexMemOpenIpcHandles(ze_context_handle_t context, ze_device_handle_t device, uint32_t count,
                                 ze_ipc_mem_handle_t *handles, ze_ipc_memory_flags_t flags, void **pointer);
ze_result_t zeIntelMemMapDeviceMemToHost(ze_context_handle_t context, const void *pointer, void **mapped, void *chain);
ze_result_t zexDriverImportExternalPointer(ze_driver_handle_t driver, void *pointer, size_t size);
ze_result_t zexDriverReleaseImportedPointer(ze_driver_handle_t driver, void *pointer);
ze_result_t zexDriverGetHostPointerBaseAddress(ze_driver_handle_t driver, void *pointer, void **base);
struct soft_free_desc;
ze_result_t zexMemFreeRegisterCallbackExt(ze_context_handle_t context, const struct soft_free_desc *desc,
                                          void *pointer);
struct soft_wait_desc;
ze_result_t zexCommandListAppendWaitOnMemory(ze_command_list_handle_t list, const struct soft_wait_desc *desc,
                                             void *at, uint32_t value, ze_event_handle_t signal);
ze_result_t zexCommandListAppendWaitOnMemory64(ze_command_list_handle_t list, const struct soft_wait_desc *desc,
                                               void *at, uint64_t value, ze_event_handle_t signal);
ze_result_t zexCommandListAppendWriteToMemory(ze_command_list_handle_t list, const void *desc, void *at,
                                              uint64_t value);
ze_result_t zexCommandListAppendMemoryCopyWithParameters(ze_command_list_handle_t list, void *to, const void *from,
                                                         size_t size, const void *chain, uint32_t wait_count,
                                                         ze_event_handle_t *waits, ze_event_handle_t signal);
ze_result_t zexCommandListAppendMemoryFillWithParameters(ze_command_list_handle_t list, void *to, const void *pattern,
                                                         size_t pattern_size, size_t size, const void *chain,
                                                         ze_event_handle_t signal, uint32_t wait_count,
                                                         ze_event_handle_t *waits);

/* ---- commands */

/* A box of bytes in a surface. */
struct soft_box {
    ze_copy_region_t region;
    size_t pitch, slice; /* bytes from a row or slice to the next */
};

enum soft_command_kind {
    SOFT_CMD_NOTHING, /* barriers, signals, waits, advice: only events */
    SOFT_CMD_TIMESTAMP,
    SOFT_CMD_COPY,
    SOFT_CMD_FILL,
    SOFT_CMD_COPY_REGION,
    SOFT_CMD_RESET_EVENT,
    SOFT_CMD_QUERY_TIMESTAMPS,
    SOFT_CMD_LAUNCH,
    SOFT_CMD_HOST_FUNCTION,
    SOFT_CMD_WAIT_ON_MEMORY,
    SOFT_CMD_WRITE_TO_MEMORY
};

struct soft_launch {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel; /* for mutable commands: a copy of the original kernel; or NULL */
    struct sched_launch launch;       /* args point into the command's payload */
    const ze_group_count_t *indirect; /* group counts, read when it runs */
    const uint32_t *count;            /* multiple kernels: run only when index < *count */
    uint32_t index;
};

/* What a number in memory must be, compared with the value of the command. */
enum soft_until {
    SOFT_EQUAL = 1,
    SOFT_NOT_EQUAL = 2,
    SOFT_GREATER = 4,
    SOFT_GREATER_OR_EQUAL = 8,
    SOFT_LESS = 16,
    SOFT_LESS_OR_EQUAL = 32
};

/* One block of memory: the command, its wait events, its payload (arguments, pattern, offsets). */
struct soft_command {
    struct soft_command *next;
    enum soft_command_kind kind;
    uint64_t id; /* for changes by the program; 0: immutable */
    ze_event_handle_t signal;
    bool signals_moment; /* which the command must release */
    bool recorded;       /* into a graph: a pattern for those that run */
    uint32_t wait_count, moments, wait_room;
    ze_event_handle_t *waits; /* moments first, also owned by the command */
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
            size_t own; /* bytes of the payload, if that is the user's data, which begin with &queue.stop; else 0 */
        } host;
        struct {
            void *at;
            uint64_t value;
            uint32_t until; /* of a wait: one of enum soft_until */
            bool wide;      /* 64 bits */
        } word;
        struct soft_launch launch;
    } u;
};

/* The commands of a list. The list refers to them, and so does each submission, as a program may destroy or reset the
 * list, and the kernels and modules that it launches, while they run. */
struct soft_recorded {
    _Atomic uint32_t references;
    struct soft_command *first, **last;
    ze_kernel_handle_t replaced; /* copies of kernels that a running launch may still use, in a list */
};
struct soft_recorded *soft_recorded_new(void); /* NULL: out of memory */
void soft_recorded_retain(struct soft_recorded *r);
void soft_recorded_release(struct soft_recorded *r);
void soft_recorded_replace(struct soft_recorded *r, ze_kernel_handle_t kernel); /* destroys it, or later if running */

void soft_command_free(struct soft_command *command);
/* Frees commands that will not run; counter-based events that they were to set are set, with this result. */
void soft_command_abandon(struct soft_command *command, ze_result_t result);
struct soft_queue;
/* A command for that queue from a recorded one; counter-based events are now passed to it. NULL: out of memory. */
struct soft_command *soft_command_clone(const struct soft_command *recorded, const struct soft_queue *q);
ze_result_t soft_check_events(ze_command_list_handle_t list, ze_event_handle_t signal, uint32_t wait_count,
                              ze_event_handle_t *waits);
bool soft_command_signals(struct soft_command *c, ze_event_handle_t event); /* false: out of memory */
/* At most as many as at creation; NULL entries are dropped. */
void soft_command_awaits(struct soft_command *c, uint32_t count, ze_event_handle_t *events);
/* Records the kernel's current state, with arguments at `args`, to be run by `code`, the version for them. */
void soft_launch_take(struct soft_launch *to, ze_kernel_handle_t kernel, const struct xs_kernel *code,
                      const uint8_t *args);
/* The version of the kernel for its current state, with which it can be launched. */
bool soft_has_arguments(ze_kernel_handle_t kernel); /* are all set? */
ze_result_t soft_check_arguments(ze_kernel_handle_t kernel);
ze_result_t soft_launch_version(ze_kernel_handle_t kernel, const struct xs_kernel **code);
void soft_launch_count(struct soft_launch *to, const ze_group_count_t *count);
ze_result_t soft_kernel_copy(ze_kernel_handle_t kernel, ze_kernel_handle_t *copy); /* including its arguments */
/* May it wait for something that other queues or the program do? */
static inline bool soft_command_may_block(const struct soft_command *c)
{
    return c->kind == SOFT_CMD_HOST_FUNCTION || c->kind == SOFT_CMD_WAIT_ON_MEMORY;
}
/* Runs it, with the urgency of its queue, and sets its event. ZE_RESULT_NOT_READY: it waited until `stop`. */
ze_result_t soft_command_run(struct soft_command *command, int urgency, const atomic_bool *stop);

/* ---- queues: shared by command queues and immediate command lists */

struct soft_work; /* one submission */

/* What a queue's thread does: it is up, sleeps until it is called, or naps, after which it looks for work itself. LED
 * is a nap, too: it leaves the first submission to the thread that runs another queue. */
enum soft_rest { SOFT_UP, SOFT_ASLEEP, SOFT_NAPPING, SOFT_LED };

struct soft_queue {
    uint64_t number; /* from 1, never reused */
    struct soft_signal signal;
    pthread_cond_t work; /* for its thread; other threads wait for the signal */
    struct soft_work *first, **last;
    _Atomic uint64_t first_number; /* the first submission's; UINT64_MAX: none */
    uint64_t submitted, completed;
    bool busy, started;
    enum soft_rest rest; /* of its thread */
    unsigned naps;       /* naps left before it sleeps */
    atomic_bool stop;
    ze_event_handle_t awaited; /* by the running command; NULL: none */
    ze_result_t failed; /* reported once, by the next synchronisation */
    pthread_t thread;
    struct soft_queue *next, **link; /* in the list of all queues */
    unsigned held;                   /* number of threads that keep it from being freed; under that list's lock */
    ze_device_handle_t device;
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
    bool immediate, closed, signals; /* signals: a command sets an event */
    bool can_change;                 /* commands with ids are mutable */
    uint64_t last_id, next_id;       /* of the next command; 0: none */
    _Atomic(struct soft_branch *) branch; /* of the graph that is being captured from it; NULL: none */
    struct soft_recorded *recorded; /* empty if it is immediate */
    struct soft_callback *callbacks; /* before it is freed */
    struct soft_queue queue; /* immediate lists only */
};

ze_result_t soft_queue_check_desc(const ze_command_queue_desc_t *desc);
ze_result_t soft_queue_init(struct soft_queue *q, ze_device_handle_t device, const ze_command_queue_desc_t *desc);
void soft_queue_free(struct soft_queue *q);
enum { SOFT_HIGHEST_PRIORITY = -1, SOFT_LOWEST_PRIORITY = 1 }; /* as numbers */
int soft_queue_urgency(const struct soft_queue *q); /* from its priority: -1, 0 or 1 */
/* Takes ownership of `command` (an immediate list's, may be NULL), and refers to the commands of the lists. Runs or
 * queues it by the mode. */
ze_result_t soft_queue_submit(struct soft_queue *q, struct soft_command *command, uint32_t list_count,
                              ze_command_list_handle_t *lists, ze_fence_handle_t fence);
ze_result_t soft_queue_synchronize(struct soft_queue *q, uint64_t timeout);
/* For a thread waiting for `set` (under `signal`'s lock), which the queue with this number sets: runs what precedes it
 * on this thread, as far as possible without waiting. The rest is left to the queue's thread, which is notified. */
void soft_queue_help(uint64_t number, struct soft_signal *signal, const bool *set);
/* For polling threads: makes the queue's thread begin now. */
void soft_queue_hurry(uint64_t number);
/* Waits until everything submitted so far, to any queue, is done. */
void soft_queues_drain(void);
/* Submissions to all queues are numbered: the last number, and the first that is not done (UINT64_MAX: none). */
uint64_t soft_queues_last(void);
uint64_t soft_queues_first(void);
/* Calls `end` when everything submitted before is done, which may be now. */
soft_keep_fn soft_queues_keep;

/* Appends the copy of a box to another of the same size; both pointers are the beginnings of surfaces. */
ze_result_t soft_append_box_copy(ze_command_list_handle_t list, void *to, const struct soft_box *to_box,
                                 const void *from, const struct soft_box *from_box, ze_event_handle_t signal,
                                 uint32_t wait_count, ze_event_handle_t *waits);

/* Creates a command for `list`; NULL: *result is the reason (bad event, out of memory), or success: the list is closed,
 * so the command would never run. */
struct soft_command *soft_command_new(ze_command_list_handle_t list, enum soft_command_kind kind, size_t payload,
                                      ze_event_handle_t signal, uint32_t wait_count, ze_event_handle_t *waits,
                                      ze_result_t *result);
/* Records it, or submits it if the list is immediate. Takes ownership. */
ze_result_t soft_command_add(ze_command_list_handle_t list, struct soft_command *command);

/* ---- capture.c: recording commands into graphs */

extern _Atomic uint32_t soft_captures ZE_APIEXPORT; /* how many graphs are being captured */
static inline bool soft_capturing(void) { return atomic_load_explicit(&soft_captures, memory_order_relaxed) != 0; }
/* Before a command is created: whether it is recorded. It may be the first that this list contributes to a graph. */
ze_result_t soft_capture_enter(ze_command_list_handle_t list, ze_event_handle_t signal, uint32_t wait_count,
                               ze_event_handle_t *waits, bool *recorded);
/* The events of a recorded command. Those that mean nothing outside the graph are replaced by the graph's stand-ins as
 * signals, and dropped as waits, as commands run in the order of recording. False: out of memory. */
bool soft_capture_events(struct soft_command *c, ze_command_list_handle_t list, ze_event_handle_t signal,
                         uint32_t wait_count, ze_event_handle_t *waits);
ze_result_t soft_capture_add(ze_command_list_handle_t list, struct soft_command *command); /* takes it on success */
/* Refuses what cannot be recorded, if the list is captured or would be by waiting for these events. */
ze_result_t soft_capture_refuse(ze_command_list_handle_t list, uint32_t wait_count, ze_event_handle_t *waits);
void soft_capture_forget(ze_event_handle_t event); /* before it is destroyed */
/* Before a list is destroyed: returns the graph whose capture began on it and ends with it; NULL: none. */
struct _ze_graph_handle_t *soft_capture_lose(ze_command_list_handle_t list);
void soft_graph_lose(ze_command_list_handle_t list); /* graph.c: the same, and destroys that graph if nobody has it */

#endif
