/* The answer, from what was counted. */
#include "explain/explain.h"

#include "explain/bound.h"
#include "explain/inquiry.h"
#include "explain/repeat.h"
#include "explain/where.h"
#include "explain/within.h"

#include <stdlib.h>
#include <string.h>

const char *const explanation_verdicts[] = {"all", "part", "none"};
const char *const no_cause_names[NO_CAUSE_REASONS] = {"", "right", "chance", "covered", "one-side"};

static bool applies(const struct hypothesis *row, const struct binding_request *computed) {
    struct cast cast;
    struct error unused;
    if (row->source == FROM_CONVERSION)
        return conversion_make(&cast, computed->format, computed->rounding, &computed->parameters,
                               &unused) &&
               conversion_applies(row, &cast);
    return row->source == FROM_REBUILD || hypothesis_applies(row, computed);
}

hypothesis_set explain_hypotheses(const struct explain_request *request) {
    hypothesis_set set = 0;
    for (size_t row = 0; row < hypothesis_rows(request); row++) {
        struct hypothesis one = hypothesis_of(request, row);
        if (!applies(&one, &request->computed))
            continue;
        set |= hypothesis_bit(row, 0);
        if (one.source != FROM_BOTH)
            set |= hypothesis_bit(row, 1);
    }
    return set;
}

static void find_example(const struct counts *counts, struct explanation *one, hypothesis_set bit) {
    for (size_t i = 0; i < counts->set_count; i++) {
        const struct set_count *entry = &counts->sets[i];
        if (!(entry->set & bit) ||
            (one->has_example && !difference_is_worse(&entry->worst, &one->example)))
            continue;
        one->has_example = true;
        one->example = entry->worst;
    }
}

/* Whether a row has the side at fault that is right wherever they differ, and the other is not. What
 * a rebuild shows is so all the same. */
static bool blames_the_right(const struct inquiry *inquiry, int bit) {
    const struct counts *all = &inquiry->all;
    struct hypothesis row = hypothesis_of(inquiry->request, (size_t)bit / 2);
    return row.source != FROM_BOTH && row.source != FROM_REBUILD && all->judged == all->differ &&
           all->right[bit % 2] == all->judged && all->right[1 - bit % 2] < all->judged;
}

/* Where a hypothesis about bits holds: of one sign, of both alike, or of each. */
static void describe_limits(const struct stretch *limits, const struct format *format,
                            struct explanation *one) {
    const bool signs[2] = {limits->from[0] <= limits->to[0], limits->from[1] <= limits->to[1]};
    const bool alike = limits->from[0] == limits->from[1] && limits->to[0] == limits->to[1];
    const int sign = signs[0] ? 0 : 1;
    const bool around_zero = signs[0] && signs[1] && !alike &&
                             format_classify(format, limits->from[0]) != CLASS_NORMAL &&
                             format_classify(format, limits->from[1]) != CLASS_NORMAL;
    one->has_ends = one->is_within = true;
    one->of_magnitudes = alike;
    one->from = format_with_sign(format, limits->from[sign], sign);
    one->to = format_with_sign(format, limits->to[sign], sign);
    if (around_zero) {
        one->from = format_with_sign(format, limits->to[1], true);
    } else if (signs[0] && signs[1] && !alike) {
        one->from_below = format_with_sign(format, limits->from[1], true);
        one->to_below = format_with_sign(format, limits->to[1], true);
    }
}

static void describe(const struct inquiry *inquiry, int bit, struct explanation *one) {
    struct hypothesis row = hypothesis_of(inquiry->request, (size_t)bit / 2);
    hypothesis_set set = (hypothesis_set)1 << bit;
    const struct counts *counts = inquiry->alive & set ? &inquiry->all : &inquiry->look;
    *one = (struct explanation){.name = row.name,
                                .says = row.says,
                                .order = bit / 2,
                                .side = row.source == FROM_BOTH ? -1 : bit % 2,
                                .tested = inquiry->where_different & set ? counts->differ
                                                                         : counts->tested,
                                .explains = counts_explained(counts, set),
                                .wrong = counts->wrong[bit]};
    if (row.source == FROM_REBUILD) {
        const size_t number = (size_t)bit / 2 - hypothesis_own_rows(inquiry->request);
        const struct side_losses *losses = inquiry->request->rebuild_losses;
        one->says = inquiry->request->rebuilds[number]->detail;
        if (losses && losses[number].cut[QUESTION_REBUILDS])
            one->why = "not tested after a call that did not return";
    }
    if (inquiry->request->limits && inquiry->request->limits[bit].limited)
        describe_limits(&inquiry->request->limits[bit], inquiry->request->computed.format, one);
    one->verdict = !explain_is_credible(one->explains, one->wrong)           ? EXPLAINS_NONE
                   : one->explains == inquiry->all.differ && one->wrong == 0 ? EXPLAINS_ALL
                                                                             : EXPLAINS_PART;
    find_example(counts, one, set);
    one->has_wrong = one->wrong > 0;
    one->wrong_example = counts->wrong_first[bit];
    one->no_cause = blames_the_right(inquiry, bit) ? NO_CAUSE_RIGHT : NO_CAUSE_NONE;
}

