/* The plots. Lines are drawn by steps, a step for each binade or bucket; colours come from the
 * style sheet, by the classes c0 to c7, and so do the dashes of the reports, d0 to d3. */
#include "page/plot.h"

#include "page/columns.h"
#include "report/text.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of more series none is held against all others. */
enum { COLOURS = 8, DASHES = 4, MOST_ALIKE = 64 };

double plot_x(const struct scale *scale, double x) {
    const double left = PLOT_LEFT, width = PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT;
    return left + (x - scale->x_low) / (scale->x_high - scale->x_low) * width;
}

double plot_y(const struct scale *scale, double y) {
    double low = scale->y_low, high = scale->y_high;
    if (scale->logarithmic) {
        y = log2(fmax(y, low));
        high = log2(high);
        low = log2(low);
    }
    double share = (fmin(fmax(y, low), high) - low) / (high - low);
    const double top = PLOT_TOP, height = PLOT_HEIGHT;
    return top + (1 - share) * height;
}

static int lowest_report(const struct series *series) {
    int report = 0;
    while (!(series->reports >> report & 1))
        report++;
    return report;
}

void plot_class(const struct page *page, const struct series *series, const char *kind) {
    fprintf(page->stream, " class=\"%s c%zu d%d\"", kind, series->colour % COLOURS,
            lowest_report(series) % DASHES);
}

static void print_tenths(FILE *stream, char letter, int tenths) {
    if (tenths % 10)
        fprintf(stream, "%c%s%d.%d", letter, tenths < 0 ? "-" : "", abs(tenths) / 10,
                abs(tenths) % 10);
    else
        fprintf(stream, "%c%d", letter, tenths / 10);
}

void plot_path_step(struct plot_path *path, double from, double to, double height) {
    int x = (int)lround(from * 10), end = (int)lround(to * 10), y = (int)lround(height * 10);
    if (path->y == INT_MIN || x != path->end) { /* a gap: a new line */
        if (path->y != INT_MIN && path->end != path->x)
            print_tenths(path->stream, 'h', path->end - path->x);
        print_tenths(path->stream, 'M', x);
        print_tenths(path->stream, ' ', y);
        path->x = x;
    } else if (y != path->y) {
        print_tenths(path->stream, 'h', path->end - path->x);
        print_tenths(path->stream, 'v', y - path->y);
        path->x = path->end;
    }
    path->y = y;
    path->end = end;
}

void plot_path_end(struct plot_path *path) {
    if (path->y != INT_MIN && path->end != path->x)
        print_tenths(path->stream, 'h', path->end - path->x);
}

void plot_begin(const struct page *page, const struct figure *figure, const char *kind,
                int height) {
    fprintf(page->stream, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"%s-",
            PLOT_WIDTH, height, kind);
    figure_print_id(page, figure);
    fprintf(page->stream, "\"><title id=\"%s-", kind);
    figure_print_id(page, figure);
    fputs("\">", page->stream);
}

static void print_y_line(const struct page *page, const struct scale *scale, double y,
                         const char *label) {
    double at = plot_y(scale, y);
    fprintf(page->stream,
            "<path class=\"g\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" class=\"e\">%s</text>",
            PLOT_LEFT, at, PLOT_WIDTH - PLOT_RIGHT, PLOT_LEFT - 6, at + 4, label);
}

/* A power as markup, for numbers too long for the margin. */
static const char *power_label(int base, int exponent, char text[64]) {
    snprintf(text, 64, "%d<tspan dy=\"-4\" class=\"s\">%d</tspan>", base, exponent);
    return text;
}

/* An odd one is left out on narrow screens. */
static void print_x_label(const struct page *page, double at, bool odd, const char *label) {
    fprintf(page->stream, "<text x=\"%.1f\" y=\"%d\" class=\"m%s\">%s</text>", at,
            PLOT_TOP + PLOT_HEIGHT + 16, odd ? " o" : "", label);
}

void plot_axis_title(const struct page *page, const char *title) {
    fprintf(page->stream, "<text x=\"%d\" y=\"%d\" class=\"m t\">%s</text>",
            (PLOT_LEFT + PLOT_WIDTH - PLOT_RIGHT) / 2, PLOT_TOP + PLOT_HEIGHT + 31, title);
}

const cJSON *plot_rows(const struct series *series, const char *name) {
    return json_get(series->one->json, name);
}

/* The first series whose curve has the same numbers, which may be this one. */
static size_t first_alike(const struct figure *figure, size_t at, const char *name) {
    const cJSON *rows = plot_rows(&figure->series[at], name);
    size_t first = figure->series_count > MOST_ALIKE ? at : 0;
    while (first < at &&
           !(rows && cJSON_Compare(rows, plot_rows(&figure->series[first], name), true)))
        first++;
    return first;
}

