/* The distances of exact results from where rounding changes: from midpoints to nearest, from numbers in directed roundings.
 *
 * A side that rounds a good approximation is wrong where the approximation and the exact result lie on two sides of such a
 * place. The largest distance of a wrong result from there is what its error reaches at least. */
#include "explain/nearness.h"

#include "explain/inquiry.h"
#include "sweep/built/built.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

/* The place between two neighbours at which rounding changes from one to the other. */
enum edge { EDGE_NONE, EDGE_MIDDLE, EDGE_UPPER, EDGE_LOWER, EDGE_OUTER };
static const enum edge edges[ROUNDING_NAMES] = {
    [ROUND_NEAREST_EVEN] = EDGE_MIDDLE, [ROUND_NEAREST_AWAY] = EDGE_MIDDLE,
    [ROUND_DOWN] = EDGE_UPPER,          [ROUND_UP] = EDGE_LOWER,
    [ROUND_TOWARD_ZERO] = EDGE_OUTER,
};

/* 128 bits of a result, and its distance from a number of far fewer bits. */
enum { BITS = 300 };

/* An error that is larger is none of a good approximation, and the product of the chances of all differences to lie
 * so near, which is 2^-10 at most. */
static const double largest_error = 0x1p-6;
enum { LEAST_SURPRISE = 10, LEAST_SHARE = 64 };

struct nearness {
    const struct explain_request *request;
    const struct format *format;
    enum edge edge;
    hypothesis_set causes;
    struct oracle oracle;
    bool fits[2]; /* by side: all its results seen are such ones */
    double most[2];
    uint64_t seen;
    struct error *error;
    bool failed;
};

static void take_number(const struct format *format, uint64_t code, mpfr_ptr number) {
    struct real value = format_decode(format, code);
    if (value.kind == REAL_INFINITE) { /* rounding changes as if the next number stood there */
        const bool negative = value.negative;
        value = real_power_of_two(format->emax + 1);
        value.negative = negative;
    }
    mpfr_init2(number, BITS);
    real_to_mpfr(number, &value);
}

static void take_edge(enum edge edge, mpfr_srcptr a, mpfr_srcptr b, mpfr_ptr place) {
    const bool a_is_upper = mpfr_cmp(a, b) > 0, a_is_outer = mpfr_cmpabs(a, b) > 0;
    if (edge == EDGE_MIDDLE) {
        mpfr_add(place, a, b, MPFR_RNDN);
        mpfr_div_2ui(place, place, 1, MPFR_RNDN);
    } else {
        const bool takes_a = edge == EDGE_OUTER ? a_is_outer : (edge == EDGE_UPPER) == a_is_upper;
        mpfr_set(place, takes_a ? a : b, MPFR_RNDN);
    }
}

/* How far, in ulps, an exact result that is rounded to `right` lies from where it would be rounded to `other`; infinite
 * where that is no neighbour. */
static double distance_of(const struct nearness *nearness, const struct real *y, uint64_t right,
                          uint64_t other) {
    const struct format *format = nearness->format;
    const bool are_numbers = !format_is_nan(format, right) && !format_is_nan(format, other) &&
                             (y->kind == REAL_FINITE || y->kind == REAL_ZERO);
    const int64_t apart =
        are_numbers ? format_ordinal(format, right) - format_ordinal(format, other) : 0;
    mpfr_t a, b, place, exact;
    if (apart != 1 && apart != -1)
        return INFINITY;
    take_number(format, right, a);
    take_number(format, other, b);
    mpfr_inits2(BITS, place, exact, (mpfr_ptr)NULL);
    take_edge(nearness->edge, a, b, place);
    real_to_mpfr(exact, y);
    mpfr_sub(place, exact, place, MPFR_RNDA);
    mpfr_abs(place, place, MPFR_RNDA);
    if (y->inexact) { /* what was cut off */
        mpfr_set_ui_2exp(exact, 1, y->exponent - 127, MPFR_RNDA);
        mpfr_add(place, place, exact, MPFR_RNDA);
    }
    mpfr_sub(a, a, b, MPFR_RNDN);
    mpfr_abs(a, a, MPFR_RNDN);
    mpfr_div(place, place, a, MPFR_RNDU);
    const double distance = mpfr_get_d(place, MPFR_RNDU);
    mpfr_clears(a, b, place, exact, (mpfr_ptr)NULL);
    return distance;
}

static uint64_t round_right(const struct nearness *nearness, const struct real *y) {
    const struct binding_request *computed = &nearness->request->computed;
    return format_encode(nearness->format, y, computed->rounding, computed->overflow);
}

static void look_at(struct nearness *nearness, const struct difference *found) {
    struct real y;
    if (nearness->failed || !oracle_exact(&nearness->oracle, found->in, nearness->request->result,
                                          &y, nearness->error)) {
        nearness->failed = true;
        return;
    }
    const uint64_t right = round_right(nearness, &y);
    nearness->seen++;
    for (int side = 0; side < 2; side++) {
        const double distance = distance_of(nearness, &y, right, found->sides[side]);
        nearness->fits[side] = nearness->fits[side] &&
                               hypothesis_same(nearness->format, right, found->sides[1 - side]) &&
                               distance <= largest_error;
        if (distance > nearness->most[side])
            nearness->most[side] = distance;
    }
}

