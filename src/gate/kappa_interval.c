/* Reading intervals. Their ends are compared exactly with the numbers of the format. */
#include "gate/kappa_interval.h"

#include "gate/kappa_words.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

/* An end that no MPFR number of END_PRECISION bits is becomes the next one inside of the interval. No format has a
 * number between the two. */
enum { END_PRECISION = 256, NUMBER_ROOM = 32 };

static const char wanted[] =
    "wanted one { interval: '[ -1, 2.5 )', kappa: 1 } with numbers or Inf at the ends and a whole "
    "number, .inf or .nan";

/* YAML writes them in three ways. */
static const struct {
    const char *name;
    double kappa;
} words[] = {{".inf", INFINITY}, {".Inf", INFINITY}, {".INF", INFINITY},
             {".nan", NAN},      {".NaN", NAN},      {".NAN", NAN}};

bool kappa_number(const char *text, double *kappa) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i].name) == 0) {
            *kappa = words[i].kappa;
            return true;
        }
    const size_t digits = strspn(text, "0123456789");
    if (!digits || text[digits] || digits >= NUMBER_ROOM)
        return false;
    *kappa = strtod(text, NULL);
    return true;
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

/* One of the characters. */
static bool take_one(const char **at, const char *characters, char *taken) {
    *at += strspn(*at, " ");
    if (!**at || !strchr(characters, **at))
        return false;
    *taken = *(*at)++;
    return true;
}

struct end {
    mpfr_t value;
    int inexact;
};

/* A decimal or hexadecimal number, or Inf, with or without a sign. */
static bool take_end(const char **at, mpfr_rnd_t inward, struct end *end) {
    *at += strspn(*at, " ");
    const char *number = *at + (**at == '-' || **at == '+');
    const bool infinite = strncmp(number, "Inf", 3) == 0 && !isalnum((unsigned char)number[3]);
    if (!infinite && !isdigit((unsigned char)*number))
        return false;
    char *after;
    end->inexact = mpfr_strtofr(end->value, *at, &after, 0, inward);
    if (!infinite && memchr(number, '@', (size_t)(after - number))) /* MPFR's own exponents */
        return false;
    *at = infinite ? number + 3 : after;
    return !isalnum((unsigned char)**at);
}

/* The ordinals of the format's numbers between the ends. What is rounded inward is no end itself, so that its bracket
 * says nothing. */
static const char *set_ends(struct end *low, const struct end *high, bool open, bool closed,
                            struct declared_kappa *item) {
    int order = mpfr_cmp(low->value, high->value);
    if (low->inexact && high->inexact && order > 0) { /* as [ 0.1, 0.1 ] has them */
        mpfr_nextbelow(low->value);
        order = mpfr_cmp(low->value, high->value);
        mpfr_nextabove(low->value);
    }
    if (order > 0 || (order == 0 && !low->inexact && (open || !closed)))
        return "the interval is empty: wanted the lower end first, and [ ] around a single number";
    item->first = first_from(item->format, low->value, !low->inexact && open);
    item->last = first_from(item->format, high->value, high->inexact || closed) - 1;
    return NULL;
}

static const char *take_interval(const char *at, struct end *low, struct end *high,
                                 struct declared_kappa *item) {
    char quote, open, close, closing_quote, room[NUMBER_ROOM];
    if (!kappa_take(&at, "{") || !kappa_take(&at, "interval: ") || !take_one(&at, "'\"", &quote))
        return wanted;
    const char *start = at += strspn(at, " ");
    if (!take_one(&at, "[(", &open) || !take_end(&at, MPFR_RNDU, low) || !kappa_take(&at, ",") ||
        !take_end(&at, MPFR_RNDD, high) || !take_one(&at, "])", &close))
        return wanted;
    const size_t length = (size_t)(at - start);
    if (!take_one(&at, "'\"", &closing_quote) || closing_quote != quote || !kappa_take(&at, ",") ||
        !kappa_take(&at, "kappa: "))
        return wanted;
    at += strspn(at, " ");
    const size_t size = strcspn(at, " }");
    if (size >= sizeof room)
        return wanted;
    memcpy(room, at, size);
    room[size] = '\0';
    at += size;
    if (!kappa_number(room, &item->kappa) || !kappa_take(&at, "}") || *at)
        return wanted;
    item->whole = false;
    item->interval = strndup(start, length);
    return item->interval ? set_ends(low, high, open == '(', close == ']', item) : "out of memory";
}

const char *kappa_interval(const char *text, struct declared_kappa *item) {
    struct end low, high;
    mpfr_init2(low.value, END_PRECISION);
    mpfr_init2(high.value, END_PRECISION);
    const char *wrong = take_interval(text, &low, &high, item);
    mpfr_clear(low.value);
    mpfr_clear(high.value);
    return wrong;
}
