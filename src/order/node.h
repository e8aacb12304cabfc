/* One node of an order of additions: the arithmetic of one addition of several terms.
 *
 * A plain fp32 addition is such a node, and so is a matrix unit, which aligns 4 to 32 products to the largest exponent,
 * cuts what lies below, adds them at once and rounds the sum. All parameters are plain data. This is the definition,
 * in exact integers; what computes faster has to return the same bits.
 *
 * The parameters follow "Generalized Methodology for Determining Numerical Features of Hardware Floating-Point Matrix
 * Multipliers" (Khattak, Mikaitis, 2025) and MMA-Sim (arXiv 2511.10909). */
#ifndef DETCHECK_ORDER_NODE_H
#define DETCHECK_ORDER_NODE_H

#include "format/format.h"

#include <limits.h>

/* How the terms of one chain meet. A node of ORDER_SUM has no memory; of the others the chain keeps one, and who runs
 * the order computes them. */
enum order_node_kind {
    ORDER_SUM,           /* terms are added at once and rounded */
    ORDER_KAHAN,         /* compensated: the error of each addition is taken from the next term */
    ORDER_NEUMAIER,      /* compensated: errors are added up and come in at the end */
    ORDER_DOUBLE_DOUBLE, /* an unevaluated sum of two numbers of the format */
    ORDER_EXACT,         /* all terms of the chain, rounded once */
    ORDER_FIXED_POINT,   /* each term rounded to a multiple of 2^fixed_exponent, added exactly */
    ORDER_BINS, /* each term cut into slices of some bits, those of each bin added exactly */
    ORDER_SLICES, /* both factors of each product cut into slices, of which products are added exactly */
    ORDER_NODE_KINDS
};
extern const char *const order_node_kind_names[ORDER_NODE_KINDS];

/* The directions of format/format.h, by the same numbers, and one that hardware has besides: toward zero, with the
 * last bit set where anything is lost. */
enum order_rounding {
    ORDER_NEAREST_EVEN = ROUND_NEAREST_EVEN,
    ORDER_TOWARD_ZERO = ROUND_TOWARD_ZERO,
    ORDER_UP = ROUND_UP,
    ORDER_DOWN = ROUND_DOWN,
    ORDER_NEAREST_AWAY = ROUND_NEAREST_AWAY,
    ORDER_TO_ODD,
    ORDER_ROUNDINGS
};
extern const char *const order_rounding_names[ORDER_ROUNDINGS];

/* Where the highest bin ends: at the least 2^(bin_base + a multiple of bin_width) that is above all terms
 * (Demmel, Nguyen, "Parallel Reproducible Summation", 2015), or at 2^bin_base times the least power of two above them
 * (Ozaki, Ogita, Oishi, Rump, "Error-free transformations of matrix multiplication", 2012). */
enum order_bin_ends { ORDER_BINS_ABSOLUTE, ORDER_BINS_FROM_LARGEST, ORDER_BIN_ENDS };
extern const char *const order_bin_ends_names[ORDER_BIN_ENDS];

/* What becomes of the totals of bins. */
enum order_totals {
    ORDER_TOTALS_ONCE,          /* their sum is rounded once */
    ORDER_TOTALS_FROM_LARGEST,  /* each is rounded, then they are added from the highest bin on */
    ORDER_TOTALS_FROM_SMALLEST, /* likewise, from the lowest */
    ORDER_TOTALS_BY_ROWS, /* of slices: those of each two slices apart, the first factor's first slice by all of the
                             second one's first; of bins as from the largest */
    ORDER_TOTALS
};
extern const char *const order_totals_names[ORDER_TOTALS];
enum { ORDER_MOST_BINS = 16 };

/* Where the accumulator comes in. */
enum order_c {
    ORDER_C_WITH_TERMS, /* it is aligned and cut as a term is */
    ORDER_C_AFTER_SUM, /* the sum of the terms, not rounded yet, is aligned with c in a second step */
    ORDER_C_PLACES
};
extern const char *const order_c_names[ORDER_C_PLACES];

