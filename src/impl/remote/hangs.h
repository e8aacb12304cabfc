/* What is known of an implementation that hangs where it need not: at inputs that are answered when they are
 * asked again. It may be slow, which smaller requests show, or hang at random. All its bindings share this, or
 * each phase of a command would find it out anew. Any thread may call these. */
#ifndef DETCHECK_IMPL_REMOTE_HANGS_H
#define DETCHECK_IMPL_REMOTE_HANGS_H

#include <stdbool.h>
#include <stddef.h>

struct hangs;

/* Of the implementation with that name; NULL without memory, which the others take for one that never hangs. */
struct hangs *hangs_of(const char *name);

/* How many inputs to ask for at a time: `most`, or fewer where that took too long before. */
size_t hangs_most(const struct hangs *hangs, size_t most);

/* A request of so many inputs took too long, which cost so many seconds with all that was asked again; then all of
 * them were answered. Whether it hangs at random: requests cannot get smaller, or did not help. */
bool hangs_add(struct hangs *hangs, size_t inputs, double seconds);

/* A request was answered in that time. */
void hangs_add_answer(struct hangs *hangs, double seconds);

/* Whether a single input that takes too long is to be asked for again, since others were answered then. */
bool hangs_doubts(const struct hangs *hangs);

/* Whether what was at random has cost more than 4 times the time limit, and more than all answers took: then it is
 * not asked any more. */
bool hangs_too_long(const struct hangs *hangs, double timeout);

#endif
