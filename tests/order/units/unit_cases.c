/* Holds the rows of matrix units to cases of real hardware: lines of standard input, each
 *     UNIT FORMAT ACCUMULATOR | a0 a1 ... | b0 b1 ... | c, or nothing | d
 * in hexadecimal codes. Of factors with scales FORMAT is FORMAT/SCALES/BLOCK, and their scales stand behind d:
 *     ... | d | scales of a | scales of b. Prints a line for each unit, format and accumulator: the cases and the wrong ones, and on stderr the
 * first wrong one. With the name of a fault, rows are made wrong by that first; --rows prints the rows, --same which of
 * them are the same. */
#include "order/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, MOST_ROWS = 256 };

struct tally {
    const struct unit *row;
    struct unit unit;
    struct order_node node, last;
    unsigned long cases, wrong;
};

static void fault_bit_more(struct tally *t) {
    t->node.aligned_bits++;
}
static void fault_bit_less(struct tally *t) {
    t->node.aligned_bits--;
}
static void fault_alignment_to_nearest(struct tally *t) {
    t->node.alignment = ORDER_NEAREST_EVEN;
}
static void fault_alignment_down(struct tally *t) {
    t->node.alignment = ORDER_DOWN;
}
static void fault_sticky(struct tally *t) {
    t->node.sticky = true;
}
static void fault_exact(struct tally *t) {
    t->node.aligned_bits = ORDER_ALL_BITS;
}
static void fault_other_rounding(struct tally *t) {
    t->node.rounding =
        t->node.rounding == ORDER_TOWARD_ZERO ? ORDER_NEAREST_EVEN : ORDER_TOWARD_ZERO;
}
static void fault_down(struct tally *t) {
    t->node.rounding = ORDER_DOWN;
}
static void fault_ties_away(struct tally *t) {
    if (t->node.rounding == ORDER_NEAREST_EVEN)
        t->node.rounding = ORDER_NEAREST_AWAY;
}
static void fault_normalised(struct tally *t) {
    t->node.products_normalised = true;
}
static void fault_zeros_align(struct tally *t) {
    t->node.zeros_align = true;
}
static void fault_no_floor(struct tally *t) {
    t->node.alignment_floor = ORDER_NO_FLOOR;
}
static void fault_flush_operands(struct tally *t) {
    t->node.flush_operands = true;
}
static void fault_flush_results(struct tally *t) {
    t->node.flush_results = true;
}
static void fault_one_bit_of_result(struct tally *t) {
    if (t->node.result_precision)
        t->node.result_precision++;
}
static void fault_half_call(struct tally *t) {
    if (t->unit.shape == UNIT_AT_ONCE)
        t->unit.call /= 2;
}
static void fault_double_call(struct tally *t) {
    if (t->unit.shape == UNIT_AT_ONCE)
        t->unit.call *= 2;
}
static void fault_halves_at_once(struct tally *t) {
    if (t->unit.shape == UNIT_REGISTER_HALVES)
        t->unit.shape = UNIT_AT_ONCE;
}
/* The sum, aligned as it is, meets an exact c, and is rounded once. */
static void fault_c_after(struct tally *t) {
    if (t->node.aligned_bits == ORDER_ALL_BITS)
        return;
    t->node.c = ORDER_C_AFTER_SUM;
    t->node.joined_bits = t->node.c_bits = 60;
    t->node.joining = ORDER_TOWARD_ZERO;
}

static const struct {
    const char *name;
    void (*make)(struct tally *tally);
} faults[] = {
    {"none", NULL},
    {"one-bit-more", fault_bit_more},
    {"one-bit-less", fault_bit_less},
    {"exact", fault_exact},
    {"sticky", fault_sticky},
    {"alignment-to-nearest", fault_alignment_to_nearest},
    {"alignment-down", fault_alignment_down},
    {"other-rounding", fault_other_rounding},
    {"rounding-down", fault_down},
    {"ties-away", fault_ties_away},
    {"products-normalised", fault_normalised},
    {"c-after-the-sum", fault_c_after},
    {"half-a-call", fault_half_call},
    {"double-call", fault_double_call},
    {"halves-at-once", fault_halves_at_once},
    {"one-bit-of-result", fault_one_bit_of_result},
    {"zeros-align", fault_zeros_align},
    {"no-floor", fault_no_floor},
    {"flush-operands", fault_flush_operands},
    {"flush-results", fault_flush_results},
};

static struct tally tallies[MOST_ROWS];
static size_t tally_count;

static const struct format *find(const char *name, struct error *error) {
    for (size_t i = 0; i < integer_format_count; i++)
        if (strcmp(integer_formats[i].name, name) == 0)
            return &integer_formats[i];
    for (size_t i = 0; i < unit_count; i++)
        if (strcmp(units[i].format->name, name) == 0)
            return units[i].format;
    return format_find(name, error);
}

