/* Judging the outputs of an ASYMPTOTE block, whose right results follow a pattern, and of a NAN
 * block. */
#include "sweep/judge/asymptote.h"
#include "sweep/judge/promise_check.h"
#include "sweep/judge/scan.h"

#include <math.h>

static unsigned bucket_of(double error) {
    unsigned bucket = 0;
    while (bucket < HISTOGRAM_EDGES && error > histogram_edges[bucket])
        bucket++;
    return bucket;
}

/* The function is NaN on all of the span. */
static bool is_nan(const struct span *span) {
    return span->block->kind == BLOCK_NAN ||
           (asymptote_is_exact(span) && !(span->block->asymptote->constant >= 0) &&
            !(span->block->asymptote->constant < 0));
}

/* What is wanted: `want` + (start + i * step) / 2, rounded down, for all of the span. Outputs come
 * in `period` classes, by i modulo the period; the errors of each lie in one bucket. */
enum { MOST_CLASSES = 2 };
struct pattern {
    uint64_t want;
    uint32_t start, step;
    size_t period;
    double errors[MOST_CLASSES];
};

static uint64_t pattern_at(const struct pattern *pattern, size_t offset) {
    return pattern->want + ((pattern->start + pattern->step * (uint32_t)offset) >> 1);
}

/* Whether the line is x/2 and the results are subnormal. Then consecutive inputs are consecutive
 * multiples m of the least number, and the results lie next to m/2 of it, all on one side. To an
 * even m belongs m/2, or in the directed roundings perhaps a neighbour; to an odd one (m - 1)/2 or
 * (m + 1)/2, and never a tie. In all roundings that is (m + c) / 2, rounded down, with -1 <= c <= 2
 * the same for all of the span: what the first two results tell. */
static bool halves_subnormals(const struct span *span) {
    const struct format *format = span->worker->judge.format;
    const struct asymptote *asymptote = span->block->asymptote;
    uint64_t last = span->code + span->count - 1;
    return asymptote->slope > 0 && asymptote->slope < 1 &&
           format_magnitude(format, last) >> format->precision == 0;
}

static bool find_pattern(const struct span *span, struct pattern *pattern) {
    const struct asymptote *asymptote = span->block->asymptote;
    struct witness first, last;
    bool halves = halves_subnormals(span), slopes = asymptote->slope > 0 || asymptote->slope < 0;
    *pattern = (struct pattern){.step = halves ? 1 : slopes ? 2 : 0, .period = halves ? 2 : 1};
    if (asymptote->side == ASYMPTOTE_ALTERNATING || span->block->at_integers ||
        span->count <= pattern->period)
        return false;
    asymptote_judge_output(span, 0, 0, &first);
    asymptote_judge_output(span, 1, 0, &last);
    pattern->want = first.want;
    pattern->start = halves && last.want != first.want;
    for (size_t i = 0; i < pattern->period; i++) {
        size_t end = (span->count - 1 - i) / pattern->period * pattern->period + i;
        struct judgement right = asymptote_judge_output(span, i, pattern_at(pattern, i), &first);
        struct judgement other = asymptote_judge_output(span, end, pattern_at(pattern, end), &last);
        pattern->errors[i] = right.error;
        if (right.verdict != VERDICT_CORRECT || other.verdict != VERDICT_CORRECT ||
            !right.in_ulps || !other.in_ulps || bucket_of(right.error) != bucket_of(other.error))
            return false;
    }
    return true;
}

/* The judgement of an output, its error as exact as can be. */
static bool judge_refined(const struct span *span, size_t offset, struct judgement *judgement,
                          struct error *error) {
    struct witness witness;
    *judgement = asymptote_judge_output(span, offset, span_output(span, offset), &witness);
    if (asymptote_is_exact(span) || !judgement->in_ulps)
        return true;
    struct error_knowledge knowledge = worker_knowledge(span->worker, span->result, ASYMPTOTE_SLACK,
                                                        judgement->verdict == VERDICT_CORRECT);
    if (!worker_refine(span->worker, span->result, &knowledge, &witness, error))
        return false;
    judgement->error = witness.error;
    return true;
}

