/* check.c - checks every instruction of a function: definitions dominate uses, then its own rule. */
#include "reader.h"

#include <string.h>

struct check {
    struct sp_reader *r;
    const struct sp_function *f;
    const struct sp_dominance *d;
    uint32_t block;
    const struct sp_inst *inst;
};

/* ---- what the operands are */

static bool has_type(void *user, uint32_t index, char letter)
{
    struct check *c = user;
    uint32_t id = c->inst->operand[index];
    bool defined = c->r->m->ids[id].what != SP_NOTHING;
    (void)letter;
    if (!sp_is_value_operand(c->inst, index) || sp_type(c->r->m, c->r->early_type[id])) return true;
    return sp_refuse(c->r, c->inst, "%%%u is not %s", sp_number(c->r->m, id), defined ? "a value" : "defined");
}

bool sp_check_operands(struct sp_reader *r, const struct sp_inst *i)
{
    struct check c = {.r = r, .inst = i};
    return sp_each_id(r, i, has_type, &c);
}

/* ---- definitions before uses */

static bool dominates(const struct sp_dominance *d, uint32_t a, uint32_t b)
{
    return d->enter[a] <= d->enter[b] && d->leave[b] <= d->leave[a];
}

static bool is_branch(uint32_t op) { return op == SP_OP_Branch || op == SP_OP_BranchConditional || op == SP_OP_Switch; }

/* Operand k is defined somewhere, but not on every path to here. Variables exist nevertheless. */
static bool use_undefined(struct check *c, uint32_t k, uint32_t type)
{
    uint32_t id = c->inst->operand[k];
    if (!sp_deviate(c->r, c->inst, SP_UNDOMINATED, "%%%u is not defined on every way that leads here",
                    sp_number(c->r->m, id)))
        return false;
    return c->r->m->ids[id].what == SP_IS_VARIABLE || sp_make_undefined(c->r, c->inst, k, type);
}

/* Is the value of operand k available at the end of `block` (a phi's operand) or, given `before`, before that
 * instruction in it? */
static bool is_there(struct check *c, uint32_t k, uint32_t block, const struct sp_inst *before)
{
    uint32_t id = c->inst->operand[k], type = c->r->early_type[id];
    const struct sp_id *v = &c->r->m->ids[id];
    switch (v->what) {
    case SP_IS_CONSTANT: return true;
    case SP_IS_VARIABLE:
        if (v->function == 0) return true;
        break;
    case SP_IS_PARAMETER:
    case SP_IS_VALUE: break;
    case SP_NOTHING: /* in an unreachable block, or nowhere */
        if (type && sp_type(c->r->m, type)) return use_undefined(c, k, type);
        return sp_refuse(c->r, c->inst, "%%%u is not defined", sp_number(c->r->m, id));
    default: return sp_refuse(c->r, c->inst, "%%%u is not a value", sp_number(c->r->m, id));
    }
    if (&c->r->m->functions[v->function - 1] != c->f)
        return sp_refuse(c->r, c->inst, "%%%u belongs to another function", sp_number(c->r->m, id));
    if (v->what == SP_IS_PARAMETER) return true;
    if (v->block == block ? !before || v->def < before : dominates(c->d, v->block, block)) return true;
    return use_undefined(c, k, v->type);
}

static bool check_id(void *user, uint32_t index, char letter)
{
    struct check *c = user;
    uint32_t id = c->inst->operand[index], op = c->inst->op;
    (void)letter;
    switch (c->r->m->ids[id].what) {
    case SP_IS_LABEL:
        if (is_branch(op)) return true;
        break;
    case SP_IS_FUNCTION:
        if (op == SP_OP_FunctionCall && index == 0) return true;
        break;
    case SP_IS_EXTINST:
        if (op == SP_OP_ExtInst && index == 0) return true;
        break;
    case SP_IS_TYPE:
        if (op == SP_OP_CooperativeMatrixLengthKHR) return true;
        break;
    case SP_IS_DEBUG: return true; /* lists of alias scopes; using one as a value fails for lack of a type */
    default: break;
    }
    return is_there(c, index, c->block, c->inst);
}

static bool check_phi(struct check *c)
{
    const struct sp_inst *i = c->inst;
    uint32_t k;
    if (!sp_match_words(c->r, i, "a *", 0)) return false;
    for (k = 0; k < i->count; k += 2) {
        if (!is_there(c, k, c->r->m->ids[i->operand[k + 1]].block, NULL)) return false;
        if (!sp_same(c->r->m, c->r->m->ids[i->operand[k]].type, i->type))
            return sp_refuse(c->r, i, "%%%u is not of its type", sp_number(c->r->m, i->operand[k]));
    }
    return true;
}

static bool check_inst(struct check *c)
{
    if (c->inst->op == SP_OP_Phi) return check_phi(c);
    return sp_each_id(c->r, c->inst, check_id, c) && sp_check_rule(c->r, c->inst);
}

bool sp_check_function(struct sp_reader *r, const struct sp_function *f, const struct sp_dominance *d)
{
    struct check c = {r, f, d, 0, NULL};
    uint32_t k;
    r->checked = f;
    for (c.block = 0; c.block < f->block_count; c.block++)
        for (k = 0; k < f->blocks[c.block].count; k++) {
            c.inst = &f->blocks[c.block].inst[k];
            if (!check_inst(&c)) return false;
        }
    return true;
}
