/* Inputs from a file: a value, or one for each operand, on a line. */
#include "sweep/domain.h"

#include "base/file_state.h"
#include "format/text.h"
#include "lines/lines.h"
#include "tensor/named.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file being read. */
struct reader {
    const char *path;
    const struct line_kind *kind; /* NULL: lines of our own */
    const struct operation *operation;
    const struct format *format;
    int operands;
    int fields; /* on each line; 0 before the first */
    unsigned long line;
    uint64_t *codes; /* `fields` for each line so far */
    size_t count, capacity;
    struct error *note;
};

static bool keep(struct reader *reader, uint64_t code) {
    if (reader->count == reader->capacity) {
        size_t capacity = reader->capacity ? 2 * reader->capacity : 1024;
        uint64_t *codes = realloc(reader->codes, capacity * sizeof *codes);
        if (!codes)
            return false;
        reader->codes = codes;
        reader->capacity = capacity;
    }
    reader->codes[reader->count++] = code;
    return true;
}

static bool at_line(const struct reader *reader, struct error *error, const char *what) {
    struct error copy;
    error_set(&copy, "%s", what);
    return error_set(error, "%s:%lu: %s", reader->path, reader->line, copy.text);
}

static bool read_word(struct reader *reader, const char *word, struct error *error) {
    struct parsed_value value;
    struct error reason;
    const struct format *format =
        format_of_operand(reader->format, (int)(reader->count % (size_t)reader->operands));
    if (!format_parse(format, word, &value, &reason))
        return at_line(reader, error, reason.text);
    if (value.rounded && !reader->note->text[0]) {
        char hex[NUMBER_TEXT];
        error_set(reader->note, "%s:%lu: %.60s is not a number of %s; rounded to %s (and so on)",
                  reader->path, reader->line, word, format->name,
                  format_hex_text(format, value.code, hex));
    }
    return keep(reader, value.code) || at_line(reader, error, "out of memory");
}

static bool read_line(struct reader *reader, char *line, struct error *error) {
    int fields = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *word = strtok(line, " \t,;"); word; word = strtok(NULL, " \t,;")) {
        fields++;
        if (!read_word(reader, word, error))
            return false;
    }
    if (fields == 0)
        return true;
    if (fields != reader->operands && (fields != 1 || reader->format->of[0]))
        return at_line(
            reader, error,
            reader->operands == 1 ? "more than one value on the line"
            : reader->format->of[0]
                ? "operands have formats of their own, and the line has no value for each"
                : "the line has neither one value nor one per operand");
    if (reader->fields && fields != reader->fields)
        return at_line(reader, error, "the line has another number of values than those above");
    reader->fields = fields;
    return true;
}

/* A line of another project's file. */
static bool read_foreign(struct reader *reader, char *line, struct error *error) {
    const struct lines_wanted wanted = {reader->operation, reader->format, ROUND_NEAREST_EVEN,
                                        true};
    struct line_content content = {0};
    struct error why;
    if (!reader->kind->read(&wanted, line, &content, &why))
        return at_line(reader, error, why.text);
    reader->fields = reader->operands;
    for (int i = 0; i < content.inputs; i++)
        for (int j = 0; j < reader->operands; j++)
            if (!keep(reader, content.in[i][j]))
                return at_line(reader, error, "out of memory");
    return true;
}

static bool read_all(struct reader *reader, FILE *stream, struct error *error) {
    char line[LINE_LONGEST];
    const char *problem;
    while (line_next(stream, line, &reader->line, &problem)) {
        bool good =
            reader->kind ? read_foreign(reader, line, error) : read_line(reader, line, error);
        if (!good)
            return false;
    }
    if (ferror(stream))
        return error_set(error, "cannot read %s: %s", reader->path, strerror(errno));
    if (problem)
        return at_line(reader, error, problem);
    if (reader->count == 0 && reader->kind)
        return error_set(error, "%s holds no inputs of %s in %s", reader->path,
                         reader->operation->name, reader->format->name);
    if (reader->count == 0)
        return error_set(error, "%s holds no inputs; write one value on each line", reader->path);
    return true;
}

