/* The loop over inputs that everything is counted in. */
#include "explain/verdict.h"

#include <omp.h>
#include <stdlib.h>

/* What the hypothesis has the side give at a place of the block, whose other side gives `other`. */
static uint64_t predict(struct work *work, size_t row, int side, size_t at, const uint64_t *truth) {
    const struct hypothesis *one = &work->rows[row];
    struct changed *changed = &work->changed[row];
    uint64_t other = work_output(work, 1 - side, at);
    switch (one->source) {
    case FROM_TRUTH:
        return truth[one->truth];
    case FROM_REBUILD:
        return code_load(work->rebuilt[row - hypothesis_own_rows(work->request)],
                         format_bytes(work->out), at);
    case FROM_MOVED: {
        const struct moved *moved = &work->moved[work->moved_of[row]];
        if (moved->has[at])
            other = moved->codes[1 - side][at];
        break;
    }
    case FROM_CONVERSION: {
        uint64_t predicted;
        return conversion_predict(one, &work->converted, other, &predicted) ? predicted : other;
    }
    default:
        break;
    }
    if (one->result == CHANGE_NONE)
        return other;
    if (!changed->known || changed->from != other)
        *changed = (struct changed){true, other,
                                    hypothesis_change(work->out, one->result, one->narrow, other)};
    return changed->to;
}

static bool is_of_both(const struct format *format, const struct hypothesis *row, uint64_t a,
                       uint64_t b) {
    return row->result == CHANGE_NAN ? format_is_nan(format, a) && format_is_nan(format, b)
                                     : format_is_zero(format, a) && format_is_zero(format, b);
}

/* Whether what is asked of a row follows from the other side's result as it is, or is only what is
 * right: then the row predicts nothing. Most rows and inputs end here. */
static bool is_silent(const struct work *work, size_t row, int side, size_t at,
                      const uint64_t *truth) {
    const struct hypothesis *one = &work->rows[row];
    if (one->source == FROM_TRUTH)
        return truth[one->truth] == truth[work->request->computed.rounding];
    if (one->source == FROM_MOVED && work->moved[work->moved_of[row]].has[at])
        return false;
    if (one->result == CHANGE_NONE)
        return one->source != FROM_REBUILD;
    return one->result != CHANGE_TO_NARROW &&
           format_classify(work->out, work_output(work, 1 - side, at)) != CLASS_SUBNORMAL;
}

/* Whether a side that truncates a wider result truncates an overflow too: it may, and need not. */
static bool truncates_overflow(const struct work *work, const struct hypothesis *row, uint64_t own,
                               const uint64_t *truth) {
    return row->source == FROM_TRUTH && row->truth == TRUTH_TOWARD_ZERO_BY_FP64 &&
           own == truth[ROUND_TOWARD_ZERO] &&
           format_is_infinite(work->out, truth[ROUND_NEAREST_EVEN]);
}

static void add_wrong(struct work *work, int bit, const struct difference *found) {
    counts_add_wrong(&work->counts, bit, found, work->repeats);
    if (work->pass->visit_wrong)
        work->pass->visit_wrong(work->pass->visit_context, (hypothesis_set)1 << bit, found);
}

/* The same of a conversion: what a row says holds wherever it says anything. */
static void check_conversion(struct work *work, size_t row, int side,
                             const struct difference *found, hypothesis_set *set) {
    uint64_t predicted;
    switch (verdict_of_row(work, row, side, found, &predicted)) {
    case SAYS_WRONG:
        add_wrong(work, (int)row * 2 + side, found);
        break;
    case SAYS_WHY:
        *set |= hypothesis_bit(row, side);
        break;
    case SAYS_NOTHING:
    case SAYS_RIGHT:
        break;
    }
}

