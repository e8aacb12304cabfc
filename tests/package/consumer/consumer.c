/* Uses both faces of detmath, the headers and the library; prints what it got. */
#include <detmath/all.h>
#include <detmath/arrays.h>

#include <stdio.h>
#include <string.h>

static unsigned bits(float value) {
    unsigned code;
    memcpy(&code, &value, sizeof code);
    return code;
}

int main(void) {
    float x[5] = {-1, 0, 0.5f, 1, 88}, y[5], z[5];
    detmath_exp_f32(y, x, 5);
    detmath_cr_exp_f32(z, x, 5);
    for (int i = 0; i < 5; i++)
        printf("%08x %08x %08x %08x\n", bits(y[i]), bits(detmath_expf(x[i])), bits(z[i]),
               bits(detmath_cr_expf(x[i])));
    return 0;
}
