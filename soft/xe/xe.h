/* xe.h - compiles SPIR-V with Intel's compiler and executes the machine code.
 *
 * With XETILE_SOFT_ISA=bmg (or another of targets.c), modules are compiled by ocloc instead of the C compiler, to a
 * package: Intel's binary (zebin) and its disassembly by IGA. A package takes the place of the C compiler's object in
 * the cache and in native binaries, and its kernels have the same interface (abi.h).
 */
#ifndef XETILE_SOFT_XE_H
#define XETILE_SOFT_XE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "build/build.h"

struct xe_target {
    const char *name, *device; /* for XETILE_SOFT_ISA; for ocloc */
    const struct xe_family *family;
};

/* The target that XETILE_SOFT_ISA names; NULL: kernels are compiled for the CPU. */
const struct xe_target *xe_target(void);
const struct xe_target *xe_target_named(const char *name);

/* What a package depends on besides the module and its options; zeros if kernels are compiled for the CPU. */
struct xe_identity {
    char target[16], compiler[208];
    uint64_t size, changed;
};
void xe_identify(const struct xe_target *target, struct xe_identity *to);
bool xe_has_compiler(void);

/* Compiles the module with Intel's compiler, disassembles it, and makes a package. *package is malloc'ed. */
bool xe_compile(const struct xe_target *target, const uint32_t *words, size_t count, const char *options,
                void **package, size_t *size, struct sp_text *log);
bool xe_is_package(const void *data, size_t size);
/* Packages are untrusted: any contents give an error or a module. Sets out->machine and out->module. */
bool xe_load(const void *package, size_t size, struct jit_object *out, struct sp_text *log);
void xe_unload(void *machine);
struct xs_kernel;
const void *xe_kernel_code(const struct xs_kernel *kernel, size_t *size); /* the machine code of a loaded kernel */

#endif
