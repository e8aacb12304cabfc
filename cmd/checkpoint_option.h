/* The option --checkpoint: where a run is kept, and resumed from. */
#ifndef DETCHECK_CMD_CHECKPOINT_OPTION_H
#define DETCHECK_CMD_CHECKPOINT_OPTION_H

#include "command.h"

#include "sweep/checkpoint/file.h"
#include "sweep/shard.h"

/* clang-format off */
#define OPTIONS_CHECKPOINT \
    {"checkpoint", 0, VALUE_OUTPUT, "FILE", \
     "store completed work in FILE, and resume from it when the\n" \
     "same command runs again; removed at the end"}, \
    {"checkpoint-every", 0, VALUE_TEXT, "SECONDS", "how often FILE is written; default 10"}
/* clang-format on */

/* Opens the checkpoint where one is asked for; *given says whether. It is written at SIGUSR1 too from
 * then on. `name` is the command's. */
bool read_checkpoint_option(const struct arguments *arguments, const char *name,
                            const struct shard *shard, struct checkpoint *checkpoint, bool *given,
                            struct error *error);

#endif
