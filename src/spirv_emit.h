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

#include "linkage.h"

/* ---- SPIR-V's numbers --------------------------------------------------------------------------------------------
 * Lists of X(kind, name, number); each entry becomes an enumerator SPE_<kind><name>: SPE_OpIAdd, SPE_ScopeSubgroup, ...
 */
#include "spirv_emit/numbers.h"

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

#include "spirv_emit/kernels.h"

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

#endif /* SPIRV_EMIT_H */
