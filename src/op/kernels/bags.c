/* Embedding bags and their gradients: the rows, their shapes, what is exact, and det's calls. */
#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/families.h"
#include "op/kernels/shares.h"
#include "op/kernels/widened.h"

#include <stdlib.h>

/* Which operand is what; NONE: it has none. */
enum { NONE = -1 };
enum bag_result { OF_BAGS, OF_TABLE, OF_WEIGHTS };
struct bag_facts {
    enum bag_result result;
    int table, index, offset, gradient, weight;
};

static const struct bag_facts *facts_of(const struct array_call *call) {
    return call->rule->data;
}

/* The weights come last, and may be absent. */
static int up_to_3(const struct parameters *parameters) {
    return parameter_flag(parameters, PARAMETER_WEIGHTED) ? 3 : 2;
}

static int up_to_4(const struct parameters *parameters) {
    return parameter_flag(parameters, PARAMETER_WEIGHTED) ? 4 : 3;
}

static enum detmath_pooling pooling_of(const struct array_call *call) {
    return (enum detmath_pooling)parameter_integer(
        call->parameters, PARAMETER_MODE,
        facts_of(call)->result == OF_WEIGHTS ? DETMATH_POOL_SUM : DETMATH_POOL_MEAN);
}

static void set(struct array_call *call, int operand, const struct format *format,
                struct shape shape) {
    if (operand != NONE && operand < rule_operands(call->rule, call->parameters))
        call->operands[operand] = (struct array){.format = format, .shape = shape};
}

static bool shapes_of_bags(struct array_call *call, const struct format *format,
                           const struct shape *shape, struct error *error) {
    const struct bag_facts *facts = facts_of(call);
    const uint64_t *extents = shape->extents;
    if (shape->dimensions != 4)
        return error_set(error, "embedding_bag needs --shape BAGSxLENGTHxROWSxWIDTH, such as "
                                "8x16x100x32");
    if (parameter_flag(call->parameters, PARAMETER_WEIGHTED) &&
        pooling_of(call) != DETMATH_POOL_SUM)
        return error_set(error, "embedding_bag has --weighted sums (--mode sum), and no other");
    if (facts->result == OF_TABLE && pooling_of(call) == DETMATH_POOL_MAX)
        return error_set(error, "gradients of embedding_bag are those of --mode sum or mean");
    const struct shape indices = facts->offset == NONE ? (struct shape){2, {extents[0], extents[1]}}
                                                       : shape_of(extents[0] * extents[1]),
                       table = {2, {extents[2], extents[3]}}, bags = {2, {extents[0], extents[3]}};
    const struct format *whole = &integer_formats[FORMAT_INT64];
    set(call, facts->table, format, table);
    set(call, facts->index, whole, indices);
    set(call, facts->offset, whole, shape_of(extents[0]));
    set(call, facts->gradient, format, bags);
    set(call, facts->weight, format, indices);
    call->results[0].shape = facts->result == OF_BAGS    ? bags
                             : facts->result == OF_TABLE ? table
                                                         : indices;
    call->results[0].format = parameters_result_format(call->parameters, format);
    return true;
}

static bool shapes_are_set(struct array_call *call, struct error *error) {
    (void)call;
    (void)error;
    return true;
}

/* How many indices, bags and rows there are, and their width. */
struct bag_extents {
    uint64_t indices, bags, rows, width;
};

static struct bag_extents extents_of(const struct array_call *call) {
    const struct bag_facts *facts = facts_of(call);
    const struct shape *table = facts->result == OF_TABLE ? &call->results[0].shape
                                                          : &call->operands[facts->table].shape,
                       *indices = &call->operands[facts->index].shape;
    return (struct bag_extents){.indices = shape_elements(indices),
                                .bags = facts->offset != NONE
                                            ? shape_elements(&call->operands[facts->offset].shape)
                                            : indices->extents[0],
                                .rows = table->extents[0],
                                .width = table->extents[1]};
}

/* Of bags with offsets each begins about where it would without. */
static uint64_t draw_index(const struct array_call *call, int operand, uint64_t code,
                           uint64_t bits) {
    const struct parameter_value *padding = &call->parameters->values[PARAMETER_PADDING_INDEX];
    const struct bag_extents extents = extents_of(call);
    const uint64_t length = extents.indices / extents.bags;
    if (operand == facts_of(call)->offset)
        return code ? code * length + bits % (length + 1) : 0;
    return operand != facts_of(call)->index        ? code
           : padding->present && !(bits >> 32 & 7) ? (uint64_t)padding->integer
                                                   : bits % extents.rows;
}

