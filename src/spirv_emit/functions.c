/* functions.c - functions, kernels, the prologue, built-ins. */
#include "internal.h"

/* Is it the id of a function of this module? */
static bool spe_is_function_(const spe_module *m, spe_id fn)
{
    return fn && fn < m->id_count && (m->ids[fn].flags & SPE_ID_FUNCTION_);
}

/* Is it the id of a kernel of this module? */
XE_ONCE_
static bool spe_is_kernel_(const spe_module *m, spe_id fn)
{
    return fn && fn < m->id_count && (m->ids[fn].flags & SPE_ID_KERNEL_);
}

XE_ONCE_
static bool spe_is_void_(const spe_module *m, spe_id type) { return spe_info_(m, type)->kind == SPE_KIND_VOID; }

/* The number of operands of an execution mode; UINT32_MAX if it is none of a kernel. */
XE_ONCE_
static uint32_t spe_mode_operands_(uint32_t mode)
{
    switch (mode) {
    case SPE_ExecutionModeContractionOff: return 0;
    case SPE_ExecutionModeLocalSize: case SPE_ExecutionModeLocalSizeHint: case SPE_ExecutionModeLocalSizeId:
    case SPE_ExecutionModeLocalSizeHintId: return 3;
    case SPE_ExecutionModeFPFastMathDefault: return 2;
    case SPE_ExecutionModeVecTypeHint: case SPE_ExecutionModeSubgroupSize: case SPE_ExecutionModeSubgroupsPerWorkgroup:
    case SPE_ExecutionModeSubgroupsPerWorkgroupId: case SPE_ExecutionModeDenormPreserve:
    case SPE_ExecutionModeDenormFlushToZero: case SPE_ExecutionModeSignedZeroInfNanPreserve:
    case SPE_ExecutionModeRoundingModeRTE: case SPE_ExecutionModeRoundingModeRTZ:
    case SPE_ExecutionModeMaximumRegistersINTEL: case SPE_ExecutionModeMaximumRegistersIdINTEL:
    case SPE_ExecutionModeNamedMaximumRegistersINTEL: return 1;
    default: return UINT32_MAX;
    }
}

/* Has the target, where it is known, this subgroup size or work-groups of this size? Else an error. */
static bool spe_target_has_(spe_module *m, uint32_t mode, const uint32_t *words)
{
    const spe_options *o = &m->options;
    if (mode == SPE_ExecutionModeSubgroupSize && o->subgroup_sizes && !(o->subgroup_sizes & words[0]))
        return spe_error_(m, SPE_ERR_TARGET, "subgroup size %u; the target has those in mask 0x%x", words[0],
                          o->subgroup_sizes);
    if (mode != SPE_ExecutionModeLocalSize || !o->max_group_size) return true;
    uint64_t size = words[0];
    for (int i = 1; i < 3; i++) size = size && words[i] <= UINT64_MAX / size ? size * words[i] : UINT64_MAX;
    return size <= o->max_group_size ||
           spe_error_(m, SPE_ERR_TARGET, "a work-group of %u x %u x %u; the target has at most %u work-items", words[0],
                      words[1], words[2], o->max_group_size);
}

void spe_execution_mode(spe_module *m, spe_id fn, uint32_t mode, uint32_t n, const uint32_t *words)
{
    uint32_t head[2] = {fn, mode}, op = SPE_OpExecutionMode, want = spe_mode_operands_(mode);
    if (!fn && m->open && m->fn.kernel) head[0] = m->fn.id;
    if (!spe_is_kernel_(m, head[0])) SPE_ERROR_(m, NO_FUNCTION, "%u is not a kernel", fn);
    if (want == UINT32_MAX) SPE_ERROR_(m, RANGE, "%u is not one of SPE_ExecutionMode...", mode);
    else if (n != want) SPE_ERROR_(m, RANGE, "mode %u has %u operands, not %u", mode, want, n);
    bool of_kernels = mode == SPE_ExecutionModeVecTypeHint || mode == SPE_ExecutionModeLocalSizeHint ||
                      mode == SPE_ExecutionModeContractionOff || mode == SPE_ExecutionModeLocalSizeHintId;
    if (m->options.env && of_kernels) SPE_ERROR_(m, ENVIRONMENT, "Vulkan has no execution mode %u", mode);
    switch (mode) { /* modes whose operands are ids use OpExecutionModeId */
    case SPE_ExecutionModeSubgroupsPerWorkgroupId: case SPE_ExecutionModeLocalSizeId:
    case SPE_ExecutionModeLocalSizeHintId: case SPE_ExecutionModeFPFastMathDefault:
    case SPE_ExecutionModeMaximumRegistersIdINTEL: op = SPE_OpExecutionModeId; break;
    default: break;
    }
    if (m->error.id || !spe_target_has_(m, mode, words)) return;
    for (uint32_t i = 0; i < n && op == SPE_OpExecutionModeId; i++) {
        if (!spe_is_const(m, words[i])) SPE_ERROR_(m, NO_VALUE, "operand %u of mode %u is not a constant", i + 1, mode);
    }
    spe_need_(m, SPE_NEED_MODE_, mode);
    spe_write_words_(m, SPE_SECTION_MODE_, op, 2, head, n, words);
}

