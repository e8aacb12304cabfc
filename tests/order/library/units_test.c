/* Matrix units by their public header: sums that are known by hand, places of elements, and what is refused. Against the
 * program and hardware the same code is held elsewhere. */
#include <detmath/units.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct detmath_unit *found(const char *name, const char *format,
                                        const char *accumulator) {
    struct detmath_error error = {{0}};
    const struct detmath_unit *unit = detmath_unit_find(name, format, accumulator, NULL, 0, &error);
    if (!unit)
        fail_msg("%s", error.text);
    return unit;
}

/* 1 - 2^-24 and 1 - 2^-25: what 23, 24 and 25 bits behind the 1 keep of it, cut to fp32. */
static void test_units_keep_their_bits(void **context) {
    (void)context;
    const struct {
        const char *name;
        float one, two;
    } rows[] = {
        {"v100", 1, 1}, {"a100", 0x1.fffffep-1f, 1}, {"h100", 0x1.fffffep-1f, 0x1.fffffep-1f}};
    const uint16_t a[] = {0x3c00, 0x8c00}, b[] = {0x3c00, 0x0c00}, half = 0x0800;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct detmath_unit *unit = found(rows[i].name, "fp16", "fp32");
        float one = 0, two = 0, c = 1;
        assert_int_equal(detmath_unit_dot(unit, a, b, 2, NULL, &one, NULL), 0);
        assert_true(one == rows[i].one);
        assert_int_equal(detmath_unit_dot(unit, &a[1], &half, 1, &c, &two, NULL), 0);
        assert_true(two == rows[i].two);
    }
}

enum { ROWS = 3, INNER = 37, COLUMNS = 11 };

/* Numbers that lie between others, backwards and close together, in one call and one by one. */
static void test_places_of_elements(void **context) {
    (void)context;
    static const char *const cases[][3] = {
        {"h100", "fp16", "fp32"}, {"b200", "fp8_e4m3fn", "fp32"}, {"mi300x", "bf16", "fp32"}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const struct detmath_unit *unit = found(cases[n][0], cases[n][1], cases[n][2]);
        const int eight = strncmp(cases[n][1], "fp8", 3) == 0;
        uint16_t a16[ROWS][INNER], b16[COLUMNS][INNER], wide16[INNER][2 * COLUMNS + 1];
        uint8_t a8[ROWS][INNER], b8[COLUMNS][INNER], wide8[INNER][2 * COLUMNS + 1];
        float c[ROWS][COLUMNS], d[ROWS][COLUMNS + 2], whole[ROWS][COLUMNS];
        uint32_t seed = 52;
        for (size_t k = 0; k < INNER; k++) {
            for (size_t i = 0; i < ROWS; i++)
                a16[i][k] =
                    (uint16_t)(0x3000 + ((seed = seed * 1664525 + 1013904223) >> 16) % 0x2000);
            for (size_t j = 0; j < COLUMNS; j++)
                b16[j][k] =
                    (uint16_t)(0xb000 + ((seed = seed * 1664525 + 1013904223) >> 16) % 0x2000);
            for (size_t i = 0; i < ROWS; i++)
                a8[i][k] = (uint8_t)(a16[i][k] >> 8);
            for (size_t j = 0; j < COLUMNS; j++) {
                b8[j][k] = (uint8_t)(b16[j][k] >> 8);
                wide16[k][2 * j] = b16[j][k];
                wide8[k][2 * j] = b8[j][k];
            }
        }
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < COLUMNS; j++)
                c[i][j] = (float)(i + 1) / (float)(j + 3);
        memset(d, 0x55, sizeof d);
        struct detmath_unit_product product = {.unit = unit,
                                               .rows = ROWS,
                                               .inner = INNER,
                                               .columns = COLUMNS,
                                               .a = eight ? (void *)a8 : (void *)a16,
                                               .b = eight ? (void *)wide8 : (void *)wide16,
                                               .a_row = INNER,
                                               .a_step = 1,
                                               .b_step = 2 * COLUMNS + 1,
                                               .b_column = 2,
                                               .c = c,
                                               .c_row = COLUMNS,
                                               .d = d,
                                               .d_row = COLUMNS + 2};
        assert_int_equal(detmath_unit_matmul(&product, NULL), 0);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < COLUMNS; j++) {
                float one;
                const void *x = eight ? (void *)a8[i] : (void *)a16[i],
                           *y = eight ? (void *)b8[j] : (void *)b16[j];
                assert_int_equal(detmath_unit_dot(unit, x, y, INNER, &c[i][j], &one, NULL), 0);
                assert_memory_equal(&one, &d[i][j], sizeof one);
                whole[i][j] = one;
            }
        uint32_t beside;
        memcpy(&beside, &d[0][COLUMNS], sizeof beside);
        assert_int_equal(beside, 0x55555555);
        /* In place of c, and cut into parts: c goes into the first one. */
        product.d = c;
        product.d_row = COLUMNS;
        product.cut = DETMATH_UNIT_SPLIT_K;
        product.cut_number = 1;
        assert_int_equal(detmath_unit_matmul(&product, NULL), 0);
        assert_memory_equal(c, whole, sizeof c);
    }
}

