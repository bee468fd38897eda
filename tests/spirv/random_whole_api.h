/* random_whole_api.h - the calls of test_spirv_random.c beyond the table of instructions and what kernels mostly use:
 * types and constants of every kind, matrices, blocks, images, functions of other modules, Intel's compiler, and which
 * functions were called. */
#ifndef TEST_RANDOM_WHOLE_API_H
#define TEST_RANDOM_WHOLE_API_H

/* ---- types and constants ----------------------------------------------------------------------------------------- */

static spe_id small_float(void)
{
    switch (below(3)) {
    case 0: return keep_type(GET0(bf16));
    case 1: return keep_type(GET0(e4m3));
    default: return keep_type(GET0(e5m2));
    }
}

static spe_id spec_number(void)
{
    return keep(GET(spec_const, i32(), (uint64_t)(1 + below(9)), (uint32_t)below(8)));
}

/* A pointer to a struct that contains such pointers. */
static void list_type(void)
{
    spe_id members[2];
    members[0] = GET(ptr_forward, careless() ? any_word() : SPE_StorageClassCrossWorkgroup);
    members[1] = i32();
    spe_id list = keep_type(GET(struct, 2, members));
    if (list) DO(ptr_complete, members[0], careless() ? any_id() : list);
}

static void types(void)
{
    spe_id elem = random_type(NUMBERS), members[3] = {elem, i32(), random_memory_type(1)};
    spe_id v = value_of(of_kind, NUMBERS, elem);
    char text[64];
    switch (below(9)) {
    case 0: keep(GET(undef, small_float())); break;
    case 1: keep_type(GET(vec_like, random_scalar(NUMBERS), v)); break;
    case 2: v = careless() ? any_id() : chance(50) ? spec_number() : GET(u32, 1 + (uint32_t)below(4));
        keep(GET(shared_var, GET(array_sized, elem, v))); break;
    case 3: keep_type(GET(struct_new, careless() ? any_word() % 4 : 3, members)); break;
    case 4: keep_type(GET(fn_type, careless() ? any_id() : elem, (uint32_t)below(4), members)); break;
    case 5: list_type(); break;
    case 6: v = GET(struct_new, 3, members);
        DO(decorate_member, v, careless() ? any_word() : (uint32_t)below(3), SPE_DecorationNonWritable, 0, NULL);
        if (chance(50)) DO(decorate, v, SPE_DecorationCPacked, 0, NULL);
        keep(GET(local_var, v)); break;
    case 7: keep(GET(ptr_cast, pointer(), GET(array, elem, 2))); break;
    case 8: /* queries */
        if (!of_kind(elem, NUMBERS)) break;
        CHECK(ASK(size, elem) >= ASK(alignment, elem) && ASK(offset, elem, 0) == 0);
        CHECK(ASK(count, elem) == ASK(info, elem).count && ASK(width, elem) <= 64);
        CHECK(ASK(type_text, elem, text, sizeof text) == text && ASK(scalar_of, elem) && *text);
        CHECK(ASK(type_of, v) == 0 || spe_info(&p.m, spe_type_of(&p.m, v)).kind != SPE_KIND_NONE);
        break;
    }
}

static void more_constants(void)
{
    static const uint32_t ops[] = {SPE_OpIAdd, SPE_OpIMul, SPE_OpUDiv, SPE_OpBitwiseAnd, SPE_OpShiftLeftLogical,
                                   SPE_OpSLessThan, SPE_OpSNegate, SPE_OpUConvert};
    spe_id args[2] = {spec_number(), 0};
    uint32_t op = careless() ? (uint32_t)below(400) : ONE_OF(ops);
    uint32_t n = op == SPE_OpSNegate || op == SPE_OpUConvert ? 1 : 2;
    uint64_t bits;
    args[1] = GET(i32, 1 + below(9));
    switch (below(5)) {
    case 0: keep(GET(u64, test_random())); break;
    case 1: keep(GET(f32, (float)test_normal())); break;
    case 2:
        keep(GET(spec_op, op, op == SPE_OpUConvert ? GET(int, 64) : 0, careless() ? any_word() % 3 : n, args));
        break;
    case 3: keep(GET(null, random_scalar(NUMBERS))); break;
    case 4: CHECK(!ASK(const_bits, args[0], &bits) && (ASK(is_const, args[0]) || !ASK0(ok))); break;
    }
}

