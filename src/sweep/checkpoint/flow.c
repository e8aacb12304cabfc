/* Either way. */
#include "sweep/checkpoint/flow.h"

#include "base/json_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool flow_write(struct flow *flow) {
    *flow = (struct flow){.document = cJSON_CreateObject()};
    flow->object = flow->document;
    return flow->document != NULL;
}

bool flow_read(struct flow *flow, const struct bytes *bytes, const char *path,
               struct error *error) {
    *flow = (struct flow){.document = bytes_document(bytes, path, error),
                          .reads = true,
                          .reader = {.file = path, .error = error}};
    flow->object = flow->document;
    return flow->document != NULL;
}

void flow_end(struct flow *flow, struct bytes *bytes) {
    if (flow->no_memory)
        flow_close(flow);
    record_keep_digits(flow->document, "envelope");
    bytes_put_document(bytes, flow->document);
    flow->document = flow->object = NULL;
}

void flow_close(struct flow *flow) {
    if (flow->reads)
        json_tree_free(flow->document);
    else
        cJSON_Delete(flow->document);
    flow->document = flow->object = NULL;
}

void flow_expect(struct flow *flow, const char *name, bool sound) {
    if (flow->reads && !sound)
        json_fail(&flow->reader, name, "is nothing that a run keeps");
}

struct flow_place flow_enter(struct flow *flow, const char *name) {
    struct flow_place place = {.object = flow->object};
    cJSON *inner = json_get(flow->object, name);
    if (!flow->reads)
        inner = cJSON_AddObjectToObject(flow->object, name);
    else if (!cJSON_IsObject(inner))
        json_fail(&flow->reader, name, "should be an object");
    place.mark = json_enter(&flow->reader, name, -1);
    flow->object = inner;
    return place;
}

void flow_leave(struct flow *flow, struct flow_place place) {
    flow->object = place.object;
    json_leave(&flow->reader, place.mark);
}

struct flow_items flow_items(struct flow *flow, const char *name) {
    struct flow_items items = {.name = name};
    if (!flow->reads)
        items.array = cJSON_AddArrayToObject(flow->object, name);
    else if (json_array(&flow->reader, flow->object, name))
        items.next = json_get(flow->object, name)->child;
    return items;
}

void flow_enter_item(struct flow *flow, struct flow_items *items) {
    cJSON *item = items->next;
    if (flow->reads && !item)
        json_fail(&flow->reader, items->name, "has too few");
    if (!flow->reads)
        cJSON_AddItemToArray(items->array, item = cJSON_CreateObject());
    else if (item)
        items->next = item->next;
    items->place =
        (struct flow_place){flow->object, json_enter(&flow->reader, items->name, items->number++)};
    flow->object = item;
}

void flow_leave_item(struct flow *flow, struct flow_items *items) {
    flow_leave(flow, items->place);
}

void flow_end_items(struct flow *flow, const struct flow_items *items) {
    if (items->next)
        json_fail(&flow->reader, items->name, "has too many");
}

static bool read_number(struct flow *flow, const char *name, const cJSON *item, uint64_t most,
                        uint64_t *number) {
    uint64_t found = 0;
    int digits;
    bool good = record_code_of(item, &found, &digits) && found <= most;
    if (!good)
        flow_expect(flow, name, false);
    else
        *number = found;
    return good;
}

void flow_number(struct flow *flow, const char *name, uint64_t *number, uint64_t most) {
    if (!flow->reads)
        cJSON_AddItemToObject(flow->object, name, record_code_item(*number, 1));
    else
        read_number(flow, name, json_get(flow->object, name), most, number);
}

void flow_size(struct flow *flow, const char *name, size_t *size, size_t most) {
    uint64_t number = *size;
    flow_number(flow, name, &number, most);
    *size = (size_t)number;
}

void flow_small(struct flow *flow, const char *name, unsigned *number, unsigned most) {
    uint64_t wide = *number;
    flow_number(flow, name, &wide, most);
    *number = (unsigned)wide;
}

void flow_flag(struct flow *flow, const char *name, bool *flag) {
    uint64_t number = *flag;
    flow_number(flow, name, &number, 1);
    *flag = number;
}

void flow_double(struct flow *flow, const char *name, double *number) {
    flow_doubles(flow, name, number, sizeof *number, 1);
}

/* Reads or writes an item of an array; `most` 0: any bits of a double but those of a NaN. */
static void pass_item(struct flow *flow, const char *name, cJSON *array, const cJSON *item,
                      char *place, uint64_t most) {
    uint64_t number;
    double value;
    memcpy(&number, place, sizeof number);
    if (!flow->reads) {
        cJSON_AddItemToArray(array, record_code_item(number, 1));
        return;
    }
    if (!read_number(flow, name, item, most ? most : UINT64_MAX, &number))
        return;
    memcpy(&value, &number, sizeof value);
    if (!most && isnan(value))
        flow_expect(flow, name, false);
    else
        memcpy(place, &number, sizeof number);
}

static void pass_items(struct flow *flow, const char *name, void *first, size_t stride,
                       size_t count, uint64_t most) {
    cJSON *array =
        flow->reads ? json_get(flow->object, name) : cJSON_AddArrayToObject(flow->object, name);
    const cJSON *item = array ? array->child : NULL;
    for (size_t i = 0; i < count && !flow_is_torn(flow); i++) {
        pass_item(flow, name, array, item, (char *)first + i * stride, most);
        item = item ? item->next : NULL;
    }
    flow_expect(flow, name, cJSON_IsArray(array) && (!flow->reads || !item));
}

void flow_numbers(struct flow *flow, const char *name, void *first, size_t stride, size_t count,
                  uint64_t most) {
    pass_items(flow, name, first, stride, count, most ? most : 1);
}

void flow_doubles(struct flow *flow, const char *name, void *first, size_t stride, size_t count) {
    pass_items(flow, name, first, stride, count, 0);
}

/* A text of as many digits. */
void flow_flags(struct flow *flow, const char *name, void *first, size_t stride, size_t count) {
    if (flow->reads) {
        const char *text = json_string(&flow->reader, flow->object, name);
        bool good = strlen(text) == count && strspn(text, "01") == count;
        flow_expect(flow, name, good);
        for (size_t i = 0; good && i < count; i++)
            *(bool *)(void *)((char *)first + i * stride) = text[i] == '1';
        return;
    }
    char *text = malloc(count + 1);
    for (size_t i = 0; text && i < count; i++)
        text[i] = *(const bool *)(const void *)((const char *)first + i * stride) ? '1' : '0';
    if (text)
        text[count] = '\0';
    flow_put_text(flow, name, text);
}

void flow_put_text(struct flow *flow, const char *name, char *text) {
    flow->no_memory = flow->no_memory || !text;
    if (text)
        cJSON_AddStringToObject(flow->object, name, text);
    free(text);
}

void flow_members(struct flow *flow, const struct record *record, void *data,
                  const struct record_wire *wire) {
    if (flow->reads)
        record_read(&flow->reader, flow->object, record, data, NULL, wire);
    else
        record_write(flow->object, record, data, NULL, wire);
}

void flow_record(struct flow *flow, const char *name, const struct record *record, void *data,
                 const struct record_wire *wire) {
    struct flow_place place = flow_enter(flow, name);
    flow_members(flow, record, data, wire);
    flow_leave(flow, place);
}
