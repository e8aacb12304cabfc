/* The loop over inputs that everything is counted in. */
#include "explain/pass.h"

#include "explain/side.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* The other results that a prediction is made from: at inputs that were changed in one way. */
struct moved {
    enum hypothesis_change change;
    int narrow;
    uint64_t *codes[2]; /* by side and place in the chunk */
    bool *has;          /* whether the change changes the input, and both answer there */
};

enum { MOVED_MOST = HYPOTHESIS_MOST };

/* One thread's share. */
struct work {
    const struct pass *pass;
    const struct explain_request *request;
    const struct format *in, *out;
    void *inputs[MAX_OPERANDS];   /* of the chunk */
    void *gathered[MAX_OPERANDS]; /* of those that were changed */
    size_t *places;               /* and where they stand in the chunk */
    void *canonical;              /* outputs for the digest */
    uint64_t *outputs[2];
    bool *answered;
    struct side sides[2], rebuilds[REBUILD_MOST];
    uint64_t *rebuilt[REBUILD_MOST];
    struct moved moved[MOVED_MOST];
    size_t moved_count;
    int moved_of[HYPOTHESIS_MOST]; /* by row: which, or -1 */
    struct hypothesis rows[HYPOTHESIS_MOST];
    size_t active[HYPOTHESIS_MOST], active_count; /* rows that are asked */
    struct truth truth;
    size_t truth_count; /* of every input these are asked */
    int truth_codes[HYPOTHESIS_MOST];
    bool narrows; /* a row rounds results to a narrow format, or is that of a rebuild */
    struct counts counts;
};

struct hypothesis hypothesis_of(const struct explain_request *request, size_t row) {
    if (row < hypothesis_count)
        return hypotheses[row];
    return (struct hypothesis){.name = request->rebuild_names[row - hypothesis_count],
                               .says = "is what the command builds",
                               .source = FROM_REBUILD};
}

static hypothesis_set of_row(size_t row) {
    return hypothesis_bit(row, 0) | hypothesis_bit(row, 1);
}

static void *room(size_t count, size_t bytes, bool *good) {
    void *array = calloc(count, bytes);
    *good = *good && array;
    return array;
}

/* The changes of inputs that the hypotheses need, each once. */
static void plan_moves(struct work *work, bool *good) {
    for (size_t row = 0; row < hypothesis_rows(work->request); row++) {
        const struct hypothesis *one = &work->rows[row];
        work->moved_of[row] = -1;
        if (one->source != FROM_MOVED || !(work->pass->alive & of_row(row)))
            continue;
        size_t at = 0;
        while (at < work->moved_count &&
               (work->moved[at].change != one->input || work->moved[at].narrow != one->narrow))
            at++;
        work->moved_of[row] = (int)at;
        if (at < work->moved_count)
            continue;
        struct moved *moved = &work->moved[work->moved_count++];
        *moved = (struct moved){.change = one->input, .narrow = one->narrow};
        for (int side = 0; side < 2; side++)
            moved->codes[side] = room(FINGERPRINT_BLOCK, sizeof(uint64_t), good);
        moved->has = room(FINGERPRINT_BLOCK, sizeof(bool), good);
    }
}

