/* test_soft_surfaces.c - a broken promise of XT_PITCH_ALIGNED is reported, with both values, by the software device's
 * checked mode where it stands in for a device whose messages demand alignment; a kept one is not. Each case runs in a
 * child process, since the device reads its settings once. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* setenv */
#endif
#include "child.h"
#include "test.h"
#include "xetile.h"
#include "ze_dispatch.h"

#include <stdlib.h>
#include <sys/wait.h>

static const char *program;
static char said[1 << 14]; /* both outputs of the last child */

XT_KERNEL (copy, u64(A), u64(B), u32(N), u32(Pitch), u32(Col))
{
    xt_tile a = XT_INIT_TILE(A, f16, 8, 16, .offset = XT_AT(0, Col), .shape = XT_AT(8, N), .strides = XT_AT(Pitch, 1));
    XT_STORE_TILE(XT_LOAD_TILE(a), XT_INIT_TILE(B, f16, 8, 16, .shape = XT_AT(8, 32)));
}

/* A case, in f16 elements: how far the base is from a multiple of 64 bytes, columns, pitch, first column. */
static const struct {
    int base, n, pitch, col;
    const char *report;
} cases[] = {
    {0, 32, 32, 0, NULL},
    {0, 40, 48, 16, NULL},
    {4, 32, 32, 0, "8 bytes past a multiple of 64"},
    {0, 30, 32, 0, "the width of 60 bytes is less than 64"},
    {0, 33, 40, 0, "the width of 66 bytes is no multiple of 4"},
    {0, 40, 36, 0, "the pitch of 72 bytes is less than the width of 80"},
    {0, 32, 36, 0, "the pitch of 72 bytes is no multiple of 16"},
    {0, 32, 32, 3, "column 3 begins 2 bytes past a multiple of 4"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* In a child. 0: the launch succeeds; 3: it fails. */
static int launch(int i)
{
    zed_device d;
    zed_kernel k;
    NEED(zed_open(&d, NULL));
    uint16_t *a = (uint16_t *)zed_alloc(&d, ZED_SHARED, 4096, 0), *b = (uint16_t *)zed_alloc(&d, ZED_SHARED, 1024, 0);
    for (int j = 0; j < 2048; j++) a[j] = (uint16_t)(j * 7 + 1);
    xt_module mod = XT_BUILD(copy, &(xt_target){ZED_TARGET(&d)}, .pitch = XT_PITCH_ALIGNED);
    NEED(mod.words && ZED_LOAD(&k, &d, mod));
    a += cases[i].base;
    zed_launch(&k, (zed_groups){1, 1, 1}, (uint64_t)(uintptr_t)a, (uint64_t)(uintptr_t)b, cases[i].n, cases[i].pitch,
               cases[i].col);
    if (zed_get_error(&d)->id) return 3;
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 16; c++)
            NEED(b[r * 32 + c] == (cases[i].col + c < cases[i].n ? a[r * cases[i].pitch + cases[i].col + c] : 0));
    return 0;
}

static int run(int i, const char *device, const char *level)
{
    int status = 0, pipes[2];
    size_t n = 0;
    ssize_t got;
    char number[12];
    snprintf(number, sizeof number, "%d", i);
    if (pipe(pipes) != 0) return -1000;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("XETILE_SOFT_CHECK", level, 1);
        unsetenv("XETILE_SOFT_DEVICE");
        if (*device) setenv("XETILE_SOFT_DEVICE", device, 1);
        dup2(pipes[1], 1);
        dup2(pipes[1], 2);
        execl(program, program, number, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    while (n < sizeof said - 1 && (got = read(pipes[0], said + n, sizeof said - 1 - n)) > 0) n += (size_t)got;
    said[n] = 0;
    close(pipes[0]);
    if (child < 0 || waitpid(child, &status, 0) != child) return -1000;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(broken_promises_are_reported)
{
    static const char *const devices[] = {"bmg", "pvc", "lnl", "ptl"};
    for (int i = 0; i < CASES; i++)
        for (int d = 0; d < 4; d++) {
            if (!test_takes(i + d, 4)) continue;
            bool fine = !cases[i].report;
            int code = run(i, devices[d], d % 2 ? "2" : "1");
            CHECK_MSG(code == (d % 2 && !fine ? 3 : 0), "case %d as %s: exit code %d: %s", i, devices[d], code, said);
            CHECK_MSG(fine ? !strstr(said, "check:") : strstr(said, cases[i].report) != NULL, "case %d as %s: \"%s\"",
                      i, devices[d], said);
            if (!fine) CHECK_HAS(said, devices[d]);
        }
}

TEST(the_device_itself_takes_any_surface)
{
    for (int i = 0; i < CASES; i++) {
        int code = run(i, "", "2");
        CHECK_MSG(code == 0 && !strstr(said, "check:"), "case %d: exit code %d: %s", i, code, said);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2) return launch(atoi(argv[1]));
    program = argv[0];
    RUN(broken_promises_are_reported);
    RUN(the_device_itself_takes_any_surface);
    return test_report();
}
