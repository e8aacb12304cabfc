/* A search meets all special inputs, up to 65,536 and each once, and begins with those of which each operand is special itself. */
#include "sweep/search/specials.h"

#include "format/format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { AT_FIRST = 8192, MOST = 65536 };

static void make(struct specials *specials, const char *name, const struct format *format,
                 struct code_set sets[MAX_OPERANDS]) {
    struct error error;
    struct sweep_request sweep = {
        .computed = {.operation = operation_find(name, &error), .format = format}};
    assert_non_null(sweep.computed.operation);
    for (int i = 0; i < sweep.computed.operation->operands; i++)
        assert_true(code_set_all(&sets[i], format, &error));
    const struct search_request request = {.sweep = &sweep, .sets = sets};
    *specials = (struct specials){0};
    assert_true(specials_make(specials, &request, &error));
}

static void release(struct specials *specials, struct code_set sets[MAX_OPERANDS]) {
    specials_free(specials);
    for (int i = 0; i < MAX_OPERANDS; i++)
        code_set_free(&sets[i]);
}

static int by_codes(const void *a, const void *b) {
    return memcmp(a, b, MAX_OPERANDS * sizeof(uint64_t));
}

/* How many there are, none of them twice. */
static void test_each_once(void **state) {
    static const struct {
        const char *operation;
        int format;
    } rows[] = {{"pow", FORMAT_FP64},   {"pow", FORMAT_FP32}, {"fma", FORMAT_FP32},
                {"pown", FORMAT_FP64},  {"exp", FORMAT_FP64}, {"hypot", FORMAT_BF16},
                {"rootn", FORMAT_FP32}, {"fma", FORMAT_FP16}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct specials specials;
        struct code_set sets[MAX_OPERANDS] = {{0}}, landmarks = {0};
        struct error error;
        const struct operation *operation = operation_find(rows[i].operation, &error);
        const struct format *format = &formats[rows[i].format];
        make(&specials, rows[i].operation, format, sets);
        assert_true(code_set_landmarks(&landmarks, format, operation, &error));
        uint64_t all = 1;
        for (int j = 0; j < operation->operands; j++)
            all *= landmarks.count;
        const size_t first = (size_t)specials.first.count;
        const size_t count = first + (size_t)specials.later.count;
        /* An operand that is an integer takes fewer. */
        if (operation->platform.signature == C_LONG_LONG_SECOND)
            assert_true(count > all / 8 && count < all);
        else
            assert_int_equal(count, all < MOST ? all : MOST);
        assert_true(first == count || (first >= AT_FIRST && first < 2 * AT_FIRST));
        uint64_t(*codes)[MAX_OPERANDS] = calloc(count, sizeof *codes);
        assert_non_null(codes);
        for (size_t j = 0; j < count; j++)
            domain_codes_at(j < first ? &specials.first : &specials.later,
                            j < first ? j : j - first, codes[j]);
        qsort(codes, count, sizeof *codes, by_codes);
        for (size_t j = 1; j < count; j++)
            assert_int_not_equal(by_codes(codes[j - 1], codes[j]), 0);
        free(codes);
        code_set_free(&landmarks);
        release(&specials, sets);
    }
}

static bool is_among(const struct domain *inputs, const double *wanted) {
    for (size_t i = 0; i < inputs->count; i++) {
        uint64_t codes[MAX_OPERANDS];
        bool alike = true;
        domain_codes_at(inputs, i, codes);
        for (int j = 0; j < inputs->operands; j++) {
            double number;
            memcpy(&number, &codes[j], sizeof number);
            alike =
                alike && (wanted[j] != wanted[j] ? number != number
                                                 : memcmp(&number, &wanted[j], sizeof number) == 0);
        }
        if (alike)
            return true;
    }
    return false;
}

/* Zeros, infinities, NaN and 1, of either sign, with each other and with roots and powers. */
static void test_rare_ones_first(void **state) {
    static const double numbers[] = {0, INFINITY, NAN, 1, 2, 3, 0.5, 0x1p-1022};
    enum { NUMBERS = 2 * sizeof numbers / sizeof *numbers };
    struct specials specials;
    struct code_set sets[MAX_OPERANDS] = {{0}};
    (void)state;
    make(&specials, "pow", &formats[FORMAT_FP64], sets);
    assert_true(specials.later.count > 0);
    for (int i = 0; i < NUMBERS * NUMBERS; i++) {
        const int x = i % NUMBERS, y = i / NUMBERS;
        const double pair[] = {x % 2 ? -numbers[x / 2] : numbers[x / 2],
                               y % 2 ? -numbers[y / 2] : numbers[y / 2]};
        if (!is_among(&specials.first, pair))
            fail_msg("pow(%a, %a) does not come first", pair[0], pair[1]);
    }
    release(&specials, sets);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_once),
                                       cmocka_unit_test(test_rare_ones_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
