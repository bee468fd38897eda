/* ---- one build --------------------------------------------------------------------------------------------------- */

typedef struct xt_ctx xt_ctx;

typedef struct {
    const char *name, *params, *file;
    int line;
    void (*body)(xt_ctx *);
} xt_kernel; /* what XT_KERNEL defines; params is text such as "ptr<f16> A, u32 N" */

typedef cm_device xt_target;
typedef cm_module xt_module; /* what XT_BUILD gives */

typedef enum { XT_PITCH_AUTO, XT_PITCH_ALIGNED, XT_PITCH_ANY } xt_pitch;

typedef struct {
    const xt_kernel *kernel;
    const char *file; /* of the user, for errors of the build as a whole */
    int line;
    const xt_target *target;
    int subgroup_size;
    cm_lowering lowering;
    xt_pitch pitch;
    int registers;
    uint32_t version;
    bool names, lines;
} xt_build_desc;

typedef struct {
    xt_ctx *x;
    const char *file;
    int line;
} xt_where_; /* the context and the user's line, given to every function by its macro */

typedef struct {
    void *items;
    int count, capacity;
} xt_list_;

/* How a value is computed from constants, parameters and group ids alone, so that it can be known before the body. */
typedef enum { XT_EXPR_CONST_, XT_EXPR_PARAM_, XT_EXPR_BUILTIN_, XT_EXPR_BINARY_, XT_EXPR_CAST_ } xt_expr_kind_;
typedef struct {
    xt_expr_kind_ kind;
    int op, type, a, b; /* op: of a binary one; number of a parameter or built-in */
    int64_t value;
    spe_id id; /* once written */
} xt_expr_;

typedef struct {
    int parent;   /* vectors that must share a layout form a class (union-find) */
    bool need[3]; /* of the root: which uses an operation asked for, by cm_use */
    bool accumulator;
} xt_plan_vec_;

enum { XT_COMPONENTS_ = 6 }; /* scalars of a tile: offset, shape, pitch, base */

typedef struct {
    int parent; /* tiles that may take each other's place form a class */
    bool used, possible, column_major;
    int type, base, rows, cols, pitch;       /* type: of the elements; the others are expressions */
    spe_id rows_id, cols_id, pitch_id, test; /* once written */
    int origin[2];                           /* where it starts, as expressions */
    /* of this version: offset, shape, pitch and base as XT_INIT_TILE left them */
    spe_id made[XT_COMPONENTS_];
} xt_plan_tile_;

typedef struct {
    int tile, expression;
    int mask, below; /* what 2D block messages need: (expression & mask) == 0, or expression < the expression `below` */
} xt_plan_offset_;

enum { XT_PLACES_MAX_ = 64 };

/* An array in local memory, the same one in every version of the body, aligned to so many bytes. */
enum { XT_LOCAL_ALIGN_ = 64 };
typedef struct {
    int type;
    int64_t elements;
    spe_id id;
} xt_local_array_;

/* What differs from lane to lane, made before the body: a condition, and a number. */
typedef struct {
    uint32_t mask; /* bit p: in lane p */
    spe_id id;
} xt_lane_bit_row_;
typedef struct {
    unsigned char table[32];
    spe_id id;
} xt_lane_table_row_;

/* A carried value of any kind: magic tells which. */
typedef struct {
    uint32_t magic;
    xt_val val;
    xt_vec vec;
    xt_tile tile;
} xt_thing_;

typedef struct {
    void *object;               /* the user's variable */
    xt_thing_ start, body, now; /* body: at the top of a loop's body, or at the end of XT_IF's first side */
} xt_slot_;

typedef enum { XT_FRAME_FOR_, XT_FRAME_IF_, XT_FRAME_WHILE_ } xt_frame_kind_;
typedef struct { /* of an open region */
    xt_frame_kind_ kind;
    int number;          /* of the frames of this kernel, in order */
    xt_val lo, hi, step; /* of a loop */
    int slots;
    xt_slot_ *slot;
    spe_id *ids;
    int id_count;
} xt_frame_;

/* A subgroup's place in a map's dimension, kept so that tiles of one map share the arithmetic. */
typedef struct {
    int dim, across, layout, count, data;
    spe_id id;
} xt_place_;

struct xt_ctx {
    spe_module m; /* first: see cm_build_begin_ */
    cm_ctx cm;
    cm_target target;
    const xt_kernel *kernel;
    const xt_build_desc *desc;
    int S;
    bool planning, block2d; /* block2d: this is the version with 2D block messages */
    cm_param_ params[CM_PARAMS_MAX_];
    int param_count;
    xt_val args[CM_PARAMS_MAX_];
    /* counters of one run of the body; a second run must give the same numbers */
    uint32_t serial, step_hash, planned_hash, operations;
    int vec_count, tile_count, frame_count, local_count;
    /* the plan */
    xt_list_ vecs, tiles, offsets, exprs,
        changed;          /* changed: uint32_t masks of components, slot by slot, frame by frame */
    xt_list_ frame_first; /* of each frame its first mask in `changed` */
    xt_list_ locals;
    int64_t local_bytes;
    size_t scratch_wanted, scratch_least, scratch_bytes; /* local memory of operations between subgroups */
    const char *scratch_file;                            /* who needs scratch_least */
    int scratch_line;
    spe_id scratch;
    xt_list_ lane_bits, lane_tables; /* written so far */
    const char *arrived;             /* the split barrier that is under way */
    /* the prefetch that waits for a second one to share the subgroups with; magic 0: none */
    xt_tile waiting;
    int waiting_locality;
    int subgroups, subgroups_line;
    const char *subgroups_file;
    xt_map subgroups_map;
    bool has_mma;
    size_t accumulator_bytes, product_bytes; /* of a subgroup, at most: of a sum; of a sum and both operands */
    cm_regions_ regions;
    xt_frame_ frames[CM_REGIONS_MAX_]; /* one a region */
    xt_place_ places[XT_PLACES_MAX_];
    int place_count;
};

