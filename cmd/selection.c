/* Names on the command line to rows of tables. */
#include "selection.h"

#include "base/names.h"
#include "impl/array.h"
#include "impl/unit.h"
#include "op/conversion.h"
#include "op/p3109_names.h"
#include "signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_operation(struct selection *selection, const struct operation *operation,
                          bool by_group, struct error *error) {
    for (size_t i = 0; i < selection->operation_count; i++)
        if (selection->operations[i] == operation) {
            selection->by_group[i] = selection->by_group[i] && by_group;
            return true;
        }
    if (selection->operation_count == MAX_SELECTED)
        return error_set(error, "more than %d operations", MAX_SELECTED);
    selection->by_group[selection->operation_count] = by_group;
    selection->operations[selection->operation_count++] = operation;
    return true;
}

static bool add_group(struct selection *selection, const char *group, bool *is_group,
                      struct error *error) {
    for (size_t i = 0; operation_at(i); i++)
        if (operation_in_group(operation_at(i), group)) {
            *is_group = true;
            if (!add_operation(selection, operation_at(i), true, error))
                return false;
        }
    return true;
}

bool select_operations(struct selection *selection, const char *const *names, size_t count,
                       struct error *error) {
    for (size_t i = 0; i < count; i++) {
        bool is_group = false;
        if (!add_group(selection, names[i], &is_group, error))
            return false;
        if (is_group)
            continue;
        const struct operation *operation = operation_find(names[i], error);
        if (!operation || !add_operation(selection, operation, false, error))
            return false;
    }
    return true;
}

bool select_by_group(const struct selection *selection, const struct operation *operation) {
    for (size_t i = 0; i < selection->operation_count; i++)
        if (selection->operations[i] == operation)
            return selection->by_group[i];
    return false;
}

static bool add_format(struct selection *selection, const char *word, struct error *error) {
    const struct format *format = format_find(word, error);
    int listed = 1;
    for (const char *at = word; (at = strchr(at, ':')); at++)
        listed++;
    if (!format)
        return false;
    for (size_t i = 0; listed > 1 && i < selection->operation_count; i++)
        if (!selection->by_group[i] &&
            !p3109_takes_count(selection->operations[i], word, listed, error))
            return false;
    for (size_t i = 0; i < selection->format_count; i++)
        if (selection->formats[i] == format)
            return true;
    selection->formats[selection->format_count++] = format;
    return true;
}

static bool add_rounding(struct selection *selection, const char *word, struct error *error) {
    enum rounding found;
    if (!rounding_find(word, &found)) {
        const char *nearest = name_nearest(word, rounding_names, ROUNDING_NAMES);
        return error_set(error, "unknown rounding '%.80s'; %s%s%s", word,
                         nearest ? "did you mean " : "there are: ",
                         nearest ? nearest : "nearest-even, toward-zero, up, down, nearest-away",
                         nearest ? "?" : "");
    }
    for (size_t i = 0; found >= ROUNDING_COUNT && i < selection->operation_count; i++)
        if (!operation_has_rounding(selection->operations[i], (enum rounding)found))
            return error_set(error, "%s is not rounded %s; cast is", selection->operations[i]->name,
                             found == ROUND_STOCHASTIC ? "stochastically" : rounding_names[found]);
    for (size_t i = 0; i < selection->rounding_count; i++)
        if (selection->roundings[i] == found)
            return true;
    selection->roundings[selection->rounding_count++] = found;
    return true;
}

static bool add_one(struct selection *selection, const char *word, struct error *error) {
    struct implementation implementation;
    if (!implementation_open(&implementation, word, &selection->foreign, error))
        return false;
    for (size_t i = 0; i < selection->implementation_count; i++)
        if (strcmp(selection->implementations[i].name, implementation.name) == 0)
            return true;
    if (selection->implementation_count == MAX_IMPLEMENTATIONS)
        return error_set(error, "more than %d implementations", MAX_IMPLEMENTATIONS);
    selection->implementations[selection->implementation_count++] = implementation;
    return true;
}

static bool add_implementation(struct selection *selection, const char *word, struct error *error) {
    char spelling[IMPLEMENTATION_NAME];
    for (size_t i = 0;; i++)
        if (!implementation_spell(word, i, spelling, error) ||
            (*spelling && !add_one(selection, spelling, error)))
            return false;
        else if (!*spelling)
            return true;
}

typedef bool add_function(struct selection *, const char *, struct error *);

static bool add_words(struct selection *selection, const struct option *option, const char *value,
                      add_function *add, struct error *error) {
    bool by_kind = option->kind == VALUE_IMPLEMENTATION, good = true;
    do {
        size_t length = by_kind ? implementation_list_name(value) : strcspn(value, ",");
        if (length == 0)
            return error_set(error, "--%s needs %s, not '%.80s'", option->name, option->value,
                             value);
        char *word = strndup(value, length);
        good = word ? add(selection, word, error) : error_set(error, "out of memory");
        free(word);
        value += length;
        if (good && *value == ',' && !*++value)
            return error_set(error, "--%s ends in a comma", option->name);
    } while (good && *value);
    return good;
}

