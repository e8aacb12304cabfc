/* What a worker is sent first (protocol.h): a header, and the text of the parameters. */
#ifndef DETCHECK_IMPL_REMOTE_GREETING_H
#define DETCHECK_IMPL_REMOTE_GREETING_H

#include "impl/remote/remote.h"
#include "op/formula/tree.h"

enum { MOST_PARAMETERS = PARAMETER_COUNT * (PARAMETER_ROOM + 32) + FORMULA_TEXT + 64 };

struct greeting {
    uint8_t header[HEADER_SIZE];
    char parameters[MOST_PARAMETERS];
    size_t length; /* of the parameters */
};

/* What answers are to have besides codes: PROTOCOL_FLAGS and so on. */
unsigned greeting_asks(const struct remote *remote);

/* False with an error where the request's arrays cannot be. */
bool greeting_make(const struct remote *remote, struct greeting *greeting, struct error *error);

/* The worker's side: the operation of that name in the header, or the formula that the parameters have; NULL and an error. */
const struct operation *greeting_operation(const char *name, const char *parameters,
                                           struct error *error);

/* The operation, format and rounding of a header, whose names it ends, and the parameters of its text. False with an
 * error where one is not known here. */
bool greeting_read(uint8_t header[HEADER_SIZE], const char *parameters,
                   struct binding_request *request, struct error *error);

/* Puts a key into the remote that is the same for another one if its process is started in the same way, of
 * that build, and greeted in the same way. False with an error where there is none, or no memory; what is
 * there is the caller's to free. */
bool greeting_key(struct remote *remote, const char build[BUILD_TEXT], struct error *error);

#endif
