/* A program that knows detmath.h and nothing else; header_alone.cmake compiles it as C and C++. */
#include "detmath.h"

int main(void) {
    return detmath_bits_f32(detmath_expf(1.0f)) == 0x402df854u &&
                   detmath_bits_f32(detmath_cr_exp10f(2.0f)) == 0x42c80000u
               ? 0
               : 1;
}
