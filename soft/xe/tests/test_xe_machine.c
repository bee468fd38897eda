/* test_xe_machine.c - the interpreter of Intel's machine code, without Intel's compiler: code written here in IGA
 * syntax, in a package built here, runs on one work-group; packages damaged in every way are refused, or run without
 * harm. */
#include "floating_modes.h"

#include "xe_package.h"

/* ---- a package: one kernel k(ptr out), its code, and its .ze_info */

static const char info_text[] =
    "---\nkernels:\n  - name:            k\n    execution_env:\n      grf_count:       128\n"
    "      simd_size:       16\n      slm_size:        256\n      inline_data_payload_size: 32\n"
    "    payload_arguments:\n"
    "      - arg_type:        arg_bypointer\n        offset:          0\n        size:            8\n"
    "        arg_index:       0\n        addrspace:       global\n"
    "      - arg_type:        global_size\n        offset:          8\n        size:            12\n"
    "    per_thread_memory_buffers:\n      - type:            scratch\n        usage:           single_space\n"
    "        size:            4096\n...\n";

static void *make_package(const char *code, size_t *size) { return make_package_for("bmg", info_text, code, size); }
static int run(const char *code, void *out, uint32_t items) { return run_for("bmg", info_text, code, out, items); }

/* ---- code with labels: `@a:` before an instruction, `@a` in it */

static uint32_t place_of(const char *code, const char *name, size_t length)
{
    uint32_t bytes = 0;
    for (const char *at = code; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        if (*at == '@' && !strncmp(at + 1, name, length) && at[1 + length] == ':') return bytes;
        bytes += *at == '@' ? 0 : 16;
    }
    test_fail(__FILE__, __LINE__, "no place %.*s", (int)length, name);
    return 0;
}

static void resolve(const char *code, char *to)
{
    for (const char *at = code; *at;) {
        size_t length = 0;
        if (*at != '@' || at[1] < 'a' || at[1] > 'z') {
            *to++ = *at++;
            continue;
        }
        while (at[1 + length] >= 'a' && at[1 + length] <= 'z') length++;
        to += sprintf(to, "L%u", place_of(code, at + 1, length));
        at += 1 + length;
    }
    *to = 0;
}

/* What a test's code stands between: lane n stores r20 at out + 4 n. The numbers of lanes are in r9 as words, in r10.
 */
#define BEGIN                                                                                                          \
    "(W) mov (8|M0) r9.0<1>:w 0x76543210:v\n"                                                                          \
    "(W) add (8|M0) r9.8<1>:w r9.0<1;1,0>:w 8:w\n"                                                                     \
    "mov (16|M0) r10.0<1>:d r9.0<1;1,0>:uw\n"
#define LAST "(W) send.gtwy (1|M0) null r0 null:0 0x0 0x02000010 {EOT}\n"
#define STORE                                                                                                          \
    "shl (16|M0) r12.0<1>:q r10.0<1;1,0>:ud 2:w\n"                                                                     \
    "add (16|M0) r14.0<1>:q r12.0<1;1,0>:q r1.0<0;1,0>:q\n"                                                            \
    "send.ugm (16|M0) null r14 r20:1 0x0 0x04000584 {I@1,$0} // store.ugm.d32.a64\n"

#define BEGIN_8 "(W) mov (8|M0) r9.0<1>:w 0x76543210:v\nmov (8|M0) r10.0<1>:d r9.0<1;1,0>:uw\n"
#define STORE_8                                                                                                        \
    "shl (8|M0) r12.0<1>:q r10.0<1;1,0>:ud 2:w\n"                                                                      \
    "add (8|M0) r14.0<1>:q r12.0<1;1,0>:q r1.0<0;1,0>:q\n"                                                             \
    "send.ugm (8|M0) null r14 r20:1 0x0 0x04000584 {I@1,$0} // store.ugm.d32.a64\n"

static _Alignas(64) int32_t out[64]; /* 2D blocks begin there */

static int run_code(const char *code)
{
    char whole[8192], resolved[8192];
    snprintf(whole, sizeof whole, "%s%s%s", BEGIN, code, STORE LAST);
    resolve(whole, resolved);
    memset(out, 0x55, sizeof out);
    return run(resolved, out, 16);
}

/* The same with the 8 lanes and 32-byte registers of dg2. */
static int run_code_of_dg2(const char *code)
{
    char whole[8192], info[sizeof info_text];
    snprintf(whole, sizeof whole, "%s%s%s", BEGIN_8, code, STORE_8 LAST);
    memcpy(info, info_text, sizeof info);
    memcpy(strstr(info, "simd_size:       16") + 17, "8 ", 2);
    memset(out, 0x55, sizeof out);
    return run_for("dg2", info, whole, out, 8);
}

