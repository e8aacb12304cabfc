/* `detcheck explain`: why two implementations, two reports or two files of fingerprints differ. */
#include "explain_files.h"
#include "explain_folded.h"
#include "explain_output.h"
#include "explain_row.h"
#include "explain_why.h"
#include "inputs.h"
#include "messages.h"
#include "options.h"
#include "progress.h"
#include "rebuild.h"
#include "selection.h"
#include "signals.h"
#include "threads.h"

#include "base/clock.h"
#include "base/file_state.h"
#include "base/output.h"
#include "explain/arrays.h"
#include "explain/document.h"
#include "explain/forms.h"
#include "explain/print.h"
#include "explain/right.h"
#include "op/conversion.h"

#include <string.h>

static const struct option options[] = {
    OPTION_IMPL_AS("implementation A, then B; with A alone, name the libraries\nwhose bits it has"),
    OPTION_AS,
    OPTIONS_UNIT,
    OPTION_OPERATIONS,
    OPTION_FORMAT,
    OPTION_ROUNDING,
    OPTIONS_INPUTS,
    {"rebuild", 0, VALUE_TEXT, "COMMAND",
     "build A or B again by COMMAND, with other flags, as a shared\nlibrary at {}; if COMMAND has "
     "no {}, explain appends\n-shared -fPIC -o PATH; NAME: before COMMAND names the hypothesis"},
    {"folded", 0, VALUE_TEXT, "COMMAND",
     "a C compiler's command: compare the calls that it folded to\nconstants with the same "
     "calls at run time"},
    OPTION_THREADS,
    OPTIONS_FOREIGN,
    OPTION_RUN_NAMED,
    OPTION_QUIET,
    OPTION_JSON,
    {0}};

static const char details[] =
    "Tests every simple cause that could make A and B differ on all their differences.\n"
    "Exit status: 0 equal, 1 they differ, or one crashes or hangs, 2 an error, or nothing could "
    "be\n"
    "compared.\n";

struct explain_options {
    const struct arguments *arguments;
    struct selection selection;
    struct rebuilds rebuilds;
    struct folded_run *folded; /* of the operation under way, or NULL */
    int threads;
    bool quiet, has_output, differ;
    bool asks_more; /* of other inputs, where these differ in NaN at most: then they have no row */
    bool settled;   /* the latest inputs have one */
    size_t compared;
    struct output output;
    struct report report;
    struct progress progress;
};

static void take_row(void *context, const struct explain_row *row) {
    struct explain_options *plan = context;
    plan->compared++;
    plan->differ =
        plan->differ || !row->equal || row->outcome.events[0].any || row->outcome.events[1].any;
    const bool before = signals_begin_printing();
    progress_hide(&plan->progress);
    if (!plan->quiet)
        explain_row_print(row);
    signals_end_printing(before);
    if (plan->has_output)
        explain_add(&plan->report, row);
}

static bool explain_result(struct explain_options *plan, const struct explain_request *request,
                           struct error *error) {
    static struct explain_row row;
    struct folded *folded = plan->folded ? &plan->folded->folded : NULL;
    explain_row_begin(&row, request, folded);
    if (!(row.alone ? print_outputs(request, 0, request->domain, row.outcome.fingerprints[0],
                                    &row.outcome.events[0], error)
                    : explain_why(request, &row.outcome, error)) ||
        (folded && !folded_judge(folded, request, error)) || !files_stay(error)) {
        explain_say_stopped(&row, request, error);
        return false;
    }
    row.ran = true;
    row.count = request->domain->count;
    memcpy(row.totals, row.outcome.fingerprints, sizeof row.totals);
    if (row.alone) {
        row.outcome.unanswered = row.outcome.events[0].unanswered;
        row.outcome.not_called = row.outcome.events[0].not_called;
    }
    if (row.count && row.outcome.not_called == row.count)
        return error_set(error, "nothing was tested: %s", NO_CALL(request->computed.operation));
    row.equal = row.outcome.differ == 0 && row.outcome.unanswered == 0;
    plan->settled = !plan->asks_more || explain_reported_differences(&row.outcome) ||
                    row.outcome.unanswered || row.outcome.events[0].any ||
                    row.outcome.events[1].any;
    if (!plan->settled)
        return true;
    if (!folded)
        explain_row_recognise(&row, request);
    explain_row_take_losses(&row, request->losses);
    take_row(plan, &row);
    return true;
}

/* What one side alone is held against: det, or where that has no such format the exact results. */
static bool open_beside(struct implementation *beside, const struct explain_request *request,
                        struct error *error) {
    struct binding binding;
    struct error unused;
    if (!implementation_open(beside, "det", request->sides[1]->foreign, error))
        return false;
    if (!implementation_bind(&binding, beside, &request->computed, &unused))
        return implementation_open(beside, "cr", request->sides[1]->foreign, error);
    binding_close(&binding);
    return true;
}

