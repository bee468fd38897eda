/* kernels.c - the kernel part, shared by headers whose kernels are C functions. */
#include "internal.h"

spe_site spe_site_of(spe_module *m, const spe_reporter *errors, const char *file, int line)
{
    spe_site at = {m, errors, file, line};
    return at;
}

static spe_error_row spe_reporter_row_(const spe_reporter *errors, int id)
{
    spe_error_row none = {"", id ? errors->unknown : "no error"};
    return id >= errors->first && id < errors->first + errors->count ? errors->rows[id - errors->first] : none;
}

const char *spe_reporter_name(const spe_reporter *errors, int id) { return spe_reporter_row_(errors, id).name; }
const char *spe_reporter_text(const spe_reporter *errors, int id) { return spe_reporter_row_(errors, id).text; }

bool spe_vreport(spe_site at, int id, const char *format, va_list args)
{
    char text[320];
    vsnprintf(text, sizeof text, format, args);
    spe_fail(spe_at(at.module, at.file, at.line), id, spe_reporter_name(at.errors, id), "%s: %s",
             spe_reporter_text(at.errors, id), text);
    return false;
}

bool spe_report(spe_site at, int id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spe_vreport(at, id, format, args);
    va_end(args);
    return false;
}

/* -- parameters */

/* Reads "ptr<f16> " or "u32 " at *text and advances. */
static bool spe_parse_type_(const char **text, spe_type_by_name type_of, spe_kernel_param *p)
{
    const char *s = *text;
    char name[16];
    p->pointer = strncmp(s, "ptr<", 4) == 0;
    p->local = strncmp(s, "local<", 6) == 0;
    s += p->pointer ? 4 : p->local ? 6 : 0;
    size_t n = strcspn(s, "> ,");
    if (n >= sizeof name) return false;
    memcpy(name, s, n);
    name[n] = 0;
    s += n;
    p->type = type_of(name, p);
    if (p->type < 0 || ((p->pointer || p->local) && *s++ != '>') || *s != ' ') return false;
    *text = s + strspn(s, " ");
    return true;
}

int spe_parse_params(spe_site at, const char *text, spe_type_by_name type_of, spe_kernel_param *params)
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
    uint32_t storage = p->pointer ? SPE_StorageClassCrossWorkgroup : SPE_StorageClassWorkgroup;
    spe_param r = {p->pointer || p->local ? spe_ptr(m, storage, type) : type, p->name, false, false, 0};
    return r;
}

/* -- numbers */

/* For each kind of number an instruction, or else a function of OpenCL.std; an operation with neither does not exist
 * for that kind. */
typedef struct {
    const char *name;
    spe_binary_ *instruction[3];
    spe_math_op function[3];
} spe_arith_row_;

static const spe_arith_row_ *spe_arith_row_of_(spe_arith_op op)
{
#define SPE_ROW_(name, f, s, u) {name, {f, s, u}, {SPE_MATH_END_, SPE_MATH_END_, SPE_MATH_END_}},
    static const spe_arith_row_ rows[SPE_ARITH_COUNT] = {
        SPE_ROW_("add", spe_fadd, spe_iadd, spe_iadd) SPE_ROW_("sub", spe_fsub, spe_isub, spe_isub)
        SPE_ROW_("mul", spe_fmul, spe_imul, spe_imul) SPE_ROW_("div", spe_fdiv, spe_sdiv, spe_udiv)
        {"min", {NULL, NULL, NULL}, {SPE_FMIN, SPE_SMIN, SPE_UMIN}},
        {"max", {NULL, NULL, NULL}, {SPE_FMAX, SPE_SMAX, SPE_UMAX}},
        SPE_ROW_("rem", spe_frem, spe_srem, spe_umod) SPE_ROW_("and", NULL, spe_and, spe_and)
        SPE_ROW_("or", NULL, spe_or, spe_or) SPE_ROW_("xor", NULL, spe_xor, spe_xor)
        SPE_ROW_("shl", NULL, spe_shl, spe_shl) SPE_ROW_("shr", NULL, spe_sar, spe_shr)
        SPE_ROW_("eq", spe_feq, spe_ieq, spe_ieq) SPE_ROW_("ne", spe_fune, spe_ine, spe_ine)
        SPE_ROW_("lt", spe_flt, spe_slt, spe_ult) SPE_ROW_("le", spe_fle, spe_sle, spe_ule)
        SPE_ROW_("gt", spe_fgt, spe_sgt, spe_ugt) SPE_ROW_("ge", spe_fge, spe_sge, spe_uge)
    };
#undef SPE_ROW_
    return (unsigned)op < SPE_ARITH_COUNT ? &rows[op] : NULL;
}

