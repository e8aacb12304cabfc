/* Reading policies and finding the rule for a case. */
#include "gate/policy.h"

#include "base/json_tree.h"
#include "base/names.h"
#include "gate/flat.h"
#include "gate/promise_read.h"
#include "gate/published.h"
#include "gate/trace.h"
#include "invariance/property.h"
#include "report/read_implementation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_POLICY_MIB = 64 };

/* Members of rules and exceptions besides the limits. */
static const char *const selector_members[] = {"operation", "implementation", "format", "rounding",
                                               "inputs",    "parameters",     "reason", NULL};
static const char *const rule_members[] = {"fingerprint_change",
                                           "fingerprint",
                                           "order",
                                           "invariance",
                                           "explanation",
                                           "trace",
                                           "promise",
                                           "accept",
                                           "section",
                                           NULL};

enum {
    MOST_MEMBERS = sizeof selector_members / sizeof *selector_members + LIMIT_COUNT +
                   sizeof rule_members / sizeof *rule_members
};

/* All that a rule, or an exception, may have: a list that ends with NULL. */
static const char *const *members_of(bool is_rule, const char *members[MOST_MEMBERS]) {
    int count = 0;
    for (int i = 0; selector_members[i]; i++)
        members[count++] = selector_members[i];
    for (int i = 0; i < LIMIT_COUNT; i++)
        members[count++] = limit_rows[i].name;
    for (int i = 0; is_rule && rule_members[i]; i++)
        members[count++] = rule_members[i];
    members[count] = NULL;
    return members;
}

static const char *const policy_members[] = {"schema", "notes", "rules", "exceptions", NULL};

static void read_limits(struct rule *rule, struct json_reader *reader, const cJSON *json) {
    for (int i = 0; i < LIMIT_COUNT; i++) {
        const struct limit_row *row = &limit_rows[i];
        if (!json_get(json, row->name))
            continue;
        rule->has[i] = true;
        if (row->kind == LIMIT_OF_ERROR || row->kind == LIMIT_OF_AVERAGE)
            rule->limits[i] = json_size(reader, json, row->name);
        else if (row->kind == LIMIT_OF_COUNT)
            rule->limits[i] = (double)json_count(reader, json, row->name);
        else /* "require": false takes back what a less specific rule requires */
            rule->limits[i] = json_bool(reader, json, row->name) ? 0 : 0x1p60;
    }
}

static enum fingerprint_change read_change(struct json_reader *reader, const cJSON *json) {
    static const char *const names[] = {
        [CHANGE_FAILS] = "fail", [CHANGE_NOTICED] = "notice", [CHANGE_IGNORED] = "ignore"};
    if (!json_get(json, "fingerprint_change"))
        return CHANGE_UNSET;
    const char *text = json_string(reader, json, "fingerprint_change");
    for (int i = CHANGE_FAILS; i <= CHANGE_IGNORED; i++)
        if (strcmp(text, names[i]) == 0)
            return (enum fingerprint_change)i;
    json_fail(reader, "fingerprint_change", "should be \"fail\", \"notice\" or \"ignore\"");
    return CHANGE_UNSET;
}

/* {"position": 0, "*": 10} */
static const cJSON *read_invariance(struct json_reader *reader, const cJSON *json) {
    const cJSON *one, *object = json_object(reader, json, "invariance");
    size_t mark = json_enter(reader, "invariance", -1);
    struct error why;
    char says[sizeof why.text + 8];
    cJSON_ArrayForEach(one, object) {
        if (strcmp(one->string, "*") != 0 && !property_find(one->string, &why)) {
            snprintf(says, sizeof says, "has an %s", why.text);
            json_fail(reader, NULL, says);
        }
        json_count(reader, object, one->string);
    }
    if (object && !object->child)
        json_fail(reader, NULL, "limits no property, such as \"position\": 0");
    json_leave(reader, mark);
    return object;
}

static const char *read_order(struct json_reader *reader, const cJSON *rule) {
    const char *hash = json_string(reader, rule, "order");
    if (strlen(hash) != 16 || strspn(hash, "0123456789abcdef") != 16)
        json_fail(
            reader, "order",
            "should be the 16 hexadecimal digits of an order_hash ('detcheck reveal --json')");
    return hash;
}

/* {"contraction": "any", "nan-bits": 100, "*": 0} */
static const cJSON *read_explanation(struct json_reader *reader, const cJSON *json) {
    const cJSON *one, *object = json_object(reader, json, "explanation");
    size_t mark = json_enter(reader, "explanation", -1);
    cJSON_ArrayForEach(one, object) {
        if (!cJSON_IsString(one) || strcmp(one->valuestring, "any") != 0)
            json_count(reader, object, one->string);
    }
    if (object && !object->child)
        json_fail(reader, NULL, "limits no cause, such as \"contraction\": \"any\", \"*\": 0");
    json_leave(reader, mark);
    return object;
}

