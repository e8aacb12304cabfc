/* Conversions: the number of the operands' format that is nearest to a boundary and a distance. The distances are those
 * at which a wider format would round to the boundary first, too.
 *
 * To integers the boundaries are where one kind of hardware or another has an end, and where rounding changes: of a
 * format of 32 bits drawn ones would meet neither of its ends in 2^31. */
#include "sweep/built/solver.h"

enum { LONGEST_INTEGER = 64, NEAR_UNITS = 4 };

/* Sets *value to the nearest number of the operands' format at or beside it. */
static bool set_beside(struct builder *builder, mpfr_ptr value) {
    const struct format *format = builder->request.format;
    if (!set_nearest(builder, 0, value))
        return false;
    uint64_t code = builder->codes[0];
    switch (draw_under(builder, 4)) {
    case 0:
        code = format_next_up(format, code);
        break;
    case 1:
        code = format_next_down(format, code);
        break;
    default:
        return true;
    }
    const struct real back = format_decode(format, code);
    builder->codes[0] = code;
    if (back.kind == REAL_FINITE)
        real_to_mpfr(value, &back);
    else
        mpfr_set_zero(value, 1);
    return back.kind == REAL_FINITE || back.kind == REAL_ZERO;
}

static bool solve_end(struct builder *builder) {
    mpfr_ptr value = builder->numbers[0], boundary = builder->numbers[1],
             distance = builder->numbers[2];
    const int own = (int)builder->request.results->width;
    /* Powers of two: the ends of this format, of others, and where the source's numbers part. */
    const int power = draw_one_of(builder, 2) ? own - (int)draw_under(builder, 2)
                                              : draw_between(builder, 0, LONGEST_INTEGER + 1);
    mpfr_set_ui_2exp(value, 1, power, MPFR_RNDN);
    mpfr_add_d(value, value, (double)draw_between(builder, -NEAR_UNITS, NEAR_UNITS) / 2, MPFR_RNDN);
    if (draw_sign(builder))
        mpfr_neg(value, value, MPFR_RNDN);
    if (!set_beside(builder, value))
        return false;
    const int ulp = nearest_boundary(builder, boundary, value, draw_is_midpoint(builder));
    return set_aim(builder, !mpfr_integer_p(boundary), value, boundary, ulp, distance);
}

bool solve_cast(struct builder *builder) {
    const int room = builder->request.format->precision - builder->request.results->precision;
    const bool midpoint = draw_is_midpoint(builder);
    mpfr_ptr boundary = builder->numbers[0], value = builder->numbers[1],
             distance = builder->numbers[2];
    int ulp;
    if (builder->request.results->is_integer && !draw_one_of(builder, 4))
        return solve_end(builder);
    if (!draw_boundary(builder, boundary, &ulp, midpoint))
        return false;
    draw_distance(builder, distance, ulp, room < 2 ? 2 : room + 1);
    mpfr_add(value, boundary, distance, MPFR_RNDN);
    return set_nearest(builder, 0, value) &&
           set_aim(builder, midpoint, value, boundary, ulp, distance);
}
