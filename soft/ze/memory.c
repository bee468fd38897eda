/* memory.c - unified shared memory. All kinds are pages of host memory (pages.c); a tree of allocations finds the one
 * that contains a pointer.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/check.h"
#include "check/tree.h"
#include "ze_soft.h"

#define HUGE_PAGE ((size_t)2 << 20)
#define MAX_ALIGNMENT ((size_t)1 << 30)

struct allocation {
    struct tree_node node; /* with its address */
    size_t size;
    ze_memory_type_t type;
    enum owner { ALLOCATED, OPENED, VARIABLE } owner; /* opened from another process's handle: closed, not freed */
    bool huge;
    bool has_atomics;  /* set by the program: */
    uint32_t atomics;  /* ze_memory_atomic_attr_exp_flags_t, without effect */
    struct soft_on_free on_free;
    uint64_t id;
    struct soft_pages pages;
    struct soft_hidden *hidden; /* NULL: the host may access it */
};

static struct {
    pthread_rwlock_t lock;
    struct tree all;
} table = {.lock = PTHREAD_RWLOCK_INITIALIZER};

uint64_t soft_memory_id(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add(&last, 1) + 1;
}

/* The allocation that contains the address; NULL: none. table.lock held. */
static struct allocation *find(const void *pointer)
{
    uintptr_t address = (uintptr_t)pointer;
    struct tree_node *n = tree_upto(&table.all, address);
    struct allocation *a = n ? TREE_OF(struct allocation, n) : NULL;
    return a && address - n->base < a->size ? a : NULL;
}

/* A copy of it goes into the table; false: out of memory. */
static bool insert(const struct allocation *from)
{
    struct allocation *a = malloc(sizeof *a);
    if (!a) return false;
    *a = *from;
    a->id = soft_memory_id();
    pthread_rwlock_wrlock(&table.lock);
    tree_insert(&table.all, &a->node);
    pthread_rwlock_unlock(&table.lock);
    return true;
}

/* Moves the allocation that begins at `pointer` from the table to `to`. */
static bool take_out(const void *pointer, enum owner owner, struct allocation *to)
{
    struct allocation *a;
    bool ok;
    pthread_rwlock_wrlock(&table.lock);
    a = find(pointer);
    ok = a && a->node.base == (uintptr_t)pointer && a->owner == owner;
    if (ok) tree_remove(&table.all, &a->node);
    pthread_rwlock_unlock(&table.lock);
    if (!ok) return false;
    *to = *a;
    free(a);
    return true;
}

bool soft_range_fits(const void *pointer, size_t size)
{
    struct allocation *a;
    bool ok;
    pthread_rwlock_rdlock(&table.lock);
    a = find(pointer);
    ok = !a || size <= a->size - ((uintptr_t)pointer - a->node.base);
    pthread_rwlock_unlock(&table.lock);
    return ok;
}

bool soft_memory_find(const void *pointer, struct soft_allocation *to)
{
    const struct allocation *a;
    pthread_rwlock_rdlock(&table.lock);
    a = find(pointer);
    if (a)
        *to = (struct soft_allocation){.base = (void *)a->node.base,
                                       .size = a->size,
                                       .page = a->huge ? HUGE_PAGE : soft_page_size(),
                                       .type = a->type,
                                       .id = a->id};
    pthread_rwlock_unlock(&table.lock);
    return a != NULL;
}

bool soft_memory_reveal(const void *pointer)
{
    struct allocation *a;
    pthread_rwlock_wrlock(&table.lock);
    a = find(pointer);
    if (a) soft_hidden_reveal(a->hidden);
    pthread_rwlock_unlock(&table.lock);
    return a != NULL;
}

static void give_back(struct allocation *a)
{
    check_memory_remove(a->pages.base, 1);
    soft_hidden_free(a->hidden);
    soft_pages_free(&a->pages);
}

/* ---- allocating */

static ze_result_t allocate(ze_memory_type_t type, size_t size, size_t alignment, bool relaxed, void **to)
{
    const uint64_t most = relaxed ? soft_memory_bytes() : soft_largest_allocation();
    struct allocation a = {.size = size, .type = type, .huge = size >= HUGE_PAGE};
    void *base;
    *to = NULL;
    if (!size) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    if (size > most)
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "%zu bytes: more than %s, %llu", size,
                         relaxed ? "the machine has" : "maxMemAllocSize", (unsigned long long)most);
    if (alignment > MAX_ALIGNMENT)
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "alignment %zu", alignment);
    while (alignment & (alignment - 1)) alignment += alignment & -alignment; /* Intel's driver takes any, like 12 */
    if (a.huge && alignment < HUGE_PAGE) alignment = HUGE_PAGE;
    if (!soft_pages_new(&a.pages, soft_whole_granules(size) + (check_level() ? CHECK_MARGIN : 0), alignment))
        return type == ZE_MEMORY_TYPE_HOST ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    base = a.pages.base;