/* What the exact functions know of a call. */
struct bags {
    const struct array_call *call;
    const struct bag_facts *facts;
    struct bag_extents extents;
    struct exact_shares shares;
    uint64_t *starts;  /* of each bag; and the end */
    uint64_t *counted; /* rows of each bag */
    bool *is_bad;      /* it has an index that is no row */
    /* For the gradient of a table, from 1 on: the last index of each row; the one before each index; and its bag. */
    uint64_t *last, *before, *bag_of;
};

static struct real number(const struct bags *bags, int operand, uint64_t at) {
    const struct format *format = bags->call->results[0].format;
    return format_decode(format, element_load(&bags->call->operands[operand], format, at));
}

static bool is_padding(const struct bags *bags, uint64_t at) {
    const struct parameter_value *padding =
        &bags->call->parameters->values[PARAMETER_PADDING_INDEX];
    return padding->present &&
           array_code(&bags->call->operands[bags->facts->index], at) == (uint64_t)padding->integer;
}

static uint64_t row_of(const struct bags *bags, uint64_t at) {
    return array_code(&bags->call->operands[bags->facts->index], at);
}

static bool find_starts(struct bags *bags, struct error *error) {
    const struct bag_extents *extents = &bags->extents;
    bags->starts[extents->bags] = extents->indices;
    for (uint64_t bag = 0; bag < extents->bags; bag++) {
        bags->starts[bag] = bags->facts->offset == NONE
                                ? extents->indices / extents->bags * bag
                                : array_code(&bags->call->operands[bags->facts->offset], bag);
        if (bags->starts[bag] > extents->indices ||
            (bag ? bags->starts[bag] < bags->starts[bag - 1] : bags->starts[bag] != 0))
            return error_set(error, "%s", detmath_trouble_text(DETMATH_TROUBLE_OFFSETS));
    }
    return true;
}

static void find_rows(struct bags *bags) {
    for (uint64_t bag = 0; bag < bags->extents.bags; bag++)
        for (uint64_t at = bags->starts[bag]; at < bags->starts[bag + 1]; at++) {
            const uint64_t row = row_of(bags, at);
            if (is_padding(bags, at))
                continue;
            bags->counted[bag]++;
            bags->is_bad[bag] |= row >= bags->extents.rows;
            bags->bag_of[at] = bag;
            if (row < bags->extents.rows) {
                bags->before[at] = bags->last[row];
                bags->last[row] = at + 1;
            }
        }
}

static bool open_bags(struct bags *bags, const struct array_call *call, struct error *error) {
    const struct bag_extents extents = extents_of(call);
    *bags = (struct bags){.call = call, .facts = facts_of(call), .extents = extents};
    exact_shares_open(&bags->shares, call->results[0].format);
    bags->starts = calloc(extents.bags + 1, sizeof *bags->starts);
    bags->counted = calloc(extents.bags, sizeof *bags->counted);
    bags->is_bad = calloc(extents.bags, sizeof *bags->is_bad);
    bags->last = calloc(extents.rows, sizeof *bags->last);
    bags->before = calloc(extents.indices, sizeof *bags->before);
    bags->bag_of = calloc(extents.indices, sizeof *bags->bag_of);
    if (!bags->starts || !bags->counted || !bags->is_bad || !bags->last || !bags->before ||
        !bags->bag_of)
        return error_set(error, "out of memory");
    if (!find_starts(bags, error))
        return false;
    find_rows(bags);
    return true;
}

static void close_bags(struct bags *bags) {
    exact_shares_close(&bags->shares);
    free(bags->starts);
    free(bags->counted);
    free(bags->is_bad);
    free(bags->last);
    free(bags->before);
    free(bags->bag_of);
}

/* Whether a is the larger one: NaN is above all numbers, and +0 above -0. */
static bool is_above(const struct real *a, const struct real *b) {
    if (a->kind == REAL_NAN || b->kind == REAL_NAN)
        return b->kind != REAL_NAN;
    if (a->negative != b->negative)
        return b->negative;
    const struct real *more = a->negative ? b : a, *less = a->negative ? a : b;
    return more->kind != REAL_ZERO && (less->kind == REAL_ZERO || real_is_smaller(less, more));
}

