/* The library's calls for scaled arrays: those element by element by way of the best instruction
 * set that this machine has, those over rows in plain loops whose order is in scaled_arrays.h. */
#include "kernels.h"
#include "scaled_kernels.h"

const struct detmath_scaled_kernels *detmath_scaled_kernels(enum detmath_scaled_operation which) {
    return &detmath_best_level()->scaled[which];
}

#define ONE(NAME)                                                                                  \
    void detmath_scaled_##NAME(int to, void *c, int format, const void *a, size_t n,               \
                               const struct detmath_scaled_plan *plan) {                           \
        detmath_scaled_kernels(DETMATH_SCALED_INDEX_##NAME)                                        \
            ->fill(to, c, format, a, NULL, n, plan);                                               \
    }
#define TWO(NAME)                                                                                  \
    void detmath_scaled_##NAME(int format, void *c, const void *a, const void *b, size_t n,        \
                               const struct detmath_scaled_plan *plan) {                           \
        detmath_scaled_kernels(DETMATH_SCALED_INDEX_##NAME)                                        \
            ->fill(format, c, format, a, b, n, plan);                                              \
    }
DETMATH_SCALED_OPERATIONS(ONE, TWO)

static uint32_t code_at(int format, const void *codes, size_t i) {
    if (format == DETMATH_F32)
        return ((const uint32_t *)codes)[i];
    return format < DETMATH_E4M3FN ? ((const uint16_t *)codes)[i] : ((const uint8_t *)codes)[i];
}

static void code_set(int format, void *codes, size_t i, uint32_t code) {
    if (format == DETMATH_F32)
        ((uint32_t *)codes)[i] = code;
    else if (format < DETMATH_E4M3FN)
        ((uint16_t *)codes)[i] = (uint16_t)code;
    else
        ((uint8_t *)codes)[i] = (uint8_t)code;
}

static double number_at(int format, const void *codes, size_t i) {
    return detmath_scaled_decode(code_at(format, codes, i), detmath_formats[format]);
}

/* The largest data, signs by the scale's; NaN where there is one. */
static double largest(int format, const void *a, size_t n, const struct detmath_scaled_plan *plan) {
    double best = plan->zero_a ? 0.0 : plan->a * number_at(format, a, 0);
    for (size_t i = 1; !plan->zero_a && i < n; i++)
        best = detmath_scaled_larger(best, plan->a * number_at(format, a, i));
    return best / plan->c;
}

uint32_t detmath_scaled_reduce_max(int format, const void *a, size_t n,
                                   const struct detmath_scaled_plan *plan) {
    return detmath_scaled_encode(largest(format, a, n, plan), detmath_formats[format]);
}

float detmath_scaled_softmax(int format, void *c, const void *a, size_t n,
                             const struct detmath_scaled_plan *plan,
                             enum detmath_scaled_compute compute) {
    double best = largest(format, a, n, plan) * plan->a, sums[8] = {0}, unused;
    for (size_t i = 0; i < n; i++)
        sums[i % 8] +=
            detmath_scaled_softmax_element(number_at(format, a, i), best, *plan, compute);
    double sum =
        ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
    for (size_t i = 0; i < n; i++) {
        double power =
            detmath_scaled_softmax_element(number_at(format, a, i), best, *plan, compute);
        power = sum != sum ? sum : power;
        code_set(format, c, i, detmath_scaled_encode(power, detmath_formats[format]));
    }
    return sum != sum ? 1.0f : detmath_scale_round(1.0 / sum, 0, &unused).m;
}

uint32_t detmath_scaled_dot(int format, const void *a, const void *b, size_t k, size_t stride,
                            const struct detmath_scaled_plan *plan) {
    double sum = 0;
    for (size_t i = 0; i < k; i++) {
        double x = plan->zero_a ? 0.0 : number_at(format, a, i);
        double y = plan->zero_b ? 0.0 : number_at(format, b, i * stride);
        sum = detmath_fma(x, y, sum);
    }
    return detmath_scaled_encode(sum * plan->a / plan->c, detmath_formats[format]);
}

/* The least n for which |x| / 2^n <= most. */
static int least_exponent(double x, double most) {
    int n = (int)(detmath_bits_f64(x) >> 52) - (int)(detmath_bits_f64(most) >> 52);
    return n + (x * detmath_scale_power(-n) > most);
}

static double squared_error(int to, int format, const void *a, size_t n, int exponent) {
    const struct detmath_format target = detmath_formats[to];
    double most = detmath_decode(target.max_finite, target), sum = 0;
    for (size_t i = 0; i < n; i++) {
        double x = number_at(format, a, i) * detmath_scale_power(-exponent);
        double magnitude = detmath_scaled_magnitude(x);
        if (!(magnitude - magnitude == 0.0))
            continue;
        double kept =
            magnitude > most ? most : detmath_decode(detmath_encode(magnitude, target), target);
        double error = (magnitude - kept) * detmath_scale_power(exponent);
        sum = detmath_fma(error, error, sum);
    }
    return sum;
}

int detmath_scaled_find(int to, int format, const void *a, size_t n,
                        enum detmath_scaled_target target) {
    enum { BELOW = 24 };
    double greatest = 0;
    for (size_t i = 0; i < n; i++) {
        double magnitude = detmath_scaled_magnitude(number_at(format, a, i));
        if (magnitude - magnitude == 0.0 && magnitude > greatest)
            greatest = magnitude;
    }
    if (greatest == 0.0)
        return 0;
    const struct detmath_format row = detmath_formats[to];
    int most = least_exponent(greatest, detmath_decode(row.max_finite, row)), best = most;
    if (target == DETMATH_SCALED_BY_MAXIMUM)
        return most;
    double least = squared_error(to, format, a, n, most);
    for (int exponent = most - 1; exponent >= most - BELOW; exponent--) {
        double error = squared_error(to, format, a, n, exponent);
        if (error < least) {
            least = error;
            best = exponent;
        }
    }
    return best;
}
