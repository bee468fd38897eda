/* semaphore.c - external semaphores: eventfds, which any program or process can signal and await. Drivers of GPUs take
 * descriptors of DRM sync objects, which belong to such a driver; without one, these are refused.
 *
 * To signal is to add 1. To wait is to read, which takes the signal, as with a binary semaphore, or one signal of an
 * eventfd made with EFD_SEMAPHORE.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ze_soft.h"

enum { EVERY_FLAG = 0x1ff, STOP_CHECK_MS = 50 };

struct _ze_external_semaphore_ext_handle_t {
    uint32_t tag;
    int fd;
};

/* ---- import and release */

/* The kernel's name of a file that has no path, "anon_inode:[eventfd]" for example; "" if it is not open. */
static void name_of(int fd, char *name, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, name, size - 1);
    name[n > 0 ? n : 0] = 0;
}

static ze_result_t check_desc(const ze_external_semaphore_ext_desc_t *desc, int *fd)
{
    const ze_external_semaphore_fd_ext_desc_t *d = desc->pNext;
    char name[128];
    if (desc->flags & ~(uint32_t)EVERY_FLAG) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (!d || !desc->flags || desc->flags & (desc->flags - 1))
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a semaphore has one type and a descriptor of that type");
    if (d->stype != ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC ||
        desc->flags != ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD)
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "semaphores of type 0x%x: only opaque file descriptors",
                         desc->flags);
    name_of(d->fd, name, sizeof name);
    if (!*name) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%d is not an open file descriptor", d->fd);
    if (strcmp(name, "anon_inode:[eventfd]") != 0)
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "a semaphore of %.80s: only eventfds", name);
    *fd = d->fd;
    return ZE_RESULT_SUCCESS;
}

/* On success the descriptor belongs to the driver, as with Intel's. */
ze_result_t zeDeviceImportExternalSemaphoreExt(ze_device_handle_t device, const ze_external_semaphore_ext_desc_t *desc,
                                               ze_external_semaphore_ext_handle_t *semaphore)
{
    ze_external_semaphore_ext_handle_t s;
    int fd = -1;
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(desc);
    SOFT_POINTER(semaphore);
    SOFT_TRY(check_desc(desc, &fd));
    s = calloc(1, sizeof *s);
    if (!s) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    s->tag = SOFT_SEMAPHORE;
    s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3); /* safe from programs that close it all the same */
    if (s->fd < 0) {
        free(s);
        return soft_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no file descriptor: %s", strerror(errno));
    }
    close(fd);
    *semaphore = s;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceReleaseExternalSemaphoreExt(ze_external_semaphore_ext_handle_t semaphore)
{
    SOFT_HANDLE(semaphore, SOFT_SEMAPHORE);
    close(semaphore->fd);
    semaphore->tag = SOFT_DEAD;
    free(semaphore);
    return ZE_RESULT_SUCCESS;
}

/* ---- commands */

struct operation {
    const atomic_bool *stop; /* the list is being destroyed */
    uint32_t count;
    int fd[];
};

/* Reads or writes 8 bytes, once that is possible; gives up when the list is destroyed. */
static void transfer(const struct operation *o, int fd, bool signal)
{
    struct pollfd p = {.fd = fd, .events = signal ? POLLOUT : POLLIN};
    uint64_t value = 1;
    while (!atomic_load(o->stop)) {
        if (poll(&p, 1, STOP_CHECK_MS) <= 0) continue;
        if ((signal ? write(fd, &value, sizeof value) : read(fd, &value, sizeof value)) == sizeof value) return;
        if (errno != EAGAIN && errno != EINTR) return; /* the program closed it */
    }
}

static void signal_all(void *operation)
{
    const struct operation *o = operation;
    for (uint32_t i = 0; i < o->count; i++) transfer(o, o->fd[i], true);
}

static void wait_for_all(void *operation)
{
    const struct operation *o = operation;
    for (uint32_t i = 0; i < o->count; i++) transfer(o, o->fd[i], false);
}

static ze_result_t append(ze_command_list_handle_t list, uint32_t count, ze_external_semaphore_ext_handle_t *semaphores,
                          const void *parameters, void (*call)(void *operation), ze_event_handle_t signal,
                          uint32_t wait_count, ze_event_handle_t *waits)
{
    ze_result_t result;
    struct soft_command *c;
    struct operation *o;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(semaphores);
    SOFT_POINTER(parameters);
    if (!list->immediate)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "external semaphores are for immediate lists only");
    for (uint32_t i = 0; i < count; i++) SOFT_HANDLE(semaphores[i], SOFT_SEMAPHORE);
    c = soft_command_new(list, SOFT_CMD_HOST_FUNCTION, sizeof *o + count * sizeof o->fd[0], signal, wait_count, waits,
                         &result);
    if (!c) return result;
    o = (struct operation *)(void *)c->payload;
    o->stop = &list->queue.stop;
    o->count = count;
    for (uint32_t i = 0; i < count; i++) o->fd[i] = semaphores[i]->fd;
    c->u.host.call = call;
    c->u.host.user = o;
    c->u.host.own = sizeof *o + count * sizeof o->fd[0];
    return soft_command_add(list, c);
}

ze_result_t zeCommandListAppendSignalExternalSemaphoreExt(ze_command_list_handle_t list, uint32_t count,
                                                          ze_external_semaphore_ext_handle_t *semaphores,
                                                          ze_external_semaphore_signal_params_ext_t *parameters,
                                                          ze_event_handle_t signal, uint32_t wait_count,
                                                          ze_event_handle_t *waits)
{
    return append(list, count, semaphores, parameters, signal_all, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendWaitExternalSemaphoreExt(ze_command_list_handle_t list, uint32_t count,
                                                        ze_external_semaphore_ext_handle_t *semaphores,
                                                        ze_external_semaphore_wait_params_ext_t *parameters,
                                                        ze_event_handle_t signal, uint32_t wait_count,
                                                        ze_event_handle_t *waits)
{
    return append(list, count, semaphores, parameters, wait_for_all, signal, wait_count, waits);
}
