/* block2d.c - 2D blocks: loads (plain, for dpas, transposed), prefetches and stores, within the surface described by
 * the payload. */
#include <string.h>

#include "machine.h"

struct block {
    uint64_t base;
    uint32_t surface_width, surface_height, pitch; /* bytes, rows, bytes */
    int64_t x, y;                                  /* elements, rows */
    uint32_t width, height, count, bytes;          /* elements, rows, blocks, per element */
    bool for_dpas, transposed, is_store, is_prefetch;
};

static void read_block(const struct xe_thread *t, const struct xe_instruction *i, uint32_t payload, struct block *b)
{
    uint32_t w[8], d = i->send.descriptor, e = i->send.extended;
    uint64_t wide = i->send.wide;
    memcpy(w, t->file + payload, sizeof w);
    b->base = w[0] | (uint64_t)w[1] << 32;
    b->surface_width = (w[2] & 0xffffff) + 1;
    b->surface_height = (w[3] & 0xffffff) + 1;
    b->pitch = (w[4] & 0xffffff) + 1;
    b->x = (int32_t)w[5];
    b->y = (int32_t)w[6];
    if (i->send.is_wide) { /* offsets of 12 bits, in elements and rows */
        b->x += (int64_t)(wide << 30) >> 52;
        b->y += (int64_t)(wide << 18) >> 52;
        b->bytes = 1u << (d >> 11 & 7);
        b->for_dpas = d >> 9 & 1;
        b->transposed = d >> 10 & 1;
    } else {
        b->x += (int32_t)(e << 10) >> 22;
        b->y += (int32_t)e >> 22;
        b->bytes = 1u << (d >> 9 & 7);
        b->for_dpas = d >> 7 & 1;
        b->transposed = d >> 15 & 1;
    }
    b->width = (w[7] & 0xff) + 1;
    b->height = (w[7] >> 8 & 0xff) + 1;
    b->count = (w[7] >> 16 & 15) + 1;
    b->is_store = (d & 63) == 7;
    b->is_prefetch = !b->is_store && i->to.where == XE_NULL;
    if (t->group->switches & XE_BREAK_TRANSPOSE) b->transposed = false;
}

static uint32_t power_of_two(uint32_t v) { return v < 2 ? 1 : 1u << (32 - __builtin_clz(v - 1)); }

/* The size of a block in registers, which are whole. */
static uint32_t block_bytes(const struct xe_thread *t, const struct block *b)
{
    uint32_t bytes =
        b->transposed ? power_of_two(b->height) * b->width * b->bytes : power_of_two(b->width) * b->height * b->bytes;
    return xe_whole_registers(t, bytes);
}

/* The hardware's rules for surfaces and blocks. */
static void check_rules(struct xe_thread *t, const struct block *b)
{
    const struct {
        bool broken;
        const char *rule;
    } rules[] = {
        {b->base % 64 != 0, "a surface that does not begin at a multiple of 64 bytes"},
        {b->surface_width < 64, "a surface less than 64 bytes wide"},
        {b->surface_width % 4 || b->surface_width % b->bytes,
         "a surface whose width is not a multiple of 4 bytes and of the element"},
        {b->pitch < b->surface_width, "a pitch below the width"},
        {b->pitch < 64 || b->pitch % 16, "a pitch that is not a multiple of 16 bytes, or less than 64"},
        {(uint32_t)b->x * b->bytes % 4, "a block that begins at a part of four bytes"},
        {b->width * b->bytes % 4 || b->width * b->bytes * b->count > 64,
         "blocks of more than 64 bytes a row, or a part of four"},
        {b->height > (b->is_store ? 8u : 32u), "a block of too many rows"},
        {b->for_dpas && (b->bytes > 2 || b->height * b->bytes % 4), "a block for dpas of such elements or rows"},
        {b->transposed && (b->bytes < 4 || b->count > 1 || b->width * b->bytes > 32),
         "a transposed block of such a size"},
        {b->count * block_bytes(t, b) > 32 * t->grf_bytes, "a block of more than 32 registers"},
        {b->is_store && (b->count > 1 || b->for_dpas || b->transposed), "a store of several blocks"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++)
        if (rules[k].broken)
            xe_broken(t, "a 2D block message: %s (base 0x%llx, width %u, pitch %u bytes; column %lld of %u bytes)",
                      rules[k].rule, (unsigned long long)b->base, b->surface_width, b->pitch, (long long)b->x,
                      b->bytes);
}

/* The element's position in registers, from the first one of its block. */
static uint32_t place(const struct xe_thread *t, const struct block *b, uint32_t row, uint32_t column)
{
    uint32_t group = 4 / b->bytes, within;
    if (b->transposed) return (column * power_of_two(b->height) + row) * b->bytes;
    if (!b->for_dpas) return (row * power_of_two(b->width) + column) * b->bytes;
    within = row % group;
    if (t->group->switches & XE_BREAK_VNNI) within = group - 1 - within;
    return (row / group * power_of_two(b->width) + column) * 4 + within * b->bytes;
}

/* NULL: outside the surface. */
static uint8_t *element(const struct block *b, int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || (uint64_t)(x + 1) * b->bytes > b->surface_width || y >= b->surface_height) return NULL;
    return (uint8_t *)(uintptr_t)(b->base + (uint64_t)y * b->pitch + (uint64_t)x * b->bytes);
}

static void move_element(struct xe_thread *t, const struct xe_instruction *i, const struct block *b, uint32_t at,
                         uint8_t *there)
{
    if (there && !xe_allowed(t, i, 0, (uintptr_t)there, b->bytes)) there = NULL;
    if (b->is_store) {
        if (there) memcpy(there, t->file + at, b->bytes);
        t->stored += b->bytes;
        return;
    }
    if (there)
        memcpy(t->file + at, there, b->bytes);
    else
        memset(t->file + at, 0, b->bytes);
    t->loaded += b->bytes;
}

void xe_block2d(struct xe_thread *t, const struct xe_instruction *i, uint32_t payload, uint32_t data)
{
    uint32_t size, at = i->to.at;
    struct block b;
    if (!xe_is_defined(t, payload, 32))
        xe_broken(t, "a 2D block message whose payload nothing has written (r%u)", payload / t->grf_bytes);
    read_block(t, i, payload, &b);
    if (b.bytes > 8) {
        xe_fail(t, "a 2D block message of such elements");
        return;
    }
    check_rules(t, &b);
    if (b.is_prefetch) return;
    if (b.is_store) at = data;
    size = block_bytes(t, &b);
    if (at + size * b.count > (at < AT_STAGE ? t->grf_end : FILE_BYTES)) { /* registers of a list are copied there */
        xe_fail(t, "a 2D block past the last register");
        return;
    }
    if (b.for_dpas && b.bytes > 2) {
        xe_fail(t, "a block for dpas of such elements");
        return;
    }
    if (b.is_store && !xe_is_defined(t, at, power_of_two(b.width) * b.height * b.bytes))
        xe_broken(t, "a 2D block store of registers that nothing has written");
    for (uint32_t n = 0; n < b.count; n++)
        for (uint32_t row = 0; row < b.height; row++)
            for (uint32_t column = 0; column < b.width; column++)
                move_element(t, i, &b, at + n * size + place(t, &b, row, column),
                             element(&b, b.x + n * b.width + column, b.y + row));
    if (!b.is_store) xe_define(t, at, size * b.count);
}
