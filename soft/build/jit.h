/* jit.h - declarations shared by soft/build: image layout, hashing, private directories. */
#ifndef XETILE_SOFT_JIT_H
#define XETILE_SOFT_JIT_H

#include "build.h"

struct xs_thread;

/* ---- sha256.c */
struct jit_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
};
void jit_sha256_begin(struct jit_sha256 *h);
void jit_sha256_add(struct jit_sha256 *h, const void *data, size_t size);
void jit_sha256_end(struct jit_sha256 *h, uint8_t hash[32]);

/* ---- an image: this header, then the .so file */
struct jit_image_header {
    char magic[8];
    uint32_t abi_version, header_bytes;
    uint64_t so_bytes;
    uint8_t key[32];  /* zero if not compiled for the cache */
    uint8_t cpu[32];  /* the target of compilation */
    uint8_t hash[32]; /* of the fields before and the .so */
};
/* Combines header and .so; the caller frees the memory. NULL if out of memory. */
void *jit_image_make(const void *so, size_t so_bytes, const struct jit_key *key, size_t *image_bytes);
/* NULL, or why the bytes are not an image that can run here. */
const char *jit_image_check(const void *image, size_t size);

/* ---- isa.c: the choices of $XETILE_SOFT_ISA on this CPU */
enum { JIT_ISA_FLAGS = 2 };
/* The compiler's flags, or NULLs; false: refused, `log` says why. */
bool jit_isa_flags(const char *flags[JIT_ISA_FLAGS], struct sp_text *log);
/* The subgroup size of kernels that state none. */
uint32_t jit_subgroup_size(void);
void jit_cpu_hash(uint8_t hash[32]);
/* Does this CPU, at this level, widen f16 while it multiplies floats? */
bool jit_widens_aside(void);
unsigned
jit_tiles(void); /* CG_TILES_...: what tiles may multiply; 0: no tiles. The first call asks the kernel for them */
void jit_release_thread(struct xs_thread *t); /* called on a thread when its share of a launch is done */

/* ---- process.c: runs a program without a shell, in a process group of its own */
struct jit_limits {
    double seconds;   /* of processor time, so that a busy machine does not reject kernels */
    double mebibytes; /* of address space */
    const char *what; /* what is compiled, for a message on terminals after 2 s; NULL: no message */
    bool inside;      /* run in the directory; the program's path must be absolute */
};
enum { JIT_CROWDED = 4 }; /* wall time limit in multiples of `seconds`, so that a hanging program is stopped too */
/* Runs a program, and ends it with the process. Returns its exit status, with its output in `said`; -1: it could not be
 * started or was killed, see `log`; JIT_UNKNOWN: the program has ended, but its status is lost, because the host
 * ignores
 * SIGCHLD or waits for children that are not its own. Its temporary files go to `directory`. What it has started, it
 * does not wait for: all that is left of its process group is killed. */
enum { JIT_UNKNOWN = 256 };
int jit_run(char *const *argv, const char *directory, struct jit_limits limits, struct sp_text *said,
            struct sp_text *log);

/* ---- compiler.c */
extern const char *const jit_fixed_flags[]; /* NULL-terminated */
struct jit_compiler {
    char *path;        /* absolute; NULL: there is none */
    uint64_t identity; /* of the file */
};
struct jit_limits jit_own_limits(void);
/* The absolute path of a program, from PATH unless the name has a slash; to be freed. NULL: there is none. */
char *jit_find_program(const char *name);
double jit_time_limit(void); /* seconds of wall time for one compilation */
void jit_find_compiler(struct jit_compiler *c);
void jit_forget_compiler(struct jit_compiler *c); /* frees its path */
bool jit_compiler_works(const struct jit_compiler *c); /* runs it with --version */

/* ---- load.c: the object in a shared object's bytes */
bool jit_open_object(const void *so, size_t size, struct jit_object *out, struct sp_text *log);

/* ---- elf.c */
/* NULL, or why the dynamic loader cannot be given these bytes: it trusts files, and faults on what is cut off. */
const char *jit_elf_check(const void *so, size_t size);

/* ---- usage.c */
/* Appends the compiler's report in `directory`, if there is one, and `more` (may be NULL) to the object's file, which
 * may move. */
void *jit_usage_add(void *so, size_t *size, const char *directory, const struct sp_text *more);
/* The report in an object's file; NULL: there is none. */
const char *jit_usage_find(const void *so, size_t size, size_t *bytes);
/* Sets the kernels' stack_bytes, which are at least what their variables take, and spill_bytes by the report behind the
 * .so file, if there is one. */
void jit_usage_read(const void *so, size_t size, const struct xs_module *m);

/* ---- helpers.c: the functions that a text names (`xs: helpers`, build.h), as objects of their own */
enum { JIT_MOST_HELPERS = 12 };
extern const char *const jit_helper_files[JIT_MOST_HELPERS]; /* their names in a directory */
struct jit_name;
struct jit_helpers {
    const char *text; /* what is before the kernels */
    size_t size;
    const struct jit_compiler *c;
    char *index;           /* the file of the cache that says which object has which function */
    struct jit_name *name; /* sorted */
    size_t count;
};
/* False: the text has to be compiled as a whole. */
bool jit_helpers_begin(struct jit_helpers *h, const char *text, size_t size, const struct jit_compiler *c);
void jit_helpers_end(struct jit_helpers *h);
/* Copies objects with the functions from the cache to the directory, and the lines about these functions in their
 * reports to `usage`. Returns how many objects. */
size_t jit_helpers_find(const struct jit_helpers *h, const char *directory, struct sp_text *usage, size_t *missing);
/* The text of an object with the functions that were missing. */
void jit_helpers_text(const struct jit_helpers *h, struct sp_text *text);
/* Keeps it, with its report. */
void jit_helpers_store(const struct jit_helpers *h, const struct sp_text *text, const void *object, size_t size);

/* ---- cache.c */
/* The image of an entry, to be freed; NULL: there is none, or it is damaged. */
void *jit_cache_read(const struct jit_key *key, const struct jit_compiler *c, size_t *size);
void jit_cache_store(const struct jit_key *key, const struct jit_compiler *c, const void *image, size_t size,
                     struct sp_text *log);

/* ---- files.c */
int jit_cache_open(struct sp_text *log); /* the directory's descriptor, or -1 with the reason in log (may be NULL) */
/* The path of a new directory with mode 0700 and an unguessable name: in the cache, else $TMPDIR, /tmp, /dev/shm. NULL:
 * see `log`. */
char *jit_private_directory(struct sp_text *log);
void jit_remove_directory(char *path); /* and frees the path */
char *jit_text(const char *format, ...) __attribute__((format(printf, 1, 2))); /* to be freed; NULL: out of memory */
/* These fail with EFBIG at the process's limit on file sizes, without a signal. */
bool jit_write_all(int fd, const void *data, size_t size);
bool jit_set_size(int fd, uint64_t size);
int jit_open_regular(int folder, const char *name); /* for reading; -1: not a regular file, or a link */
void *jit_read_file(const char *path, size_t *size); /* the whole of a regular file, to be freed; NULL on failure */
void jit_remove_at(int parent, const char *name, int depth); /* a file, or a folder with its contents */
bool jit_write_file(const char *path, const void *data, size_t size);
void *jit_read_descriptor(int fd, size_t *size); /* the rest of a regular file; closes fd; NULL on failure */

#endif
