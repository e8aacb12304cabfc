/* Inputs that are built for a result: one next to a place where rounding changes.
 *
 * Operations that are exact by contract go wrong in rare places: where an intermediate result is rounded to a
 * midpoint first, or a rest is lost. Drawn inputs do not meet them: of all products of fp64 one in 2^40 lies as near
 * a midpoint as a product can. So the result is chosen first, a midpoint or a number of the results' format plus a
 * distance of any size, and then operands are found that have it. A row of the table in built.c says how, by
 * operation (solver.h). */
#ifndef DETCHECK_SWEEP_BUILT_BUILT_H
#define DETCHECK_SWEEP_BUILT_BUILT_H

#include "format/format.h"
#include "op/operation.h"

#include <stdbool.h>
#include <stdint.h>

/* How many there are among special inputs (`sweep --special`). */
enum { BUILT_SPECIALS = 1 << 15 };

/* What inputs are built for. */
struct built_request {
    const struct operation *operation;
    const struct format *format;  /* of the operands */
    const struct format *results; /* of the results */
    /* To nearest most results lie next to midpoints, in directed roundings most next to numbers; of
     * ROUNDING_COUNT, where none is known, half of them. */
    enum rounding rounding;
    uint64_t seed;
};

/* What a solver says of the input that it built; tests hold it to that. */
struct built_aim {
    /* The exact result is the middle of two neighbouring numbers, or a number, plus `distance`. */
    bool is_known;
    bool is_midpoint;
    double distance; /* with its sign, in ulps of the result's format there; to 2^-40 of itself */
};

/* Whether inputs are built for an operation: it has a row, and the format is no compound (format/compound.h). */
bool built_is_for(const struct operation *operation, const struct format *format);

/* "add, div and sqrt": all for which they are. */
enum { BUILT_NAMES = 256 };
const char *built_names(char text[BUILT_NAMES]);

/* Builds input `number`, which depends on that and the request alone. `aim` may be NULL. Where no solver finds
 * operands, they are drawn, and the aim is not known. */
struct builder;
struct builder *builder_open(const struct built_request *request); /* NULL without memory */
void builder_close(struct builder *builder);
void builder_make(struct builder *builder, uint64_t number, uint64_t codes[MAX_OPERANDS],
                  struct built_aim *aim);

#endif
