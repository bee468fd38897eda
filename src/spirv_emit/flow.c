/* flow.c - structured control flow. */
#include "internal.h"

/* ---- Structured control flow --------------------------------------------------------------------------------------
 *
 * A region is opened and closed; in between lie its sides or its body. Values leave it only through the arrays that the
 * calls take and fill. Regions nest; they cannot cross, and none may be open when the function ends. A side that ends
 * in spe_return has no values to give: those it is given are not used.
 */

enum {
    SPE_REGION_IF_,
    SPE_REGION_ELSE_,
    SPE_REGION_FOR_,
    SPE_REGION_WHILE_,
    SPE_REGION_BODY_,
    SPE_REGION_SWITCH_,
    SPE_REGION_CASE_
};

static const char *spe_region_name_(int kind)
{
    static const char *const names[] = {"spe_if",    "spe_if",     "spe_for",   "spe_while",
                                        "spe_while", "spe_switch", "spe_switch"};
    return names[kind];
}

void spe_region_left_open_(spe_module *m, const char *fn)
{
    const spe_region_ *r = &m->regions[m->region_count - 1];
    spe_error_(m, SPE_ERR_REGION_OPEN, "%s: the %s opened at %s:%d is not closed", fn, spe_region_name_(r->kind),
               r->file ? r->file : "?", r->line);
}

/* Opens a region in the state `kind`. NULL and an error where none can be. */
static spe_region_ *spe_open_(spe_module *m, const char *fn, int kind)
{
    spe_region_ *r;
    void *p = m->regions;
    if (!spe_may_branch_(m, fn)) return NULL;
    if (!spe_grow_(m, &p, &m->region_capacity, m->region_count + 1, sizeof *m->regions, 16)) return NULL;
    m->regions = (spe_region_ *)p;
    r = &m->regions[m->region_count++];
    memset(r, 0, sizeof *r);
    r->kind = kind;
    r->file = m->file;
    r->line = m->line;
    r->stack = (uint32_t)m->buffer[SPE_BUFFER_STACK_].count;
    return r;
}

/* The innermost region, which must be in the state `kind` (or `other`) for the call that asks. */
static spe_region_ *spe_innermost_(spe_module *m, const char *fn, int kind, int other)
{
    spe_region_ *r = m->region_count ? &m->regions[m->region_count - 1] : NULL;
    if (m->error.id) return NULL;
    if (m->in_prologue) return spe_error_(m, SPE_ERR_PROLOGUE, "%s: not in the prologue", fn), (spe_region_ *)NULL;
    if (!r) return spe_error_(m, SPE_ERR_REGION_CROSSED, "%s: no region is open", fn), (spe_region_ *)NULL;
    if (r->kind != kind && r->kind != other)
        return spe_error_(m, SPE_ERR_REGION_CROSSED,
                          "%s does not fit here: the innermost open region is the %s opened "
                          "at %s:%d",
                          fn, spe_region_name_(r->kind), r->file ? r->file : "?", r->line),
               (spe_region_ *)NULL;
    return r;
}

/* Ends the current block with a jump to `label`; the label it came from, or 0 when nothing leads here. */
static spe_id spe_jump_(spe_module *m, spe_id label)
{
    spe_id from = m->block;
    uint32_t *at;
    if (!from) return 0;
    m->block = 0;
    if (m->dead) {
        spe_put_(m, SPE_BUFFER_BODY_, SPE_OpUnreachable, 0);
        return 0;
    }
    at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpBranch, 1);
    if (at) at[0] = label;
    return from;
}

static void spe_branch_if_(spe_module *m, spe_id condition, spe_id yes, spe_id no)
{
    uint32_t *at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpBranchConditional, 3);
    m->block = 0;
    if (!at) return;
    at[0] = condition;
    at[1] = yes;
    at[2] = no;
}

/* Checks a side's values while they are in scope. */
static bool spe_check_values_(spe_module *m, const char *fn, uint32_t n, const spe_id *values)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        if (!spe_operand_(m, fn, values[i])) return false;
    }
    return !m->error.id;
}

