/* Counting. */
#include "sweep/tally.h"

#include "record/kinds.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Powers of two from 2^-4 to 2^24, by which the page draws, and between them finer ones where roundings part. All
 * are whole multiples of 2^-10, which a fast judge can count by. */
const double histogram_edges[HISTOGRAM_EDGES] = {0,
                                                 0x1p-4,
                                                 0x1p-3,
                                                 0.25,
                                                 0.375,
                                                 0.5,
                                                 0.5 + 0x1p-10,
                                                 0.5 + 0x1p-7,
                                                 0.5 + 0x1p-6,
                                                 0.5 + 0x1p-5,
                                                 0.5 + 0x1p-4,
                                                 0.625,
                                                 0.75,
                                                 0.875,
                                                 1,
                                                 1.5,
                                                 2,
                                                 3,
                                                 4,
                                                 8,
                                                 16,
                                                 0x1p5,
                                                 0x1p6,
                                                 0x1p7,
                                                 0x1p8,
                                                 0x1p9,
                                                 0x1p10,
                                                 0x1p11,
                                                 0x1p12,
                                                 0x1p13,
                                                 0x1p14,
                                                 0x1p15,
                                                 0x1p16,
                                                 0x1p17,
                                                 0x1p18,
                                                 0x1p19,
                                                 0x1p20,
                                                 0x1p21,
                                                 0x1p22,
                                                 0x1p23,
                                                 0x1p24};

bool tally_open(struct tally *tally, const struct format *format, enum rounding rounding) {
    *tally = (struct tally){.tells = TELLS_UNANSWERED | TELLS_SUM,
                            .fine_from = error_fine_from(rounding)};
    tally->lowest_exponent = format->emin - format->precision + 1;
    tally->binade_count = format->emax - tally->lowest_exponent + 1;
    tally->binades = calloc((size_t)tally->binade_count, sizeof *tally->binades);
    return tally->binades != NULL;
}

void tally_close(struct tally *tally) {
    free(tally->binades);
    tally->binades = NULL;
    envelope_close(&tally->envelope);
}

/* How many edges lie below the error: a binary search without branches, since no branch predictor
 * can guess what an error will be. */
static unsigned bucket_of(double error) {
    unsigned below = 0;
    for (unsigned step = 32; step; step /= 2) {
        unsigned next = below + step;
        unsigned probe = next <= HISTOGRAM_EDGES ? next - 1 : HISTOGRAM_EDGES - 1;
        below = next <= HISTOGRAM_EDGES && error > histogram_edges[probe] ? next : below;
    }
    return below;
}

double error_rank(double error, double fine_from) {
    bool coarse = error < fine_from || (error >= 1 - 0x1p-10 && error < 1);
    double steps = coarse ? 0x1p20 : 0x1p22;
    return error < 0x1p32 ? (double)(uint64_t)(error * steps) / steps : error;
}

double error_fine_from(enum rounding rounding) {
    return rounding_is_nearest(rounding) ? 0.5 : 1;
}

/* The larger rank first, then a wrong output before a right one, then the earlier input. A tie that was
 * rounded well has an error of half an ulp, and so have outputs that were rounded twice: only these are
 * worth showing. */
static bool is_worse(const struct tally *tally, const struct witness *a, const struct witness *b) {
    double x = error_rank(a->error, tally->fine_from), y = error_rank(b->error, tally->fine_from);
    bool wrong = a->got != a->want, other = b->got != b->want;
    return x > y || (!(x < y) && (wrong != other ? wrong : witness_is_earlier(a, b)));
}

bool tally_is_worse(const void *tally, const void *a, const void *b) {
    return is_worse(tally, a, b);
}

bool tally_is_earlier(const void *tally, const void *a, const void *b) {
    (void)tally;
    return witness_is_earlier(a, b);
}

static double largest_possible(double error, const struct error_knowledge *knowledge) {
    double largest = error + knowledge->slack;
    return largest < knowledge->most ? largest : knowledge->most;
}

/* Errors in a binade's maximum are cut to this. */
static double cut(double error) {
    return error < 0x1p32 ? (double)(uint64_t)(error * 0x1p20) * 0x1p-20 : error;
}

/* An output whose error may have to be known better, once, for the places that ask. */
struct candidate {
    struct witness witness;
    const struct error_knowledge *knowledge;
    bool refined;
};

static void refine(struct candidate *candidate) {
    if (!candidate->refined && candidate->knowledge->slack > 0)
        candidate->witness.error = candidate->knowledge->refine(
            candidate->knowledge->context, &candidate->witness, candidate->knowledge);
    candidate->refined = true;
}

