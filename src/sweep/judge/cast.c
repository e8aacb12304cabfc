/* Judging conversions of consecutive codes. The exact rule (format/cast.h) says how far a result
 * holds; along such a run the wanted code is one and the errors are a line, so a run of outputs
 * that are all right is counted at once, and only others one by one. */
#include "sweep/judge/output.h"
#include "sweep/judge/slice.h"

#include <math.h>

/* A stretch of a run on which the error is monotone and steps by the same amount. */
struct stretch {
    struct worker *worker;
    size_t implementation;
    uint64_t index; /* of the first input in the domain */
    size_t at, count;
    uint64_t code, want;
    uint64_t step; /* the wanted code is `want` + step for the next input, and so on */
    const void *got;
    int exponent;
};

static struct witness witness_at(const struct stretch *stretch, size_t offset) {
    size_t bytes = format_bytes(stretch->worker->judge.format);
    return (struct witness){.index = stretch->index + offset,
                            .input = {stretch->code + offset},
                            .got = code_load(stretch->got, bytes, stretch->at + offset),
                            .want = (stretch->want + offset * stretch->step) &
                                    format_mask(stretch->worker->judge.format)};
}

/* One output by its own, counted. */
static struct judgement judge_one(const struct stretch *stretch, size_t offset) {
    struct worker *worker = stretch->worker;
    struct witness witness = witness_at(stretch, offset);
    struct real y = format_decode(worker->request->computed.format, witness.input[0]);
    struct judgement judgement = judge_output(&worker->judge, &y, witness.want, witness.got);
    witness.error = judgement.error;
    worker_count(worker, stretch->implementation, 0, &judgement, &witness, 0);
    return judgement;
}

static void judge_each(const struct stretch *stretch) {
    for (size_t i = 0; i < stretch->count; i++)
        if (!worker_is_unanswered(stretch->worker, stretch->implementation, stretch->at + i))
            judge_one(stretch, i);
}

/* Of inputs 1 .. count-2 of a stretch, whose errors are distances d, in steps, that run evenly from
 * `first` to `last` (of inputs 0 and count-1): how many are at most `limit` steps. */
static uint64_t at_most(double first, double last, double limit, uint64_t count) {
    double inner = (double)count - 2, few;
    if (last > first)
        few = floor(limit - first);
    else if (last < first)
        few = inner + 1 - ceil(first - limit);
    else
        few = first <= limit ? inner : 0;
    return few <= 0 ? 0 : few >= inner ? count - 2 : (uint64_t)few;
}

/* All outputs are the wanted code: the inner ones at once, given the judgements of both ends. */
static void count_inner(const struct stretch *stretch, const struct judgement *first,
                        const struct judgement *last) {
    struct worker *worker = stretch->worker;
    const struct format *from = worker->request->computed.format, *to = worker->judge.format;
    uint64_t inner = stretch->count - 2, below = 0;
    struct bulk_outputs bulk = {.count = inner, .faithful = inner};
    if (first->in_ulps) {
        struct real y = format_decode(from, stretch->code);
        int unit = y.exponent > from->emin ? y.exponent : from->emin;
        double step = ldexp(1, unit - from->precision + 1 - format_ulp_exponent(to, &y));
        bool level = !(first->error < last->error) && !(first->error > last->error);
        for (int i = 0; i < HISTOGRAM_EDGES; i++) {
            double limit = level ? histogram_edges[i] : floor(histogram_edges[i] / step);
            double scale = level ? 1 : step;
            uint64_t reached =
                at_most(first->error / scale, last->error / scale, limit, stretch->count);
            bulk.histogram[i] = reached - below;
            below = reached;
            if (histogram_edges[i] <= 1)
                bulk.over_1_ulp = inner - reached;
        }
        bulk.histogram[HISTOGRAM_EDGES] = inner - below;
        bulk.in_ulps = inner;
        /* The mean of a line is that of its ends. */
        bulk.error_sum = (uint64_t)((first->error + last->error) / 2 * (double)inner *
                                    (double)(UINT64_C(1) << BULK_UNITS_LOG2));
    } else
        bulk.nan_bits_differ = first->nan_bits_differ ? inner : 0;
    tally_add_bulk(&worker->tallies[stretch->implementation * MAX_RESULTS], &bulk,
                   stretch->exponent, stretch->code);
}

