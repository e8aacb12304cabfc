/* What the options of inputs come to, in words. */
#ifndef DETCHECK_CMD_INPUTS_TEXT_H
#define DETCHECK_CMD_INPUTS_TEXT_H

#include "lines/lines.h"
#include "sweep/domain.h"

/* What the options of a command line come to. */
struct input_choice {
    const char *ranges[MAX_OPERANDS];
    size_t range_count;
    const char *file;
    const struct line_kind *kind; /* of the file's lines; NULL: our own */
    char whole[32];               /* all codes as a range */
    bool all, special, sampled;
    unsigned long long samples, seed, run_length;
};

/* "inputs", "pairs", "triples"; "input" for one. */
const char *inputs_noun(int operands, uint64_t count);

/* The options that choose the domain again. Options that there is no room for are none. */
void inputs_write_options(struct domain *domain, const struct input_choice *choice);

/* The text of a domain of numbers. */
void inputs_describe(struct domain *domain, const struct input_choice *choice);

#endif
