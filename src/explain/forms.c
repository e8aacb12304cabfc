/* Each call of a side, held against what every form makes of it. */
#include "explain/forms.h"

#include "explain/sum_results.h"
#include "impl/forms/forms.h"
#include "impl/forms/lines.h"
#include "impl/steps_functions.h"
#include "op/kernels/attention.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CAUSES = 8, SAYS_TEXT = 400 };

const struct hypothesis forms_hypothesis = {.name = "form",
                                            .says = "computes in the steps of the named form"};

/* A form by one way of adding. */
struct candidate {
    const struct form *form;
    const struct form_sums *sums;
    const struct function_source *by;
    uint64_t from; /* of those that begin at a place */
    struct form_run *run;
    uint8_t *wrong; /* by shape: what was once wrong is asked no more */
};

struct trial {
    const struct sum_results *results;
    int side;
    const struct form_lines *lines;
    struct step_functions functions[FUNCTION_SOURCES];
    struct form_run *(*read)[FUNCTION_SOURCES]; /* NULL where it does not take these calls */
    struct candidate *candidates;
    size_t count;
};

bool forms_are_known(const struct operation *operation) {
    return form_lines_find(operation);
}

/* Calls of a domain are so many of each shape. */
static uint64_t shape_number(const struct trial *trial, uint64_t call) {
    return call / trial->results->request->domain->cases.draws;
}

/* ---- Candidates ---- */

static bool open_candidate(struct trial *trial, const struct form *form,
                           const struct function_source *by, const struct form_sums *sums,
                           uint64_t from) {
    const struct form_run *read = trial->read[form - forms][by - function_sources];
    struct candidate *one = &trial->candidates[trial->count];
    if (!read)
        return true;
    *one = (struct candidate){.form = form, .sums = sums, .by = by, .from = from};
    one->run = form_run_like(read, sums, (double)from);
    one->wrong = calloc((size_t)trial->results->calls + 1, 1);
    trial->count++;
    return one->run && one->wrong;
}

/* False without memory. Where none of its functions are in steps, the form is that of the first. */
static bool read_form(struct trial *trial, const struct form *form,
                      const struct function_source *by) {
    const struct explain_request *request = trial->results->request;
    const struct binding_request *computed = &request->computed;
    struct step_functions *functions = &trial->functions[by - function_sources];
    struct error unused;
    bool broken;
    if (by != function_sources && !form_calls(form, by, request_result_format(computed)))
        return true;
    if (!step_functions_open(functions, by->name, request->sides[trial->side]->foreign, &unused))
        return true;
    trial->read[form - forms][by - function_sources] =
        form_read(form, &form_sums[0], 0, functions, computed, &broken, &unused);
    return !broken;
}

/* By the functions of each, and each way of adding. */
static bool open_form(struct trial *trial, const struct form *form) {
    bool good = true;
    for (size_t i = 0; good && i < FUNCTION_SOURCES; i++) {
        good = read_form(trial, form, &function_sources[i]);
        for (size_t k = 0; good && k < (form_has_sums(form) ? form_sums_count : 1); k++)
            good = open_candidate(trial, form, &function_sources[i], &form_sums[k], 0);
    }
    return good;
}

static bool open_candidates(struct trial *trial, struct error *error) {
    const struct explain_request *request = trial->results->request;
    const struct binding_request *computed = &request->computed;
    trial->lines = form_lines_find(computed->operation);
    trial->read = calloc(form_count, sizeof *trial->read);
    trial->candidates =
        calloc(form_count * (FUNCTION_SOURCES + 1) * form_sums_count, sizeof *trial->candidates);
    bool good = trial->read && trial->candidates;
    for (size_t i = 0; good && i < form_count; i++)
        if (form_is_of(&forms[i], computed->operation, &computed->parameters))
            good = open_form(trial, &forms[i]);
    return good || error_set(error, "out of memory for forms");
}

static void close_candidate(struct candidate *one) {
    form_run_close(one->run);
    free(one->wrong);
}

