/* Filling a slice: asking for all of it, and the search for the input that was too much. */
#include "impl/remote/remote.h"

#include "base/clock.h"
#include "impl/earlier.h"
#include "impl/remote/c_function.h"
#include "impl/remote/hangs.h"

#include <string.h>
#include <sys/wait.h>

/* Seconds for a process to end once it has closed its output. */
#define LOSS_GRACE 0.3

/* Inputs in succession that lose their process, after which others are passed over. */
enum { PASS_OVER = 16 };

/* An implementation is given up, more and more, after 8 inputs in a row that hang, each of which
 * costs the time limit, or 16,384 that crash, which cost a minute. */
enum { LOSS = 1, LOSS_BY_HANG = 1 << 11, MOST_LOST = 1 << 14, MOST_DOUBLINGS = 40 };

/* By 1 << kind, what was noticed at an input of the last request. */
static unsigned noticed(const struct remote *remote, size_t index) {
    unsigned gap = remote->has_gaps && remote->gaps[index] ? 1u << EVENT_NOT_WRITTEN : 0;
    return gap | (remote->memory && remote->memory->changes ? remote->memory->changed[index] : 0);
}

void remote_tell_changes(const struct remote *remote, const struct remote_part *part,
                         event_function *event, void *context) {
    if (!remote->has_gaps && !(remote->memory && remote->memory->changes))
        return;
    for (size_t i = 0; i < part->count; i++) {
        const unsigned kinds = noticed(remote, i);
        if (kinds >> EVENT_NOT_WRITTEN & 1 && part->slice->unanswered)
            part->slice->unanswered[part->at + i] = 1;
        for (int kind = 0; kind < EVENT_KINDS; kind++)
            if (kinds >> kind & 1)
                event(context, (enum event_kind)kind, part->at + i);
    }
}

struct blame_search {
    size_t at;  /* inputs before it are done */
    size_t bad; /* at .. bad-1 hold an input that cost a process; none where it is not above `at` */
    bool known; /* that input is bad-1 */
    size_t size; /* of the request in which it was first noticed */
    enum event_kind kind;
    double late; /* seconds that the requests took since which had no answer in time */
    unsigned in_succession;
    size_t lost; /* inputs that have cost a process */
};

/* What to ask next. */
static struct remote_part next_part(const struct remote *remote, const struct slice *slice,
                                    const struct blame_search *search) {
    size_t left = search->in_succession ? 1 : slice->count - search->at;
    if (search->bad > search->at) {
        left = search->bad - search->at;
        if (left > 1)
            left = search->known ? left - 1 : left / 2;
    }
    left = hangs_most(remote->hangs, left < PROTOCOL_BLOCK ? left : PROTOCOL_BLOCK);
    /* ask.c may have to ask for some more, where one of the last requests was of as many. */
    while (left > PROTOCOL_BLOCK - REMOTE_APART && !remote->memory &&
           remote_was_asked(remote, left))
        left--;
    return (struct remote_part){slice, search->at, left};
}

void remote_note_lost(struct remote *remote, enum event_kind kind) {
    remote->lost += kind == EVENT_HANG ? LOSS_BY_HANG : LOSS;
    if (remote->lost < MOST_LOST)
        return;
    if (remote->passed < (uint64_t)1 << MOST_DOUBLINGS)
        remote->passed = remote->passed ? 2 * remote->passed : 1;
    remote->passing = remote->passed;
    remote->lost = MOST_LOST;
}

void remote_note_answered(struct remote *remote) {
    remote->is_at_rest = true;
    remote->lost = 0;
    remote->passing = remote->passed = 0;
}

/* Leaves the inputs from `at` on without an answer. */
static void pass_over(const struct slice *slice, size_t at, event_function *event, void *context) {
    if (slice->unanswered)
        memset(slice->unanswered + at, 1, slice->count - at);
    /* Who has no such list must not take them for answered. */
    for (size_t i = at; i < (slice->unanswered && at < slice->count ? at + 1 : slice->count); i++)
        event(context, EVENT_GIVEN_UP, i);
}

bool remote_leaves_out(const struct slice *slice, size_t lost, size_t at) {
    if (!slice->limit || lost < slice->limit->most || at == slice->count)
        return false;
    slice->limit->left_out += slice->count - at;
    if (slice->unanswered)
        memset(slice->unanswered + at, 1, slice->count - at);
    return true;
}

bool remote_passes_over(struct remote *remote, const struct slice *slice, event_function *event,
                        void *context) {
    if (!remote->passing)
        return false;
    remote->passing--;
    pass_over(slice, 0, event, context);
    return true;
}

/* The input at `at` has no answer. After too many of them in succession, more and more of those
 * that follow are passed over, until one is answered. */
static void give_up(struct remote *remote, struct blame_search *search, const struct slice *slice,
                    event_function *event, void *context) {
    remote_note_lost(remote, search->kind);
    search->lost++;
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
    search->late = 0;
}

