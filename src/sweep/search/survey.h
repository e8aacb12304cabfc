/* What a search starts from: the special inputs, and boxes, and how bad what was seen from each is. */
#ifndef DETCHECK_SWEEP_SEARCH_SURVEY_H
#define DETCHECK_SWEEP_SEARCH_SURVEY_H

#include "sweep/search/box.h"
#include "sweep/search/population.h"
#include "sweep/search/search.h"
#include "sweep/search/specials.h"

struct start {
    struct box box;
    double score; /* the best seen from there */
    bool was_home;
};

struct survey {
    uint64_t seed;
    const struct format *format;
    int operands;
    struct starts sides[MAX_OPERANDS];
    size_t count, done; /* `done`: boxes that survey_next told of */
    size_t step;        /* from one to the next, modulo `count` */
    struct start *starts;
    struct start **order; /* the best first */
    struct specials specials;
    uint64_t specials_done; /* that were tried, in their order */
};

/* False with an error where there is nothing to search among; survey_close frees in any case. */
bool survey_open(struct survey *survey, const struct search_request *request, struct error *error);
void survey_close(struct survey *survey);

/* The next box, in an order in which the first ones, however many, are from everywhere: a search may
 * end before it has seen all. */
size_t survey_next(struct survey *survey);

/* Adds to an empty set the binades where the operation is more than an exact result, an overflow or one
 * term of it, as the survey saw it. It stays empty for several operands, and without memory. */
void survey_lively(const struct survey *survey, struct code_set *lively);

/* Puts the best starts first. */
void survey_rank(struct survey *survey);

/* Draws a centre anywhere in a start: of one operand a good one, of several that or, as often, a new
 * one, for which NULL is returned. Where `home` is not NULL, in that one. Where `even`, in any start,
 * and of one operand in any binade: for hard cases, which are everywhere, and for what was not seen
 * at first. */
struct start *survey_draw(const struct survey *survey, const struct draws *draws,
                          struct start *home, bool even, uint64_t *centre);

/* A good start that has not been a home, or any good one. */
struct start *survey_home(struct survey *survey, const struct draws *draws);

#endif
