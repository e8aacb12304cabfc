/* Steps of optimisers, exactly.
 *
 * Each result of sgd is a sum of operands times exact factors, and so are Adam's moments m and v, with squares. With c and d,
 * 1 - beta^t for the two betas, Adam's parameter is base - rate m / (c ((v / d)^(1/2) + epsilon)). Where v d is a square
 * of a binary fraction that is a quotient of binary fractions; else it is no binary fraction but where m is 0. Where c and d
 * have too many bits to be written down nobody has proved that, and an enclosure decides, or says that it cannot. */
#include "op/kernels/optimisers.h"

#include "op/array/slices.h"
#include "op/enclose.h"

#include <math.h>

/* Powers of beta of more bits are enclosed. */
enum { MOST_POWER_BITS = 1 << 13 };
/* Powers of beta below 2^-FAR_POWER are as good as a sign. */
enum { FAR_POWER = 16000 };

double optimiser_rate(const struct array_call *call, enum parameter_number number) {
    const int64_t code = parameter_integer(call->parameters, number, 0);
    const struct real value = format_decode(&formats[FORMAT_FP32], (uint64_t)code);
    return code ? real_to_double(&value) : 0;
}

bool optimiser_has_velocity(const struct parameters *parameters) {
    return parameter_integer(parameters, PARAMETER_MOMENTUM, 0) != 0 &&
           parameter_integer(parameters, PARAMETER_STEP, 2) > 1;
}

/* A sum of products: what it is as a number, and what its zeros and infinities make of it. */
struct sum {
    arf_t value;
    bool plus_zero, minus_zero, is_other; /* among the terms */
    double far;                           /* the sum of terms that are infinite or NaN; else 0 */
};

static void sum_clear(struct sum *sum) {
    arf_zero(sum->value);
    sum->plus_zero = sum->minus_zero = sum->is_other = false;
    sum->far = 0;
}

