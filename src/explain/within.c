/* Sums over places in a row: what a hypothesis explains there counts for it, and what it gets wrong against it. The stretch
 * with the largest sum is where it holds.
 *
 * A first pass counts by bucket, each of so many inputs in a row that the buckets are few; a second one looks into the
 * buckets at the ends. */
#include "explain/within.h"

#include "explain/side.h"

#include <math.h>
#include <stdlib.h>

/* A wrong prediction outweighs so many that are right. */
enum { WRONG_WEIGHT = 16, MOST_CANDIDATES = 8, LOG2_BUCKETS = 16 };
/* So few differences, and so small a share of what is left, are no cause; so many wrong predictions are too many. */
enum { LEAST_EXPLAINED = 16, LEAST_SHARE = 8, WRONG_SHARE = 64 };
/* ln of how unlikely it is to find such a stretch by chance somewhere. */
#define CHANCE 7.0

/* Inputs in a row, by their numbers in the domain. */
struct bin {
    uint64_t first, last, explains, wrong;
};

struct bins {
    struct bin *items;
    size_t count;
};

struct candidate {
    int bit;
    uint64_t explains; /* of what is left */
    struct bins signs[2];
};

struct within {
    const struct inquiry *inquiry;
    const struct domain *domain;
    hypothesis_set causes;
    struct candidate candidates[MOST_CANDIDATES];
    size_t count;
    uint64_t left;
    uint64_t first[2], inputs[2]; /* of each sign: the first that is a number, and how many */
    int shift;                    /* inputs in a bucket */
};

