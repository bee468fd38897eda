/* internal.h - declarations shared by the bodies of xetile.h only. */
#define XETILE_SEPARATE_
#include "../xetile.h"

#if defined(__cplusplus)
#define XT_ZERO_ {} /* all members zero */
#else
#define XT_ZERO_ {0}
#endif

/* A value, map or carried variable as text, for messages. */
typedef struct {
    char s[112];
} xt_text_;

/* How a side of a piece is cut into powers of two, the largest first, each at most 64: coopmatrix.h takes these as
 * rows. The last may extend beyond the end: sides are rounded up to multiples of `unit`, smaller ones to powers of
 * two. */
enum { XT_CUT_MAX_ = 24, XT_CUT_LARGEST_ = 64, XT_SIDE_MAX_ = 1024 };
typedef struct {
    int n;
    int size[XT_CUT_MAX_], at[XT_CUT_MAX_];
} xt_cut_;

enum { XT_VEC_MAGIC_ = 0x58745632, XT_TILE_MAGIC_ = 0x58745633 };

/* ---- the record: ir/record.c
 *
 * The body runs once. Each operation becomes a node, and each number, vector or tile that it produces or takes a value;
 * the user's xt_val, xt_vec and xt_tile refer to values by id, and so do nodes and regions. Regions have nodes at their
 * beginning and end. Passes read the nodes in order, see xt_make_module_. */

#include "ops.h"

typedef struct xt_node_ xt_node_;

/* An operation and the function that writes it. What is recorded names these objects, see lower/lower.c, and no table
 * has all of them: so compilers leave out what would write the operations that a program does not use. */
typedef struct {
    xt_op_ op;
    void (*write)(xt_ctx *x, const xt_node_ *n);
} xt_operation_;
#define XT_AS_(name) (&xt_operation_##name##_)
#if defined(XETILE_SEPARATE_)
#define XT_SHARED_
#define XT_OPERATION_DECLARE_(name, ...) extern const xt_operation_ xt_operation_##name##_;
XT_OPERATIONS_(XT_OPERATION_DECLARE_)
#else
#define XT_SHARED_ static XETILE_ATTR_(__unused__)
#endif

/* What a value is: a number, a vector or a tile; its magic tells which. */
typedef union {
    uint32_t magic;
    xt_val val;
    xt_vec vec;
    xt_tile tile;
} xt_object_;

/* A node's operands, values by id, as they are recorded; type: see xt_node_. */
enum { XT_OPERANDS_MAX_ = 32 };
typedef struct {
    int type, count;
    uint32_t id[XT_OPERANDS_MAX_];
} xt_ids_;

/* A vector in the version that is written: its blocks, piece by piece, row-major within a piece; blocks 0: none. */
typedef struct {
    uint32_t id;
    cm_type type;
    xt_dist dist;
    cm_use use;
    int blocks;
    cm_matrix *block;
} xt_fragments_;

/* Computes a block of an element-wise operation, or a strip of one, from those of the operands. */
typedef cm_matrix (*xt_each_fn_)(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a);

typedef struct {
    const xt_object_ *is; /* as it was when an operation first took it */
    int node;   /* that produces it */
    int scope;  /* where it is defined */
    bool hoistable; /* a number that can be computed before the body: from constants, parameters and group ids only */
    int divergence; /* what a number or vector may differ between: 0, nothing in the work-group; 1, subgroups; 2, lanes
                     */
    spe_id hoisted_id;
    /* vectors; those that must share a layout form a class (union-find) */
    uint32_t parent;
    bool need[3]; /* of the root: the uses that products need, by cm_use */
    bool shares_layout; /* with others of its class */
    int last_use;       /* in x->uses; 0: none */
    bool unused;  /* a sum that only ends an iteration, in which a loop adds it to its index instead */
    int stage;    /* 1 + its index among loads through local memory, see passes/local_operands.c; 0: not one */
    bool deferred;    /* computed strip by strip where it is stored, see xt_find_deferred_ */
    bool unmade;  /* during writing: some strips are not computed yet */
    xt_each_fn_ each; /* computes them, if the operation is element-wise */
    int repeated; /* 1: all lanes are known to hold the same; -1: they are not; 0: see xt_is_repeated_ */
    uint32_t tied; /* those that are opaque together form a class, see passes/opaque.c */
    bool opaque, carried; /* of its root: opaque; it has other members */
    bool multiplies, reached; /* of its root: a product is one of these; a product is among what it is computed from */
    int panel; /* 1 + its index among operands in local memory, see passes/opaque.c; 0: not one */
    cm_matrix *unrolled; /* during writing: its blocks for several iterations of a loop, see lower/unroll.c */
    /* during writing. A number that advances with the loop index is start + advance of the index. */
    spe_id start, advance;
    union {
        xt_val number;
        xt_fragments_ vec;
    } now;
} xt_value_;

