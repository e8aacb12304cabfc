/* What the caller has set, what the processor is like, and strides, which a worker alone may know. */
#include "invariance/array_calls.h"
#include "invariance/properties.h"
#include "invariance/walk.h"

#include "format/flags.h"
#include "oracle/exact.h"

#include <stdio.h>
#include <string.h>

/* Other surroundings: conditions, or another process. */
struct surroundings {
    struct conditions conditions;
    const struct variant *variant; /* of the request's; NULL: the process is the reference's */
    const char *text;
};

/* How the outputs in them are compared with those of the reference. */
typedef bool compare_outputs(struct walk *walk, const struct surroundings *surroundings,
                             struct error *error);

static bool compare_all(struct walk *walk, const struct surroundings *surroundings,
                        struct error *error) {
    (void)error;
    walk_compare(walk, &walk->outputs, 0, walk->count, NULL, surroundings->text);
    return true;
}

enum { MOST_SURROUNDINGS = MOST_VARIANTS };

/* Each block twice in each process: what is other at a first call is no matter of surroundings. */
static bool compute_twice(struct walk *walk, struct walk_process *process,
                          const struct conditions *conditions, struct walk_outputs *outputs,
                          struct error *error) {
    return walk_compute(walk, process, conditions, WALK_FORWARD, outputs, error) &&
           walk_compute(walk, process, conditions, WALK_FORWARD, outputs, error);
}

