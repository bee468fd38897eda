
/* ---- building a module ------------------------------------------------------------------------------------------------------------ */

static inline cv_where_ cv_build_where_(cv_ctx *x, const char *file, int line)
{
    cv_where_ w;
    w.x = x;
    w.file = file;
    w.line = line;
    return w;
}

/* "ptr<f16> " or "u32 " at *text; moves on. */
static inline bool cv_parse_type_(const char **text, cv_param_ *p)
{
    const char *s = *text;
    size_t n;
    int i;
    p->pointer = strncmp(s, "ptr<", 4) == 0;
    s += p->pointer ? 4 : 0;
    n = strcspn(s, "> ,");
    for (i = 0; i < CV_TYPE_COUNT_; i++) {
        const cv_type_row *row = cv_type_at_(i);
        if (!row->memory || strlen(row->name) != n || strncmp(s, row->name, n) != 0) continue;
        if (!p->pointer && cv_is_fp8_(row->type)) return false;
        p->type = row->type;
        s += n;
        if (p->pointer && *s++ != '>') return false;
        if (*s != ' ') return false;
        *text = s + strspn(s, " ");
        return true;
    }
    return false;
}

/* "ptr<f16> A, u32 N" into x->params. */
static inline bool cv_parse_params_(cv_ctx *x)
{
    const char *s = x->kernel->params ? x->kernel->params : "";
    cv_where_ w = cv_build_where_(x, x->kernel->file, x->kernel->line);
    while (*s) {
        cv_param_ *p = &x->params[x->param_count];
        size_t n;
        if (x->param_count == CV_PARAMS_MAX_) {
            cv_fail_(w, CV_ERROR_PARAMETER_TEXT, "more than %d parameters", (int)CV_PARAMS_MAX_);
            return false;
        }
        if (!cv_parse_type_(&s, p)) {
            cv_fail_(w, CV_ERROR_PARAMETER_TEXT, "parameter %d at \"%.40s\"", x->param_count + 1, s);
            return false;
        }
        n = strcspn(s, ", ");
        if (n == 0 || n >= sizeof p->name) {
            cv_fail_(w, CV_ERROR_PARAMETER_TEXT, "the name of parameter %d has %d characters", x->param_count + 1, (int)n);
            return false;
        }
        memcpy(p->name, s, n);
        x->param_count++;
        s += n;
        s += strspn(s, ", ");
    }
    return true;
}

/* The target's row with what the caller knows better; the subgroup size. */
static inline bool cv_choose_target_(cv_ctx *x, cv_where_ w)
{
    const cv_build_desc *d = x->desc;
    const cm_target *row = d->target && d->target->name ? cm_target_row(d->target->name) : NULL;
    uint32_t sizes;
    int size;
    if (!row) {
        cv_fail_(w, CV_ERROR_TARGET, "\"%s\"", d->target && d->target->name ? d->target->name : "(none)");
        return false;
    }
    x->target = *row;
    if (d->target->subgroup_sizes) x->target.subgroup_sizes = d->target->subgroup_sizes;
    if (d->target->local_memory) x->target.local_memory = (int)d->target->local_memory;
    if (d->target->max_group_size) x->target.max_group_size = (int)d->target->max_group_size;
    sizes = x->target.subgroup_sizes;
    size = d->subgroup_size ? d->subgroup_size : row->subgroup_size;
    if (!d->subgroup_size && !(sizes & (uint32_t)size)) size = (int)(sizes & (~sizes + 1u)); /* the smallest there is */
    if (size < 1 || (size & (size - 1)) || !(sizes & (uint32_t)size)) {
        cv_fail_(w, CV_ERROR_SUBGROUP_SIZE, "wanted %d, %s has (a bit each) 0x%x", size, row->name, (unsigned)sizes);
        return false;
    }
    x->S = x->target.subgroup_size = size;
    x->local_size = d->local_size ? d->local_size : 4 * size;
    if (x->local_size < 1 || x->local_size > x->target.max_group_size) {
        cv_fail_(w, CV_ERROR_GROUP_SIZE, "%d work-items, %s takes %d", x->local_size, row->name, x->target.max_group_size);
        return false;
    }
    x->full = x->local_size % size == 0;
    return true;
}

