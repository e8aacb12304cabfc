/* Computing, ranking and measuring inputs along a line. */
#include "sweep/search/look.h"

#include "base/bits.h"
#include "oracle/boundary.h"
#include "sweep/judge/again.h"
#include "sweep/judge/output.h"
#include "sweep/judge/promise_check.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* How far the polynomial may be off the exact error, or the exact distance, where that is asked. */
#define OFF_SLACK 0x1p-8

/* So many of the top are measured exactly: near a boundary the polynomial cannot tell them apart. */
enum { NEAREST = 4 };

bool look_is_boundary(const struct look *look) {
    return look->prober->request->purpose == SEARCH_BOUNDARY;
}

size_t look_allowed(const struct look *look, size_t count) {
    size_t left = look->probe->most - look->result->evaluations;
    return count < left ? count : left;
}

/* Smaller distances first, told apart from each other. */
static double rank_of_distance(double distance) {
    return 1 / (distance + 0x1p-200);
}

static void load_input(const struct look *look, size_t at, uint64_t *codes) {
    worker_load_inputs(&look->prober->worker, at, codes);
}

static void add_strange(struct look *look, size_t at) {
    if (look->result->strange < PROBE_STRANGE)
        load_input(look, at, look->result->strange_inputs[look->result->strange++]);
}

void look_note_flushed(struct look *look, size_t at) {
    look->flushed = look->has_flushed ? look->flushed : at;
    look->has_flushed = true;
}

bool look_take_flushed(struct look *look, struct error *error) {
    double unused;
    bool has = look->has_flushed;
    look->has_flushed = false;
    return !has || look_take(look, look->flushed, &unused, error);
}

static void note_event(void *context, enum event_kind kind, size_t at) {
    (void)kind;
    add_strange(context, at);
}

uint64_t look_call(const struct look *look, int operand, uint64_t code) {
    const struct integer_place *place = &look->prober->integer;
    return operand == place->operand ? integer_snap(place, look->computed->format, code) : code;
}

bool look_fill(struct look *look, struct error *error) {
    struct prober *prober = look->prober;
    struct worker *worker = &prober->worker;
    struct slice slice = {.count = look->count};
    const struct implementation *implementations = worker->request->implementations;
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = worker->inputs[i];
    for (size_t i = 0; i < prober->implementation_count; i++) {
        size_t which = prober->implementations[i];
        memcpy(slice.results, prober->outputs[i], sizeof slice.results);
        slice.unanswered = worker->unanswered[which];
        memset(slice.unanswered, 0, look->count);
        slice.earlier = &worker->earlier;
        if (look_wants_flags(look))
            look_ask_for_flags(look, which, &slice);
        if (!binding_fill(&worker->bindings[which], &slice, note_event, look, error) ||
            !worker_choose_worse(worker, &slice, error))
            return false;
        look->is_cut = look->is_cut || foreign_is_stopped(implementations[which].foreign);
        worker->unanswered_count[which] = memchr(slice.unanswered, 1, look->count) != NULL;
    }
    return true;
}

static uint64_t output_of(const struct look *look, size_t implementation, int result, size_t at) {
    return code_load(look->prober->outputs[implementation][result],
                     format_bytes(look->prober->worker.judge.format), at);
}

/* What is allowed is no find, and is not gone after; the largest is kept, for the report to show. */
static void note_allowed(struct look *look, const struct witness *witness,
                         const struct judgement *judgement) {
    struct probe_result *result = look->result;
    if (!judgement->in_ulps || !(judgement->error > 0) ||
        (result->has_allowed && result->allowed.value >= judgement->error))
        return;
    result->has_allowed = true;
    result->allowed.value = judgement->error;
    memcpy(result->allowed.input, witness->input, sizeof result->allowed.input);
}

/* A wrong rounding of such an operation is a find, however small its error: 0.5 ulp and 2^-60 are less than what another
 * input has that is right. */
static bool must_be_right(const struct operation *operation) {
    return operation->exceptions == EXCEPTIONS_OF_IEEE ||
           operation->exceptions == EXCEPTIONS_OF_EXACT;
}

