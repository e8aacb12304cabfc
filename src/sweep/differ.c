/* Slices of the domain through both implementations, compared. */
#include "sweep/differ.h"

#include "impl/earlier.h"
#include "sweep/nans.h"
#include "sweep/open_inputs.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE = 1 << 14 };

/* One thread's arrays and bindings. */
struct side {
    struct binding binding;
    bool bound;
    void *results[MAX_RESULTS]; /* NaNs canonical */
    void *as_given[MAX_RESULTS];
    bool has_other_nans; /* that the two are not the same in this slice */
    uint8_t *unanswered; /* as in struct slice */
    struct earlier_answers earlier;
};

struct part {
    const struct differ_request *request;
    void *inputs[MAX_OPERANDS];
    struct side a, b;
    struct open_inputs open;
    struct differ_outcome outcome;
};

/* What an event is added to. */
struct event_context {
    struct differ_events *events; /* or NULL */
    const struct binding_request *computed;
    void *const *inputs;
    uint64_t first; /* of the slice, in the domain */
};

static bool is_stopped(const struct differ_request *request) {
    return request->stop && *request->stop;
}

static void take_event(void *context, enum event_kind kind, size_t index) {
    const struct event_context *where = context;
    struct differ_events *events = where->events;
    if (!events)
        return;
    events->counts[kind]++;
    if (events->all++ && events->index <= where->first + index)
        return;
    events->kind = kind;
    events->index = where->first + index;
    for (int i = 0; i < where->computed->operation->operands; i++)
        events->in[i] = code_load(where->inputs[i], format_bytes(where->computed->format), index);
}

static bool open_side(struct side *side, const struct differ_request *request,
                      const struct implementation *implementation, size_t slice,
                      struct error *error) {
    struct error why;
    side->bound = implementation_bind(&side->binding, implementation, &request->computed, &why);
    if (!side->bound)
        return error_set(error, "%s does not provide %s in %s: %s", implementation->name,
                         request->computed.operation->name, request->computed.format->name,
                         why.text);
    for (int i = 0; i < request->computed.operation->results; i++) {
        const size_t bytes = slice * format_bytes(request_result_format(&request->computed));
        side->results[i] = malloc(bytes);
        side->as_given[i] = malloc(bytes);
        if (!side->results[i] || !side->as_given[i])
            return error_set(error, "out of memory");
    }
    side->unanswered = malloc(slice);
    return (side->unanswered && earlier_open(&side->earlier, &request->computed, slice)) ||
           error_set(error, "out of memory");
}

static void close_side(struct side *side) {
    if (side->bound)
        binding_close(&side->binding);
    free(side->unanswered);
    earlier_close(&side->earlier);
    for (int i = 0; i < MAX_RESULTS; i++) {
        free(side->results[i]);
        free(side->as_given[i]);
    }
}

static bool open_inputs(void **inputs, const struct differ_request *request, size_t slice,
                        struct error *error) {
    for (int i = 0; i < request->computed.operation->operands; i++) {
        inputs[i] = malloc(slice * format_bytes(request->computed.format));
        if (!inputs[i])
            return error_set(error, "out of memory");
    }
    return true;
}

static void close_inputs(void **inputs) {
    for (int i = 0; i < MAX_OPERANDS; i++)
        free(inputs[i]);
}

/* Fills the side's results for inputs that are there, NaNs canonical. */
static bool fill_side(struct side *side, const struct differ_request *request, void *const *inputs,
                      uint64_t first, size_t count, struct differ_events *events,
                      struct error *error) {
    const struct format *format = request_result_format(&request->computed);
    struct slice slice = {.count = count, .first = first, .total = request->domain->count};
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = inputs[i];
    memcpy(slice.results, side->results, sizeof slice.results);
    struct event_context context = {events, &request->computed, inputs, first};
    memset(side->unanswered, 0, count);
    slice.unanswered = side->unanswered;
    slice.earlier = &side->earlier;
    if (!binding_fill(&side->binding, &slice, take_event, &context, error))
        return false;
    size_t bytes = format_bytes(format);
    bool all = !memchr(side->unanswered, 1, count);
    side->has_other_nans = false;
    for (int i = 0; i < request->computed.operation->results; i++) {
        for (size_t at = 0; !all && at < count; at++)
            if (side->unanswered[at])
                code_store(side->results[i], bytes, at, format->nan);
        memcpy(side->as_given[i], side->results[i], count * bytes);
        make_nans_canonical(format, side->results[i], count);
        side->has_other_nans =
            side->has_other_nans || memcmp(side->as_given[i], side->results[i], count * bytes) != 0;
    }
    return true;
}