static bool is_alike(const struct span *span, const struct judgement *a,
                     const struct judgement *b) {
    double fine_from = span->tally->fine_from;
    double x = error_rank(a->error, fine_from), y = error_rank(b->error, fine_from);
    return a->verdict == b->verdict && a->in_ulps == b->in_ulps && a->faithful == b->faithful &&
           a->below == b->below &&
           !envelope_tells_apart(&span->tally->envelope, a->error, b->error) &&
           (!a->in_ulps || (bucket_of(a->error) == bucket_of(b->error) && !(x < y) && !(x > y)));
}

static bool is_constant(const struct span *span) {
    const struct asymptote *asymptote = span->block->asymptote;
    return !(asymptote->slope > 0) && !(asymptote->slope < 0) && !span->block->at_integers &&
           asymptote->side != ASYMPTOTE_ALTERNATING;
}

/* Whether the output is one that results overflow or saturate to. Where it is right, its error is 0 by
 * definition; another error that shows as 0 may be too small for a double. */
static bool is_overflow(const struct span *span, size_t offset) {
    const struct format *format = span->worker->judge.format;
    return is_constant(span) &&
           format_magnitude(format, span_output(span, offset)) >= format->max_finite;
}

/* Whether outputs that are judged alike, with errors between these two, are held alike too. */
static bool span_keeps_promise_alike(const struct span *span, size_t offset, size_t count,
                                     const struct judgement *a, const struct judgement *b) {
    double most = a->error > b->error ? a->error : b->error;
    bool right = a->verdict == VERDICT_CORRECT;
    bool is_sure = asymptote_is_exact(span) || (right && is_overflow(span, offset));
    double cap = worker_most_error(span->worker, right);
    most += is_sure ? 0 : ASYMPTOTE_SLACK;
    most = most < cap ? most : cap;
    /* No limit is above NaN: what has no error and is not right is not kept. */
    return span_keeps_promise(span, offset, count, a->in_ulps || right ? most : NAN, right);
}

/* The judgement that the exact oracle comes to. It knows errors to ORACLE_SLACK, so at an edge of the
 * histogram that is not to be had from what is more exact. */
static bool judge_at_edge(const struct span *span, size_t offset, struct judgement *judgement,
                          struct error *error) {
    struct worker *worker = span->worker;
    struct witness witness = span_witness(span, offset);
    struct real y;
    if (!oracle_exact(&worker->oracle, witness.input, span->result, &y, error))
        return false;
    uint64_t want = worker_want(worker, &y, witness.input, witness.index);
    *judgement = judge_output(&worker->judge, &y, want, witness.got);
    return true;
}

/* Outputs that are the same number, where the line is a constant: right ones, or what a library has in
 * their place. Their errors are monotone, so those between two that rank alike rank as they do, and
 * come behind the first few. */
static bool judge_same(const struct span *span, size_t from, size_t to, struct error *error) {
    struct judgement first, last;
    size_t head = from + TALLY_WORST, tail = to - 1;
    if (to - from < 8 * TALLY_WORST)
        return asymptote_judge_each(span, from, to, error);
    if (!judge_refined(span, from, &first, error) || !judge_refined(span, tail, &last, error))
        return false;
    bool alike = is_alike(span, &first, &last);
    if (alike && !asymptote_is_exact(span) && first.in_ulps && asymptote_is_at_edge(first.error)) {
        if (!judge_at_edge(span, from, &first, error) || !judge_at_edge(span, tail, &last, error))
            return false;
        alike = is_alike(span, &first, &last);
    }
    if (!alike || !span_keeps_promise_alike(span, from, to - from, &first, &last))
        return asymptote_judge_each(span, from, to, error);
    tally_add_alike(span->tally, &first, tail - head, span->exponent, span->code);
    span_count_kept(span, head, tail - head);
    return asymptote_judge_each(span, from, head, error) &&
           asymptote_judge_singly(span, tail, error);
}

static bool judge_constant(const struct span *span, struct error *error) {
    for (size_t from = 0, to; from < span->count; from = to) {
        uint64_t output = span_output(span, from);
        for (to = from + 1; to < span->count && span_output(span, to) == output;)
            to++;
        if (!judge_same(span, from, to, error))
            return false;
    }
    return true;
}

