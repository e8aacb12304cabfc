/* Orders as rules give the bits of the loops that they say: in the machine's arithmetic, and in integers. */
#include "order/plan.h"
#include "planted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 1024, ARRAYS = 40 };

/* A generator of its own, so that arrays are the same everywhere: splitmix64. */
static uint64_t state = 1;
static uint64_t draw(void) {
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static float uniform(void) {
    return (float)(draw() >> 40) / 16777216.f * 2.f - 1.f;
}

static float element(int family) {
    float x = uniform();
    uint32_t bits = (uint32_t)draw();
    switch (family) {
    case 0:
        return x;
    case 1: /* wide */
        return ldexpf(x, (int)(draw() % 60) - 30);
    case 2: /* cancelling */
        return draw() % 2 ? x : -1 - x / 64;
    case 3: /* subnormal */
        return ldexpf(x, -126 - (int)(draw() % 20));
    case 4: /* of one sign */
        return fabsf(x);
    case 5: /* zeros of both signs */
        return draw() % 3 ? 0.f * x : x;
    case 6: /* nothing but zeros of one sign */
        return -0.f;
    default: /* anything: infinities and NaN too */
        memcpy(&x, &bits, sizeof x);
        return x;
    }
}
enum { FAMILIES = 8 };

static bool same(float a, float b) {
    return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0;
}

static float expected(const struct planted *one, const float *x, const float *w, size_t n) {
    return one->dot ? one->dot(x, w, n) : one->sum(x, n);
}

/* Of that length ARRAYS arrays, one after the other; returns how many were compared. */
static size_t check_length(const struct planted *one, const struct order *order, size_t n,
                           bool slow) {
    static float x[ARRAYS * MOST], w[ARRAYS * MOST], results[ARRAYS];
    struct error error = {{0}};
    size_t arrays = slow ? FAMILIES : ARRAYS;
    struct order_plan *plan = order_plan_open(order, n, &error);
    assert_string_equal(error.text, "");
    if (slow) {
        order_fast_close(plan->fast);
        plan->fast = NULL;
    }
    for (size_t i = 0; i < arrays * n; i++) {
        x[i] = element((int)(i / n % FAMILIES));
        w[i] = element((int)((i / n + i / n / FAMILIES) % FAMILIES));
    }
    const struct order_terms terms = {x, n, 1}, factors = {w, n, 1};
    assert_true(order_plan_run(plan, arrays, &terms, one->dot ? &factors : NULL, NULL, results));
    for (size_t i = 0; i < arrays; i++) {
        float wanted = expected(one, x + i * n, w + i * n, n);
        if (!same(results[i], wanted))
            fail_msg("%s, %zu terms, array %zu: %a, not %a%s", one->name, n, i, (double)results[i],
                     (double)wanted, slow ? ", in integers" : "");
    }
    /* Few are computed one by one. */
    float few[3];
    assert_true(order_plan_run(plan, 3, &terms, one->dot ? &factors : NULL, NULL, few));
    for (size_t i = 0; i < 3; i++)
        assert_true(same(few[i], results[i]));
    order_plan_close(plan);
    return arrays;
}

static void test_planted(void **context) {
    (void)context;
    size_t compared = 0;
    for (int k = 0; k < PLANTED; k++) {
        struct order order;
        struct error error = {{0}};
        planted_order(&planted[k], &order);
        assert_true(order_check(&order, &error));
        for (size_t n = planted[k].least ? planted[k].least : 1; n <= 300; n += n < 70 ? 1 : 23) {
            compared += check_length(&planted[k], &order, n, false);
            if (n % 7 == 3)
                compared += check_length(&planted[k], &order, n, true);
        }
        compared += check_length(&planted[k], &order, 1023, false);
    }
    assert_true(PLANTED >= 40 && compared > 100000);
}

/* All but those that store bf16 run in the machine's arithmetic. */
static void test_fast(void **context) {
    (void)context;
    for (int k = 0; k < PLANTED; k++) {
        struct order order;
        struct error error = {{0}};
        planted_order(&planted[k], &order);
        struct order_plan *plan = order_plan_open(&order, 100, &error);
        assert_int_equal(order_plan_is_fast(plan), planted[k].nodes[1].format != BF16);
        order_plan_close(plan);
    }
}

/* Any tree of 1 to 4 children: by sums in double, which are exact for these numbers, rounded. */
static void test_random_trees(void **context) {
    (void)context;
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + draw() % 200, left = n;
        int32_t items[200];
        float x[200], values[200], result;
        struct order_tree tree;
        struct order order;
        struct error error = {{0}};
        order_open(&order, "sum", FP32, FP32);
        order_tree_open(&tree, n);
        for (size_t i = 0; i < n; i++) {
            items[i] = (int32_t)i;
            values[i] = x[i] = uniform();
        }
        do {
            size_t count = 1 + draw() % (left < 4 ? left : 4), at = draw() % (left - count + 1);
            if (count < 2 && left > 1)
                continue;
            double sum = 0;
            for (size_t i = 0; i < count; i++)
                sum += (double)values[at + i];
            values[at] = (float)sum;
            items[at] = order_tree_add(&tree, items + at, count, 0);
            memmove(items + at + 1, items + at + count, (left - at - count) * sizeof *items);
            memmove(values + at + 1, values + at + count, (left - at - count) * sizeof *values);
            left -= count - 1;
        } while (left > 1);
        assert_true(order_tree_check(&tree, 1, &error));
        struct order_plan *plan = order_plan_of_tree(&order, &tree, &error);
        const struct order_terms terms = {x, n, 1};
        assert_true(order_plan_run(plan, 1, &terms, NULL, NULL, &result));
        assert_true(same(result, values[0]));
        order_plan_close(plan);
        order_tree_close(&tree);
    }
}

