/* Kappa: how many values an approximate implementation is off, by section 4.4 of the interim report 4.0 of IEEE
 * P3109, a draft. Of every input there is. */
#ifndef DETCHECK_SWEEP_KAPPA_H
#define DETCHECK_SWEEP_KAPPA_H

#include "format/format.h"
#include "sweep/tally.h"

/* Greater than any number of values: an infinity where there should be none, or the reverse; and the same of NaN. */
#define KAPPA_INFINITE (UINT64_MAX - 2)
#define KAPPA_NAN      (UINT64_MAX - 1)

/* The bits of all operands of an input together; the intervals of the first operand that are listed. */
enum { KAPPA_MOST_BITS = 26, KAPPA_INTERVALS = 256 };

/* What a sweep found of one implementation, which merges in any order to the same; of several results the largest. */
struct kappa_table {
    uint64_t *
        most; /* by the code of the first operand: one more than its largest kappa; 0: it was in no input */
    uint64_t inputs;
    uint64_t kappa;
    struct witness worst; /* the first input with it, where kappa is not 0 */
};

/* First operands from one number to another, both of them in it, and the largest kappa there. */
struct kappa_interval {
    uint64_t low, high; /* codes */
    uint64_t kappa;
};

/* Values between two outputs, one of them counted (4.4). */
uint64_t kappa_of(const struct format *format, uint64_t got, uint64_t want);

/* False when there is no memory. Close it in any case. */
bool kappa_open(struct kappa_table *table, const struct format *operands);
void kappa_close(struct kappa_table *table);

/* As many tables, or none at all: *tables is NULL then. */
bool kappa_open_all(struct kappa_table **tables, size_t count, const struct format *operands);
void kappa_close_all(struct kappa_table *tables, size_t count);

/* Counts an output of result number `result`. */
void kappa_note(struct kappa_table *table, const struct format *format, int result,
                const struct witness *witness);

void kappa_merge(struct kappa_table *table, const struct kappa_table *other,
                 const struct format *operands);

/* In order, of all numbers that were first operands; as many as kappa needs to be the same in each, up to
 * KAPPA_INTERVALS. Returns how many. */
size_t kappa_intervals(const struct kappa_table *table, const struct format *operands,
                       struct kappa_interval intervals[KAPPA_INTERVALS]);

#endif
