/* One declaration of kappas as its lines say it, and at its end what it declares: a kappa for each choice of formats, rounding
 * and saturation that its parameters stand for. */
#ifndef DETCHECK_GATE_KAPPA_DRAFT_H
#define DETCHECK_GATE_KAPPA_DRAFT_H

#include "gate/kappa_projections.h"
#include "gate/kappa_read.h"
#include "gate/kappa_requires.h"

/* Kappa:, or an interval, as it is written. */
struct kappa_text {
    char *text;
    size_t line;
    bool whole;
};

struct kappa_draft {
    char *approximates; /* NULL: not given */
    size_t approximates_line;
    struct kappa_text *texts;
    size_t count;
    struct kappa_requires requires;
    struct kappa_projections projections;
};

/* Copies the text. False without memory. */
bool kappa_draft_approximates(struct kappa_draft *draft, const char *text, size_t line);
bool kappa_draft_add(struct kappa_draft *draft, const char *text, size_t line, bool whole);

/* Adds what a draft with kappas declares. False: `wrong` says why, and *line is the line that it is about. */
bool kappa_draft_expand(const struct kappa_draft *draft, struct declared_kappas *kappas,
                        size_t *line, char *wrong, size_t room);

/* Frees all of it and makes it empty. */
void kappa_draft_clear(struct kappa_draft *draft);

#endif
