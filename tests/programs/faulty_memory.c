/* Functions of the faulty library (faulty_library.c) that do with memory what they should not: leave it as it was, or write
 * over what they were given. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of faulty_library.c. */
float square_root(float x);
void sqrt_array(float *z, const float *x, size_t n);
void running_sum(float *y, const float *x, size_t n);
void product(float *z, const float *x, const float *y, size_t rows, size_t inner, size_t columns);

/* Those that leave memory as it was: all of it, that of every second call or number, that of the second of
 * two results where x is below 1, or the last elements. */
void leave_array(float *z, const float *x, size_t n);
void leave_array(float *z, const float *x, size_t n) {
    (void)z;
    (void)x;
    (void)n;
}

/* Right, and it writes over what it was given. */
void overwrite_array(float *z, float *x, size_t n);
void overwrite_array(float *z, float *x, size_t n) {
    sqrt_array(z, x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = 1e30f;
}

void leave_second_call(float *z, const float *x, size_t n);
void leave_second_call(float *z, const float *x, size_t n) {
    static int calls;
    if (calls++ % 2 == 0)
        sqrt_array(z, x, n);
}

void leave_second_number(float *z, const float *x, size_t n);
void leave_second_number(float *z, const float *x, size_t n) {
    for (size_t i = 0; i < n; i += 2)
        z[i] = square_root(x[i]);
}

void leave_cosine(float x, float *sine, float *cosine);
void leave_cosine(float x, float *sine, float *cosine) {
    *sine = x;
    if (x >= 0)
        *cosine = 1;
}

double leave_exponent(double x, int *exponent);
double leave_exponent(double x, int *exponent) {
    int found;
    double y = frexp(x, &found);
    if (x >= 1)
        *exponent = found;
    return y;
}

void leave_last(float *y, const float *x, size_t n);
void leave_last(float *y, const float *x, size_t n) {
    running_sum(y, x, n - 1);
}

void leave_product(float *z, const float *x, const float *y, size_t rows, size_t inner,
                   size_t columns);
void leave_product(float *z, const float *x, const float *y, size_t rows, size_t inner,
                   size_t columns) {
    product(z, x, y, rows - 1, inner, columns);
}

/* A signalling NaN of these bits is what stands there before a call. */
void give_pattern(float *z, const float *x, size_t n);
void give_pattern(float *z, const float *x, size_t n) {
    const uint32_t pattern = 0x7fa5a5a5;
    (void)x;
    for (size_t i = 0; i < n; i++)
        memcpy(&z[i], &pattern, sizeof pattern);
}
