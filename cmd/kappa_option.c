/* Declarations as the report's exemplar Kappas.yaml has them. */
#include "kappa_option.h"

#include "format/p3109.h"
#include "format/text.h"
#include "op/p3109_names.h"
#include "signals.h"
#include "sweep_plan.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *name_in_report(const struct operation *operation) {
    const char *name = p3109_name(operation);
    return name ? name : operation->name;
}

/* "Binary8p4se", "binary32", "(Binary8p1uf, Binary8p4se)". */
static void print_format(FILE *stream, const struct format *format) {
    if (format->element) {
        fprintf(stream, "(");
        print_format(stream, format->scale);
        fprintf(stream, ", ");
        print_format(stream, format->element);
        fprintf(stream, ")");
    } else if (format->is_p3109)
        fprintf(stream, "%c%s", toupper((unsigned char)format->name[0]), format->name + 1);
    else if (strncmp(format->name, "fp", 2) == 0 && isdigit((unsigned char)format->name[2]) &&
             !strchr(format->name, '_'))
        fprintf(stream, "binary%s", format->name + 2);
    else
        fprintf(stream, "%s", format->name);
}

static void print_specialization(FILE *stream, const struct binding_request *computed) {
    static const char *const operands[] = {"x", "x, y", "x, y, z"};
    const struct parameter_value *scale = &computed->parameters.values[PARAMETER_RESULT_SCALE];
    char text[PARAMETER_ROOM];
    const char *prefix;
    bool scaled = false, counts;
    for (int i = 0; i < computed->operation->operands; i++)
        scaled = scaled || format_of_operand(computed->format, i)->element;
    const char *name =
        p3109_variant_name(computed->operation, scaled, scale->present, &prefix, &counts);
    fprintf(stream, "%s%s<%s", prefix, name, counts ? "1, " : "");
    for (int i = 0; i < computed->operation->operands; i++) {
        print_format(stream, format_of_operand(computed->format, i));
        fprintf(stream, ", ");
    }
    if (scale->present) {
        print_format(stream, scale->format);
        fprintf(stream, ", ");
    }
    print_format(stream, request_result_format(computed));
    fprintf(stream, ", (%s", p3109_roundings[computed->rounding]);
    if (rounding_is_stochastic(computed->rounding))
        fprintf(stream, "_%" PRId64,
                parameter_integer(&computed->parameters, PARAMETER_RANDOM_BITS, 1));
    fprintf(stream, ", %s)>(%s",
            p3109_saturations[parameters_overflow(&computed->parameters, OVERFLOW_IEEE)],
            operands[computed->operation->operands - 1]);
    if (scale->present)
        fprintf(stream, ", %s",
                strchr(parameter_text(&parameter_rows[PARAMETER_RESULT_SCALE], scale, text), ':') +
                    1);
    fprintf(stream, ") -> r");
}

static void print_kappa(FILE *stream, uint64_t kappa) {
    if (kappa == KAPPA_NAN)
        fprintf(stream, ".nan");
    else if (kappa == KAPPA_INFINITE)
        fprintf(stream, ".inf");
    else
        fprintf(stream, "%" PRIu64, kappa);
}

/* "-Inf", "0.0625", or "0x1.234p-20" where a short decimal is not that number. */
static void print_end(FILE *stream, const struct format *format, uint64_t code) {
    char text[NUMBER_TEXT];
    struct parsed_value parsed;
    struct error error = {0};
    if (format_is_infinite(format, code))
        fprintf(stream, "%sInf", format_is_negative(format, code) ? "-" : "");
    else if (format_parse(format, format_decimal_text(format, code, text), &parsed, &error) &&
             parsed.code == code && !parsed.rounded)
        fprintf(stream, "%s", text);
    else
        fprintf(stream, "%s", format_hex_text(format, code, text));
}

static void print_witness(FILE *stream, const struct binding_request *computed,
                          const struct witness *worst) {
    char text[NUMBER_TEXT];
    fprintf(stream, "    Witness: { input: [");
    for (int i = 0; i < computed->operation->operands; i++)
        fprintf(stream, "%s'%s'", i ? ", " : "",
                format_bits_text(format_of_operand(computed->format, i), worst->input[i], text));
    const struct format *out = request_result_format(computed);
    fprintf(stream, "], got: '%s'", format_bits_text(out, worst->got, text));
    fprintf(stream, ", defined: '%s' }\n", format_bits_text(out, worst->want, text));
}

