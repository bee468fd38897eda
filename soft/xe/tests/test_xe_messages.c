/* test_xe_messages.c - messages to memory against their definition: random addresses, data, and numbers of lanes. The
 * code loads addresses and data, sends the message, and stores what it has returned. */
#include "xe_package.h"

enum { AREA = 4096, ADDRESSES = AREA, VALUES = ADDRESSES + 128, RESULTS = VALUES + 512, ALL = RESULTS + 512 };
static _Alignas(64) uint8_t memory[ALL], wanted[ALL];

/* r4.0: the address of memory, r4.2: its distance from the beginning of surface 3; r1 to r3: local ids. */
static const char xe_lp[] =
    "---\nkernels:\n  - name:            k\n    execution_env:\n      grf_count:       128\n"
    "      simd_size:       16\n      slm_size:        4096\n    payload_arguments:\n"
    "      - arg_type:        arg_bypointer\n        offset:          0\n        size:            8\n"
    "        arg_index:       0\n        addrmode:        stateless\n        addrspace:       global\n"
    "      - arg_type:        arg_bypointer\n        offset:          0\n        size:            0\n"
    "        arg_index:       0\n        addrmode:        stateful\n        addrspace:       global\n"
    "      - arg_type:        buffer_offset\n        offset:          8\n        size:            4\n"
    "        arg_index:       0\n"
    "    per_thread_payload_arguments:\n      - arg_type:        local_id\n        offset:          0\n"
    "        size:            96\n"
    "    binding_table_indices:\n      - bti_value:       3\n        arg_index:       0\n...\n";

enum deed {
    LOAD,
    STORE,
    ADD,
    SUBTRACT,
    AND,
    OR,
    XOR,
    SET,
    INCREMENT,
    DECREMENT,
    SMAX,
    SMIN,
    UMAX,
    UMIN,
    SWAP,
    FADD,
    FMAX,
    FMIN
};
struct row {
    const char *unit;
    enum deed deed;
    uint32_t type, control; /* of the descriptor */
    uint32_t lanes, address_bytes, bytes;
    uint32_t channels; /* a bit for each that is moved */
    bool returns;
};

