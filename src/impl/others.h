/* While code of others runs in this process: whoever handles a crash or an exit asks for that, and what
 * such code does to the locale is undone behind it. */
#ifndef DETCHECK_IMPL_OTHERS_H
#define DETCHECK_IMPL_OTHERS_H

#include "impl/implementation.h"

/* Around whatever an implementation may do; nothing where its code is ours or runs elsewhere. They may
 * stand within each other. */
void others_begin(const struct implementation *implementation);
void others_end(const struct implementation *implementation);

/* Whether this thread is between the two. A handler of signals may ask. */
bool others_are_running(void);
bool others_are_running_anywhere(void); /* in any thread */

#endif
