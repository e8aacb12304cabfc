/* The plots of errors over the length of arrays: of results that differ in nothing but their shape, in the section of the
 * first of them. */
#include "page/plot.h"

#include "report/text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LENGTHS = 64 };

/* What is drawn over the length: a picture each. */
static const struct picture {
    const char *kind, *heading, *title, *axis;
    const char *member; /* of an implementation; of its member `error` where it is an object */
} pictures[] = {
    {"n", "Largest error over the length", "Largest error in ulps by the length of the arrays.",
     "largest error in ulps, by the length", "max_ulp"},
    {"a", "Mean error over the length", "Mean error in ulps by the length of the arrays.",
     "mean error in ulps, by the length", "mean_ulp"}};

struct place {
    const struct figure *figure;
    double length;
};

/* The figures of one operation in ascending order of their lengths. */
struct lengths {
    struct place places[MOST_LENGTHS];
    size_t count;
};

static const cJSON *extents_of(const struct figure *figure) {
    const cJSON *shape = json_get(figure->result->given, "shape");
    return cJSON_IsArray(shape) ? shape : NULL;
}

static bool same_but_shape(const struct figure *a, const struct figure *b) {
    const struct read_result *x = a->result, *y = b->result;
    bool same = strcmp(x->operation, y->operation) == 0 && strcmp(x->format, y->format) == 0 &&
                strcmp(x->rounding, y->rounding) == 0 &&
                cJSON_GetArraySize(x->given) == cJSON_GetArraySize(y->given);
    const cJSON *one;
    cJSON_ArrayForEach(one, x->given) {
        const bool is_shape = strcmp(one->string, "shape") == 0;
        same = same && (is_shape || cJSON_Compare(one, json_get(y->given, one->string), true));
    }
    return same;
}

static double extent(const cJSON *shape, int axis) {
    const cJSON *one = cJSON_GetArrayItem(shape, axis);
    return cJSON_IsNumber(one) ? one->valuedouble : 1;
}

static double elements(const cJSON *shape) {
    double product = 1;
    for (int i = 0; i < cJSON_GetArraySize(shape); i++)
        product *= extent(shape, i);
    return product;
}

/* The one axis along which the shapes differ; -1 where they differ along several. */
static int axis_of(const struct lengths *all) {
    const cJSON *first = extents_of(all->places[0].figure);
    int axis = -1, differing = 0;
    for (int i = 0; i < cJSON_GetArraySize(first); i++) {
        bool differs = false;
        for (size_t k = 1; k < all->count; k++) {
            const cJSON *shape = extents_of(all->places[k].figure);
            if (cJSON_GetArraySize(shape) != cJSON_GetArraySize(first))
                return -1;
            differs = differs || extent(shape, i) != extent(first, i);
        }
        axis = differs ? i : axis;
        differing += differs;
    }
    return differing == 1 ? axis : -1;
}

static int by_length(const void *a, const void *b) {
    const double x = ((const struct place *)a)->length, y = ((const struct place *)b)->length;
    return (x > y) - (x < y);
}

/* False where the figure is not the first of several lengths. */
static bool find_lengths(const struct page *page, const struct figure *figure,
                         struct lengths *all) {
    all->count = 0;
    for (size_t i = 0; extents_of(figure) && i < page->figure_count; i++) {
        const struct figure *other = &page->figures[i];
        if (!extents_of(other) || !same_but_shape(figure, other) || !figure_has_outputs(other) ||
            other->series[0].one->kind != READ_JUDGED)
            continue;
        if (other < figure)
            return false;
        if (all->count < MOST_LENGTHS)
            all->places[all->count++].figure = other;
    }
    const int axis = all->count ? axis_of(all) : -1;
    for (size_t i = 0; i < all->count; i++) {
        const cJSON *shape = extents_of(all->places[i].figure);
        all->places[i].length = axis < 0 ? elements(shape) : extent(shape, axis);
    }
    qsort(all->places, all->count, sizeof *all->places, by_length);
    return all->count && all->places[0].length < all->places[all->count - 1].length;
}

