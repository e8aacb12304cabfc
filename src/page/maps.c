/* The maps: where, over the binades, outputs are not correctly rounded or differ from libm's. */
#include "page/plot.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* One row of a map: a rectangle for each run of binades with the same shade, 0 to 5. */
static void print_map_row(const struct page *page, const struct scale *scale, const cJSON *rows,
                          const char *member, int top) {
    const cJSON *row;
    int shade_before = 0;
    double from = 0, end = -DBL_MAX;
    cJSON_ArrayForEach(row, rows) {
        double count = json_number(row, member), exponent = json_number(row, "exponent");
        int shade = count > 0 ? (int)fmin(1 + floor(log10(count) / 1.5), 5) : 0;
        if (shade != shade_before || exponent > end) {
            if (shade_before)
                fprintf(page->stream, "<path class=\"m%d\" d=\"M%.1f %dH%.1fv14H%.1f\"/>",
                        shade_before, plot_x(scale, from), top, plot_x(scale, end),
                        plot_x(scale, from));
            from = exponent;
            shade_before = shade;
        }
        end = exponent + 1;
    }
    if (shade_before)
        fprintf(page->stream, "<path class=\"m%d\" d=\"M%.1f %dH%.1fv14H%.1f\"/>", shade_before,
                plot_x(scale, from), top, plot_x(scale, end), plot_x(scale, from));
}

/* What a map has a row for: binades, and the member of each that counts. */
struct map_row {
    const char *what, *nowhere; /* that is counted, and where nothing is */
    const char *name;           /* of the implementation */
    char letters[64];           /* of its reports */
    const cJSON *binades;
    const char *member;
};

static void print_map_label(const struct page *page, int top, const struct map_row *row) {
    fprintf(page->stream, "<text x=\"%d\" y=\"%d\">%s: ", PLOT_LEFT, top - 3, row->what);
    page_text(page, row->name);
    fprintf(page->stream, " %s</text><path class=\"b\" d=\"M%d %dH%dv14H%dz\"/>", row->letters,
            PLOT_LEFT, top, PLOT_WIDTH - PLOT_RIGHT, PLOT_LEFT);
}

/* The pairs of a result of which one is libm; a pair's rows may be absent in older reports. */
static bool against_libm(const cJSON *pair) {
    return strcmp(report_string(pair, "a"), "libm") == 0 ||
           strcmp(report_string(pair, "b"), "libm") == 0;
}

static const char *partner(const cJSON *pair) {
    const char *a = report_string(pair, "a");
    return strcmp(a, "libm") == 0 ? report_string(pair, "b") : a;
}

typedef void visit_row(const struct page *page, const struct map_row *row, void *context);

/* Every row that there can be: implementations, then pairs of which one is libm. */
static void each_row(const struct page *page, const struct figure *figure, visit_row *visit,
                     void *context) {
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        struct map_row row = {.what = "not correctly rounded",
                              .nowhere = "Nowhere not correctly rounded",
                              .name = series->one->name,
                              .binades = plot_rows(series, "by_binade"),
                              .member = "incorrect"};
        series_letters(page, series, row.letters);
        if (series->one->provided)
            visit(page, &row, context);
    }
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        const cJSON *pair;
        const cJSON *pairs = json_get(series->result->json, "differences");
        if (!figure_is_first_of_result(figure, i))
            continue;
        cJSON_ArrayForEach(pair, pairs) {
            struct map_row row = {.what = "differs from libm",
                                  .nowhere = "Nowhere different from libm",
                                  .name = partner(pair),
                                  .binades = json_get(pair, "by_binade"),
                                  .member = "count"};
            series_letters(page, series, row.letters);
            if (against_libm(pair))
                visit(page, &row, context);
        }
    }
}

static bool is_empty(const struct map_row *row) {
    const cJSON *binade;
    cJSON_ArrayForEach(binade, row->binades) if (json_number(binade, row->member) > 0) return false;
    return true;
}

enum { MAP_ROW = 34 };

static void count_drawn(const struct page *page, const struct map_row *row, void *context) {
    int *drawn = context;
    (void)page;
    *drawn += !is_empty(row);
}

/* The picture in the making. */
struct drawing {
    const struct scale *scale;
    int top; /* of the next row */
};

static void draw_row(const struct page *page, const struct map_row *row, void *context) {
    struct drawing *drawing = context;
    if (is_empty(row))
        return;
    print_map_label(page, drawing->top, row);
    print_map_row(page, drawing->scale, row->binades, row->member, drawing->top);
    drawing->top += MAP_ROW;
}

/* Rows with nothing in them are named, not drawn: a sentence for each kind. */
static void name_empty(const struct page *page, const struct map_row *row, void *context) {
    const char **before = context;
    if (!is_empty(row))
        return;
    if (*before != row->nowhere)
        fprintf(page->stream, "%s<p>%s: ", *before ? ".</p>\n" : "", row->nowhere);
    else
        fputs(", ", page->stream);
    *before = row->nowhere;
    page_text(page, row->name);
    fprintf(page->stream, "%s%s", *row->letters ? " " : "", row->letters);
}

void plot_maps(const struct page *page, const struct figure *figure) {
    struct scale scale;
    int drawn = 0;
    const char *named = NULL;
    if (!plot_find_scale(figure, &scale))
        return;
    fputs("<h4>Where outputs are not correctly rounded, and where they differ from libm</h4>",
          page->stream);
    each_row(page, figure, count_drawn, &drawn);
    if (drawn) {
        struct drawing drawing = {&scale, 18};
        int height = drawn * MAP_ROW + 26;
        plot_begin(page, figure, "m", height);
        fputs("Darker: more inputs of the binade of |x|, from 1 to 10^6 and more.</title>",
              page->stream);
        each_row(page, figure, draw_row, &drawing);
        plot_powers(page, &scale, height - 8);
        fputs("</svg>\n", page->stream);
    }
    each_row(page, figure, name_empty, &named);
    if (named)
        fputs(".</p>\n", page->stream);
}
