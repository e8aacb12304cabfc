/* `sleef` and `libmvec`: libraries of functions on vector registers, opened at run time where they
 * are installed. To nearest-even; the widest form that the library and this processor have. */
#ifndef DETCHECK_IMPL_VECTOR_LIBM_H
#define DETCHECK_IMPL_VECTOR_LIBM_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_sleef, implementation_libmvec;

#endif
