/* Documents of orders: what is written is read, hostile ones are refused with one line, the schema is that of the rows.
 *
 * `order_document --schema` prints the schema. */
#include "base/json_tree.h"
#include "order/record.h"
#include "planted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static char *text_of(const struct order *order) {
    cJSON *document = order_document(order);
    char *text = cJSON_PrintUnformatted(document);
    cJSON_Delete(document);
    return text;
}

static void test_what_is_written_is_read(void **context) {
    (void)context;
    for (int k = 0; k < PLANTED; k++) {
        struct order order, read;
        struct order_tree tree, again;
        struct error error = {{0}};
        char mine[17], theirs[17];
        planted_order(&planted[k], &order);
        snprintf(order.name, sizeof order.name, "%s", planted[k].name);
        snprintf(order.open[order.open_count++], ORDER_TEXT, "whether \"0\" or -0");
        order.replayed = 10000;
        order.nodes[2].aligned_bits = 24;
        order.nodes[2].alignment = ORDER_TOWARD_ZERO;
        order.nodes[2].alignment_floor = -133;
        order.nodes[2].flush_c = true;
        assert_true(order_rules_tree(&order.rules, 21, &tree, &error));
        assert_true(order_add_tree(&order, &tree));
        char *text = text_of(&order);
        assert_true(order_is(text));
        assert_true(order_read_text(text, strlen(text), "a.order", &read, &error));
        assert_true(order_rules_same(&order.rules, &read.rules));
        for (unsigned i = 0; i < order.node_count; i++)
            assert_memory_equal(&order.nodes[i], &read.nodes[i], sizeof order.nodes[i]);
        assert_true(order_tree_of(&read, 21, &again, &error));
        assert_true(order_tree_hash(&again) == order_tree_hash(&order.trees[0]));
        assert_string_equal(read.name, planted[k].name);
        assert_string_equal(read.open[0], order.open[0]);
        assert_int_equal(read.scale, order.scale);
        order_identity(&order, mine);
        order_identity(&read, theirs);
        assert_string_equal(mine, theirs);
        char *second = text_of(&read);
        assert_string_equal(text, second);
        cJSON_free(text);
        cJSON_free(second);
        order_tree_close(&again);
        order_close(&order);
        order_close(&read);
    }
}

/* The identity is of what is computed: another node, another rule, but not another name. */
static void test_identity(void **context) {
    (void)context;
    struct order order;
    char first[17], second[17];
    planted_order(&planted[3], &order);
    order_identity(&order, first);
    strcpy(order.name, "something else");
    order.replayed = 5;
    order_identity(&order, second);
    assert_string_equal(first, second);
    order.least = 3; /* nor of lengths: it is that of the rule */
    order.step = 5;
    order_identity(&order, second);
    assert_string_equal(first, second);
    order.nodes[0].rounding = ORDER_TOWARD_ZERO;
    order_identity(&order, second);
    assert_string_not_equal(first, second);
}

/* Nodes that change their numbers, with all that names them, and one that nothing names. */
static void test_identity_of_numbers(void **context) {
    (void)context;
    struct order a, b;
    char first[17], second[17];
    order_open(&a, "sum", FP32, FP32);
    order_open(&b, "sum", FP32, FP32);
    a.node_count = 2;
    a.nodes[1] = order_node_plain(&formats[FORMAT_BF16], ROUND_NEAREST_EVEN);
    a.rules.count = 1;
    a.rules.rows[0] =
        (struct order_rule){.kind = ORDER_SEQUENTIAL, .size = 1, .multiple = 32, .spill = 1};
    b.node_count = 3;
    b.nodes[0] = a.nodes[1];
    b.nodes[2] = a.nodes[0];
    b.nodes[1] = order_node_plain(&formats[FORMAT_FP64], ROUND_NEAREST_EVEN);
    b.rules = a.rules;
    b.rules.rows[0].node = 2;
    b.rules.rows[0].spill = 0;
    order_identity(&a, first);
    order_identity(&b, second);
    assert_string_equal(first, second);
    b.rules.rows[0].spill = 1;
    order_identity(&b, second);
    assert_string_not_equal(first, second);
    order_close(&a);
    order_close(&b);
}

