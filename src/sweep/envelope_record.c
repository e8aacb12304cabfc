/* An envelope in a document: its runs, and an array for each member of a step. */
#include "sweep/tally_record.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LOG2 = 63, MOST_STEPS = 1 << 20 };

static cJSON *number_or_null(bool there, double value) {
    return there ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

static void add_runs(cJSON *object, int digits, const struct envelope *envelope) {
    cJSON *runs = cJSON_AddArrayToObject(object, "runs");
    for (unsigned i = 0; i < envelope->run_count; i++) {
        cJSON *pair = cJSON_CreateArray();
        uint64_t first = envelope->runs[i].first_step << envelope->log2_codes;
        cJSON_AddItemToArray(pair, record_code_item(first, digits));
        cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)envelope_run_steps(envelope, i)));
        cJSON_AddItemToArray(runs, pair);
    }
}

static cJSON *make_item(const struct envelope *envelope, int digits, bool tests) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "log2_codes", envelope->log2_codes);
    add_runs(object, digits, envelope);
    cJSON *tested = tests ? cJSON_AddArrayToObject(object, "tested") : NULL;
    cJSON *least = cJSON_AddArrayToObject(object, "least");
    cJSON *largest = cJSON_AddArrayToObject(object, "largest");
    cJSON *incorrect = cJSON_AddArrayToObject(object, "incorrect");
    cJSON *worst = cJSON_AddArrayToObject(object, "worst");
    for (size_t i = 0; i < envelope->step_count; i++) {
        const struct envelope_step *step = &envelope->steps[i];
        if (tested)
            cJSON_AddItemToArray(tested, cJSON_CreateNumber((double)step->tested));
        cJSON_AddItemToArray(least, number_or_null(step->has_error, step->least / ENVELOPE_UNIT));
        cJSON_AddItemToArray(largest,
                             number_or_null(step->has_error, step->largest / ENVELOPE_UNIT));
        cJSON_AddItemToArray(incorrect, cJSON_CreateNumber((double)step->incorrect));
        cJSON_AddItemToArray(worst, step->has_error ? record_code_item(step->worst, digits)
                                                    : cJSON_CreateNull());
    }
    return object;
}

cJSON *envelope_item(const struct envelope *envelope, int digits) {
    return make_item(envelope, digits, envelope->partly);
}

static void write_envelope(const struct record_out *out) {
    const struct envelope *envelope = record_from(out);
    if (envelope->steps) /* else what stands there stays */
        record_add(out, make_item(envelope, out->wire->widths.input_digits,
                                  envelope->partly || out->wire->is_checkpoint));
}

static bool is_code(const cJSON *item) {
    uint64_t code;
    int digits;
    return record_code_of(item, &code, &digits);
}

static uint64_t code_of(const cJSON *item) {
    uint64_t code = 0;
    int digits;
    return record_code_of(item, &code, &digits) ? code : 0;
}

/* The steps of all runs: ascending, apart, and codes all of them. 0 where they are not. */
static size_t count_steps(struct json_reader *reader, const cJSON *json, int log2) {
    const cJSON *run, *runs = json_array(reader, json, "runs");
    uint64_t next = 0;
    size_t count = 0;
    int at = 0;
    bool good = cJSON_GetArraySize(runs) <= ENVELOPE_RUNS;
    cJSON_ArrayForEach(run, runs) {
        const cJSON *first = cJSON_GetArrayItem(run, 0), *length = cJSON_GetArrayItem(run, 1);
        bool pair = cJSON_GetArraySize(run) == 2 && is_code(first) && cJSON_IsNumber(length) &&
                    length->valuedouble >= 1 && length->valuedouble <= MOST_STEPS;
        uint64_t step = code_of(first) >> log2, steps = pair ? (uint64_t)length->valuedouble : 0;
        good =
            good && pair && (at++ == 0 || step >= next) && steps - 1 <= (UINT64_MAX >> log2) - step;
        next = step + steps;
        count += (size_t)steps;
    }
    if (!good || !count)
        json_fail(reader, "runs",
                  "should be up to 4 pairs of a first code and a number of steps, ascending");
    return good ? count : 0;
}

/* Where steps are kept: that the document has the same ones. */
static void check_runs(struct json_reader *reader, const cJSON *json,
                       const struct envelope *envelope, int log2, size_t count) {
    const cJSON *run = json_array(reader, json, "runs");
    bool same = log2 == envelope->log2_codes && count == envelope->step_count &&
                (unsigned)cJSON_GetArraySize(run) == envelope->run_count;
    run = run ? run->child : NULL;
    for (unsigned i = 0; same && i < envelope->run_count; i++, run = run->next)
        same = code_of(cJSON_GetArrayItem(run, 0)) >> log2 == envelope->runs[i].first_step &&
               (uint64_t)cJSON_GetArrayItem(run, 1)->valuedouble == envelope_run_steps(envelope, i);
    if (!same)
        json_fail(reader, "runs", "are not those of the run's inputs");
}

