/* The lines of a Kappas.yaml: how far each is indented, and its key and value. */
#ifndef DETCHECK_GATE_KAPPA_LINE_H
#define DETCHECK_GATE_KAPPA_LINE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct kappa_line {
    const char *path;
    size_t number;
    size_t column;  /* of the first character */
    size_t content; /* of the key, which stands behind the dash of an item */
    bool item;
    char *key;   /* NULL: the text has none */
    char *value; /* what is behind the key; the whole text if there is none */
    char *room;
    size_t room_size;
};

/* Reads the next line that has more than a comment. *end: there is none. A line of "---" may be the file's first. */
bool kappa_line_next(FILE *file, struct kappa_line *line, bool *end, struct error *error);
void kappa_line_free(struct kappa_line *line);

/* "FILE, line 5: " and what is wrong there. Returns false. */
bool kappa_line_refuse(const struct kappa_line *line, struct error *error, const char *format, ...)
    PRINTF_LIKE(3, 4);

#endif
