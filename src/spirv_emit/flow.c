/* flow.c - structured control flow: regions with sides or a body, and the phis of the values that leave them. */
#include "internal.h"

/* Opens a region in state `kind`; NULL and an error if none can be opened here. */
static spe_region_ *spe_open_(spe_module *m, const char *name, int kind)
{
    if (!spe_may_branch_(m, name)) return NULL;
    if (!spe_grow_(m, &m->regions, &m->region_capacity, m->region_count + 1, sizeof *m->regions, 16)) return NULL;
    spe_region_ *r = &m->regions[m->region_count++];
    memset(r, 0, sizeof *r);
    r->kind = kind;
    r->file = m->file;
    r->line = m->line;
    r->serial = m->serial;
    r->stack = (uint32_t)m->buffer[SPE_BUFFER_STACK_].count;
    return r;
}

/* The innermost region; an error of the call `name` unless its state is `kind` or `other`. */
static spe_region_ *spe_innermost_(spe_module *m, const char *name, int kind, int other)
{
    spe_region_ *r = m->region_count ? &m->regions[m->region_count - 1] : NULL;
    m->doing = name;
    if (m->in_prologue) spe_error_(m, SPE_ERR_PROLOGUE, "not in the prologue");
    else if (!r) spe_error_(m, SPE_ERR_REGION_CROSSED, "no region is open");
    else if (r->kind != kind && r->kind != other) {
        m->doing = NULL;
        spe_error_(m, SPE_ERR_REGION_CROSSED, "%s does not fit here: the innermost open region is the %s", name,
                   spe_region_text_(m, r));
    }
    return m->error.id ? NULL : r;
}

/* Ends the current block with a jump to `label`; returns the block's label, or 0 if it is unreachable. */
static spe_id spe_jump_(spe_module *m, spe_id label)
{
    spe_id from = m->dead ? 0 : m->block;
    if (from) spe_write_(m, SPE_BUFFER_BODY_, SPE_OpBranch, 1, label);
    else if (m->block) spe_write_(m, SPE_BUFFER_BODY_, SPE_OpUnreachable, 0);
    m->block = 0;
    return from;
}

/* Branches to a new block if the condition holds, else to `no`; opens the new block. */
XE_ONCE_
static void spe_branch_if_(spe_module *m, spe_id condition, spe_id no)
{
    spe_id yes = spe_new_label_(m);
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpBranchConditional, 3, condition, yes, no);
    spe_label_(m, yes, false);
}

/* Checks a side's values while they are in scope. */
static bool spe_check_values_(spe_module *m, uint32_t n, const spe_id *values)
{
    for (uint32_t i = 0; i < n && spe_operand_(m, values[i]); i++) continue;
    return !m->error.id;
}

/* Pushes (label, values) of a side, or of a loop's entry. */
static bool spe_push_values_(spe_module *m, spe_id label, uint32_t n, const spe_id *values)
{
    uint32_t *at = spe_push_(m, SPE_BUFFER_STACK_, n + 1);
    if (!at) return false;
    at[0] = label;
    if (n) memcpy(at + 1, values, n * sizeof *values);
    return true;
}

/* All sides carry the same number of values and types, which are those of the first; a loop's are those on entry. */
static bool spe_check_carried_(spe_module *m, const spe_region_ *r, uint32_t n, const spe_id *values)
{
    if (!spe_check_values_(m, n, values)) return false;
    if (!r->sides) return true;
    if (n != r->count)
        spe_error_(m, SPE_ERR_CARRIED, "%u values, but the %s carries %u", n, spe_region_text_(m, r), r->count);
    for (uint32_t i = 0; i < n && !m->error.id; i++) {
        spe_id t = spe_type_of(m, m->buffer[SPE_BUFFER_STACK_].data[r->stack + 1 + i]), u = spe_type_of(m, values[i]);
        const char *text = t != u ? spe_text_(m, t) : NULL;
        if (text)
            spe_error_(m, SPE_ERR_CARRIED, "carried value %u changes its type from %s to %s in the %s", i, text,
                       spe_text_(m, u), spe_region_text_(m, r));
    }
    return !m->error.id;
}

