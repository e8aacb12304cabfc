/* The operations on scaled arrays as rows: what op/array.h asks for. */
#ifndef DETCHECK_OP_SCALED_ROWS_H
#define DETCHECK_OP_SCALED_ROWS_H

#include "detmath/scaled.h"
#include "op/array.h"
#include "op/scaled/exact.h"

#define SCALED_ONE                                                                                 \
    (PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(SCALE) |                \
     PARAMETER_BIT(PER) | PARAMETER_BIT(STRICT_SCALE))
/* Of operations whose scales are of any shape, and of those whose operands are too. */
#define SCALED_EACH     (PARAMETER_BIT(SCALES) | PARAMETER_BIT(TO) | PARAMETER_BIT(PROFILE))
#define SCALED_COMPUTED (SCALED_EACH | PARAMETER_BIT(COMPUTE))
#define SCALED_ALONG    (SCALED_EACH | PARAMETER_BIT(AXIS))
#define SCALED_PAIR                                                                                \
    (SCALED_EACH | PARAMETER_BIT(SECOND_FORMAT) | PARAMETER_BIT(SECOND_SHAPE) |                    \
     PARAMETER_BIT(SECOND_SCALES))

#define SCALED_WINDOWS                                                                             \
    (SCALED_PAIR | PARAMETER_BIT(STATIC) | PARAMETER_BIT(STRIDE) | PARAMETER_BIT(PADDING) |        \
     PARAMETER_BIT(DILATION) | PARAMETER_BIT(GROUPS))
#define SCALED_BACK_ALONG                                                                          \
    (SCALED_ALONG | PARAMETER_BIT(SECOND_FORMAT) | PARAMETER_BIT(SECOND_SCALES))
#define SCALED_BACKWARD (SCALED_PAIR | PARAMETER_BIT(STATIC) | PARAMETER_BIT(OF))

/* Below: between the files of this folder. */

/* Operands: the data of a, its scales, the data of b, its scales; of a product c, where it comes in, which are numbers
 * without a scale. Results: data, scales. */
enum { SCALED_DATA, SCALED_SCALE };
enum { SCALED_PER_ONE, SCALED_PER_ROW, SCALED_PER_COLUMN };             /* --per */
enum { SCALED_KIND_FP32, SCALED_KIND_POWER, SCALED_KIND_NONE };         /* --scale */
enum { SCALED_COMPUTE_FP32, SCALED_COMPUTE_FP16, SCALED_COMPUTE_AUTO }; /* --compute */

/* A call, with all shapes as its scales want them: where --per says how the scales lie, rows and
 * columns. */
struct scaled_call {
    const struct array_call *call;
    enum scaled_operation operation;
    const struct scaled_facts *facts;
    bool is_power;
    struct shape data[2], scales[2], result, result_scales;
    int axis;           /* of lines; -1: all elements are one */
    struct shape lines; /* the data's, with an extent of 1 along the axis */
    /* Of products but convolutions: the operands and the result with all of their dimensions. */
    struct shape views[3];
    float divisor; /* of products: the static scale */
    int scalar;    /* of mul: the operand that goes into the scale, else -1 */
};

/* Backward along lines. */
static inline bool scaled_is_line_gradient(const struct scaled_facts *facts) {
    return facts->layout == SCALED_BY_LINE && facts->two;
}

/* --static measured: the scale is known when the sums are. */
static inline bool scaled_is_measured(const struct parameters *given) {
    return parameter_integer(given, PARAMETER_STATIC, 0) == DETMATH_SCALED_MEASURED;
}

static inline uint64_t scaled_extent_from_end(const struct shape *shape, int back) {
    return shape->dimensions >= back ? shape->extents[shape->dimensions - back] : 1;
}

static inline uint64_t scaled_common_multiple(uint64_t a, uint64_t b) {
    uint64_t x = a, y = b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

/* Whether shapes of scales and an axis are given, and --per is nothing. */
bool scaled_is_shaped(const struct parameters *given);

/* From the formats and shapes of the operands; false where they do not match. scaled_call_of is of
 * one that has been checked. */
bool scaled_call_make(const struct array_call *arrays, struct scaled_call *call,
                      struct error *error);
struct scaled_call scaled_call_of(const struct array_call *arrays);
bool scaled_lay_out_products(struct scaled_call *call, struct error *error);

enum { SCALED_OF_FIRST, SCALED_OF_SECOND };
/* From the shapes of the forward operation's operands: that of its result. */
bool scaled_forward(const struct array_call *arrays, const struct shape of[2], struct shape *result,
                    struct error *error);

/* The number that the scalar of a call is. */
struct real scaled_scalar(const struct scaled_call *call);

/* SCALED_BY_ELEMENT: the index of the datum of operand 0 or 1 for an element of the result. */
uint64_t scaled_data_index(const struct scaled_call *call, int operand, uint64_t element);

/* Where the scale of a datum of operand 0 or 1 is stored, and what it is. */
uint64_t scaled_place(const struct scaled_call *call, int operand, uint64_t index);
struct scaled_scale scaled_scale_at(const struct scaled_call *call, int operand, uint64_t index);

/* Where the scale of an element of the result is stored. */
uint64_t scaled_result_place(const struct scaled_call *call, uint64_t element);
void scaled_scale_store(const struct scaled_call *call, uint64_t place, struct scaled_scale scale);

/* SCALED_BY_LINE and SCALED_BY_PRODUCT: what an element of the result, or a line, is computed from. */
struct scaled_term {
    uint64_t index[2];  /* of the data */
    bool is_padding[2]; /* whose datum counts as 0 */
};
uint64_t scaled_term_count(const struct scaled_call *call);
struct scaled_term scaled_term_at(const struct scaled_call *call, uint64_t element,
                                  uint64_t number);

/* The n by which to rebalance those data, which may be truncated unless by `squares`, for the format
 * `to`, by trying, in exact numbers, and the margin: detcheck-scaled(7). 0 where no number but 0 counts. */
int32_t scaled_exact_find(const struct real *data, uint64_t count, const struct format *to,
                          bool squares, int32_t margin);

bool scaled_run_det(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error);
bool scaled_run_unscaled(const struct array_call *call, const struct array_algorithm *algorithm,
                         struct error *error);
bool scaled_run_article(const struct array_call *call, const struct array_algorithm *algorithm,
                        struct error *error);

/* The exact value of every element of a result: struct array_rule's. */
bool scaled_exact(const struct array_call *call, int result, int precision, struct real *y,
                  struct error *error);
/* struct array_rule's. */
bool scaled_own_scale(const struct array_call *call, int result, uint64_t element,
                      const struct real *y, const struct real *scales, const struct array *outputs,
                      int precision, struct real *held, uint64_t *got);
/* Likewise; scales that are rounded products and quotients as those are. */
bool scaled_unrounded(const struct array_call *call, int result, int precision, struct real *y,
                      struct error *error);

/* Members of the rows. */
bool scaled_operands(struct array_call *call, const struct format *format,
                     const struct shape *shape, struct error *error);
bool scaled_results(struct array_call *call, struct error *error);
uint64_t scaled_want(const struct array_call *call, int result, uint64_t element,
                     const struct real *y, bool *by_rule);
extern const struct array_algorithm scaled_algorithms[];
extern const struct array_family scaled_families[];
extern const struct shape scaled_shapes[], scaled_pair_shapes[], scaled_product_shapes[],
    scaled_image_shapes[];

#endif
