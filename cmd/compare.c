/* `detcheck compare`: where two reports, two files of fingerprints or two implementations part. */
#include "compare_output.h"
#include "compare_rows.h"
#include "compare_tensors.h"
#include "detail.h"
#include "inputs.h"
#include "messages.h"
#include "options.h"
#include "selection.h"
#include "signals.h"
#include "threads.h"

#include "base/file_state.h"
#include "base/json.h"
#include "base/json_output.h"
#include "base/memory.h"
#include "base/output.h"
#include "format/text.h"
#include "order/order.h"
#include "report/compare.h"
#include "report/fingerprints.h"
#include "report/report.h"
#include "report/text.h"
#include "tensor/open.h"

#include <stdlib.h>
#include <string.h>

static const struct option options[] = {OPTION_IMPL_AS("one of two implementations; give it twice"),
                                        OPTION_AS,
                                        OPTIONS_UNIT,
                                        OPTION_OPERATIONS,
                                        OPTION_FORMAT,
                                        OPTION_ROUNDING,
                                        OPTIONS_INPUTS,
                                        OPTION_THREADS,
                                        OPTIONS_FOREIGN,
                                        OPTION_RUN_NAMED,
                                        OPTION_VERBOSE("also show results that are equal"),
                                        OPTION_QUIET,
                                        OPTION_CSV,
                                        OPTION_JSON,
                                        {0}};

static const char details[] =
    "Without --impl, A and B are two reports (sweep --json), two files of fingerprints\n"
    "(sweep --fingerprints), two orders (detcheck-order(7)) or two files of tensors (.npy, .npz,\n"
    ".safetensors, .pb, or raw elements by --format and --shape). With it, the arguments are "
    "operations.\n"
    "Exit status: 0 equal, 1 they differ, 2 an error, or nothing could be compared.\n";

enum { MOST_BYTES = 1 << 30 };

struct compare_options {
    const struct arguments *arguments;
    struct selection selection;
    int threads;
    bool has_output, differ;
    size_t compared;
    struct compare_rows rows;
    struct output output;
    cJSON *comparisons;
};

static void take_row(struct compare_options *plan, const struct compare_row *row) {
    plan->compared++;
    plan->differ = plan->differ || !row->equal;
    compare_rows_take(&plan->rows, row);
    if (plan->has_output)
        cJSON_AddItemToArray(plan->comparisons, compare_row_json(row));
}

/* Says what found no partner: then the two are not equal. */
static void note_unpaired(struct compare_options *plan, const struct compare_pairs *pairs) {
    struct error note;
    if (!pairs->unpaired)
        return;
    plan->differ = true;
    plan->rows.unpaired = pairs->unpaired;
    error_set(&note, "%zu part%s of the two files ha%s no counterpart in the other",
              pairs->unpaired, pairs->unpaired == 1 ? "" : "s", pairs->unpaired == 1 ? "s" : "ve");
    remark("note", &note);
}

static bool compare_fingerprint_files(struct compare_options *plan,
                                      const struct fingerprint_file *a,
                                      const struct fingerprint_file *b, struct error *error) {
    static struct compare_row row;
    struct compare_pairs pairs;
    const struct compare_means means = {plan->threads, &plan->selection.foreign};
    bool good = compare_pair_sections(a, b, &pairs, error);
    signals_leave_to_command(true);
    for (size_t i = 0; good && !interrupted && i < pairs.count; i++) {
        good = compare_sections(&a->sections[pairs.items[i].a], &b->sections[pairs.items[i].b],
                                &means, &row, error);
        if (good)
            take_row(plan, &row);
    }
    if (good && !interrupted)
        note_unpaired(plan, &pairs);
    free(pairs.items);
    return good;
}

