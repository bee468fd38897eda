/* own_cache.h - for tests that need an empty cache, with no other program's entries: a folder in /tmp that
 * XETILE_SOFT_CACHE names.
 */
#ifndef XETILE_TEST_OWN_CACHE_H
#define XETILE_TEST_OWN_CACHE_H

#include <stdlib.h>

#include "test.h"

static char own_cache[64]; /* its path; "" if there is none */

static void remove_own_cache(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", own_cache);
    if (*own_cache) CHECK_INT(system(command), 0);
    *own_cache = 0;
}

/* In place of the previous one. */
static void new_own_cache(void)
{
    remove_own_cache();
    snprintf(own_cache, sizeof own_cache, "/tmp/xetile-cache-XXXXXX");
    CHECK(mkdtemp(own_cache) != NULL);
    setenv("XETILE_SOFT_CACHE", own_cache, 1);
}

#endif
