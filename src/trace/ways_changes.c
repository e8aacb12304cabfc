/* Changes on top of a way: of inputs and results as explain knows them, and of parameters. */
#include "trace/ways.h"

#include "explain/hypothesis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Changes of parameters and of one operand; explain's hypotheses change inputs and results. */
static const struct own_change {
    const char *says;
    const char *epsilon; /* of norms; or NULL */
    const char *masked;  /* of attention: what stands in the mask for -inf; or NULL */
    bool keyless;        /* of attention: NaN of a query that has no key is +0 */
    double width_power;  /* of attention: scores times a power of the width more */
} own[] = {
    {.says = "epsilon being 1e-5", .epsilon = "1e-5"},
    {.says = "epsilon being 1e-6", .epsilon = "1e-6"},
    {.says = "epsilon being 1e-3", .epsilon = "1e-3"},
    {.says = "epsilon being 1e-8", .epsilon = "1e-8"},
    {.says = "epsilon being 1e-12", .epsilon = "1e-12"},
    {.says = "epsilon being 2^-23", .epsilon = "1.1920928955078125e-07"},
    {.says = "without an epsilon", .epsilon = "none"},
    {.says = "with -10000 for -inf in the mask", .masked = "-10000"},
    {.says = "with -1e9 for -inf in the mask", .masked = "-1e9"},
    {.says = "with the least number of fp32 for -inf in the mask",
     .masked = "-3.4028234663852886e+38"},
    {.says = "with +0 for queries that have no key", .keyless = true},
    {.says = "with scores that are not scaled", .width_power = 0.5},
    {.says = "with scores scaled by 1/width", .width_power = -0.5},
};
enum { OWN = sizeof own / sizeof *own };

static bool is_change(const struct hypothesis *row) {
    return row->source == FROM_RESULT || row->source == FROM_MOVED;
}

static bool takes(const struct trace_call *call, const struct own_change *change) {
    const bool is_attention = call->row->how == TRACE_ATTENTION;
    if (change->epsilon)
        return call->row->how == TRACE_NORM || call->row->how == TRACE_CHANNELS;
    if (change->masked)
        return is_attention && call->operands > 3;
    const double factor =
        is_attention ? log2(pow((double)call->shape.extents[4], change->width_power)) : 0.5;
    return factor == floor(factor);
}

int trace_change_at(const struct trace_call *call, size_t index) {
    const struct binding_request request = trace_call_request(call);
    for (int i = 0; i < OWN; i++)
        if (takes(call, &own[i]) && index-- == 0)
            return i + 1;
    for (size_t i = 0; i < hypothesis_count; i++)
        if (is_change(&hypotheses[i]) && hypothesis_applies(&hypotheses[i], &request) &&
            index-- == 0)
            return (int)(OWN + i + 1);
    return 0;
}

static const struct hypothesis *hypothesis_of_change(int change) {
    return change > OWN ? &hypotheses[change - OWN - 1] : NULL;
}

const char *trace_change_says(int change) {
    const struct hypothesis *row = hypothesis_of_change(change);
    return row ? row->says : own[change - 1].says;
}

/* Each code of an operand, changed. */
static void change_codes(struct trace_codes *codes, const struct hypothesis *row) {
    const size_t bytes = format_bytes(codes->format);
    for (size_t i = 0; i < codes->count; i++)
        code_store(codes->codes, bytes, i,
                   hypothesis_change(codes->format, row->input, row->narrow,
                                     code_load(codes->codes, bytes, i)));
}

static void scale(struct trace_codes *codes, double factor) {
    const size_t bytes = format_bytes(codes->format);
    for (size_t i = 0; i < codes->count; i++) {
        const struct real was = format_decode(codes->format, code_load(codes->codes, bytes, i)),
                          is = real_from_double(real_to_double(&was) * factor);
        if (was.kind == REAL_FINITE)
            code_store(codes->codes, bytes, i,
                       format_encode(codes->format, &is, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    }
}

static void fill_mask(struct trace_codes *codes, double number) {
    const size_t bytes = format_bytes(codes->format);
    const struct real real = real_from_double(number);
    const uint64_t code = format_encode(codes->format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    for (size_t i = 0; i < codes->count; i++) {
        const uint64_t was = code_load(codes->codes, bytes, i);
        if (format_is_infinite(codes->format, was) && format_is_negative(codes->format, was))
            code_store(codes->codes, bytes, i, code);
    }
}

bool trace_change_before(int change, struct trace_call *part, struct error *why) {
    const struct hypothesis *row = hypothesis_of_change(change);
    if (row && row->source == FROM_MOVED)
        for (int i = 0; i < part->operands; i++)
            change_codes(&part->operand[i], row);
    if (row)
        return true;
    const struct own_change *one = &own[change - 1];
    if (one->masked)
        fill_mask(&part->operand[3], strtod(one->masked, NULL));
    if (one->width_power != 0)
        scale(&part->operand[0], pow((double)part->shape.extents[4], one->width_power));
    return !one->epsilon || parameter_parse(&parameter_rows[PARAMETER_EPSILON], one->epsilon,
                                            &part->parameters.values[PARAMETER_EPSILON], why);
}

void trace_change_results(int change, const struct trace_call *part, void *results) {
    const struct hypothesis *row = hypothesis_of_change(change);
    const size_t bytes = format_bytes(part->result);
    for (size_t i = 0; !row && own[change - 1].keyless && i < part->calls * part->results; i++)
        if (format_is_nan(part->result, code_load(results, bytes, i)))
            code_store(results, bytes, i, 0);
    for (size_t i = 0; row && row->result != CHANGE_NONE && i < part->calls * part->results; i++)
        code_store(results, bytes, i,
                   hypothesis_change(part->result, row->result, row->narrow,
                                     code_load(results, bytes, i)));
}
