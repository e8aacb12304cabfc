/* Reading trace.json, and finding the tensors that were kept. */
#include "trace/trace.h"

#include "base/json.h"
#include "base/json_tree.h"
#include "tensor/open.h"
#include "trace/document.h"
#include "trace/settings.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char schema[] = "detcheck/trace/1";

enum {
    DIGEST_DIGITS = 32,
    KEPT_DIGITS = 9 /* of a number in "kept" */
};

/* What the reader of one trace goes on with. */
struct reading {
    struct json_reader reader;
    struct trace *trace;
    struct trace_tensor *tensor; /* the next one */
    uint64_t *extent;            /* likewise */
};

/* A text that may be absent. */
static const char *optional_text(struct reading *reading, const cJSON *object, const char *name,
                                 const char *otherwise) {
    return json_get(object, name) ? json_string(&reading->reader, object, name) : otherwise;
}

static int digit_value(char digit) {
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                          : -1;
}

static void read_digest(struct reading *reading, const cJSON *object, const char *name,
                        struct trace_digest *digest) {
    const char *text = json_string(&reading->reader, object, name);
    uint64_t halves[2] = {0, 0};
    bool good = strlen(text) == DIGEST_DIGITS;
    for (int i = 0; good && i < DIGEST_DIGITS; i++) {
        const int value = digit_value(text[i]);
        uint64_t *half = &halves[i >= DIGEST_DIGITS / 2];
        good = value >= 0;
        *half = *half << 4 | (uint64_t)(value & 15);
    }
    if (!good)
        json_fail(&reading->reader, name, "should be 32 hexadecimal digits in lower case");
    *digest = (struct trace_digest){halves[0], halves[1]};
}

/* "812:output.1". */
static void read_kept(struct reading *reading, const cJSON *object, struct trace_tensor *tensor) {
    const char *text = json_string(&reading->reader, object, "kept");
    const size_t digits = strspn(text, "0123456789");
    if (!digits || digits > KEPT_DIGITS || text[digits] != ':' || !text[digits + 1] ||
        (digits > 1 && *text == '0')) {
        json_fail(&reading->reader, "kept",
                  "should be the number of a file in tensors/ and a name in it, as "
                  "\"812:output.0\"");
        return;
    }
    tensor->kept_in = strtol(text, NULL, 10);
    tensor->kept_as = text + digits + 1;
}

/* The type of our own that a file of safetensors has under that name. */
static const struct tensor_type *type_named(const char *name) {
    const struct tensor_type *found = NULL;
    for (size_t i = 0; i < tensor_type_count; i++)
        if (strcmp(tensor_type_name(&tensor_types[i]), name) == 0 &&
            (!found || tensor_types[i].safetensors))
            found = &tensor_types[i];
    return found;
}

static void read_shape(struct reading *reading, const cJSON *object, struct trace_tensor *tensor) {
    const cJSON *shape = json_array(&reading->reader, object, "shape"), *item;
    bool is_empty = false, good = true;
    uint64_t count = 1;
    tensor->extents = reading->extent;
    for (item = shape ? shape->child : NULL; item && good; item = item->next) {
        const double extent = cJSON_IsNumber(item) ? item->valuedouble : -1;
        good = extent >= 0 && extent <= 0x1p53 && (double)(uint64_t)extent >= extent &&
               ++tensor->dimensions <= TENSOR_DIMENSIONS;
        *reading->extent++ = good ? (uint64_t)extent : 0;
        is_empty = is_empty || extent == 0;
    }
    if (!good)
        json_fail(&reading->reader, "shape", "should be up to 64 whole numbers from 0 to 2^53");
    for (int i = 0; good && !is_empty && i < tensor->dimensions; i++) {
        good = tensor->extents[i] <= INT64_MAX / 16 / count;
        count *= good ? tensor->extents[i] : 1;
    }
    if (!good)
        json_fail(&reading->reader, "shape", "is of more elements than any file");
    tensor->count = is_empty ? 0 : count;
}