/* A use of a value as a node's operand, or by the region that the node begins or ends. */
typedef struct {
    int node;
    int before; /* the use of the same value before it; 0: none */
} xt_use_;

typedef struct {
    int node;
    const char *text;
} xt_remark_of_;

/* ---- regions: front/carried.c, front/control.c */

/* One carried variable: its value before the region, at the top of a loop's body, at the end of XT_IF's first side, at
 * the end of the body or second side, and after the region. mask: its scalars that change, a bit each. */
typedef struct {
    void *object; /* the user's variable */
    uint32_t start, body, now, result, mask;
} xt_slot_;

struct xt_frame_ {
    xt_op_ op;           /* XT_OP_FOR_, XT_OP_WHILE_, XT_OP_IF_ */
    uint32_t lo, hi, step; /* values: of a loop, as written; lo: the condition of XT_IF */
    uint32_t index;
    uint32_t given[4];     /* the user's lo, hi, step and index */
    xt_frame_ *in;          /* the region around it; NULL: none */
    int begin, end;         /* its nodes */
    int divergence;             /* of the enclosing regions */
    int first;              /* the first node after those of the loop's head */
    int outer, scope, side; /* scopes: enclosing the region, of the region, of the open side */
    int tile_count;         /* before a second walk */
    int64_t local_bytes;
    const char *arrived;
    bool has_barrier; /* a barrier precedes it, see passes/local_operands.c */
    int per_copy; /* iterations whose operands are copied together, see passes/local_operands.c; 0: not decided */
    bool counts;  /* some scalars advance with the index */
    bool changes; /* memory, or waits for that, see passes/opaque.c */
    int slots;
    xt_slot_ *slot;
    /* during writing */
    spe_id *ids;
    int id_count;
    int copies, copy; /* XT_FOR: of the body, per iteration of this loop; the current one, from 0 */
    int per_load; /* copies that share their loads, see lower/unroll.c */
    spe_id side_before; /* the side that the region is on */
    spe_id from, iteration;    /* the first index; of this iteration */
    int panel_ids;        /* vectors of panels that it carries behind the others */
    bool inner; /* the loop that is written has those iterations in which all its panels are, see lower/panels.c */
};

/* The operands of XT_INIT_TILE: the tile of the matrix that leading dimensions select from, the base as given, the
 * offsets of a scatter tile, the offset of this subgroup's first piece, the distance to the selected matrix in
 * elements; and, see xt_given_, what the user gave for each dimension. Those that it lacks are 0. */
enum { XT_INIT_MATRIX_, XT_INIT_BASE_, XT_INIT_SCATTER_, XT_INIT_PIECE_, XT_INIT_DISTANCE_ = 5, XT_INIT_GIVEN_ };
typedef enum { XT_GIVEN_OFFSET_, XT_GIVEN_SHAPE_, XT_GIVEN_STRIDES_ } xt_given_list_;

/* The operands of accesses. Those that they lack are 0. */
enum { XT_ACCESS_TILE_, XT_ACCESS_MASK_, XT_ACCESS_VEC_ };

