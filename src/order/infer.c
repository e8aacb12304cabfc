/* The shortest rule that gives samples: rows are tried, and those of several rows take samples apart. */
#include "order/infer.h"

#include "order/parts.h"

#include <stdlib.h>
#include <string.h>

/* A rule is looked for with one row, then with two, and so on. What is tried is counted: trees without a rule have no
 * end of near misses. */
enum { MOST_ROWS = 7, MOST_WORK = 50 * 1000 * 1000 };
struct known {
    uint64_t samples; /* a hash of them; 0: an empty place */
    unsigned failed;  /* there is no rule of so many rows */
    struct order_rules rules;
};
enum { MOST_KNOWN = 1024 };

struct search {
    const struct samples *samples;
    struct order_rules *found; /* count 0: none yet */
    unsigned most;             /* rows */
    uint64_t *work;            /* terms that may still be looked at */
    struct known *known;       /* MOST_KNOWN of what was looked for before */
    bool is_reversed;
};

static bool infer(const struct search *search);

/* The node by which the longest sample is put together at last. */
static uint16_t last_node(const struct sample *sample) {
    const struct order_tree *tree = &sample->tree;
    return tree->count ? tree->additions[tree->count - 1].node : 0;
}

bool infer_gives(const struct order_rules *rules, size_t terms, uint64_t hash) {
    struct order_tree tree;
    struct error error;
    if (!order_rules_tree(rules, terms, &tree, &error))
        return false;
    bool same = order_tree_hash(&tree) == hash;
    order_tree_close(&tree);
    return same;
}

static bool gives_all(const struct order_rules *rules, const struct samples *samples) {
    for (size_t i = 0; i < samples->count; i++)
        if (!infer_gives(rules, samples->at[i].tree.terms, samples->at[i].hash))
            return false;
    return true;
}

/* Takes what looking at all samples costs; false: that is too much by now. */
static bool has_work(const struct search *search) {
    uint64_t terms = 0;
    for (size_t i = 0; i < search->samples->count; i++)
        terms += search->samples->at[i].tree.terms;
    *search->work -= terms < *search->work ? terms : *search->work;
    return *search->work;
}

static void try_row(const struct search *search, struct order_rule row) {
    struct order_rules rules = {.count = 1, .rows = {row}};
    if (!search->found->count && has_work(search) && gives_all(&rules, search->samples))
        *search->found = rules;
}

/* Whether a part goes without saying. */
static bool is_plain(const struct order_rules *part, unsigned node) {
    const struct order_rule *row = &part->rows[0];
    return !part->count || (row->kind == ORDER_SEQUENTIAL && row->size == 1 && row->node == node);
}

/* Puts a part's rows behind the others; 0 where it goes without saying. */
uint8_t infer_append(struct order_rules *rules, const struct order_rules *part) {
    unsigned from = rules->count;
    if (is_plain(part, rules->rows[0].node))
        return 0;
    for (unsigned i = 0; i < part->count; i++) {
        struct order_rule row = part->rows[i];
        row.inner = (uint8_t)(row.inner ? row.inner + from : 0);
        row.outer = (uint8_t)(row.outer ? row.outer + from : 0);
        row.rest = (uint8_t)(row.rest ? row.rest + from : 0);
        order_rules_add(rules, row);
    }
    return (uint8_t)from;
}

/* A rule of some samples, of which the rows that are left for others are fewer then. */
static bool infer_part(const struct search *search, const struct samples *samples, unsigned node,
                       unsigned *left, struct order_rules *rules) {
    const struct search part = {samples,      rules,         *left,
                                search->work, search->known, search->is_reversed};
    if (!infer(&part))
        return false;
    unsigned rows = is_plain(rules, node) ? 0 : rules->count;
    bool fits = rows <= *left;
    *left -= fits ? rows : 0;
    return fits;
}

