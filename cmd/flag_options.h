/* What commands that judge exception flags and errno are told about it: OPTIONS_FLAGS of options.h. */
#ifndef DETCHECK_CMD_FLAG_OPTIONS_H
#define DETCHECK_CMD_FLAG_OPTIONS_H

#include "command.h"

#include "oracle/flags.h"

struct flag_options {
    bool flags, errnos; /* asked for */
    struct flag_rules rules;
};

/* Where --tininess is not given, it is what this processor's arithmetic does. */
bool read_flag_options(const struct arguments *arguments, struct flag_options *options,
                       struct error *error);

#endif
