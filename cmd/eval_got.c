/* Reads --got: an option for each result of an operation on arrays, and its elements as words. */
#include "eval_got.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool read_result(const struct eval_run *run, const struct words *words, struct array output,
                        struct error *error) {
    const uint64_t count = shape_elements(&output.shape);
    if (!output.codes)
        return error_set(error, "out of memory for an array");
    if (words->count != count)
        return error_set(error, "--got: this result has %" PRIu64 " element%s, not %zu", count,
                         count == 1 ? "" : "s", words->count);
    for (uint64_t k = 0; k < count; k++) {
        uint64_t code;
        if (!read_value(run, output.format, words->items[k], &code, error))
            return false;
        array_set_code(&output, k, code);
    }
    return true;
}

bool got_read(const struct eval_run *run, const struct operation *operation,
              const struct array *results, void **codes, bool *given, struct error *error) {
    const struct arguments *arguments = run->arguments;
    int result = 0;
    for (size_t i = 0; i < arguments->given_count; i++) {
        if (strcmp(arguments->given[i].option->name, "got") != 0)
            continue;
        struct words words;
        if (result == operation->results)
            return error_set(error, "%s has %d result%s, and takes as many --got", operation->name,
                             operation->results, operation->results == 1 ? "" : "s");
        if (!words_of_text(&words, arguments->given[i].value, error))
            return false;
        struct array output = results[result];
        output.codes = codes[result++] =
            calloc((size_t)shape_elements(&output.shape), format_bytes(output.format));
        const bool good = read_result(run, &words, output, error);
        words_free(&words);
        if (!good)
            return false;
    }
    *given = result > 0;
    if (result && result != operation->results)
        return error_set(error, "%s has %d results, and takes as many --got", operation->name,
                         operation->results);
    return true;
}
