/* What the page shows together: the implementations of one operation in one format and rounding,
 * over all reports. */
#ifndef DETCHECK_PAGE_FIGURE_H
#define DETCHECK_PAGE_FIGURE_H

#include "page/page.h"

/* Outputs of an implementation, the same in all of its reports. */
struct series {
    const struct read_result *result; /* of the first of the reports */
    const struct read_implementation *one;
    unsigned reports;         /* bit i: reports[i] */
    size_t colour;            /* which implementation of the page, by name */
    enum check_status status; /* the worst of them; CHECK_STATUSES where none was judged */
};

struct figure {
    const struct read_result *result; /* the first one */
    struct series *series;
    size_t series_count, room;
    bool is_reported_apart; /* another figure has other inputs, which are called the same */
};

struct page {
    const struct read_report *reports;
    size_t report_count;
    const struct gate *gate;
    FILE *stream;
    struct figure *figures;
    size_t figure_count;
    struct page_pair *pairs; /* page/pairs.h */
    size_t pair_count;
    const char **names; /* of implementations, in order of appearance */
    size_t name_count;
};

bool figures_make(struct page *page, struct error *error);
void figures_free(struct page *page);

/* "A C": the letters of the series' reports; empty for a page of one report. */
const char *series_letters(const struct page *page, const struct series *series, char text[64]);

/* Whether any of its implementations is provided. */
bool figure_has_outputs(const struct figure *figure);

/* Whether no series before that one is of the same result. */
bool figure_is_first_of_result(const struct figure *figure, size_t at);

/* The name of the figure's place on the page: "f1". */
void figure_print_id(const struct page *page, const struct figure *figure);

/* The digest of its inputs, cut, with the whole of it as its title. */
void figure_print_inputs(const struct page *page, const struct figure *figure);

/* All that comes before the body, and its tag. */
void page_head(const struct page *page, void (*title)(const struct page *page));

/* The script that sorts tables. */
void page_script(const struct page *page);

/* Text where markup would be read. */
void page_text(const struct page *page, const char *text);

/* The plots, as SVG: the largest error over the binades, the histogram, and the maps of what is not
 * correctly rounded and of what differs between implementations. */
void plot_errors(const struct page *page, const struct figure *figure);
void plot_histogram(const struct page *page, const struct figure *figure);
void plot_maps(const struct page *page, const struct figure *figure);

/* The signed error in steps of the inputs, where reports have it: what the script draws. */
void plot_envelope(const struct page *page, const struct figure *figure);

/* How the best of searches grew with the effort. */
void plot_searches(const struct page *page, const struct figure *figure);

/* The largest and the mean error over the length of arrays, where others of the page have other shapes and nothing else. */
void plot_lengths(const struct page *page, const struct figure *figure);

/* The verdict in one sentence. */
void page_headline(const struct page *page);

/* Of several reports: a sentence on whether they have the same bits, and a figure's cell of it in the matrix. */
void page_agreement(const struct page *page);
void agreement_cell(const struct page *page, const struct figure *figure);

/* A sentence: in what the machines of several reports differ that bears on bits. */
void page_machines(const struct page *page);

/* A list with a sentence for each implementation: what holds of it, and what does not. */
void page_statements(const struct page *page);

/* The tables of a figure, and the one of all. */
void table_matrix(const struct page *page);
void table_summary(const struct page *page);
void table_reports(const struct page *page);
void table_verdict(const struct page *page);
void table_worst(const struct page *page, const struct figure *figure);
void table_effects(const struct page *page, const struct figure *figure);
/* Which properties change bits, of reports of detcheck-invariance(1); else nothing. */
void table_invariance(const struct page *page, const struct figure *figure);
/* What was promised of outputs and what was found, of reports of sweeps with --policy; else nothing. */
void table_promises(const struct page *page, const struct figure *figure);
void table_limits(const struct page *page, const struct figure *figure);
/* Why two differ, of reports of detcheck-explain(1); else nothing. The second is of one explanation, whose sides the page calls by
 * these names. */
void table_explanation(const struct page *page, const struct figure *figure);
void print_explanation(const struct page *page, const struct read_explanation *explanation,
                       const char *const names[2]);
void table_differences(const struct page *page, const struct figure *figure);
void table_histogram(const struct page *page, const struct figure *figure);

#endif
