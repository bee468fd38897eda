/* pages.c - memory for allocations: mapped pages between two inaccessible ranges of address space, so that an overrun
 * by up to GUARD ends in a report instead of in other memory. Pages shared with other processes move to an unnamed
 * file, which disappears with the last process that has it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/jit.h"
#include "ze_soft.h"

/* A process may have about 65000 mappings; a guarded range takes two, while adjacent plain ones count as one. */
enum { GUARD = 2 << 20, MOST_GUARDED = 8192 };
static _Atomic uint32_t guarded;

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* As on Intel's devices, allocations are whole pages of 64 KiB: programs exist whose kernels write past the end within
 * those. Pages that nobody touches take no memory. */
size_t soft_whole_granules(size_t size) { return round_up(size, (size_t)64 << 10); }

uint64_t soft_memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    return pages > 0 ? (uint64_t)pages * soft_page_size() : 0;
}

/* The system does not grant all memory, and each allocation has overhead. */
uint64_t soft_largest_allocation(void) { return soft_memory_bytes() / 16 * 15; }

/* Counts another guarded range if allowed; returns the size of its guards or 0. */
static size_t take_guard(void)
{
    if (atomic_fetch_add(&guarded, 1) < MOST_GUARDED) return GUARD;
    atomic_fetch_sub(&guarded, 1);
    return 0;
}

/* Reserves aligned address space for the pages, with a guard on either side. */
static bool reserve(struct soft_pages *p, size_t alignment)
{
    size_t slack = alignment > soft_page_size() ? alignment : 0, all = p->size + 2 * p->guard + slack;
    uint8_t *from = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), *base, *end;
    if (from == MAP_FAILED) return false;
    base = (uint8_t *)round_up((uintptr_t)from + p->guard, alignment);
    end = base + p->size + p->guard;
    if (base - p->guard > from) munmap(from, (size_t)(base - p->guard - from));
    if (from + all > end) munmap(end, (size_t)(from + all - end));
    p->base = base;
    return true;
}

static bool map(struct soft_pages *p, size_t alignment)
{
    int flags = MAP_FIXED | (p->file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
    p->guard = take_guard();
    if (alignment < soft_page_size()) alignment = soft_page_size();
    if (reserve(p, alignment)) {
        if (mmap(p->base, p->size, PROT_READ | PROT_WRITE, flags, p->file, 0) != MAP_FAILED) return true;
        munmap(p->base - p->guard, p->size + 2 * p->guard);
    }
    if (p->guard) atomic_fetch_sub(&guarded, 1);
    return false;
}

bool soft_pages_new(struct soft_pages *p, size_t size, size_t alignment)
{
    *p = (struct soft_pages){.size = round_up(size, soft_page_size()), .file = -1};
    return map(p, alignment);
}

bool soft_pages_open(struct soft_pages *p, int file, size_t size)
{
    size_t least = round_up(size, soft_page_size()), most = soft_whole_granules(size);
    struct stat s;
    if (fstat(file, &s) != 0 || (uint64_t)s.st_size < least) return false;
    *p = (struct soft_pages){.size = (uint64_t)s.st_size < most ? least : most, .file = file};
    return map(p, soft_page_size());
}

void soft_pages_free(struct soft_pages *p)
{
    if (p->borrowed) return;
    munmap(p->base - p->guard, p->size + 2 * p->guard);
    if (p->guard) atomic_fetch_sub(&guarded, 1);
    if (p->file >= 0) close(p->file);
}

bool soft_pages_share(struct soft_pages *p)
{
    int file;
    if (p->file >= 0) return true;
    if (p->borrowed) return false; /* the program's own mapping stays */
    file = memfd_create("xetile", MFD_CLOEXEC);
    if (file >= 0 && jit_set_size(file, p->size) && jit_write_all(file, p->base, p->size) &&
        mmap(p->base, p->size, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_SHARED, file, 0) != MAP_FAILED) {
        p->file = file;
        return true;
    }
    if (file >= 0) close(file);
    return false;
}
