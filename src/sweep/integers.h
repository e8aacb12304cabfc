/* Operands that are integers in C: the sets that hold only those, and drawing from them.
 *
 * Codes drawn evenly are no integers, or integers so large that the result is 0, 1 or infinite. So the
 * integers of a set are drawn as such: half of them evenly from those for which the function is neither
 * (struct platform_calls, `span`), which depends on the other operand, and the others from the binades
 * in turn, 0 and each sign apart. */
#ifndef DETCHECK_SWEEP_INTEGERS_H
#define DETCHECK_SWEEP_INTEGERS_H

#include "op/calls.h"
#include "sweep/code_set.h"

#include <stddef.h>

/* Leaves in the operand's set what C's integer type has, and no -0. With one set for several operands
 * there are as many sets afterwards, each its own. Nothing changes where no operand is an integer. On
 * failure the sets remain the caller's. */
bool code_sets_keep_calls(struct code_set sets[MAX_OPERANDS], size_t *set_count,
                          const struct operation *operation, const struct format *format,
                          struct error *error);

/* The same, but with all codes between the integers of each run, except for those below 1: for who takes
 * codes that lie together and uses integer_snap. */
bool code_sets_span_calls(struct code_set sets[MAX_OPERANDS], size_t *set_count,
                          const struct operation *operation, const struct format *format,
                          struct error *error);

enum { INTEGER_BANDS = 2 * 64 + 1 };

/* How the integers of a set are drawn; it has a place for them in the struct, so that copies are
 * good. */
struct integer_draws {
    const struct operation *operation; /* NULL: none of its operands is an integer */
    struct integer_place place;
    int band_count;
    struct {
        uint64_t first, count; /* indices in the set */
    } bands[INTEGER_BANDS];
};

/* Where an operand of the operation is an integer and its set holds integers. */
void integer_draws_make(struct integer_draws *draws, const struct operation *operation,
                        const struct code_set *sets);

/* The index in the set of the integer that the 64 random bits draw beside the code of the other
 * operand; ascending with the bits alone where `ascending`. */
uint64_t integer_draw(const struct integer_draws *draws, const struct format *format,
                      const struct code_set *set, uint64_t other, uint64_t bits, bool ascending);

/* The nearest integer of C's type towards 0. */
uint64_t integer_snap(const struct integer_place *place, const struct format *format,
                      uint64_t code);

#endif