/* The id of a function of this type. */
XE_ONCE_
static spe_id spe_new_function_(spe_module *m, spe_id type)
{
    spe_id id = spe_new_id_(m, 0, SPE_ID_FUNCTION_, 0);
    if (!id) return 0;
    m->ids[id].serial = type;
    m->ids[id].depth = 0; /* its number, which it gets with its body */
    return id;
}

/* Writes OpFunction, its parameters and the entry label; opens the function's scopes. fn: a declared function; 0: it is
 * new. */
static spe_id spe_open_function_(spe_module *m, const char *name, spe_id type, spe_id fn)
{
    const spe_type_info *t = spe_want_type_(m, name, type);
    m->doing = name;
    if (!t) return 0;
    if (m->finished) return spe_error_(m, SPE_ERR_FINISHED, "the module is finished");
    if (m->open) return spe_error_(m, SPE_ERR_FUNCTION_OPEN, "another function is still open");
    if (m->function_count >= 65535) return spe_error_(m, SPE_ERR_LIMIT, "more than 65535 functions");
    memset(&m->fn, 0, sizeof m->fn);
    m->fn.index = ++m->function_count;
    m->fn.ret = t->elem;
    m->fn.param_count = t->count;
    m->fn.id = fn ? fn : spe_new_function_(m, type);
    if (!m->fn.id || !spe_scope_push_(m)) return 0;
    m->ids[m->fn.id].depth = (uint16_t)m->fn.index;
    m->fn.control = m->buffer[SPE_SECTION_FUNCTION_].count + 3;
    spe_write_(m, SPE_SECTION_FUNCTION_, SPE_OpFunction, 4, t->elem, m->fn.id, 0, type);
    for (uint32_t i = 0; i < t->count; i++) {
        spe_id id = spe_new_id_(m, t->members[i], (uint32_t)SPE_OpFunctionParameter << 16, 1);
        spe_write_(m, SPE_SECTION_FUNCTION_, SPE_OpFunctionParameter, 2, t->members[i], id);
        if (!i) m->fn.first_param = id;
        if (m->vulkan) m->vulkan->alias(m, id, t->members[i], SPE_DecorationAliased);
    }
    m->block = m->fn.entry = spe_new_label_(m);
    if (!spe_write_(m, SPE_SECTION_FUNCTION_, SPE_OpLabel, 1, m->block) || !spe_scope_push_(m)) return 0;
    m->fn.body = m->buffer[SPE_BUFFER_BODY_].count;
    m->dead = false;
    m->open = true;
    m->line_file = NULL;
    return m->fn.id;
}

/* Inserts a buffer's words before the body. */
static bool spe_put_before_(spe_module *m, int which)
{
    spe_buffer_ *b = &m->buffer[which], *body = &m->buffer[SPE_BUFFER_BODY_];
    size_t room = b->count;
    if (!room) return true;
    if (!spe_push_(m, SPE_BUFFER_BODY_, room)) return false;
    uint32_t *at = body->data + m->fn.body;
    memmove(at + room, at, (body->count - room - m->fn.body) * sizeof *at);
    memcpy(at, b->data, room * sizeof *at);
    b->count = 0;
    return true;
}

