/* What a batch, other columns, other threads, or another environment of its process did to the order of a sum: both calls are revealed, and the orders compared. */
#include "invariance_orders.h"

#include "base/foreign.h"
#include "base/memory.h"
#include "reveal/lengths.h"
#include "signals.h"

#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 600, MOST_TERMS = 4096 };

/* A call as it was made: of a product its rows and columns, else lines along an axis. */
struct setting {
    char words[64];
    uint64_t lines, columns;
    unsigned at_once;  /* threads that make the call */
    bool across;       /* along axis 0 */
    char variant[160]; /* of the process, as foreign_settings have it; "": none */
};

/* The settings of a change, the reference's first; false where it names none that can be made again. */
static bool read_settings(const struct change *change, bool product, const struct shape *shape,
                          size_t terms, struct setting settings[2]) {
    unsigned long long at, count, all;
    settings[0] = settings[1] = (struct setting){.words = "alone", .lines = 1};
    if (sscanf(change->where, "row %llu of a batch of %llu", &at, &count) == 2) {
        settings[1].lines = count;
        snprintf(settings[1].words, sizeof settings[1].words, "in a batch of %llu", count);
        return true;
    }
    if (sscanf(change->where, "in %u threads at once", &settings[1].at_once) == 1) {
        for (int i = 0; i < 2; i++)
            settings[i].lines = product ? shape->extents[0] : shape_elements(shape) / terms;
        snprintf(settings[1].words, sizeof settings[1].words, "in %u threads at once",
                 settings[1].at_once);
        return true;
    }
    if (sscanf(change->where, "in a process with %150[^\n]", settings[1].variant) == 1) {
        snprintf(settings[0].words, sizeof settings[0].words, "as it is");
        snprintf(settings[1].words, sizeof settings[1].words, "with %.50s", settings[1].variant);
        return true;
    }
    if (product &&
        sscanf(change->where, "a product of %llu columns from column %llu on, and not of %llu",
               &count, &at, &all) == 3) {
        settings[0].columns = all;
        settings[1].columns = count;
        for (int i = 0; i < 2; i++)
            snprintf(settings[i].words, sizeof settings[i].words, "with %llu column%s",
                     (unsigned long long)settings[i].columns, settings[i].columns == 1 ? "" : "s");
        return true;
    }
    if (sscanf(change->where, "column %llu of %llu along axis 0", &at, &count) != 2)
        return false;
    settings[0].lines = settings[1].lines = count;
    settings[1].across = true;
    snprintf(settings[0].words, sizeof settings[0].words, "in rows");
    snprintf(settings[1].words, sizeof settings[1].words, "along axis 0");
    return true;
}

static size_t terms_of(const struct invariance_request *request, const struct shape *call) {
    const struct parameter_value *axis = &request->computed.parameters.values[PARAMETER_AXIS];
    const int64_t last = call->dimensions - 1, along = axis->present ? axis->integer : last;
    const bool product = request->computed.operation->array->lines == LINES_PRODUCT;
    const int64_t dimension = product ? 1 : along < 0 ? along + call->dimensions : along;
    return dimension >= 0 && dimension <= last ? (size_t)call->extents[dimension] : 0;
}

static bool reveal_setting(const struct invariance_request *request,
                           const struct implementation *implementation, const struct shape *call,
                           const struct setting *setting, struct lengths *lengths,
                           struct error *error) {
    const bool product = request->computed.operation->array->lines == LINES_PRODUCT;
    struct foreign_settings foreign = *implementation->foreign;
    struct implementation varied = *implementation;
    foreign.variant = *setting->variant ? setting->variant : foreign.variant;
    varied.foreign = &foreign;
    struct reveal_request revealed = {.implementation = &varied,
                                      .computed = request->computed,
                                      .arrays = ARRAYS,
                                      .seed = 1,
                                      .stop = &interrupted,
                                      .at_once = setting->at_once};
    const size_t terms = terms_of(request, call);
    struct parameter_value *values = revealed.computed.parameters.values;
    revealed.computed.conditions = false;
    values[PARAMETER_SHAPE_OF].present = false;
    if (product) {
        revealed.shape = (struct shape){
            3, {setting->lines, terms, setting->columns ? setting->columns : call->extents[2]}};
    } else {
        values[PARAMETER_AXIS] =
            (struct parameter_value){.present = true, .integer = setting->across ? 0 : 1};
        revealed.shape = setting->across ? (struct shape){2, {terms, setting->lines}}
                                         : (struct shape){2, {setting->lines, terms}};
    }
    return reveal_lengths(&revealed, terms, terms, 1, lengths, error);
}

