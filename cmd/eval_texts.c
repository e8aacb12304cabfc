/* Texts among the operands and results of `detcheck eval`: lines of bytes, with zeros behind a text. */
#include "eval_texts.h"

#include "base/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t line_length(const struct shape *shape) {
    return shape->extents[shape->dimensions - 1];
}

struct shape texts_shape(const char *const *values, size_t count) {
    struct shape shape = {2, {count, 1}};
    for (size_t i = 0; i < count; i++)
        if (strlen(values[i]) > shape.extents[1])
            shape.extents[1] = strlen(values[i]);
    return shape;
}

bool texts_read(const struct array *array, const char *const *values, size_t count,
                struct error *error) {
    const uint64_t length = line_length(&array->shape),
                   lines = shape_elements(&array->shape) / length;
    if (count != lines)
        return error_set(error, "an array of that shape needs %llu text%s, not %zu",
                         (unsigned long long)lines, lines == 1 ? "" : "s", count);
    for (size_t i = 0; i < count; i++) {
        char *line = (char *)array->codes + i * length;
        if (strlen(values[i]) > length)
            return error_set(error, "--shape: the text %.40s has %zu bytes, and its line %llu",
                             values[i], strlen(values[i]), (unsigned long long)length);
        memset(line, 0, (size_t)length);
        memcpy(line, values[i], strlen(values[i]));
    }
    return true;
}

/* As a string that the caller frees. */
static char *copy_of_line(const struct array *array, uint64_t line) {
    const uint64_t length = line_length(&array->shape);
    char *text = calloc((size_t)length + 1, 1);
    if (text)
        memcpy(text, (const char *)array->codes + line * length, (size_t)length);
    return text;
}

/* Where two lines differ first, the bytes behind their texts included. */
static uint64_t first_difference(const struct array *want, const struct array *got, uint64_t line) {
    const uint64_t length = line_length(&want->shape);
    uint64_t i = 0;
    while (i < length && array_code(want, line * length + i) == array_code(got, line * length + i))
        i++;
    return i;
}

/* The right texts, and those of each implementation. */
struct text_results {
    struct effects_shown shown;
    struct array want;
    const struct text_answer *answers;
    size_t count;
};

static void show_line(const struct text_results *results, uint64_t line, cJSON *list) {
    const uint64_t length = line_length(&results->want.shape);
    char *want = copy_of_line(&results->want, line);
    cJSON *object = list ? json_append(list) : NULL;
    cJSON *answers = object ? cJSON_AddArrayToObject(object, "implementations") : NULL;
    if (object)
        cJSON_AddStringToObject(object, "want", want ? want : "");
    else
        printf("[%llu]\n  right      %s\n", (unsigned long long)line, want ? want : "");
    for (size_t i = 0; i < results->count; i++) {
        const struct text_answer *answer = &results->answers[i];
        cJSON *one = answers ? json_append(answers) : NULL;
        if (one)
            cJSON_AddStringToObject(one, "name", answer->name);
        if (one)
            cJSON_AddBoolToObject(one, "provided", answer->provided);
        if (!answer->provided || !answer->codes)
            continue;
        const struct array got = {results->want.format, results->want.shape, answer->codes};
        char *text = copy_of_line(&got, line);
        const uint64_t differs = first_difference(&results->want, &got, line);
        if (one) {
            cJSON_AddStringToObject(one, "got", text ? text : "");
            cJSON_AddBoolToObject(one, "correct", differs == length);
        } else if (differs == length)
            printf("  %-10.10s %s\n             the same\n", FOREIGN(answer->name),
                   FOREIGN(text ? text : ""));
        else
            printf("  %-10.10s %s\n             another text, from character %llu on\n",
                   FOREIGN(answer->name), FOREIGN(text ? text : ""),
                   (unsigned long long)differs + 1);
        if (answer->told)
            told_effects_show(&results->shown, answer->told, line, text ? strlen(text) : 0, one);
        free(text);
    }
    free(want);
}

bool texts_show(struct effects_shown shown, const struct text_answer *answers, size_t count,
                cJSON *list, struct error *error) {
    struct text_results results = {shown, shown.call->results[0], answers, count};
    struct array *want = &results.want;
    const uint64_t elements = shape_elements(&want->shape);
    want->codes = calloc((size_t)elements, format_bytes(want->format));
    if (!want->codes)
        return error_set(error, "out of memory for an array");
    for (uint64_t i = 0; i < elements; i++)
        array_set_code(want, i, array_want(shown.call, 0, i, &shown.y[i], &(bool){false}));
    for (uint64_t line = 0; line < elements / line_length(&want->shape); line++)
        show_line(&results, line, list);
    free(want->codes);
    return true;
}
