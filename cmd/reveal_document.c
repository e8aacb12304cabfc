/* An entry of "results": what was revealed, of all lengths and of each. */
#include "reveal_document.h"

#include "reveal_refuted.h"

#include "base/json.h"
#include "report/report.h"

#include <stdio.h>

enum { WORDS = 4096 };

static void add_terms(cJSON *object, const char *name, const struct revealed *revealed,
                      uint8_t weight) {
    cJSON *array = NULL;
    for (size_t i = 0; i < revealed->terms && revealed->weight; i++) {
        if (revealed->weight[i] != weight)
            continue;
        if (!array)
            array = cJSON_AddArrayToObject(object, name);
        cJSON_AddItemToArray(array, cJSON_CreateNumber((double)i));
    }
}

static void add_replay(cJSON *object, const struct revealed *revealed) {
    const struct replay *replay = &revealed->replay;
    cJSON_AddNumberToObject(object, "replayed", (double)replay->arrays);
    cJSON_AddNumberToObject(object, "different", (double)replay->different);
    cJSON *families = replay->different ? cJSON_AddObjectToObject(object, "by_family") : NULL;
    for (int family = 0; families && family < REPLAY_FAMILIES; family++)
        if (replay->by_family[family])
            cJSON_AddNumberToObject(families, revealed->families[family],
                                    (double)replay->by_family[family]);
}

/* As in the document of an order. */
static cJSON *child_item(int32_t child) {
    return child == ORDER_ZERO ? cJSON_CreateString("zero") : cJSON_CreateNumber(child);
}

static void add_tree(cJSON *object, const struct order_tree *tree) {
    cJSON *additions = cJSON_AddArrayToObject(object, "tree");
    for (size_t v = 0; v < tree->count; v++) {
        const struct order_addition *addition = &tree->additions[v];
        cJSON *one = cJSON_CreateArray();
        cJSON_AddItemToArray(additions, one);
        cJSON_AddItemToArray(one, cJSON_CreateNumber(addition->node));
        for (uint32_t k = 0; k < addition->children; k++)
            cJSON_AddItemToArray(one, child_item(tree->children[addition->first + k]));
    }
}

static void add_length(cJSON *array, const struct revealed *revealed, bool breaks, bool alone) {
    char text[SHAPE_TEXT];
    cJSON *object = json_append(array);
    cJSON_AddNumberToObject(object, "terms", (double)revealed->terms);
    cJSON_AddStringToObject(object, "shape", shape_text(&revealed->shape, text));
    cJSON_AddStringToObject(object, "state", reveal_state_names[revealed->state]);
    if (revealed->has_model)
        add_replay(object, revealed);
    if (*revealed->why)
        cJSON_AddStringToObject(object, "why", revealed->why);
    if (revealed->refuted.varied)
        reveal_add_refuted(object, &revealed->refuted);
    if (revealed->event)
        cJSON_AddStringToObject(object, "event", revealed->event);
    if (breaks)
        cJSON_AddBoolToObject(object, "breaks_rule", true);
    const struct sorting *sorting = &revealed->model.sorting;
    if (revealed->has_model && sorting->sorts)
        cJSON_AddStringToObject(object, "sorted", sorting->descending ? "descending" : "ascending");
    if (revealed->has_model && sorting->by_value)
        cJSON_AddStringToObject(object, "sorted_by", "value");
    else if (revealed->has_model && sorting->sorts)
        cJSON_AddStringToObject(object, "ties", sort_ties_names[sorting->ties]);
    add_terms(object, "dropped", revealed, 0);
    add_terms(object, "added_twice", revealed, 2);
    add_terms(object, "counted_otherwise", revealed, 3);
    if (*revealed->addend.words)
        cJSON_AddStringToObject(object, "c", revealed->addend.words);
    cJSON *open = revealed->open_count ? cJSON_AddArrayToObject(object, "open") : NULL;
    for (unsigned i = 0; i < revealed->open_count; i++)
        cJSON_AddItemToArray(open, cJSON_CreateString(revealed->open[i]));
    cJSON *units = revealed->units.count ? cJSON_AddArrayToObject(object, "units") : NULL;
    for (unsigned i = 0; i < revealed->units.count; i++)
        cJSON_AddItemToArray(units, cJSON_CreateString(revealed->units.of[i]));
    cJSON *calls = cJSON_AddObjectToObject(object, "calls");
    cJSON_AddNumberToObject(calls, "tree", (double)revealed->tree_calls);
    cJSON_AddNumberToObject(calls, "additions", (double)revealed->node_calls);
    cJSON_AddNumberToObject(calls, "arrays", (double)revealed->replay.calls);
    cJSON_AddNumberToObject(calls, "all", (double)revealed->calls);
    cJSON_AddNumberToObject(object, "models", (double)revealed->models);
    if (alone && revealed->has_model)
        add_tree(object, &revealed->model.tree);
}

