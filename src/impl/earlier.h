/* What inputs gave before they were asked again. */
#ifndef DETCHECK_IMPL_EARLIER_H
#define DETCHECK_IMPL_EARLIER_H

#include "impl/implementation.h"

/* Room for so many inputs of a request; to be closed in any case. False when memory is out. */
bool earlier_open(struct earlier_answers *earlier, const struct binding_request *request,
                  size_t count);
void earlier_close(struct earlier_answers *earlier);

/* Keeps results of inputs at .. at+count-1, which begin at `results`: they will be asked again. What is kept of
 * an input stays: it came first. */
void earlier_keep(struct earlier_answers *earlier, const struct binding_request *request, size_t at,
                  size_t count, const void *const *results);

/* The slice has new answers to its inputs at .. at+count-1: compares them with what was kept. Returns the
 * first input whose answer is another one, or at+count. All NaNs are one answer. */
size_t earlier_compare(struct earlier_answers *earlier, const struct binding_request *request,
                       const struct slice *slice, size_t at, size_t count);

/* The first input from `at` on that has two answers, and was not left without one in the end; `slice->count`
 * where there is none. */
size_t earlier_next(const struct earlier_answers *earlier, const struct slice *slice, size_t at);

/* Beside another implementation, whose results are `other`: of two answers the one counts that is not the other's, if
 * one is not. It goes into the slice's results, and the earlier answers are ready for another slice. */
void earlier_prefer_difference(struct earlier_answers *earlier,
                               const struct binding_request *request, const struct slice *slice,
                               void *const *other);

/* Makes it ready for another slice. */
void earlier_forget(struct earlier_answers *earlier, size_t count);

#endif
