/* Dot products and matrix products, of blocks with scales too, in calls of a matrix unit.
 *
 * The inner dimension is cut into calls in its order, one onto another, from zero, or from c where one comes in (--addend): so
 * cuBLAS and CUTLASS go where they do not split it. What is left at the end is filled up with zeros, which add nothing. split-k=N makes N parts of it, each from
 * zero, and promote=N begins anew after every N products; their sums are added from the left by plain additions, to c's part, which is the first. The
 * accumulator has the format of --accumulate, and at the end it is rounded to the results' format. */
#include "impl/unit.h"

#include "base/names.h"
#include "detmath/library/kernels.h"
#include "impl/array.h"
#include "impl/unit_scaled.h"
#include "op/array/slices.h"
#include "op/dyadic/rows.h"
#include "op/mx/rows.h"
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
    size_t tile; /* products of a call; 0: the row's */
};

/* The operations that units have. */
enum product {
    PRODUCT_DOT,
    PRODUCT_MATRIX,
    PRODUCT_BLOCKS,
    PRODUCT_SCALED,
    PRODUCT_WHOLE_DOT,
    PRODUCT_WHOLE_MATRIX,
    PRODUCTS
};
static const char *const product_names[PRODUCTS] = {"dot",           "matmul",     "mx.matmul",
                                                    "scaled.matmul", "dyadic.dot", "dyadic.matmul"};

static bool is_dot(enum product product) {
    return product == PRODUCT_DOT || product == PRODUCT_WHOLE_DOT;
}

static bool is_whole(enum product product) {
    return product == PRODUCT_WHOLE_DOT || product == PRODUCT_WHOLE_MATRIX;
}

struct unit_state {
    struct unit unit; /* a row, or one with shorter or saturating calls */
    struct spelling spelling;
    enum product product;
};

/* An option behind the unit's name, "split-k=4", and its number. */
static bool read_option(const char *text, struct spelling *spelling, struct error *error) {
    enum { TILE = UNIT_CUT_LENGTH + 1 };
    static const char *const names[] = {
        [UNIT_CUT_PARTS] = "split-k=", [UNIT_CUT_LENGTH] = "promote=", [TILE] = "tile="};
    for (int option = UNIT_CUT_PARTS; option <= TILE; option++) {
        size_t length = strlen(names[option]);
        if (strncmp(text, names[option], length) != 0)
            continue;
        char *end;
        unsigned long number = strtoul(text + length, &end, 10);
        if (*end || number < 1 || number > 1u << 20 || text[length] == '-' || text[length] == '+')
            return error_set(error, "%s needs a number from 1 to %u, not '%.40s'", names[option],
                             1u << 20, text + length);
        if (option == TILE ? spelling->tile != 0 : spelling->cut != UNIT_CUT_NONE)
            return error_set(error, option == TILE
                                        ? "tile= is given twice"
                                        : "split-k= and promote= are given together or twice");
        if (option == TILE)
            spelling->tile = number;
        else
            spelling->cut = (enum unit_cut)option;
        if (option != TILE)
            spelling->number = number;
        return true;
    }
    return error_set(
        error, "mma: takes tile=N, split-k=N or promote=N after a unit's name, not '%.40s'", text);
}

