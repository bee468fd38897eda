/* message.c - sends: loads, stores and atomics on global, local, scratch and payload memory, fences, barriers, the end
 * of a thread. A descriptor has the operation, and the extended one the surface: their fields are those of Intel's
 * programmer's manual ("LSC").
 */
#include <math.h>
#include <string.h>

#include "machine.h"

/* clang-format off */
enum lsc_operation {
    LSC_LOAD, LSC_LOAD_MASK = 2, LSC_LOAD_2D, LSC_STORE, LSC_STORE_MASK = 6, LSC_STORE_2D, LSC_INCREMENT, LSC_DECREMENT,
    LSC_ATOMIC_LOAD, LSC_ATOMIC_STORE, LSC_ADD, LSC_SUBTRACT, LSC_SMIN, LSC_SMAX, LSC_UMIN, LSC_UMAX, LSC_COMPARE_SWAP,
    LSC_FADD, LSC_FSUB, LSC_FMIN, LSC_FMAX, LSC_FCOMPARE_SWAP, LSC_AND, LSC_OR, LSC_XOR, LSC_FENCE = 31
};
/* clang-format on */

struct message {
    uint32_t operation, address_bytes, bytes, slot, count, mask; /* bytes in memory; in a register; elements per lane */
    bool transposed, is_load;
    uint32_t payload, data, data_bytes; /* offsets in the file: addresses, data */
    uint32_t stride;                    /* between elements of a lane */
    int32_t offset;
    uint32_t surface; /* 0: none, 2: scratch, 3: by number */
    uint64_t addresses[MAX_LANES]; /* read before any write, as a load may overwrite their registers */
};

/* ---- memory */

void xe_describe_site(struct xe_instruction *i)
{
    uint32_t operation = i->send.descriptor & 63, holes = operation == LSC_LOAD_2D ? XS_HOLES | XS_DWORDS : XS_HOLES;
    i->site.space = XS_SPACE_GLOBAL;
    i->site.flags = operation > LSC_STORE_2D ? XS_READS | XS_WRITES | XS_ATOMIC
                    : operation >= LSC_STORE ? XS_WRITES
                                             : XS_READS | holes; /* loaded in one piece, perhaps only partly used */
}

/* The host address of `bytes` at this address; NULL after reporting an invalid one. Global memory is not checked:
 * invalid accesses end the launch by a fault. */
static uint8_t *memory(struct xe_thread *t, const struct xe_instruction *i, const struct message *m, uint32_t lane,
                       uint64_t address, uint32_t bytes)
{
    struct xe_group *g = t->group;
    uint64_t size = g->payload_bytes, at = (uint32_t)address;
    uint8_t *base = g->payload;
    const char *what = "the payload";
    if (i->send.unit == XE_UGM && m->surface == 0 && m->address_bytes == 8)
        return xe_allowed(t, i, lane, address, bytes) ? (uint8_t *)(uintptr_t)address : NULL;
    if (i->send.unit == XE_SLM) {
        base = g->local, size = g->local_bytes, what = "local memory";
        at &= 0x0fffffff; /* the upper bits are a tag of the compiler */
    } else if (m->surface == 2 || i->send.unit == XE_SCRATCH) {
        base = t->scratch, size = g->scratch_bytes, what = "the thread's scratch memory";
    }
    if (at <= size && bytes <= size - at) return base + at;
    /* The compiler fills up to four registers at once, of which the last may be behind its own: they get zeros. */
    if (base == t->scratch && m->is_load && m->transposed && (uint32_t)m->addresses[lane] < size) return NULL;
    xe_broken(t, "an access to byte %llu of %s, which has %llu", (unsigned long long)at, what,
              (unsigned long long)size);
    return NULL;
}

/* ---- descriptors */

