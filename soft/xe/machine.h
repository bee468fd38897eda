/* machine.h - the machine's internals: parsed instructions, a thread's registers, kernels. */
#ifndef XETILE_SOFT_XE_MACHINE_H
#define XETILE_SOFT_XE_MACHINE_H

#include <stdatomic.h>

#include "abi.h"
#include "c/prelude_check.h"
#include "xe.h"

/* ---- registers: one file of bytes, with a section for each kind */

enum {
    MOST_GRF_BYTES = 64,
    MOST_GRFS = 512,
    MAX_LANES = 32,
    SCALAR_BYTES = 128, /* s0 and s1 */
    MAX_THREADS = 64,   /* per work-group */
    AT_GRF = 0,
    AT_ACC = MOST_GRF_BYTES * MOST_GRFS,
    AT_FLAG = AT_ACC + 16 * MOST_GRF_BYTES,
    AT_ADDRESS = AT_FLAG + 4 * 4,
    ADDRESS_BYTES = 64, /* a0, of which generations before Xe3P have the first half */
    AT_SCALAR = AT_ADDRESS + ADDRESS_BYTES,
    AT_CONTROL = AT_SCALAR + SCALAR_BYTES,
    AT_STATE = AT_CONTROL + 16,
    AT_MESSAGE = AT_STATE + 16, /* msg0 */
    AT_OTHER = AT_MESSAGE + 16, /* tm0, ce0 and other readable ones */
    AT_STAGE = AT_OTHER + 64,   /* the payload of a send with non-contiguous registers */
    MOST_GATHERED = 32,         /* registers of a send */
    FILE_BYTES = AT_STAGE + MOST_GATHERED * MOST_GRF_BYTES
};

/* ---- what the targets of a generation have in common */

enum { THREAD_BITS = 6 }; /* of the number of a thread, below MAX_THREADS */
struct xe_family {
    uint32_t grf_bytes, grfs;
    uint8_t thread_bits[THREAD_BITS]; /* the bits of sr0.0 in which code finds the number of the thread, from bit 0 */
    bool arguments_in_registers;      /* local ids and arguments are in r1 and up; else code loads what r1 has not */
    bool scratch_has_addresses;       /* r0.5 has that of the thread's scratch memory, relative to the state base */
    bool mach_is_macl;                /* without AccWrEn, mach gives the low half of the product */
    bool pointers;                    /* r0.7 has the address of the arguments in memory, as a quadword */
    bool named_apart;                 /* named barriers have a message of their own, and that of others is not read */
};

/* ---- types of elements */

/* clang-format off */
enum xe_kind { XE_UNSIGNED, XE_SIGNED, XE_FLOAT };
enum xe_type {
    XE_UB, XE_B, XE_UW, XE_W, XE_UD, XE_D, XE_UQ, XE_Q, XE_HF, XE_BF, XE_F, XE_DF, XE_TF32, XE_HF8, XE_BF8, XE_E2M1,
    XE_U4, XE_S4, XE_U2, XE_S2, XE_V, XE_UV, XE_VF, XE_TYPES
};
/* clang-format on */
struct xe_type_info {
    const char *name;
    uint8_t bits, kind, digits; /* digits: significand bits of a float */
    int16_t least;              /* exponent of the smallest normal number */
};
/* types.c */
extern const struct xe_type_info xe_types[XE_TYPES];
double xe_decode(uint8_t type, uint64_t bits);
uint64_t xe_encode(uint8_t type, double value, bool saturate);

/* ---- operands */

enum xe_where { XE_NONE, XE_NULL, XE_REGISTER, XE_INDIRECT, XE_IMMEDIATE };
struct xe_operand {
    uint8_t where, type;
    bool negate, absolute;
    uint8_t width_shift, across; /* a region: width is a power of two; across: an address register per row */
    uint16_t row, column;        /* strides between rows, within a row, in elements */
    uint32_t at;                 /* byte offset in the file; indirect: that of the address register */
    int32_t offset;              /* indirect: added to the address */
    uint64_t bits;               /* immediate */
};

/* ---- instructions */

/* clang-format off */
enum xe_class { XE_CLASS_OTHER, XE_CLASS_FLOAT, XE_CLASS_INTEGER, XE_CLASS_LONG, XE_CLASS_MATH, XE_CLASS_DPAS,
                XE_CLASS_SEND, XE_CLASS_BRANCH, XE_CLASSES };
enum xe_condition { XE_NO_CONDITION, XE_EQ, XE_NE, XE_GT, XE_GE, XE_LT, XE_LE, XE_OVER, XE_UNORDERED, XE_EARLY_OUT };

