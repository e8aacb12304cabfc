/* What a policy limits of a whole range, and what was found: a table, of sweeps with --policy. */
#include "page/cells.h"

#include "report/items.h"
#include "report/limits.h"
#include "report/read.h"
#include "report/text.h"

#include <string.h>

/* What a limit is about, in words. */
static const char *about(const char *name) {
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (strcmp(limit_rows[i].name, name) == 0)
            return limit_rows[i].what;
    return strcmp(name, "fingerprint") == 0 ? "fingerprint of all outputs" : name;
}

static const char *figure_text(const cJSON *figure, char text[32]) {
    if (cJSON_IsNumber(figure))
        return record_number_text(figure->valuedouble, text);
    return cJSON_IsString(figure) ? figure->valuestring : "none";
}

static void print_figure(const struct page *page, const cJSON *figure, const char *text) {
    if (cJSON_IsNumber(figure)) {
        cell_number(page, figure->valuedouble, text);
        return;
    }
    fputs("<td class=\"r\">", page->stream);
    page_text(page, text);
}

static void print_figures(const struct page *page, const cJSON *allowed, const cJSON *found) {
    char texts[2][32];
    const struct text_figures cut =
        text_cut_figures(figure_text(allowed, texts[0]), figure_text(found, texts[1]));
    print_figure(page, allowed, cut.allowed);
    print_figure(page, found, cut.found);
}

static void print_limit(const struct page *page, const struct series *series, const cJSON *limit) {
    const cJSON *kept = json_get(limit, "kept");
    char letters[64], rule[32];
    fprintf(page->stream, "<tr><td class=\"k c%zu\">", series->colour % 8);
    page_text(page, series->one->name);
    fprintf(page->stream, " %s<td class=\"r\">", series_letters(page, series, letters));
    page_text(page, about(report_string(limit, "name")));
    fputs("<td class=\"r\">", page->stream);
    page_text(page, report_string(limit, "policy"));
    const cJSON *number = json_get(limit, "rule");
    fprintf(page->stream, ", rule %s",
            record_number_text(cJSON_IsNumber(number) ? number->valuedouble : 0, rule));
    print_figures(page, json_get(limit, "allowed"), json_get(limit, "found"));
    fputs(cJSON_IsTrue(kept)    ? "<td>kept\n"
          : cJSON_IsFalse(kept) ? "<td class=\"bad\">broken\n"
                                : "<td>open: a part of the inputs\n",
          page->stream);
}

void table_limits(const struct page *page, const struct figure *figure) {
    static const char *const names[] = {"implementation", "limit of", "set by", "#allowed",
                                        "#found",         "verdict",  NULL};
    const cJSON *limit;
    bool begun = false;
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        cJSON_ArrayForEach(limit, json_get(series->one->json, "limits")) {
            if (!begun) {
                fputs("<div class=\"w\"><table><caption>What a policy limits, and what was found"
                      "</caption><thead><tr>",
                      page->stream);
                cell_headings(page, names);
                fputs("<tbody>\n", page->stream);
            }
            begun = true;
            print_limit(page, series, limit);
        }
    }
    if (begun)
        fputs("</table></div>\n", page->stream);
}