/* Whether the candidate, at its largest, would come before `other`. */
static bool could_come_before(const struct tally *tally, const struct candidate *candidate,
                              const struct witness *other) {
    struct witness most = candidate->witness;
    if (!candidate->refined)
        most.error = largest_possible(most.error, candidate->knowledge);
    return is_worse(tally, &most, other);
}

static void offer_max(struct tally *tally, struct candidate *candidate) {
    if (tally->has_max && !could_come_before(tally, candidate, &tally->max))
        return;
    refine(candidate);
    if (!tally->has_max || is_worse(tally, &candidate->witness, &tally->max)) {
        tally->max = candidate->witness;
        tally->has_max = true;
    }
}

static void offer_worst(struct tally *tally, struct candidate *candidate) {
    if (tally->worst_count == TALLY_WORST &&
        !could_come_before(tally, candidate, &tally->worst[TALLY_WORST - 1]))
        return;
    refine(candidate);
    record_keep(tally->worst, sizeof *tally->worst, &tally->worst_count, TALLY_WORST,
                &candidate->witness, tally_is_worse, tally);
}

static void offer_binade(struct binade_tally *binade, struct candidate *candidate) {
    double high = cut(largest_possible(candidate->witness.error, candidate->knowledge));
    double low = candidate->witness.error - candidate->knowledge->slack;
    if (high <= binade->max_error)
        return;
    if (cut(low > 0 ? low : 0) < high)
        refine(candidate);
    double error = cut(candidate->witness.error);
    if (error > binade->max_error)
        binade->max_error = error;
}

static struct binade_tally *binade_of(const struct tally *tally, int exponent) {
    return exponent == INT_MIN ? NULL : &tally->binades[exponent - tally->lowest_exponent];
}

bool tally_could_change(const struct tally *tally, double error, uint64_t index, int exponent,
                        bool incorrect) {
    const struct binade_tally *binade = binade_of(tally, exponent);
    const struct witness witness = {.index = index, .error = error, .want = incorrect};
    return !tally->has_max || is_worse(tally, &witness, &tally->max) ||
           (binade && cut(error) > binade->max_error) ||
           (incorrect && (tally->worst_count < TALLY_WORST ||
                          is_worse(tally, &witness, &tally->worst[TALLY_WORST - 1])));
}

void tally_offer(struct tally *tally, const struct witness *witness, int exponent,
                 const struct error_knowledge *knowledge, bool incorrect) {
    struct candidate candidate = {*witness, knowledge, knowledge->slack <= 0};
    struct binade_tally *binade = binade_of(tally, exponent);
    offer_max(tally, &candidate);
    if (binade)
        offer_binade(binade, &candidate);
    if (incorrect)
        offer_worst(tally, &candidate);
}

void tally_offer_step(struct tally *tally, const struct witness *witness, bool below,
                      const struct error_knowledge *knowledge) {
    struct candidate candidate = {*witness, knowledge, knowledge->slack <= 0};
    if (!tally->envelope.steps)
        return;
    struct envelope_step *step = envelope_step_of(&tally->envelope, witness->input[0]);
    double low = fmax(witness->error - knowledge->slack, 0);
    double high = largest_possible(witness->error, knowledge);
    low = below ? -low : low;
    high = below ? -high : high;
    if (!envelope_step_could_change(step, witness->input[0], fmin(low, high), fmax(low, high)))
        return;
    double a = envelope_rounded(low), b = envelope_rounded(high);
    if (a < b || a > b)
        refine(&candidate);
    else
        candidate.witness.error = fabs(high);
    double error = candidate.witness.error;
    envelope_step_add(step, witness->input[0], below ? -error : error);
}

static void count_error(struct tally *tally, const struct judgement *judgement, uint64_t count) {
    tally->in_ulps += count;
    tally->over_1_ulp += judgement->error > 1 ? count : 0;
    tally->histogram[bucket_of(judgement->error)] += count;
    error_sum_add(&tally->error_sum, judgement->error, count);
}

static bool is_sign_mismatch(const struct judgement *judgement) {
    return judgement->verdict == VERDICT_SIGN_MISMATCH;
}

static bool is_incorrect(const struct judgement *judgement) {
    return is_sign_mismatch(judgement) || judgement->verdict == VERDICT_INCORRECT;
}

static bool is_nan_mismatch(const struct judgement *judgement) {
    return judgement->verdict == VERDICT_NAN_MISMATCH;
}

/* Whatever is not right, a mismatch too. */
static void count_in_step(struct tally *tally, uint64_t code, uint64_t tested, uint64_t incorrect) {
    if (!tally->envelope.steps)
        return;
    struct envelope_step *step = envelope_step_of(&tally->envelope, code);
    step->tested += tested;
    step->incorrect += incorrect;
}

