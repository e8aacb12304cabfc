/* Filling a slice: asking for all of it, and the search for the input that was too much. */
#include "impl/remote/remote.h"

#include "impl/remote/c_function.h"

#include <sys/wait.h>

/* Seconds for a process to end once it has closed its output. */
#define LOSS_GRACE 0.3

/* Inputs in succession that lose their process, after which others are passed over. */
enum { PASS_OVER = 16 };

/* While the input that hangs is looked for, its neighbours get this share of the time. */
#define SEARCH_SHARE 0.125

void remote_tell_changes(const struct remote *remote, const struct remote_part *part,
                         event_function *event, void *context) {
    static const enum event_kind kinds[] = {EVENT_ROUNDING_CHANGED, EVENT_FLUSHING_CHANGED};
    if (!remote->memory || !remote->memory->changes)
        return;
    for (size_t i = 0; i < part->count; i++)
        for (int k = 0; k < 2; k++)
            if (remote->memory->changed[i] >> kinds[k] & 1)
                event(context, kinds[k], part->at + i);
}

struct search {
    size_t at;  /* inputs before it are done */
    size_t bad; /* at .. bad-1 hold an input that cost a process; none where it is not above `at` */
    bool known; /* that input is bad-1 */
    size_t size; /* of the request in which it was first noticed */
    enum event_kind kind;
    unsigned in_succession;
};

/* What to ask next. */
static struct remote_part next_part(const struct remote *remote, const struct slice *slice,
                                    const struct search *search) {
    size_t left = search->in_succession ? 1 : slice->count - search->at;
    if (search->bad > search->at) {
        left = search->bad - search->at;
        if (left > 1)
            left = search->known ? left - 1 : left / 2;
    }
    return (struct remote_part){slice, search->at, left < remote->most ? left : remote->most};
}

/* The input at `at` has no answer. After too many of them in succession, more and more of those
 * that follow are passed over, until one is answered. */
static void give_up(struct search *search, const struct slice *slice, event_function *event,
                    void *context) {
    size_t passed = 0, left = slice->count - search->at - 1, first = search->at;
    search->in_succession++;
    if (search->in_succession >= PASS_OVER && search->in_succession < PASS_OVER + 32)
        passed = (size_t)PASS_OVER << (search->in_succession - PASS_OVER);
    size_t end = search->at + 1 + (passed < left ? passed : left);
    for (; search->at < end; search->at++) {
        if (slice->unanswered)
            slice->unanswered[search->at] = 1;
        /* Who has no such list must not take those passed over for answered. */
        if (search->at == first || !slice->unanswered)
            event(context, search->kind, search->at);
    }
    search->bad = 0;
}

/* Whether a signal ended it, or what the shell ran: that ends with 128 and the signal then. */
static bool was_signalled(int status) {
    return status != PROCESS_KILLED &&
           (WIFSIGNALED(status) ||
            (WIFEXITED(status) && WEXITSTATUS(status) > 128 && WEXITSTATUS(status) <= 128 + 64));
}

enum event_kind remote_bury(struct remote *remote, enum remote_outcome outcome) {
    int status = process_close(&remote->process, outcome == REMOTE_LATE ? 0 : LOSS_GRACE);
    return outcome == REMOTE_LATE ? EVENT_HANG : was_signalled(status) ? EVENT_CRASH : EVENT_EXIT;
}

/* A process is gone: why, and where. */
static void note_loss(struct remote *remote, struct search *search, const struct remote_part *part,
                      enum remote_outcome outcome) {
    uint32_t where = remote->memory ? remote->memory->at : C_FUNCTION_NOWHERE;
    search->kind = remote_bury(remote, outcome);
    if (search->bad <= search->at)
        search->size = part->count;
    search->known = where < part->count;
    search->bad = part->at + (search->known ? where + 1 : part->count);
}

/* All inputs up to the one that cost a process have answers now, that one too: it takes more than
 * one input, or chance. A block that only took long is asked for in smaller ones from now on. */
static void note_nothing_found(struct remote *remote, struct search *search, size_t last,
                               event_function *event, void *context) {
    if (search->kind != EVENT_HANG)
        event(context, search->kind, last);
    else if (search->size > 1)
        remote->most = search->size >= 16 ? search->size / 8 : 1;
    search->bad = 0;
}

static bool is_junk(const struct remote *remote, const struct remote_part *part,
                    struct error *error) {
    return error_set(error,
                     "%.200s: what it wrote is no answer to %zu inputs; stdout is for the protocol "
                     "of detcheck-exec(7) alone",
                     remote->name, part->count);
}

/* How long the next part may take. */
static double seconds_for(const struct remote *remote, const struct search *search) {
    bool narrowing = search->bad > search->at + 1 && search->kind == EVENT_HANG && !search->known;
    return remote->foreign->timeout * (narrowing ? SEARCH_SHARE : 1);
}

/* Asks for the next part, and takes note of what comes of it. */
static bool step(struct remote *remote, struct search *search, const struct slice *slice,
                 event_function *event, void *context, struct error *error) {
    bool last = search->bad == search->at + 1, searching = search->bad > search->at;
    if (last && search->known) {
        give_up(search, slice, event, context);
        return true;
    }
    if (!remote->process.pid && remote_start(remote, error) != REMOTE_READY)
        return false;
    struct remote_part part = next_part(remote, slice, search);
    enum remote_outcome outcome = remote_ask(remote, &part, seconds_for(remote, search));
    switch (outcome) {
    case REMOTE_ANSWERED:
        remote_tell_changes(remote, &part, event, context);
        search->at += part.count;
        search->in_succession = 0;
        if (last)
            note_nothing_found(remote, search, part.at, event, context);
        return true;
    case REMOTE_STOPPED:
        process_close(&remote->process, 0);
        return true;
    case REMOTE_JUNK:
        return is_junk(remote, &part, error);
    default:
        note_loss(remote, search, &part, outcome);
        if (part.count == 1 && (last || !searching || outcome == REMOTE_LOST))
            give_up(search, slice, event, context);
        return true;
    }
}

bool remote_fill(struct remote *remote, const struct slice *slice, event_function *event,
                 void *context, struct error *error) {
    struct search search = {0};
    while (search.at < slice->count && !foreign_is_stopped(remote->foreign))
        if (!step(remote, &search, slice, event, context, error))
            return foreign_is_stopped(remote->foreign);
    return true;
}