#define LANES_16 0x10 /* of messages with channels; others have 8 */
#define LANES_8 0x20
#define RETURN 0x20
static const struct row rows[] = {
    {"dc1", LOAD, 0x01, LANES_16 | 0xe, 16, 4, 4, 1, false},
    {"dc1", LOAD, 0x01, LANES_16 | 0xc, 16, 4, 4, 3, false},
    {"dc1", LOAD, 0x01, LANES_16 | 0x0, 16, 4, 4, 15, false},
    {"dc1", LOAD, 0x01, LANES_8 | 0x5, 8, 4, 4, 10, false},
    {"dc1", STORE, 0x09, LANES_16 | 0xe, 16, 4, 4, 1, false},
    {"dc1", STORE, 0x09, LANES_16 | 0x8, 16, 4, 4, 7, false},
    {"dc1", STORE, 0x09, LANES_8 | 0x3, 8, 4, 4, 12, false},
    {"dc1", LOAD, 0x11, LANES_16 | 0xe, 16, 8, 4, 1, false},
    {"dc1", LOAD, 0x11, LANES_8 | 0x0, 8, 8, 4, 15, false},
    {"dc1", STORE, 0x19, LANES_8 | 0x8, 8, 8, 4, 7, false},
    {"dc0", LOAD, 0x04, 1 | 0 << 2, 16, 4, 1, 1, false},
    {"dc0", LOAD, 0x04, 1 | 1 << 2, 16, 4, 2, 1, false},
    {"dc0", LOAD, 0x04, 0 | 2 << 2, 8, 4, 4, 1, false},
    {"dc0", STORE, 0x0c, 1 | 0 << 2, 16, 4, 1, 1, false},
    {"dc0", STORE, 0x0c, 1 | 1 << 2, 16, 4, 2, 1, false},
    {"dc0", STORE, 0x0c, 0 | 2 << 2, 8, 4, 4, 1, false},
    {"dc1", LOAD, 0x10, 0x10 | 0 << 2 | 0, 16, 8, 1, 1, false},
    {"dc1", LOAD, 0x10, 0x10 | 1 << 2 | 0, 16, 8, 2, 1, false},
    {"dc1", LOAD, 0x10, 0x10 | 1 << 2 | 1, 16, 8, 4, 3, false},
    {"dc1", LOAD, 0x10, 0x00 | 2 << 2 | 1, 8, 8, 4, 15, false},
    {"dc1", LOAD, 0x10, 0x10 | 0 << 2 | 2, 16, 8, 8, 1, false},
    {"dc1", LOAD, 0x10, 0x00 | 1 << 2 | 2, 8, 8, 8, 3, false},
    {"dc1", STORE, 0x1a, 0x10 | 1 << 2 | 0, 16, 8, 2, 1, false},
    {"dc1", STORE, 0x1a, 0x10 | 0 << 2 | 1, 16, 8, 4, 1, false},
    {"dc1", STORE, 0x1a, 0x00 | 1 << 2 | 2, 8, 8, 8, 3, false},
    {"dc1", ADD, 0x02, RETURN | 7, 16, 4, 4, 1, true},
    {"dc1", SUBTRACT, 0x02, 0x10 | RETURN | 8, 8, 4, 4, 1, true},
    {"dc1", AND, 0x02, 1, 16, 4, 4, 1, false},
    {"dc1", OR, 0x12, RETURN | 2, 8, 8, 4, 1, true},
    {"dc1", XOR, 0x12, 3, 8, 8, 4, 1, false},
    {"dc1", SET, 0x12, RETURN | 4, 8, 8, 4, 1, true},
    {"dc1", INCREMENT, 0x12, RETURN | 5, 8, 8, 4, 1, true},
    {"dc1", DECREMENT, 0x02, RETURN | 6, 16, 4, 4, 1, true},
    {"dc1", SMAX, 0x02, 10, 16, 4, 4, 1, false},
    {"dc1", SMIN, 0x12, 11, 8, 8, 4, 1, false},
    {"dc1", UMAX, 0x12, 12, 8, 8, 4, 1, false},
    {"dc1", UMIN, 0x02, 13, 16, 4, 4, 1, false},
    {"dc1", SWAP, 0x12, RETURN | 14, 8, 8, 4, 1, true},
    {"dc1", ADD, 0x12, 0x10 | RETURN | 7, 8, 8, 8, 1, true},
    {"dc1", SWAP, 0x12, 0x10 | RETURN | 14, 8, 8, 8, 1, true},
    {"dc1", UMAX, 0x13, RETURN | 12, 8, 8, 2, 1, true},
    {"dc1", FADD, 0x1b, RETURN | 4, 16, 4, 4, 1, true},
    {"dc1", FMAX, 0x1b, 1, 16, 4, 4, 1, false},
    {"dc1", FMIN, 0x1d, RETURN | 2, 8, 8, 4, 1, true},
    {"dc1", FADD, 0x1d, 4, 8, 8, 4, 1, false},
};

/* ---- the definition */

static uint32_t slot(const struct row *r) { return r->bytes < 4 ? 4 : r->bytes; }

/* Where element `k` of a lane is in the registers. */
static uint32_t place(const struct row *r, uint32_t k, uint32_t lane)
{
    return k * ((r->lanes * slot(r) + 31) / 32 * 32) + lane * slot(r);
}

static int64_t with_sign(const struct row *r, uint64_t v)
{
    return (int64_t)(v << (64 - 8 * r->bytes)) >> (64 - 8 * r->bytes);
}

static float as_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

static uint64_t as_bits(float f)
{
    uint32_t low;
    memcpy(&low, &f, sizeof low);
    return low;
}

