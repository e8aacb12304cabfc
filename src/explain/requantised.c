/* The conventions of requantisation as rows, and results held against them.
 *
 * A row about rounding speaks of numbers that lie within the ends of the result, and beyond them of those that are held
 * there; a row about the ends speaks of the numbers beyond them, as the side's own rounding has them. So a side that rounds
 * twice and wraps has two causes. */
#include "explain/requantised.h"

#include "explain/element_rows.h"
#include "op/requantise/rows.h"

#include <mpfr.h>
#include <string.h>

/* Ways of rounding beyond those that --form has. */
enum { TWICE_UP = REQUANTISE_FP32 + 1, CUT_AND_UP, FP32_AWAY, FP32_WITH_ZERO };

static const struct way {
    const char *name, *says;
    int form;               /* enum requantise_form, or one of those */
    enum rounding rounding; /* of REQUANTISE_ONCE */
} ways[] = {
    {"requantised-once-to-nearest-even", "rounds once, to nearest, ties to even", REQUANTISE_ONCE,
     ROUND_NEAREST_EVEN},
    {"requantised-once-to-nearest-up",
     "rounds once, halves up, as TOSA's apply_scale_32 does without double_round", REQUANTISE_ONCE,
     ROUND_NEAREST_UP},
    {"requantised-once-to-nearest-away", "rounds once, to nearest, ties away from zero",
     REQUANTISE_ONCE, ROUND_NEAREST_AWAY},
    {"requantised-once-toward-zero", "truncates once, toward zero", REQUANTISE_ONCE,
     ROUND_TOWARD_ZERO},
    {"requantised-once-down", "rounds once, down: it shifts right without adding a half",
     REQUANTISE_ONCE, ROUND_DOWN},
    {"requantised-once-up", "rounds once, up", REQUANTISE_ONCE, ROUND_UP},
    {"requantised-as-gemmlowp",
     "divides twice as gemmlowp does: by 2^31, and rounds halves up; then by the power of two that "
     "is left, and rounds halves away from zero",
     REQUANTISE_GEMMLOWP, ROUND_NEAREST_EVEN},
    {"requantised-twice-up", "rounds twice, halves up both times, as Arm's sqrdmulh and srshl do",
     TWICE_UP, ROUND_NEAREST_EVEN},
    {"requantised-cut-and-up",
     "divides the product by 2^31 and truncates, then shifts by the bits that are left and rounds "
     "halves up, as Arm's sqdmulh and srshl do",
     CUT_AND_UP, ROUND_NEAREST_EVEN},
    {"requantised-as-tosa-double", "rounds as TOSA's apply_scale_32 does with double_round",
     REQUANTISE_TOSA_DOUBLE, ROUND_NEAREST_EVEN},
    {"requantised-in-fp32", "multiplies in fp32, and rounds to nearest, ties to even",
     REQUANTISE_FP32, ROUND_NEAREST_EVEN},
    {"requantised-in-fp32-away", "multiplies in fp32, and rounds to nearest, ties away from zero",
     FP32_AWAY, ROUND_NEAREST_EVEN},
    {"requantised-in-fp32-with-zero-point",
     "multiplies in fp32, adds the zero point there, and rounds then, ties to even", FP32_WITH_ZERO,
     ROUND_NEAREST_EVEN},
};

enum ending { ENDS_WRAP, ENDS_WRAP_32, ENDS_BEFORE_ZERO };

static const struct {
    const char *name, *says;
} endings[] = {
    [ENDS_WRAP] = {"requantised-wraps", "keeps the lower bits of results beyond the range"},
    [ENDS_WRAP_32] =
        {"requantised-wraps-in-32-bits",
         "keeps the lower 32 bits of results beyond the range, and clamps these to the range"},
    [ENDS_BEFORE_ZERO] = {"requantised-held-before-zero-point",
                          "clamps to the range before it adds the zero point, and keeps the lower "
                          "bits of the sum"},
};

enum {
    WAYS = sizeof ways / sizeof *ways,
    ENDINGS = sizeof endings / sizeof *endings,
    ROWS = WAYS + ENDINGS
};

