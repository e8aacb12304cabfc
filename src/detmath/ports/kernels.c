/* What ports.py has clang compile, to read its intermediate language: det's kernels in fp32 that ports have, and what a
 * port may need where its language lacks it (integers.h). Not a part of any library. */
#include "../all.h"

#include "integers.h"

/* port_function_NAME becomes the function NAME of a port. */
#define FUNCTION(NAME)                                                                             \
    float port_function_##NAME(float x);                                                           \
    float port_function_##NAME(float x) {                                                          \
        return detmath_##NAME##f(x);                                                               \
    }
#include "functions.inc"

/* The others become helpers, of words alone; a pair is two of them. */
#define HELPER(NAME, PARAMETERS, RESULT)                                                           \
    detmath_u32 port_helper_##NAME PARAMETERS;                                                     \
    detmath_u32 port_helper_##NAME PARAMETERS {                                                    \
        return RESULT;                                                                             \
    }
#define ONE   (detmath_u32 a)
#define TWO   (detmath_u32 a, detmath_u32 b)
#define THREE (detmath_u32 a, detmath_u32 b, detmath_u32 c)

HELPER(fused, THREE, port_fused(a, b, c))
HELPER(less, TWO, port_less(a, b))
HELPER(product_high, TWO, port_product(a, b).high)
HELPER(left_high, THREE, port_left(port_pair_of(a, b), c).high)
HELPER(left_low, THREE, port_left(port_pair_of(a, b), c).low)
HELPER(from_long, TWO, port_from_long(port_pair_of(a, b)))
HELPER(to_long_high, ONE, port_to_long(a).high)
HELPER(to_long_low, ONE, port_to_long(a).low)