#ifdef MADV_HUGEPAGE
    if (a.huge) madvise(base, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); /* fewer TLB misses; may fail */
#endif
    a.node.base = (uintptr_t)base;
    check_memory_add(base, size, type == ZE_MEMORY_TYPE_DEVICE   ? CHECK_DEVICE
                                 : type == ZE_MEMORY_TYPE_SHARED ? CHECK_SHARED
                                                                 : CHECK_HOST);
    if (type == ZE_MEMORY_TYPE_DEVICE) a.hidden = soft_hide(base, size, a.pages.size);
    if (!insert(&a)) {
        give_back(&a);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *to = base;
    return ZE_RESULT_SUCCESS;
}

/* Maps a file that is memory of another process or driver. */
static ze_result_t map_file(struct allocation a, int file, void **pointer)
{
    if (!a.size || !soft_pages_open(&a.pages, file, a.size)) {
        if (file >= 0) close(file);
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the object to open is not memory of this size");
    }
    a.node.base = (uintptr_t)a.pages.base;
    if (!insert(&a)) {
        soft_pages_free(&a.pages);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    check_memory_add(a.pages.base, a.size, CHECK_VIRTUAL); /* others write it too */
    *pointer = a.pages.base;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t import(ze_memory_type_t type, size_t size, int file, void **to)
{
    struct allocation a = {.size = size, .type = type};
    *to = NULL;
    return map_file(a, fcntl(file, F_DUPFD_CLOEXEC, 0), to); /* the program keeps its own descriptor */
}

/* Host memory that is the program's own. */
static ze_result_t borrow(const ze_external_memmap_sysmem_ext_desc_t *from, size_t size, size_t alignment, void **to)
{
    void *memory = (void *)(uintptr_t)from->pSystemMemory; /* const in some headers */
    const uintptr_t base = (uintptr_t)memory;
    struct allocation a = {.node = {.base = base}, .size = size, .type = ZE_MEMORY_TYPE_HOST};
    const struct tree_node *after;
    bool taken;
    a.pages = (struct soft_pages){.base = memory, .size = size, .file = -1, .borrowed = true};
    if (!memory || base % soft_page_size())
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p does not begin a page", memory);
    if (!size || size > from->size || from->size % soft_page_size())
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "%zu of %llu bytes, which must be whole pages", size,
                         (unsigned long long)from->size);
    if (alignment && base % alignment)
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "%p is not aligned to %zu", memory,
                         alignment);
    pthread_rwlock_rdlock(&table.lock);
    after = tree_after(&table.all, base);
    taken = find(memory) || (after && after->base - base < size);
    pthread_rwlock_unlock(&table.lock);
    if (taken)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is in an allocation already", memory);
    if (!insert(&a)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    check_memory_add(memory, size, CHECK_BORROWED); /* it keeps what the program wrote */
    *to = memory;
    return ZE_RESULT_SUCCESS;
}

bool soft_memory_add_variable(void *base, size_t size)
{
    struct allocation a = {.node = {.base = (uintptr_t)base}, .size = size, .type = ZE_MEMORY_TYPE_DEVICE};
    a.owner = VARIABLE;
    a.pages = (struct soft_pages){.base = base, .size = size, .file = -1, .borrowed = true};
    if (!insert(&a)) return false;
    check_memory_add(base, size, CHECK_PROGRAM);
    return true;
}

void soft_memory_remove_variable(const void *base)
{
    struct allocation removed;
    if (take_out(base, VARIABLE, &removed)) check_memory_remove(base, 1);
}

bool soft_memory_on_free(const void *pointer, struct soft_on_free callback)
{
    struct allocation *a;
    pthread_rwlock_wrlock(&table.lock);
    a = find(pointer);
    if (a) a->on_free = callback;
    pthread_rwlock_unlock(&table.lock);
    return a != NULL;
}

#define DEVICE_FLAGS                                                                                                   \
    (ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_CACHED | ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_UNCACHED |                                   \
     ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT)
#define HOST_FLAGS                                                                                                     \
    (ZE_HOST_MEM_ALLOC_FLAG_BIAS_CACHED | ZE_HOST_MEM_ALLOC_FLAG_BIAS_UNCACHED |                                       \
     ZE_HOST_MEM_ALLOC_FLAG_BIAS_WRITE_COMBINED | ZE_HOST_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT)

static ze_result_t read_device_desc(const ze_device_mem_alloc_desc_t *d, struct soft_memory_chain *chain)
{
    SOFT_POINTER(d);
    SOFT_FLAGS(d->flags, DEVICE_FLAGS);
    SOFT_TRY(soft_read_memory_chain(d->pNext, chain)); /* any ordinal: there is one memory */
    if (!chain->system) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "only host memory is made of the program's");
}

