/* What README.md says of exception flags and errno: no function clears a flag or touches errno, on any
 * instruction set, in any format, as scalar or as array. Which flags are raised is not promised. */
#include "detmath/library/kernels.h"
#include "detmath/round.h"

#include "../base/random.h"

#include <errno.h>
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { INPUTS = 96, NO_ERRNO = 12345 };

static const uint32_t special[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000,
                                   0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                   0xff800000, 0x7fc00000, 0x7f800001, 0x42ae0000, 0xc2ce0000};

static void draw(uint32_t *codes, uint64_t *seed) {
    for (size_t i = 0; i < INPUTS; i++)
        codes[i] = i < sizeof special / sizeof *special ? special[i] : (uint32_t)random_bits(seed);
}

static int flags_after(const struct detmath_kernels *kernels, int format, bool det,
                       uint32_t codes[2][INPUTS], bool set) {
    static uint64_t out[2][INPUTS];
    void *const results[] = {out[0], out[1]};
    const void *const operands[] = {codes[0], codes[1]};
    feclearexcept(FE_ALL_EXCEPT);
    if (set)
        feraiseexcept(FE_ALL_EXCEPT);
    errno = NO_ERRNO;
    if (det)
        kernels->det(results, operands, INPUTS);
    else
        kernels->cr(format, results, operands, INPUTS);
    assert_int_equal(errno, NO_ERRNO);
    return fetestexcept(FE_ALL_EXCEPT);
}

static int flags_after_scalars(const struct detmath_scalar *scalar, uint32_t codes[2][INPUTS],
                               bool set) {
    float x[2][INPUTS];
    volatile float y[2];
    memcpy(x, codes, sizeof x);
    feclearexcept(FE_ALL_EXCEPT);
    if (set)
        feraiseexcept(FE_ALL_EXCEPT);
    errno = NO_ERRNO;
    for (size_t i = 0; i < INPUTS; i++) {
        float z[2] = {0, 0};
        if (scalar->unary)
            z[0] = scalar->unary(x[0][i]);
        else if (scalar->binary)
            z[0] = scalar->binary(x[0][i], x[1][i]);
        else
            scalar->pair(x[0][i], &z[0], &z[1]);
        y[0] = z[0];
        y[1] = z[1];
    }
    (void)y[0];
    (void)y[1];
    assert_int_equal(errno, NO_ERRNO);
    return fetestexcept(FE_ALL_EXCEPT);
}

static void test_no_flag_is_cleared_and_errno_is_not_touched(void **state) {
    (void)state;
    uint64_t seed = 19;
    uint32_t codes[2][INPUTS];
    struct detmath_level level;
    for (int i = 0; detmath_level(i, &level); i++)
        for (int f = 0; level.kernels && f < DETMATH_FUNCTIONS; f++) {
            const struct detmath_kernels *kernels = level.kernels[f];
            draw(codes[0], &seed);
            draw(codes[1], &seed);
            bool kept = flags_after(kernels, DETMATH_F32, true, codes, true) == FE_ALL_EXCEPT &&
                        flags_after_scalars(&kernels->det_scalar, codes, true) == FE_ALL_EXCEPT &&
                        flags_after_scalars(&kernels->cr_scalar, codes, true) == FE_ALL_EXCEPT;
            for (int format = 0; format < DETMATH_FORMATS; format++)
                kept = kept && flags_after(kernels, format, false, codes, true) == FE_ALL_EXCEPT;
            if (!kept)
                fail_msg("%s on %s clears a flag", kernels->name, level.name);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_flag_is_cleared_and_errno_is_not_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
