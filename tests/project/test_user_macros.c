/* A program with macros: it includes every header of C and POSIX first, defines every letter, and then builds kernels
 * with type names that are macros of its own.
 */
#undef XETILE_DECLARATIONS
#define _GNU_SOURCE

#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <iso646.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <tgmath.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <langinfo.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <semaphore.h>
#include <strings.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#if __has_include(<threads.h>)
#include <threads.h>
#endif
#if __has_include(<uchar.h>)
#include <uchar.h>
#endif
#if __has_include(<stdatomic.h>)
#include <stdatomic.h>
#endif
#if __has_include(<aio.h>)
#include <aio.h>
#endif
#if __has_include(<cpio.h>)
#include <cpio.h>
#endif
#if __has_include(<fmtmsg.h>)
#include <fmtmsg.h>
#endif
#if __has_include(<iconv.h>)
#include <iconv.h>
#endif
#if __has_include(<libgen.h>)
#include <libgen.h>
#endif
#if __has_include(<monetary.h>)
#include <monetary.h>
#endif
#if __has_include(<mqueue.h>)
#include <mqueue.h>
#endif
#if __has_include(<ndbm.h>)
#include <ndbm.h>
#endif
#if __has_include(<nl_types.h>)
#include <nl_types.h>
#endif
#if __has_include(<search.h>)
#include <search.h>
#endif
#if __has_include(<spawn.h>)
#include <spawn.h>
#endif
#if __has_include(<syslog.h>)
#include <syslog.h>
#endif
#if __has_include(<tar.h>)
#include <tar.h>
#endif
#if __has_include(<ulimit.h>)
#include <ulimit.h>
#endif
#if __has_include(<utime.h>)
#include <utime.h>
#endif
#if __has_include(<utmpx.h>)
#include <utmpx.h>
#endif
#if __has_include(<wordexp.h>)
#include <wordexp.h>
#endif
#if __has_include(<sys/statvfs.h>)
#include <sys/statvfs.h>
#endif
#if __has_include(<netinet/tcp.h>)
#include <netinet/tcp.h>
#endif

#include "test.h"

#undef I /* from <complex.h>, which must not conflict */
#define A this is no identifier
#define B this is no identifier
#define C this is no identifier
#define D this is no identifier
#define E this is no identifier
#define F this is no identifier
#define G this is no identifier
#define H this is no identifier
#define I this is no identifier
#define J this is no identifier
#define K this is no identifier
#define L this is no identifier
#define M this is no identifier
#define N this is no identifier
#define O this is no identifier
#define P this is no identifier
#define Q this is no identifier
#define R this is no identifier
#define S this is no identifier
#define T this is no identifier
#define U this is no identifier
#define V this is no identifier
#define W this is no identifier
#define X this is no identifier
#define Y this is no identifier
#define Z this is no identifier
#define a this is no identifier
#define b this is no identifier
#define c this is no identifier
#define d this is no identifier
#define e this is no identifier
#define f this is no identifier
#define g this is no identifier
#define h this is no identifier
#define i this is no identifier
#define j this is no identifier
#define k this is no identifier
#define l this is no identifier
#define m this is no identifier
#define n this is no identifier
#define o this is no identifier
#define p this is no identifier
#define q this is no identifier
#define r this is no identifier
#define s this is no identifier
#define t this is no identifier
#define u this is no identifier
#define v this is no identifier
#define w this is no identifier
#define x this is no identifier
#define y this is no identifier
#define z this is no identifier

#include "coopvec.h"
#include "xetile.h"
#include "ze_dispatch.h"

#define HALF f16
#define ACC f32
#define WEIGHTS e4m3

static xt_vec doubled(XT_CONTEXT, xt_vec vec)
{
    return XT_ADD(vec, vec);
}

XT_KERNEL (tiles, ptr(HALF, from), ptr(HALF, to), ptr(ACC, sums), u32(rows), u32(cols))
{
    const xt_map map = XT_MAP(.sg_layout = {2, 1}, .sg_data = {16, 32});
    xt_val down = XT_MUL(XT_GROUP_ID(0), 32);
    xt_tile in = XT_INIT_TILE(from, HALF, 32, 32, .offset = XT_AT(down, 0), .shape = XT_AT(rows, cols), .map = map);
    xt_tile out = XT_INIT_TILE(to, of(to), 32, 32, .offset = XT_AT(down, 0), .shape = XT_AT(rows, cols), .map = map);
    xt_tile into = XT_INIT_TILE(sums, ACC, 32, 1, .shape = XT_AT(32, 1),
                                .map = XT_MAP(.sg_layout = {2, 1}, .sg_data = {16, 1}));
    xt_val local = XT_LOCAL(ACC, 64);
    xt_vec total = XT_SPLAT(ACC, 32, 32, 0, .map = map), vec = XT_LOAD_TILE(in), product;
    xt_vec square = XT_CONVERT_LAYOUT(vec, .map = XT_MAP(.sg_layout = {2, 1}, .sg_data = {32, 32}));
    XT_PREFETCH_TILE(in, .locality = 1);
    product = XT_TILE_MMA(vec, square, XT_SPLAT(ACC, 32, 32, 1, .map = map));
    XT_FOR (step, 0, cols, 32, &total, &in) {
        total = XT_ADD(total, XT_CAST(ACC, doubled(XT_SELF, XT_LOAD_TILE(in))));
        in = XT_UPDATE_TILE_OFFSET(in, 0, 32);
        (void)step;
    }
    XT_IF (XT_GT(cols, 32), &total) total = XT_MAX(XT_FMA(total, 2, product), XT_EXP(total));
    XT_ELSE total = XT_SELECT(XT_LT(total, 0), XT_NEG(total), total);
    total = XT_ADD(total, XT_CAST(ACC, XT_IOTA(i32, 32, 32, 1, .map = map)));
    XT_ATOMIC_RMW(addf, XT_REDUCTION(add, total, 1), into);
    XT_STORE_TILE(XT_CAST(HALF, XT_TRANSPOSE(XT_TRANSPOSE(total))), out);
    XT_BARRIER();
    (void)local;
}

