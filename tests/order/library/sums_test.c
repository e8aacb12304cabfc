/* Sums by an order, by the public header: places of elements, arithmetic against loops that are written here, what is said
 * of orders, and what is refused. */
#include <detmath/sums.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FP32 "{\"result\": \"fp32\", \"nan\": \"0x7fc00000\"}"

static char *document(const char *format, const char *nodes, const char *rule, const char *more) {
    char *text = malloc(2048);
    assert_non_null(text);
    snprintf(text, 2048,
             "{\"schema\": \"detcheck/order/1\", \"name\": \"planted\", \"source\": \"here\", "
             "\"operation\": \"sum\", \"format\": \"%s\", \"result\": \"%s\", \"least\": 2, "
             "\"most\": 100, \"nodes\": [%s], \"rule\": %s, \"open\": [], \"replayed\": 0, "
             "\"different\": 0%s}",
             format, format, nodes, rule, more);
    return text;
}

static struct detmath_order *parsed(const char *format, const char *nodes, const char *rule,
                                    const char *more) {
    struct detmath_error error = {{0}};
    char *text = document(format, nodes, rule, more);
    struct detmath_order *order = detmath_order_parse(text, strlen(text), &error);
    free(text);
    if (!order)
        fail_msg("%s", error.text);
    return order;
}

static const char from_the_left[] = "{\"kind\": \"sequential\", \"size\": 1}",
                  three_lanes[] = "{\"kind\": \"lanes\", \"size\": 3}";

static uint32_t seed = 51;
static float number(void) {
    seed = seed * 1664525 + 1013904223;
    return ldexpf((float)((int32_t)seed >> 8), (int)(seed % 9) - 30);
}

/* Three lanes from the left, the last items in theirs, the lanes from the left. */
static float lanes_sum(const float *x, size_t n, ptrdiff_t stride) {
    volatile float lanes[3] = {0, 0, 0};
    for (size_t i = 0; i < n; i++)
        lanes[i % 3] = i < 3 ? x[(ptrdiff_t)i * stride] : lanes[i % 3] + x[(ptrdiff_t)i * stride];
    volatile float sum = lanes[0];
    for (size_t lane = 1; lane < 3 && lane < n; lane++)
        sum = sum + lanes[lane];
    return sum;
}

enum { A = 3, B = 7, C = 5 };

/* Each axis of arrays that lie close together, backwards, with gaps, and of which one extent is one element. */
static void test_axes_and_strides(void **context) {
    (void)context;
    struct detmath_order *order = parsed("fp32", FP32, three_lanes, "");
    static float x[4 * A * B * C];
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = number();
    const size_t extents[] = {A, B, C};
    const ptrdiff_t strides[][3] = {
        {B * C, C, 1}, {-B * C, C, -1}, {2, 4 * C * A, 4 * A}, {0, C, 1}};
    for (size_t n = 0; n < sizeof strides / sizeof *strides; n++) {
        const ptrdiff_t *by = strides[n];
        const float *first = n == 1 ? x + (A - 1) * B * C + C - 1 : x;
        const struct detmath_order_array array = {first, 3, extents, n ? by : NULL};
        for (int axis = 0; axis < 3; axis++) {
            const int one = axis == 0, other = axis == 2 ? 1 : 2;
            float sums[B * C], negative[B * C];
            size_t count = extents[one] * extents[other];
            assert_int_equal(detmath_sum_by_order(order, &array, axis, sums, count, NULL), 0);
            assert_int_equal(detmath_sum_by_order(order, &array, axis - 3, negative, count, NULL),
                             0);
            assert_memory_equal(sums, negative, count * sizeof *sums);
            for (size_t i = 0; i < count; i++) {
                const float *line = first + (ptrdiff_t)(i / extents[other]) * by[one] +
                                    (ptrdiff_t)(i % extents[other]) * by[other];
                float expected = lanes_sum(line, extents[axis], by[axis]);
                assert_memory_equal(&sums[i], &expected, sizeof expected);
            }
        }
    }
    const struct detmath_order_array array = {x + B * C, 2, extents + 1, (ptrdiff_t[]){C, 1}};
    float whole, expected = lanes_sum(x + B * C, B * C, 1);
    assert_int_equal(detmath_sum_by_order(order, &array, DETMATH_ORDER_WHOLE, &whole, 1, NULL), 0);
    assert_memory_equal(&whole, &expected, sizeof whole);
    /* The whole of a transposed array is another sequence of the same elements. */
    const struct detmath_order_array turned = {x, 2, (size_t[]){C, B}, (ptrdiff_t[]){1, C}};
    float gathered[B * C];
    for (size_t i = 0; i < B * C; i++)
        gathered[i] = x[i % B * C + i / B];
    expected = lanes_sum(gathered, B * C, 1);
    assert_int_equal(detmath_sum_by_order(order, &turned, DETMATH_ORDER_WHOLE, &whole, 1, NULL), 0);
    assert_memory_equal(&whole, &expected, sizeof whole);
    detmath_order_free(order);
}

