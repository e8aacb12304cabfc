/* Taking samples apart. */
#include "order/parts.h"

#include <stdlib.h>
#include <string.h>

void parts_close(struct parts *parts) {
    samples_close(&parts->inner);
    samples_close(&parts->outer);
    samples_close(&parts->rest);
}

/* A sample that is being taken apart, with lists for as many children as it has terms, and one more. */
struct cutter {
    const struct sample *sample;
    const struct order_rule *row;
    struct parts *parts;
    int32_t *list, *all;
};

/* The terms from `from` on, `step` apart, below `to`: how many they are. */
static size_t range(int32_t *list, size_t from, size_t to, size_t step) {
    size_t count = 0;
    for (size_t i = from; i < to; i += step)
        list[count++] = (int32_t)i;
    return count;
}

/* The child with these terms, which is a sample of `inner`; ORDER_NONE where there is none. */
static int32_t inner_part(struct cutter *cutter, size_t from, size_t to, size_t step) {
    size_t count = range(cutter->list, from, to, step);
    int32_t child = sample_find(cutter->sample, cutter->list, count);
    if (child == ORDER_NONE ||
        !samples_add_part(&cutter->parts->inner, cutter->sample, child, cutter->list, count))
        return ORDER_NONE;
    return child;
}

/* `total`, and the terms from `from` on before or behind it, as a sample of `rest`. */
static bool rest_part(struct cutter *cutter, int32_t child, int32_t total, size_t from) {
    const size_t terms = cutter->sample->tree.terms;
    bool before = cutter->row->tail == ORDER_TAIL_BEFORE;
    size_t count = range(cutter->list + !before, from, terms, 1);
    cutter->list[before ? count : 0] = total;
    return samples_add_part(&cutter->parts->rest, cutter->sample, child, cutter->list, count + 1);
}

/* The tail from `from` on around `total`, all of the sample. */
static bool cut_tail(struct cutter *cutter, int32_t total, size_t from) {
    const struct sample *sample = cutter->sample;
    const size_t terms = sample->tree.terms;
    int32_t root = sample_root(sample);
    if (cutter->row->tail == ORDER_TAIL_DROPPED)
        return root == total;
    if (cutter->row->tail != ORDER_TAIL_APART)
        return rest_part(cutter, root, total, from);
    size_t count = range(cutter->list, from, terms, 1);
    int32_t tail = sample_find(sample, cutter->list, count);
    const struct order_addition *last = &sample->tree.additions[sample->tree.count - 1];
    const int32_t *children = sample->tree.children + last->first;
    bool both = last->children == 2 && ((children[0] == total && children[1] == tail) ||
                                        (children[1] == total && children[0] == tail));
    return both && samples_add_part(&cutter->parts->rest, sample, tail, cutter->list, count);
}

/* The whole is a tail, or without lanes. */
static bool cut_short(struct cutter *cutter) {
    const size_t terms = cutter->sample->tree.terms;
    const bool outer =
        cutter->row->tail == ORDER_TAIL_FIRST || cutter->row->tail == ORDER_TAIL_LAST;
    range(cutter->list, 0, terms, 1);
    return samples_add_part(outer ? &cutter->parts->outer : &cutter->parts->rest, cutter->sample,
                            sample_root(cutter->sample), cutter->list, terms);
}

static bool cut_lanes(struct cutter *cutter) {
    const struct sample *sample = cutter->sample;
    const enum order_tail tail = cutter->row->tail;
    const size_t terms = sample->tree.terms, size = (size_t)cutter->row->size,
                 whole = order_lanes_whole(cutter->row, terms);
    const size_t rows = tail == ORDER_TAIL_WITHIN ? terms : whole,
                 lanes = size < rows ? size : rows;
    const int32_t root = sample_root(sample);
    int32_t main_root = root;
    size_t count = tail == ORDER_TAIL_FIRST ? range(cutter->all, whole, terms, 1) : 0;
    if (!rows)
        return cut_short(cutter);
    for (size_t l = 0; l < lanes; l++) {
        int32_t lane = inner_part(cutter, l, rows, size);
        if (lane == ORDER_NONE)
            return false;
        if (l == 0 && tail == ORDER_TAIL_LANE && rows < terms) {
            size_t there = range(cutter->list, 0, rows, size);
            there += range(cutter->list + there, rows, terms, 1);
            int32_t with = sample_find(sample, cutter->list, there);
            if (with == ORDER_NONE || !rest_part(cutter, with, lane, rows))
                return false;
            lane = with;
        }
        cutter->all[count++] = lane;
    }
    if (tail == ORDER_TAIL_LAST)
        count += range(cutter->all + count, whole, terms, 1);
    if (rows < terms && tail != ORDER_TAIL_FIRST && tail != ORDER_TAIL_LAST &&
        tail != ORDER_TAIL_LANE) {
        main_root = sample_find(sample, cutter->list, range(cutter->list, 0, whole, 1));
        if (main_root == ORDER_NONE || !cut_tail(cutter, main_root, whole))
            return false;
    }
    /* Where lanes are missing, what is outside of them has gaps that a sample has not. */
    return lanes < size ||
           samples_add_part(&cutter->parts->outer, sample, main_root, cutter->all, count);
}

