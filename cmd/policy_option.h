/* --policy of commands that sweep: what outputs are held against (detcheck-policy(7)). */
#ifndef DETCHECK_CMD_POLICY_OPTION_H
#define DETCHECK_CMD_POLICY_OPTION_H

#include "command.h"

#include "gate/promises.h"

struct policy_option {
    bool given;
    struct policy policy;
    struct sweep_promises promises; /* of the sweep under way */
    bool promises_any;              /* something that was swept was held against a promise */
    bool broken;                    /* a promise was, more often than the policy allows */
};

/* Reads the option; {0} where it is not given. */
bool read_policy_option(const struct arguments *arguments, struct policy_option *option,
                        struct error *error);

/* Sets the promises of a request on numbers; they live until the next call. */
bool policy_option_apply(struct policy_option *option, struct sweep_request *request,
                         struct error *error);

/* Notes what a sweep found. */
void policy_option_note(struct policy_option *option, const struct sweep_request *request,
                        const struct sweep_outcome *outcome);

void policy_option_free(struct policy_option *option);

#endif
