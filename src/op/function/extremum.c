/* The lesser and the greater of two numbers, as C23 has it: IEEE 754-2019, 9.6, and fmin and fmax.
 *
 * Everywhere -0 lies below +0. C asks that of all but fmin and fmax, where it says that an
 * implementation should ideally do so; one that does not is counted under signs. */
#include "op/function/family.h"

enum rules {
    LEAST = 0,
    GREATEST = 1,
    NUMBERS = 2, /* of a number and a NaN it is the number */
    MAGNITUDES =
        4 /* the one that is less, or greater, in magnitude; if both are equal, as without */
};

static bool is_below(const struct real *a, const struct real *b) {
    if (a->negative != b->negative)
        return a->negative;
    return a->negative ? real_is_smaller(b, a) : real_is_smaller(a, b);
}

static struct real extremum(const struct real *x, unsigned rules) {
    bool nan[] = {x[0].kind == REAL_NAN, x[1].kind == REAL_NAN};
    if (nan[0] || nan[1])
        return !(rules & NUMBERS) || (nan[0] && nan[1]) ? real_nan() : x[nan[0]];
    bool first_below = is_below(&x[0], &x[1]);
    if (rules & MAGNITUDES && real_is_smaller(&x[0], &x[1]))
        first_below = true;
    else if (rules & MAGNITUDES && real_is_smaller(&x[1], &x[0]))
        first_below = false;
    return x[first_below == (rules & GREATEST)];
}

#define ROW(NAME, FORMULA, SIGNALLING, KNOWN)                                                      \
    {                                                                                              \
        .name = #NAME, .formula = FORMULA, .operands = 2, .results = 1,                            \
        .exceptions = EXCEPTIONS_OF_QUIET,                                                         \
        .result = {{.exact = exact_##NAME,                                                         \
                    .takes_signalling = SIGNALLING,                                                \
                    .known_values = "1,2=" KNOWN " inf,inf=inf nan,nan=nan"}},                     \
        .platform = {.symbol = #NAME}, .landmarks = "1"                                            \
    }
#define FUNCTION(NAME, RULES)                                                                      \
    static struct real exact_##NAME(const struct real *x, const struct exact_setting *setting) {   \
        (void)setting;                                                                             \
        return extremum(x, RULES);                                                                 \
    }
FUNCTION(fmin, LEAST | NUMBERS)
FUNCTION(fmax, GREATEST | NUMBERS)
FUNCTION(fminimum, LEAST)
FUNCTION(fmaximum, GREATEST)
FUNCTION(fminimum_num, LEAST | NUMBERS)
FUNCTION(fmaximum_num, GREATEST | NUMBERS)
FUNCTION(fminimum_mag, LEAST | MAGNITUDES)
FUNCTION(fmaximum_mag, GREATEST | MAGNITUDES)
FUNCTION(fminimum_mag_num, LEAST | MAGNITUDES | NUMBERS)
FUNCTION(fmaximum_mag_num, GREATEST | MAGNITUDES | NUMBERS)

#define LESS      "1 -1,2=-1 -inf,3=-inf 3,inf=3 0,-0=-0 -0,0=-0 -0,-0=-0 -3,2=-3 "
#define MORE      "2 -1,2=2 -inf,3=3 3,inf=inf 0,-0=0 -0,0=0 -0,-0=-0 -3,2=2 "
#define NEARER    "1 -1,2=-1 -inf,3=3 3,inf=3 0,-0=-0 -0,0=-0 -3,2=2 -3,3=-3 "
#define FARTHER   "2 -1,2=2 -inf,3=-inf 3,inf=inf 0,-0=0 -0,0=0 -3,2=-3 -3,3=3 "
#define NAN_WINS  "nan,1=nan 1,nan=nan nan,-inf=nan"
#define NAN_LOSES "nan,1=1 -1,nan=-1 nan,-inf=-inf -0,nan=-0"
static const struct operation rows[] = {
    ROW(fmin, "the lesser of x and y; the number if one is a NaN", false, LESS NAN_LOSES),
    ROW(fmax, "the greater of x and y; the number if one is a NaN", false, MORE NAN_LOSES),
    ROW(fminimum, "the lesser of x and y, or NaN", false, LESS NAN_WINS),
    ROW(fmaximum, "the greater of x and y, or NaN", false, MORE NAN_WINS),
    ROW(fminimum_num, "fminimum of x and y; the number if one is a NaN", true, LESS NAN_LOSES),
    ROW(fmaximum_num, "fmaximum of x and y; the number if one is a NaN", true, MORE NAN_LOSES),
    ROW(fminimum_mag, "the one of x and y nearer to 0; if none is, fminimum", false,
        NEARER NAN_WINS),
    ROW(fmaximum_mag, "the one of x and y farther from 0; if none is, fmaximum", false,
        FARTHER NAN_WINS),
    ROW(fminimum_mag_num, "fminimum_mag of x and y; the number if one is a NaN", true,
        NEARER NAN_LOSES),
    ROW(fmaximum_mag_num, "fmaximum_mag of x and y; the number if one is a NaN", true,
        FARTHER NAN_LOSES),
};
OPERATION_FAMILY(extremum, rows);