static void compare_lanes(int ended, int lanes, int32_t (*want)(int lane), int line)
{
    if (ended != 0) test_fail(__FILE__, line, "%s", told);
    for (int n = 0; n < lanes; n++)
        if (out[n] != want(n)) {
            test_fail(__FILE__, line, "lane %d: %d (%x), want %d (%x)", n, out[n], (unsigned)out[n], want(n),
                      (unsigned)want(n));
            return;
        }
}
#define LANES(code, want) compare_lanes(run_code(code), 16, want, __LINE__)
#define LANES_OF_DG2(code, want) compare_lanes(run_code_of_dg2(code), 8, want, __LINE__)

static void expect_end(const char *code, const char *why, int line)
{
    if (run_code(code) == 0)
        test_fail(__FILE__, line, "it succeeds");
    else if (!strstr(told, why))
        test_fail(__FILE__, line, "\"%s\" instead of \"%s\"", told, why);
}
#define ENDS(code, why) expect_end(code, why, __LINE__)

static int32_t bits_of(float f)
{
    int32_t b;
    memcpy(&b, &f, sizeof b);
    return b;
}

/* ---- arithmetic */

static int32_t high_half(int n) { return (int32_t)(((uint64_t)(uint32_t)(n * 70000) * 0xAAAAAAABu) >> 32); }
static int32_t low_product(int n) { return (int32_t)((uint32_t)(n * 70000 - 300000) * 123457u); }
static int32_t high_product(int n) { return (int32_t)(((int64_t)(n * 70000 - 300000) * 123457) >> 32); }
static int32_t reversed(int n) { return 15 - n; }
static int32_t in_pairs(int n) { return 2 * (n / 2); }
static int32_t saturated(int n) { return n * 20 - 60 > 127 ? 127 : n * 20 - 60; }
static int32_t fused(int n) { return bits_of(fmaf(0.1f * (float)n, 3.7f, -1)); }
static int32_t halved(int n) { return n / 2; }
static int32_t beyond_8_bits(int n) { return bits_of((float)(256 + n)); }
static int32_t beyond_11_bits(int n) { return bits_of((float)(2048 + n)); }
static int32_t signalling(int n) { return (void)n, 0x7c7c; }
static int32_t also_signalling(int n) { return (void)n, 0x7f80007c; }
static int32_t inserted(int n) { return 0x55000005 | n << 4; }
static int32_t by_dwords(int n) { return n % 4 * 4; }
static int32_t chosen(int n) { return n & 4 ? ((3 & n) | 8) : -1; }

#define FACTORS                                                                                                        \
    "(W) mov (1|M0) r16.0<1>:d 70000:d\n"                                                                              \
    "(W) mov (1|M0) r17.0<1>:d 123457:d\n"                                                                             \
    "mul (16|M0) acc0.0<1>:d r10.0<1;1,0>:d r16.0<0;1,0>:uw\n"                                                         \
    "macl (16|M0) r15.0<1>:d r10.0<1;1,0>:d r16.0<0;1,0>:d\n"                                                          \
    "add (16|M0) r15.0<1>:d r15.0<1;1,0>:d -300000:d\n"                                                                \
    "mul (16|M0) acc0.0<1>:d r15.0<1;1,0>:d r17.0<0;1,0>:uw\n"                                                         \
    "or (16|M0) acc2.0<1>:d r10.0<1;1,0>:d 1:w\n"

TEST(integers)
{
    LANES(FACTORS "macl (16|M0) r20.0<1>:d r15.0<1;1,0>:d r17.0<0;1,0>:d\n", low_product);
    LANES(FACTORS "mach (16|M0) r20.0<1>:d r15.0<1;1,0>:d r17.0<0;1,0>:d\n", high_product);
    LANES("mul (16|M0) r15.0<1>:d r10.0<1;1,0>:d 70000:d\nmullh (16|M0) r19.0<1>:ud r15.0<1;1,0>:ud 0xAAAAAAAB:ud\n",
          high_half); /* in the next register */
    LANES("add (16|M0) r20.0<1>:d -r10.0<1;1,0>:d 15:w\n", reversed);
    LANES("mov (16|M0) r20.0<1>:d r10.0<2;2,0>:d\n", in_pairs);
    /* As IGC writes 0, 4, 8, 12 for dwords: a packed number has an element for each word. */
    LANES("(W) add (4|M0) r15.0<1>:ud r9.0<0;1,0>:uw 0xC080400:uv\nmov (16|M0) r20.0<1>:d r15.0<0;4,1>:d\n", by_dwords);
    LANES("mad (16|M0) r15.0<1>:d -60:w r9.0<1;0>:uw 20:w\n"
          "mov (16|M0) (sat)r16.0<1>:b r15.0<1;1,0>:d\n"
          "mov (16|M0) r20.0<1>:d r16.0<1;1,0>:b\n",
          saturated);
    LANES("and (16|M0) (ne)f1.0 null<1>:d r10.0<1;1,0>:d 4:w\n"
          "bfn.0xF8 (16|M0) r21.0<1>:ud 3:uw r10.0<1;0>:ud 8:uw\n" /* s0 & s1 | s2 */
          "(f1.0) sel (16|M0) r20.0<1>:d r21.0<1;1,0>:d -1:w\n",
          chosen);
    LANES("asr (16|M0) r20.0<1>:d r10.0<1;1,0>:d 1:w\n", halved);
    LANES("bfi1 (16|M0) r21.0<1>:ud 20:w 4:w\n(W) mov (1|M0) r22.0<1>:ud 0x55AAAAA5:ud\n"
          "bfi2 (16|M0) r20.0<1>:ud r21.0<1;0>:ud r10.0<1;0>:ud r22.0<0>:ud\n",
          inserted);
}

