/* Choosing a model by samples, replaying it, and choosing again where replay refutes it. */
#include "reveal/choose.h"

#include "reveal/open.h"
#include "reveal/refine.h"
#include "reveal/say.h"

#include <inttypes.h>

/* Samples: arrays, but so many calls at least; and the most terms of them all. How often a model is chosen again, by seeds
 * so far apart. */
enum {
    SAMPLED = 600,
    LEAST_SAMPLED = 12 * REPLAY_FAMILIES,
    MOST_SAMPLED = 1 << 22,
    CHOSEN_AGAIN = 6,
    CHOSEN_SEEDS = 10000
};

/* Samples refute a model too, where what was replayed has no difference. */
static void add_samples(struct replay *replay, const struct replay *sampled) {
    const struct replay replayed = *replay;
    if (replayed.different)
        return;
    *replay = *sampled;
    replay->arrays += replayed.arrays;
    replay->calls += replayed.calls;
}

/* Whether the call that differed returned the same when it was made again, as the last sample. Where not, it stays what was
 * replayed last. */
static bool does_repeat(const struct replay_samples *samples, const struct replay *replay) {
    const size_t at = replay->line * samples->subject->columns + replay->column;
    return replay_is_same(samples->subject, samples->results[samples->calls - 1][at], replay->got);
}

/* Replays a model; by the first call that differs the nodes are looked for again, a few times, and what comes of it is
 * replayed by another seed, since that call had a part in it. */
static bool replay_refined(struct finding *finding, const struct reveal_request *request,
                           uint64_t first, struct replay_samples *samples, struct choice *choice,
                           struct replay *sampled, struct rivals *rivals, struct revealed *revealed,
                           struct error *error) {
    enum { ROUNDS = 16 };
    const bool refines = refine_provides(finding);
    const struct refined refined = {finding, samples, choice, &revealed->model, rivals};
    for (uint64_t round = 0;; round++) {
        const uint64_t seed = first + 200 * round;
        if (refines && !refine_all(&refined, seed, sampled, &revealed->models, error))
            return false;
        if (!replay_run(finding->subject, &revealed->model, seed, request->arrays, 0,
                        &revealed->replay, error))
            return false;
        if (!revealed->replay.different || !refines || sampled->different || round == ROUNDS ||
            samples->calls == samples->room)
            return true;
        if (!replay_samples_add(samples, seed, revealed->replay.call, error))
            return false;
        if (!does_repeat(samples, &revealed->replay))
            return true;
        if (!replay_samples(samples, &revealed->model, 0, sampled, error))
            return false;
    }
}

/* The first call that refutes a model that all samples let stand is a sample, too, by which another model may be chosen.
 * That one is replayed by another seed. */
static bool choose_again(struct finding *finding, const struct reveal_request *request,
                         uint64_t round, struct replay_samples *samples, struct replay *sampled,
                         struct choice *choice, struct rivals *rivals, struct revealed *revealed,
                         bool *repeats, struct error *error) {
    const uint64_t seed = request->seed + CHOSEN_SEEDS * round;
    size_t tried = 0;
    if (!replay_samples_add(samples, seed - CHOSEN_SEEDS, revealed->replay.call, error))
        return false;
    *repeats = does_repeat(samples, &revealed->replay);
    if (!*repeats)
        return true;
    if (!models_fit(finding, samples, NULL, choice, sampled, &tried, error))
        return false;
    revealed->models += tried;
    model_close(&revealed->model);
    revealed->has_model = model_make(finding, choice, &revealed->model, error);
    return revealed->has_model && replay_refined(finding, request, seed, samples, choice, sampled,
                                                 rivals, revealed, error);
}

bool choose_model(struct finding *finding, const struct reveal_request *request,
                  struct revealed *revealed, struct error *error) {
    struct subject *subject = finding->subject;
    struct replay_samples samples;
    struct replay sampled;
    struct rivals rivals = {0};
    struct choice choice = {{0}};
    size_t most = MOST_SAMPLED / (subject->terms * subject->lines),
           calls = SAMPLED / (subject->lines * subject->columns);
    calls = calls < LEAST_SAMPLED ? LEAST_SAMPLED : calls;
    calls = refine_provides(finding) ? refine_samples(finding, SAMPLED) : calls;
    calls = calls > most ? most : calls;
    calls = calls < REPLAY_FAMILIES ? REPLAY_FAMILIES : calls;
    if (!replay_samples_open(&samples, subject, calls, request->seed + 100, error)) {
        replay_samples_close(&samples);
        return false;
    }
    if (finding->grown.misfits) /* few of these have a model */
        samples.most_work /= 8;
    bool good = models_fit(finding, &samples, NULL, &choice, &sampled, &revealed->models, error),
         repeats = true;
    if (!good && subject_is_stopped(subject)) {
        replay_samples_close(&samples);
        return false;
    }
    if (!good) {
        replay_samples_close(&samples);
        revealed->state = NOT_TOLD;
        revealed_say(revealed, "%s", error->text);
        return true;
    }
    revealed->has_model = good = model_make(finding, &choice, &revealed->model, error);
    if (good)
        good = replay_refined(finding, request, request->seed, &samples, &choice, &sampled, &rivals,
                              revealed, error);
    for (uint64_t round = 1;
         good && repeats && !refine_provides(finding) && round <= CHOSEN_AGAIN &&
         revealed->replay.different && !sampled.different && samples.calls < samples.room;
         round++)
        good = choose_again(finding, request, round, &samples, &sampled, &choice, &rivals, revealed,
                            &repeats, error);
    if (good && sampled.different)
        add_samples(&revealed->replay, &sampled);
    revealed->state = revealed->replay.different ? BEST_FIT : REVEALED;
    if (good && !revealed->replay.different && revealed->replay.arrays < request->arrays) {
        revealed->state = NOT_TOLD;
        revealed_say(revealed,
                     "the model could be compared on only %" PRIu64 " of %" PRIu64 " arrays",
                     revealed->replay.arrays, revealed->replay.arrays + revealed->replay.unplanted);
    }
    revealed->is_cut = samples.is_cut;
    if (good && revealed->replay.different)
        good = revealed_say_difference(finding, &choice, &samples, revealed, error);
    else if (good)
        good = open_find(finding, &samples, &choice, &rivals, revealed, error);
    if (good && subject->products)
        good = unit_names_find(&revealed->units, &samples, error);
    rivals_close(&rivals);
    replay_samples_close(&samples);
    return good;
}
