/* selection.h - see selection.c. */
#ifndef XETILE_SOFT_SELECTION_H
#define XETILE_SOFT_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cg;

enum { CG_MOST_ITEMS = 4096 };
struct cg_selection {
    uint8_t item[CG_MOST_ITEMS];
};
/* The items that code with this body needs; NULL if out of memory. The caller frees it. */
struct cg_selection *cg_select_text(const char *body, size_t size);
bool cg_selects(const struct cg_selection *s, const char *name, size_t length); /* is the name selected? */
void cg_put_selected(struct cg *g, const struct cg_selection *s, const char *const *text);

#endif
