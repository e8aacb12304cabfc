/* The tables of rotations, by fixed-point arithmetic from one rotation that Arb knows. */
#include "oracle/fast/rotation.h"

#include "base/bits.h"
#include "base/wide.h"

enum { PRECISION = 160, FIXED_PLACES = 126 };

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

void rotation_split(struct turn *turn, const acb_t direction) {
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
    rotation_split(&turn, direction);
    acb_clear(direction);
    return turn;
}

/* A direction as two's complement multiples of 2^-126. */
struct direction {
    struct wide cosine, sine;
};

static struct wide fixed_from(const arb_t v) {
    struct wide fixed = {0, 0};
    arf_t scaled;
    fmpz_t rest, word;
    arf_init(scaled);
    fmpz_init(rest);
    fmpz_init(word);
    arf_mul_2exp_si(scaled, arb_midref(v), FIXED_PLACES);
    arf_get_fmpz(rest, scaled, ARF_RND_NEAR);
    for (unsigned at = 0; at < 128; at += 32) {
        fmpz_fdiv_r_2exp(word, rest, 32);
        fmpz_fdiv_q_2exp(rest, rest, 32);
        struct wide part = {0, (uint64_t)fmpz_get_ui(word)};
        fixed = wide_add(fixed, wide_shift_left(part, at));
    }
    arf_clear(scaled);
    fmpz_clear(rest);
    fmpz_clear(word);
    return fixed;
}

static struct wide negated_if(bool negative, struct wide a) {
    return negative ? wide_subtract((struct wide){0, 0}, a) : a;
}

/* Off by less than 16 units: four of each of the three low products that are left out or cut. */
static struct wide multiplied(struct wide a, struct wide b) {
    bool a_negative = a.high >> 63, b_negative = b.high >> 63;
    a = negated_if(a_negative, a);
    b = negated_if(b_negative, b);
    struct wide product = {multiply_high(a.high, b.high), a.high * b.high};
    product = wide_add(product, (struct wide){0, multiply_high(a.high, b.low)});
    product = wide_add(product, (struct wide){0, multiply_high(a.low, b.high)});
    return negated_if(a_negative != b_negative, wide_shift_left(product, 128 - FIXED_PLACES));
}

static struct direction rotated(const struct direction *a, const struct direction *b) {
    return (struct direction){
        wide_subtract(multiplied(a->cosine, b->cosine), multiplied(a->sine, b->sine)),
        wide_add(multiplied(a->sine, b->cosine), multiplied(a->cosine, b->sine))};
}

/* v in three parts. Its first word counts 2^-62. */
static void split_fixed(double parts[3], struct wide v) {
    const int64_t half = (int64_t)1 << 35, most = (int64_t)1 << 62;
    int64_t rest = (int64_t)v.high; /* from -2^62 to 2^62: both ends are reached */
    int64_t first = (int64_t)((v.high + (uint64_t)(most + half)) >> 36) - (most >> 36);
    rest -= first * 2 * half;
    int64_t second = (int64_t)((uint64_t)(rest + half + 512) >> 10) - (half >> 10);
    rest -= second * 1024;
    parts[0] = (double)first * 0x1p-26;
    parts[1] = (double)second * 0x1p-52;
    parts[2] = ((double)rest + (double)v.low * 0x1p-64) * 0x1p-62;
}

/* Rotations by 0, 1, ... steps of x > 0. */
static void make_rotations(struct turn *turns, int count, double x, bool period_two) {
    acb_t exact;
    acb_init(exact);
    direction_of(exact, x, period_two);
    const struct direction step = {fixed_from(acb_realref(exact)), fixed_from(acb_imagref(exact))};
    struct direction direction = {{(uint64_t)1 << (FIXED_PLACES - 64), 0}, {0, 0}};
    for (int i = 0; i < count; i++) {
        split_fixed(turns[i].cosine, direction.cosine);
        split_fixed(turns[i].sine, direction.sine);
        direction = rotated(&direction, &step);
    }
    acb_clear(exact);
}

void rotation_table_make(struct rotation_table *table, const struct format *format, int exponent,
                         bool period_two) {
    struct turn steps[ROTATION_STEPS];
    double step = power_of_two(exponent - format->precision + 1);
    make_rotations(steps, ROTATION_STEPS, step, period_two);
    for (int part = 0; part < 3; part++)
        for (int i = 0; i < ROTATION_STEPS; i++) {
            table->sines[part][i] = steps[i].sine[part];
            table->cosines[part][i] = steps[i].cosine[part];
        }
    step *= (double)ROTATION_STEPS;
    make_rotations(table->rows[0], ROTATION_ROWS, step, period_two);
    make_rotations(table->rows[1], ROTATION_ROWS, step * (double)ROTATION_ROWS, period_two);
    table->exponent = exponent;
    table->known = true;
}
