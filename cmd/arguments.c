/* Parsing of options by their tables. */
#include "command.h"

#include "base/kept_text.h"
#include "base/names.h"
#include "op/operation.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 256 };

const struct option help_option = {"help", 'h', VALUE_NONE, NULL, "print this help"};

/* Whether an operation on numbers takes it. */
static bool is_of_numbers(int parameter) {
    for (size_t i = 0; operation_at(i); i++)
        if (!operation_at(i)->array && operation_all_parameters(operation_at(i)) >> parameter & 1)
            return true;
    return false;
}

const struct option *parameter_options(enum command_parameters which) {
    static const enum value_kind kinds[] = {
        [PARAMETER_FLAG] = VALUE_NONE,     [PARAMETER_INTEGER] = VALUE_TEXT,
        [PARAMETER_FORMAT] = VALUE_FORMAT, [PARAMETER_CHOICE] = VALUE_CHOICE,
        [PARAMETER_SHAPE] = VALUE_TEXT,    [PARAMETER_NUMBER] = VALUE_TEXT,
        [PARAMETER_TEXT] = VALUE_TEXT};
    static struct option options[PARAMETERS_ALL + 1][PARAMETER_COUNT + 1];
    struct option *mine = options[which];
    size_t count = 0;
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (which == PARAMETERS_ALL || (which == PARAMETERS_OF_NUMBERS && is_of_numbers(i)))
            mine[count++] = (struct option){.name = parameter_rows[i].name,
                                            .kind = kinds[parameter_rows[i].kind],
                                            .value = parameter_rows[i].value,
                                            .help = parameter_rows[i].summary};
    return mine;
}

const struct parameter *option_parameter(const struct option *option) {
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (option->help == parameter_rows[i].summary) /* the text itself, not its like */
            return &parameter_rows[i];
    return NULL;
}

static const struct option *search_options(const struct option *option, const char *name,
                                           size_t length, char letter) {
    for (; option->name; option++)
        if (letter ? option->letter == letter
                   : strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
    return NULL;
}

bool command_has_option(const struct command *command, const char *name) {
    return search_options(command->options, name, strlen(name), '\0') != NULL;
}

static const struct option *find_option(const struct command *command,
                                        const struct command *planned, const char *name,
                                        size_t length, char letter) {
    const struct option *option = search_options(command->options, name, length, letter);
    if (!option && planned)
        option = search_options(planned->options, name, length, letter);
    if (!option)
        option = search_options(parameter_options(command->parameters), name, length, letter);
    if (option)
        return option;
    if (letter ? letter == 'h' : length == 4 && strncmp(name, "help", 4) == 0)
        return &help_option;
    return NULL;
}

static void add_names(const struct option *option, const char **names, size_t *count) {
    for (; option->name && *count < MAX_OPTIONS; option++)
        names[(*count)++] = option->name;
}

static bool unknown_option(const struct command *command, const struct command *planned,
                           const char *word, struct error *error) {
    const char *names[MAX_OPTIONS];
    size_t count = 0;
    add_names(command->options, names, &count);
    if (planned)
        add_names(planned->options, names, &count);
    add_names(parameter_options(command->parameters), names, &count);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *nearest = strncmp(name, "--", 2) == 0 ? name_nearest(name + 2, names, count) : NULL;
    if (nearest)
        return error_set(error, "%s has no option %s; did you mean --%s?", command->name, name,
                         nearest);
    return error_set(error, "%s has no option %s; 'detcheck %s --help' lists them", command->name,
                     name, command->name);
}

/* A number, a formula that begins with -( or -|, or nothing but a dash is an argument, not an option. */
static bool is_option(const char *word) {
    if (word[0] != '-' || word[1] == '\0')
        return false;
    const char *rest = word + 1;
    return !isdigit((unsigned char)*rest) && !strchr(".(|", *rest) &&
           !name_matches(rest, "inf", NULL) && !name_matches(rest, "infinity", NULL) &&
           !name_matches(rest, "nan", NULL);
}

static bool store_value(struct arguments *arguments, const struct option *option, const char *value,
                        struct error *error) {
    if (arguments->given_count == MAX_OPTIONS_GIVEN)
        return error_set(error, "more than %d options", MAX_OPTIONS_GIVEN);
    arguments->given[arguments->given_count].option = option;
    arguments->given[arguments->given_count++].value = value;
    return true;
}

/* --as A,B is --impl form:A --impl form:B. */
static bool store_forms(const struct command *command, struct arguments *arguments,
                        const char *names, struct error *error) {
    const struct option *implementation =
        find_option(command, arguments->planned, "impl", strlen("impl"), '\0');
    for (const char *at = names;; at++) {
        char spelling[128];
        const size_t length = strcspn(at, ",");
        if (!length || length > sizeof spelling - sizeof "form:")
            return error_set(error,
                             "--as needs FORM, or several with commas between them, not "
                             "'%.80s'",
                             names);
        snprintf(spelling, sizeof spelling, "form:%.*s", (int)length, at);
        const char *value = kept_text(spelling);
        if (!value)
            return error_set(error, "out of memory");
        if (!store_value(arguments, implementation, value, error))
            return false;
        at += length;
        if (!*at)
            return true;
    }
}

/* Stores the option at words[*at] with its value, which may be the next word. */
static bool store_option(const struct command *command, int count, char **words, int *at,
                         struct arguments *arguments, struct error *error) {
    const char *word = words[*at];
    bool is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word + 2, "=") : 0;
    const struct option *option =
        find_option(command, arguments->planned, word + 2, length, is_long ? '\0' : word[1]);
    if (!option || (!is_long && word[2] && option->kind == VALUE_NONE))
        return unknown_option(command, arguments->planned, word, error);
    const char *value = NULL;
    if (is_long && word[2 + length] == '=')
        value = word + 3 + length;
    else if (!is_long && word[2])
        value = word + 2;
    if (option->kind == VALUE_NONE && value)
        return error_set(error, "--%s takes no value", option->name);
    if (option->kind != VALUE_NONE && !value) {
        if (*at + 1 >= count)
            return error_set(error, "--%s needs a value: --%s %s", option->name, option->name,
                             option->value);
        value = words[++*at];
    }
    return option->kind == VALUE_FORM ? store_forms(command, arguments, value, error)
                                      : store_value(arguments, option, value, error);
}

