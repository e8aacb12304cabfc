/* A list of ways that grows, and which calls have orders among theirs. */
#include "trace/ways.h"

#include <stdlib.h>
#include <string.h>

struct trace_way *trace_ways_add(struct trace_ways *ways, struct trace_way way) {
    if (ways->count == ways->room) {
        const size_t room = ways->room ? 2 * ways->room : 64;
        struct trace_way *items = realloc(ways->items, room * sizeof *items);
        if (!items) {
            ways->out_of_memory = true;
            return NULL;
        }
        ways->items = items;
        ways->room = room;
    }
    ways->items[ways->count] = way;
    return &ways->items[ways->count++];
}

bool trace_is_sum(const struct trace_call *call) {
    static const char *const names[] = {"sum", "mean", "dot", "matmul", "convolution"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found = found || strcmp(call->operation->name, names[i]) == 0;
    return found;
}
