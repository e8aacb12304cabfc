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

const struct order_term *fit_terms_of(struct fit_terms *terms, const struct grid_model *model) {
    const struct unit_cases *cases = terms->cases;
    size_t variant = (size_t)model->halves | (size_t)model->node.products_normalised << 1 |
                     (size_t)model->node.flush_operands << 2;
    if (terms->of[variant])
        return terms->of[variant];
    size_t products = cases->products;
    struct order_term *of = calloc(cases->count * products, sizeof *of);
    for (size_t i = 0; of && i < cases->count * products; i++) {
        size_t at = model->halves ? i - i % products + halves_index(i % products, products) : i;
        of[i] = order_term_product(&model->node, cases->format, cases->a[at], cases->format,
                                   cases->b[at]);
    }
    return terms->of[variant] = of;
}

uint64_t fit_result(const struct grid_model *model, const struct order_term *terms,
                    const struct unit_cases *cases, size_t index) {
    const struct order_term *term = terms + index * cases->products;
    const uint64_t *c = cases->has_c ? &cases->c[index] : NULL;
    const uint64_t *first = model->c <= GRID_C_AFTER_SUM ? c : NULL;
    uint64_t sum = 0;
    for (size_t at = 0; at < cases->products; at += model->call) {
        size_t left = cases->products - at;
        sum = order_node_add(&model->node, term + at, left < model->call ? left : model->call,
                             at ? &sum : first);
    }
    if (c && model->c == GRID_C_LAST) {
        struct order_term last = order_term_of(&model->last, cases->result, sum);
        sum = order_node_add(&model->last, &last, 1, c);
    }
    return sum;
}

uint64_t fit_row_result(const struct unit *unit, bool without_c, const struct unit_cases *cases,
                        size_t index) {
    size_t at = index * cases->products;
    return unit_dot(unit, cases->a + at, cases->b + at, cases->products,
                    cases->has_c && !without_c ? &cases->c[index] : NULL);
}

bool fit_same(const struct format *result, uint64_t a, uint64_t b) {
    return a == b || (format_is_nan(result, a) && format_is_nan(result, b));
}
