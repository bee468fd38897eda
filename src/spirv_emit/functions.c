/* functions.c - Functions, kernels, the prologue. */
#include "internal.h"

/* Modes whose operands are ids have an instruction of their own. */
static uint32_t spe_mode_opcode_(uint32_t mode)
{
    switch (mode) {
    case SPE_ExecutionModeSubgroupsPerWorkgroupId:
    case SPE_ExecutionModeLocalSizeId:
    case SPE_ExecutionModeLocalSizeHintId:
    case SPE_ExecutionModeFPFastMathDefault:
    case SPE_ExecutionModeMaximumRegistersIdINTEL: return SPE_OpExecutionModeId;
    default: return SPE_OpExecutionMode;
    }
}

void spe_execution_mode(spe_module *m, spe_id fn, uint32_t mode, uint32_t n, const uint32_t *words)
{
    uint32_t *at;
    if (!fn && m->open && m->fn.kernel) fn = m->fn.id;
    if (m->error.id) return;
    if (!fn || fn >= m->id_count || !(m->ids[fn].flags & SPE_ID_FUNCTION_)) {
        spe_error_(m, SPE_ERR_NO_FUNCTION, "spe_execution_mode: %u is no kernel", fn);
        return;
    }
    spe_need_(m, SPE_NEED_MODE_, mode);
    at = spe_put_(m, SPE_SECTION_MODE_, spe_mode_opcode_(mode), n + 2);
    if (!at) return;
    at[0] = fn;
    at[1] = mode;
    if (n) memcpy(at + 2, words, n * sizeof *words);
}

/* Writes OpFunction, its parameters and the entry label; opens the function's scopes. */
static spe_id spe_open_function_(spe_module *m, const char *fn, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, fn, type);
    uint32_t *at, i;
    if (!t) return 0;
    if (m->finished) return spe_error_(m, SPE_ERR_FINISHED, "%s: the module is finished", fn);
    if (m->open) return spe_error_(m, SPE_ERR_FUNCTION_OPEN, "%s: another function is still open", fn);
    if (m->function_count >= 65535) return spe_error_(m, SPE_ERR_LIMIT, "%s: more than 65535 functions", fn);
    memset(&m->fn, 0, sizeof m->fn);
    m->fn.head = m->buffer[SPE_SECTION_FUNCTION_].count;
    m->fn.index = ++m->function_count;
    m->fn.ret = t->elem;
    m->fn.param_count = t->count;
    m->fn.id = spe_new_id_(m, 0, SPE_ID_FUNCTION_, 0);
    if (!m->fn.id || !spe_scope_push_(m)) return 0;
    m->ids[m->fn.id].serial = type;
    m->ids[m->fn.id].depth = (uint16_t)m->fn.index;
    at = spe_put_(m, SPE_SECTION_FUNCTION_, SPE_OpFunction, 4);
    if (!at) return 0;
    at[0] = t->elem;
    at[1] = m->fn.id;
    at[2] = 0;
    at[3] = type;
    for (i = 0; i < t->count; i++) {
        spe_id id = spe_new_id_(m, t->members[i], 0, 1);
        at = id ? spe_put_(m, SPE_SECTION_FUNCTION_, SPE_OpFunctionParameter, 2) : NULL;
        if (!at) return 0;
        at[0] = t->members[i];
        at[1] = id;
        if (!i) m->fn.first_param = id;
    }
    m->fn.entry = spe_new_id_(m, 0, 0, 0);
    at = m->fn.entry ? spe_put_(m, SPE_SECTION_FUNCTION_, SPE_OpLabel, 1) : NULL;
    if (!at || !spe_scope_push_(m)) return 0;
    at[0] = m->fn.entry;
    m->block = m->fn.entry;
    m->dead = false;
    m->open = true;
    m->line_file = NULL;
    return m->fn.id;
}

