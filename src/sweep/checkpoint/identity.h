/* Which operation a sweep is of, and which builds of the implementations. */
#ifndef DETCHECK_SWEEP_CHECKPOINT_IDENTITY_H
#define DETCHECK_SWEEP_CHECKPOINT_IDENTITY_H

#include "sweep/checkpoint/state.h"

/* A digest of the operation, of the names of the implementations, of what they turned out to be, and of the contents of
 * the files that their names lead to. */
bool implementations_identity(const struct sweep_view *view, char text[FINGERPRINT_TEXT],
                              struct error *error);

#endif
