/* Of one operand, boxes are its intervals, each in its turn; of several they are drawn from those. */
#include "sweep/search/survey.h"

#include <stdlib.h>

/* Boxes of pairs and triples; the score from which on a binade counts as lively. */
enum { DRAWN_STARTS = 8192 };
#define LIVELY 0.25

/* Intervals for all operands. */
static struct box box_of(const struct survey *survey, uint64_t number) {
    struct box box = {{{0, 0}}};
    struct draws draws = {survey->seed, number, survey->format, survey->operands};
    for (int i = 0; i < survey->operands; i++) {
        const struct starts *side = &survey->sides[i];
        box.sides[i] =
            side->intervals[survey->operands == 1
                                ? number
                                : draw_below(&draws, STREAM_SIDE + (unsigned)i, side->count)];
    }
    return box;
}

static size_t common_divisor(size_t a, size_t b) {
    while (b) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* About 0.618 of all, so that each divides a largest gap, and without a common divisor, so that all
 * have their turn. */
static size_t step_through(size_t count) {
    size_t step = count * 89 / 144 + 1;
    while (common_divisor(step, count) != 1)
        step++;
    return step;
}

bool survey_open(struct survey *survey, const struct search_request *request, struct error *error) {
    const struct operation *operation = request->sweep->computed.operation;
    *survey = (struct survey){.seed = request->seed,
                              .format = request->sweep->computed.format,
                              .operands = operation->operands};
    for (int i = 0; i < survey->operands; i++)
        if (!starts_make(&survey->sides[i], format_of_operand(survey->format, i), operation,
                         &request->sets[i], error))
            return false;
    if (!specials_make(&survey->specials, request, error))
        return false;
    survey->count = survey->operands == 1 ? survey->sides[0].count : DRAWN_STARTS;
    survey->step = step_through(survey->count);
    survey->starts = calloc(survey->count, sizeof *survey->starts);
    survey->order = calloc(survey->count, sizeof *survey->order);
    if (!survey->starts || !survey->order)
        return error_set(error, "out of memory for the search");
    for (size_t i = 0; i < survey->count; i++) {
        survey->order[i] = &survey->starts[i];
        survey->starts[i].box = box_of(survey, i);
    }
    return true;
}

void survey_close(struct survey *survey) {
    for (int i = 0; i < survey->operands; i++)
        starts_free(&survey->sides[i]);
    free(survey->starts);
    free(survey->order);
    specials_free(&survey->specials);
}

size_t survey_next(struct survey *survey) {
    return survey->done++ * survey->step % survey->count;
}

void survey_lively(const struct survey *survey, struct code_set *lively) {
    struct error unused;
    for (size_t i = 0; survey->operands == 1 && i < survey->sides[0].binades; i++) {
        const struct code_interval *binade = &survey->sides[0].intervals[i];
        if (survey->starts[i].score >= LIVELY &&
            !code_set_append(lively, binade->first, binade->first + binade->count - 1, &unused)) {
            code_set_free(lively);
            return;
        }
    }
}

static int by_score(const void *a, const void *b) {
    const struct start *x = *(const struct start *const *)a, *y = *(const struct start *const *)b;
    if (x->score > y->score)
        return -1;
    if (x->score < y->score)
        return 1;
    return x < y ? -1 : 1;
}

void survey_rank(struct survey *survey) {
    qsort(survey->order, survey->count, sizeof(struct start *), by_score);
}

struct start *survey_draw(const struct survey *survey, const struct draws *draws,
                          struct start *home, bool even, uint64_t *centre) {
    struct start *start = home;
    if (even && survey->operands == 1)
        start = &survey->starts[draw_below(draws, STREAM_RANK, survey->sides[0].binades)];
    else if (!home)
        start = survey->order[draw_rank(draws, 0, survey->count)];
    struct box box = start->box;
    if (!home && survey->operands > 1 && (even || draw(draws, STREAM_CHOICE) % 2)) {
        box = box_of(survey, survey->count + draws->number);
        start = NULL;
    }
    for (int i = 0; i < survey->operands; i++)
        centre[i] =
            box.sides[i].first + draw_below(draws, STREAM_SCALE + (unsigned)i, box.sides[i].count);
    return start;
}

struct start *survey_home(struct survey *survey, const struct draws *draws) {
    size_t rank = draw_rank(draws, 0, survey->count);
    bool fresh = draw(draws, STREAM_CHOICE) % 2;
    while (fresh && rank + 1 < survey->count && survey->order[rank]->was_home)
        rank++;
    survey->order[rank]->was_home = true;
    return survey->order[rank];
}
