/* The operands of one call, drawn again, and the line of `eval` that draws it. */
#include "report/array_input.h"

#include "base/foreign.h"
#include "format/text.h"
#include "sweep/array/cases.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN = 8, COLUMNS = 80, INDENT = 27 };

/* Which elements of an operand are shown: SHOWN at most, and `most`. */
struct view {
    uint64_t first, stride, most;
};

/* So many, with `element` among them. */
static struct view around(uint64_t element, uint64_t count) {
    const uint64_t before = element < SHOWN / 2 ? element : SHOWN / 2;
    const uint64_t last = count > SHOWN ? count - SHOWN : 0;
    return (struct view){element - before < last ? element - before : last, 1, SHOWN};
}

/* Beside the element where the shapes are alike; the row or the column of a product; the line that is added up;
 * or the beginning. */
static struct view view_of(const struct array *operand, const struct array *result,
                           uint64_t element) {
    const struct shape *in = &operand->shape, *out = &result->shape;
    const uint64_t count = shape_elements(in), results = shape_elements(out);
    const bool are_matrices = in->dimensions > 1 && in->dimensions == out->dimensions;
    const uint64_t columns = in->extents[in->dimensions - 1];
    const uint64_t out_columns = out->extents[out->dimensions - 1];
    if (count == results)
        return around(element, count);
    if (are_matrices && in->extents[in->dimensions - 2] == out->extents[out->dimensions - 2] &&
        columns != out_columns)
        return (struct view){element / out_columns * columns, 1, columns};
    if (are_matrices && columns == out_columns)
        return (struct view){element % columns, columns, SHOWN};
    if (count > results && count % results == 0)
        return (struct view){element * (count / results), 1, count / results};
    if (count == out_columns)
        return around(element % count, count);
    return (struct view){0, 1, SHOWN};
}

/* "[3]", "[1,7]" */
static void print_place(FILE *stream, const struct shape *shape, uint64_t element) {
    uint64_t below = shape_elements(shape);
    for (int i = 0; i < shape->dimensions; i++) {
        below /= shape->extents[i];
        fprintf(stream, "%s%" PRIu64, i ? "," : "[", element / below);
        element %= below;
    }
    fputc(']', stream);
}

static void print_operand(FILE *stream, const struct array *operand, int number, struct view view) {
    const uint64_t count = shape_elements(&operand->shape);
    char text[NUMBER_TEXT];
    int column = COLUMNS;
    fprintf(stream, "%s operand %d from ",
            number ? "                          " : "                    with  ", number + 1);
    print_place(stream, &operand->shape, view.first);
    fputs(view.stride > 1 ? " down" : " on", stream);
    for (uint64_t i = 0, at = view.first; i < SHOWN && i < view.most && at < count;
         i++, at += view.stride) {
        format_decimal_text(operand->format, array_code(operand, at), text);
        if (column + 1 + (int)strlen(text) > COLUMNS) {
            fprintf(stream, "\n%*s", INDENT, "");
            column = INDENT;
        }
        column += fprintf(stream, " %s", text);
    }
    fputc('\n', stream);
}

static void print_word(FILE *stream, const char *option, const char *word) {
    fprintf(stream, " --%s ", option);
    foreign_print(stream, FOREIGN_SHELL, word);
}

/* Without the shape and the family, which are those of the call. */
static void print_parameters(FILE *stream, const struct parameters *parameters) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *row = &parameter_rows[i];
        const struct parameter_value *value = &parameters->values[i];
        char text[PARAMETER_ROOM];
        if (!value->present || i == PARAMETER_SHAPE_OF || i == PARAMETER_DISTRIBUTION)
            continue;
        if (row->kind == PARAMETER_FLAG)
            fprintf(stream, " --%s", row->name);
        else
            print_word(stream, row->name, parameter_text(row, value, text));
    }
}

void array_command_print(FILE *stream, const struct sweep_request *request, size_t from, size_t to,
                         const uint64_t *input) {
    const struct binding_request *computed = &request->computed;
    const struct cases *cases = &request->domain->cases;
    const struct shape *shape = case_shape(cases, input[0]);
    fprintf(stream, "detcheck eval %s --format %s", computed->operation->name,
            computed->format->name);
    if (computed->rounding != ROUND_NEAREST_EVEN)
        print_word(stream, "rounding", rounding_names[computed->rounding]);
    print_parameters(stream, &computed->parameters);
    print_word(stream, "distribution", cases->family->name);
    fputs(" --shape ", stream);
    for (int i = 0; i < shape->dimensions; i++)
        fprintf(stream, "%s%" PRIu64, i ? "x" : "", shape->extents[i]);
    fprintf(stream, " --draw %" PRIu64, case_draw(cases, input[0]));
    if (cases->seed != 1)
        fprintf(stream, " --seed %" PRIu64, cases->seed);
    fprintf(stream, " --element %" PRIu64, input[1]);
    for (size_t i = from; i <= to; i++)
        print_word(stream, "impl", request->implementations[i].name);
}

void array_input_print(FILE *stream, const struct sweep_request *request, size_t implementation,
                       int result, const uint64_t *input) {
    const struct binding_request *computed = &request->computed;
    const struct array_rule *rule = computed->operation->array;
    const struct cases *cases = &request->domain->cases;
    struct array_call call = {.parameters = &computed->parameters, .rounding = computed->rounding};
    struct error unused;
    if (!rule || array_is_of_texts(rule))
        return;
    if (case_open(&call, cases, input[0], computed->operation, computed->format, &unused))
        for (int i = 0; i < MAX_ARRAY_OPERANDS && call.operands[i].codes; i++)
            print_operand(stream, &call.operands[i], i,
                          view_of(&call.operands[i], &call.results[result], input[1]));
    array_call_free(&call);
    if (cases->own)
        return;
    fputs("               to see it   ", stream);
    array_command_print(stream, request, implementation, implementation, input);
    fputc('\n', stream);
}
