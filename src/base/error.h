/* One line that says what was wrong, where, and what would be right.
 *
 * Functions below cmd/ never print: they fill an error and return false, and the program prints it
 * as "detcheck: LINE" and exits 2. */
#ifndef DETCHECK_BASE_ERROR_H
#define DETCHECK_BASE_ERROR_H

#include <stdbool.h>

struct error {
    char text[768];
};

#if defined(__GNUC__)
#define PRINTF_LIKE(format_index, first_index)                                                     \
    __attribute__((format(printf, format_index, first_index)))
#else
#define PRINTF_LIKE(format_index, first_index)
#endif

/* Stores the line. A word of more than 300 bytes loses its middle, and a line that does not fit its end: "..." stands there. What a terminal or a CI system would
 * obey (a name that the user gave may hold anything) is made visible, as base/foreign.h has it, so
 * that the error stays one line. Always returns false, so that
 * a caller can write `return error_set(...)`. */
bool error_set(struct error *error, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
