/* A slice with conditions: divided between its arrays only, since a part of one would be another. */
#include "impl/remote/remote.h"

#include "impl/byte_order.h"

#include <string.h>

static void put_conditions(uint8_t at[CONDITIONS_SIZE], const struct conditions *conditions) {
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
                (conditions->has_around ? CONDITIONS_HAS_AROUND : 0u));
    put_u64(at + CONDITIONS_AROUND, conditions->around);
}

static void turn(const void *codes, size_t bytes, size_t at, size_t count) {
    codes_little_endian((char *)(uintptr_t)codes + bytes * at, bytes, count);
}

/* One request and its answer. */
static enum remote_outcome ask(struct remote *remote, const struct remote_part *part) {
    const struct slice *slice = part->slice;
    const struct operation *operation = remote->request->operation;
    size_t bytes = format_bytes(remote->request->format), pieces = 1, awaited = 1;
    size_t wide = format_bytes(request_result_format(remote->request));
    struct patience patience = remote_patience(remote, remote->foreign->timeout);
    uint8_t request[REQUEST_SIZE + CONDITIONS_SIZE];
    struct remote_frame frame = {{0}, {0}};
    struct piece out[1 + MAX_OPERANDS] = {{request, sizeof request}};
    struct piece in[3 + MAX_RESULTS] = {{frame.head, sizeof frame.head}};
    if (remote_is_ahead(remote))
        return REMOTE_TWICE;
    remote_make_request(request, REQUEST_CONDITIONED, part->count, ++remote->number);
    put_conditions(request + REQUEST_SIZE, slice->conditions);
    for (int i = 0; i < operation->operands; i++) {
        turn(slice->operands[i], bytes, part->at, part->count);
        out[pieces++] = (struct piece){(char *)(uintptr_t)slice->operands[i] + bytes * part->at,
                                       bytes * part->count};
    }
    for (int i = 0; i < operation->results; i++)
        in[awaited++] =
            (struct piece){(char *)slice->results[i] + wide * part->at, wide * part->count};
    if (slice->conditions->traps)
        in[awaited++] = (struct piece){slice->trapped ? slice->trapped + part->at : remote->unheard,
                                       part->count};
    in[awaited++] = (struct piece){frame.end, sizeof frame.end};
    enum exchange exchange =
        process_exchange(&remote->process, out, pieces, in, awaited, &patience);
    for (int i = 0; i < operation->operands; i++)
        turn(slice->operands[i], bytes, part->at, part->count);
    for (int i = 0; i < operation->results; i++)
        turn(slice->results[i], wide, part->at, part->count);
    remote->asked = (uint32_t)remote->number;
    return remote_judge_frame(remote, &frame, (uint32_t)remote->number, exchange);
}

/* What has come of a part that is a process's end: its half is asked for next, or, of a single
 * array, nothing more. */
static void note_loss(struct remote *remote, const struct remote_part *part, size_t length,
                      enum remote_outcome outcome, size_t *most, size_t *done,
                      event_function *event, void *context) {
    enum event_kind kind = remote_bury(remote, outcome);
    size_t arrays = (part->count + length - 1) / length;
    if (arrays > 1 && outcome != REMOTE_TWICE) {
        *most = arrays / 2;
        return;
    }
    event(context, kind, part->at);
    if (outcome == REMOTE_TWICE) /* another process is asked, which has not answered yet */
        return;
    remote_note_lost(remote, kind);
    if (part->slice->unanswered)
        memset(part->slice->unanswered + part->at, 1, part->count);
    *done += part->count;
}

bool remote_fill_conditioned(struct remote *remote, const struct slice *slice,
                             event_function *event, void *context, struct error *error) {
    size_t length = slice->conditions->length ? slice->conditions->length : slice->count;
    size_t whole = PROTOCOL_BLOCK / length, most = whole;
    if (whole == 0)
        return error_set(error, "%.200s: arrays of more than %d elements are not asked for",
                         remote->name, PROTOCOL_BLOCK);
    for (size_t done = 0; done < slice->count && !foreign_is_stopped(remote->foreign);) {
        if (remote->passing) {
            struct slice rest = *slice;
            rest.unanswered = slice->unanswered ? slice->unanswered + done : NULL;
            rest.count -= done;
            return remote_passes_over(remote, &rest, event, context);
        }
        size_t left = slice->count - done;
        const struct remote_part part = {slice, done, left < most * length ? left : most * length};
        if (!remote->process.pid && remote_start(remote, error) != REMOTE_READY)
            return foreign_is_stopped(remote->foreign);
        enum remote_outcome outcome = remote->memory
                                          ? remote_ask(remote, &part, remote->foreign->timeout)
                                          : ask(remote, &part);
        if (outcome == REMOTE_STOPPED) {
            process_close(&remote->process, 0);
        } else if (outcome == REMOTE_JUNK) {
            return error_set(error,
                             "%.200s: what it wrote is no answer to %zu inputs with conditions; "
                             "stdout is for the protocol of detcheck-exec(7) alone",
                             remote->name, part.count);
        } else if (outcome == REMOTE_ANSWERED) {
            remote_note_answered(remote);
            remote_tell_changes(remote, &part, event, context);
            done += part.count;
            most = 2 * most < whole ? 2 * most : whole;
        } else
            note_loss(remote, &part, length, outcome, &most, &done, event, context);
    }
    return true;
}
