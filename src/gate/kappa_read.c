/* Reading a Kappas.yaml line by line. Ends of intervals are compared exactly with the numbers of the format. */
#include "gate/kappa_read.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An end that no MPFR number of END_PRECISION bits is becomes the next one inside of the interval. No format has a
 * number between the two. */
enum { LINE_ROOM = 1 << 16, END_PRECISION = 256 };

/* The text up to the closing '>' of the specialization. */
static void read_operation(const char *at, struct declared_kappa *item) {
    size_t used = 0;
    for (at += strspn(at, " \"'"); *at && used < KAPPA_NAME - 1; at++) {
        if (isspace((unsigned char)*at))
            continue;
        item->operation[used++] = (char)tolower((unsigned char)*at);
        if (*at == '>')
            break;
    }
    item->operation[used] = '\0';
    char name[KAPPA_NAME];
    const char *named = strchr(item->operation, '<');
    struct error unknown = {0};
    item->format = NULL;
    if (named && isdigit((unsigned char)named[1])) /* the size of blocks comes first */
        named = strchr(named, ',');
    if (named && sscanf(named + 1, "%[^,]", name) == 1)
        item->format = format_find(name, &unknown);
}

/* A number of steps, or YAML's .inf or .nan, with nothing behind it but the end of the mapping. */
static bool read_number(const char *kappa, double *number) {
    char *after;
    kappa += strspn(kappa, " ");
    const bool word = strncmp(kappa, ".inf", 4) == 0 || strncmp(kappa, ".nan", 4) == 0;
    if (!word && !isdigit((unsigned char)*kappa))
        return false;
    *number = strtod(kappa + word, &after);
    after += strspn(after, " }\r\n");
    return !*after;
}

/* YAML's comments begin at the line's head or behind a blank. */
static void cut_comment(char *line) {
    for (char *at = line; (at = strchr(at, '#')); at++)
        if (at == line || isblank((unsigned char)at[-1])) {
            *at = '\0';
            return;
        }
}

/* How the format's number of that ordinal compares with an end. */
static int compare(const struct format *format, int64_t ordinal, mpfr_srcptr end, mpfr_ptr number) {
    const struct real value = format_decode(format, format_from_ordinal(format, ordinal));
    real_to_mpfr(number, &value);
    return mpfr_cmp(number, end);
}

/* The least ordinal whose number is at least `end`, or more than it; one beyond the greatest where none is. */
static int64_t first_from(const struct format *format, mpfr_srcptr end, bool more) {
    int64_t beyond = (int64_t)format_greatest(format) + !format->has_zero + 1;
    int64_t least = format->sign_bit ? 1 - beyond : !format->has_zero;
    mpfr_t number;
    mpfr_init2(number, END_PRECISION);
    while (least < beyond) {
        const int64_t middle = least + (beyond - least) / 2;
        if (compare(format, middle, end, number) >= (more ? 1 : 0))
            beyond = middle;
        else
            least = middle + 1;
    }
    mpfr_clear(number);
    return least;
}

/* Reads a number, or Inf, and says which of the format's numbers is the first from there on, or behind it. */
static bool read_end(const char **at, const struct format *format, mpfr_rnd_t inward, bool behind,
                     int64_t *first) {
    char *after;
    mpfr_t end;
    mpfr_init2(end, END_PRECISION);
    *at += strspn(*at, " ");
    const int inexact = mpfr_strtofr(end, *at, &after, 0, inward);
    const bool good = after != *at && !mpfr_nan_p(end);
    /* What is rounded inward is no end itself, so that its brackets say nothing. */
    if (good && format)
        *first = first_from(format, end, inexact ? inward == MPFR_RNDD : behind);
    *at = after + strspn(after, " ");
    mpfr_clear(end);
    return good;
}

static bool read_interval(const char *line, struct declared_kappa *item) {
    const char *at = strstr(line, "interval:"), *kappa = strstr(line, "kappa:");
    int64_t beyond = 0;
    if (!at || !kappa || kappa < at || strstr(at + 1, "interval:"))
        return false; /* one on a line */
    at += strcspn(at, "[(");
    const char *start = at;
    const size_t length = strcspn(at, "])");
    if (!*at || !at[length] ||
        (at++, !read_end(&at, item->format, MPFR_RNDU, *start == '(', &item->first)) ||
        *at++ != ',' || !read_end(&at, item->format, MPFR_RNDD, start[length] == ']', &beyond) ||
        at != start + length || !read_number(kappa + strlen("kappa:"), &item->kappa))
        return false;
    item->last = beyond - 1;
    item->whole = false;
    item->interval = strndup(start, length + 1);
    return item->interval;
}

/* Takes over the item's text. */
static bool add_item(struct declared_kappas *kappas, struct declared_kappa *item,
                     struct error *error) {
    struct declared_kappa *more =
        realloc(kappas->items, (kappas->count + 1) * sizeof *kappas->items);
    if (!more) {
        free(item->interval);
        return error_set(error, "out of memory");
    }
    kappas->items = more;
    kappas->items[kappas->count++] = *item;
    item->interval = NULL;
    return true;
}

static bool read_lines(FILE *file, const char *path, struct declared_kappas *kappas,
                       struct error *error) {
    char line[LINE_ROOM];
    struct declared_kappa item = {0};
    for (size_t number = 1; fgets(line, sizeof line, file); number++) {
        if (!strchr(line, '\n') && !feof(file))
            return error_set(error, "%.200s, line %zu has more than %d characters", path, number,
                             LINE_ROOM - 2);
        cut_comment(line);
        if (sscanf(line, "  shard: \"%llu/%llu\"", &kappas->shard, &kappas->of) == 2)
            continue;
        if (strncmp(line, "  sweep: ", strlen("  sweep: ")) == 0 && !kappas->sweep &&
            !(kappas->sweep = strdup(line)))
            return error_set(error, "out of memory");
        const char *approximates = strstr(line, "Approximates:");
        if (approximates)
            read_operation(approximates + strlen("Approximates:"), &item);
        const char *text = line + strspn(line, " ");
        item.whole = strncmp(text, "Kappa:", strlen("Kappa:")) == 0;
        if (!item.whole && !strstr(line, "interval:"))
            continue;
        if (!*item.operation)
            return error_set(error, "%.200s, line %zu: an interval before any Approximates", path,
                             number);
        if (item.whole && !read_number(text + strlen("Kappa:"), &item.kappa))
            return error_set(error,
                             "%.200s, line %zu: wanted a number, .inf or .nan behind Kappa:", path,
                             number);
        if (!item.whole && !read_interval(line, &item))
            return error_set(
                error,
                "%.200s, line %zu: wanted one { interval: '[ -1, 2.5 )', kappa: 1 } with "
                "numbers or Inf at the ends and a number, .inf or .nan",
                path, number);
        if (!add_item(kappas, &item, error))
            return false;
    }
    if (ferror(file))
        return error_set(error, "cannot read %.200s: %s", path, strerror(errno));
    return kappas->count || kappas->of || error_set(error, "%.200s declares no kappa", path);
}

bool kappas_read(const char *path, struct declared_kappas *kappas, struct error *error) {
    FILE *file = fopen(path, "r");
    if (!file)
        return error_set(error, "cannot read %.200s: %s", path, strerror(errno));
    bool good = read_lines(file, path, kappas, error);
    fclose(file);
    return good;
}

void kappas_free(struct declared_kappas *kappas) {
    for (size_t i = 0; i < kappas->count; i++)
        free(kappas->items[i].interval);
    free(kappas->items);
    free(kappas->sweep);
}
