/* What was found of a promise: a row a member. */
#include "sweep/promise/promise.h"
#include "sweep/tally_record.h"

#include <math.h>

#define BROKEN(MEMBER) offsetof(struct promise_violation, MEMBER)
/* Of a report, the excess follows from what it has: null is a NaN or a zero of the wrong sign, or no end of a
 * limit. */
static void settle_violation(const struct record_in *in) {
    struct promise_violation *worst = in->data;
    if (!in->wire->is_checkpoint)
        worst->excess = worst->has_error && worst->limit < INFINITY
                            ? promise_excess(worst->witness.error, worst->limit)
                            : INFINITY;
}

static void check_violation(const struct record_in *in) {
    const struct promise_violation *worst = in->data;
    check_place(in->reader, in->wire, worst->witness.index, worst->witness.input);
}

static const struct record_member violation_members[] = {
    {"error", &record_maybe, BROKEN(witness.error),
     OF(struct record_maybe_of){BROKEN(has_error), &record_error}, .flags = RECORD_NULL,
     .says = "The error in ulps; null if the output has none."},
    {"limit", &record_bound, BROKEN(limit),
     .says = "The allowed error, in ulps; null if there is no limit."},
    {"excess", &record_bound, BROKEN(excess), .flags = RECORD_IN_CHECKPOINT},
    WITNESS_PLACE(BROKEN(witness.index)),
    WITNESS_OUTPUT(BROKEN(witness), check_violation),
    {"promised", &record_maybe, BROKEN(reference),
     OF(struct record_maybe_of){BROKEN(has_reference), &record_code}, .flags = RECORD_ABSENT,
     .check = settle_violation,
     .says = "The output of the other implementation, if the promise was to have its bits."}};
static const struct record violation_record = {"violation", violation_members,
                                               ROWS(violation_members),
                                               sizeof(struct promise_violation), RECORD_ALL};

static void check_promise(const struct record_in *in) {
    const struct promise_tally *promise = in->data;
    const struct tally *tally = in->parent;
    if (promise->kept + promise->accepted + promise->left_out + promise->violations !=
        tally->tested)
        json_fail(in->reader, NULL, "has counts that do not add up to the number tested");
}

#define SAID(NAME, SCHEMA, SAYS)                                                                   \
    { NAME, &record_said, .of = OF(struct record_said_of){.schema = SCHEMA}, .says = SAYS }
#define PROMISE(MEMBER) offsetof(struct promise_tally, MEMBER)
static const struct record_member promise_members[] = {
    SAID("policy", "{\"type\":\"string\"}", "The policy."),
    SAID("rule", "{\"$ref\":\"#/definitions/count\"}", "The number of its rule."),
    SAID("section", "{\"type\":\"string\"}", "The section that makes the promise."),
    SAID("allowed", "{\"type\":\"string\"}",
         "The promise itself, as the policy has it: JSON in a string."),
    SAID("accept", "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}",
         "The outputs that the policy accepts although they break the promise."),
    SAID("max_violations", "{\"anyOf\":[{\"$ref\":\"#/definitions/count\"},{\"type\":\"null\"}]}",
         "The number of outputs that may break the promise; null if limits gives this number for "
         "each million."),
    {"kept", &record_count, PROMISE(kept), .says = "The number of outputs that kept the promise."},
    {"accepted", &record_count, PROMISE(accepted),
     .says = "The number of outputs that broke the promise and that the policy accepts."},
    {"left_out", &record_count, PROMISE(left_out),
     .says = "The number of outputs that the promise is not about."},
    {"violations", &record_count, PROMISE(violations), .check = check_promise,
     .says = "The number of outputs that broke the promise. This and the three numbers above add "
             "up to the outputs tested."},
    {"worst", &record_largest, PROMISE(worst),
     OF(struct record_largest_of){&violation_record, PROMISE(has_worst), promise_is_worse},
     .flags = RECORD_NULL, .says = "The worst violation, or null."}};
const struct record promise_record = {"promise", promise_members, ROWS(promise_members),
                                      sizeof(struct promise_tally), RECORD_ALL};
