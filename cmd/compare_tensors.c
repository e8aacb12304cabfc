/* What compare says of two files of tensors. */
#include "compare_tensors.h"
#include "signals.h"

#include "base/foreign.h"
#include "base/json.h"
#include "format/text.h"
#include "report/text.h"
#include "tensor/open.h"
#include "tensor/pairs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *name_of(const struct tensor *tensor) {
    return *tensor->name ? tensor->name : "the tensor";
}

static const char *decimal(const struct format *format, size_t bytes, uint64_t code,
                           char text[2 * NUMBER_TEXT]) {
    char number[NUMBER_TEXT], bits[NUMBER_TEXT];
    if (format)
        snprintf(text, 2 * NUMBER_TEXT, "%s  %s", format_decimal_text(format, code, number),
                 format_bits_text(format, code, bits));
    else
        snprintf(text, 2 * NUMBER_TEXT, "0x%0*" PRIx64, (int)(2 * bytes), code);
    return text;
}

static void print_element(const char *which, const struct tensor_pair *pair,
                          const struct tensor_pair_element *element) {
    const struct format *format = pair->difference.format;
    char index[TENSOR_INDEX_TEXT], a[2 * NUMBER_TEXT], b[2 * NUMBER_TEXT];
    const size_t bytes = pair->a->type->bytes;
    printf("  %s%s%s\n    A %s\n    B %s\n", which, pair->a->dimensions ? " " : "",
           tensor_index_text(pair->a, element->index, index), decimal(format, bytes, element->a, a),
           decimal(format, bytes, element->b, b));
}

/* "by 1 ulp 36, by 3 to 4 ulps 1, NaN in B alone 2": what becomes of those that differ. */
static void print_distances(const struct tensor_difference *difference) {
    char count[32], distance[TENSOR_DISTANCE_TEXT];
    const struct {
        const char *says;
        uint64_t count;
    } apart[] = {{"infinite in one alone, or of two signs", difference->infinite},
                 {"NaN in A alone", difference->nan_in[0]},
                 {"NaN in B alone", difference->nan_in[1]}};
    for (int row = 0; row < TENSOR_DISTANCES; row++)
        if (difference->distances[row])
            printf("  %15s  %s%s\n", text_grouped(difference->distances[row], count),
                   row ? tensor_distance_text(row, distance) : "zeros of two signs",
                   row == 1 ? " ulp"
                   : row    ? " ulps"
                            : "");
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (apart[i].count)
            printf("  %15s  %s\n", text_grouped(apart[i].count, count), apart[i].says);
}

static void print_pair(const struct tensor_pair *pair) {
    const struct tensor *a = pair->a, *b = pair->b;
    const struct tensor_difference *difference = &pair->difference;
    char shape[TENSOR_SHAPE_TEXT], other[TENSOR_SHAPE_TEXT], differ[32], of[32];
    if (!a || !b) {
        printf("%s  in %s alone\n", FOREIGN(name_of(a ? a : b)), a ? "A" : "B");
        return;
    }
    printf("%s  %s %s", FOREIGN(name_of(a)), tensor_type_name(a->type),
           tensor_shape_text(a, shape));
    if (!tensor_types_are_same(a->type, b->type) || pair->mismatch == TENSOR_OTHER_SHAPE)
        printf("; in B %s %s", tensor_type_name(b->type), tensor_shape_text(b, other));
    if (pair->mismatch != TENSOR_COMPARED) {
        printf(": not compared, %s differ\n",
               pair->mismatch == TENSOR_OTHER_SHAPE ? "the shapes" : "the types");
        return;
    }
    if (difference->rounded)
        printf("; %s is rounded to %s", difference->rounded->name, difference->format->name);
    printf("\n  %s of %s elements differ\n", text_grouped(difference->differ, differ),
           text_grouped(difference->elements, of));
    print_distances(difference);
    if (difference->nans)
        printf("  %15s  NaN in both, of other bits: no difference\n",
               text_grouped(difference->nans, differ));
    if (difference->differ)
        print_element("first", pair, &difference->first);
    if (difference->largest > 1 && difference->worst.index != difference->first.index)
        print_element("worst", pair, &difference->worst);
}

