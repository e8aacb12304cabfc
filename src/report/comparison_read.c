/* A comparison from JSON to structures, checked. */
#include "report/comparison_read.h"

#include "base/json.h"
#include "base/json_tree.h"
#include "format/format.h"

#include <stdlib.h>
#include <string.h>

bool comparison_is(const cJSON *document) {
    return strcmp(json_text(document, "schema"), COMPARISON_SCHEMA) == 0;
}

static const char *string_or_empty(struct json_reader *reader, const cJSON *object,
                                   const char *name) {
    return json_has(object, name) ? json_string(reader, object, name) : "";
}

static uint64_t count_or_none(struct json_reader *reader, const cJSON *object, const char *name) {
    return json_has(object, name) ? json_count(reader, object, name) : 0;
}

static void read_inputs(struct json_reader *reader, const cJSON *item, struct read_compared *pair) {
    const cJSON *one;
    pair->tested = json_count(reader, item, "tested");
    pair->differ = json_count(reader, item, "differ");
    pair->nans = count_or_none(reader, item, "nan_bits_differ");
    pair->unanswered = count_or_none(reader, item, "unanswered");
    pair->first = json_array(reader, item, "first");
    pair->by_binade = json_array(reader, item, "by_binade");
    int at = 0;
    cJSON_ArrayForEach(one, pair->first) {
        size_t mark = json_enter(reader, "first", at++);
        json_array(reader, one, "in");
        json_array(reader, one, "a");
        json_array(reader, one, "b");
        json_leave(reader, mark);
    }
}

static void read_pair(struct json_reader *reader, const cJSON *item, struct read_compared *pair) {
    static const char *const names[2][3] = {{"a", "a_host", "a_variant"},
                                            {"b", "b_host", "b_variant"}};
    if (json_has(item, "orders") || json_has(item, "tensor_a") || json_has(item, "tensor_b")) {
        json_fail(reader, NULL, "is of orders or tensors; a page shows results of operations");
        return;
    }
    pair->operation = json_string(reader, item, "operation");
    pair->format = json_string(reader, item, "format");
    pair->rounding = json_string(reader, item, "rounding");
    pair->parameters = json_string(reader, item, "parameters");
    for (int side = 0; side < 2; side++)
        pair->sides[side] =
            (struct read_side){.text = json_string(reader, item, names[side][0]),
                               .host = string_or_empty(reader, item, names[side][1]),
                               .variant = string_or_empty(reader, item, names[side][2])};
    pair->equal = json_bool(reader, item, "equal");
    pair->of = count_or_none(reader, item, "of");
    pair->unknown = string_or_empty(reader, item, "inputs_unknown");
    pair->next = string_or_empty(reader, item, "next");
    pair->has_inputs = json_has(item, "tested");
    pair->has_blocks = !pair->has_inputs && json_has(item, "blocks");
    if (pair->has_inputs)
        read_inputs(reader, item, pair);
    if (pair->has_blocks) {
        pair->tested = json_count(reader, item, "blocks");
        pair->differ = json_count(reader, item, "blocks_differ");
    }
    if (pair->differ > pair->tested)
        json_fail(reader, pair->has_inputs ? "differ" : "blocks_differ",
                  "is more than were compared");
    if (pair->equal && pair->differ)
        json_fail(reader, "equal", "is true of outputs that differ");
}

bool comparison_read(struct read_comparison *comparison, const char *path, cJSON *document,
                     struct error *error) {
    struct json_reader reader = {.file = path, .error = error};
    *comparison = (struct read_comparison){.path = path, .document = document};
    const cJSON *item, *array = json_array(&reader, document, "comparisons");
    comparison->pairs = calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *comparison->pairs);
    bool good =
        !reader.failed && (comparison->pairs || error_set(error, "out of memory for %.200s", path));
    if (good)
        cJSON_ArrayForEach(item, array) {
            size_t mark = json_enter(&reader, "comparisons", (int)comparison->count);
            read_pair(&reader, item, &comparison->pairs[comparison->count++]);
            json_leave(&reader, mark);
        }
    if (good && !reader.failed && !comparison->count)
        json_fail(&reader, "comparisons", "is empty: nothing was compared");
    if (!reader.failed && good)
        return true;
    comparison_read_free(comparison);
    return false;
}

void comparison_read_free(struct read_comparison *comparison) {
    free(comparison->pairs);
    json_tree_free(comparison->document);
    *comparison = (struct read_comparison){.path = comparison->path};
}

const struct format *comparison_result_format(const struct read_compared *pair) {
    struct error unused;
    char name[64];
    const char *to = strstr(pair->parameters, "--to ");
    snprintf(name, sizeof name, "%.*s", to ? (int)strcspn(to + 5, " ") : 63,
             to ? to + 5 : pair->format);
    return format_find(name, &unused);
}
