/* Words as the elements of calls of an operation on arrays. */
#include "eval_texts.h"
#include "words.h"

#include "format/text.h"

#include <inttypes.h>
#include <stdlib.h>

/* The elements of one call, from word number `at` on. */
static bool read_call(const struct words *words, size_t at, const char *path,
                      const struct array_call *call, int operands, uint64_t *codes,
                      struct error *note, struct error *error) {
    for (int i = 0; i < operands; i++)
        for (uint64_t j = 0; j < shape_elements(&call->operands[i].shape); j++, at++) {
            struct parsed_value value;
            struct error reason;
            if (!format_parse(call->operands[i].format, words->items[at], &value, &reason))
                return error_set(error, "%.200s: value %zu: %s", path, at + 1, reason.text);
            if (value.rounded && !note->text[0])
                error_set(note,
                          "%.200s: values that are not numbers of %s are rounded; number %zu, "
                          "%.60s, is the first",
                          path, call->operands[i].format->name, at + 1, words->items[at]);
            codes[at] = value.code;
        }
    return true;
}

static bool take_calls(const struct words *words, const char *path,
                       const struct operation *operation, const struct format *format,
                       const struct parameters *parameters, struct cases *cases, struct error *note,
                       struct error *error) {
    struct array_call call = {.parameters = parameters};
    const int operands = operation_operands(operation, parameters);
    struct shape shape;
    bool shaped;
    if (!array_call_plan_values(&call, operation->array, format, operands, words->count,
                                &words->shape, &shaped, &shape, error))
        return false;
    const uint64_t each = array_call_values(&call, operands);
    if (words->count % each)
        return error_set(error,
                         "%s of that shape needs %" PRIu64 " values a call, and %.200s has %zu",
                         operation->name, each, path, words->count);
    uint64_t *codes = malloc(words->count * sizeof *codes);
    bool good = codes != NULL || error_set(error, "out of memory");
    for (size_t at = 0; good && at < words->count; at += (size_t)each)
        good = read_call(words, at, path, &call, operands, codes, note, error);
    if (!good) {
        free(codes);
        return false;
    }
    good = cases_take(cases, &call, &shape, operands, codes, words->count / each, error);
    cases->shaped = shaped && shape.dimensions > 1;
    return good;
}

/* A call of which each line of the file is a text. */
static bool take_texts(const struct words *words, const struct operation *operation,
                       const struct format *format, const struct parameters *parameters,
                       struct cases *cases, struct error *error) {
    struct array_call call = {.parameters = parameters};
    const struct shape shape = texts_shape(words->items, words->count);
    const size_t elements = (size_t)shape_elements(&shape);
    if (!array_call_plan(&call, operation->array, format, &shape, error))
        return false;
    uint64_t *codes = malloc(elements * sizeof *codes);
    bool good = codes && array_call_allocate(&call, 1, 0);
    if (!good)
        error_set(error, "out of memory for an array");
    good = good && texts_read(&call.operands[0], words->items, words->count, error);
    for (size_t i = 0; good && i < elements; i++)
        codes[i] = array_code(&call.operands[0], i);
    array_call_free(&call);
    if (good)
        return cases_take(cases, &call, &shape, 1, codes, 1, error);
    free(codes);
    return false;
}

bool words_calls(const char *path, const struct operation *operation, const struct format *format,
                 const struct parameters *parameters, struct cases *cases, struct error *note,
                 struct error *error) {
    const bool of_texts = operation->array->takes_texts;
    struct words words;
    if (!(of_texts ? words_lines_of_file : words_of_file)(&words, path, error))
        return false;
    bool good = of_texts
                    ? take_texts(&words, operation, format, parameters, cases, error)
                    : take_calls(&words, path, operation, format, parameters, cases, note, error);
    words_free(&words);
    return good;
}
