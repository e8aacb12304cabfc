/* Rows first, then the models: what is decided, what is open, and the cases that would decide. */
#include "reveal_cases_output.h"

#include "base/foreign.h"
#include "base/json.h"
#include "base/memory.h"
#include "format/text.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_RESULTS = 4 };

/* ---- What is known of each axis ---- */

static bool is_decided(uint64_t set) {
    return set && !(set & (set - 1));
}

/* What no case can tell, or NULL. */
static const char *untested(const struct fit *fit) {
    const struct grid *grid = &fit->grid;
    if (!grid->tiny_operands && !grid->tiny_results)
        return "whether subnormal numbers are flushed, as no case has one";
    if (!grid->tiny_results)
        return "whether subnormal results are flushed, as no result is one or zero";
    return NULL;
}

/* Whether nothing that a product has is cut, however large c is: of the models that are left all keep as many bits. */
static bool products_are_whole(const struct fit *fit) {
    const struct format *format = fit->cases->format, *result = fit->cases->result;
    const int least = 2 * (format->emin - format->precision + 1), most = 2 * format->emax;
    return grid_least_bits(&fit->grid, fit->sets.of[GRID_BITS]) >=
           (most > result->emax ? most : result->emax) - least;
}

/* Why what is open stays so whatever the cases are, or NULL. */
static const char *no_case_tells(const struct fit *fit) {
    const struct grid_sets *sets = &fit->sets;
    const bool knows_call = is_decided(sets->of[GRID_CALL]);
    if (!fit->cases->has_c || !fit->cases->called || fit->cases->scales)
        return NULL;
    if (fit->grid.whole && !fit->cases->saturates && is_decided(sets->of[GRID_OVERFLOW]))
        return "no call can show the products of a call or the place of c: addition modulo 2^32 is "
               "associative";
    if (fit->grid.whole && knows_call)
        return "no call can show more of c: sums are exact until they saturate";
    return !fit->grid.whole && knows_call && sets->of[GRID_GROUPS] &&
                   !is_decided(sets->of[GRID_GROUPS]) && products_are_whole(fit)
               ? "no call can show the groups: even beside the largest c, no bit of a product "
                 "is cut"
               : NULL;
}

/* Models, and rows behind them, that give the same result in a case. */
struct answer {
    uint64_t result;
    size_t models, rows;
    struct grid_sets sets;
    bool row[FIT_MOST_ROWS];
};

static int compare_answers(const void *one, const void *other) {
    const struct answer *a = one, *b = other;
    size_t first = a->models + a->rows, second = b->models + b->rows;
    if (first != second)
        return first > second ? -1 : 1;
    return a->result < b->result ? -1 : a->result > b->result;
}

/* The answers to a case, most frequent first; at most as many as models and rows. The caller frees. */
static struct answer *answers_to(const struct fit *fit, const struct decision *decision,
                                 size_t index, size_t *count) {
    struct answer *answers = calloc(decision->count, sizeof *answers);
    *count = 0;
    for (size_t m = 0; answers && m < decision->count; m++) {
        uint64_t result = decision->results[index * decision->count + m];
        size_t at = 0;
        while (at < *count && answers[at].result != result)
            at++;
        *count += at == *count;
        answers[at].result = result;
        if (m < decision->point_count) {
            answers[at].models++;
            grid_note(&fit->grid, &fit->points[decision->points[m]], &answers[at].sets);
        } else {
            answers[at].rows++;
            answers[at].row[m - decision->point_count] = true;
        }
    }
    if (answers)
        qsort(answers, *count, sizeof *answers, compare_answers);
    return answers;
}

/* A case as a line of a file, without d. */
static void case_line(const struct unit_cases *cases, size_t index, FILE *stream) {
    const int digits = (int)unit_cases_digits(cases->format);
    const uint64_t *columns[] = {cases->a, cases->b};
    for (int column = 0; column < 2; column++) {
        for (size_t i = 0; i < cases->products; i++)
            fprintf(stream, "%s%0*" PRIx64, i ? " " : "", digits,
                    unit_cases_stored(cases->format, columns[column][index * cases->products + i]));
        fprintf(stream, " | ");
    }
    for (int column = 0; cases->scales && column < 2; column++) {
        const size_t blocks = unit_cases_blocks(cases);
        const uint64_t *scales = column ? cases->b_scales : cases->a_scales;
        for (size_t i = 0; i < blocks; i++)
            fprintf(stream, "%s%0*" PRIx64, i ? " " : "", (int)unit_cases_digits(cases->scales),
                    scales[index * blocks + i]);
        fprintf(stream, " | ");
    }
    if (cases->has_c)
        fprintf(stream, "%0*" PRIx64 " ", (int)unit_cases_digits(cases->result), cases->c[index]);
    fprintf(stream, "|");
}

/* ---- Text ---- */

