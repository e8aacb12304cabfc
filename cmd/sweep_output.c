/* What `detcheck sweep` and `detcheck search` print of their results. */
#include "sweep_output.h"

#include "impl/remote/library.h"
#include "messages.h"
#include "report/profile.h"
#include "report/search.h"
#include "report/sweep_csv.h"
#include "report/text.h"

#include <mpfr.h>
#include <stdio.h>

enum { PLOT_ROWS = 6 };

static void print_text(struct sweep_plan *plan, const struct sweep_request *request,
                       const struct sweep_outcome *outcome) {
    if (plan->job_count == 1) {
        text_print_sweep(stdout, request, outcome, plan->colour);
        if (request->domain->search)
            search_print(stdout, request, request->domain->search, outcome);
        if (plan->plot)
            profile_print(stdout, request, outcome, PLOT_ROWS);
        return;
    }
    text_table_print(stdout, &plan->table, request, outcome, plan->colour);
    if (plan->plot)
        profile_print(stdout, request, outcome, 1);
}

/* A conversion of a library that is wrong nearly everywhere may have been handed codes in place of numbers. */
static void hint_at_floats(const struct sweep_request *request,
                           const struct sweep_outcome *outcome) {
    for (size_t i = 0; i < request->implementation_count; i++) {
        const struct implementation *implementation = &request->implementations[i];
        const struct tally *tally = &outcome->implementations[i].tallies[0];
        struct error note;
        if (!library_takes_codes(implementation, &request->computed) ||
            tally->faithful >= tally->tested / 2)
            continue;
        error_set(&note, "%.320s is handed codes of %s; if it takes float, write %.320s,float",
                  implementation->name, request->computed.format->name, implementation->name);
        remark("note", &note);
    }
}

void sweep_print_outcome(struct sweep_plan *plan, const struct sweep_request *request,
                         const struct sweep_outcome *outcome, const struct sweep_limits *limits,
                         bool first) {
    if (plan->quiet)
        return;
    if (plan->csv) {
        if (first)
            sweep_csv_heading(stdout);
        sweep_csv_print(stdout, request, outcome);
        return;
    }
    print_text(plan, request, outcome);
    sweep_limits_print(stdout, limits, plan->job_count == 1, plan->colour);
    hint_at_floats(request, outcome);
}

/* What was judged: arrays, where every operation is on arrays. */
static const char *judged_noun(const struct sweep_plan *plan) {
    for (size_t i = 0; i < plan->job_count; i++)
        if (!plan->jobs[i].operation->array)
            return "input";
    return "array";
}

void sweep_print_total(const struct sweep_plan *plan) {
    char count[32], duration[32], rate[32];
    if (plan->job_count == 1 || plan->quiet || plan->csv)
        return;
    const struct report *report = &plan->report;
    text_table_print_apart(stdout, &plan->table, plan->selection.implementations,
                           plan->selection.implementation_count);
    const double per_second = report->seconds > 0 ? (double)report->inputs / report->seconds : 0;
    const char *noun = judged_noun(plan);
    printf("\n%s %s%s in %s, %s %ss/s, %d thread%s, judged by MPFR %s\n",
           text_grouped(report->inputs, count), noun, report->inputs == 1 ? "" : "s",
           text_duration(report->seconds, duration), text_rate(per_second, rate), noun,
           plan->threads, plan->threads == 1 ? "" : "s", mpfr_get_version());
}