/* Decimal numbers in the text are read to nearest, subnormal ones too, whatever the thread that loads it rounds to. */
TEST(immediates_in_every_state)
{
    static const struct {
        const char *text;
        uint32_t bits;
    } rows[] = {{"0.1:f", 0x3dcccccd},   {"0.7:f", 0x3f333333}, {"-0.7:f", 0xbf333333},
                {"1e-40:f", 0x000116c2}, {"0.1:hf", 0x2e66},    {"6e-8:hf", 0x0001}};
    for (int mode = 0; mode < MODES; mode++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char code[2048];
            bool half = strstr(rows[i].text, ":hf") != NULL;
            size_t size;
            snprintf(code, sizeof code, "%s%smov (16|M0) r20.0<%d>:%s %s\n%s", BEGIN,
                     half ? "mov (16|M0) r20.0<1>:d 0:d\n" : "", half ? 2 : 1, half ? "hf" : "f", rows[i].text,
                     STORE LAST);
            void *package = make_package(code, &size);
            mode_set(mode);
            void *machine = load(package, size);
            mode_set(MODE_DEFAULT);
            memset(out, 0x55, sizeof out);
            CHECK_MSG(machine && run_loaded(machine, out, 16) == 0, "%s", told);
            CHECK_MSG((uint32_t)out[3] == rows[i].bits, "%s: %s is %08x, want %08x", mode_name(mode), rows[i].text,
                      (unsigned)out[3], (unsigned)rows[i].bits);
            xe_unload(machine);
            free(package);
        }
}

TEST(floats)
{
    LANES("mov (16|M0) r15.0<1>:f r10.0<1;1,0>:d\n"
          "mul (16|M0) r15.0<1>:f r15.0<1;1,0>:f 0.1:f\n"
          "(W) mov (1|M0) r16.0<1>:f 3.7:f\n"
          "(W) mov (1|M0) r17.0<1>:f 1.0:f\n"
          "mad (16|M0) r20.0<1>:f -r17.0<0;0>:f r15.0<1;0>:f r16.0<0>:f\n",
          fused);
    LANES("mov (16|M0) r15.0<1>:hf r10.0<1;1,0>:ud\n"
          "mul (16|M0) r15.0<1>:hf r15.0<1;1,0>:hf 0.5:hf\n"
          "mov (16|M0) r20.0<1>:d r15.0<1;1,0>:hf\n",
          halved);
    /* Sums of bf, and of hf that become f, are f: not rounded to fewer bits. */
    LANES("mov (16|M0) r14.0<1>:f r10.0<1;1,0>:d\nmov (16|M0) r15.0<1>:bf r14.0<1;1,0>:f\n"
          "(W) mov (1|M0) r16.0<1>:uw 0x4380:uw\n" /* 256 */
          "add (16|M0) r20.0<1>:f r15.0<1;1,0>:bf r16.0<0;1,0>:bf\n",
          beyond_8_bits);
    LANES("mov (16|M0) r15.0<1>:hf r10.0<1;1,0>:ud\n(W) mov (1|M0) r16.0<1>:hf 2048.0:hf\n"
          "add (16|M0) r20.0<1>:f r15.0<1;1,0>:hf r16.0<0;1,0>:hf\n",
          beyond_11_bits);
    /* Masks of lanes may be written as such numbers: their bits stay. */
    LANES("(W) mov (1|M0) r15.0<1>:hf snan(0x7c):hf\nmov (16|M0) r20.0<1>:d r15.0<0;1,0>:uw\n", signalling);
    LANES("(W) mov (1|M0) r15.0<1>:ud 0x7F80007C:ud\n"
          "(W) csel (1|M0) (eq)f0.0 r15.0<1>:f r15.0<0;0>:f r15.0<0;0>:f r15.0<0>:f\n"
          "mov (16|M0) r20.0<1>:d r15.0<0;1,0>:d\n",
          also_signalling);
}

