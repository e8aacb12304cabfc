/* Outputs of a FIT block that are farther off than decide.h counts, or of an ASYMPTOTE block: those of a coarse
 * approximation, or of another function than the one on trial. What they add to a tally follows from the cheap
 * value alone, which is that of the line in an ASYMPTOTE block; only those that could become a maximum, or join
 * the list of the worst, are looked at by themselves. */
#include "sweep/judge/far.h"
#include "base/vector.h"
#include "oracle/fast/evaluate_arithmetic.h"
#include "oracle/fast/measure.h"
#include "sweep/judge/asymptote.h"

#include <math.h>

/* So many outputs of a strip are evaluated together, fewer one by one. */
enum { FEW = 16 };

/* The first bucket of the histogram that can hold far errors. */
static unsigned bucket_of(double error) {
    unsigned bucket = HISTOGRAM_EDGES;
    while (bucket > 0 && error <= histogram_edges[bucket - 1])
        bucket--;
    return bucket;
}

/* Whether results lie next to a line, on one side of it. */
static bool has_line(const struct span *span) {
    const struct asymptote *line = span->block->asymptote;
    return span->block->kind == BLOCK_ASYMPTOTE && !span->block->at_integers &&
           line->constant - line->constant == 0 &&
           (line->side == ASYMPTOTE_ABOVE || line->side == ASYMPTOTE_BELOW ||
            line->side == ASYMPTOTE_OUTWARD || line->side == ASYMPTOTE_INWARD);
}

/* Whether the span's outputs can be far: results of arithmetic are exact, poles have no cheap value; in fp64 the
 * values have to be the function's, not multiples of them, and a line's results have too few digits in double. */
static bool can_be_far(const struct span *span) {
    const struct fit *fit = &span->block->fit;
    bool wide = span->worker->rules.bytes == 8;
    bool fits = fit->form == FIT_POLYNOMIAL || fit->form == FIT_REDUCTION ||
                fit->form == FIT_COTANGENT || (wide && fit->form == FIT_ROTATION);
    return span->block->kind == BLOCK_FIT ? fits && fit->shift == 0 : !wide && has_line(span);
}

/* A code as a number; infinity as the errors in ulps take it, the first power of two beyond all numbers. */
static double number_of(const struct format *format, uint64_t code) {
    double value = fit_input(format, code);
    double beyond = power_of_two(format->emax + 1);
    return value > beyond ? beyond : value < -beyond ? -beyond : value;
}

/* The error of an output whose cheap value is p + tail; -1 where it is not far for certain, or no number. It is
 * far where every y within reach of p is a normal number of one binade below the top one, and the error in
 * ulps of that binade is too large for a right or faithful result and lies in one bucket. The difference is
 * rounded to odd, as ulp_error is: for outputs that enclosures judge to have one error, this is it where there is
 * no tail. */
static double far_error(const struct span *span, double p, double tail, double got) {
    const struct format *format = span->worker->judge.format;
    bool wide = format->width == 64;
    double bound = wide ? block_bound(span->block, p) : block_reach(span->block, p);
    double size = size_of_double(p);
    double least = wide ? size_within(p, tail, bound) : size - bound;
    double most = wide ? size_within(p, tail, -bound) : size + bound;
    uint64_t binade = bits_of(least) >> 52;
    int exponent = (int)binade - 1023;
    if (!(most < span->worker->rules.surely_finite) || !(size > 2 * bound) ||
        exponent < format->emin || bits_of(most) >> 52 != binade || !(got - got == 0))
        return -1;
    double scale = power_of_two(format->precision - 1 - exponent);
    double error = size_of_double(add_to_odd(got, -p) - tail) * scale;
    double slack = far_slack(error);
    bool sure = bound * scale <= DECISION_MOST_MARGIN - 0x1p-30 && error - slack >= LARGE_ERROR &&
                bucket_of(error - slack) == bucket_of(error + slack);
    return sure ? error : -1;
}

/* The edges of the histogram that far errors can lie beside. */
struct far_edges {
    size_t count;
    double edges[HISTOGRAM_EDGES];
};

static struct far_edges find_far_edges(void) {
    struct far_edges found = {0};
    for (int i = 0; i < HISTOGRAM_EDGES; i++)
        if (histogram_edges[i] >= LARGE_ERROR)
            found.edges[found.count++] = histogram_edges[i];
    return found;
}

