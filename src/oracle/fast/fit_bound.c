/* How far is interpolation off, and how many nodes does it take? */
#include "oracle/fast/fit_parts.h"

#include "base/bits.h"
#include "op/formula/analytic.h"

#include <math.h>

/* log2 of a bound on |f|, or on that part of f, over the square of half-width R around the centre; false
 * where unknown. */
static bool bound_around(struct fitter *fitter, analytic_function *part, double centre,
                         double radius, double *log2_bound) {
    arb_set_d(acb_realref(fitter->ball), centre);
    arb_zero(acb_imagref(fitter->ball));
    mag_set_d(arb_radref(acb_realref(fitter->ball)), radius);
    mag_set_d(arb_radref(acb_imagref(fitter->ball)), radius);
    if (fitter->formula)
        formula_analytic(fitter->formula, fitter->image, fitter->operands, fitter->ball,
                         ARB_PRECISION);
    else if (fitter->section)
        fitter->section->analytic(fitter->image, fitter->ball, fitter->fixed, ARB_PRECISION);
    else
        part(fitter->image, fitter->ball, ARB_PRECISION);
    if (!acb_is_finite(fitter->image))
        return false;
    acb_get_mag(fitter->magnitude, fitter->image);
    int most = fitter->wide ? 2 * WIDE_MOST_EXPONENT : MOST_EXPONENT;
    if (mag_cmp_2exp_si(fitter->magnitude, most) > 0)
        return false;
    /* A mag_t is below 2^exponent; far down the exact number no longer matters. */
    bool tiny = mag_cmp_2exp_si(fitter->magnitude, -most) < 0;
    *log2_bound = tiny ? -most : (double)MAG_EXP(fitter->magnitude);
    return true;
}

/* Upper bound of log2(h / (2 (R - h))) for R = h 2^j, j >= 2: -(j + 1) + log2(1 / (1 - 2^-j)), and
 * the logarithm is below 2^(1-j). */
static double log2_ratio(int j) {
    return -(double)(j + 1) + power_of_two(1 - j);
}

/* The number of nodes that brings the interpolation to 2^(target); more than there are if none. */
static int nodes_needed(double log2_bound, int j, double target) {
    double ratio = log2_ratio(j);
    for (int n = LEAST_NODES; n <= FIT_MOST_NODES; n++)
        if (log2_bound + 1.02 + n * ratio <= target)
            return n;
    return FIT_MOST_NODES + 1;
}

/* What is to be bounded: f or a part of f, as far as `reach` from the centre, and 2^least at least. */
struct bounded {
    analytic_function *part;
    double reach, least;
};

/* The number of nodes for R = h 2^j, and the bound that they bring. */
static int try_radius(struct fitter *fitter, const struct bounded *bounded,
                      const struct polynomial *polynomial, int j, double target,
                      double *log2_error) {
    double log2_bound;
    if (!bound_around(fitter, bounded->part, polynomial->centre,
                      polynomial->half_width * power_of_two(j), &log2_bound))
        return FIT_MOST_NODES + 1;
    int n = nodes_needed(log2_bound, j, target);
    *log2_error = log2_bound + 1.02 + n * log2_ratio(j);
    return n;
}

/* Tries radii from large to small until more nodes are needed again, or would be if the bound were the
 * least one. The choice depends on the block alone, so that a verdict never depends on which thread
 * did which block before. */
static int choose_radius(struct fitter *fitter, const struct bounded *bounded,
                         const struct polynomial *polynomial, double target, double *log2_error) {
    int best = FIT_MOST_NODES + 1, widest = 2;
    while (widest < WIDEST && polynomial->half_width * power_of_two(widest) < bounded->reach)
        widest++;
    bool near_zero = polynomial->half_width * power_of_two(WIDEST) < 0.25;
    for (int j = near_zero ? WIDEST : widest; j >= 2; j = j > widest ? widest : j - 1) {
        double error;
        if (best <= LEAST_NODES + 1 || nodes_needed(bounded->least, j, target) >= best)
            break;
        int n = try_radius(fitter, bounded, polynomial, j, target, &error);
        if (n > best)
            break;
        if (n < best) {
            best = n;
            *log2_error = error;
        }
    }
    return best;
}

int choose_nodes(struct fitter *fitter, const struct polynomial *polynomial, double target,
                 double *log2_error) {
    double centre = fabs(polynomial->centre);
    /* No bound is less than the value at the centre. */
    double least =
        mpfr_regular_p(fitter->centre) ? (double)(mpfr_get_exp(fitter->centre) - 1) : -1e9;
    const struct pole_rule *poles = fitter->poles;
    analytic_function *const *parts = NULL;
    if (has_pole(fitter)) /* ln s is a constant, and changes no derivative */
        parts = poles->without_pole;
    else if (poles && poles->left[0] && polynomial->centre < LEFT_PARTS)
        parts = poles->left;
    if (!parts)
        return choose_radius(fitter, &(struct bounded){fitter->analytic, centre, least}, polynomial,
                             target, log2_error);
    if (!parts[1])
        return choose_radius(fitter, &(struct bounded){parts[0], centre, -1e9}, polynomial, target,
                             log2_error);
    /* Interpolation is linear, so errors add; and each falls with more nodes. */
    double errors[POLE_PARTS] = {0};
    int large = choose_radius(fitter, &(struct bounded){parts[1], centre, -1e9}, polynomial,
                              target - 1, &errors[1]);
    if (large > FIT_MOST_NODES)
        return large;
    int small = choose_radius(fitter, &(struct bounded){parts[0], 1, -1e9}, polynomial, target - 1,
                              &errors[0]);
    *log2_error = 1 + (errors[0] > errors[1] ? errors[0] : errors[1]);
    return small > large ? small : large;
}

/* fit.h has both estimates; n <= 2^4. */
double slope_error(struct fitter *fitter, const struct fit *fit, double log2_error) {
    const struct polynomial *polynomial = &fit->polynomial;
    int n = polynomial->terms;
    int j = (int)(bits_of(SLOPE_REACH / polynomial->half_width) >> 52) - 1023;
    double log2_bound, error = 4 + 2 * n - 2 + log2_error;
    if (fitter->poles || fabs(polynomial->centre) > SLOPE_REACH / 32 || j > MOST_EXPONENT ||
        !bound_around(fitter, fitter->analytic, polynomial->centre,
                      polynomial->half_width * power_of_two(j), &log2_bound))
        return error;
    double other = 4 + n - 1 + log2_bound + n * (log2_ratio(j) + 1) + fit->shift;
    return other < error ? other : error;
}
