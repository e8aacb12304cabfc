/* Which reduction a block takes, and its fit. */
#include "oracle/fast/reduce.h"

#include "base/bits.h"
#include "base/fault.h"
#include "oracle/fast/cotangent.h"
#include "oracle/fast/hankel.h"
#include "oracle/fast/poles.h"

#include <stdlib.h>

enum { LEAST_REDUCED_EXPONENT = 3, LEAST_REDUCED_HALF_TURNS_EXPONENT = -2 };

/* Quotients with a larger relative error would leave much undecided. */
#define MOST_QUOTIENT_ERROR 0x1p-46

void reducer_close(struct reducer *reducer) {
    for (int i = 0; i < REFLECTION_TABLES; i++)
        free(reducer->reflections[i]);
    free(reducer->pole_logs);
    free(reducer->rotations);
}

/* The code's significand with its hidden bit: m of |x| = m 2^k. */
static uint64_t significand_of(const struct format *format, uint64_t code) {
    uint64_t hidden = (uint64_t)1 << (format->precision - 1);
    return hidden | (code & (hidden - 1));
}

/* A value less the polynomial: an entry of the table, which is chosen by the last bits of m. */
static void subtract_from_table(const double *table, int bits, uint64_t first, struct fit *fit) {
    fit->form = FIT_TABLE;
    fit->table = (struct table_entries){
        .entries = table, .mask = ((uint32_t)1 << bits) - 1, .first = (uint32_t)first};
    fit->bound += TABLE_ABSOLUTE;
    fit->relative = TABLE_RELATIVE;
}

/* The sum of the polynomial's coefficients, which bounds its values. */
static double size_of_polynomial(const struct polynomial *polynomial) {
    double sum = 0;
    for (int j = 0; j < polynomial->terms; j++) {
        double a = polynomial->coefficients[j];
        sum += a < 0 ? -a : a;
    }
    return sum;
}

/* The same in fp64: the difference is one from the polynomial's base. */
static void subtract_wide(const double *table, int bits, uint64_t first, struct fit *fit) {
    double most = TABLE_MOST + size_of_polynomial(&fit->polynomial);
    subtract_from_table(table, bits, first, fit);
    fit->polynomial.base = -fit->polynomial.base;
    fit->bound += 0x1p-53 * most;
    fit->relative = 0;
}

/* Left of -2^6 a row that reflects has a polynomial for 1 - x, and a table. */
static bool reflect(struct reducer *reducer, const struct real *x, uint64_t first, int log2_count,
                    struct fit *fit) {
    const struct format *format = reducer->format;
    bool wide = format->width == 64;
    int least = wide ? WIDE_LEAST_REFLECTED_EXPONENT : LEAST_REFLECTED_EXPONENT;
    int bits = format->precision - 1 - x->exponent;
    if (reducer->rule->reduction != REDUCTION_REFLECTION || format->width < 32 || !x->negative ||
        x->exponent < least || bits < 1)
        return false;
    if (!reducer->reflections[bits])
        reducer->reflections[bits] = reflection_table(bits);
    if (!reducer->reflections[bits] ||
        !fitter_fit_reflected(reducer->fitter, first, log2_count, FIT_MOST_NODES, fit))
        return false;
    (wide ? subtract_wide : subtract_from_table)(reducer->reflections[bits], bits,
                                                 significand_of(format, first), fit);
    return true;
}

/* The rotations of the binade of x; NULL without memory. */
static const struct rotation_table *rotations_of(struct reducer *reducer, const struct real *x,
                                                 bool period_two) {
    if (!reducer->rotations)
        reducer->rotations = calloc(1, sizeof *reducer->rotations);
    if (reducer->rotations &&
        (!reducer->rotations->known || reducer->rotations->exponent != x->exponent))
        rotation_table_make(reducer->rotations, reducer->format, x->exponent, period_two);
    return reducer->rotations;
}

static double size_of_input(const struct reducer *reducer, uint64_t first) {
    double value = fit_input(reducer->format, first);
    return value < 0 ? -value : value;
}

/* Sets the rotation of a block, of which the angles are those of x, or of pi x. */
static bool set_rotation(struct reducer *reducer, const struct real *x, uint64_t first,
                         bool period_two, struct fit *fit) {
    const struct rotation_table *table = rotations_of(reducer, x, period_two);
    if (!table)
        return false;
    double size = size_of_input(reducer, first);
    fit->rotation = (struct rotation){.function = reducer->rule->reduction,
                                      .table = table,
                                      .first = rotation_first(size, period_two),
                                      .sign = x->negative ? -1 : 1};
    if (FAULT(reduced_turn_off))
        fit->rotation.first.sine[2] += 0x1p-70;
    return true;
}