/* Column n of the second operand is n, in all k. */
#define COLUMNS_COUNT(lanes)                                                                                           \
    "mov (" lanes "|M0) r40.0<1>:f r10.0<1;1,0>:d\nmov (" lanes "|M0) r41.0<2>:hf r40.0<1;1,0>:f\n"                    \
    "mov (" lanes "|M0) r41.1<2>:hf r40.0<1;1,0>:f\nmov (" lanes "|M0) r42.0<1>:ud r41.0<1;1,0>:ud\n"                  \
    "mov (" lanes "|M0) r43.0<1>:ud r41.0<1;1,0>:ud\nmov (" lanes "|M0) r44.0<1>:ud r41.0<1;1,0>:ud\n"                 \
    "mov (" lanes "|M0) r45.0<1>:ud r41.0<1;1,0>:ud\nmov (" lanes "|M0) r46.0<1>:ud r41.0<1;1,0>:ud\n"                 \
    "mov (" lanes "|M0) r47.0<1>:ud r41.0<1;1,0>:ud\nmov (" lanes "|M0) r48.0<1>:ud r41.0<1;1,0>:ud\n"

/* Products of sums that are 5, one after the other; the last one is what counts. */
#define FIVES(lanes)                                                                                                   \
    COLUMNS_COUNT(lanes) "(W) mov (16|M0) r30.0<1>:hf 1.0:hf\n(W) mov (" lanes "|M0) r50.0<1>:f 5.0:f\n"
#define PRODUCT(lanes, result, sums, belongs)                                                                          \
    "dpas.8x1 (" lanes "|M0) " result ":f " sums ":f r41:hf r30.0:hf " belongs "\n"
#define RESULT(lanes, result) "mov (" lanes "|M0) r20.0<1>:f " result ".0<1;1,0>:f\n"
#define TWO_PRODUCTS(lanes, first, result)                                                                             \
    FIVES(lanes) PRODUCT(lanes, "r50", "null", first) PRODUCT(lanes, result, "r50", "") RESULT(lanes, result)
#define THREE_PRODUCTS(lanes, belongs)                                                                                 \
    FIVES(lanes)                                                                                                       \
    PRODUCT(lanes, "r50", "r50", belongs) PRODUCT(lanes, "r50", "r50", belongs) PRODUCT(lanes, "r50", "r50", "")       \
    RESULT(lanes, "r50")
static int32_t from_first(int n) { return bits_of(32 * (float)n); }
static int32_t of_all(int n) { return bits_of(5 + 48 * (float)n); }
static int32_t of_the_last(int n) { return bits_of(5 + 16 * (float)n); }

/* With 16 lanes each reads what the one before has written, as on nvl-p and cri; Xe-HPG's, of 8 lanes, read what was
 * there before all that belong together, see iga.c. */
TEST(products_that_belong_together)
{
    LANES(TWO_PRODUCTS("16", "{Atomic}", "r50"), from_first);
    LANES(TWO_PRODUCTS("16", "", "r50"), from_first);
    LANES(TWO_PRODUCTS("16", "{Atomic}", "r52"), from_first);
    LANES(THREE_PRODUCTS("16", "{Atomic}"), of_all);
    LANES_OF_DG2(TWO_PRODUCTS("8", "{Atomic}", "r50"), of_the_last);
    LANES_OF_DG2(TWO_PRODUCTS("8", "", "r50"), from_first);
    LANES_OF_DG2(THREE_PRODUCTS("8", "{Atomic}"), of_the_last);
    LANES_OF_DG2(THREE_PRODUCTS("8", ""), of_all);
}

/* Row r of the first operand is r + 1 in all k, column n of the second one n: sums of 16 products. */
static int32_t product(int n) { return bits_of(16.0f * 3 * (float)n); }

TEST(products)
{
    LANES(COLUMNS_COUNT("16") "(W) mov (16|M0) r30.0<1>:hf 1.0:hf\n(W) mov (16|M0) r30.16<1>:hf 2.0:hf\n"
                        "(W) mov (16|M0) r31.0<1>:hf 3.0:hf\n"
                        "dpas.8x3 (16|M0) r50:f null:f r41:hf r30.0:hf\nmov (16|M0) r20.0<1>:f r52.0<1;1,0>:f\n",
          product);
}

/* Every pair of types, by the definition: column n of B is the bits of dword n of one register after the other, row r
 * of A the bits behind those of the row before, k after k. Memory: B, A, C, then D; r1.0 is its address. */
enum { PART = 128, COLUMNS = 16, AT_A = PART, AT_C = 2 * PART, AT_D = 3 * PART };
static uint32_t matrices[4 * PART];