static void print_pairs(const struct tensor_file *a, const struct tensor_file *b,
                        const struct tensor_pairs *pairs) {
    uint64_t elements = 0, differ = 0;
    char count[32], of[32];
    for (size_t i = 0; i < pairs->count; i++) {
        elements += pairs->items[i].difference.elements;
        differ += pairs->items[i].difference.differ;
    }
    printf("A  %s, %s, %zu tensor%s\n", FOREIGN(a->path), a->kind, a->count,
           a->count == 1 ? "" : "s");
    printf("B  %s, %s, %zu tensor%s\n", FOREIGN(b->path), b->kind, b->count,
           b->count == 1 ? "" : "s");
    if (!pairs->compared)
        printf("no tensors were compared\n");
    else if (pairs->equal == pairs->count)
        printf("equal: all of %zu tensor%s, %s elements\n", pairs->count,
               pairs->count == 1 ? "" : "s", text_grouped(elements, count));
    else
        printf("they differ: %zu of %zu tensor%s; %s of %s elements that were compared\n",
               pairs->count - pairs->equal, pairs->count, pairs->count == 1 ? "" : "s",
               text_grouped(differ, count), text_grouped(elements, of));
    for (size_t i = 0; i < pairs->count; i++)
        if (!pairs->items[i].equal || pairs->items[i].difference.nans)
            print_pair(&pairs->items[i]);
}

static void add_tensor(cJSON *row, const char *name, const struct tensor *tensor) {
    cJSON *object = tensor ? cJSON_AddObjectToObject(row, name) : NULL;
    if (!tensor) {
        cJSON_AddNullToObject(row, name);
        return;
    }
    cJSON_AddStringToObject(object, "name", tensor->name);
    cJSON_AddStringToObject(object, "type", tensor_type_name(tensor->type));
    cJSON *shape = cJSON_AddArrayToObject(object, "shape");
    for (int i = 0; i < tensor->dimensions; i++)
        cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)tensor->extents[i]));
}

static void add_element(cJSON *row, const char *name, const struct tensor_pair *pair,
                        const struct tensor_pair_element *element) {
    char text[TENSOR_INDEX_TEXT], bits[NUMBER_TEXT];
    cJSON *object = cJSON_AddObjectToObject(row, name);
    cJSON_AddStringToObject(object, "at", tensor_index_text(pair->a, element->index, text));
    for (int side = 0; side < 2; side++) {
        const uint64_t code = side ? element->b : element->a;
        if (pair->difference.format)
            format_bits_text(pair->difference.format, code, bits);
        else
            snprintf(bits, sizeof bits, "0x%0*" PRIx64, 2 * pair->a->type->bytes, code);
        cJSON_AddStringToObject(object, side ? "b" : "a", bits);
    }
}

static void add_difference(cJSON *row, const struct tensor_pair *pair) {
    const struct tensor_difference *difference = &pair->difference;
    const struct format *format = difference->format;
    char text[TENSOR_DISTANCE_TEXT];
    if (format)
        cJSON_AddStringToObject(row, "format", format->name);
    cJSON_AddNumberToObject(row, "elements", (double)difference->elements);
    cJSON_AddNumberToObject(row, "differ", (double)difference->differ);
    cJSON_AddNumberToObject(row, "nans_of_other_bits", (double)difference->nans);
    if (format) {
        cJSON_AddNumberToObject(row, "nan_in_a_alone", (double)difference->nan_in[0]);
        cJSON_AddNumberToObject(row, "nan_in_b_alone", (double)difference->nan_in[1]);
        cJSON_AddNumberToObject(row, "infinite", (double)difference->infinite);
        cJSON *distances = cJSON_AddArrayToObject(row, "ulps");
        for (int i = 0; i < TENSOR_DISTANCES; i++)
            if (difference->distances[i]) {
                cJSON *one = json_append(distances);
                cJSON_AddStringToObject(one, "ulps", tensor_distance_text(i, text));
                cJSON_AddNumberToObject(one, "count", (double)difference->distances[i]);
            }
        snprintf(text, sizeof text, "%" PRIu64, difference->largest);
        cJSON_AddStringToObject(row, "largest_ulps", text);
    }
    if (difference->differ)
        add_element(row, "first", pair, &difference->first);
    if (difference->largest)
        add_element(row, "worst", pair, &difference->worst);
}

