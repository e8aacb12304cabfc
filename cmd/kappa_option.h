/* `detcheck sweep --kappa FILE`: the approximation declarations of P3109 4.0, of every input. */
#ifndef DETCHECK_CMD_KAPPA_OPTION_H
#define DETCHECK_CMD_KAPPA_OPTION_H

#include "base/output.h"
#include "sweep/sweep.h"

struct sweep_plan;

struct kappa_option {
    const char *path; /* NULL: it was not given */
    struct output output;
    size_t number; /* of declarations so far */
};

/* Opens the file, if the plan's arguments name one. False where inputs would be left out. */
bool kappa_option_open(struct sweep_plan *plan, struct error *error);

/* Writes what a sweep found. False where an implementation gave no output for an input. */
bool kappa_option_tell(struct sweep_plan *plan, const struct sweep_request *request,
                       const struct sweep_outcome *outcome, struct error *error);

/* The file appears, unless the run was interrupted. */
bool kappa_option_end(struct sweep_plan *plan, struct error *error);

#endif
