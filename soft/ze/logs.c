/* logs.c - build logs. */
#include <stdlib.h>
#include <string.h>

#include "ze_soft.h"

/* ---- what a loader takes for tables of functions */

/* Where the table of log functions begins if all tables follow each other: the layout of loaders since that version. */
static const struct {
    unsigned since, slot;
} places[] = {{4, 100},  {5, 101},  {6, 105},  {7, 115},  {9, 150},  {11, 153},
              {12, 157}, {13, 168}, {14, 172}, {15, 179}, {16, 185}, {17, 202}};
enum { LAST_PLACE = 202, TABLE_IN_FACE = 22 }; /* the number of the table in a driver's list of tables, since 1.13 */

typedef void any_function(void);
static any_function *const functions[] = {(any_function *)zeModuleBuildLogDestroy,
                                          (any_function *)zeModuleBuildLogGetString};
static any_function *tables[LAST_PLACE + 2];

static _Atomic unsigned loader_version;

void soft_log_serve(unsigned minor) { loader_version = minor; }

static void fill_tables(void)
{
    unsigned slot = 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (loader_version >= places[i].since) slot = places[i].slot;
    memcpy(&tables[slot], functions, sizeof functions);
}

/* ---- build logs */

ze_module_build_log_handle_t soft_log_new(void)
{
    static pthread_once_t filled = PTHREAD_ONCE_INIT;
    ze_module_build_log_handle_t log = calloc(1, sizeof *log);
    if (!log) return NULL;
    pthread_once(&filled, fill_tables);
    log->face = &log->own;
    log->tables = tables;
    log->own.log = log;
    log->own.version = SOFT_API_VERSION;
    log->own.is_valid = 1;
    log->own.tables[TABLE_IN_FACE] = functions;
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
