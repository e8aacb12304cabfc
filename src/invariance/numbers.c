/* Where a number stands: position in an array, its length, alignment, what stands beside it. */
#include "invariance/array_calls.h"
#include "invariance/block.h"
#include "invariance/lines.h"
#include "invariance/properties.h"

#include <stdio.h>

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

/* What every property of arrays needs; `what` is what a single number has none of. */
static bool has_arrays(const struct binding *binding, const char *what, struct error *why) {
    const struct condition_support *support = &binding->conditions;
    if (support->form == FORM_NUMBER)
        return error_set(why, "its function takes one number at a time, which has no %s", what);
    if (!support->is_known || !condition_is_supported(support, CONDITION_LENGTH))
        return error_set(why, "%.80s cannot choose the length of arrays%s%.200s",
                         binding->implementation->name, *support->why ? ": " : "", support->why);
    return true;
}

static bool has_condition(const struct binding *binding, enum condition condition, const char *what,
                          const char *asked, struct error *why) {
    const struct condition_support *support = &binding->conditions;
    if (!has_arrays(binding, what, why))
        return false;
    if (condition_is_supported(support, condition))
        return true;
    if (support->form == FORM_REGISTERS)
        return error_set(why, "its function takes vector registers, which have no %s", what);
    return error_set(why, "%.80s cannot be tested for %s%s%.200s", binding->implementation->name,
                     asked, *support->why ? ": " : "", support->why);
}

/* Position. */

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
    return block_try_copies(block, &all, error);
}

const struct property property_position = {
    .name = "position",
    .summary = "the place in an array, or the lane of a register",
    .of[CALL_ON_NUMBERS] = {.applies = position_applies,
                            .elements = position_elements,
                            .block = compare_positions},
};

/* Length: of each array the same places as of the longer one. */

static bool length_applies(const struct invariance_request *request, const struct binding *binding,
                           struct error *why) {
    (void)request;
    return binding->conditions.form == FORM_REGISTERS
               ? error_set(why, "its function takes vector registers, which have one length")
               : has_arrays(binding, "length", why);
}

static size_t length_elements(const struct binding *binding) {
    return 16 * vector_of(binding) + 1;
}

/* All up to two vectors and one more element, and those next to three and to four vectors. */
static bool is_tried(size_t length, size_t vector) {
    size_t rest = length % vector;
    return length <= 2 * vector + 1 || rest <= 1 || rest == 3 || rest == vector - 1;
}

/* What takes other code for many elements is tried with one input of the block, its first. */
static bool compare_longest(struct block *block, const struct arrangement *reference,
                            struct error *error) {
    const struct arrangement longest = arrays_of(BLOCK_ELEMENTS - 1);
    struct block first = *block;
    first.count = 1;
    return block_try(&first, &longest, reference, error);
}

static bool compare_lengths(struct block *block, struct error *error) {
    size_t vector = vector_of(block->binding);
    const struct arrangement reference = arrays_of(5 * vector);
    const struct arrangement longer = arrays_of(length_elements(block->binding));
    if (!block_refer(block, &reference, error))
        return false;
    for (size_t length = 1; length <= 4 * vector + 3; length++) {
        const struct arrangement shorter = arrays_of(length);
        if (is_tried(length, vector) && !block_try(block, &shorter, &reference, error))
            return false;
    }
    return block_try(block, &longer, &reference, error) &&
           compare_longest(block, &reference, error);
}

const struct property property_length = {
    .name = "length",
    .summary = "how many elements an array has, and so how full its last vector is",
    .of[CALL_ON_NUMBERS] = {.applies = length_applies,
                            .elements = length_elements,
                            .block = compare_lengths},
};

/* Alignment: of operands, of results, and of both. */

static bool alignment_applies(const struct invariance_request *request,
                              const struct binding *binding, struct error *why) {
    (void)request;
    return has_condition(binding, CONDITION_OFFSET, "alignment in memory", "an alignment", why);
}

/* A vector and a half, and a rest, behind whatever is done until an address is aligned. */
static size_t alignment_elements(const struct binding *binding) {
    return vector_of(binding) + vector_of(binding) / 2 + 1;
}

