/* The rows made so far. */
#include "op/formula/rows.h"

#include "op/formula/tree.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 256 };

static struct operation *rows[MOST_ROWS];
static size_t row_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static const struct operation *find(const struct formula *formula) {
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i]->name, formula->text) == 0)
            return rows[i];
    return NULL;
}

static const struct operation *add(struct formula *formula, const struct operation *notes,
                                   struct error *error) {
    struct operation *row = calloc(1, sizeof *row);
    if (!row || row_count == MOST_ROWS) {
        error_set(error, row ? "more than %d formulas" : "out of memory", MOST_ROWS);
        free(row);
        formula_free(formula);
        return NULL;
    }
    *row = (struct operation){.name = formula->text,
                              .formula = formula->text,
                              .operands = formula->operands,
                              .results = 1,
                              .stands_alone = true,
                              .format = notes->format,
                              .formats = notes->formats,
                              .landmarks = notes->landmarks,
                              .made_of = formula};
    row->result[0].takes_signalling = true; /* its steps know one kind of NaN */
    memcpy(row->ranges, notes->ranges, sizeof row->ranges);
    rows[row_count++] = row;
    return row;
}

const struct operation *formula_row(const char *text, struct error *error) {
    struct formula *formula = formula_parse(text, error);
    return formula ? formula_add(formula, &(struct operation){0}, error) : NULL;
}

const struct operation *formula_add(struct formula *formula, const struct operation *notes,
                                    struct error *error) {
    pthread_mutex_lock(&mutex);
    const struct operation *row = find(formula);
    if (row)
        formula_free(formula);
    else
        row = add(formula, notes, error);
    pthread_mutex_unlock(&mutex);
    return row;
}

const struct operation *formula_named(const char *name) {
    const struct operation *found = NULL;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < row_count && !found; i++)
        if (strcmp(rows[i]->made_of->name, name) == 0 && strcmp(name, "formula") != 0)
            found = rows[i];
    pthread_mutex_unlock(&mutex);
    return found;
}