/* qsort has no context argument in C11; the number of codes in a tuple is the function's name. */
static int compare_codes(const uint64_t *a, const uint64_t *b, int count) {
    for (int i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int by_one(const void *a, const void *b) {
    return compare_codes(a, b, 1);
}

static int by_two(const void *a, const void *b) {
    return compare_codes(a, b, 2);
}

static int by_three(const void *a, const void *b) {
    return compare_codes(a, b, 3);
}

/* Sorts the tuples and drops duplicates; returns how many tuples remain. */
static size_t sort_unique(uint64_t *codes, size_t tuples, int fields) {
    static int (*const orders[])(const void *, const void *) = {by_one, by_two, by_three};
    size_t width = (size_t)fields;
    qsort(codes, tuples, width * sizeof *codes, orders[fields - 1]);
    size_t kept = 0;
    for (size_t i = 0; i < tuples; i++)
        if (i == 0 || compare_codes(codes + i * width, codes + (kept - 1) * width, fields) != 0)
            memmove(codes + kept++ * width, codes + i * width, width * sizeof *codes);
    return kept;
}

void domain_tuples(struct domain *domain, const struct format *format, int operands,
                   uint64_t *tuples, size_t count) {
    *domain = (struct domain){.kind = DOMAIN_FILE,
                              .format = format,
                              .operands = operands,
                              .tuples = tuples,
                              .count = sort_unique(tuples, count, operands)};
}

static bool to_domain(struct domain *domain, struct reader *reader, struct error *error) {
    size_t tuples = reader->count / (size_t)reader->fields;
    size_t kept = sort_unique(reader->codes, tuples, reader->fields);
    if (reader->fields == 1) {
        struct code_set set = {0};
        for (size_t i = 0; i < kept; i++)
            if (!code_set_append(&set, reader->codes[i], reader->codes[i], error)) {
                code_set_free(&set);
                return false;
            }
        free(reader->codes);
        reader->codes = NULL;
        if (!domain_product(domain, DOMAIN_FILE, reader->format, reader->operands, &set, 1, error))
            return false;
    } else {
        *domain = (struct domain){.kind = DOMAIN_FILE,
                                  .format = reader->format,
                                  .operands = reader->operands,
                                  .tuples = reader->codes,
                                  .count = kept};
    }
    reader->codes = NULL;
    domain->dropped = tuples - kept;
    return true;
}

/* The elements of a tensor, one a line, or one for each operand where the last of two extents says so. */
static bool read_tensor(struct reader *reader, struct error *error) {
    struct tensor_named named;
    if (!tensor_named_open(&named, reader->path, error))
        return false;
    const struct tensor *tensor = named.tensor;
    const bool is_table =
        tensor->dimensions == 2 && tensor->extents[1] == (uint64_t)reader->operands;
    char *text = tensor_text(&named, is_table ? tensor->extents[1] : 1, error);
    bool good = text && file_keep(named.path, error);
    FILE *stream = good && *text ? fmemopen(text, strlen(text), "r") : NULL;
    if (good && !*text)
        good = error_set(error, "%s holds no inputs: it has no elements", reader->path);
    else if (good)
        good = stream ? read_all(reader, stream, error) : error_set(error, "out of memory");
    if (stream)
        fclose(stream);
    free(text);
    tensor_named_close(&named);
    return good;
}

static bool read_text(struct reader *reader, struct error *error) {
    const char *path = reader->path;
    bool from_stdin = strcmp(path, "-") == 0;
    FILE *stream = from_stdin ? stdin : fopen(path, "r");
    if (!stream)
        return error_set(error, "cannot read %s: %s", path, strerror(errno));
    const struct file_state before = file_state_of(stream);
    bool read = read_all(reader, stream, error);
    /* Which a line that was half there may be of, too. */
    read = file_state_stays(&before, stream, path, error) && read && file_keep(path, error);
    if (!from_stdin)
        fclose(stream);
    return read;
}

bool domain_file(struct domain *domain, const struct format *format,
                 const struct operation *operation, const char *path, const struct line_kind *kind,
                 struct error *note, struct error *error) {
    struct reader reader = {.path = path,
                            .kind = kind,
                            .operation = operation,
                            .format = format,
                            .operands = operation->operands,
                            .note = note};
    const bool is_tensor = !kind && tensor_named_is(path);
    bool read = is_tensor ? read_tensor(&reader, error) : read_text(&reader, error);
    read = read && to_domain(domain, &reader, error);
    free(reader.codes);
    return read;
}
