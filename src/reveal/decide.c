/* Half of the cases are aimed: a product or c, and a few that lie near the last bits that it leaves to them. */
#include "reveal/decide.h"

#include "reveal/case_results.h"

#include <stdlib.h>
#include <string.h>

/* ---- Drawing ---- */

static uint64_t next(uint64_t *state) {
    uint64_t h = *state += UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

static int between(uint64_t *state, int least, int most) {
    return least + (int)((next(state) >> 32) % (uint64_t)(most - least + 1));
}

/* A number of that exponent, or the nearest one that the format has. */
static uint64_t number_at(uint64_t *state, const struct format *format, int exponent) {
    unsigned bits = (unsigned)format->precision - 1;
    uint64_t hidden = (uint64_t)1 << bits, random = next(state), fraction = random & (hidden - 1);
    if (random >> 62 == 0)
        fraction = random >> 61 & 1 ? hidden - 1 : 0;
    uint64_t magnitude = 0;
    if (exponent >= format->emin)
        magnitude = (uint64_t)(exponent - format->emin) * hidden + hidden + fraction;
    else if (format->emin - exponent <= (int)bits)
        magnitude = (hidden | fraction) >> (format->emin - exponent);
    if (magnitude > format->max_finite)
        magnitude = format->max_finite;
    return format_with_sign(format, magnitude, next(state) >> 63);
}

/* A product whose factors have exponents that add up to one. */
static void product_at(uint64_t *state, struct unit_cases *cases, size_t at, int exponent) {
    const struct format *format = cases->format;
    int least = format->emin - format->precision + 1;
    int low = exponent - format->emax > least ? exponent - format->emax : least;
    int high = exponent - least < format->emax ? exponent - least : format->emax;
    int middle = exponent / 2, reach = 4;
    if (low < middle - reach)
        low = middle - reach;
    if (high > middle + reach)
        high = middle + reach;
    int first = low <= high ? between(state, low, high) : exponent < 0 ? least : format->emax;
    cases->a[at] = number_at(state, format, first);
    cases->b[at] = number_at(state, format, exponent - first);
}

static void draw_random(uint64_t *state, struct unit_cases *cases, size_t index) {
    const int spread = between(state, 0, 12);
    for (size_t i = 0; i < cases->products; i++)
        product_at(state, cases, index * cases->products + i, between(state, -spread, spread));
    cases->c[index] = number_at(state, cases->result, between(state, -spread, spread));
}

static void draw_aimed(uint64_t *state, struct unit_cases *cases, size_t index) {
    const size_t first = index * cases->products;
    const int last = (int)cases->products - 1;
    const int top =
        between(state, 0, 3) ? between(state, -2, 8) : cases->result->emin + between(state, -2, 30);
    const int gap = between(state, 8, 44), count = between(state, 1, 4);
    size_t big = first + (size_t)between(state, 0, last);
    bool c_is_big = cases->has_c && next(state) >> 63;
    if (!c_is_big)
        product_at(state, cases, big, top);
    for (int i = 0; i < count; i++) {
        size_t at = first + (size_t)between(state, 0, last);
        if (c_is_big || at != big)
            product_at(state, cases, at, top - gap + between(state, -1, 2));
    }
    cases->c[index] =
        number_at(state, cases->result, c_is_big ? top : top - gap + between(state, -2, 2));
    if (between(state, 0, 2) || c_is_big)
        return;
    /* What is large is taken away again, and what was cut shows. */
    size_t other = first + (size_t)between(state, 0, last);
    if (other == big || !cases->format->has_negative_zero)
        return;
    cases->a[other] = cases->a[big] ^ cases->format->sign_bit;
    cases->b[other] = cases->b[big];
}

static bool draw(struct unit_cases *cases, uint64_t seed) {
    uint64_t state = seed;
    for (size_t i = 0; i < DECIDE_DRAWN; i++) {
        if (!unit_cases_add(cases))
            return false;
        (i % 4 ? draw_aimed : draw_random)(&state, cases, i);
    }
    return true;
}

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
                                            .has_c = cases->has_c}};
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
    if (!decision->results || !draw(&decision->drawn, seed) || !compute(decision, fit))
        return error_set(error, "out of memory for cases that would decide");
    choose(decision);
    return true;
}

void decision_close(struct decision *decision) {
    unit_cases_close(&decision->drawn);
    free(decision->results);
    decision->results = NULL;
}