static uint64_t combined(const struct row *r, uint64_t old, uint64_t a, uint64_t b)
{
    switch (r->deed) {
    case ADD: return old + a;
    case SUBTRACT: return old - a;
    case AND: return old & a;
    case OR: return old | a;
    case XOR: return old ^ a;
    case INCREMENT: return old + 1;
    case DECREMENT: return old - 1;
    case SMAX: return with_sign(r, old) > with_sign(r, a) ? old : a;
    case SMIN: return with_sign(r, old) < with_sign(r, a) ? old : a;
    case UMAX: return old > a ? old : a;
    case UMIN: return old < a ? old : a;
    case SWAP: return old == a ? b : old;
    case FADD: return as_bits(as_float(old) + as_float(a));
    case FMAX: return as_float(old) > as_float(a) ? old : a;
    case FMIN: return as_float(old) < as_float(a) ? old : a;
    default: return a;
    }
}

static void define_lane(const struct row *r, uint32_t lane, uint8_t *there)
{
    uint8_t *values = wanted + VALUES, *results = wanted + RESULTS;
    uint64_t old = 0, a = 0, b = 0, next;
    for (uint32_t c = 0, k = 0; c < 4 && r->deed <= STORE; c++) {
        if (!(r->channels >> c & 1)) continue;
        uint32_t at = place(r, k++, lane);
        if (r->deed == LOAD) memset(results + at, 0, slot(r));
        memcpy(r->deed == LOAD ? results + at : there + c * r->bytes,
               r->deed == LOAD ? there + c * r->bytes : values + at, r->bytes);
    }
    if (r->deed <= STORE) return;
    memcpy(&old, there, r->bytes);
    memcpy(&a, values + place(r, 0, lane), r->bytes);
    memcpy(&b, values + place(r, 1, lane), r->bytes);
    next = combined(r, old, a, b);
    memcpy(there, &next, r->bytes);
    if (!r->returns) return;
    memset(results + place(r, 0, lane), 0, slot(r));
    memcpy(results + place(r, 0, lane), &old, r->bytes);
}

/* ---- the code */

#define HWORDS(unit, type, control, returned)                                                                          \
    (1u << 25 | (returned) << 20 | 1u << 19 | (type) << 14 | (control) << 8 | 0xff)

static uint32_t descriptor(const struct row *r, uint32_t surface)
{
    return 1u << 25 | r->type << 14 | r->control << 8 | (r->address_bytes == 8 ? 0xff : surface);
}

static void write_code(const struct row *r, uint32_t surface, char *code, size_t size)
{
    bool reads = r->deed == LOAD || r->returns,
         writes = r->deed != LOAD && r->deed != INCREMENT && r->deed != DECREMENT;
    int n = snprintf(code, size,
                     "(W) add (1|M0) r20.0<1>:q r4.0<0;1,0>:q %d:w\n(W) add (1|M0) r22.0<1>:q r4.0<0;1,0>:q %d:w\n"
                     "(W) add (1|M0) r24.0<1>:q r4.0<0;1,0>:q %d:w\n"
                     "(W) send.dc1 (16|M0) r30 r20 null 0x0 0x%08x\n(W) send.dc1 (16|M0) r40 r22 null 0x0 0x%08x\n"
                     "(W) send.dc1 (16|M0) r60 r24 null 0x0 0x%08x\n",
                     ADDRESSES, VALUES, RESULTS, HWORDS(dc1, 0x14, 0x1a, 4u), HWORDS(dc1, 0x14, 0x1c, 16u),
                     HWORDS(dc1, 0x14, 0x1c, 16u));
    if (r->address_bytes == 4 && surface == 3)
        n += snprintf(code + n, size - (size_t)n, "(W) add (16|M0) r30.0<1>:d r30.0<8;8,1>:d r4.2<0;1,0>:d\n");
    n += snprintf(code + n, size - (size_t)n, "send.%s (%u|M0) %s r30 %s 0x%x 0x%08x\n", r->unit, r->lanes,
                  reads ? "r60" : "null", writes ? "r40" : "null", writes ? 16u << 6 : 0, descriptor(r, surface));
    snprintf(code + n, size - (size_t)n,
             "(W) send.dc1 (16|M0) null r24 r60 0x400 0x%08x\n(W) send.ts (1|M0) null r0 null 0x0 0x02000010 {EOT}\n",
             HWORDS(dc1, 0x15, 0x1c, 0u));
}

