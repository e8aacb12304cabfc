/* The header, the text of the parameters, and the key. */
#include "impl/remote/greeting.h"

#include "base/byte_order.h"
#include "impl/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before all parameters: an operation that is no row of the table. */
#define FORMULA_LINE "formula="
/* The whole name of an operation, where the header has no room for it. */
#define NAME_LINE "operation="
/* Likewise of the operands' format, which may be a compound (format/compound.h): that of blocks has no room elsewhere. */
#define FORMAT_LINE "format="

static const char *name_of(const struct operation *operation) {
    return operation->made_of ? operation->made_of->name : operation->name;
}

static void put_name(uint8_t *at, const char *name) {
    memcpy(at, name, strnlen(name, PROTOCOL_NAME - 1));
}

/* Of an operation on arrays: that it is one, and the formats. */
static size_t describe_arrays(const struct operation *operation, const struct array_call *call,
                              char text[MOST_PARAMETERS]) {
    size_t used = (size_t)snprintf(text, MOST_PARAMETERS, "arrays=%d\n", PROTOCOL_ARRAYS);
    for (int i = 0; i < operation_operands(operation, call->parameters); i++)
        used += (size_t)snprintf(text + used, MOST_PARAMETERS - used, "operand%d=%s\n", i + 1,
                                 call->operands[i].format->name);
    for (int i = 0; i < operation->results; i++)
        used += (size_t)snprintf(text + used, MOST_PARAMETERS - used, "result%d=%s\n", i + 1,
                                 call->results[i].format->name);
    return used;
}

/* Which calls a sweep makes is not the worker's business: each has its shapes with it. */
static bool is_of_sweep(int parameter) {
    return parameter == PARAMETER_SHAPE_OF || parameter == PARAMETER_DISTRIBUTION;
}

unsigned greeting_asks(const struct remote *remote) {
    const struct binding_request *request = remote->request;
    const struct array_rule *array = request->operation ? request->operation->array : NULL;
    if (remote->memory || !request->operation || (array && !array_is_of_texts(array)))
        return 0;
    if (array)
        return request->conditions ? 0
                                   : PROTOCOL_LENGTHS | (request->flags ? PROTOCOL_FLAGS : 0u) |
                                         (request->errnos ? PROTOCOL_ERRNO : 0u);
    if (request->conditions)
        return PROTOCOL_CONDITIONS;
    return (request->flags ? PROTOCOL_FLAGS : 0u) | (request->errnos ? PROTOCOL_ERRNO : 0u);
}

/* A line for each parameter that has a value, from `used` on. */
static size_t make_parameters(const struct remote *remote, size_t used,
                              char text[MOST_PARAMETERS]) {
    const struct binding_request *request = remote->request;
    unsigned asked = greeting_asks(remote);
    text[used] = '\0';
    if (request->operation && request->operation->made_of)
        used += (size_t)snprintf(text + used, MOST_PARAMETERS - used, FORMULA_LINE "%s\n",
                                 request->operation->name);
    if (request->operation && strlen(name_of(request->operation)) >= PROTOCOL_NAME)
        used += (size_t)snprintf(text + used, MOST_PARAMETERS - used, NAME_LINE "%s\n",
                                 name_of(request->operation));
    if (request->operation && (strlen(request->format->name) >= PROTOCOL_NAME ||
                               (request->operation->array && !format_is_plain(request->format))))
        used += (size_t)snprintf(text + used, MOST_PARAMETERS - used, FORMAT_LINE "%s\n",
                                 request->format->name);
    for (int i = 0; request->operation && i < PARAMETER_COUNT; i++) {
        const struct parameter_value *value = &request->parameters.values[i];
        char room[PARAMETER_ROOM];
        if (value->present && !is_of_sweep(i) && used < MOST_PARAMETERS)
            used += (size_t)snprintf(text + used, MOST_PARAMETERS - used, "%s=%s\n",
                                     parameter_rows[i].name,
                                     parameter_text(&parameter_rows[i], value, room));
    }
    if (used < MOST_PARAMETERS)
        snprintf(text + used, MOST_PARAMETERS - used, "%s%s%s%s%s%s",
                 remote->memory ? "" : "gaps=1\n", asked & PROTOCOL_LENGTHS ? "lengths=1\n" : "",
                 asked & PROTOCOL_FLAGS ? "flags=1\n" : "",
                 asked & PROTOCOL_ERRNO ? "errno=1\n" : "",
                 asked & PROTOCOL_CONDITIONS ? "conditions=1\n" : "",
                 request->machine && !remote->memory ? "machine=1\n" : "");
    return strlen(text);
}