static inline bool cv_begin_kernel_(cv_ctx *x)
{
    spe_kernel k;
    spe_param params[CV_PARAMS_MAX_];
    int i;
    memset(&k, 0, sizeof k);
    memset(params, 0, sizeof params);
    for (i = 0; i < x->param_count; i++) {
        params[i].type = cv_spe_type_(x, x->params[i].type);
        if (x->params[i].pointer) params[i].type = spe_ptr(&x->m, SPE_StorageClassCrossWorkgroup, params[i].type);
        params[i].name = x->params[i].name;
    }
    k.name = x->kernel->name;
    k.subgroup_size = (uint32_t)x->S;
    k.local_size[0] = (uint32_t)x->local_size;
    k.local_size[1] = k.local_size[2] = 1;
    k.params = params;
    k.param_count = (uint32_t)x->param_count;
    if (!spe_kernel_begin(&x->m, &k)) return false;
    for (i = 0; i < x->param_count; i++) {
        x->args[i] = cv_scalar_(x->params[i].type, spe_param_id(&x->m, (uint32_t)i), true);
        if (x->params[i].pointer) x->args[i].kind = CV_POINTER_;
    }
    return true;
}

static inline void cv_emit_module_(cv_ctx *x, cv_module *mod)
{
    cm_ctx cm;
    spe_words words;
    if (!cm_begin(&cm, &x->m, &x->target, x->desc->lowering)) return;
    x->dpas = cm.lowering == CM_INTEL;
    x->block2d = x->dpas && (x->target.block2d_sizes & (uint32_t)x->S) && x->S == 16;
    if (!cv_begin_kernel_(x)) return;
    x->kernel->body(x);
    if (x->depth) cv_fail_open_(x);
    spe_at(&x->m, x->kernel->file, x->kernel->line);
    spe_kernel_end(&x->m);
    words = spe_finish(&x->m);
    if (!words.data) return;
    mod->words = words.data;
    mod->size = words.count * 4;
    mod->kernel = x->kernel->name;
    mod->params = x->kernel->params;
    mod->subgroup_size = (uint32_t)x->S;
    mod->local_size[0] = (uint32_t)x->local_size;
    mod->local_size[1] = mod->local_size[2] = 1;
    if (x->desc->large_registers) mod->build_flags = "-ze-opt-large-register-file";
}

/* What CV_BUILD calls. Always hand the result to cv_free. */
static inline cv_module cv_build(const cv_build_desc *desc)
{
    static const spe_error no_memory = {CV_ERROR_MEMORY, "CV_ERROR_MEMORY", "out of memory", NULL, 0};
    cv_module mod;
    spe_options options;
    cv_ctx *x = (cv_ctx *)calloc(1, sizeof *x);
    memset(&mod, 0, sizeof mod);
    mod.build_flags = "";
    mod.error = &no_memory;
    if (!x) return mod;
    memset(&options, 0, sizeof options);
    options.version = desc->version;
    options.names = desc->names;
    options.lines = desc->lines;
    options.source = desc->kernel->file;
    mod.owner_ = x;
    mod.error = spe_get_error(&x->m);
    x->desc = desc;
    x->kernel = desc->kernel;
    if (!spe_begin(&x->m, &options)) return mod;
    if (cv_parse_params_(x) && cv_choose_target_(x, cv_build_where_(x, desc->file, desc->line))) cv_emit_module_(x, &mod);
    x->desc = NULL; /* the caller's, which may go */
    return mod;
}

/* Gives back what a module holds; safe on a zeroed module and twice. */
static inline void cv_free(cv_module *mod)
{
    if (mod->owner_) {
        spe_free(&mod->owner_->m);
        free(mod->owner_);
    }
    memset(mod, 0, sizeof *mod);
}

/* The module that converts matrices on a device: see CV_CONVERT_MATRICES. */
static inline cv_module cv_conversion_module(const cv_target *target)
{
    static const cv_kernel kernel = {"cv_convert_matrix", CV_CONVERT_PARAMS_, __FILE__, __LINE__, cv_convert_body_};
    cv_build_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.kernel = &kernel;
    desc.file = __FILE__;
    desc.line = __LINE__;
    desc.target = target;
    desc.local_size = CV_CONVERT_GROUP_;
    return cv_build(&desc);
}
