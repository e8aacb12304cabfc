/* Judging slices of consecutive fp32 codes with the fast oracle: most outputs by the kernel, the
 * doubtful ones one by one from the same fit, and what is left by MPFR. */
#include "sweep/worker.h"

#include "sweep/generator.h"

#include <string.h>

/* The rounding of a plain error to units; its margin comes on top. */
#define UNIT_SLACK 0x1p-40

/* An error in a FLAT block is known to this (filter.h). */
#define FLAT_SLACK 0x1p-23

/* A run of consecutive inputs in one block and one binade. */
struct span {
    const struct block *block;
    int result;
    uint64_t index;   /* of its first input in the domain */
    size_t at, count; /* in the slice */
    uint64_t code;    /* of its first input */
    int exponent;
};

struct kernel_rules fast_rules(enum rounding rounding) {
    struct kernel_rules rules = {.least = -0.5, .most = 0.5};
    if (rounding == ROUND_UP)
        rules = (struct kernel_rules){.least = 0, .most = 1};
    else if (rounding == ROUND_DOWN || rounding == ROUND_TOWARD_ZERO)
        rules = (struct kernel_rules){.least = -1, .most = 0};
    rules.toward_zero = rounding == ROUND_TOWARD_ZERO;
    double largest = rules.least < -0.5 || rules.most > 0.5 ? 1 : 0.5;
    while (rules.edge_count < HISTOGRAM_EDGES && histogram_edges[rules.edge_count] <= largest) {
        rules.edges[rules.edge_count] = histogram_edges[rules.edge_count];
        rules.edge_count++;
    }
    return rules;
}

static const uint32_t *span_outputs(const struct span *span, size_t implementation,
                                    void *const *outputs) {
    const uint32_t *array = outputs[implementation * MAX_RESULTS + (size_t)span->result];
    return array + span->at;
}

static struct tally *span_tally(struct worker *worker, const struct span *span,
                                size_t implementation) {
    return &worker->tallies[implementation * MAX_RESULTS + (size_t)span->result];
}

/* Whether an error that is known to lie within `slack` falls into one bucket for certain. */
static bool bucket_is_certain(double error, double slack) {
    for (int i = 0; i < HISTOGRAM_EDGES; i++)
        if (error - slack <= histogram_edges[i] && error + slack >= histogram_edges[i])
            return false;
    return true;
}

/* Judges an output of a FIT block by the enclosure alone; false when that leaves a doubt. */
static bool judge_by_enclosure(struct worker *worker, const struct span *span, size_t offset,
                               uint32_t got, size_t implementation) {
    const struct judge *judge = &worker->judge;
    struct real low, high;
    uint64_t code = span->code + offset;
    if (format_is_nan(judge->format, got) || !block_enclosure(span->block, code, &low, &high))
        return false;
    const enum rounding roundings[] = {judge->rounding, ROUND_DOWN, ROUND_UP};
    for (int i = 0; i < 3; i++)
        if (format_encode(judge->format, &low, roundings[i], judge->overflow) !=
            format_encode(judge->format, &high, roundings[i], judge->overflow))
            return false;
    uint64_t want = format_encode(judge->format, &low, judge->rounding, judge->overflow);
    struct judgement a = judge_output(judge, &low, want, got);
    struct judgement b = judge_output(judge, &high, want, got);
    double slack = a.error > b.error ? a.error - b.error : b.error - a.error;
    bool sure = a.verdict == b.verdict && a.in_ulps && b.in_ulps && slack <= KERNEL_MOST_MARGIN &&
                low.exponent == high.exponent && bucket_is_certain(a.error, slack);
    if (!sure)
        return false;
    struct sighting sighting = {
        .index = span->index + offset, .input = {code}, .got = got, .want = want, .error = a.error};
    worker_count(worker, implementation, span->result, &a, &sighting, slack + 0x1p-50);
    return true;
}

static bool judge_doubtful(struct worker *worker, const struct span *span, size_t offset,
                           size_t implementation, void *const *outputs, struct error *error) {
    uint32_t got = span_outputs(span, implementation, outputs)[offset];
    return judge_by_enclosure(worker, span, offset, got, implementation) ||
           worker_judge_exactly(worker, implementation, span->result, span->index + offset,
                                span->at + offset, outputs, error);
}

