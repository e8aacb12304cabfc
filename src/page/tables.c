/* The tables: real text for whoever does not look at the plots. */
#include "page/cells.h"

#include "format/text.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORST = 5, MOST_FAILURES = 200 };

static void begin_failures(const struct page *page) {
    static const char *const headings[] = {"status",         "operation", "format",  "rounding",
                                           "implementation", "check",     "allowed", "found",
                                           "limit of",       "to see it", NULL};
    fputs("<div class=\"w\"><table class=\"sort\"><caption>Checks that failed, or would but for an "
          "exception</caption><thead><tr>",
          page->stream);
    cell_headings(page, headings);
    fputs("<tbody>\n", page->stream);
}

void table_verdict(const struct page *page) {
    const struct gate *gate = page->gate;
    size_t shown = 0;
    if (!gate)
        return;
    fprintf(page->stream, "<h2 id=\"verdict\">Verdict: <span class=\"%s\">%s</span></h2><p>",
            gate->counts[CHECK_FAILED] ? "bad" : "good",
            gate->counts[CHECK_FAILED] ? "failed" : "passed");
    for (int status = CHECK_STATUSES - 1; status >= 0; status--)
        fprintf(page->stream, "%zu %s%s", gate->counts[status], check_status_names[status],
                status ? ", " : ".</p>\n");
    for (size_t i = 0; i < gate->check_count && shown < MOST_FAILURES; i++) {
        const struct check *check = &gate->checks[i];
        if (check->status != CHECK_FAILED && check->status != CHECK_EXPECTED)
            continue;
        const struct gate_case *gate_case = &gate->cases[check->case_index];
        const struct text_figures figures = text_cut_figures(check->allowed, check->found);
        if (!shown++)
            begin_failures(page);
        fprintf(page->stream, "<tr><td class=\"%s\">%s", check->status == CHECK_FAILED ? "bad" : "",
                check_status_names[check->status]);
        cell_text(page, gate_case->result->operation);
        cell_text(page, gate_case->result->format);
        cell_text(page, gate_case->result->rounding);
        cell_text(page, gate_case->implementation->name);
        cell_text(page, check->reason ? check->reason : check->what);
        cell_number(page, strtod(check->allowed, NULL), figures.allowed);
        cell_number(page, strtod(check->found, NULL), figures.found);
        cell_text(page, check->source);
        fputs("<td><code>", page->stream);
        page_text(page, check->command ? check->command : "");
        fputs("</code>\n", page->stream);
    }
    if (shown)
        fputs("</table></div>\n", page->stream);
    if (shown == MOST_FAILURES)
        fputs("<p>More are left out here; <code>detcheck gate</code> prints all.</p>\n",
              page->stream);
}

static void print_worst(const struct page *page, const struct series *series, const char *list,
                        const char *otherwise, int *left) {
    struct error unused;
    const struct format *format = format_find(series->result->format, &unused);
    const struct format *of_result = read_result_format(series->result);
    const cJSON *row;
    cJSON_ArrayForEach(row, json_get(series->one->json, list)) {
        char letters[64], error[32];
        const cJSON *size = json_get(row, "error");
        if (!(*left)--)
            return;
        fprintf(page->stream, "<tr><td class=\"k c%zu\">", series->colour % 8);
        page_text(page, series->one->name);
        fprintf(page->stream, " %s<td class=\"n\">%s", series_letters(page, series, letters),
                cJSON_IsNumber(size) ? text_error(size->valuedouble, 6, error) : otherwise);
        cell_input(page, format, json_get(row, "input"));
        fputs("<td>", page->stream);
        cell_code(page, of_result, json_get(row, "got"));
        fputs("<td>", page->stream);
        cell_code(page, of_result, json_get(row, "want"));
        fputc('\n', page->stream);
    }
}