/* Counts outputs that follow the pattern. */
static void add_regular(struct bulk_outputs *bulk, double error, size_t count) {
    /* The error is a multiple of 1/2 to within ASYMPTOTE_SLACK. */
    uint64_t halves = error < 0.25 ? 0 : error < 0.75 ? 1 : 2;
    bulk->count += count;
    bulk->in_ulps += count;
    bulk->faithful += count;
    bulk->histogram[bucket_of(error)] += count;
    bulk->error_sum += halves * count << (BULK_UNITS_LOG2 - 1);
}

/* Outputs of one class at one distance from the pattern: one code below it, on it, one above. */
enum { DISTANCES = 3, MOST_SETS = MOST_CLASSES * DISTANCES };
struct output_set {
    size_t count, second, last; /* where its second and its last output lie in the span */
    size_t singly; /* so many of the first are judged one by one, and the last; the others alike */
    struct judgement judgement; /* of each of the others */
};

/* Which set output `offset` belongs to, or -1: none. */
static int set_of(const struct span *span, const struct pattern *pattern, size_t offset) {
    uint64_t distance = span_output(span, offset) - pattern_at(pattern, offset) + 1;
    return distance < DISTANCES ? (int)(offset % pattern->period * DISTANCES + distance) : -1;
}

static bool all_lie_at(const struct span *span, const struct pattern *pattern, int distance) {
    return scan_follows(span->got, (size_t)span->worker->rules.bytes,
                        pattern->want + (uint64_t)distance, pattern->start, pattern->step,
                        span->count);
}

/* Where all outputs have the same distance. */
static bool find_sets_at_once(const struct span *span, const struct pattern *pattern,
                              struct output_set sets[MOST_SETS]) {
    const size_t period = pattern->period;
    int set = set_of(span, pattern, 0);
    if (set < 0 || !all_lie_at(span, pattern, set - 1))
        return false;
    for (size_t k = 0; k < period; k++) {
        size_t count = (span->count + period - 1 - k) / period;
        sets[k * DISTANCES + (size_t)set] = (struct output_set){
            .count = count, .second = k + period, .last = k + (count - 1) * period};
    }
    return true;
}

static void find_sets(const struct span *span, const struct pattern *pattern,
                      struct output_set sets[MOST_SETS]) {
    for (size_t i = 0; i < span->count; i++) {
        int k = set_of(span, pattern, i);
        if (k < 0)
            continue;
        sets[k].last = i;
        if (++sets[k].count == 2)
            sets[k].second = i;
    }
}

/* Whether error_sum_add adds so many errors at once to what it adds one by one, each cut to a unit of
 * 2^-64 ulp. In fp64 it does not for those just above 0. */
static bool is_summed_alike(double error, size_t count) {
    double units = error * 0x1p64;
    return units * (double)count < 1 || !(units < 0x1p53) || !((double)(uint64_t)units < units);
}

/* How many of a set have to be judged one by one. The errors of a set are monotone, but perhaps for
 * that of a power of two, which comes first. Of right outputs the first and the last stand for all. Of
 * others so do these where they rank alike; the next TALLY_WORST are what the tally could keep. */
static bool settle_set(const struct span *span, struct output_set *set, bool right,
                       struct error *error) {
    struct judgement second, last, refined_second, refined_last;
    struct witness unused;
    bool held = right && span_keeps_promise(span, 0, span->count, span->tally->fine_from, true);
    /* The second has the first error of the set where the first is a power of two. */
    size_t first = span->tally->envelope.steps ? 2 : 1;
    set->singly = held ? first : set->count;
    if (held || set->count < 8 * TALLY_WORST)
        return true;
    if (!judge_refined(span, set->second, &refined_second, error) ||
        !judge_refined(span, set->last, &refined_last, error))
        return false;
    if (right) { /* where results overflow the errors are 0, which any limit allows */
        if (span_keeps_promise_alike(span, 0, span->count, &refined_second, &refined_last))
            set->singly = first;
        return true;
    }
    second = asymptote_judge_output(span, set->second, span_output(span, set->second), &unused);
    last = asymptote_judge_output(span, set->last, span_output(span, set->last), &unused);
    bool same = !(second.error < last.error) && !(second.error > last.error);
    if (same && is_alike(span, &second, &last) && is_alike(span, &refined_second, &refined_last) &&
        !asymptote_is_at_edge(last.error) && is_summed_alike(last.error, set->count) &&
        span_keeps_promise_alike(span, 0, span->count, &second, &last))
        set->singly = TALLY_WORST + 1;
    set->judgement = last;
    return true;
}