/* Offers the plainly right outputs of a chunk that could change a maximum, largest first. */
static void offer_chunk(struct worker *worker, const struct span *span, size_t implementation,
                        size_t offset, const int64_t *errors, size_t count, const uint32_t *got,
                        double slack) {
    struct tally *tally = span_tally(worker, span, implementation);
    struct error_knowledge knowledge = worker_knowledge(worker, span->result, slack, true);
    size_t largest = 0;
    for (size_t i = 1; i < count; i++)
        if (errors[i] > errors[largest])
            largest = i;
    for (size_t turn = 0; turn <= count; turn++) {
        size_t i = turn ? turn - 1 : largest;
        double error = (double)errors[i] * 0x1p-40, most = error + slack;
        most = most < knowledge.most ? most : knowledge.most;
        if (errors[i] < 0 || (turn && i == largest) ||
            !tally_could_change(tally, most, span->index + offset + i, span->exponent))
            continue;
        struct sighting sighting = {.index = span->index + offset + i,
                                    .input = {span->code + offset + i},
                                    .got = got[i],
                                    .want = got[i],
                                    .error = error};
        tally_offer(tally, &sighting, span->exponent, &knowledge);
    }
}

static void count_plain(struct worker *worker, const struct span *span, size_t implementation,
                        const struct kernel_sums *sums) {
    struct right_outputs right = {
        .count = sums->plain, .in_ulps = sums->plain, .error_sum = sums->error};
    uint64_t left = sums->plain;
    for (int k = 0; k < worker->rules.edge_count; k++) {
        right.histogram[k] = left - sums->above[k];
        left = sums->above[k];
    }
    tally_add_right(span_tally(worker, span, implementation), &right, span->exponent);
}

static bool judge_fit(struct worker *worker, const struct span *span, size_t implementation,
                      void *const *outputs, struct error *error) {
    const uint32_t *got = span_outputs(span, implementation, outputs);
    struct tally *tally = span_tally(worker, span, implementation);
    struct kernel_sums sums = {.largest = -1};
    double cap = worker_knowledge(worker, span->result, 0, true).most;
    size_t before = (size_t)(span->code - span->block->first);
    int64_t errors[KERNEL_CHUNK];
    for (size_t offset = 0; offset < span->count; offset += KERNEL_CHUNK) {
        size_t count = span->count - offset < KERNEL_CHUNK ? span->count - offset : KERNEL_CHUNK;
        uint64_t plain = sums.plain;
        sums.largest = -1;
        sums.margin = 0;
        kernel_judge(&span->block->fit, span->block->log2_count, &worker->rules, got + offset,
                     before + offset, count, errors, &sums);
        double slack = sums.margin + UNIT_SLACK;
        double most = (double)sums.largest * 0x1p-40 + slack;
        most = most < cap ? most : cap;
        if (sums.largest >= 0 &&
            tally_could_change(tally, most, span->index + offset, span->exponent))
            offer_chunk(worker, span, implementation, offset, errors, count, got + offset, slack);
        for (size_t i = 0; sums.plain - plain < count && i < count; i++)
            if (errors[i] < 0 &&
                !judge_doubtful(worker, span, offset + i, implementation, outputs, error))
                return false;
    }
    count_plain(worker, span, implementation, &sums);
    return true;
}

/* An output of a FLAT block that is not what its neighbours are, or stands at an end. */
static struct judgement judge_flat_output(struct worker *worker, const struct span *span,
                                          size_t offset, uint64_t got, struct sighting *sighting) {
    const struct judge *judge = &worker->judge;
    uint64_t code = span->code + offset;
    struct real y = block_flat_value(span->block, judge->format, code);
    *sighting = (struct sighting){.index = span->index + offset, .input = {code}, .got = got};
    sighting->want = format_encode(judge->format, &y, judge->rounding, judge->overflow);
    struct judgement judgement = judge_output(judge, &y, sighting->want, got);
    sighting->error = judgement.error;
    return judgement;
}

static bool is_exact_flat(const struct span *span) {
    return span->block->kind == BLOCK_FLAT && span->block->flat->side == FLAT_EXACT;
}

