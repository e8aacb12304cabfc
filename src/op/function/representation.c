/* The parts of a number as it is written (logb, frexp, modf), its scale (scalbn) and its neighbours
 * (nextafter): and remquo, whose quotient is an integer. Functions of one operand first. What becomes
 * of integers is said in op/operation.h, enum c_signature. */
#include "op/function/family.h"

#include "op/function/integer.h"

#include <limits.h>

static struct real exact_logb(const struct real *x, const struct exact_setting *setting) {
    (void)setting;
    if (x->kind == REAL_FINITE)
        return real_from_double(x->exponent);
    if (x->kind == REAL_NAN)
        return real_nan();
    return real_infinity(x->kind == REAL_ZERO);
}

static struct real exact_fraction(const struct real *x, const struct exact_setting *setting) {
    (void)setting;
    struct real y = *x;
    if (y.kind == REAL_FINITE)
        y.exponent = -1;
    return y;
}

static struct real exact_exponent(const struct real *x, const struct exact_setting *setting) {
    (void)setting;
    if (x->kind == REAL_FINITE)
        return real_from_double(x->exponent + 1);
    return x->kind == REAL_ZERO ? real_zero(false) : real_nan();
}

static struct real exact_integer_part(const struct real *x, const struct exact_setting *setting) {
    (void)setting;
    return round_to_integer(x, ROUND_TOWARD_ZERO);
}

static struct real exact_fractional_part(const struct real *x,
                                         const struct exact_setting *setting) {
    (void)setting;
    struct real y = *x;
    if (x->kind == REAL_INFINITE)
        return real_zero(x->negative);
    if (x->kind != REAL_FINITE || x->exponent < 0)
        return y;
    y.significand.high = x->exponent >= 63 ? 0 : x->significand.high << (x->exponent + 1);
    if (!y.significand.high)
        return real_zero(x->negative);
    unsigned zeros = leading_zeros(y.significand.high);
    y.significand.high <<= zeros;
    y.exponent = -1 - (int)zeros;
    return y;
}

