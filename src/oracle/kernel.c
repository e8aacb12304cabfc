/* Vectorised judging. Every loop below runs over a chunk without branches, so that compilers turn
 * it into vector code; nothing depends on how wide, since errors are summed as integers. */
#include "oracle/kernel.h"

#include "base/power.h"
#include "base/vector.h"

#include <string.h>

/* Errors from here on, in ulps, are not the kernel's business. */
#define LARGE_ERROR 3.5
/* got - p, times a power of two, is rounded once: below 2^-51 for such errors. Cutting it to units
 * adds one of those. */
#define ROUNDING_MARGIN 0x1p-50
#define SIGN_BIT        ((uint64_t)1 << 63)

INLINED uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

INLINED double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* p(t) by Horner's rule; `terms` is a constant at each call, so the inner loop unrolls. */
INLINED void evaluate(const double *coefficients, int terms, const double *t, size_t count,
                      double *p) {
    for (size_t i = 0; i < count; i++) {
        double sum = coefficients[terms - 1];
        for (int j = terms - 2; j >= 0; j--)
            sum = sum * t[i] + coefficients[j];
        p[i] = sum;
    }
}

INLINED uint64_t product(uint32_t a, uint32_t b) {
    return (uint64_t)a * b;
}

/* The turn of input number `at` + i, plus that many quarters, as a multiple of 2^-parts turns and
 * the rest s: see turns.h. */
INLINED void reduce(const struct fit *fit, size_t at, size_t count, uint64_t quarters, int parts,
                    uint64_t *part, double *rest) {
    uint32_t c0 = fit->turns.constant[0], c1 = fit->turns.constant[1];
    uint32_t c2 = fit->turns.constant[2], c3 = fit->turns.constant[3];
    uint32_t first = fit->significand + (uint32_t)at;
    for (size_t i = 0; i < count; i++) {
        uint32_t m = first + (uint32_t)i;
        uint64_t p3 = product(m, c3), p2 = product(m, c2) + (p3 >> 32);
        uint64_t p1 = product(m, c1) + (p2 >> 32), p0 = product(m, c0) + (p1 >> 32);
        uint64_t high = (p0 << 32 | (p1 & 0xffffffff)) + (quarters << 62);
        uint64_t q = (high + ((uint64_t)1 << (63 - parts))) >> (64 - parts);
        /* Two's complement, which every compiler that this code meets converts to. */
        int64_t s = (int64_t)(high - (q << (64 - parts)));
        part[i] = q;
        rest[i] = (double)s * 0x1p-64 + (double)(uint32_t)p2 * 0x1p-96;
    }
}

/* Taylor coefficients of (sin t / t - 1) / u and (cos t - 1) / u in u = t^2: -1/3!, 1/5!, ... and
 * -1/2!, 1/4!, ..., rounded to double by the compiler. */
static const double sine[] = {-1.0 / 6,
                              1.0 / 120,
                              -1.0 / 5040,
                              1.0 / 362880,
                              -1.0 / 39916800,
                              1.0 / 6227020800.0,
                              -1.0 / 1307674368000.0,
                              1.0 / 355687428096000.0,
                              -1.0 / 121645100408832000.0,
                              1.0 / 51090942171709440000.0,
                              -1.0 / 25852016738884976640000.0};
static const double cosine[] = {-1.0 / 2,
                                1.0 / 24,
                                -1.0 / 720,
                                1.0 / 40320,
                                -1.0 / 3628800,
                                1.0 / 479001600.0,
                                -1.0 / 87178291200.0,
                                1.0 / 20922789888000.0,
                                -1.0 / 6402373705728000.0};
/* Within a quarter turn of 0, and within an eighth. */
enum { WIDE_SINE_TERMS = sizeof sine / sizeof *sine, SINE_TERMS = 8, COSINE_TERMS = 9 };

INLINED double sine_of(double t, double u, int terms) {
    double s = sine[terms - 1];
    for (int j = terms - 2; j >= 0; j--)
        s = s * u + sine[j];
    return t + t * (u * s);
}

