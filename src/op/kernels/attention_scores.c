/* The scores of a query: what they are where they are infinite or NaN, exactly, and their weights as balls. */
#include "op/array/slices.h"
#include "op/enclose.h"
#include "op/kernels/attention_exact.h"

bool attention_is_number(const struct real *x) {
    return x->kind == REAL_ZERO || x->kind == REAL_FINITE;
}

struct real attention_limit_of_sum(const struct real *a, const struct real *b) {
    if (a->kind == REAL_NAN || b->kind == REAL_NAN ||
        (a->kind == REAL_INFINITE && b->kind == REAL_INFINITE && a->negative != b->negative))
        return real_nan();
    return a->kind == REAL_INFINITE ? *a : b->kind == REAL_INFINITE ? *b : real_zero(false);
}

static struct real limit_of_product(const struct real *a, const struct real *b) {
    if (a->kind == REAL_NAN || b->kind == REAL_NAN ||
        (a->kind == REAL_ZERO && b->kind == REAL_INFINITE) ||
        (a->kind == REAL_INFINITE && b->kind == REAL_ZERO))
        return real_nan();
    return a->kind == REAL_INFINITE || b->kind == REAL_INFINITE
               ? real_infinity(a->negative != b->negative)
               : real_zero(false);
}

/* The exact bias of a key, or what it is instead of a number. */
static struct real bias_of(const struct attention_query *query, uint64_t j) {
    const struct attention_extents *extents = &query->extents;
    if (query->bias == ATTENTION_NO_BIAS)
        return real_zero(false);
    if (query->bias == ATTENTION_MASK)
        return query->numbers[ATTENTION_BIAS][query->place * extents->keys + j];
    return query->numbers[ATTENTION_BIAS][query->head];
}

/* The place of a key less that of the query. */
static slong distance_of(const struct attention_query *query, uint64_t j) {
    return (slong)(j + query->extents.queries) - (slong)(query->place + query->extents.keys);
}

void attention_set_key(const struct attention_query *query, struct attention_key *key, uint64_t j) {
    const uint64_t width = query->extents.width;
    key->index = j;
    key->limit = real_zero(false);
    key->is_capped = false;
    for (uint64_t d = 0; d < (query->has_limits ? width : 0); d++) {
        const struct real product =
            limit_of_product(&query->numbers[ATTENTION_Q][query->q + d],
                             &query->numbers[ATTENTION_K][(query->keys + j) * width + d]);
        key->limit = attention_limit_of_sum(&key->limit, &product);
    }
    if (query->has_cap && key->limit.kind == REAL_INFINITE) {
        key->is_capped = true;
        key->is_negative = key->limit.negative;
        key->limit = real_zero(false);
    }
    key->bias = bias_of(query, j);
    struct real bias = key->bias;
    if (query->bias == ATTENTION_ALIBI) {
        const struct real distance = real_from_double((double)distance_of(query, j));
        bias = limit_of_product(&bias, &distance);
    }
    key->limit = attention_limit_of_sum(&key->limit, &bias);
}

/* The exact bias in query->all. */
static void find_bias(struct attention_query *query, const struct attention_key *key) {
    arf_set_real(query->all, &key->bias);
    if (query->bias == ATTENTION_ALIBI)
        arf_mul_si(query->all, query->all, distance_of(query, key->index), ARF_PREC_EXACT,
                   ARF_RND_DOWN);
}

/* t = the score. */
static void find_score(struct attention_query *query, const struct attention_key *key, slong bits) {
    const slong width = (slong)query->extents.width;
    arb_ptr q = query->exact[ATTENTION_Q] + query->q,
            k = query->exact[ATTENTION_K] + (query->keys + key->index) * query->extents.width;
    arb_dot(query->t, NULL, 0, q, 1, k, 1, width, bits);
    arb_mul_arf(query->t, query->t, query->scale, bits);
    if (query->has_cap) {
        arb_set_arf(query->u, query->cap);
        arb_div(query->t, query->t, query->u, bits);
        arb_tanh(query->t, query->t, bits);
        if (key->is_capped)
            arb_set_si(query->t, key->is_negative ? -1 : 1);
        arb_mul(query->t, query->t, query->u, bits);
    }
    find_bias(query, key);
    arb_add_arf(query->t, query->t, query->all, bits);
}