/* ---- instructions by number -------------------------------------------------------------------------------------- */

/* A value of the type, even in a careless program: types are not checked here. */
static spe_id fitting(spe_id type)
{
    int rate = p.careless;
    p.careless = 0;
    spe_id v = of_type(type);
    p.careless = rate;
    return v;
}

static void by_number(void)
{
    enum { BITSELECT = 186, FABS = 23, FMA = 26 };
    int rate = p.careless;
    p.careless = 0;
    spe_id ints = random_type(INTS), floats = random_type(FLOATS), args[4];
    p.careless = rate;
    uint32_t wrong = careless() ? (uint32_t)below(3) : 9; /* of what is checked */
    switch (below(7)) {
    case 0:
        args[0] = fitting(ints), args[1] = fitting(ints);
        keep(GET(op, wrong == 0 ? SPE_OpPhi : SPE_OpIAdd, ints, wrong == 1 ? any_word() % 2 : 2, args));
        break;
    case 1:
        args[0] = fitting(floats);
        keep(GET(op, SPE_OpFNegate, floats, wrong < 2 ? 2 * wrong : 1, args));
        break;
    case 2: DO(op_void, wrong == 0 ? SPE_OpLabel : SPE_OpNop, wrong == 1 ? 1 : 0, args); break;
    case 3:
        args[0] = GET(local_var, i32()), args[1] = 0;
        DO(op_void, wrong == 0 ? SPE_OpLoad : SPE_OpLifetimeStart, wrong == 1 ? 1 : 2, args);
        break;
    case 4:
        args[0] = fitting(floats), args[1] = fitting(floats), args[2] = fitting(floats);
        keep(GET(ext, floats, wrong == 0 ? 999 : FMA, wrong == 1 ? 2 : 3, args));
        break;
    case 5:
        args[0] = fitting(ints), args[1] = fitting(ints), args[2] = fitting(ints);
        keep(GET(ext, ints, BITSELECT, wrong < 2 ? wrong : 3, args));
        break;
    case 6: args[0] = fitting(floats); keep(GET(ext, floats, FABS, wrong == 1 ? 0 : 1, args)); break;
    }
}

static void either(void)
{
    spe_id a = number(), b = of_type(spe_type_of(&p.m, a)), f = value_of(of_kind, FLOATS, random_type(FLOATS));
    spe_id g = of_type(spe_type_of(&p.m, f)), h = of_type(spe_type_of(&p.m, f));
    spe_id type = spe_type_of(&p.m, a), v;
    bool ints = of_kind(type, INTS);
    switch (below(13)) {
    case 0: keep(GET(add, a, b)); break;
    case 12: keep(GET(extent, an_i32())); break;
    case 1: keep(GET(sub, a, b)); break;
    case 2: keep(GET(mul, a, b)); break;
    case 3: keep(GET(div_s, a, b)); break;
    case 4: keep(GET(div_u, a, b)); break;
    case 5: keep(GET(neg, a)); break;
    case 6: keep(GET(arith, (spe_arith_op)below(4), ints ? SPE_NUMBER_SIGNED : SPE_NUMBER_FLOAT, a, b)); break;
    case 7: keep(GET(math1, SPE_SQRT, f)); break;
    case 8: keep(GET(math2, SPE_FMAX, f, g)); break;
    case 9: keep(GET(math3, SPE_FMA, f, g, h)); break;
    case 10:
        v = value_of(of_kind, FLOATS, random_type(FLOATS));
        type = GET(vec_like, careless() ? i32() : small_float(), v);
        if (spe_info(&p.m, spe_scalar_of(&p.m, type)).encoding == SPE_BF16 && !careless()) keep(GET(fconvert, type, v));
        else keep(GET(fconvert_saturating, type, v));
        break;
    case 11:
        DO(cache_store, GET(copy, pointer()), (uint32_t)below(4), careless() ? any_word() : (uint32_t)below(4));
        break;
    }
}

/* ---- matrices, blocks, images ------------------------------------------------------------------------------------ */

