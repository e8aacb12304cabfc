/* The gate as JSON: its own document, and SARIF. */
#include "gate/output.h"

#include "base/foreign.h"
#include "base/json_output.h"
#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MOST_LISTED = 20 };

/* Foreign text within printf's arguments; CUT is at most 100 bytes of it. */
#define PLAIN(TEXT) foreign_text(FOREIGN_PLAIN, TEXT, (char[FOREIGN_ROOM]){0}, FOREIGN_ROOM)
#define CUT(TEXT)   foreign_text(FOREIGN_PLAIN, TEXT, (char[101]){0}, 101)

static cJSON *append(cJSON *array) {
    cJSON *object = json_append(array);
    return object;
}

/* Text of a report or policy, which a file may have from anybody. */
static void add_foreign(cJSON *object, const char *name, const char *text) {
    char clean[4 * FOREIGN_ROOM];
    cJSON_AddStringToObject(object, name, foreign_text(FOREIGN_PLAIN, text, clean, sizeof clean));
}

static void add_identity(cJSON *object, const struct gate_case *gate_case) {
    add_foreign(object, "report", gate_case->report->path);
    add_foreign(object, "operation", gate_case->result->operation);
    add_foreign(object, "format", gate_case->result->format);
    add_foreign(object, "rounding", gate_case->result->rounding);
    add_foreign(object, "implementation", gate_case->implementation->name);
    cJSON_AddRawToObject(object, "parameters", gate_case->result->parameters);
    add_foreign(object, "inputs", gate_case->result->inputs.description);
}

bool gate_write_json(const struct gate *gate, FILE *stream) {
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "detcheck/gate/1");
    cJSON_AddBoolToObject(document, "passed", !gate->counts[CHECK_FAILED]);
    cJSON *counts = cJSON_AddObjectToObject(document, "counts");
    for (int i = 0; i < CHECK_STATUSES; i++)
        cJSON_AddNumberToObject(counts, check_status_names[i], (double)gate->counts[i]);
    cJSON *notices = cJSON_AddArrayToObject(document, "notices");
    for (size_t i = 0; i < gate->notice_count; i++)
        cJSON_AddItemToArray(notices, cJSON_CreateString(PLAIN(gate->notices[i])));
    cJSON *checks = cJSON_AddArrayToObject(document, "checks");
    for (size_t i = 0; i < gate->check_count; i++) {
        const struct check *check = &gate->checks[i];
        cJSON *object = append(checks);
        add_identity(object, &gate->cases[check->case_index]);
        add_foreign(object, "check", check->name);
        add_foreign(object, "what", check->what);
        cJSON_AddStringToObject(object, "status", check_status_names[check->status]);
        add_foreign(object, "allowed", check->allowed);
        add_foreign(object, "found", check->found);
        add_foreign(object, "source", check->source);
        if (check->reason)
            add_foreign(object, "reason", check->reason);
        for (int j = 0; j < WITNESS_ROWS; j++) {
            char *text = gate_witness_text(&gate->cases[check->case_index], check->witness,
                                           &witness_rows[j]);
            if (text)
                add_foreign(object, witness_rows[j].name, text);
            free(text);
        }
        if (check->command)
            add_foreign(object, "command", check->command);
    }
    return json_print(document, stream);
}

/* Whether two failures are told as one: the same limit of the same function. */
static bool together(const struct gate *gate, const struct check *a, const struct check *b) {
    const struct gate_case *one = &gate->cases[a->case_index], *other = &gate->cases[b->case_index];
    return strcmp(a->name, b->name) == 0 &&
           strcmp(one->result->operation, other->result->operation) == 0 &&
           strcmp(one->implementation->name, other->implementation->name) == 0;
}

static uint64_t hash_together(const struct gate *gate, const struct check *check) {
    const struct gate_case *gate_case = &gate->cases[check->case_index];
    uint64_t hash = hash_text(HASH_BEGIN, check->name);
    hash = hash_text(hash, gate_case->result->operation);
    return hash_text(hash, gate_case->implementation->name);
}

/* The first failure from number `at` of a chain that is told together with `check`. */
static size_t next_together(const struct gate *gate, const struct chains *failures, size_t at,
                            const struct check *check) {
    while (at != CHAIN_END && !together(gate, &gate->checks[at], check))
        at = chain_next(failures, at);
    return at;
}

static bool is_first(const struct gate *gate, const struct chains *failures, size_t at) {
    const struct check *check = &gate->checks[at];
    size_t first = chain_first(failures, hash_together(gate, check));
    return next_together(gate, failures, first, check) == at;
}

/* The failures by what they are told with; chains ascend. */
static bool chain_failures(const struct gate *gate, struct chains *failures) {
    if (!chains_make(failures, gate->check_count))
        return false;
    for (size_t i = gate->check_count; i-- > 0;)
        if (gate->checks[i].status == CHECK_FAILED)
            chains_add(failures, hash_together(gate, &gate->checks[i]), i);
    return true;
}

