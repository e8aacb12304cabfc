/* What a word is, wherever the program or its manual knows it. */
#include "help.h"

#include "base/names.h"
#include "format/format.h"
#include "glossary.h"
#include "impl/implementation.h"
#include "op/operation.h"
#include "op/p3109_names.h"
#include "pages.h"

#include <stdio.h>
#include <string.h>

#define OWN_PAGES "detcheck-"
enum { MOST_NAMES = 4096 };

/* "binade (word): the numbers from ...", in lines of 80 columns. */
static void print_meaning(const char *word, const char *kind, const char *means) {
    char line[1024];
    snprintf(line, sizeof line, "%s (%s): %s", word, kind, means);
    help_print_filled(line, 0);
}

static bool print_glossary(const char *word) {
    bool found = false;
    for (const struct glossary_row *row = glossary; row->word; row++)
        if (name_matches(word, row->word, NULL)) {
            print_meaning(row->word, "word", row->means);
            found = true;
        }
    return found;
}

static bool print_operation(const char *word) {
    const struct operation *operation = operation_row(word);
    if (!operation)
        return false;
    printf("%s (operation): %s\n", operation->name, operation->formula);
    if (operation->aliases)
        printf("  also called %s\n", operation->aliases);
    printf("  try: detcheck sweep %s\n", operation->name);
    help_print_parameters(operation);
    return true;
}

/* "ExpMinusOne" and "ScaledAdd" are IEEE P3109's names of expm1, and of add on operands with scales. */
static bool print_p3109(const char *word) {
    struct p3109_word found;
    char means[160];
    if (!p3109_find_word(word, &found))
        return false;
    snprintf(means, sizeof means, "%s%s; detcheck-p3109-operations(7)",
             found.operation ? found.operation : "", found.how);
    print_meaning(word, "operation of IEEE P3109", means);
    return true;
}

static bool print_format(const char *word) {
    struct error unknown;
    const struct format *format = format_find(word, &unknown);
    if (!format)
        return false;
    if (format->element || format->of[0]) {
        printf("%s (format): %u bits, of IEEE P3109's operations: detcheck-p3109-operations(7)\n",
               format->name, format->width);
        return true;
    }
    printf("%s (format): %u bits, precision %d, exponents %d to %d%s%s\n", format->name,
           format->width, format->precision, format->emin, format->emax,
           format->has_infinity ? ", infinity" : "", format->has_nan ? ", NaN" : "");
    if (format->aliases && *format->aliases)
        printf("  also called %s\n", format->aliases);
    return true;
}

static bool print_rounding(const char *word) {
    enum rounding rounding;
    if (!rounding_find(word, &rounding))
        return false;
    printf("%s (rounding): --rounding %s\n", rounding_names[rounding], rounding_names[rounding]);
    return true;
}

static bool print_implementation(const char *word) {
    bool found = false;
    const size_t length = strcspn(word, ":");
    for (size_t i = 0; i < implementation_kind_count; i++) {
        const char *name = implementation_kinds[i]->name;
        if (strcspn(name, ":") != length || strncmp(name, word, length) != 0)
            continue;
        print_meaning(name, "implementation", implementation_kinds[i]->summary);
        found = true;
    }
    return found;
}

/* Each wording once, with the commands that have it. */
static bool print_options(const struct command *const *commands, const char *word) {
    const char *name = word + strspn(word, "-"), *said[64];
    size_t count = 0;
    for (size_t i = 0; commands[i]; i++) {
        const struct option *option = help_find_option(commands[i], name);
        bool is_new = option != NULL;
        for (size_t j = 0; j < count && is_new; j++)
            is_new = strcmp(said[j], option->help) != 0;
        if (!is_new || count == sizeof said / sizeof *said)
            continue;
        said[count++] = option->help;
        printf("--%s (option of", name);
        for (size_t j = i; commands[j]; j++) {
            const struct option *other = help_find_option(commands[j], name);
            if (other && strcmp(other->help, option->help) == 0)
                printf(" %s", commands[j]->name);
        }
        printf(")\n");
        help_print_option(option);
    }
    for (const struct option *option = parameter_options(PARAMETERS_ALL); option->name; option++)
        if (strcmp(option->name, name) == 0) {
            printf("--%s (parameter of operations)\n", name);
            help_print_option(option);
            count++;
        }
    return count > 0;
}

