/* from_decimal and to_decimal as rows: what op/array.h asks for. */
#ifndef DETCHECK_OP_DECIMAL_ROWS_H
#define DETCHECK_OP_DECIMAL_ROWS_H

#include "op/array.h"
#include "op/decimal/decimal.h"

const struct grammar *decimal_grammar_of(const struct array_call *call);
enum decimal_style decimal_style_of(const struct array_call *call);
/* --digits; -1 where it is not given. */
long decimal_digits_of(const struct array_call *call);

extern const struct array_family from_decimal_families[], to_decimal_families[];
extern const struct array_algorithm from_decimal_algorithms[], to_decimal_algorithms[];

#endif