static const struct element {
    const char *name;
    uint32_t bits, ops; /* ops: values of k a stage, unless the other type has less */
    bool is_signed;
} elements[] = {{"ub", 8, 4, false},  {"b", 8, 4, true},    {"u4", 4, 8, false},
                {"s4", 4, 8, true},   {"u2", 2, 8, false},  {"s2", 2, 8, true},
                {"hf", 16, 2, false}, {"bf", 16, 2, false}, {"tf32", 32, 1, false}};
enum { INTEGERS = 6, ELEMENTS = sizeof elements / sizeof elements[0] };

/* Bits of the numbers 0 to 3 of 16 and of 32 bits; the low thirteen of a tf32 mean nothing. */
static uint32_t small_float(const struct element *e, uint32_t number)
{
    static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200}, brains[] = {0, 0x3f80, 0x4000, 0x4040};
    if (e->bits == 32) return (uint32_t)brains[number] << 16 | (number * 0x7c3 & 0x1fff);
    return e->name[0] == 'h' ? halves[number] : brains[number];
}

static int64_t value_of(const struct element *e, const uint32_t *dwords, uint32_t stride, uint32_t k)
{
    uint32_t at = k * e->bits, dword = dwords[at / 32 * stride], value;
    value = e->bits == 32 ? dword : dword >> at % 32 & ((1u << e->bits) - 1);
    for (uint32_t n = 0; e >= &elements[INTEGERS] && n < 4; n++)
        if (value == small_float(e, n)) return n;
    return e->is_signed && value >> (e->bits - 1) ? (int64_t)value - (1 << e->bits) : (int64_t)value;
}

static void fill_dwords(const struct element *e, uint32_t *to)
{
    for (uint32_t n = 0; n < PART; n++) {
        uint32_t numbers = (uint32_t)test_random();
        to[n] = e < &elements[INTEGERS] ? numbers
                : e->bits == 32         ? small_float(e, numbers & 3)
                                        : small_float(e, numbers & 3) | small_float(e, numbers >> 2 & 3) << 16;
    }
}

static void multiply(const struct element *b, const struct element *a, uint32_t rows)
{
    static const char load[] = "(W) send.ugm (1|M0) r%d r1 null:0 0x%x 0x0240F580\n";
    uint32_t ops = a->ops < b->ops ? a->ops : b->ops, depth = 8 * ops, broken = 0;
    bool is_float = b >= &elements[INTEGERS];
    char code[2048];
    int n = 0;
    fill_dwords(b, matrices);
    fill_dwords(a, matrices + AT_A);
    for (int k = 0; k < PART; k++) matrices[AT_C + k] = is_float ? (uint32_t)bits_of((float)(k % 7)) : (uint32_t)k * 99;
    memset(matrices + AT_D, 0x55, PART * 4);
    for (int k = 0; k < 6; k++) /* r30 to r45, r60 to r67 */
        n += snprintf(code + n, sizeof code - (size_t)n, load, (k < 4 ? 30 : 44) + 4 * k, 256 * k << 12);
    n += snprintf(code + n, sizeof code - (size_t)n, "dpas.8x%u (16|M0) r60:%s r60:%s r30:%s r38.0:%s\n", rows,
                  is_float ? "f" : "d", is_float ? "f" : "d", b->name, a->name);
    snprintf(code + n, sizeof code - (size_t)n, "%s",
             "(W) send.ugm (1|M0) null r1 r60:4 0x600000 0x0200F584\n"
             "(W) send.ugm (1|M0) null r1 r64:4 0x700000 0x0200F584\n" LAST);
    CHECK_MSG(run(code, matrices, 16) == 0, "%s", told);
    for (uint32_t r = 0; r < 8; r++)
        for (uint32_t c = 0; c < COLUMNS; c++) {
            int64_t sum = is_float ? (r * COLUMNS + c) % 7 : (r * COLUMNS + c) * 99;
            uint32_t got = matrices[AT_D + r * COLUMNS + c];
            for (uint32_t k = 0; r < rows && k < depth; k++)
                sum += value_of(a, matrices + AT_A + r * depth * a->bits / 32, 1, k) *
                       value_of(b, matrices + c, COLUMNS, k);
            broken += got != (is_float ? (uint32_t)bits_of((float)sum) : (uint32_t)sum);
        }
    CHECK_MSG(broken == 0, "%s times %s, %u rows: %u wrong", a->name, b->name, rows, broken);
}

TEST(products_of_every_type)
{
    for (uint32_t b = 0; b < ELEMENTS; b++)
        for (uint32_t a = 0; a < ELEMENTS; a++) {
            if ((b >= INTEGERS || a >= INTEGERS) && a != b) continue;
            multiply(&elements[b], &elements[a], 8);
            multiply(&elements[b], &elements[a], 1 + (a + b) % 7);
        }
}

/* ---- divergent lanes */

static int32_t counted(int n) { return n * (n + 1) / 2; }
static int32_t either(int n) { return n < 5 ? 100 + n : 200 - n; }
static int32_t called(int n) { return 7 + 2 * (100 + n); }

