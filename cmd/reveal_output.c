/* The verdict first, then the rule, the additions, and what is open. */
#include "reveal_output.h"

#include "reveal_refuted.h"
#include "reveal_terms.h"

#include "base/foreign.h"
#include "base/json.h"
#include "format/text.h"
#include "report/report.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4096, SHOWN = 12 };

static const char *const state_words[REVEAL_STATES] = {
    "revealed", "not revealed: no model fits", "no order: it cannot be repeated",
    "not revealed: what pairs of terms say is no tree: the order depends on the data, or differs "
    "between elements",
    "not revealed: nothing tells orders apart"};

/* ---- Text ---- */

static bool does_break(const void *context, size_t index) {
    return ((const bool *)context)[index];
}

static void print_additions(const struct order *order, bool extended) {
    if (extended) {
        printf("  additions: x87's long double of 64 bits, nearest-even\n");
        return;
    }
    for (unsigned i = 0; i < order->node_count; i++) {
        char words[WORDS];
        order_node_words(&order->nodes[i], words, sizeof words);
        printf(order->node_count > 1 ? "  addition %u: %s\n" : "  %.0uadditions: %s\n", i, words);
    }
    if (order->scale != ORDER_SCALE_NONE)
        printf("  mean: %s\n", order_scale_names[order->scale]);
}

static void print_verdict(const struct revealed *revealed) {
    char arrays[32], different[32];
    const struct replay *replay = &revealed->replay;
    printf("  %zu term%s: %s", revealed->terms, revealed->terms == 1 ? "" : "s",
           state_words[revealed->state]);
    if (revealed->has_model)
        printf("; %s of %s arrays differ%s", text_grouped(replay->different, different),
               text_grouped(replay->arrays, arrays),
               revealed->state == REVEALED ? "" : " from what fits best");
    printf("\n");
    if (*revealed->why)
        printf("  %s\n", revealed->why);
    if (revealed->has_model && replay->different) {
        const char *comma = "  of";
        for (int family = 0; family < REPLAY_FAMILIES; family++)
            if (replay->by_family[family]) {
                printf("%s %s %" PRIu64, comma, revealed->families[family],
                       replay->by_family[family]);
                comma = ",";
            }
        printf("\n");
    }
    reveal_print_refuted(&revealed->refuted);
    if (revealed->event)
        printf("  event: %s\n", revealed->event);
    reveal_print_weights(revealed);
    if (revealed->has_model && revealed->state == REVEALED)
        reveal_print_twice(revealed);
}

/* "this is h100's fp16 to fp32; so is mma:h200" */
static void print_units(const struct reveal_request *request, const struct revealed *revealed) {
    const struct unit_names *units = &revealed->units;
    if (!units->count)
        return;
    printf("  this is %s, of products of %s\n", units->of[0], request->computed.format->name);
    for (unsigned i = 1; i < units->count; i++)
        printf("%s%s%s", i > 1 ? ", " : "  so are: ", units->of[i],
               i + 1 < units->count ? "" : "\n");
}

static void print_details(const struct revealed *revealed) {
    char tree[32], node[32], replay[32], all[32];
    if (revealed->has_model)
        print_additions(&revealed->model.order, revealed->model.extended);
    if (revealed->has_model)
        order_draw(&revealed->model.tree, stdout);
    if (*revealed->addend.words)
        printf("  c: %s\n", revealed->addend.words);
    for (unsigned i = 0; i < revealed->open_count; i++)
        printf("  open: %s\n", revealed->open[i]);
    printf("  calls: %s for the tree, %s for the additions, %s for the arrays, %s in all\n",
           text_grouped(revealed->tree_calls, tree), text_grouped(revealed->node_calls, node),
           text_grouped(revealed->replay.calls, replay), text_grouped(revealed->calls, all));
}

static void print_rule(const struct lengths *lengths) {
    char words[WORDS], hash[17];
    if (lengths->known)
        printf("  known: %s\n", lengths->known);
    if (!lengths->has_rule)
        return;
    order_rules_words(&lengths->rules, words, sizeof words);
    order_identity(&lengths->order, hash);
    printf("  order: %s\n  hash: %s\n", words, hash);
    for (unsigned i = 0; i < lengths->rules.count; i++) {
        const struct order_rule *row = &lengths->rules.rows[i];
        const bool is_spilled = row->kind == ORDER_SEQUENTIAL && row->multiple;
        if (!is_spilled && (row->kind != ORDER_ONTO || row->start != ORDER_START_ALONE))
            continue;
        order_node_words(&lengths->order.nodes[is_spilled ? row->spill : row->node], words,
                         sizeof words);
        if (is_spilled)
            printf("  totals are rounded after each %" PRIu64 " terms: %s\n", row->multiple, words);
        else
            printf("  the %s is rounded: %s\n", i ? "total" : "result", words);
    }
}

