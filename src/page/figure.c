/* Gathering the figures of a page. */
#include "page/figure.h"

#include "base/foreign.h"
#include "report/effects.h"

#include <stdlib.h>
#include <string.h>

static bool same_figure(const struct read_result *a, const struct read_result *b) {
    return strcmp(a->operation, b->operation) == 0 && strcmp(a->format, b->format) == 0 &&
           strcmp(a->rounding, b->rounding) == 0 && strcmp(a->parameters, b->parameters) == 0;
}

/* Whether what was counted of exception flags and errno is the same. */
static bool same_effects(const cJSON *a, const cJSON *b) {
    bool same = true;
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        const cJSON *x = cJSON_GetObjectItemCaseSensitive(a, effect_part_names[part]);
        const cJSON *y = cJSON_GetObjectItemCaseSensitive(b, effect_part_names[part]);
        same = same && ((!x && !y) || cJSON_Compare(x, y, true));
    }
    return same;
}

/* Equal fingerprints of the same inputs mean equal outputs, and so equal figures. */
static bool same_outputs(const struct series *series, const struct read_result *result,
                         const struct read_implementation *one) {
    return strcmp(series->one->name, one->name) == 0 && one->provided && series->one->provided &&
           one->fingerprint && series->one->fingerprint &&
           strcmp(one->fingerprint, series->one->fingerprint) == 0 &&
           strcmp(series->result->inputs_description, result->inputs_description) == 0 &&
           strcmp(series->result->seed, result->seed) == 0 &&
           same_effects(series->one->json, one->json) &&
           cJSON_Compare(series->one->explanation.json, one->explanation.json, true) ==
               (one->explanation.json != NULL);
}

static bool find_name(struct page *page, const char *name, size_t *index) {
    for (*index = 0; *index < page->name_count; ++*index)
        if (strcmp(page->names[*index], name) == 0)
            return true;
    const char **more = realloc(page->names, (page->name_count + 1) * sizeof *more);
    if (!more)
        return false;
    page->names = more;
    page->names[page->name_count++] = name;
    return true;
}

static enum check_status status_of(const struct page *page, const struct read_implementation *one) {
    for (size_t i = 0; page->gate && i < page->gate->case_count; i++)
        if (page->gate->cases[i].implementation == one)
            return gate_case_status(page->gate, i);
    return CHECK_STATUSES;
}

static void merge_status(enum check_status *worst, enum check_status status) {
    if (*worst == CHECK_STATUSES || (status != CHECK_STATUSES && status > *worst))
        *worst = status;
}

static bool add_series(struct page *page, struct figure *figure, size_t report,
                       const struct read_result *result, const struct read_implementation *one) {
    for (size_t i = 0; i < figure->series_count; i++)
        if (same_outputs(&figure->series[i], result, one)) {
            figure->series[i].reports |= 1U << report;
            merge_status(&figure->series[i].status, status_of(page, one));
            return true;
        }
    if (figure->series_count == figure->room) {
        size_t room = figure->room ? 2 * figure->room : 4;
        struct series *more = realloc(figure->series, room * sizeof *more);
        if (!more)
            return false;
        figure->series = more;
        figure->room = room;
    }
    struct series *series = &figure->series[figure->series_count++];
    *series = (struct series){
        .result = result, .one = one, .reports = 1U << report, .status = status_of(page, one)};
    return find_name(page, one->name, &series->colour);
}

static struct figure *find_figure(struct page *page, const struct read_result *result) {
    for (size_t i = 0; i < page->figure_count; i++)
        if (same_figure(page->figures[i].result, result))
            return &page->figures[i];
    page->figures[page->figure_count] = (struct figure){.result = result};
    return &page->figures[page->figure_count++];
}

bool figures_make(struct page *page, struct error *error) {
    size_t room = 1;
    for (size_t i = 0; i < page->report_count; i++)
        room += page->reports[i].result_count;
    page->figures = calloc(room, sizeof *page->figures);
    bool good = page->figures != NULL;
    for (size_t i = 0; i < page->report_count; i++)
        for (size_t j = 0; good && j < page->reports[i].result_count; j++) {
            const struct read_result *result = &page->reports[i].results[j];
            struct figure *figure = find_figure(page, result);
            for (size_t k = 0; good && k < result->implementation_count; k++)
                good = add_series(page, figure, i, result, &result->implementations[k]);
        }
    return good || error_set(error, "out of memory for the page");
}

void figures_free(struct page *page) {
    for (size_t i = 0; i < page->figure_count; i++)
        free(page->figures[i].series);
    free(page->figures);
    free(page->names);
}

const char *series_letters(const struct page *page, const struct series *series, char text[64]) {
    size_t at = 0;
    for (size_t i = 0; page->report_count > 1 && i < page->report_count; i++)
        if (series->reports >> i & 1) {
            if (at)
                text[at++] = ' ';
            text[at++] = (char)('A' + i);
        }
    text[at] = '\0';
    return text;
}

bool figure_has_outputs(const struct figure *figure) {
    for (size_t i = 0; i < figure->series_count; i++)
        if (figure->series[i].one->provided)
            return true;
    return false;
}

void figure_print_id(const struct page *page, const struct figure *figure) {
    fprintf(page->stream, "f%zu", (size_t)(figure - page->figures) + 1);
}

void page_text(const struct page *page, const char *text) {
    foreign_print(page->stream, FOREIGN_MARKUP, text);
}
