/* A list of all outputs, sorted by their bits and then by their order in the run. */
#include "trace/origins.h"

#include "trace/names.h"

#include <stdlib.h>

static int compare_origins(const void *a, const void *b) {
    const struct trace_origin *x = a, *y = b;
    if (x->digest.high != y->digest.high)
        return x->digest.high < y->digest.high ? -1 : 1;
    if (x->digest.low != y->digest.low)
        return x->digest.low < y->digest.low ? -1 : 1;
    return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

/* The finisher of SplitMix64. */
static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* An operation that has no single partner gives nothing that the other side has, too. */
static uint64_t label(const struct trace_comparison *comparison, size_t row, int side,
                      size_t output) {
    const struct trace_row *one = &comparison->rows[row];
    const bool is_pair = one->here_count == 1 && one->there_count == 1;
    return mix((uint64_t)row * 3 + (is_pair ? 0 : 1 + (uint64_t)side) + 1) ^
           mix(mix((uint64_t)output + 1));
}

static void add_outputs(struct trace_origins *origins, const struct trace *trace, size_t number,
                        int side, const struct trace_comparison *comparison, size_t row) {
    const struct trace_operation *operation = &trace->operations[number];
    const struct trace_name *name = trace_name_find(trace, operation);
    if (name && name->how == TRACE_UNINITIALISED) /* who reads that reads from outside */
        return;
    for (size_t k = 0; k < operation->output_count; k++)
        if (operation->outputs[k].has_digest)
            origins->given[origins->count++] =
                (struct trace_origin){.digest = operation->outputs[k].digest,
                                      .tensor = (size_t)(&operation->outputs[k] - trace->tensors),
                                      .row = row,
                                      .output = k,
                                      .all = mix(label(comparison, row, side, k))};
}

bool trace_origins_open(struct trace_origins *origins, const struct trace *trace, int side,
                        const struct trace_comparison *comparison) {
    size_t outputs = 0;
    for (size_t i = 0; i < trace->count; i++)
        outputs += trace->operations[i].output_count;
    *origins = (struct trace_origins){calloc(outputs + 1, sizeof *origins->given), 0};
    bool *is_listed = calloc(trace->count + 1, sizeof *is_listed);
    if (!origins->given || !is_listed) {
        free(is_listed);
        return false;
    }
    for (size_t row = 0; row < comparison->row_count; row++) {
        const struct trace_row *one = &comparison->rows[row];
        for (uint64_t i = 0; i < (side ? one->there_count : one->here_count); i++)
            if (!is_listed[one->members[side][i]]) { /* a light one may be in several groups */
                is_listed[one->members[side][i]] = true;
                add_outputs(origins, trace, one->members[side][i], side, comparison, row);
            }
    }
    free(is_listed);
    qsort(origins->given, origins->count, sizeof *origins->given, compare_origins);
    for (size_t i = 1; i < origins->count; i++)
        if (trace_same_digest(&origins->given[i - 1].digest, &origins->given[i].digest))
            origins->given[i].all += origins->given[i - 1].all;
    return true;
}

const struct trace_origin *trace_origin_of(const struct trace_origins *origins,
                                           const struct trace *trace,
                                           const struct trace_tensor *input) {
    const struct trace_origin sought = {.digest = input->digest,
                                        .tensor = (size_t)(input - trace->tensors)};
    size_t low = 0, high = origins->count; /* those below `low` lie before it */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_origins(&origins->given[middle], &sought) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low && trace_same_digest(&origins->given[low - 1].digest, &input->digest)
               ? &origins->given[low - 1]
               : NULL;
}