static bool overflows(const struct stretch *stretch, size_t offset) {
    const struct worker *worker = stretch->worker;
    struct real y = format_decode(worker->request->computed.format, stretch->code + offset);
    return y.kind == REAL_FINITE &&
           format_overflows(worker->judge.format, &y, worker->judge.rounding);
}

/* Whether the errors are known to run evenly, from what the ends have. Where an operand is so far
 * below the result that its distance is no longer exact in a double, all distances are the same but
 * for what a double leaves out. */
static bool is_even(const struct stretch *stretch) {
    return overflows(stretch, 0) == overflows(stretch, stretch->count - 1);
}

static void judge_stretch(const struct stretch *stretch) {
    if (stretch->count < 4 || !is_even(stretch)) {
        judge_each(stretch);
        return;
    }
    struct judgement first = judge_one(stretch, 0);
    struct judgement last = judge_one(stretch, stretch->count - 1);
    count_inner(stretch, &first, &last);
}

/* Where the input's binade ends: the code behind it. */
static uint64_t end_of_binade(const struct format *format, uint64_t code) {
    uint64_t magnitude = format_magnitude(format, code);
    uint64_t fraction = ((uint64_t)1 << (format->precision - 1)) - 1;
    if (format_classify(format, code) >= CLASS_INFINITE || format_is_zero(format, code))
        return UINT64_MAX;
    if (format->is_integer && format_is_negative(format, code)) /* whose codes lead to 0 */
        return code + magnitude - ((uint64_t)1 << (63 - leading_zeros(magnitude))) + 1;
    if (magnitude && magnitude <= fraction)
        return code - magnitude + ((uint64_t)2 << (63 - leading_zeros(magnitude)));
    return code - (magnitude & fraction) + fraction + 1;
}

/* The code of the wanted number in the operands' format, where errors begin to grow again; false
 * where that is no number of it. */
static bool turning_point(const struct stretch *stretch, uint64_t *code) {
    const struct worker *worker = stretch->worker;
    const struct format *from = worker->request->computed.format;
    struct real want = format_decode(worker->judge.format, stretch->want);
    if (want.kind == REAL_NAN || want.kind == REAL_INFINITE) {
        *code = 0;
        return true;
    }
    *code = format_encode(from, &want, ROUND_TOWARD_ZERO, OVERFLOW_IEEE);
    return format_encode(from, &want, ROUND_UP, OVERFLOW_IEEE) == *code &&
           format_encode(from, &want, ROUND_DOWN, OVERFLOW_IEEE) == *code &&
           !format_overflows(from, &want, ROUND_NEAREST_EVEN);
}

/* All of a run's outputs that lie in the slice, which are all right: binade by binade. */
static void count_run(struct stretch run) {
    const struct format *from = run.worker->request->computed.format;
    uint64_t turn;
    if (!turning_point(&run, &turn)) {
        judge_each(&run);
        return;
    }
    while (run.count) {
        struct stretch part = run;
        uint64_t end = end_of_binade(from, run.code);
        if (turn > run.code && turn - run.code < end - run.code) /* the end of uint64 is 0 */
            end = turn;
        if (end - run.code < part.count)
            part.count = (size_t)(end - run.code);
        part.exponent = worker_exponent(run.worker, run.code);
        judge_stretch(&part);
        run.code += part.count;
        run.index += part.count;
        run.at += part.count;
        run.count -= part.count;
    }
}