/* Products that are fused, and rounded first; matrices of which one is transposed. */
static void test_products(void **context) {
    (void)context;
    struct detmath_order *fused = parsed(
                             "fp32", FP32,
                             "{\"kind\": \"sequential\", \"size\": 1, \"start\": \"alone\"}", ""),
                         *rounded = parsed("fp32",
                                           "{\"result\": \"fp32\", \"nan\": \"0x7fc00000\", "
                                           "\"product\": \"fp32\"}",
                                           from_the_left, "");
    float a[A][B], b[C][B], results[A][C], dots[A];
    for (int k = 0; k < B; k++) {
        for (int i = 0; i < A; i++)
            a[i][k] = number();
        for (int j = 0; j < C; j++)
            b[j][k] = number();
    }
    const struct detmath_order_array x = {a, 2, (size_t[]){A, B}, NULL},
                                     y = {b, 2, (size_t[]){B, C}, (ptrdiff_t[]){1, B}},
                                     rows = {b, 2, (size_t[]){A, B}, NULL};
    for (int which = 0; which < 2; which++) {
        struct detmath_order *order = which ? rounded : fused;
        assert_int_equal(detmath_matmul_by_order(order, &x, &y, results,
                                                 sizeof results / sizeof **results, NULL),
                         0);
        assert_int_equal(detmath_dot_by_order(order, &x, &rows, 1, dots, A, NULL), 0);
        for (int i = 0; i < A; i++)
            for (int j = 0; j < C; j++) {
                volatile float first = a[i][0] * b[j][0], second = a[i][1] * b[j][1];
                volatile float sum = which ? first + second : fmaf(a[i][1], b[j][1], first);
                for (int k = 2; k < B; k++) {
                    volatile float product = a[i][k] * b[j][k];
                    sum = which ? sum + product : fmaf(a[i][k], b[j][k], sum);
                }
                float expected = sum;
                assert_memory_equal(&results[i][j], &expected, sizeof expected);
                if (i == j)
                    assert_memory_equal(&dots[i], &expected, sizeof expected);
            }
    }
    detmath_order_free(fused);
    detmath_order_free(rounded);
}

static void test_means_and_formats(void **context) {
    (void)context;
    const size_t three = 3;
    const float x[] = {1, 0x1p-24f, 0x1p-24f};
    const struct detmath_order_array array = {x, 1, &three, NULL};
    struct detmath_order *plain = parsed("fp32", FP32, from_the_left, "");
    struct detmath_order *reciprocal =
        parsed("fp32", FP32, from_the_left, ", \"scale\": \"sum-times-reciprocal\"");
    float mean, sum;
    assert_int_equal(detmath_mean_by_order(plain, &array, 0, &mean, 1, NULL), 0);
    assert_true(mean == 1.0f / 3);
    assert_int_equal(detmath_mean_by_order(reciprocal, &array, 0, &mean, 1, NULL), 0);
    assert_true(mean == 1.0f * (1.0f / 3));
    assert_int_equal(detmath_sum_by_order(reciprocal, &array, 0, &sum, 1, NULL), 0);
    assert_true(sum == 1);
    detmath_order_free(plain);
    detmath_order_free(reciprocal);
    /* 1 + 2^-11 + 2^-11 in fp16: 1, or the next number where fp32 holds it in between. */
    const uint16_t halves[] = {0x3c00, 0x1000, 0x1000};
    const struct detmath_order_array narrow = {halves, 1, &three, NULL};
    const char *const nodes[] = {"{\"result\": \"fp16\", \"nan\": \"0x7e00\"}", FP32};
    const uint16_t expected[] = {0x3c00, 0x3c01};
    for (int i = 0; i < 2; i++) {
        struct detmath_order *order = parsed("fp16", nodes[i], from_the_left, "");
        uint16_t code;
        assert_int_equal(detmath_sum_by_order(order, &narrow, 0, &code, 1, NULL), 0);
        assert_int_equal(code, expected[i]);
        detmath_order_free(order);
    }
}

