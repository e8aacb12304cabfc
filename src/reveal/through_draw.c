/* Random operands of sums inside of operations. */
#include "reveal/through_draw.h"

#include <math.h>

const char *const through_family_names[THROUGH_FAMILIES] = {
    "normal", "wide exponents", "near one another", "small", "few values", "with zeros"};

/* ---- Random numbers ---- */

static uint64_t next(uint64_t *state) {
    uint64_t h = *state += UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

static double uniform(uint64_t *state) {
    return ldexp((double)(next(state) >> 11), -53);
}

static double about_normal(uint64_t *state) {
    return 1.7320508 * (uniform(state) + uniform(state) + uniform(state) + uniform(state) - 2);
}

double through_draw_value(uint64_t *state, enum through_family family, bool exponentials) {
    const double sign = next(state) & 1 ? 1 : -1;
    switch (family) {
    case THROUGH_WIDE:
        return exponentials ? -20 * uniform(state)
                            : sign * ldexp(1 + uniform(state), 4 - (int)(next(state) >> 40) % 14);
    case THROUGH_NEAR:
        return exponentials ? -ldexp(1 + uniform(state), -3 - (int)(next(state) >> 40) % 6)
                            : sign * (1 + uniform(state) / 8);
    case THROUGH_SMALL:
        return exponentials ? -4 - 10 * uniform(state) : sign * ldexp(1 + uniform(state), -6);
    default:
        return exponentials ? -2 * fabs(about_normal(state)) - 0x1p-10 : about_normal(state);
    }
}

uint64_t through_encode(const struct format *format, double value) {
    const struct real real = real_from_double(value);
    return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

static size_t common_divisor(size_t a, size_t b) {
    return b ? common_divisor(b, a % b) : a;
}

/* Pairs of a number and its negative in random places, all of them multiples of one that is so large that sums of any of
 * them are exact in fp32. The reader is 1, which counts as the first. */
static void draw_balanced(struct subject *subject, size_t line, enum through_family family,
                          uint64_t *state) {
    static const int tops[THROUGH_FAMILIES] = {2, 5, 1, 1, 1, 2}; /* exponents of the largest */
    enum { BITS = 24 };
    const size_t n = subject->terms;
    const struct format *format = subject->request.format;
    const double grid = ldexp(1, tops[family] + 1 + ilogb((double)n) - BITS);
    size_t step = n > 1 ? 1 + (size_t)(next(state) >> 20) % (n - 1) : 1;
    while (common_divisor(step, n) != 1)
        step++;
    size_t at = subject->reader;
    double value = 1;
    for (size_t k = 0; k < n; k++) {
        if (k % 2)
            value = -value;
        else if (k + 1 == n || (k && family == THROUGH_ZEROS && next(state) & 1))
            value = 0;
        else if (k && family == THROUGH_FEW)
            value = ldexp(1.25, -(int)(next(state) >> 40) % 4);
        else if (k)
            value = grid * nearbyint(through_draw_value(state, family, false) / grid);
        array_set_code(&subject->call.operands[0], line * subject->pitch + at * subject->stride,
                       through_encode(format, value));
        at = (at + step) % n;
    }
}

/* A term of the line beside the reader. */
static uint64_t draw_term(const struct subject *subject, enum through_family family,
                          uint64_t *state) {
    const struct through_replay *made = subject->replayed;
    const struct format *format = subject->request.format;
    if (through_has_exponentials(subject->through))
        return made->operands[family][(next(state) >> 20) % made->count[family]];
    if (family == THROUGH_FEW)
        return through_encode(format, ldexp(1, -(int)(next(state) >> 40) % 4) * 1.25);
    return through_encode(format, through_draw_value(state, family, false));
}

/* By a mean no term is read: one is left out, in the place of which inner.c has one that is about the mean. */
void through_draw(struct subject *subject, uint64_t seed, uint64_t call) {
    const enum through_family family = (enum through_family)(call % THROUGH_FAMILIES);
    const double read = subject->through->terms == TERMS_PLAIN ? 0 : 1;
    uint64_t state = seed * UINT64_C(0xd1342543de82ef95) + call;
    next(&state);
    subject->reader = (size_t)(next(&state) >> 20) % subject->terms;
    for (size_t line = 0; line < subject->lines; line++) {
        if (subject->through->terms == TERMS_BALANCED)
            draw_balanced(subject, line, family, &state);
        for (size_t i = 0; i < subject->terms && subject->through->terms != TERMS_BALANCED; i++) {
            const size_t place = line * subject->pitch + i * subject->stride;
            if (i == subject->reader || (family == THROUGH_ZEROS && next(&state) & 1))
                subject_set(subject, line, i, i == subject->reader ? read : 0);
            else
                array_set_code(&subject->call.operands[0], place,
                               draw_term(subject, family, &state));
        }
    }
}