/* far_error of many outputs of a narrow format, without a branch. NaNs are none. */
FOR_EACH_CPU static void find_narrow_far(const struct span *span, const double *p,
                                         const double *got, size_t count, double *errors) {
    const struct format *format = span->worker->judge.format;
    const struct far_edges edges = find_far_edges();
    const double fixed = span->block->fit.bound, relative = span->block->fit.relative;
    const double finite = span->worker->rules.surely_finite;
    const double most_doubt = DECISION_MOST_MARGIN - 0x1p-30;
    const uint64_t least_binade = (uint64_t)(format->emin + 1023);
    const uint64_t ulp_scale = 2 * 1023 + (uint64_t)format->precision - 1;
    for (size_t i = 0; i < count; i++) {
        double size = size_of_double(p[i]);
        double bound = fixed + relative * size + size * 0x1p-50; /* block_reach */
        double least = size - bound, most = size + bound;
        uint64_t binade = bits_of(least) >> 52;
        double scale = from_bits((ulp_scale - binade) << 52);
        double error = size_of_double(add_to_odd(got[i], -p[i])) * scale;
        double slack = far_slack(error);
        bool sure = (most < finite) & (size > 2 * bound) & (binade >= least_binade) &
                    (bits_of(most) >> 52 == binade) & (got[i] - got[i] == 0) &
                    (bound * scale <= most_doubt) & (error - slack >= LARGE_ERROR);
        errors[i] = sure ? error : -1;
    }
    for (size_t k = 0; k < edges.count; k++)
        for (size_t i = 0; i < count; i++) {
            double slack = far_slack(errors[i]);
            bool apart =
                (errors[i] - slack > edges.edges[k]) == (errors[i] + slack > edges.edges[k]);
            errors[i] = apart ? errors[i] : -1;
        }
}

/* The same of an output beside a line, from which the result is off by less than any rounding shows. A
 * difference that is exact moves to the odd number next to it on the side on which the true one lies. A power of
 * two and the results beside it may be of two binades. */
static double far_from_line(const struct span *span, double line, double got) {
    const struct format *format = span->worker->judge.format;
    enum asymptote_side side = span->block->asymptote->side;
    double size = size_of_double(line);
    int exponent = (int)(bits_of(size) >> 52) - 1023;
    uint64_t fraction = bits_of(size) & (((uint64_t)1 << 52) - 1);
    if (!(size < span->worker->rules.surely_finite) || exponent < format->emin || !fraction ||
        !(got - got == 0))
        return -1;
    bool outward =
        side == ASYMPTOTE_OUTWARD || side == (line < 0 ? ASYMPTOTE_BELOW : ASYMPTOTE_ABOVE);
    bool is_above = outward == (line > 0), got_is_above = got > line;
    uint64_t bits = bits_of(size_of_double(add_to_odd(got, -line)));
    if (!(bits & 1))
        bits += is_above == got_is_above ? UINT64_MAX : 1;
    double error = from_bits(bits) * power_of_two(format->precision - 1 - exponent);
    double slack = far_slack(error);
    bool sure =
        error - slack >= LARGE_ERROR && bucket_of(error - slack) == bucket_of(error + slack);
    return sure ? error : -1;
}

/* What is known of exact results that the cheap values between two stand for: these are less than an ulp off. */
static struct ulp_exponents ulp_between(const struct format *format, double least, double most) {
    int low = (int)(bits_of(least) >> 52) - 1023 - format->precision + 1;
    int high = (int)(bits_of(most) >> 52) - 1023 - format->precision + 1;
    double ulps =
        ldexp(1, format->precision); /* of a normal number at most, and half of that at least */
    struct span_of_values size = {fmax(ldexp(least, -high) - 1, ulps / 2),
                                  fmin(ldexp(most, -low) + 1, ulps)};
    return (struct ulp_exponents){low, high, size};
}

/* The outputs as numbers; NaNs stay such. */
static void load_numbers(const struct span *span, const struct strip *strip, double *numbers) {
    const struct format *format = span->worker->judge.format;
    double beyond = power_of_two(format->emax + 1);
    if (format->width != 32 || format->precision != 24) {
        for (size_t i = 0; i < strip->count; i++) {
            uint64_t got = span_output(span, strip->offset + i);
            numbers[i] = format_is_nan(format, got) ? (double)NAN : number_of(format, got);
        }
        return;
    }
    const float *outputs = (const float *)span->got + strip->offset;
    for (size_t i = 0; i < strip->count; i++) {
        double number = outputs[i];
        number = number > beyond ? beyond : number;
        numbers[i] = number < -beyond ? -beyond : number;
    }
}