static void visit(void *context, hypothesis_set set, const struct difference *difference) {
    struct nearness *nearness = context;
    if (set & nearness->causes)
        return;
#pragma omp critical(explain_nearness)
    if (nearness->fits[0] || nearness->fits[1])
        look_at(nearness, difference);
}

/* Takes the differences of the pass's inputs. */
static bool look_at_all(struct nearness *nearness, struct pass pass, struct error *error) {
    struct counts counts;
    pass.alive = nearness->causes;
    pass.question = QUESTION_PLACES;
    pass.keeps = false;
    pass.doing = "distances";
    pass.visit = visit;
    pass.visit_context = nearness;
    nearness->seen = 0;
    if (!pass_run(&pass, &counts, error))
        return false;
    counts_free(&counts);
    return !nearness->failed;
}

/* ---- Inputs that are as near ---- */

struct neighbours {
    uint64_t tested, near;
};

static double nearest_edge(const struct nearness *nearness, const struct real *y) {
    const uint64_t right = round_right(nearness, y);
    const double up = distance_of(nearness, y, right, format_next_up(nearness->format, right)),
                 down = distance_of(nearness, y, right, format_next_down(nearness->format, right));
    return up < down ? up : down;
}

/* One thread's blocks. */
static bool count_share(struct nearness *own, const struct pass *pass, double within,
                        struct neighbours *neighbours, struct error *error) {
    const struct binding_request *computed = &own->request->computed;
    bool good = true;
    oracle_open(&own->oracle, computed->operation, computed->format, &computed->parameters,
                ORACLE_MOST_BITS);
    own->oracle.rounding = computed->rounding;
#pragma omp for schedule(dynamic, 1)
    for (uint64_t at = 0; at < pass->block_count; at++) {
        const struct input_block block = pass->block(pass, at);
        for (size_t i = 0; good && i < block.count; i++) {
            uint64_t in[MAX_OPERANDS];
            struct real y;
            domain_codes_at(own->request->domain, block.first + i, in);
            good = oracle_exact(&own->oracle, in, own->request->result, &y, error);
            neighbours->tested++;
            neighbours->near += good && nearest_edge(own, &y) <= within;
        }
    }
    oracle_close(&own->oracle);
    oracle_thread_end();
    return good;
}

static bool count_near(const struct nearness *nearness, const struct pass *pass, double within,
                       struct neighbours *neighbours, struct error *error) {
    bool all_good = true;
#pragma omp parallel num_threads(nearness->request->threads)
    {
        struct nearness own = *nearness;
        struct neighbours mine = {0};
        struct error why = {{0}};
        const bool good = count_share(&own, pass, within, &mine, &why);
#pragma omp critical(explain_nearness)
        {
            neighbours->tested += mine.tested;
            neighbours->near += mine.near;
            if (!good)
                *error = why;
            all_good = all_good && good;
        }
    }
    return all_good;
}

/* ---- The answer ---- */

static bool applies(const struct binding_request *computed) {
    return !computed->operation->converts && !computed->format->is_p3109 &&
           !request_result_format(computed)->is_p3109 && edges[computed->rounding] != EDGE_NONE &&
           built_is_for(computed->operation, computed->format);
}

/* Whether that many results lie so near only because they are wrong. */
static bool is_no_chance(uint64_t count, double within) {
    return within == 0 || (double)count * (-1 - log2(within)) >= LEAST_SURPRISE;
}

/* Counts all of them, and the inputs that are as near: of many inputs in a first look. */
static int measure(struct nearness *nearness, const struct set_count *left,
                   struct explanation *explanation, struct error *error) {
    struct pass look, whole;
    struct neighbours neighbours = {0};
    inquiry_passes(nearness->request, &look, &whole);
    if (!look_at_all(nearness, whole, error))
        return -1;
    const int side = nearness->fits[1];
    const double within = nearness->most[side];
    if (!nearness->fits[side] || nearness->seen != left->count ||
        !is_no_chance(left->count, within))
        return 0;
    if ((look.block_count && !look_at_all(nearness, look, error)) ||
        !count_near(nearness, look.block_count ? &look : &whole, within, &neighbours, error))
        return -1;
    if (neighbours.near / LEAST_SHARE > nearness->seen)
        return 0;
    explanation->side = side;
    explanation->tested = neighbours.tested;
    explanation->wrong = neighbours.near - nearness->seen;
    explanation->has_distance = true;
    explanation->of_midpoints = nearness->edge == EDGE_MIDDLE;
    explanation->distance = within;
    return 1;
}

int nearness_explain(const struct explain_request *request, hypothesis_set causes,
                     const struct set_count *left, struct explanation *explanation,
                     struct error *error) {
    const struct binding_request *computed = &request->computed;
    struct nearness nearness = {.request = request,
                                .format = request_result_format(computed),
                                .causes = causes,
                                .fits = {true, true},
                                .error = error};
    if (!applies(computed))
        return 0;
    nearness.edge = edges[computed->rounding];
    oracle_open(&nearness.oracle, computed->operation, computed->format, &computed->parameters,
                ORACLE_MOST_BITS);
    nearness.oracle.rounding = computed->rounding;
    for (size_t i = 0; i < left->example_count && !nearness.failed; i++)
        look_at(&nearness, &left->examples[i]);
    const bool may_be = nearness.fits[0] || nearness.fits[1];
    const int found = nearness.failed ? -1
                      : may_be        ? measure(&nearness, left, explanation, error)
                                      : 0;
    oracle_close(&nearness.oracle);
    return found;
}
