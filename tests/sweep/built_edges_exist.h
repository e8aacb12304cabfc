/* Which results at the ends of a format an operation has: decided without the builder, by trying factors, legs, quotients and powers. */
#ifndef DETCHECK_TESTS_SWEEP_BUILT_EDGES_EXIST_H
#define DETCHECK_TESTS_SWEEP_BUILT_EDGES_EXIST_H

#include "format/format.h"

#include <stdbool.h>
#include <stdint.h>

/* Ends: a number and quarters of its ulp. */
enum number { MOST, NORMAL, LEAST, ZERO };
struct end {
    const char *name;
    enum number number;
    int quarters;
};

enum side { BELOW, EXACTLY, ABOVE, SIDES };
/* |end| = odd * 2^exponent; odd is 0 for zero. */
struct case_of {
    const struct format *format, *results;
    const struct end *end;
    uint64_t odd;
    int exponent;
    bool negative;
};

typedef bool edge_exists(const struct case_of *one, enum side side);

/* An operation, and whether its results may be negative; without a name behind the last. */
struct edge_rule {
    const char *operation;
    edge_exists *exists;
    bool is_signed;
};
extern const struct edge_rule edge_rules[];

#endif
