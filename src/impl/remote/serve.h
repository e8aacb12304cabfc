/* The worker's side of detcheck-exec(7) for every operation: an implementation of this machine answers for a
 * detcheck of another one. detcheck-worker(1) is this with a command line. */
#ifndef DETCHECK_IMPL_REMOTE_SERVE_H
#define DETCHECK_IMPL_REMOTE_SERVE_H

#include "impl/implementation.h"

#include <stdio.h>

/* Reads a header, replies, and answers requests until `in` ends. Returns true at the end of `in` and where the
 * implementation does not provide what is asked; false with an error where `in` holds something else than the protocol,
 * where memory is gone, or where an input has no output and the header has no line gaps=1. */
bool serve_worker(const struct implementation *implementation, FILE *in, FILE *out,
                  struct error *error);

#endif