/* ---- the comparison */

static void fill(const struct row *r, uint32_t items)
{
    for (uint32_t n = 0; n < ALL; n++) memory[n] = (uint8_t)(test_random() >> 24);
    for (uint32_t n = 0; r->deed >= FADD && n + 4 <= ADDRESSES; n += 4) {
        float f = (float)((double)(test_random() >> 40) * 0x1p-20 - 8);
        memcpy(memory + n, &f, sizeof f);
        if (n < 512) memcpy(memory + VALUES + n, &f, sizeof f);
    }
    for (uint32_t lane = 0; lane < r->lanes; lane++) {
        uint64_t at = (test_random() >> 20) % (AREA / 16) * 16 +
                      (r->deed <= STORE ? (test_random() >> 20) % 16 / r->bytes * r->bytes : 0);
        if (r->deed <= STORE) at = at % (AREA - 64);
        if (r->deed == SWAP && lane < items && (test_random() >> 30 & 1)) /* some are equal */
            memcpy(memory + VALUES + place(r, 0, lane), memory + at, r->bytes);
        if (r->address_bytes == 8) at += (uint64_t)(uintptr_t)memory;
        memcpy(memory + ADDRESSES + lane * r->address_bytes, &at, r->address_bytes);
    }
}

static void compare(const struct row *r, uint32_t items)
{
    char code[2048];
    uint32_t wrong = 0;
    fill(r, items);
    memcpy(wanted, memory, ALL);
    for (uint32_t lane = 0; lane < r->lanes && lane < items; lane++) {
        uint64_t at = 0;
        memcpy(&at, memory + ADDRESSES + lane * r->address_bytes, r->address_bytes);
        if (r->address_bytes == 8) at -= (uint64_t)(uintptr_t)memory;
        define_lane(r, lane, wanted + at);
    }
    write_code(r, 3, code, sizeof code);
    CHECK_MSG(run_for("tgl", xe_lp, code, memory, items) == 0, "%s", told);
    for (uint32_t n = 0; n < ALL; n++) wrong += memory[n] != wanted[n];
    CHECK_MSG(wrong == 0, "%s, type 0x%x, control 0x%x, %u lanes: %u bytes are wrong", r->unit, r->type, r->control,
              items, wrong);
}

TEST(data_ports_against_their_definition)
{
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        for (uint32_t round = 0; round < 4; round++)
            compare(&rows[k], round ? 1 + (uint32_t)(test_random() >> 30) % 16 : 16);
}

/* ---- Xe3P's descriptors of 64 bits: addresses of 32 or 64 bits, in bytes or elements, with an offset and a base */

static const char xe3p[] =
    "---\nkernels:\n  - name:            k\n    execution_env:\n      grf_count:       128\n"
    "      simd_size:       16\n      inline_data_payload_size: 64\n    payload_arguments:\n"
    "      - arg_type:        arg_bypointer\n        offset:          0\n        size:            8\n"
    "        arg_index:       0\n        addrspace:       global\n...\n";

enum form { A32_UNSIGNED, A32_SIGNED, A64 };
struct wide {
    enum form form;
    bool store, in_elements, has_base;
    uint32_t size, bytes, slot, count_bits, count;
    int32_t offset;
};

static int wide_block(char *to, size_t size, bool store, uint32_t data, uint32_t at)
{
    unsigned long long d = (store ? 4 : 0) | 7 << 7 | 1 << 10 | 2 << 11 | 2 << 14 | (unsigned long long)(at / 4) << 22;
    if (store) return snprintf(to, size, "(W) sendg.ugm (1|M0) null r1:1 r%u:4 0x%llx\n", data, d);
    return snprintf(to, size, "(W) sendg.ugm (1|M0) r%u r1:1 null:0 0x%llx\n", data, d);
}