static bool read_spelling(const char *name, struct spelling *spelling, struct error *error) {
    char words[SPELLING_TEXT];
    if ((size_t)snprintf(words, sizeof words, "%s", name + strlen("mma:")) >= sizeof words)
        return error_set(error, "mma: needs the name of a unit, not '%.40s...'", words);
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
        if (!read_option(option, spelling, error))
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

/* Whether what is asked of mantissas is all that a unit does: sums in 32 bits. */
static bool sums_alone(const struct array_call *call, struct error *why) {
    const struct parameters *given = call->parameters;
    const struct detmath_dyadic_rules rules = dyadic_rules_of(call);
    if (rules.bits != 32 || rules.overflow == DETMATH_DYADIC_REPORT)
        return error_set(why, "a matrix unit adds modulo 2^32, or saturates: --accumulator 32 "
                              "--on-overflow wrap or saturate");
    if (parameter_integer(given, PARAMETER_Q, 0) ||
        parameter_integer(given, PARAMETER_TRANSPOSE, 0))
        return error_set(why, "a matrix unit shifts nothing and transposes nothing: --q 0 "
                              "--transpose none");
    return true;
}

/* Of scaled data: fp32 where --accumulate does not say. */
static const struct format *scaled_accumulation(const struct array_call *call) {
    const struct parameter_value *given = &call->parameters->values[PARAMETER_ACCUMULATE];
    return given->present ? given->format : &formats[FORMAT_FP32];
}

static const struct unit *find_unit(enum product product, const struct spelling *spelling,
                                    const struct array_call *call, struct error *why) {
    const char *name = spelling->unit;
    if (is_whole(product))
        return sums_alone(call, why)
                   ? unit_find(name, call->operands[0].format, &integer_formats[FORMAT_INT32], why)
                   : NULL;
    if (product == PRODUCT_SCALED)
        return unit_scaled_provides(call, spelling->cut, why)
                   ? unit_find(name, call->operands[0].format, scaled_accumulation(call), why)
                   : NULL;
    if (product != PRODUCT_BLOCKS)
        return unit_find(name, factor_format(call), accumulation_format(call), why);
    return unit_find_scaled(name, call->operands[MX_X].format, call->operands[MX_X_SCALES].format,
                            (unsigned)mx_product_block(call), &formats[FORMAT_FP32], why);
}

static bool bind_unit(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    const char *name = request->operation->name;
    unsigned product = 0;
    while (product < PRODUCTS && strcmp(name, product_names[product]) != 0)
        product++;
    if (product == PRODUCTS)
        return error_set(why,
                         "a matrix unit has dot, matmul, mx.matmul, scaled.matmul, dyadic.dot and "
                         "dyadic.matmul, not %s",
                         name);
    if (request->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "a matrix unit rounds as it does; --rounding is nearest-even here");
    struct array_call call;
    struct spelling spelling;
    if (!sample_call(&call, request, why) ||
        !read_spelling(binding->implementation->name, &spelling, why))
        return false;
    const struct unit *unit = find_unit((enum product)product, &spelling, &call, why);
    if (!unit)
        return false;
    struct unit chosen = *unit;
    const bool is_mixed =
        product == PRODUCT_SCALED && call.operands[2].format != call.operands[0].format;
    if (is_mixed && !unit_mix(unit, call.operands[2].format, &chosen, why))
        return false;
    if (spelling.tile && !unit_shorten(&chosen, spelling.tile, &chosen, why))
        return false;
    if (is_whole((enum product)product) &&
        dyadic_rules_of(&call).overflow == DETMATH_DYADIC_SATURATE &&
        !unit_saturate(&chosen, &chosen, why))
        return false;
    struct unit_state *state = malloc(sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    *state = (struct unit_state){chosen, spelling, (enum product)product};
    binding->state = state;
    snprintf(binding->detail, sizeof binding->detail,
             "%u products of %s%s%s a call, accumulated in %s (%s)", chosen.call,
             unit->format->name, is_mixed ? " and " : "",
             is_mixed ? call.operands[2].format->name : "", unit->node->result->name, unit->source);
    return true;
}

static void unbind_unit(struct binding *binding) {
    free(binding->state);
    binding->state = NULL;
}

/* Codes of an operand in a format: `lines` lines of `length` each. Those of a second matrix are its columns. */
static void load_lines(const struct unit_state *state, const struct array_call *call, int operand,
                       const struct format *format, size_t lines, size_t length, uint64_t *codes) {
    const struct array *array = &call->operands[operand];
    const struct slices slices = slices_of(call);
    const bool by_columns = operand >= (state->product == PRODUCT_BLOCKS ? MX_Y : 1);
    for (size_t line = 0; line < lines; line++)
        for (size_t k = 0; k < length; k++) {
            uint64_t index = is_dot(state->product) ? slice_place(&slices, line, k)
                             : by_columns           ? k * lines + line
                                                    : line * length + k;
            codes[line * length + k] = element_load(array, format, index);
        }
}

/* What comes in, in the unit's own accumulator, which holds it. */
static void load_addend(const struct unit_state *state, const struct array_call *call, size_t first,
                        size_t elements, uint64_t *d) {
    for (size_t j = 0; j < elements; j++)
        d[j] = element_load(array_addend(call), state->unit.node->result, first + j);
}

/* Of a dot product each line is a product of its own. */
static bool compute(const struct unit_state *state, const struct array_call *call,
                    struct unit_product *product, size_t products, struct error *error) {
    const struct array *result = &call->results[0];
    size_t elements = product->rows * product->columns;
    product->has_c = array_addend(call);
    for (size_t i = 0; i < products; i++) {
        if (product->has_c)
            load_addend(state, call, i * elements, elements, product->d);
        if (!unit_multiply_cut(product, state->spelling.cut, state->spelling.number))
            return error_set(error, "out of memory for a product by a matrix unit");
        for (size_t j = 0; j < elements; j++)
            array_set_code(result, i * elements + j,
                           element_cast(state->unit.node->result, result->format, product->d[j]));
        product->a += product->rows * product->inner;
        product->b += product->columns * product->inner;
    }
    return true;
}

/* How large a call is: `lines` products of rows x inner and inner x columns. */
static struct unit_product extents(const struct unit_state *state, const struct array_call *call,
                                   size_t *lines) {
    const struct slices slices = slices_of(call);
    const int second = state->product == PRODUCT_BLOCKS ? MX_Y : 1;
    *lines = is_dot(state->product) ? slices.count : 1;
    if (is_dot(state->product))
        return (struct unit_product){
            .unit = &state->unit, .rows = 1, .inner = slices.length, .columns = 1};
    return (struct unit_product){.unit = &state->unit,
                                 .rows = call->operands[0].shape.extents[0],
                                 .inner = call->operands[0].shape.extents[1],
                                 .columns = call->operands[second].shape.extents[1]};
}

/* Of mantissas that are multiplied: the sum of the scales. */
static uint64_t result_scale(const struct array_call *call) {
    const struct dyadic_question question = dyadic_question_of(call);
    return (uint64_t)((int64_t)question.x1.s + question.x2.s) & 0xffffffff;
}

static bool fill_unit(struct binding *binding, const struct slice *slice, event_function *event,
                      void *context, struct error *error) {
    const struct unit_state *state = binding->state;
    const struct array_call *call = slice->array;
    const struct unit_scales *scales = state->unit.scales;
    (void)event;
    (void)context;
    size_t lines;
    const bool plainly = strcmp(detmath_best_level()->name, "baseline") == 0;
    if (state->product == PRODUCT_SCALED)
        return unit_scaled_multiply(
            &(struct unit_product){.unit = &state->unit, .plainly = plainly}, state->spelling.cut,
            state->spelling.number, call, error);
    struct unit_product product = extents(state, call, &lines);
    const size_t rows = product.rows * lines, columns = product.columns * lines,
                 blocks = scales ? (product.inner + scales->block - 1) / scales->block : 0;
    uint64_t *codes =
        calloc((rows + columns) * (product.inner + blocks) + product.rows * product.columns + 1,
               sizeof *codes);
    if (!codes)
        return error_set(error, "out of memory for a product by a matrix unit");
    uint64_t *b = codes + rows * product.inner, *a_scales = b + columns * product.inner,
             *b_scales = a_scales + rows * blocks;
    load_lines(state, call, 0, state->unit.format, rows, product.inner, codes);
    load_lines(state, call, scales ? MX_Y : 1, state->unit.format, columns, product.inner, b);
    if (scales) {
        load_lines(state, call, MX_X_SCALES, scales->format, rows, blocks, a_scales);
        load_lines(state, call, MX_Y_SCALES, scales->format, columns, blocks, b_scales);
    }
    product.a = codes;
    product.b = b;
    product.a_scales = a_scales;
    product.b_scales = b_scales;
    product.d = b_scales + columns * blocks;
    product.plainly = plainly;
    bool good = compute(state, call, &product, lines, error);
    if (is_whole(state->product))
        array_set_code(&call->results[1], 0, result_scale(call));
    free(codes);
    return good;
}

const struct implementation_kind implementation_unit = {
    .name = "mma:",
    .summary = "dot, matmul and similar products, as a matrix unit computes them, such as mma:h100 "
               "or mma:a100,split-k=4",
    .takes_parameters = true,
    .takes_arrays = true,
    .in_lists = true,
    .open = open_unit,
    .bind = bind_unit,
    .fill = fill_unit,
    .unbind = unbind_unit,
};
