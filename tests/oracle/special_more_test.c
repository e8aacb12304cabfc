/* Special and exact values of the functions of two and three operands: C23 Annex F.10.4 (pow,
 * hypot), F.10.1.4 (atan2), F.10.7 (fmod, remainder), F.10.9 (fdim), F.10.10 (fma), and IEEE 754
 * section 6.3 for the signs of zero. */
#include "special.h"

#define ROWS(NAME) check_special_rows(NAME, sizeof NAME / sizeof *NAME)

static const struct special_row powers[] = {
    {"pow", {"0", "-1"}, {"inf"}},
    {"pow", {"-0", "-1"}, {"-inf"}},
    {"pow", {"-0", "-3"}, {"-inf"}},
    {"pow", {"0", "-2"}, {"inf"}},
    {"pow", {"-0", "-2"}, {"inf"}},
    {"pow", {"-0", "-0.5"}, {"inf"}},
    {"pow", {"0", "-inf"}, {"inf"}},
    {"pow", {"-0", "-inf"}, {"inf"}},
    {"pow", {"0", "3"}, {"0"}},
    {"pow", {"-0", "3"}, {"-0"}},
    {"pow", {"-0", "2"}, {"0"}},
    {"pow", {"-0", "0.5"}, {"0"}},
    {"pow", {"-0", "inf"}, {"0"}},
    {"pow", {"-1", "inf"}, {"1"}},
    {"pow", {"-1", "-inf"}, {"1"}},
    {"pow", {"1", "nan"}, {"1"}},
    {"pow", {"1", "inf"}, {"1"}},
    {"pow", {"1", "-3.5"}, {"1"}},
    {"pow", {"nan", "0"}, {"1"}},
    {"pow", {"nan", "-0"}, {"1"}},
    {"pow", {"inf", "-0"}, {"1"}},
    {"pow", {"0", "0"}, {"1"}},
    {"pow", {"-2", "0.5"}, {"nan"}},
    {"pow", {"-2", "-1.5"}, {"nan"}},
    {"pow", {"0.5", "-inf"}, {"inf"}},
    {"pow", {"-0.5", "-inf"}, {"inf"}},
    {"pow", {"2", "-inf"}, {"0"}},
    {"pow", {"-2", "-inf"}, {"0"}},
    {"pow", {"0.5", "inf"}, {"0"}},
    {"pow", {"-2", "inf"}, {"inf"}},
    {"pow", {"-inf", "-3"}, {"-0"}},
    {"pow", {"-inf", "-2"}, {"0"}},
    {"pow", {"-inf", "-0.5"}, {"0"}},
    {"pow", {"-inf", "3"}, {"-inf"}},
    {"pow", {"-inf", "2"}, {"inf"}},
    {"pow", {"-inf", "0.5"}, {"inf"}},
    {"pow", {"inf", "-1"}, {"0"}},
    {"pow", {"inf", "0.5"}, {"inf"}},
    {"pow", {"nan", "1"}, {"nan"}},
    {"pow", {"2", "nan"}, {"nan"}},
    {"pow", {"-1", "nan"}, {"nan"}},
    {"pow", {"3", "2"}, {"9"}},
    {"pow", {"-2", "3"}, {"-8"}},
    {"pow", {"-2", "-3"}, {"-0.125"}},
    {"pow", {"9", "0.5"}, {"3"}},
    {"pow", {"0.25", "-1.5"}, {"8"}},
    {"pow", {"2", "-1074"}, {"0x1p-1074"}},
    {"pow", {"-2", "-149"}, {"-0x1p-149"}},
    {"pow", {"-1", "0x1p100"}, {"1"}},
    {"pow", {"-1", "8388607"}, {"-1"}},
    {"hypot", {"inf", "nan"}, {"inf"}},
    {"hypot", {"nan", "-inf"}, {"inf"}},
    {"hypot", {"-inf", "1"}, {"inf"}},
    {"hypot", {"nan", "1"}, {"nan"}},
    {"hypot", {"0", "-0"}, {"0"}},
    {"hypot", {"-0", "-0"}, {"0"}},
    {"hypot", {"-0", "-3"}, {"3"}},
    {"hypot", {"3", "-4"}, {"5"}},
    {"hypot", {"0x1p-1074", "0"}, {"0x1p-1074"}},
};

