/* Judging the outputs of a FIT block. decide.h is sure of almost all of them, many at a time. The
 * others are judged one by one from the same fit, and those that are still in doubt by MPFR. */
#include "sweep/judge/far.h"
#include "sweep/judge/promise_check.h"

#include "op/function/exact_root.h"
#include "oracle/fast/supporting_line.h"

#include <stdlib.h>

/* Whether an error strictly between those that the ends of an enclosure have falls into one bucket
 * for certain. What rounding may do to those two is less than enclosures are widened by, and the
 * ends that a supporting line gives are strict. */
static bool bucket_is_certain(double a, double b) {
    double least = a < b ? a : b, most = a < b ? b : a;
    for (int i = 0; i < HISTOGRAM_EDGES; i++)
        if (least < histogram_edges[i] && histogram_edges[i] < most)
            return false;
    return true;
}

/* Judges an output by the enclosure alone; false when that leaves a doubt. */
static bool judge_by_enclosure(const struct span *span, size_t offset) {
    const struct judge *judge = &span->worker->judge;
    struct real low, high;
    struct witness witness = span_witness(span, offset);
    if (format_is_nan(judge->format, witness.got) ||
        !block_enclosure(span->block, judge->format, span->code + offset, &low, &high))
        return false;
    const struct supporting_line *supporting_line =
        span->worker->request->computed.operation->result[span->result].supporting_line;
    if (supporting_line) {
        struct real x = format_decode(span->worker->request->computed.format, witness.input[0]);
        supporting_line_narrow(supporting_line, &x, &low);
    }
    const enum rounding roundings[] = {judge->rounding, ROUND_DOWN, ROUND_UP};
    for (int i = 0; i < 3; i++)
        if (format_encode(judge->format, &low, roundings[i], judge->overflow) !=
            format_encode(judge->format, &high, roundings[i], judge->overflow))
            return false;
    witness.want = format_encode(judge->format, &low, judge->rounding, judge->overflow);
    struct judgement a = judge_output(judge, &low, witness.want, witness.got);
    struct judgement b = judge_output(judge, &high, witness.want, witness.got);
    double slack = a.error > b.error ? a.error - b.error : b.error - a.error;
    /* Two ends cannot both be the output: both errors are 0 where all between overflows rightly. */
    bool overflows = a.error <= 0 && b.error <= 0;
    bool sure = a.verdict == b.verdict && a.in_ulps && b.in_ulps &&
                (overflows || (slack <= DECISION_MOST_MARGIN && low.exponent == high.exponent &&
                               bucket_is_certain(a.error, b.error)));
    if (!sure)
        return false;
    witness.error = a.error;
    worker_count(span->worker, span->implementation, span->result, &a, &witness,
                 overflows ? 0 : slack + 0x1p-50);
    return true;
}

/* Errors from a result that arithmetic rounded to odd are off by less. */
#define ODD_SLACK 0x1p-40

/* What the exact result is, where it is known for a reason: arithmetic has it, the output is the
 * exact root of its input, the input is a pole, the period has it, or the row. */
static bool find_exact(const struct span *span, size_t offset, struct real *y) {
    const struct format *format = span->worker->judge.format;
    const struct result_rule *rule =
        &span->worker->request->computed.operation->result[span->result];
    if (block_pole_value(span->block, format, span->code + offset, y))
        return true;
    if (block_arithmetic_value(span->block, format, span->code + offset, y))
        return true;
    if (filter_period_value(span->worker->filters[span->result], span->code + offset, y))
        return true;
    struct real x = format_decode(format, span->code + offset);
    if (rule->exact_case)
        return rule->exact_case(y, &x);
    *y = format_decode(format, span_output(span, offset));
    return rule->root && is_exact_root(y, &x, rule->root);
}

bool span_judge_known(const struct span *span, size_t offset) {
    const struct judge *judge = &span->worker->judge;
    struct witness witness = span_witness(span, offset);
    struct real y;
    if (!find_exact(span, offset, &y))
        return false;
    witness.want = format_encode(judge->format, &y, judge->rounding, judge->overflow);
    struct judgement judgement = judge_output(judge, &y, witness.want, witness.got);
    witness.error = judgement.error;
    worker_count(span->worker, span->implementation, span->result, &judgement, &witness,
                 y.inexact ? ODD_SLACK : 0);
    return true;
}

/* Judges an output of which decide.h is not sure. */
static bool judge_doubtful(const struct span *span, size_t offset, struct error *error) {
    return span_judge_known(span, offset) || judge_by_enclosure(span, offset) ||
           span_judge_exactly(span, offset, error);
}

/* Adds what decide.h counted to the sums over a span. */
static void add_strip(const struct decision_rules *rules, const struct decision_sums *sums,
                      struct bulk_outputs *bulk) {
    uint64_t left = sums->sure;
    bulk->count += sums->sure;
    bulk->in_ulps += sums->sure;
    bulk->incorrect += sums->wrong;
    bulk->error_sum += sums->error;
    bulk->faithful += sums->sure;
    for (int k = 0; k < rules->edge_count; k++) {
        bulk->histogram[k] += left - sums->above[k];
        left = sums->above[k];
        if (rules->edges[k] == (int32_t)1 << DECISION_UNITS_LOG2) {
            bulk->over_1_ulp += left;
            bulk->faithful -= left;
        }
    }
    bulk->histogram[rules->edge_count] += left;
}

