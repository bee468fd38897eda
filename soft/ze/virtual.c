/* virtual.c - virtual memory: address ranges reserved now and backed later. Physical memory is an anonymous file. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/check.h"
#include "check/tree.h"
#include "build/jit.h"
#include "ze_soft.h"

/* ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_..., missing in headers of 1.4. */
enum { ON_DEVICE = 1, ON_HOST = 2 };

struct _ze_physical_mem_handle_t {
    uint32_t tag;
    int file;
    size_t size;
    uint64_t id;
    const uint8_t *at; /* latest mapping of its beginning; NULL: none */
    size_t mapped;
    ze_physical_mem_handle_t next; /* of all */
};

static bool is_paged(const void *pointer, size_t size)
{
    return (uintptr_t)pointer % soft_page_size() == 0 && size % soft_page_size() == 0;
}

/* The mmap protection for an access attribute of the API; -1: invalid. */
static int protection(ze_memory_access_attribute_t access)
{
    switch ((uint32_t)access) {
    case ZE_MEMORY_ACCESS_ATTRIBUTE_NONE: return PROT_NONE;
    case ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE: return PROT_READ | PROT_WRITE;
    case ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY: return PROT_READ;
    default: return -1;
    }
}

/* ---- reservations: a tree, with the access of each page */