/* Can the current block be reached? Not after a return or break. */
static bool spe_arrives_(const spe_module *m) { return m->block && !m->dead; }

/* Ends a side. If it arrives at the merge, its values are pushed. Otherwise they are ignored; only their types are
 * pushed, if there are any, for the case that no side arrives. */
static bool spe_end_side_(spe_module *m, spe_region_ *r, uint32_t n, const spe_id *values)
{
    bool arrives = spe_arrives_(m);
    if (arrives && !spe_check_carried_(m, r, n, values)) return false;
    spe_id from = spe_jump_(m, r->merge);
    if (r->sides && !arrives) return true;
    if (!r->sides) m->buffer[SPE_BUFFER_STACK_].count = r->stack; /* drops the types of a side before */
    if (arrives && !r->sides) r->count = n;
    r->sides += arrives;
    r->unused = arrives ? 0 : n;
    if (!spe_push_values_(m, from, n, values)) return false;
    uint32_t *pushed = m->buffer[SPE_BUFFER_STACK_].data + m->buffer[SPE_BUFFER_STACK_].count - n;
    for (uint32_t i = 0; i < n && !arrives; i++) pushed[i] = spe_type_of(m, values[i]);
    return true;
}

/* An undefined value of a type; of i32 if the type is not known. */
static spe_id spe_undef_or_i32_(spe_module *m, spe_id type) { return spe_undef(m, type ? type : spe_int(m, 32)); }

/* The phi of n values, each before the block that it comes from, is kept if all are. A loop's may become another. */
static spe_id spe_mark_phi_(spe_module *m, spe_id id, uint32_t n, const uint32_t *value)
{
    uint32_t i = 0;
    while (m->vulkan && i < n && spe_is_kept_(m, value[2 * i])) i++;
    if (i == n) m->ids[id].flags |= SPE_ID_KEPT_HALF_;
    return id;
}

/* Value i at the merge of the sides: their common value or a phi. If no side has it, it is undefined. */
static spe_id spe_merge_value_(spe_module *m, const spe_region_ *r, uint32_t i)
{
    const spe_buffer_ *scopes = &m->buffer[SPE_BUFFER_SCOPES_];
    const uint32_t *side = m->buffer[SPE_BUFFER_STACK_].data + r->stack, *row, *end = side + r->sides * (r->count + 1);
    bool same = true;
    if (i >= r->count) return spe_undef_or_i32_(m, i < r->unused ? side[1 + i] : 0);
    spe_id first = side[i + 1], type = spe_type_of(m, first);
    for (row = side; row < end; row += r->count + 1) same = same && row[i + 1] == first;
    if (same && scopes->count > m->ids[first].depth && scopes->data[m->ids[first].depth] == m->ids[first].serial)
        return first;
    spe_id id = spe_new_id_(m, type, 0, spe_depth_(m));
    uint32_t *at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpPhi, 2 + 2 * r->sides);
    if (!at) return 0;
    *at++ = type;
    *at++ = id;
    for (row = side; row < end; row += r->count + 1) *at++ = row[i + 1], *at++ = row[0];
    return spe_mark_phi_(m, id, r->sides, at - 2 * r->sides);
}

/* Writes the merge block of an if or switch and its n phis, and closes the region. */
static void spe_close_sides_(spe_module *m, spe_region_ *r, uint32_t n, spe_id *out)
{
    spe_label_(m, r->merge, !r->sides);
    for (uint32_t i = 0; i < n; i++) out[i] = spe_merge_value_(m, r, i);
    m->buffer[SPE_BUFFER_STACK_].count = r->stack;
    m->region_count--;
}

/* Opens the next side and writes its label to word `patch` of the body. */
XE_ONCE_
static void spe_open_side_(spe_module *m, spe_region_ *r, size_t patch, int kind)
{
    spe_id label = spe_new_label_(m);
    m->buffer[SPE_BUFFER_BODY_].data[patch] = label;
    r->kind = kind;
    spe_label_(m, label, false);
    spe_scope_renew_(m);
}

