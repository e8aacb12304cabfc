/* What the plots share: the size of a picture and where values lie in it. */
#ifndef DETCHECK_PAGE_PLOT_H
#define DETCHECK_PAGE_PLOT_H

#include "page/figure.h"

#include "format/format.h"

/* In units of the picture. */
enum {
    PLOT_WIDTH = 760,
    PLOT_LEFT = 56,
    PLOT_RIGHT = 30,
    PLOT_TOP = 10,
    PLOT_HEIGHT = 200,
    PLOT_BOTTOM = 34
};

struct scale {
    double x_low, x_high; /* ends of the x axis; a step is 1 wide */
    double y_low, y_high;
    bool logarithmic; /* y */
};

/* The exponents and errors that a figure spans; false where it has none. */
bool plot_find_scale(const struct figure *figure, struct scale *scale);

double plot_x(const struct scale *scale, double x);
double plot_y(const struct scale *scale, double y);

/* A path in tenths of a pixel, relative, so that it is short. */
struct plot_path {
    FILE *stream;
    int x, y; /* in tenths; y is INT_MIN before the first step */
    int end;  /* of the last step */
};

void plot_path_step(struct plot_path *path, double from, double to, double height);
void plot_path_end(struct plot_path *path);

/* The attribute that gives a path the colour of a series' implementation and the dashes of its report:
 * a line ("l") or an area ("area"). */
void plot_class(const struct page *page, const struct series *series, const char *kind);

/* Lines and numbers of errors at the left, and what stands below the x axis. */
void plot_error_axis(const struct page *page, const struct scale *scale);
void plot_axis_title(const struct page *page, const char *title);

/* The envelope of the signed error as a picture, in the format of the inputs. */
void plot_still(const struct page *page, const struct figure *figure, const struct format *format);

/* Opens the picture and its title, which the caller writes and closes. */
void plot_begin(const struct page *page, const struct figure *figure, const char *kind, int height);

/* Twelve powers of two at most, below the places where they begin. */
void plot_powers(const struct page *page, const struct scale *scale, int y);

/* An array of a series' report; NULL where there is none. */
const cJSON *plot_rows(const struct series *series, const char *name);

#endif
