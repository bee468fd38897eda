/* kernels.c - kernels that are C functions: what the headers above this one share. */
#include "internal.h"

cm_blame_ cm_blame_of_(spe_module *m, const cm_errors_ *errors, const char *file, int line)
{
    cm_blame_ at;
    at.m = m;
    at.errors = errors;
    at.file = file;
    at.line = line;
    return at;
}

void cm_vreport_(cm_blame_ at, int id, const char *format, va_list args)
{
    char text[320];
    vsnprintf(text, sizeof text, format, args);
    spe_fail(spe_at(at.m, at.file, at.line), id, at.errors->name(id), "%s: %s", at.errors->text(id), text);
}

CM_PRINTF_(3, 4) static void cm_report_(cm_blame_ at, int id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cm_vreport_(at, id, format, args);
    va_end(args);
}

/* -- parameters */

/* "ptr<f16> " or "u32 " at *text; moves on. */
static bool cm_parse_type_(const char **text, cm_type_of_ type_of, cm_param_ *p)
{
    const char *s = *text;
    char name[16];
    size_t n;
    p->pointer = strncmp(s, "ptr<", 4) == 0;
    p->local = strncmp(s, "local<", 6) == 0;
    s += p->pointer ? 4 : p->local ? 6 : 0;
    n = strcspn(s, "> ,");
    if (n >= sizeof name) return false;
    memcpy(name, s, n);
    name[n] = 0;
    s += n;
    p->type = type_of(name, p);
    if (p->type < 0 || ((p->pointer || p->local) && *s++ != '>') || *s != ' ') return false;
    *text = s + strspn(s, " ");
    return true;
}

/* "ptr<f16> A, u32 N" into params[CM_PARAMS_MAX_]; how many they are, -1 and an error when the text cannot be read. */
int cm_parse_params_(cm_blame_ at, const char *text, cm_type_of_ type_of, cm_param_ *params)
{
    const char *s = text ? text : "";
    int id = at.errors->parameter_text, count = 0;
    for (; *s; count++) {
        cm_param_ *p = &params[count];
        size_t n;
        if (count == CM_PARAMS_MAX_) return cm_report_(at, id, "more than %d parameters", (int)CM_PARAMS_MAX_), -1;
        if (!cm_parse_type_(&s, type_of, p)) return cm_report_(at, id, "parameter %d at \"%.40s\"", count + 1, s), -1;
        n = strcspn(s, ", ");
        if (n == 0 || n >= sizeof p->name)
            return cm_report_(at, id, "the name of parameter %d has %d characters", count + 1, (int)n), -1;
        memcpy(p->name, s, n);
        s += n;
        s += strspn(s, ", ");
    }
    return count;
}

/* The parameter as spirv_emit.h takes it; `type`: the SPIR-V type of p->type. */
spe_param cm_spe_param_(spe_module *m, const cm_param_ *p, spe_id type)
{
    spe_param r;
    memset(&r, 0, sizeof r);
    r.name = p->name;
    r.type = p->pointer ? spe_ptr(m, SPE_StorageClassCrossWorkgroup, type)
             : p->local ? spe_ptr(m, SPE_StorageClassWorkgroup, type)
                        : type;
    return r;
}

/* -- a build */

/* The device's row with what the caller knows better, and a subgroup size it has (0: the row's). */
bool cm_choose_target_(cm_blame_ at, const cm_device *d, int size, cm_target *target)
{
    const cm_target *row = d ? cm_target_row(d->name) : NULL;
    if (!row) {
        cm_report_(at, at.errors->target, "\"%s\"; known are " CM_TARGET_NAMES_, d && d->name ? d->name : "(none)");
        return false;
    }
    *target = *row;
    if (d->subgroup_sizes) target->subgroup_sizes = d->subgroup_sizes;
    if (d->local_memory) target->local_memory = (int)d->local_memory;
    if (d->max_group_size) target->max_group_size = (int)d->max_group_size;
    if (!size) {
        size = row->subgroup_size;
        if (!(target->subgroup_sizes & (uint32_t)size)) /* the row's is not there: the smallest */
            size = (int)(target->subgroup_sizes & (~target->subgroup_sizes + 1u));
    }
    if (!cm_power_of_two_(size) || !(target->subgroup_sizes & (uint32_t)size)) {
        cm_report_(at, at.errors->subgroup_size, "wanted %d, %s has (a bit each) 0x%x", size, row->name,
                   (unsigned)target->subgroup_sizes);
        return false;
    }
    target->subgroup_size = size;
    return true;
}

