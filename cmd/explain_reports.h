/* What two reports say of how they were made, for explain. */
#ifndef DETCHECK_CMD_EXPLAIN_REPORTS_H
#define DETCHECK_CMD_EXPLAIN_REPORTS_H

#include "explain/row.h"
#include "gate/gate.h"

/* The parameters of a report as files of fingerprints have them; false where one is no option of numbers. */
bool explain_describe_parameters(const cJSON *given, char text[SECTION_TEXT]);

/* Which inputs a section of a file of fingerprints is of, in words: "300,000 sampled inputs, seed 3, of 0x00000000-0xffffffff".
 * The digest of the inputs stands in place of codes that the section does not have, or that are too many. */
const char *explain_describe_inputs(const struct fingerprint_section *section,
                                    char text[SECTION_TEXT]);

/* Sets the error to what to run where the reports of A and B are from, and here with what comes of it: reports alone do not say where
 * outputs differ. Always false. */
bool explain_say_commands(const struct gate_case cases[2], struct error *why);

#endif
