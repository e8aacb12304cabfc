/* Either way. */
#include "sweep/checkpoint/serialise.h"

#include "base/json_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool serialise_write(struct serialiser *serialiser) {
    *serialiser = (struct serialiser){.document = cJSON_CreateObject()};
    serialiser->object = serialiser->document;
    return serialiser->document != NULL;
}

bool serialise_read(struct serialiser *serialiser, const struct bytes *bytes, const char *path,
                    struct error *error) {
    *serialiser = (struct serialiser){.document = bytes_document(bytes, path, error),
                                      .reads = true,
                                      .reader = {.file = path, .error = error}};
    serialiser->object = serialiser->document;
    return serialiser->document != NULL;
}

void serialise_end(struct serialiser *serialiser, struct bytes *bytes) {
    if (serialiser->no_memory)
        serialise_close(serialiser);
    record_keep_digits(serialiser->document, "envelope");
    bytes_put_document(bytes, serialiser->document);
    serialiser->document = serialiser->object = NULL;
}

void serialise_close(struct serialiser *serialiser) {
    if (serialiser->reads)
        json_tree_free(serialiser->document);
    else
        cJSON_Delete(serialiser->document);
    serialiser->document = serialiser->object = NULL;
}

void serialise_expect(struct serialiser *serialiser, const char *name, bool sound) {
    if (serialiser->reads && !sound)
        json_fail(&serialiser->reader, name, "is not a member of a checkpoint");
}

struct serialise_place serialise_enter(struct serialiser *serialiser, const char *name) {
    struct serialise_place place = {.object = serialiser->object};
    cJSON *inner = json_get(serialiser->object, name);
    if (!serialiser->reads)
        inner = cJSON_AddObjectToObject(serialiser->object, name);
    else if (!cJSON_IsObject(inner))
        json_fail(&serialiser->reader, name, "should be an object");
    place.mark = json_enter(&serialiser->reader, name, -1);
    serialiser->object = inner;
    return place;
}

void serialise_leave(struct serialiser *serialiser, struct serialise_place place) {
    serialiser->object = place.object;
    json_leave(&serialiser->reader, place.mark);
}

struct serialise_items serialise_items(struct serialiser *serialiser, const char *name) {
    struct serialise_items items = {.name = name};
    if (!serialiser->reads)
        items.array = cJSON_AddArrayToObject(serialiser->object, name);
    else if (json_array(&serialiser->reader, serialiser->object, name))
        items.next = json_get(serialiser->object, name)->child;
    return items;
}

void serialise_enter_item(struct serialiser *serialiser, struct serialise_items *items) {
    cJSON *item = items->next;
    if (serialiser->reads && !item)
        json_fail(&serialiser->reader, items->name, "has too few");
    if (!serialiser->reads)
        cJSON_AddItemToArray(items->array, item = cJSON_CreateObject());
    else if (item)
        items->next = item->next;
    items->place = (struct serialise_place){
        serialiser->object, json_enter(&serialiser->reader, items->name, items->number++)};
    serialiser->object = item;
}

void serialise_leave_item(struct serialiser *serialiser, struct serialise_items *items) {
    serialise_leave(serialiser, items->place);
}

void serialise_end_items(struct serialiser *serialiser, const struct serialise_items *items) {
    if (items->next)
        json_fail(&serialiser->reader, items->name, "has too many");
}

static bool read_number(struct serialiser *serialiser, const char *name, const cJSON *item,
                        uint64_t most, uint64_t *number) {
    uint64_t found = 0;
    int digits;
    bool good = record_code_of(item, &found, &digits) && found <= most;
    if (!good)
        serialise_expect(serialiser, name, false);
    else
        *number = found;
    return good;
}

void serialise_number(struct serialiser *serialiser, const char *name, uint64_t *number,
                      uint64_t most) {
    if (!serialiser->reads)
        cJSON_AddItemToObject(serialiser->object, name, record_code_item(*number, 1));
    else
        read_number(serialiser, name, json_get(serialiser->object, name), most, number);
}

