/* Which rows of the table of matrix units, and which models of a grid, give the results of all cases. */
#ifndef DETCHECK_REVEAL_FIT_H
#define DETCHECK_REVEAL_FIT_H

#include "reveal/grid.h"

#include <signal.h>

struct unit;

struct fit_row {
    const struct unit *unit;
    const char *name, *source; /* its */
    bool without_c;            /* it fits where c is left out, and not with it */
    size_t wrong, first;       /* cases, of which the first; with c */
    uint64_t got;
};

enum { FIT_MOST_ROWS = 64 };
struct fit {
    const struct unit_cases *cases;
    struct grid grid;
    struct fit_row rows[FIT_MOST_ROWS];
    size_t row_count;
    struct grid_point *points; /* models that fit */
    size_t point_count, point_room;
    size_t tried;
    struct grid_sets sets; /* values of models that fit */
};

/* Holds all to all cases; a model is dropped at its first wrong one. Close in any case. */
bool fit_cases(struct fit *fit, const struct unit_cases *cases, const volatile sig_atomic_t *stop,
               struct error *error);
/* Drops the models that fit but do not give the results of more cases, and counts those of rows. Values of the axes are of the
 * models that are left. */
bool fit_narrow(struct fit *fit, const struct unit_cases *more, struct error *error);
void fit_close(struct fit *fit);
/* Whether a row gives all results, with c or where it is left out. */
bool fit_row_fits(const struct fit_row *row);

#endif