/* Ends the function: its variables and prologue come before the body. */
static void spe_close_function_(spe_module *m, const char *name, bool kernel)
{
    m->doing = name;
    if (!m->open) spe_error_(m, SPE_ERR_NO_FUNCTION, "no function is open");
    else if (m->fn.kernel != kernel)
        spe_error_(m, SPE_ERR_FUNCTION_OPEN, "the open function is %s kernel", kernel ? "not a" : "a");
    else if (m->region_count) spe_region_left_open_(m);
    else if (m->in_prologue) spe_error_(m, SPE_ERR_PROLOGUE, "spe_prologue_end is missing");
    else if (m->hints) spe_error_(m, SPE_ERR_REGION_CROSSED, "no loop follows spe_loop_hint 0x%x", m->hints);
    else if (m->block && m->dead) spe_write_(m, SPE_BUFFER_BODY_, SPE_OpUnreachable, 0);
    else if (m->block && !spe_is_void_(m, m->fn.ret))
        spe_error_(m, SPE_ERR_RETURN, "the function ends without spe_return_value");
    else if (m->block) spe_write_(m, SPE_BUFFER_BODY_, SPE_OpReturn, 0);
    if (m->error.id) return;
    if (!spe_put_before_(m, SPE_BUFFER_PROLOGUE_)) return;
    spe_avoid_bugs_(m, m->fn.body);
    if (!spe_put_before_(m, SPE_BUFFER_VARIABLES_)) return;
    spe_write_(m, SPE_SECTION_FUNCTION_, SPE_OpFunctionEnd, 0);
    spe_scope_pop_(m);
    spe_scope_pop_(m);
    m->open = false;
    m->block = 0;
}

/* Can a kernel have parameter i? Else an error. */
static bool spe_check_param_(spe_module *m, const spe_kernel *k, uint32_t i)
{
    const spe_param *p = &k->params[i];
    const spe_type_info *t = spe_want_type_(m, "spe_kernel_begin", p->type);
    const char *name = p->name ? p->name : "";
    bool pointer = t && t->kind == SPE_KIND_POINTER;
    m->doing = "spe_kernel_begin";
    if (!t) return false;
    if (t->kind == SPE_KIND_VOID || t->kind == SPE_KIND_BOOL || t->kind == SPE_KIND_FUNCTION ||
        t->kind >= SPE_KIND_SAMPLED_IMAGE ||
        (pointer && t->storage != SPE_StorageClassCrossWorkgroup && t->storage != SPE_StorageClassWorkgroup &&
         t->storage != SPE_StorageClassUniformConstant))
        return spe_error_(m, SPE_ERR_PARAMETER, "parameter %u (%s) of kernel %s is %s in storage class %s: a kernel "
                          "has numbers, images, samplers, and pointers to global, local or constant memory", i, name,
                          k->name, spe_text_(m, p->type), spe_storage_text_(t->storage));
    if (!pointer && (p->align || p->restrict_ || p->readonly))
        return spe_error_(m, SPE_ERR_PARAMETER, "parameter %u (%s) of kernel %s is not a pointer: align, restrict_ and "
                          "readonly mean nothing", i, name, k->name);
    if (!(p->align & (p->align - 1))) return true;
    return spe_error_(m, SPE_ERR_RANGE, "alignment %u of parameter %u (%s) is not a power of two", p->align, i, name);
}

/* Name, attributes and alignment of a parameter. */
XE_ONCE_
static void spe_describe_param_(spe_module *m, spe_id id, const spe_param *p)
{
    uint32_t no_alias = SPE_FunctionParameterAttributeNoAlias, no_write = SPE_FunctionParameterAttributeNoWrite;
    spe_name(m, id, p->name);
    if (p->restrict_) spe_decorate(m, id, SPE_DecorationFuncParamAttr, 1, &no_alias);
    if (p->readonly) spe_decorate(m, id, SPE_DecorationFuncParamAttr, 1, &no_write);
    if (p->align) spe_decorate(m, id, SPE_DecorationAlignment, 1, &p->align);
}

/* The slot of a kernel's name in a hash table of numbers of entries, from 1; 0: it is free. */
static uint32_t *spe_entry_slot_(const spe_module *m, const char *name)
{
    const spe_buffer_ *slots = &m->buffer[SPE_BUFFER_KERNELS_];
    size_t slot = 0;
    for (const char *c = name; *c; c++) slot = (slot ^ (unsigned char)*c) * 0x01000193u;
    for (slot ^= slot >> 15;; slot++) {
        uint32_t *at = &slots->data[slot & (slots->count - 1)];
        if (!*at || !strcmp(m->entries[*at - 1].name, name)) return at;
    }
}