static void close_candidates(struct trial *trial) {
    for (size_t i = 0; i < trial->count; i++)
        close_candidate(&trial->candidates[i]);
    free(trial->candidates);
    for (size_t i = 0; trial->read && i < form_count * FUNCTION_SOURCES; i++)
        form_run_close(trial->read[i / FUNCTION_SOURCES][i % FUNCTION_SOURCES]);
    free(trial->read);
}

/* ---- Trial ---- */

/* Whether a result that a candidate has computed into the call is the side's. */
static bool is_right(const struct trial *trial, const struct array_call *call, uint64_t number,
                     size_t element) {
    const struct sum_results *results = trial->results;
    const struct array *result = &call->results[results->request->result];
    return hypothesis_same(result->format, array_code(result, element),
                           results->codes[trial->side][results->first[number] + element]);
}

static bool check(struct trial *trial, struct candidate *one, const struct array_call *call,
                  uint64_t number, struct error *error) {
    const size_t count = sum_elements_of(trial->results, number);
    uint8_t *wrong = &one->wrong[shape_number(trial, number)];
    if (*wrong)
        return true;
    if (!trial->lines->fill(one->run, call, error))
        return false;
    for (size_t i = 0; !*wrong && i < count; i++)
        *wrong = !is_right(trial, call, number, i);
    return true;
}

static bool check_call(void *context, const struct array_call *call, uint64_t number,
                       struct error *error) {
    struct trial *trial = context;
    for (size_t i = 0; i < trial->count; i++)
        if (!check(trial, &trial->candidates[i], call, number, error))
            return false;
    return true;
}

/* ---- Forms that begin at a place ---- */

/* A form that begins at a place, one way of adding, and what was found of it. */
struct beginning {
    struct trial *trial;
    const struct form *form;
    const struct form_sums *sums;
    bool looked;
    uint64_t from; /* 0: none */
};

/* How many results of a call come before the first that the form, begun at that place, gives otherwise. */
static bool count_right(struct beginning *beginning, uint64_t from, const struct array_call *call,
                        uint64_t number, size_t *right, struct error *error) {
    struct trial *trial = beginning->trial;
    const size_t at = trial->count;
    struct candidate *one = &trial->candidates[at];
    *right = 0;
    if (!open_candidate(trial, beginning->form, function_sources, beginning->sums, from))
        return error_set(error, "out of memory for forms");
    if (trial->count == at)
        return true;
    const bool good = trial->lines->fill(one->run, call, error);
    while (good && *right < sum_elements_of(trial->results, number) &&
           is_right(trial, call, number, *right))
        *right += 1;
    close_candidate(one);
    trial->count = at;
    return good;
}

/* In the first call: where the results are no longer those of the form that begins nowhere, it begins, at the place of that
 * query or a few before, whose weights may have been too small to show. */
static bool look_for_beginning(void *context, const struct array_call *call, uint64_t number,
                               struct error *error) {
    enum { PLACES_BEFORE = 16 };
    struct beginning *beginning = context;
    const struct attention_extents extents = attention_extents(call);
    const size_t count = sum_elements_of(beginning->trial->results, number);
    size_t right;
    if (beginning->looked)
        return true;
    if (!count_right(beginning, MOST_ELEMENTS, call, number, &right, error))
        return false;
    if (right == count)
        return true;
    beginning->looked = true;
    const uint64_t place = right / extents.width % extents.queries + extents.keys - extents.queries;
    for (uint64_t back = 0; back < PLACES_BEFORE && back < place && !beginning->from; back++) {
        if (!count_right(beginning, place - back, call, number, &right, error))
            return false;
        beginning->from = right == count ? place - back : 0;
    }
    return true;
}