static bool cut_main(struct cutter *cutter) {
    const size_t terms = cutter->sample->tree.terms,
                 whole = terms - terms % (size_t)cutter->row->size;
    if (!whole)
        return cut_short(cutter);
    int32_t total = inner_part(cutter, 0, whole, 1);
    return total != ORDER_NONE && (whole == terms || cut_tail(cutter, total, whole));
}

static bool cut_blocks(struct cutter *cutter) {
    const size_t terms = cutter->sample->tree.terms;
    size_t count = 0;
    for (size_t at = 0; at < terms; count++) {
        size_t size = order_block_size(cutter->row, terms, terms - at, count);
        int32_t block = inner_part(cutter, at, at + size, 1);
        if (block == ORDER_NONE)
            return false;
        cutter->all[count] = block;
        at += size;
    }
    return samples_add_part(&cutter->parts->outer, cutter->sample, sample_root(cutter->sample),
                            cutter->all, count);
}

/* Whether a child with the terms from `from` on is two halves as the row has them, by the row's node. */
static bool is_halved(const struct cutter *cutter, int32_t child, size_t from, size_t count,
                      size_t *half) {
    const struct sample *sample = cutter->sample;
    const size_t multiple = (size_t)cutter->row->multiple;
    *half = count / 2;
    if (multiple && *half >= multiple)
        *half -= *half % multiple;
    if (!order_is_addition(child) || sample->tree.additions[~child].children != 2 ||
        sample->tree.additions[~child].node != cutter->row->node)
        return false;
    const int32_t *children = sample->tree.children + sample->tree.additions[~child].first;
    int32_t left = sample_find(sample, cutter->list + from, *half);
    return left != ORDER_NONE && (left == children[0] || left == children[1]);
}

/* Counts down to parts of `size` terms and less, or finds the largest one that is not halved. */
static bool cut_halves(struct cutter *cutter, size_t from, size_t count, uint64_t *largest) {
    size_t half;
    int32_t child = sample_find(cutter->sample, cutter->list + from, count);
    if (child == ORDER_NONE)
        return false;
    bool halved = count > 1 && is_halved(cutter, child, from, count, &half);
    if (largest && !halved) {
        *largest = count > *largest ? count : *largest;
        return true;
    }
    if (!largest && count <= cutter->row->size)
        return samples_add_part(&cutter->parts->inner, cutter->sample, child, cutter->list + from,
                                count);
    return halved && cut_halves(cutter, from, half, largest) &&
           cut_halves(cutter, from + half, count - half, largest);
}

static bool cut(struct cutter *cutter, uint64_t *largest) {
    const size_t terms = cutter->sample->tree.terms;
    switch (cutter->row->kind) {
    case ORDER_LANES:
        return cut_lanes(cutter);
    case ORDER_MAIN:
        return cut_main(cutter);
    case ORDER_HALVES:
        range(cutter->list, 0, terms, 1);
        return cut_halves(cutter, 0, terms, largest);
    default:
        return cut_blocks(cutter);
    }
}

static bool cut_all(const struct samples *samples, struct order_rule *row, struct parts *parts,
                    uint64_t *largest) {
    bool good = true;
    for (size_t i = 0; good && i < samples->count; i++) {
        const size_t terms = samples->at[i].tree.terms;
        struct cutter cutter = {.sample = &samples->at[i], .row = row, .parts = parts};
        cutter.list = malloc((terms + 2) * sizeof *cutter.list);
        cutter.all = malloc((terms + 2) * sizeof *cutter.all);
        good = cutter.list && cutter.all && cut(&cutter, largest);
        free(cutter.list);
        free(cutter.all);
    }
    return good;
}

bool parts_of(const struct samples *samples, struct order_rule *row, struct parts *parts) {
    uint64_t largest = 1;
    bool any = false; /* halved */
    *parts = (struct parts){.inner = {.count = 0}};
    bool good = row->kind != ORDER_HALVES || cut_all(samples, row, parts, &largest);
    if (row->kind == ORDER_HALVES)
        row->size = largest;
    for (size_t i = 0; i < samples->count; i++)
        any |= row->kind != ORDER_HALVES || samples->at[i].tree.terms > largest;
    good = good && any && cut_all(samples, row, parts, NULL);
    if (!good)
        parts_close(parts);
    return good;
}