/* 448 * 448 in the first call and 1 in the second: a sum of 14 bits has no room for it, a part of its own has. */
static void test_parts_begin_at_zero(void **context) {
    (void)context;
    const uint8_t a[64] = {[0] = 0x7e, [32] = 0x38}, b[64] = {[0] = 0x7e, [32] = 0x38};
    float d;
    struct detmath_unit_product product = {.unit = found("h100", "fp8_e4m3fn", "fp32"),
                                           .rows = 1,
                                           .inner = 64,
                                           .columns = 1,
                                           .a = a,
                                           .b = b,
                                           .a_step = 1,
                                           .b_step = 1,
                                           .d = &d};
    const struct {
        enum detmath_unit_cut cut;
        size_t number;
        float sum;
    } cuts[] = {{DETMATH_UNIT_WHOLE, 0, 448 * 448},
                {DETMATH_UNIT_SPLIT_K, 1, 448 * 448},
                {DETMATH_UNIT_SPLIT_K, 2, 448 * 448 + 1},
                {DETMATH_UNIT_PROMOTE, 20, 448 * 448 + 1}, /* whole calls: 32 */
                {DETMATH_UNIT_PROMOTE, 33, 448 * 448},
                {DETMATH_UNIT_PROMOTE, SIZE_MAX, 448 * 448},
                {DETMATH_UNIT_SPLIT_K, SIZE_MAX, 448 * 448 + 1}};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        product.cut = cuts[i].cut;
        product.cut_number = cuts[i].number;
        assert_int_equal(detmath_unit_matmul(&product, NULL), 0);
        assert_true(d == cuts[i].sum);
    }
}

/* 1 and two of 2^-24, in one call of 16 products or in two of 8, each of which loses one of them. */
static void test_shorter_calls(void **context) {
    (void)context;
    const uint16_t a[16] = {[0] = 0x3c00, [1] = 0x0c00, [9] = 0x0c00};
    float d = 5;
    struct detmath_error error;
    struct detmath_unit_product product = {.unit = found("h100", "fp16", "fp32"),
                                           .rows = 1,
                                           .inner = 16,
                                           .columns = 1,
                                           .a = a,
                                           .b = a,
                                           .a_step = 1,
                                           .b_step = 1,
                                           .d = &d};
    const struct {
        size_t tile;
        float sum;
    } calls[] = {{0, 1 + 0x1p-23F}, {16, 1 + 0x1p-23F}, {8, 1}, {1, 1}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        product.tile = calls[i].tile;
        assert_int_equal(detmath_unit_matmul(&product, NULL), 0);
        assert_true(d == calls[i].sum);
    }
    product.tile = 32;
    assert_int_equal(detmath_unit_matmul(&product, &error), -1);
    assert_non_null(strstr(error.text, "a call of h100 takes 16 products of fp16"));
    assert_true(d == 1);
}

