/* Ways that differ in a detail alone. */
#include "trace/ways.h"

#include <string.h>

/* Parts of the names "form:NAME:SUMS:FUNCTIONS" and "steps@FORMAT:FUNCTIONS: FORMULA", but for the functions. */
struct parts {
    const char *head, *tail;
    size_t head_length;
};

static bool take_apart(const char *name, struct parts *parts) {
    const bool is_form = strncmp(name, "form:", 5) == 0;
    const char *before = is_form ? strrchr(name, ':') : strchr(name, ':');
    if (!before || (!is_form && strncmp(name, "steps", 5) != 0))
        return false;
    const char *after = is_form ? name + strlen(name) : strchr(before + 1, ':');
    *parts = (struct parts){name, after, (size_t)(before - name)};
    return after;
}

static bool differ_in_functions(const struct trace_way *a, const struct trace_way *b) {
    struct parts one, other;
    return a->name && b->name && take_apart(a->name, &one) && take_apart(b->name, &other) &&
           one.head_length == other.head_length &&
           strncmp(one.head, other.head, one.head_length) == 0 && strcmp(one.tail, other.tail) == 0;
}

/* Whether it is the sum of all terms, rounded so late that the order hardly shows; `in`: of orders the format. */
static bool is_late(const struct trace_way *way, const struct format *results,
                    const struct format **in) {
    *in = way->kind == TRACE_WAY_ORDER ? way->accumulator : NULL;
    if (way->kind == TRACE_WAY_EXACT)
        return !way->operation && way->rounding == ROUND_NEAREST_EVEN;
    return *in && (*in)->precision >= 2 * results->precision;
}

enum trace_detail trace_ways_detail(const struct trace_way *a, const struct trace_way *b,
                                    const struct format *results) {
    const struct format *one, *other;
    if (a->change != b->change)
        return TRACE_DETAIL_NONE;
    if (differ_in_functions(a, b))
        return TRACE_DETAIL_FUNCTIONS;
    if (is_late(a, results, &one) && is_late(b, results, &other) && (one || other) &&
        (!one || !other || one == other) &&
        (a->onto == TRACE_ONTO_RESULT) == (b->onto == TRACE_ONTO_RESULT))
        return TRACE_DETAIL_ORDER;
    return TRACE_DETAIL_NONE;
}
