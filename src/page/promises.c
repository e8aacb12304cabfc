/* What outputs were promised, and what was found: a table of promises, of sweeps with --policy. */
#include "page/cells.h"

#include "report/read.h"
#include "report/text.h"

#include <inttypes.h>

static const cJSON *promise_of(const struct series *series) {
    return json_get(series->one->json, "promise");
}

static uint64_t count_of(const cJSON *promise, const char *name) {
    const cJSON *count = json_get(promise, name);
    return cJSON_IsNumber(count) && count->valuedouble >= 0 ? (uint64_t)count->valuedouble : 0;
}

/* null stands for an error that is none in ulps, and for no end of a limit. */
static void print_size(const struct page *page, const cJSON *item, const char *otherwise) {
    char text[32];
    if (cJSON_IsNumber(item))
        cell_number(page, item->valuedouble, text_error(item->valuedouble, 6, text));
    else
        fprintf(page->stream, "<td class=\"n\">%s", otherwise);
}

static void print_worst(const struct page *page, const struct figure *figure, const cJSON *worst) {
    struct error unused;
    const struct format *format = format_find(figure->result->format, &unused);
    if (!cJSON_IsObject(worst)) {
        fputs("<td colspan=\"5\">none\n", page->stream);
        return;
    }
    cell_input(page, format, json_get(worst, "input"));
    print_size(page, json_get(worst, "error"), "NaN or zero");
    print_size(page, json_get(worst, "limit"), json_get(worst, "promised") ? "other bits" : "any");
    fputs("<td>", page->stream);
    cell_code(page, format, json_get(worst, "got"));
    fputs("<td>", page->stream);
    cell_code(page, format, json_get(worst, "want"));
    if (json_get(worst, "promised")) {
        fputs(", promised ", page->stream);
        cell_code(page, format, json_get(worst, "promised"));
    }
    fputc('\n', page->stream);
}

static void print_promise(const struct page *page, const struct figure *figure,
                          const struct series *series) {
    const cJSON *promise = promise_of(series);
    char letters[64];
    uint64_t violations = count_of(promise, "violations");
    fprintf(page->stream, "<tr><td class=\"k c%zu\">", series->colour % 8);
    page_text(page, series->one->name);
    fprintf(page->stream, " %s", series_letters(page, series, letters));
    fputs("<td class=\"r\">", page->stream);
    page_text(page, report_string(promise, "policy"));
    fprintf(page->stream, ", rule %" PRIu64, count_of(promise, "rule"));
    fputs(*report_string(promise, "section") ? "; " : "", page->stream);
    page_text(page, report_string(promise, "section"));
    fputs("<td class=\"r\"><code>", page->stream);
    page_text(page, report_string(promise, "allowed"));
    fputs("</code>", page->stream);
    const cJSON *one, *accept = json_get(promise, "accept");
    cJSON_ArrayForEach(one, accept) {
        fputs(one == accept->child ? ", and " : ", ", page->stream);
        page_text(page, cJSON_IsString(one) ? one->valuestring : "");
    }
    cell_count(page, count_of(promise, "kept"), false);
    cell_count(page, count_of(promise, "accepted"), false);
    cell_count(page, count_of(promise, "left_out"), false);
    bool counted = cJSON_IsNumber(json_get(promise, "max_violations"));
    cell_count(page, violations, counted && violations > count_of(promise, "max_violations"));
    if (counted)
        cell_count(page, count_of(promise, "max_violations"), false);
    else
        fputs("<td class=\"n\">a share", page->stream);
    print_worst(page, figure, json_get(promise, "worst"));
}

void table_promises(const struct page *page, const struct figure *figure) {
    static const char *const names[] = {"implementation", "promised by", "allowed", NULL};
    static const char *const counts[] = {"#kept",   "#accepted besides", "#left out",
                                         "#broken", "#of which allowed", NULL};
    static const char *const worst[] = {
        "worst violation at", "#error, ulp", "#limit, ulp", "output", "right", NULL};
    bool any = false;
    for (size_t i = 0; i < figure->series_count; i++)
        any = any || promise_of(&figure->series[i]);
    if (!any)
        return;
    fputs("<div class=\"w\"><table><caption>What was promised, and what was found</caption><thead>"
          "<tr>",
          page->stream);
    cell_headings(page, names);
    cell_headings(page, counts);
    cell_headings(page, worst);
    fputs("<tbody>\n", page->stream);
    for (size_t i = 0; i < figure->series_count; i++)
        if (promise_of(&figure->series[i]))
            print_promise(page, figure, &figure->series[i]);
    fputs("</table></div>\n", page->stream);
}
