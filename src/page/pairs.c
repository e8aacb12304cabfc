/* Gathering the pairs of a page, and naming their sides: by the letters of reports if these are of the same machines or outputs. */
#include "page/pairs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *pair_operation(const struct page_pair *pair) {
    return pair->compared ? pair->compared->operation : pair->result->operation;
}

const char *pair_format(const struct page_pair *pair) {
    return pair->compared ? pair->compared->format : pair->result->format;
}

static const char *rounding_of(const struct page_pair *pair) {
    return pair->compared ? pair->compared->rounding : pair->result->rounding;
}

bool pair_differs(const struct page_pair *pair) {
    return pair->compared ? !pair->compared->equal : pair->explained->explanation.differ > 0;
}

static const cJSON *explained_side(const struct page_pair *pair, int side) {
    return pair->explained ? json_get(pair->explained->explanation.json, side ? "b" : "a") : NULL;
}

/* "libm" of "libm  glibc 2.36": how long it is. */
static size_t name_length(const char *text) {
    const char *end = strstr(text, "  ");
    return end ? (size_t)(end - text) : strlen(text);
}

/* Whether parameters as options, "--to fp16", are among those of a result. */
static bool has_parameters(const struct read_result *result, const char *options) {
    char name[64], value[256];
    bool same = true;
    for (const char *at = strstr(options, "--"); same && at; at = strstr(at + 2, "--")) {
        *value = '\0';
        same = sscanf(at, "--%63[^ ] %255s", name, value) > 0;
        const cJSON *given = json_get(result->given, name);
        if (cJSON_IsNumber(given))
            same = same && strtod(value, NULL) == given->valuedouble;
        else if (cJSON_IsString(given))
            same = same && strcmp(value, given->valuestring) == 0;
        else
            same = same && cJSON_IsTrue(given);
    }
    return same;
}

static bool is_of_same(const struct page_pair *pair, const struct read_result *result,
                       const struct read_implementation *one) {
    bool same = strcmp(pair_operation(pair), result->operation) == 0 &&
                strcmp(pair_format(pair), result->format) == 0 &&
                strcmp(rounding_of(pair), result->rounding) == 0 &&
                has_parameters(result, pair->compared->parameters);
    for (int side = 0; side < 2 && same; side++) {
        const char *text = pair->compared->sides[side].text;
        const char *name = json_text(json_get(one->explanation.json, side ? "b" : "a"), "name");
        same = strlen(name) == name_length(text) && strncmp(name, text, strlen(name)) == 0;
    }
    return same;
}

/* Adds the explanation to the comparison of the same two, or as a pair of its own. */
static void add_explanation(struct page *page, const struct read_report *report, size_t result,
                            bool is_figure) {
    const struct read_result *of = &report->results[result];
    for (size_t i = 0; i < of->implementation_count; i++) {
        const struct read_implementation *one = &of->implementations[i];
        struct page_pair *pair = page->pairs;
        if (one->kind != READ_EXPLANATION || !one->explanation.is_of_two)
            continue;
        while (pair < page->pairs + page->pair_count &&
               (!pair->compared || pair->explained || !is_of_same(pair, of, one)))
            pair++;
        if (pair == page->pairs + page->pair_count) {
            page->pair_count++;
            *pair = (struct page_pair){.path = report->path, .is_figure = is_figure};
        }
        pair->result = of;
        pair->explained = one;
    }
}

/* Whether the report is of the machine on which the side computed: the host, and the variant of libm. */
static bool is_of_machine(const struct read_report *report, const struct page_pair *pair,
                          int side) {
    const char *host = report->run.host, *variant = report->platform.libm_variant;
    char machine[PAIR_NAME];
    if (pair->compared)
        return *host && strcmp(pair->compared->sides[side].host, host) == 0 &&
               strcmp(pair->compared->sides[side].variant, variant) == 0;
    snprintf(machine, sizeof machine, ", %s, on %s", variant, host);
    const char *detail = json_text(explained_side(pair, side), "detail");
    const char *found = strstr(detail, machine);
    return found && !found[strlen(machine)];
}

/* Whether the report has what the side computed; by its outputs if `by_outputs`, or else by the machine. */
static bool has_side(const struct read_report *report, const struct page_pair *pair, int side,
                     bool by_outputs) {
    const char *print = json_text(explained_side(pair, side), "fingerprint");
    for (size_t i = 0; i < report->result_count; i++) {
        const struct read_result *result = &report->results[i];
        if (strcmp(result->operation, pair_operation(pair)) != 0 ||
            strcmp(result->format, pair_format(pair)) != 0 ||
            strcmp(result->rounding, rounding_of(pair)) != 0 ||
            (pair->compared && !has_parameters(result, pair->compared->parameters)))
            continue;
        if (!by_outputs)
            return is_of_machine(report, pair, side);
        for (size_t j = 0; j < result->implementation_count; j++) {
            const char *own = result->implementations[j].fingerprint;
            if (own && strcmp(own, print) == 0)
                return true;
        }
    }
    return false;
}