/* Joins the function's buffers: variables, prologue, body. */
static void spe_close_function_(spe_module *m, const char *fn)
{
    int which;
    uint32_t *at;
    if (m->error.id) return;
    if (!m->open) {
        spe_error_(m, SPE_ERR_NO_FUNCTION, "%s: no function is open", fn);
        return;
    }
    if (m->region_count) {
        spe_region_left_open_(m, fn);
        return;
    }
    if (m->in_prologue) {
        spe_error_(m, SPE_ERR_PROLOGUE, "%s: spe_prologue_end is missing", fn);
        return;
    }
    if (m->block && m->dead)
        spe_put_(m, SPE_BUFFER_BODY_, SPE_OpUnreachable, 0);
    else if (m->block && spe_info(m, m->fn.ret).kind != SPE_KIND_VOID)
        spe_error_(m, SPE_ERR_RETURN, "%s: the function ends without spe_return_value", fn);
    else if (m->block)
        spe_put_(m, SPE_BUFFER_BODY_, SPE_OpReturn, 0);
    for (which = SPE_BUFFER_VARIABLES_; which <= SPE_BUFFER_BODY_; which++) {
        size_t count = m->buffer[which].count;
        at = spe_push_(m, SPE_SECTION_FUNCTION_, count);
        if (!at) return;
        if (count) memcpy(at, m->buffer[which].data, count * sizeof *at);
        m->buffer[which].count = 0;
    }
    spe_put_(m, SPE_SECTION_FUNCTION_, SPE_OpFunctionEnd, 0);
    spe_scope_pop_(m);
    spe_scope_pop_(m);
    m->open = false;
    m->block = 0;
}

/* Names, attributes and alignment of a kernel's parameters. */
static void spe_describe_params_(spe_module *m, const spe_kernel *k)
{
    uint32_t i, word;
    for (i = 0; i < k->param_count; i++) {
        const spe_param *p = &k->params[i];
        spe_id id = m->fn.first_param + i;
        spe_name(m, id, p->name);
        if (p->restrict_) {
            word = SPE_FunctionParameterAttributeNoAlias;
            spe_decorate(m, id, SPE_DecorationFuncParamAttr, 1, &word);
        }
        if (p->readonly) {
            word = SPE_FunctionParameterAttributeNoWrite;
            spe_decorate(m, id, SPE_DecorationFuncParamAttr, 1, &word);
        }
        if (p->align) spe_decorate(m, id, SPE_DecorationAlignment, 1, &p->align);
    }
}

/* Are name and parameters ones a kernel can have? */
static bool spe_check_kernel_(spe_module *m, const spe_kernel *k)
{
    uint32_t i;
    size_t e;
    char text[80];
    if (m->error.id) return false;
    if (!k->name || !*k->name) return spe_error_(m, SPE_ERR_NAME, "spe_kernel_begin: the kernel has no name"), false;
    for (e = 0; e < m->entry_count; e++) {
        if (!strcmp(m->entries[e].name, k->name))
            return spe_error_(m, SPE_ERR_NAME, "spe_kernel_begin: there is a kernel %s already", k->name), false;
    }
    for (i = 0; i < k->param_count; i++) {
        const spe_param *p = &k->params[i];
        const spe_type_info *t = spe_want_type_(m, "spe_kernel_begin", p->type);
        bool pointer = t && t->kind == SPE_KIND_POINTER;
        if (!t) return false;
        if (t->kind == SPE_KIND_VOID || t->kind == SPE_KIND_BOOL || t->kind == SPE_KIND_FUNCTION ||
            t->kind >= SPE_KIND_COOPMAT ||
            (pointer && t->storage != SPE_StorageClassCrossWorkgroup && t->storage != SPE_StorageClassWorkgroup &&
             t->storage != SPE_StorageClassUniformConstant))
            return spe_error_(m, SPE_ERR_PARAMETER,
                              "spe_kernel_begin: parameter %u (%s) of kernel %s is %s in storage "
                              "class %u: a kernel has numbers and pointers to global, local or constant memory",
                              i, p->name ? p->name : "", k->name, spe_type_text(m, p->type, text, sizeof text),
                              t->storage),
                   false;
        if (!pointer && (p->align || p->restrict_ || p->readonly))
            return spe_error_(m, SPE_ERR_PARAMETER,
                              "spe_kernel_begin: parameter %u (%s) of kernel %s is no pointer: "
                              "align, restrict_ and readonly mean nothing",
                              i, p->name ? p->name : "", k->name),
                   false;
        if (p->align & (p->align - 1))
            return spe_error_(m, SPE_ERR_RANGE,
                              "spe_kernel_begin: alignment %u of parameter %u (%s) is no power of "
                              "two",
                              p->align, i, p->name ? p->name : ""),
                   false;
    }
    return true;
}

