/* Tensors to lines. */
#include "vector/read/tensors.h"

#include "base/memory.h"
#include "op/operation.h"
#include "tensor/named.h"

#include <stdlib.h>
#include <string.h>

/* The elements, one a line; the first tensor says of which shape all are. */
static char *elements_of(const char *path, struct tensor_named *named,
                         const struct tensor_named *first, struct error *error) {
    if (!tensor_named_open(named, path, error)) {
        named->path = NULL; /* it is closed */
        return NULL;
    }
    if (first && !tensor_same_shape(first->tensor, named->tensor)) {
        error_set(error, "%.200s has another shape than the output; its elements are not spread",
                  path);
        return NULL;
    }
    return tensor_text(named, 1, error);
}

/* One line of each text, side by side. */
static void print_beside(FILE *stream, char *texts[], int count) {
    while (*texts[0]) {
        for (int i = 0; i < count; i++) {
            size_t length = strcspn(texts[i], "\n");
            fprintf(stream, "%.*s%s", (int)length, texts[i], i + 1 < count ? " " : "\n");
            texts[i] += length + (texts[i][length] == '\n');
        }
    }
}

FILE *vector_tensor_lines(const char *path, int operands, char **text, struct error *error) {
    struct tensor_named named[MAX_OPERANDS + 1] = {{0}};
    char *texts[MAX_OPERANDS + 1] = {NULL}, *at[MAX_OPERANDS + 1];
    const char *slash = strrchr(path, '/');
    size_t size = 0;
    *text = NULL;
    texts[operands] = elements_of(path, &named[operands], NULL, error);
    bool good = texts[operands] != NULL;
    for (int i = 0; i < operands && good; i++) {
        char beside[4096];
        if (snprintf(beside, sizeof beside, "%.*sinput_%d.pb", slash ? (int)(slash + 1 - path) : 0,
                     path, i) >= (int)sizeof beside) {
            good = error_set(error, "the path of the operand next to %.200s... is too long", path);
            break;
        }
        texts[i] = elements_of(beside, &named[i], &named[operands], error);
        good = texts[i] != NULL;
    }
    FILE *stream = good ? memory_stream(text, &size) : NULL;
    if (stream) {
        memcpy(at, texts, sizeof at);
        print_beside(stream, at, operands + 1);
        good = fclose(stream) == 0;
        stream = good && size ? fmemopen(*text, size, "r") : NULL;
        if (!stream)
            error_set(error, size ? "out of memory" : "%.200s has no elements", path);
    } else if (good)
        error_set(error, "out of memory");
    for (int i = 0; i <= operands; i++) {
        free(texts[i]);
        if (named[i].path)
            tensor_named_close(&named[i]);
    }
    return stream;
}
