/* --policy of commands that sweep: what outputs are held against (detcheck-policy(7)). */
#ifndef DETCHECK_CMD_POLICY_OPTION_H
#define DETCHECK_CMD_POLICY_OPTION_H

#include "command.h"

#include "gate/promises.h"
#include "gate/sweep_limits.h"
#include "report/report.h"

struct policy_option {
    bool given;
    enum read_kind kind; /* of the reports that it judges */
    struct policy policy;
    struct sweep_promises promises; /* of the sweep under way */
    bool promises_any;              /* something that was swept was held against a promise */
    bool limits_any;                /* something was held against a limit */
    bool broken;                    /* a promise or a limit was */
};

/* Reads the option; {0} where it is not given. */
bool read_policy_option(const struct arguments *arguments, struct policy_option *option,
                        struct error *error);

/* The same of a command whose reports are of that kind: a policy that limits nothing of these is an error. */
bool read_policy_for(const struct arguments *arguments, enum read_kind kind,
                     struct policy_option *option, struct error *error);

/* Whether a rule may be about this: by its operation, format and rounding, before anything is computed; of
 * a search, not by the name of inputs that no search finds. True where no policy is given. */
bool policy_option_reaches(const struct policy_option *option, const struct operation *operation,
                           const struct format *format, enum rounding rounding, bool search);

/* Judges the limits of the entries from `first` on, and notes whether they hold: into *limits, to be freed
 * in any case. False with an error where a limit cannot be held against anything. */
bool policy_option_limits(struct policy_option *option, struct report *report, int first, bool part,
                          struct sweep_limits *limits, struct error *error);

/* Sets the promises of a request on numbers; they live until the next call. */
bool policy_option_apply(struct policy_option *option, struct sweep_request *request,
                         struct error *error);

/* Notes what a sweep found, whose entries in the report are those from `first` on: judges the limits, which
 * go into these entries too, into *limits, to be freed in any case. False with an error where a limit
 * cannot be held against anything. */
bool policy_option_note(struct policy_option *option, const struct sweep_request *request,
                        const struct sweep_outcome *outcome, struct report *report, int first,
                        struct sweep_limits *limits, struct error *error);

void policy_option_free(struct policy_option *option);

#endif
