/* Newton's interpolation at Chebyshev's points, and its evaluation in parts. */
#include "sweep/search/line.h"

#include "base/bits.h"

#include <math.h>
#include <string.h>

/* Bits to which coefficients are computed. The fit is good enough if it is this good at the centre,
 * in ulps. */
enum { FIT_BITS = 192 };
#define FIT_SLACK 0x1p-12

void line_maker_open(struct line_maker *maker) {
    for (int i = 0; i < LINE_NODES; i++)
        mpfr_init2(maker->values[i], FIT_BITS);
    mpfr_init2(maker->base, FIT_BITS);
    mpfr_init2(maker->term, FIT_BITS);
}

void line_maker_close(struct line_maker *maker) {
    for (int i = 0; i < LINE_NODES; i++)
        mpfr_clear(maker->values[i]);
    mpfr_clear(maker->base);
    mpfr_clear(maker->term);
}

static bool has_fit(const struct real *y, const struct format *format) {
    return y->kind == REAL_FINITE && y->exponent <= format->emax &&
           y->exponent >= format->emin - format->precision;
}

/* The value of a code of fp32 or fp64. */
static double code_value(const struct format *format, uint64_t code) {
    uint32_t narrow = (uint32_t)code;
    float value;
    memcpy(&value, &narrow, sizeof value);
    return format->width == 64 ? from_bits(code) : value;
}

