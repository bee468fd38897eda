/* message.c - sends: loads, stores and atomics on global, local, scratch and payload memory, fences, barriers, the end
 * of a thread. What a descriptor says is read by lsc.c and hdc.c.
 */
#include <math.h>
#include <string.h>

#include "message.h"

static uint32_t operation_of(const struct xe_instruction *i)
{
    return i->send.unit == XE_UGM || i->send.unit == XE_SLM ? xe_lsc_operation(i) : xe_hdc_operation(i);
}

void xe_describe_site(struct xe_instruction *i)
{
    uint32_t operation = operation_of(i), holes = operation == XE_LOAD_2D ? XS_HOLES | XS_DWORDS : XS_HOLES;
    i->site.space = XS_SPACE_GLOBAL;
    i->site.flags = operation > XE_STORE_2D ? XS_READS | XS_WRITES | XS_ATOMIC
                    : operation >= XE_STORE ? XS_WRITES
                                            : XS_READS | holes; /* loaded in one piece, perhaps only partly used */
}

/* ---- memory */

/* The host address of `bytes` at this address; NULL after reporting an invalid one. Global memory is not checked:
 * invalid accesses end the launch by a fault. */
static uint8_t *memory(struct xe_thread *t, const struct xe_instruction *i, const struct xe_message *m, uint32_t lane,
                       uint64_t address, uint32_t bytes)
{
    struct xe_group *g = t->group;
    uint64_t size = g->payload_bytes, at = (uint32_t)address;
    uint8_t *base = g->payload;
    const char *what = "the payload";
    switch (m->memory) {
    case XE_GLOBAL: return xe_allowed(t, i, lane, address, bytes) ? (uint8_t *)(uintptr_t)address : NULL;
    case XE_BUFFER: at += m->base; return xe_allowed(t, i, lane, at, bytes) ? (uint8_t *)(uintptr_t)at : NULL;
    case XE_LOCAL:
        base = g->local, size = g->local_bytes, what = "local memory";
        at &= 0x0fffffff; /* the upper bits are a tag of the compiler */
        break;
    case XE_SCRATCH: base = t->scratch, size = g->scratch_bytes, what = "the thread's scratch memory"; break;
    case XE_PAYLOAD:
        if (at < xe_scratch_address(t)) break;
        base = t->scratch, size = g->scratch_bytes, what = "the thread's scratch memory";
        at -= xe_scratch_address(t);
        break;
    }
    if (at <= size && bytes <= size - at) return base + at;
    /* The compiler fills up to four registers at once, of which the last may be behind its own: they get zeros. */
    if (base == t->scratch && m->is_load && m->block && (uint32_t)m->addresses[lane] < size) return NULL;
    xe_broken(t, "an access to byte %llu of %s, which has %llu", (unsigned long long)at, what,
              (unsigned long long)size);
    return NULL;
}

/* ---- registers */

/* Copies registers whose numbers are bytes of s0 to a contiguous payload. */
static void gather(struct xe_thread *t, const struct xe_instruction *i, struct xe_message *m, uint32_t length)
{
    bool is_2d = m->operation == XE_LOAD_2D || m->operation == XE_STORE_2D; /* a register tells of the block */
    uint32_t addresses = is_2d ? t->grf_bytes : i->lanes * m->address_bytes;
    bool all = xe_mask(t, i) == (i->lanes == 32 ? UINT32_MAX : (1u << i->lanes) - 1); /* else parts may be unwritten */
    for (uint32_t n = 0; n < length; n++) {
        uint32_t from = t->file[AT_SCALAR + i->from[0].at + n] * t->grf_bytes;
        memcpy(t->file + AT_STAGE + n * t->grf_bytes, t->file + from, t->grf_bytes);
        if (all && !xe_is_defined(t, from, i->lanes * 4u < t->grf_bytes ? i->lanes * 4u : t->grf_bytes))
            xe_broken(t, "a send of registers that nothing has written (r%u)", from / t->grf_bytes);
    }
    m->payload = AT_STAGE;
    m->data = AT_STAGE + xe_whole_registers(t, addresses);
}