static struct real neighbour(const struct real *x, const struct format *format, bool up) {
    uint64_t code = format_encode(format, x, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    const uint64_t next = up ? format_next_up(format, code) : format_next_down(format, code);
    if (format->is_p3109 && next == code) /* at the end of the numbers: its report, 4.16 */
        return real_nan();
    code = next;
    struct real y = format_decode(format, code);
    if (y.kind == REAL_ZERO)
        y.negative = x->negative;
    return y;
}

static struct real exact_nextup(const struct real *x, const struct exact_setting *setting) {
    return neighbour(x, setting->format, true);
}

static struct real exact_nextdown(const struct real *x, const struct exact_setting *setting) {
    return neighbour(x, setting->format, false);
}

static struct real exact_nextafter(const struct real *x, const struct exact_setting *setting) {
    if (x[0].kind == REAL_NAN || x[1].kind == REAL_NAN)
        return real_nan();
    bool below = real_is_smaller(&x[0], &x[1]), above = real_is_smaller(&x[1], &x[0]);
    bool zeros = x[0].kind == REAL_ZERO && x[1].kind == REAL_ZERO;
    if (zeros || (!below && !above && x[0].negative == x[1].negative))
        return x[1];
    bool up = x[0].negative == x[1].negative ? below != x[0].negative : x[0].negative;
    /* A zero's sign says nothing of its place. */
    if (x[0].kind == REAL_ZERO)
        up = !x[1].negative;
    if (x[1].kind == REAL_ZERO)
        up = x[0].negative;
    return neighbour(&x[0], setting->format, up);
}

static struct code_pattern pattern_logb(const uint64_t *codes,
                                        const struct exact_setting *setting) {
    struct real x = format_decode(setting->format, *codes), y = exact_logb(&x, setting);
    return pattern_of_constant(setting->format, &y, last_of_binade(setting->format, *codes));
}

static struct code_pattern pattern_exponent(const uint64_t *codes,
                                            const struct exact_setting *setting) {
    struct real x = format_decode(setting->format, *codes), y = exact_exponent(&x, setting);
    return pattern_of_constant(setting->format, &y, last_of_binade(setting->format, *codes));
}

/* A subnormal number's first bit moves to where the hidden one of a normal number counts 1 to the
 * exponent. */
static struct code_pattern pattern_fraction_of_exponent(const uint64_t *codes,
                                                        const struct exact_setting *setting) {
    const struct format *format = setting->format;
    struct real x = format_decode(format, *codes);
    unsigned places = (unsigned)format->precision - 1;
    struct code_pattern pattern = pattern_of_line(0, last_of_binade(format, *codes));
    if (x.kind == REAL_ZERO)
        return pattern;
    int64_t biased = -1 - format->emin + 1;
    if (x.exponent >= format->emin) {
        pattern.offset = (uint64_t)(-1 - x.exponent) << places;
        return pattern;
    }
    pattern.keep = format->sign_bit - 1;
    pattern.shift = (unsigned)(format->emin - x.exponent);
    pattern.offset = (x.negative ? format->sign_bit : 0) + ((uint64_t)(biased - 1) << places);
    return pattern;
}

static struct code_pattern pattern_integer_part(const uint64_t *codes,
                                                const struct exact_setting *setting) {
    return pattern_of_integers(setting->format, *codes, ROUND_TOWARD_ZERO);
}

static struct code_pattern pattern_fractional_part(const uint64_t *codes,
                                                   const struct exact_setting *setting) {
    return pattern_of_fractions(setting->format, *codes);
}

/* Magnitudes of one sign are neighbours where codes are. */
static struct code_pattern pattern_of_neighbours(const struct format *format, uint64_t code,
                                                 bool up) {
    bool negative = format_is_negative(format, code);
    if (format_is_zero(format, code))
        return (struct code_pattern){.last = code, .offset = up ? 1 : format->sign_bit + 1};
    return pattern_of_line(up == negative ? UINT64_MAX : 1,
                           (negative ? format->sign_bit : 0) | format->max_finite);
}

static struct code_pattern pattern_nextup(const uint64_t *codes,
                                          const struct exact_setting *setting) {
    return pattern_of_neighbours(setting->format, *codes, true);
}

static struct code_pattern pattern_nextdown(const uint64_t *codes,
                                            const struct exact_setting *setting) {
    return pattern_of_neighbours(setting->format, *codes, false);
}

/* Far beyond what any number can be scaled by. */
enum { MOST_SCALE = 1 << 20 };

static struct real exact_scalbn(const struct real *x, const struct exact_setting *setting) {
    (void)setting;
    long long n;
    struct real y = x[0];
    if (!integer_operand(&x[1], INT_MIN, INT_MAX, &n))
        return real_nan();
    if (y.kind == REAL_FINITE)
        y.exponent += (int)(n > MOST_SCALE ? MOST_SCALE : n < -MOST_SCALE ? -MOST_SCALE : n);
    return y;
}

/* From where x becomes the least number to where it becomes the largest. */
static struct integer_span span_scalbn(const struct format *format, double x) {
    int exponent = 1;
    if (fabs(x) > 0 && fabs(x) <= 0x1.fffffffffffffp1023)
        frexp(x, &exponent);
    return (struct integer_span){format->emin - format->precision - exponent,
                                 format->emax + 2 - exponent};
}

/* The sign and the last three bits of the quotient, to nearest. */
static struct real exact_quotient(const struct real *x, const struct exact_setting *setting) {
    (void)setting;
    if ((x[0].kind != REAL_FINITE && x[0].kind != REAL_ZERO) || x[1].kind == REAL_NAN ||
        x[1].kind == REAL_ZERO)
        return real_nan();
    if (x[0].kind == REAL_ZERO || x[1].kind == REAL_INFINITE)
        return real_zero(false);
    mpfr_t operands[2], remainder;
    long quotient;
    mpfr_init2(remainder, 64);
    for (int i = 0; i < 2; i++) {
        mpfr_init2(operands[i], 64);
        real_to_mpfr(operands[i], &x[i]);
    }
    mpfr_remquo(remainder, &quotient, operands[0], operands[1], MPFR_RNDN);
    mpfr_clears(remainder, operands[0], operands[1], (mpfr_ptr)0);
    return quotient % 8 ? real_from_double((double)(quotient % 8)) : real_zero(false);
}

static const struct operation rows[] = {
    {
        .name = "logb",
        .formula = "the exponent of |x|, floor(log2 |x|)",
        .operands = 1,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_EXACT,
        .errno_is_open = true,
        .result = {{.parity = PARITY_EVEN,
                    .exact = exact_logb,
                    .pattern = pattern_logb,
                    .known_values =
                        "0=-inf -0=-inf inf=inf -inf=inf 1=0 0.75=-1 -8=3 0x1p-1074=-1074 "
                        "0x1p-24=-24"}},
        .platform = {.symbol = "logb"},
        .landmarks = "1",
    },
    {
        .name = "ilogb",
        .formula = "logb x as an int; FP_ILOGB0 stands for -infinity, and INT_MAX for infinity",
        .operands = 1,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_EXACT,
        .errno_is_open = true,
        .result = {{.parity = PARITY_EVEN,
                    .exact = exact_logb,
                    .pattern = pattern_logb,
                    .known_values = "0=-inf -0=-inf inf=inf -inf=inf 1=0 0.75=-1 -8=3 "
                                    "0x1p-1074=-1074 0x1p-24=-24"}},
        .platform = {.symbol = "ilogb", .signature = C_RETURNS_EXPONENT},
        .landmarks = "1",
    },
    {
        .name = "frexp",
        .formula = "x = fraction * 2^exponent, 1/2 <= |fraction| < 1",
        .operands = 1,
        .results = 2,
        .exceptions = EXCEPTIONS_OF_QUIET,
        .result = {{.name = "fraction",
                    .parity = PARITY_ODD,
                    .exact = exact_fraction,
                    .pattern = pattern_fraction_of_exponent,
                    .known_values = "0=0 -0=-0 inf=inf -inf=-inf 1=0.5 -6=-0.75 0x1p-1074=0.5"},
                   {.name = "exponent",
                    .parity = PARITY_EVEN,
                    .exact = exact_exponent,
                    .pattern = pattern_exponent,
                    .known_values = "0=0 -0=0 inf=nan -inf=nan 1=1 -6=3 0x1p-1074=-1073"}},
        .platform = {.symbol = "frexp", .signature = C_FRACTION_AND_EXPONENT},
        .landmarks = "1",
    },
    {
        .name = "modf",
        .formula = "x = fraction + integer, both with the sign of x",
        .operands = 1,
        .results = 2,
        .exceptions = EXCEPTIONS_OF_QUIET,
        .result = {{.name = "fraction",
                    .parity = PARITY_ODD,
                    .exact = exact_fractional_part,
                    .pattern = pattern_fractional_part,
                    .known_values = "0=0 -0=-0 inf=0 -inf=-0 3=0 -3=-0 1.5=0.5 -2.75=-0.75"},
                   {.name = "integer",
                    .parity = PARITY_ODD,
                    .exact = exact_integer_part,
                    .pattern = pattern_integer_part,
                    .known_values = "0=0 -0=-0 inf=inf -inf=-inf 3=3 -0.5=-0 1.5=1 -2.75=-2"}},
        .platform = {.symbol = "modf", .signature = C_FRACTION_AND_INTEGER},
        .landmarks = "0.5 1 1.5",
    },
    {
        .name = "nextup",
        .formula = "the least number above x",
        .operands = 1,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_QUIET,
        .result = {{.exact = exact_nextup,
                    .pattern = pattern_nextup,
                    .known_values = "inf=inf nan=nan"}},
        .platform = {.symbol = "nextup", .of_one_format = true},
        .landmarks = "1",
    },
    {
        .name = "nextdown",
        .formula = "the greatest number below x",
        .operands = 1,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_QUIET,
        .result = {{.exact = exact_nextdown,
                    .pattern = pattern_nextdown,
                    .known_values = "-inf=-inf nan=nan"}},
        .platform = {.symbol = "nextdown", .of_one_format = true},
        .landmarks = "1",
    },
};
OPERATION_FAMILY(representation, rows);

#define SCALED(NAME)                                                                               \
    {                                                                                              \
        .name = #NAME, .formula = "x * 2^y with an int y", .operands = 2, .results = 1,            \
        .exceptions = EXCEPTIONS_OF_IEEE, .errno_is_open = true,                                   \
        .result = {{.exact = exact_scalbn,                                                         \
                    .known_values = "1,3=8 -3,-1=-1.5 0,5=0 -0,5=-0 inf,-5=inf -inf,5=-inf "       \
                                    "nan,1=nan 1,nan=nan 1,0.5=nan 1,inf=nan 2,-0=2 "              \
                                    "1,-1074=0x1p-1074 1,2147483648=nan"}},                        \
        .platform = {.symbol = #NAME, .signature = C_INT_SECOND, .span = span_scalbn},             \
        .landmarks = "1 24 53 127 1023 2098 32767 65536 2147483647"                                \
    }
static const struct operation pair_rows[] = {
    SCALED(scalbn),
    SCALED(ldexp),
    {
        .name = "remquo",
        .formula = "the remainder of x / y, and the last three bits of the quotient",
        .operands = 2,
        .results = 2,
        .exceptions = EXCEPTIONS_OF_EXACT,
        .errno_is_open = true,
        .result = {{.name = "remainder",
                    .mpfr2 = mpfr_remainder,
                    .known_values = "0,3=0 -0,3=-0 6,3=0 5,3=-1 3,2=-1 1,0=nan inf,2=nan "
                                    "1.5,-inf=1.5 nan,2=nan"},
                   {.name = "quotient",
                    .exact = exact_quotient,
                    .known_values =
                        "0,3=0 -0,3=0 6,3=2 -5,3=-2 5,-3=-2 3,2=2 24,3=0 27,3=1 1,0=nan "
                        "inf,2=nan 1.5,-inf=0 nan,2=nan"}},
        .platform = {.symbol = "remquo", .signature = C_REMAINDER_AND_QUOTIENT},
        .landmarks = "1 3 8",
    },
    {
        .name = "nextafter",
        .formula = "the next number after x towards y",
        .operands = 2,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_NEXTAFTER,
        .errno_is_open = true,
        .result = {{.exact = exact_nextafter,
                    .known_values = "1,1=1 0,-0=-0 -0,0=0 inf,inf=inf -inf,-inf=-inf nan,1=nan "
                                    "1,nan=nan 3,3=3 0x1p-1074,0=0 -0x1p-1074,0=-0 "
                                    "0,1=0x1p-1074 -0,-1=-0x1p-1074"}},
        .platform = {.symbol = "nextafter", .of_one_format = true},
        .landmarks = "1",
    },
};
OPERATION_FAMILY(representation_pair, pair_rows);
