/* Reading and evaluating the conditions of Requires:. */
#include "gate/kappa_requires.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WANTED "wanted a condition such as ('fx == fr') or ('fx in [Binary8p3se, Binary8p4se]')"

/* A longer text before its beginning. An order holds where the sign of left - right is one of two. */
static const struct {
    const char *text;
    int first, second;
} comparisons[] = {{"==", 0, 0}, {"!=", -1, 1}, {"<=", -1, 0},
                   {">=", 0, 1}, {"<", -1, -1}, {">", 1, 1}};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons, IN = -1 };

static const struct {
    const char *name;
    enum kappa_property property;
} properties[] = {{"BitwidthOf", KAPPA_BITWIDTH}, {"PrecisionOf", KAPPA_PRECISION}};
enum { PROPERTIES = sizeof properties / sizeof *properties };

const struct format *kappa_format(const char *name) {
    char text[KAPPA_WORD];
    struct error unknown;
    size_t length = 0;
    for (; name[length] && length < sizeof text - 1; length++)
        text[length] = (char)tolower((unsigned char)name[length]);
    text[length] = '\0';
    return name[length] ? NULL : format_find(text, &unknown);
}

/* A word that is no longer than any name. */
static bool take_word(const char **at, char word[KAPPA_WORD]) {
    const size_t length = kappa_take_word(at, word);
    return length && length < KAPPA_WORD;
}

static bool take_term(const char **at, struct kappa_term *term) {
    if (!take_word(at, term->name))
        return false;
    term->property = KAPPA_FORMAT;
    if (!term->name[strspn(term->name, "0123456789")]) {
        term->property = KAPPA_INTEGER;
        term->integer = strtol(term->name, NULL, 10);
        return true;
    }
    for (size_t i = 0; i < PROPERTIES; i++)
        if (strcmp(term->name, properties[i].name) == 0) {
            term->property = properties[i].property;
            return kappa_take(at, "(") && take_word(at, term->name) && kappa_take(at, ")");
        }
    return true;
}

/* The formats behind `in`. */
static bool take_choices(struct kappa_requires *requires, const char **at,
                         struct kappa_condition *condition) {
    condition->comparison = IN;
    condition->first = requires->choice_count;
    if (condition->left.property != KAPPA_FORMAT || !kappa_take(at, "["))
        return false;
    do {
        if (requires->choice_count == KAPPA_CHOICES ||
            !take_word(at, requires->choices[requires->choice_count]))
            return false;
        requires->choice_count++;
        condition->choices++;
    } while (kappa_take(at, ","));
    return kappa_take(at, "]");
}

/* "fx == fr" and the like. */
static bool take_condition(struct kappa_requires *requires, const char **at,
                           struct kappa_condition *condition) {
    if (!take_term(at, &condition->left))
        return false;
    if (kappa_take(at, "in "))
        return take_choices(requires, at, condition);
    int found = 0;
    while (found < COMPARISONS && !kappa_take(at, comparisons[found].text))
        found++;
    condition->comparison = found;
    if (found == COMPARISONS || !take_term(at, &condition->right))
        return false;
    const bool are_formats = condition->left.property == KAPPA_FORMAT;
    return are_formats == (condition->right.property == KAPPA_FORMAT) &&
           (!are_formats || found < 2);
}

static bool refuse(char *wrong, size_t room, const char *text, const char *name) {
    snprintf(wrong, room, text, name);
    return false;
}

/* Behind "(": the condition in quotes. */
static bool take_quoted(struct kappa_requires *requires, const char **at, size_t line, char *wrong,
                        size_t room) {
    struct kappa_condition condition = {.line = line};
    *at += strspn(*at, " ");
    const char quote[2] = {**at, '\0'};
    if (*quote != '\'' && *quote != '"')
        return refuse(wrong, room, "%s", WANTED);
    ++*at;
    if (!take_condition(requires, at, &condition) || !kappa_take(at, quote) || !kappa_take(at, ")"))
        return refuse(wrong, room, "%s", WANTED);
    for (size_t i = 0; i < condition.choices; i++)
        if (!kappa_format(requires->choices[condition.first + i]))
            return refuse(wrong, room, "%s is not a format, such as Binary8p4se",
                          requires->choices[condition.first + i]);
    if (requires->count == KAPPA_CONDITIONS)
        return refuse(wrong, room, "%s", "a declaration has at most 16 conditions");
    requires->conditions[requires->count++] = condition;
    return true;
}

