/* Sums: the second addend is what is left to a boundary and a distance, at every gap of exponents to 2p+2. */
#include "sweep/built/solver.h"

/* Distances go to this many bits below what an addend of a gap reaches. */
enum { DEEPEST = 160, ZERO_ONE_OF = 32 };

bool solve_last_addend(struct builder *builder, mpfr_srcptr rest, int which, bool negated) {
    const int precision = builder->request.format->precision;
    const bool midpoint = draw_is_midpoint(builder);
    mpfr_ptr boundary = builder->numbers[0], addend = builder->numbers[1],
             distance = builder->numbers[2], room = builder->numbers[3];
    mpfr_neg(addend, rest, MPFR_RNDN);
    if (!draw_one_of(builder, ZERO_ONE_OF)) {
        int gap = draw_between(builder, -1, 2 * precision + 2);
        mpfr_set_ui_2exp(addend, draw_significand(builder, precision),
                         (mpfr_exp_t)(mpfr_get_exp(rest) - precision - gap), MPFR_RNDN);
        if (draw_one_of(builder, 2))
            mpfr_neg(addend, addend, MPFR_RNDN);
    }
    mpfr_add(addend, addend, rest, MPFR_RNDN); /* about what the sum shall be */
    const bool cancels = mpfr_zero_p(addend);
    int ulp = nearest_boundary(builder, boundary, addend, midpoint && !cancels);
    draw_distance(builder, distance, ulp, draw_one_of(builder, 4) ? DEEPEST : 2 * precision + 2);
    if (cancels)
        mpfr_set_zero(distance, 1);
    mpfr_add(addend, boundary, distance, MPFR_RNDN);
    mpfr_sub(addend, addend, rest, MPFR_RNDN);
    if (negated)
        mpfr_neg(addend, addend, MPFR_RNDN);
    if (!set_nearest(builder, which, addend))
        return false;
    (negated ? mpfr_sub : mpfr_add)(addend, rest, addend, MPFR_RNDN);
    return set_aim(builder, midpoint && !cancels, addend, boundary, ulp, room);
}

/* One addend is drawn. */
static bool solve_addends(struct builder *builder, bool subtracted) {
    const struct format *format = builder->request.format;
    int exponent = draw_exponent(builder, format), kept = kept_bits(format, exponent);
    int drawn = draw_one_of(builder, 2);
    mpfr_ptr rest = builder->numbers[4];
    if (kept < 1)
        return false;
    bool negative = draw_sign(builder);
    uint64_t significand = draw_significand(builder, kept);
    mpfr_set_uj_2exp(rest, significand, exponent - kept + 1, MPFR_RNDN);
    if (negative != (subtracted && drawn == 1))
        mpfr_neg(rest, rest, MPFR_RNDN);
    return set_operand(builder, drawn, negative, significand, exponent - kept + 1) &&
           solve_last_addend(builder, rest, !drawn, subtracted && drawn == 0);
}

bool draw_end(struct builder *builder, mpfr_ptr end, bool *below, int *ulp) {
    const struct format *format = builder->request.format;
    const int lowest = format->emin + format->precision + 2; /* half an ulp is normal */
    const int least = lowest <= format->emax ? lowest : format->emin + 1;
    const struct real largest = format_decode(format, format_most(format, false));
    if (format->is_integer || largest.kind != REAL_FINITE || least > format->emax)
        return false;
    if (draw_one_of(builder, 2)) {
        *below = true;
        *ulp = format_ulp_exponent(format, &largest);
        real_to_mpfr(end, &largest);
        mpfr_set_ui_2exp(builder->numbers[3], 1, *ulp, MPFR_RNDN);
        mpfr_add(end, end, builder->numbers[3], MPFR_RNDN);
        return true;
    }
    const int exponent = draw_between(builder, least, format->emax);
    *below = draw_one_of(builder, 2);
    *ulp = exponent - format->precision + !*below;
    mpfr_set_ui_2exp(end, 1, exponent, MPFR_RNDN);
    return true;
}

/* From a number to a boundary, and a little: the code beside what is left, or a power of two. */
static void draw_rest_to_end(struct builder *builder, mpfr_ptr rest, int ulp) {
    const int precision = builder->request.format->precision;
    mpfr_ptr little = builder->numbers[3];
    if (mpfr_zero_p(rest) || draw_one_of(builder, 4))
        mpfr_set_ui_2exp(little, 1, ulp - draw_between(builder, 2, 2 * precision + 2), MPFR_RNDN);
    else
        mpfr_set_ui_2exp(little, 1 + draw_under(builder, 2), result_ulp(builder, rest) - 1,
                         MPFR_RNDN);
    if (draw_one_of(builder, 2))
        mpfr_neg(little, little, MPFR_RNDN);
    mpfr_add(rest, rest, little, MPFR_RNDN);
}

/* One addend is a number near the end of a binade, and the other one what is left to a boundary there. */
static bool solve_end_addends(struct builder *builder, bool subtracted) {
    const bool midpoint = draw_is_midpoint(builder), negative = draw_sign(builder);
    const int which = draw_one_of(builder, 2);
    mpfr_ptr boundary = builder->numbers[0], number = builder->numbers[1],
             rest = builder->numbers[2], room = builder->numbers[3], end = builder->numbers[4];
    bool below;
    int ulp;
    if (!draw_end(builder, end, &below, &ulp))
        return false;
    const int away = below ? -1 : 1;
    mpfr_set_si_2exp(boundary, away * (midpoint ? 1 : 2), ulp - 1, MPFR_RNDN);
    mpfr_set_si_2exp(number, away * (draw_one_of(builder, 4) ? draw_between(builder, 2, 4) : 1),
                     ulp, MPFR_RNDN);
    mpfr_add(boundary, boundary, end, MPFR_RNDN);
    mpfr_add(number, number, end, MPFR_RNDN);
    mpfr_sub(rest, boundary, number, MPFR_RNDN);
    draw_rest_to_end(builder, rest, ulp);
    for (int i = 0; negative && i < 3; i++)
        mpfr_neg(builder->numbers[i], builder->numbers[i], MPFR_RNDN);
    mpfr_ptr second = which == 1 ? number : rest;
    if (subtracted)
        mpfr_neg(second, second, MPFR_RNDN);
    if (!set_nearest(builder, which, number) || !set_nearest(builder, !which, rest))
        return false;
    if (subtracted)
        mpfr_neg(second, second, MPFR_RNDN);
    mpfr_add(number, number, rest, MPFR_RNDN);
    return set_aim(builder, midpoint, number, boundary, ulp, room);
}

bool solve_end_sum(struct builder *builder) {
    return solve_end_addends(builder, false);
}

bool solve_end_difference(struct builder *builder) {
    return solve_end_addends(builder, true);
}

bool solve_sum(struct builder *builder) {
    return solve_addends(builder, false);
}

bool solve_difference(struct builder *builder) {
    return solve_addends(builder, true);
}
