/* Settings that changed in a run: what they were at an operation, and the words that a comparison has for them. */
#include "trace/settings.h"

#include "base/json.h"
#include "base/json_tree.h"

#include <stdio.h>
#include <string.h>

enum {
    SHOWN = 6, /* changes that the text names */
    ROOM = 1000
};

const char *trace_setting_words(const struct trace *trace, const char *name) {
    const char *text = json_text(trace->settings, name);
    return *text ? text : json_text(trace->environment, name);
}

/* The next operation from `at` on that has another value of a setting; the count of operations where there is none. */
static size_t next_change(const struct trace *trace, const char *name, size_t at) {
    while (at < trace->count && !json_get(trace->operations[at].settings, name))
        at++;
    return at;
}

bool trace_setting_equal(const struct trace *here, const struct trace *there, const char *name) {
    if (strcmp(trace_setting_words(here, name), trace_setting_words(there, name)) != 0)
        return false;
    size_t at = next_change(here, name, 0), other = next_change(there, name, 0);
    while (at < here->count && at == other) {
        const struct trace_operation *a = &here->operations[at], *b = &there->operations[at];
        if (a->thread != b->thread ||
            strcmp(json_text(a->settings, name), json_text(b->settings, name)) != 0)
            return false;
        at = next_change(here, name, at + 1);
        other = next_change(there, name, other + 1);
    }
    return at >= here->count && other >= there->count;
}

/* What a setting is at an operation: as the last one of its thread up to there says, or as in the beginning. */
const char *trace_setting_at(const struct trace *trace, const char *name, size_t at) {
    const uint64_t thread = trace->operations[at].thread;
    for (size_t i = at + 1; i-- > 0;) {
        const struct trace_operation *operation = &trace->operations[i];
        if (operation->thread == thread && json_get(operation->settings, name))
            return json_text(operation->settings, name);
    }
    return json_text(trace->environment, name);
}

bool trace_same_settings(const struct trace *trace, size_t a, size_t b) {
    for (const cJSON *item = trace->settings ? trace->settings->child : NULL; item;
         item = item->next)
        if (strcmp(trace_setting_at(trace, item->string, a),
                   trace_setting_at(trace, item->string, b)) != 0)
            return false;
    return true;
}

/* "1 (2 from operation 12 on; 1 from operation 13 on)". */
static void describe(const struct trace *trace, const char *name, char text[ROOM]) {
    size_t changes = 0, length = 0;
    length += (size_t)snprintf(text, ROOM / 4, "%.200s", json_text(trace->environment, name));
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_operation *operation = &trace->operations[i];
        if (!json_get(operation->settings, name) || changes++ >= SHOWN)
            continue;
        length +=
            (size_t)snprintf(text + length, ROOM - length, "%s%.40s from operation %zu on",
                             changes == 1 ? " (" : "; ", json_text(operation->settings, name), i);
        if (operation->thread)
            length += (size_t)snprintf(text + length, ROOM - length, " in thread %llu",
                                       (unsigned long long)operation->thread);
    }
    if (changes > SHOWN)
        length += (size_t)snprintf(text + length, ROOM - length, "; and %zu more changes",
                                   changes - SHOWN);
    if (changes)
        snprintf(text + length, ROOM - length, ")");
}

bool trace_settings_read(struct trace *trace, struct error *error) {
    for (size_t i = 0; i < trace->count; i++) {
        const cJSON *changed = trace->operations[i].settings;
        for (const cJSON *item = changed ? changed->child : NULL; item; item = item->next) {
            char text[ROOM];
            if (!trace->settings)
                trace->settings = cJSON_CreateObject();
            if (json_get(trace->settings, item->string))
                continue;
            describe(trace, item->string, text);
            if (!cJSON_AddStringToObject(trace->settings, item->string, text))
                return error_set(error, "out of memory for %.200s", trace->file);
        }
    }
    return true;
}