/* A candidate for each way of adding by which a place was found. */
static bool add_beginnings(struct trial *trial, struct error *error) {
    const struct binding_request *computed = &trial->results->request->computed;
    bool good = true;
    for (size_t i = 0; good && i < form_count; i++)
        for (size_t k = 0; good && k < form_sums_count; k++) {
            struct beginning beginning = {.trial = trial, .form = &forms[i], .sums = &form_sums[k]};
            if (!form_has_from(&forms[i]) ||
                !form_is_of(&forms[i], computed->operation, &computed->parameters))
                continue;
            good = sum_results_visit(trial->results, look_for_beginning, &beginning, error);
            if (good && beginning.from)
                good = open_candidate(trial, &forms[i], function_sources, &form_sums[k],
                                      beginning.from) ||
                       error_set(error, "out of memory for forms");
        }
    return good;
}

/* ---- Concluding ---- */

/* Counts the calls that a candidate gives and that are not `taken`, and the differences in them. */
static uint64_t count_explained(const struct trial *trial, const struct candidate *one,
                                const uint8_t *taken, uint64_t *calls) {
    const struct sum_results *results = trial->results;
    uint64_t explains = 0;
    *calls = 0;
    for (uint64_t call = 0; call < results->calls; call++) {
        if (!results->answered[call] || taken[call] || one->wrong[shape_number(trial, call)])
            continue;
        *calls += 1;
        for (size_t i = 0; i < sum_elements_of(results, call); i++)
            explains += sum_results_differ(results, results->first[call] + i);
    }
    return explains;
}

/* Whether the candidate gives another result than the side somewhere, be it where the sides agree. */
static bool is_wrong_somewhere(const struct trial *trial, const struct candidate *one) {
    for (uint64_t call = 0; call < trial->results->calls; call++)
        if (trial->results->answered[call] && one->wrong[shape_number(trial, call)])
            return true;
    return false;
}

/* "in calls of 1x2x1x64x16, 1x2x1x33x16, ..." where these are not all. */
static void say_calls(const struct trial *trial, const struct candidate *one, const uint8_t *taken,
                      char *text, size_t room) {
    enum { MOST_NAMED = 3 };
    const struct sum_results *results = trial->results;
    char shape[PARAMETER_ROOM], last[PARAMETER_ROOM] = "";
    int named = 0;
    for (uint64_t call = 0; call < results->calls; call++) {
        const struct parameter_value value = {
            .present = true, .shape = *case_shape(&results->request->domain->cases, call)};
        if (!results->answered[call] || taken[call] || one->wrong[shape_number(trial, call)])
            continue;
        parameter_text(&parameter_rows[PARAMETER_SHAPE_OF], &value, shape);
        if (strcmp(shape, last) == 0)
            continue;
        snprintf(last, sizeof last, "%s", shape);
        const size_t length = strlen(text);
        if (named <= MOST_NAMED)
            snprintf(text + length, room - length, "%s%s", named ? ", " : "; in calls of ",
                     named == MOST_NAMED ? "..." : shape);
        named++;
    }
}

static struct explanation *add_row(const struct trial *trial, const struct candidate *one,
                                   const uint8_t *taken, uint64_t explains,
                                   struct explain_outcome *outcome) {
    static char says[EXPLANATION_MOST][SAYS_TEXT];
    char *text = says[outcome->count];
    form_say(one->form, request_result_format(&trial->results->request->computed), text);
    int length = (int)strlen(text);
    if (one->from)
        length += snprintf(text + length, SAYS_TEXT - (size_t)length, ", from place %" PRIu64 " on",
                           one->from);
    length += snprintf(text + length, SAYS_TEXT - (size_t)length, " (form %s", one->form->name);
    if (form_has_sums(one->form))
        length += snprintf(text + length, SAYS_TEXT - (size_t)length, ", %s", one->sums->says);
    if (one->by != function_sources)
        length += snprintf(text + length, SAYS_TEXT - (size_t)length, ", %s", one->by->says);
    snprintf(text + length, SAYS_TEXT - (size_t)length, ")");
    const bool all = explains == outcome->differ && !is_wrong_somewhere(trial, one);
    if (!all)
        say_calls(trial, one, taken, text, SAYS_TEXT);
    struct explanation *row = &outcome->explanations[outcome->count++];
    *row = (struct explanation){.name = forms_hypothesis.name,
                                .says = text,
                                .order = (int)outcome->count,
                                .side = trial->side,
                                .tested = outcome->tested,
                                .explains = explains,
                                .verdict = all ? EXPLAINS_ALL : EXPLAINS_PART};
    return row;
}

