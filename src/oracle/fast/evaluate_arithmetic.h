/* The loops of arithmetic.h, which has the reasons. A part of decide.c. */
#ifndef DETCHECK_ORACLE_FAST_EVALUATE_ARITHMETIC_H
#define DETCHECK_ORACLE_FAST_EVALUATE_ARITHMETIC_H

#include "base/fault.h"
#include "oracle/fast/decide.h"
#include "oracle/fast/doubles.h"

enum { DIVISION_BASE_LOG2 = 40, QUOTIENT_HEAD_BITS = 26 };

/* `value` where the rest of the exact result, beyond it, is 0; else the one with an odd last bit of
 * it and its neighbour on the side of the rest. `inward`: the rest has the other sign, bit 63. */
INLINED double to_odd(double value, double rest, uint64_t inward) {
    uint64_t bits = bits_of(value), even = ~bits & 1;
    uint64_t odd = bits + even - 2 * (even & inward >> 63);
    bool inexact = (rest < 0) | (rest > 0);
    return from_bits((inexact & !FAULT(arithmetic_not_to_odd)) ? odd : bits);
}

INLINED double add_to_odd(double a, double b) {
    double sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
    return to_odd(sum, rest, bits_of(sum) ^ bits_of(rest));
}

INLINED double divide_to_odd(double a, double b) {
    double quotient = a / b;
    uint64_t tail = ((uint64_t)1 << (53 - QUOTIENT_HEAD_BITS)) - 1;
    double high = from_bits(bits_of(quotient) & ~tail), low = quotient - high;
    double rest = (a - high * b) - low * b;
    return to_odd(quotient, rest, bits_of(quotient) ^ bits_of(rest) ^ bits_of(b));
}

/* 0 <= a < 2^51 rounded to an integer, ties to even. */
INLINED double nearest_integer(double a) {
    return (a + 0x1p52) - 0x1p52;
}

/* How often the base goes into the quotients: z is smallest at the beginning of a strip. */
INLINED int division_steps(double fixed, const double *z, size_t count) {
    double least = z[0] < 0 || z[0] > 0 || count == 1 ? z[0] : z[1];
    int above = (int)(bits_of(fixed) >> 52 & 0x7ff) - (int)(bits_of(least) >> 52 & 0x7ff) + 1;
    return above > 0 ? (above + DIVISION_BASE_LOG2 - 1) / DIVISION_BASE_LOG2 : 1;
}

/* fmod of the magnitudes, and the last digit of the quotients. */
INLINED void divide_long(double fixed, const double *z, size_t count, double *rest, double *digit) {
    for (size_t i = 0; i < count; i++)
        rest[i] = size_of_double(fixed);
    for (int step = division_steps(fixed, z, count) - 1; step >= 0; step--) {
        double scale = power_of_two(DIVISION_BASE_LOG2 * step);
        for (size_t i = 0; i < count; i++) {
            double divisor = size_of_double(z[i]) * scale, quotient = rest[i] / divisor;
            double integer = nearest_integer(quotient);
            integer -= integer > quotient ? 1 : 0;
            rest[i] -= integer * divisor;
            digit[i] = integer;
        }
    }
}

INLINED void evaluate_fmod(double fixed, const double *z, size_t count, double *p) {
    double digit[DECISION_STRIP];
    uint64_t sign = bits_of(fixed) & SIGN_BIT;
    divide_long(fixed, z, count, p, digit);
    for (size_t i = 0; i < count; i++)
        p[i] = from_bits(bits_of(p[i]) ^ sign);
}

INLINED void evaluate_remainder(double fixed, const double *z, size_t count, double *p) {
    double digit[DECISION_STRIP];
    uint64_t sign = bits_of(fixed) & SIGN_BIT;
    divide_long(fixed, z, count, p, digit);
    for (size_t i = 0; i < count; i++) {
        double divisor = size_of_double(z[i]), twice = 2 * p[i], half = digit[i] / 2;
        double whole = nearest_integer(half);
        bool odd = (whole < half) | (whole > half);
        bool above = (twice > divisor) | ((twice >= divisor) & odd);
        p[i] = from_bits(bits_of(p[i] - (above ? divisor : 0)) ^ sign);
    }
}

INLINED void evaluate_sum(double fixed, double sign, const double *z, size_t count, double *p) {
    for (size_t i = 0; i < count; i++)
        p[i] = add_to_odd(fixed, sign * z[i]);
}

INLINED void evaluate_dim(double fixed, const double *z, size_t count, double *p) {
    for (size_t i = 0; i < count; i++) {
        double difference = add_to_odd(fixed, -z[i]);
        p[i] = difference > 0 ? difference : 0;
    }
}

INLINED void evaluate_product(double fixed, const double *z, size_t count, double *p) {
    for (size_t i = 0; i < count; i++)
        p[i] = fixed * z[i];
}

INLINED void evaluate_quotient(double fixed, const double *z, size_t count, double *p) {
    for (size_t i = 0; i < count; i++)
        p[i] = divide_to_odd(fixed, z[i]);
}

/* The second operands of inputs number `at` and on. */
INLINED void second_operands(const struct arithmetic *arithmetic, size_t at, size_t count,
                             double *z) {
    uint16_t codes[DECISION_STRIP];
    for (size_t i = 0; i < count; i++)
        codes[i] = (uint16_t)(arithmetic->first + at + i);
    widen_2(arithmetic->precision, arithmetic->least_exponent, codes, count, z);
}

INLINED void evaluate_arithmetic(const struct arithmetic *arithmetic, size_t at, size_t count,
                                 double *p) {
    double z[DECISION_STRIP], x = arithmetic->fixed;
    second_operands(arithmetic, at, count, z);
    switch (arithmetic->function) {
    case ARITHMETIC_ADD:
    case ARITHMETIC_FMA:
        evaluate_sum(x, 1, z, count, p);
        return;
    case ARITHMETIC_SUB:
        evaluate_sum(x, -1, z, count, p);
        return;
    case ARITHMETIC_MUL:
        evaluate_product(x, z, count, p);
        return;
    case ARITHMETIC_DIV:
        evaluate_quotient(x, z, count, p);
        return;
    case ARITHMETIC_FMOD:
        evaluate_fmod(x, z, count, p);
        return;
    case ARITHMETIC_REMAINDER:
        evaluate_remainder(x, z, count, p);
        return;
    case ARITHMETIC_DIM:
        evaluate_dim(x, z, count, p);
        return;
    case ARITHMETIC_NONE:
        return;
    }
}

/* Sums, differences and fdim in fp64: RN(x + z), and what it lacks, by Knuth's sum. */
INLINED void evaluate_wide_arithmetic(const struct arithmetic *arithmetic, size_t at, size_t count,
                                      double *p, double *tail) {
    double x = arithmetic->fixed;
    bool is_dim = arithmetic->function == ARITHMETIC_DIM;
    uint64_t first = arithmetic->first + at;
    uint64_t flip = arithmetic->function == ARITHMETIC_ADD ? 0 : SIGN_BIT;
    for (size_t i = 0; i < count; i++) {
        double z = from_bits((first + i) ^ flip), sum = x + z, part = sum - x;
        double rest = (x - (sum - part)) + (z - part);
        bool vanishes = is_dim & !(sum > 0);
        p[i] = vanishes ? 0 : sum;
        tail[i] = vanishes ? 0 : rest;
    }
}

#endif