/* Which machines the two reports are of, and how libm computes there. */
static void name_machines(struct compare_row *row, const struct read_report *a,
                          const struct read_report *b) {
    const struct read_report *const reports[] = {a, b};
    for (int side = 0; side < 2; side++) {
        const char *host = reports[side]->run.host, *variant = reports[side]->platform.libm_variant;
        row->hosts[side] = *host && strcmp(host, "?") != 0 ? host : NULL;
        row->variants[side] =
            strcmp(side ? row->b : row->a, "libm") == 0 && strcmp(variant, "?") != 0 ? variant
                                                                                     : NULL;
    }
}

static bool compare_reports(struct compare_options *plan, const struct read_report *a,
                            const struct read_report *b, struct error *error) {
    static struct compare_row row;
    struct compare_pairs pairs;
    const struct compare_means means = {plan->threads, &plan->selection.foreign};
    bool good = compare_pair_results(a, b, &pairs, error);
    signals_leave_to_command(true);
    for (size_t i = 0; good && !interrupted && i < pairs.count; i++) {
        const struct compare_pair *pair = &pairs.items[i];
        const struct read_result *x = &a->results[pair->a], *y = &b->results[pair->b];
        good = compare_results(x, &x->implementations[pair->a_implementation], y,
                               &y->implementations[pair->b_implementation], &means, &row, error);
        name_machines(&row, a, b);
        if (good)
            take_row(plan, &row);
    }
    if (good && !interrupted)
        note_unpaired(plan, &pairs);
    free(pairs.items);
    return good;
}

/* One of the two files, as the first is: `first` is its text, which is taken over. */
static bool compare_fingerprints_with(struct compare_options *plan, char *first,
                                      struct error *error) {
    const char *const *paths = plan->arguments->positional;
    struct fingerprint_file files[2] = {{0}};
    size_t length;
    bool good = fingerprints_parse(&files[0], paths[0], first, error);
    free(first);
    char *second =
        good ? file_read(paths[1], MOST_BYTES, "file of fingerprints", &length, error) : NULL;
    good = second && fingerprints_parse(&files[1], paths[1], second, error) &&
           compare_fingerprint_files(plan, &files[0], &files[1], error);
    free(second);
    fingerprints_free(&files[0]);
    fingerprints_free(&files[1]);
    return good;
}

static bool compare_report_with(struct compare_options *plan, char *first, size_t length,
                                struct error *error) {
    const char *const *paths = plan->arguments->positional;
    struct read_report reports[2];
    if (!report_read_text(&reports[0], paths[0], first, length, error))
        return false;
    bool good = report_read(&reports[1], paths[1], error);
    if (good) {
        good = compare_reports(plan, &reports[0], &reports[1], error);
        report_read_free(&reports[1]);
    }
    report_read_free(&reports[0]);
    return good;
}

/* Two orders: nothing is said of them where no difference is found. */
static bool compare_orders(struct compare_options *plan, const char *first, size_t length,
                           struct error *error) {
    const char *const *paths = plan->arguments->positional;
    struct order orders[2];
    struct order_compared compared = {.all = false};
    char *text = NULL, looked[96] = "the same order\n";
    size_t size = 0;
    if (!order_read_text(first, length, paths[0], &orders[0], error))
        return false;
    bool good = order_read(paths[1], &orders[1], error);
    if (good) {
        FILE *stream = memory_stream(&text, &size);
        good = stream ? order_compare(&orders[0], &orders[1], stream, &compared, error)
                      : error_set(error, "out of memory");
        if (stream)
            fclose(stream);
        order_close(&orders[1]);
    }
    order_close(&orders[0]);
    plan->compared += good;
    plan->differ = size > 0;
    if (!compared.all)
        snprintf(looked, sizeof looked, "no difference in the %zu lengths looked at, up to %zu\n",
                 compared.lengths, compared.longest);
    if (good && !plan->rows.quiet)
        fputs(size ? text : looked, stdout);
    if (good && plan->has_output) {
        cJSON *row = json_append(plan->comparisons);
        cJSON_AddBoolToObject(row, "equal", !size);
        cJSON *says = cJSON_AddArrayToObject(row, "orders");
        char *lines = size ? text : compared.all ? NULL : looked;
        for (char *line = lines ? strtok(lines, "\n") : NULL; line; line = strtok(NULL, "\n"))
            cJSON_AddItemToArray(says, cJSON_CreateString(line));
    }
    free(text);
    return good;
}

