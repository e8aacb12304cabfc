/* Gathering the figures of a page. */
#include "page/figure.h"

#include "base/chains.h"
#include "base/foreign.h"
#include "report/effects.h"

#include <stdlib.h>
#include <string.h>

static bool same_operation(const struct read_result *a, const struct read_result *b) {
    return strcmp(a->operation, b->operation) == 0 && strcmp(a->format, b->format) == 0 &&
           strcmp(a->rounding, b->rounding) == 0 && strcmp(a->parameters, b->parameters) == 0;
}

/* Lists that go by one name and are two: what they gave is no figure of one list. */
static bool same_name_differs(const struct read_result *a, const struct read_result *b) {
    return strcmp(a->inputs.description, b->inputs.description) == 0 && read_inputs_differ(a, b);
}

/* Whether what was counted of exception flags and errno is the same. */
static bool same_effects(const cJSON *a, const cJSON *b) {
    bool same = true;
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        const cJSON *x = json_get(a, effect_part_names[part]);
        const cJSON *y = json_get(b, effect_part_names[part]);
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
           strcmp(series->result->inputs.description, result->inputs.description) == 0 &&
           strcmp(series->result->inputs.seed, result->inputs.seed) == 0 &&
           same_effects(series->one->json, one->json) &&
           cJSON_Compare(series->one->explanation.json, one->explanation.json, true) ==
               (one->explanation.json != NULL);
}

/* What is gathered, by hashes: the figures, the series of all of them, names and judged cases. */
struct gathering {
    struct page *page;
    struct chains figures, series, names, cases;
    struct place { /* of a series */
        size_t figure, at;
    } * places;
    size_t series_count;
};

static uint64_t hash_number(size_t number) {
    uint64_t hash = HASH_BEGIN;
    for (size_t i = 0; i < sizeof number; i++)
        hash = hash_byte(hash, (unsigned char)(number >> 8 * i));
    return hash;
}

static bool find_name(struct gathering *all, const char *name, size_t *index) {
    struct page *page = all->page;
    uint64_t hash = hash_text(HASH_BEGIN, name);
    *index = chain_first(&all->names, hash);
    while (*index != CHAIN_END && strcmp(page->names[*index], name) != 0)
        *index = chain_next(&all->names, *index);
    if (*index != CHAIN_END)
        return true;
    chains_add(&all->names, hash, page->name_count);
    page->names[ *index = page->name_count++] = name;
    return true;
}

static enum check_status status_of(const struct gathering *all,
                                   const struct read_implementation *one) {
    const struct gate *gate = all->page->gate;
    size_t i = gate ? chain_first(&all->cases, hash_number((size_t)one)) : CHAIN_END;
    while (i != CHAIN_END && gate->cases[i].implementation != one)
        i = chain_next(&all->cases, i);
    return i == CHAIN_END ? CHECK_STATUSES : gate_case_status(gate, i);
}

static void merge_status(enum check_status *worst, enum check_status status) {
    if (*worst == CHECK_STATUSES || (status != CHECK_STATUSES && status > *worst))
        *worst = status;
}

/* The first series of the figure with the same outputs; NULL where there is none. */
static struct series *find_series(const struct gathering *all, const struct figure *figure,
                                  uint64_t hash, const struct read_result *result,
                                  const struct read_implementation *one) {
    struct series *found = NULL;
    for (size_t i = chain_first(&all->series, hash); i != CHAIN_END;
         i = chain_next(&all->series, i)) {
        const struct place *place = &all->places[i];
        struct series *series = &all->page->figures[place->figure].series[place->at];
        if (&all->page->figures[place->figure] == figure && same_outputs(series, result, one))
            found = series; /* what is added last comes first */
    }
    return found;
}

