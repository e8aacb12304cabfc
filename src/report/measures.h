/* What a report measures of an implementation: a list of names and numbers, each with the direction in which it
 * gets worse. Baselines (detcheck-gate(1)) and comparisons of reports (detcheck-compare(1)) go through the list,
 * and know none of them by themselves. */
#ifndef DETCHECK_REPORT_MEASURES_H
#define DETCHECK_REPORT_MEASURES_H

#include "report/limits.h"

#include <stdint.h>

/* What a part of a measure is: all that is measured, or one of many. */
enum measure_place { MEASURE_WHOLE, MEASURE_BINADES, MEASURE_ABOVE, MEASURE_STEPS };
struct measure_part {
    uint64_t at; /* which part: ascending */
    double value;
};

struct measure {
    char *name; /* "max_ulp", "events.crash", "invariance.position"; parts may be anybody's text */
    const char *what;
    double value;
    enum limit_kind kind;
    bool more_is_better; /* how much was tried; else less is */
    const char *
        counted_in; /* the measure beside which a report without this one counted none; NULL: it does
                               not tell */
    double slack,
        slack_share; /* by how much it may differ where nothing else does, and which share of it */
    const char *other_side; /* the measure of errors with the other sign, or NULL */
    const char *where;      /* as in limit_row, or NULL */
    const char *command;    /* of the report, that shows it; or NULL */
    enum measure_place place;
    struct measure_part *parts; /* unless it is of the whole (report/measure_parts.h) */
    size_t part_count;
};

struct measures {
    struct measure *items;
    size_t count, room;
    const struct measure **sorted; /* by name */
};

/* All measures of an implementation that is provided: those of limit_rows that measure, how much was tried,
 * errors by binade, by bucket and by step, events by kind, exception flags and errno by fault, properties of
 * invariance with their sizes and variants, causes of differences, differences from the result's other
 * implementations, and whether limits of a policy were kept. False when memory is out. To be freed in any
 * case. */
bool measures_read(struct measures *measures, const struct read_result *result,
                   const struct read_implementation *one);
void measures_free(struct measures *measures);

/* Takes the name over, which is malloc'd, or NULL when memory is out, and the measure's parts. False when memory is
 * out; nothing is left to be freed then. */
bool measures_add(struct measures *measures, char *name, const struct measure *measure);
/* After the last one. */
bool measures_sort(struct measures *measures);

enum measure_change { MEASURE_SAME, MEASURE_BETTER, MEASURE_WORSE };
/* What became of a measure. Of one in parts the figures are those of the part that got the worst, or else the
 * best; where none did, those of the whole. */
enum { MEASURE_WHERE = 48 };
struct measure_difference {
    enum measure_change change;
    bool other_side_worse; /* less is then not better: what was too high may now be too low */
    bool reported;         /* the report of today has the figure; else it is worse */
    double was, is;
    char where[MEASURE_WHERE]; /* "at 2^3"; empty where it is of the whole */
    size_t differ, worse;      /* how many parts do, and are */
};

/* Tells of each measure of two reports that the first one tells, in its order, and then of those that the second
 * alone has and the first one counted none of. `measure` is the second report's, where it has it. False when it
 * is false, and when memory is out. */
typedef bool measure_function(void *context, const struct measure *measure,
                              const struct measure_difference *difference);
bool measures_compare(const struct measures *was, const struct measures *is, measure_function *tell,
                      void *context);

#endif