static bool read_descriptor(struct xe_thread *t, const struct xe_instruction *i, struct message *m)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 1, 2, 2, 0}, slots[] = {1, 2, 4, 8, 4, 4, 4, 0};
    static const uint8_t counts[] = {1, 2, 3, 4, 8, 16, 32, 64};
    uint32_t d = i->send.descriptor, e = i->send.extended;
    m->operation = d & 63;
    m->address_bytes = 1u << (d >> 7 & 3);
    m->bytes = sizes[d >> 9 & 7];
    m->slot = slots[d >> 9 & 7];
    m->transposed = d >> 15 & 1;
    m->count = counts[d >> 12 & 7];
    m->mask = UINT32_MAX;
    if (m->operation == LSC_LOAD_MASK || m->operation == LSC_STORE_MASK) {
        m->mask = d >> 12 & 15;
        m->count = (uint32_t)__builtin_popcount(m->mask);
        m->transposed = false;
    }
    m->surface = d >> 29 & 3;
    m->offset = m->surface == 0 ? (int32_t)e >> 12 : m->surface == 3 ? (int32_t)(e << 8) >> 20 : (int32_t)e >> 15;
    m->is_load = m->operation == LSC_LOAD || m->operation == LSC_LOAD_MASK;
    m->stride = (i->lanes * m->slot + GRF_BYTES - 1) / GRF_BYTES * GRF_BYTES;
    if (m->transposed) m->stride = m->slot;
    if (m->operation == LSC_LOAD_2D || m->operation == LSC_STORE_2D) return true;
    if (m->bytes && m->address_bytes > 1 && (!m->transposed || i->lanes == 1)) return true;
    xe_fail(t, "a message with a descriptor that is not supported");
    return false;
}

/* Copies registers whose numbers are bytes of s0 to a contiguous payload. */
static void gather(struct xe_thread *t, const struct xe_instruction *i, struct message *m, uint32_t length)
{
    uint32_t addresses = i->lanes * m->address_bytes;
    for (uint32_t n = 0; n < length; n++) {
        uint32_t from = t->file[AT_SCALAR + i->from[0].at + n] * (uint32_t)GRF_BYTES;
        memcpy(t->file + AT_STAGE + n * GRF_BYTES, t->file + from, GRF_BYTES);
        if (!xe_is_defined(t, from, i->lanes * 4u < GRF_BYTES ? i->lanes * 4u : GRF_BYTES))
            xe_broken(t, "a send of registers that nothing has written (r%u)", from / GRF_BYTES);
    }
    m->payload = AT_STAGE;
    m->data = AT_STAGE + (addresses + GRF_BYTES - 1) / GRF_BYTES * GRF_BYTES;
}

/* Finds the registers of payload and data. */
static bool find_registers(struct xe_thread *t, const struct xe_instruction *i, struct message *m)
{
    uint32_t length = i->send.descriptor >> 25 & 15, all = length + i->send.second_length;
    m->payload = i->from[0].at;
    m->data = i->from[1].at;
    m->data_bytes = i->send.second_length * (uint32_t)GRF_BYTES;
    if (i->send.gathered && i->from[0].at + length <= 2 * GRF_BYTES) {
        gather(t, i, m, length);
        m->data_bytes = AT_STAGE + length * GRF_BYTES > m->data ? AT_STAGE + length * GRF_BYTES - m->data : 0;
        return true;
    }
    if (i->from[0].where == XE_REGISTER && m->payload + length * GRF_BYTES <= AT_ACC &&
        m->data + i->send.second_length * GRF_BYTES <= AT_ACC)
        return true;
    xe_fail(t, "a send of %u registers that there are not", all);
    return false;
}

static void check_defined(struct xe_thread *t, uint32_t at, uint32_t bytes, const char *what)
{
    if (!xe_is_defined(t, at, bytes)) xe_broken(t, "a send whose %s nothing has written (r%u)", what, at / GRF_BYTES);
}

static void read_addresses(struct xe_thread *t, struct message *m, uint32_t mask)
{
    for (uint32_t lane = 0; mask; lane++, mask >>= 1) {
        uint32_t at = m->payload + lane * m->address_bytes;
        if (!(mask & 1)) continue;
        m->addresses[lane] = 0;
        memcpy(&m->addresses[lane], t->file + at, m->address_bytes);
        m->addresses[lane] += (uint64_t)(int64_t)m->offset;
        check_defined(t, at, m->address_bytes, "address");
    }
}

static uint32_t element_offset(const struct message *m, uint32_t k)
{
    uint32_t seen = 0;
    for (uint32_t c = 0; c < 4 && m->mask != UINT32_MAX; c++)
        if (m->mask >> c & 1 && seen++ == k) return c * m->bytes;
    return k * m->bytes;
}

/* ---- loads and stores */

static void load(struct xe_thread *t, const struct message *m, uint32_t to, const uint8_t *from)
{
    uint64_t bits = 0;
    if (to + m->slot > AT_ACC) {
        xe_fail(t, "a load past the last register");
        return;
    }
    if (from) memcpy(&bits, from, m->bytes);
    memcpy(t->file + to, &bits, m->slot);
    xe_define(t, to, m->slot);
    t->loaded += m->bytes;
}

