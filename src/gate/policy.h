/* Sets of rules: a policy file (detcheck/policy/1, or lines), the limits of a command line, glibc's
 * libm-test-ulps. detcheck-policy(7) has the whole definition. */
#ifndef DETCHECK_GATE_POLICY_H
#define DETCHECK_GATE_POLICY_H

#include "gate/index.h"
#include "gate/selector.h"
#include "report/limits.h"
#include "sweep/promise/promise.h"

#include <stdbool.h>
#include <stddef.h>

#define POLICY_SCHEMA "detcheck/policy/1"

/* What a changed fingerprint means. */
enum fingerprint_change { CHANGE_UNSET, CHANGE_FAILS, CHANGE_NOTICED, CHANGE_IGNORED };

struct rule {
    struct selector selector;
    bool has[LIMIT_COUNT];
    double limits[LIMIT_COUNT]; /* of those; 0 where a limit is "required" */
    const cJSON *invariance;    /* changed inputs by property, or "*" for all others; or NULL */
    const cJSON *explanation; /* differences by cause, "unexplained", "*" for all others; or NULL */
    struct promise *promise;  /* of errors that may depend on the input; or NULL */
    bool accepts;             /* it sets what is `accepted` beside a promise */
    unsigned accepted;        /* bits by promise_acceptance */
    const cJSON *trace;       /* operations by what became of them (gate/trace.h); or NULL */
    const char *section;      /* of the text that promises, or "" */
    const char *fingerprint;  /* what it should be, or NULL */
    const char *order;        /* the hash of an order of additions, or NULL */
    enum fingerprint_change change;
    const char *reason; /* of an exception; else NULL or why the rule is as it is */
    int number;         /* from 1, or the line of a text file */
    size_t matched;     /* cases */
    size_t revealed;    /* of these, cases that have an order */
    size_t used;        /* checks that an exception excused */
};

struct policy {
    const char *name;           /* of the file or "command line" */
    const char *rule_noun;      /* "rule", "line", or "" */
    const char *exception_noun; /* "exception" or "line" */
    bool must_match;            /* a rule that matches no case is an error */
    bool is_partial;            /* what is not provided may be so, where no rule requires it */
    cJSON *document;
    char *text; /* of glibc's file; names of rules point into it */
    struct rule *rules, *exceptions;
    size_t rule_count, exception_count;
    struct rule_index rule_index, exception_index; /* policy_index */
};

/* A file, or a policy that is part of the program, by its name (gate/published.h). */
bool policy_read(struct policy *policy, const char *path, struct error *error);

/* glibc's libm-test-ulps: N ulps from the correctly rounded result, which is N + 0.5 from the exact
 * one to nearest and N + 1 in the directed roundings. Of "double" and "float" only. */
bool policy_read_glibc(struct policy *policy, const char *path, struct error *error);

/* One rule for every case, with the limits that `has` names. */
bool policy_from_limits(struct policy *policy, const bool *has, const double *limits,
                        struct error *error);

/* Makes the indices, which policy_find wants; false when memory is out. */
bool policy_index(struct policy *policy);

void policy_free(struct policy *policy);

/* Of the rules that match and for which `sets` is true, the most specific one; NULL if there is
 * none. False with an error where two are equally specific. */
typedef bool rule_test(const struct rule *rule, int limit);
bool policy_find(struct policy *policy, const struct gate_case *gate_case, rule_test *sets,
                 int limit, const struct rule **found, struct error *error);

bool rule_sets_limit(const struct rule *rule, int limit);
bool rule_sets_fingerprint(const struct rule *rule, int unused);
bool rule_sets_order(const struct rule *rule, int unused);
bool rule_sets_change(const struct rule *rule, int unused);
bool rule_sets_explanation(const struct rule *rule, int unused);
bool rule_sets_trace(const struct rule *rule, int row); /* of the limits in gate/trace.c */
bool rule_sets_promise(const struct rule *rule, int unused);
bool rule_sets_acceptance(const struct rule *rule, int unused);

/* In an "explanation" of a rule: differences that no cause explains. */
#define UNEXPLAINED "unexplained"

/* Of the property with that place in the table (invariance/property.h): whether a rule limits it, by
 * its name or with all others, and the limit. */
bool rule_sets_property(const struct rule *rule, int property);
bool rule_names_property(const struct rule *rule, int property);
double rule_property_limit(const struct rule *rule, int property);

#endif
