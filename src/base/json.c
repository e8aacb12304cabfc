/* Reading JSON with cJSON, and what cJSON lets pass. */
#include "base/json.h"

#include "base/names.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool cannot_read(struct error *error, const char *path, const char *why) {
    return error_set(error, "cannot read %.200s: %s", strcmp(path, "-") == 0 ? "stdin" : path, why);
}

static bool too_large(struct error *error, const char *path, size_t most, const char *noun) {
    return error_set(error, "%.200s is larger than %zu MiB, the most that a %s may have", path,
                     most >> 20, noun);
}

static char *read_stream(FILE *stream, const char *path, size_t most, const char *noun,
                         size_t *length, struct error *error) {
    size_t room = 1 << 16;
    char *text = malloc(room);
    for (*length = 0; text;) {
        *length += fread(text + *length, 1, room - 1 - *length, stream);
        if (*length < room - 1)
            break;
        if (*length > most) {
            free(text);
            too_large(error, path, most, noun);
            return NULL;
        }
        char *more = realloc(text, room *= 2);
        if (!more)
            free(text);
        text = more;
    }
    if (!text)
        error_set(error, "out of memory for %.200s", path);
    else if (ferror(stream)) {
        cannot_read(error, path, strerror(errno ? errno : EIO));
        free(text);
        text = NULL;
    } else
        text[*length] = '\0';
    return text;
}

char *file_read(const char *path, size_t most, const char *noun, size_t *length,
                struct error *error) {
    bool is_stdin = strcmp(path, "-") == 0;
    errno = 0;
    FILE *stream = is_stdin ? stdin : fopen(path, "rb");
    if (!stream) {
        cannot_read(error, path, strerror(errno));
        return NULL;
    }
    struct stat status;
    char *text = NULL;
    /* Where the size is known there is no need to fill the memory first. */
    if (fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode) &&
        (uintmax_t)status.st_size > most)
        too_large(error, path, most, noun);
    else
        text = read_stream(stream, path, most, noun, length, error);
    if (!is_stdin)
        fclose(stream);
    return text;
}

/* The length of the character of UTF-8 at `at`, or 0 where it is none: RFC 3629, without surrogates
 * and overlong forms. */
static size_t utf8_length(const unsigned char *at, const unsigned char *end) {
    if (*at < 0x80)
        return 1;
    size_t length = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : 2;
    if (*at < 0xc2 || *at > 0xf4 || (size_t)(end - at) < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    bool bad = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
               (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f);
    return bad ? 0 : length;
}

static const char *first_bad_character(const char *text, size_t length) {
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        size_t step = *at ? utf8_length(at, end) : 0;
        if (!step)
            return (const char *)at;
        at += step;
    }
    return NULL;
}