/* Ends a side of an if or switch: keeps (label, values) on the stack. All sides carry the same number and types. */
static bool spe_end_side_(spe_module *m, const char *fn, spe_region_ *r, bool first, uint32_t n,
                                 const spe_id *values)
{
    const uint32_t *before;
    uint32_t *at, i;
    char ta[80], tb[80];
    spe_id from;
    if (!spe_check_values_(m, fn, n, values)) return false;
    if (first) r->count = n;
    if (n != r->count)
        return spe_error_(m, SPE_ERR_CARRIED,
                          "%s: %u values leave this side of the %s opened at %s:%d, %u left the "
                          "first",
                          fn, n, spe_region_name_(r->kind), r->file ? r->file : "?", r->line, r->count),
               false;
    from = spe_jump_(m, r->merge);
    at = spe_push_(m, SPE_BUFFER_STACK_, n + 1);
    if (!at) return false;
    at[0] = from;
    if (n) memcpy(at + 1, values, n * sizeof *values);
    before = m->buffer[SPE_BUFFER_STACK_].data + r->stack + 1;
    for (i = 0; i < n; i++) {
        spe_id t = spe_type_of(m, before[i]), u = spe_type_of(m, values[i]);
        if (t != u)
            return spe_error_(m, SPE_ERR_CARRIED,
                              "%s: value %u of the %s opened at %s:%d is %s on one side and %s on "
                              "another",
                              fn, i, spe_region_name_(r->kind), r->file ? r->file : "?", r->line,
                              spe_type_text(m, t, ta, sizeof ta), spe_type_text(m, u, tb, sizeof tb)),
                   false;
    }
    return true;
}

/* Value i at the merge of `sides` sides: the one value they share, a phi, or undefined when none arrives. */
static spe_id spe_merge_value_(spe_module *m, const spe_region_ *r, uint32_t sides, uint32_t i)
{
    const uint32_t *side = m->buffer[SPE_BUFFER_STACK_].data + r->stack;
    uint32_t s, pairs = 0, *at;
    spe_id id, first = 0, type = spe_type_of(m, side[i + 1]);
    bool same = true;
    for (s = 0; s < sides; s++) {
        const uint32_t *row = side + s * (r->count + 1);
        if (!row[0]) continue;
        if (!first) first = row[i + 1];
        same = same && row[i + 1] == first;
        pairs++;
    }
    if (!pairs) return spe_undef(m, type);
    if (same && m->buffer[SPE_BUFFER_SCOPES_].count > m->ids[first].depth &&
        m->buffer[SPE_BUFFER_SCOPES_].data[m->ids[first].depth] == m->ids[first].serial)
        return first;
    id = spe_new_id_(m, type, 0, spe_depth_(m));
    at = id ? spe_put_(m, SPE_BUFFER_BODY_, SPE_OpPhi, 2 + 2 * pairs) : NULL;
    if (!at) return 0;
    *at++ = type;
    *at++ = id;
    for (s = 0; s < sides; s++) {
        const uint32_t *row = side + s * (r->count + 1);
        if (!row[0]) continue;
        *at++ = row[i + 1];
        *at++ = row[0];
    }
    return id;
}

/* Writes the merge block of an if or switch and its phis, and closes the region. */
static void spe_close_sides_(spe_module *m, spe_region_ *r, uint32_t sides, spe_id *out)
{
    uint32_t i, s, live = 0;
    for (s = 0; s < sides; s++) live += m->buffer[SPE_BUFFER_STACK_].data[r->stack + s * (r->count + 1)] != 0;
    spe_label_(m, r->merge, !live);
    for (i = 0; i < r->count; i++) out[i] = spe_merge_value_(m, r, sides, i);
    m->buffer[SPE_BUFFER_STACK_].count = r->stack;
    m->region_count--;
}

/* -- if ---------------------------------------------------------------------------------------------------------- */