static bool try_offset(struct block *block, const struct arrangement *reference, uint32_t operands,
                       uint32_t results, struct error *error) {
    struct arrangement there = *reference;
    there.conditions.offset = operands;
    there.conditions.result_offset = results;
    snprintf(there.text, sizeof there.text,
             "operands %u and results %u bytes past a multiple of %d", (unsigned)operands,
             (unsigned)results, CONDITION_BOUNDARY);
    return block_try(block, &there, reference, error);
}

static bool compare_alignments(struct block *block, struct error *error) {
    const struct arrangement reference = arrays_of(alignment_elements(block->binding));
    uint32_t bytes = (uint32_t)block->binding->conditions.number_bytes;
    if (!block_refer(block, &reference, error))
        return false;
    for (uint32_t offset = bytes; offset < CONDITION_BOUNDARY; offset += bytes)
        if (!try_offset(block, &reference, offset, offset, error) ||
            !try_offset(block, &reference, offset, 0, error) ||
            !try_offset(block, &reference, 0, offset, error))
            return false;
    return true;
}

const struct property property_alignment = {
    .name = "alignment",
    .summary = "at which address arrays begin: each offset in 64 bytes that the type allows",
    .of = {[CALL_ON_NUMBERS] = {.applies = alignment_applies,
                                .elements = alignment_elements,
                                .block = compare_alignments},
           [CALL_ON_ARRAYS] = {.applies = array_alignment_applies, .run = array_alignment_run}},
};

/* In place. */

static bool in_place_applies(const struct invariance_request *request,
                             const struct binding *binding, struct error *why) {
    (void)request;
    return has_condition(binding, CONDITION_IN_PLACE, "place in memory",
                         "results in place of an operand", why);
}

static size_t in_place_elements(const struct binding *binding) {
    return 2 * vector_of(binding) + 1;
}

static bool compare_in_place(struct block *block, struct error *error) {
    const struct arrangement reference = arrays_of(in_place_elements(block->binding));
    struct arrangement over = reference;
    over.conditions.in_place = true;
    snprintf(over.text, sizeof over.text, "results written over the operands");
    return block_refer(block, &reference, error) && block_try(block, &over, &reference, error);
}

const struct property property_in_place = {
    .name = "in-place",
    .summary = "whether results are written over the operands",
    .of[CALL_ON_NUMBERS] = {.applies = in_place_applies,
                            .elements = in_place_elements,
                            .block = compare_in_place},
};

/* Neighbours: in the array, and in memory right beside it. */

static bool neighbours_applies(const struct invariance_request *request,
                               const struct binding *binding, struct error *why) {
    (void)request;
    return has_arrays(binding, "neighbours", why);
}

static size_t neighbours_elements(const struct binding *binding) {
    return binding->conditions.form == FORM_REGISTERS ? vector_of(binding) : 2 * vector_of(binding);
}

static void fill_around(struct arrangement *arrangement, uint64_t code, const char *name) {
    arrangement->conditions.has_around = true;
    arrangement->conditions.around = code;
    snprintf(arrangement->text, sizeof arrangement->text, "%s in memory beside the array", name);
}

static void put_beside(struct arrangement *arrangement, uint64_t code, const char *name,
                       size_t period, size_t phase) {
    arrangement->beside = code;
    arrangement->period = period;
    arrangement->phase = phase;
    snprintf(arrangement->text, sizeof arrangement->text,
             "%s in the elements %zu, %zu, %zu ... beside it", name, phase, phase + period,
             phase + 2 * period);
}

struct neighbour {
    const char *name;
    uint64_t code;
    bool is_there; /* in the format */
};

/* One kind of neighbour in the array: on either side, and once in each vector. */
static bool try_beside(struct block *block, const struct arrangement *reference,
                       const struct neighbour *neighbour, struct error *error) {
    size_t vector = vector_of(block->binding);
    const struct { size_t period, phase; } places[] = {{2, 1}, {2, 0}, {vector, vector - 1}};
    for (size_t i = 0; vector > 1 && i < sizeof places / sizeof *places; i++) {
        struct arrangement beside = *reference;
        put_beside(&beside, neighbour->code, neighbour->name, places[i].period, places[i].phase);
        if (!block_try(block, &beside, reference, error))
            return false;
    }
    return true;
}

