/* Where a number stands: position in an array, its length, alignment, what stands beside it. */
#include "invariance/block.h"
#include "invariance/properties.h"

#include <string.h>

/* Bytes of the widest vector registers. */
enum { VECTOR_BYTES = 64 };

/* Numbers in a vector of the widest kind, or in the registers that the function takes. */
static size_t vector_of(const struct binding *binding) {
    const struct condition_support *support = &binding->conditions;
    return support->form == FORM_REGISTERS ? support->lanes : VECTOR_BYTES / support->number_bytes;
}

/* Copies of each input, each an array of its own. */
static struct arrangement arrays_of(size_t copies) {
    return (struct arrangement){.conditions = {.length = (uint32_t)copies, .stride = 1},
                                .copies = copies};
}

/* What every property of arrays needs. */
static bool has_arrays(const struct binding *binding, const char *what, struct error *why) {
    const struct condition_support *support = &binding->conditions;
    const char *name = binding->implementation->name;
    if (support->form == FORM_NUMBER)
        return error_set(why, "its function takes one number at a time, which has no %s", what);
    if (support->form == FORM_UNKNOWN || !support->is_known)
        return error_set(why, "%.80s cannot be asked for arrays of a length%s%.200s", name,
                         *support->why ? ": " : "", support->why);
    return true;
}

static bool position_applies(const struct invariance_request *request,
                             const struct binding *binding, struct error *why) {
    (void)request;
    return has_arrays(binding, "position in an array", why);
}

/* Whole vectors, so that no position is in the rest that is left over. */
static size_t position_elements(const struct binding *binding) {
    return binding->conditions.form == FORM_REGISTERS ? vector_of(binding) : 4 * vector_of(binding);
}

static bool compare_positions(struct block *block, struct error *error) {
    const struct arrangement all = arrays_of(position_elements(block->binding));
    if (!block_compute(block, &all, &block->reference, error))
        return false;
    block_compare(block, &all, &block->reference, &all, true);
    return true;
}

const struct property property_position = {
    .name = "position",
    .summary = "the place in an array, or in a register",
    .group = PROPERTY_OF_NUMBERS,
    .applies = position_applies,
    .elements = position_elements,
    .block = compare_positions,
};
