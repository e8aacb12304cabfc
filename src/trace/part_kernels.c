/* Some results of a kernel as calls of their own. */
#include "trace/part_kernels.h"

#include "op/kernels/attention.h"
#include "op/kernels/norms.h"
#include "op/kernels/windows.h"

#include <stdlib.h>
#include <string.h>

bool trace_is_kernel(const struct trace_call *call) {
    return call->row->how == TRACE_ATTENTION || call->row->how == TRACE_CONVOLUTION ||
           call->row->how == TRACE_CHANNELS;
}

static void set_integer(struct trace_call *part, enum parameter_number number, int64_t integer) {
    part->parameters.values[number] = (struct parameter_value){.present = true, .integer = integer};
}

/* Room for so many elements of each of some calls. */
static char *make_operand(struct trace_call *part, int operand, const struct format *format,
                          uint64_t each, uint64_t calls) {
    const uint64_t count = each * calls;
    char *codes = calloc((size_t)count + 1, format_bytes(format));
    part->operand[operand] = (struct trace_codes){format, codes, count, false};
    return codes;
}

/* Elements one behind the other. */
static void copy(char *to, const struct trace_codes *from, uint64_t first, uint64_t count) {
    const size_t bytes = format_bytes(from->format);
    memcpy(to, (const char *)from->codes + first * bytes, (size_t)count * bytes);
}

/* ---- Queries of attention ---- */

enum { BATCHES, HEADS, QUERIES, KEYS, WIDTH };

/* Whose keys and values the query of a unit has: a sample and a group of heads. */
static uint64_t pair_of(const struct trace_call *call, uint64_t unit) {
    const uint64_t *extents = call->shape.extents;
    const uint64_t head = unit / extents[QUERIES] % extents[HEADS],
                   batch = unit / extents[QUERIES] / extents[HEADS],
                   groups = (uint64_t)parameter_integer(&call->parameters, PARAMETER_GROUPS,
                                                        (int64_t)extents[HEADS]);
    return batch * groups + head / (extents[HEADS] / groups);
}

static bool have_one_pair(const struct trace_call *call, const uint64_t *units, size_t count) {
    bool same = true;
    for (size_t u = 1; u < count; u++)
        same = same && pair_of(call, units[u]) == pair_of(call, units[0]);
    return same;
}

/* How many keys a query sees where each sees itself and those before it. */
static uint64_t causal_keys(const uint64_t *extents, uint64_t unit) {
    return unit % extents[QUERIES] + extents[KEYS] - extents[QUERIES] + 1;
}

uint64_t trace_kernel_keys(const struct trace_call *call, uint64_t unit) {
    const uint64_t *extents = call->shape.extents,
                   most = parameter_flag(&call->parameters, PARAMETER_CAUSAL)
                              ? causal_keys(extents, unit)
                              : extents[KEYS];
    const struct trace_codes *mask = &call->operand[ATTENTION_BIAS];
    uint64_t hidden = 0;
    for (uint64_t key = 0; call->operands > 3 && key < most; key++) {
        const uint64_t code = code_load(mask->codes, format_bytes(mask->format),
                                        unit % extents[QUERIES] * extents[KEYS] + key);
        hidden += format_is_infinite(mask->format, code) && format_is_negative(mask->format, code);
    }
    return most - hidden;
}

/* Which keys a causal query has, as a mask; keys that it has not become the first one, which it has: what they are does not
 * count, not even where it is NaN. */