/* NVFP4: 3 * 2 sixteen times at scales 1.5 and 0.25, and 0.5 * 0.5 once at 2 and -2, whose sign does not count. */
static void test_blocks_have_scales(void **context) {
    (void)context;
    struct detmath_error error = {{0}};
    const struct detmath_unit *unit =
        detmath_unit_find("b200-tcgen05", "mxfp4_e2m1", "fp32", "fp8_e4m3fn", 16, &error);
    if (!unit)
        fail_msg("%s", error.text);
    assert_string_equal(detmath_unit_scales(unit), "fp8_e4m3fn");
    assert_int_equal(detmath_unit_block(unit), 16);
    uint8_t a[17], b[17], a_scales[] = {0x3c, 0x40}, b_scales[] = {0x28, 0xc0};
    memset(a, 5, sizeof a);
    memset(b, 4, sizeof b);
    a[16] = b[16] = 1;
    float d = 0, kept = 7;
    struct detmath_unit_product product = {.unit = unit,
                                           .rows = 1,
                                           .inner = 17,
                                           .columns = 1,
                                           .a = a,
                                           .b = b,
                                           .a_step = 1,
                                           .b_step = 1,
                                           .a_scales = a_scales,
                                           .b_scales = b_scales,
                                           .d = &d};
    assert_int_equal(detmath_unit_matmul(&product, NULL), 0);
    assert_true(d == 96 * 0.375f + 1);
    product.d = &kept;
    product.a_scales = NULL;
    assert_int_equal(detmath_unit_matmul(&product, &error), -1);
    assert_string_equal(error.text, "the unit's factors have scales, and there are none");
    assert_true(kept == 7);
    a_scales[1] = 0x7f; /* NaN */
    product.a_scales = a_scales;
    assert_int_equal(detmath_unit_matmul(&product, NULL), 0);
    uint32_t code;
    memcpy(&code, &kept, sizeof code);
    assert_int_equal(code, 0x7fffffff);
}

static void test_whole_numbers_wrap(void **context) {
    (void)context;
    const int8_t a[] = {127, -128, 1}, b[] = {127, 127, -1};
    int32_t c = INT32_MIN, d;
    assert_int_equal(detmath_unit_dot(found("a100", "int8", "int32"), a, b, 3, &c, &d, NULL), 0);
    assert_int_equal(d, INT32_MAX - 127);
}

/* Of the sum of a call, not of each product: 127 * 127 and its opposite leave what was near the end, in calls of one product
 * they do not. Parts wrap. */
static void test_whole_numbers_saturate(void **context) {
    (void)context;
    const int8_t a[] = {127, -127, 127, 127}, b[] = {127, 127, 127, 127};
    const struct {
        int32_t c;
        size_t inner, tile, parts;
        int saturate;
        int32_t sum;
    } calls[] = {{INT32_MAX - 5, 2, 0, 0, 1, INT32_MAX - 5},
                 {INT32_MAX - 5, 2, 1, 0, 1, INT32_MAX - 127 * 127},
                 {INT32_MAX - 5, 4, 0, 0, 1, INT32_MAX},
                 {INT32_MAX - 5, 4, 0, 0, 0, INT32_MIN + 2 * 127 * 127 - 6},
                 {INT32_MIN + 5, 1, 0, 0, 1, INT32_MIN + 5 + 127 * 127},
                 {INT32_MAX - 5, 4, 2, 2, 1, INT32_MIN + 2 * 127 * 127 - 6}};
    int32_t d;
    struct detmath_error error;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct detmath_unit_product product = {.unit = found("a100", "int8", "int32"),
                                               .rows = 1,
                                               .inner = calls[i].inner,
                                               .columns = 1,
                                               .a = a,
                                               .b = b,
                                               .a_step = 1,
                                               .b_step = 1,
                                               .c = &calls[i].c,
                                               .d = &d,
                                               .cut = calls[i].parts ? DETMATH_UNIT_SPLIT_K
                                                                     : DETMATH_UNIT_WHOLE,
                                               .cut_number = calls[i].parts,
                                               .tile = calls[i].tile,
                                               .saturate = calls[i].saturate};
        assert_int_equal(detmath_unit_matmul(&product, NULL), 0);
        assert_int_equal(d, calls[i].sum);
        product.unit = found("a100", "fp16", "fp32");
        product.tile = 0;
        product.saturate = 1;
        assert_int_equal(detmath_unit_matmul(&product, &error), -1);
        assert_string_equal(error.text, "only sums of integers saturate, not sums of fp16 in fp32");
    }
}

