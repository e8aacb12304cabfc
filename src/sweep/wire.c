/* Writing inputs, and reading them as they were written. */
#include "sweep/wire.h"

#include "format/text.h"
#include "sweep/promise/promise.h"

#include <stdlib.h>
#include <string.h>

int wire_digits(const struct format *format) {
    return (int)(format->width + 3) / 4;
}

void wire_add_bits(cJSON *object, const char *name, const struct format *format, uint64_t code) {
    char text[NUMBER_TEXT];
    cJSON_AddStringToObject(object, name, format_bits_text(format, code, text));
}

cJSON *wire_shape(const struct shape *shape) {
    cJSON *extents = cJSON_CreateArray();
    for (int i = 0; i < shape->dimensions; i++)
        cJSON_AddItemToArray(extents, cJSON_CreateNumber((double)shape->extents[i]));
    return extents;
}

/* Which call of an operation on arrays, how to make it again, and which element of the result. */
static void add_array_input(cJSON *object, const struct cases *cases, const uint64_t *input) {
    cJSON *where = cJSON_AddObjectToObject(object, "input");
    cJSON_AddItemToObject(where, "shape", wire_shape(case_shape(cases, input[0])));
    cJSON_AddNumberToObject(where, "draw", (double)case_draw(cases, input[0]));
    cJSON_AddNumberToObject(where, "element", (double)input[1]);
}

void wire_add_input(cJSON *object, const struct sweep_request *request, const uint64_t *input) {
    const struct binding_request *computed = &request->computed;
    char text[NUMBER_TEXT];
    if (computed->operation->array) {
        add_array_input(object, &request->domain->cases, input);
        return;
    }
    if (computed->operation->operands == 1) {
        wire_add_bits(object, "input", computed->format, input[0]);
        return;
    }
    cJSON *array = cJSON_AddArrayToObject(object, "input");
    for (int i = 0; i < computed->operation->operands; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(format_bits_text(
                                        format_of_operand(computed->format, i), input[i], text)));
}

static const struct sweep_request *request_of(const struct record_wire *wire) {
    return ((const struct sweep_wire *)wire)->request;
}

static void write_input(cJSON *object, const struct record_wire *wire, const uint64_t *input) {
    wire_add_input(object, request_of(wire), input);
}

static bool is_shape(const cJSON *extents, const struct shape *shape) {
    bool same = cJSON_IsArray(extents) && cJSON_GetArraySize(extents) == shape->dimensions;
    for (int i = 0; same && i < shape->dimensions; i++) {
        const cJSON *one = cJSON_GetArrayItem(extents, i);
        same = cJSON_IsNumber(one) && one->valuedouble >= (double)shape->extents[i] &&
               one->valuedouble <= (double)shape->extents[i];
    }
    return same;
}

/* Which call it is, by its shape and its draw. */
static void read_array_input(struct json_reader *reader, const cJSON *object,
                             const struct cases *cases, uint64_t *input) {
    const cJSON *where = json_object(reader, object, "input");
    size_t mark = json_enter(reader, "input", -1), shape = 0;
    const cJSON *extents = json_array(reader, where, "shape");
    uint64_t draw = json_count(reader, where, "draw");
    while (shape < cases->shape_count && !is_shape(extents, &cases->shapes[shape]))
        shape++;
    if (shape == cases->shape_count || draw >= cases->draws)
        json_fail(reader, NULL, "is not a call of the run");
    input[0] = shape * cases->draws + draw;
    input[1] = json_count(reader, where, "element");
    json_leave(reader, mark);
}

static void read_code(struct json_reader *reader, const cJSON *item, const struct format *format,
                      uint64_t *code) {
    char *end = NULL;
    *code = cJSON_IsString(item) ? strtoull(item->valuestring, &end, 16) : 0;
    if (!end || end == item->valuestring || *end || *code & ~format_mask(format))
        json_fail(reader, "input", "should be a code of the format, or one for each operand");
}

