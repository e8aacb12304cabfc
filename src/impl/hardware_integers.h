/* Conversions between real numbers and integers by instructions of this processor, or as C has them. */
#ifndef DETCHECK_IMPL_HARDWARE_INTEGERS_H
#define DETCHECK_IMPL_HARDWARE_INTEGERS_H

#include <stdbool.h>
#include <stddef.h>

typedef void convert_function(void *to, const void *from, size_t count);

/* ANY_ROUNDING: exact, or of integers to the nearest. */
struct hardware_row {
    const char *from, *to, *what;
    int rounding;
    convert_function *convert;
    bool (*has)(void);
    const char *profiles; /* that it keeps, separated by spaces; NULL: ieee */
};

extern const struct hardware_row hardware_integer_rows[];
extern const size_t hardware_integer_row_count;

#endif
