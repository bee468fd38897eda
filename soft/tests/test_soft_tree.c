/* test_soft_tree.c - the tree of memory by address: compared with an array, and its depth. */
#include "check/tree.h"
#include "test.h"

enum { NODES = 20000 };

static struct tree_node nodes[NODES];
static bool is_in[NODES]; /* node i has base 10 * i + 7 */

static uintptr_t base_of(size_t i) { return 10 * i + 7; }

static unsigned depth_of(const struct tree_node *n)
{
    if (!n) return 0;
    unsigned left = depth_of(n->left), right = depth_of(n->right);
    return 1 + (left > right ? left : right);
}

static void add(struct tree *t, size_t i)
{
    nodes[i].base = base_of(i);
    tree_insert(t, &nodes[i]);
    is_in[i] = true;
}

static void take(struct tree *t, size_t i)
{
    tree_remove(t, &nodes[i]);
    is_in[i] = false;
}

/* The nodes around an address, by looking at all between. */
static void check_address(const struct tree *t, uintptr_t address)
{
    const struct tree_node *upto = NULL, *after = NULL;
    for (size_t i = NODES; i-- && !upto;)
        if (is_in[i] && nodes[i].base <= address) upto = &nodes[i];
    for (size_t i = 0; i < NODES && !after; i++)
        if (is_in[i] && nodes[i].base > address) after = &nodes[i];
    CHECK(tree_upto(t, address) == upto);
    CHECK(tree_after(t, address) == after);
}

static void check_all(const struct tree *t)
{
    size_t count = 0, next = 0;
    for (int n = 0; n < 50; n++) check_address(t, (uintptr_t)(test_random() % (10 * NODES + 20)));
    check_address(t, 0);
    check_address(t, UINTPTR_MAX);
    TREE_EACH (n, t) {
        while (next < NODES && !is_in[next]) next++;
        CHECK(next < NODES && n == &nodes[next]);
        next++;
        count++;
    }
    for (size_t i = 0; i < NODES; i++) count -= is_in[i];
    CHECK_INT(count, 0);
}

/* Addresses of mappings usually fall; a tree without balance would be a list. */
TEST(addresses_in_order)
{
    for (int falling = 0; falling < 2; falling++) {
        struct tree t = {NULL};
        for (size_t i = 0; i < NODES; i++) add(&t, falling ? NODES - 1 - i : i);
        CHECK_MSG(depth_of(t.root) < 60, "%u levels for %d nodes", depth_of(t.root), NODES); /* usually 30 */
        check_all(&t);
        for (size_t i = 0; i < NODES; i++) take(&t, i);
        CHECK(!t.root);
    }
}

TEST(addresses_at_random)
{
    struct tree t = {NULL};
    for (int round = 0; round < 10; round++) {
        for (int n = 0; n < NODES; n++) {
            size_t i = (size_t)(test_random() % NODES);
            if (!is_in[i]) add(&t, i);
            else take(&t, i);
        }
        CHECK(depth_of(t.root) < 60);
        check_all(&t);
    }
    for (size_t i = 0; i < NODES; i++)
        if (is_in[i]) take(&t, i);
    CHECK(!t.root);
}

int main(void)
{
    RUN(addresses_in_order);
    RUN(addresses_at_random);
    return test_report();
}
