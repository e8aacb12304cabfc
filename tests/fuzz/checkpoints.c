/* Any bytes as changes of what a checkpoint keeps: of real states, which the target first makes, of sweeps
 * of numbers and of arrays, of searches and of invariance, half done and done. The first byte chooses the
 * state; each change is a place in 3 bytes, how many bytes follow, and these: 0 cuts the state off there.
 * Where the first byte is 255, the rest is a whole file behind its name, with the hash that it should have.
 * What is changed is refused with one line, or the run goes on and its report is written. */
#include "fuzz.h"

#include "invariance/properties.h"
#include "report/invariance.h"
#include "report/report.h"
#include "report/text.h"
#include "sweep/checkpoint/file.h"
#include "sweep/search/search.h"

#include <xxhash.h>

/* What is run: a row each. `until`: inputs or evaluations after which it is stopped once; 0: never. */
enum kind { SWEEP, SEARCH, INVARIANCE };
struct scenario {
    const char *operation, *format;
    enum kind kind;
    uint64_t until;
    bool digests;         /* of a sweep: they are kept when it is done, too */
    const char *range;    /* of numbers; NULL: arrays */
    uint64_t evaluations; /* of a search */
};
static const struct scenario scenarios[] = {
    {"sincos", "fp16", SWEEP, 0, false, "0x3c00:0x3c1f", 0},
    {"exp", "fp32", SWEEP, 0, true, "0x3f800000:0x3f80001f", 0},
    {"cumsum", "fp16", SWEEP, 0, true, NULL, 0},
    {"exp", "fp32", SEARCH, 3000, false, "0x3f800000:0x40ffffff", 4000},
    {"pow", "fp16", SEARCH, 0, false, "0x3c00:0x43ff", 300},
    {"exp", "fp16", INVARIANCE, 1025, false, "0x3c00:0x3fff", 0},
    {"sum", "fp16", INVARIANCE, 0, false, NULL, 0}};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios, WHOLE_FILE = 255 };

static struct bytes states[SCENARIOS];
static FILE *nowhere;
static volatile sig_atomic_t stop;
static uint64_t stop_at;

static void stop_then(void *context, uint64_t done) {
    (void)context;
    stop = stop_at && done >= stop_at;
}

static void say_nothing(const struct checkpoint *checkpoint) {
    (void)checkpoint;
}

static void warn_of_nothing(const struct error *error) {
    (void)error;
}

static bool take_digest(void *context, size_t implementation, int result,
                        const struct block_digest *digest) {
    (void)context, (void)implementation, (void)result, (void)digest;
    return true;
}

static void make_domain(const struct scenario *scenario, const struct binding_request *computed,
                        struct domain *domain, struct code_set sets[MAX_OPERANDS]) {
    struct error error;
    int operands = computed->operation->operands;
    *domain = (struct domain){0};
    if (!scenario->range) {
        domain->kind = DOMAIN_ARRAYS;
        domain->format = computed->format;
        fuzz_require(cases_make(&domain->cases, computed->operation, computed->format,
                                &computed->parameters, 1, 1, &error));
        domain->cases.shape_count = 2;
        domain->count = cases_count(&domain->cases);
        return;
    }
    for (int i = 0; i < operands; i++) {
        struct code_set set = {0};
        sets[i] = set;
        fuzz_require(code_set_range(&sets[i], computed->format, scenario->range, NULL, &error));
        fuzz_require(code_set_range(&set, computed->format, scenario->range, NULL, &error));
        domain->sets[i] = set;
    }
    struct code_set copies[MAX_OPERANDS];
    memcpy(copies, domain->sets, sizeof copies);
    fuzz_require(domain_product(domain, DOMAIN_RANGE, computed->format, operands, copies,
                                (size_t)operands, &error));
}

/* None may be refused where the states are made. */
static bool making;
static bool check(bool good, const struct error *error) {
    if (!good && making)
        fprintf(stderr, "%s\n", error->text);
    fuzz_require(good || !making);
    return fuzz_check(good, error);
}

