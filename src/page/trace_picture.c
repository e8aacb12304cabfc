/* The line of operations, and the histogram of one, as SVG. */
#include "page/trace_picture.h"

#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 760,
    LEFT = 60,    /* where the line begins */
    BOTTOM = 200, /* where it is */
    TOP = 40,     /* where the highest line is */
    MOST_PLACES = 200,
    BAR = 16, /* of a histogram: its height */
    BAR_LEFT = 150,
    BAR_WIDTH = 480
};

/* What is only there, behind the last operation here, stands at the end; a document may say anything. */
static double x_of(const struct trace_comparison *comparison, const struct trace_row *row) {
    const uint64_t all = comparison->here.operations ? comparison->here.operations : 1;
    const uint64_t at = row->here < all ? row->here : all - 1;
    return LEFT + (WIDTH - LEFT - 10.0) * ((double)at + 0.5) / (double)all;
}

/* 0 for what is not known; then a step for each power of two. */
static int height_of(const struct trace_row *row) {
    int height = 1;
    if (!row->elements)
        return 0;
    for (uint64_t rest = row->largest; rest > 1; rest >>= 1)
        height++;
    return height;
}

/* The powers of two that there is room for: up to those of the run, by tens. */
static int powers_of(const struct trace_comparison *comparison) {
    int highest = 1;
    for (unsigned i = 0; i < comparison->row_count; i++)
        highest =
            height_of(&comparison->rows[i]) > highest ? height_of(&comparison->rows[i]) : highest;
    return (highest + 8) / 10 * 10 + (highest < 2 ? 10 : 0);
}

/* What is known begins a little above the line. */
static double y_of(int height, int powers) {
    const double first = BOTTOM - 10;
    return height ? first - (first - TOP) * (height - 1) / powers : BOTTOM;
}

bool trace_has_place(const struct trace_row *row, unsigned number) {
    return number < MOST_PLACES && row->verdict != TRACE_EQUAL && row->verdict != TRACE_FOLLOWED &&
           row->verdict != TRACE_NOT_COMPARED;
}

/* What the colours are. */
static int colour_of(unsigned verdict) {
    return verdict == TRACE_PARTED         ? 1
           : verdict == TRACE_FOLLOWED     ? 7
           : verdict == TRACE_OTHER_INPUTS ? 3
           : verdict == TRACE_UNCLEAR      ? 6
                                           : 5;
}

static void print_dot(const struct page *page, const struct trace_comparison *comparison,
                      const struct trace_row *row, int powers, unsigned place) {
    FILE *stream = page->stream;
    const bool has_place = trace_has_place(row, place);
    if (has_place)
        fprintf(stream, "<a href=\"#o%u\">", place);
    fprintf(stream, "<circle class=\"mark c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>",
            colour_of(row->verdict), x_of(comparison, row), y_of(height_of(row), powers),
            row->verdict == TRACE_FOLLOWED ? 2 : 5);
    page_text(page, *row->path ? row->path : row->name);
    fputs(", ", stream);
    page_text(page, row->name);
    fprintf(stream, ", %s", trace_verdict_names[row->verdict]);
    if (row->elements)
        fprintf(stream, ", up to %" PRIu64 " ulps", row->largest);
    fprintf(stream, "</title></circle>%s\n", has_place ? "</a>" : "");
}

/* Of those without a section each column has the farthest: a run may have a hundred thousand of them. */
static void print_others(const struct page *page, const struct trace_comparison *comparison,
                         int powers, bool followed) {
    const struct trace_row *farthest[WIDTH + 1] = {NULL};
    unsigned place = 0;
    for (unsigned i = 0; i < comparison->row_count; i++) {
        const struct trace_row *row = &comparison->rows[i];
        const int column = (int)x_of(comparison, row);
        const bool has_place = trace_has_place(row, place),
                   is_drawn = followed ? row->verdict == TRACE_FOLLOWED
                                       : !has_place && trace_has_place(row, 0);
        place += has_place;
        if (is_drawn && (!farthest[column] || height_of(row) > height_of(farthest[column])))
            farthest[column] = row;
    }
    for (int column = 0; column <= WIDTH; column++)
        if (farthest[column])
            print_dot(page, comparison, farthest[column], powers, MOST_PLACES);
}

