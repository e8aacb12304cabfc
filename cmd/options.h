/* The rows of options that several commands have, each once, with its help.
 *
 * DEFAULT is the default as the help tells it, HELP the help of a command where the option has a
 * part of its own. */
#ifndef DETCHECK_CMD_OPTIONS_H
#define DETCHECK_CMD_OPTIONS_H

#include "command.h"

/* clang-format off */
#define OPTION_FORMAT_AS(HELP) {"format", 'f', VALUE_FORMAT, "FORMAT", HELP}
#define OPTION_FORMAT OPTION_FORMAT_AS("number format; repeat or separate by commas; default fp32")
#define OPTION_FROM {"from", 0, VALUE_FORMAT, "FORMAT", "the same as --format, for conversions"}

/* What stands behind the semicolon: 'detcheck list roundings' says for which results. */
#define ROUNDING_HELP \
    "one of nearest-even, toward-zero, up, down, nearest-away; for some\noperations also stochastic, nearest-up, to-odd, stochastic-a,\nstochastic-b or stochastic-c"
#define OPTION_ROUNDING_AS(HELP) {"rounding", 'r', VALUE_ROUNDING, "MODE", HELP}
#define OPTION_ROUNDING OPTION_ROUNDING_AS( \
    ROUNDING_HELP "; default nearest-even; casts\nto fp8_e8m0fnu with --profile onnx-24 round up by default")

#define OPTION_IMPL_AS(HELP) {"impl", 'i', VALUE_IMPLEMENTATION, "NAME", HELP}
#define OPTION_IMPL(DEFAULT) OPTION_IMPL_AS("implementation under test; default " DEFAULT)
/* Beside --impl, where kernels are computed. */
#define OPTION_AS {"as", 0, VALUE_FORM, "FORM", \
    "compute a kernel in the steps of FORM, such as hugging-face:\nthe same as --impl form:FORM (detcheck-forms(7))"}

/* Of commands that may multiply by a matrix unit. */
#define OPTIONS_UNIT \
    {"tile", 0, VALUE_TEXT, "N", \
     "for a matrix unit (--impl mma:UNIT), how many products one\ninstruction adds; the same as mma:UNIT,tile=N; default the\nunit's own number"}, \
    {"split-k", 0, VALUE_TEXT, "N", \
     "with --impl mma:UNIT, cut the inner dimension into N parts; the\nsame as mma:UNIT,split-k=N; default 1"}

#define OPTION_OPERATIONS {"operations", 0, VALUE_FILE, "FILE", \
    "formulas that may be named as operations\n(detcheck-formula(7)); may be repeated"}

#define OPTION_JSON {"json", 'j', VALUE_OUTPUT, "FILE", \
    "also write JSON to FILE; if FILE is -, write only JSON, to stdout"}
/* Of commands that print text of results. */
#define OPTION_QUIET {"quiet", 'q', VALUE_NONE, NULL, \
    "print no text; the exit status and files have the result"}
#define OPTION_CSV {"csv", 0, VALUE_NONE, NULL, \
    "print comma-separated values in place of text: a line of\nnames, and then a line for each result"}
#define OPTION_VERBOSE(HELP) {"verbose", 'v', VALUE_NONE, NULL, HELP}
#define OPTION_OUTPUT(DEFAULT) {"output", 'o', VALUE_OUTPUT, "FILE", \
    "write to FILE, or to stdout if FILE is -; default " DEFAULT}
#define OPTION_POLICY(HELP) {"policy", 'p', VALUE_FILE, "POLICY", HELP}

#define OPTION_EXPECT(HELP) {"expect", 'e', VALUE_TEXT, "WHOSE", HELP}
#define OPTION_STRICT_NAN_AS(HELP) {"strict-nan", 0, VALUE_NONE, NULL, HELP}
#define OPTION_STRICT_NAN OPTION_STRICT_NAN_AS( \
    "count a NaN with other bits than the canonical one as a\nmismatch")
