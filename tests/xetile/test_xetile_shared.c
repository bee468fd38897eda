/* test_xetile_shared.c - pieces that several subgroups share are stored once: the strict checked mode, in child
 * processes, reports a race where two subgroups store to a byte, even the same value. Results are compared with what
 * was stored; local memory, deferred vectors, messages and elements; a control shows that such races are reported. */
#include "xetile_case.h"

#include <sys/wait.h>
#include <unistd.h>

static const xt_map shared[] = {
    {{2, 4}, {8, 32}},  /* a tile of 8 x 32: all eight share it */
    {{4, 2}, {4, 16}},  /* two by two pieces, each of two subgroups */
    {{1, 8}, {8, 16}},  /* two pieces */
    {{8, 1}, {2, 32}},  /* four */
};
enum { MAPS = sizeof shared / sizeof shared[0], ROWS = 8, COLS = 32 };
static int map_number;
static bool computed, local, twice;

static xt_tile whole(XT_CONTEXT, xt_val base, xt_val n)
{
    return XT_INIT_TILE(base, f32, ROWS, COLS, .shape = XT_AT(ROWS, n), .map = shared[map_number]);
}

XT_KERNEL(copies, ptr(f32, A), ptr(f32, C), u32(N))
{
    xt_vec v = XT_LOAD_TILE(whole(XT_SELF, A, N));
    if (computed) v = XT_ADD(XT_MUL(v, 2), 1);
    if (local) {
        xt_tile t = whole(XT_SELF, XT_LOCAL(f32, ROWS * COLS), spe_val_int(COLS));
        XT_STORE_TILE(v, t);
        XT_BARRIER();
        v = XT_LOAD_TILE(t);
    }
    XT_STORE_TILE(v, whole(XT_SELF, C, N));
    if (!twice) return;
    for (int i = 0; i < ROWS; i++) XT_STORE(XT_LOAD(A, i), C, i); /* by each subgroup */
}

/* In a child. */
static int launch(int number)
{
    if (!zed_open(&device, NULL)) return 4;
    map_number = number % MAPS;
    computed = number / MAPS & 1, local = number / MAPS & 2, twice = number / MAPS & 4;
    int n = number & 1 ? COLS : COLS - 3, wrong = 0;
    float *a = (float *)new_matrix(CM_F32, ROWS * COLS), *c = (float *)new_poison(CM_F32, ROWS * COLS);
    if (!RUN_KERNEL(copies, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(c), ZED_ARG(n))) return 3;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < n; j++) {
            float want = a[i * n + j];
            if (computed && !(twice && i * n + j < ROWS)) want = want * 2 + 1;
            wrong += c[i * n + j] != want;
        }
    wrong += !poisoned(CM_F32, c, (size_t)(ROWS * n)) && n < COLS;
    zed_close(&device);
    return wrong ? 2 : 0;
}

static int run_child(const char *program, int number)
{
    int status = 0;
    char text[12];
    snprintf(text, sizeof text, "%d", number);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("XETILE_SOFT_CHECK", "3", 1);
        if (number / MAPS & 4) freopen("/dev/null", "w", stderr); /* the control's reports */
        execl(program, program, text, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *program_name;

TEST(shared_pieces_are_stored_once)
{
    for (int i = 0; i < MAPS * 4; i++) {
        if (!test_takes(i % MAPS + i / MAPS, 2)) continue;
        int code = run_child(program_name, i);
        CHECK_MSG(code == 0, "map %d%s%s: exit code %d", i % MAPS, i / MAPS & 1 ? ", computed" : "",
                  i / MAPS & 2 ? ", local" : "", code);
    }
}

TEST(stores_by_each_subgroup_are_reported)
{
#if defined(ZE_DISPATCH_VULKAN_)
    SKIP("only the software device reports them");
#endif
    zed_device opened;
    const bool own = zed_open(&opened, NULL) && !strcmp(opened.target.name, "soft");
    zed_close(&opened);
    if (!own) SKIP("only the software device's own version of a kernel reports them");
    CHECK_INT(run_child(program_name, MAPS * 4), 3);
}

/* How a kernel loads what it has stored: not at all, by the tile itself, by one that a loop carries, by one of the same
 * of several matrices, in an operation of the user's. */
typedef enum { NOT, DIRECTLY, CARRIED, OF_SEVERAL, BY_USER, WAYS } way;
static way way_back;

static spe_id first_element(cm_ctx *c, const spe_id *operands, void *user)
{
    (void)user;
    return spe_load(c->module, operands[0], 4);
}

/* Each subgroup stores the piece that all share, and loads it without a barrier. */
XT_KERNEL(reads_back, ptr(f32, A), ptr(f32, C), u32(N))
{
    xt_tile to = whole(XT_SELF, C, N), from = to;
    xt_index at = XT_AT(1, 0, 0), extents = XT_AT(2, ROWS, N);
    if (way_back == OF_SEVERAL) {
        to = XT_INIT_TILE(C, f32, ROWS, COLS, .offset = at, .shape = extents, .map = shared[0]);
        from = XT_INIT_TILE(C, f32, ROWS, COLS, .offset = at, .shape = extents, .map = shared[0]);
    }
    xt_vec v = XT_LOAD_TILE(whole(XT_SELF, A, N));
    if (way_back == NOT || way_back == BY_USER) XT_STORE_TILE(v, to);
    if (way_back == BY_USER) XT_STORE(XT_EMIT(f32, first_element, NULL, XT_AT(C)), A, 0);
    if (way_back == DIRECTLY || way_back == OF_SEVERAL) {
        XT_STORE_TILE(v, to);
        XT_STORE_TILE(XT_LOAD_TILE(from), whole(XT_SELF, A, N));
    }
    if (way_back == CARRIED) {
        XT_FOR (i, 0, 4, 1, &from) {
            XT_STORE_TILE(v, to);
            XT_STORE_TILE(XT_LOAD_TILE(from), whole(XT_SELF, A, N));
            from = XT_UPDATE_TILE_OFFSET(from, 0, 0);
        }
    }
}

/* Branches of a module but for those of loops. */
static int branches(const xt_module *mod)
{
    int n = 0;
    for (size_t i = 5; i < mod->size / 4; i += mod->words[i] >> 16)
        n += (mod->words[i] & 0xffff) == SPE_OpSelectionMerge;
    return n;
}

/* Only the first of several subgroups stores a piece, unless they may load it again before a barrier. */
TEST(what_a_subgroup_loads_again_it_stores_itself)
{
    int count[WAYS];
    for (way_back = NOT; way_back < WAYS; way_back++) {
        map_number = 0;
        xt_module mod = XT_BUILD(reads_back, &(xt_target){.name = "bmg"}, .pitch = XT_PITCH_ALIGNED);
        CHECK(mod.words);
        count[way_back] = branches(&mod);
        xt_free(&mod);
    }
    CHECK_INT(count[NOT], 1);
    for (int i = DIRECTLY; i < WAYS; i++) CHECK_MSG(count[i] == 0, "way %d: %d branches around stores", i, count[i]);
}

int main(int argc, char **argv)
{
    if (argc == 2) return launch(atoi(argv[1]));
    program_name = argv[0];
    RUN(shared_pieces_are_stored_once);
    RUN(stores_by_each_subgroup_are_reported);
    RUN(what_a_subgroup_loads_again_it_stores_itself);
    return test_report();
}