/* Adds x, or x times the weight of an index. */
static void add(struct bags *bags, const struct real *x, uint64_t at) {
    if (bags->facts->weight == NONE ||
        bags->facts->weight >= rule_operands(bags->call->rule, bags->call->parameters)) {
        exact_total_add(&bags->shares.total, x);
        return;
    }
    const struct real weight = number(bags, bags->facts->weight, at);
    exact_total_add_product(&bags->shares.total, x, &weight);
}

static bool find_pooled(struct bags *bags, uint64_t element, int precision, struct real *y) {
    const enum detmath_pooling which = pooling_of(bags->call);
    const uint64_t width = bags->extents.width, bag = element / width, column = element % width;
    struct real largest = real_zero(false);
    bool is_first = true;
    if (bags->is_bad[bag] || !bags->counted[bag]) {
        *y = bags->is_bad[bag] ? real_nan() : real_zero(false);
        return true;
    }
    for (uint64_t at = bags->starts[bag]; at < bags->starts[bag + 1]; at++) {
        if (is_padding(bags, at))
            continue;
        const struct real x = number(bags, bags->facts->table, row_of(bags, at) * width + column);
        if (is_first || is_above(&x, &largest))
            largest = x;
        is_first = false;
        add(bags, &x, at);
    }
    *y = which == DETMATH_POOL_MAX
             ? largest
             : exact_total_quotient(&bags->shares.total,
                                    which == DETMATH_POOL_MEAN ? bags->counted[bag] : 1, precision);
    return true;
}

static bool find_table_slope(struct bags *bags, uint64_t element, int precision, struct real *y) {
    const bool is_mean = pooling_of(bags->call) == DETMATH_POOL_MEAN;
    const uint64_t width = bags->extents.width;
    bool is_bad = false, good = true;
    for (uint64_t at = bags->last[element / width]; at; at = bags->before[at - 1]) {
        const uint64_t bag = bags->bag_of[at - 1];
        const struct real g = number(bags, bags->facts->gradient, bag * width + element % width);
        is_bad |= bags->is_bad[bag];
        if (is_mean)
            good = exact_shares_add(&bags->shares, &g, bags->counted[bag]) && good;
        else
            add(bags, &g, at - 1);
    }
    *y = is_bad ? real_nan() : exact_shares_sum(&bags->shares, precision);
    return good;
}

static bool find_weight_slope(struct bags *bags, uint64_t at, int precision, struct real *y) {
    const uint64_t width = bags->extents.width, bag = bags->bag_of[at];
    *y = real_zero(false);
    if (is_padding(bags, at))
        return true;
    for (uint64_t column = 0; !bags->is_bad[bag] && column < width; column++) {
        const struct real x = number(bags, bags->facts->table, row_of(bags, at) * width + column),
                          g = number(bags, bags->facts->gradient, bag * width + column);
        exact_total_add_product(&bags->shares.total, &x, &g);
    }
    *y = bags->is_bad[bag] ? real_nan() : exact_shares_sum(&bags->shares, precision);
    return true;
}

static bool exact_bags(const struct array_call *call, int result, int precision, struct real *y,
                       struct error *error) {
    static bool (*const finds[])(struct bags *, uint64_t, int, struct real *) = {
        [OF_BAGS] = find_pooled, [OF_TABLE] = find_table_slope, [OF_WEIGHTS] = find_weight_slope};
    struct bags bags;
    bool good = open_bags(&bags, call, error);
    (void)result;
    for (uint64_t i = 0; good && i < shape_elements(&call->results[0].shape); i++) {
        exact_shares_reset(&bags.shares);
        good = finds[bags.facts->result](&bags, i, precision, &y[i]) ||
               error_set(error, "out of memory");
    }
    close_bags(&bags);
    return good;
}

