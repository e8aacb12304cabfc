/* One interval of a declaration of kappas: "{ interval: '[ -1, 2.5 )', kappa: 1 }". */
#ifndef DETCHECK_GATE_KAPPA_INTERVAL_H
#define DETCHECK_GATE_KAPPA_INTERVAL_H

#include "gate/kappa_read.h"

/* A number of value steps, or YAML's .inf or .nan, and nothing behind it. */
bool kappa_number(const char *text, double *kappa);

/* Takes the interval and its kappa from the text; the item already has its format. NULL, or what is wrong. */
const char *kappa_interval(const char *text, struct declared_kappa *item);

#endif