static void write_report(const struct sweep_request *request, const struct sweep_outcome *outcome) {
    struct platform platform;
    struct report report;
    struct error error;
    platform_describe(&platform);
    report_begin(&report, &platform, 1);
    report_add(&report, request, outcome);
    text_print_sweep(nowhere, request, outcome, false);
    check(report_write(&report, nowhere, &error), &error);
    report_free(&report);
}

static void run_sweep(const struct scenario *scenario, const struct sweep_request *asked) {
    struct sweep_request request = *asked;
    struct sweep_outcome outcome;
    struct error error = {{0}};
    request.digest = scenario->digests ? take_digest : NULL;
    if (check(sweep_run(&request, &outcome, &error), &error)) {
        write_report(&request, &outcome);
        sweep_outcome_free(&outcome);
    }
}

static void run_search(const struct scenario *scenario, const struct sweep_request *asked,
                       const struct code_set *sets) {
    static struct search_record record;
    struct sweep_request request = *asked;
    struct error error = {{0}};
    struct domain found = {0};
    bool complete;
    request.implementation_count = 1;
    const struct search_request search = {.sweep = &request,
                                          .purpose = SEARCH_ERROR,
                                          .evaluations = scenario->evaluations,
                                          .seed = 1,
                                          .sets = sets};
    if (check(search_run(&search, &record, &found, &complete, &error), &error)) {
        struct sweep_outcome outcome;
        request.domain = &found;
        request.checkpoint = NULL;
        if (!stop && check(sweep_run(&request, &outcome, &error), &error)) {
            write_report(&request, &outcome);
            sweep_outcome_free(&outcome);
        }
        domain_free(&found);
    }
}

static void run_invariance(const struct sweep_request *asked) {
    static const struct property *const of_numbers[] = {&property_position, &property_in_place};
    static const struct property *const of_arrays[] = {&property_batch, &property_equal_elements};
    struct invariance_outcome outcome;
    struct error error = {{0}};
    bool arrays = asked->computed.operation->array;
    const struct invariance_request request = {.computed = asked->computed,
                                               .implementation = asked->implementations,
                                               .domain = asked->domain,
                                               .properties = arrays ? of_arrays : of_numbers,
                                               .property_count = 2,
                                               .threads = 1,
                                               .stop = &stop,
                                               .progress = stop_then,
                                               .checkpoint = asked->checkpoint};
    if (!check(invariance_run(&request, &outcome, &error), &error))
        return;
    struct platform platform;
    struct report report;
    const struct invariance_outcomes outcomes = {.request = &request,
                                                 .implementations = asked->implementations,
                                                 .outcomes = &outcome,
                                                 .count = 1};
    platform_describe(&platform);
    report_begin(&report, &platform, 1);
    report_add_invariance(&report, &outcomes);
    invariance_print(nowhere, &outcomes, false, false);
    check(report_write(&report, nowhere, &error), &error);
    report_free(&report);
    invariance_outcome_free(&outcome);
}

/* Runs with what the checkpoint has. */
static void run(const struct scenario *scenario, struct checkpoint *checkpoint) {
    static struct implementation implementations[2];
    struct binding_request computed = {.overflow = OVERFLOW_IEEE};
    const struct parameters given = {0};
    struct code_set sets[MAX_OPERANDS] = {{0}};
    struct domain domain;
    struct error error;
    if (!implementations[0].kind) {
        fuzz_require(implementation_open(&implementations[0], "det", NULL, &error));
        fuzz_require(implementation_open(&implementations[1], "libm", NULL, &error));
    }
    computed.operation = operation_find(scenario->operation, &error);
    computed.format = format_find(scenario->format, &error);
    fuzz_require(computed.operation && computed.format &&
                 operation_settle(computed.operation, computed.format, &given, &computed.parameters,
                                  &error));
    computed.flags = scenario->kind == SWEEP && scenario->range;
    make_domain(scenario, &computed, &domain, sets);
    const struct sweep_request request = {.computed = computed,
                                          .recheck = 1,
                                          .domain = &domain,
                                          .implementations = implementations,
                                          .implementation_count = scenario->range ? 2 : 1,
                                          .envelope = scenario->kind == SWEEP && scenario->range,
                                          .threads = 1,
                                          .stop = &stop,
                                          .progress = stop_then,
                                          .checkpoint = checkpoint};
    if (scenario->kind == SWEEP)
        run_sweep(scenario, &request);
    else if (scenario->kind == SEARCH)
        run_search(scenario, &request, sets);
    else
        run_invariance(&request);
    for (int i = 0; i < MAX_OPERANDS; i++)
        code_set_free(&sets[i]);
    domain_free(&domain);
}

