/* The fingerprint of what one side gives, without anything that it is held against. */
#ifndef DETCHECK_EXPLAIN_PRINT_H
#define DETCHECK_EXPLAIN_PRINT_H

#include "explain/pass.h"

/* As a sweep of the domain has it. The text stays empty where an input is not answered. False for
 * trouble, or where it was stopped. */
bool print_outputs(const struct explain_request *request, int side, const struct domain *domain,
                   char text[FINGERPRINT_TEXT], struct error *error);

#endif
