/* Cases that refuted a model come earlier for the next ones, so that most models end after a few. */
#include "reveal/fit.h"

#include "order/units.h"
#include "reveal/lossless.h"

#include <stdlib.h>

/* ---- Rows ---- */

bool fit_row_fits(const struct fit_row *row) {
    return !row->wrong || row->without_c;
}

static void hold_row(const struct unit_cases *cases, struct fit_row *row) {
    bool without_c = cases->has_c;
    for (size_t i = 0; i < cases->count; i++) {
        uint64_t got = fit_row_result(row->unit, false, cases, i);
        if (!fit_same(cases->result, got, cases->d[i]) && !row->wrong++) {
            row->first = i;
            row->got = got;
        }
        without_c = without_c &&
                    fit_same(cases->result, fit_row_result(row->unit, true, cases, i), cases->d[i]);
    }
    row->without_c = row->wrong && without_c;
}

static void hold_rows(struct fit *fit) {
    const struct unit_cases *cases = fit->cases;
    for (size_t i = 0; i < unit_count && fit->row_count < FIT_MOST_ROWS; i++) {
        const struct unit_scales *scales = units[i].scales;
        if (units[i].format != cases->format || units[i].node->result != cases->result ||
            (scales ? scales->format != cases->scales || scales->block != cases->block
                    : cases->scales != NULL))
            continue;
        struct fit_row *row = &fit->rows[fit->row_count++];
        *row =
            (struct fit_row){.unit = &units[i], .name = units[i].name, .source = units[i].source};
        hold_row(cases, row);
    }
}

/* ---- Models ---- */

static bool keep(struct fit *fit, const struct grid_point *point) {
    if (fit->point_count == fit->point_room) {
        size_t room = fit->point_room ? 2 * fit->point_room : 256;
        struct grid_point *more = realloc(fit->points, room * sizeof *more);
        if (!more)
            return false;
        fit->points = more;
        fit->point_room = room;
    }
    fit->points[fit->point_count++] = *point;
    grid_note(&fit->grid, point, &fit->sets);
    return true;
}

/* Whether a model gives all results; else the case that refuted it moves half way to the front of `order`. */
static bool fits(const struct grid_model *model, const struct order_term *terms,
                 struct lossless *lossless, size_t *order) {
    const struct unit_cases *cases = lossless->cases;
    for (size_t i = 0; i < cases->count; i++) {
        size_t index = order[i];
        if (lossless->of && lossless_fits(lossless, model, index))
            continue;
        if (fit_same(cases->result, fit_result(model, terms, cases, index), cases->d[index]))
            continue;
        order[i] = order[i / 2];
        order[i / 2] = index;
        return false;
    }
    return true;
}

static bool hold_models(struct fit *fit, struct fit_terms *terms, struct lossless *lossless,
                        size_t *order, const volatile sig_atomic_t *stop, struct error *error) {
    struct grid_point point = {{0}};
    do {
        struct grid_model model;
        grid_model(&fit->grid, &point, &model);
        const struct order_term *of = fit_terms_of(terms, &model);
        if (!of)
            return error_set(error, "out of memory for the products of %zu cases",
                             fit->cases->count);
        fit->tried++;
        if (fits(&model, of, lossless, order) && !keep(fit, &point))
            return error_set(error, "out of memory for models");
        if (*stop)
            return error_set(error, "interrupted");
    } while (grid_next(&fit->grid, &point));
    return true;
}

bool fit_cases(struct fit *fit, const struct unit_cases *cases, const volatile sig_atomic_t *stop,
               struct error *error) {
    *fit = (struct fit){.cases = cases};
    struct fit_terms terms;
    struct lossless lossless;
    size_t *order = malloc(cases->count * sizeof *order);
    if (!order)
        return error_set(error, "out of memory for %zu cases", cases->count);
    for (size_t i = 0; i < cases->count; i++)
        order[i] = i;
    grid_open(&fit->grid, cases);
    fit_terms_open(&terms, cases);
    hold_rows(fit);
    lossless = (struct lossless){.cases = cases};
    bool good = cases->scales || fit->grid.whole || lossless_open(&lossless, &terms) ||
                error_set(error, "out of memory for %zu cases", cases->count);
    good = good && hold_models(fit, &terms, &lossless, order, stop, error);
    lossless_close(&lossless);
    fit_terms_close(&terms);
    free(order);
    return good;
}

bool fit_narrow(struct fit *fit, const struct unit_cases *more, struct error *error) {
    struct fit_terms terms;
    size_t kept = 0;
    bool good = true;
    fit->sets = (struct grid_sets){0};
    fit_terms_open(&terms, more);
    for (size_t p = 0; good && p < fit->point_count; p++) {
        const struct grid_point point = fit->points[p];
        struct grid_model model;
        grid_model(&fit->grid, &point, &model);
        const struct order_term *of = fit_terms_of(&terms, &model);
        good = of || error_set(error, "out of memory for the products of %zu cases", more->count);
        bool gives = good;
        for (size_t i = 0; gives && i < more->count; i++)
            gives = fit_same(more->result, fit_result(&model, of, more, i), more->d[i]);
        if (!gives)
            continue;
        fit->points[kept++] = point;
        grid_note(&fit->grid, &point, &fit->sets);
    }
    fit->point_count = kept;
    fit_terms_close(&terms);
    for (size_t r = 0; good && r < fit->row_count; r++)
        for (size_t i = 0; i < more->count; i++)
            fit->rows[r].wrong += !fit_same(
                more->result, fit_row_result(fit->rows[r].unit, false, more, i), more->d[i]);
    return good;
}

void fit_close(struct fit *fit) {
    free(fit->points);
    fit->points = NULL;
}
