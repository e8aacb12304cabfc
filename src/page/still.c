/* The envelope of the signed error as a picture: what one sees where scripts are off. envelope.js puts its
 * own, which can be zoomed into, in this one's place. */
#include "page/plot.h"

#include "base/memory.h"
#include "format/text.h"
#include "sweep/tally_record.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Columns of a picture, and of all pictures of a page, so that pages of many functions stay small. */
enum { MOST_COLUMNS = 340, LEAST_COLUMNS = 60, COLUMNS_OF_PAGE = 40000 };

struct column {
    bool any;
    double low, high; /* ulps */
};

/* Places on the number line: 0 for the first code, 1 below it for -0 or the first negative number. */
struct axis {
    const struct format *format;
    double first, end; /* of all steps */
    double top;        /* the largest error; a logarithmic axis where it is beyond 4 */
    int columns;
};

static const cJSON *envelope_of(const struct series *series) {
    return series->one->provided ? json_get(series->one->json, "envelope") : NULL;
}

typedef void visit_step(double place, double size, const struct envelope_step *step, void *context);

static void each_step(const struct format *format, const cJSON *item, visit_step *visit,
                      void *context) {
    struct envelope envelope;
    if (!envelope_take(item, &envelope))
        memory_exhausted();
    double size = ldexp(1, envelope.log2_codes);
    for (unsigned run = 0; run < envelope.run_count; run++)
        for (uint64_t i = 0; i < envelope_run_steps(&envelope, run); i++) {
            uint64_t code = (envelope.runs[run].first_step + i) << envelope.log2_codes;
            double place = (double)format_magnitude(format, code);
            visit(format_is_negative(format, code) ? -place - size : place, size,
                  &envelope.steps[envelope.runs[run].before + i], context);
        }
    envelope_close(&envelope);
}

static void widen(double place, double size, const struct envelope_step *step, void *context) {
    struct axis *axis = context;
    axis->first = fmin(axis->first, place);
    axis->end = fmax(axis->end, place + size);
    if (step->has_error)
        axis->top = fmax(axis->top, fmax(-step->least, step->largest) * 1.05);
}

struct filling {
    const struct axis *axis;
    struct column *columns;
};

static void fill(double place, double size, const struct envelope_step *step, void *context) {
    struct filling *filling = context;
    const struct axis *axis = filling->axis;
    double scale = axis->columns / (axis->end - axis->first);
    if (!step->has_error)
        return;
    int from = (int)floor((place - axis->first) * scale);
    int to = (int)ceil((place + size - axis->first) * scale);
    for (int i = from; i < to && i < axis->columns; i++) {
        struct column *column = &filling->columns[i];
        column->low = fmin(column->low, step->least);
        column->high = fmax(column->high, step->largest);
        column->any = true;
    }
}

static double bent(const struct axis *axis, double error) {
    return axis->top > 4 ? copysign(log2(1 + fabs(error)), error) : error;
}

static double y_of(const struct axis *axis, double error) {
    return PLOT_TOP + PLOT_HEIGHT * (1 - bent(axis, error) / bent(axis, axis->top)) / 2;
}

static double x_of(const struct axis *axis, int column) {
    return PLOT_LEFT + (double)column / axis->columns * (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT);
}

/* The shape of columns from `from` to before `to`: above from left to right, and back below. */
static void print_shape(const struct page *page, const struct axis *axis,
                        const struct column *columns, int from, int to) {
    double low = 0;
    fprintf(page->stream, "M%.1f %.1f", x_of(axis, from), y_of(axis, columns[from].low));
    for (int i = from; i < to; i++)
        if (i == from || columns[i].high != columns[i - 1].high)
            fprintf(page->stream, "%s%.1fV%.1f", "H", x_of(axis, i), y_of(axis, columns[i].high));
    fprintf(page->stream, "H%.1f", x_of(axis, to));
    for (int i = to - 1; i >= from; i--) {
        if (i < to - 1 && columns[i].low == low)
            continue;
        low = columns[i].low;
        fprintf(page->stream, "H%.1fV%.1f", x_of(axis, i + 1),
                fmax(y_of(axis, low), y_of(axis, columns[i].high) + 0.8));
    }
    fprintf(page->stream, "H%.1fz", x_of(axis, from));
}