/* In which order sums of arrays were added, or by which form a kernel is computed. */
static bool explain_arrays(struct explain_options *plan, const struct explain_request *asked,
                           struct error *error) {
    static struct explain_row row;
    static struct implementation beside;
    struct explain_request request = *asked;
    const bool of_forms = forms_are_known(request.computed.operation);
    if (request.sides[0] == request.sides[1]) {
        if (!of_forms)
            return error_set(error,
                             "explain of arrays needs two implementations, --impl A --impl B");
        if (!open_beside(&beside, &request, error))
            return false;
        request.sides[0] = &beside;
    }
    explain_row_begin(&row, &request, NULL);
    if (!arrays_explain(&request, &row.outcome, row.why, error) || !files_stay(error))
        return false;
    row.ran = true;
    row.count = row.outcome.tested + row.outcome.unanswered;
    row.equal = row.outcome.differ == 0 && row.outcome.unanswered == 0;
    take_row(plan, &row);
    return true;
}

/* All inputs of several operands are tried only up to so many bits: all pairs of fp16 have 32, and would take hours. */
enum { MOST_BITS_OF_PAIRS = 24 };

/* Takes a family of arrays that shows differences, where none is named. */
static bool make_inputs(struct domain *domain, const struct explain_options *plan, bool built,
                        struct binding_request *computed, struct error *error) {
    struct input_defaults defaults = judged_inputs;
    struct error note = {{0}};
    const char *family = arrays_family(computed->operation, &defaults.calls);
    defaults.built = built;
    if (computed->operation->operands > 1)
        defaults.most_bits = MOST_BITS_OF_PAIRS;
    if (family && !computed->parameters.values[PARAMETER_DISTRIBUTION].present &&
        !argument_given(plan->arguments, "inputs"))
        computed->parameters.values[PARAMETER_DISTRIBUTION] =
            (struct parameter_value){.present = true, .text = family};
    if (!inputs_make(domain, plan->arguments, computed->operation, computed->format,
                     &computed->parameters, &defaults, &note, error))
        return false;
    remark("note", &note);
    return true;
}

static bool explain_inputs(struct explain_options *plan, const struct binding_request *computed,
                           const struct domain *domain, struct error *error) {
    const bool alone = plan->selection.implementation_count == 1;
    struct side_losses losses[2] = {{0}, {0}}, rebuild_losses[REBUILD_MOST] = {{0}};
    const struct stage stage = {.tell = progress_share, .context = &plan->progress, .of = 1};
    struct explain_request request = {.computed = *computed,
                                      .stage = &stage,
                                      .sides = {&plan->selection.implementations[0],
                                                &plan->selection.implementations[alone ? 0 : 1]},
                                      .rebuild_count = plan->rebuilds.count,
                                      .domain = domain,
                                      .threads = plan->threads,
                                      .losses = {&losses[0], &losses[1]},
                                      .rebuild_losses = rebuild_losses,
                                      .seed = 1,
                                      .stop = &interrupted};
    request.computed.machine = true; /* the processes that say so go on */
    for (size_t i = 0; i < plan->rebuilds.count; i++) {
        request.rebuilds[i] = &plan->rebuilds.implementations[i];
        request.rebuild_names[i] = plan->rebuilds.names[i];
    }
    bool good = true;
    plan->progress.label = computed->operation->name;
    for (int result = 0; good && result < computed->operation->results; result++) {
        request.result = result;
        good =
            (computed->operation->array ? explain_arrays : explain_result)(plan, &request, error);
    }
    return good;
}

/* Special inputs first, by default, where some are built next to where rounding changes: rare differences lie there.
 * Where these show none, samples may. */
static bool explain_one(struct explain_options *plan, struct binding_request *computed,
                        struct error *error) {
    const bool of_two = plan->selection.implementation_count > 1;
    bool good = true;
    plan->settled = false;
    for (int built = of_two; good && !plan->settled && built >= 0; built--) {
        struct domain domain;
        if (!make_inputs(&domain, plan, built, computed, error))
            return false;
        signals_leave_to_command(true);
        plan->asks_more =
            built && domain.kind == DOMAIN_SPECIAL && !argument_given(plan->arguments, "special");
        plan->settled = !plan->asks_more;
        good = explain_inputs(plan, computed, &domain, error);
        domain_free(&domain);
    }
    return good;
}

/* Constants of a compiler beside the calls that they stand for. */
static bool explain_folded(struct explain_options *plan, const struct binding_request *computed,
                           struct error *error) {
    static struct folded_run run;
    bool good = folded_begin(&run, plan->arguments, computed, &plan->selection.foreign, error);
    if (good) {
        memcpy(plan->selection.implementations, run.sides, sizeof run.sides);
        plan->selection.implementation_count = 2;
        plan->folded = &run;
        good = explain_inputs(plan, computed, &run.domain, error);
    }
    folded_end(&run);
    plan->folded = NULL;
    return good;
}

static bool check_conversion(const struct binding_request *computed, struct error *error) {
    struct cast cast;
    return !computed->operation->converts ||
           conversion_make(&cast, computed->format, computed->rounding, &computed->parameters,
                           error);
}