/* A rule in steps says nothing of lengths between. */
static void test_steps(void **context) {
    (void)context;
    struct order order;
    order_open(&order, "sum", FP32, FP32);
    order.rules.count = 1;
    order.rules.rows[0] = (struct order_rule){.kind = ORDER_SEQUENTIAL, .size = 1};
    order.least = 10;
    order.most = 40;
    order.step = 15;
    for (size_t terms = 1; terms < 60; terms++)
        assert_int_equal(order_knows(&order, terms), terms == 10 || terms == 25 || terms == 40);
    assert_int_equal(order_known_up_to(&order, 39), 25);
    assert_int_equal(order_known_up_to(&order, 5), 10);
    order_close(&order);
}

/* Member by member, whatever lies between them: a change of any member tells. */
static void test_same_nodes(void **context) {
    (void)context;
    struct order_node plain = order_node_plain(FP32, ROUND_NEAREST_EVEN), a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0xff, sizeof b);
    for (size_t i = 0; i < order_node_record.count; i++) {
        const size_t at = order_node_record.members[i].offset;
        const size_t bytes = order_node_record.members[i].kind == &order_truth ? 1 : 4;
        memcpy((char *)&a + at, (char *)&plain + at, bytes);
        memcpy((char *)&b + at, (char *)&plain + at, bytes);
    }
    a.result = b.result = FP32;
    a.product = b.product = a.operands = b.operands = NULL;
    a.nan = b.nan = plain.nan;
    assert_true(order_node_same(&a, &b));
    for (size_t i = 0; i < order_node_record.count; i++) {
        b = a;
        ((char *)&b)[order_node_record.members[i].offset] ^= 1;
        assert_false(order_node_same(&a, &b));
    }
}

#define WHOLE(FORMAT, RESULT, NODES, OPEN, REST)                                                   \
    "{\"schema\":\"detcheck/order/"                                                                \
    "1\",\"name\":\"\",\"source\":\"\",\"operation\":\"sum\",\"format\":\"" FORMAT                 \
    "\",\"result\":\"" RESULT "\",\"least\":1,\"most\":9,\"nodes\":[" NODES "],\"open\":[" OPEN    \
    "],\"replayed\":0,\"different\":0," REST "}"
#define WITH(NODES, REST)       WHOLE("fp32", "fp32", NODES, "", REST)
#define OPEN(LIST)              WHOLE("fp32", "fp32", NODE, LIST, "\"rule\":{\"kind\":\"pairs\"}")
#define FORMATS(FORMAT, RESULT) WHOLE(FORMAT, RESULT, NODE, "", "\"rule\":{\"kind\":\"pairs\"}")
#define NODE                    "{\"result\":\"fp32\",\"nan\":\"0x7fc00000\"}"
#define TREE(N, LIST)           WITH(NODE, "\"trees\":[{\"terms\":" N ",\"additions\":" LIST "}]")
#define ADDED(A, B)             "[\"" A "\",\"" B "\"]"
#define RULE(TEXT)              WITH(NODE, "\"rule\":" TEXT)

