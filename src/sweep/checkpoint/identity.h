/* Which operation a sweep is of, and which builds of the implementations, and what these are held against. */
#ifndef DETCHECK_SWEEP_CHECKPOINT_IDENTITY_H
#define DETCHECK_SWEEP_CHECKPOINT_IDENTITY_H

#include "impl/implementation.h"
#include "record/record.h"
#include "sweep/fingerprint.h"
#include "sweep/sweep.h"

/* Texts of digests; a state begins with them. Empty: of none. */
struct identity {
    char inputs[FINGERPRINT_TEXT], implementations[FINGERPRINT_TEXT], promises[FINGERPRINT_TEXT];
};

/* Its members in a state. */
extern const struct record identity_record;

/* Whether a state is of what the command is of now; else an error that says what is another, and what to
 * do. */
bool identity_is(const struct identity *found, const struct identity *wanted, const char *path,
                 struct error *error);

/* A digest of the operation, of the names of the implementations, of what they turned out to be, of the
 * contents of the files that their names lead to, and of their builds as shards have them. `bindings` has what those that are provided are
 * bound to. */
bool implementations_identity(const struct binding_request *computed,
                              const struct implementation *implementations, size_t count,
                              const struct binding *bindings, const bool *provided,
                              char text[FINGERPRINT_TEXT], struct error *error);

/* A digest of what the outputs are held against, on which counts depend: where a promise stands may change. */
bool promises_identity(const struct sweep_request *request, char text[FINGERPRINT_TEXT],
                       struct error *error);

#endif
