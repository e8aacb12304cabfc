/* Some results of a call as a call of its own, so that only those that matter are computed: numbers, lines, elements of a
 * product or of a convolution, which are dot products, queries of attention, groups of channels that are normed together. */
#ifndef DETCHECK_TRACE_PART_H
#define DETCHECK_TRACE_PART_H

#include "trace/call.h"

/* What can be computed by itself: units, numbered as their results are. */
struct trace_units {
    uint64_t count;
    uint64_t results; /* of each */
    uint64_t cost;    /* terms of each */
    /* What the exact oracle takes for each result that it is asked for, beside that: as much as so many terms of a sum. */
    uint64_t result_cost;
};
struct trace_units trace_call_units(const struct trace_call *call);

/* How many keys a query of attention sees: those that no mask hides. Of other units 0. */
uint64_t trace_unit_keys(const struct trace_call *call, uint64_t unit);

/* The unit of a result, and which result number `index` of a unit is. */
uint64_t trace_unit_of(const struct trace_call *call, uint64_t result);
uint64_t trace_unit_result(const struct trace_call *call, uint64_t unit, uint64_t index);

/* Makes a call of some units, whose results are those of the first unit, then of the second, and so on. False without memory, or
 * where the operation takes no such call. */
bool trace_part_open(struct trace_call *part, const struct trace_call *call, const uint64_t *units,
                     size_t count, struct error *why);

/* The exact values of the results of a call: of those alone that are `wanted`, which has one for each, unless it is NULL. */
bool trace_call_exact(const struct trace_call *call, const bool *wanted, struct real *y,
                      struct error *why);

/* A function of a number takes the oracle as long as so many terms of a sum, about. */
enum { TRACE_FUNCTION_COST = 32 };

#endif