bool spe_kernel_begin(spe_module *m, const spe_kernel *k)
{
    uint32_t i, size[3];
    spe_id type, *params;
    void *p = m->entries;
    if (!spe_check_kernel_(m, k)) return false;
    params = (spe_id *)spe_alloc(m, k->param_count * sizeof *params);
    if (!params) return false;
    for (i = 0; i < k->param_count; i++) params[i] = k->params[i].type;
    type = spe_fn_type(m, spe_void(m), k->param_count, params);
    if (!type || !spe_open_function_(m, "spe_kernel_begin", type)) return false;
    m->fn.kernel = true;
    if (!spe_grow_(m, &p, &m->entry_capacity, m->entry_count + 1, sizeof *m->entries, 4)) return false;
    m->entries = (spe_entry_ *)p;
    m->entries[m->entry_count].id = m->fn.id;
    m->entries[m->entry_count].function = m->fn.index;
    m->entries[m->entry_count].name = spe_copy_text_(m, k->name);
    if (!m->entries[m->entry_count++].name) return false;
    spe_name(m, m->fn.id, k->name);
    spe_describe_params_(m, k);
    if (k->local_size[0]) {
        for (i = 0; i < 3; i++) size[i] = k->local_size[i] ? k->local_size[i] : 1;
        spe_execution_mode(m, m->fn.id, SPE_ExecutionModeLocalSize, 3, size);
    }
    if (k->subgroup_size) spe_execution_mode(m, m->fn.id, SPE_ExecutionModeSubgroupSize, 1, &k->subgroup_size);
    if (k->max_registers) spe_execution_mode(m, m->fn.id, SPE_ExecutionModeMaximumRegistersINTEL, 1, &k->max_registers);
    return spe_ok(m);
}

void spe_kernel_end(spe_module *m)
{
    if (m->open && !m->fn.kernel)
        spe_error_(m, SPE_ERR_FUNCTION_OPEN, "spe_kernel_end: the open function is no kernel");
    spe_close_function_(m, "spe_kernel_end");
}

spe_id spe_function_begin(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    spe_id type = spe_fn_type(m, ret, n, params), id = type ? spe_open_function_(m, "spe_function_begin", type) : 0;
    if (id) spe_name(m, id, name);
    return id;
}
void spe_function_end(spe_module *m)
{
    if (m->open && m->fn.kernel)
        spe_error_(m, SPE_ERR_FUNCTION_OPEN, "spe_function_end: the open function is a kernel");
    spe_close_function_(m, "spe_function_end");
}

void spe_export(spe_module *m, spe_id fn, const char *name)
{
    uint32_t words[65], n = spe_text_words_(name);
    if (m->error.id) return;
    if (n > 64) {
        spe_error_(m, SPE_ERR_NAME, "spe_export: the name is longer than 255 bytes");
        return;
    }
    spe_put_text_(words, name);
    words[n] = SPE_LinkageTypeExport;
    spe_decorate(m, fn, SPE_DecorationLinkageAttributes, n + 1, words);
}