/* "alone          from the left; fp32, nearest-even" */
static void print_setting(FILE *stream, const struct setting *setting,
                          const struct lengths *lengths) {
    char words[1024], node[1024];
    const struct order *order = &lengths->order;
    fprintf(stream, "      %-20s  ", setting->words);
    if (!order->format || lengths->proven < lengths->count) {
        fprintf(stream, "no order is revealed\n");
        return;
    }
    order_rules_words(&order->rules, words, sizeof words);
    order_node_words(&order->nodes[0], node, sizeof node);
    fprintf(stream, "%s; %s%s\n", *words ? words : "an order without a short rule", node,
            order->node_count > 1 ? ", and others" : "");
}

/* The first line that tells the two apart. */
static bool print_difference(FILE *stream, const struct lengths lengths[2], struct error *error) {
    char *text = NULL;
    size_t size;
    struct order_compared compared;
    FILE *told = memory_stream(&text, &size);
    bool good = told && order_compare(&lengths[0].order, &lengths[1].order, told, &compared, error);
    if (told && fclose(told) == 0 && good && *text)
        fprintf(stream, "      %-20s  %.*s\n", "A and B part", (int)strcspn(text, "\n"), text);
    free(text);
    return good;
}

static bool print_change(FILE *stream, const struct invariance_outcomes *all, size_t at,
                         const struct property_outcome *one, struct error *error) {
    const struct invariance_request *request = all->request;
    const struct change *change = &one->tally.results[0].first;
    struct setting settings[2];
    struct lengths lengths[2] = {{.count = 0}, {.count = 0}};
    struct error why;
    bool product = request->computed.operation->array->lines == LINES_PRODUCT, good = true;
    const struct shape *call = case_shape(&request->domain->cases, change->index);
    const size_t terms = terms_of(request, call);
    if (!terms || terms > MOST_TERMS || !read_settings(change, product, call, terms, settings))
        return true;
    for (int i = 0; good && i < 2; i++)
        good = reveal_setting(request, &all->implementations[at], call, &settings[i], &lengths[i],
                              &why);
    if (!good) { /* what was tested stands without it */
        fprintf(stream, "  orders of %zu terms are not revealed: %s\n\n", terms, FOREIGN(why.text));
        good = true;
    } else if (!interrupted) {
        fprintf(stream, "  orders of %zu terms by %s, of which the second changes %s\n", terms,
                FOREIGN(all->implementations[at].name), one->property->name);
        for (int i = 0; i < 2; i++)
            print_setting(stream, &settings[i], &lengths[i]);
        if (lengths[0].order.format && lengths[1].order.format)
            good = print_difference(stream, lengths, error);
        fprintf(stream, "\n");
    }
    for (int i = 0; i < 2; i++)
        lengths_close(&lengths[i]);
    return good;
}

bool invariance_orders_print(FILE *stream, const struct invariance_outcomes *all,
                             struct error *error) {
    bool good = true;
    if (!subject_provides_lines(all->request->computed.operation))
        return true;
    for (size_t i = 0; good && i < all->count; i++)
        for (size_t k = 0; good && all->outcomes[i].provided && k < all->request->property_count;
             k++) {
            const struct property_outcome *one = &all->outcomes[i].properties[k];
            if (one->tested && one->tally.results[0].changed)
                good = print_change(stream, all, i, one, error);
        }
    return good;
}
