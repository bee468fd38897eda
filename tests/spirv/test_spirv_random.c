/* test_spirv_random.c - random calls of spirv_emit.h: every instruction of its table and all other functions (public
 * names that are not called are listed with a reason), with operands that fit, and now and then with some that do not.
 * Each program ends in a module that spirv-val accepts, or in an error with an id, a text that names the call, and its
 * line; none leaks, whenever the allocator fails. With THOROUGH=1, 10,000 programs.
 *
 *     RANDOM_PROGRAMS=1000 RANDOM_SEED=7 build/test_spirv_random     more of them; RANDOM_PRINT=1 prints each one's
 * error
 *
 * With XETILE_SPV_DIR set, modules are saved there as spirv_random_SEED.spv, for spirv-val. */
#undef XETILE_DECLARATIONS /* the bodies are here: every piece of memory is an allocation of its own, which may fail   \
                            */
#define SPE_CHUNK 0
#include "random_choices.h"
#include "spirv_emit.h"

enum { POOL = 400, STACK = 12, PROGRAMS = 200 };

/* ---- the program being written ----------------------------------------------------------------------------------- */

typedef struct {
    int kind;   /* of a region: 'i' if, 'e' its else, 'f' for, 'w' while, 'b' its body, 's' switch, 'c' a case */
    int values; /* values of the pool when it was opened */
    uint32_t n, cases, next, order; /* carried values; a switch's literals, and those that have been opened */
    spe_id carried[4], types[4];
} region;

static struct {
    spe_module m;
    uint64_t seed;
    int careless; /* per thousand: operands that need not fit */
    int line;     /* of the call, for errors: counts calls */
    spe_id values[POOL], types[POOL], functions[8];
    int value_count, type_count, function_count;
    region stack[STACK];
    int depth;
    bool in_function, is_kernel, hinted;
    spe_id returns;
    const char *error_of; /* the call that failed */
    uint32_t minor;       /* of the version */
    int image_access;
    bool moded, exported;
    int live, fail_at, allocations; /* the allocator's blocks; which allocation fails (0: none) */
} p;

static void *counted_realloc(void *user, void *old, size_t size)
{
    (void)user;
    if (!size) {
        if (old) p.live--;
        free(old);
        return NULL;
    }
    if (++p.allocations == p.fail_at) return NULL;
    void *block = realloc(old, size);
    if (!old && block) p.live++;
    return block;
}

/* Each call has a line of its own. */
static spe_module *at(void) { return spe_at(&p.m, "random.c", ++p.line); }

/* The functions that were called. */
static struct {
    char name[48];
} called[512];
static int called_count;

static bool was_called(const char *name)
{
    for (int i = 0; i < called_count; i++)
        if (!strcmp(called[i].name, name)) return true;
    return false;
}

/* Notes that a function returned: that it was called, and whether it is the one that failed. */
static void done(const char *name);
static spe_id made(const char *name, spe_id id)
{
    done(name);
    return id;
}
/* A call that returns an id; one that returns nothing, or what nobody needs; one that asks and cannot fail. */
#define GET(fn, ...) made("spe_" #fn, spe_##fn(at(), __VA_ARGS__))
#define GET0(fn) made("spe_" #fn, spe_##fn(at()))
#define DO(fn, ...) (spe_##fn(at(), __VA_ARGS__), done("spe_" #fn))
#define DO0(fn) (spe_##fn(at()), done("spe_" #fn))
#define ASK(fn, ...) (done("spe_" #fn), spe_##fn(&p.m, __VA_ARGS__))
#define ASK0(fn) (done("spe_" #fn), spe_##fn(&p.m))

static void done(const char *name)
{
    if (!was_called(name)) snprintf(called[called_count++].name, sizeof called->name, "%s", name);
    if (!p.error_of && !spe_ok(&p.m)) p.error_of = name;
}

static bool careless(void) { return below(1000) < p.careless; }

static uint32_t any_word(void)
{
    static const uint32_t words[] = {0,  1,   2,   3,     7,     8,          16,         31,        32,
                                     64, 100, 255, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff};
    return chance(50) ? ONE_OF(words) : (uint32_t)below(200);
}

static spe_id any_id(void)
{
    if (p.value_count && chance(60)) return p.values[below(p.value_count)];
    if (p.type_count && chance(50)) return p.types[below(p.type_count)];
    return any_word();
}

static spe_id keep(spe_id id)
{
    if (id && p.value_count < POOL && spe_type_of(&p.m, id)) p.values[p.value_count++] = id;
    return id;
}
static spe_id keep_type(spe_id id)
{
    if (id && p.type_count < POOL) p.types[p.type_count++] = id;
    return id;
}

/* ---- choosing operands ------------------------------------------------------------------------------------------- */

typedef bool fits(spe_id type, uint32_t extra);

