/* The blocks of functions (ir/blocks.c): post-dominators of random graphs against their definition. */
#include "test.h"

#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 12, EDGES = BLOCKS + 2, GRAPHS = 20000 };

struct graph {
    struct sp_function f;
    struct sp_block block[BLOCKS];
    uint32_t succ[BLOCKS][EDGES], pred[BLOCKS][EDGES];
};

static uint32_t state;

static uint32_t random_below(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

static void connect(struct graph *t, uint32_t from, uint32_t to)
{
    struct sp_block *a = &t->block[from], *b = &t->block[to];
    for (uint32_t k = 0; k < a->succ_count; k++)
        if (a->succ[k] == to) return;
    if (to == 0) return; /* nothing leads to the entry */
    a->succ[a->succ_count++] = to;
    b->pred[b->pred_count++] = from;
}

/* Marks what is reached from a block without passing through `without`: forwards, or backwards. */
static void walk(const struct graph *t, uint32_t from, uint32_t without, bool back, uint8_t *seen)
{
    const struct sp_block *b = &t->block[from];
    if (from == without || seen[from]) return;
    seen[from] = 1;
    for (uint32_t k = 0; k < (back ? b->pred_count : b->succ_count); k++)
        walk(t, back ? b->pred[k] : b->succ[k], without, back, seen);
}

/* Every block is reached from an earlier one, and so from the entry. */
static void make_graph(struct graph *t)
{
    memset(t, 0, sizeof *t);
    t->f.blocks = t->block;
    t->f.block_count = 1 + random_below(BLOCKS);
    for (uint32_t b = 0; b < t->f.block_count; b++) {
        t->block[b].succ = t->succ[b];
        t->block[b].pred = t->pred[b];
    }
    for (uint32_t b = 1; b < t->f.block_count; b++) connect(t, random_below(4) ? b - 1 : random_below(b), b);
    for (uint32_t n = random_below(2 * BLOCKS); n--;)
        connect(t, random_below(t->f.block_count), random_below(t->f.block_count));
}

/* Which blocks have an edge to the end: those without successors, and one of each part that never ends. */
static void find_ends(const struct graph *t, const uint32_t *rpo, uint8_t *ends)
{
    uint8_t seen[BLOCKS] = {0};
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = t->f.block_count; i-- > 0;) {
            if (seen[rpo[i]] || (pass == 0 && t->block[rpo[i]].succ_count)) continue;
            ends[rpo[i]] = 1;
            walk(t, rpo[i], UINT32_MAX, true, seen);
        }
}

/* Do all ways from the block to the end lead through `p`? */
static bool is_behind(const struct graph *t, const uint8_t *ends, uint32_t p, uint32_t block)
{
    uint8_t seen[BLOCKS] = {0};
    walk(t, block, p, false, seen);
    for (uint32_t b = 0; b < t->f.block_count; b++)
        if (seen[b] && ends[b]) return false;
    return p != block;
}

/* The first block that all ways from this one lead through; the number of blocks: there is only the end. */
static uint32_t nearest(const struct graph *t, const uint8_t *ends, uint32_t block)
{
    uint32_t n = t->f.block_count;
    for (uint32_t p = 0; p < n; p++) {
        bool first = is_behind(t, ends, p, block);
        for (uint32_t q = 0; q < n && first; q++)
            first = q == p || !is_behind(t, ends, q, block) || is_behind(t, ends, q, p);
        if (first) return p;
    }
    return n;
}

TEST(post_dominators)
{
    uint32_t endless = 0;
    for (uint32_t seed = 0; seed < GRAPHS; seed++) {
        struct graph t;
        state = seed;
        make_graph(&t);
        uint8_t ends[BLOCKS] = {0};
        struct cg_block block[BLOCKS] = {{0}};
        struct cg_function fn = {.f = &t.f, .block = block};
        struct sp_text log = {0};
        struct cg g = {.m = NULL, .log = &log};
        cg_order_blocks(&g, &fn);
        cg_find_post_dominators(&g, &fn);
        find_ends(&t, fn.rpo, ends);
        for (uint32_t b = 0; b < t.f.block_count; b++) {
            uint32_t should = nearest(&t, ends, b);
            endless += ends[b] && t.block[b].succ_count;
            CHECK_MSG(block[b].ipdom == should, "graph %u, block %u: %u instead of %u", seed, b, block[b].ipdom,
                      should);
        }
        cg_free(&g);
    }
    CHECK(endless > GRAPHS / 10);
}

int main(void)
{
    RUN(post_dominators);
    return test_report();
}
