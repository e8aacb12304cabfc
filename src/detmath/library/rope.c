/* The library's rotary position embedding, of arrays of any strides. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "reduction_list.h"

#include <stdlib.h>

struct call {
    struct detmath_places to, from;
    size_t length, rotary;
    int interleaved;
    float *room;
    struct detmath_wide *frequencies;
    float *turns;
};

/* The position of a line. */
static int64_t position_of(const struct call *call, const int64_t *positions,
                           const ptrdiff_t *strides, size_t line) {
    const struct detmath_strided *x = call->from.array;
    ptrdiff_t at = 0;
    if (!strides)
        return positions[line];
    for (int i = x->dimensions - 2; i >= 0; i--) {
        at += (ptrdiff_t)(line % x->extents[i]) * strides[i];
        line /= x->extents[i];
    }
    return positions[at];
}

static void run_line(const struct call *call, size_t line, int64_t position) {
    const size_t start = line * call->length, pairs = call->rotary / 2;
    const int cast = call->to.array->format;
    float *to = detmath_floats_at(&call->to, cast, start), *y = to ? to : call->room;
    const float *x = detmath_floats_of(&call->from, cast, start, call->length, call->room);
    detmath_reductions()->lines->rope(y, x, call->turns, pairs, position, call->interleaved, 1, 0);
    for (size_t i = call->rotary; i < call->length; i++)
        y[i] = detmath_canonicalf(x[i]);
    if (!to)
        detmath_put_floats(&call->to, start, call->length, y);
}

/* Lines at one position: at once where they lie beside each other and all of them turns. */
static void run_lines(const struct call *call, size_t line, size_t lines, int64_t position) {
    const int cast = call->to.array->format;
    float *y = detmath_floats_at(&call->to, cast, line * call->length);
    const float *x = detmath_floats_at(&call->from, cast, line * call->length);
    if (x && y && call->rotary == call->length)
        detmath_reductions()->lines->rope(y, x, call->turns, call->rotary / 2, position,
                                          call->interleaved, lines, call->length);
    else
        for (size_t i = 0; i < lines; i++)
            run_line(call, line + i, position);
}

/* How many lines that follow each other have one position. */
static size_t lines_at_once(const struct detmath_strided *x, const ptrdiff_t *strides) {
    size_t lines = 1;
    for (int i = x->dimensions - 2; strides && i >= 0 && (!strides[i] || x->extents[i] == 1); i--)
        lines *= x->extents[i];
    return lines;
}

static void run(const struct call *call, const int64_t *positions, const ptrdiff_t *strides,
                const struct detmath_rope *rope, size_t count) {
    const size_t pairs = call->rotary / 2, lines = lines_at_once(call->from.array, strides);
    int64_t last = 0;
    detmath_rope_frequencies(call->frequencies, rope);
    for (size_t line = 0; line < count; line += lines) {
        const int64_t position = position_of(call, positions, strides, line);
        if (line == 0 || position != last)
            detmath_reductions()->lines->rope_turns(call->turns, call->frequencies, pairs,
                                                    position);
        run_lines(call, line, lines, last = position);
    }
}

int detmath_rope(const struct detmath_strided *y, const struct detmath_strided *x,
                 const int64_t *positions, const ptrdiff_t *strides, float base, float factor,
                 size_t rotary, int interleaved) {
    const int trouble = detmath_check_pair(y, x), last = x->dimensions - 1;
    size_t count = 1;
    if (trouble)
        return trouble;
    if (last < 0)
        return DETMATH_TROUBLE_DIMENSIONS;
    if (!(base >= 1.0f && base <= DETMATH_ROPE_MOST_BASE) ||
        !(factor >= 1.0f && factor <= DETMATH_ROPE_MOST_FACTOR))
        return DETMATH_TROUBLE_OPTIONS;
    struct call call = {.to = detmath_places_of(y),
                        .from = detmath_places_of(x),
                        .length = x->extents[last],
                        .rotary = rotary,
                        .interleaved = interleaved};
    if (rotary % 2 || rotary > call.length || rotary / 2 > DETMATH_ROPE_MOST_PAIRS)
        return DETMATH_TROUBLE_EXTENTS;
    for (int i = 0; i < last; i++)
        count *= x->extents[i];
    if (!count || !call.length)
        return DETMATH_NO_TROUBLE;
    call.room = malloc(call.length * sizeof *call.room);
    call.frequencies = malloc((rotary / 2 + 1) * sizeof *call.frequencies);
    call.turns = malloc((rotary / 2 + 1) * 4 * sizeof *call.turns);
    const int room = call.room && call.frequencies && call.turns;
    if (room) {
        const uint64_t set = detmath_environment_enter();
        const struct detmath_rope rope =
            detmath_rope_of(base, factor, rotary ? (detmath_u32)(rotary / 2) : 1u);
        run(&call, positions, strides, &rope, count);
        detmath_environment_leave(set);
    }
    free(call.room);
    free(call.frequencies);
    free(call.turns);
    return room ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_MEMORY;
}
