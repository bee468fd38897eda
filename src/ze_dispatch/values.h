/* values.h - parameters, and arguments with their C types: part of the faces of ze_dispatch.h and vk_dispatch.h. */
typedef struct zed_type_ {
    const char *name;
    unsigned char size;         /* bytes */
    char kind;                  /* of a value: i u f, h and b for f16 and bf16; 0: only in memory */
    unsigned char pointed_size; /* the C types that pointers to it may have: their size, */
    const char *pointed_kinds;  /* and their kinds: i u f, c for plain char */
} zed_type_;

enum { ZED_PARAM_VALUE, ZED_PARAM_PTR, ZED_PARAM_LOCAL };

typedef struct zed_param {
    int kind; /* ZED_PARAM_... */
    const zed_type_ *type;
    char name[64];
} zed_param;

typedef struct zed_groups {
    uint32_t count_x, count_y, count_z;
} zed_groups;

typedef struct zed_local {
    size_t bytes;
} zed_local;

/* An argument with its C type. Made by ZED_ARG(value) or the zed_arg_... functions. */
typedef struct zed_arg {
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
} zed_arg;

/* SPIR-V's numbers of what stands before functions and tells of spec constants; not for users. */
enum { ZED_OP_TYPE_INT_ = 21, ZED_OP_TYPE_FLOAT_, ZED_OP_SPEC_TRUE_ = 48, ZED_OP_SPEC_FALSE_, ZED_OP_SPEC_,
       ZED_OP_FUNCTION_ = 54, ZED_OP_DECORATE_ = 71, ZED_SPEC_ID_ = 1 };

/* An argument as its kernel takes it; not for users. */
typedef struct zed_bound_ {
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
} zed_bound_;

/* The file of what a driver compiled; not for users. */
typedef struct zed_entry_ {
    char head[2048]; /* of its key: a line of text, without zeroes behind it */
    size_t head_size;
    const void *words; /* and the module */
    size_t bytes;
    uint64_t hash;
    char path[1100];
} zed_entry_;

/* A C type as a number: the size of a value; for pointers, kind and size of the target. */
#define ZED_CODE_(kind, type) (((kind) << 8) | (int)sizeof(type))

XETILE_API zed_arg zed_arg_int_(int64_t v, int code);
XETILE_API zed_arg zed_arg_uint_(uint64_t v, int code);
XETILE_API zed_arg zed_arg_float_(float v, int code);
XETILE_API zed_arg zed_arg_double_(double v, int code);
XETILE_API ZED_NOT_READ_ zed_arg zed_arg_pointer_(const volatile void *p, int code);
XETILE_API zed_arg zed_arg_local_(zed_local v, int code);
XETILE_API zed_arg zed_arg_same_(zed_arg a, int code); /* for an argument that already is a zed_arg */
XETILE_API zed_arg zed_arg_text_(zed_arg a, const char *text);

/* For generated code, which knows the parameters and needs no C types. */
XETILE_API zed_arg zed_arg_i(int64_t v);
XETILE_API zed_arg zed_arg_u(uint64_t v);
XETILE_API zed_arg zed_arg_f(double v); /* a float is converted by the caller: subnormals may be flushed there */
XETILE_API zed_arg zed_arg_ptr(const volatile void *p);
XETILE_API zed_arg zed_arg_local(size_t bytes);