static void hide_keys(const struct trace_call *call, uint64_t unit, char *keys, char *values,
                      char *mask) {
    const uint64_t *extents = call->shape.extents, width = extents[WIDTH],
                   own = causal_keys(extents, unit);
    const struct format *format = call->format;
    const struct real infinity = real_infinity(true);
    const uint64_t hidden = format_encode(format, &infinity, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    const size_t bytes = format_bytes(format), line = (size_t)width * bytes;
    for (uint64_t key = own; key < extents[KEYS]; key++) {
        memcpy(keys + key * line, keys, line);
        memcpy(values + key * line, values, line);
        code_store(mask, bytes, (size_t)key, hidden);
    }
}

/* Calls of one query each: its keys and values, and its line of the mask. */
static bool attention_part(struct trace_call *part, const struct trace_call *call,
                           const uint64_t *units, size_t count) {
    const uint64_t *extents = call->shape.extents, keys = extents[KEYS], width = extents[WIDTH];
    const bool is_causal = parameter_flag(&call->parameters, PARAMETER_CAUSAL),
               is_masked = call->operands > 3 || is_causal,
               is_shared = !is_causal && have_one_pair(call, units, count);
    const size_t bytes = format_bytes(call->format);
    char *made[4] = {NULL};
    part->calls = count;
    part->results = width;
    part->shape = (struct shape){5, {1, 1, 1, keys, width}};
    part->operands = is_masked ? 4 : 3;
    set_integer(part, PARAMETER_GROUPS, 1);
    part->parameters.values[PARAMETER_CAUSAL] = (struct parameter_value){.present = false};
    if (is_masked)
        set_integer(part, PARAMETER_BIAS, ATTENTION_MASK);
    const uint64_t each[] = {width, keys * width, keys * width, keys};
    for (int i = 0; i < part->operands; i++) {
        const bool is_once = is_shared && (i == ATTENTION_K || i == ATTENTION_V);
        made[i] = make_operand(part, i, call->format, each[i], is_once ? 1 : count);
        part->operand[i].is_shared = is_once;
        if (!made[i])
            return false;
    }
    for (size_t u = 0; u < count; u++) {
        char *at[4];
        for (int i = 0; i < part->operands; i++)
            at[i] = made[i] + (part->operand[i].is_shared ? 0 : u * each[i] * bytes);
        copy(at[ATTENTION_Q], &call->operand[ATTENTION_Q], units[u] * width, width);
        for (int i = ATTENTION_K; i <= ATTENTION_V && (!u || !is_shared); i++)
            copy(at[i], &call->operand[i], pair_of(call, units[u]) * keys * width, keys * width);
        if (call->operands > 3)
            copy(at[ATTENTION_BIAS], &call->operand[ATTENTION_BIAS],
                 units[u] % extents[QUERIES] * keys, keys);
        if (is_causal)
            hide_keys(call, units[u], at[ATTENTION_K], at[ATTENTION_V], at[ATTENTION_BIAS]);
    }
    return true;
}

/* ---- Outputs of a convolution ---- */

/* As a dot product: the window, with zeros in the padding, and the weights of its channel; then the bias. */
static bool convolution_part(struct trace_call *part, const struct trace_call *call,
                             const uint64_t *units, size_t count, struct error *why) {
    enum { IMAGE, WEIGHT, BIAS };
    const uint64_t each = trace_kernel_units(call).cost;
    const size_t bytes = format_bytes(call->format);
    struct array_call planned;
    struct window_walk walk;
    if (!trace_call_plan(call, 0, NULL, &planned, why))
        return false;
    const struct shape *image = &planned.operands[IMAGE].shape,
                       *weight = &planned.operands[WEIGHT].shape,
                       *result = &planned.results[0].shape;
    window_walk_open(&walk, &planned, image, result, weight->extents + 2);
    part->operation = operation_row("dot");
    part->calls = 1;
    part->results = count;
    part->shape = (struct shape){2, {count, each}};
    part->parameters = (struct parameters){{{0}}};
    part->parameters.values[PARAMETER_DTYPE] = call->parameters.values[PARAMETER_DTYPE];
    set_integer(part, PARAMETER_AXIS, 1);
    if (call->operands > BIAS)
        set_integer(part, PARAMETER_ADDEND, 1);
    char *x = make_operand(part, IMAGE, call->format, each, count),
         *w = make_operand(part, WEIGHT, call->format, each, count),
         *b = make_operand(part, BIAS, call->format, 1, count);
    if (!x || !w || !b)
        return error_set(why, "out of memory");
    const uint64_t outputs = weight->extents[0], channels = weight->extents[1],
                   groups = image->extents[1] / channels;
    for (size_t u = 0; u < count; u++) {
        const uint64_t output = units[u] / walk.windows % outputs,
                       sample = units[u] / walk.windows / outputs,
                       first = sample * image->extents[1] + output / (outputs / groups) * channels;
        uint64_t at = u * each;
        copy(w + at * bytes, &call->operand[WEIGHT], output * each, each);
        if (call->operands > BIAS)
            copy(b + u * bytes, &call->operand[BIAS], output, 1);
        for (uint64_t c = 0; c < channels; c++) {
            window_walk_start(&walk, units[u] % walk.windows);
            do {
                if (walk.inside)
                    copy(x + at * bytes, &call->operand[IMAGE],
                         (first + c) * walk.spots + walk.spot, 1);
                at++;
            } while (window_walk_next(&walk));
        }
    }
    return true;
}

/* ---- Norms of channels ---- */

/* What is normed together: a group of channels of a sample, or a channel of all samples. */
struct channels {
    bool of_batch;
    uint64_t samples, all, each,
        spots; /* channels; those of a group; elements of one in a sample */
};

static struct channels channels_of(const struct trace_call *call) {
    const struct norm_facts *facts = call->operation->array->data;
    const uint64_t *extents = call->shape.extents;
    struct channels channels = {facts->lines == NORM_CHANNELS, extents[0], extents[1], 1, 1};
    for (int i = 2; i < call->shape.dimensions; i++)
        channels.spots *= extents[i];
    if (!channels.of_batch)
        channels.each =
            channels.all / (uint64_t)parameter_integer(&call->parameters, PARAMETER_GROUPS, 1);
    return channels;
}

static uint64_t length_of(const struct channels *channels) {
    return channels->spots * (channels->of_batch ? channels->samples : channels->each);
}

static uint64_t place_in(const struct channels *channels, uint64_t unit, uint64_t index) {
    return channels->of_batch ? (index / channels->spots * channels->all + unit) * channels->spots +
                                    index % channels->spots
                              : unit * length_of(channels) + index;
}

static bool channels_part(struct trace_call *part, const struct trace_call *call,
                          const uint64_t *units, size_t count) {
    const struct channels channels = channels_of(call);
    const uint64_t length = length_of(&channels);
    const size_t bytes = format_bytes(call->format);
    part->calls = count;
    part->results = length;
    part->shape.extents[0] = channels.of_batch ? channels.samples : 1;
    part->shape.extents[1] = channels.each;
    if (!channels.of_batch)
        set_integer(part, PARAMETER_GROUPS, 1);
    for (int i = 0; i < call->operands; i++) {
        const uint64_t each = i ? channels.each : length;
        char *made = make_operand(part, i, call->format, each, count);
        if (!made)
            return false;
        for (size_t u = 0; u < count; u++) {
            const uint64_t first = units[u] % (channels.all / channels.each) * channels.each,
                           piece = i ? each : channels.spots;
            for (uint64_t k = 0; k < each; k += piece)
                copy(made + (u * each + k) * bytes, &call->operand[i],
                     i ? first : place_in(&channels, units[u], k), piece);
        }
    }
    return true;
}

/* ---- All ---- */

struct trace_units trace_kernel_units(const struct trace_call *call) {
    const uint64_t *extents = call->shape.extents, all = call->calls * call->results;
    if (call->row->how == TRACE_ATTENTION)
        return (struct trace_units){.count = all / extents[WIDTH],
                                    .results = extents[WIDTH],
                                    .cost = extents[KEYS] * extents[WIDTH],
                                    .result_cost = extents[KEYS]};
    if (call->row->how == TRACE_CONVOLUTION) {
        const struct shape *weight = &call->parameters.values[PARAMETER_SECOND_SHAPE].shape;
        return (struct trace_units){
            .count = all, .results = 1, .cost = shape_elements(weight) / weight->extents[0]};
    }
    const struct channels channels = channels_of(call);
    const uint64_t length = length_of(&channels);
    return (struct trace_units){.count = all / length,
                                .results = length,
                                .cost = length,
                                .result_cost = TRACE_FUNCTION_COST};
}

uint64_t trace_kernel_unit_of(const struct trace_call *call, uint64_t result) {
    if (call->row->how == TRACE_CHANNELS) {
        const struct channels channels = channels_of(call);
        if (channels.of_batch)
            return result / channels.spots % channels.all;
    }
    return result / trace_kernel_units(call).results;
}

uint64_t trace_kernel_unit_result(const struct trace_call *call, uint64_t unit, uint64_t index) {
    if (call->row->how == TRACE_CHANNELS) {
        const struct channels channels = channels_of(call);
        return place_in(&channels, unit, index);
    }
    return unit * trace_kernel_units(call).results + index;
}

bool trace_kernel_part(struct trace_call *part, const struct trace_call *call,
                       const uint64_t *units, size_t count, struct error *why) {
    if (call->row->how == TRACE_CONVOLUTION)
        return convolution_part(part, call, units, count, why);
    return (call->row->how == TRACE_ATTENTION ? attention_part(part, call, units, count)
                                              : channels_part(part, call, units, count)) ||
           error_set(why, "out of memory");
}
