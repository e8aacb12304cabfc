/* `lib:PATH[:SYMBOL][,array|,vector]`: a function of a shared library. It is called in a process of its
 * own, so that it may crash or hang, or in this one (struct foreign_settings).
 *
 * Without SYMBOL the function is that of C's name for the operation. Its signature is C's, or that
 * of a function of arrays or of vector registers, as impl/remote/c_function.h has it. */
#ifndef DETCHECK_IMPL_REMOTE_LIBRARY_H
#define DETCHECK_IMPL_REMOTE_LIBRARY_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_library;

/* Whether it is a function of a shared library that converts, and is handed codes of a format whose numbers it could
 * take as float (",float"). */
bool library_takes_codes(const struct implementation *implementation,
                         const struct binding_request *request);

/* The first word of the command line of a worker, which the program's main hands to
 * library_worker. It is no command for users. */
#define LIBRARY_WORKER "library-worker"

/* What a process does first that calls code that is not ours: a crash is for detcheck to tell, memory
 * has a limit of so many MiB unless that is 0, and the end of detcheck ends it. */
void worker_set_up(unsigned long memory);

/* Serves one binding over the descriptors of impl/remote/process.h; does not return to its caller's
 * business. words: the program, LIBRARY_WORKER, "PATH[:SYMBOL][,array|,vector]", MiB of memory or 0. */
int library_worker(int count, char **words);

#endif
