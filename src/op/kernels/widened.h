/* Arrays of a call in fp32, for kernels of detmath; results are rounded to their format afterwards. */
#ifndef DETCHECK_OP_KERNELS_WIDENED_H
#define DETCHECK_OP_KERNELS_WIDENED_H

#include "detmath/strided.h"
#include "op/array.h"

struct widened {
    struct detmath_strided array; /* its codes are to be freed */
    size_t extents[MOST_DIMENSIONS];
};

/* To nearest-even, in fp32 or a format that it holds. */
bool provides_widened(const struct array_call *call, struct error *why);
/* An operand, cast to the results' format first; false without memory. */
bool widen(const struct array_call *call, const struct array *from, struct widened *to);
/* Room for a result; false without memory. */
bool widen_room(const struct array *result, struct widened *to);
/* Rounds what was computed into a result of the call. */
void widened_put_result(const struct array_call *call, int result, const struct widened *y);

/* A call of detmath on results and operands in fp32; what it returns is an enum detmath_trouble. Operands of integers, and those
 * that the call lacks, are NULL. */
typedef int widened_call(const struct array_call *call, struct detmath_strided *const *y,
                         struct detmath_strided *const *x);
/* Runs it, and rounds the results to their formats. */
bool widened_run(const struct array_call *call, widened_call *function, struct error *error);

/* An algorithm's run that is such a call. */
#define WIDENED_RUN(NAME, FUNCTION)                                                                \
    bool NAME(const struct array_call *call, const struct array_algorithm *algorithm,              \
              struct error *error) {                                                               \
        (void)algorithm;                                                                           \
        return widened_run(call, FUNCTION, error);                                                 \
    }

#endif
