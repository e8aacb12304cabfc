/* Sums inside of operations that a line alone does not show: of layer_norm and of attention. A row says as the sum of
 * which simpler operation one is revealed, how terms are laid into the operation's own operands, and how its results are
 * read. All that looks for the order sees the simpler operation. */
#ifndef DETCHECK_REVEAL_INNER_H
#define DETCHECK_REVEAL_INNER_H

#include "impl/implementation.h"
#include "reveal/through.h"

/* What was laid beside the terms of a line, so that a result can be read by it. */
struct inner_beside {
    bool is_there;
    size_t place;
    uint64_t code;
};

/* Both calls. The simpler one has `lines` of `terms` each. */
struct inner_call {
    const struct array_call *simple;
    struct array_call call; /* the operation's own */
    size_t lines, terms;
    struct inner_beside *beside; /* of each line */
    uint64_t window;             /* of a convolution: whose products are summed */
};

struct inner_sum {
    const char *operation, *name;
    const char *simpler;           /* the operation as whose sum it is revealed */
    const struct through *through; /* NULL: as of that */
    bool one_group;                /* --groups is 1 */
    /* The number of terms that a shape gives. */
    size_t (*terms)(const struct shape *shape, const struct parameters *parameters);
    /* Gives the user's shape, which may have 0 dimensions, and the parameters, that number of terms, and says how many lines of them it
     * has. False with the reason where that cannot be. */
    bool (*fit)(struct shape *shape, struct parameters *parameters, size_t terms, size_t *lines,
                struct error *error);
    bool (*constants)(
        struct inner_call *inner,
        struct error *error); /* once: what no term changes; NULL: nothing. False with the reason
                                                   where the shape does not serve. */
    void (*lay)(struct inner_call *inner);
    void (*take)(struct inner_call *inner);
};

/* The rows of an operation, by number; NULL behind the last one. */
const struct inner_sum *inner_row(const struct operation *operation, size_t index);
/* How the sum of a row, or, where that is NULL, of the operation itself, is revealed; NULL where its results are sums. */
const struct through *inner_through(const struct inner_sum *inner,
                                    const struct operation *operation);

/* Plans and allocates the operation's own call, of a simpler one that has been planned. inner_close when done, in any
 * case. */
bool inner_open(struct inner_call *inner, const struct inner_sum *row,
                const struct binding_request *own, const struct array_call *simple,
                const struct shape *shape, struct error *error);
void inner_close(struct inner_call *inner);

#endif
