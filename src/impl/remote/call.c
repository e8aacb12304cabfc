/* A call of an operation on arrays: asked for as a whole, since a part of it would be another. */
#include "impl/remote/remote.h"

#include "base/byte_order.h"
#include "impl/remote/line_bytes.h"
#include "op/array/text_lines.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ARRAYS = MAX_ARRAY_OPERANDS + MAX_ARRAY_RESULTS };

static void put_shape(uint8_t at[SHAPE_SIZE], const struct array *array) {
    memset(at, 0, SHAPE_SIZE);
    put_u32(at, (uint32_t)array->shape.dimensions);
    put_u32(at + SHAPE_BYTES, (uint32_t)format_bytes(array->format));
    for (int i = 0; i < array->shape.dimensions; i++)
        put_u64(at + SHAPE_EXTENTS + 8 * i, array->shape.extents[i]);
}

static struct buffer piece_of(const struct array *array) {
    return (struct buffer){array->codes,
                           (size_t)shape_elements(&array->shape) * format_bytes(array->format)};
}

/* Between the machine's byte order and little-endian, either way. */
static void turn_codes(const struct array *arrays, int count) {
    for (int i = 0; i < count; i++)
        codes_little_endian(arrays[i].codes, format_bytes(arrays[i].format),
                            (size_t)shape_elements(&arrays[i].shape));
}

/* Our own worker sends the effects of each line of text behind the results. Sets where they go; returns the number of pieces. */
static size_t await_effects(const struct array_call *call, struct buffer in[LINE_PIECES]) {
    struct line_piece pieces[LINE_PIECES];
    size_t count =
        call->lines ? line_effects_pieces(call->lines, text_line_count(call), pieces) : 0;
    for (size_t i = 0; i < count; i++)
        in[i] = (struct buffer){pieces[i].bytes, pieces[i].length};
    return count;
}

/* The operands are in little-endian order while they are sent. */
static enum remote_outcome ask(struct remote *remote, const struct array_call *call,
                               struct buffer effects) {
    const struct operation *operation = remote->request->operation;
    int operands = operation_operands(operation, call->parameters), results = operation->results;
    struct patience patience = remote_patience(remote, remote->foreign->timeout);
    uint8_t request[REQUEST_SIZE], shapes[MOST_ARRAYS][SHAPE_SIZE];
    struct remote_frame frame = {{0}, {0}};
    size_t shapes_size = (size_t)(operands + results) * SHAPE_SIZE, length = shapes_size;
    struct buffer out[2 + MAX_ARRAY_OPERANDS] = {{request, sizeof request}, {shapes, shapes_size}};
    struct buffer in[2 + MAX_ARRAY_RESULTS + LINE_PIECES] = {{frame.head, sizeof frame.head}};
    for (int i = 0; i < operands; i++) {
        put_shape(shapes[i], &call->operands[i]);
        out[2 + i] = piece_of(&call->operands[i]);
        length += out[2 + i].length;
    }
    for (int i = 0; i < results; i++) {
        put_shape(shapes[operands + i], &call->results[i]);
        in[1 + i] = piece_of(&call->results[i]);
    }
    size_t awaited = 1 + (size_t)results;
    if (remote->memory)
        awaited += await_effects(call, in + awaited);
    else if (effects.length)
        in[awaited++] = effects;
    in[awaited++] = (struct buffer){frame.end, sizeof frame.end};
    /* Of a worker of ours the answer has to have the request's number. */
    uint32_t count = remote->memory ? (uint32_t)++remote->number : 1;
    if (remote_is_ahead(remote))
        return REMOTE_TWICE;
    remote_make_request(request, REQUEST_CALL, count, length);
    turn_codes(call->operands, operands);
    enum exchange exchange =
        process_exchange(&remote->process, out, 2 + (size_t)operands, in, awaited, &patience);
    turn_codes(call->operands, operands);
    turn_codes(call->results, results);
    enum remote_outcome outcome = remote_judge_frame(remote, &frame, count, exchange);
    remote_note_asked(remote, count);
    return remote_take_gaps(remote, &frame, 1, &patience, outcome);
}

/* Asks the worker, which also reports what its function did for each line of text. */
static enum remote_outcome ask_with_effects(struct remote *remote, const struct array_call *call,
                                            bool *has_memory) {
    const uint64_t lines = remote->tells ? text_line_count(call) : 0;
    const size_t length = line_bytes_size(remote->tells, lines);
    uint8_t *bytes = length ? malloc(length) : NULL;
    *has_memory = !length || bytes;
    enum remote_outcome outcome =
        *has_memory ? ask(remote, call, (struct buffer){bytes, length}) : REMOTE_LOST;
    if (length && outcome == REMOTE_ANSWERED &&
        !line_bytes_get(remote->tells, bytes, lines, call->lines))
        outcome = REMOTE_JUNK;
    free(bytes);
    return outcome;
}

bool remote_call(struct remote *remote, const struct slice *slice, event_function *event,
                 void *context, struct error *error) {
    const struct remote_part part = {slice, 0, 1};
    const struct line_effects *lines = slice->array->lines;
    if (remote_passes_over(remote, slice, event, context))
        return true;
    if (!remote->process.pid && remote_start(remote, error) != REMOTE_READY)
        return foreign_is_stopped(remote->foreign);
    if (remote->memory) {
        remote_reset_memory(remote->memory);
        remote->memory->conditions = (struct conditions){
            .offset = slice->array->offset, .result_offset = slice->array->result_offset};
        remote->memory->flags = lines && lines->raised;
        remote->memory->errnos = lines && lines->errnos;
        remote->memory->lengths = lines && lines->lengths;
    }
    bool has_memory;
    enum remote_outcome outcome = ask_with_effects(remote, slice->array, &has_memory);
    if (!has_memory)
        return error_set(error, "out of memory for the effects of a call of %s",
                         remote->request->operation->name);
    if (outcome == REMOTE_TWICE && !remote->memory) { /* another process has not answered yet */
        event(context, remote_reap(remote, outcome), 0);
        return remote_call(remote, slice, event, context, error);
    }
    if (outcome == REMOTE_ANSWERED) {
        remote_note_answered(remote);
        remote_tell_changes(remote, &part, event, context);
        return true;
    }
    if (remote->memory && remote->memory->exhausted)
        return error_set(error,
                         "%.200s: out of memory for the arrays of a call of %s in its process",
                         remote->name, remote->request->operation->name);
    if (slice->unanswered)
        *slice->unanswered = 1;
    if (outcome == REMOTE_STOPPED)
        process_close(&remote->process, 0);
    else if (outcome != REMOTE_JUNK) {
        enum event_kind kind = remote_reap(remote, outcome);
        remote_note_lost(remote, kind);
        event(context, kind, 0);
    }
    return outcome != REMOTE_JUNK ||
           error_set(error,
                     "%.200s: its output is not an answer to a call of %s; stdout is for the "
                     "protocol of %s alone",
                     remote->name, remote->request->operation->name, remote_page(remote));
}
