/* One writer for each form. */
#include "report/table.h"

#include <ctype.h>
#include <string.h>

const char *const table_form_names[TABLE_FORMS] = {"text", "markdown", "csv", "json", "c", "raw"};

typedef char row_cells[TABLE_COLUMNS][TABLE_CELL];

static void write_text(const struct table *table, FILE *stream) {
    row_cells cells;
    fprintf(stream, "%s\n", table->title);
    for (uint64_t i = 0; i <= table->rows; i++) {
        if (i)
            table->row(table->context, i - 1, cells);
        for (size_t j = 0; j < table->column_count; j++) {
            const char *cell = i ? cells[j] : table->columns[j].name;
            bool last = j + 1 == table->column_count;
            fprintf(stream, "%s%-*s", j ? "  " : "", last ? 0 : (int)table->columns[j].width, cell);
        }
        fputc('\n', stream);
    }
}

static void write_markdown(const struct table *table, FILE *stream) {
    row_cells cells;
    for (size_t j = 0; j < table->column_count; j++)
        fprintf(stream, "| %s ", table->columns[j].name);
    fputs("|\n", stream);
    for (size_t j = 0; j < table->column_count; j++)
        fputs("| --- ", stream);
    fputs("|\n", stream);
    for (uint64_t i = 0; i < table->rows; i++) {
        table->row(table->context, i, cells);
        for (size_t j = 0; j < table->column_count; j++)
            fprintf(stream, "| %s ", cells[j]);
        fputs("|\n", stream);
    }
}

static void write_csv(const struct table *table, FILE *stream) {
    row_cells cells;
    for (size_t j = 0; j < table->column_count; j++)
        fprintf(stream, "%s%s", j ? "," : "", table->columns[j].name);
    fputc('\n', stream);
    for (uint64_t i = 0; i < table->rows; i++) {
        table->row(table->context, i, cells);
        for (size_t j = 0; j < table->column_count; j++)
            fprintf(stream, "%s%s", j ? "," : "", cells[j]);
        fputc('\n', stream);
    }
}

/* No cell or name holds what JSON would have escaped. */
static void write_json(const struct table *table, FILE *stream) {
    row_cells cells;
    fprintf(stream,
            "{\n  \"schema\": \"detcheck/table/1\",\n  \"title\": \"%s\",\n  \"columns\": [",
            table->title);
    for (size_t j = 0; j < table->column_count; j++)
        fprintf(stream, "%s\"%s\"", j ? ", " : "", table->columns[j].name);
    fputs("],\n  \"rows\": [\n", stream);
    for (uint64_t i = 0; i < table->rows; i++) {
        table->row(table->context, i, cells);
        fputs("    [", stream);
        for (size_t j = 0; j < table->column_count; j++) {
            const char *quote = table->columns[j].kind == COLUMN_TEXT ? "\"" : "";
            fprintf(stream, "%s%s%s%s", j ? ", " : "", quote, cells[j], quote);
        }
        fprintf(stream, "]%s\n", i + 1 < table->rows ? "," : "");
    }
    fputs("  ]\n}\n", stream);
}

static void write_c(const struct table *table, FILE *stream) {
    row_cells cells;
    bool is_struct = table->c_cell_count > 1;
    char guard[sizeof table->c_name];
    for (size_t i = 0; i < sizeof guard; i++)
        guard[i] = (char)toupper((unsigned char)table->c_name[i]);
    fprintf(stream, "/* %s */\n#ifndef %s_H\n#define %s_H\n\n#include <%s>\n\n", table->title,
            guard, guard, table->c_header);
    fprintf(stream, "static const %s %s[%llu] = {", table->c_type, table->c_name,
            (unsigned long long)table->rows);
    for (uint64_t i = 0; i < table->rows; i++) {
        table->row(table->context, i, cells);
        fputs(is_struct || i % 8 == 0 ? "\n    " : " ", stream);
        fputs(is_struct ? "{" : "", stream);
        for (size_t j = 0; j < table->c_cell_count; j++)
            fprintf(stream, "%s%s", j ? ", " : "", cells[table->c_cells[j]]);
        fputs(is_struct ? "}," : ",", stream);
    }
    fputs("\n};\n\n#endif\n", stream);
}

/* Little-endian on every machine. */
static void write_raw(const struct table *table, FILE *stream) {
    for (uint64_t i = 0; i < table->rows; i++) {
        uint64_t code = table->code(table->context, i);
        for (size_t j = 0; j < table->code_bytes; j++)
            fputc((int)(code >> 8 * j & 0xff), stream);
    }
}

bool table_write(const struct table *table, enum table_form form, FILE *stream,
                 struct error *error) {
    static void (*const writers[TABLE_FORMS])(const struct table *, FILE *) = {
        write_text, write_markdown, write_csv, write_json, write_c, write_raw};
    if (form == TABLE_RAW && !table->code)
        return error_set(error, "this table has no raw form, since it is not a list of codes");
    writers[form](table, stream);
    return true;
}
