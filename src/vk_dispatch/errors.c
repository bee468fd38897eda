/* errors.c - a device's error. */
#include "internal.h"

vkd_device *vkd_at_(vkd_device *d, const char *file, int line)
{
    if (d) {
        d->file_ = file;
        d->line_ = line;
    }
    return d;
}

/* The row of an error id: its name and what to do; for a row of Vulkan also its VkResult. */
typedef struct vkd_error_row_ {
    int id;
    VkResult code;
    const char *name, *hint;
} vkd_error_row_;

static const vkd_error_row_ *vkd_error_rows_(size_t *count)
{
    static const vkd_error_row_ rows[] = {
#define VKD_X_(id, hint) {id, VK_SUCCESS, #id, hint},
        VKD_ERRORS(VKD_X_)
#undef VKD_X_
#define VKD_X_(name, code, hint) {VKD_VK_##name, (VkResult)(code), "VKD_VK_" #name, hint},
            VKD_RESULTS(VKD_X_)
#undef VKD_X_
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

/* The row of an id, or (id 0) of a failed VkResult; the last row if it is not listed. */
static const vkd_error_row_ *vkd_error_row_of_(int id, VkResult result)
{
    size_t count, i = 0;
    const vkd_error_row_ *rows = vkd_error_rows_(&count);
    while (i + 1 < count && (id ? rows[i].id != id : rows[i].code != result)) i++;
    return &rows[i];
}

const char *vkd_result_name(VkResult result)
{
    return result == VK_SUCCESS ? "VK_SUCCESS" : vkd_error_row_of_(0, result)->name + strlen("VKD_");
}

/* Records an error whose text is written; appends what to do. If both do not fit, the text is cut, not the advice. */
static void vkd_error_set_(vkd_device *d, const vkd_error_row_ *row, VkResult result)
{
    vkd_error *e = &d->error;
    size_t used = strlen(e->text), need = strlen(row->hint) + 3;
    e->id = row->id;
    e->name = row->name;
    e->file = d->file_;
    e->line = d->line_;
    e->result = result;
    if (used + need > sizeof e->text) used = sizeof e->text - need;
    snprintf(e->text + used, sizeof e->text - used, "; %s", row->hint);
}

/* Records an error unless there is one; returns false, for callers to return. */
bool vkd_fail_(vkd_device *d, int id, const char *format, ...)
{
    va_list args;
    if (d->error.id) return false;
    va_start(args, format);
    vsnprintf(d->error.text, sizeof d->error.text, format, args);
    va_end(args);
    vkd_error_set_(d, vkd_error_row_of_(id, VK_SUCCESS), VK_SUCCESS);
    return false;
}

/* True if a Vulkan call succeeded; else records its error, with details from the format. */
bool vkd_check_(vkd_device *d, VkResult result, const char *call, const char *format, ...)
{
    char details[512];
    va_list args;
    if (result == VK_SUCCESS) return true;
    if (d->error.id) return false;
    va_start(args, format);
    vsnprintf(details, sizeof details, format, args);
    va_end(args);
    snprintf(d->error.text, sizeof d->error.text, "%s%s%s gave %s (%d)", call, *details ? " " : "", details,
             vkd_result_name(result), (int)result);
    vkd_error_set_(d, vkd_error_row_of_(0, result), result);
    return false;
}

const vkd_error *vkd_get_error(const vkd_device *d) { return &d->error; }

void vkd_clear_error(vkd_device *d) { memset(&d->error, 0, sizeof d->error); }

void vkd_print_error(const vkd_device *d, FILE *f)
{
    const vkd_error *e = &d->error;
    if (e->id) fprintf(f, "%s:%d: %s: %s\n", e->file ? e->file : "?", e->line, e->name, e->text);
}

/* An error of a kernel or batch that was never given a device, so that none can keep it: it goes to stderr. */
XE_FN_ bool vkd_fail_alone_(int id, const char *call, const char *file, int line)
{
    const vkd_error_row_ *row = vkd_error_row_of_(id, VK_SUCCESS);
    fprintf(stderr, "%s:%d: %s: %s without a device; %s\n", file, line, row->name, call, row->hint);
    return false;
}

/* Is d usable: open and without an error? */
XE_FN_ bool vkd_usable_(vkd_device *d)
{
    if (!d || d->error.id) return false;
    if (!d->open_) return vkd_fail_(d, VKD_NOT_OPEN, "the device is not open");
    return true;
}
