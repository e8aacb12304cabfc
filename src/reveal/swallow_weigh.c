/* Terms that count twice in a sum inside of an operation: each alone, as large as others are alone, shows another number
 * than most do. */
#include "reveal/swallow.h"

#include <math.h>
#include <stdlib.h>

/* What each term shows alone, read where it stands. */
static bool show(struct pairs *pairs, double *shown, struct error *error) {
    struct subject *subject = pairs->subject;
    const struct format *format = subject->call.results[0].format;
    subject_set_all(subject, 0);
    for (size_t at = 0; at < subject->terms; at += subject->lines) {
        const size_t left = subject->terms - at,
                     there = left < subject->lines ? left : subject->lines;
        for (size_t line = 0; line < there; line++)
            subject_set(subject, line, at + line, pairs->large);
        if (!subject_call(subject, error))
            return false;
        for (size_t line = 0; line < there; line++) {
            subject->reader = at + line;
            const uint64_t code =
                subject_code(subject, line, subject->through->shares ? at + line : 0);
            const struct real real = format_decode(format, code);
            shown[at + line] = real.kind == REAL_FINITE ? real_to_double(&real) : NAN;
            subject_set(subject, line, at + line, 0);
        }
    }
    return true;
}

/* What most terms show, if more than half of them show the same. */
static double usual_of(const double *shown, size_t count) {
    double usual = NAN;
    size_t votes = 0;
    for (size_t i = 0; i < count; i++) {
        if (!votes)
            usual = shown[i];
        if (shown[i] == usual)
            votes++;
        else if (votes)
            votes--;
    }
    return usual;
}

/* Whether a number is what a term shows that counts twice. Beside a balanced one are squares of 7/32 of it, beside that of
 * a mean is another term, of 1/(n - 1) of it. An epsilon in a norm is far below. */
static bool is_twice(const struct through *through, size_t terms, double shown, double usual) {
    const double n = (double)terms, some = 0.01;
    const bool is_logarithm = through_has_exponentials(through) && !through->shares;
    const double ratio = through->terms == TERMS_PLAIN      ? 2 - 1 / n
                         : through->terms == TERMS_BALANCED ? sqrt(39.0 / 71)
                         : through->terms == TERMS_SQUARES  ? sqrt(0.5)
                                                            : 0.5;
    return is_logarithm ? fabs(fabs(shown - usual) - log(2)) < some
                        : fabs(shown / usual - ratio) < some * ratio;
}

bool swallow_weigh(struct pairs *pairs, struct error *error) {
    const struct subject *subject = pairs->subject;
    double *shown = calloc(subject->terms + 1, sizeof *shown);
    const bool good = (shown || error_set(error, "out of memory")) && show(pairs, shown, error);
    const double usual = good ? usual_of(shown, subject->terms) : NAN;
    for (size_t i = 0; good && i < subject->terms; i++)
        if (is_twice(subject->through, subject->terms, shown[i], usual))
            pairs->weight[i] = 2;
    free(shown);
    return good;
}
