/* tree.c - see tree.h. */
#include "tree.h"

#include <stdatomic.h>

/* Any sequence that does not follow the addresses will do. */
static uint32_t next_priority(void)
{
    static _Atomic uint32_t count;
    uint32_t x = atomic_fetch_add_explicit(&count, 0x9e3779b9u, memory_order_relaxed);
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Divides the nodes below `from` into those up to the address and those after it. */
static void split(struct tree_node *from, uintptr_t address, struct tree_node **upto, struct tree_node **after)
{
    while (from) {
        if (from->base <= address) {
            *upto = from;
            upto = &from->right;
        } else {
            *after = from;
            after = &from->left;
        }
        from = from->base <= address ? from->right : from->left;
    }
    *upto = *after = NULL;
}

void tree_insert(struct tree *t, struct tree_node *n)
{
    struct tree_node **link = &t->root;
    n->priority = next_priority();
    while (*link && (*link)->priority >= n->priority)
        link = (*link)->base <= n->base ? &(*link)->right : &(*link)->left;
    split(*link, n->base, &n->left, &n->right);
    *link = n;
}

void tree_remove(struct tree *t, struct tree_node *n)
{
    struct tree_node **link = &t->root, *left = n->left, *right = n->right;
    while (*link != n) link = (*link)->base <= n->base ? &(*link)->right : &(*link)->left;
    while (left && right) {
        if (left->priority > right->priority) {
            *link = left;
            link = &left->right;
            left = *link;
        } else {
            *link = right;
            link = &right->left;
            right = *link;
        }
    }
    *link = left ? left : right;
}

struct tree_node *tree_upto(const struct tree *t, uintptr_t address)
{
    struct tree_node *found = NULL;
    for (struct tree_node *n = t->root; n; n = n->base <= address ? n->right : n->left)
        if (n->base <= address) found = n;
    return found;
}

struct tree_node *tree_after(const struct tree *t, uintptr_t address)
{
    struct tree_node *found = NULL;
    for (struct tree_node *n = t->root; n; n = n->base <= address ? n->right : n->left)
        if (n->base > address) found = n;
    return found;
}