/* Whether two hypotheses explain the same differences. */
static bool is_same(const struct counts *counts, hypothesis_set a, hypothesis_set b) {
    for (size_t i = 0; i < counts->set_count; i++)
        if (!(counts->sets[i].set & a) != !(counts->sets[i].set & b))
            return false;
    return true;
}

/* Whether it is listed beside a cause that explains as much. Each row of conversions says more than that both are NaN. */
static bool is_told(const struct explain_request *request, const struct explanation *one) {
    return one->side >= 0 || !request->computed.operation->converts;
}

/* The hypothesis that explains most of what those in `before` leave, and is credible by that alone; or -1. */
static int find_cause(const struct inquiry *inquiry, const struct explanation *by_bit,
                      hypothesis_set before) {
    const struct counts *all = &inquiry->all;
    uint64_t explained = counts_explained(all, before), most = 0;
    int best = -1;
    for (int bit = 0; bit < HYPOTHESIS_BITS; bit++) {
        hypothesis_set set = (hypothesis_set)1 << bit;
        if (!(inquiry->alive & set) || by_bit[bit].no_cause == NO_CAUSE_RIGHT)
            continue;
        uint64_t adds = counts_explained(all, before | set) - explained;
        bool better =
            adds > most || (best >= 0 && adds == most && all->wrong[bit] < all->wrong[best]);
        if (explain_is_credible(adds, all->wrong[bit]) && better) {
            most = adds;
            best = bit;
        }
    }
    return best;
}

/* The causes: each explains most of what those before it leave. Bits of NaNs are seldom what the user asks about, so
 * they come behind all that explains other differences. */
static void choose_causes(struct inquiry *inquiry, struct explanation *by_bit) {
    const struct counts *all = &inquiry->all;
    const hypothesis_set nan_bits = hypothesis_bit(HYPOTHESIS_NAN_BITS, 0) & inquiry->alive;
    for (;;) {
        int best = find_cause(inquiry, by_bit, inquiry->causes | nan_bits);
        if (best < 0)
            best = find_cause(inquiry, by_bit, inquiry->causes);
        if (best < 0)
            return;
        hypothesis_set chosen = (hypothesis_set)1 << best;
        by_bit[best].cause = ++inquiry->cause_count;
        by_bit[best].adds = counts_explained(all, inquiry->causes | chosen) -
                            counts_explained(all, inquiry->causes);
        inquiry->causes |= chosen;
        for (int bit = 0; bit < HYPOTHESIS_BITS; bit++)
            if (bit != best && (inquiry->alive >> bit & 1) && !by_bit[bit].cause &&
                !by_bit[bit].same_as && by_bit[bit].verdict != EXPLAINS_NONE &&
                is_told(inquiry->request, &by_bit[bit]) &&
                is_same(all, chosen, (hypothesis_set)1 << bit))
                by_bit[bit].same_as = inquiry->cause_count;
    }
}

/* A difference that lies elsewhere than a cause by place says, if it is among the first ones. */
static bool find_unexplained(const struct inquiry *inquiry, const struct set_count *left,
                             const struct explanation *one) {
    const struct format *format = inquiry->request->computed.format;
    for (size_t i = 0; i < left->example_count; i++)
        if (!bound_covers(format, one, &left->examples[i])) {
            inquiry->outcome->first_unexplained = left->examples[i];
            return true;
        }
    return false;
}

/* Causes of fewer than 64 differences, and of one of 64 at most, have these right by chance where all lie in
 * one interval or beyond a bound. `scratch` has room for what is found meanwhile. */
