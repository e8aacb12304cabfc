/* One request and its answer. */
#include "impl/remote/remote.h"

#include "base/byte_order.h"
#include "impl/earlier.h"
#include "oracle/flags.h"

#include <string.h>

static enum remote_outcome outcome_of(enum exchange exchange) {
    static const enum remote_outcome outcomes[] = {[EXCHANGE_DONE] = REMOTE_ANSWERED,
                                                   [EXCHANGE_ENDED] = REMOTE_LOST,
                                                   [EXCHANGE_LATE] = REMOTE_LATE,
                                                   [EXCHANGE_STOPPED] = REMOTE_STOPPED};
    return outcomes[exchange];
}

static void *place(const void *array, size_t bytes, size_t at) {
    return (char *)array + bytes * at;
}

/* Whether what comes of an input depends on its number: a request has the number of its first one then. */
static bool is_numbered(const struct remote *remote) {
    const struct binding_request *request = remote->request;
    return !request->operation->array && rounding_is_stochastic(request->rounding);
}

/* Whether the inputs are consecutive codes of one operand. */
static bool is_range(const struct remote *remote, const struct remote_part *part) {
    size_t bytes = format_bytes(remote->request->format);
    const void *codes = part->slice->operands[0];
    uint64_t first = code_load(codes, bytes, part->at), differs = 0;
    for (size_t i = 0; i < part->count; i++)
        differs |= code_load(codes, bytes, part->at + i) ^ (first + i);
    return remote->request->operation->operands == 1 && !differs;
}

void remote_make_request(uint8_t request[REQUEST_SIZE], uint32_t kind, size_t count,
                         uint64_t first) {
    put_u32(request + REQUEST_KIND, kind);
    put_u32(request + REQUEST_COUNT, (uint32_t)count);
    put_u64(request + REQUEST_FIRST, first);
}

bool remote_is_ahead(const struct remote *remote) {
    return remote->asked[0] && process_has_more(&remote->process);
}

void remote_note_asked(struct remote *remote, size_t count) {
    remote->is_at_rest = false;
    remote->asked[remote->asked_next] = count;
    remote->asked_next = (remote->asked_next + 1) % REMOTE_APART;
}

bool remote_was_asked(const struct remote *remote, size_t count) {
    bool found = false;
    for (size_t i = 0; i < REMOTE_APART; i++)
        found = found || remote->asked[i] == count;
    return found;
}

/* Whether what has come of the head of an answer, the rest of which is zero, begins so. */
static bool has_begun(const uint8_t head[ANSWER_SIZE], const char *magic, size_t count) {
    uint8_t right[ANSWER_SIZE];
    size_t came = ANSWER_SIZE;
    memcpy(right, magic, ANSWER_COUNT);
    put_u32(right + ANSWER_COUNT, (uint32_t)count);
    while (came > 0 && head[came - 1] == 0)
        came--;
    return memcmp(head, right, came) == 0;
}

/* The worker for lib: tells of gaps through its memory. */
static bool has_begun_right(const struct remote *remote, const uint8_t head[ANSWER_SIZE],
                            size_t count) {
    return has_begun(head, ANSWER_MAGIC, count) ||
           (!remote->memory && has_begun(head, ANSWER_MAGIC_GAPS, count));
}

enum remote_outcome remote_judge_frame(const struct remote *remote,
                                       const struct remote_frame *frame, size_t count,
                                       enum exchange exchange) {
    bool done = exchange == EXCHANGE_DONE, right = has_begun_right(remote, frame->head, count);
    for (size_t i = 0; i < REMOTE_APART; i++) /* of an earlier request */
        if (!right && remote->asked[i] && has_begun_right(remote, frame->head, remote->asked[i]))
            return REMOTE_TWICE;
    if (!right || (done && (get_u32(frame->head + ANSWER_COUNT) != count ||
                            memcmp(frame->end, ANSWER_END, 4) != 0)))
        /* Nothing but what the library does can have put it into a pipe that is ours. */
        return remote->memory ? REMOTE_TWICE : REMOTE_JUNK;
    return outcome_of(exchange);
}

