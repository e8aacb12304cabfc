/* Reading files whole, and members of objects. */
#include "base/json.h"

#include "base/file_state.h"
#include "base/json_tree.h"
#include "base/names.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 16 }; /* of a stream whose length shows at its end */

static bool cannot_read(struct error *error, const char *path, const char *why) {
    return error_set(error, "cannot read %.200s: %s", strcmp(path, "-") == 0 ? "stdin" : path, why);
}

static const char *article(const char *noun) {
    return strchr("aeiou", *noun) ? "an" : "a";
}

static bool too_large(struct error *error, const char *path, size_t most, const char *noun) {
    return error_set(error, "%.200s is larger than %zu MiB, the most that %s %s may have", path,
                     most >> 20, article(noun), noun);
}

/* `room` is what to begin with; with one byte more than there are, there is nothing to grow. */
static char *read_stream(FILE *stream, const char *path, size_t room, size_t most, const char *noun,
                         size_t *length, struct error *error) {
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
    char *text = NULL;
    /* Where the size is known there is no need to fill the memory first. */
    const struct file_state before = file_state_of(stream);
    if (before.is_file && (uintmax_t)before.size > most)
        too_large(error, path, most, noun);
    else
        text = read_stream(stream, path, before.is_file ? (size_t)before.size + 2 : FIRST_ROOM,
                           most, noun, length, error);
    if (text && !file_state_stays(&before, stream, path, error)) {
        free(text);
        text = NULL;
    }
    if (!is_stdin)
        fclose(stream);
    return text;
}

cJSON *json_parse(char *text, size_t length, const char *path, const char *noun,
                  struct error *error) {
    if (strspn(text, " \t\r\n") != length)
        return json_tree_make(text, length, path, error);
    error_set(error, "%.200s is empty; it should be %s %s", path, article(noun), noun);
    free(text);
    return NULL;
}

cJSON *json_read_file(const char *path, size_t most, const char *noun, struct error *error) {
    size_t length;
    char *text = file_read(path, most, noun, &length, error);
    return text ? json_parse(text, length, path, noun, error) : NULL;
}

/* What stands between a place and a name in it. */
static const char *joint(const struct json_reader *reader) {
    size_t length = strlen(reader->place);
    return !length ? "" : reader->place[length - 1] == ':' ? " " : ".";
}

size_t json_enter(struct json_reader *reader, const char *name, int index) {
    size_t mark = strlen(reader->place);
    char *end = reader->place + mark;
    if (index < 0)
        snprintf(end, JSON_PLACE - mark, "%s%s", joint(reader), name);
    else
        snprintf(end, JSON_PLACE - mark, "%s%s[%d]", joint(reader), name, index);
    return mark;
}

size_t json_enter_numbered(struct json_reader *reader, const char *noun, int number) {
    size_t mark = strlen(reader->place);
    snprintf(reader->place + mark, JSON_PLACE - mark, "%s%s %d:", joint(reader), noun, number);
    return mark;
}

void json_leave(struct json_reader *reader, size_t mark) {
    reader->place[mark] = '\0';
}

void json_fail(struct json_reader *reader, const char *name, const char *says) {
    if (reader->failed)
        return;
    reader->failed = true;
    const char *dot = name ? joint(reader) : "";
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
    if (found && !(found->valuedouble >= 0))
        json_fail(reader, name, "should be a number, 0 or more");
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