static bool open_work(struct work *work, struct error *error) {
    const struct explain_request *request = work->request;
    const struct binding_request *computed = &request->computed;
    const struct domain *domain = request->domain;
    bool good = true;
    work->in = computed->format;
    work->out = request_result_format(computed);
    for (size_t row = 0; row < hypothesis_rows(request); row++) {
        work->rows[row] = hypothesis_of(request, row);
        if (!(work->pass->alive & of_row(row)))
            continue;
        const struct hypothesis *one = &work->rows[row];
        work->active[work->active_count++] = row;
        if (one->source == FROM_TRUTH)
            work->truth_codes[work->truth_count++] = one->truth;
        work->narrows = work->narrows || one->source == FROM_REBUILD ||
                        (one->source == FROM_RESULT && one->result == CHANGE_TO_NARROW);
    }
    for (int i = 0; i < computed->operation->operands; i++) {
        work->inputs[i] = room(FINGERPRINT_BLOCK, format_bytes(work->in), &good);
        work->gathered[i] = room(FINGERPRINT_BLOCK, format_bytes(work->in), &good);
    }
    work->places = room(FINGERPRINT_BLOCK, sizeof *work->places, &good);
    work->canonical = room(FINGERPRINT_BLOCK, format_bytes(work->out), &good);
    work->answered = room(FINGERPRINT_BLOCK, sizeof *work->answered, &good);
    for (int side = 0; side < 2; side++)
        work->outputs[side] = room(FINGERPRINT_BLOCK, sizeof(uint64_t), &good);
    plan_moves(work, &good);
    for (size_t i = 0; i < request->rebuild_count; i++)
        work->rebuilt[i] = room(FINGERPRINT_BLOCK, sizeof(uint64_t), &good);
    if (!good)
        return error_set(error, "out of memory");
    for (int side = 0; good && side < 2; side++)
        good = side_open(&work->sides[side], request->sides[side], computed, request->result,
                         domain, FINGERPRINT_BLOCK, error);
    for (size_t i = 0; good && i < request->rebuild_count; i++)
        good = side_open(&work->rebuilds[i], request->rebuilds[i], computed, request->result,
                         domain, FINGERPRINT_BLOCK, error);
    return good;
}

static void close_work(struct work *work) {
    for (int i = 0; i < MAX_OPERANDS; i++) {
        free(work->inputs[i]);
        free(work->gathered[i]);
    }
    free(work->places);
    free(work->canonical);
    free(work->answered);
    for (int side = 0; side < 2; side++) {
        free(work->outputs[side]);
        side_close(&work->sides[side]);
    }
    for (size_t i = 0; i < work->moved_count; i++) {
        free(work->moved[i].codes[0]);
        free(work->moved[i].codes[1]);
        free(work->moved[i].has);
    }
    for (size_t i = 0; i < REBUILD_MOST; i++) {
        free(work->rebuilt[i]);
        side_close(&work->rebuilds[i]);
    }
    counts_free(&work->counts);
}

/* What a side that has been asked gave. */
static void take(const struct work *work, const struct side *side, size_t count,
                 uint64_t *outputs) {
    const void *codes = side->results[side->result];
    size_t bytes = format_bytes(work->out);
    for (size_t at = 0; at < count; at++)
        outputs[at] = code_load(codes, bytes, at);
}

static void put(const struct work *work, size_t at, uint64_t code) {
    code_store(work->canonical, format_bytes(work->out), at,
               format_is_nan(work->out, code) ? work->out->nan : code);
}

static void digest(struct work *work, uint64_t number, size_t count, int side) {
    for (size_t at = 0; at < count; at++)
        put(work, at, work->outputs[side][at]);
    work->pass->digests[side][number] = fingerprint_block(work->out, work->canonical, count);
}

/* Asks both sides for the outputs at the inputs that a change changes. */
static bool move(struct work *work, struct moved *moved, size_t count, struct error *error) {
    const int operands = work->request->computed.operation->operands;
    size_t bytes = format_bytes(work->in), gathered = 0;
    for (size_t at = 0; at < count; at++) {
        bool changes = false;
        for (int i = 0; i < operands; i++) {
            uint64_t code = code_load(work->inputs[i], bytes, at);
            uint64_t there = hypothesis_change(work->in, moved->change, moved->narrow, code);
            code_store(work->gathered[i], bytes, gathered, there);
            changes = changes || there != code;
        }
        moved->has[at] = false;
        if (changes)
            work->places[gathered++] = at;
    }
    for (int side = 0; gathered && side < 2; side++) {
        struct side *asked = &work->sides[side];
        if (!side_ask_elsewhere(asked, work->gathered, gathered, error))
            return false;
        for (size_t i = 0; i < gathered; i++) {
            size_t at = work->places[i];
            moved->has[at] = !asked->unanswered[i] && (side == 0 || moved->has[at]);
            moved->codes[side][at] =
                code_load(asked->results[asked->result], format_bytes(work->out), i);
        }
    }
    return true;
}