spe_id spe_param_id(spe_module *m, uint32_t i)
{
    if (m->error.id) return 0;
    if (!m->open) return spe_error_(m, SPE_ERR_NO_FUNCTION, "spe_param_id: no function is open");
    if (i >= m->fn.param_count)
        return spe_error_(m, SPE_ERR_PARAMETER, "spe_param_id: there is no parameter %u; the function has %u", i,
                          m->fn.param_count);
    return m->fn.first_param + i;
}

spe_id spe_call(spe_module *m, spe_id fn, uint32_t n, const spe_id *args)
{
    bool known = fn && fn < m->id_count && (m->ids[fn].flags & SPE_ID_FUNCTION_);
    spe_type_info t;
    uint32_t i, *w;
    spe_id id;
    char ta[80], tb[80];
    if (m->error.id) return 0;
    if (!known) return spe_error_(m, SPE_ERR_NO_FUNCTION, "spe_call: %u is no function", fn);
    t = spe_info(m, m->ids[fn].serial);
    if (n != t.count) return spe_error_(m, SPE_ERR_TYPE, "spe_call: %u arguments for %u parameters", n, t.count);
    for (i = 0; i < n; i++) {
        spe_id type = spe_operand_(m, "spe_call", args[i]);
        if (!type) return 0;
        if (type != t.members[i])
            return spe_error_(m, SPE_ERR_TYPE, "spe_call: argument %u is %s, the parameter %s", i,
                              spe_type_text(m, type, ta, sizeof ta), spe_type_text(m, t.members[i], tb, sizeof tb));
    }
    if (!spe_ready_(m)) return 0;
    spe_use_(m, fn);
    w = (uint32_t *)spe_alloc(m, (n + 1) * sizeof *w);
    if (!w) return 0;
    w[0] = fn;
    if (n) memcpy(w + 1, args, n * sizeof *w);
    id = spe_emit_(m, SPE_OpFunctionCall, t.elem, n + 1, w);
    return spe_info(m, t.elem).kind == SPE_KIND_VOID ? 0 : id;
}

/* May the block end here? */
bool spe_may_branch_(spe_module *m, const char *fn)
{
    if (!spe_ready_(m)) return false;
    if (m->in_prologue) return spe_error_(m, SPE_ERR_PROLOGUE, "%s: not in the prologue", fn), false;
    return true;
}

void spe_return(spe_module *m)
{
    if (!spe_may_branch_(m, "spe_return")) return;
    if (spe_info(m, m->fn.ret).kind != SPE_KIND_VOID) {
        spe_error_(m, SPE_ERR_RETURN, "spe_return: the function returns a value; use spe_return_value");
        return;
    }
    spe_put_(m, SPE_BUFFER_BODY_, SPE_OpReturn, 0);
    m->block = 0;
}
void spe_return_value(spe_module *m, spe_id v)
{
    spe_id type = spe_operand_(m, "spe_return_value", v);
    uint32_t *at;
    char ta[80], tb[80];
    if (!type || !spe_may_branch_(m, "spe_return_value")) return;
    if (type != m->fn.ret) {
        spe_error_(m, SPE_ERR_RETURN, "spe_return_value: %s from a function of %s",
                   spe_type_text(m, type, ta, sizeof ta), spe_type_text(m, m->fn.ret, tb, sizeof tb));
        return;
    }
    at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpReturnValue, 1);
    if (at) at[0] = v;
    m->block = 0;
}

void spe_prologue_begin(spe_module *m)
{
    if (m->error.id) return;
    if (!m->open)
        spe_error_(m, SPE_ERR_NO_FUNCTION, "spe_prologue_begin: no function is open");
    else if (m->in_prologue)
        spe_error_(m, SPE_ERR_PROLOGUE, "spe_prologue_begin: already in the prologue");
    else
        m->in_prologue = true;
}
void spe_prologue_end(spe_module *m)
{
    if (m->error.id) return;
    if (!m->in_prologue) spe_error_(m, SPE_ERR_PROLOGUE, "spe_prologue_end: no spe_prologue_begin");
    m->in_prologue = false;
}

/* -- built-ins --------------------------------------------------------------------------------------------------- */

