/* What a report measures of an implementation: a list of names and numbers, each with the direction in which it
 * gets worse. Baselines (detcheck-gate(1)) and comparisons of reports (detcheck-compare(1)) go through the list,
 * and know none of them by themselves. */
#ifndef DETCHECK_REPORT_MEASURES_H
#define DETCHECK_REPORT_MEASURES_H

#include "report/limits.h"

struct measure {
    char *name; /* "max_ulp", "events.crash", "invariance.position"; parts may be anybody's text */
    const char *what;
    double value;
    enum limit_kind kind;
    bool more_is_better; /* how much was tried; else less is */
    const char *
        counted_in; /* the measure beside which a report without this one counted none; NULL: it does
                               not tell */
    double slack;   /* by how much it may differ where nothing else does */
    const char *where;   /* as in limit_row, or NULL */
    const char *command; /* of the report, that shows it; or NULL */
};

struct measures {
    struct measure *items;
    size_t count, room;
    const struct measure **sorted; /* by name */
};

/* All measures of an implementation that is provided: those of limit_rows that measure, how many outputs were
 * tested, events by kind, exception flags and errno by fault, properties of invariance and their variants, causes
 * of differences, and differences from the result's other implementations. False when memory is out. To be freed
 * in any case. */
bool measures_read(struct measures *measures, const struct read_result *result,
                   const struct read_implementation *one);
void measures_free(struct measures *measures);

/* NULL where there is none of that name. */
const struct measure *measures_find(const struct measures *measures, const char *name);

/* The figure of another report's measure; 0 where that need not be told. NULL: the report does not tell. */
const double *measures_value(const struct measures *measures, const struct measure *measure);

enum measure_change { MEASURE_SAME, MEASURE_BETTER, MEASURE_WORSE };
/* What became of a measure that was `was` and is `is`. */
enum measure_change measure_compare(const struct measure *measure, double was, double is);

#endif
