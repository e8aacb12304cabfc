/* What exponentials are of: rows whose largest operand is 0, and the same rows moved. Operands are multiples of what the
 * format still has that far from 0, so that moving them is exact. */
#include "reveal/through_draw.h"

#include <math.h>
#include <stdlib.h>

enum { WIDEST = 20 };

static uint64_t next(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Rows of numbers from 0 to -WIDEST, all of them plus `move`; the reader is the largest. */
static void lay(struct subject *subject, double grid, double move) {
    uint64_t state = 9;
    subject->reader = subject->terms / 2;
    for (size_t line = 0; line < subject->lines; line++)
        for (size_t i = 0; i < subject->terms; i++) {
            const double steps = (double)(next(&state) % ((uint64_t)(WIDEST / grid) + 1)),
                         value = i == subject->reader ? 0 : -grid * steps;
            array_set_code(&subject->call.operands[0], line * subject->pitch + i * subject->stride,
                           through_encode(subject->request.format, value + move));
        }
}

static double number(const struct format *format, uint64_t code) {
    if (format_is_nan(format, code) || format_is_infinite(format, code))
        return NAN;
    const struct real real = format_decode(format, code);
    return real_to_double(&real);
}

/* Of a result where rows are moved. Logarithms move with them, or lose what the moved ones do not hold. */
static enum through_shift judge(const struct subject *subject, uint64_t before, uint64_t after,
                                double move) {
    const struct format *format = subject->call.results[0].format;
    const double x = number(format, before), y = number(format, after),
                 moved = subject->columns > 1 ||
                                 subject->request.operation->array->lines == LINES_MAPPED
                             ? 0
                             : move,
                 near = ldexp(fabs(move) + WIDEST, 3 - format->precision);
    if (isnan(y))
        return SHIFT_NONE;
    if (subject->through->shares)
        return before == after ? SHIFT_LARGEST : SHIFT_OTHER;
    return fabs(y - moved - x) <= near ? SHIFT_LARGEST : SHIFT_OTHER;
}

static bool move_by(struct subject *subject, double move, enum through_shift *shift,
                    struct error *error) {
    const size_t columns = subject->columns, all = subject->lines * columns;
    const double grid = ldexp(1, ilogb(move) + 1 - subject->request.format->precision);
    uint64_t *before = calloc(all, sizeof *before);
    if (!before)
        return error_set(error, "out of memory");
    lay(subject, grid, 0);
    bool good = subject_call(subject, error);
    for (size_t i = 0; good && i < all; i++)
        before[i] = subject_code(subject, i / columns, i % columns);
    lay(subject, grid, move);
    good = good && subject_call(subject, error);
    for (size_t i = 0; good && i < all && *shift != SHIFT_NONE; i++) {
        const enum through_shift found =
            judge(subject, before[i], subject_code(subject, i / columns, i % columns), move);
        if (found == SHIFT_NONE || *shift != SHIFT_OTHER)
            *shift = found;
    }
    free(before);
    return good;
}

/* How much larger than the operand a product is whose exponential is taken: scores of attention are divided by the root of
 * the width afterwards. */
static double inner_factor(const struct subject *subject) {
    const struct shape *shape = &subject->own_shape;
    return subject->inner ? sqrt((double)shape->extents[shape->dimensions - 1]) : 1;
}

bool through_shift_find(struct subject *subject, enum through_shift *shift, struct error *error) {
    static const double moves[] = {8, 128, 1024, -1024}; /* e^1024 is beyond fp64 */
    const struct format *format = subject->request.format;
    const double most = number(format, format->max_finite) / 2 / inner_factor(subject);
    const size_t reader = subject->reader;
    bool good = true;
    *shift = SHIFT_UNKNOWN;
    for (size_t i = 0; good && i < sizeof moves / sizeof *moves; i++)
        if (fabs(moves[i]) <= most)
            good = move_by(subject, moves[i], shift, error);
    subject->reader = reader;
    return good;
}
