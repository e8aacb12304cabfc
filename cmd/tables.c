/* What the rows of tables hold. */
#include "tables.h"

#include "format/text.h"
#include "impl/lut.h"
#include "op/conversion.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CODE_BITS = 19, MOST_INTERVALS = 1 << 21 };

/* The exact value in decimal: all digits there are. */
static void exact_decimal(const struct format *format, uint64_t code, char text[TABLE_CELL]) {
    struct real value = format_decode(format, code);
    if (value.kind != REAL_FINITE) {
        format_decimal_text(format, code, text);
        return;
    }
    mpfr_t exact;
    mpfr_init2(exact, 64);
    real_to_mpfr(exact, &value);
    mpfr_snprintf(text, TABLE_CELL, "%.200Rg", exact);
    mpfr_clear(exact);
}

static const char *c_integer(const struct format *format) {
    static const char *const types[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t"};
    size_t bytes = format_bytes(format);
    return types[bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3];
}

static void format_row(void *context, uint64_t row, char cells[TABLE_COLUMNS][TABLE_CELL]) {
    const struct format *format = ((struct table_source *)context)->result_format;
    unsigned fraction_bits = (unsigned)format->precision - 1;
    uint64_t magnitude = format_magnitude(format, row);
    format_bits_text(format, row, cells[0]);
    snprintf(cells[1], TABLE_CELL, "%d", format_is_negative(format, row));
    snprintf(cells[2], TABLE_CELL, "%" PRIu64, magnitude >> fraction_bits);
    snprintf(cells[3], TABLE_CELL, "%" PRIu64, magnitude & (((uint64_t)1 << fraction_bits) - 1));
    snprintf(cells[4], TABLE_CELL, "%s", number_class_names[format_classify(format, row)]);
    exact_decimal(format, row, cells[5]);
    format_hex_text(format, row, cells[6]);
    /* As C writes it. */
    struct real value = format_decode(format, row);
    if (value.kind == REAL_FINITE || value.kind == REAL_ZERO)
        strcpy(cells[7], cells[6]);
    else
        snprintf(cells[7], TABLE_CELL, "%s",
                 value.kind == REAL_NAN ? "(double)NAN"
                 : value.negative       ? "-(double)INFINITY"
                                        : "(double)INFINITY");
}

static uint64_t format_code(void *context, uint64_t row) {
    (void)context;
    return row;
}

bool table_of_format(struct table_source *source, const struct format *format,
                     struct error *error) {
    static const struct table_column columns[] = {
        {"code", COLUMN_TEXT, 7},       {"sign", COLUMN_NUMBER, 4}, {"exponent", COLUMN_NUMBER, 8},
        {"mantissa", COLUMN_NUMBER, 8}, {"class", COLUMN_TEXT, 9},  {"decimal", COLUMN_TEXT, 24},
        {"hex", COLUMN_TEXT, 14}};
    if (!format_is_plain(format))
        return error_set(error, "%s is made of others, which have tables of their own",
                         format->name);
    if (format->width > MOST_CODE_BITS)
        return error_set(error, "%s has 2^%u codes; tables end at 2^%d", format->name,
                         format->width, MOST_CODE_BITS);
    struct table *table = &source->table;
    source->result_format = format;
    *table = (struct table){.columns = columns,
                            .column_count = sizeof columns / sizeof *columns,
                            .rows = format_mask(format) + 1,
                            .row = format_row,
                            .context = source,
                            .c_header = "math.h",
                            .c_type = "double",
                            .c_cells = {7},
                            .c_cell_count = 1,
                            .code = format_code,
                            .code_bytes = format_bytes(format)};
    snprintf(table->title, sizeof table->title, "%s: every code", format->name);
    snprintf(table->c_name, sizeof table->c_name, "%s_values", format->name);
    return true;
}

/* Operand bits, operand, ..., result bits, result. */
static void result_row(void *context, uint64_t row, char cells[TABLE_COLUMNS][TABLE_CELL]) {
    const struct table_source *source = context;
    const struct format *format = source->request.format;
    int operands = source->request.operation->operands;
    const struct format *last = format_of_operand(format, operands - 1);
    const uint64_t codes[2] = {operands == 2 ? row >> last->width : row, row & format_mask(last)};
    size_t at = 0;
    for (int i = 0; i < operands; i++) {
        format_bits_text(format_of_operand(format, i), codes[i], cells[at++]);
        format_decimal_text(format_of_operand(format, i), codes[i], cells[at++]);
    }
    format_bits_text(source->result_format, source->results[row], cells[at++]);
    format_decimal_text(source->result_format, source->results[row], cells[at]);
}

static uint64_t result_code(void *context, uint64_t row) {
    return ((const struct table_source *)context)->results[row];
}

static void interval_row(void *context, uint64_t row, char cells[TABLE_COLUMNS][TABLE_CELL]) {
    const struct table_source *source = context;
    const struct code_interval *interval = &source->intervals[row];
    format_bits_text(source->request.format, interval->first, cells[0]);
    format_bits_text(source->request.format, interval->last, cells[1]);
    format_bits_text(source->result_format, interval->code, cells[2]);
}

static bool add_interval(struct table_source *source, uint64_t first, uint64_t last, uint64_t code,
                         struct error *error) {
    struct table *table = &source->table;
    struct code_interval *end = table->rows ? &source->intervals[table->rows - 1] : NULL;
    if (end && end->code == code) {
        end->last = last;
        return true;
    }
    if (table->rows == source->interval_capacity) {
        size_t capacity = source->interval_capacity ? 2 * source->interval_capacity : 1024;
        struct code_interval *grown = NULL;
        if (capacity <= MOST_INTERVALS)
            grown = realloc(source->intervals, capacity * sizeof *grown);
        if (!grown)
            return error_set(error, "the conversion from %s to %s has more than %zu intervals",
                             source->request.format->name, source->result_format->name,
                             source->interval_capacity);
        source->intervals = grown;
        source->interval_capacity = capacity;
    }
    source->intervals[table->rows++] = (struct code_interval){first, last, code};
    return true;
}

static bool compute_intervals(struct table_source *source, struct error *error) {
    const struct binding_request *request = &source->request;
    struct cast cast;
    if (!conversion_make(&cast, request->format, request->rounding, &request->parameters, error))
        return false;
    if (!conversion_is_uniform(&cast, &request->parameters))
        return error_set(error,
                         "random bits that differ from element to element have no intervals; "
                         "--random R sets them");
    uint64_t random = conversion_random(&cast, &request->parameters, 0);
    uint64_t mask = format_mask(request->format), code = 0, last;
    do {
        last = cast_run_end(&cast, code, mask, random);
        if (!add_interval(source, code, last, cast_code(&cast, code, random), error))
            return false;
        code = last + 1;
    } while (last != mask);
    return true;
}

/* "cast fp16 nearest-even --to fp8_e5m2 ...", and the same as a name in C. */
static void name_table(struct table_source *source) {
    const struct binding_request *request = &source->request;
    struct table *table = &source->table;
    char text[PARAMETER_ROOM];
    size_t room = sizeof table->title, at = 0;
    at += (size_t)snprintf(table->title, room, "%s %s %s", request->operation->name,
                           request->format->name, rounding_names[request->rounding]);
    for (int i = 0; i < PARAMETER_COUNT && at < room; i++)
        if (request->parameters.values[i].present)
            at += (size_t)snprintf(
                table->title + at, room - at, " --%s %s", parameter_rows[i].name,
                parameter_text(&parameter_rows[i], &request->parameters.values[i], text));
    size_t end = 0;
    for (size_t i = 0; table->title[i] && end + 1 < sizeof table->c_name; i++) {
        char c = table->title[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (word || (end && table->c_name[end - 1] != '_'))
            table->c_name[end++] = word ? c : '_';
    }
    table->c_name[end] = '\0';
}

static bool make_intervals(struct table_source *source, struct error *error) {
    static const struct table_column columns[] = {
        {"first", COLUMN_TEXT, 18}, {"last", COLUMN_TEXT, 18}, {"code", COLUMN_TEXT, 10}};
    static char type[128];
    snprintf(type, sizeof type, "struct {\n    %s first, last;\n    %s code;\n}",
             c_integer(source->request.format), c_integer(source->result_format));
    source->table = (struct table){.columns = columns,
                                   .column_count = 3,
                                   .row = interval_row,
                                   .context = source,
                                   .c_header = "stdint.h",
                                   .c_type = type,
                                   .c_cells = {0, 1, 2},
                                   .c_cell_count = 3};
    name_table(source);
    return compute_intervals(source, error);
}

static bool make_results(struct table_source *source, struct error *error) {
    static const struct table_column columns[2][6] = {{{"x", COLUMN_TEXT, 7},
                                                       {"x_value", COLUMN_TEXT, 14},
                                                       {"code", COLUMN_TEXT, 7},
                                                       {"value", COLUMN_TEXT, 14}},
                                                      {{"x", COLUMN_TEXT, 7},
                                                       {"x_value", COLUMN_TEXT, 14},
                                                       {"y", COLUMN_TEXT, 7},
                                                       {"y_value", COLUMN_TEXT, 14},
                                                       {"code", COLUMN_TEXT, 7},
                                                       {"value", COLUMN_TEXT, 14}}};
    const struct binding_request *request = &source->request;
    size_t operands = (size_t)request->operation->operands;
    source->table = (struct table){.columns = columns[operands - 1],
                                   .column_count = 2 + 2 * operands,
                                   .rows = UINT64_C(1) << request_input_bits(request),
                                   .row = result_row,
                                   .context = source,
                                   .c_header = "stdint.h",
                                   .c_type = c_integer(source->result_format),
                                   .c_cells = {2 * operands},
                                   .c_cell_count = 1,
                                   .code = result_code,
                                   .code_bytes = format_bytes(source->result_format)};
    name_table(source);
    source->results = lut_make(request, error);
    return source->results != NULL;
}

bool table_of_operation(struct table_source *source, struct error *error) {
    const struct binding_request *request = &source->request;
    const struct operation *operation = request->operation;
    source->result_format = request_result_format(request);
    if (operation->array || operation->results != 1 || operation->operands > 2)
        return error_set(error, "%s has no table: tables are of one number, of one operand or two",
                         operation->name);
    if (request_input_bits(request) <= LUT_MOST_BITS)
        return make_results(source, error);
    if (operation->converts && format_is_plain(request->format))
        return make_intervals(source, error);
    return error_set(
        error,
        "%s of %s has 2^%u results; tables end at 2^%d (one operand of 16 bits, two of "
        "8)",
        operation->name, request->format->name, request_input_bits(request), LUT_MOST_BITS);
}

void table_source_close(struct table_source *source) {
    free(source->results);
    free(source->intervals);
    *source = (struct table_source){0};
}
