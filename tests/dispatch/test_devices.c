/* test_devices.c - the software device divided into sub-devices: their properties, their shared context and memory, and
 * the distribution of a kernel's work over all of them.
 */
#define _GNU_SOURCE

#include "test.h"

#include "dispatch_kernels.h"
#include "ze_dispatch.h"

enum { PARTS = 3, THREADS = 4, N = 4096 };

static zed_device whole, part[PARTS];

TEST(three_parts_share_four_threads)
{
    static const uint32_t threads[PARTS] = {2, 1, 1};
    uint32_t eus = 0;
    CHECK_INT(zed_context_devices(&whole), PARTS);
    for (int i = 0; i < PARTS; i++) {
        char words[64];
        CHECK_MSG(zed_open_in_context(&part[i], &whole, i), "%s", zed_get_error(&part[i])->text);
        snprintf(words, sizeof words, "%u thread%s, part %d", threads[i], threads[i] == 1 ? "" : "s", i + 1);
        CHECK_HAS(part[i].name, words);
        CHECK_STR(part[i].target.name, "soft");
        eus += part[i].target.eu_count;
        CHECK(part[i].context == whole.context && part[i].device != whole.device);
    }
    CHECK(eus > 0);
    CHECK_INT(whole.target.eu_count, eus);
    CHECK(!zed_open_in_context(&(zed_device){.open_ = false}, &whole, PARTS));
}

TEST(parts_say_what_they_are)
{
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES}, of_whole = p;
    uint32_t count = 0;
    ze_device_handle_t list[PARTS] = {0};
    CHECK_INT(zeDeviceGetProperties(whole.device, &of_whole), ZE_RESULT_SUCCESS);
    CHECK(!(of_whole.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE));
    CHECK_INT(zeDeviceGetSubDevices(whole.device, &count, NULL), ZE_RESULT_SUCCESS);
    CHECK_INT(count, PARTS);
    count = 2;
    CHECK_INT(zeDeviceGetSubDevices(whole.device, &count, list), ZE_RESULT_SUCCESS);
    CHECK_INT(count, 2);
    CHECK(list[0] == part[0].device && list[1] == part[1].device && !list[2]);
    for (uint32_t i = 0; i < PARTS; i++) {
        ze_bool_t reaches = 0;
        CHECK_INT(zeDeviceGetProperties(part[i].device, &p), ZE_RESULT_SUCCESS);
        CHECK(p.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE);
        CHECK_INT(p.subdeviceId, i);
        CHECK(memcmp(p.uuid.id, of_whole.uuid.id, sizeof p.uuid.id) != 0);
        count = 99;
        CHECK_INT(zeDeviceGetSubDevices(part[i].device, &count, NULL), ZE_RESULT_SUCCESS);
        CHECK_INT(count, 0);
        CHECK_INT(zeDeviceCanAccessPeer(part[i].device, whole.device, &reaches), ZE_RESULT_SUCCESS);
        CHECK(reaches);
    }
}

/* Each sub-device adds to its share of one array, all concurrently; then the whole device to all of it. */
TEST(work_is_dealt_out)
{
    static small_module built;
    zed_module module[PARTS + 1];
    zed_kernel spin[PARTS + 1];
    uint32_t *x = (uint32_t *)zed_alloc(&whole, ZED_HOST, PARTS * N * sizeof *x, 0), wrong = 0;
    spe_words words;
    spe_begin(&built.m, NULL);
    small_spin(&built, "spin");
    words = spe_finish(&built.m);
    for (uint32_t i = 0; x && i < PARTS * N; i++) x[i] = i;
    for (int i = 0; x && i <= PARTS; i++) {
        zed_device *d = i < PARTS ? &part[i] : &whole;
        bool ok = zed_module_load(&module[i], d, words.data, 4 * words.count, NULL) &&
                  zed_kernel_get(&spin[i], &module[i], "spin", "ptr<u32> x, u32 n") &&
                  zed_local_size(&spin[i], 32, 1, 1);
        CHECK_MSG(ok, "%s", zed_get_error(d)->text);
    }
    for (int round = 0; x && round < 10; round++) {
        for (int i = 0; i < PARTS; i++) CHECK(zed_start(&spin[i], (zed_groups){N / 32, 1, 1}, x + i * N, 1));
        for (int i = 0; i < PARTS; i++) CHECK_MSG(zed_wait(&part[i]), "%s", zed_get_error(&part[i])->text);
        CHECK(zed_launch(&spin[PARTS], (zed_groups){PARTS * N / 32, 1, 1}, x, 1));
    }
    for (uint32_t i = 0; x && i < PARTS * N; i++) {
        uint32_t want = i;
        for (int round = 0; round < 20; round++) want = want * 3 + 1;
        wrong += x[i] != want;
    }
    CHECK(x != NULL);
    CHECK_INT(wrong, 0);
    spe_free(&built.m);
}

int main(void)
{
    char number[16];
    snprintf(number, sizeof number, "%d", PARTS);
    setenv("XETILE_SOFT_SUBDEVICES", number, 1);
    snprintf(number, sizeof number, "%d", THREADS);
    setenv("XETILE_SOFT_THREADS", number, 1);
    if (!zed_open(&whole, &(zed_options){.name = "software"})) return zed_print_error(&whole, stdout), 1;
    RUN(three_parts_share_four_threads);
    RUN(parts_say_what_they_are);
    RUN(work_is_dealt_out);
    for (int i = 0; i < PARTS; i++) zed_close(&part[i]);
    zed_close(&whole);
    return test_report();
}
