/* What verify found of a group: as text, and as JSON. */
#include "verify_output.h"
#include "json_codes.h"

#include "base/foreign.h"
#include "explain/right.h"
#include "format/text.h"
#include "report/compare.h"
#include "report/fingerprints.h"
#include "report/items.h"
#include "report/report.h"
#include "report/text.h"

#include <string.h>

static void print_codes(const char *label, const struct format *format, const uint64_t *codes,
                        int count) {
    char decimal[NUMBER_TEXT], hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    for (int i = 0; i < count; i++)
        printf("    %-5s %s  %s  %s\n", i ? "" : label,
               format_decimal_text(format_of_operand(format, i), codes[i], decimal),
               format_hex_text(format_of_operand(format, i), codes[i], hex),
               format_bits_text(format_of_operand(format, i), codes[i], bits));
}

/* The first element of an array that fails. */
static void print_element(const struct verify_mismatch *mismatch) {
    const struct format *format = mismatch->format;
    printf("    element %llu of result %d\n", (unsigned long long)mismatch->element,
           mismatch->result);
    print_codes("got", format, &mismatch->got, 1);
    print_codes("want", format, &mismatch->want, 1);
}

/* ": raises inexact, missing: overflow" */
static void print_flags(const struct verify_mismatch *mismatch) {
    const struct {
        const char *label;
        uint8_t flags;
    } wrong[] = {{"missing", mismatch->missing},
                 {"spurious", mismatch->spurious},
                 {"clears what was set", mismatch->cleared}};
    char text[FLAGS_TEXT];
    printf(": raises %s", flags_text(mismatch->raised, text));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (wrong[i].flags)
            printf(", %s: %s", wrong[i].label, flags_text(wrong[i].flags, text));
}

/* ": errno none, not ERANGE" */
static void print_errno(const struct verify_mismatch *mismatch, uint8_t errnos) {
    const char *before = ", not ";
    printf(": errno %s", errno_names[mismatch->errno_after]);
    for (int i = 0; i < ERRNO_KINDS; i++)
        if (errnos >> i & 1) {
            printf("%s%s", before, errno_names[i]);
            before = " or ";
        }
}

static void print_mismatch(const struct vector_group *group, enum vector_expect whose,
                           const struct verify_mismatch *mismatch) {
    const struct vector_test *test = &group->tests.items[mismatch->test];
    const struct binding_request *computed = &group->computed;
    const struct format *format = request_result_format(computed);
    char name[64], error[32];
    printf("  test %llu", (unsigned long long)test->id);
    if (mismatch->is_of_flags)
        print_flags(mismatch);
    else if (mismatch->is_of_errno)
        print_errno(mismatch, test->errnos);
    else if (computed->operation->results > 1 && !mismatch->event)
        printf(", %s", operation_result_name(computed->operation, mismatch->result, name));
    if (mismatch->event)
        printf(": %s", mismatch->event);
    if (mismatch->has_error)
        printf(": %s ulp", text_error(mismatch->error, 6, error));
    printf("\n");
    if (computed->operation->array) {
        if (!mismatch->event)
            print_element(mismatch);
        return;
    }
    print_codes("x", computed->format, test->in, computed->operation->operands);
    if (mismatch->is_of_flags || mismatch->is_of_errno)
        return;
    if (!mismatch->event)
        print_codes("got", format, &mismatch->got, 1);
    print_codes("want", format, &test->out[whose][mismatch->event ? 0 : mismatch->result],
                mismatch->event ? computed->operation->results : 1);
}

/* The options of a command that computes what the group does. */
static void print_options(const struct binding_request *computed) {
    char word[SECTION_TEXT];
    if (computed->format != &formats[FORMAT_FP32]) /* which every command takes by itself */
        printf(" -f %s", foreign_text(FOREIGN_SHELL, computed->format->name, word, sizeof word));
    if (computed->rounding != ROUND_NEAREST_EVEN)
        printf(" -r %s", rounding_names[computed->rounding]);
    fingerprints_describe_parameters(&computed->parameters, word);
    printf("%s%s", *word ? " " : "", FOREIGN(word));
}

/* The first test that has a wrong output: not flags, errno or a call that did not return; or NULL. */
static const struct verify_mismatch *wrong_output(const struct verify_outcome *outcome) {
    for (size_t i = 0; i < outcome->shown_count; i++)
        if (!outcome->shown[i].event && !outcome->shown[i].is_of_flags &&
            !outcome->shown[i].is_of_errno)
            return &outcome->shown[i];
    return NULL;
}

/* " --range FIRST:LAST" of an input's neighbours, which explain takes seconds for; the other operands stay as they are. */
static void print_neighbours(const struct binding_request *computed, const uint64_t *in) {
    const struct operation *operation = computed->operation;
    char bits[2][NUMBER_TEXT];
    uint64_t ends[2];
    if (operation->array || !compare_neighbours(operation, computed->format, in[0], ends))
        return;
    for (int i = 0; i < operation->operands; i++) {
        const struct format *format = format_of_operand(computed->format, i);
        printf(" --range %s:%s", format_bits_text(format, i ? in[i] : ends[0], bits[0]),
               format_bits_text(format, i ? in[i] : ends[1], bits[1]));
    }
}