/* The worse of two answers: NaNs are canonical again. */
static void prefer_difference(struct side *side, const struct side *other,
                              const struct differ_request *request, size_t count) {
    struct slice slice = {.count = count, .unanswered = side->unanswered};
    const struct format *format = request_result_format(&request->computed);
    const bool any = side->earlier.any;
    memcpy(slice.results, side->results, sizeof slice.results);
    earlier_prefer_difference(&side->earlier, &request->computed, &slice, other->results);
    for (int i = 0; any && i < request->computed.operation->results; i++)
        make_nans_canonical(format, side->results[i], count);
}

static struct differ_binade *binade_of(struct differ_outcome *outcome, const struct format *format,
                                       uint64_t code) {
    struct real value = format_decode(format_of_operand(format, 0), code);
    int place = value.exponent - outcome->lowest_exponent;
    if (value.kind != REAL_FINITE || place < 0 || place >= DIFFER_BINADES)
        return &outcome->none;
    return &outcome->binades[place];
}

static void sight(struct part *part, uint64_t index, size_t at) {
    const struct binding_request *computed = &part->request->computed;
    struct differ_outcome *outcome = &part->outcome;
    if (outcome->first_count == DIFFER_FIRST)
        return;
    struct differ_witness *witness = &outcome->first[outcome->first_count++];
    size_t bytes = format_bytes(request_result_format(computed));
    witness->index = index;
    for (int i = 0; i < computed->operation->operands; i++)
        witness->in[i] = code_load(part->inputs[i], format_bytes(computed->format), at);
    for (int i = 0; i < computed->operation->results; i++) {
        witness->a[i] = code_load(part->a.results[i], bytes, at);
        witness->b[i] = code_load(part->b.results[i], bytes, at);
    }
}

/* Whether outputs that count as equal are NaNs with different bits. */
static bool nans_differ_at(const struct part *part, size_t bytes, size_t at) {
    const struct differ_request *request = part->request;
    bool differ = false;
    for (int i = 0; i < request->computed.operation->results; i++)
        if (request->only < 0 || request->only == i)
            differ = differ || code_load(part->a.as_given[i], bytes, at) !=
                                   code_load(part->b.as_given[i], bytes, at);
    return differ;
}

static bool compare_slice(struct part *part, uint64_t first, size_t count, struct error *error) {
    const struct differ_request *request = part->request;
    const struct binding_request *computed = &request->computed;
    struct differ_outcome *outcome = &part->outcome;
    domain_fill(request->domain, first, count, part->inputs);
    if (!fill_side(&part->a, request, part->inputs, first, count, &outcome->events[0], error) ||
        !fill_side(&part->b, request, part->inputs, first, count, &outcome->events[1], error))
        return false;
    if (is_stopped(request)) /* what is there may not be answers */
        return error_set(error, "interrupted; nothing is compared");
    prefer_difference(&part->a, &part->b, request, count);
    prefer_difference(&part->b, &part->a, request, count);
    size_t bytes = format_bytes(request_result_format(computed));
    size_t in_bytes = format_bytes(computed->format);
    const bool look_at_nans = (part->a.has_other_nans || part->b.has_other_nans) &&
                              !part->a.earlier.any && !part->b.earlier.any;
    for (size_t at = 0; at < count; at++) {
        bool same = true;
        if (open_inputs_have(&part->open, code_load(part->inputs[0], in_bytes, at), first + at)) {
            outcome->open++;
            continue;
        }
        if (part->a.unanswered[at] || part->b.unanswered[at]) {
            outcome->unanswered++;
            continue;
        }
        for (int i = 0; i < computed->operation->results; i++)
            if (request->only < 0 || request->only == i)
                same = same && code_load(part->a.results[i], bytes, at) ==
                                   code_load(part->b.results[i], bytes, at);
        struct differ_binade *binade =
            binade_of(outcome, computed->format, code_load(part->inputs[0], in_bytes, at));
        outcome->tested++;
        binade->tested++;
        binade->differ += !same;
        outcome->differ += !same;
        outcome->nans += same && look_at_nans && nans_differ_at(part, bytes, at);
        if (!same)
            sight(part, first + at, at);
    }
    return true;
}

static int by_index(const void *a, const void *b) {
    uint64_t x = ((const struct differ_witness *)a)->index;
    uint64_t y = ((const struct differ_witness *)b)->index;
    return (x > y) - (x < y);
}

