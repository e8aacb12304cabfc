/* Reading parts in ascending order, and walking those of two measures together. */
#include "report/measure_parts.h"

#include "report/items.h"
#include "sweep/envelope.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exponents are at most that in magnitude, which the reader of reports sees to; ends of buckets are multiples
 * of 2^-10 ulp. */
enum { MOST_EXPONENT = 20000, ENDS_OF_ULP = 1024 };

static bool make_room(struct measure *measure, int most) {
    measure->parts = malloc(((size_t)most + 1) * sizeof *measure->parts);
    measure->part_count = 0;
    return measure->parts;
}

static void add(struct measure *measure, uint64_t at, double value) {
    measure->parts[measure->part_count++] = (struct measure_part){at, value};
    if (measure->kind == LIMIT_OF_COUNT && measure->place != MEASURE_ABOVE)
        measure->value += value;
    else if (value > measure->value)
        measure->value = value;
}

static int by_place(const void *a, const void *b) {
    const struct measure_part *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Reports of ours have them in order. */
static void sort(struct measure *measure) {
    size_t at = 1;
    while (at < measure->part_count && measure->parts[at - 1].at < measure->parts[at].at)
        at++;
    if (at < measure->part_count)
        qsort(measure->parts, measure->part_count, sizeof *measure->parts, by_place);
}

bool measure_read_binades(struct measure *measure, const cJSON *rows, const char *member) {
    const cJSON *row;
    measure->place = MEASURE_BINADES;
    if (!make_room(measure, cJSON_GetArraySize(rows)))
        return false;
    cJSON_ArrayForEach(row, rows) {
        const cJSON *exponent = json_get(row, "exponent"), *value = json_get(row, member);
        if (cJSON_IsNumber(value) && cJSON_IsNumber(exponent) &&
            fabs(exponent->valuedouble) <= MOST_EXPONENT)
            add(measure, (uint64_t)(exponent->valuedouble + MOST_EXPONENT), value->valuedouble);
    }
    sort(measure);
    return true;
}

bool measure_read_histogram(struct measure *measure, const cJSON *buckets, double beyond) {
    const cJSON *bucket;
    double above = beyond;
    measure->place = MEASURE_ABOVE;
    if (!make_room(measure, cJSON_GetArraySize(buckets)))
        return false;
    cJSON_ArrayForEach(bucket, buckets) {
        above += cJSON_GetNumberValue(json_get(bucket, "count"));
    }
    cJSON_ArrayForEach(bucket, buckets) {
        const cJSON *end = json_get(bucket, "up_to_ulp");
        above -= cJSON_GetNumberValue(json_get(bucket, "count"));
        if (cJSON_IsNumber(end) && end->valuedouble < (double)(UINT64_MAX / ENDS_OF_ULP / 2))
            add(measure, (uint64_t)(end->valuedouble * ENDS_OF_ULP), above);
    }
    sort(measure);
    return true;
}

bool measure_read_steps(struct measure *measure, const cJSON *envelope, const char *member) {
    const cJSON *run, *value, *values = json_get(envelope, member);
    const int log2 = (int)cJSON_GetNumberValue(json_get(envelope, "log2_codes"));
    const double unit = measure->kind != LIMIT_OF_ERROR ? 1
                        : strcmp(member, "least") == 0  ? -ENVELOPE_UNIT
                                                        : ENVELOPE_UNIT;
    measure->place = MEASURE_STEPS;
    if (!make_room(measure, cJSON_GetArraySize(values)))
        return false;
    value = values ? values->child : NULL;
    cJSON_ArrayForEach(run, json_get(envelope, "runs")) {
        uint64_t code = 0;
        int digits;
        record_code_of(cJSON_GetArrayItem(run, 0), &code, &digits);
        double steps = cJSON_GetNumberValue(cJSON_GetArrayItem(run, 1));
        for (; steps > 0 && value; steps--, value = value->next, code += UINT64_C(1) << log2)
            if (cJSON_IsNumber(value))
                add(measure, code, fmax(0, unit * value->valuedouble));
    }
    sort(measure);
    return true;
}

enum measure_change measure_compare(const struct measure *measure, double was, double is) {
    const double more = measure->more_is_better ? was - is : is - was,
                 slack = measure->slack + measure->slack_share * fabs(was);
    return more > slack ? MEASURE_WORSE : more < -slack ? MEASURE_BETTER : MEASURE_SAME;
}

static void say_where(const struct measure *measure, uint64_t at, char where[MEASURE_WHERE]) {
    char number[32];
    if (measure->place == MEASURE_BINADES)
        snprintf(where, MEASURE_WHERE, "at 2^%d", (int)at - MOST_EXPONENT);
    else if (measure->place == MEASURE_ABOVE)
        snprintf(where, MEASURE_WHERE, "above %s ulp",
                 record_number_text((double)at / ENDS_OF_ULP, number));
    else
        snprintf(where, MEASURE_WHERE, "from 0x%" PRIx64, at);
}

/* The part is told of where it is the worst so far, or, while none is worse, the best. */
static void take(const struct measure *was, const struct measure_part *before, const double *is,
                 double *most, struct measure_difference *difference) {
    const enum measure_change change =
        is ? measure_compare(was, before->value, *is) : MEASURE_WORSE;
    const double by = is ? fabs(*is - before->value) : INFINITY;
    if (change == MEASURE_SAME)
        return;
    difference->differ++;
    difference->worse += change == MEASURE_WORSE;
    const bool worse = change == MEASURE_WORSE, was_worse = difference->change == MEASURE_WORSE;
    const bool is_first = difference->change == MEASURE_SAME || (worse && !was_worse);
    if (!is_first && (worse != was_worse || !(by > *most)))
        return;
    *most = by;
    difference->change = change;
    difference->reported = is != NULL;
    difference->was = before->value;
    difference->is = is ? *is : 0;
    say_where(was, before->at, difference->where);
}

void measure_compare_parts(const struct measure *was, const struct measure *is,
                           struct measure_difference *difference) {
    double most = 0;
    size_t j = 0;
    for (size_t i = 0; i < was->part_count; i++) {
        const uint64_t at = was->parts[i].at;
        while (j < is->part_count && is->parts[j].at < at)
            j++;
        const bool there = j < is->part_count && is->parts[j].at == at;
        take(was, &was->parts[i], there ? &is->parts[j].value : NULL, &most, difference);
    }
}
