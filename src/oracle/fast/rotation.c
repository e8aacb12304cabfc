/* The tables of rotations, by Arb. */
#include "oracle/fast/rotation.h"

#include "base/bits.h"

#include <acb.h>

enum { PRECISION = 160, PLACES = 52 };

/* v in three parts. Adding a number whose last place is that of the part rounds to it. */
static void split(double parts[3], const arb_t v) {
    static const double units[] = {0x1.8p26, 0x1.8p0};
    arf_t rest, part;
    arf_init(rest);
    arf_init(part);
    arf_set(rest, arb_midref(v));
    for (int i = 0; i < 2; i++) {
        volatile double sum = arf_get_d(rest, ARF_RND_NEAR) + units[i];
        parts[i] = sum - units[i];
        arf_set_d(part, parts[i]);
        arf_sub(rest, rest, part, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    parts[2] = arf_get_d(rest, ARF_RND_NEAR);
    arf_clear(rest);
    arf_clear(part);
}

static void split_turn(struct turn *turn, const acb_t direction) {
    split(turn->cosine, acb_realref(direction));
    split(turn->sine, acb_imagref(direction));
}

/* cos + i sin of the angle of x. */
static void direction_of(acb_t direction, double x, bool period_two) {
    arb_t angle;
    arb_init(angle);
    arb_set_d(angle, x);
    if (period_two)
        arb_sin_cos_pi(acb_imagref(direction), acb_realref(direction), angle, PRECISION);
    else
        arb_sin_cos(acb_imagref(direction), acb_realref(direction), angle, PRECISION);
    arb_clear(angle);
}

struct turn rotation_first(double x, bool period_two) {
    struct turn turn;
    acb_t direction;
    acb_init(direction);
    direction_of(direction, x, period_two);
    split_turn(&turn, direction);
    acb_clear(direction);
    return turn;
}

/* Rotations by 0, 1, ... steps; `step` becomes that by `count`. */
static void make_rotations(struct turn *turns, int count, acb_t step) {
    acb_t direction;
    acb_init(direction);
    acb_one(direction);
    for (int i = 0; i < count; i++) {
        split_turn(&turns[i], direction);
        acb_mul(direction, direction, step, PRECISION);
    }
    acb_swap(step, direction);
    acb_clear(direction);
}

void rotation_table_make(struct rotation_table *table, int exponent, bool period_two) {
    struct turn steps[ROTATION_STEPS];
    acb_t step;
    acb_init(step);
    direction_of(step, power_of_two(exponent - PLACES), period_two);
    make_rotations(steps, ROTATION_STEPS, step);
    for (int part = 0; part < 3; part++)
        for (int i = 0; i < ROTATION_STEPS; i++) {
            table->sines[part][i] = steps[i].sine[part];
            table->cosines[part][i] = steps[i].cosine[part];
        }
    make_rotations(table->rows[0], ROTATION_ROWS, step);
    make_rotations(table->rows[1], ROTATION_ROWS, step);
    acb_clear(step);
    table->exponent = exponent;
    table->known = true;
}