/* sin, and cos as the sine a quarter turn on: by halves of a turn. */
INLINED void evaluate_sine(const struct fit *fit, size_t at, size_t count, double *p) {
    uint64_t half[KERNEL_CHUNK];
    double rest[KERNEL_CHUNK];
    bool cosine_wanted = fit->turns.function == TURNS_COS;
    uint64_t odd_sign = !cosine_wanted && fit->direction < 0 ? SIGN_BIT : 0;
    reduce(fit, at, count, cosine_wanted, 1, half, rest);
    for (size_t i = 0; i < count; i++) {
        double t = rest[i] * 0x1.921fb54442d18p+2, s = sine_of(t, t * t, WIDE_SINE_TERMS);
        p[i] = from_bits(bits_of(s) ^ (half[i] << 63) ^ odd_sign);
    }
}

/* tan, by quarters of a turn. */
INLINED void evaluate_tangent(const struct fit *fit, size_t at, size_t count, double *p) {
    uint64_t quarter[KERNEL_CHUNK];
    double rest[KERNEL_CHUNK];
    reduce(fit, at, count, 0, 2, quarter, rest);
    for (size_t i = 0; i < count; i++) {
        double t = rest[i] * 0x1.921fb54442d18p+2, u = t * t, c = cosine[COSINE_TERMS - 1];
        for (int j = COSINE_TERMS - 2; j >= 0; j--)
            c = c * u + cosine[j];
        double s = sine_of(t, u, SINE_TERMS);
        c = 1 + u * c;
        double up = quarter[i] & 1 ? c : s, down = quarter[i] & 1 ? -s : c;
        p[i] = fit->direction * (up / down);
    }
}

INLINED void evaluate_turns(const struct fit *fit, size_t at, size_t count, double *p) {
    if (fit->turns.function == TURNS_TAN)
        evaluate_tangent(fit, at, count, p);
    else
        evaluate_sine(fit, at, count, p);
}

INLINED void evaluate_any(const struct fit *fit, const double *t, size_t count, double *p) {
    const double *a = fit->coefficients;
    switch (fit->terms) {
    case 2:
    case 3:
    case 4:
        evaluate(a, 4, t, count, p);
        return;
    case 5:
        evaluate(a, 5, t, count, p);
        return;
    case 6:
        evaluate(a, 6, t, count, p);
        return;
    case 7:
        evaluate(a, 7, t, count, p);
        return;
    case 8:
        evaluate(a, 8, t, count, p);
        return;
    case 9:
    case 10:
        evaluate(a, 10, t, count, p);
        return;
    case 11:
    case 12:
        evaluate(a, 12, t, count, p);
        return;
    default:
        evaluate(a, FIT_MOST_NODES, t, count, p);
    }
}

/* fp32 codes as doubles. */
INLINED void widen_4(const uint32_t *got, size_t count, double *value) {
    for (size_t i = 0; i < count; i++) {
        float narrow;
        memcpy(&narrow, &got[i], sizeof narrow);
        value[i] = (double)narrow;
    }
}

/* fp16 or bf16 codes as doubles; infinities and NaNs become infinite. */
INLINED void widen_2(const struct kernel_rules *rules, const uint16_t *got, size_t count,
                     double *value) {
    int places = rules->precision - 1;
    uint32_t hidden = (uint32_t)1 << places, infinity = 0x7fffu >> places << places;
    uint64_t rebias = (uint64_t)(rules->least_exponent - 1) << 52;
    double last_place = power_of_two(rules->least_exponent - 1023 - places);
    for (size_t i = 0; i < count; i++) {
        uint32_t magnitude = got[i] & 0x7fffu;
        uint64_t normal = ((uint64_t)magnitude << (52 - places)) + rebias;
        uint64_t subnormal = bits_of((double)(int32_t)magnitude * last_place);
        uint64_t bits = magnitude < hidden ? subnormal : normal;
        bits = magnitude < infinity ? bits : (uint64_t)0x7ff << 52;
        value[i] = from_bits(bits | (uint64_t)(got[i] >> 15) << 63);
    }
}