static struct wide random_wide(void)
{
    static const uint8_t sizes[][3] = {{2, 4, 4}, {3, 8, 8}, {4, 1, 4}, {5, 2, 4}},
                         counts[][2] = {{0, 1}, {1, 2}, {3, 4}};
    uint32_t bits = (uint32_t)(test_random() >> 24);
    const uint8_t *size = sizes[bits & 3], *count = counts[bits >> 2 & 15 ? bits >> 2 & 1 : 2];
    struct wide w = {.form = (enum form)(bits >> 8 & 255) % 3,
                     .store = bits >> 16 & 1,
                     .in_elements = bits >> 17 & 1,
                     .has_base = bits >> 18 & 1,
                     .size = size[0],
                     .bytes = size[1],
                     .slot = size[2],
                     .count_bits = count[0],
                     .count = count[1],
                     .offset = (int32_t)(bits >> 19 & 31) - 16};
    if (w.form != A64 || w.in_elements) w.has_base = true;
    if (w.bytes < 4) w.count = 1, w.count_bits = 0;
    return w;
}

static void write_wide(const struct wide *w, char *code, size_t size)
{
    unsigned long long d = (w->store ? 4u : 0u) | w->count_bits << 7 | w->size << 11 | (uint32_t)w->form << 14 |
                           ((unsigned long long)(uint32_t)w->offset & 0x3fffff) << 22 |
                           (unsigned long long)w->in_elements << 44;
    uint32_t addresses = w->form == A64 ? 2 : 1, data = (16 * w->slot + 63) / 64 * w->count;
    int n = snprintf(code, size,
                     "(W) add (1|M0) s0.2<1>:q r1.0<0;1,0>:q %d:w\n"
                     "(W) mov (32|M0) a0.0<1>:uw 0xFFFF:uw\n",
                     AREA / 2); /* a0 is as long as s0 */
    n += wide_block(code + n, size - (size_t)n, false, 30, ADDRESSES);
    for (uint32_t k = 0; k < 2; k++) {
        n += wide_block(code + n, size - (size_t)n, false, 40 + 4 * k, VALUES + 256 * k);
        n += wide_block(code + n, size - (size_t)n, false, 60 + 4 * k, RESULTS + 256 * k);
    }
    n += snprintf(code + n, size - (size_t)n,
                  w->store ? "sendg.ugm (16|M0) null r30:%u r40:%u" : "sendg.ugm (16|M0) r60 r30:%u null:0", addresses,
                  data);
    n += snprintf(code + n, size - (size_t)n, "%s 0x%llx\n", w->has_base ? " s0.16" : "", d);
    for (uint32_t k = 0; k < 2; k++) n += wide_block(code + n, size - (size_t)n, true, 60 + 4 * k, RESULTS + 256 * k);
    snprintf(code + n, size - (size_t)n, "(W) sendg.gtwy (1|M0) null r0:1 null:0 0x0 {EOT}\n");
}

static void compare_wide(const struct wide *w)
{
    char code[4096];
    uint32_t wrong = 0, stride = (16 * w->slot + 63) / 64 * 64, unit = w->in_elements ? w->bytes * w->count : 1;
    int64_t base = (int64_t)(uintptr_t)memory + AREA / 2, places[16];
    for (uint32_t n = 0; n < ALL; n++) memory[n] = (uint8_t)(test_random() >> 24);
    for (uint32_t lane = 0; lane < 16; lane++) { /* within AREA, apart */
        int64_t at = (int64_t)(lane * 7 % 16 * 128) + 128 + (int64_t)(test_random() >> 40) % 8 * 8, stored;
        if (w->form == A32_SIGNED) at -= AREA / 2 - 512;
        stored = at / unit;
        places[lane] = base + stored * unit + w->offset * (int64_t)w->bytes;
        if (!w->has_base) stored += base;
        memcpy(memory + ADDRESSES + lane * (w->form == A64 ? 8 : 4), &stored, w->form == A64 ? 8 : 4);
    }
    memcpy(wanted, memory, ALL);
    for (uint32_t lane = 0; lane < 16; lane++)
        for (uint32_t k = 0; k < w->count; k++) {
            uint8_t *there = wanted + (places[lane] - (int64_t)(uintptr_t)memory) + k * w->bytes;
            uint8_t *data = wanted + (w->store ? VALUES : RESULTS) + k * stride + lane * w->slot;
            if (!w->store) memset(data, 0, w->slot);
            memcpy(w->store ? there : data, w->store ? data : there, w->bytes);
        }
    write_wide(w, code, sizeof code);
    CHECK_MSG(run_for("cri", xe3p, code, memory, 16) == 0, "%s", told);
    for (uint32_t n = 0; n < ALL; n++) wrong += memory[n] != wanted[n];
    CHECK_MSG(wrong == 0, "%u bytes, %u of them, address %d%s%s, offset %d: %u bytes are wrong", w->bytes, w->count,
              w->form, w->in_elements ? " in elements" : "", w->has_base ? " and a base" : "", w->offset, wrong);
}