/* Those of products. */
enum { XT_MMA_SUM_, XT_MMA_LEFT_, XT_MMA_RIGHT_, XT_MMA_SCALE_A_, XT_MMA_SCALE_B_, XT_MMA_OPERANDS_ };

/* What a load has outside of the matrix, or where the mask is 0. */
typedef struct {
    double padding;
    xt_border border;
} xt_outside_;

/* An array in local memory; id: set by the first version of the body, used by all. */
typedef struct {
    int elements;
    spe_id id;
} xt_local_array_;

/* XT_TABLE. */
typedef struct {
    const double *reals; /* of a float type; else the other one */
    const int64_t *integers;
    spe_id *array; /* set by the first version of the body, used by all */
} xt_table_of_;

/* XT_EMIT and XT_EMIT_VEC. */
typedef struct {
    xt_emit_fn number;
    xt_emit_block_fn block;
    void *user;
} xt_users_fn_;

/* ---- results of passes for tiles: passes/block2d.c */

enum { XT_COMPONENTS_ = 6 }; /* scalars of a tile: offset, shape, pitch, base */

typedef struct {
    int parent; /* tiles that may replace each other form a class */
    bool used;
    bool differs_by_subgroup;          /* subgroups may have it at different positions */
    bool lines_in_body;     /* the number of lines of its matrix is computed in the body */
    bool shared_addresses; /* in a class with others, or its elements are accessed by their addresses */
    int band;            /* elements between bands of an array in local memory, see passes/bands.c; 0: it has rows */
    int align[2];        /* divisors of the tile's offset at all times */
    const char *why_not; /* NULL: 2D block messages can access it */
    const xt_node_ *of;  /* the XT_INIT_TILE */
    spe_id extent_id[2], pitch_id, test; /* 0 until written */
    /* in this version: offset, shape, pitch and base */
    spe_id made[XT_COMPONENTS_];
} xt_plan_tile_;

/* A requirement of 2D block messages: (value & mask) == 0, or value < below (bound: <=). narrow: of the low 32 bits
 * only. */
typedef struct {
    int tile;
    uint32_t value, below; /* below 0: use the mask */
    int mask;
    bool narrow, bound;
} xt_plan_offset_;

/* Alignment of arrays in local memory, in bytes. All versions of the body use the same arrays. */
enum { XT_LOCAL_ALIGN_ = 64 };

/* The most lanes of a subgroup, and a set of lanes, one bit for each. */
enum { XT_LANES_MAX_ = CM_LANES };
typedef uint64_t xt_lanes_;

/* Values that depend only on the subgroup. Each is computed once, before the body, and found by its key. */
typedef enum { XT_ONCE_PIECE_OFFSET_, XT_ONCE_FIRST_ } xt_once_kind_;
typedef struct {
    xt_once_kind_ kind;
    unsigned char key[32];
    spe_id id; /* 0: not yet */
} xt_once_;

XETILE_PRIVATE SPE_PRINTF(3, 4) bool xt_fail_(xt_where_ w, int id, const char *format, ...);
/* The same, returning a lost number or vector instead of false. */
#define XT_FAIL_NUMBER_(...) (xt_fail_(__VA_ARGS__), xt_nothing_())
#define XT_FAIL_VEC_(...) (xt_fail_(__VA_ARGS__), xt_no_vec_())

/* ---- passes/local_operands.c, lower/copy_in.c, lower/local_operands.c */

/* Dwords along k in a plane; dwords of a message per lane. Up to so many units of a subgroup are all loaded before the
 * first one is stored; more would take too many registers. */
enum { XT_PLANE_ = 8, XT_STAGE_MOST_ = 16, XT_EAGER_ = 4 };

/* How an operand, or its transpose, is loaded through local memory. Lines are those of memory. Positions and sizes in
 * local memory are in dwords. */