static bool compare_tensors(struct compare_options *plan, struct error *error) {
    struct tensors_compared compared = {0, false};
    const bool good =
        tensors_compare(plan->arguments, plan->rows.quiet,
                        plan->has_output ? plan->comparisons : NULL, &compared, error);
    plan->compared += compared.count;
    plan->differ = compared.differ;
    return good;
}

static bool compare_files(struct compare_options *plan, struct error *error) {
    const char *const *paths = plan->arguments->positional;
    size_t length;
    if (plan->arguments->positional_count != 2)
        return error_set(error, "compare needs two files, or operations and --impl A --impl B");
    if (tensor_file_is(paths[0]) || tensor_file_is(paths[1]) ||
        argument_given(plan->arguments, "shape"))
        return compare_tensors(plan, error);
    char *first = file_read(paths[0], MOST_BYTES, "report or file of fingerprints", &length, error);
    if (!first)
        return false;
    const bool is_one = fingerprints_are(first) || first[strspn(first, " \t\r\n")] == '{';
    if (!is_one || argument_given(plan->arguments, "format")) {
        free(first);
        return is_one ? error_set(error, "--format has no effect without --impl and --shape: two "
                                         "reports name their own formats")
                      : error_set(error,
                                  "%.300s is not a report, order or file of fingerprints; raw "
                                  "elements need --format and --shape, such as -f fp32 --shape 100",
                                  paths[0]);
    }
    if (order_is(first)) {
        bool good = compare_orders(plan, first, length, error);
        free(first);
        return good;
    }
    return fingerprints_are(first) ? compare_fingerprints_with(plan, first, error)
                                   : compare_report_with(plan, first, length, error);
}

static void name_side(struct compare_row *row, int side,
                      const struct implementation *implementation, const struct details *found) {
    const struct machine *machine = &found->machines[side];
    compare_name(row, side, implementation->name, found->texts[side]);
    row->hosts[side] = *machine->host ? machine->host : NULL;
    row->variants[side] = *machine->variant ? machine->variant : NULL;
    row->built[side] = machine->build;
}

static bool compare_one(struct compare_options *plan, const struct binding_request *computed,
                        struct error *error) {
    static struct compare_row row;
    static struct details found;
    struct domain domain;
    struct error note = {{0}};
    const struct implementation *implementations = plan->selection.implementations;
    if (!inputs_make(&domain, plan->arguments, computed->operation, computed->format,
                     &computed->parameters, &judged_inputs, &note, error))
        return false;
    remark("note", &note);
    row = (struct compare_row){.computed = *computed, .only = -1};
    snprintf(row.operation, sizeof row.operation, "%s", computed->operation->name);
    snprintf(row.format, sizeof row.format, "%s", computed->format->name);
    snprintf(row.rounding, sizeof row.rounding, "%s", rounding_names[computed->rounding]);
    fingerprints_describe_parameters(&computed->parameters, row.parameters);
    details_find((const struct implementation *const[]){&implementations[0], &implementations[1]},
                 computed, &found);
    for (int side = 0; side < 2; side++)
        name_side(&row, side, &implementations[side], &found);
    struct differ_request request = {.computed = *computed,
                                     .a = &implementations[0],
                                     .b = &implementations[1],
                                     .domain = &domain,
                                     .only = -1,
                                     .count = domain.count,
                                     .threads = plan->threads,
                                     .stop = &interrupted};
    request.computed.machine = true; /* the processes that said so go on */
    compare_cover(&row, domain_kind_names[domain.kind], domain.count);
    row.ran = differ_run(&request, &row.outcome, error) && files_stay(error) &&
              (!row.outcome.open || row.outcome.open < domain.count ||
               error_set(error, "nothing was compared: %s", NO_CALL(computed->operation)));
    row.equal = row.outcome.differ == 0 && row.outcome.unanswered == 0 &&
                !row.outcome.events[0].all && !row.outcome.events[1].all;
    domain_free(&domain);
    if (row.ran)
        take_row(plan, &row);
    else if (interrupted)
        compare_say_stopped(&row, request.count, error);
    return row.ran;
}

