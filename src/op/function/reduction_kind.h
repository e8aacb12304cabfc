/* How the fast oracle reduces arguments: large ones of periodic functions to fractions of a turn, in
 * radians or, where the function has period 2, in half turns (oracle/fast/argument_reduction.h);
 * negative ones of lgamma by reflection (oracle/fast/reflection.h), and of digamma by that and
 * rotation (oracle/fast/cotangent.h); large ones of Bessel functions by Hankel's expansion and rotation
 * (oracle/fast/hankel.h). */
#ifndef DETCHECK_OP_FUNCTION_REDUCTION_KIND_H
#define DETCHECK_OP_FUNCTION_REDUCTION_KIND_H

enum reduction_kind {
    REDUCTION_NONE,
    REDUCTION_SIN,
    REDUCTION_COS,
    REDUCTION_TAN,
    REDUCTION_REFLECTION,
    REDUCTION_COTANGENT,
    REDUCTION_J0,
    REDUCTION_J1,
    REDUCTION_Y0,
    REDUCTION_Y1
};

#endif
