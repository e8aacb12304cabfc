/* Which ways there are for an operation, running them, and what they are called. */
#include "trace/ways.h"

#include "explain/identity.h"
#include "impl/detmath.h"
#include "impl/steps_functions.h"
#include "order/units.h"
#include "trace/part.h"
#include "trace/ways_revealed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions that are taken for one another. */
static const struct {
    const char *operation, *other;
} taken_for[] = {
    {"gelu", "gelu_tanh"},       {"gelu", "quick_gelu"}, {"gelu_tanh", "gelu"},
    {"gelu_tanh", "quick_gelu"}, {"silu", "quick_gelu"}, {"sigmoid", "hardsigmoid"},
    {"silu", "hardswish"},       {"relu", "relu6"},
};

/* Names of algorithms of rows (op/array.h), which users know by --impl. */
static const struct {
    const char *name, *says;
} algorithms[] = {
    {"naive", "computes as the formula says, without taking the maximum away"},
    {"sequential", "computes from the left, as a plain loop"},
    {"pairwise", "computes in halves of halves"},
    {"blocked", "computes in blocks of 256"},
    {"det", "has the bits of det"},
    {"libm", "has the bits of the platform's libm"},
};

static void add_named(struct trace_ways *ways, const char *name) {
    char *copy = strdup(name);
    if (!copy ||
        !trace_ways_add(ways, (struct trace_way){.kind = TRACE_WAY_IMPLEMENTATION, .name = copy})) {
        ways->out_of_memory = true;
        free(copy);
    }
}

/* ---- Sums ---- */

/* Whether products of two numbers of the operands' format need rounding in another one. */
static bool rounds_products(const struct trace_call *call, const struct format *accumulator) {
    return call->operands > 1 && 2 * call->format->precision > accumulator->precision;
}

/* One order, in each format that is accumulated in, of products that are rounded and others, c coming in anywhere. One of the
 * grid in the widest format alone in which the order is seen in the results: of formats that are much wider than these it
 * is not. */
static void add_order(struct trace_ways *ways, const struct trace_call *call,
                      const struct trace_order *order, bool is_first) {
    static const enum format_number accumulators[] = {FORMAT_FP32, FORMAT_FP64, FORMAT_BF16,
                                                      FORMAT_FP16};
    const bool onto = call->operands > 2;
    for (size_t k = 0; k < sizeof accumulators / sizeof *accumulators; k++) {
        const struct format *accumulator = &formats[accumulators[k]];
        const bool is_native = accumulator == &formats[FORMAT_FP32] || accumulator == call->result;
        if (!format_is_within(call->result, accumulator) || (!order->is_usual && !is_native))
            continue;
        for (int rounded = 0; rounded <= rounds_products(call, accumulator); rounded++)
            for (int at = onto; at <= (onto ? TRACE_ONTO_RESULT : 0); at++) {
                const bool same = accumulator == call->result && at == TRACE_ONTO_RESULT;
                if (!same && (at != TRACE_ONTO_FIRST || is_first))
                    trace_ways_add(ways, (struct trace_way){.kind = TRACE_WAY_ORDER,
                                                            .order = order,
                                                            .accumulator = accumulator,
                                                            .rounds_products = rounded,
                                                            .onto = (enum trace_onto)at});
            }
    }
}

static void add_orders(struct trace_ways *ways, const struct trace_call *call) {
    ways->out_of_memory = !trace_orders_open(&ways->orders, (size_t)trace_call_units(call).cost);
    for (size_t i = 0; i < ways->orders.count; i++)
        add_order(ways, call, &ways->orders.items[i], i == 0);
}

static void add_units(struct trace_ways *ways, const struct trace_call *call) {
    for (size_t i = 0; i < unit_count && call->operands > 1; i++)
        if (units[i].format == call->format) {
            char name[96];
            snprintf(name, sizeof name, "mma:%s", units[i].name);
            add_named(ways, name);
            if (ways->count)
                ways->items[ways->count - 1].is_last = true;
        }
}

/* ---- Others ---- */

/* What is said of whose functions; nothing of cr's. */
static const char *functions_say(const char *name) {
    const struct function_source *source = function_source_find(name);
    return source && source != function_sources ? source->says : "";
}

/* Whether steps have functions of a source: det's bits are a way of their own, a library's functions have rows. */
static bool has_functions(const struct function_source *source, bool calls) {
    return source->others != &implementation_det && (calls || !source->has_rows);
}

static void add_forms(struct trace_ways *ways, const struct trace_call *call) {
    for (size_t i = 0; i < form_count; i++) {
        /* Another epsilon is tried on top of every way (ways_changes.c). */
        if (!form_is_of(&forms[i], call->operation, &call->parameters) ||
            strncmp(forms[i].name, "epsilon-", strlen("epsilon-")) == 0)
            continue;
        for (size_t k = 0; k < (form_has_sums(&forms[i]) ? form_sums_count : 1); k++)
            for (size_t f = 0; f < FUNCTION_SOURCES; f++) {
                const struct function_source *source = &function_sources[f];
                char name[160];
                if (!has_functions(source, form_calls(&forms[i], source, call->result)))
                    continue;
                snprintf(name, sizeof name, "form:%s:%s:%s", forms[i].name, form_sums[k].name,
                         source->name);
                add_named(ways, name);
            }
    }
}

