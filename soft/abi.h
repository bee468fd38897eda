/* abi.h - what generated code and the scheduler agree on.
 *
 * The text of this file stands in front of every generated kernel and is also included by the driver, so it uses
 * nothing but <stdint.h>. A kernel has two functions: `run` runs one subgroup of one work-group, `run_groups` a number
 * of whole work-groups, one subgroup after the other. Change XS_ABI_VERSION when anything here changes: cached objects
 * of another version are not loaded.
 */
#ifndef XETILE_SOFT_ABI_H
#define XETILE_SOFT_ABI_H

#include <stdint.h>

#define XS_ABI_VERSION 12

/* What a thread keeps for products of matrices while it works on a launch. */
struct xs_thread {
    uint32_t tile_shape; /* how its tile registers are configured (c/prelude_amx.h), 0: not at all */
    uint32_t used;       /* bytes of `shared` that are taken (c/prelude_matrix.h) ... */
    uint32_t next;       /* ... where what is asked for next may be ... */
    uint64_t group;      /* ... and the number + 1 of the work-group that took them */
    uint8_t *shared;     /* XS_SHARED_BYTES, when the kernel wants them; may be NULL */
};
enum { XS_SHARED_BYTES = 4 << 20 };

/* An image. Texel (x, y, z) is at data + x * its bytes + y * row_pitch + z * slice_pitch; layer i of an array begins
 * at data + i * slice_pitch. Layout, type and swizzle have the values of Level Zero's enumerations. */
struct xs_image {
    uint8_t *data;
    uint64_t row_pitch, slice_pitch; /* bytes; not used where there is one row, one slice */
    uint32_t width, height, depth;   /* of a layer; 1 where there is no such dimension */
    uint32_t layers;                 /* 0: not an array */
    uint8_t dims;                    /* 1, 2, 3; 1 over a buffer too */
    uint8_t layout, type;            /* ze_image_format_layout_t, ze_image_format_type_t */
    uint8_t srgb;                    /* 1: red, green and blue are stored as sRGB has them */
    uint8_t swizzle[4];              /* ze_image_format_swizzle_t: what is read as red, green, blue and alpha */
};

/* A sampler, in values of ze_sampler_address_mode_t and ze_sampler_filter_mode_t. Where an image and its sampler are
 * one handle, the sampler stands behind the image. */
struct xs_sampler {
    uint8_t address, filter, normalized;
};

/* An instruction on images, of the lanes whose bits are set in `lanes`. Each array has an element a lane, or several
 * such rows of `S` elements: four coordinates, or (texel) four channels as bits of u32 or f32. The addresses are those
 * of an xs_image and an xs_sampler. Unused arrays are NULL. */
struct xs_image_access {
    uint64_t lanes;
    uint32_t S;
    const uint64_t *image, *sampler; /* no sampler: the texel itself */
    const uint32_t *at;
    uint32_t *texel;
};
typedef void xs_image_fn(const struct xs_image_access *a);
struct xs_image_functions {
    xs_image_fn *fetch, *sample; /* by integers, by floats; into `texel` */
    xs_image_fn *write;
    xs_image_fn *size;   /* into `texel`: as many as the image has dimensions, and its layers */
    xs_image_fn *format; /* into `texel`: SPIR-V's image channel data type and image channel order */
};

/* What a subgroup knows about where it runs. One object a subgroup; `driver` is the scheduler's own. */
struct xs_subgroup {
    uint32_t group_id[3], group_count[3], local_size[3], global_offset[3];
    uint32_t subgroup_id, subgroup_count;
    /* work-items that exist in this subgroup; less than its size only in the last one */
    uint32_t lanes;
    uint32_t work_dim;
    uint32_t local_first[3];        /* the local id of lane 0 */
    uint8_t *frames;                /* run_groups: frame_bytes for each subgroup of a work-group */
    uint8_t *local;                 /* the work-group's local memory, static variables first */
    uint64_t local_bytes;           /* how much of it there is */
    uint64_t stack_top;             /* set by the kernel: private memory lies below, in its frames */
    /* module-scope variables of the CrossWorkgroup and UniformConstant storage classes */
    uint8_t *const *globals;
    void (*barrier)(struct xs_subgroup *self, uint32_t kind); /* XS_BARRIER_...; returns when the work-group has met */
    void (*print)(struct xs_subgroup *self, const char *text, uint32_t bytes);
    void *driver;
    void *check; /* of the checked mode (c/prelude_check.h); NULL: it is off */
    struct xs_thread *thread;
    const struct xs_kernel *kernel; /* which one runs: for a `run_groups` that serves several */
    const struct xs_image_functions *images;
    const char *error;              /* out, from run_groups: why it ended the launch; NULL: a barrier was missed */
};

