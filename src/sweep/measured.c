/* Counting what is measured beside ulps. */
#include "impl/file.h"
#include "sweep/sweep.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

const char *const sweep_show_names[SHOW_COUNT] = {"percentiles", "errors", "monotony", "symmetry"};
const unsigned percentiles[PERCENTILES] = {500, 900, 990, 999};

/* A result that lies so many powers of two below an ulp is as good as any smaller one: MPFR's range may have ended. */
enum { MOST_SHIFT = 1024 };

const char *percentile_text(unsigned thousandths, char text[16]) {
    snprintf(text, 16, thousandths % 10 ? "%u.%u" : "%u", thousandths / 10, thousandths % 10);
    return text;
}

bool tally_is_larger(const void *data, const void *a, const void *b) {
    const struct witness *x = a, *y = b;
    (void)data;
    return x->error > y->error || (!(x->error < y->error) && witness_is_earlier(x, y));
}

static void add_size(struct size_tally *tally, double error, int exponent, int scale,
                     const struct witness *witness) {
    struct witness one = *witness;
    const bool infinite = isinf(ldexp(error, exponent));
    one.error = infinite ? DBL_MAX : ldexp(error, exponent);
    tally->outputs++;
    tally->infinite += infinite;
    if (!infinite)
        error_sum_add_scaled(&tally->sum, error, exponent + scale);
    if (tally->has_max && !tally_is_larger(NULL, &one, &tally->max))
        return;
    tally->max = one;
    tally->has_max = true;
}

/* A size as `fraction` * 2^`exponent`. What is beyond the format counts as the power of two that infinity stands for. */
static double split_size(const struct format *format, const struct real *value, int *exponent) {
    bool beyond = value->kind == REAL_INFINITE || value->exponent > format->emax;
    *exponent = beyond ? format->emax + 1 : value->exponent;
    return beyond ? 1 : ldexp((double)value->significand.high, -63);
}

void tally_add_sizes(struct tally *tally, const struct format *format, const struct real *y,
                     const struct witness *witness) {
    int ulp = format_ulp_exponent(format, y), unit = ulp, exponent;
    double error = witness->error;
    if (error >= DBL_MAX) { /* cut: y is nothing beside what was got, which is the error */
        const struct real got = format_decode(format, witness->got);
        error = split_size(format, &got, &unit);
    }
    add_size(&tally->absolute, error, unit, ABSOLUTE_SCALE, witness);
    if (y->kind == REAL_ZERO)
        return;
    double fraction = split_size(format, y, &exponent);
    if (exponent < ulp - MOST_SHIFT)
        exponent = ulp - MOST_SHIFT;
    if (format_is_zero(format, witness->got)) /* however small y is */
        add_size(&tally->relative, 1, 0, RELATIVE_SCALE, witness);
    else
        add_size(&tally->relative, error / fraction, unit - exponent, RELATIVE_SCALE, witness);
}

static double mean_of(const struct size_tally *tally, int scale) {
    return error_sum_mean_scaled(&tally->sum, tally->outputs - tally->infinite, scale);
}

double tally_mean_absolute(const struct tally *tally) {
    return mean_of(&tally->absolute, ABSOLUTE_SCALE);
}

double tally_mean_relative(const struct tally *tally) {
    return mean_of(&tally->relative, RELATIVE_SCALE);
}

void pair_tally_add_wrong(struct pair_tally *tally, const struct pair_witness *witness) {
    tally->wrong++;
    if (tally->has_first &&
        !place_is_earlier(witness->index, witness->input, tally->first.index, tally->first.input))
        return;
    tally->first = *witness;
    tally->has_first = true;
}

struct percentile tally_percentile(const struct tally *tally, unsigned thousandths) {
    uint64_t all = tally->in_ulps, above = 1000 - thousandths, below = 0;
    uint64_t rank = all - (all / 1000 * above + all % 1000 * above / 1000);
    unsigned bucket = 0;
    if (!all)
        return (struct percentile){0, 0};
    while (bucket < HISTOGRAM_EDGES && below + tally->histogram[bucket] < rank)
        below += tally->histogram[bucket++];
    double edge = bucket < HISTOGRAM_EDGES ? histogram_edges[bucket] : DBL_MAX;
    return (struct percentile){bucket ? histogram_edges[bucket - 1] : 0,
                               fmin(edge, tally->max.error)};
}

/* Outputs that are rounded in one direction are not odd. What a file has is of the run's inputs alone. */
enum parity request_symmetry(const struct sweep_request *request, size_t output) {
    const struct operation *operation = request->computed.operation;
    enum parity parity = operation->result[output % MAX_RESULTS].parity;
    enum rounding rounding = request->computed.rounding;
    bool directed = rounding == ROUND_UP || rounding == ROUND_DOWN;
    if (!(request->shows & SHOW_SYMMETRY) || operation->operands != 1 || operation->array ||
        request->implementations[output / MAX_RESULTS].kind == &implementation_file ||
        (parity == PARITY_ODD && directed))
        return PARITY_NONE;
    return parity;
}

bool sweep_has_envelope(const struct sweep_request *request) {
    const struct operation *operation = request->computed.operation;
    return !operation->array && !operation->converts && operation->operands == 1 &&
           format_is_plain(request->computed.format) && !request->domain->search &&
           request->domain->count;
}