static struct checkpoint empty_checkpoint(void) {
    return (struct checkpoint){.lock = -1,
                               .every = 1e9,
                               .last = 1e9,
                               .warn = warn_of_nothing,
                               .tell_resumed = say_nothing};
}

static void make_states(void) {
    nowhere = fopen("/dev/null", "wb");
    fuzz_require(nowhere);
    making = true;
    for (size_t i = 0; i < SCENARIOS; i++) {
        struct checkpoint checkpoint = empty_checkpoint();
        stop_at = scenarios[i].until;
        run(&scenarios[i], &checkpoint);
        fuzz_require(checkpoint.sweep_count == 1 && checkpoint.sweeps[0].size > 0);
        states[i] = checkpoint.sweeps[0];
        checkpoint.sweeps[0] = (struct bytes){0};
        checkpoint_close(&checkpoint);
        stop_at = 0;
        stop = 0;
    }
    making = false;
}

size_t checkpoint_state_size(size_t which);
size_t checkpoint_state_size(size_t which) {
    if (!nowhere)
        make_states();
    return which < SCENARIOS ? states[which].size : 0;
}

/* The state with the changes. */
static struct bytes changed(const struct bytes *state, const uint8_t *bytes, size_t count) {
    struct bytes copy = {0};
    bytes_add(&copy, state->data, state->size);
    fuzz_require(!copy.failed);
    for (size_t at = 0; count - at >= 4;) {
        size_t place = bytes[at] | (size_t)bytes[at + 1] << 8 | (size_t)bytes[at + 2] << 16;
        size_t length = bytes[at + 3];
        at += 4;
        place %= copy.size + 1;
        if (!length)
            copy.size = place;
        for (size_t i = 0; i < length && at < count && place + i < copy.size; i++)
            copy.data[place + i] = bytes[at++];
    }
    return copy;
}

static void read_file(const uint8_t *bytes, size_t count) {
    static const char begins[] = "detcheck checkpoint 1\n";
    struct checkpoint checkpoint = empty_checkpoint();
    struct bytes file = {0};
    struct error error = {{0}};
    XXH128_canonical_t hash;
    checkpoint.path = strdup("checkpoint");
    checkpoint.command = strdup("sweep");
    strcpy(checkpoint.build, "detcheck");
    strcpy(checkpoint.platform, "a");
    bytes_add(&file, begins, sizeof begins - 1);
    bytes_add(&file, bytes, count);
    fuzz_require(checkpoint.path && checkpoint.command && !file.failed);
    XXH128_canonicalFromHash(&hash, XXH3_128bits(file.data, file.size));
    bytes_add(&file, &hash, sizeof hash);
    check(checkpoint_parse(&checkpoint, &file, &error), &error);
    bytes_free(&file);
    checkpoint_close(&checkpoint);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    if (!nowhere)
        make_states();
    if (!count)
        return 0;
    if (bytes[0] == WHOLE_FILE) {
        read_file(bytes + 1, count - 1);
        return 0;
    }
    const size_t which = bytes[0] % SCENARIOS;
    struct checkpoint checkpoint = empty_checkpoint();
    checkpoint.path = strdup("checkpoint");
    checkpoint.sweeps = calloc(1, sizeof *checkpoint.sweeps);
    fuzz_require(checkpoint.path && checkpoint.sweeps);
    checkpoint.sweep_count = 1;
    checkpoint.sweeps[0] = changed(&states[which], bytes + 1, count - 1);
    run(&scenarios[which], &checkpoint);
    checkpoint_close(&checkpoint);
    return 0;
}
