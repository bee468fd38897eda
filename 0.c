#include "ze_dispatch.h"

#include <stdio.h>

int main(void)
{
    zed_device d;
    if (!zed_open(&d, NULL)) return zed_print_error(&d, stderr), 1;
    printf("target %s, subgroups of", d.target.name);
    for (unsigned size = 1; size <= 64; size *= 2)
        if (d.target.subgroup_sizes & size) printf(" %u", size);
    printf(", matrix instructions: %s\n", d.target.dpas ? "yes" : "no");
    zed_close(&d);
}