static bool drop_chance(struct inquiry *inquiry, const struct set_count *everything,
                        struct set_count *left, struct explanation *scratch, struct error *error) {
    struct explain_outcome *outcome = inquiry->outcome;
    const uint64_t explained = everything->count - left->count;
    if (!inquiry->causes || explained >= 64 || explained * 64 > everything->count)
        return true;
    int count = where_explain(inquiry->request, 0, everything, everything, inquiry->all.tested,
                              scratch, error);
    bool by_place = false;
    for (int i = 0; i < count; i++)
        by_place = by_place || (scratch[i].cause && scratch[i].has_ends && !scratch[i].period &&
                                scratch[i].adds == everything->count);
    for (size_t i = 0; by_place && i < outcome->count; i++) {
        struct explanation *one = &outcome->explanations[i];
        one->no_cause = one->cause || one->same_as ? NO_CAUSE_CHANCE : one->no_cause;
        one->cause = one->same_as = 0;
        one->adds = 0;
    }
    if (by_place) {
        inquiry->causes = 0;
        inquiry->cause_count = 0;
        *left = *everything;
    }
    return count >= 0;
}

/* A cause of differences that are not NaN comes before the bits of NaNs, too, if it is a place. */
static void move_nan_bits_last(struct inquiry *inquiry) {
    struct explain_outcome *outcome = inquiry->outcome;
    int before = 0;
    for (size_t i = 0; i < outcome->count; i++)
        if (outcome->explanations[i].cause &&
            strcmp(outcome->explanations[i].name, hypotheses[HYPOTHESIS_NAN_BITS].name) == 0)
            before = outcome->explanations[i].cause;
    for (size_t i = 0; before && i < outcome->count; i++) {
        int *const numbers[] = {&outcome->explanations[i].cause, &outcome->explanations[i].same_as};
        for (size_t k = 0; k < 2; k++)
            *numbers[k] = *numbers[k] == before  ? inquiry->cause_count
                          : *numbers[k] > before ? *numbers[k] - 1
                                                 : *numbers[k];
    }
}

/* What the causes leave: where does that lie? */
static bool explain_rest(struct inquiry *inquiry, struct error *error) {
    struct explain_outcome *outcome = inquiry->outcome;
    struct set_count *left = counts_left(&inquiry->all, inquiry->causes);
    struct set_count *everything = counts_left(&inquiry->all, 0);
    struct explanation *first = &outcome->explanations[outcome->count];
    int count = -1;
    if (left && everything && !drop_chance(inquiry, everything, left, first, error)) {
        free(everything);
        free(left);
        return false;
    }
    if (left && everything)
        count = where_explain(inquiry->request, inquiry->causes, left, everything,
                              inquiry->all.tested, first, error);
    else
        error_set(error, "out of memory");
    free(everything);
    if (count < 0) {
        free(left);
        return false;
    }
    outcome->unexplained = left->count;
    outcome->has_unexplained = left->count > 0;
    outcome->first_unexplained = left->examples[0];
    for (int i = 0; i < count; i++)
        if (first[i].cause) {
            first[i].cause = ++inquiry->cause_count;
            if (first[i].explains == inquiry->all.differ)
                first[i].verdict = EXPLAINS_ALL;
            outcome->unexplained = left->count - first[i].adds;
            outcome->has_unexplained =
                outcome->unexplained && find_unexplained(inquiry, left, &first[i]);
        }
    outcome->count += (size_t)count;
    free(left);
    move_nan_bits_last(inquiry);
    return true;
}

/* Where one cause accounts for everything, whatever else explains everything and predicts nothing wrongly
 * is told beside it: one that has the side at fault that is right, and position. */
static void tell_equals(const struct explain_request *request, struct explain_outcome *outcome) {
    bool one_is_enough = false;
    for (size_t i = 0; i < outcome->count; i++)
        one_is_enough = one_is_enough || (outcome->explanations[i].cause == 1 &&
                                          outcome->explanations[i].adds == outcome->differ);
    for (size_t i = 0; i < outcome->count; i++) {
        struct explanation *one = &outcome->explanations[i];
        bool explains_all = one->explains == outcome->differ || one->explains == one->tested;
        if (one_is_enough && !one->cause && is_told(request, one) &&
            one->verdict != EXPLAINS_NONE && !one->wrong && explains_all)
            one->same_as = 1;
    }
}

/* Whether both sides give the same bits again. Where one does not, what else the differences agree with
 * is chance, and no hypothesis stands. */
