/* Intervals, bounds, positions. */
#include "explain/where.h"

#include "explain/bound.h"
#include "explain/mantissas.h"
#include "explain/nearness.h"
#include "explain/side.h"

#include <stdlib.h>

/* Inputs of the domain with magnitudes from..to and that sign. */
static uint64_t inputs_of_sign(const struct domain *domain, int sign, uint64_t from, uint64_t to) {
    uint64_t minus = sign ? domain->format->sign_bit : 0;
    return side_count_between(domain, from | minus, to | minus);
}

static uint64_t inputs_of_ordinals(const struct domain *domain, int64_t low, int64_t high) {
    uint64_t count = 0;
    if (high >= 0)
        count += inputs_of_sign(domain, 0, low > 0 ? (uint64_t)low : 0, (uint64_t)high);
    if (low <= 0)
        count += inputs_of_sign(domain, 1, high < 0 ? (uint64_t)-high : 0, (uint64_t)-low);
    return count;
}

static uint64_t least_of(const struct spread *spread) {
    return spread->least[0] < spread->least[1] ? spread->least[0] : spread->least[1];
}

static uint64_t greatest_of(const struct spread *spread) {
    return spread->greatest[0] > spread->greatest[1] ? spread->greatest[0] : spread->greatest[1];
}

static uint64_t found_in(const struct spread *spread, int place) {
    return place >= 0 && place < SPREAD_BINADES
               ? spread->binades[0][place] + spread->binades[1][place]
               : 0;
}

/* Differences within an end, of so many inputs there, and inputs behind it, where none is. If
 * nothing changed at the end, 16 of them at least would be expected to differ. */
static bool is_sharp(uint64_t found, uint64_t within, uint64_t behind) {
    return within && (double)found / (double)within * (double)behind >= 16;
}

/* That an interval is a small part of the domain, and four of five inputs there differ. */
static bool is_full(const struct domain *domain, uint64_t inside, uint64_t count) {
    return inside <= domain->count / 16 && count >= inside - inside / 5;
}

/* That the differences next to an end, in its binade, are not far fewer than in all of the interval: what
 * fades away has no end. */
static bool is_even_at(const struct domain *domain, const struct set_count *left,
                       const bool signs[2], uint64_t end, uint64_t from, uint64_t to,
                       double share) {
    const uint64_t binade = (uint64_t)1 << (domain->format->precision - 1);
    const uint64_t first = end & ~(binade - 1), last = end | (binade - 1);
    const int place = spread_place(domain->format, end);
    uint64_t found = 0, inputs = inputs_of_magnitudes(domain, signs, first > from ? first : from,
                                                      last < to ? last : to);
    for (int sign = 0; sign < 2; sign++)
        found += signs[sign] ? left->spread.binades[sign][place] : 0;
    return end < binade || inputs < 16 || (double)found * 4 >= share * (double)inputs;
}