static void test_what_is_refused(void **context) {
    (void)context;
    struct detmath_error error = {{0}};
    assert_null(detmath_unit_find("h101", "fp16", "fp32", NULL, 0, &error));
    assert_non_null(strstr(error.text, "no matrix unit 'h101'; there are: v100, "));
    assert_null(detmath_unit_find(NULL, "fp16", "fp32", NULL, 0, &error));
    assert_null(detmath_unit_find("v100", NULL, "fp32", NULL, 0, &error));
    assert_null(detmath_unit_find("v100", "fp16", NULL, NULL, 0, &error));
    assert_non_null(strstr(error.text, "give the names of the unit"));
    assert_null(detmath_unit_find("v100", "bf16", "fp32", NULL, 0, &error));
    assert_string_equal(
        error.text,
        "v100 has no products of bf16 summed in fp32; it has fp16 to fp32, fp16 to fp16");
    assert_null(detmath_unit_find("h100", "mxfp4_e2m1", "fp32", "fp8_e4m3fn", 16, &error));
    assert_non_null(strstr(error.text, "it has none with scales"));
    assert_null(detmath_unit_find("h100", "fp17", "fp32", NULL, 0, NULL));
    float d = 7;
    struct detmath_unit_product product = {.unit = found("h100", "fp16", "fp32"),
                                           .rows = 1,
                                           .columns = 1,
                                           .d = &d,
                                           .cut = DETMATH_UNIT_PROMOTE};
    assert_int_equal(detmath_unit_matmul(&product, &error), -1);
    assert_string_equal(error.text, "a product is cut in 1 part or more, after 1 product or more");
    product.cut = DETMATH_UNIT_WHOLE;
    product.rows = product.inner = product.columns = SIZE_MAX / 4;
    assert_int_equal(detmath_unit_matmul(&product, &error), -1);
    assert_string_equal(error.text, "the product is too large");
    assert_true(d == 7);
    product.rows = product.columns = 1;
    product.inner = 0;
    assert_int_equal(detmath_unit_matmul(&product, NULL), 0);
    assert_true(d == 0);
}

static void test_rows_say_what_they_are(void **context) {
    (void)context;
    size_t count = 0, longest = 0;
    char text[2048], few[8];
    for (const struct detmath_unit *unit; (unit = detmath_unit_at(count)); count++) {
        struct detmath_error error;
        assert_ptr_equal(unit, detmath_unit_find(detmath_unit_name(unit), detmath_unit_format(unit),
                                                 detmath_unit_accumulator(unit),
                                                 detmath_unit_scales(unit),
                                                 detmath_unit_block(unit), &error));
        size_t length = detmath_unit_parameters(unit, text, sizeof text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(detmath_unit_parameters(unit, few, sizeof few), length);
        assert_int_equal(strlen(few), sizeof few - 1);
        longest = length > longest ? length : longest;
        assert_true(detmath_unit_call(unit) > 0 && *detmath_unit_source(unit));
    }
    assert_true(count > 60 && longest < sizeof text);
    detmath_unit_parameters(found("h100", "fp16", "fp32"), text, sizeof text);
    assert_string_equal(
        text, "{\"name\":\"h100\",\"format\":\"fp16\",\"accumulator\":\"fp32\",\"call\":16,"
              "\"shape\":\"at-once\","
              "\"source\":\"published\",\"node\":{\"terms\":16,\"result\":\"fp32\",\"rounding\":"
              "\"toward-zero\","
              "\"overflow_is_infinite\":true,\"aligned_bits\":25,\"alignment\":\"toward-zero\","
              "\"alignment_floor\":-133,\"nan\":\"0x7fffffff\"}}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_keep_their_bits),  cmocka_unit_test(test_places_of_elements),
        cmocka_unit_test(test_parts_begin_at_zero),    cmocka_unit_test(test_shorter_calls),
        cmocka_unit_test(test_blocks_have_scales),     cmocka_unit_test(test_whole_numbers_wrap),
        cmocka_unit_test(test_whole_numbers_saturate), cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_rows_say_what_they_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
