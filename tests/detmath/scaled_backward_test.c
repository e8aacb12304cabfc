/* The backward rules of detcheck-scaled-programs(7) that are made of several scaled operations, or of others than a gradient of
 * their own, against the exact derivatives. Numbers are fp16 and scales are powers of two, so that a derivative has few
 * enough bits to be computed as a double and rounded again: each rule has to round once. */
#include "scaled_held.h"

#include <math.h>

enum { HIGH = 16, WIDE = 40, ALL = HIGH * WIDE };

static struct held x, y, g, minus_one, ones;

/* A scale for each row, powers of two of either sign, and numbers that are not 0. */
static void draw(struct held *held, int is_row) {
    hold(held, DETMATH_F16, 2, EXTENTS(HIGH, is_row ? 1 : WIDE), 2, EXTENTS(HIGH, 1));
    for (size_t i = 0; i < HIGH; i++)
        held->scales[i] =
            (float)ldexp(random_bits(&seed) & 1 ? 1 : -1, (int)(random_bits(&seed) % 9) - 4);
    for (size_t i = 0; i < ALL; i++)
        if ((code_load(held->codes, 2, i) & 0x7fff) == 0)
            code_store(held->codes, 2, i, 0x3c00);
}

static double value(const struct held *held, size_t at) {
    size_t columns = held->tensor.data.extents[1];
    return detmath_decode((uint32_t)code_load(held->codes, 2, columns == 1 ? at / WIDE : at),
                          detmath_formats[DETMATH_F16]) *
           (double)held->scales[at / WIDE];
}

static void apply(struct held *c, int format, enum detmath_scaled_operation operation,
                  const struct held *a, const struct held *b) {
    hold(c, format, 2, EXTENTS(HIGH, WIDE), 2, EXTENTS(HIGH, 1));
    assert_int_equal(detmath_scaled_each(operation, &c->tensor, &a->tensor, &b->tensor, NULL), 0);
}

/* A rule on x, y and g, and the derivative by these. */
struct rule {
    const char *name;
    void (*apply)(struct held *c);
    double (*derivative)(double a, double b, double back);
};

static void stepped(struct held *c, const struct held *a, const struct held *b) {
    static struct held step;
    apply(&step, DETMATH_F16, DETMATH_SCALED_INDEX_step, a, b);
    apply(c, DETMATH_F16, DETMATH_SCALED_INDEX_mul, &g, &step);
}

static double step_of(double a, double b) {
    return a > b ? 1 : a == b ? 0.5 : 0;
}

#define RULE(NAME, DERIVATIVE, ...)                                                                \
    static void apply_##NAME(struct held *c) {                                                     \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    static double derivative_##NAME(double a, double b, double back) {                             \
        (void)a, (void)b;                                                                          \
        return DERIVATIVE;                                                                         \
    }
RULE(sub_by_second, -back, apply(c, DETMATH_F16, DETMATH_SCALED_INDEX_mul, &g, &minus_one))
RULE(div_by_dividend, back / b, apply(c, DETMATH_F16, DETMATH_SCALED_INDEX_div, &g, &y))
RULE(log, back / a, apply(c, DETMATH_F16, DETMATH_SCALED_INDEX_div, &g, &x))
RULE(div_by_divisor, -(a *back) / (b * b), static struct held product;
     apply(&product, DETMATH_F32, DETMATH_SCALED_INDEX_mul, &x, &g);
     apply(c, DETMATH_F16, DETMATH_SCALED_INDEX_div_gradient, &product, &y))
RULE(max_by_first, back *step_of(a, b), stepped(c, &x, &y))
RULE(max_by_second, back *step_of(b, a), stepped(c, &y, &x))
RULE(min_by_first, back *step_of(b, a), stepped(c, &y, &x))
RULE(min_by_second, back *step_of(a, b), stepped(c, &x, &y))

