/* The functions whose large arguments the fast oracle reduces to fractions of a turn
 * (oracle/fast/argument_reduction.h), in radians or, where they have period 2, in half turns; and the one that
 * it reflects (oracle/fast/reflection.h). */
#ifndef DETCHECK_OP_FUNCTION_REDUCTION_KIND_H
#define DETCHECK_OP_FUNCTION_REDUCTION_KIND_H

enum reduction_kind {
    REDUCTION_NONE,
    REDUCTION_SIN,
    REDUCTION_COS,
    REDUCTION_TAN,
    REDUCTION_REFLECTION
};

#endif
