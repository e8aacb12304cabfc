/* Shares of inputs that differ, binade by binade. */
#include "explain/bound.h"

#include "explain/side.h"

#include <math.h>

/* So few inputs tell no share. */
enum { FEW_INPUTS = 16 };

/* An error that grows with x, such as that of a multiple of an inexact pi, is doubled in each binade, and
 * so are the inputs that differ. From one of 512 in a binade it takes 8 binades until a quarter do. */
enum { GROWING_BINADES = 8 };
/* What grows is a matter of x only where it comes to much, and stays. */
#define GROWN_SHARE 0x1p-4

uint64_t inputs_of_magnitudes(const struct domain *domain, const bool signs[2], uint64_t from,
                              uint64_t to) {
    uint64_t count = 0;
    for (int sign = 0; sign < 2; sign++) {
        uint64_t minus = sign ? domain->format->sign_bit : 0;
        count += signs[sign] ? side_count_between(domain, from | minus, to | minus) : 0;
    }
    return count;
}

int spread_place(const struct format *format, uint64_t magnitude) {
    return format_decode(format, magnitude).exponent - (format->emin - format->precision + 1);
}

/* Differences of some signs, and the bound that they begin at. */
struct bound {
    const struct domain *domain;
    const struct spread *spread;
    bool signs[2];
    int last;              /* the binade of the largest number */
    int full;              /* the first binade in which as many differ as beyond */
    double share;          /* there */
    uint64_t least, found; /* the bound, and differences beyond it */
};

static uint64_t found_in(const struct bound *bound, int place) {
    uint64_t found = 0;
    for (int sign = 0; sign < 2 && place >= 0; sign++)
        found += bound->signs[sign] ? bound->spread->binades[sign][place] : 0;
    return found;
}

/* The first magnitude of a normal binade. */
static uint64_t begin_of(const struct bound *bound, int place) {
    const int places = bound->domain->format->precision - 1;
    return (uint64_t)(place - places + 1) << places;
}

static uint64_t end_of(const struct bound *bound, int place) {
    return place < bound->last ? begin_of(bound, place + 1) - 1 : bound->domain->format->max_finite;
}

/* The smallest magnitude of a binade that differs; where none does, its first. */
static uint64_t least_in(const struct bound *bound, int place) {
    uint64_t least = UINT64_MAX;
    for (int sign = 0; sign < 2; sign++)
        if (bound->signs[sign] && bound->spread->binades[sign][place] &&
            bound->spread->least_of[sign][place] < least)
            least = bound->spread->least_of[sign][place];
    return least == UINT64_MAX ? begin_of(bound, place) : least;
}

/* Of the inputs from a magnitude to the end of its binade, those that differ; -1 where they are too few
 * to tell. */
static double share_from(const struct bound *bound, int place, uint64_t from, uint64_t few) {
    uint64_t all = inputs_of_magnitudes(bound->domain, bound->signs, from, end_of(bound, place));
    return all < few || !all ? -1 : (double)found_in(bound, place) / (double)all;
}

/* The first binade with a quarter of the largest share: below that it is not yet what it is beyond. */
static bool find_full(struct bound *bound) {
    const int first = bound->domain->format->precision - 1;
    double most = 0;
    for (int place = first; place <= bound->last; place++)
        most = fmax(most, share_from(bound, place, begin_of(bound, place), FEW_INPUTS));
    for (bound->full = first; most > 0 && bound->full <= bound->last; bound->full++) {
        bound->share = share_from(bound, bound->full, begin_of(bound, bound->full), FEW_INPUTS);
        if (bound->share >= most / 4)
            return true;
    }
    return false;
}

/* Whether as many differ in each binade from the full one on. */
static bool lasts(const struct bound *bound) {
    for (int place = bound->full; place <= bound->last; place++) {
        double share = share_from(bound, place, begin_of(bound, place), FEW_INPUTS);
        if (share >= 0 && share < bound->share)
            return false;
    }
    return true;
}

/* Down from the full binade, as long as the share is no eighth of that above: an isolated difference is
 * left behind, and what grows, or begins near the end of a binade, is not. */
static int find_start(const struct bound *bound) {
    const int first = bound->domain->format->precision - 1;
    double above = bound->share;
    int start = bound->full;
    const int most = bound->share >= GROWN_SHARE && lasts(bound) ? GROWING_BINADES : 1;
    while (start > first && start > bound->full - most && found_in(bound, start - 1)) {
        double share = share_from(bound, start - 1, least_in(bound, start - 1), 1);
        if (share * 8 < above)
            break;
        above = share;
        start--;
    }
    return start;
}

/* Where they begin, for differences of these signs: if nothing changed there, 16 of them at least would
 * be expected in half of the binade below. */
static bool find_begin(struct bound *bound) {
    const struct format *format = bound->domain->format;
    const uint64_t binade = (uint64_t)1 << (format->precision - 1);
    if (!find_full(bound))
        return false;
    const int start = find_start(bound);
    bound->least = least_in(bound, start);
    bound->found = 0;
    for (int place = start; place <= bound->last; place++)
        bound->found += found_in(bound, place);
    for (int sign = 0; sign < 2; sign++) /* infinity is beyond */
        bound->found += bound->signs[sign] && bound->spread->signs[sign] &&
                        bound->spread->greatest[sign] > format->max_finite;
    uint64_t behind = bound->least < 2 * binade
                          ? 0
                          : inputs_of_magnitudes(bound->domain, bound->signs, bound->least - binade,
                                                 bound->least - 1);
    return format_decode(format, bound->least).exponent >= -2 &&
           bound->share * (double)behind >= FEW_INPUTS;
}

