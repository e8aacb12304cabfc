/* What probes have found of one length, and the models that are left: an order is chosen by what a row of each axis says. */
#ifndef DETCHECK_REVEAL_MODELS_H
#define DETCHECK_REVEAL_MODELS_H

#include "reveal/aim.h"
#include "reveal/grow.h"
#include "reveal/replay.h"
#include "reveal/twice.h"

/* What is known before any model is made. */
struct finding {
    struct subject *subject;
    struct pairs pairs;
    struct grown grown;
    struct aim aim;
    struct twice twice;
    bool is_symmetric; /* results stay the same when terms are permuted */
};

enum axis {
    AXIS_KIND,      /* how the terms of a chain meet */
    AXIS_BINS,      /* into how many bins of how many bits what is kept is cut */
    AXIS_SCALE,     /* where a mean is divided */
    AXIS_LAST,      /* the format of the last addition, which no probe sees */
    AXIS_DIRECTION, /* in which additions of several terms are rounded */
    AXIS_C,         /* where what comes in joins these */
    AXIS_PAIR,      /* whether an addition of two, where others have several terms, is like these */
    AXIS_SPILL, /* whether what is rounded to a narrower format is rounded to the usual one before */
    AXIS_OPERANDS, /* whether subnormal operands are flushed */
    AXIS_START,    /* whether a sum from the left begins with 0 */
    AXIS_ZERO, /* which total is added to 0 before others are added to it, as calls of a unit begin */
    AXIS_PRODUCTS, /* of squares, and where no probe tells: whether they are rounded before they are added */
    AXIS_EXPONENTIAL, /* likewise: whose exponentials */
    AXIS_SHARES,      /* likewise: how terms are divided by it */
    AXIS_SUMS,        /* whether a sum of two sums begins with 0, which flushing shows */
    AXIS_ROUNDED,     /* what terms or factors are rounded to before all else */
    AXIS_TWICE,       /* how terms that count twice are added */
    AXES
};

/* The rows of AXIS_OPERANDS. */
enum operands_row { OPERANDS_KEPT, OPERANDS_FLUSHED, OPERANDS_AND_ALL, OPERANDS_SOME };

/* A model: by axis, the number of its row. */
struct choice {
    unsigned at[AXES];
};

/* How many rows an axis has for what was found; 1 where it does not matter. */
unsigned axis_rows(const struct finding *finding, enum axis axis);
/* "where the mean is divided", and a row: "the sum, by n". */
const char *axis_name(enum axis axis);
const char *axis_row_name(const struct finding *finding, enum axis axis, unsigned row);

/* Makes a model; false with an error where there is none of that choice. model_close when done, in any case. */
bool model_make(const struct finding *finding, const struct choice *choice, struct model *model,
                struct error *error);
void model_close(struct model *model);
/* Gives a model the nodes of another, where it has as many. */
void model_take_nodes(const struct model *from, struct model *to);

/* The first choice none of whose results differ from the samples'; else the one of which the fewest do, and how many.
 * With the nodes of a model, where that is given, and with all rows of AXIS_ZERO, which else is left out: what nodes
 * explain is not to be explained by that. Nor by rounded products of units whose other parameters are still guesses.
 * `tried` counts models. */
bool models_fit(const struct finding *finding, struct replay_samples *samples,
                const struct model *nodes, struct choice *choice, struct replay *replay,
                size_t *tried, struct error *error);

#endif