static void matrices(void)
{
    spe_id f16 = GET(float, 16), f32 = GET(float, 32), t[3], v[3], ptr, stride = GET(i32, 64);
    static const uint32_t shape[3][2] = {{8, 16}, {16, 16}, {8, 16}};
    for (uint32_t i = 0; i < 3; i++) {
        t[i] = GET(coopmat, careless() ? any_id() : i < 2 ? f16 : f32, SPE_ScopeSubgroup, shape[i][0], shape[i][1],
                   careless() ? any_word() : i);
        v[i] = value_of(same, t[i], 0);
        if (!v[i]) v[i] = keep(chance(50) ? GET(undef, t[i]) : GET(const_f, t[i], 1));
    }
    switch (below(6)) {
    case 0:
        ptr = GET(shared_var, f16);
        keep(GET(coop_load, t[below(2)], ptr, careless() ? any_word() : (uint32_t)below(2), stride));
        break;
    case 1:
        ptr = GET(shared_var, f32);
        DO(coop_store, ptr, v[2], careless() ? any_word() : (uint32_t)below(2), stride);
        break;
    case 2: keep(GET(coop_mma, v[0], v[1], v[2], careless() ? any_word() : 0)); break;
    case 3: keep(GET(coop_length, careless() ? any_id() : t[below(3)])); break;
    case 4: keep(GET(fadd, v[2], v[2])); break;
    case 5: keep(GET(splat, t[2], of_type(f32))); break;
    }
}

static void vectors_of_networks(void)
{
    spe_coopvec_product product;
    spe_id f16 = GET(float, 16), f32 = GET(float, 32), ptr, zero = GET(i32, 0), t, u, v, w;
    t = GET(coopvec, careless() ? any_id() : f16, 32), u = GET(coopvec, f32, careless() ? any_word() : 24);
    v = GET(undef, t), w = GET(undef, u);
    ptr = GET(shared_var, GET(array, f16, 1024));
    memset(&product, 0, sizeof product);
    product.input = v, product.matrix = ptr, product.offset = zero;
    product.input_type = product.matrix_type = SPE_ComponentTypeFloat16NV;
    product.rows = careless() ? any_word() : 24, product.cols = 32, product.stride = GET(i32, 64);
    if (chance(50)) product.bias = ptr, product.bias_offset = zero, product.bias_type = SPE_ComponentTypeFloat16NV;
    switch (below(6)) {
    case 0: keep(GET(coopvec_load, t, ptr, zero)); break;
    case 1: DO(coopvec_store, ptr, zero, v); break;
    case 2: keep(GET(coopvec_mul, u, &product)); break;
    case 3:
        DO(coopvec_outer_accumulate, ptr, zero, v, careless() ? w : v,
           SPE_CooperativeVectorMatrixLayoutTrainingOptimalNV, SPE_ComponentTypeFloat16NV, 0);
        break;
    case 4: DO(coopvec_sum_accumulate, ptr, zero, v); break;
    case 5: keep(GET(fmul, v, v)); break;
    }
}

static void blocks(void)
{
    spe_id i16 = GET(int, 16), f32 = GET(float, 32), into = GET(local_var, GET(array, i16, 32)), v[3];
    spe_block2d b;
    memset(&b, 0, sizeof b);
    b.elem_bytes = careless() ? any_word() : 2, b.width = 16, b.height = careless() ? any_word() : 32, b.count = 1;
    b.ptr = value_of(global_numbers, 0, 0);
    if (!b.ptr) b.ptr = keep(GET(global_var, SPE_StorageClassCrossWorkgroup, i16, 0));
    b.mem_width = b.pitch = GET(i32, 256), b.mem_height = GET(i32, 64), b.pos_x = an_i32(), b.pos_y = an_i32();
    switch (below(6)) {
    case 0: DO(block2d_load, &b, into); break;
    case 1: DO(block2d_load_transform, &b, into); break;
    case 2: b.elem_bytes = 4, b.width = 8, b.height = 16; DO(block2d_load_transpose, &b, into); break;
    case 3: b.height = 8; DO(block2d_store, &b, into); break;
    case 4: DO(block2d_prefetch, &b); break;
    case 5:
        v[0] = of_type(GET(vec, i16, 8)), v[1] = of_type(GET(vec, i32(), 8)), v[2] = of_type(GET(vec, f32, 8));
        keep(GET(dpas, spe_type_of(&p.m, v[2]), 16, v[0], v[1], v[2], careless() ? any_word() : 0));
        break;
    }
}

