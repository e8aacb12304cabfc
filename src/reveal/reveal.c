/* One length: repeat, count, grow the tree, aim at its additions, choose a model, replay it. */
#include "reveal/reveal.h"

#include "reveal/choose.h"
#include "reveal/dependence.h"
#include "reveal/find.h"
#include "reveal/open.h"
#include "reveal/overflow.h"
#include "reveal/say.h"
#include "reveal/through_replay.h"

#include "format/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const reveal_state_names[REVEAL_STATES] = {"revealed", "best-fit", "not-repeatable",
                                                       "no-tree", "not-told"};

enum { REPEATED = 18 };

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
                     "data, or the sum keeps so many bits that the order hardly shows");
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

static bool open_subject(struct subject *subject, const struct reveal_request *request,
                         size_t terms, struct revealed *revealed, struct error *error) {
    if (!subject_open(subject, request->implementation, &request->computed, request->inner,
                      &request->shape, terms, request->whole, error))
        return false;
    subject->stop = request->stop;
    revealed->shape = subject->inner ? subject->own_shape : subject->shape;
    revealed->families = subject->through ? through_family_names : replay_family_names;
    return true;
}

/* What is known of its calls before any is asked. */
static bool prepare(struct subject *subject, const struct reveal_request *request,
                    struct error *error) {
    return subject_call_at_once(subject, request->at_once, error) &&
           (!subject->through || through_replay_open(subject, error));
}

/* Of a length of which something failed: results that do not show the sum are no trouble, but what is to be said of it. */
static bool say_hidden(const struct subject *subject, struct revealed *revealed,
                       const struct error *why) {
    if (!subject->is_hidden || subject_is_stopped(subject))
        return false;
    revealed->state = NOT_TOLD;
    revealed_say(revealed, "%s", why->text);
    return true;
}

bool reveal_length(const struct reveal_request *request, size_t terms, struct revealed *revealed,
                   struct error *error) {
    struct subject subject;
    struct finding finding = {.subject = &subject};
    memset(revealed, 0, sizeof *revealed);
    revealed->terms = terms;
    if (!open_subject(&subject, request, terms, revealed, error))
        return false;
    bool good = prepare(&subject, request, error) && find_all(&finding, request, revealed, error) &&
                (revealed->state != REVEALED || find_addend(&subject, request, revealed, error));
    good = good || say_hidden(&subject, revealed, error);
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
    if (!open_subject(&subject, request, terms, revealed, error))
        return false;
    bool good = prepare(&subject, request, error) &&
                replay_run(&subject, &revealed->model, request->seed, request->arrays, 1,
                           &revealed->replay, error);
    *fits = good && !revealed->replay.different && revealed->replay.arrays >= request->arrays &&
            through->shift == through_shift_of(&subject);
    revealed->state = *fits ? REVEALED : BEST_FIT;
    if (good && revealed->replay.different)
        good = revealed_make_again(&subject, revealed, error);
    if (good && *fits)
        good = find_addend(&subject, request, revealed, error);
    good = good || say_hidden(&subject, revealed, error);
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
