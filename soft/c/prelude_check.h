/* prelude_check.h - what kernels in the checked mode call before memory accesses.
 *
 * This file's text follows prelude.h in kernels built with XETILE_SOFT_CHECK set, and check/check.h includes it.
 * Objects built this way run unchecked in a driver that does not check.
 */
#ifndef XETILE_SOFT_PRELUDE_CHECK_H
#define XETILE_SOFT_PRELUDE_CHECK_H

#include "abi.h"

/* XS_HOLES: contains padding, or is a copy: a fault only if none of it was ever written. XS_PARTS: parts of the value
 * are replaced and all of it is stored again: no fault. XS_WAIT: the second half of a split barrier. XS_NO_LOCAL,
 * XS_NO_GLOBAL: a barrier without a fence for such memory. XS_COPY: of private memory, of which anything may be copied.
 * XS_DWORDS: a 2D block, loaded in whole dwords; if a line of memory begins or ends within a dword, its neighbours
 * there may be outside or unwritten. XS_UNUSED: of lanes that have no use for the value; it must be
 * within bounds. */
enum {
    XS_READS = 1,
    XS_WRITES = 2,
    XS_ATOMIC = 4,
    XS_HOLES = 8,
    XS_PARTS = 16,
    XS_WAIT = 32,
    XS_NO_LOCAL = 64,
    XS_NO_GLOBAL = 128,
    XS_COPY = 256,
    XS_DWORDS = 512,
    XS_UNUSED = 1024
};
enum { XS_SPACE_ANY, XS_SPACE_GLOBAL, XS_SPACE_LOCAL, XS_SPACE_PRIVATE };

/* An instruction that accesses memory, or a barrier. */
struct xs_site {
    const char *text;      /* "OpStore %12 (word 345; saxpy.cl:7)" */
    const char *object;    /* the variable whose address is the root pointer: "local variable %5 (tile)" */
    uint64_t object_bytes; /* its size; 0: the root pointer, if any, points into an allocation */
    uint32_t flags, space;
};

/* Rows of bytes, `step` apart. */
struct xs_access {
    uint64_t address, bytes, rows, step, root;
    uint64_t each; /* not 0: one row, with this many bytes per lane from `lane` on */
    uint32_t lane; /* the lane to blame */
};

/* The surface of a two-dimensional block: bytes; its first column, in elements of so many bytes. */
struct xs_surface {
    uint64_t base;
    uint32_t width, pitch;
    int32_t x;
    uint32_t element;
};

/* A static local variable. */
struct xs_local {
    const char *name;
    uint64_t offset, bytes;
};

struct xs_check {
    /* Is it allowed? -1: not for all lanes of a row. */
    int (*access)(struct xs_subgroup *self, const struct xs_site *site, const struct xs_access *access);
    void (*barrier)(struct xs_subgroup *self, const struct xs_site *site, uint64_t bits);
    void (*stored)(struct xs_subgroup *self); /* after a store */
    void (*cleared)(struct xs_subgroup *self, uint64_t address, uint64_t bytes); /* local memory that is zeroed */
    void (*locals)(struct xs_subgroup *self, const struct xs_local *table, uint32_t count); /* of the kernel's module */
    /* Private memory becomes a variable's. */
    void (*begins)(struct xs_subgroup *self, uint64_t address, uint64_t bytes, int written);
    /* Lanes read unwritten items of a variable kept in C variables: see check_items. */
    void (*unwritten)(struct xs_subgroup *self, const struct xs_site *site, const uint64_t *written, uint32_t count,
                      uint32_t size, uint32_t first, uint64_t lanes);
    void (*surface)(struct xs_subgroup *self, const struct xs_site *site, const struct xs_surface *surface,
                    uint32_t lane);
};

#define XS_HELPER static inline __attribute__((unused))
#define XS_CALLED static __attribute__((noinline, unused))

/* These return the lanes of `bits` that may continue. */
XS_HELPER uint64_t check_rows(struct xs_subgroup *self, const struct xs_site *site, uint64_t address, uint64_t root,
                              uint64_t bytes, uint64_t rows, uint64_t step, uint64_t bits)
{
    const struct xs_check *check = self->check;
    struct xs_access a = {address, bytes, rows, step, root, 0, 0};
    if (!check || !bits) return bits;
    a.lane = (uint32_t)__builtin_ctzll(bits);
    return check->access(self, site, &a) ? bits : 0;
}

/* The active lanes' accesses as one, if they are adjacent; each == 0: they are not. */
XS_HELPER struct xs_access check_join(const uint64_t *address, const uint64_t *root, uint64_t bytes, uint64_t bits)
{
    uint32_t first = (uint32_t)__builtin_ctzll(bits), n = (uint32_t)__builtin_popcountll(bits);
    struct xs_access a = {address[first], bytes * n, 1, 0, root[first], bytes, first};
    if (n < 2 || bits >> first != ((uint64_t)1 << n) - 1) a.each = 0;
    for (uint32_t i = first; i < first + n && a.each; i++)
        if (address[i] != a.address + (i - first) * bytes || root[i] != a.root) a.each = 0;
    return a;
}

