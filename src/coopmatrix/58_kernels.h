/* ---- kernels that are C functions: what the headers above this one share ----------------------------------------- */

/* The device that a kernel is built for. */
typedef struct {
    const char *name;        /* a row of cm_target_row */
    uint32_t subgroup_sizes; /* bit mask (8 | 16 | 32); this and the rest: 0 for the row's */
    uint32_t local_memory, max_group_size, device_id;
} cm_device;

/* What a build gives. */
typedef struct {
    const uint32_t *words; /* NULL when the build failed */
    size_t size;           /* in bytes */
    const char *kernel, *params;
    uint32_t local_size[3], subgroup_size, subgroups;
    uint32_t local_memory; /* bytes of a work-group */
    const char *build_flags;
    const spe_error *error; /* never NULL; id 0: none */
    spe_module *owner_;     /* the first member of the build's context */
} cm_module;

/* The errors of a header above: how an id reads, and the ids that are reported here. */
typedef struct {
    const char *(*name)(int id), *(*text)(int id);
    int parameter_text, target, subgroup_size, unclosed;
    spe_error no_memory;
} cm_errors_;

/* Where errors go: to which module, as which header's, at which line of the user's. */
typedef struct {
    spe_module *m;
    const cm_errors_ *errors;
    const char *file;
    int line;
} cm_blame_;

static inline cm_blame_ cm_blame_of_(spe_module *m, const cm_errors_ *errors, const char *file, int line)
{
    cm_blame_ at;
    at.m = m;
    at.errors = errors;
    at.file = file;
    at.line = line;
    return at;
}

CM_PRINTF_(3, 0) static inline void cm_vreport_(cm_blame_ at, int id, const char *format, va_list args)
{
    char text[320];
    vsnprintf(text, sizeof text, format, args);
    spe_fail(spe_at(at.m, at.file, at.line), id, at.errors->name(id), "%s: %s", at.errors->text(id), text);
}

CM_PRINTF_(3, 4) static inline void cm_report_(cm_blame_ at, int id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cm_vreport_(at, id, format, args);
    va_end(args);
}

/* -- parameters */

enum { CM_PARAMS_MAX_ = 32 };

typedef struct {
    char name[64];
    int type;            /* of the number, or of what a pointer points to: as the header above counts them */
    bool pointer, local; /* to global memory, to local memory; neither: a number */
} cm_param_;

/* The type of this name, for such a parameter; -1: there is none. */
typedef int (*cm_type_of_)(const char *name, const cm_param_ *p);

/* "ptr<f16> " or "u32 " at *text; moves on. */
static inline bool cm_parse_type_(const char **text, cm_type_of_ type_of, cm_param_ *p)
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
static inline int cm_parse_params_(cm_blame_ at, const char *text, cm_type_of_ type_of, cm_param_ *params)
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
static inline spe_param cm_spe_param_(spe_module *m, const cm_param_ *p, spe_id type)
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
static inline bool cm_choose_target_(cm_blame_ at, const cm_device *d, int size, cm_target *target)
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
static inline void *cm_build_begin_(cm_module *mod, const cm_errors_ *errors, size_t size, const spe_options *options)
{
    spe_module *m = (spe_module *)calloc(1, size);
    memset(mod, 0, sizeof *mod);
    mod->build_flags = "";
    mod->error = m ? spe_get_error(m) : &errors->no_memory;
    mod->owner_ = m;
    if (m) spe_begin(m, options);
    return m;
}

static inline spe_options cm_options_(uint32_t version, bool names, bool lines, const char *source)
{
    spe_options o;
    memset(&o, 0, sizeof o);
    o.version = version;
    o.names = names;
    o.lines = lines;
    o.source = source;
    return o;
}

