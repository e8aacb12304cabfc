/* The plot of searches: the best so far over the inputs that were tried, by steps. */
#include "page/plot.h"

#include "report/text.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* A part of a search, and the series that has its colour: of its first implementation, or the first
 * of its result. */
struct line {
    const struct series *series;
    const struct search_part *part;
    enum search_purpose purpose;
};

typedef void visit_line(const struct page *page, const struct line *line, void *context);

static const struct series *series_of(const struct figure *figure, const struct series *first,
                                      const struct search_part *part) {
    for (size_t i = 0; part->implementation_count && i < figure->series_count; i++)
        if (figure->series[i].result == first->result &&
            strcmp(figure->series[i].one->name, part->names[0]) == 0)
            return &figure->series[i];
    return first;
}

static void each_line(const struct page *page, const struct figure *figure, visit_line *visit,
                      void *context) {
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        const struct search_record *search = series->result->inputs.search;
        if (!search || !figure_is_first_of_result(figure, i))
            continue;
        for (size_t k = 0; k < search->part_count; k++) {
            const struct search_part *part = &search->parts[k];
            const struct line line = {series_of(figure, series, part), part, search->purpose};
            visit(page, &line, context);
        }
    }
}

static double place_of(uint64_t evaluations) {
    return log2(fmax((double)evaluations, 1));
}

/* The height of a value: bits below an ulp for a distance. */
static double height_of(const struct line *line, double value) {
    return line->purpose == SEARCH_BOUNDARY ? -log2(fmax(value, DBL_MIN)) : value;
}

static void widen_scale(const struct page *page, const struct line *line, void *context) {
    struct scale *scale = context;
    (void)page;
    for (size_t i = 0; i < line->part->growth_count; i++) {
        const struct search_growth *row = &line->part->growth[i];
        scale->x_low = fmin(scale->x_low, floor(place_of(row->evaluations)));
        scale->y_high = fmax(scale->y_high, height_of(line, row->value) * 1.05);
    }
    scale->x_high = fmax(scale->x_high, place_of(line->part->evaluations));
}

static void describe_line(const struct page *page, const struct line *line, void *context) {
    const struct search_part *part = line->part;
    char error[32], count[32];
    (void)context;
    if (!part->best_count)
        return;
    fputs(" ", page->stream);
    page_text(page, line->series->one->name);
    fprintf(page->stream, ": %s %s ulp after %s inputs.", search_value_names[line->purpose],
            line->purpose == SEARCH_BOUNDARY ? record_number_text(part->best[0].value, error)
                                             : text_error(part->best[0].value, 6, error),
            text_grouped(part->evaluations, count));
}

static void draw_line(const struct page *page, const struct line *line, void *context) {
    const struct scale *scale = context;
    const struct search_part *part = line->part;
    fputs("<path", page->stream);
    plot_class(page, line->series, "l");
    fputs(" d=\"", page->stream);
    struct plot_path path = {.stream = page->stream, .y = INT_MIN};
    for (size_t i = 0; i < part->growth_count; i++)
        plot_path_step(
            &path, plot_x(scale, place_of(part->growth[i].evaluations)),
            plot_x(scale, place_of(i + 1 < part->growth_count ? part->growth[i + 1].evaluations
                                                              : part->evaluations)),
            plot_y(scale, height_of(line, part->growth[i].value)));
    plot_path_end(&path);
    fputs("\"/>", page->stream);
}

void plot_searches(const struct page *page, const struct figure *figure) {
    struct scale scale = {.x_low = DBL_MAX, .y_high = 0.6};
    each_line(page, figure, widen_scale, &scale);
    if (!(scale.x_low < scale.x_high))
        return;
    scale.logarithmic = scale.y_high > 4;
    scale.y_low = scale.logarithmic ? 0x1p-4 : 0;
    fputs("<h4>What the search found, a lower bound</h4>", page->stream);
    plot_begin(page, figure, "s", PLOT_TOP + PLOT_HEIGHT + PLOT_BOTTOM);
    fputs("The best so far by the inputs tried.", page->stream);
    each_line(page, figure, describe_line, NULL);
    fputs("</title>", page->stream);
    plot_error_axis(page, &scale);
    plot_powers(page, &scale, PLOT_TOP + PLOT_HEIGHT + 16);
    plot_axis_title(page, "the best so far in ulps (a distance: in bits below an ulp), by the "
                          "inputs tried");
    each_line(page, figure, draw_line, &scale);
    fputs("</svg>\n", page->stream);
}
