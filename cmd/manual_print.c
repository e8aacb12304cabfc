/* Rows as mdoc: their tags, their sentences, and lists of options and commands. */
#include "manual_items.h"

#include "explain/identity.h"
#include "record/kinds.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { LINE = 80 };

/* Text on its way into lines of a page. */
struct filler {
    FILE *stream;
    size_t column;
    bool begun; /* the first word is out */
};

static void end_line(struct filler *filler) {
    if (filler->column)
        fputc('\n', filler->stream);
    filler->column = 0;
}

/* A word of text. A minus sign stays one where it could become a hyphen. */
static void put_word(struct filler *filler, const char *word, size_t length) {
    if (filler->column && filler->column + length + 1 > LINE)
        end_line(filler);
    if (filler->column)
        fputc(' ', filler->stream);
    else if (*word == '.' || *word == '\'')
        fputs("\\&", filler->stream); /* at the head of a line these begin a macro */
    filler->column += length + 1;
    for (size_t i = 0; i < length; i++) {
        char letter = word[i];
        bool first = i == 0 && !filler->begun;
        if (letter == '-' && (i == 0 || !isalpha((unsigned char)word[i - 1])))
            fputc('\\', filler->stream);
        fputc(first ? toupper((unsigned char)letter) : letter, filler->stream);
    }
    filler->begun = true;
    if (length > 1 && word[length - 1] == '.')
        end_line(filler); /* a new sentence begins a new line, as mdoc has it */
}

/* A macro with its word, and the punctuation that follows it. */
static void put_macro(struct filler *filler, const char *macro, const char *word, size_t length,
                      size_t total) {
    end_line(filler);
    fprintf(filler->stream, ".%s %.*s", macro, (int)length, word);
    for (size_t i = length; i < total; i++)
        fprintf(filler->stream, " %c", word[i]);
    fputc('\n', filler->stream);
    filler->begun = true;
}

/* Whether the word is one of those that the value's name is made of: A and B of A:B. */
static bool is_value(const char *word, size_t length, const char *value) {
    while (value && *value) {
        size_t part = strcspn(value, ":");
        if (part == length && strncmp(word, value, part) == 0)
            return true;
        value += part + (value[part] == ':');
    }
    return false;
}

/* A summary with a capital and a full stop, or without: the value's name as an argument, names of options as those. */
static void print_summary(FILE *stream, const char *text, const char *value, bool capital,
                          bool stop) {
    struct filler filler = {.stream = stream, .begun = !capital};
    char word[128];
    while (*text) {
        size_t length = strcspn(text, " \n");
        bool last = !text[length];
        snprintf(word, sizeof word, "%.*s%s", (int)length, text, last && stop ? "." : "");
        text += length + !last;
        size_t total = strlen(word), bare = total;
        while (bare && strchr(".,;:)", word[bare - 1]))
            bare--;
        if (is_value(word, bare, value))
            put_macro(&filler, "Ar", word, bare, total);
        else if (strncmp(word, "--", 2) == 0)
            put_macro(&filler, "Fl", word + 1, bare - 1, total - 1);
        else if (total)
            put_word(&filler, word, total);
    }
    end_line(&filler);
}

static void print_sentence(FILE *stream, const char *text, const char *value) {
    print_summary(stream, text, value, true, true);
}

/* The next operation from *at on that takes a parameter: a group whose operations all do by its
 * name, which becomes *done; NULL where none is left. */
static const char *next_taker(int parameter, size_t *at, const char **done) {
    for (size_t i = *at; operation_at(i); i++) {
        const char *group = operation_at(i)->group;
        bool all = group != NULL;
        for (size_t j = 0; all && operation_at(j); j++)
            all = !operation_in_group(operation_at(j), group) ||
                  manual_takes(operation_at(j), parameter);
        if (!manual_takes(operation_at(i), parameter) || (all && strcmp(*done, group) == 0))
            continue;
        *at = i + 1;
        return all ? *done = group : operation_at(i)->name;
    }
    return NULL;
}

/* The one operation, or the one group, that takes a parameter. */
static void print_taker(FILE *stream, const char *name, bool is_group) {
    fprintf(stream, is_group ? "All operations of the group %s take it.\n" : "Only %s takes it.\n",
            name);
}