static void test_what_an_order_says(void **context) {
    (void)context;
    struct detmath_order *order = parsed("fp32", FP32, three_lanes, ""),
                         *other = parsed("fp32", FP32, from_the_left, "");
    char text[4096], few[8];
    assert_string_equal(detmath_order_name(order), "planted");
    assert_string_equal(detmath_order_operation(order), "sum");
    assert_string_equal(detmath_order_format(order), "fp32");
    assert_string_equal(detmath_order_result(order), "fp32");
    assert_int_equal(strlen(detmath_order_hash(order)), 16);
    assert_string_not_equal(detmath_order_hash(order), detmath_order_hash(other));
    assert_true(detmath_order_knows(order, 2) && detmath_order_knows(order, 100));
    assert_false(detmath_order_knows(order, 1) || detmath_order_knows(order, 101));
    size_t length = detmath_order_words(order, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "3 lanes"));
    assert_int_equal(detmath_order_words(order, few, sizeof few), length);
    assert_int_equal(strlen(few), sizeof few - 1);
    assert_memory_equal(few, text, sizeof few - 1);
    assert_int_equal(detmath_order_words(order, NULL, 0), length);
    int all = 7;
    assert_true(detmath_order_compare(order, other, text, sizeof text, &all, NULL) > 0);
    assert_non_null(strstr(text, "4 terms: A adds x[0] and x[3]; B adds x[0] and x[1]"));
    assert_int_equal(all, 0);
    assert_int_equal(detmath_order_compare(order, order, text, sizeof text, &all, NULL), 0);
    assert_string_equal(text, "");
    assert_int_equal(all, 1);
    detmath_order_free(order);
    detmath_order_free(other);
}

static void test_what_is_refused(void **context) {
    (void)context;
    struct detmath_order *order = parsed("fp32", FP32, three_lanes, "");
    struct detmath_error error;
    const float x[12] = {0};
    float sums[12] = {7, 7, 7};
    const struct detmath_order_array array = {x, 2, (size_t[]){3, 4}, NULL},
                                     one = {x, 2, (size_t[]){12, 1}, NULL},
                                     many = {x, 9, (size_t[9]){1}, NULL},
                                     huge = {x, 3, (size_t[]){SIZE_MAX / 4, SIZE_MAX / 4, 2}, NULL},
                                     /* 2^65 results of two elements that stand everywhere */
        tall = {x, 2, (size_t[]){(size_t)1 << 33, 2}, (ptrdiff_t[2]){0}},
                                     wide = {x, 2, (size_t[]){2, (size_t)1 << 32},
                                             (ptrdiff_t[2]){0}};
#define REFUSES(CALL, SAYS)                                                                        \
    assert_int_equal(CALL, -1);                                                                    \
    assert_string_equal(error.text, SAYS);
    REFUSES(detmath_sum_by_order(order, &array, 1, sums, 4, &error), "there are 3 results, not 4")
    REFUSES(detmath_sum_by_order(order, &array, 2, sums, 3, &error),
            "an array of 2 dimensions has no axis 2")
    REFUSES(detmath_sum_by_order(order, &array, -3, sums, 3, &error),
            "an array of 2 dimensions has no axis -3")
    REFUSES(detmath_sum_by_order(order, &one, 1, sums, 12, &error),
            "the order is known for 2 to 100 terms, not for 1")
    REFUSES(detmath_mean_by_order(order, &many, 0, sums, 1, &error),
            "an array has 0 to 8 dimensions, not 9")
    REFUSES(detmath_dot_by_order(order, &array, &one, 0, sums, 4, &error),
            "arrays of a dot product must have the same extents")
    REFUSES(detmath_matmul_by_order(order, &array, &array, sums, 9, &error),
            "a matrix product is of ROWSxINNER and INNERxCOLUMNS")
    REFUSES(detmath_sum_by_order(order, &huge, 2, sums, 0, &error),
            "an array has more elements than memory can hold")
    REFUSES(detmath_matmul_by_order(order, &tall, &wide, sums, 0, &error),
            "an array has more elements than memory can hold")
#undef REFUSES
    detmath_order_free(order);
    assert_true(sums[0] == 7 && sums[1] == 7 && sums[2] == 7);
    static const char *const texts[] = {"", "{", "[]", "{\"schema\": \"detcheck/order/2\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        memset(&error, 0, sizeof error);
        assert_null(detmath_order_parse(texts[i], strlen(texts[i]), &error));
        assert_true(*error.text && !strchr(error.text, '\n'));
    }
    assert_null(detmath_order_parse("", ((size_t)64 << 20) + 1, &error));
    assert_string_equal(error.text, "order: more than 67108864 bytes");
    assert_null(detmath_order_read("there-is-no-such.order", &error));
    assert_non_null(strstr(error.text, "there-is-no-such.order"));
    assert_null(detmath_order_read("there-is-no-such.order", NULL));
    detmath_order_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes_and_strides), cmocka_unit_test(test_products),
        cmocka_unit_test(test_means_and_formats), cmocka_unit_test(test_what_an_order_says),
        cmocka_unit_test(test_what_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