void spe_if(spe_module *m, spe_id condition)
{
    spe_id type = spe_operand_(m, "spe_if", condition);
    spe_region_ *r = type && (type == spe_bool(m) || spe_disagree_(m, "spe_if", type, spe_bool(m)))
                         ? spe_open_(m, "spe_if", SPE_REGION_IF_)
                         : NULL;
    spe_id then_label;
    uint32_t *at;
    if (!r) return;
    r->header = m->block;
    then_label = spe_new_id_(m, 0, 0, 0);
    r->merge = spe_new_id_(m, 0, 0, 0);
    at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpSelectionMerge, 2);
    if (!at) return;
    at[0] = r->merge;
    at[1] = 0;
    spe_branch_if_(m, condition, then_label, r->merge);
    r->patch = m->buffer[SPE_BUFFER_BODY_].count - 1;
    spe_label_(m, then_label, false);
    spe_scope_push_(m);
}

void spe_else(spe_module *m, uint32_t n, const spe_id *then_values)
{
    spe_region_ *r = spe_innermost_(m, "spe_else", SPE_REGION_IF_, SPE_REGION_IF_);
    spe_id label;
    if (!r || !spe_end_side_(m, "spe_else", r, true, n, then_values)) return;
    label = spe_new_id_(m, 0, 0, 0);
    m->buffer[SPE_BUFFER_BODY_].data[r->patch] = label;
    r->kind = SPE_REGION_ELSE_;
    spe_label_(m, label, false);
    spe_scope_renew_(m);
}

void spe_endif_from(spe_module *m, uint32_t n, const spe_id *then_values, const spe_id *otherwise_values, spe_id *out)
{
    spe_region_ *r = spe_innermost_(m, "spe_endif", SPE_REGION_IF_, SPE_REGION_IF_);
    size_t body;
    if (!r || !spe_end_side_(m, "spe_endif", r, true, n, then_values)) return;
    spe_scope_pop_(m);
    body = m->buffer[SPE_BUFFER_BODY_].count;
    m->block = r->header;
    m->dead = false;
    if (!spe_end_side_(m, "spe_endif", r, false, n, otherwise_values)) return;
    m->buffer[SPE_BUFFER_BODY_].count = body; /* the jump past the then side is there already */
    spe_close_sides_(m, r, 2, out);
}

void spe_endif(spe_module *m, uint32_t n, const spe_id *values, spe_id *out)
{
    spe_region_ *r = spe_innermost_(m, "spe_endif", SPE_REGION_IF_, SPE_REGION_ELSE_);
    if (!r) return;
    if (r->kind == SPE_REGION_IF_) {
        if (n)
            spe_error_(m, SPE_ERR_CARRIED,
                       "spe_endif: %u values leave the spe_if opened at %s:%d, which has no "
                       "spe_else; use spe_endif_from",
                       n, r->file ? r->file : "?", r->line);
        spe_endif_from(m, 0, NULL, NULL, NULL);
        return;
    }
    if (!spe_end_side_(m, "spe_endif", r, false, n, values)) return;
    spe_scope_pop_(m);
    spe_close_sides_(m, r, 2, out);
}

/* -- loops ------------------------------------------------------------------------------------------------------- */

/* A phi of the loop header: the value on entry now, the value of the next round when the loop closes. */
static spe_id spe_loop_phi_(spe_module *m, const spe_region_ *r, spe_id preheader, spe_id value)
{
    spe_id type = spe_type_of(m, value), id = spe_new_id_(m, type, 0, spe_depth_(m));
    uint32_t *at = id ? spe_put_(m, SPE_BUFFER_BODY_, SPE_OpPhi, 6) : NULL;
    if (!at) return 0;
    at[0] = type;
    at[1] = id;
    at[2] = value;
    at[3] = preheader;
    at[4] = 0;
    at[5] = r->next;
    return id;
}

/* Opens a loop: its header with a phi for each carried value, which it replaces; the phis stand on the stack too. */
static spe_region_ *spe_open_loop_(spe_module *m, const char *fn, int kind, uint32_t n, spe_id *carried)
{
    spe_region_ *r;
    spe_id preheader, header;
    uint32_t *at, i;
    if (!spe_check_values_(m, fn, n, carried)) return NULL;
    r = spe_open_(m, fn, kind);
    if (!r) return NULL;
    header = r->header = spe_new_id_(m, 0, 0, 0);
    r->merge = spe_new_id_(m, 0, 0, 0);
    r->next = spe_new_id_(m, 0, 0, 0);
    r->count = n;
    preheader = m->block;
    at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpBranch, 1);
    if (!at) return NULL;
    at[0] = header;
    spe_label_(m, header, false);
    r->phi = m->buffer[SPE_BUFFER_BODY_].count;
    for (i = 0; i < n; i++) carried[i] = spe_loop_phi_(m, r, preheader, carried[i]);
    r->preheader = preheader;
    at = spe_push_(m, SPE_BUFFER_STACK_, n);
    if (n && !at) return NULL; /* nothing pushed onto a stack that was never used is no failure */
    if (n) memcpy(at, carried, n * sizeof *carried);
    return spe_ok(m) ? r : NULL;
}

