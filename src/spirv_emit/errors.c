/* errors.c - a module's first error, and the place that it names. */
#include "internal.h"

static const char *spe_error_says_(int id, bool name)
{
#define SPE_ERROR_CASE_(id, number, meaning)                                                                           \
    case number: return name ? "SPE_ERR_" #id : meaning;
    switch (id) {
        SPE_ERRORS(SPE_ERROR_CASE_)
    default: return "";
    }
}
const char *spe_error_meaning(int id) { return spe_error_says_(id, false); }

/* Records an error; `doing` and a colon precede the text unless `doing` is NULL. */
SPE_PRINTF(5, 0)
static void spe_vfail_(spe_module *m, int id, const char *name, const char *doing, const char *format, va_list args)
{
    spe_error *e = &m->error;
    int n = 0;
    if (e->id) return;
    e->id = id;
    e->name = name;
    e->file = m->file;
    e->line = m->line;
    if (doing) n = snprintf(e->text, sizeof e->text, "%s: ", doing);
    vsnprintf(e->text + n, sizeof e->text - (size_t)n, format, args);
}

void spe_fail(spe_module *m, int id, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spe_vfail_(m, id, name, NULL, format, args);
    va_end(args);
}

/* Ends what SPE_WITHIN_ began, if that was in this function. Returns id. */
XE_FN_ spe_id spe_leave_(spe_module *m, const char *name, spe_id id)
{
    if (m->within == name) m->within = NULL;
    return id;
}

spe_id spe_error_(spe_module *m, int id, const char *format, ...)
{
    const char *doing = m->doing && m->within ? m->within : m->doing;
    va_list args;
    va_start(args, format);
    spe_vfail_(m, id, spe_error_says_(id, true), doing, format, args);
    va_end(args);
    return 0;
}

const spe_error *spe_get_error(const spe_module *m) { return &m->error; }

void spe_print_error(const spe_error *e, FILE *f)
{
    for (; e && e->id; e = e->next)
        if (e->file) fprintf(f, "%s:%d: %s: %s\n", e->file, e->line, e->name, e->text);
        else fprintf(f, "%s: %s\n", e->name, e->text);
}

bool spe_ok(const spe_module *m) { return m->error.id == 0; }

spe_module *spe_at(spe_module *m, const char *file, int line)
{
    m->file = file;
    m->line = line;
    m->column = 0;
    return m;
}

spe_module *spe_at_column(spe_module *m, const char *file, int line, int column)
{
    spe_at(m, file, line)->column = column;
    return m;
}
