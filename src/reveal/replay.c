/* Calling and comparing. */
#include "reveal/replay.h"

#include "reveal/draw.h"
#include "reveal/extended.h"
#include "reveal/through_replay.h"

#include <stdlib.h>
#include <string.h>

/* ---- Telling models apart ---- */

static bool is_same_tree(const struct order_tree *a, const struct order_tree *b) {
    if (a->terms != b->terms || a->count != b->count || a->child_count != b->child_count)
        return false;
    for (size_t v = 0; v < a->count; v++) {
        const struct order_addition *x = &a->additions[v], *y = &b->additions[v];
        if (x->first != y->first || x->children != y->children || x->node != y->node)
            return false;
    }
    return !a->child_count ||
           memcmp(a->children, b->children, a->child_count * sizeof *a->children) == 0;
}

bool model_is_same(const struct model *a, const struct model *b) {
    if (a->through.exponential != b->through.exponential ||
        a->through.multiplies != b->through.multiplies)
        return false;
    if (a->sorting.sorts != b->sorting.sorts || a->sorting.descending != b->sorting.descending ||
        a->sorting.by_value != b->sorting.by_value || a->sorting.ties != b->sorting.ties ||
        a->extended != b->extended || a->order.scale != b->order.scale ||
        a->order.node_count != b->order.node_count)
        return false;
    for (unsigned i = 0; i < a->order.node_count; i++)
        if (!order_node_same(&a->order.nodes[i], &b->order.nodes[i]))
            return false;
    return is_same_tree(&a->tree, &b->tree);
}

/* ---- Running a model ---- */

struct replay_runner {
    struct order_plan *plan;
    const struct model *model;
    struct subject *subject;
    void *results;    /* of the lines of one column */
    void *sorted[2];  /* terms of one line */
    size_t *sequence; /* of which */
    long double *totals;
};

static bool runner_open(struct replay_runner *runner, struct subject *subject,
                        const struct model *model, struct error *error) {
    size_t bytes = format_bytes(subject->request.format), terms = subject->terms;
    *runner = (struct replay_runner){.model = model, .subject = subject};
    runner->plan = order_plan_of_tree(&model->order, &model->tree, error);
    if (!runner->plan)
        return false;
    runner->results = calloc(subject->lines, 8);
    runner->sorted[0] = calloc(terms, bytes);
    runner->sorted[1] = calloc(terms, bytes);
    runner->sequence = calloc(terms, sizeof *runner->sequence);
    runner->totals = calloc(model->tree.count + 1, sizeof *runner->totals);
    return (runner->totals && runner->results && runner->sorted[0] && runner->sorted[1] &&
            runner->sequence) ||
           error_set(error, "out of memory");
}

static void runner_close(struct replay_runner *runner) {
    if (runner->plan)
        order_plan_close(runner->plan);
    free(runner->results);
    free(runner->sorted[0]);
    free(runner->sorted[1]);
    free(runner->sequence);
    free(runner->totals);
}

/* One line whose terms are sorted first. */
static bool run_sorted(struct replay_runner *runner, const struct order_terms *x,
                       const struct order_terms *w, size_t line, void *result) {
    const struct subject *subject = runner->subject;
    size_t bytes = format_bytes(subject->request.format), terms = subject->terms;
    sort_terms(&runner->model->sorting, subject->request.format,
               (const char *)x->codes + line * x->pitch * bytes, x->stride, terms,
               runner->sequence);
    for (int k = 0; k < 2; k++) {
        const struct order_terms *from = k ? w : x;
        for (size_t i = 0; from && i < terms; i++) {
            size_t place = runner->sequence[i];
            code_store(runner->sorted[k], bytes, i,
                       code_load(from->codes, bytes, line * from->pitch + place * from->stride));
        }
    }
    const struct order_terms sorted[2] = {{runner->sorted[0], terms, 1},
                                          {runner->sorted[1], terms, 1}};
    return order_plan_run(runner->plan, 1, &sorted[0], w ? &sorted[1] : NULL, NULL, result);
}

