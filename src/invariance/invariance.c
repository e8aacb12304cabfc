/* Properties over blocks and threads. */
#include "invariance/block.h"
#include "invariance/checkpoint.h"

#include "base/clock.h"
#include "base/file_state.h"
#include "impl/array.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static bool is_stopped(const struct invariance_request *request) {
    return request->stop && *request->stop;
}

/* What all threads share. */
struct invariance_run {
    struct invariance_request own; /* with what is kept, if anything */
    const struct invariance_request *request;
    struct invariance_outcome *outcome;
    size_t *sizes; /* inputs of a block, by property; 0 where it is not compared by blocks */
    uint64_t done; /* inputs, of all properties */
    bool failed;
    struct error *error; /* where it has */
};

static void fail(struct invariance_run *run, const struct error *error) {
#pragma omp critical(invariance_fail)
    {
        if (!run->failed)
            *run->error = *error;
#pragma omp atomic write
        run->failed = true;
    }
}

static bool has_failed(const struct invariance_run *run) {
    bool failed;
#pragma omp atomic read
    failed = run->failed;
    return failed;
}

static void advance(struct invariance_run *run, uint64_t count) {
    const struct invariance_request *request = run->request;
    uint64_t done;
#pragma omp atomic capture
    done = run->done += count;
    if (request->progress && omp_get_thread_num() == 0)
        request->progress(request->progress_context, done);
}

/* Blocks in a batch, of which all threads take theirs. What has cost too many inputs their process in
 * the batches before is not asked for, which does not depend on the threads. */
enum { FIRST_BATCH = 1 };

/* One property: this thread's share of the blocks. */
static void run_blocks(struct invariance_run *run, size_t which, struct block *block) {
    const struct invariance_request *request = run->request;
    struct property_outcome *of = &run->outcome->properties[which];
    const uint64_t size = run->sizes[which], all = request->domain->count;
    struct invariance_checkpoint *saved = request->saved;
    uint64_t begin = invariance_checkpoint_next(saved, which), end;
    uint64_t blocks = begin ? saved->properties[which].blocks : 0;
    blocks = blocks ? blocks : FIRST_BATCH;
#pragma omp barrier
    for (; begin < all; begin = end) {
        struct property_tally tally = {0};
        end = all - begin > blocks * size ? begin + blocks * size : all;
#pragma omp for schedule(dynamic, 1)
        for (uint64_t at = begin; at < end; at += size) {
            struct error error;
            size_t count = (size_t)(end - at < size ? end - at : size);
            if (!shard_has(&request->shard, at, invariance_unit(request)))
                continue;
            if (!block || has_failed(run) || is_stopped(request))
                continue;
            if (!block_run(block, of->property, at, count, &tally, &of->tally, &error))
                fail(run, &error);
            advance(run, count);
        }
#pragma omp critical(invariance_merge)
        property_merge(&of->tally, &tally);
        blocks = blocks < CHECKPOINT_MOST_BLOCKS ? 2 * blocks : blocks;
#pragma omp barrier
#pragma omp single
        if (saved && !has_failed(run))
            invariance_checkpoint_note(saved, which, end, blocks);
    }
}

/* A thread with a binding of its own. */
static void run_thread(struct invariance_run *run) {
    const struct invariance_request *request = run->request;
    struct binding binding = {0};
    struct block block = {0};
    struct error why;
    bool good = implementation_bind(&binding, request->implementation, &request->computed, &why);
    if (good && !block_open(&block, request, &binding))
        good = error_set(&why, "out of memory");
    if (!good)
        fail(run, &why);
    for (size_t i = 0; i < request->property_count; i++)
        if (run->sizes[i])
            run_blocks(run, i, good ? &block : NULL);
    block_close(&block);
    binding_close(&binding);
}

static const struct property_hooks *hooks_of(const struct invariance_request *request,
                                             const struct property *property) {
    return &property->of[operation_call_kind(request->computed.operation)];
}

/* What the property tries as other processors, if it takes variants. */
static bool find_variants(struct invariance_run *run, const struct property *property,
                          const struct binding *binding, struct error *why) {
    const struct property_hooks *hooks = hooks_of(run->request, property);
    if (!hooks->variants)
        return true;
    struct variants *found = run->outcome->variants = calloc(1, sizeof *found);
    return found ? hooks->variants(run->request, binding, found, why)
                 : error_set(why, "out of memory");
}

/* Which properties can be tested, and the inputs of their blocks. */
static void prepare(struct invariance_run *run, const struct binding *binding) {
    const struct invariance_request *request = run->request;
    for (size_t i = 0; i < request->property_count; i++) {
        struct property_outcome *of = &run->outcome->properties[i];
        const struct property *property = request->properties[i];
        *of = (struct property_outcome){.property = property};
        const struct property_hooks *hooks = hooks_of(request, property);
        of->tested = (!hooks->applies || hooks->applies(request, binding, &of->why)) &&
                     find_variants(run, property, binding, &of->why);
        if (!of->tested || !hooks->block)
            continue;
        size_t elements = hooks->elements ? hooks->elements(binding) : BLOCK_ELEMENTS;
        run->sizes[i] = elements < BLOCK_ELEMENTS ? BLOCK_ELEMENTS / elements : 1;
    }
}