static char *message_of(const struct gate *gate, const struct chains *failures, size_t first,
                        size_t *count) {
    char *text = NULL, name[256];
    size_t size;
    FILE *stream = memory_stream(&text, &size);
    if (!stream)
        return NULL;
    *count = 0;
    fprintf(stream, "%s:", gate->checks[first].what);
    const struct check *check = &gate->checks[first];
    for (size_t i = first; i != CHAIN_END;
         i = next_together(gate, failures, chain_next(failures, i), check)) {
        check = &gate->checks[i];
        if (++*count > MOST_LISTED)
            continue;
        const struct text_figures figures = text_cut_figures(check->allowed, check->found);
        fprintf(stream, "\n%s: allowed %s, found %s (%s)",
                gate_case_name(&gate->cases[check->case_index], " ", name), PLAIN(figures.allowed),
                PLAIN(figures.found), PLAIN(check->source));
        gate_print_witness(stream, &gate->cases[check->case_index], check->witness, "\n", 0, "");
        if (check->command)
            fprintf(stream, "\n%s", PLAIN(check->command));
    }
    if (*count > MOST_LISTED)
        fprintf(stream, "\nand %zu more", *count - MOST_LISTED);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* The path as a relative reference to it (RFC 3986): what could mean something else is encoded. */
static void add_uri(cJSON *object, const char *path) {
    char *uri = malloc(3 * strlen(path) + 1), *end = uri;
    for (; uri && *path; path++)
        if (isalnum((unsigned char)*path) || strchr("-._~/", *path))
            *end++ = *path;
        else
            end += sprintf(end, "%%%02X", (unsigned)(unsigned char)*path);
    if (uri) {
        *end = '\0';
        cJSON_AddStringToObject(object, "uri", uri);
    }
    free(uri);
}

static void add_location(cJSON *result, const struct gate_case *gate_case) {
    char name[256];
    cJSON *location = append(cJSON_AddArrayToObject(result, "locations"));
    cJSON *physical = cJSON_AddObjectToObject(location, "physicalLocation");
    cJSON *artifact = cJSON_AddObjectToObject(physical, "artifactLocation");
    const char *colon = gate_case->source ? strrchr(gate_case->source, ':') : NULL;
    const double line = colon ? strtod(colon + 1, NULL) : 0;
    const bool has_line = line >= 1 && line <= 1e9 && strlen(gate_case->source) < FOREIGN_ROOM;
    char file[FOREIGN_ROOM];
    snprintf(file, sizeof file, "%.*s", has_line ? (int)(colon - gate_case->source) : 0,
             has_line ? gate_case->source : "");
    add_uri(artifact, has_line ? file : gate_case->report->path);
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(physical, "region"), "startLine",
                            has_line ? floor(line) : 1);
    cJSON *logical = append(cJSON_AddArrayToObject(location, "logicalLocations"));
    snprintf(name, sizeof name, "%s/%s", CUT(gate_case->result->operation),
             CUT(gate_case->implementation->name));
    cJSON_AddStringToObject(logical, "fullyQualifiedName", name);
    cJSON_AddStringToObject(logical, "kind", "function");
}

static bool add_result(cJSON *results, const struct gate *gate, const struct chains *failures,
                       size_t at) {
    const struct check *check = &gate->checks[at];
    const struct gate_case *gate_case = &gate->cases[check->case_index];
    size_t count;
    char *text = message_of(gate, failures, at, &count), identity[512], hash[32];
    if (!text)
        return false;
    cJSON *result = append(results);
    add_foreign(result, "ruleId", check->name);
    cJSON_AddStringToObject(result, "level", "error");
    cJSON_AddStringToObject(cJSON_AddObjectToObject(result, "message"), "text", text);
    free(text);
    add_location(result, gate_case);
    cJSON_AddNumberToObject(result, "occurrenceCount", (double)count);
    snprintf(identity, sizeof identity, "%s\n%.200s\n%.200s", check->name,
             gate_case->result->operation, gate_case->implementation->name);
    snprintf(hash, sizeof hash, "%016llx",
             (unsigned long long)XXH3_64bits(identity, strlen(identity)));
    cJSON_AddStringToObject(cJSON_AddObjectToObject(result, "partialFingerprints"),
                            "detcheckCase/v1", hash);
    return true;
}

static void add_rule(cJSON *rules, const char *name, const char *what) {
    cJSON *rule = append(rules);
    cJSON_AddStringToObject(rule, "id", name);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(rule, "shortDescription"), "text", what);
}

static void add_tool(cJSON *run) {
    cJSON *driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(run, "tool"), "driver");
    cJSON_AddStringToObject(driver, "name", "detcheck");
    cJSON_AddStringToObject(driver, "semanticVersion", DETCHECK_VERSION);
    cJSON *rules = cJSON_AddArrayToObject(driver, "rules");
    for (int i = 0; i < LIMIT_COUNT; i++)
        add_rule(rules, limit_rows[i].name, limit_rows[i].what);
    add_rule(rules, "fingerprint", "fingerprint of all outputs");
    add_rule(rules, "order", "order of additions");
    add_rule(rules, "tested", "inputs tested");
    add_rule(rules, MIN_TRIED_CHECK, MIN_TRIED_MEANS);
}

bool gate_write_sarif(const struct gate *gate, FILE *stream) {
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON_AddStringToObject(document, "version", "2.1.0");
    cJSON *run = append(cJSON_AddArrayToObject(document, "runs"));
    add_tool(run);
    cJSON *results = cJSON_AddArrayToObject(run, "results");
    struct chains failures;
    bool good = chain_failures(gate, &failures);
    for (size_t i = 0; i < gate->check_count && good; i++)
        if (gate->checks[i].status == CHECK_FAILED && is_first(gate, &failures, i))
            good = add_result(results, gate, &failures, i);
    chains_free(&failures);
    if (good)
        return json_print(document, stream);
    cJSON_Delete(document);
    return false;
}
