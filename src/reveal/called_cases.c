/* A case is an element on the diagonal of a product: its row and its column are that case's alone. Of a dot product a call is one
 * case. */
#include "reveal/called_cases.h"

#include "op/array/slices.h"
#include "op/draw.h"
#include "op/dyadic/rows.h"
#include "op/mx/rows.h"
#include "op/scaled/rows.h"
#include "reveal/case_draw.h"

#include <string.h>

enum { MOST_TERMS = 256, NONE = -1 };

/* Whether a call is one that can be told of: else why not. */
typedef bool check_function(const struct called_cases *called, struct error *error);
static check_function check_blocks, check_scaled, check_whole, check_narrow;

static const struct called_row {
    const char *name;
    check_function *check;
    size_t terms, most_terms;     /* by default */
    int a, a_scales, b, b_scales; /* operands; NONE: there are no scales that count */
} rows[] = {
    {"mx.matmul", check_blocks, 128, MOST_TERMS, MX_X, MX_X_SCALES, MX_Y, MX_Y_SCALES},
    {"scaled.matmul", check_scaled, 64, UNIT_CASES_MOST_PRODUCTS, 0, NONE, 2, NONE},
    {"dyadic.matmul", check_whole, 64, UNIT_CASES_MOST_PRODUCTS, 0, NONE, 1, NONE},
    {"dyadic.dot", check_whole, 64, UNIT_CASES_MOST_PRODUCTS, 0, NONE, 1, NONE},
    {"matmul", check_narrow, 64, UNIT_CASES_MOST_PRODUCTS, 0, NONE, 1, NONE},
    {"dot", check_narrow, 64, UNIT_CASES_MOST_PRODUCTS, 0, NONE, 1, NONE},
};

static const struct called_row *find_row(const struct operation *operation) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(operation->name, rows[i].name) == 0)
            return &rows[i];
    return NULL;
}

bool called_cases_provides(const struct operation *operation) {
    const struct called_row *row = find_row(operation);
    return row && row->check != check_narrow;
}

bool called_cases_take(const struct binding_request *request) {
    const struct called_row *row = find_row(request->operation);
    return row &&
           (row->check != check_narrow ||
            (request->format->width < 8 && parameter_flag(&request->parameters, PARAMETER_ADDEND)));
}

static bool is_product(const struct called_cases *called) {
    return called->call.results[0].shape.dimensions > 1;
}

/* ---- What can be told of ---- */

static bool check_blocks(const struct called_cases *called, struct error *error) {
    const uint64_t block = mx_product_block(&called->call);
    if (called->call.results[0].format != &formats[FORMAT_FP32])
        return error_set(error, "reveal needs the sums of mx.matmul without a cast: --to fp32");
    if (block & (block - 1))
        return error_set(error, "reveal needs a --block of mx.matmul that is a power of two");
    return (called->terms && called->terms <= MOST_TERMS && called->terms % block == 0) ||
           error_set(error,
                     "reveal needs whole blocks of mx.matmul, and up to %d terms: --shape "
                     "1x128x1",
                     MOST_TERMS);
}

static bool wants_addend(const struct called_cases *called, struct error *error) {
    const char *name = called->request.operation->name;
    if (!array_addend(&called->call))
        return error_set(error, "reveal needs --addend with %s: c shows what products alone cannot",
                         name);
    return called->terms <= called->row->most_terms ||
           error_set(error, "reveal needs up to %zu terms of %s: --shape 1x64x1",
                     called->row->most_terms, name);
}

static bool check_scaled(const struct called_cases *called, struct error *error) {
    const struct parameters *given = called->call.parameters;
    const struct parameter_value *accumulate = &given->values[PARAMETER_ACCUMULATE];
    const struct format *sums = accumulate->present ? accumulate->format : &formats[FORMAT_FP32];
    if (called->call.results[SCALED_DATA].format != sums)
        return error_set(error, "reveal needs the sums of scaled.matmul without a cast: --to %s",
                         sums->name);
    if (called->call.operands[2].format != called->call.operands[0].format)
        return error_set(error, "reveal needs factors of one format, without --second-format");
    if (called->call.results[0].shape.dimensions != 2)
        return error_set(error, "reveal needs two matrices of scaled.matmul: --shape 1x64x1");
    return wants_addend(called, error);
}

static bool check_narrow(const struct called_cases *called, struct error *error) {
    const struct format *sums = accumulation_format(&called->call);
    if (called->call.results[0].format != sums)
        return error_set(error, "reveal needs sums of such factors without a cast: --dtype %s",
                         sums->name);
    if (called->call.operands[0].shape.dimensions !=
        (called->call.rule->lines == LINES_PRODUCT ? 2 : 1))
        return error_set(error, "reveal needs one line of such factors: --shape 64");
    return wants_addend(called, error);
}

static bool check_whole(const struct called_cases *called, struct error *error) {
    const struct detmath_dyadic_rules rules = dyadic_rules_of(&called->call);
    const struct parameters *given = called->call.parameters;
    if (rules.bits != 32 || rules.overflow == DETMATH_DYADIC_REPORT ||
        parameter_integer(given, PARAMETER_Q, 0) ||
        parameter_integer(given, PARAMETER_TRANSPOSE, 0) ||
        called->call.operands[0].format != &integer_formats[FORMAT_INT8])
        return error_set(error, "reveal needs sums of int8 in 32 bits that wrap or saturate: "
                                "--accumulator 32, --q 0, --transpose none");
    return wants_addend(called, error);
}

/* ---- Calls ---- */

static struct shape default_shape(const struct called_cases *called) {
    const uint64_t terms = called->row->terms;
    return called->request.operation->array->shapes[0].dimensions == 1
               ? shape_of(terms)
               : (struct shape){3, {1, terms, 1}};
}

