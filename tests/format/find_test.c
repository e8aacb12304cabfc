/* Format names: aliases, spellings, and what an unknown name is told. */
#include "layout.h"

#include "detmath/cast_arrays.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *text, *name;
    } found[] = {
        {"fp16", "fp16"},
        {"binary16", "fp16"},
        {"half", "fp16"},
        {"bf16", "bf16"},
        {"bfloat16", "bf16"},
        {"binary32", "fp32"},
        {"float32", "fp32"},
        {"f32", "fp32"},
        {"float", "fp32"},
        {"FLOAT", "fp32"},
        {"double", "fp64"},
        {"binary64", "fp64"},
        {"float64", "fp64"},
        {"float8_e4m3fn", "fp8_e4m3fn"},
        {"FLOAT8E4M3FN", "fp8_e4m3fn"},
        {"fp8-e5m2", "fp8_e5m2"},
        {"FLOAT8E5M2", "fp8_e5m2"},
        {"Float8-E5M2FNUZ", "fp8_e5m2fnuz"},
        {"FLOAT8E4M3FNUZ", "fp8_e4m3fnuz"},
        {"float8_e4m3", "fp8_e4m3"},
        {"float8_e3m4", "fp8_e3m4"},
        {"float8_e4m3b11fnuz", "fp8_e4m3b11fnuz"},
        {"float8_e8m0fnu", "fp8_e8m0fnu"},
        {"FLOAT8E8M0", "fp8_e8m0fnu"},
        {"E8M0", "fp8_e8m0fnu"},
        {"float6_e2m3fn", "fp6_e2m3fn"},
        {"E3M2", "fp6_e3m2fn"},
        {"float4_e2m1fn", "fp4_e2m1fn"},
        {"FLOAT4E2M1", "fp4_e2m1fn"},
        {"TF32", "tf32"},
    };
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        struct error error;
        const struct format *format = format_find(found[i].text, &error);
        assert_non_null(format);
        assert_string_equal(format->name, found[i].name);
    }
}

static void test_unknown_names(void **state) {
    (void)state;
    struct error error = {""};
    /* detmath knows the same names. */
    for (size_t i = 0; i < format_count; i++) {
        const int index = detmath_format_find(formats[i].name);
        char text[64], alias[64];
        assert_true(index >= 0);
        for (const char *at = formats[i].aliases; *at;
             at += strlen(text) + (at[strlen(text)] == ' ')) {
            size_t length = strcspn(at, " ");
            memcpy(text, at, length);
            text[length] = '\0';
            for (size_t k = 0; k <= length; k++)
                alias[k] = text[k] == '_' ? '-' : (char)toupper((unsigned char)text[k]);
            assert_int_equal(detmath_format_find(text), index);
            assert_int_equal(detmath_format_find(alias), index);
        }
    }
    assert_int_equal(detmath_format_find("fp8_e4m3f"), -1);
    assert_int_equal(detmath_format_find("float3"), -1);
    assert_int_equal(detmath_format_find(""), -1);
    assert_null(format_find("fp23", &error));
    assert_non_null(strstr(error.text, "'fp23'"));
    assert_non_null(strstr(error.text, "did you mean fp"));
    assert_null(format_find("fp8_e4m3fm", &error));
    assert_non_null(strstr(error.text, "did you mean fp8_e4m3fn?"));
    static const char *const beginnings[] = {"fp4", "FP4", "float4", "f4", "float4-e2m1"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        const struct format *format = format_find(beginnings[i], &error);
        assert_true(format || strstr(error.text, "did you mean fp4_e2m1fn?"));
    }
    assert_null(format_find("fp4", &error));
    assert_null(format_find("tensor", &error));
    assert_non_null(strstr(error.text, "did you mean tf32?"));
    assert_null(format_find("", &error));
    assert_non_null(strstr(error.text, "''"));
    assert_null(format_find("a completely different thing", &error));
    assert_null(strstr(error.text, "did you mean"));
    assert_non_null(strstr(error.text, "list formats"));
}

/* Names that could be one of several are not guessed at. */
static void test_ambiguous_names(void **state) {
    (void)state;
    static const char *const names[] = {"e4m3", "E4M3", "e5m2", "E5M2", "fp8", "float8", "fp6"};
    struct error error;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_null(format_find(names[i], &error));
        assert_non_null(strstr(error.text, "one of several"));
    }
    assert_null(format_find("e4m3", &error));
    assert_non_null(strstr(error.text, "fp8_e4m3fn "));
    assert_non_null(strstr(error.text, "fp8_e4m3fnuz "));
    assert_null(format_find("e5m2", &error));
    assert_non_null(strstr(error.text, "fp8_e5m2 "));
    assert_non_null(strstr(error.text, "fp8_e5m2fnuz "));
}

static void test_rounding_and_class_names(void **state) {
    (void)state;
    assert_string_equal(rounding_names[ROUND_NEAREST_EVEN], "nearest-even");
    assert_string_equal(rounding_names[ROUND_TOWARD_ZERO], "toward-zero");
    assert_string_equal(rounding_names[ROUND_UP], "up");
    assert_string_equal(rounding_names[ROUND_DOWN], "down");
    assert_string_equal(rounding_names[ROUND_NEAREST_AWAY], "nearest-away");
    assert_string_equal(number_class_names[CLASS_ZERO], "zero");
    assert_string_equal(number_class_names[CLASS_SUBNORMAL], "subnormal");
    assert_string_equal(number_class_names[CLASS_NORMAL], "normal");
    assert_string_equal(number_class_names[CLASS_INFINITE], "infinite");
    assert_string_equal(number_class_names[CLASS_NAN], "nan");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_ambiguous_names),
        cmocka_unit_test(test_rounding_and_class_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