TEST(wide_descriptors_against_their_definition)
{
    for (int round = 0; round < 400; round++) {
        const struct wide w = random_wide();
        compare_wide(&w);
    }
}

/* ---- Xe3 lists registers in s0: of a 2D block, one with its payload and those of its rows, in any order */

enum { PITCH = 128, SURFACE = 16, COLUMNS = 16, ROWS = 8 }; /* of 2 bytes: a register has two rows */

/* Loads 4 registers; of both kinds of descriptors. */
static int load_registers(char *to, size_t size, bool is_wide, uint32_t data, uint32_t at)
{
    if (is_wide) return wide_block(to, size, false, data, at);
    return snprintf(to, size, "(W) send.ugm (1|M0) r%u r1 null:0 0x%x 0x0240F580\n", data, at << 12);
}

static void write_list(bool is_wide, const uint8_t list[5], char *code, size_t size)
{
    int n = load_registers(code, size, is_wide, 20, ADDRESSES);
    n += load_registers(code + n, size - (size_t)n, is_wide, 30, VALUES);
    n += snprintf(code + n, size - (size_t)n, "(W) mov (16|M0) r%u.0<1>:ud r20.0<1;1,0>:ud\n", list[0]);
    for (uint32_t k = 1; k < 5; k++)
        n += snprintf(code + n, size - (size_t)n, "(W) mov (16|M0) r%u.0<1>:ud r%u.0<1;1,0>:ud\n", list[k], 29 + k);
    n += snprintf(code + n, size - (size_t)n, "(W) mov (1|M0) s0.0<1>:ud 0x%02x%02x%02x%02x:ud\n", list[3], list[2],
                  list[1], list[0]);
    n += snprintf(code + n, size - (size_t)n, "(W) mov (1|M0) s0.1<1>:ud 0x%02x:ud\n", list[4]);
    snprintf(code + n, size - (size_t)n, "%s",
             is_wide ? "sendg.ugm (1|M0) null r[s0.0]:5 0x807\n(W) sendg.gtwy (1|M0) null r0:1 null:0 0x0 {EOT}\n"
                     : "send.ugm (1|M0) null r[s0.0] 0x0 0x0A000207\n"
                       "(W) send.gtwy (1|M0) null r0 null:0 0x0 0x02000010 {EOT}\n");
}

static void compare_list(bool is_wide, const uint8_t list[5])
{
    char code[2048];
    uint32_t wrong = 0, payload[8] = {0, 0, PITCH - 1, SURFACE - 1, PITCH - 1, 0, 0, (ROWS - 1) << 8 | (COLUMNS - 1)};
    int x = (int)(test_random() >> 40) % 40 * 2 - 8, y = (int)(test_random() >> 40) % 20 - 4; /* parts are outside */
    uint64_t base = (uint64_t)(uintptr_t)memory;
    for (uint32_t n = 0; n < ALL; n++) memory[n] = (uint8_t)(test_random() >> 24);
    memcpy(payload, &base, sizeof base);
    payload[5] = (uint32_t)x, payload[6] = (uint32_t)y;
    memcpy(memory + ADDRESSES, payload, sizeof payload);
    memcpy(wanted, memory, ALL);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            if (x + column >= 0 && x + column < PITCH / 2 && y + row >= 0 && y + row < SURFACE)
                memcpy(wanted + (y + row) * PITCH + (x + column) * 2, memory + VALUES + (row * COLUMNS + column) * 2,
                       2);
    write_list(is_wide, list, code, sizeof code);
    CHECK_MSG(run_for(is_wide ? "cri" : "wcl", xe3p, code, memory, 1) == 0, "%s", told);
    for (uint32_t n = 0; n < ALL; n++) wrong += memory[n] != wanted[n];
    CHECK_MSG(wrong == 0, "%s, at %d, %d: %u bytes are wrong", is_wide ? "cri" : "wcl", x, y, wrong);
}

