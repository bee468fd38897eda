/* tree.h - a balanced search tree of memory by its first address: allocations, and what the checked mode knows of them.
 * A node is part of what it stands for. Each operation takes time that grows with the logarithm of the number of nodes.
 * Callers exclude each other.
 */
#ifndef XETILE_SOFT_TREE_H
#define XETILE_SOFT_TREE_H

#include <stddef.h>
#include <stdint.h>

struct tree_node {
    uintptr_t base;
    struct tree_node *left, *right; /* smaller and larger addresses */
    uint32_t priority;              /* random; no child's is larger: this keeps the tree balanced (a treap) */
};
struct tree {
    struct tree_node *root;
};

void tree_insert(struct tree *t, struct tree_node *n); /* with its base */
void tree_remove(struct tree *t, struct tree_node *n);
struct tree_node *tree_upto(const struct tree *t,
                            uintptr_t address); /* the last that begins there or before, or NULL */
struct tree_node *tree_after(const struct tree *t, uintptr_t address); /* the first that begins after it, or NULL */
/* The object whose member `node` it is. */
#define TREE_OF(type, pointer) ((type *)(void *)((char *)(pointer) - offsetof(type, node)))
/* Every node, by address. */
#define TREE_EACH(n, t)                                                                                                \
    for (struct tree_node *n = tree_upto(t, 0) ? tree_upto(t, 0) : tree_after(t, 0); n; n = tree_after(t, n->base))

#endif