static ze_result_t read_host_desc(const ze_host_mem_alloc_desc_t *d, struct soft_memory_chain *chain)
{
    SOFT_POINTER(d);
    SOFT_FLAGS(d->flags, HOST_FLAGS);
    return soft_read_memory_chain(d->pNext, chain);
}

ze_result_t zeMemAllocShared(ze_context_handle_t context, const ze_device_mem_alloc_desc_t *device_desc,
                             const ze_host_mem_alloc_desc_t *host_desc, size_t size, size_t alignment,
                             ze_device_handle_t device, void **pointer)
{
    struct soft_memory_chain on_device, on_host;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    if (device) SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_TRY(read_device_desc(device_desc, &on_device));
    SOFT_TRY(read_host_desc(host_desc, &on_host));
    SOFT_POINTER(pointer);
    if (on_device.file >= 0 || on_host.file >= 0 || on_host.system)
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "shared memory is not imported");
    return allocate(ZE_MEMORY_TYPE_SHARED, size, alignment, on_device.relaxed || on_host.relaxed, pointer);
}

ze_result_t zeMemAllocDevice(ze_context_handle_t context, const ze_device_mem_alloc_desc_t *desc, size_t size,
                             size_t alignment, ze_device_handle_t device, void **pointer)
{
    struct soft_memory_chain chain;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_TRY(read_device_desc(desc, &chain));
    SOFT_POINTER(pointer);
    if (chain.file >= 0) return import(ZE_MEMORY_TYPE_DEVICE, size, chain.file, pointer);
    return allocate(ZE_MEMORY_TYPE_DEVICE, size, alignment, chain.relaxed, pointer);
}

ze_result_t zeMemAllocHost(ze_context_handle_t context, const ze_host_mem_alloc_desc_t *desc, size_t size,
                           size_t alignment, void **pointer)
{
    struct soft_memory_chain chain;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_TRY(read_host_desc(desc, &chain));
    SOFT_POINTER(pointer);
    if (chain.system) return borrow(chain.system, size, alignment, pointer);
    if (chain.file >= 0) return import(ZE_MEMORY_TYPE_HOST, size, chain.file, pointer);
    return allocate(ZE_MEMORY_TYPE_HOST, size, alignment, chain.relaxed, pointer);
}

/* ---- freeing */

/* The program's callback finds the allocation as it was. */
static void announce(const void *pointer, enum owner owner)
{
    struct soft_on_free c = {NULL, NULL};
    struct allocation *a;
    pthread_rwlock_wrlock(&table.lock);
    a = find(pointer);
    if (a && a->node.base == (uintptr_t)pointer && a->owner == owner) {
        c = a->on_free;
        a->on_free.call = NULL;
    }
    pthread_rwlock_unlock(&table.lock);
    if (c.call) c.call(c.user);
}

static ze_result_t forget(void *pointer, struct allocation *to)
{
    announce(pointer, ALLOCATED);
    if (take_out(pointer, ALLOCATED, to)) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not an allocation", pointer);
}

ze_result_t zeMemFree(ze_context_handle_t context, void *pointer)
{
    struct allocation freed;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(pointer);
    SOFT_TRY(forget(pointer, &freed));
    give_back(&freed);
    return ZE_RESULT_SUCCESS;
}

struct deferred {
    struct allocation freed;
    struct soft_gone gone;
};

static void free_deferred(struct soft_gone *g)
{
    struct deferred *d = SOFT_OF_GONE(deferred, g);
    give_back(&d->freed);
    free(d);
}

ze_result_t soft_memory_free_later(void *pointer, soft_keep_fn *keep)
{
    struct deferred *d = calloc(1, sizeof *d);
    ze_result_t result = d ? forget(pointer, &d->freed) : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (result == ZE_RESULT_SUCCESS)
        keep(&d->gone, free_deferred);
    else
        free(d);
    return result;
}

/* ---- for other processes */

