/* The document detcheck/order/1: writing and reading it. */
#include "order/record.h"

#include "base/json_schema.h"
#include "base/json_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#define SCHEMA "detcheck/order/1"

enum { ORDER_MOST_MEMBERS = 40 }; /* of a record */

#define ROWS(MEMBERS) MEMBERS, sizeof MEMBERS / sizeof *MEMBERS

static const struct record_names_of scales = {order_scale_names, ORDER_SCALES};
static const struct record_text_of line = {ORDER_TEXT}, word = {64};
static const struct order_whole_of any_length = {sizeof(size_t), 0, 1, ORDER_MOST_TERMS};
static const struct order_whole_of any_step = {sizeof(size_t), 0, 0, ORDER_MOST_TERMS};
static const struct record_member open_members[] = {
    {"says", &record_text, 0, &line,
     .says = "A question that no probe decided, and the possible answers."}};
static const struct record open_record = {"question", ROWS(open_members), ORDER_TEXT, RECORD_ALL};
static const struct record_list_of questions = {&open_record, offsetof(struct order, open_count),
                                                ORDER_MOST_OPEN, NULL};
static const struct record_list_of node_list = {
    &order_node_record, offsetof(struct order, node_count), ORDER_MOST_NODES, NULL};
#define ORDER(NAME, KIND, OF, SAYS)                                                                \
    { #NAME, &KIND, offsetof(struct order, NAME), OF, .says = SAYS }
static const struct record_member order_members[] = {
    ORDER(name, record_text, &line, "The implementation or machine that has this order."),
    ORDER(source, record_text, &line, "How it was found: versions, the machine, the command."),
    ORDER(operation, record_text, &word, "The operation."),
    ORDER(format, order_format, NULL, "The format of the terms, or of their factors."),
    ORDER(result, order_format, NULL, "The format of the results."),
    ORDER(least, order_whole, &any_length, "The shortest length that it is known for."),
    ORDER(most, order_whole, &any_length, "The longest."),
    {"step", &order_whole, offsetof(struct order, step), &any_step, .flags = RECORD_ABSENT,
     .says =
         "The rule is known for every so many lengths from the shortest on; for all where it is "
         "not there."},
    {"scale", &order_choice, offsetof(struct order, scale), &scales, .flags = RECORD_ABSENT,
     .says = "For a mean: what is divided by n, and how."},
    ORDER(nodes, record_list, &node_list,
          "The arithmetic of additions; rules and trees name nodes by their number from 0."),
    {"rule", &order_rule_member, offsetof(struct order, rules), .flags = RECORD_ABSENT,
     .says = "The rows that make the tree of each length, from its items, which are the terms "
             "at first."},
    {"trees", &order_trees_member, 0, .flags = RECORD_ABSENT,
     .says = "Trees of single lengths, which come before the rule."},
    ORDER(open, record_list, &questions, "Questions that no probe decided."),
    ORDER(replayed, record_given, NULL,
          "Arrays that were computed by the order and by what it was found in."),
    ORDER(different, record_given, NULL, "How many of them differed.")};
const struct record order_record = {"order", ROWS(order_members), sizeof(struct order), RECORD_ALL};

cJSON *order_document(const struct order *order) {
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", SCHEMA);
    record_write(document, &order_record, order, NULL, &order_wire);
    return document;
}

/* That an object has no members but those of the record and `besides`: with one that is not known here, or is written
 * otherwise, another order may be meant. */
static void check_members(struct json_reader *reader, const cJSON *object,
                          const struct record *record, const char *besides) {
    const char *names[ORDER_MOST_MEMBERS + 2] = {besides};
    for (size_t i = 0; i < record->count && i < ORDER_MOST_MEMBERS; i++)
        names[i + (besides != NULL)] = record->members[i].name;
    json_only(reader, object, names);
}

static void check_list(struct json_reader *reader, const cJSON *document, const char *name,
                       const struct record *record) {
    const cJSON *one, *list = json_get(document, name);
    int number = 0;
    cJSON_ArrayForEach(one, list) {
        size_t mark = json_enter(reader, name, number++);
        check_members(reader, one, record, NULL);
        json_leave(reader, mark);
    }
}

static bool read_document(const cJSON *document, const char *path, struct order *order,
                          struct error *error) {
    struct json_reader reader = {.file = path, .error = error};
    struct error why;
    *order = (struct order){.tree_count = 0};
    if (!cJSON_IsObject(document) || strcmp(json_text(document, "schema"), SCHEMA) != 0)
        json_fail(&reader, "schema", "should be \"" SCHEMA "\", of an order");
    if (!reader.failed)
        record_read(&reader, document, &order_record, order, NULL, &order_wire);
    if (!reader.failed) {
        check_members(&reader, document, &order_record, "schema");
        check_list(&reader, document, "nodes", &order_node_record);
        check_list(&reader, document, "open", &open_record);
    }
    if (!reader.failed && !order_check(order, &why)) {
        reader.failed = true;
        error_set(error, "%.200s: %.500s", path, why.text);
    }
    if (reader.failed)
        order_close(order);
    return !reader.failed;
}

bool order_is(const char *text) {
    return json_begins_with_schema(text, SCHEMA);
}

bool order_read(const char *path, struct order *order, struct error *error) {
    cJSON *document = json_read_file(path, ORDER_MOST_BYTES, "order", error);
    bool good = document && read_document(document, path, order, error);
    json_tree_free(document);
    return good;
}

bool order_read_text(const char *text, size_t length, const char *path, struct order *order,
                     struct error *error) {
    char *copy = malloc(length + 1);
    if (!copy)
        return error_set(error, "out of memory");
    memcpy(copy, text, length);
    copy[length] = '\0';
    cJSON *document = json_parse(copy, length, path, "order", error);
    bool good = document && read_document(document, path, order, error);
    json_tree_free(document);
    return good;
}

/* Gives nodes numbers by where the rule, and then trees, name them first. */
static void number_nodes(struct order *order) {
    struct order_node nodes[ORDER_MOST_NODES];
    uint16_t numbers[ORDER_MOST_NODES] = {0}, *named[2];
    unsigned count = 0;
    bool known[ORDER_MOST_NODES] = {false};
    for (size_t i = 0; i < order->rules.count + order->tree_count; i++) {
        const bool is_row = i < order->rules.count;
        struct order_rule *row = is_row ? &order->rules.rows[i] : NULL;
        struct order_tree *tree = is_row ? NULL : &order->trees[i - order->rules.count];
        for (size_t k = 0; k < (is_row ? 1 : tree->count); k++) {
            named[0] = is_row ? &row->node : &tree->additions[k].node;
            named[1] =
                is_row && row->kind == ORDER_SEQUENTIAL && row->multiple ? &row->spill : NULL;
            for (int which = 0; which < 2; which++) {
                if (!named[which])
                    continue;
                const uint16_t node = *named[which];
                if (!known[node]) {
                    known[node] = true;
                    numbers[node] = (uint16_t)count;
                    memcpy(&nodes[count++], &order->nodes[node], sizeof *nodes);
                }
                *named[which] = numbers[node];
            }
        }
    }
    memcpy(order->nodes, nodes, count * sizeof *nodes);
    order->node_count = count;
}

void order_identity(const struct order *order, char text[17]) {
    static const char *const besides[] = {"name",      "source", "open", "replayed",
                                          "different", "least",  "most", "step"};
    struct order same = *order;
    bool good = true;
    same.trees = NULL;
    same.tree_count = 0;
    for (size_t i = 0; i < order->tree_count && good; i++) {
        struct order_tree tree;
        good = order_tree_copy(&order->trees[i], &tree) && order_add_tree(&same, &tree);
    }
    if (good)
        number_nodes(&same);
    cJSON *document = order_document(&same);
    for (size_t i = 0; i < sizeof besides / sizeof *besides; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(document, besides[i]);
    char *printed = cJSON_PrintUnformatted(document);
    snprintf(text, 17, "%016" PRIx64, (uint64_t)XXH3_64bits(printed, strlen(printed)));
    cJSON_free(printed);
    cJSON_Delete(document);
    order_close(&same);
}
