/* Asking for a block. */
#include "explain/work.h"

#include "explain/mark.h"
#include "impl/earlier.h"
#include "sweep/nans.h"

#include <stdlib.h>
#include <string.h>

static hypothesis_set of_row(size_t row) {
    return hypothesis_bit(row, 0) | hypothesis_bit(row, 1);
}

static void *room(size_t count, size_t bytes, bool *good) {
    void *array = calloc(count, bytes);
    *good = *good && array;
    return array;
}

static bool is_where_different(const struct pass *pass, size_t row) {
    return !(pass->alive & ~pass->where_different & of_row(row));
}

/* The changes of inputs that the hypotheses need, each once. */
static void plan_moves(struct work *work, bool *good) {
    for (size_t row = 0; row < hypothesis_rows(work->request); row++) {
        const struct hypothesis *one = &work->rows[row];
        work->moved_of[row] = -1;
        if (one->source != FROM_MOVED || !(work->pass->alive & of_row(row)))
            continue;
        size_t at = 0;
        const bool where_different = is_where_different(work->pass, row);
        while (at < work->moved_count &&
               (work->moved[at].change != one->input || work->moved[at].narrow != one->narrow))
            at++;
        work->moved_of[row] = (int)at;
        struct moved *moved = &work->moved[at];
        if (at < work->moved_count) {
            moved->where_different = moved->where_different && where_different;
            continue;
        }
        work->moved_count++;
        *moved = (struct moved){
            .change = one->input, .narrow = one->narrow, .where_different = where_different};
        for (int side = 0; side < 2; side++)
            moved->codes[side] = room(FINGERPRINT_BLOCK, sizeof(uint64_t), good);
        moved->has = room(FINGERPRINT_BLOCK, sizeof(bool), good);
    }
}

bool work_open(struct work *work, struct error *error) {
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
        if (is_where_different(work->pass, row))
            continue;
        if (one->source == FROM_TRUTH)
            work->truth_codes[work->truth_count++] = one->truth;
        work->converts = work->converts || one->source == FROM_CONVERSION;
        work->narrows = work->narrows || one->result == CHANGE_TO_NARROW;
    }
    for (int i = 0; i < computed->operation->operands; i++) {
        work->inputs[i] = room(FINGERPRINT_BLOCK, format_bytes(work->in), &good);
        work->gathered[i] = room(FINGERPRINT_BLOCK, format_bytes(work->in), &good);
    }
    work->places = room(FINGERPRINT_BLOCK, sizeof *work->places, &good);
    work->canonical = room(FINGERPRINT_BLOCK, format_bytes(work->out), &good);
    work->answered = room(FINGERPRINT_BLOCK, sizeof *work->answered, &good);
    work->subnormal = room(FINGERPRINT_BLOCK, 1, &good);
    work->notable = room(FINGERPRINT_BLOCK, 1, &good);
    for (int side = 0; side < 2; side++)
        work->outputs[side] = room(FINGERPRINT_BLOCK, format_bytes(work->out), &good);
    plan_moves(work, &good);
    for (size_t i = 0; i < request->rebuild_count; i++)
        work->rebuilt[i] = room(FINGERPRINT_BLOCK, format_bytes(work->out), &good);
    if (!good)
        return error_set(error, "out of memory");
    for (int side = 0; good && side < 2; side++)
        good = side_open(&work->sides[side], request->sides[side], computed, request->result,
                         domain, FINGERPRINT_BLOCK, error);
    for (int side = 0; side < 2; side++) {
        work->sides[side].events = &work->counts.events[side];
        work->sides[side].losses = request->losses[side];
        work->sides[side].question = work->pass->question;
    }
    for (size_t i = 0; good && i < request->rebuild_count; i++) {
        good = side_open(&work->rebuilds[i], request->rebuilds[i], computed, request->result,
                         domain, FINGERPRINT_BLOCK, error);
        work->rebuilds[i].losses = request->rebuild_losses ? &request->rebuild_losses[i] : NULL;
        work->rebuilds[i].question = QUESTION_REBUILDS;
    }
    return good;
}

