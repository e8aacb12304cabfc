/* The cells, as markup. */
#include "page/cells.h"

#include "format/text.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>

void cell_text(const struct page *page, const char *text) {
    fputs("<td>", page->stream);
    page_text(page, text);
}

/* A number: `sort` is what the script sorts by. */
void cell_number(const struct page *page, double sort, const char *text) {
    fprintf(page->stream, "<td class=\"n\" data-s=\"%.17g\">", sort);
    page_text(page, text);
}

void cell_count(const struct page *page, uint64_t count, bool bad) {
    char text[32];
    fprintf(page->stream, "<td class=\"n%s\" data-s=\"%" PRIu64 "\">%s", bad ? " bad" : "", count,
            text_grouped(count, text));
}

/* The headings of columns, up to NULL; those of numbers have a # before them. */
void cell_headings(const struct page *page, const char *const *names) {
    for (; *names; names++)
        fprintf(page->stream, "<th scope=\"col\"%s>%s", **names == '#' ? " class=\"n\"" : "",
                *names + (**names == '#'));
}

/* A code with its value, where the format is one of ours. */
void cell_code(const struct page *page, const struct format *format, const cJSON *item) {
    const char *bits = cJSON_IsString(item) ? item->valuestring : "";
    char *end, text[NUMBER_TEXT];
    uint64_t code = strtoull(bits, &end, 16);
    fputs("<code>", page->stream);
    page_text(page, bits);
    fputs("</code>", page->stream);
    if (format && *bits && !*end && (format->width == 64 || code >> format->width == 0))
        fprintf(page->stream, " %s", format_decimal_text(format, code, text));
}

void cell_input(const struct page *page, const struct format *format, const cJSON *input) {
    const cJSON *one;
    fputs("<td>", page->stream);
    if (!cJSON_IsArray(input)) {
        cell_code(page, format, input);
        return;
    }
    int at = 0;
    cJSON_ArrayForEach(one, input) {
        if (at)
            fputs("<br>", page->stream);
        /* A list of formats has one for each operand. */
        cell_code(page, format && at < FORMAT_OPERANDS ? format_of_operand(format, at) : NULL, one);
        at++;
    }
}
