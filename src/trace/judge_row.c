/* What is found of an operation that parted, as a comparison tells it. */
#include "base/clock.h"
#include "trace/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much of the time that is left for all rows one row may take. */
static double seconds_of(const struct trace_patience *patience) {
    const double left = (patience->until - clock_process_seconds()) / 4;
    return left < 0.1 ? 0.1 : left > 2 ? 2 : left;
}

/* A copy of a text that is not empty; NULL, too, without memory. */
static char *copy(const char *text) {
    return *text ? strdup(text) : NULL;
}

static void take(struct trace_judgement *judgement, const struct trace_finding *finding) {
    judgement->operation = finding->operation;
    judgement->operation_there = finding->operation_there;
    judgement->outputs = finding->judged;
    judgement->wrong_here = finding->wrong[0];
    judgement->wrong_there = finding->wrong[1];
    judgement->nearer_here = finding->nearer[0];
    judgement->nearer_there = finding->nearer[1];
    judgement->error_here = finding->largest[0];
    judgement->error_there = finding->largest[1];
    judgement->cause = finding->cause;
    judgement->says = copy(finding->says);
    judgement->cause_here = copy(finding->sides[0]);
    judgement->cause_there = copy(finding->sides[1]);
    judgement->looked = finding->looked;
    judgement->tried = finding->tried;
    judgement->fits_here = finding->fits[0];
    judgement->fits_there = finding->fits[1];
    judgement->not_judged = finding->operation ? NULL : copy(finding->why);
}

bool trace_judge_row(void *context, const struct trace *here, const struct trace *there,
                     struct trace_row *row, struct error *error) {
    struct trace_finding *finding = malloc(sizeof *finding);
    struct error why;
    row->judgement = calloc(1, sizeof *row->judgement);
    if (!finding || !row->judgement) {
        free(finding);
        return error_set(error, "out of memory");
    }
    if (row->here_count != 1 || row->there_count != 1) {
        row->judgement->not_judged = strdup("one operation stands beside several");
    } else {
        const struct trace_question question = {
            .traces = {here, there},
            .operations = {&here->operations[row->here], &there->operations[row->there]},
            .seconds = seconds_of(context)};
        if (trace_find(&question, finding, &why))
            take(row->judgement, finding);
        else
            row->judgement->not_judged = strdup(why.text);
    }
    free(finding);
    return true;
}