static void make_header(const struct binding_request *request, size_t text_length,
                        const struct array_call *call, uint8_t header[HEADER_SIZE]) {
    memset(header, 0, HEADER_SIZE);
    memcpy(header, PROTOCOL_MAGIC, strlen(PROTOCOL_MAGIC));
    put_u32(header + HEADER_VERSION, PROTOCOL_VERSION);
    if (!request->operation)
        return;
    const struct format *operands = call->operands[0].format, *results = call->results[0].format;
    put_u32(header + HEADER_OPERANDS,
            (uint32_t)operation_operands(request->operation, &request->parameters));
    put_u32(header + HEADER_RESULTS, (uint32_t)request->operation->results);
    put_u32(header + HEADER_OPERAND_BYTES, (uint32_t)format_bytes(operands));
    put_u32(header + HEADER_RESULT_BYTES, (uint32_t)format_bytes(results));
    put_u32(header + HEADER_TEXT, (uint32_t)text_length);
    put_name(header + HEADER_OPERATION, name_of(request->operation));
    put_name(header + HEADER_FORMAT, operands->name);
    put_name(header + HEADER_RESULT_FORMAT, results->name);
    put_name(header + HEADER_ROUNDING, rounding_names[request->rounding]);
}

bool greeting_make(const struct remote *remote, struct greeting *greeting, struct error *text) {
    const struct operation *operation = remote->request->operation;
    struct array_call call;
    if (operation && !sample_call(&call, remote->request, text))
        return false;
    greeting->length = make_parameters(
        remote,
        operation && operation->array ? describe_arrays(operation, &call, greeting->parameters) : 0,
        greeting->parameters);
    make_header(remote->request, greeting->length, &call, greeting->header);
    return true;
}

/* What stands behind the `=` of such a line; NULL: there is none. */
static const char *value_of(const char *parameters, const char *line) {
    const char *at = parameters;
    while (at && strncmp(at, line, strlen(line)) != 0) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at ? at + strlen(line) : NULL;
}

const struct operation *greeting_operation(const char *name, const char *parameters,
                                           struct error *error) {
    const char *formula = value_of(parameters, FORMULA_LINE);
    const char *line = formula ? formula : value_of(parameters, NAME_LINE);
    char text[FORMULA_TEXT];
    if (!line)
        return operation_find(name, error);
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    return operation_find(text, error);
}

bool greeting_read(uint8_t header[HEADER_SIZE], const char *parameters,
                   struct binding_request *request, struct error *error) {
    for (int name = HEADER_OPERATION; name < HEADER_SIZE; name += PROTOCOL_NAME)
        header[name + PROTOCOL_NAME - 1] = '\0';
    const char *rounding = (const char *)header + HEADER_ROUNDING,
               *format = value_of(parameters, FORMAT_LINE);
    char name[PARAMETER_ROOM];
    snprintf(name, sizeof name, "%.*s", format ? (int)strcspn(format, "\n") : PROTOCOL_NAME,
             format ? format : (const char *)header + HEADER_FORMAT);
    parameters_read(&request->parameters, parameters);
    request->operation =
        greeting_operation((const char *)header + HEADER_OPERATION, parameters, error);
    request->format = request->operation ? format_find(name, error) : NULL;
    return request->format && (rounding_find(rounding, &request->rounding) ||
                               error_set(error, "unknown rounding '%.40s'", rounding));
}

static bool add_bytes(struct remote_key *key, const void *bytes, size_t length) {
    char *more = realloc(key->bytes, key->length + length);
    if (!more)
        return false;
    memcpy(more + key->length, bytes, length);
    key->bytes = more;
    key->length += length;
    return true;
}

/* The end of each text belongs to the key, so that no two parts run into each other. */
bool greeting_key(struct remote *remote, const char build[BUILD_TEXT], struct error *text) {
    const char *variable = foreign_variable(remote->foreign);
    struct greeting greeting;
    bool room = true;
    if (!greeting_make(remote, &greeting, text))
        return false;
    for (char *const *word = remote->words; *word; word++)
        room = room && add_bytes(&remote->key, *word, strlen(*word) + 1);
    variable = variable ? variable : "";
    room = room && add_bytes(&remote->key, variable, strlen(variable) + 1) &&
           add_bytes(&remote->key, build, strlen(build) + 1) &&
           add_bytes(&remote->key, greeting.header, HEADER_SIZE) &&
           add_bytes(&remote->key, greeting.parameters, greeting.length);
    return room || error_set(text, "out of memory for %.200s", remote->name);
}
