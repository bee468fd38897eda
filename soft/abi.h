/* abi.h - the interface between generated code and the scheduler.
 *
 * This file's text precedes every generated kernel and is also included by the driver, so it uses nothing but
 * <stdint.h>. A kernel has two functions: `run` runs one subgroup of one work-group, `run_groups` a number of whole
 * work-groups, one subgroup after the other. Change XS_ABI_VERSION with any change here: cached objects of other
 * versions are not loaded.
 */
#ifndef XETILE_SOFT_ABI_H
#define XETILE_SOFT_ABI_H

#include <stdint.h>

#define XS_ABI_VERSION 17

/* A thread's state for matrix products during a launch. */
struct xs_thread {
    uint32_t tile_shape; /* configuration of its tile registers (c/prelude_amx.h); 0: not configured */
    uint32_t used;       /* bytes of `shared` in use (c/prelude_matrix.h) ... */
    uint32_t next;       /* ... where the block requested next may be ... */
    uint64_t group;      /* ... and the number + 1 of the work-group using them */
    uint8_t *shared;     /* XS_SHARED_BYTES, if the kernel needs them; may be NULL */
};
enum { XS_SHARED_BYTES = 4 << 20, XS_FRAME_ALIGN = 256 };

/* An image. Texel (x, y, z) is at data + x * texel bytes + y * row_pitch + z * slice_pitch; layer i of an array begins
 * at data + i * slice_pitch. Layout, type and swizzle have the values of Level Zero's enumerations. */
struct xs_image {
    uint8_t *data;
    uint64_t row_pitch, slice_pitch; /* bytes; unused if there is only one row, one slice */
    uint32_t width, height, depth;   /* of a layer; 1 in missing dimensions */
    uint32_t layers;                 /* 0: not an array */
    uint8_t dims;                    /* 1, 2, 3; also 1 for a buffer image */
    uint8_t layout, type;            /* ze_image_format_layout_t, ze_image_format_type_t */
    uint8_t srgb;                    /* 1: red, green and blue are stored as sRGB */
    uint8_t swizzle[4];              /* ze_image_format_swizzle_t: sources of red, green, blue and alpha */
};

/* A sampler, with values of ze_sampler_address_mode_t and ze_sampler_filter_mode_t. If a handle combines an image and a
 * sampler, the sampler follows the image in memory. */
struct xs_sampler {
    uint8_t address, filter, normalized;
};

/* An image instruction for the lanes whose bits are set in `lanes`. Each array has an element per lane, or several rows
 * of `S` elements: four coordinates, or (texel) four channels as bits of u32 or f32. The addresses are those of an
 * xs_image and an xs_sampler. Unused arrays are NULL. */
struct xs_image_access {
    uint64_t lanes;
    uint32_t S;
    const uint64_t *image, *sampler; /* sampler NULL: read the exact texel */
    const uint32_t *at;
    uint32_t *texel;
};
typedef void xs_image_fn(const struct xs_image_access *a);
struct xs_image_functions {
    xs_image_fn *fetch, *sample; /* at integer, float coordinates; results in `texel` */
    xs_image_fn *write;
    xs_image_fn *size;   /* sets `texel` to the size in each dimension, then the number of layers */
    xs_image_fn *format; /* sets `texel` to SPIR-V's image channel data type and order */
};

/* The context a subgroup runs in, one object per subgroup; `driver` is the scheduler's own. */
struct xs_subgroup {
    uint32_t group_id[3], group_count[3], local_size[3], global_offset[3];
    uint32_t subgroup_id, subgroup_count;
    /* work-items that exist in this subgroup; less than its size only in the last one */
    uint32_t lanes;
    uint32_t work_dim;
    uint32_t local_first[3];        /* the local id of lane 0 */
    uint8_t *frames;                /* run_groups: frame_bytes for each subgroup of a work-group */
    uint8_t *local;                 /* the work-group's local memory, static variables first */
    uint64_t local_bytes;           /* its size */
    uint64_t stack_top;             /* set by the kernel: private memory lies below, in its frames */
    /* module-scope variables of the CrossWorkgroup and UniformConstant storage classes */
    uint8_t *const *globals;
    void (*barrier)(struct xs_subgroup *self, uint32_t kind); /* XS_BARRIER_...; returns when all have arrived */
    /* printf for one lane: the address of the format, n arguments. Each has three bytes in `kinds`: 'i', 'f' or 'p',
     * the size and the number of its components; and its components in `values`, floats as doubles. */
    void (*print)(struct xs_subgroup *self, uint64_t format, const uint8_t *kinds, uint32_t n,
                  const uint64_t *values);
    void *driver;
    void *check; /* state of the checked mode (c/prelude_check.h); NULL: off */
    struct xs_thread *thread;
    const struct xs_kernel *kernel; /* the running kernel: for a `run_groups` shared by several */
    const struct xs_image_functions *images;
    const char *error;              /* out, from run_groups: why it ended the launch; NULL: a missed barrier */
};

