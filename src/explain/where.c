/* Intervals, bounds, mantissas, positions. */
#include "explain/where.h"

#include "explain/side.h"

#include <stdlib.h>
#include <string.h>

/* Inputs of the domain with codes from..to. */
static uint64_t inputs_between(const struct domain *domain, uint64_t from, uint64_t to) {
    uint64_t end = to == format_mask(domain->format) ? domain->count : side_place(domain, to + 1);
    return from > to ? 0 : end - side_place(domain, from);
}

/* Inputs of the domain with magnitudes from..to and that sign. */
static uint64_t inputs_of_sign(const struct domain *domain, int sign, uint64_t from, uint64_t to) {
    uint64_t minus = sign ? domain->format->sign_bit : 0;
    return inputs_between(domain, from | minus, to | minus);
}

static uint64_t inputs_of_ordinals(const struct domain *domain, int64_t low, int64_t high) {
    uint64_t count = 0;
    if (high >= 0)
        count += inputs_of_sign(domain, 0, low > 0 ? (uint64_t)low : 0, (uint64_t)high);
    if (low <= 0)
        count += inputs_of_sign(domain, 1, high < 0 ? (uint64_t)-high : 0, (uint64_t)-low);
    return count;
}

/* Inputs with such magnitudes and the signs that some difference has. */
static uint64_t inputs_of_magnitudes(const struct domain *domain, const struct spread *spread,
                                     uint64_t from, uint64_t to) {
    uint64_t count = 0;
    for (int sign = 0; sign < 2; sign++)
        count += spread->signs[sign] ? inputs_of_sign(domain, sign, from, to) : 0;
    return count;
}

static uint64_t least_of(const struct spread *spread) {
    return spread->least[0] < spread->least[1] ? spread->least[0] : spread->least[1];
}

static uint64_t greatest_of(const struct spread *spread) {
    return spread->greatest[0] > spread->greatest[1] ? spread->greatest[0] : spread->greatest[1];
}