static inline bool cm_kernel_begin_(spe_module *m, const char *name, int subgroup_size, int group_size, int count,
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
static inline bool cm_build_end_(cm_module *mod, const char *name, const char *params, int subgroup_size,
                                 int group_size)
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

/* Gives back what a module holds; safe on a zeroed module and twice. */
static inline void cm_module_free(cm_module *mod)
{
    if (mod->owner_) {
        spe_free(mod->owner_);
        free(mod->owner_);
    }
    memset(mod, 0, sizeof *mod);
}

/* -- regions that macros write as C loops (XT_FOR, CV_IF ...): closed when the loop asks for a turn too many */

enum { CM_REGIONS_MAX_ = 32 };

typedef struct {
    int depth;
    struct {
        const char *name, *file;
        int line;
    } region[CM_REGIONS_MAX_];
} cm_regions_;

/* Opens a region; its depth (from 1), 0 and an error when there are too many. */
static inline int cm_region_open_(cm_blame_ at, cm_regions_ *r, const char *name)
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
static inline cm_blame_ cm_region_blame_(spe_module *m, const cm_errors_ *errors, const cm_regions_ *r)
{
    return cm_blame_of_(m, errors, r->region[r->depth - 1].file, r->region[r->depth - 1].line);
}

/* Fails for the innermost region, which is open although it should not be. */
static inline void cm_fail_open_(spe_module *m, const cm_errors_ *errors, cm_regions_ *r, const char *why)
{
    cm_blame_ at = cm_region_blame_(m, errors, r);
    if (spe_ok(m)) cm_report_(at, errors->unclosed, "the %s of line %d%s", r->region[r->depth - 1].name, at.line, why);
    r->depth = 0;
}

/* May the region of this depth be closed? False after an error, of which one is that it is not the innermost.
 * `done`: its body was left at its end. */
static inline bool cm_region_ends_(spe_module *m, const cm_errors_ *errors, cm_regions_ *r, int depth, bool done)
{
    if (!spe_ok(m) || r->depth < depth) return false;
    if (r->depth > depth) cm_fail_open_(m, errors, r, "");
    else if (!done) cm_fail_open_(m, errors, r, " was left by break");
    return spe_ok(m);
}

/* -- macros (C only) */

#define CM_CAT_(a, b) CM_CAT2_(a, b)
#define CM_CAT2_(a, b) a##b
#define CM_FIRST_(first, ...) first
#define CM_REST_(first, ...) __VA_ARGS__
/* How many arguments, 1 to 32. */
#define CM_COUNT_(...) CM_COUNT2_(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, \
    14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define CM_COUNT2_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,     \
    a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, n, ...) n

/* F(0, x) S() F(1, y) ...: each argument with its number, S() between. */
#define CM_EACH_(F, S, ...) CM_CAT_(CM_EACH_, CM_COUNT_(__VA_ARGS__))(F, S, 0, __VA_ARGS__)
#define CM_EACH_1(F, S, i, x) F(i, x)
#define CM_EACH_2(F, S, i, x, ...) F(i, x) S() CM_EACH_1(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_3(F, S, i, x, ...) F(i, x) S() CM_EACH_2(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_4(F, S, i, x, ...) F(i, x) S() CM_EACH_3(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_5(F, S, i, x, ...) F(i, x) S() CM_EACH_4(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_6(F, S, i, x, ...) F(i, x) S() CM_EACH_5(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_7(F, S, i, x, ...) F(i, x) S() CM_EACH_6(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_8(F, S, i, x, ...) F(i, x) S() CM_EACH_7(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_9(F, S, i, x, ...) F(i, x) S() CM_EACH_8(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_10(F, S, i, x, ...) F(i, x) S() CM_EACH_9(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_11(F, S, i, x, ...) F(i, x) S() CM_EACH_10(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_12(F, S, i, x, ...) F(i, x) S() CM_EACH_11(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_13(F, S, i, x, ...) F(i, x) S() CM_EACH_12(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_14(F, S, i, x, ...) F(i, x) S() CM_EACH_13(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_15(F, S, i, x, ...) F(i, x) S() CM_EACH_14(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_16(F, S, i, x, ...) F(i, x) S() CM_EACH_15(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_17(F, S, i, x, ...) F(i, x) S() CM_EACH_16(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_18(F, S, i, x, ...) F(i, x) S() CM_EACH_17(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_19(F, S, i, x, ...) F(i, x) S() CM_EACH_18(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_20(F, S, i, x, ...) F(i, x) S() CM_EACH_19(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_21(F, S, i, x, ...) F(i, x) S() CM_EACH_20(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_22(F, S, i, x, ...) F(i, x) S() CM_EACH_21(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_23(F, S, i, x, ...) F(i, x) S() CM_EACH_22(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_24(F, S, i, x, ...) F(i, x) S() CM_EACH_23(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_25(F, S, i, x, ...) F(i, x) S() CM_EACH_24(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_26(F, S, i, x, ...) F(i, x) S() CM_EACH_25(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_27(F, S, i, x, ...) F(i, x) S() CM_EACH_26(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_28(F, S, i, x, ...) F(i, x) S() CM_EACH_27(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_29(F, S, i, x, ...) F(i, x) S() CM_EACH_28(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_30(F, S, i, x, ...) F(i, x) S() CM_EACH_29(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_31(F, S, i, x, ...) F(i, x) S() CM_EACH_30(F, S, i + 1, __VA_ARGS__)
#define CM_EACH_32(F, S, i, x, ...) F(i, x) S() CM_EACH_31(F, S, i + 1, __VA_ARGS__)
#define CM_COMMA_() ,
#define CM_COMMA_TEXT_() ", "