static struct tally *tally_of(const char *name, char *format, const char *accumulator,
                              void (*make)(struct tally *)) {
    struct error error;
    char *scales = strchr(format, '/'), *block = scales ? strchr(scales + 1, '/') : NULL;
    if (block)
        *block = *scales = '\0';
    const struct format *from = find(format, &error);
    const struct format *by = from && block ? find(scales + 1, &error) : NULL;
    const struct format *to = from ? find(accumulator, &error) : NULL;
    const unsigned length = block ? (unsigned)strtoul(block + 1, NULL, 10) : 0;
    const struct unit *row = to ? unit_find_scaled(name, from, by, length, to, &error) : NULL;
    if (!row) {
        fprintf(stderr, "%s\n", error.text);
        exit(2);
    }
    for (size_t i = 0; i < tally_count; i++)
        if (tallies[i].row == row)
            return &tallies[i];
    if (tally_count == MOST_ROWS)
        exit(2);
    struct tally *tally = &tallies[tally_count++];
    *tally = (struct tally){.row = row, .unit = *row, .node = *row->node};
    if (row->last)
        tally->last = *row->last;
    if (make)
        make(tally);
    tally->unit.node = &tally->node;
    tally->unit.last = row->last ? &tally->last : NULL;
    if (tally->unit.shape == UNIT_AT_ONCE)
        tally->unit.last = NULL;
    return tally;
}

/* The codes up to the next bar. */
static size_t read_codes(char **at, uint64_t *codes) {
    size_t count = 0;
    for (char *end; count < MOST; count++, *at = end) {
        uint64_t code = strtoull(*at, &end, 16);
        if (end == *at)
            break;
        codes[count] = code;
    }
    *at = strchr(*at, '|');
    if (*at)
        ++*at;
    return count;
}

static void take(char *line, void (*make)(struct tally *)) {
    char name[32], format[64], accumulator[32];
    uint64_t a[MOST], b[MOST], c[MOST], d[MOST], scales[2][MOST];
    char *at = strchr(line, '|');
    if (!at || sscanf(line, "%31s %63s %31s", name, format, accumulator) != 3)
        exit(2);
    at++;
    size_t count = read_codes(&at, a);
    if (!at || read_codes(&at, b) != count || !at)
        exit(2);
    size_t accumulators = read_codes(&at, c);
    if (!at || read_codes(&at, d) != 1 || !count)
        exit(2);
    struct tally *tally = tally_of(name, format, accumulator, make);
    for (int i = 0; i < 2 && tally->unit.scales; i++)
        if (!at || !read_codes(&at, scales[i]))
            exit(2);
    const uint64_t *with = accumulators ? c : NULL;
    uint64_t got = tally->unit.scales
                       ? unit_scaled_dot(&tally->unit, a, scales[0], b, scales[1], count, with)
                       : unit_dot(&tally->unit, a, b, count, with);
    tally->cases++;
    if (got != d[0] && !tally->wrong++ && !make)
        fprintf(stderr, "%" PRIx64 " in place of %" PRIx64 ": %s", got, d[0], line);
}

static void print_tally(const struct tally *tally) {
    const struct unit *row = tally->row;
    char scales[64] = "";
    if (row->scales)
        snprintf(scales, sizeof scales, "/%s/%u", row->scales->format->name, row->scales->block);
    printf("%s %s%s %s %lu %lu\n", row->name, row->format->name, scales, row->node->result->name,
           tally->cases, tally->wrong);
}

/* All rows, as lines of cases name them. */
static void print_rows(void) {
    for (size_t i = 0; i < unit_count; i++)
        print_tally(&(const struct tally){.row = &units[i]});
}

static bool is_same_node(const struct order_node *a, const struct order_node *b) {
    return a && b ? order_node_same(a, b) : a == b;
}

/* All rows without scales, each with the number of the first that is the same but for its name. */
static void print_same(void) {
    for (size_t i = 0, first; i < unit_count; i++) {
        const struct unit *unit = &units[i];
        for (first = 0; first < i; first++)
            if (units[first].format == unit->format && units[first].shape == unit->shape &&
                units[first].call == unit->call && !units[first].scales &&
                is_same_node(units[first].node, unit->node) &&
                is_same_node(units[first].last, unit->last))
                break;
        if (!unit->scales)
            printf("%s %s %s %zu\n", unit->name, unit->format->name, unit->node->result->name,
                   first);
    }
}

int main(int count, char **words) {
    static char line[4096];
    void (*make)(struct tally *) = NULL;
    bool found = count < 2;
    if (count == 2 && strcmp(words[1], "--rows") == 0) {
        print_rows();
        return 0;
    }
    if (count == 2 && strcmp(words[1], "--same") == 0) {
        print_same();
        return 0;
    }
    for (size_t i = 0; i < sizeof faults / sizeof *faults && count == 2; i++) {
        if (strcmp(words[1], "--faults") == 0)
            puts(faults[i].name);
        if (strcmp(words[1], faults[i].name) == 0) {
            make = faults[i].make;
            found = true;
        }
    }
    if (!found)
        return count == 2 && strcmp(words[1], "--faults") == 0 ? 0 : 2;
    while (fgets(line, sizeof line, stdin))
        take(line, make);
    for (size_t i = 0; i < tally_count; i++)
        print_tally(&tallies[i]);
    return 0;
}
