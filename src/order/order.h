/* Orders: in which order, and in what arithmetic, something is summed.
 *
 * For one length an order is a tree of additions; for many lengths a rule that makes the tree of each. The arithmetic
 * of an addition is a node (order/node.h), and an order has a few of these: lanes may be added in another format than
 * blocks. `reveal` finds orders, --impl order:FILE computes by them, and detcheck-order(7) describes the document. */
#ifndef DETCHECK_ORDER_ORDER_H
#define DETCHECK_ORDER_ORDER_H

#include "base/error.h"
#include "format/format.h"
#include "order/node.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A child of an addition: a term (0 and up), or an earlier addition, ~index. Three are neither. */
enum {
    ORDER_C = INT32_MIN,        /* the accumulator that comes in; +0 where there is none */
    ORDER_ZERO = INT32_MIN + 1, /* +0, with which many loops begin */
    ORDER_NONE = INT32_MIN + 2  /* nothing: never in a tree */
};
enum { ORDER_MOST_TERMS = 1 << 24 };

/* Whether a child is a term, and whether it is an addition. */
static inline bool order_is_term(int32_t child) {
    return child >= 0;
}
static inline bool order_is_addition(int32_t child) {
    return child < 0 && child > ORDER_NONE;
}

/* One addition. Where its first child is no term and has the format of the node's result, it is the node's c. An
 * addition of one child rounds it: a term (of a product too), or a sum that is spilled to a narrower format. */
struct order_addition {
    size_t first; /* of its children in tree.children */
    uint32_t children;
    uint16_t node; /* by which arithmetic: an index into order.nodes */
};

/* The additions of n terms, in an order in which they can be done; the last one is the result. A term may be in no
 * addition (dropped) or in two. Of no additions the result is +0. */
struct order_tree {
    size_t terms, count, child_count;
    struct order_addition *additions;
    int32_t *children;
    size_t room, child_room; /* allocated */
    bool out_of_memory;      /* something that was added is missing */
};

void order_tree_open(struct order_tree *tree, size_t terms);
void order_tree_close(struct order_tree *tree);
/* Adds an addition, and returns it as a child of others. */
int32_t order_tree_add(struct order_tree *tree, const int32_t *children, size_t count,
                       unsigned node);
/* Opens `tree` as a copy. False: no memory, and nothing is to be closed. */
bool order_tree_copy(const struct order_tree *from, struct order_tree *tree);
/* That each addition but the last is a child of exactly one later one, terms are below `terms`, nodes below
 * `nodes`. */
bool order_tree_check(const struct order_tree *tree, unsigned nodes, struct error *error);
/* A hash of what is added to what by which node. The order of children does not count, nor do additions of one child
 * and zeros: what probes of a tree cannot see. */
uint64_t order_tree_hash(const struct order_tree *tree);
/* The same; `nodes` false: whatever the nodes. */
uint64_t order_tree_shape(const struct order_tree *tree, bool nodes);
/* The same of each addition and what is below it: hashes has room for all additions. */
void order_tree_hashes(const struct order_tree *tree, bool nodes, uint64_t *hashes);
/* A hash of where totals are rounded alone, which the others pass over, and by which node; 0: nowhere. */
uint64_t order_tree_roundings(const struct order_tree *tree);
/* How often each of the terms is in the tree; counts has room for all terms. */
void order_tree_uses(const struct order_tree *tree, unsigned *counts);
/* From a depth 1 of additions of terms alone upward. */
size_t order_tree_depth(const struct order_tree *tree);

/* What a row of a rule does with a list of items, which are terms or totals. */
enum order_rule_kind {
    ORDER_SEQUENTIAL, /* from the left, `size` at a time to what is there (1: plainly; 0: all in one addition). With
                         `multiple`, after each so many items what is there is rounded by node `spill` */
    ORDER_REVERSED, /* the items from the right, by `inner` */
    ORDER_PAIRS, /* neighbours 0 + 1, 2 + 3, …, then those totals likewise; an odd one out waits */
    ORDER_FOLD, /* item l + item l + k/2 of k items, then those totals likewise; of odd k the middle one waits */
    ORDER_LANES, /* `size` lanes: lane l has the items l, l + size, … by `inner`; the lanes by `outer`. With `multiple`
                         the tail begins at the last multiple of that */
    ORDER_BLOCKS, /* blocks of `size` successive items by `inner`, the last may be shorter; the blocks by `outer`. With
                         `multiple`, where more than one block and less than two are left, these are two halves, the
                         first rounded up to that multiple */
    ORDER_SPLIT, /* `size` successive parts by `inner`, the parts by `outer`: n / size rounded up to a multiple of
                         `multiple` each, the last has the rest; 0: the first n mod size have one more than others */
    ORDER_CENTRED, /* as many blocks of `size` successive items as these need, and incomplete ones at both ends: the
                         half of it, rounded down, in the first block; by `inner`, the blocks by `outer` */
    ORDER_HALVES, /* more than `size` items: two halves, the first rounded down to a multiple of `multiple`,
                         likewise, then added; others by `inner` */
    ORDER_CASCADE, /* totals of `step` items each, from the left; then of as many of these totals, in `multiple`
                         levels; what is left at the end level by level, the lowest first. step: `size`, a power of 2,
                         or 2^(ceil(log2 n) / multiple, rounded down) if that is more */
    ORDER_SERPENTINE, /* the items in blocks of `size`, every second block from the right; with `multiple` every whole
                         one, in groups of so many items. All by `inner` */
    ORDER_DEALT, /* in whole blocks of `size` items, groups of `multiple` by turns to the first half and to the
                      second one; all by `inner` */
    ORDER_SHORTER, /* less than `size` items by `inner`, others by `outer` */
    ORDER_MAIN, /* the items up to the last multiple of `size` by `inner`; the rest is the tail */
    ORDER_ONTO, /* what `inner` has is added to what `start` says */
    ORDER_RULE_KINDS
};
extern const char *const order_rule_names[ORDER_RULE_KINDS];

