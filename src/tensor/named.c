/* Finding a tensor by its name, and its elements as text. */
#include "tensor/named.h"

#include "base/memory.h"
#include "format/real.h"
#include "tensor/open.h"
#include "tensor/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    EXACT_DIGITS = 767, /* of any double */
    AT_ONCE = 4096,     /* components */
    NAMES_SHOWN = 5
};

size_t tensor_path_length(const char *text) {
    const size_t whole = strlen(text);
    const char *mark = access(text, F_OK) == 0 ? NULL : strchr(text, '#');
    for (; mark;
         mark = strchr(mark + 1, '#')) { /* a folder and a name may have the character, too */
        char *path = strndup(text, (size_t)(mark - text));
        const bool is_there = path && access(path, F_OK) == 0;
        free(path);
        if (is_there)
            return (size_t)(mark - text);
    }
    mark = access(text, F_OK) == 0 ? NULL : strrchr(text, '#');
    return mark ? (size_t)(mark - text) : whole;
}

/* The path of a text, from malloc, and what it has behind the '#', or NULL. */
static char *split(const char *text, const char **name) {
    const size_t length = tensor_path_length(text);
    *name = text[length] ? text + length + 1 : NULL;
    return strndup(text, length);
}

bool tensor_named_is(const char *text) {
    const char *name;
    char *path = split(text, &name);
    bool is = path && tensor_file_is(path);
    free(path);
    return is;
}

/* "a, b, c and 12 more". */
static void list_names(const struct tensor_file *file, char text[512]) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < file->count && i < NAMES_SHOWN; i++)
        used += (size_t)snprintf(text + used, 512 - used, "%s%.80s", i ? ", " : "",
                                 file->tensors[i].name);
    if (file->count > NAMES_SHOWN)
        snprintf(text + used, 512 - used, " and %zu more", file->count - NAMES_SHOWN);
}

bool tensor_named_open(struct tensor_named *named, const char *text, struct error *error) {
    const char *name;
    char names[512];
    *named = (struct tensor_named){.path = split(text, &name), .file = {.descriptor = -1}};
    if (!named->path)
        return error_set(error, "out of memory");
    if (!tensor_file_open(&named->file, named->path, NULL, error)) {
        free(named->path);
        return false;
    }
    const struct tensor_file *file = &named->file;
    named->tensor = name ? tensor_find(file, name) : file->count == 1 ? &file->tensors[0] : NULL;
    if (named->tensor)
        return true;
    list_names(file, names);
    if (!file->count)
        error_set(error, "%.200s has no tensors", named->path);
    else if (name)
        error_set(error, "%.200s has no tensor '%.100s'; it has %s", named->path, name, names);
    else
        error_set(error, "%.200s has %zu tensors; name one, %.100s#%.80s: it has %s", named->path,
                  file->count, named->path, file->tensors[0].name, names);
    tensor_named_close(named);
    return false;
}

void tensor_named_close(struct tensor_named *named) {
    tensor_file_close(&named->file);
    free(named->path);
    *named = (struct tensor_named){.file = {.descriptor = -1}};
}

/* Exactly, in decimal, which any format rounds once. */
static void print_element(FILE *stream, const struct format *format, uint64_t code) {
    if (format->is_integer) {
        const bool negative = format_is_negative(format, code);
        fprintf(stream, "%s%" PRIu64, negative ? "-" : "", format_magnitude(format, code));
    } else if (format_is_nan(format, code)) {
        fputs("nan", stream);
    } else if (format_is_infinite(format, code)) {
        fputs(format_is_negative(format, code) ? "-inf" : "inf", stream);
    } else {
        const struct real value = format_decode(format, code);
        fprintf(stream, "%.*g", EXACT_DIGITS, real_to_double(&value));
    }
}

static bool print_all(struct tensor_stream *elements, uint64_t per_line, FILE *stream,
                      struct error *error) {
    const struct tensor *tensor = elements->tensor;
    const size_t bytes = tensor_component_bytes(tensor->type);
    uint64_t codes[AT_ONCE];
    for (uint64_t done = 0; done < tensor->count;) {
        const uint64_t left = tensor->count - done;
        const size_t count = left < AT_ONCE ? (size_t)left : AT_ONCE;
        if (!tensor_stream_read(elements, codes, count, error))
            return false;
        for (size_t i = 0; i < count; i++) {
            print_element(stream, tensor->type->format, code_load(codes, bytes, i));
            fputc((done + i + 1) % per_line ? ' ' : '\n', stream);
        }
        done += count;
    }
    return true;
}

char *tensor_text(const struct tensor_named *named, uint64_t per_line, struct error *error) {
    const struct tensor *tensor = named->tensor;
    struct tensor_stream elements;
    char *text = NULL;
    size_t size;
    if (!tensor->type->format || tensor->type->components > 1) {
        error_set(error, "%.200s holds elements of %s, which are not inputs", named->path,
                  tensor_type_name(tensor->type));
        return NULL;
    }
    bool good = tensor_stream_open(&elements, &named->file, tensor, true, error);
    FILE *stream = good ? memory_stream(&text, &size) : NULL;
    if (good && !stream)
        good = error_set(error, "out of memory");
    good = good && print_all(&elements, per_line, stream, error) &&
           tensor_file_stays(&named->file, error);
    tensor_stream_close(&elements);
    if (stream && fclose(stream) != 0)
        good = error_set(error, "out of memory");
    if (good)
        return text;
    free(text);
    return NULL;
}
