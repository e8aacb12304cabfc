/* Copies of tallies, and these as bytes. */
#include "sweep/checkpoint/state.h"

#include "base/clock.h"
#include "sweep/checkpoint/flow.h"
#include "sweep/checkpoint/identity.h"
#include "sweep/judge/flags.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Tasks that a thread ends, and seconds, before it copies its tallies. */
enum { MOST_PENDING = 256 };
#define COPY_AFTER 0.05

/* What is counted: of a thread, or a copy of that. */
struct counted {
    struct tally *tallies; /* by output */
    struct pair_outcome *pairs;
    struct effect_tally *effects; /* by implementation; NULL where nobody asks */
    struct oracle_counts *oracle; /* by result */
};

/* One thread's counts after whole tasks, and the tasks that it has ended since. */
struct copy {
    struct counted counted;
    uint64_t pending[MOST_PENDING];
    size_t pending_count;
    double last;
};

/* The first bytes of a state. */
struct head {
    struct identity identity;
    uint64_t tasks, task_digests, digest_count, outputs, pairs;
    uint64_t envelope; /* there is one */
    uint64_t finished; /* and without digests */
    double seconds;
};

struct state {
    struct checkpoint *checkpoint;
    struct sweep_view view;
    struct head head;
    double start;
    struct copy *copies;
    uint8_t *done;
    char (*fingerprints)[FINGERPRINT_TEXT]; /* by output, of a finished sweep */
    pthread_mutex_t lock;
    bool writing;
};

static bool is_computed(const struct sweep_view *view, size_t output) {
    return view->workers[0].provided[output / MAX_RESULTS] &&
           (int)(output % MAX_RESULTS) < view->request->computed.operation->results;
}

static struct counted counted_by(struct worker *worker) {
    return (struct counted){worker->tallies, worker->pairs,
                            worker->flags ? worker->flags->tallies : NULL, worker->counts};
}

static void copy_counted(const struct sweep_view *view, struct counted *into,
                         const struct counted *from) {
    for (size_t i = 0; i < view->output_count; i++)
        if (is_computed(view, i)) {
            struct tally *mine = &into->tallies[i];
            struct binade_tally *binades = mine->binades;
            struct envelope_step *steps = mine->envelope.steps;
            *mine = from->tallies[i];
            mine->binades = binades;
            mine->envelope.steps = steps;
            if (steps)
                memcpy(steps, from->tallies[i].envelope.steps,
                       mine->envelope.step_count * sizeof *steps);
            memcpy(binades, from->tallies[i].binades, (size_t)mine->binade_count * sizeof *binades);
        }
    memcpy(into->pairs, from->pairs, view->workers[0].pair_count * sizeof *into->pairs);
    memcpy(into->oracle, from->oracle, MAX_RESULTS * sizeof *into->oracle);
    if (from->effects)
        memcpy(into->effects, from->effects,
               view->request->implementation_count * sizeof *into->effects);
}

static void close_counted(const struct sweep_view *view, struct counted *counted) {
    for (size_t i = 0; counted->tallies && i < view->output_count; i++)
        tally_close(&counted->tallies[i]);
    free(counted->tallies);
    free(counted->pairs);
    free(counted->effects);
    free(counted->oracle);
}

/* Room for a copy, and the copy. Close it in any case. */
static bool open_counted(const struct sweep_view *view, struct counted *counted,
                         const struct counted *from) {
    *counted = (struct counted){
        .tallies = calloc(view->output_count + 1, sizeof *counted->tallies),
        .pairs = calloc(view->workers[0].pair_count + 1, sizeof *counted->pairs),
        .effects = calloc(view->request->implementation_count + 1, sizeof *counted->effects),
        .oracle = calloc(MAX_RESULTS, sizeof *counted->oracle)};
    bool room = counted->tallies && counted->pairs && counted->effects && counted->oracle;
    for (size_t i = 0; room && i < view->output_count; i++)
        if (is_computed(view, i)) {
            size_t binades = (size_t)from->tallies[i].binade_count + 1;
            counted->tallies[i].binades = calloc(binades, sizeof *counted->tallies[i].binades);
            const struct envelope *envelope = &from->tallies[i].envelope;
            if (envelope->steps)
                counted->tallies[i].envelope.steps =
                    calloc(envelope->step_count, sizeof *envelope->steps);
            room = counted->tallies[i].binades != NULL &&
                   (!envelope->steps || counted->tallies[i].envelope.steps);
        }
    if (room)
        copy_counted(view, counted, from);
    return room;
}

static void merge_counted(const struct sweep_view *view, struct counted *into,
                          const struct counted *from) {
    for (size_t i = 0; i < view->output_count; i++)
        if (is_computed(view, i))
            tally_merge(&into->tallies[i], &from->tallies[i]);
    for (size_t pair = 0; pair < view->workers[0].pair_count; pair++)
        for (int j = 0; j < MAX_RESULTS; j++)
            difference_merge(&into->pairs[pair].results[j], &from->pairs[pair].results[j]);
    for (size_t i = 0; i < view->request->implementation_count; i++)
        effect_tally_merge(&into->effects[i], &from->effects[i]);
    for (int j = 0; j < MAX_RESULTS; j++) {
        into->oracle[j].fast += from->oracle[j].fast;
        into->oracle[j].exact += from->oracle[j].exact;
        into->oracle[j].rechecked += from->oracle[j].rechecked;
    }
}

