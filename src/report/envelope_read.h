/* Checking "envelope" of an implementation's entry. */
#ifndef DETCHECK_REPORT_ENVELOPE_READ_H
#define DETCHECK_REPORT_ENVELOPE_READ_H

#include "base/json.h"

/* `json` is the entry. Without the member all is well. */
void envelope_read(struct json_reader *reader, const cJSON *json);

#endif