/* How many terms a case has, and how many cases a call. */
static void count_lines(struct called_cases *called) {
    const struct array *a = &called->call.operands[called->row->a],
                       *result = &called->call.results[0];
    called->lines = 1;
    called->terms = (size_t)shape_elements(&a->shape);
    if (!is_product(called))
        return;
    const uint64_t *extents = result->shape.extents;
    called->lines = (size_t)(extents[0] < extents[1] ? extents[0] : extents[1]);
    called->terms = (size_t)a->shape.extents[1];
}

bool called_cases_open(struct called_cases *called, const struct implementation *implementation,
                       const struct binding_request *request, struct error *error) {
    *called = (struct called_cases){.row = find_row(request->operation), .request = *request};
    struct parameter_value *given = &called->request.parameters.values[PARAMETER_SHAPE_OF];
    if (!given->present)
        *given = (struct parameter_value){.present = true, .shape = default_shape(called)};
    called->call = (struct array_call){.parameters = &called->request.parameters,
                                       .rounding = request->rounding,
                                       .overflow = request->overflow};
    if (!array_call_plan(&called->call, request->operation->array, request->format, &given->shape,
                         error))
        return false;
    count_lines(called);
    if (!called->row->check(called, error))
        return false;
    if (!array_call_allocate(&called->call,
                             operation_operands(request->operation, &called->request.parameters),
                             request->operation->results))
        return error_set(error, "out of memory for an array");
    if (implementation_bind(&called->binding, implementation, &called->request, error))
        return true;
    array_call_free(&called->call);
    return false;
}

void called_cases_close(struct called_cases *called) {
    binding_close(&called->binding);
    array_call_free(&called->call);
}

/* Lines `length` long of an operand; rows and columns beyond the diagonal have other cases' factors again. */
static void lay_lines(const struct called_cases *called, int operand, bool by_columns,
                      const uint64_t *from, size_t length, size_t first, size_t count) {
    const struct array *array = &called->call.operands[operand];
    const size_t lines = is_product(called) ? (size_t)array->shape.extents[by_columns ? 1 : 0] : 1;
    for (size_t line = 0; line < lines; line++)
        for (size_t k = 0; k < length; k++)
            array_set_code(array, by_columns ? k * lines + line : line * length + k,
                           from[(first + line % count) * length + k]);
}

static void lay(const struct called_cases *called, const struct unit_cases *cases, size_t first,
                size_t count) {
    const struct called_row *row = called->row;
    const size_t terms = cases->products, blocks = unit_cases_blocks(cases);
    const struct array *c = array_addend(&called->call);
    lay_lines(called, row->a, false, cases->a, terms, first, count);
    lay_lines(called, row->b, true, cases->b, terms, first, count);
    if (row->a_scales != NONE) {
        lay_lines(called, row->a_scales, false, cases->a_scales, blocks, first, count);
        lay_lines(called, row->b_scales, true, cases->b_scales, blocks, first, count);
    }
    for (int operand = 1; row->check == check_scaled && operand < 4; operand += 2) /* no scales */
        for (uint64_t i = 0; i < shape_elements(&called->call.operands[operand].shape); i++)
            array_set_double(&called->call.operands[operand], i, 1);
    const size_t columns =
        is_product(called) ? (size_t)called->call.results[0].shape.extents[1] : 1;
    for (size_t i = 0; c && i < (size_t)shape_elements(&c->shape); i++)
        array_set_code(c, i, cases->c[first + i / columns % count]);
}

/* Whether there is an answer is said by the slice. */
static void pass_over(void *context, enum event_kind kind, size_t index) {
    (void)context;
    (void)kind;
    (void)index;
}

static bool compute(struct called_cases *called, struct error *error) {
    uint8_t unanswered = 0;
    const struct slice slice = {.count = 1, .unanswered = &unanswered, .array = &called->call};
    const struct array *results = called->call.results;
    const char *name = called->request.operation->name;
    if (!binding_fill(&called->binding, &slice, pass_over, NULL, error))
        return false;
    if (unanswered)
        return error_set(error, "%s returned nothing for a call of %s",
                         called->binding.implementation->name, name);
    const struct real scale = called->row->check == check_scaled
                                  ? array_number(&results[SCALED_SCALE], 0)
                                  : real_power_of_two(0);
    return (scale.kind == REAL_FINITE && scale.exponent == 0 && !(scale.significand.high << 1)) ||
           error_set(error, "reveal needs products whose scale is 1: --static one");
}

bool called_cases_draw(struct called_cases *called, size_t count, uint64_t seed,
                       struct unit_cases *cases, struct error *error) {
    const struct array *result = &called->call.results[0];
    const bool has_scales = called->row->a_scales != NONE;
    *cases = (struct unit_cases){.format = called->request.format,
                                 .result = result->format,
                                 .products = called->terms,
                                 .has_c = array_addend(&called->call),
                                 .called = true};
    if (has_scales) {
        cases->scales = called->call.operands[called->row->a_scales].format;
        cases->block = (size_t)mx_product_block(&called->call);
    }
    if (called->row->check == check_whole)
        cases->saturates = dyadic_rules_of(&called->call).overflow == DETMATH_DYADIC_SATURATE;
    if (!case_draw(cases, count, seed))
        return error_set(error, "out of memory for cases");
    const size_t columns = is_product(called) ? (size_t)result->shape.extents[1] : 1;
    for (size_t first = 0; first < count; first += called->lines) {
        const size_t left = count - first, here = left < called->lines ? left : called->lines;
        lay(called, cases, first, here);
        if (!compute(called, error))
            return false;
        for (size_t i = 0; i < here; i++)
            cases->d[first + i] = array_code(result, i * columns + i);
    }
    return true;
}
