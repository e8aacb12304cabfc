/* Reading the lines of Kappas.yaml that say what is approximated, where, and by how much. */
#include "gate/kappa.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 1 << 16, NAME_ROOM = 256 };

/* One interval, closed at the ends where the brackets say so. NaN and infinity as kappa are above all numbers. */
struct declared_kappa {
    char operation[NAME_ROOM]; /* without spaces, in small letters: "exp<binary8p4se,...>" */
    long double low, high;
    bool open_low, open_high;
    bool whole; /* the largest of all operands, NaN among them: of no interval */
    double kappa;
};

struct declared_kappas {
    struct declared_kappa *items;
    size_t count;
    unsigned long long shard, of; /* 0: the whole */
    char *sweep;                  /* what was swept, as the file says; NULL: it does not */
};

static double rank(double kappa) {
    return isnan(kappa) ? INFINITY : isinf(kappa) ? 0x1p1000 : kappa;
}

/* The text up to the closing '>' of the specialization. */
static void read_operation(const char *at, char name[NAME_ROOM]) {
    size_t used = 0;
    for (at += strspn(at, " \"'"); *at && used < NAME_ROOM - 1; at++) {
        if (isspace((unsigned char)*at))
            continue;
        name[used++] = (char)tolower((unsigned char)*at);
        if (*at == '>')
            break;
    }
    name[used] = '\0';
}

static bool read_end(const char **at, long double *end) {
    char *after;
    *at += strspn(*at, " ");
    *end = strtold(*at, &after); /* "Inf" in any case too */
    if (after == *at)
        return false;
    *at = after + strspn(after, " ");
    return true;
}

static bool read_number(const char *kappa, double *number) {
    char *after;
    kappa += strspn(kappa, " ");
    if (*kappa == '.') /* YAML's .inf and .nan */
        kappa++;
    *number = strtod(kappa, &after);
    return after != kappa;
}

static bool read_interval(const char *line, struct declared_kappa *item) {
    const char *at = strstr(line, "interval:"), *kappa = strstr(line, "kappa:");
    if (!at || !kappa)
        return false;
    at += strcspn(at, "[(");
    item->open_low = *at == '(';
    if (!*at || (at++, !read_end(&at, &item->low)) || *at++ != ',' || !read_end(&at, &item->high) ||
        (*at != ']' && *at != ')'))
        return false;
    item->open_high = *at == ')';
    item->whole = false;
    return read_number(kappa + strlen("kappa:"), &item->kappa);
}

static bool add_item(struct declared_kappas *kappas, const struct declared_kappa *item,
                     struct error *error) {
    struct declared_kappa *more =
        realloc(kappas->items, (kappas->count + 1) * sizeof *kappas->items);
    if (!more)
        return error_set(error, "out of memory");
    kappas->items = more;
    kappas->items[kappas->count++] = *item;
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
        if (sscanf(line, "  shard: \"%llu/%llu\"", &kappas->shard, &kappas->of) == 2)
            continue;
        if (strncmp(line, "  sweep: ", strlen("  sweep: ")) == 0 && !kappas->sweep &&
            !(kappas->sweep = strdup(line)))
            return error_set(error, "out of memory");
        const char *approximates = strstr(line, "Approximates:");
        if (approximates)
            read_operation(approximates + strlen("Approximates:"), item.operation);
        const char *text = line + strspn(line, " ");
        item.whole = strncmp(text, "Kappa:", strlen("Kappa:")) == 0;
        if (!item.whole && !strstr(line, "interval:"))
            continue;
        if (!*item.operation)
            return error_set(error, "%.200s, line %zu: an interval before any Approximates", path,
                             number);
        if (item.whole && !read_number(text + strlen("Kappa:"), &item.kappa))
            return error_set(error, "%.200s, line %zu: wanted a number behind Kappa:", path,
                             number);
        if (!item.whole && !read_interval(line, &item))
            return error_set(error,
                             "%.200s, line %zu: wanted { interval: '[ -1, 2.5 )', kappa: 1 } with "
                             "numbers or Inf at the ends",
                             path, number);
        if (!add_item(kappas, &item, error))
            return false;
    }
    return kappas->count || kappas->of || error_set(error, "%.200s declares no kappa", path);
}

static bool read_kappas(const char *path, struct declared_kappas *kappas, struct error *error) {
    FILE *file = fopen(path, "r");
    if (!file)
        return error_set(error, "cannot read %.200s: %s", path, strerror(errno));
    bool good = read_lines(file, path, kappas, error);
    fclose(file);
    return good;
}

static bool meets(const struct declared_kappa *a, const struct declared_kappa *b) {
    const bool starts_before =
        a->low < b->high || (a->low == b->high && !a->open_low && !b->open_high);
    const bool ends_behind =
        a->high > b->low || (a->high == b->low && !a->open_high && !b->open_low);
    return starts_before && ends_behind;
}

