/* Calls of exp, fmaf and sqrtf on inputs that tell. */
#include "platform/libm_probe.h"

#include "base/bits.h"
#include "format/format.h"
#include "platform/exact.h"

#include <dlfcn.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* fp64 inputs of exp where glibc's code (2.28 and later; musl's is the same) gives other bits when
 * it is compiled for FMA. Each column is the correctly rounded one in half of the rows, so that a
 * better exp is not taken for either. */
static const struct {
    uint64_t x, fma, no_fma;
} exp_probes[] = {
    {0xc079190000000000, 0x1bb96afb27e73445, 0x1bb96afb27e73444}, /* -401.5625 */
    {0xc068e1a800000000, 0x2dfc6c6f6b6fe245, 0x2dfc6c6f6b6fe246}, /* -199.0517578125 */
    {0xc0568b4000000000, 0x37cdefd1677d99b1, 0x37cdefd1677d99b0}, /* -90.17578125 */
    {0xc03ec10000000000, 0x3d28c96289803183, 0x3d28c96289803184}, /* -30.75390625 */
    {0xc024ec8000000000, 0x3efdfeb60dfdf393, 0x3efdfeb60dfdf394}, /* -10.4619140625 */
    {0xbff05a3000000000, 0x3fd708131c6186db, 0x3fd708131c6186da}, /* -1.0220184326171875 */
    {0xbfdfb18000000000, 0x3fe38090078b20cf, 0x3fe38090078b20ce}, /* -0.495208740234375 */
    {0x3fd3990000000000, 0x3ff5bb7b87235445, 0x3ff5bb7b87235444}, /* 0.30621337890625 */
    {0x3ff8484000000000, 0x40123eeb14941e71, 0x40123eeb14941e70}, /* 1.51763916015625 */
    {0x40082ff000000000, 0x40348fac63e7e5c9, 0x40348fac63e7e5ca}, /* 3.023406982421875 */
    {0x403c998000000000, 0x42832a9f67e96907, 0x42832a9f67e96906}, /* 28.599609375 */
    {0x4082f62000000000, 0x76a4ca05134c3255, 0x76a4ca05134c3256}, /* 606.765625 */
};

enum libm_variant libm_variant_of(exp_function *function) {
    bool fma = true, no_fma = true;
    for (size_t i = 0; i < sizeof exp_probes / sizeof *exp_probes; i++) {
        uint64_t bits = bits_of(function(from_bits(exp_probes[i].x)));
        fma = fma && bits == exp_probes[i].fma;
        no_fma = no_fma && bits == exp_probes[i].no_fma;
    }
    return fma ? LIBM_VARIANT_FMA : no_fma ? LIBM_VARIANT_NO_FMA : LIBM_VARIANT_UNKNOWN;
}

/* The same result: the same bits, or both NaN. */
static bool same(uint32_t got, uint64_t want) {
    return got == want || ((got & 0x7fffffffu) > 0x7f800000u && (want & 0x7fffffffu) > 0x7f800000u);
}

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

struct fmaf_check {
    fmaf_function *function;
    const struct format *format;
    char *failure;
    size_t room;
};

static bool fmaf_right(const struct fmaf_check *check, float x, float y, float z) {
    uint32_t got = bits_of_float(check->function(x, y, z));
    uint64_t want = exact_fma(check->format, bits_of_float(x), bits_of_float(y), bits_of_float(z));
    if (same(got, want))
        return true;
    snprintf(check->failure, check->room, "fmaf(%a, %a, %a) = %a, not %a", (double)x, (double)y,
             (double)z, (double)float_from_bits(got), (double)float_from_bits((uint32_t)want));
    return false;
}

/* x * y is an integer just beside a power of two: 2^above + sign. */
struct beside {
    float x, y;
    int above;
};
static const struct beside products[] = {
    {641, 6700417, 32},                                       /* the fifth Fermat number */
    {(1 << 17) - (1 << 9) + 1, (1 << 17) + (1 << 9) + 1, 34}, /* 4a^4 + 1 has two factors */
    {(1 << 21) - (1 << 11) + 1, (1 << 21) + (1 << 11) + 1, 42},
    {(1 << 23) - (1 << 12) + 1, (1 << 23) + (1 << 12) + 1, 46},
    {(1 << 16) - 1, (1 << 16) + 1, 32}, /* a square less 1 */
    {(1 << 18) - 1, (1 << 18) + 1, 36},
    {(1 << 23) - 1, (1 << 23) + 1, 46},
};
enum { PRODUCTS = sizeof products / sizeof *products };