/* The base and the unit of a result that is y at the centre. */
static void set_base(struct line_result *result, struct line_maker *maker,
                     const struct format *format, const struct real *y) {
    uint64_t code = format_encode(format, y, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
    struct real base = format_decode(format, code);
    result->base = code_value(format, code);
    result->unit = format_ulp_exponent(format, y);
    int half = -result->unit / 2;
    result->scales[0] = power_of_two(half);
    result->scales[1] = power_of_two(-result->unit - half);
    result->exponents[0] = result->exponents[1] = y->exponent;
    if (base.kind == REAL_FINITE)
        real_to_mpfr(maker->base, &base);
    else
        mpfr_set_zero(maker->base, 1);
}

/* The nodes' values, as differences from the base in units. */
static enum line_fit load_nodes(struct line *line, int which, struct line_maker *maker,
                                struct oracle *oracle, const struct format *format,
                                struct error *error) {
    struct line_result *result = &line->results[which];
    for (int i = 0; i < line->nodes; i++) {
        uint64_t codes[MAX_OPERANDS];
        struct real y;
        for (int j = 0; j < MAX_OPERANDS; j++)
            codes[j] = line->codes[j];
        codes[line->running] += (uint64_t)(int64_t)maker->offsets[i];
        if (!oracle_exact(oracle, codes, which, &y, error))
            return LINE_FAILED;
        if (!has_fit(&y, format))
            return LINE_BENDS;
        result->exponents[0] =
            y.exponent < result->exponents[0] ? y.exponent : result->exponents[0];
        result->exponents[1] =
            y.exponent > result->exponents[1] ? y.exponent : result->exponents[1];
        real_to_mpfr(maker->values[i], &y);
        mpfr_sub(maker->values[i], maker->values[i], maker->base, MPFR_RNDN);
        mpfr_mul_2si(maker->values[i], maker->values[i], -result->unit, MPFR_RNDN);
        if (mpfr_cmpabs_ui(maker->values[i], 1) > 0 &&
            mpfr_get_exp(maker->values[i]) > LINE_MOST_LOG2)
            return LINE_BENDS;
    }
    return result->exponents[1] - result->exponents[0] <= 4 ? LINE_FITS : LINE_BENDS;
}

/* Divided differences, then powers of n. */
static void interpolate(struct line_result *result, struct line_maker *maker, int nodes) {
    for (int order = 1; order < nodes; order++)
        for (int i = nodes - 1; i >= order; i--) {
            mpfr_sub(maker->values[i], maker->values[i], maker->values[i - 1], MPFR_RNDN);
            mpfr_div_d(maker->values[i], maker->values[i],
                       maker->offsets[i] - maker->offsets[i - order], MPFR_RNDN);
        }
    for (int from = nodes - 2; from >= 0; from--)
        for (int i = from; i < nodes - 1; i++) {
            mpfr_mul_d(maker->term, maker->values[i + 1], maker->offsets[from], MPFR_RNDN);
            mpfr_sub(maker->values[i], maker->values[i], maker->term, MPFR_RNDN);
        }
    for (int i = 0; i < nodes; i++)
        result->c[i] = mpfr_get_d(maker->values[i], MPFR_RNDN);
    for (int i = nodes; i < LINE_NODES; i++)
        result->c[i] = 0;
    /* 27 bits of the slope, which times parts of n are exact. */
    result->slope = from_bits(bits_of(result->c[1]) & ~(uint64_t)0x3ffffff);
    mpfr_sub_d(maker->term, maker->values[1], result->slope, MPFR_RNDN);
    result->slope_rest = mpfr_get_d(maker->term, MPFR_RNDN);
    result->c[1] = 0;
}

/* cos((2i + 1) pi / (2m)) for i = 0 ... m/2 - 1 and an even m from 4 on. */
static const double chebyshev[][LINE_NODES / 2] = {
    {0.923880, 0.382683},
    {0.965926, 0.707107, 0.258819},
    {0.980785, 0.831470, 0.555570, 0.195090},
    {0.987688, 0.891007, 0.707107, 0.453990, 0.156434}};

/* As many as make the error small for a function that bends as little as its argument is long. */
static bool choose_nodes(struct line *line, struct line_maker *maker, const struct format *format,
                         int operand_precision) {
    int log2 = 0;
    while (log2 < 62 && (uint64_t)1 << log2 < line->half)
        log2++;
    int each = operand_precision - log2;
    int wanted = each > 0 ? (format->precision + line->spare_bits + each) / each : LINE_NODES + 1;
    wanted = wanted < 4 ? 4 : wanted + wanted % 2;
    line->nodes = wanted;
    if (wanted > LINE_NODES || log2 > LINE_MOST_LOG2 || line->half < 64)
        return false;
    for (int i = 0; i < wanted; i++) {
        double t = i < wanted / 2 ? chebyshev[wanted / 2 - 2][i]
                                  : -chebyshev[wanted / 2 - 2][wanted - 1 - i];
        maker->offsets[i] = rint(t * (double)line->half);
    }
    return true;
}

static enum line_fit make_result(struct line *line, int which, struct line_maker *maker,
                                 struct oracle *oracle, const struct format *format,
                                 struct error *error) {
    struct real y;
    if (!oracle_exact(oracle, line->codes, which, &y, error))
        return LINE_FAILED;
    if (!has_fit(&y, format))
        return LINE_IS_NONE;
    struct line_result *result = &line->results[which];
    set_base(result, maker, format, &y);
    enum line_fit kind = load_nodes(line, which, maker, oracle, format, error);
    if (kind != LINE_FITS)
        return kind;
    interpolate(result, maker, line->nodes);
    mpfr_t *centre = &maker->values[0];
    real_to_mpfr(*centre, &y);
    mpfr_sub(*centre, *centre, maker->base, MPFR_RNDN);
    mpfr_mul_2si(*centre, *centre, -result->unit, MPFR_RNDN);
    return fabs(mpfr_get_d(*centre, MPFR_RNDN) - result->c[0]) <= FIT_SLACK ? LINE_FITS
                                                                            : LINE_BENDS;
}

enum line_fit line_make(struct line *line, struct line_maker *maker, struct oracle *oracle,
                        const struct format *format, int results, struct error *error) {
    enum line_fit kind = LINE_FITS;
    if (!choose_nodes(line, maker, format, oracle->format->precision))
        return LINE_BENDS;
    for (int i = 0; i < results && kind == LINE_FITS; i++)
        kind = make_result(line, i, maker, oracle, format, error);
    return kind;
}

/* Rounds to a multiple of 2^20. */
#define COARSE 0x1.8p72

/* slope n less its exact part *large; all else that the line adds to its base. */
INLINED double small_part(const struct line_result *result, double n, double *large,
                          double *middle) {
    double coarse = n + COARSE - COARSE;
    double powers = result->c[LINE_NODES - 1];
    for (int i = LINE_NODES - 2; i >= 2; i--)
        powers = powers * n + result->c[i];
    *large = result->slope * coarse;
    *middle = result->slope * (n - coarse);
    return powers * n * n + result->slope_rest * n + result->c[0];
}

FOR_EACH_CPU void line_errors(const struct line_result *result, const struct format *format,
                              const double *offsets, const double *outputs, double *errors,
                              size_t count) {
    double base = result->base, first = result->scales[0], second = result->scales[1];
    double unit = 1 / first / second;
    int least = format->emin - format->precision + 1, unit_exponent = result->unit;
    int precision = format->precision;
    for (size_t i = 0; i < count; i++) {
        double large, middle, rest = small_part(result, offsets[i], &large, &middle);
        double moved = (outputs[i] - base) * first * second;
        double exact = base + (large + (middle + rest)) * unit;
        int exponent = (int)(bits_of(exact) >> 52 & 0x7ff) - 1023 - precision + 1;
        exponent = exponent < least ? least : exponent;
        errors[i] = (moved - large - middle - rest) *
                    from_bits((uint64_t)(unit_exponent - exponent + 1023) << 52);
    }
}

FOR_EACH_CPU void line_fractions(const struct line_result *result, const double *offsets,
                                 double *fractions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double large, middle, rest = small_part(result, offsets[i], &large, &middle);
        /* Whole numbers are taken off each part exactly. */
        double sum = (large - rint(large)) + (middle - rint(middle)) + (rest - rint(rest));
        fractions[i] = sum - rint(sum);
    }
}