enum { XS_BARRIER_FULL, XS_BARRIER_ARRIVE, XS_BARRIER_WAIT };
#define XS_EACH_FULL (~(uint64_t)0)

/* `args` is the argument block: each parameter at its offset, pointers as 64-bit addresses. */
typedef void xs_kernel_fn(struct xs_subgroup *self, const uint8_t *args);
/* Runs work-groups from self->group_id on, in the launch's order; `self` is their first subgroup's and changes. If it
 * returns nonzero, the launch ends in work-group self->group_id, for the reason in self->error. With XS_EACH_FULL
 * groups a kernel with frames calls each full subgroup of this work-group once and returns how many of them wait at a
 * barrier. */
typedef int xs_groups_fn(struct xs_subgroup *self, const uint8_t *args, uint64_t groups);

/* Which version of a kernel (passes/versions.h) runs launches with these arguments and work-groups of this size. */
typedef uint32_t xs_version_fn(const uint8_t *args, const uint32_t *local_size);

/* For the last two, the argument block holds the address of a struct xs_image or xs_sampler. */
enum xs_param_kind {
    XS_PARAM_VALUE, XS_PARAM_GLOBAL, XS_PARAM_CONSTANT, XS_PARAM_LOCAL, XS_PARAM_IMAGE, XS_PARAM_SAMPLER
};

struct xs_param {
    const char *name; /* "" if the module gives none */
    uint32_t kind, size, offset, align;
};

struct xs_kernel {
    const char *name;
    xs_kernel_fn *run;
    const struct xs_param *params;
    uint32_t param_count, args_bytes;
    uint32_t subgroup_size;
    uint32_t subgroup_size_required; /* 1: the module requires this size by execution mode */
    uint32_t local_size[3];          /* required work-group size; 0: any */
    uint32_t local_bytes;            /* static local memory */
    uint32_t private_bytes;          /* private memory per work-item, outside registers */
    uint32_t stack_bytes;            /* a safe stack for one call of run; the driver adds what the compiler says */
    uint32_t has_barrier;
    uint32_t max_work_dim;
    const char *attributes;          /* as returned by zeKernelGetSourceAttributes */
    xs_groups_fn *run_groups;        /* may be NULL */
    uint32_t frame_bytes;            /* bytes per subgroup that run_groups keeps across barriers; 0: none */
    uint32_t shares_blocks;          /* needs `shared` of xs_thread */
    uint32_t version;                /* which version of the kernel this is ... */
    xs_version_fn *choose;           /* ... and which one a launch needs; NULL: this one runs them all */
    const struct xs_kernel *full;    /* of a version for partial subgroups: what runs full ones beside them, or NULL */
    uint32_t function;               /* the id of its function in the module: names of C functions begin with f<id> */
    const void *body;                /* the kernel's code, for a `run_groups` shared by several */
    uint32_t spill_bytes; /* what is kept on the stack for want of registers, per subgroup; added to as stack_bytes */
};

struct xs_global {
    const char *name; /* "" if not linked by name */
    uint64_t size, align;
    const void *initial; /* NULL: zero */
};

/* An address in an initial value: byte `at` of global `in` holds the address of global `to` plus `offset`. */
struct xs_pointer {
    uint32_t in, to;
    uint64_t at;
    int64_t offset;
};

/* Called for the lanes in `lanes`. Arguments and result are vectors of all lanes; only these lanes' results are set. */
typedef void xs_pointer_fn(struct xs_subgroup *self, uint64_t lanes, void *result, const void *const *args);
/* Calls by pointer may nest while less than this much of the stack below the kernel is in use; each function needs less
 * than that. */
enum { XS_POINTER_STACK = 1 << 20 };
/* A function that can be called by pointer: the pointer is the address of one of these. */
struct xs_function {
    const char *name;
    xs_pointer_fn *run[3]; /* for subgroups of 8, 16, 32; NULL if not available */
};

/* The one symbol a generated object exports: `const struct xs_module xs_module`. */
struct xs_module {
    uint32_t version; /* XS_ABI_VERSION */
    uint32_t kernel_count, global_count;
    struct xs_kernel *kernels;
    const struct xs_global *globals;
    uint32_t pointer_count;
    const struct xs_pointer *pointers;
    uint32_t function_count;              /* in xs_pointer `to`, functions are numbered after the globals */
    const struct xs_function *functions;
    const char *warnings;                 /* invalid SPIR-V that was accepted; "": none */
    uint8_t *const **own_globals;         /* set by the driver for functions called by pointer; NULL: none */
};

#endif