/* Which implementations share a line, which is drawn once. */
static void print_alike(const struct page *page, const struct figure *figure, const char *name) {
    char letters[64];
    for (size_t i = 0; i < figure->series_count && figure->series_count <= MOST_ALIKE; i++) {
        size_t alike = 0;
        for (size_t j = i + 1; j < figure->series_count; j++) {
            if (first_alike(figure, i, name) != i || first_alike(figure, j, name) != i)
                continue;
            for (size_t k = alike ? j : i; k <= j; k += j - i) {
                fputs(alike ? ", " : "<p class=\"told\">One line for ", page->stream);
                page_text(page, figure->series[k].one->name);
                fprintf(page->stream, "%s%s", page->report_count > 1 ? " " : "",
                        series_letters(page, &figure->series[k], letters));
                alike++;
            }
        }
        if (alike)
            fputs(": their numbers are the same.</p>\n", page->stream);
    }
}

bool plot_find_scale(const struct figure *figure, struct scale *scale) {
    double low = DBL_MAX, high = -DBL_MAX, most = 0;
    for (size_t i = 0; i < figure->series_count; i++) {
        const cJSON *row;
        cJSON_ArrayForEach(row, plot_rows(&figure->series[i], "by_binade")) {
            low = fmin(low, json_number(row, "exponent"));
            high = fmax(high, json_number(row, "exponent"));
            most = fmax(most, json_number(row, "max_ulp"));
        }
    }
    *scale = (struct scale){.x_low = low, .x_high = high + 1, .y_high = fmax(most * 1.05, 0.6)};
    scale->logarithmic = most > 4;
    if (scale->logarithmic)
        scale->y_low = 0x1p-4;
    return low <= high;
}

void plot_error_axis(const struct page *page, const struct scale *scale) {
    char label[64];
    if (!scale->logarithmic) {
        double step = scale->y_high > 2 ? 0.5 : scale->y_high > 1 ? 0.25 : 0.125;
        for (double y = 0; y <= scale->y_high; y += step) {
            snprintf(label, sizeof label, "%g", y);
            print_y_line(page, scale, y, label);
        }
        return;
    }
    int low = (int)floor(log2(scale->y_low)), high = (int)floor(log2(scale->y_high));
    int step = (high - low) / 8 + 1;
    for (int power = low; power <= high; power += step) {
        if (power < 14 && power > -4) /* at most four digits fit on narrow screens */
            snprintf(label, sizeof label, "%g", ldexp(1, power));
        else
            power_label(2, power, label);
        print_y_line(page, scale, ldexp(1, power), label);
    }
}

void plot_powers(const struct page *page, const struct scale *scale, int y) {
    double span = scale->x_high - scale->x_low;
    int step = 1;
    while (span / step > 12)
        step *= 2;
    for (int e = (int)ceil(scale->x_low / step) * step; e < scale->x_high; e += step)
        fprintf(page->stream,
                "<text x=\"%.1f\" y=\"%d\" class=\"m%s\">2<tspan dy=\"-4\" "
                "class=\"s\">%d</tspan></text>",
                plot_x(scale, e), y, span / step > 7 && e / step % 2 ? " o" : "", e);
}

static void describe_largest(const struct page *page, const struct figure *figure) {
    char letters[64], error[32];
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        if (!series->one->max)
            continue;
        const cJSON *row, *peak = NULL;
        cJSON_ArrayForEach(
            row, plot_rows(series, "by_binade")) if (!peak || json_number(row, "max_ulp") >
                                                                  json_number(peak, "max_ulp"))
            peak = row;
        fputs(" ", page->stream);
        page_text(page, series->one->name);
        fprintf(page->stream, " %s: at most %s ulp, where x lies between 2^%g and 2^%g.",
                series_letters(page, series, letters), text_error(series->one->max_ulp, 6, error),
                json_number(peak, "exponent"), json_number(peak, "exponent") + 1);
    }
}

