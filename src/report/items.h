/* Members of the document of a report that stand in many places. */
#ifndef DETCHECK_REPORT_ITEMS_H
#define DETCHECK_REPORT_ITEMS_H

#include "sweep/wire.h"

#include <cjson/cJSON.h>

/* What the rows of records write (record/record.h), for the members that have no rows. */
static inline void report_add_bits(cJSON *object, const char *name, const struct format *format,
                                   uint64_t code) {
    wire_add_bits(object, name, format, code);
}
static inline void report_add_input(cJSON *object, const struct sweep_request *request,
                                    const uint64_t *input) {
    wire_add_input(object, request, input);
}
static inline void report_add_error(cJSON *object, const char *name, double error) {
    char text[32];
    cJSON_AddRawToObject(object, name, record_number_text(error, text));
}

/* The code that a string of hexadecimal digits is; 0 for anything else. */
uint64_t report_code_of(const cJSON *item);

#endif