/* The function is NaN on all of the span, though its inputs are numbers. */
static bool is_nan_flat(const struct span *span) {
    return is_exact_flat(span) && !(span->block->flat->constant >= 0) &&
           !(span->block->flat->constant < 0);
}

/* Whether what is wanted is `want` + i * step for all of the span, the error in one bucket. */
static bool flat_pattern(struct worker *worker, const struct span *span, uint64_t *want,
                         uint64_t *step, struct judgement *right) {
    struct sighting first, last;
    size_t end = span->count - 1;
    if (span->block->flat->side == FLAT_ALTERNATING)
        return false;
    judge_flat_output(worker, span, 0, 0, &first);
    judge_flat_output(worker, span, end, 0, &last);
    *want = first.want;
    *step = span->block->flat->slope > 0;
    if (first.want + *step * end != last.want ||
        format_classify(worker->judge.format, first.want) >= CLASS_NAN)
        return false;
    /* Half of a subnormal is not always a number of the format: no pattern there. */
    if (*step && format_classify(worker->judge.format, first.want) != CLASS_NORMAL &&
        span->block->flat->slope < 1)
        return false;
    *right = judge_flat_output(worker, span, 0, first.want, &first);
    struct judgement other = judge_flat_output(worker, span, end, last.want, &last);
    return right->in_ulps && other.in_ulps && (right->error < 0.5) == (other.error < 0.5);
}

static void judge_flat_singly(struct worker *worker, const struct span *span, size_t offset,
                              size_t implementation, uint32_t got) {
    struct sighting sighting;
    struct judgement judgement = judge_flat_output(worker, span, offset, got, &sighting);
    bool known = is_exact_flat(span) || (judgement.in_ulps && judgement.error <= 0);
    worker_count(worker, implementation, span->result, &judgement, &sighting,
                 known ? 0 : FLAT_SLACK);
}

static bool follows_pattern(const uint32_t *got, size_t count, uint64_t want, uint64_t step) {
    uint32_t differs = 0, expected = (uint32_t)want, increment = (uint32_t)step;
    for (size_t i = 0; i < count; i++)
        differs |= got[i] ^ (expected + increment * (uint32_t)i);
    return !differs;
}

static void judge_flat(struct worker *worker, const struct span *span, size_t implementation,
                       void *const *outputs) {
    const uint32_t *got = span_outputs(span, implementation, outputs);
    uint64_t want, step;
    struct judgement right;
    struct right_outputs counts = {0};
    bool pattern = flat_pattern(worker, span, &want, &step, &right);
    bool all = pattern && span->count > 2 && follows_pattern(got, span->count, want, step);
    for (size_t i = 0; i < span->count; i++) {
        bool end = i == 0 || i + 1 == span->count;
        if (all && i == 1) {
            counts.count = span->count - 2;
            i = span->count - 2;
        } else if (pattern && !end && got[i] == (uint32_t)(want + step * i)) {
            counts.count++;
        } else {
            judge_flat_singly(worker, span, i, implementation, got[i]);
        }
    }
    if (!counts.count)
        return;
    unsigned bucket = 0;
    while (bucket < HISTOGRAM_EDGES && right.error > histogram_edges[bucket])
        bucket++;
    counts.in_ulps = counts.count;
    counts.histogram[bucket] = counts.count;
    counts.error_sum = right.error < 0.5 ? 0 : counts.count << 40;
    tally_add_right(span_tally(worker, span, implementation), &counts, span->exponent);
}

static void judge_nan(struct worker *worker, const struct span *span, size_t implementation,
                      void *const *outputs) {
    const struct judge *judge = &worker->judge;
    const uint32_t *got = span_outputs(span, implementation, outputs);
    struct right_outputs counts = {0};
    struct real y = real_nan();
    for (size_t i = 0; i < span->count; i++) {
        bool nan = (got[i] & 0x7fffffff) > 0x7f800000, differs = got[i] != judge->format->nan;
        if (nan && !(differs && judge->strict_nan)) {
            counts.count++;
            counts.nan_bits_differ += differs;
            continue;
        }
        struct sighting sighting = {.index = span->index + i,
                                    .input = {span->code + i},
                                    .got = got[i],
                                    .want = judge->format->nan};
        struct judgement judgement = judge_output(judge, &y, sighting.want, got[i]);
        worker_count(worker, implementation, span->result, &judgement, &sighting, 0);
    }
    tally_add_right(span_tally(worker, span, implementation), &counts, span->exponent);
}