/* The signed errors in units; the largest margin among the sure ones, in ulps. */
INLINED double measure(const struct fit *fit, const struct kernel_rules *rules, const double *p,
                       const double *got, size_t count, int32_t *errors) {
    double fixed = fit->bound, relative = fit->relative, surely_finite = rules->surely_finite;
    uint64_t least = (uint64_t)rules->least_exponent;
    uint64_t ulp_scale = 1023 + 1023 + (uint64_t)rules->precision - 1;
    uint64_t orient = rules->toward_zero ? SIGN_BIT : 0;
    /* The bits of positive doubles are in the order of their values. */
    int64_t widest = 0;
    double units[KERNEL_CHUNK];
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = bits_of(p[i]), got_bits = bits_of(got[i]);
        double magnitude = from_bits(bits & ~SIGN_BIT), bound = fixed + relative * magnitude;
        uint64_t above = bits_of(magnitude + bound) >> 52, below = bits_of(magnitude - bound) >> 52;
        above = above > least ? above : least;
        below = below > least ? below : least;
        double scale = from_bits((ulp_scale - above) << 52);
        double quotient = (got[i] - p[i]) * scale;
        double size = from_bits(bits_of(quotient) & ~SIGN_BIT);
        double margin = bound * scale + ROUNDING_MARGIN;
        /* Just above a power of two the number below the power is less than an ulp away, and no
         * neighbour: in a lower binade than y an error says less. */
        uint64_t binade = (got_bits & ~SIGN_BIT) >> 52;
        binade = binade > least ? binade : least;
        bool sure = (above == below) & (magnitude < surely_finite) & (binade >= above) &
                    ((bits ^ got_bits) < SIGN_BIT) & (size < LARGE_ERROR) &
                    (margin <= KERNEL_MOST_MARGIN);
        double oriented = from_bits(bits_of(quotient) ^ (bits & orient)) * 0x1p29;
        units[i] = sure ? oriented : (double)KERNEL_UNSURE;
        int64_t order = (int64_t)bits_of(margin);
        order = sure ? order : 0;
        widest = order > widest ? order : widest;
    }
    for (size_t i = 0; i < count; i++)
        errors[i] = (int32_t)units[i];
    return from_bits((uint64_t)widest);
}

INLINED int32_t size_of(int32_t error) {
    return error == KERNEL_UNSURE ? 0 : error < 0 ? -error : error;
}

/* Whether a sure error may lie within the margin of an edge: all are multiples of 2^-10 ulp. */
INLINED bool may_touch_edge(const int32_t *errors, size_t count, uint32_t margin) {
    const uint32_t mask = ((uint32_t)1 << (KERNEL_UNITS_LOG2 - 10)) - 1;
    uint32_t touches = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t size = (uint32_t)size_of(errors[i]);
        touches |= (uint32_t)(((size + margin) & mask) <= 2 * margin) &
                   (uint32_t)(errors[i] != KERNEL_UNSURE);
    }
    return touches;
}

/* Makes errors within the margin of an edge unsure. */
INLINED void doubt_edges(const struct kernel_rules *rules, int32_t *errors, size_t count,
                         uint32_t margin) {
    for (int k = rules->never_exact; k < rules->edge_count; k++) {
        uint32_t low = (uint32_t)rules->edges[k] - margin;
        for (size_t i = 0; i < count; i++) {
            bool touches = (uint32_t)size_of(errors[i]) - low <= 2 * margin;
            errors[i] = touches ? KERNEL_UNSURE : errors[i];
        }
    }
}

/* Six edges in a pass over the errors. */
enum { EDGES_AT_ONCE = 6 };

INLINED void count_above(const struct kernel_rules *rules, const int32_t *errors, size_t count,
                         int from, int to, struct kernel_sums *sums) {
    for (int k = from; k < to; k += EDGES_AT_ONCE) {
        int32_t edges[EDGES_AT_ONCE];
        uint32_t above[EDGES_AT_ONCE] = {0};
        for (int j = 0; j < EDGES_AT_ONCE; j++)
            edges[j] = k + j < to ? rules->edges[k + j] : INT32_MAX;
        for (size_t i = 0; i < count; i++) {
            int32_t size = size_of(errors[i]);
            for (int j = 0; j < EDGES_AT_ONCE; j++)
                above[j] += size > edges[j];
        }
        for (int j = 0; j < EDGES_AT_ONCE && k + j < to; j++)
            sums->above[k + j] = above[j];
    }
}

