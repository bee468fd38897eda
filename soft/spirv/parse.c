/* parse.c - sp_parse: the header, memory for the module's contents, and the steps in order. */
#include "host_state.h"
#include "reader.h"

#include <stdlib.h>
#include <string.h>

/* ---- the pipeline */

enum { MAGIC = 0x07230203 };

static uint32_t swap_bytes(uint32_t w) { return w >> 24 | (w >> 8 & 0xff00u) | (w << 8 & 0xff0000u) | w << 24; }

static bool read_header(struct sp_reader *r, const uint32_t *words, size_t count, uint32_t **own)
{
    struct sp_module *m = r->m;
    uint32_t major, minor;
    uint32_t *copy;
    bool swapped;
    size_t i;
    if (count < SP_HEADER_WORDS) return sp_refuse(r, NULL, "%zu words are too few for a module", count);
    if (count > SP_MAX_WORDS) return sp_refuse(r, NULL, "%zu words are more than the limit of %d", count, SP_MAX_WORDS);
    swapped = words[0] == swap_bytes(MAGIC);
    if (words[0] != MAGIC && !swapped)
        return sp_refuse(r, NULL, "the first word is 0x%08x, not SPIR-V's magic number", words[0]);
    copy = sp_alloc(r, count, sizeof *copy);
    if (!copy) return false;
    for (i = 0; i < count; i++) copy[i] = swapped ? swap_bytes(words[i]) : words[i];
    m->words = *own = copy;
    m->word_count = count;
    m->version = copy[1];
    m->bound = copy[3];
    major = m->version >> 16 & 0xff;
    minor = m->version >> 8 & 0xff;
    if (major != 1 || minor > 6 || (m->version & 0xff0000ffu))
        return sp_refuse(r, NULL, "version word 0x%08x: 1.0 to 1.6 are supported", m->version);
    if (m->bound == 0 || m->bound > SP_MAX_BOUND)
        return sp_refuse(r, NULL, "the id bound %u is not within 1 to %d", m->bound, SP_MAX_BOUND);
    if (copy[4] != 0) return sp_refuse(r, NULL, "the schema word is %u, not 0", copy[4]);
    return true;
}

static bool allocate(struct sp_reader *r)
{
    struct sp_module *m = r->m;
    size_t room = (size_t)m->bound + (r->strict ? 0 : r->total_types); /* for sp_make_undefined */
    m->ids = sp_alloc(r, room, sizeof *m->ids);
    m->type_of_id = sp_alloc(r, room, sizeof *m->type_of_id);
    m->names = sp_alloc(r, room, sizeof *m->names);
    r->forward = sp_alloc(r, m->bound, 1);
    r->early_type = sp_alloc(r, room, sizeof *r->early_type);
    r->insts = sp_alloc(r, r->total_insts, sizeof *r->insts);
    r->rule_index = sp_alloc(r, SP_RULE_OPS, sizeof *r->rule_index);
    m->types = sp_alloc(r, r->total_types, sizeof *m->types);
    m->functions = sp_alloc(r, r->total_functions, sizeof *m->functions);
    m->globals = sp_alloc(r, r->total_globals, sizeof *m->globals);
    m->entries = sp_alloc(r, r->total_entries, sizeof *m->entries);
    r->entry_insts = sp_alloc(r, r->total_entries, sizeof *r->entry_insts);
    r->modes = sp_alloc(r, r->total_modes, sizeof *r->modes);
    r->group_insts = sp_alloc(r, r->total_groups, sizeof *r->group_insts);
    r->raw = sp_alloc(r, r->total_decorations, sizeof *r->raw);
    r->function_at = sp_alloc(r, r->total_functions, sizeof *r->function_at);
    r->first_entry = sp_alloc(r, r->total_functions, sizeof *r->first_entry);
    r->next_entry = sp_alloc(r, r->total_entries, sizeof *r->next_entry);
    if (r->rule_index) sp_index_rules(r->rule_index);
    return r->rule_index && m->ids && m->type_of_id && m->names && r->forward && r->early_type && r->insts &&
           m->types && m->functions && m->globals && m->entries && r->entry_insts && r->modes && r->group_insts &&
           r->raw && r->function_at && r->first_entry && r->next_entry;
}

static bool read_all(struct sp_reader *r, const uint32_t *words, size_t count)
{
    uint32_t *own = NULL;
    return read_header(r, words, count, &own) &&
           sp_count_words(own + SP_HEADER_WORDS, count - SP_HEADER_WORDS, r) && sp_renumber(r, own) && allocate(r) &&
           sp_decode(r) && sp_build_functions(r) && sp_build_entries(r);
}

struct sp_module *sp_parse(const uint32_t *words, size_t count, const struct sp_spec *spec, size_t spec_count,
                           bool strict, struct sp_text *log)
{
    struct sp_host_state program;
    struct sp_reader r;
    bool good;
    memset(&r, 0, sizeof r);
    r.log = log;
    r.spec = spec;
    r.spec_count = spec_count;
    r.strict = strict;
    r.m = calloc(1, sizeof *r.m);
    if (!r.m) {
        sp_text_add(log, "SPIR-V: out of memory\n");
        return NULL;
    }
    sp_host_enter(&program); /* specialised constants are computed in the default state */
    good = words && read_all(&r, words, count);
    sp_host_leave(&program);
    if (!words) sp_refuse(&r, NULL, "no words given");
    if (good) sp_sum_deviations(&r);
    if (good) return r.m;
    sp_free(r.m);
    return NULL;
}