TEST(lanes_part_and_meet)
{
    LANES("mov (16|M0) r20.0<1>:d 0:w\nmov (16|M0) r21.0<1>:d r10.0<1;1,0>:d\n"
          "cmp (16|M0) (eq)f0.0 null<1>:d r21.0<1;1,0>:d 0:w\n(f0.0) goto (16|M0) @out @out\n"
          "@again:\nadd (16|M0) r20.0<1>:d r20.0<1;1,0>:d r21.0<1;1,0>:d\nadd (16|M0) r21.0<1>:d r21.0<1;1,0>:d -1:w\n"
          "cmp (16|M0) (ne)f0.0 null<1>:d r21.0<1;1,0>:d 0:w\n(f0.0) goto.b (16|M0) @out @again\n"
          "@out:\njoin (16|M0) @end\n@end:\n",
          counted);
    LANES("cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 5:w\n(f0.0) if (16|M0) @other @out\n"
          "add (16|M0) r20.0<1>:d r10.0<1;1,0>:d 100:w\nelse (16|M0) @out @out\n"
          "@other:\nadd (16|M0) r20.0<1>:d -r10.0<1;1,0>:d 200:w\n@out:\nendif (16|M0) @end\n@end:\n",
          either);
    LANES("mov (16|M0) r20.0<1>:d 0:w\nmov (16|M0) r21.0<1>:d r10.0<1;1,0>:d\n"
          "@again:\ncmp (16|M0) (eq)f0.0 null<1>:d r21.0<1;1,0>:d 0:w\n(f0.0) break (16|M0) @last @last\n"
          "add (16|M0) r20.0<1>:d r20.0<1;1,0>:d r21.0<1;1,0>:d\nadd (16|M0) r21.0<1>:d r21.0<1;1,0>:d -1:w\n"
          "@last:\nwhile (16|M0) @again\n",
          counted);
    LANES("mov (16|M0) r20.0<1>:d 7:w\ncall (16|M0) r30.0 @add\ncall (16|M0) r30.0 @add\n(W) jmpi @end\n"
          "@add:\nadd3 (16|M0) r20.0<1>:d r20.0<1;0>:d r10.0<1;0>:d 100:w\nret (16|M0) r30.0\n@end:\n",
          called);
}

/* ---- memory */

static int32_t from_neighbour(int n) { return (n + 1) % 16 * 3; }
static int32_t tripled(int n) { return 3 * n; }
static int32_t total(int n) { return n == 0 ? 120 : 0x55555555; }

TEST(local_memory_and_atomics)
{
    LANES("mul (16|M0) r21.0<1>:d r10.0<1;1,0>:d 3:w\nshl (16|M0) r22.0<1>:ud r10.0<1;1,0>:ud 2:w\n"
          "send.slm (16|M0) null r22 r21:1 0x0 0x02000504\nadd (16|M0) r23.0<1>:d r10.0<1;1,0>:d 1:w\n"
          "and (16|M0) r23.0<1>:d r23.0<1;1,0>:d 15:w\nshl (16|M0) r23.0<1>:ud r23.0<1;1,0>:ud 2:w\n"
          "send.slm (16|M0) r20 r23 null:0 0x0 0x02100500\n",
          from_neighbour);
    LANES("mul (16|M0) r21.0<1>:d r10.0<1;1,0>:d 3:w\nshl (16|M0) r12.0<1>:q r10.0<1;1,0>:ud 2:w\n"
          "add (16|M0) r14.0<1>:q r12.0<1;1,0>:q r1.0<0;1,0>:q\nsend.ugm (16|M0) null r14 r21:1 0x0 0x04000584\n"
          "send.ugm (16|M0) r15 r14 null:0 0x0 0x04100580\nmov (16|M0) r20.0<1>:d r15.0<1;1,0>:d\n",
          tripled); /* the load overwrites the upper half of its addresses */
    out[0] = 0;
    char resolved[4096];
    resolve(BEGIN "mov (16|M0) r14.0<1>:q r1.0<0;1,0>:q\n(W) mov (16|M0) r20.0<1>:d 0:w\n(W) send.ugm (1|M0) null r14 "
                  "r20:1 0x0 0x04000584\n"
                  "send.ugm (16|M0) null r14 r10:1 0x0 0x0400058C\n" LAST,
            resolved);
    memset(out, 0x55, sizeof out);
    CHECK_INT(run(resolved, out, 16), 0);
    for (int n = 0; n < 16; n++) CHECK_INT(out[n], total(n));
}

#define ARRIVE(payload)                                                                                                \
    "(W) mov (1|M0) r35.2<1>:ud " payload ":ud\n(W) send.gtwy (1|M0) null r35 null:0 0x0 0x02000004\n"

