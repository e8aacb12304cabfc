/* Windows move by any power of two of codes, each as often as any other, since nothing is known of
 * how far the features of an implementation reach; and as many functions treat all binades alike, or
 * both signs, windows jump to others of these too. */
#include "sweep/search/population.h"
#include "sweep/search/box.h"

#include "base/bits.h"
#include "sweep/generator.h"

#include <string.h>

/* Of so many windows one combines three, of so many moves one is a jump. */
enum { COMBINED_ONE_OF = 3, JUMPS_ONE_OF = 8 };

/* So many windows at different places show which low bits are shared. The bound is the error of this
 * rank among windows. What ways found long ago counts for little; a way that was not tried counts as
 * one that found something in so many evaluations. Each way has its least share. */
enum { FEWEST_PLACES = 8, BOUND_RANK = 4 };
#define MEMORY      0.999
#define UNTRIED     1e6
#define LEAST_SHARE 0.125

/* Which lengths show most differs between implementations, so a window takes the length of the one
 * that it is drawn near to, or twice or half of that. In fp64 shorter ones are not worth their
 * polynomial. */
enum { SHORTEST_LOG2 = 7, SHORTEST_WIDE_LOG2 = 20, LONGEST_LOG2 = 25, WIDE_PRECISION = 40 };

/* The first population looks into a few places deeply, the last keeps many places apart, from which
 * combinations lead to others: to the same place in another interval of a table, say. */
enum { APART_LOG2 = 22, APART_MORE_LOG2 = 6 };

uint64_t draw(const struct draws *draws, unsigned stream) {
    return generator_bits(draws->seed, draws->number, stream);
}

uint64_t draw_below(const struct draws *draws, unsigned stream, uint64_t count) {
    return generator_below(draws->seed, draws->number, stream, count);
}

size_t draw_rank(const struct draws *draws, unsigned which, size_t count) {
    unsigned stream = STREAM_RANK + 2 * which;
    unsigned octaves = 64 - leading_zeros(count);
    uint64_t octave = (uint64_t)1 << draw_below(draws, stream, octaves);
    uint64_t rank = octave - 1 + draw_below(draws, stream + 1, octave);
    return (size_t)(rank < count ? rank : rank - octave);
}

static bool is_wide(const struct format *format) {
    return format_is_plain(format) && format->precision >= WIDE_PRECISION;
}

static unsigned shortest(const struct format *format) {
    return is_wide(format) ? SHORTEST_WIDE_LOG2 : SHORTEST_LOG2;
}

/* As the binades of the format have room. */
static unsigned longest(const struct format *format) {
    unsigned room = binade_log2(format);
    room = room < LONGEST_LOG2 ? room : LONGEST_LOG2;
    return room > shortest(format) ? room : shortest(format);
}

unsigned draw_length(const struct draws *draws) {
    unsigned least = shortest(draws->format), most = longest(draws->format);
    return least + (unsigned)draw_below(draws, STREAM_LENGTH, most - least + 1);
}

unsigned apart_of(const struct format *format, unsigned turn) {
    return is_wide(format) ? APART_LOG2 + APART_MORE_LOG2 * turn : SHORTEST_LOG2 + turn;
}

static const struct window *draw_window(const struct population *population,
                                        const struct draws *draws, unsigned which) {
    return &population->best[draw_rank(draws, which, population->count)];
}

/* The code some binades up or down, few more often than many; or as many times as far from an end of
 * its binade, or nearer to it, since much happens around 1 and other powers of two; or with the other
 * sign. */
static uint64_t jump(const struct format *format, uint64_t code, uint64_t way) {
    uint64_t binade = (uint64_t)1 << binade_log2(format), within = code & (binade - 1);
    unsigned steps = 1 + leading_zeros(way | 1);
    bool from_end = way >> 3 & 1, further = way >> 4 & 1;
    switch (way % 8) {
    case 0:
        return code ^ format->sign_bit;
    case 1:
    case 2:
        within = from_end ? binade - 1 - within : within;
        within = (further ? within << steps : within >> steps) & (binade - 1);
        within = from_end ? binade - 1 - within : within;
        return (code & ~(binade - 1)) | within;
    default:
        return (way % 2 ? code + steps * binade : code - steps * binade) & format_mask(format);
    }
}

/* a + b - c for the centres of three windows, as far as that lies in the binade of a: what the
 * window does on a small scale, the slower of the rounding errors do on a large one. */
static void combine(const struct population *population, const struct draws *draws,
                    uint64_t *centre) {
    unsigned digits = binade_log2(draws->format);
    const uint64_t *b = draw_window(population, draws, 1)->centre,
                   *c = draw_window(population, draws, 2)->centre;
    for (int i = 0; i < draws->operands; i++) {
        uint64_t moved = centre[i] + b[i] - c[i];
        if (moved >> digits == centre[i] >> digits)
            centre[i] = moved;
    }
}

