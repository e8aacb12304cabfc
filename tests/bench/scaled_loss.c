/* What scaling buys: scaled_loss [FORMAT] prints, for each scaled operation and family of inputs,
 * how many results overflow, how many vanish, and how many bits the others lose, of ours and of the
 * same operation on unscaled numbers. Rows of it are in detcheck-scaled-programs(7).
 *
 * A result overflows where it is infinite or NaN and the exact one is a number, and vanishes where
 * it is 0 and the exact one is not. It loses n bits where its error is between 2^(n-1) and 2^n
 * times half a unit in the last place that a format of the same precision and unbounded exponent
 * has; all of its bits where it vanishes. */
#include "op/operation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loss {
    unsigned long tested, overflows, vanished;
    double bits; /* summed */
};

static double to_double(const struct real *value) {
    if (value->kind != REAL_FINITE)
        return value->kind == REAL_ZERO ? 0 : INFINITY;
    double magnitude = ldexp((double)value->significand.high, value->exponent - 63);
    return value->negative ? -magnitude : magnitude;
}

static void count(struct loss *loss, const struct format *format, const struct real *y,
                  uint64_t code) {
    struct real got = format_decode(format, code);
    if (y->kind != REAL_FINITE)
        return;
    loss->tested++;
    if (got.kind == REAL_NAN || got.kind == REAL_INFINITE) {
        loss->overflows++;
        return;
    }
    double bits = format->precision;
    if (got.kind == REAL_ZERO)
        loss->vanished++;
    else {
        double half = ldexp(1, y->exponent - format->precision);
        double halves = fabs(to_double(&got) - to_double(y)) / half;
        bits = halves <= 1 ? 0 : fmin(bits, ceil(log2(halves)));
    }
    loss->bits += bits;
}

static bool measure(const struct operation *operation, const struct array_family *family,
                    const struct format *format, const char *name, struct loss *loss,
                    struct error *error) {
    struct parameters given = {{{0}}}, settled;
    const struct array_rule *rule = operation->array;
    const struct array_algorithm *algorithm = array_algorithm_find(rule, name);
    struct array_call call = {.parameters = &settled};
    if (!operation_settle(operation, format, &given, &settled, error) ||
        !array_call_plan(&call, rule, format, &rule->shapes[0], error) ||
        !array_call_allocate(&call, operation->operands, operation->results))
        return false;
    family->draw(&call, family, 1, 0);
    const struct array *data = &call.results[0];
    uint64_t elements = shape_elements(&data->shape);
    struct real *y = calloc(elements, sizeof *y);
    bool good =
        y && rule->exact(&call, 0, 100, y, error) && algorithm->run(&call, algorithm, error);
    for (uint64_t i = 0; good && i < elements; i++)
        count(loss, data->format, &y[i],
              code_load(data->codes, format_bytes(data->format), (size_t)i));
    free(y);
    array_call_free(&call);
    return good;
}

int main(int argc, char **argv) {
    struct error error = {{0}};
    const struct format *format = format_find(argc > 1 ? argv[1] : "fp8_e4m3fn", &error);
    static const char *const families[] = {"small", "near", "large"};
    printf("%-18s %-6s %26s   %26s\n", format ? format->name : "", "scales",
           "scaled: over  gone  lost", "unscaled: over  gone  lost");
    for (size_t i = 0; format && operation_at(i); i++)
        for (size_t f = 0; f < 3 && strncmp(operation_at(i)->name, "scaled.", 7) == 0; f++) {
            struct loss losses[2] = {{0}};
            const struct array_family *family =
                array_family_find(operation_at(i)->array, families[f], &error);
            for (int k = 0; family && k < 2; k++)
                if (!measure(operation_at(i), family, format, k ? "unscaled" : "det", &losses[k],
                             &error))
                    break;
            printf("%-18s %-6s", operation_at(i)->name, families[f]);
            for (int k = 0; k < 2; k++) {
                const struct loss *loss = &losses[k];
                double tested = loss->tested ? (double)loss->tested : 1;
                printf("%*s %5.1f%% %5.1f%% %5.2f", k ? 11 : 8, "",
                       100 * (double)loss->overflows / tested,
                       100 * (double)loss->vanished / tested, loss->bits / tested);
            }
            printf("\n");
        }
    if (error.text[0])
        fprintf(stderr, "scaled_loss: %s\n", error.text);
    return error.text[0] ? 2 : 0;
}
