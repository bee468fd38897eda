/* build.h - compiles C text to loaded objects (jit.c) and caches them (cache.c). Everything may be called from any
 * thread. */
#ifndef XETILE_SOFT_BUILD_H
#define XETILE_SOFT_BUILD_H

#include "spirv/spirv.h"

struct xs_module;

struct jit_object {
    void *handle;
    const struct xs_module *module;
    void *image; /* header, hash and .so file: returned by zeModuleGetNativeBinary, accepted by jit_load_image */
    size_t image_size;
    int kept_fd;          /* file descriptor + 1 that must stay open while it is loaded; 0: none */
    void *machine; /* loaded by jit_machine instead of `handle`; or NULL */
};
/* A hash of everything an object depends on: the given parts (module words, build options, spec constants ...; lengths
 * count too) and, added by jit_key itself, XS_ABI_VERSION, the file this code was loaded from (which stands for the
 * generator and its texts), the flags and the CPU. The compiler is not part of the key: an object of another compiler
 * is used only if there is no working one. */
struct jit_key { uint8_t hash[32]; };
struct jit_part { const void *data; size_t size; };
void jit_key(struct jit_key *key, const struct jit_part *parts, size_t count);
/* Looks in the cache; as this precedes any parsing, a hit costs milliseconds. False on a miss, with `out` zeroed. */
bool jit_cache_find(const struct jit_key *key, struct jit_object *out);
/* descriptors.c: a descriptor of which children of the process keep no copy. They are opened, and added, between
 * `begin` and `end`, where other threads cannot fork. fd -1: none. */
struct jit_descriptor {
    int fd;
    struct jit_descriptor *next, **link;
};
void jit_descriptors_begin(void);
void jit_descriptors_end(void);
void jit_descriptor_add(struct jit_descriptor *d, int fd);
void jit_descriptor_close(struct jit_descriptor *d);
/* Waits while another process or thread compiles for this key, but no longer than one compilation may take. False: not
 * locked. To be unlocked in either case. */
bool jit_cache_lock(const struct jit_key *key, struct jit_descriptor *lock);
void jit_cache_unlock(struct jit_descriptor *lock);
/* Compiles `what` (see jit_limits), loads it, and stores it under `key` (unless NULL). The text is compiled as it is,
 * without a shell, within $XETILE_SOFT_TIME_LIMIT seconds (120) of processor time, by $XETILE_CC or cc, gcc, clang from
 * PATH, for $XETILE_SOFT_ISA (build/isa.c). Products and sums are contracted only if the first 256 bytes of the text
 * contain "xs: contract"; with "xs: quick" there, the compiler optimises less (-O1), and functions that the text names
 * in a line "xs: helpers" behind them may be compiled apart (helpers.c). */
bool jit_compile(const char *c_text, size_t size, const struct jit_key *key, const char *what,
                 struct jit_object *out, struct sp_text *log);
/* untrusted: header, hash, version and the shape of the shared object are checked, but its code will run */
bool jit_load_image(const void *image, size_t size, struct jit_object *out, struct sp_text *log);
/* What the environment says about compiling: XETILE_... and PATH. `keep` copies it, NULL: out of memory. `use` makes
 * this thread's jit_setting look there, NULL: in the environment; it returns what was used before. */
struct jit_settings;
struct jit_settings *jit_settings_keep(void);
void jit_settings_free(struct jit_settings *s); /* safe on NULL */
const struct jit_settings *jit_settings_use(const struct jit_settings *s);
const char *jit_setting(const char *name); /* as getenv */
const char *jit_search_path(void);         /* PATH, or where programs usually are if it is not set */
const void *jit_shared_object(const struct jit_object *o, size_t *size); /* the .so file in its image */
void jit_unload(struct jit_object *o); /* safe on a zeroed object and twice */

/* Images that are not shared objects but Intel's machine code, loaded by functions that xe/package.c passes to
 * jit_machine_is. `load` sets out->machine and out->module. */
struct jit_machine {
    bool (*is_package)(const void *data, size_t size);
    bool (*load)(const void *package, size_t size, struct jit_object *out, struct sp_text *log);
    void (*unload)(void *machine);
};
void jit_machine_is(const struct jit_machine *m); /* before anything is loaded */

#endif
