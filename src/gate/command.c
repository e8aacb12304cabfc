/* The command line that shows what a gate found. */
#include "gate/gate.h"

#include "base/foreign.h"
#include "base/memory.h"
#include "explain/right.h"
#include "op/operation.h"
#include "report/compare.h"
#include "report/invariance_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_MISMATCHES "first_mismatches"

static void print_word(FILE *stream, const char *word) {
    fputc(' ', stream);
    foreign_print(stream, FOREIGN_SHELL, word);
}

/* "--NAME"; members of documents have _ where options have -. */
static void print_option_name(FILE *stream, const char *name) {
    char text[FOREIGN_ROOM];
    snprintf(text, sizeof text, "--%s", name);
    for (char *at = text; *at; at++)
        *at = *at == '_' ? '-' : *at;
    print_word(stream, foreign_trim(text));
}

/* An operation of several results is called by its own name: sincos, not sincos.sin. */
static void print_operation(FILE *stream, const char *name) {
    struct error unused;
    char whole[64];
    const char *dot = strrchr(name, '.');
    snprintf(whole, sizeof whole, "%.*s", dot ? (int)(dot - name) : 0, name);
    bool is_part = dot && !operation_find(name, &unused) && operation_find(whole, &unused);
    print_word(stream, is_part ? whole : name);
}

static void print_option(FILE *stream, const char *name, const char *value, const char *usual) {
    if (usual && strcmp(value, usual) == 0)
        return;
    print_option_name(stream, name);
    print_word(stream, value);
}

/* "64x4096" */
static void print_shape(FILE *stream, const cJSON *shape) {
    const cJSON *extent;
    const char *between = " ";
    cJSON_ArrayForEach(extent, shape) {
        fprintf(stream, "%s%.17g", between, extent->valuedouble);
        between = "x";
    }
}

/* Parameters that say what kind of report it is, and are none of the operation. */
static bool is_of_report(const char *name) {
    return strcmp(name, "invariance") == 0 || strcmp(name, "explanation") == 0;
}

/* A parameter has the name of its option, but the one that an implementation is held against. `without` is one
 * that the command does not have, or NULL. */
static void print_parameters(FILE *stream, const cJSON *parameters, const char *without) {
    const cJSON *one;
    cJSON_ArrayForEach(one, parameters) {
        if (without && strcmp(one->string, without) == 0)
            continue;
        if (cJSON_IsString(one) || cJSON_IsRaw(one))
            print_option(stream, strcmp(one->string, "against") == 0 ? "impl" : one->string,
                         one->valuestring, NULL);
        else if (cJSON_IsNumber(one)) {
            print_option_name(stream, one->string);
            fprintf(stream, " %.17g", one->valuedouble);
        } else if (cJSON_IsTrue(one) && !is_of_report(one->string))
            print_option_name(stream, one->string);
        else if (cJSON_IsArray(one)) {
            print_option_name(stream, one->string);
            print_shape(stream, one);
        }
    }
}

static void print_case(FILE *stream, const struct gate_case *gate_case, bool by_eval) {
    const struct read_result *result = gate_case->result;
    print_option(stream, "format", result->format,
                 strcmp(result->inputs.kind, "search") == 0 ? "" : "fp32");
    print_option(stream, "rounding", result->rounding, "nearest-even");
    print_parameters(stream, result->given, by_eval ? "strict_nan" : NULL);
}

/* The ranges stand in the description, as they were given: "... from A:B and C:D, seed 1". */
static void print_ranges(FILE *stream, const char *description) {
    const char *at = strstr(description, " from ");
    while (at) {
        at += at[1] == 'f' ? 6 : 5;
        const char *next = strstr(at, " and ");
        size_t length = next ? (size_t)(next - at) : strcspn(at, ",");
        char range[128];
        snprintf(range, sizeof range, "%.*s", (int)length, at);
        print_option(stream, "range", range, NULL);
        at = next;
    }
}

