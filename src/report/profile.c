/* Drawing profiles. A column stands for one binade or several neighbours, a character for eight
 * steps of height. */
#include "report/profile.h"

#include "base/foreign.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

/* Behind 18 columns of the axis and its figure these make 80. */
enum { MOST_COLUMNS = 62, STEPS = 8 };

static const char *const blocks[STEPS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/* The columns of one tally. */
struct profile {
    int first, last; /* exponents */
    int columns;
    double largest[MOST_COLUMNS]; /* -1 where no input was tested */
    double top;
    bool logarithmic; /* from 2^-4 to the top, where errors are large */
};

static bool find_ends(const struct tally *tally, struct profile *profile) {
    int first = 0, last = tally->binade_count - 1;
    while (first <= last && !tally->binades[first].tested)
        first++;
    while (last >= first && !tally->binades[last].tested)
        last--;
    profile->first = tally->lowest_exponent + first;
    profile->last = tally->lowest_exponent + last;
    return first <= last;
}

/* The first column of a binade. */
static int column_of(const struct profile *profile, int exponent) {
    int span = profile->last - profile->first + 1;
    return (exponent - profile->first) * profile->columns / span;
}

static bool make_profile(const struct tally *tally, struct profile *profile) {
    *profile = (struct profile){0};
    if (!find_ends(tally, profile))
        return false;
    /* As the text has it: binades have errors that a double was reckoned for, this one is exact. */
    profile->top = tally->has_max ? tally->max.error : 0;
    int span = profile->last - profile->first + 1;
    profile->columns = span < MOST_COLUMNS ? MOST_COLUMNS / span * span : MOST_COLUMNS;
    for (int i = 0; i < profile->columns; i++)
        profile->largest[i] = -1;
    for (int e = profile->first; e <= profile->last; e++) {
        const struct binade_tally *binade = &tally->binades[e - tally->lowest_exponent];
        if (!binade->tested)
            continue;
        int column = column_of(profile, e);
        do
            profile->largest[column] = fmax(profile->largest[column], binade->max_error);
        while (++column < column_of(profile, e + 1));
    }
    return true;
}

/* One scale for all: it ends at the largest of them. */
static double find_top(const struct sweep_outcome *outcome, int results) {
    double top = 0;
    for (int result = 0; result < results; result++)
        for (size_t i = 0; i < outcome->implementation_count; i++) {
            struct profile profile;
            if (outcome->implementations[i].provided &&
                make_profile(&outcome->implementations[i].tallies[result], &profile))
                top = fmax(top, profile.top);
        }
    return top;
}

/* How high a column is, in steps out of `most`; a value above 0 is never drawn as none. */
static int height_of(const struct profile *profile, double value, int most) {
    if (value <= 0 || profile->top <= 0)
        return 0;
    double share =
        profile->logarithmic ? (log2(value) + 4) / (log2(profile->top) + 4) : value / profile->top;
    int height = (int)ceil(share * most - 1e-9);
    return height < 1 ? 1 : height > most ? most : height;
}

static void print_row(FILE *stream, const struct profile *profile, int row, int rows) {
    for (int i = 0; i < profile->columns; i++) {
        int steps = height_of(profile, profile->largest[i], rows * STEPS) - row * STEPS;
        fputs(blocks[steps < 0 ? 0 : steps > STEPS ? STEPS : steps], stream);
    }
}

static void print_axis(FILE *stream, const struct profile *profile) {
    char first[16], last[16];
    fprintf(stream, "    %12s └", profile->logarithmic ? "0.0625" : "0");
    int one = profile->first < 0 && profile->last > 0 ? column_of(profile, 0) : -1;
    for (int i = 0; i < profile->columns; i++)
        fputs(i == one ? "┴" : "─", stream);
    int left = snprintf(first, sizeof first, "2^%d", profile->first);
    int right = snprintf(last, sizeof last, "2^%d", profile->last);
    fprintf(stream, "\n%18s%s", "", first);
    int at = left;
    if (one > at + 1 && one + 5 < profile->columns - right) {
        fprintf(stream, "%*s2^0", one - at, "");
        at = one + 3;
    }
    if (profile->columns > at + right)
        fprintf(stream, "%*s%s", profile->columns - at - right, "", last);
    fputc('\n', stream);
}

static void print_plot(FILE *stream, const struct profile *profile, int rows) {
    char top[32];
    for (int row = rows - 1; row >= 0; row--) {
        fprintf(stream, "    %12s %s", row == rows - 1 ? text_error(profile->top, 6, top) : "",
                row == rows - 1 ? "┤" : "│");
        print_row(stream, profile, row, rows);
        fputc('\n', stream);
    }
    print_axis(stream, profile);
}

void profile_print(FILE *stream, const struct sweep_request *request,
                   const struct sweep_outcome *outcome, int rows) {
    char own[64];
    const double top = find_top(outcome, request->computed.operation->results);
    for (int result = 0; result < request->computed.operation->results; result++)
        for (size_t i = 0; i < outcome->implementation_count; i++) {
            const struct implementation_outcome *one = &outcome->implementations[i];
            struct profile profile;
            if (!one->provided || !make_profile(&one->tallies[result], &profile))
                continue;
            profile.top = top;
            profile.logarithmic = top > 4;
            const char *by = request->implementations[i].name;
            const char *name = operation_result_name(request->computed.operation, result, own);
            if (rows > 1) {
                fprintf(stream, "\n%s by %s: largest error in ulps of each binade of |x|%s\n", name,
                        FOREIGN(by), profile.logarithmic ? ", logarithmic" : "");
                print_plot(stream, &profile, rows);
            } else {
                fprintf(stream, "  %-12.12s %-5.5s ", name, by);
                print_row(stream, &profile, 0, 1);
                fputc('\n', stream);
            }
        }
}
