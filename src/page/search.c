/* The plot of searches: the best so far over the inputs that were tried, by steps. */
#include "page/plot.h"

#include "report/items.h"
#include "report/text.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* A part of a search, and the series that has its colour: of its first implementation, or the first
 * of its result. */
struct line {
    const struct series *series;
    const cJSON *part;
    const char *value; /* the member that holds what was sought */
};

typedef void visit_line(const struct page *page, const struct line *line, void *context);

static const struct series *series_of(const struct figure *figure, const struct series *first,
                                      const cJSON *part) {
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(part, "implementations");
    const cJSON *name = cJSON_GetArrayItem(names, 0);
    for (size_t i = 0; cJSON_IsString(name) && i < figure->series_count; i++)
        if (figure->series[i].result == first->result &&
            strcmp(figure->series[i].one->name, name->valuestring) == 0)
            return &figure->series[i];
    return first;
}

static void each_line(const struct page *page, const struct figure *figure, visit_line *visit,
                      void *context) {
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(series->result->json, "inputs");
        const cJSON *search = cJSON_GetObjectItemCaseSensitive(inputs, "search"), *part;
        const char *sought = report_string(search, "for");
        if (!search || !figure_is_first_of_result(figure, i))
            continue;
        cJSON_ArrayForEach(part, cJSON_GetObjectItemCaseSensitive(search, "parts")) {
            const struct line line = {series_of(figure, series, part), part,
                                      strcmp(sought, "boundary") == 0 ? "distance" : sought};
            visit(page, &line, context);
        }
    }
}

static double evaluations_of(const cJSON *row) {
    return log2(fmax(plot_number(row, "evaluations"), 1));
}

/* The height of a value: bits below an ulp for a distance. */
static double height_of(const struct line *line, const cJSON *row) {
    double value = plot_number(row, line->value);
    return strcmp(line->value, "distance") == 0 ? -log2(fmax(value, DBL_MIN)) : value;
}

static void widen_scale(const struct page *page, const struct line *line, void *context) {
    struct scale *scale = context;
    const cJSON *row;
    (void)page;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(line->part, "growth")) {
        scale->x_low = fmin(scale->x_low, floor(evaluations_of(row)));
        scale->y_high = fmax(scale->y_high, height_of(line, row) * 1.05);
    }
    scale->x_high = fmax(scale->x_high, evaluations_of(line->part));
}

static void describe_line(const struct page *page, const struct line *line, void *context) {
    const cJSON *best = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(line->part, "best"), 0);
    char error[32], count[32];
    (void)context;
    if (!best)
        return;
    fputs(" ", page->stream);
    page_text(page, line->series->one->name);
    fputs(": ", page->stream);
    page_text(page, line->value);
    fprintf(page->stream, " %s ulp after %s inputs.",
            strcmp(line->value, "distance") == 0
                ? record_number_text(plot_number(best, line->value), error)
                : text_error(plot_number(best, line->value), 6, error),
            text_grouped((uint64_t)plot_number(line->part, "evaluations"), count));
}

static void draw_line(const struct page *page, const struct line *line, void *context) {
    const struct scale *scale = context;
    const cJSON *row;
    fputs("<path", page->stream);
    plot_class(page, line->series, "l");
    fputs(" d=\"", page->stream);
    struct plot_path path = {.stream = page->stream, .y = INT_MIN};
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(line->part, "growth")) {
        double to = row->next ? evaluations_of(row->next) : evaluations_of(line->part);
        plot_path_step(&path, plot_x(scale, evaluations_of(row)), plot_x(scale, to),
                       plot_y(scale, height_of(line, row)));
    }
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