static inline xt_where_ xt_where_at_(xt_ctx *x, const char *file, int line)
{
    xt_where_ w;
    w.x = x;
    w.file = file;
    w.line = line;
    return w;
}

static inline const cm_errors_ *xt_errors_(void)
{
    static const cm_errors_ errors = {xt_error_name,
                                      xt_error_text,
                                      XT_ERROR_PARAMETER_TEXT,
                                      XT_ERROR_TARGET,
                                      XT_ERROR_SUBGROUP_SIZE,
                                      XT_ERROR_UNCLOSED,
                                      {XT_ERROR_MEMORY, "XT_ERROR_MEMORY", "out of memory", NULL, 0}};
    return &errors;
}

static inline cm_blame_ xt_blame_(xt_where_ w) { return cm_blame_of_(&w.x->m, xt_errors_(), w.file, w.line); }

/* Reports an error at the user's line to the module, which keeps the first. */
CM_PRINTF_(3, 4) static inline void xt_fail_(xt_where_ w, int id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cm_vreport_(xt_blame_(w), id, format, args);
    va_end(args);
}

enum { XT_PREFETCH_OPERATION_ = 54 };
static inline void xt_prefetch_waiting_(xt_ctx *x);

/* At the start of every operation: errors from here on are blamed on the user's line. False after an error. */
static inline bool xt_enter_(xt_where_ w, uint32_t operation)
{
    if (w.x->waiting.magic && operation != XT_PREFETCH_OPERATION_) xt_prefetch_waiting_(w.x);
    spe_at(&w.x->m, w.file, w.line);
    w.x->step_hash = (w.x->step_hash ^ operation) * 16777619u;
    w.x->operations++;
    return spe_ok(&w.x->m);
}

static inline void *xt_memory_(xt_ctx *x, size_t bytes) { return spe_alloc(&x->m, bytes ? bytes : 1); }

/* A new zeroed item at the end of a list; NULL when out of memory. */
static inline void *xt_push_(xt_ctx *x, xt_list_ *list, size_t size)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity ? list->capacity * 2 : 32;
        void *items = xt_memory_(x, (size_t)capacity * size);
        if (!items) return NULL;
        if (list->count) memcpy(items, list->items, (size_t)list->count * size);
        list->items = items;
        list->capacity = capacity;
    }
    return (char *)list->items + (size_t)list->count++ * size;
}

static inline xt_plan_vec_ *xt_plan_vec_at_(xt_ctx *x, int i) { return (xt_plan_vec_ *)x->vecs.items + i; }
static inline xt_plan_tile_ *xt_plan_tile_at_(xt_ctx *x, int i) { return (xt_plan_tile_ *)x->tiles.items + i; }
static inline xt_expr_ *xt_expr_at_(xt_ctx *x, int i) { return (xt_expr_ *)x->exprs.items + i; }

static inline const char *xt_type_name_(int type)
{
    const cm_type_row *row = cm_type_info((cm_type)type);
    return type == XT_BOOL_ ? "i1" : row ? row->name : "no type";
}

static inline bool xt_is_float_(int type)
{
    return type < XT_BOOL_ && cm_type_info((cm_type)type)->kind == CM_KIND_FLOAT;
}

static inline bool xt_is_int_(int type) { return type < XT_BOOL_ && cm_type_info((cm_type)type)->kind == CM_KIND_INT; }
static inline bool xt_is_signed_(int type) { return type < XT_BOOL_ && cm_type_info((cm_type)type)->is_signed; }
static inline int xt_bits_(int type) { return type == XT_BOOL_ ? 1 : cm_type_info((cm_type)type)->bytes * 8; }

/* The type that coopmatrix.h holds a vector's or tile's elements in: an i1 is a byte, 0 or 1. */
static inline cm_type xt_held_(int type) { return type == XT_BOOL_ ? CM_U8 : (cm_type)type; }

/* The SPIR-V type that holds a scalar of this type. */
static inline spe_id xt_spe_type_(xt_ctx *x, int type)
{
    const cm_type_row *row;
    if (type == XT_BOOL_) return spe_bool(&x->m);
    row = cm_type_info((cm_type)type);
    return row->storage_float ? spe_float(&x->m, (uint32_t)row->storage_bits)
                              : spe_int(&x->m, (uint32_t)row->storage_bits);
}