/* The exact value of what is sought for one input and result; false where there is none. */
static bool measure(struct look *look, size_t at, int result, double *value, bool *found,
                    struct error *error) {
    struct prober *prober = look->prober;
    const struct judge *judge = &prober->worker.judge;
    const struct format *format = judge->format;
    uint64_t input[MAX_OPERANDS];
    struct real y;
    *found = false;
    load_input(look, at, input);
    if (prober->request->purpose == SEARCH_DIFFERENCE) {
        uint64_t a = output_of(look, 0, result, at), b = output_of(look, 1, result, at);
        bool a_is_nan = format_is_nan(format, a), b_is_nan = format_is_nan(format, b);
        if (a_is_nan != b_is_nan)
            add_strange(look, at);
        *found = !a_is_nan && !b_is_nan && a != b;
        y = format_decode(format, b);
        if (*found)
            *value = ulp_error(format, &y, a);
        return true;
    }
    if (!oracle_exact(&prober->worker.refined, input, result, &y, error))
        return false;
    if (look_is_boundary(look)) {
        const struct cast rounding = cast_of_results(format, judge->rounding);
        bool near = y.inexact && boundary_is_near(format, &y);
        *value = near ? boundary_distance(&rounding, &y) : 1;
        *found = *value < 1;
        return true;
    }
    uint64_t want = worker_want(&prober->worker, &y, input, 0);
    struct witness witness = {.want = want, .got = output_of(look, 0, result, at)};
    struct judgement judgement = judge_output(judge, &y, want, witness.got);
    memcpy(witness.input, input, sizeof witness.input);
    witness.error = judgement.error;
    if (prober->worker.request->promises &&
        worker_allows(&prober->worker, prober->implementations[0], result, &judgement, &witness)) {
        if (!output_is_flushed(format, want, witness.got))
            note_allowed(look, &witness, &judgement);
        return true;
    }
    /* A flushed result is off by up to 2^52 ulps: it is told, and not what the search goes after. */
    if (output_is_flushed(format, want, witness.got)) {
        if (!prober->request->accepts_flushed)
            add_strange(look, at);
        return true;
    }
    if (judgement.verdict == VERDICT_NAN_MISMATCH || judgement.verdict == VERDICT_SIGN_MISMATCH)
        add_strange(look, at);
    bool is_wrong = judgement.verdict != VERDICT_CORRECT;
    if (is_wrong && look->probe->is_built && must_be_right(look->computed->operation))
        add_strange(look, at);
    *found = judgement.in_ulps && (is_wrong || prober->request->purpose != SEARCH_WRONG_ROUNDING);
    *value = judgement.error;
    return true;
}

/* Whether a conversion's profile leaves the result undefined. */
static bool is_open(const struct look *look, size_t at) {
    uint64_t input[MAX_OPERANDS];
    load_input(look, at, input);
    return open_inputs_have(&look->prober->open, input[0], 0);
}

bool look_take(struct look *look, size_t at, double *rank, struct error *error) {
    struct probe_result *result = look->result;
    bool boundary = look_is_boundary(look);
    *rank = -1;
    if (is_open(look, at))
        return true;
    for (int i = 0; i < look->computed->operation->results; i++) {
        double value;
        bool found;
        if (!measure(look, at, i, &value, &found, error))
            return false;
        if (!found)
            continue;
        double mine = boundary ? rank_of_distance(value) : value;
        *rank = mine > *rank ? mine : *rank;
        if (!result->has_best ||
            (boundary ? value < result->best.value : value > result->best.value)) {
            result->has_best = true;
            result->best.value = value;
            load_input(look, at, result->best.input);
        }
    }
    return true;
}

/* The same input has the same rank. */
static bool is_there(const struct look *look, size_t place, double offset, double rank) {
    const struct look_top *top = look->top;
    for (; place > 0 && top[place - 1].rank <= rank; place--)
        if (top[place - 1].offset <= offset && top[place - 1].offset >= offset)
            return true;
    return false;
}

static void offer_one(struct look *look, size_t at, double rank, bool below) {
    struct look_top *top = look->top;
    double offset = look->prober->offsets[at];
    size_t place = look->top_count, last;
    while (place > 0 && top[place - 1].rank < rank)
        place--;
    if (is_there(look, place, offset, rank))
        return;
    last = look->top_count < LOOK_TOP ? look->top_count++ : LOOK_TOP - 1;
    memmove(top + place + 1, top + place, (last - place) * sizeof *top);
    top[place] = (struct look_top){at, offset, rank, below};
}

void look_offer(struct look *look, const double *ranks) {
    for (size_t at = 0; at < look->count; at++) {
        double rank = fabs(ranks[at]);
        if (rank <= DBL_MAX && (look->top_count < LOOK_TOP || rank > look->top[LOOK_TOP - 1].rank))
            offer_one(look, at, rank, ranks[at] < 0);
    }
    size_t tops = look->top_count < LOOK_TOP_MEAN ? look->top_count : LOOK_TOP_MEAN;
    double sum = 0;
    for (size_t i = 0; i < tops; i++)
        sum += look->top[i].rank;
    look->result->below = tops && look->top[0].below;
    look->result->top = tops ? sum / (double)tops : 0;
}

/* The codes of the inputs at the offsets. */
static void load_offsets(struct look *look) {
    struct prober *prober = look->prober;
    const struct line *line = &look->line;
    size_t bytes = format_bytes(look->computed->format);
    for (size_t at = 0; at < look->count; at++)
        code_store(prober->worker.inputs[line->running], bytes, at,
                   line->codes[line->running] + (uint64_t)(int64_t)prober->offsets[at]);
    for (int i = 0; i < look->computed->operation->operands; i++)
        for (size_t at = 0; i != line->running && at < look->count; at++)
            code_store(prober->worker.inputs[i], bytes, at, line->codes[i]);
}

/* Outputs as doubles. */
static const double *output_values(struct look *look, size_t implementation, int result,
                                   double *room) {
    const void *outputs = look->prober->outputs[implementation][result];
    if (look->prober->worker.judge.format->width == 64)
        return outputs;
    const float *narrow = outputs;
    for (size_t at = 0; at < look->count; at++)
        room[at] = narrow[at];
    return room;
}

