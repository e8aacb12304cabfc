/* Computing again, one operation or all that differ. */
#include "trace/replay.h"

#include "trace/causes.h"
#include "trace/origins.h"
#include "trace/part.h"

#include <inttypes.h>
#include <stdio.h>
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
    const bool good = y ? trace_call_exact(call, NULL, y, why) : error_set(why, "out of memory");
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

static bool is_intact(const struct trace *trace, const struct trace_operation *operation,
                      struct error *error) {
    return trace_tensors_intact(trace, operation->inputs, operation->input_count, error) &&
           trace_tensors_intact(trace, operation->outputs, operation->output_count, error);
}

bool trace_replay(const struct trace *trace, const struct trace_operation *operation,
                  const struct implementation *implementation, struct trace_replayed *replayed,
                  struct error *error) {
    struct trace_call call;
    struct trace_codes recorded = {NULL, NULL, 0, false};
    *replayed = (struct trace_replayed){0};
    if (!is_intact(trace, operation, error))
        return false;
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

struct replay_of_all {
    const struct trace *traces[2];
    const struct trace_comparison *comparison;
    const struct implementation *implementation;
    struct trace_origins origins[2];
    unsigned char *shares; /* of each row */
    uint64_t outside, repeated;
};

/* Whether both sides' outputs can be had by the implementation; *same: that they have the same bits. */
static bool replay_both(const struct replay_of_all *all,
                        const struct trace_operation *const operations[2], bool *same,
                        struct error *why) {
    struct trace_call calls[2];
    void *results[2] = {NULL, NULL};
    for (int side = 0; side < 2; side++)
        results[side] =
            compute(&calls[side], all->traces[side], operations[side], all->implementation, why);
    const bool good = results[0] && results[1];
    *same = good && calls[0].calls * calls[0].results == calls[1].calls * calls[1].results;
    const size_t size =
        good ? (size_t)(calls[0].calls * calls[0].results) * format_bytes(calls[0].result) : 0;
    *same = *same && memcmp(results[0], results[1], size) == 0;
    for (int side = 0; side < 2; side++) {
        free(results[side]);
        trace_call_close(&calls[side]);
    }
    return good;
}

static bool same_kind(const struct trace_tensor *a, const struct trace_tensor *b) {
    return strcmp(a->type_name, b->type_name) == 0 && trace_same_shape(a, b);
}

static bool same_bits(const struct trace_tensor *a, const struct trace_tensor *b) {
    return a->has_digest && b->has_digest && trace_same_digest(&a->digest, &b->digest);
}

/* Whether the two are asked for the same. */
static bool same_request(const struct trace_row *row, const struct trace_operation *const pair[2],
                         struct error *why) {
    const struct trace_operation *here = pair[0], *there = pair[1];
    if (!trace_same_name(here, there))
        return error_set(why, "there it is another operation, %.80s", there->name);
    if (*row->attributes)
        return error_set(why, "other attributes: %s", row->attributes);
    if (here->error || there->error)
        return error_set(why, "the recorded call raised an error");
    if (here->input_count != there->input_count || here->output_count != there->output_count)
        return error_set(why, "there it has another number of inputs or outputs");
    for (size_t i = 0; i < here->input_count + here->output_count; i++) {
        const size_t k = i < here->input_count ? i : i - here->input_count;
        const struct trace_tensor *a = k == i ? &here->inputs[k] : &here->outputs[k],
                                  *b = k == i ? &there->inputs[k] : &there->outputs[k];
        char texts[2][TRACE_TENSOR_TEXT];
        if (!same_kind(a, b))
            return error_set(why, "%s %zu is %.80s here, %.80s there", k == i ? "input" : "output",
                             k, trace_tensor_text(a, texts[0]), trace_tensor_text(b, texts[1]));
    }
    return true;
}

/* What input `index` of a pair is, as TRACE_SHARES where nothing is in the way. */
static enum trace_share share_of_input(struct replay_of_all *all,
                                       const struct trace_operation *const pair[2], size_t index,
                                       struct error *why) {
    const struct trace_tensor *inputs[2] = {&pair[0]->inputs[index], &pair[1]->inputs[index]};
    const struct trace_origin *origins[2] = {NULL, NULL};
    char name[96], text[TRACE_TENSOR_TEXT];
    if (trace_is_overwritten(inputs[0]) && trace_is_overwritten(inputs[1]))
        return TRACE_SHARES;
    snprintf(name, sizeof name, "input %zu%s%.60s", index, inputs[0]->name ? ", " : "",
             inputs[0]->name ? inputs[0]->name : "");
    trace_tensor_text(inputs[0], text);
    if (!inputs[0]->has_digest || !inputs[1]->has_digest) {
        const char *reason = inputs[inputs[0]->has_digest ? 1 : 0]->left_out;
        error_set(why, "%s (%.80s) has no digest%s%.60s", name, text, reason ? ": " : "",
                  reason ? reason : "");
        return TRACE_SHARE_ORIGIN;
    }
    for (int side = 0; side < 2; side++)
        origins[side] = trace_origin_of(&all->origins[side], all->traces[side], inputs[side]);
    if (!origins[0] && !origins[1]) {
        if (same_bits(inputs[0], inputs[1])) {
            all->outside++;
            return TRACE_SHARES;
        }
        error_set(why, "%s (%.80s) differs, and no recorded operation returned it", name, text);
        return TRACE_SHARE_OUTSIDE;
    }
    if (!origins[0] || !origins[1] || origins[0]->all != origins[1]->all) {
        error_set(why, "%s (%.80s) comes from different operations in the two traces", name, text);
        return TRACE_SHARE_ORIGIN;
    }
    if (origins[0]->output > 0 && all->shares[origins[0]->row] == TRACE_SHARE_REPLAYED) {
        error_set(why,
                  "%s (%.80s) is output %zu of operation %" PRIu64 ", of which %s has the first",
                  name, text, origins[0]->output, all->comparison->rows[origins[0]->row].here,
                  all->implementation->name);
        return TRACE_SHARE_ORIGIN;
    }
    return TRACE_SHARES;
}

/* Whether all of both sides' tensors have the same bits. */
static bool all_same(const struct trace_tensor *a, const struct trace_tensor *b, size_t count) {
    bool same = true;
    for (size_t i = 0; i < count; i++)
        same = same && ((trace_is_overwritten(&a[i]) && trace_is_overwritten(&b[i])) ||
                        same_bits(&a[i], &b[i]));
    return same;
}

static bool any_other(const struct trace_tensor *a, const struct trace_tensor *b, size_t count) {
    bool other = false;
    for (size_t i = 0; i < count; i++)
        other = other || (a[i].has_digest && b[i].has_digest && !same_bits(&a[i], &b[i]));
    return other;
}

/* A pair that returned different outputs for equal inputs, by an operation of the name; or NULL. */
static const struct trace_row *parted_row(const struct trace_comparison *comparison,
                                          const char *name) {
    for (unsigned i = 0; i < comparison->row_count; i++)
        if (comparison->rows[i].verdict == TRACE_PARTED && !*comparison->rows[i].attributes &&
            strcmp(comparison->rows[i].name, name) == 0)
            return &comparison->rows[i];
    return NULL;
}

/* One that the implementation has not; `why` says why not. */
static enum trace_share share_of_seen(const struct replay_of_all *all, const struct trace_row *row,
                                      const struct trace_operation *const pair[2],
                                      struct error *why) {
    const bool same = all_same(pair[0]->inputs, pair[1]->inputs, pair[0]->input_count) &&
                      all_same(pair[0]->outputs, pair[1]->outputs, pair[0]->output_count);
    const struct trace_row *parted = same ? parted_row(all->comparison, row->name) : NULL;
    if (same && !parted)
        return TRACE_SHARE_SEEN;
    if (parted)
        error_set(why,
                  "operation %" PRIu64 " of that name returned different outputs for equal inputs",
                  parted->here);
    return trace_is_random(all->traces[0], pair[0]) ? TRACE_SHARE_RANDOM
           : row->verdict == TRACE_PARTED           ? TRACE_SHARE_PARTED
                                                    : TRACE_SHARE_OPEN;
}

/* What a pair does, whatever its inputs are. */
static enum trace_share share_of(struct replay_of_all *all, const struct trace_row *row,
                                 struct error *why) {
    if (row->here_count != 1 || row->there_count != 1) {
        error_set(why, row->here_count && row->there_count ? "it stands beside several operations"
                                                           : "it has no partner");
        return TRACE_SHARE_ALONE;
    }
    const struct trace_operation *const pair[2] = {&all->traces[0]->operations[row->here],
                                                   &all->traces[1]->operations[row->there]};
    const struct trace_name *name = trace_name_find(all->traces[0], pair[0]);
    if (!same_request(row, pair, why))
        return TRACE_SHARE_ATTRIBUTES;
    const bool same_inputs = all_same(pair[0]->inputs, pair[1]->inputs, pair[0]->input_count);
    bool same;
    if (name && name->how == TRACE_UNINITIALISED)
        return TRACE_SHARE_EXACT;
    if (name && name->how == TRACE_EXACT && !pair[0]->is_random) {
        if (!same_inputs || !any_other(pair[0]->outputs, pair[1]->outputs, pair[0]->output_count))
            return TRACE_SHARE_EXACT;
        error_set(why, "it returned different outputs for equal inputs");
        return TRACE_SHARE_PARTED;
    }
    if (!replay_both(all, pair, &same, why))
        return share_of_seen(all, row, pair, why);
    if (!same_inputs || same)
        return TRACE_SHARE_REPLAYED;
    error_set(why, "%s returned other bits for the same inputs and attributes the second time",
              all->implementation->name);
    return TRACE_SHARE_BROKEN;
}

/* The same with its inputs, once all->shares has what each pair does. */
static enum trace_share share_with_inputs(struct replay_of_all *all, unsigned number,
                                          struct error *why) {
    const struct trace_row *row = &all->comparison->rows[number];
    enum trace_share share = all->shares[number];
    if (share > TRACE_SHARE_SEEN && share != TRACE_SHARE_OPEN) /* whose inputs say more */
        return share;
    const struct trace_operation *const pair[2] = {&all->traces[0]->operations[row->here],
                                                   &all->traces[1]->operations[row->there]};
    for (size_t i = 0; i < pair[0]->input_count; i++) {
        const enum trace_share one = share_of_input(all, pair, i, why);
        if (one != TRACE_SHARES)
            return one;
    }
    all->repeated += share == TRACE_SHARE_REPLAYED &&
                     all_same(pair[0]->inputs, pair[1]->inputs, pair[0]->input_count);
    return share;
}

static void count_share(struct trace_shares *shares, const struct trace_row *row,
                        enum trace_share share, const struct error *why) {
    if (!shares->first[share]) {
        shares->first[share] = row;
        shares->why[share] = *why;
    }
    if (share > TRACE_SHARE_SEEN && shares->obstacle == TRACE_SHARES)
        shares->obstacle = share;
    shares->counts[share]++;
}

static bool share_out(struct replay_of_all *all, const volatile sig_atomic_t *stop,
                      struct trace_shares *shares, struct error *error) {
    const struct trace_comparison *comparison = all->comparison;
    struct error *whys = calloc(comparison->row_count + 1, sizeof *whys);
    bool good = whys || error_set(error, "out of memory");
    for (unsigned i = 0; good && i < comparison->row_count; i++) {
        const struct trace_row *row = &comparison->rows[i];
        for (int side = 0; good && row->here_count == 1 && row->there_count == 1 && side < 2;
             side++) {
            const struct trace *trace = all->traces[side];
            good = is_intact(trace, &trace->operations[side ? row->there : row->here], error);
        }
        if (!good)
            break;
        all->shares[i] = (unsigned char)share_of(all, &comparison->rows[i], &whys[i]);
        good = !stop || !*stop ||
               error_set(error, "interrupted; not all operations were computed again");
    }
    for (unsigned i = 0; good && i < comparison->row_count; i++)
        count_share(shares, &comparison->rows[i], share_with_inputs(all, i, &whys[i]), &whys[i]);
    free(whys);
    return good;
}

bool trace_replay_all(const struct trace *here, const struct trace *there,
                      const struct trace_comparison *comparison,
                      const struct implementation *implementation,
                      const volatile sig_atomic_t *stop, struct trace_shares *shares,
                      struct error *error) {
    struct replay_of_all all = {.traces = {here, there},
                                .comparison = comparison,
                                .implementation = implementation,
                                .shares = calloc(comparison->row_count + 1, 1)};
    *shares = (struct trace_shares){.obstacle = TRACE_SHARES};
    bool good = all.shares && trace_origins_open(&all.origins[0], here, 0, comparison) &&
                trace_origins_open(&all.origins[1], there, 1, comparison);
    good = good ? share_out(&all, stop, shares, error) : error_set(error, "out of memory");
    shares->outside = all.outside;
    shares->repeated = all.repeated;
    for (int side = 0; side < 2; side++)
        free(all.origins[side].given);
    free(all.shares);
    return good;
}
