/* What the calls of a C function do to the exception flags and to errno. */
#ifndef DETCHECK_IMPL_REMOTE_C_OBSERVE_H
#define DETCHECK_IMPL_REMOTE_C_OBSERVE_H

#include "impl/remote/c_function.h"

/* The same as c_function_fill, the guard having been entered; each input that leaves another
 * environment behind is told to the event, and flags and errno are told where the slice asks for
 * them. So is each input of which a result was not written, where slice.unanswered is not NULL; it is
 * marked there. */
void c_function_fill_guarded(const struct c_function *function, const struct slice *slice,
                             const struct rounding_guard *guard, const struct call_watch *watch,
                             event_function *event, void *context);

/* The same of a slice that has conditions; what leaves another environment behind is told of its
 * first input. False when memory is out. */
bool c_function_fill_conditioned(const struct c_function *function, const struct slice *slice,
                                 const struct rounding_guard *guard, const struct call_watch *watch,
                                 event_function *event, void *context, struct error *error);

/* The same in this process, of a function that is known to leave the environment alone: nobody looks
 * after it, nor at flags. False when memory is out. */
bool c_function_fill_harmless(const struct c_function *function, const struct slice *slice,
                              event_function *event, void *context, struct error *error);

/* The one or the other in this process, with the request's rounding set. What is not written is told
 * in any case. */
bool c_function_fill_here(const struct c_function *function, const struct slice *slice,
                          event_function *event, void *context, struct error *error);

#endif