/* Whether a signal ended it, or what the shell ran: that ends with 128 and the signal then. */
static bool was_signalled(int status) {
    return status != PROCESS_KILLED &&
           (WIFSIGNALED(status) ||
            (WIFEXITED(status) && WEXITSTATUS(status) > 128 && WEXITSTATUS(status) <= 128 + 64));
}

enum event_kind remote_reap(struct remote *remote, enum remote_outcome outcome) {
    int status = process_close(&remote->process, outcome == REMOTE_LOST ? LOSS_GRACE : 0);
    bool jumped = remote->memory && remote->memory->jumped;
    if (outcome == REMOTE_TWICE || jumped)
        return EVENT_ANSWERED_TWICE;
    return outcome == REMOTE_LATE ? EVENT_HANG : was_signalled(status) ? EVENT_CRASH : EVENT_EXIT;
}

/* A process is gone: why, and where. */
static void note_loss(struct remote *remote, struct blame_search *search,
                      const struct remote_part *part, enum remote_outcome outcome) {
    uint32_t where = remote->memory ? remote->memory->at : 0;
    search->kind = remote_reap(remote, outcome);
    if (search->bad <= search->at)
        search->size = part->count;
    search->known = where > 0 && where <= CALL_PASSES * part->count;
    if (search->known)
        remote_keep_earlier(remote, part, where);
    search->bad = part->at + (search->known ? (where - 1) % part->count + 1 : part->count);
}

/* All inputs up to the one that cost a process have answers now, that one too: it takes more than
 * one input, or chance. A block that only took long is asked for in smaller ones from now on. */
static void note_nothing_found(struct remote *remote, struct blame_search *search, size_t last,
                               event_function *event, void *context) {
    if (search->kind != EVENT_HANG || hangs_add(remote->hangs, search->size, search->late))
        event(context, search->kind, last);
    search->bad = 0;
    search->late = 0;
}

static bool is_junk(const struct remote *remote, const struct remote_part *part,
                    struct error *error) {
    return error_set(
        error,
        "%.200s: its output is not an answer to %zu inputs; stdout is for the protocol "
        "of %s alone",
        remote->name, part->count, remote_page(remote));
}

/* How long the next part may take. */
static double seconds_for(const struct remote *remote, const struct blame_search *search) {
    bool narrowing = search->bad > search->at + 1 && search->kind == EVENT_HANG && !search->known;
    return remote->foreign->timeout * (narrowing ? REMOTE_SEARCH_SHARE : 1);
}

/* What is answered again, after the process was lost. */
static void compare_earlier(const struct remote *remote, const struct remote_part *part,
                            event_function *event, void *context) {
    struct earlier_answers *earlier = part->slice->earlier;
    if (!earlier || !earlier->any)
        return;
    size_t end = part->at + part->count,
           other = earlier_compare(earlier, remote->request, part->slice, part->at, part->count);
    if (other < end)
        event(context, EVENT_ANSWERS_DIFFER, other);
}

/* Asks for the next part, and takes note of what comes of it. */
static bool step(struct remote *remote, struct blame_search *search, const struct slice *slice,
                 event_function *event, void *context, struct error *error) {
    bool last = search->bad == search->at + 1, searching = search->bad > search->at;
    if (last && search->known) {
        give_up(remote, search, slice, event, context);
        return true;
    }
    if (!remote->process.pid && remote_start(remote, error) != REMOTE_READY)
        return false;
    struct remote_part part = next_part(remote, slice, search);
    double start = clock_seconds();
    enum remote_outcome outcome = remote_ask(remote, &part, seconds_for(remote, search));
    double took = clock_seconds() - start;
    switch (outcome) {
    case REMOTE_ANSWERED:
        hangs_add_answer(remote->hangs, took);
        remote_note_answered(remote);
        remote_tell_changes(remote, &part, event, context);
        compare_earlier(remote, &part, event, context);
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
    case REMOTE_TWICE: /* of a command: another process is asked, which has not answered yet */
        if (!remote->memory) {
            event(context, remote_reap(remote, outcome), part.at);
            return true;
        } /* fall through */
    default:
        search->late += outcome == REMOTE_LATE ? took : 0;
        note_loss(remote, search, &part, outcome);
        if (part.count == 1 &&
            (last || (!searching && !hangs_doubts(remote->hangs)) || outcome != REMOTE_LATE))
            give_up(remote, search, slice, event, context);
        return true;
    }
}

/* For now, or for good. */
static bool is_given_up(const struct remote *remote) {
    return remote->passing || hangs_too_long(remote->hangs, remote->foreign->timeout);
}

bool remote_fill(struct remote *remote, const struct slice *slice, event_function *event,
                 void *context, struct error *error) {
    struct blame_search search = {.in_succession = remote->lost > 0};
    if (remote_passes_over(remote, slice, event, context))
        return true;
    while (search.at < slice->count && !foreign_is_stopped(remote->foreign) &&
           !is_given_up(remote) && !remote_leaves_out(slice, search.lost, search.at))
        if (!step(remote, &search, slice, event, context, error))
            return foreign_is_stopped(remote->foreign);
    if (is_given_up(remote))
        pass_over(slice, search.at, event, context);
    return true;
}