static bool rotate(struct reducer *reducer, const struct real *x, uint64_t first, struct fit *fit) {
    fit->form = FIT_ROTATION;
    fit->bound = ROTATION_ABSOLUTE;
    fit->relative = reducer->rule->reduction == REDUCTION_TAN ? ROTATION_TANGENT : 0;
    return set_rotation(reducer, x, first, reducer->rule->has_period_two, fit);
}

/* Left of -2^6: a polynomial for 1 - x, and a cotangent. */
static bool add_cotangent(struct reducer *reducer, const struct real *x, uint64_t first,
                          int log2_count, struct fit *fit) {
    const struct format *format = reducer->format;
    if (reducer->rule->reduction != REDUCTION_COTANGENT || format->width < 32 || !x->negative ||
        x->exponent < LEAST_COTANGENT_EXPONENT || x->exponent > format->precision - 2 ||
        !fitter_fit_reflected(reducer->fitter, first, log2_count, FIT_MOST_NODES, fit) ||
        fit->shift || !set_rotation(reducer, x, first, true, fit))
        return false;
    double base = fit->polynomial.base, sum = size_of_polynomial(&fit->polynomial);
    fit->form = FIT_COTANGENT;
    fit->bound += 0x1p-94 + 0x1p-52 * sum + 0x1p-80 * (base < 0 ? -base : base);
    fit->relative = format->width == 64 ? COTANGENT_RELATIVE : 0x1p-52;
    return true;
}

/* Whether the function is a Bessel function that swings within blocks. */
static bool is_hankel(const struct reducer *reducer, const struct real *x) {
    const struct format *format = reducer->format;
    return reducer->rule->reduction >= REDUCTION_J0 && reducer->rule->reduction <= REDUCTION_Y1 &&
           format->width >= 32 && x->exponent >= LEAST_HANKEL_EXPONENT;
}

bool reduce_halves(const struct reducer *reducer, uint64_t first, int log2_count) {
    struct real x = format_decode(reducer->format, first);
    return x.kind == REAL_FINITE && log2_count > HANKEL_MOST_LOG2 && is_hankel(reducer, &x);
}

static bool expand(struct reducer *reducer, const struct real *x, uint64_t first, int log2_count,
                   struct fit *fit) {
    enum reduction_kind function = reducer->rule->reduction;
    const struct format *format = reducer->format;
    bool odd = function == REDUCTION_J1 || function == REDUCTION_Y1;
    if (!is_hankel(reducer, x))
        return false;
    const struct rotation_table *table = rotations_of(reducer, x, false);
    struct turn turn;
    if (!table ||
        !hankel_make(&fit->hankel, odd, function >= REDUCTION_Y0, size_of_input(reducer, first),
                     power_of_two(x->exponent - format->precision + 1), log2_count, &turn,
                     &fit->bound))
        return false;
    fit->form = FIT_HANKEL;
    fit->rotation = (struct rotation){
        .function = function, .table = table, .first = turn, .sign = odd && x->negative ? -1 : 1};
    fit->relative = format->width == 64 ? 0 : 0x1p-52;
    if (FAULT(reduced_turn_off))
        fit->rotation.first.sine[2] += 0x1p-70;
    if (FAULT(reduced_coefficient_off))
        fit->hankel.scale_tail += fit->hankel.scale[0] * 0x1p-40;
    return true;
}

/* A periodic function far from zero: the block is reduced by integer arithmetic. */
static bool reduce_argument(struct reducer *reducer, const struct real *x, uint64_t first,
                            struct fit *fit) {
    enum reduction_kind function = reducer->rule->reduction;
    const struct format *format = reducer->format;
    bool period_two = reducer->rule->has_period_two;
    if (function == REDUCTION_NONE || function > REDUCTION_TAN ||
        x->exponent < (period_two ? LEAST_REDUCED_HALF_TURNS_EXPONENT : LEAST_REDUCED_EXPONENT))
        return false;
    if (format->width == 64)
        return rotate(reducer, x, first, fit);
    fit->form = FIT_REDUCTION;
    fit->reduction =
        argument_reduction_open(function, period_two, x->exponent - format->precision + 1);
    fit->reduction.first = (uint32_t)significand_of(format, first);
    fit->reduction.sign = x->negative ? -1 : 1;
    if (FAULT(reduced_turn_off))
        fit->reduction.constant[1] ^= 1;
    fit->bound = period_two ? 0 : REDUCTION_ABSOLUTE;
    fit->relative = REDUCTION_RELATIVE;
    return true;
}

