/* Aimed probes of the additions of a tree: a few terms are numbers, all others are 0, and the result tells in which
 * format an addition rounds, in which direction, and whether it flushes. */
#ifndef DETCHECK_REVEAL_AIM_H
#define DETCHECK_REVEAL_AIM_H

#include "reveal/subject.h"

/* What the result of an addition was found to keep. */
enum kept_class {
    KEPT_UNKNOWN,
    KEPT_BF16,
    KEPT_FP16,
    KEPT_FP32,
    KEPT_FP64,
    KEPT_EXTENDED, /* x87's 64 bits */
    KEPT_CLASSES
};

struct aimed {
    enum kept_class kept;
    bool flushes;
};

/* What becomes of a result that is subnormal. */
enum last_flushing { LAST_UNKNOWN, LAST_KEEPS, LAST_FLUSHES };

/* For a sum whose terms are rounded beside the largest one: to multiples of 2^(end - kept), where the end is the least power
 * of two above all terms, or, where the width of bins is known, the least one at a multiple of that over the base. */
struct aimed_bins {
    bool found;
    int kept, width, base;
    enum order_rounding alignment;
    bool bare; /* of a negative term one bit more is kept */
};

/* For a sum of products whose factors are cut into slices: how many bits are kept of each, and of how many bits slices are; 0
 * where the products of all slices count, which does not show it. */
struct aimed_slices {
    bool found;
    unsigned kept, width;
    enum order_rounding alignment;
};

struct aim {
    struct subject *subject;
    const struct order_tree *tree;
    double scale;        /* of results: the length of a mean */
    double large;        /* the number to which small ones are added to see what is kept */
    size_t *one;         /* of each addition a term in it */
    int32_t *above;      /* of each addition the one that it is part of, or -1 */
    struct aimed *found; /* of each addition; the last is unknown */
    bool *
        flushes_terms; /* of each addition, where some flush subnormal terms and others do not; else NULL */
    /* By class: bits of the significand, where it was looked for; the direction. */
    int precision[KEPT_CLASSES];
    enum order_rounding rounding[KEPT_CLASSES];
    bool rounds[KEPT_CLASSES]; /* the direction was found */
    /* Of additions of several terms: fraction bits kept when they are aligned. */
    bool has_many;
    int aligned_bits;
    enum order_rounding alignment;
    /* Of products, by term: the class that it is rounded to before it is added, or KEPT_UNKNOWN where it is not; the
     * class of all of them, if that is the same. */
    uint8_t *rounded;
    enum kept_class product;
    bool spills,
        spills_twice; /* some additions keep less than others; these round to more bits before */
    int fixed_exponent; /* of a sum that loses nothing: the exponent of the least term that is seen, or INT_MIN */
    struct aimed_bins bins;
    struct aimed_slices slices;
    enum order_rounding operand_rounding;
    int operand_bits; /* that terms or factors are rounded to before all else; 0: none are lost */
    enum last_flushing last;
    uint64_t calls;
};

/* What is known of a tree alone; aim_take does this itself. aim_close when done, in any case. */
bool aim_open(struct aim *aim, struct subject *subject, const struct order_tree *tree,
              struct error *error);
bool aim_take(struct aim *aim, struct subject *subject, const struct order_tree *tree, bool keeps,
              struct error *error);
/* Which additions flush subnormal terms (aim_terms.c). */
bool aim_terms(struct aim *aim, struct error *error);
void aim_close(struct aim *aim);

/* The format of a class; NULL of KEPT_UNKNOWN and KEPT_EXTENDED. */
const struct format *kept_format(enum kept_class kept);

#endif