static bool judge_span(struct worker *worker, const struct span *span, size_t implementation,
                       void *const *outputs, struct error *error) {
    switch (span->block->kind) {
    case BLOCK_FIT:
        return judge_fit(worker, span, implementation, outputs, error);
    case BLOCK_FLAT:
        if (is_nan_flat(span)) {
            judge_nan(worker, span, implementation, outputs);
            return true;
        }
        judge_flat(worker, span, implementation, outputs);
        return true;
    case BLOCK_NAN:
        judge_nan(worker, span, implementation, outputs);
        return true;
    default:
        for (size_t i = 0; i < span->count; i++)
            if (!worker_judge_exactly(worker, implementation, span->result, span->index + i,
                                      span->at + i, outputs, error))
                return false;
        return true;
    }
}

/* The span that begins at input `at` of the slice. */
static struct span next_span(struct worker *worker, int result, uint64_t first, size_t at,
                             size_t count) {
    const uint32_t *codes = worker->inputs[0];
    struct span span = {.result = result, .index = first + at, .at = at, .code = codes[at]};
    span.block = filter_block(worker->filters[result], span.code);
    uint64_t end = span.block->first + ((uint64_t)1 << span.block->log2_count);
    span.exponent = worker_exponent(worker, span.code);
    /* Subnormals change their binade within a block. */
    uint64_t magnitude = format_magnitude(worker->judge.format, span.code);
    if (format_classify(worker->judge.format, span.code) <= CLASS_SUBNORMAL) {
        uint64_t next = magnitude ? (uint64_t)2 << (63 - leading_zeros(magnitude)) : 1;
        end = span.code - magnitude + next < end ? span.code - magnitude + next : end;
    }
    /* Infinity is no NaN, and shares no block with one. */
    size_t room = count - at, wanted = (size_t)(end - span.code);
    span.count = wanted < room ? wanted : room;
    while (span.count > 1 && codes[at + span.count - 1] != span.code + span.count - 1)
        span.count /= 2;
    return span;
}

/* Whether no earlier input of the sweep lies in the block: it is rechecked then, once, whichever
 * thread comes to it and however little of it is swept. */
static bool is_first_of_block(const struct worker *worker, const struct span *span) {
    const struct code_set *set = &worker->request->domain->sets[0];
    return span->code == span->block->first || span->index == 0 ||
           code_set_at(set, span->index - 1) != span->code - 1;
}

/* The fast oracle's word against MPFR's, at seeded inputs of the block. */
static bool recheck(struct worker *worker, const struct span *span, struct error *error) {
    const struct block *block = span->block;
    if (block->kind == BLOCK_EXACT || block->kind == BLOCK_NAN || !is_first_of_block(worker, span))
        return true;
    for (unsigned i = 0; i < worker->request->recheck; i++) {
        uint64_t size = (uint64_t)1 << block->log2_count;
        uint64_t code = block->first + generator_below(RECHECK_SEED, block->first, i, size);
        worker->counts[span->result].rechecked++;
        if (!filter_recheck(worker->filters[span->result], code, error))
            return false;
    }
    return true;
}

bool worker_judge_fast(struct worker *worker, int result, uint64_t first, size_t *count,
                       void *const *outputs, struct error *error) {
    memset(worker->asked, 0, *count);
    for (size_t at = 0; at < *count;) {
        if (worker_should_stop(worker, result)) {
            *count = at;
            break;
        }
        struct span span = next_span(worker, result, first, at, *count);
        if (!recheck(worker, &span, error))
            return false;
        for (size_t i = 0; i < worker->request->implementation_count; i++)
            if (worker->provided[i] && !judge_span(worker, &span, i, outputs, error))
                return false;
        at += span.count;
    }
    uint64_t asked = 0;
    for (size_t i = 0; i < *count; i++)
        asked += worker->asked[i];
    worker->counts[result].exact += asked;
    worker->counts[result].fast += *count - asked;
    return true;
}