typedef struct {
    uint16_t builtin, dims; /* 1: a scalar, 3: a vector */
    bool is_size;           /* size_t in the OpenCL environment: 64 bits with 64-bit pointers */
    const char *name;
} spe_builtin_row_;

static const spe_builtin_row_ *spe_builtin_row_of_(spe_builtin_name which)
{
    static const spe_builtin_row_ rows[SPE_BUILTIN_COUNT_] = {
        {SPE_BuiltInGlobalInvocationId, 3, true, "global_id"},
        {SPE_BuiltInLocalInvocationId, 3, true, "local_id"},
        {SPE_BuiltInWorkgroupId, 3, true, "group_id"},
        {SPE_BuiltInGlobalSize, 3, true, "global_size"},
        {SPE_BuiltInWorkgroupSize, 3, true, "local_size"},
        {SPE_BuiltInNumWorkgroups, 3, true, "group_count"},
        {SPE_BuiltInGlobalOffset, 3, true, "global_offset"},
        {SPE_BuiltInEnqueuedWorkgroupSize, 3, true, "enqueued_local_size"},
        {SPE_BuiltInWorkDim, 1, false, "work_dim"},
        {SPE_BuiltInGlobalLinearId, 1, true, "global_linear_id"},
        {SPE_BuiltInLocalInvocationIndex, 1, true, "local_linear_id"},
        {SPE_BuiltInSubgroupId, 1, false, "subgroup_id"},
        {SPE_BuiltInSubgroupSize, 1, false, "subgroup_size"},
        {SPE_BuiltInNumSubgroups, 1, false, "subgroup_count"},
        {SPE_BuiltInSubgroupLocalInvocationId, 1, false, "subgroup_lane"},
        {SPE_BuiltInSubgroupMaxSize, 1, false, "subgroup_max_size"},
    };
    return &rows[which];
}

/* The module's Input variable of a built-in. */
static spe_id spe_builtin_variable_(spe_module *m, spe_builtin_name which, const spe_builtin_row_ *row)
{
    uint32_t word = row->builtin;
    spe_id id = m->builtin_variable[which];
    if (id) return id;
    id = spe_global_var(m, SPE_StorageClassInput, spe_vec(m, spe_int(m, row->is_size ? 64 : 32), row->dims), 0);
    if (!id) return 0;
    spe_decorate(m, id, SPE_DecorationBuiltIn, 1, &word);
    spe_decorate(m, id, SPE_DecorationConstant, 0, NULL);
    spe_name(m, id, row->name);
    return m->builtin_variable[which] = id;
}

spe_id spe_builtin(spe_module *m, spe_builtin_name which, uint32_t dim)
{
    const spe_builtin_row_ *row;
    bool was = m->in_prologue;
    spe_id variable, v;
    if (m->error.id) return 0;
    if ((unsigned)which >= SPE_BUILTIN_COUNT_)
        return spe_error_(m, SPE_ERR_RANGE, "spe_builtin: there is no built-in %d", (int)which);
    row = spe_builtin_row_of_(which);
    if (dim >= row->dims) return spe_error_(m, SPE_ERR_RANGE, "spe_builtin: %s has no dimension %u", row->name, dim);
    if (!m->open) return spe_error_(m, SPE_ERR_NO_FUNCTION, "spe_builtin: outside of a function");
    if (m->fn.builtin[which][dim]) return m->fn.builtin[which][dim];
    variable = spe_builtin_variable_(m, which, row);
    m->in_prologue = true;
    if (!m->fn.builtin_whole[which]) m->fn.builtin_whole[which] = variable ? spe_load(m, variable, 0) : 0;
    v = m->fn.builtin_whole[which];
    if (row->dims > 1) v = v ? spe_extract(m, v, dim) : 0;
    if (row->is_size) v = v ? spe_uconvert(m, spe_int(m, 32), v) : 0;
    m->in_prologue = was;
    return m->fn.builtin[which][dim] = v;
}
