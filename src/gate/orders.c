/* Orders of sums: reading what was revealed, holding it against a rule and against what was revealed before. */
#include "gate/orders.h"

#include "base/json_tree.h"
#include "base/memory.h"
#include "gate/trace.h"
#include "order/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REVEAL_SCHEMA "detcheck/reveal/1"

/* ---- Reading ---- */

/* The order that a case has, to be closed. */
static bool open_order(const cJSON *json, const char *path, struct order *order,
                       struct error *error) {
    char *text = cJSON_PrintUnformatted(json_get(json, "order"));
    bool good = text ? order_read_text(text, strlen(text), path, order, error)
                     : error_set(error, "out of memory for %.200s", path);
    cJSON_free(text);
    return good;
}

/* A hash that is not that of the order beside it would let any order pass. */
static bool check_hash(const struct read_report *report, const struct read_result *result,
                       const char *hash, struct error *error) {
    struct order order;
    char own[17];
    if (!open_order(result->json, report->path, &order, error))
        return false;
    order_identity(&order, own);
    order_close(&order);
    return strcmp(own, hash) == 0 ||
           error_set(error, "%.200s: %s in %s has the order_hash %.40s, and its order has %s",
                     report->path, result->operation, result->format, hash, own);
}

/* That what stands of each length adds up to what is said of them all: so many lengths, so many of them revealed, each of
 * which the order knows, and without an array that differs. */
static bool check_lengths(const struct read_report *report, const struct read_result *result,
                          double revealed, bool has_order, struct error *error) {
    const cJSON *length, *lengths = json_get(result->json, "lengths");
    struct order order = {.tree_count = 0};
    const int count = cJSON_GetArraySize(lengths);
    int found = 0;
    double before = 0;
    const char *why = NULL;
    const bool knows_all = has_order && !json_has(result->json, "prefixes_of");
    if (has_order && !open_order(result->json, report->path, &order, error))
        return false;
    cJSON_ArrayForEach(length, lengths) {
        const double terms = json_number(length, "terms");
        if (!(terms > before && terms <= ORDER_MOST_TERMS))
            why = "lengths that do not follow each other";
        before = terms;
        if (why || strcmp(json_text(length, "state"), "revealed") != 0)
            continue;
        struct order_tree tree;
        struct error unused;
        found++;
        if (json_number(length, "different") > 0 || !(json_number(length, "replayed") > 0))
            why = "a length that is revealed, and arrays of it that differ, or none";
        else if (knows_all && !order_tree_of(&order, (size_t)terms, &tree, &unused))
            why = "a length that is revealed, and that its order does not know";
        else if (knows_all)
            order_tree_close(&tree);
    }
    order_close(&order);
    if (why)
        return error_set(error, "%.200s: %s in %s has %s", report->path, result->operation,
                         result->format, why);
    if ((uint64_t)count != result->inputs.count)
        return error_set(error, "%.200s: %s in %s says %.0f lengths, and has %d", report->path,
                         result->operation, result->format, (double)result->inputs.count, count);
    if (revealed < found || revealed > found)
        return error_set(error, "%.200s: %s in %s says that %.0f lengths are revealed, and has %d",
                         report->path, result->operation, result->format, revealed, found);
    return true;
}

static bool read_one(struct json_reader *reader, const cJSON *json,
                     const struct read_report *report, struct read_result *result) {
    const cJSON *whose = json_object(reader, json, "implementation"),
                *inputs = json_object(reader, json, "inputs");
    result->json = json;
    result->operation = json_string(reader, json, "operation");
    result->format = json_string(reader, json, "format");
    result->rounding = rounding_names[ROUND_NEAREST_EVEN];
    result->given = json_object(reader, json, "parameters");
    result->inputs =
        (struct inputs_facts){.kind = "lengths",
                              .description = json_string(reader, inputs, "description"),
                              .identity = "",
                              .seed = "",
                              .count = json_count(reader, inputs, "count")};
    result->inputs.covered = result->inputs.count;
    const uint64_t revealed = json_count(reader, json, "revealed");
    json_array(reader, json, "lengths");
    const bool has_order = json_has(json, "order");
    const char *hash = has_order ? json_string(reader, json, "order_hash") : NULL;
    struct read_implementation one = {.json = json,
                                      .name = json_string(reader, whose, "name"),
                                      .detail = json_string(reader, whose, "detail"),
                                      .build = "",
                                      .provided = true,
                                      .reason = "",
                                      .kind = READ_ORDER};
    if (reader->failed)
        return false;
    one.tally.tested = result->inputs.count;
    one.order = revealed == result->inputs.count ? hash : NULL;
    result->parameters = cJSON_PrintUnformatted(result->given);
    result->implementations = malloc(sizeof one);
    if (!result->parameters || !result->implementations)
        return error_set(reader->error, "out of memory for %.200s", reader->file);
    result->implementations[result->implementation_count++] = one;
    return check_lengths(report, result, (double)revealed, has_order, reader->error) &&
           (!hash || check_hash(report, result, hash, reader->error));
}

static bool read_revealed(struct read_report *report, struct error *error) {
    struct json_reader reader = {.file = report->path, .error = error};
    const cJSON *json, *results = json_array(&reader, report->document, "results");
    report->results = calloc((size_t)cJSON_GetArraySize(results) + 1, sizeof *report->results);
    if (!report->results)
        return error_set(error, "out of memory for %.200s", report->path);
    cJSON_ArrayForEach(json, results) {
        int at = (int)report->result_count++;
        size_t mark = json_enter(&reader, "results", at);
        if (!read_one(&reader, json, report, &report->results[at]))
            return false;
        json_leave(&reader, mark);
        report->tested += report->results[at].inputs.count;
    }
    return !reader.failed;
}

