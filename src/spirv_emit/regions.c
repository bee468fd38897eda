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

/* "spe_if opened at file:line" */
XE_FN_ const char *spe_region_text_(spe_module *m, const spe_region_ *r)
{
    static const char *const names[] = {"if", "if", "for", "while", "while", "switch", "switch"};
    if (r->file) snprintf(m->place, sizeof m->place, "spe_%s opened at %s:%d", names[r->kind], r->file, r->line);
    else snprintf(m->place, sizeof m->place, "spe_%s opened without SPE or spe_at", names[r->kind]);
    return m->place;
}

XE_FN_ void spe_region_left_open_(spe_module *m)
{
    spe_error_(m, SPE_ERR_REGION_OPEN, "the %s is not closed", spe_region_text_(m, &m->regions[m->region_count - 1]));
}

/* Is this neither in a side of the innermost region nor after it? Then reports an error. */
XE_FN_ bool spe_between_sides_(spe_module *m)
{
    const spe_region_ *r = m->region_count ? &m->regions[m->region_count - 1] : NULL;
    if (!r || r->kind != SPE_REGION_SWITCH_) return false;
    spe_error_(m, SPE_ERR_REGION_CROSSED, "not between the sides of the %s: spe_case or spe_default comes first",
               spe_region_text_(m, r));
    return true;
}
