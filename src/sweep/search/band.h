/* Drawing inputs of a line whose errors can be in a band, and no others. */
#ifndef DETCHECK_SWEEP_SEARCH_BAND_H
#define DETCHECK_SWEEP_SEARCH_BAND_H

#include "sweep/search/look.h"

/* The errors that are wanted, without signs. */
struct band {
    double low, width;
};

/* Where the band lies above whole numbers, of outputs that are below the exact results or not. */
double band_start(const struct band *band, bool below);

/* Draws within a bound that rises with what it finds. The top is full. */
bool look_rise(struct look *look, struct error *error);

#endif
