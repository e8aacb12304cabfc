/* A table of choices and their values, and the spellings that name them. */
#include "impl/variants/design.h"

#include "base/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 9 };

/* The standard value first: it is what the article concludes with. A degree's is "own". */
static const struct {
    const char *name, *values[MOST_VALUES + 1];
} choices[DESIGN_CHOICES] = {
    [DESIGN_FMA] = {"fma", {"yes", "no"}},
    [DESIGN_SCHEME] = {"scheme", {"horner", "estrin"}},
    [DESIGN_COEFFICIENTS] = {"coefficients", {"minimax", "taylor"}},
    [DESIGN_TERMS] = {"terms", {"2", "1", "3", "4"}},
    [DESIGN_DEGREE] = {"degree", {"own", "3", "4", "5", "6", "7", "8", "9", "10"}},
};

/* Which values of a choice are asked for: 1 << number. */
struct asked {
    unsigned values[DESIGN_CHOICES];
};

int design_value(const struct design *design, enum design_choice choice) {
    int number = design->values[choice];
    if (choice == DESIGN_DEGREE && !number)
        return DESIGN_OWN_DEGREE;
    return choice == DESIGN_TERMS || choice == DESIGN_DEGREE ? atoi(choices[choice].values[number])
                                                             : number;
}

/* "a, b or c" */
static void list(const char *const *words, char *text, size_t room) {
    *text = '\0';
    for (size_t i = 0; words[i]; i++)
        snprintf(text + strlen(text), room - strlen(text), "%s%s",
                 !i             ? ""
                 : words[i + 1] ? ", "
                                : " or ",
                 words[i]);
}

static bool is_word(const char *text, size_t length, const char *word) {
    char copy[32];
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return name_matches(copy, word, NULL);
}

/* Values of a choice, "2/3" or "*". */
static bool parse_values(int choice, const char *text, size_t length, unsigned *asked,
                         struct error *error) {
    const char *const *values = choices[choice].values;
    for (size_t at = 0; at <= length;) {
        size_t word = strcspn(text + at, "/");
        word = word < length - at ? word : length - at;
        unsigned found = 0;
        for (int i = 0; values[i]; i++)
            if (is_word(text + at, word, values[i]) || (word == 1 && text[at] == '*'))
                found |= 1u << i;
        if (!found) {
            char known[128];
            list(values, known, sizeof known);
            return error_set(error, "a variant's %s is %s, not '%.*s'", choices[choice].name, known,
                             (int)(word < 40 ? word : 40), text + at);
        }
        *asked |= found;
        at += word + 1;
    }
    return true;
}

static bool parse_choice(const char *text, size_t length, struct asked *asked,
                         struct error *error) {
    size_t name = strcspn(text, "=");
    for (int i = 0; i < DESIGN_CHOICES && name < length; i++)
        if (is_word(text, name, choices[i].name)) {
            if (asked->values[i])
                return error_set(error, "a variant's %s is given twice", choices[i].name);
            return parse_values(i, text + name + 1, length - name - 1, &asked->values[i], error);
        }
    return error_set(error,
                     "a variant is spelled as in variant:fma=no,scheme=estrin,coefficients=taylor,"
                     "terms=3,degree=7, or as variant:standard, not '%.*s'",
                     (int)(length < 40 ? length : 40), text);
}

static bool parse(const char *text, struct asked *asked, struct error *error) {
    *asked = (struct asked){{0}};
    for (const char *at = text; strcmp(text, "standard") != 0;) {
        size_t length = strcspn(at, ",");
        if (!parse_choice(at, length, asked, error))
            return false;
        at += length;
        if (!*at++)
            break;
    }
    for (int i = 0; i < DESIGN_CHOICES; i++)
        asked->values[i] += !asked->values[i]; /* the first */
    return true;
}

/* Combination number `index`, the last choice in turn first; what is left of `index` is 0 for one that
 * exists. */
static size_t combine(const struct asked *asked, size_t index, struct design *design) {
    for (int i = DESIGN_CHOICES - 1; i >= 0; i--) {
        int values[MOST_VALUES], count = 0;
        for (int j = 0; j < MOST_VALUES; j++)
            if (asked->values[i] >> j & 1)
                values[count++] = j;
        design->values[i] = values[index % (size_t)count];
        index /= (size_t)count;
    }
    return index;
}

/* The standard one, and then value after value of choice after choice. */
static bool one_by_one(size_t index, struct design *design) {
    *design = (struct design){{0}};
    if (index == 0)
        return true;
    for (int i = 0; i < DESIGN_CHOICES; i++)
        for (int j = 1; choices[i].values[j]; j++)
            if (--index == 0) {
                design->values[i] = j;
                return true;
            }
    return false;
}

bool design_parse(const char *text, size_t index, struct design *design, bool *found,
                  struct error *error) {
    struct asked asked;
    if (strcmp(text, "*") == 0) {
        *found = one_by_one(index, design);
        return true;
    }
    if (!parse(text, &asked, error))
        return false;
    *found = combine(&asked, index, design) == 0;
    return true;
}

void design_print(const struct design *design, char *text) {
    *text = '\0';
    for (int i = 0; i < DESIGN_CHOICES; i++)
        if (design->values[i])
            sprintf(text + strlen(text), "%s%s=%s", *text ? "," : "", choices[i].name,
                    choices[i].values[design->values[i]]);
    if (!*text)
        strcpy(text, "standard");
}