static void print_axes(const struct page *page, const struct trace_comparison *comparison,
                       int powers) {
    FILE *stream = page->stream;
    fprintf(stream, "<path class=\"g\" d=\"M%d %dH%d\"/>", LEFT, BOTTOM, WIDTH - 10);
    for (int power = 0; power <= powers; power += 10) {
        const double y = y_of(power + 1, powers);
        char says[16] = "1 ulp";
        if (power)
            snprintf(says, sizeof says, "2^%d", power);
        fprintf(stream,
                "<path class=\"g\" d=\"M%d %.1fH%d\"/><text class=\"e\" x=\"%d\" y=\"%.1f\">%s"
                "</text>",
                LEFT, y, WIDTH - 10, LEFT - 6, y + 4, says);
    }
    fprintf(stream,
            "<text x=\"%d\" y=\"%d\">operation 0</text><text class=\"e\" x=\"%d\" y=\"%d\">%s"
            "</text>\n",
            LEFT, BOTTOM + 18, WIDTH - 10, BOTTOM + 18,
            text_grouped(comparison->here.operations ? comparison->here.operations - 1 : 0,
                         (char[32]){0}));
}

static void print_legend(const struct page *page) {
    static const unsigned verdicts[] = {TRACE_PARTED, TRACE_FOLLOWED, TRACE_OTHER_INPUTS,
                                        TRACE_UNCLEAR, TRACE_HERE_ALONE};
    static const char *const says[] = {"parted by itself", "followed", "other inputs", "unclear",
                                       "without a partner"};
    fputs("<p class=\"legend\">", page->stream);
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        fprintf(page->stream,
                "<span><svg viewBox=\"0 0 36 10\" class=\"key\" aria-hidden=\"true\"><circle "
                "class=\"mark c%d\" cx=\"18\" cy=\"5\" r=\"4\"/></svg>%s</span> ",
                colour_of(verdicts[i]), says[i]);
    fputs("</p>\n", page->stream);
}

void trace_picture(const struct page *page, const struct trace_comparison *comparison) {
    const int powers = powers_of(comparison);
    unsigned place = 0;
    print_legend(page);
    fprintf(
        page->stream,
        "<svg viewBox=\"0 0 %d %d\" role=\"group\"><title>The operations of the run from left to "
        "right, and how far their outputs are apart, upwards</title>\n",
        WIDTH, BOTTOM + 26);
    print_axes(page, comparison, powers);
    print_others(page, comparison, powers, true);
    print_others(page, comparison, powers, false);
    for (unsigned i = 0; i < comparison->row_count; i++)
        if (trace_has_place(&comparison->rows[i], place)) {
            print_dot(page, comparison, &comparison->rows[i], powers, place);
            place++;
        }
    fputs("</svg>\n", page->stream);
}

void trace_histogram(const struct page *page, const struct trace_row *row) {
    uint64_t most = 1;
    for (unsigned i = 0; i < row->ulps_count; i++)
        most = row->ulps[i].count > most ? row->ulps[i].count : most;
    fprintf(page->stream,
            "<svg viewBox=\"0 0 %d %u\" role=\"img\"><title>Elements by their distance in "
            "ulps</title>\n",
            WIDTH, BAR * (row->ulps_count + 1));
    for (unsigned i = 0; i < row->ulps_count; i++) {
        const int y = BAR * (int)i + 8;
        const double width = BAR_WIDTH * (double)row->ulps[i].count / (double)most;
        fprintf(page->stream, "<text class=\"e\" x=\"%d\" y=\"%d\">", BAR_LEFT - 8, y + 10);
        page_text(page, row->ulps[i].ulps);
        fprintf(page->stream,
                "%s</text><rect class=\"area c1\" x=\"%d\" y=\"%d\" width=\"%.1f\" "
                "height=\"%d\"/><text x=\"%.1f\" y=\"%d\">%s</text>\n",
                strcmp(row->ulps[i].ulps, "1") == 0 ? " ulp" : " ulps", BAR_LEFT, y,
                width < 1 ? 1 : width, BAR - 4, BAR_LEFT + width + 6, y + 10,
                text_grouped(row->ulps[i].count, (char[32]){0}));
    }
    fputs("</svg>\n", page->stream);
}
