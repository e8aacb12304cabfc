/* Counting and merging. */
#include "sweep/tally.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Whole multiples of 2^-10, which a fast judge can count by; fine where roundings part. */
const double histogram_edges[HISTOGRAM_EDGES] = {0,
                                                 0x1p-10,
                                                 0.125,
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
                                                 0x1p8,
                                                 0x1p16,
                                                 0x1p24};

bool tally_open(struct tally *tally, const struct format *format) {
    *tally = (struct tally){0};
    tally->lowest_exponent = format->emin - format->precision + 1;
    tally->binade_count = format->emax - tally->lowest_exponent + 1;
    tally->binades = calloc((size_t)tally->binade_count, sizeof *tally->binades);
    return tally->binades != NULL;
}

void tally_close(struct tally *tally) {
    free(tally->binades);
    tally->binades = NULL;
}

/* How many edges lie below the error: a binary search without branches, since no branch predictor
 * can guess what an error will be. */
static unsigned bucket_of(double error) {
    unsigned below = 0;
    for (unsigned step = 16; step; step /= 2) {
        unsigned next = below + step;
        unsigned probe = next <= HISTOGRAM_EDGES ? next - 1 : HISTOGRAM_EDGES - 1;
        below = next <= HISTOGRAM_EDGES && error > histogram_edges[probe] ? next : below;
    }
    return below;
}

static bool is_worse(const struct sighting *a, const struct sighting *b) {
    if (a->error > b->error || a->error < b->error)
        return a->error > b->error;
    return a->index < b->index;
}

static bool is_earlier(const struct sighting *a, const struct sighting *b) {
    return a->index < b->index;
}

/* Keeps the first `most` of an order, sorted. */
static void keep_sighting(struct sighting *list, unsigned *count, unsigned most,
                          const struct sighting *new_one,
                          bool (*before)(const struct sighting *, const struct sighting *)) {
    if (*count == most && !before(new_one, &list[most - 1]))
        return;
    unsigned at = *count < most ? (*count)++ : most - 1;
    while (at > 0 && before(new_one, &list[at - 1])) {
        list[at] = list[at - 1];
        at--;
    }
    list[at] = *new_one;
}

static void count_error(struct tally *tally, const struct judgement *judgement,
                        const struct sighting *sighting, struct binade_tally *binade) {
    tally->in_ulps++;
    tally->over_1_ulp += judgement->error > 1;
    tally->histogram[bucket_of(judgement->error)]++;
    error_sum_add(&tally->error_sum, judgement->error);
    if (!tally->has_max || is_worse(sighting, &tally->max)) {
        tally->max = *sighting;
        tally->has_max = true;
    }
    if (binade && judgement->error > binade->max_error)
        binade->max_error = judgement->error;
}

void tally_add(struct tally *tally, const struct judgement *judgement,
               const struct sighting *sighting, int exponent) {
    struct binade_tally *binade =
        exponent == INT_MIN ? NULL : &tally->binades[exponent - tally->lowest_exponent];
    bool sign = judgement->verdict == VERDICT_SIGN_MISMATCH;
    bool incorrect = sign || judgement->verdict == VERDICT_INCORRECT;
    bool nan = judgement->verdict == VERDICT_NAN_MISMATCH;
    tally->tested++;
    tally->correct += judgement->verdict == VERDICT_CORRECT;
    tally->incorrect += incorrect;
    tally->faithful += judgement->faithful;
    tally->nan_mismatches += nan;
    tally->nan_bits_differ += judgement->nan_bits_differ;
    tally->sign_mismatches += sign;
    if (binade) {
        binade->tested++;
        binade->incorrect += incorrect;
    }
    if (judgement->in_ulps)
        count_error(tally, judgement, sighting, binade);
    if (judgement->verdict == VERDICT_INCORRECT)
        keep_sighting(tally->worst, &tally->worst_count, TALLY_WORST, sighting, is_worse);
    if (sign || nan)
        keep_sighting(tally->mismatches, &tally->mismatch_count, TALLY_FIRST, sighting, is_earlier);
}

static void keep_event(struct tally *tally, const struct event_sighting *event) {
    struct event_sighting *list = tally->first_events;
    if (tally->event_count == TALLY_EVENTS && event->index >= list[TALLY_EVENTS - 1].index)
        return;
    unsigned at = tally->event_count < TALLY_EVENTS ? tally->event_count++ : TALLY_EVENTS - 1;
    while (at > 0 && event->index < list[at - 1].index) {
        list[at] = list[at - 1];
        at--;
    }
    list[at] = *event;
}

void tally_add_event(struct tally *tally, const struct event_sighting *event) {
    tally->events[event->kind]++;
    keep_event(tally, event);
}

static void merge_counts(struct tally *tally, const struct tally *other) {
    tally->tested += other->tested;
    tally->correct += other->correct;
    tally->incorrect += other->incorrect;
    tally->faithful += other->faithful;
    tally->in_ulps += other->in_ulps;
    tally->over_1_ulp += other->over_1_ulp;
    tally->nan_mismatches += other->nan_mismatches;
    tally->nan_bits_differ += other->nan_bits_differ;
    tally->sign_mismatches += other->sign_mismatches;
    for (unsigned i = 0; i <= HISTOGRAM_EDGES; i++)
        tally->histogram[i] += other->histogram[i];
    for (unsigned i = 0; i < EVENT_KINDS; i++)
        tally->events[i] += other->events[i];
    for (int i = 0; i < tally->binade_count; i++) {
        struct binade_tally *mine = &tally->binades[i];
        const struct binade_tally *theirs = &other->binades[i];
        mine->tested += theirs->tested;
        mine->incorrect += theirs->incorrect;
        if (theirs->max_error > mine->max_error)
            mine->max_error = theirs->max_error;
    }
}

void tally_merge(struct tally *tally, const struct tally *other) {
    merge_counts(tally, other);
    error_sum_merge(&tally->error_sum, &other->error_sum);
    if (other->has_max && (!tally->has_max || is_worse(&other->max, &tally->max))) {
        tally->max = other->max;
        tally->has_max = true;
    }
    for (unsigned i = 0; i < other->worst_count; i++)
        keep_sighting(tally->worst, &tally->worst_count, TALLY_WORST, &other->worst[i], is_worse);
    for (unsigned i = 0; i < other->mismatch_count; i++)
        keep_sighting(tally->mismatches, &tally->mismatch_count, TALLY_FIRST, &other->mismatches[i],
                      is_earlier);
    for (unsigned i = 0; i < other->event_count; i++)
        keep_event(tally, &other->first_events[i]);
}

void difference_add(struct difference_tally *tally, uint64_t index, const uint64_t *input,
                    uint64_t a, uint64_t b) {
    tally->count++;
    if (tally->first_count == TALLY_FIRST && index >= tally->first[TALLY_FIRST - 1].index)
        return;
    unsigned at = tally->first_count < TALLY_FIRST ? tally->first_count++ : TALLY_FIRST - 1;
    while (at > 0 && index < tally->first[at - 1].index) {
        tally->first[at] = tally->first[at - 1];
        at--;
    }
    tally->first[at].index = index;
    memcpy(tally->first[at].input, input, sizeof tally->first[at].input);
    tally->first[at].a = a;
    tally->first[at].b = b;
}

void difference_merge(struct difference_tally *tally, const struct difference_tally *other) {
    uint64_t count = tally->count + other->count;
    for (unsigned i = 0; i < other->first_count; i++)
        difference_add(tally, other->first[i].index, other->first[i].input, other->first[i].a,
                       other->first[i].b);
    tally->count = count;
}