/* The product is half a unit of z and a little more or less, so little that a sum in double loses
 * it: whatever adds in double and then rounds to float sees a tie and decides by evenness.
 * `exponent` is that of the unit of z. */
static bool fmaf_tie_right(const struct fmaf_check *check, const struct beside *product,
                           int exponent, float z, bool negative) {
    /* The scale is divided so that both factors stay normal. */
    int scale = exponent - 1 - product->above;
    float x = ldexpf(product->x, scale / 2), y = ldexpf(product->y, scale - scale / 2);
    return fmaf_right(check, negative ? -x : x, y, z);
}

static bool fmaf_ties_right(const struct fmaf_check *check) {
    /* Odd and even significands; powers of two, whose lower neighbours are nearer; and what lies at
     * the edges: the largest number (half a unit more is infinity), subnormals. */
    static const struct {
        float z;
        int exponent;
    } rows[] = {
        {1, -23},
        {0x1.000002p+0f, -23},
        {0x1.000004p+0f, -23},
        {0x1.fffffep+0f, -23},
        {0x1.555554p+60f, 37},
        {0x1.555556p-60f, -83},
        {FLT_MAX, 104},
        {0x1.fffffcp+127f, 104},
        {FLT_MIN, -149},
        {0x1.fffffep-126f, -149},
        {0x0.fffffep-126f, -149}, /* the largest subnormal: a carry makes it normal */
        {0x0.800002p-126f, -149},
        {0x0.800004p-126f, -149},
        {0x1p-149f, -149},
        {0, -149},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        for (size_t i = 0; i < PRODUCTS; i++)
            for (int signs = 0; signs < 4; signs++) {
                float z = signs & 1 ? -rows[row].z : rows[row].z;
                if (!fmaf_tie_right(check, &products[i], rows[row].exponent, z, signs & 2))
                    return false;
            }
    return true;
}

static bool fmaf_edges_right(const struct fmaf_check *check) {
    static const float rows[][3] = {
        {FLT_MAX, 2, -FLT_MAX}, /* a product that overflows, a sum that does not */
        {FLT_MAX, FLT_MAX, -FLT_MAX},
        {FLT_MAX, FLT_MAX, -INFINITY},
        {FLT_MIN, FLT_MIN, 1}, /* a product that vanishes */
        {FLT_MIN, FLT_MIN, 0},
        {FLT_MIN, -FLT_MIN, 0},
        {FLT_MIN, -FLT_MIN, 0x1p-149f},
        {FLT_MIN, 0.5f, 0}, /* subnormal results */
        {FLT_MIN, 0x1p-23f, 0},
        {FLT_MIN, 0x1p-24f, 0}, /* half the smallest: a tie, to 0 */
        {FLT_MIN, 0x1.000002p-24f, 0},
        {0x1.fffffep-1f, FLT_MIN, 0},
        {0x1p-149f, 0x1p-1f, 0x1p-149f},
        {0x1p-149f, 0x1p+127f, 1},
        {0x1.000002p+0f, 0x1.000002p+0f, -1}, /* cancellation leaves the exact error */
        {0x1.000002p+0f, 0x1.000002p+0f, -0x1.000004p+0f},
        {0x1.000002p+0f, 0x1.fffffcp-1f, -1},
        {0x1.8p+0f, 0x1.555556p+0f, 0x1p-100f}, /* a product at a tie, and a trace beside it */
        {0x1.8p+0f, 0x1.555556p+0f, -0x1p-100f},
        {0x1.8p+0f, 0x1.555556p+0f, 0},
        {3, 5, -15}, /* +0 */
        {-3, 5, 15},
        {0.0f, -1, 0.0f},
        {0.0f, -1, -0.0f}, /* the one zero sum that is -0 */
        {0.0f, INFINITY, 1},
        {INFINITY, 1, -INFINITY},
        {INFINITY, -1, -INFINITY},
        {1, 1, NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!fmaf_right(check, rows[i][0], rows[i][1], rows[i][2]))
            return false;
    return true;
}

/* A float with 24 random bits, or fewer: round numbers meet ties. */
static float random_float(uint64_t *state, int lowest, int highest) {
    uint64_t bits = random_bits(state);
    uint32_t significand = (uint32_t)(bits >> 40) | 0x800000u;
    if (bits & 1)
        significand &= ~UINT32_C(0) << (bits >> 1 & 15);
    int exponent = lowest + (int)((bits >> 5 & 0xffffff) % (unsigned)(highest - lowest + 1));
    float magnitude = ldexpf((float)significand, exponent - 23);
    return bits >> 39 & 1 ? -magnitude : magnitude;
}

static bool fmaf_random_right(const struct fmaf_check *check, int count) {
    uint64_t state = 1;
    for (int i = 0; i < count; i++) {
        float x, y, z;
        if (i % 4 == 0) { /* any bits at all */
            uint64_t bits = random_bits(&state);
            x = float_from_bits((uint32_t)bits);
            y = float_from_bits((uint32_t)(bits >> 32));
            z = float_from_bits((uint32_t)random_bits(&state));
        } else { /* an addend that meets the product, some near the subnormals */
            int middle = i % 4 == 1 ? -70 : 0;
            x = random_float(&state, middle - 10, middle + 10);
            y = random_float(&state, middle - 10, middle + 10);
            z = random_float(&state, 2 * middle - 30, 2 * middle + 50);
        }
        if (i % 4 == 3) /* nearly the product, to cancel */
            z = -(x * y);
        if (!fmaf_right(check, x, y, z))
            return false;
    }
    return true;
}

bool fmaf_is_exact(fmaf_function *function, char *failure, size_t room) {
    struct fmaf_check check = {function, &formats[FORMAT_FP32], failure, room};
    *failure = '\0';
    return fmaf_edges_right(&check) && fmaf_ties_right(&check) && fmaf_random_right(&check, 10000);
}

bool sqrtf_is_exact(sqrtf_function *function, char *failure, size_t room) {
    static const uint32_t edges[] = {
        0x00000000, 0x80000000, 0x00000001, 0x00000002, 0x00000003, 0x007fffff, 0x00800000,
        0x00800001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3f800002, 0x3fffffff, 0x40000000,
        0x407fffff, 0x40800001, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0xbf800000, 0x80000001,
        0xff800000, 0x4b7ffffd, 0x4b000001, 0x3f7ffffe, 0x407ffffe, 0x41100000, 0x3e800000,
    };
    const struct format *format = &formats[FORMAT_FP32];
    uint64_t state = 2;
    *failure = '\0';
    for (size_t i = 0; i < 10000; i++) {
        bool edge = i < sizeof edges / sizeof *edges;
        uint32_t x = edge ? edges[i] : (uint32_t)random_bits(&state) & 0x7fffffffu;
        uint32_t got = bits_of_float(function(float_from_bits(x)));
        uint64_t want = exact_sqrt(format, x);
        if (same(got, want))
            continue;
        snprintf(failure, room, "sqrtf(%a) = %a, not %a", (double)float_from_bits(x),
                 (double)float_from_bits(got), (double)float_from_bits((uint32_t)want));
        return false;
    }
    return true;
}

/* The function that a program calls by that name, however many libraries define it. */
static void *symbol(const char *name) {
    void *process = dlopen(NULL, RTLD_LAZY);
    if (!process)
        return NULL;
    void *address = dlsym(process, name);
    dlclose(process);
    return address;
}

void libm_probe(struct platform *platform) {
    union {
        void *address;
        exp_function *function;
    } exponential = {symbol("exp")};
    /* A static program has no table of symbols to look in. */
    if (!exponential.address)
        exponential.function = exp;
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    platform->libm_variant = libm_variant_of(exponential.function);
    fesetenv(&before);
}

void libm_check(struct platform *platform) {
    union {
        void *address;
        fmaf_function *function;
    } multiply_add = {symbol("fmaf")};
    union {
        void *address;
        sqrtf_function *function;
    } square_root = {symbol("sqrtf")};
    if (!multiply_add.address)
        multiply_add.function = fmaf;
    if (!square_root.address)
        square_root.function = sqrtf;
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    platform->fmaf_exact =
        fmaf_is_exact(multiply_add.function, platform->fmaf_failure, sizeof platform->fmaf_failure);
    platform->sqrtf_exact = sqrtf_is_exact(square_root.function, platform->sqrtf_failure,
                                           sizeof platform->sqrtf_failure);
    fesetenv(&before);
}
