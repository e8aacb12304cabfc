/* The cheap values of a FIT block, by each of the eight forms that a fit has (fit.h).
 *
 * This is a part of decide.c: it is compiled along with the loops there, once for each kind of
 * processor (base/vector.h). Each loop runs over a strip of inputs without branches, so that it
 * becomes vector code. */
#ifndef DETCHECK_ORACLE_FAST_EVALUATE_H
#define DETCHECK_ORACLE_FAST_EVALUATE_H

#include "oracle/fast/decide.h"
#include "oracle/fast/doubles.h"
#include "oracle/fast/evaluate_arithmetic.h"
#include "oracle/fast/evaluate_cotangent.h"
#include "oracle/fast/evaluate_hankel.h"
#include "oracle/fast/evaluate_rotation.h"

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
 * the rest s: see argument_reduction.h. */
INLINED void reduce(const struct argument_reduction *reduction, size_t at, size_t count,
                    uint64_t quarters, int parts, uint64_t *part, double *rest) {
    uint32_t c0 = reduction->constant[0], c1 = reduction->constant[1];
    uint32_t c2 = reduction->constant[2], c3 = reduction->constant[3];
    uint32_t first = reduction->first + (uint32_t)at;
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
INLINED void evaluate_sine(const struct argument_reduction *reduction, size_t at, size_t count,
                           double *p) {
    uint64_t half[DECISION_STRIP];
    double rest[DECISION_STRIP];
    bool cosine_wanted = reduction->function == REDUCTION_COS;
    uint64_t odd_sign = !cosine_wanted && reduction->sign < 0 ? SIGN_BIT : 0;
    reduce(reduction, at, count, cosine_wanted, 1, half, rest);
    for (size_t i = 0; i < count; i++) {
        double t = rest[i] * 0x1.921fb54442d18p+2, s = sine_of(t, t * t, WIDE_SINE_TERMS);
        p[i] = from_bits(bits_of(s) ^ (half[i] << 63) ^ odd_sign);
    }
}

/* tan, by quarters of a turn. */
INLINED void evaluate_tan(const struct argument_reduction *reduction, size_t at, size_t count,
                          double *p) {
    uint64_t quarter[DECISION_STRIP];
    double rest[DECISION_STRIP];
    reduce(reduction, at, count, 0, 2, quarter, rest);
    for (size_t i = 0; i < count; i++) {
        double t = rest[i] * 0x1.921fb54442d18p+2, u = t * t, c = cosine[COSINE_TERMS - 1];
        for (int j = COSINE_TERMS - 2; j >= 0; j--)
            c = c * u + cosine[j];
        double s = sine_of(t, u, SINE_TERMS);
        c = 1 + u * c;
        double up = quarter[i] & 1 ? c : s, down = quarter[i] & 1 ? -s : c;
        p[i] = reduction->sign * (up / down);
    }
}

INLINED void evaluate_reduced(const struct argument_reduction *reduction, size_t at, size_t count,
                              double *p) {
    if (reduction->function == REDUCTION_TAN)
        evaluate_tan(reduction, at, count, p);
    else
        evaluate_sine(reduction, at, count, p);
}

/* The polynomial's values, where there is one. */
INLINED void evaluate_polynomial(const struct polynomial *polynomial, int log2_count, size_t at,
                                 size_t count, double *p) {
    double t[DECISION_STRIP];
    int32_t half = (int32_t)1 << (log2_count - 1), start = (int32_t)at - half;
    double step = polynomial->direction / half;
    const double *a = polynomial->coefficients;
    if (polynomial->terms == 0)
        return;
    for (int32_t i = 0; i < (int32_t)count; i++)
        t[i] = (double)(start + i) * step;
    switch (polynomial->terms) {
    case 2:
    case 3:
        evaluate(a, 3, t, count, p);
        return;
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

/* Turns the polynomial's values into those of a table less them. */
INLINED void subtract_from_table(const struct table_entries *table, size_t at, size_t count,
                                 double *p) {
    for (size_t i = 0; i < count; i++)
        p[i] = table->entries[table_index(table, (uint32_t)(at + i))] - p[i];
}

INLINED void divide_by_distance(const struct pole_distance *distance, size_t at, size_t count,
                                double *p) {
    double spacing = distance->spacing;
    int32_t from_pole = distance->from_pole + (int32_t)at;
    for (size_t i = 0; i < count; i++)
        p[i] = p[i] / ((double)(from_pole + (int32_t)i) * spacing);
}

/* In fp64: A + r in two parts (fit.h). */
INLINED void add_base(const struct polynomial *polynomial, size_t count, double *p, double *tail) {
    double base = polynomial->base;
    for (size_t i = 0; i < count; i++) {
        double sum = base + p[i];
        tail[i] = p[i] - (sum - base);
        p[i] = sum;
    }
}

/* In fp64 p and tail together are the values. */
INLINED void find_wide_values(const struct fit *fit, int log2_count, size_t at, size_t count,
                              double *p, double *tail) {
    if (fit->form == FIT_ROTATION) {
        evaluate_rotation(&fit->rotation, at, count, p, tail);
        return;
    }
    if (fit->form == FIT_HANKEL) {
        evaluate_hankel(&fit->hankel, &fit->rotation, log2_count, at, count, p, tail);
        return;
    }
    if (fit->form == FIT_ARITHMETIC) {
        evaluate_wide_arithmetic(&fit->arithmetic, at, count, p, tail);
        return;
    }
    evaluate_polynomial(&fit->polynomial, log2_count, at, count, p);
    if (fit->form == FIT_COTANGENT) {
        add_cotangents(&fit->rotation, fit->polynomial.base, at, count, p, tail);
        return;
    }
    if (fit->form == FIT_TABLE)
        subtract_from_table(&fit->table, at, count, p);
    add_base(&fit->polynomial, count, p, tail);
}

INLINED void find_values(const struct fit *fit, int log2_count, size_t at, size_t count,
                         double *p) {
    double tail[DECISION_STRIP];
    evaluate_polynomial(&fit->polynomial, log2_count, at, count, p);
    switch (fit->form) {
    case FIT_POLYNOMIAL:
    case FIT_ROTATION: /* of fp64 only */
        return;
    case FIT_COTANGENT:
        add_cotangents(&fit->rotation, 0, at, count, p, tail);
        return;
    case FIT_TABLE:
        subtract_from_table(&fit->table, at, count, p);
        return;
    case FIT_QUOTIENT:
        divide_by_distance(&fit->distance, at, count, p);
        return;
    case FIT_REDUCTION:
        evaluate_reduced(&fit->reduction, at, count, p);
        return;
    case FIT_HANKEL:
        evaluate_hankel(&fit->hankel, &fit->rotation, log2_count, at, count, p, tail);
        return;
    case FIT_ARITHMETIC:
        evaluate_arithmetic(&fit->arithmetic, at, count, p);
        return;
    }
}

#endif
