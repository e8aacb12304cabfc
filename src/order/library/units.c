/* Matrix units as functions of C: codes are loaded, multiplied by order/units.h and stored. */
#include "order/library/units.h"

#include "order/record.h"
#include "order/units.h"

#include <stdlib.h>
#include <string.h>

/* A row of `units` is one of these: nothing else makes any. */
static const struct unit *row_of(const struct detmath_unit *unit) {
    return (const struct unit *)(const void *)unit;
}

static const struct detmath_unit *handle_of(const struct unit *unit) {
    return (const struct detmath_unit *)(const void *)unit;
}

static int fail(struct detmath_error *error, const char *text) {
    if (error)
        snprintf(error->text, sizeof error->text, "%s", text);
    return -1;
}

const struct detmath_unit *detmath_unit_at(size_t index) {
    return index < unit_count ? handle_of(&units[index]) : NULL;
}

/* The format of a name, or the integers and elements of blocks that units have. */
static const struct format *find_format(const char *name, struct error *error) {
    for (size_t i = 0; i < unit_count; i++) {
        const struct format *const known[] = {units[i].format, units[i].node->result};
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcmp(known[k]->name, name) == 0)
                return known[k];
    }
    return format_find(name, error);
}

const struct detmath_unit *detmath_unit_find(const char *name, const char *format,
                                             const char *accumulator, const char *scales,
                                             unsigned block, struct detmath_error *error) {
    struct error why;
    if (!name || !format || !accumulator) {
        fail(error, "give the names of the unit, of the format of its factors, and of the format "
                    "of its accumulator");
        return NULL;
    }
    const struct format *from = find_format(format, &why);
    const struct format *to = from ? find_format(accumulator, &why) : NULL;
    const struct format *by = to && scales ? find_format(scales, &why) : NULL;
    const struct unit *found =
        to && (by || !scales) ? unit_find_scaled(name, from, by, block, to, &why) : NULL;
    if (!found)
        fail(error, why.text);
    return found ? handle_of(found) : NULL;
}

const char *detmath_unit_name(const struct detmath_unit *unit) {
    return row_of(unit)->name;
}

const char *detmath_unit_format(const struct detmath_unit *unit) {
    return row_of(unit)->format->name;
}

const char *detmath_unit_accumulator(const struct detmath_unit *unit) {
    return row_of(unit)->node->result->name;
}

const char *detmath_unit_source(const struct detmath_unit *unit) {
    return row_of(unit)->source;
}

const char *detmath_unit_scales(const struct detmath_unit *unit) {
    return row_of(unit)->scales ? row_of(unit)->scales->format->name : NULL;
}

unsigned detmath_unit_block(const struct detmath_unit *unit) {
    return row_of(unit)->scales ? row_of(unit)->scales->block : 0;
}

unsigned detmath_unit_call(const struct detmath_unit *unit) {
    return row_of(unit)->call;
}

static void add_node(cJSON *document, const char *name, const struct order_node *node) {
    if (node)
        record_write(cJSON_AddObjectToObject(document, name), &order_node_record, node, NULL,
                     &order_wire);
}

static cJSON *document_of(const struct unit *unit) {
    cJSON *document = cJSON_CreateObject();
    struct order_node node = *unit->node;
    node.terms = unit->scales ? unit->call / unit->scales->group : unit->call;
    cJSON_AddStringToObject(document, "name", unit->name);
    cJSON_AddStringToObject(document, "format", unit->format->name);
    cJSON_AddStringToObject(document, "accumulator", node.result->name);
    cJSON_AddNumberToObject(document, "call", unit->call);
    cJSON_AddStringToObject(document, "shape", unit_shape_names[unit->shape]);
    cJSON_AddStringToObject(document, "source", unit->source);
    add_node(document, "node", &node);
    add_node(document, "last", unit->last);
    if (unit->scales) {
        cJSON *scales = cJSON_AddObjectToObject(document, "scales");
        cJSON_AddStringToObject(scales, "format", unit->scales->format->name);
        cJSON_AddNumberToObject(scales, "block", unit->scales->block);
        cJSON_AddNumberToObject(scales, "group", unit->scales->group);
    }
    return document;
}

size_t detmath_unit_parameters(const struct detmath_unit *unit, char *text, size_t room) {
    cJSON *document = document_of(row_of(unit));
    char *printed = cJSON_PrintUnformatted(document);
    cJSON_Delete(document);
    if (!printed)
        return 0;
    const size_t length = strlen(printed);
    snprintf(text, room, "%s", printed);
    cJSON_free(printed);
    return length;
}

/* ---- Products ---- */

/* Lines of codes: of a, of b, of their scales, and the results. */
struct codes {
    uint64_t *a, *b, *a_scales, *b_scales, *d;
};

