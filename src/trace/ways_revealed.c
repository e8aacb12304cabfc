/* Revealing, and what is kept of it. */
#include "trace/ways_revealed.h"

#include "report/text.h"
#include "reveal/known.h"
#include "reveal/reveal.h"
#include "trace/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 32, MOST_TERMS = 1 << 14, ARRAYS = 100, SAYS = 384 };

/* What was found of an implementation, for an operation, a format and a shape. */
struct kept {
    const struct implementation *implementation;
    const struct operation *operation;
    const struct format *format;
    struct shape shape;
    struct revealed revealed;
    bool is_known;
    char says[SAYS]; /* of a side, named before it; or why nothing is known */
};

struct trace_reveals {
    const struct implementation *implementations;
    size_t count, kept_count;
    const volatile sig_atomic_t *stop;
    struct kept kept[MOST_KEPT];
};

struct trace_reveals *trace_reveals_open(const struct implementation *implementations, size_t count,
                                         const volatile sig_atomic_t *stop) {
    struct trace_reveals *reveals = calloc(1, sizeof *reveals);
    if (reveals) {
        reveals->implementations = implementations;
        reveals->count = count;
        reveals->stop = stop;
    }
    return reveals;
}

void trace_reveals_close(struct trace_reveals *reveals) {
    for (size_t i = 0; reveals && i < reveals->kept_count; i++)
        revealed_close(&reveals->kept[i].revealed);
    free(reveals);
}

/* The name of the order or its rule, and its arithmetic. */
static void describe(struct kept *kept, size_t terms) {
    const struct model *model = &kept->revealed.model;
    const struct order_tree *const trees[] = {&model->tree};
    const char *known = known_order(trees, 1, false);
    char node[ORDER_TEXT], rule[ORDER_TEXT] = "", count[32];
    struct order_rules rules;
    bool breaks[1];
    order_node_words(&model->order.nodes[0], node, sizeof node);
    if (order_fold(&model->tree, 1, &rules, breaks) == 0)
        order_rules_words(&rules, rule, sizeof rule);
    snprintf(kept->says, sizeof kept->says,
             "adds %s terms in the order that reveal found for %.80s: %.90s, in %.90s",
             text_grouped(terms, count), kept->implementation->name,
             known   ? known
             : *rule ? rule
                     : "a tree for which no rule was found",
             node);
}

static void reveal(struct kept *kept, const struct trace_call *call, size_t terms,
                   const volatile sig_atomic_t *stop) {
    struct error why = {{0}};
    struct reveal_request request = {.implementation = kept->implementation,
                                     .computed = trace_call_request(call),
                                     .shape = call->shape,
                                     .arrays = ARRAYS,
                                     .seed = 1,
                                     .stop = stop};
    request.computed.parameters.values[PARAMETER_ADDEND] = (struct parameter_value){0};
    request.computed.parameters.values[PARAMETER_SHAPE_OF] = (struct parameter_value){0};
    const bool good = reveal_length(&request, terms, &kept->revealed, &why);
    const struct model *model = &kept->revealed.model;
    kept->is_known =
        good && kept->revealed.state == REVEALED && !model->sorting.sorts && !model->extended;
    if (kept->is_known)
        describe(kept, terms);
    else
        snprintf(kept->says, sizeof kept->says, "the order of %.90s was not revealed: %.130s",
                 kept->implementation->name,
                 !good                  ? why.text
                 : *kept->revealed.why  ? kept->revealed.why
                 : kept->revealed.state ? reveal_state_names[kept->revealed.state]
                                        : "it is none of plain additions");
}

/* What is known of an implementation for a call; NULL where there is no room. */
static struct kept *kept_of(struct trace_reveals *reveals, size_t number,
                            const struct trace_call *call) {
    const struct implementation *implementation = &reveals->implementations[number];
    const size_t terms = (size_t)trace_call_units(call).cost;
    for (size_t i = 0; i < reveals->kept_count; i++) {
        struct kept *kept = &reveals->kept[i];
        if (kept->implementation == implementation && kept->operation == call->operation &&
            kept->format == call->format && trace_same_extents(&kept->shape, &call->shape))
            return kept;
    }
    if (reveals->kept_count == MOST_KEPT || terms > MOST_TERMS)
        return NULL;
    struct kept *kept = &reveals->kept[reveals->kept_count++];
    *kept = (struct kept){implementation, call->operation, call->format, call->shape, .says = ""};
    reveal(kept, call, terms, reveals->stop);
    return kept;
}

void trace_ways_add_revealed(struct trace_ways *ways, const struct trace_call *call,
                             struct trace_reveals *reveals) {
    const bool onto = call->operands > 2;
    for (size_t i = 0; reveals && trace_is_sum(call) && i < reveals->count; i++) {
        const struct kept *kept = kept_of(reveals, i, call);
        if (kept && kept->is_known)
            trace_ways_add(ways,
                           (struct trace_way){.kind = TRACE_WAY_REVEALED,
                                              .revealed = &kept->revealed.model.order,
                                              .tree = &kept->revealed.model.tree,
                                              .says = kept->says,
                                              .onto = onto ? TRACE_ONTO_RESULT : TRACE_ONTO_NONE});
    }
}

void trace_reveals_words(const struct trace_reveals *reveals, const struct trace_call *call,
                         char *text, size_t room) {
    *text = '\0';
    for (size_t i = 0; reveals && i < reveals->kept_count; i++) {
        const struct kept *kept = &reveals->kept[i];
        const size_t used = strlen(text);
        if (!kept->is_known && kept->operation == call->operation && kept->format == call->format &&
            trace_same_extents(&kept->shape, &call->shape))
            snprintf(text + used, room - used, "%s%s", used ? "; " : "", kept->says);
    }
}
