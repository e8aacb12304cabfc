/* How results were decided: a row a member. */
#include "sweep/sweep.h"
#include "sweep/tally_record.h"

#define DECIDED(MEMBER) offsetof(struct oracle_counts, MEMBER)
static const struct record_member oracle_members[] = {
    {"fast", &record_count, DECIDED(fast), .says = "Results that the filter decided."},
    {"exact", &record_count, DECIDED(exact), .says = "Results that MPFR or Arb decided."},
    {"rechecked", &record_count, DECIDED(rechecked),
     .says = "Values of the filter that were held against MPFR."}};
const struct record oracle_record = {"oracle", oracle_members, ROWS(oracle_members),
                                     sizeof(struct oracle_counts), RECORD_ALL};
