/* What of an order's document is no list of members: rules in rules, and trees. */
#include "order/record.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const part_names[] = {"inner", "outer", "rest"};

static uint8_t *part_of(struct order_rule *row, int part) {
    return part == 0 ? &row->inner : part == 1 ? &row->outer : &row->rest;
}

static cJSON *rule_item(const struct order_rules *rules, unsigned number) {
    cJSON *object = cJSON_CreateObject();
    struct order_rule row = rules->rows[number];
    record_write(object, &order_rule_record, &row, NULL, &order_wire);
    for (int part = 0; part < 3; part++)
        if (*part_of(&row, part))
            cJSON_AddItemToObject(object, part_names[part], rule_item(rules, *part_of(&row, part)));
    return object;
}

static void write_rule(const struct record_out *out) {
    const struct order_rules *rules = record_from(out);
    if (rules->count)
        record_add(out, rule_item(rules, 0));
}

/* The reader has entered the object. */
static void read_rows(struct json_reader *reader, const cJSON *object, struct order_rules *rules) {
    static const char *const names[] = {"kind",  "node",  "spill", "size", "multiple", "tail",
                                        "start", "inner", "outer", "rest", NULL};
    struct order_rule row = {0};
    if (!cJSON_IsObject(object)) {
        json_fail(reader, NULL, "should be an object");
        return;
    }
    json_only(reader, object, names);
    record_read(reader, object, &order_rule_record, &row, NULL, &order_wire);
    if (rules->count == ORDER_MOST_RULES)
        json_fail(reader, NULL, "is one object too many; a rule has 32 at most");
    if (reader->failed)
        return;
    unsigned number = rules->count;
    rules->rows[rules->count++] = row;
    for (int part = 0; part < 3; part++) {
        const cJSON *below = json_get(object, part_names[part]);
        if (!below || reader->failed)
            continue;
        size_t mark = json_enter(reader, part_names[part], -1);
        *part_of(&rules->rows[number], part) = (uint8_t)rules->count;
        read_rows(reader, below, rules);
        json_leave(reader, mark);
    }
}

static void read_rule(const struct record_in *in) {
    struct order_rules *rules = record_into(in);
    rules->count = 0;
    if (!record_item(in))
        return;
    size_t mark = json_enter(in->reader, in->member->name, -1);
    read_rows(in->reader, record_item(in), rules);
    json_leave(in->reader, mark);
}

const struct record_kind order_rule_member = {write_rule, read_rule,
                                              .schema = "{\"$ref\":\"#/definitions/rule\"}"};

/* ---- Trees: {"terms": 3, "additions": ["0 + 1", "@0 + 2"]} ---- */

/* "1: @0 + 2", of node 1, the first addition and term 2. */
static cJSON *addition_item(const struct order_tree *tree, const struct order_addition *addition) {
    char *text = NULL;
    size_t size;
    FILE *stream = memory_stream(&text, &size);
    if (!stream)
        memory_exhausted();
    if (addition->node)
        fprintf(stream, "%u: ", addition->node);
    for (size_t k = 0; k < addition->children; k++) {
        int32_t child = tree->children[addition->first + k];
        fputs(k ? " + " : "", stream);
        if (child == ORDER_C || child == ORDER_ZERO)
            fputs(child == ORDER_C ? "c" : "zero", stream);
        else
            fprintf(stream, order_is_term(child) ? "%d" : "@%d",
                    (int)(order_is_term(child) ? child : ~child));
    }
    fclose(stream);
    cJSON *item = cJSON_CreateString(text);
    free(text);
    return item;
}

static void write_trees(const struct record_out *out) {
    const struct order *order = out->data;
    if (!order->tree_count)
        return;
    cJSON *trees = cJSON_CreateArray();
    for (size_t i = 0; i < order->tree_count; i++) {
        const struct order_tree *tree = &order->trees[i];
        cJSON *object = json_append(trees);
        cJSON_AddNumberToObject(object, "terms", (double)tree->terms);
        cJSON *additions = cJSON_AddArrayToObject(object, "additions");
        for (size_t k = 0; k < tree->count; k++)
            cJSON_AddItemToArray(additions, addition_item(tree, &tree->additions[k]));
    }
    record_add(out, trees);
}