/* -- if ---------------------------------------------------------------------------------------------------------- */

/* Is it a single bool? */
XE_ONCE_
static bool spe_is_condition_(spe_module *m, const char *name, spe_id condition)
{
    spe_id type = spe_check_(m, name, "v", condition);
    return type && (type == spe_bool(m) || spe_disagree_(m, type, spe_bool(m)));
}

void spe_if(spe_module *m, spe_id condition)
{
    spe_region_ *r = spe_is_condition_(m, __func__, condition) ? spe_open_(m, __func__, SPE_REGION_IF_) : NULL;
    if (!r) return;
    r->header = m->block;
    spe_id then_label = spe_new_label_(m);
    r->merge = spe_new_label_(m);
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpSelectionMerge, 2, r->merge, 0);
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpBranchConditional, 3, condition, then_label, r->merge);
    r->patch = m->buffer[SPE_BUFFER_BODY_].count - 1;
    spe_label_(m, then_label, false);
    spe_scope_push_(m);
}

void spe_else(spe_module *m, uint32_t n, const spe_id *then_values)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_IF_, SPE_REGION_IF_);
    if (r && spe_end_side_(m, r, n, then_values)) spe_open_side_(m, r, r->patch, SPE_REGION_ELSE_);
}

void spe_endif_from(spe_module *m, uint32_t n, const spe_id *then_values, const spe_id *otherwise_values, spe_id *out)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_IF_, SPE_REGION_IF_);
    if (!r || !spe_end_side_(m, r, n, then_values)) return;
    spe_scope_pop_(m);
    size_t body = m->buffer[SPE_BUFFER_BODY_].count;
    m->block = r->header;
    m->dead = false;
    if (!spe_end_side_(m, r, n, otherwise_values)) return;
    m->buffer[SPE_BUFFER_BODY_].count = body; /* drops the jump: the header already has one past the then side */
    spe_close_sides_(m, r, n, out);
}

void spe_endif(spe_module *m, uint32_t n, const spe_id *values, spe_id *out)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_IF_, SPE_REGION_ELSE_);
    if (r && r->kind == SPE_REGION_IF_) {
        if (n)
            spe_error_(m, SPE_ERR_CARRIED, "%u values leave the %s, which has no spe_else; use spe_endif_from", n,
                       spe_region_text_(m, r));
        SPE_DO_WITHIN_(m, spe_endif_from(m, 0, NULL, NULL, NULL));
    } else if (r && spe_end_side_(m, r, n, values)) {
        spe_scope_pop_(m);
        spe_close_sides_(m, r, n, out);
    }
}

/* -- loops ------------------------------------------------------------------------------------------------------- */

enum { SPE_PHI_WORDS_ = 7, SPE_PHI_NEXT_ = 5 }; /* a loop phi: its length; the word for the next iteration's value */

/* A phi in the loop header, with the value on entry; the next iteration's value is patched in when the loop closes. */
static spe_id spe_loop_phi_(spe_module *m, const spe_region_ *r, spe_id value)
{
    spe_id type = spe_type_of(m, value), id = spe_new_id_(m, type, 0, spe_depth_(m));
    return spe_write_(m, SPE_BUFFER_BODY_, SPE_OpPhi, 6, type, id, value, r->preheader, 0, r->next) ? id : 0;
}

/* Opens a loop whose header has a phi for each carried value. Replaces the values by the phis, and pushes these too. */
static spe_region_ *spe_open_loop_(spe_module *m, const char *name, int kind, uint32_t n, spe_id *carried)
{
    m->doing = name;
    spe_region_ *r = spe_check_values_(m, n, carried) ? spe_open_(m, name, kind) : NULL;
    if (!r) return NULL;
    r->header = spe_new_label_(m);
    r->merge = spe_new_label_(m);
    r->next = spe_new_label_(m);
    r->count = n;
    r->sides = 1;
    r->preheader = m->block;
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpBranch, 1, r->header);
    spe_label_(m, r->header, false);
    r->phi = m->buffer[SPE_BUFFER_BODY_].count;
    for (uint32_t i = 0; i < n; i++) carried[i] = spe_loop_phi_(m, r, carried[i]);
    return spe_push_values_(m, r->preheader, n, carried) && spe_ok(m) ? r : NULL;
}

