/* Draws of inputs whose errors can lie in a band.
 *
 * An output is a whole number of ulps, so only inputs whose exact results have certain fractions can
 * have errors as large as the worst so far or a little larger: these are drawn (near.h). And in some
 * implementations the low bits of the input decide how a sum or a square rounds, so that the worst
 * inputs share them: then only inputs with these low bits are drawn. */
#include "sweep/search/band.h"

#include "sweep/generator.h"
#include "sweep/search/near.h"

#include <math.h>

/* How many at a time, how many from one piece of the line, the rank from which the bound is, how far
 * beyond the bound it looks in means of the excess, how often it rises at most, and how often in
 * vain. The pieces are limited since none of them may hold such an input. */
enum {
    DRAWN = 224,
    FROM_ONE_PIECE = 16,
    BOUND = LOOK_TOP / 2 - 1,
    WIDENING = 2,
    MOST_RISES = 8,
    MOST_RISES_STALLED = 2,
    MOST_PIECES = 64
};
#define WIDEST 0.25

/* Streams of the generator, which take a number more for each draw. */
enum { DRAW_PIECE = 100000 };

/* What is drawn: of so many of `BOUND + 3` the outputs are below the exact results. */
struct drawn {
    struct band band;
    size_t below;
    unsigned shared_log2;
    int64_t shared; /* an offset with the low bits that all share */
};

double band_start(const struct band *band, bool below) {
    return below ? band->low : -band->low - band->width;
}

static struct band band_from(double low, double width, double least) {
    width = width > least ? width : least;
    return (struct band){low, width < WIDEST ? width : WIDEST};
}

/* How many of the low bits the worst inputs have in common. */
static unsigned shared_bits(const struct look *look) {
    uint64_t differ = (uint64_t)1 << MOST_SHARED_BITS;
    for (size_t i = 1; i <= BOUND; i++)
        differ |= (uint64_t)((int64_t)look->top[i].offset - (int64_t)look->top[0].offset);
    unsigned bits = 0;
    while (!(differ >> bits & 1))
        bits++;
    return bits;
}

/* Errors like those of the first half of the top and larger, with their signs as often and with the
 * low bits that they share; no narrower than pieces are worth. */
static struct drawn drawn_above(const struct look *look, const struct line_result *result) {
    const struct look_top *top = look->top;
    struct drawn drawn = {.below = 1};
    double low = top[BOUND].rank, mean = 0;
    drawn.shared_log2 = shared_bits(look);
    drawn.shared = (int64_t)top[0].offset;
    for (size_t i = 0; i < BOUND; i++)
        mean += (top[i].rank - low) / (double)BOUND;
    for (size_t i = 0; i <= BOUND; i++)
        drawn.below += top[i].below;
    drawn.band = band_from(low, fmax((double)WIDENING * mean, top[0].rank - low),
                           line_near_least(result, 0, drawn.shared_log2));
    return drawn;
}

/* Offsets of such inputs, if any, from pieces anywhere. */
static void draw_in_band(struct look *look, const struct line_result *result,
                         const struct drawn *drawn, unsigned time) {
    uint64_t key = look->prober->request->seed ^ generator_mix(look->probe->number);
    uint64_t length = 2 * look->line.half + 1, spacing = (uint64_t)1 << drawn->shared_log2;
    size_t count = 0;
    for (uint64_t i = 0; count + FROM_ONE_PIECE <= DRAWN && i < MOST_PIECES; i++) {
        uint64_t bits = generator_bits(key, i, DRAW_PIECE + time);
        uint64_t at = multiply_high(bits, length);
        int64_t first = (int64_t)at - (int64_t)look->line.half;
        uint64_t aligned = ((uint64_t)drawn->shared - (uint64_t)first) & (spacing - 1);
        if (aligned >= length - at)
            continue;
        uint64_t left = (length - at - aligned - 1) / spacing + 1;
        bool below = generator_mix(bits) % (BOUND + 3) < drawn->below;
        count += line_near(result, (double)(first + (int64_t)aligned), drawn->shared_log2, &left,
                           band_start(&drawn->band, below), drawn->band.width,
                           look->prober->offsets + count, FROM_ONE_PIECE);
    }
    look->count = look_allowed(look, count);
}

bool look_rise(struct look *look, struct error *error) {
    unsigned stalled = 0;
    int results = look->computed->operation->results;
    for (unsigned i = 0; i < MOST_RISES && stalled < MOST_RISES_STALLED; i++) {
        const struct line_result *result = &look->line.results[(int)i % results];
        struct drawn drawn = drawn_above(look, result);
        double best = look->top[0].rank;
        draw_in_band(look, result, &drawn, i);
        if (!look_try(look, error))
            return false;
        stalled = look->top[0].rank > best ? 0 : stalled + 1;
    }
    return true;
}

/* The offset of an input with the low bits that are wanted. */
static int64_t offset_with(const struct look *look, uint64_t code) {
    return (int64_t)(code - look->line.codes[look->line.running]);
}

bool look_beyond(struct look *look, struct error *error) {
    const struct beyond *beyond = &look->probe->beyond;
    int results = look->computed->operation->results;
    for (unsigned i = 0; i * DRAWN < look->probe->inputs; i++) {
        const struct line_result *result = &look->line.results[(int)i % results];
        struct drawn drawn = {.below = beyond->below ? BOUND + 3 : 0,
                              .shared_log2 = beyond->shared_log2,
                              .shared = offset_with(look, beyond->shared)};
        drawn.band =
            band_from(beyond->bound, beyond->reach, line_near_least(result, 0, drawn.shared_log2));
        draw_in_band(look, result, &drawn, i);
        if (look->count && !look_try(look, error))
            return false;
    }
    return true;
}
