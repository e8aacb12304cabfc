/* JSON files from elsewhere: read whole, parsed strictly, taken apart with errors that say where.
 *
 * A reader keeps the first thing that is wrong and the place where it stands ("results[3].format");
 * after that every function returns something harmless, so that code can read on and ask once. */
#ifndef DETCHECK_BASE_JSON_H
#define DETCHECK_BASE_JSON_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file ("-" is standard input) of at most `most` bytes and parses it: one JSON value, valid
 * UTF-8, no name twice in an object, no NUL. NULL with an error that names the file, and for a
 * mistake in the JSON the line and the column. `noun` is what the file should have been: "report".
 * The tree is to be read, not changed; json_tree_free (base/json_tree.h) lets go of it.
 */
cJSON *json_read_file(const char *path, size_t most, const char *noun, struct error *error);

/* The same of a text that file_read has read, which is taken over. */
cJSON *json_parse(char *text, size_t length, const char *path, const char *noun,
                  struct error *error);

/* Reads a whole file of at most `most` bytes; a NUL follows the last one. NULL with an error. */
char *file_read(const char *path, size_t most, const char *noun, size_t *length,
                struct error *error);

enum { JSON_PLACE = 256 };

struct json_reader {
    const char *file;
    struct error *error;
    bool failed;
    char place[JSON_PLACE]; /* of the object that is being read; "" is the document */
};

/* Steps into a member, or into an element of an array (index >= 0); json_leave with the value that
 * was returned steps out. */
size_t json_enter(struct json_reader *reader, const char *name, int index);
/* The same, where the place is called by a noun and a number from 1: "rule 3: max_ulp". */
size_t json_enter_numbered(struct json_reader *reader, const char *noun, int number);
void json_leave(struct json_reader *reader, size_t mark);

/* Keeps "FILE: PLACE.NAME SAYS" as the error, unless there is one; name may be NULL. */
void json_fail(struct json_reader *reader, const char *name, const char *says);

/* Members of an object, which must be there and of the kind. */
const cJSON *json_object(struct json_reader *reader, const cJSON *object, const char *name);
const cJSON *json_array(struct json_reader *reader, const cJSON *object, const char *name);
const char *json_string(struct json_reader *reader, const cJSON *object, const char *name);
bool json_bool(struct json_reader *reader, const cJSON *object, const char *name);
/* A whole number from 0 to 2^53. */
uint64_t json_count(struct json_reader *reader, const cJSON *object, const char *name);
/* The same of an item that is at hand. */
uint64_t json_item_count(struct json_reader *reader, const cJSON *item);
/* A finite number, 0 or more. */
double json_size(struct json_reader *reader, const cJSON *object, const char *name);

/* A member, or NULL; its number, or 0, and its text, or an empty one, where it is none. */
static inline cJSON *json_get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}
static inline double json_number(const cJSON *object, const char *name) {
    const cJSON *member = json_get(object, name);
    return cJSON_IsNumber(member) ? member->valuedouble : 0;
}

static inline const char *json_text(const cJSON *object, const char *name) {
    const cJSON *member = json_get(object, name);
    return cJSON_IsString(member) ? member->valuestring : "";
}

/* A new object at the end of an array. */
static inline cJSON *json_append(cJSON *array) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

/* Whether the object has the member, with any value but null. */
bool json_has(const cJSON *object, const char *name);

/* That `item` is an object whose members are all in the list, which ends in NULL. */
void json_only(struct json_reader *reader, const cJSON *item, const char *const *names);

#endif
