/* `detcheck list`: what there is. */
#include "command.h"
#include "messages.h"
#include "options.h"

#include "base/json_output.h"
#include "base/names.h"
#include "base/output.h"
#include "format/p3109.h"
#include "format/text.h"
#include "gate/published.h"
#include "impl/implementation.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

static const struct option options[] = {
    {"all", 'a', VALUE_NONE, NULL,
     "also list the implementations that follow published texts,\nmistakes included, and variants "
     "of functions"},
    {"family", 0, VALUE_TEXT, "NAME", "list all formats of the family NAME: p3109"},
    OPTION_JSON,
    {0}};

static const char *const operand_names[] = {"x", "x, y", "x, y, z"};

/* How the operation is called: "pow(x, y)". Returns its length. */
static int call_text(const struct operation *operation, char call[96]) {
    int used = snprintf(call, 96, "%s(%s", operation->name,
                        operation->array ? "" : operand_names[operation->operands - 1]);
    for (int j = 0; operation->array && j < operation->operands; j++)
        used += snprintf(call + used, 96 - (size_t)used, "%s%s[]", j ? ", " : "",
                         operation->array->operand_names[j]);
    return used + snprintf(call + used, 96 - (size_t)used, ")");
}

static bool share_column(const struct operation *a, const struct operation *b) {
    return a->group == b->group && !a->array == !b->array;
}

static void list_operations(void) {
    printf(
        "Operations (groups: unary, binary, ternary, all; arrays, dyadic, scaled, blocks, onnx,\n"
        "            kernels, decimal, packed, p3109)\n");
    int width = 18;
    for (size_t i = 0; operation_at(i); i++) {
        const struct operation *operation = operation_at(i);
        char call[96];
        /* The calls of a group in a column of their own: some are long. */
        bool begins = !i || !share_column(operation, operation_at(i - 1));
        if (begins)
            width = 18;
        for (size_t j = i; begins && operation_at(j) && share_column(operation_at(j), operation);
             j++)
            if (call_text(operation_at(j), call) > width)
                width = call_text(operation_at(j), call);
        call_text(operation, call);
        printf("  %-*s %s%s%s%s", width, call, operation->formula, operation->aliases ? "  [" : "",
               operation->aliases ? operation->aliases : "", operation->aliases ? "]" : "");
        for (int j = 0; j < PARAMETER_COUNT; j++)
            if (operation->parameters >> j & 1)
                printf("  --%s", parameter_rows[j].name);
        printf("\n");
    }
}

/* Summaries have line breaks for --help. */
static const char *on_one_line(const char *summary, char text[256]) {
    snprintf(text, 256, "%s", summary);
    for (char *at = text; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    return text;
}

static void list_parameters(void) {
    char text[256];

    printf("Parameters of operations\n");
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *row = &parameter_rows[i];
        printf("  %-18s %s", row->name, on_one_line(row->summary, text));
        for (int j = 0; row->kind == PARAMETER_CHOICE && row->choices[j]; j++)
            printf("%s%s", j ? ", " : ": ", row->choices[j]);
        printf("%s%s%s\n", row->otherwise ? " (" : "", row->otherwise ? row->otherwise : "",
               row->otherwise ? ")" : "");
    }
}

static void print_format(const struct format *format) {
    printf("  %-15s %5u %9d %6d %6d%s%s\n", format->name, format->width, format->precision,
           format->emin, format->emax, *format->aliases ? "  " : "", format->aliases);
}

static void print_format_head(const char *title, const char *last) {
    printf("%s\n  %-15s %5s %9s %6s %6s%s\n", title, "name", "width", "precision", "emin", "emax",
           last);
}

static void list_p3109(void) {
    print_format_head("Formats of IEEE P3109 " P3109_VERSION ", a draft", "");
    for (size_t i = 0; i < P3109_FORMATS; i++)
        print_format(p3109_format(i));
}

