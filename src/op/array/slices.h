/* Operations along an axis: an array as slices of elements that lie `stride` apart, each worked on
 * by itself. Without an axis there is one slice, the whole array flattened. */
#ifndef DETCHECK_OP_ARRAY_SLICES_H
#define DETCHECK_OP_ARRAY_SLICES_H

#include "op/array.h"

struct slices {
    uint64_t count, length, stride;
    bool reverse; /* the operation meets the elements from the end (--reverse) */
};

/* The slices of operand 0 along --axis; without it, of the last dimension where the row has it
 * so. The axis must have been checked (slices_check). */
struct slices slices_of(const struct array_call *call);

/* The shape of operand 0 with an element for each slice. */
struct shape slices_shape(const struct array_call *call);

/* False, with the reason, where --axis is none of the operand's. */
bool slices_check(const struct array_call *call, struct error *error);

/* Where slice number `slice` begins: an index in the array. */
static inline uint64_t slice_start(const struct slices *slices, uint64_t slice) {
    return slice / slices->stride * slices->stride * slices->length + slice % slices->stride;
}

/* Where its element number `at` lies, in the order in which the operation meets them. */
static inline uint64_t slice_place(const struct slices *slices, uint64_t slice, uint64_t at) {
    return slice_start(slices, slice) +
           (slices->reverse ? slices->length - 1 - at : at) * slices->stride;
}

/* The format of --accumulate, which array_call_plan has checked; without it, the least that holds
 * the results' format. */
const struct format *accumulation_format(const struct array_call *call);
/* The format of the numbers that functions of a slice get: that, or the least for an exact sum, which
 * accumulates in neither. */
const struct format *slice_format(const struct array_call *call,
                                  const struct array_algorithm *algorithm);
/* fp32 where it holds every number of that format, else fp64. */
const struct format *least_accumulation(const struct format *format);

/* --epsilon: 0 where there is none. */
struct real array_epsilon(const struct array_call *call);

/* How many operands a call has with these parameters. */
int rule_operands(const struct array_rule *rule, const struct parameters *parameters);

/* Shape functions of rows. As many operands as the call has, of the given shape; but shared ones have one of its
 * slices, and those with a number for each slice as many as there are. */
bool shapes_equal(struct array_call *call, const struct format *format, const struct shape *shape,
                  struct error *error);
/* Two operands: one of the given shape, and one with an element for each of its slices. */
bool shapes_given_reduced(struct array_call *call, const struct format *format,
                          const struct shape *shape, struct error *error);
/* ROWSxINNERxCOLUMNS stands for ROWSxINNER and INNERxCOLUMNS. */
bool shapes_matrices(struct array_call *call, const struct format *format,
                     const struct shape *shape, struct error *error);
/* The results, in the result format: as many elements as the operand; one for each slice; the
 * product of matrices. */
bool shapes_same(struct array_call *call, struct error *error);
bool shapes_reduced(struct array_call *call, struct error *error);
bool shapes_product(struct array_call *call, struct error *error);

/* Lengths that reach every corner of blocks and trees: 1, primes, powers of two and their
 * neighbours. */
extern const struct shape slice_shapes[], matrix_shapes[];

/* A code in another format, rounded to nearest-even; the same one where the format is the same. */
uint64_t element_cast(const struct format *from, const struct format *to, uint64_t code);

/* An element cast to the format of the results (--dtype, rounded to nearest-even): its code. */
uint64_t element_load(const struct array *array, const struct format *wanted, uint64_t index);

/* Elements of a slice, cast to the format of the results (--dtype): the codes, in the order in which
 * the operation meets them (--reverse). `to` has room for them. */
void slice_load(const struct array_call *call, int operand, const struct slices *slices,
                uint64_t slice, uint64_t *to);

#endif
