/* Conversions: the number of the operands' format that is nearest to a boundary and a distance. The distances are those
 * at which a wider format would round to the boundary first, too. */
#include "sweep/built/solver.h"

bool solve_cast(struct builder *builder) {
    const int room = builder->request.format->precision - builder->request.results->precision;
    const bool midpoint = draw_is_midpoint(builder);
    mpfr_ptr boundary = builder->numbers[0], value = builder->numbers[1],
             distance = builder->numbers[2];
    int ulp;
    if (!draw_boundary(builder, boundary, &ulp, midpoint))
        return false;
    draw_distance(builder, distance, ulp, room < 2 ? 2 : room + 1);
    mpfr_add(value, boundary, distance, MPFR_RNDN);
    return set_nearest(builder, 0, value) &&
           set_aim(builder, midpoint, value, boundary, ulp, distance);
}
