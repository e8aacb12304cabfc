/* The words of a plan: commands, names, figures. */
#include "plan.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number with commas. */
static void write_grouped(uint64_t number, FILE *stream) {
    if (number >= 1000) {
        write_grouped(number / 1000, stream);
        fprintf(stream, ",%03d", (int)(number % 1000));
    } else {
        fprintf(stream, "%d", (int)number);
    }
}

static void write_duration(double seconds, FILE *stream) {
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{31557600, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds >= 3 * units[i].seconds) {
            fprintf(stream, "%.3g %s", seconds / units[i].seconds, units[i].name);
            return;
        }
    fprintf(stream, "%.3g s", seconds);
}

static void write_cost(const struct submission *submission, FILE *stream) {
    const struct plan_cost *cost = &submission->cost;
    if (cost->inputs) {
        write_grouped(cost->inputs, stream);
        fputs(" inputs; ", stream);
    }
    if (cost->seconds > 0) {
        write_duration(cost->seconds, stream);
        fputs(" of one thread as measured;\n# ", stream); /* a comment in each template */
    }
    fputs("a shard takes some ", stream);
    write_duration(submission->shard_seconds, stream);
    fputs(".", stream);
}

static void write_command(const struct submission *submission, FILE *stream) {
    fputs("detcheck", stream);
    for (size_t i = 0; i < submission->word_count; i++) {
        putc(' ', stream);
        plan_write_quoted(submission->words[i], stream);
    }
    fprintf(stream, " --threads %" PRIu64, submission->threads);
}

static void write_policies(const struct submission *submission, FILE *stream) {
    const struct arguments *arguments = submission->arguments;
    for (size_t i = 0; i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].option->name, "gate") == 0) {
            fputs(" --policy ", stream);
            plan_write_quoted(arguments->given[i].value, stream);
        }
    if (!argument_given(arguments, "gate"))
        fputs(" --policy FILE", stream);
}

/* With a blank after it, or nothing. */
static void write_checkpoint(const struct submission *submission, FILE *stream) {
    const struct arguments *arguments = submission->arguments;
    if (!submission->target->checkpoint)
        return;
    fprintf(stream, "--checkpoint %s ", submission->target->checkpoint);
    const char *every = argument_value(arguments, "checkpoint-every", NULL);
    if (every) {
        fputs("--checkpoint-every ", stream);
        plan_write_quoted(every, stream);
        putc(' ', stream);
    }
}

/* The places of the templates whose words are made here. */
static void write_shard_list(const struct submission *submission, FILE *stream) {
    for (uint64_t i = 1; i <= submission->shards; i++)
        fprintf(stream, "%s%" PRIu64, i > 1 ? ", " : "", i);
}
static void write_shards(const struct submission *submission, FILE *stream) {
    fprintf(stream, "%" PRIu64, submission->shards);
}
static void write_count(const struct submission *submission, FILE *stream) {
    write_grouped(submission->shards, stream);
    fputs(submission->shards == 1 ? " shard" : " shards", stream);
}
static void write_threads(const struct submission *submission, FILE *stream) {
    fprintf(stream, "%" PRIu64, submission->threads);
}
/* Another machine may be slower, and a shard may have to wait for others. */
static void write_minutes(const struct submission *submission, FILE *stream) {
    fprintf(stream, "%.0f", ceil(3 * submission->shard_seconds / 60) + 5);
}
static void write_retries(const struct submission *submission, FILE *stream) {
    fprintf(stream, "%" PRIu64, submission->shards * 10);
}
static void write_name(const struct submission *submission, FILE *stream) {
    fputs(submission->name, stream);
}
static void write_image(const struct submission *submission, FILE *stream) {
    const char *image = argument_value(submission->arguments, "image", "detcheck");
    putc('"', stream); /* a string of YAML, whatever it looks like */
    for (; *image; image++) {
        if (*image == '"' || *image == '\\')
            putc('\\', stream);
        putc(*image, stream);
    }
    putc('"', stream);
}
static void write_judge(const struct submission *submission, FILE *stream) {
    fputs(argument_given(submission->arguments, "gate") ? "" : "# to judge it: ", stream);
}
static void write_setup(const struct submission *submission, FILE *stream) {
    const char *setup = argument_value(submission->arguments, "setup", NULL);
    fputs(setup ? setup : "# here, what puts detcheck on the PATH: --setup LINE", stream);
}
static void write_setup_and(const struct submission *submission, FILE *stream) {
    const char *setup = argument_value(submission->arguments, "setup", NULL);
    if (setup)
        fprintf(stream, "%s && ", setup);
}

static const struct {
    const char *place;
    void (*write)(const struct submission *submission, FILE *stream);
} places[] = {{"command", write_command},
              {"checkpoint", write_checkpoint},
              {"cost", write_cost},
              {"name", write_name},
              {"shards", write_shards},
              {"count", write_count},
              {"shard_list", write_shard_list},
              {"threads", write_threads},
              {"minutes", write_minutes},
              {"retries", write_retries},
              {"image", write_image},
              {"judge", write_judge},
              {"policies", write_policies},
              {"setup", write_setup},
              {"setup_and", write_setup_and}};
enum { PLACES = sizeof places / sizeof *places };

bool plan_print(const struct submission *submission, FILE *stream, struct error *error) {
    struct plan_word words[PLACES + 1] = {{0}};
    char *texts[PLACES] = {0};
    bool good = true;
    for (size_t i = 0; i < PLACES && good; i++) {
        size_t size;
        FILE *memory = memory_stream(&texts[i], &size);
        good = memory || error_set(error, "out of memory");
        if (!good)
            break;
        places[i].write(submission, memory);
        fclose(memory);
        words[i] = (struct plan_word){.place = places[i].place,
                                      .word = texts[i],
                                      .of_template = places[i].write == write_checkpoint ||
                                                     places[i].write == write_image,
                                      .of_user = places[i].write == write_setup};
    }
    if (good)
        plan_write(submission->target, words, stream);
    for (size_t i = 0; i < PLACES; i++)
        free(texts[i]);
    return good;
}