/* Of ORDER_LANES and ORDER_MAIN: what becomes of the items beyond the last multiple of `size`. */
enum order_tail {
    ORDER_TAIL_WITHIN, /* they are in their lanes, as all others */
    ORDER_TAIL_AFTER,  /* the total of the others and then they, by `rest` */
    ORDER_TAIL_BEFORE, /* they and then the total of the others, by `rest` */
    ORDER_TAIL_APART,  /* they by `rest`; the two totals are added */
    ORDER_TAIL_FIRST,  /* they come before the lanes, by `outer` */
    ORDER_TAIL_LAST,   /* they come behind the lanes, by `outer` */
    ORDER_TAIL_LANE,   /* the total of lane 0 and then they, by `rest` */
    ORDER_TAIL_DROPPED,
    ORDER_TAILS
};
extern const char *const order_tail_names[ORDER_TAILS];

/* How a sum from the left begins: with its first two items, with the first one rounded alone (as a product is), with
 * +0, or with the accumulator that comes in. */
enum order_start {
    ORDER_START_ITEMS,
    ORDER_START_ALONE,
    ORDER_START_ZERO,
    ORDER_START_C,
    ORDER_STARTS
};
extern const char *const order_start_names[ORDER_STARTS];

struct order_rule {
    enum order_rule_kind kind;
    uint16_t node; /* of the additions of this row itself */
    uint16_t spill;
    uint64_t size, multiple;
    enum order_tail tail;
    enum order_start start;
    uint8_t inner, outer,
        rest; /* rows behind this one; 0: from the left, by this row's node; of `inner` started as this row says */
};

/* A rule: row 0 is applied to the terms. Of no rows there is none. */
enum { ORDER_MOST_RULES = 32 };
struct order_rules {
    unsigned count;
    struct order_rule rows[ORDER_MOST_RULES];
};

/* Appends a row and returns its index, or 0 where there is no room. */
unsigned order_rules_add(struct order_rules *rules, struct order_rule row);
/* That rows name later rows, at most one each, sizes are not 0 where they must not be, and nodes are below `nodes`. */
bool order_rules_check(const struct order_rules *rules, unsigned nodes, struct error *error);
bool order_rules_same(const struct order_rules *a, const struct order_rules *b);
/* The tree of n terms, 1 or more; the tree is opened. */
bool order_rules_tree(const struct order_rules *rules, size_t terms, struct order_tree *tree,
                      struct error *error);
/* The rule in words, one sentence; "" where it has no rows. */
void order_rules_words(const struct order_rules *rules, char *text, size_t room);

/* The shortest rule that gives all trees (as order_tree_hash has them), or all but those that `breaks` then marks, a
 * bool for each tree; returns how many those are, or SIZE_MAX where no rule gives the half of them. Trees are of
 * different lengths, in any sequence. */
size_t order_fold(const struct order_tree *trees, size_t count, struct order_rules *rules,
                  bool *breaks);

/* Where a mean is divided by n: the sum, or the terms; by n, or times the rounded 1 / n. In the format of the last
 * addition. Flushed: a mean that is subnormal becomes the zero of its sign, whatever additions do. */
enum order_scale {
    ORDER_SCALE_NONE,
    ORDER_SUM_DIVIDED,
    ORDER_SUM_TIMES_RECIPROCAL,
    ORDER_SUM_DIVIDED_FLUSHED,
    ORDER_SUM_TIMES_RECIPROCAL_FLUSHED,
    ORDER_TERMS_DIVIDED, /* from here on terms are scaled, before that sums */
    ORDER_TERMS_TIMES_RECIPROCAL,
    ORDER_SCALES
};
extern const char *const order_scale_names[ORDER_SCALES];

enum { ORDER_MOST_NODES = 16, ORDER_MOST_OPEN = 48, ORDER_TEXT = 256 };