void serialise_size(struct serialiser *serialiser, const char *name, size_t *size, size_t most) {
    uint64_t number = *size;
    serialise_number(serialiser, name, &number, most);
    *size = (size_t)number;
}

void serialise_small(struct serialiser *serialiser, const char *name, unsigned *number,
                     unsigned most) {
    uint64_t wide = *number;
    serialise_number(serialiser, name, &wide, most);
    *number = (unsigned)wide;
}

void serialise_flag(struct serialiser *serialiser, const char *name, bool *flag) {
    uint64_t number = *flag;
    serialise_number(serialiser, name, &number, 1);
    *flag = number;
}

void serialise_double(struct serialiser *serialiser, const char *name, double *number) {
    serialise_doubles(serialiser, name, number, sizeof *number, 1);
}

/* Reads or writes an item of an array; `most` 0: any bits of a double but those of a NaN. */
static void pass_item(struct serialiser *serialiser, const char *name, cJSON *array,
                      const cJSON *item, char *place, uint64_t most) {
    uint64_t number;
    double value;
    memcpy(&number, place, sizeof number);
    if (!serialiser->reads) {
        cJSON_AddItemToArray(array, record_code_item(number, 1));
        return;
    }
    if (!read_number(serialiser, name, item, most ? most : UINT64_MAX, &number))
        return;
    memcpy(&value, &number, sizeof value);
    if (!most && isnan(value))
        serialise_expect(serialiser, name, false);
    else
        memcpy(place, &number, sizeof number);
}

static void pass_items(struct serialiser *serialiser, const char *name, void *first, size_t stride,
                       size_t count, uint64_t most) {
    cJSON *array = serialiser->reads ? json_get(serialiser->object, name)
                                     : cJSON_AddArrayToObject(serialiser->object, name);
    const cJSON *item = array ? array->child : NULL;
    for (size_t i = 0; i < count && !serialise_is_torn(serialiser); i++) {
        pass_item(serialiser, name, array, item, (char *)first + i * stride, most);
        item = item ? item->next : NULL;
    }
    serialise_expect(serialiser, name, cJSON_IsArray(array) && (!serialiser->reads || !item));
}

void serialise_numbers(struct serialiser *serialiser, const char *name, void *first, size_t stride,
                       size_t count, uint64_t most) {
    pass_items(serialiser, name, first, stride, count, most ? most : 1);
}

void serialise_doubles(struct serialiser *serialiser, const char *name, void *first, size_t stride,
                       size_t count) {
    pass_items(serialiser, name, first, stride, count, 0);
}

/* A text of as many digits. */
void serialise_flags(struct serialiser *serialiser, const char *name, void *first, size_t stride,
                     size_t count) {
    if (serialiser->reads) {
        const char *text = json_string(&serialiser->reader, serialiser->object, name);
        bool good = strlen(text) == count && strspn(text, "01") == count;
        serialise_expect(serialiser, name, good);
        for (size_t i = 0; good && i < count; i++)
            *(bool *)(void *)((char *)first + i * stride) = text[i] == '1';
        return;
    }
    char *text = malloc(count + 1);
    for (size_t i = 0; text && i < count; i++)
        text[i] = *(const bool *)(const void *)((const char *)first + i * stride) ? '1' : '0';
    if (text)
        text[count] = '\0';
    serialise_put_text(serialiser, name, text);
}

void serialise_put_text(struct serialiser *serialiser, const char *name, char *text) {
    serialiser->no_memory = serialiser->no_memory || !text;
    if (text)
        cJSON_AddStringToObject(serialiser->object, name, text);
    free(text);
}

void serialise_members(struct serialiser *serialiser, const struct record *record, void *data,
                       const struct record_wire *wire) {
    if (serialiser->reads)
        record_read(&serialiser->reader, serialiser->object, record, data, NULL, wire);
    else
        record_write(serialiser->object, record, data, NULL, wire);
}

void serialise_record(struct serialiser *serialiser, const char *name, const struct record *record,
                      void *data, const struct record_wire *wire) {
    struct serialise_place place = serialise_enter(serialiser, name);
    serialise_members(serialiser, record, data, wire);
    serialise_leave(serialiser, place);
}
