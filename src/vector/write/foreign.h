/* Lines of other projects' test files: between write.c and foreign.c. */
#ifndef DETCHECK_VECTOR_WRITE_FOREIGN_H
#define DETCHECK_VECTOR_WRITE_FOREIGN_H

#include "oracle/exact.h"
#include "vector/vector.h"

#include <stdio.h>

/* Writes one test. `y` is the exact first result. */
typedef void write_line(FILE *stream, const struct vector_group *group,
                        const struct vector_test *test, const struct real *y);

/* TestFloat: the operands, the result and the exception flags in hex, tininess detected as
 * the group says. */
write_line write_testfloat;

/* The .tst files of ARM's optimized-routines: the result truncated, with 12 more of its bits. */
write_line write_tst;

/* numpy's umath-validation-set CSV. */
write_line write_numpy_csv;

/* "np.float32", or NULL where numpy's files have no such format. */
const char *numpy_type(const struct format *format);

#endif
