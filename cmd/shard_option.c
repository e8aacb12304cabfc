/* K/N, and what schedulers and launchers set for the processes that they start. */
#include "shard_option.h"

#include "messages.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Variables that say which of how many processes this one is. `least` and `step` are variables too:
 * the number of the first process and what lies between two; NULL: 0 and 1. */
struct source {
    const char *number, *count, *least, *step;
    const char
        *outer; /* of another source, inside of which this one starts its processes; or NULL */
};

/* mpirun starts its daemons as a step of the job that it runs in, so that what Slurm says of the
 * step is not what the process is. */
static const struct source sources[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_STEP", NULL},
    {"SLURM_PROCID", "SLURM_NTASKS", NULL, NULL, NULL},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL, "SLURM_PROCID"},
    {"PMI_RANK", "PMI_SIZE", NULL, NULL, NULL},
    {"JOB_COMPLETION_INDEX", NULL, NULL, NULL, NULL},
    {"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", NULL, NULL, NULL},
    {"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", NULL, NULL, NULL}};
enum { SOURCES = sizeof sources / sizeof *sources };

/* A whole number up to the end of the text or to `end`. */
static bool read_number(const char *text, char end, uint64_t *number, const char **rest) {
    char *stop;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *number = strtoull(text, &stop, 10);
    *rest = stop + (*stop != '\0');
    return errno == 0 && *stop == end;
}

static bool read_variable(const char *name, uint64_t otherwise, uint64_t *number,
                          struct error *error) {
    const char *text = name ? getenv(name) : NULL, *rest;
    *number = otherwise;
    return !text || read_number(text, '\0', number, &rest) ||
           error_set(error, "--shard auto: %s is '%.40s', which is not a whole number", name, text);
}

/* Which part a source says. `given` is the count of auto/N, or 0. */
static bool ask(const struct source *source, uint64_t given, struct shard *shard,
                struct error *error) {
    uint64_t number, least, step, greatest;
    if (!source->count && !given)
        return error_set(error, "--shard auto: %s does not say how many there are: --shard auto/N",
                         source->number);
    if (!read_variable(source->number, 0, &number, error) ||
        !read_variable(source->count, given, &shard->of, error) ||
        !read_variable(source->least, 0, &least, error) ||
        !read_variable(source->step, 1, &step, error) ||
        !read_variable(source->least ? "SLURM_ARRAY_TASK_MAX" : NULL,
                       least + (shard->of - 1) * step, &greatest, error))
        return false;
    shard->number = step ? (number - least) / step + 1 : 0;
    bool regular = step && number >= least && (number - least) % step == 0 &&
                   greatest == least + (shard->of - 1) * step;
    if (regular && shard->of && shard->of <= MOST_SHARDS && shard->number <= shard->of)
        return true;
    return error_set(error,
                     "--shard auto: %s is %" PRIu64 " of %" PRIu64 ", which is not a part from the "
                     "first to the last; number them without gaps",
                     source->number, number, shard->of);
}

static bool none_taken(const struct source *half, struct error *error) {
    if (half)
        return error_set(error, "--shard auto: %s is set and %s is not", half->number, half->count);
    return error_set(error,
                     "--shard auto: no variable of Slurm, MPI, Kubernetes or a test runner is "
                     "set; say --shard K/N");
}

/* A source of a single process says nothing of parts: a task of an array is often that. Nor does one
 * without its count, as SLURM_PROCID in the script of a job. */
static bool read_auto(uint64_t given, struct shard *shard, struct error *error) {
    const struct source *taken = NULL, *half = NULL;
    for (int i = 0; i < SOURCES; i++) {
        struct shard found;
        bool hidden = false;
        for (int j = 0; j < SOURCES; j++)
            hidden = hidden || (sources[j].outer && getenv(sources[j].number) &&
                                strcmp(sources[j].outer, sources[i].number) == 0);
        if (hidden || !getenv(sources[i].number))
            continue;
        if (sources[i].count && !getenv(sources[i].count)) {
            half = &sources[i];
            continue;
        }
        if (!ask(&sources[i], given, &found, error))
            return false;
        if (taken && shard->of > 1 && found.of > 1 &&
            (found.number != shard->number || found.of != shard->of))
            return error_set(error,
                             "--shard auto: %s says %" PRIu64 "/%" PRIu64 " and %s %" PRIu64
                             "/%" PRIu64 "; say --shard K/N",
                             taken->number, shard->number, shard->of, sources[i].number,
                             found.number, found.of);
        if (!taken || shard->of <= 1) {
            taken = &sources[i];
            *shard = found;
        }
    }
    if (!taken)
        return none_taken(half, error);
    if (given && shard->of != given)
        return error_set(error, "--shard auto/%" PRIu64 ": %s says that there are %" PRIu64, given,
                         taken->number, shard->of);
    struct error note;
    error_set(&note, "shard %" PRIu64 "/%" PRIu64 ", as %s says", shard->number, shard->of,
              taken->number);
    remark("note", &note);
    return true;
}

bool read_shard_option(const struct arguments *arguments, struct shard *shard,
                       struct error *error) {
    const char *text = argument_value(arguments, "shard", NULL), *rest;
    uint64_t given = 0;
    *shard = (struct shard){0};
    if (!text)
        return true;
    if (strcmp(text, "auto") == 0 ||
        (strncmp(text, "auto/", 5) == 0 && read_number(text + 5, '\0', &given, &rest) && given))
        return read_auto(given, shard, error);
    if (read_number(text, '/', &shard->number, &rest) &&
        read_number(rest, '\0', &shard->of, &rest) && shard->number && shard->number <= shard->of &&
        shard->of <= MOST_SHARDS)
        return true;
    return error_set(error,
                     "--shard needs K/N with K from 1 to N and N up to %d, or auto, not '%.40s'",
                     MOST_SHARDS, text);
}
