/* Members and lists of cJSON. */
#include "report/merge_rows.h"

#include "base/json_tree.h"

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

void merge_counts(cJSON *into, const cJSON *shard) {
    const cJSON *one;
    cJSON_ArrayForEach(one, shard) if (cJSON_IsNumber(one))
        merge_add(into, one->string, one->valuedouble);
}

/* A list is built anew, since cJSON_InsertItemInArray of cJSON 1.7.15 loses items. */
void merge_sorted(cJSON *list, const cJSON *shard, row_compare *compare, const void *context,
                  row_join *join, int most) {
    cJSON merged = {.type = cJSON_Array};
    const cJSON *row = shard ? shard->child : NULL;
    for (int count = 0; count < most && (list->child || row); count++) {
        int order = !row ? -1 : !list->child ? 1 : compare(context, list->child, row);
        if (order == 0 && join)
            join(list->child, row);
        bool from_list = order <= 0;
        cJSON *next = from_list ? cJSON_DetachItemFromArray(list, 0) : json_copy(row);
        if (!from_list || (order == 0 && join))
            row = row->next;
        cJSON_AddItemToArray(&merged, next);
    }
    while (list->child)
        cJSON_DeleteItemFromArray(list, 0);
    list->child = merged.child;
}

void merge_same(cJSON *mine, const cJSON *other) {
    (void)mine;
    (void)other;
}
