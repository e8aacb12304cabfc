/* Codes and inputs of documents. */
#include "report/items.h"

#include <stdlib.h>

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