static bool add_default_implementations(struct selection *selection, const char *names,
                                        struct error *error) {
    static const struct option option = {.name = "impl", .value = "NAME"};
    selection->default_implementations = true;
    return add_words(selection, &option, names, add_implementation, error);
}

bool select_foreign(struct selection *selection, const struct arguments *arguments,
                    struct error *error) {
    const char *text = argument_value(arguments, "timeout", NULL);
    char *end;
    double seconds = text ? strtod(text, &end) : foreign_defaults.timeout;
    if (text && (end == text || *end || !(seconds >= 0.001 && seconds <= 1e6)))
        return error_set(error, "--timeout needs seconds from 0.001 to 1000000, not '%.40s'", text);
    unsigned long long memory;
    if (!argument_number(arguments, "memory", 1, 1u << 24, 0, &memory, error))
        return false;
    selection->foreign.memory = (unsigned)memory;
    selection->foreign.timeout = seconds;
    selection->foreign.in_process |= argument_given(arguments, "no-isolation");
    selection->foreign.runs_named = argument_given(arguments, "run-named");
    selection->foreign.stop = &interrupted;
    return true;
}

/* What people mean by a parameter that an operation (NULL: any) does not take, behind a semicolon; or nothing. */
static const char *meant_by(const char *parameter, const struct operation *operation) {
    static const struct {
        const char *parameter, *operation, *meant;
    } rows[] = {
        {"dtype", NULL, "; the format of the inputs is --format"},
        {"approximate", "gelu", "; its tanh form is the operation gelu_tanh"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].parameter, parameter) == 0 &&
            (!rows[i].operation || strcmp(rows[i].operation, operation->name) == 0))
            return rows[i].meant;
    return "";
}

static bool add_parameter(struct selection *selection, const struct parameter *row,
                          const char *value, struct error *error) {
    ptrdiff_t number = row - parameter_rows;
    if (selection->parameters.values[number].present)
        return error_set(error, "--%s is given twice", row->name);
    bool taken = false;
    for (size_t i = 0; i < selection->operation_count; i++)
        taken = taken || operation_all_parameters(selection->operations[i]) >> number & 1;
    if (!taken)
        return error_set(error, "%s%s takes no --%s%s", selection->operations[0]->name,
                         selection->operation_count > 1 ? ", or any other operation here," : "",
                         row->name, meant_by(row->name, selection->operations[0]));
    return parameter_parse(row, value, &selection->parameters.values[number], error);
}

/* --via: the direct conversion, and the one in two steps. */
static bool add_two_steps(struct selection *selection, const char *format, struct error *error) {
    char name[128];
    snprintf(name, sizeof name, "via:%.100s", format);
    return add_implementation(selection, "det", error) &&
           add_implementation(selection, name, error);
}

enum rounding select_rounding(const struct selection *selection, const struct operation *operation,
                              const struct format *format, size_t number) {
    if (!selection->default_rounding || !operation->converts)
        return selection->roundings[number];
    const struct parameters *given = &selection->parameters;
    return profile_rounding(&profiles[parameter_integer(given, PARAMETER_PROFILE, PROFILE_IEEE)],
                            parameters_result_format(given, format));
}

bool select_request(const struct selection *selection, size_t number,
                    struct binding_request *computed) {
    size_t each = selection->rounding_count, all = selection->format_count * each;
    if (number >= selection->operation_count * all)
        return false;
    const struct operation *operation = selection->operations[number / all];
    const struct format *format = selection->formats[number % all / each];
    *computed = (struct binding_request){
        .operation = operation,
        .format = format,
        .rounding = select_rounding(selection, operation, format, number % each),
        .overflow = OVERFLOW_IEEE};
    return true;
}

/* What was given for other operations of the run, which take it in every format, is not meant for one that takes it in
 * formats of P3109 alone. */
static struct parameters meant_for(const struct selection *selection,
                                   const struct operation *operation, const struct format *format) {
    struct parameters given = selection->parameters;
    const parameter_set more =
        operation_all_parameters(operation) & ~operation_parameters(operation, format);
    for (size_t i = 0; i < selection->operation_count; i++)
        for (int j = 0; j < PARAMETER_COUNT; j++)
            if (more & selection->operations[i]->parameters & (parameter_set)1 << j)
                given.values[j].present = false;
    return given;
}

bool select_parameters(const struct selection *selection, const struct operation *operation,
                       const struct format *format, enum rounding rounding,
                       struct parameters *parameters, struct error *error) {
    struct cast cast;
    const struct parameters given = meant_for(selection, operation, format);
    if (!operation_settle(operation, format, &given, parameters, error))
        return false;
    conversion_trim(parameters, rounding);
    if (!operation->converts)
        return rounding_suits_result(operation, format, rounding, parameters, error);
    return conversion_make(&cast, format, rounding, parameters, error);
}

/* Integers and real numbers do not mix. What a group brought is left out by the run. */
static bool check_kinds(const struct selection *selection, struct error *error) {
    for (size_t i = 0; i < selection->operation_count; i++)
        for (size_t j = 0; j < selection->format_count; j++)
            if (!selection->by_group[i] &&
                !operation_takes_format(selection->operations[i], selection->formats[j], error))
                return false;
    return true;
}

