/* Formats by detmath's numbers. */
#ifndef DETCHECK_OP_DETMATH_FORMAT_H
#define DETCHECK_OP_DETMATH_FORMAT_H

#include "format/format.h"

/* The number of a format in detmath (enum detmath_format_index), or -1. */
int detmath_index_of(const struct format *format);
/* The same, or that of a format of integers (enum detmath_integer_index). */
int detmath_any_index_of(const struct format *format);

/* Whether it is one of those for which detmath has more than conversions. */
bool detmath_has_functions(const struct format *format);

#endif
