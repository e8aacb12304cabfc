/* What reveal says of each matrix unit beside its row: by dot and matmul no array differs, and each parameter of the
 * row's nodes is what was found, or among what is listed as open. Rows whose nodes and shape no earlier row has are
 * tried by one of the two in turn, and with one cut; all rows by both, and with all cuts, with ALL_ROWS in the environment. ROW there, such
 * as "mi300x bf16 to fp32", takes one row, and prints what is open. */
#include "order/units.h"
#include "reveal/reveal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CALLS = 2, LEAST_TERMS = 4, VALUE_TEXT = 32 };

struct tally {
    unsigned rows, unrevealed, unnamed, parameters, open, wrong;
};

/* ---- Open lines: "addition 0, bits that aligned terms keep: all or 24 to 40" ---- */

/* How these say what is open: a member of a node, and its values no and yes, or that of a number that is none. */
static const struct {
    const char *member, *says, *words[2];
} sayings[] = {
    {"rounding", "sums are rounded", {NULL}},
    {"result_precision", "bits that sums have", {"all of their format"}},
    {"c", "c comes in", {"with the terms", "after their sum"}},
    {"joined_bits", "bits that the terms' sum keeps where it meets c", {NULL}},
    {"c_bits", "bits that c keeps where it meets the terms' sum", {NULL}},
    {"joining", "sums of terms that meet are cut", {NULL}},
    {"groups", "groups in which terms are added apart", {"none"}},
    {"c_reach", "bits below the terms' sum at which c is left out", {"never"}},
    {"flush_operands", "subnormal operands are", {"kept", "flushed"}},
    {"flush_c", "a subnormal c is", {"kept", "flushed"}},
    {"flush_products", "subnormal products are", {"kept", "flushed"}},
    {"flush_results", "subnormal sums are", {"kept", "flushed"}},
    {"products_overflow", "products beyond the format of sums are", {"kept", "infinite"}},
    {"overflow_is_infinite", "sums beyond the largest number are", {"that number", "infinite"}},
    {"zero_positive", "sums that are 0 have", {"the sign of IEEE 754", "no sign"}},
    {"alignment_floor", "the least exponent to which terms are aligned is", {"none"}},
    {"sticky", "what is cut from terms is", {"lost", "kept in a sticky bit"}},
    {"zeros_align",
     "terms that are 0 are, where others are aligned",
     {"passed over", "counted by their exponents"}},
    {"products_normalised",
     "exponents of products are",
     {"the sums of their factors'", "their own"}},
    {"aligned_bits", "bits that aligned terms keep", {"all"}},
    {"alignment", "aligned terms are cut", {NULL}},
    {"terms", "(never open)", {NULL}},
};

static size_t saying_of(const char *member) {
    for (size_t i = 0; i < sizeof sayings / sizeof *sayings; i++)
        if (strcmp(sayings[i].member, member) == 0)
            return i;
    fail_msg("no words for %s", member);
    return 0;
}

static bool names_value(const char *values, const char *text) {
    const char *at = values;
    while (at) {
        int from, to, length = (int)strlen(text);
        const char *next = strstr(at, " or ");
        int end = next ? (int)(next - at) : (int)strlen(at);
        if (end == length && strncmp(at, text, (size_t)length) == 0)
            return true;
        char *rest;
        int wanted = (int)strtol(text, &rest, 10);
        if (!*rest && sscanf(at, "%d to %d", &from, &to) == 2 && from <= wanted && wanted <= to)
            return true;
        at = next ? next + 4 : NULL;
    }
    return false;
}

static bool is_open(const struct revealed *revealed, unsigned index, const char *member,
                    const char *value) {
    const char *name = sayings[saying_of(member)].says;
    char plain[128], numbered[128];
    snprintf(plain, sizeof plain, "%s: ", name);
    snprintf(numbered, sizeof numbered, "addition %u, %s: ", index, name);
    for (unsigned i = 0; i < revealed->open_count; i++) {
        const char *line = revealed->open[i];
        const char *begin = revealed->model.order.node_count > 1 ? numbered : plain;
        if (strncmp(line, begin, strlen(begin)) == 0)
            return names_value(line + strlen(begin), value);
    }
    return false;
}

/* ---- Parameters ---- */

struct beside {
    const struct unit *unit;
    const struct revealed *revealed;
    const char *operation;
    unsigned index;
    struct tally *tally;
};

static void compare_value(const struct beside *beside, const char *name, int found, int wanted,
                          const char *text) {
    beside->tally->parameters++;
    if (is_open(beside->revealed, beside->index, name, text)) {
        beside->tally->open++;
        return;
    }
    if (found == wanted)
        return;
    beside->tally->wrong++;
    fprintf(stderr, "%s %s, %s to %s, addition %u: %s is %d, the row's %s\n", beside->operation,
            beside->unit->name, beside->unit->format->name, beside->unit->node->result->name,
            beside->index, name, found, text);
}

