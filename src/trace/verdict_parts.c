/* What inputs and outputs are compared by. */
#include "trace/verdict_parts.h"

#include "trace/names.h"

#include <string.h>

enum sameness verdict_compare(const struct trace_tensor *a, const struct trace_tensor *b) {
    if (!a->count && !b->count)
        return SAME;
    if (!a->has_digest || !b->has_digest)
        return UNKNOWN;
    const bool same_type =
        a->type && b->type ? a->type == b->type : strcmp(a->type_name, b->type_name) == 0;
    return same_type && a->count == b->count && trace_same_digest(&a->canonical, &b->canonical)
               ? SAME
               : OTHER;
}

bool verdict_is_plain(const struct verdict_judge *judge, const struct trace_match *match) {
    return match->count[0] == 1 && match->count[1] == 1 &&
           trace_same_name(verdict_last(judge, match, 0), verdict_last(judge, match, 1));
}
