/* An implementation's part of a report that is read. */
#ifndef DETCHECK_REPORT_READ_IMPLEMENTATION_H
#define DETCHECK_REPORT_READ_IMPLEMENTATION_H

#include "base/json.h"
#include "report/read.h"

/* Reads `json` to `one`, whose members are all 0; what is wrong with it fails the reader. */
void read_implementation(struct json_reader *reader, const cJSON *json,
                         struct read_implementation *one);

void read_implementation_free(struct read_implementation *one);

/* The member "fingerprint", which is to be there, and to have the form of one. */
const char *read_fingerprint(struct json_reader *reader, const cJSON *json);

#endif