/* X(name, number of sources, group that executes it: xe_alu ...). */
#define XE_OPERATIONS(X)                                                                                               \
    X(mov, 1, alu) X(sel, 2, alu) X(csel, 3, alu) X(cmp, 2, alu) X(add, 2, alu) X(add3, 3, alu) X(addc, 2, alu)        \
    X(subb, 2, alu) X(avg, 2, alu) X(mul, 2, alu) X(mach, 2, alu) X(macl, 2, alu) X(mullh, 2, alu) X(mad, 3, alu)      \
    X(madm, 3, alu) X(and, 2, alu) X(or, 2, alu) X(xor, 2, alu) X(not, 1, alu) X(bfn, 3, alu) X(shl, 2, alu)           \
    X(shr, 2, alu) X(asr, 2, alu) X(rol, 2, alu) X(ror, 2, alu) X(bfe, 3, alu) X(bfi1, 2, alu) X(bfi2, 3, alu)         \
    X(bfrev, 1, alu) X(cbit, 1, alu) X(fbl, 1, alu) X(fbh, 1, alu) X(lzd, 1, alu) X(frc, 1, alu) X(rndz, 1, alu)       \
    X(rnde, 1, alu) X(rndd, 1, alu) X(rndu, 1, alu) X(dp4a, 3, alu) X(math, 2, alu) X(dpas, 3, dpas)                   \
    X(bdpas, 5, dpas) X(send, 2, send) X(sendg, 2, send) X(sendc, 2, send) X(sync, 0, sync) X(nop, 0, nothing)         \
    X(jmpi, 0, jump) X(goto, 0, flow) X(join, 0, flow) X(if, 0, flow) X(else, 0, flow) X(endif, 0, flow)               \
    X(while, 0, flow) X(break, 0, flow) X(cont, 0, flow) X(call, 0, call) X(calla, 1, call) X(ret, 1, call)            \
    X(illegal, 0, refused)
enum xe_operation {
#define X(name, sources, how) XE_##name,
    XE_OPERATIONS(X)
#undef X
    XE_unknown,
    XE_OPERATION_COUNT
};
enum xe_function { /* of math and sync; the variant of goto */
    XE_INV = 1, XE_LOG, XE_EXP, XE_SQT, XE_RSQT, XE_SIN, XE_COS, XE_POW, XE_FDIV, XE_IDIV, XE_INVM, XE_RSQTM, XE_TANH,
    XE_SIGM, XE_IQOT, XE_IREM, XE_SYNC_BAR, XE_TO_TARGET_FIRST
};
/* clang-format on */

struct xe_send {
    uint8_t unit;          /* enum xe_unit */
    bool end;              /* ends the thread */
    uint8_t second_length; /* registers of the second payload */
    uint8_t from_address;  /* 1 + the byte of a0 with the extended descriptor; 0: it is in the instruction */
    bool gathered;         /* the payload's registers are numbered by s0.0 */
    uint32_t descriptor, extended;
    bool is_wide; /* Xe3P's form: a descriptor of 64 bits, and perhaps 1 + the byte of s0 with what is added to
                     addresses */
    uint64_t wide;
    uint8_t base, first_length;
};
enum xe_unit { XE_UNIT_UNKNOWN, XE_UGM, XE_SLM, XE_GATEWAY, XE_DC0, XE_DC1, XE_UNITS };

struct xe_instruction {
    uint32_t offset;                           /* bytes from the kernel's beginning */
    uint8_t operation, lanes, first, function; /* lanes `first` to first + lanes - 1 */
    uint8_t condition, class;
    bool everywhere, predicated, inverted, saturate, compacted, flagged, to_accumulator; /* too */
    bool atomic, overwritten; /* of a dpas: the next belongs to it; the next writes what this one does */
    uint16_t flag, predicate; /* the number of the flag's first bit: 16 for f0.1, 32 for f1.0 */
    uint8_t any_of, all_of;   /* so many lanes have the same predicate: whether any of their bits is set, or all are */
    struct xe_operand to, from[3], scales[2]; /* of bdpas: of the second and the third source */
    struct xe_send send;
    uint32_t jump, update; /* labels: bytes until they are linked, then indices */
    uint8_t passes, depth; /* dpas: repeat count and systolic depth */
    uint8_t barrier;       /* sync.bar: which one; 0: that without a name */
    uint32_t line;         /* line number in the text */
    struct xs_site site;   /* for a send in the checked mode */
};

struct xe_code {
    struct xe_instruction *list;
    uint32_t count, bytes;
    char *text; /* IGA's output, line by line, for messages */
};