static bool of_kind(spe_id type, uint32_t kinds)
{
    spe_type_info t = spe_info(&p.m, type);
    if (t.kind == SPE_KIND_VECTOR) t = spe_info(&p.m, t.elem);
    return (kinds >> t.kind & 1) && t.encoding == SPE_IEEE;
}
static bool scalar_of_kind(spe_id type, uint32_t kinds)
{
    return spe_info(&p.m, type).kind != SPE_KIND_VECTOR && of_kind(type, kinds);
}
static bool of_image(spe_id type, uint32_t none) { return (void)none, spe_info(&p.m, type).kind == SPE_KIND_IMAGE; }
static bool same(spe_id type, uint32_t other) { return type == other; }
static bool anything(spe_id type, uint32_t none)
{
    spe_kind kind = spe_info(&p.m, type).kind;
    return (void)none, kind != SPE_KIND_VOID && kind != SPE_KIND_IMAGE && kind != SPE_KIND_SAMPLER;
}
static bool pointer_to_writable(spe_id type, uint32_t none)
{
    spe_type_info t = spe_info(&p.m, type);
    (void)none;
    return t.kind == SPE_KIND_POINTER && t.storage != SPE_StorageClassUniformConstant;
}
static bool pointer_to_numbers(spe_id type, uint32_t none)
{
    spe_type_info t = spe_info(&p.m, type), e = spe_info(&p.m, t.elem);
    return pointer_to_writable(type, none) &&
           (e.kind == SPE_KIND_INT || e.kind == SPE_KIND_FLOAT || e.kind == SPE_KIND_VECTOR);
}
static bool pointer_to(spe_id type, uint32_t target)
{
    spe_type_info t = spe_info(&p.m, type);
    return t.kind == SPE_KIND_POINTER && (!target || t.elem == target);
}
static bool pointer_to_parts(spe_id type, uint32_t none)
{
    spe_type_info t = spe_info(&p.m, type), e = spe_info(&p.m, t.elem);
    (void)none;
    return t.kind == SPE_KIND_POINTER &&
           (e.kind == SPE_KIND_VECTOR || e.kind == SPE_KIND_ARRAY || e.kind == SPE_KIND_STRUCT);
}
static bool global_numbers(spe_id type, uint32_t none)
{
    return pointer_to_numbers(type, none) && spe_info(&p.m, type).storage == SPE_StorageClassCrossWorkgroup;
}
static bool pointer_to_number(spe_id type, uint32_t bits)
{
    spe_type_info t = spe_info(&p.m, type), e = spe_info(&p.m, t.elem);
    return t.kind == SPE_KIND_POINTER && t.storage != SPE_StorageClassUniformConstant &&
           (e.kind == SPE_KIND_INT || e.kind == SPE_KIND_FLOAT) && e.encoding == SPE_IEEE && (!bits || e.bits >= bits);
}
static bool is_bool(spe_id type, uint32_t count)
{
    return of_kind(type, 1u << SPE_KIND_BOOL) && (spe_count(&p.m, type) == 1 || spe_count(&p.m, type) == count);
}

/* A value whose type fits; else a new constant or undefined value of type `other`; 0 if that is 0 too. */
static spe_id value_of(fits *fit, uint32_t extra, spe_id other)
{
    spe_id found[POOL];
    int n = 0;
    if (careless()) return any_id();
    for (int i = 0; i < p.value_count; i++)
        if (fit(spe_type_of(&p.m, p.values[i]), extra)) found[n++] = p.values[i];
    if (n && chance(90)) return found[below(n)];
    if (!other) return n ? found[below(n)] : 0;
    spe_kind kind = spe_info(&p.m, other).kind;
    if ((kind == SPE_KIND_INT || kind == SPE_KIND_FLOAT) && chance(50)) return keep(GET(const_i, other, below(100)));
    return keep(chance(50) ? GET(null, other) : GET(undef, other));
}

static spe_id of_type(spe_id type) { return value_of(same, type, type); }
static spe_id i32(void) { return GET(int, 32); }
static spe_id an_i32(void) { return of_type(i32()); }

static spe_id random_scalar(uint32_t kinds)
{
    static const uint32_t sizes[] = {8, 16, 32, 64};
    if (careless()) return any_id();
    for (;;) {
        int k = below(4);
        if (k < 2 && (kinds >> SPE_KIND_INT & 1)) return keep_type(GET(int, ONE_OF(sizes)));
        if (k == 2 && (kinds >> SPE_KIND_FLOAT & 1)) return keep_type(GET(float, sizes[1 + below(3)]));
        if (k == 3 && (kinds >> SPE_KIND_BOOL & 1)) return keep_type(GET0(bool));
    }
}

enum { INTS = 1 << SPE_KIND_INT, FLOATS = 1 << SPE_KIND_FLOAT, BOOLS = 1 << SPE_KIND_BOOL, NUMBERS = INTS | FLOATS };

/* A scalar or vector type. */
static spe_id random_type(uint32_t kinds)
{
    static const uint32_t counts[] = {2, 3, 4, 8, 16};
    spe_id scalar = random_scalar(kinds);
    if (chance(50)) return scalar;
    return keep_type(GET(vec, scalar, careless() ? any_word() : ONE_OF(counts)));
}

/* A type that memory can hold. */
static spe_id random_memory_type(int depth)
{
    spe_id members[4];
    uint32_t n = 1 + (uint32_t)below(4);
    if (depth > 2 || chance(60)) return random_type(NUMBERS);
    if (chance(50)) return keep_type(GET(array, random_memory_type(depth + 1), careless() ? any_word() : n));
    for (uint32_t i = 0; i < n; i++) members[i] = random_memory_type(depth + 1);
    return keep_type(GET(struct, n, members));
}