/* Writes OpLoopMerge with the hints for this loop. */
static void spe_loop_merge_(spe_module *m, const spe_region_ *r)
{
    uint32_t words[3 + SPE_LOOP_HINTS_] = {r->merge, r->next, m->hints}, n = 3;
    for (uint32_t bit = 0; bit < SPE_LOOP_HINTS_; bit++) {
        if ((m->hints >> bit & 1) && bit >= SPE_FIRST_HINT_WITH_VALUE_) words[n++] = m->hint_values[bit];
    }
    spe_write_words_(m, SPE_BUFFER_BODY_, SPE_OpLoopMerge, n, words, 0, NULL);
    m->hints = 0;
}

void spe_loop_hint(spe_module *m, uint32_t control, uint32_t value)
{
    uint32_t bit = 0, both = m->hints | control, dont = SPE_LoopControlDontUnroll;
    uint32_t unrolls = SPE_LoopControlUnroll | SPE_LoopControlPeelCount | SPE_LoopControlPartialCount;
    uint32_t minor = control > SPE_LoopControlDependencyLength ? 4 : control > dont ? 1 : 0;
    if (m->error.id) return;
    while (bit < SPE_LOOP_HINTS_ && control != 1u << bit) bit++;
    if (!m->open) SPE_ERROR_(m, NO_FUNCTION, "outside of a function");
    else if (bit == SPE_LOOP_HINTS_) SPE_ERROR_(m, RANGE, "0x%x is not one of SPE_LoopControl...", control);
    else if (m->options.version < SPE_VERSION(1, minor))
        SPE_ERROR_(m, VERSION, "hint 0x%x needs SPIR-V 1.%u", control, minor);
    else if ((both & dont) && (both & unrolls))
        SPE_ERROR_(m, RANGE, "a loop that is not unrolled (0x%x) has other hints of unrolling (0x%x)", dont,
                   both & unrolls);
    else if (control == SPE_LoopControlIterationMultiple ? !value : bit < SPE_FIRST_HINT_WITH_VALUE_ && value)
        SPE_ERROR_(m, RANGE, "hint 0x%x does not take the value %u", control, value);
    if (m->error.id) return;
    m->hints = both;
    m->hint_values[bit] = value;
}

/* The innermost loop; NULL and an error if there is none. */
static spe_region_ *spe_innermost_loop_(spe_module *m)
{
    for (size_t i = m->region_count; i; i--) {
        int kind = m->regions[i - 1].kind;
        if (kind == SPE_REGION_FOR_ || kind == SPE_REGION_WHILE_ || kind == SPE_REGION_BODY_) return &m->regions[i - 1];
    }
    spe_error_(m, SPE_ERR_REGION_CROSSED, "no loop is open");
    return NULL;
}

/* Jumps out of the regions within the innermost loop, to its merge or its continue block. */
static void spe_exit_loop_(spe_module *m, const char *name, bool breaks, uint32_t n, const spe_id *values)
{
    spe_region_ *r = spe_may_branch_(m, name) ? spe_innermost_loop_(m) : NULL;
    if (!r || (spe_arrives_(m) && !spe_check_carried_(m, r, n, values))) return;
    spe_id from = spe_jump_(m, breaks ? r->merge : r->next);
    spe_exit_ *e = from ? (spe_exit_ *)spe_alloc(m, sizeof *e) : NULL;
    if (!e) return;
    e->from = from;
    e->breaks = breaks;
    e->values = (const spe_id *)spe_copied_(m, values, n * sizeof *values);
    e->next = r->exits;
    r->exits = e;
}
void spe_break(spe_module *m, uint32_t n, const spe_id *values) { spe_exit_loop_(m, __func__, true, n, values); }
void spe_continue(spe_module *m, uint32_t n, const spe_id *values) { spe_exit_loop_(m, __func__, false, n, values); }