typedef struct {
    int node;
    const xt_tile *from;
    const xt_tile *to;      /* of a copy: the tile in local memory that it is stored to; else NULL */
    bool transposed, converts;  /* the vector is the tile's transpose; f32 converted to 16 bits */
    cm_type type;           /* of the operand */
    uint32_t loaded;        /* the vector that it is of, or itself */
    bool first, last;       /* among the loads that share a barrier */
    bool again, shared;     /* in a region that may repeat; uses the memory for moves between subgroups */
    const xt_frame_ *loop;  /* the innermost one, if it counts, unless the operand is sliced; NULL: none */
    cm_use use;
    int bytes, local_bytes;  /* per element, in memory and in local memory */
    int subgroups;           /* number that copy the tile */
    int slices;              /* of k, each loaded and multiplied after the other; 1: all at once */
    int parts;               /* iterations of a loop that are copied together, one part of the operand each */
    xt_dist dist;            /* of the vector, or of a slice of it */
    bool along_k;            /* lines run along k; */
    int weave;               /* otherwise, lines that share a dword */
    int classes, wide, high; /* classes of lines; a message's dwords and lines */
    int chunks[2], units;    /* messages per class, down and across; per tile (`weave` of them count as one) */
    bool from_first_class, aligned;    /* the tile begins at a multiple of the classes; and of a dword along lines */
    bool by_lines;           /* a lane holds a line of a message; otherwise, a dword of each line */
    bool mixed;              /* dwords along k are stored in another order, see xt_stage_slot_ */
    int line, plane, depth;  /* dwords of a row in a plane; distance between planes; size along k, in dwords */
    int across;              /* rows or columns, these rounded up to whole operands */
    int rows_per_read, gap;  /* rows that one read covers; unused dwords after them */
    int at, dwords, buffers; /* of its first buffer; their number */
    /* during writing */
    spe_id slice; /* its distance along k; 0: the first */
    xt_tile tile;
    spe_id address, lines, width, pitch, pitch_of_class; /* of its matrix, in bytes; see xt_stage_matrix_ */
    spe_id pitch_again; /* the same for Intel's compiler to take for another: a line's second message has a header of
                         * its own then */
    spe_id *got;
} xt_stage_;

/* ---- passes/opaque.c, lower/panels.c */

enum { XT_PANEL_BLOCKS_ = 32 }; /* that a lane copies at most */

/* An operand of the device's matrices that the work-group copies to local memory, as its lines lie in memory. */
typedef struct {
    int node;               /* the load */
    const xt_tile *from;
    const xt_frame_ *loop;  /* whose iterations fetch the tile of the next; NULL: the load fetches */
    int lines, chunks;      /* of memory; vectors of 16 bytes in a line */
    int pitch, at;          /* in local memory, in vectors: from line to line, and where the first begins */
    int units;              /* vectors that a lane copies */
    int burst, blocks;       /* if lines are not aligned: those that follow one another; blocks in which all lie */
    bool ends_unseen;       /* what is outside of the matrix where the loop does not move it, see passes/outside.c */
    bool kept;              /* from the load on it is matrices, of which local memory keeps no copy */
    cm_use use;             /* of these */
    spe_id *got;            /* during writing: what was fetched, and room for the vectors of these */
    const spe_id *vectors;  /* these */
} xt_panel_;

/* ---- lower/strips.c */

/* A strip of a block: rows and columns of the tile's, in whole matrices; in local memory column by column. */
typedef struct {
    int rows, cols, pitch; /* elements from column to column */
    cm_layout plain;       /* of the strip as a vector of lanes */
    int parts, band;        /* its parts, and those of a block's band of columns */
    spe_id ptr, vector;    /* to its first element in local memory; the number of the vector with it */
} xt_opaque_strip_;

/* ---- ir/vectors.c */

/* A piece is cut along both sides into powers of two, columns in multiples of the lanes, as memory accesses and
 * products need them; a subgroup's vector consists of the blocks of its pieces in order. */
typedef struct {
    xt_cut_ cut[2];
    int rounds[2], data[2], stride[2], blocks; /* stride: from one piece of a subgroup to the next */
} xt_grid_;

