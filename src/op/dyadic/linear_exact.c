/* Every step is the definition's; nothing here knows of blocks or of an order that does not count. */
#include "op/dyadic/linear_exact.h"

enum { X1, X2, X3 };

struct dyadic_linear dyadic_linear_of(const struct array_call *call) {
    const struct parameters *given = call->parameters;
    struct dyadic_linear linear = {
        .which = (enum dyadic_operation)call->rule->which,
        .s1 = (int)parameter_integer(given, PARAMETER_S1, 0),
        .s2 = (int)parameter_integer(given, PARAMETER_S2, 0),
        .q = (int)parameter_integer(given, PARAMETER_Q, 0),
        .p = (int)parameter_integer(given, PARAMETER_P, 0),
        .transpose = (int)parameter_integer(given, PARAMETER_TRANSPOSE, 0),
        .rate = (int)parameter_integer(given, PARAMETER_LR_SHIFT, 0),
        .decay = (int)parameter_integer(given, PARAMETER_MOMENTUM_SHIFT, 0),
        .bound = parameter_integer(given, PARAMETER_CLIP, INT64_MAX),
        .rules = dyadic_rules_of(call),
        .seed = (uint64_t)given->values[PARAMETER_STOCHASTIC].integer};
    linear.s3 = (int)parameter_integer(given, PARAMETER_S3, linear.s1 + linear.s2);
    return linear;
}

struct detmath_dyadic_matrices dyadic_matrices_of(const struct array_call *call) {
    const struct dyadic_linear given = dyadic_linear_of(call);
    const struct shape *x = &call->operands[X1].shape, *y = &call->operands[X2].shape;
    if (given.which == DYADIC_DOT)
        return (struct detmath_dyadic_matrices){
            .rows = 1, .inner = (size_t)shape_elements(x), .columns = 1, .x_column = 1, .y_row = 1};
    const bool addend = array_addend(call);
    size_t x_width = (size_t)x->extents[1], y_width = (size_t)y->extents[1];
    bool x_turned = given.transpose == 1, y_turned = given.transpose == 2;
    return (struct detmath_dyadic_matrices){.rows = (size_t)x->extents[x_turned],
                                            .inner = (size_t)x->extents[!x_turned],
                                            .columns = (size_t)y->extents[!y_turned],
                                            .x_row = x_turned ? 1 : x_width,
                                            .x_column = x_turned ? x_width : 1,
                                            .y_row = y_turned ? 1 : y_width,
                                            .y_column = y_turned ? y_width : 1,
                                            .b_row = addend ? (size_t)y->extents[!y_turned] : 1,
                                            .b_column = addend};
}

static void load(struct dyadic_exact *exact, mpz_t z, const struct array_call *call, int operand,
                 uint64_t element, const struct dyadic_linear *given) {
    dyadic_exact_integer(z, dyadic_mantissa_at(&call->operands[operand], element));
    dyadic_exact_hold(exact, z, &given->rules);
}

/* The numbers that mantissas stand for, unheld. */
static void number(mpq_t x, const struct array_call *call, int operand, uint64_t element, long s) {
    mpz_t v;
    mpz_init(v);
    dyadic_exact_integer(v, dyadic_mantissa_at(&call->operands[operand], element));
    dyadic_exact_number(x, v, s);
    mpz_clear(v);
}

void dyadic_answer_product(struct dyadic_exact *exact, const struct array_call *call, int result,
                           uint64_t element) {
    const struct dyadic_linear linear = dyadic_linear_of(call), *given = &linear;
    const struct detmath_dyadic_matrices m = dyadic_matrices_of(call);
    uint64_t r = element / m.columns, c = element % m.columns;
    uint64_t random = dyadic_random_bits_of(call, element);
    mpz_t sum;
    (void)result;
    mpz_init(sum);
    for (uint64_t k = 0; k < m.inner; k++) {
        uint64_t i = r * m.x_row + k * m.x_column, j = k * m.y_row + c * m.y_column;
        number(exact->x1, call, X1, i, given->s1);
        number(exact->x2, call, X2, j, given->s2);
        mpq_mul(exact->x1, exact->x1, exact->x2);
        mpq_add(exact->value, exact->value, exact->x1);
        load(exact, exact->v, call, X1, i, given);
        load(exact, exact->other, call, X2, j, given);
        mpz_mul(exact->v, exact->v, exact->other);
        dyadic_exact_hold(exact, exact->v, &given->rules);
        mpz_add(sum, sum, exact->v);
        dyadic_exact_hold(exact, sum, &given->rules);
    }
    if (given->which == DYADIC_AFFINE || array_addend(call)) {
        const uint64_t at = r * m.b_row + c * m.b_column;
        number(exact->x1, call, X3, at, given->s3);
        mpq_add(exact->value, exact->value, exact->x1);
        load(exact, exact->v, call, X3, at, given);
        dyadic_exact_shift(exact, exact->v, (long)given->s1 + given->s2 - given->s3, &given->rules,
                           random >> 32 | random << 32);
        mpz_add(sum, sum, exact->v);
        dyadic_exact_hold(exact, sum, &given->rules);
    }
    dyadic_exact_shift(exact, sum, -given->q, &given->rules, random);
    mpz_set(exact->v, sum);
    mpz_clear(sum);
    exact->s = (long)given->s1 + given->s2 - given->q;
}