static void read_tensor(struct reading *reading, const cJSON *object, struct trace_tensor *tensor) {
    struct json_reader *reader = &reading->reader;
    *tensor = (struct trace_tensor){.kept_in = -1};
    if (!cJSON_IsObject(object)) {
        json_fail(reader, NULL, "should be an object");
        return;
    }
    tensor->name = optional_text(reading, object, "name", NULL);
    tensor->type_name = json_string(reader, object, "type");
    tensor->type = type_named(tensor->type_name);
    read_shape(reading, object, tensor);
    tensor->left_out = optional_text(reading, object, "left_out", NULL);
    if (tensor->left_out)
        return;
    tensor->has_digest = true;
    read_digest(reading, object, "digest", &tensor->digest);
    tensor->canonical = tensor->digest;
    if (json_get(object, "canonical"))
        read_digest(reading, object, "canonical", &tensor->canonical);
    if (json_get(object, "kept"))
        read_kept(reading, object, tensor);
}

bool trace_is_overwritten(const struct trace_tensor *tensor) {
    return tensor->left_out && strcmp(tensor->left_out, "overwritten") == 0;
}

bool trace_may_be_scratch(const struct trace_tensor *tensor) {
    return tensor->name && strncmp(tensor->name, "in_out_ptr", 10) == 0;
}

/* The tensors of "inputs" or "outputs". */
static struct trace_tensor *read_tensors(struct reading *reading, const cJSON *operation,
                                         const char *name, size_t *count) {
    struct trace_tensor *first = reading->tensor;
    const cJSON *list =
        json_get(operation, name) ? json_array(&reading->reader, operation, name) : NULL;
    int index = 0;
    for (const cJSON *item = list ? list->child : NULL; item && !reading->reader.failed;
         item = item->next) {
        size_t mark = json_enter(&reading->reader, name, index++);
        read_tensor(reading, item, reading->tensor++);
        json_leave(&reading->reader, mark);
    }
    *count = (size_t)(reading->tensor - first);
    return first;
}

static void read_in_place(struct reading *reading, const cJSON *object,
                          struct trace_operation *operation) {
    const cJSON *list = json_array(&reading->reader, object, "in_place");
    for (const cJSON *item = list ? list->child : NULL; item; item = item->next) {
        const double index = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(index >= 0 && index < (double)operation->input_count)) {
            json_fail(&reading->reader, "in_place", "should be numbers of inputs, from 0");
            return;
        }
        operation->inputs[(size_t)index].is_overwritten = true;
    }
}

/* An object of texts by name. */
static const cJSON *read_texts(struct reading *reading, const cJSON *parent, const char *name) {
    struct json_reader *reader = &reading->reader;
    const cJSON *object = json_object(reader, parent, name);
    size_t mark = json_enter(reader, name, -1);
    for (const cJSON *item = object ? object->child : NULL; item; item = item->next)
        json_string(reader, object, item->string);
    json_leave(reader, mark);
    return object;
}

static void read_operation(struct reading *reading, const cJSON *object,
                           struct trace_operation *operation) {
    struct json_reader *reader = &reading->reader;
    if (!cJSON_IsObject(object)) {
        json_fail(reader, NULL, "should be an object");
        return;
    }
    operation->name = json_string(reader, object, "name");
    if (!*operation->name)
        json_fail(reader, "name", "should be the name of an operation");
    operation->path = optional_text(reading, object, "path", "");
    operation->source = optional_text(reading, object, "source", "");
    operation->error = optional_text(reading, object, "error", NULL);
    const char *phase = optional_text(reading, object, "phase", "forward");
    operation->is_backward = strcmp(phase, "backward") == 0;
    if (!operation->is_backward && strcmp(phase, "forward") != 0)
        json_fail(reader, "phase", "should be \"forward\" or \"backward\"");
    if (json_get(object, "thread"))
        operation->thread = json_count(reader, object, "thread");
    if (json_get(object, "random"))
        operation->is_random = json_bool(reader, object, "random");
    if (json_get(object, "attributes"))
        operation->attributes = json_object(reader, object, "attributes");
    if (json_get(object, "settings"))
        operation->settings = read_texts(reading, object, "settings");
    operation->inputs = read_tensors(reading, object, "inputs", &operation->input_count);
    operation->outputs = read_tensors(reading, object, "outputs", &operation->output_count);
    if (json_get(object, "in_place"))
        read_in_place(reading, object, operation);
}

