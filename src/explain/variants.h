/* libm in other variants than this processor's: glibc has code for processors with FMA and AVX2, and code without them. */
#ifndef DETCHECK_EXPLAIN_VARIANTS_H
#define DETCHECK_EXPLAIN_VARIANTS_H

#include "explain/pass.h"

/* Adds libm without FMA, in a process of its own, to the rebuilds that the sides are held against. It adds nothing where libm is no
 * glibc of x86-64, has no such function, or none of the sides may be a libm; nor where it gives at an input at which the sides differ
 * what libm gives there (NULL: nobody knows one). What it adds stays until the next call. */
void variants_add(struct explain_request *request, const struct difference *difference);

#endif
