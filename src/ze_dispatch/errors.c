/* errors.c - a device's error. */
#include "internal.h"

zed_device *zed_at_(zed_device *d, const char *file, int line)
{
    if (d) {
        d->file_ = file;
        d->line_ = line;
    }
    return d;
}

/* The row of an error id: its name and what to do; for a row of Level Zero also the name of the ze_result_t. */
typedef struct zed_error_row_ {
    int id;
    uint32_t code;
    const char *name, *result, *hint;
} zed_error_row_;

static const zed_error_row_ *zed_error_rows_(size_t *count)
{
    static const zed_error_row_ rows[] = {
#define ZED_X_(id, hint) {id, 0, #id, "", hint},
        ZED_ERRORS(ZED_X_)
#undef ZED_X_
#define ZED_X_(id, code, result, hint) {id, code, #id, result, hint},
            ZED_RESULTS(ZED_X_)
#undef ZED_X_
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

static const zed_error_row_ *zed_error_row_of_(int id)
{
    size_t count, i = 0;
    const zed_error_row_ *rows = zed_error_rows_(&count);
    while (i + 1 < count && rows[i].id != id) i++;
    return &rows[i];
}

/* The row of a failed ze_result_t; the last row if it is not listed. */
static const zed_error_row_ *zed_result_row_(ze_result_t result)
{
    size_t count;
    const zed_error_row_ *rows = zed_error_rows_(&count);
    for (size_t i = 0; i < count; i++) if (rows[i].code && rows[i].code == (uint32_t)result) return &rows[i];
    return &rows[count - 1];
}

const char *zed_result_name(ze_result_t result)
{
    return result == ZE_RESULT_SUCCESS ? "ZE_RESULT_SUCCESS" : zed_result_row_(result)->result;
}

/* Appends "; <what to do>" to the text; if they do not fit, the text is truncated, not the advice. */
XE_ONCE_
static void zed_error_hint_(zed_error *e, const char *hint)
{
    size_t used = strlen(e->text), need = strlen(hint) + 3;
    if (used + need > sizeof e->text) used = sizeof e->text - need;
    snprintf(e->text + used, sizeof e->text - used, "; %s", hint);
}

/* Records an error unless there is one. The text is already written; appends the hint. */
static void zed_error_set_(zed_error *e, const zed_error_row_ *row, ze_result_t result, const char *file,
                                  int line)
{
    e->id = row->id;
    e->name = row->name;
    e->file = file;
    e->line = line;
    e->result = result;
    zed_error_hint_(e, row->hint);
}

/* Records an error unless there is one; returns false, for callers to return. */
bool zed_fail_(zed_device *d, int id, const char *format, ...)
{
    va_list args;
    if (d->error.id) return false;
    va_start(args, format);
    vsnprintf(d->error.text, sizeof d->error.text, format, args);
    va_end(args);
    zed_error_set_(&d->error, zed_error_row_of_(id), ZE_RESULT_SUCCESS, d->file_, d->line_);
    return false;
}

/* An error of a kernel or batch that was never given a device, so that none can keep it: it goes to stderr. */
XE_FN_ bool zed_fail_alone_(int id, const char *call, const char *file, int line)
{
    const zed_error_row_ *row = zed_error_row_of_(id);
    fprintf(stderr, "%s:%d: %s: %s without a device; %s\n", file, line, row->name, call, row->hint);
    return false;
}

/* The driver's own description of its last error, or "". */
XE_FN_ const char *zed_driver_text_(const zed_device *d)
{
#if defined(ZED_HAS_DRIVER_TEXT_)
    const char *text = NULL;
    if (d->driver && d->ze_->zeDriverGetLastErrorDescription &&
        d->ze_->zeDriverGetLastErrorDescription(d->driver, &text) == ZE_RESULT_SUCCESS && text)
        return text;
#endif
    (void)d;
    return "";
}

/* True if a Level Zero call succeeded; else records its error, with details from the format. */
bool zed_check_(zed_device *d, ze_result_t result, const char *call, const char *format, ...)
{
    char details[512];
    va_list args;
    zed_error *e = &d->error;
    const zed_error_row_ *row = zed_result_row_(result);
    if (result == ZE_RESULT_SUCCESS) return true;
    if (e->id) return false;
    va_start(args, format);
    vsnprintf(details, sizeof details, format, args);
    va_end(args);
    const char *text = zed_driver_text_(d);
    snprintf(e->text, sizeof e->text, "%s%s%s gave %s (0x%" PRIx32 ")%s%s", call, *details ? " " : "", details,
             row->result, (uint32_t)result, *text ? ": " : "", text);
    zed_error_set_(e, row, result, d->file_, d->line_);
    return false;
}

const zed_error *zed_get_error(const zed_device *d) { return &d->error; }

void zed_clear_error(zed_device *d) { memset(&d->error, 0, sizeof d->error); }

void zed_print_error(const zed_device *d, FILE *f)
{
    const zed_error *e = &d->error;
    if (e->id) fprintf(f, "%s:%d: %s: %s\n", e->file ? e->file : "?", e->line, e->name, e->text);
}

/* Is d usable: open and without an error? */
XE_FN_ bool zed_usable_(zed_device *d)
{
    if (!d || d->error.id) return false;
    if (!d->open_) return zed_fail_(d, ZED_NOT_OPEN, "the device is not open");
    return true;
}
