/* Projections: of a declaration of kappas, the pairs of a rounding and a saturation that the parameter ρ of Approximates
 * stands for. */
#ifndef DETCHECK_GATE_KAPPA_PROJECTIONS_H
#define DETCHECK_GATE_KAPPA_PROJECTIONS_H

#include "gate/kappa_line.h"
#include "gate/kappa_requires.h"

enum { KAPPA_LISTED = 64 };

struct kappa_projections {
    size_t line; /* of Projections: */
    /* Each rounding with each saturation; or where `paired`, the first with the first, and so on. */
    char roundings[KAPPA_LISTED][KAPPA_WORD], saturations[KAPPA_LISTED][KAPPA_WORD];
    size_t rounding_count, saturation_count;
    bool paired;
    /* How far its lines are read. */
    int mode;                    /* 1: RoundingMode: came last; 2: SaturationMode: did */
    size_t column;               /* of these keys; 0: not known yet */
    char stochastic[KAPPA_WORD]; /* a stochastic rounding whose bits the next line has; "" */
};

/* Takes what stands behind Projections: on its line ("": nothing), or a line below it. False: `wrong` says why. */
bool kappa_projections_take(struct kappa_projections *projections, const struct kappa_line *line,
                            bool is_head, char *wrong, size_t room);

/* Whether each list has what it needs, at the end of the declaration. */
bool kappa_projections_end(const struct kappa_projections *projections, char *wrong, size_t room);

size_t kappa_projections_count(const struct kappa_projections *projections);
/* The pair, as "(NearestTiesToEven, SatNone)". */
void kappa_projections_text(const struct kappa_projections *projections, size_t pair,
                            char text[2 * KAPPA_WORD + 5]);

#endif