XE_ONCE_
static bool spe_has_entry_(const spe_module *m, const char *name)
{
    return m->entry_count && *spe_entry_slot_(m, name);
}

/* Doubles the table if it is half full. */
static bool spe_grow_entries_(spe_module *m)
{
    spe_buffer_ *slots = &m->buffer[SPE_BUFFER_KERNELS_];
    size_t more = slots->count ? slots->count : 16;
    if (2 * (m->entry_count + 1) <= slots->count) return true;
    if (!spe_push_(m, SPE_BUFFER_KERNELS_, more)) return false;
    memset(slots->data, 0, slots->count * sizeof *slots->data);
    for (size_t e = 0; e < m->entry_count; e++) *spe_entry_slot_(m, m->entries[e].name) = (uint32_t)e + 1;
    return true;
}

/* The open function is a kernel. */
static bool spe_add_entry_(spe_module *m, const char *name)
{
    const char *copy = (const char *)spe_copied_(m, name, strlen(name) + 1);
    if (!copy || !spe_grow_entries_(m) ||
        !spe_grow_(m, &m->entries, &m->entry_capacity, m->entry_count + 1, sizeof *m->entries, 4))
        return false;
    spe_entry_ *entry = &m->entries[m->entry_count];
    entry->id = m->fn.id;
    entry->function = m->fn.index;
    entry->name = copy;
    *spe_entry_slot_(m, name) = (uint32_t)++m->entry_count;
    m->ids[m->fn.id].flags |= SPE_ID_KERNEL_;
    m->fn.kernel = true;
    return true;
}

static bool spe_kernel_begin_(spe_module *m, const spe_kernel *k)
{
    uint32_t size[3];
    spe_id type, *params;
    if (m->error.id) return false;
    if (!k->name || !*k->name) return SPE_ERROR_(m, NAME, "the kernel has no name");
    if (k->contract != SPE_CONTRACT_ALLOWED && k->contract != SPE_CONTRACT_OFF)
        return SPE_ERROR_(m, RANGE, "contract is %d; there are SPE_CONTRACT_ALLOWED and SPE_CONTRACT_OFF",
                          (int)k->contract);
    if (spe_has_entry_(m, k->name)) return SPE_ERROR_(m, NAME, "there is a kernel %s already", k->name);
    for (uint32_t i = 0; i < k->param_count; i++) {
        if (!spe_check_param_(m, k, i)) return false;
    }
    params = (spe_id *)spe_alloc(m, k->param_count * sizeof *params);
    if (!params) return false;
    for (uint32_t i = 0; i < k->param_count; i++) params[i] = k->params[i].type;
    bool pushed = m->options.env == SPE_ENV_VULKAN;
    if (pushed && !k->local_size[0])
        return SPE_ERROR_(m, ENVIRONMENT, "kernel %s states no local size; Vulkan needs one", k->name);
    if (pushed && k->max_registers)
        return SPE_ERROR_(m, ENVIRONMENT, "kernel %s: Vulkan has no number of registers", k->name);
    type = spe_fn_type(m, spe_void(m), pushed ? 0 : k->param_count, params);
    if (!type || !spe_open_function_(m, __func__, type, 0) || !spe_add_entry_(m, k->name)) return false;
    m->fn.subgroup_size = k->subgroup_size;
    spe_name(m, m->fn.id, k->name);
    for (uint32_t i = 0; i < 3; i++) size[i] = k->local_size[i] ? k->local_size[i] : 1;
    if (k->local_size[0]) spe_execution_mode(m, m->fn.id, SPE_ExecutionModeLocalSize, 3, size);
    if (pushed) { /* the host requires the subgroup size; instructions say that they are not contracted */
        uint32_t spec = SPE_SUBGROUP_SIZE_CONSTANT + 2 * ((uint32_t)m->entry_count - 1);
        memcpy(m->fn.local_size, size, sizeof size);
        if (k->subgroup_size && (!spe_target_has_(m, SPE_ExecutionModeSubgroupSize, &k->subgroup_size) ||
                                 !spe_spec_const(m, spe_int(m, 32), k->subgroup_size, spec)))
            return false;
        if (k->contract == SPE_CONTRACT_OFF) m->contraction_off = true;
        return m->vulkan->push_params(m, k);
    }
    for (uint32_t i = 0; i < k->param_count; i++) spe_describe_param_(m, m->fn.first_param + i, &k->params[i]);
    if (k->subgroup_size) spe_execution_mode(m, m->fn.id, SPE_ExecutionModeSubgroupSize, 1, &k->subgroup_size);
    if (k->max_registers) spe_execution_mode(m, m->fn.id, SPE_ExecutionModeMaximumRegistersINTEL, 1, &k->max_registers);
    if (k->contract == SPE_CONTRACT_OFF) spe_execution_mode(m, m->fn.id, SPE_ExecutionModeContractionOff, 0, NULL);
    return spe_ok(m);
}
bool spe_kernel_begin(spe_module *m, const spe_kernel *k) { return SPE_WITHIN_(m, spe_kernel_begin_(m, k)); }
void spe_kernel_end(spe_module *m) { spe_close_function_(m, __func__, true); }

