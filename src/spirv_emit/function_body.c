/* function_body.c - writing into the open function. This runs for every instruction and operand, so it is optimised
 * even where other bodies are not. */
#include "internal.h"

/* Records that the open function uses a global variable or function, for the interface of entry points. */
XE_FN_ void spe_use_(spe_module *m, spe_id id)
{
    if (!m->open || m->ids[id].aux == m->fn.index) return;
    m->ids[id].aux = m->fn.index;
    uint32_t *at = spe_push_(m, SPE_BUFFER_USES_, 2);
    if (at) at[0] = m->fn.index, at[1] = id;
}

/* Checks that `value` may be used here and returns its type; 0 and an error if not. */
XE_FN_ spe_id spe_operand_(spe_module *m, spe_id value)
{
    const spe_buffer_ *scopes = &m->buffer[SPE_BUFFER_SCOPES_];
    if (m->error.id) return 0;
    if (SPE_UNLIKELY_(!value || value >= m->id_count || !m->ids[value].type)) return spe_bad_operand_(m, value);
    const spe_record_ *r = &m->ids[value];
    if (SPE_UNLIKELY_(r->depth >= scopes->count || scopes->data[r->depth] != r->serial))
        return spe_bad_operand_(m, value);
    if (SPE_UNLIKELY_(m->in_prologue && r->depth > 1)) return spe_bad_operand_(m, value);
    if (r->flags & SPE_ID_GLOBAL_) spe_use_(m, value);
    return r->type;
}

/* Writes OpLine if the location changed since the last one in this block. */
static void spe_line_(spe_module *m)
{
    if (!m->file || (m->line_line == m->line && m->line_column == m->column && m->line_file == m->file)) return;
    if (m->string_file != m->file) m->string_id = spe_write_once_(m, SPE_OpString, m->string_file = m->file);
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpLine, 3, m->string_id, (uint32_t)m->line, (uint32_t)m->column);
    m->line_file = m->file;
    m->line_line = m->line;
    m->line_column = m->column;
}

/* Opens a block in the body. */
XE_FN_ void spe_label_(spe_module *m, spe_id label, bool dead)
{
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpLabel, 1, label);
    m->block = label;
    m->dead = dead;
    m->line_file = NULL;
}

/* After a return there is no block: opens an unreachable one for what follows. False outside a function. */
XE_FN_ bool spe_ready_(spe_module *m)
{
    if (m->error.id) return false;
    if (SPE_UNLIKELY_(!m->open))
        return spe_error_(m, SPE_ERR_NO_FUNCTION, "an instruction outside of a function"), false;
    if (SPE_UNLIKELY_(!m->block) && !m->in_prologue) {
        if (spe_between_sides_(m)) return false;
        spe_id label = spe_new_label_(m);
        if (label) spe_label_(m, label, true);
    }
    return true;
}

/* Writes an operation as a constant, which the device computes when it loads the module. */
XE_ONCE_
static spe_id spe_emit_spec_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    uint32_t head[3] = {type, 0, op};
    if (m->error.id) return 0;
    head[1] = spe_new_id_(m, type, SPE_ID_CONSTANT_ | SPE_ID_SPEC_, 0);
    return spe_write_words_(m, SPE_SECTION_GLOBAL_, SPE_OpSpecConstantOp, 3, head, n, operands) ? head[1] : 0;
}

/* Writes an instruction that the environment has, see pieces.c. */
XE_FN_ spe_id spe_emit_one_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    spe_id id = 0;
    if (SPE_UNLIKELY_(m->in_spec)) return spe_emit_spec_(m, op, type, n, operands);
    if (!spe_ready_(m)) return 0;
    if (op >= SPE_OPCODES_KNOWN_ || !(m->seen[op / 64] >> (op % 64) & 1)) spe_need_op_(m, op, type, n, operands);
    if (SPE_UNLIKELY_(m->options.lines) && !m->in_prologue) spe_line_(m);
    uint32_t *at = spe_put_(m, m->in_prologue ? SPE_BUFFER_PROLOGUE_ : SPE_BUFFER_BODY_, op, n + (type ? 2u : 0u));
    if (!at) return 0;
    if (type) {
        id = spe_new_id_(m, type, op << 16, spe_depth_(m));
        *at++ = type;
        *at++ = id;
    }
    for (uint32_t i = 0; i < n; i++) at[i] = operands[i];
    return id;
}

/* May the block end here? */
XE_ONCE_
XE_FN_ bool spe_may_branch_(spe_module *m, const char *name)
{
    m->doing = name;
    if (!spe_ready_(m)) return false;
    return !m->in_prologue || spe_error_(m, SPE_ERR_PROLOGUE, "not in the prologue");
}

/* Writes an instruction; type 0: without a result. Operands are not checked. */
XE_FN_ spe_id spe_emit_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    if (!SPE_UNLIKELY_(m->vulkan) || m->in_spec) return spe_emit_one_(m, op, type, n, operands);
    return m->vulkan->emit(m, op, type, n, operands);
}
