/* Which inputs a sweep visits, in which order.
 *
 * A domain is a product of one set of codes per operand, or an explicit list of tuples, or a sample
 * of a product. Its inputs are numbered in bit-pattern order, first operand major, so that outputs
 * have one order whatever the blocks and threads. Nothing is stored per input except for lists. */
#ifndef DETCHECK_SWEEP_DOMAIN_H
#define DETCHECK_SWEEP_DOMAIN_H

#include "base/error.h"
#include "format/format.h"
#include "op/operation.h"
#include "sweep/array/cases.h"
#include "sweep/code_set.h"
#include "sweep/integers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum domain_kind {
    DOMAIN_ALL,
    DOMAIN_RANGE,
    DOMAIN_SAMPLES,
    DOMAIN_SPECIAL,
    DOMAIN_FILE,
    DOMAIN_ARRAYS,
    DOMAIN_SEARCH
};
extern const char *const domain_kind_names[];

struct search_record;

struct domain {
    enum domain_kind kind;
    const struct format *format;
    int operands;
    struct code_set sets[MAX_OPERANDS]; /* the product; unused when there are tuples */
    uint64_t *tuples;                   /* `operands` codes each, sorted */
    struct cases cases;                 /* of an operation on arrays: all there is */
    uint64_t count;                     /* of inputs */
    uint64_t seed;                      /* of samples */
    uint64_t run_length;                /* of samples; see domain_samples */
    struct integer_draws integers;      /* of samples; see domain_samples */
    uint64_t dropped;                   /* duplicates in a file */
    const struct search_record *search; /* how its inputs were found (search/search.h), or NULL */
    char text[256];                     /* what it is, for people: "all 65,536 inputs" */
    char options[256]; /* of the command that chooses it, " --samples 600 --seed 1"; "": unknown */
};

void domain_free(struct domain *domain);

/* "A:B", both ends included. Two bit patterns: bit-pattern order, the only one of a scaled format. Otherwise value order, -0 below
 * +0, NaN never inside. `note` (or NULL) receives a line when an end had to be rounded. */
bool code_set_range(struct code_set *set, const struct format *format, const char *text,
                    struct error *note, struct error *error);

/* Zeros, limits, infinities, NaNs, the operation's landmarks, each with its neighbours; for one
 * operand every power of two as well. */
bool code_set_special(struct code_set *set, const struct format *format,
                      const struct operation *operation, struct error *error);

/* The same without the powers of two. */
bool code_set_landmarks(struct code_set *set, const struct format *format,
                        const struct operation *operation, struct error *error);

/* The same without the neighbours. */
bool code_set_exact_landmarks(struct code_set *set, const struct format *format,
                              const struct operation *operation, struct error *error);

/* Every code (the operation may be NULL). */
bool code_set_every(struct code_set *set, const struct format *format,
                    const struct operation *operation, struct error *error);

/* One set for all operands, or one for each where their formats are their own; each by `make`. What was made before
 * an error stays in the sets, MAX_OPERANDS of them, which are empty before. */
typedef bool code_set_maker(struct code_set *set, const struct format *format,
                            const struct operation *operation, struct error *error);
bool code_sets_make(struct code_set *sets, size_t *set_count, code_set_maker *make,
                    const struct operation *operation, const struct format *format,
                    struct error *error);

/* Takes one set per operand (moved out of `sets`; with one set for several operands it is used for
 * each) and makes the product. An error when it is empty or has 2^64 inputs or more. */
bool domain_product(struct domain *domain, enum domain_kind kind, const struct format *format,
                    int operands, struct code_set *sets, size_t set_count, struct error *error);

/* `samples` inputs of the product of `sets`: one drawn uniformly from each of as many strata of
 * equal size, so ascending, evenly spread, and the same for the same seed whatever the machine. The
 * leading operands whose product fits 64 bits are stratified, the others drawn independently. With
 * as many samples as there are inputs, or more: each input once; of runs, each whole run once. */
struct sampling {
    uint64_t samples, seed;
    /* A power of two, 1 to MOST_RUN_LENGTH, and no more than the last operand has values: as many
     * samples in a row have the same operands but for the last, which takes consecutive values of
     * its set; then it is the runs that are drawn. The last run may be shorter. Values of the last
     * operand that are left over behind its last whole run are in none, however many samples are wanted. The fast oracle judges runs
     * where single samples are left to MPFR. */
    uint64_t run_length;
    /* NULL, or whose integer is drawn as sweep/integers.h says, where its set holds integers: beside
     * each draw of the other operand; where it is the first operand, in strata of its own. */
    const struct operation *operation;
};
enum { MOST_RUN_LENGTH = 1 << 18 };
bool domain_samples(struct domain *domain, const struct format *format, int operands,
                    struct code_set *sets, size_t set_count, const struct sampling *sampling,
                    struct error *error);

/* Takes `count` tuples of as many codes as there are operands, from malloc: sorted, each once. */
void domain_tuples(struct domain *domain, const struct format *format, int operands,
                   uint64_t *tuples, size_t count);

/* A file of values: one or `operands` a line, separated by blanks or commas, "#" begins a comment; or a tensor
 * (tensor/named.h), whose elements are the values, a row of it a line where it has `operands` columns.
 * One a line for several operands makes the product. "-" is stdin. Sorted; duplicates are dropped
 * and counted. `note` as in code_set_range. Of another `kind` of lines (lines/lines.h; NULL: as
 * said) only those of the operation and format count. */
struct line_kind;
bool domain_file(struct domain *domain, const struct format *format,
                 const struct operation *operation, const char *path, const struct line_kind *kind,
                 struct error *note, struct error *error);

/* Writes inputs first..first+count-1 into one array per operand. */
void domain_fill(const struct domain *domain, uint64_t first, size_t count, void *const *arrays);

/* The operands of one input. */
void domain_codes_at(const struct domain *domain, uint64_t index, uint64_t codes[MAX_OPERANDS]);

#endif
