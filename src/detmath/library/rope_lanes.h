/* Rotary position embedding on vectors (rope_lanes.inc), of pairs whose magnitudes are ordinary; the others take the way of
 * rope.h, with the same bits. To be included after the headers of detmath, whose lanes are 64. */
#ifndef DETMATH_LIBRARY_ROPE_LANES_H
#define DETMATH_LIBRARY_ROPE_LANES_H

#include "detmath/rope.h"
#include "parts_lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/rope_lanes.inc"

/* As detmath_rope_turns: whole turns are dropped by integers, pair by pair, and vectors do the rest, a strip at a time. */
enum { ROPE_STRIP = 64 };
static inline void rope_turns_of_lanes(float *turns, const struct detmath_wide *frequencies,
                                       size_t pairs, int64_t position) {
    for (size_t first = 0; first < pairs; first += ROPE_STRIP) {
        const size_t strip = pairs - first < ROPE_STRIP ? pairs - first : ROPE_STRIP;
        detmath_u32 angles[3][ROPE_STRIP];
        for (size_t i = 0; i < strip; i++) {
            struct detmath_rope_angle angle =
                detmath_rope_angle_at(frequencies[first + i], position);
            __asm__("" : "+r"(angle.how)); /* no vectors, which have no product of 128 bits */
            angles[0][i] = angle.high;
            angles[1][i] = angle.rest;
            angles[2][i] = angle.how;
        }
        for (size_t i = strip; i % DETMATH_LANES; i++)
            angles[0][i] = angles[1][i] = angles[2][i] = 0;
        for (size_t at = 0; at < strip; at += DETMATH_LANES) {
            const size_t there = strip - at < DETMATH_LANES ? strip - at : DETMATH_LANES;
            lanes_u of[3];
            for (int k = 0; k < 3; k++)
                memcpy(&of[k], angles[k] + at, sizeof of[k]);
            const struct detmath_turn_parts_lanes turn =
                detmath_rope_turn_by_lanes(of[0], of[1], of[2]);
            const lanes_f parts[] = {turn.sine.high, turn.sine.low, turn.cosine.high,
                                     turn.cosine.low};
            for (size_t k = 0; k < 4; k++)
                if (there == DETMATH_LANES)
                    lanes_store(turns + k * pairs + first + at, parts[k]);
                else
                    memcpy(turns + k * pairs + first + at, &parts[k], there * sizeof *turns);
        }
    }
}

/* Pairs whose magnitudes are not all from 2^-20 to 2^12, or that are no vector. */
enum { ROPE_LEAST = -20 };
DETMATH_SELDOM_FUNCTION void rope_far(float *y, const float *x, const float *turns, size_t pairs,
                                      int is_at_0, size_t there, int interleaved) {
    detmath_rope_strip(y, x, turns, pairs, is_at_0, (int)there, interleaved ? 2 : 1,
                       interleaved ? 1 : pairs);
}

/* A vector of pairs of each line; y and x point at its first pair in the first line. */
static inline void rope_of_vectors(float *y, const float *x, const float *turns, size_t pairs,
                                   size_t lines, size_t length, int interleaved) {
    const struct detmath_parts_lanes sine = {lanes_load(turns), lanes_load(turns + pairs)},
                                     cosine = {lanes_load(turns + 2 * pairs),
                                               lanes_load(turns + 3 * pairs)};
    for (; lines; lines--, y += length, x += length) {
        lanes_f a, b;
        if (interleaved) {
            lanes_part(x, &a, &b);
        } else {
            a = lanes_load(x);
            b = lanes_load(x + pairs);
        }
        const lanes_f first = detmath_rope_sum_lanes(a, cosine, -b, sine),
                      second = detmath_rope_sum_lanes(b, cosine, a, sine);
        if (DETMATH_SELDOM(lanes_have(lanes_far(a, ROPE_LEAST) | lanes_far(b, ROPE_LEAST),
                                      DETMATH_LANES_FAR))) {
            rope_far(y, x, turns, pairs, 0, DETMATH_LANES, interleaved);
        } else if (interleaved) {
            lanes_join(y, first, second);
        } else {
            lanes_store(y, first);
            lanes_store(y + pairs, second);
        }
    }
}

/* As detmath_ropef, of lines that begin `length` elements apart. */
static inline void rope_of_lanes(float *y, const float *x, const float *turns, size_t pairs,
                                 int64_t position, int interleaved, size_t lines, size_t length) {
    for (size_t i = 0, there; i < pairs; i += there) {
        const size_t first = interleaved ? 2 * i : i;
        there = pairs - i < DETMATH_LANES ? pairs - i : DETMATH_LANES;
        if (position == 0 || there < DETMATH_LANES)
            for (size_t line = 0; line < lines; line++)
                rope_far(y + line * length + first, x + line * length + first, turns + i, pairs,
                         position == 0, there, interleaved);
        else if (interleaved)
            rope_of_vectors(y + first, x + first, turns + i, pairs, lines, length, 1);
        else
            rope_of_vectors(y + first, x + first, turns + i, pairs, lines, length, 0);
    }
}
#endif

#endif