#define ROW(NAME)                                                                                  \
    { #NAME, apply_##NAME, derivative_##NAME }
static const struct rule rules[] = {ROW(sub_by_second),  ROW(div_by_dividend), ROW(log),
                                    ROW(div_by_divisor), ROW(max_by_first),    ROW(max_by_second),
                                    ROW(min_by_first),   ROW(min_by_second)};

static void check(const struct held *c, size_t at, double want, const char *name) {
    const struct detmath_format format = detmath_formats[DETMATH_F16];
    uint64_t code = code_load(c->codes, 2, at);
    uint32_t right = detmath_encode(want / (double)c->scales[at / WIDE], format);
    if (want != 0 ? code != right : (code & 0x7fff) != 0)
        fail_msg("%s: %g at %g is 0x%x, not 0x%x", name, want, (double)c->scales[at / WIDE],
                 (unsigned)code, (unsigned)right);
}

static void test_rules(void **state) {
    (void)state;
    static struct held c;
    size_t ties = 0;
    draw(&x, 0);
    draw(&y, 0);
    draw(&g, 0);
    for (size_t at = 0; at < ALL;
         at += 7) { /* equal where the scales are of one sign, of a datum that both hold */
        int sign = signbit(x.scales[at / WIDE]) != signbit(y.scales[at / WIDE]);
        code_store(
            x.codes, 2, at,
            detmath_encode(ldexp(1.5, ilogbf(y.scales[at / WIDE])), detmath_formats[DETMATH_F16]));
        code_store(y.codes, 2, at,
                   detmath_encode(ldexp(sign ? -1.5 : 1.5, ilogbf(x.scales[at / WIDE])),
                                  detmath_formats[DETMATH_F16]));
        ties += value(&x, at) == value(&y, at);
    }
    assert_int_equal(ties, (ALL + 6) / 7);
    hold(&minus_one, DETMATH_F16, 2, EXTENTS(1, 1), 2, EXTENTS(1, 1));
    code_store(minus_one.codes, 2, 0, 0xbc00);
    minus_one.scales[0] = 1;
    for (size_t rule = 0; rule < sizeof rules / sizeof *rules; rule++) {
        rules[rule].apply(&c);
        for (size_t at = 0; at < ALL; at++)
            check(&c, at, rules[rule].derivative(value(&x, at), value(&y, at), value(&g, at)),
                  rules[rule].name);
    }
}

/* What broadcast forward is summed, and what was summed broadcasts; of means over n. */
static void test_broadcasts_and_sums(void **state) {
    (void)state;
    static struct held c, sum, row;
    draw(&g, 0);
    hold(&sum, DETMATH_F16, 2, EXTENTS(HIGH, 1), 2, EXTENTS(HIGH, 1));
    assert_int_equal(detmath_scaled_sum(&sum.tensor, &g.tensor, 1, DETMATH_SCALED_STATIC_ONE, NULL),
                     0);
    for (size_t i = 0; i < HIGH; i++) {
        double whole = 0;
        for (size_t j = 0; j < WIDE; j++)
            whole += value(&g, i * WIDE + j);
        assert_int_equal(code_load(sum.codes, 2, i), detmath_encode(whole / (double)sum.scales[i],
                                                                    detmath_formats[DETMATH_F16]));
    }
    draw(&row, 1);
    for (int mean = 0; mean < 2; mean++) {
        hold(&ones, DETMATH_F16, 2, EXTENTS(HIGH, WIDE), 2, EXTENTS(1, 1));
        ones.scales[0] = 1;
        for (size_t at = 0; at < ALL; at++)
            code_store(ones.codes, 2, at,
                       detmath_encode(mean ? WIDE : 1, detmath_formats[DETMATH_F16]));
        apply(&c, DETMATH_F16, DETMATH_SCALED_INDEX_div, &row, &ones);
        for (size_t at = 0; at < ALL; at++)
            check(&c, at, value(&row, at) / (mean ? WIDE : 1), mean ? "mean" : "sum");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules),
                                       cmocka_unit_test(test_broadcasts_and_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