/* Takes the series of a figure that has this colour at number `line`, or its last one; NULL where there is none. */
static const struct series *series_at(const struct figure *figure, size_t colour, size_t line,
                                      bool *is_there) {
    const struct series *found = NULL;
    *is_there = false;
    for (size_t i = 0; i < figure->series_count && !*is_there; i++)
        if (figure->series[i].colour == colour && figure->series[i].one->provided) {
            found = &figure->series[i];
            *is_there = !line--;
        }
    return found;
}

/* False where no output has an error. */
static bool value_of(const struct series *series, const struct picture *picture, double *value) {
    const cJSON *one = json_get(series->one->json, picture->member);
    *value = cJSON_IsObject(one) ? json_number(one, "error") : one ? one->valuedouble : 0;
    return series->one->tally.in_ulps;
}

static struct scale scale_of(const struct lengths *all, const struct picture *picture) {
    struct scale scale = {.x_low = floor(log2(all->places[0].length)),
                          .x_high = ceil(log2(all->places[all->count - 1].length))};
    double most = 0, value;
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->places[i].figure->series_count; k++)
            if (value_of(&all->places[i].figure->series[k], picture, &value))
                most = fmax(most, value);
    scale.x_high = fmax(scale.x_high, scale.x_low + 1);
    scale.y_high = fmax(most * 1.05, 0.6);
    scale.logarithmic = most > 4;
    scale.y_low = scale.logarithmic ? 0x1p-4 : 0;
    return scale;
}

/* Points with their numbers as titles, and the line through them. */
static void draw_line(const struct page *page, const struct lengths *all,
                      const struct picture *picture, const struct scale *scale, size_t colour,
                      size_t line) {
    const struct series *points[MOST_LENGTHS], *first = NULL;
    bool any = false, is_there;
    for (size_t i = 0; i < all->count; i++) {
        points[i] = series_at(all->places[i].figure, colour, line, &is_there);
        any = any || is_there;
        first = first ? first : points[i];
    }
    if (!any)
        return;
    char letter = 'M', error[32], letters[64];
    double value;
    fputs("<path", page->stream);
    plot_class(page, first, "l");
    fputs(" d=\"", page->stream);
    for (size_t i = 0; i < all->count; i++)
        if (points[i] && value_of(points[i], picture, &value)) {
            fprintf(page->stream, "%c%.1f %.1f", letter, plot_x(scale, log2(all->places[i].length)),
                    plot_y(scale, value));
            letter = 'L';
        }
    fputs("\"/>", page->stream);
    for (size_t i = 0; i < all->count; i++)
        if (points[i] && value_of(points[i], picture, &value)) {
            fprintf(page->stream,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" class=\"mark c%zu\"><title>",
                    plot_x(scale, log2(all->places[i].length)), plot_y(scale, value), colour % 8);
            page_text(page, points[i]->one->name);
            fprintf(page->stream, "%s%s, length %.0f: %s ulp</title></circle>",
                    page->report_count > 1 ? " " : "", series_letters(page, points[i], letters),
                    all->places[i].length, text_error(value, 6, error));
        }
}

void plot_lengths(const struct page *page, const struct figure *figure) {
    struct lengths all;
    if (!find_lengths(page, figure, &all))
        return;
    for (size_t k = 0; k < sizeof pictures / sizeof *pictures; k++) {
        const struct picture *picture = &pictures[k];
        const struct scale scale = scale_of(&all, picture);
        fprintf(page->stream, "<h4>%s</h4>", picture->heading);
        plot_begin(page, figure, picture->kind, PLOT_TOP + PLOT_HEIGHT + PLOT_BOTTOM);
        fprintf(page->stream, "%s</title>", picture->title);
        plot_error_axis(page, &scale);
        plot_powers(page, &scale, PLOT_TOP + PLOT_HEIGHT + 16);
        plot_axis_title(page, picture->axis);
        for (size_t colour = 0; colour < page->name_count; colour++)
            for (size_t line = 0; line < page->report_count; line++)
                draw_line(page, &all, picture, &scale, colour, line);
        fputs("</svg>\n", page->stream);
    }
}