void strip_find_far(const struct span *span, const struct strip *strip, struct far_outputs *far) {
    far->count = 0;
    if (!can_be_far(span))
        return;
    double *errors = far->errors, least = INFINITY, most = 0;
    const struct format *format = span->worker->judge.format;
    const struct block *block = span->block;
    uint64_t first = span->code + strip->offset;
    double p[DECISION_STRIP], tail[DECISION_STRIP], numbers[DECISION_STRIP];
    bool is_line = block->kind == BLOCK_ASYMPTOTE, wide = format->width == 64;
    bool few = is_line || strip->count - strip->sums.sure < FEW;
    if (!few)
        fit_values(&block->fit, block->log2_count, (size_t)(first - block->first), strip->count, p,
                   wide ? tail : NULL);
    load_numbers(span, strip, numbers);
    if (!few && !wide)
        find_narrow_far(span, p, numbers, strip->count, errors);
    for (size_t i = 0; i < strip->count; i++) {
        double rest = wide && !few ? tail[i] : 0, number = numbers[i];
        if (strip->errors[i] != DECISION_UNSURE || !(number - number == 0)) {
            errors[i] = -1;
            continue;
        }
        double value = few ? span_cheap_value(span, first + i, &rest) : p[i];
        if (few || wide)
            errors[i] =
                is_line ? far_from_line(span, value, number) : far_error(span, value, rest, number);
        if (errors[i] < 0)
            continue;
        far->below[i] = number < value;
        far->count++;
        double size = size_of_double(value);
        least = size < least ? size : least;
        most = size > most ? size : most;
    }
    if (far->count) /* far_error sees that each result has the binade of its cheap value */
        far->ulp = ulp_between(format, least, most);
}

/* How far an error may be off. */
static double error_slack(const struct span *span, double error) {
    return span->block->kind == BLOCK_ASYMPTOTE ? ASYMPTOTE_SLACK : far_slack(error);
}

/* The least and the largest far error of the outputs that are below their exact result, or above it; false where
 * there are none. */
static bool find_ends_of_side(const struct far_outputs *far, size_t count, bool below,
                              double ends[2]) {
    ends[0] = INFINITY;
    ends[1] = -1;
    for (size_t i = 0; i < count; i++)
        if (far->errors[i] >= 0 && far->below[i] == below) {
            ends[0] = far->errors[i] < ends[0] ? far->errors[i] : ends[0];
            ends[1] = far->errors[i] > ends[1] ? far->errors[i] : ends[1];
        }
    return ends[1] >= 0;
}

/* Tells the envelope of the far outputs that may be an end of its step: of each side the least, and those of the
 * size of the largest, as far as the envelope tells sizes apart, since the first of them counts. */
static void tell_step(const struct span *span, const struct strip *strip,
                      const struct far_outputs *far) {
    const struct envelope *envelope = &span->tally->envelope;
    uint64_t first = span->code + strip->offset;
    for (int side = 0; envelope->steps && side < 2; side++) {
        double ends[2];
        if (!find_ends_of_side(far, strip->count, side, ends))
            continue;
        double slack = error_slack(span, ends[1]), least = ends[0] - slack, most = ends[1] + slack;
        double low = side ? -most : least, high = side ? -least : most;
        if (!envelope_step_could_change(envelope_step_of(envelope, first), first, low, high))
            continue;
        double floor = envelope_least_alike(ends[1] - slack) - slack;
        for (size_t i = 0; i < strip->count; i++) {
            double error = far->errors[i], its = error_slack(span, error);
            if (error < 0 || far->below[i] != side ||
                (error < floor && error > ends[0] + 2 * slack))
                continue;
            strip_note_far(span, strip, i, error, its);
            /* None is larger to the envelope, and those that follow are not the first. */
            if (!(envelope_rounded(error - its) < envelope_rounded(most)))
                floor = INFINITY;
        }
    }
}

/* So many errors of a strip have a sum, part by part, in 64 bits. */
_Static_assert(DECISION_STRIP <= 1 << 12, "sums of fractions of 51 bits");

