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

bool solve_sum(struct builder *builder) {
    return solve_addends(builder, false);
}

bool solve_difference(struct builder *builder) {
    return solve_addends(builder, true);
}
