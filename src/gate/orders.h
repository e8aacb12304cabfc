/* Orders of sums before a gate: documents of `detcheck reveal` as reports, and two orders side by side. */
#ifndef DETCHECK_GATE_ORDERS_H
#define DETCHECK_GATE_ORDERS_H

#include "gate/judging.h"

/* Reads a report, or what `detcheck reveal --json` wrote, whose implementations are of READ_ORDER, or a comparison of
 * traces. On failure nothing is left to free. */
bool gate_read(struct read_report *report, const char *path, struct error *error);

/* Holds a case of READ_ORDER against the order that a rule names. */
bool judging_apply_order(struct judging *judging, size_t at, struct policy *policy);

/* Today's case against the one of before. */
bool gate_compare_orders(struct gate *gate, size_t at, const struct gate_case *before,
                         struct error *error);

#endif
