/* An implementation's part of a report, from JSON to a structure, checked. */
#include "report/read_implementation.h"

#include "report/envelope_read.h"
#include "report/explanation_read.h"
#include "report/invariance_read.h"

#include "impl/implementation.h"
#include "sweep/fingerprint.h"

#include <string.h>

static void read_histogram(struct json_reader *reader, const cJSON *json, uint64_t in_ulps) {
    const cJSON *bucket, *array = json_array(reader, json, "histogram");
    uint64_t sum = 0;
    int at = 0;
    cJSON_ArrayForEach(bucket, array) {
        size_t mark = json_enter(reader, "histogram", at++);
        sum += json_count(reader, bucket, "count");
        if (json_has(bucket, "up_to_ulp"))
            json_size(reader, bucket, "up_to_ulp");
        json_leave(reader, mark);
    }
    if (sum != in_ulps)
        json_fail(reader, "histogram", "does not add up to judged_in_ulps");
}

static void read_binades(struct json_reader *reader, const struct read_implementation *one) {
    const cJSON *row, *array = json_array(reader, one->json, "by_binade");
    int at = 0;
    cJSON_ArrayForEach(row, array) {
        size_t mark = json_enter(reader, "by_binade", at++);
        const cJSON *exponent = cJSON_GetObjectItemCaseSensitive(row, "exponent");
        if (!cJSON_IsNumber(exponent) || exponent->valuedouble < -20000 ||
            exponent->valuedouble > 20000)
            json_fail(reader, "exponent", "should be a number from -20000 to 20000");
        if (json_size(reader, row, "max_ulp") > one->max_ulp)
            json_fail(reader, "max_ulp", "is more than the implementation's");
        if (json_count(reader, row, "incorrect") > one->tested)
            json_fail(reader, "incorrect", "is more than tested");
        json_leave(reader, mark);
    }
}

/* An input: a string, or an array of what an operand is; or an object that says which array. */
static void check_input(struct json_reader *reader, const cJSON *row) {
    const cJSON *input = cJSON_GetObjectItemCaseSensitive(row, "input");
    if (!cJSON_IsString(input) && !cJSON_IsArray(input) && !cJSON_IsObject(input))
        json_fail(reader, "input",
                  "should be a string of hexadecimal digits, an array of them, or an object");
}

static void read_max(struct json_reader *reader, struct read_implementation *one) {
    if (!one->in_ulps) {
        if (json_has(one->json, "max_ulp"))
            json_fail(reader, "max_ulp", "is there, though judged_in_ulps is 0");
        return;
    }
    one->max = json_object(reader, one->json, "max_ulp");
    size_t mark = json_enter(reader, "max_ulp", -1);
    one->max_ulp = json_size(reader, one->max, "error");
    check_input(reader, one->max);
    json_string(reader, one->max, "got");
    json_string(reader, one->max, "want");
    json_leave(reader, mark);
    one->mean_ulp = json_size(reader, one->json, "mean_ulp");
    /* The largest error is exact; the mean is of errors that the fast oracle knows to 2^-21 ulp. */
    if (one->mean_ulp > one->max_ulp + 0x1p-20)
        json_fail(reader, "mean_ulp", "is more than the error of max_ulp");
    if (one->over_1_ulp && one->max_ulp <= 1)
        json_fail(reader, "over_1_ulp", "is not 0, though the error of max_ulp is not over 1");
}

static void read_rows(struct json_reader *reader, const cJSON *json, const char *name) {
    const cJSON *row, *array = json_array(reader, json, name);
    int at = 0;
    cJSON_ArrayForEach(row, array) {
        size_t mark = json_enter(reader, name, at++);
        check_input(reader, row);
        json_leave(reader, mark);
    }
}

/* EVENT_KINDS where the row names none that is known here. */
static int event_kind_of(const cJSON *row) {
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(row, "kind");
    int at = 0;
    while (at < EVENT_KINDS &&
           !(cJSON_IsString(kind) && strcmp(kind->valuestring, event_names[at]) == 0))
        at++;
    return at;
}

