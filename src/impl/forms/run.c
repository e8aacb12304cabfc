/* Steps are done line by line. */
#include "impl/forms/run_parts.h"

#include "impl/forms/moments.h"

#include "detmath/exact_sum.h"
#include "impl/steps_arithmetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *make_room(struct value *value, size_t length) {
    if (length > value->room) {
        double *all = realloc(value->all, length * sizeof *all);
        if (!all)
            return NULL;
        value->all = all;
        value->room = length;
    }
    value->length = length;
    return value->numbers = value->all;
}

double *form_run_set(struct form_run *run, int name, size_t length) {
    return make_room(&run->values[name], length);
}

const double *form_run_numbers(const struct form_run *run, int name) {
    return run->values[name].numbers;
}

double form_run_from(const struct form_run *run) {
    return run->request.from;
}

static bool code_room(uint32_t **codes, size_t *room, size_t count) {
    if (count > *room) {
        uint32_t *larger = realloc(*codes, count * sizeof **codes);
        if (!larger)
            return false;
        *codes = larger;
        *room = count;
    }
    return true;
}

static bool load_codes(struct form_run *run, int which, const struct value *value) {
    if (!code_room(&run->codes[which], &run->room[which], value->length))
        return false;
    for (size_t i = 0; i < value->length; i++)
        run->codes[which][i] = (uint32_t)steps_code(run->format, value->numbers[i]);
    return true;
}

/* Term number i of a sum. */
static float term_of(const struct order_terms *terms, size_t number, size_t i) {
    float term;
    memcpy(&term, (const uint32_t *)terms->codes + number * terms->pitch + i * terms->stride,
           sizeof term);
    return term;
}

/* Each sum rounded once, as the library has it. */
static bool add_exactly(size_t count, size_t terms, const struct order_terms *x,
                        const struct order_terms *w, uint32_t *sums) {
    float *a = malloc((terms + 1) * sizeof *a), *b = malloc((terms + 1) * sizeof *b);
    const bool good = a && b;
    for (size_t k = 0; good && k < count; k++) {
        for (size_t i = 0; i < terms; i++) {
            a[i] = term_of(x, k, i);
            b[i] = w ? term_of(w, k, i) : 0;
        }
        const float sum = w ? detmath_cr_dotf(a, b, terms) : detmath_cr_sumf(a, terms);
        memcpy(&sums[k], &sum, sizeof sum);
    }
    free(a);
    free(b);
    return good;
}

static bool add_in_order(struct form_run *run, struct step *step, size_t count, size_t terms,
                         const struct order_terms *x, const struct order_terms *w,
                         struct error *error) {
    if (!step->plan || step->planned != terms) {
        order_plan_close(step->plan);
        step->plan = order_plan_open(&run->order, terms, error);
        step->planned = terms;
    }
    return step->plan && (order_plan_run(step->plan, count, x, w, NULL, run->sums) ||
                          error_set(error, "out of memory"));
}

/* `count` sums of `terms` each, of values or of products of two. */
static bool add_up(struct form_run *run, struct step *step, size_t count, size_t terms,
                   const struct order_terms *x, const struct order_terms *w, struct error *error) {
    struct value *to = &run->values[step->result];
    if (!make_room(to, count) || !code_room(&run->sums, &run->room[2], count))
        return error_set(error, "out of memory");
    if (run->request.sums->exact
            ? !add_exactly(count, terms, x, w, run->sums) && !error_set(error, "out of memory")
            : !add_in_order(run, step, count, terms, x, w, error))
        return false;
    for (size_t i = 0; i < count; i++)
        to->numbers[i] = steps_value(run->format, run->sums[i]);
    return true;
}

static bool do_sums(struct form_run *run, struct step *step, struct error *error) {
    const struct value *u = &run->values[step->arguments[0]],
                       *w = &run->values[step->arguments[step->count - 1]];
    struct order_terms x = {NULL, 0, 1}, weights = {NULL, 0, 1};
    size_t count = 1;
    if (!load_codes(run, 0, u) || !load_codes(run, 1, w))
        return error_set(error, "out of memory");
    x.codes = run->codes[0];
    weights.codes = run->codes[1];
    if (step->kind == STEP_SCORES) {
        count = w->length / u->length;
        weights.pitch = u->length;
    } else if (step->kind == STEP_WEIGHED) {
        count = w->length / u->length;
        weights.pitch = 1;
        weights.stride = count;
    }
    const bool products = step->kind != STEP_SUM && step->kind != STEP_MEAN;
    const size_t terms = u->length;
    if (!add_up(run, step, count, terms, &x, products ? &weights : NULL, error))
        return false;
    double *sum = run->values[step->result].numbers;
    if (step->kind == STEP_MEAN)
        *sum = steps_rounded(run->format, *sum / steps_rounded(run->format, (double)terms));
    return true;
}

bool form_run_total(struct form_run *run, const double *numbers, size_t count, double *total,
                    struct error *error) {
    struct order_terms x = {NULL, 0, 1};
    struct order_plan *plan = NULL;
    if (!code_room(&run->codes[0], &run->room[0], count) ||
        !code_room(&run->sums, &run->room[2], 1))
        return error_set(error, "out of memory");
    for (size_t i = 0; i < count; i++)
        run->codes[0][i] = (uint32_t)steps_code(run->format, numbers[i]);
    x.codes = run->codes[0];
    const bool exact = run->request.sums->exact || !count;
    if (!exact && !(plan = order_plan_open(&run->order, count, error)))
        return false;
    const bool good = exact ? add_exactly(1, count, &x, NULL, run->sums)
                            : order_plan_run(plan, 1, &x, NULL, NULL, run->sums);
    order_plan_close(plan);
    if (good)
        *total = steps_value(run->format, run->sums[0]);
    return good || error_set(error, "out of memory");
}

