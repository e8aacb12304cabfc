/* Estimates, and draws. */
#include "trace/drawn.h"

#include "sweep/generator.h"

#include <stdlib.h>

enum { NEIGHBOURS = 15, SEED = 54 };

/* What units that have outputs which differ take, all of them. */
static uint64_t price_of_all(const struct trace_call *call, const struct trace_outputs *outputs,
                             const struct trace_units *units) {
    uint64_t price = 0;
    for (uint64_t u = 0; u < units->count; u++) {
        uint64_t differ = 0;
        for (uint64_t i = 0; i < units->results; i++)
            differ += trace_outputs_differ(outputs, trace_unit_result(call, u, i));
        price += differ ? units->cost + differ * units->result_cost : 0;
    }
    return price;
}

/* NaN on one side is as far apart as can be. */
static uint64_t distance_at(const struct trace_outputs *outputs, uint64_t at) {
    const uint64_t a = trace_output(outputs, 0, at), b = trace_output(outputs, 1, at);
    if (format_is_nan(outputs->format, a) || format_is_nan(outputs->format, b))
        return UINT64_MAX;
    const int64_t x = format_ordinal(outputs->format, a), y = format_ordinal(outputs->format, b);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

static void want_ends(const struct trace_outputs *outputs, bool *wanted) {
    uint64_t farthest = 0, distance = 0;
    bool is_first = true;
    for (uint64_t i = 0; i < outputs->count; i++) {
        if (!trace_outputs_differ(outputs, i))
            continue;
        const uint64_t own = distance_at(outputs, i);
        if (is_first || own > distance) {
            distance = own;
            farthest = i;
        }
        wanted[i] = is_first;
        is_first = false;
    }
    wanted[farthest] = true;
}

/* So many of those that differ, each as likely as any other: Knuth's algorithm S. */
static void want_some(const struct trace_outputs *outputs, uint64_t draws, bool *wanted) {
    uint64_t left = outputs->differ, needed = draws < left ? draws : left;
    for (uint64_t i = 0; i < outputs->count && needed; i++) {
        if (!trace_outputs_differ(outputs, i))
            continue;
        if (generator_below(SEED, i, 0, left) < needed) {
            wanted[i] = true;
            needed--;
        }
        left--;
    }
}

/* Wants more outputs of each unit that has a wanted one. */
static void want_neighbours(const struct trace_call *call, const struct trace_outputs *outputs,
                            const struct trace_units *units, bool *wanted) {
    for (uint64_t u = 0; u < units->count; u++) {
        bool any = false;
        for (uint64_t i = 0; i < units->results && !any; i++)
            any = wanted[trace_unit_result(call, u, i)];
        const uint64_t start = generator_below(SEED, u, 1, units->results);
        for (uint64_t i = 0, more = 0; any && i < units->results && more < NEIGHBOURS; i++) {
            const uint64_t result = trace_unit_result(call, u, (start + i) % units->results);
            if (wanted[result] || !trace_outputs_differ(outputs, result))
                continue;
            wanted[result] = true;
            more++;
        }
    }
}

bool trace_draw(const struct trace_call *call, const struct trace_outputs *outputs, uint64_t terms,
                struct trace_drawn *drawn) {
    const struct trace_units units = trace_call_units(call);
    *drawn = (struct trace_drawn){NULL, price_of_all(call, outputs, &units)};
    if (drawn->terms <= terms)
        return true;
    const uint64_t most = units.results - 1 < NEIGHBOURS ? units.results - 1 : NEIGHBOURS,
                   price = units.cost + (1 + most) * units.result_cost;
    drawn->wanted = calloc((size_t)outputs->count, sizeof *drawn->wanted);
    if (!drawn->wanted)
        return false;
    want_ends(outputs, drawn->wanted);
    want_some(outputs, terms > 2 * price ? terms / price - 2 : 0, drawn->wanted);
    if (most)
        want_neighbours(call, outputs, &units, drawn->wanted);
    drawn->terms = terms > 2 * price ? terms : 2 * price;
    return true;
}
