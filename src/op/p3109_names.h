/* What IEEE P3109 4.0 calls operations, and which operands it gives them. */
#ifndef DETCHECK_OP_P3109_NAMES_H
#define DETCHECK_OP_P3109_NAMES_H

#include "op/operation.h"

/* Roundings and saturations, in the order of `enum rounding` and of OVERFLOW's names: "NearestTiesToEven", "SatNone". */
enum { P3109_SATURATIONS = 3 };
extern const char *const p3109_roundings[ROUNDING_NAMES];
extern const char *const p3109_saturations[P3109_SATURATIONS];

/* An operation, or its form on operands that have scales (5.5), or that which puts its result into a block (5.4). */
enum p3109_variant { P3109_PLAIN, P3109_SCALED, P3109_BLOCK };

/* What a name of the report stands for. */
struct p3109_word {
    const char *operation; /* its name here; NULL: what `how` says */
    enum p3109_variant variant;
    int operands;    /* apart from the scale of a result; 0: those of the operation */
    bool counts;     /* the size of blocks is its first parameter */
    const char *how; /* behind the operation's name: ", on operands of scaled formats" */
};

/* All names that the report gives operations: "ExpMinusOne", "ScaledAdd", "BlockAdd", "MaxFiniteOf". False: it has no such
 * name. */
bool p3109_find_word(const char *name, struct p3109_word *word);

/* The names number 0, 1, and so on, without those that begin with Scaled and those of BlockOp; NULL behind the last. */
const char *p3109_word_at(size_t number);

/* The name, its prefix and whether a size of blocks comes first, as a specialization of the operation has them. */
const char *p3109_variant_name(const struct operation *operation, bool scaled, bool into_block,
                               const char **prefix, bool *counts);

/* "ExpMinusOne" for expm1; NULL: the report has no such operation. */
const char *p3109_name(const struct operation *operation);

/* Whether operands can have formats of their own, or a scale (format/compound.h): an error says why not. Comparisons
 * have no scaled form (5.4), predicates and neighbours none, and one operand no list. */
bool p3109_takes_compound(const struct operation *operation, const struct format *format,
                          struct error *error);

/* Whether a list of so many formats names one for each operand; of blocks, for each block. A list of equal formats is one
 * format (format/compound.h), which does not tell their number. */
bool p3109_takes_count(const struct operation *operation, const char *name, int listed,
                       struct error *error);

/* Whether BlockOp may have it as Op (5.4), so that its result may be put into a block by --result-scale. A conversion to a
 * block is p3109.to_block. */
bool p3109_has_block_form(const struct operation *operation);

#endif