static spe_id spe_function_begin_(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    spe_id type = spe_fn_type(m, ret, n, params), id = type ? spe_open_function_(m, __func__, type, 0) : 0;
    spe_name(m, id, name);
    return id;
}
spe_id spe_function_begin(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    return SPE_WITHIN_(m, spe_function_begin_(m, name, ret, n, params));
}
void spe_function_end(spe_module *m) { spe_close_function_(m, __func__, false); }

static spe_id spe_function_declare_(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    spe_id type = spe_fn_type(m, ret, n, params), id = type ? spe_new_function_(m, type) : 0;
    if (!id) return 0;
    m->ids[id].flags |= SPE_ID_DECLARED_;
    m->declared_count++;
    spe_name(m, id, name);
    return id;
}
spe_id spe_function_declare(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    return SPE_WITHIN_(m, spe_function_declare_(m, name, ret, n, params));
}

void spe_function_define(spe_module *m, spe_id fn)
{
    if (m->error.id) return;
    if (!spe_is_function_(m, fn) || !(m->ids[fn].flags & SPE_ID_DECLARED_))
        SPE_ERROR_(m, NO_FUNCTION, "%u is not a function of spe_function_declare without a body", fn);
    else if (spe_open_function_(m, __func__, m->ids[fn].serial, fn)) {
        m->ids[fn].flags &= (uint16_t)~SPE_ID_DECLARED_;
        m->declared_count--;
    }
}

void spe_function_control(spe_module *m, uint32_t control)
{
    uint32_t both = SPE_FunctionControlInline | SPE_FunctionControlDontInline;
    uint32_t all = both | SPE_FunctionControlPure | SPE_FunctionControlConst;
    if (m->error.id) return;
    if (!m->open) SPE_ERROR_(m, NO_FUNCTION, "outside of a function");
    else if ((control & ~all) || (control & both) == both)
        SPE_ERROR_(m, RANGE, "control 0x%x; the bits of 0x%x exist, of 0x%x at most one", control, all, both);
    else m->buffer[SPE_SECTION_FUNCTION_].data[m->fn.control] = control;
}

/* Gives a function a name for other modules. */
static void spe_link_(spe_module *m, const char *doing, spe_id fn, const char *name, uint32_t linkage)
{
    uint32_t words[65], n = name ? spe_text_words_(name) : 0;
    m->doing = doing;
    if (n > 64) spe_error_(m, SPE_ERR_NAME, "the name is longer than 255 bytes");
    else if (!n || !*name) spe_error_(m, SPE_ERR_NAME, "a function without a name is unknown to other modules");
    else if (!spe_is_function_(m, fn)) spe_error_(m, SPE_ERR_NO_FUNCTION, "%u is not a function", fn);
    if (m->error.id) return;
    spe_put_text_(words, name);
    words[n] = linkage;
    spe_decorate(m, fn, SPE_DecorationLinkageAttributes, n + 1, words);
}

void spe_export(spe_module *m, spe_id fn, const char *name)
{
    spe_link_(m, __func__, fn, name, SPE_LinkageTypeExport);
}

