/* Sweeps with the fast oracle and with MPFR alone, whose reports must agree; and the parts of the
 * test that fast_test.c runs. */
#ifndef DETCHECK_TESTS_SWEEP_BOTH_ORACLES_H
#define DETCHECK_TESTS_SWEEP_BOTH_ORACLES_H

#include "sweep/domain.h"

#include <stdbool.h>

/* What is swept returns the right outputs, or instead of them: */
enum spoiling {
    SPOIL_NONE,
    /* at some inputs others, off by some codes, NaN, infinite, or of the wrong sign */
    SPOIL_SOME,
    /* in some stretches the code before the right one, in others that after it, and any of these */
    SPOIL_NEIGHBOURS,
    /* in stretches infinity, 2^(emin/2), of either sign, the largest number, or 0 */
    SPOIL_OVERFLOW,
    /* what a coarse approximation gives: most are some or many codes off, by as much as the input is far
     * into a stretch, or by chance; the others as in SPOIL_SOME */
    SPOIL_FAR
};
extern enum spoiling spoiling;

/* Sweep the platform's libm instead where it provides the operation: MPFR takes long to spoil. */
extern bool prefer_libm;

/* The operations that the command names; all, where it names none. */
extern int wanted_count;
extern char **wanted;
bool is_wanted(const struct operation *operation);

/* Sweeps the domain, which is freed, both ways, and fails where fingerprints or tallies differ in
 * anything but the last digits of the mean. How many inputs the fast oracle decided. */
uint64_t compare_oracles(const struct operation *operation, enum rounding rounding,
                         struct domain *domain);

/* fast_pairs.c: rows of pairs, a few first operands, each with every second one; more of them with
 * `want_all`. By polynomials, and by arithmetic in all roundings. */
extern bool want_all;
void test_pairs(void **state);
void test_arithmetic(void **state);

/* fast_wide.c: runs of fp64, of functions of one operand and of two. */
void test_wide(void **state);
void test_wide_pairs(void **state);
void test_wide_places(void **state);
void test_wide_far(void **state);

/* fast_dense.c: around every landmark and power of two, of fp32 or (`wide`) fp64, all functions of one
 * operand, or those that are named; in fp64 samples in every rounding too. Returns the number of
 * failed tests. */
int run_dense(bool wide);

#endif