static void spe_loop_merge_(spe_module *m, const spe_region_ *r)
{
    uint32_t *at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpLoopMerge, 3);
    if (!at) return;
    at[0] = r->merge;
    at[1] = r->next;
    at[2] = 0;
}

/* Do the next round's values have the carried ones' types? */
static bool spe_check_carried_(spe_module *m, const char *fn, const spe_region_ *r, uint32_t n,
                                      const spe_id *next)
{
    const uint32_t *phi = m->buffer[SPE_BUFFER_STACK_].data + r->stack;
    uint32_t i;
    char ta[80], tb[80];
    if (n != r->count)
        return spe_error_(m, SPE_ERR_CARRIED, "%s: %u values, but the %s opened at %s:%d carries %u", fn, n,
                          spe_region_name_(r->kind), r->file ? r->file : "?", r->line, r->count),
               false;
    if (!spe_check_values_(m, fn, n, next)) return false;
    for (i = 0; i < n; i++) {
        spe_id t = spe_type_of(m, phi[i]), u = spe_type_of(m, next[i]);
        if (t != u)
            return spe_error_(m, SPE_ERR_CARRIED,
                              "%s: carried value %u changes its type from %s to %s in the %s opened "
                              "at %s:%d",
                              fn, i, spe_type_text(m, t, ta, sizeof ta), spe_type_text(m, u, tb, sizeof tb),
                              spe_region_name_(r->kind), r->file ? r->file : "?", r->line),
                   false;
    }
    return true;
}

/* Writes the continue block, patches the back edge, opens the merge block. `extra` is the counter's next value. */
static void spe_close_loop_(spe_module *m, spe_region_ *r, spe_id *carried, spe_id counter_step)
{
    uint32_t i, *body, *at;
    spe_id next_index = 0;
    bool reached = m->block && !m->dead;
    spe_jump_(m, r->next);
    spe_label_(m, r->next, false);
    if (counter_step) {
        uint32_t w[2];
        w[0] = r->index;
        w[1] = counter_step;
        next_index = spe_emit_(m, SPE_OpIAdd, spe_type_of(m, r->index), 2, w);
    }
    for (i = 0; i < r->count && !reached; i++) carried[i] = spe_undef(m, spe_type_of(m, carried[i]));
    at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpBranch, 1);
    if (!at) return;
    at[0] = r->header;
    body = m->buffer[SPE_BUFFER_BODY_].data;
    for (i = 0; i < r->count; i++) {
        body[r->phi + 7 * i + 5] = carried[i];
        carried[i] = m->buffer[SPE_BUFFER_STACK_].data[r->stack + i];
    }
    if (counter_step) body[r->phi + 7 * r->count + 5] = next_index;
    spe_label_(m, r->merge, false);
    m->buffer[SPE_BUFFER_STACK_].count = r->stack;
    spe_scope_pop_(m);
    m->region_count--;
}