static void read_input(struct json_reader *reader, const cJSON *object,
                       const struct record_wire *wire, uint64_t *input) {
    const struct sweep_request *request = request_of(wire);
    const struct format *format = request->computed.format;
    int operands = request->computed.operation->operands;
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "input");
    if (request->computed.operation->array) {
        read_array_input(reader, object, &request->domain->cases, input);
        return;
    }
    if (operands == 1) {
        read_code(reader, item, format, input);
        return;
    }
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != operands)
        json_fail(reader, "input", "should have a code for each operand");
    for (int i = 0; i < operands; i++)
        read_code(reader, cJSON_GetArrayItem(item, i), format_of_operand(format, i), &input[i]);
}

/* Whether the domain's input of that number is this one; of arrays, whether there is such an element.
 * Events, which are of the call, have 0 for that. */
static bool is_input(const struct record_wire *wire, uint64_t index, const uint64_t *input) {
    const struct sweep_wire *own = (const struct sweep_wire *)wire;
    const struct binding_request *computed = &own->request->computed;
    const struct domain *domain = own->request->domain;
    uint64_t codes[MAX_OPERANDS];
    if (computed->operation->array) {
        struct error unused;
        struct array_call call = {.parameters = &computed->parameters};
        return input[0] < domain->count &&
               array_call_plan(&call, computed->operation->array, computed->format,
                               case_shape(&domain->cases, input[0]), &unused) &&
               (!input[1] || input[1] < shape_elements(&call.results[own->result].shape));
    }
    if (index >= domain->count)
        return false;
    domain_codes_at(domain, index, codes);
    return memcmp(codes, input, (size_t)computed->operation->operands * sizeof *codes) == 0;
}

static bool is_code(const struct record_wire *wire, uint64_t code) {
    return !(code >> (4 * wire->widths.digits - 1) >> 1);
}

/* The members of "promise" that are not counted, and of "value". */
static void say_promise(cJSON *object, const char *name, const struct promise *promise) {
    cJSON *accepted = NULL;
    if (strcmp(name, "policy") == 0)
        cJSON_AddStringToObject(object, name, promise->source);
    else if (strcmp(name, "rule") == 0)
        cJSON_AddNumberToObject(object, name, promise->rule);
    else if (strcmp(name, "section") == 0)
        cJSON_AddStringToObject(object, name, promise->section);
    else if (strcmp(name, "allowed") == 0)
        cJSON_AddStringToObject(object, name, promise->text);
    else if (strcmp(name, "accept") == 0)
        accepted = cJSON_AddArrayToObject(object, name);
    else if (promise->most < UINT64_MAX)
        cJSON_AddNumberToObject(object, name, (double)promise->most);
    else
        cJSON_AddNullToObject(object, name);
    for (int i = 0; accepted && i < PROMISE_ACCEPTANCES; i++)
        if (promise->accepted >> i & 1)
            cJSON_AddItemToArray(accepted, cJSON_CreateString(promise_acceptance_names[i]));
}

static void say(cJSON *object, const struct record_member *member, const struct record_wire *wire) {
    const struct sweep_wire *own = (const struct sweep_wire *)wire;
    const struct array_rule *rule = own->request->computed.operation->array;
    size_t output = own->implementation * MAX_RESULTS + (size_t)own->result;
    if (rule)
        cJSON_AddNumberToObject(
            object, member->name,
            (double)rule->value_scale(rule, &own->request->computed.parameters));
    else
        say_promise(object, member->name, own->request->promises[output]);
}

struct sweep_wire sweep_wire_of(const struct sweep_request *request, size_t implementation,
                                int result, const struct format *format, bool kept) {
    return (struct sweep_wire){
        .wire = {.is_checkpoint = kept,
                 .strict = kept,
                 .widths = {wire_digits(format), wire_digits(request->computed.format),
                            request->computed.operation->results},
                 .write_input = write_input,
                 .read_input = read_input,
                 .say = say,
                 .is_input = is_input,
                 .is_code = is_code},
        .request = request,
        .implementation = implementation,
        .result = result};
}