XT_KERNEL (other_tiles, ptr(ACC, data), ptr(i32, where))
{
    xt_tile tile = XT_INIT_TILE(data, ACC, 16, 32, .shape = XT_AT(16, 32)), moved;
    xt_vec vec = XT_LOAD_TILE(tile), part = XT_SLICE(vec, 0, 0, 16, 16);
    xt_vec wide = XT_BROADCAST(part, 1, 32, .broadcast_size = 2);
    xt_vec at = XT_LOAD_TILE(XT_INIT_TILE(where, i32, 16, 32, .shape = XT_AT(16, 32)));
    moved = XT_INIT_TILE(data, ACC, 16, 32, .scatter = at, .shape = XT_AT(512));
    vec = XT_TILE_UNPACK(XT_TILE_PACK(vec, .inner_blocks = {8, 16}), .inner_blocks = {8, 16});
    vec = XT_ADD(XT_LOAD_GATHER(moved, .padding = 1), XT_BITCAST(ACC, XT_BITCAST(i32, vec)));
    XT_STORE_SCATTER(XT_SUB(vec, wide), moved);
}

CV_KERNEL (vectors, ptr(HALF, weights), ptr(HALF, in), ptr(ACC, out))
{
    cv_val item = CV_GLOBAL_ID();
    cv_vec input = CV_LOAD(in, 64, CV_MUL(item, 64)), hidden;
    cv_matrix_ref first = CV_MATRIX_REF(weights, HALF, 64, 64, .layout = CV_MUL_OPTIMAL);
    cv_matrix_ref last = CV_MATRIX_REF(weights, WEIGHTS, 3, 64, .layout = CV_MUL_OPTIMAL, .offset = CV_AT(8192));
    hidden = CV_RELU(CV_MATVEC_MUL(HALF, first, input));
    CV_FOR (step, 0, 4, 1, &hidden) {
        hidden = CV_FMA(hidden, CV_SPLAT(HALF, 64, 0.5), CV_CLAMP(hidden, 0, 1));
        (void)step;
    }
    CV_IF (CV_GT(item, 7), &hidden) hidden = CV_LEAKY_RELU(hidden, 0.1);
    CV_ELSE hidden = CV_CONCAT(CV_SLICE(hidden, 0, 32), CV_SLICE(hidden, 32, 32));
    hidden = CV_SET_ELEMENT(hidden, 0, CV_ELEMENT(hidden, 1));
    CV_STORE(CV_CAST(ACC, CV_MUL_ADD(HALF, last, CV_INTERPRET(hidden, WEIGHTS),
                                     CV_VECTOR_REF(weights, HALF, .offset = CV_AT(9216)))), out, CV_MUL(item, 3));
}

TEST(kernels_are_written)
{
    const xt_kernel *kernels[] = {&tiles, &other_tiles};
    for (int number = 0; number < 2; number++) {
        xt_module mod = xt_build(&(xt_build_desc){.kernel = kernels[number], .target = &(xt_target){.name = "bmg"}});
        CHECK_MSG(mod.words != NULL, "%s:%d: %s", mod.error->file, mod.error->line, mod.error->text);
        xt_free(&mod);
    }
    cv_module net = CV_BUILD(vectors, &(cv_target){.name = "bmg"});
    CHECK_MSG(net.words != NULL, "%s:%d: %s", net.error->file, net.error->line, net.error->text);
    cv_free(&net);
}

/* Members and calls work, whatever the letters are. */
TEST(members)
{
    cm_layout layout;
    zed_groups groups = {3, 2, 1};
    zed_kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    CHECK_INT(cm_layout_init(&layout, 8, 16, CM_F16, CM_ACC, 16), 0);
    CHECK_INT(layout.lanes, 16);
    CHECK_INT(layout.size_v, 8);
    CHECK_INT(CM_V(8, 16, CM_F16, CM_ACC, 16), 8);
    CHECK_INT(cm_unlinear(&layout, 9).at_i, 1);
    CHECK_INT(groups.count_x, 3);
    CHECK(!zed_launch(&kernel, groups, 1, 2.0f)); /* it was never loaded */
}

int main(void)
{
    RUN(kernels_are_written);
    RUN(members);
    return test_report();
}
