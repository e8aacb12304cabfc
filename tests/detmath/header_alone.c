/* A program that knows detmath.h and nothing else; header_alone.cmake compiles it as C and C++. */
#include "detmath.h"

/* The scale of a block of MXFP4 whose largest magnitude has these bits. */
static detmath_u32 mx_scale(detmath_u32 largest) {
    struct detmath_mx_rules rules = {DETMATH_MX_FLOOR, 0, 0, 0, 0, 0, 0, 0};
    return detmath_mx_scale(largest, detmath_mx_make(detmath_mx_formats[DETMATH_MXFP4_E2M1], rules,
                                                     DETMATH_NEAREST_EVEN, 0));
}

int main(void) {
    return detmath_bits_f32(detmath_expf(1.0f)) == 0x402df854u &&
                   detmath_bits_f32(detmath_cr_exp10f(2.0f)) == 0x42c80000u &&
                   mx_scale(0x40e00000u) == 127u
               ? 0
               : 1;
}
