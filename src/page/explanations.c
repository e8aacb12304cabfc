/* The section on why two implementations differ: documents of `detcheck explain`. */
#include "page/cells.h"

#include "report/items.h"
#include "report/text.h"

#include <string.h>

static const char *text_of(const cJSON *object, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static const char *count_of(const cJSON *object, const char *name, char text[32]) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    bool good = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= 0x1p53;
    return good ? text_grouped((uint64_t)item->valuedouble, text) : "";
}

static void print_causes(const struct page *page, const cJSON *result) {
    static const char *const headings[] = {"cause",   "hypothesis",  "explains", "predicts wrongly",
                                           "verdict", "for example", NULL};
    const cJSON *one;
    char text[32];
    fputs("<div class=\"w\"><table><thead><tr>", page->stream);
    cell_headings(page, headings);
    fputs("<tbody>\n", page->stream);
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(result, "explanations")) {
        if (!cJSON_HasObjectItem(one, "cause") && !cJSON_HasObjectItem(one, "same_as"))
            continue;
        fputs("<tr><th scope=\"row\">", page->stream);
        page_text(page, text_of(one, "says"));
        cell_text(page, text_of(one, "hypothesis"));
        cell_text(page, count_of(one, "explains", text));
        cell_text(page, count_of(one, "predicts_wrongly", text));
        cell_text(page, text_of(one, "verdict"));
        cell_text(page, text_of(cJSON_GetObjectItemCaseSensitive(one, "example"), "command"));
        fputs("\n", page->stream);
    }
    fputs("</table></div>\n", page->stream);
}

/* Whose bits a side has. */
static void print_libraries(const struct page *page, const cJSON *result, const char *name,
                            const char *side) {
    const cJSON *libraries = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(result, name), "libraries");
    const cJSON *one;
    const char *before = " has the bits of ";
    cJSON_ArrayForEach(one, libraries) {
        if (!cJSON_IsString(one))
            continue;
        fprintf(page->stream, "%s%s", one == libraries->child ? side : "",
                one == libraries->child ? before : ", ");
        page_text(page, one->valuestring);
    }
    if (cJSON_GetArraySize(libraries))
        fputs(". ", page->stream);
}

static void print_result(const struct page *page, const cJSON *result) {
    static const char *const names[] = {"operation", "format", "rounding", "parameters", "inputs"};
    char differ[32], tested[32], rest[32];
    bool blocks = strcmp(text_of(result, "unit"), "block") == 0;
    fputs("<section>\n<h3>", page->stream);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = text_of(result, names[i]);
        fputs(i && *text ? i == 1 ? " <small>" : ", " : i == 1 ? " <small>" : "", page->stream);
        page_text(page, text);
    }
    fputs("</small></h3>\n<p>A is ", page->stream);
    page_text(page, text_of(result, "a"));
    if (*text_of(result, "b")) {
        fputs(", B is ", page->stream);
        page_text(page, text_of(result, "b"));
    }
    fputs(". ", page->stream);
    if (cJSON_HasObjectItem(result, "differ"))
        fprintf(page->stream, "%s of %s %s differ; of these %s have no simple cause. ",
                count_of(result, "differ", differ), count_of(result, "tested", tested),
                blocks ? "blocks" : "inputs", count_of(result, "unexplained", rest));
    if (*text_of(result, "note")) {
        page_text(page, text_of(result, "note"));
        fputs(". ", page->stream);
    }
    print_libraries(page, result, "a_is", "A");
    print_libraries(page, result, "b_is", "B");
    fputs("</p>\n", page->stream);
    if (cJSON_HasObjectItem(result, "explanations"))
        print_causes(page, result);
    fputs("</section>\n", page->stream);
}

void table_explanations(const struct page *page) {
    if (page->explanation_count)
        fputs("<h2 id=\"explanations\">Why they differ</h2>\n", page->stream);
    for (size_t i = 0; i < page->explanation_count; i++) {
        const cJSON *result;
        cJSON_ArrayForEach(result,
                           cJSON_GetObjectItemCaseSensitive(page->explanations[i], "results"))
            print_result(page, result);
    }
}
