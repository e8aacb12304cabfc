/* Chooses the drawn cases that part most pairs. */
#include "reveal/decide.h"

#include "reveal/case_draw.h"
#include "reveal/case_results.h"

#include <stdlib.h>
#include <string.h>

/* ---- Choosing ---- */

/* A result of a model of a class: models that no earlier case has told apart. */
struct parted {
    uint64_t result;
    size_t class, model;
};

static int compare_parted(const void *one, const void *other) {
    const struct parted *a = one, *b = other;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    return a->result < b->result ? -1 : a->result > b->result;
}

/* Parts classes by the results of a case; returns how many there are then, and into `pairs` how many pairs of models are
 * still together. Classes stay as they are without `keeps`. */
static size_t part(const struct decision *decision, size_t index, size_t *classes, bool keeps,
                   size_t *pairs) {
    static struct parted parted[DECIDE_MOST];
    const uint64_t *results = decision->results + index * decision->count;
    size_t count = 0, together = 0;
    for (size_t i = 0; i < decision->count; i++)
        parted[i] = (struct parted){results[i], classes[i], i};
    qsort(parted, decision->count, sizeof *parted, compare_parted);
    *pairs = 0;
    for (size_t i = 0; i < decision->count; i++) {
        bool is_new = !i || compare_parted(&parted[i - 1], &parted[i]) != 0;
        count += is_new;
        together = is_new ? 0 : together + 1;
        *pairs += together;
        if (keeps)
            classes[parted[i].model] = count;
    }
    return count;
}

static void choose(struct decision *decision) {
    size_t classes[DECIDE_MOST] = {0}, all[DECIDE_MOST] = {0}, pairs, groups = 1;
    for (size_t i = 0; i < decision->drawn.count; i++)
        decision->most_groups = part(decision, i, all, true, &pairs);
    while (decision->chosen_count < DECIDE_CASES && groups < decision->most_groups) {
        size_t best = 0, fewest = SIZE_MAX;
        for (size_t i = 0; i < decision->drawn.count; i++) {
            part(decision, i, classes, false, &pairs);
            if (pairs < fewest) {
                fewest = pairs;
                best = i;
            }
        }
        size_t before = groups;
        groups = part(decision, best, classes, true, &pairs);
        if (groups == before)
            return;
        decision->groups[decision->chosen_count] = groups;
        decision->chosen[decision->chosen_count++] = best;
    }
}

static bool compute(struct decision *decision, const struct fit *fit) {
    struct fit_terms terms;
    struct unit_cases *drawn = &decision->drawn;
    bool good = true;
    fit_terms_open(&terms, drawn);
    for (size_t m = 0; good && m < decision->count; m++) {
        const struct fit_row *row = NULL;
        struct grid_model model;
        const struct order_term *of = NULL;
        if (m < decision->point_count) {
            grid_model(&fit->grid, &fit->points[decision->points[m]], &model);
            of = fit_terms_of(&terms, &model);
            good = of != NULL;
        } else {
            row = decision->rows[m - decision->point_count];
        }
        for (size_t i = 0; good && i < drawn->count; i++) {
            uint64_t result = row ? fit_row_result(row->unit, row->without_c, drawn, i)
                                  : fit_result(&model, of, drawn, i);
            decision->results[i * decision->count + m] =
                format_is_nan(drawn->result, result) ? drawn->result->nan : result;
        }
    }
    fit_terms_close(&terms);
    return good;
}

bool decide(struct decision *decision, const struct fit *fit, uint64_t seed, struct error *error) {
    const struct unit_cases *cases = fit->cases;
    *decision = (struct decision){.drawn = {.format = cases->format,
                                            .result = cases->result,
                                            .products = cases->products,
                                            .has_c = cases->has_c,
                                            .saturates = cases->saturates,
                                            .scales = cases->scales,
                                            .block = cases->block}};
    size_t wanted = fit->point_count < DECIDE_MODELS ? fit->point_count : DECIDE_MODELS;
    for (size_t i = 0; i < wanted; i++)
        decision->points[decision->point_count++] = i * fit->point_count / wanted;
    decision->count = decision->point_count;
    for (size_t i = 0; i < fit->row_count; i++)
        if (fit_row_fits(&fit->rows[i]))
            decision->rows[decision->count++ - decision->point_count] = &fit->rows[i];
    if (decision->count < 2)
        return true;
    decision->results = calloc(DECIDE_DRAWN * decision->count, sizeof *decision->results);
    if (!decision->results || !case_draw(&decision->drawn, DECIDE_DRAWN, seed) ||
        !compute(decision, fit))
        return error_set(error, "out of memory for cases that would decide");
    choose(decision);
    return true;
}

void decision_close(struct decision *decision) {
    unit_cases_close(&decision->drawn);
    free(decision->results);
    decision->results = NULL;
}
