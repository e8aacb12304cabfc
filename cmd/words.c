/* Splitting texts into words. */
#include "words.h"

#include "base/file_state.h"
#include "base/json.h"
#include "tensor/named.h"

#include <stdlib.h>
#include <string.h>

static const char between[] = " \t\r\n,;[]()";
enum { MOST_BYTES = 1 << 30 };

/* Takes the text over. */
static bool split(struct words *words, char *text, struct error *error) {
    size_t room = 16;
    *words = (struct words){.text = text, .items = malloc(room * sizeof *words->items)};
    bool good = text && words->items;
    for (char *at = text; good && *(at += strspn(at, between));) {
        size_t length = *at == '#' ? strcspn(at, "\n") : strcspn(at, " \t\r\n,;[]()#");
        if (*at != '#' && words->count == room) {
            const char **more = realloc(words->items, 2 * room * sizeof *more);
            good = more != NULL;
            words->items = more ? more : words->items;
            room *= 2;
        }
        if (*at != '#' && good)
            words->items[words->count++] = at;
        bool comment = at[length] == '#';
        at += length;
        if (comment)
            length = strcspn(at, "\n");
        if (*at) {
            *at++ = '\0';
            if (comment)
                at += length - 1;
        }
    }
    if (!good)
        words_free(words);
    return good || error_set(error, "out of memory");
}

bool words_of_text(struct words *words, const char *text, struct error *error) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy)
        memcpy(copy, text, size);
    return split(words, copy, error);
}

/* The elements of a tensor, and its shape. */
static bool words_of_tensor(struct words *words, const char *path, struct error *error) {
    struct tensor_named named;
    struct shape shape = {.dimensions = 0};
    if (!tensor_named_open(&named, path, error))
        return false;
    bool good = named.tensor->dimensions <= MOST_DIMENSIONS ||
                error_set(error, "%.200s: an array has %d dimensions; at most %d are read", path,
                          named.tensor->dimensions, MOST_DIMENSIONS);
    for (int i = 0; good && i < named.tensor->dimensions; i++)
        shape.extents[shape.dimensions++] = named.tensor->extents[i];
    char *text = good && file_keep(named.path, error) ? tensor_text(&named, 1, error) : NULL;
    tensor_named_close(&named);
    if (!text || !split(words, text, error))
        return false;
    words->shape = shape;
    return true;
}

static char *text_of_file(const char *path, struct error *error) {
    size_t length;
    char *text = file_read(path, MOST_BYTES, "file of inputs", &length, error);
    if (!text || !file_keep(path, error)) {
        free(text);
        return NULL;
    }
    if (strlen(text) == length)
        return text;
    free(text);
    error_set(error, "%.200s is not text: it has a zero byte", path);
    return NULL;
}

static bool words_of_text_file(struct words *words, const char *path, struct error *error) {
    char *text = text_of_file(path, error);
    return text && split(words, text, error);
}

bool words_lines_of_file(struct words *words, const char *path, struct error *error) {
    char *text = text_of_file(path, error);
    size_t count = 0;
    *words = (struct words){.text = text};
    for (const char *at = text; at && *at; at++)
        count += *at == '\n' || !at[1];
    if (text && count == 0)
        error_set(error, "%.200s has no lines", path);
    else if (text && !(words->items = malloc(count * sizeof *words->items)))
        error_set(error, "out of memory");
    for (char *at = text; words->items && words->count < count; words->count++) {
        const size_t length = strcspn(at, "\n");
        words->items[words->count] = at;
        const bool more = at[length] != '\0';
        at[length] = '\0';
        at += length + more;
    }
    if (!words->items)
        words_free(words);
    return words->items != NULL;
}

bool words_of_file(struct words *words, const char *path, struct error *error) {
    *words = (struct words){0};
    bool good = tensor_named_is(path) ? words_of_tensor(words, path, error)
                                      : words_of_text_file(words, path, error);
    if (!good)
        return false;
    if (words->count)
        return true;
    words_free(words);
    return error_set(error, "%.200s has no numbers", path);
}

void words_free(struct words *words) {
    free(words->items);
    free(words->text);
    *words = (struct words){0};
}
