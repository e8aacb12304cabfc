/* What `detcheck plan` prints, from what it has found out. */
#ifndef DETCHECK_CMD_PLAN_H
#define DETCHECK_CMD_PLAN_H

#include "command.h"
#include "plan_measure.h"
#include "plan_text.h"

struct submission {
    const struct arguments *arguments;
    const struct plan_target *target;
    char **words; /* of the command, as it runs in every shard; --threads comes after them */
    size_t word_count, jobs;
    uint64_t shards, threads;
    double shard_seconds; /* as wanted, and then what is expected */
    struct plan_cost cost;
    bool measured;
    const char *name;
    char own_name[80];
};

/* Writes the text for the target. False where memory runs out. */
bool plan_print(const struct submission *submission, FILE *stream, struct error *error);

#endif
