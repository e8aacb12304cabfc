/* Buckets of a report, gathered in columns. */
#include "page/columns.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

double column_end(int column) {
    return column == 0             ? 0
           : column == COLUMNS - 1 ? INFINITY
                                   : ldexp(1, column - 1 + COLUMN_LEAST_LOG2);
}

void columns_of(const cJSON *buckets, double counts[COLUMNS]) {
    const cJSON *bucket;
    memset(counts, 0, COLUMNS * sizeof *counts);
    cJSON_ArrayForEach(bucket, buckets) {
        const cJSON *end = json_get(bucket, "up_to_ulp");
        int column = 0;
        while (column < COLUMNS - 1 &&
               !(cJSON_IsNumber(end) && end->valuedouble <= column_end(column)))
            column++;
        counts[column] += json_number(bucket, "count");
    }
}

int columns_used(const double counts[COLUMNS]) {
    int used = COLUMNS;
    while (used > 0 && !(counts[used - 1] > 0))
        used--;
    return used;
}
