/* Declarations as the report's exemplar Kappas.yaml has them. */
#include "kappa_option.h"

#include "format/p3109.h"
#include "format/text.h"
#include "sweep/kappa.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the report calls an operation, and its operands. Others keep their names. */
static const struct {
    const char *name, *in_report;
} names[] = {
    {"add", "Add"},
    {"sub", "Subtract"},
    {"mul", "Multiply"},
    {"div", "Divide"},
    {"fma", "FMA"},
    {"cast", "Convert"},
    {"recip", "Recip"},
    {"sqrt", "Sqrt"},
    {"rsqrt", "RSqrt"},
    {"exp", "Exp"},
    {"exp2", "Exp2"},
    {"expm1", "ExpMinusOne"},
    {"log", "Log"},
    {"log2", "Log2"},
    {"log1p", "LogOnePlus"},
    {"softplus", "Softplus"},
    {"hypot", "Hypot"},
    {"sin", "Sin"},
    {"cos", "Cos"},
    {"tan", "Tan"},
    {"asin", "ArcSin"},
    {"acos", "ArcCos"},
    {"atan", "ArcTan"},
    {"atan2", "ArcTan2"},
    {"sinpi", "SinPi"},
    {"cospi", "CosPi"},
    {"tanpi", "TanPi"},
    {"asinpi", "ArcSinPi"},
    {"acospi", "ArcCosPi"},
    {"atanpi", "ArcTanPi"},
    {"atan2pi", "ArcTan2Pi"},
    {"sinh", "Sinh"},
    {"cosh", "Cosh"},
    {"tanh", "Tanh"},
    {"asinh", "ArcSinh"},
    {"acosh", "ArcCosh"},
    {"atanh", "ArcTanh"},
    {"fminimum", "Minimum"},
    {"fmaximum", "Maximum"},
    {"fminimum_num", "MinimumNumber"},
    {"fmaximum_num", "MaximumNumber"},
    {"fminimum_mag", "MinimumMagnitude"},
    {"fmaximum_mag", "MaximumMagnitude"},
    {"fminimum_mag_num", "MinimumMagnitudeNumber"},
    {"fmaximum_mag_num", "MaximumMagnitudeNumber"},
    {"nextup", "NextGreaterThan"},
    {"nextdown", "NextLessThan"},
    {"p3109.negate", "Negate"},
    {"p3109.abs", "Abs"},
    {"p3109.copysign", "CopySign"},
    {"p3109.faa", "FAA"},
    {"p3109.clamp", "Clamp"},
    {"p3109.minimum_finite", "MinimumFinite"},
    {"p3109.maximum_finite", "MaximumFinite"},
};

static const char *const roundings[ROUNDING_NAMES] = {
    "NearestTiesToEven", "TowardZero",  "TowardPositive", "TowardNegative",
    "NearestTiesToAway", "Stochastic",  "NearestUp",      "ToOdd",
    "StochasticA",       "StochasticB", "StochasticC"};
static const char *const saturations[] = {"SatNone", "SatFinite", "SatPropagate"};

static const char *name_in_report(const struct operation *operation) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, operation->name) == 0)
            return names[i].in_report;
    return operation->name;
}

/* "Binary8p4se", "binary32". */
static void print_format(FILE *stream, const struct format *format) {
    if (format->is_p3109)
        fprintf(stream, "%c%s", toupper((unsigned char)format->name[0]), format->name + 1);
    else if (strncmp(format->name, "fp", 2) == 0 && isdigit((unsigned char)format->name[2]) &&
             !strchr(format->name, '_'))
        fprintf(stream, "binary%s", format->name + 2);
    else
        fprintf(stream, "%s", format->name);
}

static void print_specialization(FILE *stream, const struct binding_request *computed) {
    static const char *const operands[] = {"x", "x, y", "x, y, z"};
    fprintf(stream, "%s<", name_in_report(computed->operation));
    for (int i = 0; i < computed->operation->operands; i++) {
        print_format(stream, computed->format);
        fprintf(stream, ", ");
    }
    print_format(stream, request_result_format(computed));
    fprintf(stream, ", (%s", roundings[computed->rounding]);
    if (rounding_is_stochastic(computed->rounding))
        fprintf(stream, "_%" PRId64,
                parameter_integer(&computed->parameters, PARAMETER_RANDOM_BITS, 1));
    fprintf(stream, ", %s)>(%s) -> r",
            saturations[parameters_overflow(&computed->parameters, OVERFLOW_IEEE)],
            operands[computed->operation->operands - 1]);
}