/* What a row says of a side: adds it to the set, or to those that are wrong. */
static void check_side(struct work *work, size_t row, int side, size_t at,
                       const struct difference *found, const uint64_t *truth, hypothesis_set *set) {
    const struct hypothesis *one = &work->rows[row];
    hypothesis_set bit = hypothesis_bit(row, side);
    if (!verdict_is_asked(work, row, side, found))
        return;
    if (one->source == FROM_MOVED && work->moved[work->moved_of[row]].ended)
        return;
    if (one->source == FROM_CONVERSION) {
        check_conversion(work, row, side, found, set);
        return;
    }
    if (truncates_overflow(work, one, found->sides[side], truth)) {
        if (found->sides[0] != found->sides[1])
            *set |= bit;
        return;
    }
    if (is_silent(work, row, side, at, truth)) {
        /* A rounding holds everywhere: a side that is not right has another result by it. */
        if (one->source == FROM_TRUTH && one->truth <= TRUTH_TOWARD_ZERO_BY_FP64 &&
            one->truth != ROUND_NEAREST_AWAY && found->sides[0] != found->sides[1] &&
            !hypothesis_same(work->out, truth[one->truth], found->sides[side]))
            add_wrong(work, (int)row * 2 + side, found);
        return;
    }
    uint64_t predicted = predict(work, row, side, at, truth);
    if (hypothesis_same(work->out, predicted, found->sides[1 - side]))
        return;
    if (hypothesis_same(work->out, predicted, found->sides[side]))
        *set |= bit;
    else
        add_wrong(work, (int)row * 2 + side, found);
}

/* The hypotheses that explain a difference; counts those that are wrong about the input. Those that are
 * asked only where the sides differ have no truth elsewhere. */
static hypothesis_set hold(struct work *work, size_t at, const struct difference *found,
                           const uint64_t *truth) {
    hypothesis_set set = 0;
    const uint64_t *sides = found->sides;
    for (size_t i = 0; i < work->active_count; i++) {
        size_t row = work->active[i];
        if (work->rows[row].source != FROM_BOTH) {
            check_side(work, row, 0, at, found, truth, &set);
            check_side(work, row, 1, at, found, truth, &set);
        } else if (sides[0] != sides[1] &&
                   is_of_both(work->out, &work->rows[row], sides[0], sides[1])) {
            set |= hypothesis_bit(row, 0);
        }
    }
    return set;
}

/* The exact result of input number `index`, and what rows about conversions are asked about. */
static bool find_truth(struct work *work, const uint64_t *in, uint64_t index, uint64_t *truth,
                       struct error *error) {
    truth_place(&work->truth, index);
    if (!truth_at(&work->truth, in, truth, error))
        return false;
    if (work->truth.converts)
        work->converted = (struct converted){.cast = &work->truth.cast,
                                             .code = in[0],
                                             .random = work->truth.random,
                                             .value = format_decode(work->in, in[0]),
                                             .asked = truth[work->request->computed.rounding]};
    return true;
}

static bool judge(struct work *work, const struct difference *found, uint64_t *truth,
                  struct error *error) {
    const enum rounding rounding = work->request->computed.rounding;
    if (!find_truth(work, found->in, found->index, truth, error))
        return false;
    if (found->sides[0] == found->sides[1])
        return true;
    work->counts.judged += work->repeats;
    for (int side = 0; side < 2; side++)
        if (hypothesis_same(work->out, truth[rounding], found->sides[side]))
            work->counts.right[side] += work->repeats;
    return true;
}

/* Whether no row says anything of an input for which both sides give the same: of nearly all. */
static bool is_plain(const struct work *work, size_t at, const uint64_t *truth) {
    if (work->narrows || work->converts || work->notable[at])
        return false;
    for (size_t i = 0; i < work->truth_count; i++)
        if (truth[work->truth_codes[i]] != truth[work->request->computed.rounding])
            return false;
    return true;
}

static void load_input(const struct work *work, size_t at, uint64_t in[MAX_OPERANDS]) {
    for (int i = 0; i < work->request->computed.operation->operands; i++)
        in[i] = code_load(work->inputs[i], format_bytes(work->in), at);
}

static bool is_passed_over(const struct work *work, size_t at, uint64_t first) {
    const struct side *side = &work->sides[0];
    uint64_t in[MAX_OPERANDS];
    if (!side->takes_integer && !side->open.any)
        return false;
    load_input(work, at, in);
    return side_passes_over(side, in, first + at);
}

/* Digests of what each row has the side give. */
static bool predict_block(struct work *work, const struct input_block *block, uint64_t number,
                          struct error *error) {
    const struct pass *pass = work->pass;
    const size_t count = block->count;
    uint64_t in[MAX_OPERANDS], truth[TRUTH_CODES] = {0};
    for (size_t i = 0; i < work->active_count; i++) {
        size_t row = work->active[i];
        const struct hypothesis *one = &work->rows[row];
        for (size_t at = 0; at < count; at++) {
            load_input(work, at, in);
            if ((one->source == FROM_TRUTH || one->source == FROM_CONVERSION) &&
                !find_truth(work, in, block->first + at, truth, error))
                return false;
            work_put(work, at, predict(work, row, pass->predicted_side, at, truth));
        }
        pass->predicted[row * pass->block_count + number] =
            fingerprint_block(work->out, work->canonical, count);
    }
    return true;
}

