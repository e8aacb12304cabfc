/* What `detcheck eval` says of an operation on numbers, as text and as JSON. */
#include "eval.h"
#include "json_codes.h"

#include "base/foreign.h"
#include "format/profile.h"
#include "format/text.h"
#include "report/items.h"
#include "report/report.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *verdict_text(const struct judgement *judgement) {
    switch (judgement->verdict) {
    case VERDICT_CORRECT:
        return judgement->nan_bits_differ ? "NaN as it should be, with other bits"
                                          : "correctly rounded";
    case VERDICT_INCORRECT:
        return judgement->faithful ? "faithful, not correctly rounded" : "not faithful";
    case VERDICT_SIGN_MISMATCH:
        return "wrong sign of zero";
    default:
        return "NaN mismatch";
    }
}

void print_number(const char *label, const struct format *format, uint64_t code) {
    char decimal[NUMBER_TEXT], hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    printf("  %-9s %s  %s  %s", label, format_decimal_text(format, code, decimal),
           format_hex_text(format, code, hex), format_bits_text(format, code, bits));
}

/* "none or ERANGE" */
static const char *errnos_text(uint8_t errnos, char *text) {
    *text = '\0';
    for (int i = 0; i < ERRNO_KINDS; i++)
        if (errnos >> i & 1) {
            strcat(text, *text ? " or " : "");
            strcat(text, errno_names[i]);
        }
    return text;
}

static uint8_t open_of(const struct flag_expectation *expected) {
    return (uint8_t)(expected->permitted & ~expected->required);
}

static void print_expectation(const struct evaluation *evaluation) {
    const struct flag_expectation *expected = &evaluation->expected;
    char text[FLAGS_TEXT];
    if (evaluation->observed.flags) {
        printf("  flags     %s", flags_text(expected->required, text));
        if (open_of(expected))
            printf("; left open: %s", flags_text(open_of(expected), text));
        printf("\n");
    }
    if (evaluation->observed.errnos)
        printf("  errno     %s\n", errnos_text(expected->errnos, text));
}

/* What the call did to the flags, and what of that is wrong. */
static void print_flags(const struct answer *answer, int indent) {
    uint8_t missing = (uint8_t)(answer->expected.required & ~answer->raised);
    uint8_t spurious = (uint8_t)(answer->raised & ~answer->expected.permitted);
    uint8_t open =
        (uint8_t)(open_of(&answer->expected) & ~(1u << FLAG_INEXACT)); /* nearly always */
    char text[FLAGS_TEXT];
    if (!answer->tells_flags) {
        printf("%*sit does not report its flags\n", indent, "");
        return;
    }
    printf("%*sraises %s", indent, "", flags_text(answer->raised, text));
    if (missing)
        printf(", missing: %s", flags_text(missing, text));
    if (spurious)
        printf(", spurious: %s", flags_text(spurious, text));
    if (answer->cleared)
        printf(", clears what was set: %s", flags_text(answer->cleared, text));
    if (answer->promises_no_flags)
        printf("; it promises to clear none, and no more\n");
    else
        printf("%s\n", missing || spurious || answer->cleared ? ""
                       : open                                 ? ", as it may"
                                                              : ", as it should");
}

static void print_errno(const struct answer *answer, int indent) {
    char text[FLAGS_TEXT];
    if (!answer->tells_errno)
        printf("%*sit does not report errno\n", indent, "");
    else if (!(answer->expected.errnos >> answer->errno_after & 1))
        printf("%*serrno %s, not %s\n", indent, "", errno_names[answer->errno_after],
               errnos_text(answer->expected.errnos, text));
    else
        printf("%*serrno %s, as it %s\n", indent, "", errno_names[answer->errno_after],
               answer->promises_no_flags ? "promises" : "should be");
}

void eval_print_truth(const struct evaluation *evaluation, const struct truth *truth) {
    static const char *const names[] = {"x", "y", "z"};
    printf("%s in %s, %s", truth->name, evaluation->format->name,
           rounding_names[evaluation->rounding]);
    text_print_parameters(stdout, &evaluation->parameters);
    printf("\n");
    for (int i = 0; i < evaluation->operation->operands; i++) {
        print_number(names[i], format_of_operand(evaluation->format, i), evaluation->input[i]);
        printf("\n");
    }
    printf("  exact     %s\n", truth->exact);
    if (truth->is_open)
        printf("  rounded   undefined by the profile %s\n",
               profiles[parameter_integer(&evaluation->parameters, PARAMETER_PROFILE, 0)].name);
    else {
        print_number("rounded", evaluation->result_format, truth->want);
        printf("\n");
    }
    if (isfinite(truth->boundary_distance))
        printf("  boundary  %s%.17g ulp away: there the rounding changes\n",
               truth->distance_is_bound ? "at most " : "", truth->boundary_distance);
    print_expectation(evaluation);
}