/* The operations that take a parameter: a sentence, or rows of a display where they are many. */
static void print_takers(FILE *stream, int parameter) {
    enum { MOST_IN_SENTENCE = 12, COLUMNS = 56 };
    const char *done = "", *name;
    size_t at = 0, count = 0, column = 0;
    while (next_taker(parameter, &at, &done))
        count++;
    if (!count) { /* formats of P3109 bring it */
        fputs("The operations that\n.Xr detcheck-p3109-operations 7\ncalls scaled take it, but "
              "cast does not.\n",
              stream);
        return;
    }
    bool many = count > MOST_IN_SENTENCE;
    done = "", at = 0;
    if (count == 1) {
        name = next_taker(parameter, &at, &done);
        print_taker(stream, name, name == done);
        return;
    }
    fputs(many ? ".Pp\nThese operations take it:" : "These operations take it:", stream);
    while ((name = next_taker(parameter, &at, &done))) {
        bool begins = many && (!column || column + strlen(name) > COLUMNS);
        column = (begins ? 0 : column) + strlen(name) + 2;
        fprintf(stream, "%s%s%s%s", begins ? "\n.D1 " : " ", name == done ? "all of " : "", name,
                --count ? "," : ".\n");
    }
}

/* A sentence that ends in names, in a paragraph of its own where they are many. */
static void print_names(FILE *stream, const char *begins, const char *const *names, size_t count) {
    enum { MANY = 6, VERY_MANY = 13 };
    fprintf(stream, "%s%s\n.Cm", count < MANY ? "" : ".Pp\n", begins);
    for (size_t i = 0; i < count; i++) {
        const char *before = !i ? "" : i + 1 < count ? " ," : " No and Cm";
        fprintf(stream, strchr(names[i], ' ') ? "%s \"%s\"" : "%s %s", before, names[i]);
    }
    fputs(count < VERY_MANY ? " .\n" : " .\n.Pp\n", stream);
}

/* The names that a parameter takes; some take a number as well. */
static void print_choices(FILE *stream, const struct parameter *row) {
    size_t count = 0;
    while (row->choices[count])
        count++;
    print_names(stream,
                !row->takes_number ? "The values are"
                : count > 1        ? "Besides numbers, the values are"
                                   : "The value is a number, or",
                row->choices, count);
}

/* What a member holds, and the names that scripts find there, unless its sentence has them. */
static void print_member(FILE *stream, const struct record_member *member) {
    const bool is_choice = member->kind == &record_choice;
    const struct record_names_of *of = member->of;
    bool is_said = !is_choice && member->kind != &record_names;
    print_summary(stream, member->says, NULL, false, false);
    if (is_said)
        return;
    is_said = true;
    for (size_t i = 0; i < of->count; i++)
        is_said = is_said && strstr(member->says, of->names[i]);
    if (!is_said)
        print_names(stream, is_choice ? "The values are" : "The names of its members are",
                    of->names, of->count);
}

static void print_parameter(FILE *stream, const struct parameter *row) {
    if (row->kind == PARAMETER_CHOICE)
        print_choices(stream, row);
    if (row->kind == PARAMETER_INTEGER)
        fprintf(stream, "The value is from %s%" PRId64 " to %" PRId64 ".\n",
                row->least < 0 ? "\\" : "", row->least, row->most);
    if (row->otherwise)
        fprintf(stream, "The default is\n.Cm %s .\n", row->otherwise);
    print_takers(stream, (int)(row - parameter_rows));
}

/* Whether a name is that of an operation or a group, or stands for a group as packed.* does. */
static bool is_of_operations(const char *name, size_t length) {
    char word[64];
    struct error error;
    length -= length > 2 && strncmp(name + length - 2, ".*", 2) == 0 ? 2 : 0;
    if (length >= sizeof word)
        return false;
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    bool known = operation_find(word, &error) != NULL;
    for (size_t i = 0; operation_at(i) && !known; i++)
        known = operation_in_group(operation_at(i), word);
    return known;
}