/* The command of which a run is planned, whose shards are to be had; its name, where it is given, is
 * no other argument. */
static const struct command *find_planned(const struct command *command,
                                          const struct arguments *arguments, int *count,
                                          char ***words) {
    for (const struct command *const *at = arguments->commands; *count && *at; at++)
        if (command_has_option(*at, "shard") && strcmp((*at)->name, **words) == 0) {
            --*count;
            ++*words;
            return *at;
        }
    return command->plans;
}

bool arguments_parse(const struct command *command, int count, char **words,
                     struct arguments *arguments, struct error *error) {
    arguments->given_count = 0;
    arguments->positional_count = 0;
    arguments->planned = command->plans ? find_planned(command, arguments, &count, &words) : NULL;
    arguments->positional = calloc((size_t)count + 1, sizeof *arguments->positional);
    if (!arguments->positional)
        return error_set(error, "out of memory");
    bool only_arguments = false;
    for (int at = 0; at < count; at++) {
        const char *word = words[at];
        if (!only_arguments && strcmp(word, "--") == 0) {
            only_arguments = true;
            continue;
        }
        if (only_arguments || !is_option(word))
            arguments->positional[arguments->positional_count++] = word;
        else if (!store_option(command, count, words, &at, arguments, error))
            return false;
    }
    return true;
}

const char *argument_value(const struct arguments *arguments, const char *name,
                           const char *otherwise) {
    for (size_t i = arguments->given_count; i-- > 0;)
        if (strcmp(arguments->given[i].option->name, name) == 0)
            return arguments->given[i].value;
    return otherwise;
}

bool argument_given(const struct arguments *arguments, const char *name) {
    for (size_t i = 0; i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].option->name, name) == 0)
            return true;
    return false;
}

/* 10^zeros times a number; false where that is beyond 64 bits. */
static bool scale(unsigned long long *number, unsigned long zeros) {
    for (; zeros; zeros--) {
        if (*number > ULLONG_MAX / 10)
            return false;
        *number *= 10;
    }
    return true;
}

/* 1000000 as people write it: also 1e6, 1M (k, M, G, T: powers of 1000), 0xf4240 and 2^20. */
static bool read_whole(const char *text, unsigned long long *number) {
    static const char units[] = "kMGT";
    char *end;
    const bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    errno = 0;
    *number = strtoull(text, &end, is_hex ? 16 : 10);
    if (!isdigit((unsigned char)*text) || errno)
        return false;
    const char *unit = *end && !is_hex ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
    if (unit)
        return end[1] == '\0' && scale(number, 3 * (unsigned long)(unit - units + 1));
    const bool is_power = *number == 2 && *end == '^', is_scaled = *end == 'e' || *end == 'E';
    if (is_hex || !(is_power || is_scaled) || !isdigit((unsigned char)end[1]))
        return *end == '\0';
    const unsigned long exponent = strtoul(end + 1, &end, 10);
    if (is_scaled)
        return *end == '\0' && (!*number || scale(number, exponent));
    *number = exponent < 64 ? 1ull << exponent : 0;
    return *end == '\0' && exponent < 64;
}

bool argument_number(const struct arguments *arguments, const char *name, unsigned long long least,
                     unsigned long long most, unsigned long long otherwise,
                     unsigned long long *number, struct error *error) {
    const char *text = argument_value(arguments, name, NULL);
    *number = otherwise;
    if (!text)
        return true;
    return (read_whole(text, number) && *number >= least && *number <= most) ||
           error_set(error, "--%s needs a whole number from %llu to %llu, not '%.40s'", name, least,
                     most, text);
}

bool argument_error(const struct arguments *arguments, const char *name, double otherwise,
                    double *size, struct error *error) {
    const char *text = argument_value(arguments, name, NULL);
    char *end;
    *size = otherwise;
    if (!text)
        return true;
    *size = strtod(text, &end);
    return (end != text && !*end && *size >= 0 && isfinite(*size)) ||
           error_set(error, "--%s needs a number%s, such as %s, not '%.40s'", name,
                     strstr(name, "ulp") ? " of ulps" : "", strstr(name, "ulp") ? "0.75" : "1e-6",
                     text);
}

bool argument_choice(const struct arguments *arguments, const char *name, const char *const *names,
                     int count, int otherwise, int *choice, struct error *error) {
    const char *text = argument_value(arguments, name, NULL);
    char known[256] = "";
    *choice = otherwise;
    if (!text)
        return true;
    for (int i = 0; i < count; i++) {
        const char *separator = i == 0 ? "" : i < count - 1 ? ", " : " or ";
        if (strcmp(text, names[i]) == 0) {
            *choice = i;
            return true;
        }
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", separator, names[i]);
    }
    return error_set(error, "--%s needs %s, not '%.40s'", name, known, text);
}
