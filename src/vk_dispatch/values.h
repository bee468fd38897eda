/* values.h - written by join.sh from ze_dispatch/values.h. */
typedef struct vkd_type_ {
    const char *name;
    unsigned char size;         /* bytes */
    char kind;                  /* of a value: i u f, h and b for f16 and bf16; 0: only in memory */
    unsigned char pointed_size; /* the C types that pointers to it may have: their size, */
    const char *pointed_kinds;  /* and their kinds: i u f, c for plain char */
} vkd_type_;

enum { VKD_PARAM_VALUE, VKD_PARAM_PTR, VKD_PARAM_LOCAL };

typedef struct vkd_param {
    int kind; /* VKD_PARAM_... */
    const vkd_type_ *type;
    char name[64];
} vkd_param;

typedef struct vkd_groups {
    uint32_t count_x, count_y, count_z;
} vkd_groups;

typedef struct vkd_local {
    size_t bytes;
} vkd_local;

/* An argument with its C type. Made by VKD_ARG(value) or the vkd_arg_... functions. */
typedef struct vkd_arg {
    char kind;          /* i u f: a number; p: a pointer; l: local memory */
    char pointed;       /* target of a pointer: i u f c, or v for other types */
    unsigned char size; /* bytes of the value or of what is pointed to */
    union {
        int64_t sint;
        uint64_t uint;
        double real; /* exactly, of a float too */
        const void *ptr;
    } as;
    const char *text; /* the caller's source text; may be NULL */
} vkd_arg;

/* SPIR-V's numbers of what stands before functions and tells of spec constants; not for users. */
enum { VKD_OP_TYPE_INT_ = 21, VKD_OP_TYPE_FLOAT_, VKD_OP_SPEC_TRUE_ = 48, VKD_OP_SPEC_FALSE_, VKD_OP_SPEC_,
       VKD_OP_FUNCTION_ = 54, VKD_OP_DECORATE_ = 71, VKD_SPEC_ID_ = 1 };

/* An argument as its kernel takes it; not for users. */
typedef struct vkd_bound_ {
    size_t size;
    bool no_value; /* local memory, or a null pointer */
    union {
        uint64_t u;
        uint8_t bytes[8];
        const void *p;
        double f64;
        uint32_t u32;
        uint16_t u16;
        uint8_t u8;
    } as;
} vkd_bound_;

/* The file of what a driver compiled; not for users. */
typedef struct vkd_entry_ {
    char head[2048]; /* of its key: a line of text, without zeroes behind it */
    size_t head_size;
    const void *words; /* and the module */
    size_t bytes;
    uint64_t hash;
    char path[1100];
} vkd_entry_;

/* A C type as a number: the size of a value; for pointers, kind and size of the target. */
#define VKD_CODE_(kind, type) (((kind) << 8) | (int)sizeof(type))

XETILE_API vkd_arg vkd_arg_int_(int64_t v, int code);
XETILE_API vkd_arg vkd_arg_uint_(uint64_t v, int code);
XETILE_API vkd_arg vkd_arg_float_(float v, int code);
XETILE_API vkd_arg vkd_arg_double_(double v, int code);
XETILE_API VKD_NOT_READ_ vkd_arg vkd_arg_pointer_(const volatile void *p, int code);
XETILE_API vkd_arg vkd_arg_local_(vkd_local v, int code);
XETILE_API vkd_arg vkd_arg_same_(vkd_arg a, int code); /* for an argument that already is a vkd_arg */
XETILE_API vkd_arg vkd_arg_text_(vkd_arg a, const char *text);

/* For generated code, which knows the parameters and needs no C types. */
XETILE_API vkd_arg vkd_arg_i(int64_t v);
XETILE_API vkd_arg vkd_arg_u(uint64_t v);
XETILE_API vkd_arg vkd_arg_f(double v); /* a float is converted by the caller: subnormals may be flushed there */
XETILE_API vkd_arg vkd_arg_ptr(const volatile void *p);
XETILE_API vkd_arg vkd_arg_local(size_t bytes);
