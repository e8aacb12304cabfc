/* Pieces of promises: ranges, classes, limits. */
#include "gate/promise_read.h"

#include "sweep/promise/inherit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const piece_members[] = {"x",       "y",         "z",        "inputs",
                                            "ulp",     "absolute",  "relative", "inherited",
                                            "require", "same_bits", NULL};
static const char *const operand_names[MAX_OPERANDS] = {"x", "y", "z"};

/* A number, or a text that the parser of expressions knows. */
static struct expression read_expression(struct json_reader *reader, const cJSON *item,
                                         const char *name) {
    struct expression expression = expression_of_number(0);
    struct error why;
    if (cJSON_IsNumber(item) && isfinite(item->valuedouble))
        return expression_of_number(item->valuedouble);
    if (!cJSON_IsString(item))
        json_fail(reader, name, "should be a number or an expression, such as \"3 + 2*|x|\"");
    else if (!expression_parse(&expression, item->valuestring, &why))
        json_fail(reader, name, why.text);
    return expression;
}

static double read_end(struct json_reader *reader, const cJSON *item, const char *name) {
    struct expression end = read_expression(reader, item, name);
    const struct span_of_values none[MAX_OPERANDS] = {{0, 0}};
    if (!reader->failed && !expression_is_constant(&end))
        json_fail(reader, name, "should have ends that do not depend on the input");
    struct span_of_values bound = expression_bound(&end, none);
    if (!reader->failed && bound.low != bound.high) /* the whole line stands for NaN */
        json_fail(reader, name, "should have ends that are numbers, and not NaN");
    return reader->failed ? 0 : bound.low;
}

static void read_ranges(struct promise_piece *piece, struct json_reader *reader,
                        const cJSON *json) {
    for (int i = 0; i < MAX_OPERANDS; i++) {
        const char *name = operand_names[i];
        if (!json_get(json, name))
            continue;
        const cJSON *range = json_array(reader, json, name);
        if (cJSON_GetArraySize(range) != 2) {
            json_fail(reader, name, "should be the two ends of a range, such as [-1, \"2*pi\"]");
            return;
        }
        piece->has_range[i] = true;
        piece->range[i] =
            (struct span_of_values){read_end(reader, cJSON_GetArrayItem(range, 0), name),
                                    read_end(reader, cJSON_GetArrayItem(range, 1), name)};
        if (!reader->failed && !(piece->range[i].low <= piece->range[i].high))
            json_fail(reader, name, "should have its lower end first");
    }
}

/* An array of names as bits by their place in the table. */
static unsigned read_names(struct json_reader *reader, const cJSON *json, const char *name,
                           const char *const *names, int count, const char *says) {
    const cJSON *one, *array = json_array(reader, json, name);
    unsigned bits = 0;
    cJSON_ArrayForEach(one, array) {
        int at = 0;
        while (at < count && !(cJSON_IsString(one) && strcmp(one->valuestring, names[at]) == 0))
            at++;
        if (at == count)
            json_fail(reader, name, says);
        else
            bits |= 1u << at;
    }
    return bits;
}

static unsigned read_classes(struct json_reader *reader, const cJSON *json) {
    static const char says[] =
        "should name classes: \"zero\", \"subnormal\", \"normal\", \"infinity\", \"nan\"";
    unsigned classes =
        read_names(reader, json, "inputs", promise_class_names, NUMBER_CLASSES, says);
    if (!reader->failed && !classes) /* a piece of none would hold no input */
        json_fail(reader, "inputs", says);
    return classes;
}

static void read_limit(struct json_reader *reader, const cJSON *json, const char *name, bool *has,
                       struct expression *limit) {
    const cJSON *item = json_get(json, name);
    *has = item != NULL;
    if (!item)
        return;
    *limit = read_expression(reader, item, name);
    const struct span_of_values none[MAX_OPERANDS] = {{0, 0}};
    if (!reader->failed && expression_is_constant(limit) &&
        !(expression_bound(limit, none).low >= 0))
        json_fail(reader, name, "should be a number of 0 or above");
}

/* The text of a formula. What is read is the rule's to free. */
static const struct expression *read_formula(struct json_reader *reader, const cJSON *json) {
    const char *text = json_string(reader, json, "inherited");
    struct expression *formula = reader->failed ? NULL : malloc(sizeof *formula);
    struct error why;
    if (reader->failed)
        return NULL;
    if (!formula)
        json_fail(reader, "inherited", "is too large for the memory");
    else if (!expression_parse_formula(formula, text, &why) || !inherited_is_sound(formula, &why))
        json_fail(reader, "inherited", why.text);
    return formula;
}