/* A good one of each, and what is wrong with the others. */
static const struct {
    const char *text, *says; /* NULL: nothing */
} documents[] = {
    {TREE("3", ADDED("0 + 1", "@0 + 2")), NULL},
    {RULE("{\"kind\":\"lanes\",\"size\":8,\"outer\":{\"kind\":\"pairs\"}}"), NULL},
    {"", "order"},
    {"{", "line 1"},
    {"[]", "detcheck/order/1"},
    {"{\"schema\":\"detcheck/report/1\"}", "detcheck/order/1"},
    {"{\"schema\":\"detcheck/order/1\"}", "name"},
    {TREE("3", ADDED("0 + 1", "@1 + 2")), "not an earlier one"},       /* itself */
    {TREE("3", ADDED("@1 + 1", "@0 + 2")), "not an earlier one"},      /* a cycle */
    {TREE("3", ADDED("0 + 1", "@0 + 3")), "has term 3"},               /* beyond n */
    {TREE("3", ADDED("0 + 1", "1 + 2")), "an operand of no addition"}, /* a part that is lost */
    {TREE("3", ADDED("0 + 1", "@0 + @0")), "an operand of two"},       /* and one twice */
    {TREE("3", ADDED("1: 0 + 1", "@0 + 2")), "has node 1"}, /* a node that is not there */
    {TREE("3", ADDED("", "@0 + 2")), "should be like"},
    {TREE("3", ADDED("0.5 + 1", "@0 + 2")), "should be like"},
    {TREE("3", ADDED("0 + 99999999999", "@0 + 2")), "should be like"},
    {TREE("3", ADDED("16: 0 + 1", "@0 + 2")), "should be like"},
    {TREE("3", ADDED("0 + d", "@0 + 2")), "should be like"},
    {TREE("0", "[]"), "terms"},
    {TREE("1e15", "[]"), "terms"},
    {TREE("-3", "[]"), "terms"},
    {WITH(NODE, "\"trees\":7"), "trees"},
    {WITH(NODE, "\"trees\":[]"), "a rule or a tree"},
    {WITH("", "\"rule\":{\"kind\":\"pairs\"}"), "x.order: an order has 1 to 16 nodes"},
    {"{\"schema\":\"detcheck/order/"
     "1\",\"name\":\"\",\"source\":\"\",\"operation\":\"sum\",\"format\":\"fp32\","
     "\"result\":\"fp32\",\"least\":50,\"most\":2,\"nodes\":[" NODE
     "],\"open\":[],\"replayed\":0,\"different\":0,"
     "\"rule\":{\"kind\":\"pairs\"}}",
     "x.order: least is above most: 50 and 2"},
    {WITH("{\"nan\":\"0x0\"}", "\"rule\":{\"kind\":\"pairs\"}"), "result"},
    {WITH("{\"result\":\"fp33\",\"nan\":\"0x0\"}", "\"rule\":{\"kind\":\"pairs\"}"),
     "result is none: unknown format 'fp33'"},
    {WITH("{\"result\":\"fp16\",\"nan\":\"0x7fc00000\"}", "\"rule\":{\"kind\":\"pairs\"}"), "NaN"},
    {WITH("{\"result\":\"fp32\",\"nan\":\"0x7fc00000\",\"colour\":1}",
          "\"rule\":{\"kind\":\"pairs\"}"),
     "colour"},
    {WITH("{\"result\":\"fp32\",\"nan\":\"0x7fc00000\",\"terms\":0}",
          "\"rule\":{\"kind\":\"pairs\"}"),
     "terms"},
    {WITH("{\"result\":\"fp32\",\"nan\":\"0x7fc00000\",\"result_precision\":40}",
          "\"rule\":{\"kind\":\"pairs\"}"),
     "precision"},
    {WITH("{\"result\":\"fp32\",\"nan\":\"0x7fc00000\",\"aligned_bits\":1000}",
          "\"rule\":{\"kind\":\"pairs\"}"),
     "aligned_bits"},
    {WITH("{\"result\":\"fp32\",\"nan\":\"0x7fc00000\",\"rounding\":\"sideways\"}",
          "\"rule\":{\"kind\":\"pairs\"}"),
     "rounding"},
    {WITH(NODE, "\"scales\":\"sum-divided\",\"rule\":{\"kind\":\"pairs\"}"), "scales"},
    {WITH(NODE, "\"trees\":[{\"terms\":1,\"additions\":[\"0\"],\"node\":0}]"), "node"},
    {OPEN("{\"says\":\"\",\"asks\":\"\"}"), "asks"},
    {OPEN("{\"says\":\"\"}"), NULL},
    {FORMATS("int64", "fp32"), "numbers, not int64"},
    {FORMATS("fp32", "int32"), "numbers, not int32"},
    {FORMATS("fp16", "fp32"), NULL},
    {RULE("{\"kind\":\"bogo\"}"), "kind"},
    {RULE("{\"kind\":\"lanes\"}"), "x.order: rule.size of 'lanes' should be 1 to 16777216, not 0"},
    {RULE("{\"kind\":\"lanes\",\"size\":99999999999}"), "size"},
    {RULE("{\"kind\":\"lanes\",\"size\":2.5}"), "size"},
    {RULE("{\"kind\":\"lanes\",\"size\":8,\"node\":3}"), "node 3"},
    {RULE("{\"kind\":\"lanes\",\"size\":8,\"inner\":7}"), "object"},
    {RULE("{\"kind\":\"lanes\",\"size\":8,\"else\":{}}"), "else"},
    {RULE("{\"kind\":\"cascade\",\"size\":12,\"multiple\":4}"), "power of 2"},
};

static void test_hostile(void **context) {
    (void)context;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        struct order order;
        struct error error = {{0}};
        const char *text = documents[i].text;
        bool read = order_read_text(text, strlen(text), "x.order", &order, &error);
        if (read)
            order_close(&order);
        if (read != !documents[i].says ||
            (documents[i].says &&
             (!strstr(error.text, documents[i].says) || !strstr(error.text, "x.order"))))
            fail_msg("%s: %s", text, error.text);
    }
}

