/* Products are terms once, for all models that take them alike. */
#include "reveal/case_results.h"

#include "order/units.h"

#include <stdlib.h>

void fit_terms_open(struct fit_terms *terms, const struct unit_cases *cases) {
    *terms = (struct fit_terms){.cases = cases};
}

void fit_terms_close(struct fit_terms *terms) {
    for (int i = 0; i < FIT_TERMS; i++)
        free(terms->of[i]);
    *terms = (struct fit_terms){0};
}

/* Number `at` of the products in the sequence of halves of registers: 0, 1, 4, 5, ..., 2, 3, 6, 7, ... */
static size_t halves_index(size_t at, size_t products) {
    size_t half = at >= products / 2, within = half ? at - products / 2 : at;
    return (within / 2) * 4 + 2 * half + within % 2;
}

/* Of a power of two. */
static size_t log2_of(unsigned power) {
    size_t log = 0;
    while (power >>= 1)
        log++;
    return log;
}

/* Products with scales, as many in a term as the model has them meet their scales together. */
static void make_scaled(const struct unit_cases *cases, const struct grid_model *model,
                        struct order_term *of) {
    const size_t together = model->together, each = cases->products / together,
                 blocks = unit_cases_blocks(cases);
    const struct unit_scales scales = {cases->scales, (unsigned)cases->block, model->together};
    const struct unit unit = {.format = cases->format, .node = &model->node, .scales = &scales};
    for (size_t i = 0; i < cases->count * each; i++) {
        const size_t at = i * together,
                     block = i / each * blocks + i % each * together / cases->block;
        of[i] = unit_scaled_term(&unit, cases->a + at, cases->b + at, together,
                                 cases->a_scales[block], cases->b_scales[block]);
    }
}

const struct order_term *fit_terms_of(struct fit_terms *terms, const struct grid_model *model) {
    const struct unit_cases *cases = terms->cases;
    size_t variant = (size_t)model->halves | (size_t)model->node.products_normalised << 1 |
                     (size_t)model->node.flush_operands << 2 | log2_of(model->together) << 3;
    if (terms->of[variant])
        return terms->of[variant];
    size_t products = cases->products;
    struct order_term *of = calloc(cases->count * products / model->together, sizeof *of);
    if (of && cases->scales)
        make_scaled(cases, model, of);
    for (size_t i = 0; of && !cases->scales && i < cases->count * products; i++) {
        size_t at = model->halves ? i - i % products + halves_index(i % products, products) : i;
        of[i] = order_term_product(&model->node, cases->format, cases->a[at], cases->format,
                                   cases->b[at]);
    }
    return terms->of[variant] = of;
}

static uint64_t add_last(const struct grid_model *model, uint64_t sum, const uint64_t *c) {
    const struct order_term last = order_term_of(&model->last, model->last.result, sum);
    return order_node_add(&model->last, &last, 1, c);
}

uint64_t fit_result(const struct grid_model *model, const struct order_term *terms,
                    const struct unit_cases *cases, size_t index) {
    const size_t products = cases->products / model->together, call = model->call / model->together;
    const struct order_term *term = terms + index * products;
    const uint64_t zero = 0, *c = cases->has_c ? &cases->c[index] : NULL;
    const uint64_t *first = cases->scales && !c ? &zero : model->c <= GRID_C_AFTER_SUM ? c : NULL;
    uint64_t sum = 0;
    for (size_t at = 0; at < products; at += call) {
        const size_t left = products - at, count = left < call ? left : call;
        const uint64_t before = sum;
        const bool apart = at && !c && model->c == GRID_C_LAST;
        sum = order_node_add(&model->node, term + at, count, apart ? &zero : at ? &sum : first);
        if (apart)
            sum = add_last(model, sum, &before);
    }
    return c && model->c == GRID_C_LAST ? add_last(model, sum, c) : sum;
}

uint64_t fit_row_result(const struct unit *unit, bool without_c, const struct unit_cases *cases,
                        size_t index) {
    const uint64_t zero = 0;
    size_t at = index * cases->products, block = index * unit_cases_blocks(cases);
    const uint64_t *c = cases->has_c && !without_c ? &cases->c[index] : NULL;
    struct unit saturating;
    struct error unused;
    if (cases->saturates && unit_saturate(unit, &saturating, &unused))
        unit = &saturating;
    if (cases->scales)
        return unit_scaled_dot(unit, cases->a + at, cases->a_scales + block, cases->b + at,
                               cases->b_scales + block, cases->products, c ? c : &zero);
    return unit_dot(unit, cases->a + at, cases->b + at, cases->products, c);
}

bool fit_same(const struct format *result, uint64_t a, uint64_t b) {
    return a == b || (format_is_nan(result, a) && format_is_nan(result, b));
}
