/* Matrix products by a unit: by lanes where the unit and this machine allow it, else element by element. */
#include "detmath/library/kernels.h"
#include "order/unit_lanes.h"

#include <stdlib.h>
#include <string.h>

static bool has_avx2(void) {
    struct detmath_level level;
    for (int i = 0; detmath_level(i, &level); i++)
        if (level.kernels && strcmp(level.name, "avx2") == 0)
            return unit_multiply_avx2 != NULL;
    return false;
}

/* The unit that takes each half of a call at once, as it does after them of 16 bits. */
static struct unit unit_of_halves(const struct unit *unit) {
    struct unit half = *unit;
    half.shape = UNIT_AT_ONCE;
    half.call = unit->call / 2;
    return half;
}

/* Products `from` to `to` of lines: the first halves of registers, zeros behind them, and the second ones. */
static void split_call(const struct unit *unit, const uint64_t *codes, size_t lines, size_t inner,
                       size_t from, size_t to, uint64_t *halves) {
    memset(halves, 0, lines * unit->call * sizeof *halves);
    for (size_t line = 0; line < lines; line++)
        for (size_t half = 0; half < 2; half++) {
            uint64_t *put = halves + line * unit->call + half * (unit->call / 2);
            for (size_t i = from; i < to; i++)
                if (((i - from) & 2) == 2 * half)
                    *put++ = codes[line * inner + i];
        }
}

/* Calls of a unit of halves by lanes; d has the sums of each, which are added to those of before. */
static bool multiply_halves(const struct unit_product *product) {
    const struct unit *unit = product->unit, halves = unit_of_halves(unit);
    const size_t call = unit->call, elements = product->rows * product->columns;
    uint64_t *room =
        malloc(((product->rows + product->columns) * call + elements + 1) * sizeof *room);
    if (!room)
        return false;
    struct unit_product part = {.unit = &halves,
                                .rows = product->rows,
                                .inner = call,
                                .columns = product->columns,
                                .count = call,
                                .a = room,
                                .b = room + product->rows * call,
                                .d = room + (product->rows + product->columns) * call};
    bool good = true;
    memset(product->d, 0, elements * sizeof *product->d);
    for (size_t at = 0; good && at < product->count; at += call) {
        size_t from = product->first + at;
        size_t to = from + (product->count - at < call ? product->count - at : call);
        split_call(unit, product->a, product->rows, product->inner, from, to, room);
        split_call(unit, product->b, product->columns, product->inner, from, to,
                   room + product->rows * call);
        good = unit_multiply_avx2(&part);
        for (size_t i = 0; good && i < elements; i++)
            order_node_sum(unit->last, unit->last->result, &part.d[i], NULL, 1, &product->d[i],
                           &product->d[i]);
    }
    free(room);
    return good;
}

bool unit_multiply(const struct unit_product *product) {
    const uint64_t zero = 0;
    const struct unit halves = unit_of_halves(product->unit);
    bool by_halves = product->unit->shape == UNIT_REGISTER_HALVES;
    if (has_avx2() && unit_has_lanes(by_halves ? &halves : product->unit))
        return by_halves ? multiply_halves(product) : unit_multiply_avx2(product);
    for (size_t i = 0; i < product->rows; i++)
        for (size_t j = 0; j < product->columns; j++)
            product->d[i * product->columns + j] =
                unit_dot(product->unit, product->a + i * product->inner + product->first,
                         product->b + j * product->inner + product->first, product->count, &zero);
    return true;
}