static void print_samples(FILE *stream, const struct read_result *result,
                          unsigned long long count) {
    fprintf(stream, " --samples %llu", count);
    if (result->inputs.tells & INPUTS_RUN_LENGTH)
        fprintf(stream, " --run-length %llu", (unsigned long long)result->inputs.run_length);
    print_option(stream, "seed", result->inputs.seed, NULL);
}

/* Of arrays the description says how many shapes there are: as many calls of each. */
static void print_draws(FILE *stream, const struct read_result *result) {
    unsigned long long shapes;
    if (sscanf(result->inputs.description, "%*[0-9,] %*s of %llu", &shapes) == 1 && shapes)
        print_samples(stream, result, (unsigned long long)result->inputs.count / shapes);
}

/* The file of "600 inputs from FILE"; a long name is cut there, and one that is cut is no file's. */
static void print_file(FILE *stream, const char *description) {
    enum { CUT = 100 };
    const char *at = strstr(description, " from ");
    if (at && strlen(at + 6) < CUT)
        print_option(stream, "inputs", at + 6, NULL);
}

/* As many evaluations with the same seed find the same again. */
static void print_search(FILE *stream, const struct read_result *result) {
    const struct search_record *search = result->inputs.search;
    if (search) {
        print_option(stream, "for", search_purpose_names[search->purpose], "error");
        if (search->accepts_flushed)
            print_option(stream, "accept", "flushed", NULL);
        if (search->without_built)
            print_option(stream, "without", "built", NULL);
        fprintf(stream, " --evaluations %llu", (unsigned long long)search->evaluations);
    }
    print_option(stream, "seed", result->inputs.seed, NULL);
}

/* Of "1 to 64 terms in steps of 9". */
static void print_lengths(FILE *stream, const char *description) {
    unsigned long long least, most, step;
    int count = sscanf(description, "%llu to %llu terms in steps of %llu", &least, &most, &step);
    if (count >= 1)
        fprintf(stream, " --lengths %llu", least);
    if (count >= 2)
        fprintf(stream, ":%llu", most);
    if (count == 3)
        fprintf(stream, ":%llu", step);
}

static void print_inputs(FILE *stream, const struct read_result *result) {
    bool is_arrays = strcmp(result->inputs.kind, "arrays") == 0;
    if (is_arrays)
        print_draws(stream, result);
    /* Arrays of one's own have an identity; those that are drawn have a seed. */
    if (strcmp(result->inputs.kind, "file") == 0 || (is_arrays && *result->inputs.identity))
        print_file(stream, result->inputs.description);
    if (strcmp(result->inputs.kind, "special") == 0)
        fputs(" --special", stream);
    if (strcmp(result->inputs.kind, "samples") == 0)
        print_samples(stream, result, (unsigned long long)result->inputs.count);
    if (strcmp(result->inputs.kind, "search") == 0)
        print_search(stream, result);
    if (strcmp(result->inputs.kind, "lengths") == 0)
        print_lengths(stream, result->inputs.description);
    if (strcmp(result->inputs.kind, "samples") == 0 || strcmp(result->inputs.kind, "range") == 0 ||
        strcmp(result->inputs.kind, "search") == 0)
        print_ranges(stream, result->inputs.description);
}

/* The first witness of the faults of a kind, or of any where none is named, or that of a member:
 * "flags/missing", "errno/", "promise/worst". */
static const cJSON *witness_of_fault(const cJSON *implementation, const char *where,
                                     const char *slash) {
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)(slash - where), where);
    const cJSON *row, *effects = json_get(implementation, name);
    cJSON_ArrayForEach(row, json_get(effects, "faults")) {
        if (!slash[1] || strcmp(report_string(row, "fault"), slash + 1) == 0)
            return json_get(row, "first");
    }
    return json_get(effects, slash + 1);
}

static bool is_nan(const struct format *format, const cJSON *item) {
    uint64_t code;
    int digits;
    return record_code_of(item, &code, &digits) && code <= format_mask(format) &&
           format_is_nan(format, code);
}