void table_worst(const struct page *page, const struct figure *figure) {
    bool any = false;
    for (size_t i = 0; i < figure->series_count; i++)
        any = any || figure->series[i].one->tally.incorrect ||
              figure->series[i].one->tally.nan_mismatches;
    if (!any)
        return;
    static const char *const headings[] = {"implementation", "#error, ulp", "input", "got",
                                           "want",           NULL};
    fputs("<div class=\"w\"><table class=\"sort\"><caption>Worst inputs</caption><thead><tr>",
          page->stream);
    cell_headings(page, headings);
    fputs("<tbody>\n", page->stream);
    for (size_t i = 0; i < figure->series_count; i++) {
        int left = MOST_WORST;
        print_worst(page, &figure->series[i], "first_mismatches", "NaN or sign", &left);
        if (left > 0)
            print_worst(page, &figure->series[i], "worst", "", &left);
    }
    fputs("</table></div>\n", page->stream);
}

static void print_difference(const struct page *page, const struct series *series,
                             const cJSON *pair) {
    struct error unused;
    const struct format *format = format_find(series->result->format, &unused);
    const cJSON *count = json_get(pair, "count");
    const cJSON *first = cJSON_GetArrayItem(json_get(pair, "first"), 0);
    char text[32], letters[64];
    fputs("<tr><td>", page->stream);
    page_text(page, report_string(pair, "a"));
    fputs(" and ", page->stream);
    page_text(page, report_string(pair, "b"));
    fprintf(page->stream, " %s<td class=\"n\">%s", series_letters(page, series, letters),
            text_grouped(cJSON_IsNumber(count) ? (uint64_t)count->valuedouble : 0, text));
    if (first)
        cell_input(page, format, json_get(first, "input"));
    else
        fputs("<td>none", page->stream);
    fputc('\n', page->stream);
}

void table_differences(const struct page *page, const struct figure *figure) {
    bool any = false;
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen = seen || figure->series[j].result == series->result;
        const cJSON *pair;
        if (seen)
            continue;
        cJSON_ArrayForEach(pair, json_get(series->result->json, "differences")) {
            if (!any)
                fputs("<div class=\"w\"><table><caption>Different bits</caption><thead><tr><th "
                      "scope=\"col\">implementations<th scope=\"col\" class=\"n\">inputs<th "
                      "scope=\"col\">first of them<tbody>\n",
                      page->stream);
            any = true;
            print_difference(page, series, pair);
        }
    }
    if (any)
        fputs("</table></div>\n", page->stream);
}

static const cJSON *bucket_of(const struct series *series, int at) {
    return cJSON_GetArrayItem(json_get(series->one->json, "histogram"), at);
}

static void print_bucket(const struct page *page, const struct figure *figure, int at) {
    const cJSON *end = NULL;
    double sum = 0;
    for (size_t i = 0; i < figure->series_count; i++) {
        const cJSON *bucket = bucket_of(&figure->series[i], at);
        const cJSON *count = json_get(bucket, "count");
        end = bucket ? json_get(bucket, "up_to_ulp") : end;
        sum += cJSON_IsNumber(count) ? count->valuedouble : 0;
    }
    if (!(sum > 0))
        return;
    if (cJSON_IsNumber(end))
        fprintf(page->stream, "<tr><th scope=\"row\" class=\"n\">%.12g", end->valuedouble);
    else
        fputs("<tr><th scope=\"row\" class=\"n\">beyond", page->stream);
    for (size_t i = 0; i < figure->series_count; i++) {
        const cJSON *count = json_get(bucket_of(&figure->series[i], at), "count");
        if (figure->series[i].one->provided)
            cell_count(page, cJSON_IsNumber(count) ? (uint64_t)count->valuedouble : 0, false);
    }
    fputc('\n', page->stream);
}

void table_histogram(const struct page *page, const struct figure *figure) {
    int buckets = 0;
    char letters[64];
    fputs("<details><summary>The numbers of the histogram</summary><div "
          "class=\"w\"><table><thead><tr><th scope=\"col\" class=\"n\">error up to, ulp",
          page->stream);
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        int count = cJSON_GetArraySize(json_get(series->one->json, "histogram"));
        buckets = count > buckets ? count : buckets;
        if (!series->one->provided)
            continue;
        fprintf(page->stream, "<th scope=\"col\" class=\"n k c%zu\">", series->colour % 8);
        page_text(page, series->one->name);
        fprintf(page->stream, " %s", series_letters(page, series, letters));
    }
    fputs("<tbody>\n", page->stream);
    for (int at = 0; at < buckets; at++)
        print_bucket(page, figure, at);
    fputs("</table></div></details>\n", page->stream);
}