static void store(struct xe_thread *t, const struct message *m, uint8_t *to, uint32_t from)
{
    if (from + m->slot > FILE_BYTES) {
        xe_fail(t, "a store past the last register");
        return;
    }
    if (m->surface != 2) check_defined(t, from, m->slot, "data"); /* spills may contain unused data */
    if (to) memcpy(to, t->file + from, m->bytes);
    t->stored += m->bytes;
}

/* Lanes may access any byte address, which Intel's compiler relies on; blocks may not. */
static void check_alignment(struct xe_thread *t, const struct message *m, uint64_t address)
{
    if (m->transposed && address % m->bytes)
        xe_broken(t, "an access of %u bytes at %#llx", m->bytes, (unsigned long long)address);
}

static void transfer(struct xe_thread *t, const struct xe_instruction *i, const struct message *m, uint32_t lane)
{
    uint32_t registers = m->is_load ? i->to.at : m->data;
    uint64_t base = m->addresses[lane];
    check_alignment(t, m, base);
    if (m->is_load && i->to.where == XE_NULL) return; /* a prefetch */
    for (uint32_t k = 0; k < m->count && t->stop != XE_FAILED; k++) {
        uint32_t at = registers + k * m->stride + (m->transposed ? 0 : lane * m->slot);
        uint8_t *there = memory(t, i, m, lane, base + element_offset(m, k), m->bytes);
        if (m->is_load)
            load(t, m, at, there);
        else
            store(t, m, there, at);
    }
}

/* ---- atomics */

static double number(uint32_t bytes, uint64_t bits)
{
    return xe_decode(bytes == 8 ? XE_DF : bytes == 4 ? XE_F : XE_HF, bits);
}

static uint64_t combined_floats(const struct message *m, uint64_t old, uint64_t a, uint64_t b)
{
    uint8_t type = m->bytes == 8 ? XE_DF : m->bytes == 4 ? XE_F : XE_HF;
    double x = number(m->bytes, old), y = number(m->bytes, a);
    switch (m->operation) {
    case LSC_FADD: return xe_encode(type, x + y, false);
    case LSC_FSUB: return xe_encode(type, x - y, false);
    case LSC_FMIN: return isnan(x) || y < x ? a : old;
    case LSC_FMAX: return isnan(x) || y > x ? a : old;
    default: return x == y ? b : old;
    }
}

