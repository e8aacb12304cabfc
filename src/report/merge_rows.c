/* Members of cJSON. */
#include "report/merge_rows.h"

static cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

double merge_number(const cJSON *object, const char *name) {
    const cJSON *found = get(object, name);
    return cJSON_IsNumber(found) ? found->valuedouble : 0;
}

void merge_add(cJSON *object, const char *name, double more) {
    cJSON *found = get(object, name);
    if (cJSON_IsNumber(found))
        cJSON_SetNumberValue(found, found->valuedouble + more);
    else
        cJSON_AddNumberToObject(object, name, more);
}
