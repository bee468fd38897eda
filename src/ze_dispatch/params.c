/* params.c - parsing the text of parameters. */
#include "internal.h"

XE_ONCE_
static const zed_type_ *zed_types_(size_t *count)
{
    static const zed_type_ types[] = {
        {"f64", 8, 'f', 8, "f"}, {"f32", 4, 'f', 4, "f"}, {"f16", 2, 'h', 2, "fu"}, {"bf16", 2, 'b', 2, "u"},
        {"i64", 8, 'i', 8, "i"}, {"i32", 4, 'i', 4, "i"}, {"i16", 2, 'i', 2, "i"},  {"i8", 1, 'i', 1, "ic"},
        {"u64", 8, 'u', 8, "u"}, {"u32", 4, 'u', 4, "u"}, {"u16", 2, 'u', 2, "u"},  {"u8", 1, 'u', 1, "uc"},
        {"tf32", 4, 0, 4, "f"},  {"e4m3", 1, 0, 1, "uc"}, {"e5m2", 1, 0, 1, "uc"},  {"c32", 8, 0, 4, "f"},
        {"c64", 16, 0, 8, "f"},  {"e2m1", 1, 0, 1, "uc"}, {"e8m0", 1, 0, 1, "uc"},
    };
    *count = sizeof types / sizeof types[0];
    return types;
}

/* A cursor in the text; errors name its position. */
typedef struct zed_text_ {
    zed_device *device;
    const char *all, *at, *kernel;
} zed_text_;

static bool zed_text_fail_(zed_text_ *t, const char *what)
{
    return zed_fail_(t->device, ZED_PARAM_TEXT, "parameters of kernel %s: %s at column %d of \"%s\"", t->kernel, what,
                     (int)(t->at - t->all) + 1, t->all);
}

static void zed_text_space_(zed_text_ *t) { t->at += strspn(t->at, " \t\r\n"); }

static size_t zed_text_word_(zed_text_ *t)
{
    zed_text_space_(t);
    return strspn(t->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

static bool zed_text_take_(zed_text_ *t, char c)
{
    zed_text_space_(t);
    if (*t->at != c) return false;
    t->at++;
    return true;
}

static const zed_type_ *zed_text_type_(zed_text_ *t)
{
    size_t count, length = zed_text_word_(t);
    const zed_type_ *types = zed_types_(&count);
    for (size_t i = 0; i < count; i++) {
        if (strlen(types[i].name) == length && memcmp(types[i].name, t->at, length) == 0) {
            t->at += length;
            return &types[i];
        }
    }
    zed_text_fail_(t, length ? "no such type (f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8, ptr<T>, local<T>)"
                             : "a type is missing");
    return NULL;
}

/* Reads "type name". */
static bool zed_text_param_(zed_text_ *t, zed_param *p)
{
    static const char *const brackets[] = {"", "ptr", "local"};
    const char *start;
    size_t length = zed_text_word_(t);
    p->kind = ZED_PARAM_VALUE;
    for (int i = ZED_PARAM_PTR; i <= ZED_PARAM_LOCAL; i++) {
        if (strlen(brackets[i]) == length && memcmp(brackets[i], t->at, length) == 0) p->kind = i;
    }
    if (p->kind != ZED_PARAM_VALUE) {
        t->at += length;
        if (!zed_text_take_(t, '<')) return zed_text_fail_(t, "'<' is missing");
    }
    start = t->at;
    p->type = zed_text_type_(t);
    if (!p->type) return false;
    if (p->kind != ZED_PARAM_VALUE && !zed_text_take_(t, '>')) return zed_text_fail_(t, "'>' is missing");
    if (p->kind == ZED_PARAM_VALUE && !p->type->kind) {
        t->at = start;
        return zed_text_fail_(t, "this type lives in memory only (ptr<T>), not in a value");
    }
    length = zed_text_word_(t);
    if (!length || (*t->at >= '0' && *t->at <= '9')) return zed_text_fail_(t, "a name is missing");
    if (length >= sizeof p->name) return zed_text_fail_(t, "a name of more than 63 letters");
    memcpy(p->name, t->at, length);
    p->name[length] = 0;
    t->at += length;
    return true;
}

XE_FN_ bool zed_parse_params_(zed_device *d, const char *kernel, const char *text, zed_param *params, uint32_t *count)
{
    zed_text_ t;
    *count = 0;
    if (!text) return zed_fail_(d, ZED_PARAM_TEXT, "the parameter text of kernel %s is NULL (\"\" means none)", kernel);
    t.device = d;
    t.all = t.at = text;
    t.kernel = kernel;
    zed_text_space_(&t);
    if (!*t.at) return true;
    do {
        zed_text_space_(&t);
        if (*count == ZED_MAX_ARGS) return zed_text_fail_(&t, "more than 32 parameters");
        if (!zed_text_param_(&t, &params[*count])) return false;
        for (uint32_t i = 0; i < *count; i++) {
            if (strcmp(params[i].name, params[*count].name) == 0) {
                t.at -= strlen(params[i].name);
                return zed_text_fail_(&t, "a repeated name");
            }
        }
        ++*count;
    } while (zed_text_take_(&t, ','));
    return *t.at ? zed_text_fail_(&t, "',' or the end is missing") : true;
}

XE_ONCE_
XE_FN_ const char *zed_param_name_(const zed_param *p, char *text, size_t size)
{
    static const char *const open[] = {"", "ptr<", "local<"};
    snprintf(text, size, "%s%s%s", open[p->kind], p->type->name, p->kind == ZED_PARAM_VALUE ? "" : ">");
    return text;
}
