/* Exact results of scaled operations. */
#include "op/scaled/exact.h"

#include "format/format.h"

#include <math.h>

/* EXACT_BITS hold sums of products of fp32 numbers and fp32 scales. */
enum { EXACT_BITS = 4096, WHOLE_BITS = 120 };

void scaled_exact_open(struct scaled_exact *exact) {
    for (int i = 0; i < 2; i++) {
        mpfr_init2(exact->x[i], 128);
        mpfr_init2(exact->m[i], 24);
    }
    mpfr_init2(exact->mc, 24);
    mpfr_inits2(EXACT_BITS, exact->u, exact->v, (mpfr_ptr)0);
    mpfr_init2(exact->y, 64);
    exact->range = scaled_range_widen();
}

void scaled_exact_close(struct scaled_exact *exact) {
    mpfr_clears(exact->x[0], exact->x[1], exact->m[0], exact->m[1], exact->mc, exact->u, exact->v,
                exact->y, (mpfr_ptr)0);
    scaled_range_restore(exact->range);
}

struct scaled_range scaled_range_widen(void) {
    struct scaled_range before = {mpfr_get_emin(), mpfr_get_emax()};
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    return before;
}

void scaled_range_restore(struct scaled_range range) {
    mpfr_set_emin(range.least);
    mpfr_set_emax(range.most);
}

static bool is_zero(struct scaled_scale scale) {
    return scale.m == 0;
}

static bool is_number(struct scaled_scale scale) {
    return scale.m - scale.m == 0;
}

static struct scaled_scale one_like(struct scaled_scale a) {
    return (struct scaled_scale){1, 0, a.is_power};
}

static struct scaled_scale without_sign(struct scaled_scale a) {
    a.m = a.m < 0 ? -a.m : a.m;
    return a;
}

/* value (positive) as an fp32 number, to nearest-even, within the normal numbers. */
static float normal_float(mpfr_srcptr value) {
    static const double least = 0x1p-126, most = 0x1.fffffep127;
    if (mpfr_cmp_d(value, least) < 0)
        return (float)least;
    if (mpfr_cmp_d(value, most) > 0)
        return (float)most;
    return mpfr_get_flt(value, MPFR_RNDN);
}

/* exact->u * 2^e, which is positive, as a scale; `whole` what it is without roundings, an exponent
 * where scales are powers of two. */
static struct scaled_scale rounded(struct scaled_exact *exact, int64_t e, bool is_power) {
    struct scaled_scale scale = {1, 0, is_power};
    if (is_power) {
        e += mpfr_get_exp(exact->u) - 1;
        exact->whole = real_from_double((double)e);
    } else {
        scale.m = normal_float(exact->u);
        mpfr_t whole;
        mpfr_init2(whole, WHOLE_BITS);
        int ternary = mpfr_set(whole, exact->u, MPFR_RNDZ);
        exact->whole = real_from_mpfr(whole, ternary);
        mpfr_clear(whole);
    }
    scale.e = e < INT32_MIN ? INT32_MIN : e > INT32_MAX ? INT32_MAX : (int32_t)e;
    return scale;
}

/* Powers of two are compared by exponents, others by magnitudes. */
static struct scaled_scale larger(struct scaled_scale a, struct scaled_scale b) {
    a = without_sign(a);
    b = without_sign(b);
    if (is_zero(a) || is_zero(b))
        return is_zero(a) && is_zero(b) ? one_like(a) : is_zero(a) ? b : a;
    return a.e > b.e || (a.e == b.e && a.m >= b.m) ? a : b;
}

struct real scaled_scale_number(struct scaled_scale scale) {
    return real_from_double(scale.is_power ? scale.e : (double)scale.m);
}

