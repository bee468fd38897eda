/* other_cpu.c - for test_other_cpus.sh: loads libze_soft.so like the Level Zero loader, requests its tables and opens
 * the device. With -DSTAND_IN it is the one loader function that programs need, for programs that contain the driver
 * because there is no loader for their CPU. */
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <stdio.h>
#include <string.h>

#ifdef STAND_IN
#include <level_zero/loader/ze_loader.h>

ze_result_t zelLoaderTranslateHandle(zel_handle_type_t type, void *from, void **to)
{
    (void)type;
    *to = from;
    return ZE_RESULT_SUCCESS;
}
#else
static void *library;

static int get(const char *name, void *table)
{
    ze_result_t (*function)(ze_api_version_t, void *);
    void *symbol = dlsym(library, name);
    memcpy(&function, &symbol, sizeof function);
    return symbol && function(ZE_API_VERSION_1_4, table) == ZE_RESULT_SUCCESS;
}

int main(int argc, char **argv)
{
    static ze_global_dditable_t global; /* sized by the installed header's version */
    static ze_driver_dditable_t drivers;
    static ze_device_dditable_t devices;
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    uint32_t one = 1;
    library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) {
        fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "name the library");
        return 1;
    }
    if (!get("zeGetGlobalProcAddrTable", &global) || !get("zeGetDriverProcAddrTable", &drivers) ||
        !get("zeGetDeviceProcAddrTable", &devices) || global.pfnInit(0) != ZE_RESULT_SUCCESS ||
        drivers.pfnGet(&one, &driver) != ZE_RESULT_SUCCESS ||
        devices.pfnGet(driver, &one, &device) != ZE_RESULT_SUCCESS ||
        devices.pfnGetProperties(device, &p) != ZE_RESULT_SUCCESS)
        return 1;
    puts(p.name);
    return 0;
}
#endif