/* The command that explains outputs that are wrong. */
static void print_why(const struct vector_group *group, const struct implementation *implementation,
                      const struct verify_outcome *outcome) {
    const struct binding_request *computed = &group->computed;
    const struct verify_mismatch *wrong = wrong_output(outcome);
    const char *right = outcome->whose == EXPECT_DET ? "det" : explain_right(computed);
    char word[SECTION_TEXT];
    if (!wrong || !right || !explain_knows(computed->operation) ||
        strcmp(right, implementation->name) == 0)
        return;
    printf("  why: detcheck explain %s",
           foreign_text(FOREIGN_SHELL, computed->operation->name, word, sizeof word));
    print_options(computed);
    print_neighbours(computed, group->tests.items[wrong->test].in);
    fputs(" --impl ", stdout);
    foreign_print(stdout, FOREIGN_SHELL, implementation->name);
    printf(" --impl %s\n", right);
}

/* "3 of 190 tests fail", "192 tests in 192 groups pass" */
static void print_verdict(const struct verify_outcome *outcome, size_t groups) {
    const char *end = outcome->tests == 1 ? "" : "s", *verb = outcome->tests == 1 ? "es" : "";
    char count[32], total[32];
    text_grouped(outcome->tests, total);
    if (outcome->mismatches)
        printf("%s of %s test%s fail%s", text_grouped(outcome->mismatches, count), total, end,
               outcome->tests == 1 ? "s" : "");
    else if (groups > 1)
        printf("%s test%s in %s groups pass%s", total, end, text_grouped(groups, count), verb);
    else
        printf("%s test%s pass%s", total, end, verb);
}

void verify_print_outcome(const char *path, const struct vector_group *group,
                          const struct implementation *implementation,
                          const struct verify_outcome *outcome, size_t groups) {
    const struct binding_request *computed = &group->computed;
    char count[32];
    printf("%s: %s %s %s %s", FOREIGN(path), computed->operation->name, computed->format->name,
           rounding_names[computed->rounding], vector_expect_names[outcome->whose]);
    if (groups == 1)
        text_print_parameters(stdout, &computed->parameters);
    if (!outcome->provided) {
        printf(": not provided by %s: %s", FOREIGN(implementation->name), outcome->reason.text);
        if (groups > 1)
            printf(" (%s groups)", text_grouped(groups, count));
        printf("\n");
        return;
    }
    printf(": %s: ", FOREIGN(implementation->name));
    print_verdict(outcome, groups);
    if (outcome->within)
        printf(", %s by --max-ulp", text_grouped(outcome->within, count));
    if (outcome->nan_bits_differ)
        printf(", %s NaNs with other bits", text_grouped(outcome->nan_bits_differ, count));
    if (outcome->flag_mismatches)
        printf(", %s by their flags", text_grouped(outcome->flag_mismatches, count));
    if (outcome->errno_mismatches)
        printf(", %s by errno", text_grouped(outcome->errno_mismatches, count));
    if (outcome->flags_reported && outcome->promises_no_flags)
        printf(", flags judged by its promise: it clears none");
    printf("\n");
    for (size_t i = 0; i < outcome->shown_count; i++)
        print_mismatch(group, outcome->whose, &outcome->shown[i]);
    print_why(group, implementation, outcome);
}

/* Whether a command can try every input: the operands are numbers of at most 32 bits together. */
static bool inputs_can_all_be_tried(const struct binding_request *computed) {
    return !computed->operation->array && request_input_bits(computed) <= 32;
}

/* Whether one command takes both. */
static bool are_taken_together(const struct binding_request *a, const struct binding_request *b) {
    char words[2][SECTION_TEXT];
    fingerprints_describe_parameters(&a->parameters, words[0]);
    fingerprints_describe_parameters(&b->parameters, words[1]);
    return a->format == b->format && a->rounding == b->rounding && strcmp(words[0], words[1]) == 0;
}

/* The line of the groups whose inputs can all be tried, or of the others. compare computes no errors, so it proves faster than a sweep;
 * it takes no arrays. */
static void print_limits_of(const struct verify_port *port, bool all, const char *head) {
    const struct binding_request *first = NULL;
    char word[SECTION_TEXT];
    size_t others = 0;
    for (size_t i = 0; i < port->count; i++) {
        const struct binding_request *group = port->groups[i];
        if (inputs_can_all_be_tried(group) != all)
            continue;
        if (!first)
            printf("%s: detcheck %s", head, all ? "compare" : "sweep");
        first = first ? first : group;
        if (!are_taken_together(first, group)) {
            others++;
            continue;
        }
        printf(" %s", foreign_text(FOREIGN_SHELL, group->operation->name, word, sizeof word));
    }
    if (!first)
        return;
    print_options(first);
    fputs(" --impl det --impl ", stdout);
    foreign_print(stdout, FOREIGN_SHELL,
                  port->implementation ? port->implementation : "exec:COMMAND");
    if (others)
        printf("\n  and with the formats, roundings and parameters of %zu other group%s", others,
               others == 1 ? "" : "s");
    printf("\n");
}

