/* The verdict first, then the rule, the additions, and what is open. */
#include "reveal_output.h"

#include "reveal_refuted.h"
#include "reveal_terms.h"

#include "base/foreign.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4096, SHOWN = 12 };

static const char *const state_words[REVEAL_STATES] = {
    "revealed", "not revealed: no model fits", "no order: it cannot be repeated",
    ("not revealed: what pairs of terms say is not a tree: the order depends on the data, or "
     "differs "
     "between elements"),
    "not revealed: nothing tells orders apart"};

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
    printf("  calls: %s for the tree, %s for the additions, %s for the arrays,\n"
           "         %s in all\n",
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
