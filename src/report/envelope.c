/* Adding the steps of two reports. */
#include "report/envelope.h"

#include "report/items.h"
#include "report/merge_rows.h"
#include "sweep/tally_record.h"

#include <math.h>
#include <stdlib.h>

static cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Steps of two reports, coarser where the inputs of both together want that. That they are sound, the
 * reader has seen (envelope_read.h). */
static int log2_of(const cJSON *item) {
    return (int)merge_number(item, "log2_codes");
}

/* A run of steps, from one to another. */
struct span_of_steps {
    uint64_t from, to;
};

static int by_first(const void *a, const void *b) {
    const struct span_of_steps *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* The runs of an envelope in steps of 2^log2 codes, behind those that there are. */
static size_t take_runs(const cJSON *item, int log2, struct span_of_steps *spans, size_t count,
                        size_t most) {
    int mine = log2_of(item);
    const cJSON *run;
    cJSON_ArrayForEach(run, get(item, "runs")) {
        uint64_t first = report_code_of(cJSON_GetArrayItem(run, 0)) >> mine;
        const cJSON *steps = cJSON_GetArrayItem(run, 1);
        double length = cJSON_IsNumber(steps) ? steps->valuedouble : 0;
        if (count < most)
            spans[count++] = (struct span_of_steps){
                first >> (log2 - mine), (first + (uint64_t)length - 1) >> (log2 - mine)};
    }
    return count;
}

static bool open_both(struct envelope *envelope, const cJSON *a, const cJSON *b) {
    struct span_of_steps spans[2 * ENVELOPE_RUNS];
    size_t count = take_runs(a, envelope->log2_codes, spans, 0, ENVELOPE_RUNS);
    count = take_runs(b, envelope->log2_codes, spans, count, count + ENVELOPE_RUNS);
    qsort(spans, count, sizeof *spans, by_first);
    for (size_t i = 0; i < count; i++) {
        struct envelope_run *last =
            envelope->run_count ? &envelope->runs[envelope->run_count - 1] : NULL;
        uint64_t next = last ? last->first_step + (envelope->step_count - last->before) : 0;
        if (last && spans[i].from <= next) {
            if (spans[i].to >= next)
                envelope->step_count += (size_t)(spans[i].to + 1 - next);
            continue;
        }
        if (envelope->run_count == ENVELOPE_RUNS)
            return false;
        envelope->runs[envelope->run_count++] =
            (struct envelope_run){spans[i].from, envelope->step_count};
        envelope->step_count += (size_t)(spans[i].to + 1 - spans[i].from);
    }
    envelope->steps = calloc(envelope->step_count + 1, sizeof *envelope->steps);
    return envelope->steps != NULL;
}

/* The items of the arrays at one step. */
struct row {
    const cJSON *tested, *least, *largest, *incorrect, *worst;
};

static struct row first_row(const cJSON *item) {
    const cJSON *tested = get(item, "tested");
    return (struct row){tested ? tested->child : NULL, get(item, "least")->child,
                        get(item, "largest")->child, get(item, "incorrect")->child,
                        get(item, "worst")->child};
}

static struct row next_row(struct row row) {
    return (struct row){row.tested ? row.tested->next : NULL, row.least->next, row.largest->next,
                        row.incorrect->next, row.worst->next};
}

static double value_of(const cJSON *number) {
    return cJSON_IsNumber(number) ? number->valuedouble : 0;
}

static void add_row(struct envelope *envelope, uint64_t code, struct row row) {
    struct envelope_step *step = envelope_step_of(envelope, code);
    step->tested += row.tested ? (uint64_t)value_of(row.tested) : 0;
    step->incorrect += (uint64_t)value_of(row.incorrect);
    if (!cJSON_IsNumber(row.least) || !cJSON_IsNumber(row.largest))
        return;
    struct envelope_step other = {.has_error = true,
                                  .least = row.least->valuedouble * ENVELOPE_UNIT,
                                  .largest = row.largest->valuedouble * ENVELOPE_UNIT,
                                  .worst = report_code_of(row.worst)};
    envelope_step_merge(step, &other);
}

static void add_steps(struct envelope *envelope, const cJSON *item) {
    int log2 = log2_of(item);
    struct row row = first_row(item);
    const cJSON *run;
    cJSON_ArrayForEach(run, get(item, "runs")) {
        uint64_t first = report_code_of(cJSON_GetArrayItem(run, 0));
        uint64_t steps = (uint64_t)value_of(cJSON_GetArrayItem(run, 1));
        for (uint64_t i = 0; i < steps; i++, row = next_row(row))
            add_row(envelope, first + (i << log2), row);
    }
}

static int wanted_log2(const cJSON *mine, const cJSON *other, const cJSON *inputs) {
    int a = log2_of(mine), b = log2_of(other), log2 = a > b ? a : b;
    double count = merge_number(inputs, "count");
    if (get(inputs, "shard")) /* of one whole */
        return a == b ? a : -1;
    int wanted = envelope_log2_codes(count < 0x1p63 ? (uint64_t)count : (uint64_t)1 << 63);
    return wanted > log2 ? wanted : log2;
}

bool merge_envelope(cJSON *into, const cJSON *shard, const cJSON *inputs, const char *format_name,
                    struct error *error) {
    const cJSON *mine = get(into, "envelope"), *other = get(shard, "envelope");
    const struct format *format = format_find(format_name, error);
    if (!mine || !other) {
        cJSON_DeleteItemFromObjectCaseSensitive(into, "envelope");
        return true;
    }
    struct envelope envelope = {.log2_codes = wanted_log2(mine, other, inputs)};
    bool good = format && (envelope.log2_codes >= 0 ||
                           error_set(error, "the steps of \"envelope\" do not go together"));
    if (good && !open_both(&envelope, mine, other)) { /* more runs than a sweep has */
        cJSON_DeleteItemFromObjectCaseSensitive(into, "envelope");
        return true;
    }
    if (good) {
        add_steps(&envelope, mine);
        add_steps(&envelope, other);
        envelope.partly = get(mine, "tested") != NULL;
        record_put(into, "envelope", envelope_item(&envelope, wire_digits(format)));
    }
    envelope_close(&envelope);
    return good;
}