/* Two threads that meet at a barrier, and, at once, at one with a number, in which two signal and wait; at one of
 * three; one alone. Thread n writes its number + 1 to a dword of local memory. */
#define MEET(arrive, wait)                                                                                             \
    BEGIN "(W) and (1|M0) r30.0<1>:ud r0.2<0;1,0>:ud 0xFF:ud\n(W) add (1|M0) r31.0<1>:ud r30.0<0;1,0>:ud 1:w\n"   \
          "(W) shl (1|M0) r32.0<1>:ud r30.0<0;1,0>:ud 2:w\n(W) send.slm (1|M0) null r32 r31:1 0x0 0x02000504\n"      \
          arrive wait                                                                                                  \
          "(W) xor (1|M0) r32.0<1>:ud r32.0<0;1,0>:ud 4:ud\n(W) send.slm (1|M0) r33 r32 null:0 0x0 0x02100500\n"     \
          "mov (16|M0) r20.0<1>:ud r33.0<0;1,0>:ud\n(W) shl (1|M0) r34.0<1>:ud r30.0<0;1,0>:ud 4:w\n"                \
          "add (16|M0) r10.0<1>:d r10.0<1;1,0>:d r34.0<0;1,0>:d\n" STORE LAST

TEST(barriers)
{
    static const char meet[] = MEET(ARRIVE("0"), "sync.bar null\n"),
                      both[] = MEET(ARRIVE("0x02020001") ARRIVE("0"), "sync.bar null\nsync.bar 0x1\n"),
                      three[] = MEET(ARRIVE("0x03030001"), "sync.bar 0x1\n"),
                      other[] = MEET(ARRIVE("0x02020001"), "sync.bar 0x2\n");
    static const char alone[] = BEGIN "(W) and (1|M0) (ne)f0.0 null<1>:ud r0.2<0;1,0>:ud 0xFF:ud\n(W&f0.0) jmpi @end\n"
                                      ARRIVE("0") "sync.bar null\n@end:\n" LAST;
    char resolved[4096];
    CHECK_INT(run(meet, out, 32), 0);
    for (int n = 0; n < 32; n++) CHECK_INT(out[n], n < 16 ? 2 : 1);
    memset(out, 0x55, sizeof out);
    CHECK_INT(run(both, out, 32), 0);
    for (int n = 0; n < 32; n++) CHECK_INT(out[n], n < 16 ? 2 : 1);
    CHECK(run(three, out, 32) != 0);
    CHECK_MSG(strstr(told, "a named barrier that is not of all threads") != NULL, "%s", told);
    CHECK(run(other, out, 32) != 0);
    CHECK_MSG(strstr(told, "a wait for a barrier at which the thread has not arrived") != NULL, "%s", told);
    resolve(alone, resolved);
    CHECK(run(resolved, out, 32) != 0);
    CHECK_STR(told, "a barrier is missed");
}

/* Thread 0 loops until thread 1 has written: threads must not be executed one after the other. */
TEST(threads_wait_in_loops)
{
    static const char turn[] =
        BEGIN "(W) and (1|M0) (ne)f0.0 null<1>:ud r0.2<0;1,0>:ud 0xFF:ud\n(W) mov (1|M0) r31.0<1>:ud 77:ud\n"
              "(W) mov (1|M0) r32.0<1>:ud 0:ud\n(W&f0.0) jmpi @second\n"
              "@again:\n(W) send.slm (1|M0) r33 r32 null:0 0x0 0x02100500\n"
              "(W) cmp (1|M0) (ne)f1.0 null<1>:ud r33.0<0;1,0>:ud 77:ud\n(W&f1.0) jmpi @again\n"
              "mov (16|M0) r20.0<1>:ud r33.0<0;1,0>:ud\n" STORE LAST
              "@second:\n(W) send.slm (1|M0) null r32 r31:1 0x0 0x02000504\n" LAST;
    char resolved[4096];
    resolve(turn, resolved);
    CHECK_INT(run(resolved, out, 32), 0);
    for (int n = 0; n < 16; n++) CHECK_INT(out[n], 77);
}

/* ---- unsupported features, and violated rules */

TEST(what_is_unknown_is_named)
{
    ENDS("frobnicate (16|M0) r20.0<1>:d r10.0<1;1,0>:d\n", "not supported, thread 0: frobnicate");
    ENDS("send.urb (16|M0) r20 r10 null:0 0x0 0x02100500\n", "a unit that is not supported");
    ENDS("send.ugm (16|M0) r20 r10 null:0 0x0 0x0210051E\n", "a message that is not supported");
    ENDS("math.frob (16|M0) r20.0<1>:f r10.0<1;1,0>:f\n", "not supported");
    ENDS("(W) jmpi @end\nillegal\n@end:\nillegal\n", "run over");
    CHECK_INT(run("mov (16|M0) r20.0<1>:d r300.0<1;1,0>:d\n", out, 16), -1);
    CHECK_HAS(told, "expected a register that there is");
    CHECK_INT(run("mov (16|M0) r20.0<1>:d r10.0<1;1,0>:d\nL8:\n", out, 16), -1);
    CHECK_HAS(told, "as long as the label says");
    CHECK_INT(run("(W) jmpi L7\n" LAST, out, 16), -1);
    CHECK_HAS(told, "where no instruction begins");
}

