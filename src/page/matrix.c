/* One cell for each function and implementation: its largest error, in a colour that says how good that is. */
#include "page/cells.h"

#include "report/text.h"

#include <string.h>

enum { MOST_COLUMNS = 64 };

/* The columns: implementations, of several reports one for each set of reports with the same outputs. */
struct columns {
    const struct series *first[MOST_COLUMNS]; /* which stands for its name and reports */
    size_t count;
};

static bool is_of(const struct series *series, const struct series *column) {
    return series->colour == column->colour && series->reports == column->reports;
}

static struct columns find_columns(const struct page *page) {
    struct columns columns = {.count = 0};
    for (size_t i = 0; i < page->figure_count; i++)
        for (size_t j = 0; j < page->figures[i].series_count; j++) {
            const struct series *series = &page->figures[i].series[j];
            size_t at = 0;
            while (at < columns.count && !is_of(series, columns.first[at]))
                at++;
            if (series->one->kind == READ_JUDGED && series->one->provided && at == columns.count &&
                at < MOST_COLUMNS)
                columns.first[columns.count++] = series;
        }
    return columns;
}

/* How good a result is: the class of its cell, and the words for whoever does not see colours. */
struct grade {
    const char *class, *words;
};

static struct grade grade_of(const struct series *series) {
    const struct read_implementation *one = series->one;
    const struct tally *tally = &one->tally;
    const bool promised = tally->tells & TELLS_PROMISE && one->held;
    if (series->status == CHECK_FAILED)
        return (struct grade){"v4", "breaks a limit"};
    if (promised && tally->promise.violations)
        return (struct grade){"v4", "breaks a promise"};
    if (one->events || tally->unanswered)
        return (struct grade){"v4", "calls without an answer"};
    if (tally->nan_mismatches || tally->sign_mismatches)
        return (struct grade){"v4", tally->nan_mismatches ? "wrong NaNs" : "wrong zeros"};
    if (series->status == CHECK_PASSED || promised)
        return (struct grade){"v0", promised ? "promise kept" : "limits kept"};
    if (!tally->incorrect)
        return (struct grade){"v0", "correctly rounded"};
    if (tally->faithful == tally->tested)
        return (struct grade){"v1", "faithful"};
    return tally->over_1_ulp ? (struct grade){"v3", "beyond 1 ulp"}
                             : (struct grade){"v2", "not faithful"};
}

static void print_cell(const struct page *page, const struct series *series,
                       const struct series *column) {
    char error[32], letters[64];
    if (!series || !series->one->provided || !series->one->tally.tested) {
        fputs("<td class=\"n\">-", page->stream);
        return;
    }
    const struct grade grade = grade_of(series);
    fprintf(page->stream, "<td class=\"n v %s\" data-name=\"", grade.class);
    page_text(page, column->one->name);
    fprintf(page->stream, " %s\" data-s=\"%.17g\">%s <small>%s</small>",
            series_letters(page, column, letters), series->one->max ? series->one->max_ulp : -1,
            series->one->max ? text_error(series->one->max_ulp, 6, error) : "no error",
            grade.words);
}

static const struct series *series_of(const struct figure *figure, const struct series *column) {
    for (size_t i = 0; i < figure->series_count; i++)
        if (is_of(&figure->series[i], column))
            return &figure->series[i];
    return NULL;
}

static void print_function(const struct page *page, const struct figure *figure) {
    fputs("<tr><th scope=\"row\"><a href=\"#", page->stream);
    figure_print_id(page, figure);
    fputs("\">", page->stream);
    page_text(page, figure->result->operation);
    fputs("</a> <small>", page->stream);
    page_text(page, figure->result->format);
    if (strcmp(figure->result->rounding, "nearest-even") != 0) {
        fputs(", ", page->stream);
        page_text(page, figure->result->rounding);
    }
    if (figure->is_reported_apart) {
        fputs(" of inputs ", page->stream);
        figure_print_inputs(page, figure);
    }
    fputs("</small>", page->stream);
}

static bool is_judged(const struct figure *figure) {
    for (size_t i = 0; i < figure->series_count; i++)
        if (figure->series[i].one->kind == READ_JUDGED && figure->series[i].one->provided)
            return true;
    return false;
}

void table_matrix(const struct page *page) {
    const struct columns columns = find_columns(page);
    char letters[64];
    if (!columns.count)
        return;
    fputs("<div class=\"w\"><table class=\"sort matrix\"><caption>Largest error in ulps, by "
          "function and implementation</caption><thead><tr><th scope=\"col\">function",
          page->stream);
    for (size_t i = 0; i < columns.count; i++) {
        fprintf(page->stream, "<th scope=\"col\" class=\"n k c%zu\">",
                columns.first[i]->colour % 8);
        page_text(page, columns.first[i]->one->name);
        fprintf(page->stream, " %s", series_letters(page, columns.first[i], letters));
    }
    if (page->report_count > 1)
        fputs("<th scope=\"col\">between reports", page->stream);
    fputs("<tbody>\n", page->stream);
    for (size_t i = 0; i < page->figure_count; i++) {
        const struct figure *figure = &page->figures[i];
        if (!is_judged(figure))
            continue;
        print_function(page, figure);
        for (size_t j = 0; j < columns.count; j++)
            print_cell(page, series_of(figure, columns.first[j]), columns.first[j]);
        if (page->report_count > 1)
            agreement_cell(page, figure);
        fputc('\n', page->stream);
    }
    fputs("</table></div>\n", page->stream);
}