/* The strips of a span that may hold what the tally keeps. */
enum { MOST_STRIPS = MOST_SLICE / DECISION_STRIP + 1 };
struct ranked_strip {
    double rank; /* the least that its largest error can have */
    double most; /* the most that error can be */
    size_t offset;
    bool wrong; /* some outputs are */
};

static int by_rank(const void *a, const void *b) {
    const struct ranked_strip *x = a, *y = b;
    return x->rank < y->rank || x->rank > y->rank
               ? (x->rank < y->rank) - (x->rank > y->rank)
               : (x->offset > y->offset) - (x->offset < y->offset);
}

static void decide_strip(const struct span *span, struct strip *strip, size_t offset) {
    const struct decision_rules *rules = &span->worker->rules;
    const char *got = span->got;
    size_t before = (size_t)(span->code - span->block->first);
    size_t left = span->count - offset, cell = DECISION_STRIP - (before + offset) % DECISION_STRIP;
    strip->offset = offset;
    strip->count = left < cell ? left : cell; /* where near.h has its cells */
    decide_outputs(&span->block->fit, span->block->log2_count, rules,
                   got + strip->offset * (size_t)rules->bytes, before + strip->offset, strip->count,
                   strip->errors, &strip->sums);
}

typedef bool offer_function(const struct span *span, const struct strip *strip,
                            struct error *error);

/* The largest errors first, and of those that rank alike the first: where errors grow from input to
 * input, those of each strip would be new maxima otherwise, and be refined. To decide a strip again takes
 * less time than to refine an error. */
static bool offer_ranked(const struct span *span, struct ranked_strip *ranked, size_t count,
                         offer_function *offer, struct error *error) {
    struct strip strip;
    qsort(ranked, count, sizeof *ranked, by_rank);
    for (size_t k = 0; k < count; k++) {
        if (!tally_could_change(span->tally, ranked[k].most, span->index + ranked[k].offset,
                                span->exponent, ranked[k].wrong))
            continue;
        decide_strip(span, &strip, ranked[k].offset);
        if (!offer(span, &strip, error))
            return false;
    }
    return true;
}

static bool offer_far(const struct span *span, const struct strip *strip, struct error *error) {
    struct far_outputs far;
    strip_find_far(span, strip, &far);
    return strip_offer_far(span, strip, &far, error);
}

/* The strips of a span that are to be offered. */
struct offers {
    struct ranked_strip near[MOST_STRIPS], far[MOST_STRIPS];
    size_t near_count, far_count;
};

/* Counts a strip, but for the outputs that are added to the doubtful ones. */
static void count_strip(const struct span *span, const struct strip *strip, double *counted,
                        struct bulk_outputs *bulk, struct offers *offers, uint16_t *doubtful,
                        size_t *doubts) {
    const struct decision_sums *sums = &strip->sums;
    add_strip(&span->worker->rules, sums, bulk);
    strip_check_promise(span, strip);
    strip_offer_step(span, strip);
    if (strip_could_change(span, strip->offset, sums))
        offers->near[offers->near_count++] = (struct ranked_strip){
            strip_rank(span, sums), strip_most(span, sums), strip->offset, sums->wrong > 0};
    if (strip_count_alike(span, strip, counted, doubtful, doubts))
        return;
    struct far_outputs found;
    double far = strip_count_far(span, strip, &found, bulk, doubtful, doubts);
    uint64_t index = span->index + strip->offset;
    if (far >= 0 && tally_could_change(span->tally, far, index, span->exponent, true))
        offers->far[offers->far_count++] = (struct ranked_strip){far, far, strip->offset, true};
}

bool span_judge_fit(const struct span *span, struct error *error) {
    struct bulk_outputs bulk = {0};
    struct strip strip;
    struct offers offers = {.near_count = 0, .far_count = 0};
    uint16_t doubtful[MOST_SLICE]; /* offsets in the span */
    size_t doubts = 0;
    double counted = 0;
    for (size_t offset = 0; offset < span->count; offset += strip.count) {
        decide_strip(span, &strip, offset);
        count_strip(span, &strip, &counted, &bulk, &offers, doubtful, &doubts);
    }
    if (!offer_ranked(span, offers.far, offers.far_count, offer_far, error) ||
        !offer_ranked(span, offers.near, offers.near_count, strip_offer, error))
        return false;
    /* From both ends at once: of errors that grow, or shrink, from input to input, the largest come
     * first, and those that follow change no ranks. */
    for (size_t i = 0; i < doubts; i++)
        if (!judge_doubtful(span, doubtful[i % 2 ? i / 2 : doubts - 1 - i / 2], error))
            return false;
    tally_add_bulk(span->tally, &bulk, span->exponent, span->code);
    return true;
}