/* Terms that are dropped, or added twice: of the longest length that has such, and which lengths do, if not all. */
static void print_unlike(const struct lengths *lengths, size_t first, size_t step) {
    bool *unlike = calloc(lengths->count + 1, sizeof *unlike);
    const struct revealed *longest = NULL;
    size_t count = 0;
    for (size_t i = 0; unlike && i < lengths->count; i++) {
        const struct revealed *revealed = &lengths->revealed[i];
        if (revealed->state != REVEALED || lengths_adds_all_once(&revealed->model.tree))
            continue;
        unlike[i] = true;
        count++;
        longest = revealed->weight ? revealed : longest;
    }
    if (longest) {
        reveal_print_weights(longest);
        reveal_print_twice(longest);
    }
    if (count && count < lengths->proven) {
        printf("  lengths at which not every term is added once: ");
        reveal_print_runs(lengths->count, does_break, unlike, first, step);
        printf("\n");
    }
    free(unlike);
}

static void print_lengths(const struct lengths *lengths) {
    char arrays[32], wrong[32];
    const size_t count = lengths->count, first = lengths->revealed[0].terms;
    const size_t step = count > 1 ? lengths->revealed[1].terms - first : 1;
    uint64_t all = 0, different = 0;
    size_t shown = 0;
    for (size_t i = 0; i < count; i++)
        if (lengths->revealed[i].has_model) {
            all += lengths->revealed[i].replay.arrays;
            different += lengths->revealed[i].replay.different;
        }
    printf("  %zu to %zu terms: %zu of %zu lengths revealed; %s of %s arrays differ\n", first,
           lengths->revealed[count - 1].terms, lengths->proven, count,
           text_grouped(different, wrong), text_grouped(all, arrays));
    print_rule(lengths);
    if (lengths->has_rule && lengths->broken) {
        printf("  lengths that break it: ");
        reveal_print_runs(count, does_break, lengths->breaks, first, step);
        printf("\n");
    } else if (!lengths->has_rule && lengths->proven) {
        printf("  revealed, but no rule was found that gives the trees of at least half of the "
               "lengths; --lengths N draws one\n");
    }
    if (lengths->order.format)
        print_additions(&lengths->order, lengths->is_extended);
    reveal_print_addends(lengths);
    for (size_t i = 0; i < count; i++)
        if (lengths->revealed[i].state == REVEALED && lengths->revealed[i].model.sorting.sorts) {
            printf("  %s\n", lengths->revealed[i].why);
            break;
        }
    print_unlike(lengths, first, step);
    for (size_t i = 0; i < count && shown < SHOWN; i++)
        if (lengths->revealed[i].state != REVEALED) {
            print_verdict(&lengths->revealed[i]);
            shown++;
        }
}

/* Of a sum inside of an operation. */
static void print_terms(const struct reveal_request *request, const struct through_choice *choice) {
    const struct through *through = inner_through(request->inner, request->computed.operation);
    if (!through || through->terms == TERMS_PLAIN)
        return;
    if (through_not_asked(through))
        printf("  not asked: %s\n", through_not_asked(through));
    if (through_has_exponentials(through))
        printf("  terms: %s, %s\n", through_shift_names[choice->shift],
               through_exponential_names[choice->exponential]);
    else
        printf("  terms: squares\n");
    if (through->shares)
        printf("  shares: terms %s\n",
               choice->multiplies ? "times the rounded 1/sum" : "divided by the sum");
}

void reveal_print(const struct reveal_request *request, const struct lengths *lengths) {
    const struct implementation *implementation = request->implementation;
    char shape[SHAPE_TEXT];
    const struct revealed *first = &lengths->revealed[0];
    printf("%s, %s%s%s, %s%s%s%s", request->computed.operation->name,
           request->inner ? request->inner->name : "", request->inner ? ", " : "",
           request->computed.format->name, FOREIGN(implementation->name),
           *implementation->detail ? " (" : "", FOREIGN(implementation->detail),
           *implementation->detail ? ")" : "");
    if (request->whole)
        printf(", prefixes of %zu", request->whole);
    if (first->shape.dimensions > 1)
        printf(", %s", shape_text(&first->shape, shape));
    printf("\n");
    const bool products = request->computed.operation->operands > 1 &&
                          !inner_through(request->inner, request->computed.operation);
    if (lengths->count > 1) {
        print_lengths(lengths);
        size_t longest = lengths->count;
        while (longest > 1 && lengths->revealed[longest - 1].state != REVEALED)
            longest--;
        if (products && lengths->proven)
            reveal_print_rounded(&lengths->revealed[longest - 1]);
        if (lengths->proven)
            print_terms(request, &lengths->through);
        return;
    }
    print_verdict(first);
    print_units(request, first);
    print_rule(lengths);
    if (first->has_model)
        print_terms(request, &first->model.through);
    if (products && first->state == REVEALED)
        reveal_print_rounded(first);
    print_details(first);
}

/* ---- JSON ---- */

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
