/* A case is an element on the diagonal of a product: its row and its column are that case's alone. */
#include "reveal/called_cases.h"

#include "op/mx/rows.h"
#include "reveal/case_draw.h"

#include <string.h>

enum { TERMS = 128, MOST_TERMS = 256 };

bool called_cases_provides(const struct operation *operation) {
    return strcmp(operation->name, "mx.matmul") == 0;
}

static bool check(const struct called_cases *called, struct error *error) {
    const uint64_t terms = called->call.operands[MX_X].shape.extents[1],
                   block = mx_product_block(&called->call);
    if (called->call.results[0].format != &formats[FORMAT_FP32])
        return error_set(error, "reveal wants the sums of mx.matmul as they are: --to fp32");
    if (block & (block - 1))
        return error_set(error, "reveal wants a --block of mx.matmul that is a power of two");
    return (terms && terms <= MOST_TERMS && terms % block == 0) ||
           error_set(error,
                     "reveal wants whole blocks of mx.matmul, and up to %d terms: --shape "
                     "1x128x1",
                     MOST_TERMS);
}

bool called_cases_open(struct called_cases *called, const struct implementation *implementation,
                       const struct binding_request *request, struct error *error) {
    *called = (struct called_cases){.request = *request};
    struct parameter_value *given = &called->request.parameters.values[PARAMETER_SHAPE_OF];
    if (!given->present)
        *given = (struct parameter_value){.present = true, .shape = {3, {1, TERMS, 1}}};
    const struct shape shape = given->shape;
    called->call = (struct array_call){.parameters = &called->request.parameters,
                                       .rounding = request->rounding,
                                       .overflow = request->overflow};
    if (!array_call_plan(&called->call, request->operation->array, request->format, &shape,
                         error) ||
        !check(called, error))
        return false;
    called->lines =
        (size_t)(shape.extents[0] < shape.extents[2] ? shape.extents[0] : shape.extents[2]);
    if (!array_call_allocate(&called->call, MX_Y_SCALES + 1, 1))
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

/* Rows and columns beyond the diagonal have other cases' factors again. */
static void lay(const struct called_cases *called, const struct unit_cases *cases, size_t first,
                size_t count) {
    const size_t terms = cases->products, blocks = unit_cases_blocks(cases);
    const uint64_t *const from[] = {cases->a, cases->a_scales, cases->b, cases->b_scales};
    for (int operand = MX_X; operand <= MX_Y_SCALES; operand++) {
        const struct array *array = &called->call.operands[operand];
        const size_t length = operand == MX_X || operand == MX_Y ? terms : blocks;
        const bool by_columns = operand >= MX_Y;
        const size_t lines = (size_t)array->shape.extents[by_columns ? 1 : 0];
        for (size_t line = 0; line < lines; line++)
            for (size_t k = 0; k < length; k++)
                array_set_code(array, by_columns ? k * lines + line : line * length + k,
                               from[operand][(first + line % count) * length + k]);
    }
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
    return binding_fill(&called->binding, &slice, pass_over, NULL, error) &&
           (!unanswered || error_set(error, "%s gave no answer to a call of mx.matmul",
                                     called->binding.implementation->name));
}

bool called_cases_draw(struct called_cases *called, size_t count, uint64_t seed,
                       struct unit_cases *cases, struct error *error) {
    const struct array *result = &called->call.results[0];
    *cases = (struct unit_cases){.format = called->request.format,
                                 .result = result->format,
                                 .products = (size_t)called->call.operands[MX_X].shape.extents[1],
                                 .scales = called->call.operands[MX_X_SCALES].format,
                                 .block = (size_t)mx_product_block(&called->call)};
    if (!case_draw(cases, count, seed))
        return error_set(error, "out of memory for cases");
    for (size_t first = 0; first < count; first += called->lines) {
        const size_t left = count - first, here = left < called->lines ? left : called->lines;
        lay(called, cases, first, here);
        if (!compute(called, error))
            return false;
        for (size_t i = 0; i < here; i++)
            cases->d[first + i] = array_code(result, i * (size_t)result->shape.extents[1] + i);
    }
    return true;
}