struct hypothesis requantised_hypothesis(size_t index) {
    struct hypothesis row = {.name = NULL};
    if (index < WAYS)
        row = (struct hypothesis){.name = ways[index].name, .says = ways[index].says};
    else if (index < ROWS)
        row = (struct hypothesis){.name = endings[index - WAYS].name,
                                  .says = endings[index - WAYS].says};
    return row;
}

/* ---- One element ---- */

struct element {
    int64_t x, multiplier, zero, least, most;
    unsigned shift;
};

static int64_t held(int64_t v, int64_t least, int64_t most) {
    return v < least ? least : v > most ? most : v;
}

/* The lower bits of v, as an integer from `least` on. */
static int64_t wrapped(int64_t v, int64_t least, int64_t most) {
    const uint64_t mask = (uint64_t)(most - least);
    return least + (int64_t)(((uint64_t)v - (uint64_t)least) & mask);
}

/* By 2^31, in 32 bits that saturate, and then by the rest, halves up. */
static int64_t by_two_shifts(const struct element *one, int64_t half) {
    const unsigned left = one->shift < 31 ? 31 - one->shift : 0,
                   right = one->shift > 31 ? one->shift - 31 : 0;
    int64_t v = one->x;
    for (unsigned i = 0; i < left; i++)
        v = held(2 * v, INT32_MIN, INT32_MAX);
    v = held((v * one->multiplier + half) >> 31, INT32_MIN, INT32_MAX);
    return right ? (v + (INT64_C(1) << (right - 1))) >> right : v;
}

/* In fp32 by MPFR, as requantise_exact has it. */
static int64_t in_fp32(const struct element *one, bool with_zero) {
    mpfr_t v, scale;
    mpfr_inits2(24, v, scale, (mpfr_ptr)0);
    mpfr_set_si(v, (long)one->x, MPFR_RNDN);
    mpfr_set_si_2exp(scale, (long)one->multiplier, -(mpfr_exp_t)one->shift, MPFR_RNDN);
    mpfr_mul(v, v, scale, MPFR_RNDN);
    if (with_zero) {
        mpfr_add_si(v, v, (long)one->zero, MPFR_RNDN);
        mpfr_roundeven(v, v);
    } else {
        mpfr_round(v, v);
    }
    const int64_t found = mpfr_get_si(v, MPFR_RNDN) - (with_zero ? one->zero : 0);
    mpfr_clears(v, scale, (mpfr_ptr)0);
    return found;
}

/* The rounded product, before the zero point is added. */
static int64_t rounded(const struct way *way, const struct element *one) {
    if (way->form == TWICE_UP || way->form == CUT_AND_UP)
        return by_two_shifts(one, way->form == TWICE_UP ? INT64_C(1) << 30 : 0);
    if (way->form == FP32_AWAY || way->form == FP32_WITH_ZERO)
        return in_fp32(one, way->form == FP32_WITH_ZERO);
    mpz_t v;
    mpz_init(v);
    requantise_exact(v, (enum requantise_form)way->form, way->rounding, one->x, one->multiplier,
                     one->shift);
    const int64_t found = mpz_get_si(v);
    mpz_clear(v);
    return found;
}

static bool is_beyond(const struct element *one, int64_t v) {
    return held(v, one->least, one->most) != v ||
           held(v + one->zero, one->least, one->most) != v + one->zero;
}

static int64_t ended(enum ending ending, const struct element *one, int64_t v) {
    switch (ending) {
    case ENDS_WRAP:
        return wrapped(v + one->zero, one->least, one->most);
    case ENDS_WRAP_32:
        return held(wrapped(wrapped(v, INT32_MIN, INT32_MAX) + one->zero, INT32_MIN, INT32_MAX),
                    one->least, one->most);
    case ENDS_BEFORE_ZERO:
        break;
    }
    return wrapped(held(v, one->least, one->most) + one->zero, one->least, one->most);
}

/* ---- All of them ---- */

struct trial {
    struct element_rows rows;
    size_t asked;  /* the way that is asked for */
    size_t own[2]; /* the way that a side follows, */
    bool of_ends;  /* which is known when the ends are looked at */
};