void eval_print_answer(const struct evaluation *evaluation, const struct answer *answer) {
    char error[32];
    if (!answer->provided) {
        printf("  %-9s not provided: %s\n", FOREIGN(answer->name), answer->reason);
        return;
    }
    if (answer->unanswered) {
        printf("  %-9s no answer: %s\n", FOREIGN(answer->name), answer->event);
        return;
    }
    print_number(FOREIGN(answer->name), evaluation->result_format, answer->got);
    if (answer->event)
        printf("\n            %s", answer->event);
    if (answer->is_open)
        printf("\n            not judged: any result will do\n");
    else if (answer->judgement.in_ulps)
        printf("\n            %s ulp, %s\n", text_error(answer->judgement.error, 10, error),
               verdict_text(&answer->judgement));
    else
        printf("\n            %s\n", verdict_text(&answer->judgement));
    if (format_is_signalling(evaluation->result_format, answer->got))
        printf("            a signalling NaN, where a quiet one should come out\n");
    if (answer->is_given)
        return;
    eval_print_effects(&evaluation->observed, answer, 12);
}

void eval_print_effects(const struct flag_options *observed, const struct answer *answer,
                        int indent) {
    if (observed->flags)
        print_flags(answer, indent);
    if (observed->errnos)
        print_errno(answer, indent);
}

static void add_bits(cJSON *object, const char *name, const struct format *format, uint64_t code) {
    char text[NUMBER_TEXT];
    cJSON_AddStringToObject(object, name, format_bits_text(format, code, text));
}

cJSON *eval_json_truth(const struct evaluation *evaluation, const struct truth *truth) {
    const struct format *format = evaluation->result_format;
    char text[NUMBER_TEXT];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "operation", truth->name);
    cJSON_AddStringToObject(object, "format", evaluation->format->name);
    cJSON_AddStringToObject(object, "rounding", rounding_names[evaluation->rounding]);
    report_add_parameters(cJSON_AddObjectToObject(object, "parameters"), &evaluation->parameters);
    cJSON *input = cJSON_AddArrayToObject(object, "input");
    for (int i = 0; i < evaluation->operation->operands; i++)
        cJSON_AddItemToArray(
            input, cJSON_CreateString(format_bits_text(format_of_operand(evaluation->format, i),
                                                       evaluation->input[i], text)));
    cJSON_AddStringToObject(object, "exact", truth->exact);
    if (truth->is_open)
        cJSON_AddTrueToObject(object, "undefined");
    else
        add_bits(object, "want", format, truth->want);
    if (isfinite(truth->boundary_distance))
        report_add_error(object, "boundary_distance", truth->boundary_distance);
    if (truth->distance_is_bound)
        cJSON_AddTrueToObject(object, "boundary_distance_is_bound");
    if (evaluation->observed.flags) {
        cJSON *flags = cJSON_AddObjectToObject(object, "flags");
        json_add_names(flags, "required", flag_names, FLAGS, evaluation->expected.required);
        json_add_names(flags, "open", flag_names, FLAGS, open_of(&evaluation->expected));
    }
    if (evaluation->observed.errnos)
        json_add_names(object, "errno", errno_names, ERRNO_KINDS, evaluation->expected.errnos);
    cJSON_AddArrayToObject(object, "implementations");
    return object;
}

void eval_json_answer(cJSON *truth, const struct evaluation *evaluation,
                      const struct answer *answer) {
    cJSON *object = json_append(cJSON_GetObjectItemCaseSensitive(truth, "implementations"));
    cJSON_AddStringToObject(object, "name", answer->name);
    cJSON_AddStringToObject(object, "detail", answer->detail);
    cJSON_AddBoolToObject(object, "provided", answer->provided);
    if (!answer->provided) {
        cJSON_AddStringToObject(object, "reason", answer->reason);
        return;
    }
    if (answer->event)
        cJSON_AddStringToObject(object, "event", answer->event);
    if (answer->unanswered)
        return;
    add_bits(object, "got", evaluation->result_format, answer->got);
    cJSON_AddStringToObject(object, "verdict",
                            answer->is_open ? "undefined" : verdict_text(&answer->judgement));
    if (!answer->is_open)
        cJSON_AddBoolToObject(object, "faithful", answer->judgement.faithful);
    if (!answer->is_open && answer->judgement.in_ulps)
        report_add_error(object, "error", answer->judgement.error);
    eval_json_effects(object, answer);
}

void eval_json_effects(cJSON *object, const struct answer *answer) {
    const struct flag_expectation *expected = &answer->expected;
    if (answer->tells_flags) {
        cJSON *flags = cJSON_AddObjectToObject(object, "flags");
        cJSON_AddBoolToObject(flags, "promised", !answer->promises_no_flags);
        json_add_names(flags, "raised", flag_names, FLAGS, answer->raised);
        json_add_names(flags, "missing", flag_names, FLAGS, expected->required & ~answer->raised);
        json_add_names(flags, "spurious", flag_names, FLAGS, answer->raised & ~expected->permitted);
        json_add_names(flags, "cleared", flag_names, FLAGS, answer->cleared);
    }
    if (answer->tells_errno) {
        cJSON *number = cJSON_AddObjectToObject(object, "errno");
        cJSON_AddStringToObject(number, "got", errno_names[answer->errno_after]);
        cJSON_AddBoolToObject(number, "right", expected->errnos >> answer->errno_after & 1);
    }
}
