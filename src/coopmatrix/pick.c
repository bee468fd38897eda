/* pick.c - values that move between lanes as tables say. */
#include "internal.h"

/* A value that was moved: `from` tells which lane each lane has it from. */
typedef struct {
    spe_id from, id;
    int next;
} cm_moved_;

/* Moves a value: lane p gets that of lane table[p]. What was moved so before is used again. */
static spe_id cm_move_value_(cm_ctx *c, cm_picker *p, int which, const unsigned char *table)
{
    spe_module *m = c->module;
    int lanes = c->target.subgroup_size;
    spe_id from = spe_lane_number(m, table, lanes), id;
    bool same = true;
    for (int i = p->moved_first[which]; i;) {
        const cm_moved_ *moved = (const cm_moved_ *)p->moved.items + i;
        if (moved->from == from) return moved->id;
        i = moved->next;
    }
    for (int lane = 1; lane < lanes; lane++) same = same && table[lane] == table[0];
    if (!spe_ok(m)) return 0;
    if (same) id = spe_sg_broadcast(m, p->value[which], cm_i32_(c, (int)table[0]));
    else id = spe_sg_shuffle(m, p->value[which], from);
    cm_moved_ *moved = (cm_moved_ *)spe_list_add(m, &p->moved, sizeof *moved);
    if (!moved) return id;
    moved->from = from;
    moved->id = id;
    moved->next = p->moved_first[which];
    p->moved_first[which] = p->moved.count - 1;
    return id;
}

bool cm_picker_init(cm_ctx *c, cm_picker *p, const spe_id *values, int count)
{
    memset(p, 0, sizeof *p);
    p->value = values;
    p->moved_first = (int *)spe_alloc(c->module, (size_t)count * sizeof *p->moved_first);
    if (!p->moved_first) return false;
    memset(p->moved_first, 0, (size_t)count * sizeof *p->moved_first);
    return spe_list_add(c->module, &p->moved, sizeof(cm_moved_)) != NULL; /* the first is none */
}

spe_id cm_pick(cm_ctx *c, cm_picker *p, const int *from)
{
    unsigned char table[CM_LANES];
    const int lanes = c->target.subgroup_size;
    uint64_t done = 0, mask;
    spe_id got = 0, one;
    int q;
    for (int lane = 0; lane < lanes; lane++) {
        bool in_place = true;
        int first = from[lane] % CM_LANES;
        if (from[lane] < 0 || (done >> lane & 1)) continue;
        for (mask = 0, q = lane; q < lanes; q++) {
            if (from[q] < 0 || from[q] / CM_LANES != from[lane] / CM_LANES) continue;
            mask |= (uint64_t)1 << q;
            in_place = in_place && from[q] % CM_LANES == q;
        }
        for (q = 0; q < lanes; q++) table[q] = (unsigned char)(mask >> q & 1 ? from[q] % CM_LANES : first);
        one = in_place ? p->value[from[lane] / CM_LANES] : cm_move_value_(c, p, from[lane] / CM_LANES, table);
        got = got ? spe_select(c->module, spe_lane_bit(c->module, mask, lanes), one, got) : one;
        done |= mask;
    }
    return got ? got : p->value[0];
}
