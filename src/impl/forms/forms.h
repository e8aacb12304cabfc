/* Forms: in which steps, and in which formats, those who wrote a kernel compute it.
 *
 * A form is a row: a name, what it says, where it is written, and its steps. One interpreter runs all of them
 * (impl/forms/run.h), by arithmetic in fp32, of operands in fp64 in fp64. A step is a line "name = expression", in the language of
 * detcheck-formula(7), of names that steps before it have made, with `cast(u)` for u in the format of the operands.
 * Before the expression may stand what becomes of a line:
 *
 *   sum: u, mean: u, greatest: u   one number of all of a line
 *   wide-sum: u, wide-mean: u      the sum in fp64, from the left, and the mean by it; rounded once
 *   running-mean: u, running-variance: u
 *                                  these, element by element; by lanes in chunks that are merged
 *   inverse-root: u, w             1 / sqrt(u + w) of two numbers, in double, rounded once
 *   root-estimate: u               the processor's estimate of 1 / sqrt(u) in fp32
 *   dot: u, w                      the sum of the products of two names; fused, where the sums are
 *   turned: u                      of rope: the partner of each element, as it is added (-u[i+n/2], and u[i])
 *   scores: u, w                   of attention: u times each row of w
 *   weighed: u, w                  of attention: the rows of w, each times its element of u, added
 *
 *   scalar: expression             its functions without a library's steps, which are those of its vectors
 *
 * Functions are those that form:NAME:SUMS:FUNCTIONS names (impl/steps_functions.h).
 *
 * A step that begins with '|' is done for each block of keys (`keys` of the row), in order; in it k, v, mask and bias are
 * those of the block. The last step is the result. Names that are there from the beginning:
 *
 *   norms      x, weight, bias, n, epsilon
 *   softmax    x, n
 *   gates      x, u, place (of an element in its line), n, strip (how many numbers of the steps two vectors of 512 bits have)
 *   bags       x, weight, n (rows of the bag), averaged, largest (1 where that is asked for)
 *   gradients  x, g, n; of norms weight and epsilon too; of gates x, u, g, which x and u stand for at the end
 *   rope       x (both halves of what turns), position, index (of the pair), n, base, factor
 *   attention  q, k, v, n (keys), scale, cap (0: none), bias, mask (0, or -inf where a query may not have the key), place
 *              (of the key, beside k), from (what a form of that name with "@FROM" behind it says; 0) */
#ifndef DETCHECK_IMPL_FORMS_FORMS_H
#define DETCHECK_IMPL_FORMS_FORMS_H

#include "op/operation.h"
#include "order/order.h"

enum { FORM_STEPS = 28 };

struct form {
    const char *operations; /* names, commas between them */
    const char *name;
    const char *says;      /* of one side, named before it; fp32 stands for the steps' format */
    const char *source;    /* where it is written */
    const char *gelu;      /* --approximate, where steps are of that one alone; or NULL */
    const char *without;   /* parameters that its calls have not, with commas between; or NULL */
    unsigned keys;         /* in a block of steps that begin with '|' */
    unsigned keys_of_wide; /* likewise, where heads are wider than 64; or 0 */
    const char *steps[FORM_STEPS]; /* NULL behind the last */
};

extern const struct form forms[];
extern const size_t form_count;

/* The names of forms in the order of the rows, each once; NULL behind the last. */
const char *form_name_at(size_t index);

/* In which steps are computed, of operands in a format. */
const struct format *form_steps_format(const struct format *operands);
/* What a form says of operands in a format. */
enum { FORM_SAYS = 192 };
void form_say(const struct form *form, const struct format *operands, char text[FORM_SAYS]);

/* Whether a list of operations has one of that name. */
bool form_names_operation(const char *operations, const char *name);
/* Whether an operation, with these parameters, has that form. */
bool form_is_of(const struct form *form, const struct operation *operation,
                const struct parameters *parameters);

/* Whether any of its steps calls a function that a source has in steps, of operands in a format. */
struct function_source;
bool form_calls(const struct form *form, const struct function_source *source,
                const struct format *operands);
/* Whether any of its steps is a sum, and whether any begins at a place, which "@FROM" says. */
bool form_has_sums(const struct form *form);
bool form_has_from(const struct form *form);

/* In which order lines are summed: a row each. */
struct form_sums {
    const char *name;
    const char *says;
    bool exact; /* rounded once */
    bool fused; /* products of dot, scores and weighed are not rounded */
    /* In fp64 vectors are as wide, and so have half as many lanes as the first row says. */
    bool halved;
    /* By form_vector_sum, of as many lanes as the first row; `fused` is of running moments. */
    bool vectors;
    struct order_rules rules;
};
extern const struct form_sums form_sums[];
extern const size_t form_sums_count;

#endif
