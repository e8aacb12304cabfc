/* Functions of two operands. With the first one fixed, each is a function of the second, whose
 * asymptotes and continuation `open` and `analytic` of its section_rule give (op/function/section.h).
 */
#include "op/function/family.h"
#include "op/function/p3109.h"

/* From 0 through 1 at z = 0 to infinity, or the other way. */
void set_power_asymptotes(struct asymptote *asymptotes, bool rises) {
    const struct asymptote sides[2][POWER_ASYMPTOTES] = {
        {{LEFT, LINE(0, 1), ASYMPTOTE_ABOVE},
         {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW},
         {RIGHT, LINE(0, 0), ASYMPTOTE_ABOVE},
         {LEFT, LINE(0, INFINITY), ASYMPTOTE_BELOW}},
        {{LEFT, LINE(0, 1), ASYMPTOTE_BELOW},
         {RIGHT, LINE(0, 1), ASYMPTOTE_ABOVE},
         {LEFT, LINE(0, 0), ASYMPTOTE_ABOVE},
         OVERFLOWS_RIGHT}};
    for (int i = 0; i < POWER_ASYMPTOTES; i++)
        asymptotes[i] = sides[rises][i];
}

/* For x < 0 the power is a number for integers z only, and positive for even ones: all numbers of p
 * bits from 2^p on are. */
static bool open_pow(struct section *section) {
    double base = fabs(section->fixed);
    struct asymptote asymptotes[POWER_ASYMPTOTES];
    set_power_asymptotes(asymptotes, base > 1);
    section_set_asymptotes(section, asymptotes, POWER_ASYMPTOTES);
    section->nan_off_integers = section->odd_negates = section->fixed < 0;
    section->least = section->fixed < 0 ? ldexp(1, section->precision) : 0;
    return base > 0 && (base < 1 || base > 1);
}

void analytic_pow(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    arb_t logarithm;
    arb_init(logarithm);
    arb_abs(logarithm, fixed);
    arb_log(logarithm, logarithm, precision);
    acb_mul_arb(y, z, logarithm, precision);
    acb_exp(y, y, precision);
    arb_clear(logarithm);
}

/* |a|^b by logarithm and exponential. A wide exponent of 2^14 costs the exponential as many bits. */
void ball_pow(arb_t y, const arb_t a, const arb_t b, slong precision) {
    bool negative = arb_is_negative(a);
    if (negative && !arb_is_int(b)) {
        arb_indeterminate(y);
        return;
    }
    arb_abs(y, a);
    arb_log(y, y, precision + 16);
    arb_mul(y, y, b, precision + 16);
    arb_exp(y, y, precision);
    if (negative && !arb_is_int_2exp_si(b, 1))
        arb_neg(y, y);
}

/* As pow of x > 0, and NaN of x < 0. */
bool open_powr(struct section *section) {
    const struct asymptote nan = {WHOLE, LINE(0, NAN), ASYMPTOTE_EXACT};
    if (section->fixed > 0)
        return open_pow(section);
    section_set_asymptotes(section, &nan, 1);
    return section->fixed < 0;
}

/* Right of 0 it has the sign of y, and falls to 0. */
static bool open_atan2(struct section *section) {
    const struct asymptote asymptotes[] = {
        {RIGHT, LINE(0, 0), section->fixed < 0 ? ASYMPTOTE_BELOW : ASYMPTOTE_ABOVE}};
    section_set_asymptotes(section, asymptotes, 1);
    return section->fixed < 0 || section->fixed > 0;
}

/* The angle of (z, y), y > 0: arctan(y/z) right of 0, pi more left of it, and pi/2 - arctan(z/y)
 * around it; odd in y. */
static void analytic_atan2(acb_t result, const acb_t z, const arb_t fixed, slong precision) {
    acb_t quotient;
    arb_t constant;
    acb_init(quotient);
    arb_init(constant);
    if (arb_contains_zero(acb_realref(z))) {
        acb_div_arb(quotient, z, fixed, precision);
        acb_neg(quotient, quotient);
        arb_const_pi(constant, precision);
        arb_mul_2exp_si(constant, constant, -1);
    } else {
        acb_inv(quotient, z, precision);
        acb_mul_arb(quotient, quotient, fixed, precision);
        if (arb_is_negative(acb_realref(z)))
            arb_const_pi(constant, precision);
    }
    analytic_atan(result, quotient, precision);
    if (arb_is_negative(fixed))
        acb_sub_arb(result, result, constant, precision);
    else
        acb_add_arb(result, result, constant, precision);
    acb_clear(quotient);
    arb_clear(constant);
}