static void print_intervals(FILE *stream, const struct format *format,
                            const struct kappa_table *table) {
    struct kappa_interval intervals[KAPPA_INTERVALS];
    const size_t count = kappa_intervals(table, format, intervals);
    fprintf(stream, "    Kappas:\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "      - { interval: '[ ");
        print_end(stream, format, intervals[i].low);
        fprintf(stream, ", ");
        print_end(stream, format, intervals[i].high);
        fprintf(stream, " ]', kappa: ");
        print_kappa(stream, intervals[i].kappa);
        fprintf(stream, " }\n");
    }
}

static void print_declaration(FILE *stream, const struct binding_request *computed,
                              const struct implementation *implementation,
                              const struct kappa_table *table, size_t number) {
    fprintf(stream, "  %s.%zu:\n    Implementation: \"", name_in_report(computed->operation),
            number);
    for (const char *at = implementation->name; *at; at++)
        fprintf(stream, *at == '"' || *at == '\\' ? "\\%c" : "%c",
                iscntrl((unsigned char)*at) ? '?' : *at);
    fprintf(stream, "\"\n    Approximates: \"");
    print_specialization(stream, computed);
    fprintf(stream, "\"\n    Kappa: ");
    print_kappa(stream, table->kappa);
    fprintf(stream, "\n");
    const struct format *first = format_of_operand(computed->format, 0);
    if (!first->element) /* whose numbers are in no order */
        print_intervals(stream, first, table);
    if (table->kappa)
        print_witness(stream, computed, &table->worst);
    const uint64_t all = UINT64_C(1) << request_input_bits(computed);
    fprintf(stream,
            "    Verification:\n      method: exhaustive\n      note: \"%s%" PRIu64 " inputs%s\"\n",
            table->inputs == all ? "all " : "", table->inputs,
            first->element ? "" : "; intervals are of the first operand");
}

/* What is none of all inputs of a function of numbers. */
static bool check(const struct sweep_plan *plan, struct error *error) {
    static const char *const others[] = {"range", "samples", "special", "inputs", "checkpoint"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (argument_given(plan->arguments, others[i]))
            return error_set(error, "--kappa needs all inputs in one run: leave out --%s",
                             others[i]);
    for (size_t i = 0; i < plan->job_count; i++) {
        const struct job *job = &plan->jobs[i];
        const struct binding_request computed = {.operation = job->operation,
                                                 .format = job->format};
        if (job->operation->array)
            return error_set(error, "kappa is measured for operations on numbers; %s is on arrays",
                             job->operation->name);
        if (request_input_bits(&computed) > KAPPA_MOST_BITS)
            return error_set(error, "kappa needs all inputs, and %s in %s has more than 2^%d",
                             job->operation->name, job->format->name, KAPPA_MOST_BITS);
    }
    return true;
}

/* In a text of YAML between quotes. */
static void print_quoted(FILE *stream, const char *text) {
    for (; *text; text++)
        fputc(*text == '"' || *text == '\\' || (unsigned char)*text < ' ' ? '_' : *text, stream);
}

/* What the sweep is of, by which a gate knows its shards from those of another. */
static void print_sweep(FILE *stream, const struct sweep_plan *plan) {
    fprintf(stream, "  sweep: \"");
    for (size_t i = 0; i < plan->job_count; i++) {
        const struct job *job = &plan->jobs[i];
        fprintf(stream, "%s%s %s %s", i ? ", " : "", job->operation->name, job->format->name,
                rounding_names[job->rounding]);
        for (int k = 0; k < PARAMETER_COUNT; k++) {
            const struct parameter_value *value = &job->parameters.values[k];
            char room[PARAMETER_ROOM];
            if (!value->present)
                continue;
            fprintf(stream, " %s=", parameter_rows[k].name);
            print_quoted(stream, parameter_text(&parameter_rows[k], value, room));
        }
    }
    for (size_t i = 0; i < plan->selection.implementation_count; i++) {
        fprintf(stream, "%s", i ? ", " : "; ");
        print_quoted(stream, plan->selection.implementations[i].name);
    }
    fprintf(stream, "\"\n");
}

bool kappa_option_open(struct sweep_plan *plan, struct error *error) {
    struct kappa_option *option = &plan->kappas;
    option->path = argument_value(plan->arguments, "kappa", NULL);
    if (!option->path)
        return true;
    if (!check(plan, error) || !output_open(&option->output, option->path, error))
        return false;
    fprintf(option->output.stream,
            "---\nMetadata:\n  conformance: \"IEEE SA P3109\"\n  version: \"" P3109_VERSION "\"\n"
            "  provider: \"detcheck " DETCHECK_VERSION "\"\n");
    if (shard_is_part(&plan->shard))
        fprintf(option->output.stream, "  shard: \"%" PRIu64 "/%" PRIu64 "\"\n", plan->shard.number,
                plan->shard.of);
    print_sweep(option->output.stream, plan);
    fprintf(option->output.stream, "Measured:\n");
    return true;
}

bool kappa_option_tell(struct sweep_plan *plan, const struct sweep_request *request,
                       const struct sweep_outcome *outcome, struct error *error) {
    for (size_t i = 0; request->kappas && i < outcome->implementation_count; i++) {
        const struct implementation_outcome *one = &outcome->implementations[i];
        if (one->tallies[0].unanswered)
            return error_set(
                error, "%.200s gave no output for %" PRIu64 " inputs of %s: no kappa is known",
                request->implementations[i].name, one->tallies[0].unanswered,
                request->computed.operation->name);
        if (one->provided)
            print_declaration(plan->kappas.output.stream, &request->computed,
                              &request->implementations[i], &one->kappas, ++plan->kappas.number);
    }
    return true;
}

bool kappa_option_end(struct sweep_plan *plan, struct error *error) {
    return !plan->kappas.path || interrupted || output_commit(&plan->kappas.output, error);
}
