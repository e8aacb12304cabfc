/* Test vectors: inputs with the outputs that are expected of them (detcheck-vectors(7)).
 *
 * A group is what one operation in one format and rounding is tested by. */
#ifndef DETCHECK_VECTOR_VECTOR_H
#define DETCHECK_VECTOR_VECTOR_H

#include "base/error.h"
#include "impl/implementation.h"
#include "oracle/flags.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VECTOR_SCHEMA "detcheck/vectors/1"

/* Why a test is there, in the order in which they are written. */
enum vector_flag {
    VECTOR_MUTANT,
    VECTOR_SPECIAL,
    VECTOR_BOUNDARY,
    VECTOR_HARD,
    VECTOR_WORST,
    VECTOR_RANDOM,
    VECTOR_EVERY,
    VECTOR_DRAWN,
    VECTOR_FLAGS
};
extern const char *const vector_flag_names[VECTOR_FLAGS];

/* Whose bits outputs are. */
enum vector_expect { EXPECT_CORRECTLY_ROUNDED, EXPECT_DET, VECTOR_EXPECTS };
extern const char *const vector_expect_names[VECTOR_EXPECTS];

struct vector_test {
    uint64_t id; /* tcId; 0 where the file has none */
    uint64_t in[MAX_OPERANDS], out[VECTOR_EXPECTS][MAX_RESULTS];
    /* Of operations on arrays, instead: those of the operands, one after the other, then those of
     * the results, for each of whose outputs the group has. The test's own, freed with it. */
    uint64_t *elements;
    unsigned flags; /* bits 1 << VECTOR_... */
    uint8_t raised; /* exception flags (format/flags.h), where the group has them */
    uint8_t open;   /* that may be raised or not, beside those that the standards leave open */
    bool no_flags;  /* this test says nothing of flags, though others of the group do */
    uint8_t
        errnos; /* what errno may be after the call (oracle/flags.h); 0: this test does not say */
    double distance; /* of a hard one, in ulps: from where the rounding changes */
};

struct vector_tests {
    struct vector_test *items;
    size_t count, capacity;
};

struct vector_group {
    struct binding_request computed;
    unsigned expects; /* whose outputs the tests have: bits 1 << EXPECT_... */
    uint64_t first;   /* the place in the group of the first of `tests`, where they are a part */
    struct vector_tests tests;
    /* Whether the tests say which exception flags their calls raise: to the letter, of the exact
     * results; and when tininess is seen in that. */
    bool has_raised, tiny_after_rounding;
    bool has_errnos; /* whether one of the tests says what errno is after its call */
    bool hard_given; /* the hard ones were chosen among inputs that somebody named, too */
};

/* An input that is chosen for a test, before there are outputs; members as those of a test. */
struct vector_choice {
    uint64_t in[MAX_OPERANDS];
    double distance;
    unsigned flags;
};

struct vector_choices {
    struct vector_choice *items;
    size_t count, capacity;
};

static inline bool vector_group_expects(const struct vector_group *group,
                                        enum vector_expect whose) {
    return group->expects >> whose & 1;
}

/* "after" or "before". */
static inline const char *vector_tininess_name(const struct vector_group *group) {
    return group->tiny_after_rounding ? "after" : "before";
}

/* What the flags of its tests follow from. */
static inline struct flag_setting vector_group_flags(const struct vector_group *group) {
    return (struct flag_setting){.operation = group->computed.operation,
                                 .format = group->computed.format,
                                 .results = request_result_format(&group->computed),
                                 .rounding = group->computed.rounding,
                                 .rules = {.tiny_after_rounding = group->tiny_after_rounding}};
}

/* Whose outputs stand first, in a file as `out`. */
static inline enum vector_expect vector_group_first(const struct vector_group *group) {
    return vector_group_expects(group, EXPECT_CORRECTLY_ROUNDED) ? EXPECT_CORRECTLY_ROUNDED
                                                                 : EXPECT_DET;
}

/* Appends a copy; false when there is no memory. */
bool vector_tests_add(struct vector_tests *tests, const struct vector_test *test);
void vector_tests_free(struct vector_tests *tests);

/* The same of choices. */
bool vector_choices_add(struct vector_choices *choices, const struct vector_choice *choice);
void vector_choices_free(struct vector_choices *choices);

/* Sorts by input and makes one of several choices with the same input, with the flags of all. */
void vector_choices_unite(struct vector_choices *choices, int operands);

/* Sorts by first flag, hard ones by distance, then by input: the order in which files have them. */
void vector_choices_arrange(struct vector_choices *choices);

#endif