static bool sets_anything(const struct rule *rule) {
    bool any = rule->fingerprint || rule->change || rule->invariance || rule->explanation ||
               rule->promise || rule->accepts || rule->order || rule->trace;
    for (int i = 0; i < LIMIT_COUNT; i++)
        any = any || rule->has[i];
    return any;
}

static void read_rule(struct rule *rule, struct json_reader *reader, const cJSON *json,
                      bool exception) {
    const char *members[MOST_MEMBERS];
    json_only(reader, json, members_of(!exception, members));
    if (reader->failed)
        return;
    selector_read(&rule->selector, reader, json);
    read_limits(rule, reader, json);
    rule->change = read_change(reader, json);
    if (json_get(json, "invariance"))
        rule->invariance = read_invariance(reader, json);
    if (json_get(json, "explanation"))
        rule->explanation = read_explanation(reader, json);
    if (json_get(json, "trace"))
        rule->trace = gate_trace_limits(reader, json);
    promise_read(rule, reader, json);
    /* Some of a million would be none, if none at all were allowed beside. */
    if (rule->has[LIMIT_MAX_VIOLATION_SHARE] &&
        !json_get(json, limit_rows[LIMIT_MAX_VIOLATIONS].name)) {
        rule->has[LIMIT_MAX_VIOLATIONS] = true;
        rule->limits[LIMIT_MAX_VIOLATIONS] = 0x1p60;
    }
    if (json_get(json, "fingerprint"))
        rule->fingerprint = read_fingerprint(reader, json);
    if (json_get(json, "order"))
        rule->order = read_order(reader, json);
    if (exception || json_get(json, "reason"))
        rule->reason = json_string(reader, json, "reason");
    if (exception && !reader->failed && !*rule->reason)
        json_fail(reader, "reason", "should say why, and is empty");
    if (!exception && !sets_anything(rule))
        json_fail(reader, NULL, "sets no limit, such as \"max_ulp\": 1");
}

/* `noun` is what messages call one of them, with its number, or its line where there are `lines`. */
static struct rule *read_rules(struct json_reader *reader, const cJSON *document, const char *name,
                               const char *noun, const int *lines, size_t *count) {
    const cJSON *item, *array = json_array(reader, document, name);
    struct rule *rules = calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *rules);
    if (!rules) {
        json_fail(reader, name, "is too large for the memory");
        return NULL;
    }
    cJSON_ArrayForEach(item, array) {
        int at = (int)(*count)++;
        rules[at].number = lines ? lines[at] : at + 1;
        size_t mark = json_enter_numbered(reader, noun, rules[at].number);
        read_rule(&rules[at], reader, item, strcmp(name, "exceptions") == 0);
        json_leave(reader, mark);
    }
    return rules;
}

static void read_policy(struct policy *policy, struct json_reader *reader,
                        const struct flat_lines *lines) {
    const cJSON *document = policy->document;
    if (!cJSON_IsObject(document)) {
        json_fail(reader, NULL, "should be an object, with \"schema\": \"" POLICY_SCHEMA "\"");
        return;
    }
    const char *schema = json_string(reader, document, "schema");
    if (!reader->failed && strcmp(schema, POLICY_SCHEMA) != 0)
        json_fail(reader, "schema", "should be \"" POLICY_SCHEMA "\", a policy");
    json_only(reader, document, policy_members);
    if (reader->failed)
        return;
    policy->rules =
        read_rules(reader, document, "rules", policy->rule_noun, lines->rules, &policy->rule_count);
    if (json_get(document, "exceptions"))
        policy->exceptions = read_rules(reader, document, "exceptions", policy->exception_noun,
                                        lines->exceptions, &policy->exception_count);
    if (!policy->rule_count && !reader->failed)
        json_fail(reader, "rules", "is empty, so nothing could fail");
}

/* What is part of the program, as file_read would read it. */
static char *published_text(const struct published_policy *published, size_t *length,
                            struct error *error) {
    char *text = malloc(*published->size + 1);
    if (!text) {
        error_set(error, "out of memory");
        return NULL;
    }
    *length = *published->size;
    memcpy(text, published->text, *length);
    text[*length] = '\0';
    return text;
}

/* Whoever gives a name, and no path, may have meant a published policy. */
static bool say_what_there_is(const char *name, struct error *error) {
    const char *names[64] = {0};
    size_t count = 0;
    for (const struct published_policy *one = published_policies; one->name && count < 64; one++)
        names[count++] = one->name;
    const char *nearest = name_nearest(name, names, count);
    for (size_t i = 0; !nearest && i < count; i++)
        nearest = name_begins(name, names[i], NULL) ? names[i] : NULL;
    if (strchr(name, '/') || access(name, F_OK) == 0)
        return false;
    return error_set(error, "no policy is called '%.80s', and no file here; %s%s%s", name,
                     nearest ? "did you mean "
                             : "'detcheck list policies' has those that are published",
                     nearest ? nearest : "", nearest ? "?" : "");
}

