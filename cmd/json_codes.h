/* Codes of a format in the JSON documents of several commands. */
#ifndef DETCHECK_CMD_JSON_CODES_H
#define DETCHECK_CMD_JSON_CODES_H

#include "format/format.h"

#include <cjson/cJSON.h>

/* Adds a member that is an array of `count` codes, each as a string of bits (0x3f800000). */
void json_add_codes(cJSON *object, const char *name, const struct format *format,
                    const uint64_t *codes, int count);

#endif
