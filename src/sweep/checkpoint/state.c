/* Copies of tallies, and the document of them all. */
#include "sweep/checkpoint/state.h"

#include "base/clock.h"
#include "sweep/checkpoint/state_document.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Tasks that a thread ends, and seconds, before it copies its tallies. */
enum { MOST_PENDING = 256 };
#define COPY_AFTER 0.05

/* One thread's counts after whole tasks, and the tasks that it has ended since. */
struct copy {
    struct counted counted;
    uint64_t pending[MOST_PENDING];
    size_t pending_count;
    double last;
};

struct state {
    struct checkpoint *checkpoint;
    struct sweep_view view;
    struct state_head head;
    double start;
    struct copy *copies;
    bool *done;
    char (*fingerprints)[FINGERPRINT_TEXT]; /* by output, of a finished sweep */
    pthread_mutex_t lock;
    bool writing;
};

static struct state_parts parts_of(struct state *state) {
    return (struct state_parts){&state->head, &state->view, state->done, state->fingerprints};
}

/* The copies of all threads as the state of the sweep under way. The lock is held, or there are no
 * threads any more. */
static void collect(struct state *state) {
    struct checkpoint *checkpoint = state->checkpoint;
    struct bytes *bytes = &checkpoint->sweeps[checkpoint->at];
    const struct state_parts parts = parts_of(state);
    struct counted all;
    struct serialiser serialiser = {0};
    bool room = counted_open(&state->view, &all, &state->copies[0].counted);
    for (int i = 1; room && i < state->view.threads; i++)
        counted_merge(&state->view, &all, &state->copies[i].counted);
    if (room && serialise_write(&serialiser)) {
        state_pass_head(&serialiser, &state->head);
        state_pass_rest(&serialiser, &parts, &all);
    }
    counted_close(&state->view, &all);
    serialise_end(&serialiser, bytes);
}

/* Whether somebody needs the digests of a finished sweep. */
static bool keeps_digests(const struct sweep_view *view) {
    return shard_is_part(&view->request->shard) || view->request->digest;
}

static bool same_head(const struct checkpoint *checkpoint, const struct state_head *found,
                      const struct state_head *wanted, bool may_finish, struct error *error) {
    return identity_is(&found->identity, &wanted->identity, checkpoint->path, error) &&
           (found->envelope == wanted->envelope ||
            error_set(
                error,
                "%.200s is the checkpoint of a sweep %s --envelope; remove the file to start again",
                checkpoint->path, found->envelope ? "with" : "without")) &&
           ((found->tasks == wanted->tasks && found->task_digests == wanted->task_digests &&
             found->digest_count == wanted->digest_count && found->outputs == wanted->outputs &&
             found->pairs == wanted->pairs && found->finished <= may_finish) ||
            error_set(error, "%.200s is damaged or cut off; remove the file to start again",
                      checkpoint->path));
}

/* Into the first worker, whose counts are those of nothing yet. */
static bool resume(struct state *state, double *seconds, struct error *error) {
    struct checkpoint *checkpoint = state->checkpoint;
    struct counted counted = counted_by(&state->view.workers[0]);
    const struct state_parts parts = parts_of(state);
    struct state_head found = {0};
    struct serialiser serialiser;
    if (!serialise_read(&serialiser, &checkpoint->sweeps[checkpoint->at], checkpoint->path, error))
        return false;
    state_pass_head(&serialiser, &found);
    bool good = !serialise_is_torn(&serialiser) &&
                same_head(checkpoint, &found, &state->head, !keeps_digests(&state->view), error);
    if (good) {
        state->head = found;
        state_pass_rest(&serialiser, &parts, &counted);
    }
    good = good && !serialise_is_torn(&serialiser);
    serialise_close(&serialiser);
    *seconds = found.seconds;
    return good;
}

static bool make_room(struct state *state) {
    const struct sweep_view *view = &state->view;
    state->copies = calloc((size_t)view->threads, sizeof *state->copies);
    state->done = calloc((size_t)view->tasks + 1, sizeof *state->done);
    state->fingerprints = calloc(view->output_count + 1, sizeof *state->fingerprints);
    return state->copies && state->done && state->fingerprints;
}

