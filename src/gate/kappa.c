/* Holding declared kappas against measured ones: no declared one is smaller, and no number is left out. */
#include "gate/kappa.h"

#include "format/text.h"
#include "gate/kappa_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double rank(double kappa) {
    return isnan(kappa) ? INFINITY : isinf(kappa) ? 0x1p1000 : kappa;
}

static bool is_of(const struct declared_kappa *one, const struct declared_kappa *measured,
                  bool whole) {
    return one->whole == whole && strcmp(one->operation, measured->operation) == 0;
}

/* Says that a declared kappa is smaller than the measured one, where it is. */
static void hold(const struct declared_kappa *declared, const struct declared_kappa *measured,
                 FILE *stream, bool *refused) {
    if (rank(declared->kappa) >= rank(measured->kappa))
        return;
    *refused = true;
    fprintf(stream, "too small  %s: kappa %g is declared, and %s%s it is %g\n", measured->operation,
            declared->kappa, measured->whole ? "over all operands" : "on ",
            measured->whole ? "" : measured->interval, measured->kappa);
}

/* The measured kappa of all operands against each that is declared of them, or the largest of an interval. */
static bool judge_whole(const struct declared_kappas *declared,
                        const struct declared_kappa *measured, FILE *stream, bool *refused,
                        struct error *error) {
    const struct declared_kappa *most = NULL;
    bool whole = false;
    for (size_t i = 0; i < declared->count; i++) {
        const struct declared_kappa *one = &declared->items[i];
        if (is_of(one, measured, true)) {
            whole = true;
            hold(one, measured, stream, refused);
        } else if (is_of(one, measured, false) && (!most || rank(one->kappa) > rank(most->kappa)))
            most = one;
    }
    if (!whole && most)
        hold(most, measured, stream, refused);
    return whole || most ||
           error_set(error, "the declaration says nothing of %s", measured->operation);
}

/* How far declared intervals reach from a number on: the last ordinal of the longest that holds it, or one less. */
static int64_t reach(const struct declared_kappas *declared, const struct declared_kappa *measured,
                     int64_t from) {
    int64_t last = from - 1;
    for (size_t i = 0; i < declared->count; i++) {
        const struct declared_kappa *one = &declared->items[i];
        if (is_of(one, measured, false) && one->first <= from && one->last > last)
            last = one->last;
    }
    return last;
}

/* From the lowest number of a measured interval to its highest. */
static bool is_covered(const struct declared_kappas *declared,
                       const struct declared_kappa *measured, struct error *error) {
    for (int64_t at = measured->first; at <= measured->last;) {
        const int64_t last = reach(declared, measured, at);
        char text[NUMBER_TEXT];
        if (last < at)
            return error_set(error, "the declaration of %s leaves numbers of %s out, %s first",
                             measured->operation, measured->interval,
                             format_decimal_text(measured->format,
                                                 format_from_ordinal(measured->format, at), text));
        at = last + 1;
    }
    return true;
}

/* One measured interval against every declared one that has a number of it. Where only the kappa of all operands is
 * declared, that is held against the measured one of all operands, which is no smaller than any. */
static bool judge_interval(const struct declared_kappas *declared,
                           const struct declared_kappa *measured, FILE *stream, bool *refused,
                           struct error *error) {
    bool known = false, whole = false;
    if (!measured->format)
        return error_set(error, "no format is known by the first name of %s", measured->operation);
    for (size_t i = 0; i < declared->count; i++) {
        const struct declared_kappa *one = &declared->items[i];
        whole = whole || is_of(one, measured, true);
        if (!is_of(one, measured, false))
            continue;
        known = true;
        if (one->first <= one->last && one->first <= measured->last && measured->first <= one->last)
            hold(one, measured, stream, refused);
    }
    if (!known)
        return whole || error_set(error, "the declaration says nothing of %s", measured->operation);
    return is_covered(declared, measured, error);
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
           error_set(error, "--kappa needs what one sweep measured: the file of the whole, or "
                            "those of all its shards, each once");
}

bool kappa_gate(const char *const *measured, size_t count, const char *declared, FILE *stream,
                bool *refused, struct error *error) {
    struct declared_kappas *found = calloc(count, sizeof *found), said = {0};
    bool good = (found || error_set(error, "out of memory")) && kappas_read(declared, &said, error);
    size_t judged = 0, intervals = 0;
    for (size_t i = 0; good && i < count; i++)
        good = kappas_read(measured[i], &found[i], error);
    good = good && are_whole(found, count, error);
    *refused = false;
    for (size_t i = 0; good && i < count; i++) {
        for (size_t j = 0; good && j < found[i].count; j++) {
            const struct declared_kappa *one = &found[i].items[j];
            judged++;
            intervals += !one->whole;
            good = (one->whole ? judge_whole : judge_interval)(&said, one, stream, refused, error);
        }
    }
    if (good && !judged)
        good = error_set(error, "the measured files declare no kappa");
    if (good && !*refused && intervals)
        fprintf(stream, "the declared kappas hold on all measured intervals: %zu\n", intervals);
    else if (good && !*refused)
        fprintf(stream, "the declared kappas hold for all operands\n");
    for (size_t i = 0; found && i < count; i++)
        kappas_free(&found[i]);
    free(found);
    kappas_free(&said);
    return good;
}
