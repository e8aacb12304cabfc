/* Exact gradients of attention: of q, k and v, of that of the result, g.
 *
 * With p[i,j] the softmax of the scores of query i and D[i,j] = g[i] v[j], the gradients are those of v, the sum over i of
 * p[i,j] g[i], and by S[i,j] = p[i,j] (D[i,j] - sum of p[i,l] D[i,l]), times 1 - tanh^2 of a soft cap, those of q, the sum over j of
 * S[i,j] k[j], and of k, the sum over i of S[i,j] q[i], times the scale. Heads of a group add up.
 *
 * At first all of these are balls. What these leave open may be a fraction (attention_polynomials.c), and of what stays open after a
 * second try queries of different divisors may make one together. If it is none, it lies
 * beside one: p and S are split into what they would be if the n largest scores were all there are, which is a fraction, and the
 * rest. With w the weight e^(s - m), of the largest less 1, t the sum of all w, u that of w D, A the sum of D[j] - D[l] over the
 * largest l, and W = t D[j] - u, S is w (A + W) / (n + t)^2, and of a largest one A / n^2 and
 * (n^2 (W + w (A + W)) - 2 n A t - A t^2) / (n^2 (n + t)^2). The slope of a soft cap multiplies that.
 *
 * A score that is NaN or +inf makes NaN of the query's gradient and those of all keys and values that it has. Where an element of g, or of
 * the value of a key that counts, is infinite or NaN, all gradients of the query's scores are NaN. A key whose score is -inf has no part in any. */
#include "op/kernels/attention_slopes.h"

#include "op/enclose.h"

#include <stdlib.h>

static uint64_t at(const struct attention_slopes *slopes, uint64_t row, uint64_t key) {
    return row * slopes->query.extents.keys + key;
}

/* t = what the soft cap makes of the slope at the score of a key: 1 / cosh^2. */
static void find_factor(struct attention_slopes *slopes, const struct attention_key *key) {
    struct attention_query *query = &slopes->query;
    if (key->is_capped) {
        arb_zero(slopes->t);
        return;
    }
    arb_set_arf(slopes->t, key->dot);
    arb_mul_arf(slopes->t, slopes->t, query->scale, slopes->bits);
    arb_set_arf(slopes->u, query->cap);
    arb_div(slopes->t, slopes->t, slopes->u, slopes->bits);
    arb_sech(slopes->t, slopes->t, slopes->bits);
    arb_mul(slopes->t, slopes->t, slopes->t, slopes->bits);
}

/* p and S of a row, as they are. */
static void find_row(struct attention_slopes *slopes, uint64_t row) {
    struct attention_query *query = &slopes->query;
    const slong bits = slopes->bits;
    arb_ptr mean = slopes->rest;
    arb_zero(mean);
    for (uint64_t i = 0; i < query->count; i++) {
        const uint64_t index = query->key[i].index, width = query->extents.width;
        arb_ptr p = slopes->weights + at(slopes, row, index),
                s = slopes->slopes + at(slopes, row, index);
        arb_div(p, &query->weights[i], query->total, bits);
        arb_dot(s, NULL, 0, query->exact[ATTENTION_G] + query->q, 1,
                query->exact[ATTENTION_V] + (query->keys + index) * width, 1, (slong)width, bits);
        arb_addmul(mean, p, s, bits);
    }
    for (uint64_t i = 0; i < query->count; i++) {
        const uint64_t place = at(slopes, row, query->key[i].index);
        arb_ptr s = slopes->slopes + place;
        arb_sub(s, s, mean, bits);
        arb_mul(s, s, slopes->weights + place, bits);
        if (query->has_cap) {
            find_factor(slopes, &query->key[i]);
            arb_mul(s, s, slopes->t, bits);
        }
    }
}

/* Whether a key's p and S lie beside fractions: of one of the largest scores, or with a soft cap of one that nears the same end.
 * S does so where the cap leaves the score as it is. */
