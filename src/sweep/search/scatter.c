/* Inputs from everywhere, from a list, or built, each by itself.
 *
 * A window sees its surroundings alone, and a search has far fewer windows than there are places: a
 * table's wrong entry in one interval, many ulps off, would be found by luck. So a share of the
 * inputs goes everywhere, evenly: input n of operand i is that share of the codes which is the
 * fraction of n / g^(i+1), g being the root above 1 of g^(d+1) = g + 1 for d operands (M. Roberts,
 * "The unreasonable effectiveness of quasirandom sequences", 2018). With one operand, g is the golden
 * ratio, and the largest gap that the first n inputs leave is less than 2 in n of all codes (V. T.
 * Sos, on the distribution mod 1 of the sequence n alpha, 1958).
 *
 * Ranked are the outputs by the platform's function in a wider format, where it has one: that takes as
 * long as a call. Nothing depends on its being right, since the exact oracle judges what ranks first;
 * but what it has wrong in the same way is missed. Else the exact oracle judges each input. */
#include "sweep/search/look.h"

#include "base/wide.h"
#include "sweep/generator.h"

#include <float.h>
#include <math.h>

/* 2^64 / g^(i+1), by the number of operands. */
static const uint64_t steps[MAX_OPERANDS][MAX_OPERANDS] = {
    {0x9e3779b97f4a7c15},
    {0xc13fa9a902a6328f, 0x91e10da5c79e7b1d},
    {0xd1b54a32d192ed03, 0xabc98388fb8fac03, 0x8cb92ba72f3d8dd7},
};

enum { DRAW_SHIFT = 64, DRAW_BUILT = 80 };

static void load_scattered(struct look *look) {
    struct prober *prober = look->prober;
    const struct probe *probe = look->probe;
    const struct binding_request *computed = look->computed;
    int operands = computed->operation->operands;
    size_t bytes = format_bytes(computed->format);
    for (int i = 0; i < operands; i++) {
        const struct code_set *set = &probe->scattered[i];
        uint64_t shift = generator_bits(prober->request->seed, 0, DRAW_SHIFT + (unsigned)i);
        for (size_t at = 0; at < look->count; at++) {
            uint64_t share = shift + (probe->first + at) * steps[operands - 1][i];
            uint64_t index = set->count ? multiply_high(share, set->count) : share;
            code_store(prober->worker.inputs[i], bytes, at,
                       look_call(look, i, code_set_at(set, index)));
        }
    }
    for (size_t at = 0; at < look->count; at++)
        prober->offsets[at] = (double)at;
}

static double number_at(const void *numbers, const struct format *format, size_t at) {
    return format->width == 64 ? ((const double *)numbers)[at] : ((const float *)numbers)[at];
}

/* In ulps; below 0 where neither is a number of the format, and NaN where only the oracle can tell. */
static double error_by(const struct format *format, double output, long double near) {
    long double beyond = ldexpl(1, format->emax + 1);
    int exponent;
    if (output != output || near != near)
        return output != output && near != near ? -1 : (double)NAN;
    if (fabs(output) > DBL_MAX || fabsl(near) >= beyond)
        return fabs(output) > DBL_MAX && fabsl(near) >= beyond && (output > 0) == (near > 0)
                   ? -1
                   : (double)NAN;
    (void)frexpl(near, &exponent);
    exponent = exponent - 1 < format->emin || near == 0 ? format->emin : exponent - 1;
    return (double)ldexpl(fabsl(output - near), format->precision - 1 - exponent);
}

static void rank_by_wider(struct look *look) {
    struct prober *prober = look->prober;
    const struct format *format = prober->worker.judge.format;
    for (size_t at = 0; at < look->count; at++) {
        double x[MAX_OPERANDS] = {0};
        for (int i = 0; i < look->computed->operation->operands; i++)
            x[i] = number_at(prober->worker.inputs[i], format, at);
        double output = number_at(prober->outputs[0][0], format, at);
        long double near = libm_wider_call(&prober->wider, x);
        double error = error_by(format, output, near);
        if (output == 0 && near != 0 && fabsl(near) < ldexpl(1, format->emin)) {
            look_note_flushed(look, at);
            error = -1;
        }
        prober->ranks[at] = look_is_answered(look, at) ? error : -1;
    }
}

static bool take_odd(struct look *look, struct error *error) {
    size_t odd = 0;
    for (size_t at = 0; at < look->count && odd < PROBE_STRANGE; at++) {
        double rank;
        if (look->prober->ranks[at] == look->prober->ranks[at])
            continue;
        odd++;
        if (!look_take(look, at, &rank, error))
            return false;
    }
    return true;
}

static bool take_each(struct look *look, struct error *error) {
    for (size_t at = 0; at < look->count; at++) {
        look->prober->ranks[at] = -1;
        if (look_is_answered(look, at) && !look_take(look, at, &look->prober->ranks[at], error))
            return false;
    }
    return !look_wants_flags(look) || look_take_flags(look, error);
}

bool look_scattered(struct look *look, struct error *error) {
    struct prober *prober = look->prober;
    double largest = -1;
    size_t worst = 0;
    look->count = look_allowed(look, look->probe->inputs);
    load_scattered(look);
    if (!look_fill(look, error))
        return false;
    look->result->evaluations += look->count;
    if (prober->request->purpose == SEARCH_DIFFERENCE || !prober->wider.address)
        return take_each(look, error);
    rank_by_wider(look);
    for (size_t at = 0; at < look->count; at++)
        if (prober->ranks[at] > largest) {
            largest = prober->ranks[at];
            worst = at;
        }
    return look_take_flushed(look, error) && take_odd(look, error) &&
           (largest < 0 || look_take(look, worst, &largest, error));
}

/* One that is built; where it is not among what is searched, one that is drawn from that. */
static void make_built(const struct look *look, uint64_t number, uint64_t *codes) {
    const struct search_request *request = look->prober->request;
    const int operands = look->computed->operation->operands;
    builder_make(look->prober->builder, number, codes, NULL);
    if (sets_have(request->sets, operands, codes))
        return;
    for (int i = 0; i < operands; i++) {
        const struct code_set *set = &request->sets[i];
        uint64_t index =
            generator_below(request->seed, number, DRAW_BUILT + (unsigned)i, set->count);
        codes[i] = look_call(look, i, code_set_at(set, index));
    }
}

bool look_built(struct look *look, struct error *error) {
    const int operands = look->computed->operation->operands;
    const size_t bytes = format_bytes(look->computed->format);
    look->count = look_allowed(look, look->probe->inputs);
    for (size_t at = 0; at < look->count; at++) {
        uint64_t codes[MAX_OPERANDS];
        make_built(look, look->probe->first + at, codes);
        for (int i = 0; i < operands; i++)
            code_store(look->prober->worker.inputs[i], bytes, at, codes[i]);
    }
    if (!look_fill(look, error))
        return false;
    look->result->evaluations += look->count;
    return take_each(look, error);
}

bool look_listed(struct look *look, struct error *error) {
    look->count = look_allowed(look, look->probe->inputs);
    domain_fill(look->probe->listed, look->probe->first, look->count, look->prober->worker.inputs);
    if (!look_fill(look, error))
        return false;
    look->result->evaluations += look->count;
    return take_each(look, error);
}