/* |y| falls from 1 through 1/2 at 0 to 0. */
static bool open_atan2pi(struct section *section) {
    double sign = section->fixed < 0 ? -1 : 1;
    const struct asymptote asymptotes[] = {
        {LEFT, LINE(0, sign), ASYMPTOTE_INWARD},
        {LEFT, LINE(0, sign / 2), ASYMPTOTE_OUTWARD},
        {RIGHT, LINE(0, sign / 2), ASYMPTOTE_INWARD},
        {RIGHT, LINE(0, 0), sign < 0 ? ASYMPTOTE_BELOW : ASYMPTOTE_ABOVE}};
    section_set_asymptotes(section, asymptotes, 4);
    return section->fixed < 0 || section->fixed > 0;
}

static void analytic_atan2pi(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    arb_t pi;
    arb_init(pi);
    arb_const_pi(pi, precision);
    analytic_atan2(y, z, fixed, precision);
    acb_div_arb(y, y, pi, precision);
    arb_clear(pi);
}

/* sqrt(x^2 + z^2) > |x|, |z|; both distances are monotone in |z|. */
static bool open_hypot(struct section *section) {
    double fixed = fabs(section->fixed);
    const struct asymptote asymptotes[] = {{LEFT, LINE(0, fixed), ASYMPTOTE_ABOVE},
                                           {RIGHT, LINE(0, fixed), ASYMPTOTE_ABOVE},
                                           {LEFT, LINE(-1, 0), ASYMPTOTE_ABOVE},
                                           {RIGHT, LINE(1, 0), ASYMPTOTE_ABOVE}};
    section_set_asymptotes(section, asymptotes, 4);
    return fixed > 0;
}

static void analytic_hypot(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    arb_t square;
    acb_t sum;
    arb_init(square);
    acb_init(sum);
    arb_sqr(square, fixed, precision);
    acb_sqr(sum, z, precision);
    acb_add_arb(sum, sum, square, precision);
    acb_sqrt_analytic(y, sum, 1, precision);
    arb_clear(square);
    acb_clear(sum);
}

/* ln(e^x + e^z) > x, z; the distance to x grows with z, that to z falls. */
static bool open_logaddexp(struct section *section) {
    const struct asymptote asymptotes[] = {{WHOLE, LINE(0, section->fixed), ASYMPTOTE_ABOVE},
                                           {WHOLE, LINE(1, 0), ASYMPTOTE_ABOVE}};
    section_set_asymptotes(section, asymptotes, 2);
    return true;
}

static void analytic_logaddexp(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    acb_t difference;
    acb_init(difference);
    acb_sub_arb(difference, z, fixed, precision);
    analytic_softplus(y, difference, precision);
    acb_add_arb(y, y, fixed, precision);
    acb_clear(difference);
}

static void ball_logaddexp(arb_t y, const arb_t a, const arb_t b, slong precision) {
    arb_sub(y, a, b, precision);
    arb_abs(y, y);
    arb_neg(y, y);
    arb_exp(y, y, precision);
    arb_log1p(y, y, precision);
    arb_add(y, y, arf_cmp(arb_midref(a), arb_midref(b)) > 0 ? a : b, precision);
}

/* logaddexp(a, b) = max + log(1 + e^(min - max)). */
static void bracket_logaddexp(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    mpfr_srcptr most = mpfr_cmp(x[0], x[1]) >= 0 ? x[0] : x[1];
    mpfr_srcptr least = most == x[0] ? x[1] : x[0];
    mpfr_sub(scratch[0].low, least, most, MPFR_RNDD);
    mpfr_sub(scratch[0].high, least, most, MPFR_RNDU);
    interval_increasing(&scratch[1], mpfr_exp, &scratch[0]);
    interval_increasing(&scratch[0], mpfr_log1p, &scratch[1]);
    interval_set(&scratch[1], most);
    interval_add(y, &scratch[1], &scratch[0]);
}

static bool special_logaddexp(struct real *y, const struct real *x) {
    if (x[0].kind == REAL_NAN || x[1].kind == REAL_NAN)
        return decided(y, real_nan());
    for (int i = 0; i < 2; i++)
        if (x[i].kind == REAL_INFINITE && !x[i].negative)
            return decided(y, x[i]);
    for (int i = 0; i < 2; i++)
        if (x[i].kind == REAL_INFINITE) {
            /* log(e^z) = z; for z = -0 it is log(1) = +0. */
            const struct real *other = &x[1 - i];
            return decided(y, other->kind == REAL_ZERO ? real_zero(false) : *other);
        }
    return false;
}

