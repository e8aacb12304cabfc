/* How long a command takes on this machine, found by running small shards of it. */
#ifndef DETCHECK_CMD_PLAN_MEASURE_H
#define DETCHECK_CMD_PLAN_MEASURE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plan_cost {
    double start_seconds; /* of each shard, whatever its share */
    double seconds;       /* of one thread, for all of it but that */
    uint64_t inputs;      /* of all of it; of a search its evaluations, or 0 */
};

/* `words` are the command's and its `count` arguments, without --threads, --shard and --json. The
 * shards are run by this program, as processes: 1/`most` of it first, and more until one takes
 * seconds or is all there is. Where even the first takes a minute, it is interrupted, and what it
 * has done stands for the rest of it; `jobs` has to be 1 then. Ctrl-C ends the shard too.
 *
 * False with an error, or with an empty one where the command itself has said what is wrong. */
bool plan_measure(char *const *words, size_t count, size_t jobs, uint64_t most,
                  struct plan_cost *cost, struct error *error);

#endif