/* The place of an input, or NULL. */
static struct bin *find_bin(const struct bins *places, uint64_t index) {
    size_t low = 0, high = places->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (places->items[middle].last < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < places->count && places->items[low].first <= index ? &places->items[low] : NULL;
}

static void note(struct within *within, size_t candidate, bool explained,
                 const struct difference *difference) {
    const struct format *format = within->domain->format;
    const uint64_t code = difference->in[0];
    struct candidate *one = &within->candidates[candidate];
    struct bin *place =
        format_is_nan(format, code)
            ? NULL
            : find_bin(&one->signs[format_is_negative(format, code)], difference->index);
    if (!place)
        return;
    uint64_t *count = explained ? &place->explains : &place->wrong;
#pragma omp atomic
    ++*count;
}

static void note_explained(void *context, hypothesis_set set, const struct difference *difference) {
    struct within *within = context;
    if (set & within->causes)
        return;
#pragma omp atomic
    within->left++;
    for (size_t i = 0; i < within->count; i++)
        if (set >> within->candidates[i].bit & 1)
            note(within, i, true, difference);
}

static void note_wrong(void *context, hypothesis_set bit, const struct difference *difference) {
    struct within *within = context;
    for (size_t i = 0; i < within->count; i++)
        if (bit >> within->candidates[i].bit & 1)
            note(within, i, false, difference);
}

/* Places from..to with the largest sum, and those beside them as far as the next that has a wrong prediction. */
struct span {
    size_t from, to;
    uint64_t explains, wrong;
};

static struct span best_of(const struct bins *places) {
    struct span best = {.from = 1}, run = {0};
    double most = 0, sum = 0;
    for (size_t i = 0; i < places->count; i++) {
        const struct bin *one = &places->items[i];
        if (sum <= 0)
            run = (struct span){.from = i}, sum = 0;
        sum += (double)one->explains - WRONG_WEIGHT * (double)one->wrong;
        run.explains += one->explains;
        run.wrong += one->wrong;
        run.to = i;
        if (sum > most) {
            most = sum;
            best = run;
        }
    }
    while (best.explains && best.from > 0 && !places->items[best.from - 1].wrong &&
           !places->items[best.from - 1].explains)
        best.from--;
    while (best.explains && best.to + 1 < places->count && !places->items[best.to + 1].wrong &&
           !places->items[best.to + 1].explains)
        best.to++;
    return best;
}

/* Whether so many right predictions in a row are no chance, where it is right as often as elsewhere. */
static bool is_no_chance(const struct within *within, const struct candidate *one,
                         const struct span *span) {
    double explains = 0, wrong = 0;
    for (int sign = 0; sign < 2; sign++)
        for (size_t i = 0; i < one->signs[sign].count; i++) {
            explains += (double)one->signs[sign].items[i].explains;
            wrong += (double)one->signs[sign].items[i].wrong;
        }
    const double all = explains + wrong, found = (double)span->explains;
    explains -= found;
    wrong -= (double)span->wrong; /* elsewhere */
    const double share = (fmax(explains, 0) + 1) / (fmax(explains, 0) + fmax(wrong, 0) + 2);
    return span->explains >= LEAST_EXPLAINED && span->wrong <= span->explains / WRONG_SHARE &&
           span->explains >= within->left / LEAST_SHARE && -found * log(share) > log(all) + CHANCE;
}

/* Whether a cause that is wrong about some inputs is better described by where it holds: nearly all that it explains is there,
 * and next to nothing that it gets wrong. */
static bool is_better(const struct within *within, const struct candidate *one) {
    const struct counts *counts =
        within->inquiry->alive >> one->bit & 1 ? &within->inquiry->all : &within->inquiry->look;
    uint64_t explains = 0, wrong = 0, all_explains = 0, all_wrong = 0;
    for (int sign = 0; sign < 2; sign++) {
        const struct span span = best_of(&one->signs[sign]);
        explains += span.explains;
        wrong += span.wrong;
        for (size_t i = 0; i < one->signs[sign].count; i++) {
            all_explains += one->signs[sign].items[i].explains;
            all_wrong += one->signs[sign].items[i].wrong;
        }
    }
    return !explain_is_credible(counts_explained(counts, (hypothesis_set)1 << one->bit),
                                counts->wrong[one->bit]) ||
           (explains >= all_explains - all_explains / 8 && wrong <= all_wrong / 16);
}

/* One place for each bucket of a sign. */
static bool make_buckets(struct within *within, struct bins *places, int sign) {
    const uint64_t size = (uint64_t)1 << within->shift, inputs = within->inputs[sign];
    places->count = 0;
    places->items = malloc((size_t)(inputs / size + 1) * sizeof *places->items);
    for (uint64_t at = 0; places->items && at < inputs; at += size)
        places->items[places->count++] = (struct bin){
            .first = within->first[sign] + at,
            .last = within->first[sign] + (inputs - at < size ? inputs : at + size) - 1};
    return places->items != NULL;
}

/* Which places of a span's ends are looked into: those beside it, and the first and the last that say something. */
static void choose_ends(const struct bins *places, const struct span *span, bool *chosen) {
    size_t low = span->from, high = span->to;
    while (low < high && !places->items[low].explains && !places->items[low].wrong)
        low++;
    while (high > low && !places->items[high].explains && !places->items[high].wrong)
        high--;
    chosen[low] = chosen[high] = true;
    if (span->from)
        chosen[span->from - 1] = true;
    if (span->to + 1 < places->count)
        chosen[span->to + 1] = true;
}

/* The same places, those that are chosen input by input, which are to be counted. */
static bool divide(const struct bins *places, const bool *chosen, struct bins *divided) {
    size_t room = places->count;
    for (size_t i = 0; i < places->count; i++)
        room += chosen[i] ? (size_t)(places->items[i].last - places->items[i].first) : 0;
    divided->count = 0;
    divided->items = malloc(room * sizeof *divided->items);
    for (size_t i = 0; divided->items && i < places->count; i++) {
        const struct bin *one = &places->items[i];
        if (!chosen[i])
            divided->items[divided->count++] = *one;
        for (uint64_t at = one->first; chosen[i] && at <= one->last; at++)
            divided->items[divided->count++] = (struct bin){.first = at, .last = at};
    }
    return divided->items != NULL;
}

static void free_bins(struct within *within) {
    for (size_t i = 0; i < within->count; i++)
        for (int sign = 0; sign < 2; sign++) {
            free(within->candidates[i].signs[sign].items);
            within->candidates[i].signs[sign] = (struct bins){0};
        }
}

static struct input_block chosen_block(const struct pass *pass, uint64_t at) {
    const struct bin *one = (const struct bin *)pass->context + at;
    return (struct input_block){one->first, (size_t)(one->last - one->first + 1)};
}

static bool run(struct within *within, struct pass pass, struct error *error) {
    struct counts counts;
    pass.request = within->inquiry->request;
    pass.alive = within->causes;
    for (size_t i = 0; i < within->count; i++)
        pass.alive |= (hypothesis_set)1 << within->candidates[i].bit;
    pass.question = QUESTION_PLACES;
    pass.doing = "where causes hold";
    pass.visit = note_explained;
    pass.visit_wrong = note_wrong;
    pass.visit_context = within;
    within->left = 0;
    bool good = pass_run(&pass, &counts, error);
    if (good)
        counts_free(&counts);
    return good;
}

/* Counts by bucket, and drops the candidates that hold nowhere. */
static bool sift(struct within *within, const struct pass *pass, struct error *error) {
    size_t kept = 0;
    bool good = true;
    for (size_t i = 0; good && i < within->count; i++)
        for (int sign = 0; good && sign < 2; sign++)
            good = make_buckets(within, &within->candidates[i].signs[sign], sign) ||
                   error_set(error, "out of memory");
    if (!good || !run(within, *pass, error))
        return false;
    for (size_t i = 0; i < within->count; i++) {
        struct candidate *one = &within->candidates[i], dropped = *one;
        bool holds = false;
        for (int sign = 0; sign < 2; sign++) {
            const struct span span = best_of(&one->signs[sign]);
            holds = holds || (is_no_chance(within, one, &span) && is_better(within, one));
        }
        within->candidates[i] = within->candidates[kept];
        within->candidates[kept] = dropped;
        kept += holds;
    }
    for (size_t i = kept; i < within->count; i++)
        for (int sign = 0; sign < 2; sign++)
            free(within->candidates[i].signs[sign].items);
    within->count = kept;
    return true;
}

/* The span to the very input. */
static bool find_ends(const struct within *within, const struct candidate *one, int sign,
                      struct span *span, struct bins *divided, struct error *error) {
    const struct bins *places = &one->signs[sign];
    struct within closer = *within;
    struct bin chosen_places[4];
    size_t count = 0;
    bool *chosen = calloc(places->count, sizeof *chosen);
    bool good = chosen != NULL;
    if (good) {
        choose_ends(places, span, chosen);
        good = divide(places, chosen, divided);
    }
    for (size_t i = 0; good && i < places->count; i++)
        if (chosen[i])
            chosen_places[count++] = places->items[i];
    free(chosen);
    if (!good)
        return error_set(error, "out of memory");
    closer.count = 1;
    closer.candidates[0] = (struct candidate){.bit = one->bit};
    closer.candidates[0].signs[sign] = *divided;
    const struct pass pass = {
        .block = chosen_block, .block_count = count, .context = chosen_places};
    if (!run(&closer, pass, error))
        return false;
    *span = best_of(divided);
    return true;
}

/* One candidate's limits. */
static bool limit(const struct within *within, const struct candidate *one, struct stretch *limits,
                  struct error *error) {
    const struct format *format = within->domain->format;
    struct stretch found = {.limited = false};
    for (int sign = 0; sign < 2; sign++) {
        struct span span = best_of(&one->signs[sign]);
        struct bins divided = {0};
        uint64_t ends[2][MAX_OPERANDS];
        found.from[sign] = 1; /* to 0: nowhere */
        if (!is_no_chance(within, one, &span))
            continue;
        const bool good = !within->shift || find_ends(within, one, sign, &span, &divided, error);
        const struct bin *items = within->shift ? divided.items : one->signs[sign].items;
        if (good && span.explains) {
            domain_codes_at(within->domain, items[span.from].first, ends[0]);
            domain_codes_at(within->domain, items[span.to].last, ends[1]);
            found.limited = true;
            found.from[sign] = format_magnitude(format, ends[0][0]);
            found.to[sign] = format_magnitude(format, ends[1][0]);
        }
        free(divided.items);
        if (!good)
            return false;
    }
    limits[one->bit] = found;
    return true;
}

/* Differences that a hypothesis explains and the causes do not, of all inputs or of a first look. */
static uint64_t explains_of_left(const struct counts *counts, int bit, hypothesis_set causes) {
    uint64_t sum = 0;
    for (size_t i = 0; i < counts->set_count; i++)
        if ((counts->sets[i].set >> bit & 1) && !(counts->sets[i].set & causes))
            sum += counts->sets[i].count;
    return sum;
}

/* Those that explain most of what is left, and are wrong somewhere. */
static void choose(struct within *within, hypothesis_set candidates) {
    const struct inquiry *inquiry = within->inquiry;
    for (int bit = 0; bit < HYPOTHESIS_BITS; bit++) {
        if (!(candidates >> bit & 1))
            continue;
        const struct counts *counts = inquiry->alive >> bit & 1 ? &inquiry->all : &inquiry->look;
        struct candidate one = {.bit = bit,
                                .explains = explains_of_left(counts, bit, within->causes)};
        if (one.explains < LEAST_EXPLAINED || !counts->wrong[bit])
            continue;
        size_t at = within->count < MOST_CANDIDATES ? within->count++ : MOST_CANDIDATES;
        for (; at > 0 && within->candidates[at - 1].explains < one.explains; at--)
            if (at < MOST_CANDIDATES)
                within->candidates[at] = within->candidates[at - 1];
        if (at < MOST_CANDIDATES)
            within->candidates[at] = one;
    }
}

static void find_signs(struct within *within) {
    const struct format *format = within->domain->format;
    uint64_t most = 0;
    for (int sign = 0; sign < 2; sign++) {
        const uint64_t minus = sign ? format->sign_bit : 0, last = format_greatest(format) | minus;
        if (sign && !format->sign_bit)
            continue;
        within->first[sign] = side_place(within->domain, minus);
        within->inputs[sign] = side_count_between(within->domain, minus, last);
        most = within->inputs[sign] > most ? within->inputs[sign] : most;
    }
    while (most >> within->shift > (uint64_t)1 << LOG2_BUCKETS)
        within->shift++;
}

int within_find(const struct inquiry *inquiry, hypothesis_set candidates, hypothesis_set causes,
                struct stretch *limits, struct error *error) {
    const struct explain_request *request = inquiry->request;
    struct within within = {.inquiry = inquiry, .domain = request->domain, .causes = causes};
    struct pass look, whole;
    inquiry_passes(request, &look, &whole);
    find_signs(&within);
    choose(&within, candidates);
    if ((uint64_t)1 << within.shift > FINGERPRINT_BLOCK)
        return 0;
    bool good = true;
    if (within.count && look.block_count) {
        good = sift(&within, &look, error);
        free_bins(&within);
    }
    good = good && (!within.count || sift(&within, &whole, error));
    for (size_t i = 0; good && i < within.count; i++)
        good = limit(&within, &within.candidates[i], limits, error);
    free_bins(&within);
    return good ? (int)within.count : -1;
}
