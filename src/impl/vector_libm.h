/* `sleef`, `libmvec` and `svml:`: libraries of functions on vector registers, opened at run time where they
 * are installed. To nearest-even; the widest form that the library and this processor have. */
#ifndef DETCHECK_IMPL_VECTOR_LIBM_H
#define DETCHECK_IMPL_VECTOR_LIBM_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_sleef, implementation_libmvec,
    implementation_svml, implementation_svml_several;

/* Only registers of at most so many bytes from here on; for a process that has not used them. */
void vector_libm_limit(size_t bytes);

/* What says so in the environment of a process. */
#define VECTOR_BYTES_VARIABLE "DETCHECK_VECTOR_BYTES"
/* By the text of that variable, 16, 32 or 64; else an error that says so. */
bool vector_libm_use_bytes(const char *text, struct error *why);

#endif
