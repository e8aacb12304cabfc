/* A few lines for each measure. */
#include "report/shown.h"

#include "format/text.h"
#include "report/text.h"

#include <inttypes.h>
#include <math.h>
#include <mpfr.h>

/* From this error on it is told how many digits are right. */
#define FAR_OFF 0x1p8

bool shown_digits(const struct format *format, const struct witness *witness,
                  char text[DIGITS_TEXT]) {
    struct real got = format_decode(format, witness->got),
                want = format_decode(format, witness->want);
    bool numbers = (got.kind == REAL_FINITE || got.kind == REAL_ZERO) && want.kind == REAL_FINITE;
    if (!numbers || !(witness->error > FAR_OFF))
        return false;
    /* As shares of the right result's power of two, which no double is too small for. */
    int exponent = want.exponent;
    got.exponent = got.kind == REAL_FINITE ? got.exponent - exponent : 0;
    want.exponent = 0;
    double y = real_to_double(&want),
           error = fabs(got.exponent > 1000    ? INFINITY
                        : got.exponent < -1000 ? y
                                               : real_to_double(&got) - y) /
                   fabs(y);
    int digits = error < 1 ? (int)floor(-log10(error)) : 0;
    snprintf(text, DIGITS_TEXT, digits ? "%d digit%s right" : "no digit right", digits,
             digits == 1 ? "" : "s");
    return true;
}

/* Cut as text_error, for what is no number of ulps: 6 digits, however small it is. */
static const char *size_text(double size, char text[32]) {
    mpfr_t value;
    mpfr_init2(value, 53);
    mpfr_set_d(value, size, MPFR_RNDZ);
    mpfr_snprintf(text, 32, size > 0 ? "%.5RZe" : "%.0RZf", value);
    mpfr_clear(value);
    return text;
}

static void print_percentiles(FILE *stream, const struct tally *tally) {
    char share[16], above[32], up_to[32];
    for (int i = 0; i < PERCENTILES && tally->in_ulps; i++) {
        struct percentile found = tally_percentile(tally, percentiles[i]);
        fprintf(stream, "  %4s %% of the errors    at most %s ulp",
                percentile_text(percentiles[i], share), text_error(found.up_to, 6, up_to));
        if (found.above < found.up_to)
            fprintf(stream, ", the largest of them more than %s",
                    text_error(found.above, 6, above));
        fputc('\n', stream);
    }
}

static void print_size(FILE *stream, const struct sweep_request *request, const char *name,
                       const struct size_tally *size, double mean) {
    char text[32], count[32], infinite[32];
    if (!size->outputs) {
        fprintf(stream, "  %s error         none: no output has one\n", name);
        return;
    }
    const uint64_t finite = size->outputs - size->infinite;
    /* A mean is rounded, and may come out above the largest. */
    const char *average = size_text(mean < size->max.error ? mean : size->max.error, text);
    if (size->infinite && finite)
        fprintf(stream, "  %s error         infinite at %s, %s on average of the other %s\n", name,
                text_grouped(size->infinite, infinite), average, text_grouped(finite, count));
    else if (size->infinite)
        fprintf(stream, "  %s error         infinite at all %s\n", name,
                text_grouped(size->infinite, infinite));
    else
        fprintf(stream, "  %s error         at most %s, %s on average of %s\n", name,
                size_text(size->max.error, (char[32]){0}), average, text_grouped(finite, count));
    fprintf(stream, "                      at   ");
    text_print_input(stream, request, size->max.input);
    fputc('\n', stream);
}

static void print_output(FILE *stream, const struct sweep_request *request,
                         const struct format *format, const char *where, const uint64_t *input,
                         uint64_t got) {
    char decimal[NUMBER_TEXT], bits[NUMBER_TEXT];
    fprintf(stream, "                   %s   ", where);
    text_print_input(stream, request, input);
    fprintf(stream, "\n                         got  %s  %s\n",
            format_decimal_text(format, got, decimal), format_bits_text(format, got, bits));
}

static void print_pairs(FILE *stream, const struct sweep_request *request,
                        const struct format *format, const char *name, const char *what,
                        const char *other, const struct pair_tally *tally) {
    char wrong[32], pairs[32];
    fprintf(stream, "  %-22s %s of %s %s\n", name, text_grouped(tally->wrong, wrong),
            text_grouped(tally->pairs, pairs), what);
    if (tally->undecided)
        fprintf(stream, "  left open              %s, whose exact results agree in 120 bits\n",
                text_grouped(tally->undecided, wrong));
    if (!tally->has_first)
        return;
    print_output(stream, request, format, "first", tally->first.input, tally->first.got);
    print_output(stream, request, format, other, tally->first.other, tally->first.other_got);
}

void shown_print(FILE *stream, const struct sweep_request *request, size_t implementation,
                 int result, const struct tally *tally, const struct format *format) {
    const bool odd =
        request_symmetry(request, implementation * MAX_RESULTS + (size_t)result) == PARITY_ODD;
    if (request->shows & SHOW_PERCENTILES)
        print_percentiles(stream, tally);
    if (tally->tells & TELLS_ERRORS) {
        print_size(stream, request, "absolute", &tally->absolute, tally_mean_absolute(tally));
        print_size(stream, request, "relative", &tally->relative, tally_mean_relative(tally));
    }
    if (tally->tells & TELLS_MONOTONY && !tally->monotony.pairs &&
        request->domain->kind == DOMAIN_SAMPLES)
        fprintf(stream, "  run the wrong way      0 of 0 neighbours: samples lie apart; "
                        "--run-length 64 draws them side by side\n");
    else if (tally->tells & TELLS_MONOTONY)
        print_pairs(stream, request, format, "run the wrong way",
                    "neighbours, against the exact results", "next ", &tally->monotony);
    if (tally->tells & TELLS_SYMMETRY)
        print_pairs(stream, request, format, odd ? "f(-x) is not -f(x)" : "f(-x) is not f(x)",
                    "inputs", "other", &tally->symmetry);
}
