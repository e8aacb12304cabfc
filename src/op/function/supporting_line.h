/* A function that lies strictly above a line through the origin with a rational slope, and touches
 * it there: mish x above 3x/5. Where x is tiny a fit sees no difference between the two, and where
 * the line itself is a number of the format a directed rounding asks for just that: an inequality
 * answers. Slopes that are powers of two have asymptotes (op/function/asymptote.h) instead. */
#ifndef DETCHECK_OP_FUNCTION_SUPPORTING_LINE_H
#define DETCHECK_OP_FUNCTION_SUPPORTING_LINE_H

/* f(x) > numerator x / denominator for all finite x but 0, where both are 0. */
struct supporting_line {
    unsigned numerator, denominator; /* 1 to 7, and to 255 */
};

#endif