/* Takes the text over. A policy of lines calls its rules, and its exceptions, by their lines. */
static bool read_document(struct policy *policy, char *text, size_t length,
                          struct flat_lines *lines, struct error *error) {
    const char *members[MOST_MEMBERS];
    if (flat_is(text)) {
        policy->rule_noun = policy->exception_noun = "line";
        policy->document =
            flat_parse(text, length, policy->name, members_of(true, members), lines, error);
    } else
        policy->document = json_parse(text, length, policy->name, "policy", error);
    return policy->document != NULL;
}

bool policy_read(struct policy *policy, const char *path, struct error *error) {
    const struct published_policy *published = published_find(path);
    struct flat_lines lines = {0};
    size_t length = 0;
    *policy = (struct policy){.name = published ? published->name : path,
                              .rule_noun = "rule",
                              .exception_noun = "exception",
                              /* it covers more than anybody sweeps at once */
                              .must_match = !published};
    char *text = published
                     ? published_text(published, &length, error)
                     : file_read(path, (size_t)MOST_POLICY_MIB << 20, "policy", &length, error);
    if (!text)
        return say_what_there_is(path, error);
    struct json_reader reader = {.file = path, .error = error};
    bool good = read_document(policy, text, length, &lines, error);
    if (good)
        read_policy(policy, &reader, &lines);
    free(lines.rules);
    free(lines.exceptions);
    good = good && !reader.failed;
    if (!good)
        policy_free(policy);
    return good;
}

bool policy_from_limits(struct policy *policy, const bool *has, const double *limits,
                        struct error *error) {
    *policy =
        (struct policy){.name = "command line", .rule_noun = "", .exception_noun = "exception"};
    policy->rules = calloc(1, sizeof *policy->rules);
    if (!policy->rules)
        return error_set(error, "out of memory");
    policy->rule_count = 1;
    memcpy(policy->rules->has, has, LIMIT_COUNT * sizeof *has);
    memcpy(policy->rules->limits, limits, LIMIT_COUNT * sizeof *limits);
    return true;
}

bool policy_index(struct policy *policy) {
    return rule_index_make(&policy->rule_index, policy->rules, policy->rule_count) &&
           rule_index_make(&policy->exception_index, policy->exceptions, policy->exception_count);
}

void policy_free(struct policy *policy) {
    rule_index_free(&policy->rule_index);
    rule_index_free(&policy->exception_index);
    for (size_t i = 0; i < policy->rule_count; i++)
        promise_read_free(policy->rules[i].promise);
    free(policy->rules);
    free(policy->exceptions);
    free(policy->text);
    json_tree_free(policy->document);
    *policy = (struct policy){0};
}

bool rule_sets_limit(const struct rule *rule, int limit) {
    return rule->has[limit];
}

bool rule_sets_fingerprint(const struct rule *rule, int unused) {
    (void)unused;
    return rule->fingerprint != NULL;
}

bool rule_sets_order(const struct rule *rule, int unused) {
    (void)unused;
    return rule->order != NULL;
}

bool rule_sets_change(const struct rule *rule, int unused) {
    (void)unused;
    return rule->change != CHANGE_UNSET;
}

bool rule_sets_promise(const struct rule *rule, int unused) {
    (void)unused;
    return rule->promise != NULL;
}

bool rule_sets_acceptance(const struct rule *rule, int unused) {
    (void)unused;
    return rule->accepts;
}

bool rule_sets_explanation(const struct rule *rule, int unused) {
    (void)unused;
    return rule->explanation != NULL;
}

bool policy_find(struct policy *policy, const struct gate_case *gate_case, rule_test *sets,
                 int limit, const struct rule **found, struct error *error) {
    const struct rule *tied = NULL;
    size_t count;
    const size_t *matching = rule_index_find(&policy->rule_index, gate_case, &count);
    *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct rule *rule = &policy->rules[matching[i]];
        if (!sets(rule, limit))
            continue;
        int order = *found ? selector_compare(&rule->selector, &(*found)->selector) : 1;
        if (order > 0) {
            *found = rule;
            tied = NULL;
        } else if (order == 0)
            tied = rule;
    }
    if (!tied)
        return true;
    return error_set(
        error, "%.200s: %ss %d and %d are equally specific for %s in %s by %s; change one",
        policy->name, policy->rule_noun, (*found)->number, tied->number,
        gate_case->result->operation, gate_case->result->format, gate_case->implementation->name);
}

static const cJSON *property_limit(const struct rule *rule, const char *name) {
    return json_get(rule->invariance, name);
}

bool rule_names_property(const struct rule *rule, int property) {
    return property_limit(rule, property_rows[property]->name) != NULL;
}

bool rule_sets_property(const struct rule *rule, int property) {
    return rule_names_property(rule, property) || property_limit(rule, "*");
}

double rule_property_limit(const struct rule *rule, int property) {
    const char *name = property_rows[property]->name;
    return property_limit(rule, rule_names_property(rule, property) ? name : "*")->valuedouble;
}
