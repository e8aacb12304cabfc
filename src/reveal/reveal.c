/* One length: repeat, count, grow the tree, aim at its additions, choose a model, replay it. */
#include "reveal/reveal.h"

#include "reveal/dependence.h"
#include "reveal/find.h"
#include "reveal/open.h"
#include "reveal/overflow.h"
#include "reveal/refine.h"
#include "reveal/say.h"
#include "reveal/through_replay.h"

#include "format/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const reveal_state_names[REVEAL_STATES] = {"revealed", "best-fit", "not-repeatable",
                                                       "no-tree", "not-told"};

/* Samples: arrays, but so many calls at least; and the most terms of them all. */
enum {
    REPEATED = 18,
    SAMPLED = 600,
    LEAST_SAMPLED = 12 * REPLAY_FAMILIES,
    MOST_SAMPLED = 1 << 22,
    CHOSEN_AGAIN = 6,
    CHOSEN_SEEDS = 10000
};

/* ---- Choosing and replaying ---- */

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

static bool choose_model(struct finding *finding, const struct reveal_request *request,
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
                     "few terms have the sums that the model says: %" PRIu64 " of %" PRIu64
                     " arrays were replayed",
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

/* Whether the same call gives the same again. */
static bool check_repeats(struct subject *subject, const struct reveal_request *request,
                          struct revealed *revealed, bool *repeats, struct error *error) {
    char got[NUMBER_TEXT], before[NUMBER_TEXT];
    struct replay replay;
    if (!replay_repeats(subject, request->seed, REPEATED, repeats, &replay, error))
        return false;
    if (*repeats)
        return true;
    revealed->state = NOT_REPEATABLE;
    revealed_say(revealed, "call %" PRIu64 ", of %s arrays, returns %s and, made again, %s",
                 replay.call, revealed->families[replay.call % REPLAY_FAMILIES],
                 revealed_code_text(subject, replay.expected, before),
                 revealed_code_text(subject, replay.got, got));
    return true;
}

/* What was found by a tree, or by probes, that others replace. */
static void forget_model(struct revealed *revealed) {
    if (revealed->has_model)
        model_close(&revealed->model);
    revealed->has_model = false;
    revealed->state = REVEALED;
    revealed->replay = (struct replay){0};
    revealed->refuted = (struct refuted){0};
    revealed->units = (struct unit_names){0};
    revealed->why[0] = '\0';
    revealed->open_count = 0;
    revealed->is_cut = false;
}

/* Where no model fits, whether some additions alone flush subnormal terms; then another one is chosen. */
static bool choose_by_stages(struct finding *finding, const struct reveal_request *request,
                             struct revealed *revealed, struct error *error) {
    const uint64_t before = finding->subject->calls;
    if (finding->subject->through || finding->grown.misfits || finding->grown.keeps)
        return true;
    if (!aim_terms(&finding->aim, error))
        return false;
    revealed->node_calls += finding->subject->calls - before;
    if (!finding->aim.flushes_terms)
        return true;
    forget_model(revealed);
    return choose_model(finding, request, revealed, error);
}

/* By the tree: its additions, a model, and what is to be said of it. */
static bool find_model(struct finding *finding, const struct reveal_request *request,
                       struct revealed *revealed, struct error *error) {
    if (!find_nodes(finding, revealed, error))
        return false;
    const struct grown *grown = &finding->grown;
    if (!grown->tree.count) {
        revealed->state = NOT_TOLD;
        revealed_say(revealed, "no term is in the result once");
        return true;
    }
    if (finding->subject->through && revealed->doubled) {
        revealed->state = NOT_TOLD;
        revealed_say(revealed, "a term that counts twice hides which terms meet first");
        return true;
    }
    if (finding->subject->through && grown->keeps && subject_shows_less(finding->subject)) {
        revealed->state = NOT_TOLD;
        revealed_say(revealed, "results in %s do not show in which order the sum is added",
                     finding->subject->call.results[0].format->name);
        return true;
    }
    if (!choose_model(finding, request, revealed, error) ||
        (revealed->state == BEST_FIT && !choose_by_stages(finding, request, revealed, error)))
        return false;
    if (revealed->state == NOT_REPEATABLE)
        return true;
    if (finding->subject->through && revealed->state == REVEALED &&
        revealed->model.order.nodes[0].kind == ORDER_EXACT)
        open_add(revealed, "how terms meet: exact, or in any order in a format so wide that the "
                           "results do not show it");
    char words[REVEAL_TEXT], overflows[REVEAL_TEXT] = "";
    if (revealed->state == REVEALED &&
        !find_overflow(finding->subject, &revealed->model, overflows, sizeof overflows, error))
        return false;
    if (*overflows)
        open_add(revealed, overflows);
    if (revealed->state == REVEALED && revealed->model.sorting.sorts)
        revealed_say(revealed, "the order depends on the data: terms are sorted by %s",
                     sorting_words(&revealed->model.sorting, words, sizeof words));
    char dependence[REVEAL_TEXT] = "";
    if (revealed->state != REVEALED &&
        !find_behind(finding->subject, dependence, sizeof dependence, error))
        return false;
    if (revealed->state != REVEALED && !*dependence &&
        !find_elements(finding->subject, dependence, sizeof dependence, error))
        return false;
    if (*dependence && revealed->has_model) { /* it is that of no element */
        model_close(&revealed->model);
        revealed->has_model = false;
    }
    if (revealed->state != REVEALED && !*dependence && !finding->grown.keeps &&
        !finding->subject->through &&
        !find_dependence(&finding->pairs, dependence, sizeof dependence, error))
        return false;
    if (*dependence) {
        revealed->state = NO_TREE;
        revealed->why[0] = 0;
        revealed->refuted.varied = 0;
        revealed_say(revealed, "%s", dependence);
        return true;
    }
    if (revealed->state == BEST_FIT && finding->is_symmetric)
        revealed_say(revealed,
                     "; results are the same when terms change places: the order depends on the "
                     "data");
    if (revealed->state == BEST_FIT)
        revealed_say_cut(revealed);
    if (revealed->state == REVEALED || !grown->misfits)
        return true;
    revealed->state = NO_TREE;
    revealed->why[0] = 0;
    revealed->refuted.varied = 0;
    revealed_say(
        revealed,
        "terms %zu and %zu, so large that others are lost beside them, leave all but %zu of the "
        "others, which no tree does",
        grown->first, grown->second, grown->within);
    revealed_say_cut(revealed);
    return true;
}

static bool find_all(struct finding *finding, const struct reveal_request *request,
                     struct revealed *revealed, struct error *error) {
    bool repeats, is_other;
    if (!check_repeats(finding->subject, request, revealed, &repeats, error))
        return false;
    if (!repeats)
        return true;
    if (!find_tree(finding, revealed, error) || !find_model(finding, request, revealed, error))
        return false;
    if (revealed->state == REVEALED || revealed->state == NOT_REPEATABLE)
        return true;
    if (!find_tree_again(finding, revealed, &is_other, error))
        return false;
    if (!is_other)
        return true;
    forget_model(revealed);
    return find_model(finding, request, revealed, error);
}

/* An order in which c stands nowhere is not that of the implementation. */
static bool find_addend(struct subject *subject, const struct reveal_request *request,
                        struct revealed *revealed, struct error *error) {
    struct addend *addend = &revealed->addend;
    if (!addend_find(subject, &revealed->model, request->seed, addend, error))
        return false;
    if (!*addend->words || addend->is_found)
        return true;
    revealed->state = BEST_FIT;
    revealed_say(revealed, "%s", addend->words);
    *addend->words = '\0';
    return true;
}

bool reveal_length(const struct reveal_request *request, size_t terms, struct revealed *revealed,
                   struct error *error) {
    struct subject subject;
    struct finding finding = {.subject = &subject};
    memset(revealed, 0, sizeof *revealed);
    revealed->terms = terms;
    if (!subject_open(&subject, request->implementation, &request->computed, request->inner,
                      &request->shape, terms, request->whole, error))
        return false;
    subject.stop = request->stop;
    revealed->shape = subject.inner ? subject.own_shape : subject.shape;
    revealed->families = subject.through ? through_family_names : replay_family_names;
    bool good = subject_call_at_once(&subject, request->at_once, error) &&
                (!subject.through || through_replay_open(&subject, error)) &&
                find_all(&finding, request, revealed, error) &&
                (revealed->state != REVEALED || find_addend(&subject, request, revealed, error));
    revealed->calls = subject.calls;
    revealed->event = subject.event;
    finding_close(&finding);
    subject_close(&subject);
    return good;
}

bool reveal_by(const struct reveal_request *request, size_t terms, const struct order *order,
               const struct through_choice *through, struct revealed *revealed, bool *fits,
               struct error *error) {
    struct subject subject;
    struct error why;
    memset(revealed, 0, sizeof *revealed);
    revealed->terms = terms;
    *fits = false;
    if (!order_tree_of(order, terms, &revealed->model.tree, error))
        return false;
    revealed->model.order = *order;
    revealed->model.order.trees = NULL;
    revealed->model.order.tree_count = 0;
    revealed->model.through = *through;
    revealed->has_model = true;
    revealed->state = BEST_FIT;
    /* A rule that drops a rest of totals leaves their additions behind at some lengths: it gives no tree of these. */
    if (!order_tree_check(&revealed->model.tree, order->node_count, &why))
        return true;
    if (!subject_open(&subject, request->implementation, &request->computed, request->inner,
                      &request->shape, terms, request->whole, error))
        return false;
    subject.stop = request->stop;
    revealed->shape = subject.inner ? subject.own_shape : subject.shape;
    revealed->families = subject.through ? through_family_names : replay_family_names;
    bool good = subject_call_at_once(&subject, request->at_once, error) &&
                (!subject.through || through_replay_open(&subject, error)) &&
                replay_run(&subject, &revealed->model, request->seed, request->arrays, 1,
                           &revealed->replay, error);
    *fits = good && !revealed->replay.different && revealed->replay.arrays >= request->arrays &&
            through->shift == through_shift_of(&subject);
    revealed->state = *fits ? REVEALED : BEST_FIT;
    if (good && revealed->replay.different)
        good = revealed_make_again(&subject, revealed, error);
    if (good && *fits)
        good = find_addend(&subject, request, revealed, error);
    *fits = revealed->state == REVEALED;
    revealed->calls = subject.calls;
    subject_close(&subject);
    return good;
}

void revealed_close(struct revealed *revealed) {
    if (revealed->has_model)
        model_close(&revealed->model);
    addend_close(&revealed->addend);
    free(revealed->weight);
    revealed->weight = NULL;
}
