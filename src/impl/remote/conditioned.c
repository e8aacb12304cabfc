/* A slice with conditions: divided between its arrays only, since a part of one would be another.
 *
 * Where an array costs the process, the elements that do it are looked for in arrays of the same length
 * that have 1 in place of the others, and the array is answered with 1 in their place. */
#include "impl/remote/remote.h"

#include "base/byte_order.h"
#include "impl/remote/c_function.h"

#include <stdlib.h>
#include <string.h>

/* Whether the worker tells what its calls leave changed. */
static bool tells_left(const struct remote *remote) {
    return condition_is_supported(&remote->conditions, CONDITION_LEFT);
}

static void put_conditions(uint8_t at[CONDITIONS_SIZE], const struct conditions *conditions,
                           bool left) {
    static const enum rounding roundings[] = {ROUND_NEAREST_EVEN, ROUND_TOWARD_ZERO, ROUND_UP,
                                              ROUND_DOWN};
    memset(at, 0, CONDITIONS_SIZE);
    put_u32(at + CONDITIONS_LENGTH, conditions->length);
    put_u32(at + CONDITIONS_OFFSET, conditions->offset);
    put_u32(at + CONDITIONS_RESULT_OFFSET, conditions->result_offset);
    put_u32(at + CONDITIONS_STRIDE, conditions->stride > 1 ? conditions->stride : 1);
    put_u32(at + CONDITIONS_THREADS, conditions->threads > 1 ? conditions->threads : 1);
    for (uint32_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
        if (roundings[i] == conditions->rounding)
            put_u32(at + CONDITIONS_ROUNDING, i);
    put_u32(at + CONDITIONS_BITS,
            (conditions->in_place ? CONDITIONS_IN_PLACE : 0u) |
                (conditions->flush_results ? CONDITIONS_FLUSH_RESULTS : 0u) |
                (conditions->flush_operands ? CONDITIONS_FLUSH_OPERANDS : 0u) |
                (conditions->flags_set ? CONDITIONS_FLAGS_SET : 0u) |
                (conditions->traps ? CONDITIONS_TRAPS : 0u) |
                (conditions->by_number ? CONDITIONS_BY_NUMBER : 0u) |
                (conditions->has_around ? CONDITIONS_HAS_AROUND : 0u) |
                (conditions->x87_bits == 24 ? CONDITIONS_X87_24_BITS : 0u) |
                (conditions->x87_bits == 53 ? CONDITIONS_X87_53_BITS : 0u) |
                (left ? CONDITIONS_LEFT : 0u));
    put_u64(at + CONDITIONS_AROUND, conditions->around);
}

static void turn(const void *codes, size_t bytes, size_t at, size_t count) {
    codes_little_endian((char *)(uintptr_t)codes + bytes * at, bytes, count);
}

/* One request and its answer, through the pipes. */
static enum remote_outcome ask_by_pipe(struct remote *remote, const struct remote_part *part,
                                       double seconds) {
    const struct slice *slice = part->slice;
    const struct operation *operation = remote->request->operation;
    size_t bytes = format_bytes(remote->request->format), pieces = 1, awaited = 1;
    size_t wide = format_bytes(request_result_format(remote->request));
    struct patience patience = remote_patience(remote, seconds);
    uint8_t request[REQUEST_SIZE + CONDITIONS_SIZE];
    struct remote_frame frame = {{0}, {0}};
    struct buffer out[1 + MAX_OPERANDS] = {{request, sizeof request}};
    struct buffer in[4 + MAX_RESULTS] = {{frame.head, sizeof frame.head}};
    if (remote_is_ahead(remote))
        return REMOTE_TWICE;
    remote_make_request(request, REQUEST_CONDITIONED, part->count, ++remote->number);
    put_conditions(request + REQUEST_SIZE, slice->conditions, tells_left(remote));
    for (int i = 0; i < operation->operands; i++) {
        turn(slice->operands[i], bytes, part->at, part->count);
        out[pieces++] = (struct buffer){(char *)(uintptr_t)slice->operands[i] + bytes * part->at,
                                        bytes * part->count};
    }
    for (int i = 0; i < operation->results; i++)
        in[awaited++] =
            (struct buffer){(char *)slice->results[i] + wide * part->at, wide * part->count};
    if (slice->conditions->traps)
        in[awaited++] = (struct buffer){
            slice->trapped ? slice->trapped + part->at : remote->discarded, part->count};
    if (tells_left(remote))
        in[awaited++] = (struct buffer){remote->left, part->count};
    in[awaited++] = (struct buffer){frame.end, sizeof frame.end};
    enum exchange exchange =
        process_exchange(&remote->process, out, pieces, in, awaited, &patience);
    for (int i = 0; i < operation->operands; i++)
        turn(slice->operands[i], bytes, part->at, part->count);
    for (int i = 0; i < operation->results; i++)
        turn(slice->results[i], wide, part->at, part->count);
    enum remote_outcome outcome =
        remote_judge_frame(remote, &frame, (uint32_t)remote->number, exchange);
    remote_note_asked(remote, (uint32_t)remote->number);
    return remote_take_gaps(remote, &frame, part->count, &patience, outcome);
}

static enum remote_outcome ask(struct remote *remote, const struct remote_part *part,
                               double seconds) {
    return remote->memory ? remote_ask(remote, part, seconds) : ask_by_pipe(remote, part, seconds);
}

/* Tells what the calls that were answered have left changed. */
static void tell_changes(const struct remote *remote, const struct remote_part *part,
                         event_function *event, void *context) {
    remote_tell_changes(remote, part, event, context);
    for (size_t i = 0; !remote->memory && tells_left(remote) && i < part->count; i++)
        c_function_tell_changes(remote->left[i], part->at + i, event, context);
}

/* The search in an array that has cost a process. More elements than so many are not looked for, nor
 * any after so many arrays in succession without an answer. */
enum { MOST_GUILTY = 16, MOST_ARRAYS = 4 };
struct blame_search {
    struct remote *remote;
    const struct remote_part *part; /* the array */
    struct slice slice;             /* with operands of its own, of the array alone */
    uint8_t *is_guilty;             /* by element */
    enum event_kind kind;           /* what the last process came to */
    size_t guilty[MOST_GUILTY];     /* one element for each input that costs a process */
    enum event_kind kinds[MOST_GUILTY];
    size_t count;
};
enum verdict { INNOCENT, GUILTY, UNCLEAR };

static bool begin_search(struct blame_search *search, struct remote *remote,
                         const struct remote_part *part, enum event_kind kind) {
    size_t wide = format_bytes(request_result_format(remote->request));
    *search =
        (struct blame_search){.remote = remote, .part = part, .slice = *part->slice, .kind = kind};
    bool room = (search->is_guilty = calloc(part->count, 1)) != NULL;
    for (int i = 0; i < remote->request->operation->operands; i++)
        room = (search->slice.operands[i] = malloc(part->count * sizeof(uint64_t))) && room;
    for (int i = 0; i < remote->request->operation->results; i++)
        search->slice.results[i] = (char *)search->slice.results[i] + wide * part->at;
    if (search->slice.trapped)
        search->slice.trapped += part->at;
    return room;
}

static void end_search(struct blame_search *search) {
    for (int i = 0; i < search->remote->request->operation->operands; i++)
        free((void *)(uintptr_t)search->slice.operands[i]);
    free(search->is_guilty);
}

/* Asks for the array with elements `from` to `to`, those aside that are guilty, and 1 elsewhere, in that
 * share of the time. */
static enum verdict try_elements(struct blame_search *search, size_t from, size_t to,
                                 double share) {
    struct remote *remote = search->remote;
    const struct format *format = remote->request->format;
    const uint64_t harmless = conditions_one(format);
    const struct remote_part tried = {&search->slice, 0, search->part->count};
    size_t bytes = format_bytes(format);
    struct error unused;
    for (int k = 0; k < remote->request->operation->operands; k++)
        for (size_t i = 0; i < tried.count; i++) {
            bool kept = from <= i && i < to && !search->is_guilty[i];
            code_store(
                (void *)(uintptr_t)search->slice.operands[k], bytes, i,
                kept ? code_load(search->part->slice->operands[k], bytes, search->part->at + i)
                     : harmless);
        }
    if (!remote->process.pid && remote_start(remote, &unused) != REMOTE_READY)
        return UNCLEAR;
    enum remote_outcome outcome = ask(remote, &tried, remote->foreign->timeout * share);
    if (outcome == REMOTE_ANSWERED)
        return INNOCENT;
    search->kind = remote_reap(remote, outcome);
    return outcome == REMOTE_LOST || outcome == REMOTE_LATE ? GUILTY : UNCLEAR;
}

static bool is_same_input(const struct blame_search *search, size_t a, size_t b) {
    size_t bytes = format_bytes(search->remote->request->format), at = search->part->at;
    bool same = true;
    for (int k = 0; k < search->remote->request->operation->operands; k++)
        same = same && code_load(search->part->slice->operands[k], bytes, at + a) ==
                           code_load(search->part->slice->operands[k], bytes, at + b);
    return same;
}

/* Finds one more element that costs a process by itself, in halves that get that share of the time;
 * false where none does. */
static bool find_within(struct blame_search *search, double share) {
    size_t from = 0, to = search->part->count;
    enum verdict verdict = GUILTY;
    while (to - from > 1 && verdict != UNCLEAR) {
        size_t middle = from + (to - from) / 2;
        verdict = try_elements(search, from, middle, share);
        *(verdict == GUILTY ? &to : &from) = middle;
    }
    if (verdict == UNCLEAR || try_elements(search, from, to, 1) != GUILTY)
        return false;
    search->guilty[search->count] = from;
    search->kinds[search->count++] = search->kind;
    for (size_t i = 0; i < search->part->count; i++)
        search->is_guilty[i] |= is_same_input(search, i, from);
    return true;
}

/* Where elements hang, in a hurry first, which tells slow ones from those that hang as little as the
 * last question allows: that one has all the time. */
static bool find_guilty(struct blame_search *search) {
    bool hangs = search->kind == EVENT_HANG;
    return search->count < MOST_GUILTY &&
           ((hangs && find_within(search, REMOTE_SEARCH_SHARE)) || find_within(search, 1));
}

/* What an array counts for that was searched in vain: MOST_ARRAYS of the largest are as many losses as
 * remote.h lets pass. */
static size_t weight_of(const struct remote_part *part) {
    const size_t most = 1 << 12;
    return part->count < most ? part->count : most;
}

/* Whether there is anything to look for: an array of many copies of an input is that input. */
static bool is_worth_a_search(const struct remote *remote, const struct remote_part *part) {
    size_t bytes = format_bytes(remote->request->format);
    bool same = true;
    for (int k = 0; same && k < remote->request->operation->operands; k++)
        for (size_t i = 1; same && i < part->count; i++)
            same = code_load(part->slice->operands[k], bytes, part->at + i) ==
                   code_load(part->slice->operands[k], bytes, part->at);
    return !same && remote->lost < MOST_ARRAYS * weight_of(part);
}

/* Answers an array that has cost a process but for the elements that do, of which it tells. False where
 * it is not they alone. */
static bool answer_others(struct remote *remote, const struct remote_part *part,
                          enum event_kind kind, size_t *found, event_function *event,
                          void *context) {
    struct blame_search search;
    enum verdict verdict = GUILTY;
    bool good = begin_search(&search, remote, part, kind);
    while (good && verdict == GUILTY && !foreign_is_stopped(remote->foreign)) {
        good = find_guilty(&search);
        verdict = good ? try_elements(&search, 0, part->count, 1) : UNCLEAR;
    }
    good = good && verdict == INNOCENT;
    if (good) {
        remote_note_answered(remote);
        tell_changes(remote, part, event, context);
    }
    *found = search.count;
    for (size_t i = 0; i < search.count; i++)
        event(context, search.kinds[i], part->at + search.guilty[i]);
    for (size_t i = 0; good && part->slice->unanswered && i < part->count; i++)
        part->slice->unanswered[part->at + i] |= search.is_guilty[i];
    end_search(&search);
    return good;
}

/* A slice that is being computed. */
struct filling {
    struct remote *remote;
    const struct slice *slice;
    size_t length; /* of an array */
    size_t most;   /* arrays to ask for at a time */
    size_t done;   /* elements */
    size_t lost;   /* inputs that have cost a process */
    event_function *event;
    void *context;
};

/* What has come of a part that is a process's end: its half is asked for next, or, of a single
 * array, what it has besides the elements that did it. */
static void note_loss(struct filling *filling, const struct remote_part *part,
                      enum remote_outcome outcome) {
    struct remote *remote = filling->remote;
    enum event_kind kind = remote_reap(remote, outcome);
    size_t arrays = (part->count + filling->length - 1) / filling->length;
    if (arrays > 1 && outcome != REMOTE_TWICE) {
        filling->most = arrays / 2;
        return;
    }
    bool search = outcome != REMOTE_TWICE && is_worth_a_search(remote, part);
    size_t found = 0;
    if (search && answer_others(remote, part, kind, &found, filling->event, filling->context)) {
        filling->done += part->count;
        filling->lost += found;
        return;
    }
    if (search && foreign_is_stopped(remote->foreign)) /* before it was known which element it is */
        return;
    if (!found)
        filling->event(filling->context, kind, part->at);
    if (outcome == REMOTE_TWICE) /* another process is asked, which has not answered yet */
        return;
    for (size_t i = 0; i < (search && kind != EVENT_HANG ? weight_of(part) : 1); i++)
        remote_note_lost(remote, kind);
    if (part->slice->unanswered)
        memset(part->slice->unanswered + part->at, 1, part->count);
    filling->done += part->count;
    filling->lost += found ? found : 1;
}

/* Asks for the next part, of arrays as many as `whole` at most. */
static bool step(struct filling *filling, size_t whole, struct error *error) {
    struct remote *remote = filling->remote;
    size_t left = filling->slice->count - filling->done, wanted = filling->most * filling->length;
    const struct remote_part part = {filling->slice, filling->done, left < wanted ? left : wanted};
    if (!remote->process.pid && remote_start(remote, error) != REMOTE_READY)
        return false;
    enum remote_outcome outcome = ask(remote, &part, remote->foreign->timeout);
    if (outcome == REMOTE_STOPPED) {
        process_close(&remote->process, 0);
    } else if (outcome == REMOTE_JUNK) {
        return error_set(error,
                         "%.200s: its output is not an answer to %zu inputs with conditions; "
                         "stdout is for the protocol of detcheck-exec(7) alone",
                         remote->name, part.count);
    } else if (outcome == REMOTE_ANSWERED) {
        remote_note_answered(remote);
        tell_changes(remote, &part, filling->event, filling->context);
        filling->done += part.count;
        filling->most = 2 * filling->most < whole ? 2 * filling->most : whole;
    } else
        note_loss(filling, &part, outcome);
    return true;
}

bool remote_fill_conditioned(struct remote *remote, const struct slice *slice,
                             event_function *event, void *context, struct error *error) {
    size_t length = slice->conditions->length ? slice->conditions->length : slice->count;
    size_t whole = PROTOCOL_BLOCK / length;
    struct filling filling = {remote, slice, length, whole, 0, 0, event, context};
    if (whole == 0)
        return error_set(error, "%.200s: detcheck requests at most %d elements of an array",
                         remote->name, PROTOCOL_BLOCK);
    while (filling.done < slice->count && !foreign_is_stopped(remote->foreign) &&
           !remote_leaves_out(slice, filling.lost, filling.done)) {
        if (remote->passing) {
            struct slice rest = *slice;
            rest.unanswered = slice->unanswered ? slice->unanswered + filling.done : NULL;
            rest.count -= filling.done;
            return remote_passes_over(remote, &rest, event, context);
        }
        if (!step(&filling, whole, error))
            return foreign_is_stopped(remote->foreign);
    }
    return true;
}
