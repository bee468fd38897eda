/* amx_emulator.c - Intel's tile instructions (AMX) in software, so that code that uses them can be tested on any
 * x86-64.
 *
 *     cc -O2 -shared -fPIC -o amx_emulator.so amx_emulator.c -lm
 *     LD_PRELOAD=./amx_emulator.so AMX_EMULATOR_COUNT=1 XETILE_SOFT_ISA=amx ./program
 *
 * A SIGILL handler executes each instruction according to Intel's manual (volume 2, "Operation" and the exception
 * classes AMX-E1 to E6): ldtilecfg, sttilecfg, tilerelease, tilezero, tileloadd, tileloaddt1, tilestored, tdpbf16ps,
 * tdpfp16ps, tdpbssd, tdpbsud, tdpbusd, tdpbuud. A violation of the manual's rules prints a message and raises the
 * signal of the processor's exception. The software device detects the emulator by the function xetile_tile_emulator.
 *
 * AMX_EMULATOR_TYPES: sum of the supported products (1 bf16, 2 int8, 4 fp16; default 7). AMX_EMULATOR_COUNT: if set,
 * prints the number of executed instructions at exit.
 */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { TILES = 8, MAX_ROWS = 16, MAX_BYTES = 64, BF16 = 1, INT8 = 2, FP16 = 4 };

typedef struct {
    uint8_t palette, start_row, rows[TILES];
    uint16_t bytes[TILES]; /* of a row */
    uint8_t data[TILES][MAX_ROWS][MAX_BYTES];
} tile_state;
static __thread tile_state tiles __attribute__((tls_model("initial-exec")));

/* The instruction that caused it. */
enum { LOADCFG, STORECFG, RELEASE, ZERO, LOAD, LOADT1, STORE, DPBF16, DPFP16, DPSS, DPSU, DPUS, DPUU, INSTRUCTIONS };
static const char *const names[INSTRUCTIONS] = {"ldtilecfg",  "sttilecfg", "tilerelease", "tilezero", "tileloadd",
                                                "tileloaddt1", "tilestored", "tdpbf16ps",  "tdpfp16ps", "tdpbssd",
                                                "tdpbsud",    "tdpbusd",   "tdpbuud"};
static unsigned long counts[INSTRUCTIONS];

/* ---- faults */

