/* The page around the plots and tables. */
#include "page/pairs.h"

#include <stdlib.h>
#include <string.h>

/* page.css, page.js and envelope.js as bytes, made by the build (embed.cmake). */
extern const unsigned char page_css[], page_js[], envelope_js[];
extern const size_t page_css_size, page_js_size, envelope_js_size;
extern const char page_css_sha256[], page_js_sha256[], envelope_js_sha256[];

static void print_title(const struct page *page) {
    fputs("detcheck report", page->stream);
    for (size_t i = 0; i < page->report_count && i < 3; i++) {
        fputs(i ? ", " : ": ", page->stream);
        page_text(page, page->reports[i].path);
    }
    if (!page->report_count) {
        fputs(": ", page->stream);
        page_text(page, page->pairs[0].path);
    }
}

void page_head(const struct page *page, void (*title)(const struct page *page)) {
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
        "base-uri 'none'; form-action 'none'; style-src '",
        page->stream);
    fprintf(page->stream, "%s'; script-src '%s' '%s'\">\n", page_css_sha256, page_js_sha256,
            envelope_js_sha256);
    fputs("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          page->stream);
    title(page);
    fputs("</title>\n<style>", page->stream);
    fwrite(page_css, 1, page_css_size, page->stream);
    fputs("</style>\n<body>\n", page->stream);
}

static void print_head(const struct page *page) {
    page_head(page, print_title);
    fprintf(page->stream,
            "<a class=\"skip\" href=\"#%s\">To the %s</a>\n<main>\n<h1>detcheck report</h1>\n",
            page->report_count ? "functions" : "comparisons",
            page->report_count ? "functions" : "comparisons");
    for (size_t i = 0; i < page->report_count; i++)
        if (!page->reports[i].complete) {
            fputs("<p class=\"banner bad\">", page->stream);
            page_text(page, page->reports[i].path);
            fputs(" is incomplete: the run was stopped before its end.</p>\n", page->stream);
        }
}

/* What the colours and dashes stand for. */
static void print_legend(const struct page *page, const struct figure *figure) {
    fputs("<p class=\"legend\">", page->stream);
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        char letters[64];
        int report = 0;
        while (!(series->reports >> report & 1))
            report++;
        if (!series->one->provided)
            continue;
        fprintf(page->stream,
                "<span><svg viewBox=\"0 0 36 10\" class=\"key\" aria-hidden=\"true\"><path "
                "class=\"l c%zu d%d\" d=\"M0 5h36\"/></svg>",
                series->colour % 8, report % 4);
        page_text(page, series->one->name);
        fprintf(page->stream, "%s%s</span> ", page->report_count > 1 ? " " : "",
                series_letters(page, series, letters));
        if (strcmp(series->result->inputs.description, figure->result->inputs.description) != 0) {
            fputs("of ", page->stream);
            page_text(page, series->result->inputs.description);
            fputs(" ", page->stream);
        }
    }
    fputs("</p>\n", page->stream);
}

/* The parameters that are not as they always are. */
static void print_parameters(const struct page *page, const struct read_result *result) {
    const cJSON *one;
    cJSON_ArrayForEach(one, result->given) {
        if (cJSON_IsFalse(one))
            continue;
        char *text = cJSON_IsString(one) || cJSON_IsTrue(one) ? NULL : cJSON_PrintUnformatted(one);
        fputs(", ", page->stream);
        page_text(page, one->string);
        fputs(cJSON_IsTrue(one) ? "" : " ", page->stream);
        page_text(page, cJSON_IsString(one) ? one->valuestring : text ? text : "");
        cJSON_free(text);
    }
}

static void print_figure(const struct page *page, const struct figure *figure) {
    const struct read_result *result = figure->result;
    fputs("<section id=\"", page->stream);
    figure_print_id(page, figure);
    fputs("\">\n<h3>", page->stream);
    page_text(page, result->operation);
    fputs(" <small>", page->stream);
    page_text(page, result->format);
    fputs(", ", page->stream);
    page_text(page, result->rounding);
    print_parameters(page, result);
    fputs("; ", page->stream);
    page_text(page, result->inputs.description);
    if (figure->is_reported_apart) {
        fputs(", those of the digest ", page->stream);
        figure_print_inputs(page, figure);
        fputs("; others of that name stand apart", page->stream);
    }
    fputs("</small></h3>\n", page->stream);
    print_legend(page, figure);
    table_invariance(page, figure);
    table_explanation(page, figure);
    table_limits(page, figure);
    if (figure->series[0].one->kind == READ_JUDGED) {
        table_promises(page, figure);
        plot_searches(page, figure);
        plot_envelope(page, figure);
        plot_histogram(page, figure);
        table_histogram(page, figure);
        plot_errors(page, figure);
        plot_lengths(page, figure);
        plot_maps(page, figure);
        table_differences(page, figure);
        table_worst(page, figure);
        table_effects(page, figure);
    }
    fputs("<p><a href=\"#summary\">Back to the summary</a></p>\n</section>\n", page->stream);
}

void page_script(const struct page *page) {
    fputs("<script>", page->stream);
    fwrite(page_js, 1, page_js_size, page->stream);
    fputs("</script>\n", page->stream);
}

static void print_foot(const struct page *page) {
    fputs(
        "<footer><p>Errors are in ulps of the exact result and are cut, not rounded, to six "
        "digits. Implementations with the same name have the same colour; reports differ by their "
        "dashes. If reports share a line of the summary, their outputs are the same bits. "
        "detcheck-report(7) defines every figure.</p></footer>\n</main>\n",
        page->stream);
    page_script(page);
    fputs("<script>", page->stream);
    fwrite(envelope_js, 1, envelope_js_size, page->stream);
    fputs("</script>\n</html>\n", page->stream);
}

/* What is known of reports: nothing if the page has comparisons alone. */
static void print_reports(const struct page *page) {
    page_agreement(page);
    if (page->pair_count != 1 || !page->pairs[0].is_figure)
        page_headline(page);
    page_statements(page);
    table_verdict(page);
    fputs("<h2 id=\"summary\">Summary</h2>\n", page->stream);
    table_matrix(page);
    table_summary(page);
    table_reports(page);
}

bool page_write(const struct page_sources *sources, FILE *stream, struct error *error) {
    struct page page = {.reports = sources->reports,
                        .report_count = sources->report_count,
                        .gate = sources->gate,
                        .stream = stream};
    bool made = figures_make(&page, error) && pairs_make(&page, sources, error);
    if (made) {
        print_head(&page);
        pairs_headline(&page);
        if (page.report_count)
            print_reports(&page);
        pairs_print(&page);
        if (page.report_count)
            fputs("<h2 id=\"functions\">Functions</h2>\n", stream);
        for (size_t i = 0; i < page.figure_count; i++)
            if (figure_has_outputs(&page.figures[i]))
                print_figure(&page, &page.figures[i]);
        print_foot(&page);
    }
    pairs_free(&page);
    figures_free(&page);
    return made;
}