void verify_print_limits(const struct verify_port *port) {
    if (!port->count)
        return;
    printf("Other inputs are not tested: %s can have other bits there.\n",
           port->implementation ? FOREIGN(port->implementation) : "a port");
    print_limits_of(port, true, "Proof by all inputs");
    print_limits_of(port, false, "More inputs, no proof");
}

static void add_mismatch(cJSON *array, const struct vector_group *group, enum vector_expect whose,
                         const struct verify_mismatch *mismatch) {
    const struct vector_test *test = &group->tests.items[mismatch->test];
    const struct operation *operation = group->computed.operation;
    const struct format *format =
        operation->array ? mismatch->format : request_result_format(&group->computed);
    char name[64];
    cJSON *object = json_append(array);
    cJSON_AddNumberToObject(object, "tcId", (double)test->id);
    if (operation->array && mismatch->event) {
        cJSON_AddStringToObject(object, "event", mismatch->event);
        return;
    }
    if (operation->array) {
        cJSON_AddNumberToObject(object, "element", (double)mismatch->element);
        json_add_codes(object, "want", format, &mismatch->want, 1);
    } else {
        json_add_codes(object, "in", group->computed.format, test->in, operation->operands);
        json_add_codes(object, "want", format, test->out[whose], operation->results);
    }
    if (mismatch->event) {
        cJSON_AddStringToObject(object, "event", mismatch->event);
        return;
    }
    if (mismatch->is_of_flags) {
        cJSON *flags = cJSON_AddObjectToObject(object, "flags");
        json_add_names(flags, "raised", flag_names, FLAGS, mismatch->raised);
        json_add_names(flags, "missing", flag_names, FLAGS, mismatch->missing);
        json_add_names(flags, "spurious", flag_names, FLAGS, mismatch->spurious);
        json_add_names(flags, "cleared", flag_names, FLAGS, mismatch->cleared);
        return;
    }
    if (mismatch->is_of_errno) {
        cJSON *errnos = cJSON_AddObjectToObject(object, "errno");
        cJSON_AddStringToObject(errnos, "after", errno_names[mismatch->errno_after]);
        json_add_names(errnos, "allowed", errno_names, ERRNO_KINDS, test->errnos);
        return;
    }
    cJSON_AddStringToObject(object, "result",
                            operation_result_name(operation, mismatch->result, name));
    cJSON_AddStringToObject(object, "got", format_bits_text(format, mismatch->got, name));
    if (mismatch->has_error)
        report_add_error(object, "error", mismatch->error);
}

void verify_add_outcome(cJSON *results, const char *path, const struct vector_group *group,
                        const struct implementation *implementation,
                        const struct verify_outcome *outcome) {
    const struct binding_request *computed = &group->computed;
    cJSON *object = json_append(results);
    cJSON_AddStringToObject(object, "file", path);
    cJSON_AddStringToObject(object, "operation", computed->operation->name);
    cJSON_AddStringToObject(object, "format", computed->format->name);
    cJSON_AddStringToObject(object, "rounding", rounding_names[computed->rounding]);
    cJSON_AddStringToObject(object, "expect", vector_expect_names[outcome->whose]);
    report_add_parameters(cJSON_AddObjectToObject(object, "parameters"), &computed->parameters);
    cJSON_AddStringToObject(object, "implementation", implementation->name);
    cJSON_AddStringToObject(object, "detail", outcome->detail);
    cJSON_AddBoolToObject(object, "provided", outcome->provided);
    if (!outcome->provided) {
        cJSON_AddStringToObject(object, "reason", outcome->reason.text);
        return;
    }
    cJSON_AddNumberToObject(object, "tests", (double)outcome->tests);
    cJSON_AddNumberToObject(object, "mismatches", (double)outcome->mismatches);
    cJSON_AddNumberToObject(object, "within_max_ulp", (double)outcome->within);
    cJSON_AddNumberToObject(object, "nan_bits_differ", (double)outcome->nan_bits_differ);
    if (outcome->flags_reported) {
        cJSON_AddNumberToObject(object, "flag_mismatches", (double)outcome->flag_mismatches);
        cJSON_AddBoolToObject(object, "flags_promised", !outcome->promises_no_flags);
    }
    if (outcome->errnos_reported)
        cJSON_AddNumberToObject(object, "errno_mismatches", (double)outcome->errno_mismatches);
    cJSON *first = cJSON_AddArrayToObject(object, "first");
    for (size_t i = 0; i < outcome->shown_count; i++)
        add_mismatch(first, group, outcome->whose, &outcome->shown[i]);
}