/* An iterator over blocks: for (xt_block_ b = xt_blocks_(x, &dist); xt_next_block_(&b);) ... */
typedef struct {
    xt_grid_ grid;
    int i;
    int row, col, rows, cols; /* relative to the subgroup's first piece */
    int valid;                /* columns inside the piece; the others are undefined and never stored */
    int packed[2];            /* its row and column in the concatenation of the subgroup's pieces */
} xt_block_;

/* A block of a product's result: of rounds of m and n, and blocks of m and n; v: the operands; c: what is added, or
 * NULL. */
typedef cm_matrix (*xt_product_fn_)(xt_ctx *x, const xt_fragments_ *v, const xt_grid_ *ga, const xt_grid_ *gb,
                                    const int at[4], cm_type type, const cm_matrix *c);

/* Errors to report if two vectors differ in one of these; 0: they may differ. */
typedef struct {
    int shape, type, blocks, map;
} xt_same_errors_;

/* ---- lower/chooser.c */

/* Accesses other than loads, which are numbered by the layout they load, cm_use. */
enum { XT_STORED_ = CM_OPAQUE_B + 1, XT_FETCHED_, XT_VISITED_ };

/* Blocks of a tile; of them, those accessed by messages; why not all. */
typedef struct {
    int blocks, by_messages;
    const char *why;
} xt_access_;

/* ---- ir/operations.c */

typedef struct {
    const char *name;
    int operands, on_float; /* instruction on floats */
} xt_math_row_;

/* ---- lower/lanes.c */

/* The part of a vector that a subgroup holds, as one rows x cols array (its pieces concatenated): for each element, the
 * component (a scalar per lane) and the lane that hold it. */
typedef struct {
    int rows, cols, comps, capacity;
    int type; /* the arithmetic type of the components: xt_wide_type_ of the vector's */
    spe_id *comp;
    int *where; /* as for cm_pick */
    cm_picker picker;
} xt_field_;

/* Where elements of a result come from: (i, j) is the operand's (i / divisor[0] + shift[0], j / divisor[1] + shift[1]),
 * with rows and columns swapped if transposed. */
typedef struct {
    bool transposed;
    int divisor[2], shift[2];
    bool in_order; /* instead: another shape, with elements in row-major order */
} xt_source_;
#define XT_SAME_ELEMENT_ {false, {1, 1}, {0, 0}, false}

/* A kind of reduction: the operation, and for integers, how it reads them. */
typedef struct {
    const char *name;
    spe_arith_op op;
    spe_number_kind number;
    int takes; /* XT_RMW_INT_, XT_RMW_FLOAT_ */
    bool nan_wins; /* and -0 is less than 0 */
} xt_red_row_;

/* A kind of atomic operation. */
typedef struct {
    const char *name;
    int takes, op; /* op: spe_atomic_op, or XT_RMW_LOOP_ */
    int combine;   /* an xt_red_ (for floats, -0 is less than 0); XT_RED_COUNT_: the operand */
} xt_rmw_row_;

/* XT_ATOMIC_RMW. */
typedef struct {
    xt_rmw_kind_ kind;
    uint32_t scope;
} xt_rmw_;

/* The elements that are reduced to one: `size` neighbours along dim, by a kind of reduction. */
typedef struct {
    int kind, dim, size;
    spe_id (*combine)(spe_module *m, int kind, int type, spe_id a, spe_id b);
} xt_group_;

/* ---- lower/scratch.c */

/* The operands of an operation on a vector as a whole: the vector; the same result, as computed by parts, or of a scan
 * the totals before each piece (0: none). */
enum { XT_MOVE_VEC_, XT_MOVE_PART_ };

/* Such an operation. A step of a reduction has groups of `size` within each subgroup's pieces; scans
 * are of each piece separately. Elements move within registers if each subgroup holds what it needs. */
