/* A declaration of kappas (P3109 4.0, section 4.4) held against what `sweep --kappa` measured. */
#ifndef DETCHECK_GATE_KAPPA_H
#define DETCHECK_GATE_KAPPA_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Prints a line for every measured declaration to `stream`. *refused: a declared kappa is smaller than what was
 * measured somewhere in its interval. False and an error where a file cannot be read, where the declaration has an
 * interval whose ends are no numbers, or says nothing of an operation specialization or of a part of its numbers. */
bool kappa_gate(const char *measured, const char *declared, FILE *stream, bool *refused,
                struct error *error);

#endif
