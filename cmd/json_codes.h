/* Codes of a format, and sets of flags, in the JSON documents of several commands. */
#ifndef DETCHECK_CMD_JSON_CODES_H
#define DETCHECK_CMD_JSON_CODES_H

#include "format/format.h"

#include <cjson/cJSON.h>

/* Adds a member that is an array of `count` codes, each as a string of bits (0x3f800000). */
void json_add_codes(cJSON *object, const char *name, const struct format *format,
                    const uint64_t *codes, int count);

/* Adds a member that is an array of the names whose bits are in the set. */
void json_add_names(cJSON *object, const char *name, const char *const *names, int count,
                    unsigned set);

#endif
