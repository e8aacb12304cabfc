/* The families of operations. A family is a file with its rows, which ends with OPERATION_FAMILY;
 * op/table.c finds it by its line here. The order is that of listings and reports. The second word is
 * the name that users know the family by, in `list` and in the files of vectors; several families here
 * may have the same one. */
#ifndef DETCHECK_OP_FAMILIES_H
#define DETCHECK_OP_FAMILIES_H

#include "op/operation.h"

struct operation_family {
    const struct operation *rows;
    size_t count;
};

#define OPERATION_FAMILIES(FAMILY)                                                                 \
    FAMILY(exp, exponential)                                                                       \
    FAMILY(log, logarithm)                                                                         \
    FAMILY(trigonometric, trigonometric)                                                           \
    FAMILY(inverse, trigonometric)                                                                 \
    FAMILY(trigonometric_pi, trigonometric)                                                        \
    FAMILY(inverse_pi, trigonometric)                                                              \
    FAMILY(hyperbolic, hyperbolic)                                                                 \
    FAMILY(root, root)                                                                             \
    FAMILY(error_function, error_function)                                                         \
    FAMILY(gamma, gamma)                                                                           \
    FAMILY(gate, activation)                                                                       \
    FAMILY(gelu, activation)                                                                       \
    FAMILY(more_gate, activation)                                                                  \
    FAMILY(activation, activation)                                                                 \
    FAMILY(more_activation, activation)                                                            \
    FAMILY(erfcx, error_function)                                                                  \
    FAMILY(probability, probability)                                                               \
    FAMILY(bessel, bessel)                                                                         \
    FAMILY(reciprocal, arithmetic)                                                                 \
    FAMILY(sincos, trigonometric)                                                                  \
    FAMILY(integral, integral)                                                                     \
    FAMILY(representation, representation)                                                         \
    FAMILY(cast, cast)                                                                             \
    FAMILY(arithmetic, arithmetic)                                                                 \
    FAMILY(pair, pair)                                                                             \
    FAMILY(power, power)                                                                           \
    FAMILY(bessel_order, bessel)                                                                   \
    FAMILY(extremum, extremum)                                                                     \
    FAMILY(representation_pair, representation)                                                    \
    FAMILY(fused, arithmetic)                                                                      \
    FAMILY(p3109, p3109)                                                                           \
    FAMILY(array, arrays)                                                                          \
    FAMILY(dyadic, dyadic)                                                                         \
    FAMILY(dyadic_linear, dyadic)                                                                  \
    FAMILY(dyadic_real, dyadic)                                                                    \
    FAMILY(dyadic_clipped, dyadic)                                                                 \
    FAMILY(scaled, scaled)                                                                         \
    FAMILY(mx, mx)                                                                                 \
    FAMILY(onnx, onnx)                                                                             \
    FAMILY(requantise, requantise)                                                                 \
    FAMILY(norms, kernels)                                                                         \
    FAMILY(norm_gradient, kernels)                                                                 \
    FAMILY(norm_weights, kernels)                                                                  \
    FAMILY(gates, kernels)                                                                         \
    FAMILY(gate_gradients, kernels)                                                                \
    FAMILY(attention, kernels)                                                                     \
    FAMILY(convolution, kernels)                                                                   \
    FAMILY(softmax_gradient, kernels)                                                              \
    FAMILY(cross_entropy, kernels)                                                                 \
    FAMILY(rope, kernels)                                                                          \
    FAMILY(optimisers, kernels)                                                                    \
    FAMILY(bags, kernels)                                                                          \
    FAMILY(pooling, kernels)                                                                       \
    FAMILY(ordering, kernels)                                                                      \
    FAMILY(decimal, decimal)                                                                       \
    FAMILY(packed, packed)                                                                         \
    FAMILY(p3109_blocks, p3109)                                                                    \
    EXTRA_FAMILY(FAMILY)
/* One more; a test adds it to show that rows are all it takes. */
#ifdef DETCHECK_EXTRA_FAMILY
#define EXTRA_FAMILY(FAMILY) FAMILY(DETCHECK_EXTRA_FAMILY, DETCHECK_EXTRA_FAMILY)
#else
#define EXTRA_FAMILY(FAMILY)
#endif

/* The name of a family's object: exp_operations. */
#define OPERATION_FAMILY_NAME(NAME) JOIN_FAMILY(NAME, _operations)
#define JOIN_FAMILY(NAME, END)      NAME##END
#define OPERATION_FAMILY(NAME, ROWS)                                                               \
    const struct operation_family OPERATION_FAMILY_NAME(NAME) = {ROWS,                             \
                                                                 sizeof(ROWS) / sizeof *(ROWS)}

/* Operands on arrays as macros of rows have them, (2, "x", "y"): how many there are, and what they are called. */
#define OPERAND_COUNT(COUNT, ...) COUNT
#define OPERAND_NAMES(COUNT, ...)                                                                  \
    { __VA_ARGS__ }

#define DECLARE_FAMILY(NAME, WORD) extern const struct operation_family OPERATION_FAMILY_NAME(NAME);
OPERATION_FAMILIES(DECLARE_FAMILY)
#undef DECLARE_FAMILY

#endif
