/* isa.c - the instruction set that kernels are compiled for, and the CPU's tile-matrix unit (Intel AMX). */
#define _GNU_SOURCE
#include "jit.h"

#include "abi.h"
#include "ir/options.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* ---- tiles */

#if defined(__x86_64__)
/* The types that the CPU's tiles multiply, if the kernel grants this process their use. That requires a request: their
 * 8 KiB enlarge signal frames, and the kernel refuses if a thread's alternate signal stack is too small for one. */
static unsigned tiles_of_cpu(void)
{
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    unsigned a, b, c, d, tiles;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & 1u << 24)) return 0;
    tiles = (d & 1u << 22 ? CG_TILES_BF16 : 0) | (d & 1u << 25 ? CG_TILES_I8 : 0);
    if (__get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1u << 21)) tiles |= CG_TILES_F16;
    if (!tiles || syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) != 0) return 0;
    return tiles;
}

/* A library that emulates tile instructions in this process announces it by a function of this name. */
static unsigned tiles_of_emulator(void)
{
    unsigned (*emulator)(void);
    void *symbol = dlsym(RTLD_DEFAULT, "xetile_tile_emulator");
    if (!symbol) return 0;
    memcpy(&emulator, &symbol, sizeof emulator);
    return emulator() & (CG_TILES_BF16 | CG_TILES_I8 | CG_TILES_F16);
}
#else
static unsigned tiles_of_cpu(void) { return 0; }
static unsigned tiles_of_emulator(void) { return 0; }
#endif

static unsigned tiles_here;
static pthread_once_t tiles_once = PTHREAD_ONCE_INIT;

static void find_tiles(void)
{
    tiles_here = tiles_of_cpu();
    if (!tiles_here) tiles_here = tiles_of_emulator();
}

static unsigned tiles(void)
{
    pthread_once(&tiles_once, find_tiles);
    return tiles_here;
}

/* ---- levels */

static bool any_cpu(void) { return true; }
static bool has_tiles(void) { return tiles() != 0; }

static bool has_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static bool has_avx512(void)
{
#if defined(__x86_64__)
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

#if defined(__aarch64__) || defined(__arm__) || defined(__powerpc__)
#define THIS_CPU "-mcpu=native"
#elif defined(__riscv)
#define THIS_CPU NULL /* compilers do not support `native` there, or not yet */
#else
#define THIS_CPU "-march=native"
#endif

/* The compiler asks the CPU what -march=native is, but kernels run in this process, which valgrind or QEMU may show
 * less of it: AVX2 and nothing later. On a CPU that is really so, these flags and -march=native give the same kernels.
 */
static bool shows_only_avx2(void)
{
#if defined(__x86_64__)
    enum { AVX_VNNI = 1 << 4 };
    unsigned a = 0, b, c, d;
    return has_avx2() && !__builtin_cpu_supports("avx512f") &&
           !(__get_cpuid_count(7, 1, &a, &b, &c, &d) && a & AVX_VNNI);
#else
    return false;
#endif
}

/* Compilers never use tiles on their own with -march=native, so `tiles` alone controls them. */
static const struct level {
    const char *name, *flag;
    bool (*here)(void);
    bool all, tiles; /* for all features of this CPU; with tiles */
} levels[] = {
    {"native", THIS_CPU, any_cpu, true, true},
    {"amx", THIS_CPU, has_tiles, true, true},
    {"avx512", THIS_CPU, has_avx512, true, false},
    {"avx2", "-march=x86-64-v3", has_avx2, false, false},
    {"generic", NULL, any_cpu, false, false},
};

static const struct level *find_level(const char **name)
{
    size_t i;
    *name = jit_setting("XETILE_SOFT_ISA");
    if (!*name || !**name) *name = "native";
    for (i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (strcmp(*name, levels[i].name) == 0) return &levels[i];
    return NULL;
}

bool jit_isa_flags(const char *flags[JIT_ISA_FLAGS], struct sp_text *log)
{
    const char *name;
    const struct level *l = find_level(&name);
    flags[0] = l ? l->flag : NULL;
    flags[1] = NULL;
    if (l && l->all && shows_only_avx2()) flags[0] = "-march=x86-64-v3", flags[1] = "-mtune=native";
    if (l && l->here()) return true;
    sp_text_add(log, "XETILE_SOFT_ISA is \"%s\": %s\n", name,
                !l         ? "it can be native, amx, avx512, avx2, generic, tgl, dg1, mtl, arl-h, pvc, bmg, lnl, "
                             "ptl, wcl, nvl, nvl-p or cri"
                : l->tiles ? "this CPU does not have it, or the kernel does not grant it"
                           : "this CPU does not have it");
    return false;
}

static bool has_vectors_of_32_bytes(void)
{
    const char *name;
    const struct level *l = find_level(&name);
    return l && (l->all ? has_avx2() && !has_avx512() : l->here == has_avx2);
}

/* Compilers split vectors twice as wide as the CPU's, and their code for masks then takes ten times as long. */
uint32_t jit_subgroup_size(void) { return has_vectors_of_32_bytes() ? 8 : 16; }

/* AMD's have other units for it; Intel's widen where they multiply. */
bool jit_widens_aside(void)
{
#if defined(__x86_64__)
    return has_vectors_of_32_bytes() && __builtin_cpu_supports("f16c") && __builtin_cpu_is("amd");
#else
    return false;
#endif
}

unsigned jit_tiles(void)
{
    const char *name;
    const struct level *l = find_level(&name);
    return l && l->tiles ? tiles() : 0;
}

void jit_release_thread(struct xs_thread *t)
{
#if defined(__x86_64__)
    if (t->tile_shape) __asm__ volatile(".byte 0xc4, 0xe2, 0x78, 0x49, 0xc0"); /* tilerelease */
#endif
    t->tile_shape = 0;
    t->group = 0;
}

/* ---- a hash of the target of compilation - */

#if defined(__x86_64__) || defined(__i386__)
static void add_cpuid(struct jit_sha256 *h)
{
    static const unsigned leaves[][2] = {{1, 0}, {7, 0}, {7, 1}, {0x80000001u, 0}, {0xd, 0}};
    size_t i;
    for (i = 0; i < sizeof leaves / sizeof leaves[0]; i++) {
        unsigned r[4] = {0, 0, 0, 0};
        __get_cpuid_count(leaves[i][0], leaves[i][1], &r[0], &r[1], &r[2], &r[3]);
        if (leaves[i][0] == 1) {
            r[1] = 0;            /* the current core */
            r[2] &= ~(1u << 27); /* whether the system uses xsave: always the same */
        }
        if (leaves[i][0] == 0xd) r[1] = 0; /* the currently enabled features */
        jit_sha256_add(h, r, sizeof r);
    }
}
#else
static void add_cpuid(struct jit_sha256 *h) { (void)h; }
#endif

void jit_cpu_hash(uint8_t hash[32])
{
    struct jit_sha256 h;
    struct utsname u;
    const char *name;
    unsigned long caps[2];
    const struct level *l = find_level(&name);
    jit_sha256_begin(&h);
    jit_sha256_add(&h, name, strlen(name) + 1);
    if (uname(&u) == 0) jit_sha256_add(&h, u.machine, strlen(u.machine) + 1);
    if (l && l->all) {
        unsigned with = l->tiles ? tiles() : 0;
        add_cpuid(&h);
        caps[0] = getauxval(AT_HWCAP);
        caps[1] = getauxval(AT_HWCAP2);
        jit_sha256_add(&h, caps, sizeof caps);
        jit_sha256_add(&h, &with, sizeof with);
    }
    jit_sha256_end(&h, hash);
}