static void images(void)
{
    spe_id image = value_of(of_image, 0, 0), coord, texel, sampler;
    static const uint32_t dims[] = {SPE_Dim1D, SPE_Dim2D, SPE_Dim3D, SPE_DimBuffer};
    if (!image || careless()) {
        keep_type(GET(image, careless() ? any_word() : ONE_OF(dims), false,
                      careless() ? any_word() : (uint32_t)below(3)));
        keep_type(GET0(sampler));
        if (!image) return;
    }
    coord = of_type(GET(vec, i32(), 2)), texel = of_type(GET(vec, GET(float, 32), 4));
    sampler = GET(const_sampler, careless() ? any_word() : (uint32_t)below(5), chance(50), careless() ? any_word() : 1);
    uint32_t access = (uint32_t)p.image_access;
    bool samples = access == SPE_AccessQualifierReadOnly;
    switch (below(4)) {
    case 0:
        if (access != SPE_AccessQualifierWriteOnly || careless())
            keep(GET(image_read, spe_type_of(&p.m, texel), image, coord));
        break;
    case 1:
        if (!samples || careless()) DO(image_write, image, coord, texel);
        break;
    case 2:
        if (samples || careless()) keep(GET(image_sample, spe_type_of(&p.m, texel), image, sampler, coord, 0));
        break;
    case 3: keep(GET(image_size, image)); break;
    }
}

/* ---- the rest of a function -------------------------------------------------------------------------------------- */

static void texts(void)
{
    spe_id args[2] = {an_i32(), value_of(scalar_of_kind, FLOATS, GET(float, 32))};
    keep(GET(string, chance(50) ? "text" : "another"));
    keep(GET(printf, careless() ? "%s %d %q" : "%d and %f\n", careless() ? any_word() % 3 : 2, args));
}

static void for_intel(void)
{
    spe_id v = number(), some[2] = {v, number()};
    switch (below(5)) {
    case 0: keep(GET(reload, careless() ? any_id() : v)); break;
    case 1: keep(GET(differ_by_lane, careless() ? any_id() : v)); break;
    case 2: DO(differ, (uint32_t)below(9), 2, some); break;
    case 3: DO0(diverged); break;
    case 4: DO0(reconverge); break;
    }
}

static void of_functions(void)
{
    static const uint32_t controls[] = {SPE_FunctionControlInline, SPE_FunctionControlDontInline,
                                        SPE_FunctionControlPure, 0};
    static const uint32_t capabilities[] = {SPE_CapabilityInt8, SPE_CapabilityFloat64, SPE_CapabilityGenericPointer};
    const char *names[] = {"first", NULL};
    spe_id of_prologue;
    uint32_t word = 4;
    char name[32];
    switch (below(8)) {
    case 0: DO(function_control, careless() ? any_word() : ONE_OF(controls)); break;
    case 1: /* modes may be given once each */
        if (p.is_kernel && !p.moded && chance(50)) DO(execution_mode, 0, SPE_ExecutionModeVecTypeHint, 1, &word);
        else if (careless()) DO(execution_mode, any_id(), any_word(), any_word() % 3, &word);
        p.moded = true;
        break;
    case 2:
        snprintf(name, sizeof name, "e%d", p.line);
        if (!p.is_kernel && !p.exported) DO(export, careless() ? any_id() : p.functions[p.function_count - 1], name);
        p.exported = true;
        break;
    case 3:
        DO0(prologue_begin);
        of_prologue = GET(iadd, GET(undef, i32()), GET(undef, i32()));
        DO0(prologue_end);
        if (chance(50)) keep(GET(iadd, of_prologue, of_prologue));
        break;
    case 4: DO(param_names, careless() ? 2 : 0, names); break;
    case 5: DO(extension, "SPV_KHR_no_integer_wrap_decoration"); break;
    case 6: DO(capability, careless() ? any_word() : ONE_OF(capabilities)); break;
    case 7: spe_at_column(&p.m, "random.c", ++p.line, 7); done("spe_at_column"); break;
    }
}

/* ---- control flow ------------------------------------------------------------------------------------------------ */

static region *innermost_loop(void)
{
    for (int i = p.depth; i; i--)
        if (strchr("fwbr", p.stack[i - 1].kind)) return &p.stack[i - 1];
    return NULL;
}