/* The candidate that gives most calls which differ, and of these most calls. */
static const struct candidate *choose(const struct trial *trial, const uint8_t *taken,
                                      uint64_t *explains) {
    const struct candidate *best = NULL;
    uint64_t best_calls = 0;
    *explains = 0;
    for (size_t i = 0; i < trial->count; i++) {
        uint64_t calls;
        const uint64_t own = count_explained(trial, &trial->candidates[i], taken, &calls);
        if (own > *explains || (own && own == *explains && calls > best_calls)) {
            best = &trial->candidates[i];
            *explains = own;
            best_calls = calls;
        }
    }
    return best;
}

/* Other forms that give the same calls. */
static void add_others(const struct trial *trial, const struct candidate *chosen,
                       const uint8_t *taken, uint64_t explains, int cause,
                       struct explain_outcome *outcome) {
    const struct form *last = chosen->form;
    for (size_t i = 0; i < trial->count && outcome->count < MOST_CAUSES; i++) {
        const struct candidate *one = &trial->candidates[i];
        bool same = one->form != chosen->form && one->form != last;
        for (uint64_t call = 0; same && call < trial->results->calls; call++)
            same = taken[call] || one->wrong[shape_number(trial, call)] ==
                                      chosen->wrong[shape_number(trial, call)];
        if (!same)
            continue;
        last = one->form;
        add_row(trial, one, taken, explains, outcome)->same_as = cause;
    }
}

static bool find_causes(const struct trial *trial, struct explain_outcome *outcome,
                        struct error *error) {
    uint8_t *taken = calloc((size_t)trial->results->calls + 1, 1);
    int cause = 0;
    if (!taken)
        return error_set(error, "out of memory");
    while (outcome->count < MOST_CAUSES) {
        uint64_t explains;
        const struct candidate *best = choose(trial, taken, &explains);
        if (!best)
            break;
        struct explanation *row = add_row(trial, best, taken, explains, outcome);
        row->cause = ++cause;
        row->adds = explains;
        add_others(trial, best, taken, explains, cause, outcome);
        for (uint64_t call = 0; call < trial->results->calls; call++)
            taken[call] |= !best->wrong[shape_number(trial, call)];
        outcome->unexplained -= explains;
    }
    free(taken);
    return true;
}

/* Holds all forms against a side, unless its name says what it is. */
static bool try_side(const struct sum_results *results, int side, struct explain_outcome *outcome,
                     struct error *error) {
    struct trial trial = {.results = results, .side = side};
    const struct implementation *implementation = results->request->sides[side];
    if (strcmp(implementation->name, "det") == 0 || strcmp(implementation->name, "cr") == 0)
        return true;
    const bool good = open_candidates(&trial, error) && add_beginnings(&trial, error) &&
                      sum_results_visit(results, check_call, &trial, error) &&
                      find_causes(&trial, outcome, error);
    close_candidates(&trial);
    return good;
}

bool forms_explain(const struct explain_request *request, struct explain_outcome *outcome,
                   char note[ARRAYS_TEXT], struct error *error) {
    struct sum_results results;
    *outcome = (struct explain_outcome){0};
    *note = '\0';
    bool good = sum_results_open(&results, request, outcome, error);
    outcome->unexplained = outcome->differ;
    sum_results_first(&results, note, ARRAYS_TEXT);
    for (int side = 1; good && outcome->unexplained && side >= 0; side--)
        if (!outcome->count)
            good = try_side(&results, side, outcome, error);
    explain_sort(outcome);
    sum_results_close(&results);
    return good;
}
