/* Calls of strtod, strtof, sscanf and snprintf, of the C library or of another, a text each, and what they do besides. */
#ifndef DETCHECK_OP_DECIMAL_C_CALLS_H
#define DETCHECK_OP_DECIMAL_C_CALLS_H

#include "op/array.h"

#include <stddef.h>

union text_function {
    void *address;
    double (*read_fp64)(const char *, char **);
    float (*read_fp32)(const char *, char **);
    int (*scan)(const char *, const char *, ...);
    int (*write)(char *, size_t, const char *, ...);
};

/* Reads a text, which ends with 0, for line number `line` of the call, by `scan` if the call has the grammar of scanf: the result, and its effects where the call asks for them. */
void text_function_read(const union text_function *function, const struct array_call *call,
                        uint64_t line, const char *text);

/* Writes number `line` of the call into a room of so many bytes, in the style and with the digits of the call (not the shortest). */
void text_function_write(const union text_function *function, const struct array_call *call,
                         uint64_t line, char *text, size_t room);

#endif
