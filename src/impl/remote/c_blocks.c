/* A line of numbers to blocks of few bits with a scale each, or back. */
#include "impl/remote/c_blocks.h"

#include "base/placed.h"
#include "impl/unwritten.h"
#include "op/mx/rows.h"

#include <stdlib.h>

/* One line of blocks. */
struct block_line {
    void *address;
    void *numbers;
    uint8_t *elements, *scales;
    size_t count;
    bool quantises;
};

static void call_blocks(void *context) {
    const struct block_line *line = context;
    const union {
        void *address;
        void (*quantise)(uint8_t *, uint8_t *, const void *, size_t);
        void (*dequantise)(void *, const uint8_t *, const uint8_t *, size_t);
    } function = {line->address};
    if (line->quantises)
        function.quantise(line->elements, line->scales, line->numbers, line->count);
    else
        function.dequantise(line->numbers, line->elements, line->scales, line->count);
}

/* The call, which fills the results, and whether it does. */
static bool call_blocks_and_look(struct block_line *line, size_t scales, size_t number_bytes) {
    void *arrays[] = {line->quantises ? (void *)line->elements : line->numbers, line->scales};
    const struct outputs results[] = {
        {&arrays[0], 1, line->quantises ? 1 : number_bytes, line->count},
        {&arrays[1], 1, 1, scales}};
    const int count = line->quantises ? 2 : 1;
    bool left = false;
    for (int i = 0; i < count; i++)
        unwritten_fill(&results[i], false);
    call_blocks(line);
    for (int i = 0; i < count; i++)
        left = unwritten_find(&results[i], call_blocks, line, NULL) || left;
    return !left;
}

static void copy_line(const struct array *array, const struct slices *slices, uint64_t slice,
                      void *line, bool out) {
    const size_t bytes = format_bytes(array->format);
    for (uint64_t i = 0; i < slices->length; i++) {
        const uint64_t at = slice_place(slices, slice, i);
        if (out)
            array_set_code(array, at, code_load(line, bytes, (size_t)i));
        else
            code_store(line, bytes, (size_t)i, array_code(array, at));
    }
}

/* Operands into the line, or results out of it. */
static void copy_blocks(const struct mx_call *mx, const struct array *arrays, uint64_t slice,
                        const struct block_line *line, bool out) {
    copy_line(&arrays[MX_ELEMENTS], &mx->slices, slice, line->elements, out);
    copy_line(&arrays[MX_SCALES], &mx->scales, slice, line->scales, out);
}

bool c_blocks_run(void *address, const struct array_call *call, bool quantises, bool *is_written,
                  struct error *error) {
    const struct array *blocks = quantises ? call->results : call->operands;
    const struct array *numbers = quantises ? &call->operands[0] : &call->results[0];
    const struct mx_call mx = mx_call_of(call, blocks[MX_ELEMENTS].format);
    const size_t bytes = format_bytes(numbers->format), count = (size_t)mx.slices.length;
    const uint32_t of_numbers = quantises ? call->offset : call->result_offset;
    const uint32_t of_blocks = quantises ? call->result_offset : call->offset;
    void *rooms[3];
    struct block_line line = {.address = address, .count = count, .quantises = quantises};
    line.numbers = placed_memory(&rooms[0], count * bytes, of_numbers);
    line.elements = placed_memory(&rooms[1], count, of_blocks);
    line.scales = placed_memory(&rooms[2], (size_t)mx.scales.length, of_blocks);
    const bool room = line.numbers && line.elements && line.scales;
    for (uint64_t slice = 0; room && slice < mx.slices.count; slice++) {
        if (quantises)
            copy_line(numbers, &mx.slices, slice, line.numbers, false);
        else
            copy_blocks(&mx, blocks, slice, &line, false);
        *is_written = call_blocks_and_look(&line, (size_t)mx.scales.length, bytes) && *is_written;
        if (quantises)
            copy_blocks(&mx, blocks, slice, &line, true);
        else
            copy_line(numbers, &mx.slices, slice, line.numbers, true);
    }
    for (int i = 0; i < 3; i++)
        free(rooms[i]);
    return room || error_set(error, "out of memory for an array");
}
