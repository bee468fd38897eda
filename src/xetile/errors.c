/* errors.c - errors. */
#include "internal.h"

XE_FN_ const spe_reporter *xt_errors_(void)
{
    static const spe_error_row rows[] = {
#define XT_ROW_(name, text) {"XT_ERROR_" #name, text},
        XT_ERRORS_(XT_ROW_)
#undef XT_ROW_
    };
    static const spe_reporter errors = {"not an error of xetile.h",
                                        rows,
                                        XT_ERROR_FIRST_ + 1,
                                        sizeof rows / sizeof rows[0],
                                        XT_ERROR_PARAMETER_TEXT,
                                        XT_ERROR_TARGET,
                                        XT_ERROR_SUBGROUP_SIZE,
                                        XT_ERROR_UNCLOSED,
                                        {XT_ERROR_MEMORY, "XT_ERROR_MEMORY", "out of memory", NULL, 0}};
    return &errors;
}

const char *xt_error_text(int id) { return spe_reporter_text(xt_errors_(), id); }
const char *xt_error_name(int id) { return spe_reporter_name(xt_errors_(), id); }
