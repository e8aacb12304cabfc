/* Room for blocks. */
#include "invariance/block.h"

#include <stdlib.h>

enum { MOST_BYTES = sizeof(uint64_t), LED_ELEMENTS = 2 * BLOCK_ELEMENTS };

static bool open_outputs(struct outputs *outputs, int results) {
    bool room = (outputs->unanswered = malloc(LED_ELEMENTS)) != NULL;
    room = (outputs->is_missing = malloc(BLOCK_ELEMENTS)) && room;
    for (int i = 0; i < results; i++)
        room = (outputs->results[i] = malloc(LED_ELEMENTS * MOST_BYTES)) && room;
    return room;
}

static void close_outputs(struct outputs *outputs) {
    free(outputs->unanswered);
    free(outputs->is_missing);
    for (int i = 0; i < MAX_RESULTS; i++)
        free(outputs->results[i]);
}

bool block_open(struct block *block, const struct invariance_request *request,
                struct binding *binding) {
    const struct operation *operation = request->computed.operation;
    *block =
        (struct block){.request = request,
                       .binding = binding,
                       .result_bytes = format_bytes(request_result_format(&request->computed))};
    bool room = (block->is_missing = malloc(BLOCK_ELEMENTS)) != NULL;
    room = (block->is_compared = malloc(BLOCK_ELEMENTS)) && room;
    room = (block->is_unrepeatable = malloc(BLOCK_ELEMENTS)) && room;
    for (int i = 0; i < operation->results; i++)
        room = (block->changed[i] = malloc(BLOCK_ELEMENTS)) && room;
    for (int i = 0; i < operation->operands; i++)
        room = (block->inputs[i] = malloc(BLOCK_ELEMENTS * MOST_BYTES)) &&
               (block->operands[i] = malloc(LED_ELEMENTS * MOST_BYTES)) && room;
    return open_outputs(&block->reference, operation->results) &&
           open_outputs(&block->led_reference, operation->results) &&
           open_outputs(&block->repeated, operation->results) &&
           open_outputs(&block->outputs, operation->results) && room;
}

void block_close(struct block *block) {
    close_outputs(&block->reference);
    close_outputs(&block->led_reference);
    close_outputs(&block->outputs);
    close_outputs(&block->repeated);
    for (int i = 0; i < MAX_OPERANDS; i++) {
        free(block->inputs[i]);
        free(block->operands[i]);
    }
    for (int i = 0; i < MAX_RESULTS; i++)
        free(block->changed[i]);
    free(block->is_missing);
    free(block->is_compared);
    free(block->is_unrepeatable);
}
