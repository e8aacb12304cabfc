/* Shards 1/N of a command, as processes, N ever smaller. */
#include "plan_measure.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/json_tree.h"
#include "signals.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM "/proc/self/exe"

/* A shard that takes so many seconds more than the smallest tells enough. */
static const double enough = 2, too_long = 60;

enum { MOST_REPORT = 1 << 28 };

/* A shard that has run. */
struct measured {
    double seconds, share; /* of all inputs, those that it came to */
    bool complete;
    uint64_t inputs; /* of all shards */
};

static void run_shard(char *const *words, size_t count, uint64_t of, FILE *out, FILE *complaints) {
    char shard[64], **line = calloc(count + 8, sizeof *line);
    static char threads[] = "--threads", one[] = "1", json[] = "--json", dash[] = "-";
    static char program[] = "detcheck";
    size_t at = 0;
    if (!line)
        _exit(2);
    snprintf(shard, sizeof shard, "--shard=1/%llu", (unsigned long long)of);
    line[at++] = program;
    memcpy(line + at, words, count * sizeof *words);
    at += count;
    line[at++] = threads;
    line[at++] = one;
    line[at++] = shard;
    line[at++] = json;
    line[at++] = dash;
    line[at] = NULL;
    if (dup2(fileno(out), STDOUT_FILENO) >= 0 && dup2(fileno(complaints), STDERR_FILENO) >= 0)
        execv(PROGRAM, line);
    dprintf(STDERR_FILENO, "detcheck: cannot run itself: %s\n", strerror(errno));
    _exit(2);
}

/* Waits; after too long, and when the user has had enough, the process is told to end. */
static int wait_for(pid_t process) {
    const struct timespec moment = {.tv_nsec = 5000000};
    double begin = clock_seconds();
    bool reported = false;
    int status;
    while (waitpid(process, &status, WNOHANG) == 0) {
        if (!reported && (interrupted || clock_seconds() - begin > too_long)) {
            kill(process, SIGINT);
            reported = true;
        }
        nanosleep(&moment, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The whole file, which is to be freed. */
static char *content(FILE *file, size_t *length) {
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = end >= 0 && end < MOST_REPORT ? malloc((size_t)end + 1) : NULL;
    rewind(file);
    if (text) {
        *length = fread(text, 1, (size_t)end, file);
        text[*length] = '\0';
    }
    return text;
}

static double number(const cJSON *object, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static bool read_report(FILE *file, struct measured *measured, struct error *error) {
    size_t length;
    char *text = content(file, &length);
    cJSON *report =
        text ? json_parse(text, length, "the shard that is measured", "report", error) : NULL;
    if (!report)
        return text ? false : error_set(error, "the report of a shard cannot be read");
    const cJSON *result, *results = cJSON_GetObjectItemCaseSensitive(report, "results");
    double done = 0, whole = 0;
    measured->complete = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(report, "complete"));
    cJSON_ArrayForEach(result, results) {
        const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(result, "inputs");
        const cJSON *shard = cJSON_GetObjectItemCaseSensitive(inputs, "shard");
        const cJSON *search = cJSON_GetObjectItemCaseSensitive(inputs, "search");
        double count = search ? number(search, "evaluations") : number(inputs, "count");
        double covered = number(inputs, "covered");
        done += measured->complete ? count : covered;
        whole += shard ? number(shard, "whole") : count;
    }
    measured->share = done / fmax(whole, 1);
    measured->inputs = (uint64_t)whole;
    json_tree_free(report);
    return true;
}

/* False with an empty error where the shard has said itself what is wrong. */
static bool measure(char *const *words, size_t count, uint64_t of, struct measured *measured,
                    struct error *error) {
    FILE *out = tmpfile(), *complaints = tmpfile();
    bool good = out && complaints;
    error->text[0] = '\0';
    fflush(NULL);
    pid_t process = good ? fork() : -1;
    if (process == 0)
        run_shard(words, count, of, out, complaints);
    if (process < 0) {
        good = error_set(error, "cannot measure a shard: %s", strerror(errno));
    } else {
        double begin = clock_seconds();
        int code = wait_for(process);
        *measured = (struct measured){.seconds = clock_seconds() - begin};
        size_t length;
        char *said = content(complaints, &length);
        bool has_run = code == 0 || code == 1 || code == 130;
        if (!has_run && said && *said)
            fputs(said, stderr);
        free(said);
        good = has_run && (interrupted || read_report(out, measured, error));
    }
    if (out)
        fclose(out);
    if (complaints)
        fclose(complaints);
    return good;
}

/* The same, of a shard that has to come to its end, or of which the part that it came to stands for
 * the rest. */
static bool measure_whole(char *const *words, size_t count, uint64_t of, size_t jobs,
                          struct measured *measured, struct error *error) {
    if (!measure(words, count, of, measured, error))
        return false;
    if (interrupted)
        return error_set(error, "interrupted");
    return measured->complete || (jobs == 1 && measured->share > 0) ||
           error_set(error,
                     "shard 1/%" PRIu64 " takes more than %g s; say --shards N and --shard-seconds "
                     "S, and nothing is measured",
                     of, too_long);
}

bool plan_measure(char *const *words, size_t count, size_t jobs, uint64_t most,
                  struct plan_cost *cost, struct error *error) {
    uint64_t of = most;
    struct measured first, last;
    if (!measure_whole(words, count, of, jobs, &first, error))
        return false;
    last = first;
    /* The first may have had no inputs: what it takes is what a start takes. */
    while (of > 1 && last.complete && last.seconds - first.seconds < enough) {
        double more = fmin(fmax(1.5 * enough / (last.seconds - first.seconds + 1e-3), 2), 64);
        of = (uint64_t)fmax(1, (double)of / more);
        if (!measure_whole(words, count, of, jobs, &last, error))
            return false;
    }
    if (last.seconds <= first.seconds || last.share <= first.share)
        first = (struct measured){0};
    cost->start_seconds = first.seconds;
    cost->seconds = (last.seconds - first.seconds) / (last.share - first.share);
    cost->inputs = last.inputs;
    return true;
}