/* Leaves the loop or the function; what follows is unreachable. */
static void leave(void)
{
    region *loop = innermost_loop();
    spe_id values[4];
    if (loop && chance(70)) {
        for (uint32_t i = 0; i < loop->n; i++) values[i] = of_type(loop->types[i]);
        if (chance(50)) DO(break, careless() ? any_word() % 4 : loop->n, values);
        else DO(continue, careless() ? any_word() % 4 : loop->n, values);
    } else if (p.depth && p.returns == spe_void(&p.m)) {
        DO0(return);
    } else if (p.depth) {
        DO(return_value, of_type(p.returns));
    }
}

static void hint(void)
{
    static const uint32_t hints[] = {SPE_LoopControlUnroll, SPE_LoopControlDontUnroll, SPE_LoopControlMinIterations};
    uint32_t control = careless() ? any_word() : hints[below(p.minor < 4 ? 2 : 3)];
    if (p.minor < 1 && !careless()) control = SPE_LoopControlUnroll;
    p.hinted = true;
    DO(loop_hint, control, control == SPE_LoopControlMinIterations ? 3 : 0);
}

/* ---- the kernel part, errors, memory: they write nothing of their own -------------------------------------------- */

static const char *const left_out[][2] = {
    {"spe_build_begin spe_build_kernel spe_build_end spe_build_finish spe_build_next spe_built_free", "they call "
     "spe_begin, spe_kernel_begin, spe_kernel_end and spe_finish; tests of xetile.h and coopvec.h"},
    {"spe_parse_params spe_param_of", "texts of parameters: tests of xetile.h"},
    {"spe_report spe_vreport spe_site_of spe_reporter_name spe_reporter_text spe_fail spe_error_meaning "
     "spe_print_error",
     "errors of headers above, and their texts: test_spirv_emit"},
    {"spe_arith_name spe_real_arith spe_real_compare spe_val_of spe_val_int spe_val_uint spe_val_real spe_val_float "
     "spe_val_same spe_val_is_set spe_val_is_condition spe_int_fits spe_part_count spe_part_length spe_list_add",
     "numbers of the kernel languages, on the host: tests of xetile.h"},
    {"spe_shared_vectors spe_vectors_store spe_vectors_coop_load", "only for Vulkan: test_vulkan_matrices"},
    {"spe_lane_bit spe_lane_number spe_load_inside", "constants of lanes, and elements with bounds, of coopmatrix.h "
     "and xetile.h, whose tests compare what they move: test_coopmatrix_ops, test_coopmatrix_memory"},
    {"spe_cast_as", "conversions of coopmatrix.h, whose tests compare their values: test_coopmatrix_change"},
    {"spe_region_of spe_region_open spe_region_ended spe_region_next spe_region_done spe_region_fail",
     "regions of macros: tests of xetile.h"},
    {"spe_f32_to_f16_bits spe_f16_bits_to_f32 spe_f32_to_bf16_bits spe_bf16_bits_to_f32 spe_f32_to_tf32 "
     "spe_f32_to_e2m1_bits spe_e2m1_bits_to_f32 spe_f32_to_e8m0_bits spe_e8m0_bits_to_f32 "
     "spe_f32_to_e4m3_bits spe_e4m3_bits_to_f32 spe_f32_to_e5m2_bits spe_e5m2_bits_to_f32 spe_real_bits "
     "spe_real_of_bits spe_real_fits spe_real_of_f32 spe_real_to_int spe_decimal_of", "numbers on the host: "
     "test_convert"},
};

static bool is_left_out(const char *name)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (test_is_listed_(left_out[i][0], name)) return true;
    return false;
}

/* Every function of tests/project/public_names.txt was called, or is left out for a reason; none is both. */
static void check_called(void)
{
    char path[1024], line[256], name[64];
    const char *slash = strrchr(__FILE__, '/');
    int functions = 0;
    snprintf(path, sizeof path, "%.*s../project/public_names.txt", slash ? (int)(slash - __FILE__ + 1) : 0, __FILE__);
    FILE *f = fopen(path, "r");
    if (!f) f = fopen("tests/project/public_names.txt", "r");
    CHECK_MSG(f != NULL, "public_names.txt is missing");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "spirv_emit function %63s", name) != 1) continue;
        functions++;
        CHECK_MSG(was_called(name) != is_left_out(name), "%s was %s", name,
                  is_left_out(name) ? "called, but is left out" : "neither called nor left out for a reason");
    }
    if (f) fclose(f);
    CHECK_MSG(functions > 250, "only %d functions", functions);
}

#endif