/* The results of a column of a call, into those of the runner. */
static bool run_column(struct replay_runner *runner, const struct subject *view, size_t column,
                       struct error *error) {
    const size_t bytes = format_bytes(view->call.results[0].format);
    struct order_terms x, w;
    subject_terms_of(view, column, &x, &w);
    const struct order_terms *second = view->products ? &w : NULL;
    bool good = true;
    for (size_t line = 0; runner->model->sorting.sorts && good && line < view->lines; line++)
        good = run_sorted(runner, &x, second, line, (char *)runner->results + line * bytes);
    if (runner->model->extended)
        extended_run(&runner->model->order, &runner->model->tree, view->lines, &x, second,
                     runner->totals, runner->results);
    else if (!runner->model->sorting.sorts)
        good = order_plan_run(runner->plan, view->lines, &x, second, NULL, runner->results);
    return good || error_set(error, "out of memory");
}

bool replay_is_same(const struct subject *subject, uint64_t a, uint64_t b) {
    const struct format *format = subject->call.results[0].format;
    return a == b || (format_is_nan(format, a) && format_is_nan(format, b));
}

/* Of one result. */
static void count(struct replay *replay, const struct subject *subject, uint64_t number,
                  uint64_t code, uint64_t expected, size_t line, size_t column) {
    replay->arrays++;
    if (replay_is_same(subject, code, expected))
        return;
    if (replay->different && (line != replay->line || column != replay->column))
        replay->elsewhere++;
    if (!replay->different++ || number < replay->call) {
        replay->call = number;
        replay->got = code;
        replay->expected = expected;
        replay->line = line;
        replay->column = column;
    }
    if (replay->kept < REPLAY_KEPT &&
        !(replay->kept && replay->differing[replay->kept - 1] == number))
        replay->differing[replay->kept++] = number;
    if (number != REPLAY_TOLD)
        replay->by_family[number % REPLAY_FAMILIES]++;
}

/* Of a sum inside of an operation. Of shares, a line is one array. */
static bool compare_through(struct replay_runner *runner, const struct array_call *call,
                            const uint64_t *got, uint64_t number, uint64_t most,
                            struct replay *replay, struct error *error) {
    struct subject *subject = runner->subject;
    const size_t columns = subject->columns, all = subject->lines * columns;
    const struct through_model model = {runner->plan, runner->model->through};
    uint64_t *expected = calloc(all, sizeof *expected);
    bool *known = calloc(all, sizeof *known);
    bool good = (expected && known) || error_set(error, "out of memory");
    replay->calls++;
    good = good && through_expect(subject, &model, call, expected, known, error);
    for (size_t line = 0; good && line < subject->lines; line++) {
        size_t at = line * columns, column = 0;
        while (column + 1 < columns && got[at + column] == expected[at + column])
            column++;
        replay->unplanted += !known[at];
        if (known[at] && !(most && replay->different == most))
            count(replay, subject, number, got[at + column], expected[at + column], line, column);
    }
    free(expected);
    free(known);
    return good;
}

/* Compares the results of a call, whose operands are those that lie in the subject, with the model's. */
static bool compare_columns(struct replay_runner *runner, const uint64_t *got, uint64_t number,
                            uint64_t most, struct replay *replay, struct error *error) {
    const struct subject *subject = runner->subject;
    const size_t bytes = format_bytes(subject->call.results[0].format);
    for (size_t column = 0; column < subject->columns; column++) {
        if (!run_column(runner, subject, column, error))
            return false;
        for (size_t line = 0; line < subject->lines; line++) {
            uint64_t expected = code_load(runner->results, bytes, line);
            uint64_t code = got[line * subject->columns + column];
            count(replay, subject, number, code, expected, line, column);
            if (most && replay->different == most)
                return true;
        }
    }
    return true;
}

/* The same of those of `call`, which lie in the subject meanwhile: a copy of it would take longer than a short sum. */
static bool compare(struct replay_runner *runner, const struct array_call *call,
                    const uint64_t *got, uint64_t number, uint64_t most, struct replay *replay,
                    struct error *error) {
    if (runner->subject->through)
        return compare_through(runner, call, got, number, most, replay, error);
    struct array *operands = runner->subject->call.operands;
    void *own[2] = {operands[0].codes, operands[1].codes};
    replay->calls++;
    for (int k = 0; k < 2; k++)
        operands[k].codes = call->operands[k].codes;
    const bool good = compare_columns(runner, got, number, most, replay, error);
    for (int k = 0; k < 2; k++)
        operands[k].codes = own[k];
    return good;
}

