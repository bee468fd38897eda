/* Devices and their rows in the table of targets, on a mock Level Zero: recognised by IP version, id or name, or the
 * nearest older one. Where Intel's compiler is installed, every device that it knows is compared: by its IP version, by
 * its id and by the compiler's own names for it. */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "pretend_ze.h"

#include "coopmatrix.h"
#include "ze_dispatch.h"

#define IP(architecture, release, revision) ((uint32_t)(architecture) << 22 | (release) << 14 | (revision))
enum { DISCRETE = 0, INTEGRATED = ZE_DEVICE_PROPERTY_FLAG_INTEGRATED };

static zed_device d;

static void open_device(const struct pretend_device *device)
{
    unsetenv("XETILE_DEVICE");
    unsetenv("XETILE_SOFT");
    setenv("ZE_ENABLE_ALT_DRIVERS", "the user's", 1);
    pretend_reset(device, 1);
    CHECK(zed_open(&d, NULL));
}

struct seen {
    const char *name;
    uint32_t vendor, id, flags, ip;
    bool dpas, blocks;
    const char *target, *how;
};

static void recognises(const struct seen *s)
{
    const struct pretend_device device = {s->name, ZE_DEVICE_TYPE_GPU, s->vendor, s->id, s->flags, 0,
                                          {s->ip, s->dpas, s->blocks}};
    const cm_target *row = cm_target_row(s->target);
    zed_info info;
    open_device(&device);
    CHECK_MSG(!strcmp(d.target.name, s->target), "%s 0x%04x: %s, want %s", s->name, s->id, d.target.name, s->target);
    CHECK_HAS(zed_target_log(&d), s->how);
    CHECK_INT(d.target.guessed, strstr(zed_target_log(&d), ", by its ") == NULL);
    CHECK(row && d.target.dpas == (row->dpas_sizes != 0) && d.target.block2d == (row->block2d_sizes != 0));
    CHECK_INT(d.target.subgroup_sizes, 16 | 32);
    CHECK_INT(d.target.local_memory, 4096);
    CHECK_INT(d.target.max_group_size, 256);
    CHECK(d.target.fp16 && !d.target.fp64);
    CHECK_INT(zed_list(&info, 1, NULL), 1);
    CHECK_STR(info.target, s->target);
    zed_close(&d);
}

