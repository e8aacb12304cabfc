/* Which options need another one, and which another one makes idle: a table. */
#include "no_effect.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Words stand between blanks. A condition is the name of an option, or NAME~PART: it was given with
 * a value of which PART is a part. */
struct rule {
    const char *commands, *options; /* "+": each parameter of operations */
    const char *needs;              /* one of these conditions, or NULL for any */
    const char *idle;               /* with one of these it does nothing, or NULL */
    const char *says;               /* "without --impl", "with --inputs-of" */
    const char *spares;             /* options that it is not about after all, or NULL */
};

#define OF_INPUTS "rounding all range samples run-length seed special inputs inputs-as rebuild +"
#define OF_FILES  "without --impl: two files say themselves what they are of"

static const struct rule rules[] = {
    {"explain", "format " OF_INPUTS, "impl folded", NULL,
     "without --impl or --folded: two files say themselves what they are of", NULL},
    {"explain", "impl rebuild run-named", NULL, "folded",
     "with --folded, which compares a compiler's constants with its own calls", NULL},
    {"compare", OF_INPUTS, "impl", NULL, OF_FILES, "shape"}, /* which files of tensors may need */
    {"compare explain", "run-named", NULL, "impl", "with --impl, which names what runs", NULL},
    {"emit", "count seed hard", NULL, "inputs-of", "with --inputs-of", NULL},
    {"sweep", "recheck", NULL, "oracle~exact oracle~mpfr", "without the fast filter", NULL},
    {"sweep search", "plot csv", NULL, "json~=-", "with --json -, which takes stdout", NULL},
    {"sweep search", "plot csv", NULL, "quiet", "with --quiet", NULL},
    {"sweep search", "plot", NULL, "csv", "with --csv", NULL},
    {"sweep search invariance eval table emit", "random random-bits random-seed",
     "rounding~stochastic scale-rounding~stochastic", NULL, "without --rounding stochastic", NULL},
    {"emit", "flags", NULL, "as~=numpy-csv", "with --as numpy-csv, whose lines have none", NULL},
    {"eval", "seed", "draw", NULL, "without --draw", NULL},
    {"emit", "tininess", "flags as~testfloat as~tst", NULL, "without --flags", NULL},
    {"sweep search eval verify", "inexact tininess may-clear", "flags", NULL, "without --flags",
     NULL},
    {"sweep search invariance reveal eval verify", "timeout memory",
     "impl~lib: impl~exec: impl~exec-text: impl~py:", NULL,
     "without --impl lib:..., exec:..., exec-text:... or py:...", NULL},
    {"sweep invariance reveal eval verify compare explain", "tile split-k", "impl~mma:", NULL,
     "without --impl mma:UNIT", NULL},
    {"sweep search invariance reveal eval verify", "no-isolation", "impl~lib:", NULL,
     "without --impl lib:...", NULL},
};

/* Whether one of the words is this one. */
static bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* Upper and lower case are the same in names. */
static bool has_part(const char *text, const char *part) {
    size_t length = strlen(part);
    for (; *text; text++) {
        size_t same = 0;
        while (same < length && tolower((unsigned char)text[same]) == part[same])
            same++;
        if (same == length)
            return true;
    }
    return false;
}

/* One condition, of `length` characters. */
static bool holds(const struct arguments *arguments, const char *condition, size_t length) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, condition);
    char *part = strchr(name, '~');
    if (part)
        *part++ = '\0';
    for (size_t i = 0; i < arguments->given_count; i++) {
        const char *value = arguments->given[i].value;
        if (strcmp(arguments->given[i].option->name, name) == 0 &&
            (!part || (*part == '=' ? strcmp(value, part + 1) == 0 : has_part(value, part))))
            return true;
    }
    return false;
}

static bool any_holds(const struct arguments *arguments, const char *conditions) {
    for (const char *at = conditions; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (holds(arguments, at, length))
            return true;
        at += length;
    }
    return false;
}

bool options_have_effect(const struct command *command, const struct arguments *arguments,
                         struct error *error) {
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct option *option = arguments->given[i].option;
        for (size_t j = 0; j < sizeof rules / sizeof *rules; j++) {
            const struct rule *rule = &rules[j];
            bool about = has_word(rule->commands, command->name) &&
                         (has_word(rule->options, option->name) ||
                          (has_word(rule->options, "+") && option_parameter(option)));
            about = about && !(rule->spares && has_word(rule->spares, option->name));
            if (about && ((rule->needs && !any_holds(arguments, rule->needs)) ||
                          (rule->idle && any_holds(arguments, rule->idle))))
                return error_set(error, "--%s has no effect %s", option->name, rule->says);
        }
    }
    return true;
}
