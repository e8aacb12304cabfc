/* The operations of IEEE P3109 4.0 that have no other row, and where it defines others otherwise.
 *
 * Its zero has no sign. So the operations here give +0 in every format. Booleans are 1 and 0. */
#include "op/function/p3109.h"

#include "base/bits.h"
#include "op/function/family.h"

bool p3109_recip(struct real *y, const struct real *x) {
    *y = real_nan();
    return x[0].kind == REAL_ZERO;
}

bool p3109_div(struct real *y, const struct real *x) {
    *y = real_nan();
    return x[1].kind == REAL_ZERO;
}

bool p3109_hypot(struct real *y, const struct real *x) {
    *y = real_nan();
    return x[0].kind == REAL_NAN || x[1].kind == REAL_NAN;
}

/* `opposite` is the angle of numbers to the left, below the axis too: beside minus infinity it is that of all. */
static bool special_angle(struct real *y, const struct real *x, struct real opposite) {
    const bool is_left = x[1].kind == REAL_INFINITE && x[1].negative;
    *y = real_nan();
    if ((x[0].kind == REAL_ZERO && x[1].kind == REAL_ZERO) ||
        (x[0].kind == REAL_INFINITE && x[1].kind == REAL_INFINITE))
        return true;
    if (x[0].kind == REAL_FINITE && is_left)
        *y = opposite;
    return x[0].kind == REAL_FINITE && is_left;
}

bool p3109_atan2(struct real *y, const struct real *x) {
    /* The first 128 bits of pi. */
    const struct real pi = {
        .kind = REAL_FINITE,
        .inexact = true,
        .exponent = 1,
        .significand = {UINT64_C(0xc90fdaa22168c234), UINT64_C(0xc4c6628b80dc1cd1)}};
    return special_angle(y, x, pi);
}

bool p3109_atan2pi(struct real *y, const struct real *x) {
    return special_angle(y, x, real_power_of_two(0));
}

/* An integer and a half: its last bit is worth 1/2. */
bool p3109_tanpi(struct real *y, const struct real *x) {
    const int32_t exponent = x[0].exponent;
    *y = real_nan();
    if (x[0].kind != REAL_FINITE || exponent < -1 || exponent > 126)
        return false;
    const struct wide behind = wide_shift_left(x[0].significand, (unsigned)(exponent + 1));
    return behind.high == UINT64_C(1) << 63 && behind.low == 0;
}

static struct real without_sign_of_zero(struct real y) {
    return y.kind == REAL_ZERO ? real_zero(false) : y;
}

static bool is_nan(const struct real *x) {
    return x->kind == REAL_NAN;
}

static bool is_below_zero(const struct real *x) {
    return !is_nan(x) && x->kind != REAL_ZERO && x->negative;
}

/* In value; no NaN. */
static bool is_less(const struct real *a, const struct real *b) {
    if (is_below_zero(a) != is_below_zero(b))
        return is_below_zero(a);
    return is_below_zero(a) ? real_is_smaller(b, a) : real_is_smaller(a, b);
}

static struct real truth(bool is_true) {
    return is_true ? real_power_of_two(0) : real_zero(false);
}

#define EXACT(NAME)                                                                                \
    static struct real NAME(const struct real *x, const struct exact_setting *setting)

EXACT(negate) {
    struct real y = x[0];
    (void)setting;
    y.negative = !y.negative;
    return without_sign_of_zero(y);
}

EXACT(magnitude) {
    struct real y = x[0];
    (void)setting;
    y.negative = false;
    return y;
}

EXACT(copy_sign) {
    struct real y = x[0];
    (void)setting;
    if (is_nan(&x[0]) || is_nan(&x[1]))
        return real_nan();
    y.negative = is_below_zero(&x[1]);
    return without_sign_of_zero(y);
}

