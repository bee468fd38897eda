/* open.c - opening and closing devices. */
#include "internal.h"

static bool zed_read_properties_(zed_device *d)
{
    ze_device_properties_t p, p2;
    ze_device_compute_properties_t c;
    ze_device_module_properties_t m;
    ze_device_memory_access_properties_t access;
    zed_identity_ id;
    uint64_t frequency = 0;
    ZED_CLEAR_(p2, DEVICE_PROPERTIES_1_2);
    ZED_CLEAR_(c, DEVICE_COMPUTE_PROPERTIES);
    ZED_CLEAR_(m, DEVICE_MODULE_PROPERTIES);
    ZED_CLEAR_(access, DEVICE_MEMORY_ACCESS_PROPERTIES);
    if (!zed_identify_(d, d->device, &p, &id) ||
        !ZED_CALL_(d, zeDeviceGetComputeProperties, (d->device, &c)) ||
        !ZED_CALL_(d, zeDeviceGetModuleProperties, (d->device, &m)))
        return false;
    if (d->ze_->zeDeviceGetProperties(d->device, &p2) == ZE_RESULT_SUCCESS) frequency = p2.timerResolution;
    if (d->ze_->zeDeviceGetMemoryAccessProperties(d->device, &access) == ZE_RESULT_SUCCESS) {
        d->system_memory_ = (access.sharedSystemAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW) != 0;
    }
    d->tick_ns_ = zed_tick_ns_from_(p.timerResolution, frequency);
    d->timestamp_bits_ = p.kernelTimestampValidBits;
    const zed_target_row_ *row = zed_recognise_(&id, d->recognised_, sizeof d->recognised_, &d->target.guessed);
    d->target.name = row->name;
    d->target.dpas = row->dpas;
    d->target.block2d = row->block2d;
    zed_fill_target_(&d->target, &p, &c, &m);
    return true;
}

/* The first queue group that runs kernels. */
static bool zed_find_queue_group_(zed_device *d)
{
    ze_command_queue_group_properties_t groups[16];
    uint32_t count = 0;
    if (!ZED_CALL_(d, zeDeviceGetCommandQueueGroupProperties, (d->device, &count, NULL))) return false;
    if (count > 16) count = 16;
    memset(groups, 0, sizeof groups);
    for (uint32_t i = 0; i < count; i++) groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    if (count && !ZED_CALL_(d, zeDeviceGetCommandQueueGroupProperties, (d->device, &count, groups))) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) {
            d->ordinal_ = i;
            d->pattern_max_ = groups[i].maxMemoryFillPatternSize;
            return true;
        }
    }
    return zed_fail_(d, ZED_NO_QUEUE, "\"%s\" has %" PRIu32 " queue groups and none runs kernels", d->name, count);
}

static bool zed_make_queue_(zed_device *d)
{
    ze_command_queue_desc_t q;
    ZED_CLEAR_(q, COMMAND_QUEUE_DESC);
    q.ordinal = d->ordinal_;
    q.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    return ZED_CALL_(d, zeCommandListCreateImmediate, (d->context, d->device, &q, &d->list)) &&
           zed_make_pool_(d, 1, true, &d->pool) && zed_make_event_(d, d->pool, 0, &d->event);
}

void zed_close_(zed_device *d)
{
    if (!d) return;
    zed_await_all_(d);
    while (d->resource_count_) zed_destroy_(d, &d->resources_[--d->resource_count_]);
    if (d->event) ZED_CALL_(d, zeEventDestroy, (d->event));
    if (d->pool) ZED_CALL_(d, zeEventPoolDestroy, (d->pool));
    if (d->list) ZED_CALL_(d, zeCommandListDestroy, (d->list));
    if (d->queue) ZED_CALL_(d, zeCommandQueueDestroy, (d->queue));
    if (d->context && !d->borrowed_) ZED_CALL_(d, zeContextDestroy, (d->context));
    if (!d->borrowed_) free(d->ze_);
    free(d->resources_);
    free(d->log_);
    zed_error error = d->error;
    memset(d, 0, sizeof *d);
    d->error = error;
}

bool zed_open_(zed_device *d, const zed_options *options, const char *file, int line)
{
    ze_context_desc_t context;
    zed_candidate_ *all;
    int count, chosen = -1;
    if (!d) return false;
    memset(d, 0, sizeof *d);
    zed_at_(d, file, line);
    all = (zed_candidate_ *)calloc(ZED_MAX_DEVICES, sizeof *all);
    if (!all) return zed_fail_(d, ZED_OUT_OF_MEMORY, "no room for a list of %d devices", (int)ZED_MAX_DEVICES);
    if (zed_enumerate_(d, all, &count)) chosen = zed_choose_(d, options, all, count);
    if (chosen >= 0) {
        d->driver = all[chosen].driver;
        d->device = all[chosen].device;
        d->software = all[chosen].software;
        memcpy(d->name, all[chosen].name, sizeof d->name);
    }
    free(all);
    if (chosen < 0) {
        free(d->ze_);
        d->ze_ = NULL;
        return false;
    }
    ZED_CLEAR_(context, CONTEXT_DESC);
    d->open_ = ZED_CALL_(d, zeContextCreate, (d->driver, &context, &d->context)) &&
               zed_read_properties_(d) && zed_find_queue_group_(d) && zed_make_queue_(d);
    if (!d->open_) zed_close_(d);
    return d->open_;
}

