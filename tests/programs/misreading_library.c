/* Functions with the signature of strtod, or of strtof, that read wrongly, each in one way that explain has to name.
 *
 * They are made of glibc's strtod and strtold, which round correctly in each rounding mode, and of the arithmetic of C. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ(NAME) double misread_##NAME(const char *text, char **end)

/* ---- Roundings ---- */

static double read_in(int mode, const char *text, char **end) {
    const int before = fegetround();
    fesetround(mode);
    const volatile double y = strtod(text, end);
    fesetround(before);
    return y;
}

static long double read_long_in(int mode, const char *text) {
    const int before = fegetround();
    fesetround(mode);
    const volatile long double y = strtold(text, NULL);
    fesetround(before);
    return y;
}

READ(toward_zero) {
    return read_in(FE_TOWARDZERO, text, end);
}
READ(up) {
    return read_in(FE_UPWARD, text, end);
}
READ(down) {
    return read_in(FE_DOWNWARD, text, end);
}
READ(away_from_zero) {
    return read_in(signbit(strtod(text, NULL)) ? FE_DOWNWARD : FE_UPWARD, text, end);
}

/* Whether the text says just the middle of two numbers. */
static bool is_tie(const char *text, double inner, double outer) {
    const long double next = isfinite(outer) ? (long double)outer : copysignl(0x1p1024L, inner);
    const long double middle = ((long double)inner + next) / 2;
    return inner != outer && read_long_in(FE_DOWNWARD, text) == middle &&
           read_long_in(FE_UPWARD, text) == middle;
}

static double read_ties(const char *text, char **end, bool away) {
    const double y = strtod(text, end), inner = read_in(FE_TOWARDZERO, text, NULL),
                 outer = nextafter(inner, signbit(y) ? -INFINITY : INFINITY);
    return !is_tie(text, inner, outer) ? y : away ? outer : inner;
}
READ(ties_away) {
    return read_ties(text, end, true);
}
READ(ties_to_zero) {
    return read_ties(text, end, false);
}

READ(by_x87) {
    return (double)strtold(text, end);
}
float misread_by_fp64(const char *text, char **end) {
    return (float)strtod(text, end);
}
float misread_by_x87_to_fp32(const char *text, char **end) {
    return (float)strtold(text, end);
}
READ(by_fp32) {
    return (double)strtof(text, end);
}

/* To 53 bits as if there were no subnormal numbers. The last of x87's bits is set where more follow. */
READ(by_own_bits) {
    const double y = strtod(text, end);
    long double more = read_long_in(FE_TOWARDZERO, text);
    int exponent;
    if (fabs(y) >= DBL_MIN * 2 || y != y)
        return y;
    more = frexpl(more, &exponent);
    const bool inexact = read_long_in(FE_DOWNWARD, text) != read_long_in(FE_UPWARD, text);
    const long double whole = ldexpl(more, 64);
    more = inexact && fmodl(whole, 2) == 0 ? whole + (whole < 0 ? -1 : 1) : whole;
    return (double)ldexpl(rintl(ldexpl(more, -11)), exponent - 53);
}

/* ---- Digits ---- */

static bool is_decimal(const char *text) {
    text += strspn(text, " \t\n\v\f\r");
    text += *text == '-' || *text == '+';
    return strchr("0123456789.", *text) && !(text[0] == '0' && (text[1] | 32) == 'x');
}

static double read_first(const char *text, char **end, int most) {
    const double y = strtod(text, end);
    char *first = malloc(strlen(text) + 1);
    int digits = 0;
    if (first)
        strcpy(first, text);
    for (char *at = first; first && is_decimal(text) && *at && (*at | 32) != 'e'; at++)
        if (*at >= '0' && *at <= '9' && (digits || *at != '0') && digits++ >= most)
            *at = '0';
    const double cut = first ? strtod(first, NULL) : y;
    free(first);
    return cut;
}
#define FIRST(N)                                                                                   \
    READ(first_##N) {                                                                              \
        return read_first(text, end, N);                                                           \
    }
FIRST(15)
FIRST(16)
FIRST(17)
FIRST(18)
FIRST(19)
FIRST(20)
FIRST(30)
FIRST(32)
FIRST(36)
FIRST(40)
FIRST(64)
FIRST(100)
FIRST(767)
FIRST(768)

/* ---- Scaled by a power of ten: in double, and in long double, which is x87's ---- */

struct digits {
    const char *at, *end;
    bool negative;
    uint64_t first; /* 19 of them */
    long exponent, exponent_of_first;
};

static long within(long exponent) {
    return exponent > 99999 ? 99999 : exponent < -99999 ? -99999 : exponent;
}

/* False for what is no decimal number. */
static bool take(struct digits *digits, const char *text, char **end) {
    char *behind = NULL;
    strtod(text, &behind);
    if (end)
        *end = behind;
    *digits = (struct digits){.at = text + strspn(text, " \t\n\v\f\r")};
    if (behind == text || !is_decimal(text))
        return false;
    digits->negative = *digits->at == '-';
    digits->at += *digits->at == '-' || *digits->at == '+';
    int count = 0;
    long left_out = 0;
    bool point = false;
    const char *at = digits->at;
    for (; at < behind && (*at | 32) != 'e'; at++) {
        point = point || *at == '.';
        if (*at == '.')
            continue;
        digits->exponent -= point;
        if (count < 19)
            digits->first = 10 * digits->first + (uint64_t)(*at - '0');
        else
            left_out++;
        count += count || *at != '0';
    }
    digits->end = at;
    if (at < behind)
        digits->exponent += within(strtol(at + 1, NULL, 10));

    digits->exponent_of_first = digits->exponent + left_out;
    return true;
}

