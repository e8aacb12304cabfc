/* What is found of an operation that parted, as a comparison tells it. */
#include "base/clock.h"
#include "base/foreign.h"
#include "trace/drawn.h"
#include "trace/judge.h"
#include "trace/question.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of what is left for all rows one row may take a quarter, within bounds. A term takes about 100 ns. */
enum { LEAST_TERMS = 1 << 18, MOST_TERMS = 1 << 24 };

static uint64_t terms_of(const struct trace_patience *patience) {
    const uint64_t left = patience->terms / 4;
    return patience->terms == TRACE_ALL_TERMS ? TRACE_ALL_TERMS
           : left < LEAST_TERMS               ? LEAST_TERMS
           : left > MOST_TERMS                ? MOST_TERMS
                                              : left;
}

#define SPENT "the time for judging was spent on rows before it; --judge all judges it, too"

static double seconds_of(const struct trace_patience *patience) {
    const double left = patience->seconds / 4;
    return left < 0.1 ? 0.1 : left > 2 ? 2 : left;
}

static void take_from(struct trace_patience *patience, uint64_t terms, double seconds) {
    if (patience->terms != TRACE_ALL_TERMS)
        patience->terms -= terms < patience->terms ? terms : patience->terms;
    patience->seconds -= seconds;
}

/* A copy of a text that is not empty; NULL, too, without memory. */
static char *copy(const char *text) {
    return *text ? strdup(text) : NULL;
}

static void take(struct trace_judgement *judgement, const struct trace_finding *finding) {
    judgement->operation = finding->operation;
    judgement->operation_there = finding->operation_there;
    judgement->outputs = finding->judged;
    judgement->differ = finding->differ;
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

/* The command that shows how far the outputs are apart, where the files that they lie in have them under one name; NULL. */
static char *comparing(const struct trace_question *question) {
    char words[2][2 * FOREIGN_ROOM], paths[2][FOREIGN_ROOM];
    const struct trace_tensor *outputs[2];
    for (int side = 0; side < 2; side++) {
        const struct trace_operation *giver = trace_giver(question, side);
        const struct trace *trace =
            question->givers[side] ? question->giver_traces[side] : question->traces[side];
        if (!giver->output_count)
            return NULL;
        outputs[side] = &giver->outputs[0];
        const int length =
            snprintf(paths[side], sizeof paths[side], "%s/tensors/%" PRId64 ".safetensors",
                     trace->path, outputs[side]->kept_in);
        if (outputs[side]->kept_in < 0 || length >= FOREIGN_ROOM)
            return NULL;
        foreign_text(FOREIGN_SHELL, paths[side], words[side], sizeof words[side]);
    }
    const size_t room = sizeof words + 32;
    char *command = strcmp(outputs[0]->kept_as, outputs[1]->kept_as) == 0 ? malloc(room) : NULL;
    if (command)
        snprintf(command, room, "detcheck compare %s %s", words[0], words[1]);
    return command;
}

void trace_patience_close(struct trace_patience *patience) {
    for (int side = 0; side < 2; side++)
        trace_repeats_close(&patience->repeats[side]);
}

static bool open_repeats(struct trace_patience *patience, const struct trace *const traces[2]) {
    bool good = true;
    for (int side = 0; side < 2 && good; side++)
        good = patience->repeats[side].trace == traces[side] ||
               trace_repeats_open(&patience->repeats[side], traces[side]);
    return good;
}

/* Whether the time is spent: then a row has the command that judges it, and no judgement. */
static bool is_spent(const struct trace_patience *patience) {
    return patience->terms != TRACE_ALL_TERMS && patience->overtime <= 0;
}

bool trace_judge_row(void *context, const struct trace *here, const struct trace *there,
                     struct trace_row *row, struct error *error) {
    struct trace_patience *patience = context;
    struct trace_finding *finding = malloc(sizeof *finding);
    struct error why;
    const double begin = clock_process_seconds();
    row->judgement = calloc(1, sizeof *row->judgement);
    if (!finding || !row->judgement ||
        !open_repeats(patience, (const struct trace *const[]){here, there})) {
        free(finding);
        return error_set(error, "out of memory");
    }
    struct trace_asked asked;
    if (!trace_ask(&asked, here, there, row)) {
        trace_asked_close(&asked);
        free(finding);
        return error_set(error, "out of memory");
    }
    struct trace_question *const question = &asked.question;
    question->terms = terms_of(patience);
    question->seconds = seconds_of(patience);
    question->reveals = patience->reveals;
    for (int side = 0; side < 2; side++)
        question->repeats[side] = &patience->repeats[side];
    if (is_spent(patience))
        row->judgement->not_judged = strdup(SPENT);
    else {
        if (trace_find(question, finding, &why))
            take(row->judgement, finding);
        else
            row->judgement->not_judged = strdup(why.text);
        if (!patience->terms || patience->seconds <= 0)
            patience->overtime -= clock_process_seconds() - begin;
        take_from(patience, finding->terms, finding->seconds);
    }
    row->judgement->command = comparing(question);
    trace_asked_close(&asked);
    free(finding);
    return true;
}
