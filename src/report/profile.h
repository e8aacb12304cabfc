/* The error profile of an implementation in block characters (UTF-8): the largest error of each
 * binade. */
#ifndef DETCHECK_REPORT_PROFILE_H
#define DETCHECK_REPORT_PROFILE_H

#include "sweep/sweep.h"

#include <stdio.h>

/* For each result and implementation a heading and its plot, `rows` lines high and no more than 80 columns wide; one
 * line is a plot without axes, behind the implementation's name. All plots have one scale. */
void profile_print(FILE *stream, const struct sweep_request *request,
                   const struct sweep_outcome *outcome, int rows);

#endif