/* Rewritings, each step in the operands' format, and in fp32 where that is narrower. */
static void add_rewritings(struct trace_ways *ways, const struct trace_call *call) {
    const bool is_narrow = call->format->precision < formats[FORMAT_FP32].precision;
    const char *operation, *text;
    for (size_t i = 0; (text = identity_row(i, &operation)); i++)
        for (size_t f = 0; f < FUNCTION_SOURCES && strcmp(operation, call->operation->name) == 0;
             f++)
            for (int wide = 0; wide <= is_narrow; wide++) {
                const struct function_source *source = &function_sources[f];
                const struct format *steps = wide ? &formats[FORMAT_FP32] : call->format;
                char name[2048];
                if (!has_functions(source, function_steps_are_called(source, text, steps)))
                    continue;
                snprintf(name, sizeof name, "steps%s:%s: %s", wide ? "@fp32" : "", source->name,
                         text);
                add_named(ways, name);
            }
}

/* A function itself, in the steps of those who have a row for it. */
static void add_function(struct trace_ways *ways, const struct trace_call *call) {
    const bool is_narrow = call->format->precision < formats[FORMAT_FP32].precision;
    const struct format *steps = is_narrow ? &formats[FORMAT_FP32] : call->format;
    for (size_t i = 0; i < FUNCTION_SOURCES; i++) {
        const struct function_source *source = &function_sources[i];
        char name[96];
        if (!function_steps(source, call->operation->name, steps))
            continue;
        snprintf(name, sizeof name, "steps%s:%s: %s(x)", is_narrow ? "@fp32" : "", source->name,
                 call->operation->name);
        add_named(ways, name);
    }
}

static void add_others(struct trace_ways *ways, const struct trace_call *call) {
    for (size_t i = 0; i < sizeof taken_for / sizeof *taken_for; i++)
        if (strcmp(taken_for[i].operation, call->operation->name) == 0)
            trace_ways_add(ways,
                           (struct trace_way){.kind = TRACE_WAY_EXACT,
                                              .rounding = ROUND_NEAREST_EVEN,
                                              .operation = operation_row(taken_for[i].other)});
}

void trace_ways_open(struct trace_ways *ways, const struct trace_call *call,
                     struct trace_reveals *reveals) {
    static const enum rounding roundings[] = {ROUND_NEAREST_EVEN, ROUND_TOWARD_ZERO,
                                              ROUND_NEAREST_AWAY, ROUND_UP, ROUND_DOWN};
    const bool sum = trace_is_sum(call);
    *ways = (struct trace_ways){0};
    trace_ways_add_revealed(ways, call, reveals);
    if (sum) {
        add_orders(ways, call);
        add_units(ways, call);
    }
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
        trace_ways_add(ways, (struct trace_way){.kind = TRACE_WAY_EXACT, .rounding = roundings[i]});
    add_others(ways, call);
    add_forms(ways, call);
    add_function(ways, call);
    if (!call->operation->array && !call->operation->converts)
        add_rewritings(ways, call);
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        const bool is_row = call->operation->array &&
                            array_algorithm_find(call->operation->array, algorithms[i].name);
        if ((is_row && (!sum || strcmp(algorithms[i].name, "det") == 0)) ||
            (!call->operation->array && i + 2 >= sizeof algorithms / sizeof *algorithms))
            add_named(ways, algorithms[i].name);
    }
}

void trace_ways_close(struct trace_ways *ways) {
    for (size_t i = 0; i < ways->count; i++)
        if (!ways->items[i].change) /* those with a change have the name of one without */
            free((char *)ways->items[i].name);
    free(ways->items);
    trace_orders_close(&ways->orders);
    *ways = (struct trace_ways){0};
}

/* ---- Running ---- */

static bool run_exact(const struct trace_way *way, const struct trace_call *part, void *results,
                      struct error *why) {
    const size_t count = (size_t)(part->calls * part->results);
    struct trace_call call = *part;
    struct real *y = malloc(count * sizeof *y + 1);
    if (!y)
        return error_set(why, "out of memory");
    if (way->operation)
        call.operation = way->operation;
    const bool good = trace_call_exact(&call, NULL, y, why);
    for (size_t i = 0; good && i < count; i++)
        code_store(results, format_bytes(part->result), i,
                   format_encode(part->result, &y[i], way->rounding, OVERFLOW_IEEE));
    free(y);
    return good;
}

/* A copy whose operands can be changed. */
static bool copy_call(struct trace_call *copy, const struct trace_call *call, struct error *why) {
    *copy = *call;
    bool good = true;
    for (int i = 0; i < MAX_ARRAY_OPERANDS; i++) {
        const size_t size = (size_t)call->operand[i].count *
                            (call->operand[i].format ? format_bytes(call->operand[i].format) : 0);
        copy->operand[i].codes = malloc(size + 1);
        good = good && copy->operand[i].codes;
        if (good && size)
            memcpy(copy->operand[i].codes, call->operand[i].codes, size);
    }
    return good || error_set(why, "out of memory");
}