/* Each operand moves within its binade, or stays, or jumps. */
static void move_by_scale(const struct draws *draws, uint64_t *centre) {
    unsigned digits = binade_log2(draws->format);
    for (int i = 0; i < draws->operands; i++) {
        uint64_t way = draw(draws, STREAM_WAY + (unsigned)i), code = centre[i];
        if (draws->operands > 1 && way % 2)
            continue;
        unsigned scale = STREAM_SCALE + (unsigned)i, side = STREAM_SIDE + (unsigned)i;
        uint64_t far = (uint64_t)1 << draw_below(draws, scale, digits);
        uint64_t moved = code - far + draw_below(draws, side, 2 * far + 1);
        if (moved >> digits == code >> digits)
            centre[i] = moved;
        if ((way >> 1) % JUMPS_ONE_OF == 0)
            centre[i] = jump(draws->format, centre[i], way >> 8);
    }
}

struct window population_draw(const struct population *population, const struct draws *draws) {
    struct window window = *draw_window(population, draws, 0);
    unsigned least = shortest(draws->format), most = longest(draws->format);
    window.half_log2 += (unsigned)draw_below(draws, STREAM_LENGTH, 3); /* and one less */
    window.half_log2 = window.half_log2 > least + 1 ? window.half_log2 - 1 : least;
    window.half_log2 = window.half_log2 < most ? window.half_log2 : most;
    if (draw_below(draws, STREAM_CHOICE, COMBINED_ONE_OF) == 0)
        combine(population, draws, window.centre);
    else
        move_by_scale(draws, window.centre);
    return window;
}

unsigned population_shares(const struct population *population, int operand, uint64_t binade) {
    uint64_t differ = (uint64_t)1 << MOST_SHARED_BITS;
    unsigned places = 0, bits = 0;
    for (size_t i = 0; i < population->count && i < FEWEST_BEST; i++) {
        uint64_t code = population->best[i].centre[operand];
        bool is_copy = false;
        for (size_t j = 0; j < i; j++)
            is_copy |= ((code ^ population->best[j].centre[operand]) & (binade - 1)) == 0;
        differ |= code ^ population->best[0].centre[operand];
        places += !is_copy;
    }
    while (!(differ >> bits & 1))
        bits++;
    return places < FEWEST_PLACES ? 0 : bits;
}

double population_bound(const struct population *population, double *excess) {
    double largest[BOUND_RANK] = {0};
    for (size_t i = 0; i < population->count && i < FEWEST_BEST; i++) {
        size_t place = BOUND_RANK;
        for (; place > 0 && largest[place - 1] < population->best[i].worst; place--)
            if (place < BOUND_RANK)
                largest[place] = largest[place - 1];
        if (place < BOUND_RANK)
            largest[place] = population->best[i].worst;
    }
    *excess = largest[0] - largest[BOUND_RANK - 1];
    return largest[BOUND_RANK - 1];
}

void population_credit(struct population *population, int way, bool hit, uint64_t evaluations) {
    population->hits[way] = MEMORY * population->hits[way] + hit;
    population->tries[way] = MEMORY * population->tries[way] + (double)evaluations;
}

/* Hits for each evaluation, where a hit that was not was made at first. */
static double rate(const struct population *population, int way) {
    return (population->hits[way] + 1) / (population->tries[way] + UNTRIED);
}

double population_share_beyond(const struct population *population) {
    double beyond = rate(population, WAY_BEYOND), breed = rate(population, WAY_BREED);
    double share = beyond / (beyond + breed);
    return share < LEAST_SHARE ? LEAST_SHARE : share > 1 - LEAST_SHARE ? 1 - LEAST_SHARE : share;
}

/* Whether they are one place, or the same inputs but for sign and binade that are as wrong. */
static bool are_near(const struct window *a, const struct window *b, const struct format *format,
                     unsigned apart, int operands) {
    bool near = true, copies = !(a->worst < b->worst || a->worst > b->worst);
    uint64_t within = ((uint64_t)1 << binade_log2(format)) - 1;
    for (int i = 0; i < operands; i++) {
        uint64_t x = a->centre[i], y = b->centre[i];
        near = near && (x > y ? x - y : y - x) >> apart == 0;
        copies = copies && ((x ^ y) & within) == 0;
    }
    return near || copies;
}

bool population_has(const struct population *population, const struct window *window,
                    int operands) {
    for (size_t i = 0; i < population->count; i++)
        if (memcmp(population->best[i].centre, window->centre,
                   (size_t)operands * sizeof *window->centre) == 0)
            return true;
    return false;
}

void population_remember(struct population *population, const struct window *window,
                         const struct format *format, int operands) {
    struct window *best = population->best;
    size_t place = 0;
    while (place < population->count &&
           !are_near(&best[place], window, format, population->apart, operands))
        place++;
    if (place == MOST_BEST)
        place--;
    else if (place == population->count)
        best[population->count++].score = -1;
    if (best[place].score >= window->score)
        return;
    for (; place > 0 && best[place - 1].score < window->score; place--)
        best[place] = best[place - 1];
    best[place] = *window;
}