static uint32_t random_alignment(void)
{
    static const uint32_t alignments[] = {0, 0, 0, 1, 2, 4, 8, 16, 64};
    return careless() ? any_word() : ONE_OF(alignments);
}

static spe_id pointer_of(fits *fit)
{
    spe_id found = value_of(fit, 0, 0);
    return found ? found
                 : keep(chance(50) ? GET(local_var, random_memory_type(0)) : GET(shared_var, random_memory_type(0)));
}
static spe_id pointer(void) { return pointer_of(pointer_to); }
static spe_id scope(void) { return careless() ? any_word() : 1 + (uint32_t)below(3); }
static uint32_t semantics(void)
{
    static const uint32_t some[] = {0, 0x100 | 0x2, 0x200 | 0x8, 0x200 | 0x4, 0x300 | 0x8};
    return careless() ? any_word() : ONE_OF(some);
}
static spe_id atomic_pointer(void)
{
    spe_id found = value_of(pointer_to_number, 32, 0);
    return found ? found : keep(GET(shared_var, i32()));
}

/* An operand for letter `c` of a form (see SPE_INSTRUCTIONS_), of whose operands `args` come before. */
typedef struct {
    spe_id first, given, target;
} context;

static spe_id operand(const char *name, const char *form, char c, context *x)
{
    spe_id v = 0;
    uint32_t n;
    switch (c) {
    case 'i':
    case 'g': v = value_of(of_kind, INTS, random_type(INTS)); break;
    case 'f':
    case 'r':
    case 'd': v = value_of(of_kind, FLOATS, random_type(FLOATS)); break;
    case 'b': v = value_of(of_kind, BOOLS, random_type(BOOLS)); break;
    case 'u': v = value_of(of_kind, NUMBERS | BOOLS, random_type(NUMBERS | BOOLS)); break;
    case 'v': v = value_of(anything, 0, random_type(NUMBERS | BOOLS)); break;
    case 'h': v = of_type(GET(vec, spe_int(&p.m, 16), 4)); break;
    case 's': v = of_type(GET(vec, spe_float(&p.m, 32), 4)); break;
    case 'I': v = value_of(scalar_of_kind, INTS, i32()); break;
    case 'B': v = of_type(spe_bool(&p.m)); break;
    case 'N': v = value_of(scalar_of_kind, NUMBERS, i32()); break;
    case 'x': v = an_i32(); break;
    case 'y': v = of_type(GET(vec, i32(), 4)); break;
    case '=': v = of_type(x->first); break;
    case '~': v = of_type(x->given); break;
    case 'q':
        n = spe_count(&p.m, x->first);
        v = of_type(n > 1 ? GET(vec, i32(), n) : i32());
        break;
    case 'p': v = strchr(form, 'e') ? pointer_of(pointer_to_numbers) : pointer(); break;
    case 'c': v = pointer_of(strchr(form, 'e') ? pointer_to_numbers : pointer_to_writable); break;
    case 'P': v = atomic_pointer(); break;
    case '*':
    case 'J':
    case 'G':
    case 'E':
    case 'e': v = of_type(x->target); break;
    case 'n': v = careless() ? value_of(scalar_of_kind, INTS, i32()) : GET(i32, 1 + below(64)); break;
    case 'z': return scope();
    case 'j': return strstr(name, "load") && !careless() ? 0 : semantics();
    case 'k': return careless() ? any_word() : (uint32_t)below(4);
    case 'l':
    case '?': return careless() ? any_word() : (uint32_t)below(3);
    case 'a':
    case 'A': return random_alignment();
    case 'T': return (uint32_t)chance(50);
    case 't': return x->given = random_type(NUMBERS);
    default: return any_id();
    }
    spe_type_info t = spe_info(&p.m, spe_type_of(&p.m, v));
    if (t.kind == SPE_KIND_POINTER) x->target = t.elem;
    if (!x->first) x->first = spe_type_of(&p.m, v);
    return v;
}

static void operands(const char *name, const char *form, uint32_t *args)
{
    int i = 0;
    context x = {0, 0, 0};
    for (int n = 0; form[i] && form[i] != ':' && n < 8; i++)
        if (!strchr("SWR", form[i])) args[n++] = operand(name, form, form[i], &x);
}

/* ---- the table of instructions ----------------------------------------------------------------------------------- */

