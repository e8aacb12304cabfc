/* `hellas` and `hellas-mended`: sin, cos, sincos, exp and log by the algorithm of the article that the
 * deterministic functions come from ("Deterministic transcendental functions", Hellas). The first
 * takes it at its word, in fp32, mistakes included; the second mends what is wrong and keeps its
 * method and its degrees. detcheck-functions(7) lists the mistakes. */
#ifndef DETCHECK_IMPL_HELLAS_H
#define DETCHECK_IMPL_HELLAS_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_hellas, implementation_hellas_mended;

#endif
