/* A grid of models of a matrix unit: each axis is a parameter of its node, or of how a case is cut into calls.
 *
 * Left out are what no table of published results has: the least exponent that terms are aligned to, the bits of a NaN (any
 * NaN is as good as another here), and what alone rows of src/order/units.c have, such as c that keeps bits of its own. */
#ifndef DETCHECK_REVEAL_GRID_H
#define DETCHECK_REVEAL_GRID_H

#include "order/node.h"
#include "reveal/unit_cases.h"

enum grid_axis {
    GRID_OVERFLOW,   /* of whole numbers: whether they wrap, or stop at the ends */
    GRID_CALL,       /* products of one call, or halves of registers (UNIT_REGISTER_HALVES) */
    GRID_TOGETHER,   /* products that are added exactly before they meet their scales */
    GRID_BITS,       /* that are kept in alignment */
    GRID_ALIGNMENT,  /* how what lies below is cut */
    GRID_GROUPS,     /* that are aligned and cut apart */
    GRID_PRECISION,  /* of the result */
    GRID_NORMALISED, /* whether products are */
    GRID_C,          /* where c comes in */
    GRID_ROUNDING,   /* of the result */
    GRID_FLUSHING,   /* of subnormal numbers */
    GRID_AXES
};
extern const char *const grid_axis_names[GRID_AXES];

enum grid_c { GRID_C_WITH_TERMS, GRID_C_AFTER_SUM, GRID_C_LAST, GRID_C_UNUSED };

enum { GRID_MOST_CALLS = 9, GRID_LEAST_BITS = 8, GRID_MOST_BITS = 32, GRID_MOST_SCALED_BITS = 40 };

struct grid {
    const struct format *result;
    bool has_c, tiny_operands, tiny_results;
    bool whole; /* sums of whole numbers, in which nothing is aligned or rounded */
    unsigned calls[GRID_MOST_CALLS]; /* 0: halves of registers */
    unsigned call_count;
    size_t products;
    size_t block;      /* products of a scale; 0: there are none */
    unsigned together; /* values of GRID_TOGETHER */
    unsigned most_bits;
};

/* A point of the grid: of each axis the number of a value. */
struct grid_point {
    uint8_t at[GRID_AXES];
};

struct grid_model {
    struct order_node node, last; /* last: adds c to the whole, of GRID_C_LAST */
    unsigned call;
    unsigned together; /* products of one term */
    bool halves;
    enum grid_c c;
};

/* The grid for cases: axes that no case can tell of have one value. */
void grid_open(struct grid *grid, const struct unit_cases *cases);
/* How many values an axis has where the earlier axes are as the point says. */
unsigned grid_values(const struct grid *grid, const struct grid_point *point, enum grid_axis axis);
/* Steps to the next point, from one of zeros; false beyond the last. */
bool grid_next(const struct grid *grid, struct grid_point *point);
void grid_model(const struct grid *grid, const struct grid_point *point, struct grid_model *model);

/* Values of each axis as bits. */
struct grid_sets {
    uint64_t of[GRID_AXES];
};
/* Adds those of a point, of the axes that matter at it. */
void grid_note(const struct grid *grid, const struct grid_point *point, struct grid_sets *sets);
/* Of values of GRID_BITS the fewest bits; 0 where all are kept. */
int grid_least_bits(const struct grid *grid, uint64_t set);
/* "toward-zero, down", "24 to 40, all"; returns text. */
enum { GRID_TEXT = 320 };
const char *grid_words(const struct grid *grid, enum grid_axis axis, uint64_t set,
                       char text[GRID_TEXT]);

#endif
