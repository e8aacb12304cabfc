/* Rows as mdoc. */
#include "manual_items.h"

#include "base/names.h"
#include "explain/arrays.h"
#include "explain/conversion.h"
#include "explain/hypothesis.h"
#include "explain/identity.h"
#include "explain/requantised.h"
#include "impl/forms/forms.h"
#include "invariance/record.h"
#include "report/digests_record.h"
#include "report/inputs_record.h"
#include "report/run_record.h"
#include "sweep/search/record.h"
#include "sweep/tally_record.h"
#include "trace/record.h"

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
    filler->column += length + 1;
    for (size_t i = 0; i < length; i++) {
        char letter = word[i];
        bool first = i == 0 && !filler->begun;
        if (letter == '-' && (i == 0 || !isalpha((unsigned char)word[i - 1])))
            fputc('\\', filler->stream);
        fputc(first ? toupper((unsigned char)letter) : letter, filler->stream);
    }
    filler->begun = true;
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

/* A summary as a sentence: the value's name as an argument, names of options as those. */
static void print_sentence(FILE *stream, const char *text, const char *value) {
    struct filler filler = {.stream = stream};
    char word[128];
    while (*text) {
        size_t length = strcspn(text, " \n");
        bool last = !text[length];
        snprintf(word, sizeof word, "%.*s%s", (int)length, text, last ? "." : "");
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

static const struct command *command_of(const struct command *const *commands, const char *name) {
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

size_t manual_options(const struct command *const *commands, const char *argument,
                      struct manual_item *items, size_t most) {
    const struct command *command = command_of(commands, argument);
    size_t count = 0;
    if (!command)
        return 0;
    for (const struct option *option = command->options; option->name && count < most - 1; option++)
        items[count++] = (struct manual_item){.name = option->name, .option = option};
    items[count++] = (struct manual_item){.name = help_option.name, .option = &help_option};
    return count;
}

static bool takes(const struct operation *operation, int parameter) {
    return operation->parameters >> parameter & 1;
}

/* The group that every operation which takes the parameter is of, where rows name one. */
static const char *group_of(int parameter) {
    const char *group = NULL;
    bool first = true;
    for (size_t i = 0; operation_at(i); i++) {
        if (!takes(operation_at(i), parameter))
            continue;
        const char *own = operation_at(i)->group;
        group = first ? own : own && group && strcmp(own, group) == 0 ? group : NULL;
        first = false;
    }
    return group;
}

size_t manual_parameters(const struct command *const *commands, const char *argument,
                         struct manual_item *items, size_t most) {
    (void)commands;
    const struct option *options = parameter_options(PARAMETERS_ALL);
    size_t count = 0;
    for (int i = 0; i < PARAMETER_COUNT && count < most; i++) {
        const char *group = group_of(i);
        /* Those of arrays are in the general list: of scaled ones and of integers too, as it is. */
        bool apart = group && strcmp(group, "arrays") != 0;
        if (*argument ? apart && strcmp(group, argument) == 0 : !apart)
            items[count++] = (struct manual_item){
                .name = options[i].name, .option = &options[i], .parameter = &parameter_rows[i]};
    }
    return count;
}

size_t manual_operations(const struct command *const *commands, const char *argument,
                         struct manual_item *items, size_t most) {
    (void)commands;
    size_t count = 0;
    for (size_t i = 0; operation_at(i) && count < most; i++)
        if (*argument ? operation_in_group(operation_at(i), argument) : !operation_at(i)->group)
            items[count++] =
                (struct manual_item){.name = operation_at(i)->name, .operation = operation_at(i)};
    return count;
}

size_t manual_properties(const struct command *const *commands, const char *argument,
                         struct manual_item *items, size_t most) {
    (void)commands;
    const enum call_kind kind = strcmp(argument, "arrays") == 0 ? CALL_ON_ARRAYS : CALL_ON_NUMBERS;
    size_t count = 0;
    for (size_t i = 0; i < property_row_count && count < most; i++)
        if (property_is_of(property_rows[i], kind))
            items[count++] =
                (struct manual_item){.name = property_rows[i]->name, .property = property_rows[i]};
    return count;
}

/* The rewritings, an item for each operation, whose rows are beside one another. */
static size_t gather_rewritings(struct manual_item *items, size_t most) {
    const char *operation, *formula, *before = "";
    size_t count = 0;
    for (size_t i = 0; (formula = identity_row(i, &operation)) && count < most; i++) {
        if (strcmp(operation, before) != 0)
            items[count++] =
                (struct manual_item){.name = operation, .says = formula, .rewriting = i};
        before = operation;
    }
    return count;
}

/* Those of conversions alone: the last ones are those of functions, too. */
static size_t gather_conversions(struct manual_item *items, size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < conversion_hypothesis_count && count < most; i++) {
        const struct hypothesis row = conversion_hypothesis(i);
        if (row.source == FROM_CONVERSION)
            items[count++] =
                (struct manual_item){.name = row.name, .subject = "the side ", .says = row.says};
    }
    return count;
}

static size_t gather_rows(struct hypothesis row_at(size_t index), struct manual_item *items,
                          size_t most) {
    size_t count = 0;
    for (struct hypothesis row = row_at(0); row.name && count < most; row = row_at(count))
        items[count++] =
            (struct manual_item){.name = row.name, .subject = "the side ", .says = row.says};
    return count;
}

size_t manual_causes(const struct command *const *commands, const char *argument,
                     struct manual_item *items, size_t most) {
    const bool bits = strcmp(argument, "bits") == 0;
    size_t count = 0;
    (void)commands;
    if (strcmp(argument, "rewritings") == 0)
        return gather_rewritings(items, most);
    if (strcmp(argument, "conversions") == 0)
        return gather_conversions(items, most);
    if (strcmp(argument, "sums") == 0)
        return gather_rows(sums_hypothesis, items, most);
    if (strcmp(argument, "requantisations") == 0)
        return gather_rows(requantised_hypothesis, items, most);
    for (size_t i = 0; i < (bits ? hypothesis_count : PLACES) && count < most; i++) {
        const struct hypothesis *row = bits ? &hypotheses[i] : &place_rows[i];
        const bool of_side =
            bits ? row->source != FROM_BOTH : i == PLACE_REPETITION || i == PLACE_POSITION;
        items[count++] = (struct manual_item){
            .name = row->name, .subject = of_side ? "the side " : "", .says = row->says};
    }
    return count;
}

/* The forms of an operation, each with where it is written. */
size_t manual_forms(const struct command *const *commands, const char *argument,
                    struct manual_item *items, size_t most) {
    enum { MOST_FORMS = 128, SAYS_ROOM = 400 };
    static char says[MOST_FORMS][SAYS_ROOM]; /* for one list after the other */
    size_t count = 0;
    (void)commands;
    for (size_t i = 0; i < form_count && i < MOST_FORMS && count < most; i++) {
        if (!form_names_operation(forms[i].operations, argument))
            continue;
        snprintf(says[i], SAYS_ROOM, "%s%s%s%s; %s", forms[i].gelu ? "approximate " : "",
                 forms[i].gelu ? forms[i].gelu : "", forms[i].gelu ? ": " : "", forms[i].says,
                 forms[i].source);
        items[count++] =
            (struct manual_item){.name = forms[i].name, .subject = "", .says = says[i]};
    }
    return count;
}

/* The members of a record, by their paths. */
struct gathered {
    struct manual_item *items;
    size_t count, most;
};
enum { MOST_MEMBERS = 128, MOST_PATH = 64 };

static void gather_member(void *context, const char *path, const struct record_member *member) {
    static char paths[MOST_MEMBERS][MOST_PATH]; /* for the one list that there is */
    struct gathered *gathered = context;
    size_t at = gathered->count;
    if (at == gathered->most || at == MOST_MEMBERS)
        return;
    snprintf(paths[at], MOST_PATH, "%s", path);
    gathered->items[gathered->count++] = (struct manual_item){.name = paths[at], .member = member};
}

size_t manual_members(const struct command *const *commands, const char *argument,
                      struct manual_item *items, size_t most) {
    struct gathered gathered = {items, 0, most};
    (void)commands;
    static const struct record *const records[] = {
        &tally_record, &search_record,   &invariance_properties,
        &run_record,   &inputs_record,   &digests_record,
        &tool_record,  &platform_record, &trace_comparison_record};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (strcmp(argument, records[i]->name) == 0)
            record_walk(records[i], gather_member, &gathered);
    return gathered.count;
}

/* The operations that take a parameter: a group whose operations all do by its name. */
static void print_takers(FILE *stream, int parameter) {
    const char *separator = "Taken by ";
    const char *done = "";
    for (size_t i = 0; operation_at(i); i++) {
        const char *group = operation_at(i)->group, *name = operation_at(i)->name;
        bool all = group != NULL;
        for (size_t j = 0; all && operation_at(j); j++)
            all = !operation_in_group(operation_at(j), group) || takes(operation_at(j), parameter);
        if (!takes(operation_at(i), parameter) || (all && strcmp(done, group) == 0))
            continue;
        if (all)
            done = name = group;
        fprintf(stream, "%s%s", separator, name);
        separator = ",\n";
    }
    fprintf(stream, ".\n");
}

static void print_parameter(FILE *stream, const struct parameter *row) {
    const char *separator = "One of\n.Cm";
    for (size_t i = 0; row->kind == PARAMETER_CHOICE && row->choices[i]; i++) {
        fprintf(stream, "%s %s", separator, row->choices[i]);
        separator = " ,";
    }
    if (row->kind == PARAMETER_CHOICE)
        fprintf(stream, " .\n");
    if (row->kind == PARAMETER_INTEGER)
        fprintf(stream, "From %s%" PRId64 " to %" PRId64 ".\n", row->least < 0 ? "\\" : "",
                row->least, row->most);
    if (row->otherwise)
        fprintf(stream, "The default is\n.Cm %s .\n", row->otherwise);
    print_takers(stream, (int)(row - parameter_rows));
}

/* The summary of a parameter without the operations that it begins with, which are told apart. */
static const char *bare_summary(const char *summary) {
    char name[64];
    size_t length = strcspn(summary, ": ");
    struct error error;
    if (summary[length] != ':' || length >= sizeof name)
        return summary;
    snprintf(name, sizeof name, "%.*s", (int)length, summary);
    bool known = operation_find(name, &error) != NULL;
    for (size_t i = 0; operation_at(i) && !known; i++)
        known = operation_in_group(operation_at(i), name);
    return known ? summary + length + 2 : summary;
}

static void print_option(FILE *stream, const struct option *option,
                         const struct parameter *parameter) {
    fprintf(stream, ".It ");
    if (option->letter)
        fprintf(stream, "Fl %c , ", option->letter);
    fprintf(stream, "Fl -%s", option->name);
    fprintf(stream, option->value ? " Ar %s\n" : "\n", option->value);
    print_sentence(stream, parameter ? bare_summary(option->help) : option->help, option->value);
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
    char text[256];
    fprintf(stream, ".It Cm %s\n", item->name);
    if (item->subject) {
        snprintf(text, sizeof text, "%s%s", item->subject, item->says);
        print_sentence(stream, text, NULL);
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
            fprintf(stream, "%s\n", item->member->says);
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

bool manual_print_synopsis(FILE *stream, const struct command *const *commands, const char *name) {
    const struct command *command = command_of(commands, name);
    if (!command)
        return false;
    for (const struct option *option = command->options; option->name; option++) {
        if (option->letter)
            fprintf(stream, ".Op Fl %c", option->letter);
        else
            fprintf(stream, ".Op Fl -%s", option->name);
        fprintf(stream, option->value ? " Ar %s\n" : "\n", option->value);
    }
    if (command->parameters)
        fprintf(stream, ".Op Ar PARAMETER ...\n");
    return true;
}

void manual_print_commands(FILE *stream, const struct command *const *commands) {
    for (size_t i = 0; commands[i]; i++) {
        fprintf(stream, ".It Cm %s\n", commands[i]->name);
        print_sentence(stream, commands[i]->summary, NULL);
        fprintf(stream, "See\n.Xr detcheck-%s 1 .\n", commands[i]->name);
    }
}
