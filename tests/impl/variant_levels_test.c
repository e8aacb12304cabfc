/* Every variant returns the same bits by every instruction set. */
#include "detmath/library/kernels.h"
#include "impl/implementation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { INPUTS = 700 }; /* more than two blocks, and not a multiple of a vector's length */

static void make_inputs(uint32_t *x) {
    static const uint32_t special[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                                       0x00800000, 0x3f800000, 0xbf800000, 0x42b17218, 0xc2cff1b5,
                                       0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffa00000};
    uint32_t state = 1;
    for (size_t i = 0; i < INPUTS; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = i % 3 ? state : (state & 0x83ffffffu) + 0x3e000000u;
    }
    memcpy(x, special, sizeof special);
}

static bool compute(const char *name, const struct operation *operation, const uint32_t *x,
                    uint32_t *y) {
    struct implementation implementation;
    struct binding binding;
    struct error error;
    struct binding_request request = {.operation = operation, .format = &formats[FORMAT_FP32]};
    assert_true(implementation_open(&implementation, name, NULL, &error));
    if (!implementation_bind(&binding, &implementation, &request, &error))
        return false;
    const struct slice slice = {.count = INPUTS, .operands = {x}, .results = {y}};
    assert_true(binding_fill(&binding, &slice, NULL, NULL, &error));
    binding_close(&binding);
    return true;
}

static void test_levels(void **state) {
    (void)state;
    static uint32_t x[INPUTS], plain[INPUTS], quick[INPUTS];
    static const char *const operations[] = {"exp", "sigmoid", "tanh", "log", "sin"};
    static const char all[] = "variant:fma=*,scheme=*,coefficients=*,terms=*,degree=*";
    struct detmath_level level, best = {0};
    struct error error;
    size_t compared = 0;
    char name[IMPLEMENTATION_NAME];
    for (int i = 0; detmath_level(i, &level); i++)
        if (level.kernels)
            best = level;
    make_inputs(x);
    for (size_t i = 0; implementation_spell(all, i, name, &error) && *name; i++)
        for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
            const struct operation *operation = operation_find(operations[k], &error);
            assert_true(detmath_limit_level("baseline"));
            if (!compute(name, operation, x, plain))
                continue;
            assert_true(detmath_limit_level(best.name));
            assert_true(compute(name, operation, x, quick));
            for (size_t j = 0; j < INPUTS; j++)
                if (plain[j] != quick[j])
                    fail_msg("%s %s: of 0x%08x 0x%08x, not 0x%08x", operations[k], name,
                             (unsigned)x[j], (unsigned)quick[j], (unsigned)plain[j]);
            compared++;
        }
    assert_int_equal(compared, 32 * (3 * (1 + 5) + (1 + 6) + (1 + 4)));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