/* What comes behind "detcheck-", or the whole name. */
static const char *short_name(const struct manual_page_row *page) {
    const size_t own = strlen(OWN_PAGES);
    return page->name + (strncmp(page->name, OWN_PAGES, own) == 0 ? own : 0);
}

/* A page by its name, with or without "detcheck-" in front and its section behind: casts, casts(7). */
static bool page_matches(const struct manual_page_row *page, const char *word) {
    char section[8], name[80];
    snprintf(section, sizeof section, "(%d)", page->section);
    const size_t length = strlen(word);
    const bool ends =
        length > strlen(section) && strcmp(word + length - strlen(section), section) == 0;
    snprintf(name, sizeof name, "%.*s", (int)(ends ? length - strlen(section) : length), word);
    return name_matches(name, short_name(page), page->name);
}

static bool print_pages(const char *word) {
    bool found = false;
    for (const struct manual_page_row *page = manual_pages; page->name; page++) {
        if (!page_matches(page, word))
            continue;
        print_meaning(page->name, "page", page->about);
        printf("  man %d %s\n", page->section, page->name);
        found = true;
    }
    return found;
}

/* Sentences about the variable, and the pages that speak of it. */
static bool print_variable(const char *word) {
    bool found = false;
    for (const struct manual_variable_row *row = manual_variables; row->names; row++)
        if (name_matches(word, "", row->names)) {
            print_meaning(row->names, "environment variable", row->means);
            found = true;
        }
    char pages[512] = "";
    for (const struct manual_page_row *page = manual_pages; page->name; page++) {
        const size_t length = strlen(pages);
        if (name_matches(word, "", page->variables))
            snprintf(pages + length, sizeof pages - length, "%s %s(%d)", length ? "," : "",
                     page->name, page->section);
    }
    if (*pages)
        print_meaning(word, found ? "in the manual" : "environment variable", pages + 1);
    return found || *pages;
}

bool help_print_word(const struct command *const *commands, const char *word) {
    bool found = print_glossary(word);
    found = print_operation(word) || found;
    found = print_p3109(word) || found;
    found = print_format(word) || found;
    found = print_rounding(word) || found;
    found = print_implementation(word) || found;
    found = print_options(commands, word) || found;
    found = print_variable(word) || found;
    return print_pages(word) || found;
}

/* ---- words that people use for a page ---- */

const char *help_meant(const char *word) {
    static const struct {
        const char *word, *page;
    } rows[] = {{"port", "porting"}, {"machine", "compare"}, {"machines", "compare"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(word, rows[i].word) == 0)
            return rows[i].page;
    return word;
}

/* ---- the nearest word ---- */

/* All that help finds a meaning of, a name each. */
struct known {
    const char *names[MOST_NAMES];
    size_t count;
};

static void know(struct known *known, const char *name) {
    if (known->count < MOST_NAMES)
        known->names[known->count++] = name;
}

static void know_options(struct known *known, const struct option *options) {
    for (const struct option *option = options; option->name; option++)
        know(known, option->name);
}

const char *help_nearest(const struct command *const *commands, const char *word) {
    static struct known known;
    known.count = 0;
    for (size_t i = 0; commands[i]; i++)
        know(&known, commands[i]->name);
    for (const struct glossary_row *row = glossary; row->word; row++)
        know(&known, row->word);
    for (const struct manual_page_row *page = manual_pages; page->name; page++)
        know(&known, short_name(page));
    for (size_t i = 0; commands[i]; i++)
        know_options(&known, commands[i]->options);
    know_options(&known, parameter_options(PARAMETERS_ALL));
    for (size_t i = 0; operation_at(i); i++)
        know(&known, operation_at(i)->name);
    for (size_t i = 0; p3109_word_at(i); i++)
        know(&known, p3109_word_at(i));
    for (size_t i = 0; i < format_count; i++)
        know(&known, formats[i].name);
    for (size_t i = 0; i < ROUNDING_NAMES; i++)
        know(&known, rounding_names[i]);
    for (size_t i = 0; i < implementation_kind_count; i++)
        know(&known, implementation_kinds[i]->name);
    for (const struct manual_variable_row *row = manual_variables; row->names; row++)
        know(&known, row->names);
    return name_nearest(word + strspn(word, "-"), known.names, known.count);
}