enum remote_outcome remote_take_gaps(struct remote *remote, const struct remote_frame *frame,
                                     size_t count, const struct patience *patience,
                                     enum remote_outcome outcome) {
    uint8_t end[ANSWER_END_SIZE] = {0};
    const struct buffer in[] = {{remote->gaps, count}, {end, sizeof end}};
    remote->has_gaps =
        outcome == REMOTE_ANSWERED && memcmp(frame->head, ANSWER_MAGIC_GAPS, ANSWER_COUNT) == 0;
    if (!remote->has_gaps)
        return outcome;
    outcome = outcome_of(process_exchange(&remote->process, NULL, 0, in, 2, patience));
    bool right = outcome != REMOTE_ANSWERED || memcmp(end, ANSWER_END, sizeof end) == 0;
    for (size_t i = 0; outcome == REMOTE_ANSWERED && i < count; i++)
        right = right && remote->gaps[i] <= 1;
    return right ? outcome : REMOTE_JUNK;
}

/* Where the bytes go that follow the codes of an answer. */
struct reported {
    uint8_t *to;
    unsigned kind; /* PROTOCOL_FLAGS or PROTOCOL_ERRNO */
    uint8_t most;  /* the greatest that a byte may be */
};
enum { REPORTED = 3 };

/* Adds room for them to what is awaited. `more` bytes follow those of the part. */
static size_t await_reported(struct remote *remote, const struct remote_part *part, size_t more,
                             struct reported reported[REPORTED], struct buffer *in) {
    const struct slice *slice = part->slice;
    const struct reported all[REPORTED] = {{slice->raised, PROTOCOL_FLAGS, (1 << FLAGS) - 1},
                                           {slice->cleared, PROTOCOL_FLAGS, (1 << FLAGS) - 1},
                                           {slice->errnos, PROTOCOL_ERRNO, ERRNO_KINDS - 1}};
    size_t pieces = 0;
    for (int i = 0; i < REPORTED; i++) {
        reported[i] = all[i];
        reported[i].to = all[i].to ? all[i].to + part->at : remote->discarded;
        if (!(remote->tells & all[i].kind))
            continue;
        in[pieces++] = (struct buffer){reported[i].to, part->count};
        in[pieces++] = (struct buffer){remote->discarded + PROTOCOL_BLOCK, more};
    }
    return pieces;
}

/* Whether all of them are what they may be. */
static bool is_reported_right(const struct remote *remote, const struct reported reported[REPORTED],
                              size_t count) {
    bool right = true;
    for (int i = 0; i < REPORTED; i++)
        for (size_t j = 0; remote->tells & reported[i].kind && j < count; j++)
            right = right && reported[i].to[j] <= reported[i].most;
    return right;
}

/* Of a part of `count` inputs whose answer broke off: keeps what had come, of inputs all of whose results had. */
static void keep_partial(const struct remote *remote, const struct remote_part *part, size_t count,
                         const struct remote_frame *frame) {
    struct earlier_answers *earlier = part->slice->earlier;
    size_t wide = format_bytes(request_result_format(remote->request));
    size_t before = ANSWER_SIZE, results = (size_t)remote->request->operation->results;
    const void *came[MAX_RESULTS];
    before += (results - 1) * wide * count;
    if (!earlier || remote->process.received <= before ||
        memcmp(frame->head, ANSWER_MAGIC, ANSWER_COUNT) != 0)
        return;
    size_t whole = (remote->process.received - before) / wide;
    for (size_t i = 0; i < results; i++)
        came[i] = place(part->slice->results[i], wide, part->at);
    earlier_keep(earlier, remote->request, part->at, whole < part->count ? whole : part->count,
                 came);
}

/* Through the pipes. The operands are in little-endian order while they are sent.
 *
 * Requests have no number in the protocol, but none is of the same count as one of the last, or a second
 * answer to that, which comes late, would be taken for the answer to this one: where it would be, the last
 * input is asked for once more, or a few times (remote.c leaves room for that). */
