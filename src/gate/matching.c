/* Which cases the rules of a policy are about. A rule that is about none is an error, unless the policy may have such. */
#include "gate/index.h"
#include "gate/judging.h"
#include "op/operation.h"

#include <stdio.h>
#include <string.h>

/* Counts the cases that each rule is about. */
static void count_matches(const struct gate *gate, struct rule *rules, struct rule_index *index) {
    for (size_t i = 0; i < gate->case_count; i++) {
        size_t count = 0;
        const size_t *matching = gate->cases[i].implementation->provided
                                     ? rule_index_find(index, &gate->cases[i], &count)
                                     : NULL;
        for (size_t j = 0; j < count; j++) {
            rules[matching[j]].matched++;
            rules[matching[j]].revealed += gate->cases[i].implementation->kind == READ_ORDER;
        }
    }
}

/* "sqrt, fp64, *, libm": what a rule is about. */
enum { PARTS_TEXT = 256 };
static const char *parts_of(const struct rule *rule, char text[PARTS_TEXT]) {
    const char *const *part = rule->selector.patterns;
    snprintf(text, PARTS_TEXT, "%.60s, %.60s, %.60s, %.60s",
             part[PART_OPERATION] ? part[PART_OPERATION] : "*",
             part[PART_FORMAT] ? part[PART_FORMAT] : "*",
             part[PART_ROUNDING] ? part[PART_ROUNDING] : "*",
             part[PART_IMPLEMENTATION] ? part[PART_IMPLEMENTATION] : "*");
    return text;
}

/* The policy may be about other formats, or about an implementation of another name. */
static bool limits_nothing(struct judging *judging, const struct policy *policy) {
    const struct gate_case *first = judging->gate->case_count ? judging->gate->cases : NULL;
    char parts[PARTS_TEXT];
    if (!policy->rule_count || !first)
        return error_set(judging->error, "%.200s has no limit for anything that was tested",
                         policy->name);
    return error_set(
        judging->error,
        "%.200s has no limit for anything that was tested: its first rule is about %s, and what "
        "was tested begins with %.60s, %.60s, %.60s, %.120s",
        policy->name, parts_of(policy->rules, parts), first->result->operation,
        first->result->format, first->result->rounding, first->implementation->name);
}

/* Whether the rule's operation may be one: not where its name is nearly that of one. A trace has names of its own. */
static bool is_known(const struct rule *rule, struct error *unknown) {
    const char *name = rule->selector.patterns[PART_OPERATION];
    int result;
    return rule->trace || !name || !selector_is_name(name) ||
           operation_of_result(name, &result, unknown) || operation_find(name, unknown) ||
           !strstr(unknown->text, "did you mean");
}

/* Every rule that matches a case has a use; one that matches none is a slip of the pen, or what it
 * was about is not tested any more. Where rules may match nothing, *matched says how many did. */
static bool match_rules(struct judging *judging, struct policy *policy, struct rule *rules,
                        size_t count, struct rule_index *index, const char *noun, size_t *matched) {
    *matched = 0;
    count_matches(judging->gate, rules, index);
    for (size_t i = 0; i < count; i++) {
        *matched += rules[i].matched > 0;
        if (policy->must_match && rules[i].matched && rules[i].order && !rules[i].revealed)
            return error_set(judging->error,
                             "%.200s: %s %d has an \"order\", and no report has an order for its "
                             "matches; 'detcheck reveal --json' writes one",
                             policy->name, noun, rules[i].number);
        if (rules[i].matched || !policy->must_match)
            continue;
        char parts[PARTS_TEXT];
        struct error unknown;
        const bool known = is_known(&rules[i], &unknown);
        return error_set(judging->error, "%.200s: %s %d (%s) matches nothing that was tested%s%s",
                         policy->name, noun, rules[i].number, parts_of(&rules[i], parts),
                         known ? "; --partial allows such " : ": ", known ? "rules" : unknown.text);
    }
    return true;
}

/* However few of its rules match, a policy must limit something. */
bool judging_match(struct judging *judging, struct policy *policy) {
    size_t rules, exceptions;
    if (!policy_index(policy))
        return judging_out_of_memory(judging);
    if (!match_rules(judging, policy, policy->rules, policy->rule_count, &policy->rule_index,
                     policy->rule_noun, &rules) ||
        !match_rules(judging, policy, policy->exceptions, policy->exception_count,
                     &policy->exception_index, policy->exception_noun, &exceptions))
        return false;
    return rules || limits_nothing(judging, policy);
}
