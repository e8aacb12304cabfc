/* The texts that `detcheck plan` prints: for each scheduler a template, in which words are put. */
#ifndef DETCHECK_CMD_PLAN_TEXT_H
#define DETCHECK_CMD_PLAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Who runs the shards. */
struct plan_target {
    const char *name;
    const unsigned char *text; /* with @PLACE@ where a word belongs */
    const size_t *size;
    uint64_t most; /* shards that it takes; 0: any number */
    bool strictly; /* none can have it take more */
    bool
        is_named; /* the name of the plan becomes the name of things that know only a-z, 0-9 and - */
    bool doubles;    /* a $ is written twice: it would begin a variable of make or of Kubernetes */
    bool of_github;  /* ${{ begins an expression */
    bool has_images; /* it runs images of containers */
    /* Where a shard's checkpoint is, as its text says it; NULL where what a shard leaves behind is not
     * there when it is begun again. */
    const char *checkpoint;
};

extern const struct plan_target plan_targets[];
extern const size_t plan_target_count;

/* A word and its place, without the @. */
struct plan_word {
    const char *place, *word;
    bool of_template; /* a $ in it is what it is in the template */
    bool of_user;     /* a line for the target's own shell: expressions in it are meant */
};

/* Writes the target's text with every place filled. A place that no word has is a mistake in the
 * template, which ends the program. The last word's place is NULL. */
void plan_write(const struct plan_target *target, const struct plan_word *words, FILE *stream);

/* The word for a shell: between apostrophes, unless it holds nothing that a shell minds. */
void plan_write_quoted(const char *word, FILE *stream);

#endif