static struct scaled_scale scale_of(struct scaled_exact *exact, const struct scaled_facts *facts,
                                    struct scaled_scale a, struct scaled_scale b, float divisor,
                                    int32_t n) {
    const enum scaled_operation operation = facts->operation;
    const bool two = facts->two;
    bool times = operation == SCALED_MUL || operation == SCALED_MATMUL;
    if (operation == SCALED_CAST || operation == SCALED_RESCALE)
        return operation == SCALED_CAST ? a : b;
    if (operation == SCALED_STEP)
        return one_like(a);
    if (!is_number(a) || (two && !is_number(b)))
        return one_like(a);
    if (operation == SCALED_ADD || operation == SCALED_SUB || operation == SCALED_MAX ||
        operation == SCALED_MIN)
        return larger(a, b);
    if (facts->derives)
        return is_zero(b) ? one_like(b) : without_sign(b);
    if (is_zero(a) || (two && is_zero(b)))
        return one_like(a);
    mpfr_set_flt(exact->u, a.m, MPFR_RNDN);
    if (operation == SCALED_REBALANCE) {
        if (!a.is_power)
            mpfr_mul_2si(exact->u, exact->u, n, MPFR_RNDN);
        bool negative = mpfr_sgn(exact->u) < 0;
        mpfr_abs(exact->u, exact->u, MPFR_RNDN);
        a = rounded(exact, (int64_t)a.e + (a.is_power ? n : 0), a.is_power);
        a.m = negative ? -a.m : a.m;
        return a;
    }
    if (facts->function)
        return scaled_function_scale(facts->function, a);
    if (!two)
        return without_sign(a);
    if (times)
        mpfr_mul_d(exact->u, exact->u, (double)b.m, MPFR_RNDN);
    else
        mpfr_div_d(exact->u, exact->u, (double)b.m, MPFR_RNDN);
    if (operation == SCALED_DIV_GRADIENT)
        mpfr_div_d(exact->u, exact->u, (double)b.m, MPFR_RNDN);
    mpfr_mul_d(exact->u, exact->u, (double)divisor, MPFR_RNDN);
    mpfr_abs(exact->u, exact->u, MPFR_RNDN);
    int64_t e = times ? (int64_t)a.e + b.e : (int64_t)a.e - b.e;
    e -= operation == SCALED_DIV_GRADIENT ? b.e : 0;
    return rounded(exact, e, a.is_power);
}

struct scaled_scale scaled_exact_scale(struct scaled_exact *exact, const struct scaled_facts *facts,
                                       struct scaled_scale a, struct scaled_scale b, float divisor,
                                       int32_t n) {
    exact->whole = real_zero(false); /* which no scale that is rounded is */
    struct scaled_scale scale = scale_of(exact, facts, a, b, divisor, n);
    if (exact->whole.kind == REAL_ZERO)
        exact->whole = scaled_scale_number(scale);
    return scale;
}

/* Data and m of operand i; zero where the scale is 0. */
static void load(struct scaled_exact *exact, int i, const struct real *x, struct scaled_scale a) {
    real_to_mpfr(exact->x[i], x);
    mpfr_set_flt(exact->m[i], is_zero(a) ? 1 : a.m, MPFR_RNDN);
    if (is_zero(a))
        mpfr_set_zero(exact->x[i], 1);
}

/* u over the m of the result, times 2^e, truncated to y. */
static struct real quotient(struct scaled_exact *exact, struct scaled_scale c, int64_t e) {
    mpfr_set_flt(exact->mc, c.m, MPFR_RNDN);
    int ternary = mpfr_div(exact->y, exact->u, exact->mc, MPFR_RNDZ);
    if (mpfr_regular_p(exact->y))
        mpfr_mul_2si(exact->y, exact->y, (long)e, MPFR_RNDZ);
    return real_from_mpfr(exact->y, ternary);
}

/* u, v = x m 2^e of both, over 2^e of c. */
static void load_values(struct scaled_exact *exact, struct scaled_scale a, struct scaled_scale b,
                        struct scaled_scale c) {
    int64_t ea = is_zero(a) ? 0 : (int64_t)a.e - c.e, eb = is_zero(b) ? 0 : (int64_t)b.e - c.e;
    mpfr_mul(exact->u, exact->x[0], exact->m[0], MPFR_RNDN);
    mpfr_mul(exact->v, exact->x[1], exact->m[1], MPFR_RNDN);
    mpfr_mul_2si(exact->u, exact->u, (long)ea, MPFR_RNDN);
    mpfr_mul_2si(exact->v, exact->v, (long)eb, MPFR_RNDN);
}

static struct real step(struct scaled_exact *exact, struct scaled_scale a, struct scaled_scale b) {
    load_values(exact, a, b, larger(a, b));
    if (mpfr_nan_p(exact->u) || mpfr_nan_p(exact->v))
        return real_nan();
    int order = mpfr_cmp(exact->u, exact->v);
    return order < 0 ? real_zero(false) : real_power_of_two(order ? 0 : -1);
}

