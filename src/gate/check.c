/* The lists of checks and of notices. */
#include "gate/gate.h"

#include "base/foreign.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check *gate_add_check(struct gate *gate, size_t case_index, const char *name,
                             const char *what, enum check_status status) {
    if (gate->check_count == gate->check_room) {
        size_t room = gate->check_room ? 2 * gate->check_room : 64;
        struct check *more = realloc(gate->checks, room * sizeof *more);
        if (!more)
            return NULL;
        gate->checks = more;
        gate->check_room = room;
    }
    struct check *check = &gate->checks[gate->check_count++];
    *check =
        (struct check){.case_index = case_index, .what = what, .status = status, .next = CHAIN_END};
    snprintf(check->name, sizeof check->name, "%s", name);
    foreign_trim(check->name);
    gate->counts[status]++;
    struct gate_case *gate_case = &gate->cases[case_index];
    if (gate_case->is_checked)
        gate->checks[gate_case->last_check].next = gate->check_count - 1;
    else
        gate_case->first_check = gate->check_count - 1;
    gate_case->last_check = gate->check_count - 1;
    gate_case->is_checked = true;
    return check;
}

bool gate_add_notice(struct gate *gate, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    foreign_trim(text);
    for (size_t i = 0; i < gate->notice_count; i++)
        if (strcmp(gate->notices[i], text) == 0)
            return true;
    char **more = realloc(gate->notices, (gate->notice_count + 1) * sizeof *more);
    if (!more)
        return false;
    gate->notices = more;
    gate->notices[gate->notice_count] = strdup(text);
    return gate->notices[gate->notice_count++] != NULL;
}