static enum remote_outcome ask_by_pipe(struct remote *remote, const struct remote_part *part,
                                       double seconds) {
    const struct operation *operation = remote->request->operation;
    size_t bytes = format_bytes(remote->request->format), pieces = 1, awaited = 1;
    size_t wide = format_bytes(request_result_format(remote->request));
    size_t more = 0, count = part->count;
    struct patience patience = remote_patience(remote, seconds);
    uint8_t request[REQUEST_SIZE];
    uint64_t last[MAX_OPERANDS][REMOTE_APART], unused[MAX_RESULTS][REMOTE_APART];
    struct remote_frame frame = {{0}, {0}};
    struct buffer out[1 + 2 * MAX_OPERANDS] = {{request, sizeof request}};
    struct reported reported[REPORTED];
    struct buffer in[2 + 2 * MAX_RESULTS + 2 * REPORTED] = {{frame.head, sizeof frame.head}};
    while (remote_was_asked(remote, count))
        count = part->count + ++more;
    bool range = !more && !is_numbered(remote) && is_range(remote, part);
    uint64_t first = range                 ? code_load(part->slice->operands[0], bytes, part->at)
                     : is_numbered(remote) ? part->slice->first + part->at
                                           : 0;
    if (remote_is_ahead(remote))
        return REMOTE_TWICE;
    remote_make_request(request, range ? REQUEST_RANGE : REQUEST_BLOCK, count, first);
    for (int i = 0; !range && i < operation->operands; i++) {
        char *codes = place(part->slice->operands[i], bytes, part->at);
        codes_little_endian(codes, bytes, part->count);
        out[pieces++] = (struct buffer){codes, bytes * part->count};
        for (size_t j = 0; j < more; j++)
            memcpy((char *)last[i] + bytes * j, codes + bytes * (part->count - 1), bytes);
        out[pieces++] = (struct buffer){last[i], bytes * more};
    }
    for (int i = 0; i < operation->results; i++) {
        in[awaited++] =
            (struct buffer){place(part->slice->results[i], wide, part->at), wide * part->count};
        in[awaited++] = (struct buffer){unused[i], wide * more};
    }
    awaited += await_reported(remote, part, more, reported, in + awaited);
    in[awaited++] = (struct buffer){frame.end, sizeof frame.end};
    enum exchange exchange =
        process_exchange(&remote->process, out, pieces, in, awaited, &patience);
    for (int i = 0; !range && i < operation->operands; i++)
        codes_little_endian(place(part->slice->operands[i], bytes, part->at), bytes, part->count);
    for (int i = 0; i < operation->results; i++)
        codes_little_endian(place(part->slice->results[i], wide, part->at), wide, part->count);
    enum remote_outcome outcome = remote_judge_frame(remote, &frame, count, exchange);
    if (outcome == REMOTE_LOST || outcome == REMOTE_LATE)
        keep_partial(remote, part, count, &frame);
    outcome = remote_take_gaps(remote, &frame, count, &patience, outcome);
    remote_note_asked(remote, count);
    if (outcome == REMOTE_ANSWERED && !is_reported_right(remote, reported, part->count))
        return REMOTE_JUNK;
    return outcome;
}

void remote_reset_memory(struct remote_memory *memory) {
    memory->at = memory->jumped = memory->exhausted = 0;
    if (memory->changes)
        memset(memory->changed, 0, sizeof memory->changed);
    memory->changes = 0;
    if (memory->kept.any)
        memset(memory->earlier_state, EARLIER_NONE, sizeof memory->earlier_state);
    memory->kept.any = false;
}

/* What is asked for besides results, before; what has come of it, after. */
static void ask_for_flags(const struct remote *remote, const struct slice *slice) {
    struct remote_memory *memory = remote->memory;
    memory->flags = slice->raised;
    memory->clearing = slice->cleared;
    memory->errnos = slice->errnos;
    memory->flags_of_each = slice->flags_of_each;
    memory->inexact_is_open = slice->inexact_is_open;
    memory->tiny_after_rounding = remote->request->tiny_after_rounding;
}

