/* The fingerprint of what one side gives, without anything that it is held against. */
#ifndef DETCHECK_EXPLAIN_PRINT_H
#define DETCHECK_EXPLAIN_PRINT_H

#include "explain/pass.h"
#include "report/libraries.h"

/* As a sweep of the domain has it. The text stays empty where an input is not answered. `events`, which
 * may be NULL, are set. False for trouble, or where it was stopped. */
bool print_outputs(const struct explain_request *request, int side, const struct domain *domain,
                   char text[FINGERPRINT_TEXT], struct side_events *events, struct error *error);

/* The fingerprints of a side on inputs that take a moment, of those that are not there yet; the text
 * stays empty where it does not answer them all. Of an operation (a result's name) that is in the
 * table, the samples are asked for only while a library may be found by them. */
void print_libraries(const struct explain_request *request, int side, const char *operation,
                     char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT]);

#endif
