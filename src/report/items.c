/* Members of the document that stand in many places. */
#include "report/items.h"

#include "format/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void report_add_bits(cJSON *object, const char *name, const struct format *format, uint64_t code) {
    char text[NUMBER_TEXT];
    cJSON_AddStringToObject(object, name, format_bits_text(format, code, text));
}

const char *report_number_text(double number, char text[32]) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, number);
        double read = strtod(text, NULL);
        if (!(read < number) && !(read > number))
            break;
    }
    return text;
}

void report_add_error(cJSON *object, const char *name, double error) {
    char text[32];
    cJSON_AddRawToObject(object, name, report_number_text(error, text));
}

cJSON *report_shape(const struct shape *shape) {
    cJSON *extents = cJSON_CreateArray();
    for (int i = 0; i < shape->dimensions; i++)
        cJSON_AddItemToArray(extents, cJSON_CreateNumber((double)shape->extents[i]));
    return extents;
}

/* Which call of an operation on arrays, how to make it again, and which element of the result. */
static void add_array_input(cJSON *object, const struct cases *cases, const uint64_t *input) {
    cJSON *where = cJSON_AddObjectToObject(object, "input");
    cJSON_AddItemToObject(where, "shape", report_shape(case_shape(cases, input[0])));
    cJSON_AddNumberToObject(where, "draw", (double)case_draw(cases, input[0]));
    cJSON_AddNumberToObject(where, "element", (double)input[1]);
}

void report_add_input(cJSON *object, const struct sweep_request *request, const uint64_t *input) {
    const struct binding_request *computed = &request->computed;
    char text[NUMBER_TEXT];
    if (computed->operation->array) {
        add_array_input(object, &request->domain->cases, input);
        return;
    }
    if (computed->operation->operands == 1) {
        report_add_bits(object, "input", computed->format, input[0]);
        return;
    }
    cJSON *array = cJSON_AddArrayToObject(object, "input");
    for (int i = 0; i < computed->operation->operands; i++)
        cJSON_AddItemToArray(
            array, cJSON_CreateString(format_bits_text(computed->format, input[i], text)));
}

uint64_t report_code_of(const cJSON *item) {
    return cJSON_IsString(item) ? strtoull(item->valuestring, NULL, 16) : 0;
}

static double number(const cJSON *object, const char *name) {
    return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* The place of an input's shape among all; behind them where it is none of them. */
static int shape_place(const cJSON *shapes, const cJSON *input) {
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(input, "shape"), *one;
    int place = 0;
    cJSON_ArrayForEach(one, shapes) {
        if (cJSON_Compare(one, shape, true))
            break;
        place++;
    }
    return place;
}

static int compare_calls(const cJSON *shapes, const cJSON *a, const cJSON *b) {
    int order = shape_place(shapes, a) - shape_place(shapes, b);
    static const char *const names[] = {"draw", "element"};
    for (int i = 0; i < 2 && !order; i++) {
        double x = number(a, names[i]), y = number(b, names[i]);
        order = (x > y) - (x < y);
    }
    return order;
}

int report_compare_inputs(const cJSON *shapes, const cJSON *a, const cJSON *b) {
    const cJSON *of_a = cJSON_GetObjectItemCaseSensitive(a, "input"),
                *of_b = cJSON_GetObjectItemCaseSensitive(b, "input");
    if (shapes)
        return compare_calls(shapes, of_a, of_b);
    if (!cJSON_IsArray(of_a))
        return (report_code_of(of_a) > report_code_of(of_b)) -
               (report_code_of(of_a) < report_code_of(of_b));
    int order = 0;
    for (int i = 0; i < cJSON_GetArraySize(of_a) && !order; i++) {
        uint64_t x = report_code_of(cJSON_GetArrayItem(of_a, i)),
                 y = report_code_of(cJSON_GetArrayItem(of_b, i));
        order = (x > y) - (x < y);
    }
    return order;
}
