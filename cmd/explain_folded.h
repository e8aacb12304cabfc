/* `detcheck explain --folded`: what a compiler's command makes of calls with literals, beside the calls. */
#ifndef DETCHECK_CMD_EXPLAIN_FOLDED_H
#define DETCHECK_CMD_EXPLAIN_FOLDED_H

#include "build_library.h"
#include "command.h"

#include "explain/folded.h"

struct folded_run {
    struct folded folded;
    struct implementation sides[2]; /* the constants, and the calls */
    struct domain domain;           /* the inputs of which the compiler folded the call */
    char folder[BUILD_FOLDER];      /* of the C file and the library */
};

/* Writes the C file for the inputs that the command line names, or those of folded_inputs, and has it built. End it in any
 * case. */
bool folded_begin(struct folded_run *run, const struct arguments *arguments,
                  const struct binding_request *computed, const struct foreign_settings *foreign,
                  struct error *error);
void folded_end(struct folded_run *run);

#endif
