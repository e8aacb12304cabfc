/* Counting which mantissas differ in binades in a row, and what these have in common. */
#include "explain/mantissas.h"

#include "explain/pass.h"
#include "explain/side.h"

#include <stdlib.h>

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

static struct input_block mantissa_block(const struct pass *pass, uint64_t at) {
    const struct mantissas *mantissas = pass->context;
    uint64_t all = mantissas->count * MANTISSA_BINADES, from = at * FINGERPRINT_BLOCK;
    return (struct input_block){side_place(pass->request->domain, mantissas->first) + from,
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
    bool whole = best >= 0 && side_count_between(domain, first, first + count - 1) == count;
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

int mantissas_explain(const struct explain_request *request, hypothesis_set causes,
                      const struct set_count *left, struct explanation *explanation,
                      struct error *error) {
    const struct domain *domain = request->domain;
    struct mantissas mantissas = {.format = domain->format, .causes = causes};
    struct counts counts;
    explanation->tested = 0;
    explanation->why =
        "it needs all inputs of 8 binades in a row, of up to 24 bits of precision, and "
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
    struct pass pass = {.block = mantissa_block,
                        .block_count = (all + FINGERPRINT_BLOCK - 1) / FINGERPRINT_BLOCK,
                        .request = request,
                        .alive = causes,
                        .question = QUESTION_PLACES,
                        .doing = "binades",
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
