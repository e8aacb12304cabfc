/* What a rule may limit of the operations of two traces, a row each. */
#include "gate/trace.h"

const struct trace_limit trace_limits[TRACE_LIMITS] = {
    {"parted", "operations that parted by themselves", {"parted", NULL}, false, true, NULL},
    {"followed",
     "operations whose inputs differ, and whose outputs do",
     {"followed", NULL},
     false,
     false,
     NULL},
    {"other_inputs",
     "operations of inputs from outside that differ",
     {"other inputs", NULL},
     true,
     true,
     NULL},
    {"unclear",
     "operations that differ, of inputs without a digest",
     {"unclear", NULL},
     true,
     true,
     NULL},
    {"not_compared",
     "operations of outputs without a digest",
     {"not compared", NULL},
     true,
     true,
     "no_values"},
    {"alone", "operations without a partner", {"here alone", "there alone"}, true, true, NULL},
    {"largest",
     "largest distance of those that parted, in ulps",
     {"parted", NULL},
     false,
     true,
     NULL},
};

const cJSON *gate_trace_limits(struct json_reader *reader, const cJSON *rule) {
    const char *names[TRACE_LIMITS + 1] = {NULL};
    const cJSON *one, *object = json_object(reader, rule, "trace");
    size_t mark = json_enter(reader, "trace", -1);
    for (int i = 0; i < TRACE_LIMITS; i++)
        names[i] = trace_limits[i].name;
    if (object)
        json_only(reader, object, names);
    cJSON_ArrayForEach(one, object) json_count(reader, object, one->string);
    if (object && !object->child)
        json_fail(reader, NULL, "limits nothing, such as \"parted\": 0");
    json_leave(reader, mark);
    return object;
}

double gate_trace_found(const cJSON *kind, int row) {
    const struct trace_limit *limit = &trace_limits[row];
    return json_number(kind, limit->name) -
           (limit->apart_from ? json_number(kind, limit->apart_from) : 0);
}

bool rule_sets_trace(const struct rule *rule, int row) {
    return rule->trace && json_get(rule->trace, trace_limits[row].name);
}
