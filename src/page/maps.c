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
        double count = plot_number(row, member), exponent = plot_number(row, "exponent");
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

static void print_map_label(const struct page *page, int top, const char *before, const char *name,
                            const char *letters) {
    fprintf(page->stream, "<text x=\"%d\" y=\"%d\">%s", PLOT_LEFT, top - 3, before);
    page_text(page, name);
    fprintf(page->stream, " %s</text><path class=\"b\" d=\"M%d %dH%dv14H%d\"/>", letters, PLOT_LEFT,
            top, PLOT_WIDTH - PLOT_RIGHT, PLOT_LEFT);
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

static bool is_first_of_result(const struct figure *figure, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (figure->series[i].result == figure->series[at].result)
            return false;
    return true;
}

static size_t map_rows(const struct figure *figure) {
    size_t rows = 0;
    for (size_t i = 0; i < figure->series_count; i++) {
        const cJSON *pair;
        rows += figure->series[i].one->provided;
        if (is_first_of_result(figure, i))
            cJSON_ArrayForEach(pair, cJSON_GetObjectItemCaseSensitive(
                                         figure->series[i].result->json, "differences")) rows +=
                against_libm(pair);
    }
    return rows;
}

enum { MAP_ROW = 34 };

static int print_incorrect_maps(const struct page *page, const struct figure *figure,
                                const struct scale *scale, int top) {
    char letters[64];
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        if (!series->one->provided)
            continue;
        print_map_label(page, top, "not correctly rounded: ", series->one->name,
                        series_letters(page, series, letters));
        print_map_row(page, scale, plot_rows(series, "by_binade"), "incorrect", top);
        top += MAP_ROW;
    }
    return top;
}

static void print_difference_maps(const struct page *page, const struct figure *figure,
                                  const struct scale *scale, int top) {
    char letters[64];
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        const cJSON *pair;
        if (!is_first_of_result(figure, i))
            continue;
        cJSON_ArrayForEach(pair,
                           cJSON_GetObjectItemCaseSensitive(series->result->json, "differences")) {
            if (!against_libm(pair))
                continue;
            print_map_label(page, top, "differs from libm: ", partner(pair),
                            series_letters(page, series, letters));
            print_map_row(page, scale, cJSON_GetObjectItemCaseSensitive(pair, "by_binade"), "count",
                          top);
            top += MAP_ROW;
        }
    }
}

void plot_maps(const struct page *page, const struct figure *figure) {
    struct scale scale;
    size_t rows = map_rows(figure);
    if (!plot_find_scale(figure, &scale) || !rows)
        return;
    int height = (int)rows * MAP_ROW + 26;
    fputs("<h4>Where outputs are not correctly rounded, and where they differ from libm</h4>",
          page->stream);
    plot_begin(page, figure, "m", height);
    fputs("Darker: more inputs of the binade of |x|, from 1 to 10^6 and more.</title>",
          page->stream);
    print_difference_maps(page, figure, &scale, print_incorrect_maps(page, figure, &scale, 18));
    plot_powers(page, &scale, height - 8);
    fputs("</svg>\n", page->stream);
}