static void take_flags(const struct remote_memory *memory, const struct remote_part *part) {
    const struct slice *slice = part->slice;
    uint8_t *const to[] = {slice->raised, slice->cleared, slice->errnos};
    const uint8_t *const from[] = {memory->raised, memory->cleared, memory->error_numbers};
    for (int i = 0; i < 3; i++)
        if (to[i])
            memcpy(to[i] + part->at, from[i], part->count);
}

/* Answers that came first, and differ. */
static void take_earlier(const struct remote *remote, const struct remote_part *part) {
    struct earlier_answers *earlier = part->slice->earlier;
    size_t bytes = format_bytes(request_result_format(remote->request));
    for (size_t i = 0; i < part->count; i++) {
        if (remote->memory->earlier_state[i] != EARLIER_DIFFERS)
            continue;
        for (int k = 0; k < remote->request->operation->results; k++)
            code_store(earlier->results[k], bytes, part->at + i,
                       code_load(remote->memory->earlier[k], bytes, i));
        earlier->state[part->at + i] = EARLIER_DIFFERS;
        earlier->any = true;
    }
}

void remote_keep_earlier(const struct remote *remote, const struct remote_part *part,
                         size_t where) {
    const struct remote_memory *memory = remote->memory;
    struct earlier_answers *earlier = part->slice->earlier;
    const bool again = memory->kept.any; /* it was asked again, which has overwritten some */
    const void *results[MAX_RESULTS];
    for (int k = 0; k < MAX_RESULTS; k++)
        results[k] = again ? memory->earlier[k] : memory->results[k];
    if (earlier && !part->slice->conditions)
        earlier_keep(earlier, remote->request, part->at,
                     where > part->count ? part->count : where - 1, results);
}

/* Through shared memory. */
static enum remote_outcome ask_by_memory(struct remote *remote, const struct remote_part *part,
                                         double seconds) {
    const struct operation *operation = remote->request->operation;
    size_t bytes = format_bytes(remote->request->format);
    size_t wide = format_bytes(request_result_format(remote->request));
    struct patience patience = remote_patience(remote, seconds);
    struct remote_memory *memory = remote->memory;
    uint8_t request[REQUEST_SIZE];
    struct remote_frame frame = {{0}, {0}};
    memcpy(frame.end, ANSWER_END, sizeof frame.end);
    const struct buffer out[] = {{request, sizeof request}}, in[] = {{frame.head, ANSWER_SIZE}};
    remote_make_request(request, REQUEST_SHARED, part->count, ++remote->number);
    for (int i = 0; i < operation->operands; i++)
        memcpy(memory->operands[i], place(part->slice->operands[i], bytes, part->at),
               bytes * part->count);
    remote_reset_memory(memory);
    ask_for_flags(remote, part->slice);
    memory->first = part->slice->first + part->at;
    memory->is_conditioned = part->slice->conditions;
    if (part->slice->conditions)
        memory->conditions = *part->slice->conditions;
    patience.progress = &memory->at;
    enum exchange exchange = process_exchange(&remote->process, out, 1, in, 1, &patience);
    for (int i = 0; exchange == EXCHANGE_DONE && i < operation->results; i++)
        memcpy(place(part->slice->results[i], wide, part->at), memory->results[i],
               wide * part->count);
    if (exchange == EXCHANGE_DONE)
        take_flags(memory, part);
    if (exchange == EXCHANGE_DONE && memory->kept.any && part->slice->earlier)
        take_earlier(remote, part);
    return remote_judge_frame(remote, &frame, (uint32_t)remote->number, exchange);
}

enum remote_outcome remote_ask(struct remote *remote, const struct remote_part *part,
                               double seconds) {
    return remote->memory ? ask_by_memory(remote, part, seconds)
                          : ask_by_pipe(remote, part, seconds);
}