struct state *state_open(struct checkpoint *checkpoint, const struct sweep_view *view,
                         double *seconds, struct error *error) {
    struct state *state = calloc(1, sizeof *state);
    bool known = false, room = state && checkpoint_begin(checkpoint, &known);
    if (state) {
        *state = (struct state){.checkpoint = checkpoint, .view = *view, .start = clock_seconds()};
        pthread_mutex_init(&state->lock, NULL);
    }
    bool good = room && make_room(state);
    if (!good) {
        error_set(error, "out of memory for a checkpoint");
        state_close(state);
        return NULL;
    }
    state->head = (struct state_head){.tasks = view->tasks,
                                      .task_digests = view->task_digests,
                                      .digest_count = view->digest_count,
                                      .outputs = view->output_count,
                                      .pairs = view->workers[0].pair_count,
                                      .envelope = view->request->envelope};
    good = domain_identity(view->request->domain, state->head.identity.inputs) ||
           error_set(error, "out of memory for a checkpoint");
    good = good &&
           implementations_identity(&view->request->computed, view->request->implementations,
                                    view->request->implementation_count, view->workers[0].bindings,
                                    view->workers[0].provided, state->head.identity.implementations,
                                    error) &&
           promises_identity(view->request, state->head.identity.promises, error) &&
           (!known || resume(state, seconds, error));
    if (good && known)
        checkpoint_note_resumed(checkpoint);
    state->start -= state->head.seconds;
    for (int i = 0; good && i < view->threads; i++) {
        struct counted counted = counted_by(&view->workers[i]);
        good = counted_open(view, &state->copies[i].counted, &counted) ||
               error_set(error, "out of memory for a checkpoint");
    }
    if (good)
        return state;
    state_close(state);
    return NULL;
}

bool state_has(const struct state *state, uint64_t task) {
    return state->done[task];
}

static void copy_now(struct state *state, int thread, double now) {
    struct copy *copy = &state->copies[thread];
    struct counted counted = counted_by(&state->view.workers[thread]);
    pthread_mutex_lock(&state->lock);
    counted_copy(&state->view, &copy->counted, &counted);
    for (size_t i = 0; i < copy->pending_count; i++)
        state->done[copy->pending[i]] = true;
    state->checkpoint->fresh = state->checkpoint->fresh || copy->pending_count;
    pthread_mutex_unlock(&state->lock);
    copy->pending_count = 0;
    copy->last = now;
}

void state_add(struct state *state, int thread, uint64_t task) {
    struct copy *copy = &state->copies[thread];
    double now = clock_seconds();
    copy->pending[copy->pending_count++] = task;
    if (copy->pending_count == MOST_PENDING || now - copy->last >= COPY_AFTER)
        copy_now(state, thread, now);
}

void state_look(struct state *state) {
    struct checkpoint *checkpoint = state->checkpoint;
    bool mine = false;
    if (!checkpoint_is_due(checkpoint))
        return;
    pthread_mutex_lock(&state->lock);
    if (!state->writing && checkpoint_is_due(checkpoint)) {
        mine = state->writing = true;
        state->head.seconds = clock_seconds() - state->start;
        collect(state);
        checkpoint_settle(checkpoint);
    }
    pthread_mutex_unlock(&state->lock);
    if (!mine)
        return;
    checkpoint_write(checkpoint); /* the others go on meanwhile */
    pthread_mutex_lock(&state->lock);
    state->writing = false;
    pthread_mutex_unlock(&state->lock);
}

void state_end(struct state *state, const struct sweep_outcome *outcome, double seconds) {
    const struct sweep_view *view = &state->view;
    double now = clock_seconds();
    for (int i = 0; i < view->threads; i++)
        if (outcome->complete)
            copy_now(state, i, now);
    state->head.seconds = seconds;
    state->head.finished = outcome->complete && !keeps_digests(view);
    for (size_t i = 0; state->head.finished && i < view->output_count; i++)
        memcpy(state->fingerprints[i],
               outcome->implementations[i / MAX_RESULTS].fingerprints[i % MAX_RESULTS],
               FINGERPRINT_TEXT);
    collect(state);
    state->checkpoint->at++;
}

const char *state_fingerprint(const struct state *state, size_t output) {
    return state->head.finished ? state->fingerprints[output] : NULL;
}

void state_close(struct state *state) {
    if (!state)
        return;
    for (int i = 0; state->copies && i < state->view.threads; i++)
        counted_close(&state->view, &state->copies[i].counted);
    free(state->copies);
    free(state->done);
    free(state->fingerprints);
    pthread_mutex_destroy(&state->lock);
    free(state);
}