static bool is_stopped(const struct explain_request *request) {
    return request->stop && *request->stop;
}

static bool run_block(struct work *work, uint64_t number, struct error *error) {
    const struct pass *pass = work->pass;
    const int operands = work->request->computed.operation->operands;
    struct input_block block = pass->block(pass, number);
    const bool quick = !work->narrows && !work->converts &&
                       !work->truth_count; /* most are plain, without the truth */
    uint64_t truth[TRUTH_CODES] = {0};
    if (!work_ask(work, &block, number, error))
        return false;
    if (pass->predicted && !predict_block(work, &block, number, error))
        return false;
    if (is_stopped(work->request)) /* what is there may not be answers */
        return error_set(error, "interrupted; nothing is explained");
    for (size_t at = 0; at < block.count; at += work->repeats) {
        work->repeats = 1;
        if (is_passed_over(work, at, block.first)) {
            work->counts.not_called++;
            continue;
        }
        if (!work->answered[at]) {
            work->counts.unanswered++;
            continue;
        }
        if (work->has_runs)
            work->repeats = verdict_run(work, at, block.count - at, block.first + at);
        work->counts.tested += work->repeats;
        if (quick && !work->notable[at] && !work->has_runs)
            continue;
        struct difference found = {.index = block.first + at,
                                   .sides = {work_output(work, 0, at), work_output(work, 1, at)}};
        load_input(work, at, found.in);
        bool differ = found.sides[0] != found.sides[1];
        if ((differ || work->converts || work->truth_count) && !judge(work, &found, truth, error))
            return false;
        if (is_plain(work, at, truth))
            continue;
        hypothesis_set set = hold(work, at, &found, truth);
        if (!differ)
            continue;
        found.severity = severity_of(work->out, found.sides);
        work->counts.differ += work->repeats;
        if (!counts_add(&work->counts, work->in, operands, set, &found, work->repeats))
            return error_set(error, "out of memory");
        if (pass->visit)
            pass->visit(pass->visit_context, set, &found);
    }
    return true;
}

/* What the threads of a pass share. */
struct shared {
    bool failed;
    uint64_t done; /* blocks */
};

/* One thread tells, of the blocks of all. */
static void tell(const struct work *work, struct shared *shared) {
    uint64_t done;
#pragma omp atomic capture
    done = ++shared->done;
    if (omp_get_thread_num() == 0)
        stage_tell(work->request->stage, work->pass->doing, done, work->pass->block_count);
}

/* One thread. */
static bool run_share(struct work *work, struct shared *shared, struct error *error) {
    const struct explain_request *request = work->request;
    truth_open(&work->truth, &request->computed, request->result, request->domain);
    bool good = work_open(work, error);
    work->has_runs = good && verdict_has_runs(work);
#pragma omp for schedule(dynamic, 1)
    for (uint64_t at = 0; at < work->pass->block_count; at++) {
        bool stop;
#pragma omp atomic read
        stop = shared->failed;
        if (good && !stop)
            good = run_block(work, at, error);
        if (!good) {
#pragma omp atomic write
            shared->failed = true;
        }
        tell(work, shared);
    }
    truth_close(&work->truth);
    return good;
}

bool pass_run(const struct pass *pass, struct counts *counts, struct error *error) {
    struct shared shared = {0};
    bool reported = false;
    *counts = (struct counts){0};
#pragma omp parallel num_threads(pass->request->threads)
    {
        struct error why = {{0}};
        struct work *work = calloc(1, sizeof *work);
        bool good = work != NULL || error_set(&why, "out of memory");
        struct work none = {.pass = pass, .request = pass->request};
        struct work *mine = work ? work : &none;
        mine->pass = pass;
        mine->request = pass->request;
        good = run_share(mine, &shared, &why) && good;
#pragma omp critical(explain_merge)
        {
            const bool kept = good || (pass->keeps && is_stopped(pass->request));
            if (kept && !counts_merge(counts, &mine->counts))
                good = error_set(&why, "out of memory");
            if (!good && !reported && *why.text) {
                *error = why;
                reported = true;
            }
            shared.failed = shared.failed || !good;
        }
        work_close(mine);
        free(work);
    }
    if (shared.failed && !(pass->keeps && is_stopped(pass->request)))
        counts_free(counts);
    return !shared.failed;
}
