/* The rows of names of operations (src/trace/names.h), for the list of a framework. */
#include "manual_items.h"

#include "trace/names.h"

#include <stdio.h>
#include <string.h>

/* "matmul; of another ...": the operation, and what is not judged. */
static void say(const struct trace_name *row, char *text, size_t room) {
    const bool of_input = row->operation && row->when;
    snprintf(text, room, "%s%s%s%s%s%s%s", row->operation ? row->operation : "none: ",
             row->operation && row->parameters ? ", " : "",
             row->operation && row->parameters ? row->parameters : "", of_input ? ", if " : "",
             of_input ? row->when : "", row->operation && row->limits ? "; not judged: " : "",
             row->limits ? row->limits : "");
}

size_t manual_names(const struct command *const *commands, const char *argument,
                    struct manual_item *items, size_t most) {
    enum { MOST_ROWS = 640, SAYS_ROOM = 320 };
    static char says[MOST_ROWS][SAYS_ROOM]; /* for one list after the other */
    const size_t length = strlen(argument);
    const struct trace_name *row;
    size_t count = 0;
    (void)commands;
    for (size_t i = 0; i < MOST_ROWS && (row = trace_name_at(i)) && count < most; i++) {
        if (strncmp(row->name, argument, length) != 0 || row->name[length] != '.')
            continue;
        say(row, says[i], SAYS_ROOM);
        items[count++] = (struct manual_item){
            .name = row->name, .subject = "", .says = says[i], .is_name = true};
    }
    return count;
}
