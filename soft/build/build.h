/* build.h - C text becomes a loaded object (jit.c), and objects are kept (cache.c). All of it may be called from any
 * thread. */
#ifndef XETILE_SOFT_BUILD_H
#define XETILE_SOFT_BUILD_H

#include "spirv/spirv.h"

struct xs_module;

struct jit_object {
    void *handle;
    const struct xs_module *module;
    void *image; /* header, hash and the .so file: what zeModuleGetNativeBinary gives and jit_load_image takes */
    size_t image_size;
    int kept_fd;          /* file descriptor + 1 that must stay open while it is loaded; 0: none */
    void *machine; /* what jit_machine loaded instead of `handle`; NULL: nothing */
};
/* What an object depends on, as a hash: the parts given (module words, build options, spec constants, prelude text ...;
 * lengths count too) and, added by jit_key itself, XS_ABI_VERSION, the file this code was loaded from, the flags and
 * the CPU. The compiler stands beside the key: an object of another compiler serves only when there is no working
 * one. */
struct jit_key { uint8_t hash[32]; };
struct jit_part { const void *data; size_t size; };
void jit_key(struct jit_key *key, const struct jit_part *parts, size_t count);
/* Looks the cache up before any parsing, so that a hit costs milliseconds. False on a miss; `out` is zero then. */
bool jit_cache_find(const struct jit_key *key, struct jit_object *out);
/* Waits while another process or thread compiles for this key, but no longer than one compile may take. To be given to
 * jit_cache_unlock; -1: not locked. */
int jit_cache_lock(const struct jit_key *key);
void jit_cache_unlock(int lock);
/* Compiles `what` (see jit_limits), loads, and stores under `key` (NULL: does not store). The text is compiled as it
 * stands, without a shell, within $XETILE_SOFT_TIME_LIMIT seconds (120) of processor time, by $XETILE_CC or cc, gcc,
 * clang from PATH, for $XETILE_SOFT_ISA (build/isa.c). Products and sums are contracted only if "xs: contract" stands
 * in the first 256 bytes of the text. */
bool jit_compile(const char *c_text, size_t size, const struct jit_key *key, const char *what,
                 struct jit_object *out, struct sp_text *log);
/* untrusted: header, hash and version are checked, but its code will run */
bool jit_load_image(const void *image, size_t size, struct jit_object *out, struct sp_text *log);
void jit_unload(struct jit_object *o); /* safe on a zeroed object and twice */

/* Images that hold something else than a shared object: Intel's machine code (xe/package.c), which gives this to
 * jit_machine_is. `load` sets out->machine and out->module. */
struct jit_machine {
    bool (*is_package)(const void *data, size_t size);
    bool (*load)(const void *package, size_t size, struct jit_object *out, struct sp_text *log);
    void (*unload)(void *machine);
};
void jit_machine_is(const struct jit_machine *m); /* before anything is loaded */

#endif