spe_id spe_for(spe_module *m, spe_id lo, spe_id hi, spe_id step, uint32_t n, spe_id *carried)
{
    spe_id type = spe_operands_(m, "spe_for", SPE_TAKES_INT_, lo, hi);
    spe_region_ *r;
    spe_id condition, body;
    uint64_t k;
    uint32_t w[2];
    bool down = false;
    if (!type || !spe_operands_(m, "spe_for", SPE_TAKES_INT_, lo, step)) return 0;
    if (spe_count(m, type) != 1) return spe_error_(m, SPE_ERR_TYPE, "spe_for: the bounds are scalars"), (spe_id)0;
    if (spe_const_bits(m, step, &k)) {
        if (!k) return spe_error_(m, SPE_ERR_RANGE, "spe_for: the step is 0");
        down = spe_signed_(k, spe_width(m, type)) < 0;
    }
    r = spe_open_loop_(m, "spe_for", SPE_REGION_FOR_, n, carried);
    if (!r) return 0;
    r->step = step;
    r->index = spe_loop_phi_(m, r, r->preheader, lo);
    if (!r->index) return 0;
    w[0] = r->index;
    w[1] = hi;
    condition = spe_emit_(m, down ? SPE_OpSGreaterThan : SPE_OpSLessThan, spe_bool(m), 2, w);
    spe_loop_merge_(m, r);
    body = spe_new_id_(m, 0, 0, 0);
    spe_branch_if_(m, condition, body, r->merge);
    spe_label_(m, body, false);
    spe_scope_push_(m);
    return spe_ok(m) ? r->index : 0;
}

void spe_endfor(spe_module *m, uint32_t n, spe_id *carried)
{
    spe_region_ *r = spe_innermost_(m, "spe_endfor", SPE_REGION_FOR_, SPE_REGION_FOR_);
    if (!r || !spe_check_carried_(m, "spe_endfor", r, n, carried)) return;
    spe_close_loop_(m, r, carried, r->step);
}

void spe_while(spe_module *m, uint32_t n, spe_id *carried)
{
    spe_region_ *r = spe_open_loop_(m, "spe_while", SPE_REGION_WHILE_, n, carried);
    spe_id test;
    if (!r) return;
    spe_loop_merge_(m, r);
    test = spe_new_id_(m, 0, 0, 0);
    spe_jump_(m, test);
    spe_label_(m, test, false);
    spe_scope_push_(m);
}

void spe_while_test(spe_module *m, spe_id condition)
{
    spe_region_ *r = spe_innermost_(m, "spe_while_test", SPE_REGION_WHILE_, SPE_REGION_WHILE_);
    spe_id type = r ? spe_operand_(m, "spe_while_test", condition) : 0, body;
    if (!r || !type) return;
    if (type != spe_bool(m)) {
        spe_disagree_(m, "spe_while_test", type, spe_bool(m));
        return;
    }
    if (!spe_ready_(m)) return;
    r->kind = SPE_REGION_BODY_;
    body = spe_new_id_(m, 0, 0, 0);
    spe_branch_if_(m, condition, body, r->merge);
    spe_label_(m, body, false);
}

void spe_endwhile(spe_module *m, uint32_t n, spe_id *carried)
{
    spe_region_ *r = spe_innermost_(m, "spe_endwhile", SPE_REGION_BODY_, SPE_REGION_BODY_);
    if (!r || !spe_check_carried_(m, "spe_endwhile", r, n, carried)) return;
    spe_close_loop_(m, r, carried, 0);
}

/* -- switch ------------------------------------------------------------------------------------------------------ */

void spe_switch(spe_module *m, spe_id selector, uint32_t n, const int64_t *literals)
{
    spe_id type = spe_operand_(m, "spe_switch", selector);
    spe_region_ *r;
    uint32_t *at, i, j, wide, bits;
    if (!type || !spe_takes_one_(m, "spe_switch", SPE_TAKES_INT_, type)) return;
    bits = spe_width(m, type);
    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) {
            if (literals[i] == literals[j])
                spe_error_(m, SPE_ERR_RANGE, "spe_switch: literal %lld stands twice", (long long)literals[i]);
        }
        if (bits < 64 && (literals[i] < -((int64_t)1 << (bits - 1)) || literals[i] > (int64_t)spe_mask_(bits)))
            spe_error_(m, SPE_ERR_RANGE, "spe_switch: literal %lld does not fit in %u bits", (long long)literals[i],
                       bits);
    }
    r = spe_open_(m, "spe_switch", SPE_REGION_SWITCH_);
    if (!r) return;
    r->cases = n;
    r->merge = spe_new_id_(m, 0, 0, 0);
    at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpSelectionMerge, 2);
    if (!at) return;
    at[0] = r->merge;
    at[1] = 0;
    wide = bits == 64 ? 2 : 1;
    r->header = m->block;
    r->patch = m->buffer[SPE_BUFFER_BODY_].count + 2;
    at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpSwitch, 2 + n * (wide + 1));
    if (!at) return;
    at[0] = selector;
    at[1] = r->merge;
    for (i = 0, at += 2; i < n; i++) {
        *at++ = (uint32_t)((uint64_t)literals[i] & spe_mask_(bits));
        if (wide == 2) *at++ = (uint32_t)((uint64_t)literals[i] >> 32);
        *at++ = 0;
    }
    r->step = wide;
    m->block = 0;
    spe_scope_push_(m);
}

