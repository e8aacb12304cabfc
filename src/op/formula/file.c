/* Files of formulas:
 *
 *     # The gate of a kernel of ours.
 *     gate(x) = x/(1 + exp(-x))
 *     gate(-inf) = -0
 *     formats: bf16, fp16
 *     domain: -40:40
 *     landmarks: 0, -1.2784645
 *
 * A formula with a name, and below it what is known of it. */
#include "op/formula/rows.h"
#include "op/formula/tree.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 2 * FORMULA_TEXT, MOST_FORMATS = 16 };

struct reader {
    const char *path;
    const char *line; /* the one that is being read, and its number */
    int number;
    struct error *error;
    /* The formula above: its text, and where each character of it stands. */
    char text[FORMULA_TEXT];
    int length;
    struct place {
        int line, column;
    } places[FORMULA_TEXT];
    char row[LINE_ROOM]; /* which `line` is */
    struct operation notes;
    int range_count;
    struct place range_place;
    bool has_note[3]; /* of the formula above, by kind: read_note */
};

static bool complain(const struct reader *reader, struct place place, const char *format, ...)
    PRINTF_LIKE(3, 4);
static bool complain(const struct reader *reader, struct place place, const char *format, ...) {
    char says[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(says, sizeof says, format, arguments);
    va_end(arguments);
    return error_set(reader->error, "%.200s:%d:%d: %s", reader->path, place.line, place.column,
                     says);
}

static struct place place_of(const struct reader *reader, const char *at) {
    return (struct place){reader->number, (int)(at - reader->line) + 1};
}

static bool add_character(struct reader *reader, char c, struct place place) {
    if (reader->length == FORMULA_TEXT - 1)
        return complain(reader, place,
                        "the formula and its special values have more than %d characters",
                        FORMULA_TEXT - 1);
    reader->places[reader->length] = place;
    reader->text[reader->length++] = c;
    reader->text[reader->length] = '\0';
    return true;
}

/* Takes the line, blanks in a row made one, as part of the formula's text. */
static bool add_text(struct reader *reader, const char *at) {
    bool added = true, begun = false;
    for (; *at && added; at++) {
        bool blank = isspace((unsigned char)*at);
        if (!blank || (begun && at[1] && !isspace((unsigned char)at[1])))
            added = add_character(reader, blank ? ' ' : *at, place_of(reader, at));
        begun = true;
    }
    return added;
}

/* Makes the row of the formula above. */
static bool finish(struct reader *reader) {
    struct formula_fault fault;
    struct error why;
    if (!reader->length)
        return true;
    struct formula *formula = formula_read(reader->text, FORMULA_OF_OPERANDS, &fault, &why);
    if (!formula) {
        bool behind = fault.character >= reader->length;
        struct place place = reader->places[behind ? reader->length - 1 : fault.character];
        place.column += behind;
        return complain(reader, place, "%s", fault.says[0] ? fault.says : why.text);
    }
    char name[FORMULA_NAME];
    strcpy(name, formula->name);
    if (strcmp(name, "formula") == 0) {
        formula_free(formula);
        return complain(reader, reader->places[0],
                        "a formula with a name should stand here, as in sech2(x) = 1/cosh(x)^2");
    }
    if (formula_named(name)) {
        formula_free(formula);
        return complain(reader, reader->places[0], "%s appears twice", name);
    }
    if (reader->range_count > 1 && reader->range_count != formula->operands) {
        int operands = formula->operands;
        formula_free(formula);
        return complain(reader, reader->range_place,
                        "one range should stand here, or %d for the operands of %s", operands,
                        name);
    }
    if (!formula_add(formula, &reader->notes, &why))
        return complain(reader, reader->places[0], "%s", why.text);
    reader->length = reader->range_count = 0;
    reader->notes = (struct operation){0}; /* the row's now */
    memset(reader->has_note, false, sizeof reader->has_note);
    return true;
}

/* What was noted for a formula that became no row. */
static void free_notes(const struct operation *notes) {
    free((void *)notes->formats);
    free((void *)notes->landmarks);
    for (int i = MAX_OPERANDS - 1; i >= 0; i--)
        if (i == 0 || notes->ranges[i] != notes->ranges[0])
            free((void *)notes->ranges[i]);
}

/* Whether the line is "name(-inf, 0) = ..." of the formula above: what stands in the place of an operand is a value. */
static bool is_special_value(const struct reader *reader, const char *at) {
    size_t name = strcspn(reader->text, "(");
    if (!reader->length || strncmp(at, reader->text, name) != 0)
        return false;
    at += name;
    at += strspn(at, " \t");
    size_t close = strcspn(at, ")");
    for (size_t i = 0; i < close; i++) {
        if (at[i] != '(' && at[i] != ',')
            continue;
        const char *word = at + i + 1;
        word += strspn(word, " \t-");
        size_t length = strcspn(word, " \t,)");
        if (isdigit((unsigned char)*word) || *word == '.' ||
            (length == 3 && (strncmp(word, "inf", 3) == 0 || strncmp(word, "nan", 3) == 0)))
            return true;
    }
    return false;
}

/* The next word of a list, its end cut off; NULL behind the last. */
static char *next_word(char **rest) {
    char *word = *rest + strspn(*rest, " \t,");
    if (!*word)
        return NULL;
    *rest = word + strcspn(word, " \t,");
    if (**rest)
        *(*rest)++ = '\0';
    return word;
}

/* Reads a number, decimal or hexadecimal, that ends at `end`. */
static bool read_number(const char *at, const char *end, double *number) {
    char *stop;
    bool bits =
        at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && !memchr(at, 'p', (size_t)(end - at));
    *number = strtod(at, &stop);
    return stop == end && stop > at && !bits && !isnan(*number);
}

static bool read_formats(struct reader *reader, char *rest) {
    const struct format **list = calloc(MOST_FORMATS + 1, sizeof *list);
    size_t count = 0;
    struct error why;
    if (!list)
        return error_set(reader->error, "out of memory");
    reader->notes.formats = list; /* kept, as the row is */
    for (char *word; (word = next_word(&rest)); count++) {
        list[count] = count < MOST_FORMATS ? format_find(word, &why) : NULL;
        if (count == MOST_FORMATS)
            error_set(&why, "more than %d formats", MOST_FORMATS);
        else if (list[count] && (list[count]->is_integer || list[count]->is_element ||
                                 list[count]->is_quantised)) {
            error_set(&why, "a format of real numbers should stand here");
            list[count] = NULL;
        }
        if (!list[count])
            return complain(reader, place_of(reader, word), "%s", why.text);
    }
    if (!count)
        return complain(reader, place_of(reader, rest), "a format should stand here, as in bf16");
    reader->notes.format = list[0]->name;
    return true;
}

static bool read_domain(struct reader *reader, char *rest) {
    int count = 0;
    reader->range_place = place_of(reader, rest + strspn(rest, " \t"));
    for (char *word; (word = next_word(&rest)); count++) {
        char *colon = strchr(word, ':');
        double low, high;
        if (!colon || !read_number(word, colon, &low) ||
            !read_number(colon + 1, word + strlen(word), &high) || low > high ||
            count == MAX_OPERANDS)
            return complain(reader, place_of(reader, word),
                            "a range should stand here, the lower end first, as in -20:20; "
                            "one for all operands, or one for each");
        reader->notes.ranges[count] = strdup(word);
        if (!reader->notes.ranges[count])
            return error_set(reader->error, "out of memory");
    }
    if (!count)
        return complain(reader, place_of(reader, rest), "a range should stand here, as in -20:20");
    for (int i = count; i < MAX_OPERANDS && count == 1; i++)
        reader->notes.ranges[i] = reader->notes.ranges[0];
    reader->range_count = count;
    return true;
}

static bool read_landmarks(struct reader *reader, char *rest) {
    char *list = malloc(strlen(rest) + 2); /* kept, as the row is */
    size_t length = 0;
    if (!list)
        return error_set(reader->error, "out of memory");
    list[0] = '\0';
    reader->notes.landmarks = list;
    for (char *word; (word = next_word(&rest));) {
        double number;
        if (!read_number(word, word + strlen(word), &number))
            return complain(reader, place_of(reader, word), "a number should stand here");
        length += (size_t)sprintf(list + length, "%s%s", length ? " " : "", word);
    }
    return length || complain(reader, place_of(reader, rest), "a number should stand here");
}

/* "formats: ..." and the like; false where the line is none of these. */
static bool read_note(struct reader *reader, char *at, bool *good) {
    static const struct {
        const char *word;
        bool (*read)(struct reader *reader, char *rest);
    } notes[] = {
        {"formats:", read_formats}, {"domain:", read_domain}, {"landmarks:", read_landmarks}};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (strncmp(at, notes[i].word, strlen(notes[i].word)) == 0) {
            *good = !reader->length ? complain(reader, place_of(reader, at),
                                               "a formula should stand above its %s", notes[i].word)
                    : reader->has_note[i]
                        ? complain(reader, place_of(reader, at), "%s appears twice", notes[i].word)
                        : notes[i].read(reader, at + strlen(notes[i].word));
            reader->has_note[i] = true;
            return true;
        }
    const size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (!word || at[word] != ':')
        return false;
    *good = complain(reader, place_of(reader, at), "'%.*s:' is unknown; there are %s, %s and %s",
                     (int)(word < 40 ? word : 40), at, notes[0].word, notes[1].word, notes[2].word);
    return true;
}

static bool read_line(struct reader *reader, char *line) {
    bool good = true;
    line[strcspn(line, "\r\n")] = '\0';
    reader->line = line;
    char *at = line + strspn(line, " \t");
    if (!*at || *at == '#' || read_note(reader, at, &good))
        return good;
    if (is_special_value(reader, at))
        return add_character(reader, ';', place_of(reader, at)) &&
               add_character(reader, ' ', place_of(reader, at)) && add_text(reader, at);
    return finish(reader) && add_text(reader, at);
}

/* The rest of a line that no buffer holds. */
static void pass_line(FILE *file) {
    int c;
    do
        c = getc(file);
    while (c != EOF && c != '\n');
}

static bool read_rows(struct reader *reader, FILE *file) {
    bool good = true;
    while (good && fgets(reader->row, sizeof reader->row, file)) {
        reader->number++;
        bool cut = !strchr(reader->row, '\n') && !feof(file);
        if (cut && reader->row[strspn(reader->row, " \t")] == '#')
            pass_line(file);
        else if (cut)
            good = error_set(reader->error, "%.200s:%d:%d: a line of more than %d characters",
                             reader->path, reader->number, LINE_ROOM - 1, LINE_ROOM - 2);
        good = good && read_line(reader, reader->row);
    }
    if (good && ferror(file))
        good = error_set(reader->error, "%.200s cannot be read", reader->path);
    return good && finish(reader);
}

bool formula_read_file(const char *path, struct error *error) {
    FILE *file = fopen(path, "r");
    if (!file)
        return error_set(error, "%.200s cannot be read", path);
    struct reader *reader = calloc(1, sizeof *reader);
    bool good = reader || error_set(error, "out of memory");
    if (reader) {
        reader->path = path;
        reader->error = error;
        good = read_rows(reader, file);
        free_notes(&reader->notes);
    }
    free(reader);
    fclose(file);
    return good;
}
