/* Exact values of attention.
 *
 * A score is a binary fraction, the exact scale being a number of fp32, but with a soft cap. With the scores' distinct values
 * as classes, a result y solves the sum over all classes of e^s (the sum of v - y in it) = 0; so by Lindemann and Weierstrass
 * it is no binary fraction unless the mean of the values is y in each class. (With a soft cap nobody has proved that.) Where
 * balls do not close at first, classes are therefore compared, exactly: one key, equal scores and equal values are such.
 *
 * A key whose score is -inf counts nothing, whatever its value is; a query without any other key gives +0. A score that is
 * NaN or +inf makes all NaN. */
#include "op/kernels/attention_exact.h"

#include "op/array/slices.h"
#include "op/enclose.h"

#include <stdlib.h>

/* Encloses a result in y, from the column of values. */
static void enclose_result(struct attention_query *query, struct interval *y) {
    const slong bits = (slong)mpfr_get_prec(y->low);
    attention_find_weights(query, bits);
    arb_dot(query->t, NULL, 0, query->weights, 1, query->column, 1, (slong)query->count, bits);
    arb_div(query->t, query->t, query->total, bits);
    arb_get_interval_mpfr(y->low, y->high, query->t);
}

/* The same, where it is known which scores are near m. Let n be how many these are, and S the sum of their values: the
 * result lies beside S / n. The rest is the sum of (e^(s - m) - 1) (v - S / n) over these scores and of
 * e^(s - m) (v - S / n) over the others, divided by the sum of e^(s - m) over all. It has a sign, however small it is. */
