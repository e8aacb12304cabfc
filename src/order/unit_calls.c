/* Calls of a unit, by the definition of its nodes. */
#include "order/term.h"
#include "order/units.h"

enum { MOST_PRODUCTS = 64 };

static struct order_term product(const struct unit *unit, uint64_t a, uint64_t b) {
    return order_term_product(unit->node, unit->format, a,
                              unit->second ? unit->second : unit->format, b);
}

/* ---- Factors with scales ---- */

/* A small number with `SMALL_POINT` bits behind the point: a factor's significand and a product of two of them have no more.
 * So have the scales'. */
enum { SMALL_POINT = 16 };

static uint64_t small(struct order_term term) {
    return wide_shift_right(term.significand, ORDER_TERM_POINT - SMALL_POINT).low;
}

struct order_term unit_scaled_term(const struct unit *unit, const uint64_t *a, const uint64_t *b,
                                   size_t count, uint64_t a_scale, uint64_t b_scale) {
    const int least = 2 * unit->format->emin;
    const struct format *format = unit->scales->format;
    struct order_term scale = order_term_product(unit->node, format, a_scale & ~format->sign_bit,
                                                 format, b_scale & ~format->sign_bit);
    struct order_term first = product(unit, a[0], b[0]);
    int64_t sum = 0;
    int point = 2 * SMALL_POINT;
    if (scale.kind != REAL_FINITE)
        return scale;
    if (unit->scales->group == 1) {
        if (first.kind != REAL_FINITE)
            return first;
        scale.exponent += first.exponent;
        sum = (int64_t)small(first) * (first.negative ? -1 : 1);
    }
    if (unit->scales->group > 1)
        point -= least;
    for (size_t i = 0; unit->scales->group > 1 && i < count; i++) {
        struct order_term term = product(unit, a[i], b[i]);
        if (term.kind == REAL_FINITE)
            sum += (int64_t)(small(term) << (term.exponent - least)) * (term.negative ? -1 : 1);
    }
    const uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum) * small(scale);
    scale.kind = sum ? REAL_FINITE : REAL_ZERO;
    scale.negative = sum < 0;
    scale.significand =
        wide_shift_left((struct wide){0, magnitude}, (unsigned)(ORDER_TERM_POINT - point));
    return scale;
}

uint64_t unit_scaled_dot(const struct unit *unit, const uint64_t *a, const uint64_t *a_scales,
                         const uint64_t *b, const uint64_t *b_scales, size_t count,
                         const uint64_t *c) {
    const unsigned group = unit->scales->group, block = unit->scales->block;
    uint64_t sum = c ? *c : 0;
    for (size_t at = 0; at < count; at += unit->call) {
        struct order_term terms[MOST_PRODUCTS];
        size_t end = count - at < unit->call ? count : at + unit->call, found = 0;
        for (size_t i = at; i < end; i += group)
            terms[found++] = unit_scaled_term(unit, a + i, b + i, end - i < group ? end - i : group,
                                              a_scales[i / block], b_scales[i / block]);
        sum = order_node_add(unit->node, terms, found, at || c ? &sum : NULL);
    }
    return sum;
}

/* ---- Shapes ---- */

/* Two numbers of the result's format; one where c is NULL. */
static uint64_t add(const struct order_node *node, uint64_t code, const uint64_t *c) {
    struct order_term term = order_term_of(node, node->result, code);
    return order_node_add(node, &term, 1, c);
}

static uint64_t at_once(const struct unit *unit, const uint64_t *a, const uint64_t *b, size_t count,
                        const uint64_t *c) {
    struct order_term terms[MOST_PRODUCTS];
    for (size_t i = 0; i < count; i++)
        terms[i] = product(unit, a[i], b[i]);
    return order_node_add(unit->node, terms, count, c);
}

static uint64_t chain(const struct unit *unit, const uint64_t *a, const uint64_t *b, size_t count,
                      const uint64_t *c, size_t flip) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = (i ^ flip) < count ? i ^ flip : i;
        sum = at_once(unit, a + at, b + at, 1, i ? &sum : c);
    }
    return sum;
}

static uint64_t pairs(const struct unit *unit, const uint64_t *a, const uint64_t *b, size_t count,
                      const uint64_t *c) {
    uint64_t sums[MOST_PRODUCTS];
    for (size_t i = 0; i < count; i++)
        sums[i] = at_once(unit, a + i, b + i, 1, NULL);
    while (count > 1) {
        for (size_t i = 0; 2 * i < count; i++)
            sums[i] =
                2 * i + 1 < count ? add(unit->last, sums[2 * i + 1], &sums[2 * i]) : sums[2 * i];
        count = (count + 1) / 2;
    }
    return add(unit->last, sums[0], c);
}

/* Those whose number has the same bit: of a pair of neighbours, or of two such pairs. */
static size_t pick(const uint64_t *codes, size_t count, size_t bit, size_t value, uint64_t *to) {
    size_t picked = 0;
    for (size_t i = 0; i < count; i++)
        if ((i & bit) == value)
            to[picked++] = codes[i];
    return picked;
}

static uint64_t even_odd(const struct unit *unit, const uint64_t *a, const uint64_t *b,
                         size_t count, const uint64_t *c) {
    uint64_t x[MOST_PRODUCTS], y[MOST_PRODUCTS], zero = 0, sums[2];
    for (size_t odd = 0; odd < 2; odd++) {
        size_t picked = pick(a, count, 1, odd, x);
        pick(b, count, 1, odd, y);
        sums[odd] = picked ? chain(unit, x, y, picked, &zero, 0) : zero;
    }
    return add(unit->last, add(unit->last, sums[1], &sums[0]), c);
}

static uint64_t register_halves(const struct unit *unit, const uint64_t *a, const uint64_t *b,
                                size_t count, const uint64_t *c) {
    uint64_t x[MOST_PRODUCTS], y[MOST_PRODUCTS], sum = 0;
    for (size_t half = 0; half < 4; half += 2) {
        size_t picked = pick(a, count, 2, half, x);
        pick(b, count, 2, half, y);
        sum = at_once(unit, x, y, picked, &sum);
    }
    return add(unit->last, sum, c);
}

static uint64_t call(const struct unit *unit, const uint64_t *a, const uint64_t *b, size_t count,
                     const uint64_t *c) {
    switch (unit->shape) {
    case UNIT_CHAIN:
        return chain(unit, a, b, count, c, 0);
    case UNIT_CHAIN_ODD_FIRST:
        return chain(unit, a, b, count, c, 1);
    case UNIT_PAIRS:
        return pairs(unit, a, b, count, c);
    case UNIT_EVEN_ODD:
        return even_odd(unit, a, b, count, c);
    case UNIT_REGISTER_HALVES:
        return register_halves(unit, a, b, count, c);
    default:
        return at_once(unit, a, b, count, c);
    }
}

uint64_t unit_dot(const struct unit *unit, const uint64_t *a, const uint64_t *b, size_t count,
                  const uint64_t *c) {
    uint64_t sum = c ? *c : 0;
    for (size_t at = 0; at < count; at += unit->call) {
        size_t length = count - at < unit->call ? count - at : unit->call;
        sum = call(unit, a + at, b + at, length, at || c ? &sum : NULL);
    }
    return sum;
}
