/* Judging the outputs of a FIT block. decide.h is sure of almost all of them, many at a time. The
 * others are judged one by one from the same fit, and those that are still in doubt by MPFR. */
#include "sweep/judge/span.h"

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
    struct sighting sighting = span_sighting(span, offset);
    if (format_is_nan(judge->format, sighting.got) ||
        !block_enclosure(span->block, judge->format, span->code + offset, &low, &high))
        return false;
    const struct supporting_line *supporting_line =
        span->worker->request->computed.operation->result[span->result].supporting_line;
    if (supporting_line) {
        struct real x = format_decode(span->worker->request->computed.format, sighting.input[0]);
        supporting_line_narrow(supporting_line, &x, &low);
    }
    const enum rounding roundings[] = {judge->rounding, ROUND_DOWN, ROUND_UP};
    for (int i = 0; i < 3; i++)
        if (format_encode(judge->format, &low, roundings[i], judge->overflow) !=
            format_encode(judge->format, &high, roundings[i], judge->overflow))
            return false;
    sighting.want = format_encode(judge->format, &low, judge->rounding, judge->overflow);
    struct judgement a = judge_output(judge, &low, sighting.want, sighting.got);
    struct judgement b = judge_output(judge, &high, sighting.want, sighting.got);
    double slack = a.error > b.error ? a.error - b.error : b.error - a.error;
    /* Two ends cannot both be the output: both errors are 0 where all between overflows rightly. */
    bool overflows = a.error <= 0 && b.error <= 0;
    bool sure = a.verdict == b.verdict && a.in_ulps && b.in_ulps &&
                (overflows || (slack <= DECISION_MOST_MARGIN && low.exponent == high.exponent &&
                               bucket_is_certain(a.error, b.error)));
    if (!sure)
        return false;
    sighting.error = a.error;
    worker_count(span->worker, span->implementation, span->result, &a, &sighting,
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
    struct sighting sighting = span_sighting(span, offset);
    struct real y;
    if (!find_exact(span, offset, &y))
        return false;
    sighting.want = format_encode(judge->format, &y, judge->rounding, judge->overflow);
    struct judgement judgement = judge_output(judge, &y, sighting.want, sighting.got);
    sighting.error = judgement.error;
    worker_count(span->worker, span->implementation, span->result, &judgement, &sighting,
                 y.inexact ? ODD_SLACK : 0);
    return true;
}

/* Judges an output of which decide.h is not sure. */
static bool judge_doubtful(const struct span *span, size_t offset, struct error *error) {
    return span_judge_known(span, offset) || judge_by_enclosure(span, offset) ||
           span_judge_exactly(span, offset, error);
}

/* What decide.h says of a chunk of a span. */
struct chunk {
    size_t offset, count; /* in the span */
    int32_t errors[DECISION_CHUNK];
    struct decision_sums sums;
};

static double ulps(int32_t units) {
    return (double)units * 0x1p-29;
}

static bool is_wrong(const struct decision_rules *rules, int32_t error) {
    return error < rules->least || error > rules->most;
}

/* Offers output `i` of the chunk where its error could change a maximum or the list of the worst.
 */
static bool offer_one(const struct span *span, const struct chunk *chunk, size_t i,
                      struct error *why) {
    int32_t error = chunk->errors[i];
    bool wrong = is_wrong(&span->worker->rules, error);
    struct error_knowledge knowledge =
        worker_knowledge(span->worker, span->result, ulps(chunk->sums.margin), !wrong);
    double size = ulps(error < 0 ? -error : error), most = size + knowledge.slack;
    uint64_t index = span->index + chunk->offset + i;
    most = most < knowledge.most ? most : knowledge.most;
    if (error == DECISION_UNSURE ||
        !tally_could_change(span->tally, most, index, span->exponent, wrong))
        return true;
    struct sighting sighting = span_sighting(span, chunk->offset + i);
    sighting.want = sighting.got;
    sighting.error = size;
    if (wrong && !worker_refine(span->worker, span->result, &knowledge, &sighting, why))
        return false;
    if (wrong)
        knowledge.slack = 0;
    tally_offer(span->tally, &sighting, span->exponent, &knowledge, wrong);
    return true;
}

static int32_t size_of(int32_t error) {
    return error < 0 ? -error : error;
}

/* An error that is farther below another ranks lower. Ranks are cut: what lies a step lower may be
 * equal. */
static int32_t ranking_slack(const struct decision_sums *sums) {
    const int32_t step = (int32_t)1 << (DECISION_UNITS_LOG2 - 20);
    return 2 * sums->margin + step;
}

/* An error below this has TALLY_WORST worse ones beside it in the chunk. */
static int32_t worst_floor(const struct decision_rules *rules, const struct chunk *chunk) {
    int32_t top[TALLY_WORST];
    for (unsigned k = 0; k < TALLY_WORST; k++)
        top[k] = INT32_MIN / 2;
    for (size_t i = 0; i < chunk->count; i++) {
        int32_t size = size_of(chunk->errors[i]);
        if (chunk->errors[i] == DECISION_UNSURE || !is_wrong(rules, chunk->errors[i]) ||
            size <= top[TALLY_WORST - 1])
            continue;
        unsigned at = TALLY_WORST - 1;
        for (; at > 0 && top[at - 1] < size; at--)
            top[at] = top[at - 1];
        top[at] = size;
    }
    return top[TALLY_WORST - 1] - ranking_slack(&chunk->sums);
}

