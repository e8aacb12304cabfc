/* Whether an element of a gradient of attention is a fraction.
 *
 * What a query has in it is N / D or N / D^2, N and D being sums of e^x with fractions as coefficients, x sums of one or two of its
 * distinct scores. By the theorem of Lindemann and Weierstrass that is the fraction y only where N - y D^2 is nothing, power by
 * power; so the largest power tells y. Queries whose D are the same, times a power, are added up first. What these
 * are without being fractions goes over one divisor (attention_terms.c), where that is asked for: as a rule it is none either.
 *
 * With a soft cap numbers stand for tanh, as far apart as no bias reaches, one for each size of a product, and 1 - tanh^2 of a
 * product that is not 0 is a factor of its own: then a fraction is found where it would be one whatever these are. */
#include "op/kernels/attention_slopes.h"
#include "op/kernels/attention_terms.h"

#include <stdlib.h>

/* Keys of equal scores: how many, and the sums of D, of what it is multiplied by, and of both products. */
struct class {
    uint64_t key; /* one of them, by its number among those that count */
    ulong count;
    slong factor;
    bool is_flat; /* an infinite product: the cap's slope is 0 */
    arf_t exponent, products, factors, both;
};

/* Sizes of products under a soft cap, of which number k has 2^(DOT_BITS (k + 1)) in the place of its tanh times the cap. */
enum { MOST_DOTS = 64, DOT_BITS = 6000 };
struct dots {
    arf_t each[MOST_DOTS];
    slong count;
};

/* What a query has in the element. */
struct part {
    struct terms above;
    struct class *classes;
    size_t count;
    bool is_taken;
};

/* from the largest score down */
static int by_score(const void *a, const void *b) {
    return arf_cmp(((const struct class *)b)->exponent, ((const struct class *)a)->exponent);
}

/* The classes of a row's keys; `factors` has what D is multiplied by, a number for each key, or is NULL. */
static bool find_classes(struct attention_slopes *slopes, struct part *part, arb_srcptr factors) {
    const struct attention_query *query = &slopes->query;
    const uint64_t width = query->extents.width;
    arf_t product;
    arf_init(product);
    part->classes = calloc(query->count, sizeof *part->classes);
    for (uint64_t i = 0; part->classes && i < query->count; i++) {
        const struct attention_key *key = &query->key[i];
        size_t c = 0;
        while (c < part->count &&
               attention_compare(query, key, &query->key[part->classes[c].key]) != 0)
            c++;
        struct class *own = &part->classes[c];
        if (c == part->count) {
            part->count++;
            *own = (struct class){.key = i, .factor = -1};
            arf_init(own->exponent);
            arf_init(own->products);
            arf_init(own->factors);
            arf_init(own->both);
        }
        own->count++;
        attention_find_product(slopes, key->index, product);
        arf_add(own->products, own->products, product, ARF_PREC_EXACT, ARF_RND_DOWN);
        if (factors) {
            arf_srcptr factor = arb_midref(factors + key->index * width);
            arf_add(own->factors, own->factors, factor, ARF_PREC_EXACT, ARF_RND_DOWN);
            arf_addmul(own->both, product, factor, ARF_PREC_EXACT, ARF_RND_DOWN);
        }
    }
    arf_clear(product);
    return part->classes;
}

/* The number of a product's size; MOST_DOTS where there are too many. */
static slong number_of(struct dots *dots, const arf_t dot) {
    slong k = 0;
    while (k < dots->count && arf_cmpabs(dots->each[k], dot) != 0)
        k++;
    if (k == dots->count && k < MOST_DOTS) {
        arf_init(dots->each[k]);
        arf_set(dots->each[k], dot);
        dots->count++;
    }
    return k;
}

