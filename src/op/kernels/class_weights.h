/* Weights of the classes of a cross entropy, and what they and the label make of its sums, exactly. */
#ifndef DETCHECK_OP_KERNELS_CLASS_WEIGHTS_H
#define DETCHECK_OP_KERNELS_CLASS_WEIGHTS_H

#include "op/array.h"
#include "op/enclose.h"

/* Of K classes, a smoothing s and weights w, which are 1 where a call has none. */
struct class_weights {
    const struct array_call *call;
    int operand; /* 0: none */
    uint64_t classes;
    arf_t share, kept; /* s and 1 - s */
    arf_t all;         /* the sum of w */
    arf_t weight;      /* of the class that was loaded */
    arf_t own;         /* K (1 - s) w[target] */
    arf_t factor;      /* that and s times the sum: K without weights */
    bool has_bad;      /* a weight that is no number from 0 on */
};

void class_weights_open(struct class_weights *weights, const struct array_call *call, int operand,
                        uint64_t classes, const struct real *smoothing);
void class_weights_close(struct class_weights *weights);
/* weight = that of a class; whether it is a number from 0 on. */
bool class_weights_load(struct class_weights *weights, uint64_t class);
/* Whether there is no such class, or a weight that counts is none. */
bool class_weights_lack(struct class_weights *weights, int64_t target);
/* own and factor of a target that is a class. */
void class_weights_find_factor(struct class_weights *weights, int64_t target);

#endif