XS_CALLED uint64_t check_lanes(struct xs_subgroup *self, const struct xs_site *site, const uint64_t *address,
                               const uint64_t *root, uint64_t bytes, uint64_t bits)
{
    const struct xs_check *check = self->check;
    uint64_t left = bits;
    if (!check || !bits) return bits;
    struct xs_access all = check_join(address, root, bytes, bits);
    if (all.each && check->access(self, site, &all) > 0) return bits;
    for (; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctzll(left);
        struct xs_access a = {address[l], bytes, 1, 0, root[l], 0, l};
        if (!check->access(self, site, &a)) bits &= ~((uint64_t)1 << l);
    }
    return bits;
}

/* Checks the surface of a two-dimensional block, and the part of the block inside it. */
XS_CALLED uint64_t check_block2d(struct xs_subgroup *self, const struct xs_site *site, uint64_t surface, uint32_t width,
                                 uint32_t height, uint32_t pitch, int32_t x, int32_t y, uint64_t root,
                                 const uint32_t *shape, uint64_t bits)
{
    int64_t left = (int64_t)x * shape[0], right = left + (int64_t)shape[0] * shape[1] * shape[3];
    int64_t top = y, bottom = top + shape[2];
    const struct xs_check *check = self->check;
    const struct xs_surface all = {surface, width, pitch, x, shape[0]};
    if (check && bits) check->surface(self, site, &all, (uint32_t)__builtin_ctzll(bits));
    if (left < 0) left = 0;
    if (top < 0) top = 0;
    if (right > (int64_t)width) right = width;
    if (bottom > (int64_t)height) bottom = height;
    if (left >= right || top >= bottom) return bits;
    return check_rows(self, site, surface + (uint64_t)top * pitch + (uint64_t)left, root, (uint64_t)(right - left),
                      (uint64_t)(bottom - top), pitch, bits);
}

/* Checks a block read or write: item i of lane l is element i * S + l. */
XS_HELPER uint64_t check_run(struct xs_subgroup *self, const struct xs_site *site, uint64_t address, uint64_t root,
                             uint64_t bytes, uint64_t items, uint32_t size, uint64_t bits)
{
    uint64_t first = bits ? (uint64_t)__builtin_ctzll(bits) : 0, last = bits ? 63 - (uint64_t)__builtin_clzll(bits) : 0;
    return check_rows(self, site, address + first * bytes, root, (last - first + 1) * bytes, items, size * bytes, bits);
}

/* Calls a member of xs_check, if there are any. */
#define check_call(self, member, ...)                                                                                  \
    do {                                                                                                               \
        const struct xs_check *check_ = (self)->check;                                                                 \
        if (check_) check_->member(self, ##__VA_ARGS__);                                                               \
    } while (0)

/* For each item of a private variable kept in C variables, a mask has the lanes that have written it. Reading `count`
 * items, of which the `first` one of the variable is written[0] ... */
XS_HELPER void check_items(struct xs_subgroup *self, const struct xs_site *site, const uint64_t *written,
                           uint32_t count, uint32_t size, uint32_t first, uint64_t bits)
{
    const struct xs_check *check = self->check;
    uint64_t all = ~(uint64_t)0, some = 0;
    for (uint32_t i = 0; i < count; i++) {
        all &= written[i];
        some |= written[i];
    }
    bits &= ~(site->flags & XS_HOLES ? some : all);
    if (bits && check) check->unwritten(self, site, written, count, size, first, bits);
}

/* ... or writing, by these lanes. */
XS_HELPER void check_wrote(uint64_t *written, uint32_t count, uint64_t bits)
{
    for (uint32_t i = 0; i < count; i++) written[i] |= bits;
}

/* Items (of `size`) copied from another such variable count as written if any part of their source was. */
XS_HELPER void check_copied(uint64_t *to, uint32_t count, uint32_t size, const uint64_t *from, uint32_t from_size,
                            uint64_t bits)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t written = 0;
        for (uint32_t at = i * size; at < (i + 1) * size; at += size < from_size ? size : from_size)
            written |= from[at / from_size];
        to[i] = (to[i] & ~bits) | (written & bits);
    }
}

/* Their lifetime starts again. */
XS_HELPER void check_forget(uint64_t *written, uint32_t count, uint64_t bits)
{
    for (uint32_t i = 0; i < count; i++) written[i] &= ~bits;
}

/* With lane vectors, for the current subgroup size S. */
#define XS_CHECK_LANES(site, address, root, bytes, bits)                                                               \
    __extension__({                                                                                                    \
        u64x va_ = (address), vr_ = (root);                                                                            \
        u64 a_[S], r_[S];                                                                                              \
        __builtin_memcpy(a_, &va_, sizeof a_);                                                                         \
        __builtin_memcpy(r_, &vr_, sizeof r_);                                                                         \
        check_lanes(self, &site, a_, r_, bytes, bits);                                                                 \
    })

/* The same with a number of bytes for each lane. */
#define XS_CHECK_SIZES(site, address, root, bytes, bits)                                                               \
    __extension__({                                                                                                    \
        u64x va_ = (address), vr_ = (root), vb_ = (bytes);                                                             \
        u64 good_ = 0;                                                                                                 \
        XS_EACH (l, bits)                                                                                              \
            good_ |= vb_[l] ? check_rows(self, &site, va_[l], vr_[l], vb_[l], 1, 0, (u64)1 << l) : (u64)1 << l;        \
        good_;                                                                                                         \
    })

#endif
