/* What of an order's document is no list of members: rules in rules, and trees. */
#include "order/record.h"

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
        json_fail(reader, NULL, "is one object too many in a rule, which has 32 at most");
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

/* ---- Trees: {"terms": 3, "additions": [[0, 0, 1], [0, -1, 2]]} ---- */

/* Terms by their number, additions by -1 - number, and what comes in by its name. */
static cJSON *child_item(int32_t child) {
    if (child == ORDER_C || child == ORDER_ZERO)
        return cJSON_CreateString(child == ORDER_C ? "c" : "zero");
    return cJSON_CreateNumber((double)child);
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
        for (size_t k = 0; k < tree->count; k++) {
            cJSON *addition = cJSON_CreateArray();
            cJSON_AddItemToArray(addition, cJSON_CreateNumber(tree->additions[k].node));
            for (size_t j = 0; j < tree->additions[k].children; j++)
                cJSON_AddItemToArray(addition,
                                     child_item(tree->children[tree->additions[k].first + j]));
            cJSON_AddItemToArray(additions, addition);
        }
    }
    record_add(out, trees);
}

static bool read_child(const cJSON *item, int32_t *child) {
    double number = item->valuedouble;
    if (cJSON_IsString(item)) {
        *child = strcmp(item->valuestring, "c") == 0 ? ORDER_C : ORDER_ZERO;
        return *child == ORDER_C || strcmp(item->valuestring, "zero") == 0;
    }
    if (!cJSON_IsNumber(item) || number < -2e9 || number > 2e9)
        return false;
    *child = (int32_t)number;
    return !((double)*child < number) && !((double)*child > number);
}

/* One addition: its node, and what it adds. */
static void read_addition(struct json_reader *reader, const cJSON *item, struct order_tree *tree,
                          int number) {
    size_t count = 0, room = cJSON_IsArray(item) ? (size_t)cJSON_GetArraySize(item) : 0;
    int32_t few[8], *children = room <= 8 ? few : malloc(room * sizeof *children), node = -1;
    bool good = children && room >= 2;
    const cJSON *one;
    if (good)
        cJSON_ArrayForEach(one, item) {
            int32_t *to = one == item->child ? &node : &children[count++];
            good = good && read_child(one, to);
        }
    if (good && node >= 0 && node < ORDER_MOST_NODES)
        order_tree_add(tree, children, count, (unsigned)node);
    else {
        size_t mark = json_enter(reader, "additions", number);
        json_fail(reader, NULL,
                  "should be an array: a node, then terms from 0, earlier additions from -1 down, "
                  "\"zero\" or \"c\"");
        json_leave(reader, mark);
    }
    if (children != few)
        free(children);
}

static void read_tree(struct json_reader *reader, const cJSON *object, struct order_tree *tree) {
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