static bool contains(const struct declared_kappa *all, long double number) {
    return (number > all->low || (number == all->low && !all->open_low)) &&
           (number < all->high || (number == all->high && !all->open_high));
}

static bool covers(const struct declared_kappas *declared, const struct declared_kappa *measured,
                   long double number) {
    for (size_t i = 0; i < declared->count; i++)
        if (!declared->items[i].whole &&
            strcmp(declared->items[i].operation, measured->operation) == 0 &&
            contains(&declared->items[i], number))
            return true;
    return false;
}

/* The measured kappa of all operands against the declared one, or the largest that is declared of an interval. */
static bool judge_whole(const struct declared_kappas *declared,
                        const struct declared_kappa *measured, FILE *stream, bool *refused,
                        struct error *error) {
    const struct declared_kappa *most = NULL;
    for (size_t i = 0; i < declared->count; i++) {
        const struct declared_kappa *one = &declared->items[i];
        if (strcmp(one->operation, measured->operation) == 0 &&
            (!most || (one->whole && !most->whole) ||
             (one->whole == most->whole && rank(one->kappa) > rank(most->kappa))))
            most = one;
    }
    if (!most)
        return error_set(error, "the declaration says nothing of %s", measured->operation);
    if (rank(most->kappa) < rank(measured->kappa)) {
        *refused = true;
        fprintf(stream, "too small  %s: kappa %g is declared, and over all operands it is %g\n",
                measured->operation, most->kappa, measured->kappa);
    }
    return true;
}

/* One measured interval against every declared one that it meets. */
static bool judge_interval(const struct declared_kappas *declared,
                           const struct declared_kappa *measured, FILE *stream, bool *refused,
                           struct error *error) {
    bool known = false;
    for (size_t i = 0; i < declared->count; i++) {
        const struct declared_kappa *one = &declared->items[i];
        if (one->whole || strcmp(one->operation, measured->operation) != 0)
            continue;
        known = true;
        if (!meets(one, measured) || rank(one->kappa) >= rank(measured->kappa))
            continue;
        *refused = true;
        fprintf(stream, "too small  %s: kappa %g is declared, and on [ %Lg, %Lg ] it is %g\n",
                measured->operation, one->kappa, measured->low, measured->high, measured->kappa);
    }
    if (!known)
        return error_set(error, "the declaration says nothing of %s", measured->operation);
    return (covers(declared, measured, measured->low) &&
            covers(declared, measured, measured->high)) ||
           error_set(error, "the declaration of %s leaves numbers of [ %Lg, %Lg ] out",
                     measured->operation, measured->low, measured->high);
}

static bool same_sweep(const struct declared_kappas *a, const struct declared_kappas *b) {
    return a->sweep && b->sweep ? strcmp(a->sweep, b->sweep) == 0 : a->sweep == b->sweep;
}

/* Whether the files are one whole, or each shard of it once. */
static bool are_whole(const struct declared_kappas *found, size_t count, struct error *error) {
    const unsigned long long of = found[0].of ? found[0].of : 1;
    bool whole = count == of;
    for (size_t i = 0; whole && i < count; i++) {
        whole = (found[i].of ? found[i].of : 1) == of &&
                (!found[i].of || (found[i].shard >= 1 && found[i].shard <= of)) &&
                same_sweep(&found[i], &found[0]);
        for (size_t j = 0; whole && j < i; j++)
            whole = found[i].shard != found[j].shard;
    }
    return whole ||
           error_set(error, "--kappa wants what one sweep measured: the file of the whole, or "
                            "those of all its shards, each once");
}

bool kappa_gate(const char *const *measured, size_t count, const char *declared, FILE *stream,
                bool *refused, struct error *error) {
    struct declared_kappas *found = calloc(count, sizeof *found), said = {0};
    bool good = (found || error_set(error, "out of memory")) && read_kappas(declared, &said, error);
    size_t judged = 0;
    for (size_t i = 0; good && i < count; i++)
        good = read_kappas(measured[i], &found[i], error);
    good = good && are_whole(found, count, error);
    *refused = false;
    for (size_t i = 0; good && i < count; i++) {
        for (size_t j = 0; good && j < found[i].count; j++) {
            const struct declared_kappa *one = &found[i].items[j];
            judged += !one->whole;
            good = (one->whole ? judge_whole : judge_interval)(&said, one, stream, refused, error);
        }
    }
    if (good && !judged)
        good = error_set(error, "the measured files declare no kappa");
    if (good && !*refused)
        fprintf(stream, "the declared kappas hold on all measured intervals: %zu\n", judged);
    for (size_t i = 0; found && i < count; i++) {
        free(found[i].items);
        free(found[i].sweep);
    }
    free(found);
    free(said.items);
    free(said.sweep);
    return good;
}