/* Of a property that does all by itself: inputs that it has done. */
static void advance_to(void *context, uint64_t done) {
    const struct invariance_run *run = context;
    run->request->progress(run->request->progress_context, run->done + done);
}

/* Zero of zero calls is no result; a shard may have none. */
static void note_nothing_compared(const struct invariance_request *request,
                                  struct property_outcome *of) {
    if (!of->tested || of->tally.inputs || !request->computed.operation->array ||
        shard_is_part(&request->shard) || is_stopped(request))
        return;
    of->tested = false;
    error_set(&of->why, "each call has too few elements for it");
}

/* Those properties, one after the other. */
static bool run_others(struct invariance_run *run, struct error *error) {
    const struct invariance_request *request = run->request;
    struct invariance_request one = *request;
    one.tried = run->outcome->variants;
    one.progress = request->progress ? advance_to : NULL;
    one.progress_context = run;
    for (size_t i = 0; i < request->property_count && !is_stopped(request); i++) {
        struct property_outcome *of = &run->outcome->properties[i];
        if (request->saved)
            request->saved->at = i;
        if (of->tested && !run->sizes[i] && !invariance_checkpoint_is_done(request->saved, i)) {
            if (!hooks_of(request, of->property)->run(&one, &of->tally, error))
                return false;
            invariance_checkpoint_note(request->saved, i, request->domain->count, 0);
        }
        note_nothing_compared(request, of);
        if (!run->sizes[i])
            advance(run, invariance_inputs(request));
    }
    return true;
}

/* The formats of the results. */
static bool find_formats(const struct invariance_request *request,
                         struct invariance_outcome *outcome, struct error *error) {
    const struct binding_request *computed = &request->computed;
    struct array_call call;
    if (!sample_call(&call, computed, error))
        return false;
    for (int i = 0; i < computed->operation->results; i++)
        outcome->formats[i] = call.results[i].format;
    return true;
}

static bool run_all(struct invariance_run *run, struct error *error) {
    const struct invariance_request *request = run->request;
    bool any = false;
    for (size_t i = 0; i < request->property_count; i++)
        any = any || run->sizes[i];
    if (any) {
#pragma omp parallel num_threads(request->threads)
        run_thread(run);
    }
    return !run->failed && run_others(run, error);
}

/* With an implementation that is provided. */
static bool run_bound(struct invariance_run *run, struct binding *binding,
                      struct invariance_checkpoint *saved, struct error *error) {
    struct invariance_request *request = &run->own;
    memcpy(run->outcome->detail, binding->detail, sizeof run->outcome->detail);
    binding_build(binding, run->outcome->build);
    prepare(run, binding);
    bool good = true;
    if (request->checkpoint) {
        good = invariance_checkpoint_open(saved, request, run->outcome, binding, error);
        request->saved = saved;
    }
    /* What is loaded here stays what it is, and the properties want it loaded by themselves alone. */
    bool may_change =
        !request->implementation->foreign || !request->implementation->foreign->in_process;
    if (!may_change)
        binding_close(binding);
    for (size_t i = 0; good && request->saved && i < request->property_count; i++) {
        uint64_t next = invariance_checkpoint_next(saved, i), all = invariance_inputs(request);
        run->done += run->sizes[i] ? next < all ? next : all : 0;
    }
    good = good && run_all(run, error) && files_stay(error);
    if (may_change) {
        good = good && binding_keeps_build(binding, run->outcome->build, error);
        binding_close(binding);
    }
    return good;
}

bool invariance_run(const struct invariance_request *request, struct invariance_outcome *outcome,
                    struct error *error) {
    struct invariance_run run = {.own = *request, .outcome = outcome, .error = error};
    struct invariance_checkpoint saved = {.start = clock_seconds()};
    struct binding binding;
    run.request = &run.own;
    *outcome = (struct invariance_outcome){0};
    outcome->properties = calloc(request->property_count + 1, sizeof *outcome->properties);
    run.sizes = calloc(request->property_count + 1, sizeof *run.sizes);
    bool good = outcome->properties && run.sizes ? true : error_set(error, "out of memory");
    good = good && find_formats(request, outcome, error);
    if (good) {
        outcome->provided = implementation_bind(&binding, request->implementation,
                                                &request->computed, &outcome->reason);
        if (!outcome->provided && binding.broken) {
            *error = outcome->reason;
            good = false;
        }
    }
    if (good && outcome->provided)
        good = run_bound(&run, &binding, &saved, error);
    invariance_checkpoint_leave(run.own.saved);
    invariance_checkpoint_close(&saved);
    free(run.sizes);
    outcome->complete = !is_stopped(request);
    outcome->seconds = clock_seconds() - saved.start;
    if (!good && !is_stopped(request)) {
        invariance_outcome_free(outcome);
        return false;
    }
    return true;
}

void invariance_outcome_free(struct invariance_outcome *outcome) {
    free(outcome->properties);
    free(outcome->variants);
    *outcome = (struct invariance_outcome){0};
}
