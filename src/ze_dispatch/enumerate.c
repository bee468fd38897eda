/* enumerate.c - listing and choosing devices. */
#include "internal.h"

/* Order of preference: 0 discrete GPU, 1 integrated GPU, 2 another processor, 3 the software device. */
XE_ONCE_
static int zed_rank_(const ze_device_properties_t *p, bool software)
{
    if (software) return 3;
    if (p->type != ZE_DEVICE_TYPE_GPU) return 2;
    return p->flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED ? 1 : 0;
}

static bool zed_candidate_add_(zed_device *d, zed_candidate_ *all, int *count, ze_driver_handle_t driver,
                                      ze_device_handle_t device)
{
    ze_device_properties_t p;
    zed_candidate_ c;
    zed_identity_ id;
    char how[sizeof ((zed_device *)0)->recognised_];
    bool guessed;
    int at;
    memset(&c, 0, sizeof c);
    if (!zed_identify_(d, device, &p, &id)) return false;
    if (p.type == ZE_DEVICE_TYPE_VPU || *count == ZED_MAX_DEVICES) return true; /* NPUs do not accept SPIR-V */
    c.driver = driver;
    c.device = device;
    c.gpu = p.type == ZE_DEVICE_TYPE_GPU;
    c.vendor_id = p.vendorId;
    c.device_id = p.deviceId;
    snprintf(c.name, sizeof c.name, "%s", p.name);
    c.software = strncmp(c.name, "xetile software device", 22) == 0;
    c.gpu = c.gpu && !c.software;
    c.rank = zed_rank_(&p, c.software);
    c.target = zed_recognise_(&id, how, sizeof how, &guessed)->name;
    for (at = (*count)++; at > 0 && all[at - 1].rank > c.rank; at--) all[at] = all[at - 1];
    all[at] = c;
    return true;
}

static bool zed_no_device_(zed_device *d, ze_result_t result, const char *why)
{
    const char *drivers = getenv("ZE_ENABLE_ALT_DRIVERS");
    zed_fail_(d, ZED_NO_DEVICE, "no Level Zero device: %s %s (0x%" PRIx32 "), drivers tried: %s", why,
              zed_result_name(result), (uint32_t)result, drivers ? drivers : "the loader's own list");
    d->error.result = result;
    return false;
}

/* All devices, preferred ones first. */
XE_FN_ bool zed_enumerate_(zed_device *d, zed_candidate_ *all, int *count)
{
    ze_driver_handle_t drivers[16];
    ze_device_handle_t devices[ZED_MAX_DEVICES];
    uint32_t driver_count = 0, device_count;
    *count = 0;
    if (!zed_name_drivers_(d) || !zed_find_functions_(d)) return false;
    ze_result_t result = d->ze_->zeInit(0);
    if (result != ZE_RESULT_SUCCESS) return zed_no_device_(d, result, "zeInit gave");
    result = d->ze_->zeDriverGet(&driver_count, NULL);
    if (driver_count > 16) driver_count = 16;
    if (result == ZE_RESULT_SUCCESS && driver_count) result = d->ze_->zeDriverGet(&driver_count, drivers);
    if (result != ZE_RESULT_SUCCESS) return zed_no_device_(d, result, "zeDriverGet gave");
    for (uint32_t i = 0; i < driver_count; i++) {
        device_count = 0;
        result = d->ze_->zeDeviceGet(drivers[i], &device_count, NULL);
        if (device_count > ZED_MAX_DEVICES) device_count = ZED_MAX_DEVICES;
        if (result != ZE_RESULT_SUCCESS || !device_count) continue; /* a driver without devices is not an error */
        if (!ZED_CALL_(d, zeDeviceGet, (drivers[i], &device_count, devices))) return false;
        for (uint32_t j = 0; j < device_count; j++) {
            if (!zed_candidate_add_(d, all, count, drivers[i], devices[j])) return false;
        }
    }
    if (!*count) return zed_no_device_(d, result, "the drivers have none, the last call gave");
    return true;
}