static bool explain_repetition(struct inquiry *inquiry, struct explanation *by_bit,
                               struct error *error) {
    struct explain_outcome *outcome = inquiry->outcome;
    struct set_count *everything = counts_left(&inquiry->all, 0);
    struct explanation *first = &outcome->explanations[outcome->count];
    int count = -1;
    if (everything)
        count = repeat_explain(inquiry->request, everything, first, error);
    else
        error_set(error, "out of memory");
    free(everything);
    if (count < 0)
        return false;
    for (int i = 0; i < count; i++)
        inquiry->cause_count += first[i].cause;
    for (int bit = 0; inquiry->cause_count && bit < HYPOTHESIS_BITS; bit++)
        by_bit[bit].verdict = EXPLAINS_NONE;
    outcome->count += (size_t)count;
    return true;
}

static bool answer(struct inquiry *inquiry, struct error *error) {
    struct explanation by_bit[HYPOTHESIS_BITS] = {0};
    struct explain_outcome *outcome = inquiry->outcome;
    const struct counts *all = &inquiry->all;
    explain_take_counts(outcome, all, inquiry->request->computed.format);
    for (int bit = 0; bit < HYPOTHESIS_BITS; bit++)
        if (inquiry->asked >> bit & 1)
            describe(inquiry, bit, &by_bit[bit]);
    if (all->differ && !explain_repetition(inquiry, by_bit, error))
        return false;
    const bool repeats = all->differ && !inquiry->cause_count;
    if (repeats)
        choose_causes(inquiry, by_bit);
    for (int bit = 0; bit < HYPOTHESIS_BITS; bit++)
        if (inquiry->asked >> bit & 1)
            outcome->explanations[outcome->count++] = by_bit[bit];
    if (repeats && !explain_rest(inquiry, error))
        return false;
    tell_equals(inquiry->request, outcome);
    explain_sort(outcome);
    return true;
}

/* Finds where hypotheses hold that are wrong elsewhere. All inputs are then asked once more, with these as the
 * hypotheses. */
static bool limit(struct inquiry *inquiry, struct explain_request *limited, struct stretch *limits,
                  struct error *error) {
    struct explanation by_bit[HYPOTHESIS_BITS] = {0};
    struct inquiry trial = *inquiry;
    hypothesis_set candidates = 0;
    if (!inquiry->all.differ || inquiry->request->computed.operation->operands != 1 ||
        inquiry->request->computed.format->is_integer)
        return true;
    for (int bit = 0; bit < HYPOTHESIS_BITS; bit++)
        if (inquiry->asked >> bit & 1)
            describe(inquiry, bit, &by_bit[bit]);
    choose_causes(&trial, by_bit);
    for (int bit = 0; bit < HYPOTHESIS_BITS;
         bit++) /* a cause that is wrong somewhere may be one in one place */
        if (inquiry->all.wrong[bit])
            trial.causes &= ~((hypothesis_set)1 << bit);
    for (int bit = 0; bit < HYPOTHESIS_BITS; bit++)
        if ((inquiry->asked & ~trial.causes) >> bit & 1 && by_bit[bit].no_cause != NO_CAUSE_RIGHT &&
            by_bit[bit].side >= 0)
            candidates |= (hypothesis_set)1 << bit;
    const int found = counts_explained(&inquiry->all, trial.causes) < inquiry->all.differ
                          ? within_find(inquiry, candidates, trial.causes, limits, error)
                          : 0;
    if (found <= 0)
        return found == 0;
    counts_free(&inquiry->look);
    counts_free(&inquiry->all);
    *limited = *inquiry->request;
    limited->limits = limits;
    *inquiry = (struct inquiry){.request = limited,
                                .outcome = inquiry->outcome,
                                .asked = inquiry->asked,
                                .alive = inquiry->asked};
    return inquiry_ask(inquiry, error);
}

bool explain_run(const struct explain_request *request, struct explain_outcome *outcome,
                 struct error *error) {
    struct inquiry inquiry = {.request = request, .outcome = outcome};
    struct explain_request limited;
    struct stretch limits[HYPOTHESIS_BITS] = {{0}};
    inquiry.asked = inquiry.alive = explain_hypotheses(request);
    bool good = inquiry_ask(&inquiry, error) && limit(&inquiry, &limited, limits, error) &&
                answer(&inquiry, error);
    if (!good)
        explain_take_counts(outcome, inquiry.all.tested ? &inquiry.all : &inquiry.look,
                            request->computed.format);
    memcpy(outcome->fingerprints, inquiry.fingerprints, sizeof outcome->fingerprints);
    counts_free(&inquiry.look);
    counts_free(&inquiry.all);
    return good;
}