void tally_add_alike(struct tally *tally, const struct judgement *judgement, uint64_t count,
                     int exponent, uint64_t code) {
    struct binade_tally *binade = binade_of(tally, exponent);
    uint64_t incorrect = is_incorrect(judgement) ? count : 0;
    tally->tested += count;
    tally->correct += judgement->verdict == VERDICT_CORRECT ? count : 0;
    tally->incorrect += incorrect;
    tally->faithful += judgement->faithful ? count : 0;
    tally->nan_mismatches += is_nan_mismatch(judgement) ? count : 0;
    tally->nan_bits_differ += judgement->nan_bits_differ ? count : 0;
    tally->sign_mismatches += is_sign_mismatch(judgement) ? count : 0;
    if (binade) {
        binade->tested += count;
        binade->incorrect += incorrect;
    }
    count_in_step(tally, code, count, judgement->verdict == VERDICT_CORRECT ? 0 : count);
    if (judgement->in_ulps)
        count_error(tally, judgement, count);
}

static void add_mismatch(struct tally *tally, const struct witness *witness, bool of_nan) {
    bool *has = of_nan ? &tally->has_first_nan : &tally->has_first_sign;
    struct witness *first = of_nan ? &tally->first_nan : &tally->first_sign;
    record_keep(tally->mismatches, sizeof *witness, &tally->mismatch_count, TALLY_FIRST, witness,
                tally_is_earlier, tally);
    if (!*has || tally_is_earlier(tally, witness, first))
        *first = *witness;
    *has = true;
}

void tally_add(struct tally *tally, const struct judgement *judgement,
               const struct witness *witness, int exponent,
               const struct error_knowledge *knowledge) {
    tally_add_alike(tally, judgement, 1, exponent, witness->input[0]);
    if (is_sign_mismatch(judgement) || is_nan_mismatch(judgement))
        add_mismatch(tally, witness, is_nan_mismatch(judgement));
    if (!judgement->in_ulps)
        return;
    tally_offer(tally, witness, exponent, knowledge, judgement->verdict == VERDICT_INCORRECT);
    tally_offer_step(tally, witness, judgement->below, knowledge);
}

void tally_add_flushed(struct tally *tally, bool flushed, const struct witness *witness) {
    tally->flushed += flushed;
    if (flushed || (tally->has_max_else && (witness->error < tally->max_else.error ||
                                            (!(witness->error > tally->max_else.error) &&
                                             witness->index >= tally->max_else.index))))
        return;
    tally->has_max_else = true;
    tally->max_else = *witness;
}

void tally_add_end(struct tally *tally, const struct format *format, const struct real *y,
                   uint64_t got) {
    if (y->kind == REAL_NAN || y->kind == REAL_ZERO || format_is_nan(format, got))
        return;
    struct real value = format_decode(format, got);
    bool at_end = value.kind == REAL_FINITE && value.negative == y->negative &&
                  format_magnitude(format, got) >= format->max_finite;
    tally->saturated += at_end && real_is_smaller(&value, y);
    tally->vanished += format_is_zero(format, got);
}

void tally_add_bulk(struct tally *tally, const struct bulk_outputs *outputs, int exponent,
                    uint64_t code) {
    struct binade_tally *binade = binade_of(tally, exponent);
    tally->tested += outputs->count;
    tally->correct += outputs->count - outputs->incorrect;
    tally->incorrect += outputs->incorrect;
    tally->faithful += outputs->faithful;
    tally->in_ulps += outputs->in_ulps;
    tally->over_1_ulp += outputs->over_1_ulp;
    tally->nan_bits_differ += outputs->nan_bits_differ;
    for (unsigned i = 0; i <= HISTOGRAM_EDGES; i++)
        tally->histogram[i] += outputs->histogram[i];
    error_sum_add_units(&tally->error_sum, outputs->error_sum, 64 - BULK_UNITS_LOG2);
    count_in_step(tally, code, outputs->count, outputs->incorrect);
    if (binade) {
        binade->tested += outputs->count;
        binade->incorrect += outputs->incorrect;
    }
}

void length_tally_add(struct length_tally *tally, const struct length_witness *witness) {
    tally->lines++;
    if (witness->got == witness->want)
        return;
    if (!tally->wrong++ ||
        place_is_earlier(witness->index, witness->input, tally->first.index, tally->first.input))
        tally->first = *witness;
    tally->has_first = true;
}

bool tally_event_is_earlier(const void *tally, const void *a, const void *b) {
    const struct event_witness *x = a, *y = b;
    (void)tally;
    return place_is_earlier(x->index, x->input, y->index, y->input);
}

void tally_add_event(struct tally *tally, const struct event_witness *event) {
    tally->events[event->kind]++;
    record_keep(tally->first_events, sizeof *event, &tally->event_count, TALLY_EVENTS, event,
                tally_event_is_earlier, tally);
}