/* All kinds, around an array of so many elements and, where it is as long as two vectors or nearly,
 * in it. */
static bool try_neighbours(struct block *block, const struct neighbour *neighbours, size_t count,
                           size_t length, struct error *error) {
    const struct arrangement reference = arrays_of(length);
    bool good = block_refer(block, &reference, error);
    bool is_long = length + 1 >= neighbours_elements(block->binding);
    for (size_t i = 0; good && i < count; i++) {
        struct arrangement around = reference;
        if (!neighbours[i].is_there)
            continue;
        fill_around(&around, neighbours[i].code, neighbours[i].name);
        good = (!is_long || try_beside(block, &reference, &neighbours[i], error)) &&
               (!condition_is_supported(&block->binding->conditions, CONDITION_AROUND) ||
                block_try(block, &around, &reference, error));
    }
    return good;
}

/* Whole vectors first; then lengths that leave a rest, which a function may compute as if it were a
 * whole vector: of no vector and of one. */
static bool compare_neighbours(struct block *block, struct error *error) {
    const struct format *format = block->request->computed.format;
    const uint64_t subnormals = (uint64_t)1 << (format->precision - 1);
    const struct neighbour neighbours[] = {
        {"NaN", format->nan, format->has_nan},
        {"infinity", format_greatest(format), format->has_infinity},
        {"-infinity", format_with_sign(format, format_greatest(format), true),
         format->has_infinity},
        {"the smallest number", 1, true},
        {"the largest subnormal number", subnormals - 1, format->precision > 1},
        {"the largest number", format->max_finite, true},
        {"the lowest number", format_with_sign(format, format->max_finite, true), true},
        {"0", 0, format->has_zero}};
    const size_t count = sizeof neighbours / sizeof *neighbours, all = vector_of(block->binding);
    const size_t rests[] = {1, 3, all / 2 - 1, all - 1};
    bool has_rests = condition_is_supported(&block->binding->conditions, CONDITION_AROUND) &&
                     block->binding->conditions.form != FORM_REGISTERS;
    bool good =
        try_neighbours(block, neighbours, count, neighbours_elements(block->binding), error);
    for (size_t i = 0; good && has_rests && i < sizeof rests / sizeof *rests; i++)
        good = try_neighbours(block, neighbours, count, rests[i], error) &&
               try_neighbours(block, neighbours, count, all + rests[i], error);
    return good;
}

const struct property property_neighbours = {
    .name = "neighbours",
    .summary = "numbers beside the input: NaN, infinity, a subnormal and a huge number, zero",
    .of[CALL_ON_NUMBERS] = {.applies = neighbours_applies,
                            .elements = neighbours_elements,
                            .block = compare_neighbours},
};

/* The form for one number beside that for arrays. */

static bool scalar_form_applies(const struct invariance_request *request,
                                const struct binding *binding, struct error *why) {
    const struct condition_support *support = &binding->conditions;
    (void)request;
    if (support->form == FORM_NUMBER)
        return error_set(
            why, "its function takes one number at a time, and no form for arrays was named");
    if (!support->is_known || !condition_is_supported(support, CONDITION_BY_NUMBER))
        return error_set(why, "it has a form for arrays, but none for one number%s%.200s",
                         *support->why ? ": " : "", support->why);
    return true;
}

static size_t scalar_form_elements(const struct binding *binding) {
    return vector_of(binding);
}

static bool compare_forms(struct block *block, struct error *error) {
    const struct arrangement reference = arrays_of(scalar_form_elements(block->binding));
    struct arrangement alone = arrays_of(1);
    alone.conditions.by_number = true;
    snprintf(alone.text, sizeof alone.text, "by the form for one number");
    return block_refer(block, &reference, error) && block_try(block, &alone, &reference, error);
}

const struct property property_scalar_form = {
    .name = "scalar-form",
    .summary = "whether the library's form for one number or its form for arrays computes it",
    .of[CALL_ON_NUMBERS] = {.applies = scalar_form_applies,
                            .elements = scalar_form_elements,
                            .block = compare_forms},
};
