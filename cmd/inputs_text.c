/* Inputs in words, and as options. */
#include "inputs_text.h"

#include "base/foreign.h"
#include "base/memory.h"
#include "report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *inputs_noun(int operands, uint64_t count) {
    static const char *const nouns[MAX_OPERANDS][2] = {
        {"inputs", "input"}, {"pairs", "pair"}, {"triples", "triple"}};
    return nouns[operands - 1][count == 1];
}

/* Of samples in runs that are all whole runs that there are: how many inputs are in none. */
static uint64_t left_over(const struct domain *domain, uint64_t wanted) {
    uint64_t values = domain->sets[domain->operands - 1].count;
    uint64_t rest = domain->count < wanted ? values % domain->run_length : 0;
    return rest ? domain->count / (values - rest) * rest : 0;
}

static void write_word(FILE *stream, const char *option, const char *word) {
    fprintf(stream, " %s ", option);
    foreign_print(stream, FOREIGN_SHELL, word);
}

void inputs_write_options(struct domain *domain, const struct input_choice *choice) {
    char *text = NULL;
    size_t size;
    FILE *stream = memory_stream(&text, &size);
    if (!stream)
        return;
    if (domain->kind == DOMAIN_ALL || domain->kind == DOMAIN_SPECIAL)
        fputs(domain->kind == DOMAIN_ALL ? " --all" : " --special", stream);
    for (size_t i = 0; i < choice->range_count; i++)
        write_word(stream, "--range", choice->ranges[i]);
    if (domain->kind == DOMAIN_SAMPLES)
        fprintf(stream, " --samples %llu --seed %llu", (unsigned long long)choice->samples,
                (unsigned long long)domain->seed);
    if (choice->file)
        write_word(stream, "--inputs", choice->file);
    if (choice->kind)
        write_word(stream, "--inputs-as", choice->kind->name);
    if (fclose(stream) == 0 && size < sizeof domain->options)
        memcpy(domain->options, text, size + 1);
    free(text);
}

static void describe_choice(struct domain *domain, const struct input_choice *choice) {
    char count[32];
    const char *noun = inputs_noun(domain->operands, domain->count);
    text_grouped(domain->count, count);
    size_t room = sizeof domain->text;
    char ranges[100] = "", runs[80] = "";
    for (size_t i = 0; i < choice->range_count; i++)
        snprintf(ranges + strlen(ranges), sizeof ranges - strlen(ranges), "%s%.40s",
                 i ? " and " : "", choice->ranges[i]);
    switch (domain->kind) {
    case DOMAIN_ALL:
        snprintf(domain->text, room, "all %s %s", count, noun);
        return;
    case DOMAIN_RANGE:
        snprintf(domain->text, room, "%s %s from %s", count, noun, ranges);
        return;
    case DOMAIN_SAMPLES:
        if (domain->run_length > 1) {
            uint64_t left = left_over(domain, choice->samples);
            int length = snprintf(runs, sizeof runs, " in runs of %llu",
                                  (unsigned long long)domain->run_length);
            if (left)
                snprintf(runs + length, sizeof runs - (size_t)length, " that leave %s over",
                         text_grouped(left, (char[32]){0}));
        }
        snprintf(domain->text, room, "%s sampled %s%s%s%s, seed %llu", count, noun, runs,
                 *ranges ? " from " : "", ranges, (unsigned long long)domain->seed);
        return;
    case DOMAIN_SPECIAL:
        snprintf(domain->text, room, "%s special %s", count, noun);
        return;
    case DOMAIN_FILE:
        snprintf(domain->text, room, "%s %s from %.100s", count, noun, choice->file);
        return;
    case DOMAIN_ARRAYS:
    case DOMAIN_SEARCH:
        return;
    }
}

void inputs_describe(struct domain *domain, const struct input_choice *choice) {
    describe_choice(domain, choice);
    for (int i = 0; i < domain->operands && !domain->tuples; i++) {
        size_t length = strlen(domain->text);
        if (domain->sets[i].integers_of)
            snprintf(domain->text + length, sizeof domain->text - length, ", %c an integer",
                     "xyz"[i]);
    }
}
