/* ipc.c - memory and event pools of other processes. An IPC handle is 64 bytes that programs can send in any way. As in
 * Intel's driver, they begin with a file descriptor number, so a program may also send the descriptor itself
 * (SCM_RIGHTS) and store the received number. Otherwise the descriptor is fetched from the process that made the
 * handle, which works for processes of the same user that may trace each other.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ze_soft.h"

enum { MAGIC = 0x58657069 };

_Static_assert(sizeof(struct soft_ipc) <= ZE_MAX_IPC_HANDLE_SIZE, "a handle has no room for it");

bool soft_ipc_describe(struct soft_ipc *to, int file, uint32_t kind)
{
    struct stat s;
    if (fstat(file, &s) != 0) return false;
    to->file = file;
    to->magic = MAGIC;
    to->process = getpid();
    to->kind = kind;
    to->device = (uint64_t)s.st_dev;
    to->inode = (uint64_t)s.st_ino;
    return true;
}

bool soft_is_same_file(int a, int b)
{
    struct stat s, t;
    return fstat(a, &s) == 0 && fstat(b, &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

static bool is_it(const struct soft_ipc *ipc, int file)
{
    struct stat s;
    return file >= 0 && fstat(file, &s) == 0 && (uint64_t)s.st_dev == ipc->device && (uint64_t)s.st_ino == ipc->inode;
}

/* By the system call or, if that is missing or forbidden, through /proc. */
static int fetch(const struct soft_ipc *ipc)
{
    char path[64];
    int file = -1;
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_getfd)
    int process = (int)syscall(SYS_pidfd_open, ipc->process, 0);
    if (process >= 0) {
        file = (int)syscall(SYS_pidfd_getfd, process, ipc->file, 0);
        close(process);
    }
#endif
    if (file >= 0) return file;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)ipc->process, ipc->file);
    return open(path, O_RDWR | O_CLOEXEC);
}

ze_result_t soft_ipc_open(const struct soft_ipc *ipc, uint32_t kind, int *file)
{
    if (ipc->magic != MAGIC || ipc->kind != kind)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no handle of this kind for other processes");
    *file = is_it(ipc, ipc->file) ? fcntl(ipc->file, F_DUPFD_CLOEXEC, 0) : fetch(ipc);
    if (is_it(ipc, *file)) return ZE_RESULT_SUCCESS;
    if (*file >= 0) close(*file);
    return soft_fail(
        ZE_RESULT_ERROR_INVALID_ARGUMENT,
        "the handle's object no longer exists, or process %d may not be asked for it (ptrace): send descriptor %d "
        "by SCM_RIGHTS and put the number received into the first four bytes",
        (int)ipc->process, ipc->file);
}

/* ---- memory as a file descriptor: of a memory file, which other processes and drivers can map. Programs that know no
 * other type call it a DMA-BUF, although the kernel does not consider it one: so it can be requested as such, but is
 * not advertised. */

enum { KINDS = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD | ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF };

static ze_result_t check_kind(uint32_t flags)
{
    if (!(flags & ~(uint32_t)KINDS)) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION, "no external memory of kind 0x%x", flags);
}

ze_result_t soft_read_memory_chain(const void *next, struct soft_memory_chain *to)
{
    *to = (struct soft_memory_chain){.file = -1};
    for (const ze_base_desc_t *d = next; d; d = d->pNext)
        if (d->stype == ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC) {
            SOFT_TRY(check_kind(((const ze_external_memory_export_desc_t *)(const void *)d)->flags));
        } else if (d->stype == ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD) {
            const ze_external_memory_import_fd_t *from = (const void *)d;
            SOFT_TRY(check_kind(from->flags));
            if (from->fd < 0) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%d is not a descriptor", from->fd);
            to->file = from->fd;
        } else if (d->stype == ZE_STRUCTURE_TYPE_EXTERNAL_MEMMAP_SYSMEM_EXT_DESC) {
            to->system = (const void *)d;
        } else if (d->stype == ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC) {
            const uint32_t flags = ((const ze_relaxed_allocation_limits_exp_desc_t *)(const void *)d)->flags;
            if (flags != ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE)
                return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "relaxed limits 0x%x: only the largest size is one",
                                 flags);
            to->relaxed = true;
        } else {
            SOFT_TRY(soft_check_link(d));
        }
    return ZE_RESULT_SUCCESS;
}

ze_external_memory_export_fd_t *soft_wanted_file(void *next)
{
    ze_base_properties_t *p = next;
    while (p && p->stype != ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD) p = p->pNext;
    return (void *)p;
}

ze_result_t soft_give_file(ze_external_memory_export_fd_t *to, int file)
{
    SOFT_TRY(check_kind(to->flags));
    to->fd = fcntl(file, F_DUPFD_CLOEXEC, 0);
    return to->fd >= 0 ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}
