/* Lines, and calls without lines, in other processes, in several threads, and again. */
#include "invariance/array_calls.h"

#include "impl/detmath.h"
#include "invariance/lines.h"
#include "invariance/properties.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRESH = 8, THREADS = 4, MOST_PROCESSES = MOST_VARIANTS };
static const struct line_place alone = {.count = 1};

/* Whether calls are made in a process of their own. */
static bool is_apart(const struct invariance_request *request) {
    const struct implementation_kind *kind = request->implementation->kind;
    return (kind->is_command || strcmp(kind->name, "lib:") == 0) &&
           !request->implementation->foreign->in_process;
}

/* Repetition: again, after a call of other numbers, and as the first call of a process. */

static bool try_fresh(struct line_binding *line, const struct line_source *source,
                      const struct line_results *reference, bool *changed, struct error *error) {
    struct line_binding fresh;
    bool good = line_open(&fresh, line->request, line->tally, false, error);
    fresh.number = line->number;
    fresh.counts_first = true;
    good = good && lines_try(&fresh, source, &alone, reference, 0, "the first call of a process",
                             changed, error);
    line_close(&fresh);
    return good;
}

static bool compare_again(struct line_binding *line, const struct line_source *source,
                          const struct line_results *reference, struct error *error) {
    const struct line_place others = {.count = 3, .at = 1};
    struct line_results unused = {0};
    bool changed = false;
    uint64_t calls = line->request->domain->count, apart = calls / FRESH + !calls;
    bool good = lines_try(line, source, &alone, reference, 0, "a later call of the same process",
                          &changed, error) &&
                line_compute(line, source, &others, &unused, error);
    free(unused.codes);
    if (good && !changed)
        good = lines_try(line, source, &alone, reference, 0, "after a call of other numbers",
                         &changed, error);
    bool is_one = calls <= FRESH || line->number % apart == 0;
    return good && (changed || !is_one || !is_apart(line->request) ||
                    try_fresh(line, source, reference, &changed, error));
}

bool array_repetition_run(const struct invariance_request *request, struct property_tally *tally,
                          struct error *error) {
    return lines_try_calls(request, tally, compare_again, NULL, true, error);
}

/* Threads: of a process that can be called by several. */

bool array_threads_apply(const struct invariance_request *request, const struct binding *binding,
                         struct error *why) {
    (void)binding;
    return !is_apart(request) || error_set(why, "its process computes one call at a time");
}

static bool compare_at_once(struct line_binding *line, const struct line_source *source,
                            const struct line_results *reference, struct error *error) {
    struct line_binding *lines = line->context;
    struct line_results results[THREADS] = {{0}};
    bool good[THREADS], changed = false, all = true;
    struct error errors[THREADS];
#pragma omp parallel for num_threads(THREADS) schedule(static, 1)
    for (int i = 0; i < THREADS; i++)
        good[i] = line_compute(&lines[i], source, &alone, &results[i], &errors[i]);
    line->tally->at_once++;
    for (int i = 0; i < THREADS; i++) {
        if (!good[i] && all)
            *error = errors[i];
        all = all && good[i];
        results[i].by = NULL; /* by several threads it need not be the same again */
        if (good[i] && !changed)
            changed = line_compare(line, reference, 0, &results[i], "in 4 threads at once");
        free(results[i].codes);
    }
    return all;
}

bool array_threads_run(const struct invariance_request *request, struct property_tally *tally,
                       struct error *error) {
    struct line_binding lines[THREADS] = {{0}};
    /* Events in threads would be counted at the same time. */
    struct property_tally tallies[THREADS] = {{0}};
    bool good = true;
    for (int i = 0; i < THREADS && good; i++)
        good = line_open(&lines[i], request, &tallies[i], false, error);
    good = good && lines_try_calls(request, tally, compare_at_once, lines, false, error);
    for (int i = 0; i < THREADS; i++) {
        line_close(&lines[i]);
        property_merge(tally, &tallies[i]);
    }
    return good;
}

/* Processes that differ in their environment, and what their bindings need. */
struct processes {
    size_t count;
    const char *variants[MOST_PROCESSES];
    uint64_t *differing[MOST_PROCESSES]; /* counts for each, by result; NULL: the first is enough */
    struct foreign_settings foreign[MOST_PROCESSES];
    struct implementation implementations[MOST_PROCESSES];
    struct invariance_request requests[MOST_PROCESSES];
    struct line_binding lines[MOST_PROCESSES];
};

static bool compare_processes(struct line_binding *line, const struct line_source *source,
                              const struct line_results *reference, struct error *error) {
    struct processes *processes = line->context;
    bool changed = false, good = true;
    for (size_t i = 0; i < processes->count && good && !changed; i++) {
        struct line_binding *other = &processes->lines[i];
        char where[CHANGE_WHERE];
        snprintf(where, sizeof where, "in a process with %.150s", processes->variants[i]);
        other->number = line->number;
        other->differing = processes->differing[i];
        other->is_unrepeatable = line->is_unrepeatable;
        memcpy(other->is_counted, line->is_counted, sizeof line->is_counted);
        good = lines_try(other, source, &alone, reference, 0, where, &changed, error);
        memcpy(line->is_counted, other->is_counted, sizeof line->is_counted);
        line->is_unrepeatable = other->is_unrepeatable;
        changed = changed && !other->differing;
    }
    return good;
}

static bool open_process(struct processes *processes, size_t i,
                         const struct invariance_request *request, struct property_tally *tally,
                         struct error *error) {
    processes->foreign[i] = *request->implementation->foreign;
    processes->foreign[i].variant = processes->variants[i];
    processes->implementations[i] = *request->implementation;
    processes->implementations[i].foreign = &processes->foreign[i];
    processes->requests[i] = *request;
    processes->requests[i].implementation = &processes->implementations[i];
    return line_open(&processes->lines[i], &processes->requests[i], tally, false, error);
}

