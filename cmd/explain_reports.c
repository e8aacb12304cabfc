/* Parameters, inputs and commands. */
#include "explain_reports.h"

#include "report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool explain_describe_parameters(const cJSON *given, char text[SECTION_TEXT]) {
    size_t length = 0;
    const cJSON *member;
    bool good = true;
    *text = '\0';
    cJSON_ArrayForEach(member, given) {
        if (strcmp(member->string, "strict_nan") == 0) {
            good = good && !cJSON_IsTrue(member);
            continue;
        }
        int wrote = -1;
        if (cJSON_IsTrue(member))
            wrote = snprintf(text + length, SECTION_TEXT - length, " --%s", member->string);
        else if (cJSON_IsNumber(member))
            wrote = snprintf(text + length, SECTION_TEXT - length, " --%s %.0f", member->string,
                             member->valuedouble);
        else if (cJSON_IsString(member) && !strpbrk(member->valuestring, " "))
            wrote = snprintf(text + length, SECTION_TEXT - length, " --%s %s", member->string,
                             member->valuestring);
        good = good && wrote > 0 && length + (size_t)wrote < SECTION_TEXT;
        length += good ? (size_t)wrote : 0;
    }
    if (*text)
        memmove(text, text + 1, strlen(text));
    return good;
}

bool explain_say_commands(const struct gate_case cases[2], struct error *why) {
    char *commands[2] = {gate_command(&cases[0], NULL), gate_command(&cases[1], NULL)};
    if (!commands[0] || !commands[1])
        error_set(why, "out of memory");
    else
        error_set(why,
                  "only one of two reports can be from this machine; on that of A run '%s "
                  "--fingerprints A.txt', on that of B '%s --fingerprints B.txt', and on either "
                  "'detcheck explain A.txt B.txt'",
                  commands[0], commands[1]);
    free(commands[0]);
    free(commands[1]);
    return false;
}

enum { SHOWN_CODES = 100 };

const char *explain_describe_inputs(const struct fingerprint_section *section,
                                    char text[SECTION_TEXT]) {
    unsigned long long samples, seed, run;
    char count[32], drawn[80] = "", runs[48] = "";
    int length = 0;
    const bool sampled = sscanf(section->codes, "samples %llu %llu %llu of %n", &samples, &seed,
                                &run, &length) == 3 &&
                         length;
    const char *codes = section->codes + (sampled ? length : 0);
    if (sampled && run > 1)
        snprintf(runs, sizeof runs, " in runs of %llu", run);
    if (sampled)
        snprintf(drawn, sizeof drawn, "%s, seed %llu,", runs, seed);
    const bool known = *codes && strcmp(codes, "-") != 0 && strlen(codes) <= SHOWN_CODES;
    snprintf(text, SECTION_TEXT, "%s %s%s%s%s %s %.*s", text_grouped(section->count, count),
             sampled ? "sampled " : "",
             fingerprints_are_of_calls(section->operation) ? "call" : "input",
             section->count == 1 ? "" : "s", drawn, known ? "of" : "with the digest", SHOWN_CODES,
             known ? codes : section->inputs);
    return text;
}