static void add_rows(const struct tensor_pairs *pairs, cJSON *rows) {
    static const char *const mismatches[] = {NULL, "the shapes differ", "the types differ"};
    for (size_t i = 0; i < pairs->count; i++) {
        const struct tensor_pair *pair = &pairs->items[i];
        cJSON *row = json_append(rows);
        cJSON_AddBoolToObject(row, "equal", pair->equal);
        add_tensor(row, "tensor_a", pair->a);
        add_tensor(row, "tensor_b", pair->b);
        if (pair->a && pair->b && pair->mismatch != TENSOR_COMPARED)
            cJSON_AddStringToObject(row, "not_compared", mismatches[pair->mismatch]);
        else if (pair->a && pair->b)
            add_difference(row, pair);
    }
}

/* What the options say of raw elements. */
static bool read_raw(const struct arguments *arguments, struct parameter_value *shape,
                     struct tensor_raw *raw, struct error *error) {
    const char *format = argument_value(arguments, "format", NULL);
    const char *text = argument_value(arguments, "shape", NULL);
    if (text && !parameter_parse(&parameter_rows[PARAMETER_SHAPE_OF], text, shape, error))
        return false;
    *raw = (struct tensor_raw){.has_shape = text != NULL,
                               .dimensions = shape->shape.dimensions,
                               .extents = shape->shape.extents};
    if (format)
        raw->format = format_find(format, error);
    return !format || raw->format;
}

bool tensors_compare(const struct arguments *arguments, bool quiet, cJSON *rows,
                     struct tensors_compared *compared, struct error *error) {
    const char *const *paths = arguments->positional;
    struct tensor_file files[2];
    struct tensor_pairs pairs;
    struct tensor_raw raw;
    struct parameter_value shape = {.present = false};
    if (!read_raw(arguments, &shape, &raw, error) ||
        !tensor_file_open(&files[0], paths[0], &raw, error))
        return false;
    bool good = tensor_file_open(&files[1], paths[1], &raw, error);
    const bool is_raw =
        good && (strcmp(files[0].kind, "raw") == 0 || strcmp(files[1].kind, "raw") == 0);
    if (good && ((raw.has_shape && !is_raw) ||
                 (raw.format && !files[0].took_format && !files[1].took_format))) {
        tensor_file_close(&files[1]);
        good = error_set(error, "--%s has no effect: both files name their own formats and shapes",
                         raw.has_shape && !is_raw ? "shape" : "format");
    }
    if (good) {
        signals_leave_to_command(true);
        good = tensor_compare_files(&files[0], &files[1], &interrupted, &pairs, error);
        const bool before = signals_begin_printing();
        if (good && !quiet)
            print_pairs(&files[0], &files[1], &pairs);
        signals_end_printing(before);
        if (good && rows)
            add_rows(&pairs, rows);
        *compared =
            (struct tensors_compared){good ? pairs.compared : 0, good && pairs.equal < pairs.count};
        if (good && !pairs.compared)
            good = error_set(error, "nothing could be compared: no tensor of A has the name, the "
                                    "shape and the format of a tensor of B");
        tensor_pairs_free(&pairs);
        tensor_file_close(&files[1]);
    }
    tensor_file_close(&files[0]);
    return good;
}
