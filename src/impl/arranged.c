/* Copies codes into arrays of our own, and results back. */
#include "impl/arranged.h"

#include "base/placed.h"
#include "impl/convert.h"
#include "impl/unwritten.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ARRAYS = MAX_OPERANDS + MAX_RESULTS };

/* Conversions in one direction. Arrays hold many copies of few numbers, so some are kept, each at a
 * place that its code tells. */
enum { KEPT_BITS = 4, KEPT = 1 << KEPT_BITS };
struct converter {
    const struct format *from, *to;
    enum rounding rounding;
    enum overflow overflow;
    struct {
        bool is_there;
        uint64_t code, converted;
    } kept[KEPT];
};

static uint64_t convert(struct converter *converter, uint64_t code) {
    if (converter->from == converter->to)
        return code;
    const uint64_t spread = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 over the golden ratio */
    const size_t at = (size_t)(code * spread >> (64 - KEPT_BITS));
    if (!converter->kept[at].is_there || converter->kept[at].code != code) {
        converter->kept[at].converted = convert_code(converter->from, converter->to, code,
                                                     converter->rounding, converter->overflow);
        converter->kept[at].code = code;
        converter->kept[at].is_there = true;
    }
    return converter->kept[at].converted;
}

/* The arrays of a call. */
struct arrays {
    void *room[MOST_ARRAYS];
    void *results[MAX_RESULTS];
    void *operands[MAX_OPERANDS];
};

unsigned arranged_conditions(const struct arranged *arranged) {
    bool same = format_bytes(arranged->operands) == format_bytes(arranged->results);
    return 1u << CONDITION_LENGTH | 1u << CONDITION_OFFSET | 1u << CONDITION_AROUND |
           (unsigned)same << CONDITION_IN_PLACE;
}

static bool make_arrays(struct arrays *arrays, const struct arranged *arranged,
                        const struct conditions *conditions, size_t length) {
    const struct operation *operation = arranged->request->operation;
    size_t in = length * format_bytes(arranged->operands);
    size_t out = length * format_bytes(arranged->results);
    bool room = true;
    for (int k = 0; k < operation->operands; k++)
        room =
            (arrays->operands[k] = placed_memory(&arrays->room[k], in, conditions->offset)) && room;
    for (int k = 0; k < operation->results; k++)
        room = (arrays->results[k] = placed_memory(&arrays->room[MAX_OPERANDS + k], out,
                                                   conditions->result_offset)) &&
               room;
    if (conditions->in_place)
        arrays->results[0] = arrays->operands[0];
    return room;
}

/* Copies of a code in so many bytes. */
static void repeat(char *to, size_t wide, uint64_t code, size_t bytes) {
    code_store(to, wide, 0, code);
    for (size_t done = wide; done < bytes; done *= 2)
        memcpy(to + done, to, bytes - done < done ? bytes - done : done);
}

/* Converts elements from `at` on; they stand in `to` from `to_at` on. They are often all the same. */
static void convert_all(struct converter *converter, const void *from, size_t at, size_t count,
                        void *to, size_t to_at) {
    const size_t bytes = format_bytes(converter->from), wide = format_bytes(converter->to);
    const char *first = (const char *)from + at * bytes;
    char *into = (char *)to + to_at * wide;
    if (converter->from == converter->to)
        memcpy(into, first, count * bytes);
    else if (memcmp(first, first + bytes, (count - 1) * bytes) == 0)
        repeat(into, wide, convert(converter, code_load(first, bytes, 0)), count * wide);
    else
        for (size_t i = 0; i < count; i++)
            code_store(into, wide, i, convert(converter, code_load(first, bytes, i)));
}

/* Elements of the operand from `at` on, and what stands on both sides of them. */
static void load(const struct slice *slice, int operand, size_t at, size_t count,
                 struct converter *widen, char *to) {
    const struct conditions *conditions = slice->conditions;
    size_t wide = format_bytes(widen->to);
    convert_all(widen, slice->operands[operand], at, count, to, 0);
    uint64_t before = code_load(to, wide, 0), behind = code_load(to, wide, count - 1);
    if (conditions->has_around)
        before = behind = convert(widen, conditions->around);
    repeat(to - CONDITION_BESIDE, wide, before, CONDITION_BESIDE);
    repeat(to + count * wide, wide, behind, CONDITION_BESIDE);
}

/* The call, which can be made again. */
struct call_again {
    const struct arranged *arranged;
    const struct arrays *arrays;
    size_t count;
};

static void call_again(void *context) {
    const struct call_again *again = context;
    again->arranged->call(again->arranged->context, again->arrays->results,
                          (const void *const *)again->arrays->operands, again->count);
}

/* The call, and a mark at each output that it does not write. A result that lies over an operand holds
 * that, and is not looked at. */
static void call_and_look(const struct arranged *arranged, const struct slice *slice, size_t at,
                          size_t count, const struct arrays *arrays) {
    struct call_again again = {arranged, arrays, count};
    void *looked[MAX_RESULTS];
    const struct outputs outputs = {looked, arranged->request->operation->results,
                                    format_bytes(arranged->results), count};
    memcpy(looked, arrays->results, sizeof looked);
    if (slice->conditions->in_place)
        looked[0] = NULL;
    unwritten_fill(&outputs, false);
    call_again(&again);
    if (slice->unanswered)
        unwritten_find(&outputs, call_again, &again, slice->unanswered + at);
}

static void compute(const struct arranged *arranged, const struct slice *slice, size_t at,
                    size_t count, const struct arrays *arrays, struct converter *widen,
                    struct converter *narrow) {
    const struct operation *operation = arranged->request->operation;
    for (int k = 0; k < operation->operands; k++)
        load(slice, k, at, count, widen, arrays->operands[k]);
    call_and_look(arranged, slice, at, count, arrays);
    for (int k = 0; k < operation->results; k++)
        convert_all(narrow, arrays->results[k], 0, count, slice->results[k], at);
}

bool arranged_fill(const struct arranged *arranged, const struct slice *slice,
                   struct error *error) {
    const struct binding_request *request = arranged->request;
    const struct conditions *conditions = slice->conditions;
    size_t length =
        conditions->length && conditions->length < slice->count ? conditions->length : slice->count;
    struct converter widen = {.from = request->format, .to = arranged->operands};
    struct converter narrow = {.from = arranged->results,
                               .to = request_result_format(request),
                               .rounding = request->rounding,
                               .overflow = request->overflow};
    struct arrays arrays = {{0}, {0}, {0}};
    bool room = make_arrays(&arrays, arranged, conditions, length);
    for (size_t at = 0; room && at < slice->count; at += length)
        compute(arranged, slice, at, slice->count - at < length ? slice->count - at : length,
                &arrays, &widen, &narrow);
    for (int k = 0; k < MOST_ARRAYS; k++)
        free(arrays.room[k]);
    return room || error_set(error, "out of memory for arrays of %zu elements", length);
}
