/* The article's snippets of Python in C, one float operation for each of theirs: coefficients and
 * constants are the article's own, rounded to fp32. Where a snippet ends without a result, the result
 * is NaN. The checks of zeros, infinities and NaN that the article asks for in words are there. */
#include "impl/hellas.h"

#include "detmath/core.h"
#include "impl/widened.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* To an integer, ties to even; without rint, which is libm's. From 2^22 on the steps are exact only for
 * integers, which numbers from 2^23 on are. */
static float nearest_integer(float x) {
    float shifted = x < 0 ? x - 0x1p23f : x + 0x1p23f;
    float rounded = x < 0 ? shifted + 0x1p23f : shifted - 0x1p23f;
    return fabsf(x) < 0x1p23f ? rounded : x;
}

/* sin_approx and cos_approx: the first without fma, the second with it, as they are written. */
static float sin_approx(float x) {
    const float c3 = -0.166666507720947265625f, c5 = 8.331983350217342376708984375e-3f,
                c7 = -1.94961365195922553539276123046875e-4f;
    return x * (1 + x * x * (c3 + x * x * (c5 + x * x * c7)));
}

static float cos_approx(float x) {
    const float c2 = -0.49999892711639404296875f, c4 = 4.16561998426914215087890625e-2f,
                c6 = -1.35968066751956939697265625e-3f;
    float x2 = x * x;
    return detmath_fmaf(x2, detmath_fmaf(x2, detmath_fmaf(x2, c6, c4), c2), 1);
}

/* Cases 0 to 3 of reduced_sincos. */
static void by_quadrant(int quadrant, float r, float *sine, float *cosine) {
    float s = sin_approx(r), c = cos_approx(r);
    *sine = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
    *cosine = quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
}

/* `match q` knows no q but 0 to 3. */
static void written_sincos(float x, float *sine, float *cosine) {
    float q = nearest_integer(x / 0x1.921fb6p+0f);
    float r = (x - q * 0x1.92p+0f) - q * 0x1.fb5444p-12f; /* P1 as fp32 holds it */
    *sine = *cosine = NAN;
    if (q >= 0 && q <= 3)
        by_quadrant((int)q, r, sine, cosine);
}

/* Three constants, all in fp32, and q mod 4. */
static void mended_sincos(float x, float *sine, float *cosine) {
    float q = nearest_integer(x * 0x1.45f306p-1f);
    float r = detmath_fmaf(-q, 0x1.92p+0f, x);
    r = detmath_fmaf(-q, 0x1.fb5444p-12f, r);
    r = detmath_fmaf(-q, 0x1.68c234p-39f, r);
    by_quadrant(fabsf(q) < 0x1p31f ? (int)q & 3 : 0, r, sine, cosine);
}

static float exp_approx(float r) {
    const float c0 = 0.9998929500579833984375f, c1 = 1.0047757625579833984375f,
                c2 = 0.4669305980205535888671875f, c3 = 0.23783318698406219482421875f;
    return c0 + r * (c1 + r * (c2 + r * c3));
}

/* 2^k as fp32 holds it. */
static float two_to_the(float k) {
    return k > 127 ? INFINITY : k < -150 ? 0 : detmath_scale_f32(1, (detmath_i32)k);
}

/* round() takes r to [-log(2)/2, log(2)/2], where the coefficients for [0, log(2)] are used. */
static float written_exp(float x) {
    float k = nearest_integer(x / 0x1.62e43p-1f);
    return exp_approx(x - k * 0x1.62e43p-1f) * two_to_the(k);
}

static float mended_exp(float x) {
    float bounded = x > 89 ? 89 : x < -105 ? -105 : x, scaled = bounded * 0x1.715476p+0f;
    float k = nearest_integer(scaled);
    k = k > scaled ? k - 1 : k; /* the integer below: r is in [0, log(2)] */
    float r = detmath_fmaf(-k, 0x1.7f7d1cp-20f, detmath_fmaf(-k, 0x1.62e4p-1f, bounded));
    return detmath_scale_f32(exp_approx(r), (detmath_i32)k);
}

/* frexp for a positive finite number. */
static float fraction(float x, int *exponent) {
    bool subnormal = x < 0x1p-126f;
    detmath_u32 bits = detmath_bits_f32(subnormal ? x * 0x1p24f : x);
    *exponent = (int)(bits >> 23) - 126 - (subnormal ? 24 : 0);
    return detmath_from_bits_f32((bits & 0x007fffffu) | 0x3f000000u);
}

/* Absolute coefficients: log(1) is about 4e-4. */
static float written_log(float x) {
    const float c0 = -2.1859228610992431640625f, c1 = 4.22526264190673828125f,
                c2 = -2.9164140224456787109375f, c3 = 0.877515852451324462890625f;
    int e = 0;
    if (!(x > 0))
        return NAN; /* `assert x > 0` */
    float m = x < INFINITY ? fraction(x, &e) : x;
    return c0 + m * (c1 + m * (c2 + m * c3)) + (float)e * 0x1.62e43p-1f;
}

