/* Which settings of the environment, and which commands that run a process, the property processor
 * tries: those that the user names, and those that the implementation tells of. */
#ifndef DETCHECK_INVARIANCE_VARIANTS_H
#define DETCHECK_INVARIANCE_VARIANTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct invariance_request;

enum { MOST_VARIANTS = 32, REPORTED_VARIANTS = 2048 };

struct variant {
    const char *text; /* NAME=VALUE, or a command */
    bool is_tried;
    struct error why; /* where it is not */
};

struct variants {
    size_t count;
    struct variant rows[MOST_VARIANTS];
    char reported[REPORTED_VARIANTS]; /* the texts of those that the implementation tells of */
};

/* All of them, each once, none being tried yet: the user's, then the lines of `told`. */
void variants_gather(struct variants *variants, const struct invariance_request *request,
                     const char *reported);

/* Whether the setting is one of the lines of `told`. */
bool variants_tell(const char *reported, const char *setting);

/* Tries a variant with which the implementation says this of itself, and `plain` without it. Where it says
 * the same, and would not if the variant had an effect, the reason says so. */
void variant_settle(struct variant *variant, const struct invariance_request *request,
                    const char *detail, const char *plain);

/* Whether any is tried; else why none is. */
bool variants_any(const struct variants *variants, const struct invariance_request *request,
                  struct error *why);

#endif
