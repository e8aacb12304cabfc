/* The operations on scaled arrays as rows: what op/array.h asks for. */
#ifndef DETCHECK_OP_SCALED_ROWS_H
#define DETCHECK_OP_SCALED_ROWS_H

#include "op/array.h"
#include "op/scaled/exact.h"

extern const struct array_rule scaled_add, scaled_sub, scaled_mul, scaled_div, scaled_max,
    scaled_min, scaled_relu, scaled_gelu, scaled_exp, scaled_log, scaled_sigmoid, scaled_tanh,
    scaled_reduce_max, scaled_softmax, scaled_matmul, scaled_cast, scaled_rebalance, scaled_rescale,
    scaled_relu_gradient, scaled_sigmoid_gradient, scaled_tanh_gradient;

#define SCALED_ONE                                                                                 \
    (PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(SCALE) |                \
     PARAMETER_BIT(PER))
/* Of operations whose scales and operands broadcast. */
#define SCALED_EACH (PARAMETER_BIT(SCALES) | PARAMETER_BIT(TO) | PARAMETER_BIT(PROFILE))
#define SCALED_PAIR                                                                                \
    (SCALED_EACH | PARAMETER_BIT(SECOND_FORMAT) | PARAMETER_BIT(SECOND_SHAPE) |                    \
     PARAMETER_BIT(SECOND_SCALES))

#define SCALED(NAME, OPERANDS, FORMULA, RULE, PARAMETERS)                                          \
    {                                                                                              \
        .name = "scaled." NAME, .formula = FORMULA, .operands = 2 * (OPERANDS), .results = 2,      \
        .parameters = SCALED_ONE | (PARAMETERS), .group = "scaled",                                \
        .result = {{.name = "data"}, {.name = "scale"}}, .array = &scaled_##RULE,                  \
        .format = "fp16", .defaults = {                                                            \
            {PARAMETER_PROFILE, ""}                                                                \
        }                                                                                          \
    }

/* Below: between rows.c, call.c, find.c, run.c, compare.c and families.c. */

/* Operands: the data of a, its scales, the data of b, its scales. Results: data, scales. */
enum { SCALED_DATA, SCALED_SCALE };
enum { SCALED_PER_ONE, SCALED_PER_ROW, SCALED_PER_COLUMN };             /* --per */
enum { SCALED_KIND_FP32, SCALED_KIND_POWER, SCALED_KIND_NONE };         /* --scale */
enum { SCALED_COMPUTE_FP32, SCALED_COMPUTE_FP16, SCALED_COMPUTE_AUTO }; /* --compute */

/* A call as rows and columns: all dimensions but the last are rows. Of matmul, of the result. */
struct scaled_call {
    const struct array_call *call;
    enum scaled_operation operation;
    bool two;
    bool is_power;
    bool broadcasts; /* shapes are matched from the last dimension backwards, and per is nothing */
    int per;
    uint64_t rows, columns, inner;
    float divisor; /* of matmul: the static scale */
};

static inline bool scaled_has_two(enum scaled_operation operation) {
    return operation <= SCALED_MIN || operation == SCALED_MATMUL ||
           operation >= SCALED_RELU_GRADIENT;
}

static inline uint64_t scaled_extent_from_end(const struct shape *shape, int back) {
    return shape->dimensions >= back ? shape->extents[shape->dimensions - back] : 1;
}

/* Whether it takes each element by itself, so that shapes broadcast. */
static inline bool scaled_is_each(enum scaled_operation operation) {
    return operation <= SCALED_TANH || operation == SCALED_CAST ||
           operation >= SCALED_RELU_GRADIENT;
}

bool scaled_broadcasts(const struct parameters *given);
/* The extents of the result's data and (unless NULL) scales; false where the operands' do not
 * match. */
bool scaled_broadcast(const struct array_call *call, bool two, struct shape *data,
                      struct shape *scales);

struct scaled_call scaled_call_of(const struct array_call *call);

/* Where the datum of operand 0 or 1 is for a row and column of the result. */
uint64_t scaled_data_index(const struct scaled_call *call, int operand, uint64_t row,
                           uint64_t column);

/* The scale of operand 0 or 1 at a row and column of the result. */
struct scaled_scale scaled_scale_at(const struct scaled_call *call, int operand, uint64_t row,
                                    uint64_t column);
/* Where the scale of that row and column of the result is stored. */
uint64_t scaled_scale_index(const struct scaled_call *call, uint64_t row, uint64_t column);
void scaled_scale_store(const struct scaled_call *call, uint64_t row, uint64_t column,
                        struct scaled_scale scale);

/* The n by which to rebalance `count` elements from `first` on for the format `to`, by trying, in
 * exact numbers: detcheck-scaled(7). */
int32_t scaled_exact_find(const struct array *data, uint64_t first, uint64_t count,
                          const struct format *to, bool squares);

bool scaled_run_det(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error);
bool scaled_run_unscaled(const struct array_call *call, const struct array_algorithm *algorithm,
                         struct error *error);
bool scaled_run_article(const struct array_call *call, const struct array_algorithm *algorithm,
                        struct error *error);

extern const struct array_family scaled_families[];

#endif
