/* external.c - memory of the program that it makes known to the driver, so that transfers become faster on a GPU. Here
 * all memory is the same, so the ranges are only stored.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "ze_soft.h"

struct range {
    struct range *next;
    uintptr_t base;
    size_t size;
};

static struct {
    pthread_mutex_t lock;
    struct range *first;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The link to the range that has any of these bytes; known.lock held. */
static struct range **find(uintptr_t base, size_t size)
{
    struct range **link = &known.first;
    while (*link && ((*link)->base + (*link)->size <= base || base + size <= (*link)->base)) link = &(*link)->next;
    return link;
}

/* known.lock held. A range within a known one changes nothing. */
static ze_result_t add(uintptr_t base, size_t size)
{
    struct range *r = *find(base, size);
    if (r && base >= r->base && base + size <= r->base + r->size) return ZE_RESULT_SUCCESS;
    if (r) return ZE_RESULT_ERROR_OVERLAPPING_REGIONS;
    r = malloc(sizeof *r);
    if (!r) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    *r = (struct range){known.first, base, size};
    known.first = r;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zexDriverImportExternalPointer(ze_driver_handle_t driver, void *pointer, size_t size)
{
    ze_result_t result;
    SOFT_HANDLE(driver, SOFT_DRIVER);
    if (!pointer || !size || (uintptr_t)pointer + size < (uintptr_t)pointer)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%zu bytes at %p", size, pointer);
    pthread_mutex_lock(&known.lock);
    result = add((uintptr_t)pointer, size);
    pthread_mutex_unlock(&known.lock);
    return result;
}

ze_result_t zexDriverReleaseImportedPointer(ze_driver_handle_t driver, void *pointer)
{
    struct range **link, *r;
    SOFT_HANDLE(driver, SOFT_DRIVER);
    pthread_mutex_lock(&known.lock);
    link = find((uintptr_t)pointer, 1);
    if ((r = *link) != NULL) *link = r->next;
    pthread_mutex_unlock(&known.lock);
    free(r);
    return r ? ZE_RESULT_SUCCESS : soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p was not imported", pointer);
}

ze_result_t zexDriverGetHostPointerBaseAddress(ze_driver_handle_t driver, void *pointer, void **base)
{
    struct range *r;
    SOFT_HANDLE(driver, SOFT_DRIVER);
    pthread_mutex_lock(&known.lock);
    r = *find((uintptr_t)pointer, 1);
    if (r && base) *base = (void *)r->base;
    pthread_mutex_unlock(&known.lock);
    return r ? ZE_RESULT_SUCCESS : soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p was not imported", pointer);
}
