/* Patterns of steps, a row each, and finding them in what gives a value. */
#include "trace/steps.h"

#include "trace/call.h"
#include "trace/names.h"

#include <stdlib.h>
#include <string.h>

/* In a pattern a letter is a tensor, the same one wherever it stands; "#e" a number that is kept as the attribute eps; "square"
 * any of the three ways to write one; other words are names of operations of detcheck, of which add and mul take their
 * operands in either order, and mean, sum and amax work along the last axis. */
struct pattern {
    const char *steps, *name; /* and the recorded operation that they are */
    const char *operands;     /* letters, in the order of its inputs */
};

#define CENTRED            "sub(x,mean(x))"
#define VARIANCE           "add(mean(square(" CENTRED ")),#e)"
#define BY_ROOT(X, OF)     "mul(" X ",rsqrt(" OF "))"
#define BY_DIVISION(X, OF) "div(" X ",sqrt(" OF "))"
#define MEAN_SQUARE        "add(mean(square(x)),#e)"

static const struct pattern patterns[] = {
    {"mul(" BY_ROOT("x", MEAN_SQUARE) ",w)", "aten.rms_norm", "xw"},
    {"mul(" BY_DIVISION("x", MEAN_SQUARE) ",w)", "aten.rms_norm", "xw"},
    {BY_ROOT("x", MEAN_SQUARE), "aten.rms_norm", "x"},
    {BY_DIVISION("x", MEAN_SQUARE), "aten.rms_norm", "x"},
    {"add(mul(" BY_ROOT(CENTRED, VARIANCE) ",w),b)", "aten.layer_norm", "xwb"},
    {"add(mul(" BY_DIVISION(CENTRED, VARIANCE) ",w),b)", "aten.layer_norm", "xwb"},
    {BY_ROOT(CENTRED, VARIANCE), "aten.layer_norm", "x"},
    {BY_DIVISION(CENTRED, VARIANCE), "aten.layer_norm", "x"},
    {"div(exp(sub(x,amax(x))),sum(exp(sub(x,amax(x)))))", "aten.softmax", "x"},
    {"div(exp(x),sum(exp(x)))", "aten.softmax", "x"},
    {"add(matmul(a,c),b)", "aten.addmm", "bac"},
};

struct search {
    const struct trace *trace;
    const struct trace_operation *operations;
    size_t count;
    struct found {
        const struct trace_tensor *tensors[26];
        double number; /* the one behind "#" */
        bool has_number;
    } found;
};

static bool same(const struct trace_tensor *a, const struct trace_tensor *b) {
    return a->has_digest && b->has_digest && a->count == b->count &&
           trace_same_digest(&a->canonical, &b->canonical);
}

/* The first operation that gives a value, as those behind it are views; NULL: it comes from outside. */
static const struct trace_operation *giver_of(const struct search *search,
                                              const struct trace_tensor *tensor) {
    for (size_t i = 0; i < search->count; i++)
        for (size_t k = 0; k < search->operations[i].output_count; k++)
            if (same(&search->operations[i].outputs[k], tensor))
                return &search->operations[i];
    return NULL;
}

static bool is_word(const char *pattern, size_t length, const char *word) {
    return strlen(word) == length && memcmp(pattern, word, length) == 0;
}

/* The place behind one expression. */
static const char *end_of(const char *pattern) {
    int depth = 0;
    while (*pattern && (depth || (*pattern != ',' && *pattern != ')'))) {
        depth += *pattern == '(';
        depth -= *pattern == ')';
        pattern++;
    }
    return pattern;
}

static bool match(struct search *search, const char *pattern, const struct trace_tensor *tensor);

/* A number: an attribute of the operation that takes one tensor, or a tensor of one element that was kept. */
static bool take_number(struct search *search, const struct trace_operation *operation,
                        size_t place, double *number) {
    struct trace_codes codes;
    struct error unused;
    if (place >= operation->input_count) {
        *number = trace_attribute_number(operation, "other exponent y value x2", 0);
        return trace_attribute(operation, "other exponent y value x2");
    }
    const struct trace_tensor *tensor = &operation->inputs[place];
    if (tensor->count != 1 || tensor->kept_in < 0 || !tensor->type || !tensor->type->format ||
        tensor->type->components != 1 || !trace_codes_load(&codes, search->trace, tensor, &unused))
        return false;
    const struct real real =
        format_decode(codes.format, code_load(codes.codes, format_bytes(codes.format), 0));
    *number = real_to_double(&real);
    free(codes.codes);
    return true;
}

static bool match_number(struct search *search, const struct trace_operation *operation,
                         size_t place) {
    double number;
    if (!take_number(search, operation, place, &number) ||
        (search->found.has_number && search->found.number != number))
        return false;
    search->found.number = number;
    search->found.has_number = true;
    return true;
}

static bool match_input(struct search *search, const char *pattern,
                        const struct trace_operation *operation, size_t place) {
    return *pattern == '#' ? match_number(search, operation, place)
                           : place < operation->input_count &&
                                 match(search, pattern, &operation->inputs[place]);
}

