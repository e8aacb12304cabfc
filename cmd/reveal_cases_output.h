/* What cases of a matrix unit leave, as text and as JSON. */
#ifndef DETCHECK_CMD_REVEAL_CASES_OUTPUT_H
#define DETCHECK_CMD_REVEAL_CASES_OUTPUT_H

#include "reveal/decide.h"

#include <cjson/cJSON.h>

/* To stdout, for people. */
void reveal_cases_print(const char *path, const struct fit *fit, const struct decision *decision);
cJSON *reveal_cases_document(const char *path, const struct fit *fit,
                             const struct decision *decision);

#endif
