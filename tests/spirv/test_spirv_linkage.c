/* test_spirv_linkage.c - functions declared before their bodies and imported from other modules, names of parameters,
 * structs with pointers to themselves, texts and printf: modules and, on the device, their results. */
#define _GNU_SOURCE
#include "../opencl/opencl.h"
#include "../opencl/printed.h"
#include "spirv_emit.h"

enum { N = 200, GROUP = 20 };

static spe_module m;
static spe_id i32, f32, words_ptr, floats_ptr;

static void begin(bool names)
{
    spe_options o;
    memset(&o, 0, sizeof o);
    o.names = names;
    spe_free(&m);
    spe_begin(&m, &o);
    i32 = spe_int(&m, 32);
    f32 = spe_float(&m, 32);
    words_ptr = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, i32);
    floats_ptr = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, f32);
}

/* Opens kernel "k"(a, b); returns the work-item's number. */
static spe_id open_kernel(spe_id a, spe_id b)
{
    static spe_param params[2];
    spe_kernel k;
    memset(&k, 0, sizeof k);
    params[0].type = a, params[1].type = b;
    k.name = "k", k.params = params, k.param_count = 2, k.contract = SPE_CONTRACT_OFF;
    spe_kernel_begin(&m, &k);
    return spe_builtin(&m, SPE_GLOBAL_ID, 0);
}

static spe_id element(uint32_t parameter, spe_id i) { return spe_index(&m, spe_param_id(&m, parameter), i); }

static void fails(int id, const char *text)
{
    CHECK(!spe_finish(&m).data);
    CHECK_INT(spe_get_error(&m)->id, id);
    CHECK_HAS(spe_get_error(&m)->text, text);
}

static spe_words finish(const char *name)
{
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    test_save_spv(name, words.data, 4 * words.count);
    return words;
}

/* The n-th instruction with this opcode, from 0; NULL: there are fewer. */
static const uint32_t *find(spe_words words, uint32_t opcode, int n)
{
    for (size_t i = 5; i < words.count; i += words.data[i] >> 16)
        if ((words.data[i] & 0xffff) == opcode && n-- == 0) return words.data + i;
    return NULL;
}

static bool load(zed_module *module, spe_words words)
{
    zed_module_load(module, &ocl_device, words.data, 4 * words.count, NULL);
    return ocl_good_("load", __FILE__, __LINE__);
}

/* ---- declared functions */

/* i32 declare(i32) */
static spe_id declare(const char *name) { return spe_function_declare(&m, name, i32, 1, &i32); }

/* k calls outer, outer calls inner, inner reads a table: defined in this order, each before what it calls. */
static void emit_declared(void)
{
    spe_id table_type, values[4], table, outer, inner, x, at;
    begin(true);
    for (int i = 0; i < 4; i++) values[i] = spe_i32(&m, 1000 * (i + 1));
    table_type = spe_array(&m, i32, 4);
    table = spe_global_var(&m, SPE_StorageClassUniformConstant, table_type,
                           spe_composite_const(&m, table_type, 4, values));
    outer = declare("outer");
    inner = declare("inner");
    x = open_kernel(words_ptr, words_ptr);
    spe_store(&m, element(1, x), spe_call(&m, outer, 1, (spe_id[]){spe_load(&m, element(0, x), 0)}), 0);
    spe_kernel_end(&m);
    spe_function_define(&m, outer);
    x = spe_param_id(&m, 0);
    x = spe_imul(&m, x, spe_call(&m, inner, 1, (spe_id[]){x}));
    spe_return_value(&m, x);
    spe_function_end(&m);
    spe_function_define(&m, inner);
    x = spe_and(&m, spe_param_id(&m, 0), spe_i32(&m, 3));
    at = spe_element(&m, table, 1, &x);
    spe_return_value(&m, spe_iadd(&m, spe_load(&m, at, 0), spe_param_id(&m, 0)));
    spe_function_end(&m);
    spe_words words = finish("spirv_linkage_declared");
    const uint32_t *entry = find(words, SPE_OpEntryPoint, 0);
    bool listed = false; /* the table, in the kernel's interface */
    for (uint32_t i = 4; entry && i < entry[0] >> 16; i++) listed = listed || entry[i] == table;
    CHECK(listed);
}