static bool print_series(const struct page *page, const struct axis *axis,
                         const struct series *series) {
    struct column *columns = calloc((size_t)axis->columns, sizeof *columns);
    if (!columns)
        return false;
    for (int i = 0; i < axis->columns; i++)
        columns[i] = (struct column){.low = DBL_MAX, .high = -DBL_MAX};
    each_step(axis->format, envelope_of(series), fill, &(struct filling){axis, columns});
    fputs("<path", page->stream);
    plot_class(page, series, "area");
    fputs(" d=\"", page->stream);
    for (int i = 0, from = 0; i <= axis->columns; i++)
        if (i == axis->columns || !columns[i].any) {
            if (i > from)
                print_shape(page, axis, columns, from, i);
            from = i + 1;
        }
    fputs("\"/>", page->stream);
    free(columns);
    return true;
}

static void print_heights(const struct page *page, const struct axis *axis) {
    const double most = axis->top > 4 ? axis->top / 1.05 : axis->top > 1.1 ? 1 : 0.5;
    const double heights[] = {-most, -most / 2, 0, most / 2, most};
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++)
        fprintf(page->stream,
                "<path class=\"g\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                "class=\"e\">%.3g</text>",
                PLOT_LEFT, y_of(axis, heights[i]), PLOT_WIDTH - PLOT_RIGHT, PLOT_LEFT - 6,
                y_of(axis, heights[i]) + 4, heights[i]);
}

/* The numbers at the ends and in the middle. */
static void print_places(const struct page *page, const struct axis *axis) {
    static const char *const anchors[] = {"", "m", "e"};
    const double most = 0x1.fffffffffffffp62; /* below the sign of fp64 */
    for (int i = 0; i < 3; i++) {
        double place = floor(axis->first + (axis->end - axis->first) * i / 2);
        place = i == 2 ? axis->end - 1 : place;
        uint64_t code = place < 0 ? axis->format->sign_bit | (uint64_t)fmin(-place - 1, most)
                                  : (uint64_t)fmin(place, most);
        struct real real = format_decode(axis->format, code & format_mask(axis->format));
        double value = real_to_double(&real);
        char text[32];
        snprintf(text, sizeof text, isnan(value) ? "NaN" : "%.4g", value);
        fprintf(page->stream, "<text x=\"%.1f\" y=\"%d\" class=\"%s\">%s</text>",
                x_of(axis, axis->columns * i / 2), PLOT_TOP + PLOT_HEIGHT + 16, anchors[i], text);
    }
}

static int count_envelopes(const struct page *page) {
    int count = 0;
    for (size_t i = 0; i < page->figure_count; i++)
        for (size_t j = 0; j < page->figures[i].series_count; j++)
            count += envelope_of(&page->figures[i].series[j]) != NULL;
    return count;
}

void plot_still(const struct page *page, const struct figure *figure, const struct format *format) {
    struct axis axis = {.format = format, .first = DBL_MAX, .end = -DBL_MAX, .top = 0.55};
    axis.columns = COLUMNS_OF_PAGE / (count_envelopes(page) + 1);
    axis.columns = axis.columns > MOST_COLUMNS    ? MOST_COLUMNS
                   : axis.columns < LEAST_COLUMNS ? LEAST_COLUMNS
                                                  : axis.columns;
    for (size_t i = 0; i < figure->series_count; i++)
        if (envelope_of(&figure->series[i]))
            each_step(format, envelope_of(&figure->series[i]), widen, &axis);
    fputs("<h4>Signed error over the inputs, in their order on the number line</h4>", page->stream);
    plot_begin(page, figure, "v", PLOT_TOP + PLOT_HEIGHT + PLOT_BOTTOM);
    fputs("The least and the largest signed error over the inputs; scripts are off, with which one "
          "could zoom into it.</title>",
          page->stream);
    print_heights(page, &axis);
    print_places(page, &axis);
    plot_axis_title(page,
                    axis.top > 4 ? "error in ulps, logarithmic, over x" : "error in ulps, over x");
    for (size_t i = 0; i < figure->series_count; i++)
        if (envelope_of(&figure->series[i]))
            print_series(page, &axis, &figure->series[i]);
    fputs("</svg>\n", page->stream);
}