static const struct special_row angles[] = {
    {"atan2", {"0", "0"}, {"0"}},
    {"atan2", {"-0", "0"}, {"-0"}},
    {"atan2", {"0", "-0"}, {"pi"}},
    {"atan2", {"-0", "-0"}, {"-pi"}},
    {"atan2", {"0", "-1"}, {"pi"}},
    {"atan2", {"-0", "-1"}, {"-pi"}},
    {"atan2", {"0", "1"}, {"0"}},
    {"atan2", {"-0", "1"}, {"-0"}},
    {"atan2", {"-1", "0"}, {"-pi/2"}},
    {"atan2", {"-1", "-0"}, {"-pi/2"}},
    {"atan2", {"1", "0"}, {"pi/2"}},
    {"atan2", {"1", "-0"}, {"pi/2"}},
    {"atan2", {"1", "-inf"}, {"pi"}},
    {"atan2", {"-1", "-inf"}, {"-pi"}},
    {"atan2", {"1", "inf"}, {"0"}},
    {"atan2", {"-1", "inf"}, {"-0"}},
    {"atan2", {"inf", "1"}, {"pi/2"}},
    {"atan2", {"-inf", "-1"}, {"-pi/2"}},
    {"atan2", {"inf", "0"}, {"pi/2"}},
    {"atan2", {"inf", "-inf"}, {"3pi/4"}},
    {"atan2", {"-inf", "-inf"}, {"-3pi/4"}},
    {"atan2", {"inf", "inf"}, {"pi/4"}},
    {"atan2", {"-inf", "inf"}, {"-pi/4"}},
    {"atan2", {"nan", "0"}, {"nan"}},
    {"atan2", {"0", "nan"}, {"nan"}},
    {"atan2", {"2", "2"}, {"pi/4"}},
    {"atan2", {"2", "-2"}, {"3pi/4"}},
    {"atan2", {"-0", "inf"}, {"-0"}},
    {"atan2", {"-0", "-inf"}, {"-pi"}},
};

static const struct special_row remainders[] = {
    {"fmod", {"0", "3"}, {"0"}},          {"fmod", {"-0", "3"}, {"-0"}},
    {"fmod", {"6", "3"}, {"0"}},          {"fmod", {"-6", "3"}, {"-0"}},
    {"fmod", {"6", "-3"}, {"0"}},         {"fmod", {"-6", "-3"}, {"-0"}},
    {"fmod", {"5", "3"}, {"2"}},          {"fmod", {"-5", "3"}, {"-2"}},
    {"fmod", {"5", "-3"}, {"2"}},         {"fmod", {"1", "0"}, {"nan"}},
    {"fmod", {"1", "-0"}, {"nan"}},       {"fmod", {"inf", "1"}, {"nan"}},
    {"fmod", {"-inf", "1"}, {"nan"}},     {"fmod", {"1.5", "inf"}, {"1.5"}},
    {"fmod", {"-1.5", "-inf"}, {"-1.5"}}, {"fmod", {"-0", "inf"}, {"-0"}},
    {"fmod", {"inf", "inf"}, {"nan"}},    {"fmod", {"nan", "1"}, {"nan"}},
    {"fmod", {"1", "nan"}, {"nan"}},      {"fmod", {"0", "0"}, {"nan"}},
    {"remainder", {"0", "3"}, {"0"}},     {"remainder", {"-0", "3"}, {"-0"}},
    {"remainder", {"6", "3"}, {"0"}},     {"remainder", {"-6", "3"}, {"-0"}},
    {"remainder", {"-6", "-3"}, {"-0"}},  {"remainder", {"5", "3"}, {"-1"}},
    {"remainder", {"4", "3"}, {"1"}},     {"remainder", {"-5", "3"}, {"1"}},
    {"remainder", {"3", "2"}, {"-1"}},    {"remainder", {"5", "2"}, {"1"}},
    {"remainder", {"-1", "2"}, {"-1"}},   {"remainder", {"1", "0"}, {"nan"}},
    {"remainder", {"inf", "2"}, {"nan"}}, {"remainder", {"1.5", "-inf"}, {"1.5"}},
    {"remainder", {"-0", "inf"}, {"-0"}}, {"remainder", {"nan", "2"}, {"nan"}},
};

static const struct special_row differences[] = {
    {"fdim", {"1", "1"}, {"0"}},        {"fdim", {"1", "2"}, {"0"}},
    {"fdim", {"-0", "0"}, {"0"}},       {"fdim", {"0", "-0"}, {"0"}},
    {"fdim", {"-0", "-0"}, {"0"}},      {"fdim", {"3", "1"}, {"2"}},
    {"fdim", {"inf", "inf"}, {"0"}},    {"fdim", {"-inf", "-inf"}, {"0"}},
    {"fdim", {"inf", "-inf"}, {"inf"}}, {"fdim", {"-inf", "inf"}, {"0"}},
    {"fdim", {"1", "-inf"}, {"inf"}},   {"fdim", {"inf", "1"}, {"inf"}},
    {"fdim", {"nan", "1"}, {"nan"}},    {"fdim", {"1", "nan"}, {"nan"}},
    {"fdim", {"nan", "inf"}, {"nan"}},  {"fdim", {"-1", "-3"}, {"2"}},
};