struct replay_runner *replay_runner_open(struct subject *subject, const struct model *model,
                                         struct error *error) {
    struct replay_runner *runner = malloc(sizeof *runner);
    if (!runner) {
        error_set(error, "out of memory");
        return NULL;
    }
    if (runner_open(runner, subject, model, error))
        return runner;
    replay_runner_close(runner);
    return NULL;
}

void replay_runner_close(struct replay_runner *runner) {
    if (runner)
        runner_close(runner);
    free(runner);
}

bool replay_runner_run(struct replay_runner *runner, uint64_t *results, struct error *error) {
    const struct subject *subject = runner->subject;
    const size_t bytes = format_bytes(subject->call.results[0].format);
    for (size_t column = 0; column < subject->columns; column++) {
        if (!run_column(runner, subject, column, error))
            return false;
        for (size_t line = 0; line < subject->lines; line++)
            results[line * subject->columns + column] = code_load(runner->results, bytes, line);
    }
    return true;
}

void replay_take_results(const struct subject *subject, uint64_t *results) {
    for (size_t line = 0; line < subject->lines; line++)
        for (size_t column = 0; column < subject->columns; column++)
            results[line * subject->columns + column] = subject_code(subject, line, column);
}

bool replay_samples(struct replay_samples *samples, const struct model *model, uint64_t most,
                    struct replay *replay, struct error *error) {
    struct replay_runner runner = {0};
    size_t moved = 0;
    *replay = (struct replay){0};
    /* A search among models may take seconds between two calls of the implementation, which would notice. */
    bool good = subject_may_go_on(samples->subject, error) &&
                runner_open(&runner, samples->subject, model, error);
    for (size_t k = 0; good && k < samples->calls && !(most && replay->different >= most) &&
                       !subject_is_stopped(samples->subject);
         k++) {
        const size_t i = samples->sequence[k];
        const uint64_t before = replay->different;
        struct array_call call = samples->subject->call;
        call.operands[0].codes = samples->operands[0][i];
        call.operands[1].codes = samples->operands[1][i];
        good = compare(&runner, &call, samples->results[i], samples->drawn[i].number, most, replay,
                       error);
        if (replay->different > before) {
            memmove(samples->sequence + moved + 1, samples->sequence + moved,
                    (k - moved) * sizeof *samples->sequence);
            samples->sequence[moved++] = i;
        }
    }
    const size_t each = samples->subject->lines * samples->subject->columns;
    good = good && subject_may_go_on(samples->subject, error);
    if (good)
        samples->work += replay->calls * each * samples->subject->terms *
                         (order_plan_is_fast(runner.plan) ? 1 : REPLAY_SLOW);
    /* A model is not shown by the few of its sums that can be planted. */
    if (replay->unplanted > replay->arrays / 4)
        replay->different += replay->unplanted;
    runner_close(&runner);
    return good;
}

bool replay_run(struct subject *subject, const struct model *model, uint64_t seed, uint64_t arrays,
                uint64_t most, struct replay *replay, struct error *error) {
    enum { LEAST_CALLS = 2 * REPLAY_FAMILIES }; /* one call may have more arrays than are wanted */
    struct replay_runner runner;
    uint64_t *results = calloc(subject->lines * subject->columns, sizeof *results);
    *replay = (struct replay){.seed = seed, .is_drawn = true};
    bool good =
        results ? runner_open(&runner, subject, model, error) : error_set(error, "out of memory");
    /* Not every sum inside of an operation can be planted. */
    const uint64_t calls = subject->through ? LEAST_CALLS + 4 * arrays : UINT64_MAX;
    for (uint64_t call = 0; good && (replay->arrays < arrays || call < LEAST_CALLS) &&
                            call < calls && !(most && replay->different >= most);
         call++) {
        replay_draw(subject, seed, call);
        good = subject_call(subject, error);
        if (!good)
            break;
        replay_take_results(subject, results);
        good = compare(&runner, &subject->call, results, call, most, replay, error);
    }
    if (results)
        runner_close(&runner);
    free(results);
    return good;
}