/* The logarithmic pole: only where the table reaches, and not across the pole. */
static bool take_logarithm_out(struct reducer *reducer, int64_t from_pole, uint64_t first,
                               int log2_count, struct fit *fit) {
    bool wide = reducer->format->width == 64, before = from_pole < 0;
    int bits = wide ? WIDE_POLE_LOG2 : POLE_LOG2;
    int64_t reach = (int64_t)1 << bits, last = from_pole + ((int64_t)1 << log2_count) - 1;
    if (before ? from_pole < -reach || last >= 0 : last > reach)
        return false;
    if (!reducer->pole_logs)
        reducer->pole_logs = pole_table(bits);
    if (!reducer->pole_logs ||
        !fitter_fit_without_pole(reducer->fitter, first, log2_count, FIT_MOST_NODES, fit))
        return false;
    (wide ? subtract_wide : subtract_from_table)(reducer->pole_logs, bits + 1,
                                                 (uint64_t)(from_pole - before), fit);
    fit->table.flip = before ? UINT32_MAX : 0; /* -1 - k for k */
    return true;
}

/* b/L + u of poles.h; infinite where the polynomial may vanish. */
static double quotient_error(const struct fit *fit) {
    double least = 0;
    for (int j = 0; j < fit->polynomial.terms; j++) {
        double a = fit->polynomial.coefficients[j], size = a < 0 ? -a : a;
        least += j ? -size : size;
    }
    least = 0.999 * least - fit->bound;
    return least > 0 ? fit->bound / least + 0x1p-53 : 1;
}

static bool divide_pole_out(struct reducer *reducer, int64_t from_pole, uint64_t first,
                            int log2_count, struct fit *fit) {
    if (!fitter_fit_without_pole(reducer->fitter, first, log2_count, FIT_MOST_NODES, fit))
        return false;
    fit->form = FIT_QUOTIENT;
    fit->distance = (struct pole_distance){.from_pole = (int32_t)from_pole,
                                           .spacing = -fit->polynomial.half_width *
                                                      power_of_two(1 - log2_count)};
    fit->relative = 1.02 * quotient_error(fit);
    fit->bound = 0;
    return fit->relative < MOST_QUOTIENT_ERROR;
}

/* Between -2^6 and -1/2, in fp64 between -2^35 and -2^24, the pole next to the block's centre is taken
 * out. */
static bool take_pole_out(struct reducer *reducer, const struct real *x, uint64_t first,
                          int log2_count, struct fit *fit) {
    const struct pole_rule *rule = reducer->rule->poles;
    const struct format *format = reducer->format;
    int bits = format->precision - 1 - x->exponent; /* of a code, behind the point */
    bool wide = format->width == 64;
    if (!rule || !x->negative || (wide && !rule->logarithmic) ||
        x->exponent < (wide ? WIDE_LEAST_POLE_EXPONENT : -1) ||
        x->exponent >= (wide ? WIDE_LEAST_REFLECTED_EXPONENT : LEAST_REFLECTED_EXPONENT) ||
        bits < 2 || log2_count > bits - 2)
        return false;
    /* Blocks of a quarter at most lie on one side of every half-integer. */
    int64_t unit = (int64_t)1 << bits, m = (int64_t)significand_of(format, first);
    int64_t from_pole = m & (unit - 1);
    if (from_pole >= unit / 2)
        from_pole -= unit;
    return rule->logarithmic ? take_logarithm_out(reducer, from_pole, first, log2_count, fit)
                             : divide_pole_out(reducer, from_pole, first, log2_count, fit);
}

bool reduce_block(struct reducer *reducer, uint64_t first, int log2_count, struct fit *fit) {
    struct real x = format_decode(reducer->format, first);
    if (x.kind != REAL_FINITE)
        return false;
    if (reduce_argument(reducer, &x, first, fit) || reflect(reducer, &x, first, log2_count, fit) ||
        add_cotangent(reducer, &x, first, log2_count, fit) ||
        expand(reducer, &x, first, log2_count, fit) ||
        take_pole_out(reducer, &x, first, log2_count, fit)) {
        if (FAULT(reduced_without_margin))
            fit->bound = fit->relative = 0;
        if (FAULT(reduced_coefficient_off))
            fit->polynomial.coefficients[0] *= 1 + 0x1p-40;
        return true;
    }
    *fit = (struct fit){0};
    return false;
}
