/* Splitting texts into words. */
#include "words.h"

#include "npy.h"

#include "base/file_state.h"
#include "base/json.h"

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

bool words_of_file(struct words *words, const char *path, struct error *error) {
    size_t length;
    struct shape shape = {.dimensions = 0};
    *words = (struct words){0};
    char *text = file_read(path, MOST_BYTES, "file of inputs", &length, error);
    if (!text || !file_keep(path, error)) {
        free(text);
        return false;
    }
    if (npy_is(text, length)) {
        char *elements = npy_text(text, length, path, &shape, error);
        free(text);
        if (!elements)
            return false;
        text = elements;
        length = strlen(text);
    }
    if (strlen(text) != length) {
        free(text);
        return error_set(error, "%.200s is no text: it has a zero byte", path);
    }
    if (!split(words, text, error))
        return false;
    words->shape = shape;
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