/* add, sub, max, min at the result's scale. */
static struct real of_two(struct scaled_exact *exact, enum scaled_operation operation,
                          struct scaled_scale a, struct scaled_scale b, struct scaled_scale c) {
    load_values(exact, a, b, c);
    if (operation == SCALED_MAX || operation == SCALED_MIN) {
        bool nan = mpfr_nan_p(exact->u) || mpfr_nan_p(exact->v);
        if (nan)
            return real_nan();
        bool zeros = mpfr_zero_p(exact->u) && mpfr_zero_p(exact->v);
        bool first = mpfr_cmp(exact->u, exact->v) > 0;
        if (zeros) /* +0 is the larger */
            first = !mpfr_signbit(exact->u);
        if (first == (operation == SCALED_MIN))
            mpfr_swap(exact->u, exact->v);
        return quotient(exact, c, 0);
    }
    bool first_negative = mpfr_signbit(exact->u) != 0,
         second_negative = mpfr_signbit(exact->v) != 0;
    bool opposite = first_negative != (second_negative != (operation == SCALED_SUB));
    /* Powers of two far apart: no precision holds the sum, but one truncation is all there is. */
    mpfr_ptr sum = c.m == 1 ? exact->y : exact->u;
    int ternary = operation == SCALED_SUB ? mpfr_sub(sum, exact->u, exact->v, MPFR_RNDZ)
                                          : mpfr_add(sum, exact->u, exact->v, MPFR_RNDZ);
    struct real y = c.m == 1 ? real_from_mpfr(exact->y, ternary) : quotient(exact, c, 0);
    y.cancelled = y.kind == REAL_ZERO && opposite;
    return y;
}

/* mul, div, div_gradient: over m_c, whose e is what the sum or difference of the exponents leaves.
 * Where one is zero there is nothing but zeros, infinities and NaNs, of whose signs the scale of the
 * other has a part. */
static struct real of_product(struct scaled_exact *exact, enum scaled_operation operation,
                              struct scaled_scale a, struct scaled_scale b, struct scaled_scale c) {
    if (operation == SCALED_MUL) {
        mpfr_mul(exact->u, exact->x[0], exact->x[1], MPFR_RNDN);
        mpfr_mul(exact->u, exact->u, exact->m[0], MPFR_RNDN);
        mpfr_mul(exact->u, exact->u, exact->m[1], MPFR_RNDN);
        return quotient(exact, c, (int64_t)a.e + b.e - c.e);
    }
    int64_t e = (int64_t)a.e - b.e - c.e;
    mpfr_set_flt(exact->mc, c.m, MPFR_RNDN);
    mpfr_mul(exact->u, exact->x[0], exact->m[0], MPFR_RNDN);
    mpfr_mul(exact->v, exact->x[1], exact->m[1], MPFR_RNDN);
    if (operation == SCALED_DIV_GRADIENT) {
        mpfr_neg(exact->u, exact->u, MPFR_RNDN);
        mpfr_sqr(exact->v, exact->v, MPFR_RNDN);
        e -= b.e;
    }
    mpfr_mul(exact->v, exact->v, exact->mc, MPFR_RNDN);
    int ternary = mpfr_div(exact->y, exact->u, exact->v, MPFR_RNDZ);
    if (mpfr_regular_p(exact->y))
        mpfr_mul_2si(exact->y, exact->y, (long)e, MPFR_RNDZ);
    return real_from_mpfr(exact->y, ternary);
}

struct real scaled_exact_scalar(struct scaled_exact *exact, const struct real *x,
                                struct scaled_scale a, const struct real *w, struct scaled_scale b,
                                const struct real *scalar, int precision,
                                struct scaled_scale *scale) {
    const double value = real_to_double(scalar), magnitude = value < 0 ? -value : value;
    static const struct scaled_facts product = {.operation = SCALED_MUL, .two = true};
    *scale = scaled_exact_scale(exact, &product, a, b, a.is_power ? 1 : (float)magnitude, 0);
    if (a.is_power) {
        int n;
        const bool is_exact = frexp(magnitude, &n) == 0.5;
        n -= is_exact;
        const int64_t e = (int64_t)a.e + b.e + n;
        scale->e = e < INT32_MIN ? INT32_MIN : e > INT32_MAX ? INT32_MAX : (int32_t)e;
    }
    mpfr_set_prec(exact->y, precision);
    load(exact, 0, x, a);
    load(exact, 1, w, b);
    return of_product(exact, SCALED_MUL, a, b, *scale);
}

