/* The levels of instruction sets by which det and cr compute: each that is named is the one that they take then,
 * for arrays too, until they are to take the best again. */
#include "impl/detmath.h"

#include "detmath/library/kernels.h"
#include "detmath/library/reduction_list.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void take_each(void **state) {
    const struct detmath_level *best = detmath_best_level();
    const char *lines = detmath_other_levels();
    char line[64];
    struct error why;
    (void)state;
    if (!*lines) {
        print_message("skipped: this processor has no level but %s\n", best->name);
        skip();
    }
    for (size_t length; *lines; lines += length + 1) {
        length = strcspn(lines, "\n");
        assert_true(length < sizeof line);
        memcpy(line, lines, length);
        line[length] = '\0';
        assert_true(detmath_use_level(line, &why));
        assert_string_equal(detmath_best_level()->name, strchr(line, '=') + 1);
        assert_ptr_not_equal(detmath_reductions(), best->reductions);
        assert_true(detmath_use_level(NULL, &why));
        assert_ptr_equal(detmath_best_level(), best);
        assert_ptr_equal(detmath_reductions(), best->reductions);
    }
}

static void refuse_others(void **state) {
    static const char *const lines[] = {"", "baseline", "DETCHECK_LEVEL=", "DETCHECK_LEVEL=none",
                                        "DETCHECK_LEVEL=Baseline"};
    const struct detmath_level *best = detmath_best_level();
    struct error why;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_false(detmath_use_level(lines[i], &why));
        assert_non_null(strstr(why.text, "there are: DETCHECK_LEVEL=baseline"));
        assert_ptr_equal(detmath_best_level(), best);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(take_each),
                                       cmocka_unit_test(refuse_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