static void enclose_beside_largest(struct attention_query *query, struct interval *y) {
    const slong bits = (slong)mpfr_get_prec(y->low);
    slong near = 0;
    if (query->bits < bits) {
        attention_find_weights(query, bits);
        attention_find_moved(query, bits);
    }
    arf_zero(query->sum);
    for (uint64_t i = 0; i < query->count; i++)
        if (attention_is_near(query, &query->key[i])) {
            arf_add(query->sum, query->sum, arb_midref(&query->column[i]), ARF_PREC_EXACT,
                    ARF_RND_DOWN);
            near++;
        }
    for (uint64_t i = 0; i < query->count; i++) {
        arf_ptr value = arb_midref(&query->beside[i]);
        arf_mul_si(value, arb_midref(&query->column[i]), near, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_sub(value, value, query->sum, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    arb_dot(query->t, NULL, 0, query->moved, 1, query->beside, 1, (slong)query->count, bits);
    arb_div(query->t, query->t, query->total, bits);
    arf_set_si(query->all, near);
    enclose_beside(y, query->sum, query->t, arb_is_positive(query->t) - arb_is_negative(query->t),
                   query->all);
}

/* Whether the values have one mean in all classes, which is the mean of all. query->all is their sum. */
static bool has_one_mean(struct attention_query *query) {
    bool *done = calloc(query->count, sizeof *done);
    bool same = done != NULL;
    attention_find_dots(query);
    arf_zero(query->all);
    for (uint64_t i = 0; i < query->count; i++)
        arf_add(query->all, query->all, arb_midref(&query->column[i]), ARF_PREC_EXACT,
                ARF_RND_DOWN);
    for (uint64_t i = 0; same && i < query->count; i++) {
        uint64_t members = 0;
        arf_zero(query->sum);
        for (uint64_t j = i; !done[i] && j < query->count; j++)
            if (j == i || (!done[j] && !attention_compare(query, &query->key[i], &query->key[j]))) {
                arf_add(query->sum, query->sum, arb_midref(&query->column[j]), ARF_PREC_EXACT,
                        ARF_RND_DOWN);
                members++;
                done[j] = j != i;
            }
        if (!members)
            continue;
        arf_mul_ui(query->sum, query->sum, query->count, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_submul_ui(query->sum, query->all, members, ARF_PREC_EXACT, ARF_RND_DOWN);
        same = arf_is_zero(query->sum) != 0;
    }
    free(done);
    return same;
}

static struct real mean_of(struct attention_query *query, uint64_t i, int precision) {
    const uint64_t width = query->extents.width;
    bool has[2] = {false, false};
    if (!arf_is_zero(query->all)) {
        arf_set_ui(query->sum, query->count);
        return quotient_of(query->all, query->sum, precision);
    }
    for (uint64_t j = 0; j < query->count; j++)
        has[query->numbers[ATTENTION_V][(query->keys + query->key[j].index) * width + i].negative] =
            true;
    struct real zero = real_zero(has[1] && !has[0]);
    zero.cancelled = has[0] && has[1];
    return zero;
}

/* Element i where a value is infinite or NaN, or there is no key. */
static bool decide(const struct attention_query *query, uint64_t i, struct real *y) {
    struct real limit = real_zero(false);
    for (uint64_t j = 0; j < query->count; j++)
        limit = attention_limit_of_sum(
            &limit,
            &query->numbers[ATTENTION_V]
                           [(query->keys + query->key[j].index) * query->extents.width + i]);
    *y = query->is_nan ? real_nan() : limit;
    return query->is_nan || !query->count || limit.kind != REAL_ZERO;
}

static bool find_element(struct attention_query *query, uint64_t i, int precision, struct real *y,
                         struct error *error) {
    struct interval bounds;
    mpfr_t truncated, scratch;
    bool closes = false, is_mean = false;
    if (decide(query, i, y))
        return true;
    for (uint64_t j = 0; j < query->count; j++)
        arb_set(&query->column[j], query->exact[ATTENTION_V] +
                                       (query->keys + query->key[j].index) * query->extents.width +
                                       i);
    mpfr_inits2(precision, truncated, scratch, (mpfr_ptr)0);
    mpfr_inits2(precision + 48, bounds.low, bounds.high, (mpfr_ptr)0);
    for (mpfr_prec_t bits = precision + 48; !closes && !is_mean && bits <= ENCLOSE_MOST_BITS;
         bits *= 2) {
        const bool is_first = bits == precision + 48;
        mpfr_set_prec(bounds.low, bits);
        mpfr_set_prec(bounds.high, bits);
        (is_first ? enclose_result : enclose_beside_largest)(query, &bounds);
        closes = interval_truncate_within(&bounds, INTERVAL_DECIDED_BY_SIZE, truncated, scratch);
        is_mean = !closes && is_first && has_one_mean(query);
    }
    *y = is_mean ? mean_of(query, i, precision) : real_from_mpfr(truncated, 1);
    mpfr_clears(truncated, scratch, bounds.low, bounds.high, (mpfr_ptr)0);
    return closes || is_mean ||
           error_set(error,
                     "the oracle cannot decide an element of attention within %d bits; "
                     "please report it",
                     ENCLOSE_MOST_BITS);
}

/* Query number `number` of all. */
void attention_set_query(struct attention_query *query, uint64_t number) {
    const struct attention_extents *extents = &query->extents;
    const uint64_t pair = number / extents->queries, batch = pair / extents->heads;
    uint64_t first, last;
    query->place = number % extents->queries;
    query->head = pair % extents->heads;
    query->q = number * extents->width;
    query->keys = (batch * extents->groups + query->head / (extents->heads / extents->groups)) *
                  extents->keys;
    query->count = 0;
    query->bits = 0;
    query->is_nan = query->has_dots = false;
    attention_keys(query->call, query->place, &first, &last);
    for (uint64_t j = first; j < last; j++) {
        struct attention_key *key = &query->key[query->count];
        attention_set_key(query, key, j);
        query->is_nan |= key->limit.kind == REAL_NAN ||
                         (key->limit.kind == REAL_INFINITE && !key->limit.negative);
        query->count += attention_is_number(&key->limit);
    }
}

static struct real *numbers_of(const struct array_call *call, int operand) {
    const uint64_t count = shape_elements(&call->operands[operand].shape);
    const struct format *format = call->results[0].format;
    struct real *numbers = calloc(count, sizeof *numbers);
    for (uint64_t i = 0; numbers && i < count; i++)
        numbers[i] = format_decode(format, element_load(&call->operands[operand], format, i));
    return numbers;
}

bool attention_open_query(struct attention_query *query, const struct array_call *call) {
    const struct real cap = attention_soft_cap(call);
    bool good = true;
    *query = (struct attention_query){
        .call = call,
        .extents = attention_extents(call),
        .has_cap = cap.kind == REAL_FINITE,
        .bias = (int)parameter_integer(call->parameters, PARAMETER_BIAS, ATTENTION_NO_BIAS)};
    arf_init(query->scale);
    arf_init(query->cap);
    arf_init(query->all);
    arf_init(query->sum);
    arb_init(query->total);
    arb_init(query->t);
    arb_init(query->u);
    arf_set_d(query->scale, (double)attention_scale(query->extents.width));
    arf_set_real(query->cap, &cap);
    for (int role = 0; role < ATTENTION_ROLES; role++) {
        const int operand = attention_operand(call, role);
        if (operand >= rule_operands(call->rule, call->parameters))
            continue;
        good = (query->numbers[role] = numbers_of(call, operand)) != NULL && good;
        if (!good || role == ATTENTION_BIAS)
            continue;
        const uint64_t count = shape_elements(&call->operands[operand].shape);
        query->exact[role] = _arb_vec_init((slong)count);
        for (uint64_t i = 0; i < count; i++)
            if (!attention_is_number(&query->numbers[role][i]))
                query->has_limits |= role == ATTENTION_Q || role == ATTENTION_K;
            else
                arf_set_real(arb_midref(&query->exact[role][i]), &query->numbers[role][i]);
    }
    query->weights = _arb_vec_init((slong)query->extents.keys);
    query->column = _arb_vec_init((slong)query->extents.keys);
    query->beside = _arb_vec_init((slong)query->extents.keys);
    query->moved = _arb_vec_init((slong)query->extents.keys);
    query->key = calloc(query->extents.keys, sizeof *query->key);
    for (uint64_t j = 0; query->key && j < query->extents.keys; j++) {
        arf_init(query->key[j].dot);
        arf_init(query->key[j].score);
    }
    return good && query->key;
}

void attention_close_query(struct attention_query *query) {
    for (uint64_t j = 0; query->key && j < query->extents.keys; j++) {
        arf_clear(query->key[j].dot);
        arf_clear(query->key[j].score);
    }
    for (int role = 0; role < ATTENTION_ROLES; role++) {
        const int operand = attention_operand(query->call, role);
        free((void *)(uintptr_t)query->numbers[role]);
        if (query->exact[role])
            _arb_vec_clear(query->exact[role],
                           (slong)shape_elements(&query->call->operands[operand].shape));
    }
    _arb_vec_clear(query->weights, (slong)query->extents.keys);
    _arb_vec_clear(query->column, (slong)query->extents.keys);
    _arb_vec_clear(query->beside, (slong)query->extents.keys);
    _arb_vec_clear(query->moved, (slong)query->extents.keys);
    free(query->key);
    arf_clear(query->scale);
    arf_clear(query->cap);
    arf_clear(query->all);
    arf_clear(query->sum);
    arb_clear(query->total);
    arb_clear(query->t);
    arb_clear(query->u);
}

bool attention_exact(const struct array_call *call, int result, int precision, struct real *y,
                     struct error *error) {
    struct attention_query query;
    bool good = attention_open_query(&query, call) || error_set(error, "out of memory");
    const uint64_t width = query.extents.width,
                   count = shape_elements(&call->results[0].shape) / width;
    (void)result;
    for (uint64_t number = 0; good && number < count; number++) {
        attention_set_query(&query, number);
        for (uint64_t i = 0; good && i < width; i++)
            good = !array_wants(call, number * width + i) ||
                   find_element(&query, i, precision, &y[number * width + i], error);
    }
    attention_close_query(&query);
    return good;
}
