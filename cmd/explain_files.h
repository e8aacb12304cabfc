/* `detcheck explain` of two reports, or two files of fingerprints. */
#ifndef DETCHECK_EXPLAIN_FILES_H
#define DETCHECK_EXPLAIN_FILES_H

#include "explain/row.h"
#include "impl/implementation.h"

/* Takes a row as it is found; the row is the caller's again when it returns. */
typedef void explain_row_function(void *context, const struct explain_row *row);

struct explain_files {
    const char *paths[2];
    int threads;
    const struct foreign_settings *foreign;
    explain_row_function *take;
    void *context;
    struct stage stage; /* told of each pass */
    bool unpaired;      /* set: a part of one file has no counterpart in the other */
};

bool explain_files(struct explain_files *files, struct error *error);

#endif