static int by_ordinal(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* That two of the differences that are kept lie eight times as far apart as they do on average: one of
 * 3,000 places at random does that, and those of two intervals do. */
static bool has_gap(const struct domain *domain, const struct set_count *left) {
    int64_t at[EXAMPLES];
    uint64_t widest = 0, all = 0;
    for (size_t i = 0; i < left->example_count; i++)
        at[i] = format_ordinal(domain->format, left->examples[i].in[0]);
    qsort(at, left->example_count, sizeof *at, by_ordinal);
    for (size_t i = 1; i < left->example_count; i++) {
        if ((at[i - 1] < 0) != (at[i] < 0))
            continue;
        uint64_t between = inputs_of_ordinals(domain, at[i - 1], at[i]);
        widest = between > widest ? between : widest;
        all += between;
    }
    return left->example_count > 8 && widest > 8 * all / left->example_count;
}

/* That an interval is a small part of the domain and either full or, with one of 64 at least, evenly filled
 * from end to end, and so that the function does not end where it does. */
static bool is_tight(const struct explain_request *request, const struct set_count *left,
                     const bool signs[2], uint64_t from, uint64_t to, uint64_t inside) {
    const struct domain *domain = request->domain;
    const double share = (double)left->count / (double)inside;
    const uint64_t few = ((uint64_t)1 << (domain->format->precision - 1)) / 4;
    if (is_full(domain, inside, left->count))
        return true;
    if (inside > domain->count / 16 || share < 0x1p-6 || has_gap(domain, left) ||
        !is_even_at(domain, left, signs, to, from, to, share) ||
        !is_even_at(domain, left, signs, from, from, to, share))
        return false;
    for (int sign = 0; sign < 2; sign++)
        if (signs[sign] &&
            (to + few > domain->format->max_finite ||
             !bound_is_defined(request, format_with_sign(domain->format, to + few, sign))))
            return false;
    return true;
}

/* Small numbers, many just below a magnitude and none above it: nearly half of all numbers are below
 * 1/2, so that the interval need not be a small part. */
static bool ends_sharply(const struct explain_request *request, const struct spread *spread) {
    const struct domain *domain = request->domain;
    const struct format *format = domain->format;
    const bool signs[2] = {spread->signs[0] > 0, spread->signs[1] > 0};
    const uint64_t end = greatest_of(spread), binade = (uint64_t)1 << (format->precision - 1);
    int place = spread_place(format, end);
    uint64_t begin = end & ~(binade - 1), found = found_in(spread, place);
    if (end < binade || format_decode(format, end).exponent > -2)
        return false;
    if (inputs_of_magnitudes(domain, signs, begin, end) < 16) { /* next to the end of a binade */
        begin -= binade;
        found += found_in(spread, place - 1);
    }
    return is_sharp(found, inputs_of_magnitudes(domain, signs, begin, end),
                    inputs_of_magnitudes(domain, signs, end + 1, end + binade));
}

/* All in one interval, of numbers or of magnitudes. */
static bool find_interval(const struct explain_request *request, const struct set_count *left,
                          struct explanation *explanation) {
    const struct spread *spread = &left->spread;
    const struct domain *domain = request->domain;
    if (spread->without_place || spread->lowest > spread->highest)
        return false;
    const bool signs[2] = {spread->signs[0] > 0, spread->signs[1] > 0};
    const bool one_sign = !signs[0] || !signs[1];
    const uint64_t least = one_sign ? least_of(spread) : 0;
    uint64_t inside = inputs_of_ordinals(domain, spread->lowest, spread->highest);
    explanation->has_ends = explanation->is_interval = true;
    explanation->from = format_from_ordinal(domain->format, spread->lowest);
    explanation->to = format_from_ordinal(domain->format, spread->highest);
    bool found = is_tight(request, left, signs, least, greatest_of(spread), inside);
    if (!found && one_sign) {
        found = ends_sharply(request, spread);
    } else if (!found) {
        explanation->of_magnitudes = true;
        explanation->from = least_of(spread);
        explanation->to = greatest_of(spread);
        inside = inputs_of_magnitudes(domain, signs, explanation->from, explanation->to);
        found = is_tight(request, left, signs, explanation->from, explanation->to, inside) ||
                ends_sharply(request, spread);
    }
    explanation->wrong = inside > left->count ? inside - left->count : 0;
    if (left->count == 1) /* which is no interval to anybody */
        explanation->says = "one input alone, because of a special case or of a step that is "
                            "rounded otherwise, such as a fused multiply-add";
    return found;
}

/* Where else an input can stand: what a loop does to its last elements is done to one alone, too. */
enum { LONGEST_CALL = 160 };
static const struct place_in_call {
    size_t count, at;
    const char *says; /* or NULL: as the row does */
} places_in_call[] = {
    {1, 0, NULL},
    {LONGEST_CALL, 64, "gives the other's bits where the input is far from the ends of its call"},
};

/* What a side gives for the inputs of examples when each stands elsewhere, among its like. */
static bool ask_at_place(const struct explain_request *request, int which,
                         const struct set_count *left, const struct place_in_call *place,
                         struct explanation *explanation, struct error *error) {
    const struct binding_request *computed = &request->computed;
    const struct format *out = request_result_format(computed);
    uint64_t codes[MAX_OPERANDS][LONGEST_CALL];
    void *inputs[MAX_OPERANDS];
    struct side side;
    bool good = side_open(&side, request->sides[which], computed, request->result, request->domain,
                          place->count, error);
    side.losses = request->losses[which];
    side.question = QUESTION_PLACES;
    const bool has_places = side.binding.conditions.form != FORM_NUMBER;
    for (size_t i = 0; good && has_places && i < left->example_count; i++) {
        const struct difference *example = &left->examples[i];
        if (hypothesis_same(out, example->sides[0], example->sides[1])) /* NaNs are no test */
            continue;
        for (int j = 0; j < MAX_OPERANDS; j++) {
            inputs[j] = codes[j];
            for (size_t at = 0; at < place->count; at++)
                code_store(inputs[j], format_bytes(computed->format), at, example->in[j]);
        }
        good = side_ask_elsewhere(&side, inputs, place->count, error);
        if (!good || side.unanswered[place->at])
            continue;
        uint64_t alone = code_load(side.results[side.result], format_bytes(out), place->at);
        bool vanishes = hypothesis_same(out, alone, example->sides[1 - which]);
        explanation->tested++;
        explanation->explains += vanishes;
        explanation->wrong += !vanishes && !hypothesis_same(out, alone, example->sides[which]);
        if (vanishes && !explanation->has_example) {
            explanation->has_example = true;
            explanation->example = *example;
        }
    }
    side_close(&side);
    return good;
}

static struct explanation *add(const struct explain_request *request,
                               struct explanation *explanations, int *count, enum place place,
                               uint64_t tested) {
    struct explanation *one = &explanations[(*count)++];
    const struct hypothesis *row = &place_rows[place];
    const bool of_casts = request->computed.operation->converts && row->says_of_casts;
    *one = (struct explanation){.name = row->name,
                                .says = of_casts ? row->says_of_casts : row->says,
                                .order = HYPOTHESIS_MOST + (int)place,
                                .side = -1,
                                .tested = tested,
                                .verdict = EXPLAINS_NONE};
    return one;
}

/* Whether the differences of a side vanish where its inputs stand elsewhere. */
static bool find_position(const struct explain_request *request, int side,
                          const struct set_count *left, struct explanation *one, bool *found,
                          struct error *error) {
    const struct explanation before = *one;
    if (!request_is_uniform(request)) {
        one->why = side == 0 ? "inputs have random bits of their own where they stand" : NULL;
        return true;
    }
    for (size_t i = 0; i < sizeof places_in_call / sizeof *places_in_call && !*found; i++) {
        *one = before;
        if (!ask_at_place(request, side, left, &places_in_call[i], one, error))
            return false;
        *found = one->tested && one->explains >= one->tested - one->tested / 4;
        if (*found && places_in_call[i].says)
            one->says = places_in_call[i].says;
    }
    return true;
}

/* It is about all that is left, or, where it says so, about the part that it was asked of. */
static void blame(struct explanation *one, const struct set_count *left, bool of_all) {
    if (of_all)
        one->explains = left->count;
    one->adds = of_all ? left->count : 0;
    one->verdict = EXPLAINS_PART; /* all, for who knows that there is nothing else */
    one->cause = 1;
    const bool is_bound = one->has_ends && !one->is_interval; /* which has its own */
    if (!one->has_example && !is_bound && left->example_count) {
        one->has_example = true;
        one->example = left->worst;
    }
}

/* Fewer differences than this of samples are no more than where the samples happened to fall. */
enum { FEW_OF_SAMPLES = 4 };

static bool is_too_few(const struct explain_request *request, const struct set_count *left) {
    const struct domain *domain = request->domain;
    const bool are_all = domain->count == domain->sets[0].count;
    return domain->kind == DOMAIN_SAMPLES && !are_all && left->count &&
           left->count < FEW_OF_SAMPLES;
}

int where_explain(const struct explain_request *request, hypothesis_set causes,
                  const struct set_count *left, const struct set_count *everything, uint64_t tested,
                  struct explanation *explanations, struct error *error) {
    int count = 0;
    bool found = false;
    const struct set_count *asked = left->count ? left : everything;
    for (int side = 0; side < 2; side++) {
        struct explanation *one = add(request, explanations, &count, PLACE_POSITION, 0);
        one->side = side;
        bool before = found;
        if (!found && !find_position(request, side, asked, one, &found, error))
            return -1;
        if (found && !before && left->count) {
            blame(one, left, one->tested == left->count);
            one->adds = left->count;
        } else if (found && !before) {
            one->verdict = EXPLAINS_PART;
        }
    }
    struct explanation *one = add(request, explanations, &count, PLACE_NEAR, tested);
    const int near =
        found || !left->count ? 0 : nearness_explain(request, causes, left, one, error);
    if (near < 0)
        return -1;
    if (near) {
        blame(one, left, true);
        found = true;
    }
    if (request->computed.operation->operands != 1)
        return count;
    one = add(request, explanations, &count, PLACE_INTERVAL, tested);
    if (!found && is_too_few(request, left)) {
        one->why = "the samples found too few differences to name a cause; ten times as many (-n) "
                   "or all inputs (--all) find more";
        return count;
    }
    if (!found && left->count && find_interval(request, left, one)) {
        blame(one, left, true);
        found = true;
    }
    one = add(request, explanations, &count, PLACE_BEYOND, tested);
    if (!found && left->count && bound_find(request, left, one)) {
        const uint64_t beyond = one->explains;
        blame(one, left, true);
        one->explains = one->adds = beyond;
        found = true;
    }
    one = add(request, explanations, &count, PLACE_MANTISSAS, 0);
    int mantissas =
        found || !left->count ? 0 : mantissas_explain(request, causes, left, one, error);
    if (mantissas < 0)
        return -1;
    if (mantissas) {
        blame(one, left, false);
        one->adds = left->count;
    }
    return count;
}
