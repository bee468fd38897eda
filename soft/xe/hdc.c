/* hdc.c - descriptors of messages to the data ports dc0 and dc1, which came before the load-store unit: Xe-LP has only
 * them, later targets a few. Bits 0 to 7 number the surface, 8 to 13 are the message's own, 14 to 18 its type.
 */
#include "message.h"

static uint32_t control(const struct xe_instruction *i) { return i->send.descriptor >> 8 & 63; }

/* How a message's own bits are read: elements of lanes; channels of dwords; blocks at an address in a header; atomics.
 */
enum form { NOT_SUPPORTED, FENCE, BYTES, SCATTERED, CHANNELS, BLOCK, WIDE_BLOCK, ATOMIC, FLOAT_ATOMIC };
static const struct type {
    uint8_t unit, type, form, operation;
    uint8_t address_bytes, bytes; /* of an element, if all have the same size */
    uint8_t unit_of_address;
} types[] = {
    {XE_DC0, 0x00, BLOCK, XE_LOAD, 4, 4, 16},        {XE_DC0, 0x01, BLOCK, XE_LOAD, 4, 4, 1},
    {XE_DC0, 0x08, BLOCK, XE_STORE, 4, 4, 16},       {XE_DC0, 0x04, BYTES, XE_LOAD, 4, 0, 1},
    {XE_DC0, 0x0c, BYTES, XE_STORE, 4, 0, 1},        {XE_DC0, 0x07, FENCE, XE_FENCE, 0, 0, 0},
    {XE_DC1, 0x01, CHANNELS, XE_LOAD_MASK, 4, 4, 1}, {XE_DC1, 0x09, CHANNELS, XE_STORE_MASK, 4, 4, 1},
    {XE_DC1, 0x11, CHANNELS, XE_LOAD_MASK, 8, 4, 1}, {XE_DC1, 0x19, CHANNELS, XE_STORE_MASK, 8, 4, 1},
    {XE_DC1, 0x10, SCATTERED, XE_LOAD, 8, 0, 1},     {XE_DC1, 0x1a, SCATTERED, XE_STORE, 8, 0, 1},
    {XE_DC1, 0x14, WIDE_BLOCK, XE_LOAD, 8, 4, 1},    {XE_DC1, 0x15, WIDE_BLOCK, XE_STORE, 8, 4, 1},
    {XE_DC1, 0x02, ATOMIC, XE_INCREMENT, 4, 4, 1},   {XE_DC1, 0x12, ATOMIC, XE_INCREMENT, 8, 4, 1},
    {XE_DC1, 0x03, ATOMIC, XE_INCREMENT, 4, 2, 1},   {XE_DC1, 0x13, ATOMIC, XE_INCREMENT, 8, 2, 1},
    {XE_DC1, 0x1b, FLOAT_ATOMIC, XE_FADD, 4, 4, 1},  {XE_DC1, 0x1d, FLOAT_ATOMIC, XE_FADD, 8, 4, 1},
    {XE_DC1, 0x1c, FLOAT_ATOMIC, XE_FADD, 4, 2, 1},  {XE_DC1, 0x1e, FLOAT_ATOMIC, XE_FADD, 8, 2, 1},
};

static const struct type *type_of(const struct xe_instruction *i)
{
    static const struct type none = {0};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        if (types[k].unit == i->send.unit && types[k].type == (i->send.descriptor >> 14 & 31)) return &types[k];
    return &none;
}

/* By number; XE_NO_MESSAGE: not supported. Increments and decrements have no operand. */
static uint8_t atomic_of(const struct xe_instruction *i, const struct type *type)
{
    static const uint8_t integers[16] = {
        XE_NO_MESSAGE, XE_AND,        XE_OR,   XE_XOR,  XE_ATOMIC_STORE, XE_INCREMENT, XE_DECREMENT,    XE_ADD,
        XE_SUBTRACT,   XE_NO_MESSAGE, XE_SMAX, XE_SMIN, XE_UMAX,         XE_UMIN,      XE_COMPARE_SWAP, XE_NO_MESSAGE};
    static const uint8_t floats[8] = {XE_NO_MESSAGE, XE_FMAX, XE_FMIN, XE_FCOMPARE_SWAP,
                                      XE_FADD,       XE_FSUB, XE_FADD, XE_FSUB};
    return type->form == FLOAT_ATOMIC ? floats[control(i) & 7] : integers[control(i) & 15];
}