static void fail_at(const char *path, const char *text, const char *at, const char *says,
                    struct error *error) {
    size_t line = 1;
    const char *start = text;
    for (const char *c = text; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    error_set(error, "%.200s, line %zu, column %zu: %s", path, line, (size_t)(at - start) + 1,
              says);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The name that stands twice in one object, or NULL. */
static const char *repeated_name(const cJSON *object, bool *memory) {
    size_t count = 0;
    for (const cJSON *member = object->child; member; member = member->next)
        count++;
    if (count < 2)
        return NULL;
    const char **names = malloc(count * sizeof *names);
    if (!names) {
        *memory = false;
        return NULL;
    }
    size_t at = 0;
    for (const cJSON *member = object->child; member; member = member->next)
        names[at++] = member->string;
    qsort(names, count, sizeof *names, compare_names);
    const char *found = NULL;
    for (size_t i = 1; i < count && !found; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            found = names[i];
    free(names);
    return found;
}

/* The parser allows no deep nesting, so this recursion is not deep either. */
static const char *find_repeated(const cJSON *item, bool *memory) {
    const char *found = cJSON_IsObject(item) ? repeated_name(item, memory) : NULL;
    for (const cJSON *child = item->child; child && !found && *memory; child = child->next)
        if (child->child)
            found = find_repeated(child, memory);
    return found;
}

/* How many objects and arrays are open at `end`. */
static size_t depth_at(const char *text, const char *end) {
    size_t depth = 0;
    bool in_string = false;
    for (const char *at = text; at < end; at++) {
        if (in_string && *at == '\\')
            at++;
        else if (*at == '"')
            in_string = !in_string;
        else if (!in_string)
            depth += (size_t)(*at == '{' || *at == '[') - (size_t)(*at == '}' || *at == ']');
    }
    return depth;
}

static cJSON *parse(const char *path, const char *noun, const char *text, size_t length,
                    struct error *error) {
    const char *bad = first_bad_character(text, length), *end = text;
    if (bad) {
        fail_at(path, text, bad, *bad ? "not UTF-8" : "a NUL byte", error);
        return NULL;
    }
    cJSON *document = cJSON_ParseWithLengthOpts(text, length + 1, &end, true);
    if (!document) {
        char says[96];
        if (end >= text + length)
            snprintf(says, sizeof says, "the file ends here; a %s goes on", noun);
        else if (depth_at(text, end) >= CJSON_NESTING_LIMIT)
            snprintf(says, sizeof says, "nested deeper than %d objects and arrays",
                     CJSON_NESTING_LIMIT);
        else
            snprintf(says, sizeof says, "not JSON");
        fail_at(path, text, end, says, error);
        return NULL;
    }
    bool memory = true;
    const char *twice = find_repeated(document, &memory);
    if (!twice && memory)
        return document;
    if (twice)
        error_set(error, "%.200s: the name \"%.80s\" stands twice in one object", path, twice);
    else
        error_set(error, "out of memory for %.200s", path);
    cJSON_Delete(document);
    return NULL;
}

cJSON *json_read_file(const char *path, size_t most, const char *noun, struct error *error) {
    size_t length;
    char *text = file_read(path, most, noun, &length, error);
    if (!text)
        return NULL;
    cJSON *document = NULL;
    if (strspn(text, " \t\r\n") == length)
        error_set(error, "%.200s is empty; it should be a %s", path, noun);
    else
        document = parse(path, noun, text, length, error);
    free(text);
    return document;
}

size_t json_enter(struct json_reader *reader, const char *name, int index) {
    size_t mark = strlen(reader->place);
    char *end = reader->place + mark;
    if (index < 0)
        snprintf(end, JSON_PLACE - mark, "%s%s", mark ? "." : "", name);
    else
        snprintf(end, JSON_PLACE - mark, "%s%s[%d]", mark ? "." : "", name, index);
    return mark;
}

void json_leave(struct json_reader *reader, size_t mark) {
    reader->place[mark] = '\0';
}

void json_fail(struct json_reader *reader, const char *name, const char *says) {
    if (reader->failed)
        return;
    reader->failed = true;
    const char *dot = name && *reader->place ? "." : "";
    const char *here = name || *reader->place ? "" : "the document";
    error_set(reader->error, "%.200s: %s%s%s%s %s", reader->file, reader->place, dot,
              name ? name : "", here, says);
}

static const cJSON *member(struct json_reader *reader, const cJSON *object, const char *name,
                           cJSON_bool (*is)(const cJSON *), const char *kind) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    if (found && is(found))
        return found;
    char says[96];
    snprintf(says, sizeof says, found ? "should be %s" : "is missing; it should be %s", kind);
    json_fail(reader, name, says);
    return NULL;
}

const cJSON *json_object(struct json_reader *reader, const cJSON *object, const char *name) {
    return member(reader, object, name, cJSON_IsObject, "an object");
}

const cJSON *json_array(struct json_reader *reader, const cJSON *object, const char *name) {
    return member(reader, object, name, cJSON_IsArray, "an array");
}

const char *json_string(struct json_reader *reader, const cJSON *object, const char *name) {
    const cJSON *found = member(reader, object, name, cJSON_IsString, "a string");
    return found ? found->valuestring : "";
}

bool json_bool(struct json_reader *reader, const cJSON *object, const char *name) {
    return cJSON_IsTrue(member(reader, object, name, cJSON_IsBool, "true or false"));
}

double json_size(struct json_reader *reader, const cJSON *object, const char *name) {
    const cJSON *found = member(reader, object, name, cJSON_IsNumber, "a number");
    if (found && !(found->valuedouble >= 0 && isfinite(found->valuedouble)))
        json_fail(reader, name, "should be a finite number, 0 or more");
    return found ? found->valuedouble : 0;
}

uint64_t json_count(struct json_reader *reader, const cJSON *object, const char *name) {
    const cJSON *found = member(reader, object, name, cJSON_IsNumber, "a count");
    return found ? json_item_count(reader, found) : 0;
}

uint64_t json_item_count(struct json_reader *reader, const cJSON *item) {
    double count = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (count >= 0 && count <= 0x1p53 && !(floor(count) < count))
        return (uint64_t)count;
    json_fail(reader, item->string, "should be a whole number from 0 to 2^53");
    return 0;
}

bool json_has(const cJSON *object, const char *name) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    return found && !cJSON_IsNull(found);
}

void json_only(struct json_reader *reader, const cJSON *item, const char *const *names) {
    if (!cJSON_IsObject(item)) {
        json_fail(reader, NULL, "should be an object");
        return;
    }
    size_t count = 0;
    while (names[count])
        count++;
    for (const cJSON *child = item->child; child; child = child->next) {
        bool known = false;
        for (size_t i = 0; i < count; i++)
            known = known || strcmp(names[i], child->string) == 0;
        if (known)
            continue;
        const char *nearest = name_nearest(child->string, names, count);
        char says[160];
        snprintf(says, sizeof says, "has a member \"%.60s\" that is not known here%s%s%s",
                 child->string, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                 nearest ? "\"?" : "");
        json_fail(reader, NULL, says);
        return;
    }
}
