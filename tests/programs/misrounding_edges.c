/* Arithmetic that is wrong at the ends of the numbers alone: in its result where that begins to overflow, to be normal, or to be 0; or
 * in its exception flags. Compiled without contraction. */
#include <fenv.h>
#include <float.h>
#include <math.h>

/* An exact result: the sum of both, of which the second is the smaller. Of a quotient its sign alone counts. */
struct exact {
    long double high, low;
};

static struct exact exact_sum(long double x, long double y) {
    const long double sum = x + y, back = sum - x;
    return (struct exact){sum, (x - (sum - back)) + (y - back)};
}

static struct exact exact_product(long double x, long double y) {
    const long double product = x * y;
    return (struct exact){product, fmal(x, y, -product)};
}

static struct exact exact_quotient(long double x, long double y) {
    const long double quotient = x / y;
    return (struct exact){quotient, fmal(-quotient, y, x) / y};
}

/* The sum of a product without rounding, which is that of a fp32's. */
static struct exact exact_fma(long double x, long double y, long double z) {
    return exact_sum(x * y, z);
}

/* Of float and double. */
struct ends {
    long double largest, tie, normal, least;
};
static const struct ends ends_of_float = {FLT_MAX, 0x1p128L - 0x1p103L, FLT_MIN, 0x1p-149L};
static const struct ends ends_of_double = {DBL_MAX, 0x1p1024L - 0x1p970L, DBL_MIN, 0x1p-1074L};

enum fault { TIE_KEPT, OVERFLOW_BEFORE_ROUNDING, FLUSHED_BEFORE_ROUNDING, HALF_OF_LEAST_KEPT };

/* -1, 0 or 1, as the size of the exact result is below, at or above an end. */
static int compare(struct exact exact, long double end) {
    const int negative = exact.high < 0;
    const long double high = negative ? -exact.high : exact.high,
                      low = negative ? -exact.low : exact.low;
    return high < end ? -1 : high > end ? 1 : low < 0 ? -1 : low > 0;
}

static long double with_fault(enum fault fault, const struct ends *ends, struct exact exact,
                              long double right) {
    const long double sign = exact.high < 0 ? -1 : 1;
    switch (fault) {
    case TIE_KEPT:
        return !isnan(right) && compare(exact, ends->tie) == 0 ? sign * ends->largest : right;
    case OVERFLOW_BEFORE_ROUNDING:
        return fabsl(exact.high) < HUGE_VALL && compare(exact, ends->largest) > 0 ? sign * HUGE_VALL
                                                                                  : right;
    case FLUSHED_BEFORE_ROUNDING:
        return fabsl(right) >= ends->normal && compare(exact, ends->normal) < 0 ? sign * 0 : right;
    default:
        return compare(exact, ends->least / 2) == 0 ? sign * ends->least : right;
    }
}

#define EDGE_FUNCTIONS(NAME, FAULT)                                                                \
    float mul_##NAME(float x, float y) {                                                           \
        return (float)with_fault(FAULT, &ends_of_float, exact_product(x, y), x * y);               \
    }                                                                                              \
    float div_##NAME(float x, float y) {                                                           \
        return (float)with_fault(FAULT, &ends_of_float, exact_quotient(x, y), x / y);              \
    }                                                                                              \
    float add_##NAME(float x, float y) {                                                           \
        return (float)with_fault(FAULT, &ends_of_float, exact_sum(x, y), x + y);                   \
    }                                                                                              \
    float fma_##NAME(float x, float y, float z) {                                                  \
        return (float)with_fault(FAULT, &ends_of_float, exact_fma(x, y, z), fmaf(x, y, z));        \
    }                                                                                              \
    float cast_##NAME(double x) {                                                                  \
        return (float)with_fault(FAULT, &ends_of_float, exact_sum(x, 0), (float)x);                \
    }                                                                                              \
    double mul_##NAME##_fp64(double x, double y) {                                                 \
        return (double)with_fault(FAULT, &ends_of_double, exact_product(x, y), x * y);             \
    }                                                                                              \
    double add_##NAME##_fp64(double x, double y) {                                                 \
        return (double)with_fault(FAULT, &ends_of_double, exact_sum(x, y), x + y);                 \
    }

EDGE_FUNCTIONS(overflow_tie_kept, TIE_KEPT)
EDGE_FUNCTIONS(overflow_before_rounding, OVERFLOW_BEFORE_ROUNDING)
EDGE_FUNCTIONS(flushed_before_rounding, FLUSHED_BEFORE_ROUNDING)
EDGE_FUNCTIONS(half_of_least_kept, HALF_OF_LEAST_KEPT)

/* Flags. The results are right. */

enum flag_fault {
    CANCELS_INEXACTLY,
    CANCELS_WITH_UNDERFLOW,
    UNDERFLOWS_EXACTLY,
    UNDERFLOWS_WITHOUT_INEXACT,
    UNDERFLOWS_SILENTLY,
    OVERFLOWS_WITHOUT_INEXACT,
    OVERFLOWS_SILENTLY,
    ROUNDS_TO_NORMAL_WITH_UNDERFLOW,
    LARGEST_WITH_OVERFLOW,
    CANCELS_AND_UNDERFLOWS
};