uint32_t xe_hdc_operation(const struct xe_instruction *i)
{
    const struct type *type = type_of(i);
    if (type->form == NOT_SUPPORTED) return XE_NO_MESSAGE;
    return type->form >= ATOMIC ? atomic_of(i, type) : type->operation;
}

/* ---- the sizes of each form */

/* Lanes that a message has registers for, whatever the instruction's: 16 or 8. */
static uint32_t lanes_of(const struct xe_instruction *i, const struct type *type)
{
    uint32_t c = control(i);
    switch (type->form) {
    case BYTES: return c & 1 ? 16 : 8;
    case SCATTERED: return c & 16 ? 16 : 8;
    case CHANNELS: return (c >> 4 & 3) == 1 ? 16 : 8;
    case ATOMIC:
    case FLOAT_ATOMIC: return type->address_bytes == 8 || c & 16 ? 8 : 16;
    default: return 1;
    }
}

/* Dwords of a block: 1, 1, 2, 4, 8 or 16 times 16 bytes, of which x1H is the upper half of a register; or 1, 2, 4 ...
 * times 32 bytes. 0: not supported. */
static uint32_t dwords_of(const struct xe_instruction *i, const struct type *type)
{
    static const uint8_t owords[8] = {1, 0, 2, 4, 8, 16, 0, 0};
    uint32_t c = control(i), kind = type->form == WIDE_BLOCK ? c >> 3 & 3 : 0;
    if (kind == 3) return 8u << (c & 7);
    return kind == 2 ? 0 : owords[c & 7] * 4u;
}

static void read_sizes(const struct xe_instruction *i, const struct type *type, struct xe_message *m)
{
    static const uint8_t in_bytes[4] = {1, 2, 4, 0};
    uint32_t c = control(i);
    m->bytes = type->bytes;
    m->count = 1;
    switch (type->form) {
    case BYTES: m->bytes = in_bytes[c >> 2 & 3]; break;
    case SCATTERED: /* up to four bytes are one element; dwords and quadwords are several */
        m->bytes = (c & 3) == 1 ? 4 : (c & 3) == 2 ? 8 : (c & 3) == 0 ? in_bytes[c >> 2 & 3] : 0;
        if (c & 3) m->count = 1u << (c >> 2 & 3);
        break;
    case CHANNELS:
        m->mask = ~c & 15; /* bits are set for channels that are not moved */
        m->count = (uint32_t)__builtin_popcount(m->mask);
        break;
    case BLOCK:
    case WIDE_BLOCK:
        m->block = true;
        m->count = dwords_of(i, type);
        m->header = type->address_bytes == 4 ? 8 : 0;
        break;
    case ATOMIC:
        if (type->address_bytes == 8 && type->bytes == 4 && c & 16) m->bytes = 8;
        break;
    case FLOAT_ATOMIC:
        if (type->bytes == 4 && (c & 7) >= 6) m->bytes = 8;
        break;
    default: break;
    }
    m->slot = m->bytes < 4 ? 4 : m->bytes;
}

bool xe_hdc_read(struct xe_thread *t, const struct xe_instruction *i, struct xe_message *m)
{
    const struct type *type = type_of(i);
    uint32_t lanes = lanes_of(i, type);
    read_sizes(i, type, m);
    if (!m->bytes || !m->count || (!m->block && lanes < i->lanes) ||
        (type->form == CHANNELS && (control(i) >> 4 & 3) % 3 == 0)) {
        xe_fail(t, "a message with a descriptor that is not supported");
        return false;
    }
    m->lanes = m->block ? 1 : i->lanes;
    m->address_bytes = type->address_bytes;
    m->unit_of_address = type->unit_of_address;
    m->stride = m->block ? m->slot : xe_whole_registers(t, lanes * m->slot);
    m->memory = type->address_bytes == 8 ? XE_GLOBAL : XE_PAYLOAD;
    return type->address_bytes == 8 || xe_surface_by_number(t, i, i->send.descriptor & 255, m);
}
