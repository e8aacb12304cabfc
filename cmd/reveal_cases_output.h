/* What cases of a matrix unit leave, as text and as JSON. */
#ifndef DETCHECK_CMD_REVEAL_CASES_OUTPUT_H
#define DETCHECK_CMD_REVEAL_CASES_OUTPUT_H

#include "reveal/decide.h"

#include <cjson/cJSON.h>

/* To stdout, for people; the first without where the cases are from. */
void reveal_fit_print(const struct fit *fit, const struct decision *decision);
void reveal_cases_print(const char *path, const struct fit *fit, const struct decision *decision);
/* The same as members of a document. */
void reveal_fit_document(const struct fit *fit, const struct decision *decision, cJSON *document);
cJSON *reveal_cases_document(const char *path, const struct fit *fit,
                             const struct decision *decision);

#endif