static void merge_events(struct differ_events *whole, const struct differ_events *part) {
    bool sooner = part->all && (!whole->all || part->index < whole->index);
    for (int i = 0; i < EVENT_KINDS; i++)
        whole->counts[i] += part->counts[i];
    whole->all += part->all;
    if (!sooner)
        return;
    whole->kind = part->kind;
    whole->index = part->index;
    memcpy(whole->in, part->in, sizeof whole->in);
}

static void merge(struct differ_outcome *whole, const struct differ_outcome *part) {
    struct differ_witness both[2 * DIFFER_FIRST];
    size_t count = whole->first_count + part->first_count;
    whole->tested += part->tested;
    whole->differ += part->differ;
    whole->nans += part->nans;
    whole->unanswered += part->unanswered;
    whole->open += part->open;
    for (int i = 0; i < 2; i++)
        merge_events(&whole->events[i], &part->events[i]);
    whole->none.tested += part->none.tested;
    whole->none.differ += part->none.differ;
    for (int i = 0; i < DIFFER_BINADES; i++) {
        whole->binades[i].tested += part->binades[i].tested;
        whole->binades[i].differ += part->binades[i].differ;
    }
    memcpy(both, whole->first, whole->first_count * sizeof *both);
    memcpy(both + whole->first_count, part->first, part->first_count * sizeof *both);
    qsort(both, count, sizeof *both, by_index);
    whole->first_count = count < DIFFER_FIRST ? count : DIFFER_FIRST;
    memcpy(whole->first, both, whole->first_count * sizeof *both);
}

/* One thread's share; each takes its slices in order, so its first witnesses are its first. */
static bool run_part(const struct differ_request *request, struct part *part, bool *failed,
                     struct error *error) {
    bool good = open_inputs(part->inputs, request, SLICE, error) &&
                open_side(&part->a, request, request->a, SLICE, error) &&
                open_side(&part->b, request, request->b, SLICE, error);
#pragma omp for schedule(dynamic, 1)
    for (uint64_t at = 0; at < request->count; at += SLICE) {
        bool stop;
        size_t count = request->count - at < SLICE ? (size_t)(request->count - at) : SLICE;
#pragma omp atomic read
        stop = *failed;
        if (good && !stop && !is_stopped(request))
            good = compare_slice(part, request->from + at, count, error);
        if (!good) {
#pragma omp atomic write
            *failed = true;
        }
    }
    return good;
}

bool differ_run(const struct differ_request *request, struct differ_outcome *outcome,
                struct error *error) {
    const struct format *format = request->computed.format;
    int lowest = format->emin - format->precision + 1;
    bool failed = false;
    *outcome = (struct differ_outcome){.lowest_exponent = lowest};
#pragma omp parallel num_threads(request->threads)
    {
        struct part *part = calloc(1, sizeof *part);
        struct part none = {.request = request};
        struct error why = {{0}};
        struct part *mine = part ? part : &none;
        mine->request = request;
        mine->open = open_inputs_of(&request->computed);
        mine->outcome.lowest_exponent = lowest;
        bool good = run_part(request, mine, &failed, &why);
#pragma omp critical(differ_merge)
        {
            if (!good)
                *error = why;
            merge(outcome, &mine->outcome);
        }
        close_side(&mine->a);
        close_side(&mine->b);
        close_inputs(mine->inputs);
        free(part);
    }
    if (!failed && outcome->tested + outcome->unanswered + outcome->open != request->count)
        return error_set(error, "interrupted; nothing is compared");
    return !failed;
}

bool differ_digest(const struct differ_request *request, const struct implementation *which,
                   int result, uint64_t block, struct block_digest *digest, struct error *error) {
    uint64_t first = block * FINGERPRINT_BLOCK, left = request->domain->count - first;
    size_t count = left < FINGERPRINT_BLOCK ? (size_t)left : FINGERPRINT_BLOCK;
    void *inputs[MAX_OPERANDS] = {0};
    struct side side = {.bound = false};
    bool good = open_inputs(inputs, request, count, error) &&
                open_side(&side, request, which, count, error);
    if (good) {
        domain_fill(request->domain, first, count, inputs);
        good = fill_side(&side, request, inputs, first, count, NULL, error);
    }
    if (good && (is_stopped(request) || memchr(side.unanswered, 1, count)))
        good = error_set(error, "%s does not answer every input of block %llu", which->name,
                         (unsigned long long)block);
    if (good)
        *digest = fingerprint_block(request_result_format(&request->computed), side.results[result],
                                    count);
    close_side(&side);
    close_inputs(inputs);
    return good;
}
