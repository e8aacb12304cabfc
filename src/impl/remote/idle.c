/* Keeping workers, and ending those that nobody needs. */
#include "impl/remote/idle.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

/* What a worker is and has said, with no binding. */
struct idle {
    struct idle *next; /* which has waited for less long */
    struct remote remote;
};

static struct {
    struct idle *first;
    size_t idle, bound,
        most; /* workers, bindings, and the most bindings that were open at a time */
    bool ends_at_exit;
} waiting;

static void end_workers(struct idle *first) {
    double end = clock_seconds() + REMOTE_GRACE;
    for (struct idle *one = first; one; one = one->next) /* so that they end at the same time */
        process_hang_up(&one->remote.process);
    for (struct idle *one = first, *next; one; one = next) {
        double left = end - clock_seconds();
        next = one->next;
        process_close(&one->remote.process, left > 0 ? left : 0);
        free(one->remote.key.bytes);
        free(one);
    }
}

static void end_all(void) {
    end_workers(waiting.first);
    waiting.first = NULL;
    waiting.idle = 0;
}

/* Takes the worker at `place` out of the list. */
static struct idle *take_out(struct idle **place) {
    struct idle *one = *place;
    *place = one->next;
    one->next = NULL;
    waiting.idle--;
    return one;
}

/* Takes out a worker with that key, which may have ended meanwhile. */
static struct idle *find(const struct remote_key *key) {
    for (struct idle **place = &waiting.first; *place; place = &(*place)->next) {
        const struct remote_key *its = &(*place)->remote.key;
        if (its->length == key->length && memcmp(its->bytes, key->bytes, key->length) == 0)
            return take_out(place);
    }
    return NULL;
}

/* Takes out one that is too many. */
static struct idle *find_needless(void) {
    return waiting.first && waiting.idle + waiting.bound > waiting.most ? take_out(&waiting.first)
                                                                        : NULL;
}

/* What the worker of the one remote is, to another one. */
static void hand_over(struct remote *to, const struct remote *from) {
    to->process = from->process;
    to->said = from->said;
    to->tells = from->tells;
    to->conditions = from->conditions;
    to->has_started = from->has_started;
    to->is_at_rest = from->is_at_rest;
    to->number = from->number;
    memcpy(to->asked, from->asked, sizeof to->asked);
    to->asked_next = from->asked_next;
}

bool idle_take(struct remote *remote) {
    struct idle *found = NULL, *needless = NULL;
    bool there = false;
#pragma omp critical(idle_workers)
    {
        waiting.bound++;
        if (waiting.most < waiting.bound)
            waiting.most = waiting.bound;
        while (!there && (found = find(&remote->key))) {
            there = process_is_there(&found->remote.process);
            if (!there) { /* it is ended below */
                found->next = needless;
                needless = found;
            }
        }
        for (struct idle *one; (one = find_needless());) {
            one->next = needless;
            needless = one;
        }
    }
    end_workers(needless);
    if (!there)
        return false;
    hand_over(remote, &found->remote);
    free(found->remote.key.bytes);
    free(found);
    return true;
}

void idle_give(struct remote *remote) {
    bool keep = remote->process.pid && remote->is_at_rest && !foreign_is_stopped(remote->foreign) &&
                process_is_there(&remote->process);
    struct idle *one = keep ? calloc(1, sizeof *one) : NULL;
#pragma omp critical(idle_workers)
    {
        struct idle **last = &waiting.first;
        waiting.bound--;
        if (one && !waiting.ends_at_exit)
            waiting.ends_at_exit = atexit(end_all) == 0;
        if (one && waiting.ends_at_exit) {
            hand_over(&one->remote, remote);
            one->remote.key = remote->key;
            remote->process.pid = 0;
            remote->key = (struct remote_key){0};
            while (*last)
                last = &(*last)->next;
            *last = one;
            waiting.idle++;
            one = NULL;
        }
    }
    free(one);
}