/* The binade of a magnitude in a spread. */
static int place_of(const struct format *format, uint64_t magnitude) {
    return format_decode(format, magnitude).exponent - (format->emin - format->precision + 1);
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

/* That an interval has few inputs beside those that differ, and is a small part of the domain. */
static bool is_tight(const struct domain *domain, uint64_t inside, uint64_t count) {
    return inside <= domain->count / 16 && count >= inside / 64 + (inside % 64 != 0);
}

/* Small numbers, many just below a magnitude and none above it: nearly half of all numbers are below
 * 1/2, so that the interval need not be a small part. */
static bool ends_sharply(const struct explain_request *request, const struct spread *spread) {
    const struct domain *domain = request->domain;
    const struct format *format = domain->format;
    const uint64_t end = greatest_of(spread), binade = (uint64_t)1 << (format->precision - 1);
    int place = place_of(format, end);
    uint64_t begin = end & ~(binade - 1), found = found_in(spread, place);
    if (end < binade || format_decode(format, end).exponent > -2)
        return false;
    if (inputs_of_magnitudes(domain, spread, begin, end) < 16) { /* next to the end of a binade */
        begin -= binade;
        found += found_in(spread, place - 1);
    }
    return is_sharp(found, inputs_of_magnitudes(domain, spread, begin, end),
                    inputs_of_magnitudes(domain, spread, end + 1, end + binade));
}

/* All in one interval, of numbers or of magnitudes. */
static bool find_interval(const struct explain_request *request, const struct set_count *left,
                          struct explanation *explanation) {
    const struct spread *spread = &left->spread;
    const struct domain *domain = request->domain;
    if (spread->without_place || spread->lowest > spread->highest)
        return false;
    uint64_t inside = inputs_of_ordinals(domain, spread->lowest, spread->highest);
    explanation->has_ends = true;
    explanation->from = format_from_ordinal(domain->format, spread->lowest);
    explanation->to = format_from_ordinal(domain->format, spread->highest);
    bool found = is_tight(domain, inside, left->count);
    if (!found) {
        explanation->of_magnitudes = true;
        explanation->from = least_of(spread);
        explanation->to = greatest_of(spread);
        inside = inputs_of_magnitudes(domain, spread, explanation->from, explanation->to);
        found = is_tight(domain, inside, left->count) || ends_sharply(request, spread);
    }
    explanation->wrong = inside > left->count ? inside - left->count : 0;
    return found;
}

/* Whether a side gives a finite number there, so that a bound there is not where the function ends. */
static bool is_defined(const struct explain_request *request, uint64_t code) {
    const struct binding_request *computed = &request->computed;
    const struct format *out = request_result_format(computed);
    uint64_t stored = 0;
    void *inputs[MAX_OPERANDS] = {&stored};
    struct side side;
    struct error unused;
    code_store(inputs[0], format_bytes(computed->format), 0, code);
    bool good = side_open(&side, request->sides[0], computed, request->result, request->domain, 1,
                          &unused) &&
                side_ask_elsewhere(&side, inputs, 1, &unused) && !side.unanswered[0];
    if (good) {
        uint64_t got = code_load(side.results[side.result], format_bytes(out), 0);
        good = !format_is_nan(out, got) && !format_is_infinite(out, got);
    }
    side_close(&side);
    return good;
}

/* Whether the first differences beyond a bound lie more closely together than so many in so many inputs
 * would: then it is they alone that begin there. */
static bool is_cluster(const struct set_count *left, uint64_t least, uint64_t found, uint64_t above,
                       const struct format *format) {
    const size_t few = left->example_count / 4;
    if (few < 4 || format_magnitude(format, left->examples[0].in[0]) != least)
        return false;
    uint64_t span = format_magnitude(format, left->examples[few].in[0]) - least;
    return (double)span * (double)found * 4 < (double)few * (double)above;
}

/* None below a magnitude although there are many just above it, in half of the binade below; of one
 * sign only where the function goes on below. */
static bool find_bound(const struct explain_request *request, const struct set_count *left,
                       struct explanation *explanation) {
    const struct spread *spread = &left->spread;
    const struct domain *domain = request->domain;
    const struct format *format = domain->format;
    const uint64_t least = least_of(spread), binade = (uint64_t)1 << (format->precision - 1);
    if (spread->without_place || least == UINT64_MAX || least < 2 * binade)
        return false;
    int place = place_of(format, least);
    uint64_t found = found_in(spread, place), end = least | (binade - 1);
    uint64_t above = inputs_of_magnitudes(domain, spread, least, end);
    explanation->wrong = inputs_of_magnitudes(domain, spread, least, format_greatest(format) - 1);
    if (above < 16) { /* the bound is next to the end of its binade */
        above += inputs_of_magnitudes(domain, spread, end + 1, end + binade);
        found += found_in(spread, place + 1);
    }
    explanation->wrong -= left->count < explanation->wrong ? left->count : explanation->wrong;
    explanation->has_ends = true;
    explanation->from = least;
    return format_decode(format, least).exponent >= -2 &&
           is_sharp(found, above,
                    inputs_of_magnitudes(domain, spread, least - binade, least - 1)) &&
           ((spread->signs[0] && spread->signs[1]) ||
            (!is_cluster(left, least, found, above, format) &&
             is_defined(request,
                        format_with_sign(format, least - binade / 4, spread->signs[1] > 0))));
}

enum { MANTISSA_BINADES = 8, MANTISSA_PERIODS = 3 };

/* Which mantissas differ, in binades in a row. */
struct mantissas {
    const struct format *format;
    hypothesis_set causes;
    uint64_t first; /* the code that the first binade begins with */
    uint64_t count; /* of mantissas in a binade */
    uint8_t *differ;
};

static void note_mantissa(void *context, hypothesis_set set, const struct difference *difference) {
    struct mantissas *mantissas = context;
    if (!(set & mantissas->causes))
        mantissas->differ[difference->in[0] - mantissas->first] = 1;
}

static struct chunk mantissa_chunk(const struct pass *pass, uint64_t at) {
    const struct mantissas *mantissas = pass->context;
    uint64_t all = mantissas->count * MANTISSA_BINADES, from = at * FINGERPRINT_BLOCK;
    return (struct chunk){side_place(pass->request->domain, mantissas->first) + from,
                          all - from < FINGERPRINT_BLOCK ? (size_t)(all - from)
                                                         : FINGERPRINT_BLOCK};
}

/* The binades in a row with the most differences; the code they begin with, or 0. */
static uint64_t choose_binades(const struct domain *domain, const struct spread *spread) {
    const struct format *format = domain->format;
    int places = format->precision - 1, best = -1;
    int binades = format->emax - format->emin + 1;
    uint64_t most = 0;
    for (int i = 0; i + MANTISSA_BINADES <= binades; i++) {
        uint64_t sum = 0;
        for (int j = 0; j < MANTISSA_BINADES;
             j++) /* normal binades come after the subnormal ones */
            sum += spread->binades[0][places + i + j];
        if (sum > most) {
            most = sum;
            best = i;
        }
    }
    uint64_t first = (uint64_t)(best + 1) << places;
    uint64_t count = (uint64_t)MANTISSA_BINADES << places;
    bool whole = best >= 0 && inputs_between(domain, first, first + count - 1) == count;
    return most >= 16 * MANTISSA_BINADES && whole ? first : 0;
}

/* How many mantissas of a binade differ, and how many of those in the binade `period` before too. */
struct overlap {
    uint64_t here, both;
    double expected; /* of `both`, if the one had nothing to do with the other */
};

static struct overlap overlap_of(const struct mantissas *mantissas, int period) {
    struct overlap overlap = {0};
    for (int binade = period; binade < MANTISSA_BINADES; binade++) {
        const uint8_t *here = mantissas->differ + mantissas->count * (uint64_t)binade;
        const uint8_t *before = here - mantissas->count * (uint64_t)period;
        uint64_t these = 0, those = 0;
        for (uint64_t i = 0; i < mantissas->count; i++) {
            these += here[i];
            those += before[i];
            overlap.both += here[i] & before[i];
        }
        overlap.here += these;
        overlap.expected += (double)these * (double)those / (double)mantissas->count;
    }
    return overlap;
}

/* The same mantissas again and again: the period whose binades have most in common, if they have
 * far more than by chance. */
static bool judge_mantissas(const struct mantissas *mantissas, struct explanation *explanation) {
    double best = 0;
    for (int period = 1; period <= MANTISSA_PERIODS; period++) {
        struct overlap overlap = overlap_of(mantissas, period);
        double share = overlap.here ? (double)overlap.both / (double)overlap.here : 0;
        if (share < 0.125 || (double)overlap.both < 4 * overlap.expected || overlap.both < 16 ||
            share < best * 1.25)
            continue;
        best = share;
        explanation->period = period;
        explanation->explains = overlap.both;
        explanation->wrong = overlap.here - overlap.both;
    }
    explanation->tested = mantissas->count * MANTISSA_BINADES;
    return explanation->period > 0;
}

static int find_mantissas(const struct explain_request *request, hypothesis_set causes,
                          const struct set_count *left, struct explanation *explanation,
                          struct error *error) {
    const struct domain *domain = request->domain;
    struct mantissas mantissas = {.format = domain->format, .causes = causes};
    struct counts counts;
    explanation->tested = 0;
    explanation->why =
        "it wants all inputs of 8 binades in a row, of up to 24 bits of precision, and "
        "128 differences in them";
    if ((domain->kind != DOMAIN_ALL && domain->kind != DOMAIN_RANGE) ||
        domain->format->precision > 24)
        return 0;
    mantissas.first = choose_binades(domain, &left->spread);
    mantissas.count = (uint64_t)1 << (domain->format->precision - 1);
    uint64_t all = mantissas.count * MANTISSA_BINADES;
    if (!mantissas.first)
        return 0;
    explanation->why = NULL;
    mantissas.differ = calloc(all, 1);
    if (!mantissas.differ) {
        error_set(error, "out of memory");
        return -1;
    }
    struct pass pass = {.chunk = mantissa_chunk,
                        .chunk_count = (all + FINGERPRINT_BLOCK - 1) / FINGERPRINT_BLOCK,
                        .request = request,
                        .alive = causes,
                        .visit = note_mantissa,
                        .visit_context = &mantissas,
                        .context = &mantissas};
    int found = pass_run(&pass, &counts, error) ? 0 : -1;
    if (found == 0) {
        found = judge_mantissas(&mantissas, explanation);
        counts_free(&counts);
    }
    free(mantissas.differ);
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
    for (size_t i = 0; good && i < left->example_count; i++) {
        const struct difference *example = &left->examples[i];
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

static struct explanation *add(struct explanation *explanations, int *count, enum place place,
                               uint64_t tested) {
    struct explanation *one = &explanations[(*count)++];
    *one = (struct explanation){.name = place_rows[place].name,
                                .says = place_rows[place].says,
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
    if (!one->has_example && left->example_count) {
        one->has_example = true;
        one->example = left->examples[0];
    }
}

int where_explain(const struct explain_request *request, hypothesis_set causes,
                  const struct set_count *left, uint64_t tested, struct explanation *explanations,
                  struct error *error) {
    int count = 0;
    bool found = false;
    for (int side = 0; side < 2; side++) {
        struct explanation *one = add(explanations, &count, PLACE_POSITION, 0);
        one->side = side;
        bool before = found;
        if (!found && left->count && !find_position(request, side, left, one, &found, error))
            return -1;
        if (found && !before) {
            blame(one, left, one->tested == left->count);
            one->adds = left->count;
        }
    }
    if (request->computed.operation->operands != 1)
        return count;
    struct explanation *one = add(explanations, &count, PLACE_INTERVAL, tested);
    if (!found && left->count && find_interval(request, left, one)) {
        blame(one, left, true);
        found = true;
    }
    one = add(explanations, &count, PLACE_BEYOND, tested);
    if (!found && left->count && find_bound(request, left, one)) {
        blame(one, left, true);
        found = true;
    }
    one = add(explanations, &count, PLACE_MANTISSAS, 0);
    int mantissas = found || !left->count ? 0 : find_mantissas(request, causes, left, one, error);
    if (mantissas < 0)
        return -1;
    if (mantissas) {
        blame(one, left, false);
        one->adds = left->count;
    }
    return count;
}