/* Terms that lie apart, and an accumulator that comes in. */
static void test_strides_and_c(void **context) {
    (void)context;
    struct order order;
    struct error error = {{0}};
    order_open(&order, "sum", FP32, FP32);
    order_rules_add(&order.rules, (struct order_rule){
                                      .kind = ORDER_SEQUENTIAL, .size = 1, .start = ORDER_START_C});
    float x[60], c[20], results[20];
    for (int i = 0; i < 60; i++)
        x[i] = uniform();
    for (int i = 0; i < 20; i++)
        c[i] = uniform();
    struct order_plan *plan = order_plan_open(&order, 3, &error);
    const struct order_terms terms = {x, 1, 20};
    assert_true(order_plan_run(plan, 20, &terms, NULL, c, results));
    for (int i = 0; i < 20; i++) {
        float sum = c[i] + x[i];
        sum += x[20 + i];
        sum += x[40 + i];
        assert_true(same(results[i], sum));
    }
    order_plan_close(plan);
}

/* One row with any number of columns: the row lies in one place for all of them. */
static void test_one_row(void **context) {
    enum { INNER = 5 };
    struct order order;
    struct error error = {{0}};
    float row[INNER], columns[ARRAYS * INNER], results[ARRAYS];
    (void)context;
    order_open(&order, "dot", FP32, FP32);
    order.nodes[0].product = FP32;
    order_rules_add(&order.rules, (struct order_rule){.kind = ORDER_SEQUENTIAL, .size = 1});
    struct order_plan *plan = order_plan_open(&order, INNER, &error);
    assert_true(order_plan_is_fast(plan));
    for (size_t count = 1; count <= ARRAYS; count++) {
        for (size_t i = 0; i < INNER; i++)
            row[i] = uniform();
        for (size_t i = 0; i < count * INNER; i++)
            columns[i] = uniform();
        const struct order_terms first = {row, 0, 1}, second = {columns, INNER, 1};
        for (int turned = 0; turned < 2; turned++) {
            assert_true(order_plan_run(plan, count, turned ? &second : &first,
                                       turned ? &first : &second, NULL, results));
            for (size_t i = 0; i < count; i++) {
                volatile float sum = row[0] * columns[i * INNER];
                for (size_t k = 1; k < INNER; k++) {
                    volatile float product = row[k] * columns[i * INNER + k];
                    sum = sum + product;
                }
                if (!same(results[i], sum))
                    fail_msg("column %zu of %zu: %a, not %a", i, count, (double)results[i],
                             (double)sum);
            }
        }
    }
    order_plan_close(plan);
}

/* What cancels is an exact zero, and no bit is set to say that something was lost. */
static void test_to_odd(void **context) {
    (void)context;
    struct order_node node = order_node_plain(FP32, ROUND_TOWARD_ZERO);
    node.rounding = ORDER_TO_ODD;
    const uint64_t one = 0x3f800000, minus_one = 0xbf800000, tiny = 1;
    uint64_t sum;
    assert_true(order_node_sum(&node, FP32, &one, NULL, 1, &minus_one, &sum));
    assert_int_equal(sum, 0);
    assert_true(order_node_sum(&node, FP32, &one, NULL, 1, &tiny, &sum));
    assert_int_equal(sum, 0x3f800001);
}

