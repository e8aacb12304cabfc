/* Ever worse inputs of a line, from the worst so far.
 *
 * Two ways lead there. Inputs are drawn within a bound that rises (band.c). And the worst are combined,
 * a + b - c: each rounding error in a function goes round as the input runs, at a speed that a short
 * line hardly changes, so if a, b and c are where the rounding errors add up, so is this. Of what is
 * combined, too, only inputs whose errors can be as large are looked at. */
#include "sweep/search/band.h"

#include "base/bits.h"
#include "sweep/generator.h"
#include "sweep/search/near.h"

#include <math.h>

/* Of what is combined: draws at a time, of which many may be left out; how often, and how often in
 * vain. */
enum { COMBINED = 256, MOST_GENERATIONS = 100, MOST_STALLED = 3 };

#define WIDEST 0.25

/* A stream of the generator, which takes a number more for each generation. */
enum { DRAW_COMBINED = 32 };

static uint64_t key_of(const struct look *look) {
    return look->prober->request->seed ^ generator_mix(look->probe->number);
}

/* A set of offsets, which takes a few for others that are in it. */
enum { SET_LOG2 = 17 };
struct offset_set {
    uint64_t bits[1 << (SET_LOG2 - 6)];
};

/* Whether the offset is new if `wanted`, and adds it then. */
static bool set_add(struct offset_set *set, double offset, bool wanted) {
    uint64_t place = generator_mix(bits_of(offset)) >> (64 - SET_LOG2);
    uint64_t *word = &set->bits[place >> 6], bit = (uint64_t)wanted << (place & 63);
    bool is_new = bit & ~*word;
    *word |= bit;
    return is_new;
}

/* a + b - c for the offsets of any three of the top. None is tried twice. No branch depends on what
 * is drawn. */
static void combine_offsets(struct look *look, struct offset_set *tried, unsigned generation) {
    uint64_t key = key_of(look), n = look->top_count;
    double offsets[LOOK_TOP], half = (double)look->line.half, *room = look->prober->offsets;
    size_t count = 0;
    for (size_t i = 0; i < LOOK_TOP; i++)
        offsets[i] = i < n ? look->top[i].offset : 0;
    for (uint64_t draw = 0; draw < COMBINED; draw++) {
        uint64_t bits = generator_bits(key, draw, DRAW_COMBINED + generation);
        size_t a = (bits & 0xffff) * n >> 16, b = (bits >> 16 & 0xffff) * n >> 16,
               c = (bits >> 32 & 0xffff) * n >> 16;
        double offset = offsets[a] + offsets[b] - offsets[c];
        room[count] = offset;
        count += set_add(tried, offset, (a != c) & (b != c) & (fabs(offset) <= half));
    }
    look->count = count;
}

/* Leaves out what cannot be of the top, or is far beyond it. */
static void leave_out(struct look *look) {
    const struct line_result *result = &look->line.results[0];
    struct band band = {look->top[look->top_count - 1].rank, 0};
    double *offsets = look->prober->offsets, *fractions = look->prober->values;
    size_t count = 0;
    band.width = 2 * (look->top[0].rank - band.low) + line_near_least(result, 0, 0);
    if (band.width >= WIDEST || look->computed->operation->results > 1)
        return;
    double below = band_start(&band, true), above = band_start(&band, false);
    line_fractions(result, offsets, fractions, look->count);
    for (size_t at = 0; at < look->count; at++) {
        double b = fractions[at] - below, a = fractions[at] - above;
        offsets[count] = offsets[at];
        count += (b - floor(b) <= band.width) | (a - floor(a) <= band.width);
    }
    look->count = count;
}

static double sum_of_top(const struct look *look) {
    double sum = 0;
    for (size_t i = 0; i < look->top_count; i++)
        sum += look->top[i].rank;
    return sum;
}

/* Combines, generation by generation. */
static bool combine(struct look *look, struct error *error) {
    struct offset_set tried = {{0}};
    double best = sum_of_top(look);
    bool has_fractions = look->prober->request->purpose == SEARCH_ERROR;
    unsigned stalled = 0;
    for (size_t i = 0; i < look->top_count; i++)
        set_add(&tried, look->top[i].offset, true);
    for (unsigned i = 0; i < MOST_GENERATIONS && stalled < MOST_STALLED; i++) {
        combine_offsets(look, &tried, i);
        if (has_fractions)
            leave_out(look);
        look->count = look_allowed(look, look->count);
        if (!look_try(look, error))
            return false;
        double sum = sum_of_top(look);
        stalled = sum > best ? 0 : stalled + 1;
        best = sum;
    }
    return true;
}

bool look_breed(struct look *look, struct error *error) {
    if (look->top_count < LOOK_TOP)
        return true;
    if (look->prober->request->purpose == SEARCH_ERROR && !look_rise(look, error))
        return false;
    return combine(look, error);
}