void dyadic_answer_mse(struct dyadic_exact *exact, const struct array_call *call, int result,
                       uint64_t element) {
    const struct dyadic_linear linear = dyadic_linear_of(call), *given = &linear;
    uint64_t n = shape_elements(&call->operands[X1].shape);
    bool coarser = given->rules.alignment == DETMATH_DYADIC_COARSER;
    long t = (given->s1 < given->s2) == coarser ? given->s1 : given->s2;
    mpz_t sum, d;
    (void)result;
    (void)element;
    mpz_inits(sum, d, NULL);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t random = dyadic_random_bits_of(call, i);
        number(exact->x1, call, X1, i, given->s1);
        number(exact->x2, call, X2, i, given->s2);
        mpq_sub(exact->x1, exact->x1, exact->x2);
        mpq_mul(exact->x1, exact->x1, exact->x1);
        mpq_add(exact->value, exact->value, exact->x1);
        load(exact, d, call, X1, i, given);
        dyadic_exact_shift(exact, d, t - given->s1, &given->rules, random);
        load(exact, exact->v, call, X2, i, given);
        dyadic_exact_shift(exact, exact->v, t - given->s2, &given->rules, random);
        mpz_sub(d, d, exact->v);
        dyadic_exact_hold(exact, d, &given->rules);
        mpz_mul(d, d, d);
        dyadic_exact_hold(exact, d, &given->rules);
        mpz_add(sum, sum, d);
        dyadic_exact_hold(exact, sum, &given->rules);
    }
    mpq_set_ui(exact->x1, 1, (unsigned long)n);
    mpq_mul(exact->value, exact->value, exact->x1);
    mpz_set_ui(d, (unsigned long)n);
    dyadic_exact_hold(exact, d, &given->rules);
    dyadic_exact_raise(exact, sum, d, given->p, &given->rules);
    mpz_tdiv_qr(exact->v, exact->part, sum, d);
    exact->lost_bits = exact->lost_bits || mpz_sgn(exact->part) != 0;
    mpz_clears(sum, d, NULL);
    exact->s = 2 * t + given->p;
}

/* One of -bound to bound. */
static void clip(struct dyadic_exact *exact, mpz_t z, int64_t bound) {
    dyadic_exact_integer(exact->mantissa, bound);
    bool above = mpz_cmp(z, exact->mantissa) > 0;
    mpz_neg(exact->other, exact->mantissa);
    bool below = mpz_cmp(z, exact->other) < 0;
    exact->clipped = above || below;
    if (exact->clipped)
        mpz_set(z, above ? exact->mantissa : exact->other);
}

/* w less m 2^-rate, or m: the last one less its 2^-decay, and the gradient within the bounds. */
static void value_of_step(struct dyadic_exact *exact, const struct array_call *call,
                          const struct dyadic_linear *given, int result, uint64_t i) {
    exact->s = result == 0 ? given->s1 : given->s2;
    dyadic_exact_integer(exact->v, dyadic_mantissa_at(&call->operands[X3], i));
    clip(exact, exact->v, given->bound);
    dyadic_exact_number(exact->value, exact->v, given->s2);
    if (given->decay) {
        number(exact->x1, call, X2, i, given->s2);
        mpq_add(exact->value, exact->value, exact->x1);
        mpq_div_2exp(exact->x1, exact->x1, (mp_bitcnt_t)given->decay);
        mpq_sub(exact->value, exact->value, exact->x1);
    }
    if (result == 0) {
        number(exact->x1, call, X1, i, given->s1);
        mpq_div_2exp(exact->value, exact->value, (mp_bitcnt_t)given->rate);
        mpq_sub(exact->value, exact->x1, exact->value);
    }
}

void dyadic_answer_step(struct dyadic_exact *exact, const struct array_call *call, int result,
                        uint64_t i) {
    const struct dyadic_linear linear = dyadic_linear_of(call), *given = &linear;
    uint64_t random = dyadic_random_bits_of(call, i);
    mpz_t velocity, gradient;
    mpz_inits(velocity, gradient, NULL);
    value_of_step(exact, call, given, result, i);
    load(exact, gradient, call, X3, i, given);
    clip(exact, gradient, given->bound);
    if (given->decay) {
        load(exact, velocity, call, X2, i, given);
        mpz_set(exact->v, velocity);
        dyadic_exact_shift(exact, exact->v, -given->decay, &given->rules, random);
        mpz_sub(velocity, velocity, exact->v);
        dyadic_exact_hold(exact, velocity, &given->rules);
    }
    mpz_add(velocity, velocity, gradient);
    dyadic_exact_hold(exact, velocity, &given->rules);
    mpz_set(exact->v, velocity);
    if (result == 0) {
        load(exact, gradient, call, X1, i, given);
        dyadic_exact_shift(exact, velocity, (long)given->s1 - given->s2 - given->rate,
                           &given->rules, random >> 32 | random << 32);
        mpz_sub(exact->v, gradient, velocity);
        dyadic_exact_hold(exact, exact->v, &given->rules);
    }
    mpz_clears(velocity, gradient, NULL);
}