static bool compare_implementations(struct compare_options *plan, struct error *error) {
    const struct selection *selection = &plan->selection;
    if (selection->implementation_count != 2)
        return error_set(error, "--impl needs two implementations, not %s",
                         selection->implementation_count == 1 ? "one" : "more");
    if (!selection->operation_count)
        return error_set(error, "compare needs an operation, such as exp, or unary");
    signals_leave_to_command(true);
    struct binding_request computed;
    for (size_t i = 0; select_request(selection, i, &computed); i++) {
        if (computed.operation->array)
            return error_set(error,
                             "%s works on arrays; 'detcheck sweep %s --impl A,B' counts where "
                             "two differ",
                             computed.operation->name, computed.operation->name);
        if (!select_parameters(selection, computed.operation, computed.format, computed.rounding,
                               &computed.parameters, error) ||
            !compare_one(plan, &computed, error))
            return false;
    }
    return true;
}

static bool compare(struct compare_options *plan, struct error *error) {
    const struct arguments *arguments = plan->arguments;
    const char *json = argument_value(arguments, "json", NULL);
    bool by_implementation = argument_given(arguments, "impl");
    if (!threads_given(arguments, &plan->threads, error))
        return false;
    plan->rows.csv = argument_given(arguments, "csv");
    plan->rows.verbose = argument_given(arguments, "verbose");
    plan->rows.quiet = (json && strcmp(json, "-") == 0) || argument_given(arguments, "quiet");
    plan->has_output = json != NULL;
    plan->comparisons = cJSON_CreateArray();
    if (!select_foreign(&plan->selection, arguments, error))
        return false;
    if (by_implementation && (!select_operations(&plan->selection, arguments->positional,
                                                 arguments->positional_count, error) ||
                              !select_options(&plan->selection, arguments, "libm", error)))
        return false;
    if (json && !output_open(&plan->output, json, error))
        return false;
    if (!compare_rows_open(&plan->rows, error))
        return false;
    const bool good =
        by_implementation ? compare_implementations(plan, error) : compare_files(plan, error);
    compare_rows_print(&plan->rows);
    if (!good)
        return false;
    if (interrupted)
        return error_set(error, "interrupted; the results above are incomplete");
    return plan->compared || error_set(error, "nothing could be compared: the two have no "
                                              "operation with the same format and inputs");
}

static bool write_json(struct compare_options *plan, struct error *error) {
    if (!plan->has_output)
        return true;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "detcheck/comparison/1");
    cJSON_AddBoolToObject(document, "equal", !plan->differ);
    cJSON_AddItemToObject(document, "comparisons", plan->comparisons);
    plan->comparisons = NULL;
    return json_commit(document, &plan->output, error);
}

static int run(const struct arguments *arguments) {
    static struct compare_options plan;
    struct error error;
    plan.arguments = arguments;
    bool done = compare(&plan, &error);
    signals_begin_printing();
    done = done && output_flush_stdout(&error) && write_json(&plan, &error);
    output_discard(&plan.output);
    cJSON_Delete(plan.comparisons);
    if (!done)
        return trouble(&error);
    return plan.differ ? EXIT_JUDGED_BAD : EXIT_OK;
}

const struct command command_compare = {
    .name = "compare",
    .usage = "A B | OPERATION... --impl A --impl B",
    .summary = "say where two reports, fingerprints or implementations differ",
    .details = details,
    .arguments = VALUE_COMPARED,
    .options = options,
    .parameters = PARAMETERS_ALL,
    .run = run,
};