/* The derivative at x times what comes back, at the latter's scale. */
static bool gradient(struct scaled_exact *exact, const struct scaled_facts *facts,
                     struct scaled_scale a, struct scaled_scale b, int precision, struct real *y,
                     struct error *error) {
    mpfr_mul(exact->u, exact->x[0], exact->m[0], MPFR_RNDN);
    mpfr_mul_2si(exact->u, exact->u, is_zero(a) ? 0 : a.e, MPFR_RNDN);
    mpfr_set(exact->v, exact->x[1], MPFR_RNDN);
    if (b.m < 0)
        mpfr_neg(exact->v, exact->v, MPFR_RNDN);
    if (facts->operation != SCALED_RELU_GRADIENT)
        return scaled_exact_function(exact, facts->function, one_like(a), precision, y, error);
    mpfr_set_si(exact->x[1], mpfr_nan_p(exact->u) ? 0 : mpfr_sgn(exact->u) > 0, MPFR_RNDN);
    if (mpfr_nan_p(exact->u))
        mpfr_set_nan(exact->x[1]);
    mpfr_mul(exact->u, exact->v, exact->x[1], MPFR_RNDN);
    *y = quotient(exact, one_like(a), 0);
    return true;
}

bool scaled_exact_element(struct scaled_exact *exact, const struct scaled_facts *facts,
                          const struct real *x, struct scaled_scale a, const struct real *w,
                          struct scaled_scale b, int32_t n, int precision, struct real *y,
                          struct error *error) {
    const enum scaled_operation operation = facts->operation;
    const bool two = facts->two && operation != SCALED_RESCALE; /* whose data do not count */
    if (operation == SCALED_CAST) {
        *y = *x;
        return true;
    }
    bool bad_target = operation == SCALED_RESCALE && (!is_number(b) || is_zero(b));
    if (!is_number(a) || (two && !is_number(b)) || bad_target) {
        *y = real_nan();
        return true;
    }
    struct scaled_scale c = scaled_exact_scale(exact, facts, a, b, 1, n);
    bool found = true;
    mpfr_set_prec(exact->y, precision);
    load(exact, 0, x, a);
    if (two)
        load(exact, 1, w, b);
    if (operation == SCALED_STEP)
        *y = step(exact, a, b);
    else if (operation == SCALED_MUL || operation == SCALED_DIV || operation == SCALED_DIV_GRADIENT)
        *y = of_product(exact, operation, a, b, c);
    else if (facts->derives)
        found = gradient(exact, facts, a, b, precision, y, error);
    else if (two)
        *y = of_two(exact, operation, a, b, c);
    else if (facts->function) {
        mpfr_mul(exact->u, exact->x[0], exact->m[0], MPFR_RNDN);
        mpfr_mul_2si(exact->u, exact->u, is_zero(a) ? 0 : a.e, MPFR_RNDN);
        mpfr_set_ui(exact->v, 1, MPFR_RNDN);
        found = scaled_exact_function(exact, facts->function, c, precision, y, error);
    } else {
        mpfr_set(exact->u, exact->x[0], MPFR_RNDN);
        bool moves = operation == SCALED_REBALANCE || operation == SCALED_RESCALE;
        if (!moves && a.m < 0)
            mpfr_neg(exact->u, exact->u, MPFR_RNDN);
        if (operation == SCALED_RELU && !mpfr_nan_p(exact->u) && mpfr_sgn(exact->u) <= 0)
            mpfr_set_zero(exact->u, 1);
        if (moves) { /* x m 2^e over the new scale, which may be negative */
            mpfr_mul(exact->u, exact->u, exact->m[0], MPFR_RNDN);
            *y = quotient(exact, c, (int64_t)a.e - c.e);
        } else
            *y = quotient(exact, one_like(a), 0);
    }
    return found;
}