/* The first mismatch of that kind, "nan" or "sign"; in a report of before there were such members, the first of its list. */
static const cJSON *mismatch_of(const struct gate_case *gate_case, const char *kind) {
    const struct format *format = read_result_format(gate_case->result);
    const cJSON *one =
        json_get(gate_case->implementation->json,
                 strcmp(kind, "nan") == 0 ? "first_nan_mismatch" : "first_sign_mismatch");
    if (one)
        return one;
    cJSON_ArrayForEach(one, json_get(gate_case->implementation->json, FIRST_MISMATCHES)) {
        const bool of_nan =
            format && is_nan(format, json_get(one, "got")) != is_nan(format, json_get(one, "want"));
        if (of_nan == (strcmp(kind, "nan") == 0))
            return one;
    }
    return NULL;
}

/* An object, or the first element of an array; NULL if there is none. */
static const cJSON *witness_of(const struct gate_case *gate_case, const char *where) {
    const cJSON *implementation = gate_case->implementation->json;
    const char *slash = strchr(where, '/');
    if (slash && strncmp(where, FIRST_MISMATCHES, strlen(FIRST_MISMATCHES)) == 0)
        return mismatch_of(gate_case, slash + 1);
    if (slash)
        return witness_of_fault(implementation, where, slash);
    const cJSON *item = json_get(implementation, where);
    return cJSON_IsArray(item) ? cJSON_GetArrayItem(item, 0) : item;
}

/* One that has an input. */
static const cJSON *find_witness(const struct gate_case *gate_case, const char *where) {
    const char *const places[] = {where, "worst", FIRST_MISMATCHES, "max_ulp"};
    /* Another kind of mismatch shows nothing of this one. */
    const bool is_mismatch = strncmp(where, FIRST_MISMATCHES "/", sizeof FIRST_MISMATCHES) == 0;
    const size_t count = is_mismatch ? 1 : sizeof places / sizeof *places;
    const cJSON *witness = NULL;
    for (size_t i = 0; i < count && !json_get(witness, "input"); i++)
        witness = witness_of(gate_case, places[i]);
    /* A sweep draws the inputs of arrays again. */
    const cJSON *input = json_get(witness, "input");
    return input && !cJSON_IsObject(input) ? witness : NULL;
}

static bool print_values(FILE *stream, const cJSON *input) {
    const cJSON *one;
    if (cJSON_IsString(input)) {
        print_word(stream, input->valuestring);
        return true;
    }
    cJSON_ArrayForEach(one, input) if (cJSON_IsString(one)) print_word(stream, one->valuestring);
    return cJSON_IsArray(input);
}

/* The property by which the most inputs change bits; NULL where none do. */
static const struct property_record *most_changed(const struct read_implementation *one) {
    uint64_t most = read_most_changed(one);
    for (size_t i = 0; most && i < one->property_count; i++)
        if (one->properties[i].changed == most)
            return &one->properties[i];
    return NULL;
}

static const char *command_name(const struct gate_case *gate_case) {
    static const char *const names[] = {[READ_JUDGED] = "sweep",
                                        [READ_INVARIANCE] = "invariance",
                                        [READ_EXPLANATION] = "explain",
                                        [READ_ORDER] = "reveal",
                                        [READ_TRACE] = "trace"};
    bool search = strcmp(gate_case->result->inputs.kind, "search") == 0;
    return search ? "search" : names[gate_case->implementation->kind];
}

/* Whether a text is a command of this program, and nothing but that: words as foreign_print writes them for a
 * shell, without what a shell or Markdown would take for more. */
static bool is_own_command(const char *text) {
    static const char own[] = "detcheck ";
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 "
                                "-_./:,=+@%^";
    bool quoted = false, escaping = false; /* within '...', and within $'...' */
    if (strncmp(text, own, sizeof own - 1) != 0)
        return false;
    for (const char *at = text; *at; at++) {
        if (*at == '`' || *at == '|' || *at == '\n')
            return false;
        if (quoted && escaping && *at == '\\' && at[1])
            at++;
        else if (*at == '\'') {
            escaping = !quoted && at > text && at[-1] == '$';
            quoted = !quoted;
        } else if (!quoted && !strchr(plain, *at) && !(*at == '$' && at[1] == '\''))
            return false;
    }
    return !quoted;
}