/* The outputs that are judged one by one: the first of each set and the last, and those that are in none. */
static bool judge_ends(const struct span *span, const struct pattern *pattern,
                       const struct output_set sets[MOST_SETS], struct error *error) {
    size_t passed[MOST_SETS] = {0};
    struct marked_outputs marked = {.span = span};
    for (size_t i = 0; i < span->count; i++) {
        int k = set_of(span, pattern, i);
        bool is_end = k < 0 || passed[k]++ < sets[k].singly || i == sets[k].last;
        if (!asymptote_mark(&marked, i, is_end, error))
            return false;
    }
    return asymptote_judge_marked(&marked, error);
}

/* The same where all outputs have the same distance. */
static bool judge_ends_at_once(const struct span *span, const struct pattern *pattern,
                               const struct output_set sets[MOST_SETS], struct error *error) {
    for (size_t k = 0; k < MOST_SETS; k++) {
        const struct output_set *set = &sets[k];
        for (size_t i = 0; i < set->count && i < set->singly; i++)
            if (!asymptote_judge_singly(span, k / DISTANCES + i * pattern->period, error))
                return false;
        if (set->count > set->singly && !asymptote_judge_singly(span, set->last, error))
            return false;
    }
    return true;
}

static bool judge_sets(const struct span *span, const struct pattern *pattern,
                       struct bulk_outputs *bulk, struct error *error) {
    struct output_set sets[MOST_SETS] = {{0}};
    bool at_once = find_sets_at_once(span, pattern, sets);
    if (!at_once)
        find_sets(span, pattern, sets);
    for (int k = 0; k < MOST_SETS; k++) {
        bool right = k % DISTANCES == 1;
        if (!settle_set(span, &sets[k], right, error))
            return false;
        size_t ends = sets[k].singly + 1, rest = sets[k].count > ends ? sets[k].count - ends : 0;
        span_count_kept(span, 0, rest);
        if (right)
            add_regular(bulk, pattern->errors[k / DISTANCES], rest);
        else if (rest)
            tally_add_alike(span->tally, &sets[k].judgement, rest, span->exponent, span->code);
    }
    return (at_once ? judge_ends_at_once : judge_ends)(span, pattern, sets, error);
}

static bool judge_line(const struct span *span, struct error *error) {
    struct pattern pattern;
    struct bulk_outputs bulk = {0};
    bool found = find_pattern(span, &pattern);
    if (is_constant(span) && !(found && all_lie_at(span, &pattern, 0)))
        return judge_constant(span, error);
    bool judged = found ? judge_sets(span, &pattern, &bulk, error)
                        : asymptote_judge_each(span, 0, span->count, error);
    if (bulk.count)
        tally_add_bulk(span->tally, &bulk, span->exponent, span->code);
    return judged;
}

static void count_nans(const struct span *span, struct bulk_outputs *bulk) {
    const struct format *format = span->worker->judge.format;
    uint64_t largest = format->has_infinity ? format->max_finite + 1 : format->max_finite;
    size_t same, nans = scan_count_above(span->got, (size_t)span->worker->rules.bytes, largest,
                                         format->nan, span->count, &same);
    bulk->count = bulk->faithful = nans;
    bulk->nan_bits_differ = nans - same;
}

static void judge_nan(const struct span *span) {
    const struct judge *judge = &span->worker->judge;
    struct bulk_outputs bulk = {0};
    struct real y = real_nan();
    count_nans(span, &bulk);
    bool all = bulk.count == span->count && !(bulk.nan_bits_differ && judge->strict_nan) &&
               span_keeps_promise(span, 0, span->count, 0, true);
    for (size_t i = 0; !all && i < span->count; i++) {
        struct witness witness = span_witness(span, i);
        witness.want = judge->format->nan;
        struct judgement judgement = judge_output(judge, &y, witness.want, witness.got);
        worker_count(span->worker, span->implementation, span->result, &judgement, &witness, 0);
    }
    if (!all)
        return;
    tally_add_bulk(span->tally, &bulk, span->exponent, span->code);
    span_count_kept(span, 0, span->count);
}

bool span_judge_asymptote(const struct span *span, struct error *error) {
    if (!is_nan(span))
        return judge_line(span, error);
    judge_nan(span);
    return true;
}
