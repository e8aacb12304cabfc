/* Ways of computing an operation, each of which predicts all bits: orders of sums, forms of kernels, rewritings,
 * implementations, the exact result; and changes, of inputs, of parameters and of results, that come on top of one. */
#ifndef DETCHECK_TRACE_WAYS_H
#define DETCHECK_TRACE_WAYS_H

#include "impl/forms/forms.h"
#include "impl/implementation.h"
#include "trace/call.h"
#include "trace/ways_orders.h"

enum trace_way_kind {
    TRACE_WAY_EXACT,         /* rounded once */
    TRACE_WAY_ORDER,         /* of sums and products */
    TRACE_WAY_REVEALED,      /* the order of an implementation that is at hand (ways_revealed.h) */
    TRACE_WAY_IMPLEMENTATION /* by name */
};

/* Where what a product is added to comes in. */
enum trace_onto { TRACE_ONTO_NONE, TRACE_ONTO_FIRST, TRACE_ONTO_SUM, TRACE_ONTO_RESULT };

struct trace_way {
    enum trace_way_kind kind;
    enum rounding rounding;          /* of the exact result */
    const struct trace_order *order; /* of orders */
    const struct order *revealed;    /* of revealed ones; the tree is that of the call's length */
    const struct order_tree *tree;
    const char *says;
    const struct format *accumulator;  /* of orders */
    bool rounds_products;              /* likewise */
    enum trace_onto onto;              /* likewise */
    const struct operation *operation; /* another function of the same operands; NULL: the call's */
    const char *name;                  /* of an implementation; from malloc */
    bool is_last;                      /* tried where no other way gives a side */
    int change;                        /* on top: a row of changes, from 1 on; 0: none */
};

struct trace_ways {
    struct trace_way *items;
    size_t count, room;
    bool out_of_memory;
    struct trace_orders orders; /* that ways have */
};

/* All ways without changes, those of implementations first, then the usual ones. `reveals` may be NULL. */
struct trace_reveals;
void trace_ways_open(struct trace_ways *ways, const struct trace_call *call,
                     struct trace_reveals *reveals);
void trace_ways_close(struct trace_ways *ways);

/* Gives the number of change `index` among those that suit the call: 1 or more; 0 beyond the last. */
int trace_change_at(const struct trace_call *call, size_t index);

/* The results of a call that is a part (trace/part.h) by a way, codes of the result's format. False where it has none. */
bool trace_way_run(const struct trace_way *way, const struct trace_call *part, void *results,
                   struct error *why);

/* What a side does by it: "sums from the left, in fp32", ready to stand behind "here". */
void trace_way_words(const struct trace_way *way, const struct trace_call *call, char *text,
                     size_t room);

/* In how many points two ways are different. */
int trace_way_distance(const struct trace_way *a, const struct trace_way *b);

/* In what alone two ways differ where results may not show it: in whose functions they take; in the order of sums in a format of
 * twice the results' precision, which the exact sum is like. */
enum trace_detail { TRACE_DETAIL_NONE, TRACE_DETAIL_FUNCTIONS, TRACE_DETAIL_ORDER };
enum trace_detail trace_ways_detail(const struct trace_way *a, const struct trace_way *b,
                                    const struct format *results);

/* Below: between the files of this folder. */

/* Whether a call is a sum, a mean or made of dot products. */
bool trace_is_sum(const struct trace_call *call);
/* Adds a way. NULL without memory, which the ways then say. */
struct trace_way *trace_ways_add(struct trace_ways *ways, struct trace_way way);

/* The results of sums and dot products by an order. */
bool trace_sums_run(const struct trace_way *way, const struct trace_call *part, void *results,
                    struct error *why);

/* A change: made of the call in place before, and of the results behind. */
const char *trace_change_says(int change);
bool trace_change_before(int change, struct trace_call *part, struct error *why);
void trace_change_results(int change, const struct trace_call *part, void *results);

#endif
