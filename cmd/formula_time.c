/* A look at inputs that lie evenly in the domain. */
#include "formula_time.h"

#include "base/clock.h"
#include "impl/file.h"
#include "impl/steps.h"
#include "messages.h"
#include "oracle/fast/filter.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

/* Not one after the other: a look that takes too long is to have seen all parts of the domain. */
enum { LOOKS = 4096, STRIDE = 1597, STEPS = 256, PLACES = 16 };
/* Of implementations that run elsewhere. */
enum { MANY = 1 << 14, FEW_PLACES = 3, LONG_RUN = 1 << 20 };
#define SHORT_CALL 0.004

/* Longer than a look may take, in seconds of this thread, which other work on the machine does not lengthen; shorter runs are not worth a word. */
#define LONGEST_LOOK   1.0
#define SHORTEST_NOTED 60.0

/* Whether the filter will leave the input to the exact oracle, as far as the block tells. */
static bool is_left(struct filter *filter, const struct format *format, const uint64_t *codes,
                    int operands) {
    const struct block *block = filter ? filter_block(filter, codes, codes[operands - 1]) : NULL;
    struct real low, high;
    if (!block || block->kind != BLOCK_FIT)
        return !block || block->kind == BLOCK_EXACT;
    return !block_enclosure(block, format, codes[operands - 1], &low, &high) ||
           format_ulp_exponent(format, &low) != format_ulp_exponent(format, &high) ||
           format_encode(format, &low, ROUND_NEAREST_EVEN, OVERFLOW_IEEE) !=
               format_encode(format, &high, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

/* What a look finds: the share of inputs that are left, the seconds that one of these takes, and those of the filter
 * and of the implementations for an input of the domain. */
struct found {
    double share, each, filter, calls;
};

/* Finding and rechecking the block that the code is in, as a sweep does: its seconds. */
static double time_block(const struct sweep_request *request, struct filter *filter,
                         const uint64_t *fixed, uint64_t code) {
    struct error unused;
    double begin = clock_thread_seconds();
    const struct block *block = filter_block(filter, fixed, code);
    for (unsigned i = 0;
         i < request->recheck && block->kind != BLOCK_EXACT && block->kind != BLOCK_NAN; i++)
        filter_recheck(filter, fixed, code, &unused); /* a sweep says what is wrong with it */
    return clock_thread_seconds() - begin;
}

/* What of the time of the filter is an input's there. The first block of a run is tried in all sizes, and of its neighbours
 * each size once in as many inputs, so that the smallest one is half of what they cost. */
static double time_filter(const struct sweep_request *request, struct filter *filter,
                          const uint64_t *codes) {
    const struct domain *domain = request->domain;
    double runs = domain->kind == DOMAIN_SAMPLES ? 1 / (double)domain->run_length : 0;
    uint64_t code = codes[domain->operands - 1];
    double first = time_block(request, filter, codes, code);
    int log2_count = filter_block(filter, codes, code)->log2_count;
    if (runs == 1)
        return first;
    double next = time_block(request, filter, codes, code ^ (uint64_t)1 << log2_count);
    return runs * first + (1 - runs) * ldexp(2 * next, -log2_count);
}

static void note_event(void *context, enum event_kind kind, size_t index) {
    bool *any = context;
    (void)kind, (void)index;
    *any = true;
}

/* Seconds that the slice takes, where its inputs are. The first call finds nothing in the caches, and may start a process,
 * which then works while this one waits. An event, which the run will meet again, says nothing of the time. */
static double time_slice(struct binding *binding, const struct slice *slice, bool here,
                         bool *event) {
    struct error unused;
    binding_fill(binding, slice, note_event, event, &unused);
    if (*event)
        return 0;
    double begin = here ? clock_thread_seconds() : clock_seconds();
    binding_fill(binding, slice, note_event, event, &unused);
    return (here ? clock_thread_seconds() : clock_seconds()) - begin;
}

/* Room for a slice. */
struct calls {
    const struct domain *domain;
    struct slice slice;
    void *inputs[MAX_OPERANDS];
};

static double time_place(struct calls *calls, struct binding *binding, uint64_t first, size_t count,
                         bool here, bool *event) {
    calls->slice.first = first;
    calls->slice.count = count;
    domain_fill(calls->domain, first, count, calls->inputs);
    return time_slice(binding, &calls->slice, here, event) / (double)count;
}

/* Seconds that an implementation takes for an input. One that runs elsewhere takes many inputs at once, where that is not
 * too long. */
static double time_one(struct calls *calls, struct binding *binding, bool here) {
    const unsigned places = here ? PLACES : FEW_PLACES;
    double taken = 0;
    bool event = false;
    for (unsigned place = 0; place < places && !event; place++) {
        const uint64_t first = (calls->domain->count - (here ? STEPS : MANY)) / places * place;
        double each = time_place(calls, binding, first, STEPS, here, &event);
        if (!here && !event && each * STEPS < SHORT_CALL)
            each = time_place(calls, binding, first, MANY, here, &event);
        taken += each / places;
    }
    return taken;
}

/* The same of all of them. Those of others are called before a run begins only where it is long. */
static double time_calls(const struct sweep_request *request) {
    static uint64_t arrays[MAX_OPERANDS + MAX_RESULTS][MANY];
    static uint8_t unanswered[MANY];
    struct calls calls = {.domain = request->domain,
                          .slice = {.total = request->domain->count, .unanswered = unanswered}};
    double taken = 0;
    for (int i = 0; i < MAX_OPERANDS; i++)
        calls.slice.operands[i] = calls.inputs[i] = arrays[i];
    for (int i = 0; i < MAX_RESULTS; i++)
        calls.slice.results[i] = arrays[MAX_OPERANDS + i];
    for (size_t i = 0; i < request->implementation_count; i++) {
        const struct implementation *one = &request->implementations[i];
        struct binding binding;
        struct error unused;
        const bool here = one->kind == &implementation_steps;
        if ((!here && request->domain->count < LONG_RUN) || one->kind == &implementation_file ||
            !implementation_bind(&binding, one, &request->computed, &unused))
            continue;
        taken += time_one(&calls, &binding, here);
        binding_close(&binding);
    }
    return taken;
}

static struct filter *open_filter(const struct sweep_request *request) {
    const struct binding_request *computed = &request->computed;
    const struct domain *domain = request->domain;
    bool in_runs = domain->kind == DOMAIN_ALL || domain->kind == DOMAIN_RANGE ||
                   domain->run_length > 1; /* else the filter does nothing */
    return in_runs && !(request->shows & SHOW_ERRORS)
               ? filter_open(computed->operation, computed->format, 0, computed->rounding)
               : NULL;
}

static struct found look(const struct sweep_request *request) {
    const struct binding_request *computed = &request->computed;
    const struct domain *domain = request->domain;
    struct found found = {.calls = time_calls(request)};
    struct filter *filter = open_filter(request);
    struct oracle oracle;
    int looks = 0, left = 0;
    double begin = clock_thread_seconds(), exact = 0, blocks = 0;
    oracle_open(&oracle, computed->operation, computed->format, &computed->parameters,
                oracle_precision(computed->format));
    for (; looks < LOOKS && clock_thread_seconds() - begin < LONGEST_LOOK; looks++) {
        uint64_t codes[MAX_OPERANDS];
        struct real y;
        struct error unused;
        domain_codes_at(domain,
                        (uint64_t)((double)domain->count / LOOKS * (looks * STRIDE % LOOKS + 0.5)),
                        codes);
        if (filter)
            blocks += time_filter(request, filter, codes);
        if (!is_left(filter, computed->format, codes, domain->operands))
            continue;
        double before = clock_thread_seconds();
        oracle_exact(&oracle, codes, 0, &y, &unused);
        exact += clock_thread_seconds() - before;
        left++;
    }
    found.filter = looks ? blocks / looks : 0;
    found.each = left ? exact / left : 0;
    found.share = looks ? (double)left / looks : 0;
    oracle_close(&oracle);
    filter_close(filter);
    return found;
}

void formula_time_note(const struct sweep_request *request) {
    const struct operation *operation = request->computed.operation;
    bool slow = operation->made_of || request->shows & SHOW_ERRORS; /* by the exact oracle */
    if (!slow || operation->array || request->domain->count < LOOKS || request->domain->search)
        return;
    const struct found found = look(request);
    double each = found.share * found.each, other = fmax(found.filter, found.calls);
    double inputs =
        (double)shard_inputs(&request->shard, request->domain->count, sweep_unit(request->domain));
    double total = inputs * (each + found.filter + found.calls) / request->threads;
    char duration[32];
    struct error line;
    if (total < SHORTEST_NOTED)
        return;
    text_duration(total, duration);
    if (each > other)
        error_set(&line,
                  "the filter leaves %.3g %% of the inputs of %.100s%s to the exact oracle, which "
                  "will need about %s; fewer inputs (--range, --samples) take less",
                  100 * found.share, operation->name, strlen(operation->name) > 100 ? "..." : "",
                  duration);
    else
        error_set(&line,
                  "judging %.100s%s will take about %s, mostly in the %s; "
                  "fewer inputs (--range, --samples) take less",
                  operation->name, strlen(operation->name) > 100 ? "..." : "", duration,
                  found.calls <= found.filter         ? "filter"
                  : request->implementation_count > 1 ? "calls of the implementations"
                                                      : "calls of the implementation");
    remark("note", &line);
}