TEST(functions_are_called_before_their_bodies)
{
    zed_module module;
    int32_t *in = (int32_t *)ocl_buffer(N * 4), *out = (int32_t *)ocl_buffer(N * 4);
    emit_declared();
    for (int i = 0; i < N; i++) in[i] = (int32_t)test_random();
    if (load(&module, spe_finish(&m))) {
        OCL_RUN(&module, "k", "ptr<i32> in, ptr<i32> out", N / GROUP, GROUP, in, out);
        for (int i = 0; i < N; i++) {
            uint32_t x = (uint32_t)in[i];
            CHECK_INT(out[i], (int32_t)(x * (x + 1000 * ((x & 3) + 1))));
        }
        zed_module_free(&module);
    }
    ocl_free(in);
    ocl_free(out);
}

/* function f: its body is a call of g. */
static void define_as(spe_id f, spe_id g)
{
    spe_function_define(&m, f);
    spe_return_value(&m, spe_call(&m, g, 1, (spe_id[]){spe_param_id(&m, 0)}));
    spe_function_end(&m);
}

TEST(declared_functions_have_one_body_and_no_circles)
{
    spe_id a, b, c;
    begin(false);
    declare("never");
    fails(SPE_ERR_NO_FUNCTION, "never is declared and has no body");
    begin(false);
    a = declare("a");
    b = declare("b");
    c = declare("c");
    define_as(a, b), define_as(b, c), define_as(c, a);
    fails(SPE_ERR_FUNCTION_OPEN, "lead back to it; OpenCL has no recursion");
    begin(false);
    a = declare("a");
    define_as(a, spe_function_import(&m, "library", i32, 1, &i32));
    spe_function_define(&m, a);
    fails(SPE_ERR_NO_FUNCTION, "is not a function of spe_function_declare without a body");
    begin(false);
    spe_function_define(&m, i32);
    fails(SPE_ERR_NO_FUNCTION, "is not a function of");
    begin(false);
    spe_function_import(&m, "", i32, 1, &i32);
    fails(SPE_ERR_NAME, "spe_function_import: a function without a name");
    begin(false);
    spe_function_declare(&m, "f", spe_sampler(&m), 0, NULL);
    fails(SPE_ERR_TYPE, "a function returns no sampler");
}

/* Each of many functions calls the next, which is declared, and all kernels call the first: their interfaces are found
 * without walking the chain for each. */
TEST(long_chains_of_declared_functions)
{
    enum { CHAIN = 3000, KERNELS = 3000 };
    static spe_id f[CHAIN];
    spe_kernel k;
    char name[16];
    begin(false);
    spe_id shared = spe_shared_var(&m, i32);
    for (int i = 0; i < CHAIN; i++) f[i] = declare("f");
    for (int i = 0; i + 1 < CHAIN; i++) define_as(f[i], f[i + 1]);
    spe_function_define(&m, f[CHAIN - 1]);
    spe_return_value(&m, spe_load(&m, shared, 0));
    spe_function_end(&m);
    memset(&k, 0, sizeof k);
    k.name = name;
    for (int i = 0; i < KERNELS; i++) {
        snprintf(name, sizeof name, "k%d", i);
        spe_kernel_begin(&m, &k);
        spe_call(&m, f[0], 1, (spe_id[]){spe_i32(&m, i)});
        spe_kernel_end(&m);
    }
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    for (int i = 0; i < KERNELS; i += 1000) {
        const uint32_t *entry = find(words, SPE_OpEntryPoint, i);
        CHECK(entry && entry[(entry[0] >> 16) - 1] == shared);
    }
}

/* ---- imported functions */

