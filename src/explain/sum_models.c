/* Counting what models between A's and B's give. */
#include "explain/sum_models.h"

#include "explain/sum_reveal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 64 };

/* Models between A and B, and how each does. */
struct mixed {
    sum_part_set of_b;
    uint64_t explains, wrong; /* B's results; without any part of B, A's */
};

/* ---- Counting ---- */

/* A mixed model of the shape at hand. */
struct ready {
    struct order order;
    struct order_tree tree;
    struct order_plan *plan;
};

struct counting {
    const struct sum_shapes *models;
    struct mixed *sets;
    size_t count;
    struct ready *ready; /* of each */
    size_t shape;        /* that they are ready for; SIZE_MAX: none */
    uint64_t *codes[2];  /* of one line */
    void *terms[2];      /* of LINES of them */
};

static void unready(struct counting *counting) {
    for (size_t i = 0; i < counting->count && counting->shape != SIZE_MAX; i++) {
        order_plan_close(counting->ready[i].plan);
        order_tree_close(&counting->ready[i].tree);
    }
    for (int k = 0; k < 2; k++) {
        free(counting->codes[k]);
        free(counting->terms[k]);
        counting->codes[k] = NULL;
        counting->terms[k] = NULL;
    }
    counting->shape = SIZE_MAX;
}

/* A model that cannot be made has no plan, and gives nothing. */
static bool make_ready(struct counting *counting, size_t number, struct error *error) {
    const struct sum_shape *shape = &counting->models->shapes[number];
    if (counting->shape == number)
        return true;
    unready(counting);
    counting->shape = number;
    for (size_t i = 0; i < counting->count; i++) {
        struct ready *ready = &counting->ready[i];
        struct error unused;
        ready->plan = NULL;
        if (sum_mix(&shape->pair, counting->sets[i].of_b, &ready->order, &ready->tree))
            ready->plan = order_plan_of_tree(&ready->order, &ready->tree, &unused);
    }
    for (int k = 0; k < 2; k++) {
        counting->codes[k] = calloc(shape->terms + 1, sizeof(uint64_t));
        counting->terms[k] = calloc((shape->terms + 1) * LINES, sizeof(uint64_t));
        if (!counting->codes[k] || !counting->terms[k])
            return error_set(error, "out of memory for an array");
    }
    return true;
}

/* Counts what a model gives for results `at` and on. */
static bool count_lines(const struct counting *counting, size_t set, size_t at, size_t lines,
                        struct error *error) {
    const struct sum_results *results = counting->models->results;
    const struct sum_shape *shape = &counting->models->shapes[counting->shape];
    const struct format *format = request_result_format(&results->request->computed);
    const bool products = results->request->computed.operation->operands > 1;
    const struct order_terms x = {counting->terms[0], shape->terms, 1},
                             w = {counting->terms[1], shape->terms, 1};
    uint64_t sums[LINES] = {0};
    struct mixed *mixed = &counting->sets[set];
    struct order_plan *plan = counting->ready[set].plan;
    if (plan && !order_plan_run(plan, lines, &x, products ? &w : NULL, NULL, sums))
        return error_set(error, "out of memory");
    for (size_t i = 0; i < lines; i++) {
        const uint64_t sum = code_load(sums, format_bytes(format), i);
        const uint64_t wanted = results->codes[mixed->of_b != 0][at + i];
        const bool right = plan && hypothesis_same(format, sum, wanted);
        mixed->wrong += !right;
        mixed->explains += right && sum_results_differ(results, at + i);
    }
    return true;
}

static bool count_call(void *context, const struct array_call *call, uint64_t number,
                       struct error *error) {
    struct counting *counting = context;
    const size_t shape = sum_shape_number(counting->models, number);
    const size_t elements = (size_t)shape_elements(&call->results[0].shape);
    const size_t terms = counting->models->shapes[shape].terms;
    const size_t bytes = format_bytes(call->operands[0].format);
    const size_t first = counting->models->results->first[number];
    if (!counting->models->shapes[shape].known)
        return true;
    bool good = make_ready(counting, shape, error);
    for (size_t at = 0; good && at < elements; at += LINES) {
        const size_t lines = elements - at < LINES ? elements - at : LINES;
        for (size_t line = 0; line < lines; line++) {
            sum_line_load(call, NULL, at + line, counting->codes);
            for (int k = 0; k < 2 && call->rule->operand_names[k]; k++)
                for (size_t i = 0; i < terms; i++)
                    code_store(counting->terms[k], bytes, line * terms + i, counting->codes[k][i]);
        }
        for (size_t set = 0; good && set < counting->count; set++)
            good = count_lines(counting, set, first + at, lines, error);
    }
    return good;
}

/* What each of the sets gives, over all results that are judged. */
static bool count_sets(const struct sum_shapes *models, struct mixed *sets, size_t count,
                       struct error *error) {
    struct counting counting = {.models = models,
                                .sets = sets,
                                .count = count,
                                .ready = calloc(count + 1, sizeof *counting.ready),
                                .shape = SIZE_MAX};
    if (!counting.ready)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < count; i++)
        sets[i].explains = sets[i].wrong = 0;
    const bool good = sum_results_visit(models->results, count_call, &counting, error);
    unready(&counting);
    free(counting.ready);
    return good;
}

/* ---- Choosing ---- */

/* Each set with one part of `of` added to it, or taken from it. */
static size_t list_sets(sum_part_set set, sum_part_set of, struct mixed *sets) {
    size_t count = 0;
    for (size_t part = 0; part < SUM_PARTS; part++)
        if (of >> part & 1)
            sets[count++] = (struct mixed){.of_b = set ^ (sum_part_set)1 << part};
    return count;
}

