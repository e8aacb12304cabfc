/* Which cases a rule is about: patterns for each part of a case's identity. */
#ifndef DETCHECK_GATE_SELECTOR_H
#define DETCHECK_GATE_SELECTOR_H

#include "base/json.h"
#include "report/read.h"

#include <stdbool.h>

/* One implementation of one result of one report: what a gate passes or fails. */
struct gate_case {
    const struct read_report *report;
    const struct read_result *result;
    const struct read_implementation *implementation;
    const char *source; /* the line of the program that it comes from, "model.py:31"; or NULL */
    size_t first_check, last_check; /* of the gate's checks, if it has any (gate.h) */
    bool is_checked;
};

/* The parts of an identity, the weightiest first: which of two rules is the more specific one is
 * decided by the first part in which they differ. */
enum selector_part {
    PART_OPERATION,
    PART_IMPLEMENTATION,
    PART_FORMAT,
    PART_ROUNDING,
    PART_INPUTS,
    PART_COUNT
};
extern const char *const selector_part_names[PART_COUNT];

struct selector {
    const char
        *patterns[PART_COUNT]; /* NULL: anything. "*" stands for any characters, "?" for one */
    const cJSON *parameters;   /* NULL, or members that the case must have too */
};

/* The text of a case that a pattern of this part is held against. */
const char *selector_part_of(const struct gate_case *gate_case, int part);

/* Whether a pattern is a name, which only the same text fits, but for its case and its dashes. */
bool selector_is_name(const char *pattern);

/* A character as patterns see it. */
int selector_fold(char c);

/* Reads the members of a rule; names of formats may be any that the program knows. */
void selector_read(struct selector *selector, struct json_reader *reader, const cJSON *rule);

bool selector_matches(const struct selector *selector, const struct gate_case *gate_case);

/* Above 0 where `a` is the more specific one, below 0 where `b` is, 0 where neither is. A name
 * counts more than a pattern, a pattern more than "*", which counts as nothing. */
int selector_compare(const struct selector *a, const struct selector *b);

/* Whether `text` fits the pattern; upper and lower case are the same, and so are '-' and '_'. */
bool pattern_matches(const char *pattern, const char *text);

#endif
