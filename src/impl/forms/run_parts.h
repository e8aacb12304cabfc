/* What is behind the interpreter of forms, as its two files share it. */
#ifndef DETCHECK_IMPL_FORMS_RUN_PARTS_H
#define DETCHECK_IMPL_FORMS_RUN_PARTS_H

#include "impl/forms/run.h"

#include "impl/steps_program.h"

enum { MOST_VALUES = 48 };

/* What becomes of a line. */
enum step_kind {
    STEP_EACH, /* an expression for each element */
    STEP_SUM,
    STEP_MEAN,
    STEP_WIDE_SUM,
    STEP_WIDE_MEAN,
    STEP_RUNNING_MEAN, /* by Welford, as PyTorch has it */
    STEP_RUNNING_VARIANCE,
    STEP_INVERSE_ROOT,
    STEP_ROOT_ESTIMATE,
    STEP_GREATEST,
    STEP_DOT,
    STEP_TURNED,
    STEP_SCORES,
    STEP_WEIGHED,
    STEP_KINDS
};
struct value {
    char name[16];
    double *numbers; /* within `all` */
    double *all;
    size_t length, room;
};

struct step {
    enum step_kind kind;
    bool of_block;
    int result, count, arguments[MAX_OPERANDS];
    int nodes[MAX_OPERANDS];       /* of the program, that are these */
    struct steps_program *program; /* of STEP_EACH */
    struct order_plan *plan;
    size_t planned;
};

struct form_run {
    struct form_request request;
    const struct format *format; /* of the steps */
    struct order order;          /* by which sums are added */
    struct value values[MOST_VALUES];
    int value_count;
    struct step steps[FORM_STEPS];
    int step_count;
    bool is_like;          /* the programs of its steps are another's */
    void *codes[2], *sums; /* of terms and what comes of them, in the steps' format */
    size_t room[3];
};

/* A sum of `count` numbers of a format, or of their products with those of `w` (NULL: none), `stride` apart: rounded once. */
double form_exact_sum(const struct format *format, size_t count, const double *x, const double *w,
                      size_t stride);

/* The same sum as PyTorch's vectors add it (vec::reduce_all): lane l has the elements l, l + lanes, ...; lanes are folded.
 * What is left behind whole vectors is added in the first lanes, and compilers fuse its products. In fp64, for which PyTorch has no code of
 * its own, lanes are added from the left, as those of less than one vector are, and no product is fused. */
double form_vector_sum(const struct format *format, size_t lanes, size_t count, const double *x,
                       const double *w, size_t stride);

#endif
