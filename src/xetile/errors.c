/* errors.c - errors. */
#include "internal.h"

const char *xt_error_text(int id)
{
    static const char *const texts[] = {
#define XT_ROW_(name, text) text,
        XT_ERRORS_(XT_ROW_)
#undef XT_ROW_
    };
    if (id == 0) return "no error";
    return id > XT_ERROR_FIRST_ && id < XT_ERROR_END_ ? texts[id - XT_ERROR_FIRST_ - 1] : "not an error of xetile.h";
}

const char *xt_error_name(int id)
{
    static const char *const names[] = {
#define XT_ROW_(name, text) "XT_ERROR_" #name,
        XT_ERRORS_(XT_ROW_)
#undef XT_ROW_
    };
    return id > XT_ERROR_FIRST_ && id < XT_ERROR_END_ ? names[id - XT_ERROR_FIRST_ - 1] : "";
}
