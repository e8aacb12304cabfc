/* Roots of fp64 next to midpoints and numbers are built on both sides, far nearer than a window brings them: integers say where they
 * lie. */
#include "sweep/built/built.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <gmp.h>

/* Results have 53 bits, and one for the half. */
enum { INPUTS = 4096, HALVES = 54, DEPTH = 49 };

struct place {
    mpz_t x, root, rest, power;
};

/* floor(2^shift / sqrt(x)), or floor(2^shift cbrt(x)), with that many bits below the half. */
static void take_root(struct place *place, bool is_cube, unsigned long shift) {
    if (is_cube) {
        mpz_mul_2exp(place->root, place->x, 3 * shift);
        mpz_root(place->root, place->root, 3);
    } else {
        mpz_set_ui(place->power, 1);
        mpz_mul_2exp(place->power, place->power, 2 * shift);
        mpz_tdiv_q(place->root, place->power, place->x);
        mpz_sqrt(place->root, place->root);
    }
}

/* 1 where the root lies within 2^-DEPTH ulp of a midpoint, 2 of a number, 0 elsewhere; and whether it lies above it. */
static int place_of(struct place *place, bool is_cube, bool *is_above) {
    const unsigned long shift = 200;
    take_root(place, is_cube, shift);
    const size_t below = mpz_sizeinbase(place->root, 2) - HALVES;
    mpz_tdiv_r_2exp(place->rest, place->root, below);
    const bool is_odd = mpz_tstbit(place->root, below) != 0;
    *is_above = !mpz_tstbit(place->rest, below - 1);
    if (!*is_above) {
        mpz_set_ui(place->power, 1);
        mpz_mul_2exp(place->power, place->power, below);
        mpz_sub(place->rest, place->power, place->rest);
    }
    /* An ulp is two halves. */
    if (mpz_sgn(place->rest) == 0 || mpz_sizeinbase(place->rest, 2) > below + 1 - DEPTH)
        return 0;
    return is_odd == *is_above ? 1 : 2;
}

/* Counts by place and side. */
static void count_roots(const char *name, enum rounding rounding, unsigned found[3][2]) {
    const struct format *format = &formats[FORMAT_FP64];
    const struct built_request request = {operation_row(name), format, format, rounding, 5};
    const bool is_cube = name[0] == 'c';
    struct builder *builder = builder_open(&request);
    struct place place;
    assert_non_null(builder);
    mpz_inits(place.x, place.root, place.rest, place.power, NULL);
    for (uint64_t number = 0; number < INPUTS; number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        bool is_above;
        builder_make(builder, number, codes, NULL);
        const struct real value = format_decode(format, codes[0]);
        const int order = is_cube ? 3 : 2;
        if (value.kind != REAL_FINITE)
            continue;
        mpz_set_ui(place.x, (unsigned long)value.significand.high);
        mpz_mul_2exp(place.x, place.x,
                     (mp_bitcnt_t)(((value.exponent - 63) % order + order) % order));
        const int where = place_of(&place, is_cube, &is_above);
        found[where][is_above]++;
    }
    mpz_clears(place.x, place.root, place.rest, place.power, NULL);
    builder_close(builder);
}

static void test_roots(void **state) {
    (void)state;
    static const char *const names[] = {"cbrt", "rsqrt"};
    static const struct {
        enum rounding rounding;
        int most;
    } rows[] = {{ROUND_NEAREST_EVEN, 1}, {ROUND_UP, 2}, {ROUND_DOWN, 2}, {ROUND_TOWARD_ZERO, 2}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t j = 0; j < sizeof rows / sizeof *rows; j++) {
            unsigned found[3][2] = {{0}};
            count_roots(names[i], rows[j].rounding, found);
            for (int where = 1; where <= 2; where++)
                for (int side = 0; side < 2; side++)
                    if (found[where][side] < (where == rows[j].most ? 100u : 20u))
                        fail_msg("%s, rounding %d: %u within 2^-%d ulp at place %d, side %d",
                                 names[i], (int)rows[j].rounding, found[where][side], DEPTH, where,
                                 side);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
