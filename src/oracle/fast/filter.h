/* What is known of many inputs at once, so that MPFR need not be asked for each?
 *
 * This is the fast oracle. It divides codes into blocks and says something of each block:
 *   FIT        a cheap value with a proved bound decides most inputs (oracle/fast/fit.h), or one
 *              without any error decides nearly all (oracle/fast/arithmetic.h);
 *   ASYMPTOTE  an inequality of the operation's row decides all inputs (op/function/asymptote.h);
 *   PATTERN    the codes of the results follow from those of the inputs by a few steps on integers
 *              (op/function/code_pattern.h);
 *   NAN        the results are NaN, because the inputs are, or because they are no integers, as pown wants;
 *   EXACT      nothing is known, and MPFR decides.
 *
 * Blocks are aligned and have 2^18 codes at most. A block is
 * halved as long as no bound is proved for it, down to 2^6 codes. A function of two operands is
 * taken as many functions of one, with the first operand fixed (op/function/section.h), and a formula of two or three
 * likewise, with all but the last fixed. Which block
 * a code lies in follows from the code alone: not from ranges, threads, or what was asked before.
 *
 * The fast oracle never guesses: what a block leaves in doubt is decided by MPFR. What it claims is
 * held against MPFR at seeded inputs of each block (filter_recheck). */
#ifndef DETCHECK_ORACLE_FAST_FILTER_H
#define DETCHECK_ORACLE_FAST_FILTER_H

#include "oracle/fast/fit.h"

enum { BLOCK_LOG2 = 18, LEAST_BLOCK_LOG2 = 6 };

enum block_kind { BLOCK_EXACT, BLOCK_FIT, BLOCK_ASYMPTOTE, BLOCK_PATTERN, BLOCK_NAN };

struct block {
    enum block_kind kind;
    uint64_t first; /* of the codes of the last operand */
    int log2_count;
    struct fit fit;
    const struct asymptote *asymptote;
    bool at_integers; /* an ASYMPTOTE block: NaN off integers */
    bool odd_negates; /* and of the other sign at odd ones */
};

struct filter;

/* Whether there is a fast oracle for that result: the operation's row and the format say so. */
bool filter_is_for(const struct operation *operation, const struct format *format, int result);

/* NULL when there is none, or no memory. `rounding` is the one that rint goes by. */
struct filter *filter_open(const struct operation *operation, const struct format *format,
                           int result, enum rounding rounding);
void filter_close(struct filter *filter);

/* The block of last operands that holds the code; `fixed` has the operands before, and is not looked at for a function of
 * one. Valid until the next call. */
const struct block *filter_block(struct filter *filter, const uint64_t *fixed, uint64_t code);

/* In a FIT block: how far the result, times 2^fit.shift, is from the value p, or in fp64 from p and tail, at most. */
static inline double block_bound(const struct block *block, double p) {
    return block->fit.bound + block->fit.relative * (p < 0 ? -p : p);
}

/* In a FIT block of other formats than fp64: how far an enclosure reaches from the value p. */
double block_reach(const struct block *block, double p);

/* In a FIT block: the reals between which the result at the code lies. False when they do not have
 * one sign, or one is infinite. Both count as inexact, although their significands are exact: a fit
 * never tells a binary fraction from its neighbours, so the caller must find that all that matters
 * is the same at both ends. */
bool block_enclosure(const struct block *block, const struct format *format, uint64_t code,
                     struct real *low, struct real *high);

/* The result at the code where that is a pole: +infinity of lgamma, NaN of digamma. False elsewhere. */
bool block_pole_value(const struct block *block, const struct format *format, uint64_t code,
                      struct real *y);

/* In a FIT block: the cheap value at the code, within block_bound of the result. In fp64 it has a
 * second part, and is that of 2^fit.shift times the result; `tail` is NULL in other formats. */
double block_value(const struct block *block, uint64_t code, double *tail);

/* In a FIT block by a polynomial: what the result times 2^fit.shift changes by from a code to the next,
 * as its slope says, lies strictly between these at each place of the block. False in other blocks. */
bool block_slopes(const struct block *block, double *least, double *most);

/* In a FIT block by arithmetic (arithmetic.h): the exact result at the code, where it is claimed;
 * where it has been rounded to odd, errors reckoned from it are off by less than 2^-40 ulp, and
 * y->inexact is set. */
bool block_arithmetic_value(const struct block *block, const struct format *format, uint64_t code,
                            struct real *y);

/* The result at the code where the row says that the function has period 2 and the number is a
 * multiple of 1/4, as all large numbers are: what MPFR says of the number modulo 2. (Only there is
 * tan(pi x) 0, 1, -1 or infinite; sin(pi x) and cos(pi x) are 0, 1 or -1 only at multiples of 1/2.)
 * False elsewhere. */
bool filter_period_value(struct filter *filter, uint64_t code, struct real *y);

/* In an ASYMPTOTE block: the result at the code, right in all that rounding can see, and to 2^-24
 * ulp. */
struct real block_asymptote_value(const struct block *block, const struct format *format,
                                  uint64_t code);

/* In a PATTERN block: the pattern from that code on; it may reach beyond the block. */
struct code_pattern filter_pattern(const struct filter *filter, uint64_t code);

/* Holds the block's claim at the code against MPFR. In a FIT block the cheap value must lie within
 * its bound of the result, or be the exact result to the bit, as in a PATTERN block. In an ASYMPTOTE block the result must
 * lie on the stated side of the line, and no farther from it than rounding can see. Where that is
 * not so, the error says everything that is needed to reproduce it: the filter is broken, and no
 * verdict of the run is worth anything. */
bool filter_recheck(struct filter *filter, const uint64_t *fixed, uint64_t code,
                    struct error *error);

/* Which inputs are rechecked follows from this and the block. */
enum { RECHECK_SEED = 20061 };

#endif