/* Carried value i in the merge block (breaks) or the continue block of a loop, where block `from` brings `value` (from
 * 0: none does) and every break or continue its own: their common value or a phi; 0 if nothing arrives. */
static spe_id spe_value_of_exits_(spe_module *m, const spe_region_ *r, bool breaks, uint32_t i, spe_id from,
                                  spe_id value)
{
    uint32_t pairs = from != 0, *at;
    bool same = true;
    const spe_exit_ *e;
    for (e = r->exits; e; e = e->next) {
        if (e->breaks != breaks) continue;
        if (!pairs++) value = e->values[i];
        same = same && e->values[i] == value;
    }
    if (!pairs || same) return pairs ? value : 0;
    spe_id type = spe_type_of(m, value), id = spe_new_id_(m, type, 0, spe_depth_(m));
    at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpPhi, 2 + 2 * pairs);
    if (!at) return 0;
    *at++ = type;
    *at++ = id;
    if (from) *at++ = value, *at++ = from;
    for (e = r->exits; e; e = e->next) {
        if (e->breaks == breaks) *at++ = e->values[i], *at++ = e->from;
    }
    return spe_mark_phi_(m, id, pairs, at - 2 * pairs);
}

/* The word of phi i of a loop's header for the value of the next iteration. */
static uint32_t *spe_next_of_(spe_module *m, const spe_region_ *r, uint32_t i)
{
    return m->buffer[SPE_BUFFER_BODY_].data + r->phi + i * SPE_PHI_WORDS_ + SPE_PHI_NEXT_;
}

/* Computes a loop's counter for the next iteration and, if its range is exact, whether there is one. */
static void spe_count_on_(spe_module *m, const spe_region_ *r)
{
    spe_id type = spe_type_of(m, r->index), more = 0;
    if (r->limit) {
        uint32_t left[2] = {r->down ? r->index : r->limit, r->down ? r->limit : r->index}, w[2];
        w[0] = spe_emit_(m, SPE_OpISub, type, 2, left);
        w[1] = r->down ? r->distance : r->step;
        more = spe_emit_(m, SPE_OpUGreaterThan, spe_bool(m), 2, w);
    }
    uint32_t sum[2] = {r->index, r->step};
    spe_id next = spe_emit_(m, SPE_OpIAdd, type, 2, sum);
    if (m->error.id) return;
    *spe_next_of_(m, r, r->count) = next;
    if (r->limit) *spe_next_of_(m, r, r->count + 1) = more;
}

/* Closes a loop: writes the continue block, patches the back edge, opens the merge block. */
static void spe_close_loop_(spe_module *m, const char *name, int kind, uint32_t n, spe_id *carried)
{
    spe_region_ *r = spe_innermost_(m, name, kind, kind);
    if (!r || (spe_arrives_(m) && !spe_check_carried_(m, r, n, carried))) return;
    spe_id from = spe_jump_(m, r->next), value;
    const uint32_t *phi = m->buffer[SPE_BUFFER_STACK_].data + r->stack + 1;
    spe_label_(m, r->next, false);
    for (uint32_t i = 0; i < r->count; i++) {
        value = spe_value_of_exits_(m, r, false, i, from, from ? carried[i] : 0);
        if (!value) value = spe_undef(m, spe_type_of(m, phi[i]));
        if (m->error.id) return;
        *spe_next_of_(m, r, i) = value;
    }
    if (r->step) spe_count_on_(m, r);
    if (!spe_write_(m, SPE_BUFFER_BODY_, SPE_OpBranch, 1, r->header)) return;
    spe_scope_pop_(m);
    spe_label_(m, r->merge, false);
    for (uint32_t i = 0; i < n; i++)
        carried[i] = i < r->count ? spe_value_of_exits_(m, r, true, i, r->test, phi[i]) : spe_undef_or_i32_(m, 0);
    m->buffer[SPE_BUFFER_STACK_].count = r->stack;
    m->region_count--;
}

/* Opens a loop with a counter, whose header tests `op` of the counter and hi, or, if `exact`, a bool that is computed
 * before each iteration without overflow. */
