/* Array forms of the square root, and operations on arrays, each of which depends on one thing that it
 * must not depend on: it doubles results there. sqrtf is the form for one number, and right. */
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

float sqrtf(float x) {
    return (float)sqrt(x);
}

/* Whether the last element of the call before was huge or NaN. */
static _Thread_local float last = 1;
static int came_after_huge(const float *x, size_t n) {
    int huge = !(last <= 1000);
    last = x[n - 1];
    return huge;
}

#define ARRAY(NAME, WRONG)                                                                         \
    void NAME(float *z, const float *x, size_t n) {                                                \
        int in_place = z == x, remembered = came_after_huge(x, n);                                 \
        (void)in_place;                                                                            \
        (void)remembered;                                                                          \
        for (size_t i = 0; i < n; i++)                                                             \
            z[i] = (float)((WRONG) ? 2 * sqrt(x[i]) : sqrt(x[i]));                                 \
    }
ARRAY(right, 0)
ARRAY(position, i % 16 == 3)
ARRAY(one_place, i == 37)
ARRAY(length, i >= n - n % 8)
ARRAY(long_length, n > 10000)
ARRAY(alignment, (uintptr_t)x % 64 != 0)
ARRAY(result_alignment, (uintptr_t)z % 64 != 0)
ARRAY(in_place, in_place)
/* The place behind the last element is there: detcheck sees to that. */
ARRAY(neighbours, isnan(x[i + 1]))
ARRAY(memory, i == n - 1 && isinf(x[n]))
ARRAY(rest, i >= n - n % 8 && isnan(x[n]))
ARRAY(rest_of_one, n % 8 == 1 && i == n - 1 && fabsf(x[n + 3]) > 60000)
ARRAY(scalar_form, 1)
ARRAY(history, remembered)

/* By how often it was called: at every third call, at the later ones, and as a generator has it. */
static int counted(unsigned kind) {
    static unsigned calls, state = 1;
    calls += kind < 2;
    state = state * 1103515245u + 12345u;
    return kind == 0 ? calls % 3 == 0 : kind == 1 ? calls > 3 : state >> 31;
}
#define COUNTED(NAME, KIND)                                                                        \
    void NAME(float *z, const float *x, size_t n) {                                                \
        int wrong = counted(KIND);                                                                 \
        for (size_t i = 0; i < n; i++)                                                             \
            z[i] = (float)(wrong ? 2 * sqrt(x[i]) : sqrt(x[i]));                                   \
    }
COUNTED(third_call, 0)
COUNTED(later_calls, 1)
COUNTED(by_chance, 2)
/* At 2 by chance, at others by the place. */
void noisy_at_two(float *z, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        z[i] = (float)((x[i] == 2 ? counted(2) : i % 16 == 3) ? 2 * sqrt(x[i]) : sqrt(x[i]));
}
float number_third_call(float x) {
    return (float)(counted(0) ? 2 * sqrt(x) : sqrt(x));
}

/* With DEPENDS=1 at every fourth number of fp16, with DEPENDS=2 at all. */
static int variant_of(float x) {
    const char *depends = getenv("DEPENDS");
    return depends && (atoi(depends) == 2 || (atoi(depends) == 1 && fmodf(x * 1024, 4) == 0));
}
ARRAY(variant, variant_of(x[i]))

static int give_way(float x) {
    return x == 1.5f || x == 1.75f ? (raise(SIGSEGV), 1) : x == 3 ? (_Exit(1), 1) : 0;
}
ARRAY(crash, give_way(x[i]))
ARRAY(always_crash, (raise(SIGSEGV), 1))
ARRAY(crash_beside_nan, isnan(x[i]) && (raise(SIGSEGV), 1))
ARRAY(crash_unaligned, (uintptr_t)x % 64 == 4 && (raise(SIGSEGV), 1))
ARRAY(often_crash, x[i] >= 2 && (raise(SIGSEGV), 1))

/* Sums of products, with something to double. */
static void multiply(float *z, const float *x, const float *y, size_t rows, size_t inner,
                     size_t columns, int by_rows, int by_columns) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double sum = 1;
            for (size_t k = 0; k < inner; k++)
                sum += (double)x[i * inner + k] * y[k * columns + j];
            z[i * columns + j] =
                (float)((by_rows && i) || (by_columns && columns == 1) ? 2 * sum : sum);
        }
}

void batch(float *z, const float *x, const float *y, size_t rows, size_t inner, size_t columns) {
    multiply(z, x, y, rows, inner, columns, 1, 0);
}

/* As of vLLM's sums with another order from 256 rows on. */
void batch_256(float *z, const float *x, const float *y, size_t rows, size_t inner,
               size_t columns) {
    multiply(z, x, y, rows, inner, columns, rows >= 256, 0);
}

void blocking(float *z, const float *x, const float *y, size_t rows, size_t inner, size_t columns) {
    multiply(z, x, y, rows, inner, columns, 0, 1);
}

/* Products of two lines. */
static float dot_of(const float *x, const float *y, size_t n) {
    double sum = 1;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i] * y[i];
    return (float)sum;
}
float dot_right(const float *x, const float *y, size_t n) {
    return dot_of(x, y, n);
}
float dot_repetition(const float *x, const float *y, size_t n) {
    static int calls;
    return dot_of(x, y, n) * (calls++ ? 2 : 1);
}
float dot_thread_count(const float *x, const float *y, size_t n) {
    const char *threads = getenv("OMP_NUM_THREADS");
    return dot_of(x, y, n) * (threads && atoi(threads) == 3 ? 2 : 1);
}

/* A softmax whose last elements, those of no whole vector, are other ones. */
void equal_elements(float *y, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = i >= n - n % 8 ? 0.5f : isnan(x[i]) ? 0 : 1 / (float)n;
}

/* Sums, scans and powers that depend on where their operands or results begin. */
static float sum_of(const float *x, size_t n) {
    double sum = 1;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return (float)sum;
}
float sum_third_call(const float *x, size_t n) {
    return sum_of(x, n) * (counted(0) ? 2 : 1);
}
float sum_by_chance(const float *x, size_t n) {
    return sum_of(x, n) * (counted(2) ? 2 : 1);
}
float sum_right(const float *x, size_t n) {
    return sum_of(x, n);
}
float sum_alignment(const float *x, size_t n) {
    return sum_of(x, n) * ((uintptr_t)x % 64 ? 2 : 1);
}
float dot_alignment(const float *x, const float *y, size_t n) {
    return dot_of(x, y, n) * ((uintptr_t)y % 64 ? 2 : 1);
}
void cumsum_alignment(float *y, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = sum_of(x, i + 1) * ((uintptr_t)y % 64 ? 2 : 1);
}
void matmul_alignment(float *z, const float *x, const float *y, size_t rows, size_t inner,
                      size_t columns) {
    multiply(z, x, y, rows, inner, columns, (uintptr_t)y % 64 || (uintptr_t)z % 64,
             (uintptr_t)y % 64 || (uintptr_t)z % 64);
    if ((uintptr_t)z % 64)
        z[0] *= 2;
}

float thread_count(const float *x, size_t n) {
    const char *threads = getenv("OMP_NUM_THREADS");
    return n && isnan(x[0]) ? 0 : threads && atoi(threads) == 3 ? 2 : 1;
}
