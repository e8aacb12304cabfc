/* What outputs depend on besides the input: a table of properties. */
#include "page/cells.h"

#include "report/invariance_read.h"

static void print_first(const struct page *page, const struct format *format,
                        const struct property_record *property) {
    const cJSON *first = property_first(property);
    cell_input(page, format, json_get(first, "input"));
    cell_text(page, report_string(first, "reference"));
    cell_text(page, report_string(first, "got"));
    cell_text(page, property->first.where);
    fputs("<td><code>", page->stream);
    page_text(page, property->first.command);
    fputs("</code>\n", page->stream);
}

static void print_property(const struct page *page, const struct series *series,
                           const struct property_record *property) {
    struct error unused;
    char letters[64];
    fprintf(page->stream, "<tr><td class=\"k c%zu\">", series->colour % 8);
    page_text(page, series->one->name);
    fprintf(page->stream, " %s", series_letters(page, series, letters));
    cell_text(page, property->name);
    if (!property->tested) {
        fputs("<td class=\"r\" colspan=\"7\">not tested: ", page->stream);
        page_text(page, property->why);
        fputc('\n', page->stream);
        return;
    }
    cell_count(page, property->changed, property->changed > 0);
    cell_count(page, property->inputs, false);
    if (property->has_first)
        print_first(page, format_find(series->result->format, &unused), property);
    else
        fputs("<td><td><td><td><td>\n", page->stream);
}

void table_invariance(const struct page *page, const struct figure *figure) {
    static const char *const headings[] = {"implementation", "property",   "#changed", "#of",
                                           "first at",       "first gave", "then",     "where",
                                           "to see it",      NULL};
    bool any = false;
    for (size_t i = 0; i < figure->series_count; i++)
        any = any || figure->series[i].one->kind == READ_INVARIANCE;
    if (!any)
        return;
    fputs("<div class=\"w\"><table class=\"sort\"><caption>Inputs whose bits change</caption>"
          "<thead><tr>",
          page->stream);
    cell_headings(page, headings);
    fputs("<tbody>\n", page->stream);
    for (size_t i = 0; i < figure->series_count; i++)
        for (size_t k = 0; k < figure->series[i].one->property_count; k++)
            print_property(page, &figure->series[i], &figure->series[i].one->properties[k]);
    fputs("</table></div>\n", page->stream);
}
