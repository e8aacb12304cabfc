/* Windows of a search that compete with each other, and the next ones that are drawn from them. */
#ifndef DETCHECK_SWEEP_SEARCH_POPULATION_H
#define DETCHECK_SWEEP_SEARCH_POPULATION_H

#include "format/format.h"
#include "op/operation.h"
#include "sweep/search/probe.h"

/* How many windows a population wants before it draws near them, and how many it remembers. */
enum { FEWEST_BEST = 16, MOST_BEST = 64 };

/* Where something was found. */
struct window {
    uint64_t centre[MAX_OPERANDS];
    unsigned half_log2; /* of the codes on either side */
    double score;
    double worst; /* the largest error in it, at the centre, */
    bool below;   /* of an output below the exact result */
};

/* The ways to look near a window. */
enum { WAY_BREED, WAY_BEYOND, POPULATION_WAYS };

/* Several populations find different places, and one where nothing was found for long begins anew. */
struct population {
    unsigned apart;                /* windows nearer than 2^apart are one place, with one window */
    struct start *home;            /* where it began and goes anew; NULL: anywhere */
    struct window best[MOST_BEST]; /* the best first */
    size_t count;
    unsigned stalled; /* rounds since it found a better one */
    double hits[POPULATION_WAYS], tries[POPULATION_WAYS];
};

/* What is drawn for one probe of a search. */
struct draws {
    uint64_t seed, number; /* of the probe */
    const struct format *format;
    int operands;
};

/* Streams of the generator; those with operands take a number for each. Lower ones are the probe's,
 * and so are those from 32 on. */
enum {
    STREAM_CHOICE = 8,
    STREAM_RANK, /* two for each of three */
    STREAM_LENGTH = STREAM_RANK + 6,
    STREAM_RUNNING,
    STREAM_END,
    STREAM_SIDE = 1000,
    STREAM_WAY = STREAM_SIDE + MAX_OPERANDS,
    STREAM_SCALE = STREAM_WAY + MAX_OPERANDS,
    STREAM_PLACE = STREAM_SCALE + MAX_OPERANDS /* five */
};

uint64_t draw(const struct draws *draws, unsigned stream);
uint64_t draw_below(const struct draws *draws, unsigned stream, uint64_t count);

/* 0 .. count - 1: as often below 1 as from 1 to 2, from 3 to 6, from 7 to 14 and so on. */
size_t draw_rank(const struct draws *draws, unsigned which, size_t count);

/* Any length of a window, and the distance at which windows of a new population are apart; the `turn`
 * says which population it is. */
unsigned draw_length(const struct draws *draws);
unsigned apart_of(const struct format *format, unsigned turn);

/* Centre and length of a window near one of the best. */
struct window population_draw(const struct population *population, const struct draws *draws);

/* The low bits of one operand that the worst windows have in common; 0 where they are too few. */
unsigned population_shares(const struct population *population, int operand, uint64_t binade);

/* The error that the next windows are to exceed, and how far the worst one does. */
double population_bound(const struct population *population, double *excess);

/* Notes what a way of looking found for its evaluations: one that exceeded the bound, at a new place,
 * or not. */
void population_credit(struct population *population, int way, bool hit, uint64_t evaluations);

/* The share of the windows that look beyond the bound: more, the more such windows find. */
double population_share_beyond(const struct population *population);

/* Keeps the best windows, and of those near each other one. */
void population_remember(struct population *population, const struct window *window,
                         const struct format *format, int operands);

/* Whether the worst input of one of its windows is that of this window. */
bool population_has(const struct population *population, const struct window *window, int operands);

#endif