/* Finds the registers of payload and data. */
static bool find_registers(struct xe_thread *t, const struct xe_instruction *i, struct xe_message *m)
{
    uint32_t length = i->send.is_wide ? i->send.first_length : i->send.descriptor >> 25 & 15,
             all = length + i->send.second_length;
    m->payload = i->from[0].at;
    m->data = i->from[1].at;
    m->data_bytes = i->send.second_length * t->grf_bytes;
    if (i->send.gathered && i->from[0].at + length <= SCALAR_BYTES) {
        gather(t, i, m, length);
        m->data_bytes = AT_STAGE + length * t->grf_bytes > m->data ? AT_STAGE + length * t->grf_bytes - m->data : 0;
        return true;
    }
    if (i->from[0].where == XE_REGISTER && m->payload + length * t->grf_bytes <= t->grf_end &&
        m->data + i->send.second_length * t->grf_bytes <= t->grf_end)
        return true;
    xe_fail(t, "a send of %u registers that there are not", all);
    return false;
}

static void check_defined(struct xe_thread *t, uint32_t at, uint32_t bytes, const char *what)
{
    if (!xe_is_defined(t, at, bytes))
        xe_broken(t, "a send whose %s nothing has written (r%u)", what, at / t->grf_bytes);
}

static void read_addresses(struct xe_thread *t, struct xe_message *m, uint32_t mask)
{
    for (uint32_t lane = 0; mask && lane < m->lanes; lane++, mask >>= 1) {
        uint32_t at = m->payload + m->header + lane * m->address_bytes;
        if (!(mask & 1)) continue;
        m->addresses[lane] = 0;
        memcpy(&m->addresses[lane], t->file + at, m->address_bytes);
        if (m->signed_addresses) m->addresses[lane] = (uint64_t)(int64_t)(int32_t)m->addresses[lane];
        m->addresses[lane] = m->addresses[lane] * m->unit_of_address + (uint64_t)m->offset;
        check_defined(t, at, m->address_bytes, "address");
    }
}

static uint32_t element_offset(const struct xe_message *m, uint32_t k)
{
    uint32_t seen = 0;
    for (uint32_t c = 0; c < 4 && m->mask != UINT32_MAX; c++)
        if (m->mask >> c & 1 && seen++ == k) return c * m->bytes;
    return k * m->bytes;
}

/* ---- loads and stores */

static void load(struct xe_thread *t, const struct xe_message *m, uint32_t to, const uint8_t *from)
{
    uint64_t bits = 0;
    if (to + m->slot > t->grf_end) {
        xe_fail(t, "a load past the last register");
        return;
    }
    if (from) memcpy(&bits, from, m->bytes);
    memcpy(t->file + to, &bits, m->slot);
    xe_define(t, to, m->slot);
    t->loaded += m->bytes;
}

static void store(struct xe_thread *t, const struct xe_message *m, uint8_t *to, uint32_t from)
{
    if (from + m->slot > FILE_BYTES) {
        xe_fail(t, "a store past the last register");
        return;
    }
    if (m->memory != XE_SCRATCH) check_defined(t, from, m->slot, "data"); /* spills may contain unused data */
    if (to) memcpy(to, t->file + from, m->bytes);
    t->stored += m->bytes;
}

/* Lanes may access any byte address, which Intel's compiler relies on; blocks may not. */
static void check_alignment(struct xe_thread *t, const struct xe_message *m, uint64_t address)
{
    if (m->block && address % m->bytes)
        xe_broken(t, "an access of %u bytes at %#llx", m->bytes, (unsigned long long)address);
}