/* How much room there has to be, once everything is an array or an object that should be one. */
static void count_tensors(const cJSON *list, size_t *tensors, size_t *extents) {
    for (const cJSON *tensor = cJSON_IsArray(list) ? list->child : NULL; tensor;
         tensor = tensor->next) {
        const cJSON *shape = json_get(tensor, "shape");
        ++*tensors;
        for (const cJSON *extent = cJSON_IsArray(shape) ? shape->child : NULL; extent;
             extent = extent->next)
            ++*extents;
    }
}

static bool make_room(struct reading *reading, const cJSON *operations, struct error *error) {
    struct trace *trace = reading->trace;
    size_t count = 0, tensors = 0, extents = 0;
    for (const cJSON *item = operations->child; item; item = item->next) {
        count++;
        count_tensors(json_get(item, "inputs"), &tensors, &extents);
        count_tensors(json_get(item, "outputs"), &tensors, &extents);
    }
    if (count > INT_MAX)
        return error_set(error, "%.200s has more than 2^31 operations", trace->file);
    trace->operations = calloc(count + 1, sizeof *trace->operations);
    reading->tensor = trace->tensors = malloc((tensors + 1) * sizeof *trace->tensors);
    reading->extent = trace->extents = malloc((extents + 1) * sizeof *trace->extents);
    return (trace->operations && trace->tensors && trace->extents) ||
           error_set(error, "out of memory for %.200s", trace->file);
}

static void read_left_out(struct reading *reading) {
    struct json_reader *reader = &reading->reader;
    const cJSON *list = reading->trace->left_out =
        json_array(reader, reading->trace->document, "left_out");
    int index = 0;
    for (const cJSON *item = list ? list->child : NULL; item; item = item->next) {
        size_t mark = json_enter(reader, "left_out", index++);
        json_string(reader, item, "what");
        json_count(reader, item, "count");
        json_leave(reader, mark);
    }
}

static bool read_document(struct trace *trace, struct error *error) {
    struct reading reading = {.reader = {.file = trace->file, .error = error}, .trace = trace};
    struct json_reader *reader = &reading.reader;
    const cJSON *document = trace->document;
    if (!cJSON_IsObject(document) || strcmp(json_text(document, "schema"), schema) != 0)
        return error_set(error, "%.200s is not a trace: its schema should be %s", trace->file,
                         schema);
    trace->recorder = json_string(reader, document, "recorder");
    trace->program = optional_text(&reading, document, "program", "");
    trace->keep = optional_text(&reading, document, "keep", "all");
    trace->complete = json_bool(reader, document, "complete");
    if (json_get(document, "environment"))
        trace->environment = read_texts(&reading, document, "environment");
    if (json_get(document, "left_out"))
        read_left_out(&reading);
    const cJSON *operations = json_array(reader, document, "operations");
    if (reader->failed || !make_room(&reading, operations, error))
        return false;
    for (const cJSON *item = operations->child; item && !reader->failed; item = item->next) {
        size_t mark = json_enter(reader, "operations", (int)trace->count);
        read_operation(&reading, item, &trace->operations[trace->count++]);
        json_leave(reader, mark);
    }
    return !reader->failed && trace_settings_read(trace, error);
}

/* "PATH/NAME", from malloc; NULL with an error. */
static char *inside(const char *path, const char *name, struct error *error) {
    const size_t length = strlen(path), room = length + strlen(name) + 2;
    char *text = malloc(room);
    if (text)
        snprintf(text, room, "%s%s%s", path, length && path[length - 1] == '/' ? "" : "/", name);
    else
        error_set(error, "out of memory");
    return text;
}