static void compare_number(const struct beside *beside, const char *name, int found, int wanted) {
    char text[VALUE_TEXT];
    snprintf(text, sizeof text, "%d", wanted);
    const char *none = sayings[saying_of(name)].words[0];
    if (none && (wanted == ORDER_ALL_BITS || wanted == ORDER_NO_FLOOR || wanted == 0))
        snprintf(text, sizeof text, "%s", none);
    compare_value(beside, name, found, wanted, text);
}

#define COMPARE(NAME) compare_number(beside, #NAME, (int)found->NAME, (int)wanted->NAME)
#define COMPARE_YES(NAME)                                                                          \
    compare_value(beside, #NAME, found->NAME, wanted->NAME,                                        \
                  sayings[saying_of(#NAME)].words[wanted->NAME])
#define COMPARE_ROUNDING(NAME)                                                                     \
    compare_value(beside, #NAME, (int)found->NAME, (int)wanted->NAME,                              \
                  order_rounding_names[wanted->NAME])

static void compare_many(const struct beside *beside, const struct order_node *found,
                         const struct order_node *wanted) {
    const struct unit *unit = beside->unit;
    const unsigned call = unit->shape == UNIT_REGISTER_HALVES ? unit->call / 2 : unit->call;
    compare_number(beside, "terms", (int)found->terms, (int)call);
    COMPARE(aligned_bits);
    if (found->aligned_bits == ORDER_ALL_BITS || wanted->aligned_bits == ORDER_ALL_BITS)
        return;
    COMPARE_ROUNDING(alignment);
    COMPARE_YES(sticky);
    COMPARE(alignment_floor);
    COMPARE_YES(zeros_align);
    COMPARE_YES(products_normalised);
    compare_number(beside, "groups", found->groups == 1 ? 0 : (int)found->groups,
                   wanted->groups == 1 ? 0 : (int)wanted->groups);
    compare_value(beside, "c", (int)found->c, (int)wanted->c,
                  sayings[saying_of("c")].words[wanted->c]);
    if (wanted->c != ORDER_C_AFTER_SUM || found->c != wanted->c)
        return;
    COMPARE(joined_bits);
    COMPARE(c_bits);
    COMPARE(c_reach);
    COMPARE_ROUNDING(joining);
}

static void compare_node(const struct beside *beside, const struct order_node *found,
                         const struct order_node *wanted) {
    beside->tally->parameters++;
    if (found->result != wanted->result) {
        beside->tally->wrong++;
        fprintf(stderr, "%s %s: addition %u in %s\n", beside->operation, beside->unit->name,
                beside->index, found->result->name);
    }
    COMPARE_ROUNDING(rounding);
    COMPARE(result_precision);
    if (wanted->rounding != ORDER_NEAREST_EVEN)
        COMPARE_YES(overflow_is_infinite);
    COMPARE_YES(flush_operands);
    COMPARE_YES(flush_c);
    COMPARE_YES(flush_products);
    COMPARE_YES(flush_results);
    COMPARE_YES(products_overflow);
    COMPARE_YES(zero_positive);
    if (found->terms > 2)
        compare_many(beside, found, wanted);
}

/* ---- Rows ---- */

static size_t arrays(void) {
    return getenv("ALL_ROWS") ? 10000 : 2000;
}

/* By an operation; `cut` is what stands behind the unit's name, of `calls` calls. */
static void reveal_unit(const struct unit *unit, const char *cut, size_t calls, const char *name,
                        struct revealed *revealed) {
    char text[64];
    struct error error;
    struct implementation implementation;
    snprintf(text, sizeof text, "mma:%s%s", unit->name, cut);
    assert_true(implementation_open(&implementation, text, NULL, &error));
    const size_t shortest = (size_t)unit->call * calls;
    struct reveal_request request = {.implementation = &implementation,
                                     .computed = {.operation = operation_find(name, &error),
                                                  .format = unit->format,
                                                  .rounding = ROUND_NEAREST_EVEN},
                                     .arrays = arrays(),
                                     .seed = 1};
    assert_non_null(request.computed.operation);
    const struct parameter_value result = {.present = true, .format = unit->node->result};
    request.computed.parameters.values[PARAMETER_ACCUMULATE] = result;
    request.computed.parameters.values[PARAMETER_DTYPE] = result;
    if (strcmp(name, "matmul") == 0)
        request.shape = (struct shape){3, {1, shortest, 1}};
    if (!reveal_length(&request, shortest < LEAST_TERMS ? LEAST_TERMS : shortest, revealed, &error))
        fail_msg("%s %s: %s", name, text, error.text);
}

/* Whether a unit is among those that are said to give all that was called; sums of fp64 are no narrow products, and are
 * named by no unit. */
static bool is_found(const struct unit *unit, const char *cut, const struct revealed *revealed) {
    char text[64];
    snprintf(text, sizeof text, "mma:%s%s", unit->name, cut);
    for (unsigned i = 0; i < revealed->units.count; i++)
        if (strcmp(revealed->units.of[i], text) == 0)
            return true;
    return unit->format == &formats[FORMAT_FP64];
}

static void check_unit(const struct unit *unit, const char *name, struct tally *tally) {
    struct revealed revealed;
    reveal_unit(unit, "", CALLS, name, &revealed);
    tally->rows++;
    tally->unnamed += !is_found(unit, "", &revealed);
    for (unsigned i = 0; getenv("ROW") && i < revealed.open_count; i++)
        print_message("open: %s\n", revealed.open[i]);
    if (revealed.state != REVEALED || revealed.replay.arrays < arrays() ||
        revealed.replay.different) {
        tally->unrevealed++;
        fprintf(stderr, "%s %s, %s to %s: %s; %s\n", name, unit->name, unit->format->name,
                unit->node->result->name, reveal_state_names[revealed.state], revealed.why);
    } else {
        for (unsigned i = 0; i < revealed.model.order.node_count; i++) {
            const struct order_node *found = &revealed.model.order.nodes[i];
            const bool is_last =
                unit->last && unit->shape == UNIT_REGISTER_HALVES && found->terms <= 2;
            const struct beside beside = {unit, &revealed, name, i, tally};
            compare_node(&beside, found, is_last ? unit->last : unit->node);
        }
    }
    revealed_close(&revealed);
}

/* Rows that dot and matmul do not have, and those whose sums of so few products are all exact. */
static bool cannot_show(const struct unit *unit) {
    return unit->format->is_integer || unit->scales || unit->format->width < 8;
}

/* Whether a row before it is the same but for its name, its format and the products of a call. */
static bool is_known(size_t index) {
    for (size_t i = 0; i < index; i++)
        if (units[i].shape == units[index].shape && units[i].last == units[index].last &&
            units[i].node == units[index].node)
            return true;
    return false;
}

static bool is_named(const struct unit *unit, const char *row) {
    char name[100];
    snprintf(name, sizeof name, "%s %s to %s", unit->name, unit->format->name,
             unit->node->result->name);
    return strcmp(name, row) == 0;
}

static void check_rows(const char *operation, unsigned turn) {
    struct tally tally = {0};
    const bool all = getenv("ALL_ROWS");
    const char *row = getenv("ROW");
    unsigned left_out = 0, own = 0;
    for (size_t i = 0; i < unit_count; i++) {
        if (cannot_show(&units[i])) {
            left_out++;
            continue;
        }
        const bool turns = !is_known(i) && own++ % 2 == turn;
        if (row ? is_named(&units[i], row) : all || turns)
            check_unit(&units[i], operation, &tally);
    }
    print_message("%s: %u rows (%u of whole numbers, of less than 8 bits and with scales left "
                  "out), %u not revealed; of the others %u parameters, %u open, %u wrong\n",
                  operation, tally.rows, left_out, tally.unrevealed, tally.parameters, tally.open,
                  tally.wrong);
    assert_int_equal(tally.wrong, 0);
    assert_int_equal(tally.unrevealed, 0);
    assert_int_equal(tally.unnamed, 0);
    assert_true(row || tally.rows >= (all ? 80u : 9u));
}

static void test_dot(void **context) {
    (void)context;
    check_rows("dot", 0);
}

static void test_matmul(void **context) {
    (void)context;
    check_rows("matmul", 1);
}

/* Parts of the inner dimension, which plain additions join: the same units are found, with how they are cut, and no unit
 * without a cut. */
static void test_cuts(void **context) {
    (void)context;
    static const struct {
        const char *unit, *cut;
        enum format_number format, result;
    } rows[] = {{"h100", ",split-k=2", FORMAT_FP16, FORMAT_FP32},
                {"a100", ",split-k=4", FORMAT_FP16, FORMAT_FP16},
                {"ada", ",split-k=2", FORMAT_FP8_E4M3FN, FORMAT_FP32},
                {"b200", ",split-k=2", FORMAT_FP8_E5M2, FORMAT_FP16}};
    struct error error;
    const size_t count = getenv("ALL_ROWS") ? sizeof rows / sizeof *rows : 1;
    for (size_t i = 0; i < count && !getenv("ROW"); i++) {
        struct revealed revealed;
        const struct unit *unit =
            unit_find(rows[i].unit, &formats[rows[i].format], &formats[rows[i].result], &error);
        assert_non_null(unit);
        reveal_unit(unit, rows[i].cut, 4, "matmul", &revealed);
        assert_int_equal(revealed.state, REVEALED);
        assert_true(is_found(unit, rows[i].cut, &revealed));
        assert_false(is_found(unit, "", &revealed));
        revealed_close(&revealed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dot), cmocka_unit_test(test_matmul),
                                       cmocka_unit_test(test_cuts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
