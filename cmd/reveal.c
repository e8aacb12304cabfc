/* `detcheck reveal`: in which order, and in what arithmetic, an implementation sums. */
#include "command.h"
#include "messages.h"
#include "options.h"
#include "selection.h"
#include "signals.h"

#include "base/foreign.h"
#include "base/json.h"
#include "base/json_output.h"
#include "base/output.h"
#include "report/text.h"
#include "reveal/addend_order.h"
#include "reveal/called_cases.h"
#include "reveal_blocks.h"
#include "reveal_cases.h"
#include "reveal_document.h"
#include "reveal_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TERMS = 64, DEFAULT_ARRAYS = 10000, MOST_TERMS = 1 << 16, MOST_ARRAYS = 100000000 };

static const struct option options[] = {
    OPTION_OPERATIONS,
    OPTION_FORMAT,
    OPTION_IMPL("det"),
    OPTION_AS,
    OPTIONS_UNIT,
    {"lengths", 0, VALUE_TEXT, "A:B",
     "numbers of terms from A to B, or A:B:STEP; default 64, or those of\n--shape"},
    {"sum", 0, VALUE_TEXT, "NAME",
     "for layer_norm and group_norm: mean or squares; for\nattention: scores, weights or values; "
     "default all"},
    {"prefixes", 0, VALUE_NONE, NULL,
     "for cumsum: take --lengths as prefixes of one array of --shape,\nall of them by default"},
    {"arrays", 'n', VALUE_TEXT, "N",
     "how many random arrays of each length are replayed; default 10000"},
    OPTION_SEED,
    {"cases", 0, VALUE_FILE, "FILE",
     "results of a matrix unit, in place of an operation; a line is\na0 a1 ... | b0 b1 ... | c "
     "| d; - is stdin"},
    OPTION_OUTPUT("none"),
    OPTION_JSON,
    OPTIONS_FOREIGN,
    {0}};

static const char details[] =
    "Two numbers so large that adding any other to them loses it show the tree of additions. Other "
    "arrays\n"
    "show how each addition rounds. Then detcheck computes random arrays by the model, and "
    "compares\n"
    "them bit by bit with the implementation. The order is 'revealed' if none differs.\n"
    "--output writes the order, for --impl order:FILE.\n"
    "With --cases detcheck calls no implementation, and lists the matrix units and models that "
    "give\n"
    "all results.\n";

struct reveal_plan {
    struct selection selection;
    size_t least, most, step; /* lengths; 0: those of the shape, or the default */
    unsigned long long arrays, seed;
    cJSON *document, *results;
    struct output output; /* of the order */
    const char *path;
    const char *sum; /* that is meant of operations that have several inside; NULL: all */
    bool text, failed, any, prefixes;
};

static bool read_lengths(struct reveal_plan *plan, const char *text, struct error *error) {
    if (!text)
        return true;
    unsigned long long parts[3] = {0, 0, 1};
    const char *at = text;
    int count = 0;
    bool good = true;
    while (good && count < 3) {
        char *end;
        good = *at >= '0' && *at <= '9';
        parts[count++] = strtoull(at, &end, 10);
        at = end;
        if (!*at)
            break;
        good = good && *at++ == ':';
    }
    if (count == 1)
        parts[1] = parts[0];
    good = good && !*at && parts[0] && parts[0] <= parts[1] && parts[1] <= MOST_TERMS && parts[2] &&
           parts[2] <= MOST_TERMS;
    plan->least = (size_t)parts[0];
    plan->most = (size_t)parts[1];
    plan->step = (size_t)parts[2];
    return good || error_set(error,
                             "--lengths needs A:B or A:B:STEP, from 1 to %d, such as 1:512, not "
                             "'%.40s'",
                             MOST_TERMS, text);
}

static bool is_meant(const struct reveal_plan *plan, const struct inner_sum *inner) {
    return !plan->sum || strcmp(plan->sum, inner->name) == 0;
}

/* Adds how many sums of an operation are to be revealed. */
static bool count_sums(const struct reveal_plan *plan, const struct operation *operation,
                       size_t *sums, struct error *error) {
    const struct inner_sum *inner;
    char names[128] = "";
    size_t meant = 0;
    for (size_t i = 0; (inner = inner_row(operation, i)); i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", inner->name);
        meant += is_meant(plan, inner);
    }
    if (plan->sum && !*names)
        return error_set(error, "--sum is for layer_norm, group_norm and attention, not for %.80s",
                         operation->name);
    *sums += *names ? meant : 1;
    return meant || !*names ||
           error_set(error, "%s has no sum '%.40s' inside; it has: %s", operation->name, plan->sum,
                     names);
}

