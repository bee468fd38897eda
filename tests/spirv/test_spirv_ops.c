/* test_spirv_ops.c - instructions: each has the right opcode, type and operands, declares what it requires, and refuses
 * invalid operands with its name and their types. spirv-val checks the modules. */
#undef XETILE_DECLARATIONS /* the bodies are here: private names are tested */
#include "spirv_emit.h"
#include "test.h"

/* ---- a kernel to write into, and its last instruction ---------------------------------------------------------- */

typedef struct {
    spe_module m;
    spe_id i8, i16, i32, i64, f16, f32, f64, truth; /* types */
} fixture;

/* A kernel with global pointers to each of i8 i16 i32 i64 f16 f32 f64 as parameters 0 to 6. */
static void open_fixture(fixture *x, uint32_t version)
{
    spe_options o;
    spe_param p[7];
    spe_kernel k;
    spe_id types[7];
    int i;
    memset(&o, 0, sizeof o);
    o.version = version;
    spe_begin(&x->m, &o);
    types[0] = x->i8 = spe_int(&x->m, 8);
    types[1] = x->i16 = spe_int(&x->m, 16);
    types[2] = x->i32 = spe_int(&x->m, 32);
    types[3] = x->i64 = spe_int(&x->m, 64);
    types[4] = x->f16 = spe_float(&x->m, 16);
    types[5] = x->f32 = spe_float(&x->m, 32);
    types[6] = x->f64 = spe_float(&x->m, 64);
    x->truth = spe_bool(&x->m);
    memset(p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    for (i = 0; i < 7; i++) p[i].type = spe_ptr(&x->m, SPE_StorageClassCrossWorkgroup, types[i]);
    k.name = "k";
    k.params = p;
    k.param_count = 7;
    spe_kernel_begin(&x->m, &k);
}

static const char *close_fixture(fixture *x, const char *name)
{
    spe_words w;
    spe_kernel_end(&x->m);
    w = spe_finish(&x->m);
    CHECK_MSG(w.data != NULL, "%s: %s", name, spe_get_error(&x->m)->text);
    if (w.data) test_save_spv(name, w.data, w.count * sizeof *w.data);
    spe_free(&x->m);
    return name;
}

/* A value of a type that no constant folding can see: loaded from memory, cast to `n` components. */
static spe_id value(fixture *x, int param, uint32_t n, uint32_t at)
{
    spe_module *m = &x->m;
    spe_id p = spe_param_id(m, (uint32_t)param), elem = spe_info(m, spe_type_of(m, p)).elem;
    if (n > 1) p = spe_ptr_cast(m, p, spe_vec(m, elem, n));
    return spe_load(m, spe_index(m, p, spe_u32(m, at)), 0);
}

static uint32_t opcodes_in_body(const spe_module *m, uint32_t *last)
{
    const spe_buffer_ *b = &m->buffer[SPE_BUFFER_BODY_];
    size_t i;
    uint32_t n = 0;
    *last = 0;
    for (i = 0; i < b->count; i += b->data[i] >> 16) {
        *last = (uint32_t)i;
        n++;
    }
    return n;
}

/* The last instruction of the body: opcode, result type, result, operands. */
static void check_last(fixture *x, const char *what, uint32_t op, spe_id type, spe_id id, uint32_t n,
                       const spe_id *operands)
{
    uint32_t at, i;
    const uint32_t *w;
    opcodes_in_body(&x->m, &at);
    w = x->m.buffer[SPE_BUFFER_BODY_].data + at;
    CHECK_MSG(spe_ok(&x->m), "%s: %s", what, spe_get_error(&x->m)->text);
    CHECK_MSG((w[0] & 0xffff) == op, "%s writes opcode %u, want %u", what, w[0] & 0xffff, op);
    if (!id) return;
    CHECK_MSG(w[1] == type && w[2] == id && spe_type_of(&x->m, id) == type, "%s: type %u, want %u", what, w[1], type);
    for (i = 0; i < n; i++)
        CHECK_MSG(w[3 + i] == operands[i], "%s: operand %u is %u, want %u", what, i, w[3 + i], operands[i]);
}

static bool declares(const spe_module *m, uint32_t capability)
{
    const spe_buffer_ *b = &m->buffer[SPE_BUFFER_CAPS_];
    size_t i;
    for (i = 0; i < b->count; i++) {
        if (b->data[i] == capability) return true;
    }
    return false;
}

/* ---- arithmetic: every function on every width and count ------------------------------------------------------- */

typedef struct {
    const char *name, *form; /* a form begins with its operand kind: i or g, f or r, b */
    spe_id (*binary)(spe_module *, spe_id, spe_id);
    spe_id (*unary)(spe_module *, spe_id);
    uint32_t op;
} row;

/* Of the header's table, the rows of one and two values; arithmetic are those that take numbers or bools of any shape
 * and give the like, or bools. */
#define ROW_AB(name, op, form) {#name, form, name, NULL, SPE_Op##op},
#define ROW_A(name, op, form) {#name, form, NULL, name, SPE_Op##op},
#define NO_ROW_3(name, op, form)
#define NO_ROW(name, op, form, ...)
static const row rows[] = {SPE_INSTRUCTIONS_(ROW_A, ROW_AB, NO_ROW_3, NO_ROW, NO_ROW)};
enum { ROWS = sizeof rows / sizeof *rows };

static bool is_arithmetic(const row *r)
{
    size_t n = strcspn(r->form, ":");
    return strchr("ifgrb", r->form[0]) && (n == 1 || r->form[1] == '=') && strchr("=b", r->form[n + 1]);
}

static bool of_floats(const row *r) { return r->form[0] == 'f' || r->form[0] == 'r'; }

static bool compares(const row *r) { return strchr(r->form, ':')[1] == 'b'; }

/* Every form has a letter for each operand of its function, and an existing result. */
TEST(forms_are_as_long_as_their_operands)
{
#define FORM_1(name, op, form) {#name, form, 1},
#define FORM_2(name, op, form) {#name, form, 2},
#define FORM_N(name, op, form, ...) {#name, form, SPE_COUNT(__VA_ARGS__)},
    static const struct {
        const char *name, *form;
        size_t operands;
    } forms[] = {SPE_INSTRUCTIONS_(FORM_1, FORM_2, NO_ROW_3, FORM_N, FORM_N)};
    size_t i, n;
    for (i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *at = forms[i].form, *colon = strchr(at, ':');
        CHECK_MSG(colon && colon[1] && strchr("=*tbshxy.rg-", colon[1]), "%s gives what \"%s\" does not say",
                  forms[i].name, at);
        for (n = 0; at < colon; at++) {
            CHECK_MSG(strchr("ifgrbvuhsdIBNnxy=q~pcP*JGEemwkzjTl?oRaAtMCLSW", *at), "%s: there is no letter %c",
                      forms[i].name, *at);
            n += !strchr("RSW", *at); /* those are literal */
        }
        CHECK_MSG(n == forms[i].operands, "%s: %zu letters for %zu operands", forms[i].name, n, forms[i].operands);
    }
    CHECK(i > 80);
}

static void check_row(fixture *x, const row *r, spe_id a, spe_id b)
{
    spe_id operands[2], id, type = spe_type_of(&x->m, a);
    operands[0] = a;
    operands[1] = b;
    id = r->binary ? r->binary(&x->m, a, b) : r->unary(&x->m, a);
    if (compares(r)) type = spe_vec(&x->m, x->truth, spe_count(&x->m, type));
    check_last(x, r->name, r->op, type, id, r->binary ? 2 : 1, operands);
}

TEST(arithmetic_of_every_type)
{
    static const uint32_t counts[] = {1, 2, 3, 4, 8, 16};
    fixture x;
    int i, c, w;
    open_fixture(&x, 0);
    for (i = 0; i < ROWS; i++) {
        for (c = 0; c < 6 && is_arithmetic(&rows[i]); c++) {
            int first = of_floats(&rows[i]) ? 4 : 0, last = of_floats(&rows[i]) ? 6 : 3;
            for (w = first; w <= last; w++) {
                spe_id a = value(&x, w, counts[c], 0), b = value(&x, w, counts[c], 1);
                if (rows[i].form[0] == 'b') {
                    a = spe_ieq(&x.m, a, b);
                    b = spe_lnot(&x.m, a);
                }
                if (rows[i].op == SPE_OpBitReverse) continue; /* an extension: below */
                check_row(&x, &rows[i], a, b);
            }
        }
    }
    CHECK(!declares(&x.m, SPE_CapabilityBitInstructions));
    close_fixture(&x, "spirv_ops_arithmetic");
}

TEST(arithmetic_refuses_other_types)
{
    int i;
    for (i = 0; i < ROWS; i++) {
        fixture x;
        spe_id a, b, p;
        char want[32];
        if (!is_arithmetic(&rows[i])) continue;
        open_fixture(&x, 0);
        a = value(&x, of_floats(&rows[i]) ? 2 : 5, 1, 0); /* an i32 where floats go, an f32 where integers go */
        if (rows[i].binary)
            CHECK_INT(rows[i].binary(&x.m, a, a), 0);
        else
            CHECK_INT(rows[i].unary(&x.m, a), 0);
        CHECK_INT(spe_get_error(&x.m)->id, SPE_ERR_TYPE);
        CHECK_HAS(spe_get_error(&x.m)->text, rows[i].name);
        CHECK_HAS(spe_get_error(&x.m)->text, of_floats(&rows[i]) ? "not i32" : "not f32");
        spe_free(&x.m);

        open_fixture(&x, 0);
        p = spe_param_id(&x.m, 0);
        if (rows[i].binary)
            CHECK_INT(rows[i].binary(&x.m, p, p), 0);
        else
            CHECK_INT(rows[i].unary(&x.m, p), 0);
        CHECK_HAS(spe_get_error(&x.m)->text, "not ptr<i8>");
        spe_free(&x.m);

        open_fixture(&x, 0);
        if (rows[i].binary)
            CHECK_INT(rows[i].binary(&x.m, 0, 0), 0);
        else
            CHECK_INT(rows[i].unary(&x.m, 0), 0);
        CHECK_INT(spe_get_error(&x.m)->id, SPE_ERR_NO_VALUE);
        spe_free(&x.m);

        if (!rows[i].binary) continue;
        open_fixture(&x, 0);
        a = value(&x, 2, 2, 0);
        b = value(&x, 2, 4, 0);
        CHECK_INT(rows[i].binary(&x.m, a, b), 0);
        snprintf(want, sizeof want, "i32x2 and i32x4");
        CHECK_HAS(spe_get_error(&x.m)->text, want);
        spe_free(&x.m);
    }
}

TEST(operations_by_type)
{
    fixture x;
    spe_id i, f;
    open_fixture(&x, 0);
    i = value(&x, 2, 4, 0);
    f = value(&x, 5, 4, 0);
    spe_add(&x.m, i, i);
    check_last(&x, "spe_add", SPE_OpIAdd, 0, 0, 0, NULL);
    spe_add(&x.m, f, f);
    check_last(&x, "spe_add", SPE_OpFAdd, 0, 0, 0, NULL);
    spe_sub(&x.m, f, f);
    check_last(&x, "spe_sub", SPE_OpFSub, 0, 0, 0, NULL);
    spe_mul(&x.m, i, i);
    check_last(&x, "spe_mul", SPE_OpIMul, 0, 0, 0, NULL);
    spe_div_s(&x.m, i, i);
    check_last(&x, "spe_div_s", SPE_OpSDiv, 0, 0, 0, NULL);
    spe_div_u(&x.m, i, i);
    check_last(&x, "spe_div_u", SPE_OpUDiv, 0, 0, 0, NULL);
    spe_neg(&x.m, f);
    check_last(&x, "spe_neg", SPE_OpFNegate, 0, 0, 0, NULL);
    spe_dot(&x.m, f, f);
    check_last(&x, "spe_dot", SPE_OpDot, 0, 0, 0, NULL);
    spe_any(&x.m, spe_ieq(&x.m, i, i));
    check_last(&x, "spe_any", SPE_OpAny, 0, 0, 0, NULL);
    spe_all(&x.m, spe_ieq(&x.m, i, i));
    check_last(&x, "spe_all", SPE_OpAll, 0, 0, 0, NULL);
    spe_select(&x.m, spe_ieq(&x.m, i, i), f, spe_fneg(&x.m, f));
    check_last(&x, "spe_select", SPE_OpSelect, 0, 0, 0, NULL);
    spe_select(&x.m, spe_ieq(&x.m, value(&x, 2, 1, 0), value(&x, 2, 1, 1)), f, spe_fneg(&x.m, f));
    check_last(&x, "spe_select", SPE_OpSelect, 0, 0, 0, NULL);
    spe_select(&x.m, spe_ieq(&x.m, value(&x, 2, 1, 0), value(&x, 2, 1, 1)), spe_param_id(&x.m, 0),
               spe_ptr_cast(&x.m, spe_param_id(&x.m, 2), x.i8));
    check_last(&x, "spe_select", SPE_OpSelect, 0, 0, 0, NULL);
    close_fixture(&x, "spirv_ops_by_type");
}

TEST(bit_instructions)
{
    fixture x;
    spe_id i, n;
    open_fixture(&x, 0);
    i = value(&x, 2, 1, 0);
    n = spe_i32(&x.m, 3);
    spe_bit_reverse(&x.m, i);
    check_last(&x, "spe_bit_reverse", SPE_OpBitReverse, 0, 0, 0, NULL);
    CHECK(declares(&x.m, SPE_CapabilityBitInstructions));
    spe_bits_extract(&x.m, i, n, n, true);
    check_last(&x, "spe_bits_extract", SPE_OpBitFieldSExtract, 0, 0, 0, NULL);
    spe_bits_extract(&x.m, i, n, n, false);
    check_last(&x, "spe_bits_extract", SPE_OpBitFieldUExtract, 0, 0, 0, NULL);
    spe_bits_insert(&x.m, i, i, n, n);
    check_last(&x, "spe_bits_insert", SPE_OpBitFieldInsert, 0, 0, 0, NULL);
    close_fixture(&x, "spirv_ops_bits");
}

/* ---- conversions ----------------------------------------------------------------------------------------------- */

static uint32_t conversion_of(fixture *x, spe_id from, spe_id to, bool is_signed)
{
    bool a = spe_info(&x->m, from).kind == SPE_KIND_FLOAT, b = spe_info(&x->m, to).kind == SPE_KIND_FLOAT;
    if (a && b) return SPE_OpFConvert;
    if (a) return is_signed ? SPE_OpConvertFToS : SPE_OpConvertFToU;
    if (b) return is_signed ? SPE_OpConvertSToF : SPE_OpConvertUToF;
    return is_signed ? SPE_OpSConvert : SPE_OpUConvert;
}

TEST(conversions_between_all_numbers)
{
    fixture x;
    spe_id types[7];
    int a, b, s;
    uint32_t n;
    open_fixture(&x, 0);
    memcpy(types, &x.i8, sizeof types);
    for (a = 0; a < 7; a++) {
        for (b = 0; b < 7; b++) {
            for (n = 1; n <= 4; n += 3) {
                for (s = 0; s < 2; s++) {
                    spe_id v = value(&x, a, n, 0), to = spe_vec(&x.m, types[b], n), r = spe_cast(&x.m, to, v, s != 0);
                    if (a == b)
                        CHECK_INT(r, v);
                    else
                        check_last(&x, "spe_cast", conversion_of(&x, types[a], types[b], s != 0), to, r, 1, &v);
                }
            }
        }
    }
    for (a = 0; a < 7; a++) {
        spe_id v = value(&x, a, 1, 0), t = spe_cast(&x.m, x.truth, v, false);
        check_last(&x, "spe_cast to bool", a < 4 ? SPE_OpINotEqual : SPE_OpFUnordNotEqual, x.truth, t, 1, &v);
        check_last(&x, "spe_cast of bool", SPE_OpSelect, types[a], spe_cast(&x.m, types[a], t, false), 1, &t);
    }
    close_fixture(&x, "spirv_ops_conversions");
}

TEST(bitcasts_and_pointers)
{
    fixture x;
    spe_id v, p, r;
    open_fixture(&x, 0);
    v = value(&x, 5, 1, 0);
    check_last(&x, "spe_bitcast", SPE_OpBitcast, x.i32, spe_bitcast(&x.m, x.i32, v), 1, &v);
    v = value(&x, 0, 4, 0);
    check_last(&x, "spe_bitcast", SPE_OpBitcast, x.f32, spe_bitcast(&x.m, x.f32, v), 1, &v);
    p = spe_param_id(&x.m, 5);
    r = spe_ptr_to_u(&x.m, x.i64, p);
    check_last(&x, "spe_ptr_to_u", SPE_OpConvertPtrToU, x.i64, r, 1, &p);
    spe_u_to_ptr(&x.m, spe_type_of(&x.m, p), r);
    check_last(&x, "spe_u_to_ptr", SPE_OpConvertUToPtr, 0, 0, 0, NULL);
    r = spe_ptr_cast(&x.m, p, spe_vec(&x.m, x.i16, 8));
    CHECK(spe_info(&x.m, spe_type_of(&x.m, r)).elem == spe_vec(&x.m, x.i16, 8));
    CHECK(spe_ptr_cast(&x.m, p, x.f32) == p);
    r = spe_ptr_to_generic(&x.m, p);
    CHECK(spe_info(&x.m, spe_type_of(&x.m, r)).storage == SPE_StorageClassGeneric);
    CHECK(declares(&x.m, SPE_CapabilityGenericPointer));
    close_fixture(&x, "spirv_ops_pointers");

    open_fixture(&x, 0);
    spe_bitcast(&x.m, x.i64, value(&x, 5, 1, 0));
    CHECK_HAS(spe_get_error(&x.m)->text, "spe_bitcast: operand types disagree: f32 and i64");
    spe_free(&x.m);
    open_fixture(&x, 0);
    spe_fconvert(&x.m, spe_vec(&x.m, x.f16, 2), value(&x, 5, 1, 0));
    CHECK_HAS(spe_get_error(&x.m)->text, "f32 and f16x2");
    spe_free(&x.m);
}

/* ---- composites ------------------------------------------------------------------------------------------------ */

TEST(composites)
{
    fixture x;
    spe_id v, s, parts[8], r, members[2];
    uint32_t idx[8] = {7, 0, 9, 0xffffffff, 3, 2, 1, 15}, i;
    open_fixture(&x, 0);
    v = value(&x, 5, 8, 0);
    for (i = 0; i < 8; i++) parts[i] = spe_extract(&x.m, v, i);
    check_last(&x, "spe_extract", SPE_OpCompositeExtract, x.f32, parts[7], 1, &v);
    r = spe_construct(&x.m, spe_vec(&x.m, x.f32, 8), 8, parts);
    check_last(&x, "spe_construct", SPE_OpCompositeConstruct, spe_vec(&x.m, x.f32, 8), r, 8, parts);
    parts[1] = v;
    check_last(&x, "spe_insert", SPE_OpCompositeInsert, spe_type_of(&x.m, v), spe_insert(&x.m, v, parts[0], 3), 2,
               parts);
    r = spe_shuffle(&x.m, v, v, 8, idx);
    parts[0] = parts[1] = v;
    check_last(&x, "spe_shuffle", SPE_OpVectorShuffle, spe_type_of(&x.m, v), r, 2, parts);
    CHECK_INT(spe_type_of(&x.m, spe_shuffle(&x.m, v, v, 1, idx)), x.f32);
    CHECK_INT(spe_type_of(&x.m, spe_shuffle(&x.m, v, value(&x, 5, 16, 0), 8, idx)), spe_type_of(&x.m, v));
    r = spe_extract_dyn(&x.m, v, value(&x, 2, 1, 0));
    CHECK_INT(spe_type_of(&x.m, r), x.f32);
    check_last(&x, "spe_extract_dyn", SPE_OpVectorExtractDynamic, x.f32, r, 1, &v);
    r = spe_insert_dyn(&x.m, v, r, value(&x, 2, 1, 0));
    check_last(&x, "spe_insert_dyn", SPE_OpVectorInsertDynamic, spe_type_of(&x.m, v), r, 1, &v);
    spe_extract_dyn(&x.m, v, spe_i32(&x.m, 2));
    check_last(&x, "spe_extract_dyn", SPE_OpCompositeExtract, 0, 0, 0, NULL);
    s = value(&x, 5, 1, 0);
    CHECK_INT(spe_extract(&x.m, s, 0), s);
    check_last(&x, "spe_extract of a scalar", SPE_OpLoad, 0, 0, 0, NULL);
    spe_splat(&x.m, spe_vec(&x.m, x.f32, 4), s);
    check_last(&x, "spe_splat", SPE_OpCompositeConstruct, 0, 0, 0, NULL);
    members[0] = x.f32;
    members[1] = spe_vec(&x.m, x.f32, 8);
    parts[0] = s;
    parts[1] = v;
    r = spe_construct(&x.m, spe_struct(&x.m, 2, members), 2, parts);
    CHECK_INT(spe_type_of(&x.m, spe_extract(&x.m, r, 1)), members[1]);
    close_fixture(&x, "spirv_ops_composites");
}

/* A call that must fail: its error id, and a part of the text. The fixture is opened anew each time. */
#define REFUSES(id_, part, call)                                                                                       \
    do {                                                                                                               \
        open_fixture(&x, 0);                                                                                           \
        f = value(&x, 5, 4, 0);                                                                                        \
        i = value(&x, 2, 1, 0);                                                                                        \
        p = spe_param_id(&x.m, 5);                                                                                     \
        (void)f, (void)i, (void)p;                                                                                     \
        call;                                                                                                          \
        CHECK_INT(spe_get_error(&x.m)->id, id_);                                                                       \
        CHECK_HAS(spe_get_error(&x.m)->text, part);                                                                    \
        spe_free(&x.m);                                                                                                \
    } while (0)

/* With signs of neither, of b, of a, of both. */
TEST(dots_of_bytes)
{
    static const uint32_t ops[4] = {SPE_OpUDot, SPE_OpSUDot, SPE_OpSUDot, SPE_OpSDot};
    fixture x;
    spe_id f, i, p;
    open_fixture(&x, 0);
    spe_id a = value(&x, 2, 1, 0), b = value(&x, 2, 1, 1);
    CHECK(!declares(&x.m, SPE_CapabilityDotProduct));
    for (int k = 0; k < 4; k++) {
        spe_id id = spe_dot_bytes(&x.m, a, k & 2, b, k & 1), in[3] = {k == 1 ? b : a, k == 1 ? a : b, 0};
        check_last(&x, "spe_dot_bytes", ops[k], x.i32, id, 3, in);
    }
    CHECK(declares(&x.m, SPE_CapabilityDotProduct));
    CHECK(declares(&x.m, SPE_CapabilityDotProductInput4x8BitPacked));
    close_fixture(&x, "spirv_ops_dots_of_bytes");
    REFUSES(SPE_ERR_TYPE, "i32 and i8", spe_dot_bytes(&x.m, i, true, value(&x, 0, 1, 0), true));
    REFUSES(SPE_ERR_TYPE, "i32 and f32x4", spe_dot_bytes(&x.m, f, true, i, true));
}

/* A vector is not accepted in place of a scalar. */
TEST(vectors_are_no_scalars)
{
    fixture x;
    spe_id f, i, p, v;
#define TAKES_ONE(call)                                                                                                \
    REFUSES(SPE_ERR_TYPE, "takes a scalar, not", (v = value(&x, 2, 4, 0), call))
    TAKES_ONE(spe_extract_dyn(&x.m, f, v));
    TAKES_ONE(spe_insert_dyn(&x.m, f, spe_f32(&x.m, 1), v));
    TAKES_ONE(spe_index(&x.m, p, v));
    TAKES_ONE(spe_element(&x.m, spe_local_var(&x.m, spe_array(&x.m, x.f32, 4)), 1, &v));
    TAKES_ONE(spe_copy_memory_sized(&x.m, p, p, v, 0));
    TAKES_ONE(spe_load_if(&x.m, p, spe_ieq(&x.m, v, v), spe_f32(&x.m, 0), 0));
    TAKES_ONE(spe_store_if(&x.m, p, spe_f32(&x.m, 0), spe_ieq(&x.m, v, v), 0));
    TAKES_ONE(spe_bits_extract(&x.m, v, v, i, false));
    TAKES_ONE(spe_bits_insert(&x.m, v, v, i, v));
    TAKES_ONE(spe_switch(&x.m, v, 0, NULL));
    TAKES_ONE(spe_sg_shuffle(&x.m, i, v));
    TAKES_ONE(spe_sg_ballot(&x.m, spe_ieq(&x.m, v, v)));
    TAKES_ONE(spe_wg_all(&x.m, spe_ieq(&x.m, v, v)));
    TAKES_ONE(spe_sg_prefetch(&x.m, p, v));
    TAKES_ONE(spe_atomic_load(&x.m, spe_ptr_cast(&x.m, p, spe_type_of(&x.m, v)), SPE_ScopeDevice, 0));
    TAKES_ONE(spe_atomic_store(&x.m, spe_ptr_cast(&x.m, p, spe_type_of(&x.m, v)), v, SPE_ScopeDevice, 0));
    TAKES_ONE(spe_coop_load(&x.m, spe_coopmat(&x.m, x.f32, SPE_ScopeSubgroup, 8, 16, 2), p, 0, v));
    TAKES_ONE(spe_coopvec_load(&x.m, spe_coopvec(&x.m, x.f32, 8), p, v));
#undef TAKES_ONE
}

TEST(composites_are_checked)
{
    static const uint32_t far[] = {0, 99};
    fixture x;
    spe_id f, i, p;
    REFUSES(SPE_ERR_RANGE, "there is no part 4 of f32x4", spe_extract(&x.m, f, 4));
    REFUSES(SPE_ERR_RANGE, "spe_extract", spe_extract(&x.m, p, 0));
    REFUSES(SPE_ERR_TYPE, "f32 and i32", spe_insert(&x.m, f, i, 0));
    REFUSES(SPE_ERR_TYPE, "1 parts for f32x4", spe_construct(&x.m, spe_type_of(&x.m, f), 1, &i));
    REFUSES(SPE_ERR_TYPE, "f32 and i32", spe_splat(&x.m, spe_type_of(&x.m, f), i));
    REFUSES(SPE_ERR_RANGE, "index 99 of 8", spe_shuffle(&x.m, f, f, 2, far));
    REFUSES(SPE_ERR_TYPE, "spe_shuffle", spe_shuffle(&x.m, f, i, 2, far));
    REFUSES(SPE_ERR_RANGE, "5 components", spe_shuffle(&x.m, f, f, 5, far));
    REFUSES(SPE_ERR_TYPE, "spe_extract_dyn", spe_extract_dyn(&x.m, f, f));
    REFUSES(SPE_ERR_TYPE, "spe_select", spe_select(&x.m, i, f, f));
    REFUSES(SPE_ERR_TYPE, "f32x4 and i32", spe_select(&x.m, spe_ieq(&x.m, i, i), f, i));
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

TEST(loads_and_stores)
{
    fixture x;
    spe_id f, i, p, v, idx[2], members[2], s;
    uint32_t at;
    const uint32_t *w;
    open_fixture(&x, 0);
    p = spe_param_id(&x.m, 5);
    f = spe_load(&x.m, spe_ptr_cast(&x.m, p, spe_vec(&x.m, x.f32, 4)), 0);
    opcodes_in_body(&x.m, &at);
    w = x.m.buffer[SPE_BUFFER_BODY_].data + at;
    CHECK((w[0] & 0xffff) == SPE_OpLoad && w[4] == SPE_MemoryAccessAligned && w[5] == 16);
    spe_load_volatile(&x.m, p, 64);
    opcodes_in_body(&x.m, &at);
    w = x.m.buffer[SPE_BUFFER_BODY_].data + at;
    CHECK(w[4] == (SPE_MemoryAccessAligned | SPE_MemoryAccessVolatile) && w[5] == 64);
    spe_store(&x.m, spe_ptr_cast(&x.m, p, spe_vec(&x.m, x.f32, 4)), f, 4);
    opcodes_in_body(&x.m, &at);
    w = x.m.buffer[SPE_BUFFER_BODY_].data + at;
    CHECK((w[0] & 0xffff) == SPE_OpStore && w[2] == f && w[3] == SPE_MemoryAccessAligned && w[4] == 4);
    spe_store_volatile(&x.m, p, spe_extract(&x.m, f, 0), 0);
    i = value(&x, 2, 1, 0);
    v = spe_index(&x.m, p, i);
    idx[0] = p;
    idx[1] = i;
    check_last(&x, "spe_index", SPE_OpInBoundsPtrAccessChain, spe_type_of(&x.m, p), v, 2, idx);
    CHECK_INT(spe_index(&x.m, p, spe_i32(&x.m, 0)), p);
    members[0] = x.f32;
    members[1] = spe_array(&x.m, spe_vec(&x.m, x.i32, 2), 5);
    s = spe_local_var(&x.m, spe_struct(&x.m, 2, members));
    idx[0] = spe_i32(&x.m, 1);
    idx[1] = i;
    v = spe_element(&x.m, s, 2, idx);
    CHECK_INT(spe_info(&x.m, spe_type_of(&x.m, v)).elem, spe_vec(&x.m, x.i32, 2));
    spe_store(&x.m, v, spe_load(&x.m, v, 0), 0);
    spe_store(&x.m, s, spe_load(&x.m, s, 0), 0);
    v = spe_local_var(&x.m, x.truth); /* bools cannot be in memory, except in variables */
    spe_store(&x.m, v, spe_ieq(&x.m, i, i), 0);
    v = spe_shared_var(&x.m, spe_array(&x.m, x.f32, 64));
    spe_copy_memory_sized(&x.m, v, p, spe_u64(&x.m, 256), 4);
    v = spe_global_var(&x.m, SPE_StorageClassUniformConstant, x.i32, spe_i32(&x.m, 42));
    spe_load(&x.m, v, 0);
    close_fixture(&x, "spirv_ops_memory");
}

TEST(memory_is_checked)
{
    fixture x;
    spe_id f, i, p;
    REFUSES(SPE_ERR_TYPE, "spe_load: takes pointers, not i32", spe_load(&x.m, i, 0));
    REFUSES(SPE_ERR_TYPE, "spe_store: operand types disagree: f32 and i32", spe_store(&x.m, p, i, 0));
    REFUSES(SPE_ERR_RANGE, "alignment 3", spe_load(&x.m, p, 3));
    REFUSES(SPE_ERR_TYPE, "spe_index: takes integers", spe_index(&x.m, p, f));
    REFUSES(SPE_ERR_RANGE, "spe_element", spe_element(&x.m, p, 1, &i));
    REFUSES(SPE_ERR_NO_VALUE, "spe_load: an operand is the id 0", spe_load(&x.m, 0, 0));
    REFUSES(SPE_ERR_NO_VALUE, "is a type, not a value", spe_load(&x.m, x.f32, 0));
    REFUSES(SPE_ERR_NO_VALUE, "operand with id 4000000", spe_load(&x.m, 4000000, 0));
    REFUSES(SPE_ERR_TYPE, "spe_global_var",
            spe_global_var(&x.m, SPE_StorageClassUniformConstant, x.f32, spe_i32(&x.m, 1)));
    REFUSES(SPE_ERR_RANGE, "there is no storage class 99", spe_ptr(&x.m, 99, x.f32));
    REFUSES(SPE_ERR_RANGE, "use spe_local_var", spe_global_var(&x.m, SPE_StorageClassFunction, x.f32, 0));
    REFUSES(SPE_ERR_NO_VALUE, "is not a constant",
            spe_global_var(&x.m, SPE_StorageClassCrossWorkgroup, x.i32, i));
    REFUSES(SPE_ERR_RANGE, "spe_copy_memory_sized: a size is 0",
            spe_copy_memory_sized(&x.m, p, p, spe_i32(&x.m, 0), 0));
    REFUSES(SPE_ERR_TYPE, "to memory that can be written, not ptr<f32> in storage class UniformConstant",
            (p = spe_global_var(&x.m, SPE_StorageClassUniformConstant, x.f32, 0), f = spe_f32(&x.m, 1),
             spe_store(&x.m, p, f, 0)));
    REFUSES(SPE_ERR_TYPE, "spe_ptr_to_generic: takes pointers to global, local or private memory",
            spe_ptr_to_generic(&x.m, spe_global_var(&x.m, SPE_StorageClassUniformConstant, x.f32, 0)));
    REFUSES(SPE_ERR_TYPE, "spe_prefetch: takes pointers to global memory",
            spe_prefetch(&x.m, spe_local_var(&x.m, x.f32), i));
    REFUSES(SPE_ERR_NO_VALUE, "spe_name: 4000000 is not an id", spe_name(&x.m, 4000000, "x"));
    REFUSES(SPE_ERR_NO_FUNCTION, "spe_export: ", spe_export(&x.m, i, "x"));
    REFUSES(SPE_ERR_NAME, "spe_export: ", spe_export(&x.m, x.m.fn.id, NULL));
}

TEST(predicated_memory)
{
    fixture x;
    spe_id c, v, p, f, i;
    open_fixture(&x, 0);
    p = spe_param_id(&x.m, 5);
    c = spe_sgt(&x.m, value(&x, 2, 1, 0), spe_i32(&x.m, 3));
    v = spe_load_if(&x.m, p, c, spe_f32(&x.m, 0), 0);
    check_last(&x, "spe_load_if", SPE_OpPredicatedLoadINTEL, x.f32, v, 1, &p);
    spe_store_if(&x.m, p, v, c, 0);
    check_last(&x, "spe_store_if", SPE_OpPredicatedStoreINTEL, 0, 0, 0, NULL);
    CHECK(declares(&x.m, SPE_CapabilityPredicatedIOINTEL));
    close_fixture(&x, "spirv_ops_predicated");
    REFUSES(SPE_ERR_TYPE, "spe_load_if", spe_load_if(&x.m, p, i, spe_f32(&x.m, 0), 0));
    REFUSES(SPE_ERR_TYPE, "f32 and i32", spe_load_if(&x.m, p, spe_ieq(&x.m, i, i), i, 0));
    REFUSES(SPE_ERR_TYPE, "spe_load_if: takes integers or floats, not [4]f32",
            (p = spe_ptr_cast(&x.m, p, v = spe_array(&x.m, x.f32, 4)),
             spe_load_if(&x.m, p, spe_ieq(&x.m, i, i), spe_null(&x.m, v), 0)));
}

/* ---- OpenCL.std ------------------------------------------------------------------------------------------------ */

TEST(every_math_function)
{
#define MATH(name, name_in_set, number, operands) {SPE_##name, #name_in_set, operands},
    static const struct {
        spe_math_op f;
        const char *name;
        uint32_t operands;
    } all[] = {SPE_MATH_LIST(MATH)};
    static const uint32_t counts[] = {1, 4};
    fixture x;
    size_t k;
    int c;
    uint32_t at;
    open_fixture(&x, 0);
    for (k = 0; k < sizeof all / sizeof *all; k++) {
        for (c = 0; c < 2; c++) {
            bool integer = (int)all[k].f >= (int)SPE_SABS, narrow = strstr(all[k].name, "24") != NULL;
            spe_id a = value(&x, integer ? (narrow ? 2 : 1) : 5, counts[c], 0), args[3], r;
            bool power = all[k].f == SPE_LDEXP || all[k].f == SPE_POWN || all[k].f == SPE_ROOTN;
            const uint32_t *w;
            args[0] = args[1] = args[2] = a;
            if (power) args[1] = value(&x, 2, counts[c], 0);
            r = spe_math(&x.m, all[k].f, all[k].operands, args);
            CHECK_MSG(r && spe_type_of(&x.m, r) == spe_type_of(&x.m, a), "%s: %s", all[k].name,
                      spe_get_error(&x.m)->text);
            opcodes_in_body(&x.m, &at);
            w = x.m.buffer[SPE_BUFFER_BODY_].data + at;
            CHECK_MSG((w[0] & 0xffff) == SPE_OpExtInst && w[4] == (uint32_t)all[k].f, "%s writes %u", all[k].name,
                      w[4]);
        }
    }
    CHECK_INT(x.m.buffer[SPE_SECTION_IMPORT_].count, 5);
    CHECK_STR((const char *)(x.m.buffer[SPE_SECTION_IMPORT_].data + 2), "OpenCL.std");
    spe_prefetch(&x.m, spe_param_id(&x.m, 5), spe_i32(&x.m, 16));
    check_last(&x, "spe_prefetch", SPE_OpExtInst, 0, 0, 0, NULL);
    close_fixture(&x, "spirv_ops_math");
#undef MATH
}

TEST(math_is_checked)
{
    fixture x;
    spe_id f, i, p;
    REFUSES(SPE_ERR_TYPE, "spe_math(SPE_EXP): takes floats", spe_math1(&x.m, SPE_EXP, i));
    REFUSES(SPE_ERR_TYPE, "spe_math(SPE_SMIN): takes integers", spe_math2(&x.m, SPE_SMIN, f, f));
    REFUSES(SPE_ERR_TYPE, "spe_math(SPE_UMUL24): takes integers of 32 bits, not i16",
            (i = value(&x, 1, 1, 0), spe_math2(&x.m, SPE_UMUL24, i, i)));
    REFUSES(SPE_ERR_TYPE, "takes 3 arguments, not 2", spe_math2(&x.m, SPE_FMA, f, f));
    REFUSES(SPE_ERR_TYPE, "f32x4 and i32", spe_math3(&x.m, SPE_FMA, f, f, i));
    REFUSES(SPE_ERR_TYPE, "(9999)", spe_math1(&x.m, (spe_math_op)9999, f));
}

/* ---- groups ---------------------------------------------------------------------------------------------------- */

static void reduce_all(fixture *x, bool work_group)
{
    int red, t;
    for (red = 0; red < SPE_RED_COUNT_; red++) {
        for (t = 0; t < 8; t++) {
            spe_kind kind = t == 7 ? SPE_KIND_BOOL : t < 4 ? SPE_KIND_INT : SPE_KIND_FLOAT;
            uint32_t op =
                spe_reduction_op_((spe_reduction)red, kind, !work_group && x->m.options.version >= SPE_VERSION(1, 3));
            spe_id v = t == 7 ? spe_ieq(&x->m, value(x, 2, 1, 0), value(x, 2, 1, 1)) : value(x, t, 1, 0),
                   type = spe_type_of(&x->m, v);
            if (!op) continue;
            if (work_group) {
                check_last(x, "spe_wg_reduce", op, type, spe_wg_reduce(&x->m, (spe_reduction)red, v), 0, NULL);
                check_last(x, "spe_wg_scan_inclusive", op, type, spe_wg_scan_inclusive(&x->m, (spe_reduction)red, v), 0,
                           NULL);
                check_last(x, "spe_wg_scan_exclusive", op, type, spe_wg_scan_exclusive(&x->m, (spe_reduction)red, v), 0,
                           NULL);
            } else {
                check_last(x, "spe_sg_reduce", op, type, spe_sg_reduce(&x->m, (spe_reduction)red, v), 0, NULL);
                check_last(x, "spe_sg_scan_inclusive", op, type, spe_sg_scan_inclusive(&x->m, (spe_reduction)red, v), 0,
                           NULL);
                check_last(x, "spe_sg_scan_exclusive", op, type, spe_sg_scan_exclusive(&x->m, (spe_reduction)red, v), 0,
                           NULL);
            }
        }
    }
}

TEST(subgroup_operations)
{
    fixture x;
    spe_id v, lane, c;
    open_fixture(&x, 0);
    reduce_all(&x, false);
    CHECK(declares(&x.m, SPE_CapabilityGroupNonUniformArithmetic) &&
          !declares(&x.m, SPE_CapabilityGroupNonUniformClustered));
    v = value(&x, 5, 1, 0);
    check_last(&x, "spe_sg_reduce_clustered", SPE_OpGroupNonUniformFAdd, x.f32,
               spe_sg_reduce_clustered(&x.m, SPE_RED_ADD, v, 4), 0, NULL);
    CHECK(declares(&x.m, SPE_CapabilityGroupNonUniformClustered));
    lane = value(&x, 2, 1, 0);
    check_last(&x, "spe_sg_shuffle", SPE_OpGroupNonUniformShuffle, x.f32, spe_sg_shuffle(&x.m, v, lane), 0, NULL);
    check_last(&x, "spe_sg_shuffle_xor", SPE_OpGroupNonUniformShuffleXor, x.f32, spe_sg_shuffle_xor(&x.m, v, lane), 0,
               NULL);
    check_last(&x, "spe_sg_shuffle_up", SPE_OpGroupNonUniformShuffleUp, x.f32, spe_sg_shuffle_up(&x.m, v, lane), 0,
               NULL);
    check_last(&x, "spe_sg_shuffle_down", SPE_OpGroupNonUniformShuffleDown, x.f32, spe_sg_shuffle_down(&x.m, v, lane),
               0, NULL);
    check_last(&x, "spe_sg_broadcast", SPE_OpGroupNonUniformBroadcast, x.f32,
               spe_sg_broadcast(&x.m, v, spe_i32(&x.m, 3)), 0, NULL);
    check_last(&x, "spe_sg_broadcast", SPE_OpGroupNonUniformShuffle, x.f32, spe_sg_broadcast(&x.m, v, lane), 0, NULL);
    check_last(&x, "spe_sg_broadcast_first", SPE_OpGroupNonUniformBroadcastFirst, x.f32,
               spe_sg_broadcast_first(&x.m, v), 0, NULL);
    c = spe_ieq(&x.m, lane, spe_i32(&x.m, 1));
    check_last(&x, "spe_sg_all", SPE_OpGroupNonUniformAll, x.truth, spe_sg_all(&x.m, c), 0, NULL);
    check_last(&x, "spe_sg_any", SPE_OpGroupNonUniformAny, x.truth, spe_sg_any(&x.m, c), 0, NULL);
    v = spe_sg_ballot(&x.m, c);
    check_last(&x, "spe_sg_ballot", SPE_OpGroupNonUniformBallot, spe_vec(&x.m, x.i32, 4), v, 0, NULL);
    check_last(&x, "spe_sg_ballot_count", SPE_OpGroupNonUniformBallotBitCount, x.i32, spe_sg_ballot_count(&x.m, v), 0,
               NULL);
    check_last(&x, "spe_sg_elect", SPE_OpGroupNonUniformElect, x.truth, spe_sg_elect(&x.m), 0, NULL);
    close_fixture(&x, "spirv_ops_subgroup");

    open_fixture(&x, SPE_VERSION(1, 2)); /* the older forms */
    v = value(&x, 5, 1, 0);
    check_last(&x, "spe_sg_reduce", SPE_OpGroupFAdd, x.f32, spe_sg_reduce(&x.m, SPE_RED_ADD, v), 0, NULL);
    check_last(&x, "spe_sg_broadcast", SPE_OpGroupBroadcast, x.f32, spe_sg_broadcast(&x.m, v, value(&x, 2, 1, 0)), 0,
               NULL);
    check_last(&x, "spe_sg_all", SPE_OpGroupAll, x.truth, spe_sg_all(&x.m, spe_feq(&x.m, v, v)), 0, NULL);
    CHECK(declares(&x.m, SPE_CapabilityGroups) && !declares(&x.m, SPE_CapabilityGroupNonUniform));
    close_fixture(&x, "spirv_ops_subgroup_1_2");
}

TEST(work_group_operations)
{
    fixture x;
    spe_id v, c;
    open_fixture(&x, 0);
    reduce_all(&x, true);
    CHECK(declares(&x.m, SPE_CapabilityGroups) && declares(&x.m, SPE_CapabilityGroupUniformArithmeticKHR));
    v = value(&x, 5, 1, 0);
    c = spe_feq(&x.m, v, v);
    check_last(&x, "spe_wg_all", SPE_OpGroupAll, x.truth, spe_wg_all(&x.m, c), 0, NULL);
    check_last(&x, "spe_wg_any", SPE_OpGroupAny, x.truth, spe_wg_any(&x.m, c), 0, NULL);
    check_last(&x, "spe_wg_broadcast", SPE_OpGroupBroadcast, x.f32, spe_wg_broadcast(&x.m, v, spe_u64(&x.m, 3)), 0,
               NULL);
    close_fixture(&x, "spirv_ops_work_group");
}

TEST(groups_are_checked)
{
    fixture x;
    spe_id f, i, p;
    REFUSES(SPE_ERR_TYPE, "spe_sg_reduce: reduction 2 does not take f32x4", spe_sg_reduce(&x.m, SPE_RED_SMIN, f));
    REFUSES(SPE_ERR_TYPE, "does not take ptr<f32>", spe_sg_reduce(&x.m, SPE_RED_ADD, p));
    REFUSES(SPE_ERR_RANGE, "clusters of 3", spe_sg_reduce_clustered(&x.m, SPE_RED_ADD, i, 3));
    REFUSES(SPE_ERR_RANGE, "clusters of 0", spe_sg_reduce_clustered(&x.m, SPE_RED_ADD, i, 0));
    REFUSES(SPE_ERR_TYPE, "spe_sg_ballot: takes bools", spe_sg_ballot(&x.m, i));
    REFUSES(SPE_ERR_TYPE, "spe_sg_shuffle: takes integers", spe_sg_shuffle(&x.m, i, f));
    REFUSES(SPE_ERR_TYPE, "spe_sg_shuffle: takes bools or integers or floats, not ptr<f32>",
            spe_sg_shuffle(&x.m, p, i));
    REFUSES(SPE_ERR_TYPE, "spe_wg_broadcast: takes", spe_wg_broadcast(&x.m, p, i));
    REFUSES(SPE_ERR_RANGE, "there is no scope 5", spe_memory_barrier(&x.m, 5, 0));
    REFUSES(SPE_ERR_RANGE, "memory semantics 0x6", spe_memory_barrier(&x.m, SPE_ScopeDevice, 6));
    REFUSES(SPE_ERR_RANGE, "memory semantics 0x40", spe_memory_barrier(&x.m, SPE_ScopeDevice, 0x40));
    open_fixture(&x, SPE_VERSION(1, 2));
    spe_sg_shuffle(&x.m, value(&x, 5, 1, 0), spe_i32(&x.m, 1));
    CHECK_INT(spe_get_error(&x.m)->id, SPE_ERR_VERSION);
    spe_free(&x.m);
}

TEST(barriers)
{
    fixture x;
    open_fixture(&x, 0);
    spe_barrier(&x.m);
    check_last(&x, "spe_barrier", SPE_OpControlBarrier, 0, 0, 0, NULL);
    spe_sg_barrier(&x.m);
    check_last(&x, "spe_sg_barrier", SPE_OpControlBarrier, 0, 0, 0, NULL);
    spe_memory_barrier(&x.m, SPE_ScopeDevice,
                       SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsCrossWorkgroupMemory);
    check_last(&x, "spe_memory_barrier", SPE_OpMemoryBarrier, 0, 0, 0, NULL);
    close_fixture(&x, "spirv_ops_barriers");
    open_fixture(&x, 0);
    spe_barrier_arrive(&x.m);
    check_last(&x, "spe_barrier_arrive", SPE_OpControlBarrierArriveINTEL, 0, 0, 0, NULL);
    spe_barrier_wait(&x.m);
    check_last(&x, "spe_barrier_wait", SPE_OpControlBarrierWaitINTEL, 0, 0, 0, NULL);
    CHECK(declares(&x.m, SPE_CapabilitySplitBarrierINTEL));
    close_fixture(&x, "spirv_ops_split_barrier");
}

/* ---- atomics --------------------------------------------------------------------------------------------------- */

TEST(atomics)
{
    static const uint32_t added[] = {SPE_CapabilityAtomicFloat16AddEXT, SPE_CapabilityAtomicFloat32AddEXT,
                                     SPE_CapabilityAtomicFloat64AddEXT};
    const uint32_t order = SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsCrossWorkgroupMemory;
    fixture x;
    spe_id v, p;
    int op, t;
    open_fixture(&x, 0);
    for (op = SPE_ATOMIC_IADD; op <= SPE_ATOMIC_EXCHANGE; op++) {
        p = spe_param_id(&x.m, 2);
        v = spe_atomic(&x.m, (spe_atomic_op)op, p, spe_i32(&x.m, 1), SPE_ScopeDevice, order);
        check_last(&x, "spe_atomic",
                   op == SPE_ATOMIC_EXCHANGE ? SPE_OpAtomicExchange
                   : op == SPE_ATOMIC_IADD   ? SPE_OpAtomicIAdd
                   : op == SPE_ATOMIC_ISUB   ? SPE_OpAtomicISub
                                             : (uint32_t)(SPE_OpAtomicSMin + op - SPE_ATOMIC_SMIN),
                   x.i32, v, 1, &p);
    }
    CHECK(!declares(&x.m, SPE_CapabilityInt64Atomics));
    p = spe_param_id(&x.m, 3);
    v = spe_atomic_load(&x.m, p, SPE_ScopeDevice, SPE_MemorySemanticsRelaxed);
    CHECK(declares(&x.m, SPE_CapabilityInt64Atomics));
    spe_atomic_store(&x.m, p, v, SPE_ScopeWorkgroup, SPE_MemorySemanticsRelaxed);
    check_last(&x, "spe_atomic_store", SPE_OpAtomicStore, 0, 0, 0, NULL);
    v = spe_atomic_cas(&x.m, p, v, spe_u64(&x.m, 9), SPE_ScopeDevice, order);
    check_last(&x, "spe_atomic_cas", SPE_OpAtomicCompareExchange, x.i64, v, 1, &p);
    p = spe_param_id(&x.m, 5);
    spe_atomic(&x.m, SPE_ATOMIC_EXCHANGE, p, spe_f32(&x.m, 1), SPE_ScopeDevice, order);
    close_fixture(&x, "spirv_ops_atomics");
    for (t = 0; t < 3; t++) {
        int k;
        open_fixture(&x, 0);
        p = spe_param_id(&x.m, (uint32_t)(4 + t));
        v = spe_load(&x.m, p, 0);
        v = spe_atomic(&x.m, SPE_ATOMIC_FADD, p, v, SPE_ScopeDevice, SPE_MemorySemanticsRelaxed);
        check_last(&x, "spe_atomic FADD", SPE_OpAtomicFAddEXT, spe_type_of(&x.m, v), v, 1, &p);
        for (k = 0; k < 3; k++) CHECK_INT(declares(&x.m, added[k]), k == t);
        v = spe_atomic(&x.m, SPE_ATOMIC_FMIN, p, v, SPE_ScopeDevice, SPE_MemorySemanticsRelaxed);
        v = spe_atomic(&x.m, SPE_ATOMIC_FMAX, p, v, SPE_ScopeDevice, SPE_MemorySemanticsRelaxed);
        check_last(&x, "spe_atomic FMAX", SPE_OpAtomicFMaxEXT, spe_type_of(&x.m, v), v, 1, &p);
        close_fixture(&x, t == 0   ? "spirv_ops_atomics_f16"
                          : t == 1 ? "spirv_ops_atomics_f32"
                                   : "spirv_ops_atomics_f64");
    }
}

TEST(atomics_are_checked)
{
    fixture x;
    spe_id f, i, p;
    REFUSES(SPE_ERR_TYPE, "spe_atomic: takes integers", spe_atomic(&x.m, SPE_ATOMIC_IADD, p, spe_f32(&x.m, 1), 1, 0));
    REFUSES(SPE_ERR_TYPE, "f32 and i32", spe_atomic(&x.m, SPE_ATOMIC_FADD, p, i, 1, 0));
    REFUSES(SPE_ERR_TYPE, "takes pointers", spe_atomic(&x.m, SPE_ATOMIC_FADD, i, i, 1, 0));
    REFUSES(SPE_ERR_RANGE, "there is no operation 99",
            spe_atomic(&x.m, (spe_atomic_op)99, spe_param_id(&x.m, 2), i, 1, 0));
    REFUSES(SPE_ERR_TYPE, "f32 and i32", spe_atomic_store(&x.m, p, i, 1, 0));
    REFUSES(SPE_ERR_TYPE, "f32 and i32", spe_atomic_cas(&x.m, p, i, i, 1, 0));
    REFUSES(SPE_ERR_RANGE, "spe_atomic_load: memory semantics 0x4",
            spe_atomic_load(&x.m, p, SPE_ScopeDevice, SPE_MemorySemanticsRelease));
    REFUSES(SPE_ERR_TYPE, "spe_atomic_load: takes a pointer to memory that can be written",
            spe_atomic_load(&x.m, spe_global_var(&x.m, SPE_StorageClassUniformConstant, x.f32, 0), 1, 0));
}

/* ---- Intel's extensions ---------------------------------------------------------------------------------------- */

TEST(matrix_and_blocks)
{
    fixture x;
    spe_id a, b, c, d, var;
    spe_block2d block;
    open_fixture(&x, 0);
    a = value(&x, 1, 8, 0);
    b = value(&x, 2, 8, 0);
    c = value(&x, 5, 8, 0);
    d = spe_dpas(&x.m, spe_vec(&x.m, x.f32, 8), 16, a, b, c,
                 SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedFloat16INTEL |
                     SPE_MatrixMultiplyAccumulateOperandsMatrixBPackedFloat16INTEL);
    check_last(&x, "spe_dpas", SPE_OpSubgroupMatrixMultiplyAccumulateINTEL, spe_vec(&x.m, x.f32, 8), d, 0, NULL);
    CHECK(declares(&x.m, SPE_CapabilitySubgroupMatrixMultiplyAccumulateINTEL));
    memset(&block, 0, sizeof block);
    block.elem_bytes = 2;
    block.width = 16;
    block.height = 32;
    block.count = 1;
    block.ptr = spe_param_id(&x.m, 1);
    block.mem_width = block.pitch = spe_i32(&x.m, 256);
    block.mem_height = spe_i32(&x.m, 64);
    block.pos_x = value(&x, 2, 1, 0);
    block.pos_y = spe_i32(&x.m, 0);
    var = spe_local_var(&x.m, spe_array(&x.m, x.i16, 32));
    spe_block2d_load(&x.m, &block, var);
    check_last(&x, "spe_block2d_load", SPE_OpSubgroup2DBlockLoadINTEL, 0, 0, 0, NULL);
    spe_block2d_load_transform(&x.m, &block, var);
    check_last(&x, "spe_block2d_load_transform", SPE_OpSubgroup2DBlockLoadTransformINTEL, 0, 0, 0, NULL);
    spe_block2d_prefetch(&x.m, &block);
    check_last(&x, "spe_block2d_prefetch", SPE_OpSubgroup2DBlockPrefetchINTEL, 0, 0, 0, NULL);
    block.height = 8;
    spe_block2d_store(&x.m, &block, var);
    check_last(&x, "spe_block2d_store", SPE_OpSubgroup2DBlockStoreINTEL, 0, 0, 0, NULL);
    block.elem_bytes = 4;
    block.width = 8;
    block.height = 16;
    block.ptr = spe_param_id(&x.m, 2);
    spe_block2d_load_transpose(&x.m, &block, spe_local_var(&x.m, spe_array(&x.m, x.i32, 8)));
    check_last(&x, "spe_block2d_load_transpose", SPE_OpSubgroup2DBlockLoadTransposeINTEL, 0, 0, 0, NULL);
    CHECK(declares(&x.m, SPE_CapabilitySubgroup2DBlockIOINTEL) &&
          declares(&x.m, SPE_CapabilitySubgroup2DBlockTransformINTEL) &&
          declares(&x.m, SPE_CapabilitySubgroup2DBlockTransposeINTEL));
    spe_store(&x.m, spe_ptr_cast(&x.m, spe_param_id(&x.m, 5), spe_vec(&x.m, x.f32, 8)), d, 4);
    close_fixture(&x, "spirv_ops_intel_matrix");
}

TEST(other_intel_extensions)
{
    fixture x;
    spe_id v, b, p;
    open_fixture(&x, 0);
    v = value(&x, 5, 4, 0);
    b = spe_f32_to_bf16(&x.m, v);
    check_last(&x, "spe_f32_to_bf16", SPE_OpConvertFToBF16INTEL, spe_vec(&x.m, x.i16, 4), b, 1, &v);
    v = spe_bf16_to_f32(&x.m, b);
    check_last(&x, "spe_bf16_to_f32", SPE_OpConvertBF16ToFINTEL, spe_vec(&x.m, x.f32, 4), v, 1, &b);
    check_last(&x, "spe_round_tf32", SPE_OpRoundFToTF32INTEL, spe_vec(&x.m, x.f32, 4), spe_round_tf32(&x.m, v), 1, &v);
    spe_sg_prefetch(&x.m, spe_param_id(&x.m, 0), spe_i32(&x.m, 64));
    check_last(&x, "spe_sg_prefetch", SPE_OpSubgroupBlockPrefetchINTEL, 0, 0, 0, NULL);
    p = spe_copy(&x.m, spe_param_id(&x.m, 5));
    spe_cache_load(&x.m, p, 0, SPE_LoadCacheControlCachedINTEL);
    spe_cache_store(&x.m, p, 1, SPE_StoreCacheControlWriteBackINTEL);
    spe_store(&x.m, p, spe_load(&x.m, p, 0), 0);
    CHECK(declares(&x.m, SPE_CapabilityCacheControlsINTEL) && declares(&x.m, SPE_CapabilityBFloat16ConversionINTEL) &&
          declares(&x.m, SPE_CapabilityTensorFloat32RoundingINTEL) &&
          declares(&x.m, SPE_CapabilitySubgroupBufferPrefetchINTEL));
    close_fixture(&x, "spirv_ops_intel_other");
}

TEST(intel_extensions_are_checked)
{
    fixture x;
    spe_id f, i, p;
    spe_block2d b;
    memset(&b, 0, sizeof b);
    REFUSES(SPE_ERR_TYPE, "spe_dpas: operand types disagree: f32x8 and f32x4",
            spe_dpas(&x.m, spe_vec(&x.m, x.f32, 8), 16, f, f, f, 0));
    REFUSES(SPE_ERR_TYPE, "components of 16 bits, not i32", spe_bf16_to_f32(&x.m, i));
    REFUSES(SPE_ERR_TYPE, "components of 32 bits, not f64", spe_f32_to_bf16(&x.m, value(&x, 6, 1, 0)));
    REFUSES(SPE_ERR_RANGE, "elements of 3 bytes", (b.ptr = p, b.elem_bytes = 3, spe_block2d_prefetch(&x.m, &b)));
    REFUSES(SPE_ERR_RANGE, "0 blocks", (b.elem_bytes = 2, spe_block2d_prefetch(&x.m, &b)));
    b.count = b.width = b.height = 8;
    REFUSES(SPE_ERR_NO_VALUE, "spe_block2d_prefetch", spe_block2d_prefetch(&x.m, &b));
    REFUSES(SPE_ERR_TYPE, "i32 and f32x4",
            (b.mem_width = b.mem_height = b.pitch = b.pos_x = i, b.pos_y = f, spe_block2d_prefetch(&x.m, &b)));
}

TEST(cooperative_matrices)
{
    fixture x;
    spe_id ta, tb, tc, a, b, c, args[3], p, f, i;
    open_fixture(&x, 0);
    ta = spe_coopmat(&x.m, x.f16, SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixAKHR);
    tb = spe_coopmat(&x.m, x.f16, SPE_ScopeSubgroup, 16, 16, SPE_CooperativeMatrixUseMatrixBKHR);
    tc = spe_coopmat(&x.m, x.f32, SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixAccumulatorKHR);
    p = spe_param_id(&x.m, 4);
    a = spe_coop_load(&x.m, ta, p, SPE_CooperativeMatrixLayoutRowMajorKHR, spe_i32(&x.m, 64));
    check_last(&x, "spe_coop_load", SPE_OpCooperativeMatrixLoadKHR, ta, a, 1, &p);
    b = spe_coop_load(&x.m, tb, p, SPE_CooperativeMatrixLayoutColumnMajorKHR, spe_i32(&x.m, 64));
    c = spe_const_f(&x.m, tc, 0.0);
    args[0] = a;
    args[1] = b;
    args[2] = c;
    c = spe_coop_mma(&x.m, a, b, c, 0);
    check_last(&x, "spe_coop_mma", SPE_OpCooperativeMatrixMulAddKHR, tc, c, 3, args);
    c = spe_fadd(&x.m, c, spe_splat(&x.m, tc, spe_f32(&x.m, 2)));
    spe_coop_store(&x.m, spe_param_id(&x.m, 5), c, SPE_CooperativeMatrixLayoutRowMajorKHR, spe_i32(&x.m, 64));
    check_last(&x, "spe_coop_store", SPE_OpCooperativeMatrixStoreKHR, 0, 0, 0, NULL);
    check_last(&x, "spe_coop_length", SPE_OpCooperativeMatrixLengthKHR, x.i32, spe_coop_length(&x.m, tc), 1, &tc);
    CHECK(declares(&x.m, SPE_CapabilityCooperativeMatrixKHR));
    close_fixture(&x, "spirv_ops_cooperative");
    REFUSES(SPE_ERR_TYPE, "spe_fconvert: operand types disagree: coopmat<f32, 8x8, use 0> and coopmat<f16, 8x8, use 1>",
            (a = spe_undef(&x.m, spe_coopmat(&x.m, x.f32, 3, 8, 8, 0)),
             spe_fconvert(&x.m, spe_coopmat(&x.m, x.f16, 3, 8, 8, 1), a)));
    REFUSES(SPE_ERR_TYPE, "spe_fconvert",
            (a = spe_undef(&x.m, spe_coopmat(&x.m, x.f32, 3, 8, 8, 0)),
             spe_fconvert(&x.m, spe_coopmat(&x.m, x.f16, 3, 8, 16, 0), a)));
    open_fixture(&x, 0);
    a = spe_undef(&x.m, spe_coopmat(&x.m, x.f32, 3, 8, 8, 0));
    check_last(&x, "spe_fconvert", SPE_OpFConvert, spe_coopmat(&x.m, x.f16, 3, 8, 8, 0),
               spe_fconvert(&x.m, spe_coopmat(&x.m, x.f16, 3, 8, 8, 0), a), 1, &a);
    spe_free(&x.m);
    REFUSES(SPE_ERR_TYPE, "f32 is not a cooperative matrix", spe_coop_load(&x.m, x.f32, p, 0, i));
    REFUSES(SPE_ERR_TYPE, "do not multiply",
            (ta = spe_coopmat(&x.m, x.f32, 3, 8, 8, 0), a = spe_undef(&x.m, ta), spe_coop_mma(&x.m, a, a, a, 0)));
}

/* Of arithmetic, matrices have what SPV_KHR_cooperative_matrix lists: no remainders, bits or comparisons. */
TEST(matrices_have_part_of_arithmetic)
{
    static const uint32_t have[] = {SPE_OpSNegate, SPE_OpFNegate, SPE_OpIAdd, SPE_OpFAdd, SPE_OpISub, SPE_OpFSub,
                                    SPE_OpIMul,    SPE_OpFMul,    SPE_OpUDiv, SPE_OpSDiv, SPE_OpFDiv};
    fixture x;
    int i;
    size_t k;
    for (i = 0; i < ROWS; i++) {
        bool has = false;
        spe_id v;
        if (!is_arithmetic(&rows[i]) || rows[i].form[0] == 'b') continue;
        for (k = 0; k < sizeof have / sizeof *have; k++) has = has || rows[i].op == have[k];
        open_fixture(&x, 0);
        v = spe_undef(&x.m, spe_coopmat(&x.m, of_floats(&rows[i]) ? x.f32 : x.i32, SPE_ScopeSubgroup, 8, 16, 2));
        v = rows[i].binary ? rows[i].binary(&x.m, v, v) : rows[i].unary(&x.m, v);
        CHECK_MSG((v != 0) == has && spe_get_error(&x.m)->id == (has ? SPE_ERR_NONE : SPE_ERR_TYPE), "%s: %s",
                  rows[i].name, spe_get_error(&x.m)->text);
        if (!has) CHECK_HAS(spe_get_error(&x.m)->text, "coopmat<");
        spe_free(&x.m);
    }
}

/* Each way three shapes or uses can fail to multiply, one at a time. */
TEST(cooperative_products_are_checked)
{
    static const uint32_t shapes[][9] = {/* rows, columns, use of a, b and c */
                                         {8, 16, 1, 16, 4, 1, 8, 4, 2}, {8, 16, 0, 16, 4, 0, 8, 4, 2},
                                         {8, 16, 0, 16, 4, 1, 8, 4, 0}, {8, 16, 0, 8, 4, 1, 8, 4, 2},
                                         {8, 16, 0, 16, 4, 1, 4, 4, 2}, {8, 16, 0, 16, 4, 1, 8, 8, 2},
                                         {8, 16, 0, 16, 4, 1, 8, 4, 2}};
    int k, i;
    for (k = 0; k < 7; k++) {
        fixture x;
        spe_id v[3];
        const uint32_t *s = shapes[k];
        open_fixture(&x, 0);
        for (i = 0; i < 3; i++, s += 3)
            v[i] = spe_undef(&x.m, spe_coopmat(&x.m, i < 2 ? x.f16 : x.f32, SPE_ScopeSubgroup, s[0], s[1], s[2]));
        CHECK_INT(spe_coop_mma(&x.m, v[0], v[1], v[2], 0) != 0, k == 6);
        CHECK_INT(spe_get_error(&x.m)->id, k == 6 ? SPE_ERR_NONE : SPE_ERR_TYPE);
        spe_free(&x.m);
    }
}

TEST(small_floats)
{
    fixture x;
    spe_id f, i, p, b, e, d;
    open_fixture(&x, 0);
    f = value(&x, 5, 4, 0);
    b = spe_fconvert(&x.m, spe_vec(&x.m, spe_bf16(&x.m), 4), f);
    check_last(&x, "spe_fconvert", SPE_OpFConvert, spe_vec(&x.m, spe_bf16(&x.m), 4), b, 1, &f);
    CHECK(!declares(&x.m, SPE_CapabilityBFloat16DotProductKHR));
    d = spe_dot(&x.m, b, b);
    check_last(&x, "spe_dot", SPE_OpDot, spe_bf16(&x.m), d, 1, &b);
    CHECK(declares(&x.m, SPE_CapabilityBFloat16DotProductKHR));
    e = spe_fconvert_saturating(&x.m, spe_vec(&x.m, spe_e4m3(&x.m), 4), f);
    check_last(&x, "spe_fconvert_saturating", SPE_OpFConvert, spe_vec(&x.m, spe_e4m3(&x.m), 4), e, 1, &f);
    spe_fconvert(&x.m, spe_vec(&x.m, x.f32, 4), e);
    spe_fconvert(&x.m, spe_vec(&x.m, spe_e5m2(&x.m), 4), f);
    close_fixture(&x, "spirv_ops_small_floats");
    REFUSES(SPE_ERR_TYPE, "spe_fadd: takes floats, not bf16",
            (b = spe_undef(&x.m, spe_bf16(&x.m)), spe_fadd(&x.m, b, b)));
    REFUSES(SPE_ERR_TYPE, "to e4m3 or e5m2, not f16x4", spe_fconvert_saturating(&x.m, spe_vec(&x.m, x.f16, 4), f));
    REFUSES(SPE_ERR_TYPE, "spe_ieq: takes scalars and vectors, not coopmat<i32",
            (b = spe_undef(&x.m, spe_coopmat(&x.m, x.i32, 3, 8, 8, 2)), spe_ieq(&x.m, b, b)));
}

TEST(cooperative_vectors)
{
    fixture x;
    spe_id t16, t32, f, i, p, v, zero, r;
    spe_coopvec_product product;
    open_fixture(&x, 0);
    t16 = spe_coopvec(&x.m, x.f16, 32);
    t32 = spe_coopvec(&x.m, x.f32, 24);
    p = spe_param_id(&x.m, 0);
    zero = spe_i32(&x.m, 0);
    v = spe_coopvec_load(&x.m, t16, p, zero);
    check_last(&x, "spe_coopvec_load", SPE_OpCooperativeVectorLoadNV, t16, v, 1, &p);
    v = spe_fadd(&x.m, v, spe_const_f(&x.m, t16, 1.5));
    memset(&product, 0, sizeof product);
    product.input = v;
    product.matrix = p;
    product.offset = zero;
    product.input_type = product.matrix_type = SPE_ComponentTypeFloat16NV;
    product.rows = 24;
    product.cols = 32;
    product.stride = spe_i32(&x.m, 64);
    r = spe_coopvec_mul(&x.m, t32, &product);
    check_last(&x, "spe_coopvec_mul", SPE_OpCooperativeVectorMatrixMulNV, t32, r, 1, &v);
    CHECK(declares(&x.m, SPE_CapabilityCooperativeVectorNV) &&
          !declares(&x.m, SPE_CapabilityCooperativeVectorTrainingNV));
    product.bias = p;
    product.bias_offset = zero;
    product.bias_type = SPE_ComponentTypeFloat32NV;
    r = spe_coopvec_mul(&x.m, t32, &product);
    check_last(&x, "spe_coopvec_mul", SPE_OpCooperativeVectorMatrixMulAddNV, t32, r, 1, &v);
    spe_coopvec_store(&x.m, p, zero, r);
    check_last(&x, "spe_coopvec_store", SPE_OpCooperativeVectorStoreNV, 0, 0, 0, NULL);
    spe_coopvec_outer_accumulate(&x.m, p, zero, v, v, SPE_CooperativeVectorMatrixLayoutTrainingOptimalNV,
                                 SPE_ComponentTypeFloat16NV, 0);
    check_last(&x, "spe_coopvec_outer_accumulate", SPE_OpCooperativeVectorOuterProductAccumulateNV, 0, 0, 0, NULL);
    spe_coopvec_sum_accumulate(&x.m, p, zero, v);
    check_last(&x, "spe_coopvec_sum_accumulate", SPE_OpCooperativeVectorReduceSumAccumulateNV, 0, 0, 0, NULL);
    CHECK(declares(&x.m, SPE_CapabilityCooperativeVectorTrainingNV));
    CHECK_MSG(spe_ok(&x.m), "%s", spe_get_error(&x.m)->text);
    spe_free(&x.m); /* a shader's instructions, which validators refuse in kernels */
    REFUSES(SPE_ERR_TYPE, "f32 is not a cooperative vector", spe_coopvec_load(&x.m, x.f32, p, i));
    REFUSES(SPE_ERR_TYPE, "24 components from 23 rows",
            (product.rows = 23, product.input = spe_undef(&x.m, spe_coopvec(&x.m, x.f16, 32)),
             spe_coopvec_mul(&x.m, spe_coopvec(&x.m, x.f32, 24), &product)));
}

/* ---- poison ---------------------------------------------------------------------------------------------------- */

/* Call number k with 0 for every operand: its result, and the name that it reports. NULL: no such call. */
static const char *call_with_poison(fixture *x, int k, spe_id *result)
{
    static const spe_id zz[2] = {0, 0};
    spe_id carried[1] = {0};
    const spe_id z = 0;
    spe_module *m = &x->m;
    spe_block2d block;
    memset(&block, 0, sizeof block);
    *result = 0;
    switch (k) {
    case 0: *result = spe_select(m, z, z, z); return "spe_select";
    case 1: *result = spe_dot(m, z, z); return "spe_dot";
    case 2: *result = spe_isnan(m, z); return "spe_isnan";
    case 3: *result = spe_any(m, z); return "spe_any";
    case 4: *result = spe_all(m, z); return "spe_all";
    case 5: *result = spe_bits_extract(m, z, z, z, true); return "spe_bits_extract";
    case 6: *result = spe_bits_insert(m, z, z, z, z); return "spe_bits_insert";
    case 7: *result = spe_uconvert(m, x->i64, z); return "spe_uconvert";
    case 8: *result = spe_sconvert(m, x->i64, z); return "spe_sconvert";
    case 9: *result = spe_fconvert(m, x->f64, z); return "spe_fconvert";
    case 10: *result = spe_f_to_u(m, x->i64, z); return "spe_f_to_u";
    case 11: *result = spe_s_to_f(m, x->f32, z); return "spe_s_to_f";
    case 12: *result = spe_ptr_to_u(m, x->i64, z); return "spe_ptr_to_u";
    case 13: *result = spe_u_to_ptr(m, spe_type_of(m, spe_param_id(m, 0)), z); return "spe_u_to_ptr";
    case 14: *result = spe_bitcast(m, x->i64, z); return "spe_bitcast";
    case 15: *result = spe_ptr_cast(m, z, x->i8); return "spe_ptr_cast";
    case 16: *result = spe_ptr_to_generic(m, z); return "spe_ptr_to_generic";
    case 17: *result = spe_cast(m, x->i8, z, true); return "spe_cast";
    case 18: *result = spe_bf16_to_f32(m, z); return "spe_bf16_to_f32";
    case 19: *result = spe_f32_to_bf16(m, z); return "spe_f32_to_bf16";
    case 20: *result = spe_round_tf32(m, z); return "spe_round_tf32";
    case 21: *result = spe_extract(m, z, 0); return "spe_extract";
    case 22: *result = spe_insert(m, z, z, 0); return "spe_insert";
    case 23: *result = spe_construct(m, spe_vec(m, x->i8, 2), 2, zz); return "spe_construct";
    case 24: *result = spe_splat(m, spe_vec(m, x->i8, 2), z); return "spe_splat";
    case 25: *result = spe_shuffle(m, z, z, 2, zz); return "spe_shuffle";
    case 26: *result = spe_extract_dyn(m, z, z); return "spe_extract_dyn";
    case 27: *result = spe_insert_dyn(m, z, z, z); return "spe_insert_dyn";
    case 28: *result = spe_load(m, z, 0); return "spe_load";
    case 29: *result = spe_load_volatile(m, z, 0); return "spe_load_volatile";
    case 30: *result = spe_index(m, z, z); return "spe_index";
    case 31: *result = spe_element(m, z, 1, zz); return "spe_element";
    case 32: *result = spe_load_if(m, z, z, z, 0); return "spe_load_if";
    case 33: *result = spe_math1(m, SPE_EXP, z); return "spe_math(SPE_EXP)";
    case 34: *result = spe_math3(m, SPE_FMA, z, z, z); return "spe_math(SPE_FMA)";
    case 35: *result = spe_sg_reduce(m, SPE_RED_ADD, z); return "spe_sg_reduce";
    case 36: *result = spe_sg_shuffle(m, z, z); return "spe_sg_shuffle";
    case 37: *result = spe_sg_broadcast(m, z, z); return "spe_sg_broadcast";
    case 38: *result = spe_sg_broadcast_first(m, z); return "spe_sg_broadcast_first";
    case 39: *result = spe_sg_ballot(m, z); return "spe_sg_ballot";
    case 40: *result = spe_sg_ballot_count(m, z); return "spe_sg_ballot_count";
    case 41: *result = spe_sg_all(m, z); return "spe_sg_all";
    case 42: *result = spe_wg_reduce(m, SPE_RED_ADD, z); return "spe_wg_reduce";
    case 43: *result = spe_wg_broadcast(m, z, z); return "spe_wg_broadcast";
    case 44: *result = spe_atomic(m, SPE_ATOMIC_IADD, z, z, 1, 0); return "spe_atomic";
    case 45: *result = spe_atomic_load(m, z, 1, 0); return "spe_atomic_load";
    case 46: *result = spe_atomic_cas(m, z, z, z, 1, 0); return "spe_atomic_cas";
    case 47: *result = spe_dpas(m, x->f32, 16, z, z, z, 0); return "spe_dpas";
    case 48: *result = spe_copy(m, z); return "spe_copy";
    case 49: *result = spe_coop_load(m, x->f32, z, 0, z); return "spe_coop_load";
    case 50: *result = spe_coop_mma(m, z, z, z, 0); return "spe_coop_mma";
    case 51: *result = spe_coopvec_load(m, spe_coopvec(m, x->f32, 4), z, z); return "spe_coopvec_load";
    case 52: spe_store(m, z, z, 0); return "spe_store";
    case 53: spe_store_volatile(m, z, z, 0); return "spe_store_volatile";
    case 54: spe_store_if(m, z, z, z, 0); return "spe_store_if";
    case 55: spe_copy_memory_sized(m, z, z, z, 0); return "spe_copy_memory_sized";
    case 56: spe_atomic_store(m, z, z, 1, 0); return "spe_atomic_store";
    case 57: spe_block2d_load(m, &block, z); return "spe_block2d_load";
    case 58: spe_block2d_load_transform(m, &block, z); return "spe_block2d_load_transform";
    case 59: spe_block2d_load_transpose(m, &block, z); return "spe_block2d_load_transpose";
    case 60: spe_block2d_store(m, &block, z); return "spe_block2d_store";
    case 61: spe_block2d_prefetch(m, &block); return "spe_block2d_prefetch";
    case 62: spe_cache_load(m, z, 0, 0); return "spe_cache_load";
    case 63: spe_cache_store(m, z, 0, 0); return "spe_cache_store";
    case 64: spe_prefetch(m, z, z); return "spe_prefetch";
    case 65: spe_sg_prefetch(m, z, z); return "spe_sg_prefetch";
    case 66: spe_coop_store(m, z, z, 0, z); return "spe_coop_store";
    case 67: spe_coopvec_store(m, z, z, z); return "spe_coopvec_store";
    case 68: spe_coopvec_outer_accumulate(m, z, z, z, z, 0, 0, z); return "spe_coopvec_outer_accumulate";
    case 69: spe_coopvec_sum_accumulate(m, z, z, z); return "spe_coopvec_sum_accumulate";
    case 70: spe_if(m, z); return "spe_if";
    case 71: spe_for(m, z, z, z, 0, NULL); return "spe_for";
    case 72: spe_while(m, 1, carried); return "spe_while";
    case 73: spe_switch(m, z, 0, NULL); return "spe_switch";
    case 74: spe_return_value(m, z); return "spe_return_value";
    case 75: *result = spe_dot_bytes(m, z, true, z, false); return "spe_dot_bytes";
    default: return NULL;
    }
}

/* 0 as an operand is an error that names the call, and emits nothing; after an error calls do nothing. */
TEST(poison_goes_through_everything)
{
    int k;
    for (k = 0;; k++) {
        fixture x;
        const char *name;
        spe_id result;
        size_t words;
        open_fixture(&x, 0);
        words = x.m.buffer[SPE_BUFFER_BODY_].count;
        name = call_with_poison(&x, k, &result);
        if (!name) {
            spe_free(&x.m);
            break;
        }
        CHECK_MSG(!result, "%s gives id %u", name, result);
        CHECK_MSG(spe_get_error(&x.m)->id == SPE_ERR_NO_VALUE, "%s: error %d", name, spe_get_error(&x.m)->id);
        CHECK_HAS(spe_get_error(&x.m)->text, name);
        CHECK_MSG(x.m.buffer[SPE_BUFFER_BODY_].count == words, "%s writes words", name);
        spe_free(&x.m);

        open_fixture(&x, 0);
        spe_fail(&x.m, 4711, "EARLIER", "an earlier error");
        words = x.m.buffer[SPE_BUFFER_BODY_].count + x.m.buffer[SPE_SECTION_GLOBAL_].count;
        call_with_poison(&x, k, &result);
        CHECK_MSG(!result && spe_get_error(&x.m)->id == 4711, "%s after an error", name);
        CHECK_INT(x.m.buffer[SPE_BUFFER_BODY_].count + x.m.buffer[SPE_SECTION_GLOBAL_].count, words);
        spe_free(&x.m);
    }
    CHECK(k > 70);
}

/* ---- anything else --------------------------------------------------------------------------------------------- */

TEST(member_decorations)
{
    fixture x;
    spe_id f, i, p, members[2], s;
    const uint32_t *w;
    uint32_t offset = 16;
    open_fixture(&x, 0);
    members[0] = x.f32;
    members[1] = x.i32;
    s = spe_struct(&x.m, 2, members);
    spe_decorate_member(&x.m, s, 1, SPE_DecorationMaxByteOffset, 1, &offset);
    w = x.m.buffer[SPE_SECTION_DECORATION_].data;
    CHECK(w && w[0] == (5u << 16 | SPE_OpMemberDecorate) && w[1] == s && w[2] == 1 && w[4] == 16);
    spe_free(&x.m);
    REFUSES(SPE_ERR_RANGE, "no member 2",
            (members[0] = members[1] = x.f32, spe_decorate_member(&x.m, spe_struct(&x.m, 2, members), 2, 0, 0, NULL)));
    REFUSES(SPE_ERR_NO_TYPE, "spe_decorate_member", spe_decorate_member(&x.m, i, 0, 0, 0, NULL));
}

TEST(generic_instructions)
{
    fixture x;
    spe_id v, args[3], f, i, p;
    open_fixture(&x, 0);
    args[0] = value(&x, 2, 1, 0);
    args[1] = args[0];
    args[2] = spe_i32(&x.m, 0);
    v = spe_op(&x.m, SPE_OpSDot, x.i32, 2, args);
    check_last(&x, "spe_op", SPE_OpSDot, x.i32, v, 2, args);
    CHECK(declares(&x.m, SPE_CapabilityDotProduct));
    spe_free(&x.m);
    open_fixture(&x, 0);
    spe_capability(&x.m, SPE_CapabilityExpectAssumeKHR);
    args[0] = spe_ieq(&x.m, value(&x, 2, 1, 0), spe_i32(&x.m, 1));
    spe_op_void(&x.m, SPE_OpAssumeTrueKHR, 1, args);
    spe_extension(&x.m, "SPV_KHR_expect_assume");
    CHECK(spe_ok(&x.m));
    close_fixture(&x, "spirv_ops_generic");
    REFUSES(SPE_ERR_REGION_CROSSED, "is control flow", spe_op_void(&x.m, SPE_OpBranch, 1, &i));
    REFUSES(SPE_ERR_NO_TYPE, "spe_op", spe_op(&x.m, SPE_OpSDot, i, 0, NULL));
    REFUSES(SPE_ERR_NAME, "spe_extension", spe_extension(&x.m, ""));
    REFUSES(SPE_ERR_NO_VALUE, "spe_decorate", spe_decorate(&x.m, 0, SPE_DecorationConstant, 0, NULL));
    {
        static spe_id many[65535];
        many[0] = many[1] = i;
        REFUSES(SPE_ERR_LIMIT, "65535", spe_op_void(&x.m, SPE_OpStore, 65535, many));
    }
}

int main(void)
{
    RUN(forms_are_as_long_as_their_operands);
    RUN(arithmetic_of_every_type);
    RUN(arithmetic_refuses_other_types);
    RUN(operations_by_type);
    RUN(bit_instructions);
    RUN(conversions_between_all_numbers);
    RUN(bitcasts_and_pointers);
    RUN(composites);
    RUN(dots_of_bytes);
    RUN(vectors_are_no_scalars);
    RUN(composites_are_checked);
    RUN(loads_and_stores);
    RUN(memory_is_checked);
    RUN(predicated_memory);
    RUN(every_math_function);
    RUN(math_is_checked);
    RUN(subgroup_operations);
    RUN(work_group_operations);
    RUN(groups_are_checked);
    RUN(barriers);
    RUN(atomics);
    RUN(atomics_are_checked);
    RUN(matrix_and_blocks);
    RUN(other_intel_extensions);
    RUN(intel_extensions_are_checked);
    RUN(cooperative_matrices);
    RUN(matrices_have_part_of_arithmetic);
    RUN(cooperative_products_are_checked);
    RUN(small_floats);
    RUN(cooperative_vectors);
    RUN(poison_goes_through_everything);
    RUN(member_decorations);
    RUN(generic_instructions);
    return test_report();
}
