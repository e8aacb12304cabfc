/* Lines to the members of rules. The reader of the JSON policy says what is wrong with a value. */
#include "gate/flat.h"

#include "base/foreign.h"
#include "base/json.h"
#include "base/json_tree.h"
#include "base/names.h"
#include "format/format.h"
#include "gate/policy.h"
#include "op/operation.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 128, MEMBER_NAME = 64 };

/* A line that is read: what is left of it, and the rule that it is. */
struct flat_line {
    char *at;
    const char *const *members;
    cJSON *rule;
    struct error *why;
};

struct word {
    char *text; /* NULL at the end of the line */
    bool quoted;
};

/* Members whose value is an object; its own members stand behind a dot. Names behind the dot that are
 * ours, and not those of causes or parameters, may have dashes too. */
static const struct {
    const char *name;
    bool dashes;
} objects[] = {{"promise", true},
               {"trace", true},
               {"invariance", false},
               {"explanation", false},
               {"parameters", false}};
enum { OBJECTS = sizeof objects / sizeof *objects };

/* Members, or what is behind the dot, that hold several values with commas between them. */
static const char *const arrays[] = {"accept", "inputs", "x", "y", "z"};

/* Members that are text however they look. */
static const char *const texts[] = {"operation", "implementation", "format",      "rounding",
                                    "inputs",    "order",          "fingerprint", "section"};