TEST(imported_functions_are_linked)
{
    zed_module user, library;
    ze_module_build_log_handle_t log = NULL;
    begin(true);
    spe_id scale = spe_function_import(&m, "scale_", f32, 1, &f32);
    spe_id i = open_kernel(floats_ptr, floats_ptr);
    spe_store(&m, element(1, i), spe_call(&m, scale, 1, (spe_id[]){spe_load(&m, element(0, i), 0)}), 0);
    spe_kernel_end(&m);
    spe_words words = finish("spirv_linkage_user");
    const uint32_t *function = find(words, SPE_OpFunction, 0); /* declarations come first, without a body */
    CHECK(function && function[2] == scale && (function[5 + 3] & 0xffff) == SPE_OpFunctionEnd);
    if (!load(&user, words)) return;
    begin(true);
    spe_id fn = spe_function_begin(&m, "scale", f32, 1, &f32);
    spe_return_value(&m, spe_fmul(&m, spe_param_id(&m, 0), spe_f32(&m, 2.5f)));
    spe_function_end(&m);
    spe_export(&m, fn, "scale_");
    if (!load(&library, finish("spirv_linkage_library"))) return;
    OCL_OK(zeModuleDynamicLink(2, (ze_module_handle_t[]){user.handle, library.handle}, &log));
    if (log) zeModuleBuildLogDestroy(log);
    float *in = (float *)ocl_buffer(N * 4), *out = (float *)ocl_buffer(N * 4);
    for (int k = 0; k < N; k++) in[k] = (float)test_normal();
    OCL_RUN(&user, "k", "ptr<f32> in, ptr<f32> out", N / GROUP, GROUP, in, out);
    for (int k = 0; k < N; k++) CHECK(out[k] == in[k] * 2.5f);
    ocl_free(in);
    ocl_free(out);
    zed_module_free(&user);
    zed_module_free(&library);
}

TEST(parameters_are_named_in_one_call)
{
    static const char *const names[] = {"first", NULL, "third"};
    begin(true);
    spe_id types[3] = {i32, i32, f32};
    spe_function_begin(&m, "f", i32, 3, types);
    spe_param_names(&m, 3, names);
    spe_id first = spe_param_id(&m, 0), third = spe_param_id(&m, 2);
    spe_return_value(&m, first);
    spe_function_end(&m);
    spe_words words = finish("spirv_linkage_names");
    const uint32_t *name[3] = {find(words, SPE_OpName, 0), find(words, SPE_OpName, 1), find(words, SPE_OpName, 2)};
    CHECK(name[2] && name[1][1] == first && !strcmp((const char *)(name[1] + 2), "first"));
    CHECK(name[2] && name[2][1] == third && !strcmp((const char *)(name[2] + 2), "third"));
    CHECK(!find(words, SPE_OpName, 3));
    begin(true);
    spe_function_begin(&m, "f", i32, 2, types);
    spe_param_names(&m, 3, names);
    fails(SPE_ERR_PARAMETER, "3 names; the function has 2 parameters");
    begin(true);
    spe_param_names(&m, 3, names);
    fails(SPE_ERR_NO_FUNCTION, "spe_param_names: no function is open");
}

/* ---- structs with pointers to themselves */

typedef struct node {
    float value;
    struct node *next;
} node;

/* k(node *lists, f32 *sums): the sum of each list, whose first nodes are the first of an array. */
static void emit_lists(void)
{
    begin(true);
    spe_id next = spe_ptr_forward(&m, SPE_StorageClassCrossWorkgroup), members[2] = {f32, next};
    spe_id type = spe_struct_new(&m, 2, members), carried[2], at[2];
    CHECK_INT(spe_size(&m, type), sizeof(node));
    CHECK_INT(spe_offset(&m, type, 1), offsetof(node, next));
    spe_ptr_complete(&m, next, type);
    CHECK(spe_ptr(&m, SPE_StorageClassCrossWorkgroup, type) == next);
    CHECK_INT(spe_info(&m, next).kind, SPE_KIND_POINTER);
    spe_name(&m, type, "node");
    spe_id i = open_kernel(next, floats_ptr);
    carried[0] = element(0, i);
    carried[1] = spe_f32(&m, 0);
    spe_while(&m, 2, carried);
    spe_while_test(&m, spe_ine(&m, spe_ptr_to_u(&m, spe_int(&m, 64), carried[0]), spe_u64(&m, 0)));
    for (uint32_t k = 0; k < 2; k++) at[k] = spe_element(&m, carried[0], 1, (spe_id[]){spe_i32(&m, (int32_t)k)});
    carried[1] = spe_fadd(&m, carried[1], spe_load(&m, at[0], 0));
    carried[0] = spe_load(&m, at[1], 0);
    spe_endwhile(&m, 2, carried);
    spe_store(&m, element(1, i), carried[1], 0);
    spe_kernel_end(&m);
    finish("spirv_linkage_lists");
}