#define OPTION_THREADS {"threads", 't', VALUE_TEXT, "N", "threads; default one per processor"}
#define OPTION_SEED {"seed", 0, VALUE_TEXT, "S", "seed of random inputs; default 1"}

/* Of commands that run what others wrote. */
#define OPTIONS_FOREIGN \
    {"timeout", 0, VALUE_TEXT, "SECONDS", \
     "seconds that a library (lib:), a program (exec:) or a Python\npackage (py:) may take for a block of inputs; default 10"}, \
    {"memory", 0, VALUE_TEXT, "MIB", \
     "memory that a process of lib: or exec: may take; default no\nlimit"}, \
    {"no-isolation", 0, VALUE_NONE, NULL, "call the functions of lib: in this process"}

/* Of commands that compare files of others. */
#define OPTION_RUN_NAMED {"run-named", 0, VALUE_NONE, NULL, \
    "also run the libraries and commands that the two files name,\nto find inputs that differ; only for files that you trust"}

/* Of commands that judge exception flags and errno (flag_options.h). */
#define OPTION_FLAGS_AS(HELP) {"flags", 0, VALUE_NONE, NULL, HELP}
#define OPTION_ERRNO {"errno", 0, VALUE_NONE, NULL, \
    "judge errno: EDOM and ERANGE where C asks for them"}
#define OPTION_INEXACT {"inexact", 0, VALUE_NONE, NULL, \
    "also judge the flag inexact of functions, which Annex F of\nC leaves open"}
#define OPTION_MAY_CLEAR {"may-clear", 0, VALUE_NONE, NULL, \
    "allow calls to clear flags, and do not test whether they do"}
#define OPTION_TININESS(DEFAULT) {"tininess", 0, VALUE_TEXT, "WHEN", \
    "detect underflow before or after rounding; default " DEFAULT}
#define OPTION_TININESS_HERE OPTION_TININESS("the processor's")
#define OPTIONS_FLAGS \
    OPTION_FLAGS_AS("judge the exception flags that calls raise and clear"), \
    OPTION_ERRNO, OPTION_INEXACT, OPTION_MAY_CLEAR, OPTION_TININESS_HERE

/* Of commands that choose inputs (inputs.h). */
#define OPTION_ALL(MOST) {"all", 0, VALUE_NONE, NULL, "every input; the default for up to " MOST " inputs"}
#define OPTION_RANGE {"range", 0, VALUE_TEXT, "A:B", \
    "inputs from A to B: all numbers between two numbers, or all\n" \
    "codes between two codes such as 0x3f800000; once for all\noperands, or once for each"}
#define OPTION_SAMPLES {"samples", 'n', VALUE_TEXT, "N", \
    "N random inputs, spread over the range or over all inputs"}
#define OPTIONS_LISTS \
    {"special", 0, VALUE_NONE, NULL, "zeros, limits of the format, NaNs, powers of two, critical "  \
     "points of the operation, and their neighbours"}, \
    {"inputs", 0, VALUE_FILE, "FILE", \
     "a value, or one per operand, on each line; # begins a\n" \
     "comment; for arrays the elements of calls, however they are\nspread over lines"}, \
    {"inputs-as", 0, VALUE_TEXT, "KIND", \
     "kind of the lines of FILE: core-math, testfloat, tst,\n" \
     "numpy-csv, glibc, glibc-out, libc-test or table (a value, or\none per operand)"}
#define OPTIONS_INPUTS \
    OPTION_ALL("2^32"), \
    OPTION_RANGE, \
    OPTION_SAMPLES, \
    {"run-length", 0, VALUE_TEXT, "N", \
     "draw samples in runs of N consecutive values of the last\n" \
     "operand, which detcheck judges much faster than values apart;\ndefault 1, in fp64 up to 16384"}, \
    OPTION_SEED, \
    OPTIONS_LISTS
/* clang-format on */

#endif
