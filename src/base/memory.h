/* Memory that has run out. Our own code sees a failed allocation and says so as an error; libraries
 * that cannot (GMP, MPFR and FLINT abort; cJSON and stdio's memory streams lose what
 * they were given) get allocators that end the program: one line on stderr, exit 2. Outputs are
 * files that have no name yet, or memory, so nothing half-written is left (base/output.h has the
 * exception). */
#ifndef DETCHECK_BASE_MEMORY_H
#define DETCHECK_BASE_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/* Gives GMP, MPFR, FLINT and cJSON their allocators. Before any of them is used. */
void memory_guard_libraries(void);

/* A stream into memory, as open_memstream: *text and *size are good after fclose, and *text is the
 * caller's to free. A failure to grow ends the program. NULL when not even the stream can be
 * had. */
FILE *memory_stream(char **text, size_t *size);

/* "out of memory", exit 2; from whichever thread comes first. */
_Noreturn void memory_exhausted(void);

#endif