/* Would the new device overwrite the open one that it shares? Then that keeps the error, and stays open. */
static bool zed_is_itself_(zed_device *d, const zed_device *first, const char *file, int line)
{
    if (d != first || !d->open_) return false;
    zed_fail_(zed_at_(d, file, line), ZED_SAME_DEVICE, "an open device cannot share its own context");
    return true;
}

bool zed_open_queue_(zed_device *second, zed_device *first, const char *file, int line)
{
    if (!second) return false;
    if (zed_is_itself_(second, first, file, line)) return false;
    memset(second, 0, sizeof *second);
    zed_at_(second, file, line);
    if (!first || !first->open_) return zed_fail_(second, ZED_NOT_OPEN, "the device to share is not open");
    second->driver = first->driver;
    second->device = first->device;
    second->context = first->context;
    second->ze_ = first->ze_;
    memcpy(second->name, first->name, sizeof second->name);
    second->target = first->target;
    memcpy(second->recognised_, first->recognised_, sizeof second->recognised_);
    second->software = first->software;
    second->borrowed_ = true;
    second->system_memory_ = first->system_memory_;
    second->ordinal_ = first->ordinal_;
    second->timestamp_bits_ = first->timestamp_bits_;
    second->pattern_max_ = first->pattern_max_;
    second->tick_ns_ = first->tick_ns_;
    second->open_ = zed_make_queue_(second);
    if (!second->open_) zed_close_(second);
    return second->open_;
}

/* Appends the results of zeDeviceGet or zeDeviceGetSubDevices to all[]. */
typedef struct zed_handles_ {
    ze_device_handle_t all[ZED_MAX_DEVICES];
    uint32_t count;
} zed_handles_;

static bool zed_add_parts_(zed_device *d, ze_device_handle_t device, zed_handles_ *to)
{
    uint32_t room = ZED_MAX_DEVICES - to->count, count = 0;
    if (!room) return true;
    if (!ZED_CALL_(d, zeDeviceGetSubDevices, (device, &count, NULL))) return false;
    if (!count) {
        to->all[to->count++] = device;
        return true;
    }
    if (count > room) count = room;
    if (!ZED_CALL_(d, zeDeviceGetSubDevices, (device, &count, to->all + to->count))) return false;
    to->count += count;
    return true;
}

static bool zed_context_handles_(zed_device *d, zed_handles_ *to)
{
    ze_device_handle_t roots[ZED_MAX_DEVICES];
    uint32_t count = 0;
    memset(to, 0, sizeof *to);
    if (!ZED_CALL_(d, zeDeviceGet, (d->driver, &count, NULL))) return false;
    if (count > ZED_MAX_DEVICES) count = ZED_MAX_DEVICES;
    if (!ZED_CALL_(d, zeDeviceGet, (d->driver, &count, roots))) return false;
    for (uint32_t i = 0; i < count; i++) if (!zed_add_parts_(d, roots[i], to)) return false;
    return true;
}

int zed_context_devices_(zed_device *d)
{
    zed_handles_ handles;
    return zed_usable_(d) && zed_context_handles_(d, &handles) ? (int)handles.count : -1;
}

static bool zed_name_device_(zed_device *d)
{
    ze_device_properties_t p;
    ZED_CLEAR_(p, DEVICE_PROPERTIES);
    if (!ZED_CALL_(d, zeDeviceGetProperties, (d->device, &p))) return false;
    snprintf(d->name, sizeof d->name, "%s", p.name);
    return true;
}

bool zed_open_in_context_(zed_device *d, zed_device *first, int index, const char *file, int line)
{
    zed_handles_ handles;
    if (!d) return false;
    if (zed_is_itself_(d, first, file, line)) return false;
    memset(d, 0, sizeof *d);
    zed_at_(d, file, line);
    if (!first || !first->open_) return zed_fail_(d, ZED_NOT_OPEN, "the device whose context to share is not open");
    d->driver = first->driver;
    d->context = first->context;
    d->ze_ = first->ze_;
    d->software = first->software;
    d->borrowed_ = true;
    if (zed_context_handles_(d, &handles)) {
        if (index < 0 || (uint32_t)index >= handles.count) {
            zed_fail_(d, ZED_NO_SUCH_DEVICE, "device %d: the context has %" PRIu32 ", counted from 0", index,
                      handles.count);
        } else {
            d->device = handles.all[index];
            d->open_ = zed_name_device_(d) && zed_read_properties_(d) && zed_find_queue_group_(d) && zed_make_queue_(d);
        }
    }
    if (!d->open_) zed_close_(d);
    return d->open_;
}
