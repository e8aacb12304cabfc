/* Computing again, one operation or all that differ. */
#include "trace/replay.h"

#include "trace/causes.h"
#include "trace/part.h"

#include <stdlib.h>
#include <string.h>

/* What IEEE 754 rounds once, so that each processor has it: det and cr have it, too, without a line of their own. */
static bool is_basic(const struct trace_call *call, const struct implementation *implementation) {
    static const char *const names[] = {"add", "sub", "mul", "div", "sqrt", "fma", "cast"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found = found || strcmp(call->operation->name, names[i]) == 0;
    return found &&
           (strcmp(implementation->name, "det") == 0 || strcmp(implementation->name, "cr") == 0);
}

static bool round_once(const struct trace_call *call, void *results, struct error *why) {
    struct real *y = malloc((size_t)call->results * sizeof *y + 1);
    const bool good = y ? trace_call_exact(call, y, why) : error_set(why, "out of memory");
    for (size_t i = 0; good && i < call->results; i++)
        code_store(results, format_bytes(call->result), i,
                   format_encode(call->result, &y[i], ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    free(y);
    return good;
}

/* The results of a recorded operation, for free(); NULL with the reason. */
static void *compute(struct trace_call *call, const struct trace *trace,
                     const struct trace_operation *operation,
                     const struct implementation *implementation, struct error *why) {
    void *results = NULL;
    bool good = trace_call_open(call, trace, operation, why);
    if (good) {
        results = calloc((size_t)(call->calls * call->results) + 1, format_bytes(call->result));
        good = !results ? error_set(why, "out of memory")
               : is_basic(call, implementation)
                   ? round_once(call, results, why)
                   : trace_call_run(call, implementation, results, why);
    }
    if (good)
        return results;
    free(results);
    return NULL;
}

bool trace_replay(const struct trace *trace, const struct trace_operation *operation,
                  const struct implementation *implementation, struct trace_replayed *replayed,
                  struct error *error) {
    struct trace_call call;
    struct trace_codes recorded = {NULL, NULL, 0, false};
    *replayed = (struct trace_replayed){0};
    void *results = compute(&call, trace, operation, implementation, &replayed->why);
    bool good = true;
    if (results) {
        replayed->operation = call.operation->name;
        replayed->outputs = call.calls * call.results;
        replayed->is_held = operation->outputs[0].kept_in >= 0;
    }
    if (replayed->is_held)
        good = trace_codes_load(&recorded, trace, &operation->outputs[0], error);
    for (size_t i = 0; good && replayed->is_held && i < replayed->outputs; i++) {
        const size_t bytes = format_bytes(call.result);
        replayed->differ += !trace_same_code(call.result, code_load(results, bytes, i),
                                             code_load(recorded.codes, bytes, i));
    }
    free(results);
    free(recorded.codes);
    trace_call_close(&call);
    return good;
}

/* ---- All ---- */

/* What is found of both sides' outputs. */
struct both {
    bool same;  /* bits */
    bool alike; /* both sides ask for the same of their inputs */
};

/* Whether both sides' outputs can be had by the implementation. */
static bool replay_both(const struct trace *const traces[2], const struct trace_row *row,
                        const struct implementation *implementation, struct both *both,
                        struct error *why) {
    const uint64_t numbers[2] = {row->here, row->there};
    struct trace_call calls[2];
    void *results[2] = {NULL, NULL};
    for (int side = 0; side < 2; side++)
        results[side] = compute(&calls[side], traces[side],
                                &traces[side]->operations[numbers[side]], implementation, why);
    const bool good = results[0] && results[1];
    both->alike = good && trace_same_function(&calls[0], &calls[1]) &&
                  (*row->name_there || trace_same_attributes(&traces[0]->operations[row->here],
                                                             &traces[1]->operations[row->there]));
    both->same = good && calls[0].calls * calls[0].results == calls[1].calls * calls[1].results;
    const size_t size =
        good ? (size_t)(calls[0].calls * calls[0].results) * format_bytes(calls[0].result) : 0;
    both->same = both->same && memcmp(results[0], results[1], size) == 0;
    for (int side = 0; side < 2; side++) {
        free(results[side]);
        trace_call_close(&calls[side]);
    }
    return good;
}

static enum trace_share share_of(const struct trace *const traces[2], const struct trace_row *row,
                                 const struct implementation *implementation, bool *broken,
                                 struct error *why) {
    const bool is_pair = row->here_count == 1 && row->there_count == 1;
    const struct trace_name *name =
        is_pair ? trace_name_find(traces[0], &traces[0]->operations[row->here]) : NULL;
    struct both both;
    *broken = false;
    if (row->verdict == TRACE_OTHER_INPUTS) { /* no implementation makes these the same */
        error_set(why, "an input differs that no recorded operation gave: %s", row->input);
        return TRACE_SHARE_OPEN;
    }
    if (name && name->how == TRACE_EXACT && row->verdict != TRACE_PARTED)
        return TRACE_SHARE_EXACT;
    if (!is_pair)
        error_set(why, "it has no partner, or several");
    else if (replay_both(traces, row, implementation, &both, why)) {
        const bool of_equal = row->verdict == TRACE_EQUAL || row->verdict == TRACE_PARTED;
        *broken = both.alike && !both.same && of_equal;
        if (both.alike || (both.same && of_equal))
            return TRACE_SHARE_REPLAYED;
        error_set(why, "%s", *row->attributes ? row->attributes : row->name_there);
        return TRACE_SHARE_OTHER;
    }
    return row->verdict == TRACE_EQUAL    ? TRACE_SHARE_SEEN
           : row->verdict == TRACE_PARTED ? TRACE_SHARE_PARTED
                                          : TRACE_SHARE_OPEN;
}

bool trace_replay_all(const struct trace *here, const struct trace *there,
                      const struct trace_comparison *comparison,
                      const struct implementation *implementation,
                      const volatile sig_atomic_t *stop, struct trace_shares *shares,
                      struct error *error) {
    const struct trace *const traces[2] = {here, there};
    *shares = (struct trace_shares){0};
    for (unsigned i = 0; i < comparison->row_count; i++) {
        struct error why = {{0}};
        bool broken;
        if (stop && *stop)
            return error_set(error, "interrupted; not all operations were computed again");
        const enum trace_share share =
            share_of(traces, &comparison->rows[i], implementation, &broken, &why);
        if (!shares->first[share]) {
            shares->first[share] = &comparison->rows[i];
            shares->why[share] = why;
        }
        shares->counts[share]++;
        shares->broken += broken;
    }
    return true;
}