/* A sum of errors from 2 on and below 2^40: of whole ulps, and of their fractions in 2^-51. */
struct sum_of_parts {
    uint64_t whole, fractions;
};

static void add_error(struct sum_of_parts *sum, struct error_sum *sums, double error) {
    if (!(error >= 2 && error < 0x1p40)) {
        error_sum_add(sums, error, 1);
        return;
    }
    uint64_t whole = (uint64_t)error;
    sum->whole += whole;
    sum->fractions += (uint64_t)((error - (double)whole) * 0x1p51);
}

double strip_count_far(const struct span *span, const struct strip *strip, struct far_outputs *far,
                       struct bulk_outputs *bulk, uint16_t *doubtful, size_t *doubts) {
    double largest = -1;
    struct sum_of_parts sum = {0, 0};
    if (strip->sums.sure == strip->count)
        return -1;
    const double *errors = far->errors;
    strip_find_far(span, strip, far);
    if (far->count) {
        strip_check_promise_far(span, strip, far);
        tell_step(span, strip, far);
    }
    for (size_t i = 0; i < strip->count; i++) {
        if (strip->errors[i] != DECISION_UNSURE)
            continue;
        if (!far->count || errors[i] < 0) {
            doubtful[(*doubts)++] = (uint16_t)(strip->offset + i);
            continue;
        }
        bulk->count++;
        bulk->incorrect++;
        bulk->in_ulps++;
        bulk->over_1_ulp++;
        bulk->histogram[bucket_of(errors[i])]++;
        add_error(&sum, &span->tally->error_sum, errors[i]);
        largest = errors[i] > largest ? errors[i] : largest;
    }
    error_sum_add_parts(&span->tally->error_sum, sum.whole, sum.fractions, 51);
    return largest < 0 ? -1 : largest + far_slack(largest);
}

/* An error below this has TALLY_WORST others in the strip that rank higher. */
static double least_kept(const struct span *span, const double *errors, size_t count) {
    double top[TALLY_WORST];
    for (unsigned k = 0; k < TALLY_WORST; k++)
        top[k] = -1;
    for (size_t i = 0; i < count; i++) {
        unsigned at = TALLY_WORST;
        for (; at > 0 && top[at - 1] < errors[i]; at--)
            if (at < TALLY_WORST)
                top[at] = top[at - 1];
        if (at < TALLY_WORST)
            top[at] = errors[i];
    }
    double least = top[TALLY_WORST - 1];
    return least < 0 ? -1 : error_rank(least - far_slack(least), span->tally->fine_from);
}

/* Offers an output, its error now as exact as can be. Errors from a line are so exact that the tally seldom
 * asks for more. */
static bool offer(const struct span *span, size_t offset, double far, struct error *why) {
    double slack = error_slack(span, far);
    struct error_knowledge knowledge = worker_knowledge(span->worker, span->result, slack, false);
    if (!tally_could_change(span->tally, far + slack, span->index + offset, span->exponent, true))
        return true;
    struct witness witness;
    if (span->block->kind == BLOCK_ASYMPTOTE) {
        asymptote_judge_output(span, offset, span_output(span, offset), &witness);
    } else {
        witness = span_witness(span, offset);
        witness.error = far;
        if (!worker_refine(span->worker, span->result, &knowledge, &witness, why))
            return false;
        knowledge.slack = 0;
    }
    tally_offer(span->tally, &witness, span->exponent, &knowledge, true);
    return true;
}

bool strip_offer_far(const struct span *span, const struct strip *strip, struct far_outputs *far,
                     struct error *why) {
    double *errors = far->errors;
    double least = least_kept(span, errors, strip->count);
    size_t largest = 0;
    for (size_t i = 1; i < strip->count; i++)
        if (errors[i] > errors[largest])
            largest = i;
    if (!offer(span, strip->offset + largest, errors[largest], why))
        return false;
    errors[largest] = -1;
    /* Backwards where errors grow: each would be a new maximum else, and be refined. */
    bool grows = largest > strip->count / 2;
    for (size_t k = 0; k < strip->count; k++) {
        size_t i = grows ? strip->count - 1 - k : k;
        if (errors[i] >= 0 &&
            error_rank(errors[i] + far_slack(errors[i]), span->tally->fine_from) >= least &&
            !offer(span, strip->offset + i, errors[i], why))
            return false;
    }
    return true;
}
