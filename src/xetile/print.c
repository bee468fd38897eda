/* print.c - xt_print: the record in the notation of the XeTile specification. The table of operations gives the form of
 * each. Types of carried values are omitted, as they appear where the values are defined. */
#include "internal.h"

#include <ctype.h>
#include <stdarg.h>

/* The name of a value. */
typedef struct {
    uint32_t number;    /* 0: it has no name yet */
    int part;           /* which of a tile's scalars, from 1 on; 0: the whole */
    const xt_val *same; /* a value carried unchanged has its outer name */
} xt_named_;

enum { XT_AS_RECORDED_, XT_WITH_MAPS_, XT_OF_A_SUBGROUP_, XT_FORMS_ }; /* the printed forms */

typedef struct {
    xt_ctx *x;
    FILE *f; /* NULL: collect constants, print nothing */
    int form, depth, type; /* type: of constants; -1: their own */
    uint32_t count;        /* of names */
    xt_named_ *names;
    spe_list constants; /* xt_val */
} xt_printer_;

static SPE_PRINTF(2, 3) void xt_put_(xt_printer_ *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (p->f) vfprintf(p->f, format, list);
    va_end(list);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* The type of a number, for which 32-bit integers are indices, or of an element. */
static const char *xt_type_text_(int type, bool number)
{
    if (xt_is_small_(type))
        return type == CM_E4M3 ? "f8E4M3FN" : type == CM_E5M2 ? "f8E5M2" : type == CM_E2M1 ? "f4E2M1FNx2" : "f8E8M0FNU";
    if (type == XT_BOOL_ || !xt_is_int_(type) || xt_is_signed_(type))
        return number && type == CM_I32 ? "index" : xt_type_name_(type);
    return type == CM_U64 ? "ui64" : type == CM_U32 ? (number ? "index" : "ui32") : type == CM_U16 ? "ui16" : "ui8";
}

static void xt_put_map_(xt_printer_ *p, const char *before, const xt_map *m)
{
    xt_put_(p, "%s#xetile.wg_map<sg_layout = [%d, %d], sg_data = [%d, %d]>", before, m->sg_layout[0], m->sg_layout[1],
            m->sg_data[0], m->sg_data[1]);
}

static void xt_put_vec_type_(xt_printer_ *p, const xt_vec *v)
{
    const int *n = v->dist.shape, *b = v->inner;
    xt_put_(p, "vector<%dx%dx", b[0] ? n[0] / b[0] : n[0], b[0] ? n[1] / b[1] : n[1]);
    if (b[0]) xt_put_(p, "%dx%dx", b[0], b[1]);
    xt_put_(p, "%s>", xt_type_text_((int)v->type, false));
}

static void xt_put_tile_type_(xt_printer_ *p, const xt_tile *t)
{
    const char *between = ", #xetile.tile_attr<", *end = ">";
    xt_put_(p, "!xetile.tile<%dx%dx%s", t->dist.shape[0], t->dist.shape[1], xt_type_text_((int)t->type, false));
    if (xt_has_map_(&t->map)) {
        xt_put_(p, "%swg_map = ", between);
        xt_put_map_(p, "", &t->map);
        between = ", ", end = ">>";
    }
    if (t->column_major) xt_put_(p, "%sorder = [0, 1]", between), between = ", ", end = ">>";
    if (t->inner[0]) xt_put_(p, "%sinner_blocks = [%d, %d]", between, t->inner[0], t->inner[1]), end = ">>";
    if (t->scatter) xt_put_(p, "%sscatter = true", between), end = ">>";
    xt_put_(p, "%s", end);
}

/* The matrix of a tile, with constant extents; or an address. */
static void xt_put_memref_(xt_printer_ *p, const xt_node_ *init)
{
    const xt_val *base = xt_number_(p->x, init->operand[XT_INIT_BASE_]);
    for (int i = 0; i < init->type && base->kind == SPE_POINTER; i++) {
        const xt_val *n = xt_given_(p->x, init, XT_GIVEN_SHAPE_, i);
        xt_put_(p, n->kind == SPE_INT ? "%s%lldx" : "%s?x", i ? "" : "memref<", (long long)n->integer);
    }
    bool columns = xt_tile_(p->x, init->result)->column_major && base->kind == SPE_POINTER;
    xt_put_(p, "%s%s%s%s", xt_type_text_(base->type, base->kind != SPE_POINTER),
            columns ? ", affine_map=<(d0, d1)->(d1, d0)>" : "",
            base->local ? ", slm" : "", base->kind == SPE_POINTER ? ">" : "");
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void xt_name_(xt_printer_ *p, uint32_t id) { p->names[id].number = ++p->count; }

static void xt_put_id_(xt_printer_ *p, uint32_t id)
{
    static const char *const parts[] = {"", "_row", "_col", "_rows", "_cols", "_pitch", "_base", "_offsets"};
    const xt_node_ *n = xt_node_at_(p->x, xt_value_at_(p->x, id)->node);
    if (n->op == XT_OP_ARGUMENT_)
        xt_put_(p, "%%%s", p->x->params[n->kind].name);
    else
        xt_put_(p, "%%%u%s", (unsigned)p->names[id].number, parts[p->names[id].part]);
}

/* %c256 and the like; while collecting, adds each once. */
static void xt_put_constant_(xt_printer_ *p, xt_val v)
{
    const xt_val *known = (const xt_val *)p->constants.items;
    int type = p->type < 0 ? xt_carried_type_(&v) : p->type;
    bool index = type == CM_U32 || type == CM_I32;
    if (xt_is_float_(type) && v.kind == SPE_INT) v = spe_val_real(v.real);
    v.type = index ? (int)CM_I32 : type;
    if (v.kind == SPE_REAL)
        xt_put_(p, "%%cst_%s", spe_decimal_of(v.real, 'g', 9).s);
    else
        xt_put_(p, "%%c%lld", (long long)v.integer);
    if (!index) xt_put_(p, "_%s", xt_type_text_(type, false));
    for (int i = 0; i < p->constants.count; i++)
        if (known[i].type == v.type && known[i].integer == v.integer && !memcmp(&known[i].real, &v.real, sizeof v.real))
            return;
    xt_val *added = (xt_val *)spe_list_add(&p->x->m, &p->constants, sizeof v);
    if (added) *added = v;
}

static void xt_put_number_(xt_printer_ *p, const xt_val *v)
{
    while (!xt_is_constant_(v) && p->names[v->id].same) v = p->names[v->id].same;
    if (xt_is_constant_(v))
        xt_put_constant_(p, *v);
    else
        xt_put_id_(p, v->id);
}

/* "[a, b]" */
static void xt_put_list_(xt_printer_ *p, int count, const uint32_t *ids)
{
    for (int i = 0; i < count; i++) xt_put_(p, i ? ", " : "["), xt_put_number_(p, xt_number_(p->x, ids[i]));
    xt_put_(p, count ? "]" : "[]");
}

/* An operand or attribute, by a letter: lower case for values and attributes, upper case for types. */
static void xt_put_field_(xt_printer_ *p, char letter, const void *field)
{
    const xt_vec *v = (const xt_vec *)field;
    const int *number = (const int *)field;
    const double *real = (const double *)field;
    switch (letter) {
    case 'n': xt_put_number_(p, (const xt_val *)field); return;
    case 'N': xt_put_(p, "%s", xt_type_text_(xt_carried_type_((const xt_val *)field), true)); return;
    case 't': xt_put_id_(p, ((const xt_tile *)field)->id); return;
    case 'T': xt_put_tile_type_(p, (const xt_tile *)field); return;
    case 'v': xt_put_id_(p, v->id); return;
    case 'V': xt_put_vec_type_(p, v); return;
    case 'o': if (v->id) xt_put_(p, ", "), xt_put_id_(p, v->id); return; /* o, O: optional */
    case 'O': if (v->id) xt_put_(p, ", "), xt_put_vec_type_(p, v); return;
    case 'd': xt_put_(p, "%d", *number); return;
    case 'P': xt_put_(p, "[%d, %d]", number[0], number[1]); return;
    case 'l': if (*number != 3) xt_put_(p, " locality<%d>", *number); return;
    case 'p':
        if (spe_real_compare(*real, 0)) xt_put_(p, " {padding = %s}", spe_decimal_of(*real, 'g', 6).s);
        return;
    case 's': xt_put_(p, "%s", (const char *)field); return;
    case 'w': if (*number) xt_put_(p, " {border = %s}", *number == XT_BORDER_CLAMP ? "clamp" : "mirror"); return;
    case 'e': if (*(const bool *)field) xt_put_(p, " {exclusive}"); return;
    }
}

/* "$n to $n": prints fields by their letters. */
static void xt_say_(xt_printer_ *p, const char *text, ...)
{
    va_list list;
    va_start(list, text);
    for (; *text; text++)
        if (*text == '$')
            xt_put_field_(p, *++text, va_arg(list, const void *));
        else
            xt_put_(p, "%c", *text);
    va_end(list);
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* Names a carried value and its scalars in a region; those in the mask get new names. */
static void xt_name_carried_(xt_printer_ *p, uint32_t value, uint32_t from, uint32_t mask)
{
    const xt_object_ *t = xt_object_of_(p->x, value), *before = xt_object_of_(p->x, from);
    const xt_vec *v = xt_vec_in_(t);
    uint32_t changes = mask | mask >> XT_COUNTS_SHIFT_, number = mask ? ++p->count : 0;
    const xt_val *now, *old;
    for (int i = 0; (now = xt_scalar_of_(t, i)) && (old = xt_scalar_of_(before, i)); i++) {
        xt_named_ name = {number, t->magic == XT_TILE_MAGIC_ ? i + 1 : 0, NULL};
        if (!(changes >> i & 1)) name.same = old;
        if (now->id != old->id) p->names[now->id] = name;
    }
    if (v && mask) {
        p->names[v->id].number = number;
        p->names[v->id].part = t->magic == XT_TILE_MAGIC_ ? XT_COMPONENTS_ + 1 : 0;
    } else if (v)
        p->names[v->id] = p->names[xt_vec_in_(before)->id];
    if (t->magic == XT_TILE_MAGIC_) p->names[t->tile.id].number = mask ? number : p->names[before->tile.id].number;
}

/* The carried values that change, at an offset in their slots: "a, b", or "a = c, b = d" with a second offset. */
static bool xt_put_slots_(xt_printer_ *p, const char *before, const xt_frame_ *f, size_t which, size_t value)
{
    int n = 0;
    for (int i = 0; i < f->slots; i++) {
        const char *slot = (const char *)&f->slot[i];
        const size_t offset[2] = {which, value};
        if (!f->slot[i].mask) continue;
        xt_put_(p, "%s", n++ ? ", " : before);
        for (int j = 0; j < 1 + (value != which); j++) {
            const xt_object_ *t = xt_object_of_(p->x, *(const uint32_t *)(const void *)(slot + offset[j]));
            xt_say_(p, t->magic == SPE_VAL_MAGIC ? "$s$n" : t->magic == XT_TILE_MAGIC_ ? "$s$t" : "$s$v",
                    j ? " = " : "", t);
        }
    }
    return n > 0;
}

static void xt_put_begin_(xt_printer_ *p, const xt_node_ *n)
{
    const xt_frame_ *f = n->frame;
    const size_t start = offsetof(xt_slot_, start), body = offsetof(xt_slot_, body), end = offsetof(xt_slot_, result);
    bool real = p->form == XT_OF_A_SUBGROUP_; /* loops that count down are written as counting iterations */
    const uint32_t own[4] = {f->lo, f->hi, f->step, f->index}, *limits = real ? own : f->given;
    for (int i = 0; i < f->slots; i++) xt_name_carried_(p, f->slot[i].result, f->slot[i].start, f->slot[i].mask);
    for (int i = 0; i < f->slots && n->op != XT_OP_IF_; i++)
        xt_name_carried_(p, f->slot[i].body, f->slot[i].start, f->slot[i].mask);
    if (xt_put_slots_(p, "", f, end, end)) xt_put_(p, " = ");
    if (n->op == XT_OP_FOR_) {
        xt_name_(p, limits[3]);
        xt_put_(p, "scf.for ");
        xt_put_id_(p, limits[3]);
        xt_say_(p, " = $n to $n step $n", xt_number_(p->x, limits[0]), xt_number_(p->x, limits[1]),
                xt_number_(p->x, limits[2]));
    } else
        xt_say_(p, n->op == XT_OP_IF_ ? "scf.if $n" : "scf.while", xt_number_(p->x, f->lo));
    if (n->op != XT_OP_IF_ && xt_put_slots_(p, n->op == XT_OP_FOR_ ? " iter_args(" : " (", f, body, start))
        xt_put_(p, ")");
    xt_put_(p, " {");
    p->depth++;
}

/* The end of a side. A missing XT_ELSE is not printed. */
static bool xt_put_end_(xt_printer_ *p, const xt_node_ *n)
{
    const xt_frame_ *f = n->frame;
    const size_t which = n->op == XT_OP_END_ ? offsetof(xt_slot_, now) : offsetof(xt_slot_, body);
    bool last = n->op == XT_OP_END_, any = false;
    for (int i = 0; i < f->slots; i++) any = any || f->slot[i].mask;
    if (!last && !any && n[1].op == XT_OP_END_) return false;
    if (any) xt_put_(p, "%*sscf.yield", p->depth * 2, "");
    if (xt_put_slots_(p, " ", f, which, which)) xt_put_(p, "\n");
    if (last) p->depth--;
    xt_put_(p, last ? "%*s}" : "%*s} else {", (p->depth - !last) * 2, "");
    return true;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static void xt_put_arith_(xt_printer_ *p, int op, int type)
{
    const char *name = spe_arith_name((spe_arith_op)op);
    bool real = xt_is_float_(type), extreme = op == SPE_ARITH_MIN || op == SPE_ARITH_MAX;
    bool two = extreme || op == SPE_ARITH_DIV || op == SPE_ARITH_REM || op == SPE_ARITH_SHR || op > SPE_ARITH_NE;
    const char *sign = real || !two ? "" : xt_is_signed_(type) ? "s" : "u";
    if (xt_is_compare_(op))
        xt_put_(p, "arith.cmp%s %s%s,", real ? "f" : "i", real ? (op == SPE_ARITH_NE ? "u" : "o") : sign, name);
    else
        xt_put_(p, "arith.%s%s%s%s", name, real && extreme ? "num" : "", sign, real ? "f" : "i");
}

static void xt_put_math_(xt_printer_ *p, int op, int type)
{
    xt_put_(p, "math.");
    for (const char *at = xt_math_info_(op)->name + strlen("XT_"); *at; at++)
        xt_put_(p, "%c", *at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at); /* in every locale */
    if (op == XT_MATH_ABS_ || op == XT_MATH_POW_) xt_put_(p, xt_is_float_(type) ? "f" : "i");
}

static void xt_put_cast_(xt_printer_ *p, int from, int to, bool number)
{
    bool real = xt_is_float_(from), reals = xt_is_float_(to), wider = xt_bits_(to) > xt_bits_(from);
    const char *sign = xt_is_signed_(real ? to : from) ? "s" : "u";
    if (real || reals)
        xt_put_(p, !reals ? "arith.fpto%si" : !real ? "arith.%sitofp" : wider ? "arith.extf" : "arith.truncf", sign);
    else if (number && (xt_bits_(from) == 32 || xt_bits_(to) == 32))
        xt_put_(p, sign[0] == 'u' ? "arith.index_castui" : "arith.index_cast");
    else
        xt_put_(p, wider ? "arith.ext%si" : "arith.trunci", sign);
}

/* The name of an operation that has several. */
static void xt_put_kind_(xt_printer_ *p, const xt_node_ *n)
{
    static const char *const builtins[] = {"global_id", "thread_id", "block_id", "", "", "grid_dim", "", "",
                                           "",          "",          "",         "subgroup_id", "", "", "lane_id"};
    const xt_object_ *from = xt_object_of_(p->x, n->operands > 0 ? n->operand[0] : 0);
    switch (n->op) {
    case XT_OP_BINARY_NUMBER_:
    case XT_OP_BINARY_VECTOR_: xt_put_arith_(p, n->kind, n->type); return;
    case XT_OP_MATH_NUMBER_:
    case XT_OP_MATH_VECTOR_: xt_put_math_(p, n->kind, n->type); return;
    case XT_OP_CAST_NUMBER_: xt_put_cast_(p, xt_carried_type_(&from->val), n->type, true); return;
    case XT_OP_CAST_VECTOR_:
        xt_put_cast_(p, (int)from->vec.type, n->type, false);
        if (n->kind) xt_put_(p, " {saturate = false}");
        return;
    case XT_OP_BUILTIN_:
        xt_put_(p, "gpu.%s", builtins[n->kind]);
        if (n->kind < SPE_GLOBAL_LINEAR_ID) xt_put_(p, " %c", 'x' + n->type);
        return;
    case XT_OP_ATOMIC_RMW_: xt_put_(p, "%s", xt_rmw_row_of_((xt_rmw_kind_)n->kind)->name); return;
    default: xt_put_(p, "%s", xt_red_info_(n->kind)->name);
    }
}

/* Base and offset of a tile: %A[%i, %j] : memref<...>; and shape and strides if known only at launch. */
static void xt_put_base_(xt_printer_ *p, const xt_node_ *init)
{
    const xt_val *base = xt_number_(p->x, init->operand[XT_INIT_BASE_]);
    const xt_vec *scatter = xt_vector_(p->x, init->operand[XT_INIT_SCATTER_]);
    const uint32_t *given = init->operand + XT_INIT_GIVEN_;
    int n = init->type, lists = (init->operands - XT_INIT_GIVEN_) / n; /* see xt_given_list_ */
    bool known = base->kind == SPE_POINTER && lists <= XT_GIVEN_STRIDES_;
    for (int i = 0; i < n; i++) known = known && xt_given_(p->x, init, XT_GIVEN_SHAPE_, i)->kind == SPE_INT;
    xt_say_(p, scatter->id ? "$n$o" : known ? "$n" : "$n, ", base, scatter);
    if (!scatter->id) xt_put_list_(p, n, given);
    for (int i = known ? XT_GIVEN_STRIDES_ : XT_GIVEN_SHAPE_; i < lists; i++) {
        xt_put_(p, ", ");
        xt_put_list_(p, n, given + i * n);
    }
    xt_put_(p, " : ");
    xt_put_memref_(p, init);
    xt_say_(p, "$O", scatter);
}

/* {#map #map}: the user's, from the given field on, or the result's. */
static void xt_put_maps_(xt_printer_ *p, const xt_vec *result, const char *about, const size_t *field)
{
    const char *between = " {";
    for (; p->form == XT_AS_RECORDED_ && *field; field++) {
        const xt_map *map = (const xt_map *)(const void *)(about + *field - 1);
        if (!xt_has_map_(map)) continue;
        xt_put_map_(p, between, map);
        between = " ";
    }
    if (p->form != XT_AS_RECORDED_ && xt_has_map_(&result->map)) xt_put_map_(p, between, &result->map), between = " ";
    if (!between[1]) xt_put_(p, "}");
}

/* How an operation is shown. $, a letter and a digit is an operand or an attribute, see xt_put_field_: $a an operand
 * whose constants have the operation's type, $# one whose constants have the result's; $m the maps from an attribute
 * on.
 * Without a digit: $= the result, $r its type, $A and $E the operation's type, as that of a number or of an element, $k
 * and $K the kind's name and number, $x all operands, $( a region, $b a tile's base, $z sizes, $B blocks. Empty: the
 * end of a region's side. */
typedef struct {
    const char *text;
    size_t field[8]; /* where attributes are, from 1 on; 0: there are no more */
} xt_row_;

#define XT_F_(structure, field) (offsetof(xt_##structure##_, field) + 1)
#define XT_FIELDS_none {0}
#define XT_FIELDS_locality {1}
#define XT_FIELDS_local {XT_F_(local_array, elements)}
#define XT_FIELDS_piece_offset {offsetof(xt_dist, layout) + 1, offsetof(xt_dist, data) + 1}
#define XT_FIELDS_outside {XT_F_(outside, padding), XT_F_(outside, border)}
#define XT_FIELDS_maps {1, 1 + sizeof(xt_map), 1 + 2 * sizeof(xt_map), 1 + 3 * sizeof(xt_map)}
#define XT_FIELDS_move                                                                                                 \
    {0, XT_F_(move, dim), XT_F_(move, size), XT_F_(move, from.shift), XT_F_(move, exclusive), XT_F_(move, source),     \
     XT_F_(move, given)}

XE_ONCE_
static const xt_row_ *xt_row_of_(xt_op_ op)
{
#define XT_ROW_(name, write, does, fields, text) {text, XT_FIELDS_##fields},
    static const xt_row_ rows[] = {XT_OPERATIONS_(XT_ROW_)};
    return &rows[op];
}

/* The size of a reduction or broadcast, unless it is the whole dimension. */
XE_ONCE_
static void xt_put_size_(xt_printer_ *p, const xt_node_ *n)
{
    const xt_move_ *d = n->move;
    int size = xt_vector_(p->x, n->operand[XT_MOVE_VEC_])->dist.shape[d->dim];
    if (n->op == XT_OP_REDUCTION_ && d->size != size) xt_put_(p, " {reduction_size = %d}", d->size);
    if (n->op == XT_OP_BROADCAST_ && size != 1) xt_put_(p, " {broadcast_size = %d}", d->from.divisor[d->dim]);
}

/* The distances by which a tile moves. */
XE_ONCE_
static void xt_put_update_(xt_printer_ *p, const xt_node_ *n)
{
    const xt_object_ *by = xt_object_of_(p->x, n->operand[1]);
    if (by->magic == XT_VEC_MAGIC_) xt_say_(p, ", $v", by);
    for (int i = 1; i < n->operands && by->magic != XT_VEC_MAGIC_; i++)
        xt_say_(p, ", $n", xt_number_(p->x, n->operand[i]));
}

/* The parts that have no digit. False if it is another one. */
static bool xt_put_whole_(xt_printer_ *p, const xt_node_ *n, char letter)
{
    const xt_object_ *result = xt_object_of_(p->x, n->result);
    switch (letter) {
    case '=': xt_name_(p, n->result), xt_put_id_(p, n->result), xt_put_(p, " ="); return true;
    case '(': xt_put_begin_(p, n); return true;
    case 'k': xt_put_kind_(p, n); return true;
    case 'K': xt_put_(p, "%d", n->kind); return true;
    case 'A': xt_put_(p, "%s", xt_type_text_(n->type, true)); return true;
    case 'E': xt_put_(p, "%s", xt_type_text_(n->type, false)); return true;
    case 'r': xt_put_field_(p, result->magic == XT_TILE_MAGIC_ ? 'T' : 'V', result); return true;
    case 'b': xt_put_base_(p, n); return true;
    case 'u': xt_put_update_(p, n); return true;
    case 'x': xt_put_list_(p, n->operands, n->operand); return true;
    case 'z': xt_put_size_(p, n); return true;
    default: return false;
    }
}

static void xt_put_part_(xt_printer_ *p, const xt_node_ *n, const xt_row_ *row, const char *at)
{
    int i = isdigit((unsigned char)at[1]) ? at[1] - '0' : 7;
    const char *about = row->field[i] ? (const char *)n->about + row->field[i] - 1 : NULL;
    const xt_object_ *operand = xt_object_of_(p->x, i < n->operands ? n->operand[i] : 0);
    const xt_vec *result = xt_vector_(p->x, n->result), *v;
    const int *dim = (const int *)(const void *)about;
    if (xt_put_whole_(p, n, *at)) return;
    switch (*at) {
    case 'm': xt_put_maps_(p, result, (const char *)n->about, &row->field[i]); return;
    case 'B':
        v = xt_vector_(p->x, n->operand[0]);
        xt_put_(p, "[%d, %d]", result->inner[0] + v->inner[0], result->inner[1] + v->inner[1]);
        return;
    case 'D': xt_put_(p, result->inner[0] ? "%d, %d" : "%d", *dim, *dim + 2); return;
    case 's': xt_put_(p, "%s", (const char *)n->about); return;
    case 'M':
        for (i = 0; i < n->operands; i++)
            p->type = n->type, xt_say_(p, i ? ", $n" : " $n", xt_number_(p->x, n->operand[i]));
        break;
    case 'a':
    case '#': p->type = *at == 'a' ? n->type : (int)result->type, xt_put_field_(p, 'n', operand); break;
    default: xt_put_field_(p, *at, strchr("nNtTvVoO", *at) ? (const void *)operand : about);
    }
    p->type = -1;
}

/* ---- results of passes ------------------------------------------------------------------------------------------- */

/* A vector's blocks and layout; whether an access uses 2D block messages, or why not. */
static void xt_put_remark_(xt_printer_ *p, const xt_node_ *n)
{
    static const char *const uses[] = {"an accumulator", "a product's right side", "a product's left side",
                                       "the device's matrices"}; /* by cm_use */
    xt_ctx *x = p->x;
    const xt_tile *t = xt_accessed_(x, n);
    const xt_vec *v = xt_vector_(x, n->result);
    const xt_remark_of_ *r = (const xt_remark_of_ *)x->remarks.items;
    const xt_access_ a = xt_access_by_(x, n);
    xt_grid_ g;
    if (!t && v->magic != XT_VEC_MAGIC_) return;
    xt_grid_init_(x, &g, t ? &t->dist : &v->dist);
    xt_put_(p, "  // %d x %d", g.blocks, g.cut[0].size[0]);
    xt_put_(p, "x%d", g.cut[1].size[0]);
    const bool panel = xt_value_at_(x, n->result)->panel != 0;
    if (v->magic == XT_VEC_MAGIC_)
        xt_put_(p, ", %s", panel ? "an operand in local memory" : uses[xt_layout_(x, n->result)]);
    if (t && x->messages && a.by_messages && a.why)
        xt_put_(p, ", 2D block messages for %d of %d blocks: %s", a.by_messages, a.blocks, a.why);
    else if (t && x->messages)
        xt_put_(p, a.why ? ", no 2D block messages: %s" : ", 2D block messages", a.why);
    if (xt_does_(n->op, XT_MOVES_))
        xt_put_(p, n->move->origin ? ", in registers" : ", through local memory");
    for (int i = 0; i < x->remarks.count; i++)
        if (r[i].node == (int)(n - xt_node_at_(x, 0))) {
            xt_put_(p, ", %s", r[i].text);
            break;
        }
}

/* The work-group, and the condition for the version with 2D block messages. */
static void xt_put_summary_(xt_printer_ *p)
{
    xt_ctx *x = p->x;
    uint64_t known;
    int j;
    xt_put_(p, "// %s: %d subgroups of %d, %d registers per thread, ", x->target.name, x->subgroups ? x->subgroups : 1,
            x->S, x->registers);
    xt_put_(p, "%lld bytes of local memory, %lld more to move vectors", (long long)x->local_bytes,
            (long long)x->scratch_bytes);
    if (x->stages.count) xt_put_(p, ", %lld for operands at any pitch", (long long)x->stage_dwords * 4);
    xt_put_(p, "\n");
    xt_put_(p, "// %s\n", x->versions);
    if (x->warning.id) xt_put_(p, "// %s\n", x->warning.text);
    for (int i = 0; i < x->tiles.count; i++) {
        const xt_plan_tile_ *t = xt_plan_tile_at_(x, i);
        const xt_tile *m = xt_tile_(x, t->of->operand[XT_INIT_MATRIX_]);
        for (j = 0; j < i && xt_plan_tile_at_(x, j)->test != t->test;) j++;
        if (t->test && j == i && !spe_const_bits(&x->m, t->test, &known))
            xt_say_(p, "//   $n in bytes divides by 64, pitch $n by 16, rows of $n by 4 and not below 64\n",
                    xt_number_(x, t->of->operand[XT_INIT_BASE_]), &m->pitch, &m->shape[xt_inner_(m)]);
    }
    for (int i = 0; i < x->offsets.count; i++) {
        const xt_plan_offset_ *o = (const xt_plan_offset_ *)x->offsets.items + i;
        if (!xt_plan_tile_at_(x, o->tile)->test) continue;
        xt_say_(p, o->below ? "//   $n < $n" : o->mask < 0 ? "//   $n >= 0" : "//   $n", xt_number_(x, o->value),
                xt_number_(x, o->below));
        xt_put_(p, !o->below && o->mask > 0 ? " divides by %d\n" : "\n", o->mask + 1);
    }
}

/* ---- the whole text ---------------------------------------------------------------------------------------------- */

static void xt_put_node_(xt_printer_ *p, const xt_node_ *n)
{
    const xt_row_ *row = xt_row_of_(n->op);
    const char *at = row->text;
    if (n->op == XT_OP_ARGUMENT_ || (n->part && p->form != XT_OF_A_SUBGROUP_)) return;
    if (*at)
        xt_put_(p, "%*s", p->depth * 2, "");
    else if (!xt_put_end_(p, n))
        return;
    for (; *at; at++)
        if (*at == '$') {
            xt_put_part_(p, n, row, ++at);
            at += isdigit((unsigned char)at[1]) != 0;
        } else
            xt_put_(p, "%c", *at);
    if (p->form == XT_OF_A_SUBGROUP_) xt_put_remark_(p, n);
    xt_put_(p, "\n");
}

/* A parameter's type is that of the first tile initialised from it. */
static void xt_put_param_(xt_printer_ *p, int number)
{
    const xt_val *v = &p->x->args[number];
    const xt_node_ *tile = NULL;
    for (int i = 0; i < p->x->nodes.count && !tile; i++) {
        const xt_node_ *n = xt_node_at_(p->x, i);
        if (n->op == XT_OP_INIT_TILE_ && n->operand[XT_INIT_BASE_] == v->id) tile = n;
    }
    xt_put_(p, "%s%%%s: ", number ? ", " : "", p->x->params[number].name);
    if (tile)
        xt_put_memref_(p, tile);
    else
        xt_put_(p, v->kind == SPE_POINTER ? "memref<?x%s>" : "%s", xt_type_text_(v->type, v->kind != SPE_POINTER));
}

static void xt_put_constants_(xt_printer_ *p)
{
    const xt_val *v = (const xt_val *)p->constants.items;
    for (int left = p->constants.count; left; left--, v++) {
        p->type = v->type;
        xt_say_(p, "  $n = arith.constant ", v);
        if (v->kind == SPE_REAL)
            xt_put_(p, "%s", spe_decimal_of(v->real, 'e', 6).s);
        else
            xt_put_(p, "%lld", (long long)v->integer);
        xt_put_(p, " : %s\n", xt_type_text_(v->type, true));
    }
    p->type = -1;
}

static void xt_put_body_(xt_printer_ *p, FILE *f)
{
    p->f = f;
    p->count = 0;
    p->depth = 1;
    memset(p->names, 0, (size_t)p->x->values.count * sizeof *p->names);
    for (int i = 0; i < p->x->nodes.count; i++) xt_put_node_(p, xt_node_at_(p->x, i));
}

static void xt_print_(xt_ctx *x, FILE *f)
{
    static const char *const titles[] = {"as recorded", "with the maps that follow", "what a subgroup does"};
    xt_printer_ p = XT_ZERO_;
    p.x = x;
    p.type = -1;
    p.names = (xt_named_ *)xt_memory_(p.x, (size_t)p.x->values.count * sizeof *p.names);
    for (; p.names && p.form < XT_FORMS_; p.form++) {
        xt_put_body_(&p, NULL);
        p.f = f;
        xt_put_(&p, "%s// %s: %s\n", p.form ? "\n" : "", p.x->kernel->name, titles[p.form]);
        if (p.form == XT_OF_A_SUBGROUP_) xt_put_summary_(&p);
        xt_put_(&p, "func.func @%s(", p.x->kernel->name);
        for (int i = 0; i < p.x->param_count; i++) xt_put_param_(&p, i);
        xt_put_(&p, ") {\n");
        xt_put_constants_(&p);
        xt_put_body_(&p, f);
        xt_put_(&p, "}\n");
    }
}

/* Of several kernels in a module, the first has it; the one that is printed borrows it. */
void xt_print(const xt_module *mod, FILE *f)
{
    xt_ctx *x = (xt_ctx *)(void *)mod->owner_;
    if (!mod->words && mod->error) spe_print_error(mod->error, f);
    if (!mod->words) return;
    spe_module own = x->m, *all = x->shared_module;
    x->m = *all;
    xt_print_(x, f);
    *all = x->m;
    if (all != &x->m) x->m = own;
}
