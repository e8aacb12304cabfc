/* Which outputs of a chunk a tally could keep, and their offer. Each may have to be refined, which takes as
 * long as judging hundreds: so as few are offered as is proved to be enough. */
#include "sweep/judge/chunk.h"

#include "base/bits.h"
#include "sweep/judge/scan.h"

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

double chunk_most(const struct span *span, const struct decision_sums *sums) {
    double most = ulps(sums->largest) + ulps(sums->margin);
    double cap = worker_knowledge(span->worker, span->result, 0, sums->wrong == 0).most;
    return most < cap ? most : cap;
}

bool chunk_could_change(const struct span *span, size_t offset, const struct decision_sums *sums) {
    return sums->largest >= 0 &&
           tally_could_change(span->tally, chunk_most(span, sums), span->index + offset,
                              span->exponent, sums->wrong > 0);
}

/* The least rank that an error has which lies within a slack of that size. */
static double least_rank(const struct span *span, double size, double slack) {
    return error_rank(size > slack ? size - slack : 0, span->tally->fine_from);
}

double chunk_rank(const struct span *span, const struct decision_sums *sums) {
    return least_rank(span, ulps(sums->largest), ulps(sums->margin));
}

/* Offers outputs of the chunk, a largest error first, so that few others remain to be looked at: for a
 * maximum those that may be as large, and for the list of the worst the wrong ones. */
static bool offer_by_size(const struct span *span, const struct chunk *chunk, struct error *why) {
    const struct decision_sums *sums = &chunk->sums;
    size_t first = 0;
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

/* How errors go from input to input, where that is proved. */
enum trend { TREND_UNKNOWN, TREND_GROWS, TREND_SHRINKS };

/* Whether outputs are one number, or one code apart each, in one binade; and by how much they rise. */
static bool outputs_step(const struct span *span, const struct chunk *chunk, double *step) {
    const struct format *format = span->worker->judge.format;
    size_t bytes = format_bytes(format), last = chunk->count - 1;
    uint64_t first_code = span_output(span, chunk->offset);
    bool steps = span_output(span, chunk->offset + last) != first_code;
    struct real first = format_decode(format, first_code);
    struct real end = format_decode(format, span_output(span, chunk->offset + last));
    if (first.kind != REAL_FINITE || end.kind != REAL_FINITE || first.exponent != end.exponent ||
        !scan_follows((const char *)span->got + chunk->offset * bytes, bytes, first_code, 0,
                      steps ? 2 : 0, chunk->count))
        return false;
    double ulp = power_of_two(format_ulp_exponent(format, &first) + span->block->fit.shift);
    *step = !steps ? 0 : first.negative ? -ulp : ulp;
    return true;
}

/* Whether the values at both ends of the chunk lie in one binade. In fp64 they have tails: a power of
 * two is in doubt. */
static bool values_share_binade(const struct span *span, const struct chunk *chunk) {
    const uint64_t fraction = ((uint64_t)1 << 52) - 1;
    uint64_t code = span->code + chunk->offset, last = code + chunk->count - 1;
    bool wide = span->worker->rules.bytes == 8;
    double tail;
    uint64_t a = bits_of(block_value(span->block, code, wide ? &tail : NULL));
    uint64_t b = bits_of(block_value(span->block, last, wide ? &tail : NULL));
    return ((a ^ b) & ~fraction) == 0 && (a & fraction) && (b & fraction);
}

/* Of a chunk of right outputs. Where the function is monotone and its values at both ends lie in one
 * binade, all do, and one ulp is that of all. Where in addition the function rises everywhere less than
 * the outputs do, or everywhere more, then got - y rises or falls; and where it has one sign at both
 * ends, it has no other between, so its size is monotone too. */
static enum trend trend_of(const struct span *span, const struct chunk *chunk) {
    const struct decision_sums *sums = &chunk->sums;
    int32_t first = chunk->errors[0], last = chunk->errors[chunk->count - 1];
    bool above = first > sums->margin && last > sums->margin;
    bool below = first < -sums->margin && last < -sums->margin;
    double least, most, step;
    if (sums->wrong || sums->sure < chunk->count || !(above || below) ||
        !block_slopes(span->block, &least, &most) || !(least > 0 || most < 0) ||
        !outputs_step(span, chunk, &step) || !(step <= least || step >= most) ||
        !values_share_binade(span, chunk))
        return TREND_UNKNOWN;
    bool negative =
        format_is_negative(span->worker->judge.format, span_output(span, chunk->offset));
    bool turned = span->worker->rules.toward_zero && negative;
    bool rises = (step >= most) != turned;
    return rises == above ? TREND_GROWS : TREND_SHRINKS;
}

/* Of what refutes. */
static const char slope_name[] = "the function's slope";

/* Whether the error of output `i`, known to be no larger than the tally's largest one, ranks as that
 * does. */
static bool ranks_with_max(const struct span *span, const struct chunk *chunk, size_t i,
                           bool *alike, struct error *why) {
    const struct tally *tally = span->tally;
    double size = ulps(size_of(chunk->errors[i])), slack = ulps(chunk->sums.margin);
    double rank = error_rank(tally->max.error, tally->fine_from);
    *alike = least_rank(span, size, slack) >= rank;
    if (*alike || error_rank(size + slack, tally->fine_from) < rank)
        return true;
    struct error_knowledge knowledge = worker_knowledge(span->worker, span->result, slack, true);
    struct sighting sighting = span_sighting(span, chunk->offset + i);
    sighting.error = size;
    if (!worker_refine(span->worker, span->result, &knowledge, &sighting, why))
        return false;
    *alike = error_rank(sighting.error, tally->fine_from) >= rank;
    return sighting.error <= tally->max.error ||
           worker_refute(span->worker, span->result, &sighting, slope_name, why);
}

/* Of errors that grow the last is the largest, but the first that ranks as it does is the one that a
 * tally keeps. Of errors that shrink the first is both. */
static bool offer_by_trend(const struct span *span, const struct chunk *chunk, enum trend trend,
                           struct error *why) {
    size_t end = chunk->count - 1, largest = trend == TREND_GROWS ? end : 0, low = 0,
           high = largest;
    int32_t most = size_of(chunk->errors[largest]), least = size_of(chunk->errors[end - largest]);
    if (least - most > 2 * chunk->sums.margin) {
        struct sighting sighting = span_sighting(span, chunk->offset + largest);
        return worker_refute(span->worker, span->result, &sighting, slope_name, why);
    }
    if (!offer_one(span, chunk, largest, why))
        return false;
    if (span->tally->max.index != span->index + chunk->offset + largest)
        return true;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool alike;
        if (!ranks_with_max(span, chunk, middle, &alike, why))
            return false;
        if (alike)
            high = middle;
        else
            low = middle + 1;
    }
    return high == largest || offer_one(span, chunk, high, why);
}

bool chunk_offer(const struct span *span, const struct chunk *chunk, struct error *why) {
    enum trend trend = trend_of(span, chunk);
    return trend == TREND_UNKNOWN ? offer_by_size(span, chunk, why)
                                  : offer_by_trend(span, chunk, trend, why);
}
