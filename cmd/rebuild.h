/* Libraries that --rebuild has made: A or B, built anew with other flags. */
#ifndef DETCHECK_CMD_REBUILD_H
#define DETCHECK_CMD_REBUILD_H

#include "build_library.h"
#include "command.h"

#include "explain/hypothesis.h"

struct rebuilds {
    size_t count;
    struct implementation implementations[REBUILD_MOST];
    char names[REBUILD_MOST][32]; /* of the hypotheses: "rebuilt", or what "NAME: COMMAND" says */
    char folder[BUILD_FOLDER];    /* where they lie; "" where there is none */
};

/* Runs the command of each --rebuild. Which function of the library is called is as for the first of
 * the implementations that is lib:. Free it in any case. */
bool rebuilds_make(struct rebuilds *rebuilds, const struct arguments *arguments,
                   const struct implementation *implementations, size_t implementation_count,
                   const struct foreign_settings *foreign, struct error *error);
void rebuilds_free(struct rebuilds *rebuilds);

#endif