static bool run_plain(const struct trace_way *way, const struct trace_call *part, void *results,
                      struct error *why) {
    struct implementation implementation;
    if (way->kind == TRACE_WAY_ORDER || way->kind == TRACE_WAY_REVEALED)
        return trace_sums_run(way, part, results, why);
    if (way->kind == TRACE_WAY_EXACT)
        return run_exact(way, part, results, why);
    return implementation_open(&implementation, way->name, NULL, why) &&
           trace_call_run(part, &implementation, results, why);
}

bool trace_way_run(const struct trace_way *way, const struct trace_call *part, void *results,
                   struct error *why) {
    struct trace_call changed;
    if (!way->change)
        return run_plain(way, part, results, why);
    const bool good = copy_call(&changed, part, why) &&
                      trace_change_before(way->change, &changed, why) &&
                      run_plain(way, &changed, results, why);
    if (good)
        trace_change_results(way->change, part, results);
    trace_call_close(&changed);
    return good;
}

/* ---- Words ---- */

static void order_words(const struct trace_way *way, const struct trace_call *call, char *text,
                        size_t room) {
    static const char *const onto[] = {"", ", onto c", ", then c",
                                       ", then c in the results' format"};
    snprintf(text, room, "%s, in %s%s%s", way->order->says, way->accumulator->name,
             way->rounds_products                      ? ", with rounded products"
             : rounds_products(call, way->accumulator) ? ", with fused products"
                                                       : "",
             onto[way->onto]);
}

/* "form:torch:left:cr". */
static void form_words(const struct trace_way *way, const struct trace_call *call, char *text,
                       size_t room) {
    char name[48], sums[48], of[32];
    const char *says = way->name, *added = "";
    if (sscanf(way->name, "form:%47[^:]:%47[^:]:%31s", name, sums, of) != 3) {
        snprintf(text, room, "computes as %s", way->name);
        return;
    }
    for (size_t i = 0; i < form_count; i++)
        if (strcmp(forms[i].name, name) == 0 &&
            form_is_of(&forms[i], call->operation, &call->parameters)) {
            says = forms[i].says;
            if (form_has_sums(&forms[i]))
                for (size_t k = 0; k < form_sums_count; k++)
                    if (strcmp(form_sums[k].name, sums) == 0)
                        added = form_sums[k].says;
            break;
        }
    const char *whose = functions_say(of);
    snprintf(text, room, "%s (form %s%s%s%s%s)", says, name, *added ? ", " : "", added,
             *whose ? ", " : "", whose);
}

static void name_words(const struct trace_way *way, const struct trace_call *call, char *text,
                       size_t room) {
    const char *steps = strncmp(way->name, "steps", 5) == 0 ? strstr(way->name, ": ") : NULL;
    char of[32];
    if (steps && sscanf(way->name, "steps%*[^:]:%31[^:]", of) != 1 &&
        sscanf(way->name, "steps:%31[^:]", of) != 1)
        *of = '\0';
    if (steps) {
        const char *whose = functions_say(of);
        snprintf(text, room, "computes %.*s, each step rounded%s%s%s",
                 identity_name_length(steps + 2), steps + 2, way->name[5] == '@' ? " to fp32" : "",
                 *whose ? ", " : "", whose);
        return;
    }
    if (strncmp(way->name, "form:", 5) == 0) {
        form_words(way, call, text, room);
        return;
    }
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (strcmp(algorithms[i].name, way->name) == 0) {
            snprintf(text, room, "%s", algorithms[i].says);
            return;
        }
    snprintf(text, room, "computes as %s", way->name);
}

void trace_way_words(const struct trace_way *way, const struct trace_call *call, char *text,
                     size_t room) {
    if (way->kind == TRACE_WAY_ORDER)
        order_words(way, call, text, room);
    else if (way->kind == TRACE_WAY_REVEALED)
        snprintf(text, room, "%s", way->says);
    else if (way->kind == TRACE_WAY_IMPLEMENTATION)
        name_words(way, call, text, room);
    else if (way->operation)
        snprintf(text, room, "computes %s, rounded once", way->operation->name);
    else
        snprintf(text, room, "rounds the exact result %s",
                 way->rounding == ROUND_NEAREST_EVEN ? "once" : rounding_names[way->rounding]);
    const size_t length = strlen(text);
    if (way->change)
        snprintf(text + length, room - length, ", %s", trace_change_says(way->change));
}

int trace_way_distance(const struct trace_way *a, const struct trace_way *b) {
    int distance = 3 * (a->kind != b->kind) + 2 * (a->operation != b->operation) +
                   (a->change != b->change) + (a->rounding != b->rounding);
    if (a->kind == TRACE_WAY_ORDER && b->kind == TRACE_WAY_ORDER)
        distance += (a->order != b->order) + (a->accumulator != b->accumulator) +
                    (a->rounds_products != b->rounds_products) + (a->onto != b->onto);
    if (a->name && b->name)
        distance += strcmp(a->name, b->name) != 0;
    return distance;
}