static bool ask_all(struct work *work, const struct chunk *chunk, uint64_t number,
                    struct error *error) {
    const struct explain_request *request = work->request;
    memset(work->answered, 1, chunk->count * sizeof *work->answered);
    domain_fill(request->domain, chunk->first, chunk->count, work->inputs);
    for (int side = 0; side < 2; side++) {
        if (!side_ask(&work->sides[side], work->inputs, chunk->first, chunk->count, error))
            return false;
        for (size_t at = 0; at < chunk->count; at++)
            work->answered[at] = work->answered[at] && !work->sides[side].unanswered[at];
        take(work, &work->sides[side], chunk->count, work->outputs[side]);
        if (work->pass->digests[side])
            digest(work, number, chunk->count, side);
    }
    for (size_t i = 0; i < request->rebuild_count; i++) {
        if (!side_ask(&work->rebuilds[i], work->inputs, chunk->first, chunk->count, error))
            return false;
        take(work, &work->rebuilds[i], chunk->count, work->rebuilt[i]);
        for (size_t at = 0; at < chunk->count; at++) /* no prediction: what A gives */
            if (work->rebuilds[i].unanswered[at])
                work->rebuilt[i][at] = work->outputs[0][at];
    }
    for (size_t i = 0; i < work->moved_count; i++)
        if (!move(work, &work->moved[i], chunk->count, error))
            return false;
    return true;
}

/* What the hypothesis has the side give at a place of the chunk, whose other side gives `other`. */
static uint64_t predict(const struct work *work, size_t row, int side, size_t at,
                        const uint64_t *truth) {
    const struct hypothesis *one = &work->rows[row];
    uint64_t other = work->outputs[1 - side][at];
    switch (one->source) {
    case FROM_TRUTH:
        return truth[one->truth];
    case FROM_REBUILD:
        return work->rebuilt[row - hypothesis_count][at];
    case FROM_MOVED: {
        const struct moved *moved = &work->moved[work->moved_of[row]];
        if (moved->has[at])
            other = moved->codes[1 - side][at];
        break;
    }
    default:
        break;
    }
    return hypothesis_change(work->out, one->result, one->narrow, other);
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
           format_classify(work->out, work->outputs[1 - side][at]) != CLASS_SUBNORMAL;
}

/* What a row says of a side: adds it to the set, or to those that are wrong. */
static void hold_side(struct work *work, size_t row, int side, size_t at,
                      const struct difference *found, const uint64_t *truth, hypothesis_set *set) {
    const struct hypothesis *one = &work->rows[row];
    hypothesis_set bit = hypothesis_bit(row, side);
    if (!(work->pass->alive & bit))
        return;
    if (is_silent(work, row, side, at, truth)) {
        /* A rounding holds everywhere: a side that is not right has another result by it. */
        if (one->source == FROM_TRUTH && one->truth <= TRUTH_AWAY_FROM_ZERO &&
            one->truth != ROUND_NEAREST_AWAY && found->sides[0] != found->sides[1] &&
            !hypothesis_same(work->out, truth[one->truth], found->sides[side]))
            counts_add_wrong(&work->counts, (int)row * 2 + side, found);
        return;
    }
    uint64_t predicted = predict(work, row, side, at, truth);
    if (hypothesis_same(work->out, predicted, found->sides[1 - side]))
        return;
    if (hypothesis_same(work->out, predicted, found->sides[side]))
        *set |= bit;
    else
        counts_add_wrong(&work->counts, (int)row * 2 + side, found);
}

/* The hypotheses that explain a difference; counts those that are wrong about the input. */
static hypothesis_set hold(struct work *work, size_t at, const struct difference *found,
                           const uint64_t *truth) {
    hypothesis_set set = 0;
    const uint64_t *sides = found->sides;
    for (size_t i = 0; i < work->active_count; i++) {
        size_t row = work->active[i];
        if (work->rows[row].source != FROM_BOTH) {
            hold_side(work, row, 0, at, found, truth, &set);
            hold_side(work, row, 1, at, found, truth, &set);
        } else if (sides[0] != sides[1] &&
                   is_of_both(work->out, &work->rows[row], sides[0], sides[1])) {
            set |= hypothesis_bit(row, 0);
        }
    }
    return set;
}

