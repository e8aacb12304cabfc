/* Operations on arrays: the same line elsewhere, in other blocks, with equal elements. */
#include "invariance/array_calls.h"
#include "invariance/lines.h"
#include "invariance/properties.h"
#include "invariance/rearranged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Alignment: of operands, of results, and of both, as of numbers (numbers.c). */

static bool try_offset(struct line_binding *line, const struct line_source *source,
                       const struct line_results *reference, uint32_t operands, uint32_t results,
                       bool *changed, struct error *error) {
    const struct line_place place = {.count = 1, .offset = operands, .result_offset = results};
    char where[CHANGE_WHERE];
    snprintf(where, sizeof where, "operands %u and results %u bytes past a multiple of %d",
             (unsigned)operands, (unsigned)results, CONDITION_BOUNDARY);
    return *changed || lines_try(line, source, &place, reference, 0, where, changed, error);
}

static bool compare_offsets(struct line_binding *line, const struct line_source *source,
                            const struct line_results *reference, struct error *error) {
    const uint32_t bytes = (uint32_t)line->binding.conditions.number_bytes;
    const bool is_array = line->computed.operation->array->lines != LINES_REDUCED;
    bool changed = false, good = true;
    for (uint32_t offset = bytes; good && offset < CONDITION_BOUNDARY; offset += bytes) {
        good = try_offset(line, source, reference, offset, 0, &changed, error);
        if (good && is_array) /* of results, too */
            good = try_offset(line, source, reference, offset, offset, &changed, error) &&
                   try_offset(line, source, reference, 0, offset, &changed, error);
    }
    return good;
}

bool array_alignment_applies(const struct invariance_request *request,
                             const struct binding *binding, struct error *why) {
    (void)request;
    return condition_is_supported(&binding->conditions, CONDITION_OFFSET) ||
           error_set(why, "%.80s cannot choose the alignment of arrays",
                     binding->implementation->name);
}

bool array_alignment_run(const struct invariance_request *request, struct property_tally *tally,
                         struct error *error) {
    return lines_try_calls(request, tally, compare_offsets, NULL, false, error);
}

/* Blocking: lines that lie across, columns of a product alone or among others, a scan of fewer. */

/* A column beside others, and the row at the same place of as many: what is other in a batch is no
 * matter of strides. */
static bool compare_across(struct line_binding *line, const struct line_source *source,
                           bool *changed, struct error *error) {
    static const uint64_t counts[] = {1, 3, 8};
    struct line_binding columns;
    bool good = line_open(&columns, line->request, line->tally, true, error);
    columns.number = line->number;
    for (size_t i = 0; good && i < sizeof counts / sizeof *counts && !*changed; i++) {
        const struct line_place row = {.count = counts[i], .at = counts[i] / 2};
        const struct line_place column = {
            .count = counts[i], .at = counts[i] / 2, .by_columns = true};
        struct line_results rows;
        char where[CHANGE_WHERE];
        snprintf(where, sizeof where, "column %d of %d along axis 0, and not row %d of %d",
                 (int)row.at, (int)row.count, (int)row.at, (int)row.count);
        if (i > 0 && counts[i] * source->length > LINES_MOST_NUMBERS)
            break;
        good = line_compute(line, source, &row, &rows, error) &&
               lines_try(&columns, source, &column, &rows, 0, where, changed, error);
        free(rows.codes);
    }
    line_close(&columns);
    return good;
}

static bool compare_prefixes(struct line_binding *line, const struct line_source *source,
                             const struct line_results *reference, bool *changed,
                             struct error *error) {
    const uint64_t n = source->length, lengths[] = {n - 1, n - n / 3, n / 2, n / 4, 1};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths && !*changed; i++) {
        struct line_source shorter = *source;
        const struct line_place alone = {.count = 1};
        char where[CHANGE_WHERE];
        shorter.length = lengths[i];
        snprintf(where, sizeof where, "the first %llu elements alone, and not of %llu",
                 (unsigned long long)lengths[i], (unsigned long long)n);
        if (lengths[i] && lengths[i] < n &&
            !lines_try(line, &shorter, &alone, reference, 0, where, changed, error))
            return false;
    }
    return true;
}

static bool compare_columns(struct line_binding *line, const struct line_source *source,
                            const struct line_results *reference, bool *changed,
                            struct error *error) {
    static const uint64_t counts[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 33};
    uint64_t all = source->call->operands[1].shape.extents[1];
    for (size_t i = 0; i < sizeof counts / sizeof *counts && !*changed; i++)
        for (uint64_t column = 0; column < all && !*changed; column += 1 + all / 4) {
            const struct line_place place = {.count = 1, .column = column, .columns = counts[i]};
            char where[CHANGE_WHERE];
            snprintf(where, sizeof where,
                     "a product of %d columns from column %llu on, and not "
                     "of %llu",
                     (int)counts[i], (unsigned long long)column, (unsigned long long)all);
            if (!lines_try(line, source, &place, reference, column, where, changed, error))
                return false;
        }
    return true;
}

/* A scan that goes from the end, or leaves an element out, has no such prefixes. */
static bool has_prefixes(const struct binding_request *computed) {
    const struct parameter_value *values = computed->parameters.values;
    return computed->operation->array->lines == LINES_SCANNED && !values[PARAMETER_REVERSE].present;
}