bool kappa_requires_take(struct kappa_requires *requires, const char *text, size_t line,
                         char *wrong, size_t room) {
    const bool several = kappa_take(&text, "[");
    do {
        if (!kappa_take(&text, "("))
            return refuse(wrong, room, "%s", WANTED);
        if (!take_quoted(requires, &text, line, wrong, room))
            return false;
    } while (several && kappa_take(&text, ","));
    if ((several && !kappa_take(&text, "]")) || text[strspn(text, " ")])
        return refuse(wrong, room, "%s", WANTED);
    return true;
}

static const struct kappa_binding *binding_of(const struct kappa_bindings *bindings,
                                              const char *name) {
    for (size_t i = 0; i < bindings->count; i++)
        if (strcmp(bindings->items[i].name, name) == 0)
            return &bindings->items[i];
    return NULL;
}

/* The name of the format that a term stands for; NULL: it is not known. */
static const char *written(const struct kappa_bindings *bindings, const struct kappa_term *term) {
    const struct kappa_binding *binding = binding_of(bindings, term->name);
    if (binding)
        return *binding->written ? binding->written : NULL;
    return kappa_format(term->name) ? term->name : NULL;
}

size_t kappa_requires_choices(const struct kappa_requires *requires,
                              const struct kappa_bindings *bindings, size_t at,
                              const char **choices) {
    const char *name = bindings->items[at].name;
    size_t count = 0;
    for (size_t i = 0; i < requires->count && !count; i++) {
        const struct kappa_condition *condition = &requires->conditions[i];
        const bool is_left = strcmp(condition->left.name, name) == 0;
        if (condition->comparison == IN && is_left)
            for (; count < condition->choices; count++)
        choices[count] = requires->choices[condition->first + count];
    }
    for (size_t i = 0; i < requires->count && !count; i++) {
        const struct kappa_condition *condition = &requires->conditions[i];
        const struct kappa_term *left = &condition->left, *right = &condition->right;
        if (condition->comparison != 0 || left->property != KAPPA_FORMAT)
            continue;
        if (strcmp(left->name, name) == 0 && (choices[0] = written(bindings, right)))
            count = 1;
        else if (strcmp(right->name, name) == 0 && (choices[0] = written(bindings, left)))
            count = 1;
    }
    return count;
}

static const struct format *format_of(const struct kappa_bindings *bindings,
                                      const struct kappa_term *term) {
    const struct kappa_binding *binding = binding_of(bindings, term->name);
    return binding ? binding->format : kappa_format(term->name);
}

static long number_of(const struct kappa_bindings *bindings, const struct kappa_term *term) {
    if (term->property == KAPPA_INTEGER)
        return term->integer;
    const struct format *format = format_of(bindings, term);
    return term->property == KAPPA_BITWIDTH ? (long)format->width : (long)format->precision;
}

static bool holds(const struct kappa_requires *requires, const struct kappa_condition *condition,
                  const struct kappa_bindings *bindings) {
    const struct kappa_term *left = &condition->left, *right = &condition->right;
    if (condition->comparison == IN) {
        bool found = false;
        for (size_t i = 0; i < condition->choices; i++)
            found = found || kappa_format(requires->choices[condition->first + i]) ==
                                 format_of(bindings, left);
        return found;
    }
    int order;
    if (left->property == KAPPA_FORMAT) {
        order = format_of(bindings, left) != format_of(bindings, right);
    } else {
        const long a = number_of(bindings, left), b = number_of(bindings, right);
        order = (a > b) - (a < b);
    }
    return order == comparisons[condition->comparison].first ||
           order == comparisons[condition->comparison].second;
}

const struct kappa_condition *kappa_requires_broken(const struct kappa_requires *requires,
                                                    const struct kappa_bindings *bindings) {
    for (size_t i = 0; i < requires->count; i++)
        if (!holds(requires, &requires->conditions[i], bindings))
    return &requires->conditions[i];
    return NULL;
}

static bool is_known(const struct kappa_bindings *bindings, const struct kappa_term *term) {
    return !*term->name || term->property == KAPPA_INTEGER || binding_of(bindings, term->name) ||
           kappa_format(term->name);
}

const struct kappa_condition *kappa_requires_unknown(const struct kappa_requires *requires,
                                                     const struct kappa_bindings *bindings,
                                                     const char **name) {
    for (size_t i = 0; i < requires->count; i++) {
        const struct kappa_condition *condition = &requires->conditions[i];
        const bool left = is_known(bindings, &condition->left);
        *name = left ? condition->right.name : condition->left.name;
        if (!left || !is_known(bindings, &condition->right))
            return condition;
    }
    return NULL;
}