/* iga.c. False, with the reason in `log`, for an unreadable text. Executing an XE_unknown operation ends the launch. */
bool xe_parse(const char *text, size_t size, const struct xe_family *family, struct xe_code *code, struct sp_text *log);
void xe_code_free(struct xe_code *code);
/* The instruction that begins at, or covers, this byte; UINT32_MAX: none. */
uint32_t xe_find(const struct xe_code *code, uint32_t offset, bool covers);

/* ---- contents of a binary ---- */

enum { XE_MAX_ARGUMENTS = 256, XE_MAX_SURFACES = 240 };
enum { XE_OF_CONSTANTS = XE_MAX_ARGUMENTS, XE_OF_VARIABLES, XE_BUFFERS, XE_NO_BUFFER }; /* after the arguments' */
struct xe_argument {
    char kind[28]; /* arg_bypointer, local_id ... */
    bool is_local, is_constant;
    bool stateful;                 /* messages name its surface; its value is a handle of it */
    int32_t index;                 /* -1: implicit */
    uint32_t offset, size, source; /* source: byte offset in the argument */
};
struct xe_argument_info {
    int32_t index;
    uint32_t bytes;
    uint8_t space; /* enum xs_param_kind */
    char name[64];
};
struct xe_info {
    char name[200];
    uint32_t simd, registers, local_bytes, barriers, inline_bytes, required[3];
    uint32_t scratch_bytes, private_bytes, walk_order;
    uint32_t argument_count, thread_argument_count;
    struct xe_argument arguments[XE_MAX_ARGUMENTS], thread_arguments[4];
    struct xe_argument_info names[XE_MAX_ARGUMENTS];
    uint32_t name_count;
    bool private_is_a_lane;
    uint8_t surface_count;
    struct xe_surface {
        uint32_t number, index; /* in the binding table; of the argument */
    } surfaces[XE_MAX_SURFACES];
};
/* zeinfo.c: calls take(user, kernel) for each kernel. */
bool xe_read_info(const char *text, size_t size, bool (*take)(void *user, const struct xe_info *info), void *user,
                  struct sp_text *log);

struct xe_section {
    const char *name;
    uint32_t type, info, link;
    const uint8_t *data; /* within the binary */
    uint64_t size, align;
};
struct xe_symbol {
    const char *name;
    uint32_t section; /* 0: none */
    uint8_t type;
    uint64_t value, size;
};
struct xe_relocation {
    uint64_t offset;
    uint32_t type, symbol;
    int64_t addend;
};
struct xe_elf {
    const uint8_t *data;
    size_t size;
    struct xe_section *sections;
    struct xe_symbol *symbols;
    uint32_t section_count, symbol_count;
};
bool xe_elf_read(const void *data, size_t size, struct xe_elf *elf, struct sp_text *log);
void xe_elf_free(struct xe_elf *elf);
const struct xe_section *xe_elf_section(const struct xe_elf *elf, const char *name);
/* The relocations of section `of`; *list is malloc'ed. */
bool xe_elf_relocations(const struct xe_elf *elf, uint32_t of, struct xe_relocation **list, uint32_t *count,
                        struct sp_text *log);

/* ---- a loaded module ------- */

struct xe_counts {
    _Atomic uint64_t threads, classes[XE_CLASSES], dpas, messages, loaded, stored, broken;
};

struct xe_kernel {
    struct xs_kernel face;
    struct xe_machine *machine;
    struct xe_info info;
    struct xe_code code;
    uint32_t payload_bytes, thread_bytes; /* in memory: per work-group, per thread */
    uint32_t text_section;
    struct xe_relocation *relocations;
    uint32_t relocation_count;
    atomic_int linked; /* 1: addresses are linked; -1: they cannot be */
    struct xe_counts counts;
    atomic_uint told; /* rule violations reported so far */
};

struct xe_machine {
    const struct xe_target *target;
    struct xs_module face;
    struct xe_kernel **kernels;
    struct xs_kernel *faces;
    struct xs_global *globals;
    struct xs_pointer *pointers;
    uint32_t kernel_count, global_constant, global_variable; /* 1 + index of the globals; 0: none */
    struct xe_elf elf;
    void *binary;
};

/* package.c */
struct xe_text {
    char name[256]; /* section name */
    void *data;
    size_t size;
};
void *xe_package_make(const struct xe_target *target, const void *binary, size_t bytes, const struct xe_text *texts,
                      uint32_t count, size_t *size);

/* link.c */
bool xe_link(struct xe_kernel *k, struct sp_text *log);
/* Writes addresses of functions and variables into the code, once. */
bool xe_link_globals(struct xe_kernel *k, uint8_t *const *globals);

/* ---- running */

enum xe_stop { XE_RUNNING, XE_AT_BARRIER, XE_ENDED, XE_FAILED };
enum { XE_BARRIERS = 32 }; /* of a work-group; 0 is the one without a name */

