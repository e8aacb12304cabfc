/* Manual pages from templates: the directives, and the paragraphs that a template adds to rows. */
#include "manual.h"

#include "base/json.h"
#include "base/output.h"
#include "manual_items.h"
#include "messages.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEMPLATE = 1 << 20, MOST_ITEMS = 256 };

/* A template on its way to a page. */
struct page {
    const char *path;
    const struct command *const *commands;
    char **lines;
    size_t count, at; /* lines, and the one that is read */
    FILE *stream;
    struct error *error;
};

static bool wrong(struct page *page, size_t line, const char *says, const char *name) {
    return error_set(page->error, "%s:%zu: %s '%s'", page->path, line + 1, says, name);
}

/* The rest of a line that begins with the word, without the space between them, or NULL. */
static const char *after_word(const char *line, const char *word) {
    size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || (line[length] && line[length] != ' '))
        return NULL;
    return line + length + (line[length] == ' ');
}

/* Prints an item, with what the template has to add between `first` and `end`. */
static void print_item(const struct page *page, size_t first, size_t end,
                       const struct manual_item *item) {
    const char *about = NULL;
    size_t at = first;
    while (at < end && !(about && strcmp(about, item->name) == 0))
        about = after_word(page->lines[at++], "@about");
    bool found = about && strcmp(about, item->name) == 0;
    manual_print_item(page->stream, item, found);
    for (; found && at < end && !after_word(page->lines[at], "@about"); at++)
        fprintf(page->stream, "%s\n", page->lines[at]);
    manual_print_item_end(page->stream, item);
}

/* Every paragraph is about an item. */
static bool check_paragraphs(struct page *page, size_t first, size_t end,
                             const struct manual_item *items, size_t count) {
    for (size_t i = first; i < end; i++) {
        const char *about = after_word(page->lines[i], "@about");
        if (!about && (page->lines[i][0] == '@' || i == first))
            return wrong(page, i, "not an @about or @end:", page->lines[i]);
        bool found = !about;
        for (size_t j = 0; j < count && !found; j++)
            found = strcmp(about, items[j].name) == 0;
        if (!found)
            return wrong(page, i, "there is no row of the name", about);
    }
    return true;
}

/* A list of items, each with its paragraph; page->at is left at @end. */
static bool print_list(struct page *page, manual_gather *gather, const char *argument) {
    static struct manual_item items[MOST_ITEMS];
    size_t first = page->at + 1, end = first;
    while (end < page->count && strcmp(page->lines[end], "@end") != 0)
        end++;
    if (end == page->count)
        return wrong(page, page->at, "no @end after", page->lines[page->at]);
    size_t count = gather(page->commands, argument, items, MOST_ITEMS);
    if (!count)
        return wrong(page, page->at, "there are no rows for", page->lines[page->at]);
    if (!check_paragraphs(page, first, end, items, count))
        return false;
    for (size_t i = 0; i < count; i++)
        print_item(page, first, end, &items[i]);
    page->at = end;
    return true;
}

static bool print_line(struct page *page) {
    static const struct {
        const char *word;
        manual_gather *gather;
    } lists[] = {{"@options", manual_options},       {"@parameters", manual_parameters},
                 {"@operations", manual_operations}, {"@properties", manual_properties},
                 {"@members", manual_members},       {"@causes", manual_causes},
                 {"@forms", manual_forms},           {"@names", manual_names}};
    const char *line = page->lines[page->at], *argument;
    if (line[0] != '@') {
        fprintf(page->stream, "%s\n", line);
        return true;
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if ((argument = after_word(line, lists[i].word)))
            return print_list(page, lists[i].gather, argument);
    if ((argument = after_word(line, "@synopsis")))
        return manual_print_synopsis(page->stream, page->commands, argument) ||
               wrong(page, page->at, "there is no command", argument);
    if (!after_word(line, "@commands"))
        return wrong(page, page->at, "unknown directive", line);
    manual_print_commands(page->stream, page->commands);
    return true;
}

/* Divides the text into lines, which point into it. */
static bool divide(struct page *page, char *text) {
    size_t most = 1;
    for (const char *at = text; *at; at++)
        most += *at == '\n';
    page->lines = calloc(most, sizeof *page->lines);
    if (!page->lines)
        return error_set(page->error, "out of memory");
    while (*text) {
        size_t length = strcspn(text, "\n");
        bool ends = text[length] == '\n';
        text[length] = '\0';
        page->lines[page->count++] = text;
        text += length + ends;
    }
    return true;
}

int manual_page(int count, char **words, const struct command *const *commands) {
    struct error error;
    if (count != 4) {
        error_set(&error, MANUAL_PAGE " needs a template and a page");
        return trouble(&error);
    }
    struct page page = {.path = words[2], .commands = commands, .error = &error};
    struct output output = {0};
    size_t length;
    char *text = file_read(words[2], MOST_TEMPLATE, "template", &length, &error);
    bool good = text && divide(&page, text) && output_open(&output, words[3], &error);
    for (page.stream = output.stream; good && page.at < page.count; page.at++)
        good = print_line(&page);
    good = good && output_commit(&output, &error);
    output_discard(&output);
    free(page.lines);
    free(text);
    return good ? EXIT_OK : trouble(&error);
}
