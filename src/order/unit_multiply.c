/* Matrix products by a unit: by lanes where the unit and this machine allow it, else element by element. */
#include "order/unit_lanes.h"

#include <stdlib.h>
#include <string.h>

static bool has_avx2(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    return unit_multiply_avx2 && __builtin_cpu_supports("avx2");
#else
    return false;
#endif
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
    if (!product->has_c)
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

static uint64_t element(const struct unit_product *product, size_t row, size_t column) {
    const uint64_t zero = 0, *a = product->a + row * product->inner + product->first,
                   *b = product->b + column * product->inner + product->first;
    const struct unit_scales *scales = product->unit->scales;
    const uint64_t *c = product->has_c ? &product->d[row * product->columns + column] : &zero;
    if (!scales)
        return unit_dot(product->unit, a, b, product->count, c);
    const size_t line = (product->inner + scales->block - 1) / scales->block,
                 first = product->first / scales->block;
    return unit_scaled_dot(product->unit, a, product->a_scales + row * line + first, b,
                           product->b_scales + column * line + first, product->count, c);
}

bool unit_multiply(const struct unit_product *product) {
    const struct unit halves = unit_of_halves(product->unit);
    bool by_halves = product->unit->shape == UNIT_REGISTER_HALVES;
    if (!product->plainly && has_avx2() && unit_has_lanes(by_halves ? &halves : product->unit))
        return by_halves ? multiply_halves(product) : unit_multiply_avx2(product);
    for (size_t i = 0; i < product->rows; i++)
        for (size_t j = 0; j < product->columns; j++)
            product->d[i * product->columns + j] = element(product, i, j);
    return true;
}

/* In whole calls. */
static size_t part_length(const struct unit *unit, size_t inner, enum unit_cut cut, size_t number) {
    size_t length = cut == UNIT_CUT_PARTS    ? inner / number + (inner % number != 0)
                    : cut == UNIT_CUT_LENGTH ? number
                                             : inner;
    length = length < inner ? length : inner;
    length = (length + unit->call - 1) / unit->call * unit->call;
    return length ? length : unit->call;
}

bool unit_multiply_cut(const struct unit_product *product, enum unit_cut cut, size_t number) {
    const size_t elements = product->rows * product->columns, inner = product->inner;
    const size_t length = part_length(product->unit, inner, cut, number);
    struct order_node addition = order_node_plain(product->unit->node->result, ROUND_NEAREST_EVEN);
    addition.overflow_is_infinite = product->unit->node->result->is_integer;
    uint64_t *sums = calloc(elements ? elements : 1, sizeof *sums);
    bool good = sums != NULL;
    if (good && product->has_c)
        memcpy(sums, product->d, elements * sizeof *sums);
    for (size_t at = 0; good && at < inner; at += length) {
        struct unit_product part = *product;
        part.first = at;
        part.count = inner - at < length ? inner - at : length;
        part.has_c = product->has_c && !at;
        good = unit_multiply(&part);
        for (size_t i = 0; good && i < elements; i++) {
            if (at)
                order_node_sum(&addition, addition.result, &product->d[i], NULL, 1, &sums[i],
                               &sums[i]);
            else
                sums[i] = product->d[i];
        }
    }
    if (good)
        memcpy(product->d, sums, elements * sizeof *sums);
    free(sums);
    return good;
}