static bool add_series(struct gathering *all, struct figure *figure, size_t report,
                       const struct read_result *result, const struct read_implementation *one) {
    const size_t number = (size_t)(figure - all->page->figures);
    const char *const texts[] = {one->name, one->fingerprint ? one->fingerprint : "",
                                 result->inputs.description, result->inputs.seed};
    const uint64_t hash = hash_number(number) ^ hash_texts(texts, sizeof texts / sizeof *texts);
    struct series *same = find_series(all, figure, hash, result, one);
    if (same) {
        same->reports |= 1U << report;
        merge_status(&same->status, status_of(all, one));
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
    chains_add(&all->series, hash, all->series_count);
    all->places[all->series_count++] = (struct place){number, figure->series_count};
    struct series *series = &figure->series[figure->series_count++];
    *series = (struct series){
        .result = result, .one = one, .reports = 1U << report, .status = status_of(all, one)};
    return find_name(all, one->name, &series->colour);
}

static struct figure *find_figure(struct gathering *all, const struct read_result *result) {
    struct page *page = all->page;
    const char *const texts[] = {result->operation, result->format, result->rounding,
                                 result->parameters};
    const uint64_t hash = hash_texts(texts, sizeof texts / sizeof *texts);
    bool others = false;
    for (size_t i = chain_first(&all->figures, hash); i != CHAIN_END;
         i = chain_next(&all->figures, i)) {
        struct figure *figure = &page->figures[i];
        if (!same_operation(figure->result, result))
            continue;
        if (!same_name_differs(figure->result, result))
            return figure;
        figure->is_reported_apart = others = true;
    }
    chains_add(&all->figures, hash, page->figure_count);
    page->figures[page->figure_count] =
        (struct figure){.result = result, .is_reported_apart = others};
    return &page->figures[page->figure_count++];
}

/* Room for all that there can be. */
static bool make_room(struct gathering *all) {
    struct page *page = all->page;
    size_t results = 1, implementations = 1, cases = page->gate ? page->gate->case_count : 0;
    for (size_t i = 0; i < page->report_count; i++) {
        results += page->reports[i].result_count;
        for (size_t j = 0; j < page->reports[i].result_count; j++)
            implementations += page->reports[i].results[j].implementation_count;
    }
    page->figures = calloc(results, sizeof *page->figures);
    page->names = malloc(implementations * sizeof *page->names);
    all->places = malloc(implementations * sizeof *all->places);
    bool good = page->figures && page->names && all->places &&
                chains_make(&all->figures, results) && chains_make(&all->series, implementations) &&
                chains_make(&all->names, implementations) && chains_make(&all->cases, cases);
    for (size_t i = cases; good && i-- > 0;)
        chains_add(&all->cases, hash_number((size_t)page->gate->cases[i].implementation), i);
    return good;
}

bool figures_make(struct page *page, struct error *error) {
    struct gathering all = {.page = page};
    bool good = make_room(&all);
    for (size_t i = 0; i < page->report_count; i++)
        for (size_t j = 0; good && j < page->reports[i].result_count; j++) {
            const struct read_result *result = &page->reports[i].results[j];
            struct figure *figure = find_figure(&all, result);
            for (size_t k = 0; good && k < result->implementation_count; k++)
                good = add_series(&all, figure, i, result, &result->implementations[k]);
        }
    chains_free(&all.figures);
    chains_free(&all.series);
    chains_free(&all.names);
    chains_free(&all.cases);
    free(all.places);
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

/* Those of one result stand together. */
bool figure_is_first_of_result(const struct figure *figure, size_t at) {
    return !at || figure->series[at - 1].result != figure->series[at].result;
}

void figure_print_id(const struct page *page, const struct figure *figure) {
    fprintf(page->stream, "f%zu", (size_t)(figure - page->figures) + 1);
}

void figure_print_inputs(const struct page *page, const struct figure *figure) {
    const char *digest = figure->result->inputs.identity, *colon = strchr(digest, ':');
    fputs("<code title=\"", page->stream);
    page_text(page, digest);
    fputs("\">", page->stream);
    page_text(page, foreign_text(FOREIGN_PLAIN, colon ? colon + 1 : digest, (char[9]){0}, 9));
    fputs("</code>", page->stream);
}

void page_text(const struct page *page, const char *text) {
    foreign_print(page->stream, FOREIGN_MARKUP, text);
}