struct order {
    char name[ORDER_TEXT],
        source[ORDER_TEXT]; /* "numpy.sum"; what it was found in: version, machine, command */
    char operation[64];     /* "sum" */
    const struct format *format, *result; /* of the terms or their factors, and of what comes out */
    size_t least, most,
        step; /* lengths that it is known for; its rule for every step-th, 0: for all */
    unsigned node_count;
    struct order_node nodes[ORDER_MOST_NODES];
    enum order_scale scale;
    struct order_rules rules;
    struct order_tree *trees; /* of single lengths, which come before the rule */
    size_t tree_count;
    char open[ORDER_MOST_OPEN][ORDER_TEXT]; /* what no probe decided, with what remains */
    unsigned open_count;
    uint64_t replayed, different; /* arrays that were computed by it and by the implementation */
};

/* An order of plain additions in a format: one node, no rule. */
void order_open(struct order *order, const char *operation, const struct format *format,
                const struct format *result);
void order_close(struct order *order);
/* Takes the tree over. False: no memory, and the tree is closed. */
bool order_add_tree(struct order *order, struct order_tree *tree);
/* The tree of a length: one of `trees`, or by the rule. It is the caller's to close. */
bool order_tree_of(const struct order *order, size_t terms, struct order_tree *tree,
                   struct error *error);
/* The longest length up to that one that its rule is known for; the shortest where none is. */
size_t order_known_up_to(const struct order *order, size_t terms);
/* Whether it has a tree of that length. */
bool order_knows(const struct order *order, size_t terms);
/* The same order for another operation of order_operations, with the same trees: they are the first one's to close. A mean
 * by an order that says nothing of scaling divides the sum. */
extern const char *const order_operations[5];
struct order order_for(const struct order *order, const char *operation);
/* That the whole is in order: rules, trees and nodes. */
bool order_check(const struct order *order, struct error *error);

/* That no addition of a tree has more terms than its node can add. */
bool order_check_additions(const struct order *order, const struct order_tree *tree,
                           struct error *error);

/* An order made ready for one length. It belongs to one thread. */
struct order_plan;
struct order_plan *order_plan_open(const struct order *order, size_t terms, struct error *error);
/* The same by a tree that is not in the order; it is not kept. */
struct order_plan *order_plan_of_tree(const struct order *order, const struct order_tree *tree,
                                      struct error *error);
void order_plan_close(struct order_plan *plan);
/* Whether it runs in the machine's own arithmetic, many arrays at once; else node by node in integers. */
bool order_plan_is_fast(const struct order_plan *plan);
/* Whether an addition of it takes what comes in, and the format of the last sum, which c has. */
bool order_plan_takes_c(const struct order_plan *plan);
const struct format *order_plan_sum_format(const struct order_plan *plan);

/* `count` sums: array number i has its terms from element i * pitch on, `stride` elements apart, codes of
 * format_bytes(order->format) each. Where w is not NULL, terms are products, of w's elements likewise. c: NULL, or a
 * code of the last addition's format for each array. The results are codes of order->result, close together. False:
 * no memory. */
struct order_terms {
    const void *codes;
    size_t pitch, stride;
};
bool order_plan_run(struct order_plan *plan, size_t count, const struct order_terms *x,
                    const struct order_terms *w, const void *c, void *results);

/* The document detcheck/order/1, and one that is read: at most ORDER_MOST_BYTES of a file. A document that is read in
 * is opened, and the caller's to close; false with one line. */
struct cJSON;
enum { ORDER_MOST_BYTES = 64 << 20 };
struct cJSON *order_document(const struct order *order);
bool order_read(const char *path, struct order *order, struct error *error);
bool order_read_text(const char *text, size_t length, const char *path, struct order *order,
                     struct error *error);
/* The hash by which policies and known orders name it: of operation, formats, nodes and rule or trees, whatever numbers nodes
 * have and for whatever lengths the rule was found; 16 digits. */
void order_identity(const struct order *order, char text[17]);

/* For people: a node in a line ("fp32, nearest-even, products exact"); the tree in block characters, for up to
 * ORDER_DRAWN terms; the whole order. */
enum { ORDER_DRAWN = 32 };
void order_node_words(const struct order_node *node, char *text, size_t room);
void order_draw(const struct order_tree *tree, FILE *stream);
void order_print(const struct order *order, FILE *stream);

/* Whether a text is such a document, as far as its beginning tells. */
bool order_is(const char *text);

/* Says line by line where two part: formats, nodes, how sums begin, and at the shortest length at which their trees
 * differ the first addition that only one of them has. Nothing is said of two between which no difference is found.
 * Looked at are all lengths as far as 300, those around powers of two as far as 4097, and those of single trees. False
 * with an error: no memory, or no length that both know. */
struct order_compared {
    size_t lengths, longest; /* that were looked at */
    bool all; /* where nothing is said: they are the same at all lengths that both know */
};
bool order_compare(const struct order *a, const struct order *b, FILE *stream,
                   struct order_compared *compared, struct error *error);

#endif