static const cJSON *first_of(struct json_reader *reader, const cJSON *json, const char *name,
                             size_t count) {
    const cJSON *array = json_array(reader, json, name);
    if ((size_t)cJSON_GetArraySize(array) != count)
        json_fail(reader, name, "should have as many values as the runs have steps");
    return array ? array->child : NULL;
}

/* Each step has all three, or none. */
static void read_errors(struct json_reader *reader, const cJSON *json, size_t count,
                        struct envelope_step *steps) {
    const cJSON *least = first_of(reader, json, "least", count);
    const cJSON *largest = first_of(reader, json, "largest", count);
    const cJSON *worst = first_of(reader, json, "worst", count);
    for (; least && largest && worst && !reader->failed;
         least = least->next, largest = largest->next, worst = worst->next) {
        bool none = cJSON_IsNull(least) && cJSON_IsNull(largest) && cJSON_IsNull(worst);
        bool all = cJSON_IsNumber(least) && cJSON_IsNumber(largest) && is_code(worst) &&
                   least->valuedouble <= largest->valuedouble;
        if (!none && !all)
            json_fail(reader, "least",
                      "should be a number that is no more than \"largest\" has "
                      "there, beside a code in \"worst\"; or all are null");
        else if (steps && all)
            *steps = (struct envelope_step){.has_error = true,
                                            .least = least->valuedouble * ENVELOPE_UNIT,
                                            .largest = largest->valuedouble * ENVELOPE_UNIT,
                                            .worst = code_of(worst)};
        if (steps)
            steps++;
    }
}

static void read_counts(struct json_reader *reader, const cJSON *json, const char *name,
                        size_t count, struct envelope_step *steps, size_t offset) {
    const cJSON *one = first_of(reader, json, name, count);
    for (; one && !reader->failed; one = one->next) {
        uint64_t number = json_item_count(reader, one);
        if (steps)
            memcpy((char *)steps++ + offset, &number, sizeof number);
    }
}

static void read_steps(struct json_reader *reader, const cJSON *json, struct envelope *envelope,
                       bool kept) {
    const cJSON *log2 = json_get(json, "log2_codes");
    if (!cJSON_IsNumber(log2) || !(log2->valuedouble >= 0 && log2->valuedouble <= MOST_LOG2)) {
        json_fail(reader, "log2_codes", "should be a number from 0 to 63");
        return;
    }
    size_t count = count_steps(reader, json, (int)log2->valuedouble);
    if (count && envelope->steps)
        check_runs(reader, json, envelope, (int)log2->valuedouble, count);
    if (!count || reader->failed)
        return;
    read_errors(reader, json, count, envelope->steps);
    read_counts(reader, json, "incorrect", count, envelope->steps,
                offsetof(struct envelope_step, incorrect));
    if (kept || json_get(json, "tested"))
        read_counts(reader, json, "tested", count, envelope->steps,
                    offsetof(struct envelope_step, tested));
    for (size_t i = 0; kept && i < envelope->step_count; i++)
        if (envelope->steps[i].incorrect > envelope->steps[i].tested)
            json_fail(reader, "incorrect", "is more than tested");
}

bool envelope_take(const cJSON *item, struct envelope *envelope) {
    struct error unused;
    struct json_reader reader = {.file = "envelope", .error = &unused};
    const cJSON *run;
    *envelope = (struct envelope){.partly = json_has(item, "tested"),
                                  .log2_codes = (int)json_count(&reader, item, "log2_codes")};
    cJSON_ArrayForEach(run, json_array(&reader, item, "runs")) {
        uint64_t first = code_of(cJSON_GetArrayItem(run, 0)) >> envelope->log2_codes;
        if (envelope->run_count == ENVELOPE_RUNS)
            return false;
        envelope->runs[envelope->run_count++] = (struct envelope_run){first, envelope->step_count};
        envelope->step_count += (size_t)json_item_count(&reader, cJSON_GetArrayItem(run, 1));
    }
    envelope->steps = calloc(envelope->step_count + 1, sizeof *envelope->steps);
    if (envelope->steps)
        read_steps(&reader, item, envelope, false);
    return envelope->steps && !reader.failed;
}

static void read_envelope(const struct record_in *in) {
    const cJSON *json = json_object(in->reader, in->object, in->member->name);
    size_t mark = json_enter(in->reader, in->member->name, -1);
    read_steps(in->reader, json, record_into(in), in->wire->is_checkpoint);
    json_leave(in->reader, mark);
}

static void merge_envelope(const struct record_member *member, void *mine, const void *theirs) {
    envelope_merge((void *)((char *)mine + member->offset),
                   (const void *)((const char *)theirs + member->offset));
}

const struct record_kind envelope_kind = {
    .write = write_envelope, .read = read_envelope, .merge = merge_envelope};
