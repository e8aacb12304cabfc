/* Dot products and matrix products in calls of a matrix unit.
 *
 * The inner dimension is cut into calls in its order, one onto another, from zero: so cuBLAS and CUTLASS go where they do not
 * split it. What is left at the end is filled up with zeros, which add nothing. split-k=N makes N parts of it, each from
 * zero, and promote=N begins anew after every N products; their sums are added from the left by plain additions. The
 * accumulator has the format of --accumulate, and at the end it is rounded to the results' format. */
#include "impl/unit.h"

#include "base/names.h"
#include "detmath/library/kernels.h"
#include "impl/array.h"
#include "op/array/slices.h"
#include "order/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPELLING_TEXT = 128 };

/* What a name spells. */
struct spelling {
    char unit[SPELLING_TEXT];
    enum unit_cut cut;
    size_t number;
};

struct unit_state {
    const struct unit *unit;
    struct spelling spelling;
    bool is_matrix;
};

static bool read_cut(const char *text, struct spelling *spelling, struct error *error) {
    static const char *const names[] = {
        [UNIT_CUT_PARTS] = "split-k=", [UNIT_CUT_LENGTH] = "promote="};
    for (int cut = UNIT_CUT_PARTS; cut <= UNIT_CUT_LENGTH; cut++) {
        size_t length = strlen(names[cut]);
        if (strncmp(text, names[cut], length) != 0)
            continue;
        char *end;
        unsigned long number = strtoul(text + length, &end, 10);
        if (*end || number < 1 || number > 1u << 20 || text[length] == '-' || text[length] == '+')
            return error_set(error, "%s wants a number from 1 to %u, not '%.40s'", names[cut],
                             1u << 20, text + length);
        if (spelling->cut)
            return error_set(error, "split-k= and promote= are given together or twice");
        spelling->cut = (enum unit_cut)cut;
        spelling->number = number;
        return true;
    }
    return error_set(error, "mma: takes split-k=N or promote=N behind the unit, not '%.40s'", text);
}

static bool read_spelling(const char *name, struct spelling *spelling, struct error *error) {
    char words[SPELLING_TEXT];
    if ((size_t)snprintf(words, sizeof words, "%s", name + strlen("mma:")) >= sizeof words)
        return error_set(error, "mma: wants the name of a unit, not '%.40s...'", words);
    char *option = strchr(words, ',');
    *spelling = (struct spelling){.cut = UNIT_CUT_NONE};
    if (option)
        *option++ = '\0';
    if (!unit_exists(words, error))
        return false;
    snprintf(spelling->unit, sizeof spelling->unit, "%s", words);
    while (option) {
        char *next = strchr(option, ',');
        if (next)
            *next++ = '\0';
        if (!read_cut(option, spelling, error))
            return false;
        option = next;
    }
    return true;
}

static bool open_unit(struct implementation *implementation, struct error *error) {
    struct spelling spelling;
    snprintf(implementation->detail, sizeof implementation->detail, "a matrix unit");
    return read_spelling(implementation->name, &spelling, error);
}

/* The operands are cast to the results' format where that is narrower. */
static const struct format *factor_format(const struct array_call *call) {
    const struct format *from = call->operands[0].format, *to = call->results[0].format;
    return format_is_within(from, to) ? from : to;
}

static bool bind_unit(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    const char *name = request->operation->name;
    bool is_matrix = strcmp(name, "matmul") == 0;
    if (!is_matrix && strcmp(name, "dot") != 0)
        return error_set(why, "a matrix unit has dot and matmul, not %s", name);
    if (request->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "a matrix unit rounds as it does; --rounding is nearest-even here");
    struct array_call call;
    struct spelling spelling;
    if (!sample_call(&call, request, why) ||
        !read_spelling(binding->implementation->name, &spelling, why))
        return false;
    const struct unit *unit =
        unit_find(spelling.unit, factor_format(&call), accumulation_format(&call), why);
    if (!unit)
        return false;
    struct unit_state *state = malloc(sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    *state = (struct unit_state){unit, spelling, is_matrix};
    binding->state = state;
    snprintf(binding->detail, sizeof binding->detail,
             "%u products of %s a call, accumulated in %s (%s)", unit->call, unit->format->name,
             unit->node->result->name, unit->source);
    return true;
}

static void unbind_unit(struct binding *binding) {
    free(binding->state);
    binding->state = NULL;
}

/* Codes of an operand in the unit's format: `lines` lines of `inner` each. */
static void load_lines(const struct unit_state *state, const struct array_call *call, int operand,
                       size_t lines, size_t inner, uint64_t *codes) {
    const struct array *array = &call->operands[operand];
    const struct slices slices = slices_of(call);
    for (size_t line = 0; line < lines; line++)
        for (size_t k = 0; k < inner; k++) {
            uint64_t index = !state->is_matrix ? slice_place(&slices, line, k)
                             : operand         ? k * lines + line
                                               : line * inner + k;
            codes[line * inner + k] = element_load(array, state->unit->format, index);
        }
}

/* Of a dot product each line is a product of its own. */
static bool compute(const struct unit_state *state, const struct array_call *call,
                    struct unit_product *product, size_t products, struct error *error) {
    const struct array *result = &call->results[0];
    size_t elements = product->rows * product->columns;
    for (size_t i = 0; i < products; i++) {
        if (!unit_multiply_cut(product, state->spelling.cut, state->spelling.number))
            return error_set(error, "out of memory for a product by a matrix unit");
        for (size_t j = 0; j < elements; j++)
            array_set_code(result, i * elements + j,
                           element_cast(state->unit->node->result, result->format, product->d[j]));
        product->a += product->rows * product->inner;
        product->b += product->columns * product->inner;
    }
    return true;
}

static bool fill_unit(struct binding *binding, const struct slice *slice, event_function *event,
                      void *context, struct error *error) {
    const struct unit_state *state = binding->state;
    const struct array_call *call = slice->array;
    const struct slices slices = slices_of(call);
    (void)event;
    (void)context;
    bool matrix = state->is_matrix;
    size_t rows = matrix ? call->operands[0].shape.extents[0] : 1;
    size_t inner = matrix ? call->operands[0].shape.extents[1] : slices.length;
    size_t columns = matrix ? call->operands[1].shape.extents[1] : 1;
    size_t lines = matrix ? 1 : slices.count, a_lines = rows * lines, b_lines = columns * lines;
    uint64_t *codes = calloc((a_lines + b_lines) * inner + rows * columns + 1, sizeof *codes);
    if (!codes)
        return error_set(error, "out of memory for a product by a matrix unit");
    uint64_t *b = codes + a_lines * inner, *d = b + b_lines * inner;
    load_lines(state, call, 0, a_lines, inner, codes);
    load_lines(state, call, 1, b_lines, inner, b);
    struct unit_product product = {.unit = state->unit,
                                   .rows = rows,
                                   .inner = inner,
                                   .columns = columns,
                                   .a = codes,
                                   .b = b,
                                   .d = d,
                                   .plainly = strcmp(detmath_best_level()->name, "baseline") == 0};
    bool good = compute(state, call, &product, lines, error);
    free(codes);
    return good;
}

const struct implementation_kind implementation_unit = {
    .name = "mma:",
    .summary = "dot, matmul: as the matrix unit of that name computes them, such as mma:h100 or "
               "mma:a100,split-k=4",
    .takes_parameters = true,
    .takes_arrays = true,
    .in_lists = true,
    .open = open_unit,
    .bind = bind_unit,
    .fill = fill_unit,
    .unbind = unbind_unit,
};
