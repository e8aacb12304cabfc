/* A probe under way: what its parts share. */
#ifndef DETCHECK_SWEEP_SEARCH_LOOK_H
#define DETCHECK_SWEEP_SEARCH_LOOK_H

#include "sweep/judge/output.h"
#include "sweep/search/probe.h"

/* The worst inputs of a probe, from which the next are made; and of how many the mean is its score.
 */
enum { LOOK_TOP = 32, LOOK_TOP_MEAN = 8 };

struct look_top {
    size_t at;     /* among the loaded inputs */
    double offset; /* along the line */
    double rank;
    bool below; /* the output is below the exact result */
};

struct look {
    struct prober *prober;
    const struct probe *probe;
    struct probe_result *result;
    const struct binding_request *computed;
    size_t count;     /* inputs that are loaded */
    bool is_cut;      /* the end of the search came meanwhile: outputs may be none */
    struct line line; /* where `fits`; else its centre and length only */
    bool fits;
    bool has_flushed;
    size_t flushed; /* the first that is */
    size_t top_count;
    struct look_top top[LOOK_TOP]; /* largest rank first */
};

bool look_is_boundary(const struct look *look);

/* How many of `count` inputs may still be tried. */
size_t look_allowed(const struct look *look, size_t count);

/* The code, or of an operand that is an integer the nearest one towards 0. */
uint64_t look_call(const struct look *look, int operand, uint64_t code);

/* Notes a loaded input whose result is flushed, of which one is taken: it has no rank. */
void look_note_flushed(struct look *look, size_t at);
bool look_take_flushed(struct look *look, struct error *error);

/* The outputs for the loaded inputs. */
bool look_fill(struct look *look, struct error *error);

/* Whether every implementation of the probe answered that loaded input. */
static inline bool look_is_answered(const struct look *look, size_t at) {
    const struct prober *prober = look->prober;
    for (size_t i = 0; i < prober->implementation_count; i++)
        if (worker_is_unanswered(&prober->worker, prober->implementations[i], at))
            return false;
    return true;
}

/* Whether flags and errno of the loaded inputs are asked for and judged (flags.c). */
bool look_wants_flags(const struct look *look);
void look_ask_for_flags(const struct look *look, size_t implementation, struct slice *slice);
bool look_take_flags(struct look *look, struct error *error);

/* Takes the exact value of one loaded input, with its outputs, as one of all results; *rank is below
 * 0 where there is none. */
bool look_take(struct look *look, size_t at, double *rank, struct error *error);

/* Offers those of the ranks of the loaded inputs that are numbers to the top, which has none twice.
 */
void look_offer(struct look *look, const double *ranks);

/* Loads the inputs at the prober's offsets, computes and ranks them, and offers them to the top. */
bool look_try(struct look *look, struct error *error);

/* Where no exact value bears out what ranks first, *good is false. */
bool look_confirm(struct look *look, bool *good, struct error *error);

/* From the top of a line to a worse one, for errors (breed.c, band.c). */
bool look_breed(struct look *look, struct error *error);

/* Only errors that the probe wants. */
bool look_beyond(struct look *look, struct error *error);

/* Inputs of the probe's sets, each by itself (scatter.c). */
bool look_scattered(struct look *look, struct error *error);

/* Inputs of the probe's list, each by itself (scatter.c). */
bool look_listed(struct look *look, struct error *error);

/* Inputs that are built, each by itself (scatter.c). */
bool look_built(struct look *look, struct error *error);

/* What lies along the line next to where rounding changes (near.c); only that is looked at. */
bool look_for_boundaries(struct look *look, struct error *error);

#endif