typedef struct {
    int dim, size;
    xt_map given, source; /* the maps as written by the user */
    bool exclusive;
    xt_source_ from;
    const int *origin; /* see xt_origins_; NULL: elements move between subgroups */
    bool reloaded;        /* then the operand is loaded again, see passes/reloads.c */
} xt_move_;

/* One buffer serves all such operations of a kernel; vectors that do not fit take several passes over rows. */
typedef struct {
    xt_source_ from;                /* a divisor other than 1 repeats a single row or column */
    int pitch, bytes, height, rows; /* bytes: per element; rows: of the source's height, per pass */
} xt_scratch_;

/* The vector that a value is or contains (the offsets of a scatter tile); NULL if there is none. In masks of changes it
 * is bit XT_VEC_CHANGES_; bits from XT_COUNTS_SHIFT_ on are scalars that advance with the loop index. */
enum { XT_VEC_CHANGES_ = 1 << XT_COMPONENTS_, XT_COUNTS_SHIFT_ = 16 };

/* ---- nodes */

struct xt_node_ {
    xt_op_ op;
    void (*write)(xt_ctx *x, const xt_node_ *n); /* in this version */
    int kind;        /* which of the operations that share the name: spe_arith_op, xt_math_op_, ... */
    bool part;       /* part of a larger operation, whose node follows its parts */
    int divergence;      /* of the enclosing regions, see xt_value_ */
    xt_frame_ *in;   /* the innermost of these, or the one that the node begins or ends; NULL: none */
    uint32_t result; /* the value it produces; 0: none, or those of a region */
    const char *file;
    int line;
    int type;        /* the common type of operands, or that of the result; the number of dimensions of XT_INIT_TILE */
    int operands;
    const uint32_t *operand; /* values */
    union { /* attributes */
        void *about;
        const xt_outside_ *outside;
        const int *locality;
        xt_move_ *move;
        const xt_map *maps; /* of a product: as given for a, b, c and the result */
        const xt_users_fn_ *users;
        xt_local_array_ *local;
        const xt_table_of_ *table;
        xt_frame_ *frame;
        const xt_dist *dist;
    };
};

/* ---- passes/vulkan.c */

/* What only the matrices of Vulkan's devices need, and calls through x->vulkan: programs that include nothing of Vulkan
 * compile without it. */
typedef struct xt_vulkan_part_ {
    void (*find)(xt_ctx *x);
    bool (*is_product)(xt_ctx *x, const xt_node_ *n);
    void (*make_memory)(xt_ctx *x);
    bool (*write)(xt_ctx *x, const xt_node_ *n);
    bool (*write_load)(xt_ctx *x, const xt_node_ *n);
    bool (*store)(xt_ctx *x, const xt_tile *t, const xt_fragments_ *v);
    cm_matrix (*convert)(xt_ctx *x, const xt_fragments_ *v, int block, cm_use use);
    xt_fragments_ (*splat)(xt_ctx *x, uint32_t id, cm_use use, spe_id scalar);
    xt_fragments_ (*vec)(xt_ctx *x, uint32_t id);
    int (*parts)(xt_ctx *x, uint32_t id);
    int (*panel_ids)(xt_ctx *x, const xt_frame_ *f);
    void (*carry)(xt_ctx *x, const xt_frame_ *f, bool to_ids);
    spe_id (*enter)(xt_ctx *x, xt_frame_ *f, spe_id from, spe_id to);
    void (*iterate)(xt_ctx *x, const xt_frame_ *f, spe_id to);
    void (*wait)(xt_ctx *x);
} xt_vulkan_part_;

#if defined(XETILE_STATIC_) && !defined(__cplusplus) /* a tentative definition: NULL unless passes/vulkan.c follows */
static const xt_vulkan_part_ *const xt_vulkan_here_;
#define XT_VULKAN_PART_ xt_vulkan_here_
#else
XETILE_PRIVATE const xt_vulkan_part_ *xt_vulkan_(void);
#define XT_VULKAN_PART_ xt_vulkan_()
#endif

#include "prototypes.h"