static long broken_by(const char *code)
{
    char whole[4096];
    size_t size;
    snprintf(whole, sizeof whole, "%s%s%s", BEGIN, code, LAST);
    void *package = make_package(whole, &size);
    struct xe_machine *m = load(package, size);
    long broken = m && run_loaded(m, out, 16) == 0 ? (long)atomic_load(&m->kernels[0]->counts.broken) : -1;
    xe_unload(m);
    free(package);
    return broken;
}

#define BLOCK(width, pitch, x)                                                                                         \
    "(W) mov (1|M0) r30.0<1>:q r1.0<0;1,0>:q\n(W) and (1|M0) r30.0<1>:q r30.0<0;1,0>:q -64:w\n(W) mov (1|M0) "         \
    "r30.2<1>:d " width ":w\n"                                                                                         \
    "(W) mov (1|M0) r30.3<1>:d 0:w\n(W) mov (1|M0) r30.4<1>:d " pitch ":w\n(W) mov (1|M0) r30.5<1>:d " x ":w\n"        \
    "(W) mov (1|M0) r30.6<1>:d 0:w\n(W) mov (1|M0) r30.7<1>:ud 0xF:ud\nsend.ugm (1|M0) r40 r30 null:0 0x0 "            \
    "0x02100203\n"

#define FILL(from) "(W) mov (1|M0) r60.0<1>:ud " from ":w\n(W) send.ugm (1|M0) r70 r60 null:0 0x0:a0.2 0x4240F500\n"

TEST(broken_rules_are_counted)
{
    CHECK_INT(broken_by(""), 0);
    CHECK_INT(broken_by(BLOCK("63", "63", "2")), 0);
    CHECK_INT(broken_by(BLOCK("47", "63", "2")), 1);
    CHECK_INT(broken_by(BLOCK("63", "63", "1")), 1);
    CHECK_INT(broken_by(BLOCK("127", "63", "0")), 1);
    CHECK_INT(broken_by("send.slm (16|M0) r20 r60 null:0 0x0 0x02100500\n"),
              32); /* no address was written, and all are outside */
    CHECK_INT(broken_by("(W) mov (1|M0) r60.0<1>:ud 256:w\n(W) send.slm (1|M0) r20 r60 null:0 0x0 0x02100500\n"), 1);
    CHECK_INT(broken_by("(W) mov (1|M0) r60.0<1>:ud 252:w\n(W) send.slm (1|M0) r20 r60 null:0 0x0 0x02100500\n"), 0);
    CHECK_INT(broken_by(FILL("4032")), 0); /* four registers, of which the first is in the scratch memory */
    CHECK_INT(broken_by(FILL("4096")), 64);
}

/* ---- damage */

/* Any damaged byte: a package is refused, or loads. */
TEST(damaged_packages)
{
    static const char code[] = BEGIN FACTORS "dpas.8x8 (16|M0) r50:f null:f r40:hf r30.0:hf\n"
                                             "send.slm (16|M0) r20 r10 null:0 0x0 0x02100500\n" LAST;
    uint64_t state = 88172645463325252u;
    size_t size, loaded = 0;
    uint8_t *package = make_package(code, &size), *copy = malloc(size);
    CHECK(package && copy);
    for (int round = 0; round < 20000; round++) {
        size_t bytes = size;
        memcpy(copy, package, size);
        for (int k = round % 4; k >= 0; k--) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            copy[state % size] =
                k & 1 ? (uint8_t)(state >> 40) : (uint8_t)(copy[state % size] ^ 1u << (state >> 50) % 8);
        }
        if (round % 8 == 7) bytes = (size_t)(state >> 20) % size;
        struct xe_machine *m = load(copy, bytes);
        loaded += m != NULL;
        xe_unload(m);
    }
    CHECK(loaded > 1000 && loaded < 19000);
    free(package);
    free(copy);
}

int main(void)
{
    setenv("XETILE_SOFT_ISA", "bmg", 1);
    RUN(integers);
    RUN(floats);
    RUN(immediates_in_every_state);
    RUN(products);
    RUN(products_that_belong_together);
    RUN(products_of_every_type);
    RUN(lanes_part_and_meet);
    RUN(local_memory_and_atomics);
    RUN(barriers);
    RUN(threads_wait_in_loops);
    RUN(what_is_unknown_is_named);
    RUN(broken_rules_are_counted);
    RUN(damaged_packages);
    return test_report();
}