void plot_errors(const struct page *page, const struct figure *figure) {
    struct scale scale;
    if (!plot_find_scale(figure, &scale))
        return;
    fputs("<h4>Largest error over the inputs</h4>", page->stream);
    plot_begin(page, figure, "e", PLOT_TOP + PLOT_HEIGHT + PLOT_BOTTOM);
    fputs("Largest error in ulps by the binade of the first operand.", page->stream);
    describe_largest(page, figure);
    fputs("</title>", page->stream);
    plot_error_axis(page, &scale);
    plot_powers(page, &scale, PLOT_TOP + PLOT_HEIGHT + 16);
    plot_axis_title(page, "largest error in ulps, by the binade of |x|");
    for (size_t i = 0; i < figure->series_count; i++) {
        const cJSON *row;
        if (first_alike(figure, i, "by_binade") != i)
            continue;
        fputs("<path", page->stream);
        plot_class(page, &figure->series[i], "l");
        fputs(" d=\"", page->stream);
        struct plot_path path = {.stream = page->stream, .y = INT_MIN};
        cJSON_ArrayForEach(row, plot_rows(&figure->series[i], "by_binade")) {
            double exponent = json_number(row, "exponent");
            plot_path_step(&path, plot_x(&scale, exponent), plot_x(&scale, exponent + 1),
                           plot_y(&scale, json_number(row, "max_ulp")));
        }
        plot_path_end(&path);
        fputs("\"/>", page->stream);
    }
    fputs("</svg>\n", page->stream);
    print_alike(page, figure, "by_binade");
}

static void print_columns(const struct page *page, const struct series *series,
                          const struct scale *scale) {
    double counts[COLUMNS];
    columns_of(plot_rows(series, "histogram"), counts);
    fputs("<path", page->stream);
    plot_class(page, series, "l");
    fputs(" d=\"", page->stream);
    struct plot_path path = {.stream = page->stream, .y = INT_MIN};
    for (int at = 0; at < (int)scale->x_high; at++)
        plot_path_step(&path, plot_x(scale, at), plot_x(scale, at + 1),
                       plot_y(scale, fmax(counts[at], 0.5)));
    plot_path_end(&path);
    fputs("\"/>", page->stream);
}

/* Columns behind the last one that holds anything are left out. */
static int find_used(const struct figure *figure, double *most) {
    int used = 0;
    for (size_t i = 0; i < figure->series_count; i++) {
        double counts[COLUMNS];
        columns_of(plot_rows(&figure->series[i], "histogram"), counts);
        int here = columns_used(counts);
        used = here > used ? here : used;
        for (int at = 0; at < here; at++)
            *most = fmax(*most, counts[at]);
    }
    return used;
}

/* Where the bins lie, for the script: their ends, and the left, right, upper and lower ends of all. */
static void print_bins(const struct page *page, int used) {
    fputs("<g class=\"bins\" data-ends=\"", page->stream);
    for (int at = 0; at < used; at++) {
        fputs(at ? " " : "", page->stream);
        if (at < COLUMNS - 1)
            fprintf(page->stream, "%.12g", column_end(at));
        else
            fputs("null", page->stream);
    }
    fprintf(page->stream, "\" data-frame=\"%d %d %d %d\"></g>", PLOT_LEFT, PLOT_WIDTH - PLOT_RIGHT,
            PLOT_TOP, PLOT_TOP + PLOT_HEIGHT);
}

/* The ends of columns; of many every second one, or every fourth, is left out. */
static void print_ends(const struct page *page, const struct scale *scale, int used) {
    for (int at = 0; at < used && at < COLUMNS - 1; at++) {
        char label[64];
        double end = column_end(at);
        if (end > 1024)
            power_label(2, ilogb(end), label);
        else
            snprintf(label, sizeof label, "%.4g", end);
        if (used < 14 || at % 2 == 0)
            print_x_label(page, plot_x(scale, at + 1), used > 7 && at % (used < 14 ? 2 : 4), label);
    }
}

void plot_histogram(const struct page *page, const struct figure *figure) {
    double most = 0;
    int used = find_used(figure, &most);
    if (!used)
        return;
    struct scale scale = {0, used, 0.5, most * 1.5, true};
    fputs("<h4>How many outputs have which error</h4>", page->stream);
    plot_begin(page, figure, "h", PLOT_TOP + PLOT_HEIGHT + PLOT_BOTTOM);
    fputs(
        "Number of outputs by their error in ulps, on a logarithmic scale; the table below has the "
        "numbers.</title>",
        page->stream);
    for (int power = 0; pow(10, power) <= scale.y_high; power += 2) {
        char label[64];
        double count = pow(10, power);
        print_y_line(page, &scale, count,
                     power > 3 ? power_label(10, power, label)
                               : text_grouped((uint64_t)count, label));
    }
    for (size_t i = 0; i < figure->series_count; i++)
        if (figure->series[i].one->provided && first_alike(figure, i, "histogram") == i)
            print_columns(page, &figure->series[i], &scale);
    print_ends(page, &scale, used);
    plot_axis_title(page, "error up to so many ulps");
    print_bins(page, used);
    fputs("</svg>\n", page->stream);
    print_alike(page, figure, "histogram");
}
