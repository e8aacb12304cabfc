/* Numbers in a text or a file, as texts: what `eval` takes as the elements of arrays. */
#ifndef DETCHECK_CMD_WORDS_H
#define DETCHECK_CMD_WORDS_H

#include "base/error.h"
#include "sweep/array/cases.h"

#include <stdbool.h>
#include <stddef.h>

struct words {
    char *text; /* that items point into */
    const char **items;
    size_t count;
    struct shape shape; /* of the tensor that they were read from; 0 dimensions: they are none */
};

/* The words of a text between blanks, line ends, commas, semicolons and brackets, so that lines of
 * numbers, columns, JSON's arrays and what numpy prints are read alike; "#" begins a comment. */
bool words_of_text(struct words *words, const char *text, struct error *error);
/* The same of a file, or of a tensor of one (PATH or PATH#NAME); "-" is stdin. An error where there are none. */
bool words_of_file(struct words *words, const char *path, struct error *error);
/* The lines of a file, as texts; "-" is stdin. An error where there are none. */
bool words_lines_of_file(struct words *words, const char *path, struct error *error);
/* The words of a file as calls of an operation on arrays, one after the other: one call, or with --shape
 * as many as there are. `note` receives a line where a value had to be rounded. */
bool words_calls(const char *path, const struct operation *operation, const struct format *format,
                 const struct parameters *parameters, struct cases *cases, struct error *note,
                 struct error *error);
void words_free(struct words *words);

#endif