static spe_id spe_open_for_(spe_module *m, const char *name, uint32_t op, bool exact, spe_id lo, spe_id hi, spe_id step,
                            uint32_t n, spe_id *carried)
{
    uint32_t w[2] = {lo, hi};
    spe_id condition = exact ? spe_emit_(m, op, spe_bool(m), 2, w) : 0;
    spe_region_ *r = spe_open_loop_(m, name, SPE_REGION_FOR_, n, carried);
    if (!r) return 0;
    r->step = step;
    w[0] = r->index = spe_loop_phi_(m, r, lo);
    if (exact) r->limit = hi, condition = spe_loop_phi_(m, r, condition);
    else condition = spe_emit_(m, op, spe_bool(m), 2, w);
    spe_loop_merge_(m, r);
    r->test = r->header;
    spe_branch_if_(m, condition, r->merge);
    spe_scope_push_(m);
    return spe_ok(m) ? r->index : 0;
}

spe_id spe_for(spe_module *m, spe_id lo, spe_id hi, spe_id step, uint32_t n, spe_id *carried)
{
    spe_id type = spe_check_(m, __func__, "I==", lo, hi, step);
    uint32_t op = SPE_OpSLessThan;
    uint64_t k;
    if (!type) return 0;
    if (spe_const_bits(m, step, &k)) {
        if (!k) return SPE_ERROR_(m, RANGE, "the step is 0");
        if (spe_signed_(k, spe_width(m, type)) < 0) op = SPE_OpSGreaterThan;
    }
    return spe_open_for_(m, __func__, op, false, lo, hi, step, n, carried);
}

spe_id spe_for_range(spe_module *m, spe_id lo, spe_id hi, spe_id step, bool is_signed, uint32_t n, spe_id *carried)
{
    spe_id type = spe_check_(m, __func__, "I==", lo, hi, step), index;
    uint32_t bits = spe_width(m, type), op = is_signed ? SPE_OpSLessThan : SPE_OpULessThan;
    uint64_t k = 0;
    if (!type) return 0;
    bool known = spe_const_bits(m, step, &k), down = known && is_signed && spe_signed_(k, bits) < 0;
    if (known && !k) return SPE_ERROR_(m, RANGE, "the step is 0");
    if (down) op = SPE_OpSGreaterThan, k = (0 - k) & spe_mask_(bits);
    if (!spe_may_branch_(m, __func__)) return 0;
    index = spe_open_for_(m, __func__, op, !known || k != 1, lo, hi, step, n, carried); /* steps of 1 cannot overflow */
    if (!index) return 0;
    m->regions[m->region_count - 1].down = down;
    m->regions[m->region_count - 1].distance = down ? spe_const_scalar_(m, type, k) : 0;
    return index;
}

#define SPE_END_LOOP_(name, kind)                                                                                      \
    void name(spe_module *m, uint32_t n, spe_id *carried) { spe_close_loop_(m, #name, kind, n, carried); }
SPE_END_LOOP_(spe_endfor, SPE_REGION_FOR_)
SPE_END_LOOP_(spe_endwhile, SPE_REGION_BODY_)

void spe_while(spe_module *m, uint32_t n, spe_id *carried)
{
    spe_region_ *r = spe_open_loop_(m, __func__, SPE_REGION_WHILE_, n, carried);
    if (!r) return;
    spe_loop_merge_(m, r);
    spe_id test = spe_new_label_(m);
    spe_jump_(m, test);
    spe_label_(m, test, false);
    spe_scope_push_(m);
}
void spe_while_test(spe_module *m, spe_id condition)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_WHILE_, SPE_REGION_WHILE_);
    if (!r || !spe_is_condition_(m, __func__, condition) || !spe_ready_(m)) return;
    r->kind = SPE_REGION_BODY_;
    r->test = m->block;
    spe_branch_if_(m, condition, r->merge);
}

/* -- switch ------------------------------------------------------------------------------------------------------ */

/* Word offset in the body of the label of side i, which follows a literal of one or two words. */
static size_t spe_side_at_(const spe_region_ *r, uint32_t i) { return r->patch + (i + 1) * (size_t)(r->step + 1); }

