/* The table of names, and finding a row. */
#include "trace/names.h"

#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHEN(NAME, IF, OPERATION, MEANS, OPERANDS, PARAMETERS, LIMITS)                             \
    { NAME, IF, OPERATION, TRACE_##MEANS, OPERANDS, PARAMETERS, LIMITS }
#define ELEMENTS(NAME, OPERATION) WHEN(NAME, NULL, OPERATION, ELEMENTS, NULL, NULL, NULL)
#define LINES(NAME, OPERATION)    WHEN(NAME, NULL, OPERATION, LINES, "0", NULL, NULL)
#define PRODUCT(NAME, OPERANDS)   WHEN(NAME, NULL, "matmul", PRODUCT, OPERANDS, NULL, NULL)
#define NOT(NAME, WHY)            WHEN(NAME, NULL, NULL, NONE, NULL, NULL, WHY)
#define EXACT(NAME, WHY)          WHEN(NAME, NULL, NULL, EXACT, NULL, NULL, WHY)
#define ONLY_MOVES                "moves elements, and computes nothing"
#define MOVES(NAME)               EXACT(NAME, ONLY_MOVES)
#define UNINITIALISED(NAME)                                                                        \
    WHEN(NAME, NULL, NULL, UNINITIALISED, NULL, NULL, "returns uninitialised memory")
#define BY_OPSET             "its opset was not recorded, unless its axis is the last one"
#define SELECTS              "compares or selects, which is exact"
#define ADDS_WHERE_THEY_MEET "adds elements that go to the same place, in an unspecified order"
#define MULTIPLIES_WHERE_THEY_MEET                                                                 \
    "multiplies elements that go to the same place, in an unspecified order"
#define CONVOLUTION(NAME)                                                                          \
    WHEN(NAME, NULL, "convolution", CONVOLUTION, "0 1 2", NULL,                                    \
         "transposed ones, and paddings of two sizes along an axis")
#define ATTENTION(NAME, OPERANDS)                                                                  \
    WHEN(NAME, NULL, "attention", ATTENTION, OPERANDS, NULL,                                       \
         "a scale other than width^(-1/2), masks for each head, dropout, and causal attention "    \
         "of fewer queries than keys")

/* clang-format off */
static const struct trace_name rows[] = {
#include "trace/names_torch.inc"
#include "trace/names_others.inc"
};
/* clang-format on */

const struct trace_name *trace_name_at(size_t index) {
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

/* The attribute of one of the names. */
const cJSON *trace_attribute(const struct trace_operation *operation, const char *names) {
    const cJSON *found = NULL;
    for (const char *at = names; *at && !found;) {
        char name[64];
        const size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        found = operation->attributes ? json_get(operation->attributes, name) : NULL;
        at += length + strspn(at + length, " ");
    }
    return cJSON_IsNull(found) ? NULL : found;
}

double trace_attribute_number(const struct trace_operation *operation, const char *names,
                              double otherwise) {
    const cJSON *found = trace_attribute(operation, names);
    if (cJSON_IsString(found)) {
        char *end;
        const double value = strtod(found->valuestring, &end);
        return end != found->valuestring && !*end ? value : otherwise;
    }
    return cJSON_IsNumber(found) ? found->valuedouble
           : cJSON_IsBool(found) ? cJSON_IsTrue(found)
                                 : otherwise;
}

/* Whether the attribute has the value. One that is absent has the value that rows without it are of: 1, or the empty
 * text; it is none of a choice, such as "tanh" or "true". */
static bool holds(const struct trace_operation *operation, const char *when) {
    char name[64];
    const char *value = strchr(when, '=') + 1;
    snprintf(name, sizeof name, "%.*s", (int)(value - 1 - when), when);
    const cJSON *found = trace_attribute(operation, name);
    char *end;
    const double number = strtod(value, &end);
    if (end != value && !*end)
        return !found ? number == 1 : trace_attribute_number(operation, name, NAN) == number;
    if (!found || (cJSON_IsString(found) && !*found->valuestring))
        return !*value;
    if (cJSON_IsString(found))
        return strcmp(found->valuestring, value) == 0;
    return strcmp(value, "true") == 0 && (cJSON_IsTrue(found) || found->valuedouble != 0);
}

/* Whether a recorded name is a row's: the same, or of ATen the same and behind it an underscore, where it works in place, or
 * a dot and which of several it is. */
static bool is_named(const char *recorded, const char *name) {
    const size_t length = strlen(name);
    if (strncmp(recorded, name, length) != 0)
        return false;
    const bool is_aten = strncmp(name, "aten.", 5) == 0;
    const char *rest = recorded + length + (is_aten && recorded[length] == '_');
    return !*rest || (is_aten && *rest == '.');
}

bool trace_only_moves(const struct trace_name *name) {
    return name && name->how == TRACE_EXACT && strcmp(name->limits, ONLY_MOVES) == 0;
}

size_t trace_name_length(const char *name) {
    const char *overload = strncmp(name, "aten.", 5) == 0 ? strchr(name + 5, '.') : NULL;
    return overload ? (size_t)(overload - name) : strlen(name);
}

bool trace_same_name(const struct trace_operation *a, const struct trace_operation *b) {
    const size_t length = trace_name_length(a->name);
    return length == trace_name_length(b->name) && memcmp(a->name, b->name, length) == 0;
}

const struct trace_name *trace_name_find(const struct trace *trace,
                                         const struct trace_operation *operation) {
    static const struct {
        const char *recorder, *prefix;
    } prefixes[] = {{"jax", "jax."}, {"onnx", "onnx."}, {"numpy", "numpy."}, {"torch", "aten."}};
    char full[256];
    for (size_t p = 0; p <= sizeof prefixes / sizeof *prefixes; p++) {
        if (p && !strstr(trace->recorder, prefixes[p - 1].recorder))
            continue;
        snprintf(full, sizeof full, "%s%.200s", p ? prefixes[p - 1].prefix : "", operation->name);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (is_named(full, rows[i].name) && (!rows[i].when || holds(operation, rows[i].when)))
                return &rows[i];
    }
    return NULL;
}

bool trace_is_random(const struct trace *trace, const struct trace_operation *operation) {
    const struct trace_name *row = operation->is_random ? trace_name_find(trace, operation) : NULL;
    return operation->is_random && (!row || row->how != TRACE_ATTENTION ||
                                    trace_attribute_number(operation, "dropout_p", 0) != 0);
}

const struct trace_tensor *trace_operand(const struct trace_operation *operation, const char *word,
                                         size_t length, size_t place) {
    bool named = false;
    if (word[0] >= '0' && word[0] <= '9')
        return (size_t)(word[0] - '0') < operation->input_count ? &operation->inputs[word[0] - '0']
                                                                : NULL;
    for (size_t i = 0; i < operation->input_count; i++) {
        const char *name = operation->inputs[i].name;
        named = named || name;
        if (name && strlen(name) == length && strncmp(name, word, length) == 0)
            return &operation->inputs[i];
    }
    return !named && place < operation->input_count ? &operation->inputs[place] : NULL;
}

const char *trace_word_at(const char *words, size_t place, size_t *length) {
    for (; *words; words += *length + strspn(words + *length, " ")) {
        *length = strcspn(words, " ");
        if (!place--)
            return words;
    }
    return NULL;
}
