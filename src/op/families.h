/* The families of operations. A family is a file with its rows, which ends with OPERATION_FAMILY;
 * op/table.c finds it by its line here. The order is that of listings and reports. */
#ifndef DETCHECK_OP_FAMILIES_H
#define DETCHECK_OP_FAMILIES_H

#include "op/operation.h"

struct operation_family {
    const struct operation *rows;
    size_t count;
};

#define OPERATION_FAMILIES(FAMILY)                                                                 \
    FAMILY(exp)                                                                                    \
    FAMILY(log)                                                                                    \
    FAMILY(trigonometric)                                                                          \
    FAMILY(inverse)                                                                                \
    FAMILY(trigonometric_pi)                                                                       \
    FAMILY(inverse_pi)                                                                             \
    FAMILY(hyperbolic)                                                                             \
    FAMILY(root)                                                                                   \
    FAMILY(error_function)                                                                         \
    FAMILY(gamma)                                                                                  \
    FAMILY(gate)                                                                                   \
    FAMILY(gelu)                                                                                   \
    FAMILY(more_gate)                                                                              \
    FAMILY(activation)                                                                             \
    FAMILY(more_activation)                                                                        \
    FAMILY(erfcx)                                                                                  \
    FAMILY(probability)                                                                            \
    FAMILY(bessel)                                                                                 \
    FAMILY(reciprocal)                                                                             \
    FAMILY(sincos)                                                                                 \
    FAMILY(integral)                                                                               \
    FAMILY(representation)                                                                         \
    FAMILY(cast)                                                                                   \
    FAMILY(arithmetic)                                                                             \
    FAMILY(pair)                                                                                   \
    FAMILY(power)                                                                                  \
    FAMILY(bessel_order)                                                                           \
    FAMILY(extremum)                                                                               \
    FAMILY(representation_pair)                                                                    \
    FAMILY(fused)                                                                                  \
    FAMILY(array)                                                                                  \
    FAMILY(dyadic)                                                                                 \
    FAMILY(scaled)                                                                                 \
    FAMILY(mx)                                                                                     \
    FAMILY(onnx)                                                                                   \
    EXTRA_FAMILY(FAMILY)
/* One more; a test adds it to show that rows are all it takes. */
#ifdef DETCHECK_EXTRA_FAMILY
#define EXTRA_FAMILY(FAMILY) FAMILY(DETCHECK_EXTRA_FAMILY)
#else
#define EXTRA_FAMILY(FAMILY)
#endif

/* The name of a family's object: exp_operations. */
#define OPERATION_FAMILY_NAME(NAME) JOIN_FAMILY(NAME, _operations)
#define JOIN_FAMILY(NAME, END)      NAME##END
#define OPERATION_FAMILY(NAME, ROWS)                                                               \
    const struct operation_family OPERATION_FAMILY_NAME(NAME) = {ROWS,                             \
                                                                 sizeof(ROWS) / sizeof *(ROWS)}

#define DECLARE_FAMILY(NAME) extern const struct operation_family OPERATION_FAMILY_NAME(NAME);
OPERATION_FAMILIES(DECLARE_FAMILY)
#undef DECLARE_FAMILY

#endif
