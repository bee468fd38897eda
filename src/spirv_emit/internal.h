/* internal.h - declarations shared by the bodies of spirv_emit.h only. */
#define XETILE_SEPARATE_
#include "../spirv_emit.h"

enum { SPE_ID_TYPE_ = 1, SPE_ID_CONSTANT_ = 2, SPE_ID_GLOBAL_ = 4, SPE_ID_FUNCTION_ = 8, SPE_ID_SPEC_ = 16,
       SPE_ID_KERNEL_ = 32, SPE_ID_PACKED_ = 64 /* a pointer into a packed struct */,
       SPE_ID_FOLDED_ = 128 /* an operation returned this operand unchanged */,
       SPE_ID_DECLARED_ = 0x4000 /* a function whose body is to come */,
       SPE_ID_KEPT_HALF_ = 0x100, /* in modules for Vulkan, see spe_is_kept_ */
       SPE_ID_BYTE_ = 0x1000, SPE_ID_PRODUCT_ = 0x2000,
       SPE_ID_POSITION_ = 0x8000 /* see igc.c; of modules for OpenCL halves.c has bits 8 to 11 */ };

enum { SPE_RECENT_VECTOR_ = 0x40000000 };

/* -- regions.c: the states of a region -- */
enum { SPE_REGION_IF_, SPE_REGION_ELSE_, SPE_REGION_FOR_, SPE_REGION_WHILE_, SPE_REGION_BODY_, SPE_REGION_SWITCH_,
       SPE_REGION_CASE_ };

/* -- flow.c: hints are bits; those from DependencyLength on have a value -- */
enum { SPE_LOOP_HINTS_ = 9, SPE_FIRST_HINT_WITH_VALUE_ = 3 };

enum { SPE_SCOPES_OF_FUNCTION_ = 3 }; /* of the module, the function's entry, its body; then one for each region */

/* -- dots.c: numbers of values by their ids, and those of the dot products that are used. NULL: there are none -- */
typedef struct {
    uint32_t *number, *used, count, mask;
} spe_dots_;

/* -- forms.c and checks.c: instructions by the letters of SPE_INSTRUCTIONS_ -- */
/* Kinds of operands: bits. */
enum { SPE_INT_ = 1 << SPE_KIND_INT, SPE_FLOAT_ = 1 << SPE_KIND_FLOAT, SPE_BOOL_ = 1 << SPE_KIND_BOOL,
       SPE_PTR_ = 1 << SPE_KIND_POINTER, SPE_SMALL_ = 1 << 30 /* also floats without arithmetic */ };

/* The state of checking an instruction's operands. */
typedef struct {
    spe_id first, pointee, given; /* type of the first value, target of the last pointer, requested type */
    uint32_t count, words[16];
    uint32_t packed; /* SPE_ID_PACKED_ if an operand is such a pointer */
} spe_call_;

/* -- types.c: a type of pointers to local memory, where these are offsets -- */
typedef struct {
    spe_id elem, id;
} spe_offset_type_;

/* -- errors.c -- */
/* Reports an error of the call m->doing, or, with SPE_ERROR_, of the enclosing function. Both return 0. */
XETILE_PRIVATE SPE_PRINTF(3, 4) spe_id spe_error_(spe_module *m, int id, const char *format, ...);
#define SPE_ERROR_(m, id, ...) ((m)->doing = __func__, spe_error_(m, SPE_ERR_##id, __VA_ARGS__))

/* Calls other public functions: errors name the enclosing function, which the user called. */
#define SPE_WITHIN_(m, call)                                                                                           \
    ((m)->within = (m)->within ? (m)->within : __func__, spe_leave_(m, __func__, call))
#define SPE_DO_WITHIN_(m, call)                                                                                        \
    ((m)->within = (m)->within ? (m)->within : __func__, call, (void)spe_leave_(m, __func__, 0))

/* -- needs.c -- */
/* Things with needs: types by width, encoding, count; enumerants; instructions (by number, some also by variant). */
enum { SPE_NEED_NOTHING_, SPE_NEED_INT_, SPE_NEED_FLOAT_, SPE_NEED_ENCODING_, SPE_NEED_VECTOR_, SPE_NEED_COOP_,
       SPE_NEED_COOPVEC_, SPE_NEED_BUILTIN_, SPE_NEED_DECORATION_, SPE_NEED_MODE_, SPE_NEED_STORAGE_, SPE_NEED_OP_,
       SPE_NEED_OP_ACROSS_, SPE_NEED_OP_CLUSTERED_, SPE_NEED_OP_16_, SPE_NEED_OP_32_, SPE_NEED_OP_64_,
       SPE_NEED_OP_BF16_, SPE_NEED_END_ };

/* -- glsl.c: numbers in GLSL.std.450 -- */
enum { SPE_GLSL_ROUND_EVEN_ = 2, SPE_GLSL_TRUNC_ = 3, SPE_GLSL_FABS_ = 4, SPE_GLSL_EXP2_ = 29,
       SPE_GLSL_LOG2_ = 30, SPE_GLSL_SQRT_ = 31, SPE_GLSL_FMA_ = 50, SPE_GLSL_FIND_LSB_ = 73, SPE_GLSL_FIND_MSB_ = 75,
       SPE_GLSL_NMIN_ = 79, SPE_GLSL_NMAX_ = 80 };

/* -- vulkan.c -- */
/* What only modules for Vulkan need, and calls through m->vulkan: programs that make none compile without it, since
 * join.sh puts these files, those that `parts` marks, behind an #if. */
typedef struct spe_vulkan_part_ {
    spe_id (*emit)(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands);
    spe_id (*math)(spe_module *m, const char *name, spe_math_op f, const char *form, uint32_t n, const spe_id *args);
    bool (*push_params)(spe_module *m, const spe_kernel *k);
    spe_id (*cast)(spe_module *m, spe_id type, spe_id v, const spe_conversion *c);
    uint32_t (*op)(spe_module *m, uint32_t op, uint32_t operand);
    spe_id (*vec)(spe_module *m, spe_id elem, uint32_t n, bool in_memory);
    spe_id (*pointer)(spe_module *m, spe_type_info t);
    spe_id (*local_variable)(spe_module *m, spe_id ptr, spe_id type, spe_id initializer);
    void (*alias)(spe_module *m, spe_id id, spe_id type, uint32_t decoration);
    spe_id (*builtin)(spe_module *m, spe_builtin_name which, uint32_t dim);
    bool (*has_capability)(spe_module *m, uint32_t capability, const char *extension);
    int (*keeps_decoration)(spe_module *m, uint32_t decoration);
    void (*forbid_contraction)(spe_module *m);
    spe_id (*local_vector)(spe_module *m, spe_id vectors, spe_id index);
    bool (*is_vector_math)(spe_math_op f, const spe_type_info *t);
} spe_vulkan_part_;

#if defined(XETILE_STATIC_) && !defined(__cplusplus) /* a tentative definition: NULL unless vulkan.c follows */
static const spe_vulkan_part_ *const spe_vulkan_here_;
#define SPE_VULKAN_PART_ spe_vulkan_here_
#else
XETILE_PRIVATE const spe_vulkan_part_ *spe_vulkan_(void);
#define SPE_VULKAN_PART_ spe_vulkan_()
#endif

#include "prototypes.h"