static bool has_share(const struct attention_query *query, uint64_t i) {
    return attention_is_near(query, &query->key[i]);
}

static bool has_slope(const struct attention_query *query, uint64_t i) {
    const struct attention_key *key = &query->key[i];
    return has_share(query, i) && (!query->has_cap || (!key->is_capped && arf_is_zero(key->dot)));
}

/* s = what S of a key has beside its fraction, s being W and a A, and p its p beside its share, times n + t. */
static void find_slope_beside(struct attention_slopes *slopes, uint64_t i, arb_ptr s, const arf_t a,
                              ulong n) {
    struct attention_query *query = &slopes->query;
    const slong bits = slopes->bits;
    arb_srcptr moved = &query->moved[i];
    if (has_slope(query, i)) {
        arb_add_arf(slopes->rest, s, a, bits);
        arb_mul(slopes->rest, slopes->rest, moved, bits);
        arb_add(s, s, slopes->rest, bits);
        arb_mul_ui(s, s, n, bits);
        arb_mul_ui(s, s, n, bits);
        arb_add_ui(slopes->rest, slopes->t, 2 * n, bits);
        arb_mul(slopes->rest, slopes->rest, slopes->t, bits);
        arb_mul_arf(slopes->rest, slopes->rest, a, bits);
        arb_sub(s, s, slopes->rest, bits);
        arb_div_ui(s, s, n, bits);
        arb_div_ui(s, s, n, bits);
    } else {
        arb_add_arf(s, s, a, bits);
        arb_mul(s, s, has_share(query, i) ? &query->weights[i] : moved, bits);
    }
    arb_div(s, s, query->total, bits);
    arb_div(s, s, query->total, bits);
}