/* A whole number of up to 9 digits; NULL where there is none. */
static const char *read_whole(const char *text, int32_t *whole) {
    size_t digits = strspn(text, "0123456789");
    if (!digits || digits > 9)
        return NULL;
    *whole = (int32_t)strtol(text, NULL, 10);
    return text + digits;
}

static const char *read_child(const char *text, int32_t *child) {
    if (strncmp(text, "zero", 4) == 0 || *text == 'c') {
        *child = *text == 'c' ? ORDER_C : ORDER_ZERO;
        return text + (*text == 'c' ? 1 : 4);
    }
    bool is_addition = *text == '@';
    text = read_whole(text + is_addition, child);
    *child = text && is_addition ? ~*child : *child;
    return text;
}

/* Reads what is added; false where the text is something else. */
static bool read_children(const char *text, int32_t *children, size_t *count, int32_t *node) {
    const char *colon = strchr(text, ':');
    *node = 0;
    *count = 0;
    if (colon && (read_whole(text, node) != colon || *node >= ORDER_MOST_NODES || colon[1] != ' '))
        return false;
    text = colon ? colon + 2 : text;
    for (;;) {
        text = read_child(text, &children[(*count)++]);
        if (!text || !*text)
            return text;
        if (strncmp(text, " + ", 3) != 0)
            return false;
        text += 3;
    }
}

static void read_addition(struct json_reader *reader, const cJSON *item, struct order_tree *tree,
                          int number) {
    const char *text = cJSON_IsString(item) ? item->valuestring : "";
    int32_t *children = malloc((strlen(text) / 2 + 2) * sizeof *children), node;
    size_t count;
    if (children && read_children(text, children, &count, &node)) {
        order_tree_add(tree, children, count, (unsigned)node);
    } else {
        size_t mark = json_enter(reader, "additions", number);
        json_fail(
            reader, NULL,
            "should be like \"0 + 1\" or \"1: @0 + 2\": of node 1 the first addition and term 2");
        json_leave(reader, mark);
    }
    free(children);
}

static void read_tree(struct json_reader *reader, const cJSON *object, struct order_tree *tree) {
    static const char *const names[] = {"terms", "additions", NULL};
    json_only(reader, object, names);
    uint64_t terms = json_count(reader, object, "terms");
    const cJSON *one, *additions = json_array(reader, object, "additions");
    int number = 0;
    if (!reader->failed && (!terms || terms > ORDER_MOST_TERMS))
        json_fail(reader, "terms", "should be a number from 1 to 2^24");
    order_tree_open(tree, (size_t)terms);
    cJSON_ArrayForEach(one, additions) {
        if (!reader->failed)
            read_addition(reader, one, tree, number++);
    }
    struct error error;
    if (!reader->failed &&
        (tree->out_of_memory || !order_tree_check(tree, ORDER_MOST_NODES, &error)))
        json_fail(reader, NULL, tree->out_of_memory ? "is too large for the memory" : error.text);
}

static void read_trees(const struct record_in *in) {
    struct order *order = in->data;
    const cJSON *one,
        *trees = record_item(in) ? json_array(in->reader, in->object, in->member->name) : NULL;
    int number = 0;
    cJSON_ArrayForEach(one, trees) {
        struct order_tree tree = {0};
        size_t mark = json_enter(in->reader, in->member->name, number++);
        if (!in->reader->failed)
            read_tree(in->reader, one, &tree);
        if (in->reader->failed)
            order_tree_close(&tree);
        else if (!order_add_tree(order, &tree))
            json_fail(in->reader, NULL, "is too large for the memory");
        json_leave(in->reader, mark);
        if (in->reader->failed)
            return;
    }
}

const struct record_kind order_trees_member = {
    write_trees, read_trees,
    .schema = "{\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/tree\"}}"};