bool bound_is_defined(const struct explain_request *request, uint64_t code) {
    const struct binding_request *computed = &request->computed;
    const struct format *out = request_result_format(computed);
    uint64_t stored = 0;
    void *inputs[MAX_OPERANDS] = {&stored};
    struct side side;
    struct error unused;
    code_store(inputs[0], format_bytes(computed->format), 0, code);
    bool good =
        side_open(&side, request->sides[0], computed, request->result, request->domain, 1, &unused);
    side.losses = request->losses[0];
    side.question = QUESTION_PLACES;
    good = good && side_ask_elsewhere(&side, inputs, 1, &unused) && !side.unanswered[0];
    if (good) {
        uint64_t got = code_load(side.results[side.result], format_bytes(out), 0);
        good = !format_is_nan(out, got) && !format_is_infinite(out, got);
    }
    side_close(&side);
    return good;
}

/* Whether the first differences beyond a bound lie more closely together than their share would have
 * them: then it is they alone that begin there. */
static bool is_cluster(const struct set_count *left, const struct bound *bound) {
    const struct format *format = bound->domain->format;
    const size_t few = left->example_count / 4;
    if (few < 4 || format_magnitude(format, left->examples[0].in[0]) != bound->least)
        return false;
    uint64_t span = format_magnitude(format, left->examples[few].in[0]) - bound->least;
    return (double)span * bound->share * 4 < (double)few;
}

/* The bounds of the two signs, if they are far apart: many inputs of one sign lie between that agree,
 * and those of the other sign do not. */
static bool find_two(const struct bound *both, struct bound one[2]) {
    for (int sign = 0; sign < 2; sign++) {
        one[sign] =
            (struct bound){.domain = both->domain, .spread = both->spread, .last = both->last};
        one[sign].signs[sign] = true;
        if (!find_begin(&one[sign]))
            return false;
    }
    const int far = one[1].least > one[0].least;
    const uint64_t near = one[1 - far].least, end = one[far].least - 1;
    return near <= end && one[1 - far].share * (double)inputs_of_magnitudes(
                                                   both->domain, one[far].signs, near, end) >=
                              FEW_INPUTS;
}

/* Inputs beyond a bound, those that differ among them. */
static uint64_t inputs_beyond(const struct bound *bound) {
    return inputs_of_magnitudes(bound->domain, bound->signs, bound->least,
                                format_greatest(bound->domain->format));
}

bool bound_covers(const struct format *format, const struct explanation *explanation,
                  const struct difference *difference) {
    const uint64_t code = difference->in[0], magnitude = format_magnitude(format, code);
    const bool negative = format_is_negative(format, code);
    uint64_t bound =
        negative && explanation->from_below ? explanation->from_below : explanation->from;
    return !format_is_nan(format, code) && magnitude >= format_magnitude(format, bound) &&
           (explanation->of_magnitudes || negative == format_is_negative(format, bound));
}

bool bound_find(const struct explain_request *request, const struct set_count *left,
                struct explanation *explanation) {
    const struct spread *spread = &left->spread;
    const struct format *format = request->domain->format;
    struct bound bound = {.domain = request->domain,
                          .spread = spread,
                          .last = spread_place(format, format->max_finite)};
    struct bound one[2];
    for (int sign = 0; sign < 2; sign++) /* a few of the other sign are outliers */
        bound.signs[sign] = spread->signs[sign] > spread->signs[1 - sign] / 64;
    if (format->is_integer || !find_begin(&bound))
        return false;
    const bool both = bound.signs[0] && bound.signs[1], two = both && find_two(&bound, one);
    struct explanation reported = *explanation;
    reported.has_ends = true;
    reported.of_magnitudes = both && !two;
    reported.from = two    ? one[0].least
                    : both ? bound.least
                           : format_with_sign(format, bound.least, bound.signs[1]);
    reported.from_below = two ? format_with_sign(format, one[1].least, true) : 0;
    reported.explains = two ? one[0].found + one[1].found : bound.found;
    const uint64_t beyond =
        two ? inputs_beyond(&one[0]) + inputs_beyond(&one[1]) : inputs_beyond(&bound);
    reported.wrong = beyond > reported.explains ? beyond - reported.explains : 0;
    reported.has_example = bound_covers(format, &reported, &left->worst);
    reported.example = left->worst;
    for (size_t i = 0; i < left->example_count && !reported.has_example; i++) {
        reported.has_example = bound_covers(format, &reported, &left->examples[i]);
        reported.example = left->examples[i];
    }
    const uint64_t below = bound.least - ((uint64_t)1 << (format->precision - 1)) / 4;
    /* Isolated differences elsewhere are left without a cause. */
    const bool good =
        left->count - reported.explains <= left->count / 64 &&
        (both || (!is_cluster(left, &bound) &&
                  bound_is_defined(request, format_with_sign(format, below, bound.signs[1]))));
    if (good)
        *explanation = reported;
    return good;
}