/* A kernel's parameters, ptr(f16, A) or u32(N): their names, and the text that ze_dispatch.h reads too. */
#define CM_NAME_OF_(parameter) CM_NAME_##parameter
#define CM_WRITE_(i, parameter) CM_WRITE_##parameter
#define CM_NAME_ptr(T, name) name
#define CM_WRITE_ptr(T, name) "ptr<" #T "> " #name
#define CM_NAME_f64(name) name
#define CM_WRITE_f64(name) "f64 " #name
#define CM_NAME_f32(name) name
#define CM_WRITE_f32(name) "f32 " #name
#define CM_NAME_f16(name) name
#define CM_WRITE_f16(name) "f16 " #name
#define CM_NAME_bf16(name) name
#define CM_WRITE_bf16(name) "bf16 " #name
#define CM_NAME_i64(name) name
#define CM_WRITE_i64(name) "i64 " #name
#define CM_NAME_i32(name) name
#define CM_WRITE_i32(name) "i32 " #name
#define CM_NAME_i16(name) name
#define CM_WRITE_i16(name) "i16 " #name
#define CM_NAME_i8(name) name
#define CM_WRITE_i8(name) "i8 " #name
#define CM_NAME_u64(name) name
#define CM_WRITE_u64(name) "u64 " #name
#define CM_NAME_u32(name) name
#define CM_WRITE_u32(name) "u32 " #name
#define CM_NAME_u16(name) name
#define CM_WRITE_u16(name) "u16 " #name
#define CM_NAME_u8(name) name
#define CM_WRITE_u8(name) "u8 " #name

/* A constant of type xt_kernel (cv_kernel), and the head of the function that is its body. */
#define CM_KERNEL_(xt, XT, name_, ...)                                                                                 \
    static void name_##_##xt##_body_(xt##_ctx *xt##_, CM_EACH_(XT##_DECLARE_, CM_COMMA_, __VA_ARGS__));                \
    CM_UNUSED_ static void name_##_##xt##_call_(xt##_ctx *xt##_)                                                       \
    {                                                                                                                  \
        name_##_##xt##_body_(xt##_, CM_EACH_(XT##_ARGUMENT_, CM_COMMA_, __VA_ARGS__));                                 \
    }                                                                                                                  \
    CM_UNUSED_ static const xt##_kernel name_ = {#name_, CM_EACH_(CM_WRITE_, CM_COMMA_TEXT_, __VA_ARGS__), __FILE__,   \
                                                 __LINE__, name_##_##xt##_call_};                                      \
    static void name_##_##xt##_body_(CM_UNUSED_ xt##_ctx *xt##_, CM_EACH_(XT##_DECLARE_, CM_COMMA_, __VA_ARGS__))

/* The variables that a region carries, as a list that NULL ends: after the region's own first argument. */
#define CM_CARRIED_(...) ((void *const[]){CM_REST_(__VA_ARGS__, NULL)})