static bool compare_block(struct walk *walk, struct walk_process *processes,
                          const struct surroundings *others, size_t count, compare_outputs *compare,
                          struct error *error) {
    walk->where = NULL;
    if (!compute_twice(walk, &processes[0], NULL, &walk->reference, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        walk->where = others[i].text;
        walk->differing =
            others[i].variant
                ? walk->tally->by_variant[others[i].variant - walk->request->tried->rows]
                : NULL;
        struct walk_process *process = others[i].variant ? &processes[1 + i] : &processes[0];
        if (!compute_twice(walk, process, &others[i].conditions, &walk->outputs, error) ||
            !walk_repeat(walk, &processes[0], process, &others[i].conditions, NULL, error) ||
            !compare(walk, &others[i], error))
            return false;
    }
    return true;
}

static bool run_in(const struct invariance_request *request, struct property_tally *tally,
                   const struct surroundings *others, size_t count, compare_outputs *compare,
                   struct error *error) {
    static struct walk_process processes[1 + MOST_SURROUNDINGS];
    struct walk walk = {0};
    memset(processes, 0, sizeof processes);
    bool good = walk_process_open(&processes[0], request, NULL, error);
    for (size_t i = 0; good && i < count; i++)
        if (others[i].variant)
            good = walk_process_open(&processes[1 + i], request, others[i].variant->text, error);
    good = good &&
           (walk_open(&walk, request, &processes[0], tally) || error_set(error, "out of memory"));
    while (good && walk_next(&walk))
        good = compare_block(&walk, processes, others, count, compare, error);
    walk_close(&walk);
    for (size_t i = 0; i <= count; i++)
        walk_process_close(&processes[i]);
    return good;
}

#define COUNT(ROWS) (sizeof(ROWS) / sizeof *(ROWS))

static bool stride_applies(const struct invariance_request *request, const struct binding *binding,
                           struct error *why) {
    (void)binding;
    return walk_applies(request, CONDITION_STRIDE, why);
}

static bool run_stride(const struct invariance_request *request, struct property_tally *tally,
                       struct error *error) {
    static const struct surroundings rows[] = {
        {{.stride = 2}, NULL, "at every second number of an array"},
        {{.stride = 3}, NULL, "at every third number of an array"},
        {{.stride = 17}, NULL, "at every 17th number of an array"}};
    return run_in(request, tally, rows, COUNT(rows), compare_all, error);
}

static const struct surroundings roundings[] = {
    {{.stride = 1, .rounding = ROUND_TOWARD_ZERO}, NULL, "where the caller rounds toward zero"},
    {{.stride = 1, .rounding = ROUND_UP}, NULL, "where the caller rounds up"},
    {{.stride = 1, .rounding = ROUND_DOWN}, NULL, "where the caller rounds down"},
};

static bool rounding_applies(const struct invariance_request *request,
                             const struct binding *binding, struct error *why) {
    if (request->computed.rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "this property needs the rounding nearest-even");
    (void)binding;
    return walk_applies(request, CONDITION_ROUNDING, why);
}

static bool run_rounding(const struct invariance_request *request, struct property_tally *tally,
                         struct error *error) {
    return run_in(request, tally, roundings, COUNT(roundings), compare_all, error);
}

/* A code's place among all numbers of the format, in order of value. */
static int64_t place_of(const struct format *format, uint64_t code) {
    uint64_t sign = UINT64_C(1) << (format->width - 1), size = code & (sign - 1);
    return code & sign ? -(int64_t)size : (int64_t)size;
}

static uint64_t distance(const struct format *format, uint64_t a, uint64_t b) {
    int64_t from = place_of(format, a), to = place_of(format, b);
    return from < to ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to;
}

/* Codes that a result in another rounding may be farther from the exact one, rounded so, than the
 * result in nearest-even is from that, rounded to nearest-even. */
enum { TOLERANCE = 2 };

/* Whether an output, which is other than in nearest-even, is neither that result nor a directed one. */
static bool is_senseless(struct walk *walk, struct oracle *oracle, size_t at, int result,
                         enum rounding rounding, bool *senseless, struct error *error) {
    const struct binding_request *computed = &walk->request->computed;
    const struct format *format = request_result_format(computed);
    uint64_t was = walk_result(walk, &walk->reference, result, at), codes[MAX_OPERANDS];
    uint64_t got = walk_result(walk, &walk->outputs, result, at);
    struct real y;
    *senseless = !property_same(walk->request, format, was, got);
    if (!*senseless)
        return true;
    bool nan = format_is_nan(format, got);
    if (!nan && !format_is_nan(format, was) && distance(format, was, got) <= 1) {
        *senseless = false;
        return true;
    }
    walk_codes(walk, at, codes);
    if (!oracle_exact(oracle, codes, result, &y, error))
        return false;
    uint64_t right = format_encode(format, &y, rounding, computed->overflow);
    uint64_t nearest = format_encode(format, &y, ROUND_NEAREST_EVEN, computed->overflow);
    *senseless = nan || format_is_nan(format, was) || format_is_nan(format, right) ||
                 distance(format, got, right) > distance(format, was, nearest) + TOLERANCE;
    return true;
}

static bool compare_sense(struct walk *walk, const struct surroundings *surroundings,
                          struct error *error) {
    const struct binding_request *computed = &walk->request->computed;
    const struct format *format = request_result_format(computed);
    struct oracle oracle;
    bool good = true, senseless = false;
    oracle_open(&oracle, computed->operation, computed->format, &computed->parameters,
                oracle_precision(format));
    for (size_t i = 0; good && i < walk->count; i++)
        for (int k = 0; good && k < computed->operation->results; k++) {
            if (!walk_is_answered(walk, &walk->outputs, i) || walk->is_unrepeatable[i])
                continue;
            oracle.rounding = surroundings->conditions.rounding;
            good = is_senseless(walk, &oracle, i, k, oracle.rounding, &senseless, error);
            if (good && senseless)
                walk_change(walk, i, k, walk_result(walk, &walk->reference, k, i),
                            walk_result(walk, &walk->outputs, k, i), surroundings->text);
        }
    oracle_close(&oracle);
    return good;
}

static bool sense_applies(const struct invariance_request *request, const struct binding *binding,
                          struct error *why) {
    if (request->computed.operation->converts || request->computed.operation->parameters)
        return error_set(
            why, "this property is for operations that neither convert nor have parameters");
    return rounding_applies(request, binding, why);
}

static bool run_sense(const struct invariance_request *request, struct property_tally *tally,
                      struct error *error) {
    return run_in(request, tally, roundings, COUNT(roundings), compare_sense, error);
}

static bool flushing_applies(const struct invariance_request *request,
                             const struct binding *binding, struct error *why) {
    (void)binding;
    return walk_applies(request, CONDITION_FLUSHING, why);
}

static bool run_flushing(const struct invariance_request *request, struct property_tally *tally,
                         struct error *error) {
    static const struct surroundings rows[] = {
        {{.stride = 1, .flush_results = true}, NULL, "where subnormal results are flushed"},
        {{.stride = 1, .flush_operands = true}, NULL, "where subnormal operands are flushed"},
        {{.stride = 1, .flush_results = true, .flush_operands = true},
         NULL,
         "where subnormal operands and results are flushed"},
    };
    return run_in(request, tally, rows, COUNT(rows), compare_all, error);
}

static bool precision_applies(const struct invariance_request *request,
                              const struct binding *binding, struct error *why) {
    (void)binding;
    return walk_applies(request, CONDITION_PRECISION, why);
}

static bool run_precision(const struct invariance_request *request, struct property_tally *tally,
                          struct error *error) {
    static const struct surroundings rows[] = {
        {{.stride = 1, .x87_bits = 53}, NULL, "where the caller has x87 compute in 53 bits"},
        {{.stride = 1, .x87_bits = 24}, NULL, "where the caller has x87 compute in 24 bits"}};
    return run_in(request, tally, rows, COUNT(rows), compare_all, error);
}

static bool flags_applies(const struct invariance_request *request, const struct binding *binding,
                          struct error *why) {
    (void)binding;
    return walk_applies(request, CONDITION_FLAGS, why);
}

static bool run_flags(const struct invariance_request *request, struct property_tally *tally,
                      struct error *error) {
    static const struct surroundings rows[] = {
        {{.stride = 1, .flags_set = true}, NULL, "where all exception flags are set"}};
    return run_in(request, tally, rows, COUNT(rows), compare_all, error);
}

static bool traps_applies(const struct invariance_request *request, const struct binding *binding,
                          struct error *why) {
    (void)binding;
    return walk_applies(request, CONDITION_TRAPS, why);
}

/* A trap that no flag tells of: a program that wants these signals is ended by it. Bits are not
 * compared, since each call comes after one of the same input. */
static bool compare_traps(struct walk *walk, const struct surroundings *surroundings,
                          struct error *error) {
    (void)surroundings;
    (void)error;
    for (size_t i = 0; i < walk->count; i++) {
        if (!walk_is_answered(walk, &walk->outputs, i) || !walk->outputs.trapped[i])
            continue;
        char flags[FLAGS_TEXT], text[CHANGE_WHERE];
        uint64_t same = walk_result(walk, &walk->reference, 0, i);
        snprintf(text, sizeof text, "trapped: %s, which is not a flag that the call raises",
                 flags_text(walk->outputs.trapped[i], flags));
        walk_change(walk, i, 0, same, same, text);
    }
    return true;
}

static bool run_traps(const struct invariance_request *request, struct property_tally *tally,
                      struct error *error) {
    static const struct surroundings rows[] = {
        {{.stride = 1, .traps = true}, NULL, "where exceptions are signals"}};
    return run_in(request, tally, rows, COUNT(rows), compare_traps, error);
}

static bool loading_applies(const struct invariance_request *request, const struct binding *binding,
                            struct error *why) {
    struct condition_support support;
    (void)binding;
    return walk_support(request, &support, why) &&
           (support.is_known || error_set(why, "%.80s does not report rounding and flushing",
                                          request->implementation->name));
}

/* Bits are not compared: what loading has changed, it has for each input. */
static bool change_all(struct walk *walk, struct walk_process *process, const char *disturbed,
                       struct error *error) {
    const struct invariance_request *request = walk->request;
    char where[CHANGE_WHERE];
    if (!walk_next(walk) || !walk_compute_some(walk, process, NULL, 0, 1, &walk->reference, error))
        return false;
    snprintf(where, sizeof where, "loading it sets %s",
             strcmp(disturbed, "1") == 0 ? "rounding or flushing" : disturbed);
    for (int k = 0; k < request->computed.operation->results; k++) {
        uint64_t same = walk_result(walk, &walk->reference, k, 0);
        walk_change(walk, 0, k, same, same, where);
        walk->tally->results[k].changed = invariance_inputs(request);
    }
    return true;
}

static bool run_loading(const struct invariance_request *request, struct property_tally *tally,
                        struct error *error) {
    struct condition_support support;
    struct walk_process process = {0};
    struct walk walk = {0};
    bool good = walk_support(request, &support, error);
    if (good && support.disturbed[0] && invariance_inputs(request))
        good = walk_process_open(&process, request, NULL, error) &&
               (walk_open(&walk, request, &process, tally) || error_set(error, "out of memory")) &&
               change_all(&walk, &process, support.disturbed, error);
    tally->inputs = invariance_inputs(request);
    walk_close(&walk);
    walk_process_close(&process);
    return good;
}

static bool processor_applies(const struct invariance_request *request,
                              const struct binding *binding, struct error *why) {
    struct condition_support support;
    (void)binding;
    return walk_support(request, &support, why);
}

static bool run_processor(const struct invariance_request *request, struct property_tally *tally,
                          struct error *error) {
    static char texts[MOST_SURROUNDINGS][CHANGE_WHERE];
    struct surroundings others[MOST_SURROUNDINGS] = {{{0}, NULL, NULL}};
    size_t count = 0;
    for (size_t i = 0; i < request->tried->count; i++) {
        const struct variant *variant = &request->tried->rows[i];
        if (!variant->is_tried)
            continue;
        snprintf(texts[count], CHANGE_WHERE, "with %.180s", variant->text);
        others[count] = (struct surroundings){{.stride = 1}, variant, texts[count]};
        count++;
    }
    return run_in(request, tally, others, count, compare_all, error);
}

#define PROPERTY(NAME, TEXT, SUMMARY)                                                              \
    const struct property property_##NAME = {                                                      \
        .name = TEXT,                                                                              \
        .summary = SUMMARY,                                                                        \
        .of[CALL_ON_NUMBERS] = {.applies = NAME##_applies, .run = run_##NAME},                     \
    }
PROPERTY(stride, "stride", "numbers that do not lie next to each other in an array");
PROPERTY(rounding, "rounding", "the rounding that the caller has set");
PROPERTY(sense, "rounding-sense",
         "results under the caller's rounding that are neither those of nearest-even nor directed");
PROPERTY(flushing, "flushing", "flushing of subnormal numbers, set by the caller (FTZ, DAZ)");
PROPERTY(precision, "precision", "the precision of x87 (of long double) that the caller has set");
PROPERTY(flags, "flags", "exception flags that are set before the call");
PROPERTY(traps, "traps", "exceptions that arrive as signals although no flag is raised");
PROPERTY(loading, "loading", "loading the library: it must not set rounding or flushing");
const struct property property_processor = {
    .name = "processor",
    .summary = "features of the processor that are hidden (--variant)",
    .of = {[CALL_ON_NUMBERS] = {.variants = walk_variants,
                                .applies = processor_applies,
                                .run = run_processor},
           [CALL_ON_ARRAYS] = {.variants = array_variants,
                               .applies = array_processor_applies,
                               .run = array_processor_run}},
};
