/* selection.h - the texts in front of generated code, divided into items (scripts/embed_text.awk); see selection.c. */
#ifndef XETILE_SOFT_SELECTION_H
#define XETILE_SOFT_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cg;

/* A function, a type, a macro, or an `#if` with all its content. Its lines, and the items that it needs, end where
 * those of the next item begin. */
struct soft_item {
    const char *text; /* "lanes": it is of prelude_lanes.h */
    uint16_t line, need;
    bool always; /* selected in any case */
};
struct soft_name {
    const char *name;
    uint16_t item; /* that defines it */
};
/* NULL-terminated. The body of a function, unless it is always inlined or depends on an `#if`, is between the lines
 * "@load_u32" or "@XS(load_u32)", which name it, and "@". */
extern const char *const soft_lines[];
extern const uint16_t soft_needs[];
extern const struct soft_item soft_items[]; /* ended by one without a text */
extern const struct soft_name soft_names[]; /* likewise */

enum { CG_MOST_ITEMS = 4096 };
struct cg_selection {
    uint8_t item[CG_MOST_ITEMS];
};
/* The items that code with this body needs; NULL if out of memory. The caller frees it. */
struct cg_selection *cg_select_text(const char *body, size_t size);
bool cg_selects(const struct cg_selection *s, const char *name, size_t length); /* is the name selected? */
void cg_put_selected(struct cg *g, const struct cg_selection *s, const char *text);
void cg_put_symbols(struct cg *g); /* the names of the functions put so far, where they may be compiled apart */

#endif