bool trace_open(struct trace *trace, const char *path, struct error *error) {
    struct stat status;
    *trace = (struct trace){.path = path};
    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
        return error_set(error, "%.200s is not a trace: a trace is a folder with a trace.json",
                         path);
    trace->file = inside(path, "trace.json", error);
    /* Of a pipe the reading would never end. */
    if (trace->file && stat(trace->file, &status) == 0 && !S_ISREG(status.st_mode))
        return error_set(error, "%.200s is not a regular file", trace->file);
    trace->document = trace->file ? trace_document_read(trace->file, error) : NULL;
    return trace->document && read_document(trace, error);
}

void trace_close(struct trace *trace) {
    json_tree_free(trace->document);
    cJSON_Delete(trace->settings); /* which cJSON made, other than the document */
    free(trace->file);
    free(trace->operations);
    free(trace->tensors);
    free(trace->extents);
    *trace = (struct trace){0};
}

bool trace_same_shape(const struct trace_tensor *a, const struct trace_tensor *b) {
    return a->dimensions == b->dimensions &&
           (!a->dimensions ||
            memcmp(a->extents, b->extents, (size_t)a->dimensions * sizeof *a->extents) == 0);
}

const char *trace_tensor_text(const struct trace_tensor *tensor, char text[TRACE_TENSOR_TEXT]) {
    size_t used = 0;
    for (int i = 0; i < tensor->dimensions && used < TENSOR_SHAPE_TEXT - 24; i++)
        used += (size_t)snprintf(text + used, TENSOR_SHAPE_TEXT - used, "%s%" PRIu64, i ? "x" : "",
                                 tensor->extents[i]);
    snprintf(text + used, TRACE_TENSOR_TEXT - used, "%s%.40s",
             tensor->dimensions ? " " : "a number of ", tensor->type_name);
    return text;
}

/* Whether it is there itself, and no link to something outside. */
static bool is_inside(const char *path, mode_t kind) {
    struct stat status;
    return lstat(path, &status) != 0 || (status.st_mode & S_IFMT) == kind;
}

/* Opens the file and finds the tensor in it. */
static bool open_kept(struct tensor_named *opened, const struct trace_tensor *tensor,
                      const char *folder, struct error *error) {
    char shape[TENSOR_SHAPE_TEXT], said[TRACE_TENSOR_TEXT];
    if (!is_inside(folder, S_IFDIR))
        return error_set(error, "%s is not a folder inside the trace", folder);
    if (!is_inside(opened->path, S_IFREG))
        return error_set(error, "%s is not a file inside the trace", opened->path);
    if (!tensor_file_open(&opened->file, opened->path, NULL, error))
        return false;
    const struct tensor *found = opened->tensor = tensor_find(&opened->file, tensor->kept_as);
    if (!found)
        return error_set(error, "%.300s has no tensor '%.100s', which trace.json names",
                         opened->path, tensor->kept_as);
    const struct trace_tensor there = {.dimensions = found->dimensions, .extents = found->extents};
    if (found->type != tensor->type || !trace_same_shape(&there, tensor))
        return error_set(error, "%.200s: tensor '%.100s' is %.60s of %s, and trace.json says %s",
                         opened->path, found->name, tensor_shape_text(found, shape),
                         tensor_type_name(found->type), trace_tensor_text(tensor, said));
    return true;
}

bool trace_tensor_open(const struct trace *trace, const struct trace_tensor *tensor,
                       struct tensor_named *opened, struct error *error) {
    char name[64];
    *opened = (struct tensor_named){.file = {.descriptor = -1}};
    if (tensor->kept_in < 0)
        return error_set(error, "%.200s did not keep that tensor", trace->path);
    snprintf(name, sizeof name, "tensors/%" PRId64 ".safetensors", tensor->kept_in);
    char *folder = inside(trace->path, "tensors", error);
    opened->path = folder ? inside(trace->path, name, error) : NULL;
    const bool good = opened->path && open_kept(opened, tensor, folder, error);
    free(folder);
    if (!good)
        tensor_named_close(opened);
    return good;
}