/* What follows the names of operations that a summary begins with ("sgd, adam: ..."); the summary if it begins with none. */
static const char *behind_operations(const char *summary) {
    for (const char *at = summary;; at += 2) {
        const size_t length = strcspn(at, ",: ");
        if (!at[length] || at[length + 1] != ' ' || !is_of_operations(at, length))
            return summary;
        at += length;
        if (*at == ':')
            return at + 2;
    }
}

/* The summary of a parameter: without the operations that it begins with, which are printed apart, unless others follow. */
static void print_bare_summary(FILE *stream, const char *summary, const char *value) {
    const char *bare = behind_operations(summary);
    const bool others_follow = bare != summary && strchr(bare, ':');
    print_summary(stream, others_follow ? summary : bare, value, !others_follow, true);
}

static void print_option(FILE *stream, const struct option *option,
                         const struct parameter *parameter) {
    fprintf(stream, ".It ");
    if (option->letter)
        fprintf(stream, "Fl %c , ", option->letter);
    fprintf(stream, "Fl -%s", option->name);
    fprintf(stream, option->value ? " Ar %s\n" : "\n", option->value);
    if (parameter)
        print_bare_summary(stream, option->help, option->value);
    else
        print_sentence(stream, option->help, option->value);
}

static void print_operation(FILE *stream, const struct operation *operation, bool more_follows) {
    const char *stop = more_follows ? "." : "";
    fprintf(stream, ".It Cm %s\n%s%s\n", operation->name, operation->formula,
            operation->aliases ? ";" : stop);
    const char *aliases = operation->aliases, *separator = "also called\n.Cm";
    while (aliases && *aliases) {
        size_t length = strcspn(aliases, " ");
        fprintf(stream, "%s %.*s", separator, (int)length, aliases);
        separator = " ,";
        aliases += length + (aliases[length] == ' ');
    }
    if (operation->aliases)
        fprintf(stream, "%s%s\n", more_follows ? " " : "", stop);
}

/* A formula as a word of a page. */
static void print_formula(FILE *stream, const char *formula, const char *stop) {
    fputs(".Ql \"", stream);
    for (; *formula; formula++)
        fprintf(stream, *formula == '-' ? "\\-" : "%c", *formula);
    fprintf(stream, "\" %s\n", stop);
}

static void print_cause(FILE *stream, const struct manual_item *item) {
    const char *operation, *next, *formula = item->says;
    char text[640]; /* room for a form with the place that it is written in */
    fprintf(stream, ".It Cm %s\n", item->name);
    if (item->subject) {
        snprintf(text, sizeof text, "%s%s", item->subject, item->says);
        print_summary(stream, text, NULL, !item->is_name, !item->is_name);
        return;
    }
    for (size_t i = item->rewriting + 1; formula; i++, formula = next) {
        next = identity_row(i, &operation);
        if (next && strcmp(operation, item->name) != 0)
            next = NULL;
        snprintf(text, sizeof text, "%.*s", identity_name_length(formula), formula);
        print_formula(stream, text, next ? "," : ".");
    }
}

void manual_print_item(FILE *stream, const struct manual_item *item, bool more_follows) {
    if (item->says) {
        print_cause(stream, item);
    } else if (item->member) {
        fprintf(stream, ".It Va %s\n", item->name);
        if (!more_follows)
            print_member(stream, item->member);
    } else if (item->property) {
        fprintf(stream, ".It Cm %s\n", item->property->name);
        print_sentence(stream, item->property->summary, NULL);
    } else if (item->operation)
        print_operation(stream, item->operation, more_follows);
    else
        print_option(stream, item->option, item->parameter);
}

void manual_print_item_end(FILE *stream, const struct manual_item *item) {
    if (item->parameter)
        print_parameter(stream, item->parameter);
}

void manual_print_commands(FILE *stream, const struct command *const *commands) {
    for (size_t i = 0; commands[i]; i++) {
        fprintf(stream, ".It Cm %s\n", commands[i]->name);
        print_sentence(stream, commands[i]->summary, NULL);
        fprintf(stream, "See\n.Xr detcheck-%s 1 .\n", commands[i]->name);
    }
}