/* C17, F.10.4.4: pow(0, -infinity) "may raise" divide-by-zero. By IEEE 754 (7.3), and by C since
 * then, it does not, since an operand is not finite. */
static uint8_t open_flags_pow(const struct real *x) {
    bool pole = x[0].kind == REAL_ZERO && x[1].kind == REAL_INFINITE && x[1].negative;
    return pole ? flag_bit(FLAG_DIVIDE_BY_ZERO) : 0;
}

static const struct operation rows[] = {
    {
        .name = "pow",
        .formula = "x^y",
        .operands = 2,
        .results = 1,
        .open_flags = open_flags_pow,
        .result = {{.mpfr2 = mpfr_pow,
                    .arb = ARB(.ball2 = ball_pow),
                    .section =
                        &(const struct section_rule){.open = open_pow, .analytic = analytic_pow},
                    .known_values = "0,-1=inf -0,-1=-inf -0,-3=-inf 0,-2=inf -0,-2=inf "
                                    "-0,-0.5=inf 0,-inf=inf -0,-inf=inf 0,3=0 -0,3=-0 -0,2=0 "
                                    "-0,0.5=0 -0,inf=0 -1,inf=1 -1,-inf=1 1,nan=1 1,inf=1 "
                                    "1,-3.5=1 nan,0=1 nan,-0=1 inf,-0=1 0,0=1 -2,0.5=nan "
                                    "-2,-1.5=nan 0.5,-inf=inf -0.5,-inf=inf 2,-inf=0 -2,-inf=0 "
                                    "0.5,inf=0 -2,inf=inf -inf,-3=-0 -inf,-2=0 -inf,-0.5=0 "
                                    "-inf,3=-inf -inf,2=inf -inf,0.5=inf inf,-1=0 inf,0.5=inf "
                                    "nan,1=nan 2,nan=nan -1,nan=nan 3,2=9 -2,3=-8 -2,-3=-0.125 "
                                    "9,0.5=3 0.25,-1.5=8 2,-1074=0x1p-1074 -2,-149=-0x1p-149 "
                                    "-1,0x1p100=1 -1,8388607=-1"}},
        .platform = {.symbol = "pow"},
        .landmarks = "0.5 1 -1 2 -2 3 10 " LARGE_INTEGERS,
    },
    {
        .name = "atan2",
        .formula = "arg(y, x), the angle of (x, y); the first operand is y",
        .operands = 2,
        .results = 1,
        .result = {{.is_monotone = true,
                    .mpfr2 = mpfr_atan2,
                    .p3109 = p3109_atan2,
                    .arb = ARB(.ball2 = arb_atan2),
                    .section = &(const struct section_rule){.open = open_atan2,
                                                            .analytic = analytic_atan2},
                    .known_values = "0,0=0 -0,0=-0 0,-0=pi -0,-0=-pi 0,-1=pi -0,-1=-pi 0,1=0 "
                                    "-0,1=-0 -1,0=-pi/2 -1,-0=-pi/2 1,0=pi/2 1,-0=pi/2 1,-inf=pi "
                                    "-1,-inf=-pi 1,inf=0 -1,inf=-0 inf,1=pi/2 -inf,-1=-pi/2 "
                                    "inf,0=pi/2 inf,-inf=3pi/4 -inf,-inf=-3pi/4 inf,inf=pi/4 "
                                    "-inf,inf=-pi/4 nan,0=nan 0,nan=nan 2,2=pi/4 2,-2=3pi/4 "
                                    "-0,inf=-0 -0,-inf=-pi"}},
        .platform = {.symbol = "atan2"},
        .landmarks = "1 -1",
    },
    {
        .name = "atan2pi",
        .formula = "arg(y, x) / pi; the first operand is y",
        .operands = 2,
        .results = 1,
        .result = {{.mpfr2 = mpfr_atan2pi,
                    .p3109 = p3109_atan2pi,
                    .section = &(const struct section_rule){.open = open_atan2pi,
                                                            .analytic = analytic_atan2pi},
                    .known_values = "0,0=0 -0,0=-0 0,-0=1 -0,-0=-1 0,-1=1 -0,-1=-1 0,1=0 -0,1=-0 "
                                    "-1,0=-0.5 -1,-0=-0.5 1,0=0.5 1,-0=0.5 1,-inf=1 -1,-inf=-1 "
                                    "1,inf=0 -1,inf=-0 inf,1=0.5 -inf,-1=-0.5 inf,0=0.5 "
                                    "inf,-inf=0.75 -inf,-inf=-0.75 inf,inf=0.25 -inf,inf=-0.25 "
                                    "nan,0=nan 0,nan=nan 2,2=0.25 2,-2=0.75"}},
        .platform = {.symbol = "atan2pi"},
        .landmarks = "1 -1",
    },
    {
        .name = "hypot",
        .formula = "(x^2 + y^2)^(1/2)",
        .operands = 2,
        .results = 1,
        .result = {{.mpfr2 = mpfr_hypot,
                    .p3109 = p3109_hypot,
                    .arb = ARB(.ball2 = arb_hypot),
                    .section = &(const struct section_rule){.open = open_hypot,
                                                            .analytic = analytic_hypot},
                    .known_values = "inf,nan=inf nan,-inf=inf -inf,1=inf nan,1=nan 0,-0=0 -0,-0=0 "
                                    "-0,-3=3 3,-4=5 0x1p-1074,0=0x1p-1074"}},
        .platform = {.symbol = "hypot"},
        .landmarks = "1 3 4",
    },
    {
        .name = "fmod",
        .formula = "x - y * trunc(x / y)",
        .operands = 2,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_EXACT,
        .errno_is_open = true,
        .result = {{.mpfr2 = mpfr_fmod,
                    .section = &(const struct section_rule){.arithmetic = ARITHMETIC_FMOD},
                    .known_values = "0,3=0 -0,3=-0 6,3=0 -6,3=-0 6,-3=0 -6,-3=-0 5,3=2 -5,3=-2 "
                                    "5,-3=2 1,0=nan 1,-0=nan inf,1=nan -inf,1=nan 1.5,inf=1.5 "
                                    "-1.5,-inf=-1.5 -0,inf=-0 inf,inf=nan nan,1=nan 1,nan=nan "
                                    "0,0=nan"}},
        .platform = {.symbol = "fmod"},
        .landmarks = "1 3",
    },
    {
        .name = "remainder",
        .formula = "x - y * round(x / y), ties to even",
        .operands = 2,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_EXACT,
        .errno_is_open = true,
        .result = {{.mpfr2 = mpfr_remainder,
                    .section = &(const struct section_rule){.arithmetic = ARITHMETIC_REMAINDER},
                    .known_values = "0,3=0 -0,3=-0 6,3=0 -6,3=-0 -6,-3=-0 5,3=-1 4,3=1 -5,3=1 "
                                    "3,2=-1 5,2=1 -1,2=-1 1,0=nan inf,2=nan 1.5,-inf=1.5 "
                                    "-0,inf=-0 nan,2=nan"}},
        .platform = {.symbol = "remainder"},
        .landmarks = "1 3",
    },
    {
        .name = "fdim",
        .formula = "max(x - y, 0)",
        .operands = 2,
        .results = 1,
        .result = {{.mpfr2 = mpfr_dim,
                    .section = &(const struct section_rule){.arithmetic = ARITHMETIC_DIM},
                    .known_values = "1,1=0 1,2=0 -0,0=0 0,-0=0 -0,-0=0 3,1=2 inf,inf=0 "
                                    "-inf,-inf=0 inf,-inf=inf -inf,inf=0 1,-inf=inf inf,1=inf "
                                    "nan,1=nan 1,nan=nan nan,inf=nan -1,-3=2"}},
        .platform = {.symbol = "fdim"},
        .landmarks = "1",
    },
    {
        .name = "logaddexp",
        .formula = "ln(e^x + e^y)",
        .operands = 2,
        .results = 1,
        .result = {{.bracket = bracket_logaddexp,
                    .special = special_logaddexp,
                    .arb = ARB(.ball2 = ball_logaddexp),
                    .section = &(const struct section_rule){.open = open_logaddexp,
                                                            .analytic = analytic_logaddexp},
                    .known_values = "-inf,-inf=-inf inf,-inf=inf -inf,inf=inf inf,inf=inf "
                                    "inf,1=inf 1.5,-inf=1.5 -inf,-1.5=-1.5 0,-inf=0 -inf,-0=0 "
                                    "nan,1=nan nan,inf=nan -inf,nan=nan"}},
        .landmarks = "1 -0.6931471805599453 88.72 -103.98",
    },
};
OPERATION_FAMILY(pair, rows);