/* In every locale: in a Turkish one, the C library's lower-case "I" is not "i". */
static int zed_lower_(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

/* Does `text` contain `part`, ignoring case? */
XE_ONCE_
static bool zed_has_(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && zed_lower_(text[i]) == zed_lower_(part[i])) i++;
        if (!part[i]) return true;
    }
    return !*part;
}

static bool zed_no_such_device_(zed_device *d, const char *wanted, const char *from, const zed_candidate_ *all,
                                       int count)
{
    char list[1200] = "";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof list; i++) {
        int n = snprintf(list + used, sizeof list - used, "%s%d \"%s\"", i ? ", " : "", i, all[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
    return zed_fail_(d, ZED_NO_SUCH_DEVICE, "no device \"%s\" (from %s); the list is: %s", wanted, from, list);
}

/* The index of the device requested by the options, else by the environment; by default 0. -1 on error. */
XE_FN_ int zed_choose_(zed_device *d, const zed_options *o, const zed_candidate_ *all, int count)
{
    const char *name = o ? o->name : NULL, *from = "zed_options";
    char number[24];
    if (o && o->index_plus_1) {
        if (o->index_plus_1 > 0 && o->index_plus_1 <= count) return o->index_plus_1 - 1;
        snprintf(number, sizeof number, "%lld", (long long)o->index_plus_1 - 1);
        zed_no_such_device_(d, number, from, all, count);
        return -1;
    }
    if (!name) { /* .device or $XETILE_DEVICE: a number or a name */
        name = o ? o->device : NULL;
        if (!name) {
            name = getenv("XETILE_DEVICE");
            from = "XETILE_DEVICE";
        }
        if (!name || !*name) return 0;
        if (strspn(name, "0123456789") == strlen(name)) {
            if (strlen(name) < 4 && atoi(name) < count) return atoi(name);
            zed_no_such_device_(d, name, from, all, count);
            return -1;
        }
    }
    for (int i = 0; i < count; i++) {
        if (zed_has_(all[i].name, name)) return i;
        if (strcmp(all[i].target, name) == 0) return i;
    }
    zed_no_such_device_(d, name, from, all, count);
    return -1;
}

int zed_list_(zed_info *infos, int max, zed_error *error, const char *file, int line)
{
    zed_candidate_ *all = (zed_candidate_ *)calloc(ZED_MAX_DEVICES, sizeof *all);
    zed_device d;
    int count = -1;
    memset(&d, 0, sizeof d);
    zed_at_(&d, file, line);
    if (!all) zed_fail_(&d, ZED_OUT_OF_MEMORY, "no room for a list of %d devices", (int)ZED_MAX_DEVICES);
    else if (!zed_enumerate_(&d, all, &count)) count = -1;
    if (error) *error = d.error;
    for (int i = 0; infos && i < count && i < max; i++) {
        infos[i].index = i;
        memcpy(infos[i].name, all[i].name, sizeof infos[i].name);
        infos[i].target = all[i].target;
        infos[i].gpu = all[i].gpu;
        infos[i].software = all[i].software;
        infos[i].vendor_id = all[i].vendor_id;
        infos[i].device_id = all[i].device_id;
    }
    free(d.ze_);
    free(all);
    return count;
}

bool zed_print_list_(FILE *f, const char *file, int line)
{
    zed_info infos[ZED_MAX_DEVICES];
    zed_error e;
    int count = zed_list_(infos, ZED_MAX_DEVICES, &e, file, line);
    for (int i = 0; i < count; i++) fprintf(f, "%d  %s (%s)\n", infos[i].index, infos[i].name, infos[i].target);
    if (count < 0) fprintf(f, "%s:%d: %s: %s\n", e.file ? e.file : "?", e.line, e.name, e.text);
    return count >= 0;
}