bool select_call(const struct selection *selection, const struct binding_request *computed,
                 struct error *error) {
    struct array_call call;
    struct error why;
    if (sample_call(&call, computed, &why))
        return true;
    bool several = selection->operation_count > 1;
    return error_set(error, "%s%s%s", several ? computed->operation->name : "", several ? ": " : "",
                     why.text);
}

/* --tile and --split-k: words of each name of a matrix unit. */
static bool add_unit_options(struct selection *selection, const struct arguments *arguments,
                             struct error *error) {
    static const char *const options[] = {"tile", "split-k"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        unsigned long long number;
        if (!argument_number(arguments, options[k], 1, 1u << 20, 0, &number, error))
            return false;
        for (size_t i = 0; number && i < selection->implementation_count; i++) {
            struct implementation *unit = &selection->implementations[i];
            char spelling[256];
            if (unit->kind != &implementation_unit)
                continue;
            snprintf(spelling, sizeof spelling, "%.200s,%s=%llu", unit->name, options[k], number);
            if (!implementation_open(unit, spelling, &selection->foreign, error))
                return false;
        }
    }
    return true;
}

bool select_options(struct selection *selection, const struct arguments *arguments,
                    const char *implementations, struct error *error) {
    if (!select_foreign(selection, arguments, error))
        return false;
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct option *option = arguments->given[i].option;
        const char *value = arguments->given[i].value;
        const struct parameter *row = option_parameter(option);
        if (row) {
            if (!add_parameter(selection, row, value, error))
                return false;
            continue;
        }
        if (strcmp(option->name, "via") == 0) {
            if (!add_two_steps(selection, value, error))
                return false;
            continue;
        }
        add_function *add = option->kind == VALUE_FORMAT           ? add_format
                            : option->kind == VALUE_ROUNDING       ? add_rounding
                            : option->kind == VALUE_IMPLEMENTATION ? add_implementation
                                                                   : NULL;
        if (option->kind == VALUE_IMPLEMENTATION && !implementations)
            continue;
        if (add && !add_words(selection, option, value, add, error))
            return false;
    }
    if (!add_unit_options(selection, arguments, error))
        return false;
    selection->default_rounding = !selection->rounding_count;
    const char *format = selection->operation_count ? selection->operations[0]->format : NULL;
    return (selection->format_count || add_format(selection, format ? format : "fp32", error)) &&
           check_kinds(selection, error) &&
           (selection->rounding_count || add_rounding(selection, "nearest-even", error)) &&
           (!implementations || selection->implementation_count ||
            add_default_implementations(selection, implementations, error));
}

static bool provides(const struct implementation *implementation,
                     const struct binding_request *request) {
    struct binding binding;
    struct error why;
    bool bound = implementation_bind(&binding, implementation, request, &why);
    binding_close(&binding);
    return bound || binding.broken; /* which the run is to tell */
}

bool select_once(const struct selection *selection, size_t runs, const struct operation *operation,
                 struct error *error) {
    for (size_t i = 0; i < selection->implementation_count && runs > 1; i++)
        if (strcmp(selection->implementations[i].kind->name, "file:") == 0)
            return error_set(error,
                             "%.200s holds the outputs of one run, but this makes %zu; name one "
                             "operation, format, rounding%s",
                             selection->implementations[i].name, runs,
                             operation->array ? " and --distribution" : "");
    return true;
}

size_t select_first(const struct selection *selection, const struct binding_request *request,
                    const struct implementation **first) {
    *first = selection->implementations;
    if (!selection->default_implementations)
        return selection->implementation_count;
    for (size_t i = 0; i < selection->implementation_count; i++)
        if (provides(&selection->implementations[i], request)) {
            *first = &selection->implementations[i];
            break;
        }
    return 1;
}

/* Every algorithm of an operation on arrays, in the order of its row. */
static size_t select_algorithms(const struct selection *selection,
                                const struct binding_request *request,
                                struct implementation chosen[MAX_IMPLEMENTATIONS]) {
    size_t count = 0;
    struct error error;
    const struct array_algorithm *row = request->operation->array->algorithms;
    for (; row->implementation && count < MAX_IMPLEMENTATIONS; row++)
        if (implementation_open(&chosen[count], row->implementation, &selection->foreign, &error) &&
            provides(&chosen[count], request))
            count++;
    return count;
}

size_t select_implementations(const struct selection *selection,
                              const struct binding_request *request,
                              struct implementation chosen[MAX_IMPLEMENTATIONS]) {
    size_t count = 0;
    if (request->operation->array && selection->default_implementations)
        return select_algorithms(selection, request, chosen);
    for (size_t i = 0; i < selection->implementation_count; i++) {
        const struct implementation *one = &selection->implementations[i];
        if (!selection->default_implementations || provides(one, request) ||
            (strcmp(one->name, "libm") == 0 && !request->operation->converts))
            chosen[count++] = *one;
    }
    return count;
}
