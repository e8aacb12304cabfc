/* What the files that judge share: figures held against limits, and exceptions. */
#ifndef DETCHECK_GATE_JUDGING_H
#define DETCHECK_GATE_JUDGING_H

#include "gate/applied.h"
#include "gate/gate.h"

/* What judging needs at hand. */
struct judging {
    struct gate *gate;
    struct policy *policies;
    size_t policy_count;
    bool part;                    /* of the inputs: averages and fingerprints are not judged */
    uint64_t min_tried;           /* as gate_judge has it */
    struct applied_limits limits; /* of the case that is judged */
    struct error *error;
};

/* A figure of a case, and how much of it a rule allows. */
struct judged {
    size_t at;               /* the case */
    const char *name, *what; /* as in struct check */
    int limit;               /* of limit_rows, which exceptions may name; -1: none */
    int by;                  /* of limit_rows: the limit that brings this one along; -1: none */
    double allowed, found;
    const struct policy *policy; /* NULL: always so */
    const struct rule *rule;
    const cJSON *witness; /* that shows it, or NULL */
};

/* Adds a check of it. Where it fails, `command` is what shows it: malloc'd, and taken over. False
 * without memory, also where the command is NULL and the figure is not within the limit. */
bool judging_add(struct judging *judging, const struct judged *judged, char *command);
static inline bool judged_is_good(const struct judged *judged) {
    return judged->found <= judged->allowed;
}

/* The exception that excuses a figure: one without limits excuses all, one with limits up to those.
 * NULL where there is none. */
struct rule *judging_exception(struct judging *judging, const struct gate_case *gate_case,
                               int limit, double figure);
void judging_excuse(struct judging *judging, struct check *check, struct rule *exception);
void judging_name_source(struct check *check, const struct policy *policy, const struct rule *rule);
bool judging_out_of_memory(struct judging *judging);

/* Counts the cases that each rule of the policy is about. False where the policy limits nothing, or has a rule of no use
 * and may have none. */
bool judging_match(struct judging *judging, struct policy *policy);

/* A case of too few inputs, which pass whatever they are held against, fails. */
bool judging_apply_tried(struct judging *judging, size_t at);

/* Limits of properties by their names, of reports of detcheck-invariance(1). */
bool judging_apply_invariance(struct judging *judging, size_t at, struct policy *policy);

/* Limits of causes by their names, of reports of detcheck-explain(1). */
bool judging_apply_explanation(struct judging *judging, size_t at, struct policy *policy);

#endif