static void transfer(struct xe_thread *t, const struct xe_instruction *i, const struct xe_message *m, uint32_t lane)
{
    uint32_t registers = m->is_load ? i->to.at : m->data;
    uint64_t base = m->addresses[lane];
    check_alignment(t, m, base);
    if (m->is_load && i->to.where == XE_NULL) return; /* a prefetch */
    for (uint32_t k = 0; k < m->count && t->stop != XE_FAILED; k++) {
        uint32_t at = registers + k * m->stride + (m->block ? 0 : lane * m->slot);
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

static uint64_t combined_floats(const struct xe_message *m, uint64_t old, uint64_t a, uint64_t b)
{
    uint8_t type = m->bytes == 8 ? XE_DF : m->bytes == 4 ? XE_F : XE_HF;
    double x = number(m->bytes, old), y = number(m->bytes, a);
    switch (m->operation) {
    case XE_FADD: return xe_encode(type, x + y, false);
    case XE_FSUB: return xe_encode(type, x - y, false);
    case XE_FMIN: return isnan(x) || y < x ? a : old;
    case XE_FMAX: return isnan(x) || y > x ? a : old;
    default: return x == y ? b : old;
    }
}

static int64_t sign_extended(uint32_t bytes, uint64_t v)
{
    return (int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static uint64_t combined(const struct xe_message *m, uint64_t old, uint64_t a, uint64_t b)
{
    int64_t x = sign_extended(m->bytes, old), y = sign_extended(m->bytes, a);
    switch (m->operation) {
    case XE_INCREMENT: return old + 1;
    case XE_DECREMENT: return old - 1;
    case XE_ATOMIC_LOAD: return old;
    case XE_ATOMIC_STORE: return a;
    case XE_ADD: return old + a;
    case XE_SUBTRACT: return old - a;
    case XE_SMIN: return y < x ? a : old;
    case XE_SMAX: return y > x ? a : old;
    case XE_UMIN: return a < old ? a : old;
    case XE_UMAX: return a > old ? a : old;
    case XE_COMPARE_SWAP: return old == a ? b : old;
    case XE_AND: return old & a;
    case XE_OR: return old | a;
    case XE_XOR: return old ^ a;
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

static uint64_t exchange(const struct xe_message *m, uint8_t *p, uint64_t a, uint64_t b)
{
    if (m->bytes == 8) EXCHANGE(uint64_t);
    if (m->bytes == 4) EXCHANGE(uint32_t);
    EXCHANGE(uint16_t);
}

static uint32_t operands_of(uint32_t operation)
{
    if (operation == XE_COMPARE_SWAP || operation == XE_FCOMPARE_SWAP) return 2;
    return operation == XE_INCREMENT || operation == XE_DECREMENT || operation == XE_ATOMIC_LOAD ? 0 : 1;
}

static void atomic(struct xe_thread *t, const struct xe_instruction *i, const struct xe_message *m, uint32_t lane)
{
    uint64_t address = m->addresses[lane], operands[2] = {0, 0}, old;
    uint8_t *p = memory(t, i, m, lane, address, m->bytes);
    if (address % m->bytes || m->bytes == 1 || m->count != 1 || m->block) {
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

static void fence(struct xe_thread *t, const struct xe_instruction *i)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (i->to.where == XE_REGISTER && i->to.at + t->grf_bytes <= t->grf_end) xe_define(t, i->to.at, t->grf_bytes);
}

static void to_memory(struct xe_thread *t, const struct xe_instruction *i)
{
    uint32_t mask = xe_mask(t, i), operation = operation_of(i);
    struct xe_message m = {.operation = operation, .mask = UINT32_MAX, .lanes = i->lanes, .unit_of_address = 1};
    if (operation == XE_FENCE) {
        fence(t, i);
        return;
    }
    if (operation > XE_XOR || operation == XE_LOAD + 1 || operation == XE_STORE + 1) {
        xe_fail(t, "a message that is not supported");
        return;
    }
    m.is_load = operation == XE_LOAD || operation == XE_LOAD_MASK;
    if (!(i->send.unit >= XE_DC0 ? xe_hdc_read(t, i, &m) : xe_lsc_read(t, i, &m)) || !find_registers(t, i, &m)) return;
    if (i->to.where == XE_REGISTER && i->to.at % t->grf_bytes) {
        xe_fail(t, "a send to a part of a register");
        return;
    }
    if (operation == XE_LOAD_2D || operation == XE_STORE_2D) {
        if (mask & 1) xe_block2d(t, i, m.payload, m.data);
        return;
    }
    if (m.lanes == 1 && m.block) mask = mask != 0;
    read_addresses(t, &m, mask);
    for (uint32_t lane = 0; lane < m.lanes && t->stop != XE_FAILED; lane++) {
        if (!(mask >> lane & 1)) continue;
        if (operation >= XE_INCREMENT)
            atomic(t, i, &m, lane);
        else
            transfer(t, i, &m, lane);
    }
}

/* Transfers registers to and from scratch memory: 32-byte pieces at an offset in the descriptor. Dwords of lanes that
 * do not execute are not written, in the mode that does so. */
static void scratch_block(struct xe_thread *t, const struct xe_instruction *i)
{
    uint32_t d = i->send.descriptor, bytes = 32u << (d >> 12 & 3), at, mask = xe_mask(t, i);
    bool is_store = d >> 17 & 1, by_lanes = d >> 16 & 1;
    const struct xe_message m = {.memory = XE_SCRATCH, .is_load = !is_store, .block = true};
    uint8_t *there;
    at = is_store ? i->from[1].at : i->to.at;
    if (at + bytes > t->grf_end) {
        xe_fail(t, "a scratch block past the last register");
        return;
    }
    for (uint32_t n = 0; n < bytes; n += 4) {
        if (by_lanes && !(mask >> n / 4 % i->lanes & 1)) continue;
        there = memory(t, i, &m, 0, (d & 0xfff) * 32 + n, 4);
        if (is_store && there)
            memcpy(there, t->file + at + n, 4);
        else if (there)
            memcpy(t->file + at + n, there, 4);
        else if (!is_store)
            memset(t->file + at + n, 0, 4);
    }
    if (!is_store) xe_define(t, at, bytes);
}

static void arrive(struct xe_thread *t, uint32_t at)
{
    struct xe_group *g = t->group;
    if (t->barriers[at].arrived) {
        xe_fail(t, "a barrier while the thread has not waited for the one before");
        return;
    }
    t->barriers[at].arrived = true;
    t->barriers[at].phase = g->barriers[at].phase;
    if (++g->barriers[at].arrived < g->thread_count) return;
    g->barriers[at].arrived = 0;
    g->barriers[at].phase++;
}

/* Byte 8 of the payload numbers the barrier. Bytes 10 and 11: how many threads signal it, and how many wait; bits 14
 * and 15 of bytes 8 and 9: whether this thread only does one of both. Intel's compiler makes split barriers of such, at
 * which all threads do both. */
static void arrive_at_number(struct xe_thread *t, const struct xe_operand *payload)
{
    const uint8_t *p = payload->where == XE_REGISTER ? t->file + payload->at + 8 : NULL;
    const bool all = p && p[1] >> 6 == 0 && p[2] == t->group->thread_count && p[3] == p[2];
    if (!p || *p >= XE_BARRIERS || (*p && !all))
        xe_fail(t, "a named barrier that is not of all threads");
    else
        arrive(t, *p);
}

static void to_gateway(struct xe_thread *t, const struct xe_instruction *i)
{
    switch (i->send.descriptor & 15) {
    case 4:
        if (!t->group->kernel->machine->target->family->named_apart)
            arrive_at_number(t, &i->from[0]);
        else
            arrive(t, 0);
        break;
    case 5: arrive_at_number(t, &i->from[0]); break;
    default: xe_fail(t, "a message to the gateway that is not supported");
    }
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
    case XE_SLM:
    case XE_DC1: to_memory(t, i); break;
    case XE_DC0:
        if (i->send.descriptor >> XE_DC0_SCRATCH & 1)
            scratch_block(t, i);
        else
            to_memory(t, i);
        break;
    case XE_GATEWAY: to_gateway(t, i); break;
    default: xe_fail(t, "a message to a unit that is not supported");
    }
}
