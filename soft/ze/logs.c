/* logs.c - build logs. */
#include <stdlib.h>
#include <string.h>

#include "ze_soft.h"

/* ---- build logs */

ze_module_build_log_handle_t soft_log_new(void)
{
    static const ze_dditable_t tables = {
        .ModuleBuildLog = {.pfnDestroy = zeModuleBuildLogDestroy, .pfnGetString = zeModuleBuildLogGetString}};
    ze_module_build_log_handle_t log = calloc(1, sizeof *log);
    if (!log) return NULL;
    log->face = &log->own;
    log->tables = &tables;
    log->own.log = log;
#if SOFT_API(17)
    log->own.tables.version = ZE_API_VERSION_CURRENT;
    log->own.tables.isValidFlag = 1;
    log->own.tables.ModuleBuildLog = (ze_module_build_log_dditable_t *)(uintptr_t)&tables.ModuleBuildLog;
#else
    log->own.version = ZE_API_VERSION_CURRENT;
#endif
    log->tag = SOFT_LOG;
    return log;
}

/* After a build or link: passes the log to the caller, if requested, and to the error's description. */
ze_result_t soft_log_deliver(ze_result_t result, const char *what, ze_module_build_log_handle_t log,
                             ze_module_build_log_handle_t *wanted)
{
    if (result != ZE_RESULT_SUCCESS)
        soft_fail(result, "%s: %.1800s", what, log->text.data ? log->text.data : "no memory");
    if (wanted)
        *wanted = log;
    else
        zeModuleBuildLogDestroy(log);
    return result;
}

/* Finds the log of a handle, which may be the log's face. */
static ze_result_t find_log(ze_module_build_log_handle_t *log)
{
    if (!*log) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if ((*log)->face != &(*log)->own) *log = ((const struct soft_log_face *)(const void *)*log)->log;
    return soft_check(&(*log)->tag, SOFT_LOG);
}

ze_result_t zeModuleBuildLogDestroy(ze_module_build_log_handle_t log)
{
    SOFT_TRY(find_log(&log));
    log->tag = SOFT_DEAD;
    sp_text_free(&log->text);
    free(log);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleBuildLogGetString(ze_module_build_log_handle_t log, size_t *size, char *to)
{
    SOFT_TRY(find_log(&log));
    SOFT_POINTER(size);
    if (!to) {
        *size = log->text.size + 1;
        return ZE_RESULT_SUCCESS;
    }
    if (*size == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (*size > log->text.size + 1) *size = log->text.size + 1;
    memcpy(to, log->text.data ? log->text.data : "", *size - 1);
    to[*size - 1] = 0;
    return ZE_RESULT_SUCCESS;
}
