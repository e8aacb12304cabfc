/* What implementations do to exception flags and errno: a table of faults. */
#include "page/cells.h"

#include "report/effects.h"

static void print_name(const struct page *page, const struct series *series) {
    char letters[64];
    fprintf(page->stream, "<tr><td class=\"k c%zu\">", series->colour % 8);
    page_text(page, series->one->name);
    fprintf(page->stream, " %s", series_letters(page, series, letters));
}

/* An input and what its call did. */
static void print_witness(const struct page *page, const struct format *format, const cJSON *row) {
    cell_input(page, format, json_get(row, "input"));
    fputs("<br>", page->stream);
    page_text(page, report_string(row, "seen"));
    fputs("; required ", page->stream);
    page_text(page, report_string(row, "required"));
}

static void print_part(const struct page *page, const struct series *series,
                       enum effect_part part) {
    struct error unused;
    const struct format *format = format_find(series->result->format, &unused);
    const cJSON *row, *member = json_get(series->one->json, effect_part_names[part]);
    if (!member)
        return;
    const cJSON *calls = json_get(member, "calls"), *faults = json_get(member, "faults");
    bool reported = cJSON_IsTrue(json_get(member, "told"));
    const uint64_t called = cJSON_IsNumber(calls) ? (uint64_t)calls->valuedouble : 0;
    if (!reported || !cJSON_GetArraySize(faults)) {
        print_name(page, series);
        cell_text(page, part == EFFECT_FLAGS ? "exception flags" : "errno");
        cell_text(page, reported ? "none" : "not reported");
        if (reported) {
            cell_count(page, 0, false);
            cell_count(page, called, false);
        }
        fputs(reported ? "<td><td>\n" : "<td><td><td><td>\n", page->stream);
        return;
    }
    cJSON_ArrayForEach(row, faults) {
        const cJSON *count = json_get(row, "count");
        print_name(page, series);
        cell_text(page, report_string(row, effect_item_names[part]));
        cell_text(page, report_string(row, "fault"));
        cell_count(page, cJSON_IsNumber(count) ? (uint64_t)count->valuedouble : 0, true);
        cell_count(page, called, false);
        print_witness(page, format, json_get(row, "first"));
        print_witness(page, format, json_get(row, "worst"));
        fputc('\n', page->stream);
    }
}

/* The bytes that calls on texts say that they have read or written. */
static void print_lengths(const struct page *page, const struct series *series) {
    const struct length_tally *lengths = &series->one->tally.lengths;
    const cJSON *first = json_get(json_get(series->one->json, "lengths"), "first");
    const cJSON *got = json_get(first, "got");
    struct error unused;
    if (!(series->one->tally.tells & TELLS_LENGTHS))
        return;
    print_name(page, series);
    cell_text(page, "length");
    cell_text(page, !lengths->lines ? "not reported" : lengths->wrong ? "wrong" : "none");
    if (lengths->lines) {
        cell_count(page, lengths->wrong, lengths->wrong > 0);
        cell_count(page, lengths->lines, false);
    }
    if (lengths->wrong) {
        cell_input(page, format_find(series->result->format, &unused), json_get(first, "input"));
        fprintf(page->stream, "<br>told ");
        if (cJSON_IsNumber(got))
            fprintf(page->stream, "%.0f", got->valuedouble);
        else
            fputs("none", page->stream);
        fprintf(page->stream, "; right %.0f", json_number(first, "want"));
    } else
        fputs("<td>", page->stream);
    fputs(lengths->lines ? "<td>\n" : "<td><td><td>\n", page->stream);
}

void table_effects(const struct page *page, const struct figure *figure) {
    static const char *const headings[] = {
        "implementation", "flag", "fault", "#calls at fault", "#of", "first", "worst", NULL};
    bool any = false, texts = false;
    for (size_t i = 0; i < figure->series_count; i++) {
        texts = texts || (figure->series[i].one->tally.tells & TELLS_LENGTHS);
        for (enum effect_part part = 0; part < EFFECT_PARTS; part++)
            any = any || json_get(figure->series[i].one->json, effect_part_names[part]);
    }
    if (!any && !texts)
        return;
    fprintf(
        page->stream,
        "<div class=\"w\"><table class=\"sort\"><caption>Exception flags%s</caption><thead><tr>",
        texts ? ", errno and lengths of texts" : " and errno");
    cell_headings(page, headings);
    fputs("<tbody>\n", page->stream);
    for (size_t i = 0; i < figure->series_count; i++) {
        print_lengths(page, &figure->series[i]);
        for (enum effect_part part = 0; part < EFFECT_PARTS; part++)
            print_part(page, &figure->series[i], part);
    }
    fputs("</table></div>\n", page->stream);
}