/* They are freed. */
static bool run_processes(const struct invariance_request *request, struct property_tally *tally,
                          struct processes *processes, struct error *error) {
    bool good = processes || error_set(error, "out of memory");
    for (size_t i = 0; good && i < processes->count; i++)
        good = open_process(processes, i, request, tally, error);
    good = good && lines_try_calls(request, tally, compare_processes, processes, false, error);
    for (size_t i = 0; processes && i < processes->count; i++)
        line_close(&processes->lines[i]);
    free(processes);
    return good;
}

static bool processes_apply(const struct invariance_request *request, const struct binding *binding,
                            struct error *why) {
    const struct foreign_settings *foreign = request->implementation->foreign;
    (void)binding;
    if (!is_apart(request))
        return error_set(why, "detcheck's own process computes its arrays");
    return !foreign->variant ||
           error_set(why, "its environment is already set: %.100s", foreign->variant);
}

/* Processor: what the user names, and what the worker tells of; of det and cr, whose calls are made here, the
 * levels that detmath has. */

static bool has_levels(const struct invariance_request *request) {
    const struct implementation_kind *kind = request->implementation->kind;
    return kind == &implementation_det || kind == &implementation_cr;
}

/* The best one computes without a variant, too. */
static bool find_levels(const struct invariance_request *request, struct variants *variants,
                        struct error *why) {
    variants_gather(variants, request, detmath_other_levels());
    for (size_t i = 0; i < variants->count; i++) {
        struct variant *variant = &variants->rows[i];
        variant->is_tried = detmath_use_level(variant->text, &variant->why);
        detmath_use_level(NULL, why);
        if (variant->is_tried && !variants_tell(detmath_other_levels(), variant->text))
            variant_settle(variant, request, variant->text, variant->text);
    }
    return variants->count
               ? variants_any(variants, request, why)
               : error_set(why, "this processor has only one instruction set that it uses");
}

static bool compare_levels(struct line_binding *line, const struct line_source *source,
                           const struct line_results *reference, struct error *error) {
    const struct variants *levels = line->request->tried;
    struct line_results plain = *reference;
    bool good = true, changed;
    plain.by = NULL; /* of another level */
    for (size_t i = 0; i < levels->count && good; i++) {
        char where[CHANGE_WHERE];
        if (!levels->rows[i].is_tried)
            continue;
        snprintf(where, sizeof where, "with %.150s", levels->rows[i].text);
        line->differing = line->tally->by_variant[i];
        good = detmath_use_level(levels->rows[i].text, error) &&
               lines_try(line, source, &alone, &plain, 0, where, &changed, error);
        detmath_use_level(NULL, error);
    }
    line->differing = NULL;
    return good;
}

/* Those with which the process starts. */
static bool find_processes(const struct invariance_request *request, const struct binding *binding,
                           struct variants *variants, struct error *why) {
    struct processes *processes = calloc(1, sizeof *processes);
    struct property_tally unused = {0};
    if (!processes)
        return error_set(why, "out of memory");
    variants_gather(variants, request, binding->conditions.variants);
    for (size_t i = 0; i < variants->count; i++) {
        struct variant *variant = &variants->rows[i];
        processes->variants[i] = variant->text;
        if (!open_process(processes, i, request, &unused, &variant->why))
            continue;
        variant_settle(variant, request, processes->lines[i].binding.detail, binding->detail);
        line_close(&processes->lines[i]);
        if (foreign_runner(&processes->foreign[i]) && !request->implementation->kind->is_command)
            variant->is_tried = error_set(
                &variant->why, "it runs processes of exec: alone where arrays are computed");
    }
    free(processes);
    return variants_any(variants, request, why);
}

bool array_variants(const struct invariance_request *request, const struct binding *binding,
                    struct variants *variants, struct error *why) {
    return has_levels(request) ? find_levels(request, variants, why)
                               : find_processes(request, binding, variants, why);
}

bool array_processor_applies(const struct invariance_request *request,
                             const struct binding *binding, struct error *why) {
    return has_levels(request) || processes_apply(request, binding, why);
}

bool array_processor_run(const struct invariance_request *request, struct property_tally *tally,
                         struct error *error) {
    if (has_levels(request))
        return lines_try_calls(request, tally, compare_levels, NULL, false, error);
    struct processes *processes = calloc(1, sizeof *processes);
    for (size_t i = 0; processes && i < request->tried->count; i++) {
        if (!request->tried->rows[i].is_tried)
            continue;
        processes->differing[processes->count] = tally->by_variant[i];
        processes->variants[processes->count++] = request->tried->rows[i].text;
    }
    return run_processes(request, tally, processes, error);
}

/* Thread count: of a process that heeds OpenMP's variable, as do OpenBLAS, MKL and PyTorch. None,
 * too few to divide by, and more than there are processors. */

static bool run_thread_counts(const struct invariance_request *request,
                              struct property_tally *tally, struct error *error) {
    static const char *const counts[] = {"OMP_NUM_THREADS=1", "OMP_NUM_THREADS=2",
                                         "OMP_NUM_THREADS=3", "OMP_NUM_THREADS=16"};
    struct processes *processes = calloc(1, sizeof *processes);
    for (size_t i = 0; processes && i < sizeof counts / sizeof *counts; i++)
        processes->variants[processes->count++] = counts[i];
    return run_processes(request, tally, processes, error);
}

const struct property property_thread_count = {
    .name = "thread-count",
    .summary = "how many threads the process of an implementation uses (OMP_NUM_THREADS)",
    .of[CALL_ON_ARRAYS] = {.applies = processes_apply, .run = run_thread_counts},
};
