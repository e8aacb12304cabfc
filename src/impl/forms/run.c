/* Steps are done line by line. */
#include "impl/forms/run_parts.h"

#include "impl/forms/moments.h"

#include "impl/steps_arithmetic.h"
#include "platform/processor.h"

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

const struct format *form_run_format(const struct form_run *run) {
    return run->format;
}

/* Room for `count` codes of the steps' format. */
static bool code_room(const struct form_run *run, void **codes, size_t *room, size_t count) {
    if (count > *room) {
        void *larger = realloc(*codes, count * format_bytes(run->format));
        if (!larger)
            return false;
        *codes = larger;
        *room = count;
    }
    return true;
}

static bool load_codes(struct form_run *run, int which, const double *numbers, size_t count) {
    const size_t bytes = format_bytes(run->format);
    if (!code_room(run, &run->codes[which], &run->room[which], count))
        return false;
    for (size_t i = 0; i < count; i++)
        code_store(run->codes[which], bytes, i, steps_code(run->format, numbers[i]));
    return true;
}

static void load_sums(const struct form_run *run, size_t count, double *numbers) {
    const size_t bytes = format_bytes(run->format);
    for (size_t i = 0; i < count; i++)
        numbers[i] = steps_value(run->format, code_load(run->sums, bytes, i));
}

/* What is added: `count` sums of `terms` values each, or products of values where `w` is there. Sum number k has all of
 * `x`, and the elements of `w` from k * pitch on, `stride` apart. */
struct addends {
    size_t count, terms;
    const double *x, *w;
    size_t pitch, stride;
};

static bool add_in_order(struct form_run *run, struct step *step, const struct addends *addends,
                         double *sums, struct error *error) {
    const size_t last = (addends->count - 1) * addends->pitch;
    if (!load_codes(run, 0, addends->x, addends->terms) ||
        (addends->w &&
         !load_codes(run, 1, addends->w, last + (addends->terms - 1) * addends->stride + 1)) ||
        !code_room(run, &run->sums, &run->room[2], addends->count))
        return error_set(error, "out of memory");
    if (!step->plan || step->planned != addends->terms) {
        order_plan_close(step->plan);
        step->plan = order_plan_open(&run->order, addends->terms, error);
        step->planned = addends->terms;
    }
    const struct order_terms x = {run->codes[0], 0, 1},
                             w = {run->codes[1], addends->pitch, addends->stride};
    if (!step->plan)
        return false;
    if (!order_plan_run(step->plan, addends->count, &x, addends->w ? &w : NULL, NULL, run->sums))
        return error_set(error, "out of memory");
    load_sums(run, addends->count, sums);
    return true;
}

static bool do_sums(struct form_run *run, struct step *step, struct error *error) {
    const struct value *u = &run->values[step->arguments[0]],
                       *w = &run->values[step->arguments[step->count - 1]];
    const bool products = step->kind != STEP_SUM && step->kind != STEP_MEAN;
    struct addends addends = {1, u->length, u->numbers, products ? w->numbers : NULL, 0, 1};
    if (step->kind == STEP_SCORES || step->kind == STEP_WEIGHED)
        addends.count = w->length / u->length;
    if (step->kind == STEP_SCORES)
        addends.pitch = u->length;
    if (step->kind == STEP_WEIGHED) {
        addends.pitch = 1;
        addends.stride = addends.count;
    }
    double *sums = make_room(&run->values[step->result], addends.count);
    if (!sums)
        return error_set(error, "out of memory");
    const struct form_sums *by = run->request.sums;
    for (size_t k = 0; k < addends.count; k++) {
        const double *w_k = addends.w ? addends.w + k * addends.pitch : NULL;
        if (by->exact)
            sums[k] = form_exact_sum(run->format, u->length, u->numbers, w_k, addends.stride);
        else if (by->vectors)
            sums[k] = form_vector_sum(run->format, (size_t)run->order.rules.rows[0].size, u->length,
                                      u->numbers, w_k, addends.stride);
    }
    if (!by->exact && !by->vectors && !add_in_order(run, step, &addends, sums, error))
        return false;
    if (step->kind == STEP_MEAN)
        *sums = steps_rounded(run->format, *sums / steps_rounded(run->format, (double)u->length));
    return true;
}

bool form_run_total(struct form_run *run, const double *numbers, size_t count, double *total,
                    struct error *error) {
    struct step step = {.plan = NULL};
    const struct addends addends = {1, count, numbers, NULL, 0, 1};
    const struct form_sums *by = run->request.sums;
    if (by->exact || by->vectors || !count) {
        *total = by->vectors && count
                     ? form_vector_sum(run->format, (size_t)run->order.rules.rows[0].size, count,
                                       numbers, NULL, 1)
                     : form_exact_sum(run->format, count, numbers, NULL, 1);
        return true;
    }
    const bool good = add_in_order(run, &step, &addends, total, error);
    order_plan_close(step.plan);
    return good;
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

static bool do_wide_sum(struct form_run *run, const struct step *step, struct error *error) {
    const struct value *u = &run->values[step->arguments[0]];
    double sum = 0, *to = make_room(&run->values[step->result], 1);
    for (size_t i = 0; i < u->length; i++)
        sum += u->numbers[i];
    if (to)
        *to =
            steps_rounded(run->format, step->kind == STEP_WIDE_SUM ? sum : sum / (double)u->length);
    return to || error_set(error, "out of memory");
}

static bool do_moments(struct form_run *run, const struct step *step, struct error *error) {
    const struct value *u = &run->values[step->arguments[0]];
    struct moments moments;
    double *to = make_room(&run->values[step->result], 1);
    if (!to || !form_moments(run->format, u->numbers, u->length, run->request.sums, &moments))
        return error_set(error, "out of memory");
    *to = step->kind == STEP_RUNNING_MEAN ? moments.mean : moments.squares;
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

/* The processor's own estimate of 1 / sqrt(u). */
static bool do_root_estimate(struct form_run *run, const struct step *step, struct error *error) {
    double *to = make_room(&run->values[step->result], 1);
    if (to)
        *to = processor_root_estimate((float)run->values[step->arguments[0]].numbers[0]);
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
    case STEP_WIDE_SUM:
    case STEP_WIDE_MEAN:
        return do_wide_sum(run, step, error);
    case STEP_RUNNING_MEAN:
    case STEP_RUNNING_VARIANCE:
        return do_moments(run, step, error);
    case STEP_INVERSE_ROOT:
        return do_inverse_root(run, step, error);
    case STEP_ROOT_ESTIMATE:
        return do_root_estimate(run, step, error);
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