const char *spe_arith_name(spe_arith_op op)
{
    return spe_arith_row_of_(op) ? spe_arith_row_of_(op)->name : "no operation";
}

XE_ONCE_
static spe_id spe_arith_(spe_module *m, spe_arith_op op, spe_number_kind kind, spe_id a, spe_id b)
{
    const spe_arith_row_ *row = spe_arith_row_of_(op);
    if (!row) return 0;
    if (row->instruction[kind]) return row->instruction[kind](m, a, b);
    return row->function[kind] != SPE_MATH_END_ ? spe_math2(m, row->function[kind], a, b) : 0;
}
spe_id spe_arith(spe_module *m, spe_arith_op op, spe_number_kind kind, spe_id a, spe_id b)
{
    return SPE_WITHIN_(m, spe_arith_(m, op, kind, a, b));
}

spe_id spe_extent(spe_module *m, spe_id extent)
{
    uint64_t bits;
    if (!extent || (spe_const_bits(m, extent, &bits) && bits <= INT32_MAX)) return extent;
    return SPE_WITHIN_(m, spe_math2(m, SPE_SMAX, extent, spe_u32(m, 0)));
}

spe_id spe_load_inside(spe_module *m, spe_id ptr, spe_id distance, spe_id inside, spe_id otherwise, uint32_t align)
{
    distance = spe_select(m, inside, distance, spe_null(m, spe_type_of(m, distance)));
    spe_id got = spe_load(m, spe_index(m, ptr, distance), align);
    return spe_select(m, inside, got, otherwise);
}

spe_val spe_val_of(spe_val_kind kind, int type, spe_id id)
{
    spe_val v = {{NULL}, kind, type, id, kind < SPE_SCALAR, false, 1, 0, 0, 0};
    v.magic = SPE_VAL_MAGIC;
    return v;
}

/* A C constant. */
static spe_val spe_val_known_(spe_val_kind kind, int64_t integer, double real)
{
    spe_val v = spe_val_of(kind, -(int)kind, 0);
    v.integer = integer;
    v.real = real;
    return v;
}
spe_val spe_val_int(long long i)
{
    uint64_t magnitude = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    return spe_val_known_(SPE_INT, (int64_t)i, spe_real_of_int_(magnitude, i < 0));
}
spe_val spe_val_uint(unsigned long long u) { return spe_val_known_(SPE_INT, (int64_t)u, spe_real_of_int_(u, false)); }
spe_val spe_val_real(double d) { return spe_val_known_(SPE_REAL, 0, d); }
spe_val spe_val_float(float f) { return spe_val_real(spe_real_of_f32(f)); }
spe_val spe_val_same(spe_val v) { return v; }
bool spe_val_is_set(const spe_val *v) { return v->magic == SPE_VAL_MAGIC && v->kind != SPE_NOTHING; }

bool spe_val_is_condition(const spe_val *v, int type)
{
    return v->magic == SPE_VAL_MAGIC && (v->kind == SPE_INT || (v->kind == SPE_SCALAR && v->type == type));
}

bool spe_int_fits(int64_t i, int bits, bool is_signed)
{
    if (bits == 64) return true;
    if (is_signed) return i >= -((int64_t)1 << (bits - 1)) && i < (int64_t)1 << (bits - 1);
    return i >= 0 && i < (int64_t)1 << bits;
}

int spe_part_count(int n) { return (n >> 3) + (n >> 2 & 1) + (n >> 1 & 1) + (n & 1); }

int spe_part_length(int n, int i)
{
    int rest = n % 8;
    if (i < n / 8) return 8;
    i -= n / 8;
    if (rest & 4 && i-- == 0) return 4;
    if (rest & 2 && i == 0) return 2;
    return 1;
}

/* -- a build */

static void spe_built_init_(spe_built *mod, const spe_reporter *errors, spe_module *m)
{
    static const spe_error none = {0, "", "", NULL, 0, NULL};
    memset(mod, 0, sizeof *mod);
    mod->build_flags = "";
    mod->error = m ? spe_get_error(m) : &errors->no_memory;
    mod->warning = &none;
    mod->owner_ = m;
}