#define ARGUMENT(i, name) a[i]
#define CALL_A(name, op, form)                                                                                         \
    static void call_##name(void)                                                                                      \
    {                                                                                                                  \
        uint32_t a[8] = {0};                                                                                           \
        operands(#name, form, a);                                                                                      \
        keep(made(#name, name(at(), a[0])));                                                                           \
    }
#define CALL_AB(name, op, form)                                                                                        \
    static void call_##name(void)                                                                                      \
    {                                                                                                                  \
        uint32_t a[8] = {0};                                                                                           \
        operands(#name, form, a);                                                                                      \
        keep(made(#name, name(at(), a[0], a[1])));                                                                     \
    }
#define CALL_TO(name, op, form)                                                                                        \
    static void call_##name(void) { convert(#name, name, form); }
#define CALL_GIVES(name, op, form, ...)                                                                                \
    static void call_##name(void)                                                                                      \
    {                                                                                                                  \
        uint32_t a[8] = {0};                                                                                           \
        operands(#name, form, a);                                                                                      \
        keep(made(#name, name(at(), SPE_EACH(ARGUMENT, SPE_COMMA, __VA_ARGS__))));                                     \
    }
#define CALL_DOES(name, op, form, ...)                                                                                 \
    static void call_##name(void)                                                                                      \
    {                                                                                                                  \
        uint32_t a[8] = {0};                                                                                           \
        operands(#name, form, a);                                                                                      \
        name(at(), SPE_EACH(ARGUMENT, SPE_COMMA, __VA_ARGS__)), done(#name);                                           \
    }

static spe_id pointer_type(void)
{
    static const uint32_t storages[] = {SPE_StorageClassCrossWorkgroup, SPE_StorageClassWorkgroup,
                                        SPE_StorageClassFunction, SPE_StorageClassGeneric,
                                        SPE_StorageClassUniformConstant};
    return keep_type(GET(ptr, careless() ? any_word() : ONE_OF(storages), random_memory_type(0)));
}

/* A conversion of a random value to a type with as many components. */
static void convert(const char *name, spe_id (*fn)(spe_module *, spe_id, spe_id), const char *form)
{
    context x = {0, 0, 0};
    spe_id v = operand("", form, form[0], &x), type;
    uint32_t n = spe_count(&p.m, spe_type_of(&p.m, v));
    if (form[0] == 'p' || form[2] == 'p') {
        if (form[2] == 'p') v = value_of(scalar_of_kind, INTS, i32());
        type = form[2] == 'p' ? pointer_type() : random_scalar(INTS);
    } else {
        type = random_scalar(form[2] == 'f' ? FLOATS : INTS);
        if (n > 1) type = GET(vec, type, n);
    }
    keep(made(name, fn(at(), type, v)));
}

SPE_INSTRUCTIONS_(CALL_A, CALL_AB, CALL_TO, CALL_GIVES, CALL_DOES)
#define ROW(name, ...) call_##name,
#define NAME(name, ...) #name,
static void (*const instructions[])(void) = {SPE_INSTRUCTIONS_(ROW, ROW, ROW, ROW, ROW)};

static const char *const instruction_names[] = {SPE_INSTRUCTIONS_(NAME, NAME, NAME, NAME, NAME)};

/* Those of cooperative matrices and vectors need types that these programs do not have. */
static void one_instruction(void)
{
    int i = below((int)(sizeof instructions / sizeof *instructions));
    if (!strstr(instruction_names[i], "coop") || careless()) instructions[i]();
}

/* ---- other functions --------------------------------------------------------------------------------------------- */

static spe_id number(void) { return value_of(of_kind, NUMBERS, random_type(NUMBERS)); }
static void constants(void)
{
    spe_id type = random_type(NUMBERS), parts[16], same_type = random_type(NUMBERS | BOOLS);
    uint32_t n = spe_count(&p.m, same_type);
    uint64_t bits = chance(50) ? any_word() : test_random();
    switch (below(8)) {
    case 0: keep(GET(const_u, type, careless() ? bits : bits & 127)); break;
    case 1: keep(GET(const_i, type, careless() ? (int64_t)bits : (int64_t)(bits & 127) - 64)); break;
    case 2:
        keep(GET(const_f, careless() ? type : random_type(FLOATS), careless() ? 1e300 * 1e300 : test_normal()));
        break;
    case 3: keep(GET(const_bool, chance(50))); break;
    case 4: keep(GET(null, random_memory_type(0))); break;
    case 5: keep(GET(undef, type)); break;
    case 6:
        keep(GET(spec_const, random_scalar(NUMBERS | BOOLS), careless() ? bits : bits & 1, (uint32_t)below(8)));
        break;
    case 7:
        if (n < 2) break;
        for (uint32_t i = 0; i < n; i++)
            parts[i] = careless() ? any_id() : GET(const_u, spe_scalar_of(&p.m, same_type), (uint64_t)below(2));
        keep(GET(composite_const, same_type, careless() ? any_word() % 16 : n, parts));
        break;
    }
}

static void conversions(void)
{
    spe_id v = number(), type = random_scalar(NUMBERS | BOOLS);
    uint32_t n = spe_count(&p.m, spe_type_of(&p.m, v));
    if (n > 1 && !careless()) type = GET(vec, type, n);
    switch (below(4)) {
    case 0: keep(GET(cast, type, v, chance(50))); break;
    case 1: keep(GET(bitcast, careless() ? type : spe_type_of(&p.m, v), v)); break;
    case 2: keep(GET(ptr_cast, pointer(), random_memory_type(0))); break;
    case 3: keep(GET(select, value_of(is_bool, n, spe_bool(&p.m)), v, of_type(spe_type_of(&p.m, v)))); break;
    }
}

static void composites(void)
{
    spe_id v = number(), type = spe_type_of(&p.m, v), parts[16];
    uint32_t n = spe_count(&p.m, type), idx[16], i;
    spe_id elem = spe_scalar_of(&p.m, type), other;
    switch (below(8)) {
    case 0: keep(GET(extract, v, careless() ? any_word() : (uint32_t)below((int)n + !n))); break;
    case 1: keep(GET(insert, v, of_type(elem), careless() ? any_word() : (uint32_t)below((int)n + !n))); break;
    case 2:
        if (n > 1 || careless()) keep(GET(extract_dyn, v, an_i32()));
        break;
    case 3:
        if (n > 1 || careless()) keep(GET(insert_dyn, v, of_type(elem), an_i32()));
        break;
    case 4:
        for (i = 0; i < 16; i++) parts[i] = of_type(elem);
        keep(GET(construct, type, careless() ? any_word() % 17 : n, parts));
        break;
    case 5: keep(GET(splat, careless() ? random_memory_type(0) : type, of_type(elem))); break;
    case 6:
        other = value_of(same, type, type);
        for (i = 0; i < 16; i++) idx[i] = careless() ? any_word() : (uint32_t)below(2 * (int)n + !n);
        if (n > 1 || careless()) keep(GET(shuffle, v, other, careless() ? any_word() % 17 : 1u << below(5), idx));
        break;
    case 7: keep(GET(bits_extract, value_of(of_kind, INTS, i32()), an_i32(), an_i32(), chance(50))); break;
    }
}

static void memory(void)
{
    spe_id ptr = pointer(), indices[3] = {GET(u32, (uint32_t)below(careless() ? 9 : 1)), an_i32(), an_i32()};
    switch (below(6)) {
    case 0: keep(GET(local_var, random_memory_type(0))); break;
    case 1: keep(GET(shared_var, random_memory_type(0))); break;
    case 2:
        ptr = value_of(pointer_to_parts, 0, 0);
        if (ptr) keep(GET(element, ptr, careless() ? any_word() % 4 : 1, indices));
        break;
    case 3:
        if (ptr) DO(cache_load, GET(copy, ptr), (uint32_t)below(4), (uint32_t)below(4));
        break;
    case 4:
        ptr = value_of(global_numbers, 0, 0);
        if (ptr) DO(prefetch, ptr, value_of(scalar_of_kind, INTS, i32()));
        break;
    case 5:
        keep(GET(global_var, careless() ? (uint32_t)below(12) : SPE_StorageClassCrossWorkgroup, random_memory_type(0),
                  careless() ? any_id() : 0));
        break;
    }
}

static void mathematics(void)
{
#define NAME_OF(name, name_in_set, number, operands) {number, operands},
    static const struct {
        int op, operands;
    } rows[] = {SPE_MATH_LIST(NAME_OF)};
    int i = below((int)(sizeof rows / sizeof *rows));
    bool integers = rows[i].op >= (int)SPE_SABS,
         power = rows[i].op == SPE_LDEXP || rows[i].op == SPE_POWN || rows[i].op == SPE_ROOTN;
    uint32_t kinds = integers ? INTS : FLOATS;
    spe_id args[3] = {value_of(of_kind, kinds, random_type(kinds)), 0, 0}, type = spe_type_of(&p.m, args[0]),
           second = type;
    if (power) second = spe_count(&p.m, type) > 1 ? GET(vec, i32(), spe_count(&p.m, type)) : i32();
    args[1] = of_type(second), args[2] = of_type(type);
    keep(GET(math, (spe_math_op)(careless() ? (int)any_word() : rows[i].op),
              (uint32_t)(careless() ? below(4) : rows[i].operands), args));
}

static void groups(void)
{
#define NAMED(fn) {#fn, fn}
    static const struct {
        const char *name;
        spe_reduce_fn_ *fn;
    } reduce[] = {NAMED(spe_sg_reduce), NAMED(spe_sg_scan_inclusive), NAMED(spe_sg_scan_exclusive),
                  NAMED(spe_wg_reduce), NAMED(spe_wg_scan_inclusive), NAMED(spe_wg_scan_exclusive)};
    static const struct {
        const char *name;
        spe_does_ *fn;
    } barriers[] = {NAMED(spe_barrier), NAMED(spe_sg_barrier), NAMED(spe_barrier_arrive), NAMED(spe_barrier_wait)};
    int which = below(6), wait = below(4);
    static const spe_reduction of_ints[] = {SPE_RED_ADD,  SPE_RED_MUL, SPE_RED_SMIN,
                                            SPE_RED_UMAX, SPE_RED_AND, SPE_RED_XOR};
    static const spe_reduction of_floats[] = {SPE_RED_ADD, SPE_RED_MUL, SPE_RED_FMIN, SPE_RED_FMAX};
    spe_id v = number();
    bool ints = of_kind(spe_type_of(&p.m, v), INTS);
    spe_reduction red = careless() ? (spe_reduction)below(13) : ints ? ONE_OF(of_ints) : ONE_OF(of_floats);
    switch (below(7)) {
    case 0: keep(made(reduce[which].name, reduce[which].fn(at(), red, v))); break;
    case 1: keep(GET(sg_reduce_clustered, red, v, careless() ? any_word() : 1u << below(5))); break;
    case 2: keep(GET(sg_broadcast, v, an_i32())); break;
    case 3: keep(GET0(sg_elect)); break;
    case 4: barriers[wait].fn(at()), done(barriers[wait].name); break;
    case 5:
        v = value_of(of_kind, FLOATS, random_type(FLOATS));
        keep(GET(dot, v, of_type(spe_type_of(&p.m, v))));
        break;
    case 6: keep(GET(dot_bytes, an_i32(), chance(50), an_i32(), chance(50))); break;
    }
}

static void atomics(void)
{
    spe_id ptr = atomic_pointer(), target = spe_info(&p.m, spe_type_of(&p.m, ptr)).elem;
    bool ints = spe_info(&p.m, target).kind == SPE_KIND_INT;
    spe_atomic_op op = (spe_atomic_op)(ints ? below(10) : (int)SPE_ATOMIC_EXCHANGE + below(4));
    if (!ptr && !careless()) return;
    switch (below(3)) {
    case 0:
        keep(GET(atomic, careless() ? (spe_atomic_op)any_word() : op, ptr, of_type(target), scope(), semantics()));
        break;
    case 1: DO(atomic_store, ptr, of_type(target), scope(), careless() ? semantics() : 0); break;
    case 2:
        if (ints || careless()) keep(GET(atomic_cas, ptr, of_type(target), of_type(target), scope(), semantics()));
        break;
    }
}

/* A decoration and literals, which need not exist, of an id that it may not fit. */
static void decorate_any(void)
{
    static const uint32_t some[] = {
        SPE_DecorationCPacked, SPE_DecorationRestrict, SPE_DecorationVolatile, SPE_DecorationConstant,
        SPE_DecorationNonWritable, SPE_DecorationFuncParamAttr, SPE_DecorationFPRoundingMode, SPE_DecorationAlignment,
        SPE_DecorationMaxByteOffset, SPE_DecorationNoSignedWrap, SPE_DecorationNoUnsignedWrap, SPE_DecorationSpecId,
        SPE_DecorationFPFastMathMode, SPE_DecorationBuiltIn, SPE_DecorationAliased, SPE_DecorationSaturatedConversion};
    uint32_t words[3] = {any_word(), any_word(), any_word()}, decoration = chance(80) ? ONE_OF(some) : any_word();
    uint32_t n = decoration == SPE_DecorationFuncParamAttr || decoration == SPE_DecorationFPRoundingMode ||
                         decoration == SPE_DecorationAlignment || decoration == SPE_DecorationMaxByteOffset ||
                         decoration == SPE_DecorationSpecId || decoration == SPE_DecorationFPFastMathMode ||
                         decoration == SPE_DecorationBuiltIn;
    DO(decorate, any_id(), decoration, chance(90) ? n : any_word() % 3, words);
}

static void decorations(void)
{
    uint32_t word = 4;
    if (p.careless && chance(20)) decorate_any();
    switch (below(4)) {
    case 0: DO(name, careless() ? any_id() : i32(), "some name"); break;
    case 1: DO(decorate, careless() ? any_id() : GET(copy, pointer()), SPE_DecorationAlignment, 1, &word); break;
    case 2:
        keep(GET(builtin, (spe_builtin_name)(careless() ? (int)any_word() : below(SPE_BUILTIN_COUNT_)),
                  careless() ? any_word() : 0));
        break;
    case 3: keep(GET(builtin, SPE_GLOBAL_ID, (uint32_t)below(3))); break;
    }
}

#include "random_whole_api.h"

/* ---- control flow ------------------------------------------------------------------------------------------------ */

/* Values made since the region was opened go out of scope. */
static void forget(region *r)
{
    if (!careless()) p.value_count = r->values;
}

static region *push(int kind)
{
    region *r = &p.stack[p.depth++];
    memset(r, 0, sizeof *r);
    r->kind = kind;
    r->values = p.value_count;
    return r;
}

static void choose_carried(region *r)
{
    r->n = (uint32_t)below(4);
    for (uint32_t i = 0; i < r->n; i++) r->carried[i] = number(), r->types[i] = spe_type_of(&p.m, r->carried[i]);
}
static void next_carried(region *r)
{
    for (uint32_t i = 0; i < r->n; i++) r->carried[i] = of_type(r->types[i]);
}

static void open_region(void)
{
    int64_t literals[4] = {-1, 5, 7, 100};
    if (p.depth == STACK) return;
    spe_id condition = of_type(spe_bool(&p.m)), integer = an_i32();
    if (chance(20)) hint();
    else p.hinted = false;
    region *r = push(p.hinted ? "fwr"[below(3)] : "ifwsr"[below(5)]);
    p.hinted = false;
    if (r->kind == 'i') {
        choose_carried(r);
        DO(if, condition);
    } else if (r->kind == 's') {
        r->cases = 1 + (uint32_t)below(4);
        choose_carried(r);
        DO(switch, integer, r->cases, literals);
    } else {
        choose_carried(r);
        if (r->kind == 'w')
            DO(while, r->n, r->carried);
        else if (r->kind == 'r')
            keep(GET(for_range, integer, an_i32(), careless() ? an_i32() : GET(i32, below(2) ? 2 : -1), chance(50),
                     r->n, r->carried));
        else keep(GET(for, integer, an_i32(), careless() ? an_i32() : GET(i32, 1 + below(3)), r->n, r->carried));
        for (uint32_t i = 0; i < r->n; i++) keep(r->carried[i]);
    }
}

static void next_side(region *r)
{
    if (r->kind == 'w') {
        DO(while_test, of_type(spe_bool(&p.m)));
        r->kind = 'b';
        return;
    }
    if (r->kind == 's') {
        r->values = p.value_count;
        if (r->next < r->cases)
            DO(case, r->next);
        else
            DO0(default);
        r->next++;
        r->kind = 'c';
        return;
    }
    next_carried(r);
    if (r->kind == 'i')
        DO(else, r->n, r->carried);
    else
        DO(endcase, r->n, r->carried);
    r->kind = r->kind == 'i' ? 'e' : 's';
    forget(r);
}

static void close_region(void)
{
    region *r = &p.stack[p.depth - 1];
    spe_id out[4] = {0};
    bool from = r->kind == 'i' && r->n && chance(30);
    if (r->kind == 'w' || r->kind == 'c' || (r->kind == 's' && r->next <= r->cases) ||
        (r->kind == 'i' && r->n && !from)) {
        next_side(r);
        return;
    }
    if (from) { /* the carried values were made before the region */
        spe_id then_values[4];
        memcpy(out, r->carried, sizeof out);
        next_carried(r);
        memcpy(then_values, r->carried, sizeof then_values);
        DO(endif_from, careless() ? any_word() % 4 : r->n, then_values, out, r->carried);
        forget(r);
        p.depth--;
        for (uint32_t i = 0; i < r->n; i++) keep(r->carried[i]);
        return;
    }
    next_carried(r);
    memcpy(out, r->carried, sizeof out);
    if (r->kind == 'i' || r->kind == 'e')
        DO(endif, r->kind == 'i' ? 0 : r->n, out, out);
    else if (r->kind == 's')
        DO(endswitch, r->n, out);
    else if (r->kind == 'f' || r->kind == 'r')
        DO(endfor, r->n, out);
    else
        DO(endwhile, r->n, out);
    forget(r);
    p.depth--;
    if (r->kind != 'i')
        for (uint32_t i = 0; i < r->n; i++) keep(out[i]);
}

static void open_function(void)
{
    spe_param params[6];
    spe_id types[6];
    uint32_t n = (uint32_t)below(6);
    char name[32];
    memset(params, 0, sizeof params);
    p.is_kernel = chance(60);
    p.moded = p.exported = false;
    p.image_access = below(3);
    for (uint32_t i = 0; i < n; i++) {
        params[i].type = types[i] = chance(40) ? random_type(NUMBERS) : pointer_type();
        if (spe_info(&p.m, types[i]).kind == SPE_KIND_POINTER && p.is_kernel && !careless())
            params[i].type = types[i] = GET(ptr, SPE_StorageClassCrossWorkgroup, spe_info(&p.m, types[i]).elem);
        params[i].name = chance(50) ? "p" : NULL;
    }
    if (n && chance(20)) {
        params[0].type = types[0] = keep_type(GET(image, SPE_Dim2D, false, (uint32_t)p.image_access));
        params[0].align = 0;
    }
    snprintf(name, sizeof name, "f%d", p.line);
    spe_kernel k = {name, careless() ? any_word() : 16, {16, 1, 0}, careless() ? any_word() : 0, params, n,
                    chance(50) ? SPE_CONTRACT_OFF : SPE_CONTRACT_ALLOWED};
    p.returns = GET0(void);
    if (!p.is_kernel && chance(50)) p.returns = random_type(NUMBERS);
    if (p.is_kernel)
        DO(kernel_begin, &k);
    else if (p.function_count < 7) {
        if (chance(70)) p.functions[p.function_count] = GET(function_begin, name, p.returns, n, types);
        else {
            p.functions[p.function_count] = GET(function_declare, name, p.returns, n, types);
            if (!careless()) DO(function_define, p.functions[p.function_count]);
        }
        p.function_count++;
    }
    else
        return;
    p.in_function = true;
    for (uint32_t i = 0; i < n; i++) keep(GET(param_id, i));
}

static void close_function(void)
{
    if (!p.is_kernel && p.returns != spe_void(&p.m)) DO(return_value, of_type(p.returns));
    if (p.is_kernel)
        DO0(kernel_end);
    else
        DO0(function_end);
    p.in_function = false;
    p.value_count = 0;
}

static void call_function(void)
{
    spe_id args[6], fn = p.function_count ? p.functions[below(p.function_count)] : 0;
    if (careless()) fn = any_id();
    if (!fn || (!careless() && !p.is_kernel)) return;
    memset(args, 0, sizeof args);
    spe_type_info t = spe_info(&p.m, p.m.ids[fn < p.m.id_count ? fn : 0].serial);
    uint32_t n = t.kind == SPE_KIND_FUNCTION ? t.count : 0;
    for (uint32_t i = 0; i < n && i < 6; i++) {
        spe_id member = spe_info(&p.m, p.m.ids[fn].serial).members[i];
        args[i] = value_of(same, member, spe_info(&p.m, member).kind == SPE_KIND_POINTER ? 0 : member);
        if (!args[i]) return;
    }
    keep(GET(call, fn, careless() ? any_word() % 6 : n, args));
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static void one_step(void)
{
    static void (*const others[])(void) = {constants, conversions, composites,  memory,       mathematics,
                                           groups,    atomics,     decorations, call_function,
                                           types,     more_constants, by_number, either,       matrices,
                                           vectors_of_networks, blocks, images, texts, for_intel, of_functions};
    bool between = p.depth && p.stack[p.depth - 1].kind == 's' && !careless();
    if (between)
        close_region();
    else if (chance(6))
        open_region();
    else if (p.depth && chance(8))
        close_region();
    else if (chance(2))
        leave();
    else if (chance(50))
        one_instruction();
    else
        ONE_OF(others)();
}

static void import_function(void)
{
    spe_id types[2] = {random_type(NUMBERS), random_type(NUMBERS)};
    char name[32];
    snprintf(name, sizeof name, "i%d", p.line);
    if (p.function_count < 7)
        p.functions[p.function_count++] = GET(function_import, name, random_type(NUMBERS), (uint32_t)below(3), types);
}

static void write_function(int steps)
{
    if (chance(10)) import_function();
    open_function();
    if (!p.in_function) return;
    for (int i = 0; i < steps && spe_ok(&p.m); i++) one_step();
    while (p.depth && spe_ok(&p.m)) close_region();
    close_function();
}

static void write_program(uint64_t seed, int fail_at)
{
    spe_options o;
    memset(&p, 0, sizeof p);
    memset(&o, 0, sizeof o);
    test_.random = seed;
    p.seed = seed;
    p.careless = chance(50) ? 0 : below(100) * below(10) / 10;
    p.fail_at = fail_at;
    p.minor = (uint32_t)(chance(80) ? 4 + below(3) : below(7));
    o.version = SPE_VERSION(1, p.minor);
    o.names = chance(50), o.lines = chance(50);
    if (chance(50)) o.source = "random.c";
    o.realloc = counted_realloc;
    spe_begin(&p.m, &o);
    done("spe_begin");
    spe_at(&p.m, "random.c", 1);
    done("spe_at");
    ASK(alloc, 8);
    for (int n = 1 + below(3), steps = 5 + below(60); n; n--) write_function(steps);
}

/* Does the error's text begin with the call that failed? */
static bool names_call(const char *text, const char *call)
{
    size_t length = call ? strlen(call) : 0;
    if (!strncmp(text, "spe_math(", 9)) return call && !strncmp(call, "spe_math", 8); /* spe_math1 ... */
    return length && !strncmp(text, call, length) && !strchr("_abcdefghijklmnopqrstuvwxyz0123456789", text[length]);
}

static void check_program(void)
{
    spe_words w = spe_finish(at());
    done("spe_finish");
    const spe_error *e = ASK0(get_error);
    CHECK(ASK0(ok) == (e->id == 0));
    char name[48];
    if (setting("RANDOM_PRINT", 0))
        printf("seed %llu, %d calls: %s:%d %s %s\n", (unsigned long long)p.seed, p.line, e->file ? e->file : "",
               e->line, e->name ? e->name : "", e->text);
    if (e->id) {
        CHECK_MSG(!w.data && !w.count, "seed %llu: words after an error", (unsigned long long)p.seed);
        CHECK_MSG(e->name && *e->text && ((e->file && e->line > 0 && e->line <= p.line) || e->id == SPE_ERR_MEMORY),
                  "seed %llu: error %d (%s) without a name, a text or a place", (unsigned long long)p.seed, e->id,
                  e->text);
        CHECK_MSG(e->id == SPE_ERR_MEMORY || names_call(e->text, p.error_of),
                  "seed %llu: %s failed, and the error is: %s", (unsigned long long)p.seed,
                  p.error_of ? p.error_of : "no call", e->text);
    } else {
        CHECK_MSG(w.data && w.count, "seed %llu: neither words nor an error", (unsigned long long)p.seed);
        snprintf(name, sizeof name, "spirv_random_%llu", (unsigned long long)p.seed);
        if (!p.fail_at) test_save_spv(name, w.data, 4 * w.count);
    }
    spe_free(&p.m);
    done("spe_free");
    CHECK_MSG(p.live == 0, "seed %llu: %d blocks leak", (unsigned long long)p.seed, p.live);
}

TEST(programs)
{
    int failures = test_.failures_here;
    uint64_t seed = setting("RANDOM_SEED", 1), count = setting("RANDOM_PROGRAMS", test_thorough() ? 10000 : PROGRAMS);
    for (uint64_t i = 0; i < count && failures == test_.failures_here; i++) {
        write_program(seed + i, 0);
        int allocations = p.allocations;
        check_program();
        write_program(seed + i, 1 + (int)((seed + i) % (uint64_t)allocations));
        check_program();
    }
}

/* After the programs: enough of them call everything. */
TEST(whole_api)
{
    if (setting("RANDOM_PROGRAMS", PROGRAMS) < PROGRAMS) SKIP("fewer programs than usual");
    check_called();
}

int main(void)
{
    RUN(programs);
    RUN(whole_api);
    return test_report();
}