/* A sum of nonzero terms that cancel, or of zeros of both signs, is +0, and -0 downward. */
static const struct special_row sums[] = {
    {"add", {"1.5", "-1.5"}, {"0", "-0"}},
    {"add", {"-1.5", "1.5"}, {"0", "-0"}},
    {"add", {"0", "-0"}, {"0", "-0"}},
    {"add", {"-0", "0"}, {"0", "-0"}},
    {"add", {"0", "0"}, {"0"}},
    {"add", {"-0", "-0"}, {"-0"}},
    {"add", {"-0", "1"}, {"1"}},
    {"add", {"inf", "-inf"}, {"nan"}},
    {"add", {"inf", "inf"}, {"inf"}},
    {"add", {"-inf", "1"}, {"-inf"}},
    {"add", {"nan", "1"}, {"nan"}},
    {"add", {"inf", "nan"}, {"nan"}},
    {"sub", {"1.5", "1.5"}, {"0", "-0"}},
    {"sub", {"-1.5", "-1.5"}, {"0", "-0"}},
    {"sub", {"0", "0"}, {"0", "-0"}},
    {"sub", {"-0", "-0"}, {"0", "-0"}},
    {"sub", {"0", "-0"}, {"0"}},
    {"sub", {"-0", "0"}, {"-0"}},
    {"sub", {"inf", "inf"}, {"nan"}},
    {"sub", {"1", "inf"}, {"-inf"}},
    {"mul", {"0", "-1"}, {"-0"}},
    {"mul", {"-0", "-1"}, {"0"}},
    {"mul", {"-0", "0"}, {"-0"}},
    {"mul", {"inf", "0"}, {"nan"}},
    {"mul", {"-0", "-inf"}, {"nan"}},
    {"mul", {"-inf", "2"}, {"-inf"}},
    {"mul", {"3", "-2"}, {"-6"}},
    {"mul", {"nan", "0"}, {"nan"}},
    {"div", {"0", "0"}, {"nan"}},
    {"div", {"inf", "-inf"}, {"nan"}},
    {"div", {"1", "0"}, {"inf"}},
    {"div", {"1", "-0"}, {"-inf"}},
    {"div", {"-0", "0"}, {"nan"}},
    {"div", {"-1", "0"}, {"-inf"}},
    {"div", {"0", "-3"}, {"-0"}},
    {"div", {"-0", "-3"}, {"0"}},
    {"div", {"1", "-inf"}, {"-0"}},
    {"div", {"-inf", "-2"}, {"inf"}},
    {"div", {"6", "-3"}, {"-2"}},
};

static const struct special_row fused[] = {
    {"fma", {"inf", "0", "1"}, {"nan"}},
    {"fma", {"0", "-inf", "nan"}, {"nan"}},
    {"fma", {"inf", "1", "-inf"}, {"nan"}},
    {"fma", {"-inf", "1", "inf"}, {"nan"}},
    {"fma", {"inf", "1", "inf"}, {"inf"}},
    {"fma", {"2", "3", "-inf"}, {"-inf"}},
    {"fma", {"2", "3", "-6"}, {"0", "-0"}},
    {"fma", {"-2", "3", "6"}, {"0", "-0"}},
    {"fma", {"0", "1", "0"}, {"0"}},
    {"fma", {"0", "1", "-0"}, {"0", "-0"}},
    {"fma", {"0", "-1", "0"}, {"0", "-0"}},
    {"fma", {"0", "-1", "-0"}, {"-0"}},
    {"fma", {"-0", "-0", "0"}, {"0"}},
    {"fma", {"-0", "-0", "-0"}, {"0", "-0"}},
    {"fma", {"0", "1", "2"}, {"2"}},
    {"fma", {"2", "3", "1"}, {"7"}},
    {"fma", {"1", "nan", "1"}, {"nan"}},
    {"fma", {"1", "1", "nan"}, {"nan"}},
    {"fma", {"0x1p-12", "0x1p-12", "-0x1p-24"}, {"0", "-0"}},
};

static const struct special_row log_of_sums[] = {
    {"logaddexp", {"-inf", "-inf"}, {"-inf"}}, {"logaddexp", {"inf", "-inf"}, {"inf"}},
    {"logaddexp", {"-inf", "inf"}, {"inf"}},   {"logaddexp", {"inf", "inf"}, {"inf"}},
    {"logaddexp", {"inf", "1"}, {"inf"}},      {"logaddexp", {"1.5", "-inf"}, {"1.5"}},
    {"logaddexp", {"-inf", "-1.5"}, {"-1.5"}}, {"logaddexp", {"0", "-inf"}, {"0"}},
    {"logaddexp", {"-inf", "-0"}, {"0"}},      {"logaddexp", {"nan", "1"}, {"nan"}},
    {"logaddexp", {"nan", "inf"}, {"nan"}},    {"logaddexp", {"-inf", "nan"}, {"nan"}},
};

static void test_powers(void **state) {
    (void)state;
    ROWS(powers);
}

static void test_angles(void **state) {
    (void)state;
    ROWS(angles);
}

static void test_remainders(void **state) {
    (void)state;
    ROWS(remainders);
}

static void test_differences(void **state) {
    (void)state;
    ROWS(differences);
}

static void test_sums(void **state) {
    (void)state;
    ROWS(sums);
    ROWS(fused);
}

static void test_log_of_sums(void **state) {
    (void)state;
    ROWS(log_of_sums);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_powers),     cmocka_unit_test(test_angles),
        cmocka_unit_test(test_remainders), cmocka_unit_test(test_differences),
        cmocka_unit_test(test_sums),       cmocka_unit_test(test_log_of_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
