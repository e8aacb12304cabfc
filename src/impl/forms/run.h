/* The interpreter of forms: one line at a time. */
#ifndef DETCHECK_IMPL_FORMS_RUN_H
#define DETCHECK_IMPL_FORMS_RUN_H

#include "impl/forms/forms.h"
#include "impl/implementation.h"

/* What is there before the first step. Some of attention have numbers for each key, `of_width` as many as a key is wide. */
struct form_name {
    const char *name;
    bool of_keys, of_width;
};

struct step_functions;
struct form_run;

struct form_request {
    const struct form *form;
    const struct form_sums *sums;
    const struct step_functions *functions; /* exp and the like */
    const struct format *format;            /* of the operands */
    const struct form_name *names;
    int name_count;
    double from; /* what the name `from` stands for */
    enum overflow overflow;
};

/* NULL with an error; *broken: for there is no memory. */
struct form_run *form_run_open(const struct form_request *request, bool *broken,
                               struct error *error);
/* The same form by other sums, from another place. Its steps are those of `read`, which stays open meanwhile: only one of
 * them runs at a time. NULL: no memory. */
struct form_run *form_run_like(const struct form_run *read, const struct form_sums *sums,
                               double from);
void form_run_close(struct form_run *run);

/* In which the steps are computed: fp64 where the operands are, else fp32. */
const struct format *form_run_format(const struct form_run *run);
double form_run_from(const struct form_run *run);
/* Room for the numbers of a name, by its index; NULL: no memory. */
double *form_run_set(struct form_run *run, int name, size_t length);
/* What a name stands for: after the steps, what they have made of it. */
const double *form_run_numbers(const struct form_run *run, int name);
/* Does all steps. The numbers that come out, in the steps' format, stay until the next call; NULL with an error. */
const double *form_run_line(struct form_run *run, size_t keys, size_t width, struct error *error);

/* The sum of numbers that lines have left, by the form's way of adding, in the steps' format. */
bool form_run_total(struct form_run *run, const double *numbers, size_t count, double *total,
                    struct error *error);

#endif