/* Starts a build: a zeroed context of `size` bytes, which begins with the spe_module. NULL without memory; the error of
 * anything is in mod. */
void *cm_build_begin_(cm_module *mod, const cm_errors_ *errors, size_t size, const spe_options *options)
{
    spe_module *m = (spe_module *)calloc(1, size);
    memset(mod, 0, sizeof *mod);
    mod->build_flags = "";
    mod->error = m ? spe_get_error(m) : &errors->no_memory;
    mod->owner_ = m;
    if (m) spe_begin(m, options);
    return m;
}

spe_options cm_options_(uint32_t version, bool names, bool lines, const char *source)
{
    spe_options o;
    memset(&o, 0, sizeof o);
    o.version = version;
    o.names = names;
    o.lines = lines;
    o.source = source;
    return o;
}

bool cm_kernel_begin_(spe_module *m, const char *name, int subgroup_size, int group_size, int count,
                      const spe_param *params)
{
    spe_kernel k;
    memset(&k, 0, sizeof k);
    k.name = name;
    k.subgroup_size = (uint32_t)subgroup_size;
    k.local_size[0] = (uint32_t)group_size;
    k.local_size[1] = k.local_size[2] = 1;
    k.params = params;
    k.param_count = (uint32_t)count;
    return spe_kernel_begin(m, &k);
}

/* Ends the kernel and hands the module over; false after an error. */
bool cm_build_end_(cm_module *mod, const char *name, const char *params, int subgroup_size, int group_size)
{
    spe_words words;
    spe_kernel_end(mod->owner_);
    words = spe_finish(mod->owner_);
    if (!words.data) return false;
    mod->words = words.data;
    mod->size = words.count * 4;
    mod->kernel = name;
    mod->params = params;
    mod->subgroup_size = (uint32_t)subgroup_size;
    mod->subgroups = (uint32_t)((group_size + subgroup_size - 1) / subgroup_size);
    mod->local_size[0] = (uint32_t)group_size;
    mod->local_size[1] = mod->local_size[2] = 1;
    return true;
}

void cm_module_free(cm_module *mod)
{
    if (mod->owner_) {
        spe_free(mod->owner_);
        free(mod->owner_);
    }
    memset(mod, 0, sizeof *mod);
}

/* -- regions that macros write as C loops (XT_FOR, CV_IF ...): closed when the loop asks for a turn too many */

/* Opens a region; its depth (from 1), 0 and an error when there are too many. */
int cm_region_open_(cm_blame_ at, cm_regions_ *r, const char *name)
{
    if (r->depth == CM_REGIONS_MAX_) {
        cm_report_(at, at.errors->unclosed, "more than %d regions in each other", (int)CM_REGIONS_MAX_);
        return 0;
    }
    r->region[r->depth].name = name;
    r->region[r->depth].file = at.file;
    r->region[r->depth].line = at.line;
    return ++r->depth;
}

/* Where the innermost region was opened. */
cm_blame_ cm_region_blame_(spe_module *m, const cm_errors_ *errors, const cm_regions_ *r)
{
    return cm_blame_of_(m, errors, r->region[r->depth - 1].file, r->region[r->depth - 1].line);
}

/* Fails for the innermost region, which is open although it should not be. */
void cm_fail_open_(spe_module *m, const cm_errors_ *errors, cm_regions_ *r, const char *why)
{
    cm_blame_ at = cm_region_blame_(m, errors, r);
    if (spe_ok(m)) cm_report_(at, errors->unclosed, "the %s of line %d%s", r->region[r->depth - 1].name, at.line, why);
    r->depth = 0;
}

/* May the region of this depth be closed? False after an error, of which one is that it is not the innermost.
 * `done`: its body was left at its end. */
bool cm_region_ends_(spe_module *m, const cm_errors_ *errors, cm_regions_ *r, int depth, bool done)
{
    if (!spe_ok(m) || r->depth < depth) return false;
    if (r->depth > depth) cm_fail_open_(m, errors, r, "");
    else if (!done) cm_fail_open_(m, errors, r, " was left by break");
    return spe_ok(m);
}

/* -- macros (C only) */
