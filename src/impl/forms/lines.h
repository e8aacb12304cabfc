/* Calls as lines that forms are run on: what is there before the first step, and where results go. */
#ifndef DETCHECK_IMPL_FORMS_LINES_H
#define DETCHECK_IMPL_FORMS_LINES_H

#include "impl/forms/run.h"

/* Operations whose calls have lines of one kind. */
struct form_lines {
    const char *operations; /* names, commas between them */
    struct form_name names[16];
    int name_count;
    /* Runs all lines of a call and puts what comes out into its results. */
    bool (*fill)(struct form_run *run, const struct array_call *call, struct error *error);
};

/* NULL where no forms are of it. */
const struct form_lines *form_lines_find(const struct operation *operation);

/* Reads a form for calls of an operation that has it. NULL with the reason; *broken: for there is no memory. */
struct form_run *form_read(const struct form *form, const struct form_sums *sums, double from,
                           const struct step_functions *functions,
                           const struct binding_request *request, bool *broken, struct error *why);

/* Element `index` of operand `k`, and of result 0. */
double form_number_at(const struct array_call *call, int k, uint64_t index);
void form_put(const struct array_call *call, uint64_t index, double number);
/* A name stands for one number, rounded to the steps' format; false: no memory. */
bool form_set_number(struct form_run *run, int name, double number);

/* Three names, one after the other: the places of a line's elements, how many there are, and how many numbers of the steps' format
 * two vectors of 512 bits have; false: no memory. */
bool form_set_places(struct form_run *run, int name, size_t length);

/* Of training: the kinds of lines.c that are in lines_training.c. */
bool form_fill_losses(struct form_run *run, const struct array_call *call, struct error *error);
bool form_fill_loss_slopes(struct form_run *run, const struct array_call *call,
                           struct error *error);
bool form_fill_sgd(struct form_run *run, const struct array_call *call, struct error *error);
bool form_fill_adam(struct form_run *run, const struct array_call *call, struct error *error);

/* Likewise of lines_bags.c. */
bool form_fill_bags(struct form_run *run, const struct array_call *call, struct error *error);
bool form_fill_slopes(struct form_run *run, const struct array_call *call, struct error *error);
bool form_fill_norm_slopes(struct form_run *run, const struct array_call *call,
                           struct error *error);
bool form_fill_gate_slopes(struct form_run *run, const struct array_call *call,
                           struct error *error);

#endif
