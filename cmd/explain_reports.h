/* What two reports say of how they were made, for explain. */
#ifndef DETCHECK_CMD_EXPLAIN_REPORTS_H
#define DETCHECK_CMD_EXPLAIN_REPORTS_H

#include "explain/row.h"
#include "gate/gate.h"

/* The parameters of a report as files of fingerprints have them; false where one is no option of numbers. */
bool explain_describe_parameters(const cJSON *given, char text[SECTION_TEXT]);

/* Sets the error to what to run where the reports of A and B are from, and here with what comes of it: reports alone do not say where
 * outputs differ. Always false. */
bool explain_say_commands(const struct gate_case cases[2], struct error *why);

#endif