/* What p and S of a row have beside fractions. */
static void find_row_beside(struct attention_slopes *slopes, uint64_t row) {
    struct attention_query *query = &slopes->query;
    const slong bits = slopes->bits;
    arb_ptr exact = _arb_vec_init((slong)query->count + 2);
    arf_ptr near = arb_midref(exact + query->count), a = arb_midref(exact + query->count + 1);
    ulong n = 0;
    attention_find_moved(query, bits);
    arb_zero(slopes->t);
    arb_zero(slopes->u);
    for (uint64_t i = 0; i < query->count; i++) {
        attention_find_product(slopes, query->key[i].index, arb_midref(exact + i));
        if (has_share(query, i)) {
            arf_add(near, near, arb_midref(exact + i), ARF_PREC_EXACT, ARF_RND_DOWN);
            n++;
        }
    }
    for (uint64_t i = 0; i < query->count; i++) {
        arb_add(slopes->t, slopes->t, &query->moved[i], bits);
        arb_mul_arf(slopes->rest, &query->moved[i], arb_midref(exact + i), bits);
        arb_add(slopes->u, slopes->u, slopes->rest, bits);
    }
    for (uint64_t i = 0; i < query->count; i++) {
        const uint64_t place = at(slopes, row, query->key[i].index);
        arb_ptr p = slopes->weights + place, s = slopes->slopes + place;
        arf_mul_ui(a, arb_midref(exact + i), n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_sub(a, a, near, ARF_PREC_EXACT, ARF_RND_DOWN); /* A */
        arb_mul_arf(s, slopes->t, arb_midref(exact + i), bits);
        arb_sub(s, s, slopes->u, bits); /* W */
        find_slope_beside(slopes, i, s, a, n);
        arb_set(p, &query->moved[i]);
        if (has_share(query, i)) {
            arb_mul_ui(p, p, n, bits);
            arb_sub(p, p, slopes->t, bits);
            arb_div_ui(p, p, n, bits);
        }
        arb_div(p, p, query->total, bits);
    }
    for (uint64_t i = 0; query->has_cap && i < query->count; i++) {
        arb_ptr s = slopes->slopes + at(slopes, row, query->key[i].index);
        find_factor(slopes, &query->key[i]);
        if (!has_slope(query, i))
            arb_mul(s, s, slopes->t, bits);
    }
    _arb_vec_clear(exact, (slong)query->count + 2);
}

static void find_group(struct attention_slopes *slopes, slong bits, bool is_beside) {
    slopes->bits = bits;
    slopes->is_beside = is_beside;
    for (uint64_t row = 0; row < slopes->rows; row++) {
        if (slopes->row[row].is_bad)
            continue;
        attention_set_query(&slopes->query, slopes->row[row].number);
        if (is_beside || slopes->query.has_cap)
            attention_find_dots(&slopes->query);
        attention_find_weights(&slopes->query, bits);
        if (slopes->is_beside)
            find_row_beside(slopes, row);
        else
            find_row(slopes, row);
    }
}

/* Adds the fraction that an element lies near: g / n for v, and A / n^2 times k or q for the others. */
static void add_base(struct attention_slopes *slopes, int result, uint64_t key, const arf_t times) {
    struct attention_query *query = &slopes->query;
    arf_t near, value, n;
    uint64_t i = 0, count = 0;
    while (i < query->count && query->key[i].index != key)
        i++;
    if (i == query->count || !(result == ATTENTION_DV ? has_share : has_slope)(query, i))
        return;
    arf_init(near);
    arf_init(value);
    arf_init(n);
    for (uint64_t l = 0; l < query->count; l++)
        if (has_share(query, l)) {
            if (result != ATTENTION_DV)
                attention_find_product(slopes, query->key[l].index, value);
            arf_add(near, near, value, ARF_PREC_EXACT, ARF_RND_DOWN);
            count++;
        }
    arf_set_ui(n, (ulong)count);
    arf_one(value);
    if (result != ATTENTION_DV) {
        attention_find_product(slopes, key, value);
        arf_mul(value, value, n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_sub(value, value, near, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul(n, n, n, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    arf_mul(value, value, times, ARF_PREC_EXACT, ARF_RND_DOWN);
    attention_add_fraction(slopes, value, n);
    arf_clear(near);
    arf_clear(value);
    arf_clear(n);
}

/* Where an element lies: of dq its row, of others its key; and its column. */
struct place {
    uint64_t of, column;
    arb_srcptr terms, factors; /* what is added up is their products */
    slong term_step, factor_step, count;
};

static struct place place_of(const struct attention_slopes *slopes, int result, uint64_t element) {
    const struct attention_query *query = &slopes->query;
    const uint64_t width = query->extents.width, keys = query->extents.keys, of = element / width,
                   column = element % width;
    const int role = result == ATTENTION_DQ   ? ATTENTION_K
                     : result == ATTENTION_DK ? ATTENTION_Q
                                              : ATTENTION_G;
    arb_srcptr terms = result == ATTENTION_DV ? slopes->weights : slopes->slopes;
    const uint64_t first =
        result == ATTENTION_DQ ? slopes->group * keys : slopes->group * slopes->rows;
    return (struct place){.of = of,
                          .column = column,
                          .terms = result == ATTENTION_DQ ? terms + of * keys : terms + of,
                          .factors = query->exact[role] + first * width + column,
                          .term_step = result == ATTENTION_DQ ? 1 : (slong)keys,
                          .factor_step = (slong)width,
                          .count = (slong)(result == ATTENTION_DQ ? keys : slopes->rows)};
}

static void find_weights(struct attention_slopes *slopes, uint64_t row) {
    attention_set_row(slopes, row);
    attention_find_weights(&slopes->query, slopes->bits);
}

static void enclose_element(struct attention_slopes *slopes, int result, uint64_t element,
                            struct interval *y) {
    const struct place place = place_of(slopes, result, element);
    arb_t sum;
    arb_init(sum);
    arb_dot(sum, NULL, 0, place.terms, place.term_step, place.factors, place.factor_step,
            place.count, slopes->bits);
    if (result != ATTENTION_DV)
        arb_mul_arf(sum, sum, slopes->query.scale, slopes->bits);
    arf_zero(slopes->above);
    arf_one(slopes->below);
    if (slopes->is_beside && result == ATTENTION_DQ)
        find_weights(slopes, place.of);
    for (slong i = 0; slopes->is_beside && i < place.count; i++) {
        const uint64_t row = result == ATTENTION_DQ ? place.of : (uint64_t)i,
                       key = result == ATTENTION_DQ ? (uint64_t)i : place.of;
        if (slopes->row[row].is_bad || !slopes->counts[at(slopes, row, key)])
            continue;
        if (result != ATTENTION_DQ)
            find_weights(slopes, row);
        add_base(slopes, result, key, arb_midref(place.factors + i * place.factor_step));
    }
    if (result != ATTENTION_DV)
        arf_mul(slopes->above, slopes->above, slopes->query.scale, ARF_PREC_EXACT, ARF_RND_DOWN);
    arb_mul_arf(sum, sum, slopes->below, slopes->bits);
    enclose_beside(y, slopes->above, sum, arb_is_positive(sum) - arb_is_negative(sum),
                   slopes->below);
    arb_clear(sum);
}

/* The element where infinities and NaN decide, or nothing has a part in it. */
static bool decide(const struct attention_slopes *slopes, int result, uint64_t element,
                   struct real *y) {
    const struct attention_query *query = &slopes->query;
    const uint64_t width = query->extents.width, keys = query->extents.keys, of = element / width,
                   column = element % width, count = result == ATTENTION_DQ ? keys : slopes->rows;
    bool is_nan = false, has_any = false;
    struct real limit = real_zero(false);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t row = result == ATTENTION_DQ ? of : i, key = result == ATTENTION_DQ ? i : of;
        const struct attention_row *own = &slopes->row[row];
        if (own->is_bad) {
            is_nan |= key >= own->first && key < own->last;
            continue;
        }
        if (!slopes->counts[at(slopes, row, key)])
            continue;
        has_any = true;
        if (result == ATTENTION_DV) {
            limit = attention_limit_of_sum(
                &limit, &query->numbers[ATTENTION_G][own->number * width + column]);
            continue;
        }
        const struct real *factor =
            result == ATTENTION_DQ
                ? &query->numbers[ATTENTION_K][(slopes->group * keys + key) * width + column]
                : &query->numbers[ATTENTION_Q][own->number * width + column];
        is_nan |= own->is_lost || !attention_is_number(factor);
    }
    *y = is_nan ? real_nan() : limit;
    return is_nan || !has_any || limit.kind != REAL_ZERO;
}

/* Sets up the rows of the group at work. */
static void find_rows(struct attention_slopes *slopes) {
    struct attention_query *query = &slopes->query;
    const uint64_t keys = query->extents.keys, width = query->extents.width;
    for (uint64_t i = 0; i < slopes->rows * keys; i++) {
        slopes->counts[i] = false;
        arb_zero(slopes->weights + i);
        arb_zero(slopes->slopes + i);
    }
    for (uint64_t number = 0; number < slopes->rows; number++) {
        struct attention_row *row = &slopes->row[number];
        *row = (struct attention_row){.number = slopes->group * slopes->rows + number};
        attention_set_query(query, row->number);
        attention_keys(query->call, query->place, &row->first, &row->last);
        row->is_bad = query->is_nan;
        for (uint64_t i = 0; !row->is_bad && i < query->count; i++) {
            const uint64_t index = query->key[i].index;
            slopes->counts[at(slopes, number, index)] = true;
            for (uint64_t d = 0; d < width; d++)
                row->is_lost |=
                    !attention_is_number(&query->numbers[ATTENTION_G][query->q + d]) ||
                    !attention_is_number(
                        &query->numbers[ATTENTION_V][(query->keys + index) * width + d]);
        }
    }
}

#define UNDECIDED                                                                                  \
    "the oracle cannot decide an element of a gradient of attention within %d bits; please "       \
    "report it"

/* Finds the elements of a result that the group has, from y on. */
static bool find_elements(struct attention_slopes *slopes, int result, int precision,
                          struct real *y, struct error *error) {
    const uint64_t width = slopes->query.extents.width,
                   count =
                       (result == ATTENTION_DQ ? slopes->rows : slopes->query.extents.keys) * width;
    bool *done = calloc(count, sizeof *done);
    struct interval bounds;
    mpfr_t truncated, scratch;
    uint64_t open = count;
    mpfr_inits2(precision, truncated, scratch, (mpfr_ptr)0);
    mpfr_inits2(precision + 48, bounds.low, bounds.high, (mpfr_ptr)0);
    for (mpfr_prec_t bits = precision + 48; done && open && bits <= ENCLOSE_MOST_BITS; bits *= 2) {
        const bool is_first = bits == precision + 48, is_late = bits == 4 * (precision + 48);
        mpfr_set_prec(bounds.low, bits);
        mpfr_set_prec(bounds.high, bits);
        find_group(slopes, bits, !is_first);
        for (uint64_t i = 0; i < count; i++) {
            if (done[i])
                continue;
            if (!is_first || !decide(slopes, result, i, &y[i])) {
                enclose_element(slopes, result, i, &bounds);
                if (interval_truncate_within(&bounds, INTERVAL_DECIDED_BY_SIZE, truncated, scratch))
                    y[i] = real_from_mpfr(truncated, 1);
                else if ((is_first || is_late) && attention_is_fraction(slopes, result, i, is_late))
                    y[i] = arf_is_zero(slopes->above)
                               ? (struct real){.kind = REAL_ZERO, .cancelled = true}
                               : quotient_of(slopes->above, slopes->below, precision);
                else
                    continue;
            }
            done[i] = true;
            open--;
        }
    }
    mpfr_clears(truncated, scratch, bounds.low, bounds.high, (mpfr_ptr)0);
    free(done);
    return !open || error_set(error, UNDECIDED, ENCLOSE_MOST_BITS);
}

bool attention_exact_gradient(const struct array_call *call, int result, int precision,
                              struct real *y, struct error *error) {
    struct attention_slopes slopes = {.group = 0};
    bool good = attention_open_query(&slopes.query, call);
    const struct attention_extents *extents = &slopes.query.extents;
    slopes.rows = extents->heads / extents->groups * extents->queries;
    const uint64_t cells = slopes.rows * extents->keys,
                   each = (result == ATTENTION_DQ ? slopes.rows : extents->keys) * extents->width;
    slopes.row = calloc(slopes.rows, sizeof *slopes.row);
    slopes.counts = calloc(cells, sizeof *slopes.counts);
    slopes.weights = _arb_vec_init((slong)cells);
    slopes.slopes = _arb_vec_init((slong)cells);
    arb_ptr balls[] = {slopes.t, slopes.u, slopes.rest};
    arf_init(slopes.above);
    arf_init(slopes.below);
    for (int i = 0; i < 3; i++)
        arb_init(balls[i]);
    good = (good && slopes.row && slopes.counts) || error_set(error, "out of memory");
    for (; good && slopes.group < extents->batches * extents->groups; slopes.group++) {
        find_rows(&slopes);
        good = find_elements(&slopes, result, precision, y + slopes.group * each, error);
    }
    free(slopes.row);
    free(slopes.counts);
    _arb_vec_clear(slopes.weights, (slong)cells);
    _arb_vec_clear(slopes.slopes, (slong)cells);
    arf_clear(slopes.above);
    arf_clear(slopes.below);
    for (int i = 0; i < 3; i++)
        arb_clear(balls[i]);
    attention_close_query(&slopes.query);
    return good;
}
