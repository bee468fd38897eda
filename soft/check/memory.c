/* memory.c - the memory that kernels may access, and which of its bytes have been written: a tree, of which each launch
 * has a sorted copy. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A pattern that programs are unlikely to write: bytes that differ, and large odd floats of any width. */
#define PATTERN UINT64_C(0x7bd5a3f37bc9e6b1)
#define ALL_WRITTEN UINT64_C(0x0101010101010101)

static struct {
    pthread_mutex_t lock;
    struct tree all;
    size_t count;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t level_once = PTHREAD_ONCE_INIT;
static int level;

static void read_level(void)
{
    const char *wish = getenv("XETILE_SOFT_CHECK");
    level = !wish || !*wish || !strcmp(wish, "0") ? 0 : !strcmp(wish, "2") ? 2 : !strcmp(wish, "3") ? 3 : 1;
}

int check_level(void)
{
    pthread_once(&level_once, read_level);
    return level;
}

bool check_takes_system_memory(void)
{
    const char *wish = getenv("XETILE_SOFT_SYSTEM_MEMORY");
    return wish && !strcmp(wish, "on");
}

const char *check_kind_name(enum check_kind kind)
{
    static const char *const names[] = {"device allocation", "shared allocation", "host allocation", "virtual mapping",
                                        "program variable",  "host allocation in the program's memory"};
    return names[kind];
}

size_t check_table_upto(const struct check_table *t, uint64_t address)
{
    size_t low = 0, high = t->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->row[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void release(struct check_memory *m)
{
    if (atomic_fetch_sub(&m->users, 1) != 1) return;
    free(m->shadow);
    free(m);
}

static void fill_pattern(uint8_t *to, size_t size)
{
    const uint64_t pattern = PATTERN;
    for (size_t at = 0; at < size; at += 8) memcpy(to + at, &pattern, size - at < 8 ? size - at : 8);
}

void check_memory_add(void *base, size_t size, enum check_kind kind)
{
    struct check_memory *m;
    bool tracked = kind == CHECK_DEVICE || kind == CHECK_SHARED || kind == CHECK_HOST;
    if (!check_level()) return;
    m = calloc(1, sizeof *m);
    if (!m) return; /* accesses will be reported: false alarms are better than silence */
    m->base = m->node.base = (uintptr_t)base;
    m->size = size;
    m->kind = kind;
    atomic_store(&m->users, 1);
    if (tracked) m->shadow = calloc(size / 8 + 1, 8);
    if (m->shadow) fill_pattern(base, size);
    pthread_mutex_lock(&table.lock);
    tree_insert(&table.all, &m->node);
    table.count++;
    pthread_mutex_unlock(&table.lock);
}

void check_memory_remove(const void *base, size_t size)
{
    const uintptr_t first = (uintptr_t)base;
    struct tree_node *n;
    if (!check_level()) return;
    pthread_mutex_lock(&table.lock);
    while ((n = tree_upto(&table.all, first + size - 1)) != NULL && n->base >= first) {
        struct check_memory *m = TREE_OF(struct check_memory, n);
        tree_remove(&table.all, n);
        table.count--;
        atomic_store(&m->gone, true);
        release(m);
    }
    pthread_mutex_unlock(&table.lock);
}

void check_memory_wrote(const void *to, size_t size)
{
    struct tree_node *n;
    if (!check_level()) return;
    pthread_mutex_lock(&table.lock);
    n = tree_upto(&table.all, (uintptr_t)to);
    if (n) {
        struct check_memory *m = TREE_OF(struct check_memory, n);
        uint64_t offset = (uintptr_t)to - m->base, most = offset < m->size ? m->size - offset : 0;
        check_mark_written(m, offset, size < most ? size : most);
    }
    pthread_mutex_unlock(&table.lock);
}

bool check_table_copy(struct check_table *t)
{
    pthread_mutex_lock(&table.lock);
    t->count = 0;
    t->row = malloc((table.count + 1) * sizeof *t->row);
    if (t->row) {
        TREE_EACH (n, &table.all) {
            struct check_memory *m = TREE_OF(struct check_memory, n);
            atomic_fetch_add(&m->users, 1);
            t->row[t->count++] = m;
        }
    }
    pthread_mutex_unlock(&table.lock);
    return t->row != NULL;
}

void check_table_free(struct check_table *t)
{
    for (size_t i = 0; t->row && i < t->count; i++) release(t->row[i]);
    free(t->row);
    t->row = NULL;
}

/* ---- tracking written bytes */

/* Threads may write the same bytes, so these are relaxed atomics; eight bytes at a time. */
static bool all_marked(const uint8_t *shadow)
{
    return __atomic_load_n((const uint64_t *)(const void *)shadow, __ATOMIC_RELAXED) == ALL_WRITTEN;
}

static void mark_all(uint8_t *shadow)
{
    if (!all_marked(shadow)) __atomic_store_n((uint64_t *)(void *)shadow, ALL_WRITTEN, __ATOMIC_RELAXED);
}

void check_mark_written(struct check_memory *m, uint64_t offset, uint64_t bytes)
{
    uint64_t i = offset, end = offset + bytes;
    while (m->shadow && i < end) {
        if (i % 8 == 0 && end - i >= 8) {
            mark_all(m->shadow + i);
            i += 8;
        } else {
            __atomic_store_n(&m->shadow[i++], 1, __ATOMIC_RELAXED);
        }
    }
}

/* Does the word at this byte of host or shared memory, except where kernels wrote, still hold its pattern? Fewer than
 * four bytes may match by chance. */
static bool holds_pattern(const struct check_memory *m, uint64_t first)
{
    const uint64_t pattern = PATTERN, n = m->size - first < 8 ? m->size - first : 8;
    const uint8_t *is = (const uint8_t *)(uintptr_t)(m->base + first), *was = (const uint8_t *)&pattern;
    int alike = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (__atomic_load_n(&m->shadow[first + i], __ATOMIC_RELAXED)) continue;
        if (is[i] != was[i]) return false;
        alike++;
    }
    return alike >= 4;
}

uint64_t check_find_unwritten(const struct check_memory *m, uint64_t offset, uint64_t bytes)
{
    uint64_t i = offset, end = offset + bytes;
    while (m->shadow && i < end) {
        if (i % 8 == 0 && end - i >= 8 && all_marked(m->shadow + i)) {
            i += 8;
        } else if (__atomic_load_n(&m->shadow[i], __ATOMIC_RELAXED)) {
            i++;
        } else {
            if (m->kind == CHECK_DEVICE || holds_pattern(m, i / 8 * 8)) return i - offset;
            mark_all(m->shadow + i / 8 * 8); /* written by the host */
        }
    }
    return bytes;
}

/* ---- private memory */

void check_stack_mark(struct check_stack *s, uint64_t top, uint64_t address, uint64_t bytes, bool written)
{
    uint64_t first = top - address - bytes, end = top - address; /* depths */
    if (address >= top || bytes > end) return;
    if (end > CHECK_STACK_BYTES) end = CHECK_STACK_BYTES;
    if (end > s->size && !written) {
        uint64_t size = end > 2 * s->size ? end : 2 * s->size;
        uint8_t *bigger = realloc(s->unwritten, (size_t)size);
        if (bigger) {
            memset(bigger + s->size, 0, (size_t)(size - s->size));
            *s = (struct check_stack){bigger, size};
        }
    }
    if (end > s->size) end = s->size;
    if (first < end) memset(s->unwritten + first, !written, (size_t)(end - first));
}

uint64_t check_stack_find(const struct check_stack *s, uint64_t top, uint64_t address, uint64_t bytes)
{
    uint64_t first = top - address - bytes, end = top - address, i = 0;
    if (address >= top || bytes > end || end > s->size || !memchr(s->unwritten + first, 1, (size_t)bytes)) return bytes;
    while (!s->unwritten[end - 1 - i]) i++;
    return i;
}