static void try_parts(const struct search *search, struct order_rule row) {
    struct parts parts;
    struct order_rules inner = {0}, outer = {0}, rest = {0}, whole = {.count = 1};
    unsigned left = search->most - 1;
    if (search->found->count || !search->most || !has_work(search))
        return;
    if (!parts_of(search->samples, &row, &parts))
        return;
    bool good = infer_part(search, &parts.inner, row.node, &left, &inner) &&
                infer_part(search, &parts.outer, row.node, &left, &outer) &&
                infer_part(search, &parts.rest, row.node, &left, &rest);
    parts_close(&parts);
    if (!good)
        return;
    whole.rows[0] = row;
    whole.rows[0].inner = infer_append(&whole, &inner);
    whole.rows[0].outer = infer_append(&whole, &outer);
    whole.rows[0].rest = infer_append(&whole, &rest);
    if (gives_all(&whole, search->samples))
        *search->found = whole;
}

/* The items in another sequence, by which a simpler rule may give them. */
static void try_reordered(const struct search *search, struct order_rule row) {
    struct samples reordered = {.count = 0};
    struct order_rules inner = {0}, whole = {.count = 1, .rows = {row}};
    unsigned left = search->most - 1;
    bool good =
        !search->found->count && search->most > 1 && !search->is_reversed && has_work(search);
    for (size_t i = 0; good && i < search->samples->count; i++) {
        const struct sample *sample = &search->samples->at[i];
        size_t terms = sample->tree.terms;
        int32_t *items = malloc((terms + 1) * sizeof *items);
        for (size_t k = 0; items && k < terms; k++)
            items[k] = (int32_t)order_item_at(&row, terms, k);
        good = items && samples_add_part(&reordered, sample, sample_root(sample), items, terms);
        free(items);
    }
    const struct search other = {.work = search->work, .known = search->known, .is_reversed = true};
    good = good && infer_part(&other, &reordered, row.node, &left, &inner);
    samples_close(&reordered);
    if (!good)
        return;
    whole.rows[0].inner = infer_append(&whole, &inner);
    if (gives_all(&whole, search->samples))
        *search->found = whole;
}

/* The least term that the term is added to, and how many terms that addition has. */
static size_t partner(const struct sample *sample, int32_t term, size_t *count) {
    int32_t at = sample->term_parent[term];
    size_t least = SIZE_MAX;
    *count = at < 0 ? 0 : sample->tree.additions[at].children;
    for (size_t k = 0; k < *count; k++) {
        int32_t child = sample->tree.children[sample->tree.additions[at].first + k];
        if (order_is_term(child) && child != term && (size_t)child < least)
            least = (size_t)child;
    }
    return least;
}

static void try_lanes(const struct search *search, uint16_t node, size_t lanes) {
    static const enum order_tail tails[] = {ORDER_TAIL_WITHIN, ORDER_TAIL_AFTER,  ORDER_TAIL_BEFORE,
                                            ORDER_TAIL_APART,  ORDER_TAIL_FIRST,  ORDER_TAIL_LAST,
                                            ORDER_TAIL_LANE,   ORDER_TAIL_DROPPED};
    bool any = false;
    for (size_t i = 0; i < search->samples->count; i++)
        any |= search->samples->at[i].tree.terms % lanes != 0;
    for (size_t i = 0; i < (any ? sizeof tails / sizeof *tails : 1); i++)
        try_parts(search, (struct order_rule){
                              .kind = ORDER_LANES, .node = node, .size = lanes, .tail = tails[i]});
    /* Kernels that go several rows at a time. */
    for (size_t rows = 2; any && rows <= 8; rows *= 2)
        try_parts(search, (struct order_rule){.kind = ORDER_LANES,
                                              .node = node,
                                              .size = lanes,
                                              .multiple = rows * lanes,
                                              .tail = ORDER_TAIL_LANE});
}

