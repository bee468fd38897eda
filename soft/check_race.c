/* check_race.c - for each word that a work-group touches: which subgroups wrote and read its bytes since a barrier.
 *
 * A work-group runs on one thread, so its words need no lock. They are kept in a hash table whose entries name their
 * work-group: the table is empty again when the next one begins.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1 << 12, LAST_CAPACITY = 1 << 22 };

void check_cells_begin(struct check_cells *c)
{
    c->group++;
    c->used = 0;
}

void check_cells_free(struct check_cells *c)
{
    free(c->cell);
    *c = (struct check_cells){NULL, 0, 0, 0};
}

static struct check_cell *place_of(const struct check_cells *c, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (c->capacity - 1);
    while (c->cell[at].group == c->group && c->cell[at].key != key) at = (at + 1) & (c->capacity - 1);
    return &c->cell[at];
}

static bool grow(struct check_cells *c)
{
    struct check_cells bigger = {NULL, c->capacity ? c->capacity * 2 : FIRST_CAPACITY, c->used, c->group};
    if (bigger.capacity > LAST_CAPACITY) return false;
    bigger.cell = calloc(bigger.capacity, sizeof *bigger.cell);
    if (!bigger.cell) return false;
    for (size_t i = 0; i < c->capacity; i++)
        if (c->cell[i].group == c->group) *place_of(&bigger, c->cell[i].key) = c->cell[i];
    free(c->cell);
    *c = bigger;
    return true;
}

/* NULL when a work-group touches more words than there is room for: the rest is not watched. */
static struct check_cell *cell_of(struct check_cells *c, uint64_t key, uint32_t epoch)
{
    struct check_cell *cell;
    if (c->used >= c->capacity / 2 && !grow(c) && (!c->capacity || c->used >= c->capacity / 8 * 7)) return NULL;
    cell = place_of(c, key);
    if (cell->group != c->group)
        c->used++;
    else if (cell->epoch >= epoch)
        return cell;
    memset(cell, 0, sizeof *cell);
    cell->key = key;
    cell->group = c->group;
    cell->epoch = epoch;
    return cell;
}

static bool conflicts(uint8_t other, uint8_t self, bool plain)
{
    return other && other != self && plain;
}

static void note(uint8_t *who, uint8_t *plain, uint8_t bit, uint8_t self, bool atomic)
{
    *who = !*who || *who == self ? self : CHECK_SEVERAL;
    if (!atomic) *plain |= bit;
}

static void touch_byte(struct check_cell *cell, uint32_t byte, const struct xs_site *site, uint8_t self,
                       struct check_conflict *found)
{
    bool atomic = site->flags & XS_ATOMIC, writes = site->flags & XS_WRITES;
    uint8_t bit = (uint8_t)(1u << byte);
    if (conflicts(cell->writer[byte], self, !atomic || (cell->plain_written & bit)))
        *found = (struct check_conflict){cell->wrote, cell->writer[byte], true, found->address};
    else if (writes && conflicts(cell->reader[byte], self, !atomic || (cell->plain_read & bit)))
        *found = (struct check_conflict){cell->read, cell->reader[byte], false, found->address};
    if (writes) {
        note(&cell->writer[byte], &cell->plain_written, bit, self, atomic);
        cell->wrote = site;
    } else {
        note(&cell->reader[byte], &cell->plain_read, bit, self, atomic);
        cell->read = site;
    }
}

struct check_conflict check_touch(struct check_cells *c, const struct xs_site *site, uint32_t subgroup, uint32_t epoch,
                                  uint64_t address, uint64_t bytes)
{
    struct check_conflict found = {NULL, 0, false, 0};
    for (uint64_t at = address; at < address + bytes;) {
        struct check_cell *cell = cell_of(c, at / 4, epoch);
        uint64_t end = at / 4 * 4 + 4;
        if (end > address + bytes) end = address + bytes;
        for (; cell && cell->epoch == epoch && at < end; at++) {
            struct check_conflict now = {NULL, 0, false, at};
            touch_byte(cell, (uint32_t)(at % 4), site, (uint8_t)(subgroup + 1), &now);
            if (now.site && !found.site) found = now;
        }
        at = end;
    }
    return found;
}