/* |a - b| in ulps of b, where `a` is overwritten. */
static void differences(const struct format *format, double *a, const double *b, size_t count) {
    int least = format->emin - format->precision + 1;
    for (size_t i = 0; i < count; i++) {
        int exponent = (int)(bits_of(b[i]) >> 52 & 0x7ff) - 1023 - format->precision + 1;
        a[i] = ldexp(fabs(a[i] - b[i]), -(exponent < least ? least : exponent));
    }
}

/* Zeros on a line of subnormal results are flushed, and no errors. */
static void pass_over_flushed(struct look *look, int result, double *ranks) {
    const struct format *format = look->prober->worker.judge.format;
    const struct line_result *line = &look->line.results[result];
    const void *outputs = look->prober->outputs[0][result];
    if (line->exponents[0] >= format->emin || line->exponents[1] >= format->emin)
        return;
    for (size_t at = 0; at < look->count; at++) {
        if (!format_is_zero(format, code_load(outputs, format_bytes(format), at)))
            continue;
        ranks[at] = 0;
        look_note_flushed(look, at);
    }
}

/* The ranks of one result of all loaded inputs; below 0 where the output is below the exact result.
 */
static void rank_line(struct look *look, int result, double *ranks) {
    struct prober *prober = look->prober;
    const struct format *format = prober->worker.judge.format;
    enum rounding rounding = prober->worker.judge.rounding;
    bool nearest = rounding == ROUND_NEAREST_EVEN || rounding == ROUND_NEAREST_AWAY;
    switch (prober->request->purpose) {
    case SEARCH_BOUNDARY:
        line_fractions(&look->line.results[result], prober->offsets, ranks, look->count);
        for (size_t at = 0; at < look->count; at++)
            ranks[at] = rank_of_distance(nearest ? 0.5 - fabs(ranks[at]) : fabs(ranks[at]));
        return;
    case SEARCH_DIFFERENCE:
        memcpy(ranks, output_values(look, 0, result, prober->values), look->count * sizeof *ranks);
        differences(format, ranks, output_values(look, 1, result, prober->values), look->count);
        return;
    default:
        line_errors(&look->line.results[result], format, prober->offsets,
                    output_values(look, 0, result, prober->values), ranks, look->count);
        pass_over_flushed(look, result, ranks);
        return;
    }
}

/* Inputs whose rank is no number: the exact oracle sees what they are, while there are few. */
static bool judge_odd(struct look *look, const double *ranks, struct error *error) {
    size_t odd = 0;
    for (size_t at = 0; at < look->count && odd < PROBE_STRANGE; at++) {
        double rank;
        if (fabs(ranks[at]) <= DBL_MAX || !look_is_answered(look, at))
            continue;
        odd++;
        if (!look_take(look, at, &rank, error))
            return false;
    }
    return true;
}

/* The larger rank; what is no number prevails. */
static void take_larger(double *ranks, const double *more, size_t count) {
    for (size_t i = 0; i < count; i++)
        ranks[i] =
            fabs(more[i]) <= fabs(ranks[i]) || !(fabs(ranks[i]) <= DBL_MAX) ? ranks[i] : more[i];
}

bool look_try(struct look *look, struct error *error) {
    struct prober *prober = look->prober;
    load_offsets(look);
    if (!look_fill(look, error))
        return false;
    rank_line(look, 0, prober->ranks);
    for (int i = 1; i < look->computed->operation->results; i++) {
        rank_line(look, i, prober->more_ranks);
        take_larger(prober->ranks, prober->more_ranks, look->count);
    }
    for (size_t at = 0; prober->implementation_count && at < look->count; at++)
        if (!look_is_answered(look, at))
            prober->ranks[at] = NAN;
    look->result->evaluations += look->count;
    look_offer(look, prober->ranks);
    return look_take_flushed(look, error) && judge_odd(look, prober->ranks, error);
}

/* Loads the top again, with its outputs. */
static bool load_top(struct look *look, struct error *error) {
    look->count = look->top_count;
    for (size_t i = 0; i < look->count; i++) {
        look->prober->offsets[i] = look->top[i].offset;
        look->top[i].at = i;
    }
    load_offsets(look);
    return look_fill(look, error);
}

bool look_confirm(struct look *look, bool *good, struct error *error) {
    size_t measured = 0, most = look_is_boundary(look) ? NEAREST : 1;
    *good = true;
    if (!load_top(look, error))
        return false;
    for (size_t i = 0; i < look->top_count && measured < most && *good; i++) {
        double exact, ranked = look->top[i].rank;
        if (!look_take(look, i, &exact, error))
            return false;
        if (exact < 0)
            continue;
        measured++;
        *good = look_is_boundary(look) ? fabs(1 / exact - 1 / ranked) <= OFF_SLACK
                                       : fabs(exact - ranked) <= OFF_SLACK * (1 + ranked);
    }
    return true;
}