/* m in [sqrt(1/2), sqrt(2)], and a polynomial of the same degree in m - 1 that is 0 where log is:
 * Sollya's for log(1+x)/x, relative. */
static float mended_log(float x) {
    const float c1 = 0x1.004352p+0f, c2 = -0x1.0a923cp-1f, c3 = 0x1.3f201ap-2f;
    int e;
    if (!(x > 0 && x < INFINITY))
        return x == 0 ? -INFINITY : x > 0 ? INFINITY : NAN;
    float m = fraction(x, &e);
    e -= m < 0x1.6a09e6p-1f;
    float f = (m < 0x1.6a09e6p-1f ? 2 * m : m) - 1;
    float polynomial = detmath_fmaf(f, detmath_fmaf(f, c3, c2), c1);
    return detmath_fmaf((float)e, 0x1.62e4p-1f,
                        detmath_fmaf((float)e, 0x1.7f7d1cp-20f, f * polynomial));
}

/* The article: these come "first, before any other computation", and there is one NaN. */
static void sincos_of(bool mended, float x, float *y) {
    y[0] = x;
    y[1] = 1;
    if (!isfinite(x))
        y[0] = y[1] = NAN;
    else if (x != 0 && mended)
        mended_sincos(x, &y[0], &y[1]);
    else if (x != 0)
        written_sincos(x, &y[0], &y[1]);
}

static void exp_of(bool mended, float x, float *y) {
    if (x == 0)
        *y = 1;
    else if (!isfinite(x))
        *y = x < 0 ? 0 : x;
    else
        *y = mended ? mended_exp(x) : written_exp(x);
}

static void log_of(bool mended, float x, float *y) {
    *y = mended ? mended_log(x) : written_log(x);
}

static const struct row {
    const char *operation;
    void (*function)(bool mended, float x, float *y);
    int first; /* of what the function stores, the operation's first result */
} rows[] = {{"sin", sincos_of, 0},
            {"cos", sincos_of, 1},
            {"sincos", sincos_of, 0},
            {"exp", exp_of, 0},
            {"log", log_of, 0}};

static bool is_mended(const struct binding *binding) {
    return binding->implementation->kind == &implementation_hellas_mended;
}

static void compute(void *context, void *const *results, const void *const *operands,
                    size_t count) {
    const struct binding *binding = context;
    const struct row *row = binding->state;
    const float *x = operands[0];
    bool mended = is_mended(binding);
    for (size_t i = 0; i < count; i++) {
        float y[MAX_RESULTS];
        row->function(mended, x[i], y);
        for (int k = 0; k < binding->request.operation->results; k++) {
            float result = y[row->first + k];
            ((float *)results[k])[i] = detmath_unless_nan(result, result);
        }
    }
}

static struct arranged arranged_of(struct binding *binding) {
    const struct format *fp32 = &formats[FORMAT_FP32];
    return (struct arranged){&binding->request, fp32, fp32, compute, binding};
}

static bool hellas_open(struct implementation *implementation, struct error *error) {
    (void)error;
    snprintf(implementation->detail, sizeof implementation->detail, "detcheck %s, %s",
             DETCHECK_VERSION,
             implementation->kind == &implementation_hellas ? "as the article is written"
                                                            : "the article's mistakes mended");
    return true;
}

static bool hellas_bind(struct binding *binding, struct error *why) {
    const char *name = binding->implementation->kind->name;
    binding->state = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].operation, binding->request.operation->name) == 0)
            binding->state = (void *)(uintptr_t)&rows[i];
    if (!binding->state)
        return error_set(why, "the article has sin, cos, sincos, exp and log, not %s",
                         binding->request.operation->name);
    const struct arranged arranged = arranged_of(binding);
    binding->conditions = widened_conditions(&arranged);
    return widened_provides(&binding->request, name, why);
}

static bool hellas_fill(struct binding *binding, const struct slice *slice, event_function *event,
                        void *context, struct error *error) {
    (void)event;
    (void)context;
    const struct arranged arranged = arranged_of(binding);
    return widened_compute(&arranged, slice, error);
}

const struct implementation_kind implementation_hellas = {
    .name = "hellas",
    .summary = "the article on deterministic functions at its word, mistakes included",
    .open = hellas_open,
    .bind = hellas_bind,
    .fill = hellas_fill,
};

const struct implementation_kind implementation_hellas_mended = {
    .name = "hellas-mended",
    .summary = "the same algorithm without the mistakes",
    .open = hellas_open,
    .bind = hellas_bind,
    .fill = hellas_fill,
};