/* sum += factor x, of a sign that the factor has; of a factor 0 it is nothing, but NaN of an infinity. */
static void sum_add(struct sum *sum, const arf_t factor, const struct real *x) {
    arf_t term;
    const bool negative = x->negative != (arf_sgn(factor) < 0);
    if (x->kind == REAL_NAN || (x->kind == REAL_INFINITE && arf_is_zero(factor))) {
        sum->far = NAN;
    } else if (x->kind == REAL_INFINITE) {
        sum->far += negative ? -INFINITY : INFINITY;
    } else if (arf_is_zero(factor)) {
        return;
    } else if (x->kind == REAL_ZERO) {
        *(negative ? &sum->minus_zero : &sum->plus_zero) = true;
    } else {
        arf_init(term);
        arf_set_real(term, x);
        arf_addmul(sum->value, term, factor, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_clear(term);
        sum->is_other = true;
    }
}

/* The sum itself, truncated. */
static struct real sum_value(const struct sum *sum, int precision) {
    arf_t one;
    if (sum->far != 0)
        return isnan(sum->far) ? real_nan() : real_infinity(sum->far < 0);
    if (arf_is_zero(sum->value)) {
        struct real zero = real_zero(sum->minus_zero && !sum->plus_zero && !sum->is_other);
        zero.cancelled = sum->is_other || (sum->plus_zero && sum->minus_zero);
        return zero;
    }
    arf_init(one);
    arf_one(one);
    const struct real value = quotient_of(sum->value, one, precision);
    arf_clear(one);
    return value;
}

enum factor { RATE, MOMENTUM, REST, DECAY, REST_2, MOMENTUM_2, EPSILON, ONE, T, U, V, FACTORS };

/* A step: its rates, and an element of it. */
struct optimiser {
    const struct array_call *call;
    bool is_adam, is_decoupled;
    uint64_t step;
    arf_t factors[FACTORS];
    struct sum sums[3]; /* the parameter without Adam's part; and what is kept */
    struct real x[4];
    arb_t c, d, t, u;
    slong bits;
};

/* (above + rest) / below, where the rest is next to nothing, of a sign. */
struct far_quotient {
    arf_t above, below;
    arb_t rest;
    int side;
};

static void open_optimiser(struct optimiser *step, const struct array_call *call) {
    const bool is_adam = call->rule->operand_names[SQUARE] != NULL;
    *step = (struct optimiser){
        .call = call,
        .is_adam = is_adam,
        .is_decoupled = call->rule->which == 1,
        .step = (uint64_t)parameter_integer(call->parameters, PARAMETER_STEP, 2)};
    for (int i = 0; i < FACTORS; i++)
        arf_init(step->factors[i]);
    for (int i = 0; i < 3; i++)
        arf_init(step->sums[i].value);
    arb_ptr balls[] = {step->c, step->d, step->t, step->u};
    for (size_t i = 0; i < sizeof balls / sizeof *balls; i++)
        arb_init(balls[i]);
    arf_one(step->factors[ONE]);
    arf_set_d(step->factors[RATE], optimiser_rate(call, PARAMETER_LEARNING_RATE));
    arf_set_d(step->factors[DECAY], optimiser_rate(call, PARAMETER_WEIGHT_DECAY));
    arf_set_d(step->factors[EPSILON], optimiser_rate(call, PARAMETER_EPSILON));
    arf_set_d(step->factors[MOMENTUM],
              optimiser_rate(call, is_adam ? PARAMETER_BETA1 : PARAMETER_MOMENTUM));
    arf_set_d(step->factors[MOMENTUM_2], optimiser_rate(call, PARAMETER_BETA2));
    arf_set_d(step->factors[REST], is_adam ? optimiser_rate(call, PARAMETER_BETA1)
                                           : optimiser_rate(call, PARAMETER_DAMPENING));
    arf_sub(step->factors[REST], step->factors[ONE], step->factors[REST], ARF_PREC_EXACT,
            ARF_RND_DOWN);
    arf_sub(step->factors[REST_2], step->factors[ONE], step->factors[MOMENTUM_2], ARF_PREC_EXACT,
            ARF_RND_DOWN);
}

static void close_optimiser(struct optimiser *step) {
    for (int i = 0; i < FACTORS; i++)
        arf_clear(step->factors[i]);
    for (int i = 0; i < 3; i++)
        arf_clear(step->sums[i].value);
    arb_ptr balls[] = {step->c, step->d, step->t, step->u};
    for (size_t i = 0; i < sizeof balls / sizeof *balls; i++)
        arb_clear(balls[i]);
}

static void load(struct optimiser *step, uint64_t i) {
    const struct format *format = step->call->results[0].format;
    const int operands = rule_operands(step->call->rule, step->call->parameters);
    for (int k = 0; k < operands; k++)
        step->x[k] = format_decode(format, element_load(&step->call->operands[k], format, i));
}

/* sum += factor g', the gradient with the decay. */
static void add_slope(struct optimiser *step, struct sum *sum, const arf_t factor) {
    sum_add(sum, factor, &step->x[GRADIENT]);
    if (arf_is_zero(step->factors[DECAY]) || step->is_decoupled)
        return;
    arf_mul(step->factors[T], factor, step->factors[DECAY], ARF_PREC_EXACT, ARF_RND_DOWN);
    sum_add(sum, step->factors[T], &step->x[PARAMETER]);
}

/* sum += factor times the new velocity, or the new mean. */
static void add_velocity(struct optimiser *step, struct sum *sum, const arf_t factor) {
    const bool has_old = step->is_adam ? !arf_is_zero(step->factors[MOMENTUM])
                                       : optimiser_has_velocity(step->call->parameters);
    arf_mul(step->factors[U], factor, step->factors[REST], ARF_PREC_EXACT, ARF_RND_DOWN);
    add_slope(step, sum, has_old || step->is_adam ? step->factors[U] : factor);
    if (!has_old)
        return;
    arf_mul(step->factors[U], factor, step->factors[MOMENTUM], ARF_PREC_EXACT, ARF_RND_DOWN);
    sum_add(sum, step->factors[U], &step->x[VELOCITY]);
}

/* What is infinite or NaN in sgd's step, as its formula has it: beside it numbers are as good as 0. */
static double far_of_step(const struct optimiser *step, const struct sum *velocity,
                          const struct sum *slope) {
    const struct real *p = &step->x[PARAMETER];
    const double own = p->kind == REAL_NAN        ? NAN
                       : p->kind != REAL_INFINITE ? 0
                       : p->negative              ? -INFINITY
                                                  : INFINITY;
    const bool nesterov = parameter_flag(step->call->parameters, PARAMETER_NESTEROV);
    return own - (nesterov ? slope->far + velocity->far : velocity->far);
}

static void find_sgd(struct optimiser *step, int precision, struct real *y) {
    struct sum *parameter = &step->sums[NEW_PARAMETER], *velocity = &step->sums[NEW_VELOCITY],
               *slope = &step->sums[2];
    const bool nesterov = parameter_flag(step->call->parameters, PARAMETER_NESTEROV);
    sum_clear(parameter);
    sum_clear(velocity);
    sum_clear(slope);
    add_velocity(step, velocity, step->factors[ONE]);
    add_slope(step, slope, step->factors[ONE]);
    sum_add(parameter, step->factors[ONE], &step->x[PARAMETER]);
    arf_neg(step->factors[V], step->factors[RATE]);
    if (nesterov) {
        add_slope(step, parameter, step->factors[V]);
        arf_mul(step->factors[V], step->factors[V], step->factors[MOMENTUM], ARF_PREC_EXACT,
                ARF_RND_DOWN);
    }
    add_velocity(step, parameter, step->factors[V]);
    parameter->far = far_of_step(step, velocity, slope);
    y[NEW_PARAMETER] = sum_value(parameter, precision);
    y[NEW_VELOCITY] = sum_value(velocity, precision);
}

/* The new mean and mean of squares, and what the parameter is without them. */
static void find_moments(struct optimiser *step) {
    struct sum *parameter = &step->sums[NEW_PARAMETER], *mean = &step->sums[NEW_MEAN],
               *square = &step->sums[NEW_SQUARE];
    sum_clear(parameter);
    sum_clear(mean);
    sum_clear(square);
    arf_mul(step->factors[T], step->factors[RATE], step->factors[DECAY], ARF_PREC_EXACT,
            ARF_RND_DOWN);
    arf_sub(step->factors[T], step->factors[ONE], step->factors[T], ARF_PREC_EXACT, ARF_RND_DOWN);
    sum_add(parameter, step->factors[step->is_decoupled ? T : ONE], &step->x[PARAMETER]);
    if (step->is_decoupled && arf_is_zero(step->factors[T])) /* a zero of its own sign is left */
        *(step->x[PARAMETER].negative ? &parameter->minus_zero : &parameter->plus_zero) = true;
    add_velocity(step, mean, step->factors[ONE]);
    add_slope(step, square, step->factors[ONE]); /* g', whose square it becomes */
    arf_mul(step->factors[T], square->value, square->value, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul(square->value, step->factors[T], step->factors[REST_2], ARF_PREC_EXACT, ARF_RND_DOWN);
    square->far *= square->far;
    square->minus_zero = false;
    square->is_other = !arf_is_zero(square->value);
    square->plus_zero = !square->is_other;
    if (!arf_is_zero(step->factors[MOMENTUM_2]))
        sum_add(square, step->factors[MOMENTUM_2], &step->x[SQUARE]);
}

/* y = 1 - beta^t. */
static void enclose_correction(struct optimiser *step, arb_t y, const arf_t beta) {
    arb_set_arf(y, beta);
    arb_pow_ui(y, y, (ulong)step->step, step->bits + 64);
    arb_sub_ui(y, y, 1, step->bits + 64);
    arb_neg(y, y);
}

static void enclose_adam(void *asked, struct interval *y) {
    struct optimiser *step = asked;
    step->bits = (slong)mpfr_get_prec(y->low) + 16;
    enclose_correction(step, step->c, step->factors[MOMENTUM]);
    enclose_correction(step, step->d, step->factors[MOMENTUM_2]);
    arb_set_arf(step->t, step->sums[NEW_SQUARE].value);
    arb_div(step->t, step->t, step->d, step->bits);
    arb_sqrt(step->t, step->t, step->bits);
    arb_set_arf(step->u, step->factors[EPSILON]);
    arb_add(step->t, step->t, step->u, step->bits);
    arb_mul(step->t, step->t, step->c, step->bits);
    arb_set_arf(step->u, step->sums[NEW_MEAN].value);
    arb_mul_arf(step->u, step->u, step->factors[RATE], step->bits);
    arb_div(step->t, step->u, step->t, step->bits);
    arb_neg(step->t, step->t);
    enclose_beside(y, step->sums[NEW_PARAMETER].value, step->t,
                   -arf_sgn(step->sums[NEW_MEAN].value), step->factors[ONE]);
}

/* y = 1 - beta^t, exactly; false where that has too many bits. */
static bool find_correction(struct optimiser *step, arf_t y, const arf_t beta) {
    arb_t power;
    const slong bits = arf_bits(beta);
    if (bits && step->step > (uint64_t)(MOST_POWER_BITS / bits))
        return false;
    arb_init(power);
    arb_set_arf(power, beta);
    arb_pow_ui(power, power, (ulong)step->step, MOST_POWER_BITS + 64);
    arf_sub(y, step->factors[ONE], arb_midref(power), ARF_PREC_EXACT, ARF_RND_DOWN);
    arb_clear(power);
    return true;
}

/* Which way the powers of beta move what is taken away, of 1 (it is larger) or -1, where both are below 2^-FAR_POWER; 0
 * where nobody knows. That of the mean makes it larger by itself, that of the square smaller by at most half of itself. */
static int side_of_powers(const struct optimiser *step) {
    const double bits[2] = {-log2(optimiser_rate(step->call, PARAMETER_BETA1)) * (double)step->step,
                            -log2(optimiser_rate(step->call, PARAMETER_BETA2)) *
                                (double)step->step};
    const double of_mean = bits[0],
                 of_square = arf_is_zero(step->sums[NEW_SQUARE].value) ? INFINITY : bits[1];
    if (of_mean < FAR_POWER || of_square < FAR_POWER)
        return 0;
    if (of_mean <= of_square)
        return 1;
    /* Epsilon may be so large beside the root that the square's share is as small. */
    return of_mean > of_square + 4096 ? -1 : 0;
}

static void enclose_far(void *asked, struct interval *y) {
    struct far_quotient *far = asked;
    enclose_beside(y, far->above, far->rest, far->side, far->below);
}

/* The parameter where it is a quotient of binary fractions: with s the root of v d, of
 * base c (s + epsilon d) - rate m d and c (s + epsilon d); or beside one, c and d being beside 1. */
static bool find_quotient(struct optimiser *step, int precision, struct real *y,
                          struct error *error) {
    struct far_quotient far = {.side = 0};
    arf_t c, d, s;
    arf_ptr all[] = {c, d, s, far.above, far.below};
    for (int i = 0; i < 5; i++)
        arf_init(all[i]);
    arb_init(far.rest);
    arf_one(d); /* of no square it is no matter */
    bool is_quotient = find_correction(step, c, step->factors[MOMENTUM]) &&
                       (arf_is_zero(step->sums[NEW_SQUARE].value) ||
                        find_correction(step, d, step->factors[MOMENTUM_2]));
    if (!is_quotient && (far.side = side_of_powers(step)) != 0) {
        is_quotient = true;
        arf_one(c);
        arf_one(d);
    }
    if (is_quotient) {
        arf_mul(s, step->sums[NEW_SQUARE].value, d, ARF_PREC_EXACT, ARF_RND_DOWN);
        is_quotient = arf_take_root(s);
    }
    if (is_quotient) {
        arf_addmul(s, step->factors[EPSILON], d, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul(far.below, c, s, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul(d, d, step->sums[NEW_MEAN].value, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul(d, d, step->factors[RATE], ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul(s, step->sums[NEW_PARAMETER].value, far.below, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_sub(far.above, s, d, ARF_PREC_EXACT, ARF_RND_DOWN);
        far.side *= -arf_sgn(d);
        arf_mul_2exp_si(d, d, 4 - FAR_POWER);
        arb_add_error_arf(far.rest, d);
    }
    if (is_quotient && far.side) {
        is_quotient = enclose(enclose_far, &far, precision, INTERVAL_DECIDED_BY_SIZE,
                              "an element of this array", y, error);
    } else if (is_quotient)
        *y = arf_is_zero(far.above) ? (struct real){.kind = REAL_ZERO, .cancelled = true}
                                    : quotient_of(far.above, far.below, precision);
    for (int i = 0; i < 5; i++)
        arf_clear(all[i]);
    arb_clear(far.rest);
    return is_quotient;
}

/* The parameter where a moment is infinite or NaN, or nothing is taken away but a zero. */
static bool decide_adam(struct optimiser *step, int precision, struct real *y) {
    struct sum *parameter = &step->sums[NEW_PARAMETER];
    const struct sum *mean = &step->sums[NEW_MEAN], *square = &step->sums[NEW_SQUARE];
    const bool is_zero = arf_is_zero(mean->value),
               is_over_zero = square->far == 0 && arf_is_zero(square->value) &&
                              arf_is_zero(step->factors[EPSILON]);
    double update = 0;
    if (isnan(mean->far) || isnan(square->far) || square->far < 0 ||
        (square->far == 0 && arf_sgn(square->value) < 0) || (square->far > 0 && mean->far != 0) ||
        (is_over_zero && is_zero && mean->far == 0))
        update = NAN;
    else if (mean->far != 0)
        update = mean->far;
    else if (is_over_zero)
        update = arf_sgn(mean->value) < 0 ? -INFINITY : INFINITY;
    else if (!is_zero && square->far == 0 && parameter->far == 0)
        return false;
    parameter->far -= update;
    if (is_zero && update == 0) { /* as a term of its own, of the other sign */
        parameter->plus_zero |= mean->minus_zero || mean->is_other;
        parameter->minus_zero |= mean->plus_zero || mean->is_other;
    } else if (!is_zero) {
        *(arf_sgn(mean->value) < 0 ? &parameter->plus_zero : &parameter->minus_zero) = true;
    }
    *y = sum_value(parameter, precision);
    return true;
}

static bool find_adam(struct optimiser *step, int precision, struct real *y, struct error *error) {
    find_moments(step);
    y[NEW_MEAN] = sum_value(&step->sums[NEW_MEAN], precision);
    y[NEW_SQUARE] = sum_value(&step->sums[NEW_SQUARE], precision);
    return decide_adam(step, precision, y) || find_quotient(step, precision, y, error) ||
           enclose(enclose_adam, step, precision, INTERVAL_DECIDED_BY_SIZE,
                   "an element of this array", y, error);
}

bool optimiser_exact(const struct array_call *call, int result, int precision, struct real *y,
                     struct error *error) {
    struct optimiser step;
    bool good = true;
    open_optimiser(&step, call);
    for (uint64_t i = 0; good && i < shape_elements(&call->results[0].shape); i++) {
        struct real all[3];
        load(&step, i);
        if (step.is_adam)
            good = find_adam(&step, precision, all, error);
        else
            find_sgd(&step, precision, all);
        y[i] = all[result];
    }
    close_optimiser(&step);
    return good;
}
