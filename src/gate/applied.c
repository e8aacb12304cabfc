/* Limits that rules set, and what follows from them. */
#include "gate/applied.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the policies say of a case. */
struct said {
    bool limits[LIMIT_COUNT];    /* some rule sets it */
    double events;               /* the most that a rule allows */
    bool promise;                /* what the report holds each output against */
    struct applied_limit errors; /* the first limit on errors; rule NULL: none */
};

static bool append(struct applied_limits *limits, const struct applied_limit *limit,
                   struct error *error) {
    if (limits->count == limits->room) {
        size_t room = limits->room ? 2 * limits->room : LIMIT_COUNT;
        struct applied_limit *more = realloc(limits->items, room * sizeof *more);
        if (!more)
            return error_set(error, "out of memory");
        limits->items = more;
        limits->room = room;
    }
    limits->items[limits->count++] = *limit;
    return true;
}

/* Whether an output at -x has to be that at x, or its negative, as far as the report's operation is known here. */
static bool has_symmetry(const struct gate_case *gate_case) {
    const struct read_result *result = gate_case->result;
    struct error unused;
    int number;
    const struct operation *operation = operation_of_result(result->operation, &number, &unused);
    const enum parity parity = operation ? operation->result[number].parity : PARITY_EVEN;
    const bool directed = strcmp(result->rounding, rounding_names[ROUND_UP]) == 0 ||
                          strcmp(result->rounding, rounding_names[ROUND_DOWN]) == 0;
    return parity == PARITY_EVEN || (parity == PARITY_ODD && !directed);
}

static bool add_said(struct applied_limits *limits, struct said *said, struct policy *policy,
                     const struct gate_case *gate_case, struct error *error) {
    const struct read_implementation *one = gate_case->implementation;
    const struct rule *rule;
    if (!policy_find(policy, gate_case, rule_sets_promise, 0, &rule, error))
        return false;
    said->promise = said->promise || (rule && one->tally.tells & TELLS_PROMISE);
    for (int limit = 0; limit < LIMIT_COUNT; limit++) {
        if (!policy_find(policy, gate_case, rule_sets_limit, limit, &rule, error))
            return false;
        if (!rule)
            continue;
        const struct applied_limit found = {limit, rule->limits[limit], policy, rule, -1};
        said->limits[limit] = true;
        if (limit == LIMIT_MAX_EVENTS && found.allowed > said->events)
            said->events = found.allowed;
        if (found.allowed >= 0x1p60 || !limit_is_of(&limit_rows[limit], one) ||
            (limit == LIMIT_MAX_NOT_SYMMETRIC && !has_symmetry(gate_case)))
            continue;
        if (limit_rows[limit].of_errors && !said->errors.rule)
            said->errors = found;
        if (!append(limits, &found, error))
            return false;
    }
    return true;
}

/* Limits that hold of a few of the inputs are no news of the rest. What sweeps draw themselves are calls, so that
 * this is about lists of a user. A shard may have more of these than the whole. */
static double may_not_be_called(const struct gate_case *gate_case) {
    const struct read_implementation *one = gate_case->implementation;
    double all =
        (double)one->tally.tested + (double)one->tally.unanswered + (double)one->tally.not_called;
    return gate_case->result->inputs.tells & INPUTS_SHARD ? all : floor(all / 2);
}

static bool add_implied(struct applied_limits *limits, const struct said *said,
                        const struct gate_case *gate_case, struct error *error) {
    const struct read_implementation *one = gate_case->implementation;
    bool good = true;
    for (int limit = 0; limit < LIMIT_COUNT && good; limit++) {
        const struct limit_row *row = &limit_rows[limit];
        struct applied_limit found = {.limit = limit, .by = -1};
        if (said->limits[limit] || (row->whole && said->limits[row->whole]) ||
            !limit_is_of(row, one) || !limit_is_reported(row, one))
            continue;
        if (row->implied == IMPLIED_BY_ERRORS && said->errors.rule && !said->promise) {
            found.policy = said->errors.policy;
            found.rule = said->errors.rule;
            found.by = said->errors.limit;
            good = append(limits, &found, error);
        }
        found.allowed = limit == LIMIT_MAX_UNANSWERED     ? said->events
                        : row->implied == IMPLIED_OF_HALF ? may_not_be_called(gate_case)
                                                          : 0;
        /* What always holds is worth a word where it does not. */
        bool holds = row->implied == IMPLIED_ALWAYS || row->implied == IMPLIED_OF_HALF;
        if (holds && row->found(one) > found.allowed)
            good = append(limits, &found, error);
    }
    return good;
}

bool applied_find(struct applied_limits *limits, struct policy *policies, size_t policy_count,
                  const struct gate_case *gate_case, struct error *error) {
    struct said said = {.promise = false};
    limits->count = 0;
    for (size_t i = 0; i < policy_count; i++)
        if (!add_said(limits, &said, &policies[i], gate_case, error))
            return false;
    return add_implied(limits, &said, gate_case, error);
}

void applied_free(struct applied_limits *limits) {
    free(limits->items);
    *limits = (struct applied_limits){0};
}

/* Whether one of the rules names the operation itself, and not by a pattern. */
static bool names_operation(const struct policy *policy, const size_t *matching, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *pattern = policy->rules[matching[i]].selector.patterns[PART_OPERATION];
        if (pattern && !strpbrk(pattern, "*?"))
            return true;
    }
    return false;
}

bool applied_may_lack(struct policy *policies, size_t policy_count,
                      const struct gate_case *gate_case, bool *may, struct applied_limit *forbids,
                      struct error *error) {
    *may = true;
    *forbids = (struct applied_limit){.limit = LIMIT_REQUIRE_PROVIDED, .by = -1};
    for (size_t i = 0; i < policy_count; i++) {
        const struct rule *rule;
        size_t count;
        const size_t *matching = rule_index_find(&policies[i].rule_index, gate_case, &count);
        if (!policy_find(&policies[i], gate_case, rule_sets_limit, LIMIT_REQUIRE_PROVIDED, &rule,
                         error))
            return false;
        bool named = !gate_case->result->by_group || names_operation(&policies[i], matching, count);
        if (!count ||
            (rule ? rule->limits[LIMIT_REQUIRE_PROVIDED] > 0 : policies[i].is_partial || !named))
            continue;
        forbids->policy = &policies[i];
        forbids->rule = rule ? rule : &policies[i].rules[matching[0]];
        *may = false;
        break;
    }
    return true;
}
