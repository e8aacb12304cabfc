/* Which outputs of a strip a tally could keep, and their offer. Each may have to be refined, which takes as
 * long as judging hundreds: so as few are offered as is proved to be enough. */
#include "sweep/judge/strip.h"

#include "base/bits.h"
#include "sweep/judge/scan.h"

static double ulps(int32_t units) {
    return (double)units * 0x1p-29;
}

static bool is_wrong(const struct decision_rules *rules, int32_t error) {
    return error < rules->least || error > rules->most;
}

/* Offers output `i` of the strip where its error could change a maximum or the list of the worst.
 */
static bool offer_one(const struct span *span, const struct strip *strip, size_t i,
                      struct error *why) {
    int32_t error = strip->errors[i];
    bool wrong = is_wrong(&span->worker->rules, error);
    struct error_knowledge knowledge =
        worker_knowledge(span->worker, span->result, ulps(strip->sums.margin), !wrong);
    double size = ulps(error < 0 ? -error : error), most = size + knowledge.slack;
    uint64_t index = span->index + strip->offset + i;
    most = most < knowledge.most ? most : knowledge.most;
    if (error == DECISION_UNSURE ||
        !tally_could_change(span->tally, most, index, span->exponent, wrong))
        return true;
    struct witness witness = span_witness(span, strip->offset + i);
    witness.want = witness.got;
    witness.error = size;
    if (wrong && !worker_refine(span->worker, span->result, &knowledge, &witness, why))
        return false;
    if (wrong)
        knowledge.slack = 0;
    tally_offer(span->tally, &witness, span->exponent, &knowledge, wrong);
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

/* An error below this has TALLY_WORST worse ones beside it in the strip. */
static int32_t worst_floor(const struct decision_rules *rules, const struct strip *strip) {
    int32_t top[TALLY_WORST];
    for (unsigned k = 0; k < TALLY_WORST; k++)
        top[k] = INT32_MIN / 2;
    for (size_t i = 0; i < strip->count; i++) {
        int32_t size = size_of(strip->errors[i]);
        if (strip->errors[i] == DECISION_UNSURE || !is_wrong(rules, strip->errors[i]) ||
            size <= top[TALLY_WORST - 1])
            continue;
        unsigned at = TALLY_WORST - 1;
        for (; at > 0 && top[at - 1] < size; at--)
            top[at] = top[at - 1];
        top[at] = size;
    }
    return top[TALLY_WORST - 1] - ranking_slack(&strip->sums);
}

double strip_most(const struct span *span, const struct decision_sums *sums) {
    double most = ulps(sums->largest) + ulps(sums->margin);
    double cap = worker_knowledge(span->worker, span->result, 0, sums->wrong == 0).most;
    return most < cap ? most : cap;
}

bool strip_could_change(const struct span *span, size_t offset, const struct decision_sums *sums) {
    return sums->largest >= 0 &&
           tally_could_change(span->tally, strip_most(span, sums), span->index + offset,
                              span->exponent, sums->wrong > 0);
}

/* The least rank that an error has which lies within a slack of that size. */
static double least_rank(const struct span *span, double size, double slack) {
    return error_rank(size > slack ? size - slack : 0, span->tally->fine_from);
}

double strip_rank(const struct span *span, const struct decision_sums *sums) {
    return least_rank(span, ulps(sums->largest), ulps(sums->margin));
}

/* Offers outputs of the strip, a largest error first, so that few others remain to be looked at: for a
 * maximum those that may be as large, and for the list of the worst the wrong ones. */
static bool offer_by_size(const struct span *span, const struct strip *strip, struct error *why) {
    const struct decision_sums *sums = &strip->sums;
    size_t first = 0;
    while (strip->errors[first] != sums->largest && strip->errors[first] != -sums->largest)
        first++;
    if (!offer_one(span, strip, first, why))
        return false;
    const struct decision_rules *rules = &span->worker->rules;
    int32_t worst = worst_floor(rules, strip), near = sums->largest - ranking_slack(sums);
    for (size_t i = 0; i < strip->count; i++) {
        int32_t size = size_of(strip->errors[i]);
        bool may_rank = size >= near || (size >= worst && is_wrong(rules, strip->errors[i]));
        if (i != first && may_rank && !offer_one(span, strip, i, why))
            return false;
    }
    return true;
}

/* How errors go from input to input, where that is proved. */
enum trend { TREND_UNKNOWN, TREND_GROWS, TREND_SHRINKS };

/* Whether outputs are one number, or one code apart each, in one binade; and by how much they rise. */
static bool outputs_step(const struct span *span, const struct strip *strip, double *step) {
    const struct format *format = span->worker->judge.format;
    size_t bytes = format_bytes(format), last = strip->count - 1;
    uint64_t first_code = span_output(span, strip->offset);
    bool steps = span_output(span, strip->offset + last) != first_code;
    struct real first = format_decode(format, first_code);
    struct real end = format_decode(format, span_output(span, strip->offset + last));
    if (first.kind != REAL_FINITE || end.kind != REAL_FINITE || first.exponent != end.exponent ||
        !scan_follows((const char *)span->got + strip->offset * bytes, bytes, first_code, 0,
                      steps ? 2 : 0, strip->count))
        return false;
    double ulp = power_of_two(format_ulp_exponent(format, &first) + span->block->fit.shift);
    *step = !steps ? 0 : first.negative ? -ulp : ulp;
    return true;
}

/* Whether the values at both ends of the strip lie in one binade. In fp64 they have tails: a power of
 * two is in doubt. */
static bool values_share_binade(const struct span *span, const struct strip *strip) {
    const uint64_t fraction = ((uint64_t)1 << 52) - 1;
    uint64_t code = span->code + strip->offset, last = code + strip->count - 1;
    bool wide = span->worker->rules.bytes == 8;
    double tail;
    uint64_t a = bits_of(block_value(span->block, code, wide ? &tail : NULL));
    uint64_t b = bits_of(block_value(span->block, last, wide ? &tail : NULL));
    return ((a ^ b) & ~fraction) == 0 && (a & fraction) && (b & fraction);
}

/* Of a strip of right outputs. Where the function is monotone and its values at both ends lie in one
 * binade, all do, and one ulp is that of all. Where in addition the function rises everywhere less than
 * the outputs do, or everywhere more, then got - y rises or falls; and where it has one sign at both
 * ends, it has no other between, so its size is monotone too. */
static enum trend trend_of(const struct span *span, const struct strip *strip) {
    const struct decision_sums *sums = &strip->sums;
    int32_t first = strip->errors[0], last = strip->errors[strip->count - 1];
    bool above = first > sums->margin && last > sums->margin;
    bool below = first < -sums->margin && last < -sums->margin;
    double least, most, step;
    if (sums->wrong || sums->sure < strip->count || !(above || below) ||
        !block_slopes(span->block, &least, &most) || !(least > 0 || most < 0) ||
        !outputs_step(span, strip, &step) || !(step <= least || step >= most) ||
        !values_share_binade(span, strip))
        return TREND_UNKNOWN;
    bool negative =
        format_is_negative(span->worker->judge.format, span_output(span, strip->offset));
    bool turned = span->worker->rules.toward_zero && negative;
    bool rises = (step >= most) != turned;
    return rises == above ? TREND_GROWS : TREND_SHRINKS;
}

/* Of what refutes. */
static const char slope_name[] = "the function's slope";

/* Whether the error of output `i`, known to be no larger than the tally's largest one, ranks as that
 * does. */
static bool ranks_with_max(const struct span *span, const struct strip *strip, size_t i,
                           bool *alike, struct error *why) {
    const struct tally *tally = span->tally;
    double size = ulps(size_of(strip->errors[i])), slack = ulps(strip->sums.margin);
    double rank = error_rank(tally->max.error, tally->fine_from);
    *alike = least_rank(span, size, slack) >= rank;
    if (*alike || error_rank(size + slack, tally->fine_from) < rank)
        return true;
    struct error_knowledge knowledge = worker_knowledge(span->worker, span->result, slack, true);
    struct witness witness = span_witness(span, strip->offset + i);
    witness.error = size;
    if (!worker_refine(span->worker, span->result, &knowledge, &witness, why))
        return false;
    *alike = error_rank(witness.error, tally->fine_from) >= rank;
    return witness.error <= tally->max.error ||
           worker_refute(span->worker, span->result, &witness, slope_name, why);
}

/* Of errors that grow the last is the largest, but the first that ranks as it does is the one that a
 * tally keeps. Of errors that shrink the first is both. */
static bool offer_by_trend(const struct span *span, const struct strip *strip, enum trend trend,
                           struct error *why) {
    size_t end = strip->count - 1, largest = trend == TREND_GROWS ? end : 0, low = 0,
           high = largest;
    int32_t most = size_of(strip->errors[largest]), least = size_of(strip->errors[end - largest]);
    if (least - most > 2 * strip->sums.margin) {
        struct witness witness = span_witness(span, strip->offset + largest);
        return worker_refute(span->worker, span->result, &witness, slope_name, why);
    }
    if (!offer_one(span, strip, largest, why))
        return false;
    if (span->tally->max.index != span->index + strip->offset + largest)
        return true;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool alike;
        if (!ranks_with_max(span, strip, middle, &alike, why))
            return false;
        if (alike)
            high = middle;
        else
            low = middle + 1;
    }
    return high == largest || offer_one(span, strip, high, why);
}

bool strip_offer(const struct span *span, const struct strip *strip, struct error *why) {
    enum trend trend = trend_of(span, strip);
    return trend == TREND_UNKNOWN ? offer_by_size(span, strip, why)
                                  : offer_by_trend(span, strip, trend, why);
}