/* Of a number and an infinity the number; else as minimumNumber and maximumNumber. */
static struct real extreme_finite(const struct real *x, bool greatest) {
    const bool first_is_none = x[0].kind > REAL_FINITE, second_is_none = x[1].kind > REAL_FINITE;
    bool first = is_less(&x[0], &x[1]) != greatest;
    if (is_nan(&x[0]) || is_nan(&x[1]))
        first = !is_nan(&x[0]);
    else if (first_is_none != second_is_none)
        first = second_is_none;
    return without_sign_of_zero(x[first ? 0 : 1]);
}

EXACT(minimum_finite) {
    (void)setting;
    return extreme_finite(x, false);
}

EXACT(maximum_finite) {
    (void)setting;
    return extreme_finite(x, true);
}

/* 4.11.4: bounds in the wrong order, and a bound that excludes every finite number, give NaN. */
EXACT(clamp) {
    const struct real *low = &x[1], *high = &x[2];
    (void)setting;
    if (is_nan(&x[0]) || is_nan(low) || is_nan(high) || is_less(high, low))
        return real_nan();
    const bool low_at_top = low->kind == REAL_INFINITE && !low->negative;
    const bool high_at_bottom = high->kind == REAL_INFINITE && high->negative;
    if (low_at_top != (high->kind == REAL_INFINITE && !high->negative) && low_at_top)
        return real_nan();
    if (high_at_bottom != (low->kind == REAL_INFINITE && low->negative) && high_at_bottom)
        return real_nan();
    const struct real *y = is_less(&x[0], low) ? low : is_less(high, &x[0]) ? high : &x[0];
    return without_sign_of_zero(*y);
}

enum { LESS = 1, EQUAL = 2, GREATER = 4 };

static struct real compare(const struct real *x, int relations) {
    if (is_nan(&x[0]) || is_nan(&x[1]))
        return truth(false);
    const int relation = is_less(&x[0], &x[1]) ? LESS : is_less(&x[1], &x[0]) ? GREATER : EQUAL;
    return truth(relation & relations);
}

#define COMPARISON(NAME, RELATIONS)                                                                \
    EXACT(NAME) {                                                                                  \
        (void)setting;                                                                             \
        return compare(x, RELATIONS);                                                              \
    }
COMPARISON(less, LESS)
COMPARISON(less_equal, LESS | EQUAL)
COMPARISON(equal, EQUAL)
COMPARISON(greater_equal, GREATER | EQUAL)
COMPARISON(greater, GREATER)

/* 4.12.1: NaN is below all. */
EXACT(total_order) {
    (void)setting;
    if (is_nan(&x[0]) || is_nan(&x[1]))
        return truth(is_nan(&x[0]));
    return compare(x, LESS | EQUAL);
}

/* In the order of table 2 of the report. */
enum operand_class {
    CLASS_OF_NAN,
    NEGATIVE_INFINITY,
    NEGATIVE_NORMAL,
    NEGATIVE_SUBNORMAL,
    ZERO,
    POSITIVE_SUBNORMAL,
    POSITIVE_NORMAL,
    POSITIVE_INFINITY
};

static enum operand_class class_of(const struct real *x, const struct format *format) {
    if (is_nan(x) || x->kind == REAL_ZERO)
        return is_nan(x) ? CLASS_OF_NAN : ZERO;
    if (x->kind == REAL_INFINITE)
        return x->negative ? NEGATIVE_INFINITY : POSITIVE_INFINITY;
    if (x->exponent < format->emin)
        return x->negative ? NEGATIVE_SUBNORMAL : POSITIVE_SUBNORMAL;
    return x->negative ? NEGATIVE_NORMAL : POSITIVE_NORMAL;
}

#define OF(CLASS) (1 << (CLASS))
enum {
    INFINITE = OF(NEGATIVE_INFINITY) | OF(POSITIVE_INFINITY),
    NORMAL = OF(NEGATIVE_NORMAL) | OF(POSITIVE_NORMAL),
    SUBNORMAL = OF(NEGATIVE_SUBNORMAL) | OF(POSITIVE_SUBNORMAL),
    BELOW_ZERO = OF(NEGATIVE_INFINITY) | OF(NEGATIVE_NORMAL) | OF(NEGATIVE_SUBNORMAL)
};

