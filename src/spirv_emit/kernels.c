/* kernels.c - the kernel part: what headers share whose kernels are C functions. */
#include "internal.h"

spe_blame spe_blame_of(spe_module *m, const spe_reporter *errors, const char *file, int line)
{
    spe_blame at;
    at.m = m;
    at.errors = errors;
    at.file = file;
    at.line = line;
    return at;
}

void spe_vreport(spe_blame at, int id, const char *format, va_list args)
{
    char text[320];
    vsnprintf(text, sizeof text, format, args);
    spe_fail(spe_at(at.m, at.file, at.line), id, at.errors->name(id), "%s: %s", at.errors->text(id), text);
}

void spe_report(spe_blame at, int id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spe_vreport(at, id, format, args);
    va_end(args);
}

/* -- parameters */

/* "ptr<f16> " or "u32 " at *text; moves on. */
static bool spe_parse_type_(const char **text, spe_type_by_name type_of, spe_kernel_param *p)
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

int spe_parse_params(spe_blame at, const char *text, spe_type_by_name type_of, spe_kernel_param *params)
{
    const char *s = text ? text : "";
    int id = at.errors->parameter_text, count = 0;
    for (; *s; count++) {
        spe_kernel_param *p = &params[count];
        size_t n;
        if (count == SPE_PARAMS_MAX) return spe_report(at, id, "more than %d parameters", (int)SPE_PARAMS_MAX), -1;
        if (!spe_parse_type_(&s, type_of, p)) return spe_report(at, id, "parameter %d at \"%.40s\"", count + 1, s), -1;
        n = strcspn(s, ", ");
        if (n == 0 || n >= sizeof p->name)
            return spe_report(at, id, "the name of parameter %d has %d characters", count + 1, (int)n), -1;
        memcpy(p->name, s, n);
        s += n;
        s += strspn(s, ", ");
    }
    return count;
}

spe_param spe_param_of(spe_module *m, const spe_kernel_param *p, spe_id type)
{
    spe_param r;
    memset(&r, 0, sizeof r);
    r.name = p->name;
    r.type = p->pointer ? spe_ptr(m, SPE_StorageClassCrossWorkgroup, type)
             : p->local ? spe_ptr(m, SPE_StorageClassWorkgroup, type)
                        : type;
    return r;
}

/* -- numbers */

typedef spe_id spe_two_(spe_module *m, spe_id a, spe_id b);

/* By kind of number, an instruction or else a function of OpenCL.std; an operation that has neither for a kind does not
 * take it. */
typedef struct {
    const char *name;
    spe_two_ *instruction[3];
    spe_math_op function[3];
} spe_arith_row_;

static const spe_arith_row_ *spe_arith_row_of_(spe_arith_op op)
{
#define SPE_NO_FUNCTION_ {SPE_MATH_END_, SPE_MATH_END_, SPE_MATH_END_}
    static const spe_arith_row_ rows[SPE_ARITH_COUNT] = {
        {"add", {spe_fadd, spe_iadd, spe_iadd}, SPE_NO_FUNCTION_},
        {"sub", {spe_fsub, spe_isub, spe_isub}, SPE_NO_FUNCTION_},
        {"mul", {spe_fmul, spe_imul, spe_imul}, SPE_NO_FUNCTION_},
        {"div", {spe_fdiv, spe_sdiv, spe_udiv}, SPE_NO_FUNCTION_},
        {"min", {NULL, NULL, NULL}, {SPE_FMIN, SPE_SMIN, SPE_UMIN}},
        {"max", {NULL, NULL, NULL}, {SPE_FMAX, SPE_SMAX, SPE_UMAX}},
        {"rem", {spe_frem, spe_srem, spe_umod}, SPE_NO_FUNCTION_},
        {"and", {NULL, spe_and, spe_and}, SPE_NO_FUNCTION_},
        {"or", {NULL, spe_or, spe_or}, SPE_NO_FUNCTION_},
        {"xor", {NULL, spe_xor, spe_xor}, SPE_NO_FUNCTION_},
        {"shl", {NULL, spe_shl, spe_shl}, SPE_NO_FUNCTION_},
        {"shr", {NULL, spe_sar, spe_shr}, SPE_NO_FUNCTION_},
        {"eq", {spe_feq, spe_ieq, spe_ieq}, SPE_NO_FUNCTION_},
        {"ne", {spe_fune, spe_ine, spe_ine}, SPE_NO_FUNCTION_},
        {"lt", {spe_flt, spe_slt, spe_ult}, SPE_NO_FUNCTION_},
        {"le", {spe_fle, spe_sle, spe_ule}, SPE_NO_FUNCTION_},
        {"gt", {spe_fgt, spe_sgt, spe_ugt}, SPE_NO_FUNCTION_},
        {"ge", {spe_fge, spe_sge, spe_uge}, SPE_NO_FUNCTION_},
    };
#undef SPE_NO_FUNCTION_
    return &rows[op];
}