/* Trees of many lengths: no text has too many values for its length. */
static void test_many_trees(void **context) {
    (void)context;
    struct order order, read;
    struct error error = {{0}};
    planted_order(&planted[0], &order);
    for (size_t n = 1; n < 200; n++) {
        struct order_tree tree;
        assert_true(order_rules_tree(&order.rules, n, &tree, &error));
        assert_true(order_add_tree(&order, &tree));
    }
    char *text = text_of(&order);
    assert_true(order_read_text(text, strlen(text), "a.order", &read, &error));
    assert_int_equal(read.tree_count, 199);
    cJSON_free(text);
    order_close(&order);
    order_close(&read);
}

/* 40 rules in each other, and lanes of lanes beyond what is worth waiting for. */
static void test_deep(void **context) {
    (void)context;
    char text[4096] = "";
    struct order order;
    struct order_tree tree;
    struct error error = {{0}};
    for (int i = 0; i < 40; i++)
        strcat(text, "{\"kind\":\"reversed\",\"inner\":");
    strcat(text, "{\"kind\":\"pairs\"}");
    for (int i = 0; i < 40; i++)
        strcat(text, "}");
    char whole[8192];
    snprintf(whole, sizeof whole, RULE("%s"), text);
    assert_false(order_read_text(whole, strlen(whole), "x.order", &order, &error));
    assert_non_null(strstr(error.text, "32 at most"));
    const struct order_rules lanes =
        RULES(LANES(1 << 24, .inner = 1, .outer = 2), LANES(1 << 24, .inner = 0),
              LANES(1 << 24, .inner = 3), LANES(1 << 24));
    assert_false(order_rules_tree(&lanes, 1000, &tree, &error));
    assert_non_null(strstr(error.text, "too many steps"));
}

/* ---- The schema ---- */

static char *schema(void) {
    cJSON *whole = record_schema(&order_record), *definitions = cJSON_CreateObject();
    cJSON *rule = record_schema(&order_rule_record),
          *of_rule = cJSON_GetObjectItem(rule, "properties");
    static const char *const parts[] = {"inner", "outer", "rest"};
    for (int i = 0; i < 3; i++)
        cJSON_AddItemToObject(of_rule, parts[i], cJSON_Parse("{\"$ref\":\"#/definitions/rule\"}"));
    cJSON_AddItemToObject(definitions, "count",
                          cJSON_Parse("{\"type\":\"integer\",\"minimum\":0}"));
    cJSON_AddItemToObject(definitions, "bits",
                          cJSON_Parse("{\"type\":\"string\",\"pattern\":\"^0x[0-9a-f]{1,16}$\"}"));
    cJSON_AddItemToObject(definitions, "rule", rule);
    cJSON_AddItemToObject(
        definitions, "tree",
        cJSON_Parse("{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"terms\","
                    "\"additions\"],"
                    "\"properties\":{\"terms\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":"
                    "16777216},\"additions\":"
                    "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"pattern\":"
                    "\"^([0-9]+: )?(@?[0-9]+|zero|c)( [+] (@?[0-9]+|zero|c))*$\"}}}}"));
    cJSON *properties = cJSON_GetObjectItem(whole, "properties");
    cJSON_AddItemToObject(properties, "schema", cJSON_Parse("{\"const\":\"detcheck/order/1\"}"));
    cJSON_AddItemToObject(whole, "definitions", definitions);
    cJSON_AddStringToObject(whole, "$schema", "http://json-schema.org/draft-07/schema#");
    cJSON_AddStringToObject(whole, "title", "An order of additions: detcheck-order(7)");
    char *text = cJSON_Print(whole);
    cJSON_Delete(whole);
    return text;
}

static void test_schema(void **context) {
    (void)context;
    size_t length;
    struct error error;
    char *made = schema(), *kept = file_read(ORDER_SCHEMA_FILE, 1 << 20, "schema", &length, &error);
    assert_non_null(kept);
    kept[strlen(kept) - 1] = '\0';   /* the end of its last line */
    assert_string_equal(kept, made); /* else: order_document --schema > vectors/order.schema.json */
    cJSON_free(made);
    free(kept);
}

int main(int count, char **words) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_written_is_read),
                                       cmocka_unit_test(test_identity),
                                       cmocka_unit_test(test_identity_of_numbers),
                                       cmocka_unit_test(test_steps),
                                       cmocka_unit_test(test_same_nodes),
                                       cmocka_unit_test(test_hostile),
                                       cmocka_unit_test(test_many_trees),
                                       cmocka_unit_test(test_deep),
                                       cmocka_unit_test(test_schema)};
    if (count == 2 && strcmp(words[1], "--schema") == 0)
        return puts(schema()) < 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
