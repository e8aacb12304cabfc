/* Why two implementations differ: a table of causes. */
#include "page/cells.h"
#include "page/pairs.h"

#include "report/explanation_read.h"
#include "report/items.h"
#include "report/text.h"

#include <string.h>

static const char *count_of(const cJSON *object, const char *name, char text[32]) {
    const cJSON *item = json_get(object, name);
    bool good = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= 0x1p53;
    return good ? text_grouped((uint64_t)item->valuedouble, text) : "";
}

static void print_causes(const struct page *page, const cJSON *result, const char *const names[2]) {
    static const char *const headings[] = {"cause",   "hypothesis",  "explains", "predicts wrongly",
                                           "verdict", "for example", NULL};
    const cJSON *one;
    char text[32];
    fputs("<div class=\"w\"><table><thead><tr>", page->stream);
    cell_headings(page, headings);
    fputs("<tbody>\n", page->stream);
    cJSON_ArrayForEach(one, json_get(result, "explanations")) {
        if (!json_get(one, "cause") && !json_get(one, "same_as"))
            continue;
        fputs("<tr><th scope=\"row\">", page->stream);
        pair_text(page, names, json_text(one, "says"));
        cell_text(page, json_text(one, "hypothesis"));
        cell_text(page, count_of(one, "explains", text));
        cell_text(page, count_of(one, "predicts_wrongly", text));
        cell_text(page, json_text(one, "verdict"));
        cell_text(page, json_text(json_get(one, "example"), "command"));
        fputs("\n", page->stream);
    }
    fputs("</table></div>\n", page->stream);
}

/* Who a side is, and whose bits it has. */
static void print_side(const struct page *page, const cJSON *explanation, const char *name,
                       const char *letter) {
    const cJSON *one, *side = json_get(explanation, name);
    const cJSON *libraries = json_get(side, "libraries");
    const cJSON *events = json_get(side, "event_counts");
    const cJSON *first = json_get(side, "first_event");
    const char *before = ", and has the bits of ";
    char count[32];
    if (!side)
        return;
    page_text(page, letter);
    fputs(": ", page->stream);
    page_text(page, json_text(side, "name"));
    fputs(*json_text(side, "detail") ? ", " : "", page->stream);
    page_text(page, json_text(side, "detail"));
    cJSON_ArrayForEach(one, libraries) {
        fputs(before, page->stream);
        page_text(page, cJSON_IsString(one) ? one->valuestring : "");
        before = ", ";
    }
    cJSON_ArrayForEach(one, events) {
        fputs(", ", page->stream);
        page_text(page, one->string);
        fputs(": ", page->stream);
        page_text(page, count_of(events, one->string, count));
    }
    fputs(first ? ", the first by " : "", page->stream);
    page_text(page, json_text(first, "command"));
    fputs(". ", page->stream);
}

void print_explanation(const struct page *page, const struct read_explanation *one,
                       const char *const names[2]) {
    char share[EXPLANATION_SHARE], rest[32];
    fputs("<p>", page->stream);
    print_side(page, one->json, "a", names[0]);
    print_side(page, one->json, "b", names[1]);
    if (one->is_of_two)
        fprintf(page->stream, "Differences: %s; without a simple cause: %s. ",
                explanation_share(one, share), count_of(one->json, "unexplained", rest));
    if (*json_text(one->json, "note")) {
        page_text(page, json_text(one->json, "note"));
        fputs(". ", page->stream);
    }
    fputs("</p>\n", page->stream);
    if (one->differ)
        print_causes(page, one->json, names);
}

void table_explanation(const struct page *page, const struct figure *figure) {
    static const char *const names[2] = {"A", "B"};
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        char letters[64];
        if (series->one->kind != READ_EXPLANATION)
            continue;
        if (*series_letters(page, series, letters))
            fprintf(page->stream, "<p>Report %s:</p>\n", letters);
        print_explanation(page, &series->one->explanation, names);
    }
}
