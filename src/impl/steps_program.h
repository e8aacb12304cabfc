/* A formula that is run step by step: each step's result is a number of one format, rounded once. In formats that cr does not
 * have the oracle rounds its functions. */
#ifndef DETCHECK_IMPL_STEPS_PROGRAM_H
#define DETCHECK_IMPL_STEPS_PROGRAM_H

#include "impl/steps_functions.h"
#include "op/formula/tree.h"

enum { STEPS_STRIP = 512 };

struct oracle;

struct steps_program {
    struct formula *formula;
    const struct format *format;     /* of the steps */
    struct step_functions functions; /* that they have */
    struct binding *bindings;        /* of each node that is a function */
    struct steps_program **rows;     /* likewise, where it is in a library's steps; else NULL */
    struct oracle *
        oracles; /* likewise, where functions are those of cr, which has no such format; else NULL */
    struct own_step *own;                      /* of each node */
    double *values;                            /* STEPS_STRIP of each node */
    uint64_t codes[MAX_OPERANDS][STEPS_STRIP]; /* room for codes of any format */
    uint64_t results[STEPS_STRIP];
};

/* Takes the formula over. NULL with the reason where it cannot be run; *broken: for there is no memory. */
struct steps_program *steps_program_open(struct formula *formula, const struct format *format,
                                         const struct step_functions *functions,
                                         enum overflow overflow, bool *broken, struct error *why);
void steps_program_close(struct steps_program *program);

/* The numbers of a node, STEPS_STRIP of them. Whoever runs a program has set those of nodes that are operands. */
static inline double *steps_program_values(const struct steps_program *program, int node) {
    return program->values + (size_t)node * STEPS_STRIP;
}
/* `count` numbers at once, at most STEPS_STRIP; what comes out are the values of the last node. */
bool steps_program_run(struct steps_program *program, size_t count, event_function *event,
                       void *context, struct error *error);
/* The same of a slice, whose operands and results are of a format. */
bool steps_program_fill(struct steps_program *program, const struct format *format,
                        const struct slice *slice, event_function *event, void *context,
                        struct error *error);

#endif
