/* Operations on arrays for the workers of ports: how arrays fall into lines, and the copying of elements to where those of a line
 * lie one after the other, and back. Include it behind adapter.h; port_lines.h calls the port's functions for a line. */
#ifndef PORT_ARRAYS_H
#define PORT_ARRAYS_H

#include <math.h>

#include "port_given.h"

/* What a line is: what lies along the axis, or all of the array without one; the same of the last axis without one; a group of
 * channels of a sample; a channel of all samples; all of the array; an element of the result. */
enum port_lines_kind { PORT_AXIS, PORT_LAST, PORT_GROUPS, PORT_CHANNELS, PORT_ALL, PORT_ELEMENTS };

/* The roles of operands and, behind '>', of results, a letter each:
 *   x   all elements: lines of n
 *   n   a number for each line
 *   w   a weight for each element of a line, or for each channel
 *   ab  the halves of each line of one array
 *   h   lines of n / 2
 *   m   a matrix as it lies
 *   s   an array as it lies, which all lines share
 *   v   a number for each weight, of all lines: the function gets them together
 *   k   the first elements of lines in order
 * Operands at the end may be absent. */
/* The names of enum port_number. */
static const char *const port_number_names[PORT_NUMBERS] = {
    "epsilon", "base",  "factor",   "smoothing", "learning-rate", "weight-decay",
    "beta1",   "beta2", "momentum", "dampening", "soft-cap"};

/* How the first operand falls into lines. */
struct port_places {
    enum port_lines_kind kind;
    size_t lines, n, stride; /* of channels, stride is the number of elements of one in a sample */
    size_t channels, groups;
    int reverse;
    size_t kept; /* elements of a line in order */
};

/* The text behind "NAME=" of the parameters; `otherwise` where there is none. */
static const char *port_parameter(const struct adapter_request *request, const char *name,
                                  const char *otherwise) {
    const size_t length = strlen(name);
    for (const char *at = request->parameters; *at; at = strchr(at, '\n') + 1)
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    return otherwise;
}

static int port_has(const struct adapter_request *request, const char *name, const char *value) {
    const char *text = port_parameter(request, name, "");
    const size_t length = strlen(value);
    return strncmp(text, value, length) == 0 && text[length] == '\n';
}

/* Makes of the operation the name of its row: gelu by tanh has rows of its own. */
static void port_name_row(struct adapter_request *request) {
    const char *operation = request->operation;
    char name[sizeof request->operation];
    const int gelu = strncmp(operation, "gelu_mul", 8) == 0 ? 4
                     : strncmp(operation, "geglu", 5) == 0  ? 5
                                                            : 0;
    if (!gelu || !port_has(request, "approximate", "tanh"))
        return;
    snprintf(name, sizeof name, "%.*s_tanh%.20s", gelu, operation, operation + gelu);
    memcpy(request->operation, name, sizeof name);
}

/* Whether all operands and results, but integers, have the format of the first one, in which sums are accumulated, too. A loss is
 * that of each line. */
