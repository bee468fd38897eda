/* hierarchy.c - the devices: the whole device, or parts of it. $XETILE_SOFT_SUBDEVICES is the number of parts,
 * $ZE_FLAT_DEVICE_HIERARCHY says whether they are devices of their own, and $ZE_AFFINITY_MASK which of them the process
 * uses, as in the Level Zero specification:
 *
 *   COMPOSITE  (default) one device whose parts are sub-devices; the mask lists devices and parts: 0, 0.1;
 *              a single part is a device without sub-devices
 *   FLAT       each part is a device; the mask lists those: 0,2
 *   COMBINED   the same, and the whole device is available as their root
 */
#include <stdlib.h>
#include <string.h>

#include "ze_soft.h"

static const uint32_t NONE = UINT32_MAX;

struct _ze_device_handle_t soft_device = {.tag = SOFT_DEVICE, .vertex = {SOFT_VERTEX, &soft_device}};

static struct _ze_device_handle_t parts[SOFT_MAX_PARTS];
static struct {
    ze_device_handle_t device[SOFT_MAX_PARTS]; /* results of zeDeviceGet */
    ze_device_handle_t part[SOFT_MAX_PARTS];   /* sub-devices of the first */
    uint32_t devices, parts;
    bool combined;
} seen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is_set_to(const char *name, const char *word)
{
    const char *value = getenv(name);
    return value && !strcmp(value, word);
}

static uint32_t make_parts(void)
{
    const char *wish = getenv("XETILE_SOFT_SUBDEVICES");
    long n = wish ? strtol(wish, NULL, 10) : 0;
    uint32_t count = n < 2 ? 0 : n > SOFT_MAX_PARTS ? SOFT_MAX_PARTS : (uint32_t)n, all = sched_threads();
    for (uint32_t i = 0; i < count; i++) {
        parts[i].tag = SOFT_DEVICE;
        parts[i].vertex = (struct _ze_fabric_vertex_handle_t){SOFT_VERTEX, &parts[i]};
        parts[i].part = i + 1;
        parts[i].threads = all / count + (i < all % count);
        if (!parts[i].threads) parts[i].threads = 1;
    }
    return count;
}

/* Reads a number of the mask at *at; NONE: not a number. */
static uint32_t read_number(const char **at)
{
    char *end;
    unsigned long n;
    if (**at < '0' || **at > '9') return NONE;
    n = strtoul(*at, &end, 10);
    *at = end;
    return n < NONE ? (uint32_t)n : NONE;
}

/* Bits of the parts that the mask lists (of the device, if it has no parts: the first). Missing ones are ignored. */
static uint32_t read_mask(uint32_t count, bool flat)
{
    const char *at = getenv("ZE_AFFINITY_MASK");
    uint32_t all = count ? (1u << count) - 1 : 1, bits = 0;
    if (!at || !*at) return all;
    for (; *at; at += strcspn(at, ","), at += *at == ',') {
        uint32_t device = read_number(&at), part = NONE;
        bool inner = !flat && *at == '.';
        if (inner) at++, part = read_number(&at);
        if (flat && device < 32)
            bits |= 1u << device & all;
        else if (!flat && device == 0)
            bits |= !inner ? all : part < count ? 1u << part : 0;
    }
    return bits;
}

static void show(ze_device_handle_t device)
{
    device->alone = true;
    seen.device[seen.devices++] = device;
}

static void look(void)
{
    uint32_t count = make_parts(), bits, threads = 0;
    bool flat = is_set_to("ZE_FLAT_DEVICE_HIERARCHY", "FLAT");
    seen.combined = is_set_to("ZE_FLAT_DEVICE_HIERARCHY", "COMBINED");
    flat = flat || seen.combined;
    bits = read_mask(count, flat);
    if (!bits) return;
    if (!count) {
        show(&soft_device);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (bits >> i & 1) {
            threads += parts[i].threads;
            seen.part[seen.parts++] = &parts[i];
        }
    if (seen.parts < count) soft_device.threads = threads; /* its work is distributed over the remaining parts */
    if (!flat && seen.parts > 1) {
        show(&soft_device);
        return;
    }
    for (uint32_t i = 0; i < seen.parts; i++) show(seen.part[i]);
    if (!seen.combined) seen.parts = 0;
}

/* The two-call idiom. */
static void give(uint32_t *count, ze_device_handle_t *to, const ze_device_handle_t *from, uint32_t n)
{
    if (!to || *count > n) *count = n;
    for (uint32_t i = 0; to && i < *count; i++) to[i] = from[i];
}

uint32_t soft_parts_of(ze_device_handle_t device)
{
    pthread_once(&once, look);
    return device == &soft_device ? seen.parts : 0;
}

bool soft_is_subdevice(ze_device_handle_t device) { return device->part && !device->alone; }

ze_result_t zeDeviceGet(ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *devices)
{
    SOFT_HANDLE(driver, SOFT_DRIVER);
    SOFT_POINTER(count);
    pthread_once(&once, look);
    give(count, devices, seen.device, seen.devices);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetSubDevices(ze_device_handle_t device, uint32_t *count, ze_device_handle_t *devices)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(count);
    give(count, devices, seen.part, soft_parts_of(device));
    return ZE_RESULT_SUCCESS;
}

SOFT_GETTER(zeDeviceGetRootDevice, ze_device_handle_t, SOFT_DEVICE, ze_device_handle_t,
            handle->part && (seen.combined || !handle->alone) ? &soft_device : NULL)
