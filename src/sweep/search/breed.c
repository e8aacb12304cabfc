/* Ever worse inputs of a line, from the worst so far.
 *
 * Two ways lead there. An output is a whole number of ulps, so only inputs whose exact results have
 * certain fractions can have errors as large as the worst so far or a little larger: these are drawn
 * (near.h), and the bound rises with what they show. And the worst are combined, a + b - c: each
 * rounding error in a function goes round as the input runs, at a speed that a short line hardly
 * changes, so if a, b and c are where the rounding errors add up, so is this. Of what is combined,
 * too, only inputs with such fractions are looked at. */
#include "sweep/search/look.h"

#include "base/bits.h"
#include "sweep/generator.h"
#include "sweep/search/near.h"

#include <math.h>

/* Of what is drawn: how many at a time, how many from one piece of the line, the rank from which the
 * bound is, how far beyond the bound it looks in means of the excess, how often it rises at most, and
 * how often in vain. The pieces are limited since none of them may hold such an input. */
enum {
    DRAWN = 224,
    FROM_ONE_PIECE = 16,
    BOUND = LOOK_TOP / 2 - 1,
    WIDENING = 2,
    MOST_RISES = 8,
    MOST_RISES_IN_VAIN = 2,
    MOST_PIECES = 64
};
#define WIDEST 0.25

/* Of what is combined: draws at a time, of which many may be left out; how often, and how often in
 * vain. */
enum { COMBINED = 256, MOST_GENERATIONS = 100, MOST_IN_VAIN = 3 };

/* Streams of the generator, which take a number more for each rise and generation. */
enum { DRAW_PIECE = 32, DRAW_COMBINED = DRAW_PIECE + MOST_RISES };

/* The errors that are wanted, without signs. */
struct band {
    double low, width;
};

static uint64_t key_of(const struct look *look) {
    return look->prober->request->seed ^ generator_mix(look->probe->number);
}

/* Errors like those of the first half of the top and larger; no narrower than pieces are worth. */
static struct band band_above(const struct look *look, double least) {
    const struct look_top *top = look->top;
    double low = top[BOUND].rank, mean = 0, width;
    for (size_t i = 0; i < BOUND; i++)
        mean += (top[i].rank - low) / (double)BOUND;
    width = (double)WIDENING * mean;
    width = width > top[0].rank - low ? width : top[0].rank - low;
    width = width > least ? width : least;
    return (struct band){low, width < WIDEST ? width : WIDEST};
}

/* Where the band lies above whole numbers, of outputs that are below the exact results or not. */
static double band_start(const struct band *band, bool below) {
    return below ? band->low : -band->low - band->width;
}

/* Offsets of inputs with errors in the band, if any, from pieces anywhere; with the signs as often as
 * at the top. */
static void draw_in_band(struct look *look, const struct line_result *result,
                         const struct band *band, unsigned rise) {
    uint64_t key = key_of(look), length = 2 * look->line.half + 1;
    size_t below = 1, count = 0;
    for (size_t i = 0; i <= BOUND; i++)
        below += look->top[i].below;
    for (uint64_t i = 0; count + FROM_ONE_PIECE <= DRAWN && i < MOST_PIECES; i++) {
        uint64_t bits = generator_bits(key, i, DRAW_PIECE + rise);
        uint64_t at = multiply_high(bits, length), left = length - at;
        bool side = generator_mix(bits) % (BOUND + 3) < below;
        count += line_near(result, (double)((int64_t)at - (int64_t)look->line.half), &left,
                           band_start(band, side), band->width, look->prober->offsets + count,
                           FROM_ONE_PIECE);
    }
    look->count = look_allowed(look, count);
}

/* Draws within a bound that rises. */
static bool rise(struct look *look, struct error *error) {
    unsigned in_vain = 0;
    int results = look->computed->operation->results;
    for (unsigned i = 0; i < MOST_RISES && in_vain < MOST_RISES_IN_VAIN; i++) {
        const struct line_result *result = &look->line.results[(int)i % results];
        struct band band = band_above(look, line_near_least(result, 0));
        double best = look->top[0].rank;
        draw_in_band(look, result, &band, i);
        if (!look_try(look, error))
            return false;
        in_vain = look->top[0].rank > best ? 0 : in_vain + 1;
    }
    return true;
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
    band.width = 2 * (look->top[0].rank - band.low) + line_near_least(result, 0);
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
    unsigned in_vain = 0;
    for (size_t i = 0; i < look->top_count; i++)
        set_add(&tried, look->top[i].offset, true);
    for (unsigned i = 0; i < MOST_GENERATIONS && in_vain < MOST_IN_VAIN; i++) {
        combine_offsets(look, &tried, i);
        if (has_fractions)
            leave_out(look);
        look->count = look_allowed(look, look->count);
        if (!look_try(look, error))
            return false;
        double sum = sum_of_top(look);
        in_vain = sum > best ? 0 : in_vain + 1;
        best = sum;
    }
    return true;
}

bool look_breed(struct look *look, struct error *error) {
    if (look->top_count < LOOK_TOP)
        return true;
    if (look->prober->request->purpose == SEARCH_ERROR && !rise(look, error))
        return false;
    return combine(look, error);
}