/* A hash of the blocks that a row cuts samples into, and whether there is a sample with more than one. */
static uint64_t blocks_hash(const struct search *search, const struct order_rule *row, bool *any) {
    uint64_t hash = 0;
    for (size_t i = 0; i < search->samples->count; i++) {
        size_t terms = search->samples->at[i].tree.terms, number = 0;
        for (size_t at = 0; at < terms; number++) {
            size_t size = order_block_size(row, terms, terms - at, number);
            hash = (hash + size) * UINT64_C(0x9e3779b97f4a7c15);
            at += size;
        }
        *any |= number > 1 && number < terms;
    }
    return hash;
}

/* Blocks of one size or in one number, rounded to multiples: once for those that are the same in all samples. */
static void try_multiples(const struct search *search, struct order_rule row,
                          const struct sample *sample) {
    enum { MULTIPLES = 7 };
    static const uint64_t multiples[MULTIPLES] = {0, 1, 2, 4, 8, 16, 32};
    uint64_t hashes[MULTIPLES];
    for (size_t k = 0; k < MULTIPLES; k++) {
        bool any = false, known = false;
        row.multiple = multiples[k];
        hashes[k] = 0;
        if (!sample_has_range(sample, 0,
                              order_block_size(&row, sample->tree.terms, sample->tree.terms, 0)))
            continue;
        hashes[k] = blocks_hash(search, &row, &any);
        for (size_t i = 0; i < k; i++)
            known |= hashes[i] == hashes[k];
        if (any && !known)
            try_parts(search, row);
    }
}

/* Blocks as large as what term 0 is added up in, where there is another one behind it; and parts. */
static void try_blocks(const struct search *search, uint16_t node, const struct sample *sample) {
    size_t terms = sample->tree.terms, tried = 0;
    for (int32_t at = sample->term_parent[0]; at >= 0 && tried < 8; at = sample->parent[at]) {
        size_t size = sample->count[at];
        if (size > terms / 2 || !sample_has_range(sample, 0, size) ||
            !sample_has_range(sample, size, size))
            continue;
        tried++;
        try_multiples(search, (struct order_rule){.kind = ORDER_BLOCKS, .node = node, .size = size},
                      sample);
    }
    for (size_t size = 8; size <= 1024 && size < terms; size *= 2)
        try_multiples(
            search, (struct order_rule){.kind = ORDER_CENTRED, .node = node, .size = size}, sample);
    for (size_t parts = 2; parts <= 64 && parts <= terms; parts += parts < 16 ? 1 : 8)
        try_multiples(search, (struct order_rule){.kind = ORDER_SPLIT, .node = node, .size = parts},
                      sample);
}

/* The first term of a sum one by one that is not where it would be from the left; 0 where it is no such sum. */
static size_t first_turn(const struct sample *sample) {
    for (size_t i = 1; i < sample->tree.count; i++) {
        const int32_t *children = sample->tree.children + sample->tree.additions[i].first;
        for (size_t k = 0; k < sample->tree.additions[i].children; k++)
            if (order_is_term(children[k]) && (size_t)children[k] != i + 1)
                return i + 1;
    }
    return 0;
}