bool gate_read(struct read_report *report, const char *path, struct error *error) {
    cJSON *document = json_read_file(path, REPORT_MOST_BYTES, "report", error);
    if (!document || strcmp(json_text(document, "schema"), REVEAL_SCHEMA) != 0)
        return document && gate_is_of_trace(document)
                   ? gate_read_trace(report, path, document, error)
                   : report_read_document(report, path, document, error);
    *report = report_open(path, document);
    if (read_revealed(report, error))
        return true;
    report_read_free(report);
    return false;
}

/* ---- Judging ---- */

/* What stands in place of a hash, where there is none. */
static void say_lack(const struct gate_case *gate_case, char text[FIGURE_TEXT]) {
    snprintf(text, FIGURE_TEXT, "none: %.0f of %.0f lengths revealed",
             json_number(gate_case->implementation->json, "revealed"),
             (double)gate_case->result->inputs.count);
}

static struct check *add_check(struct gate *gate, size_t at, const char *wanted,
                               enum check_status status) {
    const struct gate_case *gate_case = &gate->cases[at];
    struct check *check = gate_add_check(gate, at, "order", "order of additions", status);
    if (!check)
        return NULL;
    snprintf(check->allowed, FIGURE_TEXT, "%.60s", wanted);
    if (gate_case->implementation->order)
        snprintf(check->found, FIGURE_TEXT, "%.60s", gate_case->implementation->order);
    else
        say_lack(gate_case, check->found);
    if (status == CHECK_FAILED)
        check->command = gate_command(gate_case, NULL);
    return status != CHECK_FAILED || check->command ? check : NULL;
}

bool judging_apply_order(struct judging *judging, size_t at, struct policy *policy) {
    const struct gate_case *gate_case = &judging->gate->cases[at];
    const char *found = gate_case->implementation->order;
    const struct rule *rule;
    if (!policy_find(policy, gate_case, rule_sets_order, 0, &rule, judging->error))
        return false;
    if (!rule)
        return true;
    bool same = found && strcmp(found, rule->order) == 0;
    struct check *check =
        add_check(judging->gate, at, rule->order, same ? CHECK_PASSED : CHECK_FAILED);
    if (!check)
        return judging_out_of_memory(judging);
    if (!same && found) { /* of other lengths a rule may be another */
        const size_t used = strlen(check->found);
        snprintf(check->found + used, FIGURE_TEXT - used, ", of %.100s",
                 gate_case->result->inputs.description);
    }
    judging_name_source(check, policy, rule);
    if (!same)
        judging_excuse(judging, check, judging_exception(judging, gate_case, -1, 0));
    return true;
}

/* ---- Beside what was revealed before ---- */

/* Where two part, in words; "" where they are the same at all lengths that both know. To be freed; NULL with an error. */
static char *difference_of(const struct gate_case *before, const struct gate_case *now,
                           struct error *error) {
    struct order was, is;
    struct order_compared compared;
    char *text = NULL;
    size_t size;
    if (!open_order(before->result->json, before->report->path, &was, error))
        return NULL;
    if (!open_order(now->result->json, now->report->path, &is, error)) {
        order_close(&was);
        return NULL;
    }
    FILE *stream = memory_stream(&text, &size);
    bool good = stream && order_compare(&was, &is, stream, &compared, error);
    if (good && ftell(stream) == 0 && !compared.all)
        fprintf(stream, "no length up to %zu tells them apart", compared.longest);
    if (!stream || fclose(stream) != 0)
        good = error_set(error, "out of memory");
    order_close(&was);
    order_close(&is);
    if (good)
        return text;
    free(text);
    return NULL;
}

/* "A" and "B" of the text are the baseline and today's. */
static bool tell_difference(struct gate *gate, const struct gate_case *now, const char *text,
                            char found[FIGURE_TEXT]) {
    const size_t used = strlen(found), line = strcspn(text, "\n"), room = FIGURE_TEXT - used - 3;
    const bool fits = line < room;
    snprintf(found + used, FIGURE_TEXT - used, ": %.*s%s", (int)(fits ? line : room - 3), text,
             fits ? "" : "...");
    char all[512] = "";
    size_t length = 0;
    for (const char *at = text; *at && length < sizeof all; at += strcspn(at, "\n"), at += *at != 0)
        length += (size_t)snprintf(all + length, sizeof all - length, "%s%.*s", length ? "; " : "",
                                   (int)strcspn(at, "\n"), at);
    return gate_add_notice(gate, "%.60s in %.30s by %.100s: A, the baseline, and B, now, part: %s",
                           now->result->operation, now->result->format, now->implementation->name,
                           all);
}

bool gate_compare_orders(struct gate *gate, size_t at, const struct gate_case *before,
                         struct error *error) {
    const struct gate_case now = gate->cases[at];
    const char *was = before->implementation->order, *is = now.implementation->order;
    bool same = was && is && strcmp(was, is) == 0;
    char *text = NULL;
    if (!was)
        return true;
    if (!same && is) {
        text = difference_of(before, &now, error);
        if (!text)
            return false;
        same = !*text;
    }
    struct check *check = add_check(gate, at, was, same ? CHECK_PASSED : CHECK_FAILED);
    bool good = check;
    if (check)
        snprintf(check->source, sizeof check->source, "baseline %.200s", before->report->path);
    if (check && text && *text)
        good = tell_difference(gate, &now, text, check->found);
    free(text);
    return good || error_set(error, "out of memory");
}