static void read_events(struct json_reader *reader, struct read_implementation *one) {
    read_rows(reader, one->json, "events");
    const cJSON *row, *count, *counts = json_object(reader, one->json, "event_counts");
    size_t mark = json_enter(reader, "event_counts", -1);
    uint64_t told[EVENT_KINDS] = {0};
    cJSON_ArrayForEach(count, counts) one->events += json_item_count(reader, count);
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(one->json, "events")) {
        int kind = event_kind_of(row);
        if (kind == EVENT_KINDS) /* of a later version: without a name here */
            continue;
        if (++told[kind] > (json_has(counts, event_names[kind])
                                ? json_count(reader, counts, event_names[kind])
                                : 0))
            json_fail(reader, event_names[kind], "is less than there are of them in events");
    }
    json_leave(reader, mark);
}

const char *const read_fault_names[READ_FAULTS] = {"missing", "spurious", "cleared"};

/* "flags" or "errno", which are there where they were asked for. */
static void read_effects(struct json_reader *reader, const cJSON *implementation, const char *name,
                         struct read_effects *effects) {
    if (!json_has(implementation, name))
        return;
    const cJSON *row, *object = json_object(reader, implementation, name);
    size_t mark = json_enter(reader, name, -1);
    effects->told = json_bool(reader, object, "told");
    const cJSON *faults = effects->told ? json_array(reader, object, "faults") : NULL;
    int at = 0;
    cJSON_ArrayForEach(row, faults) {
        size_t inner = json_enter(reader, "faults", at++);
        const char *fault = json_string(reader, row, "fault");
        uint64_t count = json_count(reader, row, "count");
        for (int i = 0; i < READ_FAULTS; i++) /* one of a later version has no name here */
            if (strcmp(fault, read_fault_names[i]) == 0)
                effects->faults[i] += count;
        json_leave(reader, inner);
    }
    json_leave(reader, mark);
}

static void read_counts(struct json_reader *reader, struct read_implementation *one) {
    const struct {
        const char *name;
        uint64_t *count;
    } rows[] = {{"tested", &one->tested},
                {"correctly_rounded", &one->correct},
                {"incorrectly_rounded", &one->incorrect},
                {"faithful", &one->faithful},
                {"judged_in_ulps", &one->in_ulps},
                {"over_1_ulp", &one->over_1_ulp},
                {"nan_mismatches", &one->nan_mismatches},
                {"nan_bits_differ", &one->nan_bits_differ},
                {"sign_mismatches", &one->sign_mismatches}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i].count = json_count(reader, one->json, rows[i].name);
    if (json_has(one->json, "unanswered")) /* the first reports had none */
        one->unanswered = json_count(reader, one->json, "unanswered");
    if (json_has(one->json, "not_called")) /* of operations with integers alone */
        one->not_called = json_count(reader, one->json, "not_called");
    one->tells_signalling = json_has(one->json, "signalling_nans"); /* likewise; nor have arrays */
    if (one->tells_signalling)
        one->signalling_nans = json_count(reader, one->json, "signalling_nans");
    one->tells_ends = json_has(one->json, "saturated");
    if (one->tells_ends) {
        one->saturated = json_count(reader, one->json, "saturated");
        one->vanished = json_count(reader, one->json, "vanished");
    }
    if (one->tested != one->correct + one->incorrect + one->nan_mismatches)
        json_fail(reader, "tested",
                  "is not the sum of correctly_rounded, incorrectly_rounded and "
                  "nan_mismatches");
    const struct {
        const char *name, *says;
        uint64_t part, whole;
    } parts[] = {{"judged_in_ulps", "is more than tested", one->in_ulps, one->tested},
                 {"faithful", "is more than tested", one->faithful, one->tested},
                 {"over_1_ulp", "is more than judged_in_ulps", one->over_1_ulp, one->in_ulps},
                 {"nan_bits_differ", "is more than tested", one->nan_bits_differ, one->tested},
                 {"signalling_nans", "is more than tested", one->signalling_nans, one->tested},
                 {"saturated", "is more than tested", one->saturated, one->tested},
                 {"vanished", "is more than tested", one->vanished, one->tested},
                 {"sign_mismatches", "is more than incorrectly_rounded", one->sign_mismatches,
                  one->incorrect}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].part > parts[i].whole)
            json_fail(reader, parts[i].name, parts[i].says);
}

