/* A declaration of kappas (P3109 4.0, section 4.4) held against what `sweep --kappa` measured. */
#ifndef DETCHECK_GATE_KAPPA_H
#define DETCHECK_GATE_KAPPA_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Holds the declarations of a file against what was measured, which `count` files have: one, or those of all shards.
 * Prints a line for every declared kappa that is too small to `stream`. *refused: one is smaller than what was
 * measured somewhere in its interval, or of all operands. False and an error where a file cannot be read, where a shard
 * is missing, where the declaration has an interval whose ends are no numbers, or says nothing of an operation
 * specialization or of one of its numbers. */
bool kappa_gate(const char *const *measured, size_t count, const char *declared, FILE *stream,
                bool *refused, struct error *error);

#endif
