/* ---- values ------------------------------------------------------------------------------------------------------ */

enum { XT_BOOL_ = CM_TYPE_COUNT }; /* the type of conditions, beside the cm_type values */
enum { XT_VAL_MAGIC_ = 0x58745631, XT_VEC_MAGIC_ = 0x58745632, XT_TILE_MAGIC_ = 0x58745633 };

typedef enum { XT_NONE_, XT_INT_, XT_REAL_, XT_SCALAR_, XT_POINTER_ } xt_kind_;

/* A number: a C constant (XT_INT_, XT_REAL_), a scalar of the kernel, or a pointer parameter. */
typedef struct {
    uint32_t magic;
    xt_kind_ kind;
    int type; /* cm_type or XT_BOOL_; of what a pointer points to */
    spe_id id;
    int align;      /* a power of two that is known to divide it */
    int expression; /* in the plan: how to compute it before the body, 0 when that cannot be done */
    bool local;     /* a pointer to local memory */
    spe_id root;    /* in the plan: it is the value with this id plus delta */
    spe_id start, advance; /* when writing: in a loop it is start + advance, how far the index has come; 0: it is not */
    int64_t delta;
    int64_t i;
    double real;
} xt_val;

typedef struct {
    int n;
    xt_val v[4];
} xt_index; /* what XT_AT makes */

/* A vector: one cm_matrix for each block of each piece that this subgroup owns. */
typedef struct {
    uint32_t magic;
    cm_type type;
    int node;        /* in the plan: vectors of one class share a layout */
    uint32_t serial; /* in the plan: which operation made it */
    xt_map map;
    xt_dist dist;
    int inner[2]; /* inner_blocks: the vector counts as 4-D; 0: it is 2-D */
    const void *loaded; /* how it was loaded (xt_load_desc_); NULL: it was not */
    uint32_t operation; /* number of the operation that loaded it */
    cm_use use;
    int blocks;
    cm_matrix *block; /* piece by piece, row-major in a piece */
} xt_vec;

/* A tile: a rows x cols window of a matrix in memory. */
typedef struct {
    uint32_t magic;
    cm_type type;
    int node; /* in the plan */
    bool column_major;
    bool inside; /* promised: no part of it is ever outside the base matrix */
    bool scatter; /* every element has an offset of its own: offsets; shape[1] elements from base on */
    xt_map map;
    xt_dist dist;
    int inner[2];                            /* inner_blocks, 0: none */
    xt_val base, offset[2], shape[2], pitch; /* offset: of this subgroup's first piece */
    xt_vec offsets;
} xt_tile;

typedef struct {
    bool is_vec;
    xt_val val;
    xt_vec vec;
} xt_any_;

static inline xt_val xt_number_(xt_kind_ kind, int type, int64_t i, double real)
{
    xt_val v;
    memset(&v, 0, sizeof v);
    v.magic = XT_VAL_MAGIC_;
    v.kind = kind;
    v.type = type;
    v.i = i;
    v.real = real;
    v.align = 1;
    return v;
}

static inline xt_val xt_int_(long long i) { return xt_number_(XT_INT_, CM_I32, (int64_t)i, (double)i); }
static inline xt_val xt_uint_(unsigned long long u) { return xt_number_(XT_INT_, CM_I32, (int64_t)u, (double)u); }
static inline xt_val xt_real_(double d) { return xt_number_(XT_REAL_, CM_F32, 0, d); }
static inline xt_val xt_same_(xt_val v) { return v; }

static inline xt_any_ xt_any_val_(xt_val v)
{
    xt_any_ a;
    memset(&a, 0, sizeof a);
    a.val = v;
    return a;
}

static inline xt_any_ xt_any_vec_(xt_vec v)
{
    xt_any_ a;
    memset(&a, 0, sizeof a);
    a.is_vec = true;
    a.vec = v;
    return a;
}

static inline xt_any_ xt_any_int_(long long i) { return xt_any_val_(xt_int_(i)); }
static inline xt_any_ xt_any_uint_(unsigned long long u) { return xt_any_val_(xt_uint_(u)); }
static inline xt_any_ xt_any_real_(double d) { return xt_any_val_(xt_real_(d)); }

static inline xt_index xt_at_(int n, xt_val a, xt_val b, xt_val c, xt_val d)
{
    xt_index x;
    x.n = n;
    x.v[0] = a;
    x.v[1] = b;
    x.v[2] = c;
    x.v[3] = d;
    return x;
}
