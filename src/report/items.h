/* Members of the document of a report that stand in many places. */
#ifndef DETCHECK_REPORT_ITEMS_H
#define DETCHECK_REPORT_ITEMS_H

#include "sweep/wire.h"

#include <cjson/cJSON.h>

/* What the rows of records write (record/record.h), for a member that has no row. */
static inline void report_add_error(cJSON *object, const char *name, double error) {
    char text[32];
    cJSON_AddRawToObject(object, name, record_number_text(error, text));
}

#endif
