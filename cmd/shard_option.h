/* --shard: which part of a sweep this run is (detcheck-shards(7)). */
#ifndef DETCHECK_CMD_SHARD_OPTION_H
#define DETCHECK_CMD_SHARD_OPTION_H

#include "command.h"

#include "base/error.h"
#include "sweep/shard.h"

#define OPTION_SHARD                                                                               \
    {                                                                                              \
        "shard", 0, VALUE_TEXT, "K/N",                                                             \
            "only shard K of N, counted from 1; 'detcheck merge' joins the\nreports. auto: "       \
            "Slurm, MPI, Kubernetes or a test runner gives\nK and N. auto/N: it gives only K"      \
    }

/* Reads the option; {0} where it is not given. Notes which variables auto took. An error where it is
 * no part, where no scheduler says which, or where two say different things. */
bool read_shard_option(const struct arguments *arguments, struct shard *shard, struct error *error);

#endif
