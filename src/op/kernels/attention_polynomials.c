/* Whether an element of a gradient of attention is a fraction.
 *
 * What a query has in it is N / D or N / D^2, N and D being sums of e^x with fractions as coefficients, x sums of one or two of its
 * distinct scores. By the theorem of Lindemann and Weierstrass that is the fraction y only where N - y D^2 is nothing, power by
 * power; so the largest power tells y. Queries whose D are the same, times a power, are added up first: as a rule no others
 * make a fraction together, and where they do, the oracle says that it cannot decide.
 *
 * With a soft cap numbers stand for tanh, as far apart as no bias reaches, one for each size of a product, and 1 - tanh^2 of a
 * product that is not 0 is a factor of its own: then a fraction is found where it would be one whatever these are. */
#include "op/kernels/attention_slopes.h"

#include <stdlib.h>

struct term {
    arf_t exponent, coefficient;
    slong factor; /* of the slope of a soft cap; -1: it is 1 */
};

struct terms {
    struct term *each;
    size_t count, room;
    bool is_lost; /* for lack of memory */
};

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

static void push(struct terms *terms, const arf_t a, const arf_t b, slong factor,
                 const arf_t coefficient) {
    if (terms->is_lost || arf_is_zero(coefficient))
        return;
    if (terms->count == terms->room) {
        const size_t room = terms->room ? 2 * terms->room : 16;
        struct term *each = realloc(terms->each, room * sizeof *each);
        terms->is_lost = !each;
        if (!each)
            return;
        for (size_t i = terms->room; i < room; i++) {
            arf_init(each[i].exponent);
            arf_init(each[i].coefficient);
        }
        terms->each = each;
        terms->room = room;
    }
    struct term *term = &terms->each[terms->count++];
    arf_add(term->exponent, a, b, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_set(term->coefficient, coefficient);
    term->factor = factor;
}

static void close_terms(struct terms *terms) {
    for (size_t i = 0; i < terms->room; i++) {
        arf_clear(terms->each[i].exponent);
        arf_clear(terms->each[i].coefficient);
    }
    free(terms->each);
}

static int by_exponent(const void *a, const void *b) {
    const struct term *x = a, *y = b;
    const int order = arf_cmp(x->exponent, y->exponent);
    return order ? order : (x->factor > y->factor) - (x->factor < y->factor);
}

/* Whether nothing is left where equal powers are added. */
static bool is_nothing(struct terms *terms) {
    arf_t sum;
    bool nothing = !terms->is_lost;
    arf_init(sum);
    if (terms->count)
        qsort(terms->each, terms->count, sizeof *terms->each, by_exponent);
    for (size_t i = 0; nothing && i < terms->count; i++) {
        arf_add(sum, sum, terms->each[i].coefficient, ARF_PREC_EXACT, ARF_RND_DOWN);
        if (i + 1 == terms->count || by_exponent(&terms->each[i], &terms->each[i + 1]) != 0) {
            nothing = arf_is_zero(sum) != 0;
            arf_zero(sum);
        }
    }
    arf_clear(sum);
    return nothing;
}

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
            push(&part->above, a->exponent, zero, -1, times);
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
            push(&part->above, a->exponent, b->exponent, a->factor, coefficient);
        }
    }
    arf_clear(zero);
    arf_clear(own);
    arf_clear(coefficient);
    arf_clear(part_of);
}

/* Whether N of some rows of one D is y D or y D^2; then y is added to the slopes' fraction. */
static bool take(struct attention_slopes *slopes, const struct part *part, bool is_square,
                 struct terms *above) {
    const struct class *most = &part->classes[0];
    arf_t first, exponent, n, coefficient, zero;
    arf_init(first);
    arf_init(exponent);
    arf_init(n);
    arf_init(coefficient);
    arf_init(zero);
    arf_mul_ui(exponent, most->exponent, is_square ? 2 : 1, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_set_ui(n, most->count);
    if (is_square)
        arf_mul(n, n, n, ARF_PREC_EXACT, ARF_RND_DOWN);
    for (size_t i = 0; i < above->count; i++)
        if (above->each[i].factor == -1 && arf_equal(above->each[i].exponent, exponent))
            arf_add(first, first, above->each[i].coefficient, ARF_PREC_EXACT, ARF_RND_DOWN);
    struct terms rest = {0};
    for (size_t i = 0; i < above->count; i++) {
        arf_mul(coefficient, above->each[i].coefficient, n, ARF_PREC_EXACT, ARF_RND_DOWN);
        push(&rest, above->each[i].exponent, zero, above->each[i].factor, coefficient);
    }
    for (size_t c = 0; !arf_is_zero(first) && c < part->count; c++)
        for (size_t d = 0; d < (is_square ? part->count : 1); d++) {
            arf_mul_ui(coefficient, first, part->classes[c].count, ARF_PREC_EXACT, ARF_RND_DOWN);
            if (is_square)
                arf_mul_ui(coefficient, coefficient, part->classes[d].count, ARF_PREC_EXACT,
                           ARF_RND_DOWN);
            arf_neg(coefficient, coefficient);
            push(&rest, part->classes[c].exponent, is_square ? part->classes[d].exponent : zero, -1,
                 coefficient);
        }
    const bool is_fraction = is_nothing(&rest);
    if (is_fraction)
        attention_add_fraction(slopes, first, n);
    close_terms(&rest);
    arf_clear(first);
    arf_clear(exponent);
    arf_clear(n);
    arf_clear(coefficient);
    arf_clear(zero);
    return is_fraction;
}

static bool have_one_divisor(const struct part *a, const struct part *b) {
    bool same = a->count == b->count;
    for (size_t c = 0; same && c < a->count; c++)
        same = a->classes[c].count == b->classes[c].count &&
               arf_equal(a->classes[c].exponent, b->classes[c].exponent);
    return same;
}

/* Takes the parts that are left, those of one divisor together. */
static bool take_together(struct attention_slopes *slopes, struct part *parts, size_t count,
                          bool is_square) {
    bool good = true;
    arf_t zero;
    arf_init(zero);
    for (size_t i = 0; good && i < count; i++) {
        struct terms sum = {0};
        if (parts[i].is_taken)
            continue;
        for (size_t k = i; k < count; k++) {
            if (parts[k].is_taken || !have_one_divisor(&parts[i], &parts[k]))
                continue;
            for (size_t t = 0; t < parts[k].above.count; t++)
                push(&sum, parts[k].above.each[t].exponent, zero, parts[k].above.each[t].factor,
                     parts[k].above.each[t].coefficient);
            parts[k].is_taken = true;
        }
        good = !sum.is_lost && take(slopes, &parts[i], is_square, &sum);
        close_terms(&sum);
    }
    arf_clear(zero);
    return good;
}

static void close_part(struct part *part) {
    close_terms(&part->above);
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

bool attention_is_fraction(struct attention_slopes *slopes, int result, uint64_t element) {
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
    good = good && take_together(slopes, parts, found, result != ATTENTION_DV);
    for (size_t i = 0; i < found; i++)
        close_part(&parts[i]);
    free(parts);
    for (slong k = 0; k < dots.count; k++)
        arf_clear(dots.each[k]);
    if (result != ATTENTION_DV)
        arf_mul(slopes->above, slopes->above, slopes->query.scale, ARF_PREC_EXACT, ARF_RND_DOWN);
    return good;
}
