/* The table of all outputs, and what is not provided folded away below it. */
#include "page/cells.h"

#include "base/foreign.h"
#include "report/explanation_read.h"
#include "report/invariance_read.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_heading(const struct page *page) {
    static const char *const names[] = {"operation", "format", "rounding", "implementation", NULL};
    static const char *const figures[] = {"#inputs",
                                          "#largest error, ulp",
                                          "#mean, ulp",
                                          "#not correctly rounded",
                                          "#share, %",
                                          "#not faithful",
                                          "#beyond 1 ulp",
                                          "#NaN mismatches",
                                          "#wrong zero",
                                          "#crashes &amp; co.",
                                          NULL};
    fputs("<div class=\"w\"><table class=\"sort\"><caption>Every operation and implementation"
          "</caption><thead><tr>",
          page->stream);
    cell_headings(page, names);
    if (page->report_count > 1)
        fputs("<th scope=\"col\">reports", page->stream);
    cell_headings(page, figures);
    if (page->gate)
        fputs("<th scope=\"col\">verdict", page->stream);
    fputs("<th scope=\"col\">fingerprint<tbody>\n", page->stream);
}

static void print_figures(const struct page *page, const struct series *series) {
    const struct read_implementation *one = series->one;
    char text[32], share[32];
    cell_count(page, one->tally.tested, false);
    if (one->kind == READ_EXPLANATION) {
        char differ[EXPLANATION_SHARE];
        fputs("<td colspan=\"9\">", page->stream);
        if (one->explanation.is_of_two)
            fprintf(page->stream, "%s differ%s, %s without a simple cause",
                    explanation_share(&one->explanation, differ),
                    one->explanation.differ == 1 ? "s" : "",
                    text_grouped(one->explanation.unexplained, text));
        return;
    }
    if (one->kind == READ_INVARIANCE) { /* nothing was judged */
        uint64_t changed = read_most_changed(one);
        fputs("<td colspan=\"8\">compared with itself: ", page->stream);
        fprintf(page->stream, "%s", changed ? text_grouped(changed, text) : "no");
        fputs(changed > 1 ? " inputs change bits" : " input changes bits", page->stream);
        cell_count(page, one->events, one->events > 0);
        return;
    }
    cell_number(page, one->max ? one->max_ulp : -1,
                one->max ? text_error(one->max_ulp, 6, text) : "none");
    cell_number(page, one->mean_ulp, text_error(one->mean_ulp, 6, text));
    cell_count(page, one->tally.incorrect, false);
    double percent =
        one->tally.tested ? 100 * (double)one->tally.incorrect / (double)one->tally.tested : 0;
    snprintf(share, sizeof share, one->tally.incorrect && percent < 1e-4 ? "%.1e" : "%.4f",
             percent);
    cell_number(page, percent, share);
    cell_count(page, one->tally.tested - one->tally.faithful, false);
    cell_count(page, one->tally.over_1_ulp, false);
    cell_count(page, one->tally.nan_mismatches, one->tally.nan_mismatches > 0);
    cell_count(page, one->tally.sign_mismatches, one->tally.sign_mismatches > 0);
    cell_count(page, one->events, one->events > 0);
}

/* The cells that say what a row of the summary is of. */
static void print_subject(const struct page *page, const struct figure *figure,
                          const struct series *series) {
    char letters[64];
    bool shown = figure_has_outputs(figure);
    fputs(shown ? "<tr><td><a href=\"#" : "<tr><td>", page->stream);
    if (shown) {
        figure_print_id(page, figure);
        fputs("\">", page->stream);
    }
    page_text(page, figure->result->operation);
    fputs(shown ? "</a>" : "", page->stream);
    if (figure->is_reported_apart) {
        fputs(" of inputs ", page->stream);
        figure_print_inputs(page, figure);
    }
    cell_text(page, figure->result->format);
    cell_text(page, figure->result->rounding);
    fprintf(page->stream, "<td class=\"k c%zu\">", series->colour % 8);
    page_text(page, series->one->name);
    if (page->report_count > 1)
        cell_text(page, series_letters(page, series, letters));
}

static void print_row(const struct page *page, const struct figure *figure,
                      const struct series *series) {
    print_subject(page, figure, series);
    print_figures(page, series);
    if (page->gate) {
        bool judged = series->status != CHECK_STATUSES;
        fprintf(page->stream, "<td class=\"%s\">%s",
                series->status == CHECK_FAILED   ? "bad"
                : series->status == CHECK_PASSED ? "good"
                                                 : "",
                judged ? check_status_names[series->status] : "no limit");
    }
    const char *print = series->one->fingerprint ? series->one->fingerprint : "none";
    const char *colon = strchr(print, ':');
    fprintf(page->stream, "<td><code title=\"");
    page_text(page, print);
    fputs("\">", page->stream);
    page_text(page, foreign_text(FOREIGN_PLAIN, colon ? colon + 1 : print, (char[9]){0}, 9));
    fputs("</code>\n", page->stream);
}

static void print_missing_row(const struct page *page, const struct figure *figure,
                              const struct series *series) {
    print_subject(page, figure, series);
    fputs("<td class=\"r\">", page->stream);
    page_text(page, series->one->reason);
    fputc('\n', page->stream);
}

/* Rows of what is provided, or of what is not. */
static void print_rows(const struct page *page, bool provided) {
    for (size_t i = 0; i < page->figure_count; i++)
        for (size_t j = 0; j < page->figures[i].series_count; j++)
            if (page->figures[i].series[j].one->provided == provided)
                (provided ? print_row : print_missing_row)(page, &page->figures[i],
                                                           &page->figures[i].series[j]);
}

/* What is not provided has no figures: it is folded away, so that it parts no rows that have. */
static void print_missing(const struct page *page) {
    static const char *const names[] = {"operation", "format", "rounding", "implementation", NULL};
    size_t missing = 0;
    for (size_t i = 0; i < page->figure_count; i++)
        for (size_t j = 0; j < page->figures[i].series_count; j++)
            missing += !page->figures[i].series[j].one->provided;
    if (!missing)
        return;
    fprintf(page->stream,
            "<details id=\"not-provided\"><summary>Not provided: %zu</summary><div "
            "class=\"w\"><table class=\"sort\"><caption>What is not provided, and "
            "why</caption><thead><tr>",
            missing);
    cell_headings(page, names);
    if (page->report_count > 1)
        fputs("<th scope=\"col\">reports", page->stream);
    fputs("<th scope=\"col\">why<tbody>\n", page->stream);
    print_rows(page, false);
    fputs("</table></div></details>\n", page->stream);
}

void table_summary(const struct page *page) {
    fputs("<details id=\"figures\"><summary>All figures</summary>\n", page->stream);
    print_heading(page);
    print_rows(page, true);
    fputs("</table></div></details>\n", page->stream);
    print_missing(page);
}