enum { ORDER_ALL_BITS = -1, ORDER_NO_FLOOR = INT_MIN };

struct order_node {
    enum order_node_kind kind;
    unsigned terms; /* that are added at once, besides c; 2: a plain addition */

    const struct format *result; /* what the sum is rounded to; c has this format, too */
    enum order_rounding rounding;
    unsigned
        result_precision; /* 0: the format's; else fewer bits, followed by zeros: 14 for FP8 on Hopper */
    /* In the roundings that stop at the largest number, too. Whole numbers have no infinity: they wrap where it is set, and else
     * stop at the ends. */
    bool overflow_is_infinite;

    /* Bits behind the point that a term keeps, counted from the largest exponent of all terms; ORDER_ALL_BITS: an exact
     * sum. At most 100, and so for joined_bits. */
    int aligned_bits;
    enum order_rounding alignment; /* of what is cut there */
    bool sticky;                   /* one bit more, set where anything is cut */
    int alignment_floor; /* the least exponent that terms are aligned to; ORDER_NO_FLOOR: none */
    bool zeros_align;    /* a product with a zero counts with the exponents of its factors */

    /* Products: exact where `product` is NULL, else rounded to that, to nearest even. */
    const struct format *product;
    bool
        products_normalised; /* a product of 2 or more has the exponent that it has, not the factors' sum */
    unsigned
        groups; /* 0 or 1: one; g: term i is in group i mod g; groups are cut and added apart, then aligned with
                        each other to aligned_bits by `joining` */

    enum order_c c;
    /* Of ORDER_C_AFTER_SUM: bits that the sum and that c keep behind the point of the larger exponent. */
    int joined_bits, c_bits;
    int c_reach; /* 0: any; else c is left out where its exponent is more than that below the sum's */
    enum order_rounding joining;

    bool flush_operands, flush_c; /* subnormal ones are zeros of their sign */
    bool flush_products;          /* those below the result's smallest normal number */
    bool
        flush_results; /* those that round to less than the least normal number, had exponents no end */
    bool products_overflow; /* a product of 2^(emax + 1) of the result is infinite */

    uint64_t nan;       /* the code of every NaN that comes out */
    bool zero_positive; /* every zero that comes out is +0; else as IEEE 754 has it */
    int fixed_exponent; /* of ORDER_FIXED_POINT */
    /* Of ORDER_BINS: so many bins of so many bits are kept. A slice is a multiple of what its bin ends with below, rounded
     * by `alignment`; what it leaves goes to the next bin, and what the last one leaves is lost. */
    unsigned bins, bin_width;
    enum order_bin_ends bin_ends;
    int bin_base;
    enum order_totals totals;
    /* An addition of 2^end cuts a slice, below which a negative term keeps one bit more. */
    bool bin_bare;
    /* Of ORDER_SLICES, whose factors are cut as terms of ORDER_BINS are, each kind beside its own largest: also products of
     * two slices that lie below the last slice by the first one. */
    bool all_products;
    const struct format *operands; /* NULL; else terms or their factors are rounded to that first */
    enum order_rounding operand_rounding;
};

/* A plain addition or fused multiply-add in a format: exact, then rounded. */
struct order_node order_node_plain(const struct format *format, enum rounding rounding);

/* Whether all members are the same. */
bool order_node_same(const struct order_node *a, const struct order_node *b);

/* How many terms aligned sums have room for in 128 bits, where each is as large as the largest; SIZE_MAX: any number. A
 * sum that is aligned again, with c or with other groups, has fewer bits left to grow by. */
size_t order_node_most_terms(const struct order_node *node);

/* The code of c + sum of a[i] * b[i], or of a[i] where b is NULL. False: no memory for the terms.
 * At most order_node_most_terms of them. */
bool order_node_sum(const struct order_node *node, const struct format *format, const uint64_t *a,
                    const uint64_t *b, size_t count, const uint64_t *c, uint64_t *sum);

#endif