#define SCALING(TYPE, NAME, POWER)                                                                 \
    static TYPE NAME##_all(const struct digits *digits) {                                          \
        volatile TYPE v = 0;                                                                       \
        for (const char *at = digits->at; at < digits->end; at++) {                                \
            if (*at == '.')                                                                        \
                continue;                                                                          \
            v = v * 10;                                                                            \
            v = v + (TYPE)(*at - '0');                                                             \
        }                                                                                          \
        return v;                                                                                  \
    }                                                                                              \
    static TYPE NAME##_nearest(long n) {                                                           \
        char power[32];                                                                            \
        snprintf(power, sizeof power, "1e%ld", n);                                                 \
        return POWER(power, NULL);                                                                 \
    }                                                                                              \
    static TYPE NAME##_power(TYPE v, long n) {                                                     \
        return n < 0 ? v / NAME##_nearest(-n) : v * NAME##_nearest(n);                             \
    }                                                                                              \
    static TYPE NAME##_reciprocal(TYPE v, long n) {                                                \
        return v * NAME##_nearest(n);                                                              \
    }                                                                                              \
    static TYPE NAME##_squares(TYPE v, long n) {                                                   \
        volatile TYPE power = 1, square = 10;                                                      \
        for (unsigned long rest = (unsigned long)labs(n); rest; rest >>= 1) {                      \
            if (rest & 1)                                                                          \
                power = power * square;                                                            \
            square = square * square;                                                              \
        }                                                                                          \
        return n < 0 ? v / power : v * power;                                                      \
    }                                                                                              \
    static TYPE NAME##_steps(TYPE start, long n) {                                                 \
        volatile TYPE v = start;                                                                   \
        for (; n < 0 && v != 0; n++)                                                               \
            v = v / 10;                                                                            \
        for (; n > 0 && v != 0 && v <= LDBL_MAX; n--)                                              \
            v = v * 10;                                                                            \
        return v;                                                                                  \
    }                                                                                              \
    static TYPE NAME##_tenths(TYPE start, long n) {                                                \
        volatile TYPE v = start;                                                                   \
        const volatile TYPE tenth = (TYPE)1 / 10;                                                  \
        for (; n < 0 && v != 0; n++)                                                               \
            v = v * tenth;                                                                         \
        for (; n > 0 && v != 0 && v <= LDBL_MAX; n--)                                              \
            v = v * 10;                                                                            \
        return v;                                                                                  \
    }
SCALING(double, wide, strtod)
SCALING(long double, x87, strtold)

#define SCALED(NAME, TYPE, MACHINE, WAY)                                                           \
    READ(NAME##_##WAY) {                                                                           \
        struct digits digits;                                                                      \
        if (!take(&digits, text, end))                                                             \
            return strtod(text, NULL);                                                             \
        const double y = (double)MACHINE##_##WAY(MACHINE##_all(&digits), digits.exponent);         \
        return digits.negative ? -y : y;                                                           \
    }                                                                                              \
    READ(first_##NAME##_##WAY) {                                                                   \
        struct digits digits;                                                                      \
        if (!take(&digits, text, end))                                                             \
            return strtod(text, NULL);                                                             \
        const double y = (double)MACHINE##_##WAY((TYPE)digits.first, digits.exponent_of_first);    \
        return digits.negative ? -y : y;                                                           \
    }
#define SCALED_WAYS(NAME, TYPE, MACHINE)                                                           \
    SCALED(NAME, TYPE, MACHINE, power)                                                             \
    SCALED(NAME, TYPE, MACHINE, squares)                                                           \
    SCALED(NAME, TYPE, MACHINE, steps)                                                             \
    SCALED(NAME, TYPE, MACHINE, tenths)                                                            \
    SCALED(NAME, TYPE, MACHINE, reciprocal)
SCALED_WAYS(fp64, double, wide)
SCALED_WAYS(x87, long double, x87)

/* ---- One kind of text ---- */

static bool says_word(const char *text) {
    return strpbrk(text, "nN") != NULL && !is_decimal(text);
}
READ(flushing) {
    const double y = strtod(text, end);
    return fabs(y) < DBL_MIN ? copysign(0, y) : y;
}
READ(saturating) {
    const double y = strtod(text, end);
    return isinf(y) && !says_word(text) ? copysign(DBL_MAX, y) : y;
}
READ(without_minus_zero) {
    const double y = strtod(text, end);
    return y == 0 ? 0 : y;
}
READ(without_hexadecimal) {
    const double y = strtod(text, end);
    return is_decimal(text) || says_word(text) ? y : copysign(0, y);
}
READ(without_infinity) {
    const double y = strtod(text, end);
    return isinf(y) && says_word(text) ? 0 : y;
}
READ(without_nan) {
    const double y = strtod(text, end);
    return isnan(y) ? 0 : y;
}
READ(first_17_flushing) {
    const double y = read_first(text, end, 17);
    return fabs(strtod(text, NULL)) < DBL_MIN ? copysign(0, y) : y;
}