static void list_formats(void) {
    print_format_head("Formats", "  aliases");
    for (size_t i = 0; i < format_count; i++)
        print_format(&formats[i]);
    printf("Formats of IEEE P3109 %s, a draft: %d\n  " P3109_NAMES
           ", K from %d to %d; list formats --family p3109 names them\n",
           P3109_VERSION, P3109_FORMATS, P3109_LEAST_WIDTH, P3109_MOST_WIDTH);
    printf("Formats of integers\n ");
    for (size_t i = 0; i < integer_format_count; i++)
        printf(" %s", integer_formats[i].name);
    printf("\n");
}

/* Which results a rounding is of. */
static const char *const rounding_results[ROUNDING_NAMES] = {
    [ROUND_NEAREST_EVEN] = "all",
    [ROUND_TOWARD_ZERO] = "all",
    [ROUND_UP] = "all",
    [ROUND_DOWN] = "all",
    [ROUND_NEAREST_AWAY] = "all",
    [ROUND_STOCHASTIC] = "results of cast",
    [ROUND_NEAREST_UP] = "integers",
    [ROUND_TO_ODD] = "results of cast, and of operations on P3109's formats",
    [ROUND_STOCHASTIC_A] = "results of cast, and of operations on P3109's formats",
    [ROUND_STOCHASTIC_B] = "results of cast, and of operations on P3109's formats",
    [ROUND_STOCHASTIC_C] = "results of cast, and of operations on P3109's formats"};

static void list_roundings(void) {
    printf("Roundings, and the results that have them\n");
    for (int i = 0; i < ROUNDING_NAMES; i++)
        printf("  %-13s %s\n", rounding_names[i], rounding_results[i]);
}

static bool shows_all; /* --all */

static void list_implementations(void) {
    const size_t count = shows_all ? implementation_kind_count : implementation_usual_count;
    printf("Implementations\n");
    for (size_t i = 0; i < count; i++)
        printf("  %-13s %s\n", implementation_kinds[i]->name, implementation_kinds[i]->summary);
    if (!shows_all)
        printf("  %zu more are hidden; 'detcheck list --all implementations' shows them\n",
               implementation_kind_count - count);
}

static void list_policies(void) {
    printf("Policies (sweep --policy, gate --policy)\n");
    for (const struct published_policy *one = published_policies; one->name; one++)
        printf("  %-15s %s\n", one->name, one->summary);
}

/* Space-separated words as an array of strings. */
static void add_words(cJSON *object, const char *name, const char *words) {
    cJSON *array = cJSON_AddArrayToObject(object, name);
    while (words && *words) {
        char word[64];
        size_t length = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        cJSON_AddItemToArray(array, cJSON_CreateString(word));
        words += length + (words[length] == ' ');
    }
}

static cJSON *append_named(cJSON *array, const char *name) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddItemToArray(array, object);
    return object;
}

static void json_algorithms(cJSON *row, const struct array_rule *rule) {
    cJSON *array = cJSON_AddArrayToObject(row, "implementations");
    for (const struct array_algorithm *one = rule->algorithms; one->implementation; one++)
        cJSON_AddStringToObject(append_named(array, one->implementation), "detail", one->detail);
}

static void json_operations(cJSON *array) {
    for (size_t i = 0; operation_at(i); i++) {
        const struct operation *operation = operation_at(i);
        cJSON *row = append_named(array, operation->name);
        add_words(row, "aliases", operation->aliases);
        cJSON_AddStringToObject(row, "formula", operation->formula);
        cJSON_AddStringToObject(row, "family", operation_family_word(i));
        cJSON_AddNumberToObject(row, "operands", operation->operands);
        cJSON *results = cJSON_AddArrayToObject(row, "results");
        for (int j = 0; j < operation->results; j++) {
            char name[64];
            cJSON_AddItemToArray(results,
                                 cJSON_CreateString(operation_result_name(operation, j, name)));
        }
        cJSON *parameters = cJSON_AddArrayToObject(row, "parameters");
        for (int j = 0; j < PARAMETER_COUNT; j++)
            if (operation->parameters >> j & 1)
                cJSON_AddItemToArray(parameters, cJSON_CreateString(parameter_rows[j].name));
        if (operation->array)
            json_algorithms(row, operation->array);
    }
}