static int64_t sign_extended(uint32_t bytes, uint64_t v)
{
    return (int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static uint64_t combined(const struct message *m, uint64_t old, uint64_t a, uint64_t b)
{
    int64_t x = sign_extended(m->bytes, old), y = sign_extended(m->bytes, a);
    switch (m->operation) {
    case LSC_INCREMENT: return old + 1;
    case LSC_DECREMENT: return old - 1;
    case LSC_ATOMIC_LOAD: return old;
    case LSC_ATOMIC_STORE: return a;
    case LSC_ADD: return old + a;
    case LSC_SUBTRACT: return old - a;
    case LSC_SMIN: return y < x ? a : old;
    case LSC_SMAX: return y > x ? a : old;
    case LSC_UMIN: return a < old ? a : old;
    case LSC_UMAX: return a > old ? a : old;
    case LSC_COMPARE_SWAP: return old == a ? b : old;
    case LSC_AND: return old & a;
    case LSC_OR: return old | a;
    case LSC_XOR: return old ^ a;
    default: return combined_floats(m, old, a, b);
    }
}

#define EXCHANGE(type)                                                                                                 \
    do {                                                                                                               \
        type old_ = __atomic_load_n((type *)(void *)p, __ATOMIC_SEQ_CST), next_;                                       \
        do next_ = (type)combined(m, old_, a, b);                                                                      \
        while (                                                                                                        \
            !__atomic_compare_exchange_n((type *)(void *)p, &old_, next_, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
        return old_;                                                                                                   \
    } while (0)

static uint64_t exchange(const struct message *m, uint8_t *p, uint64_t a, uint64_t b)
{
    if (m->bytes == 8) EXCHANGE(uint64_t);
    if (m->bytes == 4) EXCHANGE(uint32_t);
    EXCHANGE(uint16_t);
}

static uint32_t operands_of(uint32_t operation)
{
    if (operation == LSC_COMPARE_SWAP || operation == LSC_FCOMPARE_SWAP) return 2;
    return operation == LSC_INCREMENT || operation == LSC_DECREMENT || operation == LSC_ATOMIC_LOAD ? 0 : 1;
}

static void atomic(struct xe_thread *t, const struct xe_instruction *i, const struct message *m, uint32_t lane)
{
    uint64_t address = m->addresses[lane], operands[2] = {0, 0}, old;
    uint8_t *p = memory(t, i, m, lane, address, m->bytes);
    if (address % m->bytes || m->bytes == 1 || m->count != 1 || m->transposed) {
        xe_fail(t, "an atomic of %u bytes at %#llx", m->bytes, (unsigned long long)address);
        return;
    }
    for (uint32_t k = 0; k < operands_of(m->operation) && k * m->stride < m->data_bytes; k++) {
        uint32_t at = m->data + k * m->stride + lane * m->slot;
        check_defined(t, at, m->slot, "data");
        memcpy(&operands[k], t->file + at, m->bytes);
    }
    old = p ? exchange(m, p, operands[0], operands[1]) : 0;
    t->stored += m->bytes;
    if (i->to.where == XE_NULL) return;
    memcpy(t->file + i->to.at + lane * m->slot, &old, m->slot);
    xe_define(t, i->to.at + lane * m->slot, m->slot);
}

/* ---- messages */

static void to_memory(struct xe_thread *t, const struct xe_instruction *i)
{
    uint32_t mask = xe_mask(t, i);
    struct message m;
    if ((i->send.descriptor & 63) == LSC_FENCE) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        return;
    }
    if (!read_descriptor(t, i, &m) || !find_registers(t, i, &m)) return;
    if (i->to.where == XE_REGISTER && i->to.at % GRF_BYTES) {
        xe_fail(t, "a send to a part of a register");
        return;
    }
    if (m.operation == LSC_LOAD_2D || m.operation == LSC_STORE_2D) {
        if (mask & 1) xe_block2d(t, i, m.payload, m.data);
        return;
    }
    if (m.operation > LSC_XOR || (m.operation < LSC_INCREMENT && m.operation % 2)) {
        xe_fail(t, "a message that is not supported");
        return;
    }
    read_addresses(t, &m, mask);
    for (uint32_t lane = 0; lane < i->lanes && t->stop != XE_FAILED; lane++) {
        if (!(mask >> lane & 1)) continue;
        if (m.operation >= LSC_INCREMENT)
            atomic(t, i, &m, lane);
        else
            transfer(t, i, &m, lane);
    }
}

/* Transfers registers to and from scratch memory, as code with calls does: 32-byte pieces at an offset in the
 * descriptor. */
static void scratch_block(struct xe_thread *t, const struct xe_instruction *i)
{
    uint32_t d = i->send.descriptor, bytes = 32u << (d >> 12 & 3), at;
    bool is_store = d >> 17 & 1;
    const struct message m = {.surface = 2, .address_bytes = 4};
    uint8_t *there = memory(t, i, &m, 0, (d & 0xfff) * 32, bytes);
    at = is_store ? i->from[1].at : i->to.at;
    if (!there) return;
    if (at + bytes > AT_ACC) {
        xe_fail(t, "a scratch block past the last register");
        return;
    }
    if (is_store)
        memcpy(there, t->file + at, bytes);
    else
        memcpy(t->file + at, there, bytes);
    if (!is_store) xe_define(t, at, bytes);
}

static void arrive(struct xe_thread *t)
{
    struct xe_group *g = t->group;
    if (t->arrived) {
        xe_fail(t, "a barrier while the thread has not waited for the one before");
        return;
    }
    t->arrived = true;
    t->barrier_phase = g->phase;
    if (++g->arrived < g->thread_count) return;
    g->arrived = 0;
    g->phase++;
}

void xe_send(struct xe_thread *t, const struct xe_instruction *i)
{
    t->messages++;
    if (i->send.end) {
        t->stop = XE_ENDED;
        return;
    }
    switch (i->send.unit) {
    case XE_UGM:
    case XE_SLM: to_memory(t, i); break;
    case XE_SCRATCH: scratch_block(t, i); break;
    case XE_GATEWAY:
        if ((i->send.descriptor & 15) == 4)
            arrive(t);
        else
            xe_fail(t, "a message to the gateway that is not supported");
        break;
    default: xe_fail(t, "a message to a unit that is not supported");
    }
}
