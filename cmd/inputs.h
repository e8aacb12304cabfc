/* Which inputs the options of sweep ask for. */
#ifndef DETCHECK_CMD_INPUTS_H
#define DETCHECK_CMD_INPUTS_H

#include "command.h"

#include "op/operation.h"
#include "sweep/domain.h"

/* What a command takes without an option. */
struct input_defaults {
    unsigned most_bits;  /* of all operands together: every input of up to so many */
    unsigned samples;    /* of others */
    uint64_t run_length; /* of samples; 0: what suits the fast oracle */
    bool reported;       /* that samples are taken */
    unsigned calls;      /* of each shape, of operations on arrays; 0: one */
    bool built;          /* special inputs in place of samples, where inputs are built */
};
extern const struct input_defaults judged_inputs; /* of those that judge by the oracle */

/* Makes the domain for one operation and format. `note` receives a line that the user should see, if
 * any. */
bool inputs_make(struct domain *domain, const struct arguments *arguments,
                 const struct operation *operation, const struct format *format,
                 const struct parameters *parameters, const struct input_defaults *defaults,
                 struct error *note, struct error *error);

/* Standard input, a pipe, a device: gone once it is read. */
bool is_read_once(const char *path);

/* domain_file, which a signal ends together with the process where the path is read once. */
bool inputs_file(struct domain *domain, const struct format *format,
                 const struct operation *operation, const char *path, const struct line_kind *kind,
                 struct error *note, struct error *error);

/* The codes of each operand among which --range lets a command look, each operand's own. */
bool inputs_sets(struct code_set sets[MAX_OPERANDS], const struct arguments *arguments,
                 const struct operation *operation, const struct format *format, struct error *note,
                 struct error *error);
void inputs_sets_free(struct code_set sets[MAX_OPERANDS]);

/* The kind of lines that --inputs-as names; NULL where `name` is. False with an error for a kind whose files are no
 * text. */
bool select_line_kind(const char *name, const struct line_kind **kind, struct error *error);

#endif