static int port_has_one_format(const struct adapter_request *request) {
    static const char *const names[] = {"operand2", "operand3", "operand4",  "result1",
                                        "result2",  "result3",  "accumulate"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (*port_parameter(request, names[i], "") &&
            !port_has(request, names[i], request->format) && !port_has(request, names[i], "int64"))
            return 0;
    return !*port_parameter(request, "reduction", "") || port_has(request, "reduction", "none");
}

static struct port_places port_places_of(const struct adapter_request *request,
                                         enum port_lines_kind kind, const char *roles,
                                         const struct adapter_array *x,
                                         const struct adapter_array *z) {
    const char *text = port_parameter(request, "axis", kind == PORT_LAST ? "-1" : "");
    const int dimensions = (int)x->dimensions;
    int axis = kind < PORT_GROUPS && *text ? atoi(text) : dimensions;
    struct port_places places;
    memset(&places, 0, sizeof places);
    axis = axis < 0 ? axis + dimensions : axis;
    places.kind = kind;
    places.lines = places.stride = places.channels = places.groups = 1;
    places.reverse = port_has(request, "reverse", "true") && !strchr(roles, 'k');
    if (kind == PORT_GROUPS || kind == PORT_CHANNELS) {
        places.groups = (size_t)atoi(port_parameter(request, "groups", "1"));
        places.channels = (size_t)x->extents[1];
        places.lines =
            kind == PORT_CHANNELS ? places.channels : (size_t)x->extents[0] * places.groups;
        axis = 1;
    } else if (kind == PORT_ELEMENTS) {
        places.lines = (size_t)z->elements;
        places.n = 1;
        return places;
    } else if (axis < dimensions) {
        places.lines = (size_t)(x->elements / x->extents[axis]);
    }
    for (int i = axis + 1; i < dimensions; i++)
        places.stride *= (size_t)x->extents[i];
    places.n = (size_t)x->elements / places.lines;
    places.kept = (size_t)z->elements / places.lines;
    return places;
}

/* How many elements of a line there are in a role. */
static size_t port_length(const struct port_places *places, char role,
                          const struct adapter_array *array) {
    return role == 'n'                   ? 1
           : strchr("msv", role) != NULL ? (size_t)array->elements
           : role == 'k'                 ? places->kept
           : strchr("abh", role) != NULL ? places->n / 2
                                         : places->n;
}

/* How many lines lie in memory: one of what all share. */
static size_t port_lines_of(const struct port_places *places, char role) {
    return role == 's' || role == 'v' ? 1 : places->lines;
}

/* The place of element i of a line, in the array that has that role. */
static size_t port_place(const struct port_places *places, char role, size_t line, size_t i) {
    const size_t stride = places->stride, each = places->channels / places->groups;
    size_t n = places->n;
    if (strchr("nmsv", role) != NULL)
        return (role == 'n' ? line : 0) + i;
    if (role == 'w')
        return places->kind == PORT_CHANNELS ? line
               : places->kind == PORT_GROUPS ? line % places->groups * each + i / stride
                                             : i;
    if (places->kind == PORT_CHANNELS)
        return (i / stride * places->channels + line) * stride + i % stride;
    if (places->kind == PORT_GROUPS)
        return line * n + i;
    if (role == 'h' || role == 'k')
        n = role == 'h' ? n / 2 : places->kept;
    else if (role == 'a' || role == 'b')
        i += (role == 'b') != places->reverse ? n / 2 : 0;
    else if (places->reverse)
        i = n - 1 - i;
    return line / stride * stride * n + i * stride + line % stride;
}

/* Copies the elements of all lines in a role from the array, or back. */
static void port_copy(const struct port_places *places, char role, void *lines,
                      const struct adapter_array *array, int back) {
    const size_t bytes = array->bytes, n = port_length(places, role, array),
                 count = port_lines_of(places, role);
    char *there = (char *)array->codes, *here = (char *)lines;
    for (size_t line = 0; line < count; line++)
        for (size_t i = 0; i < n; i++, here += bytes) {
            char *at = there + bytes * port_place(places, role, line, i);
            memcpy(back ? at : here, back ? here : at, bytes);
        }
}

/* Which array has the role at a place of the text: of two halves the same. */
static unsigned port_array_of(const char *roles, size_t at) {
    unsigned array = 0;
    for (size_t i = 0; i < at; i++)
        array += roles[i] != 'a';
    return array;
}

static void port_set_numbers(struct port_lines *lines, const struct adapter_request *request) {
    for (size_t i = 0; i < PORT_NUMBERS; i++) {
        const char *text = port_parameter(request, port_number_names[i], "none");
        lines->numbers[i] = strncmp(text, "none", 4) == 0 ? 0.0f : strtof(text, NULL);
    }
    for (size_t i = PORT_BASE; i <= PORT_FACTOR; i++)
        lines->numbers[i] = lines->numbers[i] == 0.0f ? 1.0f : lines->numbers[i];
    lines->step = (size_t)atoll(port_parameter(request, "step", "1"));
    lines->rotary = (size_t)atoll(port_parameter(request, "rotary", "0"));
    lines->ignored = atoll(port_parameter(request, "ignore-index", "-100"));
    lines->window = (size_t)atoll(port_parameter(request, "window", "0"));
    lines->stride = (size_t)atoll(port_parameter(request, "stride", "1"));
    lines->padding = (size_t)atoll(port_parameter(request, "padding", "0"));
    lines->dilation = (size_t)atoll(port_parameter(request, "dilation", "1"));
    lines->reverse = port_has(request, "reverse", "true");
    lines->causal = port_has(request, "causal", "true");
    lines->alibi = port_has(request, "bias", "alibi");
    lines->exclusive = port_has(request, "exclusive", "true");
    lines->interleaved = port_has(request, "interleaved", "true");
    lines->nesterov = port_has(request, "nesterov", "true");
}

/* Extents, groups and weights, and the room for scratch: also for each element of what all lines share. */
static void port_set_shapes(struct port_lines *lines, const struct port_places *places,
                            const struct adapter_request *request, const char *roles,
                            const struct adapter_array *operands,
                            const struct adapter_array *results) {
    lines->scratch_step = 64 * places->n;
    for (unsigned k = 0; k < request->operands && k < PORT_OPERANDS; k++) {
        for (unsigned i = 0; i < operands[k].dimensions; i++)
            lines->x_extents[k][i] = operands[k].extents[i];
        if (k == 1 && roles[k] == 's')
            lines->scratch_step += 16 * operands[k].elements / operands[k].extents[0];
    }
    for (unsigned i = 0; i < results[0].dimensions; i++)
        lines->z_extents[i] = results[0].extents[i];
    lines->dimensions = operands[0].dimensions;
    lines->groups = 1;
    if (places->kind == PORT_CHANNELS)
        lines->groups = places->channels;
    else if (places->kind == PORT_GROUPS || places->kind == PORT_ELEMENTS)
        lines->groups = (detmath_u64)atoll(port_parameter(request, "groups", "1"));
    lines->each = places->kind == PORT_CHANNELS ? 1
                  : places->kind == PORT_GROUPS ? places->channels / places->groups
                                                : places->n;
    lines->rows = places->lines;
    lines->scratch_bytes = places->lines * lines->scratch_step;
}

/* Lines with the elements of the operands; those of the results, as they lie. */
static struct port_lines port_load(const struct adapter_request *request,
                                   const struct port_places *places, const char *roles,
                                   const struct adapter_array *operands,
                                   const struct adapter_array *results) {
    const char *of_results = strchr(roles, '>') + 1;
    struct port_lines lines;
    memset(&lines, 0, sizeof lines);
    lines.lines = places->lines;
    lines.n = port_length(places, roles[0], operands);
    port_set_numbers(&lines, request);
    port_set_shapes(&lines, places, request, roles, operands, results);
    lines.scratch = adapter_room((size_t)lines.scratch_bytes);
    if (roles[0] == 'm') {
        lines.rows = (size_t)operands[0].extents[0];
        lines.n = (size_t)operands[0].extents[1];
        lines.columns = (size_t)operands[1].extents[1];
    }
    for (size_t k = 0; roles[k] != '>' && port_array_of(roles, k) < request->operands; k++) {
        const struct adapter_array *array = &operands[port_array_of(roles, k)];
        const size_t length = port_length(places, roles[k], array);
        lines.x_step[k] = roles[k] == 's' ? 0 : length;
        lines.x_bytes[k] = port_lines_of(places, roles[k]) * length * array->bytes;
        lines.x[k] = adapter_room((size_t)lines.x_bytes[k]);
        port_copy(places, roles[k], lines.x[k], array, 0);
    }
    for (size_t k = 0; of_results[k]; k++) {
        const struct adapter_array *array = &results[port_array_of(of_results, k)];
        lines.z_step[k] = port_length(places, of_results[k], array);
        lines.z_bytes[k] = port_lines_of(places, of_results[k]) * lines.z_step[k] * array->bytes;
        lines.z[k] = adapter_room((size_t)lines.z_bytes[k]);
        port_copy(places, of_results[k], lines.z[k], array, 0);
    }
    if (*of_results == 'v')
        lines.lines = 1;
    return lines;
}

/* An exclusive scan begins with the sum of nothing: +0, or of logarithms -infinity. The function gets the other elements. */
static void port_begin_scan(struct port_lines *lines, const struct adapter_request *request) {
    const int is_double = strcmp(request->format, "fp64") == 0;
    const double first = strncmp(request->operation, "log", 3) == 0 ? -INFINITY : 0;
    lines->skip = 1;
    lines->n--;
    for (size_t line = 0; line < lines->lines; line++)
        if (is_double)
            ((double *)lines->z[0])[line * lines->z_step[0]] = first;
        else
            ((float *)lines->z[0])[line * lines->z_step[0]] = (float)first;
}

/* Gives the results back, and frees the lines. */
static void port_store(struct port_lines *lines, const struct port_places *places,
                       const char *roles, struct adapter_array *results) {
    const char *of_results = strchr(roles, '>') + 1;
    for (size_t k = 0; of_results[k]; k++)
        port_copy(places, of_results[k], lines->z[k], &results[port_array_of(of_results, k)], 1);
    for (size_t k = 0; k < PORT_OPERANDS; k++)
        free(lines->x[k]);
    for (size_t k = 0; k < PORT_RESULTS; k++)
        free(lines->z[k]);
    free(lines->scratch);
}

/* One call: `run` computes all lines. */
static void port_call(const struct adapter_request *request, enum port_lines_kind kind,
                      const char *roles, const struct adapter_array *operands,
                      struct adapter_array *results, void (*run)(struct port_lines *lines)) {
    const struct port_places places = port_places_of(request, kind, roles, operands, results);
    struct port_lines lines = port_load(request, &places, roles, operands, results);
    if (lines.exclusive && strcmp(roles, "x>x") == 0)
        port_begin_scan(&lines, request);
    run(&lines);
    port_store(&lines, &places, roles, results);
}

#endif
