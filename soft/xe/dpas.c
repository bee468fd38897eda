/* dpas.c - the systolic product: eight dwords deep, up to eight rows, one column per lane of a register.
 *
 * In lane n, row r of the sum increases by the dot product of row r of the third operand (shared by all lanes) with
 * lane n's column in the second operand. Products are exact; floats are summed stage by stage, rounding after each.
 * bdpas has two more operands, bytes of E8M0: the scales of columns and of rows, for 32 values of k each.
 */
#include <math.h>
#include <string.h>

#include "machine.h"

enum { DEPTH = 8, LANES = 16, STEPS = 8, MOST = DEPTH * STEPS }; /* STEPS: values of k per stage, for 4 or 2 bits */
enum {
    SCALED = 32,
    BLOCKS = MOST / SCALED,
    BLOCK_BYTES = 32
}; /* bdpas: values of k that share a scale; from block to block */

static double element(const struct xe_thread *t, uint8_t type, uint32_t at, uint32_t index)
{
    const struct xe_type_info *info = &xe_types[type];
    uint32_t dword, value;
    memcpy(&dword, t->file + at, sizeof dword);
    value = info->bits < 32 ? dword >> index * info->bits & ((1u << info->bits) - 1) : dword;
    if (info->kind == XE_FLOAT) return xe_decode(type, value);
    if (info->kind == XE_SIGNED && value >> (info->bits - 1)) return (double)value - (double)(1u << info->bits);
    return value;
}

struct product {
    uint32_t steps;                                /* values of k per stage */
    float rows[DEPTH][MOST], columns[MOST][LANES]; /* which hold all values of an operand's types */
    bool scaled;
    double row_scales[BLOCKS][DEPTH], column_scales[BLOCKS][LANES];
};

static uint32_t in_dword(const struct xe_operand *o) { return 32u / xe_types[o->type].bits; }

static uint32_t steps_of(const struct xe_instruction *i)
{
    uint32_t b = in_dword(&i->from[1]), a = in_dword(&i->from[2]), steps = a < b ? a : b;
    return steps < STEPS ? steps : STEPS;
}

static void read_operands(const struct xe_thread *t, const struct xe_instruction *i, struct product *p)
{
    const struct xe_operand *b = &i->from[1], *a = &i->from[2];
    uint32_t in_b = in_dword(b), in_a = in_dword(a), count = steps_of(i) * DEPTH,
             wrong = t->group->switches & XE_BREAK_DPAS;
    p->steps = steps_of(i);
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t n = 0; n < i->lanes; n++)
            p->columns[k][n] = (float)element(t, b->type, b->at + k / in_b * t->grf_bytes + n * 4, k % in_b);
        for (uint32_t r = 0; r < i->passes; r++) {
            uint32_t row = wrong ? i->passes - 1 - r : r;
            p->rows[r][k] = (float)element(t, a->type, a->at + (row * count / in_a + k / in_a) * 4, k % in_a);
        }
    }
}

static double scale(const struct xe_thread *t, const struct xe_operand *o, uint32_t block, uint32_t index)
{
    uint8_t byte = t->file[o->at + block * BLOCK_BYTES + index];
    return byte == 255 ? NAN : ldexp(1, byte - 127);
}

static void read_scales(const struct xe_thread *t, const struct xe_instruction *i, struct product *p)
{
    p->scaled = i->operation == XE_bdpas;
    for (uint32_t block = 0; p->scaled && block * SCALED < p->steps * DEPTH; block++) {
        for (uint32_t n = 0; n < i->lanes; n++) p->column_scales[block][n] = scale(t, &i->scales[0], block, n);
        for (uint32_t r = 0; r < i->passes; r++) p->row_scales[block][r] = scale(t, &i->scales[1], block, r);
    }
}

static double dot(const struct product *p, uint32_t row, uint32_t lane, double sum, bool is_float)
{
    for (uint32_t stage = 0; stage < DEPTH; stage++) {
        for (uint32_t k = stage * p->steps; k < (stage + 1) * p->steps; k++) {
            double product = (double)p->rows[row][k] * (double)p->columns[k][lane];
            if (p->scaled) product *= p->row_scales[k / SCALED][row] * p->column_scales[k / SCALED][lane];
            sum += product;
        }
        if (is_float) sum = (double)(float)sum;
    }
    return sum;
}