static void print_rows(const struct fit *fit) {
    const struct format *result = fit->cases->result;
    size_t fitting = 0;
    const char *comma = " ";
    for (size_t i = 0; i < fit->row_count; i++)
        fitting += fit_row_fits(&fit->rows[i]);
    printf("  units that fit: %zu of %zu%s", fitting, fit->row_count, fitting ? ":" : "");
    for (size_t i = 0; i < fit->row_count; i++) {
        const struct fit_row *row = &fit->rows[i];
        if (!fit_row_fits(row))
            continue;
        printf("%s%s%s", comma, row->name, row->without_c ? " (c left out)" : "");
        comma = ", ";
    }
    printf("\n");
    for (size_t i = 0; i < fit->row_count; i++) {
        const struct fit_row *row = &fit->rows[i];
        char wrong[32], got[NUMBER_TEXT], wanted[NUMBER_TEXT];
        if (fit_row_fits(row))
            continue;
        if (fit->cases->called) {
            printf("    not %s: %s wrong\n", row->name, text_grouped(row->wrong, wrong));
            continue;
        }
        printf("    not %s: %s wrong; line %" PRIu64 ": %s in place of %s\n", row->name,
               text_grouped(row->wrong, wrong), fit->cases->lines[row->first],
               format_bits_text(result, row->got, got),
               format_bits_text(result, fit->cases->d[row->first], wanted));
    }
}

static void print_models(const struct fit *fit) {
    char fitting[32], tried[32], words[GRID_TEXT];
    printf("  models that fit: %s of %s\n", text_grouped(fit->point_count, fitting),
           text_grouped(fit->tried, tried));
    for (int open = 0; open < 2; open++) {
        bool any = false;
        for (unsigned axis = 0; axis < GRID_AXES; axis++) {
            uint64_t set = fit->sets.of[axis];
            if (!set || is_decided(set) == open)
                continue;
            if (!any)
                printf(open ? "  open\n" : "  decided\n");
            any = true;
            printf("    %s: %s\n", grid_axis_names[axis], grid_words(&fit->grid, axis, set, words));
        }
    }
    if (fit->point_count && untested(fit) && !fit->grid.whole)
        printf("  not tried: %s\n", untested(fit));
    if (fit->point_count && no_case_tells(fit))
        printf("  %s\n", no_case_tells(fit));
}

static void print_answer(const struct fit *fit, const struct decision *decision,
                         const struct answer *answer) {
    char bits[NUMBER_TEXT], words[GRID_TEXT];
    const char *separator = ": ";
    printf("      %s  %zu model%s", format_bits_text(fit->cases->result, answer->result, bits),
           answer->models, answer->models == 1 ? "" : "s");
    for (size_t i = 0; i < FIT_MOST_ROWS; i++)
        if (answer->row[i]) {
            printf("%s%s", separator, decision->rows[i]->name);
            separator = ", ";
        }
    for (unsigned axis = 0; axis < GRID_AXES; axis++)
        if (answer->sets.of[axis] && answer->sets.of[axis] != fit->sets.of[axis]) {
            printf("%s%s %s", separator, grid_axis_names[axis],
                   grid_words(&fit->grid, axis, answer->sets.of[axis], words));
            separator = ", ";
        }
    printf("\n");
}

static void print_decision(const struct fit *fit, const struct decision *decision) {
    if (decision->count < 2)
        return;
    if (!decision->chosen_count) {
        printf("  no case of %d that were drawn parts what fits\n", DECIDE_DRAWN);
        return;
    }
    printf("  cases that would decide most: they part %s%zu of these into %zu groups, all %d that "
           "were drawn into %zu\n",
           fit->point_count > decision->point_count ? "a choice of " : "", decision->count,
           decision->groups[decision->chosen_count - 1], DECIDE_DRAWN, decision->most_groups);
    for (size_t i = 0; i < decision->chosen_count; i++) {
        size_t count;
        struct answer *answers = answers_to(fit, decision, decision->chosen[i], &count);
        printf("    ");
        case_line(&decision->drawn, decision->chosen[i], stdout);
        printf("\n");
        for (size_t k = 0; answers && k < count && k < SHOWN_RESULTS; k++)
            print_answer(fit, decision, &answers[k]);
        if (count > SHOWN_RESULTS)
            printf("      and %zu other results\n", count - SHOWN_RESULTS);
        free(answers);
    }
}

void reveal_fit_print(const struct fit *fit, const struct decision *decision) {
    print_rows(fit);
    print_models(fit);
    print_decision(fit, decision);
}

void reveal_cases_print(const char *path, const struct fit *fit, const struct decision *decision) {
    const struct unit_cases *cases = fit->cases;
    char count[32];
    printf("%s: %s case%s of %zu product%s of %s%s, summed in %s\n", FOREIGN(path),
           text_grouped(cases->count, count), cases->count == 1 ? "" : "s", cases->products,
           cases->products == 1 ? "" : "s", cases->format->name, cases->has_c ? " and c" : "",
           cases->result->name);
    reveal_fit_print(fit, decision);
}