const char *spe_arith_name(spe_arith_op op)
{
    return (unsigned)op < SPE_ARITH_COUNT ? spe_arith_row_of_(op)->name : "no operation";
}

spe_id spe_arith(spe_module *m, spe_arith_op op, spe_number_kind kind, spe_id a, spe_id b)
{
    const spe_arith_row_ *row = (unsigned)op < SPE_ARITH_COUNT ? spe_arith_row_of_(op) : NULL;
    if (!row) return 0;
    if (row->instruction[kind]) return row->instruction[kind](m, a, b);
    return row->function[kind] != SPE_MATH_END_ ? spe_math2(m, row->function[kind], a, b) : 0;
}

int spe_runs(int n) { return n / 8 + (n % 8 / 4) + (n % 4 / 2) + n % 2; }

int spe_run(int n, int i)
{
    int rest = n % 8;
    if (i < n / 8) return 8;
    i -= n / 8;
    if (rest & 4 && i-- == 0) return 4;
    if (rest & 2 && i == 0) return 2;
    return 1;
}

/* -- a build */

void *spe_build_begin(spe_built *mod, const spe_reporter *errors, size_t size, uint32_t version, bool names,
                      bool lines, const char *source)
{
    spe_module *m = (spe_module *)calloc(1, size);
    spe_options options;
    memset(&options, 0, sizeof options);
    options.version = version;
    options.names = names;
    options.lines = lines;
    options.source = source;
    memset(mod, 0, sizeof *mod);
    mod->build_flags = "";
    mod->error = m ? spe_get_error(m) : &errors->no_memory;
    mod->owner_ = m;
    if (m) spe_begin(m, &options);
    return m;
}

bool spe_build_kernel(spe_module *m, const char *name, int subgroup_size, int group_size, int count,
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

bool spe_build_end(spe_built *mod, const char *name, const char *params, int subgroup_size, int group_size)
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

void spe_built_free(spe_built *mod)
{
    if (mod->owner_) {
        spe_free(mod->owner_);
        free(mod->owner_);
    }
    memset(mod, 0, sizeof *mod);
}

/* -- regions that macros write as C loops (XT_FOR, CV_IF ...): closed when the loop asks for a turn too many */

int spe_region_open(spe_blame at, spe_regions *r, const char *name)
{
    if (r->depth == SPE_REGIONS_MAX) {
        spe_report(at, at.errors->unclosed, "more than %d regions in each other", (int)SPE_REGIONS_MAX);
        return 0;
    }
    r->region[r->depth].name = name;
    r->region[r->depth].file = at.file;
    r->region[r->depth].line = at.line;
    return ++r->depth;
}

spe_blame spe_region_blame(spe_module *m, const spe_reporter *errors, const spe_regions *r)
{
    return spe_blame_of(m, errors, r->region[r->depth - 1].file, r->region[r->depth - 1].line);
}

void spe_region_fail(spe_module *m, const spe_reporter *errors, spe_regions *r, const char *why)
{
    spe_blame at = spe_region_blame(m, errors, r);
    if (spe_ok(m)) spe_report(at, errors->unclosed, "the %s of line %d%s", r->region[r->depth - 1].name, at.line, why);
    r->depth = 0;
}

bool spe_region_ends(spe_module *m, const spe_reporter *errors, spe_regions *r, int depth, bool done)
{
    if (!spe_ok(m) || r->depth < depth) return false;
    if (r->depth > depth) spe_region_fail(m, errors, r, "");
    else if (!done) spe_region_fail(m, errors, r, " was left by break");
    return spe_ok(m);
}
