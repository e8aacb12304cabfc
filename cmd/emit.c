/* `detcheck emit`: test vectors for whoever has no oracle. */
#include "flag_options.h"
#include "inputs.h"
#include "left_out.h"
#include "messages.h"
#include "options.h"
#include "progress.h"
#include "threads.h"

#include "base/output.h"
#include "report/text.h"
#include "vector/emission.h"
#include "vector/read/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    OPTION_OPERATIONS,
    OPTION_FORMAT,
    OPTION_FROM,
    OPTION_ROUNDING,
    OPTION_EXPECT(
        "the outputs to expect: correctly_rounded, det, or both;\ndefault correctly_rounded"),
    {"count", 'n', VALUE_TEXT, "N",
     "at most N edges of binades, N hard inputs and N random inputs,\ndefault 280; at most N "
     "arrays "
     "of each shape, default 1"},
    OPTION_SEED,
    {"worst-of", 'w', VALUE_FILE, "REPORT",
     "add the inputs with the largest errors in this report of a\nsweep"},
    {"hard", 0, VALUE_FILE, "FILE",
     "also look for hard inputs in FILE: on each line a value, or\none for each operand"},
    {"inputs-of", 0, VALUE_FILE, "FILE",
     "take only the inputs of these vectors, and keep their kinds\n(the member flags of a test)"},
    {"as", 0, VALUE_TEXT, "STYLE", "one of json, testfloat, tst or numpy-csv; default json"},
    OPTION_FLAGS_AS("add the exception flags that calls have to raise"),
    OPTION_TININESS("after"),
    OPTION_THREADS,
    OPTION_OUTPUT("-"),
    {0}};

static const char details[] =
    "OPERATION is a name or a group: unary, binary, ternary, all; arrays ('detcheck list\n"
    "operations').\n"
    "The same command writes the same bytes on any machine.\n";

/* So that the random inputs visit every binade of fp32. */
enum { DEFAULT_COUNT = 280 };

struct emission {
    struct selection selection;
    struct choice_rules rules;
    struct error hard_note;
    uint64_t draws;   /* of arrays of each shape */
    unsigned expects; /* bits 1 << EXPECT_... */
    bool flags, tiny_after_rounding;
    const struct vector_style *style;
    const char *report_path; /* or NULL */
    struct read_report report;
    const char *inputs_path; /* or NULL */
    struct vector_file inputs;
    struct vector_group *groups;
    size_t group_count;
    struct left_out left_out;
    struct output output;
};

/* What --expect takes: whose bits, or everybody's. */
enum { EXPECTED_BOTH = VECTOR_EXPECTS };
static const char *const expects[] = {"correctly_rounded", "det", "both"};

/* Of the shapes of a row only those that a file has room for, where the user names none. */
enum { MOST_EMITTED = 257 };

static bool is_emitted(const struct shape *shape) {
    return shape_elements(shape) <= MOST_EMITTED;
}

/* Where there is room for none: the first, its longest extents halved. */
static struct shape smaller_shape(struct shape shape) {
    while (!is_emitted(&shape)) {
        int longest = 0;
        for (int i = 1; i < shape.dimensions; i++)
            if (shape.extents[i] > shape.extents[longest])
                longest = i;
        shape.extents[longest] /= 2;
    }
    return shape;
}

/* Groups of one operation, in one format and rounding: of arrays, one for each family and shape. */
static size_t groups_of(const struct operation *operation, const struct parameters *given) {
    size_t shapes = 0;
    if (!operation->array)
        return 1;
    const size_t families = array_family_count(operation->array);
    for (const struct shape *shape = operation->array->shapes; shape->dimensions; shape++)
        shapes += is_emitted(shape);
    shapes += !shapes;
    return (given->values[PARAMETER_DISTRIBUTION].present ? 1 : families) *
           (given->values[PARAMETER_SHAPE_OF].present ? 1 : shapes);
}

/* Whether det provides it, where its bits are asked for. */
static bool has_outputs(const struct emission *emission, const struct binding_request *computed,
                        struct error *error) {
    struct implementation det;
    struct binding binding;
    struct error why;
    if (!(emission->expects >> EXPECT_DET & 1))
        return true;
    if (!implementation_open(&det, "det", NULL, error))
        return false;
    bool bound = implementation_bind(&binding, &det, computed, &why);
    binding_close(&binding);
    return bound || error_set(error, "no bits of det to write for %s in %s, %s: %s",
                              computed->operation->name, computed->format->name,
                              rounding_names[computed->rounding], why.text);
}

