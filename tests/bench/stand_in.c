/* The compositions. */
#include "stand_in.h"

#include <math.h>
#include <string.h>

#define PI       0x1.921fb54442d18p+1
#define LOG_OF_2 0x1.62e42fefa39efp-1
#define LOG_TEN  0x1.26bb1bbb55516p+1

static double exp2m1_of(double x) {
    return fabs(x) < 1 ? expm1(x * LOG_OF_2) : exp2(x) - 1;
}

static double exp10m1_of(double x) {
    return fabs(x) < 1 ? expm1(x * LOG_TEN) : pow(10, x) - 1;
}

static double log2p1_of(double x) {
    return log1p(x) / LOG_OF_2;
}

static double log10p1_of(double x) {
    return log1p(x) / LOG_TEN;
}

/* x less the nearest integer n, a zero with the sign of x; the sign of (-1)^n with it. */
static double reduced(double x, double *sign) {
    double whole = rint(x), half = whole / 2;
    *sign = half < rint(half) || half > rint(half) ? -1 : 1;
    return copysign(fabs(x - whole), x < whole || (x <= whole && signbit(x)) ? -1 : 1);
}

static double sinpi_of(double x) {
    double sign, rest = reduced(x, &sign);
    return fabs(rest) > 0 ? sign * sin(PI * rest) : rest;
}

static double cospi_of(double x) {
    double sign, rest = reduced(x, &sign);
    return sign * sin(PI * (0.5 - fabs(rest)));
}

static double tanpi_of(double x) {
    double sign, rest = reduced(x, &sign);
    if (fabs(rest) > 0)
        return fabs(rest) < 0.5 ? tan(PI * rest) : copysign(INFINITY, rest);
    return sign * rest;
}

static double asinpi_of(double x) {
    return asin(x) / PI;
}

static double acospi_of(double x) {
    return acos(x) / PI;
}

static double atanpi_of(double x) {
    return atan(x) / PI;
}

static double rsqrt_of(double x) {
    return 1 / sqrt(x);
}

/* For fp64 only: in fp32 det has these. */
static double sigmoid_of(double x) {
    return 1 / (1 + exp(-x));
}

static double softplus_of(double x) {
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double logsigmoid_of(double x) {
    return -softplus_of(-x);
}

static double silu_of(double x) {
    return x / (1 + exp(-x));
}

static double mish_of(double x) {
    return x * tanh(softplus_of(x));
}

static double gelu_of(double x) {
    return x / 2 * erfc(-x * 0x1.6a09e667f3bcdp-1);
}

static double gelu_tanh_of(double x) {
    return x / 2 * (1 + tanh(0x1.9884533d43651p-1 * (x + 0.044715 * x * x * x)));
}

static double relu6_of(double x) {
    return fmin(fmax(x, 0), 6);
}

static double hardsigmoid_of(double x) {
    return relu6_of(x + 3) / 6;
}

static double hardswish_of(double x) {
    return x * hardsigmoid_of(x);
}

static double relu_of(double x) {
    return fmax(x, 0);
}

static double elu_of(double x) {
    return x > 0 ? x : expm1(x);
}

static double selu_of(double x) {
    return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * expm1(x));
}

static double softsign_of(double x) {
    return x / (1 + fabs(x));
}

static double quick_gelu_of(double x) {
    return x / (1 + exp(-1.702 * x));
}

static double erfcx_of(double x) {
    return x < 25 ? exp(x * x) * erfc(x) : 0x1.20dd750429b6dp-1 / x * (1 - 0.5 / (x * x));
}

static double ndtr_of(double x) {
    return erfc(-x * 0x1.6a09e667f3bcdp-1) / 2;
}

static double log_ndtr_of(double x) {
    if (x < -37)
        return -x * x / 2 - log(-x) - 0x1.d67f1c864beb5p-1;
    return x > 0 ? log1p(-ndtr_of(-x)) : log(ndtr_of(x));
}

static double logit_of(double x) {
    return log(x / (1 - x));
}

static const struct composition {
    const char *operation;
    double (*function)(double x);
    bool only_wide;
} compositions[] = {{"exp2m1", exp2m1_of, false},
                    {"exp10m1", exp10m1_of, false},
                    {"log2p1", log2p1_of, false},
                    {"log10p1", log10p1_of, false},
                    {"sinpi", sinpi_of, false},
                    {"cospi", cospi_of, false},
                    {"tanpi", tanpi_of, false},
                    {"asinpi", asinpi_of, false},
                    {"acospi", acospi_of, false},
                    {"atanpi", atanpi_of, false},
                    {"rsqrt", rsqrt_of, false},
                    {"sigmoid", sigmoid_of, true},
                    {"softplus", softplus_of, true},
                    {"logsigmoid", logsigmoid_of, true},
                    {"silu", silu_of, true},
                    {"mish", mish_of, true},
                    {"gelu", gelu_of, true},
                    {"gelu_tanh", gelu_tanh_of, true},
                    {"relu", relu_of, true},
                    {"relu6", relu6_of, true},
                    {"elu", elu_of, true},
                    {"selu", selu_of, true},
                    {"softsign", softsign_of, true},
                    {"quick_gelu", quick_gelu_of, true},
                    {"erfcx", erfcx_of, true},
                    {"ndtr", ndtr_of, true},
                    {"log_ndtr", log_ndtr_of, true},
                    {"logit", logit_of, true},
                    {"hardswish", hardswish_of, true},
                    {"hardsigmoid", hardsigmoid_of, true}};

static const struct composition *find(const struct binding_request *request) {
    for (size_t i = 0; i < sizeof compositions / sizeof *compositions; i++)
        if (strcmp(compositions[i].operation, request->operation->name) == 0 &&
            (!compositions[i].only_wide || request->format->width == 64))
            return &compositions[i];
    return NULL;
}

static bool stand_in_open(struct implementation *implementation, struct error *error) {
    (void)implementation;
    (void)error;
    return true;
}

static bool stand_in_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    bool known =
        strcmp(request->format->name, "fp32") == 0 || strcmp(request->format->name, "fp64") == 0;
    return (find(request) && known && request->rounding == ROUND_NEAREST_EVEN) ||
           error_set(why, "nothing stands in for %s", request->operation->name);
}

static bool stand_in_fill(struct binding *binding, const struct slice *slice, event_function *event,
                          void *context, struct error *error) {
    (void)event;
    (void)context;
    (void)error;
    double (*function)(double) = find(&binding->request)->function;
    if (binding->request.format->width == 64) {
        const double *wide = slice->operands[0];
        double *results = slice->results[0];
        for (size_t i = 0; i < slice->count; i++)
            results[i] = function(wide[i]);
        return true;
    }
    const float *x = slice->operands[0];
    float *y = slice->results[0];
    for (size_t i = 0; i < slice->count; i++)
        y[i] = (float)function((double)x[i]);
    return true;
}

const struct implementation_kind implementation_stand_in = {
    .name = "stand-in", .open = stand_in_open, .bind = stand_in_bind, .fill = stand_in_fill};
