/* Steps of a rotation that return to an interval.
 *
 * Along a piece so short that its curvature is less than the band is wide, fractions advance by one
 * and the same number modulo 1. The returns of such a rotation to an interval take three steps only,
 * of a, b and a + b inputs (the three-distance theorem), which Euclid's algorithm finds; so does the
 * first entry. That is Lefevre's search for hard cases. Fractions are integers of 2^-64. */
#include "sweep/search/near.h"

#include "base/bits.h"

#include <math.h>

/* Pieces of which the curvature moves by at most one eighth of the band; but not shorter, nor longer.
 */
enum { SHORTEST_PIECE = 16, LONGEST_PIECE_LOG2 = 24, LEAST_WIDTH_LOG2 = 20 };

static uint64_t fraction(double x) {
    return (uint64_t)(int64_t)((x - rint(x)) * 0x1p63) << 1;
}

/* Of the result at offset n: its value but for whole numbers, the first and half the second
 * derivative. */
static void expand(const struct line_result *result, double n, double *value, double *first,
                   double *second) {
    double powers = 0, derivative = 0, half_second = 0;
    for (int i = LINE_NODES - 1; i >= 2; i--) {
        half_second = half_second * n + derivative;
        derivative = derivative * n + powers;
        powers = powers * n + result->c[i];
    }
    /* powers(n) n^2: */
    double square = powers * n * n, steep = derivative * n * n + 2 * powers * n;
    *second = half_second * n * n + 2 * derivative * n + powers;
    *first = result->slope + result->slope_rest + steep;
    double product = result->slope * n, rest = fma(result->slope, n, -product);
    double other = result->slope_rest * n;
    *value = (product - rint(product)) + rest + (other - rint(other)) + (square - rint(square)) +
             result->c[0];
}

/* The least x with low <= step x <= high modulo `modulus`, which is 2^64 where it is 0; *turns is how
 * often step x goes round. Above `most` where there is none up to `most`. */
static uint64_t first_entry(uint64_t step, uint64_t modulus, uint64_t low, uint64_t high,
                            uint64_t most, uint64_t *turns) {
    *turns = 0;
    if (low == 0)
        return 0;
    if (step == 0)
        return most + 1;
    uint64_t low_rest = low % step, x = low / step + (low_rest != 0);
    if (x <= high / step)
        return x;
    /* After y turns: modulus y + low <= step x <= modulus y + high. */
    uint64_t each = (modulus - step) / step + 1, rest = (modulus - step) % step, deeper;
    uint64_t from = (step - high % step) % step, to = (step - low_rest) % step;
    uint64_t y = from <= to ? first_entry(rest, step, from, to, most, &deeper) : 0;
    if (y > most || (double)each * (double)y > (double)most)
        return most + 1;
    *turns = y;
    if (!y)
        return x;
    /* rest y = deeper step + more, where more is from .. to, so that low_rest + more is at most step. */
    return each * y + deeper + low / step + (low_rest || rest * y != deeper * step);
}

struct steps {
    uint64_t up, up_by, down, down_by; /* inputs, and by how much the fraction moves */
};

/* The fewest inputs after which the fraction has risen, or fallen, by less than the width. */
static struct steps steps_of(uint64_t advance, uint64_t width, uint64_t most) {
    struct steps s = {1, advance, 1, -advance};
    while ((s.up_by >= width || s.down_by >= width) && s.up <= most && s.down <= most) {
        if (s.up_by > s.down_by) {
            uint64_t times = (s.up_by - 1) / s.down_by;
            uint64_t enough = s.up_by >= width ? (s.up_by - width) / s.down_by + 1 : 0;
            times = times < enough ? times : enough;
            if (!times)
                break;
            s.up_by -= times * s.down_by;
            s.up += times * s.down;
        } else {
            uint64_t times = (s.down_by - 1) / s.up_by;
            uint64_t enough = s.down_by >= width ? (s.down_by - width) / s.up_by + 1 : 0;
            times = times < enough ? times : enough;
            if (!times)
                break;
            s.down_by -= times * s.up_by;
            s.down += times * s.up;
        }
    }
    return s;
}

/* Offsets from `start` of one piece. */
static size_t walk(uint64_t place, uint64_t advance, uint64_t width, uint64_t length, double start,
                   double spacing, double *offsets, size_t most) {
    size_t count = 0;
    /* place + advance x in [0, width): advance x in [-place, -place + width - 1] */
    uint64_t turns;
    uint64_t at =
        place < width ? 0 : first_entry(advance, 0, -place, width - 1 - place, length, &turns);
    place += advance * at;
    struct steps s = steps_of(advance, width, length);
    while (at < length && count < most) {
        offsets[count++] = start + spacing * (double)at;
        bool up = s.up_by < width && place < width - s.up_by;
        bool down = !up && place >= s.down_by;
        bool both = !up && !down;
        place += (up || both ? s.up_by : 0) - (down || both ? s.down_by : 0);
        at += (up || both ? s.up : 0) + (down || both ? s.down : 0);
    }
    return count;
}

double line_near_least(const struct line_result *result, double at, unsigned spacing_log2) {
    double value, slope, bend;
    expand(result, at, &value, &slope, &bend);
    bend *= power_of_two(2 * (int)spacing_log2);
    /* width * sqrt(width / 2 / bend) > 8 where width^3 > 128 bend */
    int exponent = (int)(bits_of(bend) >> 52 & 0x7ff) - 1023 + 8;
    return exponent < -3 * LEAST_WIDTH_LOG2 ? power_of_two(-LEAST_WIDTH_LOG2)
           : exponent >= 0                  ? 1
                                            : power_of_two(-(-exponent / 3));
}

size_t line_near(const struct line_result *result, double first, unsigned spacing_log2,
                 uint64_t *length, double low, double width, double *offsets, size_t most) {
    double value, slope, bend, spacing = power_of_two((int)spacing_log2);
    expand(result, first, &value, &slope, &bend);
    bend *= spacing * spacing;
    double reach = sqrt(width / 2 / (fabs(bend) + 0x1p-60));
    uint64_t piece = reach < (double)SHORTEST_PIECE    ? SHORTEST_PIECE
                     : reach < 1 << LONGEST_PIECE_LOG2 ? (uint64_t)reach
                                                       : (uint64_t)1 << LONGEST_PIECE_LOG2;
    piece = piece < *length ? piece : *length;
    *length = piece;
    double half = rint((double)piece / 2);
    expand(result, first + spacing * half, &value, &slope, &bend);
    uint64_t advance = fraction(slope) << spacing_log2;
    advance = advance ? advance : 1;
    uint64_t place = fraction(value) - fraction(low) - advance * (uint64_t)half;
    return walk(place, advance, fraction(width), piece, first, spacing, offsets, most);
}
