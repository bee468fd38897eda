/* memory.c - memory that is freed with the module: an arena of chunks that double in size, and arrays that do; large
 * arrays have blocks of their own. */
#include "internal.h"

XE_FN_ void *spe_default_realloc_(void *user, void *p, size_t size)
{
    (void)user;
    if (size) return realloc(p, size);
    free(p);
    return NULL;
}

/* Allocates a chunk of at least this many bytes. The default size suffices for most kernels. Once a chunk of that size
 * has been freed, glibc reuses its pages for the next module; fresh pages for each would take a third of the time. */
static bool spe_new_chunk_(spe_module *m, size_t bytes)
{
    const size_t head = (sizeof(spe_chunk_) + 15) / 16 * 16, next = (size_t)SPE_CHUNK << m->chunk_count;
    size_t size = next > head + bytes ? next : head + bytes;
    spe_chunk_ *chunk = NULL;
    if (!m->options.realloc) return SPE_ERROR_(m, OPTION, "the module was not begun, or freed");
    if (bytes <= SIZE_MAX / 4) /* in parentheses because realloc may be a user's macro */
        chunk = (spe_chunk_ *)(m->options.realloc)(m->options.user, NULL, size);
    if (!chunk) {
        m->doing = NULL;
        return spe_error_(m, SPE_ERR_MEMORY, "out of memory: the allocator refused %zu bytes", bytes);
    }
    chunk->next = m->chunks;
    m->chunks = chunk;
    m->chunk_used = head;
    m->chunk_size = size;
    if (m->chunk_count < 12) m->chunk_count++;
    return true;
}

static void *spe_take_(spe_module *m, size_t bytes)
{
    if (bytes <= SIZE_MAX / 4) bytes = bytes ? (bytes + 15) / 16 * 16 : 16;
    if (m->error.id || (m->chunk_size - m->chunk_used < bytes && !spe_new_chunk_(m, bytes))) return NULL;
    char *at = (char *)m->chunks + m->chunk_used;
    m->chunk_used += bytes;
    return at;
}

void *spe_alloc(spe_module *m, size_t bytes)
{
    void *p = spe_take_(m, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

/* Allocates a block for a large array, or resizes it; `old` is the array. Left behind in a chunk, the smaller arrays
 * before it would take as much memory again, and fresh pages cost several times what is done with them. */
static void *spe_resize_(spe_module *m, void *old, size_t bytes)
{
    const size_t head = (sizeof(spe_chunk_) + 15) / 16 * 16;
    spe_chunk_ *block = old ? (spe_chunk_ *)(void *)((char *)old - head) : NULL;
    if (m->error.id) return NULL;
    if (bytes <= SIZE_MAX / 4) block = (spe_chunk_ *)(m->options.realloc)(m->options.user, block, head + bytes);
    else block = NULL;
    if (!block) {
        m->doing = NULL;
        spe_error_(m, SPE_ERR_MEMORY, "out of memory: the allocator refused %zu bytes", bytes);
        return NULL;
    }
    if (!old) {
        block->next = m->blocks;
        block->before = NULL;
        m->blocks = block;
    }
    if (block->next) block->next->before = block;
    if (block->before) block->before->next = block;
    else m->blocks = block;
    return (char *)block + head;
}

/* Makes room for `need` elements in the array that *array points to; false and an error if out of memory. */
XE_FN_ bool spe_grow_(spe_module *m, void *array, size_t *capacity, size_t need, size_t size, size_t first)
{
    enum { SPE_LARGE_ = 1 << 19 };
    size_t wanted = *capacity ? *capacity : first;
    void *old, *p;
    if (need <= *capacity) return true;
    while (wanted < need) wanted *= wanted * size < SPE_LARGE_ ? 2 : 4; /* what is not touched takes no memory */
    bool large = *capacity * size >= SPE_LARGE_, stays = wanted * size < SPE_LARGE_;
    memcpy(&old, array, sizeof old);
    p = stays ? spe_take_(m, wanted * size) : spe_resize_(m, large ? old : NULL, wanted * size);
    if (!p) return false;
    if (old && !large) memcpy(p, old, *capacity * size);
    memcpy(array, &p, sizeof p);
    *capacity = wanted;
    return true;
}

void *spe_list_add(spe_module *m, spe_list *list, size_t size)
{
    if (!spe_grow_(m, &list->items, &list->capacity, (size_t)list->count + 1, size, 16)) return NULL;
    return memset((char *)list->items + (size_t)list->count++ * size, 0, size);
}

XE_FN_ void *spe_copied_(spe_module *m, const void *from, size_t size)
{
    void *copy = spe_alloc(m, size);
    if (copy && size) memcpy(copy, from, size);
    return copy;
}