/* TOSA's form without double_round is the one that rounds once, halves up. */
static size_t asked_way(const struct binding_request *computed) {
    const int form = (int)parameter_integer(&computed->parameters, PARAMETER_FORM, 0);
    const bool once = form == REQUANTISE_ONCE || form == REQUANTISE_TOSA;
    const enum rounding rounding = form == REQUANTISE_TOSA ? ROUND_NEAREST_UP : computed->rounding;
    size_t at = 0;
    while (at + 1 < WAYS &&
           (once ? ways[at].form != REQUANTISE_ONCE || ways[at].rounding != rounding
                 : ways[at].form != form))
        at++;
    return at;
}

/* What is asked for is no cause, and no row speaks against it. */
static void try_ways(struct trial *trial, const struct element *one, size_t at,
                     const int64_t got[2]) {
    const int64_t asked =
        held(rounded(&ways[trial->asked], one) + one->zero, one->least, one->most);
    for (size_t row = 0; row < WAYS; row++) {
        if (element_rows_are_hopeless(&trial->rows, row))
            continue;
        const int64_t v = rounded(&ways[row], one),
                      predicted = held(v + one->zero, one->least, one->most);
        for (int side = 0; side < 2; side++) {
            const bool right = predicted == got[side];
            if (right ? predicted != asked : !is_beyond(one, v))
                element_rows_count(&trial->rows, side, row, at, right);
        }
    }
}

static void try_endings(struct trial *trial, const struct element *one, size_t at,
                        const int64_t got[2]) {
    for (int side = 0; side < 2; side++) {
        const int64_t v = rounded(&ways[trial->own[side]], one);
        for (size_t i = 0; i < ENDINGS && is_beyond(one, v); i++) {
            const int64_t predicted = ended((enum ending)i, one, v);
            if (predicted != held(v + one->zero, one->least, one->most))
                element_rows_count(&trial->rows, side, WAYS + i, at, predicted == got[side]);
        }
    }
}

static bool try_call(void *context, const struct array_call *call, uint64_t number,
                     struct error *error) {
    struct trial *trial = context;
    const struct sum_results *results = trial->rows.results;
    const struct format *format = call->results[0].format;
    const int64_t most = (int64_t)format->max_finite;
    struct element one = {.multiplier = requantise_integer(call, REQUANTISE_MULTIPLIER, 0),
                          .zero = requantise_integer(call, REQUANTISE_ZERO, 0),
                          .least = format->sign_bit ? -most - 1 : 0,
                          .most = most,
                          .shift = (unsigned)requantise_integer(call, REQUANTISE_SHIFT, 0)};
    (void)error;
    for (size_t i = 0; i < sum_elements_of(results, number); i++) {
        const size_t at = results->first[number] + i;
        const int64_t got[2] = {format_ordinal(format, results->codes[0][at]),
                                format_ordinal(format, results->codes[1][at])};
        one.x = requantise_integer(call, REQUANTISE_X, i);
        (trial->of_ends ? try_endings : try_ways)(trial, &one, at, got);
    }
    return true;
}

/* ---- Concluding ---- */

/* What is asked for where the side does that, or else the first way that is never wrong. */
static void find_own_ways(struct trial *trial) {
    for (int side = 0; side < 2; side++) {
        size_t at = trial->asked;
        for (size_t row = 0; trial->rows.wrong[side][at] && row < WAYS; row++)
            if (!trial->rows.wrong[side][row])
                at = row;
        trial->own[side] = at;
    }
}

bool requantised_explain(const struct sum_results *results, struct explain_outcome *outcome,
                         struct error *error) {
    struct trial trial = {.asked = asked_way(&results->request->computed)};
    bool good = element_rows_open(&trial.rows, results, requantised_hypothesis, error) &&
                sum_results_visit(results, try_call, &trial, error);
    find_own_ways(&trial);
    trial.of_ends = true;
    good = good && sum_results_visit(results, try_call, &trial, error);
    if (good)
        element_rows_choose(&trial.rows, outcome);
    element_rows_close(&trial.rows);
    return good;
}