static bool is_sound(struct xe_thread *t, const struct xe_instruction *i)
{
    const struct xe_operand *o[] = {&i->to, &i->from[0], &i->from[1], &i->from[2]};
    uint32_t count = steps_of(i) * DEPTH, row = count / in_dword(o[3]) * 4;
    if (i->lanes != t->grf_bytes / 4) {
        xe_fail(t, "a dpas of %u lanes", i->lanes);
        return false;
    }
    for (int k = 0; k < 4; k++) {
        uint32_t bytes = xe_types[o[k]->type].bits / 8u * i->lanes * i->passes;
        if (k == 2) bytes = count / in_dword(o[2]) * t->grf_bytes;
        if (k == 3) bytes = row * i->passes;
        if (k == 1 && o[k]->where == XE_NULL) continue;
        if (o[k]->where != XE_REGISTER || o[k]->at + bytes > t->grf_end) {
            xe_fail(t, "a dpas whose operands are not registers");
            return false;
        }
        if (o[k]->at % (k == 3 ? row : t->grf_bytes))
            xe_broken(t, "a dpas operand that begins within a register, or a row");
        if (!xe_is_defined(t, o[k]->at, bytes) && k)
            xe_broken(t, "a dpas that reads registers which nothing has written");
    }
    return true;
}

static bool scales_are_sound(struct xe_thread *t, const struct xe_instruction *i)
{
    uint32_t blocks = (steps_of(i) * DEPTH + SCALED - 1) / SCALED;
    for (uint32_t k = 0; k < 2; k++) {
        const struct xe_operand *o = &i->scales[k];
        uint32_t bytes = k ? i->passes : i->lanes;
        if (o->where != XE_REGISTER || xe_types[o->type].bits != 8 || !xe_is_float(i->to.type) ||
            o->at + (blocks - 1) * BLOCK_BYTES + bytes > t->grf_end) {
            xe_fail(t, "a bdpas whose scales are not bytes in registers");
            return false;
        }
        for (uint32_t block = 0; block < blocks; block++)
            if (!xe_is_defined(t, o->at + block * BLOCK_BYTES, bytes))
                xe_broken(t, "a bdpas that reads scales which nothing has written");
    }
    return true;
}

static double read_sum(const struct xe_thread *t, const struct xe_instruction *i, uint32_t row, uint32_t lane)
{
    const struct xe_operand *o = &i->from[0];
    uint32_t bytes = xe_types[o->type].bits / 8u;
    uint64_t bits = 0;
    if (o->where == XE_NULL) return 0;
    memcpy(&bits, t->file + o->at + (row * i->lanes + lane) * bytes, bytes);
    if (xe_is_float(o->type)) return xe_decode(o->type, bits);
    return o->type == XE_UD ? (double)(uint32_t)bits : (double)(int32_t)bits;
}

static void write_sum(struct xe_thread *t, const struct xe_instruction *i, uint32_t row, uint32_t lane, double sum)
{
    uint32_t bytes = xe_types[i->to.type].bits / 8u;
    uint64_t bits = xe_is_float(i->to.type) ? xe_encode(i->to.type, sum, false) : (uint64_t)(int64_t)sum;
    memcpy(t->file + i->to.at + (row * i->lanes + lane) * bytes, &bits, bytes);
}

void xe_dpas(struct xe_thread *t, const struct xe_instruction *i)
{
    struct product p;
    double sums[DEPTH][LANES];
    uint32_t mask = xe_mask(t, i);
    if (i->overwritten) return;
    if (!is_sound(t, i) || (i->operation == XE_bdpas && !scales_are_sound(t, i))) return;
    read_operands(t, i, &p);
    read_scales(t, i, &p);
    for (uint32_t r = 0; r < i->passes; r++)
        for (uint32_t n = 0; n < i->lanes; n++)
            sums[r][n] = dot(&p, r, n, read_sum(t, i, r, n), xe_is_float(i->to.type));
    for (uint32_t r = 0; r < i->passes; r++)
        for (uint32_t n = 0; n < i->lanes; n++)
            if (mask >> n & 1) write_sum(t, i, r, n, sums[r][n]);
    xe_define(t, i->to.at, xe_types[i->to.type].bits / 8u * i->lanes * i->passes);
    t->dpas++;
}