/* In a signal handler: no stdio. The program ends by `signal`. */
static void fault(int signal_number, int instruction, const char *why)
{
    static const char head[] = "amx_emulator: ";
    const char *parts[] = {head, names[instruction], ": ", why, "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (write(2, parts[i], strlen(parts[i])) < 0) break;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    _exit(127);
}

static void require(bool good, int instruction, const char *why)
{
    if (!good) fault(SIGILL, instruction, why); /* #UD */
}

/* ---- what the instructions do */

static void clear_state(void) { memset(&tiles, 0, sizeof tiles); }

static bool all_zero(const uint8_t *p, int from, int to)
{
    for (int i = from; i < to; i++)
        if (p[i]) return false;
    return true;
}

/* #GP as the kernel reports it. */
static void require_config(bool good, const char *why)
{
    if (!good) fault(SIGSEGV, LOADCFG, why);
}

static void load_config(const uint8_t *p)
{
    if (p[0] == 0) {
        clear_state();
        return;
    }
    require_config(p[0] == 1, "there is no such palette");
    require_config(all_zero(p, 2, 16) && all_zero(p, 32, 48) && all_zero(p, 56, 64), "reserved bytes are not 0");
    for (int t = 0; t < TILES; t++) {
        unsigned bytes = p[16 + 2 * t] | (unsigned)p[17 + 2 * t] << 8, rows = p[48 + t];
        require_config(bytes <= MAX_BYTES && rows <= MAX_ROWS, "a tile is too large");
        require_config((bytes == 0) == (rows == 0), "a tile has rows and no columns, or the other way round");
    }
    clear_state();
    tiles.palette = p[0];
    tiles.start_row = p[1];
    for (int t = 0; t < TILES; t++) {
        tiles.bytes[t] = (uint16_t)(p[16 + 2 * t] | p[17 + 2 * t] << 8);
        tiles.rows[t] = p[48 + t];
    }
}

static void store_config(uint8_t *p)
{
    memset(p, 0, 64);
    if (!tiles.palette) return;
    p[0] = tiles.palette;
    p[1] = tiles.start_row;
    memcpy(p + 16, tiles.bytes, sizeof tiles.bytes);
    memcpy(p + 48, tiles.rows, sizeof tiles.rows);
}

static void require_tile(int instruction, int t)
{
    require(tiles.palette != 0, instruction, "tiles are not configured");
    require(tiles.rows[t] != 0, instruction, "the tile is not configured");
}

static void load(int instruction, int t, uint64_t base, uint64_t stride)
{
    require_tile(instruction, t);
    require(tiles.start_row < tiles.rows[t], instruction, "start_row is past the tile");
    memset(tiles.data[t][tiles.start_row], 0, (size_t)(MAX_ROWS - tiles.start_row) * MAX_BYTES);
    for (int r = tiles.start_row; r < tiles.rows[t]; r++)
        memcpy(tiles.data[t][r], (const void *)(uintptr_t)(base + (uint64_t)r * stride), tiles.bytes[t]);
    tiles.start_row = 0;
}

static void store(int t, uint64_t base, uint64_t stride)
{
    require_tile(STORE, t);
    require(tiles.start_row < tiles.rows[t], STORE, "start_row is past the tile");
    for (int r = tiles.start_row; r < tiles.rows[t]; r++)
        memcpy((void *)(uintptr_t)(base + (uint64_t)r * stride), tiles.data[t][r], tiles.bytes[t]);
    tiles.start_row = 0;
}

static float bits_to_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Denormals are zeros, as inputs and as results. */
static float flush(float x) { return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x; }

static float half_to_float(uint16_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    float magnitude = exponent == 31 ? (mantissa ? NAN : INFINITY)
                      : exponent     ? ldexpf((float)(1024 + mantissa), exponent - 25)
                                     : ldexpf((float)mantissa, -24);
    return h >> 15 ? -magnitude : magnitude;
}

static float element(int instruction, const uint8_t *row, int at)
{
    uint16_t bits;
    memcpy(&bits, row + 2 * at, sizeof bits);
    return instruction == DPFP16 ? half_to_float(bits) : flush(bits_to_float((uint32_t)bits << 16));
}

/* Sums of even and of odd k are separate, then added, then added to the old value. */
static void multiply_floats(int instruction, int d, int a, int b)
{
    for (int m = 0; m < tiles.rows[d]; m++) {
        for (int n = 0; n < tiles.bytes[d] / 4; n++) {
            float sums[2] = {0, 0}, before;
            for (int k = 0; k < tiles.bytes[a] / 2; k++)
                sums[k % 2] = flush(fmaf(element(instruction, tiles.data[a][m], k),
                                         element(instruction, tiles.data[b][k / 2], 2 * n + k % 2), sums[k % 2]));
            memcpy(&before, tiles.data[d][m] + 4 * n, sizeof before);
            before = flush(flush(before) + flush(sums[0] + sums[1]));
            memcpy(tiles.data[d][m] + 4 * n, &before, sizeof before);
        }
    }
}

static void multiply_integers(int instruction, int d, int a, int b)
{
    bool a_signed = instruction == DPSS || instruction == DPSU, b_signed = instruction == DPSS || instruction == DPUS;
    for (int m = 0; m < tiles.rows[d]; m++) {
        for (int n = 0; n < tiles.bytes[d] / 4; n++) {
            uint32_t sum;
            memcpy(&sum, tiles.data[d][m] + 4 * n, sizeof sum);
            for (int k = 0; k < tiles.bytes[a]; k++) {
                int x = tiles.data[a][m][k], y = tiles.data[b][k / 4][4 * n + k % 4];
                if (a_signed && x > 127) x -= 256;
                if (b_signed && y > 127) y -= 256;
                sum += (uint32_t)(x * y);
            }
            memcpy(tiles.data[d][m] + 4 * n, &sum, sizeof sum);
        }
    }
}

static void multiply(int instruction, int d, int a, int b)
{
    require(d != a && d != b && a != b, instruction, "a tile is named twice");
    require_tile(instruction, d);
    require_tile(instruction, a);
    require_tile(instruction, b);
    require(tiles.bytes[d] % 4 == 0 && tiles.bytes[a] % 4 == 0 && tiles.bytes[b] % 4 == 0, instruction,
            "a row is not a whole number of 4 bytes");
    require(tiles.rows[d] == tiles.rows[a], instruction, "the sums have not as many rows as A");
    require(tiles.bytes[d] == tiles.bytes[b], instruction, "the sums have not as many columns as B");
    require(tiles.bytes[a] / 4 == tiles.rows[b], instruction, "A has not as many columns as B has rows");
    if (instruction == DPBF16 || instruction == DPFP16) multiply_floats(instruction, d, a, b);
    else multiply_integers(instruction, d, a, b);
    tiles.start_row = 0;
}

/* ---- decoding */

typedef struct {
    int instruction, reg, rm, vvvv;
    bool memory, has_sib;
    uint64_t base, index; /* base with displacement; index times scale */
    size_t length;
} decoded;

static uint64_t reg64(const ucontext_t *c, int number)
{
    static const int where[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return (uint64_t)c->uc_mcontext.gregs[where[number]];
}

/* The memory operand; p points to its ModRM byte. */
static void decode_memory(const ucontext_t *c, const uint8_t *p, uint8_t vex1, decoded *d)
{
    int mod = p[0] >> 6, rm = p[0] & 7, high_b = vex1 & 0x20 ? 0 : 8, high_x = vex1 & 0x40 ? 0 : 8;
    size_t at = 1, size = mod == 1 ? 1 : mod == 2 ? 4 : 0;
    bool relative = mod == 0 && rm == 5, no_base = false;
    int32_t displacement = 0;
    if (rm == 4) {
        int sib = p[at++], index = (sib >> 3 & 7) | high_x;
        d->has_sib = true;
        no_base = mod == 0 && (sib & 7) == 5;
        rm = sib & 7;
        if (index != 4) d->index = reg64(c, index) << (sib >> 6);
    }
    if (relative || no_base) size = 4;
    if (size == 1) displacement = (int8_t)p[at];
    if (size == 4) memcpy(&displacement, p + at, 4);
    at += size;
    d->length = 4 + at;
    d->base = (uint64_t)(int64_t)displacement;
    if (relative) d->base += (uint64_t)c->uc_mcontext.gregs[REG_RIP] + d->length;
    else if (!no_base) d->base += reg64(c, rm | high_b);
}

/* By opcode, prefix (0 none, 1 66, 2 F3, 3 F2) and whether the operand is in memory; -1: no tile instruction. */
static int instruction_of(int opcode, int prefix, bool memory)
{
    static const struct {
        uint8_t opcode, prefix, memory, instruction;
    } table[] = {
        {0x49, 0, 1, LOADCFG}, {0x49, 1, 1, STORECFG}, {0x49, 0, 0, RELEASE}, {0x49, 3, 0, ZERO},   {0x4b, 3, 1, LOAD},
        {0x4b, 1, 1, LOADT1},  {0x4b, 2, 1, STORE},    {0x5c, 2, 0, DPBF16},  {0x5c, 3, 0, DPFP16}, {0x5e, 3, 0, DPSS},
        {0x5e, 2, 0, DPSU},    {0x5e, 1, 0, DPUS},     {0x5e, 0, 0, DPUU},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].opcode == opcode && table[i].prefix == prefix && table[i].memory == memory)
            return table[i].instruction;
    return -1;
}

static bool decode(const ucontext_t *c, decoded *d)
{
    const uint8_t *p = (const uint8_t *)(uintptr_t)c->uc_mcontext.gregs[REG_RIP];
    memset(d, 0, sizeof *d);
    if (p[0] != 0xc4 || (p[1] & 0x1f) != 2 || (p[2] & 0x84) != 0) return false; /* VEX.128.0F38.W0 */
    d->memory = p[4] >> 6 != 3;
    d->instruction = instruction_of(p[3], p[2] & 3, d->memory);
    d->reg = (p[4] >> 3 & 7) | (p[1] & 0x80 ? 0 : 8);
    d->rm = (p[4] & 7) | (p[1] & 0x20 ? 0 : 8);
    d->vvvv = 15 - (p[2] >> 3 & 15);
    d->length = 5;
    if (d->memory) decode_memory(c, p + 4, p[1], d);
    return d->instruction >= 0;
}

static void require_fields(const decoded *d)
{
    int i = d->instruction;
    bool config = i == LOADCFG || i == STORECFG || i == RELEASE, product = i >= DPBF16;
    require(!config || d->reg == 0, i, "reserved encoding");
    require((i != RELEASE && i != ZERO) || d->rm == 0, i, "reserved encoding");
    require(product || d->vvvv == 0, i, "VEX.vvvv is in use");
    require(d->reg < TILES && (!product || (d->rm < TILES && d->vvvv < TILES)), i, "there is no such tile");
    require((i != LOAD && i != LOADT1 && i != STORE) || d->has_sib, i, "the address has no SIB byte");
}

static void run(const decoded *d)
{
    switch (d->instruction) {
    case LOADCFG: load_config((const uint8_t *)(uintptr_t)(d->base + d->index)); break;
    case STORECFG: store_config((uint8_t *)(uintptr_t)(d->base + d->index)); break;
    case RELEASE: clear_state(); break;
    case ZERO:
        require_tile(ZERO, d->reg);
        memset(tiles.data[d->reg], 0, sizeof tiles.data[d->reg]);
        tiles.start_row = 0;
        break;
    case LOAD:
    case LOADT1: load(d->instruction, d->reg, d->base, d->index); break;
    case STORE: store(d->reg, d->base, d->index); break;
    default: multiply(d->instruction, d->reg, d->rm, d->vvvv); break;
    }
}

static void on_illegal(int number, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    decoded d;
    (void)info;
    if (!decode(c, &d)) {
        signal(number, SIG_DFL); /* not ours: recurs, and ends the program */
        return;
    }
    require_fields(&d);
    run(&d);
    __atomic_fetch_add(&counts[d.instruction], 1, __ATOMIC_RELAXED);
    c->uc_mcontext.gregs[REG_RIP] += (greg_t)d.length;
}

/* ---- the library */

__attribute__((visibility("default"))) unsigned xetile_tile_emulator(void)
{
    const char *types = getenv("AMX_EMULATOR_TYPES");
    return types ? (unsigned)strtoul(types, NULL, 10) : BF16 | INT8 | FP16;
}

__attribute__((constructor)) static void begin(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_illegal;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGILL, &action, NULL);
}

__attribute__((destructor)) static void end(void)
{
    if (!getenv("AMX_EMULATOR_COUNT")) return;
    fprintf(stderr, "amx_emulator:");
    for (int i = 0; i < INSTRUCTIONS; i++) fprintf(stderr, " %s %lu", names[i], counts[i]);
    fprintf(stderr, "\n");
}
