/* The rules of programs that make packed blocks, a row for each program and layout. All arithmetic is fp32's, in the order
 * that the row says. What C leaves open (NaN that nothing put in, integers that do not fit) is as x86-64 has it. */
#ifndef DETCHECK_OP_BLOCK_RULES_H
#define DETCHECK_OP_BLOCK_RULES_H

#include "op/block/layout.h"

/* What of a block its scale follows from. */
enum block_extent {
    EXTENT_SIGNED, /* the number of the largest magnitude */
    EXTENT_LARGEST,
    EXTENT_RANGE,     /* the largest number less the smallest */
    EXTENT_RANGE_OF_0 /* the same, of a range that 0 belongs to */
};
/* What a NaN does to it. */
enum block_nan {
    NAN_SKIPPED,
    NAN_SPREADS,  /* the extent is NaN */
    NAN_RESTARTS, /* only the numbers behind it count; NaN where it is the last */
    NAN_LANES     /* as eight lanes of vmaxps, folded, have it */
};
/* How the scale is made of it, where D is the row's divisor and T the tensor scale. */
enum block_making {
    MAKE_QUOTIENT,       /* (extent / D) / T */
    MAKE_BY_PRODUCT,     /* extent / (D * T) */
    MAKE_ENCODED,        /* (extent / D) * (1 / T) */
    MAKE_TIMES_ENCODING, /* extent * ((1 / T) * (1 / D)) */
    MAKE_POWER /* the power of two of the extent, by its exponent's bits, over D, which is one */
};
/* How it is stored. */
enum block_storing {
    STORE_NEAREST, /* in its format, ties to even; what does not fit is infinity or NaN */
    STORE_HELD,    /* the same; what does not fit is the largest number */
    STORE_ABOVE, /* the least number of its format not below it, at most the largest; NaN is NaN */
    STORE_UP,    /* the power of two not below it, by adding to its bits: NaN becomes 0; e8m0 */
    STORE_UP_LOG2, /* 2 to the next integer not below its logarithm in fp32, which may be rounded down to one */
    STORE_DOWN /* the power of two not above it, by cutting its bits: infinity and NaN are NaN */
};
/* What numbers are taken by to make codes of them; S is the scale as it is stored. */
enum block_taking {
    TAKE_RECIPROCAL,         /* times 1 / scale, the scale before it is stored */
    TAKE_DIVISOR_OVER,       /* times D / extent */
    TAKE_QUOTIENT,           /* divided by S * T */
    TAKE_TENSOR_FIRST,       /* times (1 / T) / S */
    TAKE_RECIPROCAL_OF_BOTH, /* times 1 / (S * T), at most the largest number */
    TAKE_RECIPROCAL_OF_POWER /* times 1 / S, and times 0 where S is 0 */
};
/* How a quotient becomes a code. */
enum block_coding {
    CODE_HALVES_UP,   /* truncated after `zero` + 1/2 is added */
    CODE_HALVES_AWAY, /* roundf, then `zero` is added */
    CODE_HALVES_EVEN, /* rounded to even; the zero point and `zero` are added, and the sum held to the ends */
    CODE_NEAREST,      /* to nearest-even in the format of elements, the largest one beyond */
    CODE_NEAREST_AWAY, /* the same, ties away from zero */
    CODE_NEAREST_ZERO, /* the same, ties toward zero */
    CODE_TABLE         /* to nearest in a table, ties to the smaller number */
};
/* The code of a quotient that is NaN, where the coding is CODE_NEAREST. */
enum block_nan_code {
    NAN_KEEPS_SIGN, /* the NaN of the format with its sign; where it has none, the largest number with the sign */
    NAN_LARGEST, /* the largest number */
    NAN_POSITIVE, /* the NaN of the format, all ones but the sign; where it has none, the largest number */
    NAN_ZERO,
    NAN_LEAST, /* CODE_HALVES_EVEN: the least integer, as of what does not fit 32 bits; otherwise NaN is 0 there */
    NAN_BITS /* what is left of the NaN's bits where its exponent is taken for that of a number */
};

struct quantiser_rule {
    int quantiser;
    const char *layout;
    enum block_extent extent;
    enum block_nan nan;
    float divisor;
    enum block_making making;
    enum block_storing storing;
    enum block_taking taking;
    enum block_coding coding;
    uint8_t zero, most; /* of integers: the code of 0, and the largest */
    enum block_nan_code nan_code;
    float least;             /* of a scale; below that, this one */
    float least_extent;      /* likewise of the extent that numbers are taken by */
    bool zero_is_one;        /* a scale of 0 becomes 1 before anything else */
    bool drops_sign_of_zero; /* a quotient -0 becomes 0 */
    bool
        rounds_extent; /* MAKE_POWER: of the extent rounded to the elements' precision, halves up */
    bool goes_up;      /* MAKE_POWER: of the power of two not below the extent */
    bool least_power_is_1; /* numbers are taken by 1 where the stored power is the least */
    bool power_is_normal;  /* numbers are taken by 2^-126 at least */
    bool nan_is_least;     /* STORE_UP_LOG2: of NaN the least power is stored */
    bool
        special_is_least; /* STORE_UP_LOG2: so of infinity, and numbers are taken by NaN or infinity as they are */
    bool zero_is_negative; /* a quotient of 0 gets a sign, and so does what NAN_ZERO makes */
    bool is_symmetric;     /* the integer -2^(width-1) becomes the next one */
    bool
        overflows; /* CODE_NEAREST: what is beyond the largest number is infinity or NaN, where the format has one */
    bool
        four_over_six; /* also by 3/2 of the scale; that counts where the sum of the magnitudes of errors is smaller */
    bool nan_is_negative; /* a scale that is NaN is stored with a sign */
    bool tensor_first;    /* numbers are divided by T before all else, and T is 1 from there on */
};

extern const struct quantiser_rule quantiser_rules[]; /* ends with a row without a layout */

/* A block by a row. */
void block_follow(const struct quantiser_rule *rule, const struct block_layout *layout,
                  const float *x, float tensor_scale, uint8_t *bytes);

#endif