struct reservation {
    struct tree_node node;
    uint8_t *base;
    size_t size;
    uint8_t access[]; /* per page */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tree reservations;
static ze_physical_mem_handle_t physicals;

/* The reservation that contains the whole range; lock held. */
static struct reservation *find(const void *pointer, size_t size)
{
    struct tree_node *n = tree_upto(&reservations, (uintptr_t)pointer);
    struct reservation *r = n ? TREE_OF(struct reservation, n) : NULL;
    size_t at = r ? (uintptr_t)pointer - n->base : 0;
    return r && at <= r->size && size <= r->size - at ? r : NULL;
}

/* Reports each run of accessible pages to the checked mode as an allocation. */
static void tell_check(const struct reservation *r)
{
    size_t pages = r->size / soft_page_size(), first = 0, i;
    check_memory_remove(r->base, r->size);
    for (i = 0; i <= pages; i++) {
        if (i < pages && r->access[i] != ZE_MEMORY_ACCESS_ATTRIBUTE_NONE) continue;
        if (i > first)
            check_memory_add(r->base + first * soft_page_size(), (i - first) * soft_page_size(), CHECK_VIRTUAL);
        first = i + 1;
    }
}

static void note_access(struct reservation *r, const void *pointer, size_t size, ze_memory_access_attribute_t access)
{
    size_t i, first = (size_t)((const uint8_t *)pointer - r->base) / soft_page_size();
    for (i = 0; i < size / soft_page_size(); i++) r->access[first + i] = (uint8_t)access;
    if (check_level()) tell_check(r);
}

ze_result_t zeVirtualMemReserve(ze_context_handle_t context, const void *start, size_t size, void **pointer)
{
    struct reservation *r;
    void *base;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(pointer);
    if (!size || size % soft_page_size()) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    r = calloc(1, sizeof *r + size / soft_page_size());
    if (!r) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    base = mmap((void *)(uintptr_t)start, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        free(r);
        return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    r->base = base;
    r->node.base = (uintptr_t)base;
    r->size = size;
    pthread_mutex_lock(&lock);
    tree_insert(&reservations, &r->node);
    pthread_mutex_unlock(&lock);
    *pointer = base;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeVirtualMemFree(ze_context_handle_t context, const void *pointer, size_t size)
{
    struct reservation *r;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(pointer);
    if (!size) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    pthread_mutex_lock(&lock);
    r = find(pointer, size);
    if (r && (r->base != pointer || r->size != size)) r = NULL;
    if (r) tree_remove(&reservations, &r->node);
    pthread_mutex_unlock(&lock);
    if (!r) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p with %zu bytes was not reserved so", pointer, size);
    check_memory_remove(r->base, r->size);
    munmap(r->base, r->size);
    free(r);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeVirtualMemQueryPageSize(ze_context_handle_t context, ze_device_handle_t device, size_t size, size_t *page)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(page);
    (void)size; /* all have the same; programs query it for 0 bytes */
    *page = soft_page_size();
    return ZE_RESULT_SUCCESS;
}

/* ---- physical memory */

ze_result_t zePhysicalMemCreate(ze_context_handle_t context, ze_device_handle_t device, ze_physical_mem_desc_t *desc,
                                ze_physical_mem_handle_t *physical)
{
    ze_physical_mem_handle_t p;
    struct soft_memory_chain chain;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(desc);
    SOFT_POINTER(physical);
    SOFT_FLAGS(desc->flags, ON_DEVICE | ON_HOST); /* the same here, but host memory needs no device */
    SOFT_TRY(soft_read_memory_chain(desc->pNext, &chain));
    if (chain.system)
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "only host memory is made of the program's");
    if (chain.file >= 0) return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "physical memory is not imported");
    if (device || !(desc->flags & ON_HOST)) SOFT_HANDLE(device, SOFT_DEVICE);
    if (!desc->size) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    if (desc->size % soft_page_size()) return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    p = calloc(1, sizeof *p);
    if (!p) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    p->tag = SOFT_PHYSICAL;
    p->size = desc->size;
    p->id = soft_memory_id();
    p->file = memfd_create("xetile-physical", MFD_CLOEXEC);
    if (p->file < 0 || !jit_set_size(p->file, desc->size)) {
        if (p->file >= 0) close(p->file);
        free(p);
        return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    pthread_mutex_lock(&lock);
    p->next = physicals;
    physicals = p;
    pthread_mutex_unlock(&lock);
    *physical = p;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zePhysicalMemGetProperties(ze_context_handle_t context, ze_physical_mem_handle_t physical,
                                       ze_physical_mem_properties_t *properties)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(physical, SOFT_PHYSICAL);
    SOFT_POINTER(properties);
    properties->id = physical->id;
    properties->size = physical->size;
    ze_external_memory_export_fd_t *wanted = soft_wanted_file(properties->pNext);
    return wanted ? soft_give_file(wanted, physical->file) : ZE_RESULT_SUCCESS;
}

ze_result_t zePhysicalMemDestroy(ze_context_handle_t context, ze_physical_mem_handle_t physical)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(physical, SOFT_PHYSICAL);
    pthread_mutex_lock(&lock);
    for (ze_physical_mem_handle_t *link = &physicals; *link; link = &(*link)->next)
        if (*link == physical) {
            *link = physical->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    physical->tag = SOFT_DEAD;
    close(physical->file);
    free(physical);
    return ZE_RESULT_SUCCESS;
}

/* ---- mapping */

static void note_mapping(ze_physical_mem_handle_t physical, const void *pointer, size_t size)
{
    physical->at = pointer;
    physical->mapped = size;
}

static void note_unmapping(const uint8_t *pointer, size_t size)
{
    for (ze_physical_mem_handle_t p = physicals; p; p = p->next)
        if (p->at && pointer < p->at + p->mapped && p->at < pointer + size) p->at = NULL;
}

/* The lock is held. */
static bool share(ze_physical_mem_handle_t p, size_t size, struct soft_ipc *to)
{
    if (!p || !soft_ipc_describe(to, p->file, SOFT_IPC_MEMORY)) return false;
    to->size = size;
    to->type = ZE_MEMORY_TYPE_DEVICE;
    return true;
}

static bool is_mapped_at(ze_physical_mem_handle_t p, const void *pointer)
{
    return p->at && (size_t)((const uint8_t *)pointer - p->at) < p->mapped;
}

bool soft_virtual_share(const void *pointer, struct soft_ipc *to)
{
    ze_physical_mem_handle_t p;
    bool shared;
    pthread_mutex_lock(&lock);
    for (p = physicals; p && p != pointer && !is_mapped_at(p, pointer); p = p->next) continue;
    shared = share(p, p == pointer ? p->size : p ? p->mapped : 0, to);
    pthread_mutex_unlock(&lock);
    return shared;
}

uint64_t soft_virtual_id(const void *pointer)
{
    ze_physical_mem_handle_t p;
    uint64_t id;
    pthread_mutex_lock(&lock);
    for (p = physicals; p && !is_mapped_at(p, pointer); p = p->next) continue;
    id = p ? p->id : 0;
    pthread_mutex_unlock(&lock);
    return id;
}

bool soft_virtual_accessible(const void *pointer)
{
    const struct reservation *r;
    bool accessible;
    pthread_mutex_lock(&lock);
    r = find(pointer, 1);
    accessible = r && r->access[((uintptr_t)pointer - r->node.base) / soft_page_size()] !=
                          ZE_MEMORY_ACCESS_ATTRIBUTE_NONE;
    pthread_mutex_unlock(&lock);
    return accessible;
}

bool soft_virtual_share_file(int file, struct soft_ipc *to)
{
    ze_physical_mem_handle_t p;
    bool shared;
    pthread_mutex_lock(&lock);
    for (p = physicals; p && !soft_is_same_file(p->file, file); p = p->next) continue;
    shared = share(p, p ? p->size : 0, to);
    pthread_mutex_unlock(&lock);
    return shared;
}

static ze_result_t check_range(ze_context_handle_t context, const void *pointer, size_t size)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(pointer);
    if (!size) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    return is_paged(pointer, size) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
}

ze_result_t zeVirtualMemMap(ze_context_handle_t context, const void *pointer, size_t size,
                            ze_physical_mem_handle_t physical, size_t offset, ze_memory_access_attribute_t access)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    struct reservation *r;
    SOFT_TRY(check_range(context, pointer, size));
    SOFT_HANDLE(physical, SOFT_PHYSICAL);
    if (protection(access) < 0) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (offset % soft_page_size()) return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    if (offset > physical->size || size > physical->size - offset) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    r = find(pointer, size);
    if (!r)
        result = soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not reserved", pointer);
    else if (mmap((void *)(uintptr_t)pointer, size, protection(access), MAP_SHARED | MAP_FIXED, physical->file,
                  (off_t)offset) == MAP_FAILED)
        result = ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    else {
        note_access(r, pointer, size, access);
        note_unmapping(pointer, size);
        if (!offset) note_mapping(physical, pointer, size);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

ze_result_t zeVirtualMemUnmap(ze_context_handle_t context, const void *pointer, size_t size)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    struct reservation *r;
    SOFT_TRY(check_range(context, pointer, size));
    pthread_mutex_lock(&lock);
    r = find(pointer, size);
    if (!r)
        result = soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not reserved", pointer);
    else if (mmap((void *)(uintptr_t)pointer, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                  -1, 0) == MAP_FAILED)
        result = ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    else {
        note_access(r, pointer, size, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE);
        note_unmapping(pointer, size);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

ze_result_t zeVirtualMemSetAccessAttribute(ze_context_handle_t context, const void *pointer, size_t size,
                                           ze_memory_access_attribute_t access)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    struct reservation *r;
    SOFT_TRY(check_range(context, pointer, size));
    if (protection(access) < 0) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    pthread_mutex_lock(&lock);
    r = find(pointer, size);
    if (!r || mprotect((void *)(uintptr_t)pointer, size, protection(access)) != 0)
        result = soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not reserved", pointer);
    else
        note_access(r, pointer, size, access);
    pthread_mutex_unlock(&lock);
    return result;
}

ze_result_t zeVirtualMemGetAccessAttribute(ze_context_handle_t context, const void *pointer, size_t size,
                                           ze_memory_access_attribute_t *access, size_t *out_size)
{
    struct reservation *r;
    size_t first, n = 0;
    SOFT_TRY(check_range(context, pointer, size));
    SOFT_POINTER(access);
    SOFT_POINTER(out_size);
    pthread_mutex_lock(&lock);
    r = find(pointer, size);
    if (r) { /* how far the first page's access extends */
        first = (size_t)((const uint8_t *)pointer - r->base) / soft_page_size();
        *access = (ze_memory_access_attribute_t)r->access[first];
        while (n < size / soft_page_size() && r->access[first + n] == r->access[first]) n++;
        *out_size = n * soft_page_size();
    }
    pthread_mutex_unlock(&lock);
    return r ? ZE_RESULT_SUCCESS : soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not reserved", pointer);
}
