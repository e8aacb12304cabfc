/* Today's cases against an earlier report: what got worse fails, what got better is said. */
#include "gate/orders.h"

#include "report/items.h"
#include "report/measures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name_source(struct check *check, const struct read_report *baseline) {
    snprintf(check->source, sizeof check->source, "baseline %.200s", baseline->path);
}

static void write_figure(char text[FIGURE_TEXT], double figure, const char *more) {
    char number[32];
    snprintf(text, FIGURE_TEXT, "%s%s", record_number_text(figure, number), more);
}

static char *command_of(const struct gate_case *now, const struct measure *measure) {
    const char *reported = measure ? gate_command_text(measure->command) : NULL;
    if (reported)
        return strdup(reported);
    return gate_command(now, measure ? measure->where : NULL);
}

/* The cases that are held against one another. */
struct compared {
    struct gate *gate;
    size_t at; /* today's, of the gate */
    const struct read_report *baseline;
};

static bool add_measure(void *context, const struct measure *measure,
                        const struct measure_difference *difference) {
    static const enum check_status statuses[] = {[MEASURE_SAME] = CHECK_PASSED,
                                                 [MEASURE_BETTER] = CHECK_BETTER,
                                                 [MEASURE_WORSE] = CHECK_FAILED};
    const struct compared *compared = context;
    const struct gate_case *now = &compared->gate->cases[compared->at];
    const bool worse = difference->change == MEASURE_WORSE, reported = difference->reported;
    if (reported && !gate_is_lasting(now->result, measure->kind, difference->was))
        return true;
    const enum check_status status =
        difference->other_side_worse && !worse ? CHECK_PASSED : statuses[difference->change];
    struct check *check =
        gate_add_check(compared->gate, compared->at, measure->name, measure->what, status);
    if (!check)
        return false;
    char where[MEASURE_WHERE + 1], others[FIGURE_TEXT] = "";
    snprintf(where, sizeof where, "%s%s", *difference->where ? " " : "", difference->where);
    if (difference->worse > 1)
        snprintf(others, sizeof others, ", and worse in %zu more", difference->worse - 1);
    write_figure(check->allowed, difference->was, where);
    if (reported)
        write_figure(check->found, difference->is, others);
    else
        snprintf(check->found, FIGURE_TEXT, "nothing: the report does not tell");
    name_source(check, compared->baseline);
    if (worse && reported && !gate_command_text(measure->command))
        check->witness = gate_witness(now, measure->where);
    return !worse || (check->command = command_of(now, reported ? measure : NULL));
}

/* All that the report of before has, and what this one alone counts. */
static bool compare_measures(struct gate *gate, size_t at, const struct gate_case *before) {
    const struct gate_case *now = &gate->cases[at];
    struct compared compared = {gate, at, before->report};
    struct measures of_before, of_now = {0};
    bool good = measures_read(&of_before, before->result, before->implementation) &&
                measures_read(&of_now, now->result, now->implementation) &&
                measures_compare(&of_before, &of_now, add_measure, &compared);
    measures_free(&of_before);
    measures_free(&of_now);
    return good;
}

/* Violations of another promise say nothing of this one's. */
static bool compare_promises(struct gate *gate, size_t at, const struct gate_case *before) {
    static const char *const members[] = {"allowed", "accept"};
    const struct gate_case *now = &gate->cases[at];
    const cJSON *was = json_get(before->implementation->json, "promise");
    const cJSON *is = json_get(now->implementation->json, "promise");
    bool same = true;
    for (size_t i = 0; was && is && i < sizeof members / sizeof *members; i++)
        same = same && cJSON_Compare(json_get(was, members[i]), json_get(is, members[i]), true);
    if (same)
        return true;
    struct check *check =
        gate_add_check(gate, at, "promise.allowed", "what is promised", CHECK_FAILED);
    if (!check)
        return false;
    snprintf(check->allowed, FIGURE_TEXT, "%.60s", report_string(was, "allowed"));
    snprintf(check->found, FIGURE_TEXT, "%.60s", report_string(is, "allowed"));
    name_source(check, before->report);
    return (check->command = gate_command(now, NULL));
}

static bool compare_fingerprints(struct gate *gate, size_t at, const struct gate_case *before,
                                 enum fingerprint_change change) {
    const struct gate_case *now = &gate->cases[at];
    const char *was = before->implementation->fingerprint, *is = now->implementation->fingerprint;
    if (!was || gate_is_search(now->result))
        return true;
    bool same = is && strcmp(was, is) == 0;
    if (!same && change == CHANGE_IGNORED)
        return true;
    enum check_status status = same                            ? CHECK_PASSED
                               : change == CHANGE_FAILS || !is ? CHECK_FAILED
                                                               : CHECK_NOTICE;
    struct check *check =
        gate_add_check(gate, at, "fingerprint", "fingerprint of all outputs", status);
    if (!check)
        return false;
    snprintf(check->allowed, FIGURE_TEXT, "%.60s", was);
    snprintf(check->found, FIGURE_TEXT, "%.60s", is ? is : "none");
    name_source(check, before->report);
    check->command = same ? NULL : gate_command(now, NULL);
    return same || check->command;
}

