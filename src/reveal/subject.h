/* What is to be revealed, as a function of terms: an implementation bound to a sum, a product of arrays or a scan, for
 * one number of terms.
 *
 * A call computes `lines` sums at once, or one: rows of a batch, or of a product of matrices, whose order is taken to be
 * the same until replay has shown it. Terms are set as numbers; of products a term is one product of two factors. A sum
 * inside of an operation has terms of its own (through.h). */
#ifndef DETCHECK_REVEAL_SUBJECT_H
#define DETCHECK_REVEAL_SUBJECT_H

#include "impl/implementation.h"
#include "order/order.h"
#include "reveal/crew.h"
#include "reveal/inner.h"
#include "reveal/through.h"

#include <signal.h>

struct through_replay;

enum { SUBJECT_CODED = 16 };

struct subject {
    const struct implementation *implementation;
    struct binding_request request;
    struct binding binding;
    struct shape shape; /* with `terms` for the length of a line */
    struct array_call call;
    size_t terms, lines, columns;
    size_t
        length; /* of a line: more than there are terms where a prefix of a scan is looked at; probes have 0 behind it */
    size_t pitch, stride; /* of the elements of a line (struct order_terms) */
    bool products;        /* terms are products */
    bool
        extremes; /* replayed products go beyond what the results hold, and down to their least numbers */
    bool shared; /* of which the second factors are the same in all lines: a product of matrices */
    size_t
        probed; /* lines that probes fill at once: one where terms of a narrow format need both factors */
    /* Of a sum inside of an operation: terms are planted as its row says, and results are not the sum. The term by
     * which it is read has the number `reader`. */
    const struct through *through;
    struct through_replay
        *replayed; /* what replaying keeps of it, in one piece (through_replay.h) */
    size_t reader;
    const struct inner_sum *inner; /* NULL: the operation is called as it is */
    /* The operation itself, where `request` and `call` are those of a simpler one. */
    struct binding_request own_request;
    struct shape own_shape; /* else the user's */
    struct inner_call own;
    struct {
        uint64_t bits, code;
        bool is_there;
    } coded[SUBJECT_CODED];            /* numbers that were set last, by their places */
    struct crew crew;                  /* threads that make each call, too */
    uint64_t calls;                    /* so far, of this subject */
    const volatile sig_atomic_t *stop; /* NULL, or set where no more is wanted */
    bool
        is_hidden; /* the results do not show the sum: the error of what failed says how that shows */
    const char *event; /* what the implementation did besides answering, or NULL */
    uint64_t event_call;
};

/* Whether the order of its sums can be looked for; false with the reason. */
bool subject_provides(const struct operation *operation, struct error *why);
/* Whether its calls are lines of one operand or two that are summed, so that no sum inside of it need be named. */
bool subject_provides_lines(const struct operation *operation);

/* For lines of that many terms; of a scan they may be the first ones of a line of `length`, else 0. `inner` is the sum
 * inside of the operation that is meant, or NULL. `shape` is the user's, whose length of a line is replaced, or has 0
 * dimensions. */
bool subject_open(struct subject *subject, const struct implementation *implementation,
                  const struct binding_request *request, const struct inner_sum *inner,
                  const struct shape *shape, size_t terms, size_t length, struct error *error);
void subject_close(struct subject *subject);
/* Whether whoever runs this wants no more of it; the other one is false then, with an error. */
bool subject_is_stopped(const struct subject *subject);
bool subject_may_go_on(const struct subject *subject, struct error *error);
/* From now on so many threads make each call at once. */
bool subject_call_at_once(struct subject *subject, unsigned threads, struct error *error);

/* Whether probes set both factors of a term. */
bool subject_sets_both(const struct subject *subject);

/* Whether what is summed is divided by the number of terms. */
bool subject_is_mean(const struct subject *subject);

/* The numbers of terms that the user's shape gives: 0 where it gives none. */
size_t subject_terms(const struct operation *operation, const struct inner_sum *inner,
                     const struct parameters *parameters, const struct shape *shape);

/* Sets a term of a line to a number; of a product the second factor is 1 where the first can hold it. All second
 * factors of shared ones are 1, unless probes set both. */
void subject_set(struct subject *subject, size_t line, size_t term, double value);
/* Of --addend: c is what leaves each sum as it is, -0 where the format has one, so that what comes of +0 is the sum's own. */
void subject_leave_c(struct subject *subject);
void subject_set_all(struct subject *subject, double value);
/* Whether a line has elements behind its terms, and sets these to 0, as subject_set_all does too. */
bool subject_has_behind(const struct subject *subject);
void subject_clear_behind(struct subject *subject);
/* The two factors of a term, where it has two. */
void subject_set_factors(struct subject *subject, size_t line, size_t term, double x, double y);

/* Computes the results of all lines. False with an error where the environment fails or there is no answer. */
bool subject_call(struct subject *subject, struct error *error);

/* The result of a line: of column 0 where there are several. Where an operation has a result for each term, that is the
 * one of the reader; of shares, that of the term `column`. */
uint64_t subject_code(const struct subject *subject, size_t line, size_t column);
double subject_result(const struct subject *subject, size_t line);

/* The formats of the terms and of their sum, as an order has them. */
const struct format *subject_term_format(const struct subject *subject);
const struct format *subject_sum_format(const struct subject *subject);

/* The terms of column `column` of all lines as a run of an order takes them. */
void subject_terms_of(const struct subject *subject, size_t column, struct order_terms *x,
                      struct order_terms *w);

/* Whether a sum keeps bits that no result has. */
bool subject_shows_less(const struct subject *subject);

#endif