/* The one report of the side; -1 if there is none, or several. */
static int report_of(const struct page *page, const struct page_pair *pair, int side,
                     bool by_outputs) {
    int found = -1;
    for (size_t i = 0; i < page->report_count; i++)
        if (has_side(&page->reports[i], pair, side, by_outputs)) {
            if (found >= 0)
                return -1;
            found = (int)i;
        }
    return found;
}

/* What a side calls itself: with its library and version, or without. */
static const char *own_text(const struct page_pair *pair, int side, char text[PAIR_NAME]) {
    const char *name = json_text(explained_side(pair, side), "name");
    snprintf(text, PAIR_NAME, "%s", pair->compared ? pair->compared->sides[side].text : name);
    return text;
}

/* Whether all pairs of the page are of the same two. */
static bool are_of_two(const struct page *page) {
    char one[PAIR_NAME], other[PAIR_NAME];
    for (size_t i = 1; i < page->pair_count; i++)
        for (int side = 0; side < 2; side++)
            if (strcmp(own_text(&page->pairs[0], side, one),
                       own_text(&page->pairs[i], side, other)) != 0)
                return false;
    return true;
}

static bool name_by_reports(const struct page *page, struct page_pair *pair, bool by_outputs) {
    const int a = report_of(page, pair, 0, by_outputs), b = report_of(page, pair, 1, by_outputs);
    if (a < 0 || b < 0 || a == b)
        return false;
    snprintf(pair->names[0], PAIR_NAME, "%c", 'A' + a);
    snprintf(pair->names[1], PAIR_NAME, "%c", 'A' + b);
    return true;
}

static void name_sides(const struct page *page, struct page_pair *pair) {
    char text[PAIR_NAME];
    if (name_by_reports(page, pair, true) || name_by_reports(page, pair, false))
        return;
    const bool free = !page->report_count || (pair->is_figure && page->report_count == 1);
    const bool of_two = free && are_of_two(page);
    for (int side = 0; side < 2; side++) {
        own_text(pair, side, text);
        snprintf(pair->names[side], PAIR_NAME, "%.*s", of_two ? 1 : (int)name_length(text),
                 of_two ? &"AB"[side] : text);
    }
    if (strcmp(pair->names[0], pair->names[1]) == 0)
        for (int side = 0; side < 2; side++)
            snprintf(pair->names[side], PAIR_NAME, "%c of %.200s", "AB"[side], pair -> path);
}

bool pairs_make(struct page *page, const struct page_sources *sources, struct error *error) {
    size_t room = 1;
    const bool alone = !sources->explanation_count && !sources->comparison_count;
    const struct read_report *explanations = alone ? sources->reports : sources->explanations;
    const size_t count = alone ? sources->report_count : sources->explanation_count;
    for (size_t i = 0; i < sources->comparison_count; i++)
        room += sources->comparisons[i].count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < explanations[i].result_count; j++)
            room += explanations[i].results[j].implementation_count;
    page->pairs = calloc(room, sizeof *page->pairs);
    if (!page->pairs)
        return error_set(error, "out of memory for the page");
    for (size_t i = 0; i < sources->comparison_count; i++)
        for (size_t j = 0; j < sources->comparisons[i].count; j++)
            page->pairs[page->pair_count++] =
                (struct page_pair){.compared = &sources->comparisons[i].pairs[j],
                                   .path = sources->comparisons[i].path};
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < explanations[i].result_count; j++)
            add_explanation(page, &explanations[i], j, alone);
    for (size_t i = 0; i < page->pair_count; i++)
        name_sides(page, &page->pairs[i]);
    return true;
}

void pairs_free(struct page *page) {
    free(page->pairs);
}

static bool is_of_word(char letter) {
    return isalnum((unsigned char)letter) || letter == '_';
}

void pair_text(const struct page *page, const char *const names[2], const char *text) {
    for (const char *at = text; *at;) {
        const bool is_side =
            (*at == 'A' || *at == 'B') && (at == text || !is_of_word(at[-1])) && !is_of_word(at[1]);
        char one[8] = {*at};
        size_t length = 1; /* of the character in UTF-8 */
        for (; (at[length] & 0xc0) == 0x80 && length < sizeof one - 1; length++)
            one[length] = at[length];
        page_text(page, is_side ? names[*at == 'B'] : one);
        at += length;
    }
}
