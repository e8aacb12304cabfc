/* add, sub, mul, div, fma, sqrt, recip and fdim against the processor in the four directions that
 * it has: fp32 and fp64, special values included. */
#include "../../base/random.h"
#include "../../format/layout.h"
#include "op/operation.h"
#include "oracle/exact.h"

#include <fenv.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { SAMPLES = 30000 };

static const struct {
    int hardware;
    enum rounding rounding;
} modes[] = {{FE_TONEAREST, ROUND_NEAREST_EVEN},
             {FE_TOWARDZERO, ROUND_TOWARD_ZERO},
             {FE_UPWARD, ROUND_UP},
             {FE_DOWNWARD, ROUND_DOWN}};

/* Operands and results pass through volatile, so that the compiler neither computes in advance nor
 * moves an operation past the change of direction. */
#define MACHINE(NAME, EXPRESSION32, EXPRESSION64)                                                  \
    static float NAME##_fp32(const volatile float *x) {                                            \
        float a = x[0], b = x[1], c = x[2];                                                        \
        (void)b, (void)c;                                                                          \
        volatile float y = EXPRESSION32;                                                           \
        return y;                                                                                  \
    }                                                                                              \
    static double NAME##_fp64(const volatile double *x) {                                          \
        double a = x[0], b = x[1], c = x[2];                                                       \
        (void)b, (void)c;                                                                          \
        volatile double y = EXPRESSION64;                                                          \
        return y;                                                                                  \
    }

MACHINE(add, a + b, a + b)
MACHINE(sub, a - b, a - b)
MACHINE(mul, a *b, a *b)
MACHINE(div, a / b, a / b)
MACHINE(fma, fmaf(a, b, c), fma(a, b, c))
MACHINE(sqrt, sqrtf(a), sqrt(a))
MACHINE(recip, 1.0f / a, 1.0 / a)
MACHINE(fdim, a > b || isnan(a) || isnan(b) ? a - b : 0.0f,
        a > b || isnan(a) || isnan(b) ? a - b : 0.0)

static const struct machine {
    const char *operation;
    float (*fp32)(const volatile float *);
    double (*fp64)(const volatile double *);
} machines[] = {
    {"add", add_fp32, add_fp64},       {"sub", sub_fp32, sub_fp64},
    {"mul", mul_fp32, mul_fp64},       {"div", div_fp32, div_fp64},
    {"fma", fma_fp32, fma_fp64},       {"sqrt", sqrt_fp32, sqrt_fp64},
    {"recip", recip_fp32, recip_fp64}, {"fdim", fdim_fp32, fdim_fp64},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static uint64_t machine_code(const struct machine *machine, const struct layout *layout,
                             const uint64_t *codes, int mode) {
    volatile float single[3];
    volatile double twice[3];
    for (int i = 0; i < 3; i++) {
        single[i] = float_of_code(codes[i]);
        twice[i] = double_of_code(codes[i]);
    }
    uint64_t code;
    fesetround(modes[mode].hardware);
    if (layout->fraction_bits == 23)
        code = code_of_float(machine->fp32(single));
    else
        code = code_of_double(machine->fp64(twice));
    fesetround(FE_TONEAREST);
    return isnan(layout_value(layout, code)) ? layout_nan(layout) : code;
}

static void check_codes(struct oracle *oracle, const struct machine *machine,
                        const struct layout *layout, const uint64_t *codes) {
    struct real y;
    struct error error;
    assert_true(oracle_exact(oracle, codes, 0, &y, &error));
    for (int i = 0; i < 4; i++) {
        uint64_t want = machine_code(machine, layout, codes, i);
        uint64_t got = format_encode(oracle->format, &y, modes[i].rounding, OVERFLOW_IEEE);
        if (got != want)
            fail_msg("%s(0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 ") in %s %s: 0x%" PRIx64
                     ", not 0x%" PRIx64,
                     machine->operation, codes[0], codes[1], codes[2], layout->name,
                     rounding_names[modes[i].rounding], got, want);
    }
}

/* Codes whose results cancel, tie, overflow or underflow now and then: exponents near each other
 * half of the time, few bits set half of the time. */
static uint64_t sample(const struct layout *layout, uint64_t *seed, uint64_t exponent) {
    uint64_t code = random_bits(seed) & UINT64_MAX >> (64 - layout_width(layout));
    uint64_t fraction = (UINT64_C(1) << layout->fraction_bits) - 1;
    uint64_t field = fraction + 1, fields = (UINT64_C(1) << layout->exponent_bits) - 1;
    if (random_bits(seed) & 1)
        code &= ~fraction | fraction << random_between(seed, 0, (int)layout->fraction_bits);
    if (random_bits(seed) & 1) {
        uint64_t near = exponent + (uint64_t)random_between(seed, 0, 6);
        code = (code & ~(fields * field)) | (near < fields ? near : fields - 1) * field;
    }
    return code;
}

static void check_samples(const struct layout *layout) {
    for (int i = 0; i < MACHINES; i++) {
        struct oracle oracle;
        struct error error;
        const struct format *format = layout_format(layout);
        uint64_t seed = 20 + (uint64_t)i, fields = (UINT64_C(1) << layout->exponent_bits) - 1;
        oracle_open(&oracle, operation_find(machines[i].operation, &error), format, NULL,
                    oracle_precision(format));
        for (int n = 0; n < SAMPLES; n++) {
            uint64_t codes[3], exponent = random_bits(&seed) % fields;
            for (int j = 0; j < 3; j++)
                codes[j] = sample(layout, &seed, exponent);
            if (n % 8 == 0)
                codes[1] = codes[0] ^ (n & 8 ? format->sign_bit : 0);
            check_codes(&oracle, &machines[i], layout, codes);
        }
        oracle_close(&oracle);
    }
    oracle_thread_end();
}

/* All triples of the numbers that matter. */
static void check_edges(const struct layout *layout) {
    const struct format *format = layout_format(layout);
    uint64_t one_field = UINT64_C(1) << layout->fraction_bits;
    const uint64_t one = one_field * (uint64_t)layout->bias,
                   infinity = layout_nan(layout) & ~(one_field - 1);
    const uint64_t edges[] = {0,   1,       one_field - 1, one_field, one - 1,
                              one, one + 1, infinity - 1,  infinity,  layout_nan(layout)};
    enum { EDGES = 2 * sizeof edges / sizeof *edges };
    for (int i = 0; i < MACHINES; i++) {
        struct oracle oracle;
        struct error error;
        oracle_open(&oracle, operation_find(machines[i].operation, &error), format, NULL,
                    oracle_precision(format));
        for (int n = 0; n < EDGES * EDGES * EDGES; n++) {
            uint64_t codes[3];
            int index[] = {n % EDGES, n / EDGES % EDGES, n / EDGES / EDGES};
            for (int j = 0; j < 3; j++)
                codes[j] = edges[index[j] / 2] | (index[j] & 1 ? format->sign_bit : 0);
            check_codes(&oracle, &machines[i], layout, codes);
        }
        oracle_close(&oracle);
    }
    oracle_thread_end();
}

static void test_fp32(void **state) {
    (void)state;
    check_samples(&layouts[LAYOUT_FP32]);
    check_edges(&layouts[LAYOUT_FP32]);
}

static void test_fp64(void **state) {
    (void)state;
    check_samples(&layouts[LAYOUT_FP64]);
    check_edges(&layouts[LAYOUT_FP64]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fp32),
        cmocka_unit_test(test_fp64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