static void json_parameters(cJSON *array) {
    static const char *const kinds[] = {"flag", "integer", "format", "choice", "shape", "text"};
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_rows[i];
        char text[256];
        cJSON *row = append_named(array, parameter->name);
        cJSON_AddStringToObject(row, "kind", kinds[parameter->kind]);
        cJSON_AddStringToObject(row, "summary", on_one_line(parameter->summary, text));
        cJSON *choices = cJSON_AddArrayToObject(row, "choices");
        for (int j = 0; parameter->kind == PARAMETER_CHOICE && parameter->choices[j]; j++)
            cJSON_AddItemToArray(choices, cJSON_CreateString(parameter->choices[j]));
        if (parameter->otherwise)
            cJSON_AddStringToObject(row, "default", parameter->otherwise);
        else
            cJSON_AddNullToObject(row, "default");
    }
}

static void add_code(cJSON *row, const char *name, const struct format *format, uint64_t code) {
    char text[NUMBER_TEXT];
    cJSON_AddStringToObject(row, name, format_bits_text(format, code, text));
}

/* What section 4.14 of P3109's report asks of a format, besides the members above. */
static void add_limits(cJSON *row, const struct format *format) {
    const unsigned trailing = (unsigned)format->precision - 1;
    const uint64_t hidden = UINT64_C(1) << trailing;
    const bool has_subnormals = format->has_zero && trailing > 0;
    cJSON_AddBoolToObject(row, "signed", format->sign_bit != 0);
    cJSON_AddNumberToObject(row, "exponent_bits",
                            format->width - (format->sign_bit != 0) - trailing);
    cJSON_AddNumberToObject(row, "trailing_bits", trailing);
    add_code(row, "max_finite", format, format->max_finite);
    add_code(row, "min_finite", format,
             format->sign_bit ? format->max_finite | format->sign_bit : 0);
    add_code(row, "min_positive", format, format->has_zero);
    add_code(row, "max_subnormal", format, has_subnormals ? hidden - 1 : format->nan);
    add_code(row, "min_normal", format, format->has_zero ? hidden : 0);
}

static void json_format(cJSON *array, const struct format *format) {
    cJSON *row = append_named(array, format->name);
    add_words(row, "aliases", format->aliases);
    cJSON_AddNumberToObject(row, "width", format->width);
    cJSON_AddNumberToObject(row, "precision", format->precision);
    cJSON_AddNumberToObject(row, "emin", format->emin);
    cJSON_AddNumberToObject(row, "emax", format->emax);
    cJSON_AddNumberToObject(row, "exponent_bias", format->exponent_bias);
    cJSON_AddBoolToObject(row, "has_infinity", format->has_infinity);
    cJSON_AddBoolToObject(row, "has_negative_zero", format->has_negative_zero);
    cJSON_AddBoolToObject(row, "has_nan", format->has_nan);
    cJSON_AddBoolToObject(row, "has_zero", format->has_zero);
    add_limits(row, format);
}

/* A list of its own: those that read formats want all of the members above. */
static void json_integers(cJSON *array) {
    for (size_t i = 0; i < integer_format_count; i++) {
        const struct format *format = &integer_formats[i];
        cJSON *row = append_named(array, format->name);
        cJSON_AddNumberToObject(row, "width", format->width);
        cJSON_AddBoolToObject(row, "signed", format->sign_bit != 0);
    }
}

static void json_formats(cJSON *array) {
    for (size_t i = 0; i < format_count; i++)
        json_format(array, &formats[i]);
}

static void json_p3109(cJSON *array) {
    for (size_t i = 0; i < P3109_FORMATS; i++)
        json_format(array, p3109_format(i));
}

static void json_roundings(cJSON *array) {
    for (int i = 0; i < ROUNDING_NAMES; i++)
        cJSON_AddStringToObject(append_named(array, rounding_names[i]), "results",
                                rounding_results[i]);
}

