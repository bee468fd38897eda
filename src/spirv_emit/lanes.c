/* lanes.c - values that depend only on the lane, computed once in a function, before its body. */
#include "internal.h"

enum { SPE_LANES_MOST_ = 64 };

/* A condition for lanes, or a number for each. Those of a function follow one another. */
typedef struct {
    uint32_t function;
    int lanes;
    uint64_t mask;
    unsigned char table[SPE_LANES_MOST_]; /* of a condition: all 255 */
    spe_id id;                            /* 0: not yet */
} spe_by_lane_;

/* Finds or adds a row of the open function; NULL without memory. */
static spe_by_lane_ *spe_by_lane_at_(spe_module *m, uint64_t mask, const unsigned char *table, int lanes)
{
    spe_by_lane_ row, *found;
    memset(&row, 0, sizeof row);
    memset(row.table, table ? 0 : 255, sizeof row.table);
    if (table) memcpy(row.table, table, (size_t)lanes);
    row.function = m->fn.index;
    row.lanes = lanes;
    row.mask = mask;
    for (int i = m->by_lane.count - 1; i >= 0; i--) {
        found = (spe_by_lane_ *)m->by_lane.items + i;
        if (found->function != row.function) break;
        if (found->lanes != lanes || found->mask != mask) continue;
        if (memcmp(found->table, row.table, sizeof row.table) == 0) return found;
    }
    found = (spe_by_lane_ *)spe_list_add(m, &m->by_lane, sizeof *found);
    if (found) *found = row;
    return found;
}

/* Bit p of the mask in lane p. Of more than 32 lanes, each half has a word of it. */
static spe_id spe_mask_bit_(spe_module *m, uint64_t mask, int lanes)
{
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), one = spe_u32(m, 1), word = spe_u32(m, (uint32_t)mask);
    if (lanes > 32) {
        spe_id half = spe_u32(m, 32), high = spe_u32(m, (uint32_t)(mask >> 32));
        word = spe_select(m, spe_ult(m, lane, half), word, high);
        lane = spe_and(m, lane, spe_u32(m, 31));
    }
    return spe_and(m, spe_shr(m, word, lane), one);
}

static bool spe_has_lanes_(spe_module *m, int lanes)
{
    if (!m->open) SPE_ERROR_(m, NO_FUNCTION, "no function is open");
    else if (lanes < 1 || lanes > SPE_LANES_MOST_)
        SPE_ERROR_(m, RANGE, "%d lanes, wanted 1 to %d", lanes, SPE_LANES_MOST_);
    return !m->error.id;
}

/* Each bit of a table's numbers is a mask of lanes. */
static spe_id spe_emit_lane_number_(spe_module *m, const unsigned char *table, int lanes)
{
    spe_id sum = 0;
    for (int bit = 0; 1 << bit < lanes; bit++) {
        uint64_t mask = 0;
        for (int p = 0; p < lanes; p++) mask |= (uint64_t)(table[p] >> bit & 1) << p;
        if (mask == 0) continue;
        spe_id one = spe_mask_bit_(m, mask, lanes);
        one = bit ? spe_shl(m, one, spe_u32(m, (uint32_t)bit)) : one;
        sum = sum ? spe_or(m, sum, one) : one;
    }
    return sum ? sum : spe_u32(m, 0);
}

spe_id spe_lane_bit(spe_module *m, uint64_t mask, int lanes)
{
    spe_by_lane_ *row = spe_has_lanes_(m, lanes) ? spe_by_lane_at_(m, mask, NULL, lanes) : NULL;
    if (!row || row->id) return row ? row->id : 0;
    bool was = m->in_prologue;
    m->in_prologue = true;
    spe_id bit = spe_mask_bit_(m, mask, lanes);
    row->id = spe_ine(m, bit, spe_u32(m, 0));
    m->in_prologue = was;
    return row->id;
}

spe_id spe_lane_number(spe_module *m, const unsigned char *table, int lanes)
{
    spe_by_lane_ *row = spe_has_lanes_(m, lanes) ? spe_by_lane_at_(m, 0, table, lanes) : NULL;
    if (!row || row->id) return row ? row->id : 0;
    bool was = m->in_prologue;
    m->in_prologue = true;
    row->id = spe_emit_lane_number_(m, table, lanes);
    m->in_prologue = was;
    return row->id;
}