/* ---- JSON ---- */

static void add_bits(cJSON *object, const char *name, const struct format *format, uint64_t code) {
    char bits[NUMBER_TEXT];
    cJSON_AddStringToObject(object, name, format_bits_text(format, code, bits));
}

static void add_rows(cJSON *document, const struct fit *fit) {
    cJSON *rows = cJSON_AddArrayToObject(document, "units");
    for (size_t i = 0; i < fit->row_count; i++) {
        const struct fit_row *row = &fit->rows[i];
        cJSON *object = json_append(rows);
        cJSON_AddStringToObject(object, "unit", row->name);
        cJSON_AddStringToObject(object, "source", row->source);
        cJSON_AddBoolToObject(object, "fits", fit_row_fits(row));
        if (row->without_c)
            cJSON_AddTrueToObject(object, "without_c");
        cJSON_AddNumberToObject(object, "wrong", (double)row->wrong);
        if (!row->wrong || fit->cases->called)
            continue;
        cJSON_AddNumberToObject(object, "line", (double)fit->cases->lines[row->first]);
        add_bits(object, "got", fit->cases->result, row->got);
    }
}

/* Values of the axes in words: of those with one value, or of those with more; or of all that are not as in `whole`. */
static void add_sets(cJSON *object, const struct fit *fit, const struct grid_sets *sets,
                     bool decided, const struct grid_sets *whole) {
    char words[GRID_TEXT];
    for (unsigned axis = 0; axis < GRID_AXES; axis++) {
        uint64_t set = sets->of[axis];
        if (set && (whole ? set != whole->of[axis] : is_decided(set) == decided))
            cJSON_AddStringToObject(object, grid_axis_names[axis],
                                    grid_words(&fit->grid, axis, set, words));
    }
}

static void add_case(cJSON *cases, const struct fit *fit, const struct decision *decision,
                     size_t number) {
    char *line = NULL;
    size_t size, count, index = decision->chosen[number];
    FILE *stream = memory_stream(&line, &size);
    cJSON *object = json_append(cases);
    if (stream) {
        case_line(&decision->drawn, index, stream);
        fclose(stream);
        cJSON_AddStringToObject(object, "case", line);
    }
    free(line);
    cJSON_AddNumberToObject(object, "groups", (double)decision->groups[number]);
    struct answer *answers = answers_to(fit, decision, index, &count);
    cJSON *results = cJSON_AddArrayToObject(object, "results");
    for (size_t i = 0; answers && i < count; i++) {
        cJSON *result = json_append(results);
        add_bits(result, "d", fit->cases->result, answers[i].result);
        cJSON_AddNumberToObject(result, "models", (double)answers[i].models);
        cJSON *units_named = cJSON_AddArrayToObject(result, "units");
        for (size_t k = 0; k < FIT_MOST_ROWS; k++)
            if (answers[i].row[k])
                cJSON_AddItemToArray(units_named, cJSON_CreateString(decision->rows[k]->name));
        add_sets(cJSON_AddObjectToObject(result, "parameters"), fit, &answers[i].sets, false,
                 &fit->sets);
    }
    free(answers);
}

void reveal_fit_document(const struct fit *fit, const struct decision *decision, cJSON *document) {
    add_rows(document, fit);
    cJSON_AddNumberToObject(document, "tried", (double)fit->tried);
    cJSON_AddNumberToObject(document, "fit", (double)fit->point_count);
    add_sets(cJSON_AddObjectToObject(document, "decided"), fit, &fit->sets, true, NULL);
    add_sets(cJSON_AddObjectToObject(document, "open"), fit, &fit->sets, false, NULL);
    if (untested(fit) && !fit->grid.whole)
        cJSON_AddStringToObject(document, "untested", untested(fit));
    if (no_case_tells(fit))
        cJSON_AddStringToObject(document, "no_case_tells", no_case_tells(fit));
    cJSON_AddNumberToObject(document, "groups", (double)decision->most_groups);
    cJSON *deciding = cJSON_AddArrayToObject(document, "deciding");
    for (size_t i = 0; i < decision->chosen_count; i++)
        add_case(deciding, fit, decision, i);
}

cJSON *reveal_cases_document(const char *path, const struct fit *fit,
                             const struct decision *decision) {
    const struct unit_cases *cases = fit->cases;
    char file[FOREIGN_ROOM];
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "detcheck/reveal-cases/1");
    cJSON_AddStringToObject(document, "file", foreign_text(FOREIGN_PLAIN, path, file, sizeof file));
    cJSON_AddStringToObject(document, "format", cases->format->name);
    cJSON_AddStringToObject(document, "accumulate", cases->result->name);
    cJSON_AddNumberToObject(document, "products", (double)cases->products);
    cJSON_AddBoolToObject(document, "c", cases->has_c);
    cJSON_AddNumberToObject(document, "cases", (double)cases->count);
    reveal_fit_document(fit, decision, document);
    return document;
}