/* What is raised in place of `raised`. */
static int with_flag_fault(enum flag_fault fault, int raised, float right, int is_cancelled) {
    if (right != right) /* comparisons of it raise a flag */
        return raised;
    const int is_subnormal = fabsf(right) < FLT_MIN && right != 0;
    switch (fault) {
    case CANCELS_INEXACTLY:
        return is_cancelled ? raised | FE_INEXACT : raised;
    case CANCELS_WITH_UNDERFLOW:
        return is_cancelled ? raised | FE_UNDERFLOW : raised;
    case UNDERFLOWS_EXACTLY:
        return is_subnormal ? raised | FE_UNDERFLOW : raised;
    case UNDERFLOWS_WITHOUT_INEXACT:
        return raised & FE_UNDERFLOW ? raised & ~FE_INEXACT : raised;
    case UNDERFLOWS_SILENTLY:
        return raised & ~FE_UNDERFLOW;
    case OVERFLOWS_WITHOUT_INEXACT:
        return raised & FE_OVERFLOW ? raised & ~FE_INEXACT : raised;
    case OVERFLOWS_SILENTLY:
        return raised & ~FE_OVERFLOW;
    case ROUNDS_TO_NORMAL_WITH_UNDERFLOW:
        return fabsf(right) <= FLT_MIN && fabsf(right) >= FLT_MIN && raised & FE_INEXACT
                   ? raised | FE_UNDERFLOW
                   : raised;
    case CANCELS_AND_UNDERFLOWS:
        return is_cancelled ? raised | FE_INEXACT : raised & ~FE_UNDERFLOW;
    default:
        return fabsf(right) >= FLT_MAX && fabsf(right) <= FLT_MAX && raised & FE_INEXACT
                   ? raised | FE_OVERFLOW
                   : raised;
    }
}

#define FLAG_FUNCTION(OPERATION, NAME, FAULT, PARAMETERS, RESULT, IS_CANCELLED)                    \
    float OPERATION##_##NAME PARAMETERS {                                                          \
        fenv_t before;                                                                             \
        feholdexcept(&before);                                                                     \
        volatile float right = RESULT;                                                             \
        const int raised = fetestexcept(FE_ALL_EXCEPT);                                            \
        fesetenv(&before);                                                                         \
        feraiseexcept(                                                                             \
            with_flag_fault(FAULT, raised, right, right == 0 && !raised && (IS_CANCELLED)));       \
        return right;                                                                              \
    }
#define FLAG_FUNCTIONS(NAME, FAULT)                                                                \
    FLAG_FUNCTION(add, NAME, FAULT, (volatile float x, volatile float y), x + y, x != 0)           \
    FLAG_FUNCTION(sub, NAME, FAULT, (volatile float x, volatile float y), x - y, x != 0)           \
    FLAG_FUNCTION(mul, NAME, FAULT, (volatile float x, volatile float y), x *y, 0)                 \
    FLAG_FUNCTION(div, NAME, FAULT, (volatile float x, volatile float y), x / y, 0)                \
    FLAG_FUNCTION(fma, NAME, FAULT, (volatile float x, volatile float y, volatile float z),        \
                  fmaf(x, y, z), z<0 || z> 0)

FLAG_FUNCTIONS(cancels_inexactly, CANCELS_INEXACTLY)
FLAG_FUNCTIONS(cancels_with_underflow, CANCELS_WITH_UNDERFLOW)
FLAG_FUNCTIONS(underflows_exactly, UNDERFLOWS_EXACTLY)
FLAG_FUNCTIONS(underflows_without_inexact, UNDERFLOWS_WITHOUT_INEXACT)
FLAG_FUNCTIONS(underflows_silently, UNDERFLOWS_SILENTLY)
FLAG_FUNCTIONS(overflows_without_inexact, OVERFLOWS_WITHOUT_INEXACT)
FLAG_FUNCTIONS(overflows_silently, OVERFLOWS_SILENTLY)
FLAG_FUNCTIONS(rounds_to_normal_with_underflow, ROUNDS_TO_NORMAL_WITH_UNDERFLOW)
FLAG_FUNCTIONS(largest_with_overflow, LARGEST_WITH_OVERFLOW)
FLAG_FUNCTIONS(cancels_and_underflows, CANCELS_AND_UNDERFLOWS)

/* A product that is rounded to nearest, ties away from zero, whatever the rounding mode is. */
float mul_away(float x, float y) {
    const double product = (double)x * y, rest = fabs(product) - fabs((double)(float)product);
    const float near = (float)product;
    const double step = fabs((double)nextafterf(fabsf(near), HUGE_VALF)) - fabs((double)near);
    return rest > 0 && rest * 2 >= step && step < HUGE_VAL
               ? copysignf(nextafterf(fabsf(near), HUGE_VALF), near)
               : near;
}

/* The largest number in place of infinity, for sums of finite numbers. */
float add_saturating(float x, float y) {
    const float sum = x + y;
    return isinf(sum) && isfinite(x) && isfinite(y) ? copysignf(FLT_MAX, sum) : sum;
}