/* Texts that are too long begin with the part, after a comma, in which they differ. */
static void write_texts(struct check *check, const char *wanted, const char *found) {
    size_t part = 0;
    for (size_t i = 0; wanted[i] && wanted[i] == found[i]; i++)
        if (i && wanted[i] == ' ' && wanted[i - 1] == ',')
            part = i + 1;
    if (strlen(wanted) < FIGURE_TEXT && strlen(found) < FIGURE_TEXT)
        part = 0;
    snprintf(check->allowed, FIGURE_TEXT, "%s%.60s", part ? "..." : "", wanted + part);
    snprintf(check->found, FIGURE_TEXT, "%s%.*s", part ? "..." : "", part ? 60 : 63, found + part);
}

/* The case of before has no successor: appended, so that it can be told of. */
static bool add_missing(struct gate *gate, const struct gate_case *before, const char *wanted,
                        const char *found) {
    if (gate->case_count == gate->case_room) {
        size_t room = 2 * gate->case_room;
        struct gate_case *more = realloc(gate->cases, room * sizeof *more);
        if (!more)
            return false;
        gate->cases = more;
        gate->case_room = room;
    }
    gate->cases[gate->case_count] = *before; /* which has no checks yet */
    struct check *check =
        gate_add_check(gate, gate->case_count++, "tested", "inputs tested", CHECK_FAILED);
    if (!check)
        return false;
    write_texts(check, wanted, found);
    name_source(check, before->report);
    check->command = gate_command(before, NULL);
    return check->command != NULL;
}

/* What makes two cases one: in full with their inputs. Entries of one result have most of it in common. */
enum { IDENTITY_PARTS = 7, WITHOUT_INPUTS = 5, WITHOUT_PARAMETERS = 4 };
struct identity {
    const char *parts[IDENTITY_PARTS];
    char inputs[INPUTS_PATTERN];
};

static void read_identity(struct identity *identity, const struct gate_case *gate_case) {
    const struct read_result *result = gate_case->result;
    const char *const parts[IDENTITY_PARTS] = {
        result->operation,  result->format,
        result->rounding,   gate_case->implementation->name,
        result->parameters, gate_inputs_pattern(result, identity->inputs),
        result->inputs.seed};
    memcpy(identity->parts, parts, sizeof parts);
}

static uint64_t hash_identity(const struct identity *identity, size_t parts) {
    return hash_texts(identity->parts, parts);
}

static bool same_identity(const struct gate_case *gate_case, const struct identity *identity,
                          size_t parts) {
    struct identity own;
    read_identity(&own, gate_case);
    bool same = true;
    for (size_t i = 0; i < parts && same; i++)
        same = strcmp(own.parts[i], identity->parts[i]) == 0;
    return same;
}

/* Today's cases by what makes them one, without their inputs and with them. */
struct today {
    struct chains of_any_parameters, of_any_inputs, of_inputs;
};

/* What today has in place of a case of before: nothing, or the same with other parameters, or without those of then. */
static void tell_instead(const struct gate *gate, const struct today *today,
                         const struct gate_case *before, const struct identity *identity,
                         char found[FIGURE_TEXT]) {
    const struct chains *chains = &today->of_any_parameters;
    size_t i = chain_first(chains, hash_identity(identity, WITHOUT_PARAMETERS));
    while (i != CHAIN_END && !same_identity(&gate->cases[i], identity, WITHOUT_PARAMETERS))
        i = chain_next(chains, i);
    char *options = i == CHAIN_END ? NULL : gate_options(&gate->cases[i]), *then = NULL;
    if (options && !*options)
        then = gate_options(before);
    snprintf(found, FIGURE_TEXT, "%s%.48s",
             !options ? "not tested"
             : then   ? "tested without "
                      : "tested with ",
             then      ? then
             : options ? options
                       : "");
    free(options);
    free(then);
}

/* A baseline is there for new builds: that it is another one is said, once, and fails nothing. */
static bool note_build(struct gate *gate, const struct gate_case *before,
                       const struct gate_case *now) {
    const struct read_implementation *was = before->implementation, *is = now->implementation;
    struct build_part part;
    if (!read_builds_differ(was, is))
        return true;
    build_find_difference(was->build, is->build, &part);
    return gate_add_notice(gate, "the baseline's %.100s was %s, now %s", is->name, part.mine,
                           part.other);
}