/* Sums of scaled fp64 numbers in fp32: each is scaled as it is, and rounded once. Of numbers of 29 bits a quotient or a
 * product in double, rounded to float, is that, too. NaN is the node's. */
static void test_scaled_terms(void **context) {
    enum { MANY = 2000 };
    static double x[3 * MANY];
    static float results[MANY];
    (void)context;
    for (int scale = ORDER_SUM_DIVIDED; scale <= ORDER_TERMS_TIMES_RECIPROCAL; scale++) {
        struct order order;
        struct error error = {{0}};
        order_open(&order, "mean", FP64, FP32);
        order_rules_add(&order.rules, (struct order_rule){.kind = ORDER_SEQUENTIAL, .size = 1});
        order.scale = (enum order_scale)scale;
        order.nodes[0].nan = 0x7fffffff;
        for (size_t i = 0; i < 3 * MANY; i++)
            x[i] = (double)(draw() >> 35) * 0x1p-28;
        x[0] = NAN;
        struct order_plan *plan = order_plan_open(&order, 3, &error);
        const struct order_terms terms = {x, 3, 1};
        assert_true(order_plan_run(plan, MANY, &terms, NULL, NULL, results));
        order_plan_close(plan);
        assert_memory_equal(&results[0], &(uint32_t){0x7fffffff}, 4);
        for (size_t i = 1; i < MANY; i++) {
            const float third = 1 / 3.f;
            float part[3], sum;
            for (size_t k = 0; k < 3; k++)
                part[k] = scale == ORDER_TERMS_DIVIDED ? (float)(x[3 * i + k] / 3)
                          : scale == ORDER_TERMS_TIMES_RECIPROCAL
                              ? (float)(x[3 * i + k] * (double)third)
                              : (float)x[3 * i + k];
            if (scale < ORDER_TERMS_DIVIDED)
                sum = (float)((double)(float)(x[3 * i] + x[3 * i + 1]) + x[3 * i + 2]);
            else
                sum = part[0] + part[1] + part[2];
            if (scale == ORDER_SUM_DIVIDED || scale == ORDER_SUM_DIVIDED_FLUSHED)
                sum /= 3;
            if (scale == ORDER_SUM_TIMES_RECIPROCAL || scale == ORDER_SUM_TIMES_RECIPROCAL_FLUSHED)
                sum *= third;
            if (!same(results[i], sum))
                fail_msg("scale %d, array %zu: %a, not %a", scale, i, (double)results[i],
                         (double)sum);
        }
    }
}

/* Where there is no memory for many arrays at once, they are computed one by one. */
static void test_without_memory_for_rows(void **context) {
    enum { TERMS = 1 << 20 };
    struct order order;
    struct error error = {{0}};
    struct rlimit before, tight;
    unsigned long pages = 0;
    float *x = malloc((TERMS + ARRAYS) * sizeof *x), results[ARRAYS] = {0};
    (void)context;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    free(x);
    skip(); /* which take an address space of their own */
#endif
    assert_non_null(x);
    for (size_t i = 0; i < TERMS + ARRAYS; i++)
        x[i] = i < TERMS ? 1 : 0;
    order_open(&order, "sum", FP32, FP32);
    order_rules_add(&order.rules, (struct order_rule){.kind = ORDER_SEQUENTIAL, .size = 1});
    struct order_plan *plan = order_plan_open(&order, TERMS, &error);
    assert_non_null(plan);
    FILE *size = fopen("/proc/self/statm", "r");
    if (!size) {
        order_plan_close(plan);
        free(x);
        skip();
    }
    assert_int_equal(fscanf(size, "%lu", &pages), 1);
    fclose(size);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    tight = before;
    tight.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (64 << 20);
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0); /* rows of 16 arrays take 128 MiB */
    const struct order_terms terms = {x, 1, 1};
    bool good = order_plan_run(plan, ARRAYS, &terms, NULL, NULL, results);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_true(good && order_plan_is_fast(plan));
    for (size_t i = 0; i < ARRAYS; i++)
        assert_true(same(results[i], (float)(TERMS - i)));
    order_plan_close(plan);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),      cmocka_unit_test(test_fast),
        cmocka_unit_test(test_random_trees), cmocka_unit_test(test_strides_and_c),
        cmocka_unit_test(test_one_row),      cmocka_unit_test(test_to_odd),
        cmocka_unit_test(test_scaled_terms), cmocka_unit_test(test_without_memory_for_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
