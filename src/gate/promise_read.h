/* The members "promise", "accept" and "section" of a rule. */
#ifndef DETCHECK_GATE_PROMISE_READ_H
#define DETCHECK_GATE_PROMISE_READ_H

#include "base/json.h"
#include "gate/policy.h"

/* Reads them into the rule. Its promise, if it has one, is to be freed. A rule that promises allows no
 * violation, unless it has the limit max_violations. */
void promise_read(struct rule *rule, struct json_reader *reader, const cJSON *json);

/* `promise` may be NULL. */
void promise_read_free(struct promise *promise);

#endif
