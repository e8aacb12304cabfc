/* What stands in many lines: counts, times, errors, and inputs. */
#include "report/text.h"

#include "format/text.h"

#include <inttypes.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_DIGITS = 6 };

const char *text_grouped(uint64_t count, char text[32]) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

const char *text_share(uint64_t part, uint64_t whole, char text[32]) {
    double percent = whole ? 100 * (double)part / (double)whole : 0;
    if (part && percent < 0.0001)
        snprintf(text, 32, "%.1e %%", percent);
    else
        snprintf(text, 32, "%.4f %%", percent);
    return text;
}

const char *text_duration(double seconds, char text[32]) {
    if (seconds < 60) {
        snprintf(text, 32, "%.*f s", seconds < 9.95 ? 1 : 0, seconds);
        return text;
    }
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (whole < 3600)
        snprintf(text, 32, "%lu min %02lu s", whole / 60, whole % 60);
    else
        snprintf(text, 32, "%lu h %02lu min", whole / 3600, whole % 3600 / 60);
    return text;
}

const char *text_rate(double per_second, char text[32]) {
    const char *unit = "";
    if (per_second >= 1e9) {
        per_second /= 1e9;
        unit = " G";
    } else if (per_second >= 1e6) {
        per_second /= 1e6;
        unit = " M";
    } else if (per_second >= 1e3) {
        per_second /= 1e3;
        unit = " k";
    }
    snprintf(text, 32, "%.3g%s", per_second, unit);
    return text;
}

/* An error in ulps: never rounded up past a bound that it respects (0.5 stays 0.5), and 0 only
 * where it is 0. */
const char *text_error(double error, int digits, char text[32]) {
    if (error <= 0)
        return strcpy(text, "0");
    if (error < 1e-300) /* where doubles end */
        return strcpy(text, "< 1e-300");
    bool plain = error >= 1e-6 && error < 1e6;
    mpfr_t value;
    mpfr_init2(value, 53);
    mpfr_set_d(value, error, MPFR_RNDZ);
    mpfr_snprintf(text, 32, plain ? "%.*RZf" : "%.*RZe", plain ? digits : 2, value);
    mpfr_clear(value);
    return text;
}

static void cut_figure(const char *figure, char cut[FIGURE_TEXT]) {
    const size_t whole = strspn(figure, "0123456789");
    const bool is_long =
        whole && figure[whole] == '.' && strspn(figure + whole + 1, "0123456789") > ERROR_DIGITS;
    char *behind, error[32];
    const double value = is_long ? strtod(figure, &behind) : 0;
    snprintf(cut, FIGURE_TEXT, "%.31s%.31s", is_long ? text_error(value, ERROR_DIGITS, error) : "",
             is_long ? behind : "");
    if (!is_long)
        snprintf(cut, FIGURE_TEXT, "%s", figure);
}

struct text_figures text_cut_figures(const char *allowed, const char *found) {
    struct text_figures figures;
    cut_figure(allowed, figures.allowed);
    cut_figure(found, figures.found);
    if (strcmp(allowed, found) != 0 &&
        strtod(figures.allowed, NULL) == strtod(figures.found, NULL)) {
        snprintf(figures.allowed, FIGURE_TEXT, "%s", allowed);
        snprintf(figures.found, FIGURE_TEXT, "%s", found);
    }
    return figures;
}

/* The element of a result, of which array. */
static void name_element(const struct cases *cases, const uint64_t *input, char text[TEXT_PLACE]) {
    const struct shape *shape = case_shape(cases, input[0]);
    int at = snprintf(text, TEXT_PLACE, "element %" PRIu64 " of draw %" PRIu64 ", shape ", input[1],
                      case_draw(cases, input[0]));
    for (int i = 0; i < shape->dimensions; i++)
        at += snprintf(text + at, TEXT_PLACE - (size_t)at, "%s%" PRIu64, i ? "x" : "",
                       shape->extents[i]);
}

/* The text that an element of the result was read from, or the number that the text it stands in was written from. */
static void print_of_text(FILE *stream, const struct sweep_request *request,
                          const uint64_t *input) {
    const struct binding_request *computed = &request->computed;
    const struct array_rule *rule = computed->operation->array;
    struct array_call call = {.parameters = &computed->parameters, .rounding = computed->rounding};
    struct error unused;
    if (!array_is_of_texts(rule) || !case_open(&call, &request->domain->cases, input[0],
                                               computed->operation, computed->format, &unused))
        return;
    const struct array *x = &call.operands[0], *texts = rule->takes_texts ? x : &call.results[0];
    const size_t length = (size_t)texts->shape.extents[texts->shape.dimensions - 1];
    char text[NUMBER_TEXT], *line = calloc(length + 1, 1);
    if (line && rule->takes_texts) {
        memcpy(line, (const char *)x->codes + input[1] * length, length);
        fprintf(stream, "\n                           \"%s\"", line);
    } else
        fprintf(stream, "\n                           %s",
                format_hex_text(x->format, array_code(x, input[1] / length), text));
    free(line);
    array_call_free(&call);
}

const char *text_place(const struct sweep_request *request, const uint64_t *input,
                       char text[TEXT_PLACE]) {
    const struct binding_request *computed = &request->computed;
    char bits[NUMBER_TEXT];
    text[0] = '\0';
    if (computed->operation->array)
        name_element(&request->domain->cases, input, text);
    for (int i = 0, at = 0; i < computed->operation->operands && !computed->operation->array; i++)
        at += snprintf(text + at, TEXT_PLACE - (size_t)at, "%s%s", i ? " " : "",
                       format_bits_text(format_of_operand(computed->format, i), input[i], bits));
    return text;
}

void text_print_input(FILE *stream, const struct sweep_request *request, const uint64_t *input) {
    static const char *const names[] = {"x", "y", "z"};
    const struct binding_request *computed = &request->computed;
    if (computed->operation->array) {
        char text[TEXT_PLACE];
        fputs(text_place(request, input, text), stream);
        print_of_text(stream, request, input);
        return;
    }
    char decimal[NUMBER_TEXT], hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    for (int i = 0; i < computed->operation->operands; i++)
        fprintf(stream, "%s%s = %s  %s  %s", i ? "\n                           " : "", names[i],
                format_decimal_text(format_of_operand(computed->format, i), input[i], decimal),
                format_hex_text(format_of_operand(computed->format, i), input[i], hex),
                format_bits_text(format_of_operand(computed->format, i), input[i], bits));
}