static bool compare_case(struct gate *gate, const struct today *today,
                         const struct gate_case *before, change_function *change, void *context,
                         struct error *error) {
    struct identity identity;
    const struct read_result *others = NULL; /* other inputs, which are called the same */
    bool met = false;
    read_identity(&identity, before);
    for (size_t i = chain_first(&today->of_inputs, hash_identity(&identity, IDENTITY_PARTS));
         i != CHAIN_END; i = chain_next(&today->of_inputs, i)) {
        const struct gate_case *now = &gate->cases[i];
        if (!now->implementation->provided || !same_identity(now, &identity, IDENTITY_PARTS))
            continue;
        if (read_inputs_differ(now->result, before->result)) {
            others = now->result;
            continue;
        }
        met = true;
        if (!note_build(gate, before, now))
            return error_set(error, "out of memory");
        enum fingerprint_change meaning = change(context, now);
        if (meaning == CHANGE_UNSET)
            return false;
        if (!compare_measures(gate, i, before) || !compare_promises(gate, i, before) ||
            !compare_fingerprints(gate, i, before, meaning))
            return error_set(error, "out of memory");
        if (!gate_compare_orders(gate, i, before, error))
            return false;
    }
    if (met)
        return true;
    if (others) {
        char found[FIGURE_TEXT];
        snprintf(found, sizeof found, "others of that name, %.42s", others->inputs.identity);
        return add_missing(gate, before, before->result->inputs.identity, found) ||
               error_set(error, "out of memory");
    }
    size_t i = chain_first(&today->of_any_inputs, hash_identity(&identity, WITHOUT_INPUTS));
    while (i != CHAIN_END && !same_identity(&gate->cases[i], &identity, WITHOUT_INPUTS))
        i = chain_next(&today->of_any_inputs, i);
    const struct gate_case *other = i == CHAIN_END ? NULL : &gate->cases[i];
    char found[FIGURE_TEXT];
    tell_instead(gate, today, before, &identity, found);
    const char *instead = !other                             ? found
                          : !other->implementation->provided ? other->implementation->reason
                                                             : other->result->inputs.description;
    return add_missing(gate, before, before->result->inputs.description, instead) ||
           error_set(error, "out of memory");
}

static const char *said(const struct platform_facts *platform, unsigned which, bool is) {
    return !(platform->tells & which) ? "not known" : is ? "true" : "false";
}

static bool note_platform(struct gate *gate, const struct read_report *baseline) {
    const struct platform_facts *was = &baseline->platform, *is = &gate->cases[0].report->platform;
    const char *const texts[][3] = {
        {"arch", was->arch, is->arch},
        {"cpu", was->cpu, is->cpu},
        {"libc", was->libc, is->libc},
        {"libm_variant", was->libm_variant, is->libm_variant},
        {"compiler", was->compiler, is->compiler},
        {"fma", said(was, TELLS_FMA, was->fma), said(is, TELLS_FMA, is->fma)},
        {"ftz", said(was, TELLS_FTZ, was->ftz), said(is, TELLS_FTZ, is->ftz)},
        {"daz", said(was, TELLS_DAZ, was->daz), said(is, TELLS_DAZ, is->daz)}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i][1], texts[i][2]) != 0 &&
            !gate_add_notice(gate, "the baseline's %s was %.100s, now %.100s", texts[i][0],
                             texts[i][1], texts[i][2]))
            return false;
    return true;
}

/* Cases of before that are gone are appended to the gate's, and are none of today's. */
static bool compare_all(struct gate *gate, const struct today *today,
                        const struct read_report *baseline, change_function *change, void *context,
                        struct error *error) {
    for (size_t i = 0; i < baseline->result_count; i++)
        for (size_t j = 0; j < baseline->results[i].implementation_count; j++) {
            const struct read_result *result = &baseline->results[i];
            const struct gate_case before = {.report = baseline,
                                             .result = result,
                                             .implementation = &result->implementations[j]};
            if (before.implementation->provided &&
                !compare_case(gate, today, &before, change, context, error))
                return false;
        }
    return true;
}

bool gate_compare(struct gate *gate, const struct read_report *baseline, change_function *change,
                  void *context, struct error *error) {
    struct today today = {0};
    if (!note_platform(gate, baseline) ||
        !chains_make(&today.of_any_parameters, gate->case_count) ||
        !chains_make(&today.of_any_inputs, gate->case_count) ||
        !chains_make(&today.of_inputs, gate->case_count)) {
        chains_free(&today.of_any_parameters);
        chains_free(&today.of_any_inputs);
        return error_set(error, "out of memory");
    }
    for (size_t i = gate->case_count; i-- > 0;) { /* so that chains ascend */
        struct identity identity;
        read_identity(&identity, &gate->cases[i]);
        chains_add(&today.of_any_parameters, hash_identity(&identity, WITHOUT_PARAMETERS), i);
        chains_add(&today.of_any_inputs, hash_identity(&identity, WITHOUT_INPUTS), i);
        chains_add(&today.of_inputs, hash_identity(&identity, IDENTITY_PARTS), i);
    }
    bool good = compare_all(gate, &today, baseline, change, context, error);
    chains_free(&today.of_any_parameters);
    chains_free(&today.of_any_inputs);
    chains_free(&today.of_inputs);
    return good;
}