INLINED void sum_up(const struct kernel_rules *rules, const int32_t *errors, size_t count,
                    struct kernel_sums *sums) {
    int32_t least = rules->least, most = rules->most, largest = -1;
    uint32_t sure = 0, wrong = 0;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t error = errors[i] == KERNEL_UNSURE ? 0 : errors[i];
        int32_t size = error < 0 ? -error : error;
        int32_t ranked = errors[i] == KERNEL_UNSURE ? -1 : size;
        sure += errors[i] != KERNEL_UNSURE;
        wrong += (error < least) | (error > most);
        largest = ranked > largest ? ranked : largest;
        total += (uint32_t)size;
    }
    sums->sure = sure;
    sums->wrong = wrong;
    sums->error = total;
    sums->largest = largest;
    memset(sums->above, 0, sizeof sums->above);
    count_above(rules, errors, count, 0, rules->near_edges, sums);
    if (largest > rules->edges[rules->near_edges - 1])
        count_above(rules, errors, count, rules->near_edges, rules->edge_count, sums);
    if (rules->never_exact)
        sums->above[0] = sure;
}

/* Turns the polynomial's values into those of a table less them. */
INLINED void subtract_from_table(const struct fit *fit, size_t at, size_t count, double *p) {
    for (size_t i = 0; i < count; i++) {
        uint32_t m = fit->significand + (uint32_t)(at + i);
        p[i] = fit->table[m & fit->table_mask] - p[i];
    }
}

INLINED void divide_by_distance(const struct fit *fit, size_t at, size_t count, double *p) {
    double spacing = fit->spacing;
    int32_t from_pole = fit->from_pole + (int32_t)at;
    for (size_t i = 0; i < count; i++)
        p[i] = p[i] / ((double)(from_pole + (int32_t)i) * spacing);
}

INLINED void find_values(const struct fit *fit, int log2_count, size_t at, size_t count,
                         double *p) {
    double t[KERNEL_CHUNK];
    int32_t half = (int32_t)1 << (log2_count - 1), start = (int32_t)at - half;
    double step = fit->direction / half;
    if (fit->turns.function != TURNS_NONE) {
        evaluate_turns(fit, at, count, p);
        return;
    }
    for (size_t i = 0; i < count; i++)
        t[i] = (double)(start + (int32_t)i) * step;
    evaluate_any(fit, t, count, p);
    if (fit->table)
        subtract_from_table(fit, at, count, p);
    else if (fit->quotient)
        divide_by_distance(fit, at, count, p);
}

void kernel_values(const struct fit *fit, int log2_count, size_t at, size_t count, double *p) {
    find_values(fit, log2_count, at, count, p);
}

FOR_EACH_CPU
void kernel_judge(const struct fit *fit, int log2_count, const struct kernel_rules *rules,
                  const void *got, size_t at, size_t count, int32_t *errors,
                  struct kernel_sums *sums) {
    double p[KERNEL_CHUNK], value[KERNEL_CHUNK];
    if (rules->bytes == 4)
        widen_4(got, count, value);
    else
        widen_2(rules, got, count, value);
    find_values(fit, log2_count, at, count, p);
    double margin = measure(fit, rules, p, value, count, errors);
    /* Rounded up, and one for the cut. */
    sums->margin = (int32_t)(margin * 0x1p29) + 2;
    if (may_touch_edge(errors, count, (uint32_t)sums->margin))
        doubt_edges(rules, errors, count, (uint32_t)sums->margin);
    sum_up(rules, errors, count, sums);
}

bool kernel_rules_for(const struct format *format, enum rounding rounding, const double *edges,
                      int edge_count, struct kernel_rules *rules) {
    const int32_t one = (int32_t)1 << KERNEL_UNITS_LOG2;
    if (format->width != 32 && format->width != 16)
        return false;
    *rules = (struct kernel_rules){.bytes = (int)format->width / 8,
                                   .precision = format->precision,
                                   .least_exponent = 1023 + format->emin,
                                   .surely_finite = (2 - power_of_two(2 - format->precision)) *
                                                    power_of_two(format->emax),
                                   .least = -one / 2,
                                   .most = one / 2,
                                   .toward_zero = rounding == ROUND_TOWARD_ZERO};
    if (rounding == ROUND_UP) {
        rules->least = 0;
        rules->most = one;
    } else if (rounding == ROUND_DOWN || rounding == ROUND_TOWARD_ZERO) {
        rules->least = -one;
        rules->most = 0;
    }
    int32_t largest = rules->least + rules->most ? one : one / 2;
    while (rules->edge_count < edge_count && edges[rules->edge_count] < LARGE_ERROR) {
        rules->edges[rules->edge_count] = (int32_t)(edges[rules->edge_count] * one);
        rules->near_edges += rules->edges[rules->edge_count] <= largest;
        rules->edge_count++;
    }
    return true;
}