static spe_id spe_function_import_(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    spe_id type = spe_fn_type(m, ret, n, params), id = type ? spe_new_function_(m, type) : 0;
    if (!id || !spe_write_(m, SPE_SECTION_IMPORTED_, SPE_OpFunction, 4, ret, id, 0, type)) return 0;
    for (uint32_t i = 0; i < n; i++)
        spe_write_(m, SPE_SECTION_IMPORTED_, SPE_OpFunctionParameter, 2, params[i], spe_new_label_(m));
    spe_write_(m, SPE_SECTION_IMPORTED_, SPE_OpFunctionEnd, 0);
    spe_name(m, id, name);
    spe_link_(m, __func__, id, name, SPE_LinkageTypeImport);
    return spe_ok(m) ? id : 0;
}
spe_id spe_function_import(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    return SPE_WITHIN_(m, spe_function_import_(m, name, ret, n, params));
}

spe_id spe_param_id(spe_module *m, uint32_t i)
{
    if (m->error.id) return 0;
    if (!m->open) return SPE_ERROR_(m, NO_FUNCTION, "no function is open");
    if (i < m->fn.param_count) return m->fn.first_param + i;
    return SPE_ERROR_(m, PARAMETER, "there is no parameter %u; the function has %u", i, m->fn.param_count);
}

void spe_param_names(spe_module *m, uint32_t n, const char *const *names)
{
    if (m->error.id) return;
    if (!m->open) SPE_ERROR_(m, NO_FUNCTION, "no function is open");
    else if (n > m->fn.param_count)
        SPE_ERROR_(m, PARAMETER, "%u names; the function has %u parameters", n, m->fn.param_count);
    for (uint32_t i = 0; i < n && !m->error.id; i++) spe_name(m, m->fn.first_param + i, names[i]);
}

spe_id spe_call(spe_module *m, spe_id fn, uint32_t n, const spe_id *args)
{
    if (!spe_is_function_(m, fn)) return SPE_ERROR_(m, NO_FUNCTION, "%u is not a function", fn);
    if (spe_is_kernel_(m, fn)) return SPE_ERROR_(m, NO_FUNCTION, "%u is a kernel; only the host calls kernels", fn);
    if (m->open && fn == m->fn.id)
        return SPE_ERROR_(m, FUNCTION_OPEN, "%u is the open function; OpenCL has no recursion", fn);
    const spe_type_info *t = spe_info_(m, m->ids[fn].serial);
    if (n != t->count) return SPE_ERROR_(m, TYPE, "%u arguments for %u parameters", n, t->count);
    for (uint32_t i = 0; i < n; i++) {
        spe_id type = spe_check_(m, __func__, "v", args[i]);
        const char *text = spe_text_(m, type);
        if (!type) return 0;
        if (type == t->members[i]) continue;
        return SPE_ERROR_(m, TYPE, "argument %u is %s, the parameter %s", i, text, spe_text_(m, t->members[i]));
    }
    if (!spe_ready_(m)) return 0;
    spe_use_(m, fn);
    spe_id ret = t->elem;
    uint32_t *w = (uint32_t *)spe_alloc(m, (n + 1) * sizeof *w);
    if (!w) return 0;
    w[0] = fn;
    if (n) memcpy(w + 1, args, n * sizeof *w);
    spe_id id = spe_emit_(m, SPE_OpFunctionCall, ret, n + 1, w);
    return spe_is_void_(m, ret) ? 0 : id;
}

void spe_return(spe_module *m)
{
    if (!spe_may_branch_(m, __func__)) return;
    if (!spe_is_void_(m, m->fn.ret)) SPE_ERROR_(m, RETURN, "the function returns a value; use spe_return_value");
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpReturn, 0);
    m->block = 0;
}
void spe_return_value(spe_module *m, spe_id v)
{
    spe_id type = spe_check_(m, __func__, "v", v);
    const char *text;
    if (!type || !spe_may_branch_(m, __func__)) return;
    if (type != m->fn.ret) {
        text = spe_text_(m, type);
        SPE_ERROR_(m, RETURN, "%s from a function of %s", text, spe_text_(m, m->fn.ret));
    }
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpReturnValue, 1, v);
    m->block = 0;
}

void spe_prologue_begin(spe_module *m)
{
    if (!m->open) SPE_ERROR_(m, NO_FUNCTION, "no function is open");
    else if (m->in_prologue) SPE_ERROR_(m, PROLOGUE, "already in the prologue");
    if (!m->error.id) m->in_prologue = true;
}
void spe_prologue_end(spe_module *m)
{
    if (!m->in_prologue) SPE_ERROR_(m, PROLOGUE, "no spe_prologue_begin");
    if (!m->error.id) m->in_prologue = false;
}