static void pass_digests(struct state *state, struct flow *flow, size_t output) {
    const struct sweep_view *view = &state->view;
    for (uint64_t task = 0; task < view->tasks; task++) {
        uint64_t first = task * view->task_digests, rest = view->digest_count - first;
        struct block_digest *digests = view->digests + output * view->digest_count + first;
        if (state->done[task])
            flow_pass(flow, digests,
                      (size_t)(rest < view->task_digests ? rest : view->task_digests) *
                          sizeof *digests);
    }
}

static void pass_output(struct state *state, struct flow *flow, struct tally *tally,
                        size_t output) {
    struct binade_tally *binades = tally->binades;
    struct envelope envelope = tally->envelope;
    int lowest = tally->lowest_exponent, count = tally->binade_count;
    flow_pass(flow, tally, sizeof *tally);
    flow->torn = flow->torn || tally->lowest_exponent != lowest || tally->binade_count != count;
    tally->binades = binades;
    tally->lowest_exponent = lowest;
    tally->binade_count = count;
    tally->envelope = envelope;
    flow_pass(flow, binades, (size_t)count * sizeof *binades);
    if (envelope.steps)
        flow_pass(flow, envelope.steps, envelope.step_count * sizeof *envelope.steps);
    if (state->head.finished)
        flow_pass(flow, state->fingerprints[output], FINGERPRINT_TEXT);
    else
        pass_digests(state, flow, output);
}

/* All behind the head. */
static void pass_state(struct state *state, struct flow *flow, struct counted *counted) {
    const struct sweep_view *view = &state->view;
    size_t implementations = view->request->implementation_count;
    flow_pass(flow, state->done, (size_t)view->tasks);
    flow_pass(flow, counted->oracle, MAX_RESULTS * sizeof *counted->oracle);
    flow_pass(flow, counted->pairs, view->workers[0].pair_count * sizeof *counted->pairs);
    if (view->workers[0].flags)
        flow_pass(flow, counted->effects, implementations * sizeof *counted->effects);
    for (size_t i = 0; i < view->output_count; i++)
        if (is_computed(view, i))
            pass_output(state, flow, &counted->tallies[i], i);
}

/* The copies of all threads as the state of the sweep under way. The lock is held, or there are no
 * threads any more. */
static void collect(struct state *state) {
    struct checkpoint *checkpoint = state->checkpoint;
    struct bytes *bytes = &checkpoint->sweeps[checkpoint->at];
    struct flow flow = {.bytes = bytes};
    struct counted all;
    bytes->size = 0;
    bytes->failed = !open_counted(&state->view, &all, &state->copies[0].counted);
    if (!bytes->failed) {
        for (int i = 1; i < state->view.threads; i++)
            merge_counted(&state->view, &all, &state->copies[i].counted);
        flow_pass(&flow, &state->head, sizeof state->head);
        pass_state(state, &flow, &all);
    }
    close_counted(&state->view, &all);
}

static bool same_head(const struct checkpoint *checkpoint, const struct head *found,
                      const struct head *wanted, struct error *error) {
    return identity_is(&found->identity, &wanted->identity, checkpoint->path, error) &&
           (found->envelope == wanted->envelope ||
            error_set(error,
                      "%.200s is the checkpoint of a sweep %s --envelope; remove the file to begin "
                      "anew",
                      checkpoint->path, found->envelope ? "with" : "without")) &&
           ((found->tasks == wanted->tasks && found->task_digests == wanted->task_digests &&
             found->digest_count == wanted->digest_count && found->outputs == wanted->outputs &&
             found->pairs == wanted->pairs) ||
            error_set(error, "%.200s is torn", checkpoint->path));
}

/* Into the first worker. */
static bool resume(struct state *state, double *seconds, struct error *error) {
    struct checkpoint *checkpoint = state->checkpoint;
    struct flow flow = {.bytes = &checkpoint->sweeps[checkpoint->at], .reads = true};
    struct counted counted = counted_by(&state->view.workers[0]);
    struct head found;
    memset(&found, 0, sizeof found);
    flow_pass(&flow, &found, sizeof found);
    if (!flow.torn && !same_head(checkpoint, &found, &state->head, error))
        return false;
    if (!flow.torn) {
        state->head = found;
        pass_state(state, &flow, &counted);
    }
    if (flow.torn || flow.at != flow.bytes->size)
        return error_set(error, "%.200s is torn", checkpoint->path);
    *seconds = found.seconds;
    return true;
}

static bool make_room(struct state *state) {
    const struct sweep_view *view = &state->view;
    state->copies = calloc((size_t)view->threads, sizeof *state->copies);
    state->done = calloc((size_t)view->tasks + 1, 1);
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
    state->head = (struct head){.tasks = view->tasks,
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
        good = open_counted(view, &state->copies[i].counted, &counted) ||
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
    copy_counted(&state->view, &copy->counted, &counted);
    for (size_t i = 0; i < copy->pending_count; i++)
        state->done[copy->pending[i]] = 1;
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
    bool kept = shard_is_part(&view->request->shard) || view->request->digest;
    double now = clock_seconds();
    for (int i = 0; i < view->threads; i++)
        if (outcome->complete)
            copy_now(state, i, now);
    state->head.seconds = seconds;
    state->head.finished = outcome->complete && !kept;
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
        close_counted(&state->view, &state->copies[i].counted);
    free(state->copies);
    free(state->done);
    free(state->fingerprints);
    pthread_mutex_destroy(&state->lock);
    free(state);
}