static void json_implementations(cJSON *array) {
    for (size_t i = 0; i < implementation_kind_count; i++)
        cJSON_AddStringToObject(append_named(array, implementation_kinds[i]->name), "summary",
                                implementation_kinds[i]->summary);
}

static void json_policies(cJSON *array) {
    for (const struct published_policy *one = published_policies; one->name; one++)
        cJSON_AddStringToObject(append_named(array, one->name), "summary", one->summary);
}

static const struct topic {
    const char *name;
    void (*print)(void);
    void (*add)(cJSON *array);
} topics[] = {{"operations", list_operations, json_operations},
              {"parameters", list_parameters, json_parameters},
              {"formats", list_formats, json_formats},
              {"roundings", list_roundings, json_roundings},
              {"implementations", list_implementations, json_implementations},
              {"policies", list_policies, json_policies}};

/* What --family names, in place of the topic formats. */
static const struct topic families[] = {{"p3109", list_p3109, json_p3109}};
static const struct topic *family;
enum { TOPICS = sizeof topics / sizeof *topics, TOPIC_FORMATS = 2 };

static const struct topic *topic_at(size_t number) {
    return number == TOPIC_FORMATS && family ? family : &topics[number];
}

static bool choose_family(const struct arguments *arguments, const bool chosen[TOPICS],
                          struct error *error) {
    const char *name = argument_value(arguments, "family", NULL);
    if (!name)
        return true;
    if (!name_matches(name, families[0].name, NULL))
        return error_set(error, "--family takes p3109, not '%.80s'", name);
    family = &families[0];
    return (arguments->positional_count && chosen[TOPIC_FORMATS]) ||
           error_set(error, "--family goes with 'detcheck list formats'");
}

static bool choose(const struct arguments *arguments, bool chosen[TOPICS], struct error *error) {
    for (size_t i = 0; i < TOPICS; i++)
        chosen[i] = arguments->positional_count == 0;
    for (size_t i = 0; i < arguments->positional_count; i++) {
        size_t topic = 0;
        while (topic < TOPICS && !name_matches(arguments->positional[i], topics[topic].name, NULL))
            topic++;
        if (topic == TOPICS)
            return error_set(error,
                             "list knows operations, parameters, formats, roundings, "
                             "implementations and policies, not '%.80s'",
                             arguments->positional[i]);
        chosen[topic] = true;
    }
    return true;
}

static bool write_json(const char *path, const bool chosen[TOPICS], struct error *error) {
    struct output output;
    if (!output_open(&output, path, error))
        return false;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "detcheck/list/1");
    for (size_t i = 0; i < TOPICS; i++)
        if (chosen[i])
            topic_at(i)->add(cJSON_AddArrayToObject(document, topics[i].name));
    if (cJSON_GetObjectItem(document, "formats"))
        json_integers(cJSON_AddArrayToObject(document, "integer_formats"));
    bool written = json_commit(document, &output, error);
    output_discard(&output);
    return written;
}

static int run(const struct arguments *arguments) {
    struct error error;
    bool chosen[TOPICS];
    if (!choose(arguments, chosen, &error) || !choose_family(arguments, chosen, &error))
        return trouble(&error);
    const char *json = argument_value(arguments, "json", NULL);
    if (json)
        return write_json(json, chosen, &error) ? EXIT_OK : trouble(&error);
    bool any = false;
    shows_all = argument_given(arguments, "all");
    for (size_t i = 0; i < TOPICS; i++) {
        if (!chosen[i])
            continue;
        if (any)
            printf("\n");
        topic_at(i)->print();
        any = true;
    }
    return EXIT_OK;
}

const struct command command_list = {
    .name = "list",
    .usage = "[operations|formats|implementations|TOPIC...]",
    .summary = "print which operations, formats and implementations there are",
    .details =
        "TOPIC is operations, parameters, formats, roundings, implementations or policies.\n",
    .arguments = VALUE_TOPIC,
    .options = options,
    .run = run,
};