#define PREDICATE(NAME, CLASSES)                                                                   \
    EXACT(NAME) {                                                                                  \
        return truth((CLASSES) >> class_of(x, setting->format) & 1);                               \
    }
PREDICATE(is_zero, OF(ZERO))
PREDICATE(is_not_a_number, OF(CLASS_OF_NAN))
PREDICATE(is_infinite, INFINITE)
PREDICATE(is_finite, NORMAL | SUBNORMAL | OF(ZERO))
PREDICATE(is_sign_minus, BELOW_ZERO)
PREDICATE(is_normal, NORMAL)
PREDICATE(is_subnormal, SUBNORMAL)

EXACT(is_one) {
    const struct real one = real_power_of_two(0);
    (void)setting;
    return truth(x->kind == REAL_FINITE && !x->negative && !real_is_smaller(x, &one) &&
                 !real_is_smaller(&one, x));
}

EXACT(number_of_class) {
    return real_from_double(class_of(x, setting->format));
}

static int add_three(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr c, mpfr_rnd_t rounding) {
    /* mpfr_sum reads them. */
    mpfr_t copies[3];
    mpfr_ptr terms[3];
    mpfr_srcptr given[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        mpfr_init2(copies[i], mpfr_get_prec(given[i]));
        mpfr_set(copies[i], given[i], MPFR_RNDN);
        terms[i] = copies[i];
    }
    const int ternary = mpfr_sum(y, terms, 3, rounding);
    for (int i = 0; i < 3; i++)
        mpfr_clear(copies[i]);
    return ternary;
}

int p3109_element_of_block(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr s, mpfr_rnd_t rounding) {
    if (mpfr_nan_p(x) || mpfr_regular_p(s) || mpfr_nan_p(s))
        return mpfr_div(y, x, s, rounding);
    return mpfr_set_si(y, mpfr_zero_p(s) ? 0 : mpfr_sgn(x) * mpfr_sgn(s), rounding);
}

