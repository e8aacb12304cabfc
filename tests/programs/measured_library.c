/* A library of which it is known where neighbours run the wrong way, and where f(-x) is not -f(x). Operands that come from fp16
 * have 13 zeros at the end. */
#include <math.h>
#include <stdint.h>
#include <string.h>

static uint32_t place(float x) {
    uint32_t code;
    memcpy(&code, &x, sizeof code);
    return code >> 13;
}

/* Too large at every other run of 8 numbers of fp16. */
float wavy_exp(float x);
float wavy_exp(float x) {
    return place(x) & 8 ? expf(x) * 1.0078125f : expf(x);
}

/* Too large at every sixteenth of the negative ones. */
float lopsided_sin(float x);
float lopsided_sin(float x) {
    return x < 0 && place(x) % 16 == 0 ? sinf(x) * 1.0078125f : sinf(x);
}
