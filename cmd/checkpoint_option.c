/* What makes two commands the same, and opening the file. */
#include "checkpoint_option.h"

#include "messages.h"
#include "signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Seconds between two checkpoints, at most. */
enum { LONGEST = 1000000 };

/* Options that change nothing in what is done. The shard is added as what it comes to, since
 * --shard auto asks the surroundings. */
static bool is_aside(const char *name) {
    static const char *const aside[] = {"checkpoint", "checkpoint-every", "threads", "json", "plot",
                                        "shard"};
    for (size_t i = 0; i < sizeof aside / sizeof *aside; i++)
        if (strcmp(name, aside[i]) == 0)
            return true;
    return false;
}

static void add(struct bytes *text, const char *word) {
    bytes_add(text, word, strlen(word));
}

/* "sweep exp --format fp32 --shard 1/3" */
static bool describe_command(const struct arguments *arguments, const char *name,
                             const struct shard *shard, struct bytes *text) {
    char part[64];
    add(text, name);
    for (size_t i = 0; i < arguments->positional_count; i++) {
        add(text, " ");
        add(text, arguments->positional[i]);
    }
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct option *option = arguments->given[i].option;
        if (is_aside(option->name))
            continue;
        add(text, " --");
        add(text, option->name);
        if (option->value) {
            add(text, " ");
            add(text, arguments->given[i].value);
        }
    }
    snprintf(part, sizeof part, " --shard %" PRIu64 "/%" PRIu64, shard->number, shard->of);
    if (shard_is_part(shard))
        add(text, part);
    bytes_add(text, "", 1);
    return !text->failed;
}

static void warn(const struct error *error) {
    struct error line;
    error_set(&line, "cannot write the checkpoint: %.400s; the last one stays, and the run goes on",
              error->text);
    remark("warning", &line);
}

static void tell_resumed(const struct checkpoint *checkpoint) {
    struct error note;
    error_set(&note, "the run resumes from %.300s", checkpoint->path);
    remark("note", &note);
}

bool read_checkpoint_option(const struct arguments *arguments, const char *name,
                            const struct shard *shard, struct checkpoint *checkpoint, bool *given,
                            struct error *error) {
    const char *path = argument_value(arguments, "checkpoint", NULL);
    unsigned long long every;
    struct bytes command = {0};
    *given = false;
    if (!argument_number(arguments, "checkpoint-every", 0, LONGEST, 10, &every, error))
        return false;
    if (!path)
        return !argument_given(arguments, "checkpoint-every") ||
               error_set(error, "--checkpoint-every has no effect without --checkpoint FILE");
    *given = true;
    bool good =
        (describe_command(arguments, name, shard, &command) || error_set(error, "out of memory")) &&
        checkpoint_open(checkpoint, path, (const char *)command.data, (double)every, error);
    bytes_free(&command);
    if (good) {
        checkpoint->asked = signals_ask_for_checkpoints();
        checkpoint->warn = warn;
        checkpoint->tell_resumed = tell_resumed;
    }
    return good;
}
