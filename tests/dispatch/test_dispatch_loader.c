/* Level Zero's loader is found when a device is opened: what happens where it is missing, or lacks a function, and
 * which one is used. The dynamic linker's functions are replaced for the bodies in this file.
 */
#undef XETILE_DECLARATIONS /* the bodies are here: private names are tested */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include <dlfcn.h>
#include <unistd.h>

static struct {
    bool linked, installed; /* the program has the functions; there is a loader */
    const char *lacks;      /* the name of a function */
    bool no_memory;
    int opened;
} system_has;

static void *pretend_dlopen(const char *name, int flags)
{
    if (name && !system_has.installed) return dlopen("/no/such/folder/libze_loader.so.1", flags);
    system_has.opened += name != NULL;
    return dlopen(name, flags);
}

static void *pretend_dlsym(void *library, const char *name)
{
    static void *itself;
    if (!itself) itself = dlopen(NULL, RTLD_NOW);
    if (library == itself && !system_has.linked) return NULL;
    return system_has.lacks && strcmp(name, system_has.lacks) == 0 ? NULL : dlsym(library, name);
}

static void *pretend_calloc(size_t count, size_t size)
{
    return system_has.no_memory && count == 1 ? NULL : calloc(count, size);
}

#define dlopen pretend_dlopen
#define dlsym pretend_dlsym
#define calloc pretend_calloc
#include "ze_dispatch.h"
#undef dlopen
#undef dlsym
#undef calloc

static void start(bool linked, bool installed)
{
    memset(&system_has, 0, sizeof system_has);
    system_has.linked = linked;
    system_has.installed = installed;
}

static bool opens(zed_device *d)
{
    zed_options o = {.name = "software"};
    return zed_open(d, &o);
}

TEST(a_missing_loader_is_an_error)
{
    zed_device d;
    zed_error error;
    start(false, false);
    CHECK(!opens(&d));
    CHECK_INT(zed_get_error(&d)->id, ZED_NO_LOADER);
    CHECK_HAS(zed_get_error(&d)->text, "no Level Zero driver: libze_loader.so.1 cannot be opened");
    CHECK_HAS(zed_get_error(&d)->text, "No such file");
    CHECK_HAS(zed_get_error(&d)->text, "libze1 on Debian");
    CHECK(d.ze_ == NULL);
    CHECK_INT(zed_list(NULL, 0, &error), -1);
    CHECK_INT(error.id, ZED_NO_LOADER);
    zed_close(&d);
}

TEST(a_loader_that_lacks_a_function_is_an_error)
{
#define ROW(function) "ze" #function,
    static const char *const names[] = {ZED_FUNCTIONS_(ROW) "zelLoaderTranslateHandle"};
#undef ROW
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        zed_device d;
        start(false, true);
        system_has.lacks = names[i];
        CHECK(!opens(&d));
        CHECK_INT(zed_get_error(&d)->id, ZED_NO_LOADER);
        CHECK_HAS(zed_get_error(&d)->text, "has no function");
        CHECK_HAS(zed_get_error(&d)->text, names[i]);
        CHECK(d.ze_ == NULL);
    }
}

TEST(drivers_need_not_describe_errors)
{
    zed_device d;
    start(true, true);
    system_has.lacks = "zeDriverGetLastErrorDescription";
    CHECK(opens(&d));
    CHECK_STR(zed_driver_text_(&d), "");
    CHECK(zed_alloc(&d, ZED_SHARED, 64, (size_t)1 << 62) == NULL);
    CHECK(zed_get_error(&d)->id >= ZED_FIRST_RESULT_);
    zed_close(&d);
}

TEST(the_program_s_own_functions_come_first)
{
    zed_device d;
    start(true, true);
    CHECK(opens(&d) && zeInit(0) == ZE_RESULT_SUCCESS); /* this program is linked with the loader */
    CHECK_INT(system_has.opened, 0);
    zed_close(&d);
    start(false, true);
    CHECK(opens(&d));
    CHECK_INT(system_has.opened, 1);
    zed_close(&d);
}

TEST(queues_share_the_functions_of_their_device)
{
    zed_device d, queue, other;
    start(true, true);
    CHECK(opens(&d) && zed_open_queue(&queue, &d) && zed_open_in_context(&other, &d, 0));
    CHECK(queue.ze_ == d.ze_ && other.ze_ == d.ze_);
    CHECK(zed_alloc(&queue, ZED_SHARED, 64, 0) && zed_alloc(&other, ZED_SHARED, 64, 0));
    zed_close(&other);
    zed_close(&queue);
    CHECK(zed_alloc(&d, ZED_SHARED, 64, 0));
    zed_close(&d);
    CHECK(d.ze_ == NULL);
}

TEST(no_memory_for_the_addresses_is_an_error)
{
    zed_device d;
    start(true, true);
    system_has.no_memory = true;
    CHECK(!opens(&d));
    CHECK_INT(zed_get_error(&d)->id, ZED_OUT_OF_MEMORY);
    CHECK_HAS(zed_get_error(&d)->text, "addresses");
}

int main(void)
{
    RUN(a_missing_loader_is_an_error);
    RUN(a_loader_that_lacks_a_function_is_an_error);
    RUN(drivers_need_not_describe_errors);
    RUN(the_program_s_own_functions_come_first);
    RUN(queues_share_the_functions_of_their_device);
    RUN(no_memory_for_the_addresses_is_an_error);
    return test_report();
}
