/* One request and its answer. */
#include "impl/remote/remote.h"

#include "impl/byte_order.h"
#include "impl/remote/c_function.h"

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

enum remote_outcome remote_judge_frame(const struct remote_frame *frame, size_t count,
                                       enum exchange exchange) {
    uint32_t said = get_u32(frame->head + ANSWER_COUNT);
    bool done = exchange == EXCHANGE_DONE;
    bool began = get_u32(frame->head) != 0;
    if ((began && memcmp(frame->head, ANSWER_MAGIC, 4) != 0) || (said && said != count) ||
        (done && said != count) || (done && memcmp(frame->end, ANSWER_END, 4) != 0))
        return REMOTE_JUNK;
    return outcome_of(exchange);
}

/* Through the pipes. The operands are in little-endian order while they are sent. */
static enum remote_outcome ask_by_pipe(struct remote *remote, const struct remote_part *part,
                                       double seconds) {
    const struct operation *operation = remote->request->operation;
    size_t bytes = format_bytes(remote->request->format), pieces = 1;
    size_t wide = format_bytes(request_result_format(remote->request));
    struct patience patience = remote_patience(remote, seconds);
    uint8_t request[REQUEST_SIZE];
    struct remote_frame frame = {{0}, {0}};
    struct piece out[1 + MAX_OPERANDS] = {{request, sizeof request}};
    struct piece in[2 + MAX_RESULTS] = {{frame.head, sizeof frame.head}};
    bool range = is_range(remote, part);
    uint64_t first = code_load(part->slice->operands[0], bytes, part->at);
    remote_make_request(request, range ? REQUEST_RANGE : REQUEST_BLOCK, part->count,
                        range ? first : 0);
    for (int i = 0; !range && i < operation->operands; i++) {
        out[pieces++] =
            (struct piece){place(part->slice->operands[i], bytes, part->at), bytes * part->count};
        codes_little_endian(out[pieces - 1].bytes, bytes, part->count);
    }
    for (int i = 0; i < operation->results; i++)
        in[1 + i] =
            (struct piece){place(part->slice->results[i], wide, part->at), wide * part->count};
    in[1 + operation->results] = (struct piece){frame.end, sizeof frame.end};
    enum exchange exchange = process_exchange(&remote->process, out, pieces, in,
                                              2 + (size_t)operation->results, &patience);
    for (size_t i = 1; i < pieces; i++)
        codes_little_endian(out[i].bytes, bytes, part->count);
    for (int i = 0; i < operation->results; i++)
        codes_little_endian(in[1 + i].bytes, wide, part->count);
    return remote_judge_frame(&frame, part->count, exchange);
}

/* Through shared memory. */
static enum remote_outcome ask_by_memory(struct remote *remote, const struct remote_part *part,
                                         double seconds) {
    const struct operation *operation = remote->request->operation;
    size_t bytes = format_bytes(remote->request->format);
    struct patience patience = remote_patience(remote, seconds);
    struct remote_memory *memory = remote->memory;
    uint8_t request[REQUEST_SIZE];
    struct remote_frame frame = {{0}, {0}};
    memcpy(frame.end, ANSWER_END, sizeof frame.end);
    const struct piece out[] = {{request, sizeof request}}, in[] = {{frame.head, ANSWER_SIZE}};
    remote_make_request(request, REQUEST_SHARED, part->count, 0);
    for (int i = 0; i < operation->operands; i++)
        memcpy(memory->operands[i], place(part->slice->operands[i], bytes, part->at),
               bytes * part->count);
    memory->at = C_FUNCTION_NOWHERE;
    memory->changes = 0;
    patience.progress = &memory->at;
    enum exchange exchange = process_exchange(&remote->process, out, 1, in, 1, &patience);
    for (int i = 0; exchange == EXCHANGE_DONE && i < operation->results; i++)
        memcpy(place(part->slice->results[i], bytes, part->at), memory->results[i],
               bytes * part->count);
    return remote_judge_frame(&frame, part->count, exchange);
}

enum remote_outcome remote_ask(struct remote *remote, const struct remote_part *part,
                               double seconds) {
    return remote->memory ? ask_by_memory(remote, part, seconds)
                          : ask_by_pipe(remote, part, seconds);
}