const char *gate_command_text(const char *reported) {
    return reported && is_own_command(reported) ? reported : NULL;
}

/* What the report itself says shows it; NULL where it says nothing. */
static const char *command_reported(const struct gate_case *gate_case, const char *where) {
    const struct read_implementation *one = gate_case->implementation;
    const struct property_record *changed = most_changed(one);
    const char *reported = "";
    if (where && strcmp(where, "invariance") == 0 && changed)
        reported = changed->first.command;
    else if (where && one->kind == READ_EXPLANATION)
        reported = strcmp(where, "explanation/first") == 0 ? one->explanation.command
                                                           : one->explanation.unexplained_command;
    return gate_command_text(reported);
}

const cJSON *gate_witness(const struct gate_case *gate_case, const char *where) {
    return where && !command_reported(gate_case, where) ? find_witness(gate_case, where) : NULL;
}

char *gate_command(const struct gate_case *gate_case, const char *where) {
    const char *reported = command_reported(gate_case, where);
    if (reported)
        return strdup(reported);
    char *text = NULL;
    size_t size;
    FILE *stream = memory_stream(&text, &size);
    if (!stream)
        return NULL;
    const cJSON *input = json_get(gate_witness(gate_case, where), "input");
    fprintf(stream, "detcheck %s", input ? "eval" : command_name(gate_case));
    print_operation(stream, gate_case->result->operation);
    if (input)
        print_values(stream, input);
    print_case(stream, gate_case, input != NULL);
    if (!input)
        print_inputs(stream, gate_case->result);
    print_option(stream, "impl", gate_case->implementation->name, input ? "libm" : NULL);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* What explain takes beside the implementation of a case; NULL if nothing. */
static const char *right_for(const struct read_result *result) {
    struct compare_row row = {.equal = false};
    struct binding_request computed;
    struct error unused;
    char text[SECTION_TEXT];
    int of;
    FILE *stream = fmemopen(row.parameters, sizeof row.parameters - 1, "w");
    if (!stream)
        return NULL;
    print_parameters(stream, result->given, "strict_nan");
    snprintf(row.operation, sizeof row.operation, "%s", result->operation);
    snprintf(row.format, sizeof row.format, "%s", result->format);
    snprintf(row.rounding, sizeof row.rounding, "%s", result->rounding);
    return fclose(stream) == 0 && compare_find_request(&row, text, &computed, &of, &unused)
               ? explain_right(&computed)
               : NULL;
}

/* explain draws samples as sweep does, and takes all inputs there are; it does not search. */
char *gate_why(const struct gate_case *gate_case) {
    const struct read_result *result = gate_case->result;
    char *text = NULL;
    size_t size;
    const char *right = right_for(result);
    FILE *stream = right && gate_case->implementation->kind == READ_JUDGED &&
                           strcmp(gate_case->implementation->name, right) != 0 &&
                           strcmp(result->inputs.kind, "search") != 0
                       ? memory_stream(&text, &size)
                       : NULL;
    if (!stream)
        return NULL;
    fputs("detcheck explain", stream);
    print_operation(stream, result->operation);
    print_case(stream, gate_case, true);
    print_inputs(stream, result);
    print_option(stream, "impl", gate_case->implementation->name, NULL);
    print_option(stream, "impl", right, NULL);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

char *gate_options(const struct gate_case *gate_case) {
    char *text = NULL;
    size_t size;
    FILE *stream = memory_stream(&text, &size);
    if (!stream)
        return NULL;
    print_parameters(stream, gate_case->result->given, NULL);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    if (size && *text == ' ') /* between words */
        memmove(text, text + 1, size);
    return text;
}