TEST(known_devices)
{
    static const struct seen all[] = {
        {"Intel(R) Data Center GPU Max 1550", 0x8086, 0x0bd5, DISCRETE, 0, 0, 0, "pvc", "pvc, by its id 0x0bd5"},
        {"Intel(R) Data Center GPU Max 1450", 0x8086, 0x0b69, DISCRETE, 0, 0, 0, "pvc", "id 0x0b69"},
        {"Intel(R) Arc(TM) B570 Graphics", 0x8086, 0xe20c, DISCRETE, 0, 0, 0, "bmg", "id"},
        {"Intel(R) Graphics", 0x8086, 0xe223, DISCRETE, 0, 0, 0, "bmg", "id"},
        {"Intel(R) Graphics", 0x8086, 0x6420, INTEGRATED, 0, 0, 0, "lnl", "id"},
        {"Intel(R) Arc(TM) B390 GPU", 0x8086, 0xb080, INTEGRATED, 0, 0, 0, "ptl", "id"},
        {"Intel(R) Graphics", 0x8086, 0xfd80, INTEGRATED, 0, 0, 0, "wcl", "id"}, /* Wildcat Lake is not Panther Lake */
        {"Intel(R) Graphics", 0x8086, 0xd740, INTEGRATED, 0, 0, 0, "nvl", "id"},
        {"Intel(R) Graphics", 0x8086, 0xd750, INTEGRATED, 0, 0, 0, "nvl-p", "id"},
        {"Intel(R) Graphics", 0x8086, 0x674c, DISCRETE, 0, 0, 0, "cri", "id"},
        {"Intel(R) Arc(TM) A770 Graphics", 0x8086, 0x56a0, DISCRETE, 0, 0, 0, "dg2", "id"},
        {"Intel(R) UHD Graphics 770", 0x8086, 0x4680, INTEGRATED, 0, 0, 0, "tgl", "id"},
        {"Intel(R) Iris(R) Xe Graphics", 0x8086, 0xa7a0, INTEGRATED, 0, 0, 0, "tgl", "id"},
        {"Intel(R) Iris(R) Xe MAX Graphics", 0x8086, 0x4905, DISCRETE, 0, 0, 0, "dg1", "id"},
        {"Intel(R) Arc(TM) Graphics", 0x8086, 0x7d55, INTEGRATED, 0, 0, 0, "mtl", "id"},
        {"Intel(R) Arc(TM) Graphics", 0x8086, 0x7d51, INTEGRATED, 0, 0, 0, "arl-h", "id"},
        /* the IP version goes before the id, and the id before the name */
        {"Intel(R) Arc(TM) B580", 0x8086, 0x56a0, DISCRETE, IP(20, 4, 4), 1, 1, "lnl", "lnl, by its IP version 20.4.4"},
        {"Intel(R) Arc(TM) B580", 0x8086, 0x56a0, DISCRETE, 0, 1, 1, "dg2", "dg2, by its id 0x56a0"},
        {"Intel(R) Arc(TM) B590 Graphics", 0x8086, 0xeeee, DISCRETE, 0, 0, 0, "bmg", "bmg, by its name"},
        {"xetile software device (avx512)", 0x8086, 0xe20b, DISCRETE, 0, 0, 0, "soft", "soft, by its name"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) recognises(&all[i]);
}

/* The nearest older one of the same kind, whose instructions the driver has. */
TEST(unknown_devices)
{
    static const struct seen all[] = {
        {"Intel(R) Graphics", 0x8086, 0xeee0, INTEGRATED, IP(40, 0, 0), 1, 1, "nvl-p", "version 40.0.0 is unknown"},
        {"Intel(R) Graphics", 0x8086, 0xeee0, DISCRETE, IP(40, 0, 0), 1, 1, "cri", "nearest older one"},
        {"Intel(R) Graphics", 0x8086, 0xeee0, INTEGRATED, IP(30, 9, 1), 1, 1, "nvl", "0xeee0, IP version 30.9.1"},
        {"Intel(R) Graphics", 0x8086, 0xeee0, DISCRETE, IP(30, 9, 1), 1, 1, "bmg", "unknown"},
        {"Intel(R) Graphics", 0x8086, 0xeee0, INTEGRATED, IP(40, 0, 0), 0, 0, "arl-h", "unknown"}, /* it says: none */
        {"Intel(R) Graphics", 0x8086, 0xeee0, DISCRETE, IP(40, 0, 0), 1, 0, "dg2", "unknown"},
        {"Intel(R) Graphics", 0x8086, 0xeee0, DISCRETE, IP(12, 5, 0), 0, 0, "generic", "unknown; its kernels"},
        {"Intel(R) Graphics", 0x8086, 0xeee0, INTEGRATED, IP(11, 0, 0), 0, 0, "generic", "unknown"},
        {"Intel(R) Graphics", 0x8086, 0xeee0, INTEGRATED, 0, 0, 0, "generic", "device 0xeee0 is unknown"},
        {"Intel(R) Arc(TM) B580 Graphics", 0x1002, 0xe20b, DISCRETE, IP(20, 1, 0), 1, 1, "generic", "vendor 0x1002"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) recognises(&all[i]);
}

TEST(names_of_rows)
{
    static const char *const names[][2] = {
        {"tgl", "tgl"},     {"rkl", "tgl"},    {"adl", "tgl"},     {"adl-p", "tgl"},   {"rpl-s", "tgl"},
        {"mtl-h", "mtl"},   {"arl-u", "mtl"},  {"arl-h", "arl-h"}, {"acm-g12", "dg2"}, {"lnl-m", "lnl"},
        {"bmg-g31", "bmg"}, {"nvl-u", "nvl"},  {"nvl-p", "nvl-p"}, {"ptl-h", "ptl"},
    };
    static const char *const none[] = {"", "-", "tg", "tgl2", "xyz-p", "soft-p", "vulkan-x", "generic-2", "Tgl"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const cm_target *row = cm_target_row(names[i][0]);
        CHECK_MSG(row && !strcmp(row->name, names[i][1]), "%s: %s", names[i][0], row ? row->name : "none");
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) CHECK_MSG(!cm_target_row(none[i]), "\"%s\"", none[i]);
    CHECK(!cm_target_row(NULL));
}

/* What Intel's compiler says of all its devices, as text; NULL without it. */
static FILE *ask_compiler(void)
{
    const char *offline = getenv("XE_OFFLINE");
    char command[1024];
    snprintf(command, sizeof command,
             "%s%s sh -c 'cd $(mktemp -d) && ocloc query SUPPORTED_DEVICES -concat >/dev/null && cat *.yaml && "
             "rm -r \"$PWD\"' 2>/dev/null",
             offline && *offline ? offline : "env", offline && *offline ? " run" : "");
    return popen(command, "r");
}

static const char *row_of(uint32_t ip, uint32_t id, char *name, size_t size)
{
    const struct pretend_device device = {"Intel(R) Graphics", ZE_DEVICE_TYPE_GPU, 0x8086, id, 0, 0,
                                          {ip, true, true}};
    open_device(&device);
    snprintf(name, size, "%s%s", d.target.name, d.target.guessed ? "?" : "");
    zed_close(&d);
    return name;
}

TEST(as_intels_compiler_says)
{
    char line[256], name[64], by_ip[64], by_id[64];
    unsigned ip = 0, id;
    int devices = 0, names = 0;
    FILE *said = ask_compiler();
    while (said && fgets(line, sizeof line, said)) {
        if (sscanf(line, " - ip: %x", &ip) == 1) continue;
        if (sscanf(line, " device_id: %x", &id) == 1) {
            devices++;
            row_of(ip, 0xeee0, by_ip, sizeof by_ip);
            row_of(0, id, by_id, sizeof by_id);
            CHECK_MSG(!strcmp(by_ip, by_id), "0x%04x, IP 0x%x: %s by IP, %s by id", id, ip, by_ip, by_id);
        } else if (sscanf(line, " %63[a-z0-9-]: 0x%x", name, &ip) == 2) { /* acronym */
            const cm_target *row = cm_target_row(name);
            names++;
            row_of(ip, 0xeee0, by_ip, sizeof by_ip);
            CHECK_MSG(row && !strcmp(row->name, by_ip), "%s: %s by name, %s by IP", name, row ? row->name : "none",
                      by_ip);
        }
    }
    if (said) pclose(said);
    if (!devices) SKIP("no ocloc here (Debian: intel-ocloc)");
    CHECK_MSG(devices > 150 && names > 30, "%d devices, %d names", devices, names);
}

int main(void)
{
    RUN(known_devices);
    RUN(unknown_devices);
    RUN(names_of_rows);
    RUN(as_intels_compiler_says);
    return test_report();
}