static bool compare_blocks(struct line_binding *line, const struct line_source *source,
                           const struct line_results *reference, struct error *error) {
    bool changed = false;
    if (line->computed.operation->array->lines == LINES_PRODUCT)
        return compare_columns(line, source, reference, &changed, error);
    return compare_across(line, source, &changed, error) &&
           (!has_prefixes(&line->computed) ||
            compare_prefixes(line, source, reference, &changed, error));
}

static bool blocking_applies(const struct invariance_request *request,
                             const struct binding *binding, struct error *why) {
    const struct operation *operation = request->computed.operation;
    if (rearranged_has(request, property_blocking.name))
        return rearranged_applies(request, property_blocking.name, why);
    return lines_apply(request, binding, why) &&
           (operation->array->lines == LINES_PRODUCT ||
            (operation->parameters & PARAMETER_BIT(AXIS)) != 0 ||
            error_set(why, "lines of %s lie along the last axis", operation->name));
}

static bool run_blocking(const struct invariance_request *request, struct property_tally *tally,
                         struct error *error) {
    if (rearranged_has(request, property_blocking.name))
        return rearranged_run(request, tally, property_blocking.name, error);
    return lines_try_calls(request, tally, compare_blocks, NULL, false, error);
}

const struct property property_blocking = {
    .name = "blocking",
    .summary = "other extents of the call: the columns, the strides, the end of a scan",
    .of[CALL_ON_ARRAYS] = {.applies = blocking_applies, .run = run_blocking},
};

/* Equal elements: the same numbers in a row get the same results, and zeros that are equal as numbers
 * may change places. */

static bool equal_apply(const struct invariance_request *request, const struct binding *binding,
                        struct error *why) {
    enum array_lines kind =
        array_lines(request->computed.operation->array, &request->computed.parameters);
    (void)binding;
    if (rearranged_has(request, property_equal_elements.name))
        return rearranged_applies(request, property_equal_elements.name, why);
    return kind == LINES_MAPPED || kind == LINES_REDUCED ||
           error_set(why, "%s returns elements by their places, or has no lines",
                     request->computed.operation->name);
}

/* Every third element is one of four numbers, of two lines one of four pairs: in softmax all that are equal have one
 * result. */
static bool compare_equal_results(struct line_binding *line, const struct line_source *source,
                                  uint64_t *codes, struct error *error) {
    struct line_source repeated = *source;
    const struct line_place alone = {.count = 1};
    struct line_results results;
    for (int k = 0; k < LINE_OPERANDS && source->lines[k]; k++, codes += source->length) {
        for (uint64_t i = 0; i < source->length; i++)
            codes[i] = source->lines[k][i % 3 ? i : i / 3 % 4 % source->length];
        repeated.lines[k] = codes;
    }
    if (!line_compute(line, &repeated, &alone, &results, error))
        return false;
    bool changed = false;
    for (uint64_t i = 12; i < results.count && i < source->length && !changed; i += 3) {
        const struct line_results one = {
            .codes = &results.codes[i], .count = 1, .format = results.format};
        uint64_t first = i % 12;
        char where[CHANGE_WHERE];
        snprintf(where, sizeof where, "element %llu of a row, and not the equal element %llu",
                 (unsigned long long)i, (unsigned long long)first);
        changed = line_compare(line, &results, first, &one, where);
    }
    free(results.codes);
    return true;
}

/* Zeros of both signs, which change places; of two lines in the first. */
static bool compare_zeros(struct line_binding *line, const struct line_source *source,
                          uint64_t *codes, struct error *error) {
    const struct format *format = line->computed.format;
    struct line_source zeros = *source;
    const struct line_place alone = {.count = 1};
    struct line_results results[2] = {{0}, {0}};
    bool good = true;
    zeros.lines[0] = codes;
    for (int turn = 0; turn < 2 && good; turn++) {
        for (uint64_t i = 0; i < source->length; i++)
            codes[i] = i % 3 ? source->lines[0][i]
                             : format_with_sign(format, 0, (i / 3 + (uint64_t)turn) % 2);
        good = line_compute(line, &zeros, &alone, &results[turn], error);
    }
    results[0].by = NULL; /* its codes are the other's now */
    if (good && results[0].count && results[1].count)
        line_compare(line, &results[0], 0, &results[1], "0 and -0 have changed places");
    free(results[0].codes);
    free(results[1].codes);
    return good;
}

static bool compare_equal(struct line_binding *line, const struct line_source *source,
                          const struct line_results *reference, struct error *error) {
    uint64_t before = line->tally->results[0].changed;
    uint64_t *codes = malloc((size_t)source->length * LINE_OPERANDS * sizeof *codes);
    bool good = codes != NULL || error_set(error, "out of memory for an array");
    (void)reference;
    if (good && line->computed.operation->array->lines == LINES_MAPPED)
        good = compare_equal_results(line, source, codes, error);
    /* A line of zeros alone has the sign that their order gives. */
    if (good && source->length > 3 && !line->computed.operation->array->keeps_zeros &&
        line->tally->results[0].changed == before)
        good = compare_zeros(line, source, codes, error);
    free(codes);
    return good;
}

static bool run_equal(const struct invariance_request *request, struct property_tally *tally,
                      struct error *error) {
    if (rearranged_has(request, property_equal_elements.name))
        return rearranged_run(request, tally, property_equal_elements.name, error);
    return lines_try_calls(request, tally, compare_equal, NULL, false, error);
}

const struct property property_equal_elements = {
    .name = "equal-elements",
    .summary =
        "places of equal elements in a row: equal numbers must get equal results, also after "
        "a 0 and a -0 are exchanged",
    .of[CALL_ON_ARRAYS] = {.applies = equal_apply, .run = run_equal},
};
