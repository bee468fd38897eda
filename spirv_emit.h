/* spirv_emit.h - a compact SPIR-V writer for kernels: types, constants, instructions, structured control flow.
 *
 * Files: spirv_emit.h, 556 KB in all. Version: XETILE_VERSION. License: MIT, see LICENSE.
 *
 * It needs only the C standard library and writes binary SPIR-V 1.0 to 1.6 (1.4 by default) for the OpenCL
 * environment, as Level Zero and OpenCL accept it. The smallest complete program:
 *
 *     #include "spirv_emit.h"
 *
 *     spe_module m;
 *     spe_begin(&m, NULL);
 *     spe_param params[2];
 *     memset(params, 0, sizeof params);
 *     params[0].type = params[1].type = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, spe_float(&m, 32));
 *     spe_kernel k;
 *     memset(&k, 0, sizeof k);
 *     k.name = "twice"; k.params = params; k.param_count = 2;
 *     spe_kernel_begin(&m, &k);
 *     spe_id i = spe_builtin(&m, SPE_GLOBAL_ID, 0);
 *     spe_id x = spe_load(&m, spe_index(&m, spe_param_id(&m, 0), i), 0);
 *     spe_store(&m, spe_index(&m, spe_param_id(&m, 1), i), spe_fadd(&m, x, x), 0);
 *     spe_kernel_end(&m);
 *     spe_words w = spe_finish(&m);
 *     if (!w.data) spe_print_error(spe_get_error(&m), stderr);
 *     ... w.data, w.count words ...
 *     spe_free(&m);
 *
 * How it works
 *   - Everything is an spe_id. A value knows its type, so instructions derive their result type from their operands.
 *   - 0 is the poison id: it means that an earlier call failed. The module keeps the FIRST error (spe_get_error); from
 *     then on every call does nothing and returns 0, and spe_finish returns no words. Check once, at the end.
 *   - Types and constants are unique: the same request returns the same id. Integer types have no sign here; operations
 *     carry it (udiv or sdiv, ult or slt). Integer arithmetic on two constants is folded.
 *   - Capabilities, extensions and extended instruction sets are declared as instructions need them. Use spe_capability
 *     and spe_extension for what a generic spe_op needs beyond the built-in tables.
 *   - Control flow is structured, and regions carry values: spe_if .. spe_else .. spe_endif, spe_for .. spe_endfor,
 *     spe_while .. spe_while_test .. spe_endwhile, spe_switch .. spe_endswitch take the values that leave each side and
 *     return the phis. A region that is left open, or closed by the wrong call, is an error that names the place where
 *     it was opened. Using a value outside the region that defines it is an error too.
 *   - A function has a prologue: variables, built-ins, and everything between spe_prologue_begin and spe_prologue_end
 *     go to the start of its entry block, however late in the body they are requested.
 *   - SPE(&m, iadd, a, b) is spe_iadd(&m, a, b) plus the location of the call, so that errors name your file and line.
 *     Without it, errors name the location given by the last spe_at.
 *   - a * b + c of floats may be contracted into one rounding by the device's compiler, as in OpenCL C, unless the
 *     kernel is begun with .contract = SPE_CONTRACT_OFF.
 *   - Output is deterministic: the same calls write the same bytes. There is no global or thread-local state: a module
 *     belongs to one thread at a time, and different threads can write different modules.
 *
 * Contents. Each function is documented at its declaration below, in this order.
 *   module       spe_begin spe_finish spe_free spe_get_error spe_print_error spe_ok spe_error_meaning spe_fail spe_at
 *                spe_at_column spe_alloc spe_list_add spe_extension spe_capability SPE SPE0 SPE_VERSION SPE_ERRORS
 *   types        spe_void spe_bool spe_int spe_float spe_bf16 spe_e4m3 spe_e5m2 spe_vec spe_vec_like spe_array
 *                spe_array_sized spe_struct spe_struct_new spe_ptr spe_ptr_forward spe_ptr_complete spe_fn_type
 *                spe_image spe_sampler spe_coopmat spe_coopvec; queries:
 *                spe_type_of spe_info spe_scalar_of spe_width spe_count spe_size spe_offset spe_alignment spe_type_text
 *   constants    spe_u32 spe_i32 spe_u64 spe_f32 spe_const_u spe_const_i spe_const_f spe_const_bool spe_null spe_undef
 *                spe_composite_const spe_spec_const spe_spec_op spe_const_sampler spe_string spe_const_bits
 *                spe_is_const; spe_name spe_decorate spe_decorate_member
 *   arithmetic   integers spe_iadd spe_isub spe_imul spe_udiv spe_sdiv spe_umod spe_srem spe_smod spe_ineg
 *                spe_dot_bytes; floats spe_fadd spe_fsub spe_fmul spe_fdiv spe_frem spe_fmod spe_fneg spe_dot; either
 *                spe_add spe_sub spe_mul spe_div_s spe_div_u spe_neg; bits spe_and spe_or spe_xor spe_not spe_shl
 *                spe_shr spe_sar spe_bit_count spe_bit_reverse spe_bits_extract spe_bits_insert; bools spe_land
 *                spe_lor spe_leq spe_lne spe_lnot spe_any spe_all spe_select
 *   comparisons  spe_ieq spe_ine, unsigned spe_ult spe_ule spe_ugt spe_uge, signed spe_slt spe_sle spe_sgt spe_sge;
 *                floats spe_feq spe_fne spe_flt spe_fle spe_fgt spe_fge (false with a NaN), spe_fueq spe_fune spe_fult
 *                spe_fule spe_fugt spe_fuge (true with one), spe_isnan spe_isinf
 *   conversions  (module, type, value) spe_cast is any of spe_uconvert spe_sconvert spe_fconvert spe_f_to_u spe_f_to_s
 *                spe_u_to_f spe_s_to_f; spe_cast_as rounds and saturates; spe_fconvert_saturating spe_bitcast
 *                spe_ptr_to_u spe_u_to_ptr spe_ptr_cast;
 *                (module, value) spe_ptr_to_generic spe_bf16_to_f32 spe_f32_to_bf16 spe_round_tf32
 *   composites   spe_extract spe_insert spe_construct spe_splat spe_shuffle spe_extract_dyn spe_insert_dyn
 *   memory       spe_load spe_store spe_load_volatile spe_store_volatile spe_load_if spe_store_if spe_index spe_element
 *                spe_copy_memory_sized spe_local_var spe_shared_var spe_global_var; for Vulkan:
 *                spe_shared_vectors spe_vectors_store spe_vectors_coop_load; caches: spe_prefetch
 *                spe_sg_prefetch spe_cache_load spe_cache_store spe_copy
 *   images       spe_image_read spe_image_write spe_image_sample spe_image_size
 *   kernels      spe_kernel_begin spe_kernel_end spe_param_id spe_param_names spe_builtin spe_function_begin
 *                spe_function_declare spe_function_define spe_function_import spe_function_end spe_function_control
 *                spe_call spe_return spe_return_value spe_prologue_begin spe_prologue_end spe_execution_mode spe_export
 *   control      spe_if spe_else spe_endif spe_endif_from spe_for spe_for_range spe_endfor spe_while spe_while_test
 *                spe_endwhile spe_break spe_continue spe_loop_hint spe_switch spe_case spe_default spe_endcase
 *                spe_endswitch
 *   mathematics  spe_math1 spe_math2 spe_math3 spe_math of SPE_EXP, SPE_FMA ... (SPE_MATH_LIST); spe_ext spe_printf
 *   subgroups    spe_sg_broadcast spe_sg_broadcast_first spe_sg_shuffle spe_sg_shuffle_xor spe_sg_shuffle_up
 *                spe_sg_shuffle_down spe_sg_ballot spe_sg_ballot_count spe_sg_all spe_sg_any spe_sg_elect spe_sg_reduce
 *                spe_sg_scan_inclusive spe_sg_scan_exclusive spe_sg_reduce_clustered spe_lane_bit spe_lane_number;
 *                work-groups: spe_wg_reduce
 *                spe_wg_scan_inclusive spe_wg_scan_exclusive spe_wg_all spe_wg_any spe_wg_broadcast
 *   barriers     spe_barrier spe_sg_barrier spe_barrier_arrive spe_barrier_wait spe_memory_barrier spe_control_barrier
 *   atomics      spe_atomic spe_atomic_load spe_atomic_store spe_atomic_cas
 *   matrices     spe_dpas spe_dpas_scaled; 2D blocks: spe_block2d_load spe_block2d_load_transform
 *                spe_block2d_load_transpose spe_block2d_store spe_block2d_prefetch; cooperative ones: spe_coop_load
 *                spe_coop_store spe_coop_mma spe_coop_length; cooperative vectors: spe_coopvec_load spe_coopvec_store
 *                spe_coopvec_mul spe_coopvec_outer_accumulate spe_coopvec_sum_accumulate
 *   Intel        what Intel's compiler needs to be told: spe_reload spe_differ spe_differ_by_lane spe_diverged
 *                spe_reconverge
 *   anything     spe_op spe_op_void SPE_WORD
 *   on the host  spe_f32_to_f16_bits spe_f16_bits_to_f32 spe_f32_to_bf16_bits spe_bf16_bits_to_f32 spe_f32_to_tf32
 *                spe_f32_to_e4m3_bits spe_e4m3_bits_to_f32 spe_f32_to_e5m2_bits spe_e5m2_bits_to_f32
 *                spe_f32_to_e2m1_bits spe_e2m1_bits_to_f32 spe_f32_to_e8m0_bits spe_e8m0_bits_to_f32 spe_real_bits
 *                spe_real_of_bits spe_real_fits spe_real_of_f32 spe_real_to_int spe_decimal_of
 *
 * Signatures of the functions that have no declaration of their own below, since a table or a type of functions
 * declares them. What they do stands there.
 *   spe_id f(spe_module *m): spe_bf16 spe_bool spe_e4m3 spe_e5m2 spe_sampler spe_sg_elect spe_void
 *   spe_id f(spe_module *m, spe_id a): spe_all spe_any spe_bf16_to_f32 spe_bit_count spe_bit_reverse spe_coop_length
 *       spe_copy spe_f32_to_bf16 spe_fneg spe_ineg spe_isinf spe_isnan spe_lnot spe_local_var spe_neg spe_not spe_null
 *       spe_ptr_to_generic spe_round_tf32 spe_sg_all spe_sg_any spe_sg_ballot spe_sg_ballot_count
 *       spe_sg_broadcast_first spe_shared_var spe_undef spe_wg_all spe_wg_any
 *   spe_id f(spe_module *m, spe_id a, spe_id b): spe_add spe_and spe_div_s spe_div_u spe_dot spe_fadd spe_fdiv spe_feq
 *       spe_fge spe_fgt spe_fle spe_flt spe_fmod spe_fmul spe_fne spe_frem spe_fsub spe_fueq spe_fuge spe_fugt spe_fule
 *       spe_fult spe_fune spe_iadd spe_ieq spe_imul spe_ine spe_isub spe_land spe_leq spe_lne spe_lor spe_mul spe_or
 *       spe_sar spe_sdiv spe_sg_shuffle spe_sg_shuffle_down spe_sg_shuffle_up spe_sg_shuffle_xor spe_sge spe_sgt
 *       spe_shl spe_shr spe_sle spe_slt spe_smod spe_srem spe_sub spe_udiv spe_uge spe_ugt spe_ule spe_ult spe_umod
 *       spe_wg_broadcast spe_xor
 *   spe_id f(spe_module *m, spe_id type, spe_id v): spe_f_to_s spe_f_to_u spe_fconvert spe_ptr_to_u spe_s_to_f
 *       spe_sconvert spe_u_to_f spe_u_to_ptr spe_uconvert
 *   void f(spe_module *m): spe_barrier spe_barrier_arrive spe_barrier_wait spe_function_end spe_kernel_end
 *       spe_prologue_begin spe_prologue_end spe_return spe_sg_barrier
 *   spe_id spe_atomic_load(spe_module *m, spe_id ptr, uint32_t scope, uint32_t semantics)
 *   spe_id spe_bits_insert(spe_module *m, spe_id base, spe_id v, spe_id offset, spe_id count)
 *   spe_id spe_coop_load(spe_module *m, spe_id type, spe_id ptr, uint32_t layout, spe_id stride)
 *   spe_id spe_coopvec_load(spe_module *m, spe_id type, spe_id ptr, spe_id offset)
 *   spe_id spe_dpas(spe_module *m, spe_id type, uint32_t k_dim, spe_id a, spe_id b, spe_id c, uint32_t operands)
 *   spe_id spe_dpas_scaled(spe_module *m, spe_id type, uint32_t k_dim, spe_id a, spe_id b, spe_id c, spe_id scale_a,
 *                          spe_id scale_b, uint32_t operands)
 *   spe_id spe_index(spe_module *m, spe_id ptr, spe_id i)
 *   spe_id spe_load(spe_module *m, spe_id ptr, uint32_t align)
 *   spe_id spe_load_if(spe_module *m, spe_id ptr, spe_id condition, spe_id otherwise, uint32_t align)
 *   spe_id spe_load_volatile(spe_module *m, spe_id ptr, uint32_t align)
 *   void spe_control_barrier(spe_module *m, uint32_t execution, uint32_t memory, uint32_t semantics)
 *   void spe_coop_store(spe_module *m, spe_id ptr, spe_id v, uint32_t layout, spe_id stride)
 *   void spe_coopvec_store(spe_module *m, spe_id ptr, spe_id offset, spe_id v)
 *   void spe_coopvec_sum_accumulate(spe_module *m, spe_id ptr, spe_id offset, spe_id v)
 *   void spe_copy_memory_sized(spe_module *m, spe_id to, spe_id from, spe_id size, uint32_t align)
 *   void spe_memory_barrier(spe_module *m, uint32_t scope, uint32_t semantics)
 *   void spe_sg_prefetch(spe_module *m, spe_id ptr, spe_id bytes)
 *   void spe_store(spe_module *m, spe_id ptr, spe_id v, uint32_t align)
 *   void spe_store_if(spe_module *m, spe_id ptr, spe_id v, spe_id condition, uint32_t align)
 *   void spe_store_volatile(spe_module *m, spe_id ptr, spe_id v, uint32_t align)
 *
 * The kernel part, for headers whose users write kernels as C functions, with macros (xetile.h, coopvec.h):
 *   building     spe_build_begin spe_build_kernel spe_build_end spe_build_next spe_build_finish spe_built_free
 *   parameters   spe_parse_params spe_param_of
 *   errors       spe_report spe_vreport spe_site_of spe_reporter_name spe_reporter_text SPE_REPORTER
 *   numbers      spe_val_of spe_val_int spe_val_uint spe_val_real spe_val_float spe_val_same spe_val_is_set
 *                spe_val_is_condition SPE_NUMBER spe_int_fits spe_arith spe_arith_name spe_real_arith spe_real_compare
 *                spe_extent spe_load_inside spe_part_count spe_part_length
 *   regions      spe_region_of spe_region_open spe_region_ended spe_region_next spe_region_done spe_region_fail SPE_FOR
 *                SPE_WHILE SPE_IF
 *   macros       SPE_KERNEL SPE_KERNEL_IN_CPP SPE_C_TYPE SPE_NAME_OF SPE_CARRIED SPE_FIRST_MEMBER; SPE_CAT SPE_FIRST
 *                SPE_REST SPE_COUNT SPE_EACH SPE_COMMA; in C++20 SPE_CPP_LINE; SPE_PRINTF SPE_UNUSED: attributes
 *
 * Ids and numbers are both uint32_t: spe_array(&m, i32, spec) with the id of a spec constant is an array of, say, 17.
 * With -DXETILE_DECLARATIONS -DSPE_CHECK_IDS -fsyntax-only, ids are pointers to a struct, and such calls are errors.
 * An id among the words of spe_op and the like is written SPE_WORD(id).
 *
 * Targets: what a device lacks can be an error here rather than of its compiler. With spe_options.subgroup_sizes,
 * local_memory and max_group_size, a kernel that asks for another subgroup size, whose work-group is larger, or whose
 * variables in local memory (with those of what it calls) are, is SPE_ERR_TARGET. The headers above set these fields.
 *
 * Options (spe_options; zero is the default): version SPE_VERSION(1, 0..6), default 1.4; env, the OpenCL environment;
 * names writes OpName for functions, parameters and spe_name; lines writes OpLine for every location given by SPE or
 * spe_at; verbatim: see "Intel's compiler" below; source is the name of the source file for OpSource; realloc and user
 * replace the allocator (realloc(user, NULL, n) allocates, realloc(user, p, 0) frees and returns NULL). A module
 * allocates chunks that double in size, the first of SPE_CHUNK bytes (a macro). If SPE_CHUNK is defined as 0 where the
 * bodies are compiled, every piece is allocated on its own.
 *
 * Intel's compiler (IGC 2.40) gets some patterns wrong, which docs/machine-code.md lists under "What it found". The
 * writer replaces those that it can recognise in a function's instructions, when the function ends, by others that give
 * the same result. Others, a kernel avoids by spe_reload and the like. spe_options.verbatim turns both off, for modules
 * that other compilers read.
 *
 * Vulkan (spe_options.env = SPE_ENV_VULKAN): the same calls write a compute shader for Vulkan 1.3, SPIR-V 1.6, with
 * buffer device addresses and the Vulkan memory model. Parameters become push constants, each aligned to its size; more
 * than 128 bytes of them are in memory, and their address is pushed. Pointers to global and constant memory are
 * addresses; local memory is one array of 32-bit words, and a pointer to it an offset (stores of 8 and 16 bits take two
 * atomics; atomics there are of i32). Vectors of 8 and 16 components are arrays of vectors of 4. Functions of spe_math
 * are as accurate as OpenCL asks: those of GLSL.std.450 that are, and the others written out, for f16 and f32 and for
 * integers of up to 32 bits (not: lgamma, tgamma, fmod, remainder). A kernel states its local size; its subgroup size
 * the host requires (vk_dispatch.h does all this). SPE_ERR_ENVIRONMENT names what Vulkan lacks: generic pointers,
 * reductions over work-groups, images, exports, Intel's instructions, other functions. Decorations that are hints for
 * OpenCL's compilers are left away.
 * A C file that includes bodies has what writes for Vulkan if it includes vk_dispatch.h, anywhere, or defines
 * SPE_VULKAN before its first header, or defines it later and includes its headers again; otherwise spe_begin fails
 * with SPE_ERR_ENVIRONMENT, and the compiler has less to do.
 * Spec constants from SPE_LOCAL_WORDS_CONSTANT on tell the host of local memory and subgroup sizes. Kernels that follow
 * one another by spe_build_next have local memory each of its own; other functions of a module share one array.
 *
 * Limits: 4194303 ids per module and 65535 words per instruction (SPIR-V's limits), 65535 functions and kernels,
 * regions nested at most 65000 deep.
 * Vectors have 2, 3, 4, 8 or 16 components, as in OpenCL, or any number once VectorAnyINTEL or LongVectorEXT is
 * declared (spe_capability). Images have one sample, one level of detail and up to four channels; the software device
 * and Intel's GPUs have them, except PVC. Pipes and device-side enqueue are available only through spe_op.
 *
 * Names: SPE_OpIAdd, SPE_CapabilityInt8, SPE_StorageClassFunction ... are the numbers of the SPIR-V specification, with
 * its spelling. They come from lists that you can expand too: SPE_OPCODES(X), SPE_CAPABILITIES(X) and
 * SPE_ENUMERANTS(X), each X(kind, name, number). The header does not need SPIRV-Headers, and does not conflict with
 * them.
 *
 * TO USE IT  just include it: this compiles the bodies too, as static functions. Or define XETILE_DECLARATIONS for all
 * files of a program and XETILE_IMPLEMENTATION before the include in one of them, which then gets the bodies; or link
 * with libxetile. "How functions are declared" below has the details.
 */
#if defined(__GNUC__) /* the user's macros of one letter stay out of this text: given back at its end */
#define XETILE_PRAGMA_(text) _Pragma(#text)
#define XETILE_PUSH_(letter) XETILE_PRAGMA_(push_macro(letter))
#define XETILE_POP_(letter) XETILE_PRAGMA_(pop_macro(letter))
#define SPE_LETTERS_(F) F("A") F("B") F("F") F("I") F("J") F("K") F("M") F("N") F("R") F("S") F("T") \
    F("U") F("V") F("X") F("a") F("b") F("c") F("d") F("e") F("f") F("g") F("h") \
    F("i") F("j") F("k") F("l") F("m") F("n") F("o") F("p") F("q") F("r") F("s") \
    F("t") F("u") F("v") F("w") F("x") F("y") F("z")
SPE_LETTERS_(XETILE_PUSH_)
#undef A
#undef B
#undef F
#undef I
#undef J
#undef K
#undef M
#undef N
#undef R
#undef S
#undef T
#undef U
#undef V
#undef X
#undef a
#undef b
#undef c
#undef d
#undef e
#undef f
#undef g
#undef h
#undef i
#undef j
#undef k
#undef l
#undef m
#undef n
#undef o
#undef p
#undef q
#undef r
#undef s
#undef t
#undef u
#undef v
#undef w
#undef x
#undef y
#undef z
#endif

/* ---- how functions are declared ------------------------------------------------------------------------------------
 *
 * Three ways to use a header:
 *   include it                define nothing: every file that includes it gets the bodies as static functions
 *   XETILE_DECLARATIONS       declarations only, for all files of a program that has the bodies in one place: either
 *   XETILE_IMPLEMENTATION     one of its files, which defines this and then includes all headers in use, or libxetile
 *                             (-lxetile; see `pkg-config xetile`)
 * XETILE_IMPLEMENTATION may also be defined after the declarations were included: include the headers again. If two
 * files define it, linking fails with a symbol whose name says so.
 *
 * Static bodies are compiled without optimisation, except for a core (gcc: -Og): programs spend little time in them,
 * and their authors wait for the compiler. Programs that convert large matrices on the host can define XETILE_OPTIMIZE
 * to compile them like the rest of the file, as XETILE_IMPLEMENTATION always does.
 *
 * spirv_emit.h and ze_dispatch.h both contain these lines; the first one included counts.
 */
#ifndef XETILE_API
#define XETILE_VERSION "0.3.0" /* before 1.0, the second number distinguishes incompatible releases */
#define XETILE_VERSION_MAJOR 0
#define XETILE_VERSION_MINOR 3
#define XETILE_VERSION_PATCH 0
#if defined(__GNUC__)
#define XETILE_ATTR_(what) __attribute__((what))
#else
#define XETILE_ATTR_(what)
#endif
#if defined(__cplusplus)
#define XETILE_EXTERN_ extern "C"
#else
#define XETILE_EXTERN_ extern
#endif
#if defined(_WIN32)
#define XETILE_HIDDEN_
#else
#define XETILE_HIDDEN_ XETILE_ATTR_(__visibility__("hidden"))
#endif
#if defined(XETILE_SEPARATE_) /* src/ is compiled file by file */
#define XETILE_API XETILE_EXTERN_
#define XETILE_PRIVATE XETILE_EXTERN_
#elif defined(XETILE_IMPLEMENTATION)
#define XETILE_WEAKLY_
#if defined(_WIN32) /* its linkers do not resolve weak symbols */
#define XETILE_API XETILE_EXTERN_
#else
#define XETILE_API XETILE_EXTERN_ XETILE_ATTR_(__weak__)
#endif
#define XETILE_PRIVATE static XETILE_ATTR_(__unused__)
#elif defined(XETILE_DECLARATIONS)
#define XETILE_API XETILE_EXTERN_
#define XETILE_PRIVATE static XETILE_ATTR_(__unused__)
#else
#define XETILE_STATIC_
#if defined(XETILE_OPTIMIZE) && defined(__OPTIMIZE__)
#define XETILE_API static XETILE_ATTR_(__unused__)
#else /* without optimisation, gcc compiles unused static functions unless they are inline; nor does it warn of these */
#define XETILE_API static inline
#endif
#define XETILE_PRIVATE XETILE_API
#endif
#define XE_FN_ XETILE_PRIVATE /* replaces `static` of the sources; same number of columns */
#define XE_FORWARD_ XE_FN_       /* in the sources: the joined text uses the function before it defines it */
/* XE_ONCE_ stands before small functions that are called in one place: gcc compiles them there, as it spends a million
 * instructions on a function, however short. Of longer ones it would make functions that take it more than that. Frame
 * pointers and tables of jumps take it longer, too; sanitizers follow the former. */
#if !defined(XETILE_STATIC_) || defined(XETILE_OPTIMIZE) || !defined(__OPTIMIZE__)
#define XE_ONCE_
#define XETILE_HOT_
#define XETILE_COLD_
#define XETILE_AS_BEFORE_
#elif defined(__clang__)
#define XE_ONCE_
#define XETILE_HOT_
#define XETILE_COLD_ _Pragma("clang optimize off")
#define XETILE_AS_BEFORE_ _Pragma("clang optimize on")
#else /* the pragma: the attribute optimize("O0") more than doubles gcc's time */
#define XE_ONCE_ __attribute__((__always_inline__))
#define XETILE_HOT_ _Pragma("GCC push_options") _Pragma("GCC optimize(\"Og\")")
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define XETILE_COLD_ _Pragma("GCC push_options") _Pragma("GCC optimize(\"O0\")")
#else
#define XETILE_COLD_                                                                                                   \
    _Pragma("GCC push_options") _Pragma("GCC optimize(\"O0\", \"omit-frame-pointer\", \"no-jump-tables\")")
#endif
#define XETILE_AS_BEFORE_ _Pragma("GCC pop_options")
#endif
#endif

#if !defined(XETILE_COMMON_ONLY_)
#ifndef SPIRV_EMIT_H
#define SPIRV_EMIT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(SPE_CHECK_IDS) && (defined(XETILE_IMPLEMENTATION) || !defined(XETILE_DECLARATIONS))
#error "SPE_CHECK_IDS checks calls only: -DXETILE_DECLARATIONS -DSPE_CHECK_IDS -fsyntax-only"
#endif

/* ---- SPIR-V's numbers --------------------------------------------------------------------------------------------
 * Lists of X(kind, name, number); each entry becomes an enumerator SPE_<kind><name>: SPE_OpIAdd, SPE_ScopeSubgroup, ...
 */
/* numbers.h - the numbers of SPIR-V, written by src/spirv_emit/numbers.py. */
#define SPE_OPCODES(X)                                                                                                 \
    X(Op, Nop, 0) X(Op, Undef, 1) X(Op, Source, 3) X(Op, Name, 5) X(Op, String, 7) X(Op, Line, 8) X(Op, Extension, 10) \
    X(Op, ExtInstImport, 11) X(Op, ExtInst, 12) X(Op, MemoryModel, 14) X(Op, EntryPoint, 15) X(Op, ExecutionMode, 16)  \
    X(Op, Capability, 17) X(Op, TypeVoid, 19) X(Op, TypeBool, 20) X(Op, TypeInt, 21) X(Op, TypeFloat, 22)              \
    X(Op, TypeVector, 23) X(Op, TypeImage, 25) X(Op, TypeSampler, 26) X(Op, TypeSampledImage, 27) X(Op, TypeArray, 28) \
    X(Op, TypeStruct, 30) X(Op, TypePointer, 32) X(Op, TypeFunction, 33) X(Op, TypeEvent, 34)                          \
    X(Op, TypeForwardPointer, 39) X(Op, ConstantTrue, 41) X(Op, ConstantFalse, 42) X(Op, Constant, 43)                 \
    X(Op, ConstantComposite, 44) X(Op, ConstantSampler, 45) X(Op, ConstantNull, 46) X(Op, SpecConstantTrue, 48)        \
    X(Op, SpecConstantFalse, 49) X(Op, SpecConstant, 50) X(Op, SpecConstantComposite, 51) X(Op, SpecConstantOp, 52)    \
    X(Op, Function, 54) X(Op, FunctionParameter, 55) X(Op, FunctionEnd, 56) X(Op, FunctionCall, 57)                    \
    X(Op, Variable, 59) X(Op, Load, 61) X(Op, Store, 62) X(Op, CopyMemory, 63) X(Op, CopyMemorySized, 64)              \
    X(Op, AccessChain, 65) X(Op, InBoundsAccessChain, 66) X(Op, PtrAccessChain, 67) X(Op, GenericPtrMemSemantics, 69)  \
    X(Op, InBoundsPtrAccessChain, 70) X(Op, Decorate, 71) X(Op, MemberDecorate, 72) X(Op, VectorExtractDynamic, 77)    \
    X(Op, VectorInsertDynamic, 78) X(Op, VectorShuffle, 79) X(Op, CompositeConstruct, 80) X(Op, CompositeExtract, 81)  \
    X(Op, CompositeInsert, 82) X(Op, CopyObject, 83) X(Op, SampledImage, 86) X(Op, ImageSampleExplicitLod, 88)         \
    X(Op, ImageRead, 98) X(Op, ImageWrite, 99) X(Op, ImageQueryFormat, 101) X(Op, ImageQueryOrder, 102)                \
    X(Op, ImageQuerySizeLod, 103) X(Op, ImageQuerySize, 104) X(Op, ImageQueryLevels, 106) X(Op, ConvertFToU, 109)      \
    X(Op, ConvertFToS, 110) X(Op, ConvertSToF, 111) X(Op, ConvertUToF, 112) X(Op, UConvert, 113) X(Op, SConvert, 114)  \
    X(Op, FConvert, 115) X(Op, ConvertPtrToU, 117) X(Op, SatConvertSToU, 118) X(Op, SatConvertUToS, 119)               \
    X(Op, ConvertUToPtr, 120) X(Op, PtrCastToGeneric, 121) X(Op, GenericCastToPtr, 122)                                \
    X(Op, GenericCastToPtrExplicit, 123) X(Op, Bitcast, 124) X(Op, SNegate, 126) X(Op, FNegate, 127) X(Op, IAdd, 128)  \
    X(Op, FAdd, 129) X(Op, ISub, 130) X(Op, FSub, 131) X(Op, IMul, 132) X(Op, FMul, 133) X(Op, UDiv, 134)              \
    X(Op, SDiv, 135) X(Op, FDiv, 136) X(Op, UMod, 137) X(Op, SRem, 138) X(Op, SMod, 139) X(Op, FRem, 140)              \
    X(Op, FMod, 141) X(Op, VectorTimesScalar, 142) X(Op, MatrixTimesScalar, 143) X(Op, Dot, 148) X(Op, IAddCarry, 149) \
    X(Op, ISubBorrow, 150) X(Op, UMulExtended, 151) X(Op, SMulExtended, 152) X(Op, Any, 154) X(Op, All, 155)           \
    X(Op, IsNan, 156) X(Op, IsInf, 157) X(Op, IsFinite, 158) X(Op, IsNormal, 159) X(Op, SignBitSet, 160)               \
    X(Op, LessOrGreater, 161) X(Op, Ordered, 162) X(Op, Unordered, 163) X(Op, LogicalEqual, 164)                       \
    X(Op, LogicalNotEqual, 165) X(Op, LogicalOr, 166) X(Op, LogicalAnd, 167) X(Op, LogicalNot, 168) X(Op, Select, 169) \
    X(Op, IEqual, 170) X(Op, INotEqual, 171) X(Op, UGreaterThan, 172) X(Op, SGreaterThan, 173)                         \
    X(Op, UGreaterThanEqual, 174) X(Op, SGreaterThanEqual, 175) X(Op, ULessThan, 176) X(Op, SLessThan, 177)            \
    X(Op, ULessThanEqual, 178) X(Op, SLessThanEqual, 179) X(Op, FOrdEqual, 180) X(Op, FUnordEqual, 181)                \
    X(Op, FOrdNotEqual, 182) X(Op, FUnordNotEqual, 183) X(Op, FOrdLessThan, 184) X(Op, FUnordLessThan, 185)            \
    X(Op, FOrdGreaterThan, 186) X(Op, FUnordGreaterThan, 187) X(Op, FOrdLessThanEqual, 188)                            \
    X(Op, FUnordLessThanEqual, 189) X(Op, FOrdGreaterThanEqual, 190) X(Op, FUnordGreaterThanEqual, 191)                \
    X(Op, ShiftRightLogical, 194) X(Op, ShiftRightArithmetic, 195) X(Op, ShiftLeftLogical, 196) X(Op, BitwiseOr, 197)  \
    X(Op, BitwiseXor, 198) X(Op, BitwiseAnd, 199) X(Op, Not, 200) X(Op, BitFieldInsert, 201)                           \
    X(Op, BitFieldSExtract, 202) X(Op, BitFieldUExtract, 203) X(Op, BitReverse, 204) X(Op, BitCount, 205)              \
    X(Op, ControlBarrier, 224) X(Op, MemoryBarrier, 225) X(Op, AtomicLoad, 227) X(Op, AtomicStore, 228)                \
    X(Op, AtomicExchange, 229) X(Op, AtomicCompareExchange, 230) X(Op, AtomicIIncrement, 232)                          \
    X(Op, AtomicIDecrement, 233) X(Op, AtomicIAdd, 234) X(Op, AtomicISub, 235) X(Op, AtomicSMin, 236)                  \
    X(Op, AtomicUMin, 237) X(Op, AtomicSMax, 238) X(Op, AtomicUMax, 239) X(Op, AtomicAnd, 240) X(Op, AtomicOr, 241)    \
    X(Op, AtomicXor, 242) X(Op, Phi, 245) X(Op, LoopMerge, 246) X(Op, SelectionMerge, 247) X(Op, Label, 248)           \
    X(Op, Branch, 249) X(Op, BranchConditional, 250) X(Op, Switch, 251) X(Op, Return, 253) X(Op, ReturnValue, 254)     \
    X(Op, Unreachable, 255) X(Op, LifetimeStart, 256) X(Op, LifetimeStop, 257) X(Op, GroupAsyncCopy, 259)              \
    X(Op, GroupWaitEvents, 260) X(Op, GroupAll, 261) X(Op, GroupAny, 262) X(Op, GroupBroadcast, 263)                   \
    X(Op, GroupIAdd, 264) X(Op, GroupFAdd, 265) X(Op, GroupFMin, 266) X(Op, GroupUMin, 267) X(Op, GroupSMin, 268)      \
    X(Op, GroupFMax, 269) X(Op, GroupUMax, 270) X(Op, GroupSMax, 271) X(Op, NoLine, 317)                               \
    X(Op, AtomicFlagTestAndSet, 318) X(Op, AtomicFlagClear, 319) X(Op, GetKernelLocalSizeForSubgroupCount, 325)        \
    X(Op, GetKernelMaxNumSubgroups, 326) X(Op, ExecutionModeId, 331) X(Op, GroupNonUniformElect, 333)                  \
    X(Op, GroupNonUniformAll, 334) X(Op, GroupNonUniformAny, 335) X(Op, GroupNonUniformAllEqual, 336)                  \
    X(Op, GroupNonUniformBroadcast, 337) X(Op, GroupNonUniformBroadcastFirst, 338) X(Op, GroupNonUniformBallot, 339)   \
    X(Op, GroupNonUniformInverseBallot, 340) X(Op, GroupNonUniformBallotBitExtract, 341)                               \
    X(Op, GroupNonUniformBallotBitCount, 342) X(Op, GroupNonUniformBallotFindLSB, 343)                                 \
    X(Op, GroupNonUniformBallotFindMSB, 344) X(Op, GroupNonUniformShuffle, 345) X(Op, GroupNonUniformShuffleXor, 346)  \
    X(Op, GroupNonUniformShuffleUp, 347) X(Op, GroupNonUniformShuffleDown, 348) X(Op, GroupNonUniformIAdd, 349)        \
    X(Op, GroupNonUniformFAdd, 350) X(Op, GroupNonUniformIMul, 351) X(Op, GroupNonUniformFMul, 352)                    \
    X(Op, GroupNonUniformSMin, 353) X(Op, GroupNonUniformUMin, 354) X(Op, GroupNonUniformFMin, 355)                    \
    X(Op, GroupNonUniformSMax, 356) X(Op, GroupNonUniformUMax, 357) X(Op, GroupNonUniformFMax, 358)                    \
    X(Op, GroupNonUniformBitwiseAnd, 359) X(Op, GroupNonUniformBitwiseOr, 360) X(Op, GroupNonUniformBitwiseXor, 361)   \
    X(Op, GroupNonUniformLogicalAnd, 362) X(Op, GroupNonUniformLogicalOr, 363) X(Op, GroupNonUniformLogicalXor, 364)   \
    X(Op, GroupNonUniformQuadBroadcast, 365) X(Op, GroupNonUniformQuadSwap, 366) X(Op, CopyLogical, 400)               \
    X(Op, PtrEqual, 401) X(Op, PtrNotEqual, 402) X(Op, PtrDiff, 403) X(Op, SubgroupBallotKHR, 4421)                    \
    X(Op, SubgroupFirstInvocationKHR, 4422) X(Op, SubgroupAllKHR, 4428) X(Op, SubgroupAnyKHR, 4429)                    \
    X(Op, SubgroupAllEqualKHR, 4430) X(Op, GroupNonUniformRotateKHR, 4431) X(Op, SubgroupReadInvocationKHR, 4432)      \
    X(Op, SDot, 4450) X(Op, UDot, 4451) X(Op, SUDot, 4452) X(Op, SDotAccSat, 4453) X(Op, UDotAccSat, 4454)             \
    X(Op, SUDotAccSat, 4455) X(Op, TypeCooperativeMatrixKHR, 4456) X(Op, CooperativeMatrixLoadKHR, 4457)               \
    X(Op, CooperativeMatrixStoreKHR, 4458) X(Op, CooperativeMatrixMulAddKHR, 4459)                                     \
    X(Op, CooperativeMatrixLengthKHR, 4460) X(Op, TypeCooperativeVectorNV, 5288)                                       \
    X(Op, CooperativeVectorMatrixMulNV, 5289) X(Op, CooperativeVectorOuterProductAccumulateNV, 5290)                   \
    X(Op, CooperativeVectorReduceSumAccumulateNV, 5291) X(Op, CooperativeVectorMatrixMulAddNV, 5292)                   \
    X(Op, CooperativeVectorLoadNV, 5302) X(Op, CooperativeVectorStoreNV, 5303) X(Op, SubgroupShuffleINTEL, 5571)       \
    X(Op, SubgroupShuffleDownINTEL, 5572) X(Op, SubgroupShuffleUpINTEL, 5573) X(Op, SubgroupShuffleXorINTEL, 5574)     \
    X(Op, SubgroupBlockReadINTEL, 5575) X(Op, SubgroupBlockWriteINTEL, 5576) X(Op, AtomicFMinEXT, 5614)                \
    X(Op, AtomicFMaxEXT, 5615) X(Op, AssumeTrueKHR, 5630) X(Op, ExpectKHR, 5631) X(Op, AtomicFAddEXT, 6035)            \
    X(Op, ConvertFToBF16INTEL, 6116) X(Op, ConvertBF16ToFINTEL, 6117) X(Op, ControlBarrierArriveINTEL, 6142)           \
    X(Op, ControlBarrierWaitINTEL, 6143) X(Op, SubgroupBlockPrefetchINTEL, 6221) X(Op, Subgroup2DBlockLoadINTEL, 6231) \
    X(Op, Subgroup2DBlockLoadTransformINTEL, 6232) X(Op, Subgroup2DBlockLoadTransposeINTEL, 6233)                      \
    X(Op, Subgroup2DBlockPrefetchINTEL, 6234) X(Op, Subgroup2DBlockStoreINTEL, 6235)                                   \
    X(Op, SubgroupMatrixMultiplyAccumulateINTEL, 6237) X(Op, PredicatedLoadINTEL, 6258)                                \
    X(Op, PredicatedStoreINTEL, 6259) X(Op, SubgroupScaledMatrixMultiplyAccumulateINTEL, 6264)                         \
    X(Op, GroupIMulKHR, 6401) X(Op, GroupFMulKHR, 6402) X(Op, GroupBitwiseAndKHR, 6403) X(Op, GroupBitwiseOrKHR, 6404) \
    X(Op, GroupBitwiseXorKHR, 6405) X(Op, GroupLogicalAndKHR, 6406) X(Op, GroupLogicalOrKHR, 6407)                     \
    X(Op, GroupLogicalXorKHR, 6408) X(Op, RoundFToTF32INTEL, 6426)

#define SPE_Capability_(X, K)                                                                                          \
    X(K, Matrix, 0) X(K, Shader, 1) X(K, Addresses, 4) X(K, Linkage, 5) X(K, Kernel, 6) X(K, Vector16, 7)              \
    X(K, Float16Buffer, 8) X(K, Float16, 9) X(K, Float64, 10) X(K, Int64, 11) X(K, Int64Atomics, 12)                   \
    X(K, ImageBasic, 13) X(K, ImageReadWrite, 14) X(K, Groups, 18) X(K, LiteralSampler, 20) X(K, Int16, 22)            \
    X(K, GenericPointer, 38) X(K, Int8, 39) X(K, Sampled1D, 43) X(K, SampledBuffer, 46) X(K, SubgroupDispatch, 58)     \
    X(K, GroupNonUniform, 61) X(K, GroupNonUniformVote, 62) X(K, GroupNonUniformArithmetic, 63)                        \
    X(K, GroupNonUniformBallot, 64) X(K, GroupNonUniformShuffle, 65) X(K, GroupNonUniformShuffleRelative, 66)          \
    X(K, GroupNonUniformClustered, 67) X(K, GroupNonUniformQuad, 68) X(K, Float8EXT, 4212)                             \
    X(K, Float8CooperativeMatrixEXT, 4213) X(K, SubgroupBallotKHR, 4423) X(K, SubgroupVoteKHR, 4431)                   \
    X(K, StorageBuffer16BitAccess, 4433) X(K, StoragePushConstant16, 4435) X(K, StorageBuffer8BitAccess, 4448)         \
    X(K, StoragePushConstant8, 4450) X(K, DenormPreserve, 4464) X(K, DenormFlushToZero, 4465)                          \
    X(K, SignedZeroInfNanPreserve, 4466) X(K, RoundingModeRTE, 4467) X(K, RoundingModeRTZ, 4468)                       \
    X(K, BFloat16TypeKHR, 5116) X(K, BFloat16DotProductKHR, 5117) X(K, BFloat16CooperativeMatrixKHR, 5118)             \
    X(K, VulkanMemoryModel, 5345) X(K, VulkanMemoryModelDeviceScope, 5346) X(K, PhysicalStorageBufferAddresses, 5347)  \
    X(K, CooperativeVectorNV, 5394) X(K, LongVectorEXT, 5425) X(K, CooperativeVectorTrainingNV, 5435)                  \
    X(K, SubgroupShuffleINTEL, 5568) X(K, SubgroupBufferBlockIOINTEL, 5569) X(K, AtomicFloat32MinMaxEXT, 5612)         \
    X(K, AtomicFloat64MinMaxEXT, 5613) X(K, AtomicFloat16MinMaxEXT, 5616) X(K, VectorAnyINTEL, 5619)                   \
    X(K, ExpectAssumeKHR, 5629) X(K, DotProductInputAll, 6016) X(K, DotProductInput4x8Bit, 6017)                       \
    X(K, DotProductInput4x8BitPacked, 6018) X(K, DotProduct, 6019) X(K, CooperativeMatrixKHR, 6022)                    \
    X(K, BitInstructions, 6025) X(K, GroupNonUniformRotateKHR, 6026) X(K, FloatControls2, 6029)                        \
    X(K, AtomicFloat32AddEXT, 6033) X(K, AtomicFloat64AddEXT, 6034) X(K, AtomicFloat16AddEXT, 6095)                    \
    X(K, BFloat16ConversionINTEL, 6115) X(K, SplitBarrierINTEL, 6141) X(K, GlobalVariableHostAccessINTEL, 6187)        \
    X(K, SubgroupBufferPrefetchINTEL, 6220) X(K, Subgroup2DBlockIOINTEL, 6228)                                         \
    X(K, Subgroup2DBlockTransformINTEL, 6229) X(K, Subgroup2DBlockTransposeINTEL, 6230)                                \
    X(K, SubgroupMatrixMultiplyAccumulateINTEL, 6236) X(K, PredicatedIOINTEL, 6257)                                    \
    X(K, SubgroupScaledMatrixMultiplyAccumulateINTEL, 6263) X(K, GroupUniformArithmeticKHR, 6400)                      \
    X(K, TensorFloat32RoundingINTEL, 6425) X(K, CacheControlsINTEL, 6441) X(K, RegisterLimitsINTEL, 6460)
#define SPE_BuiltIn_(X, K)                                                                                             \
    X(K, NumWorkgroups, 24) X(K, WorkgroupSize, 25) X(K, WorkgroupId, 26) X(K, LocalInvocationId, 27)                  \
    X(K, GlobalInvocationId, 28) X(K, LocalInvocationIndex, 29) X(K, WorkDim, 30) X(K, GlobalSize, 31)                 \
    X(K, EnqueuedWorkgroupSize, 32) X(K, GlobalOffset, 33) X(K, GlobalLinearId, 34) X(K, SubgroupSize, 36)             \
    X(K, SubgroupMaxSize, 37) X(K, NumSubgroups, 38) X(K, NumEnqueuedSubgroups, 39) X(K, SubgroupId, 40)               \
    X(K, SubgroupLocalInvocationId, 41) X(K, SubgroupEqMask, 4416) X(K, SubgroupGeMask, 4417)                          \
    X(K, SubgroupGtMask, 4418) X(K, SubgroupLeMask, 4419) X(K, SubgroupLtMask, 4420)
#define SPE_Decoration_(X, K)                                                                                          \
    X(K, SpecId, 1) X(K, Block, 2) X(K, ArrayStride, 6) X(K, CPacked, 10) X(K, BuiltIn, 11) X(K, Restrict, 19)         \
    X(K, Aliased, 20) X(K, Volatile, 21) X(K, Constant, 22) X(K, Coherent, 23) X(K, NonWritable, 24)                   \
    X(K, NonReadable, 25) X(K, SaturatedConversion, 28) X(K, Offset, 35) X(K, FuncParamAttr, 38)                       \
    X(K, FPRoundingMode, 39) X(K, FPFastMathMode, 40) X(K, LinkageAttributes, 41) X(K, NoContraction, 42)              \
    X(K, Alignment, 44) X(K, MaxByteOffset, 45) X(K, SaturatedToLargestFloat8NormalConversionEXT, 4216)                \
    X(K, NoSignedWrap, 4469) X(K, NoUnsignedWrap, 4470) X(K, AliasedPointer, 5356) X(K, HostAccessINTEL, 6188)         \
    X(K, CacheControlLoadINTEL, 6442) X(K, CacheControlStoreINTEL, 6443)
#define SPE_ExecutionMode_(X, K)                                                                                       \
    X(K, LocalSize, 17) X(K, LocalSizeHint, 18) X(K, VecTypeHint, 30) X(K, ContractionOff, 31) X(K, SubgroupSize, 35)  \
    X(K, SubgroupsPerWorkgroup, 36) X(K, SubgroupsPerWorkgroupId, 37) X(K, LocalSizeId, 38) X(K, LocalSizeHintId, 39)  \
    X(K, DenormPreserve, 4459) X(K, DenormFlushToZero, 4460) X(K, SignedZeroInfNanPreserve, 4461)                      \
    X(K, RoundingModeRTE, 4462) X(K, RoundingModeRTZ, 4463) X(K, FPFastMathDefault, 6028)                              \
    X(K, MaximumRegistersINTEL, 6461) X(K, MaximumRegistersIdINTEL, 6462) X(K, NamedMaximumRegistersINTEL, 6463)
#define SPE_StorageClass_(X, K)                                                                                        \
    X(K, UniformConstant, 0) X(K, Input, 1) X(K, Workgroup, 4) X(K, CrossWorkgroup, 5) X(K, Private, 6)                \
    X(K, Function, 7) X(K, Generic, 8) X(K, PushConstant, 9) X(K, Image, 11) X(K, PhysicalStorageBuffer, 5349)
#define SPE_MemorySemantics_(X, K)                                                                                     \
    X(K, Relaxed, 0) X(K, Acquire, 2) X(K, Release, 4) X(K, AcquireRelease, 8) X(K, SequentiallyConsistent, 16)        \
    X(K, UniformMemory, 64) X(K, SubgroupMemory, 128) X(K, WorkgroupMemory, 256) X(K, CrossWorkgroupMemory, 512)       \
    X(K, MakeAvailable, 8192) X(K, MakeVisible, 16384)
#define SPE_FunctionParameterAttribute_(X, K)                                                                          \
    X(K, Zext, 0) X(K, Sext, 1) X(K, NoAlias, 4) X(K, NoCapture, 5) X(K, NoWrite, 6) X(K, NoReadWrite, 7)
#define SPE_CooperativeMatrixOperands_(X, K)                                                                           \
    X(K, MatrixASignedComponentsKHR, 1) X(K, MatrixBSignedComponentsKHR, 2) X(K, MatrixCSignedComponentsKHR, 4)        \
    X(K, MatrixResultSignedComponentsKHR, 8) X(K, SaturatingAccumulationKHR, 16)
#define SPE_MatrixMultiplyAccumulateOperands_(X, K)                                                                    \
    X(K, MatrixASignedComponentsINTEL, 1) X(K, MatrixBSignedComponentsINTEL, 2) X(K, MatrixCBFloat16INTEL, 4)          \
    X(K, MatrixResultBFloat16INTEL, 8) X(K, MatrixAPackedInt8INTEL, 16) X(K, MatrixBPackedInt8INTEL, 32)               \
    X(K, MatrixAPackedInt4INTEL, 64) X(K, MatrixBPackedInt4INTEL, 128) X(K, MatrixATF32INTEL, 256)                     \
    X(K, MatrixBTF32INTEL, 512) X(K, MatrixAPackedFloat16INTEL, 1024) X(K, MatrixBPackedFloat16INTEL, 2048)            \
    X(K, MatrixAPackedBFloat16INTEL, 4096) X(K, MatrixBPackedBFloat16INTEL, 8192)                                      \
    X(K, MatrixAPackedFloat8E4M3INTEL, 16384) X(K, MatrixBPackedFloat8E4M3INTEL, 32768)                                \
    X(K, MatrixAPackedFloat8E5M2INTEL, 65536) X(K, MatrixBPackedFloat8E5M2INTEL, 131072)                               \
    X(K, MatrixAPackedFloat4E2M1INTEL, 262144) X(K, MatrixBPackedFloat4E2M1INTEL, 524288)                              \
    X(K, ScaleAFloat8E8M0INTEL, 1048576) X(K, ScaleBFloat8E8M0INTEL, 2097152)
#define SPE_SamplerAddressingMode_(X, K)                                                                               \
    X(K, None, 0) X(K, ClampToEdge, 1) X(K, Clamp, 2) X(K, Repeat, 3) X(K, RepeatMirrored, 4)
#define SPE_CooperativeVectorMatrixLayout_(X, K)                                                                       \
    X(K, RowMajorNV, 0) X(K, ColumnMajorNV, 1) X(K, InferencingOptimalNV, 2) X(K, TrainingOptimalNV, 3)
#define SPE_ComponentType_(X, K)                                                                                       \
    X(K, Float16NV, 0) X(K, Float32NV, 1) X(K, Float64NV, 2) X(K, SignedInt8NV, 3) X(K, SignedInt16NV, 4)              \
    X(K, SignedInt32NV, 5) X(K, SignedInt64NV, 6) X(K, UnsignedInt8NV, 7) X(K, UnsignedInt16NV, 8)                     \
    X(K, UnsignedInt32NV, 9) X(K, UnsignedInt64NV, 10) X(K, SignedInt8PackedNV, 1000491000)                            \
    X(K, UnsignedInt8PackedNV, 1000491001) X(K, FloatE4M3NV, 1000491002) X(K, FloatE5M2NV, 1000491003)
#define SPE_CAPABILITIES(X)                                                                                            \
    SPE_Capability_(X, Capability)
#define SPE_ENUMERANTS(X)                                                                                              \
    SPE_BuiltIn_(X, BuiltIn) SPE_Decoration_(X, Decoration) SPE_ExecutionMode_(X, ExecutionMode)                       \
    SPE_StorageClass_(X, StorageClass) X(Scope, CrossDevice, 0) X(Scope, Device, 1) X(Scope, Workgroup, 2)             \
    X(Scope, Subgroup, 3) X(Scope, Invocation, 4) SPE_MemorySemantics_(X, MemorySemantics)                             \
    X(MemoryAccess, Volatile, 1) X(MemoryAccess, Aligned, 2) X(MemoryAccess, Nontemporal, 4)                           \
    X(MemoryAccess, NonPrivatePointer, 32) X(AddressingModel, Logical, 0) X(AddressingModel, Physical32, 1)            \
    X(AddressingModel, Physical64, 2) X(AddressingModel, PhysicalStorageBuffer64, 5348) X(MemoryModel, OpenCL, 2)      \
    X(MemoryModel, Vulkan, 3) X(ExecutionModel, GLCompute, 5) X(ExecutionModel, Kernel, 6)                             \
    X(SourceLanguage, Unknown, 0) X(SourceLanguage, OpenCL_C, 3) X(FunctionControl, Inline, 1)                         \
    X(FunctionControl, DontInline, 2) X(FunctionControl, Pure, 4) X(FunctionControl, Const, 8)                         \
    SPE_FunctionParameterAttribute_(X, FunctionParameterAttribute) X(LinkageType, Export, 0) X(LinkageType, Import, 1) \
    X(SelectionControl, Flatten, 1) X(SelectionControl, DontFlatten, 2) X(LoopControl, Unroll, 1)                      \
    X(LoopControl, DontUnroll, 2) X(LoopControl, DependencyInfinite, 4) X(LoopControl, DependencyLength, 8)            \
    X(LoopControl, MinIterations, 16) X(LoopControl, MaxIterations, 32) X(LoopControl, IterationMultiple, 64)          \
    X(LoopControl, PeelCount, 128) X(LoopControl, PartialCount, 256) X(GroupOperation, Reduce, 0)                      \
    X(GroupOperation, InclusiveScan, 1) X(GroupOperation, ExclusiveScan, 2) X(GroupOperation, ClusteredReduce, 3)      \
    X(FPRoundingMode, RTE, 0) X(FPRoundingMode, RTZ, 1) X(FPRoundingMode, RTP, 2) X(FPRoundingMode, RTN, 3)            \
    X(FPEncoding, BFloat16KHR, 0) X(FPEncoding, Float8E4M3EXT, 4214) X(FPEncoding, Float8E5M2EXT, 4215)                \
    X(CooperativeMatrixUse, MatrixAKHR, 0) X(CooperativeMatrixUse, MatrixBKHR, 1)                                      \
    X(CooperativeMatrixUse, MatrixAccumulatorKHR, 2) X(CooperativeMatrixLayout, RowMajorKHR, 0)                        \
    X(CooperativeMatrixLayout, ColumnMajorKHR, 1) SPE_CooperativeMatrixOperands_(X, CooperativeMatrixOperands)         \
    SPE_MatrixMultiplyAccumulateOperands_(X, MatrixMultiplyAccumulateOperands) X(LoadCacheControl, UncachedINTEL, 0)   \
    X(LoadCacheControl, CachedINTEL, 1) X(LoadCacheControl, StreamingINTEL, 2)                                         \
    X(LoadCacheControl, InvalidateAfterReadINTEL, 3) X(LoadCacheControl, ConstCachedINTEL, 4)                          \
    X(StoreCacheControl, UncachedINTEL, 0) X(StoreCacheControl, WriteThroughINTEL, 1)                                  \
    X(StoreCacheControl, WriteBackINTEL, 2) X(StoreCacheControl, StreamingINTEL, 3)                                    \
    X(NamedMaximumNumberOfRegisters, AutoINTEL, 0) X(Dim, 1D, 0) X(Dim, 2D, 1) X(Dim, 3D, 2) X(Dim, Buffer, 5)         \
    X(AccessQualifier, ReadOnly, 0) X(AccessQualifier, WriteOnly, 1) X(AccessQualifier, ReadWrite, 2)                  \
    SPE_SamplerAddressingMode_(X, SamplerAddressingMode) X(SamplerFilterMode, Nearest, 0)                              \
    X(SamplerFilterMode, Linear, 1) SPE_CooperativeVectorMatrixLayout_(X, CooperativeVectorMatrixLayout)               \
    SPE_ComponentType_(X, ComponentType)

/* OpenCL.std, X(our name, the name in the set, number, operands); SPE_<our name> is what spe_math takes. */
#define SPE_MATH_LIST(X)                                                                                               \
    X(ACOS, acos, 0, 1) X(ACOSH, acosh, 1, 1) X(ACOSPI, acospi, 2, 1) X(ASIN, asin, 3, 1) X(ASINH, asinh, 4, 1)        \
    X(ASINPI, asinpi, 5, 1) X(ATAN, atan, 6, 1) X(ATAN2, atan2, 7, 2) X(ATANH, atanh, 8, 1) X(ATANPI, atanpi, 9, 1)    \
    X(ATAN2PI, atan2pi, 10, 2) X(CBRT, cbrt, 11, 1) X(CEIL, ceil, 12, 1) X(COPYSIGN, copysign, 13, 2)                  \
    X(COS, cos, 14, 1) X(COSH, cosh, 15, 1) X(COSPI, cospi, 16, 1) X(ERFC, erfc, 17, 1) X(ERF, erf, 18, 1)             \
    X(EXP, exp, 19, 1) X(EXP2, exp2, 20, 1) X(EXP10, exp10, 21, 1) X(EXPM1, expm1, 22, 1) X(FABS, fabs, 23, 1)         \
    X(FDIM, fdim, 24, 2) X(FLOOR, floor, 25, 1) X(FMA, fma, 26, 3) X(FMAX, fmax, 27, 2) X(FMIN, fmin, 28, 2)           \
    X(FMOD, fmod, 29, 2) X(HYPOT, hypot, 32, 2) X(LDEXP, ldexp, 34, 2) X(LGAMMA, lgamma, 35, 1) X(LOG, log, 37, 1)     \
    X(LOG2, log2, 38, 1) X(LOG10, log10, 39, 1) X(LOG1P, log1p, 40, 1) X(LOGB, logb, 41, 1) X(MAD, mad, 42, 3)         \
    X(MAXMAG, maxmag, 43, 2) X(MINMAG, minmag, 44, 2) X(NEXTAFTER, nextafter, 47, 2) X(POW, pow, 48, 2)                \
    X(POWN, pown, 49, 2) X(POWR, powr, 50, 2) X(REMAINDER, remainder, 51, 2) X(RINT, rint, 53, 1)                      \
    X(ROOTN, rootn, 54, 2) X(ROUND, round, 55, 1) X(RSQRT, rsqrt, 56, 1) X(SIN, sin, 57, 1) X(SINH, sinh, 59, 1)       \
    X(SINPI, sinpi, 60, 1) X(SQRT, sqrt, 61, 1) X(TAN, tan, 62, 1) X(TANH, tanh, 63, 1) X(TANPI, tanpi, 64, 1)         \
    X(TGAMMA, tgamma, 65, 1) X(TRUNC, trunc, 66, 1) X(NATIVE_COS, native_cos, 81, 1)                                   \
    X(NATIVE_DIVIDE, native_divide, 82, 2) X(NATIVE_EXP, native_exp, 83, 1) X(NATIVE_EXP2, native_exp2, 84, 1)         \
    X(NATIVE_EXP10, native_exp10, 85, 1) X(NATIVE_LOG, native_log, 86, 1) X(NATIVE_LOG2, native_log2, 87, 1)           \
    X(NATIVE_LOG10, native_log10, 88, 1) X(NATIVE_POWR, native_powr, 89, 2) X(NATIVE_RECIP, native_recip, 90, 1)       \
    X(NATIVE_RSQRT, native_rsqrt, 91, 1) X(NATIVE_SIN, native_sin, 92, 1) X(NATIVE_SQRT, native_sqrt, 93, 1)           \
    X(NATIVE_TAN, native_tan, 94, 1) X(FCLAMP, fclamp, 95, 3) X(MIX, mix, 99, 3) X(STEP, step, 101, 2)                 \
    X(SMOOTHSTEP, smoothstep, 102, 3) X(SIGN, sign, 103, 1) X(SABS, s_abs, 141, 1) X(SABS_DIFF, s_abs_diff, 142, 2)    \
    X(SADD_SAT, s_add_sat, 143, 2) X(UADD_SAT, u_add_sat, 144, 2) X(SHADD, s_hadd, 145, 2) X(UHADD, u_hadd, 146, 2)    \
    X(SRHADD, s_rhadd, 147, 2) X(URHADD, u_rhadd, 148, 2) X(SCLAMP, s_clamp, 149, 3) X(UCLAMP, u_clamp, 150, 3)        \
    X(CLZ, clz, 151, 1) X(CTZ, ctz, 152, 1) X(SMAD_HI, s_mad_hi, 153, 3) X(UMAD_SAT, u_mad_sat, 154, 3)                \
    X(SMAD_SAT, s_mad_sat, 155, 3) X(SMAX, s_max, 156, 2) X(UMAX, u_max, 157, 2) X(SMIN, s_min, 158, 2)                \
    X(UMIN, u_min, 159, 2) X(SMUL_HI, s_mul_hi, 160, 2) X(ROTATE, rotate, 161, 2) X(SSUB_SAT, s_sub_sat, 162, 2)       \
    X(USUB_SAT, u_sub_sat, 163, 2) X(POPCOUNT, popcount, 166, 1) X(SMAD24, s_mad24, 167, 3) X(UMAD24, u_mad24, 168, 3) \
    X(SMUL24, s_mul24, 169, 2) X(UMUL24, u_mul24, 170, 2) X(UABS, u_abs, 201, 1) X(UABS_DIFF, u_abs_diff, 202, 2)      \
    X(UMUL_HI, u_mul_hi, 203, 2) X(UMAD_HI, u_mad_hi, 204, 3)

#define SPE_NUMBER_ENUM_(kind, name, number) SPE_##kind##name = number,
#define SPE_MATH_ENUM_(name, name_in_set, number, operands) SPE_##name = number,
enum { SPE_OPCODES(SPE_NUMBER_ENUM_) };
enum { SPE_CAPABILITIES(SPE_NUMBER_ENUM_) };
enum { SPE_ENUMERANTS(SPE_NUMBER_ENUM_) };
typedef enum { SPE_MATH_LIST(SPE_MATH_ENUM_) SPE_MATH_END_ } spe_math_op;

/* ---- The module: errors, memory, ids --------------------------------------------------------------------------- */

#if defined(__GNUC__)
#if defined(__MINGW_PRINTF_FORMAT) /* for %zu */
#define SPE_PRINTF(text, args) __attribute__((__format__(__MINGW_PRINTF_FORMAT, text, args)))
#else
#define SPE_PRINTF(text, args) __attribute__((__format__(__printf__, text, args)))
#endif
#define SPE_UNLIKELY_(x) __builtin_expect(!!(x), 0)
#define SPE_UNUSED __attribute__((__unused__))
#define SPE_COLD_ __attribute__((__cold__))
#else
#define SPE_PRINTF(text, args)
#define SPE_UNUSED
#define SPE_COLD_
#define SPE_UNLIKELY_(x) (x)
#endif

#if defined(SPE_CHECK_IDS) /* "Ids and numbers" above */
typedef struct spe_id_ *spe_id;
typedef void spe_word_; /* ids and numbers */
#define SPE_WORD(id) ((uint32_t)(uintptr_t)(id))
#if defined(__GNUC__)
#pragma GCC diagnostic error "-Wint-conversion"
#endif
#else
typedef uint32_t spe_id; /* 0 is poison */
typedef uint32_t spe_word_;
#define SPE_WORD(id) (id) /* an id among the words of spe_op and the like */
#endif

#ifndef SPE_CHUNK
#define SPE_CHUNK 196608
#endif

#define SPE_VERSION(major, minor) (((uint32_t)(major) << 16) | ((uint32_t)(minor) << 8))

/* Every error this header reports: X(name, number, meaning). Error ids of coopmatrix.h start at 1000, those of xetile.h
 * at 2000. */
#define SPE_ERRORS(X)                                                                                                  \
    X(MEMORY, 1, "the allocator returned no memory")                                                                   \
    X(OPTION, 2, "an option has a value that does not exist")                                                          \
    X(VERSION, 3, "the module's SPIR-V version lacks what was asked for")                                              \
    X(LIMIT, 4, "a limit of SPIR-V was exceeded")                                                                      \
    X(NO_VALUE, 5, "an operand is not a value (0, or an id that is a type, a label or nothing)")                       \
    X(NO_TYPE, 6, "an id that should be a type is none")                                                               \
    X(TYPE, 7, "operand types disagree, or the operation does not take the type")                                      \
    X(RANGE, 8, "a number does not fit where it is put")                                                               \
    X(SCOPE, 9, "a value is used outside the region or function it was made in")                                       \
    X(NO_FUNCTION, 10, "an instruction is outside of every function")                                                  \
    X(FUNCTION_OPEN, 11, "a function is open where none may be")                                                       \
    X(REGION_OPEN, 12, "a region (if, loop, switch) was left open")                                                    \
    X(REGION_CROSSED, 13, "a region is closed by what does not belong to it")                                          \
    X(CARRIED, 14, "the values carried out of a region disagree in number or type")                                    \
    X(PARAMETER, 15, "a parameter is unknown or of a type a kernel cannot have")                                       \
    X(RETURN, 16, "a return disagrees with the function's type")                                                       \
    X(PROLOGUE, 17, "not allowed in the prologue")                                                                     \
    X(NAME, 18, "a name is missing or was used before")                                                                \
    X(FINISHED, 19, "the module is finished")                                                                          \
    X(TARGET, 20, "the target lacks what a kernel needs")                                                             \
    X(ENVIRONMENT, 21, "the module's environment lacks what was asked for")

#define SPE_ERROR_ENUM_(name, number, text) SPE_ERR_##name = number,
enum { SPE_ERR_NONE = 0, SPE_ERRORS(SPE_ERROR_ENUM_) };

/* The first error of a module. id 0: no error. file and line come from the last spe_at before it. */
typedef struct spe_error {
    int id;
    const char *name; /* "SPE_ERR_TYPE", or what spe_fail was given */
    char text[384];
    const char *file;
    int line;
    const struct spe_error *next; /* another, independent error; NULL: none */
} spe_error;

typedef enum { SPE_ENV_OPENCL, SPE_ENV_VULKAN } spe_env;
/* Vulkan: the spec constants of a module's first kernel with the length of its local memory in 32-bit words, whose
 * default has room for its variables, and with the subgroup size that it was written for; each kernel after it has
 * numbers larger by 2. Kernels without such a length share that of the kernel before, with its local memory. The spec
 * constant of a parameter's number is the offset in bytes of what a local pointer points to. */
enum { SPE_LOCAL_WORDS_CONSTANT = 1000, SPE_SUBGROUP_SIZE_CONSTANT };

typedef struct {
    uint32_t version; /* SPE_VERSION(1, 0) to SPE_VERSION(1, 6); 0: 1.4, for Vulkan 1.6 (from 1.5) */
    spe_env env;      /* 0: OpenCL, 64-bit pointers; SPE_ENV_VULKAN: see above */
    bool names;       /* write OpName */
    bool lines;       /* write OpLine */
    const char *source; /* name of the source file, written as OpSource; NULL: none */
    void *(*realloc)(void *user, void *p, size_t size); /* NULL: the C library's; size 0 frees */
    void *user;
    bool verbatim; /* write what is asked for, even what Intel's compiler gets wrong */
    uint32_t subgroup_sizes;  /* of the target, or-ed: 8 | 16 | 32 | 64; 0, here and below: not known, not checked */
    uint32_t local_memory;    /* bytes that a work-group may have */
    uint32_t max_group_size;  /* work-items that it may have */
} spe_options;

typedef struct {
    const uint32_t *data;
    size_t count;
} spe_words;

typedef enum {
    SPE_KIND_NONE, SPE_KIND_VOID, SPE_KIND_BOOL, SPE_KIND_INT, SPE_KIND_FLOAT, SPE_KIND_VECTOR, SPE_KIND_ARRAY,
    SPE_KIND_STRUCT, SPE_KIND_POINTER, SPE_KIND_FUNCTION, SPE_KIND_IMAGE, SPE_KIND_SAMPLER, SPE_KIND_SAMPLED_IMAGE,
    SPE_KIND_FORWARD /* a pointer of spe_ptr_forward */, SPE_KIND_COOPMAT, SPE_KIND_COOPVEC
} spe_kind;

typedef enum { SPE_IEEE, SPE_BF16, SPE_E4M3, SPE_E5M2 } spe_encoding; /* of a float type */

/* The description of a type. kind SPE_KIND_NONE: the id is no type. */
typedef struct {
    spe_kind kind;
    uint32_t bits;         /* int, float: width; bool: 1 */
    uint32_t count;        /* vector, array, coopvec: elements; struct: members; function: parameters; scalar: 1;
                            * image: coordinates */
    spe_id elem;           /* vector, array, coopmat, coopvec: element; pointer: target; function: return type */
    uint32_t storage;      /* pointer: SPE_StorageClass... */
    spe_encoding encoding; /* float */
    const spe_id *members; /* struct: member types; function: parameter types */
    uint32_t scope, rows, cols, use; /* coopmat */
    uint32_t dim, access;            /* image: SPE_Dim..., SPE_AccessQualifier... */
    bool packed; /* struct: decorated CPacked, without gaps between its members */
    bool shared; /* struct: asked for more than once */
    bool laid_out; /* Vulkan: has a layout in memory */
} spe_type_info;

typedef enum {
    SPE_GLOBAL_ID, SPE_LOCAL_ID, SPE_GROUP_ID, SPE_GLOBAL_SIZE, SPE_LOCAL_SIZE, SPE_GROUP_COUNT, SPE_GLOBAL_OFFSET,
    SPE_ENQUEUED_LOCAL_SIZE, SPE_WORK_DIM, SPE_GLOBAL_LINEAR_ID, SPE_LOCAL_LINEAR_ID, SPE_SUBGROUP_ID,
    SPE_SUBGROUP_SIZE, SPE_SUBGROUP_COUNT, SPE_SUBGROUP_LANE, SPE_SUBGROUP_MAX_SIZE, SPE_BUILTIN_COUNT_
} spe_builtin_name;

/* A module's buffers: sections in the order of the specification, parts of the open function, tables. */
enum {
    SPE_SECTION_CAPABILITY_, SPE_SECTION_EXTENSION_, SPE_SECTION_IMPORT_, SPE_SECTION_MODEL_, SPE_SECTION_ENTRY_,
    SPE_SECTION_MODE_, SPE_SECTION_STRING_, SPE_SECTION_NAME_, SPE_SECTION_DECORATION_, SPE_SECTION_GLOBAL_,
    SPE_SECTION_IMPORTED_, SPE_SECTION_FUNCTION_, SPE_SECTION_COUNT_,
    SPE_BUFFER_BODY_ = SPE_SECTION_FUNCTION_, SPE_BUFFER_VARIABLES_ = SPE_SECTION_COUNT_, SPE_BUFFER_PROLOGUE_,
    SPE_BUFFER_SLOTS_, SPE_BUFFER_UNIQUE_, SPE_BUFFER_SCOPES_, SPE_BUFFER_STACK_, SPE_BUFFER_USES_, SPE_BUFFER_CAPS_,
    SPE_BUFFER_KERNELS_, SPE_BUFFER_COUNT_,
    SPE_OPCODES_KNOWN_ = 8192, SPE_OPCODES_NOTED_ = 384, SPE_RECENT_ = 64
};

typedef struct {
    uint32_t *data;
    size_t count, capacity;
} spe_buffer_;

/* An id. A value of depth d may be used while the d-th open scope is the one numbered `serial`. */
typedef struct {
    uint32_t type;   /* type of a value, 0 for anything else */
    uint32_t aux;    /* type: index in types; constant: index in constants + 1; global variable, function: last user;
                      * other value: its opcode */
    uint32_t serial; /* function: its type */
    uint16_t depth, flags; /* depth of a function: its number */
} spe_record_;

typedef struct { /* a finished kernel */
    spe_id id;
    uint32_t function;
    const char *name;
} spe_entry_;

typedef struct { /* see spe_list_add */
    void *items;
    size_t capacity;
    int count;
} spe_list;

typedef struct {
    spe_id id;
    const char *name;
} spe_named_;

typedef struct spe_exit_ { /* a break or continue */
    struct spe_exit_ *next;
    const spe_id *values;
    spe_id from; /* label of its block */
    bool breaks;
} spe_exit_;

typedef struct { /* an open if, loop or switch */
    int kind, line;
    const char *file;
    spe_id header, preheader, merge, next, test; /* labels; a loop's next continues it, its test may end it */
    spe_id index, step;            /* for: the counter; switch: step is the words of a literal */
    spe_id limit, distance;        /* of an exact range: its end; the step upwards, if the loop counts down */
    uint32_t count, stack, unused; /* values carried; this region's first word on the stack; types there, if no side
                                    * arrived */
    uint32_t cases, sides;         /* switch: literals; if, switch: sides that arrive at the merge so far */
    uint32_t serial;               /* of its first scope */
    size_t patch, phi;             /* word offsets in the body */
    spe_exit_ *exits;              /* of a loop */
    bool down;
} spe_region_;

typedef struct { /* a constant or type used recently, see spe_recent_of_ */
    uint64_t bits;
    spe_id type, id;
} spe_recent_;

typedef struct spe_chunk_ {
    struct spe_chunk_ *next, *before; /* before: of blocks */
} spe_chunk_;

typedef struct {
    spe_options options;
    spe_error error;
    const char *file, *doing, *within; /* errors name the call `doing`, or, if set, `within`, which made it */
    int line;
    spe_buffer_ buffer[SPE_BUFFER_COUNT_];
    spe_record_ *ids;
    spe_type_info *types;
    uint64_t *constants;
    spe_entry_ *entries;
    spe_region_ *regions;
    size_t id_count, id_capacity, type_count, type_capacity, constant_count, constant_capacity, entry_count,
        entry_capacity, region_count, region_capacity;
    spe_chunk_ *chunks, *blocks; /* of the arena; of large arrays */
    size_t chunk_used, chunk_size, chunk_count;
    uint32_t serial;      /* scopes opened so far */
    uint64_t seen[SPE_OPCODES_KNOWN_ / 64]; /* opcodes whose capabilities are declared */
    uint64_t used[SPE_OPCODES_NOTED_ / 64]; /* of the opcodes below that, those that were written */
    spe_id math_set, known_bool, known_int[5], known_float[5]; /* of 16 i (or 8) bits: a cache */
    spe_recent_ recent[SPE_RECENT_];
    spe_id builtin_variable[SPE_BUILTIN_COUNT_];
    struct {
        spe_id id, ret, entry, first_param;
        uint32_t index, param_count; /* index counts functions from 1 */
        uint32_t subgroup_size;      /* of a kernel; 0: unknown */
        uint32_t local_size[3];      /* of a kernel for Vulkan */
        size_t body; /* offset of its first word in the body */
        size_t control; /* offset of its control word among the functions */
        bool kernel;
        spe_id builtin[SPE_BUILTIN_COUNT_][3], builtin_vector[SPE_BUILTIN_COUNT_];
        spe_id zero_block, zero[9]; /* of spe_reload: last block, zeros by bytes; or Vulkan's [8] */
        bool diverged;              /* since the last 2D block message, lanes took different sides: spe_diverged */
    } fn;
    uint32_t function_count, declared_count; /* functions with a body; those whose body is still to come */
    uint32_t forward_count;                  /* pointers of spe_ptr_forward that are not complete */
    uint32_t hints, hint_values[9]; /* for the next loop */
    spe_id block;         /* label of the open block; 0: the last block has ended (return) */
    bool open, dead, in_prologue, finished;
    bool in_spec; /* instructions become OpSpecConstantOp */
    const struct spe_vulkan_part_ *vulkan; /* NULL: a module for OpenCL */
    bool contraction_off; /* in a kernel for Vulkan */
    bool as_written;      /* Vulkan: arithmetic is not to be rearranged */
    spe_list local_pointers;                        /* Vulkan: types, see local.c */
    spe_id local_words, local_word_pointer;         /* the array; the type of pointers to a word of it */
    size_t local_length;                            /* word of its length among the globals */
    uint32_t local_bytes;                           /* taken by its variables */
    bool local_vectors;                             /* it is an array of vectors of four words */
    spe_id piece_count[2][2]; /* Vulkan: lengths of vectors in pieces, as values and in memory: 2, 4 */
    const char *line_file, *string_file; /* OpLine in force, and the file whose OpString is string_id */
    int line_line, line_column, column;
    spe_id string_id;
    spe_list by_lane;     /* spe_by_lane_: see lanes.c */
    spe_list named;       /* spe_named_: ids and their names, for messages */
    char text[2][80], place[160]; /* for error texts: type names, where a region was opened */
    uint32_t texts;
} spe_module;

/* Function types by number of ids taken: none, one or two; and one that takes and returns none. */
typedef spe_id spe_nullary_(spe_module *m), spe_unary_(spe_module *m, spe_id a);
typedef spe_id spe_binary_(spe_module *m, spe_id a, spe_id b);
typedef void spe_does_(spe_module *m);

XETILE_API const char *spe_error_meaning(int id); /* "" for an id this header does not define */
/* Records an error under any id and name, for the headers above this one. A module keeps its first error. */
XETILE_API SPE_PRINTF(4, 5) void spe_fail(spe_module *m, int id, const char *name, const char *format, ...);
XETILE_API const spe_error *spe_get_error(const spe_module *m); /* never NULL */
/* Prints a line "file:line: NAME: text" for each error, "NAME: text" if no location is known (SPE, spe_at); nothing if
 * there is no error. */
XETILE_API void spe_print_error(const spe_error *e, FILE *f);
XETILE_API bool spe_ok(const spe_module *m);
/* Sets the location in the user's source that errors, regions and OpLine refer to until the next call. `file` must
 * outlive the module (a string literal, __FILE__). Returns m. */
XETILE_API spe_module *spe_at(spe_module *m, const char *file, int line);
XETILE_API spe_module *spe_at_column(spe_module *m, const char *file, int line, int column); /* for OpLine; 0: none */
#define SPE(m, fn, ...) spe_##fn(spe_at((m), __FILE__, __LINE__), __VA_ARGS__)
#define SPE0(m, fn) spe_##fn(spe_at((m), __FILE__, __LINE__))

XETILE_API void *spe_alloc(spe_module *m, size_t bytes); /* freed with the module; NULL and an error if out of memory */
/* A list in the module's memory, empty when zeroed. Appends a zeroed item; all items of a list have the same size. NULL
 * and an error if out of memory. */
XETILE_API void *spe_list_add(spe_module *m, spe_list *list, size_t size);

/* Starts a module; o NULL: default options. m's previous contents are ignored, so free an older module first. Returns
 * false and sets an error (SPE_ERR_OPTION, SPE_ERR_MEMORY) on failure; even then, spe_free may be called. */
XETILE_API bool spe_begin(spe_module *m, const spe_options *o);
/* Completes the module and returns its words, which m owns until spe_free; {NULL, 0} if there is an error. A second
 * call returns the same words. Nothing can be added afterwards. */
XETILE_API spe_words spe_finish(spe_module *m);
XETILE_API void spe_free(spe_module *m); /* also for a zeroed or failed module; twice does no harm */
/* Each is declared once, however often requested. A capability brings the extension that defines it; SPE_ERR_VERSION if
 * the module's version lacks it. */
XETILE_API void spe_extension(spe_module *m, const char *name);
XETILE_API void spe_capability(spe_module *m, uint32_t capability);

/* ---- Types (unique) -------------------------------------------------------------------------------------------- */

XETILE_API spe_type_info spe_info(const spe_module *m, spe_id type);
XETILE_API spe_id spe_type_of(const spe_module *m, spe_id value); /* 0 if the id is not a value */
/* The scalar type of a vector, cooperative matrix or cooperative vector (a scalar is its own), and its width in bits, 8
 * to 64, 1 for bool, 0 for pointers, structs ... spe_count: components of a vector, 1 for a scalar, 0 for the rest. */
XETILE_API spe_id spe_scalar_of(const spe_module *m, spe_id type);
XETILE_API uint32_t spe_width(const spe_module *m, spe_id type);
XETILE_API uint32_t spe_count(const spe_module *m, spe_id type);
/* The alignment in bytes that OpenCL gives a type in memory; 0 for types that cannot be in memory. Vectors are aligned
 * to their size rounded up to a power of two. */
XETILE_API uint32_t spe_alignment(const spe_module *m, spe_id type);
/* Writes the type's name: f32, i32, f16x8, ptr<f32>, [4]i32, coopmat<f16, 8x16>. Returns text. */
XETILE_API char *spe_type_text(const spe_module *m, spe_id type, char *text, size_t size);

XETILE_API spe_id spe_int(spe_module *m, uint32_t bits);   /* 8, 16, 32, 64 */
XETILE_API spe_id spe_float(spe_module *m, uint32_t bits); /* IEEE: 16, 32, 64 */
/* SPV_KHR_bfloat16 (conversions, dot products, cooperative matrices; no other arithmetic) and SPV_EXT_float8. */
XETILE_API spe_nullary_ spe_void, spe_bool, spe_bf16, spe_e4m3, spe_e5m2;
/* A vector of n = 2, 3, 4, 8 or 16 scalars (bool, int, float), or of any n if the module has declared VectorAnyINTEL or
 * LongVectorEXT. n == 1 returns the scalar type itself. */
XETILE_API spe_id spe_vec(spe_module *m, spe_id elem, uint32_t n);
/* The same with as many components as a value, a scalar or vector, has. */
XETILE_API spe_id spe_vec_like(spe_module *m, spe_id elem, spe_id value);
XETILE_API spe_id spe_array(spe_module *m, spe_id elem, uint32_t n); /* n >= 1 */
/* The same with a number of elements that is the id of an integer constant or spec constant; with a spec constant,
 * spe_info's count and spe_size are 0, as the host decides. */
XETILE_API spe_id spe_array_sized(spe_module *m, spe_id elem, spe_id count);
/* A struct of these members. Unique until it is named or decorated (also SPE_DecorationCPacked: members without gaps,
 * accessed by default as aligned to a byte), which makes it a type of its own; once it was asked for twice it cannot be
 * decorated. spe_struct_new gives a type of its own in each call. */
XETILE_API spe_id spe_struct(spe_module *m, uint32_t n, const spe_id *members);
XETILE_API spe_id spe_struct_new(spe_module *m, uint32_t n, const spe_id *members);
/* Size in bytes of a type in memory, and offset of a struct's member, as OpenCL C lays them out; 0: it has none. */
XETILE_API uint64_t spe_size(const spe_module *m, spe_id type);
XETILE_API uint64_t spe_offset(const spe_module *m, spe_id type, uint32_t member);
/* A pointer into a storage class of OpenCL: SPE_StorageClassCrossWorkgroup is global memory, ...Workgroup local,
 * ...Function private. */
XETILE_API spe_id spe_ptr(spe_module *m, uint32_t storage, spe_id type);
/* A pointer to a struct that does not exist yet, for a member of that struct: spe_ptr_forward, the struct with such a
 * member, spe_ptr_complete. From then on it is spe_ptr(m, storage, type); until then it can only be a member. */
XETILE_API spe_id spe_ptr_forward(spe_module *m, uint32_t storage);
XETILE_API void spe_ptr_complete(spe_module *m, spe_id ptr, spe_id type);
/* An image, as a parameter of a kernel or function: SPE_Dim1D, 2D, 3D or Buffer; an array of them (1D, 2D); accessed as
 * SPE_AccessQualifierReadOnly, WriteOnly or ReadWrite says. And a sampler. The host binds them by
 * zeKernelSetArgumentValue, with the image's or sampler's handle. */
XETILE_API spe_id spe_image(spe_module *m, uint32_t dim, bool arrayed, uint32_t access);
XETILE_API spe_nullary_ spe_sampler;
XETILE_API spe_id spe_fn_type(spe_module *m, spe_id ret, uint32_t n, const spe_id *params);
/* A cooperative matrix (SPV_KHR_cooperative_matrix) of rows x cols components shared by a scope (SPE_ScopeSubgroup);
 * use: SPE_CooperativeMatrixUseMatrixAKHR, ...BKHR or ...AccumulatorKHR. */
XETILE_API spe_id spe_coopmat(spe_module *m, spe_id component, uint32_t scope, uint32_t rows, uint32_t cols,
                              uint32_t use);
/* A cooperative vector (SPV_NV_cooperative_vector) of n components. */
XETILE_API spe_id spe_coopvec(spe_module *m, spe_id component, uint32_t n);

/* ---- Constants (unique); for a vector type the scalar is repeated ---------------------------------------------- */

/* True if id is a scalar constant (not a spec constant); *bits are its bits, zero-extended, or 0. */
XETILE_API bool spe_const_bits(const spe_module *m, spe_id id, uint64_t *bits);
/* Is it a constant of any type? */
XETILE_API bool spe_is_const(const spe_module *m, spe_id id);
/* A composite constant of n constants (for a vector, array, struct or cooperative matrix, whose n is 1). */
XETILE_API spe_id spe_composite_const(spe_module *m, spe_id type, uint32_t n, const spe_id *parts);
/* Floats are rounded to nearest even; an integer that does not fit is SPE_ERR_RANGE. A bool takes 0 or 1; a float type
 * takes the integer's value. */
XETILE_API spe_id spe_const_f(spe_module *m, spe_id type, double value);
XETILE_API spe_id spe_const_u(spe_module *m, spe_id type, uint64_t value);
XETILE_API spe_id spe_const_i(spe_module *m, spe_id type, int64_t value);
XETILE_API spe_id spe_const_bool(spe_module *m, bool value);
XETILE_API spe_id spe_u32(spe_module *m, uint32_t value);
XETILE_API spe_id spe_i32(spe_module *m, int32_t value);
XETILE_API spe_id spe_u64(spe_module *m, uint64_t value);
XETILE_API spe_id spe_f32(spe_module *m, float value);
/* spe_null: all bits zero, of any type (pointers too). spe_undef: an undefined value of the type. */
XETILE_API spe_unary_ spe_null, spe_undef;
/* A scalar that the host can set when it loads the module; `bits` is the default. */
XETILE_API spe_id spe_spec_const(spe_module *m, spe_id type, uint64_t bits, uint32_t spec_id);

/* A sampler: SPE_SamplerAddressingModeNone, ClampToEdge, Clamp, Repeat or RepeatMirrored; coordinates from 0 to 1 or in
 * texels; SPE_SamplerFilterModeNearest or Linear. */
XETILE_API spe_id spe_const_sampler(spe_module *m, uint32_t addressing, bool normalized, uint32_t filter);

/* A constant computed from spec constants and others when the module is loaded: OpSpecConstantOp of an opcode that
 * spe_iadd and its siblings have, for integers, bools and floats (comparisons of floats excluded), and its n operands,
 * checked alike. type: what conversions give, 0 for others. */
XETILE_API spe_id spe_spec_op(spe_module *m, uint32_t opcode, spe_id type, uint32_t n, const spe_id *operands);

XETILE_API void spe_name(spe_module *m, spe_id id, const char *name);
/* A decoration of kernels that applies to what the id is, with n literal words; declares the capabilities it needs.
 * Those of Intel's extensions that have no name here need spe_capability. Constants, and operands that an operation
 * returned unchanged (x + 0), are shared with other uses and cannot be decorated: spe_op and spe_copy always write an
 * instruction. */
XETILE_API void spe_decorate(spe_module *m, spe_id id, uint32_t decoration, uint32_t n, const uint32_t *words);
XETILE_API void spe_decorate_member(spe_module *m, spe_id type, uint32_t member, uint32_t decoration, uint32_t n,
                                    const uint32_t *words);

/* SPE_CAT pastes, SPE_FIRST and SPE_REST split a list, SPE_COUNT counts 1 to 32 arguments. */
#define SPE_CAT(a, b) SPE_CAT2_(a, b)
#define SPE_CAT2_(a, b) a##b
#define SPE_FIRST(first, ...) first
#define SPE_REST(first, ...) __VA_ARGS__
#define SPE_COUNT(...) SPE_COUNT2_(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,    \
    15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define SPE_COUNT2_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,    \
    a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, n, ...) n

/* F(0, x) S() F(1, y) ...: calls F with each argument and its number, separated by S(). Eight at a time, then one to
 * eight. */
#define SPE_EACH(F, S, ...) SPE_CAT(SPE_EIGHTS_, SPE_COUNT2_(__VA_ARGS__, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, \
    2, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0))(F, S, SPE_CAT(SPE_EACH_, SPE_COUNT2_(__VA_ARGS__, 8, 7, 6, \
    5, 4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1, 0)), 0, __VA_ARGS__)
#define SPE_EIGHTS_0(F, S, last, i, ...) last(F, S, i, __VA_ARGS__)
#define SPE_EIGHTS_1(F, S, last, i, a, b, c, d, e, f, g, h, ...)                                                       \
    SPE_EACH_8(F, S, i, a, b, c, d, e, f, g, h) S() SPE_EIGHTS_0(F, S, last, i + 8, __VA_ARGS__)
#define SPE_EIGHTS_2(F, S, last, i, a, b, c, d, e, f, g, h, ...)                                                       \
    SPE_EACH_8(F, S, i, a, b, c, d, e, f, g, h) S() SPE_EIGHTS_1(F, S, last, i + 8, __VA_ARGS__)
#define SPE_EIGHTS_3(F, S, last, i, a, b, c, d, e, f, g, h, ...)                                                       \
    SPE_EACH_8(F, S, i, a, b, c, d, e, f, g, h) S() SPE_EIGHTS_2(F, S, last, i + 8, __VA_ARGS__)
#define SPE_EACH_1(F, S, i, x) F(i, x)
#define SPE_EACH_2(F, S, i, x, ...) F(i, x) S() SPE_EACH_1(F, S, i + 1, __VA_ARGS__)
#define SPE_EACH_3(F, S, i, x, ...) F(i, x) S() SPE_EACH_2(F, S, i + 1, __VA_ARGS__)
#define SPE_EACH_4(F, S, i, x, ...) F(i, x) S() SPE_EACH_3(F, S, i + 1, __VA_ARGS__)
#define SPE_EACH_5(F, S, i, x, ...) F(i, x) S() SPE_EACH_4(F, S, i + 1, __VA_ARGS__)
#define SPE_EACH_6(F, S, i, x, ...) F(i, x) S() SPE_EACH_5(F, S, i + 1, __VA_ARGS__)
#define SPE_EACH_7(F, S, i, x, ...) F(i, x) S() SPE_EACH_6(F, S, i + 1, __VA_ARGS__)
#define SPE_EACH_8(F, S, i, x, ...) F(i, x) S() SPE_EACH_7(F, S, i + 1, __VA_ARGS__)
#define SPE_COMMA() ,
#define SPE_COMMA_TEXT_() ", "

/* ---- Instructions ---------------------------------------------------------------------------------------------------
 *
 * Any instruction, with a result or without (except terminators, labels and merges, which regions write), from operand
 * words in the specification's order. Types of operands are not checked; only that a function is open and, of opcodes
 * in SPE_OPCODES and of SPIR-V itself, that they belong in a function, the version, the number of words, that ids up to
 * the first literal exist, and whether there is a result. Capabilities of opcodes in SPE_OPCODES are declared. */
XETILE_API spe_id spe_op(spe_module *m, uint32_t opcode, spe_id result_type, uint32_t n, const spe_word_ *words);
XETILE_API void spe_op_void(spe_module *m, uint32_t opcode, uint32_t n, const spe_word_ *words);

/* The checked instructions; each becomes a function: A(name, opcode, form) takes one value, name(m, a); AB takes two,
 * name(m, a, b); TO is a conversion, name(m, type, v); GIVES and DOES(name, opcode, form, parameters ...), whose
 * parameters are ids (spe_id) or C numbers (uint32_t), return a value or nothing. A form is a letter for each operand
 * word, a colon, and the result type:
 *   i f b v       integers, floats, bools, any value: scalars, vectors and, where the device supports them, cooperative
 *                 matrices and vectors; g, r: i, f without cooperative matrices; h, s: 16-bit integers, 32-bit
 *                 floats; d: also floats without arithmetic; u: numbers and bools, scalars and vectors
 *   I B N x y     one integer, one bool, one number, one i32, an i32x4; n: one integer that is not the constant 0
 *   = q ~ .       the previous operand's type; as many i32 as the first operand has components; as many as the result;
 *                 a component of the first operand; V: a vector
 *   p c P         a pointer; one to memory that can be written; one to a number in such memory
 *   * J G E e     the pointer's target type; the same, limited to one integer, one float, one number, numbers
 *   m w           a cooperative matrix, a cooperative vector
 *   k T S W       written as a constant: a C number, a C bool, subgroup scope, work-group scope; z, j: a C number that
 *                 is a scope, memory semantics
 *   l ? o R       a literal word; one omitted if 0; a value omitted if 0; the group operation Reduce
 *   a A           alignment in bytes as memory operands (0: that of the type); the same with the Volatile bit
 *   t M C L       no operand word but the result type; a cooperative matrix result type; a cooperative vector result
 *                 type; a cooperative matrix type as an operand
 * Result types: = that of the first operand, * the pointer's target, t the given type, b bools like the first operand,
 * s and h f32 and i16 like it, . its scalar, r its scalar (a scalar operand is returned as is), x i32, y i32x4, g the
 * pointer as one to generic storage, - none. Suffixes: # folds constants; 0 or 1 is the neutral second operand, + also
 * as the first. Conversions are from:to, with u or s if constants are folded, zero- or sign-extended. */
#define SPE_INSTRUCTIONS_(A, AB, TO, GIVES, DOES)                                                                      \
    /* Arithmetic. sdiv and srem round toward zero; smod has the divisor's sign, frem the dividend's. An fadd or fsub  \
     * of an fmul may be contracted into one rounding, see spe_contract. */                                            \
    AB(spe_iadd, IAdd, "i=:=#0+") AB(spe_isub, ISub, "i=:=#0") AB(spe_imul, IMul, "i=:=#1+")                           \
    AB(spe_udiv, UDiv, "i=:=#1") AB(spe_sdiv, SDiv, "i=:=#1") AB(spe_umod, UMod, "g=:=#") AB(spe_srem, SRem, "g=:=#")  \
    AB(spe_smod, SMod, "g=:=#") AB(spe_fadd, FAdd, "f=:=") AB(spe_fsub, FSub, "f=:=") AB(spe_fmul, FMul, "f=:=")       \
    AB(spe_fdiv, FDiv, "f=:=") AB(spe_frem, FRem, "r=:=") AB(spe_fmod, FMod, "r=:=") A(spe_ineg, SNegate, "i:=#")      \
    A(spe_fneg, FNegate, "f:=") AB(spe_and, BitwiseAnd, "g=:=#") AB(spe_or, BitwiseOr, "g=:=#0+")                      \
    AB(spe_xor, BitwiseXor, "g=:=#0+") AB(spe_shl, ShiftLeftLogical, "g=:=#0") AB(spe_shr, ShiftRightLogical, "g=:=#0")\
    AB(spe_sar, ShiftRightArithmetic, "g=:=#0") A(spe_not, Not, "g:=#") A(spe_bit_count, BitCount, "g:=")              \
    A(spe_bit_reverse, BitReverse, "g:=") AB(spe_land, LogicalAnd, "b=:=") AB(spe_lor, LogicalOr, "b=:=")              \
    AB(spe_leq, LogicalEqual, "b=:=") AB(spe_lne, LogicalNotEqual, "b=:=") A(spe_lnot, LogicalNot, "b:=#")             \
    /* Comparisons give a bool or vector of bools. With a NaN, f.. (ordered) give false, fu.. (unordered) true. */     \
    AB(spe_ieq, IEqual, "i=:b#") AB(spe_ine, INotEqual, "i=:b#") AB(spe_ult, ULessThan, "i=:b#")                       \
    AB(spe_ule, ULessThanEqual, "i=:b#") AB(spe_ugt, UGreaterThan, "i=:b#") AB(spe_uge, UGreaterThanEqual, "i=:b#")    \
    AB(spe_slt, SLessThan, "i=:b#") AB(spe_sle, SLessThanEqual, "i=:b#") AB(spe_sgt, SGreaterThan, "i=:b#")            \
    AB(spe_sge, SGreaterThanEqual, "i=:b#") AB(spe_feq, FOrdEqual, "f=:b") AB(spe_fne, FOrdNotEqual, "f=:b")           \
    AB(spe_flt, FOrdLessThan, "f=:b") AB(spe_fle, FOrdLessThanEqual, "f=:b") AB(spe_fgt, FOrdGreaterThan, "f=:b")      \
    AB(spe_fge, FOrdGreaterThanEqual, "f=:b") AB(spe_fueq, FUnordEqual, "f=:b") AB(spe_fune, FUnordNotEqual, "f=:b")   \
    AB(spe_fult, FUnordLessThan, "f=:b") AB(spe_fule, FUnordLessThanEqual, "f=:b")                                     \
    AB(spe_fugt, FUnordGreaterThan, "f=:b") AB(spe_fuge, FUnordGreaterThanEqual, "f=:b") A(spe_isnan, IsNan, "f:b")    \
    A(spe_isinf, IsInf, "f:b") A(spe_any, Any, "b:r") A(spe_all, All, "b:r")                                           \
    /* Replaces `count` bits from bit `offset` of base by the low bits of v. */                                        \
    GIVES(spe_bits_insert, BitFieldInsert, "g=II:=", base, v, offset, count)                                           \
    /* Conversions, component by component: integers to wider or narrower ones, zero-extended (u) or sign-extended (s);\
     * floats to floats; floats to integers (toward zero) and back. Converting to the same type returns the value. */  \
    TO(spe_uconvert, UConvert, "i:iu") TO(spe_sconvert, SConvert, "i:is") TO(spe_fconvert, FConvert, "f:f")            \
    TO(spe_f_to_u, ConvertFToU, "f:i") TO(spe_f_to_s, ConvertFToS, "f:i") TO(spe_u_to_f, ConvertUToF, "i:f")           \
    TO(spe_s_to_f, ConvertSToF, "i:f") TO(spe_ptr_to_u, ConvertPtrToU, "p:i") TO(spe_u_to_ptr, ConvertUToPtr, "i:p")   \
    /* bfloat16 in 16-bit integers to f32 and (to nearest even) back: SPV_INTEL_bfloat16_conversion; f32               \
     * rounded to the 10-bit mantissa of tf32, still f32: SPV_INTEL_tensor_float32_conversion. */                      \
    A(spe_bf16_to_f32, ConvertBF16ToFINTEL, "h:s") A(spe_f32_to_bf16, ConvertFToBF16INTEL, "s:h")                      \
    A(spe_round_tf32, RoundFToTF32INTEL, "s:s")                                                                        \
    /* Another id for a value, so that it can be decorated separately. The same address in generic storage. */         \
    A(spe_copy, CopyObject, "v:=") A(spe_ptr_to_generic, PtrCastToGeneric, "p:g")                                      \
    /* Memory at ptr. align: bytes, a power of two; 0: the alignment OpenCL gives the type. */                         \
    GIVES(spe_load, Load, "pa:*", ptr, align) GIVES(spe_load_volatile, Load, "pA:*", ptr, align)                       \
    DOES(spe_store, Store, "c*a:-", ptr, v, align) DOES(spe_store_volatile, Store, "c*A:-", ptr, v, align)             \
    /* Access only if `condition` holds; else a load gives `otherwise` (SPV_INTEL_predicated_io). */                   \
    GIVES(spe_load_if, PredicatedLoadINTEL, "pBea:*", ptr, condition, otherwise, align)                                \
    DOES(spe_store_if, PredicatedStoreINTEL, "ceBa:-", ptr, v, condition, align)                                       \
    /* ptr + i elements; i is a signed integer. */                                                                     \
    GIVES(spe_index, InBoundsPtrAccessChain, "pI:=0", ptr, i)                                                          \
    /* Copies `size` bytes (an integer value); the ranges must not overlap. */                                         \
    DOES(spe_copy_memory_sized, CopyMemorySized, "cpna:-", to, from, size, align)                                      \
    /* Prefetches `bytes` from a uniform pointer (SPV_INTEL_subgroup_buffer_prefetch). */                              \
    DOES(spe_sg_prefetch, SubgroupBlockPrefetchINTEL, "pI:-", ptr, bytes)                                              \
    /* Subgroups: the value of the lane with a given number (an i32, may vary by lane); of lane number ^ mask; of the  \
     * lane that many below (up) or above (down), undefined if there is none; of the lowest active lane. */            \
    AB(spe_sg_shuffle, GroupNonUniformShuffle, "SuI:=") AB(spe_sg_shuffle_xor, GroupNonUniformShuffleXor, "SuI:=")     \
    AB(spe_sg_shuffle_up, GroupNonUniformShuffleUp, "SuI:=")                                                           \
    AB(spe_sg_shuffle_down, GroupNonUniformShuffleDown, "SuI:=")                                                       \
    A(spe_sg_broadcast_first, GroupNonUniformBroadcastFirst, "Su:=")                                                   \
    /* A ballot is an i32x4 with a bit per lane: set if the lane's bool is true. And the number of set bits. */        \
    A(spe_sg_ballot, GroupNonUniformBallot, "SB:y")                                                                    \
    A(spe_sg_ballot_count, GroupNonUniformBallotBitCount, "SRy:x")                                                     \
    A(spe_sg_all, GroupNonUniformAll, "SB:=") A(spe_sg_any, GroupNonUniformAny, "SB:=")                                \
    /* Work-groups. broadcast: the value at a local id, an integer or a vector of 2 or 3 integers. */                  \
    A(spe_wg_all, GroupAll, "WB:=") A(spe_wg_any, GroupAny, "WB:=") AB(spe_wg_broadcast, GroupBroadcast, "Wui:=")      \
    /* A control barrier: execution and memory scope, SPE_MemorySemantics... bits. A memory barrier does not wait. */  \
    DOES(spe_control_barrier, ControlBarrier, "zzj:-", execution, memory, semantics)                                   \
    DOES(spe_memory_barrier, MemoryBarrier, "zj:-", scope, semantics)                                                  \
    /* Atomics of one number. scope: SPE_ScopeDevice ...; semantics: SPE_MemorySemantics... bits. */                   \
    GIVES(spe_atomic_load, AtomicLoad, "Pzj:*", ptr, scope, semantics)                                                 \
    /* a * b + c on a subgroup; k_dim is the product's K (16 for f16 and bf16, 32 for 8-bit integers and floats, 64    \
     * for e2m1, 8 for tf32), operands: SPE_MatrixMultiplyAccumulateOperands... bits. The same with scales for each    \
     * 32 values of k: bytes of e8m0, of row r of a in lane r, of a column of b in its lane; two where K is 64. */     \
    GIVES(spe_dpas, SubgroupMatrixMultiplyAccumulateINTEL, "tkvv~?:t", type, k_dim, a, b, c, operands)                 \
    GIVES(spe_dpas_scaled, SubgroupScaledMatrixMultiplyAccumulateINTEL, "tkvv~vv?:t", type, k_dim, a, b, c, scale_a,   \
          scale_b, operands)                                                                                           \
    /* Cooperative matrices (SPV_KHR_cooperative_matrix) at ptr; layout: SPE_CooperativeMatrixLayout...; stride:       \
     * elements from row to row (or column to column). In Vulkan, ptr and stride are aligned to 16 bytes, or to a      \
     * row's (column's) bytes if these are fewer. coop_length: components per invocation of a type, an i32. */         \
    GIVES(spe_coop_load, CooperativeMatrixLoadKHR, "MpkI:t", type, ptr, layout, stride)                                \
    DOES(spe_coop_store, CooperativeMatrixStoreKHR, "cmkI:-", ptr, v, layout, stride)                                  \
    A(spe_coop_length, CooperativeMatrixLengthKHR, "L:x")                                                              \
    /* Cooperative vectors (SPV_NV_cooperative_vector): the bare instructions; devices differ in which they support.   \
     * ptr points to an array or scalar, offset is an i32 in bytes. The last adds v to a vector, atomically            \
     * (CooperativeVectorTrainingNV). */                                                                               \
    GIVES(spe_coopvec_load, CooperativeVectorLoadNV, "CpI:t", type, ptr, offset)                                       \
    DOES(spe_coopvec_store, CooperativeVectorStoreNV, "cIw:-", ptr, offset, v)                                         \
    DOES(spe_coopvec_sum_accumulate, CooperativeVectorReduceSumAccumulateNV, "cIw:-", ptr, offset, v)

#if defined(SPE_CHECK_IDS)
#define SPE_WORD_(i, name) SPE_WORD_OF_##name name
#define SPE_WORD_OF_a spe_id
#define SPE_WORD_OF_b spe_id
#define SPE_WORD_OF_c spe_id
#define SPE_WORD_OF_i spe_id
#define SPE_WORD_OF_v spe_id
#define SPE_WORD_OF_base spe_id
#define SPE_WORD_OF_bytes spe_id
#define SPE_WORD_OF_condition spe_id
#define SPE_WORD_OF_count spe_id
#define SPE_WORD_OF_from spe_id
#define SPE_WORD_OF_offset spe_id
#define SPE_WORD_OF_otherwise spe_id
#define SPE_WORD_OF_ptr spe_id
#define SPE_WORD_OF_scale_a spe_id
#define SPE_WORD_OF_scale_b spe_id
#define SPE_WORD_OF_size spe_id
#define SPE_WORD_OF_stride spe_id
#define SPE_WORD_OF_to spe_id
#define SPE_WORD_OF_type spe_id
#define SPE_WORD_OF_align uint32_t
#define SPE_WORD_OF_execution uint32_t
#define SPE_WORD_OF_k_dim uint32_t
#define SPE_WORD_OF_layout uint32_t
#define SPE_WORD_OF_matrix_type uint32_t
#define SPE_WORD_OF_memory uint32_t
#define SPE_WORD_OF_operands uint32_t
#define SPE_WORD_OF_scope uint32_t
#define SPE_WORD_OF_semantics uint32_t
#else
#define SPE_WORD_(i, name) uint32_t name
#endif
#define SPE_WORDS_(...) SPE_EACH(SPE_WORD_, SPE_COMMA, __VA_ARGS__)
#define SPE_DECLARE_A_(name, op, form) XETILE_API spe_id name(spe_module *m, spe_id a);
#define SPE_DECLARE_AB_(name, op, form) XETILE_API spe_id name(spe_module *m, spe_id a, spe_id b);
#define SPE_DECLARE_TO_(name, op, form) XETILE_API spe_id name(spe_module *m, spe_id type, spe_id v);
#define SPE_DECLARE_GIVES_(name, op, form, ...) XETILE_API spe_id name(spe_module *m, SPE_WORDS_(__VA_ARGS__));
#define SPE_DECLARE_DOES_(name, op, form, ...) XETILE_API void name(spe_module *m, SPE_WORDS_(__VA_ARGS__));
SPE_INSTRUCTIONS_(SPE_DECLARE_A_, SPE_DECLARE_AB_, SPE_DECLARE_TO_, SPE_DECLARE_GIVES_, SPE_DECLARE_DOES_)

/* The integer or the float instruction, depending on the operands. */
XETILE_API spe_binary_ spe_add, spe_sub, spe_mul, spe_div_s, spe_div_u;
XETILE_API spe_unary_ spe_neg;
/* Dot product of two float vectors (bf16 too: capability BFloat16DotProductKHR). */
XETILE_API spe_binary_ spe_dot;
/* The sum of the products of the four bytes of a and those of b, both i32, each with or without sign: an i32
 * (SPV_KHR_integer_dot_product, packed). Where only one has signs, it is the first operand of the instruction. */
XETILE_API spe_id spe_dot_bytes(spe_module *m, spe_id a, bool a_signed, spe_id b, bool b_signed);
/* c ? a : b. c is a bool, also for vectors (repeated, as SPIR-V before 1.4 requires), or a vector of as many bools. */
XETILE_API spe_id spe_select(spe_module *m, spe_id c, spe_id a, spe_id b);
/* `count` bits from bit `offset` (both i32), sign- or zero-extended. */
XETILE_API spe_id spe_bits_extract(spe_module *m, spe_id v, spe_id offset, spe_id count, bool is_signed);

/* Converts a scalar or vector to `type`; numbers keep their value where it fits. is_signed says how the integer is
 * read. A bool becomes 0 or 1; converted to a bool, a number is compared with 0 (not equal: true). */
XETILE_API spe_id spe_cast(spe_module *m, spe_id type, spe_id v, bool is_signed);
/* The same with a rounding mode, between floats and from or to integers, and saturation of integers: NaN becomes 0.
 * Vulkan: other roundings than to nearest are written out (not from integers of 64 bits). */
typedef struct spe_conversion {
    bool from_signed, to_signed; /* of integers */
    bool saturate, rounded;
    uint32_t rounding; /* SPE_FPRoundingMode..., if `rounded`; else to nearest between floats, to integers towards 0 */
} spe_conversion;
XETILE_API spe_id spe_cast_as(spe_module *m, spe_id type, spe_id v, const spe_conversion *c);
/* spe_fconvert to an e4m3 or e5m2 type, clamped to the largest finite value; the same bits as another type of the same
 * size, pointers as pointers of the same storage class. */
XETILE_API spe_id spe_fconvert_saturating(spe_module *m, spe_id type, spe_id v);
XETILE_API spe_id spe_bitcast(spe_module *m, spe_id type, spe_id v);
/* The same address as a pointer to `elem` in the same storage class. */
XETILE_API spe_id spe_ptr_cast(spe_module *m, spe_id ptr, spe_id elem);

/* Part i of a vector, array or struct (part 0 of a scalar is the scalar); the composite with part i replaced. The _dyn
 * ones take a vector, and an index that is known only when the kernel runs. */
XETILE_API spe_id spe_extract(spe_module *m, spe_id v, uint32_t i);
XETILE_API spe_id spe_insert(spe_module *m, spe_id composite, spe_id v, uint32_t i);
XETILE_API spe_id spe_extract_dyn(spe_module *m, spe_id v, spe_id i);
XETILE_API spe_id spe_insert_dyn(spe_module *m, spe_id v, spe_id scalar, spe_id i);
/* A composite of its n parts (constants give a constant); a scalar repeated in every component of a vector, cooperative
 * matrix or cooperative vector type (for a scalar type: the scalar itself). */
XETILE_API spe_id spe_construct(spe_module *m, spe_id type, uint32_t n, const spe_id *parts);
XETILE_API spe_id spe_splat(spe_module *m, spe_id type, spe_id scalar);
/* n components picked from the concatenation of a and b (vectors of one component type); idx counts through a, then b;
 * 0xffffffff leaves a component undefined. n == 1 returns a scalar. */
XETILE_API spe_id spe_shuffle(spe_module *m, spe_id a, spe_id b, uint32_t n, const uint32_t *idx);

/* A pointer to a part of the array, struct or vector that ptr points to: n indices, integer values (constants for a
 * struct). */
XETILE_API spe_id spe_element(spe_module *m, spe_id ptr, uint32_t n, const spe_id *idx);
/* A pointer to a new variable: private to the invocation (declared at the start of the function); in the work-group's
 * local memory, initially undefined; of the module, with a constant initializer of its type or 0 for none. */
XETILE_API spe_unary_ spe_local_var, spe_shared_var;
/* Only for Vulkan: a pointer to an array in local memory of `count` vectors of four i32, made before all variables of
 * spe_shared_var; stores v in the one with this index; loads a cooperative matrix that begins at it, whose rows (or
 * columns, see spe_coop_load) are `stride` vectors apart. Devices move 16 bytes at once only where they see that these
 * are aligned. */
XETILE_API spe_id spe_shared_vectors(spe_module *m, uint32_t count);
XETILE_API void spe_vectors_store(spe_module *m, spe_id vectors, spe_id index, spe_id v);
XETILE_API spe_id spe_vectors_coop_load(spe_module *m, spe_id type, spe_id vectors, spe_id index, uint32_t layout,
                                        spe_id stride);
XETILE_API spe_id spe_global_var(spe_module *m, uint32_t storage, spe_id type, spe_id initializer);

/* Cache control of a pointer's loads or stores (SPV_INTEL_cache_controls): level 0 is the nearest cache; control is
 * SPE_LoadCacheControl... or SPE_StoreCacheControl.... This decorates the pointer's id: make one for it (spe_copy). */
typedef void spe_cache_fn_(spe_module *m, spe_id ptr, uint32_t level, uint32_t control);
XETILE_API spe_cache_fn_ spe_cache_load, spe_cache_store;
XETILE_API void spe_prefetch(spe_module *m, spe_id ptr, spe_id n); /* a pointer per lane (OpenCL.std prefetch) */

/* Images. The type of texels is an i32x4, f32x4 or f16x4, whatever the image's format is; integers take the format's
 * sign. coord has a component for each dimension and one for the number in an array: i32 texels from 0; for
 * spe_image_sample, whose image is ReadOnly and no Buffer, also f32. lod: the level of detail, an f32; 0: the first.
 * The size has the components of coord, as i32. */
XETILE_API spe_id spe_image_read(spe_module *m, spe_id type, spe_id image, spe_id coord);
XETILE_API void spe_image_write(spe_module *m, spe_id image, spe_id coord, spe_id texel);
XETILE_API spe_id spe_image_sample(spe_module *m, spe_id type, spe_id image, spe_id sampler, spe_id coord, spe_id lod);
XETILE_API spe_id spe_image_size(spe_module *m, spe_id image);

/* A pointer to the first of the text's bytes in constant memory, an i8; the last is 0. Equal texts are stored once. */
XETILE_API spe_id spe_string(spe_module *m, const char *text);
/* OpenCL's printf; returns 0 as an i32 if the device printed. A conversion in the format is a %, flags, a width, a
 * point and a precision, for a vector a v and its number of components, a length, and a letter: d i o u x X c for
 * integers, a A e E f F g G for floats, s for spe_string, p for pointers. Lengths: l 64 bits; hh 8, h 16, hl 32 (of
 * vectors). Scalars of less than 32 bits are extended. The arguments are checked against the format. */
XETILE_API spe_id spe_printf(spe_module *m, const char *format, uint32_t n, const spe_id *args);

/* ---- Intel's compiler --------------------------------------------------------------------------------------------
 *
 * What a kernel needs where Intel's compiler (IGC 2.40) is wrong and the pattern cannot be recognised here. These do
 * nothing in a module that is written verbatim.
 */

/* The number or vector v, as a value that the compiler does not know. It needs that in two places:
 * - Of an element of a vector, it may take the whole vector where the element stands for itself several times, or
 *   beside others in another order.
 * - It moves broadcasts of one value in several blocks to the block above them, and may put them before the value
 *   there. Therefore in each block this is another value.
 * Costs an instruction for each component. Operations of the other headers that move components call it. */
XETILE_API spe_id spe_reload(spe_module *m, spe_id v);

/* v, which the compiler takes to differ by lane: if it knows that all lanes have the same, its code is wrong for
 * shuffles, for vectors of f32 that become f16, and for dpas that adds to v. An instruction for each component. */
XETILE_API spe_id spe_differ_by_lane(spe_module *m, spe_id v);

/* Makes n values different from each other for the compiler, and from those with other numbers (first, first + 1, ...).
 * Constants stay as they are. It needs that in three places:
 * - If loops carry equal values, such as the parts of a matrix of equal rows, it may exchange them, or copy them in
 *   each iteration. XT_FOR and XT_WHILE call this; a kernel calls it before spe_for and spe_while.
 * - The same happens if variables exchange their values in a loop: at the end of its body, and of a side of a branch
 *   there, this is called for those that do.
 * - If a loop reads one surface at one position on several sides of branches, it sets the position on one side only. In
 *   XT_IF, addresses of block messages differ; a kernel makes them differ in its spe_if inside loops. */
XETILE_API void spe_differ(spe_module *m, uint32_t first, uint32_t n, spe_id *v);

/* The compiler may copy a 2D block message into both sides of a branch before it, where each side has only some of the
 * lanes. A subgroup barrier before the message keeps it in place, and costs no instruction. spe_diverged tells that
 * lanes took different sides of a branch; spe_reconverge writes the barrier if they did. Loads, stores and visits of
 * coopmatrix.h call both. A kernel calls spe_diverged after such branches of its own, and spe_reconverge before 2D
 * block messages of its own and at the end of the body of a loop that contains such a branch. */
XETILE_API void spe_diverged(spe_module *m), spe_reconverge(spe_module *m);

/* ---- Functions, kernels, the prologue -------------------------------------------------------------------------- */

typedef struct {
    spe_id type;
    const char *name; /* may be NULL */
    bool restrict_;   /* nothing else in the kernel aliases the pointer */
    bool readonly;    /* the kernel does not write through the pointer */
    uint32_t align;   /* of the pointer's target, in bytes; 0: not stated */
} spe_param;

/* May the device's compiler contract spe_fmul and an spe_fadd or spe_fsub of its result into one operation that rounds
 * once? OpenCL allows it by default. Which products it takes differs between compilers, and so do the last bits of
 * results. OFF, execution mode ContractionOff: each is rounded on its own, in the kernel and in what it calls. SPE_FMA
 * of spe_math rounds once either way. */
typedef enum { SPE_CONTRACT_ALLOWED, SPE_CONTRACT_OFF } spe_contract;

typedef struct {
    const char *name;
    uint32_t subgroup_size; /* 0: the device chooses */
    uint32_t local_size[3]; /* [0] == 0: not stated; else 0 in y and z is 1 */
    uint32_t max_registers; /* per hardware thread; 0: not stated */
    const spe_param *params;
    uint32_t param_count;
    spe_contract contract;  /* of a * b + c; 0: the device's compiler may */
} spe_kernel;

/* Returns false and sets an error: SPE_ERR_NAME, SPE_ERR_PARAMETER, SPE_ERR_FUNCTION_OPEN. */
XETILE_API bool spe_kernel_begin(spe_module *m, const spe_kernel *k);
XETILE_API spe_does_ spe_kernel_end;
/* fn: a kernel; 0: the open one. */
XETILE_API void spe_execution_mode(spe_module *m, spe_id fn, uint32_t mode, uint32_t n, const uint32_t *words);

/* A function that kernels and functions of this module can call with spe_call, which returns 0 for a void function (not
 * an error). spe_export makes it visible to other modules by name (capability Linkage). */
XETILE_API spe_id spe_function_begin(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params);
XETILE_API spe_does_ spe_function_end;
/* A function that can be called before it has a body, which spe_function_define opens, as spe_function_begin does, and
 * spe_function_end closes. Calls may not lead in a circle: OpenCL has no recursion. */
XETILE_API spe_id spe_function_declare(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params);
XETILE_API void spe_function_define(spe_module *m, spe_id fn);
/* A function of another module, which exports it by this name (capability Linkage); the host links both:
 * zeModuleDynamicLink. */
XETILE_API spe_id spe_function_import(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params);
/* Names the first n parameters of the open function; NULL in the list: no name. */
XETILE_API void spe_param_names(spe_module *m, uint32_t n, const char *const *names);
/* Hints for the open function: SPE_FunctionControlInline or ...DontInline, ...Pure, ...Const; the last call counts. */
XETILE_API void spe_function_control(spe_module *m, uint32_t control);
XETILE_API void spe_export(spe_module *m, spe_id fn, const char *name);
XETILE_API spe_id spe_call(spe_module *m, spe_id fn, uint32_t n, const spe_id *args);

XETILE_API spe_id spe_param_id(spe_module *m, uint32_t i); /* parameter i of the open function */
/* Returns from the function, inside any region. Code after it is unreachable, which is allowed. */
XETILE_API spe_does_ spe_return;
XETILE_API void spe_return_value(spe_module *m, spe_id v);
/* Between these two, instructions go to the end of the function's prologue, at the start of its entry block. Operands
 * must be constants, parameters, or values of the prologue. */
XETILE_API spe_does_ spe_prologue_begin, spe_prologue_end;
/* A built-in of the invocation as an i32 (64-bit ids and sizes are truncated), loaded once per function, in its
 * prologue. dim: 0, 1, 2 for ids and sizes; 0 for subgroup and linear ones. */
XETILE_API spe_id spe_builtin(spe_module *m, spe_builtin_name which, uint32_t dim);
/* Values that depend only on the lane, computed once in a function, before its body: a condition that holds in lane p
 * if bit p of the mask is set; a u32 that is table[p] in lane p, each less than `lanes`, those of a subgroup: at most
 * 64. */
XETILE_API spe_id spe_lane_bit(spe_module *m, uint64_t mask, int lanes);
XETILE_API spe_id spe_lane_number(spe_module *m, const unsigned char *table, int lanes);

/* ---- Structured control flow --------------------------------------------------------------------------------------
 *
 * Regions are opened and closed; between the calls lie their sides or their body. Values leave only through the arrays
 * that the calls take and fill. Regions nest but cannot cross, and none may be open when the function ends. A side that
 * ends in spe_return, spe_break or spe_continue has no values to pass on: those given for it are ignored, whatever they
 * are (0, other types, another number). Where no side arrives, what comes out is undefined, of the types given.
 */

/* n values leave the first side at spe_else and the second at spe_endif, which writes the phis to out (may be values).
 * Without spe_else, n is 0; or spe_endif_from: out[i] is then_values[i] if the condition held, else
 * otherwise_values[i]. */
XETILE_API void spe_if(spe_module *m, spe_id condition); /* one bool */
XETILE_API void spe_else(spe_module *m, uint32_t n, const spe_id *then_values);
XETILE_API void spe_endif(spe_module *m, uint32_t n, const spe_id *values, spe_id *out);
XETILE_API void spe_endif_from(spe_module *m, uint32_t n, const spe_id *then_values, const spe_id *otherwise_values,
                               spe_id *out);

/* for (i = lo; i < hi; i += step), signed, all of one integer type; i > hi if the step is a negative constant. Returns
 * i. spe_for replaces the n values in carried by those of the current iteration; spe_endfor takes the next iteration's
 * and replaces them by those after the loop. i + step must not overflow: near the end of the type, use spe_for_range.
 */
XETILE_API spe_id spe_for(spe_module *m, spe_id lo, spe_id hi, spe_id step, uint32_t n, spe_id *carried);
XETILE_API void spe_endfor(spe_module *m, uint32_t n, spe_id *carried);

/* The same with ends that are exact for any lo, hi and step of any integer type, read as signed or unsigned: i takes
 * the values lo, lo + step ... that are below hi (above, if signed and the step is a negative constant), and the loop
 * ends even where the next one does not fit in the type. A step that is not a constant is read as unsigned. */
XETILE_API spe_id spe_for_range(spe_module *m, spe_id lo, spe_id hi, spe_id step, bool is_signed, uint32_t n,
                                spe_id *carried);

/* Leaves the innermost loop from anywhere within it, also from a switch, or continues with its next iteration; the
 * values are those after the loop, or those of the next iteration. Code after it is unreachable, which is allowed. */
XETILE_API void spe_break(spe_module *m, uint32_t n, const spe_id *values);
XETILE_API void spe_continue(spe_module *m, uint32_t n, const spe_id *values);

/* A hint for the next loop that is opened, one call for each: SPE_LoopControlUnroll, DontUnroll, DependencyInfinite
 * (iterations are independent), with value 0; DependencyLength, and from SPIR-V 1.4 MinIterations, MaxIterations,
 * IterationMultiple, PeelCount, PartialCount with theirs. */
XETILE_API void spe_loop_hint(spe_module *m, uint32_t control, uint32_t value);

/* The condition is computed in each iteration from the carried values: spe_while, the condition, spe_while_test
 * (continues if it is true), the body, spe_endwhile. */
XETILE_API void spe_while(spe_module *m, uint32_t n, spe_id *carried);
XETILE_API void spe_while_test(spe_module *m, spe_id condition);
XETILE_API void spe_endwhile(spe_module *m, uint32_t n, spe_id *carried);

/* Opens a switch on an integer: n distinct literals. Then, for each of them in any order, spe_case(i) .. spe_endcase,
 * and spe_default .. spe_endcase (optional if no values are carried); then spe_endswitch. Cases do not fall through. */
XETILE_API void spe_switch(spe_module *m, spe_id selector, uint32_t n, const int64_t *literals);
XETILE_API void spe_case(spe_module *m, uint32_t i); /* opens the side of literals[i] */
XETILE_API void spe_default(spe_module *m);          /* opens the side of all other values */
XETILE_API void spe_endcase(spe_module *m, uint32_t n, const spe_id *values); /* n values leave the open side */
XETILE_API void spe_endswitch(spe_module *m, uint32_t n, spe_id *out);        /* out gets the phis */

/* ---- Math functions, groups, barriers, atomics ----------------------------------------------------------------- */

/* An OpenCL.std function by number, for those that spe_math lacks; checked are only the number of
 * operands, that they are values, and that there is such a function. type may be spe_void. */
XETILE_API spe_id spe_ext(spe_module *m, spe_id type, uint32_t number, uint32_t n, const spe_id *args);
/* A function of OpenCL.std on values of one type (LDEXP, POWN, ROOTN: an i32 second): SPE_EXP, SPE_FMA, SPE_SMIN ...
 * The result has the first argument's type. */
XETILE_API spe_id spe_math(spe_module *m, spe_math_op f, uint32_t n, const spe_id *args);
XETILE_API spe_id spe_math1(spe_module *m, spe_math_op f, spe_id a);
XETILE_API spe_id spe_math2(spe_module *m, spe_math_op f, spe_id a, spe_id b);
XETILE_API spe_id spe_math3(spe_module *m, spe_math_op f, spe_id a, spe_id b, spe_id c);

typedef enum {
    SPE_RED_ADD, SPE_RED_MUL, SPE_RED_SMIN, SPE_RED_UMIN, SPE_RED_SMAX, SPE_RED_UMAX, SPE_RED_FMIN, SPE_RED_FMAX,
    SPE_RED_AND, SPE_RED_OR, SPE_RED_XOR, SPE_RED_COUNT_
} spe_reduction;

/* Over the subgroup, or over the work-group in uniform control flow. reduce: over all invocations; inclusive scan: up
 * to and including itself; exclusive: those before it. Clustered: within each `cluster` neighbouring lanes (power of
 * 2). */
typedef spe_id spe_reduce_fn_(spe_module *m, spe_reduction red, spe_id v);
XETILE_API spe_reduce_fn_ spe_sg_reduce, spe_sg_scan_inclusive, spe_sg_scan_exclusive;
XETILE_API spe_reduce_fn_ spe_wg_reduce, spe_wg_scan_inclusive, spe_wg_scan_exclusive;
XETILE_API spe_id spe_sg_reduce_clustered(spe_module *m, spe_reduction red, spe_id v, uint32_t cluster);

/* The value of one lane, which must be uniform: a broadcast if the lane is a constant, else a shuffle (broadcasts
 * before SPIR-V 1.5 require a constant). Before 1.3, the group broadcast. */
XETILE_API spe_id spe_sg_broadcast(spe_module *m, spe_id v, spe_id lane);
XETILE_API spe_nullary_ spe_sg_elect; /* true in the lowest active lane only */

/* Barriers over the work-group or the subgroup, after which each sees what the others wrote to local and global memory.
 * Arrive and wait split the first (SPV_INTEL_split_barrier): what precedes arriving is visible after waiting. */
XETILE_API spe_does_ spe_barrier, spe_sg_barrier, spe_barrier_arrive, spe_barrier_wait;

typedef enum {
    SPE_ATOMIC_IADD, SPE_ATOMIC_ISUB, SPE_ATOMIC_SMIN, SPE_ATOMIC_UMIN, SPE_ATOMIC_SMAX, SPE_ATOMIC_UMAX,
    SPE_ATOMIC_AND, SPE_ATOMIC_OR, SPE_ATOMIC_XOR, SPE_ATOMIC_EXCHANGE, SPE_ATOMIC_FADD, SPE_ATOMIC_FMIN,
    SPE_ATOMIC_FMAX, SPE_ATOMIC_COUNT_
} spe_atomic_op;

/* Atomically combines v with the scalar at ptr and returns the old value. FADD, FMIN and FMAX take f32, f64 and f16,
 * each by its extension. scope: SPE_ScopeDevice ...; semantics: SPE_MemorySemantics... bits, 0 for relaxed. */
XETILE_API spe_id spe_atomic(spe_module *m, spe_atomic_op op, spe_id ptr, spe_id v, uint32_t scope, uint32_t semantics);
/* Compare and swap on integers, returns the old value; an atomic store of one number. */
XETILE_API spe_id spe_atomic_cas(spe_module *m, spe_id ptr, spe_id expected, spe_id v, uint32_t scope,
                                 uint32_t semantics);
XETILE_API void spe_atomic_store(spe_module *m, spe_id ptr, spe_id v, uint32_t scope, uint32_t semantics);

/* ---- Matrix hardware ------------------------------------------------------------------------------------------- */

/* A block of a row-major matrix in memory, for the 2D block messages: `count` blocks side by side, each width x height
 * elements. ptr, mem_width, mem_height, pitch, pos_x and pos_y are uniform over the subgroup; mem_width and pitch are
 * bytes, mem_height rows, pos_x elements, pos_y rows; all i32 but ptr. Reads outside give 0, writes are dropped. */
typedef struct {
    uint32_t elem_bytes, width, height, count;
    spe_id ptr, mem_width, mem_height, pitch, pos_x, pos_y;
} spe_block2d;

/* Loads blocks into the variable (spe_local_var) at `private_ptr`: as they are; with neighbouring rows packed into 32
 * bits (transform: the B operand of spe_dpas); transposed. Stores blocks from there. Prefetches them; cache control
 * decorations on b->ptr choose the cache level. */
typedef void spe_block2d_fn_(spe_module *m, const spe_block2d *b, spe_id private_ptr);
XETILE_API spe_block2d_fn_ spe_block2d_load, spe_block2d_load_transform, spe_block2d_load_transpose, spe_block2d_store;
XETILE_API void spe_block2d_prefetch(spe_module *m, const spe_block2d *b);

/* Cooperative matrices: a (rows x k) * b (k x cols) + c, of c's type; operands: SPE_CooperativeMatrixOperands... */
XETILE_API spe_id spe_coop_mma(spe_module *m, spe_id a, spe_id b, spe_id c, uint32_t operands);

/* Cooperative vectors: matrix (rows x cols) * input [+ bias]. Interpretations are SPE_ComponentType..., layouts
 * SPE_CooperativeVectorMatrixLayout.... */
typedef struct {
    spe_id input;                                /* a cooperative vector */
    spe_id matrix, offset;                       /* pointer, and byte offset to the matrix */
    spe_id bias, bias_offset;                    /* bias 0: none */
    uint32_t input_type, matrix_type, bias_type; /* interpretations */
    uint32_t rows, cols, layout;
    bool transpose;
    spe_id stride;     /* bytes from row to row; 0: not given (the optimal layouts) */
    uint32_t operands; /* SPE_CooperativeMatrixOperands... bits */
} spe_coopvec_product;

/* Adds the outer product of cooperative vectors a and b, of one type of components, to a matrix, atomically
 * (CooperativeVectorTrainingNV); ptr and offset as in spe_coopvec_load; stride 0: omitted. */
XETILE_API void spe_coopvec_outer_accumulate(spe_module *m, spe_id ptr, spe_id offset, spe_id a, spe_id b,
                                             uint32_t layout, uint32_t matrix_type, spe_id stride);
/* The product as a cooperative vector of `type`, of p->rows components. */
XETILE_API spe_id spe_coopvec_mul(spe_module *m, spe_id type, const spe_coopvec_product *p);

/* ---- Numbers on the host: f16, bf16, tf32, E4M3, E5M2, E2M1, E8M0 -------------------------------------------------
 *
 * All round to nearest, ties to even, keep subnormals, and keep NaN with its sign. Above the largest finite value,
 * f16, bf16 and tf32 become infinity; the 8-bit types become their largest value if `saturate` is set (infinity
 * too), otherwise E5M2 becomes infinity and E4M3, which has none, NaN. The program's rounding mode and flushing of
 * subnormals, and compilation with -ffast-math, change no result.
 */

XETILE_API uint16_t spe_f32_to_f16_bits(float v), spe_f32_to_bf16_bits(float v);
XETILE_API uint8_t spe_f32_to_e4m3_bits(float v, bool saturate), spe_f32_to_e5m2_bits(float v, bool saturate);
XETILE_API float spe_f16_bits_to_f32(uint16_t bits), spe_bf16_bits_to_f32(uint16_t bits), spe_f32_to_tf32(float v);
XETILE_API float spe_e4m3_bits_to_f32(uint8_t bits), spe_e5m2_bits_to_f32(uint8_t bits);

/* The other two types of OCP's Microscaling Formats (MX) 1.0. E2M1, the low four bits of a byte: 0, 0.5, 1, 1.5, 2, 3,
 * 4, 6, and negative; it has neither infinity nor NaN, so that larger numbers, infinity and NaN become 6 with their
 * sign. E8M0, a scale: 2^(bits - 127), or NaN. It has neither sign nor 0: less than 2^-127, and 0, becomes that;
 * more than 2^127, and infinity, 2^127; NaN and negative numbers become NaN. */
enum { SPE_E8M0_NAN = 0xff };
XETILE_API uint8_t spe_f32_to_e2m1_bits(float v), spe_f32_to_e8m0_bits(float v);
XETILE_API float spe_e2m1_bits_to_f32(uint8_t bits), spe_e8m0_bits_to_f32(uint8_t bits);

/* A double as a float type of this encoding and width in bits (IEEE: 16, 19 for tf32, 32, 64), and back, which is exact
 * (0 if there is no such type). Does it fit: would a finite number not overflow? */
XETILE_API uint64_t spe_real_bits(spe_encoding encoding, uint32_t width, double v, bool saturate);
XETILE_API double spe_real_of_bits(spe_encoding encoding, uint32_t width, uint64_t bits);
XETILE_API bool spe_real_fits(spe_encoding encoding, uint32_t width, double v);
/* An f32 as a double, exactly: C's conversion gives 0 for a subnormal where a program flushes those. */
XETILE_API double spe_real_of_f32(float v);
/* Cuts off the fraction. True if there was none, and *integer equals v. Otherwise, from 2^63 on *integer has the bits
 * of an unsigned integer, and numbers that fit neither become the nearest that does; NaN becomes INT64_MIN. */
XETILE_API bool spe_real_to_int(double v, int64_t *integer);

/* A number in decimal: printf's %.*g (form 'g') or %.*e ('e') of at most 17 digits, with a point in every locale. For
 * people: the last digit is rounded in the program's mode. */
typedef struct {
    char s[40];
} spe_decimal;
XETILE_API spe_decimal spe_decimal_of(double v, char form, int digits);

/* ==== the kernel part: kernels written as C functions ==============================================================
 *
 * For headers whose users write kernels as C functions, with macros: parameters, numbers, regions, errors at the user's
 * line, building. xetile.h and coopvec.h both build on it; so can a header of yours.
 */

/* The device a kernel is built for. */
typedef struct {
    const char *name;        /* a row of the target table of the header above */
    uint32_t subgroup_sizes; /* bit mask (8 | 16 | 32 | 64); 0, here and below: the row's value */
    uint32_t local_memory, max_group_size;
    /* What the device lists of VK_NV_cooperative_vector; 0: nothing. A product's row: the SPE_ComponentType... of the
     * input, of its interpretation, the matrix, the bias and the result, and 1 where the matrix may be transposed. */
    const uint32_t (*vector_products)[6];
    uint32_t vector_product_count;
    uint32_t vector_sums; /* which floats are accumulated: 1, those of 16 bits; 2, of 32 bits; 3, both */
    uint32_t max_vector;  /* components */
} spe_device;

/* The result of a build. */
typedef struct {
    const uint32_t *words; /* NULL when the build failed */
    size_t size;           /* in bytes */
    const char *kernel, *params;
    uint32_t local_size[3], subgroup_size, subgroups;
    uint32_t local_memory; /* bytes per work-group */
    const char *build_flags;
    const spe_error *error;   /* never NULL; id 0: no error */
    const spe_error *warning; /* the kernel was built but will be slow; likewise */
    spe_module *owner_;       /* the first member of the build's context */
} spe_built;

/* -- errors at the user's line */

/* A line of the user's source. */
typedef struct {
    const char *file;
    int line;
} spe_line;

/* The errors of a kernel language, by id from `first` on, and the ids this part reports. */
typedef struct {
    const char *name, *text;
} spe_error_row;
typedef struct {
    const char *unknown; /* the text for any other id */
    const spe_error_row *rows;
    int first, count;
    int parameter_text, target, subgroup_size, unclosed;
    spe_error no_memory;
} spe_reporter;

/* The initializer of the reporter of a header whose errors are the enumerators XT_ERROR_..., from these rows. */
#define SPE_REPORTER(XT, header, rows)                                                                                 \
    {"not an error of " header, rows, XT##_ERROR_FIRST_ + 1, sizeof rows / sizeof rows[0], XT##_ERROR_PARAMETER_TEXT,  \
     XT##_ERROR_TARGET, XT##_ERROR_SUBGROUP_SIZE, XT##_ERROR_UNCLOSED,                                                 \
     {XT##_ERROR_MEMORY, #XT "_ERROR_MEMORY", "out of memory", NULL, 0, NULL}}

/* "CV_ERROR_SHAPE", and its meaning; for other ids "" and errors->unknown. */
XETILE_API const char *spe_reporter_name(const spe_reporter *errors, int id);
XETILE_API const char *spe_reporter_text(const spe_reporter *errors, int id);
/* Where an error is reported: the module, the header's error list, the user's line. */
typedef struct {
    spe_module *module;
    const spe_reporter *errors;
    const char *file;
    int line;
} spe_site;

XETILE_API spe_site spe_site_of(spe_module *m, const spe_reporter *errors, const char *file, int line);
/* Reports error `id` of the header as "its text: formatted text". Returns false, for the caller to return. */
XETILE_API SPE_PRINTF(3, 4) bool spe_report(spe_site at, int id, const char *format, ...);
XETILE_API SPE_PRINTF(3, 0) bool spe_vreport(spe_site at, int id, const char *format, va_list args);

/* -- parameters */

enum { SPE_PARAMS_MAX = 32 };

typedef struct {
    char name[64];
    int type;            /* of the number or the pointer's target, in the header's own enumeration */
    bool pointer, local; /* a pointer to global memory, to local memory; neither: a number */
} spe_kernel_param;

/* The type with this name, for such a parameter; -1 if there is none. */
typedef int (*spe_type_by_name)(const char *name, const spe_kernel_param *p);
/* "ptr<f16> A, u32 N" into params[SPE_PARAMS_MAX]; returns their number, or -1 and an error for a malformed text. */
XETILE_API int spe_parse_params(spe_site at, const char *text, spe_type_by_name type_of, spe_kernel_param *params);
/* The parameter as spe_kernel_begin takes it; `type`: the SPIR-V type of p->type. */
XETILE_API spe_param spe_param_of(spe_module *m, const spe_kernel_param *p, spe_id type);

/* -- numbers */

/* Operations on two numbers or vectors. REM has the sign of the first operand; SHR keeps the sign of signed
 * numbers. Those from EQ on are comparisons. */
typedef enum {
    SPE_ARITH_ADD, SPE_ARITH_SUB, SPE_ARITH_MUL, SPE_ARITH_DIV, SPE_ARITH_MIN, SPE_ARITH_MAX, SPE_ARITH_REM,
    SPE_ARITH_AND, SPE_ARITH_OR, SPE_ARITH_XOR, SPE_ARITH_SHL, SPE_ARITH_SHR,
    SPE_ARITH_EQ, SPE_ARITH_NE, SPE_ARITH_LT, SPE_ARITH_LE, SPE_ARITH_GT, SPE_ARITH_GE, SPE_ARITH_COUNT
} spe_arith_op;

typedef enum { SPE_NUMBER_FLOAT, SPE_NUMBER_SIGNED, SPE_NUMBER_UNSIGNED } spe_number_kind;
/* "add", "sub" ... "ge". */
XETILE_API const char *spe_arith_name(spe_arith_op op);
/* Emits the operation on two ids of one type, whose numbers are of this kind; 0, without an error, if there is none. */
XETILE_API spe_id spe_arith(spe_module *m, spe_arith_op op, spe_number_kind kind, spe_id a, spe_id b);
/* The extent of memory, an i32, that has no elements if it is negative: at least 0; id 0 stays 0. Tests of positions
 * are unsigned, so that one finds what is before the memory and what is past it: to them, a negative extent would be a
 * large one. */
XETILE_API spe_id spe_extent(spe_module *m, spe_id extent);
/* The element at a distance, in elements, from ptr where `inside` holds, else `otherwise`. No lane branches: those that
 * are outside read the first element, which must exist. align: in bytes; 0: that of the type. */
XETILE_API spe_id spe_load_inside(spe_module *m, spe_id ptr, spe_id distance, spe_id inside, spe_id otherwise,
                                  uint32_t align);
/* SPE_ARITH_ADD, SUB, MUL or DIV of two C constants, as IEEE 754 says. Their order: -1, 0, 1, or 2 with a NaN. */
XETILE_API double spe_real_arith(spe_arith_op op, double a, double b);
XETILE_API int spe_real_compare(double a, double b);

typedef enum { SPE_NOTHING, SPE_INT, SPE_REAL, SPE_SCALAR, SPE_POINTER } spe_val_kind;
enum { SPE_VAL_MAGIC = 0x53705631 };

/* The first member of structures that users give to macros. C would initialise it with any number that is given instead
 * of the structure; a pointer it does not, and the compiler's message names what is wanted. */
#define SPE_FIRST_MEMBER(wanted, member) union { const struct wanted *wanted_; member; }

/* A number as users of a kernel language see it: a C constant (SPE_INT, SPE_REAL), a scalar of the kernel, or a pointer
 * parameter. */
typedef struct {
    SPE_FIRST_MEMBER(spe_number_wanted_, uint32_t magic); /* SPE_VAL_MAGIC; anything else: it was never set */
    spe_val_kind kind;
    int type; /* the header's own: a scalar's, or that of a pointer's target; -kind for a C constant */
    spe_id id;
    bool uniform; /* known to be equal in all work-items of a subgroup */
    bool local;   /* a pointer to local memory */
    int align;    /* a power of two known to divide it */
    int note;     /* index of what else the header knows about it; 0: nothing */
    int64_t integer;
    double real;
} spe_val;

XETILE_API spe_val spe_val_of(spe_val_kind kind, int type, spe_id id);
XETILE_API spe_val spe_val_int(long long i);
XETILE_API spe_val spe_val_uint(unsigned long long u);
XETILE_API spe_val spe_val_real(double d);
XETILE_API spe_val spe_val_float(float f);
XETILE_API spe_val spe_val_same(spe_val v);
/* Was it ever set? Is it a condition: a C integer, or a scalar of `type`, the header's type for conditions? */
XETILE_API bool spe_val_is_set(const spe_val *v);
XETILE_API bool spe_val_is_condition(const spe_val *v, int type);
/* Does the integer fit in this many bits? */
XETILE_API bool spe_int_fits(int64_t i, int bits, bool is_signed);
/* A vector of n components as vectors of 8, then 4, 2 and 1: the number of these, and the number of components of
 * vector i. */
XETILE_API int spe_part_count(int n);
XETILE_API int spe_part_length(int n, int i);

/* -- a build */

/* Starts a build: a zeroed context of `size` bytes that begins with the spe_module. version, env, names, lines and
 * source are those of spe_options; an error in them is reported at `at`. NULL if out of memory; any error is in mod. */
XETILE_API void *spe_build_begin(spe_built *mod, const spe_reporter *errors, size_t size, uint32_t version, spe_env env,
                                 bool names, bool lines, const char *source, spe_line at);
/* Opens the kernel: a one-dimensional work-group of `group_size`, with these parameters. */
XETILE_API bool spe_build_kernel(spe_module *m, const char *name, int subgroup_size, int group_size, int count,
                                 const spe_param *params);
/* Ends the kernel, which mod then describes; false after an error. */
XETILE_API bool spe_build_end(spe_built *mod, const char *name, const char *params, int subgroup_size, int group_size);
/* Starts another kernel in the module of `before`, whose kernel has ended: a context as of spe_build_begin, to which
 * the module goes. NULL if out of memory; any error is in mod. */
XETILE_API void *spe_build_next(spe_built *mod, spe_built *before, const spe_reporter *errors, size_t size);
/* Finishes the module, which is with the last of `count` builds, and gives it to the first, which owns it; all have its
 * words. After an error of the last build there are no words, and all have that error. */
XETILE_API bool spe_build_finish(spe_built *mods, int count);
XETILE_API void spe_built_free(spe_built *mod);

/* -- regions that macros write as C loops (XT_FOR, CV_IF ...), and that close when the C loop ends */

enum { SPE_REGIONS_MAX = 32 };

typedef struct {
    const char *name, *file;
    int line;
} spe_region_line;

typedef struct spe_region spe_region;
typedef struct {
    spe_module *module;
    const spe_reporter *errors;
    int depth;
    spe_region_line open[SPE_REGIONS_MAX];
} spe_regions;

/* The state of the C loop. */
struct spe_region {
    spe_regions *in;
    spe_val index;   /* of a loop */
    int depth;       /* from 1 on; 0 after an error */
    int sides, calls; /* sides: 2 for an if with its else, 1 for a loop; calls: of spe_region_ended */
    bool twice;      /* a loop whose body is run twice: sides is 2 */
    bool done;       /* the body ran to its end */
};

/* A region that is not open yet; opens one, false and an error if too many are open. */
XETILE_API spe_region spe_region_of(spe_regions *in, int sides);
XETILE_API bool spe_region_open(spe_region *r, const char *name, const char *file, int line);
/* The condition of the C loop is a function of the header's: if spe_region_ended, it writes the end of a side, and then
 * it returns spe_region_next, true once for each side. spe_region_ended is false before the first side, and after an
 * error; it is an error if the region is not the innermost one or was left by break. */
XETILE_API bool spe_region_ended(spe_region *r);
XETILE_API bool spe_region_next(spe_region *r);
/* Called at the end of a loop's body; returns NULL. */
XETILE_API void *spe_region_done(spe_region *r);
/* Reports that the innermost region, if any, is open where it must not be. */
XETILE_API void spe_region_fail(spe_regions *in, const char *why);

#endif /* SPIRV_EMIT_H */

/* ==== bodies: nothing from here on is for users ================================================================== */

#if defined(XETILE_STATIC_) && (defined(XETILE_IMPLEMENTATION) || \
                                (defined(XETILE_DECLARATIONS) && !defined(SPIRV_EMIT_BODIES_)))
#error "XETILE_DECLARATIONS or XETILE_IMPLEMENTATION come before the first header of xetile: one was included without"
#elif defined(XETILE_WEAKLY_) && !defined(XETILE_IMPLEMENTATION) && !defined(SPIRV_EMIT_BODIES_)
#error "XETILE_IMPLEMENTATION stays defined until the last header of xetile has been included"
#elif !defined(SPIRV_EMIT_BODIES_) && (defined(XETILE_IMPLEMENTATION) || !defined(XETILE_DECLARATIONS))
#define SPIRV_EMIT_BODIES_
#if defined(XETILE_IMPLEMENTATION)
/* The linker names this when two files of a program have the bodies, and first, as it is the first function. */
XETILE_EXTERN_ XETILE_HIDDEN_ void XETILE_IMPLEMENTATION_belongs_in_one_file__spirv_emit(void);
void XETILE_IMPLEMENTATION_belongs_in_one_file__spirv_emit(void) {}
#endif

/* internal.h - declarations shared by the bodies of spirv_emit.h only. */

enum { SPE_ID_TYPE_ = 1, SPE_ID_CONSTANT_ = 2, SPE_ID_GLOBAL_ = 4, SPE_ID_FUNCTION_ = 8, SPE_ID_SPEC_ = 16,
       SPE_ID_KERNEL_ = 32, SPE_ID_PACKED_ = 64 /* a pointer into a packed struct */,
       SPE_ID_FOLDED_ = 128 /* an operation returned this operand unchanged */,
       SPE_ID_DECLARED_ = 0x4000 /* a function whose body is to come */,
       SPE_ID_KEPT_HALF_ = 0x100, /* in modules for Vulkan, see spe_is_kept_ */
       SPE_ID_BYTE_ = 0x1000, SPE_ID_PRODUCT_ = 0x2000,
       SPE_ID_POSITION_ = 0x8000 /* see igc.c; of modules for OpenCL halves.c has bits 8 to 11 */ };

enum { SPE_RECENT_VECTOR_ = 0x40000000 };

/* -- regions.c: the states of a region -- */
enum { SPE_REGION_IF_, SPE_REGION_ELSE_, SPE_REGION_FOR_, SPE_REGION_WHILE_, SPE_REGION_BODY_, SPE_REGION_SWITCH_,
       SPE_REGION_CASE_ };

/* -- flow.c: hints are bits; those from DependencyLength on have a value -- */
enum { SPE_LOOP_HINTS_ = 9, SPE_FIRST_HINT_WITH_VALUE_ = 3 };

enum { SPE_SCOPES_OF_FUNCTION_ = 3 }; /* of the module, the function's entry, its body; then one for each region */

/* -- dots.c: numbers of values by their ids, and those of the dot products that are used. NULL: there are none -- */
typedef struct {
    uint32_t *number, *used, count, mask;
} spe_dots_;

/* -- forms.c and checks.c: instructions by the letters of SPE_INSTRUCTIONS_ -- */
/* Kinds of operands: bits. */
enum { SPE_INT_ = 1 << SPE_KIND_INT, SPE_FLOAT_ = 1 << SPE_KIND_FLOAT, SPE_BOOL_ = 1 << SPE_KIND_BOOL,
       SPE_PTR_ = 1 << SPE_KIND_POINTER, SPE_SMALL_ = 1 << 30 /* also floats without arithmetic */ };

/* The state of checking an instruction's operands. */
typedef struct {
    spe_id first, pointee, given; /* type of the first value, target of the last pointer, requested type */
    uint32_t count, words[16];
    uint32_t packed; /* SPE_ID_PACKED_ if an operand is such a pointer */
} spe_call_;

/* -- types.c: a type of pointers to local memory, where these are offsets -- */
typedef struct {
    spe_id elem, id;
} spe_offset_type_;

/* Reports an error of the call m->doing, or, with SPE_ERROR_, of the enclosing function. Both return 0. */
XETILE_PRIVATE SPE_PRINTF(3, 4) spe_id spe_error_(spe_module *m, int id, const char *format, ...);
#define SPE_ERROR_(m, id, ...) ((m)->doing = __func__, spe_error_(m, SPE_ERR_##id, __VA_ARGS__))

/* Calls other public functions: errors name the enclosing function, which the user called. */
#define SPE_WITHIN_(m, call)                                                                                           \
    ((m)->within = (m)->within ? (m)->within : __func__, spe_leave_(m, __func__, call))
#define SPE_DO_WITHIN_(m, call)                                                                                        \
    ((m)->within = (m)->within ? (m)->within : __func__, call, (void)spe_leave_(m, __func__, 0))

/* Things with needs: types by width, encoding, count; enumerants; instructions (by number, some also by variant). */
enum { SPE_NEED_NOTHING_, SPE_NEED_INT_, SPE_NEED_FLOAT_, SPE_NEED_ENCODING_, SPE_NEED_VECTOR_, SPE_NEED_COOP_,
       SPE_NEED_COOPVEC_, SPE_NEED_BUILTIN_, SPE_NEED_DECORATION_, SPE_NEED_MODE_, SPE_NEED_STORAGE_, SPE_NEED_OP_,
       SPE_NEED_OP_ACROSS_, SPE_NEED_OP_CLUSTERED_, SPE_NEED_OP_16_, SPE_NEED_OP_32_, SPE_NEED_OP_64_,
       SPE_NEED_OP_BF16_, SPE_NEED_END_ };

/* -- glsl.c: numbers in GLSL.std.450 -- */
enum { SPE_GLSL_ROUND_EVEN_ = 2, SPE_GLSL_TRUNC_ = 3, SPE_GLSL_FABS_ = 4, SPE_GLSL_EXP2_ = 29,
       SPE_GLSL_LOG2_ = 30, SPE_GLSL_SQRT_ = 31, SPE_GLSL_FMA_ = 50, SPE_GLSL_FIND_LSB_ = 73, SPE_GLSL_FIND_MSB_ = 75,
       SPE_GLSL_NMIN_ = 79, SPE_GLSL_NMAX_ = 80 };

/* What only modules for Vulkan need, and calls through m->vulkan: programs that make none compile without it, since
 * join.sh puts these files, those that `parts` marks, behind an #if. */
typedef struct spe_vulkan_part_ {
    spe_id (*emit)(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands);
    spe_id (*math)(spe_module *m, const char *name, spe_math_op f, const char *form, uint32_t n, const spe_id *args);
    bool (*push_params)(spe_module *m, const spe_kernel *k);
    spe_id (*cast)(spe_module *m, spe_id type, spe_id v, const spe_conversion *c);
    uint32_t (*op)(spe_module *m, uint32_t op, uint32_t operand);
    spe_id (*vec)(spe_module *m, spe_id elem, uint32_t n, bool in_memory);
    spe_id (*pointer)(spe_module *m, spe_type_info t);
    spe_id (*local_variable)(spe_module *m, spe_id ptr, spe_id type, spe_id initializer);
    void (*alias)(spe_module *m, spe_id id, spe_id type, uint32_t decoration);
    spe_id (*builtin)(spe_module *m, spe_builtin_name which, uint32_t dim);
    bool (*has_capability)(spe_module *m, uint32_t capability, const char *extension);
    int (*keeps_decoration)(spe_module *m, uint32_t decoration);
    void (*forbid_contraction)(spe_module *m);
    spe_id (*local_vector)(spe_module *m, spe_id vectors, spe_id index);
    bool (*is_vector_math)(spe_math_op f, const spe_type_info *t);
} spe_vulkan_part_;

#if defined(XETILE_STATIC_) && !defined(__cplusplus) /* a tentative definition: NULL unless vulkan.c follows */
static const spe_vulkan_part_ *const spe_vulkan_here_;
#define SPE_VULKAN_PART_ spe_vulkan_here_
#else
XETILE_PRIVATE const spe_vulkan_part_ *spe_vulkan_(void);
#define SPE_VULKAN_PART_ spe_vulkan_()
#endif

XETILE_COLD_

/* errors.c - a module's first error, and the place that it names. */

XE_FN_ const char *spe_error_says_(int id, bool name)
{
#define SPE_ERROR_CASE_(id, number, meaning)                                                                           \
    case number: return name ? "SPE_ERR_" #id : meaning;
    switch (id) {
        SPE_ERRORS(SPE_ERROR_CASE_)
    default: return "";
    }
}
const char *spe_error_meaning(int id) { return spe_error_says_(id, false); }

/* Records an error; `doing` and a colon precede the text unless `doing` is NULL. */
SPE_PRINTF(5, 0)
XE_FN_ void spe_vfail_(spe_module *m, int id, const char *name, const char *doing, const char *format, va_list args)
{
    spe_error *e = &m->error;
    int n = 0;
    if (e->id) return;
    e->id = id;
    e->name = name;
    e->file = m->file;
    e->line = m->line;
    if (doing) n = snprintf(e->text, sizeof e->text, "%s: ", doing);
    vsnprintf(e->text + n, sizeof e->text - (size_t)n, format, args);
}

void spe_fail(spe_module *m, int id, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spe_vfail_(m, id, name, NULL, format, args);
    va_end(args);
}

/* Ends what SPE_WITHIN_ began, if that was in this function. Returns id. */
XE_FN_ spe_id spe_leave_(spe_module *m, const char *name, spe_id id)
{
    if (m->within == name) m->within = NULL;
    return id;
}

spe_id spe_error_(spe_module *m, int id, const char *format, ...)
{
    const char *doing = m->doing && m->within ? m->within : m->doing;
    va_list args;
    va_start(args, format);
    spe_vfail_(m, id, spe_error_says_(id, true), doing, format, args);
    va_end(args);
    return 0;
}

const spe_error *spe_get_error(const spe_module *m) { return &m->error; }

void spe_print_error(const spe_error *e, FILE *f)
{
    for (; e && e->id; e = e->next)
        if (e->file) fprintf(f, "%s:%d: %s: %s\n", e->file, e->line, e->name, e->text);
        else fprintf(f, "%s: %s\n", e->name, e->text);
}

bool spe_ok(const spe_module *m) { return m->error.id == 0; }

spe_module *spe_at(spe_module *m, const char *file, int line)
{
    m->file = file;
    m->line = line;
    m->column = 0;
    return m;
}

spe_module *spe_at_column(spe_module *m, const char *file, int line, int column)
{
    spe_at(m, file, line)->column = column;
    return m;
}

/* memory.c - memory that is freed with the module: an arena of chunks that double in size, and arrays that do; large
 * arrays have blocks of their own. */

XE_FN_ void *spe_default_realloc_(void *user, void *p, size_t size)
{
    (void)user;
    if (size) return realloc(p, size);
    free(p);
    return NULL;
}

/* Allocates a chunk of at least this many bytes. The default size suffices for most kernels. Once a chunk of that size
 * has been freed, glibc reuses its pages for the next module; fresh pages for each would take a third of the time. */
XE_FN_ bool spe_new_chunk_(spe_module *m, size_t bytes)
{
    const size_t head = (sizeof(spe_chunk_) + 15) / 16 * 16, next = (size_t)SPE_CHUNK << m->chunk_count;
    size_t size = next > head + bytes ? next : head + bytes;
    spe_chunk_ *chunk = NULL;
    if (!m->options.realloc) return SPE_ERROR_(m, OPTION, "the module was not begun, or freed");
    if (bytes <= SIZE_MAX / 4) /* in parentheses because realloc may be a user's macro */
        chunk = (spe_chunk_ *)(m->options.realloc)(m->options.user, NULL, size);
    if (!chunk) {
        m->doing = NULL;
        return spe_error_(m, SPE_ERR_MEMORY, "out of memory: the allocator refused %zu bytes", bytes);
    }
    chunk->next = m->chunks;
    m->chunks = chunk;
    m->chunk_used = head;
    m->chunk_size = size;
    if (m->chunk_count < 12) m->chunk_count++;
    return true;
}

XE_FN_ void *spe_take_(spe_module *m, size_t bytes)
{
    if (bytes <= SIZE_MAX / 4) bytes = bytes ? (bytes + 15) / 16 * 16 : 16;
    if (m->error.id || (m->chunk_size - m->chunk_used < bytes && !spe_new_chunk_(m, bytes))) return NULL;
    char *at = (char *)m->chunks + m->chunk_used;
    m->chunk_used += bytes;
    return at;
}

void *spe_alloc(spe_module *m, size_t bytes)
{
    void *p = spe_take_(m, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

/* Allocates a block for a large array, or resizes it; `old` is the array. Left behind in a chunk, the smaller arrays
 * before it would take as much memory again, and fresh pages cost several times what is done with them. */
XE_FN_ void *spe_resize_(spe_module *m, void *old, size_t bytes)
{
    const size_t head = (sizeof(spe_chunk_) + 15) / 16 * 16;
    spe_chunk_ *block = old ? (spe_chunk_ *)(void *)((char *)old - head) : NULL;
    if (m->error.id) return NULL;
    if (bytes <= SIZE_MAX / 4) block = (spe_chunk_ *)(m->options.realloc)(m->options.user, block, head + bytes);
    else block = NULL;
    if (!block) {
        m->doing = NULL;
        spe_error_(m, SPE_ERR_MEMORY, "out of memory: the allocator refused %zu bytes", bytes);
        return NULL;
    }
    if (!old) {
        block->next = m->blocks;
        block->before = NULL;
        m->blocks = block;
    }
    if (block->next) block->next->before = block;
    if (block->before) block->before->next = block;
    else m->blocks = block;
    return (char *)block + head;
}

/* Makes room for `need` elements in the array that *array points to; false and an error if out of memory. */
XE_FN_ bool spe_grow_(spe_module *m, void *array, size_t *capacity, size_t need, size_t size, size_t first)
{
    enum { SPE_LARGE_ = 1 << 19 };
    size_t wanted = *capacity ? *capacity : first;
    void *old, *p;
    if (need <= *capacity) return true;
    while (wanted < need) wanted *= wanted * size < SPE_LARGE_ ? 2 : 4; /* what is not touched takes no memory */
    bool large = *capacity * size >= SPE_LARGE_, stays = wanted * size < SPE_LARGE_;
    memcpy(&old, array, sizeof old);
    p = stays ? spe_take_(m, wanted * size) : spe_resize_(m, large ? old : NULL, wanted * size);
    if (!p) return false;
    if (old && !large) memcpy(p, old, *capacity * size);
    memcpy(array, &p, sizeof p);
    *capacity = wanted;
    return true;
}

void *spe_list_add(spe_module *m, spe_list *list, size_t size)
{
    if (!spe_grow_(m, &list->items, &list->capacity, (size_t)list->count + 1, size, 16)) return NULL;
    return memset((char *)list->items + (size_t)list->count++ * size, 0, size);
}

XE_FN_ void *spe_copied_(spe_module *m, const void *from, size_t size)
{
    void *copy = spe_alloc(m, size);
    if (copy && size) memcpy(copy, from, size);
    return copy;
}

/* words.c - what a module is made of: words in sections, ids, scopes. */

/* Extends a buffer by `count` words and returns a pointer to them, NULL if out of memory. */
XE_FN_ uint32_t *spe_push_(spe_module *m, int which, size_t count)
{
    spe_buffer_ *b = &m->buffer[which];
    if (SPE_UNLIKELY_(b->count + count > b->capacity) &&
        !spe_grow_(m, &b->data, &b->capacity, b->count + count, sizeof(uint32_t),
                   which == SPE_BUFFER_BODY_ ? 16384 : 128))
        return NULL;
    b->count += count;
    return b->data + b->count - count;
}

/* Appends an instruction with `count` operand words to a section; returns a pointer to the operands. */
XE_FN_ uint32_t *spe_put_(spe_module *m, int section, uint32_t op, size_t count)
{
    uint32_t *at = NULL;
    if (m->error.id) return NULL;
    if (SPE_UNLIKELY_(m->finished)) spe_error_(m, SPE_ERR_FINISHED, "the module is finished: nothing can be added");
    else if (SPE_UNLIKELY_(count > 65534))
        spe_error_(m, SPE_ERR_LIMIT, "an instruction of %zu words; SPIR-V allows 65535", count + 1);
    else at = spe_push_(m, section, count + 1);
    if (!at) return NULL;
    *at = (uint32_t)(count + 1) << 16 | op;
    return at + 1;
}

/* Writes an instruction of n words, given as arguments. */
XE_FN_ bool spe_write_(spe_module *m, int section, uint32_t op, int n, ...)
{
    uint32_t *at = spe_put_(m, section, op, (size_t)n);
    va_list words;
    va_start(words, n);
    while (at && n--) *at++ = va_arg(words, uint32_t);
    va_end(words);
    return at != NULL;
}

/* Writes an instruction whose words are in two arrays. */
XE_FN_ bool spe_write_words_(spe_module *m, int section, uint32_t op, uint32_t n, const uint32_t *words, uint32_t more,
                      const uint32_t *rest)
{
    uint32_t *at = spe_put_(m, section, op, (size_t)n + more);
    if (at) memcpy(at, words, n * sizeof *at);
    if (at && more) memcpy(at + n, rest, more * sizeof *at);
    return at != NULL;
}

/* A new id: at depth 0 usable everywhere, else a value of that open scope. The upper half of flags: a value's opcode. 0
 * if out of memory. */
XE_FN_ spe_id spe_new_id_(spe_module *m, spe_id type, uint32_t flags, uint32_t depth)
{
    if (SPE_UNLIKELY_(m->id_count >= m->id_capacity)) {
        if (m->id_count >= 0x3fffff) return spe_error_(m, SPE_ERR_LIMIT, "more than 4194303 ids");
        if (!spe_grow_(m, &m->ids, &m->id_capacity, m->id_count + 1, sizeof *m->ids, 2048)) return 0;
    }
    spe_record_ *r = &m->ids[m->id_count];
    r->type = type;
    r->aux = flags >> 16;
    r->depth = (uint16_t)depth;
    r->flags = (uint16_t)flags;
    r->serial = m->buffer[SPE_BUFFER_SCOPES_].data[depth];
    return (spe_id)m->id_count++;
}

/* A value is kept if its bits are what they seem: from memory, a constant, or made of such, but for f16 that is
 * computed. Of any other f16, through words, phis and calls too, a driver may have left out the rounding. */
XE_FN_ bool spe_is_kept_(const spe_module *m, spe_id id)
{
    return (m->ids[id].flags & (SPE_ID_KEPT_HALF_ | SPE_ID_CONSTANT_)) != 0;
}

XE_FN_ spe_id spe_new_label_(spe_module *m) { return spe_new_id_(m, 0, 0, 0); }

/* -- texts ------------------------------------------------------------------------------------------------------- */

XE_FN_ uint32_t spe_text_words_(const char *text) { return (uint32_t)(strlen(text) / 4 + 1); }

/* Packs bytes into words, low byte first, as SPIR-V requires on any host. */
XE_FN_ void spe_put_text_(uint32_t *at, const char *text)
{
    size_t i, n = strlen(text);
    memset(at, 0, spe_text_words_(text) * sizeof *at);
    for (i = 0; i < n; i++) at[i / 4] |= (uint32_t)(unsigned char)text[i] << (i % 4 * 8);
}

/* The OpString, which has an id, or the OpExtension with this text, made once. Returns the id. */
XE_FN_ spe_id spe_write_once_(spe_module *m, uint32_t op, const char *text)
{
    uint32_t n = spe_text_words_(text), *copy = (uint32_t *)spe_alloc(m, n * sizeof *copy), ids = op == SPE_OpString;
    int section = ids ? SPE_SECTION_STRING_ : SPE_SECTION_EXTENSION_;
    const spe_buffer_ *b = &m->buffer[section];
    if (!copy) return 0;
    spe_put_text_(copy, text);
    for (size_t i = 0; i < b->count; i += b->data[i] >> 16) {
        if (b->data[i] == ((n + ids + 1) << 16 | op) && !memcmp(b->data + i + ids + 1, copy, n * sizeof *copy))
            return b->data[i + 1];
    }
    spe_id id = ids ? spe_new_id_(m, 0, 0, 0) : 0;
    return spe_write_words_(m, section, op, ids, &id, n, copy) ? id : 0;
}

/* -- scopes: a value belongs to the region that defines it -------------------------------------------------------- */

enum { SPE_MAX_DEPTH_ = 65000 }; /* of nested regions, besides the scopes of module and function */

XE_FN_ bool spe_scope_push_(spe_module *m)
{
    bool fits = m->buffer[SPE_BUFFER_SCOPES_].count < SPE_MAX_DEPTH_ + 3;
    uint32_t *at = fits ? spe_push_(m, SPE_BUFFER_SCOPES_, 1) : NULL;
    if (!at) return spe_error_(m, SPE_ERR_LIMIT, "regions nested more than %d deep", (int)SPE_MAX_DEPTH_);
    *at = m->serial++;
    return true;
}

XE_FN_ void spe_scope_pop_(spe_module *m) { m->buffer[SPE_BUFFER_SCOPES_].count--; }

/* Replaces the innermost scope by a new one, so that its values become inaccessible. */
XE_ONCE_
XE_FN_ void spe_scope_renew_(spe_module *m)
{
    spe_buffer_ *b = &m->buffer[SPE_BUFFER_SCOPES_];
    b->data[b->count - 1] = m->serial++;
}

/* Of the current position. */
XE_FN_ uint32_t spe_depth_(const spe_module *m)
{
    return m->in_prologue ? 1 : (uint32_t)m->buffer[SPE_BUFFER_SCOPES_].count - 1;
}

/* table.c - types and constants are unique: a hash table of them, and what is known of an id. */

/* NULL: no type. */
XE_FN_ const spe_type_info *spe_info_(const spe_module *m, spe_id type)
{
    return type && type < m->id_count && (m->ids[type].flags & SPE_ID_TYPE_) ? &m->types[m->ids[type].aux] : NULL;
}

/* The description of a type operand; NULL and an error of the call `name` if it is not a type. */
XE_FN_ const spe_type_info *spe_want_type_(spe_module *m, const char *name, spe_id type)
{
    const spe_type_info *t = m->error.id ? NULL : spe_info_(m, type);
    if (!t) m->doing = name, spe_error_(m, SPE_ERR_NO_TYPE, "%u is not the id of a type", type);
    return t;
}

spe_id spe_type_of(const spe_module *m, spe_id value) { return value && value < m->id_count ? m->ids[value].type : 0; }

spe_id spe_scalar_of(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (!t) return 0;
    return t->kind == SPE_KIND_VECTOR || t->kind >= SPE_KIND_COOPMAT ? t->elem : type;
}

uint32_t spe_width(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, spe_scalar_of(m, type));
    return t ? t->bits : 0;
}

uint32_t spe_count(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (!t) return 0;
    return t->kind == SPE_KIND_VECTOR ? t->count : t->bits ? 1 : 0;
}

/* The number of parts of a composite; 0: not a composite. */
XE_FN_ uint32_t spe_part_count_(const spe_type_info *t)
{
    switch (t->kind) {
    case SPE_KIND_VECTOR: case SPE_KIND_ARRAY: case SPE_KIND_STRUCT: case SPE_KIND_COOPVEC: return t->count;
    case SPE_KIND_COOPMAT: return 1; /* one value for all components */
    default: return 0;
    }
}

/* -- types and constants: a hash table from an instruction without its result to its id -------------------------- */

/* Numbers that differ little get slots near each other: those of a module are often in order, and a slot that is not in
 * the processor's cache costs more than the rest. `constant`: w[1] is the low word of a number, or an id. */
XE_FN_ uint32_t spe_hash_(uint32_t op, bool constant, uint32_t n, const uint32_t *w)
{
    uint32_t h = op * 0x9e3779b1u, low_word = 0, i = 0;
    if (constant && n > 1) {
        h = (h ^ w[0]) * 0x85ebca6bu;
        low_word = w[1];
        i = 2;
    }
    for (; i < n; i++) h = (h ^ w[i]) * 0x85ebca6bu;
    h ^= h >> 15;
    return h + low_word + (low_word >> 12) * 0x9e3779b1u;
}

/* Where to look after a slot that is taken. Numbers in order have slots in order, so that the next slot would be taken,
 * too, and where two such rows meet, all of the row: numbers of the same row go to the same other place. */
#define SPE_NEXT_SLOT_(slot, h, slots) (((slot) + ((h) >> 16 | 1)) & ((slots) - 1))

/* Does the instruction at `at` have these words? The result id, word 1 of a type and 2 of a constant, is left out. */
XE_ONCE_
XE_FN_ bool spe_same_(const uint32_t *at, uint32_t head, bool constant, uint32_t n, const uint32_t *w)
{
    if (*at++ != head) return false;
    if (constant && n--) {
        if (*at++ != *w++) return false;
    }
    while (n--) {
        if (*++at != *w++) return false;
    }
    return true;
}

/* Doubles the slots and refills them from the list of (hash, offset) pairs. */
XE_FN_ bool spe_rehash_(spe_module *m)
{
    spe_buffer_ *slots = &m->buffer[SPE_BUFFER_SLOTS_], *list = &m->buffer[SPE_BUFFER_UNIQUE_];
    size_t old = slots->count, size = old ? old * 2 : 256;
    if (!spe_push_(m, SPE_BUFFER_SLOTS_, size - old)) return false;
    memset(slots->data, 0, size * sizeof *slots->data);
    for (size_t i = 0; i < list->count; i += 2) {
        size_t slot = list->data[i] & (size - 1);
        while (slots->data[slot]) slot = SPE_NEXT_SLOT_(slot, list->data[i], size);
        slots->data[slot] = (uint32_t)(i + 1);
    }
    return true;
}

/* The id of the type or constant (see flags) with these words, created if it is new: then it is `given`, or, if that is
 * 0, the next id. For constants, w[0] is the type. */
XE_FN_ spe_id spe_unique_as_(spe_module *m, uint32_t op, uint32_t flags, uint32_t n, const uint32_t *w, spe_id given)
{
    const spe_buffer_ *slots = &m->buffer[SPE_BUFFER_SLOTS_], *list = &m->buffer[SPE_BUFFER_UNIQUE_];
    bool constant = flags != SPE_ID_TYPE_;
    uint32_t h = spe_hash_(op, constant, n, w), *at, *pair;
    size_t slot;
    if (SPE_UNLIKELY_(m->error.id)) return 0;
    if (SPE_UNLIKELY_(m->finished))
        return spe_error_(m, SPE_ERR_FINISHED, "the module is finished: nothing can be added");
    if (list->count >= slots->count && !spe_rehash_(m)) return 0; /* two words per entry: at most half full */
    for (slot = h & (slots->count - 1); slots->data[slot]; slot = SPE_NEXT_SLOT_(slot, h, slots->count)) {
        const uint32_t *known = list->data + slots->data[slot] - 1;
        at = m->buffer[SPE_SECTION_GLOBAL_].data + known[1];
        if (known[0] == h && spe_same_(at, (n + 2) << 16 | op, constant, n, w)) return at[constant ? 2 : 1];
    }
    spe_id id = given ? given : spe_new_id_(m, constant ? w[0] : 0, flags, 0);
    at = id ? spe_put_(m, SPE_SECTION_GLOBAL_, op, n + 1) : NULL;
    pair = at ? spe_push_(m, SPE_BUFFER_UNIQUE_, 2) : NULL;
    if (!pair) return 0;
    if (constant) *at++ = *w++, n--;
    *at++ = id;
    if (n) memcpy(at, w, n * sizeof *w);
    pair[0] = h;
    pair[1] = (uint32_t)(at - m->buffer[SPE_SECTION_GLOBAL_].data) - (constant ? 3 : 2);
    m->buffer[SPE_BUFFER_SLOTS_].data[slot] = (uint32_t)(list->count - 1);
    return id;
}
XE_FN_ spe_id spe_unique_(spe_module *m, uint32_t op, uint32_t flags, uint32_t n, const uint32_t *w)
{
    return spe_unique_as_(m, op, flags, n, w, 0);
}

/* Takes a type with these words out of the table, if it is there: it remains, but the next with these words is another
 * one. */
XE_ONCE_
XE_FN_ void spe_forget_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *w)
{
    const spe_buffer_ *slots = &m->buffer[SPE_BUFFER_SLOTS_], *list = &m->buffer[SPE_BUFFER_UNIQUE_];
    uint32_t h = spe_hash_(op, false, n, w);
    if (!slots->count) return;
    for (size_t slot = h & (slots->count - 1); slots->data[slot]; slot = SPE_NEXT_SLOT_(slot, h, slots->count)) {
        uint32_t *known = list->data + slots->data[slot] - 1; /* (hash, offset); another hash is never found */
        if (known[0] == h && m->buffer[SPE_SECTION_GLOBAL_].data[known[1] + 1] == type) known[0] = ~h;
    }
}

bool spe_is_const(const spe_module *m, spe_id id)
{
    return id && id < m->id_count && (m->ids[id].flags & SPE_ID_CONSTANT_);
}

bool spe_const_bits(const spe_module *m, spe_id id, uint64_t *bits)
{
    *bits = 0;
    if (!spe_is_const(m, id) || !m->ids[id].aux) return false;
    *bits = m->constants[m->ids[id].aux - 1];
    return true;
}

XE_FN_ uint64_t spe_mask_(uint32_t bits) { return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1; }

XE_FN_ int64_t spe_signed_(uint64_t x, uint32_t bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)(((x & spe_mask_(bits)) ^ sign) - sign);
}

/* The slot of an id in a cache of frequent ids: constants by type and bits, vectors by component, marked,
 * and count. 0: it is not there. */
XE_FN_ spe_id *spe_recent_of_(spe_module *m, uint32_t type, uint64_t bits)
{
    spe_recent_ *r = &m->recent[(bits ^ type) % SPE_RECENT_];
    if (r->type == type && r->bits == bits && !m->error.id && !m->finished) return &r->id;
    r->type = type;
    r->bits = bits;
    r->id = 0;
    return &r->id;
}

/* A scalar constant from its bits, which are kept for folding; 0 if the type is. */
XE_FN_ spe_id spe_const_scalar_(spe_module *m, spe_id type, uint64_t bits)
{
    uint32_t w[3] = {type, (uint32_t)bits, (uint32_t)(bits >> 32)}, op = SPE_OpConstant, n;
    spe_id next = (spe_id)m->id_count, *recent = spe_recent_of_(m, type, bits);
    if (*recent || !type) return *recent;
    const spe_type_info *t = spe_info_(m, type);
    n = t->bits == 64 ? 3 : 2;
    if (t->kind == SPE_KIND_BOOL) n = 1, op = bits ? SPE_OpConstantTrue : SPE_OpConstantFalse;
    *recent = spe_unique_(m, op, SPE_ID_CONSTANT_, n, w);
    if (*recent != next) return *recent;
    if (!spe_grow_(m, &m->constants, &m->constant_capacity, m->constant_count + 1, sizeof *m->constants, 64)) return 0;
    m->constants[m->constant_count++] = bits;
    m->ids[next].aux = (uint32_t)m->constant_count;
    return next;
}

/* needed.h - the capabilities that names need, and the sources of capabilities; written by numbers.py. */
/* X(what, first, last number, capability), see SPE_NEED_OP_ ... */
#define SPE_NEEDED_(X)                                                                                                 \
    X(BUILTIN, 4416, 4420, GroupNonUniformBallot) X(DECORATION, 41, 41, Linkage) X(DECORATION, 4216, 4216, Float8EXT)  \
    X(DECORATION, 5356, 5356, PhysicalStorageBufferAddresses) X(DECORATION, 6188, 6188, GlobalVariableHostAccessINTEL) \
    X(DECORATION, 6442, 6443, CacheControlsINTEL) X(MODE, 35, 37, SubgroupDispatch)                                    \
    X(MODE, 4459, 4459, DenormPreserve) X(MODE, 4460, 4460, DenormFlushToZero)                                         \
    X(MODE, 4461, 4461, SignedZeroInfNanPreserve) X(MODE, 4462, 4462, RoundingModeRTE)                                 \
    X(MODE, 4463, 4463, RoundingModeRTZ) X(MODE, 6028, 6028, FloatControls2) X(MODE, 6461, 6463, RegisterLimitsINTEL)  \
    X(STORAGE, 8, 8, GenericPointer) X(STORAGE, 5349, 5349, PhysicalStorageBufferAddresses)                            \
    X(OP, 45, 45, LiteralSampler) X(OP, 143, 143, Matrix) X(OP_BF16, 148, 148, BFloat16DotProductKHR)                  \
    X(OP, 201, 204, BitInstructions) X(OP_64, 227, 242, Int64Atomics) X(OP, 261, 271, Groups)                          \
    X(OP, 325, 326, SubgroupDispatch) X(OP, 333, 333, GroupNonUniform) X(OP, 334, 336, GroupNonUniformVote)            \
    X(OP, 337, 344, GroupNonUniformBallot) X(OP, 345, 346, GroupNonUniformShuffle)                                     \
    X(OP, 347, 348, GroupNonUniformShuffleRelative) X(OP_ACROSS, 349, 364, GroupNonUniformArithmetic)                  \
    X(OP_CLUSTERED, 349, 364, GroupNonUniformClustered) X(OP, 365, 366, GroupNonUniformQuad)                           \
    X(OP, 4421, 4422, SubgroupBallotKHR) X(OP, 4428, 4430, SubgroupVoteKHR)                                            \
    X(OP, 4431, 4431, GroupNonUniformRotateKHR) X(OP, 4432, 4432, SubgroupBallotKHR) X(OP, 4450, 4455, DotProduct)     \
    X(OP, 4456, 4460, CooperativeMatrixKHR) X(OP, 5288, 5289, CooperativeVectorNV)                                     \
    X(OP, 5290, 5291, CooperativeVectorTrainingNV) X(OP, 5292, 5292, CooperativeVectorNV)                              \
    X(OP, 5302, 5303, CooperativeVectorNV) X(OP, 5571, 5574, SubgroupShuffleINTEL)                                     \
    X(OP, 5575, 5576, SubgroupBufferBlockIOINTEL) X(OP_16, 5614, 5615, AtomicFloat16MinMaxEXT)                         \
    X(OP_32, 5614, 5615, AtomicFloat32MinMaxEXT) X(OP_64, 5614, 5615, AtomicFloat64MinMaxEXT)                          \
    X(OP, 5630, 5631, ExpectAssumeKHR) X(OP_16, 6035, 6035, AtomicFloat16AddEXT)                                       \
    X(OP_32, 6035, 6035, AtomicFloat32AddEXT) X(OP_64, 6035, 6035, AtomicFloat64AddEXT)                                \
    X(OP, 6116, 6117, BFloat16ConversionINTEL) X(OP, 6142, 6143, SplitBarrierINTEL)                                    \
    X(OP, 6221, 6221, SubgroupBufferPrefetchINTEL) X(OP, 6231, 6231, Subgroup2DBlockIOINTEL)                           \
    X(OP, 6232, 6232, Subgroup2DBlockTransformINTEL) X(OP, 6233, 6233, Subgroup2DBlockTransposeINTEL)                  \
    X(OP, 6234, 6235, Subgroup2DBlockIOINTEL) X(OP, 6237, 6237, SubgroupMatrixMultiplyAccumulateINTEL)                 \
    X(OP, 6258, 6259, PredicatedIOINTEL) X(OP, 6264, 6264, SubgroupScaledMatrixMultiplyAccumulateINTEL)                \
    X(OP, 6401, 6408, GroupUniformArithmeticKHR) X(OP, 6426, 6426, TensorFloat32RoundingINTEL)

/* All numbers of the grammar, also those without a name here. */
#define SPE_CAPABILITIES_KNOWN_(X)                                                                                     \
    X(0, 15) X(17, 25) X(27, 71) X(4165, 4168) X(4174, 4176) X(4191, 4191) X(4201, 4201) X(4212, 4213) X(4228, 4232)   \
    X(4422, 4423) X(4427, 4431) X(4433, 4437) X(4439, 4439) X(4441, 4442) X(4445, 4445) X(4447, 4450) X(4464, 4468)    \
    X(4471, 4473) X(4478, 4479) X(4484, 4486) X(4495, 4496) X(4498, 4498) X(4539, 4539) X(4543, 4544) X(5008, 5010)    \
    X(5013, 5013) X(5015, 5016) X(5055, 5055) X(5067, 5067) X(5087, 5087) X(5112, 5112) X(5114, 5114) X(5116, 5118)    \
    X(5120, 5120) X(5128, 5128) X(5146, 5146) X(5156, 5156) X(5181, 5181) X(5249, 5249) X(5251, 5251) X(5254, 5255)    \
    X(5259, 5260) X(5265, 5266) X(5282, 5284) X(5288, 5288) X(5291, 5291) X(5297, 5297) X(5301, 5312) X(5336, 5336)    \
    X(5340, 5341) X(5345, 5347) X(5350, 5350) X(5353, 5353) X(5357, 5357) X(5363, 5363) X(5372, 5373) X(5378, 5381)    \
    X(5383, 5383) X(5388, 5388) X(5390, 5391) X(5394, 5394) X(5404, 5404) X(5409, 5409) X(5414, 5414) X(5418, 5419)    \
    X(5423, 5423) X(5425, 5426) X(5429, 5435) X(5437, 5439) X(5447, 5447) X(5568, 5570) X(5579, 5579) X(5582, 5584)    \
    X(5603, 5604) X(5606, 5606) X(5612, 5613) X(5616, 5617) X(5619, 5619) X(5629, 5629) X(5696, 5698) X(5817, 5817)    \
    X(5821, 5821) X(5824, 5824) X(5837, 5837) X(5844, 5845) X(5886, 5886) X(5888, 5888) X(5892, 5892) X(5897, 5898)    \
    X(5904, 5904) X(5906, 5906) X(5908, 5908) X(5910, 5910) X(5916, 5916) X(5920, 5920) X(5922, 5922) X(5935, 5935)    \
    X(5939, 5939) X(5943, 5943) X(5945, 5945) X(5948, 5948) X(6016, 6020) X(6022, 6022) X(6024, 6026) X(6029, 6030)    \
    X(6032, 6034) X(6089, 6089) X(6094, 6095) X(6114, 6115) X(6141, 6141) X(6144, 6144) X(6150, 6150) X(6161, 6162)    \
    X(6169, 6169) X(6171, 6171) X(6174, 6174) X(6187, 6187) X(6189, 6189) X(6220, 6220) X(6228, 6230) X(6236, 6236)    \
    X(6241, 6241) X(6243, 6243) X(6245, 6246) X(6257, 6257) X(6263, 6263) X(6265, 6265) X(6400, 6400) X(6425, 6425)    \
    X(6427, 6427) X(6441, 6441) X(6460, 6460) X(6528, 6528) X(6912, 6915) X(7041, 7041)

/* Those of Intel's extensions that have no name here, X(number, literals (255: any number), capability) */
#define SPE_DECORATIONS_KNOWN_(X)                                                                                      \
    X(5599, 1, 5617) X(5602, 0, 5604) X(5607, 255, 5606) X(5608, 0, 5606) X(5624, 0, 5617) X(5625, 1, 5617)            \
    X(5626, 0, 5617) X(5627, 0, 5617) X(5628, 1, 5617) X(5822, 2, 5821) X(5823, 2, 5821) X(5825, 0, 5824)              \
    X(5826, 255, 5824) X(5827, 1, 5824) X(5828, 1, 5824) X(5829, 1, 5824) X(5830, 0, 5824) X(5831, 0, 5824)            \
    X(5832, 1, 5824) X(5833, 0, 5824) X(5834, 255, 5824) X(5835, 255, 5824) X(5836, 1, 5824) X(5883, 1, 5824)          \
    X(5884, 1, 5824) X(5885, 0, 5824) X(5899, 0, 5898) X(5900, 1, 5898) X(5901, 0, 5898) X(5902, 1, 5898)              \
    X(5905, 0, 5904) X(5907, 0, 5906) X(5909, 2, 5908) X(5914, 1, 5910) X(5915, 1, 5910) X(5917, 1, 5916)              \
    X(5918, 1, 5916) X(5919, 1, 5916) X(5921, 1, 5920) X(5944, 1, 5943) X(6080, 2, 5821) X(6085, 0, 5617)              \
    X(6087, 0, 5617) X(6140, 0, 5617) X(6151, 0, 6150) X(6170, 1, 6169) X(6172, 1, 6171) X(6173, 3, 6171)              \
    X(6175, 0, 6174) X(6176, 0, 6174) X(6177, 1, 6174) X(6178, 1, 6174) X(6179, 1, 6174) X(6180, 1, 6174)              \
    X(6181, 1, 6174) X(6182, 1, 6174) X(6183, 0, 6174) X(6190, 1, 6189) X(6191, 1, 6189) X(6247, 1, 6245)

/* X(first, last opcode, results (2: it is none of a function's body), least and most words of operands (255: any
 * number), ids at their beginning, lowest version 1.x) */
#define SPE_SHAPES_(X)                                                                                                 \
    X(0, 0, 0, 0, 0, 0, 0) X(1, 1, 1, 0, 0, 0, 0) X(2, 8, 2, 0, 0, 0, 0) X(10, 12, 2, 0, 0, 0, 0)                      \
    X(14, 17, 2, 0, 0, 0, 0) X(19, 39, 2, 0, 0, 0, 0) X(41, 46, 2, 0, 0, 0, 0) X(48, 52, 2, 0, 0, 0, 0)                \
    X(54, 56, 2, 0, 0, 0, 0) X(57, 57, 1, 1, 255, 255, 0) X(59, 59, 2, 0, 0, 0, 0) X(60, 60, 1, 3, 3, 3, 0)            \
    X(61, 61, 1, 1, 255, 1, 0) X(62, 63, 0, 2, 255, 2, 0) X(64, 64, 0, 3, 255, 3, 0) X(65, 66, 1, 1, 255, 255, 0)      \
    X(67, 67, 1, 2, 255, 255, 0) X(68, 68, 1, 2, 2, 1, 0) X(69, 69, 1, 1, 1, 1, 0) X(70, 70, 1, 2, 255, 255, 0)        \
    X(71, 75, 2, 0, 0, 0, 0) X(77, 77, 1, 2, 2, 2, 0) X(78, 78, 1, 3, 3, 3, 0) X(79, 79, 1, 2, 255, 2, 0)              \
    X(80, 80, 1, 0, 255, 255, 0) X(81, 81, 1, 1, 255, 1, 0) X(82, 82, 1, 2, 255, 2, 0) X(83, 84, 1, 1, 1, 1, 0)        \
    X(86, 86, 1, 2, 2, 2, 0) X(87, 87, 1, 2, 255, 2, 0) X(88, 88, 1, 3, 255, 2, 0) X(89, 89, 1, 3, 255, 3, 0)          \
    X(90, 90, 1, 4, 255, 3, 0) X(91, 91, 1, 2, 255, 2, 0) X(92, 92, 1, 3, 255, 2, 0) X(93, 93, 1, 3, 255, 3, 0)        \
    X(94, 94, 1, 4, 255, 3, 0) X(95, 95, 1, 2, 255, 2, 0) X(96, 97, 1, 3, 255, 3, 0) X(98, 98, 1, 2, 255, 2, 0)        \
    X(99, 99, 0, 3, 255, 3, 0) X(100, 102, 1, 1, 1, 1, 0) X(103, 103, 1, 2, 2, 2, 0) X(104, 104, 1, 1, 1, 1, 0)        \
    X(105, 105, 1, 2, 2, 2, 0) X(106, 107, 1, 1, 1, 1, 0) X(109, 122, 1, 1, 1, 1, 0) X(123, 123, 1, 2, 2, 1, 0)        \
    X(124, 124, 1, 1, 1, 1, 0) X(126, 127, 1, 1, 1, 1, 0) X(128, 152, 1, 2, 2, 2, 0) X(154, 160, 1, 1, 1, 1, 0)        \
    X(161, 167, 1, 2, 2, 2, 0) X(168, 168, 1, 1, 1, 1, 0) X(169, 169, 1, 3, 3, 3, 0) X(170, 191, 1, 2, 2, 2, 0)        \
    X(194, 199, 1, 2, 2, 2, 0) X(200, 200, 1, 1, 1, 1, 0) X(201, 201, 1, 4, 4, 4, 0) X(202, 203, 1, 3, 3, 3, 0)        \
    X(204, 205, 1, 1, 1, 1, 0) X(207, 215, 1, 1, 1, 1, 0) X(218, 219, 0, 0, 0, 0, 0) X(220, 221, 0, 1, 1, 1, 0)        \
    X(224, 224, 0, 3, 3, 3, 0) X(225, 225, 0, 2, 2, 2, 0) X(227, 227, 1, 3, 3, 3, 0) X(228, 228, 0, 4, 4, 4, 0)        \
    X(229, 229, 1, 4, 4, 4, 0) X(230, 231, 1, 6, 6, 6, 0) X(232, 233, 1, 3, 3, 3, 0) X(234, 242, 1, 4, 4, 4, 0)        \
    X(245, 255, 2, 0, 0, 0, 0) X(256, 257, 0, 2, 2, 1, 0) X(259, 259, 1, 6, 6, 6, 0) X(260, 260, 0, 3, 3, 3, 0)        \
    X(261, 262, 1, 2, 2, 2, 0) X(263, 263, 1, 3, 3, 3, 0) X(264, 271, 1, 3, 3, 1, 0) X(274, 275, 1, 4, 4, 4, 0)        \
    X(276, 277, 1, 6, 6, 6, 0) X(278, 279, 1, 4, 4, 4, 0) X(280, 281, 0, 4, 4, 4, 0) X(282, 282, 1, 1, 1, 1, 0)        \
    X(283, 284, 1, 3, 3, 3, 0) X(285, 286, 1, 5, 5, 5, 0) X(287, 288, 0, 5, 5, 5, 0) X(291, 291, 1, 4, 4, 4, 0)        \
    X(292, 292, 1, 10, 255, 255, 0) X(293, 294, 1, 5, 5, 5, 0) X(295, 296, 1, 4, 4, 4, 0) X(297, 298, 0, 1, 1, 1, 0)   \
    X(299, 299, 1, 0, 0, 0, 0) X(300, 300, 1, 1, 1, 1, 0) X(301, 301, 0, 2, 2, 2, 0) X(302, 302, 0, 3, 3, 3, 0)        \
    X(303, 303, 1, 0, 0, 0, 0) X(304, 304, 1, 3, 3, 3, 0) X(305, 305, 1, 2, 255, 2, 0) X(306, 306, 1, 3, 255, 2, 0)    \
    X(307, 307, 1, 3, 255, 3, 0) X(308, 308, 1, 4, 255, 3, 0) X(309, 309, 1, 2, 255, 2, 0)                             \
    X(310, 310, 1, 3, 255, 2, 0) X(311, 311, 1, 3, 255, 3, 0) X(312, 312, 1, 4, 255, 3, 0)                             \
    X(313, 313, 1, 2, 255, 2, 0) X(314, 315, 1, 3, 255, 3, 0) X(316, 316, 1, 1, 1, 1, 0) X(317, 317, 0, 0, 0, 0, 0)    \
    X(318, 318, 1, 3, 3, 3, 0) X(319, 319, 0, 3, 3, 3, 0) X(320, 320, 1, 2, 255, 2, 0) X(321, 321, 1, 1, 1, 1, 1)      \
    X(322, 322, 2, 0, 0, 0, 0) X(323, 323, 1, 3, 3, 0, 1) X(324, 324, 1, 1, 1, 1, 1) X(325, 325, 1, 5, 5, 5, 1)        \
    X(326, 326, 1, 4, 4, 4, 1) X(327, 327, 2, 0, 0, 0, 0) X(328, 328, 1, 1, 1, 1, 1) X(329, 329, 0, 3, 3, 3, 1)        \
    X(330, 332, 2, 0, 0, 0, 0) X(333, 333, 1, 1, 1, 1, 3) X(334, 336, 1, 2, 2, 2, 3) X(337, 337, 1, 3, 3, 3, 3)        \
    X(338, 340, 1, 2, 2, 2, 3) X(341, 341, 1, 3, 3, 3, 3) X(342, 342, 1, 3, 3, 1, 3) X(343, 344, 1, 2, 2, 2, 3)        \
    X(345, 348, 1, 3, 3, 3, 3) X(349, 364, 1, 3, 4, 1, 3) X(365, 366, 1, 3, 3, 3, 3) X(400, 400, 1, 1, 1, 1, 4)        \
    X(401, 403, 1, 2, 2, 2, 4) X(4421, 4422, 1, 1, 1, 1, 0) X(4428, 4430, 1, 1, 1, 1, 0) X(4431, 4431, 1, 3, 4, 4, 0)  \
    X(4432, 4432, 1, 2, 2, 2, 0) X(4450, 4452, 1, 2, 3, 2, 0) X(4453, 4455, 1, 3, 4, 3, 0)                             \
    X(4456, 4456, 2, 0, 0, 0, 0) X(4457, 4457, 1, 2, 255, 3, 0) X(4458, 4458, 0, 3, 255, 4, 0)                         \
    X(4459, 4459, 1, 3, 4, 3, 0) X(4460, 4460, 1, 1, 1, 1, 0) X(5288, 5288, 2, 0, 0, 0, 0)                             \
    X(5289, 5289, 1, 9, 11, 10, 0) X(5290, 5290, 0, 6, 7, 7, 0) X(5291, 5291, 0, 3, 3, 3, 0)                           \
    X(5292, 5292, 1, 12, 14, 13, 0) X(5302, 5302, 1, 2, 255, 2, 0) X(5303, 5303, 0, 3, 255, 3, 0)                      \
    X(5571, 5571, 1, 2, 2, 2, 0) X(5572, 5573, 1, 3, 3, 3, 0) X(5574, 5574, 1, 2, 2, 2, 0)                             \
    X(5575, 5575, 1, 1, 1, 1, 0) X(5576, 5576, 0, 2, 2, 2, 0) X(5614, 5615, 1, 4, 4, 4, 0)                             \
    X(5630, 5630, 0, 1, 1, 1, 0) X(5631, 5631, 1, 2, 2, 2, 0) X(6035, 6035, 1, 4, 4, 4, 0)                             \
    X(6116, 6117, 1, 1, 1, 1, 0) X(6142, 6143, 0, 3, 3, 3, 0) X(6221, 6221, 0, 2, 255, 2, 0)                           \
    X(6231, 6233, 0, 10, 10, 10, 0) X(6234, 6234, 0, 9, 9, 9, 0) X(6235, 6235, 0, 10, 10, 10, 0)                       \
    X(6237, 6237, 1, 4, 5, 4, 0) X(6258, 6258, 1, 3, 255, 3, 0) X(6259, 6259, 0, 3, 255, 3, 0)                         \
    X(6264, 6264, 1, 6, 7, 6, 0) X(6401, 6408, 1, 3, 3, 1, 0) X(6426, 6426, 1, 1, 1, 1, 0)

/* OpenCL.std, X(first, last function, operands) */
#define SPE_FUNCTIONS_(X)                                                                                              \
    X(0, 6, 1) X(7, 7, 2) X(8, 9, 1) X(10, 10, 2) X(11, 12, 1) X(13, 13, 2) X(14, 23, 1) X(24, 24, 2) X(25, 25, 1)     \
    X(26, 26, 3) X(27, 32, 2) X(33, 33, 1) X(34, 34, 2) X(35, 35, 1) X(36, 36, 2) X(37, 41, 1) X(42, 42, 3)            \
    X(43, 45, 2) X(46, 46, 1) X(47, 51, 2) X(52, 52, 3) X(53, 53, 1) X(54, 54, 2) X(55, 57, 1) X(58, 58, 2)            \
    X(59, 67, 1) X(68, 68, 2) X(69, 74, 1) X(75, 75, 2) X(76, 81, 1) X(82, 82, 2) X(83, 88, 1) X(89, 89, 2)            \
    X(90, 94, 1) X(95, 95, 3) X(96, 96, 1) X(97, 98, 2) X(99, 99, 3) X(100, 100, 1) X(101, 101, 2) X(102, 102, 3)      \
    X(103, 103, 1) X(104, 105, 2) X(106, 107, 1) X(108, 108, 2) X(109, 110, 1) X(141, 141, 1) X(142, 148, 2)           \
    X(149, 150, 3) X(151, 152, 1) X(153, 155, 3) X(156, 165, 2) X(166, 166, 1) X(167, 168, 3) X(169, 170, 2)           \
    X(171, 172, 3) X(173, 173, 2) X(174, 175, 3) X(176, 176, 4) X(177, 177, 3) X(178, 178, 4) X(179, 180, 3)           \
    X(181, 181, 4) X(182, 182, 2) X(183, 183, 3) X(184, 185, 2) X(186, 187, 3) X(201, 201, 1) X(202, 203, 2)           \
    X(204, 204, 3)

/* X(first, last capability, lowest version 1.x, extension, version 1.x that has it in the core) */
#define SPE_SOURCES_(X)                                                                                                \
    X(58, 58, 1, "", 0) X(61, 68, 3, "", 0) X(4212, 4213, 0, "SPV_EXT_float8", 0)                                      \
    X(4423, 4423, 0, "SPV_KHR_shader_ballot", 0) X(4431, 4431, 0, "SPV_KHR_subgroup_vote", 0)                          \
    X(4433, 4433, 0, "SPV_KHR_16bit_storage", 3) X(4435, 4435, 0, "SPV_KHR_16bit_storage", 3)                          \
    X(4448, 4448, 0, "SPV_KHR_8bit_storage", 5) X(4450, 4450, 0, "SPV_KHR_8bit_storage", 5)                            \
    X(4464, 4468, 0, "SPV_KHR_float_controls", 4) X(5116, 5118, 0, "SPV_KHR_bfloat16", 0)                              \
    X(5345, 5346, 0, "SPV_KHR_vulkan_memory_model", 5) X(5347, 5347, 0, "SPV_EXT_physical_storage_buffer", 5)          \
    X(5394, 5394, 0, "SPV_NV_cooperative_vector", 0) X(5425, 5425, 3, "SPV_EXT_long_vector", 0)                        \
    X(5435, 5435, 0, "SPV_NV_cooperative_vector", 0) X(5568, 5569, 0, "SPV_INTEL_subgroups", 0)                        \
    X(5612, 5613, 0, "SPV_EXT_shader_atomic_float_min_max", 0)                                                         \
    X(5616, 5616, 0, "SPV_EXT_shader_atomic_float_min_max", 0) X(5619, 5619, 0, "SPV_INTEL_vector_compute", 0)         \
    X(5629, 5629, 0, "SPV_KHR_expect_assume", 0) X(6016, 6019, 0, "SPV_KHR_integer_dot_product", 6)                    \
    X(6022, 6022, 0, "SPV_KHR_cooperative_matrix", 0) X(6025, 6025, 0, "SPV_KHR_bit_instructions", 0)                  \
    X(6026, 6026, 0, "SPV_KHR_subgroup_rotate", 0) X(6029, 6029, 0, "SPV_KHR_float_controls2", 0)                      \
    X(6033, 6034, 0, "SPV_EXT_shader_atomic_float_add", 0) X(6095, 6095, 0, "SPV_EXT_shader_atomic_float16_add", 0)    \
    X(6115, 6115, 0, "SPV_INTEL_bfloat16_conversion", 0) X(6141, 6141, 0, "SPV_INTEL_split_barrier", 0)                \
    X(6187, 6187, 0, "SPV_INTEL_global_variable_host_access", 0)                                                       \
    X(6220, 6220, 0, "SPV_INTEL_subgroup_buffer_prefetch", 0) X(6228, 6230, 0, "SPV_INTEL_2d_block_io", 0)             \
    X(6236, 6236, 0, "SPV_INTEL_subgroup_matrix_multiply_accumulate", 0)                                               \
    X(6257, 6257, 0, "SPV_INTEL_predicated_io", 0)                                                                     \
    X(6263, 6263, 0, "SPV_INTEL_subgroup_scaled_matrix_multiply_accumulate", 0)                                        \
    X(6400, 6400, 0, "SPV_KHR_uniform_group_instructions", 0)                                                          \
    X(6425, 6425, 0, "SPV_INTEL_tensor_float32_conversion", 0) X(6441, 6441, 0, "SPV_INTEL_cache_controls", 0)         \
    X(6460, 6460, 0, "SPV_INTEL_maximum_registers", 0)

/* environment.c - what the environments have other names for. */

/* Memory semantics as the environment writes them: global memory is its uniform memory, and orders say what becomes
 * available and visible, and of which memories: of all that atomics reach, where the caller names none. */
XE_ONCE_
XE_FN_ uint32_t spe_semantics_(const spe_module *m, uint32_t word)
{
    const uint32_t global = SPE_MemorySemanticsCrossWorkgroupMemory, both = SPE_MemorySemanticsAcquireRelease;
    const uint32_t sequential = SPE_MemorySemanticsSequentiallyConsistent;
    const uint32_t reached = SPE_MemorySemanticsUniformMemory | SPE_MemorySemanticsWorkgroupMemory;
    const uint32_t orders = both | SPE_MemorySemanticsAcquire | SPE_MemorySemanticsRelease;
    if (m->options.env == SPE_ENV_OPENCL) return word;
    if (word & sequential) word ^= sequential | both;
    if (word & global) word ^= global | SPE_MemorySemanticsUniformMemory;
    if ((word & orders) && !(word & ~orders)) word |= reached;
    if (word & (both | SPE_MemorySemanticsAcquire)) word |= SPE_MemorySemanticsMakeVisible;
    if (word & (both | SPE_MemorySemanticsRelease)) word |= SPE_MemorySemanticsMakeAvailable;
    return word;
}

/* A storage class as the environment writes it: kernels reach global and constant memory by its address. */
XE_FN_ uint32_t spe_storage_(const spe_module *m, uint32_t storage)
{
    bool by_address = storage == SPE_StorageClassCrossWorkgroup || storage == SPE_StorageClassUniformConstant;
    return m->options.env && by_address ? (uint32_t)SPE_StorageClassPhysicalStorageBuffer : storage;
}

/* May a compiler contract the operation with another, or rearrange it, unless it is decorated? */
XE_FN_ bool spe_contracts_(uint32_t op) { return op == SPE_OpFAdd || op == SPE_OpFSub || op == SPE_OpFMul; }

/* The id of the environment's set of mathematics, imported on first use. */
XE_FN_ spe_id spe_math_set_(spe_module *m)
{
    const char *name = m->options.env ? "GLSL.std.450" : "OpenCL.std";
    uint32_t w[5];
    if (m->math_set) return m->math_set;
    spe_put_text_(w + 1, name);
    w[0] = m->math_set = spe_new_id_(m, 0, 0, 0);
    spe_write_words_(m, SPE_SECTION_IMPORT_, SPE_OpExtInstImport, 1 + spe_text_words_(name), w, 0, NULL);
    return m->math_set;
}

/* needs.c - the capability that each feature needs, and the extension or version that each capability needs: from lists
 * that numbers.py generates from the grammar, and from what the grammar says only in prose. */

typedef struct {
    uint16_t first, last;         /* capabilities */
    uint32_t version, core_since; /* lowest version with it (0: any); version that needs no extension (0: none) */
    const char *extension;        /* "": none */
} spe_capability_row_;

/* The source of a capability; NULL: every version has it. */
XE_ONCE_
XE_FN_ const spe_capability_row_ *spe_capability_row_of_(uint32_t capability)
{
#define SPE_ROW_(first, last, version, extension, core)                                                                \
    {first, last, (version) ? SPE_VERSION(1, version) : 0, (core) ? SPE_VERSION(1, core) : 0, extension},
    static const spe_capability_row_ rows[] = {SPE_SOURCES_(SPE_ROW_)};
#undef SPE_ROW_
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (capability >= rows[i].first && capability <= rows[i].last) return &rows[i];
    }
    return NULL;
}

typedef struct {
    uint16_t what, first, last; /* kind, SPE_NEED_..., and the range of its numbers with this need */
    uint16_t capability;
} spe_need_row_;

/* The kind of need that all variants of instructions are. */
XE_FN_ uint32_t spe_need_kind_(uint32_t what)
{
    return what > SPE_NEED_OP_ && what < SPE_NEED_END_ ? (uint32_t)SPE_NEED_OP_ : what;
}

/* The first row that may contain a number: rows are sorted by kind, and within a kind by number. */
XE_ONCE_
XE_FN_ const spe_need_row_ *spe_first_need_(uint32_t kind, uint32_t number)
{
#define SPE_ROW_(what, first, last, capability) {SPE_NEED_##what##_, first, last, SPE_Capability##capability},
    static const spe_need_row_ rows[] = {
        SPE_ROW_(INT, 8, 8, Int8) SPE_ROW_(INT, 16, 16, Int16) SPE_ROW_(INT, 64, 64, Int64)
        SPE_ROW_(FLOAT, 16, 16, Float16) SPE_ROW_(FLOAT, 64, 64, Float64)
        SPE_ROW_(ENCODING, SPE_BF16, SPE_BF16, BFloat16TypeKHR) SPE_ROW_(ENCODING, SPE_E4M3, SPE_E5M2, Float8EXT)
        SPE_ROW_(VECTOR, 8, 8, Vector16) SPE_ROW_(VECTOR, 16, 16, Vector16)
        SPE_ROW_(COOP, SPE_IEEE, SPE_IEEE, CooperativeMatrixKHR)
        SPE_ROW_(COOP, SPE_BF16, SPE_BF16, BFloat16CooperativeMatrixKHR)
        SPE_ROW_(COOP, SPE_E4M3, SPE_E5M2, Float8CooperativeMatrixEXT) SPE_ROW_(COOPVEC, 0, 0, CooperativeVectorNV)
        SPE_NEEDED_(SPE_ROW_) {SPE_NEED_END_, 0, 0, 0}
    };
#undef SPE_ROW_
    size_t low = 0, high = sizeof rows / sizeof *rows - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        uint32_t its = spe_need_kind_(rows[middle].what);
        if (its < kind || (its == kind && rows[middle].last < number)) low = middle + 1;
        else high = middle;
    }
    return &rows[low];
}

void spe_extension(spe_module *m, const char *name)
{
    if (m->error.id) return;
    if (!*name || strlen(name) > 255) SPE_ERROR_(m, NAME, "\"%.60s\" is not a name of an extension", name);
    else spe_write_once_(m, SPE_OpExtension, name);
}

XE_FN_ bool spe_declares_(const spe_module *m, uint32_t capability)
{
    const spe_buffer_ *b = &m->buffer[SPE_BUFFER_CAPS_];
    for (size_t i = 0; i < b->count; i++) {
        if (b->data[i] == capability) return true;
    }
    return false;
}

/* Declares a capability that exists. */
XE_FN_ void spe_declare_(spe_module *m, uint32_t capability)
{
    if (m->error.id || spe_declares_(m, capability)) return;
    const spe_capability_row_ *row = spe_capability_row_of_(capability);
    if (row && m->options.version < row->version) {
        spe_error_(m, SPE_ERR_VERSION, "capability %u needs SPIR-V 1.%u, the module is 1.%u", capability,
                   row->version >> 8 & 0xff, m->options.version >> 8 & 0xff);
        return;
    }
    if (m->options.env && capability == SPE_CapabilityBitInstructions) return; /* Vulkan has these in the core */
    if (m->vulkan && !m->vulkan->has_capability(m, capability, row ? row->extension : "")) return;
    uint32_t *at = spe_push_(m, SPE_BUFFER_CAPS_, 1);
    if (at) *at = capability;
    if (row && *row->extension && !(row->core_since && m->options.version >= row->core_since))
        spe_extension(m, row->extension);
}

void spe_capability(spe_module *m, uint32_t capability)
{
#define SPE_ROW_(first, last) {first, last},
    static const struct {
        uint16_t first, last;
    } known[] = {SPE_CAPABILITIES_KNOWN_(SPE_ROW_)};
#undef SPE_ROW_
    bool found = false;
    m->doing = __func__;
    for (size_t i = 0; i < sizeof known / sizeof *known && !found; i++)
        found = capability >= known[i].first && capability <= known[i].last;
    if (found) spe_declare_(m, capability);
    else spe_error_(m, SPE_ERR_RANGE, "there is no capability %u", capability);
}

/* Declares what a type, decoration, mode ... (of a kind, and its number) needs; of instructions, what their variants
 * (bits from SPE_NEED_OP_ on) do. True where all variants need the same. */
XE_FN_ bool spe_need_any_(spe_module *m, uint32_t kind, uint32_t number, uint32_t variants)
{
    const spe_need_row_ *r = spe_first_need_(kind, number);
    bool same = true;
    for (; spe_need_kind_(r->what) == kind && r->first <= number; r++) {
        if (r->what > SPE_NEED_OP_) same = false;
        if (r->what <= SPE_NEED_OP_ || (variants >> (r->what - SPE_NEED_OP_) & 1)) spe_declare_(m, r->capability);
    }
    return same;
}

XE_FN_ void spe_need_(spe_module *m, uint32_t kind, uint32_t number) { spe_need_any_(m, kind, number, 0); }

/* An instruction's variant: the width or encoding of its result, or of the value it stores. */
XE_ONCE_
XE_FN_ uint32_t spe_variant_(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (!t || t->encoding == SPE_BF16) return t ? SPE_NEED_OP_BF16_ : SPE_NEED_OP_;
    return t->bits == 64 ? SPE_NEED_OP_64_ : t->bits == 32 ? SPE_NEED_OP_32_ : SPE_NEED_OP_16_;
}

XE_FN_ bool spe_uses_(const spe_module *m, uint32_t op) { return m->used[op / 64] >> (op % 64) & 1; }

/* Notes that an instruction is used and declares what it needs; opcodes without variants are looked up once per
 * module. */
XE_FN_ void spe_need_op_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    bool clustered = n > 1 && operands[1] == SPE_GroupOperationClusteredReduce;
    uint32_t width = spe_variant_(m, type ? type : n ? spe_type_of(m, operands[n - 1]) : 0);
    uint32_t over = clustered ? SPE_NEED_OP_CLUSTERED_ : SPE_NEED_OP_ACROSS_;
    uint32_t variants = 1u << (width - SPE_NEED_OP_) | 1u << (over - SPE_NEED_OP_);
    if (op < SPE_OPCODES_NOTED_) m->used[op / 64] |= (uint64_t)1 << (op % 64);
    if (spe_need_any_(m, SPE_NEED_OP_, op, variants) && op < SPE_OPCODES_KNOWN_)
        m->seen[op / 64] |= (uint64_t)1 << (op % 64);
}

/* types.c - unique types: queries and constructors. */

XE_FN_ spe_type_info spe_info_of_(spe_kind kind, uint32_t bits, uint32_t count, spe_id elem)
{
    spe_type_info t = {kind, bits, count, elem, 0, SPE_IEEE, NULL, 0, 0, 0, 0, 0, 0, false, false, false};
    return t;
}

spe_type_info spe_info(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    return t ? *t : spe_info_of_(SPE_KIND_NONE, 0, 0, 0);
}

uint32_t spe_alignment(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    uint32_t a, largest = 0, room = 1;
    if (!t) return 0;
    switch (t->kind) {
    case SPE_KIND_INT: case SPE_KIND_FLOAT: return t->bits / 8;
    case SPE_KIND_POINTER: case SPE_KIND_FORWARD: return 8;
    case SPE_KIND_ARRAY: return spe_alignment(m, t->elem);
    case SPE_KIND_VECTOR:
        while (room < t->count && room < 0x80000000) room *= 2;
        return spe_alignment(m, t->elem) * room;
    case SPE_KIND_STRUCT:
        if (t->packed) return 1;
        for (uint32_t i = 0; i < t->count; i++) {
            a = spe_alignment(m, t->members[i]);
            if (a > largest) largest = a;
        }
        return largest;
    default: return 0;
    }
}

/* Rounds up to a multiple of a power of two. */
XE_FN_ uint64_t spe_rounded_(uint64_t n, uint32_t to) { return (n + to - 1) & ~((uint64_t)to - 1); }

uint64_t spe_offset(const spe_module *m, spe_id type, uint32_t member)
{
    const spe_type_info *t = spe_info_(m, type);
    uint64_t at = 0;
    if (!t || t->kind != SPE_KIND_STRUCT || member > t->count) return 0;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t align = t->packed ? 1 : spe_alignment(m, t->members[i]);
        at = spe_rounded_(at, align ? align : 1);
        if (i == member) break;
        at += spe_size(m, t->members[i]);
    }
    return at;
}

uint64_t spe_size(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    uint32_t align = spe_alignment(m, type);
    if (!align) return 0;
    switch (t->kind) {
    case SPE_KIND_ARRAY: return t->count * spe_size(m, t->elem);
    case SPE_KIND_STRUCT: return spe_rounded_(spe_offset(m, type, t->count), align);
    default: return align; /* numbers, pointers, vectors: a multiple of itself */
    }
}

/* The name of a storage class, for messages. */
XE_FN_ const char *spe_storage_text_(uint32_t storage)
{
#define SPE_CASE_(kind, name, number) case number: return #name;
    switch (storage) {
        SPE_StorageClass_(SPE_CASE_, StorageClass)
    default: return "of another environment";
    }
#undef SPE_CASE_
}

char *spe_type_text(const spe_module *m, spe_id type, char *text, size_t size)
{
    static const char *const encodings[] = {"f", "bf", "e4m3_", "e5m2_"};
    static const char *const dims[] = {"1D", "2D", "3D", "buffer"}, *const accesses[] = {"read", "write", "read-write"};
    const spe_type_info *t = spe_info_(m, type), *e = t ? spe_info_(m, t->elem) : NULL;
    char inner[64];
    int n = 0; /* a text that is too long is truncated */
    if (e && e->kind == SPE_KIND_POINTER && t->kind == SPE_KIND_POINTER) memcpy(inner, "ptr", sizeof "ptr");
    else if (e) spe_type_text(m, t->elem, inner, sizeof inner);
    switch (t ? t->kind : SPE_KIND_NONE) {
    case SPE_KIND_VOID: n = snprintf(text, size, "void"); break;
    case SPE_KIND_BOOL: n = snprintf(text, size, "bool"); break;
    case SPE_KIND_INT: n = snprintf(text, size, "i%u", t->bits); break;
    case SPE_KIND_FLOAT: n = snprintf(text, size, "%s%u", encodings[t->encoding], t->bits); break;
    case SPE_KIND_VECTOR: n = snprintf(text, size, "%sx%u", inner, t->count); break;
    case SPE_KIND_ARRAY:
        if (t->count) n = snprintf(text, size, "[%u]%s", t->count, inner);
        else n = snprintf(text, size, "[spec]%s", inner);
        break;
    case SPE_KIND_STRUCT: n = snprintf(text, size, "struct of %u", t->count); break;
    case SPE_KIND_POINTER: n = snprintf(text, size, "ptr<%s>", inner); break;
    case SPE_KIND_FUNCTION: n = snprintf(text, size, "function of %u", t->count); break;
    case SPE_KIND_COOPMAT:
        n = snprintf(text, size, "coopmat<%s, %ux%u, use %u>", inner, t->rows, t->cols, t->use);
        break;
    case SPE_KIND_IMAGE:
        n = snprintf(text, size, "image<%s%s, %s>", dims[t->dim < 4 ? t->dim : 3],
                     t->count > t->dim + 1 ? " array" : "", accesses[t->access]);
        break;
    case SPE_KIND_SAMPLER: n = snprintf(text, size, "sampler"); break;
    case SPE_KIND_SAMPLED_IMAGE: n = snprintf(text, size, "sampled image"); break;
    case SPE_KIND_FORWARD: n = snprintf(text, size, "incomplete pointer"); break;
    case SPE_KIND_COOPVEC: n = snprintf(text, size, "coopvec<%s, %u>", inner, t->count); break;
    default: n = snprintf(text, size, type ? "no type" : "poison"); break;
    }
    return n < 0 && size ? (*text = 0, text) : text;
}

/* A type as text, for messages; the last two remain valid. */
XE_FN_ const char *spe_text_(spe_module *m, spe_id type)
{
    return spe_type_text(m, type, m->text[m->texts++ % 2], sizeof m->text[0]);
}

/* Reports two types that should be the same. */
XE_FN_ spe_id spe_disagree_(spe_module *m, spe_id a, spe_id b)
{
    const char *text = spe_text_(m, a);
    return spe_error_(m, SPE_ERR_TYPE, "operand types disagree: %s and %s", text, spe_text_(m, b));
}

/* -- constructors -------------------------------------------------------------------------------------------------- */

/* Stores the description of a type; returns its id. */
XE_FN_ spe_id spe_keep_type_(spe_module *m, spe_id id, spe_type_info info)
{
    if (!spe_grow_(m, &m->types, &m->type_capacity, m->type_count + 1, sizeof *m->types, 32)) return 0;
    m->types[m->type_count] = info;
    m->ids[id].aux = (uint32_t)m->type_count++;
    return id;
}

/* The type with these n words; if it is new, declares what (need, value) requires (spe_need_). */
XE_FN_ spe_id spe_type_(spe_module *m, uint32_t op, spe_type_info info, uint32_t need, uint32_t value, uint32_t n,
                        const uint32_t *w)
{
    spe_id next = (spe_id)m->id_count, id = spe_unique_(m, op, SPE_ID_TYPE_, n, w);
    if (id != next) return id;
    spe_need_(m, need, value);
    return spe_keep_type_(m, id, info);
}

spe_id spe_void(spe_module *m)
{
    return spe_type_(m, SPE_OpTypeVoid, spe_info_of_(SPE_KIND_VOID, 0, 0, 0), SPE_NEED_NOTHING_, 0, 0, NULL);
}

spe_id spe_bool(spe_module *m)
{
    spe_type_info t = spe_info_of_(SPE_KIND_BOOL, 1, 1, 0);
    if (m->known_bool && !m->error.id) return m->known_bool;
    return m->known_bool = spe_type_(m, SPE_OpTypeBool, t, SPE_NEED_NOTHING_, 0, 0, NULL);
}

/* A type of numbers. Apart, so that asking for one that exists takes few instructions. */
XE_FN_ spe_id spe_number_type_(spe_module *m, spe_kind kind, uint32_t bits)
{
    bool is_int = kind == SPE_KIND_INT;
    uint32_t w[2] = {bits, 0}, op = is_int ? SPE_OpTypeInt : SPE_OpTypeFloat;
    return spe_type_(m, op, spe_info_of_(kind, bits, 1, 0), is_int ? SPE_NEED_INT_ : SPE_NEED_FLOAT_, bits,
                     is_int ? 2 : 1, w);
}

spe_id spe_int(spe_module *m, uint32_t bits)
{
    if (bits < 8 || bits > 64 || (bits & (bits - 1)))
        return SPE_ERROR_(m, RANGE, "%u bits; there are 8, 16, 32 and 64", bits);
    if (m->known_int[bits / 16] && !m->error.id) return m->known_int[bits / 16];
    return m->known_int[bits / 16] = spe_number_type_(m, SPE_KIND_INT, bits);
}

spe_id spe_float(spe_module *m, uint32_t bits)
{
    if (bits != 16 && bits != 32 && bits != 64) return SPE_ERROR_(m, RANGE, "%u bits; there are 16, 32 and 64", bits);
    if (m->known_float[bits / 16] && !m->error.id) return m->known_float[bits / 16];
    return m->known_float[bits / 16] = spe_number_type_(m, SPE_KIND_FLOAT, bits);
}

XE_ONCE_
XE_FN_ spe_id spe_small_float_(spe_module *m, uint32_t bits, spe_encoding encoding, uint32_t number)
{
    spe_type_info t = spe_info_of_(SPE_KIND_FLOAT, bits, 1, 0);
    uint32_t w[2] = {bits, number};
    t.encoding = encoding;
    return spe_type_(m, SPE_OpTypeFloat, t, SPE_NEED_ENCODING_, (uint32_t)encoding, 2, w);
}
spe_id spe_bf16(spe_module *m) { return spe_small_float_(m, 16, SPE_BF16, SPE_FPEncodingBFloat16KHR); }
spe_id spe_e4m3(spe_module *m) { return spe_small_float_(m, 8, SPE_E4M3, SPE_FPEncodingFloat8E4M3EXT); }
spe_id spe_e5m2(spe_module *m) { return spe_small_float_(m, 8, SPE_E5M2, SPE_FPEncodingFloat8E5M2EXT); }

/* Here rather than with the other constants, because types contain numbers of elements. */
spe_id spe_u32(spe_module *m, uint32_t value) { return spe_const_scalar_(m, spe_int(m, 32), value); }

/* The number of pieces of a vector that the environment has none of; 0: it is none. */
XE_FN_ uint32_t spe_pieces_(const spe_module *m, spe_id type)
{
    if (m->options.env == SPE_ENV_OPENCL) return 0;
    uint32_t n = spe_count(m, type);
    return n > 4 ? n / 4 : 0;
}

spe_id spe_vec(spe_module *m, spe_id elem, uint32_t n)
{
    const spe_type_info *e = spe_want_type_(m, __func__, elem);
    uint32_t w[2] = {elem, n};
    spe_id *recent = spe_recent_of_(m, elem | SPE_RECENT_VECTOR_, n);
    if (!e || *recent) return *recent;
    if (!e->bits) return SPE_ERROR_(m, TYPE, "a vector has scalar components, not %s", spe_text_(m, elem));
    if (n == 1) return *recent = elem;
    if (n != 2 && n != 3 && n != 4 && n != 8 && n != 16 &&
        !(n && (spe_declares_(m, SPE_CapabilityVectorAnyINTEL) || spe_declares_(m, SPE_CapabilityLongVectorEXT))))
        return SPE_ERROR_(m, RANGE, "%u components; there are 1, 2, 3, 4, 8 and 16", n);
    if (m->vulkan && n > 4) {
        spe_id id = m->vulkan->vec(m, elem, n, false);
        *spe_recent_of_(m, elem | SPE_RECENT_VECTOR_, n) = id;
        return id;
    }
    return *recent =
               spe_type_(m, SPE_OpTypeVector, spe_info_of_(SPE_KIND_VECTOR, 0, n, elem), SPE_NEED_VECTOR_, n, 2, w);
}

spe_id spe_vec_like(spe_module *m, spe_id elem, spe_id value)
{
    return SPE_WITHIN_(m, spe_vec(m, elem, spe_count(m, spe_type_of(m, value))));
}

/* Can memory hold values of this type? */
XE_FN_ bool spe_is_stored_(const spe_type_info *t)
{
    return t->kind != SPE_KIND_VOID && t->kind != SPE_KIND_FUNCTION &&
           (t->kind < SPE_KIND_IMAGE || t->kind > SPE_KIND_FORWARD);
}

spe_id spe_array(spe_module *m, spe_id elem, uint32_t n)
{
    spe_type_info t = spe_info_of_(SPE_KIND_ARRAY, 0, n, elem);
    const spe_type_info *e = spe_want_type_(m, __func__, elem);
    uint32_t w[2] = {elem, 0};
    if (!e) return 0;
    if (!n || !spe_is_stored_(e)) return SPE_ERROR_(m, TYPE, "%u elements of %s", n, spe_text_(m, elem));
    w[1] = spe_u32(m, n);
    return w[1] ? spe_type_(m, SPE_OpTypeArray, t, SPE_NEED_NOTHING_, 0, 2, w) : 0;
}

/* The struct of these members, for the call `name`. */
XE_FN_ spe_id spe_struct_of_(spe_module *m, const char *name, uint32_t n, const spe_id *members)
{
    spe_type_info t = spe_info_of_(SPE_KIND_STRUCT, 0, n, 0);
    for (uint32_t i = 0; i < n; i++) {
        const spe_type_info *e = spe_want_type_(m, name, members[i]);
        if (!e) return 0;
        m->doing = name;
        if (!spe_is_stored_(e) && e->kind != SPE_KIND_FORWARD)
            return spe_error_(m, SPE_ERR_TYPE, "member %u is %s", i, spe_text_(m, members[i]));
    }
    t.members = (const spe_id *)spe_copied_(m, members, n * sizeof *members);
    return spe_type_(m, SPE_OpTypeStruct, t, SPE_NEED_NOTHING_, 0, n, members);
}

/* Makes a struct, if it is one, a type of its own: the next spe_struct of its members is another. */
XE_FN_ void spe_unshare_struct_(spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (t && t->kind == SPE_KIND_STRUCT) spe_forget_(m, SPE_OpTypeStruct, type, t->count, t->members);
}

spe_id spe_array_sized(spe_module *m, spe_id elem, spe_id count)
{
    spe_type_info t = spe_info_of_(SPE_KIND_ARRAY, 0, 0, elem);
    const spe_type_info *e = spe_want_type_(m, __func__, elem), *c = spe_info_(m, spe_type_of(m, count));
    uint32_t w[2] = {elem, count};
    uint64_t n;
    if (!e) return 0;
    if (!spe_is_const(m, count) || c->kind != SPE_KIND_INT)
        return SPE_ERROR_(m, NO_VALUE, "the number of elements, %u, is not an integer constant", count);
    if (spe_const_bits(m, count, &n)) {
        if (n <= UINT32_MAX) return SPE_WITHIN_(m, spe_array(m, elem, (uint32_t)n));
        return SPE_ERROR_(m, RANGE, "%llu elements", (unsigned long long)n);
    }
    if (!(m->ids[count].flags & SPE_ID_SPEC_)) return SPE_ERROR_(m, NO_VALUE, "the number of elements is undefined");
    if (!spe_is_stored_(e)) return SPE_ERROR_(m, TYPE, "elements of %s", spe_text_(m, elem));
    return spe_type_(m, SPE_OpTypeArray, t, SPE_NEED_NOTHING_, 0, 2, w);
}

spe_id spe_struct(spe_module *m, uint32_t n, const spe_id *members)
{
    spe_id next = (spe_id)m->id_count, id = spe_struct_of_(m, __func__, n, members);
    if (id && id < next) m->types[m->ids[id].aux].shared = true;
    return id;
}

spe_id spe_struct_new(spe_module *m, uint32_t n, const spe_id *members)
{
    spe_id next = (spe_id)m->id_count, id = spe_struct_of_(m, __func__, n, members);
    if (id && id < next) { /* that of an spe_struct before: spe_struct's next call gives a third */
        spe_unshare_struct_(m, id);
        id = spe_struct_of_(m, __func__, n, members);
    }
    spe_unshare_struct_(m, id);
    return id;
}

/* Does OpenCL, or an extension of Intel's, have this storage class? Vulkan's push constants are for parameters. */
XE_ONCE_
XE_FN_ bool spe_is_storage_(const spe_module *m, uint32_t storage)
{
    enum { CODE_SECTION = 5605, DEVICE_ONLY = 5936, HOST_ONLY = 5937 };
    switch (storage) {
    case SPE_StorageClassUniformConstant: case SPE_StorageClassInput: case SPE_StorageClassWorkgroup:
    case SPE_StorageClassCrossWorkgroup: case SPE_StorageClassPrivate: case SPE_StorageClassFunction:
    case SPE_StorageClassGeneric: case SPE_StorageClassImage: case CODE_SECTION: case DEVICE_ONLY: case HOST_ONLY:
        return true;
    case SPE_StorageClassPushConstant: return m->options.env == SPE_ENV_VULKAN;
    default: return false;
    }
}

spe_id spe_ptr(spe_module *m, uint32_t storage, spe_id type)
{
    spe_type_info t = spe_info_of_(SPE_KIND_POINTER, 0, 1, type);
    const spe_type_info *to = spe_want_type_(m, __func__, type);
    uint32_t w[2] = {storage, type};
    t.storage = storage;
    if (!to) return 0;
    if (!spe_is_storage_(m, storage)) return SPE_ERROR_(m, RANGE, "there is no storage class %u", storage);
    if (SPE_UNLIKELY_(to->kind >= SPE_KIND_IMAGE && to->kind <= SPE_KIND_FORWARD))
        return SPE_ERROR_(m, TYPE, "there are no pointers to %s", spe_text_(m, type));
    bool differs = storage == SPE_StorageClassWorkgroup || spe_storage_(m, storage) != storage;
    if (m->vulkan && differs) return m->vulkan->pointer(m, t);
    return spe_type_(m, SPE_OpTypePointer, t, SPE_NEED_STORAGE_, storage, 2, w);
}

spe_id spe_ptr_forward(spe_module *m, uint32_t storage)
{
    spe_type_info t = spe_info_of_(SPE_KIND_FORWARD, 0, 1, 0);
    t.storage = storage;
    if (!spe_is_storage_(m, storage)) return SPE_ERROR_(m, RANGE, "there is no storage class %u", storage);
    if (m->options.env)
        return SPE_ERROR_(m, ENVIRONMENT, "this header has no structs with pointers to themselves for Vulkan");
    spe_id id = spe_new_id_(m, 0, SPE_ID_TYPE_, 0);
    if (!id || !spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpTypeForwardPointer, 2, id, storage)) return 0;
    m->forward_count++;
    return spe_keep_type_(m, id, t);
}

void spe_ptr_complete(spe_module *m, spe_id ptr, spe_id type)
{
    const spe_type_info *to = spe_want_type_(m, __func__, type), *t = spe_want_type_(m, __func__, ptr);
    uint32_t w[2] = {t ? t->storage : 0, type};
    if (!to || !t) return;
    if (t->kind != SPE_KIND_FORWARD) SPE_ERROR_(m, TYPE, "%s is not an incomplete pointer", spe_text_(m, ptr));
    if (to->kind != SPE_KIND_STRUCT) SPE_ERROR_(m, TYPE, "the pointer is to a struct, not %s", spe_text_(m, type));
    if (spe_unique_as_(m, SPE_OpTypePointer, SPE_ID_TYPE_, 2, w, ptr) != ptr)
        SPE_ERROR_(m, TYPE, "spe_ptr was asked for a pointer to the struct before this one was complete");
    if (m->error.id) return;
    spe_type_info *own = &m->types[m->ids[ptr].aux];
    own->kind = SPE_KIND_POINTER;
    own->elem = type;
    m->forward_count--;
    spe_need_(m, SPE_NEED_STORAGE_, w[0]);
}

spe_id spe_fn_type(spe_module *m, spe_id ret, uint32_t n, const spe_id *params)
{
    spe_type_info t = spe_info_of_(SPE_KIND_FUNCTION, 0, n, ret);
    uint32_t w[256];
    const spe_type_info *r = spe_want_type_(m, __func__, ret);
    if (!r) return 0;
    if (r->kind != SPE_KIND_VOID && !spe_is_stored_(r))
        return SPE_ERROR_(m, TYPE, "a function returns no %s", spe_text_(m, ret));
    if (n > 255) return SPE_ERROR_(m, LIMIT, "%u parameters; SPIR-V allows 255", n);
    w[0] = ret;
    for (uint32_t i = 0; i < n; i++) {
        const spe_type_info *p = spe_want_type_(m, __func__, params[i]);
        if (!p) return 0;
        if (p->kind == SPE_KIND_VOID || p->kind == SPE_KIND_FORWARD)
            return SPE_ERROR_(m, TYPE, "parameter %u is %s", i, spe_text_(m, params[i]));
        w[i + 1] = params[i];
    }
    t.members = (const spe_id *)spe_copied_(m, params, n * sizeof *params);
    return spe_type_(m, SPE_OpTypeFunction, t, SPE_NEED_NOTHING_, 0, n + 1, w);
}

spe_id spe_coopmat(spe_module *m, spe_id component, uint32_t scope, uint32_t rows, uint32_t cols, uint32_t use)
{
    spe_type_info t = spe_info_of_(SPE_KIND_COOPMAT, 0, 0, component);
    const spe_type_info *e = spe_want_type_(m, __func__, component);
    uint32_t w[5] = {component, scope, rows, cols, use}, encoding;
    if (!e) return 0;
    if (e->kind != SPE_KIND_INT && e->kind != SPE_KIND_FLOAT)
        return SPE_ERROR_(m, TYPE, "components are integers or floats, not %s", spe_text_(m, component));
    if (!rows || !cols || use > 2) return SPE_ERROR_(m, RANGE, "%u x %u of use %u", rows, cols, use);
    t.scope = scope;
    t.rows = rows;
    t.cols = cols;
    t.use = use;
    encoding = (uint32_t)e->encoding;
    spe_need_(m, SPE_NEED_COOP_, SPE_IEEE);
    for (uint32_t i = 1; i < 5; i++) w[i] = spe_u32(m, w[i]);
    return w[4] ? spe_type_(m, SPE_OpTypeCooperativeMatrixKHR, t, SPE_NEED_COOP_, encoding, 5, w) : 0;
}

spe_id spe_coopvec(spe_module *m, spe_id component, uint32_t n)
{
    spe_type_info t = spe_info_of_(SPE_KIND_COOPVEC, 0, n, component);
    const spe_type_info *e = spe_want_type_(m, __func__, component);
    uint32_t w[2] = {component, 0};
    if (!e) return 0;
    if ((e->kind != SPE_KIND_INT && e->kind != SPE_KIND_FLOAT) || !n)
        return SPE_ERROR_(m, TYPE, "one or more integers or floats, not %u of %s", n, spe_text_(m, component));
    w[1] = spe_u32(m, n);
    return w[1] ? spe_type_(m, SPE_OpTypeCooperativeVectorNV, t, SPE_NEED_COOPVEC_, 0, 2, w) : 0;
}

/* host.c - numbers on the host: conversions between the float types, and arithmetic of C constants. All of it works on
 * bits, so that neither the program's rounding mode, nor its flushing of subnormals (which -ffast-math turns on), nor
 * what its compiler assumes about infinities and NaNs (-ffinite-math-only) changes a result.
 */

typedef struct {
    uint32_t exponent, mantissa; /* bits */
    uint64_t largest;            /* bits of the largest finite value */
    uint64_t infinity, nan;      /* bits above it; infinity == nan: no infinity */
} spe_format_;

/* The first four are in the order of spe_encoding, where IEEE with 16 bits is f16. */
enum {
    SPE_FORMAT_F16_,
    SPE_FORMAT_BF16_,
    SPE_FORMAT_E4M3_,
    SPE_FORMAT_E5M2_,
    SPE_FORMAT_TF32_,
    SPE_FORMAT_F32_,
    SPE_FORMAT_F64_,
    SPE_FORMAT_E2M1_
};

XE_FN_ const spe_format_ *spe_format_of_(int which)
{
    static const spe_format_ formats[] = {
        {5, 10, 0x7bff, 0x7c00, 0x7e00},
        {8, 7, 0x7f7f, 0x7f80, 0x7fc0},
        {4, 3, 0x7e, 0x7f, 0x7f},
        {5, 2, 0x7b, 0x7c, 0x7e},
        {8, 10, 0x3fbff, 0x3fc00, 0x3fe00},
        {8, 23, 0x7f7fffff, 0x7f800000, 0x7fc00000},
        {11, 52, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000},
        {2, 1, 0x7, 0x7, 0x7},
    };
    return &formats[which];
}

/* The format of a type: -1 if there is none. A width of 19 bits is tf32. */
XE_FN_ int spe_format_for_(spe_encoding encoding, uint32_t bits)
{
    if (encoding == SPE_BF16) return bits == 16 ? (int)SPE_FORMAT_BF16_ : -1;
    if (encoding != SPE_IEEE) return bits == 8 ? (int)encoding : -1;
    return bits == 16   ? (int)SPE_FORMAT_F16_
           : bits == 19 ? (int)SPE_FORMAT_TF32_
           : bits == 32 ? (int)SPE_FORMAT_F32_
           : bits == 64 ? (int)SPE_FORMAT_F64_
                        : -1;
}

/* ---- numbers in their parts -------------------------------------------------------------------------------------- */

enum { SPE_FINITE_, SPE_INFINITE_, SPE_NAN_ };

/* A finite number is 0, or mantissa * 2^(exponent - 63) where the mantissa's highest bit is set; its lowest is also set
 * if bits below it were cut off, which is enough to round correctly later. A NaN's mantissa is its payload. Its 16
 * bytes are passed in registers, which conversions of large matrices need. */
typedef struct {
    uint64_t mantissa;
    int exponent;
    bool negative;
    uint8_t kind;
} spe_parts_;

XE_FN_ spe_parts_ spe_normal_(spe_parts_ p)
{
    for (; p.mantissa && !(p.mantissa >> 63); p.exponent--) p.mantissa <<= 1;
    return p;
}

XE_FN_ spe_parts_ spe_decode_(int format, uint64_t bits)
{
    const spe_format_ *f = spe_format_of_(format);
    uint64_t sign = (uint64_t)1 << (f->exponent + f->mantissa), magnitude = bits & (sign - 1);
    int biased = (int)(magnitude >> f->mantissa), bias = (1 << (f->exponent - 1)) - 1;
    spe_parts_ p = {magnitude << (64 - f->mantissa), biased - bias, (bits & sign) != 0, SPE_FINITE_};
    if (magnitude > f->largest) {
        p.kind = magnitude == f->infinity && f->infinity != f->nan ? SPE_INFINITE_ : SPE_NAN_;
        return p;
    }
    p.mantissa >>= 1;
    if (biased) {
        p.mantissa |= (uint64_t)1 << 63;
        return p;
    }
    p.exponent = 1 - bias;
    return spe_normal_(p);
}

/* Rounds to nearest, ties to even. NaNs become quiet; those of f32 and f64 keep their payload. */
XE_FN_ uint64_t spe_encode_(int format, spe_parts_ p, bool saturate)
{
    const spe_format_ *f = spe_format_of_(format);
    uint64_t sign = (uint64_t)p.negative << (f->exponent + f->mantissa), half, rest, bits;
    int exponent = p.exponent + (1 << (f->exponent - 1)) - 1, shift = 63 - (int)f->mantissa;
    if (p.kind == SPE_NAN_) return sign | f->nan | (f->mantissa > 20 ? p.mantissa >> (64 - f->mantissa) : 0);
    if (p.kind == SPE_INFINITE_) return sign | (saturate ? f->largest : f->infinity);
    if (exponent < 1) shift += 1 - exponent; /* subnormal */
    if (!p.mantissa || shift > 64) return sign;
    half = (uint64_t)1 << (shift - 1);
    rest = p.mantissa & (half | (half - 1));
    bits = p.mantissa >> (shift - 1) >> 1;
    if (rest > half || (rest == half && (bits & 1))) bits++;
    if (exponent > 1) bits += (uint64_t)(exponent - 1) << f->mantissa; /* the leading 1 adds one to the exponent */
    if (bits > f->largest) bits = saturate ? f->largest : f->infinity;
    return sign | bits;
}

XE_FN_ spe_parts_ spe_parts_of_int_(uint64_t magnitude, bool negative)
{
    spe_parts_ p = {magnitude, 63, negative, SPE_FINITE_};
    return spe_normal_(p);
}

XE_FN_ spe_parts_ spe_parts_of_(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return spe_decode_(SPE_FORMAT_F64_, bits);
}

XE_FN_ double spe_double_of_(spe_parts_ p)
{
    uint64_t bits = spe_encode_(SPE_FORMAT_F64_, p, false);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

XE_FN_ uint64_t spe_from_f32_(int format, float v, bool saturate)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return spe_encode_(format, spe_decode_(SPE_FORMAT_F32_, bits), saturate);
}

XE_FN_ float spe_to_f32_(int format, uint64_t bits)
{
    uint32_t word = (uint32_t)spe_encode_(SPE_FORMAT_F32_, spe_decode_(format, bits), false);
    float v;
    memcpy(&v, &word, sizeof v);
    return v;
}

uint16_t spe_f32_to_f16_bits(float v) { return (uint16_t)spe_from_f32_(SPE_FORMAT_F16_, v, false); }
float spe_f16_bits_to_f32(uint16_t bits) { return spe_to_f32_(SPE_FORMAT_F16_, bits); }
uint16_t spe_f32_to_bf16_bits(float v) { return (uint16_t)spe_from_f32_(SPE_FORMAT_BF16_, v, false); }
float spe_bf16_bits_to_f32(uint16_t bits) { return spe_to_f32_(SPE_FORMAT_BF16_, bits); }
uint8_t spe_f32_to_e4m3_bits(float v, bool sat) { return (uint8_t)spe_from_f32_(SPE_FORMAT_E4M3_, v, sat); }
float spe_e4m3_bits_to_f32(uint8_t bits) { return spe_to_f32_(SPE_FORMAT_E4M3_, bits); }
uint8_t spe_f32_to_e5m2_bits(float v, bool sat) { return (uint8_t)spe_from_f32_(SPE_FORMAT_E5M2_, v, sat); }
float spe_e5m2_bits_to_f32(uint8_t bits) { return spe_to_f32_(SPE_FORMAT_E5M2_, bits); }
uint8_t spe_f32_to_e2m1_bits(float v) { return (uint8_t)spe_from_f32_(SPE_FORMAT_E2M1_, v, true); }
float spe_e2m1_bits_to_f32(uint8_t bits) { return spe_to_f32_(SPE_FORMAT_E2M1_, bits & 0xf); }
float spe_f32_to_tf32(float v) { return spe_to_f32_(SPE_FORMAT_TF32_, spe_from_f32_(SPE_FORMAT_TF32_, v, false)); }

/* The exponent of an f32, plus 1 beyond the middle of two powers of two, or at the middle if that is even. The middle
 * of 2^-127 and 2^-126 is a subnormal. */
uint8_t spe_f32_to_e8m0_bits(float v)
{
    uint32_t bits, least_half = 0x1fffff, half = 0x3fffff;
    memcpy(&bits, &v, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000 || bits > 0x80000000) return SPE_E8M0_NAN;
    bits &= 0x7fffffff;
    bits = (bits + (bits >> 23 ? half + (bits >> 23 & 1) : least_half)) >> 23;
    return (uint8_t)(bits < SPE_E8M0_NAN ? bits : SPE_E8M0_NAN - 1);
}

float spe_e8m0_bits_to_f32(uint8_t bits)
{
    uint32_t word = (uint32_t)bits << 23 | (bits == 0 || bits == SPE_E8M0_NAN ? 0x400000u : 0);
    float v;
    memcpy(&v, &word, sizeof v);
    return v;
}

double spe_real_of_f32(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return spe_double_of_(spe_decode_(SPE_FORMAT_F32_, bits));
}

double spe_real_of_bits(spe_encoding encoding, uint32_t width, uint64_t bits)
{
    int format = spe_format_for_(encoding, width);
    return spe_double_of_(spe_decode_(format < 0 ? (int)SPE_FORMAT_F64_ : format, format < 0 ? 0 : bits));
}

uint64_t spe_real_bits(spe_encoding encoding, uint32_t width, double v, bool saturate)
{
    int format = spe_format_for_(encoding, width);
    return format < 0 ? 0 : spe_encode_(format, spe_parts_of_(v), saturate);
}

bool spe_real_fits(spe_encoding encoding, uint32_t width, double v)
{
    int format = spe_format_for_(encoding, width);
    spe_parts_ p = spe_parts_of_(v);
    if (format < 0 || p.kind != SPE_FINITE_) return format >= 0;
    p.negative = false;
    return spe_encode_(format, p, false) <= spe_format_of_(format)->largest;
}

bool spe_real_to_int(double v, int64_t *integer)
{
    spe_parts_ p = spe_parts_of_(v);
    bool least = p.negative && p.exponent == 63 && p.mantissa == (uint64_t)1 << 63;
    *integer = p.negative || p.kind == SPE_NAN_ ? INT64_MIN : -1; /* as unsigned, -1 is the largest number */
    if (p.kind != SPE_FINITE_ || p.exponent > 63 || (p.negative && p.exponent == 63)) return least;
    uint64_t magnitude = p.exponent < 0 ? 0 : p.mantissa >> (63 - p.exponent);
    bool exact = p.exponent < 0 ? !p.mantissa : magnitude << (63 - p.exponent) == p.mantissa;
    *integer = (int64_t)(p.negative ? 0 - magnitude : magnitude);
    return exact && p.exponent < 63;
}

/* The bits of a number, or of an integer, as a constant of float type t; false if t is not supported. */
XE_ONCE_
XE_FN_ bool spe_encode_scalar_(const spe_type_info *t, double value, uint64_t *bits)
{
    int format = spe_format_for_(t->encoding, t->bits);
    if (format >= 0) *bits = spe_encode_(format, spe_parts_of_(value), false);
    return format >= 0;
}

XE_ONCE_
XE_FN_ bool spe_encode_int_(const spe_type_info *t, uint64_t magnitude, bool negative, uint64_t *bits)
{
    int format = spe_format_for_(t->encoding, t->bits);
    if (format >= 0) *bits = spe_encode_(format, spe_parts_of_int_(magnitude, negative), false);
    return format >= 0;
}

XE_ONCE_
XE_FN_ double spe_real_of_int_(uint64_t magnitude, bool negative)
{
    return spe_double_of_(spe_parts_of_int_(magnitude, negative));
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

XE_FN_ bool spe_is_zero_(const spe_parts_ *p) { return p->kind == SPE_FINITE_ && !p->mantissa; }

XE_FN_ spe_parts_ spe_sum_(spe_parts_ a, spe_parts_ b)
{
    bool swap = !a.mantissa || (b.mantissa && (b.exponent > a.exponent ||
                                               (b.exponent == a.exponent && b.mantissa > a.mantissa)));
    spe_parts_ large = swap ? b : a, small = swap ? a : b;
    if (!small.mantissa) {
        if (!large.mantissa) large.negative = a.negative && b.negative;
        return large;
    }
    int shift = large.exponent - small.exponent + 1; /* one bit is left for the carry */
    uint64_t part = shift < 64 ? small.mantissa >> shift : 0;
    if (shift > 63 || part << shift != small.mantissa) part |= 1;
    large.exponent++;
    large.mantissa = (large.mantissa >> 1) + (large.negative == small.negative ? part : 0 - part);
    if (!large.mantissa) large.negative = false;
    return spe_normal_(large);
}

XE_FN_ spe_parts_ spe_product_(spe_parts_ a, spe_parts_ b)
{
    uint64_t a0 = a.mantissa & 0xffffffff, a1 = a.mantissa >> 32, b0 = b.mantissa & 0xffffffff, b1 = b.mantissa >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), carry = a0 * b1 + (middle & 0xffffffff);
    a.negative = a.negative != b.negative;
    a.exponent += b.exponent + 1;
    a.mantissa = (a1 * b1 + (middle >> 32) + (carry >> 32)) | (a.mantissa * b.mantissa != 0);
    return spe_normal_(a);
}

XE_FN_ spe_parts_ spe_quotient_(spe_parts_ a, spe_parts_ b)
{
    uint64_t rest = a.mantissa >> 1, by = b.mantissa >> 1, quotient = 0;
    for (int bit = 0; bit < 64; bit++) {
        bool one = rest >= by;
        quotient = quotient << 1 | one;
        rest = (one ? rest - by : rest) << 1;
    }
    a.negative = a.negative != b.negative;
    a.exponent -= b.exponent;
    a.mantissa = quotient | (rest != 0);
    return spe_normal_(a);
}

/* The results that no finite calculation gives: of NaN and infinity, and division by 0. */
XE_FN_ bool spe_special_(spe_arith_op op, const spe_parts_ *a, const spe_parts_ *b, spe_parts_ *result)
{
    bool negative = a->negative != b->negative;
    spe_parts_ nan = {0, 0, false, SPE_NAN_}, infinite = {0, 0, negative, SPE_INFINITE_};
    spe_parts_ zero = {0, 0, negative, SPE_FINITE_};
    *result = a->kind == SPE_NAN_ ? *a : b->kind == SPE_NAN_ ? *b : nan;
    if (a->kind == SPE_NAN_ || b->kind == SPE_NAN_) return true;
    bool a_ends = a->kind == SPE_INFINITE_, b_ends = b->kind == SPE_INFINITE_;
    if (op == SPE_ARITH_DIV && spe_is_zero_(b)) {
        if (!spe_is_zero_(a)) *result = infinite;
        return true;
    }
    if (!a_ends && !b_ends) return false;
    if (op == SPE_ARITH_MUL) {
        if (!spe_is_zero_(a) && !spe_is_zero_(b)) *result = infinite;
    } else if (op == SPE_ARITH_DIV) {
        if (a_ends != b_ends) *result = a_ends ? infinite : zero;
    } else if (!a_ends || !b_ends || a->negative == b->negative)
        *result = a_ends ? *a : *b;
    return true;
}

double spe_real_arith(spe_arith_op op, double x, double y)
{
    spe_parts_ a = spe_parts_of_(x), b = spe_parts_of_(y), result;
    if (op == SPE_ARITH_SUB && b.kind != SPE_NAN_) b.negative = !b.negative;
    if (spe_special_(op, &a, &b, &result)) return spe_double_of_(result);
    if (op == SPE_ARITH_MUL) return spe_double_of_(spe_product_(a, b));
    return spe_double_of_(op == SPE_ARITH_DIV ? spe_quotient_(a, b) : spe_sum_(a, b));
}

int spe_real_compare(double x, double y)
{
    spe_parts_ a = spe_parts_of_(x), b = spe_parts_of_(y);
    int64_t u, v;
    if (a.kind == SPE_NAN_ || b.kind == SPE_NAN_) return 2;
    memcpy(&u, &x, sizeof u);
    memcpy(&v, &y, sizeof v);
    if (u < 0) u = INT64_MIN - u; /* negative numbers in order; -0 is 0 */
    if (v < 0) v = INT64_MIN - v;
    return (u > v) - (u < v);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* printf's decimal point is the locale's, which is a comma in many, and two bytes in some. */
spe_decimal spe_decimal_of(double v, char form, int digits)
{
    spe_decimal t;
    char *to = t.s;
    snprintf(t.s, sizeof t.s, form == 'e' ? "%.*e" : "%.*g", digits, v);
    for (const char *at = t.s; *at; at++) {
        if (strchr("0123456789+-aefin", *at)) *to++ = *at;
        else if (to == t.s || to[-1] != '.') *to++ = '.';
    }
    *to = 0;
    return t;
}

/* constants.c - unique constants (for vector types the scalar is repeated), and names. */

spe_id spe_composite_const(spe_module *m, spe_id type, uint32_t n, const spe_id *parts)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    uint32_t *w, flags = SPE_ID_CONSTANT_;
    spe_id id;
    if (!t) return 0;
    if (!n || n != spe_part_count_(t)) return SPE_ERROR_(m, TYPE, "%u parts for %s", n, spe_text_(m, type));
    for (uint32_t i = 0; i < n; i++) {
        spe_id part_type = t->kind == SPE_KIND_STRUCT ? t->members[i] : t->elem;
        const spe_record_ *r = parts[i] && parts[i] < m->id_count ? &m->ids[parts[i]] : NULL;
        if (!r || !(r->flags & SPE_ID_CONSTANT_)) return SPE_ERROR_(m, NO_VALUE, "part %u is not a constant", i);
        if (r->type != part_type) return SPE_ERROR_(m, TYPE, "part %u is %s", i, spe_text_(m, r->type));
        flags |= r->flags;
    }
    spe_id piece[4];
    if (spe_pieces_(m, type)) { /* a constant of constants, a piece each */
        for (uint32_t i = 0; i < n / 4; i++)
            piece[i] = spe_composite_const(m, spe_vec(m, t->elem, 4), 4, parts + 4 * i);
        parts = piece;
        n /= 4;
    }
    w = spe_push_(m, SPE_BUFFER_STACK_, n + 1);
    if (!w) return 0;
    w[0] = type;
    memcpy(w + 1, parts, n * sizeof *parts);
    id = spe_unique_(m, flags & SPE_ID_SPEC_ ? SPE_OpSpecConstantComposite : SPE_OpConstantComposite, flags, n + 1, w);
    m->buffer[SPE_BUFFER_STACK_].count -= n + 1;
    return id;
}

/* An array of n copies of an id: `few` if it is large enough, else allocated; NULL if out of memory. */
XE_FN_ spe_id *spe_repeat_(spe_module *m, spe_id id, uint32_t n, spe_id few[16])
{
    spe_id *part = n > 16 ? (spe_id *)spe_alloc(m, n * sizeof *part) : few;
    for (uint32_t i = 0; i < n && part; i++) part[i] = id;
    return part;
}

XE_FN_ spe_id spe_const_splat_(spe_module *m, spe_id type, uint64_t bits)
{
    spe_type_info t = spe_info(m, type);
    spe_id few[16], one, *part;
    if (t.bits) return spe_const_scalar_(m, type, bits);
    one = spe_const_scalar_(m, t.elem, bits);
    part = one ? spe_repeat_(m, one, spe_part_count_(&t), few) : NULL;
    return part ? spe_composite_const(m, type, spe_part_count_(&t), part) : 0;
}

/* The scalar of a constant's type; NULL and an error if there is none. */
XE_FN_ const spe_type_info *spe_want_scalar_(spe_module *m, const char *name, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, name, type), *s = t ? spe_info_(m, spe_scalar_of(m, type)) : NULL;
    if (!s || s->bits) return s;
    m->doing = name;
    spe_error_(m, SPE_ERR_TYPE, "no such constant of %s", spe_text_(m, type));
    return NULL;
}

spe_id spe_const_f(spe_module *m, spe_id type, double value)
{
    const spe_type_info *t = spe_want_scalar_(m, __func__, type);
    uint64_t bits;
    if (!t) return 0;
    if (t->kind != SPE_KIND_FLOAT || !spe_encode_scalar_(t, value, &bits))
        return SPE_ERROR_(m, TYPE, "%s is not a float type", spe_text_(m, type));
    return spe_const_splat_(m, type, bits);
}

/* An integer as a constant of a float type; rounded once, which by way of a double it would not be. */
XE_FN_ spe_id spe_const_integer_(spe_module *m, spe_id type, const spe_type_info *t, uint64_t magnitude, bool negative)
{
    uint64_t bits;
    if (!spe_encode_int_(t, magnitude, negative, &bits))
        return SPE_ERROR_(m, TYPE, "%s is not a float type", spe_text_(m, type));
    return spe_const_splat_(m, type, bits);
}

spe_id spe_const_u(spe_module *m, spe_id type, uint64_t value)
{
    const spe_type_info *t = spe_want_scalar_(m, __func__, type);
    if (!t) return 0;
    if (t->kind == SPE_KIND_FLOAT) return spe_const_integer_(m, type, t, value, false);
    if (value <= spe_mask_(t->bits)) return spe_const_splat_(m, type, value);
    return SPE_ERROR_(m, RANGE, "%llu does not fit in %u bits", (unsigned long long)value, t->bits);
}

spe_id spe_const_i(spe_module *m, spe_id type, int64_t value)
{
    const spe_type_info *t = spe_want_scalar_(m, __func__, type);
    if (!t) return 0;
    if (t->kind == SPE_KIND_FLOAT)
        return spe_const_integer_(m, type, t, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
    int64_t limit = t->bits == 1 ? 1 : (int64_t)(spe_mask_(t->bits) >> 1);
    if (value > limit || value < (t->bits == 1 ? 0 : -limit - 1))
        return SPE_ERROR_(m, RANGE, "%lld does not fit in %u bits with a sign", (long long)value, t->bits);
    return spe_const_splat_(m, type, (uint64_t)value & spe_mask_(t->bits));
}

spe_id spe_const_bool(spe_module *m, bool value) { return spe_const_scalar_(m, spe_bool(m), value); }
spe_id spe_i32(spe_module *m, int32_t value) { return spe_u32(m, (uint32_t)value); }
spe_id spe_u64(spe_module *m, uint64_t value) { return spe_const_scalar_(m, spe_int(m, 64), value); }
spe_id spe_f32(spe_module *m, float value) { return spe_const_f(m, spe_float(m, 32), spe_real_of_f32(value)); }

spe_id spe_null(spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    if (!t) return 0;
    if (!spe_is_stored_(t)) return SPE_ERROR_(m, TYPE, "there is no null of %s", spe_text_(m, type));
    return t->bits ? spe_const_scalar_(m, type, 0) : spe_unique_(m, SPE_OpConstantNull, SPE_ID_CONSTANT_, 1, &type);
}

spe_id spe_undef(spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    if (!t) return 0;
    if (!spe_is_stored_(t)) return SPE_ERROR_(m, TYPE, "there is no undefined %s", spe_text_(m, type));
    return spe_unique_(m, SPE_OpUndef, SPE_ID_CONSTANT_, 1, &type);
}

spe_id spe_spec_const(spe_module *m, spe_id type, uint64_t bits, uint32_t spec_id)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    uint32_t op = SPE_OpSpecConstant;
    if (!t) return 0;
    if (!t->bits) return SPE_ERROR_(m, TYPE, "a spec constant is a scalar, not %s", spe_text_(m, type));
    if (bits > spe_mask_(t->bits)) return SPE_ERROR_(m, RANGE, "the default does not fit in %u bits", t->bits);
    int words = t->bits == 64 ? 2 : 1;
    if (t->kind == SPE_KIND_BOOL) words = 0, op = bits ? SPE_OpSpecConstantTrue : SPE_OpSpecConstantFalse;
    spe_id id = spe_new_id_(m, type, SPE_ID_CONSTANT_ | SPE_ID_SPEC_, 0);
    if (!id || !spe_write_(m, SPE_SECTION_GLOBAL_, op, words + 2, type, id, (uint32_t)bits, (uint32_t)(bits >> 32)))
        return 0;
    return spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 3, id, SPE_DecorationSpecId, spec_id) ? id : 0;
}

/* -- names ----------------------------------------------------------------------------------------------------- */

void spe_name(spe_module *m, spe_id id, const char *name)
{
    if (m->error.id || !name) return;
    if (!id || id >= m->id_count) SPE_ERROR_(m, NO_VALUE, "%u is not an id", id);
    spe_unshare_struct_(m, id);
    spe_named_ *row = (spe_named_ *)spe_list_add(m, &m->named, sizeof *row);
    if (!row) return;
    row->id = id;
    row->name = (const char *)spe_copied_(m, name, strlen(name) + 1);
    if (!m->options.names) return;
    uint32_t *at = spe_put_(m, SPE_SECTION_NAME_, SPE_OpName, spe_text_words_(name) + 1);
    if (!at) return;
    at[0] = id;
    spe_put_text_(at + 1, name);
}

/* decorations.c - decorations: which exist, with which literals, and what may have them. */

/* What may be decorated: bits. */
enum {
    SPE_ON_STRUCT_ = 1, SPE_ON_FUNCTION_ = 2, SPE_ON_GLOBAL_ = 4, SPE_ON_INPUT_ = 8 /* a variable in that class */,
    SPE_ON_VARIABLE_ = 16, SPE_ON_PRIVATE_ = 32 /* a variable of the invocation */, SPE_ON_PARAMETER_ = 64,
    SPE_ON_POINTER_ = 128 /* any */, SPE_ON_SUM_ = 256, SPE_ON_NEGATION_ = 512, SPE_ON_FLOAT_CONVERSION_ = 1024,
    SPE_ON_INTEGER_CONVERSION_ = 2048, SPE_ON_INSTRUCTION_ = 4096,
    SPE_ON_MEMORY_ = 8192 /* a variable, or a parameter that is a pointer */
};

typedef struct {
    uint16_t decoration, literals; /* literals 255: any number, but 2 at least */
    uint16_t targets, largest;     /* largest value of the last literal; 0: any */
} spe_decoration_;

/* The row of a decoration with a name here; NULL: it has none. */
XE_FN_ const spe_decoration_ *spe_decoration_of_(uint32_t decoration)
{
#define SPE_ROW_(name, literals, targets, largest) {SPE_Decoration##name, literals, targets, largest},
    static const spe_decoration_ rows[] = {
        SPE_ROW_(SpecId, 1, 0, 0) /* spe_spec_const writes it */
        SPE_ROW_(CPacked, 0, SPE_ON_STRUCT_, 0) SPE_ROW_(BuiltIn, 1, SPE_ON_INPUT_, 0)
        SPE_ROW_(Restrict, 0, SPE_ON_MEMORY_, 0) SPE_ROW_(Aliased, 0, SPE_ON_MEMORY_, 0)
        SPE_ROW_(Volatile, 0, SPE_ON_MEMORY_, 0) SPE_ROW_(Constant, 0, SPE_ON_VARIABLE_, 0)
        SPE_ROW_(Coherent, 0, SPE_ON_MEMORY_, 0) SPE_ROW_(NonWritable, 0, SPE_ON_PRIVATE_, 0)
        SPE_ROW_(NonReadable, 0, SPE_ON_PRIVATE_, 0) SPE_ROW_(SaturatedConversion, 0, SPE_ON_INTEGER_CONVERSION_, 0)
        SPE_ROW_(FuncParamAttr, 1, SPE_ON_PARAMETER_, 7) SPE_ROW_(FPRoundingMode, 1, SPE_ON_FLOAT_CONVERSION_, 3)
        SPE_ROW_(FPFastMathMode, 1, SPE_ON_INSTRUCTION_, 0)
        SPE_ROW_(LinkageAttributes, 255, SPE_ON_FUNCTION_ | SPE_ON_GLOBAL_, 2)
        SPE_ROW_(Alignment, 1, SPE_ON_POINTER_, 0) SPE_ROW_(MaxByteOffset, 1, SPE_ON_POINTER_, 0)
        SPE_ROW_(SaturatedToLargestFloat8NormalConversionEXT, 0, SPE_ON_FLOAT_CONVERSION_, 0)
        SPE_ROW_(NoSignedWrap, 0, SPE_ON_SUM_ | SPE_ON_NEGATION_, 0) SPE_ROW_(NoUnsignedWrap, 0, SPE_ON_SUM_, 0)
        SPE_ROW_(HostAccessINTEL, 255, SPE_ON_GLOBAL_, 0)
        SPE_ROW_(CacheControlLoadINTEL, 2, SPE_ON_POINTER_, 4) SPE_ROW_(CacheControlStoreINTEL, 2, SPE_ON_POINTER_, 3)
    };
#undef SPE_ROW_
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].decoration == decoration) return &rows[i];
    }
    return NULL;
}

/* What the id is. */
XE_FN_ uint32_t spe_targets_of_(const spe_module *m, spe_id id)
{
    const spe_record_ *r = &m->ids[id];
    const spe_type_info *t = spe_info_(m, r->type);
    uint32_t pointer = t && t->kind == SPE_KIND_POINTER ? SPE_ON_POINTER_ : 0;
    if (r->flags & SPE_ID_TYPE_) return spe_info_(m, id)->kind == SPE_KIND_STRUCT ? SPE_ON_STRUCT_ : 0;
    if (r->flags & SPE_ID_FUNCTION_) return SPE_ON_FUNCTION_;
    if (r->flags & SPE_ID_GLOBAL_)
        return SPE_ON_GLOBAL_ | SPE_ON_VARIABLE_ | SPE_ON_POINTER_ | SPE_ON_MEMORY_ |
               (t->storage == SPE_StorageClassInput ? SPE_ON_INPUT_ : 0) |
               (t->storage == SPE_StorageClassPrivate ? SPE_ON_PRIVATE_ : 0);
    if (!t || (r->flags & SPE_ID_CONSTANT_)) return 0;
    switch (r->aux) { /* the opcode of a value */
    case SPE_OpVariable: return SPE_ON_VARIABLE_ | SPE_ON_PRIVATE_ | SPE_ON_POINTER_ | SPE_ON_MEMORY_;
    case SPE_OpFunctionParameter: return SPE_ON_PARAMETER_ | pointer | (pointer ? SPE_ON_MEMORY_ : 0);
    case SPE_OpIAdd: case SPE_OpISub: case SPE_OpIMul: case SPE_OpShiftLeftLogical:
        return SPE_ON_SUM_ | SPE_ON_INSTRUCTION_;
    case SPE_OpSNegate: return SPE_ON_NEGATION_ | SPE_ON_INSTRUCTION_;
    case SPE_OpFConvert: case SPE_OpConvertSToF: case SPE_OpConvertUToF:
        return SPE_ON_FLOAT_CONVERSION_ | SPE_ON_INSTRUCTION_;
    case SPE_OpConvertFToS: case SPE_OpConvertFToU:
        return SPE_ON_FLOAT_CONVERSION_ | SPE_ON_INTEGER_CONVERSION_ | SPE_ON_INSTRUCTION_;
    case SPE_OpUConvert: case SPE_OpSConvert: return SPE_ON_INTEGER_CONVERSION_ | SPE_ON_INSTRUCTION_;
    default: return (r->aux ? SPE_ON_INSTRUCTION_ : 0) | pointer;
    }
}

/* Is the literal one of those with names? Else an error. */
XE_FN_ bool spe_is_literal_(spe_module *m, uint32_t decoration, uint32_t word)
{
#define SPE_CASE_(kind, name, number) case number: return true;
    const uint32_t contract_reassociate_transform = 0x70000, fast = 0x1f;
    if (decoration == SPE_DecorationFPFastMathMode) {
        if (!(word & ~(fast | contract_reassociate_transform))) {
            if (word & ~fast) spe_need_(m, SPE_NEED_MODE_, SPE_ExecutionModeFPFastMathDefault);
            return !m->error.id;
        }
    } else if (decoration == SPE_DecorationBuiltIn) {
        switch (word) { SPE_BuiltIn_(SPE_CASE_, K) default: break; }
    } else {
        return true;
    }
#undef SPE_CASE_
    return spe_error_(m, SPE_ERR_RANGE, "decoration %u has no value %u", decoration, word);
}

/* Has the decoration the number of literals? Else an error. */
XE_FN_ bool spe_has_literals_(spe_module *m, uint32_t decoration, uint32_t literals, uint32_t n)
{
    return (literals == 255 ? n >= 2 : n == literals) ||
           spe_error_(m, SPE_ERR_RANGE, "decoration %u has %u literals, not %u", decoration,
                      literals == 255 ? 2 : literals, n);
}

/* Is it a decoration of Intel's extensions whose capability is declared? Else an error. */
XE_FN_ bool spe_is_other_decoration_(spe_module *m, uint32_t decoration, uint32_t n)
{
#define SPE_ROW_(decoration, literals, capability) {decoration, literals, capability},
    static const struct {
        uint16_t decoration, literals, capability;
    } rows[] = {SPE_DECORATIONS_KNOWN_(SPE_ROW_)};
#undef SPE_ROW_
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].decoration != decoration) continue;
        if (!spe_declares_(m, rows[i].capability))
            return spe_error_(m, SPE_ERR_VERSION, "decoration %u needs spe_capability(%u)", decoration,
                              rows[i].capability);
        return spe_has_literals_(m, decoration, rows[i].literals, n);
    }
    return spe_error_(m, SPE_ERR_RANGE, "kernels have no decoration %u", decoration);
}

/* Is it a decoration of kernels, with such literals? Else an error. `targets`: what the id is. */
XE_FN_ bool spe_is_decoration_(spe_module *m, uint32_t decoration, uint32_t n, const uint32_t *words, spe_id id,
                               uint32_t targets)
{
    const spe_decoration_ *row = spe_decoration_of_(decoration);
    if (!row) return spe_is_other_decoration_(m, decoration, n);
    if (!spe_has_literals_(m, decoration, row->literals, n)) return false;
    if (!(row->targets & targets))
        return spe_error_(m, SPE_ERR_TYPE, "decoration %u does not apply to %u%s", decoration, id,
                          decoration == SPE_DecorationSpecId ? "; spe_spec_const writes it" : "");
    if (n && row->largest && words[n - 1] > row->largest)
        return spe_error_(m, SPE_ERR_RANGE, "the literal %u of decoration %u; the largest is %u", words[n - 1],
                          decoration, row->largest);
    return !n || spe_is_literal_(m, decoration, words[0]);
}

/* May the id be decorated so? Else an error. A struct becomes a type of its own. */
XE_FN_ bool spe_may_decorate_(spe_module *m, const char *name, spe_id id, uint32_t decoration, uint32_t n,
                              const uint32_t *words, bool is_member)
{
    m->doing = name;
    if (m->error.id || (m->vulkan && m->vulkan->keeps_decoration(m, decoration) < 1)) return false;
    const spe_type_info *t = spe_info_(m, id);
    uint32_t flags = m->ids[id].flags;
    if (decoration == SPE_DecorationCPacked && (!t || t->kind != SPE_KIND_STRUCT))
        return spe_error_(m, SPE_ERR_TYPE, "%s is not a struct: only these are packed", spe_text_(m, id));
    if (t && t->shared)
        return spe_error_(m, SPE_ERR_TYPE, "the struct was asked for more than once and would be decorated for all; "
                          "spe_struct_new makes one of its own");
    if ((flags & SPE_ID_CONSTANT_) && !(flags & SPE_ID_SPEC_))
        return spe_error_(m, SPE_ERR_TYPE, "%u is a constant, perhaps a folded one, and shared with all its uses; "
                          "spe_op writes the instruction", id);
    if (flags & SPE_ID_FOLDED_)
        return spe_error_(m, SPE_ERR_TYPE, "an operation returned value %u as it is (x + 0), so that both would be "
                          "decorated; spe_copy makes another id for it", id);
    if (!spe_is_decoration_(m, decoration, n, words, id, is_member ? UINT32_MAX : spe_targets_of_(m, id))) return false;
    spe_unshare_struct_(m, id);
    return !m->error.id;
}

void spe_decorate(spe_module *m, spe_id id, uint32_t decoration, uint32_t n, const uint32_t *words)
{
    uint32_t head[2] = {id, decoration};
    if (m->error.id) return;
    if (!id || id >= m->id_count) SPE_ERROR_(m, NO_VALUE, "%u is not an id", id);
    if (!spe_may_decorate_(m, __func__, id, decoration, n, words, false)) return;
    if (!spe_write_words_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 2, head, n, words)) return;
    spe_need_(m, SPE_NEED_DECORATION_, decoration);
    if (decoration == SPE_DecorationCPacked) m->types[m->ids[id].aux].packed = true;
    if (decoration == SPE_DecorationBuiltIn && n) spe_need_(m, SPE_NEED_BUILTIN_, words[0]);
}

void spe_decorate_member(spe_module *m, spe_id type, uint32_t member, uint32_t decoration, uint32_t n,
                         const uint32_t *words)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    uint32_t head[3] = {type, member, decoration};
    if (t && (t->kind != SPE_KIND_STRUCT || member >= t->count))
        SPE_ERROR_(m, RANGE, "%s has no member %u", spe_text_(m, type), member);
    if (!t || !spe_may_decorate_(m, __func__, type, decoration, n, words, true)) return;
    if (spe_write_words_(m, SPE_SECTION_DECORATION_, SPE_OpMemberDecorate, 3, head, n, words))
        spe_need_(m, SPE_NEED_DECORATION_, decoration);
}

/* A pointer, or a variable that contains one, may be one of several to the same memory: Vulkan wants to be told. */
XE_FN_ void spe_alias_(spe_module *m, spe_id id, spe_id type, uint32_t decoration)
{
    const spe_type_info *t = spe_info_(m, type);
    if (t && t->kind == SPE_KIND_POINTER && spe_storage_(m, t->storage) == SPE_StorageClassPhysicalStorageBuffer)
        spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 2, id, decoration);
}

/* May an id have the decoration more than once, with other literals? */
XE_ONCE_
XE_FN_ bool spe_is_repeatable_(uint32_t decoration)
{
    return decoration == SPE_DecorationFuncParamAttr || decoration == SPE_DecorationCacheControlLoadINTEL ||
           decoration == SPE_DecorationCacheControlStoreINTEL || !spe_decoration_of_(decoration);
}

/* The words that tell a decoration from others of its id: what is decorated, and how; literals, too, if it may be
 * repeated with others. */
XE_FN_ uint32_t spe_decoration_words_(const uint32_t *w)
{
    uint32_t key = (*w & 0xffff) == SPE_OpMemberDecorate ? 4 : 3;
    return spe_is_repeatable_(w[key - 1]) ? *w >> 16 : key;
}

/* The slot of such a decoration in a table of offsets + 1, a power of two of them: its own, or a free one. */
XE_FN_ uint32_t *spe_decoration_slot_(const uint32_t *data, uint32_t *slots, size_t size, const uint32_t *w)
{
    uint32_t key = spe_decoration_words_(w), h = *w & 0xffff;
    for (uint32_t i = 1; i < key; i++) h = (h ^ w[i]) * 0x85ebca6bu;
    for (h ^= h >> 15;; h++) {
        uint32_t *at = &slots[h & (size - 1)];
        const uint32_t *other = data + *at - 1;
        if (!*at) return at;
        if ((*other & 0xffff) == (*w & 0xffff) && !memcmp(other + 1, w + 1, (key - 1) * sizeof *w) &&
            spe_decoration_words_(other) == key)
            return at;
    }
}

/* What is said twice of an id or a member is written once, as validators refuse more; what contradicts is an error. */
XE_FN_ void spe_merge_decorations_(spe_module *m)
{
    spe_buffer_ *b = &m->buffer[SPE_SECTION_DECORATION_];
    size_t kept = 0, size = 1;
    if (!b->count || b->count == *b->data >> 16) return;
    while (size < b->count) size *= 2; /* of three words at least: a third full */
    uint32_t *slots = (uint32_t *)spe_alloc(m, size * sizeof *slots);
    for (size_t at = 0, words; at < b->count && !m->error.id; at += words) {
        uint32_t *w = b->data + at, *slot = spe_decoration_slot_(b->data, slots, size, w);
        words = *w >> 16;
        if (*slot) {
            uint32_t *known = b->data + *slot - 1, key = spe_decoration_words_(w);
            if (memcmp(known, w, words * sizeof *w))
                spe_error_(m, SPE_ERR_RANGE, "value %u has decoration %u twice, with %u and %u", w[1], w[key - 1],
                           known[key], w[key]);
            continue;
        }
        *slot = (uint32_t)kept + 1;
        memmove(b->data + kept, w, words * sizeof *w);
        kept += words;
    }
    if (!m->error.id) b->count = kept;
}

/* regions.c - the open regions, as messages and other files see them. */

/* What spe_name called an id; "" if nothing. */
XE_FN_ const char *spe_name_of_(const spe_module *m, spe_id id)
{
    const spe_named_ *rows = (const spe_named_ *)m->named.items;
    for (int i = m->named.count - 1; i >= 0; i--) {
        if (rows[i].id == id) return rows[i].name;
    }
    return "";
}

/* "spe_if opened at file:line", of the last spe_at before it; if there was none, that of the error. */
XE_FN_ const char *spe_region_text_(spe_module *m, const spe_region_ *r)
{
    static const char *const names[] = {"if", "if", "for", "while", "while", "switch", "switch"};
    if (r->file) snprintf(m->place, sizeof m->place, "spe_%s opened at %s:%d", names[r->kind], r->file, r->line);
    else if (!m->file) snprintf(m->place, sizeof m->place, "spe_%s opened without SPE or spe_at", names[r->kind]);
    else
        snprintf(m->place, sizeof m->place, "spe_%s opened without SPE or spe_at, before %s:%d", names[r->kind],
                 m->file, m->line);
    return m->place;
}

XE_FN_ void spe_region_left_open_(spe_module *m)
{
    spe_error_(m, SPE_ERR_REGION_OPEN, "the %s is not closed", spe_region_text_(m, &m->regions[m->region_count - 1]));
}

/* Is this neither in a side of the innermost region nor after it? Then reports an error. */
XE_ONCE_
XE_FN_ bool spe_between_sides_(spe_module *m)
{
    const spe_region_ *r = m->region_count ? &m->regions[m->region_count - 1] : NULL;
    if (!r || r->kind != SPE_REGION_SWITCH_) return false;
    spe_error_(m, SPE_ERR_REGION_CROSSED, "not between the sides of the %s: spe_case or spe_default comes first",
               spe_region_text_(m, r));
    return true;
}

/* Says where a value was made that is out of scope, and how to use it here. */
XE_FN_ spe_id spe_out_of_scope_(spe_module *m, spe_id value)
{
    const spe_record_ *r = &m->ids[value];
    const char *name = spe_name_of_(m, value), *between = *name ? " " : "";
    if (!m->open || r->serial < m->buffer[SPE_BUFFER_SCOPES_].data[1])
        return spe_error_(m, SPE_ERR_SCOPE, "value %u%s%s was made in another function: pass it as an argument", value,
                          between, name);
    size_t region = (size_t)r->depth - SPE_SCOPES_OF_FUNCTION_;
    if (r->depth >= SPE_SCOPES_OF_FUNCTION_ && region < m->region_count && r->serial >= m->regions[region].serial)
        return spe_error_(m, SPE_ERR_SCOPE, "value %u%s%s was made in another side of the %s: make it before it",
                          value, between, name, spe_region_text_(m, &m->regions[region]));
    return spe_error_(m, SPE_ERR_SCOPE, "value %u%s%s was made in a region that is closed; carry it out", value,
                      between, name);
}

/* Reports why an operand of spe_operand_ cannot be used. One function, so that it is not part of what runs for each. */
XE_FN_ spe_id spe_bad_operand_(spe_module *m, spe_id value)
{
    if (!value)
        return spe_error_(m, SPE_ERR_NO_VALUE, "an operand is the id 0, which is not a value: it was never set, or the "
                          "call that should return it returns none");
    if (value >= m->id_count || !m->ids[value].type)
        return spe_error_(m, SPE_ERR_NO_VALUE, "the operand with id %u is %s", value,
                          spe_info_(m, value) ? "a type, not a value" : "not a value");
    if (m->in_prologue && m->ids[value].depth > 1)
        return spe_error_(m, SPE_ERR_PROLOGUE, "value %u is made in the body; the prologue comes before it", value);
    return spe_out_of_scope_(m, value);
}

XETILE_AS_BEFORE_
XETILE_HOT_

/* function_body.c - writing into the open function. This runs for every instruction and operand, so it is optimised
 * even where other bodies are not. */

/* Records that the open function uses a global variable or function, for the interface of entry points. */
XE_FN_ void spe_use_(spe_module *m, spe_id id)
{
    if (!m->open || m->ids[id].aux == m->fn.index) return;
    m->ids[id].aux = m->fn.index;
    uint32_t *at = spe_push_(m, SPE_BUFFER_USES_, 2);
    if (at) at[0] = m->fn.index, at[1] = id;
}

/* Checks that `value` may be used here and returns its type; 0 and an error if not. */
XE_FN_ spe_id spe_operand_(spe_module *m, spe_id value)
{
    const spe_buffer_ *scopes = &m->buffer[SPE_BUFFER_SCOPES_];
    if (m->error.id) return 0;
    if (SPE_UNLIKELY_(!value || value >= m->id_count || !m->ids[value].type)) return spe_bad_operand_(m, value);
    const spe_record_ *r = &m->ids[value];
    if (SPE_UNLIKELY_(r->depth >= scopes->count || scopes->data[r->depth] != r->serial))
        return spe_bad_operand_(m, value);
    if (SPE_UNLIKELY_(m->in_prologue && r->depth > 1)) return spe_bad_operand_(m, value);
    if (r->flags & SPE_ID_GLOBAL_) spe_use_(m, value);
    return r->type;
}

/* Writes OpLine if the location changed since the last one in this block. */
XE_FN_ void spe_line_(spe_module *m)
{
    if (!m->file || (m->line_line == m->line && m->line_column == m->column && m->line_file == m->file)) return;
    if (m->string_file != m->file) m->string_id = spe_write_once_(m, SPE_OpString, m->string_file = m->file);
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpLine, 3, m->string_id, (uint32_t)m->line, (uint32_t)m->column);
    m->line_file = m->file;
    m->line_line = m->line;
    m->line_column = m->column;
}

/* Opens a block in the body. */
XE_FN_ void spe_label_(spe_module *m, spe_id label, bool dead)
{
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpLabel, 1, label);
    m->block = label;
    m->dead = dead;
    m->line_file = NULL;
}

/* After a return there is no block: opens an unreachable one for what follows. False outside a function. */
XE_FN_ bool spe_ready_(spe_module *m)
{
    if (m->error.id) return false;
    if (SPE_UNLIKELY_(!m->open))
        return spe_error_(m, SPE_ERR_NO_FUNCTION, "an instruction outside of a function"), false;
    if (SPE_UNLIKELY_(!m->block) && !m->in_prologue) {
        if (spe_between_sides_(m)) return false;
        spe_id label = spe_new_label_(m);
        if (label) spe_label_(m, label, true);
    }
    return true;
}

/* Writes an operation as a constant, which the device computes when it loads the module. */
XE_ONCE_
XE_FN_ spe_id spe_emit_spec_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    uint32_t head[3] = {type, 0, op};
    if (m->error.id) return 0;
    head[1] = spe_new_id_(m, type, SPE_ID_CONSTANT_ | SPE_ID_SPEC_, 0);
    return spe_write_words_(m, SPE_SECTION_GLOBAL_, SPE_OpSpecConstantOp, 3, head, n, operands) ? head[1] : 0;
}

/* Writes an instruction that the environment has, see pieces.c. */
XE_FN_ spe_id spe_emit_one_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    spe_id id = 0;
    if (SPE_UNLIKELY_(m->in_spec)) return spe_emit_spec_(m, op, type, n, operands);
    if (!spe_ready_(m)) return 0;
    if (op >= SPE_OPCODES_KNOWN_ || !(m->seen[op / 64] >> (op % 64) & 1)) spe_need_op_(m, op, type, n, operands);
    if (SPE_UNLIKELY_(m->options.lines) && !m->in_prologue) spe_line_(m);
    uint32_t *at = spe_put_(m, m->in_prologue ? SPE_BUFFER_PROLOGUE_ : SPE_BUFFER_BODY_, op, n + (type ? 2u : 0u));
    if (!at) return 0;
    if (type) {
        id = spe_new_id_(m, type, op << 16, spe_depth_(m));
        *at++ = type;
        *at++ = id;
    }
    for (uint32_t i = 0; i < n; i++) at[i] = operands[i];
    return id;
}

/* May the block end here? */
XE_ONCE_
XE_FN_ bool spe_may_branch_(spe_module *m, const char *name)
{
    m->doing = name;
    if (!spe_ready_(m)) return false;
    return !m->in_prologue || spe_error_(m, SPE_ERR_PROLOGUE, "not in the prologue");
}

/* Writes an instruction; type 0: without a result. Operands are not checked. */
XE_FN_ spe_id spe_emit_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    if (!SPE_UNLIKELY_(m->vulkan) || m->in_spec) return spe_emit_one_(m, op, type, n, operands);
    return m->vulkan->emit(m, op, type, n, operands);
}

XETILE_AS_BEFORE_
XETILE_COLD_

/* forms.c - the letters of a form: kinds of operands, result types, constant folding. */

XE_FN_ uint32_t spe_kinds_(char letter)
{
    switch (letter) {
    case 'i': case 'g': case 'I': case 'J': case 'h': case 'n': return SPE_INT_;
    case 'f': case 'r': case 'G': case 's': return SPE_FLOAT_;
    case 'd': return SPE_FLOAT_ | SPE_SMALL_;
    case 'b': case 'B': return SPE_BOOL_;
    case 'N': case 'E': case 'e': return SPE_INT_ | SPE_FLOAT_;
    case 'u': return SPE_INT_ | SPE_FLOAT_ | SPE_BOOL_ | SPE_SMALL_;
    default: return SPE_PTR_;
    }
}

/* Is it a type of these kinds, in any shape? Else an error. */
XE_FN_ bool spe_takes_(spe_module *m, uint32_t kinds, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (t && (t->kind == SPE_KIND_VECTOR || t->kind >= SPE_KIND_COOPMAT)) t = spe_info_(m, t->elem);
    if (t && (kinds >> t->kind & 1) && (t->encoding == SPE_IEEE || (kinds & SPE_SMALL_))) return true;
    static const char *const names[] = {"bools", "integers", "floats", "pointers"};
    static const uint32_t each[] = {SPE_BOOL_, SPE_INT_, SPE_FLOAT_, SPE_PTR_};
    char text[48] = "";
    for (int i = 0; i < 4; i++) {
        if (kinds & each[i]) strcat(strcat(text, *text ? " or " : ""), names[i]);
    }
    return spe_error_(m, SPE_ERR_TYPE, "takes %s, not %s", text, spe_text_(m, type));
}

/* Does memory of this storage class take stores and atomics? */
XE_FN_ bool spe_is_writable_(uint32_t storage)
{
    return storage != SPE_StorageClassUniformConstant && storage != SPE_StorageClassInput;
}

/* Does the type match a letter that does not depend on other operands? Else an error. */
XE_FN_ bool spe_is_(spe_module *m, char letter, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    uint32_t bits = letter == 'h' ? 16 : letter == 's' ? 32 : 0;
    switch (letter) {
    case 'v': case '*': case '~': case 'q': case '.': return true;
    case 'V':
        return t->kind == SPE_KIND_VECTOR || spe_error_(m, SPE_ERR_TYPE, "takes a vector, not %s", spe_text_(m, type));
    case 'x': return type == spe_int(m, 32) || spe_disagree_(m, spe_int(m, 32), type);
    case 'y': return type == spe_vec(m, spe_int(m, 32), 4) || spe_disagree_(m, type, spe_vec(m, spe_int(m, 32), 4));
    case 'm': case 'w':
        if (t->kind == (letter == 'm' ? SPE_KIND_COOPMAT : SPE_KIND_COOPVEC)) return true;
        return spe_error_(m, SPE_ERR_TYPE, "%s is not a cooperative %s", spe_text_(m, type),
                          letter == 'm' ? "matrix" : "vector");
    default: break;
    }
    if (!spe_takes_(m, spe_kinds_(letter), type)) return false;
    if (bits && (spe_width(m, type) != bits || !spe_count(m, type)))
        return spe_error_(m, SPE_ERR_TYPE, "takes components of %u bits, not %s", bits, spe_text_(m, type));
    if ((letter <= 'Z' || letter == 'n') && !t->bits && letter != 'P')
        return spe_error_(m, SPE_ERR_TYPE, "takes a scalar, not %s", spe_text_(m, type));
    if ((letter == 'u' || letter == 'e') && t->kind >= SPE_KIND_COOPMAT)
        return spe_error_(m, SPE_ERR_TYPE, "takes scalars and vectors, not %s", spe_text_(m, type));
    if ((letter == 'g' || letter == 'r') && t->kind == SPE_KIND_COOPMAT)
        return spe_error_(m, SPE_ERR_TYPE, "takes no cooperative matrices, such as %s", spe_text_(m, type));
    if ((letter == 'c' || letter == 'P') && !spe_is_writable_(t->storage))
        return spe_error_(m, SPE_ERR_TYPE, "takes a pointer to memory that can be written, not %s in storage class %s",
                          spe_text_(m, type), spe_storage_text_(t->storage));
    return true;
}

/* Is the word a scope (letter z), or memory semantics (j) of this instruction? Else an error. */
XE_FN_ bool spe_is_word_(spe_module *m, char letter, uint32_t op, uint32_t word)
{
    const uint32_t acquire = SPE_MemorySemanticsAcquire, release = SPE_MemorySemanticsRelease;
    const uint32_t both = SPE_MemorySemanticsAcquireRelease, orders = acquire | release | both | 16, memories = 0xf80;
    uint32_t order = word & orders, none = op == SPE_OpAtomicLoad ? release | both : 0;
    if (op == SPE_OpAtomicStore) none = acquire | both;
    if (letter == 'z' && m->options.env && word == SPE_ScopeCrossDevice)
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan has no scope CrossDevice");
    if (letter == 'z' && m->options.env && word == SPE_ScopeDevice)
        spe_capability(m, SPE_CapabilityVulkanMemoryModelDeviceScope);
    if (letter == 'z' && word > SPE_ScopeInvocation)
        return spe_error_(m, SPE_ERR_RANGE, "there is no scope %u; the narrowest is %u", word, SPE_ScopeInvocation);
    if (letter == 'z' || (!(word & ~(orders | memories)) && !(order & (order - 1)) && !(order & none))) return true;
    return spe_error_(m, SPE_ERR_RANGE, "memory semantics 0x%x; they are at most one order (of 0x%x) and memories (of "
                      "0x%x)", word, orders & ~none, memories);
}

/* Names the extensions of types that the first matrix instruction lacks. */
XE_ONCE_
XE_FN_ void spe_need_bits_(spe_module *m, uint32_t word)
{
    enum { E4M3 = 0x4000 | 0x8000, E5M2 = 0x10000 | 0x20000, E2M1 = 0x40000 | 0x80000 };
    if (word & (E4M3 | E5M2)) spe_extension(m, "SPV_INTEL_subgroup_matrix_multiply_accumulate_float8");
    if (word & E2M1) spe_extension(m, "SPV_INTEL_subgroup_matrix_multiply_accumulate_float4");
}

/* Are these bits of the operands of spe_dpas, spe_dpas_scaled or (other opcodes) cooperative matrices? Else an error.
 */
XE_FN_ bool spe_has_bits_(spe_module *m, uint32_t op, uint32_t word)
{
#define SPE_BIT_(kind, name, number) | (uint32_t)number
    const uint32_t scales = SPE_MatrixMultiplyAccumulateOperandsScaleAFloat8E8M0INTEL |
                            SPE_MatrixMultiplyAccumulateOperandsScaleBFloat8E8M0INTEL;
    bool plain = op == SPE_OpSubgroupMatrixMultiplyAccumulateINTEL,
         scaled = op == SPE_OpSubgroupScaledMatrixMultiplyAccumulateINTEL;
    uint32_t all = 0 SPE_CooperativeMatrixOperands_(SPE_BIT_, K);
    if (plain || scaled) all = 0 SPE_MatrixMultiplyAccumulateOperands_(SPE_BIT_, K);
    if (plain) all &= ~scales;
#undef SPE_BIT_
    if (word & ~all) return spe_error_(m, SPE_ERR_RANGE, "operands 0x%x; the bits of 0x%x exist", word, all);
    if (plain || scaled) spe_need_bits_(m, word);
    return true;
}

/* Marks a pointer that was made from one with these flags. Returns it. */
XE_FN_ spe_id spe_mark_packed_(spe_module *m, spe_id id, uint32_t flags)
{
    if (id) m->ids[id].flags |= (uint16_t)(flags & SPE_ID_PACKED_);
    return id;
}

/* Writes the memory operands: volatile, alignment (0: that of the type). Returns their number of words. */
XE_FN_ uint32_t spe_access_(spe_module *m, const spe_call_ *c, uint32_t align, bool is_volatile, uint32_t *w)
{
    uint32_t n = 0, given = align, shared = 0;
    if (align & (align - 1)) return spe_error_(m, SPE_ERR_RANGE, "alignment %u is not a power of two", align);
    if (!align) align = spe_alignment(m, c->pointee);
    if (given == 0 && align && c->packed) align = 1;
    if (m->options.env) { /* alignment belongs to addresses; others may see what is in shared memory */
        uint32_t storage = spe_storage_(m, spe_info_(m, c->first)->storage);
        if (storage != SPE_StorageClassPhysicalStorageBuffer && storage != SPE_StorageClassWorkgroup) align = 0;
        if (align) shared = SPE_MemoryAccessNonPrivatePointer;
    }
    if (!align && !is_volatile && !shared) return 0;
    w[n++] = (is_volatile ? (uint32_t)SPE_MemoryAccessVolatile : 0) | (align ? (uint32_t)SPE_MemoryAccessAligned : 0) |
             shared;
    if (align) w[n++] = align;
    return n;
}

/* -- results: types and constant folding ------------------------------------------------------------------------- */

/* bool, or as many bools as `type` has components. An error for cooperative matrices and vectors. */
XE_FN_ spe_id spe_bool_like_(spe_module *m, spe_id type)
{
    uint32_t n = spe_count(m, type);
    if (n) return spe_vec(m, spe_bool(m), n);
    return spe_error_(m, SPE_ERR_TYPE, "takes scalars and vectors, not %s", spe_text_(m, type));
}

/* The generic pointer type of an operand. */
XE_ONCE_
XE_FN_ spe_id spe_generic_(spe_module *m, const spe_call_ *c)
{
    switch (spe_info_(m, c->first)->storage) {
    case SPE_StorageClassCrossWorkgroup: case SPE_StorageClassWorkgroup: case SPE_StorageClassFunction:
        return spe_ptr(m, SPE_StorageClassGeneric, c->pointee);
    default:
        return spe_error_(m, SPE_ERR_TYPE, "takes pointers to global, local or private memory, not %s in storage class "
                          "%s", spe_text_(m, c->first), spe_storage_text_(spe_info_(m, c->first)->storage));
    }
}

/* The result type for the letter after the colon, except = and *. */
XE_FN_ spe_id spe_result_(spe_module *m, const spe_call_ *c, char letter)
{
    switch (letter) {
    case 't': return c->given;
    case 'b': return spe_bool_like_(m, c->first);
    case 's': return spe_vec(m, spe_float(m, 32), spe_count(m, c->first));
    case 'h': return spe_vec(m, spe_int(m, 16), spe_count(m, c->first));
    case 'x': return spe_int(m, 32);
    case 'y': return spe_vec(m, spe_int(m, 32), 4);
    case 'g': return spe_generic_(m, c);
    default: return spe_scalar_of(m, c->first);
    }
}

/* Folds an operation on one or two scalar integers; false if the result is undefined. */
XE_FN_ bool spe_fold_(uint32_t op, uint32_t bits, uint64_t a, uint64_t b, uint64_t *out)
{
    int64_t sa = spe_signed_(a, bits), sb = spe_signed_(b, bits);
#define SPE_FOLD_(op, value, defined)                                                                                  \
    case SPE_Op##op: return *out = (defined) ? (uint64_t)(value) : 0, (defined);
    switch (op) {
        SPE_FOLD_(SNegate, 0 - a, true) SPE_FOLD_(Not, ~a, true) SPE_FOLD_(LogicalNot, ~a, true)
        SPE_FOLD_(IAdd, a + b, true) SPE_FOLD_(ISub, a - b, true) SPE_FOLD_(IMul, a * b, true)
        SPE_FOLD_(UDiv, a / b, b != 0) SPE_FOLD_(UMod, a % b, b != 0) SPE_FOLD_(SDiv, sa / sb, sb > 0)
        SPE_FOLD_(SRem, sa % sb, sb > 0) SPE_FOLD_(SMod, (sa % sb + sb) % sb, sb > 0 && sb < INT64_MAX / 2)
        SPE_FOLD_(BitwiseAnd, a & b, true) SPE_FOLD_(BitwiseOr, a | b, true) SPE_FOLD_(BitwiseXor, a ^ b, true)
        SPE_FOLD_(ShiftLeftLogical, a << b, b < bits) SPE_FOLD_(ShiftRightLogical, a >> b, b < bits)
        SPE_FOLD_(ShiftRightArithmetic, sa < 0 ? ~(~(uint64_t)sa >> b) : (uint64_t)sa >> b, b < bits)
        SPE_FOLD_(IEqual, a == b, true) SPE_FOLD_(INotEqual, a != b, true) SPE_FOLD_(ULessThan, a < b, true)
        SPE_FOLD_(ULessThanEqual, a <= b, true) SPE_FOLD_(UGreaterThan, a > b, true)
        SPE_FOLD_(UGreaterThanEqual, a >= b, true) SPE_FOLD_(SLessThan, sa < sb, true)
        SPE_FOLD_(SLessThanEqual, sa <= sb, true) SPE_FOLD_(SGreaterThan, sa > sb, true)
        SPE_FOLD_(SGreaterThanEqual, sa >= sb, true)
    default: return false;
    }
#undef SPE_FOLD_
}

/* Applies the suffix of a form: # folds constants, 0 or 1 is the neutral second operand, + also the first. Returns 0 if
 * the instruction is needed. */
XE_FN_ spe_id spe_simplify_(spe_module *m, uint32_t op, spe_id type, const char *rule, const spe_call_ *c)
{
    spe_id a = c->words[0], b = c->words[c->count - 1];
    uint64_t x, y, z, neutral;
    if (!((m->ids[a].flags | m->ids[b].flags) & SPE_ID_CONSTANT_)) return 0;
    bool known_a = spe_const_bits(m, a, &x);
    bool known_b = spe_const_bits(m, b, &y);
    if (*rule == '#' && rule++ && known_a && known_b && spe_fold_(op, spe_width(m, c->first), x, y, &z))
        return spe_const_scalar_(m, type, z & spe_mask_(spe_width(m, type)));
    if (!*rule) return 0;
    neutral = (uint64_t)(*rule - '0');
    if (known_b) return y == neutral ? a : op == SPE_OpIMul && !y ? b : 0;
    if (known_a && rule[1] == '+') return x == neutral ? b : op == SPE_OpIMul && !x ? a : 0;
    return 0;
}

/* checks.c - operands by the letters of SPE_INSTRUCTIONS_, and the function that checks and writes instructions. */

/* Checks the value for a letter and those for the = that follow it. Returns their number; 0 and an error if one is not
 * what the letter requires, given the operands before. */
XE_FN_ uint32_t spe_values_(spe_module *m, spe_call_ *c, const char *form, const uint32_t *args)
{
    spe_id type = spe_operand_(m, args[0]), like;
    uint32_t n = 1;
    uint64_t bits;
    if (!type) return 0;
    const spe_type_info *t = &m->types[m->ids[type].aux];
    for (; form[n] == '='; n++) {
        spe_id next = spe_operand_(m, args[n]);
        if (next != type) return next ? spe_disagree_(m, type, next) : 0;
    }
    if (!c->first) c->first = type;
    switch (*form) { /* fast path for the most frequent letters */
    case 'v':
        c->packed |= m->ids[args[0]].flags & SPE_ID_PACKED_;
        return n;
    case 'i': case 'I': case 'g':
        if (t->kind == SPE_KIND_INT) return n;
        like = type;
        break;
    case 'p': case 'c':
        c->pointee = t->elem;
        c->packed |= m->ids[args[0]].flags & SPE_ID_PACKED_;
        if (t->kind == SPE_KIND_POINTER && (*form == 'p' || spe_is_writable_(t->storage))) return n;
        like = type;
        break;
    case 'n':
        if (spe_const_bits(m, args[0], &bits) && !bits) return spe_error_(m, SPE_ERR_RANGE, "a size is 0");
        like = type;
        break;
    case '*': case 'J': case 'G': case 'E': case 'e': like = c->pointee; break;
    case '~': like = spe_count(m, type) == spe_count(m, c->given) ? type : c->given; break;
    case 'q': like = spe_vec(m, spe_int(m, 32), spe_count(m, c->first)); break;
    case '.': like = spe_scalar_of(m, c->first); break;
    default: like = type; break;
    }
    if (type != like) return spe_disagree_(m, *form == 'q' ? c->first : like, type);
    if (!spe_is_(m, *form, type)) return 0;
    if (*form == 'P') c->pointee = t->elem;
    return *form != 'P' || spe_is_(m, 'N', c->pointee) ? n : 0;
}

/* Checks the operands of functions that emit several instructions. Returns the first one's type; 0 on an error. */
XE_FN_ spe_id spe_check_(spe_module *m, const char *name, const char *letters, ...)
{
    spe_call_ c;
    uint32_t n = 1;
    va_list values;
    c.first = c.pointee = c.given = c.packed = 0;
    m->doing = name;
    va_start(values, letters);
    for (uint32_t i = 0; letters[i]; i++) c.words[i] = va_arg(values, spe_id);
    va_end(values);
    for (uint32_t i = 0; letters[i] && n; i += n) n = spe_values_(m, &c, letters + i, c.words + i);
    return n ? c.first : 0;
}

/* -- instructions ------------------------------------------------------------------------------------------------ */

/* Before SPIR-V 1.3, subgroups use the group instructions. */
XE_ONCE_
XE_FN_ uint32_t spe_subgroup_op_(const spe_module *m, uint32_t op)
{
    if (m->options.version >= SPE_VERSION(1, 3)) return op;
    switch (op) {
    case SPE_OpGroupNonUniformBroadcast: return SPE_OpGroupBroadcast;
    case SPE_OpGroupNonUniformAll: return SPE_OpGroupAll;
    case SPE_OpGroupNonUniformAny: return SPE_OpGroupAny;
    default: return op;
    }
}

XE_FN_ spe_id spe_instruction_(spe_module *m, const char *name, uint32_t op, const char *form, const uint32_t *args)
{
    spe_call_ c;
    spe_id type, known;
    uint32_t n;
    char cooperative = 0; /* the letter of the given type; checked after the operands, which may be poison */
    c.first = c.pointee = c.given = c.count = c.packed = 0;
    m->doing = name;
    if (SPE_UNLIKELY_(m->vulkan) && !(op = m->vulkan->op(m, op, *args))) return 0;
    for (; *form != ':'; form++) {
        switch (*form) {
        case 'S': op = spe_subgroup_op_(m, op), c.words[c.count++] = spe_u32(m, SPE_ScopeSubgroup); break;
        case 'W': c.words[c.count++] = spe_u32(m, SPE_ScopeWorkgroup); break;
        case 'z': case 'j':
            if (!spe_is_word_(m, *form, op, *args)) return 0;
            c.words[c.count++] = spe_u32(m, *form == 'j' ? spe_semantics_(m, *args++) : *args++);
            break;
        case 'k': c.words[c.count++] = spe_u32(m, *args++); break;
        case 'T': c.words[c.count++] = spe_const_bool(m, *args++ != 0); break;
        case 'l': c.words[c.count++] = *args++; break;
        case 'R': c.words[c.count++] = SPE_GroupOperationReduce; break;
        case 'a': c.count += spe_access_(m, &c, *args++, false, c.words + c.count); break;
        case 'A': c.count += spe_access_(m, &c, *args++, true, c.words + c.count); break;
        case 't': case 'M': case 'C': case 'L':
            c.given = *args++;
            spe_want_type_(m, name, c.given);
            if (*form != 't') cooperative = *form == 'C' ? 'w' : 'm';
            if (*form == 'L') c.words[c.count++] = c.given;
            break;
        case 'o': case '?':
            if (*args && (*form == 'o' ? !spe_operand_(m, *args) : !spe_has_bits_(m, op, *args))) return 0;
            if (*args) c.words[c.count++] = *args;
            args++;
            break;
        default:
            n = spe_values_(m, &c, form, args);
            if (!n) return 0;
            for (form += n - 1; n; n--) c.words[c.count++] = *args++;
            break;
        }
        if (SPE_UNLIKELY_(m->error.id)) return 0;
    }
    if (SPE_UNLIKELY_(cooperative) && !spe_is_(m, cooperative, c.given)) return 0;
    if (*++form == '-') return spe_emit_(m, op, 0, c.count, c.words);
    if (*form == 'r' && spe_info_(m, c.first)->bits) return c.words[0];
    type = *form == '=' ? c.first : *form == '*' ? c.pointee : spe_result_(m, &c, *form);
    form++;
    known = type && *form ? spe_simplify_(m, op, type, form, &c) : 0;
    if (known && !(m->ids[known].flags & SPE_ID_CONSTANT_)) m->ids[known].flags |= SPE_ID_FOLDED_;
    if (known || !type) return known;
    known = spe_emit_(m, op, type, c.count, c.words);
    return SPE_UNLIKELY_(c.packed) && type != c.pointee ? spe_mark_packed_(m, known, c.packed) : known;
}

/* Same number and arrangement of components? */
XE_ONCE_
XE_FN_ bool spe_same_shape_(const spe_type_info *a, const spe_type_info *b)
{
    if (a->kind == SPE_KIND_COOPMAT && b->kind == SPE_KIND_COOPMAT)
        return a->rows == b->rows && a->cols == b->cols && a->use == b->use && a->scope == b->scope;
    if (a->bits && b->bits) return true;
    return a->kind == b->kind && a->count == b->count;
}

/* Converts v to `type`. The form is from:to; pointers convert to and from scalar integers only. */
XE_FN_ spe_id spe_convert_(spe_module *m, const char *name, uint32_t op, const char *form, spe_id type, spe_id v)
{
    bool pointer = form[0] == 'p' || form[2] == 'p', fits;
    spe_id from = (m->doing = name, spe_operand_(m, v));
    uint64_t x;
    if (!from || !spe_want_type_(m, name, type)) return 0;
    if (!spe_takes_(m, spe_kinds_(form[0]) | SPE_SMALL_, from)) return 0;
    if (!spe_takes_(m, spe_kinds_(form[2]) | SPE_SMALL_, type)) return 0;
    const spe_type_info *a = spe_info_(m, from);
    const spe_type_info *b = spe_info_(m, type);
    fits = pointer ? spe_count(m, from) < 2 && spe_count(m, type) < 2 : spe_same_shape_(a, b);
    if (!fits) return spe_disagree_(m, from, type);
    if (from == type) return v;
    if (a->bits && form[3] && spe_const_bits(m, v, &x)) {
        if (form[3] == 's') x = (uint64_t)spe_signed_(x, a->bits);
        return spe_const_scalar_(m, type, x & spe_mask_(b->bits));
    }
    return spe_emit_(m, op, type, 1, &v);
}

/* shapes.c - what the grammar says of instructions and functions that are written by number: which exist, with which
 * operands. */

typedef struct {
    uint16_t first, last;                       /* opcodes, or functions */
    uint8_t results, least, most, ids, version; /* see SPE_SHAPES_; operands of a function: least */
} spe_shape_;

/* The row of a sorted list that contains a number; NULL if none does. */
XE_FN_ const spe_shape_ *spe_shape_of_(const spe_shape_ *rows, size_t count, uint32_t number)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle].last < number) low = middle + 1;
        else high = middle;
    }
    return low < count && rows[low].first <= number ? &rows[low] : NULL;
}

/* Is it an id that exists, and if a value, one that may be used here? Else an error. */
XE_ONCE_
XE_FN_ bool spe_is_known_(spe_module *m, uint32_t number, uint32_t id)
{
    if (id < m->id_count && m->ids[id].type) return spe_operand_(m, id) != 0;
    if (id && id < m->id_count) return true; /* a type, label, function, string or set */
    return spe_error_(m, SPE_ERR_NO_VALUE, "operand %u is %u, which is not an id", number, id);
}

/* May a function's body contain the instruction, with a result or not, and these words of operands? Else an error. What
 * the table lacks, may. */
XE_FN_ bool spe_has_shape_(spe_module *m, uint32_t opcode, uint32_t results, uint32_t n, const uint32_t *words)
{
#define SPE_ROW_(first, last, results, least, most, ids, version) {first, last, results, least, most, ids, version},
    static const spe_shape_ rows[] = {SPE_SHAPES_(SPE_ROW_)};
#undef SPE_ROW_
    const spe_shape_ *s = spe_shape_of_(rows, sizeof rows / sizeof *rows, opcode);
    bool any = s && s->most == UINT8_MAX;
    if (m->error.id || !s) return !m->error.id;
    if (s->results > 1)
        return spe_error_(m, SPE_ERR_RANGE, "opcode %u is not of a function's body, or is control flow", opcode);
    if (s->results != results)
        return spe_error_(m, SPE_ERR_TYPE, "opcode %u has %s; use %s", opcode, results ? "no result" : "a result",
                          results ? "spe_op_void" : "spe_op");
    if (m->options.version < SPE_VERSION(1, (uint32_t)s->version))
        return spe_error_(m, SPE_ERR_VERSION, "opcode %u needs SPIR-V 1.%u, the module is 1.%u", opcode, s->version,
                          m->options.version >> 8 & 0xff);
    if (n < s->least || (!any && n > s->most))
        return spe_error_(m, SPE_ERR_RANGE, "opcode %u with %u words of operands; it has %u%s", opcode, n, s->least,
                          any ? " or more" : s->most > s->least ? ", and optional ones" : "");
    for (uint32_t i = 0; i < n && (s->ids == UINT8_MAX || i < s->ids); i++) {
        if (!spe_is_known_(m, i + 1, words[i])) return false;
    }
    return true;
}

/* The operand of a function of OpenCL.std, from 1, that is a literal: the last of vloadn and of stores that round. */
XE_FN_ uint32_t spe_literal_of_(uint32_t number)
{
    enum { VLOADN = 171, VLOAD_HALFN = 174, VSTORE_HALF_R = 176, VSTORE_HALFN_R = 178, VLOADA_HALFN = 179,
           VSTOREA_HALFN_R = 181 };
    if (number == VLOADN || number == VLOAD_HALFN || number == VLOADA_HALFN) return 3;
    return number == VSTORE_HALF_R || number == VSTORE_HALFN_R || number == VSTOREA_HALFN_R ? 4 : 0;
}

/* Has OpenCL.std the function, with this number of operands, values? Else an error. */
XE_FN_ bool spe_has_function_(spe_module *m, uint32_t number, uint32_t n, const uint32_t *words)
{
#define SPE_ROW_(first, last, operands) {first, last, 1, operands, operands, 0, 0},
    static const spe_shape_ rows[] = {SPE_FUNCTIONS_(SPE_ROW_)};
#undef SPE_ROW_
    enum { PRINTF = 184 }; /* a format, and any number of values */
    const spe_shape_ *s = spe_shape_of_(rows, sizeof rows / sizeof *rows, number);
    if (m->error.id) return false;
    if (!s) return spe_error_(m, SPE_ERR_RANGE, "OpenCL.std has no function %u", number);
    if (number == PRINTF ? n < 1 : n != s->least)
        return spe_error_(m, SPE_ERR_RANGE, "function %u of OpenCL.std takes %u operands, not %u", number, s->least, n);
    for (uint32_t i = 0; i < n; i++) {
        if (i + 1 != spe_literal_of_(number) && !spe_operand_(m, words[i])) return false;
    }
    return true;
}

/* instructions.c - the functions in the instruction table, and those that need more than a row. */

#define SPE_BODY_A_(name, op, form)                                                                                    \
    spe_id name(spe_module *m, spe_id a) { return spe_instruction_(m, #name, SPE_Op##op, form, &a); }
#define SPE_BODY_AB_(name, op, form)                                                                                   \
    spe_id name(spe_module *m, spe_id a, spe_id b)                                                                     \
    {                                                                                                                  \
        uint32_t args[] = {a, b};                                                                                      \
        return spe_instruction_(m, #name, SPE_Op##op, form, args);                                                     \
    }
#define SPE_BODY_TO_(name, op, form)                                                                                   \
    spe_id name(spe_module *m, spe_id type, spe_id v) { return spe_convert_(m, #name, SPE_Op##op, form, type, v); }
#define SPE_BODY_GIVES_(name, op, form, ...)                                                                           \
    spe_id name(spe_module *m, SPE_WORDS_(__VA_ARGS__))                                                                \
    {                                                                                                                  \
        uint32_t args[] = {__VA_ARGS__};                                                                               \
        return spe_instruction_(m, #name, SPE_Op##op, form, args);                                                     \
    }
#define SPE_BODY_DOES_(name, op, form, ...)                                                                            \
    void name(spe_module *m, SPE_WORDS_(__VA_ARGS__))                                                                  \
    {                                                                                                                  \
        uint32_t args[] = {__VA_ARGS__};                                                                               \
        spe_instruction_(m, #name, SPE_Op##op, form, args);                                                            \
    }
SPE_INSTRUCTIONS_(SPE_BODY_A_, SPE_BODY_AB_, SPE_BODY_TO_, SPE_BODY_GIVES_, SPE_BODY_DOES_)

/* A generic instruction. Words equal to the id of a global variable count as uses, even literals. */
XE_FN_ spe_id spe_op_(spe_module *m, const char *name, uint32_t opcode, spe_id type, uint32_t n, const uint32_t *words)
{
    m->doing = name;
    if (!spe_has_shape_(m, opcode, type != 0, n, words)) return 0;
    for (uint32_t i = 0; i < n && !m->error.id; i++) {
        uint32_t flags = words[i] && words[i] < m->id_count ? m->ids[words[i]].flags : 0;
        if ((flags & SPE_ID_GLOBAL_) || ((flags & SPE_ID_FUNCTION_) && opcode == SPE_OpFunctionCall && !i))
            spe_use_(m, words[i]);
    }
    return spe_emit_(m, opcode, type, n, words);
}
spe_id spe_op(spe_module *m, uint32_t opcode, spe_id result_type, uint32_t n, const uint32_t *words)
{
    return spe_want_type_(m, __func__, result_type) ? spe_op_(m, __func__, opcode, result_type, n, words) : 0;
}
void spe_op_void(spe_module *m, uint32_t opcode, uint32_t n, const uint32_t *words)
{
    if (opcode >= SPE_OpPhi && opcode <= SPE_OpUnreachable)
        SPE_ERROR_(m, REGION_CROSSED, "opcode %u is control flow; use spe_if and the like", opcode);
    spe_op_(m, __func__, opcode, 0, n, words);
}

/* May OpSpecConstantOp have this opcode, which the table has? */
XE_FN_ bool spe_is_for_specs_(uint32_t opcode)
{
    if (opcode >= SPE_OpConvertFToU && opcode <= SPE_OpFConvert) return true;
    if (opcode >= SPE_OpSNegate && opcode <= SPE_OpFMod) return true;
    if (opcode >= SPE_OpLogicalEqual && opcode <= SPE_OpLogicalNot) return true;
    if (opcode >= SPE_OpIEqual && opcode <= SPE_OpSLessThanEqual) return true;
    return opcode >= SPE_OpShiftRightLogical && opcode <= SPE_OpNot;
}

spe_id spe_spec_op(spe_module *m, uint32_t opcode, spe_id type, uint32_t n, const spe_id *operands)
{
#define SPE_ROW_(name, op, form) {SPE_Op##op, 0, form},
#define SPE_PAIR_(name, op, form) {SPE_Op##op, 2, form},
#define SPE_TO_(name, op, form) {SPE_Op##op, 1, form},
#define SPE_NO_ROW_(name, op, form, ...)
    static const struct {
        uint16_t op, kind; /* 0: of one operand, 1: a conversion, 2: of two */
        const char *form;
    } rows[] = {SPE_INSTRUCTIONS_(SPE_ROW_, SPE_PAIR_, SPE_TO_, SPE_NO_ROW_, SPE_NO_ROW_)};
#undef SPE_ROW_
#undef SPE_PAIR_
#undef SPE_TO_
#undef SPE_NO_ROW_
    size_t i = 0, last = sizeof rows / sizeof *rows;
    spe_id id;
    while (i < last && rows[i].op != opcode) i++;
    if (i == last || !spe_is_for_specs_(opcode))
        return SPE_ERROR_(m, RANGE, "opcode %u does not make constants", opcode);
    if (n != (rows[i].kind == 2 ? 2u : 1u))
        return SPE_ERROR_(m, TYPE, "opcode %u has %u operands, not %u", opcode, rows[i].kind == 2 ? 2u : 1u, n);
    for (uint32_t k = 0; k < n; k++) {
        if (!spe_is_const(m, operands[k])) return SPE_ERROR_(m, NO_VALUE, "operand %u is not a constant", k + 1);
    }
    m->in_spec = true;
    if (rows[i].kind == 1) id = spe_convert_(m, __func__, opcode, rows[i].form, type, operands[0]);
    else id = spe_instruction_(m, __func__, opcode, rows[i].form, operands);
    m->in_spec = false;
    return id;
}

/* -- integers or floats ------------------------------------------------------------------------------------------ */

XE_FN_ bool spe_is_float_(const spe_module *m, spe_id value)
{
    const spe_type_info *t = spe_info_(m, spe_scalar_of(m, spe_type_of(m, value)));
    return t && t->kind == SPE_KIND_FLOAT;
}
#define SPE_EITHER_(name, of_floats, of_integers)                                                                      \
    spe_id name(spe_module *m, spe_id a, spe_id b)                                                                     \
    {                                                                                                                  \
        return SPE_WITHIN_(m, spe_is_float_(m, a) ? of_floats(m, a, b) : of_integers(m, a, b));                        \
    }
SPE_EITHER_(spe_add, spe_fadd, spe_iadd)
SPE_EITHER_(spe_sub, spe_fsub, spe_isub)
SPE_EITHER_(spe_mul, spe_fmul, spe_imul)
SPE_EITHER_(spe_div_s, spe_fdiv, spe_sdiv)
SPE_EITHER_(spe_div_u, spe_fdiv, spe_udiv)
spe_id spe_neg(spe_module *m, spe_id a)
{
    return SPE_WITHIN_(m, spe_is_float_(m, a) ? spe_fneg(m, a) : spe_ineg(m, a));
}

XE_FN_ spe_id spe_dot_(spe_module *m, spe_id a, spe_id b)
{
    uint32_t args[] = {a, b};
    spe_id type = spe_type_of(m, a);
    if (spe_count(m, type) == 1) return spe_fmul(m, a, b);
    if (type && !spe_count(m, type)) return SPE_ERROR_(m, TYPE, "takes vectors, not %s", spe_text_(m, type));
    return spe_instruction_(m, __func__, SPE_OpDot, "d=:.", args);
}
spe_id spe_dot(spe_module *m, spe_id a, spe_id b) { return SPE_WITHIN_(m, spe_dot_(m, a, b)); }

spe_id spe_dot_bytes(spe_module *m, spe_id a, bool a_signed, spe_id b, bool b_signed)
{
    const uint32_t op = a_signed != b_signed ? SPE_OpSUDot : a_signed ? SPE_OpSDot : SPE_OpUDot;
    const bool in_order = a_signed || !b_signed; /* SUDot: the first has signs */
    const uint32_t words[3] = {in_order ? a : b, in_order ? b : a, 0 /* PackedVectorFormat4x8Bit */};
    const spe_id type = spe_check_(m, __func__, "xx", a, b);
    if (!type) return 0;
    spe_capability(m, SPE_CapabilityDotProductInput4x8BitPacked);
    return spe_emit_(m, op, type, 3, words);
}

spe_id spe_select(spe_module *m, spe_id c, spe_id a, spe_id b)
{
    spe_id type = spe_check_(m, __func__, "v=b", a, b, c), tc = spe_type_of(m, c), few[16], *part;
    uint32_t n = spe_count(m, type);
    uint64_t bits;
    if (!type || a == b) return type ? a : 0;
    if (!spe_is_stored_(spe_info_(m, type))) return SPE_ERROR_(m, TYPE, "%s is not selected", spe_text_(m, type));
    if (spe_const_bits(m, c, &bits)) return bits ? a : b;
    if (spe_count(m, tc) == 1 && n > 1) {
        part = spe_repeat_(m, c, n, few);
        c = part ? spe_emit_(m, SPE_OpCompositeConstruct, spe_bool_like_(m, type), n, part) : 0;
    } else if (spe_count(m, tc) != (n ? n : 1)) {
        return spe_disagree_(m, tc, type);
    }
    few[0] = c, few[1] = a, few[2] = b;
    return c ? spe_mark_packed_(m, spe_emit_(m, SPE_OpSelect, type, 3, few), m->ids[a].flags | m->ids[b].flags) : 0;
}

spe_id spe_bits_extract(spe_module *m, spe_id v, spe_id offset, spe_id count, bool is_signed)
{
    uint32_t args[] = {v, offset, count}, op = is_signed ? SPE_OpBitFieldSExtract : SPE_OpBitFieldUExtract;
    return spe_instruction_(m, __func__, op, "gII:=", args);
}

/* -- conversions ------------------------------------------------------------------------------------------------- */

XE_FN_ spe_id spe_fconvert_saturating_(spe_module *m, spe_id type, spe_id v)
{
    const spe_type_info *s = spe_info_(m, spe_scalar_of(m, type));
    if (!s || (s->encoding != SPE_E4M3 && s->encoding != SPE_E5M2))
        return SPE_ERROR_(m, TYPE, "to e4m3 or e5m2, not %s", spe_text_(m, type));
    spe_id id = spe_fconvert(m, type, v);
    if (id && id != v) spe_decorate(m, id, SPE_DecorationSaturatedToLargestFloat8NormalConversionEXT, 0, NULL);
    return id;
}
spe_id spe_fconvert_saturating(spe_module *m, spe_id type, spe_id v)
{
    return SPE_WITHIN_(m, spe_fconvert_saturating_(m, type, v));
}

/* The size in bits of a scalar, vector or (64-bit) pointer; 0 for other types. */
XE_FN_ uint32_t spe_total_bits_(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (t->kind == SPE_KIND_BOOL) return 0;
    return t->kind == SPE_KIND_POINTER ? 64 : spe_width(m, type) * spe_count(m, type);
}

spe_id spe_bitcast(spe_module *m, spe_id type, spe_id v)
{
    spe_id from = spe_check_(m, __func__, "v", v);
    uint64_t x;
    if (!from || !spe_want_type_(m, __func__, type)) return 0;
    const spe_type_info *a = spe_info_(m, from);
    const spe_type_info *b = spe_info_(m, type);
    if (from == type) return v;
    if (!spe_total_bits_(m, from) || spe_total_bits_(m, from) != spe_total_bits_(m, type) ||
        (a->kind == SPE_KIND_POINTER) != (b->kind == SPE_KIND_POINTER) || a->storage != b->storage)
        return spe_disagree_(m, from, type);
    if (a->bits && b->bits && spe_const_bits(m, v, &x)) return spe_const_scalar_(m, type, x);
    if (m->options.env && a->kind == SPE_KIND_POINTER &&
        spe_storage_(m, a->storage) != SPE_StorageClassPhysicalStorageBuffer && a->storage != SPE_StorageClassWorkgroup)
        return SPE_ERROR_(m, ENVIRONMENT, "Vulkan's pointers to private memory keep their type; %s",
                          spe_text_(m, from));
    return spe_mark_packed_(m, spe_emit_(m, SPE_OpBitcast, type, 1, &v), m->ids[v].flags);
}

XE_ONCE_
XE_FN_ spe_id spe_ptr_cast_(spe_module *m, spe_id ptr, spe_id elem)
{
    spe_id type = spe_check_(m, __func__, "p", ptr);
    return type ? spe_bitcast(m, spe_ptr(m, spe_info_(m, type)->storage, elem), ptr) : 0;
}
spe_id spe_ptr_cast(spe_module *m, spe_id ptr, spe_id elem)
{
    return SPE_WITHIN_(m, spe_ptr_cast_(m, ptr, elem));
}

XE_FN_ spe_id spe_cast_(spe_module *m, spe_id type, spe_id v, bool is_signed)
{
    spe_id from = spe_check_(m, __func__, "v", v);
    if (!from || !spe_want_type_(m, __func__, type)) return 0;
    const spe_type_info *a = spe_info_(m, spe_scalar_of(m, from));
    const spe_type_info *b = spe_info_(m, spe_scalar_of(m, type));
    if (from == type) return v;
    if (!a->bits || !b->bits || spe_count(m, from) != spe_count(m, type)) return spe_disagree_(m, from, type);
    if (a->kind == SPE_KIND_BOOL) {
        spe_id zero = spe_const_u(m, type, 0);
        return spe_select(m, v, spe_const_u(m, type, 1), zero);
    }
    if (b->kind == SPE_KIND_BOOL) {
        spe_id zero = spe_const_u(m, from, 0);
        return a->kind == SPE_KIND_INT ? spe_ine(m, v, zero) : spe_fune(m, v, zero);
    }
    if (a->kind == SPE_KIND_FLOAT && b->kind == SPE_KIND_FLOAT) return spe_fconvert(m, type, v);
    if (a->kind == SPE_KIND_FLOAT) return is_signed ? spe_f_to_s(m, type, v) : spe_f_to_u(m, type, v);
    if (b->kind == SPE_KIND_FLOAT) return is_signed ? spe_s_to_f(m, type, v) : spe_u_to_f(m, type, v);
    return is_signed ? spe_sconvert(m, type, v) : spe_uconvert(m, type, v);
}
spe_id spe_cast(spe_module *m, spe_id type, spe_id v, bool is_signed)
{
    return SPE_WITHIN_(m, spe_cast_(m, type, v, is_signed));
}

/* -- composites -------------------------------------------------------------------------------------------------- */

XE_FN_ spe_id spe_construct_(spe_module *m, spe_id type, uint32_t n, const spe_id *parts)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    bool constant = true;
    m->doing = __func__;
    if (!t) return 0;
    if (t->bits && n == 1 && spe_type_of(m, parts[0]) == type) return spe_operand_(m, parts[0]) ? parts[0] : 0;
    if (!n || n != spe_part_count_(t)) return SPE_ERROR_(m, TYPE, "%u parts for %s", n, spe_text_(m, type));
    for (uint32_t i = 0; i < n; i++) {
        spe_id tp = spe_operand_(m, parts[i]), want = t->kind == SPE_KIND_STRUCT ? t->members[i] : t->elem;
        if (tp != want) return tp ? spe_disagree_(m, want, tp) : 0;
        constant = constant && (m->ids[parts[i]].flags & SPE_ID_CONSTANT_);
    }
    if (constant) return spe_composite_const(m, type, n, parts);
    return spe_emit_(m, SPE_OpCompositeConstruct, type, n, parts);
}
spe_id spe_construct(spe_module *m, spe_id type, uint32_t n, const spe_id *parts)
{
    return SPE_WITHIN_(m, spe_construct_(m, type, n, parts));
}

/* The type of part i of a vector, array or struct; 0 and an error if there is none. */
XE_FN_ spe_id spe_part_type_(spe_module *m, spe_id type, uint32_t i)
{
    const spe_type_info *t = spe_info_(m, type);
    if (t->kind == SPE_KIND_COOPMAT) return t->elem;
    if (t->kind == SPE_KIND_ARRAY && !t->count) return t->elem; /* sized by a spec constant */
    if (i < spe_part_count_(t)) return t->kind == SPE_KIND_STRUCT ? t->members[i] : t->elem;
    return spe_error_(m, SPE_ERR_RANGE, "there is no part %u of %s", i, spe_text_(m, type));
}

spe_id spe_extract(spe_module *m, spe_id v, uint32_t i)
{
    spe_id type = (m->doing = __func__, spe_operand_(m, v)), part;
    uint32_t w[] = {v, i};
    if (!type) return 0;
    if (spe_info_(m, type)->bits && !i) return v;
    part = spe_part_type_(m, type, i);
    return part ? spe_emit_(m, SPE_OpCompositeExtract, part, 2, w) : 0;
}

spe_id spe_insert(spe_module *m, spe_id composite, spe_id v, uint32_t i)
{
    spe_id type = spe_check_(m, __func__, "vv", composite, v), tv = spe_type_of(m, v), part;
    uint32_t w[] = {v, composite, i};
    if (!type) return 0;
    if (spe_info_(m, type)->bits && !i && type == tv) return v;
    part = spe_part_type_(m, type, i);
    if (part && part != tv) return spe_disagree_(m, part, tv);
    return part ? spe_emit_(m, SPE_OpCompositeInsert, type, 3, w) : 0;
}

XE_ONCE_
XE_FN_ spe_id spe_splat_(spe_module *m, spe_id type, spe_id scalar)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    spe_id few[16], *part;
    uint32_t n = t && !t->bits ? spe_part_count_(t) : 1;
    part = t ? spe_repeat_(m, scalar, n, few) : NULL;
    return part ? spe_construct(m, type, n, part) : 0;
}
spe_id spe_splat(spe_module *m, spe_id type, spe_id scalar)
{
    return SPE_WITHIN_(m, spe_splat_(m, type, scalar));
}

XE_FN_ spe_id spe_shuffle_(spe_module *m, spe_id a, spe_id b, uint32_t n, const uint32_t *idx)
{
    spe_id ta = spe_check_(m, __func__, "vv", a, b), tb = spe_type_of(m, b), type;
    uint32_t few[18], *w = few, i, na = spe_count(m, ta), nb = spe_count(m, tb);
    if (!ta) return 0;
    if (spe_scalar_of(m, ta) != spe_scalar_of(m, tb)) return spe_disagree_(m, ta, tb);
    if (n == 1 && idx[0] < na + nb) return idx[0] < na ? spe_extract(m, a, idx[0]) : spe_extract(m, b, idx[0] - na);
    if (na < 2 || nb < 2) return spe_disagree_(m, ta, tb);
    type = spe_vec(m, spe_scalar_of(m, ta), n);
    if (type && n > 16) w = (uint32_t *)spe_alloc(m, (n + 2) * sizeof *w);
    if (!type || !w) return 0;
    w[0] = a;
    w[1] = b;
    for (i = 0; i < n; i++) {
        if (idx[i] >= na + nb && idx[i] != 0xffffffffu) return SPE_ERROR_(m, RANGE, "index %u of %u", idx[i], na + nb);
        w[i + 2] = idx[i];
    }
    return spe_emit_(m, SPE_OpVectorShuffle, type, n + 2, w);
}
spe_id spe_shuffle(spe_module *m, spe_id a, spe_id b, uint32_t n, const uint32_t *idx)
{
    return SPE_WITHIN_(m, spe_shuffle_(m, a, b, n, idx));
}

XE_ONCE_
XE_FN_ spe_id spe_extract_dyn_(spe_module *m, spe_id v, spe_id i)
{
    uint32_t w[] = {v, i};
    uint64_t k;
    if (spe_const_bits(m, i, &k) && k < 16) return spe_extract(m, v, (uint32_t)k);
    return spe_instruction_(m, __func__, SPE_OpVectorExtractDynamic, "VI:.", w);
}
spe_id spe_extract_dyn(spe_module *m, spe_id v, spe_id i) { return SPE_WITHIN_(m, spe_extract_dyn_(m, v, i)); }

XE_FN_ spe_id spe_insert_dyn_(spe_module *m, spe_id v, spe_id scalar, spe_id i)
{
    uint32_t w[] = {v, scalar, i};
    uint64_t k;
    if (spe_const_bits(m, i, &k) && k < 16) return spe_insert(m, v, scalar, (uint32_t)k);
    return spe_instruction_(m, __func__, SPE_OpVectorInsertDynamic, "V.I:=", w);
}
spe_id spe_insert_dyn(spe_module *m, spe_id v, spe_id scalar, spe_id i)
{
    return SPE_WITHIN_(m, spe_insert_dyn_(m, v, scalar, i));
}

/* -- memory ------------------------------------------------------------------------------------------------------ */

XE_FN_ spe_id spe_element_(spe_module *m, spe_id ptr, uint32_t n, const spe_id *idx)
{
    spe_id from = spe_check_(m, __func__, "p", ptr), type = from ? spe_info_(m, from)->elem : 0;
    uint32_t w[18], packed = 0, pieces = 0;
    uint64_t k;
    if (!from) return 0;
    if (!n || n > 16) return SPE_ERROR_(m, RANGE, "%u indices; 1 to 16 are allowed", n);
    w[0] = ptr;
    for (uint32_t i = 0; i < n; i++) {
        bool known = spe_const_bits(m, idx[i], &k);
        if (!spe_check_(m, __func__, "I", w[i + 1] = idx[i])) return 0;
        if (!known && spe_info_(m, type)->kind == SPE_KIND_STRUCT)
            return SPE_ERROR_(m, TYPE, "index %u, of a struct, is not a constant", i);
        if (spe_info_(m, type)->packed) packed = SPE_ID_PACKED_;
        pieces = spe_pieces_(m, type);
        type = spe_part_type_(m, type, known ? k <= UINT32_MAX ? (uint32_t)k : UINT32_MAX : 0);
        if (!type) return 0;
    }
    /* the last index is a component of a vector in pieces */
    if (pieces && spe_info_(m, from)->storage != SPE_StorageClassWorkgroup) {
        w[n + 1] = spe_umod(m, w[n], spe_const_u(m, spe_type_of(m, w[n]), 4));
        w[n] = spe_udiv(m, w[n], spe_const_u(m, spe_type_of(m, w[n]), 4));
        n++;
    }
    type = spe_ptr(m, spe_info_(m, from)->storage, type);
    spe_id id = type ? spe_emit_(m, SPE_OpInBoundsAccessChain, type, n + 1, w) : 0;
    return spe_mark_packed_(m, id, packed | m->ids[ptr].flags);
}
spe_id spe_element(spe_module *m, spe_id ptr, uint32_t n, const spe_id *idx)
{
    return SPE_WITHIN_(m, spe_element_(m, ptr, n, idx));
}

XE_FN_ spe_id spe_local_var_(spe_module *m, spe_id type)
{
    spe_id ptr = spe_ptr(m, SPE_StorageClassFunction, type), id;
    if (!ptr) return 0;
    if (!m->open) return SPE_ERROR_(m, NO_FUNCTION, "outside of a function");
    id = spe_new_id_(m, ptr, (uint32_t)SPE_OpVariable << 16, 1);
    if (m->vulkan) m->vulkan->alias(m, id, type, SPE_DecorationAliasedPointer);
    return spe_write_(m, SPE_BUFFER_VARIABLES_, SPE_OpVariable, 3, ptr, id, SPE_StorageClassFunction) ? id : 0;
}
spe_id spe_local_var(spe_module *m, spe_id type) { return SPE_WITHIN_(m, spe_local_var_(m, type)); }

XE_FN_ spe_id spe_global_var_(spe_module *m, uint32_t storage, spe_id type, spe_id initializer)
{
    spe_id ptr, id;
    /* Vulkan has no constants in memory: each work-item has them, as a variable of its own */
    if (m->vulkan && initializer && storage == SPE_StorageClassUniformConstant) storage = SPE_StorageClassPrivate;
    ptr = spe_ptr(m, storage, type);
    m->doing = __func__;
    if (!ptr) return 0;
    if (storage == SPE_StorageClassFunction || storage == SPE_StorageClassGeneric)
        return SPE_ERROR_(m, RANGE, "a module has no variables in storage class %s%s", spe_storage_text_(storage),
                          storage == SPE_StorageClassFunction ? "; use spe_local_var" : "");
    if (initializer && spe_type_of(m, initializer) != type) return spe_disagree_(m, type, spe_type_of(m, initializer));
    if (initializer && !(m->ids[initializer].flags & (SPE_ID_CONSTANT_ | SPE_ID_GLOBAL_)))
        return SPE_ERROR_(m, NO_VALUE, "the initializer, %u, is not a constant", initializer);
    if (m->vulkan && storage == SPE_StorageClassWorkgroup)
        return m->vulkan->local_variable(m, ptr, type, initializer);
    if (spe_storage_(m, storage) != storage)
        return SPE_ERROR_(m, ENVIRONMENT, "Vulkan has no variables in global memory, nor constant ones without "
                          "a value, such as %s", spe_text_(m, type));
    id = spe_new_id_(m, ptr, SPE_ID_GLOBAL_, 0);
    spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpVariable, initializer ? 4 : 3, ptr, id, storage, initializer);
    return spe_ok(m) ? id : 0;
}
spe_id spe_global_var(spe_module *m, uint32_t storage, spe_id type, spe_id initializer)
{
    return SPE_WITHIN_(m, spe_global_var_(m, storage, type, initializer));
}
spe_id spe_shared_var(spe_module *m, spe_id type)
{
    return SPE_WITHIN_(m, spe_global_var(m, SPE_StorageClassWorkgroup, type, 0));
}

/* groups.c - math functions, group operations, barriers, atomics. */

/* -- OpenCL.std -------------------------------------------------------------------------------------------------- */

spe_id spe_ext(spe_module *m, spe_id type, uint32_t number, uint32_t n, const spe_id *args)
{
    uint32_t w[10];
    if (m->error.id || !spe_want_type_(m, __func__, type)) return 0;
    if (n > 8) return SPE_ERROR_(m, RANGE, "%u arguments; at most 8", n);
    if (m->options.env) return SPE_ERROR_(m, ENVIRONMENT, "OpenCL.std is not Vulkan's; spe_math has functions of both");
    m->doing = __func__;
    if (!spe_has_function_(m, number, n, args)) return 0;
    w[0] = spe_math_set_(m);
    w[1] = number;
    if (n) memcpy(w + 2, args, n * sizeof *args);
    return spe_emit_(m, SPE_OpExtInst, type, n + 2, w);
}

/* The number of operands of a function, 0 if spe_math lacks it. Makes errors name the function. */
XE_FN_ uint32_t spe_math_operands_(spe_module *m, spe_math_op f)
{
#define SPE_MATH_ROW_(name, name_in_set, number, operands) {number, operands, "spe_math(SPE_" #name ")"},
    static const struct {
        uint16_t number, operands;
        const char *name;
    } rows[] = {SPE_MATH_LIST(SPE_MATH_ROW_) {UINT16_MAX, 0, "spe_math"}}; /* in rising order of numbers */
#undef SPE_MATH_ROW_
    size_t low = 0, last = sizeof rows / sizeof *rows - 1, high = last;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle].number < (uint32_t)f) low = middle + 1;
        else high = middle;
    }
    if (rows[low].number != (uint32_t)f) low = last;
    m->doing = rows[low].name;
    return rows[low].operands;
}

spe_id spe_math(spe_module *m, spe_math_op f, uint32_t n, const spe_id *args)
{
    static const char *const forms[2][3] = {{"llf:=", "llf=:=", "llf==:="}, {"lli:=", "lli=:=", "lli==:="}};
    uint32_t want = spe_math_operands_(m, f), w[5] = {0, (uint32_t)f, 0, 0, 0};
    bool power = f == SPE_LDEXP || f == SPE_POWN || f == SPE_ROOTN; /* the second operand is an integer */
    if (!want || n != want)
        return spe_error_(m, SPE_ERR_TYPE, "the function (%d) takes %u arguments, not %u", (int)f, want, n);
    if (f >= SPE_SMAD24 && f <= SPE_UMUL24 && spe_operand_(m, args[0]) &&
        spe_width(m, spe_type_of(m, args[0])) != 32)
        return spe_error_(m, SPE_ERR_TYPE, "takes integers of 32 bits, not %s", spe_text_(m, spe_type_of(m, args[0])));
    if (spe_operand_(m, args[0]) && spe_info_(m, spe_type_of(m, args[0]))->kind >= SPE_KIND_COOPMAT &&
        !(m->vulkan && m->vulkan->is_vector_math(f, spe_info_(m, spe_type_of(m, args[0])))))
        return spe_error_(m, SPE_ERR_TYPE, "takes scalars and vectors, not %s", spe_text_(m, spe_type_of(m, args[0])));
    const char *form = power ? "llfq:=" : forms[(int)f >= (int)SPE_SABS][n - 1];
    if (m->options.env) {
        static const char *const letters[2][3] = {{"f", "f=", "f=="}, {"i", "i=", "i=="}};
        const char *name = m->doing, *operands = power ? "fq" : letters[(int)f >= (int)SPE_SABS][n - 1];
        bool fits = spe_check_(m, name, operands, args[0], n > 1 ? args[1] : 0, n > 2 ? args[2] : 0);
        return fits ? m->vulkan->math(m, name, f, form, n, args) : 0;
    }
    w[0] = spe_math_set_(m);
    memcpy(w + 2, args, n * sizeof *args);
    return spe_instruction_(m, m->doing, SPE_OpExtInst, form, w);
}
spe_id spe_math1(spe_module *m, spe_math_op f, spe_id a) { return spe_math(m, f, 1, &a); }
spe_id spe_math2(spe_module *m, spe_math_op f, spe_id a, spe_id b)
{
    spe_id args[] = {a, b};
    return spe_math(m, f, 2, args);
}
spe_id spe_math3(spe_module *m, spe_math_op f, spe_id a, spe_id b, spe_id c)
{
    spe_id args[] = {a, b, c};
    return spe_math(m, f, 3, args);
}

XE_FN_ void spe_prefetch_(spe_module *m, spe_id ptr, spe_id n)
{
    enum { PREFETCH = 185 };
    spe_id args[] = {ptr, 0}, type = spe_check_(m, __func__, "pI", ptr, n);
    if (!type) return;
    const spe_type_info *t = spe_info_(m, type);
    if (t->storage != SPE_StorageClassCrossWorkgroup || !spe_is_(m, 'e', t->elem)) {
        spe_error_(m, SPE_ERR_TYPE, "takes pointers to global memory, not %s in storage class %s", spe_text_(m, type),
                   spe_storage_text_(t->storage));
        return;
    }
    args[1] = spe_uconvert(m, spe_int(m, 64), n);
    if (args[1]) spe_ext(m, spe_void(m), PREFETCH, 2, args);
}
void spe_prefetch(spe_module *m, spe_id ptr, spe_id n) { SPE_DO_WITHIN_(m, spe_prefetch_(m, ptr, n)); }

/* -- groups ------------------------------------------------------------------------------------------------------ */

/* The instruction for reducing operands of a kind; 0 if there is none. */
XE_FN_ uint32_t spe_reduction_op_(spe_reduction red, spe_kind kind, bool non_uniform)
{
    enum { I = SPE_KIND_INT, F = SPE_KIND_FLOAT, B = SPE_KIND_BOOL };
#define SPE_ROW_(red, kind, op, uniform) {SPE_RED_##red, kind, SPE_OpGroupNonUniform##op, SPE_OpGroup##uniform},
    static const struct {
        uint16_t red, kind, non_uniform, uniform;
    } rows[] = {
        SPE_ROW_(ADD, I, IAdd, IAdd) SPE_ROW_(ADD, F, FAdd, FAdd) SPE_ROW_(MUL, I, IMul, IMulKHR)
        SPE_ROW_(MUL, F, FMul, FMulKHR) SPE_ROW_(SMIN, I, SMin, SMin) SPE_ROW_(UMIN, I, UMin, UMin)
        SPE_ROW_(SMAX, I, SMax, SMax) SPE_ROW_(UMAX, I, UMax, UMax) SPE_ROW_(FMIN, F, FMin, FMin)
        SPE_ROW_(FMAX, F, FMax, FMax) SPE_ROW_(AND, I, BitwiseAnd, BitwiseAndKHR)
        SPE_ROW_(AND, B, LogicalAnd, LogicalAndKHR) SPE_ROW_(OR, I, BitwiseOr, BitwiseOrKHR)
        SPE_ROW_(OR, B, LogicalOr, LogicalOrKHR) SPE_ROW_(XOR, I, BitwiseXor, BitwiseXorKHR)
        SPE_ROW_(XOR, B, LogicalXor, LogicalXorKHR)
    };
#undef SPE_ROW_
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].red == (uint32_t)red && rows[i].kind == (uint32_t)kind)
            return non_uniform ? rows[i].non_uniform : rows[i].uniform;
    }
    return 0;
}

/* A reduction or scan over a scope. Subgroups use the non-uniform instructions, which are allowed in divergent code;
 * work-groups, and SPIR-V before 1.3, have only the uniform ones. */
XE_FN_ spe_id spe_reduce_(spe_module *m, const char *name, uint32_t scope, spe_reduction red, uint32_t operation,
                          spe_id v, uint32_t cluster)
{
    spe_id type = spe_check_(m, name, "v", v);
    bool non_uniform = scope == SPE_ScopeSubgroup && m->options.version >= SPE_VERSION(1, 3);
    bool clustered = operation == SPE_GroupOperationClusteredReduce;
    uint32_t w[] = {scope, operation, v, cluster}, op = 0;
    if (!type) return 0;
    if (spe_count(m, type)) op = spe_reduction_op_(red, spe_info_(m, spe_scalar_of(m, type))->kind, non_uniform);
    if (!op) return spe_error_(m, SPE_ERR_TYPE, "reduction %d does not take %s", (int)red, spe_text_(m, type));
    if (clustered && (!non_uniform || !cluster || (cluster & (cluster - 1))))
        return spe_error_(m, SPE_ERR_RANGE, "clusters of %u; a power of two and SPIR-V 1.3 are needed", cluster);
    return spe_instruction_(m, name, op, clustered ? "klvk:=" : "klv:=", w);
}

#define SPE_REDUCE_(name, scope, operation)                                                                            \
    spe_id name(spe_module *m, spe_reduction red, spe_id v)                                                            \
    {                                                                                                                  \
        return spe_reduce_(m, #name, SPE_Scope##scope, red, SPE_GroupOperation##operation, v, 0);                      \
    }
SPE_REDUCE_(spe_sg_reduce, Subgroup, Reduce) SPE_REDUCE_(spe_wg_reduce, Workgroup, Reduce)
SPE_REDUCE_(spe_sg_scan_inclusive, Subgroup, InclusiveScan) SPE_REDUCE_(spe_sg_scan_exclusive, Subgroup, ExclusiveScan)
SPE_REDUCE_(spe_wg_scan_inclusive, Workgroup, InclusiveScan)
SPE_REDUCE_(spe_wg_scan_exclusive, Workgroup, ExclusiveScan)
spe_id spe_sg_reduce_clustered(spe_module *m, spe_reduction red, spe_id v, uint32_t cluster)
{
    return spe_reduce_(m, __func__, SPE_ScopeSubgroup, red, SPE_GroupOperationClusteredReduce, v, cluster);
}

spe_id spe_sg_broadcast(spe_module *m, spe_id v, spe_id lane)
{
    uint32_t w[] = {v, lane}, op = SPE_OpGroupNonUniformShuffle;
    uint64_t k;
    if (m->options.version < SPE_VERSION(1, 3) || spe_const_bits(m, lane, &k)) op = SPE_OpGroupNonUniformBroadcast;
    return spe_instruction_(m, __func__, op, "SuI:=", w);
}
spe_id spe_sg_elect(spe_module *m)
{
    spe_id type = spe_bool(m);
    return spe_instruction_(m, __func__, SPE_OpGroupNonUniformElect, "tS:t", &type);
}

/* -- barriers ---------------------------------------------------------------------------------------------------- */

XE_FN_ void spe_barrier_(spe_module *m, const char *name, uint32_t op, const char *form, uint32_t order)
{
    uint32_t semantics = (uint32_t)SPE_MemorySemanticsWorkgroupMemory | SPE_MemorySemanticsCrossWorkgroupMemory;
    semantics = spe_semantics_(m, semantics | order);
    spe_instruction_(m, name, op, form, &semantics);
}
void spe_barrier(spe_module *m)
{
    spe_barrier_(m, __func__, SPE_OpControlBarrier, "WWk:-", SPE_MemorySemanticsAcquireRelease);
}
void spe_sg_barrier(spe_module *m)
{
    spe_barrier_(m, __func__, SPE_OpControlBarrier, "SSk:-", SPE_MemorySemanticsAcquireRelease);
}
/* Vulkan has no barrier in two halves: all of it is where it is waited for. */
void spe_barrier_arrive(spe_module *m)
{
    if (m->vulkan) return;
    spe_barrier_(m, __func__, SPE_OpControlBarrierArriveINTEL, "WWk:-", SPE_MemorySemanticsRelease);
}
void spe_barrier_wait(spe_module *m)
{
    uint32_t op = m->vulkan ? SPE_OpControlBarrier : SPE_OpControlBarrierWaitINTEL;
    uint32_t order = m->vulkan ? SPE_MemorySemanticsAcquireRelease : SPE_MemorySemanticsAcquire;
    spe_barrier_(m, __func__, op, "WWk:-", order);
}

/* -- atomics ----------------------------------------------------------------------------------------------------- */

spe_id spe_atomic(spe_module *m, spe_atomic_op op, spe_id ptr, spe_id v, uint32_t scope, uint32_t semantics)
{
    static const struct {
        uint16_t op;
        char form[8];
    } rows[SPE_ATOMIC_COUNT_] = {
        {SPE_OpAtomicIAdd, "czjJ:*"},     {SPE_OpAtomicISub, "czjJ:*"},     {SPE_OpAtomicSMin, "czjJ:*"},
        {SPE_OpAtomicUMin, "czjJ:*"},     {SPE_OpAtomicSMax, "czjJ:*"},     {SPE_OpAtomicUMax, "czjJ:*"},
        {SPE_OpAtomicAnd, "czjJ:*"},      {SPE_OpAtomicOr, "czjJ:*"},       {SPE_OpAtomicXor, "czjJ:*"},
        {SPE_OpAtomicExchange, "czjE:*"}, {SPE_OpAtomicFAddEXT, "czjG:*"},  {SPE_OpAtomicFMinEXT, "czjG:*"},
        {SPE_OpAtomicFMaxEXT, "czjG:*"},
    };
    uint32_t w[] = {ptr, scope, semantics, v};
    if ((unsigned)op >= SPE_ATOMIC_COUNT_) return SPE_ERROR_(m, RANGE, "there is no operation %d", (int)op);
    return spe_instruction_(m, __func__, rows[op].op, rows[op].form, w);
}
void spe_atomic_store(spe_module *m, spe_id ptr, spe_id v, uint32_t scope, uint32_t semantics)
{
    uint32_t w[] = {ptr, scope, semantics, v};
    spe_instruction_(m, __func__, SPE_OpAtomicStore, "czjE:-", w);
}
spe_id spe_atomic_cas(spe_module *m, spe_id ptr, spe_id expected, spe_id v, uint32_t scope, uint32_t semantics)
{
    uint32_t failed = semantics & ~(uint32_t)SPE_MemorySemanticsRelease; /* a failure stores nothing to release */
    uint32_t w[] = {ptr, scope, semantics, failed, v, expected};
    if (failed & SPE_MemorySemanticsAcquireRelease)
        w[3] ^= (uint32_t)SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsAcquire;
    return spe_instruction_(m, __func__, SPE_OpAtomicCompareExchange, "czjjJJ:*", w);
}

/* conversions.c - conversions with a rounding mode and saturation, which OpenCL's compilers are told by decorations. */

/* The instruction that spe_cast writes between numbers. */
XE_FN_ uint32_t spe_conversion_opcode_(bool float_from, bool float_to, bool is_signed)
{
    if (float_from && float_to) return SPE_OpFConvert;
    if (float_from) return is_signed ? SPE_OpConvertFToS : SPE_OpConvertFToU;
    if (float_to) return is_signed ? SPE_OpConvertSToF : SPE_OpConvertUToF;
    return is_signed ? SPE_OpSConvert : SPE_OpUConvert;
}

XE_FN_ spe_id spe_cast_as_(spe_module *m, spe_id type, spe_id v, const spe_conversion *c)
{
    spe_id from = spe_check_(m, __func__, "v", v), id;
    if (!from || !spe_want_type_(m, __func__, type)) return 0;
    const spe_type_info *a = spe_info_(m, spe_scalar_of(m, from)), *b = spe_info_(m, spe_scalar_of(m, type));
    if (!a->bits || !b->bits || spe_count(m, from) != spe_count(m, type)) return spe_disagree_(m, from, type);
    if (c->rounded && c->rounding > SPE_FPRoundingModeRTN)
        return SPE_ERROR_(m, RANGE, "there is no rounding mode %u", c->rounding);
    bool float_from = a->kind == SPE_KIND_FLOAT, float_to = b->kind == SPE_KIND_FLOAT;
    bool other_sign = c->saturate && !float_from && !float_to && c->from_signed != c->to_signed;
    if (from == type && !other_sign) return v;
    if (m->vulkan) return m->vulkan->cast(m, type, v, c);
    bool is_signed = float_from ? c->to_signed : c->from_signed;
    if (other_sign) id = spe_op(m, c->to_signed ? SPE_OpSatConvertUToS : SPE_OpSatConvertSToU, type, 1, &v);
    else id = spe_cast(m, type, v, is_signed);
    if (!id || id == v) return id;
    if ((m->ids[id].flags & SPE_ID_CONSTANT_) && (c->rounded || c->saturate)) /* folded as if neither were asked for */
        id = spe_op(m, spe_conversion_opcode_(float_from, float_to, is_signed), type, 1, &v);
    if (c->rounded && (float_from || float_to)) spe_decorate(m, id, SPE_DecorationFPRoundingMode, 1, &c->rounding);
    if (c->saturate && !float_to && !other_sign) spe_decorate(m, id, SPE_DecorationSaturatedConversion, 0, NULL);
    return id;
}
spe_id spe_cast_as(spe_module *m, spe_id type, spe_id v, const spe_conversion *c)
{
    return SPE_WITHIN_(m, spe_cast_as_(m, type, v, c));
}

/* images.c - images and samplers: types, reading, writing, sampling. */

spe_id spe_image(spe_module *m, uint32_t dim, bool arrayed, uint32_t access)
{
    spe_type_info t = spe_info_of_(SPE_KIND_IMAGE, 0, dim <= SPE_Dim3D ? dim + 1 + arrayed : 1, 0);
    uint32_t w[8] = {spe_void(m), dim, 0, arrayed, 0, 0, 0, access};
    if (dim != SPE_Dim1D && dim != SPE_Dim2D && dim != SPE_Dim3D && dim != SPE_DimBuffer)
        return SPE_ERROR_(m, RANGE, "dimensionality %u; there are SPE_Dim1D, 2D, 3D and Buffer", dim);
    if (arrayed && dim > SPE_Dim2D) return SPE_ERROR_(m, RANGE, "arrays have images of 1 and 2 dimensions");
    if (access > SPE_AccessQualifierReadWrite)
        return SPE_ERROR_(m, RANGE, "access %u is not one of SPE_AccessQualifier...", access);
    t.dim = dim;
    t.access = access;
    spe_capability(m, SPE_CapabilityImageBasic);
    if (dim == SPE_Dim1D) spe_capability(m, SPE_CapabilitySampled1D);
    if (dim == SPE_DimBuffer) spe_capability(m, SPE_CapabilitySampledBuffer);
    if (access == SPE_AccessQualifierReadWrite) spe_capability(m, SPE_CapabilityImageReadWrite);
    return spe_type_(m, SPE_OpTypeImage, t, SPE_NEED_NOTHING_, 0, 8, w);
}

spe_id spe_sampler(spe_module *m)
{
    spe_capability(m, SPE_CapabilityImageBasic);
    return spe_type_(m, SPE_OpTypeSampler, spe_info_of_(SPE_KIND_SAMPLER, 0, 0, 0), SPE_NEED_NOTHING_, 0, 0, NULL);
}

spe_id spe_const_sampler(spe_module *m, uint32_t addressing, bool normalized, uint32_t filter)
{
    uint32_t w[4] = {spe_sampler(m), addressing, normalized, filter};
    if (addressing > SPE_SamplerAddressingModeRepeatMirrored || filter > SPE_SamplerFilterModeLinear)
        return SPE_ERROR_(m, RANGE, "addressing mode %u and filter %u; the last ones are %d and %d", addressing, filter,
                          (int)SPE_SamplerAddressingModeRepeatMirrored, (int)SPE_SamplerFilterModeLinear);
    spe_capability(m, SPE_CapabilityLiteralSampler);
    return spe_unique_(m, SPE_OpConstantSampler, SPE_ID_CONSTANT_, 4, w);
}

/* The type of an image for the call `name`, where its access is not `refused`; NULL and an error if it is no such. */
XE_FN_ const spe_type_info *spe_want_image_(spe_module *m, const char *name, spe_id image, uint32_t refused)
{
    spe_id type = spe_check_(m, name, "v", image);
    const spe_type_info *t = spe_info_(m, type);
    if (!type) return NULL;
    if (t->kind != SPE_KIND_IMAGE) spe_error_(m, SPE_ERR_TYPE, "takes an image, not %s", spe_text_(m, type));
    else if (t->access == refused)
        spe_error_(m, SPE_ERR_TYPE, "the image is only %s", refused ? "written" : "read");
    return m->error.id ? NULL : t;
}

/* Coordinates for an image: the given ones, as a vector of 4 if there are 3, which Intel's compiler requires. 0 and an
 * error if they do not fit. */
XE_FN_ spe_id spe_coordinates_(spe_module *m, const spe_type_info *t, spe_id coord, bool floats)
{
    static const uint32_t fourth[4] = {0, 1, 2, 0xffffffffu};
    spe_id type = spe_operand_(m, coord), scalar = spe_scalar_of(m, type);
    uint32_t have = spe_count(m, type);
    if (!type) return 0;
    if (scalar != spe_int(m, 32) && !(floats && scalar == spe_float(m, 32)))
        return spe_error_(m, SPE_ERR_TYPE, "coordinates are i32%s, not %s", floats ? " or f32" : "",
                          spe_text_(m, type));
    if (have != t->count)
        return spe_error_(m, SPE_ERR_TYPE, "%u coordinates of %s; the image has %u", have, spe_text_(m, type),
                          t->count);
    return have == 3 ? spe_shuffle(m, coord, coord, 4, fourth) : coord;
}

/* Is it a type of texels? */
XE_FN_ bool spe_is_texel_(spe_module *m, spe_id type)
{
    spe_id scalar = spe_scalar_of(m, type);
    if (m->error.id) return false;
    if (spe_count(m, type) == 4 &&
        (scalar == spe_int(m, 32) || scalar == spe_float(m, 32) || scalar == spe_float(m, 16)))
        return true;
    return spe_error_(m, SPE_ERR_TYPE, "texels are i32x4, f32x4 or f16x4, not %s", spe_text_(m, type));
}

spe_id spe_image_read(spe_module *m, spe_id type, spe_id image, spe_id coord)
{
    const spe_type_info *t = spe_want_image_(m, __func__, image, SPE_AccessQualifierWriteOnly);
    uint32_t w[2] = {image, 0};
    if (!t || !spe_is_texel_(m, type)) return 0;
    w[1] = spe_coordinates_(m, t, coord, false);
    return w[1] ? spe_emit_(m, SPE_OpImageRead, type, 2, w) : 0;
}

void spe_image_write(spe_module *m, spe_id image, spe_id coord, spe_id texel)
{
    const spe_type_info *t = spe_want_image_(m, __func__, image, SPE_AccessQualifierReadOnly);
    uint32_t w[3] = {image, 0, texel};
    spe_id type = t ? spe_operand_(m, texel) : 0;
    if (!type || !spe_is_texel_(m, type)) return;
    w[1] = spe_coordinates_(m, t, coord, false);
    if (w[1]) spe_emit_(m, SPE_OpImageWrite, 0, 3, w);
}

/* OpSampledImage has to be in the block that uses it: so each use has its own. */
spe_id spe_image_sample(spe_module *m, spe_id type, spe_id image, spe_id sampler, spe_id coord, spe_id lod)
{
    enum { LOD = 2 };
    const spe_type_info *t = spe_want_image_(m, __func__, image, SPE_AccessQualifierWriteOnly), *s;
    uint32_t pair[2] = {image, sampler}, w[4] = {0, 0, LOD, lod};
    spe_id its_type = spe_type_of(m, image), sampled;
    if (!t || !spe_is_texel_(m, type)) return 0;
    if (t->dim == SPE_DimBuffer || t->access != SPE_AccessQualifierReadOnly)
        return spe_error_(m, SPE_ERR_TYPE, "an image is sampled that is %s", t->dim == SPE_DimBuffer ? "a Buffer"
                          : "written too");
    s = spe_info_(m, spe_operand_(m, sampler));
    if (s && s->kind != SPE_KIND_SAMPLER)
        spe_error_(m, SPE_ERR_TYPE, "takes a sampler, not %s", spe_text_(m, spe_type_of(m, sampler)));
    if (lod && spe_operand_(m, lod) != spe_float(m, 32)) return spe_disagree_(m, spe_float(m, 32), spe_type_of(m, lod));
    w[1] = spe_coordinates_(m, t, coord, true);
    if (!lod) w[3] = spe_f32(m, 0);
    sampled = spe_type_(m, SPE_OpTypeSampledImage, spe_info_of_(SPE_KIND_SAMPLED_IMAGE, 0, 0, 0), SPE_NEED_NOTHING_, 0,
                        1, &its_type);
    w[0] = m->error.id ? 0 : spe_emit_(m, SPE_OpSampledImage, sampled, 2, pair);
    return w[0] ? spe_emit_(m, SPE_OpImageSampleExplicitLod, type, 4, w) : 0;
}

spe_id spe_image_size(spe_module *m, spe_id image)
{
    const spe_type_info *t = spe_want_image_(m, __func__, image, UINT32_MAX);
    uint32_t w[2] = {image, spe_i32(m, 0)};
    if (!t) return 0;
    spe_id type = spe_vec(m, spe_int(m, 32), t->count);
    if (t->dim == SPE_DimBuffer) return spe_emit_(m, SPE_OpImageQuerySize, type, 1, w);
    return spe_emit_(m, SPE_OpImageQuerySizeLod, type, 2, w);
}

/* strings.c - texts in constant memory, and printf. */

XE_FN_ spe_id spe_string_(spe_module *m, const char *text)
{
    spe_id zero = spe_i32(m, 0), i8 = spe_int(m, 8), type, *bytes;
    uint32_t w[3] = {0, SPE_StorageClassUniformConstant, 0};
    size_t n = text ? strlen(text) + 1 : 0;
    if (m->error.id) return 0;
    if (!n || n > 65000) return SPE_ERROR_(m, LIMIT, "a text of %zu bytes; there may be 1 to 65000", n);
    type = spe_array(m, i8, (uint32_t)n);
    bytes = (spe_id *)spe_alloc(m, n * sizeof *bytes);
    for (size_t i = 0; i < n && bytes; i++) bytes[i] = spe_const_scalar_(m, i8, (unsigned char)text[i]);
    if (!bytes || m->error.id) return 0;
    w[0] = spe_ptr(m, SPE_StorageClassUniformConstant, type);
    w[2] = spe_composite_const(m, type, (uint32_t)n, bytes);
    spe_id variable = spe_unique_(m, SPE_OpVariable, SPE_ID_GLOBAL_, 3, w);
    return variable ? spe_element(m, variable, 1, &zero) : 0;
}
spe_id spe_string(spe_module *m, const char *text) { return SPE_WITHIN_(m, spe_string_(m, text)); }

/* A conversion of a format. */
typedef struct {
    uint32_t lanes, bits; /* bits: those of the length; 0: none was given */
    char letter;          /* 0: the format has ended */
    const char *begin, *end;
} spe_conversion_;

/* The next conversion at or behind `at`; %% is none. */
XE_FN_ spe_conversion_ spe_next_conversion_(const char *at)
{
    static const struct {
        const char *name;
        uint32_t bits;
    } lengths[] = {{"hh", 8}, {"hl", 32}, {"h", 16}, {"l", 64}};
    static const char digits[] = "0123456789";
    spe_conversion_ c = {1, 0, 0, at, at};
    while (*at && !(*at == '%' && at[1] != '%')) at += *at == '%' ? 2 : 1;
    c.begin = at;
    if (!*at++) return c;
    at += strspn(at, "-+ #0");
    at += strspn(at, digits);
    if (*at == '.') at += 1 + strspn(at + 1, digits);
    if (*at == 'v') {
        for (c.lanes = 0, at++; *at >= '0' && *at <= '9' && c.lanes < 100; at++)
            c.lanes = 10 * c.lanes + (uint32_t)(*at - '0');
    }
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths && !c.bits; i++) {
        if (strncmp(at, lengths[i].name, strlen(lengths[i].name))) continue;
        c.bits = lengths[i].bits;
        at += strlen(lengths[i].name);
    }
    c.letter = *at ? *at : '%';
    c.end = *at ? at + 1 : at;
    return c;
}

/* The argument of a conversion as printf takes it: numbers of less than 32 bits extended. 0 and an error if it is of
 * another type. */
XE_FN_ spe_id spe_printed_(spe_module *m, const spe_conversion_ *c, spe_id v)
{
    spe_id type = spe_check_(m, "spe_printf", "v", v);
    const spe_type_info *t = spe_info_(m, spe_scalar_of(m, type));
    spe_kind kind = strchr("diouxXc", c->letter)    ? SPE_KIND_INT
                    : strchr("aAeEfFgG", c->letter) ? SPE_KIND_FLOAT
                    : strchr("sp", c->letter)       ? SPE_KIND_POINTER
                                                    : SPE_KIND_NONE;
    uint32_t lanes = spe_count(m, type), bits = c->bits ? c->bits : 32;
    if (!type) return 0;
    if (c->lanes == 1 && bits < 32) bits = 32;
    bool fits = t->kind == kind && c->lanes == (lanes ? lanes : 1);
    if (kind == SPE_KIND_POINTER) {
        fits = fits && !c->bits && (c->letter == 'p' || (spe_info_(m, t->elem)->kind == SPE_KIND_INT &&
                                                         t->storage == SPE_StorageClassUniformConstant));
    } else if (lanes > 1) {
        fits = fits && t->bits == bits;
    } else {
        fits = fits && (t->bits == bits || (t->bits < bits && bits == 32) || (kind == SPE_KIND_FLOAT && !c->bits));
    }
    if (!fits)
        return spe_error_(m, SPE_ERR_TYPE, "conversion %.*s does not take %s", (int)(c->end - c->begin), c->begin,
                          spe_text_(m, type));
    if (kind == SPE_KIND_POINTER || lanes > 1 || t->bits >= bits) return v;
    return spe_cast(m, kind == SPE_KIND_INT ? spe_int(m, 32) : spe_float(m, 32), v, strchr("di", c->letter) != NULL);
}

XE_FN_ spe_id spe_printf_(spe_module *m, const char *format, uint32_t n, const spe_id *args)
{
    enum { PRINTF = 184, MOST = 7 }; /* of OpenCL.std; arguments besides the format, see spe_ext */
    spe_id w[MOST + 1] = {spe_string(m, format)};
    const char *at = format;
    uint32_t i = 0;
    if (m->error.id) return 0;
    if (n > MOST) return SPE_ERROR_(m, RANGE, "%u arguments; at most %d", n, (int)MOST);
    for (;; i++) {
        spe_conversion_ c = spe_next_conversion_(at);
        if (!c.letter) break;
        at = c.end;
        if (i < n) w[i + 1] = spe_printed_(m, &c, args[i]);
        if (m->error.id) return 0;
    }
    if (i != n) return SPE_ERROR_(m, TYPE, "%u arguments for %u conversions of \"%.60s\"", n, i, format);
    return spe_ext(m, spe_int(m, 32), PRINTF, n + 1, w);
}
spe_id spe_printf(spe_module *m, const char *format, uint32_t n, const spe_id *args)
{
    return SPE_WITHIN_(m, spe_printf_(m, format, n, args));
}

/* matrix.c - matrix hardware: 2D blocks, cache control, products of cooperative matrices and vectors. */

XE_FN_ void spe_block2d_(spe_module *m, const char *name, uint32_t op, const spe_block2d *b, spe_id private_ptr)
{
    uint32_t w[10] = {b->elem_bytes, b->width, b->height, b->count}, n;
    spe_id xy[2] = {b->pos_x, b->pos_y};
    bool prefetch = op == SPE_OpSubgroup2DBlockPrefetchINTEL, store = op == SPE_OpSubgroup2DBlockStoreINTEL;
    if (!spe_check_(m, name, prefetch ? "p" : "pp", b->ptr, private_ptr)) return;
    if (b->elem_bytes != 1 && b->elem_bytes != 2 && b->elem_bytes != 4 && b->elem_bytes != 8)
        spe_error_(m, SPE_ERR_RANGE, "elements of %u bytes; there are 1, 2, 4 and 8", b->elem_bytes);
    if (!b->width || !b->height || !b->count)
        spe_error_(m, SPE_ERR_RANGE, "%u blocks of %u x %u elements", b->count, b->height, b->width);
    if (!spe_check_(m, name, "xxxxx", b->mem_width, b->mem_height, b->pitch, b->pos_x, b->pos_y)) return;
    for (n = 0; n < 4; n++) w[n] = spe_u32(m, w[n]);
    if (store) w[n++] = private_ptr;
    w[n++] = b->ptr;
    w[n++] = b->mem_width;
    w[n++] = b->mem_height;
    w[n++] = b->pitch;
    w[n++] = spe_construct(m, spe_vec(m, spe_int(m, 32), 2), 2, xy);
    if (!prefetch && !store) w[n++] = private_ptr;
    spe_emit_(m, op, 0, n, w);
}
#define SPE_BLOCK_(name, op, ptr, ...)                                                                                 \
    void name(spe_module *m, __VA_ARGS__)                                                                              \
    {                                                                                                                  \
        SPE_DO_WITHIN_(m, spe_block2d_(m, #name, SPE_OpSubgroup2DBlock##op##INTEL, b, ptr));                           \
    }
SPE_BLOCK_(spe_block2d_load, Load, ptr, const spe_block2d *b, spe_id ptr)
SPE_BLOCK_(spe_block2d_load_transform, LoadTransform, ptr, const spe_block2d *b, spe_id ptr)
SPE_BLOCK_(spe_block2d_load_transpose, LoadTranspose, ptr, const spe_block2d *b, spe_id ptr)
SPE_BLOCK_(spe_block2d_store, Store, ptr, const spe_block2d *b, spe_id ptr)
SPE_BLOCK_(spe_block2d_prefetch, Prefetch, 0, const spe_block2d *b)

#define SPE_CACHE_(name, decoration)                                                                                   \
    void name(spe_module *m, spe_id ptr, uint32_t level, uint32_t control)                                             \
    {                                                                                                                  \
        uint32_t w[] = {level, control};                                                                               \
        if (spe_check_(m, #name, "p", ptr))                                                                            \
            SPE_DO_WITHIN_(m, spe_decorate(m, ptr, SPE_Decoration##decoration, 2, w));                                 \
    }
SPE_CACHE_(spe_cache_load, CacheControlLoadINTEL)
SPE_CACHE_(spe_cache_store, CacheControlStoreINTEL)

spe_id spe_coop_mma(spe_module *m, spe_id a, spe_id b, spe_id c, uint32_t operands)
{
    uint32_t w[] = {a, b, c, operands};
    if (!spe_check_(m, __func__, "mmm", c, a, b)) return 0;
    if (!spe_has_bits_(m, SPE_OpCooperativeMatrixMulAddKHR, operands)) return 0;
    const spe_type_info *x = spe_info_(m, spe_type_of(m, a));
    const spe_type_info *y = spe_info_(m, spe_type_of(m, b));
    const spe_type_info *z = spe_info_(m, spe_type_of(m, c));
    if (x->use != SPE_CooperativeMatrixUseMatrixAKHR || y->use != SPE_CooperativeMatrixUseMatrixBKHR ||
        z->use != SPE_CooperativeMatrixUseMatrixAccumulatorKHR || x->cols != y->rows || x->rows != z->rows ||
        y->cols != z->cols)
        return SPE_ERROR_(m, TYPE, "a %u x %u (use %u), b %u x %u (use %u) and c %u x %u (use %u) do not multiply",
                          x->rows, x->cols, x->use, y->rows, y->cols, y->use, z->rows, z->cols, z->use);
    return spe_emit_(m, SPE_OpCooperativeMatrixMulAddKHR, spe_type_of(m, c), operands ? 4 : 3, w);
}

spe_id spe_coopvec_mul(spe_module *m, spe_id type, const spe_coopvec_product *p)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    if (!t) return 0;
    if (t->count != p->rows) return SPE_ERROR_(m, TYPE, "a result of %u components from %u rows", t->count, p->rows);
    if (p->operands && !p->stride) return SPE_ERROR_(m, NO_VALUE, "operands without a stride");
    if (p->bias) {
        uint32_t w[] = {p->input, p->input_type, p->matrix, p->offset, p->matrix_type, p->bias, p->bias_offset,
                        p->bias_type, p->rows, p->cols, p->layout, p->transpose, p->stride, p->operands, type};
        return spe_instruction_(m, __func__, SPE_OpCooperativeVectorMatrixMulAddNV, "wkpIkpIkkkkTo?C:t", w);
    } else {
        uint32_t w[] = {p->input, p->input_type, p->matrix, p->offset, p->matrix_type, p->rows, p->cols, p->layout,
                        p->transpose, p->stride, p->operands, type};
        return spe_instruction_(m, __func__, SPE_OpCooperativeVectorMatrixMulNV, "wkpIkkkkTo?C:t", w);
    }
}

void spe_coopvec_outer_accumulate(spe_module *m, spe_id ptr, spe_id offset, spe_id a, spe_id b, uint32_t layout,
                                  uint32_t matrix_type, spe_id stride)
{
    uint32_t w[] = {ptr, offset, a, b, layout, matrix_type, stride};
    if (!spe_check_(m, __func__, "cIww", ptr, offset, a, b)) return;
    if (spe_scalar_of(m, spe_type_of(m, a)) != spe_scalar_of(m, spe_type_of(m, b)))
        spe_disagree_(m, spe_type_of(m, a), spe_type_of(m, b));
    spe_instruction_(m, __func__, SPE_OpCooperativeVectorOuterProductAccumulateNV, "cIwwkko:-", w);
}

/* coop.c - vectors of 16 bytes in Vulkan's local memory (local.c), from which cooperative matrices are loaded in whole
 * rows. */

spe_id spe_shared_vectors(spe_module *m, uint32_t count)
{
    spe_id vector = spe_vec(m, spe_int(m, 32), 4), array = spe_array(m, vector, count);
    if (m->options.env == SPE_ENV_OPENCL)
        return SPE_ERROR_(m, ENVIRONMENT, "spe_shared_var gives OpenCL's local memory");
    if (m->local_words && !m->local_vectors)
        return SPE_ERROR_(m, ENVIRONMENT, "vectors come before other variables in local memory");
    m->local_vectors = true;
    return spe_shared_var(m, array);
}

/* A pointer to a vector of the array. */
XE_FN_ spe_id spe_vector_at_(spe_module *m, const char *name, spe_id vectors, spe_id index)
{
    if (!spe_check_(m, name, "pI", vectors, index)) return 0;
    if (!m->local_vectors) return SPE_ERROR_(m, TYPE, "%s is not of spe_shared_vectors", spe_text_(m, vectors));
    return m->vulkan->local_vector(m, vectors, index);
}

void spe_vectors_store(spe_module *m, spe_id vectors, spe_id index, spe_id v)
{
    uint32_t w[3] = {spe_vector_at_(m, __func__, vectors, index), v, SPE_MemoryAccessNonPrivatePointer};
    if (!w[0] || !spe_operand_(m, v)) return;
    spe_id vector = spe_vec(m, spe_int(m, 32), 4);
    if (spe_type_of(m, v) != vector) spe_disagree_(m, vector, spe_type_of(m, v));
    else spe_emit_one_(m, SPE_OpStore, 0, 3, w);
}

spe_id spe_vectors_coop_load(spe_module *m, spe_id type, spe_id vectors, spe_id index, uint32_t layout, spe_id stride)
{
    uint32_t w[4] = {0, spe_u32(m, layout), stride, SPE_MemoryAccessNonPrivatePointer};
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    if (!t || !spe_check_(m, __func__, "I", stride)) return 0;
    if (t->kind != SPE_KIND_COOPMAT) return SPE_ERROR_(m, TYPE, "%s is not a cooperative matrix", spe_text_(m, type));
    w[0] = spe_vector_at_(m, __func__, vectors, index);
    return w[0] ? spe_emit_one_(m, SPE_OpCooperativeMatrixLoadKHR, type, 4, w) : 0;
}

/* builtins.c - built-ins of the invocation: ids and sizes. */

typedef struct {
    uint16_t builtin, dims; /* 1: a scalar, 3: a vector */
    bool is_size;           /* size_t in OpenCL: 64 bits with 64-bit pointers */
    const char *name;
} spe_builtin_row_;

XE_FN_ const spe_builtin_row_ *spe_builtin_row_of_(spe_builtin_name which)
{
    static const spe_builtin_row_ rows[SPE_BUILTIN_COUNT_] = {
        {SPE_BuiltInGlobalInvocationId, 3, true, "global_id"}, {SPE_BuiltInLocalInvocationId, 3, true, "local_id"},
        {SPE_BuiltInWorkgroupId, 3, true, "group_id"}, {SPE_BuiltInGlobalSize, 3, true, "global_size"},
        {SPE_BuiltInWorkgroupSize, 3, true, "local_size"}, {SPE_BuiltInNumWorkgroups, 3, true, "group_count"},
        {SPE_BuiltInGlobalOffset, 3, true, "global_offset"},
        {SPE_BuiltInEnqueuedWorkgroupSize, 3, true, "enqueued_local_size"},
        {SPE_BuiltInWorkDim, 1, false, "work_dim"}, {SPE_BuiltInGlobalLinearId, 1, true, "global_linear_id"},
        {SPE_BuiltInLocalInvocationIndex, 1, true, "local_linear_id"}, {SPE_BuiltInSubgroupId, 1, false, "subgroup_id"},
        {SPE_BuiltInSubgroupSize, 1, false, "subgroup_size"}, {SPE_BuiltInNumSubgroups, 1, false, "subgroup_count"},
        {SPE_BuiltInSubgroupLocalInvocationId, 1, false, "subgroup_lane"},
        {SPE_BuiltInSubgroupMaxSize, 1, false, "subgroup_max_size"},
    };
    return &rows[which];
}

/* The module's Input variable for a built-in. */
XE_FN_ spe_id spe_builtin_variable_(spe_module *m, spe_builtin_name which)
{
    const spe_builtin_row_ *row = spe_builtin_row_of_(which);
    uint32_t word = row->builtin;
    spe_id id = m->builtin_variable[which];
    if (id) return id;
    bool wide = row->is_size && m->options.env == SPE_ENV_OPENCL;
    id = spe_global_var(m, SPE_StorageClassInput, spe_vec(m, spe_int(m, wide ? 64 : 32), row->dims), 0);
    if (!id) return 0;
    spe_decorate(m, id, SPE_DecorationBuiltIn, 1, &word);
    if (m->options.env == SPE_ENV_OPENCL) spe_decorate(m, id, SPE_DecorationConstant, 0, NULL);
    else if (which >= SPE_SUBGROUP_ID) spe_capability(m, SPE_CapabilityGroupNonUniform);
    spe_name(m, id, row->name);
    return m->builtin_variable[which] = id;
}

/* Those that Vulkan lacks, from others; UINT32_MAX: Vulkan has it. */
XE_FN_ spe_id spe_derived_builtin_(spe_module *m, spe_builtin_name which, uint32_t dim)
{
    const char *name = spe_builtin_row_of_(which)->name;
    spe_id id = 0;
    switch (which) {
    case SPE_GLOBAL_OFFSET: return spe_u32(m, 0);
    case SPE_LOCAL_SIZE: case SPE_ENQUEUED_LOCAL_SIZE:
        if (m->fn.kernel) return spe_u32(m, m->fn.local_size[dim]);
        return SPE_ERROR_(m, ENVIRONMENT, "in Vulkan only a kernel knows its %s; pass it to the function", name);
    case SPE_GLOBAL_SIZE:
        id = spe_builtin(m, SPE_LOCAL_SIZE, dim);
        return spe_imul(m, id, spe_builtin(m, SPE_GROUP_COUNT, dim));
    case SPE_GLOBAL_LINEAR_ID:
        for (uint32_t d = 3; d-- > 0;) {
            if (id) id = spe_imul(m, id, spe_builtin(m, SPE_GLOBAL_SIZE, d));
            id = id ? spe_iadd(m, id, spe_builtin(m, SPE_GLOBAL_ID, d)) : spe_builtin(m, SPE_GLOBAL_ID, d);
        }
        return id;
    case SPE_WORK_DIM: case SPE_SUBGROUP_MAX_SIZE:
        return SPE_ERROR_(m, ENVIRONMENT, "Vulkan has no %s", name);
    default: return UINT32_MAX;
    }
}

XE_FN_ spe_id spe_builtin_(spe_module *m, spe_builtin_name which, uint32_t dim)
{
    bool was = m->in_prologue;
    if (m->error.id) return 0;
    if ((unsigned)which >= SPE_BUILTIN_COUNT_) return SPE_ERROR_(m, RANGE, "there is no built-in %d", (int)which);
    const spe_builtin_row_ *row = spe_builtin_row_of_(which);
    if (dim >= row->dims) return SPE_ERROR_(m, RANGE, "%s has no dimension %u", row->name, dim);
    if (!m->open) return SPE_ERROR_(m, NO_FUNCTION, "outside of a function");
    if (m->fn.builtin[which][dim]) return m->fn.builtin[which][dim];
    if (m->vulkan) {
        m->in_prologue = true;
        spe_id derived = m->vulkan->builtin(m, which, dim);
        m->in_prologue = was;
        if (derived != UINT32_MAX) return m->fn.builtin[which][dim] = derived;
    }
    spe_id variable = spe_builtin_variable_(m, which);
    m->in_prologue = true;
    if (!m->fn.builtin_vector[which]) m->fn.builtin_vector[which] = variable ? spe_load(m, variable, 0) : 0;
    spe_id v = m->fn.builtin_vector[which];
    if (row->dims > 1) v = v ? spe_extract(m, v, dim) : 0;
    if (row->is_size && m->options.env == SPE_ENV_OPENCL) v = v ? spe_uconvert(m, spe_int(m, 32), v) : 0;
    m->in_prologue = was;
    return m->fn.builtin[which][dim] = v;
}
spe_id spe_builtin(spe_module *m, spe_builtin_name which, uint32_t dim)
{
    return SPE_WITHIN_(m, spe_builtin_(m, which, dim));
}

/* halves.c - where Intel's compiler would do arithmetic of halves in f32 (number 9 in docs/machine-code.md).
 *
 * f32(f16(x) + f16(y)) becomes x + y if nothing else uses the sum, likewise -, *, / and f16(x) * f16(y) + z with two of
 * the three converted. Most math functions of halves begin and end with such conversions. Therefore what may be such a
 * sum is hidden where it is converted (igc.c). Marks of ids tell what a value may be for the compiler, which looks
 * through vectors, phis, selects and memory. */

enum {
    SPE_NARROWED_ = 0x100, /* converted to f16 */
    SPE_FACTOR_ = 0x200,   /* a product with a factor that was */
    SPE_PRODUCT_ = 0x400,  /* a product of two of them */
    SPE_ROUNDED_ = 0x800,  /* arithmetic that the compiler does in f32 if it is converted to that */
    SPE_HALF_MARKS_ = 0xf00
};

XE_FN_ bool spe_is_half_(const spe_module *m, spe_id type)
{
    return spe_count(m, type) && spe_scalar_of(m, type) == m->known_float[1];
}

XE_FN_ uint32_t spe_marks_(const spe_module *m, spe_id id) { return m->ids[id].flags & SPE_HALF_MARKS_; }

/* Returns whether one of the marks is new. */
XE_FN_ bool spe_mark_(spe_module *m, spe_id id, uint32_t marks)
{
    spe_record_ *r = &m->ids[id];
    if (!(marks & ~r->flags) || (r->flags & SPE_ID_CONSTANT_)) return false;
    r->flags = (uint16_t)(r->flags | marks);
    return true;
}

/* The operand words of an instruction whose result may be one of these operands, or made of their parts: first to last,
 * both 0 if it is no such instruction. */
XE_FN_ void spe_passed_on_(const uint32_t *w, uint32_t *first, uint32_t *last)
{
    *first = *last = 3;
    switch (*w & 0xffff) {
    case SPE_OpCompositeExtract: case SPE_OpBitcast: case SPE_OpCopyObject: case SPE_OpVectorExtractDynamic:
    case SPE_OpFNegate: case SPE_OpLoad: case SPE_OpAccessChain: case SPE_OpInBoundsAccessChain:
    case SPE_OpPtrAccessChain: case SPE_OpInBoundsPtrAccessChain: case SPE_OpConvertUToPtr: break;
    case SPE_OpVectorShuffle: case SPE_OpVectorInsertDynamic: case SPE_OpCompositeInsert: case SPE_OpBitwiseAnd:
        *last = 4;
        break;
    case SPE_OpSelect: *first = 4, *last = 5; break;
    case SPE_OpGroupNonUniformBroadcast: case SPE_OpGroupNonUniformShuffle: *first = *last = 4; break;
    case SPE_OpCompositeConstruct: case SPE_OpPhi: *last = (*w >> 16) - 1; break;
    default: *first = *last = 0; break;
    }
}

/* The marks of a op b for addition and subtraction (sum), multiplication (product) and division. */
XE_ONCE_
XE_FN_ uint32_t spe_arithmetic_marks_(uint32_t a, uint32_t b, bool sum, bool product)
{
    bool both = (a & b & SPE_NARROWED_) != 0;
    if (product) return both ? SPE_FACTOR_ | SPE_PRODUCT_ | SPE_ROUNDED_ : ((a | b) & SPE_NARROWED_) ? SPE_FACTOR_ : 0;
    if (sum && ((a & SPE_FACTOR_ && b & SPE_NARROWED_) || (b & SPE_FACTOR_ && a & SPE_NARROWED_))) both = true;
    if (sum && ((a | b) & SPE_PRODUCT_)) both = true;
    return both ? SPE_ROUNDED_ : 0;
}

/* The marks of the result of instruction w, which has one. */
XE_FN_ uint32_t spe_result_marks_(spe_module *m, const uint32_t *w)
{
    uint32_t op = *w & 0xffff, first, last, marks = 0;
    switch (op) {
    case SPE_OpFConvert: case SPE_OpExtInst: case SPE_OpFRem: case SPE_OpFMod:
        return spe_is_half_(m, w[1]) ? SPE_NARROWED_ : 0;
    case SPE_OpFAdd: case SPE_OpFSub: case SPE_OpFMul: case SPE_OpFDiv:
        if (!spe_is_half_(m, w[1])) return 0;
        marks = spe_arithmetic_marks_(spe_marks_(m, w[3]), spe_marks_(m, w[4]), op == SPE_OpFAdd || op == SPE_OpFSub,
                                      op == SPE_OpFMul);
        /* x * 1 may be taken for x */
        return (m->ids[w[3]].flags | m->ids[w[4]].flags) & SPE_ID_CONSTANT_
                   ? marks | spe_marks_(m, w[3]) | spe_marks_(m, w[4]) : marks;
    case SPE_OpFunctionCall: return SPE_HALF_MARKS_;
    default: break;
    }
    spe_passed_on_(w, &first, &last);
    for (; first && first <= last; first++) marks |= spe_marks_(m, w[first]);
    return marks;
}

/* Marks what instruction w makes, and the memory it stores to. Returns whether a mark is new. */
XE_FN_ bool spe_mark_instruction_(spe_module *m, const uint32_t *w)
{
    uint32_t op = *w & 0xffff, n = *w >> 16, first, last;
    if (op == SPE_OpStore) return spe_mark_(m, w[1], spe_marks_(m, w[2]));
    if (n < 4 || w[2] >= m->id_count || !w[1] || spe_type_of(m, w[2]) != w[1]) return false;
    bool changed = spe_mark_(m, w[2], spe_result_marks_(m, w));
    spe_passed_on_(w, &first, &last);
    if (op == SPE_OpFunctionCall) first = 4, last = n - 1;
    for (uint32_t i = first; i && i <= last; i++) {
        const spe_type_info *t = spe_info_(m, spe_type_of(m, w[i]));
        bool written = t && t->kind == SPE_KIND_POINTER && op != SPE_OpLoad;
        if (written && spe_mark_(m, w[i], spe_marks_(m, w[2]))) changed = true;
    }
    return changed;
}

/* The operands that instruction w converts from f16 to f32, as math functions do too: first to last, both 0 if none. */
XE_FN_ void spe_widened_(const spe_module *m, const uint32_t *w, uint32_t *first, uint32_t *last)
{
    uint32_t op = *w & 0xffff, n = *w >> 16;
    *first = *last = 0;
    if (op == SPE_OpFConvert && !spe_is_half_(m, w[1])) *first = *last = 3;
    if (op == SPE_OpFRem || op == SPE_OpFMod) *first = 3, *last = 4;
    if (op == SPE_OpExtInst && n > 5) *first = 5, *last = n - 1;
}

/* Is it a half that must be hidden where it is widened? */
XE_FN_ bool spe_is_rounded_(const spe_module *m, spe_id id)
{
    return (m->ids[id].flags & SPE_ROUNDED_) && spe_is_half_(m, spe_type_of(m, id));
}

/* Can the pattern be in the module at all? */
XE_FN_ bool spe_may_widen_(const spe_module *m)
{
    bool adds = spe_uses_(m, SPE_OpFAdd) || spe_uses_(m, SPE_OpFSub) || spe_uses_(m, SPE_OpFMul) ||
                spe_uses_(m, SPE_OpFDiv);
    bool widens = spe_uses_(m, SPE_OpFConvert) || spe_uses_(m, SPE_OpExtInst) || spe_uses_(m, SPE_OpFRem) ||
                  spe_uses_(m, SPE_OpFMod);
    return m->known_float[1] && adds && widens;
}

/* Marks the values of the open function, whose words in the body start at `begin`. */
XE_FN_ void spe_mark_halves_(spe_module *m, size_t begin)
{
    const spe_buffer_ *body = &m->buffer[SPE_BUFFER_BODY_];
    bool changed = true;
    for (uint32_t i = 0; !m->fn.kernel && i < m->fn.param_count; i++)
        spe_mark_(m, m->fn.first_param + i, SPE_HALF_MARKS_);
    while (changed) { /* phis and memory may pass marks on to what was written before */
        changed = false;
        for (size_t at = begin; at < body->count; at += body->data[at] >> 16)
            if (spe_mark_instruction_(m, body->data + at)) changed = true;
    }
}

/* dots.c - which dot products of integers a compiler finds to be one with several uses (igc.c: bug 20). */

enum { SPE_DOT_ = 1, SPE_DOT_AGAIN_ = 2 };

XE_FN_ bool spe_is_dot_(uint32_t op) { return op == SPE_OpSDot || op == SPE_OpUDot || op == SPE_OpSUDot; }

/* Numbers values by how they are computed, so that equal ones have one number. A literal that happens to be an id, and
 * different values with one number, make a product be taken for another in vain, which costs an instruction. */
XE_FN_ void spe_number_value_(const spe_dots_ *d, const uint32_t *w)
{
    uint32_t h = (*w & 0xffff) * 0x9e3779b1u;
    for (uint32_t k = 1; k < *w >> 16; k++) {
        const bool numbered = w[k] < d->count && d->number[w[k]];
        if (k != 2) h = ((h ^ (h >> 15)) ^ (numbered ? d->number[w[k]] : w[k])) * 0x85ebca6bu;
    }
    d->number[w[2]] = (h & ~3u) | 4 | (spe_is_dot_(*w & 0xffff) ? SPE_DOT_ : 0);
}

/* Where the number of a dot product is among those that are used, or 0 where it would be. */
XE_FN_ uint32_t *spe_used_dot_(const spe_dots_ *d, uint32_t number)
{
    uint32_t i = (number >> 2) & d->mask;
    while (d->used[i] && (d->used[i] & ~(uint32_t)SPE_DOT_AGAIN_) != number) i = (i + 1) & d->mask;
    return &d->used[i];
}

XE_FN_ bool spe_has_result_(const spe_module *m, const uint32_t *w)
{
    return *w >> 16 > 3 && w[1] && w[2] < m->id_count && spe_type_of(m, w[2]) == w[1];
}

XE_FN_ void spe_count_uses_(const spe_module *m, const spe_dots_ *d, const uint32_t *w)
{
    for (uint32_t k = spe_has_result_(m, w) ? 3 : 1; k < *w >> 16; k++) {
        const uint32_t number = w[k] < d->count ? d->number[w[k]] : 0;
        if (!(number & SPE_DOT_)) continue;
        uint32_t *used = spe_used_dot_(d, number);
        *used = *used ? number | SPE_DOT_AGAIN_ : number;
    }
}

XE_FN_ bool spe_has_seen_(const spe_module *m, uint32_t op) { return m->seen[op / 64] >> (op % 64) & 1; }

/* Of the function whose words in the body start at `begin`. */
XE_FN_ spe_dots_ spe_find_dots_(spe_module *m, size_t begin)
{
    const spe_buffer_ *body = &m->buffer[SPE_BUFFER_BODY_];
    spe_dots_ d = {NULL, NULL, (uint32_t)m->id_count, 0};
    size_t dots = 0, slots = 2;
    if (!spe_has_seen_(m, SPE_OpSDot) && !spe_has_seen_(m, SPE_OpUDot) && !spe_has_seen_(m, SPE_OpSUDot)) return d;
    for (size_t at = begin; at < body->count; at += body->data[at] >> 16) dots += spe_is_dot_(body->data[at] & 0xffff);
    while (slots < 2 * dots) slots *= 2;
    d.mask = (uint32_t)slots - 1;
    if (dots) d.number = (uint32_t *)spe_alloc(m, d.count * sizeof *d.number);
    if (d.number) d.used = (uint32_t *)spe_alloc(m, slots * sizeof *d.used);
    if (!d.used) return d;
    memset(d.number, 0, d.count * sizeof *d.number);
    memset(d.used, 0, slots * sizeof *d.used);
    for (size_t at = begin; at < body->count; at += body->data[at] >> 16)
        if (spe_has_result_(m, body->data + at)) spe_number_value_(&d, body->data + at);
    for (size_t at = begin; at < body->count; at += body->data[at] >> 16) spe_count_uses_(m, &d, body->data + at);
    return d;
}

/* Does instruction w, a dot product, compute one of these? */
XE_FN_ bool spe_is_dot_used_again_(const spe_dots_ *d, const uint32_t *w)
{
    return d->used && *spe_used_dot_(d, d->number[w[2]]) & SPE_DOT_AGAIN_;
}

/* igc.c - what Intel's compiler (IGC 2.40) gets wrong is written otherwise. When a function ends, its words are
 * searched for patterns that docs/machine-code.md describes under "What it found"; numbers are those there. Modules for
 * other compilers are written verbatim (spe_options.verbatim). */

/* -- what a kernel's author asks for ------------------------------------------------------------------------------- */

/* An integer 0, which compilers do not recognise: `otherwise` is for work-group 2^32 - 1, which there cannot be. */
XE_FN_ spe_id spe_unknown_zero_(spe_module *m, spe_id word, spe_id otherwise)
{
    spe_id group = spe_builtin(m, SPE_GROUP_ID, 0), last = spe_const_u(m, spe_type_of(m, group), UINT32_MAX);
    spe_id zero = spe_const_u(m, word, 0);
    otherwise = spe_cast(m, word, otherwise, false);
    return spe_select(m, spe_ieq(m, group, last), otherwise, zero);
}

XE_FN_ spe_id spe_word_of_(spe_module *m, spe_id v) { return spe_int(m, spe_width(m, spe_type_of(m, v))); }

/* v with the bits of another number in each component. */
XE_FN_ spe_id spe_or_each_(spe_module *m, spe_id v, spe_id bits)
{
    spe_id type = spe_type_of(m, v), words = spe_vec_like(m, spe_type_of(m, bits), v);
    bits = spe_splat(m, words, bits);
    return spe_bitcast(m, type, spe_or(m, spe_bitcast(m, words, v), bits));
}

/* The zeros differ from those in other blocks. Of an odd number, no part is 0. */
XE_FN_ spe_id spe_reload_(spe_module *m, spe_id v)
{
    if (m->options.verbatim || !v) return v;
    spe_id word = spe_word_of_(m, v), *zero = &m->fn.zero[spe_width(m, word) / 8 % 9];
    if (m->fn.zero_block != m->block) memset(m->fn.zero, 0, sizeof m->fn.zero);
    m->fn.zero_block = m->block;
    if (!*zero) *zero = spe_unknown_zero_(m, word, spe_u32(m, m->block * 2 + 1));
    return spe_or_each_(m, v, *zero);
}
spe_id spe_reload(spe_module *m, spe_id v) { return SPE_WITHIN_(m, spe_reload_(m, v)); }

XE_ONCE_
XE_FN_ spe_id spe_differ_by_lane_(spe_module *m, spe_id v)
{
    if (m->options.verbatim || !v) return v;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0);
    return spe_or_each_(m, v, spe_unknown_zero_(m, spe_word_of_(m, v), lane));
}
spe_id spe_differ_by_lane(spe_module *m, spe_id v) { return SPE_WITHIN_(m, spe_differ_by_lane_(m, v)); }

XE_FN_ void spe_differ_(spe_module *m, uint32_t first, uint32_t n, spe_id *v)
{
    for (uint32_t i = 0; !m->options.verbatim && i < n; i++) {
        if (spe_is_const(m, v[i])) continue;
        spe_id number = spe_u32(m, first + i + 1);
        v[i] = spe_or_each_(m, v[i], spe_unknown_zero_(m, spe_word_of_(m, v[i]), number));
    }
}
void spe_differ(spe_module *m, uint32_t first, uint32_t n, spe_id *v)
{
    SPE_DO_WITHIN_(m, spe_differ_(m, first, n, v));
}

void spe_diverged(spe_module *m) { m->fn.diverged = !m->options.verbatim; }

void spe_reconverge(spe_module *m)
{
    if (m->fn.diverged) SPE_DO_WITHIN_(m, spe_control_barrier(m, SPE_ScopeSubgroup, SPE_ScopeSubgroup, 0));
    m->fn.diverged = false;
}

/* -- patterns ------------------------------------------------------------------------------------------------------
 *
 * A value is hidden by a bitwise or with a zero that the compiler does not recognise, an instruction: an operand that
 * would be merged with the instruction, or a result that would be merged with others. */

/* Which patterns the function may have, as far as the module's types and opcodes tell. */
typedef struct {
    bool halves, doubles, broadcasts, bytes, exchanged;
    spe_id position[3]; /* see spe_position_: ids, if what is computed from one is stored; else 0 */
    spe_dots_ dots;
} spe_suspects_;

XE_FN_ spe_suspects_ spe_suspect_(spe_module *m, size_t begin)
{
    spe_suspects_ s;
    memset(s.position, 0, sizeof s.position);
    s.halves = spe_may_widen_(m);
    s.doubles = m->known_float[4] && spe_uses_(m, SPE_OpFConvert);
    s.broadcasts = m->known_int[4] &&
                   (spe_uses_(m, SPE_OpGroupNonUniformBroadcast) || spe_uses_(m, SPE_OpGroupBroadcast) ||
                    spe_uses_(m, SPE_OpGroupNonUniformShuffle));
    s.exchanged = m->known_int[4] && spe_uses_(m, SPE_OpGroupNonUniformShuffleXor);
    s.bytes = m->known_int[0] && spe_uses_(m, SPE_OpIMul) && spe_uses_(m, SPE_OpIAdd);
    s.dots = spe_find_dots_(m, begin);
    return s;
}

XE_FN_ bool spe_makes_longs_(const spe_module *m, const uint32_t *w)
{
    return spe_scalar_of(m, w[1]) == m->known_int[4];
}

/* 1, vectors_of_doubles_become_f32: to floats narrower than f64, but for those of 8 bits, which the compiler lacks.
 * 6, longs_are_multiplied_by_a_broadcast. 16, longs_are_combined. 17, ids_are_stored_in_blocks.
 * 20, one_dot_product_is_added_twice: the first addition becomes a part of dp4a, whose result the others take for the
 * product. */
XE_FN_ bool spe_hides_result_(const spe_module *m, const spe_suspects_ *s, const uint32_t *w)
{
    switch (*w & 0xffff) { /* of all instructions, so few steps for most of them */
    case SPE_OpUConvert: return w[2] == s->position[0] || w[2] == s->position[1] || w[2] == s->position[2];
    case SPE_OpSDot:
    case SPE_OpUDot:
    case SPE_OpSUDot: return spe_is_dot_used_again_(&s->dots, w) && spe_width(m, w[1]) >= 16;
    case SPE_OpFConvert:
        return s->doubles && spe_count(m, w[1]) && spe_width(m, w[1]) >= 16 && spe_width(m, w[1]) < 64 &&
               spe_width(m, spe_type_of(m, w[3])) == 64;
    case SPE_OpGroupNonUniformShuffle: /* from a lane that the compiler knows */
        return s->broadcasts && spe_is_const(m, w[5]) && spe_makes_longs_(m, w);
    case SPE_OpGroupNonUniformBroadcast:
    case SPE_OpGroupBroadcast: return s->broadcasts && spe_makes_longs_(m, w);
    case SPE_OpGroupNonUniformShuffleXor: return s->exchanged && spe_makes_longs_(m, w);
    default: return false;
    }
}

/* The variable of an id that numbers work-items along x, 0: the module has none. The last is no vector. */
XE_FN_ spe_id spe_position_(const spe_module *m, int i)
{
    return m->builtin_variable[i == 0 ? SPE_GLOBAL_ID : i == 1 ? SPE_LOCAL_ID : SPE_LOCAL_LINEAR_ID];
}

/* Does w make number i, `vector` being what was loaded and x its component? */
XE_FN_ bool spe_makes_position_(const spe_module *m, int i, spe_id *vector, spe_id *x, const uint32_t *w)
{
    uint32_t op = *w & 0xffff;
    if (op == SPE_OpLoad && w[3] == spe_position_(m, i)) *(i < 2 ? vector : x) = w[2];
    if (op == SPE_OpCompositeExtract && w[3] == *vector && !w[4]) *x = w[2];
    return op == SPE_OpUConvert && w[3] == *x;
}

/* The mark of an operand, if one has it. A literal that happens to be a marked id marks in vain, which costs an
 * instruction. */
XE_FN_ uint32_t spe_passed_position_(const spe_module *m, const uint32_t *w)
{
    uint32_t mark = 0;
    for (uint32_t k = 3; k < *w >> 16 && (*w & 0xffff) != SPE_OpLoad; k++)
        if (w[k] && w[k] < m->id_count) mark |= m->ids[w[k]].flags & SPE_ID_POSITION_;
    return mark;
}

/* 17, ids_are_stored_in_blocks: the compiler computes addresses of neighbouring lanes for the first one only, and with
 * them what is stored there, if that is computed from the same id. Hidden ids make no such addresses. */
XE_FN_ void spe_find_stored_ids_(spe_module *m, size_t begin, spe_suspects_ *s)
{
    const spe_buffer_ *body = &m->buffer[SPE_BUFFER_BODY_];
    spe_id vector[3] = {0, 0, 0}, x[3] = {0, 0, 0};
    bool stored = false;
    if (m->fn.subgroup_size == 8) return;
    if (!spe_position_(m, 0) && !spe_position_(m, 1) && !spe_position_(m, 2)) return;
    for (size_t at = begin; at < body->count; at += body->data[at] >> 16) {
        const uint32_t *w = body->data + at, op = *w & 0xffff;
        if (op == SPE_OpStore) stored = stored || m->ids[w[2]].flags & SPE_ID_POSITION_;
        if (*w >> 16 < 4 || w[2] >= m->id_count || !w[1] || spe_type_of(m, w[2]) != w[1]) continue;
        uint32_t mark = spe_passed_position_(m, w);
        for (int i = 0; i < 3; i++)
            if (spe_makes_position_(m, i, &vector[i], &x[i], w)) s->position[i] = w[2], mark = SPE_ID_POSITION_;
        m->ids[w[2]].flags = (uint16_t)(m->ids[w[2]].flags | mark);
        stored = stored || (op == SPE_OpFunctionCall && m->ids[w[2]].flags & SPE_ID_POSITION_);
    }
    if (!stored) memset(s->position, 0, sizeof s->position);
}

/* Marks what is converted from bytes, and products of that. */
XE_FN_ void spe_mark_bytes_(spe_module *m, const uint32_t *w)
{
    uint32_t op = *w & 0xffff, first, last, mark = 0;
    spe_passed_on_(w, &first, &last);
    if (op == SPE_OpUConvert || op == SPE_OpSConvert)
        mark = spe_width(m, spe_type_of(m, w[3])) == 8 ? SPE_ID_BYTE_ : 0;
    if (op == SPE_OpIMul) mark = (m->ids[w[3]].flags | m->ids[w[4]].flags) & SPE_ID_BYTE_ ? SPE_ID_PRODUCT_ : 0;
    for (; first && first <= last; first++) mark |= m->ids[w[first]].flags & SPE_ID_BYTE_;
    if (mark) m->ids[w[2]].flags = (uint16_t)(m->ids[w[2]].flags | mark);
}

/* 4, products_of_bytes_are_summed: product + sum becomes sum + product, and of two products the earlier one comes
 * first. */
XE_FN_ bool spe_is_product_first_(const spe_module *m, const uint32_t *w)
{
    if ((*w & 0xffff) != SPE_OpIAdd || !(m->ids[w[3]].flags & SPE_ID_PRODUCT_)) return false;
    return !(m->ids[w[4]].flags & SPE_ID_CONSTANT_) && (!(m->ids[w[4]].flags & SPE_ID_PRODUCT_) || w[4] < w[3]);
}

/* 9, halves_are_added_as_floats: does the instruction widen a half that must be hidden? */
XE_ONCE_
XE_FN_ bool spe_widens_rounded_(const spe_module *m, const uint32_t *w)
{
    uint32_t first, last;
    spe_widened_(m, w, &first, &last);
    for (; first && first <= last; first++)
        if (spe_is_rounded_(m, w[first])) return true;
    return false;
}

/* Of 16, 32 and 64 bits. */
typedef struct {
    spe_id of[3];
} spe_zeros_;

/* Writes zeros that the compiler does not recognise: the number of no work-group is 2^32 - 1. */
XE_FN_ spe_zeros_ spe_hidden_zeros_(spe_module *m)
{
    spe_zeros_ zeros = {{0, 0, 0}};
    spe_id u64 = spe_int(m, 64), variable = spe_builtin_variable_(m, SPE_GROUP_ID);
    uint32_t part[2] = {0, 0}, equal[2] = {0, 0}, choice[3];
    if (!variable) return zeros;
    spe_use_(m, variable);
    part[0] = spe_emit_(m, SPE_OpLoad, spe_vec(m, u64, 3), 1, &variable);
    equal[0] = spe_emit_(m, SPE_OpCompositeExtract, u64, 2, part);
    equal[1] = spe_const_u(m, u64, UINT32_MAX);
    choice[0] = spe_emit_(m, SPE_OpIEqual, spe_bool(m), 2, equal);
    for (uint32_t i = 0; i < 3; i++) {
        spe_id word = spe_int(m, 16u << i);
        choice[1] = spe_const_u(m, word, 1);
        choice[2] = spe_const_u(m, word, 0);
        zeros.of[i] = spe_emit_(m, SPE_OpSelect, word, 3, choice);
    }
    return zeros;
}

/* Writes v | 0, or v + 0, as value `id`, or as a new one if that is 0. */
XE_FN_ spe_id spe_hide_(spe_module *m, spe_id v, const spe_zeros_ *zeros, spe_id id, uint32_t by)
{
    spe_id type = spe_type_of(m, v), copies[16], *copy;
    uint32_t n = spe_count(m, type), bits = spe_width(m, type);
    spe_id words = spe_vec(m, spe_int(m, bits), n), zero = zeros->of[bits / 32], both[2];
    both[0] = words == type ? v : spe_emit_(m, SPE_OpBitcast, words, 1, &v);
    copy = spe_repeat_(m, zero, n, copies);
    both[1] = n == 1 || !copy ? zero : spe_emit_(m, SPE_OpCompositeConstruct, words, n, copy);
    if (!id) id = spe_new_id_(m, type, 0, spe_depth_(m));
    if (words == type) return spe_write_(m, SPE_BUFFER_BODY_, by, 4, type, id, both[0], both[1]) ? id : 0;
    v = spe_emit_(m, by, words, 2, both);
    return spe_write_(m, SPE_BUFFER_BODY_, SPE_OpBitcast, 3, type, id, v) ? id : 0;
}

/* A rounding mode belongs to the conversion, not to what hides it. */
XE_ONCE_
XE_FN_ void spe_move_decorations_(spe_module *m, spe_id from, spe_id to)
{
    const spe_buffer_ *b = &m->buffer[SPE_SECTION_DECORATION_];
    for (size_t at = 0; at < b->count; at += b->data[at] >> 16)
        if ((b->data[at] & 0xffff) == SPE_OpDecorate && b->data[at + 1] == from) b->data[at + 1] = to;
}

/* Writes an instruction of the function again, and what hides its operands or its result. */
XE_FN_ void spe_write_again_(spe_module *m, const spe_suspects_ *s, const spe_zeros_ *zeros, uint32_t *w)
{
    uint32_t first = 0, last = 0, product;
    spe_id result = spe_hides_result_(m, s, w) ? w[2] : 0;
    if (s->halves) spe_widened_(m, w, &first, &last);
    for (; first && first <= last; first++)
        if (spe_is_rounded_(m, w[first])) w[first] = spe_hide_(m, w[first], zeros, 0, SPE_OpBitwiseOr);
    if (s->bytes && spe_is_product_first_(m, w)) product = w[3], w[3] = w[4], w[4] = product;
    if (result) w[2] = spe_new_id_(m, w[1], 0, spe_depth_(m));
    spe_write_words_(m, SPE_BUFFER_BODY_, *w & 0xffff, (*w >> 16) - 1, w + 1, 0, NULL);
    if (!result || !w[2]) return;
    spe_move_decorations_(m, result, w[2]);
    /* an `or` would become part of a tree of them */
    bool exchanged = (*w & 0xffff) == SPE_OpGroupNonUniformShuffleXor;
    spe_hide_(m, w[2], zeros, result, exchanged ? SPE_OpIAdd : SPE_OpBitwiseOr);
}

XE_FN_ void spe_replace_patterns_(spe_module *m, size_t begin, const spe_suspects_ *s)
{
    spe_buffer_ *body = &m->buffer[SPE_BUFFER_BODY_];
    bool found = false;
    if (s->halves) spe_mark_halves_(m, begin);
    const uint32_t *end = body->data + body->count;
    for (const uint32_t *w = body->data + begin; w < end && (s->bytes || !found); w += *w >> 16) {
        if (s->bytes) spe_mark_bytes_(m, w);
        if (!found) found = spe_hides_result_(m, s, w);
        if (!found && s->halves) found = spe_widens_rounded_(m, w);
        if (!found && s->bytes) found = spe_is_product_first_(m, w);
    }
    size_t count = body->count - begin;
    uint32_t *words = found ? (uint32_t *)spe_copied_(m, body->data + begin, count * sizeof *words) : NULL;
    if (!words) return;
    body->count = begin;
    spe_zeros_ zeros = spe_hidden_zeros_(m);
    for (uint32_t *w = words; w < words + count; w += *w >> 16) spe_write_again_(m, s, &zeros, w);
}

/* Called when a function ends, with all its words but those of its variables in the body, from `begin` on. */
XE_FN_ void spe_avoid_bugs_(spe_module *m, size_t begin)
{
    const char *file = m->file;
    if (m->options.verbatim || m->error.id) return;
    spe_suspects_ s = spe_suspect_(m, begin);
    m->block = m->fn.entry; /* instructions may be written */
    m->file = NULL;         /* but without lines */
    spe_find_stored_ids_(m, begin, &s);
    bool ids = s.position[0] || s.position[1] || s.position[2];
    if (s.halves || s.doubles || s.broadcasts || s.bytes || s.exchanged || ids || s.dots.used)
        spe_replace_patterns_(m, begin, &s);
    m->file = file;
}

/* functions.c - functions, kernels, the prologue, built-ins. */

/* Is it the id of a function of this module? */
XE_FN_ bool spe_is_function_(const spe_module *m, spe_id fn)
{
    return fn && fn < m->id_count && (m->ids[fn].flags & SPE_ID_FUNCTION_);
}

/* Is it the id of a kernel of this module? */
XE_ONCE_
XE_FN_ bool spe_is_kernel_(const spe_module *m, spe_id fn)
{
    return fn && fn < m->id_count && (m->ids[fn].flags & SPE_ID_KERNEL_);
}

XE_ONCE_
XE_FN_ bool spe_is_void_(const spe_module *m, spe_id type) { return spe_info_(m, type)->kind == SPE_KIND_VOID; }

/* The number of operands of an execution mode; UINT32_MAX if it is none of a kernel. */
XE_ONCE_
XE_FN_ uint32_t spe_mode_operands_(uint32_t mode)
{
    switch (mode) {
    case SPE_ExecutionModeContractionOff: return 0;
    case SPE_ExecutionModeLocalSize: case SPE_ExecutionModeLocalSizeHint: case SPE_ExecutionModeLocalSizeId:
    case SPE_ExecutionModeLocalSizeHintId: return 3;
    case SPE_ExecutionModeFPFastMathDefault: return 2;
    case SPE_ExecutionModeVecTypeHint: case SPE_ExecutionModeSubgroupSize: case SPE_ExecutionModeSubgroupsPerWorkgroup:
    case SPE_ExecutionModeSubgroupsPerWorkgroupId: case SPE_ExecutionModeDenormPreserve:
    case SPE_ExecutionModeDenormFlushToZero: case SPE_ExecutionModeSignedZeroInfNanPreserve:
    case SPE_ExecutionModeRoundingModeRTE: case SPE_ExecutionModeRoundingModeRTZ:
    case SPE_ExecutionModeMaximumRegistersINTEL: case SPE_ExecutionModeMaximumRegistersIdINTEL:
    case SPE_ExecutionModeNamedMaximumRegistersINTEL: return 1;
    default: return UINT32_MAX;
    }
}

/* Has the target, where it is known, this subgroup size or work-groups of this size? Else an error. */
XE_FN_ bool spe_target_has_(spe_module *m, uint32_t mode, const uint32_t *words)
{
    const spe_options *o = &m->options;
    if (mode == SPE_ExecutionModeSubgroupSize && o->subgroup_sizes && !(o->subgroup_sizes & words[0]))
        return spe_error_(m, SPE_ERR_TARGET, "subgroup size %u; the target has those in mask 0x%x", words[0],
                          o->subgroup_sizes);
    if (mode != SPE_ExecutionModeLocalSize || !o->max_group_size) return true;
    uint64_t size = words[0];
    for (int i = 1; i < 3; i++) size = size && words[i] <= UINT64_MAX / size ? size * words[i] : UINT64_MAX;
    return size <= o->max_group_size ||
           spe_error_(m, SPE_ERR_TARGET, "a work-group of %u x %u x %u; the target has at most %u work-items", words[0],
                      words[1], words[2], o->max_group_size);
}

void spe_execution_mode(spe_module *m, spe_id fn, uint32_t mode, uint32_t n, const uint32_t *words)
{
    uint32_t head[2] = {fn, mode}, op = SPE_OpExecutionMode, want = spe_mode_operands_(mode);
    if (!fn && m->open && m->fn.kernel) head[0] = m->fn.id;
    if (!spe_is_kernel_(m, head[0])) SPE_ERROR_(m, NO_FUNCTION, "%u is not a kernel", fn);
    if (want == UINT32_MAX) SPE_ERROR_(m, RANGE, "%u is not one of SPE_ExecutionMode...", mode);
    else if (n != want) SPE_ERROR_(m, RANGE, "mode %u has %u operands, not %u", mode, want, n);
    bool of_kernels = mode == SPE_ExecutionModeVecTypeHint || mode == SPE_ExecutionModeLocalSizeHint ||
                      mode == SPE_ExecutionModeContractionOff || mode == SPE_ExecutionModeLocalSizeHintId;
    if (m->options.env && of_kernels) SPE_ERROR_(m, ENVIRONMENT, "Vulkan has no execution mode %u", mode);
    switch (mode) { /* modes whose operands are ids use OpExecutionModeId */
    case SPE_ExecutionModeSubgroupsPerWorkgroupId: case SPE_ExecutionModeLocalSizeId:
    case SPE_ExecutionModeLocalSizeHintId: case SPE_ExecutionModeFPFastMathDefault:
    case SPE_ExecutionModeMaximumRegistersIdINTEL: op = SPE_OpExecutionModeId; break;
    default: break;
    }
    if (m->error.id || !spe_target_has_(m, mode, words)) return;
    for (uint32_t i = 0; i < n && op == SPE_OpExecutionModeId; i++) {
        if (!spe_is_const(m, words[i])) SPE_ERROR_(m, NO_VALUE, "operand %u of mode %u is not a constant", i + 1, mode);
    }
    spe_need_(m, SPE_NEED_MODE_, mode);
    spe_write_words_(m, SPE_SECTION_MODE_, op, 2, head, n, words);
}

/* The id of a function of this type. */
XE_ONCE_
XE_FN_ spe_id spe_new_function_(spe_module *m, spe_id type)
{
    spe_id id = spe_new_id_(m, 0, SPE_ID_FUNCTION_, 0);
    if (!id) return 0;
    m->ids[id].serial = type;
    m->ids[id].depth = 0; /* its number, which it gets with its body */
    return id;
}

/* Writes OpFunction, its parameters and the entry label; opens the function's scopes. fn: a declared function; 0: it is
 * new. */
XE_FN_ spe_id spe_open_function_(spe_module *m, const char *name, spe_id type, spe_id fn)
{
    const spe_type_info *t = spe_want_type_(m, name, type);
    m->doing = name;
    if (!t) return 0;
    if (m->finished) return spe_error_(m, SPE_ERR_FINISHED, "the module is finished");
    if (m->open) return spe_error_(m, SPE_ERR_FUNCTION_OPEN, "another function is still open");
    if (m->function_count >= 65535) return spe_error_(m, SPE_ERR_LIMIT, "more than 65535 functions");
    memset(&m->fn, 0, sizeof m->fn);
    m->fn.index = ++m->function_count;
    m->fn.ret = t->elem;
    m->fn.param_count = t->count;
    m->fn.id = fn ? fn : spe_new_function_(m, type);
    if (!m->fn.id || !spe_scope_push_(m)) return 0;
    m->ids[m->fn.id].depth = (uint16_t)m->fn.index;
    m->fn.control = m->buffer[SPE_SECTION_FUNCTION_].count + 3;
    spe_write_(m, SPE_SECTION_FUNCTION_, SPE_OpFunction, 4, t->elem, m->fn.id, 0, type);
    for (uint32_t i = 0; i < t->count; i++) {
        spe_id id = spe_new_id_(m, t->members[i], (uint32_t)SPE_OpFunctionParameter << 16, 1);
        spe_write_(m, SPE_SECTION_FUNCTION_, SPE_OpFunctionParameter, 2, t->members[i], id);
        if (!i) m->fn.first_param = id;
        if (m->vulkan) m->vulkan->alias(m, id, t->members[i], SPE_DecorationAliased);
    }
    m->block = m->fn.entry = spe_new_label_(m);
    if (!spe_write_(m, SPE_SECTION_FUNCTION_, SPE_OpLabel, 1, m->block) || !spe_scope_push_(m)) return 0;
    m->fn.body = m->buffer[SPE_BUFFER_BODY_].count;
    m->dead = false;
    m->open = true;
    m->line_file = NULL;
    return m->fn.id;
}

/* Inserts a buffer's words before the body. */
XE_FN_ bool spe_put_before_(spe_module *m, int which)
{
    spe_buffer_ *b = &m->buffer[which], *body = &m->buffer[SPE_BUFFER_BODY_];
    size_t room = b->count;
    if (!room) return true;
    if (!spe_push_(m, SPE_BUFFER_BODY_, room)) return false;
    uint32_t *at = body->data + m->fn.body;
    memmove(at + room, at, (body->count - room - m->fn.body) * sizeof *at);
    memcpy(at, b->data, room * sizeof *at);
    b->count = 0;
    return true;
}

/* Ends the function: its variables and prologue come before the body. */
XE_FN_ void spe_close_function_(spe_module *m, const char *name, bool kernel)
{
    m->doing = name;
    if (!m->open) spe_error_(m, SPE_ERR_NO_FUNCTION, "no function is open");
    else if (m->fn.kernel != kernel)
        spe_error_(m, SPE_ERR_FUNCTION_OPEN, "the open function is %s kernel", kernel ? "not a" : "a");
    else if (m->region_count) spe_region_left_open_(m);
    else if (m->in_prologue) spe_error_(m, SPE_ERR_PROLOGUE, "spe_prologue_end is missing");
    else if (m->hints) spe_error_(m, SPE_ERR_REGION_CROSSED, "no loop follows spe_loop_hint 0x%x", m->hints);
    else if (m->block && m->dead) spe_write_(m, SPE_BUFFER_BODY_, SPE_OpUnreachable, 0);
    else if (m->block && !spe_is_void_(m, m->fn.ret))
        spe_error_(m, SPE_ERR_RETURN, "the function ends without spe_return_value");
    else if (m->block) spe_write_(m, SPE_BUFFER_BODY_, SPE_OpReturn, 0);
    if (m->error.id) return;
    if (!spe_put_before_(m, SPE_BUFFER_PROLOGUE_)) return;
    spe_avoid_bugs_(m, m->fn.body);
    if (!spe_put_before_(m, SPE_BUFFER_VARIABLES_)) return;
    spe_write_(m, SPE_SECTION_FUNCTION_, SPE_OpFunctionEnd, 0);
    spe_scope_pop_(m);
    spe_scope_pop_(m);
    m->open = false;
    m->block = 0;
}

/* Can a kernel have parameter i? Else an error. */
XE_FN_ bool spe_check_param_(spe_module *m, const spe_kernel *k, uint32_t i)
{
    const spe_param *p = &k->params[i];
    const spe_type_info *t = spe_want_type_(m, "spe_kernel_begin", p->type);
    const char *name = p->name ? p->name : "";
    bool pointer = t && t->kind == SPE_KIND_POINTER;
    m->doing = "spe_kernel_begin";
    if (!t) return false;
    if (t->kind == SPE_KIND_VOID || t->kind == SPE_KIND_BOOL || t->kind == SPE_KIND_FUNCTION ||
        t->kind >= SPE_KIND_SAMPLED_IMAGE ||
        (pointer && t->storage != SPE_StorageClassCrossWorkgroup && t->storage != SPE_StorageClassWorkgroup &&
         t->storage != SPE_StorageClassUniformConstant))
        return spe_error_(m, SPE_ERR_PARAMETER, "parameter %u (%s) of kernel %s is %s in storage class %s: a kernel "
                          "has numbers, images, samplers, and pointers to global, local or constant memory", i, name,
                          k->name, spe_text_(m, p->type), spe_storage_text_(t->storage));
    if (!pointer && (p->align || p->restrict_ || p->readonly))
        return spe_error_(m, SPE_ERR_PARAMETER, "parameter %u (%s) of kernel %s is not a pointer: align, restrict_ and "
                          "readonly mean nothing", i, name, k->name);
    if (!(p->align & (p->align - 1))) return true;
    return spe_error_(m, SPE_ERR_RANGE, "alignment %u of parameter %u (%s) is not a power of two", p->align, i, name);
}

/* Name, attributes and alignment of a parameter. */
XE_ONCE_
XE_FN_ void spe_describe_param_(spe_module *m, spe_id id, const spe_param *p)
{
    uint32_t no_alias = SPE_FunctionParameterAttributeNoAlias, no_write = SPE_FunctionParameterAttributeNoWrite;
    spe_name(m, id, p->name);
    if (p->restrict_) spe_decorate(m, id, SPE_DecorationFuncParamAttr, 1, &no_alias);
    if (p->readonly) spe_decorate(m, id, SPE_DecorationFuncParamAttr, 1, &no_write);
    if (p->align) spe_decorate(m, id, SPE_DecorationAlignment, 1, &p->align);
}

/* The slot of a kernel's name in a hash table of numbers of entries, from 1; 0: it is free. */
XE_FN_ uint32_t *spe_entry_slot_(const spe_module *m, const char *name)
{
    const spe_buffer_ *slots = &m->buffer[SPE_BUFFER_KERNELS_];
    size_t slot = 0;
    for (const char *c = name; *c; c++) slot = (slot ^ (unsigned char)*c) * 0x01000193u;
    for (slot ^= slot >> 15;; slot++) {
        uint32_t *at = &slots->data[slot & (slots->count - 1)];
        if (!*at || !strcmp(m->entries[*at - 1].name, name)) return at;
    }
}

XE_ONCE_
XE_FN_ bool spe_has_entry_(const spe_module *m, const char *name)
{
    return m->entry_count && *spe_entry_slot_(m, name);
}

/* Doubles the table if it is half full. */
XE_FN_ bool spe_grow_entries_(spe_module *m)
{
    spe_buffer_ *slots = &m->buffer[SPE_BUFFER_KERNELS_];
    size_t more = slots->count ? slots->count : 16;
    if (2 * (m->entry_count + 1) <= slots->count) return true;
    if (!spe_push_(m, SPE_BUFFER_KERNELS_, more)) return false;
    memset(slots->data, 0, slots->count * sizeof *slots->data);
    for (size_t e = 0; e < m->entry_count; e++) *spe_entry_slot_(m, m->entries[e].name) = (uint32_t)e + 1;
    return true;
}

/* The open function is a kernel. */
XE_FN_ bool spe_add_entry_(spe_module *m, const char *name)
{
    const char *copy = (const char *)spe_copied_(m, name, strlen(name) + 1);
    if (!copy || !spe_grow_entries_(m) ||
        !spe_grow_(m, &m->entries, &m->entry_capacity, m->entry_count + 1, sizeof *m->entries, 4))
        return false;
    spe_entry_ *entry = &m->entries[m->entry_count];
    entry->id = m->fn.id;
    entry->function = m->fn.index;
    entry->name = copy;
    *spe_entry_slot_(m, name) = (uint32_t)++m->entry_count;
    m->ids[m->fn.id].flags |= SPE_ID_KERNEL_;
    m->fn.kernel = true;
    return true;
}

XE_FN_ bool spe_kernel_begin_(spe_module *m, const spe_kernel *k)
{
    uint32_t size[3];
    spe_id type, *params;
    if (m->error.id) return false;
    if (!k->name || !*k->name) return SPE_ERROR_(m, NAME, "the kernel has no name");
    if (k->contract != SPE_CONTRACT_ALLOWED && k->contract != SPE_CONTRACT_OFF)
        return SPE_ERROR_(m, RANGE, "contract is %d; there are SPE_CONTRACT_ALLOWED and SPE_CONTRACT_OFF",
                          (int)k->contract);
    if (spe_has_entry_(m, k->name)) return SPE_ERROR_(m, NAME, "there is a kernel %s already", k->name);
    for (uint32_t i = 0; i < k->param_count; i++) {
        if (!spe_check_param_(m, k, i)) return false;
    }
    params = (spe_id *)spe_alloc(m, k->param_count * sizeof *params);
    if (!params) return false;
    for (uint32_t i = 0; i < k->param_count; i++) params[i] = k->params[i].type;
    bool pushed = m->options.env == SPE_ENV_VULKAN;
    if (pushed && !k->local_size[0])
        return SPE_ERROR_(m, ENVIRONMENT, "kernel %s states no local size; Vulkan needs one", k->name);
    if (pushed && k->max_registers)
        return SPE_ERROR_(m, ENVIRONMENT, "kernel %s: Vulkan has no number of registers", k->name);
    type = spe_fn_type(m, spe_void(m), pushed ? 0 : k->param_count, params);
    if (!type || !spe_open_function_(m, __func__, type, 0) || !spe_add_entry_(m, k->name)) return false;
    m->fn.subgroup_size = k->subgroup_size;
    spe_name(m, m->fn.id, k->name);
    for (uint32_t i = 0; i < 3; i++) size[i] = k->local_size[i] ? k->local_size[i] : 1;
    if (k->local_size[0]) spe_execution_mode(m, m->fn.id, SPE_ExecutionModeLocalSize, 3, size);
    if (pushed) { /* the host requires the subgroup size; instructions say that they are not contracted */
        uint32_t spec = SPE_SUBGROUP_SIZE_CONSTANT + 2 * ((uint32_t)m->entry_count - 1);
        memcpy(m->fn.local_size, size, sizeof size);
        if (k->subgroup_size && (!spe_target_has_(m, SPE_ExecutionModeSubgroupSize, &k->subgroup_size) ||
                                 !spe_spec_const(m, spe_int(m, 32), k->subgroup_size, spec)))
            return false;
        if (k->contract == SPE_CONTRACT_OFF) m->contraction_off = true;
        return m->vulkan->push_params(m, k);
    }
    for (uint32_t i = 0; i < k->param_count; i++) spe_describe_param_(m, m->fn.first_param + i, &k->params[i]);
    if (k->subgroup_size) spe_execution_mode(m, m->fn.id, SPE_ExecutionModeSubgroupSize, 1, &k->subgroup_size);
    if (k->max_registers) spe_execution_mode(m, m->fn.id, SPE_ExecutionModeMaximumRegistersINTEL, 1, &k->max_registers);
    if (k->contract == SPE_CONTRACT_OFF) spe_execution_mode(m, m->fn.id, SPE_ExecutionModeContractionOff, 0, NULL);
    return spe_ok(m);
}
bool spe_kernel_begin(spe_module *m, const spe_kernel *k) { return SPE_WITHIN_(m, spe_kernel_begin_(m, k)); }
void spe_kernel_end(spe_module *m) { spe_close_function_(m, __func__, true); }

XE_FN_ spe_id spe_function_begin_(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    spe_id type = spe_fn_type(m, ret, n, params), id = type ? spe_open_function_(m, __func__, type, 0) : 0;
    spe_name(m, id, name);
    return id;
}
spe_id spe_function_begin(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    return SPE_WITHIN_(m, spe_function_begin_(m, name, ret, n, params));
}
void spe_function_end(spe_module *m) { spe_close_function_(m, __func__, false); }

XE_FN_ spe_id spe_function_declare_(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    spe_id type = spe_fn_type(m, ret, n, params), id = type ? spe_new_function_(m, type) : 0;
    if (!id) return 0;
    m->ids[id].flags |= SPE_ID_DECLARED_;
    m->declared_count++;
    spe_name(m, id, name);
    return id;
}
spe_id spe_function_declare(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    return SPE_WITHIN_(m, spe_function_declare_(m, name, ret, n, params));
}

void spe_function_define(spe_module *m, spe_id fn)
{
    if (m->error.id) return;
    if (!spe_is_function_(m, fn) || !(m->ids[fn].flags & SPE_ID_DECLARED_))
        SPE_ERROR_(m, NO_FUNCTION, "%u is not a function of spe_function_declare without a body", fn);
    else if (spe_open_function_(m, __func__, m->ids[fn].serial, fn)) {
        m->ids[fn].flags &= (uint16_t)~SPE_ID_DECLARED_;
        m->declared_count--;
    }
}

void spe_function_control(spe_module *m, uint32_t control)
{
    uint32_t both = SPE_FunctionControlInline | SPE_FunctionControlDontInline;
    uint32_t all = both | SPE_FunctionControlPure | SPE_FunctionControlConst;
    if (m->error.id) return;
    if (!m->open) SPE_ERROR_(m, NO_FUNCTION, "outside of a function");
    else if ((control & ~all) || (control & both) == both)
        SPE_ERROR_(m, RANGE, "control 0x%x; the bits of 0x%x exist, of 0x%x at most one", control, all, both);
    else m->buffer[SPE_SECTION_FUNCTION_].data[m->fn.control] = control;
}

/* Gives a function a name for other modules. */
XE_FN_ void spe_link_(spe_module *m, const char *doing, spe_id fn, const char *name, uint32_t linkage)
{
    uint32_t words[65], n = name ? spe_text_words_(name) : 0;
    m->doing = doing;
    if (n > 64) spe_error_(m, SPE_ERR_NAME, "the name is longer than 255 bytes");
    else if (!n || !*name) spe_error_(m, SPE_ERR_NAME, "a function without a name is unknown to other modules");
    else if (!spe_is_function_(m, fn)) spe_error_(m, SPE_ERR_NO_FUNCTION, "%u is not a function", fn);
    if (m->error.id) return;
    spe_put_text_(words, name);
    words[n] = linkage;
    spe_decorate(m, fn, SPE_DecorationLinkageAttributes, n + 1, words);
}

void spe_export(spe_module *m, spe_id fn, const char *name)
{
    spe_link_(m, __func__, fn, name, SPE_LinkageTypeExport);
}

XE_FN_ spe_id spe_function_import_(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    spe_id type = spe_fn_type(m, ret, n, params), id = type ? spe_new_function_(m, type) : 0;
    if (!id || !spe_write_(m, SPE_SECTION_IMPORTED_, SPE_OpFunction, 4, ret, id, 0, type)) return 0;
    for (uint32_t i = 0; i < n; i++)
        spe_write_(m, SPE_SECTION_IMPORTED_, SPE_OpFunctionParameter, 2, params[i], spe_new_label_(m));
    spe_write_(m, SPE_SECTION_IMPORTED_, SPE_OpFunctionEnd, 0);
    spe_name(m, id, name);
    spe_link_(m, __func__, id, name, SPE_LinkageTypeImport);
    return spe_ok(m) ? id : 0;
}
spe_id spe_function_import(spe_module *m, const char *name, spe_id ret, uint32_t n, const spe_id *params)
{
    return SPE_WITHIN_(m, spe_function_import_(m, name, ret, n, params));
}

spe_id spe_param_id(spe_module *m, uint32_t i)
{
    if (m->error.id) return 0;
    if (!m->open) return SPE_ERROR_(m, NO_FUNCTION, "no function is open");
    if (i < m->fn.param_count) return m->fn.first_param + i;
    return SPE_ERROR_(m, PARAMETER, "there is no parameter %u; the function has %u", i, m->fn.param_count);
}

void spe_param_names(spe_module *m, uint32_t n, const char *const *names)
{
    if (m->error.id) return;
    if (!m->open) SPE_ERROR_(m, NO_FUNCTION, "no function is open");
    else if (n > m->fn.param_count)
        SPE_ERROR_(m, PARAMETER, "%u names; the function has %u parameters", n, m->fn.param_count);
    for (uint32_t i = 0; i < n && !m->error.id; i++) spe_name(m, m->fn.first_param + i, names[i]);
}

spe_id spe_call(spe_module *m, spe_id fn, uint32_t n, const spe_id *args)
{
    if (!spe_is_function_(m, fn)) return SPE_ERROR_(m, NO_FUNCTION, "%u is not a function", fn);
    if (spe_is_kernel_(m, fn)) return SPE_ERROR_(m, NO_FUNCTION, "%u is a kernel; only the host calls kernels", fn);
    if (m->open && fn == m->fn.id)
        return SPE_ERROR_(m, FUNCTION_OPEN, "%u is the open function; OpenCL has no recursion", fn);
    const spe_type_info *t = spe_info_(m, m->ids[fn].serial);
    if (n != t->count) return SPE_ERROR_(m, TYPE, "%u arguments for %u parameters", n, t->count);
    for (uint32_t i = 0; i < n; i++) {
        spe_id type = spe_check_(m, __func__, "v", args[i]);
        const char *text = spe_text_(m, type);
        if (!type) return 0;
        if (type == t->members[i]) continue;
        return SPE_ERROR_(m, TYPE, "argument %u is %s, the parameter %s", i, text, spe_text_(m, t->members[i]));
    }
    if (!spe_ready_(m)) return 0;
    spe_use_(m, fn);
    spe_id ret = t->elem;
    uint32_t *w = (uint32_t *)spe_alloc(m, (n + 1) * sizeof *w);
    if (!w) return 0;
    w[0] = fn;
    if (n) memcpy(w + 1, args, n * sizeof *w);
    spe_id id = spe_emit_(m, SPE_OpFunctionCall, ret, n + 1, w);
    return spe_is_void_(m, ret) ? 0 : id;
}

void spe_return(spe_module *m)
{
    if (!spe_may_branch_(m, __func__)) return;
    if (!spe_is_void_(m, m->fn.ret)) SPE_ERROR_(m, RETURN, "the function returns a value; use spe_return_value");
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpReturn, 0);
    m->block = 0;
}
void spe_return_value(spe_module *m, spe_id v)
{
    spe_id type = spe_check_(m, __func__, "v", v);
    const char *text;
    if (!type || !spe_may_branch_(m, __func__)) return;
    if (type != m->fn.ret) {
        text = spe_text_(m, type);
        SPE_ERROR_(m, RETURN, "%s from a function of %s", text, spe_text_(m, m->fn.ret));
    }
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpReturnValue, 1, v);
    m->block = 0;
}

void spe_prologue_begin(spe_module *m)
{
    if (!m->open) SPE_ERROR_(m, NO_FUNCTION, "no function is open");
    else if (m->in_prologue) SPE_ERROR_(m, PROLOGUE, "already in the prologue");
    if (!m->error.id) m->in_prologue = true;
}
void spe_prologue_end(spe_module *m)
{
    if (!m->in_prologue) SPE_ERROR_(m, PROLOGUE, "no spe_prologue_begin");
    if (!m->error.id) m->in_prologue = false;
}

/* lanes.c - values that depend only on the lane, computed once in a function, before its body. */

enum { SPE_LANES_MOST_ = 64 };

/* A condition for lanes, or a number for each. Those of a function follow one another. */
typedef struct {
    uint32_t function;
    int lanes;
    uint64_t mask;
    unsigned char table[SPE_LANES_MOST_]; /* of a condition: all 255 */
    spe_id id;                            /* 0: not yet */
} spe_by_lane_;

/* Finds or adds a row of the open function; NULL without memory. */
XE_FN_ spe_by_lane_ *spe_by_lane_at_(spe_module *m, uint64_t mask, const unsigned char *table, int lanes)
{
    spe_by_lane_ row, *found;
    memset(&row, 0, sizeof row);
    memset(row.table, table ? 0 : 255, sizeof row.table);
    if (table) memcpy(row.table, table, (size_t)lanes);
    row.function = m->fn.index;
    row.lanes = lanes;
    row.mask = mask;
    for (int i = m->by_lane.count - 1; i >= 0; i--) {
        found = (spe_by_lane_ *)m->by_lane.items + i;
        if (found->function != row.function) break;
        if (found->lanes != lanes || found->mask != mask) continue;
        if (memcmp(found->table, row.table, sizeof row.table) == 0) return found;
    }
    found = (spe_by_lane_ *)spe_list_add(m, &m->by_lane, sizeof *found);
    if (found) *found = row;
    return found;
}

/* Bit p of the mask in lane p. Of more than 32 lanes, each half has a word of it. */
XE_FN_ spe_id spe_mask_bit_(spe_module *m, uint64_t mask, int lanes)
{
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), one = spe_u32(m, 1), word = spe_u32(m, (uint32_t)mask);
    if (lanes > 32) {
        spe_id half = spe_u32(m, 32), high = spe_u32(m, (uint32_t)(mask >> 32));
        word = spe_select(m, spe_ult(m, lane, half), word, high);
        lane = spe_and(m, lane, spe_u32(m, 31));
    }
    return spe_and(m, spe_shr(m, word, lane), one);
}

XE_FN_ bool spe_has_lanes_(spe_module *m, int lanes)
{
    if (!m->open) SPE_ERROR_(m, NO_FUNCTION, "no function is open");
    else if (lanes < 1 || lanes > SPE_LANES_MOST_)
        SPE_ERROR_(m, RANGE, "%d lanes, wanted 1 to %d", lanes, SPE_LANES_MOST_);
    return !m->error.id;
}

/* Each bit of a table's numbers is a mask of lanes. */
XE_FN_ spe_id spe_emit_lane_number_(spe_module *m, const unsigned char *table, int lanes)
{
    spe_id sum = 0;
    for (int bit = 0; 1 << bit < lanes; bit++) {
        uint64_t mask = 0;
        for (int p = 0; p < lanes; p++) mask |= (uint64_t)(table[p] >> bit & 1) << p;
        if (mask == 0) continue;
        spe_id one = spe_mask_bit_(m, mask, lanes);
        one = bit ? spe_shl(m, one, spe_u32(m, (uint32_t)bit)) : one;
        sum = sum ? spe_or(m, sum, one) : one;
    }
    return sum ? sum : spe_u32(m, 0);
}

spe_id spe_lane_bit(spe_module *m, uint64_t mask, int lanes)
{
    spe_by_lane_ *row = spe_has_lanes_(m, lanes) ? spe_by_lane_at_(m, mask, NULL, lanes) : NULL;
    if (!row || row->id) return row ? row->id : 0;
    bool was = m->in_prologue;
    m->in_prologue = true;
    spe_id bit = spe_mask_bit_(m, mask, lanes);
    row->id = spe_ine(m, bit, spe_u32(m, 0));
    m->in_prologue = was;
    return row->id;
}

spe_id spe_lane_number(spe_module *m, const unsigned char *table, int lanes)
{
    spe_by_lane_ *row = spe_has_lanes_(m, lanes) ? spe_by_lane_at_(m, 0, table, lanes) : NULL;
    if (!row || row->id) return row ? row->id : 0;
    bool was = m->in_prologue;
    m->in_prologue = true;
    row->id = spe_emit_lane_number_(m, table, lanes);
    m->in_prologue = was;
    return row->id;
}

/* flow.c - structured control flow: regions with sides or a body, and the phis of the values that leave them. */

/* Opens a region in state `kind`; NULL and an error if none can be opened here. */
XE_FN_ spe_region_ *spe_open_(spe_module *m, const char *name, int kind)
{
    if (!spe_may_branch_(m, name)) return NULL;
    if (!spe_grow_(m, &m->regions, &m->region_capacity, m->region_count + 1, sizeof *m->regions, 16)) return NULL;
    spe_region_ *r = &m->regions[m->region_count++];
    memset(r, 0, sizeof *r);
    r->kind = kind;
    r->file = m->file;
    r->line = m->line;
    r->serial = m->serial;
    r->stack = (uint32_t)m->buffer[SPE_BUFFER_STACK_].count;
    return r;
}

/* The innermost region; an error of the call `name` unless its state is `kind` or `other`. */
XE_FN_ spe_region_ *spe_innermost_(spe_module *m, const char *name, int kind, int other)
{
    spe_region_ *r = m->region_count ? &m->regions[m->region_count - 1] : NULL;
    m->doing = name;
    if (m->in_prologue) spe_error_(m, SPE_ERR_PROLOGUE, "not in the prologue");
    else if (!r) spe_error_(m, SPE_ERR_REGION_CROSSED, "no region is open");
    else if (r->kind != kind && r->kind != other) {
        m->doing = NULL;
        spe_error_(m, SPE_ERR_REGION_CROSSED, "%s does not fit here: the innermost open region is the %s", name,
                   spe_region_text_(m, r));
    }
    return m->error.id ? NULL : r;
}

/* Ends the current block with a jump to `label`; returns the block's label, or 0 if it is unreachable. */
XE_FN_ spe_id spe_jump_(spe_module *m, spe_id label)
{
    spe_id from = m->dead ? 0 : m->block;
    if (from) spe_write_(m, SPE_BUFFER_BODY_, SPE_OpBranch, 1, label);
    else if (m->block) spe_write_(m, SPE_BUFFER_BODY_, SPE_OpUnreachable, 0);
    m->block = 0;
    return from;
}

/* Branches to a new block if the condition holds, else to `no`; opens the new block. */
XE_ONCE_
XE_FN_ void spe_branch_if_(spe_module *m, spe_id condition, spe_id no)
{
    spe_id yes = spe_new_label_(m);
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpBranchConditional, 3, condition, yes, no);
    spe_label_(m, yes, false);
}

/* Checks a side's values while they are in scope. */
XE_FN_ bool spe_check_values_(spe_module *m, uint32_t n, const spe_id *values)
{
    for (uint32_t i = 0; i < n && spe_operand_(m, values[i]); i++) continue;
    return !m->error.id;
}

/* Pushes (label, values) of a side, or of a loop's entry. */
XE_FN_ bool spe_push_values_(spe_module *m, spe_id label, uint32_t n, const spe_id *values)
{
    uint32_t *at = spe_push_(m, SPE_BUFFER_STACK_, n + 1);
    if (!at) return false;
    at[0] = label;
    if (n) memcpy(at + 1, values, n * sizeof *values);
    return true;
}

/* All sides carry the same number of values and types, which are those of the first; a loop's are those on entry. */
XE_FN_ bool spe_check_carried_(spe_module *m, const spe_region_ *r, uint32_t n, const spe_id *values)
{
    if (!spe_check_values_(m, n, values)) return false;
    if (!r->sides) return true;
    if (n != r->count)
        spe_error_(m, SPE_ERR_CARRIED, "%u values, but the %s carries %u", n, spe_region_text_(m, r), r->count);
    for (uint32_t i = 0; i < n && !m->error.id; i++) {
        spe_id t = spe_type_of(m, m->buffer[SPE_BUFFER_STACK_].data[r->stack + 1 + i]), u = spe_type_of(m, values[i]);
        const char *text = t != u ? spe_text_(m, t) : NULL;
        if (text)
            spe_error_(m, SPE_ERR_CARRIED, "carried value %u changes its type from %s to %s in the %s", i, text,
                       spe_text_(m, u), spe_region_text_(m, r));
    }
    return !m->error.id;
}

/* Can the current block be reached? Not after a return or break. */
XE_FN_ bool spe_arrives_(const spe_module *m) { return m->block && !m->dead; }

/* Ends a side. If it arrives at the merge, its values are pushed. Otherwise they are ignored; only their types are
 * pushed, if there are any, for the case that no side arrives. */
XE_FN_ bool spe_end_side_(spe_module *m, spe_region_ *r, uint32_t n, const spe_id *values)
{
    bool arrives = spe_arrives_(m);
    if (arrives && !spe_check_carried_(m, r, n, values)) return false;
    spe_id from = spe_jump_(m, r->merge);
    if (r->sides && !arrives) return true;
    if (!r->sides) m->buffer[SPE_BUFFER_STACK_].count = r->stack; /* drops the types of a side before */
    if (arrives && !r->sides) r->count = n;
    r->sides += arrives;
    r->unused = arrives ? 0 : n;
    if (!spe_push_values_(m, from, n, values)) return false;
    uint32_t *pushed = m->buffer[SPE_BUFFER_STACK_].data + m->buffer[SPE_BUFFER_STACK_].count - n;
    for (uint32_t i = 0; i < n && !arrives; i++) pushed[i] = spe_type_of(m, values[i]);
    return true;
}

/* An undefined value of a type; of i32 if the type is not known. */
XE_FN_ spe_id spe_undef_or_i32_(spe_module *m, spe_id type) { return spe_undef(m, type ? type : spe_int(m, 32)); }

/* The phi of n values, each before the block that it comes from, is kept if all are. A loop's may become another. */
XE_FN_ spe_id spe_mark_phi_(spe_module *m, spe_id id, uint32_t n, const uint32_t *value)
{
    uint32_t i = 0;
    while (m->vulkan && i < n && spe_is_kept_(m, value[2 * i])) i++;
    if (i == n) m->ids[id].flags |= SPE_ID_KEPT_HALF_;
    return id;
}

/* Value i at the merge of the sides: their common value or a phi. If no side has it, it is undefined. */
XE_FN_ spe_id spe_merge_value_(spe_module *m, const spe_region_ *r, uint32_t i)
{
    const spe_buffer_ *scopes = &m->buffer[SPE_BUFFER_SCOPES_];
    const uint32_t *side = m->buffer[SPE_BUFFER_STACK_].data + r->stack, *row, *end = side + r->sides * (r->count + 1);
    bool same = true;
    if (i >= r->count) return spe_undef_or_i32_(m, i < r->unused ? side[1 + i] : 0);
    spe_id first = side[i + 1], type = spe_type_of(m, first);
    for (row = side; row < end; row += r->count + 1) same = same && row[i + 1] == first;
    if (same && scopes->count > m->ids[first].depth && scopes->data[m->ids[first].depth] == m->ids[first].serial)
        return first;
    spe_id id = spe_new_id_(m, type, 0, spe_depth_(m));
    uint32_t *at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpPhi, 2 + 2 * r->sides);
    if (!at) return 0;
    *at++ = type;
    *at++ = id;
    for (row = side; row < end; row += r->count + 1) *at++ = row[i + 1], *at++ = row[0];
    return spe_mark_phi_(m, id, r->sides, at - 2 * r->sides);
}

/* Writes the merge block of an if or switch and its n phis, and closes the region. */
XE_FN_ void spe_close_sides_(spe_module *m, spe_region_ *r, uint32_t n, spe_id *out)
{
    spe_label_(m, r->merge, !r->sides);
    for (uint32_t i = 0; i < n; i++) out[i] = spe_merge_value_(m, r, i);
    m->buffer[SPE_BUFFER_STACK_].count = r->stack;
    m->region_count--;
}

/* Opens the next side and writes its label to word `patch` of the body. */
XE_ONCE_
XE_FN_ void spe_open_side_(spe_module *m, spe_region_ *r, size_t patch, int kind)
{
    spe_id label = spe_new_label_(m);
    m->buffer[SPE_BUFFER_BODY_].data[patch] = label;
    r->kind = kind;
    spe_label_(m, label, false);
    spe_scope_renew_(m);
}

/* -- if ---------------------------------------------------------------------------------------------------------- */

/* Is it a single bool? */
XE_ONCE_
XE_FN_ bool spe_is_condition_(spe_module *m, const char *name, spe_id condition)
{
    spe_id type = spe_check_(m, name, "v", condition);
    return type && (type == spe_bool(m) || spe_disagree_(m, type, spe_bool(m)));
}

void spe_if(spe_module *m, spe_id condition)
{
    spe_region_ *r = spe_is_condition_(m, __func__, condition) ? spe_open_(m, __func__, SPE_REGION_IF_) : NULL;
    if (!r) return;
    r->header = m->block;
    spe_id then_label = spe_new_label_(m);
    r->merge = spe_new_label_(m);
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpSelectionMerge, 2, r->merge, 0);
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpBranchConditional, 3, condition, then_label, r->merge);
    r->patch = m->buffer[SPE_BUFFER_BODY_].count - 1;
    spe_label_(m, then_label, false);
    spe_scope_push_(m);
}

void spe_else(spe_module *m, uint32_t n, const spe_id *then_values)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_IF_, SPE_REGION_IF_);
    if (r && spe_end_side_(m, r, n, then_values)) spe_open_side_(m, r, r->patch, SPE_REGION_ELSE_);
}

void spe_endif_from(spe_module *m, uint32_t n, const spe_id *then_values, const spe_id *otherwise_values, spe_id *out)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_IF_, SPE_REGION_IF_);
    if (!r || !spe_end_side_(m, r, n, then_values)) return;
    spe_scope_pop_(m);
    size_t body = m->buffer[SPE_BUFFER_BODY_].count;
    m->block = r->header;
    m->dead = false;
    if (!spe_end_side_(m, r, n, otherwise_values)) return;
    m->buffer[SPE_BUFFER_BODY_].count = body; /* drops the jump: the header already has one past the then side */
    spe_close_sides_(m, r, n, out);
}

void spe_endif(spe_module *m, uint32_t n, const spe_id *values, spe_id *out)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_IF_, SPE_REGION_ELSE_);
    if (r && r->kind == SPE_REGION_IF_) {
        if (n)
            spe_error_(m, SPE_ERR_CARRIED, "%u values leave the %s, which has no spe_else; use spe_endif_from", n,
                       spe_region_text_(m, r));
        SPE_DO_WITHIN_(m, spe_endif_from(m, 0, NULL, NULL, NULL));
    } else if (r && spe_end_side_(m, r, n, values)) {
        spe_scope_pop_(m);
        spe_close_sides_(m, r, n, out);
    }
}

/* -- loops ------------------------------------------------------------------------------------------------------- */

enum { SPE_PHI_WORDS_ = 7, SPE_PHI_NEXT_ = 5 }; /* a loop phi: its length; the word for the next iteration's value */

/* A phi in the loop header, with the value on entry; the next iteration's value is patched in when the loop closes. */
XE_FN_ spe_id spe_loop_phi_(spe_module *m, const spe_region_ *r, spe_id value)
{
    spe_id type = spe_type_of(m, value), id = spe_new_id_(m, type, 0, spe_depth_(m));
    return spe_write_(m, SPE_BUFFER_BODY_, SPE_OpPhi, 6, type, id, value, r->preheader, 0, r->next) ? id : 0;
}

/* Opens a loop whose header has a phi for each carried value. Replaces the values by the phis, and pushes these too. */
XE_FN_ spe_region_ *spe_open_loop_(spe_module *m, const char *name, int kind, uint32_t n, spe_id *carried)
{
    m->doing = name;
    spe_region_ *r = spe_check_values_(m, n, carried) ? spe_open_(m, name, kind) : NULL;
    if (!r) return NULL;
    r->header = spe_new_label_(m);
    r->merge = spe_new_label_(m);
    r->next = spe_new_label_(m);
    r->count = n;
    r->sides = 1;
    r->preheader = m->block;
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpBranch, 1, r->header);
    spe_label_(m, r->header, false);
    r->phi = m->buffer[SPE_BUFFER_BODY_].count;
    for (uint32_t i = 0; i < n; i++) carried[i] = spe_loop_phi_(m, r, carried[i]);
    return spe_push_values_(m, r->preheader, n, carried) && spe_ok(m) ? r : NULL;
}

/* Writes OpLoopMerge with the hints for this loop. */
XE_FN_ void spe_loop_merge_(spe_module *m, const spe_region_ *r)
{
    uint32_t words[3 + SPE_LOOP_HINTS_] = {r->merge, r->next, m->hints}, n = 3;
    for (uint32_t bit = 0; bit < SPE_LOOP_HINTS_; bit++) {
        if ((m->hints >> bit & 1) && bit >= SPE_FIRST_HINT_WITH_VALUE_) words[n++] = m->hint_values[bit];
    }
    spe_write_words_(m, SPE_BUFFER_BODY_, SPE_OpLoopMerge, n, words, 0, NULL);
    m->hints = 0;
}

void spe_loop_hint(spe_module *m, uint32_t control, uint32_t value)
{
    uint32_t bit = 0, both = m->hints | control, dont = SPE_LoopControlDontUnroll;
    uint32_t unrolls = SPE_LoopControlUnroll | SPE_LoopControlPeelCount | SPE_LoopControlPartialCount;
    uint32_t minor = control > SPE_LoopControlDependencyLength ? 4 : control > dont ? 1 : 0;
    if (m->error.id) return;
    while (bit < SPE_LOOP_HINTS_ && control != 1u << bit) bit++;
    if (!m->open) SPE_ERROR_(m, NO_FUNCTION, "outside of a function");
    else if (bit == SPE_LOOP_HINTS_) SPE_ERROR_(m, RANGE, "0x%x is not one of SPE_LoopControl...", control);
    else if (m->options.version < SPE_VERSION(1, minor))
        SPE_ERROR_(m, VERSION, "hint 0x%x needs SPIR-V 1.%u", control, minor);
    else if ((both & dont) && (both & unrolls))
        SPE_ERROR_(m, RANGE, "a loop that is not unrolled (0x%x) has other hints of unrolling (0x%x)", dont,
                   both & unrolls);
    else if (control == SPE_LoopControlIterationMultiple ? !value : bit < SPE_FIRST_HINT_WITH_VALUE_ && value)
        SPE_ERROR_(m, RANGE, "hint 0x%x does not take the value %u", control, value);
    if (m->error.id) return;
    m->hints = both;
    m->hint_values[bit] = value;
}

/* The innermost loop; NULL and an error if there is none. */
XE_FN_ spe_region_ *spe_innermost_loop_(spe_module *m)
{
    for (size_t i = m->region_count; i; i--) {
        int kind = m->regions[i - 1].kind;
        if (kind == SPE_REGION_FOR_ || kind == SPE_REGION_WHILE_ || kind == SPE_REGION_BODY_) return &m->regions[i - 1];
    }
    spe_error_(m, SPE_ERR_REGION_CROSSED, "no loop is open");
    return NULL;
}

/* Jumps out of the regions within the innermost loop, to its merge or its continue block. */
XE_FN_ void spe_exit_loop_(spe_module *m, const char *name, bool breaks, uint32_t n, const spe_id *values)
{
    spe_region_ *r = spe_may_branch_(m, name) ? spe_innermost_loop_(m) : NULL;
    if (!r || (spe_arrives_(m) && !spe_check_carried_(m, r, n, values))) return;
    spe_id from = spe_jump_(m, breaks ? r->merge : r->next);
    spe_exit_ *e = from ? (spe_exit_ *)spe_alloc(m, sizeof *e) : NULL;
    if (!e) return;
    e->from = from;
    e->breaks = breaks;
    e->values = (const spe_id *)spe_copied_(m, values, n * sizeof *values);
    e->next = r->exits;
    r->exits = e;
}
void spe_break(spe_module *m, uint32_t n, const spe_id *values) { spe_exit_loop_(m, __func__, true, n, values); }
void spe_continue(spe_module *m, uint32_t n, const spe_id *values) { spe_exit_loop_(m, __func__, false, n, values); }

/* Carried value i in the merge block (breaks) or the continue block of a loop, where block `from` brings `value` (from
 * 0: none does) and every break or continue its own: their common value or a phi; 0 if nothing arrives. */
XE_FN_ spe_id spe_value_of_exits_(spe_module *m, const spe_region_ *r, bool breaks, uint32_t i, spe_id from,
                                  spe_id value)
{
    uint32_t pairs = from != 0, *at;
    bool same = true;
    const spe_exit_ *e;
    for (e = r->exits; e; e = e->next) {
        if (e->breaks != breaks) continue;
        if (!pairs++) value = e->values[i];
        same = same && e->values[i] == value;
    }
    if (!pairs || same) return pairs ? value : 0;
    spe_id type = spe_type_of(m, value), id = spe_new_id_(m, type, 0, spe_depth_(m));
    at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpPhi, 2 + 2 * pairs);
    if (!at) return 0;
    *at++ = type;
    *at++ = id;
    if (from) *at++ = value, *at++ = from;
    for (e = r->exits; e; e = e->next) {
        if (e->breaks == breaks) *at++ = e->values[i], *at++ = e->from;
    }
    return spe_mark_phi_(m, id, pairs, at - 2 * pairs);
}

/* The word of phi i of a loop's header for the value of the next iteration. */
XE_FN_ uint32_t *spe_next_of_(spe_module *m, const spe_region_ *r, uint32_t i)
{
    return m->buffer[SPE_BUFFER_BODY_].data + r->phi + i * SPE_PHI_WORDS_ + SPE_PHI_NEXT_;
}

/* Computes a loop's counter for the next iteration and, if its range is exact, whether there is one. */
XE_FN_ void spe_count_on_(spe_module *m, const spe_region_ *r)
{
    spe_id type = spe_type_of(m, r->index), more = 0;
    if (r->limit) {
        uint32_t left[2] = {r->down ? r->index : r->limit, r->down ? r->limit : r->index}, w[2];
        w[0] = spe_emit_(m, SPE_OpISub, type, 2, left);
        w[1] = r->down ? r->distance : r->step;
        more = spe_emit_(m, SPE_OpUGreaterThan, spe_bool(m), 2, w);
    }
    uint32_t sum[2] = {r->index, r->step};
    spe_id next = spe_emit_(m, SPE_OpIAdd, type, 2, sum);
    if (m->error.id) return;
    *spe_next_of_(m, r, r->count) = next;
    if (r->limit) *spe_next_of_(m, r, r->count + 1) = more;
}

/* Closes a loop: writes the continue block, patches the back edge, opens the merge block. */
XE_FN_ void spe_close_loop_(spe_module *m, const char *name, int kind, uint32_t n, spe_id *carried)
{
    spe_region_ *r = spe_innermost_(m, name, kind, kind);
    if (!r || (spe_arrives_(m) && !spe_check_carried_(m, r, n, carried))) return;
    spe_id from = spe_jump_(m, r->next), value;
    const uint32_t *phi = m->buffer[SPE_BUFFER_STACK_].data + r->stack + 1;
    spe_label_(m, r->next, false);
    for (uint32_t i = 0; i < r->count; i++) {
        value = spe_value_of_exits_(m, r, false, i, from, from ? carried[i] : 0);
        if (!value) value = spe_undef(m, spe_type_of(m, phi[i]));
        if (m->error.id) return;
        *spe_next_of_(m, r, i) = value;
    }
    if (r->step) spe_count_on_(m, r);
    if (!spe_write_(m, SPE_BUFFER_BODY_, SPE_OpBranch, 1, r->header)) return;
    spe_scope_pop_(m);
    spe_label_(m, r->merge, false);
    for (uint32_t i = 0; i < n; i++)
        carried[i] = i < r->count ? spe_value_of_exits_(m, r, true, i, r->test, phi[i]) : spe_undef_or_i32_(m, 0);
    m->buffer[SPE_BUFFER_STACK_].count = r->stack;
    m->region_count--;
}

/* Opens a loop with a counter, whose header tests `op` of the counter and hi, or, if `exact`, a bool that is computed
 * before each iteration without overflow. */
XE_FN_ spe_id spe_open_for_(spe_module *m, const char *name, uint32_t op, bool exact, spe_id lo, spe_id hi, spe_id step,
                            uint32_t n, spe_id *carried)
{
    uint32_t w[2] = {lo, hi};
    spe_id condition = exact ? spe_emit_(m, op, spe_bool(m), 2, w) : 0;
    spe_region_ *r = spe_open_loop_(m, name, SPE_REGION_FOR_, n, carried);
    if (!r) return 0;
    r->step = step;
    w[0] = r->index = spe_loop_phi_(m, r, lo);
    if (exact) r->limit = hi, condition = spe_loop_phi_(m, r, condition);
    else condition = spe_emit_(m, op, spe_bool(m), 2, w);
    spe_loop_merge_(m, r);
    r->test = r->header;
    spe_branch_if_(m, condition, r->merge);
    spe_scope_push_(m);
    return spe_ok(m) ? r->index : 0;
}

spe_id spe_for(spe_module *m, spe_id lo, spe_id hi, spe_id step, uint32_t n, spe_id *carried)
{
    spe_id type = spe_check_(m, __func__, "I==", lo, hi, step);
    uint32_t op = SPE_OpSLessThan;
    uint64_t k;
    if (!type) return 0;
    if (spe_const_bits(m, step, &k)) {
        if (!k) return SPE_ERROR_(m, RANGE, "the step is 0");
        if (spe_signed_(k, spe_width(m, type)) < 0) op = SPE_OpSGreaterThan;
    }
    return spe_open_for_(m, __func__, op, false, lo, hi, step, n, carried);
}

spe_id spe_for_range(spe_module *m, spe_id lo, spe_id hi, spe_id step, bool is_signed, uint32_t n, spe_id *carried)
{
    spe_id type = spe_check_(m, __func__, "I==", lo, hi, step), index;
    uint32_t bits = spe_width(m, type), op = is_signed ? SPE_OpSLessThan : SPE_OpULessThan;
    uint64_t k = 0;
    if (!type) return 0;
    bool known = spe_const_bits(m, step, &k), down = known && is_signed && spe_signed_(k, bits) < 0;
    if (known && !k) return SPE_ERROR_(m, RANGE, "the step is 0");
    if (down) op = SPE_OpSGreaterThan, k = (0 - k) & spe_mask_(bits);
    if (!spe_may_branch_(m, __func__)) return 0;
    index = spe_open_for_(m, __func__, op, !known || k != 1, lo, hi, step, n, carried); /* steps of 1 cannot overflow */
    if (!index) return 0;
    m->regions[m->region_count - 1].down = down;
    m->regions[m->region_count - 1].distance = down ? spe_const_scalar_(m, type, k) : 0;
    return index;
}

#define SPE_END_LOOP_(name, kind)                                                                                      \
    void name(spe_module *m, uint32_t n, spe_id *carried) { spe_close_loop_(m, #name, kind, n, carried); }
SPE_END_LOOP_(spe_endfor, SPE_REGION_FOR_)
SPE_END_LOOP_(spe_endwhile, SPE_REGION_BODY_)

void spe_while(spe_module *m, uint32_t n, spe_id *carried)
{
    spe_region_ *r = spe_open_loop_(m, __func__, SPE_REGION_WHILE_, n, carried);
    if (!r) return;
    spe_loop_merge_(m, r);
    spe_id test = spe_new_label_(m);
    spe_jump_(m, test);
    spe_label_(m, test, false);
    spe_scope_push_(m);
}
void spe_while_test(spe_module *m, spe_id condition)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_WHILE_, SPE_REGION_WHILE_);
    if (!r || !spe_is_condition_(m, __func__, condition) || !spe_ready_(m)) return;
    r->kind = SPE_REGION_BODY_;
    r->test = m->block;
    spe_branch_if_(m, condition, r->merge);
}

/* -- switch ------------------------------------------------------------------------------------------------------ */

/* Word offset in the body of the label of side i, which follows a literal of one or two words. */
XE_FN_ size_t spe_side_at_(const spe_region_ *r, uint32_t i) { return r->patch + (i + 1) * (size_t)(r->step + 1); }

void spe_switch(spe_module *m, spe_id selector, uint32_t n, const int64_t *literals)
{
    spe_id type = spe_check_(m, __func__, "I", selector);
    uint32_t *at, i, j, bits = spe_width(m, type), wide = bits == 64 ? 2 : 1;
    for (i = 0; i < n && type; i++) {
        for (j = 0; j < i; j++) {
            if (((uint64_t)literals[i] ^ (uint64_t)literals[j]) & spe_mask_(bits)) continue;
            SPE_ERROR_(m, RANGE, "literals %lld and %lld are the same %u bits", (long long)literals[j],
                       (long long)literals[i], bits);
        }
        if (bits < 64 && (literals[i] < -((int64_t)1 << (bits - 1)) || literals[i] > (int64_t)spe_mask_(bits)))
            SPE_ERROR_(m, RANGE, "literal %lld does not fit in %u bits", (long long)literals[i], bits);
    }
    spe_region_ *r = spe_open_(m, __func__, SPE_REGION_SWITCH_);
    if (!r) return;
    r->cases = n;
    r->step = wide;
    r->merge = spe_new_label_(m);
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpSelectionMerge, 2, r->merge, 0);
    r->header = m->block;
    r->patch = m->buffer[SPE_BUFFER_BODY_].count + 2;
    at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpSwitch, 2 + n * (wide + 1));
    if (!at) return;
    *at++ = selector;
    *at++ = r->merge;
    for (i = 0; i < n; i++) {
        *at++ = (uint32_t)((uint64_t)literals[i] & spe_mask_(bits));
        if (wide == 2) *at++ = (uint32_t)((uint64_t)literals[i] >> 32);
        *at++ = 0;
    }
    m->block = 0;
    spe_scope_push_(m);
}

void spe_case(spe_module *m, uint32_t i)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_SWITCH_, SPE_REGION_SWITCH_);
    if (r && (i >= r->cases || m->buffer[SPE_BUFFER_BODY_].data[spe_side_at_(r, i)]))
        spe_error_(m, SPE_ERR_RANGE, "side %u of the %s %s", i, spe_region_text_(m, r),
                   i >= r->cases ? "does not exist" : "was written before");
    else if (r) spe_open_side_(m, r, spe_side_at_(r, i), SPE_REGION_CASE_);
}

void spe_default(spe_module *m)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_SWITCH_, SPE_REGION_SWITCH_);
    if (r && m->buffer[SPE_BUFFER_BODY_].data[r->patch] != r->merge)
        spe_error_(m, SPE_ERR_RANGE, "the %s has its default already", spe_region_text_(m, r));
    else if (r) spe_open_side_(m, r, r->patch, SPE_REGION_CASE_);
}

void spe_endcase(spe_module *m, uint32_t n, const spe_id *values)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_CASE_, SPE_REGION_CASE_);
    if (r && spe_end_side_(m, r, n, values)) r->kind = SPE_REGION_SWITCH_;
}

void spe_endswitch(spe_module *m, uint32_t n, spe_id *out)
{
    spe_region_ *r = spe_innermost_(m, __func__, SPE_REGION_SWITCH_, SPE_REGION_SWITCH_);
    const uint32_t *body = m->buffer[SPE_BUFFER_BODY_].data;
    const char *place = r ? spe_region_text_(m, r) : NULL;
    for (uint32_t i = 0; r && i < r->cases; i++) {
        if (!body[spe_side_at_(r, i)]) SPE_ERROR_(m, REGION_OPEN, "side %u of the %s was not written", i, place);
    }
    if (r && r->sides && n != r->count)
        spe_error_(m, SPE_ERR_CARRIED, "%u values, but the sides of the %s carry %u", n, place, r->count);
    if (r && body[r->patch] == r->merge) { /* no default: other values go from the header to the merge */
        if (n) spe_error_(m, SPE_ERR_CARRIED, "the %s carries values and has no spe_default", place);
        spe_push_values_(m, r->header, 0, NULL);
        r->sides++;
    }
    if (m->error.id) return;
    spe_scope_pop_(m);
    spe_close_sides_(m, r, n, out);
}

/* module.c - begins and completes a module: entry points, capabilities, and all sections in order. */

bool spe_begin(spe_module *m, const spe_options *o)
{
    memset(m, 0, sizeof *m);
    if (o) m->options = *o;
    if (!m->options.realloc) m->options.realloc = spe_default_realloc_;
    if (!m->options.version) m->options.version = m->options.env ? SPE_VERSION(1, 6) : SPE_VERSION(1, 4);
    if (m->options.env) m->options.verbatim = true; /* other compilers, other bugs */
    m->id_count = 1;
    if (m->options.version < SPE_VERSION(1, 0) || m->options.version > SPE_VERSION(1, 6) || (m->options.version & 0xff))
        return SPE_ERROR_(m, OPTION, "version 0x%x is not SPE_VERSION(1, 0) to SPE_VERSION(1, 6)", m->options.version);
    if (m->options.env != SPE_ENV_OPENCL && m->options.env != SPE_ENV_VULKAN)
        return SPE_ERROR_(m, OPTION, "env %d is not an environment of this header", (int)m->options.env);
    m->vulkan = m->options.env ? SPE_VULKAN_PART_ : NULL;
    if (m->options.env && !m->vulkan)
        return SPE_ERROR_(m, ENVIRONMENT, "this program was compiled without what writes modules for Vulkan: include "
                                          "vk_dispatch.h, or define SPE_VULKAN before the first header");
    if (m->options.env && m->options.version < SPE_VERSION(1, 5))
        return SPE_ERROR_(m, VERSION, "version 1.%u; for Vulkan it is 1.5 or 1.6", m->options.version >> 8 & 0xff);
    if (!spe_scope_push_(m)) return false;
    /* First, as Intel's compiler dies of an OpSource whose file has an id above 65,536. */
    if (m->options.source && !m->options.verbatim) spe_write_once_(m, SPE_OpString, m->options.source);
    return !m->error.id;
}

void spe_free(spe_module *m)
{
    spe_chunk_ *lists[] = {m->blocks, m->chunks};
    for (int i = 0; i < 2; i++) {
        for (spe_chunk_ *chunk = lists[i], *next; chunk; chunk = next) {
            next = chunk->next;
            (m->options.realloc)(m->options.user, chunk, 0);
        }
    }
    memset(m, 0, sizeof *m);
}

/* ---- interfaces: the variables that an entry point reaches
 *
 * The uses of a function are neighbours in the list of uses. A function that leads to no variable is left out, and one
 * that has no variables of its own and leads to those of one other function is replaced by that. Then a walk from each
 * kernel costs about what it writes, however long the chains of calls are. */
typedef struct {
    uint32_t first, end; /* its uses */
    uint32_t leads_to;   /* the function with the variables that it reaches: itself, another one, 0: it reaches none */
    uint32_t seen;       /* the last entry point, from 1, whose walk came here */
    uint32_t next;       /* the first of its uses that was not looked at */
    bool open, done;     /* being looked at; leads_to is known */
} spe_caller_;

/* Is the id a variable that belongs in interfaces? Before 1.4 these are Input variables only, from then on all. */
XE_FN_ bool spe_in_interface_(const spe_module *m, uint32_t id)
{
    const spe_record_ *r = &m->ids[id];
    return (r->flags & SPE_ID_GLOBAL_) && (m->options.version >= SPE_VERSION(1, 4) ||
                                           spe_info_(m, r->type)->storage == SPE_StorageClassInput);
}

/* Is it a variable in local memory? Its bytes count where the target's are known. */
XE_FN_ bool spe_is_local_(const spe_module *m, uint32_t id)
{
    const spe_record_ *r = &m->ids[id];
    return (r->flags & SPE_ID_GLOBAL_) && spe_info_(m, r->type)->storage == SPE_StorageClassWorkgroup;
}

/* The number of the function that use number i calls; 0: it calls none of this module. */
XE_FN_ uint32_t spe_callee_(const spe_module *m, uint32_t i)
{
    const spe_record_ *r = &m->ids[m->buffer[SPE_BUFFER_USES_].data[i + 1]];
    return r->flags & SPE_ID_FUNCTION_ ? r->depth : 0;
}

/* Finds what a function leads to; known of all that it calls. */
XE_FN_ void spe_lead_(const spe_module *m, spe_caller_ *rows, uint32_t f)
{
    const spe_buffer_ *uses = &m->buffer[SPE_BUFFER_USES_];
    spe_caller_ *row = &rows[f];
    bool own = false;
    for (uint32_t i = row->first; i < row->end; i += 2) {
        uint32_t callee = rows[spe_callee_(m, i)].leads_to;
        own = own || spe_in_interface_(m, uses->data[i + 1]) || spe_is_local_(m, uses->data[i + 1]) ||
              (callee && row->leads_to && callee != row->leads_to);
        if (callee) row->leads_to = callee;
    }
    if (own) row->leads_to = f;
    row->done = true;
    row->open = false;
}

/* Finds what function f and all that it calls lead to, callees first. An error if a function leads to itself. */
XE_FN_ void spe_lead_all_(spe_module *m, spe_caller_ *rows, uint32_t f, uint32_t *stack)
{
    size_t depth = 0;
    if (!rows[f].done) stack[depth++] = f;
    while (depth && !m->error.id) {
        spe_caller_ *row = &rows[stack[depth - 1]];
        row->open = true;
        if (row->next == row->end) {
            spe_lead_(m, rows, stack[--depth]);
            continue;
        }
        uint32_t use = row->next, callee = spe_callee_(m, use);
        row->next += 2;
        if (rows[callee].open) {
            spe_id id = m->buffer[SPE_BUFFER_USES_].data[use + 1];
            spe_error_(m, SPE_ERR_FUNCTION_OPEN, "calls of function %u %s lead back to it; OpenCL has no recursion", id,
                       spe_name_of_(m, id));
        } else if (callee && !rows[callee].done) {
            stack[depth++] = callee;
        }
    }
}

/* The rows of all functions, by number; NULL if out of memory. `stack` has room for all functions. */
XE_FN_ spe_caller_ *spe_callers_(spe_module *m, uint32_t *stack)
{
    const spe_buffer_ *uses = &m->buffer[SPE_BUFFER_USES_];
    spe_caller_ *rows = (spe_caller_ *)spe_alloc(m, (m->function_count + 1) * sizeof *rows);
    uint32_t at = 0, f;
    if (!rows || !stack) return NULL;
    for (f = 1; f <= m->function_count; f++) {
        rows[f].first = rows[f].next = at;
        while (at < uses->count && uses->data[at] == f) at += 2;
        rows[f].end = at;
    }
    for (f = 1; f <= m->function_count; f++) spe_lead_all_(m, rows, f, stack);
    return rows;
}

/* Writes the variables of entry point number e that function f leads to. `stack` has room for all functions. Returns
 * the bytes of those in local memory. */
XE_FN_ uint64_t spe_write_interface_(spe_module *m, uint32_t e, spe_caller_ *rows, uint32_t f, uint32_t *stack)
{
    const uint32_t *uses = m->buffer[SPE_BUFFER_USES_].data, once = 0x80000000u + e;
    size_t depth = 0;
    uint64_t local = 0;
    if (rows[f].leads_to) rows[stack[depth++] = rows[f].leads_to].seen = e + 1;
    while (depth) {
        const spe_caller_ *row = &rows[stack[--depth]];
        for (uint32_t i = row->first; i < row->end; i += 2) {
            spe_record_ *r = &m->ids[uses[i + 1]];
            uint32_t callee = rows[spe_callee_(m, i)].leads_to;
            if (callee && rows[callee].seen != e + 1) rows[stack[depth++] = callee].seen = e + 1;
            if (r->aux == once || !(r->flags & SPE_ID_GLOBAL_)) continue;
            r->aux = once;
            if (spe_is_local_(m, uses[i + 1])) local += spe_size(m, spe_info_(m, r->type)->elem);
            if (!spe_in_interface_(m, uses[i + 1])) continue;
            uint32_t *at = spe_push_(m, SPE_SECTION_ENTRY_, 1);
            if (!at) return 0;
            *at = uses[i + 1];
        }
    }
    return local;
}

/* OpEntryPoint of kernel number e. */
XE_FN_ void spe_write_entry_(spe_module *m, uint32_t e, spe_caller_ *rows, uint32_t *stack)
{
    const spe_entry_ *entry = &m->entries[e];
    uint32_t words = spe_text_words_(entry->name), *at;
    size_t start = m->buffer[SPE_SECTION_ENTRY_].count;
    at = spe_put_(m, SPE_SECTION_ENTRY_, SPE_OpEntryPoint, 2 + words);
    if (!at) return;
    at[0] = m->options.env ? SPE_ExecutionModelGLCompute : SPE_ExecutionModelKernel;
    at[1] = entry->id;
    spe_put_text_(at + 2, entry->name);
    uint64_t local = spe_write_interface_(m, e, rows, entry->function, stack), most = m->options.local_memory;
    if (most && local > most)
        spe_error_(m, SPE_ERR_TARGET, "kernel %s has %llu bytes of variables in local memory; the target has %llu",
                   entry->name, (unsigned long long)local, (unsigned long long)most);
    words = (uint32_t)(m->buffer[SPE_SECTION_ENTRY_].count - start);
    if (words > 65535) SPE_ERROR_(m, LIMIT, "kernel %s uses %u variables", entry->name, words);
    m->buffer[SPE_SECTION_ENTRY_].data[start] = words << 16 | SPE_OpEntryPoint;
}

XE_ONCE_
XE_FN_ void spe_write_entries_(spe_module *m)
{
    uint32_t *stack = (uint32_t *)spe_alloc(m, (m->function_count + 1) * sizeof *stack);
    spe_caller_ *rows = spe_callers_(m, stack);
    for (uint32_t e = 0; e < m->entry_count && rows && !m->error.id; e++) spe_write_entry_(m, e, rows, stack);
}

/* Writes the length of Vulkan's local memory: no byte more than its variables need, as they may take all that a device
 * has. Variables after it are in another array. */
XE_FN_ void spe_close_local_memory_(spe_module *m)
{
    if (m->local_words)
        m->buffer[SPE_SECTION_GLOBAL_].data[m->local_length] = m->local_bytes > 16 ? (m->local_bytes + 15) / 16 * 4 : 4;
    m->local_words = 0;
    m->local_bytes = 0;
    m->local_vectors = false;
}

/* Capabilities in ascending order, the memory model, the source name, the entry points. */
XE_FN_ void spe_write_head_(spe_module *m)
{
    spe_buffer_ *caps = &m->buffer[SPE_BUFFER_CAPS_];
    size_t j;
    bool vulkan = m->options.env == SPE_ENV_VULKAN;
    spe_capability(m, vulkan ? SPE_CapabilityShader : SPE_CapabilityKernel);
    spe_capability(m, vulkan ? SPE_CapabilityPhysicalStorageBufferAddresses : SPE_CapabilityAddresses);
    if (vulkan) spe_capability(m, SPE_CapabilityVulkanMemoryModel);
    spe_close_local_memory_(m);
    if (vulkan && m->contraction_off) m->vulkan->forbid_contraction(m);
    spe_merge_decorations_(m);
    if (vulkan && !m->entry_count) SPE_ERROR_(m, ENVIRONMENT, "the module has no kernel; Vulkan has no libraries");
    if (!m->entry_count) spe_capability(m, SPE_CapabilityLinkage);
    for (size_t i = 1; i < caps->count; i++) {
        uint32_t c = caps->data[i];
        for (j = i; j && caps->data[j - 1] > c; j--) caps->data[j] = caps->data[j - 1];
        caps->data[j] = c;
    }
    for (size_t i = 0; i < caps->count; i++) spe_write_(m, SPE_SECTION_CAPABILITY_, SPE_OpCapability, 1, caps->data[i]);
    spe_write_(m, SPE_SECTION_MODEL_, SPE_OpMemoryModel, 2,
               vulkan ? SPE_AddressingModelPhysicalStorageBuffer64 : SPE_AddressingModelPhysical64,
               vulkan ? SPE_MemoryModelVulkan : SPE_MemoryModelOpenCL);
    if (m->options.source)
        spe_write_(m, SPE_SECTION_STRING_, SPE_OpSource, 3, SPE_SourceLanguageUnknown, 0,
                   spe_write_once_(m, SPE_OpString, m->options.source));
    spe_write_entries_(m);
}

/* An error if a function has no body, or a pointer no target. */
XE_FN_ void spe_check_complete_(spe_module *m)
{
    for (spe_id id = 1; id < m->id_count && (m->declared_count || m->forward_count) && !m->error.id; id++) {
        const spe_type_info *t = spe_info_(m, id);
        if (m->ids[id].flags & SPE_ID_DECLARED_)
            spe_error_(m, SPE_ERR_NO_FUNCTION, "function %u %s is declared and has no body", id, spe_name_of_(m, id));
        if (t && t->kind == SPE_KIND_FORWARD)
            spe_error_(m, SPE_ERR_NO_TYPE, "pointer %u of spe_ptr_forward has no target", id);
    }
}

spe_words spe_finish(spe_module *m)
{
    spe_words words = {NULL, 0};
    spe_buffer_ *all = &m->buffer[SPE_SECTION_FUNCTION_]; /* the last section: the others are inserted before it */
    uint32_t head[5] = {0x07230203, m->options.version, 0, 0, 0}, *at;
    size_t before = 5;
    m->doing = __func__;
    if (m->open && m->region_count) spe_region_left_open_(m);
    if (m->open) spe_error_(m, SPE_ERR_FUNCTION_OPEN, "a %s is still open", m->fn.kernel ? "kernel" : "function");
    if (m->error.id || !m->options.realloc) return words;
    if (m->declared_count || m->forward_count) spe_check_complete_(m);
    if (m->error.id) return words;
    if (!m->finished) {
        spe_write_head_(m);
        for (int section = 0; section < SPE_SECTION_FUNCTION_; section++) before += m->buffer[section].count;
        if (m->error.id || !spe_push_(m, SPE_SECTION_FUNCTION_, before)) return words;
        head[3] = (uint32_t)m->id_count;
        at = all->data;
        memmove(at + before, at, (all->count - before) * sizeof *at);
        memcpy(at, head, sizeof head);
        at += 5;
        for (int section = 0; section < SPE_SECTION_FUNCTION_; section++) {
            const spe_buffer_ *b = &m->buffer[section];
            if (b->count) memcpy(at, b->data, b->count * sizeof *at);
            at += b->count;
        }
        m->finished = true;
    }
    words.data = all->data;
    words.count = all->count;
    return words;
}

/* kernels.c - the kernel part, shared by headers whose kernels are C functions. */

spe_site spe_site_of(spe_module *m, const spe_reporter *errors, const char *file, int line)
{
    spe_site at = {m, errors, file, line};
    return at;
}

XE_FN_ spe_error_row spe_reporter_row_(const spe_reporter *errors, int id)
{
    spe_error_row none = {"", id ? errors->unknown : "no error"};
    return id >= errors->first && id < errors->first + errors->count ? errors->rows[id - errors->first] : none;
}

const char *spe_reporter_name(const spe_reporter *errors, int id) { return spe_reporter_row_(errors, id).name; }
const char *spe_reporter_text(const spe_reporter *errors, int id) { return spe_reporter_row_(errors, id).text; }

bool spe_vreport(spe_site at, int id, const char *format, va_list args)
{
    char text[320];
    vsnprintf(text, sizeof text, format, args);
    spe_fail(spe_at(at.module, at.file, at.line), id, spe_reporter_name(at.errors, id), "%s: %s",
             spe_reporter_text(at.errors, id), text);
    return false;
}

bool spe_report(spe_site at, int id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spe_vreport(at, id, format, args);
    va_end(args);
    return false;
}

/* -- parameters */

/* Reads "ptr<f16> " or "u32 " at *text and advances. */
XE_FN_ bool spe_parse_type_(const char **text, spe_type_by_name type_of, spe_kernel_param *p)
{
    const char *s = *text;
    char name[16];
    p->pointer = strncmp(s, "ptr<", 4) == 0;
    p->local = strncmp(s, "local<", 6) == 0;
    s += p->pointer ? 4 : p->local ? 6 : 0;
    size_t n = strcspn(s, "> ,");
    if (n >= sizeof name) return false;
    memcpy(name, s, n);
    name[n] = 0;
    s += n;
    p->type = type_of(name, p);
    if (p->type < 0 || ((p->pointer || p->local) && *s++ != '>') || *s != ' ') return false;
    *text = s + strspn(s, " ");
    return true;
}

int spe_parse_params(spe_site at, const char *text, spe_type_by_name type_of, spe_kernel_param *params)
{
    const char *s = text ? text : "";
    int id = at.errors->parameter_text, count = 0;
    for (; *s; count++) {
        spe_kernel_param *p = &params[count];
        size_t n;
        if (count == SPE_PARAMS_MAX) return spe_report(at, id, "more than %d parameters", (int)SPE_PARAMS_MAX), -1;
        if (!spe_parse_type_(&s, type_of, p)) return spe_report(at, id, "parameter %d at \"%.40s\"", count + 1, s), -1;
        n = strcspn(s, ", ");
        if (n == 0 || n >= sizeof p->name)
            return spe_report(at, id, "the name of parameter %d has %d characters", count + 1, (int)n), -1;
        memcpy(p->name, s, n);
        s += n;
        s += strspn(s, ", ");
    }
    return count;
}

spe_param spe_param_of(spe_module *m, const spe_kernel_param *p, spe_id type)
{
    uint32_t storage = p->pointer ? SPE_StorageClassCrossWorkgroup : SPE_StorageClassWorkgroup;
    spe_param r = {p->pointer || p->local ? spe_ptr(m, storage, type) : type, p->name, false, false, 0};
    return r;
}

/* -- numbers */

/* For each kind of number an instruction, or else a function of OpenCL.std; an operation with neither does not exist
 * for that kind. */
typedef struct {
    const char *name;
    spe_binary_ *instruction[3];
    spe_math_op function[3];
} spe_arith_row_;

XE_FN_ const spe_arith_row_ *spe_arith_row_of_(spe_arith_op op)
{
#define SPE_ROW_(name, f, s, u) {name, {f, s, u}, {SPE_MATH_END_, SPE_MATH_END_, SPE_MATH_END_}},
    static const spe_arith_row_ rows[SPE_ARITH_COUNT] = {
        SPE_ROW_("add", spe_fadd, spe_iadd, spe_iadd) SPE_ROW_("sub", spe_fsub, spe_isub, spe_isub)
        SPE_ROW_("mul", spe_fmul, spe_imul, spe_imul) SPE_ROW_("div", spe_fdiv, spe_sdiv, spe_udiv)
        {"min", {NULL, NULL, NULL}, {SPE_FMIN, SPE_SMIN, SPE_UMIN}},
        {"max", {NULL, NULL, NULL}, {SPE_FMAX, SPE_SMAX, SPE_UMAX}},
        SPE_ROW_("rem", spe_frem, spe_srem, spe_umod) SPE_ROW_("and", NULL, spe_and, spe_and)
        SPE_ROW_("or", NULL, spe_or, spe_or) SPE_ROW_("xor", NULL, spe_xor, spe_xor)
        SPE_ROW_("shl", NULL, spe_shl, spe_shl) SPE_ROW_("shr", NULL, spe_sar, spe_shr)
        SPE_ROW_("eq", spe_feq, spe_ieq, spe_ieq) SPE_ROW_("ne", spe_fune, spe_ine, spe_ine)
        SPE_ROW_("lt", spe_flt, spe_slt, spe_ult) SPE_ROW_("le", spe_fle, spe_sle, spe_ule)
        SPE_ROW_("gt", spe_fgt, spe_sgt, spe_ugt) SPE_ROW_("ge", spe_fge, spe_sge, spe_uge)
    };
#undef SPE_ROW_
    return (unsigned)op < SPE_ARITH_COUNT ? &rows[op] : NULL;
}

const char *spe_arith_name(spe_arith_op op)
{
    return spe_arith_row_of_(op) ? spe_arith_row_of_(op)->name : "no operation";
}

XE_ONCE_
XE_FN_ spe_id spe_arith_(spe_module *m, spe_arith_op op, spe_number_kind kind, spe_id a, spe_id b)
{
    const spe_arith_row_ *row = spe_arith_row_of_(op);
    if (!row) return 0;
    if (row->instruction[kind]) return row->instruction[kind](m, a, b);
    return row->function[kind] != SPE_MATH_END_ ? spe_math2(m, row->function[kind], a, b) : 0;
}
spe_id spe_arith(spe_module *m, spe_arith_op op, spe_number_kind kind, spe_id a, spe_id b)
{
    return SPE_WITHIN_(m, spe_arith_(m, op, kind, a, b));
}

spe_id spe_extent(spe_module *m, spe_id extent)
{
    uint64_t bits;
    if (!extent || (spe_const_bits(m, extent, &bits) && bits <= INT32_MAX)) return extent;
    return SPE_WITHIN_(m, spe_math2(m, SPE_SMAX, extent, spe_u32(m, 0)));
}

spe_id spe_load_inside(spe_module *m, spe_id ptr, spe_id distance, spe_id inside, spe_id otherwise, uint32_t align)
{
    distance = spe_select(m, inside, distance, spe_null(m, spe_type_of(m, distance)));
    spe_id got = spe_load(m, spe_index(m, ptr, distance), align);
    return spe_select(m, inside, got, otherwise);
}

spe_val spe_val_of(spe_val_kind kind, int type, spe_id id)
{
    spe_val v = {{NULL}, kind, type, id, kind < SPE_SCALAR, false, 1, 0, 0, 0};
    v.magic = SPE_VAL_MAGIC;
    return v;
}

/* A C constant. */
XE_FN_ spe_val spe_val_known_(spe_val_kind kind, int64_t integer, double real)
{
    spe_val v = spe_val_of(kind, -(int)kind, 0);
    v.integer = integer;
    v.real = real;
    return v;
}
spe_val spe_val_int(long long i)
{
    uint64_t magnitude = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    return spe_val_known_(SPE_INT, (int64_t)i, spe_real_of_int_(magnitude, i < 0));
}
spe_val spe_val_uint(unsigned long long u) { return spe_val_known_(SPE_INT, (int64_t)u, spe_real_of_int_(u, false)); }
spe_val spe_val_real(double d) { return spe_val_known_(SPE_REAL, 0, d); }
spe_val spe_val_float(float f) { return spe_val_real(spe_real_of_f32(f)); }
spe_val spe_val_same(spe_val v) { return v; }
bool spe_val_is_set(const spe_val *v) { return v->magic == SPE_VAL_MAGIC && v->kind != SPE_NOTHING; }

bool spe_val_is_condition(const spe_val *v, int type)
{
    return v->magic == SPE_VAL_MAGIC && (v->kind == SPE_INT || (v->kind == SPE_SCALAR && v->type == type));
}

bool spe_int_fits(int64_t i, int bits, bool is_signed)
{
    if (bits == 64) return true;
    if (is_signed) return i >= -((int64_t)1 << (bits - 1)) && i < (int64_t)1 << (bits - 1);
    return i >= 0 && i < (int64_t)1 << bits;
}

int spe_part_count(int n) { return (n >> 3) + (n >> 2 & 1) + (n >> 1 & 1) + (n & 1); }

int spe_part_length(int n, int i)
{
    int rest = n % 8;
    if (i < n / 8) return 8;
    i -= n / 8;
    if (rest & 4 && i-- == 0) return 4;
    if (rest & 2 && i == 0) return 2;
    return 1;
}

/* -- a build */

XE_FN_ void spe_built_init_(spe_built *mod, const spe_reporter *errors, spe_module *m)
{
    static const spe_error none = {0, "", "", NULL, 0, NULL};
    memset(mod, 0, sizeof *mod);
    mod->build_flags = "";
    mod->error = m ? spe_get_error(m) : &errors->no_memory;
    mod->warning = &none;
    mod->owner_ = m;
}

void *spe_build_begin(spe_built *mod, const spe_reporter *errors, size_t size, uint32_t version, spe_env env,
                      bool names, bool lines, const char *source, spe_line at)
{
    spe_module *m = (spe_module *)calloc(1, size);
    spe_options options = {version, env, names, lines, source, NULL, NULL, false, 0, 0, 0};
    spe_built_init_(mod, errors, m);
    if (m && !spe_begin(m, &options)) {
        m->error.file = at.file;
        m->error.line = at.line;
    }
    return m;
}

bool spe_build_kernel(spe_module *m, const char *name, int subgroup_size, int group_size, int count,
                      const spe_param *params)
{
    spe_kernel k = {name, (uint32_t)subgroup_size, {(uint32_t)group_size, 1, 1}, 0, params, (uint32_t)count,
                    SPE_CONTRACT_ALLOWED};
    return spe_kernel_begin(m, &k);
}

bool spe_build_end(spe_built *mod, const char *name, const char *params, int subgroup_size, int group_size)
{
    spe_kernel_end(mod->owner_);
    if (!spe_ok(mod->owner_)) return false;
    mod->kernel = name;
    mod->params = params;
    mod->subgroup_size = (uint32_t)subgroup_size;
    mod->subgroups = (uint32_t)((group_size + subgroup_size - 1) / subgroup_size);
    mod->local_size[0] = (uint32_t)group_size;
    mod->local_size[1] = mod->local_size[2] = 1;
    return true;
}

void *spe_build_next(spe_built *mod, spe_built *before, const spe_reporter *errors, size_t size)
{
    spe_module *m = (spe_module *)calloc(1, size);
    spe_built_init_(mod, errors, m);
    if (!m) return NULL;
    *m = *before->owner_;
    memset(before->owner_, 0, sizeof *m);
    spe_close_local_memory_(m);
    return m;
}

bool spe_build_finish(spe_built *mods, int count)
{
    spe_built *last = &mods[count - 1];
    spe_words words = {NULL, 0};
    if (last->owner_) words = spe_finish(last->owner_);
    for (int i = 0; i < count; i++) {
        mods[i].words = words.data;
        mods[i].size = words.count * 4;
        if (words.data || i == count - 1) continue;
        mods[i].owner_->error = *last->error;
        mods[i].owner_->error.next = NULL; /* may be freed with the last one */
    }
    if (words.data && count > 1) {
        *mods[0].owner_ = *last->owner_;
        memset(last->owner_, 0, sizeof *last->owner_);
    }
    return words.data != NULL;
}

void spe_built_free(spe_built *mod)
{
    if (mod->owner_) spe_free(mod->owner_);
    free(mod->owner_);
    memset(mod, 0, sizeof *mod);
}

/* -- regions that macros write as C loops (XT_FOR, CV_IF ...), and that close when the C loop ends */

spe_region spe_region_of(spe_regions *in, int sides)
{
    spe_region r = {in, spe_val_of(SPE_NOTHING, 0, 0), 0, sides, 0, false, false};
    return r;
}

bool spe_region_open(spe_region *r, const char *name, const char *file, int line)
{
    spe_region_line place = {name, file, line};
    spe_regions *in = r->in;
    if (in->depth == SPE_REGIONS_MAX)
        return spe_report(spe_site_of(in->module, in->errors, file, line), in->errors->unclosed,
                          "more than %d nested regions", (int)SPE_REGIONS_MAX);
    in->open[in->depth] = place;
    r->depth = ++in->depth;
    return true;
}

void spe_region_fail(spe_regions *in, const char *why)
{
    int i = in->depth - 1;
    if (i >= 0 && spe_ok(in->module))
        spe_report(spe_site_of(in->module, in->errors, in->open[i].file, in->open[i].line), in->errors->unclosed,
                   "the %s of line %d%s", in->open[i].name, in->open[i].line, why);
    in->depth = 0;
}

/* Can the region be closed? Else an error, unless there was one before. */
XE_FN_ bool spe_region_ends_(const spe_region *r)
{
    if (!r->depth || !spe_ok(r->in->module) || r->in->depth < r->depth) return false;
    if (r->in->depth > r->depth) spe_region_fail(r->in, "");
    else if (!r->done && (r->sides == 1 || r->twice)) spe_region_fail(r->in, " was left by break");
    return spe_ok(r->in->module);
}

bool spe_region_ended(spe_region *r) { return r->calls++ && spe_region_ends_(r); }

bool spe_region_next(spe_region *r)
{
    r->done = false;
    return r->calls <= r->sides;
}

void *spe_region_done(spe_region *r)
{
    r->done = true;
    return NULL;
}

XETILE_AS_BEFORE_
#endif /* SPIRV_EMIT_BODIES_ */

/* Bodies that only modules for Vulkan need: vk_dispatch.h includes this again for them. */
#if defined(SPIRV_EMIT_BODIES_) && !defined(SPIRV_EMIT_VULKAN_BODIES_) && \
    (defined(SPE_VULKAN) || !defined(XETILE_STATIC_) || defined(__cplusplus))
#define SPIRV_EMIT_VULKAN_BODIES_
XETILE_COLD_

/* vulkan_types.c - vectors in pieces, and pointers as Vulkan has them. */

/* A vector of n components, 8 or 16, as an array of its pieces. Its length is a constant of its own, so that it differs
 * from arrays that are asked for; that of the same in memory another one, as its elements have offsets. */
XE_FN_ spe_id spe_vec_in_pieces_(spe_module *m, spe_id elem, uint32_t n, bool in_memory)
{
    spe_type_info t = spe_info_of_(SPE_KIND_VECTOR, 0, n, elem);
    spe_id *length = &m->piece_count[in_memory][n == 16], i32 = spe_int(m, 32);
    uint32_t w[2] = {spe_vec(m, elem, 4), 0};
    if (!*length) {
        *length = spe_new_id_(m, i32, SPE_ID_CONSTANT_, 0);
        spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpConstant, 3, i32, *length, n / 4);
    }
    w[1] = *length;
    return spe_type_(m, SPE_OpTypeArray, t, SPE_NEED_NOTHING_, 0, 2, w);
}

/* Declares that numbers of 8 and 16 bits are in memory. */
XE_FN_ void spe_need_in_memory_(spe_module *m, spe_id type)
{
    uint32_t bits = spe_width(m, type);
    if (bits == 16) spe_capability(m, SPE_CapabilityStorageBuffer16BitAccess);
    if (bits == 8) spe_capability(m, SPE_CapabilityStorageBuffer8BitAccess);
}

/* Decorates an array or struct, and those in it, with the places of its parts: Vulkan requires it of what is in memory
 * that has addresses. */
XE_FN_ void spe_lay_out_(spe_module *m, spe_id type)
{
    spe_type_info t = spe_info(m, type);
    if (spe_pieces_(m, type)) {
        spe_error_(m, SPE_ERR_ENVIRONMENT, "%s within an array or struct in memory; Vulkan's vectors have up to 4 "
                   "components", spe_text_(m, type));
        return;
    }
    spe_need_in_memory_(m, type);
    if (m->error.id || t.laid_out || (t.kind != SPE_KIND_ARRAY && t.kind != SPE_KIND_STRUCT)) return;
    m->types[m->ids[type].aux].laid_out = true;
    if (t.kind == SPE_KIND_ARRAY) {
        spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 3, type, SPE_DecorationArrayStride,
                   (uint32_t)spe_size(m, t.elem));
        spe_lay_out_(m, t.elem);
    }
    for (uint32_t i = 0; i < t.count && t.kind == SPE_KIND_STRUCT; i++) {
        spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpMemberDecorate, 4, type, i, SPE_DecorationOffset,
                   (uint32_t)spe_offset(m, type, i));
        spe_lay_out_(m, t.members[i]);
    }
}

/* What an address in the environment points to: `type` as it is in memory. */
XE_FN_ spe_id spe_in_memory_(spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (spe_pieces_(m, type)) {
        spe_id its = spe_vec_in_pieces_(m, t->elem, t->count, true);
        const spe_type_info *v = spe_info_(m, its);
        if (!v || v->laid_out) return its;
        m->types[m->ids[its].aux].laid_out = true;
        spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 3, its, SPE_DecorationArrayStride,
                   (uint32_t)spe_size(m, spe_vec(m, spe_scalar_of(m, type), 4)));
        spe_need_in_memory_(m, type);
        return its;
    }
    spe_lay_out_(m, type);
    return type;
}

/* A pointer that is an address: it can be stepped through memory. One to constant memory has the same type. */
XE_FN_ spe_id spe_address_type_(spe_module *m, spe_type_info t)
{
    spe_id next, id;
    t.storage = SPE_StorageClassCrossWorkgroup;
    uint32_t w[2] = {SPE_StorageClassPhysicalStorageBuffer, spe_in_memory_(m, t.elem)};
    next = (spe_id)m->id_count;
    id = w[1] ? spe_type_(m, SPE_OpTypePointer, t, SPE_NEED_STORAGE_, w[0], 2, w) : 0;
    if (id == next && spe_size(m, t.elem))
        spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 3, id, SPE_DecorationArrayStride,
                   (uint32_t)spe_size(m, t.elem));
    return id;
}

/* A pointer to local memory for Vulkan: an offset, see local.c. */
XE_FN_ spe_id spe_local_pointer_type_(spe_module *m, spe_type_info t)
{
    spe_offset_type_ *rows = (spe_offset_type_ *)m->local_pointers.items, *row;
    for (int i = 0; i < m->local_pointers.count; i++) {
        if (rows[i].elem == t.elem) return rows[i].id;
    }
    spe_id i32 = spe_int(m, 32), id = m->error.id ? 0 : spe_new_id_(m, 0, SPE_ID_TYPE_, 0);
    row = (spe_offset_type_ *)spe_list_add(m, &m->local_pointers, sizeof *row);
    if (!id || !row || !spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpTypeStruct, 2, id, i32)) return 0;
    if (!spe_grow_(m, &m->types, &m->type_capacity, m->type_count + 1, sizeof *m->types, 32)) return 0;
    m->types[m->type_count] = t;
    m->ids[id].aux = (uint32_t)m->type_count++;
    row->elem = t.elem;
    return row->id = id;
}

/* A pointer to memory that has another form in Vulkan. */
XE_FN_ spe_id spe_vulkan_pointer_(spe_module *m, spe_type_info t)
{
    return t.storage == SPE_StorageClassWorkgroup ? spe_local_pointer_type_(m, t) : spe_address_type_(m, t);
}

/* vulkan_lacks.c - what Vulkan lacks of OpenCL: capabilities, decorations, instructions. */

/* Does Vulkan have the capability? Else an error. */
XE_FN_ bool spe_has_capability_(spe_module *m, uint32_t capability, const char *extension)
{
#define SPE_ROW_(kind, name, number) {number, #name},
    static const struct {
        uint16_t number;
        const char *name;
    } names[] = {SPE_CAPABILITIES(SPE_ROW_)};
#undef SPE_ROW_
    static const struct {
        uint16_t first, last;
    } lacks[] = {{4, 8}, {13, 15}, {17, 20}, {38, 38}, {58, 60}, {5425, 5425}, {6400, 6400}};
    bool has = strncmp(extension, "SPV_INTEL_", 10) != 0;
    const char *name = "";
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
        has = has && !(capability >= lacks[i].first && capability <= lacks[i].last);
    for (size_t i = 0; i < sizeof names / sizeof *names && !has; i++) {
        if (names[i].number == capability) name = names[i].name;
    }
    return has || spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan has no capability %s (%u)", name, capability);
}

/* Does Vulkan have the instruction? Else an error. The rows, in order, are those of the grammar whose capabilities
 * Vulkan all lacks. */
XE_FN_ bool spe_has_instruction_(spe_module *m, uint32_t op)
{
    static const struct {
        uint16_t first, last;
        const char *needs;
    } lacks[] = {{31, 31, "Kernel"},          {34, 34, "Kernel"},
                 {35, 37, "DeviceEnqueue"},   {38, 38, "Pipes"},
                 {45, 45, "LiteralSampler"},  {69, 69, "Kernel"},
                 {70, 70, "Addresses"},       {101, 102, "Kernel"},
                 {118, 119, "Kernel"},        {121, 123, "Kernel"},
                 {158, 163, "Kernel"},        {231, 231, "Kernel"},
                 {256, 260, "Kernel"},        {261, 271, "Groups"},
                 {274, 288, "Pipes"},         {291, 304, "DeviceEnqueue"},
                 {318, 319, "Kernel"},        {321, 321, "Addresses"},
                 {322, 324, "PipeStorage"},   {325, 326, "SubgroupDispatch"},
                 {327, 329, "NamedBarrier"}};
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks && op >= lacks[i].first; i++) {
        if (op <= lacks[i].last)
            return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan has no instruction %u, which needs the capability %s", op,
                              lacks[i].needs);
    }
    return true;
}

/* What becomes of a decoration: 1, it is written; 0, a hint for OpenCL's compilers that is left away; -1: an error. */
XE_FN_ int spe_keeps_decoration_(spe_module *m, uint32_t decoration)
{
    switch (decoration) {
    case SPE_DecorationAlignment: case SPE_DecorationConstant: case SPE_DecorationMaxByteOffset:
    case SPE_DecorationFPFastMathMode: case SPE_DecorationFuncParamAttr: case SPE_DecorationCacheControlLoadINTEL:
    case SPE_DecorationCacheControlStoreINTEL: return 0;
    case SPE_DecorationCPacked: case SPE_DecorationSaturatedConversion: case SPE_DecorationLinkageAttributes:
    case SPE_DecorationHostAccessINTEL:
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan has no decoration %u", decoration), -1;
    default: return 1;
    }
}

/* The instruction that Vulkan has in place of one of OpenCL's, given the first operand; 0 and an error if it has
 * none. */
XE_FN_ uint32_t spe_vulkan_op_(spe_module *m, uint32_t op, uint32_t operand)
{
    const spe_type_info *t = spe_info_(m, spe_type_of(m, operand));
    if (op >= SPE_OpBitFieldInsert && op <= SPE_OpBitCount && t && spe_width(m, spe_type_of(m, operand)) != 32)
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "takes integers of 32 bits in Vulkan, not %s",
                          spe_text_(m, spe_type_of(m, operand)));
    if (op != SPE_OpInBoundsPtrAccessChain || !t) return op;
    if (t->storage == SPE_StorageClassFunction || t->storage == SPE_StorageClassPrivate)
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan's pointers to private memory cannot be moved; spe_element "
                          "takes an index into an array");
    return SPE_OpPtrAccessChain;
}

/* glsl.c - what Vulkan's mathematics is made of: functions of GLSL.std.450, polynomials. */

/* A function of the set with its number there, and the form of its operands. */
XE_FN_ spe_id spe_glsl_(spe_module *m, uint32_t number, const char *form, spe_id a, spe_id b, spe_id c)
{
    uint32_t w[5] = {spe_math_set_(m), number, a, b, c};
    return spe_instruction_(m, m->doing, SPE_OpExtInst, form, w);
}

/* The bits of a float or integer, those of a float's mantissa that are stored, and what is added to its exponent. */
XE_FN_ uint32_t spe_bits_of_(spe_module *m, spe_id x) { return spe_width(m, spe_type_of(m, x)); }
XE_FN_ uint32_t spe_digits_(uint32_t bits) { return bits == 64 ? 52 : bits == 32 ? 23 : 10; }
XE_FN_ uint32_t spe_bias_(uint32_t bits) { return bits == 64 ? 1023 : bits == 32 ? 127 : 15; }

/* What depends on whether x is a float of 32 or of 64 bits. */
XE_FN_ double spe_by_size_(spe_module *m, spe_id x, double if_32, double if_64)
{
    return spe_bits_of_(m, x) == 64 ? if_64 : if_32;
}

XE_FN_ spe_id spe_glsl_f_(spe_module *m, spe_id like, double value)
{
    return spe_const_f(m, spe_type_of(m, like), value);
}

XE_FN_ spe_id spe_glsl_fma_(spe_module *m, spe_id a, spe_id b, spe_id c)
{
    return spe_glsl_(m, SPE_GLSL_FMA_, "llf==:=", a, b, c);
}

/* Operations whose second operand is a constant. C leaves open which of two arguments is evaluated first, and ids are
 * numbered as they are made: calls that make ids nest through these, or stand in statements of their own. */
XE_FN_ spe_id spe_glsl_u_(spe_module *m, spe_id like, uint64_t value)
{
    return spe_const_u(m, spe_type_of(m, like), value);
}
XE_FN_ spe_id spe_fadd_c_(spe_module *m, spe_id x, double c) { return spe_fadd(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_fmul_c_(spe_module *m, spe_id x, double c) { return spe_fmul(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_fgt_c_(spe_module *m, spe_id x, double c) { return spe_fgt(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_flt_c_(spe_module *m, spe_id x, double c) { return spe_flt(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_feq_c_(spe_module *m, spe_id x, double c) { return spe_feq(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_iadd_c_(spe_module *m, spe_id x, uint64_t c) { return spe_iadd(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_isub_c_(spe_module *m, spe_id x, uint64_t c) { return spe_isub(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_and_c_(spe_module *m, spe_id x, uint64_t c) { return spe_and(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_shl_c_(spe_module *m, spe_id x, uint64_t c) { return spe_shl(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_shr_c_(spe_module *m, spe_id x, uint64_t c) { return spe_shr(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_sar_c_(spe_module *m, spe_id x, uint64_t c) { return spe_sar(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_ieq_c_(spe_module *m, spe_id x, uint64_t c) { return spe_ieq(m, x, spe_glsl_u_(m, x, c)); }

/* Whether bit 0 of x is set. */
XE_FN_ spe_id spe_odd_(spe_module *m, spe_id x)
{
    spe_id bit = spe_and_c_(m, x, 1);
    return spe_ine(m, bit, spe_glsl_u_(m, x, 0));
}

/* The polynomial with these n coefficients, the highest power's first. */
XE_FN_ spe_id spe_polynomial_(spe_module *m, spe_id x, int n, const double *coefficients)
{
    spe_id sum = spe_glsl_f_(m, x, coefficients[0]);
    for (int i = 1; i < n; i++) sum = spe_glsl_fma_(m, sum, x, spe_glsl_f_(m, x, coefficients[i]));
    return sum;
}

XE_FN_ spe_id spe_glsl_abs_(spe_module *m, spe_id x) { return spe_glsl_(m, SPE_GLSL_FABS_, "llf:=", x, 0, 0); }
XE_FN_ spe_id spe_glsl_root_(spe_module *m, spe_id x) { return spe_glsl_(m, SPE_GLSL_SQRT_, "llf:=", x, 0, 0); }

/* x, or the limit beyond which it is. */
XE_FN_ spe_id spe_clamped_(spe_module *m, spe_id x, spe_id least, spe_id most)
{
    spe_id above = spe_fgt(m, x, most), below = spe_flt(m, x, least);
    return spe_select(m, above, most, spe_select(m, below, least, x));
}

/* The type of integers that are as wide as x is, and those of as many components. */
XE_FN_ spe_id spe_int_like_(spe_module *m, spe_id x)
{
    return spe_vec_like(m, spe_int(m, spe_bits_of_(m, x)), x);
}

/* The bits of a float as an integer, and a float like another with these bits. */
XE_FN_ spe_id spe_bits_(spe_module *m, spe_id x) { return spe_bitcast(m, spe_int_like_(m, x), x); }
XE_FN_ spe_id spe_of_bits_(spe_module *m, spe_id like, spe_id bits)
{
    return spe_bitcast(m, spe_type_of(m, like), bits);
}

/* The bits of infinity, and the sign's bit, of floats of this size. */
XE_FN_ uint64_t spe_infinite_bits_(uint32_t bits)
{
    return ((uint64_t)2 * spe_bias_(bits) + 1) << spe_digits_(bits);
}
XE_FN_ uint64_t spe_sign_bit_(uint32_t bits) { return (uint64_t)1 << (bits - 1); }

/* Infinity and NaN by their bits, as some compilers assume that neither occurs. */
XE_FN_ spe_id spe_infinity_(spe_module *m, spe_id like)
{
    uint64_t bits = spe_infinite_bits_(spe_bits_of_(m, like));
    return spe_of_bits_(m, like, spe_const_u(m, spe_int_like_(m, like), bits));
}
XE_FN_ spe_id spe_nan_(spe_module *m, spe_id like)
{
    uint32_t size = spe_bits_of_(m, like);
    uint64_t bits = spe_infinite_bits_(size) | (uint64_t)1 << (spe_digits_(size) - 1);
    return spe_of_bits_(m, like, spe_const_u(m, spe_int_like_(m, like), bits));
}

/* x where it is NaN, else y; by its bits, too. */
XE_FN_ spe_id spe_unless_nan_(spe_module *m, spe_id x, spe_id y)
{
    spe_id bits = spe_bits_(m, spe_glsl_abs_(m, x));
    spe_id infinity = spe_glsl_u_(m, bits, spe_infinite_bits_(spe_bits_of_(m, x)));
    return spe_select(m, spe_ugt(m, bits, infinity), x, y);
}

/* Whether the sign bit of x is set. */
XE_FN_ spe_id spe_negative_(spe_module *m, spe_id x)
{
    spe_id bits = spe_bits_(m, x);
    return spe_slt(m, bits, spe_glsl_u_(m, bits, 0));
}

/* y, which is not negative, with the sign of x. */
XE_FN_ spe_id spe_signed_as_(spe_module *m, spe_id y, spe_id x)
{
    spe_id sign = spe_and_c_(m, spe_bits_(m, x), spe_sign_bit_(spe_bits_of_(m, x)));
    return spe_of_bits_(m, y, spe_or(m, spe_bits_(m, y), sign));
}

/* x to the nearest integer, of f64 by a sum that has no bits below 1: lavapipe's own keeps fractions from 2^24
 * on. */
XE_FN_ spe_id spe_glsl_round_(spe_module *m, spe_id x)
{
    if (spe_bits_of_(m, x) != 64) return spe_glsl_(m, SPE_GLSL_ROUND_EVEN_, "llf:=", x, 0, 0);
    spe_id integers = spe_glsl_f_(m, x, 0x1p52), near_zero = spe_flt(m, spe_glsl_abs_(m, x), integers);
    integers = spe_signed_as_(m, integers, x);
    m->as_written = true;
    spe_id sum = spe_fadd(m, x, integers), rounded = spe_fsub(m, sum, integers);
    m->as_written = false;
    return spe_select(m, near_zero, rounded, x);
}

/* The upper half of a float's mantissa, 12 or 26 bits: products of two such are exact. */
XE_FN_ spe_id spe_head_(spe_module *m, spe_id x)
{
    uint64_t kept = spe_bits_of_(m, x) == 64 ? ~(uint64_t)0x7ffffff : 0xfffff000;
    return spe_of_bits_(m, x, spe_and_c_(m, spe_bits_(m, x), kept));
}

/* The bits of x, which is not negative, times 2^25 or 2^54 where it is below the normal range; *lift is that exponent
 * there, else 0. */
XE_FN_ spe_id spe_normal_bits_(spe_module *m, spe_id x, spe_id *lift)
{
    uint32_t by = spe_digits_(spe_bits_of_(m, x)) + 2;
    spe_id below = spe_flt_c_(m, x, spe_by_size_(m, x, 1.1754943508222875e-38, 2.2250738585072014e-308));
    spe_id lifted = spe_fmul_c_(m, x, (double)((uint64_t)1 << by));
    spe_id bits = spe_bits_(m, spe_select(m, below, lifted, x)), zero = spe_glsl_u_(m, bits, 0);
    *lift = spe_select(m, below, spe_glsl_u_(m, bits, by), zero);
    return bits;
}

/* The factor from sqrt(1/2) to sqrt(2) of positive x = 2^e factor; e is an integer. */
XE_FN_ spe_id spe_mantissa_(spe_module *m, spe_id x, spe_id *e)
{
    spe_id lift, bits = spe_normal_bits_(m, x, &lift);
    uint32_t size = spe_bits_of_(m, x);
    spe_id power = spe_sar_c_(m, spe_isub_c_(m, bits, size == 64 ? 0x3fe6a09e667f3bcd : 0x3f3504f3), spe_digits_(size));
    *e = spe_isub(m, power, lift);
    return spe_of_bits_(m, x, spe_isub(m, bits, spe_shl_c_(m, power, spe_digits_(size))));
}

/* exponentials.c - exponentials, logarithms and what is made of them for Vulkan, of f32 and f64. */

/* 2^n for integers n in floats. */
XE_FN_ spe_id spe_power_of_2_(spe_module *m, spe_id n, spe_id type)
{
    uint32_t bits = spe_width(m, type);
    return spe_bitcast(m, type, spe_shl_c_(m, spe_iadd_c_(m, n, spe_bias_(bits)), spe_digits_(bits)));
}

/* 2^n (1 + rest) for floats n that are integers, in two halves, since 2^n may be outside their range. */
XE_FN_ spe_id spe_scaled_by_2_(spe_module *m, spe_id rest, spe_id n)
{
    spe_id type = spe_type_of(m, n), integer = spe_f_to_s(m, spe_int_like_(m, n), n);
    spe_id half = spe_sar_c_(m, integer, 1), first = spe_power_of_2_(m, half, type);
    spe_id second = spe_power_of_2_(m, spe_isub(m, integer, half), type);
    return spe_fmul(m, spe_fmul(m, spe_fadd_c_(m, rest, 1.0), first), second);
}

/* e^r - 1 by its series, for |r| up to ln 2 / 2: the first term left out is below 2^-27 of it, or 2^-57. */
XE_FN_ spe_id spe_exponential_series_(spe_module *m, spe_id r)
{
    double series[14], factorial = 1;
    int n = (int)spe_by_size_(m, r, 8, 14);
    for (int i = 1; i <= n; i++) series[n - i] = 1 / (factorial *= i);
    return spe_fmul(m, spe_polynomial_(m, r, n, series), r);
}

/* The logarithm of 2, natural or of base 10, in two parts: multiples of the first by exponents are exact. */
XE_FN_ double spe_log_2_(spe_module *m, spe_id x, bool base_10, bool low)
{
    static const double parts[2][2][2] = {{{0.693145751953125, 1.42860682030941723212e-6},
                                           {0.693147180369123816490, 1.90821492927058770002e-10}},
                                          {{0.301025390625, 4.605038981195e-6},
                                           {0.301029995663611771306, 3.69423907715893078616e-13}}};
    return parts[base_10][spe_bits_of_(m, x) == 64][low];
}

/* x - n log 2 by its parts, as it is written: some compilers would add both constants first. */
XE_FN_ spe_id spe_less_multiple_(spe_module *m, spe_id x, spe_id n, bool base_10)
{
    m->as_written = true;
    x = spe_fsub(m, x, spe_fmul_c_(m, n, spe_log_2_(m, x, base_10, false)));
    x = spe_fsub(m, x, spe_fmul_c_(m, n, spe_log_2_(m, x, base_10, true)));
    m->as_written = false;
    return x;
}

/* x = n log + r for EXP, EXP2, EXP10 and EXPM1, with log the base's logarithm of 2, and n an integer: r in base e. */
XE_FN_ spe_id spe_exponent_parts_(spe_module *m, spe_math_op f, spe_id x, spe_id *n)
{
    if (f == SPE_EXP2) {
        *n = spe_glsl_round_(m, x);
        return spe_fmul_c_(m, spe_fsub(m, x, *n), 0.6931471805599453);
    }
    *n = spe_glsl_round_(m, spe_fmul_c_(m, x, f == SPE_EXP10 ? 3.321928094887362 : 1.4426950408889634));
    if (f != SPE_EXP10) return spe_less_multiple_(m, x, *n, false);
    return spe_fmul_c_(m, spe_less_multiple_(m, x, *n, true), 2.302585092994046);
}

/* f(x) for EXP, EXP2, EXP10 and EXPM1: 2^n e^r with n the nearest integer to x over the base's logarithm of 2. */
XE_FN_ spe_id spe_exponential_(spe_module *m, spe_math_op f, spe_id x)
{
    double limit = f == SPE_EXP2    ? spe_by_size_(m, x, 200, 1100)
                   : f == SPE_EXP10 ? spe_by_size_(m, x, 60, 331)
                                    : spe_by_size_(m, x, 110, 762);
    spe_id high = spe_glsl_f_(m, x, limit), low = spe_fneg(m, high);
    spe_id limited = spe_clamped_(m, x, low, high), ordered = spe_feq(m, limited, limited), n;
    limited = spe_select(m, ordered, limited, spe_glsl_f_(m, x, 0.0));
    spe_id rest = spe_exponential_series_(m, spe_exponent_parts_(m, f, limited, &n));
    spe_id power = spe_scaled_by_2_(m, rest, n);
    if (f != SPE_EXPM1) return spe_unless_nan_(m, x, power);
    spe_id scale = spe_scaled_by_2_(m, spe_null(m, spe_type_of(m, x)), n), large;
    large = spe_fgt_c_(m, n, spe_by_size_(m, x, 30, 60));
    spe_id less_one = spe_fsub(m, scale, spe_glsl_f_(m, x, 1.0));
    spe_id small = spe_fadd(m, spe_fmul(m, rest, scale), less_one);
    return spe_unless_nan_(m, x, spe_select(m, large, power, small)); /* beside 2^30 or 2^60, 1 is nothing */
}

/* e log 2 + log m in base e, 2 or 10, from the parts of log m = f - y, and a correction c. */
XE_FN_ spe_id spe_logarithm_sum_(spe_module *m, spe_math_op base, spe_id e, spe_id f, spe_id y, spe_id c)
{
    double high = spe_log_2_(m, e, base == SPE_LOG10, false), low = spe_log_2_(m, e, base == SPE_LOG10, true);
    if (base == SPE_LOG2) {
        spe_id factor = spe_glsl_f_(m, e, 1.4426950408889634);
        return spe_glsl_fma_(m, spe_fsub(m, f, y), factor, e);
    }
    m->as_written = true;
    spe_id below = spe_fmul_c_(m, e, low), above = spe_fmul_c_(m, e, high), log = f;
    if (c) below = spe_fadd(m, below, c);
    if (base == SPE_LOG10) log = spe_fmul_c_(m, spe_fsub(m, f, y), 0.4342944819032518);
    log = spe_fadd(m, log, base == SPE_LOG10 ? below : spe_fsub(m, below, y));
    log = spe_fadd(m, above, log);
    m->as_written = false;
    return log;
}

/* What 1 + x loses of x when it is rounded to u, over u. */
XE_FN_ spe_id spe_lost_(spe_module *m, spe_id x, spe_id u)
{
    m->as_written = true;
    spe_id lost = spe_fsub(m, x, spe_fsub(m, u, spe_glsl_f_(m, x, 1.0)));
    m->as_written = false;
    return spe_fdiv(m, lost, u);
}

/* y, the logarithm of positive x, also where x is 0, infinite or negative. */
XE_FN_ spe_id spe_logarithm_of_any_(spe_module *m, spe_id x, spe_id y)
{
    spe_id infinity = spe_infinity_(m, x), nan = spe_nan_(m, x), least = spe_fneg(m, infinity);
    spe_id zero = spe_glsl_f_(m, x, 0.0);
    y = spe_select(m, spe_feq(m, x, infinity), infinity, y);
    y = spe_select(m, spe_feq(m, x, zero), least, y);
    return spe_select(m, spe_flt(m, x, zero), nan, y);
}

/* 2/3 + 2 z / 5 + 2 z^2 / 7 ..., for z up to 0.03. */
XE_FN_ spe_id spe_logarithm_series_(spe_module *m, spe_id z)
{
    double series[10];
    int n = (int)spe_by_size_(m, z, 5, 10);
    for (int i = 0; i < n; i++) series[i] = 2.0 / (2 * (n - i) + 1);
    return spe_polynomial_(m, z, n, series);
}

/* LOG, LOG2, LOG10 and LOG1P: x = 2^e m with m from sqrt(1/2) to sqrt(2), and with f = m - 1, s = f / (2 + f)
 * log m = 2 (s + s^3/3 + s^5/5 ...) = f - s (f - 2 s^2 (1/3 + s^2/5 ...)). */
XE_FN_ spe_id spe_logarithm_(spe_module *m, spe_math_op base, spe_id x)
{
    spe_id given = x, one = spe_glsl_f_(m, x, 1.0), zero = spe_glsl_f_(m, x, 0.0), c = 0, e;
    if (base == SPE_LOG1P) x = spe_fadd(m, given, one);
    spe_id f = spe_fsub(m, spe_mantissa_(m, x, &e), one);
    if (base == SPE_LOG1P) {
        spe_id none = spe_ieq_c_(m, e, 0); /* no power of 2: f is x itself */
        f = spe_select(m, none, given, f);
        c = spe_select(m, none, zero, spe_lost_(m, given, x));
    }
    spe_id s = spe_fdiv(m, f, spe_fadd_c_(m, f, 2.0)), z = spe_fmul(m, s, s);
    spe_id y = spe_fmul(m, s, spe_fsub(m, f, spe_fmul(m, z, spe_logarithm_series_(m, z))));
    y = spe_logarithm_sum_(m, base, spe_s_to_f(m, spe_type_of(m, x), e), f, y, c);
    y = spe_logarithm_of_any_(m, x, y);
    if (base == SPE_LOG1P) y = spe_select(m, spe_feq(m, given, zero), given, y); /* with its sign */
    return spe_unless_nan_(m, given, y);
}

/* tanh x = E / (E + 2) with E = e^(2x) - 1, 1 from 10 or 20 on. */
XE_FN_ spe_id spe_hyperbolic_tangent_(spe_module *m, spe_id x)
{
    spe_id most = spe_glsl_f_(m, x, spe_by_size_(m, x, 10, 20)), least = spe_fneg(m, most);
    spe_id y = spe_clamped_(m, x, least, most);
    spe_id e = spe_exponential_(m, SPE_EXPM1, spe_fadd(m, y, y)), tiny;
    tiny = spe_flt_c_(m, spe_glsl_abs_(m, x), spe_by_size_(m, x, 1e-4, 1e-9));
    y = spe_fdiv(m, e, spe_fadd_c_(m, e, 2.0));
    return spe_unless_nan_(m, x, spe_select(m, tiny, x, y));
}

/* erfc a = P(t) / (1 + 2 a) e^(-a^2) from 1/2 on, with t from -1 to 1 for a up to where it is 0; a^2 in two parts. */
XE_FN_ spe_id spe_error_tail_(spe_module *m, spe_id a)
{
    static const double series_32[] = {-9.270992417498292e-06, 5.834832243181154e-05, 4.686616483446926e-05,
                                       -0.0016209648404419852, 0.008245159051157903, -0.024160925764345722,
                                       0.044037286093012676, -0.033577497006818786, -0.07959948847907904,
                                       1.263402284428267};
    static const double series_64[] = {-4.654512168954608e-11, 3.420805861675328e-11, 6.627358954630793e-10,
                                       -1.4153502461458794e-10, -6.3044175585955395e-09, -1.923223778867787e-09,
                                       5.655951189561462e-08, 3.4477740326560804e-08, -5.483906353524289e-07,
                                       -2.436536156119935e-07, 5.987923800539687e-06, -2.768358221328568e-06,
                                       -6.783221386182739e-05, 0.00017245994806461298, 0.00045580697475910027,
                                       -0.004369296842319963, 0.015618161738313934, -0.03473716868585706,
                                       0.047938729923468405, -0.01819567323811182, -0.10557555449542097,
                                       1.2468835895450672};
    bool wide = spe_bits_of_(m, a) == 64;
    spe_id one = spe_glsl_f_(m, a, 1.0), three = spe_glsl_f_(m, a, 3.0), most = spe_glsl_f_(m, a, wide ? 27.5 : 10.5);
    a = spe_select(m, spe_fgt(m, a, most), most, a);
    spe_id less = spe_fsub(m, a, three), t = spe_fdiv(m, less, spe_fadd(m, a, three));
    t = spe_fadd_c_(m, spe_fmul_c_(m, t, wide ? 1.3178 : 1.575), wide ? -0.0587 : 0.125);
    spe_id divisor = spe_fadd(m, one, spe_fadd(m, a, a));
    spe_id y = wide ? spe_polynomial_(m, t, 22, series_64) : spe_polynomial_(m, t, 10, series_32);
    y = spe_fdiv(m, y, divisor);
    spe_id head = spe_head_(m, a), rest = spe_fsub(m, a, head);
    rest = spe_fneg(m, spe_fmul(m, rest, spe_fadd(m, a, head)));
    y = spe_fmul(m, y, spe_exponential_(m, SPE_EXP, rest));
    return spe_fmul(m, y, spe_exponential_(m, SPE_EXP, spe_fneg(m, spe_fmul(m, head, head))));
}

/* erf x = 2 / sqrt(pi) e^(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 ...), whose terms are all positive, up to 1; then it is
 * 1 - erfc x. */
XE_FN_ spe_id spe_error_function_(spe_module *m, spe_id x)
{
    double series[20], term = 1.1283791670955126;
    int n = (int)spe_by_size_(m, x, 13, 20);
    for (int i = n - 1, odd = 3; i >= 0; i--, odd += 2) series[i] = term, term *= 2.0 / odd;
    spe_id one = spe_glsl_f_(m, x, 1.0), a = spe_glsl_abs_(m, x), large = spe_fgt(m, a, one);
    spe_id near_zero = spe_select(m, large, one, a), z = spe_fmul(m, near_zero, near_zero);
    spe_id e = spe_exponential_(m, SPE_EXP, spe_fneg(m, z));
    spe_id inner = spe_fmul(m, spe_fmul(m, spe_polynomial_(m, z, n, series), near_zero), e);
    spe_id outer = spe_fsub(m, one, spe_error_tail_(m, a)), y = spe_select(m, large, outer, inner);
    return spe_unless_nan_(m, x, spe_signed_as_(m, y, x));
}

XE_FN_ spe_id spe_error_complement_(spe_module *m, spe_id x)
{
    spe_id a = spe_glsl_abs_(m, x), y = spe_error_tail_(m, a), one = spe_glsl_f_(m, x, 1.0);
    spe_id negative = spe_flt_c_(m, x, 0.0), two = spe_glsl_f_(m, x, 2.0), near_zero = spe_flt_c_(m, a, 0.5);
    y = spe_select(m, negative, spe_fsub(m, two, y), y);
    spe_id middle = spe_fsub(m, one, spe_error_function_(m, x));
    return spe_unless_nan_(m, x, spe_select(m, near_zero, middle, y));
}

/* sinh or cosh: by E = e^x - 1 or by e^x, and from 9 or 20 on by (e^(x/2))^2 / 2, since e^x overflows earlier. */
XE_FN_ spe_id spe_hyperbolic_(spe_module *m, spe_id x, bool cosine)
{
    spe_id a = spe_glsl_abs_(m, x), half = spe_glsl_f_(m, x, 0.5), one = spe_glsl_f_(m, x, 1.0);
    spe_id root = spe_exponential_(m, SPE_EXP, spe_fmul(m, a, half)), large;
    large = spe_fgt_c_(m, a, spe_by_size_(m, x, 9, 20));
    spe_id e = spe_exponential_(m, cosine ? SPE_EXP : SPE_EXPM1, a), y;
    if (cosine) {
        spe_id inverse = spe_fdiv(m, half, e);
        y = spe_fadd(m, spe_fmul(m, e, half), inverse);
    } else {
        y = spe_fmul(m, spe_fadd(m, e, spe_fdiv(m, e, spe_fadd(m, e, one))), half);
    }
    m->as_written = true; /* the square may overflow where half of it does not */
    e = spe_fmul(m, spe_fmul(m, root, half), root);
    m->as_written = false;
    y = spe_select(m, large, e, y);
    return spe_unless_nan_(m, x, cosine ? y : spe_signed_as_(m, y, x));
}

/* log(1 + a) / 2 of a = 2 x / (1 - x). */
XE_FN_ spe_id spe_hyperbolic_arc_tangent_(spe_module *m, spe_id x)
{
    spe_id a = spe_glsl_abs_(m, x), less = spe_fsub(m, spe_glsl_f_(m, x, 1.0), a);
    spe_id y = spe_logarithm_(m, SPE_LOG1P, spe_fdiv(m, spe_fadd(m, a, a), less));
    return spe_unless_nan_(m, x, spe_signed_as_(m, spe_fmul_c_(m, y, 0.5), x));
}

/* ASINH, ACOSH and ATANH by log1p; from 2^28 or 2^60 on the first two are log x + log 2. */
XE_FN_ spe_id spe_hyperbolic_inverse_(spe_module *m, spe_math_op f, spe_id x)
{
    if (f == SPE_ATANH) return spe_hyperbolic_arc_tangent_(m, x);
    spe_id one = spe_glsl_f_(m, x, 1.0), a = spe_glsl_abs_(m, x), t, root, y;
    spe_id large = spe_fgt_c_(m, a, spe_by_size_(m, x, 0x1p28, 0x1p60));
    t = spe_select(m, large, one, f == SPE_ASINH ? a : spe_fsub(m, x, one));
    spe_id square = spe_fmul(m, t, t);
    if (f == SPE_ASINH) {
        root = spe_fadd(m, one, spe_glsl_root_(m, spe_fadd(m, square, one)));
        t = spe_fadd(m, t, spe_fdiv(m, square, root));
    } else {
        root = spe_glsl_root_(m, spe_fadd(m, spe_fadd(m, t, t), square));
        t = spe_fadd(m, t, root);
    }
    y = spe_logarithm_(m, SPE_LOG1P, spe_select(m, large, a, t));
    y = spe_select(m, large, spe_fadd_c_(m, y, 0.6931471805599453), y);
    if (f == SPE_ASINH) return spe_unless_nan_(m, x, spe_signed_as_(m, y, x));
    spe_id outside = spe_flt(m, x, one);
    return spe_unless_nan_(m, x, spe_select(m, outside, spe_nan_(m, x), y));
}

/* trigonometry.c - circular functions and their inverses for Vulkan, of f32 and f64. Reduction by pi is in
 * integers, with as many bits of 2/pi as an argument needs, so that it is exact enough for all; the rest is series. */

/* The upper half of a product of unsigned integers of 32 or 64 bits, by halves. */
XE_FN_ spe_id spe_high_product_(spe_module *m, spe_id a, spe_id b)
{
    uint32_t half = spe_bits_of_(m, a) / 2;
    uint64_t mask = ((uint64_t)1 << half) - 1;
    spe_id a0 = spe_and_c_(m, a, mask), a1 = spe_shr_c_(m, a, half);
    spe_id b0 = spe_and_c_(m, b, mask), b1 = spe_shr_c_(m, b, half);
    spe_id lowest = spe_imul(m, a0, b0), middle = spe_imul(m, a1, b0), other = spe_imul(m, a0, b1);
    middle = spe_iadd(m, middle, spe_shr_c_(m, lowest, half));
    other = spe_iadd(m, other, spe_and_c_(m, middle, mask));
    spe_id high = spe_imul(m, a1, b1);
    high = spe_iadd(m, high, spe_shr_c_(m, middle, half));
    return spe_iadd(m, high, spe_shr_c_(m, other, half));
}

/* Word q + j of two of zeros and the bits of 2/pi, as many as exponents of this size reach: q is up to 4, or 16. */
XE_FN_ spe_id spe_word_of_2_by_pi_(spe_module *m, spe_id q, uint32_t j)
{
    static const uint64_t pairs[] = {
        0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
        0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
        0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
        0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08};
    bool wide = spe_bits_of_(m, q) == 64;
    uint32_t last = wide ? 16 : 4;
    spe_id word = 0;
    for (uint32_t i = 0; i <= last; i++) {
        uint64_t pair = wide ? i + j ? pairs[i + j - 1] : 0 : pairs[(i + j) / 2];
        spe_id known = spe_glsl_u_(m, q, wide ? pair : (i + j) % 2 ? (uint32_t)pair : pair >> 32);
        word = i ? spe_select(m, spe_ieq_c_(m, q, i), known, word) : known;
    }
    return word;
}

/* The fraction of |x| / (2 pi) in two words of W bits, 32 or 64 as those of x, for |x| from 1/2 on. With |x| = M 2^(e -
 * W + 1), M of W bits, it is that of M times the bits of 2/pi from position e - 3 on, of which 3 W count. */
XE_FN_ void spe_turns_(spe_module *m, spe_id x, spe_id *high, spe_id *low)
{
    uint32_t size = spe_bits_of_(m, x), digits = spe_digits_(size), half = spe_bias_(size) - 1;
    spe_id bits = spe_bits_(m, x), zero = spe_glsl_u_(m, bits, 0), one = spe_glsl_u_(m, bits, 1), window[3];
    spe_id least = spe_glsl_u_(m, bits, half), e = spe_shr_c_(m, bits, digits);
    spe_id mantissa = spe_shl_c_(m, spe_or(m, bits, spe_glsl_u_(m, bits, (uint64_t)1 << digits)), size - 1 - digits);
    e = spe_select(m, spe_ult(m, e, least), least, e);
    spe_id position = spe_isub_c_(m, e, half - (size - 2)), q = spe_shr_c_(m, position, size == 64 ? 6 : 5);
    spe_id b = spe_and_c_(m, position, size - 1);
    spe_id rest = spe_isub(m, spe_glsl_u_(m, bits, size), b), aligned = spe_ieq(m, b, zero);
    spe_id next = spe_word_of_2_by_pi_(m, q, 0);
    rest = spe_select(m, aligned, spe_glsl_u_(m, bits, size - 1), rest); /* a shift by all bits is undefined */
    for (uint32_t j = 0; j < 3; j++) {
        spe_id word = next, upper = spe_shl(m, word, b);
        next = spe_word_of_2_by_pi_(m, q, j + 1);
        window[j] = spe_or(m, upper, spe_shr(m, next, rest));
        window[j] = spe_select(m, aligned, word, window[j]);
    }
    spe_id carried = spe_high_product_(m, mantissa, window[2]), top = spe_imul(m, mantissa, window[0]);
    *low = spe_iadd(m, spe_imul(m, mantissa, window[1]), carried);
    spe_id carry = spe_select(m, spe_ult(m, *low, carried), one, zero);
    top = spe_iadd(m, top, spe_high_product_(m, mantissa, window[1]));
    *high = spe_iadd(m, top, carry);
}

/* |x| = n pi/2 + r with r in -pi/4 .. pi/4 and n modulo 4; x itself and 0 below pi/4. */
XE_FN_ spe_id spe_reduced_(spe_module *m, spe_id x, spe_id *n)
{
    uint32_t size = spe_bits_of_(m, x), more = size - 1 - spe_digits_(size); /* bits of a word that no float has */
    spe_id type = spe_type_of(m, x), a = spe_glsl_abs_(m, x), high, low;
    spe_turns_(m, a, &high, &low);
    spe_id quarters = spe_shr_c_(m, spe_iadd_c_(m, high, (uint64_t)1 << (size - 3)), size - 2);
    spe_id zero = spe_glsl_u_(m, high, 0);
    high = spe_isub(m, high, spe_shl_c_(m, quarters, size - 2));
    spe_id negative = spe_slt(m, high, zero);
    high = spe_select(m, negative, spe_not(m, high), high); /* less than its negative by a unit of the last bit */
    low = spe_select(m, negative, spe_not(m, low), low);
    spe_id end = spe_and_c_(m, high, ((uint64_t)1 << more) - 1), top = spe_s_to_f(m, type, spe_isub(m, high, end));
    spe_id rest = spe_shl_c_(m, end, size - more);
    rest = spe_u_to_f(m, type, spe_or(m, rest, spe_shr_c_(m, low, more)));
    rest = spe_fmul_c_(m, rest, spe_by_size_(m, x, 0x1p-56, 0x1p-117));
    spe_id r = spe_fadd(m, spe_fmul_c_(m, top, spe_by_size_(m, x, 0x1p-32, 0x1p-64)), rest);
    r = spe_fmul_c_(m, r, 6.283185307179586);
    r = spe_select(m, negative, spe_fneg(m, r), r);
    spe_id small = spe_flt_c_(m, a, 0.78539816);
    *n = spe_select(m, small, zero, quarters);
    return spe_select(m, small, a, r);
}

/* x - 2 n' = n / 2 + r with r in -1/4 .. 1/4, exactly, for functions of pi x; r times pi. */
XE_FN_ spe_id spe_reduced_pi_(spe_module *m, spe_id x, spe_id *n)
{
    spe_id integer = spe_int_like_(m, x), a = spe_glsl_abs_(m, x), half = spe_glsl_f_(m, x, 0.5);
    spe_id pairs = spe_glsl_round_(m, spe_fmul(m, a, half)), t = spe_fsub(m, a, spe_fmul_c_(m, pairs, 2.0));
    spe_id halves = spe_glsl_round_(m, spe_fadd(m, t, t));
    *n = spe_and_c_(m, spe_f_to_s(m, integer, halves), 3);
    return spe_fmul_c_(m, spe_fsub(m, t, spe_fmul(m, halves, half)), 3.141592653589793);
}

/* r + r^3 P(r^2) */
XE_FN_ spe_id spe_odd_series_(spe_module *m, spe_id r, int n, const double *coefficients)
{
    spe_id square = spe_fmul(m, r, r), cube = spe_fmul(m, r, square);
    return spe_fadd(m, r, spe_fmul(m, cube, spe_polynomial_(m, square, n, coefficients)));
}

XE_FN_ spe_id spe_sine_series_(spe_module *m, spe_id r)
{
    double series[8], term = 1;
    int n = (int)spe_by_size_(m, r, 4, 8);
    for (int i = 1; i <= n; i++) series[n - i] = 1 / (term *= -2.0 * i * (2 * i + 1));
    return spe_odd_series_(m, r, n, series);
}

XE_FN_ spe_id spe_cosine_series_(spe_module *m, spe_id r)
{
    double series[8], term = 1;
    int n = (int)spe_by_size_(m, r, 5, 8);
    for (int i = 1; i <= n; i++) series[n - i] = 1 / (term *= -2.0 * i * (2 * i - 1));
    spe_id one = spe_glsl_f_(m, r, 1.0), z = spe_fmul(m, r, r);
    return spe_fadd(m, one, spe_fmul(m, z, spe_polynomial_(m, z, n, series)));
}

/* NaN where x is that or infinite, else y. */
XE_FN_ spe_id spe_if_finite_(spe_module *m, spe_id x, spe_id y)
{
    spe_id bits = spe_bits_(m, spe_glsl_abs_(m, x)), finite;
    finite = spe_ult(m, bits, spe_glsl_u_(m, bits, spe_infinite_bits_(spe_bits_of_(m, x))));
    return spe_select(m, finite, y, spe_nan_(m, x));
}

/* sin, cos or tan of x, or of pi x. */
XE_FN_ spe_id spe_circular_(spe_module *m, spe_id x, char which, bool of_pi)
{
    uint32_t size = spe_bits_of_(m, x);
    spe_id n, r = of_pi ? spe_reduced_pi_(m, x, &n) : spe_reduced_(m, x, &n);
    if (which == 'c') n = spe_iadd_c_(m, n, 1);
    spe_id sine = spe_sine_series_(m, r), cosine = spe_cosine_series_(m, r), odd = spe_odd_(m, n);
    spe_id y = spe_select(m, odd, cosine, sine);
    spe_id bits = spe_shl_c_(m, spe_and_c_(m, n, 2), size - 2); /* the third and fourth quarters are negative */
    if (which == 't') {
        spe_id pole = spe_land(m, odd, spe_feq_c_(m, sine, 0.0)), zero = spe_glsl_u_(m, n, 0);
        y = spe_fdiv(m, y, spe_select(m, odd, spe_fneg(m, sine), cosine));
        y = spe_select(m, pole, spe_infinity_(m, x), y);
        bits = spe_select(m, pole, bits, zero);
    }
    if (which != 'c') bits = spe_xor(m, bits, spe_and_c_(m, spe_bits_(m, x), spe_sign_bit_(size)));
    return spe_if_finite_(m, x, spe_of_bits_(m, x, spe_xor(m, spe_bits_(m, y), bits)));
}

/* atan of x from 0 to 1; beyond tan(pi/8) it is pi/4 + atan((x - 1) / (x + 1)). */
XE_FN_ spe_id spe_arc_(spe_module *m, spe_id x)
{
    double series[21];
    int n = (int)spe_by_size_(m, x, 8, 21);
    for (int i = 1; i <= n; i++) series[n - i] = (i % 2 ? -1.0 : 1.0) / (2 * i + 1);
    spe_id one = spe_glsl_f_(m, x, 1.0), large = spe_fgt_c_(m, x, 0.41421356), less = spe_fsub(m, x, one);
    spe_id turned = spe_fdiv(m, less, spe_fadd(m, x, one));
    spe_id t = spe_odd_series_(m, spe_select(m, large, turned, x), n, series);
    return spe_select(m, large, spe_fadd_c_(m, t, 0.7853981633974483), t);
}

/* The smaller of two coordinates over the larger, from 0 to 1. Both are scaled so that it is exact to 2.5 units. */
XE_FN_ spe_id spe_slope_(spe_module *m, spe_id least, spe_id most)
{
    spe_id one = spe_glsl_f_(m, most, 1.0), zero = spe_glsl_f_(m, most, 0.0);
    bool wide = spe_bits_of_(m, most) == 64;
    spe_id up = spe_glsl_f_(m, most, wide ? 0x1p400 : 0x1p60), down = spe_glsl_f_(m, most, wide ? 0x1p-400 : 0x1p-40);
    spe_id scale = spe_select(m, spe_fgt_c_(m, most, wide ? 0x1p900 : 0x1p90), down, one);
    scale = spe_select(m, spe_flt_c_(m, most, wide ? 0x1p-600 : 0x1p-60), up, scale);
    spe_id scaled = spe_fmul(m, least, scale), slope = spe_fdiv(m, scaled, spe_fmul(m, most, scale));
    slope = spe_select(m, spe_feq(m, least, most), one, slope); /* infinities; but 0, 0 is 0 */
    return spe_select(m, spe_feq(m, least, zero), zero, slope);
}

/* The angle of a point (x, y). */
XE_FN_ spe_id spe_angle_(spe_module *m, spe_id y, spe_id x)
{
    spe_id ax = spe_glsl_abs_(m, x), ay = spe_glsl_abs_(m, y), steep = spe_fgt(m, ay, ax);
    spe_id quarter = spe_glsl_f_(m, x, 1.5707963267948966), half = spe_glsl_f_(m, x, 3.141592653589793);
    spe_id most = spe_select(m, steep, ay, ax), least = spe_select(m, steep, ax, ay);
    spe_id angle = spe_arc_(m, spe_slope_(m, least, most)), left = spe_negative_(m, x);
    angle = spe_select(m, steep, spe_fsub(m, quarter, angle), angle);
    angle = spe_select(m, left, spe_fsub(m, half, angle), angle);
    angle = spe_signed_as_(m, angle, y);
    return spe_unless_nan_(m, x, spe_unless_nan_(m, y, angle));
}

/* asin x = x + x^3 / 6 + 3 x^5 / 40 ... of x from 0 to 1/2. */
XE_FN_ spe_id spe_arc_sine_series_(spe_module *m, spe_id x)
{
    double series[25], term = 1;
    int last = (int)spe_by_size_(m, x, 12, 25);
    for (int n = 1; n <= last; n++) {
        term *= (2.0 * n - 1) / (2.0 * n);
        series[last - n] = term / (2 * n + 1);
    }
    return spe_odd_series_(m, x, last, series);
}

/* asin or acos: beyond 1/2, acos x = 2 asin(sqrt((1 - x) / 2)). */
XE_FN_ spe_id spe_arc_sine_(spe_module *m, spe_id x, bool cosine)
{
    spe_id one = spe_glsl_f_(m, x, 1.0), quarter = spe_glsl_f_(m, x, 1.5707963267948966), a = spe_glsl_abs_(m, x);
    spe_id near_one = spe_fgt_c_(m, a, 0.5), outside = spe_fgt(m, a, one);
    spe_id root = spe_glsl_root_(m, spe_fmul_c_(m, spe_fsub(m, one, a), 0.5));
    spe_id y = spe_arc_sine_series_(m, spe_select(m, near_one, root, a)), twice = spe_fadd(m, y, y);
    if (cosine) {
        spe_id negative = spe_negative_(m, x), half = spe_glsl_f_(m, x, 3.141592653589793);
        twice = spe_select(m, negative, spe_fsub(m, half, twice), twice);
        y = spe_fsub(m, quarter, spe_select(m, negative, spe_fneg(m, y), y));
        y = spe_select(m, near_one, twice, y);
    } else {
        y = spe_signed_as_(m, spe_select(m, near_one, spe_fsub(m, quarter, twice), y), x);
    }
    return spe_unless_nan_(m, x, spe_select(m, outside, spe_nan_(m, x), y));
}

/* powers.c - powers and roots for Vulkan, of f32 and f64. */

/* x times 5/4, 1 or 3/4, so that it is from 0.88 to 1.19; what rounding lost of it, and the logarithm to base 2 of that
 * factor in two parts: exponents less the first are exact. */
typedef struct {
    spe_id product, lost, high, low;
} spe_near_one_;

XE_FN_ spe_id spe_one_of_three_(spe_module *m, spe_id small, spe_id if_small, spe_id large, spe_id if_large)
{
    spe_id zero = spe_null(m, spe_type_of(m, if_small));
    return spe_select(m, small, if_small, spe_select(m, large, if_large, zero));
}

XE_FN_ spe_near_one_ spe_multiplied_near_one_(spe_module *m, spe_id x)
{
    static const double logarithms[2][4] = {
        {1319 / 4096.0, -9.338948763765212e-05, -1700 / 4096.0, 1.5632211561814537e-06},
        {1382670639 / 4294967296.0, 4.768513324782187e-11, -1782572486 / 4294967296.0, -3.785310626949533e-12}};
    spe_near_one_ r;
    spe_id part[4], small = spe_flt_c_(m, x, 0.8928), large = spe_fgt_c_(m, x, 1.19), quarter = spe_fmul_c_(m, x, 0.25);
    spe_id less = spe_fneg(m, quarter), q = spe_one_of_three_(m, small, quarter, large, less);
    for (int i = 0; i < 4; i++) part[i] = spe_glsl_f_(m, x, logarithms[spe_bits_of_(m, x) == 64][i]);
    r.product = spe_fadd(m, x, q);
    r.lost = spe_fsub(m, q, spe_fsub(m, r.product, x));
    r.high = spe_one_of_three_(m, small, part[0], large, part[2]);
    r.low = spe_one_of_three_(m, small, part[1], large, part[3]);
    return r;
}

/* log x of x + lost from 0.88 to 1.19, in two parts: s = (x - 1) / (x + 1), of which the upper half is exact, and
 * log x = 2 s + 2 s^3 / 3 ... */
XE_FN_ spe_id spe_two_part_series_(spe_module *m, spe_id x, spe_id lost, spe_id *low)
{
    spe_id one = spe_glsl_f_(m, x, 1.0), f = spe_fsub(m, x, one), d = spe_fadd(m, x, one);
    spe_id d_high = spe_head_(m, d), d_low = spe_fsub(m, x, spe_fsub(m, d_high, one));
    spe_id s = spe_fdiv(m, f, d), s_high = spe_head_(m, s), z = spe_fmul(m, s, s), cube = spe_fmul(m, s, z);
    spe_id tail = spe_fmul(m, cube, spe_logarithm_series_(m, z));
    spe_id rest = spe_fsub(m, f, spe_fmul(m, s_high, d_high));
    rest = spe_fsub(m, rest, spe_fmul(m, s_high, d_low));
    rest = spe_fadd(m, rest, spe_fmul(m, lost, spe_fsub(m, one, s)));
    rest = spe_fdiv(m, rest, d);
    *low = spe_fadd(m, spe_fadd(m, rest, rest), tail);
    return spe_fadd(m, s_high, s_high);
}

/* log2 x in two parts, to 2^-30 or 2^-60 of it, for positive finite x. Called where arithmetic is as written. */
XE_FN_ spe_id spe_two_logarithms_(spe_module *m, spe_id x, spe_id *low)
{
    spe_id exponent, mantissa = spe_mantissa_(m, x, &exponent), rest;
    spe_near_one_ reduced = spe_multiplied_near_one_(m, mantissa);
    spe_id e = spe_s_to_f(m, spe_type_of(m, x), exponent);
    spe_id natural = spe_two_part_series_(m, reduced.product, reduced.lost, &rest);
    e = spe_fsub(m, e, reduced.high); /* exact */
    spe_id high = spe_fmul_c_(m, natural, spe_by_size_(m, x, 1.4423828125, 0x1.715476p0)); /* exact */
    spe_id l = spe_fmul_c_(m, natural, spe_by_size_(m, x, 0.0003122283889634, 1.92596299112661746887e-08));
    l = spe_fadd(m, l, spe_fmul_c_(m, rest, 1.4426950408889634));
    l = spe_fsub(m, l, reduced.low);
    spe_id sum = spe_fadd(m, e, high), lost = spe_fsub(m, high, spe_fsub(m, sum, e));
    l = spe_fadd(m, lost, l);
    spe_id total = spe_fadd(m, sum, l);
    *low = spe_fsub(m, l, spe_fsub(m, total, sum));
    return total;
}

/* x^(y + more) for positive finite x, `more` being small beside y, or y a sum of both. */
XE_FN_ spe_id spe_power_of_positive_(spe_module *m, spe_id x, spe_id y, spe_id more)
{
    spe_id zero = spe_glsl_f_(m, x, 0.0), most = spe_glsl_f_(m, x, spe_by_size_(m, x, 0x1p40, 0x1p70));
    spe_id least = spe_fneg(m, most), low;
    y = spe_clamped_(m, y, least, most); /* infinities */
    m->as_written = true;
    spe_id log = spe_two_logarithms_(m, x, &low), head = spe_head_(m, log);
    low = spe_fadd(m, spe_fsub(m, log, head), low);
    spe_id y_head = spe_head_(m, y), y_low = spe_fadd(m, spe_fsub(m, y, y_head), more);
    spe_id high = spe_fmul(m, y_head, head), rest = spe_fmul(m, y_low, head);
    rest = spe_fadd(m, rest, spe_fmul(m, spe_fadd(m, y, more), low));
    spe_id p = spe_fadd(m, high, rest);
    most = spe_glsl_f_(m, x, spe_by_size_(m, x, 200, 1100)), least = spe_fneg(m, most);
    spe_id beyond = spe_fge(m, spe_glsl_abs_(m, p), most), n = spe_clamped_(m, p, least, most);
    n = spe_glsl_round_(m, spe_select(m, spe_feq(m, n, n), n, zero));
    spe_id r = spe_fadd(m, spe_fsub(m, high, n), rest);
    m->as_written = false;
    r = spe_select(m, beyond, zero, r);
    return spe_scaled_by_2_(m, spe_exponential_series_(m, spe_fmul_c_(m, r, 0.6931471805599453)), n);
}

/* The power of any x from that of |x|, for exponents that are integers, odd and positive or not. */
XE_FN_ spe_id spe_power_of_any_(spe_module *m, spe_id x, spe_id power, spe_id integer, spe_id odd, spe_id positive)
{
    spe_id zero = spe_glsl_f_(m, x, 0.0), infinity = spe_infinity_(m, x), nan = spe_nan_(m, x);
    spe_id a = spe_glsl_abs_(m, x), infinite = spe_feq(m, a, infinity), none = spe_feq(m, a, zero);
    spe_id extreme = spe_select(m, spe_leq(m, infinite, positive), infinity, zero);
    power = spe_select(m, spe_lor(m, infinite, none), extreme, power);
    spe_id turned = spe_land(m, spe_negative_(m, x), odd);
    power = spe_select(m, turned, spe_fneg(m, power), power);
    spe_id below = spe_flt(m, x, zero), refused = spe_land(m, below, spe_lnot(m, infinite));
    refused = spe_land(m, refused, spe_lnot(m, integer));
    return spe_unless_nan_(m, x, spe_select(m, refused, nan, power));
}

/* x^y of POW where x or y is 0, or x is 1: that of POWR. */
XE_FN_ spe_id spe_powr_of_any_(spe_module *m, spe_id x, spe_id y, spe_id power)
{
    spe_id zero = spe_glsl_f_(m, x, 0.0), one = spe_glsl_f_(m, x, 1.0), infinity = spe_infinity_(m, x);
    spe_id y_is_0 = spe_feq(m, y, zero), x_is_0 = spe_feq(m, x, zero), x_is_1 = spe_feq(m, x, one);
    spe_id y_is_infinite = spe_feq(m, spe_glsl_abs_(m, y), infinity);
    spe_id extreme = spe_lor(m, x_is_0, spe_feq(m, spe_glsl_abs_(m, x), infinity));
    power = spe_select(m, y_is_0, spe_unless_nan_(m, x, one), power);
    extreme = spe_land(m, y_is_0, extreme);
    spe_id refused = spe_lor(m, extreme, spe_land(m, x_is_1, y_is_infinite));
    spe_id outside = spe_lor(m, refused, spe_flt(m, x, zero));
    power = spe_select(m, outside, spe_nan_(m, x), power);
    spe_id unsigned_0 = spe_land(m, x_is_0, spe_lnot(m, refused));
    return spe_select(m, unsigned_0, spe_glsl_abs_(m, power), power);
}

/* POW and POWR, which is only for x from 0 on. */
XE_FN_ spe_id spe_power_(spe_module *m, spe_math_op f, spe_id x, spe_id y)
{
    spe_id int_type = spe_int_like_(m, x), zero = spe_glsl_f_(m, x, 0.0), one = spe_glsl_f_(m, x, 1.0);
    spe_id size = spe_glsl_abs_(m, y), small = spe_flt_c_(m, size, spe_by_size_(m, x, 0x1p24, 0x1p53));
    spe_id units = spe_f_to_s(m, int_type, spe_select(m, small, size, zero)); /* larger ones are even integers */
    spe_id integer = spe_feq(m, spe_s_to_f(m, spe_type_of(m, x), units), size);
    integer = spe_lor(m, integer, spe_lnot(m, small));
    spe_id odd = spe_land(m, integer, spe_odd_(m, units)), positive = spe_fgt(m, y, zero);
    spe_id power = spe_power_of_positive_(m, spe_glsl_abs_(m, x), y, zero);
    power = spe_power_of_any_(m, x, power, integer, odd, positive);
    power = spe_unless_nan_(m, y, power);
    if (f == SPE_POWR) return spe_powr_of_any_(m, x, y, power);
    spe_id none = spe_feq(m, y, zero), always_1 = spe_lor(m, none, spe_feq(m, x, one));
    return spe_select(m, always_1, one, power);
}

/* An integer n in two floats. */
XE_FN_ spe_id spe_in_two_floats_(spe_module *m, spe_id n, spe_id type, spe_id *more)
{
    enum { EXACT = 1 << 24 }; /* up to there, floats have all integers */
    if (spe_width(m, type) == 64) return *more = spe_null(m, type), spe_s_to_f(m, type, n);
    spe_id zero = spe_glsl_u_(m, n, 0), shifted = spe_iadd_c_(m, n, EXACT);
    spe_id large = spe_ugt(m, shifted, spe_glsl_u_(m, n, 2 * EXACT));
    spe_id byte = spe_select(m, large, spe_and_c_(m, n, 0xff), zero);
    *more = spe_s_to_f(m, type, byte);
    return spe_s_to_f(m, type, spe_isub(m, n, byte));
}

/* 1 / n in two floats; 1 for n = 0. */
XE_FN_ spe_id spe_inverse_in_two_floats_(spe_module *m, spe_id n, spe_id x, spe_id *more)
{
    spe_id one = spe_glsl_f_(m, x, 1.0), none = spe_ieq_c_(m, n, 0);
    spe_id real = spe_s_to_f(m, spe_type_of(m, x), spe_select(m, none, spe_glsl_u_(m, n, 1), n));
    spe_id inverse = spe_head_(m, spe_fdiv(m, one, real));
    if (spe_bits_of_(m, x) == 64) /* times an integer of 32 bits it is exact */
        inverse = spe_of_bits_(m, x, spe_and_c_(m, spe_bits_(m, inverse), ~(uint64_t)UINT32_MAX));
    m->as_written = true;
    *more = spe_fdiv(m, spe_fsub(m, one, spe_fmul(m, inverse, real)), real);
    m->as_written = false;
    return inverse;
}

/* POWN and ROOTN: x^n and x^(1/n) for an integer n, whose float or quotient has two parts. */
XE_FN_ spe_id spe_integer_power_(spe_module *m, spe_math_op f, spe_id x, spe_id n)
{
    spe_id zero = spe_glsl_u_(m, n, 0), none = spe_ieq(m, n, zero), odd = spe_odd_(m, n), y, more;
    if (f == SPE_POWN) y = spe_in_two_floats_(m, n, spe_type_of(m, x), &more);
    else y = spe_inverse_in_two_floats_(m, n, x, &more);
    spe_id power = spe_power_of_positive_(m, spe_glsl_abs_(m, x), y, more);
    spe_id integer = spe_ieq(m, n, n), positive = spe_sgt(m, n, zero);
    power = spe_power_of_any_(m, x, power, integer, odd, positive);
    if (f == SPE_POWN) return spe_select(m, none, spe_glsl_f_(m, x, 1.0), power);
    spe_id negative = spe_flt_c_(m, x, 0.0), refused = spe_land(m, negative, spe_lnot(m, odd));
    refused = spe_lor(m, none, refused);
    return spe_select(m, refused, spe_nan_(m, x), power);
}

/* One of three factors. */
XE_FN_ spe_id spe_factor_(spe_module *m, spe_id x, spe_id small, double if_small, spe_id large, double if_large)
{
    spe_id for_small = spe_glsl_f_(m, x, if_small), for_large = spe_glsl_f_(m, x, if_large);
    return spe_select(m, small, for_small, spe_select(m, large, for_large, spe_glsl_f_(m, x, 1.0)));
}

/* The float whose bits are a third of those of x, and more; of 64 bits by the upper half alone. */
XE_FN_ spe_id spe_third_of_bits_(spe_module *m, spe_id x, uint64_t more)
{
    bool wide = spe_bits_of_(m, x) == 64;
    spe_id bits = spe_bits_(m, x), type = spe_type_of(m, bits), half = spe_vec_like(m, spe_int(m, 32), x);
    if (wide) bits = spe_uconvert(m, half, spe_shr_c_(m, bits, 32));
    bits = spe_iadd_c_(m, spe_udiv(m, bits, spe_glsl_u_(m, bits, 3)), more);
    if (wide) bits = spe_shl_c_(m, spe_uconvert(m, type, bits), 32);
    return spe_of_bits_(m, x, bits);
}

/* Two steps of Halley's from a third of the exponent, or three; x is scaled where that needs room. */
XE_FN_ spe_id spe_cube_root_(spe_module *m, spe_id x)
{
    bool wide = spe_bits_of_(m, x) == 64;
    spe_id given = spe_glsl_abs_(m, x), small = spe_flt_c_(m, given, wide ? 0x1p-900 : 0x1p-90), large;
    large = spe_fgt_c_(m, given, wide ? 0x1p900 : 0x1p90);
    spe_id scale = spe_factor_(m, x, small, wide ? 0x1p180 : 0x1p24, large, wide ? 0x1p-180 : 0x1p-24);
    spe_id back = spe_factor_(m, x, small, wide ? 0x1p-60 : 0x1p-8, large, wide ? 0x1p60 : 0x1p8);
    spe_id a = spe_fmul(m, given, scale), t = spe_third_of_bits_(m, a, wide ? 0x2a9f7893 : 0x2a5137a0);
    for (int i = 0; i < 2 + wide; i++) {
        spe_id cube = spe_fmul(m, spe_fmul(m, t, t), t), over = spe_fadd(m, a, spe_fadd(m, cube, cube));
        t = spe_fadd(m, t, spe_fmul(m, t, spe_fdiv(m, spe_fsub(m, a, cube), over)));
    }
    t = spe_fmul(m, t, back);
    spe_id none = spe_feq_c_(m, given, 0.0), infinite = spe_feq(m, given, spe_infinity_(m, x));
    spe_id itself = spe_lor(m, none, infinite);
    return spe_unless_nan_(m, x, spe_select(m, itself, x, spe_signed_as_(m, t, x)));
}

/* sqrt(x^2 + y^2), scaled so that squares stay in range; infinite if one is, even beside NaN. */
XE_FN_ spe_id spe_hypotenuse_(spe_module *m, spe_id x, spe_id y)
{
    bool wide = spe_bits_of_(m, x) == 64;
    double up = wide ? 0x1p600 : 0x1p80, down = wide ? 0x1p-600 : 0x1p-68;
    spe_id infinity = spe_infinity_(m, x);
    x = spe_glsl_abs_(m, x), y = spe_glsl_abs_(m, y);
    spe_id most = spe_select(m, spe_fgt(m, x, y), x, y), large = spe_fgt_c_(m, most, wide ? 0x1p500 : 0x1p60);
    spe_id small = spe_flt_c_(m, most, wide ? 0x1p-400 : 0x1p-40);
    spe_id scale = spe_factor_(m, x, small, up, large, down), back = spe_factor_(m, x, small, 1 / up, large, 1 / down);
    spe_id scaled_x = spe_fmul(m, x, scale), scaled_y = spe_fmul(m, y, scale), square = spe_fmul(m, scaled_x, scaled_x);
    square = spe_fadd(m, square, spe_fmul(m, scaled_y, scaled_y));
    spe_id r = spe_fmul(m, spe_glsl_root_(m, square), back), infinite = spe_feq(m, x, infinity);
    r = spe_unless_nan_(m, x, spe_unless_nan_(m, y, r));
    infinite = spe_lor(m, infinite, spe_feq(m, y, infinity));
    return spe_select(m, infinite, infinity, r);
}

/* vulkan_math.c - Vulkan's mathematics: functions of GLSL.std.450 where these are as accurate as OpenCL's, and others
 * made of arithmetic. */

/* The number of the function that gives the same; 0: there is none. */
XE_FN_ uint32_t spe_glsl_number_(spe_math_op f)
{
    static const struct {
        uint16_t ours, theirs;
    } rows[] = {{SPE_FABS, 4}, {SPE_FLOOR, 8}, {SPE_CEIL, 9}, {SPE_TRUNC, 3}, {SPE_RINT, 2}, {SPE_SQRT, 31},
                {SPE_RSQRT, 32}, {SPE_FMA, 50}, {SPE_FMIN, 79}, {SPE_FMAX, 80}, {SPE_FCLAMP, 81}, {SPE_SIGN, 6},
                {SPE_SMIN, 39}, {SPE_SMAX, 42}, {SPE_UMIN, 38}, {SPE_UMAX, 41}, {SPE_SABS, 5}, {SPE_SCLAMP, 45},
                {SPE_UCLAMP, 44}, {SPE_NATIVE_SQRT, 31}, {SPE_NATIVE_RSQRT, 32}, {SPE_NATIVE_EXP, 27},
                {SPE_NATIVE_EXP2, 29}, {SPE_NATIVE_LOG, 28}, {SPE_NATIVE_LOG2, 30}, {SPE_NATIVE_SIN, 13},
                {SPE_NATIVE_COS, 14}, {SPE_NATIVE_TAN, 15}, {SPE_NATIVE_POWR, 26}, {SPE_MIX, 46}, {SPE_STEP, 48},
                {SPE_SMOOTHSTEP, 49}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].ours == (uint32_t)f) return rows[i].theirs;
    }
    return 0;
}

/* Half away from zero, which Vulkan leaves open. */
XE_FN_ spe_id spe_round_away_(spe_module *m, spe_id x)
{
    spe_id integer = spe_glsl_(m, SPE_GLSL_TRUNC_, "llf:=", x, 0, 0), rest = spe_glsl_abs_(m, spe_fsub(m, x, integer));
    spe_id up = spe_glsl_f_(m, x, 1.0), down = spe_glsl_f_(m, x, -1.0), negative = spe_flt_c_(m, x, 0.0);
    spe_id away = spe_fadd(m, integer, spe_select(m, negative, down, up)), half = spe_glsl_f_(m, x, 0.5);
    return spe_select(m, spe_fge(m, rest, half), away, integer);
}

/* Zeros before the highest bit, or after the lowest, of integers of 32 bits; SPE_POPCOUNT: the bits that are set. */
XE_FN_ spe_id spe_count_in_32_(spe_module *m, spe_math_op f, spe_id x)
{
    if (f == SPE_POPCOUNT) return spe_bit_count(m, x);
    spe_id bit = spe_glsl_(m, f == SPE_CLZ ? SPE_GLSL_FIND_MSB_ : SPE_GLSL_FIND_LSB_, "lli:=", x, 0, 0);
    if (f == SPE_CLZ) return spe_isub(m, spe_glsl_u_(m, x, 31), bit); /* -1: there is none */
    spe_id width = spe_glsl_u_(m, x, 32);
    return spe_select(m, spe_ieq_c_(m, x, 0), width, bit);
}

/* The same of integers of all sizes, of 64 bits by halves. */
XE_FN_ spe_id spe_count_bits_(spe_module *m, spe_math_op f, spe_id x)
{
    spe_id type = spe_type_of(m, x), i32 = spe_vec_like(m, spe_int(m, 32), x), count;
    uint32_t bits = spe_bits_of_(m, x);
    if (bits == 32) return spe_count_in_32_(m, f, x);
    if (bits < 32) {
        x = spe_uconvert(m, i32, x);
        if (f == SPE_CTZ) x = spe_or(m, x, spe_glsl_u_(m, x, (uint64_t)1 << bits));
        count = spe_count_in_32_(m, f, x);
        if (f == SPE_CLZ) count = spe_isub_c_(m, count, 32 - bits);
    } else {
        spe_id low = spe_uconvert(m, i32, x), high = spe_uconvert(m, i32, spe_shr_c_(m, x, 32));
        spe_id first = f == SPE_CLZ ? high : low, of_low = spe_count_in_32_(m, f, low);
        spe_id of_high = spe_count_in_32_(m, f, high), of_first = f == SPE_CLZ ? of_high : of_low;
        count = spe_iadd(m, of_low, of_high); /* all 32 of the first, and the second's */
        if (f != SPE_POPCOUNT) count = spe_select(m, spe_ieq_c_(m, first, 0), count, of_first);
    }
    return spe_uconvert(m, type, count);
}

XE_FN_ spe_id spe_rotate_(spe_module *m, spe_id x, spe_id n)
{
    uint32_t mask = spe_width(m, spe_type_of(m, x)) - 1;
    spe_id left = spe_shl(m, x, spe_and_c_(m, n, mask));
    return spe_or(m, left, spe_shr(m, x, spe_and_c_(m, spe_ineg(m, n), mask)));
}

/* The same value of 8 or 16 bits in 32; of 32 bits, itself. */
XE_FN_ spe_id spe_in_32_bits_(spe_module *m, spe_id x, bool is_signed)
{
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), x);
    if (spe_type_of(m, x) == i32) return x;
    return is_signed ? spe_sconvert(m, i32, x) : spe_uconvert(m, i32, x);
}

/* The upper half of a product. */
XE_FN_ spe_id spe_upper_(spe_module *m, spe_id a, spe_id b, bool is_signed)
{
    spe_id type = spe_type_of(m, a), zero = spe_const_u(m, type, 0);
    uint32_t bits = spe_width(m, type);
    if (bits < 32) {
        spe_id wide_a = spe_in_32_bits_(m, a, is_signed), wide_b = spe_in_32_bits_(m, b, is_signed);
        return spe_uconvert(m, type, spe_shr_c_(m, spe_imul(m, wide_a, wide_b), bits));
    }
    spe_id high = spe_high_product_(m, a, b);
    if (!is_signed) return high;
    high = spe_isub(m, high, spe_select(m, spe_slt(m, a, zero), b, zero));
    return spe_isub(m, high, spe_select(m, spe_slt(m, b, zero), a, zero));
}

/* The largest, or where x is negative, the smallest integer. */
XE_FN_ spe_id spe_limit_(spe_module *m, spe_id x)
{
    spe_id type = spe_type_of(m, x), sign = spe_sar_c_(m, x, spe_width(m, type) - 1);
    return spe_xor(m, sign, spe_shr_c_(m, spe_not(m, spe_const_u(m, type, 0)), 1));
}

/* a b + c that stops at the limits of its type. */
XE_FN_ spe_id spe_saturated_mad_(spe_module *m, bool is_signed, const spe_id *a)
{
    spe_id zero = spe_glsl_u_(m, a[0], 0), one = spe_glsl_u_(m, a[0], 1), low = spe_imul(m, a[0], a[1]);
    spe_id sum = spe_iadd(m, low, a[2]), carry = spe_select(m, spe_ult(m, sum, low), one, zero);
    spe_id up = spe_iadd(m, spe_upper_(m, a[0], a[1], is_signed), carry);
    if (!is_signed) {
        spe_id all = spe_not(m, zero);
        return spe_select(m, spe_ine(m, up, zero), all, sum);
    }
    uint32_t last = spe_width(m, spe_type_of(m, a[0])) - 1;
    up = spe_iadd(m, up, spe_sar_c_(m, a[2], last));
    spe_id over = spe_ine(m, up, spe_sar_c_(m, sum, last));
    return spe_select(m, over, spe_limit_(m, up), sum);
}

/* a + b and a - b that stop at the limits of their type. A signed sum passes them if its sign is neither a's nor b's, a
 * difference if a's sign is neither its own nor b's. */
XE_FN_ spe_id spe_saturated_(spe_module *m, spe_math_op f, spe_id a, spe_id b)
{
    bool sum = f == SPE_UADD_SAT || f == SPE_SADD_SAT;
    spe_id zero = spe_glsl_u_(m, a, 0), r = sum ? spe_iadd(m, a, b) : spe_isub(m, a, b);
    if (f == SPE_UADD_SAT) {
        spe_id all = spe_not(m, zero);
        return spe_select(m, spe_ult(m, r, a), all, r);
    }
    if (f == SPE_USUB_SAT) return spe_select(m, spe_ult(m, a, b), zero, r);
    spe_id turned = spe_xor(m, a, r), other = spe_xor(m, b, sum ? r : a);
    spe_id over = spe_slt(m, spe_and(m, turned, other), zero);
    return spe_select(m, over, spe_limit_(m, a), r);
}

/* x 2^n; each of four factors is in range, as products of them need not be. */
XE_FN_ spe_id spe_scaled_(spe_module *m, spe_id x, spe_id n)
{
    int limit = (int)spe_by_size_(m, x, 400, 2200);
    spe_id type = spe_type_of(m, x), ints = spe_int_like_(m, x);
    spe_id most = spe_const_i(m, spe_type_of(m, n), limit), least = spe_const_i(m, spe_type_of(m, n), -limit);
    spe_id below = spe_slt(m, n, least), above = spe_sgt(m, n, most);
    n = spe_select(m, above, most, spe_select(m, below, least, n));
    if (spe_type_of(m, n) != ints) n = spe_sconvert(m, ints, n);
    spe_id quarter = spe_sar_c_(m, n, 2), factor = spe_power_of_2_(m, quarter, type);
    spe_id rest = spe_isub(m, n, spe_imul(m, quarter, spe_glsl_u_(m, n, 3)));
    rest = spe_power_of_2_(m, rest, type);
    m->as_written = true;
    x = spe_fmul(m, spe_fmul(m, spe_fmul(m, x, factor), factor), factor);
    x = spe_fmul(m, x, rest);
    m->as_written = false;
    return x;
}

/* The exponent of x as a float. */
XE_FN_ spe_id spe_exponent_(spe_module *m, spe_id x)
{
    spe_id a = spe_glsl_abs_(m, x), infinity = spe_infinity_(m, x), least = spe_fneg(m, infinity), lift;
    uint32_t size = spe_bits_of_(m, x);
    spe_id e = spe_isub_c_(m, spe_shr_c_(m, spe_normal_bits_(m, a, &lift), spe_digits_(size)), spe_bias_(size));
    e = spe_s_to_f(m, spe_type_of(m, x), spe_isub(m, e, lift));
    e = spe_select(m, spe_feq(m, a, infinity), infinity, e);
    e = spe_select(m, spe_feq_c_(m, a, 0.0), least, e);
    return spe_unless_nan_(m, x, e);
}

/* The one that is farther from 0 (or nearer); of two as far, the larger (or smaller). */
XE_FN_ spe_id spe_by_magnitude_(spe_module *m, spe_id x, spe_id y, bool farther)
{
    spe_id ax = spe_glsl_abs_(m, x), ay = spe_glsl_abs_(m, y), same;
    same = spe_glsl_(m, farther ? SPE_GLSL_NMAX_ : SPE_GLSL_NMIN_, "llf=:=", x, y, 0);
    same = spe_select(m, farther ? spe_fgt(m, ax, ay) : spe_flt(m, ax, ay), x, same);
    return spe_select(m, farther ? spe_fgt(m, ay, ax) : spe_flt(m, ay, ax), y, same);
}

/* The next float after x towards y. */
XE_FN_ spe_id spe_next_(spe_module *m, spe_id x, spe_id y)
{
    spe_id bits = spe_bits_(m, x), up = spe_flt(m, x, y), positive = spe_sge(m, bits, spe_glsl_u_(m, bits, 0));
    spe_id one = spe_glsl_u_(m, bits, 1), more = spe_iadd(m, bits, one), less = spe_isub(m, bits, one);
    spe_id next = spe_select(m, spe_leq(m, up, positive), more, less);
    spe_id least = spe_glsl_u_(m, bits, spe_sign_bit_(spe_bits_of_(m, x)) + 1);
    spe_id after_0 = spe_select(m, up, one, least), is_0 = spe_feq_c_(m, x, 0.0);
    next = spe_of_bits_(m, x, spe_select(m, is_0, after_0, next));
    next = spe_select(m, spe_feq(m, x, y), y, next);
    return spe_unless_nan_(m, x, spe_unless_nan_(m, y, next));
}

/* Times 1 / pi. */
XE_FN_ spe_id spe_in_turns_(spe_module *m, spe_id x) { return spe_fmul_c_(m, x, 0.3183098861837907); }

/* |x - y| */
XE_FN_ spe_id spe_difference_(spe_module *m, spe_id x, spe_id y, bool is_signed)
{
    spe_id more = spe_isub(m, x, y), less = spe_isub(m, y, x);
    return spe_select(m, is_signed ? spe_sgt(m, x, y) : spe_ugt(m, x, y), more, less);
}

/* (x + y) / 2, rounded down or up, without a bit more than they have. */
XE_FN_ spe_id spe_mean_(spe_module *m, spe_id x, spe_id y, bool is_signed, bool up)
{
    spe_id both = up ? spe_or(m, x, y) : spe_and(m, x, y), rest = spe_xor(m, x, y);
    rest = is_signed ? spe_sar_c_(m, rest, 1) : spe_shr_c_(m, rest, 1);
    return up ? spe_isub(m, both, rest) : spe_iadd(m, both, rest);
}

/* Functions of integers that are made of others; 0 without an error: f is none of them. */
XE_FN_ spe_id spe_made_of_integers_(spe_module *m, spe_math_op f, const spe_id *a)
{
    spe_id x = a[0], y = a[1];
    switch (f) {
    case SPE_POPCOUNT: case SPE_CLZ: case SPE_CTZ: return spe_count_bits_(m, f, x);
    case SPE_ROTATE: return spe_rotate_(m, x, y);
    case SPE_UABS: return x;
    case SPE_SABS_DIFF: case SPE_UABS_DIFF: return spe_difference_(m, x, y, f == SPE_SABS_DIFF);
    case SPE_SHADD: case SPE_UHADD: return spe_mean_(m, x, y, f == SPE_SHADD, false);
    case SPE_SRHADD: case SPE_URHADD: return spe_mean_(m, x, y, f == SPE_SRHADD, true);
    case SPE_SMUL_HI: case SPE_UMUL_HI: return spe_upper_(m, x, y, f == SPE_SMUL_HI);
    case SPE_SMAD_HI: case SPE_UMAD_HI: return spe_iadd(m, spe_upper_(m, x, y, f == SPE_SMAD_HI), a[2]);
    case SPE_SMUL24: case SPE_UMUL24: return spe_imul(m, x, y);
    case SPE_SMAD24: case SPE_UMAD24: return spe_iadd(m, spe_imul(m, x, y), a[2]);
    case SPE_UADD_SAT: case SPE_USUB_SAT: case SPE_SADD_SAT: case SPE_SSUB_SAT: return spe_saturated_(m, f, x, y);
    case SPE_SMAD_SAT: case SPE_UMAD_SAT: return spe_saturated_mad_(m, f == SPE_SMAD_SAT, a);
    default: return 0;
    }
}

/* The same of floats of 32 and 64 bits. */
XE_FN_ spe_id spe_made_(spe_module *m, spe_math_op f, const spe_id *a)
{
    spe_id x = a[0], y = a[1];
    switch (f) {
    case SPE_EXP: case SPE_EXP2: case SPE_EXP10: case SPE_EXPM1: return spe_exponential_(m, f, x);
    case SPE_LOG: case SPE_LOG2: case SPE_LOG10: case SPE_LOG1P: return spe_logarithm_(m, f, x);
    case SPE_SIN: case SPE_SINPI: return spe_circular_(m, x, 's', f == SPE_SINPI);
    case SPE_COS: case SPE_COSPI: return spe_circular_(m, x, 'c', f == SPE_COSPI);
    case SPE_TAN: case SPE_TANPI: return spe_circular_(m, x, 't', f == SPE_TANPI);
    case SPE_ASIN: case SPE_ACOS: return spe_arc_sine_(m, x, f == SPE_ACOS);
    case SPE_ASINPI: case SPE_ACOSPI: return spe_in_turns_(m, spe_arc_sine_(m, x, f == SPE_ACOSPI));
    case SPE_ATAN: return spe_angle_(m, x, spe_glsl_f_(m, x, 1.0));
    case SPE_ATANPI: return spe_in_turns_(m, spe_angle_(m, x, spe_glsl_f_(m, x, 1.0)));
    case SPE_ATAN2: return spe_angle_(m, x, y);
    case SPE_ATAN2PI: return spe_in_turns_(m, spe_angle_(m, x, y));
    case SPE_SINH: case SPE_COSH: return spe_hyperbolic_(m, x, f == SPE_COSH);
    case SPE_ASINH: case SPE_ACOSH: case SPE_ATANH: return spe_hyperbolic_inverse_(m, f, x);
    case SPE_TANH: return spe_hyperbolic_tangent_(m, x);
    case SPE_ERF: return spe_error_function_(m, x);
    case SPE_ERFC: return spe_error_complement_(m, x);
    case SPE_POW: case SPE_POWR: return spe_power_(m, f, x, y);
    case SPE_POWN: case SPE_ROOTN: return spe_integer_power_(m, f, x, y);
    case SPE_CBRT: return spe_cube_root_(m, x);
    case SPE_HYPOT: return spe_hypotenuse_(m, x, y);
    case SPE_LDEXP: return spe_scaled_(m, x, y);
    case SPE_LOGB: return spe_exponent_(m, x);
    case SPE_COPYSIGN: return spe_signed_as_(m, spe_glsl_abs_(m, x), y);
    case SPE_NEXTAFTER: return spe_next_(m, x, y);
    default: return 0;
    }
}

/* x - y, 0 where x is not larger. */
XE_FN_ spe_id spe_excess_(spe_module *m, spe_id x, spe_id y)
{
    spe_id difference = spe_fsub(m, x, y), none = spe_null(m, spe_type_of(m, x));
    return spe_select(m, spe_fle(m, x, y), none, difference);
}

/* The same of floats of any size. */
XE_FN_ spe_id spe_made_of_floats_(spe_module *m, spe_math_op f, const spe_id *a)
{
    spe_id x = a[0], y = a[1];
    switch (f) {
    case SPE_ROUND: return spe_round_away_(m, x);
    case SPE_MAD: return spe_fadd(m, spe_fmul(m, x, y), a[2]);
    case SPE_FDIM: return spe_excess_(m, x, y);
    case SPE_MAXMAG: case SPE_MINMAG: return spe_by_magnitude_(m, x, y, f == SPE_MAXMAG);
    case SPE_NATIVE_RECIP: return spe_fdiv(m, spe_glsl_f_(m, x, 1.0), x);
    case SPE_NATIVE_DIVIDE: return spe_fdiv(m, x, y);
    case SPE_NATIVE_EXP10:
        return spe_glsl_(m, SPE_GLSL_EXP2_, "llf:=", spe_fmul_c_(m, x, 3.321928094887362), 0, 0);
    case SPE_NATIVE_LOG10: return spe_fmul_c_(m, spe_glsl_(m, SPE_GLSL_LOG2_, "llf:=", x, 0, 0), 0.3010299956639812);
    default: return 0;
    }
}

/* The function that is as accurate as OpenCL asks in place of one that GLSL has of 16 and 32 bits only. */
XE_FN_ spe_math_op spe_precise_(spe_math_op f)
{
    switch (f) {
    case SPE_NATIVE_EXP: return SPE_EXP;
    case SPE_NATIVE_EXP2: return SPE_EXP2;
    case SPE_NATIVE_EXP10: return SPE_EXP10;
    case SPE_NATIVE_LOG: return SPE_LOG;
    case SPE_NATIVE_LOG2: return SPE_LOG2;
    case SPE_NATIVE_LOG10: return SPE_LOG10;
    case SPE_NATIVE_SIN: return SPE_SIN;
    case SPE_NATIVE_COS: return SPE_COS;
    case SPE_NATIVE_TAN: return SPE_TAN;
    case SPE_NATIVE_POWR: return SPE_POWR;
    default: return f;
    }
}

/* A function of f32 and f64, for f16 by way of f32. */
XE_FN_ spe_id spe_made_in_parts_(spe_module *m, const char *name, spe_math_op f, uint32_t n, const spe_id *args)
{
    spe_id type = spe_type_of(m, args[0]), f32 = spe_vec_like(m, spe_float(m, 32), args[0]), a[3] = {0, 0, 0}, v;
    bool integer = f == SPE_LDEXP || f == SPE_POWN || f == SPE_ROOTN; /* the second operand */
    bool as_it_is = spe_width(m, type) != 16 || f == SPE_NEXTAFTER;
    for (uint32_t i = 0; i < n; i++) a[i] = as_it_is || (i && integer) ? args[i] : spe_fconvert(m, f32, args[i]);
    v = spe_made_(m, f, a);
    m->doing = name;
    if (!v) return spe_error_(m, SPE_ERR_ENVIRONMENT, "this header has no %s for Vulkan", name);
    return as_it_is ? v : spe_fconvert(m, type, v);
}

/* Does SPV_NV_cooperative_vector have the function for such a type? */
XE_FN_ bool spe_is_vector_math_(spe_math_op f, const spe_type_info *t)
{
    switch (f) {
    case SPE_FMIN: case SPE_FMAX: case SPE_FCLAMP: case SPE_SMIN: case SPE_SMAX: case SPE_SCLAMP: case SPE_UMIN:
    case SPE_UMAX: case SPE_UCLAMP: case SPE_FMA: case SPE_STEP: case SPE_NATIVE_EXP: case SPE_NATIVE_LOG:
        return t->kind == SPE_KIND_COOPVEC;
    default: return false;
    }
}

/* f of these arguments, which are checked. */
XE_FN_ spe_id spe_glsl_math_(spe_module *m, const char *name, spe_math_op f, const char *form, uint32_t n,
                             const spe_id *args)
{
    spe_id type = spe_type_of(m, args[0]), a[3] = {0, 0, 0}, v;
    uint32_t bits = spe_width(m, type);
    memcpy(a, args, n * sizeof *a);
    if (bits == 64) f = spe_precise_(f);
    if (spe_glsl_number_(f)) return spe_glsl_(m, spe_glsl_number_(f), form, a[0], a[1], a[2]);
    v = f >= SPE_SABS ? spe_made_of_integers_(m, f, a) : spe_made_of_floats_(m, f, a);
    m->doing = name;
    if (v || m->error.id) return v;
    if (f < SPE_SABS) return spe_made_in_parts_(m, name, f, n, args);
    return spe_error_(m, SPE_ERR_ENVIRONMENT, "this header has no %s for Vulkan", name);
}

/* vulkan_conversions.c - conversions with a rounding mode and saturation, made of other instructions. */

/* The largest or, negative, the smallest integer of a type, as an integer constant of it. */
XE_FN_ spe_id spe_extreme_(spe_module *m, spe_id type, bool is_signed, bool largest)
{
    uint32_t bits = spe_width(m, type);
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1, high = (uint64_t)1 << (bits - 1);
    if (is_signed) return spe_const_u(m, type, largest ? high - 1 : high);
    return spe_const_u(m, type, largest ? all : 0);
}

/* Floats to integers that stop at the limits; NaN becomes 0. */
XE_FN_ spe_id spe_float_to_saturated_(spe_module *m, spe_id type, spe_id v, bool to_signed, uint32_t rounding)
{
    static const spe_math_op round[] = {SPE_RINT, SPE_TRUNC, SPE_CEIL, SPE_FLOOR};
    spe_id from = spe_type_of(m, v), zero, low, high, most, least, inside, r;
    int bits = (int)spe_width(m, type);
    if (spe_width(m, from) == 16) v = spe_fconvert(m, from = spe_vec_like(m, spe_float(m, 32), v), v);
    if (rounding != UINT32_MAX) v = spe_math1(m, round[rounding], v);
    zero = spe_const_f(m, from, 0);
    double half = (double)((uint64_t)1 << (bits - 1));
    low = spe_const_f(m, from, to_signed ? -half : 0);
    high = spe_const_f(m, from, to_signed ? half : 2 * half);
    most = spe_fge(m, v, high);
    least = spe_fle(m, v, low);
    inside = spe_flt(m, v, high);
    inside = spe_land(m, inside, spe_fgt(m, v, low));
    v = spe_select(m, inside, v, zero);
    r = to_signed ? spe_f_to_s(m, type, v) : spe_f_to_u(m, type, v);
    zero = spe_extreme_(m, type, to_signed, true);
    r = spe_select(m, most, zero, r);
    zero = spe_extreme_(m, type, to_signed, false);
    return spe_select(m, least, zero, r);
}

/* Integers to others, clamped before they lose their upper bits or their sign. */
XE_FN_ spe_id spe_int_to_saturated_(spe_module *m, spe_id type, spe_id v, bool from_signed, bool to_signed)
{
    spe_id from = spe_type_of(m, v), limit;
    int wide = (int)spe_width(m, from), narrow = (int)spe_width(m, type);
    if (from_signed && !to_signed) {
        limit = spe_const_u(m, from, 0);
        v = spe_math2(m, SPE_SMAX, v, limit);
    }
    if (wide - from_signed > narrow - to_signed) { /* the largest of the result is in the operand's type */
        limit = spe_const_u(m, from, ((uint64_t)1 << (narrow - to_signed)) - 1);
        v = spe_math2(m, from_signed && to_signed ? SPE_SMIN : SPE_UMIN, v, limit);
    }
    if (from_signed && to_signed && wide > narrow) {
        limit = spe_const_i(m, from, -((int64_t)1 << (narrow - 1)));
        v = spe_math2(m, SPE_SMAX, v, limit);
    }
    return spe_cast(m, type, v, from_signed);
}

/* One step from y, of the integer type `bits`, towards 0 or, where `away`, from it: the next float. */
XE_FN_ spe_id spe_step_(spe_module *m, spe_id bits, spe_id y, spe_id away)
{
    spe_id one = spe_const_u(m, bits, 1), all = spe_not(m, spe_const_u(m, bits, 0));
    return spe_iadd(m, y, spe_select(m, away, one, all));
}

/* A float y that is v to nearest, rounded in another way: a step back where it was rounded too far. */
XE_FN_ spe_id spe_rerounded_(spe_module *m, spe_id v, spe_id y, uint32_t rounding)
{
    spe_id type = spe_type_of(m, y), bits = spe_vec_like(m, spe_int(m, spe_width(m, type)), y), back, off, b;
    back = spe_fconvert(m, spe_type_of(m, v), y);
    b = spe_bitcast(m, bits, y);
    spe_id zero = spe_const_u(m, bits, 0), sign;
    spe_id negative = spe_slt(m, b, zero), none = spe_feq(m, y, spe_null(m, type)), r;
    if (rounding == SPE_FPRoundingModeRTZ) {
        spe_id size = spe_math1(m, SPE_FABS, back);
        off = spe_fgt(m, size, spe_math1(m, SPE_FABS, v));
        r = spe_step_(m, bits, b, spe_lne(m, negative, negative));
    } else if (rounding == SPE_FPRoundingModeRTP) {
        off = spe_flt(m, back, v);
        sign = spe_const_u(m, bits, 1);
        r = spe_step_(m, bits, b, spe_lnot(m, negative));
        r = spe_select(m, none, sign, r);
    } else {
        off = spe_fgt(m, back, v);
        sign = spe_const_u(m, bits, ((uint64_t)1 << (spe_width(m, type) - 1)) + 1);
        r = spe_step_(m, bits, b, negative);
        r = spe_select(m, none, sign, r);
    }
    r = spe_bitcast(m, type, r);
    return spe_select(m, off, r, y);
}

/* A conversion for Vulkan, whose own between floats are to nearest. */
XE_FN_ spe_id spe_cast_in_parts_(spe_module *m, spe_id type, spe_id v, const spe_conversion *c)
{
    spe_id from = spe_type_of(m, v), f64;
    const spe_type_info *a = spe_info_(m, spe_scalar_of(m, from)), *b = spe_info_(m, spe_scalar_of(m, type));
    bool float_from = a->kind == SPE_KIND_FLOAT, float_to = b->kind == SPE_KIND_FLOAT;
    uint32_t mantissa = b->bits == 64 ? 53 : b->bits == 32 ? 24 : 11, mode = c->rounded ? c->rounding : UINT32_MAX;
    if (!float_to && float_from && !c->saturate && mode == UINT32_MAX) return spe_cast(m, type, v, c->to_signed);
    if (!float_to && float_from) return spe_float_to_saturated_(m, type, v, c->to_signed, mode);
    if (!float_to)
        return c->saturate ? spe_int_to_saturated_(m, type, v, c->from_signed, c->to_signed)
                           : spe_cast(m, type, v, c->from_signed);
    if (mode == UINT32_MAX || mode == SPE_FPRoundingModeRTE) return spe_cast(m, type, v, c->from_signed);
    if (float_from && b->bits >= a->bits) return spe_fconvert(m, type, v);
    if (float_from) return spe_rerounded_(m, v, spe_fconvert(m, type, v), mode);
    if (a->bits - c->from_signed <= mantissa) return spe_cast(m, type, v, c->from_signed);
    if (a->bits == 64)
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan converts integers of 64 bits to nearest floats only");
    f64 = spe_cast(m, spe_vec_like(m, spe_float(m, 64), v), v, c->from_signed); /* exact */
    return spe_rerounded_(m, f64, spe_fconvert(m, type, f64), mode);
}

/* local.c - local memory for Vulkan, whose pointers to it keep the type of what they point to and cannot be moved. It
 * is one array of 32-bit words, or of vectors of four (spe_shared_vectors), and a pointer is the offset in it, in
 * bytes, in a struct of its own for each type. */

/* A type of pointers to local memory, as Vulkan has them. */
XE_FN_ spe_id spe_raw_pointer_(spe_module *m, spe_id to)
{
    uint32_t w[2] = {SPE_StorageClassWorkgroup, to};
    return to ? spe_unique_(m, SPE_OpTypePointer, SPE_ID_TYPE_, 2, w) : 0;
}

/* The array that is Vulkan's local memory, made with the first variable in it; its length is written when the module is
 * complete. */
XE_FN_ bool spe_make_local_memory_(spe_module *m)
{
    uint32_t spec = SPE_LOCAL_WORDS_CONSTANT + 2 * (uint32_t)(m->entry_count - (m->open && m->fn.kernel));
    if (m->local_words) return true;
    spe_id word = spe_int(m, 32), length = spe_spec_const(m, word, 1, spec), pointer;
    m->local_length = m->buffer[SPE_SECTION_GLOBAL_].count - 1;
    if (m->local_vectors) {
        spe_id four = spe_u32(m, 4), words = length;
        word = spe_vec(m, word, 4);
        length = spe_new_id_(m, spe_int(m, 32), SPE_ID_CONSTANT_ | SPE_ID_SPEC_, 0);
        spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpSpecConstantOp, 5, spe_int(m, 32), length, SPE_OpUDiv, words, four);
    }
    pointer = spe_raw_pointer_(m, spe_array_sized(m, word, length));
    m->local_word_pointer = spe_raw_pointer_(m, spe_int(m, 32));
    if (m->error.id) return false;
    m->local_words = spe_new_id_(m, pointer, SPE_ID_GLOBAL_, 0);
    return spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpVariable, 3, pointer, m->local_words, SPE_StorageClassWorkgroup);
}

/* A variable in Vulkan's local memory: its offset. */
XE_FN_ spe_id spe_local_variable_(spe_module *m, spe_id ptr, spe_id type, spe_id initializer)
{
    uint64_t size = spe_size(m, type);
    uint32_t at = (m->local_bytes + 15) / 16 * 16;
    if (initializer) return SPE_ERROR_(m, ENVIRONMENT, "a variable in local memory is not initialized");
    if (!size) return SPE_ERROR_(m, TYPE, "%s in local memory", spe_text_(m, type));
    if (size > INT32_MAX - at) return SPE_ERROR_(m, LIMIT, "%llu bytes of local memory", (unsigned long long)size);
    spe_id offset = spe_u32(m, at), id = spe_make_local_memory_(m) ? spe_new_id_(m, ptr, SPE_ID_CONSTANT_, 0) : 0;
    m->local_bytes = at + (uint32_t)size;
    return id && spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpConstantComposite, 3, ptr, id, offset) ? id : 0;
}

/* The pointer that parameter i of a kernel is: the host sets its offset, the spec constant numbered i. */
XE_FN_ spe_id spe_local_param_(spe_module *m, spe_id ptr, uint32_t i)
{
    spe_id offset = spe_make_local_memory_(m) ? spe_spec_const(m, spe_int(m, 32), 0, i) : 0, id;
    id = offset ? spe_new_id_(m, ptr, SPE_ID_CONSTANT_ | SPE_ID_SPEC_, 0) : 0;
    return id && spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpSpecConstantComposite, 3, ptr, id, offset) ? id : 0;
}

XE_FN_ spe_id spe_op2_(spe_module *m, uint32_t op, spe_id type, spe_id a, spe_id b)
{
    uint32_t w[2] = {a, b};
    return spe_emit_one_(m, op, type, 2, w);
}

XE_FN_ spe_id spe_to_(spe_module *m, uint32_t op, spe_id type, spe_id v)
{
    return spe_type_of(m, v) == type ? v : spe_emit_one_(m, op, type, 1, &v);
}

XE_FN_ spe_id spe_local_offset_(spe_module *m, spe_id ptr)
{
    return spe_op2_(m, SPE_OpCompositeExtract, spe_int(m, 32), ptr, 0);
}

XE_FN_ spe_id spe_local_pointer_(spe_module *m, spe_id type, spe_id offset)
{
    return spe_emit_one_(m, SPE_OpCompositeConstruct, type, 1, &offset);
}

/* offset + index * bytes. */
XE_FN_ spe_id spe_local_step_(spe_module *m, spe_id offset, spe_id index, uint64_t bytes)
{
    spe_id i32 = spe_int(m, 32);
    uint64_t known;
    if (spe_const_bits(m, index, &known) && !known) return offset;
    index = spe_to_(m, SPE_OpSConvert, i32, index);
    if (bytes != 1) index = spe_op2_(m, SPE_OpIMul, i32, index, spe_u32(m, (uint32_t)bytes));
    return spe_op2_(m, SPE_OpIAdd, i32, offset, index);
}

/* A pointer to a part of what ptr points to, by n indices that are checked. */
XE_FN_ spe_id spe_local_element_(spe_module *m, spe_id type, spe_id ptr, uint32_t n, const uint32_t *index)
{
    spe_id offset = spe_local_offset_(m, ptr), pointee = spe_info_(m, spe_type_of(m, ptr))->elem;
    uint64_t member = 0;
    for (uint32_t i = 0; i < n; i++) {
        const spe_type_info *t = spe_info_(m, pointee);
        if (t->kind == SPE_KIND_STRUCT) {
            spe_const_bits(m, index[i], &member);
            spe_id i32 = spe_int(m, 32), before = spe_u32(m, (uint32_t)spe_offset(m, pointee, (uint32_t)member));
            offset = spe_op2_(m, SPE_OpIAdd, i32, offset, before);
            pointee = t->members[member];
        } else {
            pointee = t->elem;
            offset = spe_local_step_(m, offset, index[i], spe_size(m, pointee));
        }
    }
    return spe_local_pointer_(m, type, offset);
}

/* The address of the word that byte `offset` is in, `words` words on. */
XE_FN_ spe_id spe_local_word_(spe_module *m, spe_id offset, uint32_t words)
{
    spe_id i32 = spe_int(m, 32), at = spe_op2_(m, SPE_OpShiftRightLogical, i32, offset, spe_u32(m, 2));
    if (words) at = spe_op2_(m, SPE_OpIAdd, i32, at, spe_u32(m, words));
    spe_use_(m, m->local_words);
    if (!m->local_vectors) return spe_op2_(m, SPE_OpAccessChain, m->local_word_pointer, m->local_words, at);
    uint32_t w[3] = {m->local_words, 0, 0};
    w[1] = spe_op2_(m, SPE_OpShiftRightLogical, i32, at, spe_u32(m, 2));
    w[2] = spe_op2_(m, SPE_OpBitwiseAnd, i32, at, spe_u32(m, 3));
    return spe_emit_one_(m, SPE_OpAccessChain, m->local_word_pointer, 3, w);
}

XE_FN_ spe_id spe_load_word_(spe_module *m, spe_id at)
{
    return spe_op2_(m, SPE_OpLoad, spe_int(m, 32), at, SPE_MemoryAccessNonPrivatePointer);
}

XE_FN_ void spe_store_word_(spe_module *m, spe_id at, spe_id v)
{
    uint32_t w[3] = {at, v, SPE_MemoryAccessNonPrivatePointer};
    spe_emit_one_(m, SPE_OpStore, 0, 3, w);
}

/* Where the bits of a number smaller than a word begin in its word. */
XE_FN_ spe_id spe_local_shift_(spe_module *m, spe_id offset)
{
    spe_id i32 = spe_int(m, 32), byte = spe_op2_(m, SPE_OpBitwiseAnd, i32, offset, spe_u32(m, 3));
    return spe_op2_(m, SPE_OpShiftLeftLogical, i32, byte, spe_u32(m, 3));
}

/* Replaces the bits of a number smaller than a word; other invocations may write the word's other bits. */
XE_FN_ void spe_store_bits_(spe_module *m, spe_id offset, spe_id v, uint32_t bits)
{
    spe_id i32 = spe_int(m, 32), shift = spe_local_shift_(m, offset), mask = spe_u32(m, bits == 8 ? 0xff : 0xffff);
    uint32_t w[4] = {spe_local_word_(m, offset, 0), spe_u32(m, SPE_ScopeWorkgroup), spe_u32(m, 0), 0};
    v = spe_to_(m, SPE_OpUConvert, i32, spe_to_(m, SPE_OpBitcast, spe_int(m, bits), v));
    mask = spe_op2_(m, SPE_OpShiftLeftLogical, i32, mask, shift);
    w[3] = spe_emit_one_(m, SPE_OpNot, i32, 1, &mask);
    spe_emit_one_(m, SPE_OpAtomicAnd, i32, 4, w);
    w[3] = spe_op2_(m, SPE_OpShiftLeftLogical, i32, v, shift);
    spe_emit_one_(m, SPE_OpAtomicOr, i32, 4, w);
}

XE_FN_ spe_id spe_load_bits_(spe_module *m, spe_id type, spe_id offset, uint32_t bits)
{
    spe_id i32 = spe_int(m, 32), v = spe_load_word_(m, spe_local_word_(m, offset, 0));
    v = spe_op2_(m, SPE_OpShiftRightLogical, i32, v, spe_local_shift_(m, offset));
    return spe_to_(m, SPE_OpBitcast, type, spe_to_(m, SPE_OpUConvert, spe_int(m, bits), v));
}

/* How a scalar or vector of the type is accessed: this many words at once (1 to 4), 0: as the bits of a part of a word,
 * UINT32_MAX: component by component. */
XE_FN_ uint32_t spe_local_words_(const spe_module *m, spe_id type, uint32_t align)
{
    uint32_t bytes = spe_width(m, type) / 8 * spe_count(m, type);
    bool unaligned = align && align < 4 && bytes >= 4 && align < spe_alignment(m, type);
    if (bytes % 4 == 0 && bytes <= 16 && !unaligned) return bytes / 4;
    return bytes < 3 && spe_count(m, type) == 1 ? 0 : UINT32_MAX;
}

XE_FN_ bool spe_in_words_(spe_module *m, spe_id type)
{
    if (spe_width(m, type) >= 8) return true;
    return spe_error_(m, SPE_ERR_ENVIRONMENT, "%s in local memory; Vulkan's has numbers and vectors",
                      spe_text_(m, type));
}

XE_FN_ spe_id spe_load_local_(spe_module *m, spe_id type, spe_id offset, uint32_t align)
{
    uint32_t n = spe_local_words_(m, type, align), count = spe_count(m, type);
    spe_id v[4], scalar = spe_scalar_of(m, type);
    if (!spe_in_words_(m, type)) return 0;
    if (!n) return spe_load_bits_(m, type, offset, spe_width(m, type));
    if (n != UINT32_MAX) {
        for (uint32_t i = 0; i < n; i++) v[i] = spe_load_word_(m, spe_local_word_(m, offset, i));
        if (n > 1) v[0] = spe_emit_one_(m, SPE_OpCompositeConstruct, spe_vec(m, spe_int(m, 32), n), n, v);
        return spe_to_(m, SPE_OpBitcast, type, v[0]);
    }
    for (uint32_t i = 0; i < count; i++) {
        spe_id at = i ? spe_local_step_(m, offset, spe_u32(m, i), spe_size(m, scalar)) : offset;
        v[i] = spe_load_local_(m, scalar, at, 0);
    }
    return spe_emit_one_(m, SPE_OpCompositeConstruct, type, count, v);
}

XE_FN_ void spe_store_local_(spe_module *m, spe_id offset, spe_id v, uint32_t align)
{
    spe_id type = spe_type_of(m, v), scalar = spe_scalar_of(m, type);
    uint32_t n = spe_local_words_(m, type, align);
    if (!spe_in_words_(m, type)) return;
    if (!n) {
        spe_store_bits_(m, offset, v, spe_width(m, type));
    } else if (n != UINT32_MAX) {
        v = spe_to_(m, SPE_OpBitcast, spe_vec(m, spe_int(m, 32), n), v);
        for (uint32_t i = 0; i < n; i++) {
            spe_id word = n > 1 ? spe_op2_(m, SPE_OpCompositeExtract, spe_int(m, 32), v, i) : v;
            spe_store_word_(m, spe_local_word_(m, offset, i), word);
        }
    } else {
        for (uint32_t i = 0; i < spe_count(m, type); i++) {
            spe_id at = spe_local_step_(m, offset, spe_u32(m, i), spe_size(m, scalar));
            spe_store_local_(m, at, spe_op2_(m, SPE_OpCompositeExtract, scalar, v, i), 0);
        }
    }
}

/* Is it a pointer to local memory, as this file has them? */
XE_FN_ bool spe_is_offset_(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    return t && t->kind == SPE_KIND_POINTER && t->storage == SPE_StorageClassWorkgroup;
}

XE_FN_ bool spe_is_atomic_(uint32_t op)
{
    return (op >= SPE_OpAtomicLoad && op <= SPE_OpAtomicXor) || op == SPE_OpAtomicFAddEXT;
}

/* Does the instruction access local memory, or make a pointer to it of another? */
XE_FN_ bool spe_uses_local_(const spe_module *m, uint32_t op, uint32_t n, const uint32_t *operands)
{
    bool may = op == SPE_OpLoad || op == SPE_OpStore || op == SPE_OpBitcast || op == SPE_OpConvertPtrToU ||
               (op >= SPE_OpAccessChain && op <= SPE_OpInBoundsPtrAccessChain) ||
               spe_is_atomic_(op) || op >= SPE_OpTypeCooperativeMatrixKHR;
    return may && n && spe_is_offset_(m, spe_type_of(m, operands[0]));
}

/* An atomic operation on a word, of an integer or a float. */
XE_FN_ spe_id spe_local_atomic_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    uint32_t w[8];
    spe_id target = spe_info_(m, spe_type_of(m, operands[0]))->elem, i32 = spe_int(m, 32), f32 = spe_float(m, 32), id;
    bool moves = op == SPE_OpAtomicStore || op == SPE_OpAtomicExchange;
    if ((target != i32 && target != f32) || n > 8)
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "atomics of %s in local memory; Vulkan's here are of 32 bits",
                          spe_text_(m, target));
    memcpy(w, operands, n * sizeof *w);
    w[0] = spe_local_word_(m, spe_local_offset_(m, operands[0]), 0);
    if (moves) w[n - 1] = spe_to_(m, SPE_OpBitcast, i32, w[n - 1]);
    id = spe_emit_one_(m, op, type ? i32 : 0, n, w);
    return type ? spe_to_(m, SPE_OpBitcast, type, id) : id;
}

/* The number of a pointer to local memory is its offset there. */
XE_FN_ spe_id spe_local_number_(spe_module *m, spe_id type, spe_id ptr)
{
    return spe_to_(m, SPE_OpUConvert, type, spe_local_offset_(m, ptr));
}
XE_FN_ spe_id spe_local_of_number_(spe_module *m, spe_id type, spe_id number)
{
    return spe_local_pointer_(m, type, spe_to_(m, SPE_OpUConvert, spe_int(m, 32), number));
}

/* Writes such an instruction; vectors have at most four components. */
XE_FN_ spe_id spe_emit_local_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *w)
{
    const spe_type_info *t = spe_info_(m, spe_type_of(m, w[0]));
    uint32_t access = op == SPE_OpStore ? 2 : 1, align = n > access + 1 ? w[access + 1] : 0;
    spe_id offset;
    switch (op) {
    case SPE_OpLoad: return spe_load_local_(m, type, spe_local_offset_(m, w[0]), align);
    case SPE_OpStore: spe_store_local_(m, spe_local_offset_(m, w[0]), w[1], align); return 0;
    case SPE_OpBitcast: return spe_local_pointer_(m, type, spe_local_offset_(m, w[0]));
    case SPE_OpConvertPtrToU: return spe_local_number_(m, type, w[0]);
    case SPE_OpAccessChain: case SPE_OpInBoundsAccessChain: return spe_local_element_(m, type, w[0], n - 1, w + 1);
    case SPE_OpPtrAccessChain:
        offset = spe_local_step_(m, spe_local_offset_(m, w[0]), w[1], spe_size(m, t->elem));
        return spe_local_pointer_(m, type, offset);
    default:
        if (spe_is_atomic_(op)) return spe_local_atomic_(m, op, type, n, w);
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan's local memory has no such access (instruction %u)", op);
    }
}

/* The address of a vector of 16 bytes: `index` after the first that `vectors` points to. */
XE_FN_ spe_id spe_local_vector_(spe_module *m, spe_id vectors, spe_id index)
{
    spe_id i32 = spe_int(m, 32), pointer = spe_raw_pointer_(m, spe_vec(m, i32, 4)), at = spe_local_offset_(m, vectors);
    at = spe_op2_(m, SPE_OpShiftRightLogical, i32, at, spe_u32(m, 4));
    at = spe_op2_(m, SPE_OpIAdd, i32, at, spe_to_(m, SPE_OpSConvert, i32, index));
    spe_use_(m, m->local_words);
    return spe_op2_(m, SPE_OpAccessChain, pointer, m->local_words, at);
}

/* A row's bytes (row-major) or a column's, at most 16: what the matrix's address and stride are multiples of. */
XE_FN_ uint32_t spe_coop_alignment_(const spe_module *m, spe_id type, spe_id layout)
{
    const spe_type_info *t = spe_info_(m, type);
    uint64_t order = 0;
    spe_const_bits(m, layout, &order);
    uint32_t bytes = (order == SPE_CooperativeMatrixLayoutRowMajorKHR ? t->cols : t->rows) * spe_width(m, t->elem) / 8;
    return bytes < 16 ? bytes : 16;
}

/* Writes a load (operands: pointer, layout, stride) or store (pointer, matrix, layout, stride) of a cooperative matrix
 * for Vulkan: addresses are aligned, and offsets in local memory become pointers to words. */
XE_FN_ spe_id spe_emit_coop_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    uint32_t w[6], order = op == SPE_OpCooperativeMatrixStoreKHR ? 2 : 1;
    const spe_type_info *pointer = spe_info_(m, spe_type_of(m, operands[0]));
    spe_id matrix = type ? type : spe_type_of(m, operands[1]);
    memcpy(w, operands, n * sizeof *w);
    if (pointer->storage == SPE_StorageClassWorkgroup) {
        uint64_t stride = 0, bytes = spe_size(m, pointer->elem);
        if (!spe_const_bits(m, w[order + 1], &stride) || stride * bytes % 4)
            return spe_error_(m, SPE_ERR_ENVIRONMENT, "in Vulkan's local memory, the stride is a constant multiple of "
                              "4 bytes");
        w[0] = spe_local_word_(m, spe_local_offset_(m, w[0]), 0);
        w[order + 1] = spe_u32(m, (uint32_t)(stride * bytes / 4));
        w[n++] = SPE_MemoryAccessNonPrivatePointer;
    } else {
        w[n++] = SPE_MemoryAccessAligned | SPE_MemoryAccessNonPrivatePointer;
        w[n++] = spe_coop_alignment_(m, matrix, w[order]);
    }
    return spe_emit_one_(m, op, type, n, w);
}

/* float_atomics.c - atomics of floats for Vulkan, of whose devices few have them: by those of integers. */

/* Where an atomic works, and how, as the program says. */
typedef struct {
    spe_id pointer;
    uint32_t scope, semantics;
} spe_atomic_operands_;

/* That of an instruction's first three operands, whose semantics are as Vulkan writes them. */
XE_FN_ spe_atomic_operands_ spe_atomic_operands_of_(const spe_module *m, const uint32_t *operands)
{
    const uint64_t of_orders = SPE_MemorySemanticsMakeAvailable | SPE_MemorySemanticsMakeVisible;
    uint64_t scope = 0, semantics = 0;
    spe_const_bits(m, operands[1], &scope);
    spe_const_bits(m, operands[2], &semantics);
    semantics &= ~of_orders;
    if (semantics & SPE_MemorySemanticsUniformMemory)
        semantics ^= SPE_MemorySemanticsUniformMemory | SPE_MemorySemanticsCrossWorkgroupMemory;
    spe_atomic_operands_ at = {operands[0], (uint32_t)scope, (uint32_t)semantics};
    return at;
}

XE_FN_ bool spe_is_extreme_(uint32_t op) { return op == SPE_OpAtomicFMinEXT || op == SPE_OpAtomicFMaxEXT; }

/* The smallest or largest of floats of 32 or 64 bits. Numbers without a sign are in the order of their bits, those with
 * one in the opposite order, which is that of the bits without a sign. So of two operations one gets the operand, the
 * other what changes nothing, as both do where it is NaN. */
XE_FN_ spe_id spe_float_extreme_(spe_module *m, uint32_t op, spe_atomic_operands_ at, spe_id v)
{
    bool least = op == SPE_OpAtomicFMinEXT;
    spe_id type = spe_type_of(m, v), integer = spe_int(m, spe_width(m, type));
    uint64_t high = (uint64_t)1 << (spe_width(m, type) - 1);
    spe_id for_plus = spe_const_u(m, integer, least ? high - 1 : high), zero = spe_const_u(m, integer, 0);
    spe_id for_minus = least ? zero : spe_const_u(m, integer, high | (high - 1));
    spe_id ptr = spe_ptr_cast(m, at.pointer, integer);
    spe_id bits = spe_bitcast(m, integer, v), number = spe_feq(m, v, v), minus = spe_slt(m, bits, zero);
    spe_id plus = spe_land(m, spe_lnot(m, minus), number);
    spe_id first = spe_atomic(m, least ? SPE_ATOMIC_SMIN : SPE_ATOMIC_SMAX, ptr, spe_select(m, plus, bits, for_plus),
                              at.scope, at.semantics);
    minus = spe_land(m, minus, number);
    spe_id second = spe_atomic(m, least ? SPE_ATOMIC_UMAX : SPE_ATOMIC_UMIN, ptr,
                               spe_select(m, minus, bits, for_minus), at.scope, at.semantics);
    return spe_bitcast(m, type, spe_select(m, minus, second, first));
}

/* A word in memory, and where the bits of a number in it begin; 0: it is the word. */
typedef struct {
    spe_id pointer, shift;
} spe_word_field_;

XE_FN_ spe_word_field_ spe_word_field_of_(spe_module *m, spe_id pointer, uint32_t bits)
{
    spe_id i32 = spe_int(m, 32), i64 = spe_int(m, 64), address, first_byte;
    spe_word_field_ word = {0, 0};
    if (bits == 32) {
        word.pointer = spe_ptr_cast(m, pointer, i32);
        return word;
    }
    address = spe_ptr_to_u(m, i64, pointer);
    first_byte = spe_uconvert(m, i32, address);
    first_byte = spe_and(m, first_byte, spe_u32(m, 3));
    word.shift = spe_shl(m, first_byte, spe_u32(m, 3));
    address = spe_and(m, address, spe_u64(m, ~(uint64_t)3));
    word.pointer = spe_u_to_ptr(m, spe_ptr(m, spe_info_(m, spe_type_of(m, pointer))->storage, i32), address);
    return word;
}

/* The number of the type in the bits of a word. */
XE_FN_ spe_id spe_word_number_(spe_module *m, const spe_word_field_ *word, spe_id bits, spe_id type)
{
    if (!word->shift) return spe_bitcast(m, type, bits);
    spe_id i16 = spe_int(m, 16);
    bits = spe_shr(m, bits, word->shift);
    return spe_bitcast(m, type, spe_uconvert(m, i16, bits));
}

/* A word's bits with the number in place of what was there. */
XE_FN_ spe_id spe_word_with_(spe_module *m, const spe_word_field_ *word, spe_id old, spe_id number)
{
    spe_id i32 = spe_int(m, 32), mask, bits;
    if (!word->shift) return spe_bitcast(m, i32, number);
    mask = spe_not(m, spe_shl(m, spe_u32(m, 0xffff), word->shift));
    bits = spe_uconvert(m, i32, spe_bitcast(m, spe_int(m, 16), number));
    bits = spe_shl(m, bits, word->shift);
    return spe_or(m, spe_and(m, old, mask), bits);
}

/* What memory is to have instead of `old`: the sum with v, or v if it is less or greater, or the only number. */
XE_FN_ spe_id spe_float_next_(spe_module *m, uint32_t op, spe_id old, spe_id v)
{
    if (op == SPE_OpAtomicFAddEXT) return spe_fadd(m, old, v);
    spe_id stays = op == SPE_OpAtomicFMinEXT ? spe_fle(m, old, v) : spe_fge(m, old, v);
    stays = spe_lor(m, stays, spe_lnot(m, spe_feq(m, v, v)));
    return spe_select(m, stays, old, v);
}

/* An operation on a float of 16 or 32 bits: compare-exchange of its word until nobody came between. */
XE_FN_ spe_id spe_float_loop_(spe_module *m, uint32_t op, spe_atomic_operands_ at, spe_id v)
{
    spe_id type = spe_type_of(m, v), carried[2];
    spe_word_field_ word = spe_word_field_of_(m, at.pointer, spe_width(m, type));
    carried[0] = spe_atomic_load(m, word.pointer, at.scope, 0);
    carried[1] = spe_const_bool(m, true);
    spe_while(m, 2, carried);
    spe_id old = carried[0];
    spe_while_test(m, carried[1]);
    spe_id next = spe_float_next_(m, op, spe_word_number_(m, &word, old, type), v);
    next = spe_word_with_(m, &word, old, next);
    carried[0] = spe_atomic_cas(m, word.pointer, old, next, at.scope, at.semantics);
    carried[1] = spe_ine(m, carried[0], old);
    spe_endwhile(m, 2, carried);
    return spe_word_number_(m, &word, carried[0], type);
}

/* Is the instruction, on what the pointer points to, one that is written by those of integers? */
XE_FN_ bool spe_is_float_atomic_(const spe_module *m, uint32_t op, spe_id pointer)
{
    spe_id type = spe_type_of(m, pointer);
    bool sum = op == SPE_OpAtomicFAddEXT;
    if (!sum && !spe_is_extreme_(op)) return false;
    uint32_t bits = spe_width(m, spe_info_(m, type)->elem);
    return bits == 16 || !sum || (bits == 32 && spe_is_offset_(m, type));
}

XE_FN_ spe_id spe_float_atomic_(spe_module *m, uint32_t op, const uint32_t *operands)
{
    spe_atomic_operands_ at = spe_atomic_operands_of_(m, operands);
    if (spe_is_extreme_(op) && spe_width(m, spe_type_of(m, operands[3])) > 16)
        return spe_float_extreme_(m, op, at, operands[3]);
    return spe_float_loop_(m, op, at, operands[3]);
}

/* pieces.c - writes instructions into the open function. Vulkan's vectors have at most four components: larger ones are
 * arrays of those, their pieces, and an instruction on them becomes one for each piece. */

enum { SPE_PIECE_ = 4, SPE_PIECES_MAX_ = 4 };

XE_FN_ spe_id spe_two_(spe_module *m, uint32_t op, spe_id type, spe_id a, spe_id b)
{
    uint32_t w[2] = {a, b};
    return spe_emit_one_(m, op, type, 2, w);
}

XE_FN_ spe_id spe_choose_(spe_module *m, spe_id type, spe_id flag, spe_id yes, spe_id no)
{
    uint32_t w[3] = {flag, yes, no};
    return spe_emit_one_(m, SPE_OpSelect, type, 3, w);
}

/* A 0 of 64 bits that compilers do not recognise: no work-group has the number of groups for its own. One a function,
 * as built-ins. */
XE_FN_ spe_id spe_hidden_zero_(spe_module *m)
{
    const bool was = m->in_prologue;
    spe_id *zero = &m->fn.zero[8], u64 = spe_int(m, 64), group, groups, one, none;
    if (*zero) return *zero;
    one = spe_const_u(m, u64, 1), none = spe_const_u(m, u64, 0);
    group = spe_builtin(m, SPE_GROUP_ID, 0), groups = spe_builtin(m, SPE_GROUP_COUNT, 0);
    m->in_prologue = true;
    *zero = spe_choose_(m, u64, spe_two_(m, SPE_OpIEqual, spe_bool(m), group, groups), one, none);
    m->in_prologue = was;
    return *zero;
}

/* Quotients and remainders of 64 bits: NVIDIA's compiler (580.159.04) divides by a call, and adds a constant to what
 * the next call has left where the result was, if that comes between. Of v | 0 it does not. */
XE_FN_ spe_id spe_hide_quotient_(spe_module *m, spe_id type, spe_id v)
{
    spe_id zero, copies[16], *copy;
    const uint32_t n = spe_count(m, type);
    if (spe_width(m, type) < 64) return v;
    zero = spe_hidden_zero_(m), copy = spe_repeat_(m, zero, n, copies);
    if (n > 1 && copy) zero = spe_emit_one_(m, SPE_OpCompositeConstruct, type, n, copy);
    return spe_two_(m, SPE_OpBitwiseOr, type, v, zero);
}

/* The remainder with the dividend's sign, or (SMod) the divisor's: Vulkan's own are undefined for negative numbers. */
XE_FN_ spe_id spe_remainder_(spe_module *m, uint32_t op, spe_id type, spe_id a, spe_id b)
{
    uint32_t n = spe_count(m, type);
    spe_id r = spe_two_(m, SPE_OpIMul, type, spe_two_(m, SPE_OpSDiv, type, a, b), b), zero, flag, other, differs;
    r = spe_hide_quotient_(m, type, spe_two_(m, SPE_OpISub, type, a, r));
    if (op == SPE_OpSRem) return r;
    zero = spe_const_u(m, type, 0);
    flag = n > 1 ? spe_vec(m, spe_bool(m), n) : spe_bool(m);
    differs = spe_two_(m, SPE_OpBitwiseXor, type, r, b);
    differs = spe_two_(m, SPE_OpSLessThan, flag, differs, zero);
    other = spe_two_(m, SPE_OpINotEqual, flag, r, zero);
    differs = spe_two_(m, SPE_OpLogicalAnd, flag, differs, other);
    other = spe_two_(m, SPE_OpIAdd, type, r, b);
    return spe_choose_(m, type, differs, other, r);
}

XE_FN_ spe_id spe_put_one_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands);

/* f64 to f16 or bf16, which drivers convert to f32 and then round again. So what f32 lacks of it becomes one bit, the
 * last that f32 has: such a number is neither exact nor halfway in 16 bits. By its bits, as drivers also leave out a
 * conversion to f32 and back. */
XE_FN_ spe_id spe_f64_to_16_bits_(spe_module *m, spe_id type, spe_id v)
{
    const uint64_t lost_bits = 0x1fffffff, last_bit = 0x20000000;
    spe_id i64 = spe_vec_like(m, spe_int(m, 64), v), f32 = spe_vec_like(m, spe_float(m, 32), v);
    spe_id flag = spe_vec_like(m, spe_bool(m), v), zero = spe_const_u(m, i64, 0), last = spe_const_u(m, i64, last_bit);
    spe_id below = spe_const_u(m, i64, lost_bits), above = spe_const_u(m, i64, ~lost_bits);
    spe_id bits = spe_emit_one_(m, SPE_OpBitcast, i64, 1, &v), lost = spe_two_(m, SPE_OpBitwiseAnd, i64, bits, below);
    spe_id kept = spe_two_(m, SPE_OpBitwiseAnd, i64, bits, above);
    last = spe_choose_(m, i64, spe_two_(m, SPE_OpINotEqual, flag, lost, zero), last, zero);
    bits = spe_two_(m, SPE_OpBitwiseOr, i64, kept, last);
    v = spe_emit_one_(m, SPE_OpBitcast, spe_type_of(m, v), 1, &bits);
    v = spe_emit_one_(m, SPE_OpFConvert, f32, 1, &v); /* exact */
    return spe_put_one_(m, SPE_OpFConvert, type, 1, &v);
}

/* A function of GLSL.std.450 of n operands. */
XE_FN_ spe_id spe_ext_(spe_module *m, uint32_t number, spe_id type, uint32_t n, spe_id a, spe_id b, spe_id c)
{
    uint32_t w[5] = {spe_math_set_(m), number, a, b, c};
    return spe_emit_one_(m, SPE_OpExtInst, type, 2 + n, w);
}

/* The remainder of floats with the dividend's sign, which drivers compute with the errors of a rounded quotient: the
 * dividend less a multiple of the divisor, which is exact even where the multiple is not the nearest; twice, for
 * quotients up to 2^44 (2^100 of f64); then a step where the last multiple was too large or too small. */
XE_FN_ spe_id spe_float_remainder_(spe_module *m, spe_id type, spe_id a, spe_id b)
{
    if (spe_width(m, type) == 16) {
        spe_id f32 = spe_vec_like(m, spe_float(m, 32), a);
        a = spe_put_one_(m, SPE_OpFConvert, f32, 1, &a), b = spe_put_one_(m, SPE_OpFConvert, f32, 1, &b);
        a = spe_float_remainder_(m, f32, a, b); /* f16 has it, too */
        return spe_put_one_(m, SPE_OpFConvert, type, 1, &a);
    }
    spe_id flag = spe_vec_like(m, spe_bool(m), a), zero = spe_null(m, type), r = a, sign, more, less, negative;
    for (int i = 0; i < 2; i++) {
        spe_id q = spe_ext_(m, SPE_GLSL_TRUNC_, type, 1, spe_two_(m, SPE_OpFDiv, type, r, b), 0, 0);
        r = spe_ext_(m, SPE_GLSL_FMA_, type, 3, spe_emit_one_(m, SPE_OpFNegate, type, 1, &q), b, r);
    }
    spe_id size = spe_ext_(m, SPE_GLSL_FABS_, type, 1, b, 0, 0), whole = spe_ext_(m, SPE_GLSL_FABS_, type, 1, a, 0, 0);
    negative = spe_two_(m, SPE_OpFOrdLessThan, flag, a, zero);
    r = spe_choose_(m, type, negative, spe_emit_one_(m, SPE_OpFNegate, type, 1, &r), r); /* as if a were positive */
    more = spe_two_(m, SPE_OpFAdd, type, r, size);
    r = spe_choose_(m, type, spe_two_(m, SPE_OpFOrdLessThan, flag, r, zero), more, r);
    less = spe_two_(m, SPE_OpFSub, type, r, size);
    r = spe_choose_(m, type, spe_two_(m, SPE_OpFOrdGreaterThanEqual, flag, r, size), less, r);
    sign = spe_emit_one_(m, SPE_OpFNegate, type, 1, &r);
    r = spe_choose_(m, type, negative, sign, r);
    return spe_choose_(m, type, spe_two_(m, SPE_OpFOrdLessThan, flag, whole, size), a, r);
}

enum { SPE_OP_QUANTIZE_TO_F16_ = 116 };

/* The operands of n that an instruction's result may have bits of: from *first up to *last; false if it computes. */
XE_FN_ bool spe_passes_bits_(uint32_t op, uint32_t n, uint32_t *first, uint32_t *last)
{
    *first = 0, *last = n;
    switch (op) {
    case SPE_OpBitcast: case SPE_OpFNegate: case SPE_OpUConvert: case SPE_OpSConvert: case SPE_OpCopyObject:
    case SPE_OpCompositeConstruct: case SPE_OpBitwiseAnd: case SPE_OpBitwiseOr: case SPE_OpBitwiseXor:
    case SPE_OpBitFieldInsert: case SPE_OpBitFieldUExtract: case SPE_OpBitFieldSExtract:
    case SPE_OpShiftLeftLogical: case SPE_OpShiftRightLogical: case SPE_OpShiftRightArithmetic: return true;
    case SPE_OpSelect: *first = 1; return true;
    case SPE_OpCompositeExtract: case SPE_OpVectorExtractDynamic: *last = 1; return true;
    case SPE_OpVectorShuffle: case SPE_OpCompositeInsert: case SPE_OpVectorInsertDynamic: *last = 2; return true;
    case SPE_OpGroupNonUniformShuffle: case SPE_OpGroupNonUniformShuffleXor: case SPE_OpGroupNonUniformShuffleUp:
    case SPE_OpGroupNonUniformShuffleDown: case SPE_OpGroupNonUniformBroadcast:
    case SPE_OpGroupNonUniformBroadcastFirst: *first = 1, *last = 2; return true; /* the scope is before it */
    default: return false;
    }
}

/* Marks the result of an instruction if it is kept. What is called may return f16 that it computed, and variables of an
 * item are registers. */
XE_FN_ spe_id spe_mark_half_(spe_module *m, uint32_t op, spe_id type, spe_id id, uint32_t n, const uint32_t *operands)
{
    uint32_t first, last, storage;
    bool kept;
    if (!id || !type) return id;
    if (op == SPE_OpLoad) {
        storage = spe_info_(m, spe_type_of(m, operands[0]))->storage;
        kept = storage != SPE_StorageClassFunction && storage != SPE_StorageClassPrivate;
    } else if (spe_passes_bits_(op, n, &first, &last)) {
        while (first < last && spe_is_kept_(m, operands[first])) first++;
        kept = first >= last;
    } else kept = !spe_is_half_(m, type) && op != SPE_OpFunctionCall;
    if (kept) m->ids[id].flags |= SPE_ID_KEPT_HALF_;
    return id;
}

/* Is it a conversion from f16 that may not have been rounded? */
XE_FN_ bool spe_widens_half_(const spe_module *m, uint32_t op, spe_id type, spe_id v)
{
    return op == SPE_OpFConvert && spe_width(m, type) > 16 && spe_is_half_(m, spe_type_of(m, v)) &&
           !spe_is_kept_(m, v);
}

/* f32, or f64 by way of it, of such an f16: as f32 rounded again to what f16 has. That flushes what is below f16's
 * normal range, where a sum with 1/2 rounds to the multiples of 2^-24 that f16 has. */
XE_FN_ spe_id spe_widened_half_(spe_module *m, spe_id type, spe_id v)
{
    spe_id f32 = spe_vec_like(m, spe_float(m, 32), v);
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), v), flag = spe_vec_like(m, spe_bool(m), v), small, rounded, below;
    spe_id half = spe_const_f(m, f32, 0.5), least = spe_const_f(m, f32, 0x1p-14);
    spe_id mask = spe_const_u(m, i32, 0x80000000), wide = spe_emit_one_(m, SPE_OpFConvert, f32, 1, &v);
    bool as_written = m->as_written;
    rounded = spe_emit_one_(m, SPE_OP_QUANTIZE_TO_F16_, f32, 1, &wide);
    spe_id size = spe_ext_(m, SPE_GLSL_FABS_, f32, 1, wide, 0, 0);
    below = spe_two_(m, SPE_OpFOrdLessThan, flag, size, least);
    m->as_written = true;
    uint32_t add[2] = {size, half}, less[2] = {0, half};
    less[0] = spe_put_one_(m, SPE_OpFAdd, f32, 2, add);
    small = spe_put_one_(m, SPE_OpFSub, f32, 2, less);
    m->as_written = as_written;
    spe_id bits = spe_emit_one_(m, SPE_OpBitcast, i32, 1, &wide);
    bits = spe_two_(m, SPE_OpBitwiseAnd, i32, bits, mask);
    small = spe_emit_one_(m, SPE_OpBitcast, i32, 1, &small);
    small = spe_two_(m, SPE_OpBitwiseOr, i32, small, bits);
    small = spe_emit_one_(m, SPE_OpBitcast, f32, 1, &small);
    v = spe_choose_(m, f32, below, small, rounded);
    return type == f32 ? v : spe_emit_one_(m, SPE_OpFConvert, type, 1, &v);
}

/* Writes an instruction on vectors that Vulkan has. */
XE_FN_ spe_id spe_put_one_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    if (op == SPE_OpCooperativeMatrixLoadKHR || op == SPE_OpCooperativeMatrixStoreKHR)
        return spe_emit_coop_(m, op, type, n, operands);
    if (op == SPE_OpSRem || op == SPE_OpSMod) return spe_remainder_(m, op, type, operands[0], operands[1]);
    if (n && spe_is_float_atomic_(m, op, operands[0])) return spe_float_atomic_(m, op, operands);
    if (op == SPE_OpFRem) return spe_float_remainder_(m, type, operands[0], operands[1]);
    if (n && spe_widens_half_(m, op, type, operands[0])) return spe_widened_half_(m, type, operands[0]);
    if (op == SPE_OpFConvert && spe_width(m, type) == 16 && spe_width(m, spe_type_of(m, operands[0])) == 64)
        return spe_f64_to_16_bits_(m, type, operands[0]);
    if (op == SPE_OpConvertUToPtr && spe_is_offset_(m, type)) return spe_local_of_number_(m, type, operands[0]);
    bool local = spe_uses_local_(m, op, n, operands);
    spe_id id = local ? spe_emit_local_(m, op, type, n, operands) : spe_emit_one_(m, op, type, n, operands);
    if (!local && m->as_written && id && spe_contracts_(op))
        spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 2, id, SPE_DecorationNoContraction);
    if (op == SPE_OpUDiv || op == SPE_OpSDiv || op == SPE_OpUMod) return spe_hide_quotient_(m, type, id);
    return spe_mark_half_(m, op, type, id, n, operands);
}

XE_FN_ spe_id spe_piece_type_(spe_module *m, spe_id type) { return spe_vec(m, spe_scalar_of(m, type), SPE_PIECE_); }

/* Piece or component i of a value, or with i2 component i2 of its piece i. */
XE_FN_ spe_id spe_part_(spe_module *m, spe_id type, spe_id v, uint32_t i, uint32_t i2)
{
    uint32_t w[3] = {v, i, i2};
    return spe_put_one_(m, SPE_OpCompositeExtract, type, i2 == UINT32_MAX ? 2 : 3, w);
}

/* Component i of a vector. */
XE_FN_ spe_id spe_component_(spe_module *m, spe_id v, uint32_t i)
{
    spe_id type = spe_type_of(m, v), scalar = spe_scalar_of(m, type);
    if (type == scalar) return v;
    if (!spe_pieces_(m, type)) return spe_part_(m, scalar, v, i, UINT32_MAX);
    return spe_part_(m, scalar, v, i / SPE_PIECE_, i % SPE_PIECE_);
}

/* A vector of the type from its components. */
XE_FN_ spe_id spe_of_components_(spe_module *m, spe_id type, const spe_id *v)
{
    spe_id piece[SPE_PIECES_MAX_];
    uint32_t pieces = spe_pieces_(m, type);
    if (spe_count(m, type) == 1) return v[0];
    if (!pieces) return spe_put_one_(m, SPE_OpCompositeConstruct, type, spe_count(m, type), v);
    for (uint32_t i = 0; i < pieces; i++)
        piece[i] = spe_put_one_(m, SPE_OpCompositeConstruct, spe_piece_type_(m, type), SPE_PIECE_, v + i * SPE_PIECE_);
    return spe_put_one_(m, SPE_OpCompositeConstruct, type, pieces, piece);
}

/* The operands that may be vectors in pieces: from *first, this many. The others are literals, or are not taken apart.
 * */
XE_FN_ uint32_t spe_vector_operands_(uint32_t op, uint32_t n, uint32_t *first)
{
    *first = op == SPE_OpExtInst ? 2 : op == SPE_OpStore ? 1 : 0;
    switch (op) {
    case SPE_OpFunctionCall: case SPE_OpCopyObject: case SPE_OpLoad: case SPE_OpAccessChain:
    case SPE_OpInBoundsAccessChain: case SPE_OpPtrAccessChain: return 0;
    case SPE_OpCompositeExtract: case SPE_OpStore: return 1;
    case SPE_OpCompositeInsert: case SPE_OpVectorShuffle: return 2;
    default: return n - *first;
    }
}

/* Is it a pointer that is an address? */
XE_FN_ bool spe_is_address_(const spe_module *m, spe_id ptr)
{
    const spe_type_info *t = spe_info_(m, spe_type_of(m, ptr));
    return t && spe_storage_(m, t->storage) == SPE_StorageClassPhysicalStorageBuffer;
}

/* The number of pieces that the instruction must be divided into; 0: the environment has it. */
XE_FN_ uint32_t spe_must_divide_(const spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    uint32_t first, count = spe_vector_operands_(op, n, &first), pieces = 0;
    if (op == SPE_OpFunctionCall || op == SPE_OpCopyObject) return 0;
    bool access = op == SPE_OpLoad || op == SPE_OpStore;
    if (access && !spe_is_address_(m, operands[0]) && !spe_uses_local_(m, op, n, operands)) return 0;
    if (type) pieces = spe_pieces_(m, type);
    for (uint32_t i = first; i < first + count && !pieces; i++) pieces = spe_pieces_(m, spe_type_of(m, operands[i]));
    return pieces;
}

/* An instruction that works component by component; `type` is the result's, in pieces. */
XE_FN_ spe_id spe_each_piece_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands,
                              uint32_t pieces, spe_id *piece)
{
    uint32_t first, count = spe_vector_operands_(op, n, &first), w[16];
    for (uint32_t p = 0; p < pieces; p++) {
        memcpy(w, operands, n * sizeof *w);
        for (uint32_t i = first; i < first + count; i++) {
            spe_id its = spe_type_of(m, operands[i]);
            if (spe_pieces_(m, its)) w[i] = spe_part_(m, spe_piece_type_(m, its), operands[i], p, UINT32_MAX);
        }
        piece[p] = spe_put_one_(m, op, type, n, w);
    }
    return piece[0];
}

/* any, all, dot: a piece at a time, then together. */
XE_FN_ spe_id spe_reduce_pieces_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands,
                                 uint32_t pieces)
{
    spe_id piece[SPE_PIECES_MAX_], all = spe_each_piece_(m, op, type, n, operands, pieces, piece);
    uint32_t join = op == SPE_OpAny ? SPE_OpLogicalOr : op == SPE_OpAll ? SPE_OpLogicalAnd : SPE_OpFAdd;
    for (uint32_t p = 1; p < pieces; p++) {
        uint32_t w[2] = {all, piece[p]};
        all = spe_put_one_(m, join, type, 2, w);
    }
    return all;
}

/* The address of piece p of the vector at ptr. */
XE_FN_ spe_id spe_piece_address_(spe_module *m, spe_id ptr, uint32_t p)
{
    const spe_type_info *t = spe_info_(m, spe_type_of(m, ptr));
    spe_id type = spe_ptr(m, t->storage, spe_piece_type_(m, t->elem));
    uint32_t w[2] = {spe_put_one_(m, SPE_OpBitcast, type, 1, &ptr), p ? spe_u32(m, p) : 0};
    return p ? spe_put_one_(m, SPE_OpPtrAccessChain, type, 2, w) : w[0];
}

/* A load (value 0) or store, with its memory operands: flags, alignment. */
XE_FN_ spe_id spe_move_pieces_(spe_module *m, spe_id type, spe_id ptr, spe_id value, uint32_t n, const uint32_t *access,
                               uint32_t pieces)
{
    spe_id piece[SPE_PIECES_MAX_], its = spe_piece_type_(m, type);
    uint32_t w[4], size = (uint32_t)spe_size(m, its);
    for (uint32_t p = 0; p < pieces; p++) {
        uint32_t k = 0;
        w[k++] = spe_piece_address_(m, ptr, p);
        if (value) w[k++] = spe_part_(m, its, value, p, UINT32_MAX);
        memcpy(w + k, access, n * sizeof *w);
        if (n > 1 && w[k + 1] > size) w[k + 1] = size;
        piece[p] = spe_put_one_(m, value ? SPE_OpStore : SPE_OpLoad, value ? 0 : its, k + n, w);
    }
    return value ? 0 : spe_put_one_(m, SPE_OpCompositeConstruct, type, pieces, piece);
}

/* The components of a, then of b, that the literals name. */
XE_FN_ spe_id spe_shuffle_pieces_(spe_module *m, spe_id type, const uint32_t *w, uint32_t n)
{
    spe_id v[16];
    uint32_t na = spe_count(m, spe_type_of(m, w[0]));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = w[2 + i] == UINT32_MAX ? 0 : w[2 + i];
        v[i] = k < na ? spe_component_(m, w[0], k) : spe_component_(m, w[1], k - na);
    }
    return spe_of_components_(m, type, v);
}

/* The same bits: the longer of both vectors a piece at a time. */
XE_FN_ spe_id spe_bitcast_pieces_(spe_module *m, spe_id type, spe_id value)
{
    spe_id from = spe_type_of(m, value), v[16], out[16];
    uint32_t n = spe_count(m, from), count = spe_count(m, type), parts = n < count ? n : count;
    while (n / parts > SPE_PIECE_ || count / parts > SPE_PIECE_) parts *= 2;
    spe_id source = spe_vec(m, spe_scalar_of(m, from), n / parts);
    spe_id target = spe_vec(m, spe_scalar_of(m, type), count / parts);
    for (uint32_t i = 0; i < n; i++) v[i] = spe_component_(m, value, i);
    for (uint32_t i = 0; i < parts; i++) {
        spe_id part = spe_of_components_(m, source, v + i * (n / parts));
        part = spe_put_one_(m, SPE_OpBitcast, target, 1, &part);
        for (uint32_t k = 0; k < count / parts; k++) out[i * (count / parts) + k] = spe_component_(m, part, k);
    }
    return spe_of_components_(m, type, out);
}

/* Component `index` of a vector in pieces, or (scalar not 0) the vector with that component replaced. */
XE_FN_ spe_id spe_dynamic_pieces_(spe_module *m, spe_id type, spe_id v, spe_id scalar, spe_id index, uint32_t pieces)
{
    spe_id i32 = spe_type_of(m, index), vector = spe_type_of(m, v), its = spe_piece_type_(m, vector);
    uint32_t low[2] = {index, spe_const_u(m, i32, SPE_PIECE_ - 1)}, high[2] = {index, spe_const_u(m, i32, 2)}, w[3];
    spe_id piece[SPE_PIECES_MAX_], found = 0;
    low[0] = spe_put_one_(m, SPE_OpBitwiseAnd, i32, 2, low);
    high[0] = spe_put_one_(m, SPE_OpShiftRightLogical, i32, 2, high);
    for (uint32_t p = 0; p < pieces; p++) {
        spe_id old = spe_part_(m, its, v, p, UINT32_MAX);
        uint32_t changed[3] = {old, scalar ? scalar : low[0], low[0]};
        high[1] = spe_const_u(m, i32, p);
        w[0] = spe_put_one_(m, SPE_OpIEqual, spe_bool(m), 2, high);
        w[1] = spe_put_one_(m, scalar ? SPE_OpVectorInsertDynamic : SPE_OpVectorExtractDynamic, scalar ? its : type,
                             scalar ? 3 : 2, changed);
        w[2] = scalar ? old : found;
        found = piece[p] = w[2] ? spe_put_one_(m, SPE_OpSelect, scalar ? its : type, 3, w) : w[1];
    }
    return scalar ? spe_put_one_(m, SPE_OpCompositeConstruct, type, pieces, piece) : found;
}

XE_FN_ spe_id spe_divide_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *w, uint32_t pieces)
{
    spe_id piece[SPE_PIECES_MAX_];
    uint32_t insert[4];
    switch (op) {
    case SPE_OpLoad: return spe_move_pieces_(m, type, w[0], 0, n - 1, w + 1, pieces);
    case SPE_OpStore: return spe_move_pieces_(m, spe_type_of(m, w[1]), w[0], w[1], n - 2, w + 2, pieces);
    case SPE_OpCompositeConstruct: return spe_of_components_(m, type, w);
    case SPE_OpCompositeExtract: return spe_component_(m, w[0], w[1]);
    case SPE_OpCompositeInsert:
        insert[0] = w[0], insert[1] = w[1], insert[2] = w[2] / SPE_PIECE_, insert[3] = w[2] % SPE_PIECE_;
        return spe_put_one_(m, op, type, 4, insert);
    case SPE_OpVectorShuffle: return spe_shuffle_pieces_(m, type, w, n - 2);
    case SPE_OpVectorExtractDynamic: return spe_dynamic_pieces_(m, type, w[0], 0, w[1], pieces);
    case SPE_OpVectorInsertDynamic: return spe_dynamic_pieces_(m, type, w[0], w[1], w[2], pieces);
    case SPE_OpAny: case SPE_OpAll: case SPE_OpDot: return spe_reduce_pieces_(m, op, type, n, w, pieces);
    case SPE_OpBitcast:
        if (spe_count(m, type) != spe_count(m, spe_type_of(m, w[0]))) return spe_bitcast_pieces_(m, type, w[0]);
        break;
    default: break;
    }
    spe_each_piece_(m, op, spe_piece_type_(m, type), n, w, pieces, piece);
    return spe_put_one_(m, SPE_OpCompositeConstruct, type, pieces, piece);
}

XE_FN_ spe_id spe_emit_for_vulkan_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    if (!spe_has_instruction_(m, op)) return 0;
    uint32_t pieces = spe_must_divide_(m, op, type, n, operands);
    return pieces ? spe_divide_(m, op, type, n, operands, pieces) : spe_put_one_(m, op, type, n, operands);
}

/* push.c - a kernel's parameters where they are push constants: addresses and numbers, each aligned to its size. */

enum { SPE_PUSH_BYTES_ = 128 }; /* what every Vulkan device has; more are in memory, and their address is pushed */

/* A block with the parameters that are not in local memory: its struct; 0 if there are none, or after an error. */
XE_FN_ spe_id spe_push_block_(spe_module *m, const spe_kernel *k, uint64_t *bytes)
{
    spe_id *members = (spe_id *)spe_alloc(m, (k->param_count + 1) * sizeof *members), block;
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->param_count && members; i++) {
        const spe_type_info *t = spe_info_(m, k->params[i].type);
        if (t->kind == SPE_KIND_STRUCT || t->kind == SPE_KIND_ARRAY || spe_pieces_(m, k->params[i].type))
            return spe_error_(m, SPE_ERR_ENVIRONMENT, "parameter %u of kernel %s is %s; Vulkan's are addresses, "
                              "numbers and vectors of up to 4", i, k->name, spe_text_(m, k->params[i].type));
        if (t->storage != SPE_StorageClassWorkgroup) members[n++] = k->params[i].type;
    }
    if (!n || !members) return 0;
    block = spe_struct_new(m, n, members);
    *bytes = spe_size(m, block);
    if (block) spe_lay_out_(m, block);
    if (block) spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 2, block, SPE_DecorationBlock);
    return block;
}

/* A pointer to the block: the push constants, or what their only one points to. */
XE_FN_ spe_id spe_push_pointer_(spe_module *m, spe_id block, uint64_t bytes)
{
    uint32_t push = SPE_StorageClassPushConstant;
    if (bytes <= SPE_PUSH_BYTES_) return spe_global_var(m, push, block, 0);
    spe_id zero = spe_u32(m, 0), type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, block);
    spe_id outer = type ? spe_struct_new(m, 1, &type) : 0;
    if (!outer) return 0;
    spe_lay_out_(m, outer);
    spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 2, outer, SPE_DecorationBlock);
    return spe_load(m, spe_element(m, spe_global_var(m, push, outer, 0), 1, &zero), 0);
}

/* Declares that numbers of 8 or 16 bits are pushed. */
XE_FN_ void spe_need_pushed_(spe_module *m, spe_id type)
{
    uint32_t bits = spe_width(m, type);
    if (bits == 16) spe_capability(m, SPE_CapabilityStoragePushConstant16);
    if (bits == 8) spe_capability(m, SPE_CapabilityStoragePushConstant8);
}

/* Gives the open kernel its parameters: values that its prologue loads, with ids in order. */
XE_FN_ bool spe_push_params_(spe_module *m, const spe_kernel *k)
{
    uint64_t bytes = 0;
    spe_id block = spe_push_block_(m, k, &bytes), *from;
    uint32_t n = 0;
    from = (spe_id *)spe_alloc(m, (k->param_count + 1) * sizeof *from);
    m->in_prologue = true;
    spe_id base = block && !m->error.id ? spe_push_pointer_(m, block, bytes) : 0;
    for (uint32_t i = 0; i < k->param_count && from && !m->error.id; i++) {
        spe_id type = k->params[i].type, member = spe_u32(m, n);
        bool local = spe_info_(m, type)->storage == SPE_StorageClassWorkgroup;
        from[i] = local ? spe_local_param_(m, type, i) : spe_element(m, base, 1, &member);
        if (!local) spe_need_pushed_(m, type), n++;
    }
    m->fn.param_count = k->param_count;
    m->fn.first_param = (spe_id)m->id_count;
    for (uint32_t i = 0; i < k->param_count && !m->error.id; i++) {
        spe_id type = k->params[i].type, id = spe_new_id_(m, type, SPE_ID_KEPT_HALF_, 1);
        bool local = spe_info_(m, type)->storage == SPE_StorageClassWorkgroup, in_memory = bytes > SPE_PUSH_BYTES_;
        uint32_t flags = in_memory && !local ? (uint32_t)SPE_MemoryAccessAligned : 0;
        spe_write_(m, SPE_BUFFER_PROLOGUE_, local ? SPE_OpCopyObject : SPE_OpLoad, flags ? 5 : 3, type, id, from[i],
                   flags, spe_alignment(m, type));
        spe_name(m, id, k->params[i].name);
    }
    m->in_prologue = false;
    return !m->error.id;
}

/* vulkan.c - what only modules for Vulkan need, in one object. */

/* Vulkan says of each instruction that it is not contracted: all of a module, as kernels share functions. What says so
 * already is merged after this. */
XE_FN_ void spe_forbid_contraction_(spe_module *m)
{
    for (size_t at = 0; at < m->buffer[SPE_SECTION_FUNCTION_].count && !m->error.id;) {
        const uint32_t *w = m->buffer[SPE_SECTION_FUNCTION_].data + at;
        uint32_t op = *w & 0xffff;
        at += *w >> 16;
        if (spe_contracts_(op))
            spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 2, w[2], SPE_DecorationNoContraction);
    }
}

static const spe_vulkan_part_ spe_vulkan_all_ = {
    spe_emit_for_vulkan_, spe_glsl_math_,        spe_push_params_,    spe_cast_in_parts_, spe_vulkan_op_,
    spe_vec_in_pieces_,   spe_vulkan_pointer_,   spe_local_variable_, spe_alias_,         spe_derived_builtin_,
    spe_has_capability_,  spe_keeps_decoration_, spe_forbid_contraction_, spe_local_vector_,
    spe_is_vector_math_};

#if defined(XETILE_STATIC_) && !defined(__cplusplus)
static const spe_vulkan_part_ *const spe_vulkan_here_ = &spe_vulkan_all_;
#else
XE_FN_ const spe_vulkan_part_ *spe_vulkan_(void) { return &spe_vulkan_all_; }
#endif

XETILE_AS_BEFORE_
#endif /* SPIRV_EMIT_VULKAN_BODIES_ */

#ifndef SPIRV_EMIT_MACROS_
#define SPIRV_EMIT_MACROS_
#if defined(__INCLUDE_LEVEL__) && __INCLUDE_LEVEL__ > 0
#pragma GCC system_header
#endif

/* ---- macros of kernels (C only) ---------------------------------------------------------------------------------- */

/* A kernel's parameters, ptr(f16, A) or u32(N): its name, and its text, which ze_dispatch.h can read. */
#define SPE_NAME_OF(parameter) SPE_NAME_OF_(SPE_PARAM_##parameter)
#define SPE_NAME_OF_(...) SPE_FIRST(__VA_ARGS__)
#define SPE_WRITE_(i, parameter) SPE_WRITE_1_(SPE_PARAM_##parameter)
#define SPE_WRITE_1_(...) SPE_REST(__VA_ARGS__)
#define SPE_PARAM_ptr(T, name) name, "ptr<" #T "> " #name
#define SPE_PARAM_f64(name) name, "f64 " #name
#define SPE_PARAM_f32(name) name, "f32 " #name
#define SPE_PARAM_f16(name) name, "f16 " #name
#define SPE_PARAM_bf16(name) name, "bf16 " #name
#define SPE_PARAM_i64(name) name, "i64 " #name
#define SPE_PARAM_i32(name) name, "i32 " #name
#define SPE_PARAM_i16(name) name, "i16 " #name
#define SPE_PARAM_i8(name) name, "i8 " #name
#define SPE_PARAM_u64(name) name, "u64 " #name
#define SPE_PARAM_u32(name) name, "u32 " #name
#define SPE_PARAM_u16(name) name, "u16 " #name
#define SPE_PARAM_u8(name) name, "u8 " #name

/* The body of XT_KERNEL and CV_KERNEL: a constant of type xt_kernel that holds the kernel's name, parameters and
 * location, and the head of the function that is its body. It runs once for each build, so it and what it alone calls
 * are cold: gcc compiles them for size, in less time. xt_ctx, XT_DECLARE_ and XT_ARGUMENT_ are the header's own. */
#define SPE_KERNEL(xt, XT, name_, ...)                                                                                 \
    static void name_##_##xt##_body_(xt##_ctx *xt##_context_, SPE_EACH(XT##_DECLARE_, SPE_COMMA, __VA_ARGS__));        \
    SPE_UNUSED SPE_COLD_ static void name_##_##xt##_call_(xt##_ctx *xt##_context_)                                     \
    {                                                                                                                  \
        name_##_##xt##_body_(xt##_context_, SPE_EACH(XT##_ARGUMENT_, SPE_COMMA, __VA_ARGS__));                         \
    }                                                                                                                  \
    SPE_UNUSED static const xt##_kernel name_ = {#name_, SPE_EACH(SPE_WRITE_, SPE_COMMA_TEXT_, __VA_ARGS__), __FILE__, \
                                                 __LINE__, name_##_##xt##_call_};                                      \
    static void name_##_##xt##_body_(SPE_UNUSED xt##_ctx *xt##_context_,                                               \
                                     SPE_EACH(XT##_DECLARE_, SPE_COMMA, __VA_ARGS__))

/* C++ before C++20: kernels cannot be written in it (see spirv_emit/cpp.h). */
#define SPE_KERNEL_IN_CPP _Pragma("GCC error \"kernels are written in C: put this one into a .c file\"")

/* Expands to prefix##T for a type T of kernels, which may be a user's macro. C's names of types, each two arguments
 * here, are errors at the user's line. */
#define SPE_C_TYPE(prefix, T) SPE_C_TYPE_OF_(prefix, T)
#define SPE_C_TYPE_OF_(prefix, T) SPE_SECOND_(SPE_C_TYPE_##T, prefix##T, 0)
#define SPE_SECOND_(...) SPE_SECOND_OF_(__VA_ARGS__)
#define SPE_SECOND_OF_(first, second, ...) second
#define SPE_NO_TYPE_(text) 0, _Pragma(#text) 0
#define SPE_C_TYPE_char SPE_NO_TYPE_(GCC error "char is a type of C: the kernel's is called i8")
#define SPE_C_TYPE_short SPE_NO_TYPE_(GCC error "short is a type of C: the kernel's is called i16")
#define SPE_C_TYPE_int SPE_NO_TYPE_(GCC error "int is a type of C: the kernel's is called i32")
#define SPE_C_TYPE_long SPE_NO_TYPE_(GCC error "long is a type of C: the kernel's is called i64")
#define SPE_C_TYPE_signed SPE_NO_TYPE_(GCC error "signed is a type of C: the kernel's is called i32")
#define SPE_C_TYPE_unsigned SPE_NO_TYPE_(GCC error "unsigned is a type of C: the kernel's is called u32")
#define SPE_C_TYPE_float SPE_NO_TYPE_(GCC error "float is a type of C: the kernel's is called f32")
#define SPE_C_TYPE_double SPE_NO_TYPE_(GCC error "double is a type of C: the kernel's is called f64")
#define SPE_C_TYPE_int8_t SPE_NO_TYPE_(GCC error "int8_t is a type of C: the kernel's is called i8")
#define SPE_C_TYPE_int16_t SPE_NO_TYPE_(GCC error "int16_t is a type of C: the kernel's is called i16")
#define SPE_C_TYPE_int32_t SPE_NO_TYPE_(GCC error "int32_t is a type of C: the kernel's is called i32")
#define SPE_C_TYPE_int64_t SPE_NO_TYPE_(GCC error "int64_t is a type of C: the kernel's is called i64")
#define SPE_C_TYPE_uint8_t SPE_NO_TYPE_(GCC error "uint8_t is a type of C: the kernel's is called u8")
#define SPE_C_TYPE_uint16_t SPE_NO_TYPE_(GCC error "uint16_t is a type of C: the kernel's is called u16")
#define SPE_C_TYPE_uint32_t SPE_NO_TYPE_(GCC error "uint32_t is a type of C: the kernel's is called u32")
#define SPE_C_TYPE_uint64_t SPE_NO_TYPE_(GCC error "uint64_t is a type of C: the kernel's is called u64")
#define SPE_C_TYPE_size_t SPE_NO_TYPE_(GCC error "size_t is a type of C: the kernel's is called u64")

/* A C number or an spe_val, as an spe_val. */
#define SPE_NUMBER(x)                                                                                                  \
    _Generic((x), spe_val: spe_val_same, float: spe_val_float, double: spe_val_real, unsigned long: spe_val_uint,      \
             unsigned long long: spe_val_uint, default: spe_val_int)(x)

/* The C loops of XT_FOR and CV_FOR, and of XT_IF and CV_IF; `begin` opens the region, `next_` is the header's function
 * that ends a side (see spe_region_ended). */
#define SPE_FOR(next_, k, begin)                                                                                       \
    for (spe_region k##_loop_ = begin; next_(&k##_loop_);)                                                             \
        for (const spe_val k = k##_loop_.index, *k##_once_ = &k; k##_once_; k##_once_ = spe_region_done(&k##_loop_))
#define SPE_IF(next_, begin)                                                                                           \
    for (spe_region SPE_CAT(spe_if_, __LINE__) = begin; next_(&SPE_CAT(spe_if_, __LINE__));)                           \
        if (SPE_CAT(spe_if_, __LINE__).calls == 1)

/* XT_WHILE and CV_WHILE: `test` records the condition in each iteration. */
#define SPE_WHILE(next_, begin, test, here, condition)                                                                 \
    for (spe_region SPE_CAT(spe_while_, __LINE__) = begin; next_(&SPE_CAT(spe_while_, __LINE__));)                     \
        for (spe_region *SPE_CAT(spe_once_, __LINE__) = test(here, &SPE_CAT(spe_while_, __LINE__), condition);         \
             SPE_CAT(spe_once_, __LINE__);                                                                             \
             SPE_CAT(spe_once_, __LINE__) = SPE_REGION_DONE_(SPE_CAT(spe_once_, __LINE__)))
#define SPE_REGION_DONE_(region) spe_region_done(region)

/* The variables a region carries as a NULL-terminated array; the first argument is not one of them. */
#define SPE_CARRIED(...) ((void *const[]){SPE_REST(__VA_ARGS__, NULL)})

/* cpp.h - what kernels in C++20 need (xetile/cpp.h, coopvec/cpp.h), which has no _Generic and no compound literals:
 * overloads and lists. Braces, like C's initialisers, are evaluated in order.
 */
#if __cplusplus >= 202002L
#include <initializer_list>
#include <type_traits>

/* Overloads that are deleted, not assertions: compilers name the line of the call. */
template <class T>
inline constexpr bool spe_cpp_is_number = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, spe_val>;
inline spe_val spe_cpp_number_of(const spe_val &v) { return v; }
template <class T> requires(!spe_cpp_is_number<T>) spe_val spe_cpp_number_of(const T &) = delete; /* not a number */
template <class T> requires(spe_cpp_is_number<T>) spe_val spe_cpp_number_of(T x)
{
    if constexpr (std::is_same_v<T, float>) return spe_val_float(x);
    else if constexpr (std::is_floating_point_v<T>) return spe_val_real((double)x);
    else if constexpr (std::is_unsigned_v<T> && sizeof(T) > 4) return spe_val_uint(x);
    else return spe_val_int((long long)x);
}

/* A number or vector in a language's own union or structure, and which of them it is; several of these. */
template <class Any, bool is_vec> struct spe_cpp_operand {
    Any any;
    operator const Any &() const { return any; }
};
template <class Any, bool... is_vec> struct spe_cpp_operands {
    Any all[sizeof...(is_vec)];
    spe_cpp_operands(const spe_cpp_operand<Any, is_vec> &...one) : all{one.any...} {}
    operator const Any *() const { return all; }
};
template <class T> inline constexpr bool spe_cpp_has_vec = false;
template <class Any> inline constexpr bool spe_cpp_has_vec<spe_cpp_operand<Any, true>> = true;
template <class Any, bool... is_vec>
inline constexpr bool spe_cpp_has_vec<spe_cpp_operands<Any, is_vec...>> = (is_vec || ...);

/* Calls the function for vectors if any argument is or has one, else the one for numbers. */
template <class V, class S> struct spe_cpp_chosen {
    V *vec;
    S *scalar;
    template <class... A> auto operator()(const A &...a) const
    {
        if constexpr ((spe_cpp_has_vec<A> || ...)) return vec(a...);
        else return scalar(a...);
    }
};
template <class V, class S> constexpr spe_cpp_chosen<V, S> spe_cpp_choose(V *v, S *s) { return {v, s}; }

/* A list lives until the end of the full expression: the callee copies what it keeps. */
template <class T> T const *spe_cpp_listed(std::initializer_list<T> l) { return l.begin(); }

#undef SPE_NUMBER
#define SPE_NUMBER(x) spe_cpp_number_of(x)
#undef SPE_CARRIED
#define SPE_CARRIED(...) spe_cpp_listed<void *>({SPE_REST(__VA_ARGS__, nullptr)})
#undef SPE_FOR /* void * does not convert */
#define SPE_FOR(next_, k, begin)                                                                                       \
    for (spe_region k##_loop_ = begin; next_(&k##_loop_);)                                                             \
        for (const spe_val k = k##_loop_.index, *k##_once_ = &k; k##_once_;                                            \
             k##_once_ = (const spe_val *)spe_region_done(&k##_loop_))
#undef SPE_REGION_DONE_
#define SPE_REGION_DONE_(region) ((spe_region *)spe_region_done(region))
#define SPE_CPP_LINE [] { static const spe_line here_ = {__FILE__, __LINE__}; return &here_; }()
#endif

#endif /* SPIRV_EMIT_MACROS_ */

#if defined(__GNUC__)
SPE_LETTERS_(XETILE_POP_)
#endif
#endif /* XETILE_COMMON_ONLY_ */