TEST(blocks_of_listed_registers)
{
    static const uint8_t lists[][5] = {{40, 41, 42, 43, 44}, {126, 50, 127, 49, 2}, {60, 63, 62, 61, 59}};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
        for (int round = 0; round < 16; round++) compare_list(round & 1, lists[k]);
}

/* What one message stores to local memory, another loads from there. */
TEST(local_memory)
{
    static const struct row store = {"dc1", STORE, 0x09, LANES_16 | 0xc, 16, 4, 4, 3, false},
                            load = {"dc0", LOAD, 0x04, 1 | 2 << 2, 16, 4, 4, 1, false};
    char first[2048], second[2048], *end;
    fill(&store, 16);
    for (uint32_t lane = 0; lane < 16; lane++) { /* apart */
        uint32_t at = (lane * 7 % 16) * 16;
        memcpy(memory + ADDRESSES + lane * 4, &at, sizeof at);
    }
    write_code(&store, 254, first, sizeof first);
    write_code(&load, 254, second, sizeof second);
    end = strstr(first, "(W) send.dc1 (16|M0) null r24");
    CHECK(end);
    strcpy(end, strstr(second, "send.dc0"));
    CHECK_MSG(run_for("tgl", xe_lp, first, memory, 16) == 0, "%s", told);
    CHECK(memcmp(memory + RESULTS, memory + VALUES, 64) == 0);
}

TEST(what_is_unknown_is_named)
{
    static const struct {
        const char *line, *why;
    } wrong[] = {
        {"send.dc1 (16|M0) r60 r30 null 0x0 0x02000003\n", "a message that is not supported"},
        {"send.dc1 (16|M0) r60 r30 null 0x0 0x02020003\n", "a message that is not supported"},
        {"send.dc1 (16|M0) r60 r30 null 0x0 0x02005e07\n", "a surface that no argument has"},
        {"send.dc1 (16|M0) r60 r30 null 0x0 0x02004e03\n", "a descriptor that is not supported"},
        {"send.dc0 (16|M0) r60 r30 null 0x0 0x02010c03\n", "a descriptor that is not supported"},
        {"send.dc0 (16|M0) r127 r30 null 0x0 0x02010903\n", "past the last register"},
        {"send.dc0 (16|M0) r60 r120 null 0x0 0x1e010903\n", "registers that there are not"},
        {"math.frob (16|M0) r20.0<1>:f r10.0<8;8,1>:f\n", "an instruction that is not supported"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char code[512];
        snprintf(code, sizeof code,
                 "(W) mov (16|M0) r30.0<1>:d r4.2<0;1,0>:d\n%s(W) send.ts (1|M0) null r0 null 0x0 0x02000010 {EOT}\n",
                 wrong[k].line);
        CHECK_MSG(run_for("tgl", xe_lp, code, memory, 16) != 0 && strstr(told, wrong[k].why), "%s: %s", wrong[k].line,
                  told);
    }
}

int main(void)
{
    setenv("XETILE_SOFT_ISA", "tgl", 1);
    RUN(data_ports_against_their_definition);
    RUN(wide_descriptors_against_their_definition);
    RUN(blocks_of_listed_registers);
    RUN(local_memory);
    RUN(what_is_unknown_is_named);
    return test_report();
}