enum { XS_BARRIER_FULL, XS_BARRIER_ARRIVE, XS_BARRIER_WAIT };

/* `args` is the argument block: each parameter at its offset, pointers as 64-bit addresses. */
typedef void xs_kernel_fn(struct xs_subgroup *self, const uint8_t *args);
/* From work-group self->group_id on, in the launch's order; `self` is that of its first subgroup and changes on the
 * way. Not 0: the launch ends in work-group self->group_id, as self->error says. */
typedef int xs_groups_fn(struct xs_subgroup *self, const uint8_t *args, uint64_t groups);

/* Of the last two the argument block holds the address of a struct xs_image or xs_sampler. */
enum xs_param_kind {
    XS_PARAM_VALUE, XS_PARAM_GLOBAL, XS_PARAM_CONSTANT, XS_PARAM_LOCAL, XS_PARAM_IMAGE, XS_PARAM_SAMPLER
};

struct xs_param {
    const char *name; /* "" when the module names none */
    uint32_t kind, size, offset, align;
};

struct xs_kernel {
    const char *name;
    xs_kernel_fn *run;
    const struct xs_param *params;
    uint32_t param_count, args_bytes;
    uint32_t subgroup_size;
    uint32_t subgroup_size_required; /* 1: the module asks for this size by execution mode */
    uint32_t local_size[3];          /* required work-group size, 0 when free */
    uint32_t local_bytes;            /* static local memory */
    uint32_t private_bytes;          /* per work-item private memory that is not in registers */
    uint32_t stack_bytes;            /* a safe stack for one call of run */
    uint32_t has_barrier;
    uint32_t max_work_dim;
    const char *attributes;          /* source attributes, as zeKernelGetSourceAttributes gives them */
    xs_groups_fn *run_groups;        /* may be NULL */
    uint32_t frame_bytes;            /* what a subgroup keeps across barriers in run_groups; 0: run_groups has none */
    uint32_t shares_blocks;          /* it wants the `shared` of xs_thread */
    const void *body;                /* what a `run_groups` that serves several runs */
    uint32_t spill_bytes; /* of machine code: what its registers do not hold, a subgroup */
};

struct xs_global {
    const char *name; /* "" when not linked by name */
    uint64_t size, align;
    const void *initial; /* NULL: zero */
};

/* An address in an initial value: at byte `at` of global `in` stands the address of global `to` plus `offset`. */
struct xs_pointer {
    uint32_t in, to;
    uint64_t at;
    int64_t offset;
};

/* Lanes `lanes` call it. Arguments and result are vectors of all lanes, the result is written for those lanes only. */
typedef void xs_pointer_fn(struct xs_subgroup *self, uint64_t lanes, void *result, const void *const *args);
/* Such calls nest as long as less than this is in use of the stack below the kernel; each function needs less than
 * that. */
enum { XS_POINTER_STACK = 1 << 20 };
/* A function that can be called by pointer: the pointer is the address of one of these. */
struct xs_function {
    const char *name;
    xs_pointer_fn *run[3]; /* in subgroups of 8, 16, 32; NULL when there is none of that size */
};

/* The one symbol a generated object exports: `const struct xs_module xs_module`. */
struct xs_module {
    uint32_t version; /* XS_ABI_VERSION */
    uint32_t kernel_count, global_count;
    const struct xs_kernel *kernels;
    const struct xs_global *globals;
    uint32_t pointer_count;
    const struct xs_pointer *pointers;
    uint32_t function_count;              /* in xs_pointer `to` they come after the globals */
    const struct xs_function *functions;
    const char *warnings;                 /* "": none; what is not valid in the SPIR-V and was taken all the same */
    uint8_t *const **own_globals;         /* set by the driver for what is called by pointer; NULL when nothing is */
};

#endif
