/* What an implementation's outputs depend on, in reports: as JSON and in words. */
#ifndef DETCHECK_REPORT_INVARIANCE_H
#define DETCHECK_REPORT_INVARIANCE_H

#include "invariance/property.h"
#include "report/report.h"

#include <stdio.h>

/* The outcomes of several implementations of one request, which all are for but its member
 * `implementation`. */
struct invariance_outcomes {
    const struct invariance_request *request;
    const struct implementation *implementations;
    const struct invariance_outcome *outcomes;
    size_t count;
};

/* Appends an entry for each result of the operation: its parameters have "invariance": true, and its
 * implementations "invariance" in place of figures about right and wrong. */
void report_add_invariance(struct report *report, const struct invariance_outcomes *outcomes);

/* What functions for sweeps are told. */
struct sweep_request invariance_sweep(const struct invariance_request *request);

/* The command that shows again what has come of an input. */
void invariance_print_command(FILE *stream, const struct invariance_request *request,
                              const struct implementation *implementation,
                              const struct property *property, const uint64_t input[MAX_OPERANDS]);

/* The same in words: how many properties change bits, and what is to be said of these; of `every` one where that is
 * set. `colour` marks what has changed. */
void invariance_print(FILE *stream, const struct invariance_outcomes *outcomes, bool every,
                      bool colour);

/* Inputs that were compared by any property, and the most that changed by one. */
uint64_t invariance_tested(const struct invariance_outcome *outcome, size_t property_count);
uint64_t invariance_most_changed(const struct invariance_outcome *outcome, size_t property_count);

#endif
