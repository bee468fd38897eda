/* spirv_emit.h - a compact SPIR-V writer for kernels: types, constants, instructions, structured control flow.
 *
 * One header, the C standard library, nothing else. It writes binary SPIR-V 1.0 to 1.6 (1.4 unless you say so) of the
 * OpenCL kind, as Level Zero and OpenCL take it. The whole of the smallest program:
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
 *   - Everything is an spe_id. A value knows its type, so an instruction takes its type from its operands.
 *   - 0 is the poison id: it means an earlier call failed. The module keeps the FIRST error (spe_get_error); from then
 *     on every call does nothing and returns 0, and spe_finish returns no words. Check once, at the end.
 *   - Types and constants are unique: asking twice gives the same id. OpTypeInt has no sign here; operations carry it
 *     (udiv or sdiv, ult or slt). Integer arithmetic on two constants is done at once and gives a constant.
 *   - Capabilities, extensions and extended-instruction sets follow from what is emitted; spe_capability and
 *     spe_extension add what a generic spe_op needs and the tables do not know.
 *   - Control flow is structured and carries its values: spe_if .. spe_else .. spe_endif, spe_for .. spe_endfor,
 *     spe_while .. spe_while_test .. spe_endwhile, spe_switch .. spe_endswitch take the values that leave a side and
 *     give back the phis. A region that is left open, or closed by the wrong call, is an error which names the
 *     place it was opened at; a value used outside the region it was made in is an error too.
 *   - A function has a prologue: variables, built-ins, and whatever stands between spe_prologue_begin and
 *     spe_prologue_end go to the start of its entry block, however late in the body they are asked for.
 *   - SPE(&m, iadd, a, b) is spe_iadd(&m, a, b) with the place of the call recorded: errors then name your file and
 *     line. Without it an error has the place of the last spe_at.
 *   - A module of the same calls is the same bytes, always. Nothing here is thread-local or global: a module belongs
 *     to one thread at a time, different modules to as many as you like.
 *
 * What there is. Each function stands with its comment further down; the module comes first in each and is left out
 * here, t is a type, n a count with an array behind it, all else spe_ids unless said otherwise.
 *     module        spe_begin(options) spe_finish spe_free spe_get_error spe_print_error(error, file) spe_ok
 *                   spe_error_meaning(number) spe_fail(number, name, format ...) spe_at(file, line) spe_alloc(bytes):
 *                   zeroed, until spe_free. SPE_ERRORS(X) lists the errors
 *     types         spe_void spe_bool spe_int(bits) spe_float(bits) spe_bf16 spe_e4m3 spe_e5m2 spe_vec(t, n)
 *                   spe_array(t, n) spe_struct(n, types) spe_ptr(storage class, t) spe_fn_type(result, n, types)
 *                   spe_coopmat(t, scope, rows, columns, use) spe_coopvec(t, n)
 *     asked         spe_type_of(value) spe_info(t) spe_scalar_of(t) spe_width(t): bits  spe_count(t): components
 *                   spe_alignment(t): bytes  spe_type_text(t, text, size): "f16x8"
 *     constants     spe_u32 spe_i32 spe_u64 spe_f32 (C number); spe_const_u spe_const_i spe_const_f (t, C number)
 *                   spe_const_bool(C bool) spe_composite_const(t, n, constants) spe_null(t) spe_undef(t)
 *                   spe_spec_const(t, default's bits, number); spe_const_bits(id, &bits): is it a scalar constant?
 *     arithmetic    two operands of one type, scalars or vectors, and that type back. Integers: spe_iadd spe_isub
 *                   spe_imul spe_udiv spe_sdiv spe_umod spe_srem (sign of the dividend) spe_smod (of the divisor);
 *                   floats: spe_fadd spe_fsub spe_fmul spe_fdiv spe_frem spe_fmod; either: spe_add spe_sub spe_mul
 *                   spe_div_s spe_div_u (signed, unsigned integers); bits: spe_and spe_or spe_xor spe_shl spe_shr
 *                   spe_sar (with the sign); bools: spe_land spe_lor spe_leq spe_lne. One operand: spe_ineg spe_fneg
 *                   spe_neg spe_not spe_lnot spe_bit_count spe_bit_reverse. spe_bits_extract(v, offset, count,
 *                   signed?) spe_bits_insert(base, v, offset, count) spe_dot(a, b): of two vectors
 *                   spe_select(condition, a, b)
 *     comparisons   bools, one a component: spe_ieq spe_ine; spe_ult spe_ule spe_ugt spe_uge unsigned; spe_slt spe_sle
 *                   spe_sgt spe_sge signed; floats spe_feq spe_fne spe_flt spe_fle spe_fgt spe_fge (false with a NaN),
 *                   spe_fueq spe_fune spe_fult spe_fule spe_fugt spe_fuge (true with one), spe_isnan spe_isinf;
 *                   spe_any spe_all
 *     conversions   (t, v): spe_uconvert spe_sconvert spe_fconvert spe_fconvert_saturating spe_f_to_u spe_f_to_s
 *                   spe_u_to_f spe_s_to_f spe_bitcast spe_ptr_to_u spe_u_to_ptr; spe_cast(t, v, signed?): what leads
 *                   there; spe_ptr_cast(pointer, t) spe_ptr_to_generic(pointer) spe_bf16_to_f32(i16)
 *                   spe_f32_to_bf16(f32) spe_round_tf32(f32)
 *     composites    spe_extract(v, i) spe_insert(v, part, i) spe_construct(t, n, parts) spe_splat(t, scalar)
 *                   spe_shuffle(a, b, n, indices); i an id: spe_extract_dyn(v, i) spe_insert_dyn(v, part, i)
 *     memory        spe_load(pointer, align) spe_store(pointer, v, align), align in bytes, 0: the type's own;
 *                   spe_load_volatile spe_store_volatile; spe_load_if(pointer, condition, otherwise, align)
 *                   spe_store_if(pointer, v, condition, align); spe_index(pointer, i): pointer + i elements
 *                   spe_element(pointer, n, indices): into arrays, structs, vectors; spe_copy_memory_sized(to, from,
 *                   bytes, align); variables: spe_local_var(t) private, spe_shared_var(t) of the work-group,
 *                   spe_global_var(storage class, t, initial value)
 *     kernels       spe_kernel_begin(kernel) spe_kernel_end spe_param_id(C number) spe_builtin(which, dimension): i32
 *                   spe_function_begin(name, result, n, types) spe_function_end spe_call(function, n, arguments)
 *                   spe_return spe_return_value(v) spe_prologue_begin spe_prologue_end spe_execution_mode(kernel,
 *                   mode, n, words) spe_export(function, name)
 *     control       spe_if(condition) spe_else(n, values) spe_endif(n, values, out), without else spe_endif_from(n,
 *                   values, values if not, out); spe_for(low, high, step, n, carried): the index  spe_endfor(n,
 *                   carried); spe_while(n, carried) spe_while_test(condition) spe_endwhile(n, carried); spe_switch(v,
 *                   n, literals) spe_case(i) spe_default spe_endcase(n, values) spe_endswitch(n, out)
 *     mathematics   spe_math1(f, a) spe_math2(f, a, b) spe_math3(f, a, b, c) spe_math(f, n, arguments): f is SPE_EXP,
 *                   SPE_FMA ... of SPE_MATH_LIST; spe_ext(t, number, n, arguments): any function of OpenCL.std
 *     subgroups     spe_sg_broadcast(v, lane) spe_sg_broadcast_first(v) spe_sg_shuffle(v, lane) spe_sg_shuffle_xor(v,
 *                   mask) spe_sg_shuffle_up(v, delta) spe_sg_shuffle_down(v, delta) spe_sg_ballot(bool): i32x4
 *                   spe_sg_ballot_count(ballot) spe_sg_all(bool) spe_sg_any(bool) spe_sg_elect; (SPE_RED_ADD ..., v):
 *                   spe_sg_reduce spe_sg_scan_inclusive spe_sg_scan_exclusive, and spe_sg_reduce_clustered(.., lanes)
 *     work-groups   spe_wg_reduce spe_wg_scan_inclusive spe_wg_scan_exclusive (SPE_RED_ADD ..., v) spe_wg_all(bool)
 *                   spe_wg_any(bool) spe_wg_broadcast(v, local id)
 *     barriers      spe_barrier spe_sg_barrier spe_barrier_arrive spe_barrier_wait spe_memory_barrier(scope,
 *                   semantics) spe_control_barrier(scope, memory scope, semantics)
 *     atomics       the old value, of spe_atomic(SPE_ATOMIC_IADD ..., pointer, v, scope, semantics) spe_atomic_load
 *                   spe_atomic_store spe_atomic_cas(pointer, expected, v, scope, semantics)
 *     matrices      spe_dpas(t, k, a, b, c, operands): a b + c  of a block in memory (spe_block2d), to or from a
 *                   variable: spe_block2d_load spe_block2d_load_transform spe_block2d_load_transpose spe_block2d_store
 *                   spe_block2d_prefetch; spe_coop_load(t, pointer, layout, stride) spe_coop_store(pointer, v, layout,
 *                   stride) spe_coop_mma(a, b, c, operands) spe_coop_length(t); cooperative vectors:
 *                   spe_coopvec_load(t, pointer, offset) spe_coopvec_store(pointer, offset, v) spe_coopvec_mul(t,
 *                   product) spe_coopvec_outer_accumulate(pointer, offset, a, b, layout, type, stride)
 *                   spe_coopvec_sum_accumulate(pointer, offset, v)
 *     caches        spe_prefetch(pointer, elements) spe_sg_prefetch(pointer, bytes) spe_cache_load spe_cache_store
 *                   (pointer, level, control) spe_copy(v): an id of its own
 *     anything      spe_op(opcode, t, n, words) spe_op_void(opcode, n, words) spe_decorate(id, decoration, n, words)
 *                   spe_decorate_member(t, member, decoration, n, words) spe_name(id, text) spe_capability
 *                   spe_extension
 *     on the host   spe_f32_to_f16_bits spe_f16_bits_to_f32 spe_f32_to_bf16_bits spe_bf16_bits_to_f32 spe_f32_to_tf32
 *                   spe_f32_to_e4m3_bits spe_e4m3_bits_to_f32 spe_f32_to_e5m2_bits spe_e5m2_bits_to_f32; no module
 *
 * Options (spe_options; zero is the default): version SPE_VERSION(1, 0..6), default 1.4; env, the OpenCL environment;
 * names writes OpName for functions, parameters and spe_name; lines writes OpLine for every place given by SPE or
 * spe_at; source is the name of the source file for OpSource; realloc and user replace the allocator
 * (realloc(user, NULL, n) allocates, realloc(user, p, n) grows, realloc(user, p, 0) frees and returns NULL).
 *
 * Limits: 4194303 ids a module and 65535 words an instruction (those of SPIR-V), 65000 regions within each other;
 * vectors have 2, 3, 4, 8 or 16 components, as in OpenCL, or as many as you like once VectorAnyINTEL or LongVectorEXT
 * is declared (spe_capability). No images, pipes or device-side enqueue except through spe_op.
 *
 * Names: SPE_OpIAdd, SPE_CapabilityInt8, SPE_StorageClassFunction ... are the numbers of the SPIR-V specification
 * under its own spelling. They come from lists that you may expand too: SPE_OPCODES(X), SPE_CAPABILITIES(X) and
 * SPE_ENUMERANTS(X), each X(kind, name, number). The header needs no SPIRV-Headers and does not mind if they are
 * included.
 *
 * License: MIT, see LICENSE.
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