/* table.lock held. */
static bool share(struct allocation *a, struct soft_ipc *to)
{
    soft_hidden_reveal(a->hidden); /* other processes are not stopped either */
    if (!soft_pages_share(&a->pages) || !soft_ipc_describe(to, a->pages.file, SOFT_IPC_MEMORY)) return false;
    to->size = a->size;
    to->type = (uint32_t)a->type;
    return true;
}

bool soft_memory_share_file(int file, struct soft_ipc *to)
{
    bool shared = false;
    pthread_rwlock_wrlock(&table.lock);
    TREE_EACH (n, &table.all) {
        struct allocation *a = TREE_OF(struct allocation, n);
        shared = a->pages.file >= 0 && soft_is_same_file(a->pages.file, file) && share(a, to);
        if (shared) break;
    }
    pthread_rwlock_unlock(&table.lock);
    return shared;
}

ze_result_t soft_memory_share(const void *pointer, struct soft_ipc *to)
{
    struct allocation *a;
    ze_result_t result = ZE_RESULT_SUCCESS;
    pthread_rwlock_wrlock(&table.lock);
    a = find(pointer);
    if (!a)
        result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    else if (a->pages.borrowed)
        result = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    else if (!share(a, to))
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    pthread_rwlock_unlock(&table.lock);
    if (result != ZE_RESULT_SUCCESS) soft_fail(result, "%p cannot be shared with other processes", pointer);
    return result;
}

ze_result_t soft_memory_open(const struct soft_ipc *from, int file, void **pointer)
{
    struct allocation a = {.size = (size_t)from->size, .owner = OPENED};
    a.type = from->type == ZE_MEMORY_TYPE_HOST ? ZE_MEMORY_TYPE_HOST : ZE_MEMORY_TYPE_DEVICE;
    return map_file(a, file, pointer);
}

ze_result_t soft_memory_close(const void *pointer)
{
    struct allocation closed;
    announce(pointer, OPENED);
    if (!take_out(pointer, OPENED, &closed))
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p was not opened from a handle", pointer);
    give_back(&closed);
    return ZE_RESULT_SUCCESS;
}

/* ---- atomic operations that a program declares: only stored, as memory supports all of them. The sizes of allocations
 * by malloc are unknown, so for those the most recently declared ranges are stored.
 */

enum { ATOMICS = 0x7f, RANGES = 64 };
static struct range {
    uintptr_t base;
    size_t size;
    uint32_t atomics;
} ranges[RANGES]; /* a ring, under table.lock */
static size_t declared;

static void declare_range(const void *pointer, size_t size, uint32_t flags)
{
    ranges[declared++ % RANGES] = (struct range){(uintptr_t)pointer, size, flags};
}

/* The latest that contains the address; NULL if none does. */
static const struct range *find_range(const void *pointer)
{
    for (size_t i = 0; i < declared && i < RANGES; i++) {
        const struct range *r = &ranges[(declared - 1 - i) % RANGES];
        if ((uintptr_t)pointer - r->base < r->size) return r;
    }
    return NULL;
}

ze_result_t zeMemSetAtomicAccessAttributeExp(ze_context_handle_t context, ze_device_handle_t device,
                                             const void *pointer, size_t size, ze_memory_atomic_attr_exp_flags_t flags)
{
    const bool takes_any = soft_has_system_memory();
    struct allocation *a;
    bool good;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(pointer);
    SOFT_FLAGS(flags, ATOMICS);
    pthread_rwlock_wrlock(&table.lock);
    a = find(pointer);
    good = a ? a->type == ZE_MEMORY_TYPE_SHARED : takes_any;
    if (good && a) {
        a->has_atomics = true; /* all of it */
        a->atomics = flags;
    } else if (good) {
        declare_range(pointer, size, flags);
    }
    pthread_rwlock_unlock(&table.lock);
    return good ? ZE_RESULT_SUCCESS : soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not shared memory", pointer);
}

ze_result_t zeMemGetAtomicAccessAttributeExp(ze_context_handle_t context, ze_device_handle_t device,
                                             const void *pointer, size_t size, ze_memory_atomic_attr_exp_flags_t *flags)
{
    const struct allocation *a;
    const struct range *r;
    const uint32_t *found;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(pointer);
    SOFT_POINTER(flags);
    (void)size;
    pthread_rwlock_rdlock(&table.lock);
    a = find(pointer);
    r = a ? NULL : find_range(pointer);
    found = a && a->has_atomics ? &a->atomics : r ? &r->atomics : NULL;
    if (found) *flags = *found;
    pthread_rwlock_unlock(&table.lock);
    return found ? ZE_RESULT_SUCCESS
                 : soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no attributes were set for %p", pointer);
}