static void try_composed(const struct search *search, uint16_t node, const struct sample *sample) {
    static const uint64_t multiples[] = {1, 2, 4, 8, 16, 32, 64};
    size_t count, lanes = partner(sample, 0, &count), terms = sample->tree.terms;
    for (int k = 0; k < 7; k++)
        try_parts(search, (struct order_rule){
                              .kind = ORDER_HALVES, .node = node, .multiple = multiples[k]});
    for (size_t size = lanes; lanes != SIZE_MAX && size > 1; size--)
        if (lanes % size == 0)
            try_lanes(search, node, size);
    try_blocks(search, node, sample);
    for (size_t size = 2; size <= 64 && size < terms; size *= 2)
        for (enum order_tail tail = ORDER_TAIL_AFTER; tail < ORDER_TAILS; tail++)
            if (tail < ORDER_TAIL_FIRST || tail == ORDER_TAIL_DROPPED)
                try_parts(search,
                          (struct order_rule){
                              .kind = ORDER_MAIN, .node = node, .size = size, .tail = tail});
    for (uint64_t group = 1; lanes != SIZE_MAX && group <= 16; group *= 2)
        if (lanes % (2 * group) == 0)
            try_reordered(search,
                          (struct order_rule){
                              .kind = ORDER_DEALT, .node = node, .size = lanes, .multiple = group});
    size_t turn = first_turn(sample);
    if (turn > 1)
        try_reordered(search,
                      (struct order_rule){.kind = ORDER_SERPENTINE, .node = node, .size = turn});
    for (uint64_t group = 1; turn > 1 && group <= 16; group *= 2)
        try_reordered(search, (struct order_rule){.kind = ORDER_SERPENTINE,
                                                  .node = node,
                                                  .size = 4 * group,
                                                  .multiple = group});
    try_reordered(search, (struct order_rule){.kind = ORDER_REVERSED, .node = node});
}

static void look(const struct search *search) {
    static const uint64_t levels[] = {4, 3, 2, 5};
    const struct samples *samples = search->samples;
    const struct sample *longest = &samples->at[0];
    for (size_t i = 1; i < samples->count; i++)
        if (samples->at[i].tree.terms > longest->tree.terms)
            longest = &samples->at[i];
    const uint16_t node = last_node(longest);
    size_t at_once;
    partner(longest, 0, &at_once);
    try_row(search, (struct order_rule){.kind = ORDER_SEQUENTIAL, .node = node, .size = 1});
    for (enum order_rule_kind kind = ORDER_REVERSED; search->most && kind <= ORDER_FOLD; kind++)
        try_row(search, (struct order_rule){.kind = kind, .node = node});
    for (size_t size = 0; search->most && size <= at_once; size += at_once ? at_once : 1)
        try_row(search, (struct order_rule){.kind = ORDER_SEQUENTIAL, .node = node, .size = size});
    if (!search->found->count && search->most)
        try_composed(search, node, longest);
    for (uint64_t size = 4; search->most && size <= 1024; size *= 2)
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
            try_row(search,
                    (struct order_rule){
                        .kind = ORDER_CASCADE, .node = node, .size = size, .multiple = levels[i]});
}

/* A rule of at most search->most rows for the samples; of no samples, none. From the left goes without saying in
 * parts, and is no row. */
static bool infer(const struct search *search) {
    const struct samples *samples = search->samples;
    uint64_t hash = 1 + search->is_reversed;
    search->found->count = 0;
    if (samples->conflict || !samples->count)
        return !samples->conflict;
    for (size_t i = 0; i < samples->count; i++)
        hash += samples->at[i].hash * (2 * samples->at[i].tree.terms + 1);
    struct known *known = &search->known[(hash ^ hash >> 32) % MOST_KNOWN];
    if (known->samples != hash)
        *known = (struct known){.samples = hash};
    if (known->rules.count && known->rules.count <= search->most) {
        *search->found = known->rules;
        return true;
    }
    if (known->failed > search->most)
        return false;
    look(search);
    if (known->samples != hash)
        *known = (struct known){.samples = hash};
    if (search->found->count)
        known->rules = *search->found;
    else if (*search->work)
        known->failed = search->most + 1;
    return search->found->count;
}

bool infer_shortest(const struct samples *samples, struct order_rules *rules) {
    uint64_t work = MOST_WORK;
    bool found = false;
    struct known *known = calloc(MOST_KNOWN, sizeof *known);
    for (unsigned most = 1; known && !found && work && most <= MOST_ROWS; most++) {
        const struct search search = {
            .samples = samples, .found = rules, .most = most, .work = &work, .known = known};
        found = infer(&search);
    }
    free(known);
    return found;
}
