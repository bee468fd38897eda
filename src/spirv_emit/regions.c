/* regions.c - the open regions, as messages and other files see them. */
#include "internal.h"

/* What spe_name called an id; "" if nothing. */
XE_FN_ const char *spe_name_of_(const spe_module *m, spe_id id)
{
    const spe_named_ *rows = (const spe_named_ *)m->named.items;
    for (int i = m->named.count - 1; i >= 0; i--) {
        if (rows[i].id == id) return rows[i].name;
    }
    return "";
}

/* "spe_if opened at file:line", of the last spe_at before it; if there was none, that of the error. */
XE_FN_ const char *spe_region_text_(spe_module *m, const spe_region_ *r)
{
    static const char *const names[] = {"if", "if", "for", "while", "while", "switch", "switch"};
    if (r->file) snprintf(m->place, sizeof m->place, "spe_%s opened at %s:%d", names[r->kind], r->file, r->line);
    else if (!m->file) snprintf(m->place, sizeof m->place, "spe_%s opened without SPE or spe_at", names[r->kind]);
    else
        snprintf(m->place, sizeof m->place, "spe_%s opened without SPE or spe_at, before %s:%d", names[r->kind],
                 m->file, m->line);
    return m->place;
}

XE_FN_ void spe_region_left_open_(spe_module *m)
{
    spe_error_(m, SPE_ERR_REGION_OPEN, "the %s is not closed", spe_region_text_(m, &m->regions[m->region_count - 1]));
}

/* Is this neither in a side of the innermost region nor after it? Then reports an error. */
XE_ONCE_
XE_FN_ bool spe_between_sides_(spe_module *m)
{
    const spe_region_ *r = m->region_count ? &m->regions[m->region_count - 1] : NULL;
    if (!r || r->kind != SPE_REGION_SWITCH_) return false;
    spe_error_(m, SPE_ERR_REGION_CROSSED, "not between the sides of the %s: spe_case or spe_default comes first",
               spe_region_text_(m, r));
    return true;
}

/* Says where a value was made that is out of scope, and how to use it here. */
static spe_id spe_out_of_scope_(spe_module *m, spe_id value)
{
    const spe_record_ *r = &m->ids[value];
    const char *name = spe_name_of_(m, value), *between = *name ? " " : "";
    if (!m->open || r->serial < m->buffer[SPE_BUFFER_SCOPES_].data[1])
        return spe_error_(m, SPE_ERR_SCOPE, "value %u%s%s was made in another function: pass it as an argument", value,
                          between, name);
    size_t region = (size_t)r->depth - SPE_SCOPES_OF_FUNCTION_;
    if (r->depth >= SPE_SCOPES_OF_FUNCTION_ && region < m->region_count && r->serial >= m->regions[region].serial)
        return spe_error_(m, SPE_ERR_SCOPE, "value %u%s%s was made in another side of the %s: make it before it",
                          value, between, name, spe_region_text_(m, &m->regions[region]));
    return spe_error_(m, SPE_ERR_SCOPE, "value %u%s%s was made in a region that is closed; carry it out", value,
                      between, name);
}

/* Reports why an operand of spe_operand_ cannot be used. One function, so that it is not part of what runs for each. */
XE_FN_ spe_id spe_bad_operand_(spe_module *m, spe_id value)
{
    if (!value)
        return spe_error_(m, SPE_ERR_NO_VALUE, "an operand is the id 0, which is not a value: it was never set, or the "
                          "call that should return it returns none");
    if (value >= m->id_count || !m->ids[value].type)
        return spe_error_(m, SPE_ERR_NO_VALUE, "the operand with id %u is %s", value,
                          spe_info_(m, value) ? "a type, not a value" : "not a value");
    if (m->in_prologue && m->ids[value].depth > 1)
        return spe_error_(m, SPE_ERR_PROLOGUE, "value %u is made in the body; the prologue comes before it", value);
    return spe_out_of_scope_(m, value);
}