/* What a class has beside its bias under a soft cap; false where there are too many. */
static bool add_capped(const struct attention_query *query, struct class *own, struct dots *dots) {
    const struct attention_key *key = &query->key[own->key];
    arf_t tangent;
    arf_init(tangent);
    if (key->is_capped)
        arf_set(tangent, query->cap);
    else if (!arf_is_zero(key->dot)) {
        own->factor = number_of(dots, key->dot);
        arf_one(tangent);
        arf_mul_2exp_si(tangent, tangent, DOT_BITS * (own->factor + 1));
    }
    own->is_flat = key->is_capped;
    if (key->is_capped ? key->is_negative : arf_sgn(key->dot) < 0)
        arf_neg(tangent, tangent);
    arf_add(own->exponent, own->exponent, tangent, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_clear(tangent);
    return own->factor < MOST_DOTS;
}

/* Scores, less the largest. */
static bool find_exponents(const struct attention_query *query, struct part *part,
                           struct dots *dots) {
    bool good = true;
    arf_t most;
    for (size_t c = 0; good && c < part->count; c++) {
        arf_set(part->classes[c].exponent, query->key[part->classes[c].key].score);
        good = !query->has_cap || add_capped(query, &part->classes[c], dots);
    }
    if (!good)
        return false;
    qsort(part->classes, part->count, sizeof *part->classes, by_score);
    arf_init(most);
    arf_set(most, part->classes[0].exponent);
    for (size_t c = 0; c < part->count; c++)
        arf_sub(part->classes[c].exponent, part->classes[c].exponent, most, ARF_PREC_EXACT,
                ARF_RND_DOWN);
    arf_clear(most);
    return true;
}

/* N of a row: `times` is what its part is multiplied by, of dq 1; `key` is the key of the element, of dq none. */
static void find_above(struct attention_slopes *slopes, struct part *part, int result, uint64_t key,
                       const arf_t times) {
    const struct attention_query *query = &slopes->query;
    arf_t zero, own, coefficient, part_of;
    uint64_t i = 0;
    arf_init(zero);
    arf_init(own);
    arf_init(coefficient);
    arf_init(part_of);
    while (result != ATTENTION_DQ && query->key[i].index != key)
        i++;
    if (result == ATTENTION_DK)
        attention_find_product(slopes, key, own);
    for (size_t c = 0; c < part->count; c++) {
        const struct class *a = &part->classes[c];
        if (result != ATTENTION_DQ &&
            attention_compare(query, &query->key[i], &query->key[a->key]) != 0)
            continue;
        if (result == ATTENTION_DV)
            attention_push(&part->above, a->exponent, zero, -1, times);
        for (size_t d = 0; result != ATTENTION_DV && !a->is_flat && d < part->count; d++) {
            const struct class *b = &part->classes[d];
            if (result == ATTENTION_DQ) {
                arf_mul_ui(coefficient, a->both, b->count, ARF_PREC_EXACT, ARF_RND_DOWN);
                arf_mul(part_of, b->products, a->factors, ARF_PREC_EXACT, ARF_RND_DOWN);
                arf_sub(coefficient, coefficient, part_of, ARF_PREC_EXACT, ARF_RND_DOWN);
            } else {
                arf_mul_ui(coefficient, own, b->count, ARF_PREC_EXACT, ARF_RND_DOWN);
                arf_sub(coefficient, coefficient, b->products, ARF_PREC_EXACT, ARF_RND_DOWN);
                arf_mul(coefficient, coefficient, times, ARF_PREC_EXACT, ARF_RND_DOWN);
            }
            attention_push(&part->above, a->exponent, b->exponent, a->factor, coefficient);
        }
    }
    arf_clear(zero);
    arf_clear(own);
    arf_clear(coefficient);
    arf_clear(part_of);
}

/* y, first / n, if N is y D or y D^2. */
static void find_first(const struct part *part, bool is_square, const struct terms *above,
                       arf_t first, arf_t n) {
    arf_t exponent;
    arf_init(exponent);
    arf_zero(first);
    arf_mul_ui(exponent, part->classes[0].exponent, is_square ? 2 : 1, ARF_PREC_EXACT,
               ARF_RND_DOWN);
    arf_set_ui(n, part->classes[0].count);
    if (is_square)
        arf_mul(n, n, n, ARF_PREC_EXACT, ARF_RND_DOWN);
    for (size_t i = 0; i < above->count; i++)
        if (above->each[i].factor == -1 && arf_equal(above->each[i].exponent, exponent))
            arf_add(first, first, above->each[i].coefficient, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_clear(exponent);
}

/* D or D^2. */
static struct terms divisor_of(const struct part *part, bool is_square) {
    struct terms divisor = {0};
    arf_t count, zero;
    arf_init(count);
    arf_init(zero);
    for (size_t c = 0; c < part->count; c++) {
        arf_set_ui(count, part->classes[c].count);
        attention_push(&divisor, part->classes[c].exponent, zero, -1, count);
    }
    arf_clear(count);
    arf_clear(zero);
    if (!is_square)
        return divisor;
    struct terms square = attention_multiply(&divisor, &divisor);
    attention_close_terms(&divisor);
    return square;
}

/* Whether N of some rows of one D is y D or y D^2; then y is added to the slopes' fraction. */
static bool take(struct attention_slopes *slopes, const struct part *part, bool is_square,
                 const struct terms *above) {
    arf_t first, n;
    arf_init(first);
    arf_init(n);
    find_first(part, is_square, above, first, n);
    struct terms divisor = {0};
    if (!arf_is_zero(first))
        divisor = divisor_of(part, is_square);
    const bool is_fraction = attention_is_quotient(above, &divisor, first, n);
    if (is_fraction)
        attention_add_fraction(slopes, first, n);
    attention_close_terms(&divisor);
    arf_clear(first);
    arf_clear(n);
    return is_fraction;
}

static bool have_one_divisor(const struct part *a, const struct part *b) {
    bool same = a->count == b->count;
    for (size_t c = 0; same && c < a->count; c++)
        same = a->classes[c].count == b->classes[c].count &&
               arf_equal(a->classes[c].exponent, b->classes[c].exponent);
    return same;
}

/* first / n, which above / below would be: what their terms with the largest exponent of `below` are. */
static void find_limit(const struct terms *above, const struct terms *below, arf_t first, arf_t n) {
    const struct term *most = &below->each[0];
    for (size_t i = 1; i < below->count; i++)
        if (arf_cmp(below->each[i].exponent, most->exponent) > 0)
            most = &below->each[i];
    arf_set(n, most->coefficient);
    arf_zero(first);
    for (size_t i = 0; i < above->count; i++)
        if (above->each[i].factor == -1 && arf_equal(above->each[i].exponent, most->exponent))
            arf_add(first, first, above->each[i].coefficient, ARF_PREC_EXACT, ARF_RND_DOWN);
}

/* N of all parts from number i on that have its divisor and are not taken; then they are. */
static struct terms take_sum(struct part *parts, size_t count, size_t i) {
    struct terms sum = {0};
    arf_t zero;
    arf_init(zero);
    for (size_t k = i; k < count; k++) {
        if (parts[k].is_taken || !have_one_divisor(&parts[i], &parts[k]))
            continue;
        for (size_t t = 0; t < parts[k].above.count; t++)
            attention_push(&sum, parts[k].above.each[t].exponent, zero,
                           parts[k].above.each[t].factor, parts[k].above.each[t].coefficient);
        parts[k].is_taken = true;
    }
    arf_clear(zero);
    return sum;
}

/* Takes the parts that are left, those of one divisor together. Where such a sum is no fraction, all of them may be one: over a
 * divisor of all, if that is asked for. */
static bool take_together(struct attention_slopes *slopes, struct part *parts, size_t count,
                          bool is_square, bool over_one_divisor) {
    struct terms above = {0}, below = {0};
    arf_t first, n;
    bool good = true, is_open = false;
    arf_init(first);
    arf_init(n);
    for (size_t i = 0; good && i < count; i++) {
        if (parts[i].is_taken)
            continue;
        struct terms sum = take_sum(parts, count, i);
        good = !sum.is_lost;
        if (good && !take(slopes, &parts[i], is_square, &sum)) {
            struct terms divisor = divisor_of(&parts[i], is_square);
            good = over_one_divisor && attention_add_quotient(&above, &below, &sum, &divisor);
            find_first(&parts[i], is_square, &sum, first, n);
            attention_add_fraction(slopes, first, n);
            attention_close_terms(&divisor);
            is_open = true;
        }
        attention_close_terms(&sum);
    }
    if (good && is_open) {
        find_limit(&above, &below, first, n);
        good = attention_is_quotient(&above, &below, first, n);
    }
    attention_close_terms(&above);
    attention_close_terms(&below);
    arf_clear(first);
    arf_clear(n);
    return good;
}

static void close_part(struct part *part) {
    attention_close_terms(&part->above);
    for (size_t c = 0; part->classes && c < part->count; c++) {
        arf_clear(part->classes[c].exponent);
        arf_clear(part->classes[c].products);
        arf_clear(part->classes[c].factors);
        arf_clear(part->classes[c].both);
    }
    free(part->classes);
}

/* What a row has in the element. */
static bool find_part(struct attention_slopes *slopes, struct part *part, struct dots *dots,
                      int result, uint64_t row, uint64_t key, uint64_t column) {
    struct attention_query *query = &slopes->query;
    const uint64_t width = query->extents.width;
    arf_t times;
    arf_init(times);
    arf_one(times);
    attention_set_row(slopes, row);
    if (result != ATTENTION_DQ)
        arf_set(times, arb_midref(query->exact[result == ATTENTION_DV ? ATTENTION_G : ATTENTION_Q] +
                                  query->q + column));
    const bool good = find_classes(slopes, part,
                                   result == ATTENTION_DQ
                                       ? query->exact[ATTENTION_K] + query->keys * width + column
                                       : NULL) &&
                      find_exponents(query, part, dots);
    if (good) {
        find_above(slopes, part, result, key, times);
        part->is_taken = take(slopes, part, result != ATTENTION_DV, &part->above);
    }
    arf_clear(times);
    return good;
}

bool attention_is_fraction(struct attention_slopes *slopes, int result, uint64_t element,
                           bool over_one_divisor) {
    const uint64_t width = slopes->query.extents.width, keys = slopes->query.extents.keys,
                   of = element / width, count = result == ATTENTION_DQ ? 1 : slopes->rows;
    struct part *parts = calloc(count, sizeof *parts);
    struct dots dots = {.count = 0};
    size_t found = 0;
    bool good = parts;
    arf_zero(slopes->above);
    arf_one(slopes->below);
    for (uint64_t i = 0; good && i < count; i++) {
        const uint64_t row = result == ATTENTION_DQ ? of : i;
        if (result == ATTENTION_DQ || slopes->counts[row * keys + of])
            good = find_part(slopes, &parts[found++], &dots, result, row, of, element % width);
    }
    good = good && take_together(slopes, parts, found, result != ATTENTION_DV, over_one_divisor);
    for (size_t i = 0; i < found; i++)
        close_part(&parts[i]);
    free(parts);
    for (slong k = 0; k < dots.count; k++)
        arf_clear(dots.each[k]);
    if (result != ATTENTION_DV)
        arf_mul(slopes->above, slopes->above, slopes->query.scale, ARF_PREC_EXACT, ARF_RND_DOWN);
    return good;
}
