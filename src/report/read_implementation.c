/* An implementation's part of a report, from JSON to a structure, checked. */
#include "report/read_implementation.h"

#include "report/explanation_read.h"
#include "report/invariance_read.h"

#include "impl/implementation.h"
#include "sweep/fingerprint.h"
#include "sweep/tally_record.h"

#include <stdlib.h>

/* How many events there are, of kinds of a later version too. */
static uint64_t count_events(const cJSON *json) {
    const cJSON *count;
    uint64_t events = 0;
    cJSON_ArrayForEach(count, json_get(json, "event_counts")) events +=
        (uint64_t)count->valuedouble;
    return events;
}

/* The tally by its rows, and figures that follow from it. */
static void read_tally(struct json_reader *reader, struct read_implementation *one) {
    const struct record_wire wire = {0};
    const cJSON *value = json_get(one->json, "value");
    struct tally *tally = &one->tally;
    record_read(reader, one->json, &tally_record, tally, NULL, &wire);
    if (reader->failed)
        return;
    one->max = tally->has_max ? json_get(one->json, "max_ulp") : NULL;
    one->max_ulp = tally->max.error;
    one->mean_ulp = tally->in_ulps ? json_size(reader, one->json, "mean_ulp") : 0;
    one->held = tally->tells & TELLS_PROMISE ? tally->tested - tally->promise.left_out : 0;
    one->events = count_events(one->json);
    if (tally->tells & TELLS_VALUE)
        one->mean_value_error = json_size(reader, value, "mean");
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
        const struct record_wire wire = {0};
        struct tally tally = {0};
        record_read(reader, json, &tally_events_record, &tally, NULL, &wire);
        one->events = reader->failed ? 0 : count_events(json);
        invariance_read(reader, json, one);
        return;
    }
    if (json_has(json, "explanation")) {
        explanation_read(reader, json, one);
        if (json_has(json, "fingerprint"))
            one->fingerprint = read_fingerprint(reader, json);
        return;
    }
    read_tally(reader, one);
    effects_read(reader, json, &one->effects);
    const struct record_wire wire = {0};
    record_read(reader, json, &digests_record, &one->digests, NULL, &wire);
    if (json_has(json, "fingerprint"))
        one->fingerprint = read_fingerprint(reader, json);
}

void read_implementation_free(struct read_implementation *one) {
    invariance_read_free(one);
    record_free(&digests_record, &one->digests);
    free(one->explanation.hypotheses);
}