static bool do_greatest(struct form_run *run, const struct step *step, struct error *error) {
    const struct value *u = &run->values[step->arguments[0]];
    double greatest = u->numbers[0];
    for (size_t i = 1; i < u->length; i++)
        greatest = steps_extremum(greatest, u->numbers[i], true);
    double *to = make_room(&run->values[step->result], 1);
    if (to)
        *to = greatest;
    return to || error_set(error, "out of memory");
}

static bool do_moments(struct form_run *run, const struct step *step, struct error *error) {
    const struct value *u = &run->values[step->arguments[0]];
    struct moments moments;
    double *to = make_room(&run->values[step->result], 1);
    if (!to || !form_moments(u->numbers, u->length, run->request.sums, &moments))
        return error_set(error, "out of memory");
    *to = (double)(step->kind == STEP_RUNNING_MEAN ? moments.mean : moments.squares);
    return true;
}

/* The reciprocal of the root of a sum of two numbers, which is not rounded. */
static bool do_inverse_root(struct form_run *run, const struct step *step, struct error *error) {
    const double sum =
        run->values[step->arguments[0]].numbers[0] + run->values[step->arguments[1]].numbers[0];
    double *to = make_room(&run->values[step->result], 1);
    if (to)
        *to = steps_rounded(run->format, 1 / sqrt(sum));
    return to || error_set(error, "out of memory");
}

static bool do_turned(struct form_run *run, const struct step *step, struct error *error) {
    const struct value *u = &run->values[step->arguments[0]];
    const size_t half = u->length / 2;
    double *to = make_room(&run->values[step->result], u->length);
    for (size_t i = 0; to && i < half; i++) {
        to[i] = -u->numbers[i + half];
        to[i + half] = u->numbers[i];
    }
    return to || error_set(error, "out of memory");
}

static void no_event(void *context, enum event_kind kind, size_t index) {
    (void)context;
    (void)kind;
    (void)index;
}

/* A value may be its own step's argument: strips are read before they are written. */
static bool do_each(struct form_run *run, const struct step *step, struct error *error) {
    struct value *to = &run->values[step->result];
    size_t length = 1;
    for (int k = 0; k < step->count; k++) {
        const size_t own = run->values[step->arguments[k]].length;
        length = own > length ? own : length;
    }
    const bool is_argument = to->length == length && to->numbers;
    if (!is_argument && !make_room(to, length))
        return error_set(error, "out of memory");
    for (size_t at = 0; at < length; at += STEPS_STRIP) {
        const size_t count = length - at < STEPS_STRIP ? length - at : STEPS_STRIP;
        for (int k = 0; k < step->count; k++) {
            const struct value *from = &run->values[step->arguments[k]];
            double *values = steps_program_values(step->program, step->nodes[k]);
            for (size_t i = 0; i < count; i++)
                values[i] = from->numbers[from->length == 1 ? 0 : at + i];
        }
        if (!steps_program_run(step->program, count, no_event, NULL, error))
            return false;
        memcpy(to->numbers + at,
               steps_program_values(step->program, step->program->formula->count - 1),
               count * sizeof *to->numbers);
    }
    return true;
}

static bool do_step(struct form_run *run, struct step *step, struct error *error) {
    switch (step->kind) {
    case STEP_EACH:
        return do_each(run, step, error);
    case STEP_RUNNING_MEAN:
    case STEP_RUNNING_VARIANCE:
        return do_moments(run, step, error);
    case STEP_INVERSE_ROOT:
        return do_inverse_root(run, step, error);
    case STEP_GREATEST:
        return do_greatest(run, step, error);
    case STEP_TURNED:
        return do_turned(run, step, error);
    default:
        return do_sums(run, step, error);
    }
}

/* Lets names of keys stand for those of a block. */
static void show_keys(struct form_run *run, size_t at, size_t keys, size_t width) {
    for (int i = 0; i < run->request.name_count; i++)
        if (run->request.names[i].of_keys) {
            const size_t each = run->request.names[i].of_width ? width : 1;
            run->values[i].numbers = run->values[i].all + at * each;
            run->values[i].length = keys * each;
        }
}

const double *form_run_line(struct form_run *run, size_t keys, size_t width, struct error *error) {
    const struct form *form = run->request.form;
    const size_t block = form->keys_of_wide && width > 64 ? form->keys_of_wide
                         : form->keys                     ? form->keys
                                                          : keys;
    int from = 0;
    bool good = true;
    while (good && from < run->step_count && !run->steps[from].of_block)
        good = do_step(run, &run->steps[from++], error);
    int to = from;
    while (to < run->step_count && run->steps[to].of_block)
        to++;
    for (size_t at = 0; good && from < to && at < keys; at += block) {
        show_keys(run, at, keys - at < block ? keys - at : block, width);
        for (int i = from; good && i < to; i++)
            good = do_step(run, &run->steps[i], error);
    }
    show_keys(run, 0, keys, width);
    for (int i = to; good && i < run->step_count; i++)
        good = do_step(run, &run->steps[i], error);
    return good ? run->values[run->steps[run->step_count - 1].result].numbers : NULL;
}