TEST(structs_point_to_themselves)
{
    zed_module module;
    float *sums = (float *)ocl_buffer(N * 4);
    node *nodes = (node *)ocl_buffer(5 * N * sizeof *nodes);
    emit_lists();
    for (int i = 0; i < 5 * N; i++) { /* list i % N goes on at every N-th node, and ends after 1 to 5 */
        nodes[i].value = (float)test_normal();
        nodes[i].next = i / N < i % N % 5 ? &nodes[i + N] : NULL;
    }
    if (load(&module, spe_finish(&m))) {
        OCL_RUN(&module, "k", "ptr<f32> nodes, ptr<f32> sums", N / GROUP, GROUP, (void *)nodes, sums);
        for (int i = 0; i < N; i++) {
            float want = 0; /* in the same order: the same bits */
            for (const node *n = &nodes[i]; n; n = n->next) want += n->value;
            CHECK_MSG(sums[i] == want, "list %d: %g, want %g", i, (double)sums[i], (double)want);
        }
        zed_module_free(&module);
    }
    ocl_free(sums);
    ocl_free(nodes);
}

TEST(forward_pointers_are_completed_once)
{
    spe_id p, s;
    begin(false);
    p = spe_ptr_forward(&m, SPE_StorageClassFunction);
    fails(SPE_ERR_NO_TYPE, "of spe_ptr_forward has no target");
    begin(false);
    p = spe_ptr_forward(&m, SPE_StorageClassCrossWorkgroup);
    spe_ptr_complete(&m, p, i32);
    fails(SPE_ERR_TYPE, "the pointer is to a struct, not i32");
    begin(false);
    p = spe_ptr_forward(&m, SPE_StorageClassCrossWorkgroup);
    s = spe_struct(&m, 1, &p);
    spe_ptr_complete(&m, p, s);
    spe_ptr_complete(&m, p, s);
    fails(SPE_ERR_TYPE, "is not an incomplete pointer");
    begin(false);
    p = spe_ptr_forward(&m, SPE_StorageClassCrossWorkgroup);
    s = spe_struct(&m, 1, &p);
    spe_ptr(&m, SPE_StorageClassCrossWorkgroup, s);
    spe_ptr_complete(&m, p, s);
    fails(SPE_ERR_TYPE, "before this one was complete");
    begin(false);
    p = spe_ptr_forward(&m, SPE_StorageClassCrossWorkgroup);
    spe_fn_type(&m, i32, 1, &p);
    fails(SPE_ERR_TYPE, "parameter 0 is incomplete pointer");
    begin(false);
    spe_ptr(&m, SPE_StorageClassCrossWorkgroup, spe_ptr_forward(&m, SPE_StorageClassCrossWorkgroup));
    fails(SPE_ERR_TYPE, "there are no pointers to incomplete pointer");
    begin(false);
    spe_array(&m, spe_ptr_forward(&m, SPE_StorageClassCrossWorkgroup), 4);
    fails(SPE_ERR_TYPE, "4 elements of incomplete pointer");
    begin(false);
    spe_ptr_forward(&m, 77);
    fails(SPE_ERR_RANGE, "there is no storage class 77");
}

/* ---- texts and printf */

static const struct {
    float x;
    int32_t n;
} printed_values = {-2.75f, -77};

