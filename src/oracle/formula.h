/* The exact value of a formula at an input: by Arb's balls, else by the steps on what is known of each (op/formula). Where
 * inputs follow each other, those of a whole block are looked at once: mostly all of its values are one number, NaN, or so
 * near to a multiple of the operand that no more can be seen of them. */
#ifndef DETCHECK_ORACLE_FORMULA_H
#define DETCHECK_ORACLE_FORMULA_H

#include "format/format.h"
#include "op/operation.h"

#include <mpfr.h>

/* What a thread works in. */
struct formula_oracle;
/* For results of that many bits; NULL when memory is out. */
struct formula_oracle *formula_oracle_open(const struct operation *operation,
                                           const struct format *format, int precision);
void formula_oracle_close(struct formula_oracle *oracle);

struct formula_work *formula_oracle_work(struct formula_oracle *oracle);

/* The value at an input, of which `operands` are the numbers: in `result`, of the precision that was given, with its ternary
 * value, or *special is all there is. False where nothing decides it. */
bool formula_oracle_find(struct formula_oracle *oracle, const uint64_t *codes,
                         const struct real *operands, mpfr_ptr result, int *ternary,
                         struct real *special, bool *is_special);

/* The same by the steps alone. */
bool formula_oracle_find_by_steps(struct formula_oracle *oracle, const struct real *operands,
                                  mpfr_ptr result, int *ternary, struct real *special,
                                  bool *is_special);

#endif
