/* Where a binding computes: the machine, how its libm computes, and the build of the code. A worker of detcheck tells
 * these as words before its detail, such as host=build-7, where the header asks by a line machine=1
 * (detcheck-exec-extensions(7)). */
#ifndef DETCHECK_IMPL_MACHINE_H
#define DETCHECK_IMPL_MACHINE_H

#include "impl/build.h"

struct binding;

enum { MACHINE_HOST = 128, MACHINE_TEXT = 320 };

/* Empty where it is not known. */
struct machine {
    char variant[16]; /* of libm: "fma", "no-fma" or "unknown" */
    char host[MACHINE_HOST];
    char build[BUILD_HASH];
};

/* Describes this machine if the binding computes here; else what the worker of the command reported. */
void machine_of(const struct binding *binding, struct machine *machine);

/* The words that tell it, each with a space behind it. */
void machine_write(const struct machine *machine, char text[MACHINE_TEXT]);

/* Takes the words that a text begins with, and returns what stands behind them. */
const char *machine_read(const char *text, struct machine *machine);

#endif