struct xe_thread {
    _Alignas(64) uint8_t file[FILE_BYTES];
    uint8_t defined[AT_ACC / 4 / 8];    /* a bit per written dword */
    int64_t wide[MAX_LANES];            /* acc0 with its extra bits, written by mul for mach and macl */
    uint32_t target[MAX_LANES];         /* where a waiting lane continues */
    uint32_t ip, next, active, present; /* executing lanes; existing lanes */
    uint32_t rounding;                  /* of cr0 */
    uint32_t grf_bytes, grf_end;        /* the end of the general registers in the file */
    struct {
        uint64_t phase;
        bool arrived;
    } barriers[XE_BARRIERS];
    uint32_t waits_at; /* the barrier of XE_AT_BARRIER */
    enum xe_stop stop;
    uint32_t number;
    struct xe_group *group;
    uint8_t *scratch;
    uint64_t classes[XE_CLASSES], dpas, messages, loaded, stored;
};

struct xe_group {
    struct xe_kernel *kernel;
    struct xs_subgroup *place;
    uint8_t *payload;                   /* the target of a32 addresses relative to the state base */
    uint64_t buffers[XE_BUFFERS]; /* where the surface of an argument begins; 0: it has none */
    size_t payload_bytes;
    uint8_t *local;
    uint64_t local_bytes, scratch_bytes, private_bytes;
    uint8_t *scratch, *private;
    struct xe_thread *threads;
    uint32_t thread_count, running;
    struct {
        uint32_t arrived;
        uint64_t phase;
    } barriers[XE_BARRIERS];
    uint32_t switches; /* XETILE_SOFT_XE_BREAK: deliberate errors */
    char error[200];
};

enum { XE_BREAK_VNNI = 1, XE_BREAK_DPAS = 2, XE_BREAK_TRANSPOSE = 4 };

/* group.c */
int xe_run_groups(struct xs_subgroup *self, const uint8_t *args, uint64_t groups);

/* faults.c. xe_fail ends the launch. */
void xe_fail(struct xe_thread *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports and counts a violation of a hardware rule by the kernel. */
void xe_broken(struct xe_thread *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Does the checked mode, if on, allow this access to global memory? If not, reports it. */
bool xe_allowed(const struct xe_thread *t, const struct xe_instruction *i, uint32_t lane, uint64_t address,
                uint32_t bytes);

/* payload.c */
bool xe_payload_fill(struct xe_group *g, const uint8_t *args);
void xe_payload_place(struct xe_group *g);
void xe_thread_begin(struct xe_thread *t, uint32_t number);
void xe_payload_size(struct xe_kernel *k);
uint64_t xe_scratch_address(const struct xe_thread *t); /* relative to the state base; UINT64_MAX: it has none */

/* execute.c */
void xe_execute(struct xe_thread *t);

/* operands.c */
union xe_value {
    int64_t i;
    double f;
};
struct xe_lanes {
    union xe_value v[MAX_LANES];
};
void xe_read(struct xe_thread *t, const struct xe_instruction *i, const struct xe_operand *o, bool as_float,
             struct xe_lanes *to);
void xe_write(struct xe_thread *t, const struct xe_instruction *i, bool is_float, uint8_t type, uint32_t mask,
              struct xe_lanes *from);
uint32_t xe_mask(const struct xe_thread *t, const struct xe_instruction *i); /* written lanes, from lane 0 */
void xe_define(struct xe_thread *t, uint32_t at, uint32_t bytes);
bool xe_is_defined(const struct xe_thread *t, uint32_t at, uint32_t bytes);
/* Bytes of the whole registers that hold so many. */
static inline uint32_t xe_whole_registers(const struct xe_thread *t, uint32_t bytes)
{
    return (bytes + t->grf_bytes - 1) / t->grf_bytes * t->grf_bytes;
}
static inline bool xe_is_float(uint8_t type) { return xe_types[type].kind == XE_FLOAT; }

/* Groups of instructions. */
void xe_alu(struct xe_thread *t, const struct xe_instruction *i);
void xe_dpas(struct xe_thread *t, const struct xe_instruction *i);
void xe_send(struct xe_thread *t, const struct xe_instruction *i);
void xe_block2d(struct xe_thread *t, const struct xe_instruction *i, uint32_t payload, uint32_t data);
void xe_describe_site(struct xe_instruction *i); /* for sends, in the checked mode */
double xe_math(uint8_t function, double a, double b);

/* count.c */
void xe_count_thread(struct xe_kernel *k, const struct xe_thread *t);
void xe_report(struct xe_machine *m);
uint8_t xe_class_of(const struct xe_instruction *i);

#endif