/* Nothing is probed term by term there, and what is found is no order. */
static bool check_called(const struct arguments *arguments, const struct operation *operation,
                         struct error *error) {
    static const char *const others[] = {"lengths", "sum", "prefixes", "output"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (argument_given(arguments, others[i]))
            return error_set(error, "--%s has no effect on %s", others[i], operation->name);
    return true;
}

static bool make_plan(struct reveal_plan *plan, const struct arguments *arguments,
                      struct error *error) {
    if (!arguments->positional_count)
        return error_set(error, "reveal needs an operation, such as sum, matmul or softmax");
    plan->sum = argument_value(arguments, "sum", NULL);
    if (!select_operations(&plan->selection, arguments->positional, arguments->positional_count,
                           error) ||
        !select_options(&plan->selection, arguments, "det", error) ||
        !read_lengths(plan, argument_value(arguments, "lengths", NULL), error) ||
        !argument_number(arguments, "arrays", 1, MOST_ARRAYS, DEFAULT_ARRAYS, &plan->arrays,
                         error) ||
        !argument_number(arguments, "seed", 0, UINT64_MAX, 1, &plan->seed, error))
        return false;
    size_t sums = 0;
    for (size_t i = 0; i < plan->selection.operation_count; i++) {
        const struct operation *operation = plan->selection.operations[i];
        if (called_cases_provides(operation)) {
            if (!check_called(arguments, operation, error))
                return false;
        } else if (!subject_provides(operation, error) ||
                   !count_sums(plan, operation, &sums, error))
            return false;
    }
    plan->prefixes = argument_given(arguments, "prefixes");
    plan->path = argument_value(arguments, "output", NULL);
    size_t runs = sums * plan->selection.format_count * plan->selection.implementation_count;
    if (plan->path && runs > 1)
        return error_set(error,
                         "--output is for the order of one %s of one implementation "
                         "in one format, not of %zu",
                         sums > plan->selection.operation_count ? "--sum" : "operation", runs);
    return !plan->path || output_open(&plan->output, plan->path, error);
}

static bool check_prefixes(const struct reveal_plan *plan, const struct reveal_request *request,
                           size_t given, struct error *error) {
    if (strcmp(request->computed.operation->name, "cumsum") != 0)
        return error_set(error, "--prefixes is for cumsum");
    if (parameter_flag(&request->computed.parameters, PARAMETER_REVERSE))
        return error_set(error,
                         "--prefixes is for scans from the first element, without --reverse");
    if (!given)
        return error_set(error, "--prefixes needs the --shape of the array");
    return plan->most <= given ||
           error_set(error, "an array of %zu has no prefix of %zu", given, plan->most);
}

static bool reveal_products(struct reveal_plan *plan, const struct implementation *implementation,
                            const struct binding_request *computed, struct error *error) {
    const struct reveal_blocks request = {.implementation = implementation,
                                          .computed = *computed,
                                          .arrays = plan->arrays,
                                          .seed = plan->seed,
                                          .text = plan->text};
    bool revealed = false;
    if (plan->least || plan->path)
        return error_set(error, "--%s has no effect on %s of %s",
                         plan->least ? "lengths" : "output", computed->operation->name,
                         computed->format->name);
    bool good = reveal_blocks(&request, plan->results, &revealed, error);
    plan->any = plan->any || good;
    plan->failed |= !revealed;
    return good && output_flush_stdout(error);
}

static bool write_order(struct reveal_plan *plan, const struct reveal_request *request,
                        const struct lengths *lengths, struct error *error) {
    const bool has_c = parameter_flag(&request->computed.parameters, PARAMETER_ADDEND);
    if (!lengths->order.format || lengths->is_extended || lengths->is_sorted)
        return error_set(error, "there is no order to write: %s",
                         lengths->is_sorted     ? "the terms are sorted first"
                         : lengths->is_extended ? "additions in x87's long double have no record"
                                                : "none was revealed");
    cJSON *document = has_c ? addend_order(lengths, error) : order_document(&lengths->order);
    return document && json_commit(document, &plan->output, error);
}

/* One operation of one implementation in one format, or a sum inside of it. */
static bool reveal_one(struct reveal_plan *plan, const struct implementation *implementation,
                       const struct operation *operation, const struct inner_sum *inner,
                       const struct format *format, struct error *error) {
    struct reveal_request request = {
        .implementation = implementation,
        .computed = {.operation = operation, .format = format, .rounding = ROUND_NEAREST_EVEN},
        .inner = inner,
        .arrays = plan->arrays,
        .seed = plan->seed,
        .stop = &interrupted};
    struct lengths lengths;
    if (!select_parameters(&plan->selection, operation, format, ROUND_NEAREST_EVEN,
                           &request.computed.parameters, error))
        return false;
    const struct parameter_value *shape = &request.computed.parameters.values[PARAMETER_SHAPE_OF];
    if (shape->present)
        request.shape = shape->shape;
    size_t given = subject_terms(operation, inner, &request.computed.parameters, &request.shape);
    size_t least = plan->least ? plan->least : given ? given : DEFAULT_TERMS;
    size_t most = plan->most ? plan->most : least;
    if (plan->prefixes && !check_prefixes(plan, &request, given, error))
        return false;
    if (plan->prefixes) {
        request.whole = given;
        least = plan->least ? plan->least : 1;
        most = plan->most ? plan->most : given;
    }
    if (most > MOST_TERMS)
        return error_set(error, "reveal is for up to %d terms, not for %zu", MOST_TERMS, most);
    bool good = reveal_lengths(&request, least, most, plan->step ? plan->step : 1, &lengths, error);
    if (good && lengths.count) {
        plan->any = true;
        plan->failed |= lengths.proven < lengths.count;
        if (plan->text)
            reveal_print(&request, &lengths);
        cJSON_AddItemToArray(plan->results, reveal_document(&request, &lengths));
        good = !plan->path || write_order(plan, &request, &lengths, error);
    }
    lengths_close(&lengths);
    return good && output_flush_stdout(error);
}

static bool reveal_sums(struct reveal_plan *plan, const struct implementation *implementation,
                        const struct operation *operation, const struct format *format,
                        struct error *error) {
    const struct inner_sum *inner;
    struct binding_request computed = {
        .operation = operation, .format = format, .rounding = ROUND_NEAREST_EVEN};
    if (!select_parameters(&plan->selection, operation, format, ROUND_NEAREST_EVEN,
                           &computed.parameters, error))
        return false;
    if (called_cases_take(&computed))
        return reveal_products(plan, implementation, &computed, error);
    if (!inner_row(operation, 0))
        return reveal_one(plan, implementation, operation, NULL, format, error);
    for (size_t i = 0; (inner = inner_row(operation, i)) && !interrupted; i++)
        if (is_meant(plan, inner) &&
            !reveal_one(plan, implementation, operation, inner, format, error))
            return false;
    return true;
}

static bool run_all(struct reveal_plan *plan, struct error *error) {
    const struct selection *selection = &plan->selection;
    size_t combinations = selection->operation_count * selection->format_count;
    plan->document = cJSON_CreateObject();
    cJSON_AddStringToObject(plan->document, "schema", "detcheck/reveal/1");
    plan->results = cJSON_AddArrayToObject(plan->document, "results");
    for (size_t i = 0; i < combinations && !interrupted; i++)
        for (size_t k = 0; k < selection->implementation_count && !interrupted; k++)
            if (!reveal_sums(plan, &selection->implementations[k],
                             selection->operations[i / selection->format_count],
                             selection->formats[i % selection->format_count], error))
                return interrupted ? error_set(error, "interrupted") : false;
    return !interrupted || error_set(error, "interrupted");
}

static int run(const struct arguments *arguments) {
    static struct reveal_plan plan;
    static struct output json_file;
    struct error error;
    const char *json = argument_value(arguments, "json", NULL);
    if (argument_given(arguments, "cases"))
        return reveal_cases(arguments);
    plan.text = !json || strcmp(json, "-") != 0;
    bool good =
        make_plan(&plan, arguments, &error) && (!json || output_open(&json_file, json, &error));
    if (good) {
        signals_leave_to_command(true);
        good = run_all(&plan, &error);
    }
    if (good && json)
        good = json_commit(plan.document, &json_file, &error);
    else
        cJSON_Delete(plan.document);
    output_discard(&json_file);
    output_discard(&plan.output);
    if (!good)
        return trouble(&error);
    return plan.failed ? EXIT_JUDGED_BAD : EXIT_OK;
}

const struct command command_reveal = {
    .name = "reveal",
    .usage = "OPERATION...",
    .summary = "find the order and the arithmetic in which an implementation sums",
    .details = details,
    .arguments = VALUE_OPERATIONS,
    .options = options,
    .parameters = PARAMETERS_ALL,
    .run = run,
};