void *spe_build_begin(spe_built *mod, const spe_reporter *errors, size_t size, uint32_t version, spe_env env,
                      bool names, bool lines, const char *source, spe_line at)
{
    spe_module *m = (spe_module *)calloc(1, size);
    spe_options options = {version, env, names, lines, source, NULL, NULL, false, 0, 0, 0};
    spe_built_init_(mod, errors, m);
    if (m && !spe_begin(m, &options)) {
        m->error.file = at.file;
        m->error.line = at.line;
    }
    return m;
}

bool spe_build_kernel(spe_module *m, const char *name, int subgroup_size, int group_size, int count,
                      const spe_param *params)
{
    spe_kernel k = {name, (uint32_t)subgroup_size, {(uint32_t)group_size, 1, 1}, 0, params, (uint32_t)count,
                    SPE_CONTRACT_ALLOWED};
    return spe_kernel_begin(m, &k);
}

bool spe_build_end(spe_built *mod, const char *name, const char *params, int subgroup_size, int group_size)
{
    spe_kernel_end(mod->owner_);
    if (!spe_ok(mod->owner_)) return false;
    mod->kernel = name;
    mod->params = params;
    mod->subgroup_size = (uint32_t)subgroup_size;
    mod->subgroups = (uint32_t)((group_size + subgroup_size - 1) / subgroup_size);
    mod->local_size[0] = (uint32_t)group_size;
    mod->local_size[1] = mod->local_size[2] = 1;
    return true;
}

void *spe_build_next(spe_built *mod, spe_built *before, const spe_reporter *errors, size_t size)
{
    spe_module *m = (spe_module *)calloc(1, size);
    spe_built_init_(mod, errors, m);
    if (!m) return NULL;
    *m = *before->owner_;
    memset(before->owner_, 0, sizeof *m);
    spe_close_local_memory_(m);
    return m;
}

bool spe_build_finish(spe_built *mods, int count)
{
    spe_built *last = &mods[count - 1];
    spe_words words = {NULL, 0};
    if (last->owner_) words = spe_finish(last->owner_);
    for (int i = 0; i < count; i++) {
        mods[i].words = words.data;
        mods[i].size = words.count * 4;
        if (words.data || i == count - 1) continue;
        mods[i].owner_->error = *last->error;
        mods[i].owner_->error.next = NULL; /* may be freed with the last one */
    }
    if (words.data && count > 1) {
        *mods[0].owner_ = *last->owner_;
        memset(last->owner_, 0, sizeof *last->owner_);
    }
    return words.data != NULL;
}

void spe_built_free(spe_built *mod)
{
    if (mod->owner_) spe_free(mod->owner_);
    free(mod->owner_);
    memset(mod, 0, sizeof *mod);
}

/* -- regions that macros write as C loops (XT_FOR, CV_IF ...), and that close when the C loop ends */

spe_region spe_region_of(spe_regions *in, int sides)
{
    spe_region r = {in, spe_val_of(SPE_NOTHING, 0, 0), 0, sides, 0, false, false};
    return r;
}

bool spe_region_open(spe_region *r, const char *name, const char *file, int line)
{
    spe_region_line place = {name, file, line};
    spe_regions *in = r->in;
    if (in->depth == SPE_REGIONS_MAX)
        return spe_report(spe_site_of(in->module, in->errors, file, line), in->errors->unclosed,
                          "more than %d nested regions", (int)SPE_REGIONS_MAX);
    in->open[in->depth] = place;
    r->depth = ++in->depth;
    return true;
}

void spe_region_fail(spe_regions *in, const char *why)
{
    int i = in->depth - 1;
    if (i >= 0 && spe_ok(in->module))
        spe_report(spe_site_of(in->module, in->errors, in->open[i].file, in->open[i].line), in->errors->unclosed,
                   "the %s of line %d%s", in->open[i].name, in->open[i].line, why);
    in->depth = 0;
}

/* Can the region be closed? Else an error, unless there was one before. */
static bool spe_region_ends_(const spe_region *r)
{
    if (!r->depth || !spe_ok(r->in->module) || r->in->depth < r->depth) return false;
    if (r->in->depth > r->depth) spe_region_fail(r->in, "");
    else if (!r->done && (r->sides == 1 || r->twice)) spe_region_fail(r->in, " was left by break");
    return spe_ok(r->in->module);
}

bool spe_region_ended(spe_region *r) { return r->calls++ && spe_region_ends_(r); }

bool spe_region_next(spe_region *r)
{
    r->done = false;
    return r->calls <= r->sides;
}

void *spe_region_done(spe_region *r)
{
    r->done = true;
    return NULL;
}
