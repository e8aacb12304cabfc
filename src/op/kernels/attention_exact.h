/* A query at work, as the files that find attention's exact values share it. */
#ifndef DETCHECK_OP_KERNELS_ATTENTION_EXACT_H
#define DETCHECK_OP_KERNELS_ATTENTION_EXACT_H

#include "op/kernels/attention.h"

#include <arb.h>

struct attention_key {
    struct real
        limit; /* the score where it is infinite or NaN; else zero, and so it is before the bias */
    struct real bias;
    bool is_capped,
        is_negative;  /* an infinite product that a soft cap makes finite, and its sign */
    arf_t dot, score; /* exactly: without the bias, and with it where there is no soft cap */
    uint64_t index;
};

struct attention_query {
    const struct array_call *call;
    struct attention_extents extents;
    const struct real *numbers[ATTENTION_ROLES];
    arb_ptr exact[ATTENTION_ROLES]; /* of all but the bias, 0 where they are no numbers */
    arf_t scale, cap, all, sum;
    bool has_cap, has_limits; /* an element of q or k is infinite or NaN */
    int bias;
    /* Where the elements of the query at work begin, where its keys and values do, and which keys count. */
    uint64_t q, keys, place, head, count;
    bool is_nan, has_dots;
    uint64_t most; /* the key with weight 1 */
    struct attention_key *key;
    slong bits; /* of the weights; 0: none yet */
    arb_ptr weights, moved, column, beside;
    arb_t total, t, u;
};

bool attention_open_query(struct attention_query *query, const struct array_call *call);
void attention_close_query(struct attention_query *query);
/* Sets up query number `number` of all: its keys that count. */
void attention_set_query(struct attention_query *query, uint64_t number);

bool attention_is_number(const struct real *x);
/* The sum of extended reals. Only whether it is infinite or NaN, and its sign, count. */
struct real attention_limit_of_sum(const struct real *a, const struct real *b);

/* Key j of those that the query may have. */
void attention_set_key(const struct attention_query *query, struct attention_key *key, uint64_t j);
/* The exact products and scores of all keys that count. */
void attention_find_dots(struct attention_query *query);
/* 0 for keys of one class: of equal scores, or with a soft cap of equal products and biases. */
int attention_compare(const struct attention_query *query, const struct attention_key *a,
                      const struct attention_key *b);
/* e^(s - m), m being one of the largest scores, and their sum. Those of m's class are 1 exactly where classes are known. */
void attention_find_weights(struct attention_query *query, slong bits);
/* Whether the score is m, or nears the same end of the soft cap as m does; where classes are known. */
bool attention_is_near(const struct attention_query *query, const struct attention_key *key);
/* Weights, of near scores less 1: however small these are, their first bits are right. */
void attention_find_moved(struct attention_query *query, slong bits);

#endif