/* The same where wanted codes step and are exact: all errors are 0. */
static void count_exact_run(struct stretch run) {
    const struct format *from = run.worker->request->computed.format;
    while (run.count) {
        struct stretch part = run;
        uint64_t left = end_of_binade(from, run.code) - run.code;
        part.count = left < part.count ? (size_t)left : part.count;
        part.exponent = worker_exponent(run.worker, run.code);
        judge_one(&part, 0);
        if (part.count > 1)
            judge_one(&part, part.count - 1);
        if (part.count > 2) {
            uint64_t inner = part.count - 2;
            struct bulk_outputs bulk = {
                .count = inner, .faithful = inner, .in_ulps = inner, .histogram = {inner}};
            tally_add_bulk(&run.worker->tallies[run.implementation * MAX_RESULTS], &bulk,
                           part.exponent, part.code);
        }
        run.code += part.count;
        run.index += part.count;
        run.at += part.count;
        run.count -= part.count;
        run.want = (run.want + part.count * run.step) & format_mask(run.worker->judge.format);
    }
}

/* Inlined with a constant `bytes`, the loop vectorises. */
static inline bool all_are(const void *got, size_t bytes, size_t at, size_t count, uint64_t want) {
    uint64_t differs = 0;
    for (size_t i = 0; i < count; i++)
        differs |= code_load(got, bytes, at + i) ^ want;
    return !differs;
}

static inline bool all_step(const void *got, size_t bytes, size_t at, size_t count, uint64_t want,
                            uint64_t step, uint64_t mask) {
    uint64_t differs = 0;
    for (size_t i = 0; i < count; i++)
        differs |= code_load(got, bytes, at + i) ^ ((want + i * step) & mask);
    return !differs;
}

static bool is_right(const struct stretch *run) {
    size_t bytes = format_bytes(run->worker->judge.format);
    uint64_t mask = format_mask(run->worker->judge.format);
    if (run->step)
        return bytes == 4
                   ? all_step(run->got, 4, run->at, run->count, run->want, run->step, mask)
                   : all_step(run->got, bytes, run->at, run->count, run->want, run->step, mask);
    switch (bytes) {
    case 1:
        return all_are(run->got, 1, run->at, run->count, run->want);
    case 2:
        return all_are(run->got, 2, run->at, run->count, run->want);
    default:
        return all_are(run->got, bytes, run->at, run->count, run->want);
    }
}

bool worker_can_judge_runs(const struct worker *worker) {
    const struct binding_request *computed = &worker->request->computed;
    enum domain_kind kind = worker->request->domain->kind;
    return computed->operation->converts && (kind == DOMAIN_ALL || kind == DOMAIN_RANGE) &&
           format_is_plain(computed->format) && !worker->request->exact_only &&
           conversion_is_uniform(&worker->cast, &computed->parameters);
}

void worker_judge_runs(struct worker *worker, uint64_t first, size_t *count, void *const *outputs) {
    const struct binding_request *computed = &worker->request->computed;
    size_t bytes = format_bytes(computed->format);
    uint64_t random = conversion_random(&worker->cast, &computed->parameters, 0);
    for (size_t at = 0; at < *count;) {
        if (worker_should_stop(worker, 0)) {
            *count = at;
            break;
        }
        struct stretch run = {.worker = worker, .index = first + at, .at = at};
        run.code = code_load(worker->inputs[0], bytes, at);
        run.want = cast_code(&worker->cast, run.code, random);
        /* Only as far as the slice: a run may go on for millions. */
        uint64_t room = *count - at;
        while (code_load(worker->inputs[0], bytes, at + room - 1) != run.code + room - 1)
            room /= 2;
        uint64_t limit = run.code + room - 1;
        uint64_t end = cast_exact_run_end(&worker->cast, run.code, limit, &run.step);
        if (end == run.code) {
            run.step = 0;
            end = cast_run_end(&worker->cast, run.code, limit, random);
        }
        run.count = (size_t)(end - run.code + 1);
        for (size_t i = 0; i < worker->request->implementation_count; i++) {
            if (!worker->provided[i])
                continue;
            run.implementation = i;
            run.got = outputs[i * MAX_RESULTS];
            if (worker->unanswered_count[i] || !is_right(&run))
                judge_each(&run);
            else if (run.step)
                count_exact_run(run);
            else
                count_run(run);
        }
        at += run.count;
    }
    worker->counts[0].fast += *count;
}