/* Whether it works along the last axis of what it takes. */
static bool is_along_last(const struct trace_operation *operation) {
    const cJSON *axes = trace_attribute(operation, "dim axis axes dims dimension");
    const bool is_list = cJSON_IsArray(axes);
    const cJSON *one = is_list ? axes->child : axes;
    const int last = operation->inputs[0].dimensions - 1;
    return operation->input_count == 1 && cJSON_IsNumber(one) &&
           (!is_list || cJSON_GetArraySize(axes) == 1) &&
           (one->valuedouble == -1 || one->valuedouble == last);
}

static bool match_square(struct search *search, const char *pattern,
                         const struct trace_operation *operation, const char *name) {
    double number = 0;
    const bool is_square =
        strcmp(name, "x*x") == 0 ||
        (strcmp(name, "mul") == 0 && operation->input_count == 2 &&
         same(&operation->inputs[0], &operation->inputs[1])) ||
        (strcmp(name, "pow") == 0 && take_number(search, operation, 1, &number) && number == 2);
    return is_square && operation->input_count && match(search, pattern, &operation->inputs[0]);
}

static bool match_binary(struct search *search, const char *pattern,
                         const struct trace_operation *operation, bool may_swap) {
    const char *const second = end_of(pattern) + 1;
    const struct found before = search->found;
    if (match_input(search, pattern, operation, 0) && match_input(search, second, operation, 1))
        return true;
    search->found = before;
    return may_swap && operation->input_count == 2 && match_input(search, pattern, operation, 1) &&
           match_input(search, second, operation, 0);
}

/* Whether a value comes from outside, if moved: what is computed within differs from what the other side computes. */
static bool is_from_outside(const struct search *search, const struct trace_tensor *tensor,
                            int depth) {
    enum { DEEPEST = 8 };
    const struct trace_operation *giver = giver_of(search, tensor);
    const struct trace_name *name = giver ? trace_name_find(search->trace, giver) : NULL;
    bool outside = !giver || (depth < DEEPEST && name && name->how == TRACE_EXACT);
    for (size_t i = 0; giver && i < giver->input_count && outside; i++)
        outside = is_from_outside(search, &giver->inputs[i], depth + 1);
    return outside;
}

static bool match(struct search *search, const char *pattern, const struct trace_tensor *tensor) {
    const size_t length = strcspn(pattern, "(,)");
    if (length == 1) {
        const struct trace_tensor **bound = &search->found.tensors[*pattern - 'a'];
        *bound = *bound ? *bound : tensor;
        return same(*bound, tensor) && is_from_outside(search, tensor, 0);
    }
    const struct trace_operation *operation = giver_of(search, tensor);
    const struct trace_name *row = operation ? trace_name_find(search->trace, operation) : NULL;
    const char *inner = pattern + length + 1;
    if (!row || !operation->input_count)
        return false;
    if (is_word(pattern, length, "amax"))
        return strstr(row->name, "amax") && is_along_last(operation) &&
               match(search, inner, &operation->inputs[0]);
    if (!row->operation)
        return false;
    if (is_word(pattern, length, "square"))
        return match_square(search, inner, operation, row->operation);
    if (!is_word(pattern, length, row->operation))
        return false;
    if (row->how == TRACE_LINES)
        return is_along_last(operation) && match(search, inner, &operation->inputs[0]);
    const bool may_swap = is_word(pattern, length, "add") || is_word(pattern, length, "mul");
    return *end_of(inner) == ',' ? match_binary(search, inner, operation, may_swap)
                                 : match(search, inner, &operation->inputs[0]);
}

/* Fills in what was found; false without memory. */
static bool make(struct trace_steps *steps, const struct search *search,
                 const struct pattern *pattern, const struct trace_operation *last) {
    steps->attributes = cJSON_CreateObject();
    steps->operation = *last;
    steps->operation.name = pattern->name;
    steps->operation.inputs = steps->inputs;
    steps->operation.input_count = strlen(pattern->operands);
    steps->operation.attributes = steps->attributes;
    for (size_t i = 0; i < steps->operation.input_count; i++) {
        steps->inputs[i] = *search->found.tensors[pattern->operands[i] - 'a'];
        steps->inputs[i].name = NULL;
    }
    if (search->found.has_number)
        return cJSON_AddNumberToObject(steps->attributes, "eps", search->found.number);
    return cJSON_AddNumberToObject(steps->attributes, "dim", -1);
}

/* Weights and biases are lines, as long as the last axis. */
static bool has_lines(const struct search *search) {
    const struct trace_tensor *x = search->found.tensors['x' - 'a'];
    bool good = true;
    for (const char *letter = "wb"; *letter && x; letter++) {
        const struct trace_tensor *line = search->found.tensors[*letter - 'a'];
        good = good && (!line || (x->dimensions && line->count == x->extents[x->dimensions - 1]));
    }
    return good;
}

bool trace_steps_find(struct trace_steps *steps, const struct trace *trace,
                      const struct trace_operation *operations, size_t count,
                      const struct trace_tensor *output) {
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct search search = {.trace = trace, .operations = operations, .count = count};
        if (!match(&search, patterns[i].steps, output) || !has_lines(&search))
            continue;
        struct trace_operation last = operations[count - 1];
        last.outputs = (struct trace_tensor *)(uintptr_t)output;
        last.output_count = 1;
        return make(steps, &search, &patterns[i], &last);
    }
    return false;
}

void trace_steps_close(struct trace_steps *steps) {
    cJSON_Delete(steps->attributes);
}
