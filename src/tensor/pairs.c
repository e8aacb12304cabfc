/* Pairing by name. */
#include "tensor/pairs.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b) {
    const struct tensor *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* The tensors of a file by their names, from malloc; NULL when memory is out. */
static const struct tensor **sorted(const struct tensor_file *file) {
    const struct tensor **list = malloc((file->count + 1) * sizeof *list);
    for (size_t i = 0; list && i < file->count; i++)
        list[i] = &file->tensors[i];
    if (list)
        qsort(list, file->count, sizeof *list, by_name);
    return list;
}

static const struct tensor *find(const struct tensor *tensor, const struct tensor **list,
                                 size_t count) {
    const struct tensor **found = bsearch(&tensor, list, count, sizeof *list, by_name);
    return found ? *found : NULL;
}

/* Fills the items with who stands beside whom. */
static void pair(const struct tensor_file *a, const struct tensor_file *b,
                 const struct tensor **list_a, const struct tensor **list_b,
                 struct tensor_pairs *pairs) {
    const bool alone = a->count == 1 && b->count == 1;
    for (size_t i = 0; i < a->count; i++) {
        struct tensor_pair *item = &pairs->items[pairs->count++];
        item->a = &a->tensors[i];
        item->b = alone ? &b->tensors[0] : find(item->a, list_b, b->count);
    }
    for (size_t i = 0; i < b->count && !alone; i++)
        if (!find(&b->tensors[i], list_a, a->count))
            pairs->items[pairs->count++].b = &b->tensors[i];
}

bool tensor_compare_files(const struct tensor_file *a, const struct tensor_file *b,
                          const volatile sig_atomic_t *stop, struct tensor_pairs *pairs,
                          struct error *error) {
    const struct tensor **list_a = sorted(a), **list_b = sorted(b);
    *pairs = (struct tensor_pairs){.items = calloc(a->count + b->count + 1, sizeof *pairs->items)};
    bool good = (list_a && list_b && pairs->items) || error_set(error, "out of memory");
    if (good)
        pair(a, b, list_a, list_b, pairs);
    for (size_t i = 0; good && i < pairs->count; i++) {
        struct tensor_pair *item = &pairs->items[i];
        if (!item->a || !item->b)
            continue;
        good =
            tensor_compare(a, item->a, b, item->b, stop, &item->difference, &item->mismatch, error);
        const bool compared = good && item->mismatch == TENSOR_COMPARED;
        item->equal = compared && !item->difference.differ &&
                      tensor_types_are_same(item->a->type, item->b->type);
        pairs->compared += compared;
        pairs->equal += item->equal;
    }
    free(list_a);
    free(list_b);
    good = good && tensor_file_stays(a, error) && tensor_file_stays(b, error);
    if (!good)
        tensor_pairs_free(pairs);
    return good;
}

void tensor_pairs_free(struct tensor_pairs *pairs) {
    free(pairs->items);
    *pairs = (struct tensor_pairs){0};
}