/* Whether any output of the chunk could change a maximum or the list of the worst. */
static bool could_change(const struct span *span, const struct chunk *chunk) {
    const struct decision_sums *sums = &chunk->sums;
    double most = ulps(sums->largest) + ulps(sums->margin);
    double cap = worker_knowledge(span->worker, span->result, 0, sums->wrong == 0).most;
    return sums->largest >= 0 &&
           tally_could_change(span->tally, most < cap ? most : cap, span->index + chunk->offset,
                              span->exponent, sums->wrong > 0);
}

/* Offers the chunk's outputs, a largest error first, so that few others remain to be looked at: for
 * a maximum those that may be as large, and for the list of the worst the wrong ones. */
static bool offer_chunk(const struct span *span, const struct chunk *chunk, struct error *why) {
    const struct decision_sums *sums = &chunk->sums;
    size_t first = 0;
    if (!could_change(span, chunk))
        return true;
    while (chunk->errors[first] != sums->largest && chunk->errors[first] != -sums->largest)
        first++;
    if (!offer_one(span, chunk, first, why))
        return false;
    const struct decision_rules *rules = &span->worker->rules;
    int32_t worst = worst_floor(rules, chunk), near = sums->largest - ranking_slack(sums);
    for (size_t i = 0; i < chunk->count; i++) {
        int32_t size = size_of(chunk->errors[i]);
        bool may_rank = size >= near || (size >= worst && is_wrong(rules, chunk->errors[i]));
        if (i != first && may_rank && !offer_one(span, chunk, i, why))
            return false;
    }
    return true;
}

/* Adds what decide.h counted to the sums over a span. */
static void add_chunk(const struct decision_rules *rules, const struct decision_sums *sums,
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

/* The chunks of a span that may hold what the tally keeps, by their largest errors. */
enum { MOST_CHUNKS = MOST_SLICE / DECISION_CHUNK };
struct ranked_chunk {
    int32_t largest;
    uint32_t number;
};

static int by_largest(const void *a, const void *b) {
    const struct ranked_chunk *x = a, *y = b;
    return x->largest != y->largest ? (x->largest < y->largest) - (x->largest > y->largest)
                                    : (x->number > y->number) - (x->number < y->number);
}

static void decide_chunk(const struct span *span, struct chunk *chunk, size_t number) {
    const struct decision_rules *rules = &span->worker->rules;
    const char *got = span->got;
    size_t before = (size_t)(span->code - span->block->first);
    chunk->offset = number * DECISION_CHUNK;
    size_t left = span->count - chunk->offset;
    chunk->count = left < DECISION_CHUNK ? left : DECISION_CHUNK;
    decide_outputs(&span->block->fit, span->block->log2_count, rules,
                   got + chunk->offset * (size_t)rules->bytes, before + chunk->offset, chunk->count,
                   chunk->errors, &chunk->sums);
}

/* The largest errors first: where errors grow from input to input, those of each chunk would be new
 * maxima otherwise, and be refined. To decide a chunk again takes less time than to refine an error. */
static bool offer_ranked(const struct span *span, struct ranked_chunk *ranked, size_t count,
                         struct error *error) {
    struct chunk chunk;
    qsort(ranked, count, sizeof *ranked, by_largest);
    for (size_t k = 0; k < count; k++) {
        decide_chunk(span, &chunk, ranked[k].number);
        if (!offer_chunk(span, &chunk, error))
            return false;
    }
    return true;
}

bool span_judge_fit(const struct span *span, struct error *error) {
    struct bulk_outputs bulk = {0};
    struct chunk chunk;
    struct ranked_chunk ranked[MOST_CHUNKS];
    uint16_t doubtful[MOST_SLICE]; /* offsets in the span */
    size_t doubts = 0, ranked_count = 0;
    for (size_t k = 0; k * DECISION_CHUNK < span->count; k++) {
        decide_chunk(span, &chunk, k);
        add_chunk(&span->worker->rules, &chunk.sums, &bulk);
        if (could_change(span, &chunk))
            ranked[ranked_count++] = (struct ranked_chunk){chunk.sums.largest, (uint32_t)k};
        for (size_t i = 0; chunk.sums.sure < chunk.count && i < chunk.count; i++)
            if (chunk.errors[i] == DECISION_UNSURE)
                doubtful[doubts++] = (uint16_t)(chunk.offset + i);
    }
    if (!offer_ranked(span, ranked, ranked_count, error))
        return false;
    /* From both ends at once: of errors that grow, or shrink, from input to input, the largest come
     * first, and those that follow change no ranks. */
    for (size_t i = 0; i < doubts; i++)
        if (!judge_doubtful(span, doubtful[i % 2 ? i / 2 : doubts - 1 - i / 2], error))
            return false;
    tally_add_bulk(span->tally, &bulk, span->exponent);
    return true;
}