static bool judge(struct work *work, const struct difference *found, uint64_t *truth,
                  struct error *error) {
    const enum rounding rounding = work->request->computed.rounding;
    if (!truth_at(&work->truth, found->in, truth, error))
        return false;
    if (found->sides[0] == found->sides[1])
        return true;
    work->counts.judged++;
    for (int side = 0; side < 2; side++)
        work->counts.right[side] += hypothesis_same(work->out, truth[rounding], found->sides[side]);
    return true;
}

/* Whether no row says anything of an input for which both sides give the same: of nearly all. */
static bool is_plain(const struct work *work, size_t at, const uint64_t *truth) {
    if (work->narrows || work->outputs[0][at] != work->outputs[1][at] ||
        format_classify(work->out, work->outputs[0][at]) == CLASS_SUBNORMAL)
        return false;
    for (size_t i = 0; i < work->moved_count; i++)
        if (work->moved[i].has[at])
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

/* Digests of what each row has the side give. */
static bool predict_chunk(struct work *work, uint64_t number, size_t count, struct error *error) {
    const struct pass *pass = work->pass;
    uint64_t in[MAX_OPERANDS], truth[TRUTH_CODES] = {0};
    for (size_t i = 0; i < work->active_count; i++) {
        size_t row = work->active[i];
        const struct hypothesis *one = &work->rows[row];
        for (size_t at = 0; at < count; at++) {
            load_input(work, at, in);
            if (one->source == FROM_TRUTH && !truth_at(&work->truth, in, truth, error))
                return false;
            put(work, at, predict(work, row, pass->predicted_side, at, truth));
        }
        pass->predicted[row * pass->chunk_count + number] =
            fingerprint_block(work->out, work->canonical, count);
    }
    return true;
}

static bool run_chunk(struct work *work, uint64_t number, struct error *error) {
    const struct pass *pass = work->pass;
    const int operands = work->request->computed.operation->operands;
    struct chunk chunk = pass->chunk(pass, number);
    uint64_t truth[TRUTH_CODES] = {0};
    if (!ask_all(work, &chunk, number, error))
        return false;
    if (pass->predicted && !predict_chunk(work, number, chunk.count, error))
        return false;
    if (work->request->stop && *work->request->stop) /* what is there may not be answers */
        return error_set(error, "interrupted; nothing is explained");
    for (size_t at = 0; at < chunk.count; at++) {
        if (!work->answered[at]) {
            work->counts.unanswered++;
            continue;
        }
        work->counts.tested++;
        struct difference found = {.index = chunk.first + at,
                                   .sides = {work->outputs[0][at], work->outputs[1][at]}};
        load_input(work, at, found.in);
        bool differ = found.sides[0] != found.sides[1];
        if ((differ || work->truth_count) && !judge(work, &found, truth, error))
            return false;
        if (is_plain(work, at, truth))
            continue;
        hypothesis_set set = hold(work, at, &found, truth);
        if (!differ)
            continue;
        work->counts.differ++;
        if (!counts_add(&work->counts, work->in, operands, set, &found))
            return error_set(error, "out of memory");
        if (pass->visit)
            pass->visit(pass->visit_context, set, &found);
    }
    return true;
}

/* One thread. */
static bool run_share(struct work *work, bool *failed, struct error *error) {
    const struct explain_request *request = work->request;
    truth_open(&work->truth, &request->computed, request->result, request->domain);
    bool good = open_work(work, error);
#pragma omp for schedule(dynamic, 1)
    for (uint64_t at = 0; at < work->pass->chunk_count; at++) {
        bool stop;
#pragma omp atomic read
        stop = *failed;
        if (good && !stop)
            good = run_chunk(work, at, error);
        if (!good) {
#pragma omp atomic write
            *failed = true;
        }
    }
    truth_close(&work->truth);
    return good;
}

bool pass_run(const struct pass *pass, struct counts *counts, struct error *error) {
    bool failed = false, told = false;
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
        good = run_share(mine, &failed, &why) && good;
#pragma omp critical(explain_merge)
        {
            if (good && !counts_merge(counts, &mine->counts))
                good = error_set(&why, "out of memory");
            if (!good && !told && *why.text) {
                *error = why;
                told = true;
            }
            failed = failed || !good;
        }
        close_work(mine);
        free(work);
    }
    if (failed)
        counts_free(counts);
    return !failed;
}
