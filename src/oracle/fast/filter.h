/* The fast oracle in front of MPFR: what is known of all inputs of a block at once.
 *
 * A function of two operands is taken as many of one, with the first operand fixed
 * (op/function/section.h). fp32 codes are divided into aligned blocks of 2^18, halved where that is
 * too many for a proved fit (oracle/fast/fit.h), down to 2^6. A block is one of
 *   FIT    a polynomial with an error bound decides most of its inputs, or arithmetic without error
 *          (oracle/fast/arithmetic.h) nearly all of them,
 *   ASYMPTOTE   an inequality of the operation's row (op/function/asymptote.h) decides all of them,
 *   NAN    the inputs are NaN, and so are the results of every function of one operand,
 *   EXACT  nothing is known; MPFR decides.
 * The division depends on the codes alone: not on ranges, threads, or what was asked before. */
#ifndef DETCHECK_ORACLE_FAST_FILTER_H
#define DETCHECK_ORACLE_FAST_FILTER_H

#include "oracle/fast/fit.h"

enum { BLOCK_LOG2 = 18, LEAST_BLOCK_LOG2 = 6 };

enum block_kind { BLOCK_EXACT, BLOCK_FIT, BLOCK_ASYMPTOTE, BLOCK_NAN };

struct block {
    enum block_kind kind;
    uint64_t first; /* of the codes of the last operand */
    int log2_count;
    struct fit fit;
    const struct asymptote *asymptote;
};

struct filter;

/* NULL when the operation's row, the format or the memory does not allow for a fast oracle. */
struct filter *filter_open(const struct operation *operation, const struct format *format,
                           int result);
void filter_close(struct filter *filter);

/* The block of last operands that holds the code; `fixed` is the first operand of a function of
 * two, and means nothing for a function of one. Valid until the next call. */
const struct block *filter_block(struct filter *filter, uint64_t fixed, uint64_t code);

/* In a FIT block: the reals between which the result at the code lies. False when they do not have
 * one sign, or one is infinite. Their significands are exact; both count as inexact, since the
 * result is (binary fractions are never told from their neighbours by a fit, so the caller must
 * find that all that matters is the same at both ends). */
bool block_enclosure(const struct block *block, uint64_t code, struct real *low, struct real *high);

/* Whether the result at the code is +infinity exactly, at a pole of lgamma. */
bool block_is_pole(const struct block *block, uint64_t code);

/* In a FIT block: the polynomial's value at the code, within fit.bound of the result. */
double block_value(const struct block *block, uint64_t code);

/* In a FIT block by arithmetic (arithmetic.h): the exact result at the code, where it is claimed;
 * where it has been rounded to odd, errors reckoned from it are off by less than 2^-40 ulp, and
 * y->inexact is set. */
bool block_arithmetic_value(const struct block *block, uint64_t code, struct real *y);

/* The result at the code where the row says that the function has period 2 and the number is a
 * multiple of 1/4, as all large ones are; there tan(pi x) is 0, 1, -1 or infinite, and the others
 * are at those of 1/2: what MPFR says of the number modulo 2. False elsewhere. */
bool filter_period_value(struct filter *filter, uint64_t code, struct real *y);

/* In a ASYMPTOTE block: the result at the code, right in all that rounding can see, and to 2^-24 ulp. */
struct real block_asymptote_value(const struct block *block, const struct format *format,
                                  uint64_t code);

/* Holds the block's word at the code against MPFR: in a FIT block that the polynomial lies within
 * its bound of the result, or that arithmetic has it to the bit, in a ASYMPTOTE block that the result
 * lies on the stated side of the line and no farther from it than rounding can see. An error that
 * says everything needed to reproduce it where that is not so: then the filter is broken, and no
 * verdict of the run is worth anything. */
bool filter_recheck(struct filter *filter, uint64_t fixed, uint64_t code, struct error *error);

/* Which inputs are rechecked follows from this and the block. */
enum { RECHECK_SEED = 20061 };

#endif
