/* Which exception flags a call of strtod, strtof, scanf or snprintf has to raise, what errno may be after it, and how many bytes it reads.
 *
 *   IEEE 754-2019, 5.12, 7.4 to 7.6   a conversion from or to a text rounds once, and raises what that raises: overflow, underflow and
 *                                     inexact; a text that is no number, infinity and NaN raise nothing
 *   C11, 7.22.1.3                     errno is ERANGE where the right number overflows and the rounding is the default one; whether an
 *                                     underflow sets it is left to the implementation
 *   POSIX, strtod                     an underflow sets it; where no number stands, errno may be EINVAL
 *
 * POSIX decides. What the two call an underflow is a tiny result that is inexact. A number that is tiny and exact, or tiny before
 * rounding alone, may set ERANGE or not. C says nothing of errno after scanf and snprintf (7.5): it may be anything. */
#ifndef DETCHECK_ORACLE_TEXTS_H
#define DETCHECK_ORACLE_TEXTS_H

#include "op/array.h"
#include "oracle/flags.h"

/* What is right for a line of a call that takes texts: `text` of at most so many bytes, and its exact value. */
struct flag_expectation oracle_flags_of_reading(const struct array_call *call, const char *text,
                                                size_t length, const struct real *y,
                                                bool tiny_after_rounding);

/* And of one that gives texts: for the right text of an element of its operand. */
struct flag_expectation oracle_flags_of_writing(const struct array_call *call, uint64_t element,
                                                const char *text, size_t length);

#endif
