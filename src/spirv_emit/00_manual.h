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
 * Options (spe_options; zero is the default): version SPE_VERSION(1, 0..6), default 1.4; env, the OpenCL environment;
 * names writes OpName for functions, parameters and spe_name; lines writes OpLine for every place given by SPE or
 * spe_at; source is the name of the source file for OpSource; realloc and user replace the allocator
 * (realloc(user, NULL, n) allocates, realloc(user, p, n) grows, realloc(user, p, 0) frees and returns NULL).
 *
 * Limits: 4194303 ids a module and 65535 words an instruction (those of SPIR-V), 65000 regions within each other;
 * vectors have 2, 3, 4, 8 or 16 components, as in OpenCL. No images, pipes or device-side enqueue except through spe_op.
 *
 * Names: SPE_OpIAdd, SPE_CapabilityInt8, SPE_StorageClassFunction ... are the numbers of the SPIR-V specification
 * under its own spelling. They come from lists (SPE_OPCODES(X) and so on) that you may expand too. The header needs no
 * SPIRV-Headers and does not mind if they are included.
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