/* Or leaves it out, where a group has it. */
static bool add_group(struct emission *emission, const struct binding_request *computed,
                      struct error *error) {
    bool has_flags = !emission->flags || !computed->operation->array ||
                     error_set(error, "--flags is for operations on numbers; %s is on arrays",
                               computed->operation->name);
    if (!has_flags || !select_call(&emission->selection, computed, error) ||
        !has_outputs(emission, computed, error))
        return leave_out(&emission->left_out, &emission->selection, computed->operation, error);
    emission->groups[emission->group_count++] =
        (struct vector_group){.expects = emission->expects,
                              .computed = *computed,
                              .has_raised = emission->flags,
                              .tiny_after_rounding = emission->tiny_after_rounding};
    return true;
}

/* A family in each of the shapes. */
static bool add_shapes(struct emission *emission, const struct binding_request *computed,
                       struct error *error) {
    struct binding_request one = *computed;
    struct parameter_value *value = &one.parameters.values[PARAMETER_SHAPE_OF];
    if (value->present)
        return add_group(emission, &one, error);
    const struct shape *shapes = computed->operation->array->shapes;
    bool any = false;
    for (const struct shape *shape = shapes; shape->dimensions; shape++)
        if (is_emitted(shape)) {
            *value = (struct parameter_value){.present = true, .shape = *shape};
            any = true;
            if (!add_group(emission, &one, error))
                return false;
        }
    *value = (struct parameter_value){.present = true, .shape = smaller_shape(*shapes)};
    return any || add_group(emission, &one, error);
}

static bool add_groups(struct emission *emission, const struct binding_request *computed,
                       struct error *error) {
    struct binding_request one = *computed;
    if (!select_parameters(&emission->selection, one.operation, one.format, one.rounding,
                           &one.parameters, error))
        return leave_out(&emission->left_out, &emission->selection, one.operation, error);
    if (!one.operation->array)
        return add_group(emission, &one, error);
    struct parameter_value *value = &one.parameters.values[PARAMETER_DISTRIBUTION];
    if (value->present)
        return add_shapes(emission, &one, error);
    const struct array_family *families = one.operation->array->families;
    for (size_t i = 0; i < array_family_count(one.operation->array); i++) {
        *value = (struct parameter_value){.present = true, .text = families[i].name};
        if (!add_shapes(emission, &one, error))
            return false;
    }
    return true;
}

static bool make_groups(struct emission *emission, struct error *error) {
    const struct selection *selection = &emission->selection;
    size_t most = 0;
    for (size_t i = 0; i < selection->operation_count; i++)
        most += groups_of(selection->operations[i], &selection->parameters) *
                selection->format_count * selection->rounding_count;
    emission->groups = calloc(most, sizeof *emission->groups);
    if (!emission->groups)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < selection->operation_count; i++)
        for (size_t j = 0; j < selection->format_count; j++)
            for (size_t k = 0; k < selection->rounding_count; k++) {
                const struct binding_request computed = {
                    .operation = selection->operations[i],
                    .format = selection->formats[j],
                    .rounding = select_rounding(selection, selection->operations[i],
                                                selection->formats[j], k),
                    .overflow = OVERFLOW_IEEE};
                if (!add_groups(emission, &computed, error))
                    return false;
            }
    if (!emission->group_count)
        return error_set(error, "%s", emission->left_out.why.text);
    left_out_note(&emission->left_out);
    /* Each group reads the file in its own format. */
    if (emission->rules.hard && emission->group_count > 1 && is_read_once(emission->rules.hard))
        return error_set(error,
                         "--hard %.200s can be read once only, and there are %zu groups of vectors "
                         "to choose for; name a plain file",
                         emission->rules.hard, emission->group_count);
    return vector_style_fits(emission->style, emission->groups, emission->group_count, error);
}