#define ROW(NAME, OPERANDS, PARITY, FORMULA, HOW, KNOWN)                                           \
    {                                                                                              \
        .name = "p3109." NAME, .formula = FORMULA, .operands = OPERANDS, .results = 1,             \
        .group = "p3109", .format = "binary8p4se", .exceptions = EXCEPTIONS_OF_QUIET,              \
        .result =                                                                                  \
            {{.HOW, .parity = PARITY_##PARITY, .takes_signalling = true, .known_values = KNOWN}},  \
        .landmarks = "1"                                                                           \
    }
/* The result is a small integer. */
#define TRUTH(NAME, OPERANDS, PARITY, FORMULA, FUNCTION, KNOWN)                                    \
    {                                                                                              \
        .name = "p3109." NAME, .formula = FORMULA, .operands = OPERANDS, .results = 1,             \
        .group = "p3109", .format = "binary8p4se", .exceptions = EXCEPTIONS_OF_QUIET,              \
        .parameters = PARAMETER_BIT(TO), .defaults = {{PARAMETER_TO, "uint8"}},                    \
        .result = {{.exact = FUNCTION,                                                             \
                    .parity = PARITY_##PARITY,                                                     \
                    .takes_signalling = true,                                                      \
                    .known_values = KNOWN}},                                                       \
        .landmarks = "1"                                                                           \
    }

static const struct operation rows[] = {
    ROW("negate", 1, NONE, "-x", exact = negate, "1=-1 -inf=inf nan=nan 0=0"),
    ROW("abs", 1, EVEN, "|x|", exact = magnitude, "-1=1 -inf=inf nan=nan 0=0"),
    ROW("copysign", 2, NONE, "|x| with the sign of y; that of 0 is plus", exact = copy_sign,
        "1,-1=-1 -1,0=1 inf,-1=-inf 1,nan=nan nan,1=nan 0,-1=0"),
    ROW("faa", 3, NONE, "x + y + z", mpfr3 = add_three,
        "1,2,3=6 inf,-inf,1=nan 1,inf,inf=inf nan,1,1=nan 1,1,-2=0"),
    ROW("minimum_finite", 2, NONE, "the lesser of x and y; if only one is a number, that one",
        exact = minimum_finite, "1,2=1 -inf,3=3 3,inf=3 -inf,inf=-inf nan,-inf=-inf nan,nan=nan"),
    ROW("maximum_finite", 2, NONE, "the greater of x and y; if only one is a number, that one",
        exact = maximum_finite, "1,2=2 -inf,3=3 3,inf=3 -inf,inf=inf nan,-inf=-inf nan,nan=nan"),
    ROW("clamp", 3, NONE, "x, or the nearer of the bounds y and z", exact = clamp,
        "1,2,3=2 4,2,3=3 2.5,2,3=2.5 1,3,2=nan inf,1,inf=inf 1,inf,inf=inf 1,-inf,-inf=-inf "
        "1,nan,2=nan"),
    ROW("to_block", 2, NONE, "x / y as an element of a block of scale y",
        mpfr2 = p3109_element_of_block,
        "1,2=0.5 -1,0=0 inf,0=0 nan,0=nan 3,inf=1 -inf,inf=-1 0,inf=0 -inf,2=-inf 1,nan=nan"),
    TRUTH("compare_less", 2, NONE, "1 if x < y, else 0", less,
          "1,2=1 2,1=0 1,1=0 nan,1=0 -inf,inf=1"),
    TRUTH("compare_less_equal", 2, NONE, "1 if x <= y, else 0", less_equal,
          "1,2=1 2,1=0 1,1=1 nan,nan=0"),
    TRUTH("compare_equal", 2, NONE, "1 if x = y, else 0", equal, "1,2=0 1,1=1 nan,nan=0 inf,inf=1"),
    TRUTH("compare_greater_equal", 2, NONE, "1 if x >= y, else 0", greater_equal,
          "1,2=0 2,1=1 1,1=1 nan,1=0"),
    TRUTH("compare_greater", 2, NONE, "1 if x > y, else 0", greater, "1,2=0 2,1=1 1,1=0 1,nan=0"),
    TRUTH("total_order", 2, NONE, "1 if x <= y or x is NaN, else 0", total_order,
          "1,2=1 2,1=0 nan,1=1 nan,nan=1 1,nan=0"),
    TRUTH("is_zero", 1, EVEN, "1 if x is 0, else 0", is_zero, "0=1 1=0 nan=0"),
    TRUTH("is_one", 1, NONE, "1 if x is 1, else 0", is_one, "1=1 -1=0 0=0 nan=0 inf=0"),
    TRUTH("is_nan", 1, EVEN, "1 if x is NaN, else 0", is_not_a_number, "nan=1 1=0 inf=0"),
    TRUTH("is_infinite", 1, EVEN, "1 if x is infinite, else 0", is_infinite,
          "inf=1 -inf=1 nan=0 1=0"),
    TRUTH("is_finite", 1, EVEN, "1 if x is a finite number, else 0", is_finite,
          "1=1 0=1 nan=0 inf=0"),
    TRUTH("is_sign_minus", 1, NONE, "1 if x < 0, else 0", is_sign_minus,
          "-1=1 1=0 0=0 -inf=1 nan=0"),
    TRUTH("is_normal", 1, EVEN, "1 if x is a normal number, else 0", is_normal,
          "1=1 0=0 inf=0 nan=0"),
    TRUTH("is_subnormal", 1, EVEN, "1 if x is a subnormal number, else 0", is_subnormal,
          "1=0 0=0 nan=0"),
    TRUTH("class", 1, NONE, "the class of x, from 0 to 7", number_of_class,
          "nan=0 -inf=1 -1=2 0=4 1=6 inf=7"),
};
OPERATION_FAMILY(p3109, rows);
