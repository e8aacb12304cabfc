/* The rows made so far. */
#include "op/formula/rows.h"

#include "op/formula/tree.h"

#include <pthread.h>
#include <stdio.h>
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

static const struct operation *add(struct formula *formula, struct error *error) {
    struct operation *row = calloc(1, sizeof *row);
    if (!row || row_count == MOST_ROWS) {
        free(row);
        formula_free(formula);
        error_set(error, row ? "more than %d formulas" : "out of memory", MOST_ROWS);
        return NULL;
    }
    *row = (struct operation){.name = formula->text,
                              .formula = formula->text,
                              .operands = formula->operands,
                              .results = 1,
                              .stands_alone = true,
                              .made_of = formula};
    row->result[0].takes_signalling = true; /* its steps know one kind of NaN */
    rows[row_count++] = row;
    return row;
}

const struct operation *formula_row(const char *text, struct error *error) {
    struct formula *formula = formula_parse(text, error);
    if (!formula)
        return NULL;
    pthread_mutex_lock(&mutex);
    const struct operation *row = find(formula);
    if (row)
        formula_free(formula);
    else
        row = add(formula, error);
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

static bool read_line(const char *path, int number, char *line, struct error *error) {
    struct error why;
    line[strcspn(line, "\r\n")] = '\0';
    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return true;
    const struct operation *row = formula_row(line, &why);
    if (row && strcmp(row->made_of->name, "formula") == 0)
        return error_set(error,
                         "%.200s:%d: a formula with a name should stand here, as in "
                         "sech2(x) = 1/cosh(x)^2",
                         path, number);
    if (row && formula_named(row->made_of->name) != row)
        return error_set(error, "%.200s:%d: %s stands twice", path, number, row->made_of->name);
    return row || error_set(error, "%.200s:%d: %.500s", path, number, why.text);
}

bool formula_read_file(const char *path, struct error *error) {
    char line[2 * FORMULA_TEXT];
    FILE *file = fopen(path, "r");
    bool good = true;
    if (!file)
        return error_set(error, "%.200s cannot be read", path);
    for (int number = 1; good && fgets(line, sizeof line, file); number++) {
        if (!strchr(line, '\n') && !feof(file))
            good = error_set(error, "%.200s:%d: a line of more than %d characters", path, number,
                             FORMULA_TEXT - 1);
        good = good && read_line(path, number, line, error);
    }
    if (good && ferror(file))
        good = error_set(error, "%.200s cannot be read", path);
    fclose(file);
    return good;
}