static bool is_in(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool next_word(struct flat_line *line, struct word *word) {
    *word = (struct word){0};
    line->at += strspn(line->at, " \t");
    if (!*line->at || *line->at == '#')
        return true;
    word->quoted = *line->at == '"';
    word->text = line->at + word->quoted;
    char *end = word->text + strcspn(word->text, word->quoted ? "\"" : " \t");
    if (word->quoted && !*end)
        return error_set(line->why, "a quote has no end");
    line->at = end + (*end != '\0');
    *end = '\0';
    for (const char *c = word->text; *c; c++)
        if ((unsigned char)*c >= 0x80)
            return error_set(line->why, "only reasons and remarks may have letters beyond ASCII");
    return true;
}

/* The name with underscores, as members of JSON have them. */
static void underscored(char *name) {
    for (; *name; name++)
        *name = *name == '-' ? '_' : *name;
}

/* A number as JSON writes it. */
static bool is_number(const char *text) {
    const char *at = text + (*text == '-');
    size_t whole = strspn(at, "0123456789");
    if (!whole || (whole > 1 && *at == '0'))
        return false;
    at += whole;
    if (*at == '.') {
        size_t fraction = strspn(at + 1, "0123456789");
        if (!fraction)
            return false;
        at += 1 + fraction;
    }
    if (*at != 'e' && *at != 'E')
        return !*at;
    at += 1 + (at[1] == '+' || at[1] == '-');
    return isdigit((unsigned char)*at) && !at[strspn(at, "0123456789")];
}

static cJSON *value_of(const char *text, bool is_text) {
    if (is_text)
        return cJSON_CreateString(text);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return cJSON_CreateBool(*text == 't');
    return is_number(text) ? cJSON_CreateRaw(text) : cJSON_CreateString(text);
}

static cJSON *array_of(char *text) {
    cJSON *array = cJSON_CreateArray();
    for (char *next; text; text = next) {
        next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        cJSON_AddItemToArray(array, value_of(text, false));
    }
    return array;
}

static bool add(struct flat_line *line, cJSON *object, const char *name, cJSON *value) {
    if (!json_get(object, name)) {
        cJSON_AddItemToObject(object, name, value);
        return true;
    }
    cJSON_Delete(value);
    return error_set(line->why, "'%.60s' appears twice", name);
}

/* The member that `word` names, with underscores, and what is behind its dot; false where it names none. */
static bool split_name(const struct flat_line *line, const char *word, char name[MEMBER_NAME],
                       char **behind) {
    if (strlen(word) >= MEMBER_NAME)
        return false;
    strcpy(name, word);
    *behind = strchr(name, '.');
    if (*behind)
        *(*behind)++ = '\0';
    underscored(name);
    for (int i = 0; i < OBJECTS && *behind; i++)
        if (strcmp(name, objects[i].name) == 0) {
            if (objects[i].dashes)
                underscored(*behind);
            return **behind != '\0';
        }
    if (*behind)
        return false;
    for (int i = 0; line->members[i]; i++)
        if (strcmp(name, line->members[i]) == 0)
            return true;
    return false;
}

static bool is_member(const struct flat_line *line, const struct word *word) {
    char name[MEMBER_NAME], *behind;
    return word->text && !word->quoted &&
           (strcmp(word->text, "because") == 0 || split_name(line, word->text, name, &behind));
}

/* The rest of the line is why. */
static bool read_reason(struct flat_line *line) {
    line->at += strspn(line->at, " \t");
    size_t length = strlen(line->at), room = 4 * length + 1;
    char *clean = malloc(room);
    if (!clean)
        return error_set(line->why, "out of memory");
    foreign_text(FOREIGN_PLAIN, line->at, clean, room);
    line->at += length;
    bool good = add(line, line->rule, "reason", cJSON_CreateString(clean));
    free(clean);
    return good;
}

static bool read_member(struct flat_line *line, const struct word *word) {
    char name[MEMBER_NAME], *behind;
    struct word value;
    if (strcmp(word->text, "because") == 0)
        return read_reason(line);
    split_name(line, word->text, name, &behind);
    if (!next_word(line, &value))
        return false;
    if (!value.text)
        return error_set(line->why, "'%.60s' needs a value after it", word->text);
    if (is_number(value.text) && !isfinite(strtod(value.text, NULL)))
        return error_set(line->why, "'%.60s' is a number beyond those of fp64", value.text);
    const char *last = behind ? behind : name;
    bool is_array = !value.quoted && is_in(last, arrays, sizeof arrays / sizeof *arrays) &&
                    (behind || strcmp(name, "accept") == 0);
    bool is_text = value.quoted || (!behind && is_in(name, texts, sizeof texts / sizeof *texts));
    cJSON *object = line->rule;
    if (behind) {
        object = json_get(line->rule, name);
        if (!object)
            object = cJSON_AddObjectToObject(line->rule, name);
    } else if (strcmp(name, "promise") == 0) { /* of so many ulps */
        object = cJSON_CreateObject();
        cJSON_AddItemToObject(object, "ulp", value_of(value.text, is_text));
        return add(line, line->rule, name, object);
    }
    return add(line, object, last, is_array ? array_of(value.text) : value_of(value.text, is_text));
}

/* The member that is nearest to a word, or NULL. */
static const char *nearest_member(const struct flat_line *line, const char *word) {
    const char *names[MOST_NAMES];
    char name[MEMBER_NAME];
    size_t count = 0;
    while (line->members[count] && count < MOST_NAMES) {
        names[count] = line->members[count];
        count++;
    }
    snprintf(name, sizeof name, "%.60s", word);
    underscored(name);
    return name_nearest(name, names, count);
}

static bool unknown(const struct flat_line *line, const char *word) {
    char shown[MEMBER_NAME] = "";
    const char *nearest = nearest_member(line, word);
    snprintf(shown, sizeof shown, "%.60s", nearest ? nearest : "");
    for (char *c = shown; *c; c++)
        *c = *c == '_' ? '-' : *c;
    return error_set(line->why, "'%.60s' is not a format, rounding or limit; %s%s%s", word,
                     nearest ? "did you mean " : "a line is such as 'exp fp32 max-ulp 1'", shown,
                     nearest ? "?" : "");
}

static bool is_format(const char *text) {
    struct error unused;
    return format_find(text, &unused) || strcmp(text, "fp*") == 0;
}

/* A line may begin with the operation, or, if it is about all operations, with a format or a rounding. */
static bool is_operation(const char *text) {
    struct error unused;
    enum rounding rounding;
    return operation_find(text, &unused) || !(is_format(text) || rounding_find(text, &rounding));
}

/* Behind the operation may stand a format and a rounding. */
static bool read_place(struct flat_line *line, const struct word *word) {
    struct error unused;
    if (is_format(word->text))
        return add(line, line->rule, "format", cJSON_CreateString(word->text));
    enum rounding rounding;
    if (rounding_find(word->text, &rounding))
        return add(line, line->rule, "rounding", cJSON_CreateString(rounding_names[rounding]));
    /* "maxulp 2": the first word is no operation, and the number is its value. */
    const char *first = cJSON_GetStringValue(json_get(line->rule, "operation"));
    const bool is_limit = first && is_number(word->text) && !operation_find(first, &unused) &&
                          nearest_member(line, first);
    return unknown(line, is_limit ? first : word->text);
}

/* One rule; `rules` and `exceptions` are where it goes. *is_exception where it is one. */
static bool read_line(struct flat_line *line, bool *is_exception, bool *is_empty) {
    struct word word;
    if (!next_word(line, &word))
        return false;
    *is_empty = !word.text;
    *is_exception = word.text && !word.quoted && strcmp(word.text, "exception") == 0;
    if (*is_exception && !next_word(line, &word))
        return false;
    if (word.text && !is_member(line, &word) && (word.quoted || is_operation(word.text))) {
        cJSON_AddStringToObject(line->rule, "operation", word.text);
        if (!next_word(line, &word))
            return false;
    }
    for (bool inside = false; word.text;) {
        bool member = is_member(line, &word);
        inside = inside || member;
        if (!(member   ? read_member(line, &word)
              : inside ? unknown(line, word.text)
                       : read_place(line, &word)) ||
            !next_word(line, &word))
            return false;
    }
    return true;
}

static bool read_lines(char *text, const char *path, const char *const *members, cJSON *document,
                       struct flat_lines *lines, struct error *error) {
    cJSON *rules = cJSON_AddArrayToObject(document, "rules"), *exceptions = cJSON_CreateArray();
    size_t rule_count = 0, exception_count = 0;
    bool good = true;
    int number = 1;
    for (char *next; text && good; text = next, number++) {
        next = strchr(text, '\n');
        if (next)
            *next++ = '\0';
        text[strcspn(text, "\r")] = '\0';
        struct error why = {{0}};
        bool is_exception = false, is_empty = true;
        struct flat_line line = {text, members, cJSON_CreateObject(), &why};
        good = read_line(&line, &is_exception, &is_empty);
        if (!good)
            error_set(error, "%.200s: line %d: %s", path, number, why.text);
        if (!good || is_empty) {
            cJSON_Delete(line.rule);
            continue;
        }
        cJSON_AddItemToArray(is_exception ? exceptions : rules, line.rule);
        *(is_exception ? &lines->exceptions[exception_count++] : &lines->rules[rule_count++]) =
            number;
    }
    if (exception_count)
        cJSON_AddItemToObject(document, "exceptions", exceptions);
    else
        cJSON_Delete(exceptions);
    return good;
}

bool flat_is(const char *text) {
    text += strspn(text, " \t\r\n");
    return isalpha((unsigned char)*text) || (*text && strchr("*?#", *text));
}

cJSON *flat_parse(char *text, size_t length, const char *path, const char *const *members,
                  struct flat_lines *lines, struct error *error) {
    size_t count = 2;
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n';
    lines->rules = calloc(count, sizeof *lines->rules);
    lines->exceptions = calloc(count, sizeof *lines->exceptions);
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", POLICY_SCHEMA);
    bool good = lines->rules && lines->exceptions
                    ? strlen(text) == length || error_set(error, "%.200s has a NUL byte", path)
                    : error_set(error, "out of memory");
    good = good && read_lines(text, path, members, document, lines, error);
    char *json = good ? cJSON_PrintUnformatted(document) : NULL;
    cJSON_Delete(document);
    free(text);
    if (good && !json)
        error_set(error, "out of memory");
    return json ? json_tree_make(json, strlen(json), path, error) : NULL;
}