void work_close(struct work *work) {
    for (int i = 0; i < MAX_OPERANDS; i++) {
        free(work->inputs[i]);
        free(work->gathered[i]);
    }
    free(work->places);
    free(work->canonical);
    free(work->answered);
    free(work->subnormal);
    free(work->notable);
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

void work_put(const struct work *work, size_t at, uint64_t code) {
    code_store(work->canonical, format_bytes(work->out), at,
               format_is_nan(work->out, code) ? work->out->nan : code);
}

static void digest(struct work *work, uint64_t number, size_t count, int side) {
    memcpy(work->canonical, work->outputs[side], count * format_bytes(work->out));
    make_nans_canonical(work->out, work->canonical, count);
    work->pass->digests[side][number] = fingerprint_block(work->out, work->canonical, count);
}

/* Gathers the inputs that a change changes, and their places; how many they are. */
static size_t gather(struct work *work, const struct moved *moved, size_t count) {
    const int operands = work->request->computed.operation->operands;
    const bool narrows = moved->change == CHANGE_TO_NARROW;
    size_t bytes = format_bytes(work->in), gathered = 0;
    if (!narrows && !memchr(work->subnormal, 1, count))
        return 0;
    for (size_t at = 0; at < count; at++) {
        bool changes = false;
        if ((!narrows && !work->subnormal[at]) ||
            (moved->where_different && work_output(work, 0, at) == work_output(work, 1, at)))
            continue;
        for (int i = 0; i < operands; i++) {
            uint64_t code = code_load(work->inputs[i], bytes, at);
            uint64_t there = hypothesis_change(work->in, moved->change, moved->narrow, code);
            code_store(work->gathered[i], bytes, gathered, there);
            changes = changes || there != code;
        }
        if (changes)
            work->places[gathered++] = at;
    }
    return gathered;
}

/* Asks both sides for the outputs at the inputs that a change changes. */
static bool move(struct work *work, struct moved *moved, size_t count, struct error *error) {
    const size_t gathered = gather(work, moved, count);
    memset(moved->has, 0, count * sizeof *moved->has);
    for (int side = 0; gathered && side < 2; side++) {
        struct side *asked = &work->sides[side];
        const enum side_question question = asked->question;
        asked->question = QUESTION_CHANGED_INPUTS;
        const bool good = side_ask_elsewhere(asked, work->gathered, gathered, error);
        moved->ended = moved->ended || side_is_ended(asked);
        asked->question = question;
        if (!good)
            return false;
        for (size_t i = 0; i < gathered; i++) {
            size_t at = work->places[i];
            moved->has[at] = !asked->unanswered[i] && (side == 0 || moved->has[at]);
            moved->codes[side][at] =
                code_load(asked->results[asked->result], format_bytes(work->out), i);
            work->notable[at] |= moved->has[at];
        }
    }
    return true;
}

/* Both sides' outputs of the block, and who answered. */
static bool ask_sides(struct work *work, const struct input_block *block, uint64_t number,
                      struct error *error) {
    const size_t bytes = format_bytes(work->out);
    memset(work->answered, 1, block->count * sizeof *work->answered);
    for (int side = 0; side < 2; side++)
        if (!side_ask(&work->sides[side], work->inputs, block->first, block->count, error))
            return false;
    for (int side = 0; side < 2; side++) {
        struct side *asked = &work->sides[side];
        struct slice slice = {.count = block->count, .unanswered = asked->unanswered};
        memcpy(slice.results, asked->results, sizeof slice.results);
        earlier_prefer_difference(&asked->earlier, &work->request->computed, &slice,
                                  work->sides[1 - side].results);
        if (memchr(asked->unanswered, 1, block->count))
            for (size_t at = 0; at < block->count; at++)
                work->answered[at] = work->answered[at] && !asked->unanswered[at];
        memcpy(work->outputs[side], asked->results[asked->result], block->count * bytes);
        if (work->pass->digests[side])
            digest(work, number, block->count, side);
    }
    return true;
}

bool work_ask(struct work *work, const struct input_block *block, uint64_t number,
              struct error *error) {
    const struct explain_request *request = work->request;
    const size_t bytes = format_bytes(work->out);
    domain_fill(request->domain, block->first, block->count, work->inputs);
    if (!ask_sides(work, block, number, error))
        return false;
    memset(work->notable, 0, block->count);
    mark_different(work->outputs[0], work->outputs[1], bytes, work->notable, block->count);
    mark_subnormal(work->outputs[0], work->out, work->notable, block->count);
    for (size_t i = 0; i < request->rebuild_count; i++) {
        const struct side *asked = &work->rebuilds[i];
        if (!side_ask(&work->rebuilds[i], work->inputs, block->first, block->count, error))
            return false;
        memcpy(work->rebuilt[i], asked->results[asked->result], block->count * bytes);
        for (size_t at = 0; at < block->count; at++) /* no prediction: what A gives */
            if (asked->unanswered[at])
                code_store(work->rebuilt[i], bytes, at, work_output(work, 0, at));
        mark_different(work->rebuilt[i], work->outputs[0], bytes, work->notable, block->count);
    }
    memset(work->subnormal, 0, block->count);
    for (int i = 0; i < request->computed.operation->operands; i++)
        mark_subnormal(work->inputs[i], work->in, work->subnormal, block->count);
    for (size_t i = 0; i < work->moved_count; i++)
        if (!move(work, &work->moved[i], block->count, error))
            return false;
    return true;
}