static enum promise_kind read_kind(struct json_reader *reader, const cJSON *json) {
    const char *text = json_string(reader, json, "require");
    for (int kind = PROMISE_CORRECTLY_ROUNDED; kind <= PROMISE_ANYTHING && !reader->failed; kind++)
        if (strcmp(text, promise_kind_names[kind]) == 0)
            return (enum promise_kind)kind;
    json_fail(reader, "require", "should be \"correctly_rounded\", \"faithful\" or \"anything\"");
    return PROMISE_ANYTHING;
}

static void read_piece(struct promise_piece *piece, struct json_reader *reader, const cJSON *json) {
    *piece = (struct promise_piece){.classes = ALL_CLASSES};
    json_only(reader, json, piece_members);
    if (reader->failed)
        return;
    read_ranges(piece, reader, json);
    if (json_get(json, "inputs"))
        piece->classes = read_classes(reader, json);
    read_limit(reader, json, "ulp", &piece->has_ulp, &piece->ulp);
    read_limit(reader, json, "absolute", &piece->has_absolute, &piece->absolute);
    read_limit(reader, json, "relative", &piece->has_relative, &piece->relative);
    if (json_get(json, "inherited"))
        piece->inherited = read_formula(reader, json);
    bool requires = json_get(json, "require");
    bool refers = json_get(json, "same_bits");
    bool errs = piece->has_ulp || piece->has_absolute || piece->has_relative || piece->inherited;
    if (!reader->failed && requires + refers + errs != 1)
        json_fail(
            reader, NULL,
            "should have \"ulp\", \"absolute\", \"relative\", \"inherited\" or several, or else "
            "\"require\", or \"same_bits\"");
    else if (requires)
        piece->kind = read_kind(reader, json);
    else if (refers) {
        piece->kind = PROMISE_SAME_BITS;
        piece->reference = json_string(reader, json, "same_bits");
    }
}

/* An object is a promise of one piece. */
static void read_pieces(struct rule *rule, struct json_reader *reader, const cJSON *json) {
    bool is_array = cJSON_IsArray(json);
    int count = is_array ? cJSON_GetArraySize(json) : 1;
    struct promise *promise = calloc(1, sizeof *promise);
    struct promise_piece *pieces = calloc((size_t)count + 1, sizeof *pieces);
    char *text = cJSON_PrintUnformatted(json);
    rule->promise = promise;
    if (!promise || !pieces || !text) {
        free(pieces);
        cJSON_free(text);
        json_fail(reader, "promise", "is too large for the memory");
        return;
    }
    *promise = (struct promise){.pieces = pieces, .piece_count = (size_t)count, .text = text};
    if (!count)
        json_fail(reader, "promise", "is empty");
    for (int i = 0; i < count; i++) {
        size_t mark = json_enter(reader, "promise", is_array ? i : -1);
        read_piece(&pieces[i], reader, is_array ? cJSON_GetArrayItem(json, i) : json);
        json_leave(reader, mark);
    }
}

void promise_read(struct rule *rule, struct json_reader *reader, const cJSON *json) {
    const cJSON *promise = json_get(json, "promise");
    rule->section = "";
    if (json_get(json, "section"))
        rule->section = json_string(reader, json, "section");
    rule->accepts = json_get(json, "accept");
    if (rule->accepts)
        rule->accepted = read_names(
            reader, json, "accept", promise_acceptance_names, PROMISE_ACCEPTANCES,
            "should name any of \"flushed_inputs\", \"flushed_results\", \"undefined_nan\", "
            "\"undefined_infinity\", \"zero_sign\" and \"flushed_ulps\"");
    if (!promise)
        return;
    read_pieces(rule, reader, promise);
    if (!rule->has[LIMIT_MAX_VIOLATIONS])
        rule->limits[LIMIT_MAX_VIOLATIONS] = 0;
    rule->has[LIMIT_MAX_VIOLATIONS] = true;
}

void promise_read_free(struct promise *promise) {
    if (!promise)
        return;
    for (size_t i = 0; i < promise->piece_count; i++)
        free((struct expression *)promise->pieces[i].inherited);
    free(promise->pieces);
    cJSON_free((char *)promise->text);
    free(promise);
}