static bool read_arguments(struct emission *emission, const struct arguments *arguments,
                           struct error *error) {
    if (!arguments->positional_count)
        return error_set(error, "emit needs an operation, such as exp, or unary; 'detcheck list "
                                "operations' names them all");
    unsigned long long count, seed;
    int threads, expect;
    struct flag_options flags;
    if (!select_operations(&emission->selection, arguments->positional, arguments->positional_count,
                           error) ||
        !select_options(&emission->selection, arguments, "det", error) ||
        !threads_given(arguments, &threads, error) ||
        !argument_number(arguments, "count", 1, 1 << 24, DEFAULT_COUNT, &count, error) ||
        !argument_number(arguments, "seed", 0, UINT64_MAX, 1, &seed, error) ||
        !argument_choice(arguments, "expect", expects, EXPECTED_BOTH + 1, EXPECT_CORRECTLY_ROUNDED,
                         &expect, error) ||
        !read_flag_options(arguments, &flags, error))
        return false;
    emission->flags = flags.flags;
    /* The same bytes on any machine. */
    emission->tiny_after_rounding =
        !argument_given(arguments, "tininess") || flags.rules.tiny_after_rounding;
    emission->expects = expect == EXPECTED_BOTH ? (1u << VECTOR_EXPECTS) - 1 : 1u << expect;
    emission->rules = (struct choice_rules){.count = count, .seed = seed, .threads = threads};
    emission->rules.hard = argument_value(arguments, "hard", NULL);
    emission->rules.hard_note = &emission->hard_note;
    emission->draws = argument_given(arguments, "count") ? count : 1;
    emission->style = vector_style_find(argument_value(arguments, "as", "json"), error);
    emission->inputs_path = argument_value(arguments, "inputs-of", NULL);
    emission->report_path = argument_value(arguments, "worst-of", NULL);
    return emission->style &&
           (!emission->report_path ||
            report_read(&emission->report, emission->report_path, error)) &&
           (!emission->inputs_path ||
            vector_read(&emission->inputs, emission->inputs_path, error)) &&
           make_groups(emission, error) &&
           output_open(&emission->output, argument_value(arguments, "output", "-"), error);
}

/* Vectors that turn out to be impossible leave nothing behind, in a pipe either. */
static bool emit_whole(struct emission *emission, const struct vector_emission *all,
                       const struct progress *progress, struct error *error) {
    if (emission->output.stream != stdout)
        return vector_emit(all, emission->output.stream, error);
    FILE *whole = tmpfile();
    if (!whole)
        return error_set(error, "cannot make a temporary file: %s", strerror(errno));
    bool made = vector_emit(all, whole, error);
    progress_hide(progress);
    if (made && fseek(whole, 0, SEEK_SET) != 0)
        made = error_set(error, "a temporary file: %s", strerror(errno));
    char part[1 << 12];
    for (size_t count; made && (count = fread(part, 1, sizeof part, whole)) > 0;)
        if (fwrite(part, 1, count, stdout) != count)
            break; /* output_commit says why */
    if (made && ferror(whole))
        made = error_set(error, "a temporary file: %s", strerror(EIO));
    fclose(whole);
    return made;
}

static bool emit(struct emission *emission, const struct arguments *arguments,
                 struct error *error) {
    if (!read_arguments(emission, arguments, error))
        return false;
    struct progress progress;
    progress_begin(&progress, 0, false);
    progress.label =
        emission->selection.operation_count == 1 ? emission->selection.operations[0]->name : "all";
    const struct vector_emission all = {.stage = {.tell = progress_share, .context = &progress},
                                        .style = emission->style,
                                        .rules = emission->rules,
                                        .draws = emission->draws,
                                        .report = emission->report_path ? &emission->report : NULL,
                                        .inputs = emission->inputs_path ? &emission->inputs : NULL,
                                        .groups = emission->groups,
                                        .group_count = emission->group_count};
    const bool emitted = emit_whole(emission, &all, &progress, error);
    progress_hide(&progress);
    return emitted && output_commit(&emission->output, error);
}

static int run(const struct arguments *arguments) {
    static struct emission emission;
    struct error error;
    bool done = emit(&emission, arguments, &error);
    if (done)
        remark("note", &emission.hard_note);
    output_discard(&emission.output);
    free(emission.groups);
    vector_file_free(&emission.inputs);
    if (emission.report.document)
        report_read_free(&emission.report);
    return done ? EXIT_OK : trouble(&error);
}

const struct command command_emit = {
    .name = "emit",
    .usage = "OPERATION...",
    .summary = "write test vectors: inputs and their right outputs",
    .details = details,
    .arguments = VALUE_OPERATIONS,
    .options = options,
    .parameters = PARAMETERS_ALL,
    .run = run,
};
