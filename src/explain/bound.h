/* Whether differences begin at a bound, and none, or few, lie below it. */
#ifndef DETCHECK_EXPLAIN_BOUND_H
#define DETCHECK_EXPLAIN_BOUND_H

#include "explain/explain.h"

/* Fills in where the differences lie, how many there do, and how many inputs there do not differ. */
bool bound_find(const struct explain_request *request, const struct set_count *left,
                struct explanation *explanation);

/* Whether an explanation that has a bound is about the difference. */
bool bound_covers(const struct format *format, const struct explanation *explanation,
                  const struct difference *difference);

/* Whether A gives a finite number there, so that a bound there is not where the function ends. */
bool bound_is_defined(const struct explain_request *request, uint64_t code);

/* Inputs of the domain with magnitudes from..to, of the signs that are wanted. */
uint64_t inputs_of_magnitudes(const struct domain *domain, const bool signs[2], uint64_t from,
                              uint64_t to);

/* The binade of a magnitude in a spread. */
int spread_place(const struct format *format, uint64_t magnitude);

#endif
