/* Inputs of documents as numbers, and back. */
#include "report/document_wire.h"

#include "sweep/wire.h"

#include <stdlib.h>

static struct document_wire *own_of(const struct record_wire *wire) {
    return (struct document_wire *)(uintptr_t)wire;
}

/* None: of numbers. */
static const struct shape_list *shapes_of(const struct document_wire *own) {
    return own->shapes ? own->shapes : &own->found;
}

static void write_input(cJSON *object, const struct record_wire *wire, const uint64_t *input) {
    const struct document_wire *own = own_of(wire);
    const struct shape_list *shapes = shapes_of(own);
    if (shapes->count) {
        cJSON *item = cJSON_AddObjectToObject(object, "input");
        cJSON_AddItemToObject(item, "shape", wire_shape(&shapes->shapes[input[0]]));
        cJSON_AddNumberToObject(item, "draw", (double)input[1]);
        cJSON_AddNumberToObject(item, "element", (double)input[2]);
    } else if (own->operands == 1)
        cJSON_AddItemToObject(object, "input",
                              record_code_item(input[0], wire->widths.input_digits));
    else {
        cJSON *array = cJSON_AddArrayToObject(object, "input");
        for (int i = 0; i < own->operands; i++)
            cJSON_AddItemToArray(array, record_code_item(input[i], wire->widths.input_digits));
    }
}

static void read_call(struct json_reader *reader, const cJSON *object, struct document_wire *own,
                      uint64_t *input) {
    const cJSON *item = json_object(reader, object, "input");
    struct shape shape;
    size_t mark = json_enter(reader, "input", -1);
    shape_read(reader, json_array(reader, item, "shape"), &shape);
    input[0] = shape_list_place(shapes_of(own), &shape);
    if (input[0] == shapes_of(own)->count && own->shapes)
        json_fail(reader, "shape", "is none of inputs.shard.shapes");
    else if (input[0] == own->found.count && !own->shapes && !shape_list_add(&own->found, &shape))
        json_fail(reader, "shape", "is too large for the memory");
    input[1] = json_count(reader, item, "draw");
    input[2] = json_count(reader, item, "element");
    json_leave(reader, mark);
}

static void read_code(struct json_reader *reader, const cJSON *item, struct document_wire *own,
                      uint64_t *code) {
    if (!record_code_of(item, code, &own->wire.widths.input_digits))
        json_fail(reader, "input",
                  "should be 0x and up to 16 hexadecimal digits, for each operand");
}

static void read_input(struct json_reader *reader, const cJSON *object,
                       const struct record_wire *wire, uint64_t *input) {
    struct document_wire *own = own_of(wire);
    const cJSON *item = json_get(object, "input");
    int operands = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 1;
    if (own->shapes || (own->collects && cJSON_IsObject(item))) {
        read_call(reader, object, own, input);
        return;
    }
    if (operands > MAX_OPERANDS || (own->operands && own->operands != operands))
        json_fail(reader, "input", "should have a code for each operand");
    own->operands = operands;
    if (cJSON_IsArray(item))
        for (int i = 0; i < operands && i < MAX_OPERANDS; i++)
            read_code(reader, cJSON_GetArrayItem(item, i), own, &input[i]);
    else
        read_code(reader, item, own, &input[0]);
}

void document_wire_open(struct document_wire *wire, const struct shape_list *shapes) {
    *wire = (struct document_wire){
        .wire = {.strict = true, .write_input = write_input, .read_input = read_input},
        .shapes = shapes};
    wire->wire.found = &wire->wire.widths;
}

void document_wire_close(struct document_wire *wire) {
    free(wire->found.shapes);
}
