/* renumber.c - a module may use any ids below the bound in its header, which may be millions in a module of a few
 * words. To keep tables by id proportional to the module, modules with such gaps are renumbered from 1, in the order of
 * their ids. Results are renumbered here; operands are renumbered when they are decoded, since only then is it known
 * which are ids. Messages use the module's own numbers (sp_number).
 */
#include "reader.h"

#include <stdlib.h>

enum { FEW = 4096 }; /* ids whose cost is negligible */

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Lists result ids in `to`, unless NULL. Returns their number. */
static uint32_t list_results(const struct sp_module *m, uint32_t *to)
{
    uint32_t n = 0;
    for (size_t at = SP_HEADER_WORDS; at < m->word_count; at += m->words[at] >> 16) {
        const struct sp_op_row *row = sp_op_find(m->words[at] & 0xffff);
        uint32_t where = row && row->results == 3 ? 2 : 1;
        if (!row || !(row->results & 2) || m->words[at] >> 16 <= where) continue;
        if (to) to[n] = m->words[at + where];
        n++;
    }
    return n;
}

/* All undefined ids become the last one; the reader reports them where it matters. */
uint32_t sp_new_number(const struct sp_reader *r, uint32_t id)
{
    uint32_t low = 1, last = r->m->bound - 1, high = last;
    if (id == 0 || id >= r->stated_bound) return 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (r->number[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < last && r->number[low] == id) return low;
    if (!r->number[last]) r->number[last] = id;
    return last;
}

bool sp_renumber(struct sp_reader *r, uint32_t *copy)
{
    struct sp_module *m = r->m;
    uint32_t n = list_results(m, NULL), kept = 0;
    if (m->bound <= m->word_count + FEW) return true;
    uint32_t *number = sp_alloc(r, (size_t)n + 2 + r->total_types, sizeof *number);
    if (!number) return false;
    list_results(m, number + 1);
    qsort(number + 1, n, sizeof *number, by_value);
    for (uint32_t i = 1; i <= n; i++)
        if (number[i] != number[kept] && number[i] < m->bound) number[++kept] = number[i];
    number[kept + 1] = 0;
    r->stated_bound = m->bound;
    r->number = number;
    r->copy = copy;
    m->number = number;
    m->bound = kept + 2;
    for (size_t at = SP_HEADER_WORDS; at < m->word_count; at += m->words[at] >> 16) {
        const struct sp_op_row *row = sp_op_find(m->words[at] & 0xffff);
        uint32_t ids = row && row->results ? row->results - 1u : 0; /* a result, or a type and a result */
        for (uint32_t k = 1; k <= ids && k < m->words[at] >> 16; k++) copy[at + k] = sp_new_number(r, copy[at + k]);
    }
    return true;
}
