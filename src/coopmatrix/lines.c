/* lines.c - lines of a matrix by block messages of one dimension, for devices that have no other: a message for each
 * line of elements that lie side by side, instead of an address for each lane. */
#include "internal.h"

/* Is this access made so: are the lanes side by side in memory, each with one element of a line in each block, or with
 * 32 bits of neighbours; is nothing checked, as a test for each load would double the code of loops; and are lines
 * known to begin at multiples of 4 bytes, those that are stored, and each block of theirs, of 16? Intel's compiler
 * refuses such loads in subgroups of 32. */
static bool cm_has_lines_(cm_ctx *c, const cm_surface_ *s, const cm_layout *l, bool store)
{
    int bytes = cm_type_info(l->type)->bytes;
    if (store && (s->align < 16 || l->lanes * l->size_k1 * bytes % 16 != 0)) return false;
    return c->target.block1d && l->lanes <= 16 && s->storage == SPE_StorageClassCrossWorkgroup && !s->rows &&
           !s->cols && bytes <= 4 && (bytes == 4 || s->align >= 4) && l->size_i == l->lanes &&
           !cm_is_complex(l->type) && (l->size_k1 == 1 || (l->interleaved && l->size_k1 * bytes == 4)) &&
           cm_is_constant_(c, s->down, 1);
}

/* Loads the words of a line in all blocks of lanes, to their places among those of all lines, or stores these. */
static void cm_move_line_(cm_ctx *c, const cm_layout *l, spe_id line, int column, spe_id *words, bool store)
{
    spe_module *m = c->module;
    int side = l->size_k1, blocks = l->size_k2, lines = l->size_v / (blocks * side);
    spe_id word = spe_int(m, (uint32_t)(cm_type_info(l->type)->storage_bits * side));
    for (int block = 0, n; block < blocks; block += n) {
        for (n = 8; n > blocks - block;) n /= 2;
        spe_id at = spe_ptr_cast(m, spe_index(m, line, spe_u64(m, (uint64_t)(block * l->lanes * side))), word);
        uint32_t operand[2] = {at, 0};
        if (store) {
            spe_id piece[8];
            for (int i = 0; i < n; i++) piece[i] = spe_bitcast(m, word, words[(block + i) * lines + column]);
            operand[1] = cm_join_(c, word, piece, n, 1);
            spe_op_void(m, SPE_OpSubgroupBlockWriteINTEL, 2, operand);
            continue;
        }
        spe_id read = spe_op(m, SPE_OpSubgroupBlockReadINTEL, cm_vec_(c, word, n), 1, operand);
        for (int i = 0; i < n; i++)
            words[(block + i) * lines + column] = n == 1 ? read : spe_extract(m, read, (uint32_t)i);
    }
}

/* What is stored, in the order of what is loaded: words of neighbours, or components. */
static spe_id *cm_lines_of_(cm_ctx *c, const cm_matrix *a)
{
    return a->layout.size_k1 > 1 ? cm_words_of_(c, a) : cm_component_ids(c, a, a->layout.type);
}

/* A matrix of lines: where a lane has neighbours of a line in a word, the words are those that were read. */
static cm_matrix cm_from_lines_(cm_ctx *c, const cm_layout *l, spe_id *read)
{
    if (l->size_k1 > 1) return cm_from_words_(c, l, read);
    spe_id elem = cm_storage_type(c, l->type);
    for (int v = 0; v < l->size_v; v++) read[v] = spe_bitcast(c->module, elem, read[v]);
    return cm_from_components(c, l, read);
}

/* Method: a message for each line. */
XE_FN_ bool cm_move_lines_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store)
{
    const cm_layout *l = &a->layout;
    spe_module *m = c->module;
    if (!cm_has_lines_(c, s, l, store)) return false;
    int lines = l->size_v / (l->size_k2 * l->size_k1);
    spe_id along = cm_distance_(c, s->col, s->right);
    spe_id start = spe_iadd(m, along, cm_distance_(c, s->row, cm_i32_(c, 1)));
    spe_id first = spe_index(m, s->ptr, start), *words = store ? cm_lines_of_(c, a) : cm_ids_(c, l->size_v);
    for (int column = 0; words && column < lines; column++) {
        spe_id line = spe_index(m, first, cm_distance_(c, s->right, cm_i32_(c, column)));
        cm_move_line_(c, l, line, column, words, store);
    }
    if (store) return true;
    cm_matrix whole = words ? cm_from_lines_(c, l, words) : cm_poison();
    if (whole.parts) memcpy(a->part, whole.part, (size_t)whole.parts * sizeof *a->part);
    return true;
}
