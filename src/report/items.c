/* Codes and inputs of documents. */
#include "report/items.h"

#include <stdlib.h>

uint64_t report_code_of(const cJSON *item) {
    return cJSON_IsString(item) ? strtoull(item->valuestring, NULL, 16) : 0;
}