static void launch_printer(const void *module)
{
    OCL_RUN((zed_module *)(uintptr_t)module, "k", "f32 x, i32 n", 1, 1, printed_values.x, printed_values.n);
}

TEST(kernels_print)
{
    zed_module module;
    char text[512], want[512];
    begin(false);
    open_kernel(f32, i32);
    spe_id x = spe_param_id(&m, 0), n = spe_param_id(&m, 1), v[4], args[4], wide = spe_sconvert(&m, spe_int(&m, 64), n);
    spe_id small = spe_uconvert(&m, spe_int(&m, 8), n), four = spe_vec(&m, f32, 4);
    for (int i = 0; i < 4; i++) v[i] = spe_fmul(&m, x, spe_f32(&m, (float)i));
    args[0] = x, args[1] = n, args[2] = spe_string(&m, "a text"), args[3] = wide;
    spe_printf(&m, "%g %5d|%s|%ld 100%%\n", 4, args);
    args[0] = small, args[1] = small, args[2] = spe_fconvert(&m, spe_float(&m, 16), x);
    args[3] = spe_construct(&m, four, 4, v);
    spe_printf(&m, "%d %u %.3f %v4hlg\n", 4, args);
    CHECK(spe_type_of(&m, spe_printf(&m, "%%no arguments\n", 0, NULL)) == i32);
    CHECK(spe_string(&m, "") != spe_string(&m, "x"));
    spe_string(&m, "a text");
    spe_kernel_end(&m);
    spe_words words = finish("spirv_linkage_printf");
    const uint32_t *variable;
    int texts = 0;
    for (int i = 0; (variable = find(words, SPE_OpVariable, i)) != NULL; i++)
        texts += variable[3] == SPE_StorageClassUniformConstant;
    CHECK_INT(texts, 6); /* three formats, "a text" once, "", "x" */
    if (!load(&module, words)) return;
    CHECK(ocl_printed(text, sizeof text, launch_printer, &module) > 0);
    snprintf(want, sizeof want, "-2.75   -77|a text|-77 100%%\n-77 179 -2.750 %s,-2.75,-5.5,-8.25\n%%no arguments\n",
             "-0");
    CHECK_STR(text, want);
    zed_module_free(&module);
}

TEST(arguments_fit_the_format)
{
    static const struct {
        const char *format, *error;
        bool real;
    } rows[] = {{"%d", "conversion %d does not take f32", true}, {"%5.2f", "conversion %5.2f does not take i32", false},
                {"%ld", "conversion %ld does not take i32", false}, {"%s", "conversion %s does not take i32", false},
                {"%v2hlf", "conversion %v2hlf does not take f32", true}, {"%q", "conversion %q does not take", true},
                {"%", "conversion % does not take f32", true}, {"no", "1 arguments for 0 conversions of \"no\"", true},
                {"%d %d", "1 arguments for 2 conversions", false}, {"%*d", "conversion %* does not take", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(false);
        open_kernel(f32, i32);
        spe_id arg = spe_param_id(&m, rows[i].real ? 0 : 1);
        spe_printf(&m, rows[i].format, 1, &arg);
        fails(SPE_ERR_TYPE, rows[i].error);
    }
    begin(false);
    open_kernel(f32, i32);
    spe_printf(&m, NULL, 0, NULL);
    fails(SPE_ERR_LIMIT, "a text of 0 bytes");
    begin(false);
    open_kernel(f32, i32);
    spe_printf(&m, "%d", 100, NULL);
    fails(SPE_ERR_RANGE, "100 arguments; at most");
}

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(functions_are_called_before_their_bodies);
    RUN(declared_functions_have_one_body_and_no_circles);
    RUN(long_chains_of_declared_functions);
    RUN(imported_functions_are_linked);
    RUN(parameters_are_named_in_one_call);
    RUN(structs_point_to_themselves);
    RUN(forward_pointers_are_completed_once);
    RUN(kernels_print);
    RUN(arguments_fit_the_format);
    spe_free(&m);
    zed_close(&ocl_device);
    return test_report();
}
