/* A list of implementations, which is never long. */
#include "impl/remote/hangs.h"

#include "impl/implementation.h"

#include <stdlib.h>
#include <string.h>

/* Requests that only took long shrink to a share, 5 times at most from the largest; so many time limits may be
 * lost. */
enum { SHRINK = 8, MOST_SLOW = 5, MOST_LIMITS = 4 };

struct hangs {
    struct hangs *next;
    const char *name;
    size_t most; /* 0: as many as there can be */
    unsigned count;
    double lost, answered; /* seconds */
};

static struct hangs *all;

struct hangs *hangs_of(const char *name) {
    struct hangs *found;
#pragma omp critical(hangs)
    {
        for (found = all; found && strcmp(found->name, name) != 0;)
            found = found->next;
        if (!found && (found = calloc(1, sizeof *found))) {
            found->name = name; /* of an implementation: it stays */
            found->next = all;
            all = found;
        }
    }
    return found;
}

size_t hangs_most(const struct hangs *hangs, size_t most) {
    size_t known = 0;
    if (hangs) {
#pragma omp critical(hangs)
        known = hangs->most;
    }
    return known && known < most ? known : most;
}

bool hangs_add(struct hangs *hangs, size_t inputs, double seconds) {
    bool random = false;
    if (!hangs)
        return false;
#pragma omp critical(hangs)
    {
        size_t fewer = inputs > SHRINK ? inputs / SHRINK : 1;
        random = inputs == 1 || ++hangs->count > MOST_SLOW;
        hangs->most = !hangs->most || fewer < hangs->most ? fewer : hangs->most;
        hangs->lost += random ? seconds : 0;
    }
    return random;
}

void hangs_add_answer(struct hangs *hangs, double seconds) {
    if (!hangs)
        return;
#pragma omp critical(hangs)
    hangs->answered += seconds;
}

bool hangs_doubts(const struct hangs *hangs) {
    bool doubts = false;
    if (hangs) {
#pragma omp critical(hangs)
        doubts = hangs->most == 1;
    }
    return doubts;
}

bool hangs_too_long(const struct hangs *hangs, double timeout) {
    bool too_long = false;
    if (hangs) {
#pragma omp critical(hangs)
        too_long = hangs->lost > MOST_LIMITS * timeout && hangs->lost > hangs->answered;
    }
    return too_long;
}