static bool explain_implementations(struct explain_options *plan, struct error *error) {
    const struct selection *selection = &plan->selection;
    if (selection->implementation_count > 2)
        return error_set(error, "--impl needs two implementations, not more");
    if (!selection->operation_count)
        return error_set(error, "explain needs an operation, such as exp, or unary");
    const bool of_folded = argument_given(plan->arguments, "folded");
    struct binding_request computed;
    for (size_t i = 0; select_request(selection, i, &computed); i++) {
        if (!explain_knows(computed.operation))
            return error_set(error,
                             "explain knows no causes for %s; on arrays it knows them for sum, "
                             "mean, dot, matmul, requantise, packed.quantise, from_decimal and "
                             "kernels that have forms; "
                             "'detcheck sweep %s --impl A,B' counts where two differ",
                             computed.operation->name, computed.operation->name);
        if (computed.operation->converts && selection->implementation_count < 2 && !of_folded)
            return error_set(error, "explain of conversions needs two implementations, "
                                    "--impl A --impl B");
        if (!select_parameters(selection, computed.operation, computed.format, computed.rounding,
                               &computed.parameters, error) ||
            !check_conversion(&computed, error) ||
            !(of_folded ? explain_folded(plan, &computed, error)
                        : explain_one(plan, &computed, error)))
            return false;
    }
    return true;
}

static bool explain_recorded_files(struct explain_options *plan, struct error *error) {
    const struct arguments *arguments = plan->arguments;
    if (arguments->positional_count != 2)
        return error_set(error, "explain needs two files, or operations and --impl A --impl B");
    struct explain_files files = {
        .paths = {arguments->positional[0], arguments->positional[1]},
        .threads = plan->threads,
        .foreign = &plan->selection.foreign,
        .stage = {.tell = progress_share, .context = &plan->progress, .of = 1},
        .take = take_row,
        .context = plan};
    if (!explain_files(&files, error))
        return false;
    if (files.unpaired) {
        struct error note;
        plan->differ = true;
        error_set(&note, "some parts of one file have no counterpart in the other");
        remark("note", &note);
    }
    return true;
}

static bool explain(struct explain_options *plan, struct error *error) {
    const struct arguments *arguments = plan->arguments;
    const char *json = argument_value(arguments, "json", NULL);
    const bool by_implementation =
        argument_given(arguments, "impl") || argument_given(arguments, "folded");
    if (!threads_given(arguments, &plan->threads, error))
        return false;
    plan->quiet = argument_given(arguments, "quiet") || (json && strcmp(json, "-") == 0);
    plan->has_output = json != NULL;
    if (!select_foreign(&plan->selection, arguments, error))
        return false;
    if (by_implementation &&
        (!select_operations(&plan->selection, arguments->positional, arguments->positional_count,
                            error) ||
         !select_options(&plan->selection, arguments, "libm", error) ||
         !rebuilds_make(&plan->rebuilds, arguments, plan->selection.implementations,
                        plan->selection.implementation_count, &plan->selection.foreign, error)))
        return false;
    if (json && !output_open(&plan->output, json, error))
        return false;
    if (json) {
        struct platform platform;
        platform_describe(&platform);
        report_begin(&plan->report, &platform, plan->threads);
    }
    double start = clock_seconds();
    progress_begin(&plan->progress, 0, argument_given(arguments, "quiet"));
    const bool explained = by_implementation ? explain_implementations(plan, error)
                                             : explain_recorded_files(plan, error);
    progress_hide(&plan->progress);
    if (!explained)
        return false;
    plan->report.seconds = clock_seconds() - start;
    if (interrupted)
        return error_set(error, "interrupted; the results above are incomplete");
    return plan->compared || error_set(error, "nothing could be compared: the two have no "
                                              "operation with the same format and inputs");
}

static bool write_json(struct explain_options *plan, struct error *error) {
    return !plan->has_output || (report_write(&plan->report, plan->output.stream, error) &&
                                 output_commit(&plan->output, error));
}

static int run(const struct arguments *arguments) {
    static struct explain_options plan;
    struct error error;
    plan.arguments = arguments;
    bool done = explain(&plan, &error);
    signals_begin_printing();
    done = done && output_flush_stdout(&error) && write_json(&plan, &error);
    output_discard(&plan.output);
    report_free(&plan.report);
    rebuilds_free(&plan.rebuilds);
    if (!done)
        return trouble(&error);
    return plan.differ ? EXIT_JUDGED_BAD : EXIT_OK;
}

const struct command command_explain = {
    .name = "explain",
    .usage = "A B | OPERATION... --impl A [--impl B] | OPERATION... --folded COMMAND",
    .summary = "say why two implementations, reports or fingerprints differ",
    .details = details,
    .arguments = VALUE_COMPARED,
    .options = options,
    .parameters = PARAMETERS_ALL,
    .run = run,
};
