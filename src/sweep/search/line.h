/* The operation along a line: one operand runs through consecutive codes, the others stay.
 *
 * A search has to rank many inputs, and only what it names in the end has to be proved. So a
 * polynomial through a few exact values stands for the operation, held against one more exact value
 * in the middle. Nothing is claimed of its error elsewhere: the exact oracle judges whatever a
 * search reports.
 *
 * Let n be how many codes an input lies from the centre of the line. The exact result is
 *     base + unit * (slope n + c[0] + c[2] n^2 + c[3] n^3 + ...),
 * where base is a number of the format near the result at the centre, and unit its ulp. An output
 * less base is exact in double, and so is what counts of the product slope * n: errors of some
 * 2^-12 ulp remain where the line moves through 2^40 ulps. */
#ifndef DETCHECK_SWEEP_SEARCH_LINE_H
#define DETCHECK_SWEEP_SEARCH_LINE_H

#include "oracle/exact.h"

enum { LINE_NODES = 10, LINE_MOST_LOG2 = 41 };

/* One result along the line. */
struct line_result {
    double base;
    int unit;         /* the exponent of the unit */
    double scales[2]; /* whose product is 1 / unit, which need not be a double */
    double slope, slope_rest;
    double c[LINE_NODES]; /* c[1] is 0 */
    int exponents[2];     /* the least and the largest of the exact results at the nodes */
};

struct line {
    uint64_t codes[MAX_OPERANDS]; /* of the centre */
    int running;                  /* the operand that runs */
    uint64_t half;                /* codes on either side of the centre */
    int spare_bits;               /* wanted beyond the precision of the results */
    int nodes;
    struct line_result results[MAX_RESULTS];
};

/* What making lines needs, for one thread. */
struct line_maker {
    mpfr_t values[LINE_NODES], base, term;
    double offsets[LINE_NODES];
};

void line_maker_open(struct line_maker *maker);
void line_maker_close(struct line_maker *maker);

enum line_fit {
    LINE_FITS,
    LINE_BENDS,   /* too much for a polynomial: a shorter line may do */
    LINE_IS_NONE, /* the result at the centre is zero, infinite or NaN */
    LINE_FAILED   /* the oracle did: an error */
};

/* Makes the line whose centre, running operand, half length and spare bits are set; the line stays within one
 * binade. `format` is that of the results, fp32 or fp64, and `oracle` works at ORACLE_MOST_BITS. */
enum line_fit line_make(struct line *line, struct line_maker *maker, struct oracle *oracle,
                        const struct format *format, int results, struct error *error);

/* For inputs at `offsets` from the centre (whole numbers) and outputs as doubles: the errors with
 * their signs, in ulps of the exact result in `format`. NaN or infinite where an output is. */
void line_errors(const struct line_result *result, const struct format *format,
                 const double *offsets, const double *outputs, double *errors, size_t count);

/* The exact results in units, less the nearest whole numbers: from -0.5 to 0.5. */
void line_fractions(const struct line_result *result, const double *offsets, double *fractions,
                    size_t count);

#endif
