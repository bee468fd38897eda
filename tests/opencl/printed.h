/* printed.h - what kernels print; for programs that define _GNU_SOURCE. */
#ifndef XETILE_TESTS_PRINTED_H
#define XETILE_TESTS_PRINTED_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What `launch` makes kernels write to standard output; returns its length. */
static size_t ocl_printed(char *text, size_t size, void (*launch)(const void *arguments), const void *arguments)
{
    char name[] = "/tmp/xetile_print_XXXXXX";
    int file = mkstemp(name), out;
    size_t length = 0;
    if (file < 0) return 0;
    unlink(name);
    fflush(stdout);
    out = dup(1);
    dup2(file, 1);
    launch(arguments);
    fflush(stdout);
    dup2(out, 1);
    close(out);
    lseek(file, 0, SEEK_SET);
    for (long got; length + 1 < size && (got = (long)read(file, text + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = 0;
    close(file);
    return length;
}

#endif
