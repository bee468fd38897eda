/* ipc.c - memory and event pools of other processes. A handle of the API is 64 bytes that a program sends as it likes.
 * As with Intel's driver they begin with the number of a file descriptor, so that a program may also send the
 * descriptor itself (SCM_RIGHTS) and put the number that it got there. What is no such descriptor is fetched from the
 * process that made the handle, which works for processes of the same user that may trace each other.
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

static bool is_it(const struct soft_ipc *ipc, int file)
{
    struct stat s;
    return file >= 0 && fstat(file, &s) == 0 && (uint64_t)s.st_dev == ipc->device && (uint64_t)s.st_ino == ipc->inode;
}

/* By the system call, or where that is not allowed or not there by /proc. */
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
        "what the handle means is gone, or process %d may not be asked for it (ptrace): send descriptor %d "
        "by SCM_RIGHTS and put the number received into the first four bytes",
        (int)ipc->process, ipc->file);
}
