/* A library that is off by as much as the environment says, so that promises are kept or broken on
 * purpose: OFF_ULPS + OFF_SLOPE * |x| numbers of the format away from zero, cut to a whole number, and
 * OFF_ABSOLUTE beside that. FLUSH_INPUTS and FLUSH_RESULTS make zeros of subnormal numbers: of the sign
 * that these have, or of the other one with FLUSH_TURNED. OFF_FROM is the least |x| for which anything
 * is off. OFF_SIGN turns the sign of zeros, OFF_NAN and OFF_INFINITY put 0.5 in the place of results that
 * are NaN or infinite. Of several operands |x| is the last one's. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static double ulps, slope, absolute, from;
static int flush_inputs, flush_results, flush_turned, off_sign, off_nan, off_infinity;

static double setting(const char *name) {
    const char *text = getenv(name);
    return text ? strtod(text, NULL) : 0;
}

__attribute__((constructor)) static void read_environment(void) {
    ulps = setting("OFF_ULPS");
    slope = setting("OFF_SLOPE");
    absolute = setting("OFF_ABSOLUTE");
    from = setting("OFF_FROM");
    flush_inputs = getenv("FLUSH_INPUTS") != NULL;
    flush_results = getenv("FLUSH_RESULTS") != NULL;
    flush_turned = getenv("FLUSH_TURNED") != NULL;
    off_sign = getenv("OFF_SIGN") != NULL;
    off_nan = getenv("OFF_NAN") != NULL;
    off_infinity = getenv("OFF_INFINITY") != NULL;
}

static float flushed(float x) {
    return copysignf(0, flush_turned ? -x : x);
}

static float argument_fp32(float x) {
    return flush_inputs && fabsf(x) < 0x1p-126F ? flushed(x) : x;
}

static float off_fp32(float x, double exact) {
    float result = (float)exact;
    int32_t code;
    if ((off_nan && isnan(result)) || (off_infinity && isinf(result)))
        return 0.5F;
    if (off_sign && !(result < 0 || result > 0))
        return -result;
    if (flush_results && fabsf(result) < 0x1p-126F)
        return flushed(result);
    if (!isfinite(result) || !(result < 0 || result > 0) || fabs((double)x) < from)
        return result;
    result = (float)(exact + absolute);
    memcpy(&code, &result, sizeof code);
    code += (int32_t)(ulps + slope * fabs((double)x));
    memcpy(&result, &code, sizeof result);
    return result;
}

float promised_expf(float x) {
    x = argument_fp32(x);
    return off_fp32(x, exp((double)x));
}

float promised_sinf(float x) {
    x = argument_fp32(x);
    return off_fp32(x, sin((double)x));
}

float promised_rintf(float x) {
    x = argument_fp32(x);
    return off_fp32(x, rint((double)x));
}

float promised_recipf(float x) {
    x = argument_fp32(x);
    return off_fp32(x, 1 / (double)x);
}

float promised_fmaxf(float x, float y) {
    return off_fp32(y, x > y ? x : y);
}

float promised_addf(float x, float y) {
    return off_fp32(y, (double)x + (double)y);
}

float promised_fmaf(float x, float y, float z) {
    return off_fp32(z, (double)x * (double)y + (double)z);
}

double promised_exp(double x) {
    uint64_t code;
    double result = exp(x);
    if (!isfinite(result) || !(result > 0))
        return result;
    memcpy(&code, &result, sizeof code);
    code += (uint64_t)(ulps + slope * fabs(x));
    memcpy(&result, &code, sizeof result);
    return result;
}