void spe_switch(spe_module *m, spe_id selector, uint32_t n, const int64_t *literals)
{
    spe_id type = spe_check_(m, __func__, "I", selector);
    uint32_t *at, i, j, bits = spe_width(m, type), wide = bits == 64 ? 2 : 1;
    for (i = 0; i < n && type; i++) {
        for (j = 0; j < i; j++) {
            if (((uint64_t)literals[i] ^ (uint64_t)literals[j]) & spe_mask_(bits)) continue;
            SPE_ERROR_(m, RANGE, "literals %lld and %lld are the same %u bits", (long long)literals[j],
                       (long long)literals[i], bits);
        }
        if (bits < 64 && (literals[i] < -((int64_t)1 << (bits - 1)) || literals[i] > (int64_t)spe_mask_(bits)))
            SPE_ERROR_(m, RANGE, "literal %lld does not fit in %u bits", (long long)literals[i], bits);
    }
    spe_region_ *r = spe_open_(m, __func__, SPE_REGION_SWITCH_);
    if (!r) return;
    r->cases = n;
    r->step = wide;
    r->merge = spe_new_label_(m);
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpSelectionMerge, 2, r->merge, 0);
    r->header = m->block;
    r->patch = m->buffer[SPE_BUFFER_BODY_].count + 2;
    at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpSwitch, 2 + n * (wide + 1));
    if (!at) return;
    *at++ = selector;
    *at++ = r->merge;
    for (i = 0; i < n; i++) {
        *at++ = (uint32_t)((uint64_t)literals[i] & spe_mask_(bits));
        if (wide == 2) *at++ = (uint32_t)((uint64_t)literals[i] >> 32);
        *at++ = 0;
    }
    m->block = 0;
    spe_scope_push_(m);
}

void spe_case(spe_module *m, uint32_t i)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_SWITCH_, SPE_REGION_SWITCH_);
    if (r && (i >= r->cases || m->buffer[SPE_BUFFER_BODY_].data[spe_side_at_(r, i)]))
        spe_error_(m, SPE_ERR_RANGE, "side %u of the %s %s", i, spe_region_text_(m, r),
                   i >= r->cases ? "does not exist" : "was written before");
    else if (r) spe_open_side_(m, r, spe_side_at_(r, i), SPE_REGION_CASE_);
}

void spe_default(spe_module *m)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_SWITCH_, SPE_REGION_SWITCH_);
    if (r && m->buffer[SPE_BUFFER_BODY_].data[r->patch] != r->merge)
        spe_error_(m, SPE_ERR_RANGE, "the %s has its default already", spe_region_text_(m, r));
    else if (r) spe_open_side_(m, r, r->patch, SPE_REGION_CASE_);
}

void spe_endcase(spe_module *m, uint32_t n, const spe_id *values)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_CASE_, SPE_REGION_CASE_);
    if (r && spe_end_side_(m, r, n, values)) r->kind = SPE_REGION_SWITCH_;
}

void spe_endswitch(spe_module *m, uint32_t n, spe_id *out)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_SWITCH_, SPE_REGION_SWITCH_);
    const uint32_t *body = m->buffer[SPE_BUFFER_BODY_].data;
    const char *place = r ? spe_region_text_(m, r) : NULL;
    for (uint32_t i = 0; r && i < r->cases; i++) {
        if (!body[spe_side_at_(r, i)]) SPE_ERROR_(m, REGION_OPEN, "side %u of the %s was not written", i, place);
    }
    if (r && r->sides && n != r->count)
        spe_error_(m, SPE_ERR_CARRIED, "%u values, but the sides of the %s carry %u", n, place, r->count);
    if (r && body[r->patch] == r->merge) { /* no default: other values go from the header to the merge */
        if (n) spe_error_(m, SPE_ERR_CARRIED, "the %s carries values and has no spe_default", place);
        spe_push_values_(m, r->header, 0, NULL);
        r->sides++;
    }
    if (m->error.id) return;
    spe_scope_pop_(m);
    spe_close_sides_(m, r, n, out);
}