/* Opens the side whose label word stands at `patch` in the body. */
static void spe_open_side_(spe_module *m, spe_region_ *r, size_t patch)
{
    spe_id label = spe_new_id_(m, 0, 0, 0);
    if (!label) return;
    m->buffer[SPE_BUFFER_BODY_].data[patch] = label;
    r->kind = SPE_REGION_CASE_;
    spe_label_(m, label, false);
    spe_scope_renew_(m);
}

void spe_case(spe_module *m, uint32_t i)
{
    spe_region_ *r = spe_innermost_(m, "spe_case", SPE_REGION_SWITCH_, SPE_REGION_SWITCH_);
    size_t patch;
    if (!r) return;
    patch = r->patch + (i + 1) * (size_t)(r->step + 1);
    if (i >= r->cases || m->buffer[SPE_BUFFER_BODY_].data[patch]) {
        spe_error_(m, SPE_ERR_RANGE, "spe_case: side %u of the spe_switch opened at %s:%d %s", i,
                   r->file ? r->file : "?", r->line, i >= r->cases ? "does not exist" : "was written before");
        return;
    }
    spe_open_side_(m, r, patch);
}

void spe_default(spe_module *m)
{
    spe_region_ *r = spe_innermost_(m, "spe_default", SPE_REGION_SWITCH_, SPE_REGION_SWITCH_);
    if (!r) return;
    if (m->buffer[SPE_BUFFER_BODY_].data[r->patch] != r->merge) {
        spe_error_(m, SPE_ERR_RANGE, "spe_default: the spe_switch opened at %s:%d has its default already",
                   r->file ? r->file : "?", r->line);
        return;
    }
    spe_open_side_(m, r, r->patch);
}

void spe_endcase(spe_module *m, uint32_t n, const spe_id *values)
{
    spe_region_ *r = spe_innermost_(m, "spe_endcase", SPE_REGION_CASE_, SPE_REGION_CASE_);
    if (!r || !spe_end_side_(m, "spe_endcase", r, r->state == 0, n, values)) return;
    r->state++;
    r->kind = SPE_REGION_SWITCH_;
}

void spe_endswitch(spe_module *m, uint32_t n, spe_id *out)
{
    spe_region_ *r = spe_innermost_(m, "spe_endswitch", SPE_REGION_SWITCH_, SPE_REGION_SWITCH_);
    uint32_t i, *body, *at;
    if (!r) return;
    body = m->buffer[SPE_BUFFER_BODY_].data;
    for (i = 0; i < r->cases; i++) {
        if (!body[r->patch + (i + 1) * (size_t)(r->step + 1)])
            spe_error_(m, SPE_ERR_REGION_OPEN,
                       "spe_endswitch: side %u of the spe_switch opened at %s:%d was not written", i,
                       r->file ? r->file : "?", r->line);
    }
    if (n != (r->state ? r->count : 0))
        spe_error_(m, SPE_ERR_CARRIED,
                   "spe_endswitch: %u values, but the sides of the spe_switch opened at %s:%d carry %u", n,
                   r->file ? r->file : "?", r->line, r->count);
    if (body[r->patch] == r->merge) {
        if (n)
            spe_error_(m, SPE_ERR_CARRIED,
                       "spe_endswitch: the spe_switch opened at %s:%d carries values and has no "
                       "spe_default",
                       r->file ? r->file : "?", r->line);
        at = spe_push_(m, SPE_BUFFER_STACK_, 1);
        if (at) at[0] = r->header;
        r->state++;
    }
    if (m->error.id) return;
    spe_scope_pop_(m);
    spe_close_sides_(m, r, (uint32_t)r->state, out);
}