static int call_bags(const struct array_call *call, struct detmath_strided *const *y,
                     struct detmath_strided *const *x) {
    const struct parameter_value *padding = &call->parameters->values[PARAMETER_PADDING_INDEX];
    const struct bag_facts *facts = facts_of(call);
    const struct detmath_bags bags = {
        .indices = call->operands[facts->index].codes,
        .count = (size_t)shape_elements(&call->operands[facts->index].shape),
        .offsets = facts->offset == NONE ? NULL : call->operands[facts->offset].codes,
        .weights = facts->weight == NONE ? NULL : x[facts->weight],
        .padding = padding->present ? &padding->integer : NULL};
    return facts->result == OF_BAGS
               ? detmath_embedding_bag(pooling_of(call), y[0], x[facts->table], &bags)
           : facts->result == OF_TABLE
               ? detmath_embedding_bag_gradient(pooling_of(call), y[0], x[facts->gradient], &bags)
               : detmath_embedding_bag_weight_gradient(y[0], x[facts->table], x[facts->gradient],
                                                       &bags);
}

static WIDENED_RUN(run_bags, call_bags)

    static const struct array_algorithm algorithms[] = {
        {"det", "in pairs of fp32, from the first element to the last", provides_widened, run_bags,
         NULL, NULL},
        {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
        {0}};

static const struct shape shapes[] = {{4, {1, 1, 1, 1}},     {4, {2, 3, 4, 5}},
                                      {4, {3, 17, 9, 8}},    {4, {2, 65, 40, 7}},
                                      {4, {1, 1025, 33, 3}}, {0}};

#define COMMON                                                                                     \
    (PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |                \
     PARAMETER_BIT(PADDING_INDEX))
#define POOLED (COMMON | PARAMETER_BIT(MODE) | PARAMETER_BIT(WEIGHTED))

/* OPERANDS: how many, and their names in parentheses; COUNT says how many a call has. */
#define BAGS(NAME, PARAMETERS, COUNT, OPERANDS, FORMULA, ...)                                      \
    {                                                                                              \
        .name = NAME, .formula = FORMULA, .operands = OPERAND_COUNT OPERANDS, .results = 1,        \
        .parameters = PARAMETERS, .group = "kernels", .array = &(const struct array_rule) {        \
            .data = &(const struct bag_facts){__VA_ARGS__},                                        \
            .operand_names = OPERAND_NAMES OPERANDS, .operand_count = COUNT, .drawn = draw_index,  \
            .operand_shapes = shapes_of_bags, .result_shapes = shapes_are_set,                     \
            .exact = exact_bags, .algorithms = algorithms, .families = sum_families,               \
            .shapes = shapes                                                                       \
        }                                                                                          \
    }
#define OFFSETS " from its offset to the next offset"

static const struct operation rows[] = {
    BAGS("embedding_bag", POOLED, up_to_3, (3, "table", "index", "weight"),
         "y = the sum, mean or maximum of the rows table[index[0]], table[index[1]], ...", OF_BAGS,
         0, 1, NONE, NONE, 2),
    BAGS("embedding_bag_offsets", POOLED, up_to_4, (4, "table", "index", "offset", "weight"),
         "y = the sum, mean or maximum of the rows table[i]; a bag has the indices i" OFFSETS,
         OF_BAGS, 0, 1, 2, NONE, 3),
    BAGS("embedding_bag_gradient", POOLED, up_to_3, (3, "index", "g", "weight"),
         "dtable[r] = the sum of g over the bags with index r, times the weight of r or divided by "
         "the number of rows",
         OF_TABLE, NONE, 0, NONE, 1, 2),
    BAGS("embedding_bag_offsets_gradient", POOLED, up_to_4, (4, "index", "offset", "g", "weight"),
         "dtable[r] = the sum of g over the bags with index r; a bag has the indices" OFFSETS,
         OF_TABLE, NONE, 0, 1, 2, 3),
    BAGS("embedding_bag_weight_gradient", COMMON, NULL, (3, "table", "index", "g"),
         "dweight[i] = the sum of table[index[i]][j] g[j] in its bag", OF_WEIGHTS, 0, 1, NONE, 2,
         NONE),
    BAGS(
        "embedding_bag_offsets_weight_gradient", COMMON, NULL, (4, "table", "index", "offset", "g"),
        "dweight[i] = the sum of table[index[i]][j] g[j] in its bag; a bag has the indices" OFFSETS,
        OF_WEIGHTS, 0, 1, 2, 3, NONE),
};
OPERATION_FAMILY(bags, rows);