/* As reports have them, so that a gate tells two runs apart by them. */
static void add_inputs(cJSON *object, const struct reveal_request *request,
                       const struct lengths *lengths) {
    const size_t first = lengths->revealed[0].terms,
                 step = lengths->count > 1 ? lengths->revealed[1].terms - first : 1;
    char text[128];
    int used = snprintf(text, sizeof text, "%zu", first);
    if (lengths->count > 1)
        used += snprintf(text + used, sizeof text - (size_t)used, " to %zu",
                         lengths->revealed[lengths->count - 1].terms);
    used += snprintf(text + used, sizeof text - (size_t)used, " terms");
    if (step > 1)
        snprintf(text + used, sizeof text - (size_t)used, " in steps of %zu", step);
    cJSON *parameters = cJSON_AddObjectToObject(object, "parameters");
    report_add_parameters(parameters, &request->computed.parameters);
    if (request->inner)
        cJSON_AddStringToObject(parameters, "sum", request->inner->name);
    cJSON *inputs = cJSON_AddObjectToObject(object, "inputs");
    cJSON_AddStringToObject(inputs, "kind", "lengths");
    cJSON_AddStringToObject(inputs, "description", text);
    cJSON_AddNumberToObject(inputs, "count", (double)lengths->count);
}

cJSON *reveal_document(const struct reveal_request *request, const struct lengths *lengths) {
    const struct implementation *implementation = request->implementation;
    static const char *const exponential_words[EXPONENTIALS] = {"measured", "nearest", "libm"};
    const struct through *through = inner_through(request->inner, request->computed.operation);
    char words[WORDS], hash[17];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "operation", request->computed.operation->name);
    cJSON_AddStringToObject(object, "format", request->computed.format->name);
    cJSON *whose = cJSON_AddObjectToObject(object, "implementation");
    cJSON_AddStringToObject(whose, "name", implementation->name);
    cJSON_AddStringToObject(whose, "detail", implementation->detail);
    add_inputs(object, request, lengths);
    if (request->whole)
        cJSON_AddNumberToObject(object, "prefixes_of", (double)request->whole);
    cJSON_AddNumberToObject(object, "revealed", (double)lengths->proven);
    if (lengths->has_rule) {
        order_rules_words(&lengths->rules, words, sizeof words);
        cJSON_AddStringToObject(object, "rule", words);
    }
    if (lengths->known)
        cJSON_AddStringToObject(object, "known", lengths->known);
    if (lengths->order.format) {
        cJSON *nodes = cJSON_AddArrayToObject(object, "additions");
        for (unsigned i = 0; i < lengths->order.node_count; i++) {
            order_node_words(&lengths->order.nodes[i], words, sizeof words);
            cJSON_AddItemToArray(nodes, cJSON_CreateString(words));
        }
        if (lengths->order.scale != ORDER_SCALE_NONE)
            cJSON_AddStringToObject(object, "scale", order_scale_names[lengths->order.scale]);
        if (through && through_has_exponentials(through))
            cJSON_AddStringToObject(object, "exponentials",
                                    exponential_words[lengths->through.exponential]);
        if (through && lengths->through.shift > SHIFT_LARGEST)
            cJSON_AddStringToObject(object, "terms", through_shift_names[lengths->through.shift]);
        if (through && through->shares)
            cJSON_AddStringToObject(object, "shares",
                                    lengths->through.multiplies ? "multiplied" : "divided");
        if (through && through_not_asked(through))
            cJSON_AddStringToObject(object, "not_asked", through_not_asked(through));
        order_identity(&lengths->order, hash);
        cJSON_AddStringToObject(object, "order_hash", hash);
        if (!lengths->is_extended && !lengths->is_sorted)
            cJSON_AddItemToObject(object, "order", order_document(&lengths->order));
    }
    cJSON *array = cJSON_AddArrayToObject(object, "lengths");
    for (size_t i = 0; i < lengths->count; i++)
        add_length(array, &lengths->revealed[i], lengths->breaks[i],
                   lengths->count == 1 || request->whole);
    return object;
}
