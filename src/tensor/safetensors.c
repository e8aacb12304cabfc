/* Reading .safetensors: the length of a JSON in eight bytes, the JSON, which says dtype, shape and place of each
 * tensor, and the elements of all. Places must follow one another without a hole, as the format asks for. */
#include "tensor/open.h"

#include "base/json.h"
#include "base/json_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HEADER = 100000000 }; /* as the format's own reader has it */

/* A whole number of the JSON, up to 2^53. */
static bool read_number(const cJSON *item, uint64_t *number) {
    double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(value >= 0 && value <= 9007199254740992.0))
        return false;
    *number = (uint64_t)value;
    return (double)*number == value;
}

static bool add(struct tensor_file *file, const cJSON *item, uint64_t data, struct error *error) {
    const char *dtype = json_text(item, "dtype");
    const cJSON *shape = json_get(item, "shape"), *offsets = json_get(item, "data_offsets"),
                *extent;
    const struct tensor_type *type = tensor_type_of_safetensors(dtype);
    uint64_t extents[TENSOR_DIMENSIONS], begin, end;
    int dimensions = 0;
    bool good = cJSON_IsArray(shape) && cJSON_GetArraySize(shape) <= TENSOR_DIMENSIONS &&
                cJSON_IsArray(offsets) && cJSON_GetArraySize(offsets) == 2 &&
                read_number(offsets->child, &begin) && read_number(offsets->child->next, &end);
    for (extent = good ? shape->child : NULL; good && extent; extent = extent->next)
        good = read_number(extent, &extents[dimensions++]);
    if (!good || !*dtype)
        return error_set(error,
                         "%s: tensor '%.200s' needs a dtype, a shape of up to %d whole numbers and "
                         "two data_offsets",
                         file->path, item->string, TENSOR_DIMENSIONS);
    if (!type)
        return error_set(error, "%s: tensor '%.200s' is of dtype '%.40s', which is not read",
                         file->path, item->string, dtype);
    if (begin > end || end > file->size - data)
        return error_set(error,
                         "%s: tensor '%.200s' lies at %" PRIu64 " to %" PRIu64 " of %" PRIu64
                         " bytes; the file is cut off, or wrong",
                         file->path, item->string, begin, end, file->size - data);
    struct tensor *tensor = tensor_add(file, item->string, extents, dimensions, error);
    if (!tensor || !tensor_settle(file, tensor, type, end - begin, error))
        return false;
    tensor->start = data + begin;
    return true;
}

static int by_place(const void *a, const void *b) {
    const struct tensor *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->length > y->length) - (x->length < y->length);
}

/* Sorts the tensors by where they lie. */
static bool follow(struct tensor_file *file, uint64_t data, struct error *error) {
    uint64_t place = data;
    if (file->count)
        qsort(file->tensors, file->count, sizeof *file->tensors, by_place);
    for (size_t i = 0; i < file->count; i++) {
        const struct tensor *tensor = &file->tensors[i];
        if (tensor->start != place)
            return error_set(error,
                             "%s: tensor '%s' begins at byte %" PRIu64
                             " of the data, where %" PRIu64 " would be right",
                             file->path, tensor->name, tensor->start - data, place - data);
        place += tensor->length;
    }
    return place == file->size ||
           error_set(error, "%s has %" PRIu64 " bytes behind its last tensor", file->path,
                     file->size - place);
}

bool tensor_read_safetensors(struct tensor_file *file, struct error *error) {
    unsigned char prefix[8];
    uint64_t length = 0;
    if (!tensor_read_at(file, prefix, sizeof prefix, 0, error))
        return false;
    for (size_t i = sizeof prefix; i-- > 0;)
        length = length << 8 | prefix[i];
    if (length > MOST_HEADER || length > file->size - sizeof prefix)
        return error_set(error,
                         "%s: the file says that its header has %" PRIu64
                         " bytes, but only %" PRIu64 " follow",
                         file->path, length, file->size - sizeof prefix);
    char *text = calloc((size_t)length + 1, 1);
    if (!text)
        return error_set(error, "out of memory");
    if (!tensor_read_at(file, text, (size_t)length, sizeof prefix, error)) {
        free(text);
        return false;
    }
    cJSON *header = json_parse(text, (size_t)length, file->path, "header of safetensors", error);
    bool good = header && (cJSON_IsObject(header) ||
                           error_set(error, "%s: its header is not an object of JSON", file->path));
    for (const cJSON *item = good ? header->child : NULL; good && item; item = item->next)
        if (strcmp(item->string, "__metadata__") != 0)
            good = add(file, item, sizeof prefix + length, error);
    json_tree_free(header);
    return good && follow(file, sizeof prefix + length, error);
}