static void load(const struct format *format, const void *from, size_t lines, size_t line_pitch,
                 size_t count, size_t step, uint64_t *to) {
    const size_t bytes = format_bytes(format);
    const uint64_t mask = format_mask(format);
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < count; k++)
            *to++ = code_load(from, bytes, i * line_pitch + k * step) & mask;
}

static size_t scales_of_line(const struct detmath_unit_product *product) {
    const struct unit_scales *scales = row_of(product->unit)->scales;
    return scales ? (product->inner + scales->block - 1) / scales->block : 0;
}

static void load_all(const struct detmath_unit_product *product, const struct codes *codes) {
    const struct unit *unit = row_of(product->unit);
    const size_t scales = scales_of_line(product);
    load(unit->format, product->a, product->rows, product->a_row, product->inner, product->a_step,
         codes->a);
    load(unit->format, product->b, product->columns, product->b_column, product->inner,
         product->b_step, codes->b);
    if (scales) {
        const struct format *format = unit->scales->format;
        load(format, product->a_scales, product->rows, scales, scales, 1, codes->a_scales);
        load(format, product->b_scales, product->columns, scales, scales, 1, codes->b_scales);
    }
    if (product->c)
        load(unit->node->result, product->c, product->rows, product->c_row, product->columns, 1,
             codes->d);
}

static void store(const struct detmath_unit_product *product, const uint64_t *codes) {
    const size_t bytes = format_bytes(row_of(product->unit)->node->result);
    for (size_t i = 0; i < product->rows; i++)
        for (size_t j = 0; j < product->columns; j++)
            code_store(product->d, bytes, i * product->d_row + j, *codes++);
}

static const char *trouble(const struct detmath_unit_product *product) {
    const bool scaled = row_of(product->unit)->scales != NULL;
    const size_t most = SIZE_MAX / (8 * sizeof(uint64_t));
    if (scaled && product->inner && (!product->a_scales || !product->b_scales))
        return "the unit's factors have scales, and there are none";
    if (!scaled && (product->a_scales || product->b_scales))
        return "the unit's factors have no scales";
    if ((unsigned)product->cut > DETMATH_UNIT_PROMOTE)
        return "there is no such cut";
    if (product->cut != DETMATH_UNIT_WHOLE && !product->cut_number)
        return "a product is cut in 1 part or more, after 1 product or more";
    if ((product->inner &&
         (product->rows > most / product->inner || product->columns > most / product->inner)) ||
        (product->columns && product->rows > most / product->columns))
        return "the product is too large";
    return NULL;
}

int detmath_unit_matmul(const struct detmath_unit_product *product, struct detmath_error *error) {
    const char *wrong = trouble(product);
    struct unit unit = *row_of(product->unit);
    struct error why;
    if (wrong)
        return fail(error, wrong);
    if ((product->tile && !unit_shorten(&unit, product->tile, &unit, &why)) ||
        (product->saturate && !unit_saturate(&unit, &unit, &why)))
        return fail(error, why.text);
    const size_t rows = product->rows, columns = product->columns, inner = product->inner,
                 scales = scales_of_line(product);
    uint64_t *room = calloc((rows + columns) * (inner + scales) + rows * columns + 1, sizeof *room);
    if (!room)
        return fail(error, "out of memory");
    struct codes codes = {.a = room, .b = room + rows * inner};
    codes.a_scales = codes.b + columns * inner;
    codes.b_scales = codes.a_scales + rows * scales;
    codes.d = codes.b_scales + columns * scales;
    load_all(product, &codes);
    struct unit_product whole = {.unit = &unit,
                                 .rows = rows,
                                 .inner = inner,
                                 .columns = columns,
                                 .a = codes.a,
                                 .b = codes.b,
                                 .a_scales = scales ? codes.a_scales : NULL,
                                 .b_scales = scales ? codes.b_scales : NULL,
                                 .d = codes.d,
                                 .has_c = product->c != NULL};
    bool good = unit_multiply_cut(&whole, (enum unit_cut)product->cut, product->cut_number);
    if (good)
        store(product, codes.d);
    free(room);
    return good ? 0 : fail(error, "out of memory");
}

int detmath_unit_dot(const struct detmath_unit *unit, const void *a, const void *b, size_t inner,
                     const void *c, void *d, struct detmath_error *error) {
    const struct detmath_unit_product product = {.unit = unit,
                                                 .rows = 1,
                                                 .inner = inner,
                                                 .columns = 1,
                                                 .a = a,
                                                 .b = b,
                                                 .a_step = 1,
                                                 .b_step = 1,
                                                 .c = c,
                                                 .d = d};
    return detmath_unit_matmul(&product, error);
}
