/* `detcheck table`: every code of a format, a conversion, a function as a look-up table. */
#include "messages.h"
#include "options.h"
#include "tables.h"

#include "base/output.h"

#include <string.h>

static const struct option options[] = {
    OPTION_FORMAT_AS("format of the operands; default fp8_e4m3fn"),
    OPTION_FROM,
    OPTION_ROUNDING_AS(ROUNDING_HELP "; default nearest-even"),
    {"as", 0, VALUE_TEXT, "FORM", "one of text, markdown, csv, json, c or raw; default text"},
    OPTION_OUTPUT("-"),
    {0}};

static const char details[] =
    "FORMAT: every code with its parts, class and value. OPERATION: the correctly rounded "
    "results,\n"
    "for one operand of up to 16 bits or two of 8 bits. cast from a wider format: runs of codes,\n"
    "first to last in bit-pattern order, that become the same code.\n";

/* A name of a format, of an operation, or of neither. */
static bool make_table(const struct arguments *arguments, struct table_source *source,
                       struct error *error) {
    static struct selection selection;
    struct error unused;
    if (arguments->positional_count != 1)
        return error_set(error, "table needs a format or an operation, such as fp8_e4m3fn, or exp");
    const char *name = arguments->positional[0];
    const struct format *format = format_find(name, error);
    if (format) {
        for (size_t i = 0; i < arguments->given_count; i++)
            if (strcmp(arguments->given[i].option->name, "as") != 0 &&
                strcmp(arguments->given[i].option->name, "output") != 0)
                return error_set(error, "the table of a format takes no --%s",
                                 arguments->given[i].option->name);
        return table_of_format(source, format, error);
    }
    const struct operation *operation = operation_find(name, &unused);
    if (!operation)
        return strstr(error->text, "several") || strstr(error->text, "did you mean") ||
                       strstr(error->text, "P3109")
                   ? false
                   : error_set(error, "'%.80s' is neither a format nor an operation", name);
    selection.operations[0] = operation;
    selection.operation_count = 1;
    bool named = argument_given(arguments, "format") || argument_given(arguments, "from");
    if (!select_options(&selection, arguments, "det", error))
        return false;
    if (!named)
        selection.formats[0] = &formats[FORMAT_FP8_E4M3FN];
    if (selection.format_count > 1 || selection.rounding_count > 1)
        return error_set(error, "table takes one format and one rounding");
    struct binding_request *request = &source->request;
    *request = (struct binding_request){
        .operation = operation,
        .format = selection.formats[0],
        .rounding = select_rounding(&selection, operation, selection.formats[0], 0)};
    return select_parameters(&selection, operation, request->format, request->rounding,
                             &request->parameters, error) &&
           table_of_operation(source, error);
}

static int run(const struct arguments *arguments) {
    static struct table_source source;
    struct output output = {0};
    struct error error;
    int form;
    bool good = argument_choice(arguments, "as", table_form_names, TABLE_FORMS, TABLE_TEXT, &form,
                                &error) &&
                make_table(arguments, &source, &error) &&
                output_open(&output, argument_value(arguments, "output", "-"), &error) &&
                table_write(&source.table, (enum table_form)form, output.stream, &error) &&
                output_commit(&output, &error);
    output_discard(&output);
    table_source_close(&source);
    return good ? EXIT_OK : trouble(&error);
}

const struct command command_table = {
    .name = "table",
    .usage = "FORMAT|OPERATION",
    .summary = "print the codes of a format, a conversion or a look-up table",
    .details = details,
    .arguments = VALUE_OPERATION,
    .options = options,
    .parameters = PARAMETERS_ALL,
    .run = run,
};