/* "value", which operations have whose results stand for numbers in units of their own. */
static void read_value(struct json_reader *reader, struct read_implementation *one) {
    if (!json_has(one->json, "value"))
        return;
    const cJSON *json = json_object(reader, one->json, "value");
    size_t mark = json_enter(reader, "value", -1);
    uint64_t exact = 0;
    const struct {
        const char *name;
        uint64_t *count;
    } rows[] = {{"exact", &exact},
                {"clipped", &one->value.clipped},
                {"overflowed", &one->value.overflowed},
                {"lost_bits", &one->value.lost_bits}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i].count = json_count(reader, json, rows[i].name);
        if (*rows[i].count > one->tested)
            json_fail(reader, rows[i].name, "is more than tested");
    }
    one->value.told = true;
    one->value.mean_error = json_size(reader, json, "mean");
    if (json_has(json, "max")) {
        const cJSON *max = json_object(reader, json, "max");
        size_t inner = json_enter(reader, "max", -1);
        one->value.max_error = json_size(reader, max, "error");
        check_input(reader, max);
        json_leave(reader, inner);
    }
    if (exact < one->tested && !(one->value.max_error > 0))
        json_fail(reader, "exact", "is less than tested, though the error of max is not above 0");
    json_leave(reader, mark);
}

/* "promise", where outputs were held against one. */
static void read_promise(struct json_reader *reader, struct read_implementation *one) {
    static const char *const counts[] = {"kept", "accepted", "left_out", "violations"};
    if (!json_has(one->json, "promise"))
        return;
    const cJSON *json = json_object(reader, one->json, "promise");
    size_t mark = json_enter(reader, "promise", -1);
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        sum += json_count(reader, json, counts[i]);
    if (sum != one->tested)
        json_fail(reader, NULL, "has counts that do not add up to those tested");
    one->tells_promise = true;
    one->violations = json_count(reader, json, "violations");
    one->held = one->tested - json_count(reader, json, "left_out");
    if (json_has(json, "worst")) {
        size_t inner = json_enter(reader, "worst", -1);
        check_input(reader, json_object(reader, json, "worst"));
        json_leave(reader, inner);
    }
    json_leave(reader, mark);
}

const char *read_fingerprint(struct json_reader *reader, const cJSON *json) {
    const char *text = json_string(reader, json, "fingerprint");
    if (!fingerprint_is_text(text))
        json_fail(reader, "fingerprint", "should be \"xxh3-128:\" and 32 hexadecimal digits");
    return text;
}

void read_implementation(struct json_reader *reader, const cJSON *json,
                         struct read_implementation *one) {
    one->json = json;
    one->name = json_string(reader, json, "name");
    one->detail = json_string(reader, json, "detail");
    one->build = json_has(json, "build") ? json_string(reader, json, "build") : "";
    one->provided = json_bool(reader, json, "provided");
    one->reason = "";
    if (!one->provided) {
        one->reason = json_string(reader, json, "reason");
        return;
    }
    if (json_has(json, "invariance")) {
        read_events(reader, one);
        invariance_read(reader, json, one);
        return;
    }
    if (json_has(json, "explanation")) {
        explanation_read(reader, json, one);
        if (json_has(json, "fingerprint"))
            one->fingerprint = read_fingerprint(reader, json);
        return;
    }
    read_counts(reader, one);
    read_max(reader, one);
    read_value(reader, one);
    read_promise(reader, one);
    read_histogram(reader, json, one->in_ulps);
    read_binades(reader, one);
    envelope_read(reader, json);
    read_rows(reader, json, "worst");
    read_rows(reader, json, "first_mismatches");
    read_events(reader, one);
    read_effects(reader, json, "flags", &one->flags);
    read_effects(reader, json, "errno", &one->errnos);
    if (json_has(json, "fingerprint"))
        one->fingerprint = read_fingerprint(reader, json);
}
