/* race.c - for each byte that a work-group accesses, which subgroups wrote and read it since a barrier.
 *
 * A work-group runs on one thread, so no lock is needed. Words are kept in blocks, in a hash table whose entries name
 * their work-group, so that the table is empty when the next one begins.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 16, FIRST_CAPACITY = 1 << 8, LAST_CAPACITY = 1 << 18 };

struct word {
    uint32_t epoch;                    /* of the last access */
    uint8_t writer[4], reader[4];      /* per byte: subgroup + 1, 0: none, or CHECK_SEVERAL */
    uint8_t plain_written, plain_read; /* bits: not only by atomics */
    const struct xs_site *wrote, *read;
};

struct check_block {
    uint64_t key, group;
    struct word word[WORDS];
};

void check_blocks_begin(struct check_blocks *c)
{
    if (c->top > UINT32_MAX / 2) check_blocks_free(c);
    c->group++;
    c->used = 0;
    c->base = c->top + 1;
}

void check_blocks_free(struct check_blocks *c)
{
    free(c->block);
    *c = (struct check_blocks){0};
}

static struct check_block *place_of(const struct check_blocks *c, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (c->capacity - 1);
    while (c->block[at].group == c->group && c->block[at].key != key) at = (at + 1) & (c->capacity - 1);
    return &c->block[at];
}

static bool grow(struct check_blocks *c)
{
    struct check_blocks bigger = *c;
    bigger.capacity = c->capacity ? c->capacity * 2 : FIRST_CAPACITY;
    if (bigger.capacity > LAST_CAPACITY) return false;
    bigger.block = calloc(bigger.capacity, sizeof *bigger.block);
    if (!bigger.block) return false;
    for (size_t i = 0; i < c->capacity; i++)
        if (c->block[i].group == c->group) *place_of(&bigger, c->block[i].key) = c->block[i];
    free(c->block);
    *c = bigger;
    return true;
}

/* NULL if the work-group accesses more than fits: the rest is not tracked. */
static struct check_block *block_of(struct check_blocks *c, uint64_t key)
{
    struct check_block *b = c->capacity ? place_of(c, key) : NULL;
    if (b && b->group == c->group) return b;
    if (c->used >= c->capacity / 2 && !grow(c) && c->used >= c->capacity / 8 * 7) return NULL;
    b = place_of(c, key);
    b->key = key;
    b->group = c->group;
    c->used++;
    return b;
}

static void note(uint8_t *who, uint8_t *plain, uint8_t bit, uint8_t self, bool atomic)
{
    *who = !*who || *who == self ? self : CHECK_SEVERAL;
    if (!atomic) *plain |= bit;
}

/* Two accesses conflict if they are by different subgroups, one writes, and they are not both atomic. */
static struct check_conflict touch_byte(struct word *w, uint32_t byte, const struct xs_site *site, uint8_t self)
{
    struct check_conflict found = {NULL, 0, false, 0};
    bool atomic = site->flags & XS_ATOMIC, writes = site->flags & XS_WRITES;
    uint8_t bit = (uint8_t)(1u << byte), writer = w->writer[byte], reader = w->reader[byte];
    if (writer && writer != self && (!atomic || (w->plain_written & bit)))
        found = (struct check_conflict){w->wrote, writer, true, 0};
    else if (writes && reader && reader != self && (!atomic || (w->plain_read & bit)))
        found = (struct check_conflict){w->read, reader, false, 0};
    if (writes) {
        note(&w->writer[byte], &w->plain_written, bit, self, atomic);
        w->wrote = site;
    } else {
        note(&w->reader[byte], &w->plain_read, bit, self, atomic);
        w->read = site;
    }
    return found;
}

/* A whole word that no other subgroup has accessed cannot conflict. False if it is not such a word. */
static bool touch_own(struct word *w, const struct xs_site *site, uint8_t self)
{
    uint32_t all = self * UINT32_C(0x01010101), writer, reader;
    uint8_t plain = site->flags & XS_ATOMIC ? 0 : 15;
    memcpy(&writer, w->writer, sizeof writer);
    memcpy(&reader, w->reader, sizeof reader);
    if ((writer && writer != all) || (reader && reader != all)) return false;
    if (site->flags & XS_WRITES) {
        memcpy(w->writer, &all, sizeof all);
        w->plain_written |= plain;
        w->wrote = site;
    } else {
        memcpy(w->reader, &all, sizeof all);
        w->plain_read |= plain;
        w->read = site;
    }
    return true;
}

/* Is it a read of a whole word already recorded as read by several? */
static bool is_known(const struct word *w, const struct xs_site *site)
{
    uint32_t writer, reader;
    memcpy(&writer, w->writer, sizeof writer);
    memcpy(&reader, w->reader, sizeof reader);
    return !(site->flags & (XS_WRITES | XS_ATOMIC)) && !writer && reader == CHECK_SEVERAL * UINT32_C(0x01010101) &&
           w->plain_read == 15;
}

struct check_conflict check_touch(struct check_blocks *c, const struct xs_site *site, uint32_t subgroup, uint32_t epoch,
                                  uint64_t address, uint64_t bytes)
{
    struct check_conflict found = {NULL, 0, false, 0};
    struct check_block *b = NULL;
    uint8_t self = (uint8_t)(subgroup + 1);
    epoch += c->base;
    if (epoch > c->top) c->top = epoch;
    for (uint64_t at = address, end; at < address + bytes; at = end) {
        uint64_t key = at / (4 * WORDS);
        end = at / 4 * 4 + 4;
        if (end > address + bytes) end = address + bytes;
        if (!b || b->key != key) b = block_of(c, key);
        if (!b) continue;
        struct word *w = &b->word[at / 4 % WORDS];
        if (w->epoch < epoch) *w = (struct word){.epoch = epoch};
        if (w->epoch != epoch) continue;
        if (end - at == 4 && (touch_own(w, site, self) || is_known(w, site))) continue;
        for (uint64_t i = at; i < end; i++) {
            struct check_conflict now = touch_byte(w, (uint32_t)(i % 4), site, self);
            if (!now.site || found.site) continue;
            found = now;
            found.address = i;
        }
    }
    return found;
}
