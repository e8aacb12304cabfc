/* Ways of computing, held against the recorded outputs of both sides: first on a few units, then those that are left on all. */
#ifndef DETCHECK_TRACE_TRIAL_H
#define DETCHECK_TRACE_TRIAL_H

#include "trace/evidence.h"
#include "trace/part.h"
#include "trace/ways.h"

/* What was found of a way: outputs that each side has otherwise. */
struct trace_held {
    uint64_t wrong[2], looked; /* looked: at so many outputs of each */
    bool failed;               /* it cannot be run */
};

struct trace_trial {
    const struct trace_call *call;
    const struct trace_outputs *outputs;
    struct trace_ways *ways;
    struct trace_held *held; /* of each way */
    size_t held_room;
    struct trace_units units;
    uint64_t *order; /* the units that are looked at, those that differ first */
    size_t count;    /* of these */
    double until;
    uint64_t looked;                /* outputs of the units that ways were held against */
    struct trace_evidence evidence; /* of these: where the sides or the ways differ */
    size_t changed;                 /* changes on top of ways that were tried */
    bool has_changes;               /* whether such are to be tried */
};

/* Of all units of a call. False without memory; trial_close in any case. */
bool trial_open(struct trace_trial *trial, const struct trace_call *call,
                const struct trace_outputs *outputs, struct trace_ways *ways, double until);
void trial_close(struct trace_trial *trial);

/* Holds all ways, as far as there is time. False without memory. */
bool trial_run(struct trace_trial *trial);

/* Whether a way gives all outputs of a side that were looked at; how many do; and how many were tried. */
bool trial_stands(const struct trace_trial *trial, size_t number, int side);
size_t trial_fits(const struct trace_trial *trial, int side);
size_t trial_tried(const struct trace_trial *trial);

/* The way that is nearest to a side, of those held against all that was looked at; SIZE_MAX: none. */
size_t trial_nearest(const struct trace_trial *trial, int side);

/* Opens a trial of the units alone of which a way does not give all outputs of a side. False without memory, or late. */
bool trial_open_rest(struct trace_trial *rest, const struct trace_trial *trial, size_t number,
                     int side);

/* Orders the units: those that differ, and by turns with them, as far as there are some, those that do not. False without
 * memory. */
bool trial_order_units(struct trace_trial *trial);

/* Whether the outputs of a trial's units are different enough for a cause. */
bool trial_has_enough(const struct trace_trial *trial);

#endif