/* Leaves out parts without which all comes out as with them: the first of those, and what is left is asked again. */
static bool drop_needless(const struct sum_shapes *models, struct mixed *whole,
                          struct error *error) {
    for (;;) {
        struct mixed sets[SUM_PARTS];
        const size_t count = list_sets(whole->of_b, whole->of_b, sets);
        size_t at = 0;
        if (count < 2 || !count_sets(models, sets, count, error))
            return count < 2;
        while (at < count && (sets[at].explains < whole->explains || sets[at].wrong > whole->wrong))
            at++;
        if (at == count)
            return true;
        *whole = sets[at];
    }
}

/* A row of what a part does. */
static void add_row(const struct sum_shapes *models, size_t part, const struct mixed *alone,
                    uint64_t adds, uint64_t needs, const struct sum_judged *judged,
                    struct explain_outcome *outcome) {
    enum { SAYS_TEXT = SUM_PART_TEXT + 80 };
    static char says[SUM_PARTS][SAYS_TEXT];
    char words[SUM_PART_TEXT] = "";
    size_t longest = MOST_SHAPES;
    for (size_t i = 0; i < MOST_SHAPES; i++) {
        const struct sum_shape *shape = &models->shapes[i];
        if (shape->known && (shape->pair.parts >> part & 1) &&
            (longest == MOST_SHAPES || shape->terms > models->shapes[longest].terms))
            longest = i;
    }
    if (longest < MOST_SHAPES)
        sum_part_words(&models->shapes[longest].pair, part, words);
    int length = snprintf(says[part], SAYS_TEXT, "%s", words);
    if (needs && length > 0 && length < SAYS_TEXT)
        snprintf(says[part] + length, SAYS_TEXT - (size_t)length,
                 "; without it %" PRIu64 " of them come out otherwise", needs);
    outcome->explanations[outcome->count++] = (struct explanation){
        .name = sum_part(part).name,
        .says = says[part],
        .order = (int)part,
        .side = 1,
        .tested = judged->results,
        .explains = alone->explains,
        .wrong = alone->wrong,
        .adds = adds,
        .verdict = !alone->wrong && alone->explains == outcome->differ ? EXPLAINS_ALL
                   : alone->explains                                   ? EXPLAINS_PART
                                                                       : EXPLAINS_NONE};
}

/* The parts by how many more differences come out with each than with those before. */
static bool add_rows(const struct sum_shapes *models, const struct mixed *whole,
                     const struct sum_judged *judged, struct explain_outcome *outcome,
                     struct error *error) {
    struct mixed alone[SUM_PARTS], without[SUM_PARTS], next[SUM_PARTS];
    const size_t count = list_sets(0, whole->of_b, alone);
    sum_part_set chosen = 0;
    uint64_t explained = 0;
    list_sets(whole->of_b, whole->of_b, without);
    if (!count_sets(models, alone, count, error) ||
        (count > 1 && !count_sets(models, without, count, error)))
        return false;
    while (chosen != whole->of_b) {
        const size_t left = list_sets(chosen, whole->of_b & ~chosen, next);
        size_t best = 0, part = 0, at = 0;
        if (!count_sets(models, next, left, error))
            return false;
        for (size_t i = 1; i < left; i++)
            best = next[i].explains > next[best].explains ? i : best;
        while (!((next[best].of_b & ~chosen) >> part & 1))
            part++;
        while (!(alone[at].of_b >> part & 1))
            at++;
        add_row(models, part, &alone[at],
                next[best].explains > explained ? next[best].explains - explained : 0,
                count > 1 ? whole->explains - without[at].explains : 0, judged, outcome);
        explained = next[best].explains > explained ? next[best].explains : explained;
        chosen = next[best].of_b;
    }
    return true;
}

static void count_judged(const struct sum_shapes *models, struct sum_judged *judged) {
    const struct sum_results *results = models->results;
    for (uint64_t call = 0; call < results->calls; call++) {
        if (!results->answered[call] || !models->shapes[sum_shape_number(models, call)].known)
            continue;
        for (size_t i = 0; i < sum_elements_of(results, call); i++)
            judged->differ += sum_results_differ(results, results->first[call] + i);
        judged->results += sum_elements_of(results, call);
    }
}

static bool explain_known(const struct sum_shapes *models, struct explain_outcome *outcome,
                          struct sum_judged *judged, struct error *error) {
    struct mixed ends[2] = {{.of_b = 0}, {.of_b = models->parts}};
    if (!count_sets(models, ends, models->parts ? 2 : 1, error))
        return false;
    for (int side = 0; side < 2; side++)
        if (ends[side].wrong) {
            snprintf(judged->why, sizeof judged->why,
                     "%c's order as it was revealed does not give %" PRIu64 " of its results",
                     "AB"[side], ends[side].wrong);
            return true;
        }
    judged->revealed = true;
    judged->parts = models->parts != 0;
    count_judged(models, judged);
    return !models->parts || (drop_needless(models, &ends[1], error) &&
                              add_rows(models, &ends[1], judged, outcome, error));
}

bool sum_models_explain(const struct sum_results *results, struct explain_outcome *outcome,
                        struct sum_judged *judged, struct error *error) {
    struct sum_shapes *models = calloc(1, sizeof *models);
    *judged = (struct sum_judged){0};
    if (parameter_flag(&results->request->computed.parameters, PARAMETER_ADDEND)) {
        snprintf(judged->why, sizeof judged->why, "orders are not taken apart where c comes in");
        judged->untried = true;
        free(models);
        return true;
    }
    if (!models)
        return error_set(error, "out of memory");
    const bool good = sum_shapes_reveal(models, results, judged->why, error) &&
                      (!models->known || explain_known(models, outcome, judged, error));
    sum_shapes_close(models);
    free(models);
    return good;
}
