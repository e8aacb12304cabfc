/* A library of which it is known where neighbours run the wrong way, and where f(-x) is not -f(x). Operands that come from fp16
 * have 13 zeros at the end. And one that tells how often numbers come again. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Writes into the file that RECURRING names the fewest calls after which its first operand came again. */
double recurring_exp(double x);
double recurring_exp(double x) {
    static double first;
    static unsigned long calls, last, fewest;
    calls++;
    if (calls == 1)
        first = x;
    if (memcmp(&x, &first, sizeof x) == 0) {
        unsigned long since = calls - last;
        if (calls > 1 && (!fewest || since < fewest)) {
            FILE *file = fopen(getenv("RECURRING"), "w");
            fewest = since;
            fprintf(file, "%lu", fewest);
            fclose(file);
        }
        last = calls;
    }
    return exp(x);
}
