/* Adding the steps of two reports. */
#include "report/envelope.h"

#include "sweep/tally_record.h"
#include "sweep/wire.h"

#include <stdlib.h>

/* A run of steps, from one to another. */
struct span_of_steps {
    uint64_t from, to;
};

static int by_first(const void *a, const void *b) {
    const struct span_of_steps *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* The runs of an envelope in steps of 2^log2 codes, behind those that there are. */
static size_t take_runs(const struct envelope *envelope, int log2, struct span_of_steps *spans,
                        size_t count) {
    int coarser = log2 - envelope->log2_codes;
    for (unsigned i = 0; i < envelope->run_count; i++) {
        uint64_t first = envelope->runs[i].first_step;
        uint64_t last = first + envelope_run_steps(envelope, i) - 1;
        spans[count++] = (struct span_of_steps){first >> coarser, last >> coarser};
    }
    return count;
}

/* Opens one that has the steps of both. False where it has more runs than a sweep has, or for memory. */
static bool open_both(struct envelope *envelope, const struct envelope *a,
                      const struct envelope *b) {
    struct span_of_steps spans[2 * ENVELOPE_RUNS];
    size_t count = take_runs(a, envelope->log2_codes, spans, 0);
    count = take_runs(b, envelope->log2_codes, spans, count);
    qsort(spans, count, sizeof *spans, by_first);
    for (size_t i = 0; i < count; i++) {
        unsigned last = envelope->run_count - 1; /* unless there is none */
        uint64_t next = envelope->run_count
                            ? envelope->runs[last].first_step + envelope_run_steps(envelope, last)
                            : 0;
        if (envelope->run_count && spans[i].from <= next) {
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

static void add_steps(struct envelope *into, const struct envelope *one) {
    for (unsigned run = 0; run < one->run_count; run++)
        for (uint64_t i = 0; i < envelope_run_steps(one, run); i++) {
            uint64_t code = (one->runs[run].first_step + i) << one->log2_codes;
            envelope_step_merge(envelope_step_of(into, code),
                                &one->steps[one->runs[run].before + i]);
        }
}

/* Coarser where the inputs of both together want that; below 0 where shards of one whole differ. */
static int wanted_log2(int a, int b, const struct inputs_facts *inputs) {
    int log2 = a > b ? a : b;
    if (inputs->tells & INPUTS_SHARD)
        return a == b ? a : -1;
    int wanted = envelope_log2_codes(inputs->count);
    return wanted > log2 ? wanted : log2;
}

/* Puts what both have in the place of the first, or nothing where that has too many runs. */
static bool join(cJSON *into, const struct envelope *mine, const struct envelope *other, int log2,
                 const struct format *format) {
    struct envelope both = {.log2_codes = log2, .partly = mine->partly};
    if (open_both(&both, mine, other)) {
        add_steps(&both, mine);
        add_steps(&both, other);
        record_put(into, "envelope", envelope_item(&both, wire_digits(format)));
    } else
        cJSON_DeleteItemFromObjectCaseSensitive(into, "envelope");
    envelope_close(&both);
    return true;
}

bool merge_envelope(cJSON *into, const cJSON *shard, const struct inputs_facts *inputs,
                    const char *format_name, struct error *error) {
    const struct format *format = format_find(format_name, error);
    if (!json_get(into, "envelope") || !json_get(shard, "envelope")) {
        cJSON_DeleteItemFromObjectCaseSensitive(into, "envelope");
        return true;
    }
    struct envelope mine = {0}, other = {0};
    bool good = (envelope_take(json_get(into, "envelope"), &mine) &&
                 envelope_take(json_get(shard, "envelope"), &other)) ||
                error_set(error, "out of memory");
    int log2 = wanted_log2(mine.log2_codes, other.log2_codes, inputs);
    good = good && format &&
           (log2 >= 0 || error_set(error, "the steps of \"envelope\" do not go together")) &&
           join(into, &mine, &other, log2, format);
    envelope_close(&mine);
    envelope_close(&other);
    return good;
}