static void print_kappa(FILE *stream, uint64_t kappa) {
    if (kappa == KAPPA_NAN)
        fprintf(stream, ".nan");
    else if (kappa == KAPPA_INFINITE)
        fprintf(stream, ".inf");
    else
        fprintf(stream, "%" PRIu64, kappa);
}

/* "-Inf", "0.0625". */
static void print_end(FILE *stream, const struct format *format, uint64_t code) {
    char text[NUMBER_TEXT];
    if (format_is_infinite(format, code))
        fprintf(stream, "%sInf", format_is_negative(format, code) ? "-" : "");
    else
        fprintf(stream, "%s", format_decimal_text(format, code, text));
}

static void print_witness(FILE *stream, const struct binding_request *computed,
                          const struct kappa_result *result) {
    char text[NUMBER_TEXT];
    fprintf(stream, "    Witness: { input: [");
    for (int i = 0; i < computed->operation->operands; i++)
        fprintf(stream, "%s'%s'", i ? ", " : "",
                format_bits_text(computed->format, result->input[i], text));
    const struct format *out = request_result_format(computed);
    fprintf(stream, "], got: '%s'", format_bits_text(out, result->got, text));
    fprintf(stream, ", defined: '%s' }\n", format_bits_text(out, result->want, text));
}

static void print_declaration(FILE *stream, const struct binding_request *computed,
                              const struct implementation *implementation,
                              const struct kappa_result *result, size_t number) {
    fprintf(stream, "  %s.%zu:\n    Implementation: \"", name_in_report(computed->operation),
            number);
    for (const char *at = implementation->name; *at; at++)
        fprintf(stream, *at == '"' || *at == '\\' ? "\\%c" : "%c",
                iscntrl((unsigned char)*at) ? '?' : *at);
    fprintf(stream, "\"\n    Approximates: \"");
    print_specialization(stream, computed);
    fprintf(stream, "\"\n    Kappa: ");
    print_kappa(stream, result->kappa);
    fprintf(stream, "\n    Kappas:\n");
    for (size_t i = 0; i < result->count; i++) {
        fprintf(stream, "      - { interval: '[ ");
        print_end(stream, computed->format, result->intervals[i].low);
        fprintf(stream, ", ");
        print_end(stream, computed->format, result->intervals[i].high);
        fprintf(stream, " ]', kappa: ");
        print_kappa(stream, result->intervals[i].kappa);
        fprintf(stream, " }\n");
    }
    if (result->kappa)
        print_witness(stream, computed, result);
    fprintf(stream,
            "    Verification:\n      method: exhaustive\n      note: \"all %" PRIu64
            " inputs; intervals are of the first operand\"\n",
            result->inputs);
}

static bool print_all(const struct sweep_plan *plan, FILE *stream, struct error *error) {
    struct kappa_result *result = malloc(sizeof *result);
    bool good = result || error_set(error, "out of memory");
    size_t number = 0;
    fprintf(stream,
            "---\nMetadata:\n  conformance: \"IEEE SA P3109\"\n  version: \"" P3109_VERSION "\"\n"
            "  provider: \"detcheck " DETCHECK_VERSION "\"\nMeasured:\n");
    for (size_t i = 0; good && i < plan->job_count; i++) {
        const struct job *job = &plan->jobs[i];
        const struct binding_request computed = {.operation = job->operation,
                                                 .format = job->format,
                                                 .rounding = job->rounding,
                                                 .parameters = job->parameters};
        for (size_t j = 0; good && j < plan->selection.implementation_count; j++) {
            const struct implementation *one = &plan->selection.implementations[j];
            struct binding binding;
            struct error why;
            if (plan->selection.default_implementations) {
                if (!implementation_bind(&binding, one, &computed, &why))
                    continue;
                binding_close(&binding);
            }
            good = kappa_measure(&computed, one, result, error);
            if (good)
                print_declaration(stream, &computed, one, result, ++number);
        }
    }
    free(result);
    return good;
}

bool write_kappas(const struct sweep_plan *plan, struct error *error) {
    const char *path = argument_value(plan->arguments, "kappa", NULL);
    struct output output = {0};
    if (!path)
        return true;
    bool good = output_open(&output, path, error) && print_all(plan, output.stream, error) &&
                output_commit(&output, error);
    output_discard(&output);
    return good;
}