void attention_find_dots(struct attention_query *query) {
    const uint64_t width = query->extents.width;
    for (uint64_t i = 0; !query->has_dots && i < query->count; i++) {
        struct attention_key *key = &query->key[i];
        arf_zero(key->dot);
        for (uint64_t d = 0; d < width; d++)
            arf_addmul(
                key->dot, arb_midref(query->exact[ATTENTION_Q] + query->q + d),
                arb_midref(query->exact[ATTENTION_K] + (query->keys + key->index) * width + d),
                ARF_PREC_EXACT, ARF_RND_DOWN);
        if (query->has_cap && key->is_capped)
            arf_set_si(key->dot, 0);
        find_bias(query, key);
        arf_mul(key->score, key->dot, query->scale, ARF_PREC_EXACT, ARF_RND_DOWN);
        if (query->has_cap)
            arf_set(key->score, query->all);
        else
            arf_add(key->score, key->score, query->all, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    query->has_dots = true;
}

int attention_compare(const struct attention_query *query, const struct attention_key *a,
                      const struct attention_key *b) {
    int order = arf_cmp(a->score, b->score);
    if (!order && query->has_cap)
        order = a->is_capped != b->is_capped ? a->is_capped - b->is_capped
                : a->is_capped               ? a->is_negative - b->is_negative
                                             : arf_cmp(a->dot, b->dot);
    return order;
}

void attention_find_weights(struct attention_query *query, slong bits) {
    uint64_t most = 0;
    if (query->bits >= bits)
        return;
    query->bits = bits;
    for (uint64_t i = 0; i < query->count; i++) {
        find_score(query, &query->key[i], bits);
        arb_swap(&query->weights[i], query->t);
        if (arf_cmp(arb_midref(&query->weights[i]), arb_midref(&query->weights[most])) > 0)
            most = i;
    }
    query->most = most;
    arb_set(query->u, &query->weights[most]);
    arb_zero(query->total);
    for (uint64_t i = 0; i < query->count; i++) {
        if (i == most ||
            (query->has_dots && !attention_compare(query, &query->key[i], &query->key[most])))
            arb_one(&query->weights[i]);
        else {
            arb_sub(&query->weights[i], &query->weights[i], query->u, bits);
            arb_exp(&query->weights[i], &query->weights[i], bits);
        }
        arb_add(query->total, query->total, &query->weights[i], bits);
    }
}

static bool is_negative(const struct attention_key *key) {
    return key->is_capped ? key->is_negative : arf_sgn(key->dot) < 0;
}

bool attention_is_near(const struct attention_query *query, const struct attention_key *key) {
    const struct attention_key *most = &query->key[query->most];
    return !attention_compare(query, key, most) ||
           (query->has_cap && arf_equal(key->score, most->score) &&
            is_negative(key) == is_negative(most));
}

/* t = what the magnitude of a capped score lacks to the soft cap c: 2 c / (e^(2 |x| / c) + 1). */
static void find_gap(struct attention_query *query, const struct attention_key *key, slong bits) {
    arb_zero(query->t);
    if (key->is_capped)
        return;
    arf_mul(query->all, key->dot, query->scale, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_abs(query->all, query->all);
    arf_mul_2exp_si(query->all, query->all, 1);
    arb_set_arf(query->t, query->all);
    arb_set_arf(query->u, query->cap);
    arb_div(query->t, query->t, query->u, bits);
    arb_exp(query->t, query->t, bits);
    arb_add_ui(query->t, query->t, 1, bits);
    arb_div(query->t, query->u, query->t, bits);
    arb_mul_2exp_si(query->t, query->t, 1);
}

void attention_find_moved(struct attention_query *query, slong bits) {
    const struct attention_key *most = &query->key[query->most];
    for (uint64_t i = 0; i < query->count; i++) {
        arb_ptr moved = &query->moved[i];
        if (!attention_is_near(query, &query->key[i]))
            arb_set(moved, &query->weights[i]);
        else if (!attention_compare(query, &query->key[i], most))
            arb_zero(moved);
        else {
            find_gap(query, most, bits);
            arb_swap(moved, query->t);
            find_gap(query, &query->key[i], bits);
            arb_sub(moved, moved, query->t, bits);
            if (is_negative(most))
                arb_neg(moved, moved);
            arb_expm1(moved, moved, bits);
        }
    }
}
