/* `sleef` and `libmvec`: libraries of functions on vector registers, opened at run time where they
 * are installed. fp32, nearest-even, one operand or two; the widest form that the library and this
 * processor have. Lanes left over at the end of an array are computed in a padded vector. */
#ifndef DETCHECK_IMPL_VECTOR_LIBM_H
#define DETCHECK_IMPL_VECTOR_LIBM_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_sleef, implementation_libmvec;

#endif
